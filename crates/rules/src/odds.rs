//! The exact law of the game (2.2.7), as fractions in lowest terms. No floating point.
//!
//! Numbers are found one at a time without putting any back, so with `f` good numbers found there are
//! `27 − f` good ones among the `30 − f` left. The chance of reaching palier `k` from the one before is
//! the product of these: 506/1015, 969/2024, 455/969, 44/91. The published table gives the chance of each multiplier
//! jointly with reaching its palier; all its twelve figures are those of one law, in which ×3 has the joint chance
//! `1 − 2·P(reach)`, so that below 50,000 € each palier is worth exactly what is staked on it.

use crate::amount::PotentialGain;
use crate::game::{Game, State};
use crate::number::{GOOD, LOSING};
use crate::palier::{Multiplier, Palier};

/// A non-negative fraction in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fraction {
    num: u64,
    den: u64,
}

impl Fraction {
    /// 0
    pub const ZERO: Self = Self { num: 0, den: 1 };
    /// 1
    pub const ONE: Self = Self { num: 1, den: 1 };

    /// `num / den` in lowest terms; none where `den` is 0.
    #[must_use]
    pub const fn new(num: u64, den: u64) -> Option<Self> {
        if den == 0 { None } else { Some(Self::reduced(num, den)) }
    }

    /// The numerator.
    #[must_use]
    pub const fn num(self) -> u64 {
        self.num
    }

    /// The denominator, never 0.
    #[must_use]
    pub const fn den(self) -> u64 {
        self.den
    }

    /// The product. (Every factor of this game keeps far below 2⁶⁴.)
    #[must_use]
    pub const fn times(self, other: Self) -> Self {
        // Reducing crosswise first keeps the products small.
        let a = Self::reduced(self.num, other.den);
        let b = Self::reduced(other.num, self.den);
        Self { num: a.num * b.num, den: a.den * b.den }
    }

    /// The sum. (Over the least common denominator, which keeps it small.)
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        let (mine, theirs) = (self.den / gcd(self.den, other.den), other.den / gcd(self.den, other.den));
        Self::reduced(self.num * theirs + other.num * mine, mine * other.den)
    }

    /// This many times the fraction.
    #[must_use]
    pub const fn times_int(self, n: u64) -> Self {
        self.times(Self { num: n, den: 1 })
    }

    /// 1 minus this fraction; none where this is more than 1.
    #[must_use]
    pub const fn complement(self) -> Option<Self> {
        if self.num > self.den { None } else { Some(Self::reduced(self.den - self.num, self.den)) }
    }

    /// "1 chance in": its inverse in hundredths, rounded half up as the règlement's table is. None for 0.
    #[must_use]
    pub const fn one_in_hundredths(self) -> Option<u64> {
        if self.num == 0 { None } else { Some((self.den * 200 + self.num) / (self.num * 2)) }
    }

    /// In tenths of a percent, rounded half up: what a screen shows.
    #[must_use]
    pub const fn per_mille(self) -> u64 {
        (self.num * 2000 + self.den) / (self.den * 2)
    }

    const fn reduced(num: u64, den: u64) -> Self {
        let common = gcd(num, den);
        Self { num: num / common, den: den / common }
    }
}

const fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The chance that the next number picked is good, once `found` good ones are (0 to 27).
#[must_use]
pub const fn next_is_good(found: u8) -> Fraction {
    let good = GOOD.saturating_sub(found) as u64;
    Fraction::reduced(good, good + LOSING as u64)
}

/// The chance to reach `palier` without stopping, once `found` good numbers are; 1 where it is reached already.
#[must_use]
pub const fn reach(palier: Palier, found: u8) -> Fraction {
    let mut chance = Fraction::ONE;
    let mut found = found;
    while found < palier.found_in_all() {
        chance = chance.times(next_is_good(found));
        found += 1;
    }
    chance
}

/// The chance to reach `palier` from the palier before it (from the start for the first): P(reach) of the règlement's table.
#[must_use]
pub const fn reach_from_before(palier: Palier) -> Fraction {
    reach(palier, palier.found_in_all() - palier.to_find())
}

/// How a palier's multiplier is drawn: ×3 for `threes` values out of `out_of` equally likely ones, else ×2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    threes: u32,
    out_of: u32,
}

/// The draw of a palier's multiplier, given that the palier is reached: 3/506, 86/969, 59/455, 3/44,
/// which is `(1 − 2p) / p` with `p` the chance of reaching it.
#[must_use]
pub const fn multiplier_draw(palier: Palier) -> Draw {
    let (threes, out_of) = match palier {
        Palier::One => (3, 506),
        Palier::Two => (86, 969),
        Palier::Three => (59, 455),
        Palier::Four => (3, 44),
    };
    Draw { threes, out_of }
}

