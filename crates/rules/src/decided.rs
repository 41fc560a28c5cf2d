//! What the text that we hold leaves open, decided here and nowhere else (`docs/reglement.md`, « Decided here »).
//!
//! Whoever holds the whole text changes it here. Two more decisions are shapes rather than values: that numbers are found one at a time
//! ([`crate::game::Command::Pick`]), and that a ticket is paid once ([`crate::game::State`]).

use crate::game::State;
use crate::palier::Stop;

/// How many days after the closing date of its emission a game can still be started (2.2.4):
/// until the end of that day in Europe/Paris, because the règlement counts civil days. The instant is computed once, where the
/// emission is closed, and handed to [`crate::Terms::start_before`].
pub const START_DAYS_AFTER_CLOSING: i32 = 29;

/// How long a player has to finish, from the CONTINUER that starts the game (2.2.5), in milliseconds: 30 × 24 h from the
/// recorded instant, because it is counted from a moment.
pub const PLAY_MILLIS: i64 = 30 * 24 * 60 * 60 * 1000;

/// What becomes of a game whose 30 days end between two paliers: a setting of its emission, recorded with the
/// CONTINUER that starts the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Unfinished {
    /// Nothing is paid, by analogy with 2.2.3: the palier's gain was put back at risk.
    #[default]
    NoGain,
    /// The gain of the last palier reached is paid.
    LastPalier,
}

/// What is left of a game that ends before it is won or lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kept {
    /// No gain.
    Nothing,
    /// The last acquired gain: that of the last palier reached, or else the potential gain.
    Acquired,
}

/// Where one may stop: on a palier, never between two (2.2.6).
#[must_use]
#[inline]
pub const fn may_stop(state: &State) -> Option<Stop> {
    if let State::OnPalier(stop) = state { Some(*stop) } else { None }
}

/// What is kept when the 30 days end (2.2.3, 2.2.5, 2.2.6): on a palier, its gain; before the first palier, nothing;
/// between two, what the emission was set to.
#[must_use]
#[inline]
pub const fn kept_at_expiry(state: &State, unfinished: Unfinished) -> Kept {
    match (state, unfinished) {
        (State::OnPalier(_), _) => Kept::Acquired,
        (State::Picking(towards), Unfinished::LastPalier) if towards.before().is_some() => Kept::Acquired,
        _ => Kept::Nothing,
    }
}

/// What is kept when the operator voids a running game after a fault of its own: the last acquired gain, as is usual in the field.
#[must_use]
#[inline]
pub const fn kept_when_voided() -> Kept {
    Kept::Acquired
}
