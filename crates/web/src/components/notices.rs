//! The moments that say one thing: a game that is being taken up again, another seed, a proof that failed.

use yew::prelude::*;

use super::Draw;
use super::parts::{art, callout, trouble};
use crate::model::{Action, Network, OtherSeed, ProofFailed};

pub(super) fn starting(d: Draw<'_>, network: Network) -> Html {
    let said = &d.t.entry.starting;
    html! {
        <section key="starting" class="screen notice">
            { art("#device", None) }
            <h1 tabindex="-1">{ said.title }</h1>
            <p class="lead">{ said.body }</p>
            { trouble(d, network) }
        </section>
    }
}

pub(super) fn other_seed(d: Draw<'_>, other: &OtherSeed) -> Html {
    let t = &d.t.proof;
    html! {
        <section key="other" class="screen notice">
            { art("#device", Some("warn")) }
            <h1 tabindex="-1">{ t.other_seed.title }</h1>
            <p class="lead">{ t.other_seed.body }</p>
            if other.here_too { { callout("#broken", Some("warn"), None, t.other_seed_here.into()) } }
            { callout("#seal", None, None, t.other_seed_means.into()) }
            <div class="actions">
                { d.button("go", t.begun_elsewhere, Action::BegunElsewhere, false) }
                { d.button("", t.not_me, Action::Leave, false) }
                { save(d, "", other.saved) }
            </div>
        </section>
    }
}

pub(super) fn proof_failed(d: Draw<'_>, failed: &ProofFailed) -> Html {
    let t = &d.t.proof;
    html! {
        <section key="failed" class="screen notice">
            { art("#broken", Some("bad")) }
            <h1 tabindex="-1">{ t.failed }</h1>
            <p class="lead">{ (t.failed_body)(failed.failure) }</p>
            { callout("#ticket", Some("bad"), None, t.failed_do.into()) }
            <dl class="facts">{ super::parts::fact(d.t.end.ticket, failed.ticket.number.to_string()) }</dl>
            <div class="actions">
                { save(d, "keep", failed.saved) }
                { d.button("", d.t.buttons.leave, Action::Leave, false) }
            </div>
        </section>
    }
}

/// Saves the evidence, as often as one likes.
fn save(d: Draw<'_>, class: &'static str, saved: bool) -> Html {
    d.button(class, if saved { d.t.buttons.saved } else { d.t.buttons.save_evidence }, Action::Save, false)
}
