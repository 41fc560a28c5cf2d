//! The store in memory: for tests and trials. It keeps nothing beyond the process.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::{
    AddedEmission, Append, Appended, Emission, Event, Game, Imported, KeyedHash, Millis, Replaced, Session, Store,
    StoreError, Ticket, TicketId, TicketNumber, TicketRecord, TokenHash,
};

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
        let mut kept = self.open()?;
        let mut added = Vec::new();
        let mut imported = Imported::default();
        for ticket in tickets {
            match kept.import(ticket) {
                Ok(true) => added.push(ticket),
                Ok(false) => imported.already += 1,
                Err(refused) => {
                    added.iter().for_each(|ticket| kept.forget(ticket));
                    return Err(refused);
                }
            }
        }
        imported.added = u64::try_from(added.len()).unwrap_or(u64::MAX);
        Ok(imported)
    }

    async fn find_by_code(&self, candidates: &[KeyedHash]) -> Result<Option<TicketId>, StoreError> {
        let kept = self.open()?;
        only_one(candidates.iter().filter_map(|hash| kept.by_code.get(hash).copied()))
    }

    async fn find_by_number(&self, number: TicketNumber) -> Result<Option<TicketId>, StoreError> {
        Ok(self.open()?.by_number.get(&number).copied())
    }

    async fn load(&self, ticket: TicketId) -> Result<Option<TicketRecord>, StoreError> {
        let kept = self.open()?;
        let Some(ticket) = kept.tickets.get(&ticket).copied() else { return Ok(None) };
        let (game, events) = kept.games.get(&ticket.id).cloned().unwrap_or_default();
        Ok(Some(TicketRecord { ticket, game, events }))
    }

    async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        let next = append.next_version()?;
        let mut kept = self.open()?;
        if !kept.tickets.contains_key(&append.ticket) {
            return Err(StoreError::UnknownTicket);
        }
        let stands = kept.games.get(&append.ticket).map(|(game, _)| *game).unwrap_or_default();
        if stands.version != append.expected {
            return Ok(Appended::Moved);
        }
        let client_seed = match (stands.client_seed, append.client_seed) {
            (Some(kept), Some(given)) if kept != given => return Err(StoreError::SeedAlreadySet),
            (kept, given) => kept.or(given),
        };
        let (game, events) = kept.games.entry(append.ticket).or_default();
        *game = Game { version: next, client_seed, state: Some(append.state), finish_before: append.finish_before };
        events.extend(append.events);
        Ok(Appended::Now(next))
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
        let kept = self.open()?;
        Ok(kept.sessions.get(&token).filter(|session| now < session.expires).map(|session| session.ticket))
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
