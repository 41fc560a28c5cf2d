//! Why the store refused or failed, and what to do then. No message holds a code, a hash, a seed or a token.

use std::path::PathBuf;

use crate::{TicketId, TicketNumber};

/// An error of a store. Cloned to each of the calls that shared a commit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The storage does not answer or is busy. The change may have been kept all the same.
    #[error("the store cannot be reached ({detail}): try again; if it lasts, look at its disk, path and permissions")]
    Unavailable {
        /// What the storage said.
        detail: String,
    },
    /// The store was closed, or one of its threads has stopped.
    #[error("the store is closed: start the server again")]
    Closed,
    /// No room left where the data lies.
    #[error("the store's disk is full: make room; nothing was written")]
    Full,
    /// The place where the data lies refuses writes.
    #[error("the store cannot be written: check that its disk is mounted writable and its files belong to this user")]
    ReadOnly,
    /// What lies there contradicts itself.
    #[error(
        "the store is damaged ({detail}): stop the server, keep a copy of the files, and restore the last good backup"
    )]
    Corrupt {
        /// What was found.
        detail: String,
    },
    /// The database was written by a later program.
    #[error("the database has schema version {found}, this program knows {known}: run the newer program on it")]
    Newer {
        /// The version of the database.
        found: i64,
        /// The last version that this program knows.
        known: i64,
    },
    /// The file is there, and is something else.
    #[error("{path} is not a database of this game: check the path (a damaged header also looks like this)")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A ticket to be imported shares its id, number or code with a different one.
    #[error(
        "ticket {number:?} collides with another one (same id, number or code, other content): none of its batch was \
         imported; check that the file belongs to this database"
    )]
    TicketCollision {
        /// The number of the ticket that was to be imported.
        number: TicketNumber,
    },
    /// One code names two tickets.
    #[error("one code names two tickets, {first:?} and {second:?}: settle it by their printed numbers")]
    AmbiguousCode {
        /// One of them.
        first: TicketId,
        /// The other.
        second: TicketId,
    },
    /// There is no such ticket.
    #[error("the ticket is not in this store: import its block first")]
    UnknownTicket,
    /// There is no such emission.
    #[error("emission {0} is not in this store: add it first")]
    UnknownEmission(u16),
    /// There is no such point of sale.
    #[error("point of sale {0} is not in this store: add it first")]
    UnknownPointOfSale(u32),
    /// The payment to be reversed is not one of this ticket.
    #[error("this ticket has no such payment: look at its history; nothing was written")]
    UnknownPayment,
    /// The import of that block was not begun.
    #[error("the import of block {block} of emission {emission} was not begun: begin it with its manifest")]
    UnknownBlock {
        /// The emission's number.
        emission: u16,
        /// The block within the emission.
        block: u16,
    },
    /// The game has a client seed already, and another one was to be set.
    #[error("the game already has a client seed: it is never changed; nothing was written")]
    SeedAlreadySet,
    /// A call that can never be right: a fault of the program.
    #[error("the store was called wrongly: {0}")]
    Misuse(&'static str),
}
