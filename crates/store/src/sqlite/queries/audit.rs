//! The lines of audit logs.

use rusqlite::{Connection, Row};

use crate::StoreError;
use crate::types::*;

pub(in crate::sqlite) fn append(
    connection: &Connection,
    instance: InstanceId,
    expected: u64,
    lines: &[AuditLine],
) -> Result<AuditAppended, StoreError> {
    // Without a gap: a line follows the last one.
    let mut insert = connection.prepare_cached(
        "INSERT INTO audit_lines (instance, line, bytes, hash)
         SELECT ?1, ?2, ?3, ?4 WHERE ?2 = (SELECT coalesce(max(line) + 1, 0) FROM audit_lines WHERE instance = ?1)",
    )?;
    for (index, line) in (expected..).zip(lines) {
        // Only the first one can be refused: the write lock is held.
        if insert.execute((instance, signed(index)?, &line.bytes, line.hash))? == 0 {
            return Ok(AuditAppended::Moved(count(connection, instance)?));
        }
    }
    let stands = count(connection, instance)?;
    let is_where_said = !lines.is_empty() || stands == expected;
    Ok(if is_where_said { AuditAppended::Now(stands) } else { AuditAppended::Moved(stands) })
}

fn count(connection: &Connection, instance: InstanceId) -> Result<u64, StoreError> {
    let mut query =
        connection.prepare_cached("SELECT coalesce(max(line) + 1, 0) FROM audit_lines WHERE instance = ?")?;
    Ok(query.query_row([instance], |row| row.get::<_, i64>(0))?.unsigned_abs())
}

pub(in crate::sqlite) fn lines(
    connection: &Connection,
    instance: InstanceId,
    from: u64,
    limit: u32,
) -> Result<Vec<AuditLine>, StoreError> {
    let mut query = connection
        .prepare_cached("SELECT bytes, hash FROM audit_lines WHERE instance = ? AND line >= ? ORDER BY line LIMIT ?")?;
    let line_of = |row: &Row<'_>| Ok(AuditLine { bytes: row.get(0)?, hash: row.get(1)? });
    Ok(query.query_map((instance, signed(from)?, limit), line_of)?.collect::<Result<_, _>>()?)
}

pub(in crate::sqlite) fn instances(connection: &Connection) -> Result<Vec<AuditInstance>, StoreError> {
    // A bare column beside max() is that of the row with the greatest value.
    let mut query = connection.prepare_cached(
        "SELECT instance, max(line) + 1 AS lines, hash FROM audit_lines GROUP BY instance ORDER BY instance",
    )?;
    let instance_of = |row: &Row<'_>| {
        let lines = row.get::<_, i64>("lines")?.unsigned_abs();
        Ok(AuditInstance { instance: row.get("instance")?, lines, last: row.get("hash")? })
    };
    Ok(query.query_map([], instance_of)?.collect::<Result<_, _>>()?)
}

fn signed(index: u64) -> Result<i64, StoreError> {
    i64::try_from(index).map_err(|_| StoreError::Misuse("an audit log has not that many lines"))
}
