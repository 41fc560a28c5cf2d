//! Connections for what is asked one by one, kept between questions.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;

use super::attempts::{Work, persist};
use super::config::PostgresConfig;
use super::connection::Connection;
use crate::StoreError;
use crate::counters::Counters;

pub(super) struct Pool {
    config: Arc<PostgresConfig>,
    counters: Arc<Counters>,
    idle: Mutex<Vec<Connection>>,
    permits: Semaphore,
    waiting: AtomicU64,
}

impl Pool {
    pub(super) fn new(config: Arc<PostgresConfig>, counters: Arc<Counters>) -> Self {
        let permits = Semaphore::new(config.connections);
        Self { config, counters, idle: Mutex::default(), permits, waiting: AtomicU64::new(0) }
    }

    /// Does the work on one of the connections, waiting for one where all are busy.
    pub(super) async fn run<T, C: Sync>(&self, context: &C, work: Work<T, C>) -> Result<T, StoreError> {
        self.waiting.fetch_add(1, Relaxed);
        let permit = self.permits.acquire().await;
        self.waiting.fetch_sub(1, Relaxed);
        let _permit = permit.map_err(|_| StoreError::Closed)?;
        let mut slot = self.idle().pop();
        let done = persist(&self.config, "", &self.counters, &mut slot, context, work).await;
        if let Some(connection) = slot.filter(Connection::is_usable) {
            self.idle().push(connection);
        }
        done
    }

    /// Refuses what comes later, waits for what is under way, and lets the connections go.
    pub(super) async fn close(&self) {
        let all = u32::try_from(self.config.connections).unwrap_or(u32::MAX);
        // An error says that it is closed already.
        if let Ok(every_permit) = self.permits.acquire_many(all).await {
            self.permits.close();
            drop(every_permit);
        }
        self.idle().clear();
    }

    /// How many are open at rest, at work, and how many callers wait for one.
    pub(super) fn use_now(&self) -> (u64, u64, u64) {
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let busy = self.config.connections.saturating_sub(self.permits.available_permits());
        (count(self.idle().len()), count(busy), self.waiting.load(Relaxed))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
