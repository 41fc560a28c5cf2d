//! The audit log (`docs/audit.md`): what GLI-19 calls significant events, in one chain of hashes for each process that writes it, with signed checkpoints.
//!
//! [`Audit::record`] takes an [`Entry`] and returns at once: no player waits for it. A task of its own ([`AuditWriter::run`]) writes what was recorded, in
//! order. What anybody outside can cause as often as they like (wrong codes, errors) is counted, and told once a minute.
//!
//! No secret may be put into an entry: no code, control code, token, seed or key, and of an address only its network ([`Origin::network`]).

mod chain;
mod check;
mod writer;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rules::Timestamp;
use seal::json::Writer;
use tokio::sync::Notify;

use crate::limits::Origin;

pub use chain::{Anchor, Kept};
pub use check::{Checked, WrongAudit, check};
pub use writer::{AuditWriter, new_instance};

/// The most entries that wait to be written; what comes beyond is counted as lost.
const MOST_WAITING: usize = 4096;
/// The most networks, and routes, that are counted apart between two lines.
const MOST_COUNTED: usize = 256;
/// The most of them that one line tells by name.
const MOST_TOLD: usize = 16;
/// The longest text of an entry, in bytes.
const LONGEST_TEXT: usize = 500;

/// What happened. The name on each line is [`Kind::name`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A process began to write: its version, what it is, and where the chains before it end.
    Start,
    /// It ended in good order.
    Stop,
    /// Wrong codes, keys or tokens, counted over a minute.
    FailedAccess,
    /// Answers of failure (5xx), counted over a minute.
    Errors,
    /// An operator voided a game.
    Voided,
    /// A payment.
    Paid,
    /// A payment made in error was taken back.
    PaymentReversed,
    /// A game was won with a gain of the threshold or more.
    LargeWin,
    /// An operator changed a setting: an emission was closed, new games suspended or allowed.
    Setting,
    /// A key was made, retired, or changed while serving.
    Keys,
    /// A point of sale was added, disabled, enabled, or given another key.
    PointOfSale,
    /// A block was imported.
    Import,
    /// An operator looked at or exported what is kept of players.
    Looked,
    /// The machine's clock was set while serving.
    ClockJump,
    /// Entries that could not be kept.
    Lost,
}

impl Kind {
    /// On its line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop => "stop",
            Self::FailedAccess => "failed_access",
            Self::Errors => "errors",
            Self::Voided => "voided",
            Self::Paid => "paid",
            Self::PaymentReversed => "payment_reversed",
            Self::LargeWin => "large_win",
            Self::Setting => "setting",
            Self::Keys => "keys",
            Self::PointOfSale => "point_of_sale",
            Self::Import => "import",
            Self::Looked => "looked",
            Self::ClockJump => "clock_jump",
            Self::Lost => "lost",
        }
    }
}

/// What failed access to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// A wrong code.
    Code,
    /// A point of sale's key that is none.
    PointOfSaleKey,
    /// A wrong control code at a point of sale.
    ControlCode,
}

impl Access {
    const fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::PointOfSaleKey => "point_of_sale_key",
            Self::ControlCode => "control_code",
        }
    }
}

/// One significant event: its kind, and what is to be told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    kind: Kind,
    members: Members,
}

type Members = Vec<(&'static str, Value)>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Text(String),
    Int(u64),
    List(Vec<Members>),
}

impl Entry {
    /// Of this kind, with nothing told yet.
    #[must_use]
    pub const fn new(kind: Kind) -> Self {
        Self { kind, members: Vec::new() }
    }

    /// With a text under this name; each name once. Beyond 500 bytes it is cut.
    #[must_use]
    pub fn text(mut self, name: &'static str, text: impl Into<String>) -> Self {
        let mut text = text.into();
        text.truncate(text.floor_char_boundary(LONGEST_TEXT));
        self.members.push((name, Value::Text(text)));
        self
    }

    /// With a number under this name; each name once.
    #[must_use]
    pub fn int(mut self, name: &'static str, number: u64) -> Self {
        self.members.push((name, Value::Int(number)));
        self
    }

    fn list(mut self, name: &'static str, items: Vec<Members>) -> Self {
        self.members.push((name, Value::List(items)));
        self
    }
}

