//! What the page sends.

use rules::Number;
use seal::json::Writer;
use seal::{ClientSeed, Commitment, Json};

use crate::BadMember;

fn seq(json: &Json) -> Result<u32, BadMember> {
    integer(json, "seq").and_then(|n| u32::try_from(n).ok()).ok_or(BadMember("seq"))
}

/// An integer, as it should be written or as languages write it that have no integers: `7.0` is 7 to JSON and its schemas.
fn integer(json: &Json, name: &str) -> Option<u64> {
    match json.get(name)? {
        Json::OtherNumber(text) => {
            let (whole, fraction) = text.split_once('.')?;
            if fraction.bytes().all(|digit| digit == b'0') { whole.parse().ok() } else { None }
        }
        json => json.as_int(),
    }
}

/// Opens a session by the code of a ticket. The code is as the player wrote it; the server parses it.
pub struct SessionRequest {
    /// As written.
    pub code: String,
}

impl SessionRequest {
    /// Writes it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut w = Writer::new();
        w.object(|w| w.key("code").string(&self.code));
        w.finish()
    }

    /// Reads it.
    ///
    /// # Errors
    /// The member that is missing or wrong.
    pub fn read(json: &Json) -> Result<Self, BadMember> {
        let code = json.get("code").and_then(Json::as_str).ok_or(BadMember("code"))?;
        Ok(Self { code: code.to_owned() })
    }
}

/// CONTINUER.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContinueRequest {
    /// The index of this action in the game.
    pub seq: u32,
    /// At the start of the game, and in every retry of it; never on a palier.
    pub first: Option<FirstContinue>,
}

/// What the CONTINUER that starts a game carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstContinue {
    /// The commitment that the page holds.
    pub commitment: Commitment,
    /// The seed that it drew afterwards.
    pub client_seed: ClientSeed,
}

impl ContinueRequest {
    /// Writes it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut w = Writer::new();
        w.object(|w| {
            w.key("seq").int(self.seq.into());
            if let Some(first) = &self.first {
                w.key("commitment").string(&first.commitment.to_hex());
                w.key("client_seed").string(&first.client_seed.to_hex());
            }
        });
        w.finish()
    }

    /// Reads it.
    ///
    /// # Errors
    /// The member that is missing or wrong: `commitment` and `client_seed` stand together or not at all.
    pub fn read(json: &Json) -> Result<Self, BadMember> {
        let hex = |name| match json.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::Str(hex)) => Ok(Some(hex.as_str())),
            Some(_) => Err(BadMember(name)),
        };
        let first = match (hex("commitment")?, hex("client_seed")?) {
            (None, None) => None,
            (commitment, seed) => {
                let commitment = commitment.and_then(|h| Commitment::from_hex(h).ok());
                let client_seed = seed.and_then(|h| ClientSeed::from_hex(h).ok());
                Some(FirstContinue {
                    commitment: commitment.ok_or(BadMember("commitment"))?,
                    client_seed: client_seed.ok_or(BadMember("client_seed"))?,
                })
            }
        };
        Ok(Self { seq: seq(json)?, first })
    }
}

/// A pick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickRequest {
    /// The index of this action in the game.
    pub seq: u32,
    /// The number picked.
    pub number: Number,
}

impl PickRequest {
    /// Writes it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut w = Writer::new();
        w.object(|w| {
            w.key("seq").int(self.seq.into());
            w.key("number").int(self.number.get().into());
        });
        w.finish()
    }

    /// Reads it.
    ///
    /// # Errors
    /// The member that is missing or wrong.
    pub fn read(json: &Json) -> Result<Self, BadMember> {
        let number = integer(json, "number").and_then(|n| u8::try_from(n).ok());
        Ok(Self { seq: seq(json)?, number: number.and_then(Number::new).ok_or(BadMember("number"))? })
    }
}

/// QUITTER.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuitRequest {
    /// The index of this action in the game.
    pub seq: u32,
}

impl QuitRequest {
    /// Writes it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut w = Writer::new();
        w.object(|w| w.key("seq").int(self.seq.into()));
        w.finish()
    }

    /// Reads it.
    ///
    /// # Errors
    /// `seq` is missing or wrong.
    pub fn read(json: &Json) -> Result<Self, BadMember> {
        Ok(Self { seq: seq(json)? })
    }
}
