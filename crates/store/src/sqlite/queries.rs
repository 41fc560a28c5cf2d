//! Every statement, over one connection. Those that write run inside a transaction that holds the write lock; what
//! they compare, they compare in the statement that writes.

pub(super) mod audit;
pub(super) mod blocks;
pub(super) mod export;
pub(super) mod ledger;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::failure::names_what_is_not_there;
use super::writer::run;
use crate::StoreError;
use crate::memory::only_one;
use crate::types::*;

pub(super) fn add_emission(connection: &Connection, emission: &Emission) -> Result<AddedEmission, StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO emissions (id, start_before, unfinished, new_games, payment_before)
         VALUES (:id, :start_before, :unfinished, :new_games, :payment_before)
         ON CONFLICT (id) DO NOTHING",
    )?;
    let added = insert.execute(named_params! {
        ":id": emission.id,
        ":start_before": emission.start_before,
        ":unfinished": emission.unfinished,
        ":new_games": emission.new_games,
        ":payment_before": emission.payment_before,
    })?;
    if added == 1 {
        return Ok(AddedEmission::New);
    }
    self::emission(connection, emission.id)?.map(AddedEmission::Already).ok_or_else(vanished)
}

pub(super) fn emission(connection: &Connection, id: u16) -> Result<Option<Emission>, StoreError> {
    let mut query = connection
        .prepare_cached("SELECT id, start_before, unfinished, new_games, payment_before FROM emissions WHERE id = ?")?;
    Ok(query.query_row([id], emission_of).optional()?)
}

pub(super) fn emissions(connection: &Connection) -> Result<Vec<Emission>, StoreError> {
    let mut query = connection
        .prepare_cached("SELECT id, start_before, unfinished, new_games, payment_before FROM emissions ORDER BY id")?;
    Ok(query.query_map([], emission_of)?.collect::<Result<_, _>>()?)
}

fn emission_of(row: &Row<'_>) -> rusqlite::Result<Emission> {
    Ok(Emission {
        id: row.get("id")?,
        start_before: row.get("start_before")?,
        unfinished: row.get("unfinished")?,
        new_games: row.get("new_games")?,
        payment_before: row.get("payment_before")?,
    })
}

pub(super) fn replace_emission(
    connection: &Connection,
    current: &Emission,
    next: &Emission,
) -> Result<Replaced, StoreError> {
    let mut update = connection.prepare_cached(
        "UPDATE emissions
         SET start_before = :start_before, unfinished = :unfinished, new_games = :new_games,
             payment_before = :payment_before
         WHERE id = :id AND start_before IS :was_start_before AND unfinished = :was_unfinished
             AND new_games = :was_new_games AND payment_before IS :was_payment_before",
    )?;
    let replaced = update.execute(named_params! {
        ":id": next.id,
        ":start_before": next.start_before,
        ":unfinished": next.unfinished,
        ":new_games": next.new_games,
        ":payment_before": next.payment_before,
        ":was_start_before": current.start_before,
        ":was_unfinished": current.unfinished,
        ":was_new_games": current.new_games,
        ":was_payment_before": current.payment_before,
    })?;
    match replaced {
        1 => Ok(Replaced::Done),
        _ if emission(connection, current.id)?.is_some() => Ok(Replaced::Moved),
        _ => Err(StoreError::UnknownEmission(current.id)),
    }
}

