//! The pieces that several moments share.

use yew::prelude::*;

use super::Draw;
use super::elements::{el, element, given, nothing, say, text, toned};
use crate::model::{Action, Network};
use crate::texts::{Said, Text};

/// The heading of a moment: it takes the focus when the moment comes.
pub(super) fn heading(class: Text, title: impl Into<AttrValue>) -> Html {
    element("h1", &["class", "tabindex"], vec![given(class), given("-1")], vec![say(title)])
}

/// A drawing of the page's sprite.
pub(super) fn icon(href: Text) -> Html {
    drawing("i", "", "", href)
}

/// A drawing in a circle, above a notice.
pub(super) fn art(href: Text, tone: Text) -> Html {
    toned("span", "art", tone, [icon(href)])
}

/// The engraved rosette behind what is shown.
pub(super) fn rose() -> Html {
    drawing("rose", "", "", "#rose")
}

/// A pile of gold bars, as high as the palier; the whole pile where none is given.
pub(super) fn pile(height: Text) -> Html {
    drawing("pile", height, "0 0 240 116", "#pile")
}

fn drawing(class: Text, height: Text, view_box: Text, href: Text) -> Html {
    let values = vec![given(class), given(height), given(view_box), given("true")];
    let shown = element("use", &["href"], vec![given(href)], vec![]);
    element("svg", &["class", "data-p", "viewBox", "aria-hidden"], values, vec![shown])
}

/// A gold bar that bears an amount.
pub(super) fn ingot(label: impl Into<AttrValue>, amount: String) -> Html {
    el("p", "ingot", [text("small", "", label), say(" "), text("b", "", amount)])
}

/// A title and a sentence below it.
pub(super) fn two_lines(title: impl Into<AttrValue>, body: impl Into<AttrValue>) -> Html {
    el("p", "", [text("b", "", title), el("br", "", []), say(body)])
}

/// Something to tell beside the matter in hand.
pub(super) fn callout(href: Text, tone: Text, inside: Html) -> Html {
    toned("div", "callout", tone, [icon(href), inside])
}

/// A callout with a title.
pub(super) fn told(href: Text, tone: Text, said: &Said<Text>) -> Html {
    callout(href, tone, two_lines(said.title, said.body))
}

/// One line of a list of facts.
pub(super) fn fact(name: Text, value: String) -> Html {
    el("div", "", [text("dt", "", name), text("dd", "", value)])
}

/// A label over a value.
pub(super) fn labelled(label: impl Into<AttrValue>, value: String) -> Html {
    el("p", "", [text("span", "label", label), say(" "), text("b", "", value)])
}

/// The trouble that a request has, with a button to send it now.
pub(super) fn trouble(d: Draw<'_>, network: Network) -> Html {
    match super::trouble(d.t, network) {
        None => nothing(),
        Some(lost) => callout(
            "#offline",
            "warn",
            el("div", "", [two_lines(lost, d.t.network.kept), d.link(d.t.buttons.retry, Action::Retry)]),
        ),
    }
}
