//! The question before something irrevocable: the browser's own modal dialog, which keeps the focus inside and gives it back.

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::Draw;
use super::elements::{el, element, given, nothing, say, text};
use super::parts::callout;
use crate::model::{Action, Dialog};

/// It stays in the page while it is closed: a dialog that is taken out while open would not give the focus back.
pub(super) fn modal(d: Draw<'_>, node: NodeRef, dialog: Option<Dialog>) -> Html {
    html! {
        // Escape closes it by itself. When the app closed it, there is no dialog left that this would cancel.
        <dialog ref={node} aria-labelledby="asked" onclose={d.on(Action::Cancel)}>
            { dialog.map_or_else(nothing, |dialog| asked(d, dialog)) }
        </dialog>
    }
}

/// Opens or closes it on the page.
pub(super) fn follow(node: &NodeRef, open: bool) {
    if let Some(dialog) = node.cast::<web_sys::HtmlDialogElement>() {
        if !open {
            dialog.close();
        } else if !dialog.open() {
            // It can only fail where the element is out of the page.
            let _ = dialog.show_modal();
        }
    }
}

fn asked(d: Draw<'_>, dialog: Dialog) -> Html {
    let t = &d.t.choice;
    let asked = |title: String| element("h2", &["id"], vec![given("asked")], vec![say(title)]);
    match dialog {
        Dialog::Continue { at_risk, adult } => el(
            "div",
            "",
            [
                asked((t.confirm_title)(at_risk)),
                callout("#broken", "warn", text("p", "", (t.confirm_body)(at_risk))),
                adult.map_or_else(nothing, |adult| declaration(d, adult)),
                el(
                    "div",
                    "actions",
                    [
                        d.button("btn keep", d.t.buttons.cancel, Action::Cancel, false),
                        d.button("btn go", d.t.buttons.go_on, Action::Confirm, adult == Some(false)),
                    ],
                ),
            ],
        ),
        Dialog::Quit { gain } => el(
            "div",
            "",
            [
                asked((t.quit_title)(gain)),
                text("p", "", t.quit_body),
                el(
                    "div",
                    "actions",
                    [
                        d.button("btn", d.t.buttons.cancel, Action::Cancel, false),
                        d.button("btn keep", d.t.buttons.quit, Action::Confirm, false),
                    ],
                ),
            ],
        ),
    }
}

fn declaration(d: Draw<'_>, adult: bool) -> Html {
    let declared = {
        let act = d.act.clone();
        Callback::from(move |event: Event| {
            let tick = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok());
            act.emit(Action::Adult(tick.is_some_and(|tick| tick.checked())));
        })
    };
    let tick = html! { <input id="adult" type="checkbox" checked={adult} onchange={declared} /> };
    el("label", "tick", [tick, text("span", "", d.t.choice.adult)])
}
