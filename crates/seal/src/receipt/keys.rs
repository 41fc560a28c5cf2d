//! The operator's public keys, with the time in which each signs: what `/.well-known/qod-keys.json` says.

use core::fmt;

use rules::Timestamp;

use crate::hash::{Bytes32, NotHex, from_hex, sha256, to_hex};
use crate::json::{Json, Writer};

/// Names a key: the first 8 bytes of the SHA-256 of its public half.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(pub [u8; 8]);

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hex(&self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::str::FromStr for KeyId {
    type Err = NotHex;

    fn from_str(text: &str) -> Result<Self, NotHex> {
        from_hex(text).map(Self)
    }
}

/// The public half of a key: an encoded point of Ed25519 (RFC 8032, section 5.1.5).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(pub Bytes32);

impl PublicKey {
    /// What it is called by.
    #[must_use]
    pub fn id(&self) -> KeyId {
        let [a, b, c, d, e, f, g, h, ..] = sha256(&[&self.0]);
        KeyId([a, b, c, d, e, f, g, h])
    }

    /// The whole SHA-256 of it, in lower-case hex: what an operator prints, and a player compares.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        to_hex(&sha256(&[&self.0]))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_hex(&self.0))
    }
}

/// A key and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedKey {
    /// Its public half.
    pub public: PublicKey,
    /// It signs actions from this instant on.
    pub from: Timestamp,
    /// It signs none from this instant on; none while it is in use.
    pub until: Option<Timestamp>,
}

impl PublishedKey {
    /// Whether it may sign an action of this instant.
    #[must_use]
    pub fn signs_at(&self, at: Timestamp) -> bool {
        self.from <= at && self.until.is_none_or(|until| at < until)
    }
}

/// All keys of an operator, retired ones too: each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublishedKeys(Vec<PublishedKey>);

/// Why a text is no list of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadKeys(pub &'static str);

impl fmt::Display for BadKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a list of receipt keys: {}", self.0)
    }
}

impl PublishedKeys {
    /// A list of them.
    ///
    /// # Errors
    /// One is given twice, or ends before it begins.
    pub fn new(keys: Vec<PublishedKey>) -> Result<Self, BadKeys> {
        for (at, key) in keys.iter().enumerate() {
            if keys[..at].iter().any(|other| other.public.id() == key.public.id()) {
                return Err(BadKeys("a key is given twice"));
            }
            if key.until.is_some_and(|until| until < key.from) {
                return Err(BadKeys("a key ends before it begins"));
            }
        }
        Ok(Self(keys))
    }

    /// Each, in the order given.
    #[must_use]
    pub fn all(&self) -> &[PublishedKey] {
        &self.0
    }

    /// The key of that name.
    #[must_use]
    pub fn get(&self, id: KeyId) -> Option<&PublishedKey> {
        self.0.iter().find(|key| key.public.id() == id)
    }

    /// Reads `{"version": 1, "keys": […]}`.
    ///
    /// # Errors
    /// What is not as the format says.
    pub fn from_json(text: &str) -> Result<Self, BadKeys> {
        let json = Json::parse(text).map_err(|_| BadKeys("it is not JSON"))?;
        if json.get("version").and_then(Json::as_int) != Some(1) {
            return Err(BadKeys("\"version\" is not 1"));
        }
        Self::read(json.get("keys"))
    }

    /// Reads the array of the member `keys`.
    ///
    /// # Errors
    /// What is not as the format says.
    pub fn read(json: Option<&Json>) -> Result<Self, BadKeys> {
        let items = json.and_then(Json::as_array).ok_or(BadKeys("\"keys\" is no array"))?;
        let mut keys = Vec::with_capacity(items.len());
        for item in items {
            keys.push(read_key(item)?);
        }
        Self::new(keys)
    }

    /// Writes `{"version": 1, "keys": […]}`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut w = Writer::new();
        w.object(|w| {
            w.key("version").int(1);
            self.write(w.key("keys"));
        });
        w.finish()
    }

    /// Writes the array of the member `keys`.
    pub fn write(&self, w: &mut Writer) {
        w.array(|w| {
            for key in &self.0 {
                w.object(|w| {
                    w.key("id").string(&to_hex(&key.public.id().0));
                    w.key("algorithm").string("Ed25519");
                    w.key("public_key").string(&to_hex(&key.public.0));
                    w.key("from_ms").int(to_ms(key.from));
                    w.key("until_ms").int_or_null(key.until.map(to_ms));
                });
            }
        });
    }
}

