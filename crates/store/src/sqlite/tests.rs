//! What holds for SQLite beyond what holds for every store.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, StatementStatus};

use super::opening;
use crate::tests::{
    append, audit_line, block, database, emission, entered, event, furnish, payment, point_of_sale, session, ticket,
};
use crate::*;

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn beside(path: &Path, suffix: &str) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// How many commits lie in the write-ahead log: frames that name the database's size after them
/// (<https://www.sqlite.org/fileformat2.html#the_write_ahead_log>).
fn commits(path: &Path) -> usize {
    const HEADER: usize = 32;
    const FRAME: usize = 24 + 4096;
    let log = fs::read(beside(path, "-wal")).unwrap();
    log[HEADER..].chunks_exact(FRAME).filter(|frame| frame[4..8] != [0; 4]).count()
}

#[tokio::test]
async fn a_reopened_database_has_all_that_was_acknowledged() {
    let directory = directory();
    let path = database(directory.path());
    let mut kept = None;
    // Closed in order, and merely dropped.
    for close in [true, false] {
        let store = SqliteStore::open(&path).unwrap();
        if kept.is_none() {
            furnish(&store).await;
            store.put_session(session(1, 1)).await.unwrap();
        }
        for n in 1..=4 {
            let version = store.load(ticket(n).id).await.unwrap().unwrap().game.version;
            store.append(append(n, version.0)).await.unwrap();
        }
        kept = store.load(ticket(1).id).await.unwrap();
        if close {
            store.close().await.unwrap();
            assert!(!beside(&path, "-wal").exists(), "the log is in the database");
        }
    }
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(kept.as_ref().unwrap().game.version, Version(2));
    assert_eq!(store.load(ticket(1).id).await.unwrap(), kept);
    assert_eq!(store.emissions().await, Ok(vec![emission(7)]));
    assert_eq!(store.find_session(session(1, 1).token, Millis(0)).await, Ok(Some(ticket(1).id)));
}

