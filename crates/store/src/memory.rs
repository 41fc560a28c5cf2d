//! The store in memory: for tests and trials. It keeps nothing beyond the process.

mod ledger;
mod operator;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::types::*;
use crate::{Store, StoreError};

/// The store in memory. One lock: every method is one step that nothing comes between.
#[derive(Default)]
pub struct MemoryStore {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    closed: bool,
    emissions: BTreeMap<u16, Emission>,
    tickets: HashMap<TicketId, Ticket>,
    by_number: HashMap<TicketNumber, TicketId>,
    by_code: HashMap<KeyedHash, TicketId>,
    games: HashMap<TicketId, (Game, Vec<Event>)>,
    sessions: HashMap<TokenHash, Session>,
    blocks: BTreeMap<BlockId, BlockProgress>,
    points_of_sale: BTreeMap<PointOfSaleId, PointOfSale>,
    ledger: BTreeMap<(TicketId, u32), KeptEntry>,
    audit: BTreeMap<InstanceId, Vec<AuditLine>>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn open(&self) -> Result<MutexGuard<'_, Kept>, StoreError> {
        // Every method checks before it writes, so that a panic elsewhere cannot leave half a change.
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.closed { Err(StoreError::Closed) } else { Ok(kept) }
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn add_emission(&self, emission: Emission) -> Result<AddedEmission, StoreError> {
        let mut kept = self.open()?;
        if let Some(stands) = kept.emissions.get(&emission.id) {
            return Ok(AddedEmission::Already(*stands));
        }
        kept.emissions.insert(emission.id, emission);
        Ok(AddedEmission::New)
    }

    async fn emission(&self, id: u16) -> Result<Option<Emission>, StoreError> {
        Ok(self.open()?.emissions.get(&id).copied())
    }

    async fn emissions(&self) -> Result<Vec<Emission>, StoreError> {
        Ok(self.open()?.emissions.values().copied().collect())
    }

    async fn replace_emission(&self, current: Emission, next: Emission) -> Result<Replaced, StoreError> {
        if current.id != next.id {
            return Err(StoreError::Misuse("an emission is replaced by one of another number"));
        }
        let mut kept = self.open()?;
        let stands = kept.emissions.get_mut(&current.id).ok_or(StoreError::UnknownEmission(current.id))?;
        if *stands != current {
            return Ok(Replaced::Moved);
        }
        *stands = next;
        Ok(Replaced::Done)
    }

    async fn import(&self, tickets: Vec<Ticket>) -> Result<Imported, StoreError> {
        self.open()?.import_all(tickets)
    }

    async fn begin_block(&self, block: Block) -> Result<BlockStep, StoreError> {
        self.open()?.begin_block(block)
    }

    async fn import_chunk(
        &self,
        block: BlockId,
        manifest: Digest,
        offset: u32,
        tickets: Vec<Ticket>,
    ) -> Result<BlockStep, StoreError> {
        self.open()?.import_chunk(block, manifest, offset, tickets)
    }

    async fn finish_block(&self, block: BlockId, manifest: Digest) -> Result<BlockStep, StoreError> {
        self.open()?.finish_block(block, manifest)
    }

    async fn blocks(&self) -> Result<Vec<BlockProgress>, StoreError> {
        Ok(self.open()?.blocks.values().copied().collect())
    }

    async fn find_by_code(&self, candidates: &[KeyedHash]) -> Result<Option<TicketId>, StoreError> {
        let kept = self.open()?;
        only_one(candidates.iter().filter_map(|hash| kept.by_code.get(hash).copied()))
    }

    async fn find_by_number(&self, number: TicketNumber) -> Result<Option<TicketId>, StoreError> {
        Ok(self.open()?.by_number.get(&number).copied())
    }

    async fn load(&self, ticket: TicketId) -> Result<Option<TicketRecord>, StoreError> {
        self.open()?.record(ticket)
    }

    async fn load_by_session(&self, token: TokenHash, now: Millis) -> Result<Option<TicketRecord>, StoreError> {
        let kept = self.open()?;
        kept.session(token, now).map_or(Ok(None), |ticket| kept.record(ticket))
    }

