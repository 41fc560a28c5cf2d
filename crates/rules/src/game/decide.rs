//! Which commands a game allows, and the event that each makes.

use super::{Command, Event, Game, Outcomes, Recorded, Refusal, State};
use crate::decided::may_stop;
use crate::number::{Nature, Number};
use crate::time::{Terms, Timestamp};

/// Whether the command may be given now, under the emission's settings.
///
/// # Errors
/// The reason why not; nothing is changed.
#[inline]
pub fn allowed(game: &Game, command: &Command, terms: &Terms, now: Timestamp) -> Result<(), Refusal> {
    let now = game.not_before_last(now);
    match command {
        Command::Continue => match game.state() {
            State::NotStarted if terms.start_before.is_some_and(|end| now >= end) => Err(Refusal::StartTooLate),
            State::NotStarted if terms.suspended => Err(Refusal::Suspended),
            State::NotStarted => Ok(()),
            State::OnPalier(_) => in_time(game, now),
            State::Picking(_) => in_time(game, now).and(Err(Refusal::BetweenPaliers)),
            _ => Err(closed(game)),
        },
        Command::Pick(number) => match game.state() {
            State::NotStarted => Err(Refusal::NotStarted),
            State::OnPalier(_) => in_time(game, now).and(Err(Refusal::ChooseFirst)),
            State::Picking(_) => {
                in_time(game, now)?;
                if game.picked().contains(*number) { Err(Refusal::PickedAlready) } else { Ok(()) }
            }
            _ => Err(closed(game)),
        },
        Command::Quit => match game.state() {
            State::NotStarted => Err(Refusal::NotStarted),
            state if may_stop(&state).is_some() => in_time(game, now),
            State::Picking(_) => in_time(game, now).and(Err(Refusal::BetweenPaliers)),
            _ => Err(closed(game)),
        },
        Command::Expire => match game.state() {
            State::NotStarted => Err(Refusal::NotStarted),
            State::Picking(_) | State::OnPalier(_) if game.has_expired(now) => Ok(()),
            State::Picking(_) | State::OnPalier(_) => Err(Refusal::NotExpired),
            _ => Err(closed(game)),
        },
        Command::Void(_) => match game.state() {
            State::NotStarted => Err(Refusal::NotStarted),
            State::Picking(_) | State::OnPalier(_) => in_time(game, now),
            _ => Err(closed(game)),
        },
        Command::Pay => match game.payable() {
            None if game.is_running() => Err(Refusal::StillRunning),
            None => Err(Refusal::NothingToPay),
            Some(payable) if payable.paid => Err(Refusal::PaidAlready),
            Some(_) if terms.pay_before.is_some_and(|end| now >= end) => Err(Refusal::PayTooLate),
            Some(_) => Ok(()),
        },
        Command::ReversePayment => match game.payable() {
            Some(payable) if payable.paid => Ok(()),
            _ => Err(Refusal::NotPaid),
        },
    }
}

#[inline]
fn in_time(game: &Game, now: Timestamp) -> Result<(), Refusal> {
    if game.has_expired(now) { Err(Refusal::FinishTooLate) } else { Ok(()) }
}

#[inline]
fn closed(game: &Game) -> Refusal {
    if game.state() == State::PotentialGainPaid { Refusal::PotentialGainPaid } else { Refusal::Over }
}

/// The event that the command makes. The draw is asked for what the command opens, and for nothing else.
///
/// # Errors
/// The reason why the command is refused; nothing is changed.
#[inline]
pub fn decide(
    game: &Game,
    command: Command,
    terms: &Terms,
    now: Timestamp,
    outcomes: &impl Outcomes,
) -> Result<Recorded, Refusal> {
    allowed(game, &command, terms, now)?;
    let at = game.not_before_last(now);
    let event = match command {
        Command::Continue if game.is_running() => Event::WentOn,
        Command::Continue => Event::Started { finish_before: at.finish_before(), unfinished: terms.unfinished },
        Command::Pick(number) => picked(game, number, outcomes),
        Command::Quit => Event::Quit,
        Command::Expire => Event::Expired,
        Command::Void(reason) => Event::Voided(reason),
        Command::Pay => Event::Paid,
        Command::ReversePayment => Event::PaymentReversed,
    };
    Ok(Recorded { at, event })
}

#[inline]
fn picked(game: &Game, number: Number, outcomes: &impl Outcomes) -> Event {
    if outcomes.nature(number) == Nature::Losing {
        return Event::Losing(number);
    }
    match game.state() {
        State::Picking(palier) if game.found() + 1 == palier.found_in_all() => {
            Event::PalierReached(number, outcomes.multiplier(palier))
        }
        _ => Event::Good(number),
    }
}
