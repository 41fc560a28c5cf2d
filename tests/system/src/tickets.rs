//! The tickets of a demo block, as its printer would be given them, and the key of its draws.

use std::path::Path;

use seal::hash::from_hex;
use seal::{DrawKey, TicketId};

/// A ticket as it lies in someone's hand, with what its holder may not know yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Its printed number.
    pub number: String,
    /// What a point of sale asks for.
    pub control: String,
    /// The 18 characters under the tablet.
    pub code: String,
    /// What stage 1 gained; 0 where it lost.
    pub gain_eur: u32,
    /// Its id.
    pub id: TicketId,
}

impl Ticket {
    /// The code as the ticket prints it: six groups of three.
    #[must_use]
    pub fn grouped(&self) -> String {
        self.code.parse::<rules::Code>().unwrap().grouped()
    }
}

/// Every ticket of the first block of an emission.
///
/// # Panics
/// The file is not what `qod issue` writes.
#[must_use]
pub fn read_block(data: &Path, emission: u16) -> Vec<Ticket> {
    let file = data.join("tickets").join(format!("{emission:03}-0001.csv"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("ticket_number,control_code,code,potential_gain_eur,ticket_id"));
    let tickets = lines.map(|line| match line.split(',').collect::<Vec<_>>()[..] {
        [number, control, code, gain, id] => Ticket {
            number: number.to_owned(),
            control: control.to_owned(),
            code: code.to_owned(),
            gain_eur: gain.parse().unwrap(),
            id: id.parse().unwrap(),
        },
        _ => panic!("{}: a line with other columns", file.display()),
    });
    tickets.collect()
}

/// The key of an emission's draws.
///
/// # Panics
/// The file is not what `qod issue` writes.
#[must_use]
pub fn read_draw_key(data: &Path, emission: u16) -> DrawKey {
    let file = data.join("keys").join(format!("emission-{emission:03}.draw"));
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    DrawKey(from_hex(text.trim_end()).expect("64 digits"))
}
