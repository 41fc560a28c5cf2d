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
