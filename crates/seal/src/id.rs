//! The identity of a ticket: a UUID (RFC 9562), used as its 16 bytes in the order written.

use core::fmt;
use core::str::FromStr;

use crate::hash::{NotHex, from_hex, to_hex};

/// A ticket's id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TicketId(pub [u8; 16]);

impl fmt::Display for TicketId {
    /// In canonical lower case.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, group) in [0..4, 4..6, 6..8, 8..10, 10..16].into_iter().enumerate() {
            if i > 0 {
                f.write_str("-")?;
            }
            f.write_str(&to_hex(&self.0[group]))?;
        }
        Ok(())
    }
}

impl fmt::Debug for TicketId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for TicketId {
    type Err = NotHex;

    /// Reads the canonical lower-case form and no other.
    fn from_str(text: &str) -> Result<Self, NotHex> {
        let groups: Vec<&str> = text.split('-').collect();
        if groups.iter().map(|g| g.len()).ne([8, 4, 4, 4, 12]) {
            return Err(NotHex);
        }
        from_hex(&groups.concat()).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_id_is_read_in_canonical_lower_case_only() {
        let text = "92465f28-2839-4012-a78f-c7997a3bb3c0";
        let id: TicketId = text.parse().unwrap();
        assert_eq!(id.to_string(), text);
        assert_eq!(format!("{id:?}"), text);
        assert_eq!(id.0[..4], [0x92, 0x46, 0x5f, 0x28]);
        for wrong in [
            &text[1..],
            &text.to_uppercase(),
            &text.replace('-', ""),
            &format!("{text}-"),
            "92465f282-839-4012-a78f-c7997a3bb3c0",
        ] {
            assert_eq!(wrong.parse::<TicketId>(), Err(NotHex), "{wrong}");
        }
    }
}
