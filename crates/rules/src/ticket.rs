//! How a ticket is named at a point of sale: its number, in clear, and its control code, under the
//! layer of stage 1 (decided here, `docs/reglement.md`). The 18-character code is in [`crate::code`].

use core::fmt;
use core::str::FromStr;

use crate::code::{SYMBOLS, symbol_value};

/// How many tickets a block holds (2.1.1).
pub const TICKETS_PER_BLOCK: u32 = 3_000_000;

/// A ticket's number: emission, block and serial, printed as `001-0001-0000001`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TicketNumber {
    emission: u16,
    block: u16,
    serial: u32,
}

impl TicketNumber {
    /// A number within what its printed form can carry: emission 1 to 999, block 1 to 9,999, serial 1 to 3,000,000.
    #[must_use]
    pub const fn new(emission: u16, block: u16, serial: u32) -> Option<Self> {
        let fits = emission >= 1
            && emission <= 999
            && block >= 1
            && block <= 9_999
            && serial >= 1
            && serial <= TICKETS_PER_BLOCK;
        if fits { Some(Self { emission, block, serial }) } else { None }
    }

    /// The emission, 1 to 999.
    #[must_use]
    pub const fn emission(self) -> u16 {
        self.emission
    }

    /// The block within its emission, 1 to 9,999.
    #[must_use]
    pub const fn block(self) -> u16 {
        self.block
    }

    /// The ticket within its block, 1 to 3,000,000.
    #[must_use]
    pub const fn serial(self) -> u32 {
        self.serial
    }
}

impl fmt::Display for TicketNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:03}-{:04}-{:07}", self.emission, self.block, self.serial)
    }
}

/// The text is not a ticket number of the form `001-0001-0000001`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotATicketNumber;

impl FromStr for TicketNumber {
    type Err = NotATicketNumber;

    /// Reads the printed form, exactly: digits and dashes.
    fn from_str(text: &str) -> Result<Self, NotATicketNumber> {
        fn part<T: FromStr>(text: Option<&str>, width: usize) -> Result<T, NotATicketNumber> {
            let text = text.filter(|t| t.len() == width && t.bytes().all(|b| b.is_ascii_digit()));
            text.and_then(|t| t.parse().ok()).ok_or(NotATicketNumber)
        }
        let mut parts = text.split('-');
        let (emission, block, serial) = (part(parts.next(), 3)?, part(parts.next(), 4)?, part(parts.next(), 7)?);
        if parts.next().is_some() {
            return Err(NotATicketNumber);
        }
        Self::new(emission, block, serial).ok_or(NotATicketNumber)
    }
}

/// How many characters a control code has: 31⁸ ≈ 8.5 × 10¹¹ of them, asked with a ticket number.
pub const CONTROL_LEN: usize = 8;

/// The code under the layer of stage 1 by which a point of sale knows that the ticket is in hand.
/// A secret: it is never printed by `Debug`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ControlCode([u8; CONTROL_LEN]);

impl ControlCode {
    /// The control code of these symbols, each 0 to 30 (an index into [`SYMBOLS`]).
    #[must_use]
    pub fn from_symbols(symbols: [u8; CONTROL_LEN]) -> Option<Self> {
        let mut text = [0; CONTROL_LEN];
        for (slot, symbol) in text.iter_mut().zip(symbols) {
            *slot = *SYMBOLS.get(usize::from(symbol))?;
        }
        Some(Self(text))
    }

    /// Its characters, as printed: ASCII.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; CONTROL_LEN] {
        &self.0
    }
}

/// The text is not a control code: eight characters of the code's alphabet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAControlCode;

impl FromStr for ControlCode {
    type Err = NotAControlCode;

    /// Forgives case, spaces and dashes.
    fn from_str(text: &str) -> Result<Self, NotAControlCode> {
        let mut read = [0; CONTROL_LEN];
        let mut len = 0;
        for c in text.chars().filter(|c| !c.is_whitespace() && *c != '-') {
            let c = u8::try_from(c).map_err(|_| NotAControlCode)?.to_ascii_uppercase();
            symbol_value(c).ok_or(NotAControlCode)?;
            *read.get_mut(len).ok_or(NotAControlCode)? = c;
            len += 1;
        }
        if len == CONTROL_LEN { Ok(Self(read)) } else { Err(NotAControlCode) }
    }
}

impl fmt::Debug for ControlCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ControlCode(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_number_is_read_back_from_what_is_printed() {
        let number = TicketNumber::new(7, 12, 2_999_999).unwrap();
        assert_eq!(number.to_string(), "007-0012-2999999");
        assert_eq!("007-0012-2999999".parse(), Ok(number));
    }

    #[test]
    fn what_is_not_a_ticket_number_is_refused() {
        for text in [
            "",
            "7-12-1",
            "000-0001-0000001",
            "001-0000-0000001",
            "001-0001-0000000",
            "001-0001-3000001",
            "001-0001-0000001-",
            "001 0001 0000001",
            "+01-0001-0000001",
            "001-0001-000000١",
            "001-001-0000001",
            "001-0001-000001",
            "0001-001-0000001",
            "001-0001-1",
            "001",
            "001-0001",
            "-001-0001-0000001",
        ] {
            assert_eq!(text.parse::<TicketNumber>(), Err(NotATicketNumber), "{text}");
        }
    }

    #[test]
    fn an_emission_has_at_most_999_a_block_9_999_and_a_serial_3_000_000() {
        for (emission, block, serial) in [(1, 1, 1), (999, 9_999, 3_000_000)] {
            let number = TicketNumber::new(emission, block, serial).unwrap();
            assert_eq!((number.emission(), number.block(), number.serial()), (emission, block, serial));
            assert_eq!(number.to_string().parse(), Ok(number));
        }
        for (emission, block, serial) in
            [(0, 1, 1), (1_000, 1, 1), (1, 0, 1), (1, 10_000, 1), (1, 1, 0), (1, 1, 3_000_001)]
        {
            assert_eq!(TicketNumber::new(emission, block, serial), None, "{emission}-{block}-{serial}");
        }
    }

    #[test]
    fn a_control_code_forgives_case_spaces_and_dashes_and_never_shows_in_debug() {
        let code = ControlCode::from_symbols([0, 1, 2, 3, 27, 28, 29, 30]).unwrap();
        assert_eq!(code.as_bytes(), b"2345WXYZ");
        assert_eq!("2345-wxyz".parse(), Ok(code));
        assert_eq!(" 23 45 WX YZ ".parse(), Ok(code));
        assert_eq!("2345WXY".parse::<ControlCode>(), Err(NotAControlCode));
        assert_eq!("2345WXYZZ".parse::<ControlCode>(), Err(NotAControlCode));
        assert_eq!("2345WXY0".parse::<ControlCode>(), Err(NotAControlCode));
        assert_eq!(ControlCode::from_symbols([31; 8]), None);
        assert_eq!("2345WXY€".parse::<ControlCode>(), Err(NotAControlCode));
        assert_eq!("".parse::<ControlCode>(), Err(NotAControlCode));
        assert_eq!("2345.WXYZ".parse::<ControlCode>(), Err(NotAControlCode));
        assert_eq!(format!("{code:?}"), "ControlCode(…)");
    }
}
