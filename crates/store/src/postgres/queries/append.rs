//! Appends. Those of one event and without an entry for the ledger, nearly all, go many in one statement and one
//! commit, each failing alone; the others go one by one.

use std::collections::HashSet;

use super::ledger;
use crate::StoreError;
use crate::postgres::attempts::{Attempt, Attempted};
use crate::postgres::batches::Batch;
use crate::postgres::connection::{Connection, vanished};
use crate::postgres::failure::Failure;
use crate::types::*;

/// Moves games that have begun.
pub(in crate::postgres) struct Moves;

/// Begins games.
pub(in crate::postgres) struct Beginnings;

/// Whether an append can go with others.
pub(in crate::postgres) fn goes_with_others(append: &Append) -> bool {
    append.entry.is_none() && append.events.len() == 1
}

const MOVE: &str = "
    WITH moved AS (
        UPDATE games
        SET version = q.expected + 1, state = q.state, finish_before = q.finish_before,
            client_seed = coalesce(games.client_seed, q.client_seed)
        FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[], $6::text[], $7::bigint[],
            $8::bytea[]) AS q (ticket_id, expected, at, payload, receipt, state, finish_before, client_seed)
        WHERE games.ticket_id = q.ticket_id AND games.version = q.expected
            AND (q.client_seed IS NULL OR coalesce(games.client_seed, q.client_seed) = q.client_seed)
        RETURNING q.ticket_id, q.expected, q.at, q.payload, q.receipt
    )
    INSERT INTO events (ticket_id, position, at, payload, receipt) SELECT * FROM moved RETURNING ticket_id";

// The ticket is looked up, not referred to: one that is unknown must fail alone.
const BEGIN: &str = "
    WITH given AS MATERIALIZED (
        SELECT q.* FROM
        unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[], $6::text[], $7::bigint[], $8::bytea[])
            AS q (ticket_id, expected, at, payload, receipt, state, finish_before, client_seed)
        JOIN tickets AS t ON t.ticket_id = q.ticket_id
    ), begun AS (
        INSERT INTO games (ticket_id, version, client_seed, state, finish_before)
        SELECT ticket_id, expected + 1, client_seed, state, finish_before FROM given
        ON CONFLICT (ticket_id) DO NOTHING RETURNING ticket_id
    )
    INSERT INTO events (ticket_id, position, at, payload, receipt)
    SELECT ticket_id, expected, at, payload, receipt FROM given
    WHERE ticket_id = ANY (ARRAY (SELECT ticket_id FROM begun))
    RETURNING ticket_id";

/// The batches differ in their statement only.
macro_rules! batch {
    ($($name:ident: $sql:ident)*) => { $(
        impl Batch for $name {
            type Ask = Append;
            type Answer = Appended;
            type Key = TicketId;
            const COUNTED: bool = true;

            fn key(append: &Append) -> Option<TicketId> {
                Some(append.ticket)
            }

            fn ask<'a>(
                connection: &'a mut Connection,
                attempt: Attempt,
                asks: &'a [&'a Append],
            ) -> Attempted<'a, Vec<Result<Appended, StoreError>>> {
                Box::pin(together(connection, attempt, $sql, asks))
            }
        }
    )* };
}

batch! { Moves: MOVE Beginnings: BEGIN }

#[derive(Default)]
struct Columns<'a> {
    tickets: Vec<TicketId>,
    expected: Vec<Version>,
    at: Vec<Millis>,
    payloads: Vec<&'a [u8]>,
    receipts: Vec<Option<&'a [u8]>>,
    states: Vec<Label>,
    finish_before: Vec<Option<Millis>>,
    client_seeds: Vec<Option<ClientSeed>>,
}

async fn together(
    connection: &mut Connection,
    attempt: Attempt,
    sql: &'static str,
    appends: &[&Append],
) -> Result<Vec<Result<Appended, StoreError>>, Failure> {
    // By ticket: two that lock the same rows do so in one order, and so never wait for each other.
    let mut sorted = appends.to_vec();
    sorted.sort_unstable_by_key(|append| append.ticket);
    let mut columns = Columns::default();
    for append in sorted {
        for event in &append.events {
            columns.tickets.push(append.ticket);
            columns.expected.push(append.expected);
            columns.at.push(event.at);
            columns.payloads.push(&event.payload);
            columns.receipts.push(event.receipt.as_deref());
            columns.states.push(append.state);
            columns.finish_before.push(append.finish_before);
            columns.client_seeds.push(append.client_seed);
        }
    }
    let Columns { tickets, expected, at, payloads, receipts, states, finish_before, client_seeds } = &columns;
    let rows =
        connection.all(sql, &[tickets, expected, at, payloads, receipts, states, finish_before, client_seeds]).await?;
    let kept: HashSet<TicketId> = rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    let mut answers = Vec::with_capacity(appends.len());
    for append in appends {
        answers.push(if kept.contains(&append.ticket) {
            Ok(Appended::Now(append.next_version()?))
        } else {
            match why_not(connection, attempt, append).await {
                Ok(appended) => Ok(appended),
                Err(Failure::Final(error)) => Err(error),
                Err(passing) => return Err(passing),
            }
        });
    }
    Ok(answers)
}

