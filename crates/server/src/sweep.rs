//! Settles games whose 30 days have ended (2.2.5). The same happens whenever such a game is looked at: the sweep is for those that
//! nobody looks at any more.
//!
//! Any number of servers may do it at once: each game is kept by compare-and-set, so it expires once.

use rules::{Command, Timestamp};
use store::{Appended, Store, StoreError, TicketId};
use tracing::error;

use crate::records;

/// How many games are looked for at once.
const PAGE: u32 = 256;

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Games that it settled.
    pub settled: u64,
    /// Games that were due and that something else moved first.
    pub moved: u64,
    /// Games that cannot be read: each is named in the log.
    pub corrupt: u64,
}

/// Settles every game that is due at this instant.
///
/// # Errors
/// The store's. What was settled before stays settled.
pub async fn settle_due(store: &dyn Store, now: Timestamp) -> Result<Swept, StoreError> {
    let mut swept = Swept::default();
    loop {
        let due = store.due(records::millis(now), PAGE).await?;
        let before = swept.settled + swept.moved;
        // A game that cannot be read stays due: it is told once, and ends the sweep where it alone is left.
        let mut corrupt = 0;
        for ticket in &due {
            match settle(store, *ticket, now).await? {
                Settled::Now => swept.settled += 1,
                Settled::Moved => swept.moved += 1,
                Settled::Corrupt => corrupt += 1,
            }
        }
        swept.corrupt = swept.corrupt.max(corrupt);
        if due.len() < PAGE as usize || swept.settled + swept.moved == before {
            return Ok(swept);
        }
    }
}

enum Settled {
    Now,
    Moved,
    Corrupt,
}

async fn settle(store: &dyn Store, id: TicketId, now: Timestamp) -> Result<Settled, StoreError> {
    let Some(record) = store.load(id).await? else { return Ok(Settled::Moved) };
    let number = record.ticket.number;
    let expiry = records::terms(&record.emission).and_then(|terms| {
        let Some(ticket) = records::ticket(&record, terms)? else { return Ok(None) };
        Ok(ticket.operate_on(&ticket.game()?, Command::Expire, now).ok())
    });
    match expiry {
        Ok(Some((append, _))) => match store.append(records::append(id, append)?).await? {
            Appended::Now(_) => Ok(Settled::Now),
            Appended::Moved | Appended::Stands(_) => Ok(Settled::Moved),
        },
        // Something else ended it between the two reads.
        Ok(None) => Ok(Settled::Moved),
        Err(cause) => {
            error!(?number, %cause, "a game whose time has ended cannot be settled");
            Ok(Settled::Corrupt)
        }
    }
}
