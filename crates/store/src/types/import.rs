//! The import of a block, chunk by chunk.

use crate::{Digest, StoreError, Ticket};

/// Which block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId {
    /// The emission's number.
    pub emission: u16,
    /// The block within the emission.
    pub block: u16,
}

/// A block to be imported, as its manifest tells it. It never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Which block.
    pub id: BlockId,
    /// The digest of its manifest: chunks of another manifest are refused.
    pub manifest: Digest,
    /// How many tickets it has.
    pub tickets: u32,
    /// How many of them have a potential gain.
    pub winning: u32,
    /// The sum of their potential gains, in whole euros.
    pub total_eur: u64,
}

/// How far the import of a block has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockProgress {
    /// The block.
    pub block: Block,
    /// How many tickets are in: the offset of the next chunk.
    pub imported: u32,
    /// How many of those have a potential gain.
    pub winning: u32,
    /// The sum of those, in whole euros.
    pub total_eur: u64,
    /// Whether it was found complete.
    pub complete: bool,
}

impl BlockProgress {
    /// A block of which nothing is in yet.
    pub(crate) const fn new(block: Block) -> Self {
        Self { block, imported: 0, winning: 0, total_eur: 0, complete: false }
    }
}

/// What became of a step of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockStep {
    /// The step was made (or had been made before, where that is the same); the import stands here.
    Done(BlockProgress),
    /// Nothing was written: the import stands here, with another manifest, at another offset or with other sums.
    Refused(BlockProgress),
}

/// The rows, the winning rows and their sum of a chunk; [`StoreError::Misuse`] where one is of another block.
pub(crate) fn sums(block: BlockId, tickets: &[Ticket]) -> Result<(u32, u32, u64), StoreError> {
    let of_block = |ticket: &Ticket| (ticket.number.emission, ticket.number.block) == (block.emission, block.block);
    if !tickets.iter().all(of_block) {
        return Err(StoreError::Misuse("a chunk holds a ticket of another block"));
    }
    let too_long = |_| StoreError::Misuse("a chunk has more tickets than can be counted");
    let winning = tickets.iter().filter(|ticket| ticket.potential_gain_eur > 0).count();
    let total = tickets.iter().map(|ticket| u64::from(ticket.potential_gain_eur)).sum();
    let rows = u32::try_from(tickets.len()).map_err(too_long)?;
    Ok((rows, u32::try_from(winning).map_err(too_long)?, total))
}
