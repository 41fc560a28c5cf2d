//! The settings of `qod serve`: flags before the environment before the file, checked at the start.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets what it does not expect must fail")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

const QOD: &str = env!("CARGO_BIN_EXE_qod");

/// A folder with a small block, a page, and a settings' file.
fn folder(settings: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("dist")).unwrap();
    fs::write(folder.path().join("dist/index.html"), "the page").unwrap();
    fs::write(folder.path().join("qod.toml"), settings).unwrap();
    let issued = Command::new(QOD).current_dir(folder.path()).args(["issue", "--demo", "--data", "data"]).output();
    assert!(issued.unwrap().status.success());
    folder
}

fn qod(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(QOD);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("QOD_")) {
        command.env_remove(name);
    }
    command.current_dir(folder.path()).arg("serve").args(arguments);
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
}

#[track_caller]
fn fails(mut command: Command, hints: &[&str]) {
    let output = command.output().unwrap();
    assert!(!output.status.success());
    for hint in hints {
        assert!(said(&output).contains(hint), "{hint}: {}", said(&output));
    }
}

const ALL: &str = "
data = \"data\"
listen = \"127.0.0.1:0\"
metrics-listen = \"127.0.0.1:0\"
pos-listen = \"127.0.0.1:0\"
tls-in-front = true
trusted-proxies = [\"10.0.0.0/8\", \"2001:db8::/48\"]
proxy-header = \"forwarded\"
wrong-codes = 5
session-minutes = 60
log-format = \"json\"
";

#[test]
fn settings_are_checked_without_serving_and_say_what_is_wrong_and_where() {
    let folder = folder(ALL);
    let checked = qod(&folder, &["--config", "qod.toml", "--check-config"]).output().unwrap();
    assert!(checked.status.success(), "{}", said(&checked));
    assert!(said(&checked).contains("in order"));

    for (settings, hints) in [
        (
            "lisen = \"127.0.0.1:0\"",
            ["qod.toml", "there is no setting \"lisen\"; there are: data, drain,", "wrong-codes"],
        ),
        ("check-config = true", ["qod.toml", "there is no setting \"check-config\"", ""]),
        ("listen = \"nowhere\"", ["qod.toml", "invalid value 'nowhere' for '--listen", "--help"]),
        ("session-minutes = 3", ["qod.toml", "3 is not in 5..=43200", "session-minutes"]),
        ("trusted-proxies = [\"10.0.0.0/99\"]", ["qod.toml", "invalid value '10.0.0.0/99'", "trusted-proxies"]),
        ("wrong-codes = 1.5", ["qod.toml", "\"wrong-codes\" is a text, a number", ""]),
        ("listen = ", ["qod.toml", "line 1", ""]),
    ] {
        fs::write(folder.path().join("qod.toml"), settings).unwrap();
        fails(qod(&folder, &["--config", "qod.toml", "--check-config"]), &hints);
    }
    fails(qod(&folder, &["--config", "nothing.toml"]), &["cannot read nothing.toml"]);
    fails(qod(&folder, &["--data", "data", "--store", "mysql://x"]), &["--store"]);
}

/// A server that listens, and where.
fn listening(mut command: Command) -> (Child, String) {
    let mut server = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line}")).trim().to_owned();
    (server, address)
}

fn get(address: &str, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\n{headers}connection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn stop(mut server: Child) -> String {
    assert!(Command::new("kill").args(["-TERM", &server.id().to_string()]).status().unwrap().success());
    assert!(server.wait().unwrap().success());
    let mut log = String::new();
    server.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    log
}

#[test]
fn a_flag_counts_before_the_environment_and_that_before_the_file() {
    let folder = folder(ALL);
    let insists = |command| {
        let (server, address) = listening(command);
        let answer = get(&address, "/healthz", "");
        (answer.contains("strict-transport-security"), stop(server))
    };
    let with_file = || qod(&folder, &["--config", "qod.toml"]);
    let (file, log) = insists(with_file());
    assert!(file && log.lines().all(|line| line.starts_with('{')), "{log}");
    let mut environment = with_file();
    environment.env("QOD_TLS_IN_FRONT", "false").env("QOD_LOG_FORMAT", "text");
    let (environment, log) = insists(environment);
    assert!(!environment && !log.starts_with('{'), "{log}");
    let mut flag = with_file();
    flag.env("QOD_TLS_IN_FRONT", "false").env("QOD_LISTN", "x").arg("--tls-in-front");
    let (flag, log) = insists(flag);
    assert!(flag && log.contains("QOD_LISTN"), "{log}");
}

#[test]
fn metrics_are_given_on_a_listener_of_their_own_and_players_do_not_reach_them() {
    let folder = folder(ALL);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let free = taken.local_addr().unwrap().to_string();
    drop(taken);
    let (server, address) = listening(qod(&folder, &["--config", "qod.toml", "--metrics-listen", &free]));
    let metrics = get(&free, "/metrics", "");
    assert!(metrics.starts_with("HTTP/1.1 200") && metrics.contains("qod_build_info"), "{metrics}");
    assert!(get(&free, "/api/v1/game", "").starts_with("HTTP/1.1 404"));
    assert!(get(&address, "/metrics", "").starts_with("HTTP/1.1 404"));
    stop(server);
}

#[test]
fn a_server_that_is_told_to_stop_says_that_it_is_not_ready_and_serves_on_for_the_time_set() {
    let folder = folder(ALL);
    let (server, address) = listening(qod(&folder, &["--config", "qod.toml", "--drain", "600"]));
    let signal = || Command::new("kill").args(["-TERM", &server.id().to_string()]).status().unwrap();
    assert!(get(&address, "/readyz", "").starts_with("HTTP/1.1 200"));
    assert!(signal().success());
    while get(&address, "/readyz", "").starts_with("HTTP/1.1 200") {}
    assert!(get(&address, "/qod", "").starts_with("HTTP/1.1 200"));
    // A second signal ends it at once.
    assert!(stop(server).contains("stopped"));
}
