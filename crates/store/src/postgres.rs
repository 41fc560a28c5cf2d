//! The store over PostgreSQL, for any number of servers side by side: none keeps anything of its own.
//!
//! What is asked for most goes together: appends, and reads of records, that wait at one moment are sent as one
//! statement each, in one round trip and one commit ([`batches`]). All else takes a connection of a small pool. What
//! fails in passing (a deadlock, a restart, a failover) is tried again; a change whose answer was lost is recognised
//! where it stands ([`attempts`]). Needs a tokio runtime with time and I/O.

mod attempts;
mod batches;
mod config;
mod connection;
mod failure;
mod migrations;
mod pool;
mod queries;
mod values;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;

use self::batches::Batcher;
pub use self::config::PostgresConfig;
use self::pool::Pool;
use self::queries::append::{Beginnings, Moves};
use self::queries::records::{Records, Whose};
use self::queries::{append, audit, blocks, emissions, export, ledger, records, sessions, tickets};
use crate::counters::Counters;
use crate::types::*;
use crate::{Store, StoreError};

/// The store over PostgreSQL. Dropping it without [`Store::close`] loses nothing that was answered.
pub struct PostgresStore {
    pool: Pool,
    moves: Batcher<Moves>,
    beginnings: Batcher<Beginnings>,
    records: Batcher<Records>,
    counters: Arc<Counters>,
    /// Connections of the batches.
    dedicated: u64,
}

/// What the pool runs: a query over a connection, with references to what it needs.
macro_rules! run {
    ($store:ident, ($($context:ident)*) |$connection:ident, $attempt:ident| $query:expr) => {
        $store.pool.run(&($($context,)*), |$connection, $attempt, ($($context,)*)| Box::pin($query)).await
    };
}

impl PostgresStore {
    /// Connects, refuses a server that may lose what it acknowledged ([`StoreError::Misuse`]), and brings the schema up
    /// to date: of several that do so at once, one works and the others wait. To be called within a tokio runtime.
    ///
    /// Refuses a database of a newer program ([`StoreError::Newer`]) and one that holds something else
    /// ([`StoreError::Foreign`]).
    pub async fn connect(config: PostgresConfig) -> Result<Self, StoreError> {
        let (config, counters) = (Arc::new(config), Arc::new(Counters::default()));
        let pool = Pool::new(Arc::clone(&config), Arc::clone(&counters));
        if !config.unsafe_durability {
            pool.run(&(), |connection, _, ()| Box::pin(connection.check_durability())).await?;
        }
        pool.run(&(), |connection, _, ()| Box::pin(migrations::migrate(connection))).await?;
        Ok(Self {
            pool,
            moves: Batcher::start(config.writers, &config, &counters),
            beginnings: Batcher::start(1, &config, &counters),
            records: Batcher::start(config.readers, &config, &counters),
            dedicated: u64::try_from(config.writers + 1 + config.readers).unwrap_or(u64::MAX),
            counters,
        })
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn add_emission(&self, emission: Emission) -> Result<AddedEmission, StoreError> {
        run!(self, (emission) | connection, attempt | emissions::add(connection, attempt, emission))
    }

    async fn emission(&self, id: u16) -> Result<Option<Emission>, StoreError> {
        run!(self, (id) | connection, _attempt | emissions::get(connection, *id))
    }

    async fn emissions(&self) -> Result<Vec<Emission>, StoreError> {
        run!(self, () | connection, _attempt | emissions::all(connection))
    }

    async fn replace_emission(&self, current: Emission, next: Emission) -> Result<Replaced, StoreError> {
        if current.id != next.id {
            return Err(StoreError::Misuse("an emission is replaced by one of another number"));
        }
        run!(self, (current next) |connection, attempt| emissions::replace(connection, attempt, current, next))
    }

    async fn import(&self, tickets: Vec<Ticket>) -> Result<Imported, StoreError> {
        run!(self, (tickets) | connection, _attempt | tickets::import(connection, tickets))
    }

    async fn begin_block(&self, block: Block) -> Result<BlockStep, StoreError> {
        run!(self, (block) | connection, _attempt | blocks::begin(connection, block))
    }

    async fn import_chunk(
        &self,
        block: BlockId,
        manifest: Digest,
        offset: u32,
        tickets: Vec<Ticket>,
    ) -> Result<BlockStep, StoreError> {
        run!(self, (block manifest offset tickets) |connection, _attempt| {
            blocks::import_chunk(connection, *block, *manifest, *offset, tickets)
        })
    }

    async fn finish_block(&self, block: BlockId, manifest: Digest) -> Result<BlockStep, StoreError> {
        run!(self, (block manifest) |connection, _attempt| blocks::finish(connection, *block, *manifest))
    }

    async fn blocks(&self) -> Result<Vec<BlockProgress>, StoreError> {
        run!(self, () | connection, _attempt | blocks::all(connection))
    }

    async fn find_by_code(&self, candidates: &[KeyedHash]) -> Result<Option<TicketId>, StoreError> {
        run!(self, (candidates) | connection, _attempt | tickets::find_by_code(connection, candidates))
    }

    async fn find_by_number(&self, number: TicketNumber) -> Result<Option<TicketId>, StoreError> {
        run!(self, (number) | connection, _attempt | tickets::find_by_number(connection, *number))
    }

    async fn load(&self, ticket: TicketId) -> Result<Option<TicketRecord>, StoreError> {
        self.records.ask(Whose::Ticket(ticket)).await
    }

    async fn load_by_session(&self, token: TokenHash, now: Millis) -> Result<Option<TicketRecord>, StoreError> {
        self.records.ask(Whose::Session(token, now)).await
    }

    async fn due(&self, now: Millis, limit: u32) -> Result<Vec<TicketId>, StoreError> {
        run!(self, (now limit) |connection, _attempt| records::due(connection, *now, *limit))
    }

    async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        append.next_version()?;
        if !append::goes_with_others(&append) {
            return run!(self, (append) | connection, attempt | append::alone(connection, attempt, append));
        }
        match append.expected {
            Version(0) => self.beginnings.ask(append).await,
            _ => self.moves.ask(append).await,
        }
    }

