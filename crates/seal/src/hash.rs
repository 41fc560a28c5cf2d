//! SHA-256, HMAC-SHA-256 and the 32-byte values that they make, written in lower-case hex.

use core::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

/// 32 bytes.
pub type Bytes32 = [u8; 32];

/// `H(x)`: SHA-256 of the parts, one after the other.
#[must_use]
pub fn sha256(parts: &[&[u8]]) -> Bytes32 {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

/// HMAC-SHA-256 under one key, whose two key blocks are hashed once.
#[derive(Clone)]
pub struct Keyed(Hmac<Sha256>);

impl Keyed {
    /// Under this key.
    #[must_use]
    pub fn new(key: &Bytes32) -> Self {
        // A key shorter than the block is padded with zeros (RFC 2104): this way `new` cannot fail.
        let mut block = [0; 64];
        block[..32].copy_from_slice(key);
        Self(Hmac::new(&block.into()))
    }

    /// The same, with these bytes already taken in.
    #[must_use]
    pub fn then(&self, bytes: &[u8]) -> Self {
        let mut next = self.0.clone();
        next.update(bytes);
        Self(next)
    }

    /// `HMAC(key, msg)` of the parts, one after the other.
    #[must_use]
    pub fn mac(&self, parts: &[&[u8]]) -> Bytes32 {
        let mut mac = self.0.clone();
        for part in parts {
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

/// Writes bytes in lower-case hex.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(*b)]).collect()
}

/// The text is not lower-case hex of the right length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotHex;

impl fmt::Display for NotHex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not lower-case hex of the exact length")
    }
}

/// Reads exactly `N` bytes of lower-case hex.
///
/// # Errors
/// Any other length, upper case or another character.
pub fn from_hex<const N: usize>(text: &str) -> Result<[u8; N], NotHex> {
    fn nibble(c: u8) -> Result<u8, NotHex> {
        match c {
            b'0'..=b'9' => Ok(c - b'0'),
            b'a'..=b'f' => Ok(c - b'a' + 10),
            _ => Err(NotHex),
        }
    }
    let text = text.as_bytes();
    if text.len() != 2 * N {
        return Err(NotHex);
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
    }
    Ok(bytes)
}

macro_rules! public_bytes {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name(pub Bytes32);

        impl $name {
            /// In lower-case hex.
            #[must_use]
            pub fn to_hex(&self) -> String {
                to_hex(&self.0)
            }

            /// From 64 characters of lower-case hex.
            ///
            /// # Errors
            /// Anything else.
            pub fn from_hex(text: &str) -> Result<Self, NotHex> {
                from_hex(text).map(Self)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.to_hex())
            }
        }
    };
}

/// Declares a secret of 32 bytes: its `Debug` shows nothing of it.
macro_rules! secret_bytes {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub struct $name(pub $crate::hash::Bytes32);

        impl $name {
            /// From 64 characters of lower-case hex.
            ///
            /// # Errors
            /// Anything else.
            pub fn from_hex(text: &str) -> Result<Self, $crate::hash::NotHex> {
                $crate::hash::from_hex(text).map(Self)
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }
    };
}
pub(crate) use secret_bytes;

public_bytes! {
    /// The root of the tree of the 34 sealed leaves. Not published beside its commitment before play.
    Root
}
public_bytes! {
    /// What the server publishes before the player's seed exists: it binds the root, the ticket and its potential gain.
    Commitment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_read_back_and_nothing_but_exact_lower_case_is_read() {
        assert_eq!(to_hex(&[0, 15, 160, 255]), "000fa0ff");
        assert_eq!(from_hex("000fa0ff"), Ok([0, 15, 160, 255]));
        for wrong in ["", "000fa0f", "000fa0ff0", "000FA0FF", "000fa0fg", "0x0fa0ff", "é00fa0f"] {
            assert_eq!(from_hex::<4>(wrong), Err(NotHex), "{wrong}");
        }
    }

    #[test]
    fn the_mac_is_that_of_rfc_4231() {
        // Test case 1, its 20-byte key padded to 32: the same HMAC, since keys are padded with zeros.
        let mut key = [0; 32];
        key[..20].fill(0x0b);
        let mac = to_hex(&Keyed::new(&key).mac(&[b"Hi ", b"There"]));
        assert_eq!(mac, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
        assert_eq!(to_hex(&Keyed::new(&key).then(b"Hi ").mac(&[b"There"])), mac);
    }
}
