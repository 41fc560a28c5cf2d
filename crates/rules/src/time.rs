//! Instants, deadlines and the settings of an emission that the game depends on (2.2.4, 2.2.5).

/// An instant: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// How many days after the closing date of its emission a game can still be started (2.2.4):
/// until the end of that day in Europe/Paris. The instant is computed where the emission is closed
/// and handed to [`Terms::start_before`].
pub const START_DAYS_AFTER_CLOSING: i32 = 29;

/// How long a player has to finish, from the CONTINUER that starts the game (2.2.5):
/// 30 × 24 h, in milliseconds.
pub const PLAY_MILLIS: i64 = 30 * 24 * 60 * 60 * 1000;

impl Timestamp {
    /// From milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// In milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// When a game that starts at this instant must be finished: it is over from this instant on.
    #[must_use]
    pub const fn finish_before(self) -> Self {
        Self(self.0.saturating_add(PLAY_MILLIS))
    }
}

/// What becomes of a game whose 30 days end between two paliers (decided here: without gain, unless
/// the emission is set to give back the last palier's gain). Recorded with the CONTINUER that starts the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unfinished {
    /// Nothing is paid.
    #[default]
    NoGain,
    /// The gain of the last palier reached is paid.
    LastPalier,
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
