//! Where tickets and games are kept: one trait, [`Store`], and its implementations.
//!
//! The store decides nothing about the game. It keeps what it is given, atomically and durably, and says when a
//! version has moved. It never sees a code, a control code or a session token, only their keyed hashes; events are
//! bytes to it, and the index columns beside them are the caller's.
//!
//! Every change is one constraint that the database itself decides (a unique key, a version in a `WHERE`), never a
//! check followed by a write: so it holds among any number of servers over one database. No change touches two
//! tickets, apart from an import.

mod counters;
mod error;
mod memory;
mod postgres;
mod sqlite;
mod types;

#[cfg(test)]
mod tests;

use async_trait::async_trait;

pub use error::StoreError;
pub use memory::MemoryStore;
pub use postgres::{PostgresConfig, PostgresStore};
pub use sqlite::SqliteStore;
pub use types::{
    AddedEmission, AddedPointOfSale, Append, Appended, AuditAppended, AuditInstance, AuditLine, Block, BlockId,
    BlockProgress, BlockStep, ClientSeed, Cursor, Digest, Emission, Event, ExportedEvent, GROUP_SIZES, Game,
    IdempotencyKey, Imported, InstanceId, KeptEntry, KeptPayment, KeyedHash, Label, LedgerEntry, Millis, OperatorAct,
    Page, Payment, PaymentId, Period, PointOfSale, PointOfSaleId, PointOfSaleKey, Replaced, Reversal, Session,
    StoreMetrics, Ticket, TicketId, TicketNumber, TicketRecord, TokenHash, Version,
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

    /// Begins the import of a block, or finds it begun: [`BlockStep::Refused`] where another block stands under its
    /// number (another manifest, or other sums). Its emission must exist ([`StoreError::UnknownEmission`]).
    async fn begin_block(&self, block: Block) -> Result<BlockStep, StoreError>;

    /// Imports a chunk of a block that was begun, and its progress with it, all or none: tickets as in
    /// [`Store::import`], all of that block ([`StoreError::Misuse`]). [`BlockStep::Refused`] where the manifest is
    /// another one, the block is complete, `offset` is not how many are in, or there would be more than it has: then
    /// go on from the progress told. [`StoreError::UnknownBlock`] where it was not begun.
    async fn import_chunk(
        &self,
        block: BlockId,
        manifest: Digest,
        offset: u32,
        tickets: Vec<Ticket>,
    ) -> Result<BlockStep, StoreError>;

    /// Marks a block complete where the tickets in, their winning ones and their sum are those of its manifest, else
    /// [`BlockStep::Refused`]. Once more is fine. [`StoreError::UnknownBlock`] where it was not begun.
    async fn finish_block(&self, block: BlockId, manifest: Digest) -> Result<BlockStep, StoreError>;

    /// All blocks whose import was begun, by number.
    async fn blocks(&self) -> Result<Vec<BlockProgress>, StoreError>;

    /// The ticket whose code has one of these hashes: each emission has its own pepper, so one code has several
    /// candidates. Two tickets found are an error ([`StoreError::AmbiguousCode`]), never a guess.
    async fn find_by_code(&self, candidates: &[KeyedHash]) -> Result<Option<TicketId>, StoreError>;

    /// The ticket of that number.
    async fn find_by_number(&self, number: TicketNumber) -> Result<Option<TicketId>, StoreError>;

    /// The ticket, its emission, its game and all its events in order. Ticket, game and events are as they stood
    /// together at one moment.
    async fn load(&self, ticket: TicketId) -> Result<Option<TicketRecord>, StoreError>;

    /// The same, for the ticket of the session with that token, if it has not expired (`now` is before `expires`).
    async fn load_by_session(&self, token: TokenHash, now: Millis) -> Result<Option<TicketRecord>, StoreError>;

    /// Tickets whose game's `finish_before` is `now` or earlier, the earliest first, at most `limit`.
    async fn due(&self, now: Millis, limit: u32) -> Result<Vec<TicketId>, StoreError>;

    /// Appends events to a ticket's game where its version is still the expected one, and sets the index columns.
    /// The ticket must exist ([`StoreError::UnknownTicket`]); there must be at least one event
    /// ([`StoreError::Misuse`]); a client seed other than the one already kept refuses it all
    /// ([`StoreError::SeedAlreadySet`]). With an entry for the ledger, both are kept or neither: what the ledger has
    /// already is an answer ([`Appended::Stands`]), what it names must exist ([`StoreError::UnknownPointOfSale`],
    /// [`StoreError::UnknownPayment`]).
    async fn append(&self, append: Append) -> Result<Appended, StoreError>;

    /// Adds a point of sale. Where its number or key is taken nothing changes, and the answer holds the one that
    /// stands.
    async fn add_point_of_sale(&self, added: PointOfSale) -> Result<AddedPointOfSale, StoreError>;

    /// The point of sale with that key, disabled or not.
    async fn find_point_of_sale(&self, key: PointOfSaleKey) -> Result<Option<PointOfSale>, StoreError>;

    /// All points of sale, by number.
    async fn points_of_sale(&self) -> Result<Vec<PointOfSale>, StoreError>;

    /// Puts `next` where exactly `current` stands: to disable it, to enable it again, to give it another key. Both
    /// must bear the same number, and the key must not be another one's ([`StoreError::Misuse`]); it must exist
    /// ([`StoreError::UnknownPointOfSale`]).
    async fn replace_point_of_sale(&self, current: PointOfSale, next: PointOfSale) -> Result<Replaced, StoreError>;

    /// The payment or reversal that was asked for under that key, by a point of sale or (none) the operator.
    async fn find_entry(&self, by: Option<PointOfSaleId>, key: IdempotencyKey)
    -> Result<Option<KeptEntry>, StoreError>;

    /// The payment of that identity, and its reversal if it has one.
    async fn payment(&self, id: PaymentId) -> Result<Option<KeptPayment>, StoreError>;

    /// What the ledger has of a ticket, in order.
    async fn entries(&self, ticket: TicketId) -> Result<Vec<KeptEntry>, StoreError>;

    /// A page of the ledger of a period, by time, ticket and position. Stable once the period is past.
    async fn export_entries(&self, page: Page) -> Result<Vec<KeptEntry>, StoreError>;

    /// A page of the events of a period, by time, ticket and position. Stable once the period is past.
    async fn export_events(&self, page: Page) -> Result<Vec<ExportedEvent>, StoreError>;

    /// Adds lines to an instance's audit log where it has exactly `expected` lines. They are never changed.
    async fn append_audit(
        &self,
        instance: InstanceId,
        expected: u64,
        lines: Vec<AuditLine>,
    ) -> Result<AuditAppended, StoreError>;

    /// The lines of an instance's audit log from that index on, in order, at most `limit`.
    async fn audit_lines(&self, instance: InstanceId, from: u64, limit: u32) -> Result<Vec<AuditLine>, StoreError>;

    /// All audit logs and where they end, by instance.
    async fn audit_instances(&self) -> Result<Vec<AuditInstance>, StoreError>;

    /// Keeps a session. The same one again is fine; another one under its token is [`StoreError::Misuse`].
    async fn put_session(&self, session: Session) -> Result<(), StoreError>;

    /// The ticket of the session with that token, if it has not expired (`now` is before `expires`).
    async fn find_session(&self, token: TokenHash, now: Millis) -> Result<Option<TicketId>, StoreError>;

    /// Forgets the sessions that have expired (`now` is `expires` or later) and says how many they were.
    async fn delete_expired_sessions(&self, now: Millis) -> Result<u64, StoreError>;

    /// Whether the store answers: a trivial read. An error says why not.
    async fn health(&self) -> Result<(), StoreError>;

    /// What the store can say of its own work, without asking the database.
    fn metrics(&self) -> StoreMetrics {
        StoreMetrics::default()
    }

    /// Finishes what waits, leaves everything in order on disk, and refuses all that comes later with
    /// [`StoreError::Closed`]. A second call does nothing.
    async fn close(&self) -> Result<(), StoreError>;
}