    async fn due(&self, now: Millis, limit: u32) -> Result<Vec<TicketId>, StoreError> {
        let kept = self.open()?;
        let ends = |(ticket, (game, _)): (&TicketId, &(Game, Vec<Event>))| Some((game.finish_before?, *ticket));
        let mut due: Vec<_> = kept.games.iter().filter_map(ends).filter(|(at, _)| *at <= now).collect();
        due.sort_unstable();
        Ok(due.into_iter().map(|(_, ticket)| ticket).take(usize::try_from(limit).unwrap_or(usize::MAX)).collect())
    }

    async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        let next = append.next_version()?;
        self.open()?.append(append, next)
    }

    async fn add_point_of_sale(&self, added: PointOfSale) -> Result<AddedPointOfSale, StoreError> {
        self.open()?.add_point_of_sale(added)
    }

    async fn find_point_of_sale(&self, key: PointOfSaleKey) -> Result<Option<PointOfSale>, StoreError> {
        Ok(self.open()?.points_of_sale.values().find(|known| known.key == key).cloned())
    }

    async fn points_of_sale(&self) -> Result<Vec<PointOfSale>, StoreError> {
        Ok(self.open()?.points_of_sale.values().cloned().collect())
    }

    async fn replace_point_of_sale(&self, current: PointOfSale, next: PointOfSale) -> Result<Replaced, StoreError> {
        self.open()?.replace_point_of_sale(&current, next)
    }

    async fn find_entry(
        &self,
        by: Option<PointOfSaleId>,
        key: IdempotencyKey,
    ) -> Result<Option<KeptEntry>, StoreError> {
        Ok(self.open()?.entry_by_key(by, key).cloned())
    }

    async fn payment(&self, id: PaymentId) -> Result<Option<KeptPayment>, StoreError> {
        Ok(self.open()?.payment(id))
    }

    async fn entries(&self, ticket: TicketId) -> Result<Vec<KeptEntry>, StoreError> {
        Ok(self.open()?.ledger.range((ticket, 0)..=(ticket, u32::MAX)).map(|(_, entry)| entry.clone()).collect())
    }

    async fn export_entries(&self, page: Page) -> Result<Vec<KeptEntry>, StoreError> {
        Ok(operator::page(self.open()?.ledger.values().cloned(), page, KeptEntry::cursor))
    }

    async fn export_events(&self, page: Page) -> Result<Vec<ExportedEvent>, StoreError> {
        Ok(operator::page(self.open()?.exported(), page, ExportedEvent::cursor))
    }

    async fn append_audit(
        &self,
        instance: InstanceId,
        expected: u64,
        lines: Vec<AuditLine>,
    ) -> Result<AuditAppended, StoreError> {
        Ok(self.open()?.append_audit(instance, expected, lines))
    }

    async fn audit_lines(&self, instance: InstanceId, from: u64, limit: u32) -> Result<Vec<AuditLine>, StoreError> {
        let kept = self.open()?;
        let lines = kept.audit.get(&instance).map(Vec::as_slice).unwrap_or_default();
        let (skipped, taken) = (usize::try_from(from).unwrap_or(usize::MAX), usize::try_from(limit));
        Ok(lines.iter().skip(skipped).take(taken.unwrap_or(usize::MAX)).cloned().collect())
    }

    async fn audit_instances(&self) -> Result<Vec<AuditInstance>, StoreError> {
        Ok(self.open()?.audit_instances())
    }

    async fn put_session(&self, session: Session) -> Result<(), StoreError> {
        let mut kept = self.open()?;
        match kept.sessions.get(&session.token) {
            Some(stands) if *stands == session => Ok(()),
            Some(_) => Err(StoreError::Misuse("a session token is used twice")),
            None if !kept.tickets.contains_key(&session.ticket) => Err(StoreError::UnknownTicket),
            None => {
                kept.sessions.insert(session.token, session);
                Ok(())
            }
        }
    }

    async fn find_session(&self, token: TokenHash, now: Millis) -> Result<Option<TicketId>, StoreError> {
        Ok(self.open()?.session(token, now))
    }

    async fn delete_expired_sessions(&self, now: Millis) -> Result<u64, StoreError> {
        let mut kept = self.open()?;
        let expired = kept.sessions.extract_if(|_, session| session.expires <= now).count();
        Ok(u64::try_from(expired).unwrap_or(u64::MAX))
    }

    async fn health(&self) -> Result<(), StoreError> {
        self.open().map(drop)
    }

    async fn close(&self) -> Result<(), StoreError> {
        if let Ok(mut kept) = self.open() {
            kept.closed = true;
        }
        Ok(())
    }
}

