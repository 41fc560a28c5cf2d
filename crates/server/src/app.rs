//! What a server is made of: all of it is handed in where the program starts.

use std::sync::Arc;

use rules::Timestamp;
use store::Store;

use crate::acknowledged::Acknowledged;
use crate::audit::{Audit, Entry};
use crate::keys::Keys;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::readiness::Readiness;
use crate::receipts::ReceiptSigner;
use crate::warm::Warm;

/// The server's parts. It keeps nothing of a game itself: any number of servers may stand beside each other over one
/// store.
pub struct App {
    /// Where tickets, games and sessions are kept.
    pub store: Arc<dyn Store>,
    /// The keys of every emission in that store.
    pub keys: Keys,
    /// What signs the receipts of sessions and actions.
    pub receipts: ReceiptSigner,
    /// What time it is.
    pub clock: Box<dyn Clock>,
    /// Where tokens come from.
    pub random: Box<dyn Random>,
    /// What an operator may choose.
    pub settings: Settings,
    /// What bounds hostile clients.
    pub limits: Limits,
    /// What it counts.
    pub metrics: Metrics,
    /// Whether it can serve.
    pub readiness: Readiness,
    /// Games that are being played.
    pub warm: Warm,
    /// What it had kept last.
    pub acknowledged: Acknowledged,
    /// Where significant events are recorded.
    pub audit: Audit,
}

impl App {
    /// Records a significant event, of now. Nothing waits for it.
    pub fn significant(&self, entry: Entry) {
        self.audit.record(self.clock.now(), entry);
    }
}

/// What an operator may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long a session lasts from the entry of its code, in milliseconds.
    pub session_millis: i64,
    /// Browsers reach this server by HTTPS alone, which a proxy in front ends: they are told to insist on it (HSTS).
    pub tls_in_front: bool,
    /// From what gain on, in whole euros, a game that ends is noted as a large win.
    pub large_win_eur: u64,
}

impl Default for Settings {
    /// A day, and nothing in front; 10,000 €.
    fn default() -> Self {
        Self { session_millis: 24 * 60 * 60 * 1000, tls_in_front: false, large_win_eur: 10_000 }
    }
}

/// A clock. Games never go back in time even where it does: the rules see to that.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}

impl<F: Fn() -> Timestamp + Send + Sync> Clock for F {
    fn now(&self) -> Timestamp {
        self()
    }
}

/// A cryptographic source of random bytes.
pub trait Random: Send + Sync {
    /// Fills the buffer.
    ///
    /// # Errors
    /// The source gives nothing; what is in the buffer is not to be used.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoRandomness>;
}

/// The source of randomness gives nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRandomness;

impl<F: Fn(&mut [u8]) -> Result<(), NoRandomness> + Send + Sync> Random for F {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        self(bytes)
    }
}
