//! Nothing acknowledged is lost when the process is killed. This test runs its own executable once more as the
//! process that writes, and kills it in the midst.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{append, database, emission, event, ticket};
use crate::*;

/// Where the process that writes finds its database. Without it, that test has nothing to do.
const DATABASE: &str = "STORE_KILL_TEST_DATABASE";

/// After how many appends to each game it ends by itself; without it, never.
pub(super) const APPENDS: &str = "STORE_KILL_TEST_APPENDS";

/// How many games are written to at once, so that commits are shared.
pub(super) const GAMES: u8 = 16;

/// How often the process is killed.
const ROUNDS: usize = 6;

/// Two events at a time: half of an append would show.
pub(super) const EVENTS: u32 = 2;

fn events(n: u8, expected: u32) -> Vec<Event> {
    (expected..expected + EVENTS).map(|at| event(i64::from(at), &[n, at.to_be_bytes()[3]])).collect()
}

#[test]
fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let path = database(directory.path());
    let mut acknowledged = BTreeMap::new();
    for round in 1..=ROUNDS {
        let mut writing = Killed(command(&path).spawn().unwrap());
        let mut seen = 0;
        // Killed after another number of answers each time; what was answered until then is read to the end.
        for line in lines(&mut writing) {
            let Some((n, version)) = acknowledgement(&line) else { continue };
            acknowledged.insert(n, version);
            seen += 1;
            if seen == 97 * round {
                writing.0.kill().unwrap();
            }
        }
        assert!(seen >= 97 * round, "the process stopped by itself in round {round}");
        writing.0.wait().unwrap();
        check(&path, &acknowledged);
    }
}

/// The process that writes; it is killed also where the test fails.
pub(super) struct Killed(pub(super) Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The process that writes, not started yet.
pub(super) fn command(path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "--nocapture", "tests::kill::the_process_that_is_killed"]);
    command.env(DATABASE, path).stdout(Stdio::piped());
    command
}

/// What it says, line by line, until it ends.
pub(super) fn lines(writing: &mut Killed) -> impl Iterator<Item = String> + use<> {
    BufReader::new(writing.0.stdout.take().unwrap()).lines().map(Result::unwrap)
}

pub(super) fn acknowledgement(line: &str) -> Option<(u8, u32)> {
    let (n, version) = line.strip_prefix("acknowledged ")?.split_once(' ')?;
    Some((n.parse().unwrap(), version.parse().unwrap()))
}

pub(super) fn check(path: &Path, acknowledged: &BTreeMap<u8, u32>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let store = SqliteStore::open(path).unwrap();
        for n in 0..GAMES {
            let record = store.load(ticket(n).id).await.unwrap().unwrap();
            let version = record.game.version.0;
            let told = acknowledged.get(&n).copied().unwrap_or_default();
            assert!(version >= told, "game {n}: told {told}, kept {version}");
            assert!(version <= told + EVENTS, "game {n}: told {told}, kept {version}");
            assert_eq!(version % EVENTS, 0, "game {n}: half an append");
            let expected: Vec<_> = (0..version).step_by(2).flat_map(|at| events(n, at)).collect();
            assert_eq!(record.events, expected);
        }
        // Not closed: the next process finds the log as it lies.
    });
}

#[test]
fn the_process_that_is_killed() {
    let Some(path) = std::env::var_os(DATABASE) else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    runtime.block_on(async {
        let store = match SqliteStore::open(Path::new(&path)) {
            Ok(store) => Arc::new(store),
            Err(error) => return println!("refused {error}"),
        };
        store.add_emission(emission(7)).await.unwrap();
        store.import((0..GAMES).map(ticket).collect()).await.unwrap();
        let playing: Vec<_> = (0..GAMES).map(|n| tokio::spawn(play(store.clone(), n))).collect();
        for game in playing {
            game.await.unwrap();
        }
    });
}

async fn play(store: Arc<SqliteStore>, n: u8) {
    // Should the one that kills be gone, this one ends by itself.
    let end = Instant::now() + Duration::from_secs(60);
    let appends = std::env::var(APPENDS).map_or(u32::MAX, |appends| appends.parse().unwrap());
    let mut version = store.load(ticket(n).id).await.unwrap().unwrap().game.version;
    for _ in 0..appends {
        if Instant::now() >= end {
            return;
        }
        let next = Append { events: events(n, version.0), ..append(n, version.0) };
        match store.append(next).await {
            Ok(Appended::Now(now)) => {
                version = now;
                writeln!(std::io::stdout(), "acknowledged {n} {}", version.0).unwrap();
            }
            Ok(other) => panic!("nobody else writes: {other:?}"),
            Err(error) => {
                writeln!(std::io::stdout(), "refused {error}").unwrap();
                assert_eq!(
                    store.load(ticket(n).id).await.unwrap().unwrap().game.version,
                    version,
                    "nothing was written"
                );
            }
        }
    }
}
