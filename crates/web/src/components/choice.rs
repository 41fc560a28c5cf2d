//! QUITTER or CONTINUER, with both values side by side: at the stake, and on each palier.

use rules::palier::Multiplier;
use rules::{Amount, Nature, Stop};
use yew::prelude::*;

use super::parts::{callout, fact, icon, ingot, rose, told, trouble};
use super::{Draw, ladder, odds, play};
use crate::model::{Action, Network, Odds, Play, Rung, Stake, StakeClosed, Step};
use crate::texts::{Text, figures, times};

pub(super) fn stake(d: Draw<'_>, stake: &Stake) -> Html {
    let t = &d.t.choice;
    let gain = stake.ticket.potential_gain.amount();
    let [first, .., last] = &stake.rungs;
    let eur = d.t.figures.eur;
    html! {
        <section key="stake" class="screen choice">
            <h1 tabindex="-1">{ t.stake }</h1>
            <div class="show">{ rose() }{ ingot((d.t.end.ticket).to_owned() + "\u{a0}" + &stake.ticket.number.to_string(), eur(gain)) }</div>
            { trouble(d, stake.network) }
            { match stake.closed {
                None => html! { <>
                    { duel(d, gain, t.keep_stake, first, &stake.odds, stake.network) }
                    <p class="lead">{ (t.meaning)(gain, last.most) }{ " " }{ (t.worth)(stake.odds.value) }</p>
                </> },
                Some(closed) => html! { <>
                    { told("#clock", Some("warn"), if closed == StakeClosed::TooLate { &t.too_late } else { &t.suspended }) }
                    { d.button("keep", d.t.buttons.quit, Action::Quit, false) }
                </> },
            } }
            if stake.closed.is_none() { { ladder::ladder(d, &stake.rungs) } }
            if let (Some(until), None) = (stake.start_before, stake.closed) {
                <p class="fine">{ (t.start_until)(&figures::last_day(d.t, until)) }</p>
            }
            if let Some(until) = stake.pay_before {
                <dl class="facts">{ fact(d.t.end.pay_until, figures::last_day(d.t, until)) }</dl>
            }
        </section>
    }
}

pub(super) fn on_palier(d: Draw<'_>, play: &Play, stop: Stop, multiplier: Multiplier, gain: Amount) -> Html {
    let t = &d.t.choice;
    let eur = d.t.figures.eur;
    // What was at stake before this palier multiplied it: exact, since a gain is a product.
    let before = u32::try_from(gain.eur() / u64::from(multiplier.factor())).map_or(Amount::ZERO, Amount::from_eur);
    html! {
        <section key="palier" class="screen choice">
            <h1 tabindex="-1">{ (t.reached)(stop.palier()) }</h1>
            if let Some(number) = play.last.as_ref().and_then(play::opened) {
                <p class="opened">{ icon("#check") }{ (d.t.play.step)(&Step::Picked(number, Nature::Good)) }</p>
            }
            <div class="show">
                { rose() }
                <p class="times"><span>{ eur(before) }</span><span class="stamp">{ times(multiplier) }</span></p>
                { ingot((d.t.play.palier)(stop.palier()), eur(gain)) }
            </div>
            { trouble(d, play.network) }
            if let Some(next) = play.rungs.get(stop.next().index()) {
                { duel(d, gain, t.keep_palier, next, &play.odds, play.network) }
            }
            <p class="lead">{ (t.worth)(play.odds.value) }</p>
            { ladder::ladder(d, &play.rungs) }
            if let Some(notice) = play.notice { { callout("#ask", None, None, (d.t.play.notice)(notice).into()) } }
            { play::deadline(d, play) }
            { odds::how(d, play.proof) }
        </section>
    }
}

/// Two sides of the same weight: what is kept for sure, and what may become of it.
fn duel(d: Draw<'_>, kept: Amount, keep_does: Text, next: &Rung, odds: &Odds, network: Network) -> Html {
    let t = &d.t.choice;
    let eur = d.t.figures.eur;
    let at_rest = network != Network::Quiet;
    html! {
        <div class="duel">
            <span class="or" aria-hidden="true">{ t.or }</span>
            <section class="side">
                <div>
                    <h2>{ t.keep }</h2>
                    <p class="value">{ eur(kept) }</p>
                    <p class="risk" data-tone="good">{ icon("#check") }{ t.no_risk }</p>
                    <p class="fine">{ keep_does }</p>
                </div>
                { d.button("keep", d.t.buttons.quit, Action::Quit, at_rest) }
            </section>
            <section class="side">
                <div>
                    <h2>{ t.risk }</h2>
                    <p class="value">
                        { eur(next.gain) }
                        if next.most != next.gain { { " " }<small>{ t.or }{ " " }{ eur(next.most) }</small> }
                    </p>
                    <p class="risk" data-tone="bad">{ icon("#cross") }{ t.or_lose }</p>
                    <p class="fine">{ (t.chance)(odds.reach, next.palier, next.to_find) }</p>
                </div>
                { d.button("go", d.t.buttons.go_on, Action::Continue, at_rest) }
            </section>
        </div>
    }
}
