//! A past game, step by step, always marked as one.

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::elements::{el, nothing, text};
use super::parts::{heading, labelled};
use super::{Draw, grid, ladder, odds, play};
use crate::model::{Action, Replay, RungState};

pub(super) fn replay(d: Draw<'_>, replay: &Replay) -> Html {
    let t = &d.t.replay;
    let last = replay.steps.saturating_sub(1);
    let next = replay.rungs.iter().find(|r| r.state == RungState::Next).map(|r| r.palier);
    el(
        "section",
        "screen wide play",
        [
            heading("vh", t.title),
            el(
                "div",
                "strip",
                [
                    el("p", "", [text("span", "tag", t.tag)]),
                    labelled((t.at)(replay.at, replay.steps), d.eur(replay.at_stake)),
                ],
            ),
            ladder::ladder(d, &replay.rungs),
            el(
                "div",
                "board",
                [
                    el("div", "word", [el("p", "", [text("b", "", (d.t.play.step)(&replay.step))])]),
                    grid::picture(d, &replay.cells, false, play::opened(&replay.step)),
                    el(
                        "div",
                        "replay-bar",
                        [
                            d.button("btn", t.back, Action::ReplayTo(replay.at.saturating_sub(1)), replay.at == 0),
                            slider(d, replay, last),
                            d.button("btn", t.forth, Action::ReplayTo((replay.at + 1).min(last)), replay.at == last),
                        ],
                    ),
                ],
            ),
            el(
                "div",
                "actions",
                [
                    d.button(
                        "btn",
                        if replay.playing { t.pause } else { t.play },
                        Action::ReplayPlay(!replay.playing),
                        false,
                    ),
                    d.button("btn", t.close, Action::ReplayClose, false),
                ],
            ),
            match (&replay.odds, next) {
                (Some(now), Some(next)) => odds::odds(d, now, &replay.cells, &replay.rungs, next),
                _ => nothing(),
            },
        ],
    )
}

fn slider(d: Draw<'_>, replay: &Replay, last: usize) -> Html {
    let t = &d.t.replay;
    let slid = {
        let act = d.act.clone();
        Callback::from(move |event: InputEvent| {
            let slider = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok());
            if let Some(at) = slider.and_then(|s| s.value().parse().ok()) {
                act.emit(Action::ReplayTo(at));
            }
        })
    };
    html! {
        <input
            type="range" min="0" max={last.to_string()} value={replay.at.to_string()} aria-label={t.slider}
            aria-valuetext={(t.at)(replay.at, replay.steps)} oninput={slid}
        />
    }
}
