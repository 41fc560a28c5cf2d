//! The store over SQLite: one file, one writer, a few readers, each with a connection and a thread of its own.
//!
//! Write-ahead log with `synchronous = FULL`: what was answered is on disk and outlives a loss of power. Several
//! processes may open one file (a server and a command, say): SQLite's locks and the versions compared in the
//! statements themselves keep them apart. All must be on the machine where the file lies; WAL does not work over
//! network file systems.

mod checkpoint;
mod failure;
mod opening;
mod queries;
mod readers;
mod writer;

#[cfg(test)]
mod tests;

use std::path::Path;

use async_trait::async_trait;

use self::queries::{audit, blocks, export, ledger};
use self::readers::Readers;
use self::writer::Writer;
use crate::types::*;
use crate::{Store, StoreError};

/// The store over SQLite. Dropping it without [`Store::close`] loses nothing that was answered.
pub struct SqliteStore {
    writer: Writer,
    readers: Readers,
}

impl SqliteStore {
    /// Opens the database at `path`, made where there is none (mode 0600), and brings its schema up to date. Blocks
    /// for as long as that takes.
    ///
    /// Refuses a database of a newer program ([`StoreError::Newer`]) and a file that is something else
    /// ([`StoreError::Foreign`]).
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let path = opening::prepare_file(path)?;
        let writer = Writer::start(opening::writer(&path)?, opening::checkpointer(&path)?)?;
        let readers = (0..readers::count()).map(|_| opening::reader(&path)).collect::<Result<_, _>>()?;
        Ok(Self { writer, readers: Readers::start(readers)? })
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn add_emission(&self, emission: Emission) -> Result<AddedEmission, StoreError> {
        self.writer.write(move |connection| queries::add_emission(connection, &emission)).await
    }

    async fn emission(&self, id: u16) -> Result<Option<Emission>, StoreError> {
        self.readers.read(move |connection| queries::emission(connection, id)).await
    }

    async fn emissions(&self) -> Result<Vec<Emission>, StoreError> {
        self.readers.read(queries::emissions).await
    }

    async fn replace_emission(&self, current: Emission, next: Emission) -> Result<Replaced, StoreError> {
        if current.id != next.id {
            return Err(StoreError::Misuse("an emission is replaced by one of another number"));
        }
        self.writer.write(move |connection| queries::replace_emission(connection, &current, &next)).await
    }

    async fn import(&self, tickets: Vec<Ticket>) -> Result<Imported, StoreError> {
        self.writer.write(move |connection| queries::import(connection, &tickets)).await
    }

    async fn begin_block(&self, block: Block) -> Result<BlockStep, StoreError> {
        self.writer.write(move |connection| blocks::begin(connection, &block)).await
    }

    async fn import_chunk(
        &self,
        block: BlockId,
        manifest: Digest,
        offset: u32,
        tickets: Vec<Ticket>,
    ) -> Result<BlockStep, StoreError> {
        self.writer.write(move |connection| blocks::import_chunk(connection, block, manifest, offset, &tickets)).await
    }

    async fn finish_block(&self, block: BlockId, manifest: Digest) -> Result<BlockStep, StoreError> {
        self.writer.write(move |connection| blocks::finish(connection, block, manifest)).await
    }

    async fn blocks(&self) -> Result<Vec<BlockProgress>, StoreError> {
        self.readers.read(blocks::all).await
    }

    async fn find_by_code(&self, candidates: &[KeyedHash]) -> Result<Option<TicketId>, StoreError> {
        let candidates = candidates.to_vec();
        self.readers.read(move |connection| queries::find_by_code(connection, &candidates)).await
    }

    async fn find_by_number(&self, number: TicketNumber) -> Result<Option<TicketId>, StoreError> {
        self.readers.read(move |connection| queries::find_by_number(connection, number)).await
    }

    async fn load(&self, ticket: TicketId) -> Result<Option<TicketRecord>, StoreError> {
        self.readers.read(move |connection| queries::load(connection, ticket)).await
    }

