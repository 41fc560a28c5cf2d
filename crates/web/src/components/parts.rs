//! The pieces that several moments share.

use yew::prelude::*;

use super::Draw;
use crate::model::{Action, Network};
use crate::texts::{Said, Text};

/// A drawing of the page's sprite.
pub(super) fn icon(href: Text) -> Html {
    html! { <svg class="i" aria-hidden="true"><use href={href} /></svg> }
}

/// A drawing in a circle, above a notice.
pub(super) fn art(href: Text, tone: Option<Text>) -> Html {
    html! { <span class="art" data-tone={tone}>{ icon(href) }</span> }
}

/// The engraved rosette behind what is shown.
pub(super) fn rose() -> Html {
    html! { <svg class="rose" aria-hidden="true"><use href="#rose" /></svg> }
}

/// A pile of gold bars, as high as the palier.
pub(super) fn pile(height: Option<Text>) -> Html {
    html! { <svg class="pile" data-p={height} viewBox="0 0 240 116" aria-hidden="true"><use href="#pile" /></svg> }
}

/// A gold bar that bears an amount.
pub(super) fn ingot(label: String, amount: String) -> Html {
    html! { <p class="ingot"><small>{ label }</small>{ " " }<b>{ amount }</b></p> }
}

/// Something to tell beside the matter in hand.
pub(super) fn callout(href: Text, tone: Option<Text>, title: Option<AttrValue>, body: AttrValue) -> Html {
    html! {
        <div class="callout" data-tone={tone}>
            { icon(href) }
            <p>if let Some(title) = title { <b>{ title }</b><br /> }{ body }</p>
        </div>
    }
}

/// A callout that does not vary.
pub(super) fn told(href: Text, tone: Option<Text>, said: &Said<Text>) -> Html {
    callout(href, tone, Some(said.title.into()), said.body.into())
}

/// One line of a list of facts.
pub(super) fn fact(name: Text, value: String) -> Html {
    html! { <div><dt>{ name }</dt><dd>{ value }</dd></div> }
}

/// The trouble that a request has, with a button to send it now.
pub(super) fn trouble(d: Draw<'_>, network: Network) -> Html {
    match super::trouble(d.t, network) {
        None => Html::default(),
        Some(lost) => html! {
            <div class="callout" data-tone="warn">
                { icon("#offline") }
                <div>
                    <p><b>{ lost }</b><br />{ d.t.network.kept }</p>
                    <button type="button" class="link" onclick={d.on(Action::Retry)}>{ d.t.buttons.retry }</button>
                </div>
            </div>
        },
    }
}
