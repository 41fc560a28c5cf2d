//! The last event that this server has had kept. Noted outside of the store, it tells at the next start whether the store is
//! still the one that was served, or an older copy of it: over such a copy games would be played again whose grids are open.

use std::sync::{Mutex, PoisonError};

use store::{TicketId, Version};

/// What was kept last, until it is taken to be noted.
#[derive(Debug, Default)]
pub struct Acknowledged(Mutex<Option<(TicketId, Version)>>);

impl Acknowledged {
    /// A game has come to this version, durably.
    pub(crate) fn reached(&self, ticket: TicketId, version: Version) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((ticket, version));
    }

    /// The last one since it was asked for before; none where nothing was kept since.
    pub fn take(&self) -> Option<(TicketId, Version)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
