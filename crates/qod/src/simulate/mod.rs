//! `qod simulate`: a strategy played many times by the rules, beside what the exact law says of it.

mod exact;
mod report;
mod run;
mod strategy;

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::ValueEnum;
use issue::Lots;
use rules::{Amount, Fraction, PotentialGain};

use crate::data::print;
use crate::progress::Progress;
use report::Report;
use strategy::Strategy;

/// What `qod simulate` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// When to stop: palier:1 to palier:4, always, or amount:EUROS
    #[arg(long, default_value = "always")]
    strategy: Strategy,
    /// Play so many games of one potential gain; without it, all the winning tickets of a block once
    #[arg(long, value_name = "N", requires = "potential_gain", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000))]
    games: Option<u64>,
    /// The potential gain in euros, with --games
    #[arg(long, value_name = "EUR", requires = "games", value_parser = potential_gain)]
    potential_gain: Option<PotentialGain>,
    /// The block's lots table, as JSON; the règlement's by default
    #[arg(long, conflicts_with = "games")]
    lots: Option<PathBuf>,
    /// The same seed gives the same result, on any number of cores
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many cores to use; all by default
    #[arg(long)]
    threads: Option<usize>,
    /// What is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Also draw the distribution into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One line a gain
    Csv,
}

/// Plays, and prints.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let (plan, what) = plan(args)?;
    let games: u64 = plan.iter().map(|(_, games)| games).sum();
    let threads = args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let progress = Progress::new(games);
    let tally = run::run(&plan, args.strategy, args.seed, threads, &|done| progress.done(done));
    progress.end();
    let staked = plan.iter().map(|(gain, games)| u64::from(gain.eur()) * games).sum();
    let chances = chances(&plan, args.strategy, games);
    let report =
        Report::new(format!("{what}, {}", args.strategy), staked, &chances, variance(&plan, args.strategy), &tally);
    if let Some(file) = &args.svg {
        std::fs::write(file, report.svg()).with_context(|| format!("cannot write {}", file.display()))?;
    }
    print(&match args.format {
        Format::Text => report.text(),
        Format::Csv => report.csv(),
    })
}

/// How many games of each potential gain, and what that is in words.
fn plan(args: &Args) -> anyhow::Result<(Vec<(PotentialGain, u64)>, String)> {
    if let (Some(games), Some(gain)) = (args.games, args.potential_gain) {
        return Ok((vec![(gain, games)], format!("A potential gain of {} €", gain.eur())));
    }
    let lots = match &args.lots {
        None => Lots::from_json(Lots::REGLEMENT)?,
        Some(path) => {
            let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            Lots::from_json(&text)?
        }
    };
    let plan: Vec<_> = lots.lots().iter().map(|(gain, count)| (*gain, u64::from(*count))).collect();
    anyhow::ensure!(plan.iter().any(|(_, games)| *games > 0), "this block has no winning ticket");
    Ok((plan, "The winning tickets of a block".to_owned()))
}

/// The exact chance of each gain over the whole plan.
fn chances(plan: &[(PotentialGain, u64)], strategy: Strategy, games: u64) -> BTreeMap<Amount, Fraction> {
    let mut all = BTreeMap::new();
    for (potential, count) in plan {
        let Some(share) = Fraction::new(*count, games) else { continue };
        for (gain, chance) in exact::distribution(*potential, strategy) {
            let sum = all.entry(gain).or_insert(Fraction::ZERO);
            *sum = sum.plus(chance.times(share));
        }
    }
    all
}

/// The exact variance of what the whole plan gives back: each potential gain is played so often, and each game by itself.
#[allow(clippy::float_arithmetic, reason = "statistics that are shown; nothing is decided by them")]
fn variance(plan: &[(PotentialGain, u64)], strategy: Strategy) -> f64 {
    plan.iter()
        .map(|(potential, games)| exact::variance(&exact::distribution(*potential, strategy)) * *games as f64)
        .sum()
}

