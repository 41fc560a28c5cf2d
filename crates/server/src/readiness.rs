//! Whether this server can serve: whether its store answers *and takes writes*, and whether it is about to stop. A full
//! or read-only disk, or a database that has become a standby, still answers reads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use store::{Session, StoreError, TicketNumber};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::app::App;
use crate::failure::Failure;
use crate::records::millis;
use crate::session::Token;

/// How long what was found is told again: however often one asks, the store is probed this seldom.
const FRESH: Duration = Duration::from_secs(1);
/// How long the store may take.
const PROBE_TIME: Duration = Duration::from_secs(5);

/// What is known of it.
#[derive(Default)]
pub struct Readiness {
    stopping: AtomicBool,
    found: Mutex<Option<(Instant, Result<(), StoreError>)>>,
}

impl Readiness {
    /// From now on the server says that it is not ready, while it still answers: so that whoever sends it requests
    /// sends them elsewhere before it stops.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }
}

impl App {
    /// Whether the server can serve.
    pub(crate) async fn ready(&self) -> Result<(), Failure> {
        if self.readiness.stopping.load(Ordering::SeqCst) {
            self.metrics.ready.set(0);
            return Err(Failure::Stopping);
        }
        let mut found = self.readiness.found.lock().await;
        let known = found.as_ref().filter(|(at, _)| at.elapsed() < FRESH).map(|(_, known)| known.clone());
        let known = match known {
            Some(known) => known,
            None => {
                let slow = || StoreError::Unavailable { detail: "it takes too long".to_owned() };
                let probed = timeout(PROBE_TIME, self.probe()).await.unwrap_or_else(|_| Err(slow()));
                *found = Some((Instant::now(), probed.clone()));
                probed
            }
        };
        self.metrics.ready.set(known.is_ok().into());
        Ok(known?)
    }

    /// Reads, and writes: a session that has expired already and whose token nobody has, durable before it is answered
    /// and forgotten with the others. (To write what stands there already is no write to SQLite: it finds that nothing
    /// changes, on a full disk too.)
    async fn probe(&self) -> Result<(), StoreError> {
        self.store.health().await?;
        let now = millis(self.clock.now());
        for emission in self.store.emissions().await? {
            let number = TicketNumber { emission: emission.id, block: 1, serial: 1 };
            let Some(ticket) = self.store.find_by_number(number).await? else { continue };
            let unavailable = |_| StoreError::Unavailable { detail: "the system gives no randomness".to_owned() };
            let token = Token::new(&*self.random).map_err(unavailable)?.hash();
            return self.store.put_session(Session { token, ticket, created: now, expires: now }).await;
        }
        // Nothing is issued yet.
        Ok(())
    }
}
