//! Where tickets and games are kept: one trait, [`Store`], and its implementations.
//!
//! The store decides nothing about the game. It keeps what it is given, atomically and durably, and says when a
//! version has moved. It never sees a code, a control code or a session token, only their keyed hashes; events are
//! bytes to it, and the index columns beside them are the caller's.
//!
//! Every change is one constraint that the database itself decides (a unique key, a version in a `WHERE`), never a
//! check followed by a write: so it holds among any number of servers over one database. No change touches two
//! tickets, apart from an import.

mod error;
mod memory;
mod sqlite;
mod types;

#[cfg(test)]
mod tests;

use async_trait::async_trait;

pub use error::StoreError;
pub use memory::MemoryStore;
pub use sqlite::SqliteStore;
pub use types::{
    AddedEmission, Append, Appended, ClientSeed, Emission, Event, Game, Imported, KeyedHash, Label, Millis, Replaced,
    Session, Ticket, TicketId, TicketNumber, TicketRecord, TokenHash, Version,
};

/// Tickets, their games and the sessions of those who play them.
///
/// What a method has answered is durable: it outlives the process, and the machine where the implementation says so.
/// A method that fails has changed nothing, except that after [`StoreError::Unavailable`], or a
/// [`StoreError::Closed`] that came while it waited, the change may have been kept; every change can safely be tried
/// again, because each compares before it writes. A future that is dropped may still have its effect.
#[async_trait]
pub trait Store: Send + Sync {
    /// Adds an emission. Where its number is taken nothing changes, and the answer holds the emission that stands.
    async fn add_emission(&self, emission: Emission) -> Result<AddedEmission, StoreError>;

    /// The emission of that number.
    async fn emission(&self, id: u16) -> Result<Option<Emission>, StoreError>;

    /// All emissions, by number.
    async fn emissions(&self) -> Result<Vec<Emission>, StoreError>;

    /// Puts `next` where exactly `current` stands (its closing, say), so that two operators never undo each other
    /// unseen. Both must bear the same number ([`StoreError::Misuse`]), and it must exist
    /// ([`StoreError::UnknownEmission`]).
    async fn replace_emission(&self, current: Emission, next: Emission) -> Result<Replaced, StoreError>;

    /// Imports tickets, all or none. Rows already there and identical are counted and left; one that shares its id,
    /// number or code with a different ticket refuses the batch ([`StoreError::TicketCollision`]).
    /// Picks wait while a batch is written: give at most a few thousand rows at a time to a store that is serving.
    async fn import(&self, tickets: Vec<Ticket>) -> Result<Imported, StoreError>;

    /// The ticket whose code has one of these hashes: each emission has its own pepper, so one code has several
    /// candidates. Two tickets found are an error ([`StoreError::AmbiguousCode`]), never a guess.
    async fn find_by_code(&self, candidates: &[KeyedHash]) -> Result<Option<TicketId>, StoreError>;

    /// The ticket of that number.
    async fn find_by_number(&self, number: TicketNumber) -> Result<Option<TicketId>, StoreError>;

    /// The ticket, its game and all its events in order, as they stood together at one moment.
    async fn load(&self, ticket: TicketId) -> Result<Option<TicketRecord>, StoreError>;

    /// Appends events to a ticket's game where its version is still the expected one, and sets the index columns.
    /// The ticket must exist ([`StoreError::UnknownTicket`]); there must be at least one event
    /// ([`StoreError::Misuse`]); a client seed other than the one already kept refuses it all
    /// ([`StoreError::SeedAlreadySet`]).
    async fn append(&self, append: Append) -> Result<Appended, StoreError>;

    /// Keeps a session. The same one again is fine; another one under its token is [`StoreError::Misuse`].
    async fn put_session(&self, session: Session) -> Result<(), StoreError>;

    /// The ticket of the session with that token, if it has not expired (`now` is before `expires`).
    async fn find_session(&self, token: TokenHash, now: Millis) -> Result<Option<TicketId>, StoreError>;

    /// Forgets the sessions that have expired (`now` is `expires` or later) and says how many they were.
    async fn delete_expired_sessions(&self, now: Millis) -> Result<u64, StoreError>;

    /// Whether the store answers: a trivial read. An error says why not.
    async fn health(&self) -> Result<(), StoreError>;

    /// Finishes what waits, leaves everything in order on disk, and refuses all that comes later with
    /// [`StoreError::Closed`]. A second call does nothing.
    async fn close(&self) -> Result<(), StoreError>;
}
