//! The code entry. Its markup is that of the static page, so that nothing moves when the app takes over.

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::Draw;
use super::parts::{callout, icon, pile, rose};
use crate::model::{Action, Entry, EntryProblem};
use crate::texts::Texts;

pub(super) fn entry(d: Draw<'_>, entry: &Entry) -> Html {
    let t = &d.t.entry;
    let (_, shown) = told(d.t, entry);
    let malformed = matches!(entry.problem, Some(EntryProblem::Malformed(_)));
    let typed = {
        let act = d.act.clone();
        Callback::from(move |event: InputEvent| {
            let field = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok());
            if let Some(field) = field {
                act.emit(Action::CodeTyped(field.value()));
            }
        })
    };
    let sent = {
        let act = d.act.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            act.emit(Action::Open);
        })
    };
    html! {
        <section key="entry" class="screen entry">
            <div class="hero" aria-hidden="true">{ rose() }{ pile(None) }</div>
            <form class="code-form" method="post" action="/qod" novalidate=true onsubmit={sent}>
                <h1 tabindex="-1">{ t.title }</h1>
                if malformed { <p id="code-help">{ t.help }</p> } else { { shown.clone() }<p id="code-help">{ t.help }</p> }
                <div class="foil">
                    <label for="code">{ t.label }</label>
                    // Without a name the code can never be part of a form's data, whatever happens.
                    <input
                        id="code" type="text" inputmode="text" autocapitalize="characters" autocomplete="off" autocorrect="off" spellcheck="false"
                        enterkeyhint="go" maxlength="64" required=true aria-describedby="code-error code-help code-more"
                        aria-invalid={malformed.then_some("true")} readonly={entry.busy} value={entry.text.clone()} oninput={typed}
                    />
                </div>
                if malformed { { shown } }
                <button class="btn go wide" type="submit" aria-disabled={entry.busy.then_some("true")}>
                    { if entry.busy { t.opening } else { t.open } }
                </button>
                <p id="code-more" class="fine">{ t.reassurance }</p>
            </form>
        </section>
    }
}

/// What there is to tell: for the live region, and as it stands on the screen.
pub(super) fn told(t: &Texts, entry: &Entry) -> (AttrValue, Html) {
    let all = |title: &str, body: &str| AttrValue::from(format!("{title}. {body}"));
    if let Some(problem) = entry.problem {
        let said = (t.entry.problem)(problem);
        let spoken = all(&said.title, &said.body);
        let shown = match problem {
            EntryProblem::Malformed(_) => html! {
                <p class="error" id="code-error">{ icon("#broken") }<span>{ said.title }{ ". " }{ said.body }</span></p>
            },
            EntryProblem::LosingTicket => callout("#ticket", None, Some(said.title.into()), said.body.into()),
            EntryProblem::Unknown => callout("#ask", Some("warn"), Some(said.title.into()), said.body.into()),
            EntryProblem::TooManyAttempts => callout("#clock", Some("warn"), Some(said.title.into()), said.body.into()),
            EntryProblem::ServerAway | EntryProblem::PageOutdated => {
                callout("#offline", Some("warn"), Some(said.title.into()), said.body.into())
            }
        };
        return (spoken, shown);
    }
    match entry.notice {
        Some(notice) => {
            let said = (t.entry.notice)(notice);
            (all(said.title, said.body), callout("#ticket", None, Some(said.title.into()), said.body.into()))
        }
        None => (AttrValue::from(""), Html::default()),
    }
}
