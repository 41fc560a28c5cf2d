//! `qod issue` as an operator runs it: twice at once, again, and after something was lost.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect must fail")]

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const QOD: &str = env!("CARGO_BIN_EXE_qod");
const LOTS: &str =
    r#"{"tickets":3000,"lots":[{"lots":700,"potential_gain_eur":5},{"lots":30,"potential_gain_eur":20}]}"#;

/// A folder with a lots table.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("lots.json"), LOTS).unwrap();
    folder
}

fn issue(folder: &TempDir) -> Command {
    let mut command = Command::new(QOD);
    command.current_dir(folder.path()).args(["issue", "--data", "data", "--emission", "1", "--lots", "lots.json"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn demo(folder: &TempDir, command: &[&str]) -> String {
    said(Command::new(QOD).current_dir(folder.path()).args(command).args(["--data", "data"]).output().unwrap())
}

fn tickets(folder: &TempDir) -> PathBuf {
    folder.path().join("data/tickets/001-0001.csv")
}

#[track_caller]
fn said(Output { status, stdout, stderr }: Output) -> String {
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

#[track_caller]
fn fails(output: Output, hints: &[&str]) {
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(hints.iter().all(|hint| error.contains(hint)), "{error}");
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn two_at_once_end_with_the_file_and_the_store_in_agreement() {
    for _ in 0..3 {
        let folder = folder();
        let both = [issue(&folder).spawn().unwrap(), issue(&folder).spawn().unwrap()];
        let mut both = both.map(|child| said(child.wait_with_output().unwrap()));
        both.sort();
        assert!(both[0].contains("3000 tickets, 0 of them new"), "{both:?}");
        assert!(both[1].contains("3000 tickets, 3000 of them new"), "{both:?}");
        let written = fs::read(tickets(&folder)).unwrap();
        assert!(said(issue(&folder).output().unwrap()).contains("3000 tickets, 0 of them new"));
        assert_eq!(fs::read(tickets(&folder)).unwrap(), written);
        assert!(demo(&folder, &["codes", "--base-url", "http://x"]).contains("http://x/qod#"));
    }
}

#[test]
fn a_second_one_says_that_it_waits_and_writes_nothing_before_its_turn() {
    let folder = folder();
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    let lock = File::create(data.join("issue.lock")).unwrap();
    lock.lock().unwrap();
    let mut waiting = issue(&folder).spawn().unwrap();
    let mut errors = BufReader::new(waiting.stderr.take().unwrap());
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    assert!(line.contains("waiting"), "{line}");
    assert!(waiting.try_wait().unwrap().is_none());
    assert_eq!(names(&data), ["issue.lock"]);
    drop(lock);
    assert!(said(waiting.wait_with_output().unwrap()).contains("3000 of them new"));
    errors.read_to_string(&mut line).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");
}

#[test]
fn the_lock_is_for_the_owner_alone() {
    let folder = folder();
    said(issue(&folder).output().unwrap());
    let lock = fs::metadata(folder.path().join("data/issue.lock")).unwrap();
    assert_eq!(lock.permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_removed_tickets_file_is_not_replaced_by_another() {
    let folder = folder();
    said(issue(&folder).output().unwrap());
    fs::remove_file(tickets(&folder)).unwrap();
    fails(issue(&folder).output().unwrap(), &["already in the store", "001-0001.csv is gone", "another block"]);
    assert!(!tickets(&folder).exists());
    assert!(said(issue(&folder).args(["--block", "2"]).output().unwrap()).contains("3000 of them new"));
}

#[test]
fn a_demo_whose_tickets_files_were_removed_goes_on_without_them_and_its_codes_say_so() {
    let folder = folder();
    demo(&folder, &["issue", "--demo"]);
    fs::remove_file(tickets(&folder)).unwrap();
    let again = demo(&folder, &["issue", "--demo"]);
    assert!(again.contains("001-0001.csv is gone") && again.contains("Emission 002, block 0001: "), "{again}");
    assert!(again.contains(", 0 of them new"), "{again}");
    fs::remove_dir_all(folder.path().join("data/tickets")).unwrap();
    let again = demo(&folder, &["issue", "--demo"]);
    assert!(again.contains("001-0001.csv is gone") && again.contains("002-0001.csv is gone"), "{again}");
    assert!(!folder.path().join("data/tickets").exists());
    let codes = demo(&folder, &["codes", "--base-url", "http://x"]);
    assert!(codes.contains("http://x/qod") && codes.contains("another --data"), "{codes}");
}

#[test]
fn a_tickets_file_of_another_lots_table_or_with_a_line_less_is_refused() {
    let folder = folder();
    said(issue(&folder).output().unwrap());
    let hints = ["001-0001.csv was issued with another lots table, or is damaged"];
    for other in [LOTS.replace("700", "701"), LOTS.replace("3000", "3001"), LOTS.replace(":20}", ":50}")] {
        fs::write(folder.path().join("lots.json"), other).unwrap();
        fails(issue(&folder).output().unwrap(), &hints);
    }
    fs::write(folder.path().join("lots.json"), LOTS).unwrap();
    let written = fs::read_to_string(tickets(&folder)).unwrap();
    let less: Vec<_> = written.lines().take(3000).collect();
    fs::write(tickets(&folder), less.join("\n")).unwrap();
    // Nothing is imported either, nor any key made, where the store is new.
    for name in names(&folder.path().join("data")).iter().filter(|name| name.starts_with("qod.sqlite")) {
        fs::remove_file(folder.path().join("data").join(name)).unwrap();
    }
    fs::remove_dir_all(folder.path().join("data/keys")).unwrap();
    fails(issue(&folder).output().unwrap(), &hints);
    assert!(!folder.path().join("data/keys").exists());
    fs::write(tickets(&folder), written).unwrap();
    assert!(said(issue(&folder).output().unwrap()).contains("3000 of them new"));
}

#[test]
fn what_was_interrupted_after_the_first_key_can_be_repeated_and_keeps_it() {
    let folder = folder();
    let keys = folder.path().join("data/keys");
    fs::create_dir_all(&keys).unwrap();
    let draw = format!("{}\n", "ab".repeat(32));
    fs::write(keys.join("emission-001.draw"), &draw).unwrap();
    fs::set_permissions(keys.join("emission-001.draw"), fs::Permissions::from_mode(0o600)).unwrap();
    assert!(said(issue(&folder).output().unwrap()).contains("3000 of them new"));
    assert_eq!(fs::read_to_string(keys.join("emission-001.draw")).unwrap(), draw);
    // The store knows the emission now: a key that is missing is no longer made.
    fs::remove_file(keys.join("emission-001.pepper")).unwrap();
    fails(issue(&folder).output().unwrap(), &["emission-001.pepper is missing"]);
    assert!(!keys.join("emission-001.pepper").exists());
}
