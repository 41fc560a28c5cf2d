//! What a store can cheaply say of its own work.

/// The upper bounds, included, of the sizes that [`StoreMetrics::groups`] counts; above the last, one more.
pub const GROUP_SIZES: [usize; 9] = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/// A store's work so far, and what waits at this moment. A store that does not share commits counts none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreMetrics {
    /// Commits that were shared by changes, by how many shared one ([`GROUP_SIZES`]).
    pub groups: [u64; GROUP_SIZES.len() + 1],
    /// Changes in those commits.
    pub changes: u64,
    /// Changes that wait now.
    pub waiting_changes: u64,
    /// Reads that wait now.
    pub waiting_reads: u64,
    /// Connections that are open.
    pub connections: u64,
    /// Connections that are at work.
    pub connections_busy: u64,
    /// Changes or reads that were tried again after a failure that passes.
    pub retries: u64,
    /// Connections that were opened anew after one was lost.
    pub reconnects: u64,
}

impl StoreMetrics {
    /// How many commits were shared, whatever their size.
    pub fn commits(&self) -> u64 {
        self.groups.iter().sum()
    }
}
