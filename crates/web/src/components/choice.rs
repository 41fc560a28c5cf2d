//! QUITTER or CONTINUER, with both values side by side: at the stake, and on each palier.

use rules::palier::Multiplier;
use rules::{Amount, Nature, Stop};
use yew::prelude::*;

use super::elements::{el, element, given, nothing, say, text, toned};
use super::parts::{callout, fact, heading, icon, ingot, rose, told, trouble};
use super::{Draw, end, ladder, odds, play};
use crate::model::{Action, Network, Play, Rung, Stake, StakeClosed, Step};
use crate::texts::{Text, figures, times};

pub(super) fn stake(d: Draw<'_>, stake: &Stake) -> Html {
    let t = &d.t.choice;
    let gain = stake.ticket.potential_gain.amount();
    let [first, .., last] = &stake.rungs;
    let number = format!("{}\u{a0}{}", d.t.end.ticket, stake.ticket.number);
    let (choice, meaning, until) = match stake.closed {
        None => (
            duel(d, gain, t.keep_stake, first, stake.network),
            text("p", "lead", format!("{} {}", (t.meaning)(gain, last.most), (t.worth)(stake.value))),
            stake
                .start_before
                .map_or_else(nothing, |at| text("p", "fine", (t.start_until)(&figures::last_day(d.t, at)))),
        ),
        Some(closed) => (
            told("#clock", "warn", if closed == StakeClosed::TooLate { &t.too_late } else { &t.suspended }),
            d.button("btn keep", d.t.buttons.quit, Action::Quit, false),
            nothing(),
        ),
    };
    el(
        "section",
        "screen choice",
        [
            heading("", t.stake),
            el("div", "show", [rose(), ingot(number, d.eur(gain))]),
            trouble(d, stake.network),
            choice,
            meaning,
            if stake.closed.is_none() { ladder::ladder(d.t, &stake.rungs) } else { nothing() },
            until,
            // Where there is nothing left but to be paid, how.
            if stake.closed == Some(StakeClosed::TooLate) {
                end::stub(d, &stake.ticket, gain, stake.pay_before)
            } else {
                stake
                    .pay_before
                    .map_or_else(nothing, |at| el("dl", "facts", [fact(d.t.end.pay_until, figures::last_day(d.t, at))]))
            },
        ],
    )
}

pub(super) fn on_palier(d: Draw<'_>, play: &Play, stop: Stop, multiplier: Multiplier, gain: Amount) -> Html {
    let t = &d.t.choice;
    // What was at stake before this palier multiplied it: exact, since a gain is a product.
    let before = u32::try_from(gain.eur() / u64::from(multiplier.factor())).map_or(Amount::ZERO, Amount::from_eur);
    let opened = play.last.as_ref().and_then(play::opened).map_or_else(nothing, |number| {
        el("p", "opened", [icon("#check"), say((d.t.play.step)(&Step::Picked(number, Nature::Good)))])
    });
    let choice = play
        .rungs
        .get(stop.next().index())
        .map_or_else(nothing, |next| duel(d, gain, t.keep_palier, next, play.network));
    el(
        "section",
        "screen choice",
        [
            heading("", (t.reached)(stop.palier())),
            opened,
            el(
                "div",
                "show",
                [
                    rose(),
                    el("p", "times", [text("span", "", d.eur(before)), text("span", "stamp", times(multiplier))]),
                    ingot((d.t.play.palier)(stop.palier()), d.eur(gain)),
                ],
            ),
            trouble(d, play.network),
            choice,
            text("p", "lead", (t.worth)(play.value)),
            ladder::ladder(d.t, &play.rungs),
            play.notice.map_or_else(nothing, |notice| callout("#ask", "", text("p", "", (d.t.play.notice)(notice)))),
            play.finish_before.map_or_else(nothing, |at| {
                text("p", "fine", format!("{} {}", d.t.play.finish_before, figures::instant(d.t, at)))
            }),
            odds::how(d, play.proof, play.signing),
            d.link(d.t.buttons.leave, Action::Leave),
        ],
    )
}

/// Two sides of the same weight: what is kept for sure, and what may become of it.
fn duel(d: Draw<'_>, kept: Amount, keep_does: Text, next: &Rung, network: Network) -> Html {
    let t = &d.t.choice;
    let at_rest = network != Network::Quiet;
    let greater =
        if next.most == next.gain { nothing() } else { text("small", "", format!(" {} {}", t.or, d.eur(next.most))) };
    el(
        "div",
        "duel",
        [
            element("span", &["class", "aria-hidden"], vec![given("or"), given("true")], vec![say(t.or)]),
            side(
                t.keep,
                el("p", "value", [say(d.eur(kept))]),
                toned("p", "risk", "good", [icon("#check"), say(t.no_risk)]),
                text("p", "fine", keep_does),
                d.button("btn keep", d.t.buttons.quit, Action::Quit, at_rest),
            ),
            side(
                t.risk,
                el("p", "value", [say(d.eur(next.gain)), greater]),
                toned("p", "risk", "bad", [icon("#cross"), say(t.or_lose)]),
                text("p", "fine", (t.chance)(next.reach, next.palier, next.to_find)),
                d.button("btn go", d.t.buttons.go_on, Action::Continue, at_rest),
            ),
        ],
    )
}

fn side(title: Text, value: Html, risk: Html, what: Html, button: Html) -> Html {
    el("section", "side", [el("div", "", [text("h2", "", title), value, risk, what]), button])
}
