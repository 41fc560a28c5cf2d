//! The tickets of a block, drawn from its key.

use rules::code::{BODY_LEN, SYMBOLS};
use rules::ticket::CONTROL_LEN;
use rules::{Code, ControlCode, PotentialGain, TicketNumber};
use seal::hash::{Bytes32, Keyed};
use seal::stream::Stream;
use seal::{Pepper, TicketId};

use crate::lots::Lots;

/// What a block is drawn from: 32 random bytes. Whoever holds it has every code of the block.
#[derive(Clone, Copy)]
pub struct BlockKey(pub Bytes32);

/// A block that can be asked for its tickets.
pub struct Block {
    emission: u16,
    number: u16,
    key: Keyed,
    /// By serial number, from 1.
    gains: Vec<Option<PotentialGain>>,
}

/// A ticket as it leaves for the printer. Its codes are secrets: there is no `Debug`.
pub struct IssuedTicket {
    /// Its id.
    pub id: TicketId,
    /// Its number, printed in clear.
    pub number: TicketNumber,
    /// Its code, under the tablet.
    pub code: Code,
    /// Its control code, under the layer of stage 1.
    pub control: ControlCode,
    /// Its potential gain; none where it loses.
    pub potential_gain: Option<PotentialGain>,
}

/// What the server is given of a ticket: no secret is in it.
pub struct ServerRow {
    /// Its id.
    pub id: TicketId,
    /// Its number.
    pub number: TicketNumber,
    /// The keyed hash of its code.
    pub code_hash: Bytes32,
    /// The keyed hash of its control code.
    pub control_hash: Bytes32,
    /// Its potential gain; none where it loses.
    pub potential_gain: Option<PotentialGain>,
}

impl Block {
    /// The block of these lots; the shuffle that spreads them over the serial numbers is unbiased and keyed. None where the emission or block number cannot be printed.
    #[must_use]
    pub fn new(emission: u16, number: u16, lots: &Lots, key: &BlockKey) -> Option<Self> {
        TicketNumber::new(emission, number, lots.tickets())?;
        let label = |name: &[u8]| [name, &emission.to_be_bytes(), &number.to_be_bytes()].concat();
        let key = Keyed::new(&key.0);
        let mut gains: Vec<_> = lots.in_order().collect();
        let mut stream = Stream::new(&key, &label(b"qod issue/1 lots"));
        for i in (1..gains.len()).rev() {
            gains.swap(i, stream.uniform(i as u32 + 1) as usize);
        }
        let key = key.then(&label(b"qod issue/1 ticket"));
        Some(Self { emission, number, key, gains })
    }

    /// Its tickets, in the order of their serial numbers.
    pub fn tickets(&self) -> impl Iterator<Item = IssuedTicket> + '_ {
        (1..).zip(&self.gains).filter_map(|(serial, gain)| self.ticket(serial, *gain))
    }

    fn ticket(&self, serial: u32, potential_gain: Option<PotentialGain>) -> Option<IssuedTicket> {
        let number = TicketNumber::new(self.emission, self.number, serial)?;
        let mut stream = Stream::new(&self.key, &serial.to_be_bytes());
        let id = ticket_id(&mut stream);
        let control = ControlCode::from_symbols(symbols::<CONTROL_LEN>(&mut stream))?;
        // About one body in four has a check character outside the alphabet: another is drawn.
        let code = std::iter::repeat_with(|| symbols::<BODY_LEN>(&mut stream)).find_map(Code::from_body)?;
        Some(IssuedTicket { id, number, code, control, potential_gain })
    }
}

impl IssuedTicket {
    /// What the server is given of it.
    #[must_use]
    pub fn server_row(&self, pepper: &Pepper) -> ServerRow {
        ServerRow {
            id: self.id,
            number: self.number,
            code_hash: pepper.code_hash(&self.code),
            control_hash: pepper.control_hash(self.number, &self.control),
            potential_gain: self.potential_gain,
        }
    }
}

/// A random UUID (RFC 9562 section 5.4).
fn ticket_id(stream: &mut Stream) -> TicketId {
    let mut id = [0; 16];
    for bytes in id.chunks_exact_mut(4) {
        bytes.copy_from_slice(&stream.word().to_be_bytes());
    }
    id[6] = id[6] & 0x0f | 0x40;
    id[8] = id[8] & 0x3f | 0x80;
    TicketId(id)
}

fn symbols<const N: usize>(stream: &mut Stream) -> [u8; N] {
    core::array::from_fn(|_| stream.uniform(SYMBOLS.len() as u32) as u8)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn demo(key: u8) -> Vec<IssuedTicket> {
        let lots = Lots::from_json(Lots::DEMO).unwrap();
        Block::new(1, 1, &lots, &BlockKey([key; 32])).unwrap().tickets().collect()
    }

    #[test]
    fn a_block_holds_exactly_its_lots_over_all_its_serial_numbers() {
        let tickets = demo(1);
        let mut count = BTreeMap::new();
        for ticket in &tickets {
            *count.entry(ticket.potential_gain).or_insert(0) += 1;
        }
        let lots = Lots::from_json(Lots::DEMO).unwrap();
        for (gain, lots) in lots.lots() {
            assert_eq!(count[&Some(*gain)], *lots);
        }
        assert_eq!(tickets.len(), 120);
        assert!((1..).zip(&tickets).all(|(serial, ticket)| ticket.number.serial() == serial));
    }

    #[test]
    fn every_id_code_and_control_code_is_another_one() {
        let tickets: Vec<_> = demo(1).into_iter().chain(demo(2)).collect();
        let ids: BTreeSet<_> = tickets.iter().map(|t| t.id).collect();
        let codes: BTreeSet<_> = tickets.iter().map(|t| *t.code.as_bytes()).collect();
        let controls: BTreeSet<_> = tickets.iter().map(|t| *t.control.as_bytes()).collect();
        assert_eq!([ids.len(), codes.len(), controls.len()], [240; 3]);
    }

    #[test]
    fn the_same_key_gives_the_same_block_and_another_key_another_one() {
        let gains = |key| demo(key).iter().map(|t| (t.potential_gain, *t.code.as_bytes())).collect::<Vec<_>>();
        assert_eq!(gains(1), gains(1));
        assert_ne!(gains(1), gains(2));
    }

    #[test]
    fn the_first_ticket_of_many_blocks_wins_as_often_as_its_lots_say() {
        // 90 of 120 win: over 2,000 blocks 1,500 on average, with a standard deviation of 19.4.
        let lots = Lots::from_json(Lots::DEMO).unwrap();
        let wins = (0..2000u32).filter(|i| {
            let mut key = [0; 32];
            key[..4].copy_from_slice(&i.to_be_bytes());
            Block::new(1, 1, &lots, &BlockKey(key)).unwrap().gains[0].is_some()
        });
        let wins = wins.count();
        assert!((1400..1600).contains(&wins), "{wins}");
    }

    #[test]
    fn what_the_server_is_given_finds_the_ticket_and_holds_no_code() {
        let ticket = &demo(1)[0];
        let pepper = Pepper([5; 32]);
        let row = ticket.server_row(&pepper);
        assert_eq!(row.code_hash, pepper.code_hash(&ticket.code));
        assert_eq!(row.control_hash, pepper.control_hash(ticket.number, &ticket.control));
        assert_ne!(row.code_hash, Pepper([6; 32]).code_hash(&ticket.code));
    }
}
