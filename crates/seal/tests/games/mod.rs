//! Games that the tests of transcripts alter.
#![allow(missing_docs, unreachable_pub, reason = "shared by tests")]

use rules::{Nature, Number, Outcomes as _, Palier, PotentialGain};
use seal::check::PalierClaim;
use seal::opening::Sealed;
use seal::transcript::{Action, Outcome, Transcript};
use seal::{Blend, ClientSeed, DrawKey, PlayersHalf, SealedGrid, TicketId};

/// A game with so many good numbers found, going on at each palier on the way; then, if asked, a losing one.
pub fn played(found: usize, then_losing: bool) -> Transcript {
    let (ticket, potential_gain) = (TicketId([5; 16]), PotentialGain::Eur20);
    let seed = DrawKey([6; 32]).server_seed(ticket);
    let client_seed = ClientSeed([7; 32]);
    let grid = SealedGrid::new(&seed);
    let commitment = grid.commitment(ticket, Some(potential_gain));
    let player = PlayersHalf::new(&client_seed, &commitment);
    let blend = Blend { sealed: &grid, player: &player, potential_gain };
    let (good, losing): (Vec<_>, Vec<_>) = Number::all().partition(|n| blend.nature(*n) == Nature::Good);
    let picks = good.into_iter().take(found).chain(losing.into_iter().take(usize::from(then_losing)));
    let (mut actions, mut good, mut gain) = (vec![Action::Continue], 0, potential_gain.amount());
    for number in picks {
        if matches!(actions.last(), Some(Action::Palier(_))) {
            actions.push(Action::Continue);
        }
        actions.push(Action::Pick(number, grid.open(player.cell(number)).unwrap()));
        good += u8::from(blend.nature(number) == Nature::Good);
        let reached = Palier::ALL.into_iter().find(|p| p.found_in_all() == good);
        if let Some(palier) = reached.filter(|_| blend.nature(number) == Nature::Good) {
            let multiplier = blend.multiplier(palier);
            gain = gain.times(multiplier);
            let opening = grid.open(29 + palier.rank()).unwrap();
            actions.push(Action::Palier(PalierClaim { palier, multiplier, gain_eur: gain.eur(), opening }));
        }
    }
    let (outcome, gain_eur) = match (then_losing, found) {
        (true, _) => (Outcome::Lost, Some(0)),
        (false, 18) => (Outcome::Won, Some(gain.eur())),
        (false, _) => (Outcome::InProgress, None),
    };
    let server_seed = (outcome != Outcome::InProgress).then_some(seed);
    Transcript {
        sealed: Sealed { ticket, potential_gain, commitment },
        client_seed,
        server_seed,
        actions,
        outcome,
        gain_eur,
    }
}

pub fn ended(found: usize, outcome: Outcome, gain_eur: u64) -> Transcript {
    let server_seed = played(18, false).server_seed;
    Transcript { outcome, gain_eur: Some(gain_eur), server_seed, ..played(found, false) }
}
