//! Reading a period, page by page, along the indexes by time.

use tokio_postgres::Row;

use super::ledger::{self, entries_where};
use crate::postgres::connection::Connection;
use crate::postgres::failure::Failure;
use crate::postgres::values;
use crate::types::*;

/// Where a page begins and ends. Before all of its period where there is no page before it: the nil UUID at position -1
/// comes before every event.
fn bounds(page: &Page) -> (Millis, TicketId, i64, Millis, i64) {
    let Page { period: Period { from, to }, after, limit } = *page;
    let first = (from, TicketId([0; 16]), -1);
    let goes_on = |after: Cursor| (after.at, after.ticket, i64::from(after.position));
    let (at, ticket, position) = after.map_or(first, |after| if after.at < from { first } else { goes_on(after) });
    (at, ticket, position, to, limit.into())
}

pub(in crate::postgres) async fn events(
    connection: &mut Connection,
    page: &Page,
) -> Result<Vec<ExportedEvent>, Failure> {
    let sql = "SELECT e.ticket_id, position, at, payload, receipt, emission, block, serial
        FROM (SELECT * FROM events
            WHERE (at, ticket_id, position) > ($1, $2, $3) AND at < $4 ORDER BY at, ticket_id, position LIMIT $5
        ) AS e JOIN tickets AS t ON t.ticket_id = e.ticket_id ORDER BY at, e.ticket_id, position";
    let (at, ticket, position, to, limit) = bounds(page);
    let rows = connection.all(sql, &[&at, &ticket, &position, &to, &limit]).await?;
    let event_of = |row: &Row| {
        Ok(ExportedEvent {
            ticket: row.try_get("ticket_id")?,
            number: values::ticket_number(row)?,
            position: values::number(row, "position")?,
            event: Event { at: row.try_get("at")?, payload: row.try_get("payload")?, receipt: row.try_get("receipt")? },
        })
    };
    rows.iter().map(event_of).collect()
}

pub(in crate::postgres) async fn entries(connection: &mut Connection, page: &Page) -> Result<Vec<KeptEntry>, Failure> {
    let sql = entries_where!(
        "WHERE (at, l.ticket_id, position) > ($1, $2, $3) AND at < $4 ORDER BY at, l.ticket_id, position LIMIT $5"
    );
    let (at, ticket, position, to, limit) = bounds(page);
    ledger::many(connection, sql, &[&at, &ticket, &position, &to, &limit]).await
}
