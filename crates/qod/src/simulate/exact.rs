//! What a strategy gives by formula: the exact chance of each gain.

use std::collections::BTreeMap;

use rules::odds::multiplier_and_reach;
use rules::{Amount, Fraction, Multiplier, Palier, PotentialGain};

use super::strategy::Strategy;

/// The chance of each gain for one potential gain; they add up to 1.
pub(crate) fn distribution(gain: PotentialGain, strategy: Strategy) -> BTreeMap<Amount, Fraction> {
    let mut chances = BTreeMap::new();
    walk(gain, strategy, None, gain.amount(), Fraction::ONE, &mut chances);
    let won = chances.values().copied().fold(Fraction::ZERO, Fraction::plus);
    if let Some(lost) = won.complement().filter(|lost| *lost != Fraction::ZERO) {
        add(&mut chances, Amount::ZERO, lost);
    }
    chances
}

/// The average gain of a distribution, in euros.
pub(crate) fn average(chances: &BTreeMap<Amount, Fraction>) -> Fraction {
    chances.iter().map(|(gain, chance)| chance.times_int(gain.eur())).fold(Fraction::ZERO, Fraction::plus)
}

/// The variance of a distribution, in square euros.
#[allow(clippy::float_arithmetic, reason = "statistics that are shown; nothing is decided by them")]
pub(crate) fn variance(chances: &BTreeMap<Amount, Fraction>) -> f64 {
    let chance = |fraction: &Fraction| fraction.num() as f64 / fraction.den() as f64;
    let mean = chance(&average(chances));
    chances.iter().map(|(gain, of)| (gain.eur() as f64 - mean).powi(2) * chance(of)).sum()
}

fn walk(
    potential: PotentialGain,
    strategy: Strategy,
    after: Option<Palier>,
    gain: Amount,
    chance: Fraction,
    chances: &mut BTreeMap<Amount, Fraction>,
) {
    let next = match after {
        None => Some(Palier::One),
        Some(palier) => palier.as_stop().map(rules::Stop::next),
    };
    let Some(next) = next.filter(|_| !strategy.stops(after, gain)) else {
        return add(chances, gain, chance);
    };
    for multiplier in [Multiplier::Two, Multiplier::Three] {
        let reached = chance.times(multiplier_and_reach(next, potential, multiplier));
        if reached != Fraction::ZERO {
            walk(potential, strategy, Some(next), gain.times(multiplier), reached, chances);
        }
    }
}

fn add(chances: &mut BTreeMap<Amount, Fraction>, gain: Amount, chance: Fraction) {
    let sum = chances.entry(gain).or_insert(Fraction::ZERO);
    *sum = sum.plus(chance);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(num: u64, den: u64) -> Fraction {
        Fraction::new(num, den).unwrap()
    }

    #[test]
    fn below_50_000_euros_every_strategy_returns_its_stake_exactly() {
        for gain in PotentialGain::ALL.into_iter().filter(|g| !g.always_doubles()) {
            let amounts = [0, 10, 40, 100, 1_000_000].map(|eur| Strategy::Amount(Amount::from_eur(eur)));
            for strategy in Palier::ALL.map(Strategy::Palier).into_iter().chain(amounts).chain([Strategy::Always]) {
                let chances = distribution(gain, strategy);
                assert_eq!(chances.values().copied().fold(Fraction::ZERO, Fraction::plus), Fraction::ONE);
                assert_eq!(average(&chances), fraction(gain.eur().into(), 1), "{gain:?}, {strategy}");
            }
        }
    }

    #[test]
    fn at_50_000_euros_the_return_is_that_of_the_reglement() {
        let returns = |strategy| average(&distribution(PotentialGain::Eur50000, strategy));
        assert_eq!(returns(Strategy::Palier(Palier::One)), fraction(1012 * 50_000, 1015));
        assert_eq!(returns(Strategy::Always), fraction(176 * 50_000, 203));
        let chances = distribution(PotentialGain::Eur50000, Strategy::Always);
        assert_eq!(chances[&Amount::LARGEST_GAIN], fraction(11, 203));
        assert_eq!(chances.len(), 2);
    }
}
