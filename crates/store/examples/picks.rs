//! How many picks a second the store keeps on PostgreSQL, beside what pgbench reaches with the same transaction
//! (compare-and-set of the game's row, insert of its event) on the same cluster, in turns:
//! `cargo run --release -p store --example picks [SECONDS] [CLIENTS]...`
#![allow(clippy::unwrap_used, clippy::panic, reason = "a measurement, run by hand")]

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use store::*;

/// How many games each client plays, over and over from one to the next.
const GAMES: u32 = 64;

const PGBENCH_TABLES: &str = "
    CREATE TABLE games (id bigint PRIMARY KEY, version int NOT NULL, state text NOT NULL);
    CREATE TABLE events (id bigint NOT NULL, position int NOT NULL, at bigint NOT NULL, payload bytea NOT NULL,
        receipt bytea, PRIMARY KEY (id, position));
    INSERT INTO games SELECT client * 1000000 + game, 0, 'picking'
    FROM generate_series(0, 255) AS client, generate_series(0, 3000) AS game;
    ANALYZE games;";
const PGBENCH_PICK: &str = "
\\set game :client_id * 1000000 + :n / 20
\\set at :n % 20
BEGIN;
UPDATE games SET version = :at + 1, state = 'picking' WHERE id = :game AND version = :at;
INSERT INTO events VALUES (:game, :at, :n, '\\x0102', decode(repeat('ab', 72), 'hex'));
COMMIT;
\\set n :n + 1
";

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u32>().unwrap());
    let seconds = arguments.next().unwrap_or(5);
    let mut clients: Vec<u32> = arguments.collect();
    if clients.is_empty() {
        clients = vec![1, 64, 256];
    }
    let mut cluster = cluster::Cluster::start();
    cluster.server().set("max_connections = 400\nshared_buffers = '512MB'\nmax_wal_size = '4GB'");
    cluster.server().stop();
    cluster.server().start();
    println!("clients   pgbench/s   store/s   ratio   appends a commit   read+append/s");
    for clients in clients {
        let pgbench = pgbench(&mut cluster, clients, seconds);
        let (store, group) = picks(&cluster, clients, seconds, false).await;
        let (whole, _) = picks(&cluster, clients, seconds, true).await;
        println!(
            "{clients:7}   {pgbench:9}   {store:7}   {:3}.{:02}   {group:16}   {whole:13}",
            store / pgbench,
            store % pgbench * 100 / pgbench
        );
    }
}

fn pgbench(cluster: &mut cluster::Cluster, clients: u32, seconds: u32) -> u64 {
    let url = cluster.database();
    let script = std::env::temp_dir().join(format!("qod-pick-{}.sql", std::process::id()));
    std::fs::write(&script, PGBENCH_PICK).unwrap();
    let database = url.trim_start_matches("postgres:///").split('?').next().unwrap().to_owned();
    cluster.server().sql(&database, PGBENCH_TABLES);
    let mut pgbench = Command::new("sh");
    pgbench
        .arg("-c")
        .arg("exec $(printf '%s\\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)/pgbench \"$@\"")
        .arg("sh");
    pgbench
        .args(["-n", "-M", "prepared", "-D", "n=0", "-U", "qod", "-j", "1", "-f"])
        .arg(&script)
        .arg("-h")
        .arg(cluster.server().socket());
    let output = pgbench.args(["-c", &clients.to_string(), "-T", &seconds.to_string(), &database]).output().unwrap();
    std::fs::remove_file(script).unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let tps = text.lines().find_map(|line| line.strip_prefix("tps = ")).unwrap_or_else(|| panic!("{output:?}"));
    tps.split('.').next().unwrap().parse().unwrap()
}

async fn picks(cluster: &cluster::Cluster, clients: u32, seconds: u32, reads: bool) -> (u64, u64) {
    let store = Arc::new(PostgresStore::connect(PostgresConfig::new(&cluster.database()).unwrap()).await.unwrap());
    let emission =
        Emission { id: 7, start_before: None, unfinished: label("none"), new_games: true, payment_before: None };
    store.add_emission(emission).await.unwrap();
    for chunk in (0..clients * GAMES).map(ticket).collect::<Vec<_>>().chunks(4096) {
        store.import(chunk.to_vec()).await.unwrap();
    }
    let begun: Vec<_> = (0..clients)
        .map(|client| {
            let store = store.clone();
            tokio::spawn(async move {
                for game in 0..GAMES {
                    store.append(pick(client * GAMES + game, 0)).await.unwrap();
                }
                let token = TokenHash(ticket(client * GAMES).code_hash.0);
                store
                    .put_session(Session {
                        token,
                        ticket: ticket(client * GAMES).id,
                        created: Millis(0),
                        expires: Millis(9),
                    })
                    .await
                    .unwrap();
            })
        })
        .collect();
    for begun in begun {
        begun.await.unwrap();
    }
    let before = store.metrics();
    let start = Instant::now();
    let end = start + Duration::from_secs(seconds.into());
    let playing: Vec<_> = (0..clients)
        .map(|client| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut picks = 0u64;
                for version in 1.. {
                    for game in 0..GAMES {
                        if Instant::now() >= end {
                            return picks;
                        }
                        if reads {
                            let token = TokenHash(ticket(client * GAMES).code_hash.0);
                            store.load_by_session(token, Millis(1)).await.unwrap().unwrap();
                        }
                        let kept = store.append(pick(client * GAMES + game, version)).await.unwrap();
                        assert_eq!(kept, Appended::Now(Version(version + 1)));
                        picks += 1;
                    }
                }
                picks
            })
        })
        .collect();
    let mut picks = 0;
    for playing in playing {
        picks += playing.await.unwrap();
    }
    let took = u64::try_from(start.elapsed().as_millis()).unwrap();
    let after = store.metrics();
    store.close().await.unwrap();
    (picks * 1000 / took, (after.changes - before.changes) / (after.commits() - before.commits()).max(1))
}

fn pick(n: u32, expected: u32) -> Append {
    let event = Event {
        at: Millis(i64::from(expected) * 1000 + i64::from(n)),
        payload: vec![1, 2],
        receipt: Some(vec![0xab; 72]),
    };
    Append {
        ticket: ticket(n).id,
        expected: Version(expected),
        events: vec![event],
        state: label("picking"),
        finish_before: Some(Millis(1 << 40)),
        client_seed: None,
        entry: None,
    }
}

/// Spread as random ones are.
fn ticket(n: u32) -> Ticket {
    let mut id = [0; 16];
    let mut hash = [7; 32];
    for (at, byte) in id.iter_mut().enumerate() {
        let mixed = (u64::from(n) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(u32::try_from(at).unwrap() * 11);
        *byte = mixed.to_be_bytes()[3];
    }
    (id[0], id[1], id[2], id[3]) = (id[3], n.to_be_bytes()[1], n.to_be_bytes()[2], n.to_be_bytes()[3]);
    hash[..16].copy_from_slice(&id);
    Ticket {
        id: TicketId(id),
        number: TicketNumber { emission: 7, block: 1, serial: n },
        code_hash: KeyedHash(hash),
        control_hash: KeyedHash(hash),
        potential_gain_eur: 5,
    }
}

fn label(text: &str) -> Label {
    Label::new(text).unwrap()
}
