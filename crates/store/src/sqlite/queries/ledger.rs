//! Points of sale and the ledger.

use rusqlite::{Connection, OptionalExtension, Params, Row, named_params};

use super::super::failure::{names_what_is_not_there, repeats_what_is_unique};
use super::vanished;
use crate::StoreError;
use crate::types::*;

/// The columns of an entry, with the number of its ticket.
const ENTRY: &str = "SELECT l.ticket_id, position, at, kind, payment_id, reverses, point_of_sale, idempotency_key,
        amount_eur, act, who, why, emission, block, serial
    FROM ledger AS l JOIN tickets AS t ON t.ticket_id = l.ticket_id ";

pub(in crate::sqlite) fn add_point_of_sale(
    connection: &Connection,
    added: &PointOfSale,
) -> Result<AddedPointOfSale, StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO points_of_sale (id, name, key_hash, disabled) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    )?;
    if insert.execute((added.id, &added.name, added.key, added.disabled))? == 1 {
        return Ok(AddedPointOfSale::New);
    }
    // The one of that number rather than the one with that key.
    let mut query = connection.prepare_cached(
        "SELECT id, name, key_hash, disabled FROM points_of_sale WHERE id = ?1 OR key_hash = ?2
         ORDER BY id <> ?1 LIMIT 1",
    )?;
    let stands = query.query_row((added.id, added.key), point_of_sale_of).optional()?;
    stands.map(AddedPointOfSale::Already).ok_or_else(vanished)
}

pub(in crate::sqlite) fn find_point_of_sale(
    connection: &Connection,
    key: PointOfSaleKey,
) -> Result<Option<PointOfSale>, StoreError> {
    let mut query =
        connection.prepare_cached("SELECT id, name, key_hash, disabled FROM points_of_sale WHERE key_hash = ?")?;
    Ok(query.query_row([key], point_of_sale_of).optional()?)
}

pub(in crate::sqlite) fn points_of_sale(connection: &Connection) -> Result<Vec<PointOfSale>, StoreError> {
    let mut query = connection.prepare_cached("SELECT id, name, key_hash, disabled FROM points_of_sale ORDER BY id")?;
    Ok(query.query_map([], point_of_sale_of)?.collect::<Result<_, _>>()?)
}

fn point_of_sale_of(row: &Row<'_>) -> rusqlite::Result<PointOfSale> {
    Ok(PointOfSale {
        id: row.get("id")?,
        name: row.get("name")?,
        key: row.get("key_hash")?,
        disabled: row.get("disabled")?,
    })
}

pub(in crate::sqlite) fn replace_point_of_sale(
    connection: &Connection,
    current: &PointOfSale,
    next: &PointOfSale,
) -> Result<Replaced, StoreError> {
    let mut update = connection.prepare_cached(
        "UPDATE points_of_sale SET name = ?, key_hash = ?, disabled = ?
         WHERE id = ? AND name = ? AND key_hash = ? AND disabled = ?",
    )?;
    let row = (&next.name, next.key, next.disabled, current.id, &current.name, current.key, current.disabled);
    match update.execute(row) {
        Ok(1) => return Ok(Replaced::Done),
        Ok(_) => {}
        Err(error) if repeats_what_is_unique(&error) => return Err(PointOfSale::key_is_taken()),
        Err(error) => return Err(error.into()),
    }
    if knows_point_of_sale(connection, current.id)? {
        Ok(Replaced::Moved)
    } else {
        Err(StoreError::UnknownPointOfSale(current.id.0))
    }
}

fn knows_point_of_sale(connection: &Connection, id: PointOfSaleId) -> Result<bool, StoreError> {
    Ok(connection.prepare_cached("SELECT 1 FROM points_of_sale WHERE id = ?")?.exists([id])?)
}

