//! Points of sale and the ledger.

use tokio_postgres::Row;

use crate::StoreError;
use crate::postgres::attempts::Attempt;
use crate::postgres::connection::{Connection, Values, vanished};
use crate::postgres::failure::Failure;
use crate::postgres::values;
use crate::types::*;

/// A statement about entries: their columns, with the number of their ticket, and which ones.
macro_rules! entries_where {
    ($which:literal) => {
        concat!(
            "SELECT l.ticket_id, position, at, kind, payment_id, reverses, point_of_sale, idempotency_key,
                 amount_eur, act, who, why, emission, block, serial
             FROM ledger AS l JOIN tickets AS t ON t.ticket_id = l.ticket_id ",
            $which
        )
    };
}
pub(super) use entries_where;

pub(in crate::postgres) async fn add_point_of_sale(
    connection: &mut Connection,
    attempt: Attempt,
    added: &PointOfSale,
) -> Result<AddedPointOfSale, Failure> {
    let PointOfSale { id, name, key, disabled } = added;
    let insert =
        "INSERT INTO points_of_sale (id, name, key_hash, disabled) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    if connection.change(insert, &[id, name, key, disabled]).await? == 1 {
        return Ok(AddedPointOfSale::New);
    }
    // The one of that number rather than the one with that key.
    let sql = "SELECT id, name, key_hash, disabled FROM points_of_sale WHERE id = $1 OR key_hash = $2
        ORDER BY id <> $1 LIMIT 1";
    let row = connection.maybe(sql, &[id, key]).await?.ok_or_else(vanished)?;
    let stands = point_of_sale(&row)?;
    let is_ours = attempt == Attempt::MayBeThere && stands == *added;
    Ok(if is_ours { AddedPointOfSale::New } else { AddedPointOfSale::Already(stands) })
}

pub(in crate::postgres) async fn find_point_of_sale(
    connection: &mut Connection,
    key: PointOfSaleKey,
) -> Result<Option<PointOfSale>, Failure> {
    let sql = "SELECT id, name, key_hash, disabled FROM points_of_sale WHERE key_hash = $1";
    connection.maybe(sql, &[&key]).await?.as_ref().map(point_of_sale).transpose()
}

pub(in crate::postgres) async fn points_of_sale(connection: &mut Connection) -> Result<Vec<PointOfSale>, Failure> {
    let sql = "SELECT id, name, key_hash, disabled FROM points_of_sale ORDER BY id";
    connection.all(sql, &[]).await?.iter().map(point_of_sale).collect()
}

fn point_of_sale(row: &Row) -> Result<PointOfSale, Failure> {
    Ok(PointOfSale {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        key: row.try_get("key_hash")?,
        disabled: row.try_get("disabled")?,
    })
}

pub(in crate::postgres) async fn replace_point_of_sale(
    connection: &mut Connection,
    attempt: Attempt,
    current: &PointOfSale,
    next: &PointOfSale,
) -> Result<Replaced, Failure> {
    let sql = "UPDATE points_of_sale SET name = $2, key_hash = $3, disabled = $4
        WHERE id = $1 AND name = $5 AND key_hash = $6 AND disabled = $7
            AND NOT EXISTS (SELECT 1 FROM points_of_sale WHERE key_hash = $3 AND id <> $1)";
    let replaced = connection
        .change(sql, &[&next.id, &next.name, &next.key, &next.disabled, &current.name, &current.key, &current.disabled])
        .await?;
    if replaced == 1 {
        return Ok(Replaced::Done);
    }
    let sql = "SELECT id, name, key_hash, disabled FROM points_of_sale WHERE id = $1";
    let unknown = StoreError::UnknownPointOfSale(current.id.0);
    let stands = point_of_sale(&connection.maybe(sql, &[&current.id]).await?.ok_or(unknown)?)?;
    if stands == *next && attempt == Attempt::MayBeThere {
        Ok(Replaced::Done)
    } else if stands == *current {
        Err(PointOfSale::key_is_taken().into())
    } else {
        Ok(Replaced::Moved)
    }
}

/// Adds an entry beside its event; `false` where one with its key, its payment or of the same payment stands.
pub(super) async fn insert(
    connection: &mut Connection,
    ticket: TicketId,
    position: u32,
    entry: &LedgerEntry,
) -> Result<bool, Failure> {
    let sql = "INSERT INTO ledger (ticket_id, position, at, kind, payment_id, reverses, point_of_sale, idempotency_key,
            amount_eur, act, who, why)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING";
    let EntryColumns { at, kind, payment, reverses, point_of_sale, key, amount_eur, act, who, why } =
        EntryColumns::of(entry);
    let (position, amount_eur) = (i64::from(position), amount_eur.map(i64::from));
    let row: Values<'_> =
        &[&ticket, &position, &at, &kind, &payment, &reverses, &point_of_sale, &key, &amount_eur, &act, &who, &why];
    Ok(connection.change(sql, row).await? == 1)
}

