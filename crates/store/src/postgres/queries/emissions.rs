//! Emissions.

use crate::StoreError;
use crate::postgres::attempts::Attempt;
use crate::postgres::connection::{Connection, vanished};
use crate::postgres::failure::Failure;
use crate::postgres::values;
use crate::types::*;

pub(in crate::postgres) async fn add(
    connection: &mut Connection,
    attempt: Attempt,
    emission: &Emission,
) -> Result<AddedEmission, Failure> {
    let sql = "INSERT INTO emissions (id, start_before, unfinished, new_games, payment_before)
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
    let Emission { id, start_before, unfinished, new_games, payment_before } = emission;
    let added = connection.change(sql, &[&i32::from(*id), start_before, unfinished, new_games, payment_before]).await?;
    if added == 1 {
        return Ok(AddedEmission::New);
    }
    match get(connection, *id).await? {
        Some(stands) if stands == *emission && attempt == Attempt::MayBeThere => Ok(AddedEmission::New),
        Some(stands) => Ok(AddedEmission::Already(stands)),
        None => Err(vanished().into()),
    }
}

pub(in crate::postgres) async fn get(connection: &mut Connection, id: u16) -> Result<Option<Emission>, Failure> {
    let sql = "SELECT id, start_before, unfinished, new_games, payment_before FROM emissions WHERE id = $1";
    connection.maybe(sql, &[&i32::from(id)]).await?.as_ref().map(values::emission).transpose()
}

pub(in crate::postgres) async fn all(connection: &mut Connection) -> Result<Vec<Emission>, Failure> {
    let sql = "SELECT id, start_before, unfinished, new_games, payment_before FROM emissions ORDER BY id";
    connection.all(sql, &[]).await?.iter().map(values::emission).collect()
}

pub(in crate::postgres) async fn replace(
    connection: &mut Connection,
    attempt: Attempt,
    current: &Emission,
    next: &Emission,
) -> Result<Replaced, Failure> {
    let sql = "UPDATE emissions SET start_before = $2, unfinished = $3, new_games = $4, payment_before = $5
        WHERE id = $1 AND start_before IS NOT DISTINCT FROM $6 AND unfinished = $7 AND new_games = $8
            AND payment_before IS NOT DISTINCT FROM $9";
    let replaced = connection
        .change(
            sql,
            &[
                &i32::from(next.id),
                &next.start_before,
                &next.unfinished,
                &next.new_games,
                &next.payment_before,
                &current.start_before,
                &current.unfinished,
                &current.new_games,
                &current.payment_before,
            ],
        )
        .await?;
    if replaced == 1 {
        return Ok(Replaced::Done);
    }
    match get(connection, current.id).await? {
        Some(stands) if stands == *next && attempt == Attempt::MayBeThere => Ok(Replaced::Done),
        Some(_) => Ok(Replaced::Moved),
        None => Err(StoreError::UnknownEmission(current.id).into()),
    }
}