/// Adds an entry beside its event; `false` where one with its key, its payment or of the same payment stands.
pub(super) fn insert(
    connection: &Connection,
    ticket: TicketId,
    position: u32,
    entry: &LedgerEntry,
) -> Result<bool, StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO ledger (ticket_id, position, at, kind, payment_id, reverses, point_of_sale, idempotency_key,
             amount_eur, act, who, why)
         VALUES (:ticket_id, :position, :at, :kind, :payment_id, :reverses, :point_of_sale, :idempotency_key,
             :amount_eur, :act, :who, :why)
         ON CONFLICT DO NOTHING",
    )?;
    let columns = EntryColumns::of(entry);
    let inserted = insert.execute(named_params! {
        ":ticket_id": ticket,
        ":position": position,
        ":at": columns.at,
        ":kind": columns.kind,
        ":payment_id": columns.payment,
        ":reverses": columns.reverses,
        ":point_of_sale": columns.point_of_sale,
        ":idempotency_key": columns.key,
        ":amount_eur": columns.amount_eur,
        ":act": columns.act,
        ":who": columns.who,
        ":why": columns.why,
    });
    match (inserted, columns.point_of_sale) {
        (Ok(inserted), _) => Ok(inserted == 1),
        (Err(error), by) if names_what_is_not_there(&error) => match by {
            Some(by) if !knows_point_of_sale(connection, by)? => Err(StoreError::UnknownPointOfSale(by.0)),
            _ => Err(StoreError::UnknownPayment),
        },
        (Err(error), _) => Err(error.into()),
    }
}

/// What is in the way of an entry: first by its key, then by its payment.
pub(super) fn standing(connection: &Connection, entry: &LedgerEntry) -> Result<Option<KeptEntry>, StoreError> {
    if let Some((by, key)) = entry.key()
        && let Some(found) = find_entry(connection, by, key)?
    {
        return Ok(Some(found));
    }
    match entry {
        LedgerEntry::Payment(payment) => one(connection, "WHERE payment_id = ?", [payment.id]),
        LedgerEntry::Reversal(reversal) => one(connection, "WHERE reverses = ?", [reversal.payment]),
        LedgerEntry::Act(_) => Ok(None),
    }
}

pub(in crate::sqlite) fn find_entry(
    connection: &Connection,
    by: Option<PointOfSaleId>,
    key: IdempotencyKey,
) -> Result<Option<KeptEntry>, StoreError> {
    // Said as the index says it, so that it is used.
    one(connection, "WHERE ifnull(point_of_sale, -1) = ifnull(?1, -1) AND idempotency_key = ?2", (by, key))
}

pub(in crate::sqlite) fn payment(connection: &Connection, id: PaymentId) -> Result<Option<KeptPayment>, StoreError> {
    let Some(kept) = one(connection, "WHERE payment_id = ?", [id])? else { return Ok(None) };
    let reversal = one(connection, "WHERE reverses = ?", [id])?;
    KeptPayment::of(kept, reversal).map(Some)
}

pub(in crate::sqlite) fn entries(connection: &Connection, ticket: TicketId) -> Result<Vec<KeptEntry>, StoreError> {
    many(connection, "WHERE l.ticket_id = ? ORDER BY position", [ticket])
}

fn one(connection: &Connection, which: &str, parameters: impl Params) -> Result<Option<KeptEntry>, StoreError> {
    Ok(many(connection, which, parameters)?.pop())
}

/// Entries, by the end of a statement.
pub(super) fn many(
    connection: &Connection,
    which: &str,
    parameters: impl Params,
) -> Result<Vec<KeptEntry>, StoreError> {
    let mut query = connection.prepare_cached(&format!("{ENTRY}{which}"))?;
    let mut rows = query.query(parameters)?;
    let mut entries = Vec::new();
    while let Some(row) = rows.next()? {
        entries.push(entry_of(row)?);
    }
    Ok(entries)
}

fn entry_of(row: &Row<'_>) -> Result<KeptEntry, StoreError> {
    let columns = EntryColumns {
        at: row.get("at")?,
        kind: row.get("kind")?,
        payment: row.get("payment_id")?,
        reverses: row.get("reverses")?,
        point_of_sale: row.get("point_of_sale")?,
        key: row.get("idempotency_key")?,
        amount_eur: row.get("amount_eur")?,
        act: row.get("act")?,
        who: row.get("who")?,
        why: row.get("why")?,
    };
    Ok(KeptEntry {
        ticket: row.get("ticket_id")?,
        number: TicketNumber { emission: row.get("emission")?, block: row.get("block")?, serial: row.get("serial")? },
        position: row.get("position")?,
        entry: columns.entry()?,
    })
}
