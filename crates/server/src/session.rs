//! Session tokens: 256 random bits, of which the store keeps a hash only.

use seal::hash::{Bytes32, from_hex, sha256, to_hex};
use store::TokenHash;

use crate::app::{NoRandomness, Random};

/// A session's token. A secret: it is shown once, to its player.
pub(crate) struct Token(Bytes32);

impl Token {
    /// A new one.
    pub(crate) fn new(random: &dyn Random) -> Result<Self, NoRandomness> {
        let mut bytes = [0; 32];
        random.fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// The token in an `Authorization` header, if it is `Bearer` and 64 digits of lower-case hex (RFC 6750).
    pub(crate) fn from_bearer(header: &str) -> Option<Self> {
        let (scheme, token) = header.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("Bearer") {
            return None;
        }
        from_hex(token.trim_start_matches(' ')).ok().map(Self)
    }

    /// As its player is given it.
    pub(crate) fn reveal_hex(&self) -> String {
        to_hex(&self.0)
    }

    /// As the store knows it. A token is random through and through: no key is needed, and since only hashes are
    /// compared, the time of a comparison tells nothing of a token.
    pub(crate) fn hash(&self) -> TokenHash {
        TokenHash(sha256(&[b"qod/1 session", &self.0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> Token {
        Token::new(&|bytes: &mut [u8]| {
            bytes.fill(0xa5);
            Ok(())
        })
        .unwrap()
    }

    #[test]
    fn a_token_is_read_back_from_a_bearer_header_and_from_nothing_else() {
        let hex = token().reveal_hex();
        assert_eq!(hex.len(), 64);
        for header in [format!("Bearer {hex}"), format!("bearer  {hex}"), format!("BEARER {hex}")] {
            assert_eq!(Token::from_bearer(&header).unwrap().hash(), token().hash());
        }
        for header in [
            String::new(),
            hex.clone(),
            format!("Basic {hex}"),
            format!("Bearer{hex}"),
            format!("Bearer {hex}0"),
            format!("Bearer {}", &hex[2..]),
            format!("Bearer {}", hex.to_uppercase()),
            format!("Bearer {hex} "),
        ] {
            assert!(Token::from_bearer(&header).is_none(), "{header}");
        }
    }

    #[test]
    fn the_store_never_sees_the_token() {
        assert_ne!(token().hash().0, token().0);
    }

    #[test]
    fn without_randomness_there_is_no_token() {
        assert_eq!(Token::new(&|_: &mut [u8]| Err(NoRandomness)).err(), Some(NoRandomness));
    }
}
