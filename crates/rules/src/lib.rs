//! What the règlement particulier of « Quitte ou Double » says, and nothing else.
//!
//! Read it in this order: [`amount`] and [`palier`] give the words, [`odds`] the exact law,
//! [`time`] the deadlines, [`game`] the game as a fold of events, and [`code`] and [`ticket`] how a
//! ticket is named. What the text leaves open is decided in one place, [`decided`].
//!
//! This crate knows no clock, no randomness, no I/O and no encoding of the wire: instants and
//! outcomes are handed in. The same code runs in the server, in the browser and in the verifier.
//! It never learns where a losing number lies before that number is picked.

pub mod amount;
pub mod code;
pub mod decided;
pub mod game;
pub mod number;
pub mod odds;
pub mod palier;
pub mod ticket;
pub mod time;

pub use amount::{Amount, PotentialGain};
pub use code::{Code, CodeError};
pub use decided::Unfinished;
pub use game::{Command, Event, Game, Misfit, Outcomes, Recorded, Refusal, State, allowed, decide};
pub use number::{Nature, Number, NumberSet};
pub use odds::{Fraction, Outlook};
pub use palier::{Multiplier, Palier, Stop};
pub use ticket::{ControlCode, TicketNumber};
pub use time::{Terms, Timestamp};
