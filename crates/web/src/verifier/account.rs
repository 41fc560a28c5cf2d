//! What is told of a game that was checked, and of the first thing in one that does not hold.

use rules::{Amount, Nature};
use seal::Transcript;
use seal::transcript::{Action, Checked, Wrong};

use super::model::{Account, Deed, Flaw};

/// Of a game that holds.
pub(super) fn account(transcript: &Transcript, checked: &Checked) -> Account {
    let game = &checked.game;
    let paliers = transcript.actions.iter().filter_map(|action| match action {
        // Checked: the gain is that of the règlement, and so fits.
        Action::Palier(claim) => Some((claim.palier, claim.multiplier, eur(claim.gain_eur))),
        _ => None,
    });
    Account {
        ticket: transcript.sealed.ticket,
        potential_gain: transcript.sealed.potential_gain,
        commitment: transcript.sealed.commitment,
        client_seed: transcript.client_seed,
        server_seed: transcript.server_seed,
        outcome: transcript.outcome,
        gain: transcript.gain_eur.map(eur),
        picks: game.picks().map(|(number, nature)| (number, nature == Nature::Good)).collect(),
        paliers: paliers.collect(),
        losing: checked.losing,
    }
}

fn eur(eur: u64) -> Amount {
    u32::try_from(eur).map_or(Amount::ZERO, Amount::from_eur)
}

/// Of one that does not.
pub(super) fn flaw(transcript: &Transcript, wrong: Wrong) -> Flaw {
    let Wrong::Action(at, _) = wrong else {
        return Flaw { wrong, deed: None, proven: picks(&transcript.actions) };
    };
    let before = transcript.actions.get(..at).unwrap_or_default();
    let picked = before.iter().rev().find_map(|action| match action {
        Action::Pick(number, _) => Some(*number),
        _ => None,
    });
    let (deed, proven) = match transcript.actions.get(at) {
        Some(Action::Pick(number, _)) => (Some(Deed::Pick(*number, picks(before) + 1)), picks(before)),
        // The number that completes a palier is proven with it.
        Some(Action::Palier(claim)) => {
            (Some(Deed::Palier(claim.palier, picked, picks(before))), picks(before).saturating_sub(1))
        }
        Some(Action::Continue) => (Some(Deed::Continue), picks(before)),
        Some(Action::Quit) => (Some(Deed::Quit), picks(before)),
        None => (None, 0),
    };
    Flaw { wrong, deed, proven }
}

fn picks(actions: &[Action]) -> usize {
    actions.iter().filter(|action| matches!(action, Action::Pick(..))).count()
}
