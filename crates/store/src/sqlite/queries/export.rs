//! Reading a period, page by page, along the index by time.

use rusqlite::{Connection, Row};

use super::ledger;
use crate::StoreError;
use crate::types::*;

/// Where a page begins and ends. Before all of its period where there is no page before it: the nil UUID at position
/// -1 comes before every event.
fn bounds(page: &Page) -> (Millis, TicketId, i64, Millis, u32) {
    let Page { period: Period { from, to }, after, limit } = *page;
    let (at, ticket, position) = after.map_or((from, TicketId([0; 16]), -1), |after| {
        if after.at < from { (from, TicketId([0; 16]), -1) } else { (after.at, after.ticket, after.position.into()) }
    });
    (at, ticket, position, to, limit)
}

pub(in crate::sqlite) fn events(connection: &Connection, page: &Page) -> Result<Vec<ExportedEvent>, StoreError> {
    let mut query = connection.prepare_cached(
        "SELECT e.ticket_id, position, at, payload, receipt, emission, block, serial
         FROM events AS e JOIN tickets AS t ON t.ticket_id = e.ticket_id
         WHERE at >= ?1 AND (at, e.ticket_id, position) > (?1, ?2, ?3) AND at < ?4
         ORDER BY at, e.ticket_id, position LIMIT ?5",
    )?;
    let event_of = |row: &Row<'_>| {
        Ok(ExportedEvent {
            ticket: row.get("ticket_id")?,
            number: TicketNumber {
                emission: row.get("emission")?,
                block: row.get("block")?,
                serial: row.get("serial")?,
            },
            position: row.get("position")?,
            event: Event { at: row.get("at")?, payload: row.get("payload")?, receipt: row.get("receipt")? },
        })
    };
    Ok(query.query_map(bounds(page), event_of)?.collect::<Result<_, _>>()?)
}

pub(in crate::sqlite) fn entries(connection: &Connection, page: &Page) -> Result<Vec<KeptEntry>, StoreError> {
    ledger::many(
        connection,
        "WHERE at >= ?1 AND (at, l.ticket_id, position) > (?1, ?2, ?3) AND at < ?4
         ORDER BY at, l.ticket_id, position LIMIT ?5",
        bounds(page),
    )
}
