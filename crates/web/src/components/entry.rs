//! The code entry. Its markup is that of the static page, so that nothing moves when the app takes over.

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::Draw;
use super::elements::{el, element, given, nothing, say, text};
use super::parts::{callout, heading, icon, pile, rose, two_lines};
use crate::model::{Action, Entry, EntryProblem};
use crate::texts::Texts;

pub(super) fn entry(d: Draw<'_>, entry: &Entry) -> Html {
    let t = &d.t.entry;
    let (_, shown) = told(d.t, entry);
    let malformed = matches!(entry.problem, Some(EntryProblem::Malformed(_)));
    // A slip is told under the field, anything else above it.
    let (above, below) = if malformed { (nothing(), shown) } else { (shown, nothing()) };
    let sent = {
        let act = d.act.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            act.emit(Action::Open);
        })
    };
    let hero = element("div", &["class", "aria-hidden"], vec![given("hero"), given("true")], vec![rose(), pile("")]);
    let form = html! {
        <form class="code-form" method="post" action="/qod" novalidate=true onsubmit={sent}>
            { heading("", t.title) }
            { above }
            { element("p", &["id"], vec![given("code-help")], vec![say(t.help)]) }
            { el("div", "foil", [element("label", &["for"], vec![given("code")], vec![say(t.label)]), field(d, entry, malformed)]) }
            { below }
            <button class="btn go wide" type="submit" aria-disabled={entry.busy.then_some("true")}>
                { if entry.busy { t.opening } else { t.open } }
            </button>
            { element("p", &["id", "class"], vec![given("code-more"), given("fine")], vec![say(t.reassurance)]) }
        </form>
    };
    el("section", "screen entry", [hero, form])
}

fn field(d: Draw<'_>, entry: &Entry, malformed: bool) -> Html {
    let typed = {
        let act = d.act.clone();
        Callback::from(move |event: InputEvent| {
            let field = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok());
            if let Some(field) = field {
                act.emit(Action::CodeTyped(field.value()));
            }
        })
    };
    html! {
        // Without a name the code can never be part of a form's data, whatever happens.
        <input
            id="code" type="text" inputmode="text" autocapitalize="characters" autocomplete="off" autocorrect="off" spellcheck="false"
            enterkeyhint="go" maxlength="64" required=true aria-describedby="code-error code-help code-more"
            aria-invalid={malformed.then_some("true")} readonly={entry.busy} value={entry.text.clone()} oninput={typed}
        />
    }
}

/// What there is to tell: for the live region, and as it stands on the screen.
pub(super) fn told(t: &Texts, entry: &Entry) -> (AttrValue, Html) {
    let (title, body, sign, tone) = if let Some(problem) = entry.problem {
        let said = (t.entry.problem)(problem);
        let (sign, tone) = match problem {
            EntryProblem::Malformed(_) => ("#broken", ""),
            EntryProblem::LosingTicket => ("#ticket", ""),
            EntryProblem::Unknown => ("#ask", "warn"),
            EntryProblem::TooManyAttempts => ("#clock", "warn"),
            EntryProblem::ServerAway | EntryProblem::PageOutdated => ("#offline", "warn"),
        };
        (AttrValue::from(said.title), AttrValue::from(said.body), sign, tone)
    } else if let Some(notice) = entry.notice {
        let said = (t.entry.notice)(notice);
        (said.title.into(), said.body.into(), "#ticket", "")
    } else {
        return (AttrValue::default(), nothing());
    };
    let spoken = AttrValue::from(format!("{title}. {body}"));
    let shown = match entry.problem {
        Some(EntryProblem::Malformed(_)) => element(
            "p",
            &["class", "id"],
            vec![given("error"), given("code-error")],
            vec![icon(sign), text("span", "", spoken.clone())],
        ),
        _ => callout(sign, tone, two_lines(title, body)),
    };
    (spoken, shown)
}
