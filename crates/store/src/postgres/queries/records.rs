//! Tickets with their games: those that wait are read in one statement, and so at one moment.

use tokio_postgres::Row;

use crate::StoreError;
use crate::postgres::attempts::{Attempt, Attempted};
use crate::postgres::batches::Batch;
use crate::postgres::connection::Connection;
use crate::postgres::failure::Failure;
use crate::postgres::values;
use crate::types::*;

/// Whose record is wanted.
#[derive(Clone, Copy)]
pub(in crate::postgres) enum Whose {
    Ticket(TicketId),
    Session(TokenHash, Millis),
}

/// Reads records.
pub(in crate::postgres) struct Records;

impl Batch for Records {
    type Ask = Whose;
    type Answer = Option<TicketRecord>;
    type Key = ();
    const COUNTED: bool = false;

    fn key(_: &Whose) -> Option<()> {
        None
    }

    fn ask<'a>(
        connection: &'a mut Connection,
        _: Attempt,
        asks: &'a [&'a Whose],
    ) -> Attempted<'a, Vec<Result<Option<TicketRecord>, StoreError>>> {
        Box::pin(read(connection, asks))
    }
}

const READ: &str = "
    SELECT q.n, t.ticket_id, t.emission, t.block, t.serial, t.potential_gain_eur, t.code_hash, t.control_hash,
        e.id, e.start_before, e.unfinished, e.new_games, e.payment_before,
        g.version, g.client_seed, g.state, g.finish_before, v.ats, v.payloads, v.receipts
    FROM unnest($1::uuid[], $2::bytea[], $3::bigint[]) WITH ORDINALITY AS q (ticket_id, token_hash, now, n)
    LEFT JOIN sessions AS s ON s.token_hash = q.token_hash AND s.expires > q.now
    JOIN tickets AS t ON t.ticket_id = coalesce(q.ticket_id, s.ticket_id)
    JOIN emissions AS e ON e.id = t.emission
    LEFT JOIN games AS g ON g.ticket_id = t.ticket_id
    LEFT JOIN LATERAL (
        SELECT array_agg(at) AS ats, array_agg(payload) AS payloads, array_agg(receipt) AS receipts
        FROM (SELECT at, payload, receipt FROM events WHERE events.ticket_id = t.ticket_id ORDER BY position) AS one
    ) AS v ON g.ticket_id IS NOT NULL";

async fn read(
    connection: &mut Connection,
    asks: &[&Whose],
) -> Result<Vec<Result<Option<TicketRecord>, StoreError>>, Failure> {
    let (mut tickets, mut tokens, mut nows) = (Vec::new(), Vec::new(), Vec::new());
    for ask in asks {
        let (ticket, token, now) = match **ask {
            Whose::Ticket(ticket) => (Some(ticket), None, None),
            Whose::Session(token, now) => (None, Some(token), Some(now)),
        };
        tickets.push(ticket);
        tokens.push(token);
        nows.push(now);
    }
    let mut answers: Vec<_> = asks.iter().map(|_| Ok(None)).collect();
    for row in connection.all(READ, &[&tickets, &tokens, &nows]).await? {
        let n: usize = values::number(&row, "n")?;
        if let Some(answer) = n.checked_sub(1).and_then(|n| answers.get_mut(n)) {
            // One that is damaged fails alone.
            *answer = record(&row).map(Some).map_err(Failure::into_error);
        }
    }
    Ok(answers)
}

fn record(row: &Row) -> Result<TicketRecord, Failure> {
    let (ats, payloads): (Option<Vec<Millis>>, Option<Vec<Vec<u8>>>) = (row.try_get("ats")?, row.try_get("payloads")?);
    let receipts: Option<Vec<Option<Vec<u8>>>> = row.try_get("receipts")?;
    let (ats, payloads, receipts) =
        (ats.unwrap_or_default(), payloads.unwrap_or_default(), receipts.unwrap_or_default());
    let parts = ats.into_iter().zip(payloads).zip(receipts);
    let events: Vec<_> = parts.map(|((at, payload), receipt)| Event { at, payload, receipt }).collect();
    let game = values::game(row)?;
    if u32::try_from(events.len()) != Ok(game.version.0) {
        let detail = "a game has other events than its version counts".into();
        return Err(StoreError::Corrupt { detail }.into());
    }
    Ok(TicketRecord { ticket: values::ticket(row)?, emission: values::emission(row)?, game, events })
}

pub(in crate::postgres) async fn due(
    connection: &mut Connection,
    now: Millis,
    limit: u32,
) -> Result<Vec<TicketId>, Failure> {
    let sql = "SELECT ticket_id FROM games WHERE finish_before IS NOT NULL AND finish_before <= $1
        ORDER BY finish_before, ticket_id LIMIT $2";
    let rows = connection.all(sql, &[&now, &i64::from(limit)]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}
