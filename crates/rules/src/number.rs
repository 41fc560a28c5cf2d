//! The numbers of the grid (2.2.6): 1 to 30, 27 good and 3 losing.

/// How many numbers the grid has.
pub const NUMBERS: u8 = 30;
/// How many of them are losing.
pub const LOSING: u8 = 3;
/// How many of them are good.
pub const GOOD: u8 = NUMBERS - LOSING;

/// A number of the grid, 1 to 30.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(u8);

impl Number {
    /// That number, if the grid has it.
    #[must_use]
    #[inline]
    pub const fn new(number: u8) -> Option<Self> {
        if number >= 1 && number <= NUMBERS { Some(Self(number)) } else { None }
    }

    /// 1 to 30.
    #[must_use]
    #[inline]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// 0 to 29, its place in a table of all numbers.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 - 1) as usize
    }

    /// Every number, in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator + Clone {
        (1..=NUMBERS).map(Self)
    }
}

/// What a picked number turns out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Nature {
    /// One of the 27.
    Good,
    /// One of the 3: the whole play is lost.
    Losing,
}

/// A set of numbers of the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NumberSet(u32);

impl NumberSet {
    /// No number.
    pub const EMPTY: Self = Self(0);

    /// Whether the number is in the set.
    #[must_use]
    #[inline]
    pub const fn contains(self, number: Number) -> bool {
        self.0 >> number.get() & 1 == 1
    }

    /// The set with this number.
    #[must_use]
    #[inline]
    pub const fn with(self, number: Number) -> Self {
        Self(self.0 | 1 << number.get())
    }

    /// How many numbers it holds.
    #[must_use]
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether it holds none.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its numbers, in order.
    pub fn iter(self) -> impl Iterator<Item = Number> {
        Number::all().filter(move |number| self.contains(*number))
    }
}

impl FromIterator<Number> for NumberSet {
    fn from_iter<I: IntoIterator<Item = Number>>(numbers: I) -> Self {
        numbers.into_iter().fold(Self::EMPTY, Self::with)
    }
}

/// Numbers in the order in which they were picked, each at most once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Picks {
    /// Five bits a number, the last one lowest: 18 at most are picked, and 25 fit.
    order: u128,
    set: NumberSet,
}

impl Picks {
    pub(crate) const NONE: Self = Self { order: 0, set: NumberSet::EMPTY };

    /// With one more; none if it is among them.
    #[inline]
    pub(crate) const fn with(self, number: Number) -> Option<Self> {
        if self.set.contains(number) {
            return None;
        }
        Some(Self { order: (self.order << 5) + number.0 as u128, set: self.set.with(number) })
    }

    /// How many they are.
    #[inline]
    pub(crate) const fn len(self) -> u8 {
        self.set.len() as u8
    }

    pub(crate) const fn set(self) -> NumberSet {
        self.set
    }

    /// From the first.
    pub(crate) fn iter(self) -> impl Iterator<Item = Number> {
        (0..self.len()).rev().map(move |later| Number((self.order >> (5 * later)) as u8 & 31))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_the_numbers_1_to_30_and_no_other() {
        for n in 0..=u8::MAX {
            assert_eq!(Number::new(n).is_some(), (1..=30).contains(&n));
        }
        assert_eq!(Number::all().map(Number::get).collect::<Vec<_>>(), (1..=30).collect::<Vec<_>>());
        assert!(Number::all().map(Number::index).eq(0..30));
        assert_eq!((GOOD, LOSING), (27, 3));
    }

    #[test]
    fn picks_are_told_in_the_order_in_which_they_were_picked_each_once() {
        let order: Vec<Number> = Number::all().rev().step_by(2).chain(Number::new(1)).collect();
        let picks = order.iter().try_fold(Picks::NONE, |picks, number| picks.with(*number)).unwrap();
        assert_eq!((picks.len(), picks.iter().collect::<Vec<_>>()), (16, order.clone()));
        assert_eq!(picks.set(), order.iter().copied().collect());
        assert!(order.iter().all(|number| picks.with(*number).is_none()));
        // The most there are: the good ones of all four paliers.
        let most: Vec<Number> = Number::all().take(18).collect();
        let picks = most.iter().try_fold(Picks::NONE, |picks, number| picks.with(*number)).unwrap();
        assert_eq!(picks.iter().collect::<Vec<_>>(), most);
    }

    #[test]
    fn a_set_holds_what_was_put_in_and_nothing_else() {
        for a in Number::all() {
            let set = NumberSet::EMPTY.with(a).with(a);
            assert_eq!(set.len(), 1);
            assert!(Number::all().all(|b| set.contains(b) == (a == b)));
        }
        assert_eq!(Number::all().collect::<NumberSet>().len(), 30);
        assert!(NumberSet::EMPTY.is_empty());
        assert!(!NumberSet::EMPTY.with(Number(1)).is_empty());
        let some = [3, 30, 1].map(|n| Number::new(n).unwrap());
        assert!(some.into_iter().collect::<NumberSet>().iter().map(Number::get).eq([1, 3, 30]));
    }
}