impl Draw {
    /// How many equally likely values there are.
    #[must_use]
    pub const fn out_of(self) -> u32 {
        self.out_of
    }

    /// What a value (0 to `out_of − 1`) draws for this potential gain: 3 below the threshold, else 2; always 2 at 50,000 €.
    #[must_use]
    pub const fn multiplier(self, value: u32, gain: PotentialGain) -> Multiplier {
        if value < self.threes && !gain.always_doubles() { Multiplier::Three } else { Multiplier::Two }
    }
}

/// The chance of ×3 at a palier that is reached.
#[must_use]
pub const fn three_once_reached(palier: Palier, gain: PotentialGain) -> Fraction {
    if gain.always_doubles() {
        return Fraction::ZERO;
    }
    let draw = multiplier_draw(palier);
    Fraction::reduced(draw.threes as u64, draw.out_of as u64)
}

/// The chance to reach the palier from the one before and to draw this multiplier there: a figure of the règlement's table.
#[must_use]
pub const fn multiplier_and_reach(palier: Palier, gain: PotentialGain, multiplier: Multiplier) -> Fraction {
    let three = three_once_reached(palier, gain);
    let given = match (multiplier, three.complement()) {
        (Multiplier::Two, Some(two)) => two,
        _ => three,
    };
    reach_from_before(palier).times(given)
}

/// What a palier multiplies by on average, once it is reached: 2, and once more the stake where ×3 is drawn.
#[must_use]
pub const fn average_multiplier(palier: Palier, gain: PotentialGain) -> Fraction {
    Fraction::reduced(2, 1).plus(three_once_reached(palier, gain))
}

/// What going on to `palier` is worth, once `found` good numbers are, as a multiple of the gain that is staked:
/// the chance of reaching it times what it multiplies by on average. Stopping is worth 1.
#[must_use]
pub const fn value_of_going_on(palier: Palier, found: u8, gain: PotentialGain) -> Fraction {
    reach(palier, found).times(average_multiplier(palier, gain))
}

/// Everything that can be said of a game's chances where it stands: what a page shows, all of it exact. Each is reckoned when it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Outlook<'a>(&'a Game);

impl<'a> Outlook<'a> {
    /// Of a game as it stands.
    #[must_use]
    pub const fn of(game: &'a Game) -> Self {
        Self(game)
    }

    /// The chance that the next number is good; none where none can be picked before a choice, or ever.
    #[must_use]
    pub fn next_is_good(self) -> Option<Fraction> {
        matches!(self.0.state(), State::Picking(_)).then(|| next_is_good(self.0.found()))
    }

    /// The palier that is played for, or that CONTINUER would play for; none once the game can go on no more.
    #[must_use]
    pub const fn next_palier(self) -> Option<Palier> {
        match self.0.state() {
            State::NotStarted => Some(Palier::One),
            State::Picking(palier) => Some(palier),
            State::OnPalier(stop) => Some(stop.next()),
            _ => None,
        }
    }

    /// The chance to reach this palier from here without stopping: 1 where it is reached, 0 where it no longer can be.
    #[must_use]
    pub fn reach(self, palier: Palier) -> Fraction {
        match (self.drawn(palier), self.next_palier()) {
            (Some(_), _) => Fraction::ONE,
            (None, Some(_)) => reach(palier, self.0.found()),
            (None, None) => Fraction::ZERO,
        }
    }

    /// The chance of this multiplier at this palier, once it is reached; where it is reached, what was drawn is certain.
    #[must_use]
    pub fn multiplier(self, palier: Palier, multiplier: Multiplier) -> Fraction {
        let three = three_once_reached(palier, self.0.potential_gain());
        match (self.drawn(palier), multiplier) {
            (Some(drawn), _) if drawn == multiplier => Fraction::ONE,
            (Some(_), _) => Fraction::ZERO,
            (None, Multiplier::Three) => three,
            (None, Multiplier::Two) => three.complement().unwrap_or(Fraction::ZERO),
        }
    }

    /// What stopping here is worth, in euros; none where one cannot stop.
    #[must_use]
    pub fn stop(self) -> Option<Fraction> {
        let gain = self.0.gain().filter(|_| self.next_palier().is_some())?;
        Some(Fraction::ONE.times_int(gain.eur()))
    }

