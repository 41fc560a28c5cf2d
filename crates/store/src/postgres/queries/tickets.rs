//! Tickets: their import, and how they are found.

use std::collections::{HashMap, HashSet};

use crate::StoreError;
use crate::memory::only_one;
use crate::postgres::connection::Connection;
use crate::postgres::failure::Failure;
use crate::postgres::values;
use crate::types::*;

/// Imports all or none, in a transaction of its own.
pub(in crate::postgres) async fn import(connection: &mut Connection, tickets: &[Ticket]) -> Result<Imported, Failure> {
    connection.begin().await?;
    let imported = import_within(connection, tickets).await?;
    connection.commit().await?;
    Ok(imported)
}

/// The same, within a transaction that is open: an error means that it must be undone.
pub(super) async fn import_within(connection: &mut Connection, tickets: &[Ticket]) -> Result<Imported, Failure> {
    // Emissions are never removed, so that those found here stand. What comes after one without is not looked at: the
    // answer is the first refusal in order.
    let known: HashSet<u16> = super::emissions::all(connection).await?.iter().map(|emission| emission.id).collect();
    let stray = tickets.iter().position(|ticket| !known.contains(&ticket.number.emission));
    let looked_at = tickets.get(..stray.map_or(tickets.len(), |stray| stray + 1)).unwrap_or_default();

    // One given twice, identical, is there already the second time; one that differs collides with the first.
    let mut given = HashMap::new();
    let mut rows: Vec<&Ticket> = Vec::with_capacity(looked_at.len());
    let mut differs = None;
    for ticket in looked_at {
        match given.insert(ticket.id, ticket) {
            None => rows.push(ticket),
            Some(before) if before == ticket => {}
            Some(_) => {
                differs = Some(ticket);
                break;
            }
        }
    }
    let Inserted { added, whole: new } = insert(connection, &rows).await?;
    let old = existing(connection, rows.iter().map(|ticket| ticket.id).filter(|id| !added.contains(id))).await?;
    let is_there = |ticket: &Ticket| new.contains(ticket) || old.get(&ticket.id) == Some(ticket);
    // In order: the one that differs comes after all of the rows.
    if let Some(ticket) = rows.iter().copied().find(|ticket| !is_there(ticket)).or(differs) {
        return Err(StoreError::TicketCollision { number: ticket.number }.into());
    }
    if let Some(stray) = stray.and_then(|stray| tickets.get(stray)) {
        return Err(StoreError::UnknownEmission(stray.number.emission).into());
    }
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    Ok(Imported { added: count(new.len()), already: count(tickets.len() - new.len()) })
}

/// What became of rows that were inserted.
struct Inserted<'a> {
    /// Those that are new by their id.
    added: HashSet<TicketId>,
    /// Those of them that are new by their number and code, too.
    whole: HashSet<&'a Ticket>,
}

/// Inserts rows in order, each into its three tables as far as it collides with none. No id is given twice.
async fn insert<'a>(connection: &mut Connection, rows: &[&'a Ticket]) -> Result<Inserted<'a>, Failure> {
    let sql = "INSERT INTO tickets (ticket_id, emission, block, serial, potential_gain_eur, code_hash, control_hash)
        SELECT *
        FROM unnest($1::uuid[], $2::integer[], $3::integer[], $4::bigint[], $5::bigint[], $6::bytea[], $7::bytea[])
        ON CONFLICT DO NOTHING RETURNING ticket_id";
    let columns = Columns::of(rows.iter().copied());
    let Columns { ids, emissions, blocks, serials, gains, codes, controls } = &columns;
    let inserted = connection.all(sql, &[ids, emissions, blocks, serials, gains, codes, controls]).await?;
    let added: HashSet<TicketId> = inserted.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    let mut rows: Vec<&Ticket> = rows.iter().copied().filter(|ticket| added.contains(&ticket.id)).collect();

    let numbers = "INSERT INTO ticket_numbers (emission, block, serial, ticket_id)
        SELECT * FROM unnest($1::integer[], $2::integer[], $3::bigint[], $4::uuid[])
        ON CONFLICT DO NOTHING RETURNING ticket_id";
    let Columns { ids, emissions, blocks, serials, .. } = &Columns::of(rows.iter().copied());
    keep(&mut rows, connection.all(numbers, &[emissions, blocks, serials, ids]).await?)?;

    let codes = "INSERT INTO ticket_codes (code_hash, ticket_id)
        SELECT * FROM unnest($1::bytea[], $2::uuid[]) ON CONFLICT DO NOTHING RETURNING ticket_id";
    let columns = Columns::of(rows.iter().copied());
    keep(&mut rows, connection.all(codes, &[&columns.codes, &columns.ids]).await?)?;
    Ok(Inserted { added, whole: rows.into_iter().collect() })
}

fn keep(rows: &mut Vec<&Ticket>, returned: Vec<tokio_postgres::Row>) -> Result<(), Failure> {
    let returned: HashSet<TicketId> = returned.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    rows.retain(|ticket| returned.contains(&ticket.id));
    Ok(())
}

async fn existing(
    connection: &mut Connection,
    ids: impl Iterator<Item = TicketId>,
) -> Result<HashMap<TicketId, Ticket>, Failure> {
    let ids: Vec<TicketId> = ids.collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = "SELECT ticket_id, emission, block, serial, potential_gain_eur, code_hash, control_hash
        FROM tickets WHERE ticket_id = ANY ($1)";
    let rows = connection.all(sql, &[&ids]).await?;
    rows.iter().map(|row| values::ticket(row).map(|ticket| (ticket.id, ticket))).collect()
}

#[derive(Default)]
struct Columns {
    ids: Vec<TicketId>,
    emissions: Vec<i32>,
    blocks: Vec<i32>,
    serials: Vec<i64>,
    gains: Vec<i64>,
    codes: Vec<KeyedHash>,
    controls: Vec<KeyedHash>,
}

impl Columns {
    fn of<'a>(rows: impl Iterator<Item = &'a Ticket>) -> Self {
        let mut columns = Self::default();
        for ticket in rows {
            columns.ids.push(ticket.id);
            columns.emissions.push(ticket.number.emission.into());
            columns.blocks.push(ticket.number.block.into());
            columns.serials.push(ticket.number.serial.into());
            columns.gains.push(ticket.potential_gain_eur.into());
            columns.codes.push(ticket.code_hash);
            columns.controls.push(ticket.control_hash);
        }
        columns
    }
}

pub(in crate::postgres) async fn find_by_code(
    connection: &mut Connection,
    candidates: &[KeyedHash],
) -> Result<Option<TicketId>, Failure> {
    let sql = "SELECT code_hash, ticket_id FROM ticket_codes WHERE code_hash = ANY ($1)";
    let mut found: HashMap<KeyedHash, TicketId> = HashMap::new();
    for row in connection.all(sql, &[&candidates]).await? {
        found.insert(row.try_get(0)?, row.try_get(1)?);
    }
    Ok(only_one(candidates.iter().filter_map(|candidate| found.get(candidate).copied()))?)
}

pub(in crate::postgres) async fn find_by_number(
    connection: &mut Connection,
    number: TicketNumber,
) -> Result<Option<TicketId>, Failure> {
    let sql = "SELECT ticket_id FROM ticket_numbers WHERE emission = $1 AND block = $2 AND serial = $3";
    let TicketNumber { emission, block, serial } = number;
    let found = connection.maybe(sql, &[&i32::from(emission), &i32::from(block), &i64::from(serial)]).await?;
    Ok(found.map(|row| row.try_get(0)).transpose()?)
}
