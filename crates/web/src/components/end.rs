//! The ends: what the ticket gives, what to keep, and the whole grid uncovered.

use rules::{Number, Palier};
use yew::prelude::*;

use super::parts::{art, fact, icon, ingot, pile, rose, trouble};
use super::{Draw, grid, ladder};
use crate::model::{Action, End, EndedGame, Outcome, Payment};
use crate::texts::{Text, Texts, figures};

/// The heading of an end.
pub(super) fn heading(t: &Texts, end: &End) -> AttrValue {
    match end.outcome {
        Outcome::Won(_) => (t.end.won)(end.gain).into(),
        Outcome::Lost { .. } => t.end.lost.into(),
        Outcome::Expired(_) => t.end.expired.into(),
        Outcome::Void(_) => t.end.void.into(),
        Outcome::PotentialGainPaid => t.end.stake_paid.title.into(),
    }
}

pub(super) fn end(d: Draw<'_>, end: &End, heading: AttrValue) -> Html {
    let verdict = html! {
        <>
            <h1 tabindex="-1">{ heading }</h1>
            { verdict(d, end) }
            { payment(d, end) }
            { trouble(d, end.network) }
        </>
    };
    let losing = match end.outcome {
        Outcome::Lost { number, .. } => number,
        _ => None,
    };
    match &end.game {
        Some(game) => html! {
            <section key="end" class="screen wide end">
                <div class="board">{ verdict }{ ladder::ladder(d, &game.rungs) }</div>
                <div class="board">{ uncovered(d, game, losing) }</div>
            </section>
        },
        None => html! { <section key="end" class="screen notice">{ verdict }{ leave(d) }</section> },
    }
}

fn verdict(d: Draw<'_>, end: &End) -> Html {
    let t = &d.t.end;
    let plain = |sign: Text, tone: Option<Text>, body: AttrValue| {
        html! { <>{ art(sign, tone) }<p>{ body }</p></> }
    };
    match end.outcome {
        Outcome::Won(palier) => html! {
            <>
                <div class="show">{ rose() }{ pile(Some(height(palier))) }{ ingot(t.gain.to_owned(), (d.t.figures.eur)(end.gain)) }</div>
                <p class="lead">{ (t.won_at)(palier) }</p>
            </>
        },
        Outcome::Lost { number, at_stake } => html! {
            <>
                { plain("#cross", Some("bad"), (t.lost_body)(number, at_stake).into()) }
                <p class="fine">
                    { t.help }{ " " }
                    <a href="https://www.joueurs-info-service.fr" target="_blank" rel="noopener noreferrer">{ "joueurs-info-service.fr" }</a>
                </p>
            </>
        },
        Outcome::Expired(palier) => plain("#clock", Some("warn"), (t.expired_body)(palier).into()),
        Outcome::Void(reason) => plain("#broken", Some("warn"), (t.void_body)(reason).into()),
        Outcome::PotentialGainPaid => plain("#check", Some("good"), t.stake_paid.body.into()),
    }
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
    let number = || fact(t.ticket, end.ticket.number.to_string());
    let amount = |name: Text| fact(name, (d.t.figures.eur)(end.gain));
    match end.payment {
        Payment::None => html! { <dl class="facts">{ number() }</dl> },
        Payment::Due => html! {
            <section class="stub">
                <h2>{ icon("#ticket") }{ t.keep_ticket.title }</h2>
                <p>{ t.keep_ticket.body }</p>
                <dl class="facts">
                    { number() }
                    { amount(t.due) }
                    if let Some(before) = end.pay_before { { fact(t.pay_until, figures::last_day(d.t, before)) } }
                </dl>
            </section>
        },
        Payment::Paid => html! { <dl class="facts">{ number() }{ amount(t.paid) }</dl> },
    }
}

fn uncovered(d: Draw<'_>, game: &EndedGame, losing: Option<Number>) -> Html {
    let said = (d.t.proof.verified)(game.proof);
    html! {
        <>
            <h2>{ d.t.end.grid }</h2>
            { grid::picture(d, &game.cells, true, losing) }
            <p class="fine">{ d.t.end.legend }</p>
            <section class="proof">
                <h2>{ icon("#seal") }{ said.title }</h2>
                <p>{ said.body }</p>
            </section>
            <div class="actions">
                { d.button("", d.t.buttons.replay, Action::Replay, false) }
                { d.button("", d.t.buttons.save_proof, Action::Save, false) }
                { leave(d) }
            </div>
        </>
    }
}

fn leave(d: Draw<'_>) -> Html {
    d.button("", d.t.buttons.leave, Action::Leave, false)
}
