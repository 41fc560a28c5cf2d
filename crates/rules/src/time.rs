//! Instants, deadlines and the settings of an emission that the game depends on (2.2.4, 2.2.5).

use crate::decided::{PLAY_MILLIS, Unfinished};

/// An instant: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    #[inline]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// In milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    #[inline]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// When a game that starts at this instant must be finished: it is over from this instant on.
    #[must_use]
    #[inline]
    pub const fn finish_before(self) -> Self {
        Self(self.0.saturating_add(PLAY_MILLIS))
    }
}

/// The settings of an emission, as they stand when a command is decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Terms {
    /// CONTINUER can start a game before this instant; none while the emission is not closed.
    pub start_before: Option<Timestamp>,
    /// What a game that starts now will be worth if its 30 days end between two paliers.
    pub unfinished: Unfinished,
    /// The operator has suspended new games; running ones go on (GLI-19 4.15.1).
    pub suspended: bool,
    /// Payments are made before this instant; none by default (decided here).
    pub pay_before: Option<Timestamp>,
}