fn read_key(json: &Json) -> Result<PublishedKey, BadKeys> {
    let text = |name| json.get(name).and_then(Json::as_str);
    if text("algorithm") != Some("Ed25519") {
        return Err(BadKeys("\"algorithm\" is not \"Ed25519\""));
    }
    let public = text("public_key").and_then(|hex| from_hex(hex).ok()).map(PublicKey);
    let public = public.ok_or(BadKeys("\"public_key\" is not 64 lower-case hex digits"))?;
    if text("id").and_then(|id| from_hex(id).ok()).map(KeyId) != Some(public.id()) {
        return Err(BadKeys("\"id\" is not that of its \"public_key\""));
    }
    let from = json.get("from_ms").and_then(from_ms).ok_or(BadKeys("\"from_ms\" is no instant"))?;
    let until = match json.get("until_ms") {
        Some(Json::Null) => None,
        until => Some(until.and_then(from_ms).ok_or(BadKeys("\"until_ms\" is neither an instant nor null"))?),
    };
    Ok(PublishedKey { public, from, until })
}

/// Milliseconds since 1970, as JSON has them; no instant of this project lies before.
pub(super) fn to_ms(at: Timestamp) -> u64 {
    at.millis().try_into().unwrap_or(0)
}

pub(super) fn from_ms(json: &Json) -> Option<Timestamp> {
    Some(Timestamp::from_millis(json.as_int()?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8, from: i64, until: Option<i64>) -> PublishedKey {
        let at = Timestamp::from_millis;
        PublishedKey { public: PublicKey([byte; 32]), from: at(from), until: until.map(at) }
    }

    #[test]
    fn a_list_of_keys_is_read_back_as_it_was_written() {
        let keys = PublishedKeys::new(vec![key(1, 5, Some(9)), key(2, 9, None)]).unwrap();
        assert_eq!(PublishedKeys::from_json(&keys.to_json()), Ok(keys.clone()));
        assert_eq!(keys.get(PublicKey([2; 32]).id()), Some(&key(2, 9, None)));
        assert_eq!(keys.get(KeyId([0; 8])), None);
    }

    #[test]
    fn a_key_is_named_by_its_hash_and_shown_in_hex() {
        let public = PublicKey([0; 32]);
        // SHA-256 of 32 zero bytes.
        let hash = "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925";
        assert_eq!(public.fingerprint(), hash);
        assert_eq!(format!("{:?} {}", public.id(), public.id()), format!("{0} {0}", &hash[..16]));
        assert_eq!(format!("{public:?}"), "00".repeat(32));
        assert_eq!(BadKeys("it is not JSON").to_string(), "not a list of receipt keys: it is not JSON");
    }

    #[test]
    fn a_key_signs_from_its_first_instant_to_before_its_end() {
        let signs = |key: PublishedKey, at| key.signs_at(Timestamp::from_millis(at));
        let ended = key(1, 5, Some(9));
        assert_eq!([4, 5, 8, 9].map(|at| signs(ended, at)), [false, true, true, false]);
        assert!(signs(key(1, 5, None), i64::MAX));
    }

    #[test]
    fn what_is_no_list_of_keys_is_refused_with_what_is_wrong() {
        assert_eq!(PublishedKeys::new(vec![key(1, 5, None); 2]), Err(BadKeys("a key is given twice")));
        assert_eq!(PublishedKeys::new(vec![key(1, 5, Some(4))]), Err(BadKeys("a key ends before it begins")));
        let good = PublishedKeys::new(vec![key(1, 5, Some(9))]).unwrap().to_json();
        for (from, to) in [
            ("\"version\":1", "\"version\":2"),
            ("Ed25519", "ed25519"),
            ("0101", "0102"),
            ("0101", "01"),
            ("\"from_ms\":5", "\"from_ms\":-5"),
            ("\"until_ms\":9", "\"until_ms\":\"9\""),
            ("\"keys\"", "\"key\""),
        ] {
            let bad = good.replacen(from, to, 1);
            assert_ne!(bad, good, "{from}");
            assert!(PublishedKeys::from_json(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_instant_of_2_to_the_63_milliseconds_or_more_is_refused_and_not_read_as_one_before_1970() {
        let list = |from: u64, until: u64| {
            let text = PublishedKeys::new(vec![key(1, 5, Some(9))]).unwrap().to_json();
            let text = text.replacen("\"from_ms\":5", &format!("\"from_ms\":{from}"), 1);
            PublishedKeys::from_json(&text.replacen("\"until_ms\":9", &format!("\"until_ms\":{until}"), 1))
        };
        let last = i64::MAX as u64;
        assert_eq!(list(last, last), PublishedKeys::new(vec![key(1, i64::MAX, Some(i64::MAX))]));
        for beyond in [last + 1, last + 6, u64::MAX] {
            assert_eq!(list(beyond, 9), Err(BadKeys("\"from_ms\" is no instant")));
            assert_eq!(list(5, beyond), Err(BadKeys("\"until_ms\" is neither an instant nor null")));
            assert_eq!(from_ms(&Json::Int(beyond)), None);
        }
    }
}
