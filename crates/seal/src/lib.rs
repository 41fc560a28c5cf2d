//! The sealed grid, version 1 (`docs/sealed-grid-v1.md`): how a game is drawn so that the player can check it, pick by
//! pick, against a commitment made before the player's seed existed.
//!
//! [`draw`] is the server's half, [`player`] the player's, [`blend`] the two together; [`opening`] shows one sealed
//! leaf, [`check`] follows a game as its player sees it, and [`transcript`] is what can be saved and checked by anyone. [`codes`] hashes what names a
//! ticket, so that a stolen database plays none. [`receipt`] is what the operator signs of all this.
//!
//! This crate has no clock and no randomness: keys and seeds are handed in. The release page can recompute a draw that
//! was revealed, to check it; it cannot originate one.

pub mod blend;
pub mod check;
pub mod codes;
pub mod draw;
pub mod hash;
pub mod id;
pub mod json;
pub mod opening;
pub mod player;
pub mod receipt;
pub mod stream;
pub mod transcript;
pub mod tree;

pub use blend::Blend;
pub use check::{Checker, Fault};
pub use codes::Pepper;
pub use draw::{DrawKey, SealedGrid, ServerSeed};
pub use hash::{Commitment, NotHex, Root};
pub use id::TicketId;
pub use json::Json;
pub use opening::Opening;
pub use player::{ClientSeed, PlayersHalf};
pub use transcript::Transcript;
