//! Where the losing numbers of a game lie: what only a test (or, after the end, anyone) can know.

use rules::{Nature, Number, Outcomes as _, Palier, PotentialGain};
use seal::{Blend, ClientSeed, DrawKey, PlayersHalf, SealedGrid};

use crate::player::Deed;
use crate::tickets::Ticket;

/// The whole draw of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The 27 good numbers, in order.
    pub good: Vec<Number>,
    /// The 3 losing ones, in order.
    pub losing: Vec<Number>,
    /// The gain at each palier, in whole euros.
    pub gains_eur: [u64; 4],
}

impl Layout {
    /// The draw of this ticket with this player's seed.
    ///
    /// # Panics
    /// The ticket lost at stage 1.
    #[must_use]
    #[track_caller]
    pub fn new(key: &DrawKey, ticket: &Ticket, client_seed: &ClientSeed) -> Self {
        let potential_gain = PotentialGain::from_eur(ticket.gain_eur.into()).expect("a winning ticket");
        let sealed = SealedGrid::new(&key.server_seed(ticket.id));
        let player = PlayersHalf::new(client_seed, &sealed.commitment(ticket.id, Some(potential_gain)));
        let blend = Blend { sealed: &sealed, player: &player, potential_gain };
        let (good, losing) = Number::all().partition(|number| blend.nature(*number) == Nature::Good);
        let mut gain = potential_gain.amount();
        let gains_eur = Palier::ALL.map(|palier| {
            gain = gain.times(blend.multiplier(palier));
            gain.eur()
        });
        Self { good, losing, gains_eur }
    }

    /// A game won at that palier: by QUITTER, or at palier 4 by itself.
    #[must_use]
    pub fn win_at(&self, palier: Palier) -> Vec<Deed> {
        let mut good = self.good.iter().copied();
        let mut deeds = Vec::new();
        for climbed in Palier::ALL.into_iter().take_while(|p| *p <= palier) {
            deeds.push(Deed::GoOn);
            deeds.extend(good.by_ref().take(climbed.to_find().into()).map(Deed::Pick));
        }
        deeds.extend(palier.as_stop().map(|_| Deed::Quit));
        deeds
    }

    /// A game lost after so many good numbers.
    ///
    /// # Panics
    /// So many win the game.
    #[must_use]
    #[track_caller]
    pub fn lose_after(&self, good: usize) -> Vec<Deed> {
        let mut deeds = Vec::new();
        let mut found = 0;
        for palier in Palier::ALL {
            deeds.push(Deed::GoOn);
            for _ in 0..palier.to_find() {
                if found == good {
                    deeds.push(Deed::Pick(self.losing[0]));
                    return deeds;
                }
                deeds.push(Deed::Pick(self.good[found]));
                found += 1;
            }
        }
        panic!("{good} good numbers win the game");
    }
}
