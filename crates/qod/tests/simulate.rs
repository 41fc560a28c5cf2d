//! `qod simulate` as it is run, against fractions that were counted elsewhere: `tests/independent/simulate.mjs`, in another language and by
//! enumeration, wrote `tests/vectors/simulate.json`.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect must fail")]

use std::process::{Command, Output};

const QOD: &str = env!("CARGO_BIN_EXE_qod");
const COUNTED: &str = include_str!("../../../tests/vectors/simulate.json");

fn simulate(args: &[&str]) -> Output {
    Command::new(QOD).arg("simulate").args(args).output().unwrap()
}

#[track_caller]
fn said(args: &[&str]) -> String {
    let output = simulate(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Each gain of a CSV with its exact chance, as the counted figures are written, and how many games it had in all.
fn exact(csv: &str) -> (Vec<String>, u64) {
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("gain_eur,games,chance_numerator,chance_denominator"));
    let mut games = 0;
    let lines = lines.map(|line| {
        let fields: Vec<u64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        games += fields[1];
        format!("{} {}/{}", fields[0], fields[2], fields[3])
    });
    (lines.collect(), games)
}

/// Of a block's winners one strategy is run; all of them are compared beside the formula, in `simulate`.
#[test]
fn what_is_printed_are_the_exact_chances_and_the_return_that_counting_gives() {
    let counted: Vec<serde_json::Value> = serde_json::from_str(COUNTED).unwrap();
    assert_eq!(counted.len(), 11 * 8);
    for case in counted {
        let strategy = case["strategy"].as_str().unwrap();
        if case["potential_gain_eur"].is_null() && strategy != "always" {
            continue;
        }
        let stake = case["potential_gain_eur"].as_u64().map(|eur| eur.to_string());
        let mut args = vec!["--strategy", strategy];
        match &stake {
            Some(stake) => args.extend(["--games", "1000", "--potential-gain", stake]),
            // Without games it is the block's 771,842 winners.
            None => assert!(case["potential_gain_eur"].is_null()),
        }
        let (gains, games) = exact(&said(&[&args[..], &["--format", "csv"]].concat()));
        let expected: Vec<&str> = case["gains"].as_array().unwrap().iter().map(|gain| gain.as_str().unwrap()).collect();
        assert_eq!(gains, expected, "{strategy}, {stake:?}");
        assert_eq!(games, if stake.is_some() { 1000 } else { 771_842 });
        let returned = format!("return by formula  {} = ", case["return"].as_str().unwrap());
        let text = said(&args);
        assert!(text.contains(&returned), "{strategy}, {stake:?}: {returned} is not in\n{text}");
    }
}

#[test]
fn the_same_seed_gives_the_same_text_csv_and_plot_on_any_number_of_cores() {
    let folder = tempfile::tempdir().unwrap();
    let run = |threads: &str, seed: &str| {
        let file = folder.path().join(format!("{threads}-{seed}.svg"));
        let plan = ["--games", "50000", "--potential-gain", "20", "--strategy", "palier:2", "--seed", seed];
        let args = [&plan[..], &["--threads", threads, "--svg", file.to_str().unwrap()]].concat();
        let text = said(&args);
        let csv = said(&[&args[..], &["--format", "csv"]].concat());
        (text, csv, std::fs::read_to_string(file).unwrap())
    };
    let one = run("1", "7");
    assert_eq!(run("2", "7"), one);
    assert_eq!(run("5", "7"), one);
    assert_ne!(run("1", "8").1, one.1);
    let (text, _, svg) = one;
    assert!(text.contains("(99 %)") && text.contains("the formula lies within it"), "{text}");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && svg.contains("stop on palier 2"));
    // A bar and a line for each of the four gains (0, and 2 × 2, 2 × 3 or 3 × 2, 3 × 3 times 20 €).
    assert_eq!(svg.matches("<rect").count(), 1 + 2 * 4);
}

#[test]
fn a_plan_that_cannot_be_played_is_refused_with_what_to_do() {
    for (args, told) in [
        (&["--strategy", "palier:5"][..], "palier:1 to palier:4, always, or amount:EUROS"),
        (&["--games", "10"], "--potential-gain"),
        (&["--games", "0", "--potential-gain", "5"], "1..="),
        (&["--games", "10", "--potential-gain", "7"], "5, 10, 20, 50, 100, 1000, 50000"),
    ] {
        let output = simulate(args);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(told), "{args:?}: {error}");
    }
}