    async fn add_point_of_sale(&self, added: PointOfSale) -> Result<AddedPointOfSale, StoreError> {
        run!(self, (added) | connection, attempt | ledger::add_point_of_sale(connection, attempt, added))
    }

    async fn find_point_of_sale(&self, key: PointOfSaleKey) -> Result<Option<PointOfSale>, StoreError> {
        run!(self, (key) | connection, _attempt | ledger::find_point_of_sale(connection, *key))
    }

    async fn points_of_sale(&self) -> Result<Vec<PointOfSale>, StoreError> {
        run!(self, () | connection, _attempt | ledger::points_of_sale(connection))
    }

    async fn replace_point_of_sale(&self, current: PointOfSale, next: PointOfSale) -> Result<Replaced, StoreError> {
        next.replaces(&current)?;
        run!(self, (current next) |connection, attempt| {
            ledger::replace_point_of_sale(connection, attempt, current, next)
        })
    }

    async fn find_entry(
        &self,
        by: Option<PointOfSaleId>,
        key: IdempotencyKey,
    ) -> Result<Option<KeptEntry>, StoreError> {
        run!(self, (by key) |connection, _attempt| ledger::find_entry(connection, *by, *key))
    }

    async fn payment(&self, id: PaymentId) -> Result<Option<KeptPayment>, StoreError> {
        run!(self, (id) | connection, _attempt | ledger::payment(connection, *id))
    }

    async fn entries(&self, ticket: TicketId) -> Result<Vec<KeptEntry>, StoreError> {
        run!(self, (ticket) | connection, _attempt | ledger::entries(connection, *ticket))
    }

    async fn export_entries(&self, page: Page) -> Result<Vec<KeptEntry>, StoreError> {
        run!(self, (page) | connection, _attempt | export::entries(connection, page))
    }

    async fn export_events(&self, page: Page) -> Result<Vec<ExportedEvent>, StoreError> {
        run!(self, (page) | connection, _attempt | export::events(connection, page))
    }

    async fn append_audit(
        &self,
        instance: InstanceId,
        expected: u64,
        lines: Vec<AuditLine>,
    ) -> Result<AuditAppended, StoreError> {
        run!(self, (instance expected lines) |connection, attempt| {
            audit::append(connection, attempt, *instance, *expected, lines)
        })
    }

    async fn audit_lines(&self, instance: InstanceId, from: u64, limit: u32) -> Result<Vec<AuditLine>, StoreError> {
        run!(self, (instance from limit) |connection, _attempt| audit::lines(connection, *instance, *from, *limit))
    }

    async fn audit_instances(&self) -> Result<Vec<AuditInstance>, StoreError> {
        run!(self, () | connection, _attempt | audit::instances(connection))
    }

    async fn put_session(&self, session: Session) -> Result<(), StoreError> {
        run!(self, (session) | connection, _attempt | sessions::put(connection, session))
    }

    async fn find_session(&self, token: TokenHash, now: Millis) -> Result<Option<TicketId>, StoreError> {
        run!(self, (token now) |connection, _attempt| sessions::find(connection, *token, *now))
    }

    async fn delete_expired_sessions(&self, now: Millis) -> Result<u64, StoreError> {
        run!(self, (now) | connection, _attempt | sessions::delete_expired(connection, *now))
    }

    async fn health(&self) -> Result<(), StoreError> {
        run!(self, () | connection, _attempt | connection.check_writable())
    }

    fn metrics(&self) -> StoreMetrics {
        let (idle, busy, waiting) = self.pool.use_now();
        StoreMetrics {
            waiting_reads: self.records.waiting() + waiting,
            connections: idle + busy + self.dedicated,
            connections_busy: busy,
            ..self.counters.read(self.moves.waiting() + self.beginnings.waiting())
        }
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.moves.close().await;
        self.beginnings.close().await;
        self.records.close().await;
        self.pool.close().await;
        Ok(())
    }
}
