//! How a simulated player plays: when to stop.

use std::fmt;
use std::str::FromStr;

use rules::{Amount, Palier};

/// When a simulated player stops. All strategies put the potential gain at stake unless they are satisfied with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// Stops on this palier.
    Palier(Palier),
    /// Never stops before the fourth palier.
    Always,
    /// Stops as soon as this much is acquired, which may be before the start.
    Amount(Amount),
}

impl Strategy {
    /// Whether the player stops with this gain, after this palier (none: before the start).
    pub(crate) fn stops(self, after: Option<Palier>, gain: Amount) -> bool {
        match self {
            Self::Palier(palier) => after == Some(palier),
            Self::Always => false,
            Self::Amount(enough) => gain >= enough,
        }
    }
}

impl FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "a strategy is palier:1 to palier:4, always, or amount:EUROS".to_owned();
        match text.split_once(':') {
            None if text == "always" => Ok(Self::Always),
            Some(("palier", rank)) => rank.parse().ok().and_then(Palier::from_rank).map(Self::Palier).ok_or_else(wrong),
            Some(("amount", eur)) => eur.parse().map(|eur| Self::Amount(Amount::from_eur(eur))).map_err(|_| wrong()),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Palier(palier) => write!(f, "stop on palier {}", palier.rank()),
            Self::Always => f.write_str("always go on"),
            Self::Amount(amount) => write!(f, "stop from {} €", amount.eur()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strategy_is_read_and_what_is_none_is_told() {
        assert_eq!("palier:2".parse(), Ok(Strategy::Palier(Palier::Two)));
        assert_eq!("always".parse(), Ok(Strategy::Always));
        assert_eq!("amount:100".parse(), Ok(Strategy::Amount(Amount::from_eur(100))));
        for wrong in ["", "palier", "palier:0", "palier:5", "amount:-1", "amount:", "never", "always:1"] {
            assert!(wrong.parse::<Strategy>().is_err(), "{wrong}");
        }
    }
}
