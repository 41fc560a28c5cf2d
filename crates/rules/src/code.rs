//! The 18-character code under the tablet (2.2.2): 16 random characters and two check characters.
//!
//! The alphabet leaves out what is misread on paper (0/O, 1/I/L). The check characters are those of
//! ISO/IEC 7064, system MOD 1271-36: they catch every single wrong character and every exchange of two neighbours, so that a
//! slip is told in the browser before anything is sent. They are no security: the 31¹⁶ ≈ 2⁷⁹ bodies are.

use core::fmt;
use core::str::FromStr;

/// The characters a code is made of.
pub const SYMBOLS: &[u8; 31] = b"23456789ABCDEFGHJKMNPQRSTUVWXYZ";
/// How many of its characters are random.
pub const BODY_LEN: usize = 16;
/// How many characters a code has.
pub const CODE_LEN: usize = 18;

/// The index of a character in [`SYMBOLS`], 0 to 30, if it is one of them.
#[must_use]
pub fn symbol_value(character: u8) -> Option<u8> {
    SYMBOLS.iter().position(|s| *s == character).and_then(|i| u8::try_from(i).ok())
}

/// A code whose check characters are right. A secret worth a ticket: it is never printed by `Debug`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Code([u8; CODE_LEN]);

impl Code {
    /// The code with this body, each symbol 0 to 30 (an index into [`SYMBOLS`]). None where a check character would
    /// leave the alphabet (about one body in four): draw another body then.
    #[must_use]
    pub fn from_body(symbols: [u8; BODY_LEN]) -> Option<Self> {
        let mut text = [0; CODE_LEN];
        for (slot, symbol) in text.iter_mut().zip(symbols) {
            *slot = *SYMBOLS.get(usize::from(symbol))?;
        }
        let [.., first, second] = &mut text;
        // The two check characters c₁c₂ make the whole, read in base 36, congruent to 1.
        let body = residue(symbols.iter().map(|s| SYMBOLS[usize::from(*s)]));
        let check = (MODULUS + 1 - body * RADIX % MODULUS * RADIX % MODULUS) % MODULUS;
        *first = DIGITS[(check / RADIX) as usize];
        *second = DIGITS[(check % RADIX) as usize];
        (symbol_value(*first).is_some() && symbol_value(*second).is_some()).then_some(Self(text))
    }

    /// Its characters: ASCII, upper case, without separators.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; CODE_LEN] {
        &self.0
    }

    /// Its characters in six groups of three, as printed under the tablet.
    #[must_use]
    pub fn grouped(&self) -> String {
        let groups: Vec<&str> = self.0.chunks(3).filter_map(|g| core::str::from_utf8(g).ok()).collect();
        groups.join(" ")
    }
}

/// Why a text is not a code. No variant holds more of the text than the one character to look at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeError {
    /// Too few or too many characters: so many were read, 18 are wanted.
    Length(usize),
    /// The character at this place (1 is the first, separators not counted) is in no code.
    Character(usize, char),
    /// 18 possible characters, but one or more of them is wrong.
    Check,
}

impl FromStr for Code {
    type Err = CodeError;

    /// Forgives case, spaces of every kind and dashes of every kind.
    fn from_str(text: &str) -> Result<Self, CodeError> {
        let mut read = [0; CODE_LEN];
        let mut len = 0;
        for c in text.chars().filter(|c| !is_separator(*c)) {
            if let Some(slot) = read.get_mut(len) {
                let symbol = u8::try_from(c).map(|b| b.to_ascii_uppercase());
                match symbol {
                    Ok(b) if symbol_value(b).is_some() => *slot = b,
                    _ => return Err(CodeError::Character(len + 1, c)),
                }
            }
            len += 1;
        }
        if len != CODE_LEN {
            return Err(CodeError::Length(len));
        }
        if residue(read.iter().copied()) == 1 { Ok(Self(read)) } else { Err(CodeError::Check) }
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code(…)")
    }
}

/// What people, keyboards and copies put between the characters of a code.
fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '-' | '_' | '.' | '\u{ad}' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{200b}' | '\u{feff}')
}

