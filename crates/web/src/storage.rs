//! What the browser keeps: the token for this tab, and by ticket what all tabs share. Storage may be blocked, full or cleared at any time; the
//! game then goes on from memory.

use core::cell::RefCell;

use seal::TicketId;

use crate::held::Held;

/// A place for texts by name. Failing is not an error: what cannot be kept is not.
pub trait Store {
    /// What is kept under a name.
    fn read(&self, name: &str) -> Option<String>;
    /// Keeps a text under a name. False where it could not be.
    fn write(&self, name: &str, text: &str) -> bool;
    /// Forgets it.
    fn remove(&self, name: &str);
}

/// A store of the browser, with memory behind it for what it does not take.
pub struct Kept<S> {
    store: S,
    /// Name and text: a handful, so no map is worth its weight.
    memory: RefCell<Vec<(String, String)>>,
}

impl<S: Store> Kept<S> {
    /// Over this store.
    pub const fn new(store: S) -> Self {
        Self { store, memory: RefCell::new(Vec::new()) }
    }

    /// What is kept under a name, wherever.
    pub fn read(&self, name: &str) -> Option<String> {
        let in_memory = || self.memory.borrow().iter().find(|(kept, _)| kept == name).map(|(_, text)| text.clone());
        self.store.read(name).or_else(in_memory)
    }

    /// Keeps a text: in the store, else in memory.
    pub fn write(&self, name: &str, text: &str) {
        if self.store.write(name, text) {
            self.memory.borrow_mut().retain(|(kept, _)| kept != name);
        } else {
            // An older text must not come back in its place.
            self.remove(name);
            self.memory.borrow_mut().push((name.to_owned(), text.to_owned()));
        }
    }

    /// Forgets it.
    pub fn remove(&self, name: &str) {
        self.store.remove(name);
        self.memory.borrow_mut().retain(|(kept, _)| kept != name);
    }

    /// What is held of a ticket.
    pub fn held(&self, ticket: TicketId) -> Option<Held> {
        self.read(&name_of(ticket)).and_then(|text| Held::from_json(&text))
    }

    /// Holds this of a ticket.
    pub fn hold(&self, ticket: TicketId, held: &Held) {
        self.write(&name_of(ticket), &held.to_json());
    }
}

fn name_of(ticket: TicketId) -> String {
    ["qod.", &ticket.to_string()].concat()
}

/// The name under which the report of a proof that failed is kept.
#[must_use]
pub fn report_of(ticket: TicketId) -> String {
    [&name_of(ticket), ".report"].concat()
}

/// The name under which a game is kept as it would be saved, with its receipts: evidence, should they be denied.
#[must_use]
pub fn game_of(ticket: TicketId) -> String {
    [&name_of(ticket), ".game"].concat()
}

/// The name in the tab's store of the game that is to be seen again.
pub const REVIEW: &str = "qod.review";

/// The token's name in the tab's store.
pub const TOKEN: &str = "qod.token";

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rules::PotentialGain;
    use seal::{ClientSeed, Commitment};

    use super::*;

    /// A store that takes what it is told to take.
    #[derive(Default)]
    struct Fickle {
        texts: RefCell<BTreeMap<String, String>>,
        full: core::cell::Cell<bool>,
        blocked: core::cell::Cell<bool>,
    }

    impl Store for &Fickle {
        fn read(&self, name: &str) -> Option<String> {
            self.texts.borrow().get(name).filter(|_| !self.blocked.get()).cloned()
        }
        fn write(&self, name: &str, text: &str) -> bool {
            let takes = !self.full.get() && !self.blocked.get();
            if takes {
                self.texts.borrow_mut().insert(name.to_owned(), text.to_owned());
            }
            takes
        }
        fn remove(&self, name: &str) {
            if !self.blocked.get() {
                self.texts.borrow_mut().remove(name);
            }
        }
    }

    fn held(seed: u8) -> Held {
        Held {
            potential_gain: PotentialGain::Eur5,
            commitment: Commitment([0; 32]),
            client_seed: Some(ClientSeed([seed; 32])),
            elsewhere: None,
            pending: None,
            proven: 0,
            failed: None,
        }
    }

    #[test]
    fn what_is_held_of_a_ticket_is_shared_by_all_who_read_the_same_store() {
        let (store, ticket) = (Fickle::default(), TicketId([3; 16]));
        Kept::new(&store).hold(ticket, &held(1));
        assert!(Kept::new(&store).held(ticket) == Some(held(1)));
        assert!(Kept::new(&store).held(TicketId([4; 16])).is_none());
    }

    #[test]
    fn a_full_or_blocked_store_leaves_the_game_its_memory() {
        let (store, ticket) = (Fickle::default(), TicketId([3; 16]));
        let kept = Kept::new(&store);
        kept.hold(ticket, &held(1));
        store.full.set(true);
        kept.hold(ticket, &held(2));
        assert!(kept.held(ticket) == Some(held(2)), "not the older one");
        store.full.set(false);
        store.blocked.set(true);
        kept.hold(ticket, &held(3));
        assert!(kept.held(ticket) == Some(held(3)));
        store.blocked.set(false);
        kept.hold(ticket, &held(4));
        assert!(Kept::new(&store).held(ticket) == Some(held(4)));
    }
}
