//! A simulation told as text, as CSV, and as an SVG plot.
#![allow(clippy::float_arithmetic, reason = "statistics that are shown; nothing is decided by them")]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rules::{Amount, Fraction};

use super::exact::average;
use super::run::Tally;

/// What was simulated, beside what the formula says.
pub(crate) struct Report {
    /// What was asked for, in words.
    pub(crate) title: String,
    /// How many games were played.
    pub(crate) games: u64,
    /// What was staked in all, in euros.
    pub(crate) staked: u64,
    /// What the formula gives back of it, in euros.
    pub(crate) expected: Fraction,
    /// The exact variance of what all games give back together, in square euros.
    pub(crate) variance: f64,
    /// Each gain: its exact chance, and how many games gave it.
    pub(crate) gains: Vec<(Amount, Fraction, u64)>,
}

impl Report {
    /// Puts the formula's distribution beside the simulated one.
    pub(crate) fn new(
        title: String,
        staked: u64,
        chances: &BTreeMap<Amount, Fraction>,
        variance: f64,
        tally: &Tally,
    ) -> Self {
        let games = tally.values().sum();
        let gains: Vec<_> =
            chances.iter().map(|(gain, chance)| (*gain, *chance, tally.get(gain).copied().unwrap_or(0))).collect();
        let expected = average(chances).times_int(games);
        Self { title, games, staked, expected, variance, gains }
    }

    /// The simulated return as a share of the stakes, and half the width of its 99 % confidence interval. The width is that of the exact variance: that of
    /// a sample knows nothing of the two tickets of 50,000 € where both have lost.
    fn simulated(&self) -> (f64, f64) {
        let stake = self.staked as f64;
        let returned: f64 = self.gains.iter().map(|(gain, _, n)| gain.eur() as f64 * *n as f64).sum();
        (returned / stake, 2.575_829 * self.variance.sqrt() / stake)
    }

    /// For people.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        let exact = self.expected.num() as f64 / self.expected.den() as f64 / self.staked as f64;
        let (share, half) = self.simulated();
        let ratio = self.expected.times(Fraction::new(1, self.staked).unwrap_or(Fraction::ZERO));
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{}", self.title);
        let _ = writeln!(out, "{} games, {} € at stake\n", self.games, self.staked);
        let _ = writeln!(out, "return by formula  {}/{} = {exact:.6}", ratio.num(), ratio.den());
        let _ = writeln!(out, "return simulated   {share:.6} ± {half:.6} (99 %)");
        let inside = (share - exact).abs() <= half;
        let _ =
            writeln!(out, "                   the formula lies {} it\n", if inside { "within" } else { "outside of" });
        let _ = writeln!(out, "{:>10} {:>14} {:>14} {:>14}", "gain €", "games", "expected", "1 chance in");
        for (gain, chance, seen) in &self.gains {
            let expected = chance.num() as f64 / chance.den() as f64 * self.games as f64;
            let one_in = chance.den() as f64 / chance.num() as f64;
            let _ = writeln!(out, "{:>10} {seen:>14} {expected:>14.1} {one_in:>14.2}", gain.eur());
        }
        out
    }

    /// For programs: one line a gain.
    pub(crate) fn csv(&self) -> String {
        let mut out = String::from("gain_eur,games,chance_numerator,chance_denominator\n");
        for (gain, chance, seen) in &self.gains {
            let _ = writeln!(out, "{},{seen},{},{}", gain.eur(), chance.num(), chance.den());
        }
        out
    }

    /// A bar for each gain, simulated beside exact, on a logarithmic scale.
    pub(crate) fn svg(&self) -> String {
        let (row, left, width) = (34, 110, 640.0);
        let height = 90 + row * self.gains.len();
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 900 {height}\" font-family=\"sans-serif\" font-size=\"14\">\n\
             <rect width=\"900\" height=\"{height}\" fill=\"#fff\"/>\n\
             <text x=\"20\" y=\"30\" font-size=\"18\">{}</text>\n\
             <text x=\"20\" y=\"54\" fill=\"#555\">{} games; gold: simulated, line: exact; each step to the right is ten times as often</text>\n",
            self.title, self.games
        );
        let scale = width / (self.games.max(10) as f64).log10();
        let length = |games: f64| if games < 1.0 { 0.0 } else { (games.log10() * scale).max(2.0) };
        for (i, (gain, chance, seen)) in self.gains.iter().enumerate() {
            let y = 74 + row * i;
            let expected = chance.num() as f64 / chance.den() as f64 * self.games as f64;
            let _ = writeln!(
                out,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{} €</text>\
                 <rect x=\"{left}\" y=\"{y}\" width=\"{:.1}\" height=\"20\" fill=\"#e6b422\"/>\
                 <rect x=\"{:.1}\" y=\"{}\" width=\"2\" height=\"26\" fill=\"#222\"/>\
                 <text x=\"{:.1}\" y=\"{}\" fill=\"#555\">{seen}</text>",
                left - 10,
                y + 15,
                gain.eur(),
                length(*seen as f64),
                left as f64 + length(expected),
                y - 3,
                left as f64 + length(*seen as f64).max(length(expected)) + 10.0,
                y + 15,
            );
        }
        out.push_str("</svg>\n");
        out
    }
}
