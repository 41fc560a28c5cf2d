//! The server's half of a draw: which cells lose, the server shares of the multipliers, and the seal over both.

use rules::number::{LOSING, NUMBERS};
use rules::odds::multiplier_draw;
use rules::{Palier, PotentialGain};

use crate::hash::{Bytes32, Commitment, Keyed, Root, secret_bytes};
use crate::id::TicketId;
use crate::opening::{Opening, commitment, leaf_bytes, palier_leaf};
use crate::stream::Stream;
use crate::tree::{LEAVES, Tree, leaf_hash};

secret_bytes! {
    /// The key of all draws of one emission. Whoever holds it foresees them: it never lies in the database.
    DrawKey
}
secret_bytes! {
    /// What one ticket's draw is made from; secret until its game is over.
    ServerSeed
}

impl DrawKey {
    /// `server_seed = HMAC(draw_key, "qod/1 server seed" || ticket_id)`.
    #[must_use]
    pub fn server_seed(&self, ticket: TicketId) -> ServerSeed {
        ServerSeed(Keyed::new(&self.0).mac(&[b"qod/1 server seed", &ticket.0]))
    }
}

impl ServerSeed {
    /// In lower-case hex. For the reveal of a game that is over, and for nothing else.
    #[must_use]
    pub fn reveal_hex(&self) -> String {
        crate::hash::to_hex(&self.0)
    }
}

/// A sealed grid with all that opens it. Its `Debug` is not derived: it would show the losing cells.
pub struct SealedGrid {
    values: [u32; LEAVES],
    nonces: [Bytes32; LEAVES],
    tree: Tree,
}

impl SealedGrid {
    /// The grid of this seed.
    #[must_use]
    pub fn new(seed: &ServerSeed) -> Self {
        let key = Keyed::new(&seed.0);
        let mut values = [1; LEAVES];
        let deck: [u8; NUMBERS as usize] = Stream::new(&key, b"qod/1 deck").shuffle();
        for losing in &deck[..usize::from(LOSING)] {
            values[usize::from(*losing)] = 0;
        }
        let mut shares = Stream::new(&key, b"qod/1 multipliers");
        for palier in Palier::ALL {
            values[usize::from(palier_leaf(palier))] = shares.uniform(multiplier_draw(palier).out_of());
        }
        let nonce = key.then(b"qod/1 nonce");
        let nonces = core::array::from_fn(|i| nonce.mac(&[&[i as u8]]));
        let leaves = core::array::from_fn(|i| leaf_hash(&leaf_bytes(i as u8, values[i], &nonces[i])));
        Self { values, nonces, tree: Tree::new(&leaves) }
    }

    /// The root over its 34 leaves.
    #[must_use]
    pub fn root(&self) -> Root {
        Root(*self.tree.root())
    }

    /// What is published before play. A losing ticket of stage 1 is sealed in the same way, with no potential gain.
    #[must_use]
    pub fn commitment(&self, ticket: TicketId, gain: Option<PotentialGain>) -> Commitment {
        commitment(ticket, gain, &self.root())
    }

    /// Opens the leaf of a cell, 0 to 29, or of a palier, 30 to 33. None beyond.
    #[must_use]
    pub fn open(&self, index: u8) -> Option<Opening> {
        let i = usize::from(index);
        let value = *self.values.get(i)?;
        Some(Opening { index, value, nonce: self.nonces[i], path: self.tree.path(i) })
    }

    /// Whether a cell, 0 to 29, is one of the three losing ones.
    #[must_use]
    pub fn is_losing(&self, cell: u8) -> bool {
        self.values[..usize::from(NUMBERS)].get(usize::from(cell)) == Some(&0)
    }

    /// The server share of a palier's multiplier.
    #[must_use]
    pub fn share(&self, palier: Palier) -> u32 {
        self.values[usize::from(palier_leaf(palier))]
    }
}