pub(super) fn import(connection: &Connection, tickets: &[Ticket]) -> Result<Imported, StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO tickets (emission, block, serial, ticket_id, code_hash, control_hash, potential_gain_eur)
         VALUES (:emission, :block, :serial, :ticket_id, :code_hash, :control_hash, :potential_gain_eur)
         ON CONFLICT DO NOTHING",
    )?;
    let mut imported = Imported::default();
    for ticket in tickets {
        let TicketNumber { emission, block, serial } = ticket.number;
        let inserted = insert.execute(named_params! {
            ":emission": emission,
            ":block": block,
            ":serial": serial,
            ":ticket_id": ticket.id,
            ":code_hash": ticket.code_hash,
            ":control_hash": ticket.control_hash,
            ":potential_gain_eur": ticket.potential_gain_eur,
        });
        match inserted {
            Ok(1) => imported.added += 1,
            Ok(_) if self::ticket(connection, ticket.id)?.as_ref() == Some(ticket) => imported.already += 1,
            Ok(_) => return Err(StoreError::TicketCollision { number: ticket.number }),
            Err(error) if names_what_is_not_there(&error) => return Err(StoreError::UnknownEmission(emission)),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(imported)
}

fn ticket(connection: &Connection, id: TicketId) -> Result<Option<Ticket>, StoreError> {
    let mut query = connection.prepare_cached(
        "SELECT ticket_id, emission, block, serial, code_hash, control_hash, potential_gain_eur
         FROM tickets WHERE ticket_id = ?",
    )?;
    Ok(query.query_row([id], ticket_of).optional()?)
}

fn ticket_of(row: &Row<'_>) -> rusqlite::Result<Ticket> {
    Ok(Ticket {
        id: row.get("ticket_id")?,
        number: TicketNumber { emission: row.get("emission")?, block: row.get("block")?, serial: row.get("serial")? },
        code_hash: row.get("code_hash")?,
        control_hash: row.get("control_hash")?,
        potential_gain_eur: row.get("potential_gain_eur")?,
    })
}

pub(super) fn find_by_code(connection: &Connection, candidates: &[KeyedHash]) -> Result<Option<TicketId>, StoreError> {
    let mut query = connection.prepare_cached("SELECT ticket_id FROM tickets WHERE code_hash = ?")?;
    let mut found = Vec::new();
    for candidate in candidates {
        found.extend(query.query_row([candidate], |row| row.get::<_, TicketId>(0)).optional()?);
    }
    only_one(found.into_iter())
}

pub(super) fn find_by_number(connection: &Connection, number: TicketNumber) -> Result<Option<TicketId>, StoreError> {
    let mut query =
        connection.prepare_cached("SELECT ticket_id FROM tickets WHERE emission = ? AND block = ? AND serial = ?")?;
    Ok(query.query_row((number.emission, number.block, number.serial), |row| row.get(0)).optional()?)
}

pub(super) fn load(connection: &Connection, id: TicketId) -> Result<Option<TicketRecord>, StoreError> {
    let mut query = connection.prepare_cached(
        "SELECT t.ticket_id, emission, block, serial, code_hash, control_hash, potential_gain_eur,
             version, client_seed, state, finish_before,
             e.id, start_before, unfinished, new_games, payment_before
         FROM tickets AS t JOIN emissions AS e ON e.id = t.emission LEFT JOIN games AS g ON g.ticket_id = t.ticket_id
         WHERE t.ticket_id = ?",
    )?;
    let found = query.query_row([id], |row| Ok((ticket_of(row)?, emission_of(row)?, game_of(row)?))).optional()?;
    let Some((ticket, emission, game)) = found else { return Ok(None) };
    // Events are only added, and together with the game's row: those below its version are those it counted, though
    // others may have come between the two statements.
    let mut query = connection.prepare_cached(
        "SELECT at, payload, receipt FROM events WHERE ticket_id = ? AND position < ? ORDER BY position",
    )?;
    let event_of = |row: &Row<'_>| Ok(Event { at: row.get(0)?, payload: row.get(1)?, receipt: row.get(2)? });
    let events: Vec<Event> = query.query_map((id, game.version), event_of)?.collect::<Result<_, _>>()?;
    if u32::try_from(events.len()) != Ok(game.version.0) {
        return Err(StoreError::Corrupt { detail: "a game has fewer events than its version counts".into() });
    }
    Ok(Some(TicketRecord { ticket, emission, game, events }))
}

pub(super) fn load_by_session(
    connection: &Connection,
    token: TokenHash,
    now: Millis,
) -> Result<Option<TicketRecord>, StoreError> {
    match find_session(connection, token, now)? {
        Some(ticket) => load(connection, ticket),
        None => Ok(None),
    }
}

pub(super) fn due(connection: &Connection, now: Millis, limit: u32) -> Result<Vec<TicketId>, StoreError> {
    let mut query = connection.prepare_cached(
        "SELECT ticket_id FROM games WHERE finish_before IS NOT NULL AND finish_before <= ?
         ORDER BY finish_before, ticket_id LIMIT ?",
    )?;
    Ok(query.query_map((now, limit), |row| row.get(0))?.collect::<Result<_, _>>()?)
}

fn game_of(row: &Row<'_>) -> rusqlite::Result<Game> {
    Ok(Game {
        version: row.get::<_, Option<Version>>("version")?.unwrap_or_default(),
        client_seed: row.get("client_seed")?,
        state: row.get("state")?,
        finish_before: row.get("finish_before")?,
    })
}

/// `next` is the version after these events.
pub(super) fn append(connection: &Connection, append: &Append, next: Version) -> Result<Appended, StoreError> {
    let Some(entry) = &append.entry else { return append_events(connection, append, next) };
    // The events go first; where the ledger refuses, they are taken back.
    run(connection, "SAVEPOINT entry")?;
    let appended = append_events(connection, append, next)?;
    let refused = match appended {
        Appended::Now(_) => !ledger::insert(connection, append.ticket, next.0 - 1, entry)?,
        _ => true,
    };
    if refused {
        run(connection, "ROLLBACK TO entry")?;
    }
    run(connection, "RELEASE entry")?;
    let standing = if refused { ledger::standing(connection, entry)? } else { None };
    match (standing, appended) {
        (Some(standing), _) => Ok(Appended::Stands(Box::new(standing))),
        (None, Appended::Now(_)) if refused => Err(vanished()),
        (None, appended) => Ok(appended),
    }
}

fn append_events(connection: &Connection, append: &Append, next: Version) -> Result<Appended, StoreError> {
    let moved = if append.expected == Version(0) {
        begin_game(connection, append, next)?
    } else {
        move_game(connection, append, next)?
    };
    if let Appended::Now(_) = moved {
        let mut insert = connection
            .prepare_cached("INSERT INTO events (ticket_id, position, at, payload, receipt) VALUES (?, ?, ?, ?, ?)")?;
        for (position, event) in (append.expected.0..next.0).zip(&append.events) {
            insert.execute((append.ticket, position, event.at, &event.payload, &event.receipt))?;
        }
    }
    Ok(moved)
}

fn begin_game(connection: &Connection, append: &Append, next: Version) -> Result<Appended, StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO games (ticket_id, version, client_seed, state, finish_before) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (ticket_id) DO NOTHING",
    )?;
    let row = (append.ticket, next, append.client_seed, append.state, append.finish_before);
    match insert.execute(row) {
        Ok(1) => Ok(Appended::Now(next)),
        Ok(_) => Ok(Appended::Moved),
        Err(error) if names_what_is_not_there(&error) => Err(StoreError::UnknownTicket),
        Err(error) => Err(error.into()),
    }
}

