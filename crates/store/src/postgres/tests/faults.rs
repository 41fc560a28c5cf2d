//! Nothing acknowledged is lost, nothing is kept twice, and the store goes on by itself: when its connections are
//! ended, when PostgreSQL is killed and started again, and when a synchronous standby takes over.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::{by_hand, config, open};
use crate::tests::power::{self, Did};
use crate::tests::{append, emission, entered, event, payment, point_of_sale, ticket};
use crate::*;

const GAMES: u8 = 24;

/// Games that are each played by one task alone, so that no answer but `Now` is ever right: not even where an answer
/// was lost and the append was sent again.
struct Load {
    stop: Arc<AtomicBool>,
    acknowledged: Arc<AtomicU64>,
    playing: Vec<tokio::task::JoinHandle<(u8, u32)>>,
}

impl Load {
    async fn start(store: &Arc<PostgresStore>) -> Self {
        store.add_emission(emission(7)).await.unwrap();
        store.import((0..GAMES).map(ticket).collect()).await.unwrap();
        store.add_point_of_sale(point_of_sale(1)).await.unwrap();
        let (stop, acknowledged) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let play = |n| tokio::spawn(play(store.clone(), n, stop.clone(), acknowledged.clone()));
        let playing = (0..GAMES).map(play).collect();
        Self { stop, acknowledged, playing }
    }

