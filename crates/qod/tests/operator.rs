//! The operator's commands as an operator gives them, over games that were really played into the store.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets what it does not expect must fail")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use engine::{Action, Table, Turn};
use protocol::FirstContinue;
use rules::{Nature, Number, State, Timestamp};
use seal::{ClientSeed, DrawKey};
use server::records;
use store::{Appended, SqliteStore, Store, TicketNumber};
use tempfile::TempDir;

const QOD: &str = env!("CARGO_BIN_EXE_qod");
const LOTS: &str = r#"{"tickets":8,"lots":[{"lots":8,"potential_gain_eur":20}]}"#;
const SEED: ClientSeed = ClientSeed([4; 32]);
/// 24 hours, in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// A data directory with eight tickets of 20 €.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        fs::write(desk.0.path().join("lots.json"), LOTS).unwrap();
        desk.qod(&["issue", "--emission", "1", "--lots", "lots.json"]);
        desk
    }

    fn data(&self, name: &str) -> PathBuf {
        self.0.path().join("data").join(name)
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(QOD).current_dir(self.0.path()).args(args).args(["--data", "data"]).output().unwrap()
    }

    #[track_caller]
    fn qod(&self, args: &[&str]) -> String {
        let Output { status, stdout, stderr } = self.run(args);
        assert!(status.success(), "{args:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).unwrap()
    }

    #[track_caller]
    fn fails(&self, args: &[&str], hint: &str) {
        let output = self.run(args);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(hint), "{args:?}: {said}");
    }

    /// Begins the game of a ticket at this instant, and picks so many good numbers, going on from palier to palier.
    fn play(&self, serial: u32, begun: i64, good: usize) {
        let key = fs::read_to_string(self.data("keys/emission-001.draw")).unwrap();
        let key = DrawKey(seal::hash::from_hex(key.trim()).unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = SqliteStore::open(&self.data("qod.sqlite")).unwrap();
            let id = store.find_by_number(TicketNumber { emission: 1, block: 1, serial }).await.unwrap().unwrap();
            let mut found = 0;
            for at in begun.. {
                let record = store.load(id).await.unwrap().unwrap();
                let terms = records::terms(&record.emission).unwrap();
                let table = Table::new(records::ticket(&record, terms).unwrap().unwrap(), &key).unwrap();
                let game = *table.game();
                let action = match game.state() {
                    State::NotStarted => {
                        Action::Continue(Some(FirstContinue { commitment: table.view().commitment, client_seed: SEED }))
                    }
                    State::Picking(_) if found == good => break,
                    State::OnPalier(_) if found == good => break,
                    State::OnPalier(_) => Action::Continue(None),
                    _ => {
                        found += 1;
                        Action::Pick(next_good(&table, &key, &game))
                    }
                };
                let Turn::Write(append, _) = table.act(game.seq(), action, Timestamp::from_millis(at)) else {
                    panic!("an action is refused")
                };
                let kept = store.append(records::append(id, append).unwrap()).await.unwrap();
                assert!(matches!(kept, Appended::Now(_)));
            }
            store.close().await.unwrap();
        });
    }
}

fn next_good(table: &Table, key: &DrawKey, game: &rules::Game) -> Number {
    let view = table.view();
    let grid = seal::SealedGrid::new(&key.server_seed(view.ticket_id));
    let player = seal::PlayersHalf::new(&SEED, &view.commitment);
    let blend = seal::Blend { sealed: &grid, player: &player, potential_gain: game.potential_gain() };
    let free = |n: &Number| !game.picked().contains(*n) && rules::Outcomes::nature(&blend, *n) == Nature::Good;
    Number::all().find(free).unwrap()
}

fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

