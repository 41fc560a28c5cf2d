//! The one encoding of stored events. An event's instant is kept beside it, not in it.
//!
//! One byte says which event, then its fields, big-endian. What is written stays readable for ever: a new kind gets a new byte.

use core::fmt;

use rules::game::VoidReason;
use rules::{Event, Multiplier, Number, Timestamp, Unfinished};

/// Stored bytes that are no game: the database was damaged, altered, or written by something newer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corrupt(pub &'static str);

impl fmt::Display for Corrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the stored game cannot be read: {}", self.0)
    }
}

impl core::error::Error for Corrupt {}

/// The bytes of an event.
#[must_use]
pub fn encode(event: &Event) -> Vec<u8> {
    match *event {
        Event::Started { finish_before, unfinished } => {
            let mut bytes = vec![1];
            bytes.extend(finish_before.millis().to_be_bytes());
            bytes.push(match unfinished {
                Unfinished::NoGain => 0,
                Unfinished::LastPalier => 1,
            });
            bytes
        }
        Event::Good(number) => vec![2, number.get()],
        Event::PalierReached(number, multiplier) => vec![3, number.get(), multiplier.factor()],
        Event::Losing(number) => vec![4, number.get()],
        Event::WentOn => vec![5],
        Event::Quit => vec![6],
        Event::Expired => vec![7],
        Event::Voided(reason) => vec![
            8,
            match reason {
                VoidReason::DrawLost => 0,
                VoidReason::Malfunction => 1,
                VoidReason::Dispute => 2,
            },
        ],
        Event::Paid => vec![9],
        Event::PaymentReversed => vec![10],
    }
}

/// The event of these bytes.
///
/// # Errors
/// They are none.
pub fn decode(bytes: &[u8]) -> Result<Event, Corrupt> {
    let number = |n: u8| Number::new(n).ok_or(Corrupt("a number outside 1 to 30"));
    match *bytes {
        [1, a, b, c, d, e, f, g, h, unfinished] => Ok(Event::Started {
            finish_before: Timestamp::from_millis(i64::from_be_bytes([a, b, c, d, e, f, g, h])),
            unfinished: match unfinished {
                0 => Unfinished::NoGain,
                1 => Unfinished::LastPalier,
                _ => return Err(Corrupt("an unknown setting for unfinished games")),
            },
        }),
        [2, n] => number(n).map(Event::Good),
        [3, n, factor] => {
            let multiplier = Multiplier::from_factor(factor.into()).ok_or(Corrupt("an unknown multiplier"))?;
            Ok(Event::PalierReached(number(n)?, multiplier))
        }
        [4, n] => number(n).map(Event::Losing),
        [5] => Ok(Event::WentOn),
        [6] => Ok(Event::Quit),
        [7] => Ok(Event::Expired),
        [8, reason] => match reason {
            0 => Ok(Event::Voided(VoidReason::DrawLost)),
            1 => Ok(Event::Voided(VoidReason::Malfunction)),
            2 => Ok(Event::Voided(VoidReason::Dispute)),
            _ => Err(Corrupt("an unknown reason of a void game")),
        },
        [9] => Ok(Event::Paid),
        [10] => Ok(Event::PaymentReversed),
        _ => Err(Corrupt("an unknown event")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(n: u8) -> Number {
        Number::new(n).unwrap()
    }

    #[test]
    fn the_encoding_of_each_event_is_fixed() {
        let at = Timestamp::from_millis(0x0102_0304_0506_0708);
        let table = [
            (Event::Started { finish_before: at, unfinished: Unfinished::NoGain }, "010102030405060708 00"),
            (Event::Started { finish_before: at, unfinished: Unfinished::LastPalier }, "010102030405060708 01"),
            (Event::Good(number(7)), "02 07"),
            (Event::PalierReached(number(30), Multiplier::Three), "03 1e 03"),
            (Event::PalierReached(number(1), Multiplier::Two), "03 01 02"),
            (Event::Losing(number(13)), "04 0d"),
            (Event::WentOn, "05"),
            (Event::Quit, "06"),
            (Event::Expired, "07"),
            (Event::Voided(VoidReason::DrawLost), "08 00"),
            (Event::Voided(VoidReason::Malfunction), "08 01"),
            (Event::Voided(VoidReason::Dispute), "08 02"),
            (Event::Paid, "09"),
            (Event::PaymentReversed, "0a"),
        ];
        for (event, hex) in table {
            assert_eq!(seal::hash::to_hex(&encode(&event)), hex.replace(' ', ""));
            assert_eq!(decode(&encode(&event)), Ok(event));
        }
    }

    proptest! {
        #[test]
        fn bytes_are_an_event_only_where_that_event_has_these_bytes(bytes in proptest::collection::vec(0u8..12, 0..12)) {
            if let Ok(event) = decode(&bytes) {
                prop_assert_eq!(encode(&event), bytes);
            }
        }
    }
}
