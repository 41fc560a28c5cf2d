//! What any store must do ([`conformance`], [`model`]), and what is kept when the process is killed ([`kill`]).

mod conformance;
mod kill;
mod model;
pub(crate) mod power;
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

pub(crate) async fn memory() -> Opened {
    Opened { store: Arc::new(MemoryStore::new()), _directory: None }
}

pub(crate) async fn sqlite() -> Opened {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&database(directory.path())).unwrap();
    Opened { store: Arc::new(store), _directory: Some(directory) }
}

/// In a database of its own of the cluster that all tests of this process share.
pub(crate) async fn postgres() -> Opened {
    let config = PostgresConfig::new(&cluster::shared().database()).unwrap();
    Opened { store: Arc::new(PostgresStore::connect(config).await.unwrap()), _directory: None }
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
    Event { at: Millis(at), payload: payload.to_vec(), receipt: None }
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
        entry: None,
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

/// One event on the ticket's game at that version, and an entry for the ledger with it.
pub(crate) fn entered(n: u8, expected: u32, entry: LedgerEntry) -> Append {
    Append { entry: Some(entry), ..append(n, expected) }
}

pub(crate) fn point_of_sale(n: u8) -> PointOfSale {
    let name = format!("Tabac n° {n}");
    PointOfSale { id: PointOfSaleId(n.into()), name, key: PointOfSaleKey([n; 32]), disabled: false }
}

pub(crate) fn payment(id: u8, by: u8, key: u8) -> LedgerEntry {
    LedgerEntry::Payment(Payment {
        id: PaymentId([id; 16]),
        point_of_sale: PointOfSaleId(by.into()),
        key: IdempotencyKey([key; 32]),
        amount_eur: 50,
        at: Millis(500),
    })
}

/// Asked for by a point of sale, or by the operator (none).
pub(crate) fn reversal(payment: u8, by: Option<u8>, key: u8) -> LedgerEntry {
    LedgerEntry::Reversal(Reversal {
        payment: PaymentId([payment; 16]),
        point_of_sale: by.map(|by| PointOfSaleId(by.into())),
        key: IdempotencyKey([key; 32]),
        who: "Élise".into(),
        why: "typed the wrong ticket's number".into(),
        at: Millis(600),
    })
}

/// Block 1 of emission 7, with `tickets` tickets that are the first ones of [`ticket`].
pub(crate) fn block(tickets: u8) -> Block {
    let total_eur = (0..tickets).map(|n| u64::from(ticket(n).potential_gain_eur)).sum();
    Block {
        id: BlockId { emission: 7, block: 1 },
        manifest: Digest([tickets; 32]),
        tickets: tickets.into(),
        winning: u32::from(tickets) - 1,
        total_eur,
    }
}

pub(crate) fn audit_line(n: u8) -> AuditLine {
    AuditLine { bytes: vec![n; usize::from(n)], hash: Digest([n; 32]) }
}
