//! `qod fairness`: many sealed games, drawn from end to end, against the law that they must follow; and the raw stream, for test batteries of others.
#![allow(clippy::float_arithmetic, reason = "statistics that are shown; nothing of a game is decided by them")]

mod counts;

use std::fmt::Write as _;
use std::io::Write as _;

use rules::odds::three_once_reached;
use rules::{Fraction, Palier, PotentialGain};
use seal::hash::{Keyed, sha256};
use seal::stream::Stream;

use crate::data::print;
use crate::progress::Progress;
use counts::{Counts, LAYOUTS, PAIRS};

/// What `qod fairness` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many games to draw, at least 100,000: with fewer the tests mean nothing
    #[arg(long, default_value_t = 10_000_000, value_parser = clap::value_parser!(u64).range(100_000..))]
    games: u64,
    /// The same seed gives the same verdict, on any number of cores
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many cores to use; all by default
    #[arg(long)]
    threads: Option<usize>,
    /// Instead, write the stream that draws are read from to standard output, without end: for dieharder and its like
    #[arg(long, conflicts_with_all = ["games", "threads"])]
    stream: bool,
}

/// Draws, counts, compares and prints.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let seed = sha256(&[b"qod fairness", &args.seed.to_be_bytes()]);
    if args.stream {
        return write_stream(&Keyed::new(&seed));
    }
    let threads = args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let progress = Progress::new(args.games);
    let counts = counts::count(args.games, seed, threads, &|done| progress.done(done));
    progress.end();
    let mut out = format!("{} sealed games, seed {}; chi-square tests at 99 %\n\n", args.games, args.seed);
    writeln!(out, "{:<52} {:>8} {:>12} {:>12}  verdict", "test", "freedom", "chi-square", "99 % below")?;
    let all = compared(&counts, &Keyed::new(&seed));
    for test in &all {
        let (freedom, chi2, bound) = (test.freedom, test.chi2, test.bound());
        let verdict = if test.holds() { "holds" } else { "OUTSIDE" };
        writeln!(out, "{:<52} {freedom:>8} {chi2:>12.2} {bound:>12.2}  {verdict}", test.name)?;
    }
    let held = all.iter().filter(|test| test.holds()).count();
    writeln!(out, "\n{held} of {} hold. (A fair draw falls outside in 1 of 100 tests.)", all.len())?;
    print(&out)
}

/// A chi-square test.
struct Test {
    name: String,
    freedom: usize,
    chi2: f64,
}

impl Test {
    /// Counts against equal or given shares of what was counted.
    fn new(name: impl Into<String>, freedom: usize, seen: &[u64], expected: impl Fn(usize) -> f64) -> Self {
        let chi2 = seen.iter().enumerate().map(|(i, n)| (*n as f64 - expected(i)).powi(2) / expected(i)).sum();
        Self { name: name.into(), freedom, chi2 }
    }

    /// The 99 % quantile, by Wilson and Hilferty's approximation (within 1 % for one degree of freedom, far closer for many).
    fn bound(&self) -> f64 {
        let k = self.freedom as f64;
        k * (1.0 - 2.0 / (9.0 * k) + 2.326_348 * (2.0 / (9.0 * k)).sqrt()).powi(3)
    }

    fn holds(&self) -> bool {
        self.chi2 <= self.bound()
    }
}

fn compared(counts: &Counts, seed: &Keyed) -> Vec<Test> {
    let games = counts.games as f64;
    let even = |name: &str, seen: &[u64], each: f64, freedom: usize, scale: f64| {
        let mut test = Test::new(name, freedom, seen, |_| each);
        test.chi2 *= scale;
        test
    };
    // Three of 30 are drawn without putting any back: the counts of one game exclude each other, which makes their spread smaller than that of
    // independent ones. The factor (n − 1) / (n − k) = 29/27 makes the sum over single numbers chi-square again; pairs have a test of their own.
    let mut tests = vec![
        even("the 4,060 layouts of the losing numbers", &counts.layouts, games / LAYOUTS as f64, LAYOUTS - 1, 1.0),
        even("which numbers lose", &counts.numbers, games / 10.0, 29, 29.0 / 27.0),
        even("which sealed cells lose", &counts.cells, games / 10.0, 29, 29.0 / 27.0),
        pairs(counts),
        even("a game and the next (sum of losing numbers mod 3)", &counts.successive, 0.0, 8, 1.0),
    ];
    // The sums mod 3 are not equally likely: 1360, 1350 and 1350 of the 4,060 layouts.
    let share = sums_mod_3();
    let successive = counts.successive.iter().sum::<u64>() as f64;
    if let Some(test) = tests.last_mut() {
        *test = Test::new(test.name.clone(), 8, &counts.successive, |i| successive * share[i / 3] * share[i % 3]);
    }
    let chance = |palier| value(three_once_reached(palier, PotentialGain::Eur20));
    for (palier, threes) in Palier::ALL.into_iter().zip(counts.threes) {
        let p = chance(palier);
        let seen = [threes, counts.games - threes];
        tests.push(Test::new(format!("multiplier of palier {}", palier.rank()), 1, &seen, |i| games * [p, 1.0 - p][i]));
    }
    let both = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    for ((i, j), seen) in both.into_iter().zip(counts.both_three) {
        let p = chance(Palier::ALL[i]) * chance(Palier::ALL[j]);
        let seen = [seen, counts.games - seen];
        let name = format!("×3 at paliers {} and {} together", i + 1, j + 1);
        tests.push(Test::new(name, 1, &seen, |i| games * [p, 1.0 - p][i]));
    }
    tests.extend(serial(seed, counts.games));
    tests
}

