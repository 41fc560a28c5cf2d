//! Sessions.

use crate::StoreError;
use crate::postgres::connection::Connection;
use crate::postgres::failure::Failure;
use crate::types::*;

pub(in crate::postgres) async fn put(connection: &mut Connection, session: &Session) -> Result<(), Failure> {
    let Session { token, ticket, created, expires } = session;
    let insert = "INSERT INTO sessions (token_hash, ticket_id, created, expires)
        SELECT $1, ticket_id, $3, $4 FROM tickets WHERE ticket_id = $2 ON CONFLICT DO NOTHING";
    if connection.change(insert, &[token, ticket, created, expires]).await? == 1 {
        return Ok(());
    }
    let sql = "SELECT ticket_id, created, expires FROM sessions WHERE token_hash = $1";
    let Some(row) = connection.maybe(sql, &[token]).await? else { return Err(StoreError::UnknownTicket.into()) };
    let stands = Session { token: *token, ticket: row.try_get(0)?, created: row.try_get(1)?, expires: row.try_get(2)? };
    if stands == *session { Ok(()) } else { Err(StoreError::Misuse("a session token is used twice").into()) }
}

pub(in crate::postgres) async fn find(
    connection: &mut Connection,
    token: TokenHash,
    now: Millis,
) -> Result<Option<TicketId>, Failure> {
    let sql = "SELECT ticket_id FROM sessions WHERE token_hash = $1 AND expires > $2";
    Ok(connection.maybe(sql, &[&token, &now]).await?.map(|row| row.try_get(0)).transpose()?)
}

pub(in crate::postgres) async fn delete_expired(connection: &mut Connection, now: Millis) -> Result<u64, Failure> {
    connection.change("DELETE FROM sessions WHERE expires <= $1", &[&now]).await
}