    /// Until so many more were acknowledged.
    async fn goes_on(&self, more: u64) {
        let (start, before) = (Instant::now(), self.acknowledged.load(Ordering::SeqCst));
        while self.acknowledged.load(Ordering::SeqCst) < before + more {
            assert!(start.elapsed() < Duration::from_secs(60), "it does not go on");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Stops, and compares what was acknowledged with what is kept.
    async fn check(self, store: &PostgresStore) {
        self.stop.store(true, Ordering::SeqCst);
        for game in self.playing {
            let (n, acknowledged) = game.await.unwrap();
            let record = store.load(ticket(n).id).await.unwrap().unwrap();
            assert_eq!(record.game.version, Version(acknowledged), "game {n}");
            let expected: Vec<_> = (0..acknowledged).map(|version| event(version.into(), &[n])).collect();
            assert_eq!(record.events, expected, "game {n}");
        }
    }
}

/// Every eighth event is a payment: those take the other way.
fn next(n: u8, version: u32) -> Append {
    let [_, _, high, low] = version.to_be_bytes();
    let mut id = [n; 16];
    (id[14], id[15]) = (high, low);
    let mut key = [n; 32];
    (key[30], key[31]) = (high, low);
    match payment(n, 1, n) {
        LedgerEntry::Payment(paid) if version % 8 == 3 => {
            let paid = Payment { id: PaymentId(id), key: IdempotencyKey(key), ..paid };
            entered(n, version, LedgerEntry::Payment(paid))
        }
        _ => append(n, version),
    }
}

async fn play(store: Arc<PostgresStore>, n: u8, stop: Arc<AtomicBool>, acknowledged: Arc<AtomicU64>) -> (u8, u32) {
    let mut version = 0;
    while !stop.load(Ordering::SeqCst) {
        match store.append(next(n, version)).await {
            Ok(Appended::Now(now)) => {
                assert_eq!(now, Version(version + 1));
                version += 1;
                acknowledged.fetch_add(1, Ordering::SeqCst);
            }
            // It may have been kept: what is there is what counts, as a server would find it.
            Err(StoreError::Unavailable { .. }) => {
                if let Ok(Some(record)) = store.load(ticket(n).id).await {
                    assert!(record.game.version.0 == version || record.game.version.0 == version + 1);
                    version = record.game.version.0;
                }
            }
            other => panic!("nobody else writes: {other:?}"),
        }
    }
    (n, version)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_whose_connections_are_ended_goes_on_and_keeps_everything_once() {
    let url = cluster::shared().database();
    let store = open(&url).await;
    let load = Load::start(&store).await;
    let other = by_hand(&url).await;
    for _ in 0..20 {
        load.goes_on(40).await;
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'qod'";
        other.query(end, &[]).await.unwrap();
    }
    load.goes_on(100).await;
    load.check(&store).await;
    assert!(store.metrics().reconnects > 0 && store.metrics().retries > 0, "{:?}", store.metrics());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_postgres_that_is_killed_and_started_again_loses_nothing_acknowledged() {
    let mut cluster = cluster::Cluster::start();
    let url = cluster.database();
    let store = Arc::new(PostgresStore::connect(config(&url).patience(Duration::from_secs(30))).await.unwrap());
    let load = Load::start(&store).await;
    for round in 0..6 {
        load.goes_on(100).await;
        if round % 2 == 0 {
            cluster.server().kill()
        } else {
            cluster.server().stop()
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        cluster.server().start();
    }
    load.goes_on(100).await;
    load.check(&store).await;
    // Another store, which knows nothing, finds the same.
    let period = Period { from: Millis(0), to: Millis(10_000) };
    let another = open(&url).await;
    let entries = another.export_entries(Page { period, after: None, limit: u32::MAX }).await.unwrap();
    let keys: HashSet<_> = entries.iter().map(|entry| entry.entry.key()).collect();
    assert!(!entries.is_empty());
    assert_eq!(keys.len(), entries.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_synchronous_standby_that_takes_over_has_everything_acknowledged() {
    let mut cluster = cluster::Cluster::start();
    let url = cluster.database();
    let mut standby = cluster.standby("standby");
    standby.start();
    cluster.server().set("synchronous_standby_names = 'standby'");
    cluster.server().sql("postgres", "SELECT pg_reload_conf()");
    let both = url.replace("host=", &format!("host={}&host=", standby.socket().display()));
    let store = Arc::new(PostgresStore::connect(config(&both).patience(Duration::from_secs(30))).await.unwrap());
    let load = Load::start(&store).await;
    load.goes_on(300).await;
    // Dead in the midst, and never to come back.
    cluster.server().kill();
    standby.promote();
    load.goes_on(300).await;
    load.check(&store).await;
    standby.kill();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_may_lose_what_it_acknowledged_is_refused() {
    let mut cluster = cluster::Cluster::start();
    let url = cluster.database();
    cluster.server().stop();
    cluster.server().set("fsync = off");
    cluster.server().start();
    let refused = PostgresStore::connect(config(&url)).await.err();
    assert!(matches!(refused, Some(StoreError::Misuse(_))), "{refused:?}");
    PostgresStore::connect(config(&url).allow_unsafe_durability()).await.unwrap();
    // Commits that do not wait for the disk are made to.
    cluster.server().stop();
    cluster.server().set("fsync = on\nsynchronous_commit = off");
    cluster.server().start();
    PostgresStore::connect(config(&url)).await.unwrap();
}

/// How many of the answers to an insert went out though nothing of the log had been written and flushed since the
/// answer before.
fn answered_without_a_flush(recorded: &std::path::Path) -> (usize, usize) {
    let (mut answers, mut without) = (0, 0);
    let (mut wrote, mut flushed) = (false, false);
    for record in power::records(recorded) {
        match record.did {
            Did::Wrote => wrote = true,
            Did::Flushed => flushed = wrote,
            Did::Answered if record.data.windows(9).any(|part| part == b"INSERT 0 ") => {
                answers += 1;
                without += usize::from(!flushed);
                (wrote, flushed) = (false, false);
            }
            Did::Answered | Did::Truncated => {}
        }
    }
    (answers, without)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_flushes_its_log_before_an_append_is_answered() {
    let mut cluster = cluster::Cluster::start();
    let url = cluster.database();
    let store = open(&url).await;
    store.add_emission(emission(7)).await.unwrap();
    store.import((0..GAMES).map(ticket).collect()).await.unwrap();
    store.close().await.unwrap();
    cluster.server().stop();

    // Everything that its processes write, flush and send, in order.
    let place = cluster.server().socket();
    let recorded = place.join("recorded");
    cluster.server().environment("LD_PRELOAD", power::recorder(&place));
    cluster.server().environment("RECORD", recorded.clone());
    cluster.server().environment("RECORD_NAMES", "pg_wal/".into());
    // What the server does by default must not matter.
    cluster.server().set("synchronous_commit = off");
    cluster.server().start();
    let store = open(&url).await;
    for version in 0..8 {
        for n in 0..GAMES {
            store.append(append(n, version)).await.unwrap();
        }
    }
    let (answers, without) = answered_without_a_flush(&recorded);
    assert!(answers >= 8 * usize::from(GAMES), "{answers} answers");
    assert_eq!(without, 0);

    // That it would be seen: a client that does not wait for the disk.
    let other = by_hand(&url).await;
    other.batch_execute("CREATE TABLE theirs (x integer)").await.unwrap();
    for _ in 0..50 {
        other.execute("INSERT INTO theirs VALUES (1)", &[]).await.unwrap();
    }
    assert!(answered_without_a_flush(&recorded).1 > 10);
}
