//! The lines of audit logs.

use crate::StoreError;
use crate::postgres::attempts::Attempt;
use crate::postgres::connection::Connection;
use crate::postgres::failure::Failure;
use crate::postgres::values;
use crate::types::*;

pub(in crate::postgres) async fn append(
    connection: &mut Connection,
    attempt: Attempt,
    instance: InstanceId,
    expected: u64,
    lines: &[AuditLine],
) -> Result<AuditAppended, Failure> {
    // All or none: of two that come at once the second one finds a line there, and adds none of its own.
    let sql = "WITH given AS (
            SELECT $2 + n - 1 AS line, bytes, hash
            FROM unnest($3::bytea[], $4::bytea[]) WITH ORDINALITY AS q (bytes, hash, n)
        ), first AS (
            INSERT INTO audit_lines (instance, line, bytes, hash) SELECT $1, line, bytes, hash FROM given
            WHERE line = $2 AND $2 = (SELECT coalesce(max(line) + 1, 0) FROM audit_lines WHERE instance = $1)
            ON CONFLICT DO NOTHING RETURNING line
        ), others AS (
            INSERT INTO audit_lines (instance, line, bytes, hash) SELECT $1, given.line, bytes, hash FROM given, first
            WHERE given.line > $2
        )
        SELECT line FROM first";
    let at = signed(expected)?;
    if !lines.is_empty() {
        let bytes: Vec<&[u8]> = lines.iter().map(|line| line.bytes.as_slice()).collect();
        let hashes: Vec<Digest> = lines.iter().map(|line| line.hash).collect();
        if connection.maybe(sql, &[&instance, &at, &bytes, &hashes]).await?.is_some() {
            return Ok(AuditAppended::Now(expected + u64::try_from(lines.len()).unwrap_or(u64::MAX)));
        }
    }
    let count = "SELECT coalesce(max(line) + 1, 0) AS lines FROM audit_lines WHERE instance = $1";
    let stands = values::number(&connection.one(count, &[&instance]).await?, "lines")?;
    let limit = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let is_ours = attempt == Attempt::MayBeThere && self::lines(connection, instance, expected, limit).await? == lines;
    let is_where_said = lines.is_empty() && stands == expected;
    Ok(if is_ours || is_where_said { AuditAppended::Now(stands) } else { AuditAppended::Moved(stands) })
}

pub(in crate::postgres) async fn lines(
    connection: &mut Connection,
    instance: InstanceId,
    from: u64,
    limit: u32,
) -> Result<Vec<AuditLine>, Failure> {
    let sql = "SELECT bytes, hash FROM audit_lines WHERE instance = $1 AND line >= $2 ORDER BY line LIMIT $3";
    let rows = connection.all(sql, &[&instance, &signed(from)?, &i64::from(limit)]).await?;
    rows.iter().map(|row| Ok(AuditLine { bytes: row.try_get(0)?, hash: row.try_get(1)? })).collect()
}

pub(in crate::postgres) async fn instances(connection: &mut Connection) -> Result<Vec<AuditInstance>, Failure> {
    let sql =
        "SELECT DISTINCT ON (instance) instance, line + 1 AS lines, hash FROM audit_lines ORDER BY instance, line DESC";
    let rows = connection.all(sql, &[]).await?;
    let instance_of = |row: &tokio_postgres::Row| {
        let lines = values::number(row, "lines")?;
        Ok(AuditInstance { instance: row.try_get("instance")?, lines, last: row.try_get("hash")? })
    };
    rows.iter().map(instance_of).collect()
}

fn signed(index: u64) -> Result<i64, StoreError> {
    i64::try_from(index).map_err(|_| StoreError::Misuse("an audit log has not that many lines"))
}
