//! What holds for PostgreSQL beyond what holds for every store.

mod faults;

use std::sync::Arc;
use std::time::Duration;

use tokio_postgres::{Client, NoTls};

use crate::tests::{
    append, audit_line, block, emission, entered, event, furnish, payment, point_of_sale, session, ticket,
};
use crate::*;

fn config(url: &str) -> PostgresConfig {
    PostgresConfig::new(url).unwrap()
}

async fn open(url: &str) -> Arc<PostgresStore> {
    Arc::new(PostgresStore::connect(config(url)).await.unwrap())
}

/// A connection that no store knows of.
async fn by_hand(url: &str) -> Client {
    let (client, driver) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(driver);
    client
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn history_is_only_added_to_even_by_hand() {
    let url = cluster::shared().database();
    let store = open(&url).await;
    furnish(&*store).await;
    store.append(Append { client_seed: Some(ClientSeed([1; 32])), ..append(1, 0) }).await.unwrap();
    store.add_point_of_sale(point_of_sale(1)).await.unwrap();
    store.append(entered(2, 0, payment(1, 1, 1))).await.unwrap();
    store.append_audit(InstanceId([1; 16]), 0, vec![audit_line(1)]).await.unwrap();
    store.begin_block(block(9)).await.unwrap();
    let by_hand = by_hand(&url).await;
    for forbidden in [
        "UPDATE events SET payload = ''",
        "UPDATE events SET receipt = ''",
        "DELETE FROM events",
        "UPDATE games SET client_seed = decode(repeat('00', 32), 'hex')",
        "UPDATE games SET client_seed = NULL",
        "DELETE FROM games",
        "UPDATE tickets SET potential_gain_eur = 50000",
        "DELETE FROM tickets",
        "DELETE FROM ticket_codes",
        "UPDATE ticket_numbers SET serial = serial + 1",
        "UPDATE ledger SET amount_eur = 50000",
        "DELETE FROM ledger",
        "UPDATE audit_lines SET bytes = ''",
        "DELETE FROM audit_lines",
        "UPDATE blocks SET total_eur = 0",
        "DELETE FROM emissions",
    ] {
        let error = by_hand.batch_execute(forbidden).await.unwrap_err();
        let message = error.as_db_error().unwrap().message();
        assert!(message.contains("is never"), "{forbidden}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_twenty_appends_over_three_stores_of_one_database_exactly_one_succeeds() {
    let url = cluster::shared().database();
    let stores = [open(&url).await, open(&url).await, open(&url).await];
    furnish(&*stores[0]).await;
    stores[0].add_point_of_sale(point_of_sale(1)).await.unwrap();
    for version in 0..12u8 {
        let tries: Vec<_> = (0..20u8)
            .map(|who| {
                let store = stores[usize::from(who) % 3].clone();
                // Every third one also pays: the two ways to append race, too.
                let append = match who % 3 {
                    0 => entered(1, version.into(), payment(version * 20 + who, 1, version * 20 + who)),
                    _ => Append { events: vec![event(1, &[who])], ..append(1, version.into()) },
                };
                tokio::spawn(async move { store.append(append).await.unwrap() })
            })
            .collect();
        let mut succeeded = 0;
        for tried in tries {
            match tried.await.unwrap() {
                Appended::Now(now) => {
                    assert_eq!(now, Version(u32::from(version) + 1));
                    succeeded += 1;
                }
                other => assert_eq!(other, Appended::Moved),
            }
        }
        assert_eq!(succeeded, 1);
    }
    let record = stores[2].load(ticket(1).id).await.unwrap().unwrap();
    assert_eq!(record.events.len(), 12);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_database_can_be_opened_by_many_at_once() {
    let url = cluster::shared().database();
    let opening: Vec<_> = (0..6)
        .map(|_| {
            let config = config(&url);
            tokio::spawn(async move { PostgresStore::connect(config).await.err() })
        })
        .collect();
    for opened in opening {
        assert_eq!(opened.await.unwrap(), None);
    }
    furnish(&*open(&url).await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_of_a_newer_program_and_one_of_something_else_are_refused() {
    let url = cluster::shared().database();
    drop(open(&url).await);
    by_hand(&url).await.batch_execute("UPDATE schema_of_qod SET version = 1000").await.unwrap();
    let refused = PostgresStore::connect(config(&url)).await.err().unwrap();
    assert!(matches!(refused, StoreError::Newer { found: 1000, known: 1.. }), "{refused}");

    let url = cluster::shared().database();
    by_hand(&url).await.batch_execute("CREATE TABLE theirs (x integer)").await.unwrap();
    let refused = PostgresStore::connect(config(&url)).await.err().unwrap();
    assert!(matches!(refused, StoreError::Foreign { .. }), "{refused}");
    let tables = by_hand(&url).await.query("SELECT relname FROM pg_class WHERE relname = 'games'", &[]).await.unwrap();
    assert!(tables.is_empty(), "it was left as it was");
}

#[test]
fn a_url_is_taken_without_a_password_and_without_encryption_only() {
    for wrong in ["", "mysql://host/db?x=1", "postgres://qod:secret@host/qod", "postgres://host/qod?sslmode=require"] {
        let refused = PostgresConfig::new(wrong).map(|_| ());
        assert!(matches!(refused, Err(StoreError::Misuse(_))) || wrong.is_empty(), "{wrong}");
        assert!(!format!("{refused:?}").contains("secret"));
    }
    let config = config("postgres://qod@one,two:5433/qod").password(b"secret");
    let shown = format!("{config:?}");
    assert!(shown.contains("one") && shown.contains("two") && !shown.contains("secret"), "{shown}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_several_hosts_the_one_that_answers_is_used() {
    let url = cluster::shared().database();
    let store = open(&url.replace("host=", "host=/nowhere&host=")).await;
    furnish(&*store).await;
    assert_eq!(store.health().await, Ok(()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_that_wait_share_a_commit_and_each_fails_alone() {
    let url = cluster::shared().database();
    let store = Arc::new(PostgresStore::connect(config(&url).batching(1, 1)).await.unwrap());
    store.add_emission(emission(7)).await.unwrap();
    store.import((1..=40).map(ticket).collect()).await.unwrap();
    for n in 1..=40 {
        let client_seed = (n == 2).then_some(ClientSeed([1; 32]));
        store.append(Append { client_seed, ..append(n, 0) }).await.unwrap();
    }
    let before = store.metrics();

    // While someone else holds its row, an append waits, and everyone behind it.
    let other = by_hand(&url).await;
    other
        .batch_execute("BEGIN; SELECT FROM games WHERE ticket_id = '01010101-0101-0101-0101-010101010101' FOR UPDATE")
        .await
        .unwrap();
    let spawn = |append: Append| {
        let store = store.clone();
        tokio::spawn(async move { store.append(append).await })
    };
    let first = spawn(append(1, 1));
    tokio::time::sleep(Duration::from_millis(300)).await;
    let seed = Append { client_seed: Some(ClientSeed([2; 32])), ..append(2, 1) };
    let mut waiting = vec![spawn(seed), spawn(append(3, 7)), spawn(append(99, 3))];
    waiting.extend((4..=40).map(|n| spawn(append(n, 1))));
    // Twice the same: only one of them.
    waiting.push(spawn(append(40, 1)));
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(
        waiting.iter().chain([&first]).all(|append| !append.is_finished()),
        "nothing is answered before it is kept"
    );
    assert!(store.metrics().waiting_changes >= 41);
    other.batch_execute("COMMIT").await.unwrap();

    assert_eq!(first.await.unwrap(), Ok(Appended::Now(Version(2))));
    let mut answers = Vec::new();
    for append in waiting {
        answers.push(append.await.unwrap());
    }
    assert_eq!(answers[..3], [Err(StoreError::SeedAlreadySet), Ok(Appended::Moved), Err(StoreError::UnknownTicket)]);
    let kept = |answer: &Result<Appended, StoreError>| *answer == Ok(Appended::Now(Version(2)));
    assert!(answers[3..39].iter().all(kept));
    assert_eq!(answers[39..].iter().filter(|answer| kept(answer)).count(), 1, "one of the two");
    assert_eq!(answers[39..].iter().filter(|answer| **answer == Ok(Appended::Moved)).count(), 1);
    let after = store.metrics();
    assert_eq!(after.changes - before.changes, 42);
    assert!(after.commits() - before.commits() <= 4, "{after:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn records_of_many_sessions_are_each_their_own() {
    let url = cluster::shared().database();
    let store = Arc::new(PostgresStore::connect(config(&url).batching(1, 1)).await.unwrap());
    store.add_emission(emission(7)).await.unwrap();
    store.import((1..=60).map(ticket).collect()).await.unwrap();
    for n in 1..=60 {
        store.put_session(session(n, n)).await.unwrap();
        for version in 0..u32::from(n % 4) {
            store.append(append(n, version)).await.unwrap();
        }
    }
    let reading: Vec<_> = (1..=60)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(
                async move { (n, store.load_by_session(session(n, n).token, Millis(150)).await.unwrap().unwrap()) },
            )
        })
        .collect();
    for read in reading {
        let (n, record) = read.await.unwrap();
        assert_eq!(record.ticket, ticket(n));
        let events: Vec<_> = (0..i64::from(n % 4)).map(|at| event(at, &[n])).collect();
        assert_eq!(record.events, events);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_event_is_reported_as_damage_of_that_game_alone() {
    let url = cluster::shared().database();
    let store = open(&url).await;
    furnish(&*store).await;
    store.append(append(1, 0)).await.unwrap();
    store.append(append(2, 0)).await.unwrap();
    let damage = "SET session_replication_role = replica; DELETE FROM events WHERE payload = '\\x01'";
    by_hand(&url).await.batch_execute(damage).await.unwrap();
    assert!(matches!(store.load(ticket(1).id).await, Err(StoreError::Corrupt { .. })));
    assert_eq!(store.load(ticket(2).id).await.unwrap().unwrap().events.len(), 1);
}