/// An append that wrote nothing, or whose answer was lost: only the reason is looked up.
async fn why_not(connection: &mut Connection, attempt: Attempt, append: &Append) -> Result<Appended, Failure> {
    let sql = "SELECT g.version, g.client_seed FROM tickets AS t LEFT JOIN games AS g ON g.ticket_id = t.ticket_id
        WHERE t.ticket_id = $1";
    let row = connection.maybe(sql, &[&append.ticket]).await?.ok_or(StoreError::UnknownTicket)?;
    let (version, seed): (Option<Version>, Option<ClientSeed>) = (row.try_get(0)?, row.try_get(1)?);
    let differs = append.client_seed.is_some() && seed.is_some() && seed != append.client_seed;
    if version.unwrap_or_default() == append.expected && differs {
        return Err(StoreError::SeedAlreadySet.into());
    }
    let is_ours = attempt == Attempt::MayBeThere && is_there(connection, append).await?;
    Ok(if is_ours { Appended::Now(append.next_version()?) } else { Appended::Moved })
}

/// Whether exactly these events, with this entry, stand where they were to stand.
async fn is_there(connection: &mut Connection, append: &Append) -> Result<bool, Failure> {
    let sql = "SELECT at, payload, receipt FROM events WHERE ticket_id = $1 AND position >= $2 AND position < $3
        ORDER BY position";
    let rows = connection.all(sql, &[&append.ticket, &append.expected, &append.next_version()?]).await?;
    let event = |row: &tokio_postgres::Row| -> Result<Event, Failure> {
        Ok(Event { at: row.try_get(0)?, payload: row.try_get(1)?, receipt: row.try_get(2)? })
    };
    if rows.iter().map(event).collect::<Result<Vec<_>, _>>()? != append.events {
        return Ok(false);
    }
    let last = append.next_version()?.0 - 1;
    let entries = ledger::entries(connection, append.ticket).await?;
    let standing = entries.into_iter().find(|kept| kept.position == last).map(|kept| kept.entry);
    Ok(standing == append.entry)
}

/// One append in a transaction of its own: several events, or an entry for the ledger.
pub(in crate::postgres) async fn alone(
    connection: &mut Connection,
    attempt: Attempt,
    append: &Append,
) -> Result<Appended, Failure> {
    let next = append.next_version()?;
    connection.begin().await?;
    let moved = advance(connection, append, next).await?;
    let entered = match &append.entry {
        Some(entry) if moved && ledger::standing(connection, entry).await?.is_none() => {
            ledger::check_references(connection, append.ticket, entry).await?;
            ledger::insert(connection, append.ticket, next.0 - 1, entry).await?
        }
        Some(_) => false,
        None => moved,
    };
    if entered {
        connection.commit().await?;
        return Ok(Appended::Now(next));
    }
    connection.rollback().await;
    if !moved {
        let why = why_not(connection, attempt, append).await?;
        if why != Appended::Moved {
            return Ok(why);
        }
    }
    let standing = match &append.entry {
        Some(entry) => ledger::standing(connection, entry).await?,
        None => None,
    };
    match standing {
        Some(standing) => Ok(Appended::Stands(Box::new(standing))),
        None if moved => Err(vanished().into()),
        None => Ok(Appended::Moved),
    }
}

/// Moves or begins the game and adds the events, where it stands where it was said to.
async fn advance(connection: &mut Connection, append: &Append, next: Version) -> Result<bool, Failure> {
    let Append { ticket, expected, state, finish_before, client_seed, .. } = append;
    let moved = if *expected == Version(0) {
        let sql = "INSERT INTO games (ticket_id, version, client_seed, state, finish_before)
            SELECT ticket_id, $2, $3, $4, $5 FROM tickets WHERE ticket_id = $1 ON CONFLICT (ticket_id) DO NOTHING";
        connection.change(sql, &[ticket, &next, client_seed, state, finish_before]).await?
    } else {
        let sql =
            "UPDATE games SET version = $2, client_seed = coalesce(client_seed, $3), state = $4, finish_before = $5
            WHERE ticket_id = $1 AND version = $6 AND ($3::bytea IS NULL OR coalesce(client_seed, $3) = $3)";
        connection.change(sql, &[ticket, &next, client_seed, state, finish_before, expected]).await?
    };
    if moved == 0 {
        return Ok(false);
    }
    let sql = "INSERT INTO events (ticket_id, position, at, payload, receipt)
        SELECT $1, $2 + n - 1, at, payload, receipt
        FROM unnest($3::bigint[], $4::bytea[], $5::bytea[]) WITH ORDINALITY AS q (at, payload, receipt, n)";
    let at: Vec<Millis> = append.events.iter().map(|event| event.at).collect();
    let payloads: Vec<&[u8]> = append.events.iter().map(|event| event.payload.as_slice()).collect();
    let receipts: Vec<Option<&[u8]>> = append.events.iter().map(|event| event.receipt.as_deref()).collect();
    connection.change(sql, &[ticket, expected, &at, &payloads, &receipts]).await?;
    Ok(true)
}
