//! The server from outside: whole games, races, errors, files and headers, over the router and over TCP.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets what it does not expect must fail")]

mod audit;
mod described;
mod description;
mod errors;
mod files;
mod games;
mod harness;
mod headers;
mod limits;
mod listening;
mod operations;
mod races;
mod receipts;
mod secrecy;
mod warm;
