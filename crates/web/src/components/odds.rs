//! The chances as they stand, in words and as a small picture; and how they are proved.

use rules::number::LOSING;
use rules::{Fraction, Palier};
use yew::prelude::*;

use super::Draw;
use crate::model::{Cell, CellState, Odds, Proof, Rung};

/// The chances of the next number and of the next palier.
pub(super) fn odds(d: Draw<'_>, odds: &Odds, cells: &[Cell; 30], rungs: &[Rung; 4], palier: Palier) -> Html {
    let t = &d.t.play;
    let (good, left) = left(cells);
    let rung = rungs.get(palier.index());
    html! {
        <section class="odds" aria-labelledby="odds">
            <h2 id="odds">{ t.odds }</h2>
            <dl>
                <div><dt>{ t.next }</dt><dd>{ (t.good_of)(good, left) }</dd>{ numbers(good, left) }</div>
                <div>
                    <dt>{ (t.reach)(palier) }</dt>
                    <dd>{ (d.t.figures.percent)(odds.reach) }</dd>
                    { meter(odds.reach) }
                    <dd class="fine">{ (d.t.figures.one_in)(odds.reach) }</dd>
                </div>
                if let Some(three) = rung.map(|r| r.three).filter(|three| *three != Fraction::ZERO) {
                    <div><dt>{ (t.three)(palier) }</dt><dd>{ (d.t.figures.one_in)(three) }</dd></div>
                }
            </dl>
        </section>
    }
}

/// How many numbers can still be picked, and how many of them are good, while the game runs: all three losing ones are among them.
pub(super) fn left(cells: &[Cell; 30]) -> (u32, u32) {
    let left = cells.iter().filter(|c| matches!(c.state, CellState::Free | CellState::Pending)).count();
    let left = u32::try_from(left).unwrap_or_default();
    (left.saturating_sub(LOSING.into()), left)
}

/// The numbers that are left, one mark each: the good ones, then the losing ones, lower.
fn numbers(good: u32, left: u32) -> Html {
    html! {
        <dd class="meter" aria-hidden="true">
            <svg viewBox={format!("0 0 {left} 1")} preserveAspectRatio="none">
                <path class="ok" d={format!("M.1 .5H{good}")} stroke-dasharray=".8 .2" />
                <path class="ko" d={format!("M{good}.1 .5H{left}")} stroke-dasharray=".8 .2" />
            </svg>
        </dd>
    }
}

fn meter(chance: Fraction) -> Html {
    html! {
        <dd class="meter" aria-hidden="true">
            <svg viewBox="0 0 1000 1" preserveAspectRatio="none">
                <path class="rail" d="M0 .5H1000" /><path class="ok" d={format!("M0 .5H{}", chance.per_mille())} />
            </svg>
        </dd>
    }
}

/// The explanation behind the quiet mark.
pub(super) fn how(d: Draw<'_>, proof: Proof) -> Html {
    html! {
        <details class="fine"><summary>{ d.t.proof.how }</summary><p>{ (d.t.proof.how_body)(proof) }</p></details>
    }
}
