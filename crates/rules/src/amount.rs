//! Amounts of money, and the potential gains that a ticket can hold (2.1.2).

use crate::palier::Multiplier;

/// An amount in cents, never negative. The règlement's amounts are all whole euros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Amount(u64);

impl Amount {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// The price of one play, one ticket (2).
    pub const PRICE: Self = Self::from_eur(3);
    /// The largest gain there can be: 50,000 € doubled at each of the four paliers (2.2.7).
    pub const LARGEST_GAIN: Self = Self::from_eur(800_000);

    /// An amount of whole euros.
    #[must_use]
    #[inline]
    pub const fn from_eur(eur: u32) -> Self {
        Self(eur as u64 * 100)
    }

    /// In cents.
    #[must_use]
    #[inline]
    pub const fn cents(self) -> u64 {
        self.0
    }

    /// In whole euros; what is less than one euro is left out (no amount of this game has any).
    #[must_use]
    #[inline]
    pub const fn eur(self) -> u64 {
        self.0 / 100
    }

    /// This amount times a multiplier, as each palier does to the gain before it (2.2.7).
    #[must_use]
    #[inline]
    pub const fn times(self, multiplier: Multiplier) -> Self {
        Self(self.0.saturating_mul(multiplier.factor() as u64))
    }
}

/// The whole gain of stage 1, put at stake by CONTINUER (2.1.2). A losing ticket has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PotentialGain {
    /// 5 €
    Eur5,
    /// 10 €
    Eur10,
    /// 20 €
    Eur20,
    /// 50 €
    Eur50,
    /// 100 €
    Eur100,
    /// 1,000 €
    Eur1000,
    /// 50,000 €: the only one whose multiplier is always 2 (2.2.7).
    Eur50000,
}

impl PotentialGain {
    /// Every potential gain, from the smallest.
    pub const ALL: [Self; 7] =
        [Self::Eur5, Self::Eur10, Self::Eur20, Self::Eur50, Self::Eur100, Self::Eur1000, Self::Eur50000];

    /// In whole euros.
    #[must_use]
    #[inline]
    pub const fn eur(self) -> u32 {
        match self {
            Self::Eur5 => 5,
            Self::Eur10 => 10,
            Self::Eur20 => 20,
            Self::Eur50 => 50,
            Self::Eur100 => 100,
            Self::Eur1000 => 1_000,
            Self::Eur50000 => 50_000,
        }
    }

    /// The potential gain of that many euros, if the règlement has it.
    #[must_use]
    #[inline]
    pub fn from_eur(eur: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|gain| u64::from(gain.eur()) == eur)
    }

    /// As an amount.
    #[must_use]
    #[inline]
    pub const fn amount(self) -> Amount {
        Amount::from_eur(self.eur())
    }

    /// Whether every multiplier is 2, whatever is drawn (2.2.7: a potential gain of 50,000 €).
    #[must_use]
    #[inline]
    pub const fn always_doubles(self) -> bool {
        matches!(self, Self::Eur50000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_potential_gain_is_found_again_by_its_euros_and_no_other_sum_is_one() {
        for eur in 0..=60_000 {
            let found = PotentialGain::from_eur(eur);
            assert_eq!(found.is_some(), [5, 10, 20, 50, 100, 1_000, 50_000].contains(&eur));
            assert!(found.is_none_or(|gain| u64::from(gain.eur()) == eur));
        }
    }

    #[test]
    fn a_ticket_costs_3_euros() {
        assert_eq!((Amount::PRICE.eur(), Amount::PRICE.cents()), (3, 300));
    }

    #[test]
    fn the_largest_gain_is_50_000_euros_doubled_four_times() {
        let gain = (0..4).fold(PotentialGain::Eur50000.amount(), |a, _| a.times(Multiplier::Two));
        assert_eq!(gain, Amount::LARGEST_GAIN);
        assert_eq!(gain.eur(), 800_000);
        // The next smaller potential gain cannot pass it, even tripled four times.
        let next = (0..4).fold(PotentialGain::Eur1000.amount(), |a, _| a.times(Multiplier::Three));
        assert_eq!(next.eur(), 81_000);
    }
}
