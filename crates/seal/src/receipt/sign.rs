//! Signing and checking natively. The page has neither: the browser checks for it (WebCrypto).

use core::fmt;

use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};

use super::{KeyId, PublicKey, Signature, Signed, Statement};
use crate::hash::Bytes32;

/// A key that signs. Its secret half is wiped from memory when it is dropped, and shows nowhere.
#[derive(Clone)]
pub struct ReceiptKey {
    id: KeyId,
    key: SigningKey,
}

impl ReceiptKey {
    /// The key of these 32 random bytes (RFC 8032's private key).
    #[must_use]
    pub fn from_secret(secret: &Bytes32) -> Self {
        let key = SigningKey::from_bytes(secret);
        Self { id: PublicKey(key.verifying_key().to_bytes()).id(), key }
    }

    /// Its public half.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.key.verifying_key().to_bytes())
    }

    /// What it is called by.
    #[must_use]
    pub const fn id(&self) -> KeyId {
        self.id
    }

    /// Signs a statement. Nobody who cannot give it out may ask: two statements of one place are proof against the operator.
    #[must_use]
    pub fn sign(&self, statement: &Statement) -> Signed {
        self.sign_bytes(statement.bytes())
    }

    /// Signs other bytes of this project, which must start with a tag of their own.
    #[must_use]
    pub fn sign_bytes(&self, message: &[u8]) -> Signed {
        Signed { key: self.id, signature: Signature(self.key.sign(message).to_bytes()) }
    }
}

impl fmt::Debug for ReceiptKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReceiptKey({}, …)", self.id)
    }
}

/// Whether this key made this signature over these bytes: strictly, so that a point of small order, as key or within a signature, is none.
#[must_use]
pub fn verify(public: &PublicKey, message: &[u8], signature: &Signature) -> bool {
    let signature = ed25519_dalek::Signature::from_bytes(&signature.0);
    VerifyingKey::from_bytes(&public.0).is_ok_and(|key| key.verify_strict(message, &signature).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::from_hex;

    #[test]
    fn a_signature_is_that_of_rfc_8032() {
        // Section 7.1, test 3.
        let secret = from_hex("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7").unwrap();
        let key = ReceiptKey::from_secret(&secret);
        let public = from_hex("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025").unwrap();
        assert_eq!(key.public(), PublicKey(public));
        let signed = key.sign_bytes(&[0xaf, 0x82]);
        let expected = "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac\
                        18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a";
        assert_eq!(signed.signature, Signature(from_hex(expected).unwrap()));
        assert_eq!(signed.key, PublicKey(public).id());
        assert!(verify(&key.public(), &[0xaf, 0x82], &signed.signature));
        assert!(!verify(&key.public(), &[0xaf, 0x83], &signed.signature));
    }

    #[test]
    fn a_key_of_small_order_has_no_signatures() {
        // The neutral element as key, as R, and S = 0: every message would pass a lax check.
        let mut neutral = [0; 32];
        neutral[0] = 1;
        let mut signature = [0; 64];
        signature[0] = 1;
        assert!(!verify(&PublicKey(neutral), b"anything", &Signature(signature)));
    }

    #[test]
    fn a_secret_shows_nowhere() {
        let key = ReceiptKey::from_secret(&[0xab; 32]);
        let shown = format!("{key:?}");
        assert!(!shown.contains("abab"));
        assert_eq!(shown, format!("ReceiptKey({}, …)", key.id()));
    }
}