    /// What going on to the next palier is worth on average, as a multiple of what is staked on it (stopping is worth 1); none where one cannot go on.
    #[must_use]
    pub fn value_of_next(self) -> Option<Fraction> {
        Some(value_of_going_on(self.next_palier()?, self.0.found(), self.0.potential_gain()))
    }

    /// What going on from here as far as this palier, and stopping there, is worth on average, in euros; none where it is reached or no longer can be.
    #[must_use]
    pub fn go_on(self, palier: Palier) -> Option<Fraction> {
        let next = self.next_palier().filter(|next| *next <= palier)?;
        let mut worth = self.value_of_next()?.times_int(self.0.acquired().eur());
        for each in Palier::ALL.into_iter().filter(|each| *each > next && *each <= palier) {
            let from = each.found_in_all() - each.to_find();
            worth = worth.times(value_of_going_on(each, from, self.0.potential_gain()));
        }
        Some(worth)
    }

    fn drawn(self, palier: Palier) -> Option<Multiplier> {
        self.0.multipliers().get(palier.index()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(num: u64, den: u64) -> Fraction {
        Fraction::new(num, den).unwrap()
    }

    fn both(outlook: Outlook<'_>, palier: Palier) -> [Fraction; 2] {
        [Multiplier::Two, Multiplier::Three].map(|multiplier| outlook.multiplier(palier, multiplier))
    }

    #[test]
    fn the_twelve_published_figures_come_out_of_the_exact_law() {
        // 2.2.7, below 50,000 €: multiplier 2, multiplier 3, reach the palier; hundredths of "1 chance in".
        let published = [[202, 33_833, 201], [229, 2_353, 209], [245, 1_642, 213], [222, 3_033, 207]];
        for gain in PotentialGain::ALL.into_iter().filter(|g| !g.always_doubles()) {
            for (palier, figures) in Palier::ALL.into_iter().zip(published) {
                let law = [
                    multiplier_and_reach(palier, gain, Multiplier::Two),
                    multiplier_and_reach(palier, gain, Multiplier::Three),
                    reach_from_before(palier),
                ];
                assert_eq!(law.map(|f| f.one_in_hundredths().unwrap()), figures, "{palier:?}");
            }
        }
    }

    #[test]
    fn the_paliers_are_reached_with_506_1015_969_2024_455_969_and_44_91() {
        let law = [fraction(506, 1015), fraction(969, 2024), fraction(455, 969), fraction(44, 91)];
        assert_eq!(Palier::ALL.map(reach_from_before), law);
    }

    #[test]
    fn all_four_paliers_are_reached_with_11_203() {
        assert_eq!(reach(Palier::Four, 0), fraction(11, 203));
        let product = Palier::ALL.map(reach_from_before).into_iter().fold(Fraction::ONE, Fraction::times);
        assert_eq!(product, fraction(11, 203));
    }

    #[test]
    fn the_draw_of_a_multiplier_is_one_minus_twice_the_chance_to_reach_divided_by_it() {
        for palier in Palier::ALL {
            let p = reach_from_before(palier);
            let three = fraction(p.den() - 2 * p.num(), p.den()).times(fraction(p.den(), p.num()));
            let draw = multiplier_draw(palier);
            assert_eq!(three, fraction(draw.threes.into(), draw.out_of.into()));
            let threes = (0..draw.out_of).filter(|v| draw.multiplier(*v, PotentialGain::Eur5) == Multiplier::Three);
            assert_eq!(u64::try_from(threes.count()).unwrap() * three.den(), three.num() * u64::from(draw.out_of));
            assert!((0..draw.out_of).all(|v| draw.multiplier(v, PotentialGain::Eur50000) == Multiplier::Two));
            // The draw is of the lowest values, as the seal has it.
            let below = |v| draw.multiplier(v, PotentialGain::Eur5) == Multiplier::Three;
            assert!((0..draw.out_of).all(|v| below(v) == (v < draw.threes)));
        }
    }

    #[test]
    fn below_50_000_euros_every_palier_is_worth_exactly_its_stake() {
        for gain in PotentialGain::ALL {
            for palier in Palier::ALL {
                let value = value_of_going_on(palier, palier.found_in_all() - palier.to_find(), gain);
                let doubled = reach_from_before(palier).times(fraction(2, 1));
                assert_eq!(value, if gain.always_doubles() { doubled } else { Fraction::ONE });
            }
        }
        let all = Palier::ALL.into_iter().map(|p| reach_from_before(p).times(fraction(2, 1)));
        assert_eq!(value_of_going_on(Palier::One, 0, PotentialGain::Eur50000), fraction(1012, 1015));
        assert_eq!(all.fold(Fraction::ONE, Fraction::times), fraction(176, 203));
    }

    /// The same law by enumeration of all layouts of three losing numbers. All orders of picking are alike, so the numbers are picked in order, and the
    /// first of the three decides. Gives, for a game with `found` good numbers, how many of the layouts still possible reach each palier.
    fn layouts(found: u8) -> (u64, [u64; 4]) {
        let (mut possible, mut reached) = (0, [0; 4]);
        for first in 1..=30u8 {
            for second in first + 1..=30 {
                for _third in second + 1..=30 {
                    possible += u64::from(first > found);
                    for (count, in_all) in reached.iter_mut().zip([6, 11, 15, 18]) {
                        *count += u64::from(first > found.max(in_all));
                    }
                }
            }
        }
        (possible, reached)
    }

    #[test]
    fn the_outlook_is_that_of_counting_layouts_and_of_playing_on_by_hand() {
        assert_eq!(layouts(0).0, 4060);
        let start = crate::Event::Started {
            finish_before: crate::Timestamp::from_millis(0).finish_before(),
            unfinished: crate::Unfinished::NoGain,
        };
        for gain in PotentialGain::ALL {
            let at = crate::Timestamp::from_millis(0);
            let mut game = Game::new(gain);
            assert_eq!(Outlook::of(&game).stop(), Some(fraction(gain.eur().into(), 1)));
            game = game.apply(crate::Recorded { at, event: start }).unwrap();
            for number in crate::Number::all().take(17) {
                let outlook = Outlook::of(&game);
                let (possible, reached) = layouts(game.found());
                assert_eq!(
                    Palier::ALL.map(|palier| outlook.reach(palier)),
                    reached.map(|count| fraction(count, possible))
                );
                assert_eq!(outlook.stop().is_some(), matches!(game.state(), State::OnPalier(_)));
                assert_eq!(outlook.next_is_good().is_some(), matches!(game.state(), State::Picking(_)));
                // Worth of playing on to the next palier: the chance times twice or three times what is at stake.
                let next = game.palier_reached().map_or(Palier::One, |p| p.as_stop().unwrap().next());
                let three = three_once_reached(next, gain);
                let doubled = fraction(2, 1).times(three.complement().unwrap()).plus(fraction(3, 1).times(three));
                let worth = outlook.reach(next).times(doubled).times_int(game.acquired().eur());
                assert_eq!(outlook.go_on(next), Some(worth));
                assert_eq!(outlook.next_palier(), Some(next));
                assert_eq!(outlook.value_of_next(), Some(outlook.reach(next).times(doubled)));
                let events = match game.state() {
                    State::OnPalier(_) => vec![crate::Event::WentOn],
                    _ => vec![],
                };
                let completes = Palier::ALL.iter().any(|p| p.found_in_all() == game.found() + 1);
                let pick = if completes {
                    crate::Event::PalierReached(number, Multiplier::Two)
                } else {
                    crate::Event::Good(number)
                };
                for event in events.into_iter().chain([pick]) {
                    game = game.apply(crate::Recorded { at, event }).unwrap();
                }
            }
            let lost = crate::Number::new(30).unwrap();
            let lost = game.apply(crate::Recorded { at, event: crate::Event::Losing(lost) }).unwrap();
            let outlook = Outlook::of(&lost);
            let [certain, never] = [Fraction::ONE, Fraction::ZERO];
            let multipliers = Palier::ALL.map(|palier| both(outlook, palier));
            assert_eq!(multipliers[..3], [[certain, never]; 3]);
            let three = three_once_reached(Palier::Four, gain);
            assert_eq!(multipliers[3], [three.complement().unwrap(), three]);
            assert_eq!((outlook.next_is_good(), outlook.next_palier()), (None, None));
            assert_eq!((outlook.stop(), outlook.value_of_next()), (None, None));
            assert_eq!(Palier::ALL.map(|palier| outlook.go_on(palier)), [None; 4]);
            assert_eq!(
                Palier::ALL.map(|palier| outlook.reach(palier)),
                [Fraction::ONE, Fraction::ONE, Fraction::ONE, Fraction::ZERO]
            );
        }
    }

    #[test]
    fn the_chance_to_reach_a_palier_is_that_of_counting_all_4060_layouts() {
        for palier in Palier::ALL {
            for found in 0..=palier.found_in_all() {
                let (possible, reached) = layouts(found);
                assert_eq!(reach(palier, found), fraction(reached[palier.index()], possible));
            }
        }
    }

    #[test]
    fn the_outlook_of_a_palier_tells_its_multiplier_and_what_stopping_and_going_on_are_worth() {
        let at = crate::Timestamp::from_millis(0);
        let start = crate::Event::Started { finish_before: at.finish_before(), unfinished: crate::Unfinished::NoGain };
        let good = crate::Number::all().take(5).map(crate::Event::Good);
        let sixth = crate::Event::PalierReached(crate::Number::new(6).unwrap(), Multiplier::Three);
        let events = core::iter::once(start).chain(good).chain([sixth]).map(|event| crate::Recorded { at, event });
        let game = Game::fold(PotentialGain::Eur20, events).unwrap();
        let outlook = Outlook::of(&game);
        assert_eq!(outlook.next_is_good(), None);
        assert_eq!(
            Palier::ALL.map(|palier| outlook.reach(palier)),
            [Fraction::ONE, fraction(969, 2024), fraction(455, 2024), fraction(5, 46)]
        );
        let threes = [Fraction::ONE, fraction(86, 969), fraction(59, 455), fraction(3, 44)];
        assert_eq!(
            Palier::ALL.map(|palier| both(outlook, palier)),
            threes.map(|three| [three.complement().unwrap(), three])
        );
        // 60 € acquired, and below 50,000 € every palier is worth its stake.
        let worth = Some(fraction(60, 1));
        assert_eq!(outlook.stop(), worth);
        assert_eq!(Palier::ALL.map(|palier| outlook.go_on(palier)), [None, worth, worth, worth]);
        assert_eq!(outlook.value_of_next(), Some(Fraction::ONE));
        // At 50,000 € going on is worth less than stopping: twice the chance.
        let rich = Game::new(PotentialGain::Eur50000);
        let rich = Outlook::of(&rich);
        assert_eq!(Palier::ALL.map(|palier| both(rich, palier)), [[Fraction::ONE, Fraction::ZERO]; 4]);
        assert_eq!(rich.value_of_next(), Some(fraction(1012, 1015)));
        assert_eq!(rich.go_on(Palier::One), Some(fraction(1012 * 50_000, 1015)));
        assert_eq!(rich.go_on(Palier::Four), Some(fraction(176 * 50_000, 203)));
    }

    #[test]
    fn the_multipliers_are_drawn_out_of_506_969_455_and_44_equal_values() {
        assert_eq!(Palier::ALL.map(|palier| multiplier_draw(palier).out_of()), [506, 969, 455, 44]);
    }

    #[test]
    fn the_chance_of_a_multiplier_is_joint_with_reaching_its_palier() {
        for gain in PotentialGain::ALL {
            for palier in Palier::ALL {
                let [two, three] = [Multiplier::Two, Multiplier::Three].map(|m| multiplier_and_reach(palier, gain, m));
                let p = reach_from_before(palier);
                assert_eq!(two.plus(three), p);
                let joint = if gain.always_doubles() { Fraction::ZERO } else { p.times_int(2).complement().unwrap() };
                assert_eq!(three, joint);
            }
        }
    }

    #[test]
    fn the_next_number_is_good_with_27_of_30_at_first_and_10_of_13_before_the_last() {
        assert_eq!(next_is_good(0), fraction(27, 30));
        assert_eq!(next_is_good(17), fraction(10, 13));
        assert_eq!(next_is_good(27), Fraction::ZERO);
        assert!((28..=255).all(|found| next_is_good(found) == Fraction::ZERO));
        assert!((0..27).all(|found| next_is_good(found) == fraction(27 - u64::from(found), 30 - u64::from(found))));
    }

    #[test]
    fn fractions_are_in_lowest_terms_and_rounded_half_up() {
        assert_eq!((fraction(6, 8).num(), fraction(6, 8).den()), (3, 4));
        assert_eq!(Fraction::new(1, 0), None);
        assert_eq!(fraction(1, 6).plus(fraction(1, 3)), fraction(1, 2));
        assert_eq!(fraction(3, 2).complement(), None);
        assert_eq!(fraction(1, 3).complement(), Some(fraction(2, 3)));
        assert_eq!(fraction(1, 8).per_mille(), 125);
        assert_eq!(fraction(1, 16).per_mille(), 63); // 62.5
        assert_eq!(fraction(1, 3).per_mille(), 333);
        assert_eq!(Fraction::ONE.complement(), Some(Fraction::ZERO));
        assert_eq!(fraction(2, 3).times(fraction(9, 4)), fraction(3, 2));
        assert_eq!(fraction(8, 3).one_in_hundredths(), Some(38)); // 37.5
        assert_eq!(Fraction::ZERO.one_in_hundredths(), None);
    }
}
