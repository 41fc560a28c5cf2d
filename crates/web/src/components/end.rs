//! The ends: what the ticket gives, what to keep, and the whole grid uncovered.

use rules::{Amount, Number, Palier, Timestamp};
use yew::prelude::*;

use super::elements::{el, element, given, list, nothing, say, text};
use super::parts::{art, fact, heading, icon, ingot, pile, rose, trouble};
use super::{Draw, grid, ladder, odds};
use crate::model::{Action, End, EndedGame, Outcome, Payment, Ticket};
use crate::texts::{Text, Texts, figures};

/// The title of an end.
pub(super) fn title(t: &Texts, end: &End) -> AttrValue {
    match end.outcome {
        Outcome::Won(_) => (t.end.won)(end.gain).into(),
        Outcome::Lost { .. } => t.end.lost.into(),
        Outcome::Expired(_) => t.end.expired.into(),
        Outcome::Void(_) => t.end.void.into(),
        Outcome::PotentialGainPaid => t.end.stake_paid.title.into(),
    }
}

pub(super) fn end(d: Draw<'_>, end: &End, title: AttrValue) -> Html {
    let [shown, said, aside] = verdict(d, end);
    let mut told = vec![heading("", title), shown, said, aside, payment(d, end), trouble(d, end.network)];
    match &end.game {
        Some(game) => {
            told.push(ladder::ladder(d.t, &game.rungs));
            let losing = match end.outcome {
                Outcome::Lost { number, .. } => number,
                _ => None,
            };
            el("section", "screen wide end", [list("div", "board", told), uncovered(d, game, losing)])
        }
        None => {
            told.push(leave(d));
            list("section", "screen notice", told)
        }
    }
}

/// What is shown of an outcome, what is said of it, and what is said beside it.
fn verdict(d: Draw<'_>, end: &End) -> [Html; 3] {
    let t = &d.t.end;
    let (sign, tone, body) = match end.outcome {
        Outcome::Won(palier) => {
            let bar = ingot(t.gain, d.eur(end.gain));
            let shown = el("div", "show", [rose(), pile(height(palier)), bar]);
            return [shown, text("p", "lead", (t.won_at)(palier)), nothing()];
        }
        Outcome::Lost { number, at_stake } => ("#cross", "bad", (t.lost_body)(number, at_stake)),
        Outcome::Expired(palier) => ("#clock", "warn", (t.expired_body)(palier)),
        Outcome::Void(reason) => ("#broken", "warn", (t.void_body)(reason)),
        Outcome::PotentialGainPaid => ("#check", "good", t.stake_paid.body.to_owned()),
    };
    let help = if let Outcome::Lost { .. } = end.outcome {
        html! {
            <p class="fine">
                { t.help }{ " " }
                <a href="https://www.joueurs-info-service.fr" target="_blank" rel="noopener noreferrer">{ "joueurs-info-service.fr" }</a>{ "." }
            </p>
        }
    } else {
        nothing()
    };
    [art(sign, tone), text("p", "", body), help]
}

const fn height(palier: Palier) -> Text {
    match palier {
        Palier::One => "1",
        Palier::Two => "2",
        Palier::Three => "3",
        Palier::Four => "4",
    }
}

/// What to do with the ticket, wherever something is or was payable on it.
fn payment(d: Draw<'_>, end: &End) -> Html {
    let t = &d.t.end;
    let mut facts = vec![fact(t.ticket, end.ticket.number.to_string())];
    match end.payment {
        Payment::None => list("dl", "facts", facts),
        Payment::Due => stub(d, &end.ticket, end.gain, end.pay_before),
        Payment::Paid => {
            facts.push(fact(t.paid, d.eur(end.gain)));
            list("dl", "facts", facts)
        }
    }
}

/// How to be paid: what to keep, where, how much and until when.
pub(super) fn stub(d: Draw<'_>, ticket: &Ticket, gain: Amount, pay_before: Option<Timestamp>) -> Html {
    let t = &d.t.end;
    let until = match pay_before {
        Some(before) => fact(t.pay_until, figures::last_day(d.t, before)),
        None => fact(t.no_limit.title, t.no_limit.body.to_owned()),
    };
    let facts = [fact(t.ticket, ticket.number.to_string()), fact(t.due, d.eur(gain)), until];
    el(
        "section",
        "stub",
        [
            el("h2", "", [icon("#ticket"), say(t.keep_ticket.title)]),
            text("p", "", t.keep_ticket.body),
            el("dl", "facts", facts),
        ],
    )
}

fn uncovered(d: Draw<'_>, game: &EndedGame, losing: Option<Number>) -> Html {
    let said = (d.t.proof.verified)(game.proof);
    el(
        "div",
        "board",
        [
            text("h2", "", d.t.end.grid),
            grid::picture(d.t, &game.cells, true, losing),
            text("p", "fine", d.t.end.legend),
            el(
                "section",
                "proof",
                [
                    el("h2", "", [icon("#seal"), say(said.title)]),
                    text("p", "", said.body),
                    odds::signed(d, game.signing),
                    element("a", &["href"], vec![given("#verifier")], vec![say(d.t.proof.verify)]),
                ],
            ),
            el(
                "div",
                "actions",
                [
                    d.button("btn", d.t.buttons.replay, Action::Replay, false),
                    d.button("btn", d.t.buttons.save_proof, Action::Save, false),
                    leave(d),
                ],
            ),
        ],
    )
}

fn leave(d: Draw<'_>) -> Html {
    d.button("btn", d.t.buttons.leave, Action::Leave, false)
}
