//! Money: points of sale, and the ledger of what was paid, reversed and decided by the operator.

use super::shown_bytes;
use crate::{IdempotencyKey, Label, Millis, PointOfSaleKey, StoreError, TicketId, TicketNumber};

shown_bytes! {
    /// A payment's identity: 16 bytes. Not a secret.
    PaymentId(16)
}

/// A point of sale's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PointOfSaleId(pub u32);

/// Who may pay tickets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointOfSale {
    /// Its number, unique.
    pub id: PointOfSaleId,
    /// What the operator calls it.
    pub name: String,
    /// The hash of its key, unique.
    pub key: PointOfSaleKey,
    /// Whether it may no longer pay.
    pub disabled: bool,
}

/// What became of a point of sale that was to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddedPointOfSale {
    /// It was added.
    New,
    /// Its number or its key was taken; this one stands, unchanged.
    Already(PointOfSale),
}

/// What is kept of money beside the event that it comes with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerEntry {
    /// A ticket was paid.
    Payment(Payment),
    /// A payment was made in error.
    Reversal(Reversal),
    /// The operator did something to a game.
    Act(OperatorAct),
}

/// A ticket was paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payment {
    /// Its identity, unique.
    pub id: PaymentId,
    /// Who paid; it must exist ([`crate::StoreError::UnknownPointOfSale`]).
    pub point_of_sale: PointOfSaleId,
    /// Unique for that point of sale, payments and reversals together.
    pub key: IdempotencyKey,
    /// How much, in whole euros.
    pub amount_eur: u32,
    /// When.
    pub at: Millis,
}

/// A payment was made in error. A payment has one reversal at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reversal {
    /// Which payment, of this very ticket ([`crate::StoreError::UnknownPayment`]).
    pub payment: PaymentId,
    /// Who asked for it: a point of sale, or the operator (none).
    pub point_of_sale: Option<PointOfSaleId>,
    /// Unique for who asked, payments and reversals together.
    pub key: IdempotencyKey,
    /// The person.
    pub who: String,
    /// The reason.
    pub why: String,
    /// When.
    pub at: Millis,
}

/// The operator did something to a game (a void, say).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorAct {
    /// What, in the caller's words.
    pub what: Label,
    /// The person.
    pub who: String,
    /// The reason.
    pub why: String,
    /// When.
    pub at: Millis,
}

/// An entry of the ledger as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptEntry {
    /// Whose game it belongs to.
    pub ticket: TicketId,
    /// That ticket's printed number.
    pub number: TicketNumber,
    /// Which of the game's events it came with, from 0.
    pub position: u32,
    /// What was kept.
    pub entry: LedgerEntry,
}

/// A payment, and its reversal if it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptPayment {
    /// The ticket that was paid.
    pub ticket: TicketId,
    /// That ticket's printed number.
    pub number: TicketNumber,
    /// The payment.
    pub payment: Payment,
    /// What took it back.
    pub reversal: Option<Reversal>,
}

impl LedgerEntry {
    /// When it happened.
    pub const fn at(&self) -> Millis {
        match self {
            Self::Payment(Payment { at, .. })
            | Self::Reversal(Reversal { at, .. })
            | Self::Act(OperatorAct { at, .. }) => *at,
        }
    }

    /// Under which key it was asked for, and by whom; none for an act.
    pub const fn key(&self) -> Option<(Option<PointOfSaleId>, IdempotencyKey)> {
        match self {
            Self::Payment(payment) => Some((Some(payment.point_of_sale), payment.key)),
            Self::Reversal(reversal) => Some((reversal.point_of_sale, reversal.key)),
            Self::Act(_) => None,
        }
    }
}

impl PointOfSale {
    /// [`StoreError::Misuse`] where it is another one.
    pub(crate) fn replaces(&self, current: &Self) -> Result<(), StoreError> {
        let same = self.id == current.id;
        if same { Ok(()) } else { Err(StoreError::Misuse("a point of sale is replaced by one of another number")) }
    }

    pub(crate) const fn key_is_taken() -> StoreError {
        StoreError::Misuse("the key of a point of sale is another one's")
    }
}

/// An entry as databases keep it: one row, with the columns of its kind.
pub(crate) struct EntryColumns {
    pub(crate) at: Millis,
    pub(crate) kind: String,
    pub(crate) payment: Option<PaymentId>,
    pub(crate) reverses: Option<PaymentId>,
    pub(crate) point_of_sale: Option<PointOfSaleId>,
    pub(crate) key: Option<IdempotencyKey>,
    pub(crate) amount_eur: Option<u32>,
    pub(crate) act: Option<Label>,
    pub(crate) who: Option<String>,
    pub(crate) why: Option<String>,
}

impl EntryColumns {
    pub(crate) fn of(entry: &LedgerEntry) -> Self {
        let (point_of_sale, key) = entry.key().unzip();
        let empty = Self {
            at: entry.at(),
            kind: String::new(),
            payment: None,
            reverses: None,
            point_of_sale: point_of_sale.flatten(),
            key,
            amount_eur: None,
            act: None,
            who: None,
            why: None,
        };
        match entry.clone() {
            LedgerEntry::Payment(Payment { id, amount_eur, .. }) => {
                Self { kind: "payment".into(), payment: Some(id), amount_eur: Some(amount_eur), ..empty }
            }
            LedgerEntry::Reversal(Reversal { payment, who, why, .. }) => {
                Self { kind: "reversal".into(), reverses: Some(payment), who: Some(who), why: Some(why), ..empty }
            }
            LedgerEntry::Act(OperatorAct { what, who, why, .. }) => {
                Self { kind: "act".into(), act: Some(what), who: Some(who), why: Some(why), ..empty }
            }
        }
    }

    pub(crate) fn entry(self) -> Result<LedgerEntry, StoreError> {
        let at = self.at;
        match self {
            Self {
                payment: Some(id),
                point_of_sale: Some(point_of_sale),
                key: Some(key),
                amount_eur: Some(amount_eur),
                ..
            } => Ok(LedgerEntry::Payment(Payment { id, point_of_sale, key, amount_eur, at })),
            Self { reverses: Some(payment), point_of_sale, key: Some(key), who: Some(who), why: Some(why), .. } => {
                Ok(LedgerEntry::Reversal(Reversal { payment, point_of_sale, key, who, why, at }))
            }
            Self { act: Some(what), who: Some(who), why: Some(why), .. } => {
                Ok(LedgerEntry::Act(OperatorAct { what, who, why, at }))
            }
            _ => Err(StoreError::Corrupt { detail: "an entry of the ledger is of no kind".into() }),
        }
    }
}

impl KeptPayment {
    /// A payment with what took it back.
    pub(crate) fn of(paid: KeptEntry, reversed: Option<KeptEntry>) -> Result<Self, StoreError> {
        let KeptEntry { ticket, number, entry, .. } = paid;
        match (entry, reversed.map(|reversed| reversed.entry)) {
            (LedgerEntry::Payment(payment), None) => Ok(Self { ticket, number, payment, reversal: None }),
            (LedgerEntry::Payment(payment), Some(LedgerEntry::Reversal(reversal))) => {
                Ok(Self { ticket, number, payment, reversal: Some(reversal) })
            }
            _ => Err(StoreError::Corrupt { detail: "a payment of the ledger is none".into() }),
        }
    }
}
