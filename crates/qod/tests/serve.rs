//! `qod serve` as an operator runs it: what it says when it starts, when it cannot, and when it is told to stop.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets what it does not expect must fail")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

const QOD: &str = env!("CARGO_BIN_EXE_qod");

/// A data directory with a demo block, and a page.
fn issued() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("dist")).unwrap();
    fs::write(folder.path().join("dist/index.html"), "the page").unwrap();
    let issued =
        Command::new(QOD).args(["issue", "--demo", "--data"]).arg(folder.path().join("data")).output().unwrap();
    assert!(issued.status.success(), "{issued:?}");
    folder
}

fn serve(folder: &TempDir, listen: &str) -> Command {
    let mut command = Command::new(QOD);
    command.current_dir(folder.path()).args(["serve", "--data", "data", "--web", "dist", "--listen", listen]);
    command
}

/// Runs what must fail at once.
#[track_caller]
fn fails(mut command: Command, hints: &[&str]) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(stdout.is_empty());
    for hint in hints {
        assert!(said.contains(hint), "{said}");
    }
}

/// A server that listens, and where.
fn listening(folder: &TempDir) -> (Child, String) {
    let mut server = serve(folder, "127.0.0.1:0").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line}")).trim().to_owned();
    (server, address)
}

#[test]
fn once_it_says_that_it_listens_it_answers_and_both_signals_end_it_in_order() {
    let folder = issued();
    for signal in ["-TERM", "-INT"] {
        let (mut server, address) = listening(&folder);
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(Command::new("kill").args([signal, &server.id().to_string()]).status().unwrap().success());
        assert!(server.wait().unwrap().success());
        let mut log = String::new();
        server.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        assert!(log.contains("started") && log.contains("stopped"), "{log}");
        // The log of the database is taken in and gone.
        assert!(!folder.path().join("data/qod.sqlite-wal").exists());
    }
}

#[test]
fn what_is_missing_at_the_start_is_named_with_what_to_do() {
    let folder = issued();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    fails(serve(&folder, &taken.local_addr().unwrap().to_string()), &["cannot listen on", "--listen"]);

    let pepper = folder.path().join("data/keys/emission-001.pepper");
    fs::set_permissions(&pepper, fs::Permissions::from_mode(0o644)).unwrap();
    fails(serve(&folder, "127.0.0.1:0"), &["emission-001.pepper", "chmod 600"]);
    fs::set_permissions(&pepper, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&pepper, "nothing").unwrap();
    fails(serve(&folder, "127.0.0.1:0"), &["emission-001.pepper", "64 lower-case hex digits"]);
    fs::remove_file(&pepper).unwrap();
    fails(serve(&folder, "127.0.0.1:0"), &["emission-001.pepper", "is missing"]);

    fs::remove_file(folder.path().join("dist/index.html")).unwrap();
    fails(serve(&folder, "127.0.0.1:0"), &["index.html", "build-web"]);
    fs::write(folder.path().join("dist/index.html"), "the page").unwrap();
    fs::remove_dir_all(folder.path().join("data")).unwrap();
    fails(serve(&folder, "127.0.0.1:0"), &["qod issue"]);
}

#[test]
fn each_key_that_is_lost_is_named_and_put_back_from_its_copy_all_is_as_before() {
    let folder = issued();
    let keys = folder.path().join("data/keys");
    let copy = folder.path().join("copy");
    fs::create_dir(&copy).unwrap();
    let names: Vec<_> = fs::read_dir(&keys).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 6, "two emissions' draw keys and peppers, a receipt key and the list of them");
    let serves = || {
        let (mut server, _) = listening(&folder);
        assert!(Command::new("kill").arg(server.id().to_string()).status().unwrap().success());
        assert!(server.wait().unwrap().success());
    };
    for name in names {
        let told = name.to_str().unwrap();
        fs::copy(keys.join(&name), copy.join(&name)).unwrap();
        fs::remove_file(keys.join(&name)).unwrap();
        let hint = if told.ends_with(".secret") { "no receipt key signs now" } else { told };
        fails(serve(&folder, "127.0.0.1:0"), &[hint, "back"]);
        // Nothing was made in its place.
        assert!(!keys.join(&name).exists(), "{told}");
        fs::copy(copy.join(&name), keys.join(&name)).unwrap();
        serves();
    }
}

#[test]
fn a_copy_taken_while_the_server_plays_is_served_as_it_stood() {
    let folder = issued();
    let (mut server, _) = listening(&folder);
    let backup = |to: &str| {
        Command::new(QOD).current_dir(folder.path()).args(["backup", "--data", "data", "--to", to]).output().unwrap()
    };
    let made = backup("copy.sqlite");
    assert!(made.status.success(), "{made:?}");
    // Never over another one.
    assert!(!backup("copy.sqlite").status.success());
    server.kill().unwrap();
    server.wait().unwrap();
    let mode = fs::metadata(folder.path().join("copy.sqlite")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // The machine is lost; the keys come from their own copy.
    for name in ["qod.sqlite", "qod.sqlite-wal", "qod.sqlite-shm"] {
        let _ = fs::remove_file(folder.path().join("data").join(name));
    }
    fs::rename(folder.path().join("copy.sqlite"), folder.path().join("data/qod.sqlite")).unwrap();
    let (mut server, address) = listening(&folder);
    let mut stream = TcpStream::connect(&address).unwrap();
    stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    server.kill().unwrap();
    server.wait().unwrap();
}
