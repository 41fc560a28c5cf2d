//! The keys of the emissions. They are handed in where the program starts, and never stored, logged or shown.

use std::collections::BTreeMap;
use std::fmt;

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

/// The keys of every emission that is served, by the emission's number.
#[derive(Clone, Debug, Default)]
pub struct Keys(BTreeMap<u16, EmissionKeys>);

impl Keys {
    /// The draw key of an emission, if it is here.
    pub(crate) fn draw(&self, emission: u16) -> Option<&DrawKey> {
        self.0.get(&emission).map(|keys| &keys.draw)
    }

    /// Whether the keys of that emission are here.
    pub(crate) fn has(&self, emission: u16) -> bool {
        self.0.contains_key(&emission)
    }

    /// The hashes that a code would have, one for each emission: the code does not say which it is of.
    pub(crate) fn hashes(&self, code: &Code) -> Vec<KeyedHash> {
        self.0.values().map(|keys| KeyedHash(keys.pepper.code_hash(code))).collect()
    }
}

impl FromIterator<(u16, EmissionKeys)> for Keys {
    fn from_iter<I: IntoIterator<Item = (u16, EmissionKeys)>>(keys: I) -> Self {
        Self(keys.into_iter().collect())
    }
}