fn write(members: &Members, w: &mut Writer) {
    for (name, value) in members {
        match value {
            Value::Text(text) => w.key(name).string(text),
            Value::Int(number) => w.key(name).int(*number),
            Value::List(items) => w.key(name).array(|w| items.iter().for_each(|item| w.object(|w| write(item, w)))),
        }
    }
}

/// Where what happens is recorded. Nothing here waits.
#[derive(Debug, Default)]
pub struct Audit {
    waiting: Mutex<Waiting>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    entries: Vec<(Timestamp, Entry)>,
    lost: u64,
    failed: BTreeMap<(Access, String), u64>,
    errors: BTreeMap<(String, u16), u64>,
}

/// What is counted beyond the most that is counted apart.
const OTHERS: &str = "others";

impl Audit {
    /// Records an event of this instant.
    pub fn record(&self, at: Timestamp, entry: Entry) {
        let mut waiting = self.waiting();
        if waiting.entries.len() < MOST_WAITING {
            waiting.entries.push((at, entry));
        } else {
            waiting.lost += 1;
        }
        drop(waiting);
        self.wake.notify_one();
    }

    /// Counts a failed access.
    pub fn failed(&self, what: Access, from: Origin) {
        let waiting = &mut *self.waiting();
        let full = waiting.failed.len() >= MOST_COUNTED;
        let key = (what, from.network());
        let key = if full && !waiting.failed.contains_key(&key) { (what, OTHERS.to_owned()) } else { key };
        *waiting.failed.entry(key).or_default() += 1;
    }

    /// Counts an answer of failure.
    pub fn error(&self, route: &str, status: u16) {
        let waiting = &mut *self.waiting();
        let full = waiting.errors.len() >= MOST_COUNTED;
        let key = (route.to_owned(), status);
        let key = if full && !waiting.errors.contains_key(&key) { (OTHERS.to_owned(), status) } else { key };
        *waiting.errors.entry(key).or_default() += 1;
    }

    /// All that waits, in order, and from now on nothing does; with `counted`, also what was counted since it was last told.
    fn take(&self, now: Timestamp, counted: bool) -> Vec<(Timestamp, Entry)> {
        let waiting = &mut *self.waiting();
        let mut entries = std::mem::take(&mut waiting.entries);
        let lost = std::mem::take(&mut waiting.lost);
        if lost > 0 {
            entries.push((now, Entry::new(Kind::Lost).int("count", lost)));
        }
        if counted {
            let failed = std::mem::take(&mut waiting.failed);
            for what in [Access::Code, Access::PointOfSaleKey, Access::ControlCode] {
                let of = failed.iter().filter(|((kind, _), _)| *kind == what);
                let of = of.map(|((_, from), count)| (vec![("from", Value::Text(from.clone()))], *count));
                let entry = Entry::new(Kind::FailedAccess).text("what", what.name());
                entries.extend(told(entry, of.collect()).map(|entry| (now, entry)));
            }
            let errors = std::mem::take(&mut waiting.errors).into_iter();
            let errors = errors.map(|((route, status), count)| {
                (vec![("route", Value::Text(route)), ("status", Value::Int(status.into()))], count)
            });
            entries.extend(told(Entry::new(Kind::Errors), errors.collect()).map(|entry| (now, entry)));
        }
        entries
    }

    /// Puts back, before what came since, what could not be written.
    fn put_back(&self, mut entries: Vec<(Timestamp, Entry)>) {
        let waiting = &mut *self.waiting();
        entries.append(&mut waiting.entries);
        let kept = entries.len().min(MOST_WAITING);
        waiting.lost += (entries.len() - kept) as u64;
        entries.truncate(kept);
        waiting.entries = entries;
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Nothing under this lock can panic half-way through a change.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many there were in all, and where the most came from; none where there were none.
fn told(entry: Entry, mut counted: Vec<(Members, u64)>) -> Option<Entry> {
    let all = counted.iter().map(|(_, count)| count).sum();
    if all == 0 {
        return None;
    }
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counted.truncate(MOST_TOLD);
    let items = counted.into_iter().map(|(mut members, count)| {
        members.push(("count", Value::Int(count)));
        members
    });
    Some(entry.int("count", all).list("most", items.collect()))
}

#[cfg(test)]
mod tests;
