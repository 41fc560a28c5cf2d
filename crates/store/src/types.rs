//! What is kept, in plain storage terms. Secrets and their hashes show nothing in `Debug`.

mod audit;
mod export;
mod import;
mod ledger;
mod metrics;

use std::fmt;

pub use self::audit::{AuditAppended, AuditInstance, AuditLine, InstanceId};
pub use self::export::{Cursor, ExportedEvent, Page, Period};
pub(crate) use self::import::sums;
pub use self::import::{Block, BlockId, BlockProgress, BlockStep};
pub(crate) use self::ledger::EntryColumns;
pub use self::ledger::{
    AddedPointOfSale, KeptEntry, KeptPayment, LedgerEntry, OperatorAct, Payment, PaymentId, PointOfSale, PointOfSaleId,
    Reversal,
};
pub use self::metrics::{GROUP_SIZES, StoreMetrics};
use crate::StoreError;

/// Newtypes over bytes that are no secret: `Debug` shows them in hexadecimal.
macro_rules! shown_bytes {
    ($($(#[$doc:meta])* $name:ident($length:literal))*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; $length]);

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
    )* };
}
use shown_bytes;

shown_bytes! {
    /// A ticket's identity: a UUID as its 16 bytes, in the order written. Not a secret.
    TicketId(16)
    /// A digest of something that is no secret: a block's manifest, a line of an audit log.
    Digest(32)
}

/// Newtypes over 32 bytes whose `Debug` shows no content.
macro_rules! hidden_bytes {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 32]);

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }
    )* };
}

hidden_bytes! {
    /// A keyed hash of a player's code or of a control code. `==` is not constant-time: whoever compares a hash that
    /// a stranger can steer does so with a comparison of their own.
    KeyedHash
    /// The hash of a session token.
    TokenHash
    /// The player's half of the draw.
    ClientSeed
    /// The hash of a point of sale's key.
    PointOfSaleKey
    /// The hash of the key under which a point of sale, or the operator, asks for one payment or one reversal.
    IdempotencyKey
}

/// The number of events of a game; 0 where it has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(pub u32);

/// An instant: milliseconds since the Unix epoch, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub i64);

/// A short name that the caller gives to one of its values, to be kept beside it in clear: 1 to [`Label::MAX`] of
/// `a`–`z`, `0`–`9` and `_`. Held inline.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Label {
    /// ASCII; zero from `len` on, so that equality may look at all of it.
    bytes: [u8; Label::MAX],
    len: u8,
}

impl Label {
    /// The greatest length, in bytes.
    pub const MAX: usize = 24;

    /// Takes a name; [`StoreError::Misuse`] where it is empty, too long or has another character.
    pub fn new(text: &str) -> Result<Self, StoreError> {
        let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
        let mut bytes = [0; Self::MAX];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(inside), Ok(len)) if len > 0 && text.bytes().all(allowed) => {
                inside.copy_from_slice(text.as_bytes());
                Ok(Self { bytes, len })
            }
            _ => Err(StoreError::Misuse("a label is 1 to 24 lower-case letters, digits and underscores")),
        }
    }

    /// The name as it was given.
    pub fn as_str(&self) -> &str {
        let held = self.bytes.get(..usize::from(self.len)).unwrap_or_default();
        // The constructor let only ASCII in.
        std::str::from_utf8(held).unwrap_or_default()
    }
}

impl fmt::Debug for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The number printed on a ticket in clear.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TicketNumber {
    /// The emission's number.
    pub emission: u16,
    /// The block within the emission.
    pub block: u16,
    /// The ticket within the block.
    pub serial: u32,
}

impl fmt::Debug for TicketNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.emission, self.block, self.serial)
    }
}

/// The settings of an emission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission {
    /// The emission's number.
    pub id: u16,
    /// The instant until which CONTINUER may start a game; none until the emission is closed.
    pub start_before: Option<Millis>,
    /// The caller's rule for a game whose time ends between two paliers.
    pub unfinished: Label,
    /// Whether new games may be started at all.
    pub new_games: bool,
    /// The instant until which a ticket is paid; none where there is no limit.
    pub payment_before: Option<Millis>,
}

