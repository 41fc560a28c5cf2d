//! The grid in play, with what just happened, the ladder and the chances.

use rules::Number;
use yew::prelude::*;

use super::elements::{el, nothing, say, toned};
use super::parts::{heading, icon, labelled, two_lines};
use super::{Draw, grid, ladder, odds};
use crate::model::{Action, CellState, Network, Phase, Play, Step};
use crate::texts::{Texts, figures};

pub(super) fn play(d: Draw<'_>, play: &Play) -> Html {
    let t = &d.t.play;
    let Phase::Picking { palier, .. } = play.phase else { return nothing() };
    let (title, body, urgent) = word(d.t, play);
    let turned = play.last.as_ref().and_then(opened);
    let quiet = play.network == Network::Quiet;
    let good = quiet && turned.is_some() && play.notice.is_none();
    let (tone, aside) = if urgent {
        ("warn", d.link(d.t.buttons.retry, Action::Retry))
    } else if good {
        ("good", el("span", "proof-mark", [icon("#seal"), say(d.t.proof.mark)]))
    } else {
        ("", nothing())
    };
    el(
        "section",
        "screen wide play",
        [
            heading("vh", (t.palier)(palier)),
            el(
                "div",
                "strip",
                [
                    labelled(t.at_stake, d.eur(play.at_stake)),
                    play.finish_before.map_or_else(nothing, |at| labelled(t.finish_before, figures::instant(d.t, at))),
                ],
            ),
            ladder::ladder(d.t, &play.rungs),
            el(
                "div",
                "board",
                [
                    toned("div", "word", tone, [two_lines(title, body), aside]),
                    grid::grid(d, &play.cells, quiet, turned),
                ],
            ),
            play.rungs.get(palier.index()).map_or_else(nothing, |next| odds::odds(d.t, &play.cells, next)),
            odds::how(d, play.proof, play.signing),
            d.link(d.t.buttons.leave, Action::Leave),
        ],
    )
}

/// The number that a step opened.
pub(super) fn opened(step: &Step) -> Option<Number> {
    match step {
        Step::Picked(number, _) | Step::PalierReached { number, .. } => Some(*number),
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
        return (last.into(), AttrValue::default(), false);
    };
    let next = || AttrValue::from((t.play.still)(to_find.saturating_sub(found), palier));
    match (play.notice, &play.last) {
        (Some(notice), _) => ((t.play.notice)(notice).into(), next(), false),
        (None, Some(step)) if opened(step).is_some() => ((t.play.step)(step).into(), next(), false),
        (None, _) => {
            let (good, left) = odds::left(&play.cells);
            (t.play.choose.into(), (t.play.of_left)(good, left).into(), false)
        }
    }
}
