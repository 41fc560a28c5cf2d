//! The player's half of a draw: which cell each number lies over, and the client shares of the multipliers.

use rules::number::NUMBERS;
use rules::odds::multiplier_draw;
use rules::{Number, Palier};

use crate::hash::{Commitment, Keyed, secret_bytes};
use crate::stream::Stream;

secret_bytes! {
    /// 32 fresh bytes of the player's browser, for one ticket, drawn after the commitment is known and kept.
    ClientSeed
}

impl ClientSeed {
    /// In lower-case hex: what CONTINUER carries and a transcript shows.
    #[must_use]
    pub fn to_hex(&self) -> String {
        crate::hash::to_hex(&self.0)
    }
}

/// What a client seed decides for one commitment.
#[derive(Clone)]
pub struct PlayersHalf {
    cell_of_number: [u8; NUMBERS as usize],
    shares: [u32; 4],
}

impl PlayersHalf {
    /// The half that this seed makes for this commitment.
    #[must_use]
    pub fn new(seed: &ClientSeed, commitment: &Commitment) -> Self {
        let key = Keyed::new(&seed.0);
        let label = |name: &[u8]| [name, &commitment.0].concat();
        let mut shares = Stream::new(&key, &label(b"qod/1 multipliers"));
        Self {
            cell_of_number: Stream::new(&key, &label(b"qod/1 cells")).shuffle(),
            shares: Palier::ALL.map(|palier| shares.uniform(multiplier_draw(palier).out_of())),
        }
    }

    /// The cell under a number, 0 to 29.
    #[must_use]
    pub const fn cell(&self, number: Number) -> u8 {
        self.cell_of_number[number.index()]
    }

    /// The client share of a palier's multiplier.
    #[must_use]
    pub const fn share(&self, palier: Palier) -> u32 {
        self.shares[palier.index()]
    }
}
