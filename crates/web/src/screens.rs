//! What is shown of a state.

use core::array;

use protocol::{Payment, StateName};
use rules::{
    Amount, Fraction, Game, Multiplier, Nature, Number, NumberSet, Outlook, Palier, State as Stands, Timestamp,
};

use crate::flow::Call;
use crate::model::{
    Cell, CellState, End, EndedGame, Network, OtherSeed, Outcome, Phase, Play, ProofFailed, Rung, RungState, Screen,
    Stake, Ticket,
};
use crate::played::Played;
use crate::state::{At, State};
use crate::table::{Mode, Table};

impl State {
    /// What stands on the tablet at this instant.
    #[must_use]
    pub fn screen(&self, now: Timestamp) -> Screen {
        match &self.at {
            At::Starting => Screen::Starting(self.network()),
            At::Entry(entry) => Screen::Entry(entry.clone()),
            At::Ticket(table) => self.of_ticket(table, now),
        }
    }

    fn of_ticket(&self, table: &Table, now: Timestamp) -> Screen {
        let ticket = Ticket { number: table.view.ticket_number, potential_gain: table.view.potential_gain };
        let network = self.network();
        match (&table.mode, &table.played) {
            (Mode::Failed { failure, saved, earlier }, _) => Screen::ProofFailed(ProofFailed {
                ticket,
                failure: *failure,
                saved: *saved,
                earlier: *earlier,
                network,
            }),
            (Mode::OtherSeed { saved }, _) => {
                Screen::OtherSeed(OtherSeed { ticket, here_too: table.held.client_seed.is_some(), saved: *saved })
            }
            (_, Some(played)) => match played.losing() {
                Some(losing) => Screen::End(end(ticket, table, played, losing, network)),
                None => self.play(ticket, table, played),
            },
            (_, None) => match table.view.state {
                StateName::NotStarted => Screen::Stake(stake(ticket, table, network, now)),
                StateName::PotentialGainPaid => Screen::End(End {
                    ticket,
                    outcome: Outcome::PotentialGainPaid,
                    gain: ticket.potential_gain.amount(),
                    payment: Payment::Paid,
                    pay_before: None,
                    game: None,
                    network,
                }),
                _ => Screen::Starting(network),
            },
        }
    }

    fn play(&self, ticket: Ticket, table: &Table, played: &Played) -> Screen {
        let game = played.game();
        let pending = match self.flight.as_ref().map(|flight| &flight.call) {
            Some(Call::Pick(request)) => Some(request.number),
            _ => None,
        };
        let phase = match (game.state(), game.multipliers().last()) {
            (Stands::OnPalier(stop), Some(multiplier)) => {
                Phase::OnPalier { stop, multiplier: *multiplier, gain: game.acquired() }
            }
            _ => {
                let palier = Outlook::of(game).next_palier().unwrap_or(Palier::Four);
                Phase::Picking { palier, found: found_towards(palier, game.found()), to_find: palier.to_find() }
            }
        };
        let (rungs, value) = ladder(game);
        Screen::Play(Play {
            ticket,
            cells: cells(game, pending, None),
            rungs,
            phase,
            value,
            at_stake: game.acquired(),
            last: table.last,
            notice: table.notice,
            dialog: table.dialog,
            network: self.network(),
            proof: table.proof(),
            signing: table.receipts.signing,
            finish_before: table.view.finish_before,
        })
    }
}

fn stake(ticket: Ticket, table: &Table, network: Network, now: Timestamp) -> Stake {
    let (rungs, value) = ladder(&Game::new(ticket.potential_gain));
    Stake {
        ticket,
        rungs,
        value,
        closed: table.closed(now),
        start_before: table.view.start_before,
        pay_before: table.view.pay_before,
        dialog: table.dialog,
        network,
    }
}

fn end(ticket: Ticket, table: &Table, played: &Played, losing: NumberSet, network: Network) -> End {
    let game = played.game();
    let due = |gain: Amount| if gain == Amount::ZERO { None } else { game.palier_reached() };
    let gain = game.gain().unwrap_or(Amount::ZERO);
    End {
        ticket,
        outcome: match game.state() {
            Stands::Won(palier, _) => Outcome::Won(palier),
            Stands::Expired(_) => Outcome::Expired(due(gain)),
            Stands::Void(reason, _) => Outcome::Void(table.view.void_reason.unwrap_or(reason)),
            _ => Outcome::Lost { number: game.picks().last().map(|(number, _)| number), at_stake: game.acquired() },
        },
        gain,
        payment: table.view.payment,
        pay_before: table.view.pay_before,
        game: Some(EndedGame {
            cells: cells(game, None, Some(losing)),
            rungs: ladder(game).0,
            proof: table.proof(),
            signing: table.receipts.signing,
        }),
        network,
    }
}

/// The grid: what was picked, what is pending, and at the end what was not picked.
pub(crate) fn cells(game: &Game, pending: Option<Number>, losing: Option<NumberSet>) -> [Cell; 30] {
    let mut cells = Number::all().map(|number| {
        let picked = game.picks().find(|(picked, _)| *picked == number);
        let state = match (picked, losing) {
            (Some((_, Nature::Good)), _) => CellState::Good,
            (Some((_, Nature::Losing)), _) => CellState::Losing,
            (None, Some(losing)) if losing.contains(number) => CellState::WasLosing,
            (None, Some(_)) => CellState::WasGood,
            (None, None) if pending == Some(number) => CellState::Pending,
            (None, None) => CellState::Free,
        };
        Cell { number, state }
    });
    array::from_fn(|_| cells.next().unwrap_or(NO_CELL))
}

/// For an iterator of thirty that would end early, which it does not.
const NO_CELL: Cell = match Number::new(1) {
    Some(number) => Cell { number, state: CellState::Free },
    None => unreachable!(),
};

fn found_towards(palier: Palier, found: u8) -> u8 {
    found.saturating_sub(palier.found_in_all() - palier.to_find()).min(palier.to_find())
}

/// The ladder, with the chances as `rules` gives them, and what going on to its next palier is worth. Ahead of where the game stands, a gain is told where
/// all paliers double, and where all triple.
pub(crate) fn ladder(game: &Game) -> ([Rung; 4], Fraction) {
    let outlook = Outlook::of(game);
    let (found, towards) = (game.found(), outlook.next_palier());
    let highest = if game.potential_gain().always_doubles() { Multiplier::Two } else { Multiplier::Three };
    let (mut gain, mut most) = (game.potential_gain().amount(), game.potential_gain().amount());
    let rungs = Palier::ALL.map(|palier| {
        let multiplier = game.multipliers().get(palier.index()).copied();
        gain = gain.times(multiplier.unwrap_or(Multiplier::Two));
        most = most.times(multiplier.unwrap_or(highest));
        let state = match (multiplier, towards) {
            (Some(multiplier), _) => RungState::Reached(multiplier),
            (None, None) => RungState::Missed,
            (None, Some(next)) if next == palier => RungState::Next,
            (None, Some(_)) => RungState::Ahead,
        };
        Rung {
            palier,
            state,
            to_find: palier.to_find(),
            found: found_towards(palier, found),
            gain,
            most,
            reach: outlook.reach(palier),
            three: outlook.multiplier(palier, Multiplier::Three),
        }
    });
    (rungs, outlook.value_of_next().unwrap_or(Fraction::ZERO))
}
