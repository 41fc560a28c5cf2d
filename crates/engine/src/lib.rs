//! The use cases without I/O: a ticket with its events, a command and an instant give what to keep and what to answer.
//!
//! The engine holds the draw; it never stores, sends or asks for the time. Its caller loads a ticket, asks a [`Table`], keeps what
//! it is given by compare-and-set on [`Append::version`], and loads and asks again where that version has moved.

pub mod codec;
mod operate;
mod table;

pub use codec::Corrupt;
pub use table::{Action, Answer, Append, Table, Ticket, Turn};
