//! The import of a block, chunk by chunk.

use rusqlite::{Connection, OptionalExtension, Row};

use super::super::failure::names_what_is_not_there;
use super::{import, vanished};
use crate::StoreError;
use crate::types::*;

const PROGRESS: &str = "SELECT emission, block, manifest, tickets, winning, total_eur, imported, imported_winning,
        imported_eur, complete
    FROM blocks ";

pub(in crate::sqlite) fn begin(connection: &Connection, block: &Block) -> Result<BlockStep, StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO blocks (emission, block, manifest, tickets, winning, total_eur) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING",
    )?;
    let BlockId { emission, block: number } = block.id;
    match insert.execute((emission, number, block.manifest, block.tickets, block.winning, euros(block.total_eur)?)) {
        Ok(_) => {}
        Err(error) if names_what_is_not_there(&error) => return Err(StoreError::UnknownEmission(emission)),
        Err(error) => return Err(error.into()),
    }
    let stands = progress(connection, block.id)?.ok_or_else(vanished)?;
    Ok(if stands.block == *block { BlockStep::Done(stands) } else { BlockStep::Refused(stands) })
}

pub(in crate::sqlite) fn import_chunk(
    connection: &Connection,
    block: BlockId,
    manifest: Digest,
    offset: u32,
    tickets: &[Ticket],
) -> Result<BlockStep, StoreError> {
    let (rows, winning, total_eur) = sums(block, tickets)?;
    let mut update = connection.prepare_cached(
        "UPDATE blocks SET imported = imported + ?1, imported_winning = imported_winning + ?2,
             imported_eur = imported_eur + ?3
         WHERE emission = ?4 AND block = ?5 AND manifest = ?6 AND imported = ?7 AND imported + ?1 <= tickets
             AND NOT complete",
    )?;
    let moved = update.execute((rows, winning, euros(total_eur)?, block.emission, block.block, manifest, offset))? == 1;
    if moved {
        import(connection, tickets)?;
    }
    step(connection, block, moved)
}

pub(in crate::sqlite) fn finish(
    connection: &Connection,
    block: BlockId,
    manifest: Digest,
) -> Result<BlockStep, StoreError> {
    let mut update = connection.prepare_cached(
        "UPDATE blocks SET complete = 1
         WHERE emission = ? AND block = ? AND manifest = ? AND imported = tickets AND imported_winning = winning
             AND imported_eur = total_eur",
    )?;
    let done = update.execute((block.emission, block.block, manifest))? == 1;
    step(connection, block, done)
}

pub(in crate::sqlite) fn all(connection: &Connection) -> Result<Vec<BlockProgress>, StoreError> {
    let mut query = connection.prepare_cached(&format!("{PROGRESS} ORDER BY emission, block"))?;
    Ok(query.query_map([], progress_of)?.collect::<Result<_, _>>()?)
}

fn step(connection: &Connection, block: BlockId, done: bool) -> Result<BlockStep, StoreError> {
    let BlockId { emission, block: number } = block;
    let stands = progress(connection, block)?.ok_or(StoreError::UnknownBlock { emission, block: number })?;
    Ok(if done { BlockStep::Done(stands) } else { BlockStep::Refused(stands) })
}

fn progress(connection: &Connection, block: BlockId) -> Result<Option<BlockProgress>, StoreError> {
    let mut query = connection.prepare_cached(&format!("{PROGRESS} WHERE emission = ? AND block = ?"))?;
    Ok(query.query_row((block.emission, block.block), progress_of).optional()?)
}

fn progress_of(row: &Row<'_>) -> rusqlite::Result<BlockProgress> {
    let euros = |column: &str| row.get::<_, i64>(column).map(i64::unsigned_abs);
    Ok(BlockProgress {
        block: Block {
            id: BlockId { emission: row.get("emission")?, block: row.get("block")? },
            manifest: row.get("manifest")?,
            tickets: row.get("tickets")?,
            winning: row.get("winning")?,
            total_eur: euros("total_eur")?,
        },
        imported: row.get("imported")?,
        winning: row.get("imported_winning")?,
        total_eur: euros("imported_eur")?,
        complete: row.get("complete")?,
    })
}

fn euros(total: u64) -> Result<i64, StoreError> {
    i64::try_from(total).map_err(|_| StoreError::Misuse("a sum of euros is beyond what can be kept"))
}
