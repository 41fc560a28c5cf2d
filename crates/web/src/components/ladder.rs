//! The four paliers: what each gives, and how far the next one is.

use yew::prelude::*;

use super::elements::{el, element, given, list, nothing, say, text};
use super::parts::icon;
use crate::model::{Rung, RungState};
use crate::texts::{Texts, times};

pub(super) fn ladder(t: &Texts, rungs: &[Rung; 4]) -> Html {
    let rungs = rungs.iter().map(|rung| one(t, rung)).collect();
    element("ol", &["class", "aria-label"], vec![given("ladder"), given(t.play.ladder)], rungs)
}

fn one(texts: &Texts, rung: &Rung) -> Html {
    let t = &texts.play;
    let gain = text("b", "", (texts.figures.eur)(rung.gain));
    let (step, current, sign, gain) = match rung.state {
        RungState::Reached(by) => ("done", "", icon("#check"), el("div", "", [gain, text("span", "", times(by))])),
        RungState::Next if rung.most == rung.gain => ("now", "step", nothing(), el("div", "", [gain])),
        RungState::Next => ("now", "step", nothing(), el("div", "", [gain, text("span", "", (t.or_gain)(rung.most))])),
        RungState::Ahead if rung.most == rung.gain => ("next", "", nothing(), el("div", "", [gain])),
        RungState::Ahead => ("next", "", nothing(), el("div", "", [text("span", "", t.from), say(" "), gain])),
        RungState::Missed => ("missed", "", nothing(), text("div", "", t.missed)),
    };
    let pips = (0..rung.to_find).map(|i| el("i", if i < rung.found { "on" } else { "" }, [])).collect();
    element(
        "li",
        &["class", "data-step", "aria-current"],
        vec![given("rung"), given(step), given(current)],
        vec![
            el("span", "", [say((t.palier)(rung.palier)), say(" "), sign]),
            gain,
            list("span", "pips", pips),
            text("span", "vh", (t.found)(rung.found, rung.to_find)),
        ],
    )
}
