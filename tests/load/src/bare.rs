//! The bare loop that a server over SQLite is measured against: one pick a transaction, the same durability, no server.
#![allow(clippy::float_arithmetic, reason = "what is measured is no money and no odds")]

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};

/// How many games the picks are spread over.
const GAMES: u32 = 10_000;

/// Commits picks for a while and prints how many a second.
pub(crate) fn run(folder: &Path, seconds: u64) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)?;
    let file = folder.join("bare.sqlite");
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(folder.join(format!("bare.sqlite{suffix}")));
    }
    let mut connection = Connection::open(&file)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
         CREATE TABLE games (ticket_id BLOB PRIMARY KEY, version INTEGER NOT NULL, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
         CREATE TABLE events (ticket_id BLOB, position INTEGER, at INTEGER, payload BLOB, receipt BLOB,
                              PRIMARY KEY (ticket_id, position)) STRICT, WITHOUT ROWID;",
    )?;
    let id = |game: u32| {
        let mut id = [0; 16];
        id[..4].copy_from_slice(&game.wrapping_mul(0x9e37_79b9).to_be_bytes());
        id
    };
    let setup = connection.transaction()?;
    for game in 0..GAMES {
        setup.execute("INSERT INTO games VALUES (?, 0, 'picking')", [id(game)])?;
    }
    setup.commit()?;

    let (begun, mut picks) = (Instant::now(), 0u32);
    while begun.elapsed() < Duration::from_secs(seconds) {
        let (game, version) = (id(picks % GAMES), picks / GAMES);
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let moved = transaction
            .prepare_cached("UPDATE games SET version = ?, state = 'picking' WHERE ticket_id = ? AND version = ?")?
            .execute((version + 1, game, version))?;
        anyhow::ensure!(moved == 1, "a game of the bare loop was moved by somebody else");
        transaction.prepare_cached("INSERT INTO events VALUES (?, ?, ?, ?, ?)")?.execute((
            game,
            version,
            i64::from(picks),
            [1u8; 2],
            [2u8; 72],
        ))?;
        transaction.commit()?;
        picks += 1;
    }
    println!("{:.0} picks a second, one a transaction", f64::from(picks) / begun.elapsed().as_secs_f64());
    Ok(())
}
