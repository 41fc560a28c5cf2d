//! What any store must do ([`conformance`], [`model`]), and what is kept when the process is killed ([`kill`]).

mod conformance;
mod kill;
mod model;
mod types;

use std::path::Path;
use std::sync::Arc;

use crate::*;

/// A store under test, and the directory that it needs, if any.
pub(crate) struct Opened {
    pub(crate) store: Arc<dyn Store>,
    /// Removed at the end of the test.
    _directory: Option<tempfile::TempDir>,
}

pub(crate) fn memory() -> Opened {
    Opened { store: Arc::new(MemoryStore::new()), _directory: None }
}

pub(crate) fn sqlite() -> Opened {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&database(directory.path())).unwrap();
    Opened { store: Arc::new(store), _directory: Some(directory) }
}

pub(crate) fn database(directory: &Path) -> std::path::PathBuf {
    directory.join("qod.db")
}

pub(crate) fn label(text: &str) -> Label {
    Label::new(text).unwrap()
}

pub(crate) fn emission(id: u16) -> Emission {
    Emission { id, start_before: None, unfinished: label("nothing"), new_games: true, payment_before: None }
}

/// A ticket of emission 7; every part of it follows from `n`.
pub(crate) fn ticket(n: u8) -> Ticket {
    Ticket {
        id: TicketId([n; 16]),
        number: TicketNumber { emission: 7, block: 1, serial: u32::from(n) },
        code_hash: KeyedHash([n; 32]),
        control_hash: KeyedHash([n ^ 0xff; 32]),
        potential_gain_eur: 5 * u32::from(n),
    }
}

pub(crate) fn event(at: i64, payload: &[u8]) -> Event {
    Event { at: Millis(at), payload: payload.to_vec() }
}

/// One event on the ticket's game at that version.
pub(crate) fn append(n: u8, expected: u32) -> Append {
    Append {
        ticket: ticket(n).id,
        expected: Version(expected),
        events: vec![event(i64::from(expected), &[n])],
        state: label("picking"),
        finish_before: Some(Millis(1_000)),
        client_seed: None,
    }
}

pub(crate) fn session(token: u8, n: u8) -> Session {
    Session { token: TokenHash([token; 32]), ticket: ticket(n).id, created: Millis(100), expires: Millis(200) }
}

/// Adds emission 7 and tickets 1 to 4.
pub(crate) async fn furnish(store: &dyn Store) {
    store.add_emission(emission(7)).await.unwrap();
    store.import((1..=4).map(ticket).collect()).await.unwrap();
}
