//! What a point of sale says: which ticket, under which key, who and why. Nothing of it shows in an error.

use rules::code::CODE_LEN;
use rules::{ControlCode, TicketNumber};
use seal::Json;
use seal::hash::{from_hex, sha256};
use store::{IdempotencyKey, PaymentId};

use super::refusal::Slip;
use crate::api::ReadBody;
use protocol::BadMember;

/// The longest idempotency key, in characters.
const LONGEST_KEY: usize = 128;
/// The longest name of who reverses a payment, and the longest reason, in characters.
const LONGEST_WHO: usize = 100;
const LONGEST_WHY: usize = 500;

/// A ticket as a point of sale names it.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// Its printed number.
    pub number: TicketNumber,
    /// What stands under the layer of stage 1.
    pub control: ControlCode,
}

/// Who takes a payment back, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    who: String,
    why: String,
}

impl Named {
    /// Reads both as they are typed.
    pub(crate) fn read(typed: &TypedTicket) -> Result<Self, Slip> {
        let number = typed.number.trim().parse().map_err(|_| Slip::TicketNumber)?;
        let control = typed.control.parse();
        let characters = typed.control.chars().filter(|c| !c.is_whitespace() && *c != '-').count();
        let slip = if characters == CODE_LEN { Slip::PlayersCode } else { Slip::ControlCode };
        Ok(Self { number, control: control.map_err(|_| slip)? })
    }
}

impl Reason {
    /// With the spaces around both taken away; each is needed, on one line, and has a greatest length (100 and 500
    /// characters).
    ///
    /// # Errors
    /// What is wrong, to be shown as it is.
    pub fn new(who: &str, why: &str) -> Result<Self, &'static str> {
        let bounded = |text: &str, most| {
            let text = text.trim();
            let fits = (1..=most).contains(&text.chars().count()) && !text.chars().any(char::is_control);
            fits.then(|| text.to_owned())
        };
        Ok(Self {
            who: bounded(who, LONGEST_WHO)
                .ok_or("say who asks for the reversal, in 1 to 100 characters on one line")?,
            why: bounded(why, LONGEST_WHY).ok_or("say why it is reversed, in 1 to 500 characters on one line")?,
        })
    }

    /// The person.
    #[must_use]
    pub fn who(&self) -> &str {
        &self.who
    }

    /// The reason.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }
}

/// A key as the store knows it; none where it is empty, longer than 128 characters, or not of visible ASCII.
#[must_use]
pub fn idempotency_key(text: &str) -> Option<IdempotencyKey> {
    let fits = (1..=LONGEST_KEY).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    fits.then(|| IdempotencyKey(sha256(&[b"qod/1 idempotency key", text.as_bytes()])))
}

/// A payment's identity, in lower-case hex.
#[must_use]
pub fn payment_id(text: &str) -> Option<PaymentId> {
    from_hex(text).ok().map(PaymentId)
}

/// The body of a quote and of a payment, before it is read: it may hold what no log may.
pub(crate) struct TypedTicket {
    number: String,
    control: String,
}

/// The body of a reversal, before it is read.
pub(crate) struct TypedReason {
    pub(crate) who: String,
    pub(crate) why: String,
}

impl ReadBody for TypedTicket {
    fn read(json: &Json) -> Result<Self, BadMember> {
        Ok(Self { number: text(json, "ticket_number")?, control: text(json, "control_code")? })
    }
}

impl ReadBody for TypedReason {
    fn read(json: &Json) -> Result<Self, BadMember> {
        Ok(Self { who: text(json, "who")?, why: text(json, "why")? })
    }
}

fn text(json: &Json, name: &'static str) -> Result<String, BadMember> {
    json.get(name).and_then(Json::as_str).map(str::to_owned).ok_or(BadMember(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(number: &str, control: &str) -> Result<Named, Slip> {
        Named::read(&TypedTicket { number: number.into(), control: control.into() })
    }

    #[test]
    fn a_ticket_is_named_by_its_number_and_control_code_and_never_by_the_players_code() {
        let named = read(" 001-0001-0000123 ", "2345-wxyz").unwrap();
        assert_eq!((named.number.serial(), named.control.as_bytes()), (123, b"2345WXYZ"));
        assert_eq!(read("123", "2345WXYZ").unwrap_err(), Slip::TicketNumber);
        assert_eq!(read("001-0001-0000123", "2345WXY").unwrap_err(), Slip::ControlCode);
        for code in ["ABC DEF GHJ KLM NPQ RST", "abcdefghjklmnpqrst", "ABC-DEF-GHJ-KLM-NPQ-RS0"] {
            assert_eq!(read("001-0001-0000123", code).unwrap_err(), Slip::PlayersCode, "{code}");
        }
    }

    #[test]
    fn who_and_why_are_needed_and_bounded() {
        let reason = Reason::new("  Ana ", "typed twice").unwrap();
        assert_eq!((reason.who(), reason.why()), ("Ana", "typed twice"));
        assert!(Reason::new(&"é".repeat(100), &"é".repeat(500)).is_ok());
        for (who, why) in [("", "x"), ("  ", "x"), ("x", ""), ("a\nb", "x"), ("x", "a\0")] {
            assert!(Reason::new(who, why).is_err(), "{who:?} {why:?}");
        }
        assert!(Reason::new(&"a".repeat(101), "x").is_err());
        assert!(Reason::new("x", &"a".repeat(501)).is_err());
    }

    #[test]
    fn an_idempotency_key_is_bounded_and_the_store_sees_its_hash_alone() {
        let key = "0b8f4a0e-7d3c-4f0a-9a57-2f6f5d0f6b11";
        assert_ne!(idempotency_key(key), idempotency_key("another"));
        assert_eq!(idempotency_key(key), idempotency_key(key));
        assert!(idempotency_key(&"k".repeat(128)).is_some());
        for bad in ["", &"k".repeat(129), "two words", "é", "a\tb"] {
            assert!(idempotency_key(bad).is_none(), "{bad:?}");
        }
    }
}
