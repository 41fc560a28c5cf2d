//! The moments that say one thing: a game that is being taken up again, another seed, a proof that failed.

use yew::prelude::*;

use super::Draw;
use super::elements::{el, nothing, text};
use super::parts::{art, callout, fact, heading, trouble};
use crate::model::{Action, Network, OtherSeed, ProofFailed};
use crate::texts::Text;

pub(super) fn starting(d: Draw<'_>, network: Network) -> Html {
    let said = &d.t.entry.starting;
    el(
        "section",
        "screen notice",
        [art("#device", ""), heading("", said.title), text("p", "lead", said.body), trouble(d, network)],
    )
}

pub(super) fn other_seed(d: Draw<'_>, other: &OtherSeed) -> Html {
    let t = &d.t.proof;
    let here = |body| callout("#broken", "warn", text("p", "", body));
    el(
        "section",
        "screen notice",
        [
            art("#device", "warn"),
            heading("", t.other_seed.title),
            text("p", "lead", t.other_seed.body),
            if other.here_too { here(t.other_seed_here) } else { nothing() },
            callout("#seal", "", text("p", "", t.other_seed_means)),
            el(
                "div",
                "actions",
                [
                    d.button("btn go", t.begun_elsewhere, Action::BegunElsewhere, false),
                    d.button("btn", t.not_me, Action::Leave, false),
                    save(d, "btn", other.saved),
                ],
            ),
        ],
    )
}

pub(super) fn proof_failed(d: Draw<'_>, failed: &ProofFailed) -> Html {
    let t = &d.t.proof;
    el(
        "section",
        "screen notice",
        [
            art("#broken", "bad"),
            heading("", t.failed),
            text("p", "lead", (t.failed_body)(failed.failure)),
            callout("#ticket", "bad", text("p", "", t.failed_do)),
            if failed.earlier { text("p", "", t.failed_earlier) } else { nothing() },
            trouble(d, failed.network),
            el("dl", "facts", [fact(d.t.end.ticket, failed.ticket.number.to_string())]),
            el(
                "div",
                "actions",
                [
                    save(d, "btn keep", failed.saved),
                    if failed.earlier {
                        d.button("btn", t.take_up_again, Action::TakeUpAgain, failed.network != Network::Quiet)
                    } else {
                        nothing()
                    },
                    d.button("btn", d.t.buttons.leave, Action::Leave, false),
                ],
            ),
        ],
    )
}

/// Saves the evidence, as often as one likes.
fn save(d: Draw<'_>, class: Text, saved: bool) -> Html {
    d.button(class, if saved { d.t.buttons.saved } else { d.t.buttons.save_evidence }, Action::Save, false)
}
