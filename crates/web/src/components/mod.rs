//! What stands on the tablet: each moment drawn from its data, with the markup of `docs/design-system.md`.
//!
//! Nothing here decides or remembers anything of the game: the pieces are plain functions from data to [`Html`], and [`use_stage`] puts them on the page.

use rules::Amount;
use yew::prelude::*;

use crate::model::{Action, Dialog, Network, Phase, Screen};
use crate::texts::{FRENCH, Text, Texts};

mod choice;
mod elements;
mod end;
mod entry;
mod grid;
mod ladder;
mod modal;
mod notices;
mod odds;
mod page;
mod parts;
mod play;
mod replay;
mod verify;

pub use verify::use_verifier;

/// The element that the game is drawn into; hidden while another place of the page is shown.
const ROOT: &str = "#app";

/// What a moment is drawn with: its texts, and where the player's actions go.
struct Draw<'a, A: 'static = Action> {
    t: &'static Texts,
    act: &'a Callback<A>,
}

impl<A> Clone for Draw<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Draw<'_, A> {}

impl<A: Clone> Draw<'_, A> {
    /// A callback that emits this action.
    fn on<E: 'static>(&self, action: A) -> Callback<E> {
        let act = self.act.clone();
        Callback::from(move |_| act.emit(action.clone()))
    }

    /// A button. A button at rest keeps its place and its focus, and says that it is disabled.
    fn button(&self, class: Text, label: Text, action: A, at_rest: bool) -> Html {
        html! {
            <button type="button" class={class} aria-disabled={at_rest.then_some("true")} onclick={self.on(action)}>{ label }</button>
        }
    }

    /// A quiet button.
    fn link(&self, label: Text, action: A) -> Html {
        self.button("link", label, action, false)
    }

    /// An amount.
    fn eur(&self, amount: Amount) -> String {
        (self.t.figures.eur)(amount)
    }
}

/// The tablet's screen, whatever stands on it; its live regions, and its dialog. A hook of the root component rather than a component of its
/// own, since each component costs the download some. `act` is where the player's actions go.
#[hook]
pub fn use_stage(screen: &Screen, act: &Callback<Action>) -> Html {
    let d = Draw { t: &FRENCH, act };
    let title = title(d.t, screen);
    let moment = moment(screen);
    let question = dialog(screen);

    // What the page itself must follow: one effect for all three, in this order.
    let node = use_node_ref();
    let shown_before = use_mut_ref(|| None);
    use_effect_with((moment, title.clone(), question.is_some()), {
        let node = node.clone();
        move |(moment, title, asked)| {
            modal::follow(&node, *asked);
            page::set_title(ROOT, title, FRENCH.title_suffix);
            // At first nothing moves: the static page had the same field at the same place.
            let before = shown_before.replace(Some(*moment));
            if before.is_some_and(|before| before != *moment) {
                page::focus_heading(ROOT);
            }
        }
    });

    let (polite, urgent) = announced(d.t, screen);
    let shown = match screen {
        Screen::Starting(network) => notices::starting(d, *network),
        Screen::Entry(entry) => entry::entry(d, entry),
        Screen::Stake(stake) => choice::stake(d, stake),
        Screen::Play(play) => match play.phase {
            Phase::Picking { .. } => play::play(d, play),
            Phase::OnPalier { stop, multiplier, gain } => choice::on_palier(d, play, stop, multiplier, gain),
        },
        Screen::End(end) => end::end(d, end, title),
        Screen::OtherSeed(other) => notices::other_seed(d, other),
        Screen::ProofFailed(failed) => notices::proof_failed(d, failed),
    };
    html! {
        <>
            <div class="vh" role="status">{ polite }</div>
            <div class="vh" role="alert">{ urgent }</div>
            // Each moment is made anew, so that nothing of the one before shows through.
            <key={moment}>{ shown }</>
            { modal::modal(d, node, question) }
        </>
    }
}

/// The heading of the moment: it also names the window.
fn title(t: &Texts, screen: &Screen) -> AttrValue {
    match screen {
        Screen::Starting(_) => t.entry.starting.title.into(),
        Screen::Entry(_) => t.entry.title.into(),
        Screen::Stake(_) => t.choice.stake.into(),
        Screen::Play(play) => match play.phase {
            Phase::Picking { palier, .. } => (t.play.palier)(palier).into(),
            Phase::OnPalier { stop, .. } => (t.choice.reached)(stop.palier()).into(),
        },
        Screen::End(end) => end::title(t, end),
        Screen::OtherSeed(_) => t.proof.other_seed.title.into(),
        Screen::ProofFailed(_) => t.proof.failed.into(),
    }
}

/// Another number means another moment: the focus goes to its heading.
fn moment(screen: &Screen) -> u8 {
    match screen {
        Screen::Starting(_) => 0,
        Screen::Entry(_) => 1,
        Screen::Stake(_) => 2,
        Screen::End(_) => 3,
        Screen::OtherSeed(_) => 5,
        Screen::ProofFailed(_) => 6,
        Screen::Play(play) => match play.phase {
            Phase::Picking { palier, .. } => 10 + palier.rank(),
            Phase::OnPalier { stop, .. } => 20 + stop.palier().rank(),
        },
    }
}

fn dialog(screen: &Screen) -> Option<Dialog> {
    match screen {
        Screen::Stake(stake) => stake.dialog,
        Screen::Play(play) => play.dialog,
        _ => None,
    }
}

/// What the two live regions say: results politely, trouble at once.
fn announced(t: &Texts, screen: &Screen) -> (AttrValue, AttrValue) {
    let none = AttrValue::from("");
    match screen {
        Screen::Entry(entry) => {
            let (body, _) = entry::told(t, entry);
            match (entry.busy, &entry.problem) {
                (true, _) => (t.entry.opening.into(), none),
                (false, Some(_)) => (none, body),
                (false, None) => (body, none),
            }
        }
        Screen::Stake(stake) => match trouble(t, stake.network) {
            Some(lost) => (none, format!("{lost} {}", t.network.kept).into()),
            None if stake.network == Network::Waiting => (t.choice.sending.into(), none),
            None => (none.clone(), none),
        },
        Screen::Play(play) => {
            let (title, body, urgent) = play::word(t, play);
            let all = if body.is_empty() { title } else { format!("{title} {body}").into() };
            if urgent { (none, all) } else { (all, none) }
        }
        Screen::Starting(network) => (none, trouble(t, *network).unwrap_or_default().into()),
        Screen::End(_) | Screen::OtherSeed(_) | Screen::ProofFailed(_) => (none.clone(), none),
    }
}

/// The sentence for a request that gets no answer.
fn trouble(t: &Texts, network: Network) -> Option<Text> {
    match network {
        Network::Quiet | Network::Waiting => None,
        Network::Retrying(_) => Some(t.network.lost),
        Network::Offline => Some(t.network.offline),
    }
}
