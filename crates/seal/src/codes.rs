//! Keyed hashes of what names a ticket: with the whole database in hand, but not the pepper, no code can be played.

use rules::{Code, ControlCode, TicketNumber};

use crate::hash::{Bytes32, Keyed, secret_bytes};

secret_bytes! {
    /// The key of an emission's code hashes. It never lies in the database.
    Pepper
}

impl Pepper {
    /// `HMAC(pepper, "qod/1 code" || the 18 characters)`: by this a ticket is found.
    #[must_use]
    pub fn code_hash(&self, code: &Code) -> Bytes32 {
        Keyed::new(&self.0).mac(&[b"qod/1 code", code.as_bytes()])
    }

    /// `HMAC(pepper, "qod/1 control" || u16(emission) || u16(block) || u32(serial) || the 8 characters)`.
    #[must_use]
    pub fn control_hash(&self, number: TicketNumber, control: &ControlCode) -> Bytes32 {
        Keyed::new(&self.0).mac(&[
            b"qod/1 control",
            &number.emission().to_be_bytes(),
            &number.block().to_be_bytes(),
            &number.serial().to_be_bytes(),
            control.as_bytes(),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{from_hex, to_hex};

    #[test]
    fn a_code_and_a_control_code_are_hashed_under_the_pepper_with_what_they_name() {
        let pepper = Pepper::from_hex(&"07".repeat(32)).unwrap();
        let code = (0..31).find_map(|i| Code::from_body([i; 16])).unwrap();
        let control = ControlCode::from_symbols([0, 1, 2, 3, 4, 5, 6, 7]).unwrap();
        let number = TicketNumber::new(1, 2, 3).unwrap();
        // Written out: HMAC over the label and the very bytes.
        let plain = Keyed::new(&from_hex(&"07".repeat(32)).unwrap());
        let text = [&b"qod/1 code"[..], code.as_bytes()].concat();
        assert_eq!(pepper.code_hash(&code), plain.mac(&[&text]));
        let text = [&b"qod/1 control\0\x01\0\x02\0\0\0\x03"[..], b"23456789"].concat();
        assert_eq!(pepper.control_hash(number, &control), plain.mac(&[&text]));
        let other = TicketNumber::new(1, 2, 4).unwrap();
        assert_ne!(pepper.control_hash(other, &control), pepper.control_hash(number, &control));
        assert_ne!(to_hex(&Pepper([8; 32]).code_hash(&code)), to_hex(&pepper.code_hash(&code)));
        assert_eq!(format!("{pepper:?}"), "Pepper(…)");
    }
}
