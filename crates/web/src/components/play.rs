//! The grid in play, with what just happened, the ladder and the chances.

use rules::{Nature, Number};
use yew::prelude::*;

use super::parts::icon;
use super::{Draw, grid, ladder, odds};
use crate::model::{Action, CellState, Network, Phase, Play, Step};
use crate::texts::{Texts, figures};

pub(super) fn play(d: Draw<'_>, play: &Play) -> Html {
    let t = &d.t.play;
    let Phase::Picking { palier, .. } = play.phase else { return Html::default() };
    let (title, body, urgent) = word(d.t, play);
    let turned = play.last.as_ref().and_then(opened);
    let quiet = play.network == Network::Quiet;
    let good = quiet && turned.is_some() && play.notice.is_none();
    html! {
        <section key="play" class="screen wide play">
            <h1 class="vh" tabindex="-1">{ (t.palier)(palier) }</h1>
            <div class="strip">
                <p><span class="label">{ t.at_stake }</span><b>{ (d.t.figures.eur)(play.at_stake) }</b></p>
                if let Some(before) = play.finish_before {
                    <p><span class="label">{ t.finish_before }</span><b>{ figures::instant(d.t, before) }</b></p>
                }
            </div>
            { ladder::ladder(d, &play.rungs) }
            <div class="board">
                <div class="word" data-tone={if urgent { Some("warn") } else { good.then_some("good") }}>
                    <p><b>{ title }</b><br />{ body }</p>
                    if urgent {
                        <button type="button" class="link" onclick={d.on(Action::Retry)}>{ d.t.buttons.retry }</button>
                    } else if good {
                        <span class="proof-mark">{ icon("#seal") }{ d.t.proof.mark }</span>
                    }
                </div>
                { grid::grid(d, &play.cells, quiet, turned) }
            </div>
            { odds::odds(d, &play.odds, &play.cells, &play.rungs, palier) }
            { odds::how(d, play.proof) }
        </section>
    }
}

/// The number that a step opened.
pub(super) fn opened(step: &Step) -> Option<Number> {
    match step {
        Step::Picked(number, Nature::Good | Nature::Losing) | Step::PalierReached { number, .. } => Some(*number),
        _ => None,
    }
}

/// What just happened and what comes next, in two sentences; and whether it is trouble.
pub(super) fn word(t: &Texts, play: &Play) -> (AttrValue, AttrValue, bool) {
    let pending = play.cells.iter().find(|c| c.state == CellState::Pending).map(|c| c.number);
    if let Some(lost) = super::trouble(t, play.network) {
        let kept = pending.map_or(t.network.kept.into(), |n| (t.network.kept_number)(n).into());
        return (lost.into(), kept, true);
    }
    if let Some(number) = pending {
        return ((t.play.pending)(number).into(), t.play.opening.into(), false);
    }
    let Phase::Picking { palier, found, to_find } = play.phase else {
        let last = play.last.as_ref().map(t.play.step).unwrap_or_default();
        return (last.into(), "".into(), false);
    };
    let (good, left) = odds::left(&play.cells);
    let next = (t.play.still)(to_find.saturating_sub(found), palier).into();
    match (play.notice, &play.last) {
        (Some(notice), _) => ((t.play.notice)(notice).into(), next, false),
        (None, Some(step @ (Step::Picked(..) | Step::PalierReached { .. }))) => {
            ((t.play.step)(step).into(), next, false)
        }
        (None, _) => (t.play.choose.into(), (t.play.of_left)(good, left).into(), false),
    }
}

/// When the game must be finished.
pub(super) fn deadline(d: Draw<'_>, play: &Play) -> Html {
    match play.finish_before {
        Some(before) => {
            html! { <p class="fine">{ d.t.play.finish_before }{ " " }{ figures::instant(d.t, before) }</p> }
        }
        None => Html::default(),
    }
}
