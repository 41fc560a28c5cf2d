//! Verifying a saved game: the place where its file is given, and what was found in it.

use yew::prelude::*;

use super::elements::{el, element, given, list, nothing, say, text};
use super::parts::{art, callout, heading, icon, two_lines};
use super::{Draw, page, replay};
use crate::texts::{FRENCH, FRENCH_VERIFIER, Text};
use crate::verifier::FILE_FIELD;
use crate::verifier::model::{Account, Action, Flaw, Screen, Trouble, Verdict};

/// The element that it is drawn into.
const ROOT: &str = "#verify";

/// All of the verifier. A hook of its root component, as `use_stage` is of the game's.
#[hook]
pub fn use_verifier(screen: &Screen, act: &Callback<Action>) -> Html {
    let d = Draw { t: &FRENCH, act };
    let (moment, title, polite, urgent): (u8, Text, _, _) = match screen {
        Screen::Ask(trouble) => (0, FRENCH_VERIFIER.title, AttrValue::default(), spoken(*trouble)),
        Screen::Reading => (1, FRENCH_VERIFIER.reading, FRENCH_VERIFIER.reading.into(), AttrValue::default()),
        Screen::Verdict(verdict) => (2, verdict_title(verdict), AttrValue::default(), AttrValue::default()),
        Screen::Replay(replay) => {
            (3, FRENCH_VERIFIER.replay.title, replay::announced(d.t, replay), AttrValue::default())
        }
    };
    use_effect_with((moment, title), |(_, title)| {
        page::set_title(ROOT, title, FRENCH.title_suffix);
        page::focus_heading(ROOT);
    });
    let shown = match screen {
        Screen::Ask(trouble) => ask(d, *trouble),
        Screen::Reading => el("section", "screen notice", [art("#seal", ""), heading("", FRENCH_VERIFIER.reading)]),
        Screen::Verdict(verdict) => told(d, verdict),
        Screen::Replay(shown) => replay::replay(d, shown),
    };
    html! {
        <>
            <div class="vh" role="status">{ polite }</div>
            <div class="vh" role="alert">{ urgent }</div>
            { field(act) }
            <key={moment}>{ shown }</>
        </>
    }
}

/// The browser's own field, which the buttons open: it stays while moments come and go.
fn field(act: &Callback<Action>) -> Html {
    let act = act.clone();
    let chosen = Callback::from(move |_: Event| act.emit(Action::Chosen));
    html! {
        <input id={FILE_FIELD} type="file" accept=".json,application/json" hidden=true aria-label={FRENCH_VERIFIER.choose} onchange={chosen} />
    }
}

/// The way back to the game: a bare fragment.
pub(super) fn close(class: Text) -> Html {
    element("a", &["class", "href"], vec![given(class), given("#")], vec![say(FRENCH_VERIFIER.close)])
}

fn spoken(trouble: Option<Trouble>) -> AttrValue {
    trouble.map_or_else(AttrValue::default, |trouble| {
        let said = (FRENCH_VERIFIER.trouble)(trouble);
        [&said.title, ". ", &said.body].concat().into()
    })
}

fn ask(d: Draw<'_, Action>, trouble: Option<Trouble>) -> Html {
    let t = &FRENCH_VERIFIER;
    let trouble = trouble.map_or_else(nothing, |trouble| {
        let said = (t.trouble)(trouble);
        callout("#broken", "warn", two_lines(said.title, said.body))
    });
    el(
        "section",
        "screen verify",
        [
            heading("", t.title),
            text("p", "lead", t.lead),
            trouble,
            el(
                "div",
                "drop",
                [
                    icon("#seal"),
                    text("p", "", t.drop),
                    d.button("btn go", t.choose, Action::Choose, false),
                    text("p", "fine", t.private),
                ],
            ),
            el("div", "actions", [close("btn")]),
        ],
    )
}

fn verdict_title(verdict: &Verdict) -> Text {
    match &verdict.found {
        Ok(account) => (FRENCH_VERIFIER.holds)(account),
        Err(_) => FRENCH_VERIFIER.broken,
    }
}

fn told(d: Draw<'_, Action>, verdict: &Verdict) -> Html {
    let t = &FRENCH_VERIFIER;
    let file = verdict.file.as_ref().map_or_else(nothing, |name| text("p", "fine", format!("{} {name}", t.file)));
    let report = if verdict.is_report { callout("#broken", "warn", text("p", "", t.report)) } else { nothing() };
    match &verdict.found {
        Ok(account) => holds(d, account, verdict_title(verdict), [file, report]),
        Err(flaw) => broken(d, flaw, [file, report]),
    }
}

fn holds(d: Draw<'_, Action>, account: &Account, title: Text, [file, report]: [Html; 2]) -> Html {
    let t = &FRENCH_VERIFIER;
    let checks =
        (t.checks)(account).into_iter().map(|said| el("li", "", [icon("#check"), two_lines(said.title, said.body)]));
    let not_yet = (t.not_yet)(account).map(|said| el("li", "wait", [icon("#clock"), two_lines(said.title, said.body)]));
    let limits = (t.limits)(account.outcome).into_iter().map(|limit| text("li", "", limit)).collect();
    el(
        "section",
        "screen wide verify",
        [
            el(
                "div",
                "board",
                [
                    art("#seal", "good"),
                    heading("", title),
                    text("p", "lead", (t.ending)(account)),
                    file,
                    report,
                    el(
                        "div",
                        "actions",
                        [
                            d.button("btn go", t.replay.open, Action::Replay, false),
                            d.button("btn", t.choose_other, Action::Choose, false),
                            close("btn"),
                        ],
                    ),
                    text("p", "fine", t.private),
                ],
            ),
            el(
                "div",
                "board",
                [
                    text("h2", "", t.checked),
                    list("ul", "checks", checks.chain(not_yet).collect()),
                    text("h2", "", t.unproven),
                    list("ul", "limits", limits),
                    values(account),
                ],
            ),
        ],
    )
}

/// The values themselves, for who wants to compare them.
fn values(account: &Account) -> Html {
    let t = &FRENCH_VERIFIER;
    let values = [
        Some(account.ticket.to_string()),
        Some(account.commitment.to_hex()),
        Some(account.client_seed.to_hex()),
        account.server_seed.map(|seed| seed.reveal_hex()),
    ];
    let values = t.value_names.into_iter().zip(values).filter_map(|(name, value)| {
        value.map(|value| el("div", "", [text("dt", "", name), el("dd", "", [text("code", "", value)])]))
    });
    el("details", "", [text("summary", "", t.values), list("dl", "values", values.collect())])
}

fn broken(d: Draw<'_, Action>, flaw: &Flaw, [file, report]: [Html; 2]) -> Html {
    let t = &FRENCH_VERIFIER;
    el(
        "section",
        "screen verify notice",
        [
            art("#broken", "bad"),
            heading("", t.broken),
            file,
            callout("#cross", "bad", text("p", "", (t.flaw)(flaw))),
            text("p", "", (t.until_there)(flaw.proven)),
            report,
            text("p", "lead", t.broken_means),
            el("div", "actions", [d.button("btn go", t.choose_other, Action::Choose, false), close("btn")]),
            text("p", "fine", t.private),
        ],
    )
}
