//! Between what the store keeps, in plain storage terms, and what the engine and the rules take.

use engine::{Corrupt, codec};
use rules::{PotentialGain, Recorded, Terms, TicketNumber, Timestamp, Unfinished};
use seal::receipt::Signed;
use seal::{ClientSeed, TicketId};
use store::{Emission, Event, Label, Millis, StoreError, TicketRecord, Version};

/// The settings of an emission, as the store keeps them.
///
/// # Errors
/// None in practice: the label is one that the store takes.
pub fn emission(id: u16, terms: &Terms) -> Result<Emission, StoreError> {
    Ok(Emission {
        id,
        start_before: terms.start_before.map(millis),
        unfinished: Label::new(unfinished_label(terms.unfinished))?,
        new_games: !terms.suspended,
        payment_before: terms.pay_before.map(millis),
    })
}

/// The same, as the rules take them.
///
/// # Errors
/// The rule for unfinished games is one that this program does not know.
pub fn terms(emission: &Emission) -> Result<Terms, Corrupt> {
    let unfinished = [Unfinished::NoGain, Unfinished::LastPalier];
    let unfinished = unfinished.into_iter().find(|u| unfinished_label(*u) == emission.unfinished.as_str());
    Ok(Terms {
        start_before: emission.start_before.map(timestamp),
        unfinished: unfinished.ok_or(Corrupt("an unknown setting for unfinished games"))?,
        suspended: !emission.new_games,
        pay_before: emission.payment_before.map(timestamp),
    })
}

/// A ticket and its game as the engine takes them; none where the ticket lost at stage 1.
///
/// # Errors
/// What is kept is no ticket, or no game.
pub fn ticket(record: &TicketRecord, terms: Terms) -> Result<Option<engine::Ticket>, Corrupt> {
    if record.ticket.potential_gain_eur == 0 {
        return Ok(None);
    }
    let potential_gain = PotentialGain::from_eur(record.ticket.potential_gain_eur.into());
    let potential_gain = potential_gain.ok_or(Corrupt("a potential gain that the règlement does not have"))?;
    let events = record.events.iter();
    let events = events.map(|kept| Ok(Recorded { at: timestamp(kept.at), event: codec::decode(&kept.payload)? }));
    Ok(Some(engine::Ticket {
        id: TicketId(record.ticket.id.0),
        number: number(record.ticket.number).ok_or(Corrupt("a ticket number outside its range"))?,
        potential_gain,
        terms,
        client_seed: record.game.client_seed.map(|seed| ClientSeed(seed.0)),
        events: events.collect::<Result<_, _>>()?,
        receipts: record.events.iter().map(receipt).collect::<Result<_, _>>()?,
    }))
}

fn receipt(event: &Event) -> Result<Option<Signed>, Corrupt> {
    let read = |bytes: &Vec<u8>| Signed::from_bytes(bytes).ok_or(Corrupt("what is kept of a receipt is none"));
    event.receipt.as_ref().map(read).transpose()
}

/// What the engine wants kept, as the store takes it.
///
/// # Errors
/// None in practice: the name of every state is a label.
pub fn append(ticket: store::TicketId, append: engine::Append) -> Result<store::Append, StoreError> {
    Ok(store::Append {
        ticket,
        expected: Version(append.version),
        events: vec![Event {
            at: millis(append.at),
            payload: append.payload,
            receipt: append.receipt.map(|signed| signed.to_bytes()),
        }],
        state: Label::new(append.state.as_str())?,
        finish_before: append.finish_before.map(millis),
        client_seed: append.client_seed.map(|seed| store::ClientSeed(seed.0)),
        entry: None,
    })
}

/// A ticket's number; none where its parts are outside their ranges.
#[must_use]
pub const fn number(number: store::TicketNumber) -> Option<TicketNumber> {
    TicketNumber::new(number.emission, number.block, number.serial)
}

/// An instant, as the store keeps it.
#[must_use]
pub const fn millis(at: Timestamp) -> Millis {
    Millis(at.millis())
}

/// The same, as the rules take it.
#[must_use]
pub const fn timestamp(at: Millis) -> Timestamp {
    Timestamp::from_millis(at.0)
}

const fn unfinished_label(unfinished: Unfinished) -> &'static str {
    match unfinished {
        Unfinished::NoGain => "no_gain",
        Unfinished::LastPalier => "last_palier",
    }
}

#[cfg(test)]
mod tests {
    use protocol::StateName;
    use rules::{Event as Happened, Multiplier, Number};

    use super::*;

    #[test]
    fn the_settings_of_an_emission_are_read_back_as_they_were_kept() {
        let at = |millis| Some(Timestamp::from_millis(millis));
        for unfinished in [Unfinished::NoGain, Unfinished::LastPalier] {
            for (start_before, suspended, pay_before) in [(None, false, None), (at(5), true, at(-7))] {
                let given = Terms { start_before, unfinished, suspended, pay_before };
                assert_eq!(terms(&emission(3, &given).unwrap()), Ok(given));
            }
        }
        let unknown = Emission { unfinished: Label::new("other").unwrap(), ..emission(3, &Terms::default()).unwrap() };
        assert!(terms(&unknown).is_err());
    }

    #[test]
    fn every_state_has_a_name_that_the_store_takes() {
        use StateName::*;
        for state in [NotStarted, PotentialGainPaid, Picking, OnPalier, Won, Lost, Expired, Void] {
            assert_eq!(Label::new(state.as_str()).unwrap().as_str(), state.as_str());
        }
    }

    fn kept(potential_gain_eur: u32, payloads: &[Vec<u8>]) -> TicketRecord {
        let hash = store::KeyedHash([0; 32]);
        let number = store::TicketNumber { emission: 1, block: 2, serial: 3 };
        let ticket = store::Ticket {
            id: store::TicketId([9; 16]),
            number,
            code_hash: hash,
            control_hash: hash,
            potential_gain_eur,
        };
        let events =
            payloads.iter().map(|payload| Event { at: Millis(4), payload: payload.clone(), receipt: None }).collect();
        let emission = emission(1, &Terms::default()).unwrap();
        TicketRecord { ticket, emission, game: store::Game::default(), events }
    }

    #[test]
    fn a_ticket_is_read_with_its_events_in_order_and_a_losing_one_has_no_game() {
        let number = Number::new(7).unwrap();
        let events = [Happened::Good(number), Happened::PalierReached(number, Multiplier::Three)];
        let record = kept(20, &events.map(|event| codec::encode(&event)));
        let read = ticket(&record, Terms::default()).unwrap().unwrap();
        assert_eq!(read.number.to_string(), "001-0002-0000003");
        assert_eq!(read.potential_gain, PotentialGain::Eur20);
        assert_eq!(read.events, events.map(|event| Recorded { at: Timestamp::from_millis(4), event }));
        assert!(ticket(&kept(0, &[]), Terms::default()).unwrap().is_none());
    }

    #[test]
    fn what_is_kept_and_makes_no_sense_is_corrupt() {
        assert!(ticket(&kept(7, &[]), Terms::default()).is_err());
        assert!(ticket(&kept(20, &[vec![255]]), Terms::default()).is_err());
        let mut nowhere = kept(20, &[]);
        nowhere.ticket.number.emission = 0;
        assert!(ticket(&nowhere, Terms::default()).is_err());
    }
}
