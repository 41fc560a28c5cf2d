//! A past game, step by step, always marked as one.

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::elements::{el, element, given, list, nothing, say, text};
use super::parts::{heading, icon, labelled};
use super::verify::close;
use super::{Draw, grid, ladder, odds, play};
use crate::model::{RungState, Step};
use crate::texts::{FRENCH_VERIFIER, Texts};
use crate::verifier::model::{Action, Replay, Speed};

pub(super) fn replay(d: Draw<'_, Action>, replay: &Replay) -> Html {
    let t = &FRENCH_VERIFIER.replay;
    let last = replay.steps.saturating_sub(1);
    let next = replay.rungs.iter().find(|r| r.state == RungState::Next);
    let amount = if next.is_some() { t.at_stake } else { t.gain };
    let of = (replay.started_at.map(t.started).into_iter())
        .chain(replay.ticket_number.as_ref().map(|number| format!("{}\u{a0}{number}", t.ticket)));
    let of = of.map(|of| text("p", "fine", of)).collect();
    el(
        "section",
        "screen wide play replay",
        [
            heading("vh", t.title),
            el("p", "", [el("span", "tag", [icon("#again"), say(t.tag)])]),
            el("div", "strip", [labelled(amount, (d.t.figures.eur)(replay.amount))]),
            ladder::ladder(d.t, &replay.rungs),
            el(
                "div",
                "board",
                [
                    el(
                        "div",
                        "word",
                        [el(
                            "p",
                            "",
                            [
                                text("b", "", (d.t.play.step)(&replay.step)),
                                el("br", "", []),
                                say((t.at)(replay.at, replay.steps)),
                            ],
                        )],
                    ),
                    grid::picture(d.t, &replay.cells, false, play::opened(&replay.step)),
                    el(
                        "div",
                        "replay-bar",
                        [
                            d.button("btn", t.back, Action::To(replay.at.saturating_sub(1)), replay.at == 0),
                            d.button(
                                "btn go",
                                if replay.playing { t.pause } else { t.play },
                                Action::Play(!replay.playing),
                                false,
                            ),
                            d.button("btn", t.forth, Action::To((replay.at + 1).min(last)), replay.at == last),
                            slider(d, replay, last),
                            speeds(d, replay.speed),
                        ],
                    ),
                ],
            ),
            next.map_or_else(nothing, |next| odds::odds(d.t, &replay.cells, next)),
            el("div", "actions", [d.button("btn", t.verdict, Action::Verdict, false), close("btn")]),
            list("div", "", of),
        ],
    )
}

/// What is said of the step that came. Faster than one can listen, only what matters.
pub(super) fn announced(t: &Texts, replay: &Replay) -> AttrValue {
    let hurried = replay.playing && replay.speed != Speed::One;
    match replay.step {
        Step::Picked(_, rules::Nature::Good) if hurried => AttrValue::default(),
        _ => {
            let step = (t.play.step)(&replay.step);
            [&step, " ", &(FRENCH_VERIFIER.replay.at)(replay.at, replay.steps), "."].concat().into()
        }
    }
}

fn slider(d: Draw<'_, Action>, replay: &Replay, last: usize) -> Html {
    let t = &FRENCH_VERIFIER.replay;
    let slid = {
        let act = d.act.clone();
        Callback::from(move |event: InputEvent| {
            let slider = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlInputElement>().ok());
            if let Some(at) = slider.and_then(|s| s.value().parse().ok()) {
                act.emit(Action::To(at));
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

fn speeds(d: Draw<'_, Action>, now: Speed) -> Html {
    let t = &FRENCH_VERIFIER.replay;
    let buttons = Speed::ALL.map(|speed| {
        let pressed = if speed == now { "true" } else { "false" };
        html! {
            <button type="button" class="pick" aria-pressed={pressed} onclick={d.on(Action::Speed(speed))}>{ (t.speeds)(speed) }</button>
        }
    });
    let values = vec![given("speeds"), given("group"), given(t.speed)];
    let label = element("span", &["class", "aria-hidden"], vec![given("label"), given("true")], vec![say(t.speed)]);
    let inside = core::iter::once(label).chain(buttons).collect();
    element("div", &["class", "role", "aria-label"], values, inside)
}
