//! An opening: one sealed leaf, shown with what ties it to the commitment.

use rules::number::NUMBERS;
use rules::odds::multiplier_draw;
use rules::{Nature, Palier, PotentialGain};

use crate::hash::{Bytes32, Commitment, Root, sha256};
use crate::id::TicketId;
use crate::tree::{LEAVES, leaf_hash, root_from_path};

/// The leaf of a palier's server share: 30 to 33.
#[must_use]
pub const fn palier_leaf(palier: Palier) -> u8 {
    NUMBERS + palier.index() as u8
}

/// The bytes of a leaf: `u8(i) || u32(value) || nonce`.
#[must_use]
pub fn leaf_bytes(index: u8, value: u32, nonce: &Bytes32) -> [u8; 37] {
    let mut leaf = [0; 37];
    leaf[0] = index;
    leaf[1..5].copy_from_slice(&value.to_be_bytes());
    leaf[5..].copy_from_slice(nonce);
    leaf
}

/// `H("qod/1 commitment" || ticket_id || u32(potential gain in euros) || root)`; no potential gain counts as 0 euros.
#[must_use]
pub fn commitment(ticket: TicketId, gain: Option<PotentialGain>, root: &Root) -> Commitment {
    let eur = gain.map_or(0, PotentialGain::eur).to_be_bytes();
    Commitment(sha256(&[b"qod/1 commitment", &ticket.0, &eur, &root.0]))
}

/// What a commitment was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// The ticket.
    pub ticket: TicketId,
    /// What it can put at stake.
    pub potential_gain: PotentialGain,
    /// What the server published.
    pub commitment: Commitment,
}

/// One leaf, opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// 0 to 29 for a cell, 29 + k for palier k.
    pub index: u8,
    /// 1 for a good cell, 0 for a losing one; the server share of a palier.
    pub value: u32,
    /// What hid the value.
    pub nonce: Bytes32,
    /// Sibling hashes, from the leaf up.
    pub path: Vec<Bytes32>,
}

/// Why an opening proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadOpening {
    /// It opens another leaf than the one asked for.
    Index,
    /// Its value can stand on no such leaf.
    Value,
    /// It does not lead to the commitment for this ticket and this potential gain.
    Commitment,
}

impl Opening {
    /// The nature of this cell, once the opening is checked against the commitment.
    ///
    /// # Errors
    /// It does not prove this cell.
    pub fn cell(&self, sealed: &Sealed, cell: u8) -> Result<Nature, BadOpening> {
        let nature = match self.value {
            0 => Nature::Losing,
            1 => Nature::Good,
            _ => return Err(BadOpening::Value),
        };
        self.leads_to(sealed, cell).map(|()| nature)
    }

    /// The server share of this palier, once the opening is checked against the commitment.
    ///
    /// # Errors
    /// It does not prove this palier's share.
    pub fn share(&self, sealed: &Sealed, palier: Palier) -> Result<u32, BadOpening> {
        if self.value >= multiplier_draw(palier).out_of() {
            return Err(BadOpening::Value);
        }
        self.leads_to(sealed, palier_leaf(palier)).map(|()| self.value)
    }

    fn leads_to(&self, sealed: &Sealed, leaf: u8) -> Result<(), BadOpening> {
        if self.index != leaf || usize::from(leaf) >= LEAVES {
            return Err(BadOpening::Index);
        }
        let hash = leaf_hash(&leaf_bytes(self.index, self.value, &self.nonce));
        let root = root_from_path(leaf.into(), hash, &self.path).ok_or(BadOpening::Commitment)?;
        let made = commitment(sealed.ticket, Some(sealed.potential_gain), &Root(root));
        if made == sealed.commitment { Ok(()) } else { Err(BadOpening::Commitment) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commitment_binds_ticket_gain_and_root_and_a_losing_ticket_is_sealed_with_0_euros() {
        let (ticket, root) = (TicketId([5; 16]), Root([7; 32]));
        let written = |eur: [u8; 4]| {
            let bytes = [&b"qod/1 commitment"[..], &[5; 16], &eur, &[7; 32]].concat();
            Commitment(sha256(&[&bytes]))
        };
        assert_eq!(commitment(ticket, None, &root), written([0, 0, 0, 0]));
        assert_eq!(commitment(ticket, Some(PotentialGain::Eur50000), &root), written([0, 0, 0xc3, 0x50]));
    }
}
