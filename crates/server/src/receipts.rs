//! The keys that sign receipts (`docs/receipts-v1.md`). Which one signs is a matter of the instant alone, so that all servers with the same list agree; what
//! was signed once is kept with its event and never signed again.

use std::sync::{Arc, PoisonError, RwLock};

use rules::Timestamp;
use seal::receipt::{KeyId, PublishedKey, PublishedKeys, ReceiptKey, Receipts, Signed, Statement};

use crate::failure::Failure;

/// The operator's keys: all that are published, and the secret halves of those that this server signs with.
#[derive(Clone, Debug)]
pub struct ReceiptKeys {
    published: PublishedKeys,
    signers: Vec<ReceiptKey>,
}

/// A secret half that belongs to no published key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the receipt key {0} is not in the published list: put the list and the keys back from one copy")]
pub struct Unpublished(pub KeyId);

impl ReceiptKeys {
    /// These, each signer among the published.
    ///
    /// # Errors
    /// A signer is not.
    pub fn new(published: PublishedKeys, signers: Vec<ReceiptKey>) -> Result<Self, Unpublished> {
        match signers.iter().find(|signer| published.get(signer.id()).is_none()) {
            Some(signer) => Err(Unpublished(signer.id())),
            None => Ok(Self { published, signers }),
        }
    }

    /// Those that are published.
    #[must_use]
    pub const fn published(&self) -> &PublishedKeys {
        &self.published
    }

    /// The key that signs at an instant, if its secret half is here: of several, the one that begins last.
    #[must_use]
    pub fn signer(&self, at: Timestamp) -> Option<&ReceiptKey> {
        let key = self.published.all().iter().filter(|key| key.signs_at(at)).max_by_key(|key| key.from)?;
        self.signers.iter().find(|signer| signer.id() == key.public.id())
    }
}

/// What signs receipts, as long as the server runs; its keys can be changed meanwhile.
#[derive(Debug)]
pub struct ReceiptSigner(RwLock<Arc<ReceiptKeys>>);

impl ReceiptSigner {
    /// With these keys.
    #[must_use]
    pub fn new(keys: ReceiptKeys) -> Self {
        Self(RwLock::new(Arc::new(keys)))
    }

    /// From now on these.
    pub fn replace(&self, keys: ReceiptKeys) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
    }

    /// The keys as they are now.
    #[must_use]
    pub fn keys(&self) -> Arc<ReceiptKeys> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Signs a statement of that instant.
    pub(crate) fn sign(&self, statement: &Statement, at: Timestamp) -> Result<Signed, Failure> {
        self.keys().signer(at).map(|key| key.sign(statement)).ok_or(Failure::NoReceiptKey)
    }

    /// The published keys that signed these receipts.
    pub(crate) fn of(&self, receipts: &Receipts) -> PublishedKeys {
        let used = |key: &&PublishedKey| {
            let id = key.public.id();
            id == receipts.opening.key || receipts.actions.iter().any(|receipt| receipt.signed.key == id)
        };
        let keys = self.keys().published.all().iter().filter(used).copied().collect();
        // A part of a list in which each key is once.
        PublishedKeys::new(keys).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn key(byte: u8) -> ReceiptKey {
        ReceiptKey::from_secret(&[byte; 32])
    }

    fn published(keys: &[(u8, i64, Option<i64>)]) -> PublishedKeys {
        let of = |&(byte, from, until): &(u8, i64, Option<i64>)| PublishedKey {
            public: key(byte).public(),
            from: at(from),
            until: until.map(at),
        };
        PublishedKeys::new(keys.iter().map(of).collect()).unwrap()
    }

    #[test]
    fn which_key_signs_is_a_matter_of_the_instant() {
        let list = published(&[(1, 10, Some(20)), (2, 20, None), (3, 30, None)]);
        let keys = ReceiptKeys::new(list, vec![key(2), key(1)]).unwrap();
        let signer = |millis| keys.signer(at(millis)).map(ReceiptKey::id);
        assert_eq!(signer(9), None);
        assert_eq!([signer(10), signer(19)], [Some(key(1).id()); 2]);
        assert_eq!([signer(20), signer(29)], [Some(key(2).id()); 2]);
        // The third one begins, and its secret is not here: the second would be refused by whoever checks.
        assert_eq!(signer(30), None);
    }

    #[test]
    fn a_secret_without_its_published_half_is_refused() {
        let list = published(&[(1, 10, None)]);
        assert_eq!(ReceiptKeys::new(list, vec![key(1), key(2)]).unwrap_err(), Unpublished(key(2).id()));
    }
}