const MODULUS: u32 = 1271;
const RADIX: u32 = 36;
/// The 36 values of ISO/IEC 7064 in order; a code uses 31 of them.
const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The text read as a number in base 36, modulo 1271.
fn residue(text: impl Iterator<Item = u8>) -> u32 {
    text.fold(0, |sum, c| {
        let value = match c {
            b'0'..=b'9' => c - b'0',
            _ => c - b'A' + 10,
        };
        (sum * RADIX + u32::from(value)) % MODULUS
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some_code() -> Code {
        (0..31).find_map(|i| Code::from_body([i; BODY_LEN])).unwrap()
    }

    fn text(code: &Code) -> String {
        String::from_utf8(code.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn the_check_is_that_of_iso_7064_mod_1271_36() {
        // The standard's own worked example: ISO 79 has the check characters 3W.
        assert_eq!(residue(b"ISO793W".iter().copied()), 1);
    }

    #[test]
    fn a_code_is_read_back_from_what_is_printed_whatever_the_case_and_separators() {
        let code = some_code();
        for written in [
            text(&code),
            text(&code).to_lowercase(),
            code.grouped(),
            code.grouped().replace(' ', "-"),
            format!(" \u{a0}{}\n", code.grouped().replace(' ', "\u{2011}")),
        ] {
            assert_eq!(written.parse(), Ok(code));
        }
    }

    #[test]
    fn every_single_wrong_character_is_caught() {
        let code = some_code();
        for at in 0..CODE_LEN {
            for symbol in SYMBOLS {
                let mut wrong = *code.as_bytes();
                wrong[at] = *symbol;
                let wrong = String::from_utf8(wrong.to_vec()).unwrap();
                assert_eq!(wrong.parse::<Code>().is_ok(), wrong == text(&code), "{wrong}");
            }
        }
    }

    #[test]
    fn every_exchange_of_two_neighbours_is_caught() {
        let mut body = [0; BODY_LEN];
        for (i, symbol) in body.iter_mut().enumerate() {
            *symbol = (i * 7 % 31) as u8;
        }
        let code = (0..31)
            .find_map(|last| {
                body[BODY_LEN - 1] = last;
                Code::from_body(body)
            })
            .unwrap();
        for at in 0..CODE_LEN - 1 {
            let mut wrong = *code.as_bytes();
            wrong.swap(at, at + 1);
            let changed = wrong != *code.as_bytes();
            let wrong = String::from_utf8(wrong.to_vec()).unwrap();
            assert_eq!(wrong.parse::<Code>() == Err(CodeError::Check), changed);
        }
    }

    #[test]
    fn a_text_that_is_no_code_is_refused_for_its_first_reason() {
        let code = text(&some_code());
        assert_eq!("".parse::<Code>(), Err(CodeError::Length(0)));
        assert_eq!(code[..17].parse::<Code>(), Err(CodeError::Length(17)));
        assert_eq!(format!("{code}{code}").parse::<Code>(), Err(CodeError::Length(36)));
        assert_eq!(format!("{}0", &code[..17]).parse::<Code>(), Err(CodeError::Character(18, '0')));
        assert_eq!(format!("é{}", &code[1..]).parse::<Code>(), Err(CodeError::Character(1, 'é')));
        // What is too much is counted, not read.
        assert_eq!(format!("{code}é0").parse::<Code>(), Err(CodeError::Length(20)));
    }

    #[test]
    fn the_alphabet_has_31_characters_and_none_that_is_misread() {
        let symbols: Vec<u8> = (0..=u8::MAX).filter(|c| symbol_value(*c).is_some()).collect();
        assert_eq!(symbols, SYMBOLS);
        assert!(symbols.iter().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase()));
        assert!(b"01OIL".iter().all(|c| symbol_value(*c).is_none()));
        assert!((0..31u8).all(|value| symbol_value(SYMBOLS[usize::from(value)]) == Some(value)));
    }

    #[test]
    fn a_code_is_grouped_by_three_as_it_is_printed() {
        let code = some_code();
        let groups: Vec<String> = code.grouped().split(' ').map(str::to_owned).collect();
        assert_eq!((groups.len(), groups.concat()), (6, text(&code)));
        assert!(groups.iter().all(|group| group.len() == 3));
    }

    #[test]
    fn every_dash_and_every_space_is_a_separator_and_nothing_else_is() {
        for c in [
            '-', '_', '.', ' ', '\t', '\n', '\u{a0}', '\u{ad}', '\u{2010}', '\u{2015}', '\u{2212}', '\u{200b}',
            '\u{feff}',
        ] {
            assert!(is_separator(c), "{c:?}");
        }
        for c in ['a', '0', ',', ';', '/', '\u{200f}', '\u{2016}', '\u{2211}', 'é'] {
            assert!(!is_separator(c), "{c:?}");
        }
    }

    #[test]
    fn a_body_whose_check_leaves_the_alphabet_makes_no_code() {
        let made = (0..31u8).flat_map(|a| (0..31u8).map(move |b| (a, b))).filter_map(|(a, b)| {
            let mut body = [a; BODY_LEN];
            body[3] = b;
            Code::from_body(body)
        });
        let made: Vec<Code> = made.collect();
        // About three in four: the two check characters each leave the alphabet of 31 among 36.
        assert!((500..961).contains(&made.len()));
        assert!(made.iter().all(|code| text(code).parse() == Ok(*code)));
        assert_eq!(Code::from_body([31; BODY_LEN]), None);
    }

    #[test]
    fn a_code_never_shows_in_debug() {
        let code = some_code();
        assert_eq!(format!("{code:?}"), "Code(…)");
    }
}
