//! Reading everything of a period, page by page.

use crate::{Event, KeptEntry, Millis, TicketId, TicketNumber};

/// From an instant on (included) to another (excluded).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The first instant.
    pub from: Millis,
    /// The first instant after it.
    pub to: Millis,
}

/// Where a page ended: the order is by time, then ticket, then position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    /// The time of the page's last row.
    pub at: Millis,
    /// Its ticket.
    pub ticket: TicketId,
    /// Its position in that ticket's game.
    pub position: u32,
}

/// Which page: the first one has no `after`; each next one goes on after the cursor of the last row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Of what is read.
    pub period: Period,
    /// Where the page before ended.
    pub after: Option<Cursor>,
    /// How many rows at most. Fewer come only at the end.
    pub limit: u32,
}

/// An event as it is exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedEvent {
    /// Whose game.
    pub ticket: TicketId,
    /// That ticket's printed number.
    pub number: TicketNumber,
    /// Which of the game's events, from 0.
    pub position: u32,
    /// The event.
    pub event: Event,
}

impl ExportedEvent {
    /// Where a page that ends here ends.
    pub const fn cursor(&self) -> Cursor {
        Cursor { at: self.event.at, ticket: self.ticket, position: self.position }
    }
}

impl KeptEntry {
    /// Where a page that ends here ends.
    pub const fn cursor(&self) -> Cursor {
        Cursor { at: self.entry.at(), ticket: self.ticket, position: self.position }
    }
}
