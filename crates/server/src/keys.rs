//! The keys of the emissions. They are handed in where the program starts, and never stored, logged or shown.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use rules::Code;
use seal::{DrawKey, Pepper};
use store::KeyedHash;

/// The two keys of an emission. They live as long as it does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct EmissionKeys {
    /// The key of its draws.
    pub draw: DrawKey,
    /// The key of its code hashes.
    pub pepper: Pepper,
}

impl fmt::Debug for EmissionKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EmissionKeys(…)")
    }
}

/// The keys of every emission that is served, by the emission's number. Those of one that is issued while the server
/// runs are fetched when they are first needed.
#[derive(Default)]
pub struct Keys {
    known: RwLock<BTreeMap<u16, EmissionKeys>>,
    source: Option<Source>,
}

/// Where further keys come from. What goes wrong there is the source's own to log.
type Source = Box<dyn Fn(u16) -> Option<EmissionKeys> + Send + Sync>;

impl Keys {
    /// With a source of the keys that are not here yet.
    #[must_use]
    pub fn or_from(mut self, source: impl Fn(u16) -> Option<EmissionKeys> + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// The draw key of an emission, if it is to be had.
    pub(crate) fn draw(&self, emission: u16) -> Option<DrawKey> {
        let known = self.known().get(&emission).copied();
        known.or_else(|| self.fetch(emission)).map(|keys| keys.draw)
    }

    /// The pepper of an emission, if it is here.
    pub(crate) fn pepper(&self, emission: u16) -> Option<Pepper> {
        self.known().get(&emission).map(|keys| keys.pepper)
    }

    /// Whether the keys of that emission are here.
    pub(crate) fn has(&self, emission: u16) -> bool {
        self.known().contains_key(&emission)
    }

    /// Fetches the keys of an emission from the source.
    pub(crate) fn fetch(&self, emission: u16) -> Option<EmissionKeys> {
        let keys = self.source.as_ref()?(emission)?;
        self.known.write().unwrap_or_else(PoisonError::into_inner).insert(emission, keys);
        Some(keys)
    }

    /// The hashes that a code would have, one for each emission: the code does not say which it is of.
    pub(crate) fn hashes(&self, code: &Code) -> Vec<KeyedHash> {
        self.known().values().map(|keys| KeyedHash(keys.pepper.code_hash(code))).collect()
    }

    fn known(&self) -> RwLockReadGuard<'_, BTreeMap<u16, EmissionKeys>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FromIterator<(u16, EmissionKeys)> for Keys {
    fn from_iter<I: IntoIterator<Item = (u16, EmissionKeys)>>(keys: I) -> Self {
        Self { known: RwLock::new(keys.into_iter().collect()), source: None }
    }
}
