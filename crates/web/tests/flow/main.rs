//! The page's reducer over the real engine, natively: games, lost connections, reloads, other tabs and devices, and servers that lie.
// Natively alone: its house signs.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on must fail")]

mod browser;
mod elsewhere;
mod house;
mod network;
mod play;
mod proofs;
mod receipts;
mod reglement;
mod verifier;
