//! The four paliers: what each gives, and how far the next one is.

use yew::prelude::*;

use super::Draw;
use super::parts::icon;
use crate::model::{Rung, RungState};
use crate::texts::times;

pub(super) fn ladder(d: Draw<'_>, rungs: &[Rung; 4]) -> Html {
    html! {
        <ol class="ladder" aria-label={d.t.play.ladder}>{ for rungs.iter().map(|rung| one(d, rung)) }</ol>
    }
}

fn one(d: Draw<'_>, rung: &Rung) -> Html {
    let t = &d.t.play;
    let eur = d.t.figures.eur;
    let (step, reached) = match rung.state {
        RungState::Reached(_) => ("done", true),
        RungState::Next => ("now", false),
        RungState::Ahead => ("next", false),
        RungState::Missed => ("missed", false),
    };
    let gain = match rung.state {
        RungState::Reached(multiplier) => html! { <><b>{ eur(rung.gain) }</b><span>{ times(multiplier) }</span></> },
        RungState::Next if rung.most != rung.gain => {
            html! { <><b>{ eur(rung.gain) }</b><span>{ (t.or_gain)(rung.most) }</span></> }
        }
        RungState::Next => html! { <b>{ eur(rung.gain) }</b> },
        RungState::Ahead => html! { <><span>{ t.from }{ " " }</span><b>{ eur(rung.gain) }</b></> },
        RungState::Missed => html! { <span>{ t.missed }</span> },
    };
    html! {
        <li class="rung" data-step={step} aria-current={(rung.state == RungState::Next).then_some("step")}>
            <span>{ (t.palier)(rung.palier) }if reached { { " " }{ icon("#check") } }</span>
            <div>{ gain }</div>
            <span class="pips" aria-hidden="true">
                { for (0..rung.to_find).map(|i| html! { <i class={(i < rung.found).then_some("on")}></i> }) }
            </span>
            <span class="vh">{ (t.found)(rung.found, rung.to_find) }</span>
        </li>
    }
}
