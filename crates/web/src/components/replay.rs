//! A past game, step by step, always marked as one.

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::{Draw, grid, ladder, odds, play};
use crate::model::{Action, Replay, RungState};

pub(super) fn replay(d: Draw<'_>, replay: &Replay) -> Html {
    let t = &d.t.replay;
    let last = replay.steps.saturating_sub(1);
    let slid = {
        let act = d.act.clone();
        Callback::from(move |event: InputEvent| {
            let slider = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok());
            if let Some(at) = slider.and_then(|s| s.value().parse().ok()) {
                act.emit(Action::ReplayTo(at));
            }
        })
    };
    let next = replay.rungs.iter().find(|r| r.state == RungState::Next).map(|r| r.palier);
    html! {
        <section key="replay" class="screen wide play">
            <h1 class="vh" tabindex="-1">{ t.title }</h1>
            <div class="strip">
                <p><span class="tag">{ t.tag }</span></p>
                <p><span class="label">{ (t.at)(replay.at, replay.steps) }</span><b>{ (d.t.figures.eur)(replay.at_stake) }</b></p>
            </div>
            { ladder::ladder(d, &replay.rungs) }
            <div class="board">
                <div class="word"><p><b>{ (d.t.play.step)(&replay.step) }</b></p></div>
                { grid::picture(d, &replay.cells, false, play::opened(&replay.step)) }
                <div class="replay-bar">
                    { d.button("", t.back, Action::ReplayTo(replay.at.saturating_sub(1)), replay.at == 0) }
                    <input
                        type="range" min="0" max={last.to_string()} value={replay.at.to_string()} aria-label={t.slider}
                        aria-valuetext={(t.at)(replay.at, replay.steps)} oninput={slid}
                    />
                    { d.button("", t.forth, Action::ReplayTo((replay.at + 1).min(last)), replay.at == last) }
                </div>
            </div>
            if let (Some(now), Some(next)) = (&replay.odds, next) { { odds::odds(d, now, &replay.cells, &replay.rungs, next) } }
            <div class="actions">
                { d.button("", if replay.playing { t.pause } else { t.play }, Action::ReplayPlay(!replay.playing), false) }
                { d.button("", t.close, Action::ReplayClose, false) }
            </div>
        </section>
    }
}