fn move_game(connection: &Connection, append: &Append, next: Version) -> Result<Appended, StoreError> {
    let moved = match append.client_seed {
        None => connection
            .prepare_cached(
                "UPDATE games SET version = ?, state = ?, finish_before = ? WHERE ticket_id = ? AND version = ?",
            )?
            .execute((next, append.state, append.finish_before, append.ticket, append.expected))?,
        Some(seed) => connection
            .prepare_cached(
                "UPDATE games SET version = ?, state = ?, finish_before = ?, client_seed = ?
                 WHERE ticket_id = ? AND version = ? AND coalesce(client_seed, ?4) = ?4",
            )?
            .execute((next, append.state, append.finish_before, seed, append.ticket, append.expected))?,
    };
    if moved == 1 {
        return Ok(Appended::Now(next));
    }
    // Nothing was written: only the reason is looked up.
    let mut query = connection.prepare_cached("SELECT version FROM games WHERE ticket_id = ?")?;
    match query.query_row([append.ticket], |row| row.get::<_, Version>(0)).optional()? {
        Some(version) if version == append.expected => Err(StoreError::SeedAlreadySet),
        Some(_) => Ok(Appended::Moved),
        None if ticket(connection, append.ticket)?.is_some() => Ok(Appended::Moved),
        None => Err(StoreError::UnknownTicket),
    }
}

pub(super) fn put_session(connection: &Connection, session: &Session) -> Result<(), StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO sessions (token_hash, ticket_id, created, expires) VALUES (?, ?, ?, ?)
         ON CONFLICT (token_hash) DO NOTHING",
    )?;
    match insert.execute((session.token, session.ticket, session.created, session.expires)) {
        Ok(1) => return Ok(()),
        Ok(_) => {}
        Err(error) if names_what_is_not_there(&error) => return Err(StoreError::UnknownTicket),
        Err(error) => return Err(error.into()),
    }
    let mut query =
        connection.prepare_cached("SELECT ticket_id, created, expires FROM sessions WHERE token_hash = ?")?;
    let session_of = |row: &Row<'_>| {
        Ok(Session { token: session.token, ticket: row.get(0)?, created: row.get(1)?, expires: row.get(2)? })
    };
    if query.query_row([session.token], session_of)? == *session {
        Ok(())
    } else {
        Err(StoreError::Misuse("a session token is used twice"))
    }
}

pub(super) fn find_session(
    connection: &Connection,
    token: TokenHash,
    now: Millis,
) -> Result<Option<TicketId>, StoreError> {
    let mut query = connection.prepare_cached("SELECT ticket_id FROM sessions WHERE token_hash = ? AND expires > ?")?;
    Ok(query.query_row((token, now), |row| row.get(0)).optional()?)
}

pub(super) fn delete_expired_sessions(connection: &Connection, now: Millis) -> Result<u64, StoreError> {
    let deleted = connection.prepare_cached("DELETE FROM sessions WHERE expires <= ?")?.execute([now])?;
    Ok(u64::try_from(deleted).unwrap_or(u64::MAX))
}

pub(super) fn health(connection: &Connection) -> Result<(), StoreError> {
    // Of a table, so that the file itself is read.
    connection.prepare_cached("SELECT count(*) FROM emissions")?.query_row([], |_| Ok(()))?;
    Ok(())
}

fn vanished() -> StoreError {
    StoreError::Corrupt { detail: "a row that was in the way is not there".into() }
}

/// Newtypes kept as what they wrap.
macro_rules! kept_as {
    ($($name:ident($inner:ty))*) => { $(
        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }

        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                <$inner>::column_result(value).map(Self)
            }
        }
    )* };
}

kept_as! {
    TicketId([u8; 16]) PaymentId([u8; 16]) InstanceId([u8; 16]) Version(u32) Millis(i64) PointOfSaleId(u32)
    KeyedHash([u8; 32]) TokenHash([u8; 32]) ClientSeed([u8; 32]) PointOfSaleKey([u8; 32]) IdempotencyKey([u8; 32])
    Digest([u8; 32])
}

impl ToSql for Label {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.as_str().to_sql()
    }
}

impl FromSql for Label {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Label::new(value.as_str()?).map_err(FromSqlError::other)
    }
}
