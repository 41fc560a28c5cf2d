//! What a store counts of its own work, for [`StoreMetrics`].

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::{GROUP_SIZES, StoreMetrics};

/// Counters that only grow.
#[derive(Default)]
pub(crate) struct Counters {
    groups: [AtomicU64; GROUP_SIZES.len() + 1],
    changes: AtomicU64,
    retries: AtomicU64,
    reconnects: AtomicU64,
}

impl Counters {
    /// A commit was shared by so many changes.
    pub(crate) fn group(&self, size: usize) {
        let bucket = GROUP_SIZES.partition_point(|bound| *bound < size);
        if let Some(count) = self.groups.get(bucket) {
            count.fetch_add(1, Relaxed);
        }
        self.changes.fetch_add(u64::try_from(size).unwrap_or(u64::MAX), Relaxed);
    }

    /// A change or read is tried again.
    pub(crate) fn retried(&self) {
        self.retries.fetch_add(1, Relaxed);
    }

    /// A connection was lost, and another one is needed.
    pub(crate) fn reconnected(&self) {
        self.reconnects.fetch_add(1, Relaxed);
    }

    /// What was counted, with what waits now.
    pub(crate) fn read(&self, waiting_changes: u64) -> StoreMetrics {
        let groups = std::array::from_fn(|at| self.groups.get(at).map_or(0, |count| count.load(Relaxed)));
        StoreMetrics {
            groups,
            changes: self.changes.load(Relaxed),
            waiting_changes,
            retries: self.retries.load(Relaxed),
            reconnects: self.reconnects.load(Relaxed),
            ..StoreMetrics::default()
        }
    }
}
