//! The four paliers, where one may stop on them, and what they multiply by (2.2.6, 2.2.7).

/// A rank of gain, reached by finding its good numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Palier {
    /// 6 good numbers.
    One,
    /// 5 more: 11 in all.
    Two,
    /// 4 more: 15 in all.
    Three,
    /// 3 more: 18 in all. The game ends here by itself, won.
    Four,
}

impl Palier {
    /// The paliers in the order in which they are reached.
    pub const ALL: [Self; 4] = [Self::One, Self::Two, Self::Three, Self::Four];

    /// 1 to 4.
    #[must_use]
    #[inline]
    pub const fn rank(self) -> u8 {
        self as u8 + 1
    }

    /// 0 to 3, its place in a table of all paliers.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The palier of that rank, 1 to 4.
    #[must_use]
    #[inline]
    pub fn from_rank(rank: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|palier| u64::from(palier.rank()) == rank)
    }

    /// How many new good numbers must be found to reach it (2.2.7: 6, 5, 4, 3).
    #[must_use]
    #[inline]
    pub const fn to_find(self) -> u8 {
        match self {
            Self::One => 6,
            Self::Two => 5,
            Self::Three => 4,
            Self::Four => 3,
        }
    }

    /// How many good numbers are found in all once it is reached (2.2.6: 6, 11, 15, 18).
    #[must_use]
    #[inline]
    pub const fn found_in_all(self) -> u8 {
        match self {
            Self::One => 6,
            Self::Two => 11,
            Self::Three => 15,
            Self::Four => 18,
        }
    }

    /// The palier before it; none before the first.
    #[must_use]
    #[inline]
    pub const fn before(self) -> Option<Stop> {
        match self {
            Self::One => None,
            Self::Two => Some(Stop::One),
            Self::Three => Some(Stop::Two),
            Self::Four => Some(Stop::Three),
        }
    }

    /// The same palier as a place where one chooses; none for the fourth, which ends the game.
    #[must_use]
    #[inline]
    pub const fn as_stop(self) -> Option<Stop> {
        match self {
            Self::One => Some(Stop::One),
            Self::Two => Some(Stop::Two),
            Self::Three => Some(Stop::Three),
            Self::Four => None,
        }
    }
}

/// A palier on which the player chooses to stop or to go on: any but the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stop {
    /// Palier 1.
    One,
    /// Palier 2.
    Two,
    /// Palier 3.
    Three,
}

impl Stop {
    /// The palier one stands on.
    #[must_use]
    #[inline]
    pub const fn palier(self) -> Palier {
        match self {
            Self::One => Palier::One,
            Self::Two => Palier::Two,
            Self::Three => Palier::Three,
        }
    }

    /// The palier one plays for by going on.
    #[must_use]
    #[inline]
    pub const fn next(self) -> Palier {
        match self {
            Self::One => Palier::Two,
            Self::Two => Palier::Three,
            Self::Three => Palier::Four,
        }
    }
}

/// What a palier multiplies the gain by (2.2.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Multiplier {
    /// ×2
    Two,
    /// ×3
    Three,
}

impl Multiplier {
    /// 2 or 3.
    #[must_use]
    #[inline]
    pub const fn factor(self) -> u8 {
        match self {
            Self::Two => 2,
            Self::Three => 3,
        }
    }

    /// The multiplier of that factor, 2 or 3.
    #[must_use]
    #[inline]
    pub const fn from_factor(factor: u64) -> Option<Self> {
        match factor {
            2 => Some(Self::Two),
            3 => Some(Self::Three),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paliers_take_6_then_5_then_4_then_3_good_numbers_18_in_all() {
        assert_eq!(Palier::ALL.map(Palier::to_find), [6, 5, 4, 3]);
        assert_eq!(Palier::ALL.map(Palier::found_in_all), [6, 11, 15, 18]);
        assert_eq!(Palier::ALL.map(Palier::rank), [1, 2, 3, 4]);
        let in_all = Palier::ALL.into_iter().scan(0, |sum, palier| {
            *sum += palier.to_find();
            Some(*sum)
        });
        assert!(in_all.eq(Palier::ALL.map(Palier::found_in_all)));
    }

    #[test]
    fn a_multiplier_is_2_or_3_and_nothing_else() {
        let read = (0..=5).map(|factor| Multiplier::from_factor(factor).map(Multiplier::factor));
        assert!(read.eq([None, None, Some(2), Some(3), None, None]));
    }

    #[test]
    fn one_chooses_on_every_palier_but_the_last() {
        for palier in Palier::ALL {
            assert_eq!(palier.as_stop().is_some(), palier != Palier::Four);
            if let Some(stop) = palier.as_stop() {
                assert_eq!(stop.palier(), palier);
                assert_eq!(stop.next().rank(), palier.rank() + 1);
                assert_eq!(stop.next().before(), Some(stop));
            }
            assert_eq!(Palier::from_rank(palier.rank().into()), Some(palier));
        }
        assert_eq!(Palier::One.before(), None);
        assert_eq!((Palier::from_rank(0), Palier::from_rank(5)), (None, None));
    }
}
