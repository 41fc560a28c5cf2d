//! `qod pos` and `qod pay` as an operator gives them: keys shown once, payments made by hand and taken back, who and why.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets what it does not expect must fail")]

use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const QOD: &str = env!("CARGO_BIN_EXE_qod");
const LOTS: &str = r#"{"tickets":4,"lots":[{"lots":4,"potential_gain_eur":20}]}"#;

/// A data directory with four tickets of 20 €.
struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        fs::write(desk.0.path().join("lots.json"), LOTS).unwrap();
        desk.qod(&["issue", "--emission", "1", "--lots", "lots.json"]);
        desk
    }

    /// Runs a command, which reads `input`.
    fn run(&self, args: &[&str], input: &str) -> Output {
        let mut command = Command::new(QOD);
        command.current_dir(self.0.path()).args(args).args(["--data", "data"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // One that refuses its arguments reads nothing.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    #[track_caller]
    fn qod(&self, args: &[&str]) -> String {
        self.given(args, "")
    }

    #[track_caller]
    fn given(&self, args: &[&str], input: &str) -> String {
        let Output { status, stdout, stderr } = self.run(args, input);
        assert!(status.success(), "{args:?}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).unwrap()
    }

    #[track_caller]
    fn fails(&self, args: &[&str], input: &str, hint: &str) {
        let output = self.run(args, input);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(hint), "{args:?}: {said}");
    }

    /// The control code of a ticket.
    fn control(&self, number: &str) -> String {
        let file = fs::read_to_string(self.0.path().join("data/tickets/001-0001.csv")).unwrap();
        let mut lines = file.lines();
        let column = lines.next().unwrap().split(',').position(|name| name == "control_code").unwrap();
        let line = lines.find(|line| line.split(',').any(|cell| cell == number)).unwrap();
        line.split(',').nth(column).unwrap().to_owned()
    }

    /// All that the data directory keeps in its database.
    fn database(&self) -> Vec<u8> {
        let files = ["qod.sqlite", "qod.sqlite-wal"].map(|name| self.0.path().join("data").join(name));
        files.iter().filter_map(|file| fs::read(file).ok()).flatten().collect()
    }
}

fn holds(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|part| part == text)
}

/// The key that was printed: the last line.
fn key(said: &str) -> String {
    let key = said.lines().last().unwrap().to_owned();
    assert!(key.len() == 64 && key.bytes().all(|digit| digit.is_ascii_hexdigit()), "{said}");
    key
}

#[test]
fn the_key_of_a_point_of_sale_is_shown_once_and_kept_as_a_hash_alone() {
    let desk = Desk::new();
    let first = key(&desk.qod(&["pos", "add", "Tabac des Lilas", "--by", "Ana", "--why", "contract 12"]));
    let second = key(&desk.qod(&["pos", "add", "Tabac du Port", "--why", "contract 13"]));
    let third = key(&desk.qod(&["pos", "new-key", "2", "--why", "lost"]));
    assert!(first != second && second != third);
    desk.fails(&["pos", "add", "Tabac du Port", "--why", "again"], "", "has that name already");
    desk.fails(&["pos", "add", "Tabac"], "", "--why");
    desk.fails(&["pos", "disable", "7", "--why", "closed"], "", "there is no point of sale 7");
    desk.fails(&["pos", "enable", "0", "--why", "closed"], "", "the operator's own");
    desk.qod(&["pos", "disable", "1", "--by", "Ben", "--why", "contract ended"]);
    let list = desk.qod(&["pos", "list"]);
    let shown: Vec<_> = list.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(shown, ["1 disabled Tabac des Lilas", "2 enabled Tabac du Port"]);
    desk.qod(&["pos", "enable", "1", "--why", "contract renewed"]);
    assert!(!desk.qod(&["pos", "list"]).contains("disabled"));

    let audit = desk.qod(&["audit", "export"]);
    for said in ["Ana (uid ", "contract 12", "Ben (uid ", "contract ended", "given another key", "contract renewed"] {
        assert!(audit.contains(said), "{said}: {audit}");
    }
    let database = desk.database();
    assert!(holds(&database, b"Tabac des Lilas"));
    for key in [first, second, third] {
        assert!(!audit.contains(&key) && !holds(&database, key.as_bytes()));
        assert!(!holds(&database, &seal::hash::from_hex::<32>(&key).unwrap()));
    }
}

#[test]
fn a_ticket_is_paid_by_hand_once_and_the_payment_is_taken_back_once_with_who_and_why() {
    let desk = Desk::new();
    let number = "001-0001-0000003";
    let control = desk.control(number);
    let pay = ["pay", "--ticket", number, "--by", "Ana", "--why", "the till is broken"];
    desk.fails(&pay, "ABCDEFGH\n", "ticket 001-0001-0000003:");
    desk.fails(&pay, "no code\n", "that is no control code");
    desk.fails(&["pay", "--ticket", number], &control, "--why");
    let paid = desk.given(&pay, &control);
    let (amount, id) = paid.trim().split_once(", payment ").unwrap();
    assert_eq!(amount, "Paid: 20 €");
    // Whoever was cut off is told which payment it was.
    desk.fails(&pay, &control, id);
    let reverse = ["pay", "--reverse", id, "--by", "Ben", "--why", "typed the wrong ticket"];
    desk.fails(&["pay", "--reverse", &"0".repeat(32), "--why", "x"], "", "no such payment");
    assert!(desk.qod(&reverse).contains("Reversed: 20 € of ticket 001-0001-0000003"));
    desk.fails(&reverse, "", "reversed");
    let again = desk.given(&pay, &control);
    assert!(again.starts_with("Paid: 20 €") && !again.contains(id));

    let audit = desk.qod(&["audit", "export"]);
    assert_eq!(audit.matches(r#""kind":"paid""#).count(), 2, "{audit}");
    assert_eq!(audit.matches(r#""kind":"payment_reversed""#).count(), 1, "{audit}");
    for said in ["Ana (uid ", "the till is broken", "Ben (uid ", "typed the wrong ticket", id, number] {
        assert!(audit.contains(said), "{said}: {audit}");
    }
    assert!(!audit.contains(&control));
    let history = desk.qod(&["history", "--ticket", number]);
    assert!(history.contains("typed the wrong ticket") && !history.contains(&control), "{history}");
}
