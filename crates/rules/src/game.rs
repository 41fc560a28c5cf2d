//! The digital game as a fold of events (2.2.3 to 2.2.7), from CONTINUER to its payment.
//!
//! Here are its words. [`Game::apply`] gives the next game; [`allowed`] is asked on both sides of the wire; [`decide`] says which event a
//! command makes. One command makes exactly one event, so a game is never found half-way through a command. Resume,
//! replay, verification and audit are the same walk over the same events.

mod decide;
mod fold;

use crate::amount::Amount;
use crate::decided::Unfinished;
use crate::number::{Nature, Number};
use crate::palier::{Multiplier, Palier, Stop};
use crate::time::Timestamp;

pub use decide::{allowed, decide};
pub use fold::{Game, Start};

/// What the player, the operator or the passing of time asks of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// CONTINUER: starts the game, or goes on from a palier; irrevocable (2.2.3).
    Continue,
    /// Picks a number.
    Pick(Number),
    /// QUITTER on a palier: settles the game at that palier's gain.
    Quit,
    /// The 30 days have ended (2.2.5).
    Expire,
    /// The operator voids a running game.
    Void(VoidReason),
    /// A point of sale pays what is payable.
    Pay,
    /// A payment made in error is taken back.
    ReversePayment,
}

/// Why an operator voids a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VoidReason {
    /// The draw cannot be opened any more, for example because its key is lost.
    DrawLost,
    /// The service failed the player in some other way.
    Malfunction,
    /// A dispute or an authority asked for it.
    Dispute,
}

/// What happened to a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// CONTINUER started the game: the potential gain is given up and at stake.
    Started {
        /// The 30 days end at this instant.
        finish_before: Timestamp,
        /// The emission's setting in force.
        unfinished: Unfinished,
    },
    /// A good number that completes no palier.
    Good(Number),
    /// A good number that completes the palier, and the multiplier drawn there.
    PalierReached(Number, Multiplier),
    /// A losing number: the whole play is lost.
    Losing(Number),
    /// CONTINUER on a palier: its gain is at stake again.
    WentOn,
    /// QUITTER on a palier: the game is won at its gain.
    Quit,
    /// The 30 days ended first.
    Expired,
    /// The operator voided the game.
    Voided(VoidReason),
    /// What was payable is paid.
    Paid,
    /// The payment was taken back.
    PaymentReversed,
}

/// An event and when it happened; instants never go back within a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Recorded {
    /// When: the later of the server's clock and the event before.
    pub at: Timestamp,
    /// What.
    pub event: Event,
}

/// What the draw says of a number or of a palier, once it is asked for. Only an engine that holds the draw has it.
pub trait Outcomes {
    /// The nature of a number that is being picked.
    fn nature(&self, number: Number) -> Nature;
    /// The multiplier of a palier that is being reached.
    fn multiplier(&self, palier: Palier) -> Multiplier;
}

/// An amount that a point of sale pays, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Payable {
    /// How much.
    pub amount: Amount,
    /// Whether it has been paid (and not been taken back since).
    pub paid: bool,
}

/// Whether what is payable has been paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Payment {
    /// Not yet, or its payment was taken back.
    Due,
    /// Paid: it is not paid again.
    Paid,
}

/// Where a game stands. What is payable at its end is always what was acquired ([`Game::acquired`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Stage 2 has not begun; the potential gain can be paid or put at stake.
    NotStarted,
    /// The potential gain was paid: stage 2 is closed.
    PotentialGainPaid,
    /// Numbers are being picked towards this palier.
    Picking(Palier),
    /// Standing on a palier: go on, or stop.
    OnPalier(Stop),
    /// Won at this palier.
    Won(Palier, Payment),
    /// A losing number was picked.
    Lost,
    /// The 30 days ended, with or without a gain.
    Expired(Option<Payment>),
    /// Voided by the operator, with what is kept.
    Void(VoidReason, Option<Payment>),
}

/// Why a command is refused. A refusal changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The game has not been started by CONTINUER.
    NotStarted,
    /// A number must be picked first: one can neither stop nor go on between two paliers.
    BetweenPaliers,
    /// On a palier: CONTINUER or QUITTER comes before another pick.
    ChooseFirst,
    /// This number has been picked already.
    PickedAlready,
    /// The emission's time to start a game has ended (2.2.4).
    StartTooLate,
    /// The operator has suspended new games.
    Suspended,
    /// The 30 days to finish have ended (2.2.5).
    FinishTooLate,
    /// The 30 days have not ended yet.
    NotExpired,
    /// The game is over.
    Over,
    /// The potential gain was paid, which closed stage 2.
    PotentialGainPaid,
    /// The game is running: nothing is payable before its end.
    StillRunning,
    /// The game ended without a gain.
    NothingToPay,
    /// It was paid already.
    PaidAlready,
    /// There is no payment to take back.
    NotPaid,
    /// The emission's time to be paid has ended.
    PayTooLate,
}

/// Why an event does not follow from a game: what is stored, or was sent, is not a game of this règlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Misfit {
    /// Nothing of the kind can happen in this state.
    State,
    /// The number was picked before.
    PickedAlready,
    /// A palier is reached with too few good numbers, or is not reached with enough of them.
    PalierCount,
    /// A multiplier that the potential gain does not have.
    Multiplier,
    /// Earlier than the event before it, or at a time at which it cannot happen.
    Time,
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;
