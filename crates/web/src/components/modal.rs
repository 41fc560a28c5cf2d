//! The question before something irrevocable: the browser's own modal dialog, which keeps the focus inside and gives it back.

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::Draw;
use super::parts::callout;
use crate::model::{Action, Dialog};
use crate::texts::FRENCH;

#[derive(Properties, PartialEq)]
pub(super) struct ModalProps {
    pub(super) dialog: Option<Dialog>,
    pub(super) act: Callback<Action>,
}

/// It stays in the page while it is closed: a dialog that is taken out while open would not give the focus back.
#[component]
pub(super) fn Modal(props: &ModalProps) -> Html {
    let d = Draw { t: &FRENCH, act: &props.act };
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with(props.dialog.is_some(), move |open| {
            if let Some(dialog) = node.cast::<web_sys::HtmlDialogElement>() {
                if !*open {
                    dialog.close();
                } else if !dialog.open() {
                    // It can only fail where the element is out of the page.
                    let _ = dialog.show_modal();
                }
            }
        });
    }
    html! {
        // Escape closes it by itself. When the app closed it, there is no dialog left that this would cancel.
        <dialog ref={node} aria-labelledby="asked" onclose={d.on(Action::Cancel)}>
            if let Some(dialog) = props.dialog { { asked(d, dialog) } }
        </dialog>
    }
}

fn asked(d: Draw<'_>, dialog: Dialog) -> Html {
    let t = &d.t.choice;
    match dialog {
        Dialog::Continue { at_risk, adult } => {
            let declared = {
                let act = d.act.clone();
                Callback::from(move |event: Event| {
                    let tick = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok());
                    act.emit(Action::Adult(tick.is_some_and(|tick| tick.checked())));
                })
            };
            html! {
                <div>
                    <h2 id="asked">{ (t.confirm_title)(at_risk) }</h2>
                    { callout("#broken", Some("warn"), None, (t.confirm_body)(at_risk).into()) }
                    if let Some(adult) = adult {
                        <label class="tick"><input id="adult" type="checkbox" checked={adult} onchange={declared} /><span>{ t.adult }</span></label>
                    }
                    <div class="actions">
                        { d.button("keep", d.t.buttons.cancel, Action::Cancel, false) }
                        { d.button("go", d.t.buttons.go_on, Action::Confirm, adult == Some(false)) }
                    </div>
                </div>
            }
        }
        Dialog::Quit { gain } => html! {
            <div>
                <h2 id="asked">{ (t.quit_title)(gain) }</h2>
                <p>{ t.quit_body }</p>
                <div class="actions">
                    { d.button("", d.t.buttons.cancel, Action::Cancel, false) }
                    { d.button("keep", d.t.buttons.quit, Action::Confirm, false) }
                </div>
            </div>
        },
    }
}