#[test]
fn a_void_game_gives_its_last_acquired_gain_and_its_history_says_who_and_why() {
    let desk = Desk::new();
    desk.play(1, now() - DAY, 6);
    let void =
        |ticket| vec!["void", "--ticket", ticket, "--reason", "dispute", "--by", "A. Operator", "--why", "case 12"];
    let said = desk.qod(&void("001-0001-0000001"));
    let history = desk.qod(&["history", "--ticket", "001-0001-0000001"]);
    assert!(history.contains("voided (dispute)") && history.contains("by A. Operator (uid "), "{history}");
    assert!(history.contains("case 12") && history.contains("palier 1 reached"), "{history}");
    let due = if history.contains("multiplier 3") { "60 €" } else { "40 €" };
    assert!(said.contains(due) && history.contains(&format!("{due} to be paid")), "{said} {history}");
    desk.fails(&void("001-0001-0000001"), "is over");
    desk.fails(&void("001-0001-0000002"), "has not been started");
    desk.fails(&void("001-0001-0000099"), "no ticket");
    let audit = desk.qod(&["audit", "export"]);
    assert!(audit.contains(r#""kind":"voided""#) && audit.contains("case 12"), "{audit}");
    desk.qod(&["audit", "verify"]);
}

#[test]
fn what_expired_is_settled_once_also_by_two_sweeps_at_once() {
    let desk = Desk::new();
    let long_ago = now() - 31 * DAY;
    // On a palier, before the first one, and one that still runs.
    for (serial, good) in [(1, 6), (2, 3)] {
        desk.play(serial, long_ago, good);
    }
    desk.play(3, now() - DAY, 3);
    let sweep = || Command::new(QOD).current_dir(desk.0.path()).args(["sweep", "--data", "data"]).output().unwrap();
    let settled = std::thread::scope(|scope| {
        let both = [scope.spawn(sweep), scope.spawn(sweep)].map(|sweep| sweep.join().unwrap());
        both.map(|output| {
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().parse::<u32>().unwrap()
        })
    });
    assert_eq!(settled.iter().sum::<u32>(), 2);
    assert!(desk.qod(&["sweep"]).starts_with("0 games"));
    let history = |ticket| desk.qod(&["history", "--json", "--ticket", ticket]);
    for (ticket, state) in
        [("001-0001-0000001", "expired"), ("001-0001-0000002", "expired"), ("001-0001-0000003", "picking")]
    {
        let told = history(ticket);
        assert!(told.contains(&format!(r#""state":"{state}""#)), "{told}");
        assert_eq!(told.matches(r#""event":"expired""#).count(), usize::from(state == "expired"));
    }
}

#[test]
fn new_games_are_suspended_and_resumed_and_running_ones_go_on() {
    let desk = Desk::new();
    desk.play(1, now() - DAY, 2);
    let setting = |command| vec![command, "--emission", "1", "--why", "a drill"];
    assert!(desk.qod(&setting("suspend")).contains("suspended"));
    assert!(desk.qod(&setting("suspend")).contains("already"));
    let suspended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| desk.play(2, now() - DAY, 1)));
    assert!(suspended.is_err(), "a game was started while new ones are suspended");
    desk.qod(&setting("resume"));
    desk.play(2, now() - DAY, 1);
    desk.fails(&["suspend", "--emission", "9", "--why", "a drill"], "no emission 9");
    desk.fails(&["suspend", "--emission", "1", "--why", " "], "1 to 300");
    let audit = desk.qod(&["audit", "export"]);
    assert_eq!(audit.matches("new games suspended").count(), 1, "{audit}");
    assert_eq!(audit.matches("new games allowed").count(), 1, "{audit}");
}

#[test]
fn an_export_tells_what_happened_in_its_period_and_nothing_else() {
    let desk = Desk::new();
    let begun = now() - 31 * DAY;
    desk.play(1, begun, 11);
    desk.play(2, now() - DAY, 2);
    desk.qod(&["sweep"]);
    let day = |millis: i64| jiff::Timestamp::from_millisecond(millis).unwrap().to_string();
    let export = |what, from: i64, to: i64, format| {
        desk.qod(&["export", what, "--from", &day(from), "--to", &day(to), "--format", format])
    };
    // CONTINUER, six numbers, going on, five numbers.
    let early = export("events", begun - DAY, begun + DAY, "csv");
    assert_eq!(early.lines().count(), 1 + 13, "{early}");
    assert!(early.starts_with("at,ticket_number,position,event,number,multiplier,void_reason\n"));
    assert!(!early.contains("001-0001-0000002"));
    let late = export("events", begun + DAY, now() + DAY, "jsonl");
    assert!(late.contains(r#""event":"expired""#) && late.contains("001-0001-0000002"), "{late}");
    for line in late.lines() {
        seal::Json::parse(line).unwrap();
    }
    let games = export("games", begun - DAY, now() + DAY, "csv");
    assert_eq!(games.lines().count(), 2, "{games}");
    assert!(games.contains(",expired,20,11,2,"), "{games}");
    assert_eq!(export("ledger", begun - DAY, now() + DAY, "csv").lines().count(), 1);
    desk.fails(&["export", "events", "--from", "2026-01-02", "--to", "2026-01-02"], "the period is empty");
}

#[test]
fn an_import_that_is_killed_goes_on_and_ends_as_if_it_had_not_been() {
    let issued = Desk::new();
    fs::write(issued.0.path().join("many.json"), r#"{"tickets":60000,"lots":[{"lots":9000,"potential_gain_eur":5}]}"#)
        .unwrap();
    issued.qod(&["issue", "--emission", "2", "--lots", "many.json"]);
    let manifest = issued.data("blocks/002-0001.json");
    let manifest = manifest.to_str().unwrap();
    let other = Desk(tempfile::tempdir().unwrap());
    // Without the emission's keys its codes could not be played.
    other.fails(&["import", manifest], "is missing");
    fs::create_dir_all(other.data("keys")).unwrap();
    for key in ["draw", "pepper"] {
        let name = format!("keys/emission-002.{key}");
        fs::copy(issued.data(&name), other.data(&name)).unwrap();
    }
    let database = other.data("qod.sqlite");
    let imported = || -> Option<u32> {
        let database =
            rusqlite::Connection::open_with_flags(&database, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
        database.query_row("SELECT imported FROM blocks", [], |row| row.get(0)).ok()
    };
    let mut before = 0;
    for _ in 0..3 {
        let mut import =
            Command::new(QOD).current_dir(other.0.path()).args(["import", manifest, "--data", "data"]).spawn().unwrap();
        // In the middle: something new is in, and not all.
        while imported().is_none_or(|now| now <= before) && import.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        import.kill().unwrap();
        import.wait().unwrap();
        before = imported().unwrap();
    }
    assert!(before < 60_000, "no import was killed in the middle");
    let said = other.qod(&["import", manifest]);
    assert!(said.contains("60000 tickets, 9000 of them winning, 45000 € in all"), "{said}");
    assert!(other.qod(&["import", manifest]).contains("; 0 are new in the store"));
    // Under another pepper its codes are unknown for ever.
    let pepper = fs::read_to_string(issued.data("keys/emission-001.pepper")).unwrap();
    fs::write(other.data("keys/emission-002.pepper"), pepper).unwrap();
    other.fails(&["import", manifest], "another pepper");
}
