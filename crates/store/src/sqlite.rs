//! The store over SQLite: one file, one writer, a few readers, each with a connection and a thread of its own.
//!
//! Write-ahead log with `synchronous = FULL`: what was answered is on disk and outlives a loss of power. Several
//! processes may open one file (a server and a command, say): SQLite's locks and the versions compared in the
//! statements themselves keep them apart. All must be on the machine where the file lies; WAL does not work over
//! network file systems.

mod failure;
mod opening;
mod queries;
mod readers;
mod writer;

#[cfg(test)]
mod tests;

use std::path::Path;

use async_trait::async_trait;

use self::readers::Readers;
use self::writer::Writer;
use crate::{
    AddedEmission, Append, Appended, Emission, Imported, KeyedHash, Millis, Replaced, Session, Store, StoreError,
    Ticket, TicketId, TicketNumber, TicketRecord, TokenHash,
};

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
        let writer = Writer::start(opening::writer(&path)?)?;
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

    async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        let next = append.next_version()?;
        self.writer.write(move |connection| queries::append(connection, &append, next)).await
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

    async fn close(&self) -> Result<(), StoreError> {
        // Readers first: the last checkpoint can then empty the log.
        self.writer.close(self.readers.close().await).await
    }
}
