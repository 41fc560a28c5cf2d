//! A block of tickets (2.1.1, 2.1.2): its lots spread over its serial numbers, and each ticket's id, code and control code.
//!
//! The lots table and the size are data, so that a demo block is made by the very code that makes a real one. Everything follows from one
//! key, which is handed in: the same key gives the same block, ticket by ticket, in any order.

mod block;
mod lots;

pub use block::{Block, BlockKey, IssuedTicket, ServerRow};
pub use lots::{BadLots, Lots};
