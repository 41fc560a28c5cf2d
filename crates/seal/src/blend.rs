//! Both halves together: what the numbers and the multipliers of one game are.

use rules::odds::multiplier_draw;
use rules::{Multiplier, Nature, Number, Outcomes, Palier, PotentialGain};

use crate::draw::SealedGrid;
use crate::player::PlayersHalf;

/// The multiplier that the two shares draw: 3 where `(s + c) mod D` is below the threshold, else 2; always 2 at 50,000 €.
#[must_use]
pub fn multiplier(palier: Palier, gain: PotentialGain, server_share: u32, client_share: u32) -> Multiplier {
    let draw = multiplier_draw(palier);
    let sum = (u64::from(server_share) + u64::from(client_share)) % u64::from(draw.out_of());
    draw.multiplier(sum as u32, gain)
}

/// A game whose two halves are both known: only its server, or anyone after the reveal.
pub struct Blend<'a> {
    /// The server's half.
    pub sealed: &'a SealedGrid,
    /// The player's half.
    pub player: &'a PlayersHalf,
    /// What is at stake.
    pub potential_gain: PotentialGain,
}

impl Outcomes for Blend<'_> {
    fn nature(&self, number: Number) -> Nature {
        if self.sealed.is_losing(self.player.cell(number)) { Nature::Losing } else { Nature::Good }
    }

    fn multiplier(&self, palier: Palier) -> Multiplier {
        multiplier(palier, self.potential_gain, self.sealed.share(palier), self.player.share(palier))
    }
}
