//! Every statement. What they compare, they compare in the statement that writes.

pub(super) mod append;
pub(super) mod audit;
pub(super) mod blocks;
pub(super) mod emissions;
pub(super) mod export;
pub(super) mod ledger;
pub(super) mod records;
pub(super) mod sessions;
pub(super) mod tickets;
