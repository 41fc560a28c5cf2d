//! Trying again what fails in passing, on a connection that is made anew where need be.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use super::config::PostgresConfig;
use super::connection::Connection;
use super::failure::Failure;
use crate::StoreError;
use crate::counters::Counters;

/// How long one attempt may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// The pauses between attempts, the last one again and again.
const PAUSES: [Duration; 6] = [
    Duration::from_millis(5),
    Duration::from_millis(20),
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
];

/// Whether an attempt follows one whose change may have been kept unseen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attempt {
    /// Nothing of it can be there yet.
    First,
    /// It may be there: what was lost is the answer.
    MayBeThere,
}

pub(super) type Attempted<'a, T> = Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// Work over a connection that can be tried again, with what it needs.
pub(super) type Work<T, C> = for<'a> fn(&'a mut Connection, Attempt, &'a C) -> Attempted<'a, T>;

/// Does the work on the connection in `slot`, which is filled where it is empty or no longer usable. What fails in
/// passing is tried again for as long as the settings say.
pub(super) async fn persist<T, C: ?Sized + Sync>(
    config: &PostgresConfig,
    settings: &str,
    counters: &Counters,
    slot: &mut Option<Connection>,
    context: &C,
    work: Work<T, C>,
) -> Result<T, StoreError> {
    let start = Instant::now();
    let mut attempt = Attempt::First;
    let mut pauses = PAUSES.into_iter().chain(std::iter::repeat(PAUSES[PAUSES.len() - 1]));
    loop {
        let failure =
            match tokio::time::timeout(ANSWER_WITHIN, once(config, settings, slot, attempt, context, work)).await {
                Ok(Ok(done)) => return Ok(done),
                Ok(Err(failure)) => failure,
                Err(_) => Failure::timeout(),
            };
        match &failure {
            Failure::Final(_) | Failure::Again(_) => {
                if let Some(connection) = slot {
                    connection.rollback().await;
                }
            }
            Failure::Lost(_) => {
                if slot.take().is_some() {
                    attempt = Attempt::MayBeThere;
                    counters.reconnected();
                }
            }
        }
        if matches!(failure, Failure::Final(_)) || start.elapsed() >= config.patience {
            return Err(failure.into_error());
        }
        counters.retried();
        if let Some(pause) = pauses.next() {
            tokio::time::sleep(pause).await;
        }
    }
}

async fn once<T, C: ?Sized + Sync>(
    config: &PostgresConfig,
    settings: &str,
    slot: &mut Option<Connection>,
    attempt: Attempt,
    context: &C,
    work: Work<T, C>,
) -> Result<T, Failure> {
    if slot.as_ref().is_none_or(|connection| !connection.is_usable()) {
        *slot = None;
        *slot = Some(Connection::open(config, settings).await?);
    }
    match slot {
        Some(connection) => work(connection, attempt, context).await,
        None => Err(Failure::timeout()),
    }
}