/// Pairs that lose together. The three pairs of a game share their numbers, so the sum of squares over all 435 pairs has two parts with
/// spreads of their own: what the single numbers explain (29 degrees), and the rest (405). The rest is tested here.
fn pairs(counts: &Counts) -> Test {
    let games = counts.games as f64;
    let (mean, number_mean) = (games * 3.0 / PAIRS as f64, games / 10.0);
    let mut rest = 0.0;
    let mut at = 0;
    for b in 0..30 {
        for a in 0..b {
            // Each number's own excess shows in all its 29 pairs: 2 of it over 28 neighbours.
            let own = |n: usize| (counts.numbers[n] as f64 - number_mean) * 2.0 / 28.0;
            rest += (counts.pairs[at] as f64 - mean - own(a) - own(b)).powi(2);
            at += 1;
        }
    }
    let variance = games * second_eigenvalue();
    Test { name: "pairs that lose together, beyond single numbers".into(), freedom: 405, chi2: rest / variance }
}

/// The variance of that rest in one game. For weights f on the pairs that sum to nothing over each number, it is E[(Σ f over the losing pairs)²] / Σ f².
fn second_eigenvalue() -> f64 {
    // P(a given pair loses), P(two pairs with one number in common lose) = P(three given numbers lose); disjoint pairs never do.
    let (pair, triple) = (3.0 / 435.0, 1.0 / 4060.0);
    // Over such f, a pair's neighbours sum to −2 f: E = P(pair) − 2 P(triple).
    pair - 2.0 * triple
}

fn sums_mod_3() -> [f64; 3] {
    let mut of = [0.0; 3];
    for c in 0..30 {
        for b in 0..c {
            (0..b).for_each(|a| of[(a + b + c) % 3] += 1.0 / LAYOUTS as f64);
        }
    }
    of
}

/// Serial tests on the stream itself: overlapping pairs of bytes, and how many words pass between two that are below a limit.
fn serial(seed: &Keyed, games: u64) -> Vec<Test> {
    let mut stream = Stream::new(seed, b"serial");
    let words = games.clamp(1 << 20, 1 << 24);
    let (mut bytes, mut twos, mut gaps) = (vec![0u64; 256], vec![0u64; 65_536], vec![0u64; 64]);
    let mut last = stream.word() as u8;
    let mut gap = 0;
    for _ in 0..words {
        let word = stream.word();
        for byte in word.to_be_bytes() {
            bytes[usize::from(byte)] += 1;
            twos[usize::from(last) << 8 | usize::from(byte)] += 1;
            last = byte;
        }
        if word < 1 << 28 {
            gaps[gap.min(63)] += 1;
            gap = 0;
        } else {
            gap += 1;
        }
    }
    let count = words as f64 * 4.0;
    let found = gaps.iter().sum::<u64>() as f64;
    let single = Test::new("bytes of the stream", 255, &bytes, |_| count / 256.0);
    let mut pairs = Test::new("overlapping pairs of its bytes", 65_280, &twos, |_| count / 65_536.0);
    // Overlapping pairs: the difference of the two sums is chi-square (Good, 1953).
    pairs.chi2 -= single.chi2;
    let each = |i: usize| {
        let pass = (15.0f64 / 16.0).powi(i32::try_from(i).unwrap_or(i32::MAX));
        found * if i == 63 { pass } else { pass / 16.0 }
    };
    vec![single, pairs, Test::new("gaps between its small words", 63, &gaps, each)]
}

fn value(fraction: Fraction) -> f64 {
    fraction.num() as f64 / fraction.den() as f64
}

fn write_stream(seed: &Keyed) -> anyhow::Result<()> {
    let mut stream = Stream::new(seed, b"raw");
    let mut out = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    loop {
        match out.write_all(&stream.word().to_be_bytes()) {
            // Whoever reads has enough.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
            other => other?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_thousand_sealed_games_at_a_fixed_seed_follow_the_law() {
        let seed = sha256(&[b"qod fairness", &1u64.to_be_bytes()]);
        let counts = counts::count(100_000, seed, 2, &|_| {});
        let all = compared(&counts, &Keyed::new(&seed));
        assert_eq!(all.len(), 18);
        for test in all {
            assert!(test.holds(), "{}: {} over {}", test.name, test.chi2, test.bound());
        }
    }

    #[test]
    fn a_draw_that_is_off_by_a_little_is_found() {
        // Every twenty-fifth game with a losing 1 has another number instead: its share falls from 10 % to 9.6 %.
        let seed = sha256(&[b"qod fairness", &1u64.to_be_bytes()]);
        let mut counts = counts::count(150_000, seed, 2, &|_| {});
        let moved = counts.numbers[0] / 25;
        counts.numbers[0] -= moved;
        counts.numbers[29] += moved;
        let found = compared(&counts, &Keyed::new(&seed)).into_iter().filter(|t| !t.holds()).map(|t| t.name);
        assert!(found.collect::<Vec<_>>().contains(&"which numbers lose".to_owned()));
    }

    #[test]
    fn the_quantiles_are_those_of_the_tables() {
        for (freedom, quantile) in [(1, 6.635), (8, 20.090), (29, 49.588), (255, 310.457), (4059, 4271.9)] {
            let bound = Test { name: String::new(), freedom, chi2: 0.0 }.bound();
            assert!((bound / quantile - 1.0).abs() < 0.01, "{freedom}: {bound}");
        }
    }
}