/// Whether what an entry names is there: said before it is added, because a refused reference undoes the transaction.
/// Neither a point of sale nor a payment is ever removed.
pub(super) async fn check_references(
    connection: &mut Connection,
    ticket: TicketId,
    entry: &LedgerEntry,
) -> Result<(), Failure> {
    if let Some((Some(by), _)) = entry.key()
        && connection.maybe("SELECT 1 FROM points_of_sale WHERE id = $1", &[&by]).await?.is_none()
    {
        return Err(StoreError::UnknownPointOfSale(by.0).into());
    }
    if let LedgerEntry::Reversal(Reversal { payment, .. }) = entry {
        let sql = "SELECT 1 FROM ledger WHERE payment_id = $1 AND ticket_id = $2";
        if connection.maybe(sql, &[payment, &ticket]).await?.is_none() {
            return Err(StoreError::UnknownPayment.into());
        }
    }
    Ok(())
}

/// What is in the way of an entry: first by its key, then by its payment.
pub(super) async fn standing(connection: &mut Connection, entry: &LedgerEntry) -> Result<Option<KeptEntry>, Failure> {
    if let Some((by, key)) = entry.key()
        && let Some(found) = find_entry(connection, by, key).await?
    {
        return Ok(Some(found));
    }
    match entry {
        LedgerEntry::Payment(payment) => one(connection, entries_where!("WHERE payment_id = $1"), &[&payment.id]).await,
        LedgerEntry::Reversal(reversal) => {
            one(connection, entries_where!("WHERE reverses = $1"), &[&reversal.payment]).await
        }
        LedgerEntry::Act(_) => Ok(None),
    }
}

pub(in crate::postgres) async fn find_entry(
    connection: &mut Connection,
    by: Option<PointOfSaleId>,
    key: IdempotencyKey,
) -> Result<Option<KeptEntry>, Failure> {
    // Said as the index says it, so that it is used.
    let sql = entries_where!("WHERE coalesce(point_of_sale, -1) = coalesce($1::bigint, -1) AND idempotency_key = $2");
    one(connection, sql, &[&by, &key]).await
}

pub(in crate::postgres) async fn payment(
    connection: &mut Connection,
    id: PaymentId,
) -> Result<Option<KeptPayment>, Failure> {
    let sql = entries_where!("WHERE payment_id = $1");
    let Some(kept) = one(connection, sql, &[&id]).await? else { return Ok(None) };
    let reversal = one(connection, entries_where!("WHERE reverses = $1"), &[&id]).await?;
    Ok(Some(KeptPayment::of(kept, reversal)?))
}

pub(in crate::postgres) async fn entries(
    connection: &mut Connection,
    ticket: TicketId,
) -> Result<Vec<KeptEntry>, Failure> {
    many(connection, entries_where!("WHERE l.ticket_id = $1 ORDER BY position"), &[&ticket]).await
}

async fn one(connection: &mut Connection, sql: &'static str, values: Values<'_>) -> Result<Option<KeptEntry>, Failure> {
    Ok(many(connection, sql, values).await?.pop())
}

pub(super) async fn many(
    connection: &mut Connection,
    sql: &'static str,
    values: Values<'_>,
) -> Result<Vec<KeptEntry>, Failure> {
    connection.all(sql, values).await?.iter().map(entry_of).collect()
}

fn entry_of(row: &Row) -> Result<KeptEntry, Failure> {
    let amount: Option<i64> = row.try_get("amount_eur")?;
    let columns = EntryColumns {
        at: row.try_get("at")?,
        kind: row.try_get("kind")?,
        payment: row.try_get("payment_id")?,
        reverses: row.try_get("reverses")?,
        point_of_sale: row.try_get("point_of_sale")?,
        key: row.try_get("idempotency_key")?,
        amount_eur: amount.map(|_| values::number(row, "amount_eur")).transpose()?,
        act: row.try_get("act")?,
        who: row.try_get("who")?,
        why: row.try_get("why")?,
    };
    Ok(KeptEntry {
        ticket: row.try_get("ticket_id")?,
        number: values::ticket_number(row)?,
        position: values::number(row, "position")?,
        entry: columns.entry()?,
    })
}