fn potential_gain(text: &str) -> Result<PotentialGain, String> {
    let gain = text.parse().ok().and_then(PotentialGain::from_eur);
    gain.ok_or_else(|| {
        let all: Vec<String> = PotentialGain::ALL.iter().map(|gain| gain.eur().to_string()).collect();
        format!("a potential gain is one of {}", all.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fractions that were counted elsewhere: in another language and by enumeration (`tests/independent/simulate.mjs`).
    const COUNTED: &str = include_str!("../../../../tests/vectors/simulate.json");

    #[test]
    fn every_strategy_has_the_exact_chances_and_return_that_counting_gives() {
        let counted: Vec<serde_json::Value> = serde_json::from_str(COUNTED).unwrap();
        assert_eq!(counted.len(), 11 * 8);
        for case in counted {
            let strategy: Strategy = case["strategy"].as_str().unwrap().parse().unwrap();
            let plan = match case["potential_gain_eur"].as_u64() {
                Some(eur) => vec![(PotentialGain::from_eur(eur).unwrap(), 1)],
                None => {
                    Lots::from_json(Lots::REGLEMENT).unwrap().lots().iter().map(|(g, n)| (*g, (*n).into())).collect()
                }
            };
            let games = plan.iter().map(|(_, games)| games).sum();
            let chances = chances(&plan, strategy, games);
            let found: Vec<_> = chances
                .iter()
                .map(|(gain, chance)| format!("{} {}/{}", gain.eur(), chance.num(), chance.den()))
                .collect();
            assert_eq!(serde_json::json!(found), case["gains"], "{case}");
            let staked: u64 = plan.iter().map(|(gain, games)| u64::from(gain.eur()) * games).sum();
            let returned = exact::average(&chances).times_int(games).times(Fraction::new(1, staked).unwrap());
            assert_eq!(format!("{}/{}", returned.num(), returned.den()), case["return"].as_str().unwrap(), "{case}");
        }
    }

    #[test]
    fn the_interval_holds_the_formula_also_where_both_tickets_of_50_000_euros_lose() {
        let lots = Lots::from_json(Lots::REGLEMENT).unwrap();
        let plan: Vec<_> = lots.lots().iter().map(|(gain, count)| (*gain, u64::from(*count))).collect();
        let games = plan.iter().map(|(_, games)| games).sum();
        let staked = plan.iter().map(|(gain, games)| u64::from(gain.eur()) * games).sum();
        let strategy: Strategy = "palier:1".parse().unwrap();
        let largest = Amount::from_eur(100_000);
        let mut both_lost = 0;
        for seed in 1..=20 {
            let tally = run::run(&plan, strategy, seed, 2, &|_| ());
            both_lost += u32::from(!tally.contains_key(&largest));
            let chances = chances(&plan, strategy, games);
            let report = Report::new(String::new(), staked, &chances, variance(&plan, strategy), &tally);
            assert!(report.text().contains("the formula lies within it"), "seed {seed}: {}", report.text());
        }
        assert!(both_lost > 0);
    }

    #[test]
    fn one_game_has_the_variance_of_its_distribution() {
        // 5 € and palier 1: 0, 10 or 15 €, counted by hand from the chances.
        let strategy: Strategy = "palier:1".parse().unwrap();
        let five = PotentialGain::from_eur(5).unwrap();
        let chances = exact::distribution(five, strategy);
        let of = |eur| chances.get(&Amount::from_eur(eur)).map_or(0.0, |c| c.num() as f64 / c.den() as f64);
        let mean = 10.0 * of(10) + 15.0 * of(15);
        let expected = 100.0 * of(10) + 225.0 * of(15) - mean * mean;
        assert!((variance(&[(five, 1)], strategy) - expected).abs() < 1e-9);
        assert!((variance(&[(five, 4)], strategy) - 4.0 * expected).abs() < 1e-9);
    }
}
