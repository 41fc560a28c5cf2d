//! Points of sale from outside: what a ticket is paid, once, and taken back; hostile ones; races against CONTINUER.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets what it does not expect must fail")]

mod audit;
mod counter;
mod described;
#[path = "../http/description.rs"]
mod description;
#[path = "../http/harness.rs"]
#[allow(dead_code, reason = "shared with the tests of the player's API, which use all of it")]
mod harness;
mod hostile;
mod payments;
mod races;
mod reversals;
