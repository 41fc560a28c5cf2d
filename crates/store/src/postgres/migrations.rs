//! The schema, brought up to date by whoever comes first: the others wait at an advisory lock and find the work done.

use std::path::PathBuf;

use super::connection::Connection;
use super::failure::Failure;
use crate::StoreError;

/// The schema's steps, in order. A step that was released is never edited.
const MIGRATIONS: &[&str] = &[include_str!("../../migrations/postgres/0001_everything.sql")];

/// What the advisory lock is named after: "QoD1" in ASCII.
const LOCK: i64 = 0x516f_4431;

/// Takes the steps that are missing, all or none.
pub(super) async fn migrate(connection: &mut Connection) -> Result<(), Failure> {
    connection.begin().await?;
    connection.one("SELECT pg_advisory_xact_lock($1) IS NULL", &[&LOCK]).await?;
    let taken = taken(connection).await?;
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    if taken > known {
        return Err(StoreError::Newer { found: taken, known }.into());
    }
    let missing = usize::try_from(taken).ok().and_then(|taken| MIGRATIONS.get(taken..)).unwrap_or_default();
    for step in missing {
        connection.script(step).await?;
    }
    if !missing.is_empty() {
        connection.script("CREATE TABLE IF NOT EXISTS schema_of_qod (version bigint NOT NULL)").await?;
        connection.script(&format!("DELETE FROM schema_of_qod; INSERT INTO schema_of_qod VALUES ({known})")).await?;
    }
    connection.commit().await
}

/// How many steps the database has taken; refuses one that holds something else.
async fn taken(connection: &mut Connection) -> Result<i64, Failure> {
    let sql = "SELECT to_regclass('schema_of_qod') IS NOT NULL, current_database()::text,
            EXISTS (SELECT 1 FROM pg_class
                WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace)";
    let row = connection.one(sql, &[]).await?;
    match (row.try_get(0)?, row.try_get(2)?) {
        (true, _) => Ok(connection.one("SELECT version FROM schema_of_qod", &[]).await?.try_get(0)?),
        (false, false) => Ok(0),
        (false, true) => Err(StoreError::Foreign { path: PathBuf::from(row.try_get::<_, String>(1)?) }.into()),
    }
}
