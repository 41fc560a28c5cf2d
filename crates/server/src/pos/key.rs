//! Keys of points of sale: 256 random bits, of which the store keeps a hash only.

use seal::hash::{Bytes32, from_hex, sha256, to_hex};
use store::PointOfSaleKey;

/// The key of a point of sale. A secret: it is shown once, to whoever makes it.
pub struct PosKey(Bytes32);

impl PosKey {
    /// The key of these bytes, which come from a cryptographic source.
    #[must_use]
    pub const fn from_random(bytes: Bytes32) -> Self {
        Self(bytes)
    }

    /// The key in an `Authorization` header, if it is `Bearer` and 64 digits of lower-case hex (RFC 6750).
    pub(crate) fn from_bearer(header: &str) -> Option<Self> {
        let (scheme, key) = header.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("Bearer") {
            return None;
        }
        from_hex(key.trim_start_matches(' ')).ok().map(Self)
    }

    /// As its point of sale is given it.
    #[must_use]
    pub fn reveal_hex(&self) -> String {
        to_hex(&self.0)
    }

    /// As the store knows it. A key is random through and through: no secret is needed to hash it, and since only hashes
    /// are compared, the time of a comparison tells nothing of a key.
    #[must_use]
    pub fn hash(&self) -> PointOfSaleKey {
        PointOfSaleKey(sha256(&[b"qod/1 point of sale", &self.0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_from_a_bearer_header_and_from_nothing_else() {
        let key = PosKey::from_random([0xa5; 32]);
        let hex = key.reveal_hex();
        assert_eq!(PosKey::from_bearer(&format!("bearer {hex}")).unwrap().hash(), key.hash());
        for header in [hex.clone(), format!("Basic {hex}"), format!("Bearer {hex}0"), format!("Bearer {}", &hex[2..])] {
            assert!(PosKey::from_bearer(&header).is_none(), "{header}");
        }
    }

    #[test]
    fn the_store_never_sees_the_key() {
        assert_ne!(PosKey([1; 32]).hash().0, [1; 32]);
    }
}
