//! SHA-256 (FIPS 180-4), HMAC-SHA-256 (RFC 2104) and the 32-byte values that they make, written in lower-case hex.
//!
//! The compression function is RustCrypto's, in hardware where there is any. What is around it, padding and keys, is here: a sealed grid is some
//! 180 short messages of one or two blocks, for which a general hasher costs as much again as the hash.

use core::fmt;

use sha2::block_api::compress256;

/// 32 bytes.
pub type Bytes32 = [u8; 32];

const BLOCK: usize = 64;
/// The initial state of SHA-256 (FIPS 180-4, section 5.3.3).
const INITIAL: [u32; 8] =
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/// SHA-256, as far as it has been fed.
#[derive(Clone)]
struct Hasher {
    state: [u32; 8],
    /// Bytes fed so far; the last `fed % 64` of them wait in the block.
    fed: u64,
    block: [u8; BLOCK],
}

impl Hasher {
    const fn new() -> Self {
        Self { state: INITIAL, fed: 0, block: [0; BLOCK] }
    }

    #[inline]
    fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let at = (self.fed % BLOCK as u64) as usize;
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - at));
            self.block[at..at + now.len()].copy_from_slice(now);
            self.fed += now.len() as u64;
            bytes = later;
            if at + now.len() == BLOCK {
                compress256(&mut self.state, core::slice::from_ref(&self.block));
            }
        }
    }

    /// Pads: a bit 1, zeros, and the length in bits (section 5.1.1).
    #[inline]
    fn finish(mut self) -> Bytes32 {
        let at = (self.fed % BLOCK as u64) as usize;
        self.block[at] = 0x80;
        self.block[at + 1..].fill(0);
        if at >= BLOCK - 8 {
            compress256(&mut self.state, core::slice::from_ref(&self.block));
            self.block.fill(0);
        }
        self.block[BLOCK - 8..].copy_from_slice(&(self.fed * 8).to_be_bytes());
        compress256(&mut self.state, core::slice::from_ref(&self.block));
        let mut hash = [0; 32];
        for (bytes, word) in hash.chunks_exact_mut(4).zip(self.state) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        hash
    }
}

/// `H(x)`: SHA-256 of the parts, one after the other.
#[must_use]
#[inline]
pub fn sha256(parts: &[&[u8]]) -> Bytes32 {
    let mut hasher = Hasher::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finish()
}

/// HMAC-SHA-256 under one key, whose two key blocks are hashed once.
#[derive(Clone)]
pub struct Keyed {
    inner: Hasher,
    outer: Hasher,
}

impl Keyed {
    /// Under this key.
    #[must_use]
    pub fn new(key: &Bytes32) -> Self {
        let padded = |pad: u8| {
            let mut hasher = Hasher::new();
            hasher.update(&core::array::from_fn::<u8, BLOCK, _>(|i| key.get(i).copied().unwrap_or(0) ^ pad));
            hasher
        };
        Self { inner: padded(0x36), outer: padded(0x5c) }
    }

    /// The same, with these bytes already taken in.
    #[must_use]
    pub fn then(&self, bytes: &[u8]) -> Self {
        let mut next = self.clone();
        next.inner.update(bytes);
        next
    }

    /// `HMAC(key, msg)` of the parts, one after the other.
    #[must_use]
    #[inline]
    pub fn mac(&self, parts: &[&[u8]]) -> Bytes32 {
        let mut inner = self.inner.clone();
        parts.iter().for_each(|part| inner.update(part));
        let mut outer = self.outer.clone();
        outer.update(&inner.finish());
        outer.finish()
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
        *byte = nibble(pair[0])? * 16 + nibble(pair[1])?;
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
    fn a_public_hash_shows_itself_and_a_secret_shows_nothing() {
        let public = Commitment([0xab; 32]);
        assert_eq!((public.to_hex(), format!("{public:?}")), ("ab".repeat(32), "ab".repeat(32)));
        assert_eq!(Commitment::from_hex(&"ab".repeat(32)), Ok(public));
        let secret = crate::ServerSeed([0xab; 32]);
        assert_eq!((secret.reveal_hex(), format!("{secret:?}")), ("ab".repeat(32), "ServerSeed(…)".to_owned()));
        assert_eq!(crate::ClientSeed([0xab; 32]).to_hex(), "ab".repeat(32));
        assert_eq!(NotHex.to_string(), "not lower-case hex of the exact length");
    }

    #[test]
    fn the_hash_is_that_of_fips_180_4() {
        let hash = |text: &[u8]| to_hex(&sha256(&[text]));
        assert_eq!(hash(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(hash(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hash(two_blocks), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    }

    #[test]
    fn a_hash_of_any_length_in_any_parts_is_that_of_the_common_library() {
        use sha2::Digest as _;
        let text: Vec<u8> = (0..300u32).map(|i| (i * 7) as u8).collect();
        for length in 0..=text.len() {
            let whole: Bytes32 = sha2::Sha256::digest(&text[..length]).into();
            for cut in [0, 1, 55, 56, 63, 64, 65, 128, length / 2] {
                let (a, b) = text[..length].split_at(cut.min(length));
                assert_eq!(sha256(&[a, b"", b]), whole, "{length}, cut at {cut}");
            }
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
