//! `qod verify` as it is run, over games that end in every way there is: from a file, from standard input, in words and for programs.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect must fail")]

#[path = "../../seal/tests/games/mod.rs"]
mod games;

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use games::{ended, played};
use seal::Transcript;
use seal::transcript::{Action, Outcome};

const QOD: &str = env!("CARGO_BIN_EXE_qod");

fn verify(args: &[&str], input: &str) -> Output {
    let mut command = Command::new(QOD);
    command.arg("verify").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// The gain of the first palier in these games.
fn first_gain() -> u64 {
    played(6, false).check().unwrap().game.acquired().eur()
}

/// Every way in which a game can stand, with the words for it.
fn all() -> Vec<(Transcript, String)> {
    let gain = first_gain();
    let won = played(18, false);
    let most = won.gain_eur.unwrap();
    let mut quit = Transcript { gain_eur: Some(gain), ..ended(6, Outcome::Won, gain) };
    quit.actions.push(Action::Quit);
    vec![
        (played(0, false), "In progress.".to_owned()),
        (played(7, false), "In progress.".to_owned()),
        (won, format!("Won at palier 4: {most} €.")),
        (quit, format!("Won at palier 1: {gain} €.")),
        (played(7, true), "Lost.".to_owned()),
        (ended(3, Outcome::Expired, 0), "Expired after 30 days: 0 €.".to_owned()),
        (ended(6, Outcome::Expired, gain), format!("Expired after 30 days: {gain} €.")),
        (ended(7, Outcome::Expired, 0), "Expired after 30 days: 0 €.".to_owned()),
        (ended(7, Outcome::Expired, gain), format!("Expired after 30 days: {gain} €.")),
        (ended(3, Outcome::Void, 20), "Voided by the operator: 20 €.".to_owned()),
        (ended(7, Outcome::Void, gain), format!("Voided by the operator: {gain} €.")),
    ]
}

#[test]
fn a_game_that_stands_or_ended_in_any_way_is_verified_from_a_file_and_from_standard_input_in_words_and_for_programs() {
    let folder = tempfile::tempdir().unwrap();
    for (game, ending) in all() {
        let (text, outcome) = (game.to_json(), game.outcome.name());
        let file = folder.path().join("game.json");
        std::fs::write(&file, &text).unwrap();
        let file = file.to_str().unwrap();
        let (by_file, by_input) = (verify(&[file], ""), verify(&["-"], &text));
        let words = String::from_utf8(by_file.stdout.clone()).unwrap();
        assert!(by_file.status.success() && words.contains(&ending), "{ending}\n{words}");
        assert_eq!((by_input.status.success(), &by_input.stdout), (true, &by_file.stdout));
        assert!(words.contains("VERIFIED: ") && words.contains("CONTINUER: the potential gain is put at stake"));
        let sealed_still = words.contains("its draw is sealed, and not revealed yet");
        assert_eq!(sealed_still, outcome == "in_progress");

        let json = verify(&["--json", "-"], &text);
        assert!(json.status.success());
        let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
        assert_eq!((&json["verified"], &json["outcome"]), (&true.into(), &outcome.into()));
        assert_eq!(json["gain_eur"].as_u64(), game.gain_eur);
        assert_eq!(json["losing_numbers"].as_array().map(Vec::len), (outcome != "in_progress").then_some(3));
        assert_eq!(
            (&json["ticket_id"], &json["potential_gain_eur"]),
            (&game.sealed.ticket.to_string().into(), &20.into())
        );
    }
}

#[test]
fn what_is_wrong_is_told_first_on_standard_error_or_as_json_and_the_exit_code_is_1() {
    let game = played(7, true);
    let wrong = Transcript { gain_eur: Some(40), ..game.clone() }.to_json();
    let said = verify(&["-"], &wrong);
    assert_eq!((said.status.code(), said.stdout.is_empty()), (Some(1), true));
    assert_eq!(String::from_utf8(said.stderr).unwrap(), "WRONG: \"gain_eur\" is not the gain of this game, 0 €\n");
    let json = verify(&["--json", "-"], &wrong);
    assert_eq!(json.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["verified"], false);
    assert_eq!(json["wrong"], "\"gain_eur\" is not the gain of this game, 0 €");

    let missing = verify(&["no/such/game.json"], "");
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8(missing.stderr).unwrap().contains("no/such/game.json cannot be read"));
    for (text, told) in [
        (game.to_json().replacen("\"version\":1", "\"version\":2", 1), "version"),
        (game.to_json().replacen("{", "{\"version\":1,", 1), "given twice"),
        (game.to_json()[..500].to_owned(), "ends too soon"),
        (format!("{}x", game.to_json()), "something follows"),
        (" ".repeat(1 << 20) + &game.to_json(), "larger than any transcript"),
    ] {
        let said = verify(&["-"], &text);
        let error = String::from_utf8(said.stderr).unwrap();
        assert!(said.status.code() == Some(1) && error.contains(told), "{told}: {error}");
    }
}