    async fn load_by_session(&self, token: TokenHash, now: Millis) -> Result<Option<TicketRecord>, StoreError> {
        self.readers.read(move |connection| queries::load_by_session(connection, token, now)).await
    }

    async fn due(&self, now: Millis, limit: u32) -> Result<Vec<TicketId>, StoreError> {
        self.readers.read(move |connection| queries::due(connection, now, limit)).await
    }

    async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        let next = append.next_version()?;
        self.writer.write(move |connection| queries::append(connection, &append, next)).await
    }

    async fn add_point_of_sale(&self, added: PointOfSale) -> Result<AddedPointOfSale, StoreError> {
        self.writer.write(move |connection| ledger::add_point_of_sale(connection, &added)).await
    }

    async fn find_point_of_sale(&self, key: PointOfSaleKey) -> Result<Option<PointOfSale>, StoreError> {
        self.readers.read(move |connection| ledger::find_point_of_sale(connection, key)).await
    }

    async fn points_of_sale(&self) -> Result<Vec<PointOfSale>, StoreError> {
        self.readers.read(ledger::points_of_sale).await
    }

    async fn replace_point_of_sale(&self, current: PointOfSale, next: PointOfSale) -> Result<Replaced, StoreError> {
        next.replaces(&current)?;
        self.writer.write(move |connection| ledger::replace_point_of_sale(connection, &current, &next)).await
    }

    async fn find_entry(
        &self,
        by: Option<PointOfSaleId>,
        key: IdempotencyKey,
    ) -> Result<Option<KeptEntry>, StoreError> {
        self.readers.read(move |connection| ledger::find_entry(connection, by, key)).await
    }

    async fn payment(&self, id: PaymentId) -> Result<Option<KeptPayment>, StoreError> {
        self.readers.read(move |connection| ledger::payment(connection, id)).await
    }

    async fn entries(&self, ticket: TicketId) -> Result<Vec<KeptEntry>, StoreError> {
        self.readers.read(move |connection| ledger::entries(connection, ticket)).await
    }

    async fn export_entries(&self, page: Page) -> Result<Vec<KeptEntry>, StoreError> {
        self.readers.read(move |connection| export::entries(connection, &page)).await
    }

    async fn export_events(&self, page: Page) -> Result<Vec<ExportedEvent>, StoreError> {
        self.readers.read(move |connection| export::events(connection, &page)).await
    }

    async fn append_audit(
        &self,
        instance: InstanceId,
        expected: u64,
        lines: Vec<AuditLine>,
    ) -> Result<AuditAppended, StoreError> {
        self.writer.write(move |connection| audit::append(connection, instance, expected, &lines)).await
    }

    async fn audit_lines(&self, instance: InstanceId, from: u64, limit: u32) -> Result<Vec<AuditLine>, StoreError> {
        self.readers.read(move |connection| audit::lines(connection, instance, from, limit)).await
    }

    async fn audit_instances(&self) -> Result<Vec<AuditInstance>, StoreError> {
        self.readers.read(audit::instances).await
    }

    async fn put_session(&self, session: Session) -> Result<(), StoreError> {
        self.writer.write(move |connection| queries::put_session(connection, &session)).await
    }

    async fn find_session(&self, token: TokenHash, now: Millis) -> Result<Option<TicketId>, StoreError> {
        self.readers.read(move |connection| queries::find_session(connection, token, now)).await
    }

    async fn delete_expired_sessions(&self, now: Millis) -> Result<u64, StoreError> {
        self.writer.write(move |connection| queries::delete_expired_sessions(connection, now)).await
    }

    async fn health(&self) -> Result<(), StoreError> {
        self.writer.alive()?;
        self.readers.read(queries::health).await
    }

    fn metrics(&self) -> StoreMetrics {
        StoreMetrics { waiting_reads: self.readers.waiting(), ..self.writer.metrics() }
    }

    async fn close(&self) -> Result<(), StoreError> {
        // Readers first: the last checkpoint can then empty the log.
        self.writer.close(self.readers.close().await).await
    }
}
