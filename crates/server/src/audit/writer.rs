//! What writes the chain of a process.

use std::sync::Arc;
use std::time::Duration;

use rules::Timestamp;
use seal::hash::to_hex;
use store::{AuditAppended, AuditInstance, AuditLine, InstanceId, Store, StoreError};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tracing::{error, info, warn};

use super::chain::{BEFORE_ALL, Chain};
use super::{Anchor, Audit, Entry, Kind, Members, Value};
use crate::app::{Clock, NoRandomness, Random};
use crate::receipts::ReceiptSigner;

/// How often what was counted is told, and what was written is signed.
const EVERY: Duration = Duration::from_secs(60);
/// How many of the chains begun before are named in a chain's first line.
const NAMED: usize = 32;
/// How many lines are written at once.
const BATCH: usize = 256;

/// The name of a new chain: `u48(milliseconds since 1970)`, then ten random bytes, so that chains are found in the order in which they were begun.
///
/// # Errors
/// The source of randomness gives nothing.
pub fn new_instance(now: Timestamp, random: &dyn Random) -> Result<InstanceId, NoRandomness> {
    let mut id = [0; 16];
    random.fill(&mut id[6..])?;
    id[..6].copy_from_slice(&now.millis().to_be_bytes()[2..]);
    Ok(InstanceId(id))
}

/// Writes one chain.
pub struct AuditWriter {
    store: Arc<dyn Store>,
    chain: Chain,
    /// Lines that are made, and not known to be kept.
    unkept: Vec<AuditLine>,
    /// How many lines are signed.
    signed: u64,
}

impl AuditWriter {
    /// Begins a chain: its first line says what writes it, and where the chains before it end.
    ///
    /// # Errors
    /// The store's.
    pub async fn begin(
        store: Arc<dyn Store>,
        instance: InstanceId,
        now: Timestamp,
        program: &str,
    ) -> Result<Self, StoreError> {
        let before = store.audit_instances().await?;
        let mut writer =
            Self { store, chain: Chain { instance, lines: 0, last: BEFORE_ALL }, unkept: Vec::new(), signed: 0 };
        let recent = before.len().saturating_sub(NAMED);
        let entry = Entry::new(Kind::Start)
            .text("program", program)
            .text("version", env!("CARGO_PKG_VERSION"))
            .int("chains_before", before.len() as u64)
            .list("before", before[recent..].iter().map(named).collect());
        writer.write(vec![(now, entry)], None).await?;
        Ok(writer)
    }

    /// Where the chain stands: what may be noted elsewhere.
    #[must_use]
    pub const fn anchor(&self) -> Anchor {
        self.chain.anchor()
    }

    /// Writes events, and a checkpoint after them where a signer is given that has a key for this instant.
    ///
    /// # Errors
    /// The store's; what could not be written is written with the next.
    pub async fn write(
        &mut self,
        entries: Vec<(Timestamp, Entry)>,
        sign: Option<(&ReceiptSigner, Timestamp)>,
    ) -> Result<(), StoreError> {
        self.unkept.extend(entries.iter().map(|(at, entry)| self.chain.next(*at, entry)));
        if let Some((signer, at)) = sign
            && self.signed < self.chain.lines
            && let Some(key) = signer.keys().signer(at)
        {
            self.unkept.push(self.chain.checkpoint(at, |bytes| key.sign_bytes(bytes)));
            self.signed = self.chain.lines;
        }
        while !self.unkept.is_empty() {
            let kept = self.chain.lines - self.unkept.len() as u64;
            let batch = self.unkept[..self.unkept.len().min(BATCH)].to_vec();
            let count = batch.len();
            match self.store.append_audit(self.chain.instance, kept, batch).await? {
                AuditAppended::Now(_) => drop(self.unkept.drain(..count)),
                // Kept at an earlier try whose answer was lost: nobody else writes this chain.
                AuditAppended::Moved(stands) if stands > kept && stands <= self.chain.lines => {
                    let known = usize::try_from(stands - kept).unwrap_or(count);
                    self.unkept.drain(..known);
                }
                AuditAppended::Moved(_) => {
                    return Err(StoreError::Misuse("an audit chain is written by another process"));
                }
            }
        }
        Ok(())
    }

    /// Writes what is recorded as it comes, until `stop` says so; then all that waits, and the end of the chain.
    pub async fn run(
        mut self,
        audit: &Audit,
        signer: &ReceiptSigner,
        clock: &dyn Clock,
        mut stop: watch::Receiver<bool>,
    ) {
        let mut told = Instant::now();
        loop {
            let stopping = tokio::select! {
                _ = stop.wait_for(|stop| *stop) => true,
                () = audit.wake.notified() => false,
                () = sleep_until(told + EVERY) => false,
            };
            let now = clock.now();
            let minute = told.elapsed() >= EVERY;
            if minute {
                told = Instant::now();
            }
            let mut entries = audit.take(now, minute || stopping);
            if stopping {
                entries.push((now, Entry::new(Kind::Stop)));
            }
            if entries.is_empty() && self.unkept.is_empty() && !minute {
                continue;
            }
            // While the store fails lines wait here, and no more are made than may wait.
            if self.unkept.len() >= super::MOST_WAITING {
                audit.put_back(entries);
                entries = Vec::new();
            }
            let sign = (minute || stopping).then_some((signer, now));
            let signed = self.signed;
            match self.write(entries, sign).await {
                Ok(()) if self.signed != signed => {
                    let Anchor { instance, lines, last } = self.anchor();
                    info!(instance = to_hex(&instance.0), lines, last = to_hex(&last.0), "audit log signed");
                }
                Ok(()) => {}
                Err(cause) if stopping => error!(%cause, "the end of the audit log could not be written"),
                Err(cause) => warn!(%cause, "the audit log cannot be written: it waits"),
            }
            if stopping {
                return;
            }
        }
    }
}

fn named(chain: &AuditInstance) -> Members {
    vec![
        ("instance", Value::Text(to_hex(&chain.instance.0))),
        ("lines", Value::Int(chain.lines)),
        ("last", Value::Text(to_hex(&chain.last.0))),
    ]
}
