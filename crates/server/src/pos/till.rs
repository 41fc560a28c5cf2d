//! The use cases of a point of sale, without HTTP: what a ticket may be paid, to pay it, to take a payment back.
//!
//! A payment or its reversal is one event of the game and one entry of the ledger, kept together by compare-and-set on the
//! game's version: of a payment and a CONTINUER at once one finds the version moved, however many servers take part. The
//! idempotency key is unique in the ledger, and what was answered can be told again from the entry alone.

use engine::{Corrupt, Ticket};
use rules::{Amount, Command, Game, State, TicketNumber, Timestamp};
use seal::Pepper;
use seal::hash::to_hex;
use store::{
    Appended, IdempotencyKey, KeptEntry, LedgerEntry, Payment, PaymentId, PointOfSaleId, Reversal, Store, TicketId,
    TicketRecord,
};
use subtle::ConstantTimeEq as _;

use super::named::{Named, Reason};
use super::refusal::{Refusal, Stands};
use crate::app::{App, Clock, Random};
use crate::audit::Entry;
use crate::failure::Failure;
use crate::keys::Keys;
use crate::records;

/// How often a payment is decided anew when its game has moved.
const TRIES: usize = 64;
/// The point of sale that `qod pay` pays as. It has no key that anyone knows, and is told of every payment.
pub const OPERATOR: PointOfSaleId = PointOfSaleId(0);
/// Looked for where no ticket has the number given, so that it takes as long.
const NOBODY: TicketId = TicketId([0; 16]);

/// What the use cases work with.
#[derive(Clone, Copy)]
pub struct Till<'a> {
    /// Where tickets, games and the ledger are kept.
    pub store: &'a dyn Store,
    /// The keys of the emissions whose tickets may be paid.
    pub keys: &'a Keys,
    /// What time it is.
    pub clock: &'a dyn Clock,
    /// Where the identities of payments come from.
    pub random: &'a dyn Random,
    /// The server, which counts and notes what is kept; none in a command.
    pub server: Option<&'a App>,
}

/// What a ticket may be paid now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quote {
    /// Its printed number.
    pub number: TicketNumber,
    /// How much.
    pub amount: Amount,
    /// For what.
    pub gain: Gain,
    /// The instant from which it is paid no more; none where there is no limit.
    pub pay_before: Option<Timestamp>,
}

/// What is paid on a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// That of stage 1: paying it closes stage 2.
    Potential,
    /// That of a game won, expired with a gain, or void.
    Game,
}

/// A payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paid {
    /// Its identity.
    pub payment: PaymentId,
    /// The ticket's printed number.
    pub number: TicketNumber,
    /// How much.
    pub amount: Amount,
    /// When.
    pub at: Timestamp,
}

/// What was asked for is done, and kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done<T> {
    /// What is answered.
    pub told: T,
    /// Whether it was done before, under the same key: nothing was done now.
    pub again: bool,
}

/// The reversal of a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reversed {
    /// The payment that it takes back.
    pub payment: PaymentId,
    /// The ticket's printed number.
    pub number: TicketNumber,
    /// How much was taken back.
    pub amount: Amount,
    /// When.
    pub at: Timestamp,
    /// Who asked for it, and why.
    pub reason: Reason,
}

impl Reversed {
    /// For the audit log.
    #[must_use]
    pub fn tell(&self, entry: Entry) -> Entry {
        let entry = entry.text("ticket_number", self.number.to_string()).text("payment_id", to_hex(&self.payment.0));
        entry.int("reversed_eur", self.amount.eur()).text("who", self.reason.who()).text("why", self.reason.why())
    }
}