#[tokio::test]
async fn the_files_are_readable_by_their_owner_alone() {
    let directory = directory();
    let path = database(directory.path());
    for mode_before in [None, Some(0o644)] {
        if let Some(mode) = mode_before {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        let store = SqliteStore::open(&path).unwrap();
        furnish(&store).await;
        for suffix in ["", "-wal", "-shm"] {
            let mode = fs::metadata(beside(&path, suffix)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{suffix}");
        }
        store.close().await.unwrap();
    }
}

#[test]
fn the_writer_flushes_every_commit_and_checks_references() {
    let directory = directory();
    let connection = opening::writer(&opening::prepare_file(&database(directory.path())).unwrap()).unwrap();
    let setting = |name: &str| -> String {
        let query = format!("SELECT CAST({name} AS TEXT) FROM pragma_{name}");
        connection.query_row(&query, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(setting("journal_mode"), "wal");
    assert_eq!(setting("synchronous"), "2", "FULL");
    assert_eq!(setting("foreign_keys"), "1");
}

#[test]
fn a_cached_statement_is_prepared_once() {
    let directory = directory();
    let path = opening::prepare_file(&database(directory.path())).unwrap();
    for connection in [opening::writer(&path).unwrap(), opening::reader(&path).unwrap()] {
        for n in 0..3u8 {
            // Of the form that shows it: a key compared, and an order.
            let query = "SELECT at FROM events WHERE ticket_id = ? AND position < ? ORDER BY position";
            let mut query = connection.prepare_cached(query).unwrap();
            assert!(!query.exists((ticket(n).id, n)).unwrap());
            assert_eq!(query.get_status(StatementStatus::RePrepare), 0);
        }
    }
}

#[test]
fn a_database_of_a_newer_program_is_refused() {
    let directory = directory();
    let path = database(directory.path());
    drop(SqliteStore::open(&path).unwrap());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 1000).unwrap();
    let refused = SqliteStore::open(&path).err().unwrap();
    assert!(matches!(refused, StoreError::Newer { found: 1000, known: 1.. }), "{refused}");
}

#[test]
fn a_file_that_is_something_else_is_refused_and_left_as_it_is() {
    let directory = directory();
    let text = directory.path().join("text");
    fs::write(&text, "a list of codes, perhaps, and long enough to be read as a header. ".repeat(20)).unwrap();
    let other = directory.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    for path in [text, other] {
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let before = fs::read(&path).unwrap();
        assert_eq!(SqliteStore::open(&path).err(), Some(StoreError::Foreign { path: path.clone() }));
        assert_eq!(fs::read(&path).unwrap(), before);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
    }
}

#[test]
fn a_place_that_cannot_be_opened_is_an_error_without_a_panic() {
    let directory = directory();
    let missing = SqliteStore::open(&directory.path().join("nowhere/qod.db")).err();
    assert!(matches!(missing, Some(StoreError::Unavailable { .. })));
    let a_directory = SqliteStore::open(directory.path()).err();
    assert!(matches!(a_directory, Some(StoreError::Unavailable { .. })));
}

#[test]
fn a_new_database_can_be_opened_by_many_at_once() {
    for _ in 0..5 {
        let directory = directory();
        let path = database(directory.path());
        std::thread::scope(|scope| {
            let openers: Vec<_> = (0..8).map(|_| scope.spawn(|| SqliteStore::open(&path).err())).collect();
            for opener in openers {
                assert_eq!(opener.join().unwrap(), None);
            }
        });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_twenty_appends_over_two_stores_of_one_database_exactly_one_succeeds() {
    let directory = directory();
    let path = database(directory.path());
    let stores = [Arc::new(SqliteStore::open(&path).unwrap()), Arc::new(SqliteStore::open(&path).unwrap())];
    furnish(&*stores[0]).await;
    for version in 0..5 {
        let tries: Vec<_> = (0..20)
            .map(|who| {
                let store = stores[who % 2].clone();
                tokio::spawn(async move { store.append(append(1, version)).await.unwrap() })
            })
            .collect();
        let mut succeeded = 0;
        for tried in tries {
            succeeded += usize::from(tried.await.unwrap() == Appended::Now(Version(version + 1)));
        }
        assert_eq!(succeeded, 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_that_wait_share_a_commit_and_each_fails_alone() {
    let directory = directory();
    let path = database(directory.path());
    let store = Arc::new(SqliteStore::open(&path).unwrap());
    furnish(&*store).await;
    store.append(Append { client_seed: Some(ClientSeed([1; 32])), ..append(1, 0) }).await.unwrap();
    let before = commits(&path);

    // While another process writes, everything waits.
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let spawn = |append: Append| {
        let store = store.clone();
        tokio::spawn(async move { store.append(append).await })
    };
    let seed = Append { client_seed: Some(ClientSeed([2; 32])), events: vec![event(1, b"x"); 3], ..append(1, 1) };
    let waiting = [spawn(append(2, 0)), spawn(seed), spawn(append(2, 7)), spawn(append(9, 0)), spawn(append(3, 0))];
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(waiting.iter().all(|append| !append.is_finished()), "nothing is answered before it is committed");
    other.execute_batch("ROLLBACK").unwrap();

    let mut answers = Vec::new();
    for append in waiting {
        answers.push(append.await.unwrap());
    }
    let kept = Ok(Appended::Now(Version(1)));
    let refused = [Err(StoreError::SeedAlreadySet), Ok(Appended::Moved), Err(StoreError::UnknownTicket)];
    assert_eq!(answers, [[kept.clone()].as_slice(), &refused, &[kept]].concat());
    assert_eq!(store.load(ticket(1).id).await.unwrap().unwrap().game.version, Version(1));
    // The first one may have been taken alone, before the others came.
    assert!(commits(&path) - before <= 2, "{} commits", commits(&path) - before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_that_cannot_be_committed_is_an_error_and_the_next_one_succeeds() {
    let directory = directory();
    let path = database(directory.path());
    let store = SqliteStore::open(&path).unwrap();
    furnish(&store).await;
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = store.append(append(1, 0)).await;
    assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{refused:?}");
    assert_eq!(store.health().await, Ok(()), "reads go on");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(store.append(append(1, 0)).await, Ok(Appended::Now(Version(1))));
}

#[tokio::test]
async fn history_is_only_added_to_even_by_hand() {
    let directory = directory();
    let path = database(directory.path());
    let store = SqliteStore::open(&path).unwrap();
    furnish(&store).await;
    store.append(Append { client_seed: Some(ClientSeed([1; 32])), ..append(1, 0) }).await.unwrap();
    store.add_point_of_sale(point_of_sale(1)).await.unwrap();
    store.append(entered(2, 0, payment(1, 1, 1))).await.unwrap();
    store.append_audit(InstanceId([1; 16]), 0, vec![audit_line(1)]).await.unwrap();
    store.begin_block(block(9)).await.unwrap();
    let by_hand = Connection::open(&path).unwrap();
    for forbidden in [
        "UPDATE events SET payload = x'00'",
        "DELETE FROM events",
        "UPDATE games SET client_seed = zeroblob(32)",
        "UPDATE games SET client_seed = NULL",
        "UPDATE tickets SET potential_gain_eur = 50000",
        "DELETE FROM tickets",
        "UPDATE events SET receipt = x'00'",
        "UPDATE ledger SET amount_eur = 50000",
        "DELETE FROM ledger",
        "UPDATE audit_lines SET bytes = x'00'",
        "DELETE FROM audit_lines",
        "UPDATE blocks SET total_eur = 0",
    ] {
        let error = by_hand.execute_batch(forbidden).unwrap_err().to_string();
        assert!(error.contains("is never"), "{forbidden}: {error}");
    }
}

#[tokio::test]
async fn a_lost_event_is_reported_as_damage() {
    let directory = directory();
    let path = database(directory.path());
    let store = SqliteStore::open(&path).unwrap();
    furnish(&store).await;
    store.append(append(1, 0)).await.unwrap();
    Connection::open(&path).unwrap().execute_batch("DROP TRIGGER events_are_kept; DELETE FROM events").unwrap();
    assert!(matches!(store.load(ticket(1).id).await, Err(StoreError::Corrupt { .. })));
}
