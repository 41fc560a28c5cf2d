//! Whether this server can serve: whether its store answers *and takes writes*, and whether it is about to stop. A full
//! or read-only disk, or a database that has become a standby, still answers reads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use store::StoreError;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::app::App;
use crate::failure::Failure;

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

    /// Reads, and writes what stands there already: a write like any other, durable before it is answered.
    async fn probe(&self) -> Result<(), StoreError> {
        self.store.health().await?;
        match self.store.emissions().await?.first() {
            // Moved: someone else has just written.
            Some(emission) => self.store.replace_emission(*emission, *emission).await.map(|_| ()),
            None => Ok(()),
        }
    }
}