impl Kept {
    /// The ticket of a session that has not expired.
    fn session(&self, token: TokenHash, now: Millis) -> Option<TicketId> {
        self.sessions.get(&token).filter(|session| now < session.expires).map(|session| session.ticket)
    }

    fn record(&self, ticket: TicketId) -> Result<Option<TicketRecord>, StoreError> {
        let Some(ticket) = self.tickets.get(&ticket).copied() else { return Ok(None) };
        let id = ticket.number.emission;
        let emission = self.emissions.get(&id).copied().ok_or(StoreError::UnknownEmission(id))?;
        let (game, events) = self.games.get(&ticket.id).cloned().unwrap_or_default();
        Ok(Some(TicketRecord { ticket, emission, game, events }))
    }

    fn append(&mut self, append: Append, next: Version) -> Result<Appended, StoreError> {
        let number = self.tickets.get(&append.ticket).ok_or(StoreError::UnknownTicket)?.number;
        let stands = self.games.get(&append.ticket).map(|(game, _)| *game).unwrap_or_default();
        let entry = append.entry.as_ref();
        if let Some(standing) = entry.filter(|_| stands.version != append.expected).and_then(|e| self.standing(e)) {
            return Ok(Appended::Stands(Box::new(standing.clone())));
        }
        if stands.version != append.expected {
            return Ok(Appended::Moved);
        }
        let client_seed = match (stands.client_seed, append.client_seed) {
            (Some(kept), Some(given)) if kept != given => return Err(StoreError::SeedAlreadySet),
            (kept, given) => kept.or(given),
        };
        if let Some(entry) = append.entry {
            if let Some(standing) = self.standing(&entry) {
                return Ok(Appended::Stands(Box::new(standing.clone())));
            }
            self.check_references(append.ticket, &entry)?;
            let position = next.0 - 1;
            let kept = KeptEntry { ticket: append.ticket, number, position, entry };
            self.ledger.insert((append.ticket, position), kept);
        }
        let (game, events) = self.games.entry(append.ticket).or_default();
        *game = Game { version: next, client_seed, state: Some(append.state), finish_before: append.finish_before };
        events.extend(append.events);
        Ok(Appended::Now(next))
    }

    /// Imports all, or none.
    fn import_all(&mut self, tickets: Vec<Ticket>) -> Result<Imported, StoreError> {
        let mut added = Vec::new();
        let mut imported = Imported::default();
        for ticket in tickets {
            match self.import(ticket) {
                Ok(true) => added.push(ticket),
                Ok(false) => imported.already += 1,
                Err(refused) => {
                    added.iter().for_each(|ticket| self.forget(ticket));
                    return Err(refused);
                }
            }
        }
        imported.added = u64::try_from(added.len()).unwrap_or(u64::MAX);
        Ok(imported)
    }

    /// Adds one ticket (`true`), or finds the identical one there already (`false`).
    fn import(&mut self, ticket: Ticket) -> Result<bool, StoreError> {
        if self.tickets.get(&ticket.id) == Some(&ticket) {
            return Ok(false);
        }
        let taken = self.tickets.contains_key(&ticket.id)
            || self.by_number.contains_key(&ticket.number)
            || self.by_code.contains_key(&ticket.code_hash);
        if taken {
            return Err(StoreError::TicketCollision { number: ticket.number });
        }
        if !self.emissions.contains_key(&ticket.number.emission) {
            return Err(StoreError::UnknownEmission(ticket.number.emission));
        }
        self.tickets.insert(ticket.id, ticket);
        self.by_number.insert(ticket.number, ticket.id);
        self.by_code.insert(ticket.code_hash, ticket.id);
        Ok(true)
    }

    fn forget(&mut self, ticket: &Ticket) {
        self.tickets.remove(&ticket.id);
        self.by_number.remove(&ticket.number);
        self.by_code.remove(&ticket.code_hash);
    }
}

/// The one ticket among those found: none, or the error that they are two.
pub(crate) fn only_one(mut found: impl Iterator<Item = TicketId>) -> Result<Option<TicketId>, StoreError> {
    let Some(first) = found.next() else { return Ok(None) };
    match found.find(|&other| other != first) {
        Some(second) => Err(StoreError::AmbiguousCode { first, second }),
        None => Ok(Some(first)),
    }
}
