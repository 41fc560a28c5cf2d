//! Many games, on all cores. The games are cut into pieces, each with a stream of its own, and only integers are added up: the
//! same seed gives the same result on any number of cores.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use rules::number::{GOOD, NUMBERS};
use rules::odds::multiplier_draw;
use rules::{
    Amount, Command, Game, Multiplier, Nature, Number, Outcomes, Palier, PotentialGain, State, Terms, Timestamp, decide,
};

use super::strategy::Strategy;

/// How many games one stream plays.
const PIECE: u64 = 1 << 14;

/// What is played: so many games of each potential gain.
pub(crate) type Plan = [(PotentialGain, u64)];

/// How many games gave each gain.
pub(crate) type Tally = BTreeMap<Amount, u64>;

/// Plays it all on so many threads, and tells after each piece how many games are done.
pub(crate) fn run(plan: &Plan, strategy: Strategy, seed: u64, threads: usize, done: &(dyn Fn(u64) + Sync)) -> Tally {
    let pieces: Vec<(PotentialGain, u64)> = plan.iter().flat_map(|(gain, games)| cut(*gain, *games)).collect();
    let (next, played) = (AtomicU64::new(0), AtomicU64::new(0));
    let work = || {
        let mut tally = Tally::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some((gain, games)) = usize::try_from(number).ok().and_then(|i| pieces.get(i)) else { return tally };
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(number);
            for _ in 0..*games {
                *tally.entry(play(*gain, strategy, &mut rng)).or_insert(0) += 1;
            }
            done(played.fetch_add(*games, Ordering::Relaxed) + games);
        }
    };
    let mut total = Tally::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        for tally in workers.into_iter().filter_map(|worker| worker.join().ok()) {
            for (gain, games) in tally {
                *total.entry(gain).or_insert(0) += games;
            }
        }
    });
    total
}

fn cut(gain: PotentialGain, games: u64) -> impl Iterator<Item = (PotentialGain, u64)> {
    (0..games.div_ceil(PIECE)).map(move |i| (gain, PIECE.min(games - i * PIECE)))
}

/// One game by the rules themselves, as a server would decide it.
fn play(gain: PotentialGain, strategy: Strategy, rng: &mut ChaCha8Rng) -> Amount {
    if strategy.stops(None, gain.amount()) {
        return gain.amount();
    }
    let (terms, now) = (Terms::default(), Timestamp::from_millis(0));
    let mut game = Game::new(gain);
    let draw = Draw::new(rng, gain);
    let mut numbers = Number::all();
    loop {
        let command = match game.state() {
            State::NotStarted => Command::Continue,
            State::OnPalier(stop) if strategy.stops(Some(stop.palier()), game.acquired()) => Command::Quit,
            State::OnPalier(_) => Command::Continue,
            // Which numbers are picked does not matter: the draw is unbiased over them all.
            State::Picking(_) => match numbers.next() {
                Some(number) => Command::Pick(number),
                None => return Amount::ZERO,
            },
            _ => return game.gain().unwrap_or(Amount::ZERO),
        };
        let done = decide(&game, command, &terms, now, &draw).is_ok_and(|recorded| game.advance(recorded).is_ok());
        if !done {
            return game.gain().unwrap_or(Amount::ZERO);
        }
    }
}

/// A draw of the same law as a sealed one.
struct Draw {
    /// The three losing numbers.
    losing: u32,
    multipliers: [Multiplier; 4],
}

impl Draw {
    fn new(rng: &mut ChaCha8Rng, gain: PotentialGain) -> Self {
        let mut losing = 0u32;
        while losing.count_ones() < u32::from(NUMBERS - GOOD) {
            losing |= 1 << uniform(rng, NUMBERS.into());
        }
        let multipliers = Palier::ALL.map(|palier| {
            let draw = multiplier_draw(palier);
            draw.multiplier(uniform(rng, draw.out_of()), gain)
        });
        Self { losing, multipliers }
    }
}

impl Outcomes for Draw {
    fn nature(&self, number: Number) -> Nature {
        if self.losing >> number.index() & 1 == 1 { Nature::Losing } else { Nature::Good }
    }

    fn multiplier(&self, palier: Palier) -> Multiplier {
        self.multipliers[palier.index()]
    }
}

fn uniform(rng: &mut ChaCha8Rng, n: u32) -> u32 {
    seal::stream::uniform(n, || rng.next_u32())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &Plan = &[(PotentialGain::Eur20, 50_000), (PotentialGain::Eur50000, 20_001)];

    #[test]
    fn the_same_seed_gives_the_same_result_on_any_number_of_cores() {
        let one = run(PLAN, Strategy::Always, 7, 1, &|_| {});
        assert_eq!(one.values().sum::<u64>(), 70_001);
        for threads in [2, 3, 8] {
            assert_eq!(run(PLAN, Strategy::Always, 7, threads, &|_| {}), one);
        }
        assert_ne!(run(PLAN, Strategy::Always, 8, 1, &|_| {}), one);
    }

    #[test]
    fn the_simulated_gains_are_those_of_the_exact_law() {
        // Chi-square of 300,000 games over the gains that are expected at least 5 times, at a fixed seed. The quantile at 99.9 %
        // of as many degrees of freedom bounds it.
        for strategy in [Strategy::Palier(Palier::Two), Strategy::Always, Strategy::Amount(Amount::from_eur(100))] {
            let games = 300_000;
            let tally = run(&[(PotentialGain::Eur20, games)], strategy, 11, 2, &|_| {});
            let mut chi2_thousandths = 0;
            let mut kinds = 0;
            for (gain, chance) in super::super::exact::distribution(PotentialGain::Eur20, strategy) {
                let expected =
                    i128::from(chance.times_int(games).num()) * 1000 / i128::from(chance.times_int(games).den());
                let seen = i128::from(tally.get(&gain).copied().unwrap_or(0)) * 1000;
                if expected >= 5000 {
                    chi2_thousandths += (seen - expected).pow(2) / expected;
                    kinds += 1;
                }
            }
            // 99.9 % quantiles of chi-square with 1 to 6 degrees of freedom, in thousandths.
            let quantiles = [10_828, 13_816, 16_266, 18_467, 20_515, 22_458];
            assert!(chi2_thousandths < quantiles[kinds - 2], "{strategy}: {chi2_thousandths} of {kinds} kinds");
        }
    }
}
