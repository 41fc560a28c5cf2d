//! The import of a block, chunk by chunk.

use tokio_postgres::Row;

use super::tickets::import_within;
use crate::StoreError;
use crate::postgres::connection::{Connection, vanished};
use crate::postgres::failure::Failure;
use crate::postgres::values;
use crate::types::*;

pub(in crate::postgres) async fn begin(connection: &mut Connection, block: &Block) -> Result<BlockStep, Failure> {
    let insert = "INSERT INTO blocks (emission, block, manifest, tickets, winning, total_eur)
        SELECT id, $2, $3, $4, $5, $6 FROM emissions WHERE id = $1 ON CONFLICT DO NOTHING";
    let BlockId { emission, block: number } = block.id;
    let (tickets, winning) = (i64::from(block.tickets), i64::from(block.winning));
    let total_eur = euros(block.total_eur)?;
    let (id, part) = (i32::from(emission), i32::from(number));
    connection.change(insert, &[&id, &part, &block.manifest, &tickets, &winning, &total_eur]).await?;
    match progress(connection, block.id).await? {
        Some(stands) if stands.block == *block => Ok(BlockStep::Done(stands)),
        Some(stands) => Ok(BlockStep::Refused(stands)),
        None if super::emissions::get(connection, emission).await?.is_none() => {
            Err(StoreError::UnknownEmission(emission).into())
        }
        None => Err(vanished().into()),
    }
}

pub(in crate::postgres) async fn import_chunk(
    connection: &mut Connection,
    block: BlockId,
    manifest: Digest,
    offset: u32,
    tickets: &[Ticket],
) -> Result<BlockStep, Failure> {
    let (rows, winning, total_eur) = sums(block, tickets)?;
    let update = "UPDATE blocks SET imported = imported + $1, imported_winning = imported_winning + $2,
            imported_eur = imported_eur + $3
        WHERE emission = $4 AND block = $5 AND manifest = $6 AND imported = $7 AND imported + $1 <= tickets
            AND NOT complete";
    connection.begin().await?;
    let (rows, winning, offset, total_eur) =
        (i64::from(rows), i64::from(winning), i64::from(offset), euros(total_eur)?);
    let (id, part) = (i32::from(block.emission), i32::from(block.block));
    let moved = connection.change(update, &[&rows, &winning, &total_eur, &id, &part, &manifest, &offset]).await? == 1;
    if moved {
        import_within(connection, tickets).await?;
    }
    let stands = step(connection, block, moved).await?;
    connection.commit().await?;
    Ok(stands)
}

pub(in crate::postgres) async fn finish(
    connection: &mut Connection,
    block: BlockId,
    manifest: Digest,
) -> Result<BlockStep, Failure> {
    let update = "UPDATE blocks SET complete = true
        WHERE emission = $1 AND block = $2 AND manifest = $3 AND imported = tickets AND imported_winning = winning
            AND imported_eur = total_eur";
    let done = connection.change(update, &[&i32::from(block.emission), &i32::from(block.block), &manifest]).await? == 1;
    step(connection, block, done).await
}

pub(in crate::postgres) async fn all(connection: &mut Connection) -> Result<Vec<BlockProgress>, Failure> {
    let sql = "SELECT emission, block, manifest, tickets, winning, total_eur, imported, imported_winning,
            imported_eur, complete
        FROM blocks ORDER BY emission, block";
    connection.all(sql, &[]).await?.iter().map(progress_of).collect()
}

async fn step(connection: &mut Connection, block: BlockId, done: bool) -> Result<BlockStep, Failure> {
    let BlockId { emission, block: number } = block;
    let stands = progress(connection, block).await?.ok_or(StoreError::UnknownBlock { emission, block: number })?;
    Ok(if done { BlockStep::Done(stands) } else { BlockStep::Refused(stands) })
}

async fn progress(connection: &mut Connection, block: BlockId) -> Result<Option<BlockProgress>, Failure> {
    let sql = "SELECT emission, block, manifest, tickets, winning, total_eur, imported, imported_winning,
            imported_eur, complete
        FROM blocks WHERE emission = $1 AND block = $2";
    let row = connection.maybe(sql, &[&i32::from(block.emission), &i32::from(block.block)]).await?;
    row.as_ref().map(progress_of).transpose()
}

fn progress_of(row: &Row) -> Result<BlockProgress, Failure> {
    Ok(BlockProgress {
        block: Block {
            id: BlockId { emission: values::short(row, "emission")?, block: values::short(row, "block")? },
            manifest: row.try_get("manifest")?,
            tickets: values::number(row, "tickets")?,
            winning: values::number(row, "winning")?,
            total_eur: values::number(row, "total_eur")?,
        },
        imported: values::number(row, "imported")?,
        winning: values::number(row, "imported_winning")?,
        total_eur: values::number(row, "imported_eur")?,
        complete: row.try_get("complete")?,
    })
}

fn euros(total: u64) -> Result<i64, StoreError> {
    i64::try_from(total).map_err(|_| StoreError::Misuse("a sum of euros is beyond what can be kept"))
}