/// What became of an emission that was to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddedEmission {
    /// It was added.
    New,
    /// Its number was taken; this emission stands, unchanged.
    Already(Emission),
}

/// What became of a replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replaced {
    /// The new one stands.
    Done,
    /// Something else stood there than was said; nothing was written.
    Moved,
}

/// A ticket as it is issued. It never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket {
    /// Its identity, unique.
    pub id: TicketId,
    /// Its printed number, unique.
    pub number: TicketNumber,
    /// The keyed hash of the player's code, unique.
    pub code_hash: KeyedHash,
    /// The keyed hash of the control code.
    pub control_hash: KeyedHash,
    /// The whole gain of stage 1, in whole euros; 0 on a losing ticket.
    pub potential_gain_eur: u32,
}

/// What an import did, in rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Tickets that are new.
    pub added: u64,
    /// Tickets that were there already, identical.
    pub already: u64,
}

/// The row of a ticket's game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// How many events it has; 0 where the ticket has none yet, and then everything else is empty.
    pub version: Version,
    /// The player's half of the draw, once one was set.
    pub client_seed: Option<ClientSeed>,
    /// The state that the last append named.
    pub state: Option<Label>,
    /// The deadline that the last append named.
    pub finish_before: Option<Millis>,
}

/// One event, in the caller's own encoding.
#[derive(Clone, PartialEq, Eq)]
pub struct Event {
    /// When it happened.
    pub at: Millis,
    /// What happened. Opaque here.
    pub payload: Vec<u8>,
    /// What the player was given for it, signed; none where nothing was. Opaque here.
    pub receipt: Option<Vec<u8>>,
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("at", &self.at).field("bytes", &self.payload.len()).finish_non_exhaustive()
    }
}

/// A ticket with its game, as they stood together at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TicketRecord {
    /// The ticket as issued.
    pub ticket: Ticket,
    /// The settings of its emission.
    pub emission: Emission,
    /// The row of its game.
    pub game: Game,
    /// The events in order; as many as the game's version says.
    pub events: Vec<Event>,
}

/// Events to append, and the index columns as they stand after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// Whose game.
    pub ticket: TicketId,
    /// The version that the events were decided on.
    pub expected: Version,
    /// At least one, in order.
    pub events: Vec<Event>,
    /// The caller's name for the state reached.
    pub state: Label,
    /// The instant at which the game's time ends; none where it has not begun or is over.
    pub finish_before: Option<Millis>,
    /// The player's half of the draw, where these events bring it. Once set it is never changed.
    pub client_seed: Option<ClientSeed>,
    /// What goes into the ledger with the last of these events, if anything does. Both are kept, or neither.
    pub entry: Option<LedgerEntry>,
}

impl Append {
    /// The version after it; [`StoreError::Misuse`] without events, or where they outgrow the counter.
    pub(crate) fn next_version(&self) -> Result<Version, StoreError> {
        let added = u32::try_from(self.events.len()).ok().filter(|&added| added > 0);
        let next = added.and_then(|added| self.expected.0.checked_add(added));
        next.map(Version).ok_or(StoreError::Misuse("an append has at least one event, and no more than can be counted"))
    }
}

/// What became of an append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Appended {
    /// The events are kept, durably; this is the version now.
    Now(Version),
    /// Another append came first; nothing was written. Load again and decide anew.
    Moved,
    /// The ledger has this entry already, or another one in its place: the same idempotency key, the same payment, or
    /// a reversal of the same payment. Nothing was written. Only for an append with an entry, and said rather than
    /// `Moved`, so that who asks again learns what was kept.
    Stands(Box<KeptEntry>),
}

/// A session: who holds the token plays this ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    /// The hash of its token, unique.
    pub token: TokenHash,
    /// The ticket that it plays.
    pub ticket: TicketId,
    /// When it was opened.
    pub created: Millis,
    /// From this instant on it is no longer found.
    pub expires: Millis,
}
