//! HTTP: the player's API, the page and its files.

mod keys;

pub use keys::{EmissionKeys, Keys};