impl Till<'_> {
    /// The ticket of that number, and whether the control code is its own. A number of no ticket takes the same steps.
    ///
    /// # Errors
    /// A failure of ours.
    pub async fn identify(&self, named: &Named) -> Result<Option<TicketRecord>, Refusal> {
        let emission = named.number.emission();
        let (block, serial) = (named.number.block(), named.number.serial());
        let id = self.store.find_by_number(store::TicketNumber { emission, block, serial }).await?;
        let record = self.store.load(id.unwrap_or(NOBODY)).await?;
        let mut pepper = self.keys.pepper(emission);
        if record.is_some() && pepper.is_none() {
            // Issued while the server runs: its first ticket here.
            let fetched = self.keys.fetch(emission).ok_or(Failure::NoKeys(emission))?;
            pepper = Some(fetched.pepper);
        }
        let given = pepper.unwrap_or(Pepper([0; 32])).control_hash(named.number, &named.control);
        let kept = record.as_ref().map_or([0; 32], |record| record.ticket.control_hash.0);
        let right = bool::from(given.ct_eq(&kept));
        Ok(record.filter(|_| right))
    }

    /// What that ticket may be paid now. An expiry that is due is kept first.
    ///
    /// # Errors
    /// Why nothing may be paid, as a payment would be told; or a failure of ours.
    pub async fn quote(&self, by: PointOfSaleId, mut record: TicketRecord) -> Result<Quote, Refusal> {
        for _ in 0..TRIES {
            let now = self.clock.now();
            let (ticket, game) = self.game(&record)?.ok_or(Stands::LosingTicket)?;
            if let Ok((expiry, _)) = ticket.operate_on(&game, Command::Expire, now) {
                self.settle(record.ticket.id, expiry).await?;
                record = self.reload(record.ticket.id).await?;
                continue;
            }
            if ticket.operate_on(&game, Command::Pay, now).is_err() {
                return Err(self.why_not(by, &record, &game).await?);
            }
            return Ok(Quote {
                number: number(record.ticket.number)?,
                amount: payable(&game),
                gain: if game.state() == State::NotStarted { Gain::Potential } else { Gain::Game },
                pay_before: record.emission.payment_before.map(records::timestamp),
            });
        }
        Err(Failure::Contended.into())
    }

    /// Pays what is payable on that ticket, once; the same key again, for this ticket, is told the same payment.
    ///
    /// # Errors
    /// Why nothing was paid, or a failure of ours.
    pub async fn pay(
        &self,
        by: PointOfSaleId,
        key: IdempotencyKey,
        mut record: TicketRecord,
    ) -> Result<Done<Paid>, Refusal> {
        let mut id = [0; 16];
        self.random.fill(&mut id).map_err(Failure::from)?;
        for _ in 0..TRIES {
            // After the ticket was loaded: a payment under this key that came before that is found here, one that comes
            // later moves the version.
            if let Some(kept) = self.store.find_entry(Some(by), key).await? {
                return paid_before(&kept, record.ticket.id);
            }
            let now = self.clock.now();
            let (ticket, game) = self.game(&record)?.ok_or(Stands::LosingTicket)?;
            if let Ok((expiry, _)) = ticket.operate_on(&game, Command::Expire, now) {
                self.settle(record.ticket.id, expiry).await?;
                record = self.reload(record.ticket.id).await?;
                continue;
            }
            let Ok((event, _)) = ticket.operate_on(&game, Command::Pay, now) else {
                return Err(self.why_not(by, &record, &game).await?);
            };
            let (at, amount) = (event.at, payable(&game));
            let amount_eur = u32::try_from(amount.eur());
            let amount_eur = amount_eur.map_err(|_| corrupt(&record, "a gain beyond all gains"))?;
            let payment = Payment { id: PaymentId(id), point_of_sale: by, key, amount_eur, at: records::millis(at) };
            let number = number(record.ticket.number)?;
            match self.keep(record.ticket.id, event, Some(LedgerEntry::Payment(payment))).await? {
                Appended::Now(_) => {
                    return Ok(Done { told: Paid { payment: PaymentId(id), number, amount, at }, again: false });
                }
                Appended::Stands(kept) => return paid_before(&kept, record.ticket.id),
                Appended::Moved => record = self.reload(record.ticket.id).await?,
            }
        }
        Err(Failure::Contended.into())
    }

    /// Takes a payment back: of that point of sale, or of any where the operator asks (none). The same key again, with
    /// the same words, is told the same reversal.
    ///
    /// # Errors
    /// Why nothing was reversed, or a failure of ours.
    pub async fn reverse(
        &self,
        by: Option<PointOfSaleId>,
        key: IdempotencyKey,
        id: PaymentId,
        reason: &Reason,
    ) -> Result<Done<Reversed>, Refusal> {
        for _ in 0..TRIES {
            let paid = self.store.payment(id).await?;
            // Looked for after the payment: where its reversal was seen there, and is this one, it is found here.
            let known = self.store.find_entry(by, key).await?;
            let paid = paid.filter(|paid| by.is_none_or(|by| by == paid.payment.point_of_sale));
            let paid = match (paid, &known) {
                (Some(paid), _) => paid,
                (None, Some(_)) => return Err(Stands::KeyReused.into()),
                (None, None) => return Err(Stands::UnknownPayment.into()),
            };
            let number = number(paid.number)?;
            let told = |reversal: &Reversal| Reversed {
                payment: id,
                number,
                amount: Amount::from_eur(paid.payment.amount_eur),
                at: records::timestamp(reversal.at),
                reason: reason.clone(),
            };
            let asked = |reversal: &Reversal| {
                reversal.payment == id && reversal.who == reason.who() && reversal.why == reason.why()
            };
            let standing = |kept: &KeptEntry| match &kept.entry {
                LedgerEntry::Reversal(kept) if (kept.point_of_sale, kept.key) != (by, key) => {
                    Err(Stands::ReversedAlready(records::timestamp(kept.at)).into())
                }
                LedgerEntry::Reversal(kept) if asked(kept) => Ok(Done { told: told(kept), again: true }),
                _ => Err(Stands::KeyReused.into()),
            };
            if let Some(kept) = &known {
                return standing(kept);
            }
            if let Some(reversal) = &paid.reversal {
                return Err(Stands::ReversedAlready(records::timestamp(reversal.at)).into());
            }
            let record = self.reload(paid.ticket).await?;
            let (ticket, game) =
                self.game(&record)?.ok_or_else(|| corrupt(&record, "a losing ticket that was paid"))?;
            // Where someone else has just reversed it, the next look finds that.
            let reversed = ticket.operate_on(&game, Command::ReversePayment, self.clock.now());
            let Ok((event, _)) = reversed else { continue };
            let reversal = Reversal {
                payment: id,
                point_of_sale: by,
                key,
                who: reason.who().to_owned(),
                why: reason.why().to_owned(),
                at: records::millis(event.at),
            };
            let entry = LedgerEntry::Reversal(reversal.clone());
            match self.keep(paid.ticket, event, Some(entry)).await? {
                Appended::Now(_) => return Ok(Done { told: told(&reversal), again: false }),
                Appended::Stands(kept) => return standing(&kept),
                Appended::Moved => {}
            }
        }
        Err(Failure::Contended.into())
    }

    /// Why a ticket is not paid now.
    async fn why_not(&self, by: PointOfSaleId, record: &TicketRecord, game: &Game) -> Result<Refusal, Refusal> {
        let at = game.last_event_at().unwrap_or(self.clock.now());
        Ok(match (game.payable(), game.state()) {
            (Some(payable), _) if payable.paid => {
                // Nothing follows a payment but its reversal: the last event is the payment.
                let last = self.store.entries(record.ticket.id).await?.pop().map(|kept| kept.entry);
                let own = |payment: &Payment| by == OPERATOR || by == payment.point_of_sale;
                let id = match last {
                    Some(LedgerEntry::Payment(payment)) if own(&payment) => Some(payment.id),
                    _ => None,
                };
                Stands::PaidAlready(at, payable.amount, id).into()
            }
            (Some(_), _) => {
                let ended = record.emission.payment_before.map_or(at, records::timestamp);
                Stands::PayTooLate(ended).into()
            }
            (None, State::Lost) => Stands::Lost.into(),
            (None, State::Expired(_)) => Stands::ExpiredWithoutGain.into(),
            (None, _) => match game.start() {
                Some(start) if game.is_running() => Stands::StillRunning(start.finish_before).into(),
                _ => corrupt(record, "a game that ended with nothing").into(),
            },
        })
    }

    /// The ticket and its game; none where it lost at stage 1. No draw key is asked for: where it is lost, tickets are paid all the same.
    fn game(&self, record: &TicketRecord) -> Result<Option<(Ticket, Game)>, Failure> {
        let number = record.ticket.number;
        let found = |cause| Failure::Corrupt(number, cause);
        let terms = records::terms(&record.emission).map_err(found)?;
        let Some(ticket) = records::ticket(record, terms).map_err(found)? else { return Ok(None) };
        let game = ticket.game().map_err(found)?;
        Ok(Some((ticket, game)))
    }

    async fn settle(&self, ticket: TicketId, expiry: engine::Append) -> Result<(), Refusal> {
        // Whether this or someone else's was kept: the game has moved.
        self.keep(ticket, expiry, None).await?;
        Ok(())
    }

    async fn keep(
        &self,
        ticket: TicketId,
        event: engine::Append,
        entry: Option<LedgerEntry>,
    ) -> Result<Appended, Refusal> {
        let state = event.state.as_str();
        let append = store::Append { entry, ..records::append(ticket, event)? };
        let appended = self.store.append(append).await?;
        if let Some(server) = self.server {
            match appended {
                Appended::Now(version) => {
                    server.acknowledged.reached(ticket, version);
                    server.metrics.reached(state);
                }
                Appended::Moved => _ = server.metrics.conflicts.inc(),
                Appended::Stands(_) => {}
            }
        }
        Ok(appended)
    }

    async fn reload(&self, ticket: TicketId) -> Result<TicketRecord, Refusal> {
        Ok(self.store.load(ticket).await?.ok_or(Failure::Gone)?)
    }
}

/// What was answered to a request under this key, where it was for that ticket.
fn paid_before(kept: &KeptEntry, ticket: TicketId) -> Result<Done<Paid>, Refusal> {
    match &kept.entry {
        LedgerEntry::Payment(payment) if kept.ticket == ticket => {
            let told = Paid {
                payment: payment.id,
                number: number(kept.number)?,
                amount: Amount::from_eur(payment.amount_eur),
                at: records::timestamp(payment.at),
            };
            Ok(Done { told, again: true })
        }
        _ => Err(Stands::KeyReused.into()),
    }
}

fn payable(game: &Game) -> Amount {
    game.payable().map_or(Amount::ZERO, |payable| payable.amount)
}

fn number(number: store::TicketNumber) -> Result<TicketNumber, Failure> {
    records::number(number).ok_or(Failure::Corrupt(number, Corrupt("a ticket number outside its range")))
}

fn corrupt(record: &TicketRecord, what: &'static str) -> Failure {
    Failure::Corrupt(record.ticket.number, Corrupt(what))
}
