//! Whether a store holds whole games only: as many events as each game's version says, numbered without a gap.

use std::path::Path;

use anyhow::ensure;
use rusqlite::{Connection, OpenFlags};

/// What makes a game half done; `scripts/faults` asks PostgreSQL the same.
const HALF_DONE: &str = "SELECT count(*) FROM games AS g WHERE g.version <> (SELECT count(*) FROM events AS e WHERE e.ticket_id = g.ticket_id)
     OR g.version <> 1 + (SELECT max(e.position) FROM events AS e WHERE e.ticket_id = g.ticket_id)";

/// Looks at every game, and at the database's own order; without a database only says by what query.
pub(crate) fn run(sqlite: Option<&Path>) -> anyhow::Result<()> {
    let Some(sqlite) = sqlite else {
        println!("{HALF_DONE}");
        return Ok(());
    };
    let store = Connection::open_with_flags(sqlite, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let count = |query: &str| store.query_row(query, [], |row| row.get::<_, i64>(0));
    let sound: String = store.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    ensure!(sound == "ok", "the database is damaged: {sound}");
    let (games, events, half_done) =
        (count("SELECT count(*) FROM games")?, count("SELECT count(*) FROM events")?, count(HALF_DONE)?);
    ensure!(half_done == 0, "{half_done} of {games} games are half done");
    println!("{games} games with {events} events are whole");
    Ok(())
}
