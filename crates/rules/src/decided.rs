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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palier::Palier;

    #[test]
    fn a_game_can_be_started_for_29_days_and_played_for_30_times_24_hours() {
        assert_eq!(START_DAYS_AFTER_CLOSING, 29);
        assert_eq!(PLAY_MILLIS, 30 * 86_400_000);
    }

    #[test]
    fn an_unfinished_game_gives_nothing_unless_its_emission_says_otherwise() {
        assert_eq!(Unfinished::default(), Unfinished::NoGain);
    }

    /// The whole table of what an early end leaves, and where one may stop.
    #[test]
    fn on_a_palier_its_gain_is_kept_before_the_first_nothing_and_between_two_what_was_set() {
        use Kept::{Acquired, Nothing};
        for (state, by_default, if_set) in [
            (State::Picking(Palier::One), Nothing, Nothing),
            (State::OnPalier(Stop::One), Acquired, Acquired),
            (State::Picking(Palier::Two), Nothing, Acquired),
            (State::OnPalier(Stop::Two), Acquired, Acquired),
            (State::Picking(Palier::Three), Nothing, Acquired),
            (State::OnPalier(Stop::Three), Acquired, Acquired),
            (State::Picking(Palier::Four), Nothing, Acquired),
        ] {
            assert_eq!(kept_at_expiry(&state, Unfinished::NoGain), by_default, "{state:?}");
            assert_eq!(kept_at_expiry(&state, Unfinished::LastPalier), if_set, "{state:?}");
            let stop = if let State::OnPalier(stop) = state { Some(stop) } else { None };
            assert_eq!(may_stop(&state), stop);
        }
        assert_eq!(kept_when_voided(), Acquired);
    }
}
