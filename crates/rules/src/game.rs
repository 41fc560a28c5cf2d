//! The digital game as a fold of events (2.2.3 to 2.2.7), from CONTINUER to its payment.
//!
//! [`Game::apply`] gives the next game; [`allowed`] is asked on both sides of the wire; [`decide`] says which event a
//! command makes. One command makes exactly one event, so a game is never found half-way through a command. Resume,
//! replay, verification and audit are the same walk over the same events.

use crate::amount::{Amount, PotentialGain};
use crate::decided::{Kept, Unfinished, kept_at_expiry, kept_when_voided, may_stop};
use crate::number::{Nature, Number, NumberSet};
use crate::palier::{Multiplier, Palier, Stop};
use crate::time::{Terms, Timestamp};

/// The most numbers a game can pick: the good ones of all four paliers.
pub const MOST_PICKS: usize = Palier::Four.found_in_all() as usize;

/// What the player, the operator or the passing of time asks of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// CONTINUER: starts the game, or goes on from a palier; irrevocable (2.2.3).
    Continue,
    /// Picks a number.
    Pick(Number),
    /// QUITTER on a palier: settles the game at that palier's gain.
    Quit,
    /// The 30 days have ended (2.2.5).
    Expire,
    /// The operator voids a running game.
    Void(VoidReason),
    /// A point of sale pays what is payable.
    Pay,
    /// A payment made in error is taken back.
    ReversePayment,
}

/// Why an operator voids a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VoidReason {
    /// The draw cannot be opened any more, for example because its key is lost.
    DrawLost,
    /// The service failed the player in some other way.
    Malfunction,
    /// A dispute or an authority asked for it.
    Dispute,
}

/// What happened to a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// CONTINUER started the game: the potential gain is given up and at stake.
    Started {
        /// The 30 days end at this instant.
        finish_before: Timestamp,
        /// The emission's setting in force.
        unfinished: Unfinished,
    },
    /// A good number that completes no palier.
    Good(Number),
    /// A good number that completes the palier, and the multiplier drawn there.
    PalierReached(Number, Multiplier),
    /// A losing number: the whole play is lost.
    Losing(Number),
    /// CONTINUER on a palier: its gain is at stake again.
    WentOn,
    /// QUITTER on a palier: the game is won at its gain.
    Quit,
    /// The 30 days ended first.
    Expired,
    /// The operator voided the game.
    Voided(VoidReason),
    /// What was payable is paid.
    Paid,
    /// The payment was taken back.
    PaymentReversed,
}

/// An event and when it happened; instants never go back within a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Recorded {
    /// When: the later of the server's clock and the event before.
    pub at: Timestamp,
    /// What.
    pub event: Event,
}

/// What the draw says of a number or of a palier, once it is asked for. Only an engine that holds the draw has it.
pub trait Outcomes {
    /// The nature of a number that is being picked.
    fn nature(&self, number: Number) -> Nature;
    /// The multiplier of a palier that is being reached.
    fn multiplier(&self, palier: Palier) -> Multiplier;
}

/// An amount that a point of sale pays, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Payable {
    /// How much.
    pub amount: Amount,
    /// Whether it has been paid (and not been taken back since).
    pub paid: bool,
}

/// Where a game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Stage 2 has not begun; the potential gain can be paid or put at stake.
    NotStarted,
    /// The potential gain was paid: stage 2 is closed.
    PotentialGainPaid,
    /// Numbers are being picked towards this palier.
    Picking(Palier),
    /// Standing on a palier: go on, or stop.
    OnPalier(Stop),
    /// Won at this palier.
    Won(Palier, Payable),
    /// A losing number was picked.
    Lost,
    /// The 30 days ended, with or without a gain.
    Expired(Option<Payable>),
    /// Voided by the operator, with what is kept.
    Void(VoidReason, Option<Payable>),
}

/// Why a command is refused. A refusal changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The game has not been started by CONTINUER.
    NotStarted,
    /// A number must be picked first: one can neither stop nor go on between two paliers.
    BetweenPaliers,
    /// On a palier: CONTINUER or QUITTER comes before another pick.
    ChooseFirst,
    /// This number has been picked already.
    PickedAlready,
    /// The emission's time to start a game has ended (2.2.4).
    StartTooLate,
    /// The operator has suspended new games.
    Suspended,
    /// The 30 days to finish have ended (2.2.5).
    FinishTooLate,
    /// The 30 days have not ended yet.
    NotExpired,
    /// The game is over.
    Over,
    /// The potential gain was paid, which closed stage 2.
    PotentialGainPaid,
    /// The game is running: nothing is payable before its end.
    StillRunning,
    /// The game ended without a gain.
    NothingToPay,
    /// It was paid already.
    PaidAlready,
    /// There is no payment to take back.
    NotPaid,
    /// The emission's time to be paid has ended.
    PayTooLate,
}

/// Why an event does not follow from a game: what is stored, or was sent, is not a game of this règlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Misfit {
    /// Nothing of the kind can happen in this state.
    State,
    /// The number was picked before.
    PickedAlready,
    /// A palier is reached with too few good numbers, or is not reached with enough of them.
    PalierCount,
    /// A multiplier that the potential gain does not have.
    Multiplier,
    /// Earlier than the event before it, or at a time at which it cannot happen.
    Time,
}

/// How a game was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Start {
    /// When CONTINUER was recorded.
    pub at: Timestamp,
    /// When the 30 days end: the game is over from this instant on.
    pub finish_before: Timestamp,
    /// What it is worth if they end between two paliers.
    pub unfinished: Unfinished,
}

/// The game of one winning ticket, as its events have made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game {
    potential_gain: PotentialGain,
    state: State,
    start: Option<Start>,
    /// The picks in order, as many as `picked` holds.
    order: [u8; MOST_PICKS],
    picked: NumberSet,
    multipliers: [Multiplier; 4],
    reached: u8,
    actions: u8,
    last: Option<Timestamp>,
}

impl Game {
    /// The game of a ticket whose stage 2 has not begun.
    #[must_use]
    pub const fn new(potential_gain: PotentialGain) -> Self {
        Self {
            potential_gain,
            state: State::NotStarted,
            start: None,
            order: [0; MOST_PICKS],
            picked: NumberSet::EMPTY,
            multipliers: [Multiplier::Two; 4],
            reached: 0,
            actions: 0,
            last: None,
        }
    }

    /// The game that these events have made.
    ///
    /// # Errors
    /// The first event that does not follow from those before it.
    pub fn fold(potential_gain: PotentialGain, events: impl IntoIterator<Item = Recorded>) -> Result<Self, Misfit> {
        events.into_iter().try_fold(Self::new(potential_gain), |game, event| game.apply(event))
    }

    /// What was at stake at the start.
    #[must_use]
    pub const fn potential_gain(&self) -> PotentialGain {
        self.potential_gain
    }

    /// Where the game stands.
    #[must_use]
    pub const fn state(&self) -> State {
        self.state
    }

    /// How it was started, if it was.
    #[must_use]
    pub const fn start(&self) -> Option<Start> {
        self.start
    }

    /// How many actions the player has made (CONTINUER, picks, QUITTER): the `seq` of the next one.
    #[must_use]
    pub const fn seq(&self) -> u32 {
        self.actions as u32
    }

    /// When its last event happened.
    #[must_use]
    pub const fn last_event_at(&self) -> Option<Timestamp> {
        self.last
    }

    /// The numbers picked, in order, each with its nature.
    pub fn picks(&self) -> impl Iterator<Item = (Number, Nature)> + '_ {
        let count = self.picked.len() as usize;
        let losing = matches!(self.state, State::Lost).then(|| count.wrapping_sub(1));
        self.order[..count].iter().enumerate().filter_map(move |(i, n)| {
            let nature = if losing == Some(i) { Nature::Losing } else { Nature::Good };
            Number::new(*n).map(|number| (number, nature))
        })
    }

    /// The numbers picked, as a set.
    #[must_use]
    pub const fn picked(&self) -> NumberSet {
        self.picked
    }

    /// How many good numbers are found, 0 to 18.
    #[must_use]
    pub const fn found(&self) -> u8 {
        // At most 18 numbers are ever picked.
        let picked = self.picked.len() as u8;
        if matches!(self.state, State::Lost) { picked - 1 } else { picked }
    }

    /// The multipliers of the paliers reached, in order.
    #[must_use]
    pub fn multipliers(&self) -> &[Multiplier] {
        &self.multipliers[..usize::from(self.reached)]
    }

    /// The last palier reached, also of a game that was lost after it.
    #[must_use]
    pub fn palier_reached(&self) -> Option<Palier> {
        Palier::from_rank(self.reached.into())
    }

    /// The potential gain times the multipliers so far (2.2.7): what is at stake, or what a palier is worth.
    #[must_use]
    pub fn acquired(&self) -> Amount {
        self.multipliers().iter().fold(self.potential_gain.amount(), |gain, m| gain.times(*m))
    }

    /// What the ticket gives if one stops here, or what the game has given; none where one cannot stop.
    #[must_use]
    pub fn gain(&self) -> Option<Amount> {
        match self.state {
            State::NotStarted | State::PotentialGainPaid | State::OnPalier(_) => Some(self.acquired()),
            State::Picking(_) => None,
            State::Won(_, payable) => Some(payable.amount),
            State::Expired(payable) | State::Void(_, payable) => Some(payable.map_or(Amount::ZERO, |p| p.amount)),
            State::Lost => Some(Amount::ZERO),
        }
    }

    /// Whether the game was started and has not ended.
    #[must_use]
    pub const fn is_running(&self) -> bool {
        matches!(self.state, State::Picking(_) | State::OnPalier(_))
    }

    /// Whether the game was started and has ended: from then on its draw is revealed.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        matches!(self.state, State::Won(..) | State::Lost | State::Expired(_) | State::Void(..))
    }

    /// Whether its 30 days have ended without its being settled yet.
    #[must_use]
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.is_running() && self.start.is_some_and(|start| self.not_before_last(now) >= start.finish_before)
    }

    /// What a point of sale may pay or has paid on the ticket; none while a game runs or where there is no gain.
    #[must_use]
    pub fn payable(&self) -> Option<Payable> {
        match self.state {
            State::NotStarted => Some(Payable { amount: self.potential_gain.amount(), paid: false }),
            State::PotentialGainPaid => Some(Payable { amount: self.potential_gain.amount(), paid: true }),
            State::Picking(_) | State::OnPalier(_) | State::Lost => None,
            State::Won(_, payable) => Some(payable),
            State::Expired(payable) | State::Void(_, payable) => payable,
        }
    }

    /// The game after this event.
    ///
    /// # Errors
    /// The event does not follow from this game, which stays as it is.
    pub fn apply(self, recorded: Recorded) -> Result<Self, Misfit> {
        let Recorded { at, event } = recorded;
        if self.last.is_some_and(|last| at < last) {
            return Err(Misfit::Time);
        }
        // What the player does counts only before the 30 days end; nothing but the expiry does from then on.
        if self.is_running() && self.has_expired(at) != (event == Event::Expired) {
            return Err(Misfit::Time);
        }
        let mut next = Self { last: Some(at), ..self };
        match event {
            Event::Started { finish_before, unfinished } => {
                next.start = Some(Start { at, finish_before, unfinished });
                next.count_action();
            }
            Event::Good(number) | Event::PalierReached(number, _) | Event::Losing(number) => {
                if !matches!(self.state, State::Picking(_)) {
                    return Err(Misfit::State);
                }
                next.pick(number)?;
                next.count_action();
            }
            Event::WentOn | Event::Quit => next.count_action(),
            Event::Expired | Event::Voided(_) | Event::Paid | Event::PaymentReversed => {}
        }
        next.state = match (self.state, event) {
            (State::NotStarted, Event::Started { finish_before, .. }) => {
                if finish_before != at.finish_before() {
                    return Err(Misfit::Time);
                }
                State::Picking(Palier::One)
            }
            (State::Picking(palier), Event::Good(_)) => {
                if next.picked.len() >= palier.found_in_all().into() {
                    return Err(Misfit::PalierCount);
                }
                State::Picking(palier)
            }
            (State::Picking(palier), Event::PalierReached(_, multiplier)) => {
                if next.picked.len() != palier.found_in_all().into() {
                    return Err(Misfit::PalierCount);
                }
                if multiplier != Multiplier::Two && self.potential_gain.always_doubles() {
                    return Err(Misfit::Multiplier);
                }
                next.multipliers[palier.index()] = multiplier;
                next.reached = palier.rank();
                match palier.as_stop() {
                    Some(stop) => State::OnPalier(stop),
                    None => State::Won(palier, next.due()),
                }
            }
            (State::Picking(_), Event::Losing(_)) => State::Lost,
            (State::OnPalier(stop), Event::WentOn) => State::Picking(stop.next()),
            (State::OnPalier(stop), Event::Quit) => State::Won(stop.palier(), next.due()),
            (State::Picking(_) | State::OnPalier(_), Event::Expired) => {
                let unfinished = self.start.map_or_else(Unfinished::default, |start| start.unfinished);
                State::Expired(next.kept(kept_at_expiry(&self.state, unfinished)))
            }
            (State::Picking(_) | State::OnPalier(_), Event::Voided(reason)) => {
                State::Void(reason, next.kept(kept_when_voided()))
            }
            (state, Event::Paid) => state.with_payment(false, true)?,
            (state, Event::PaymentReversed) => state.with_payment(true, false)?,
            _ => return Err(Misfit::State),
        };
        Ok(next)
    }

    fn count_action(&mut self) {
        self.actions = self.actions.saturating_add(1);
    }

    fn pick(&mut self, number: Number) -> Result<(), Misfit> {
        if self.picked.contains(number) {
            return Err(Misfit::PickedAlready);
        }
        let slot = self.order.get_mut(self.picked.len() as usize).ok_or(Misfit::PalierCount)?;
        *slot = number.get();
        self.picked = self.picked.with(number);
        Ok(())
    }

    fn due(&self) -> Payable {
        Payable { amount: self.acquired(), paid: false }
    }

    fn kept(&self, kept: Kept) -> Option<Payable> {
        match kept {
            Kept::Nothing => None,
            Kept::Acquired => Some(self.due()),
        }
    }

    fn not_before_last(&self, now: Timestamp) -> Timestamp {
        self.last.map_or(now, |last| last.max(now))
    }
}

impl State {
    fn with_payment(self, from: bool, to: bool) -> Result<Self, Misfit> {
        let turned = |payable: Payable| {
            if payable.paid == from { Ok(Payable { paid: to, ..payable }) } else { Err(Misfit::State) }
        };
        Ok(match self {
            Self::NotStarted if to => Self::PotentialGainPaid,
            Self::PotentialGainPaid if !to => Self::NotStarted,
            Self::Won(palier, payable) => Self::Won(palier, turned(payable)?),
            Self::Expired(Some(payable)) => Self::Expired(Some(turned(payable)?)),
            Self::Void(reason, Some(payable)) => Self::Void(reason, Some(turned(payable)?)),
            _ => return Err(Misfit::State),
        })
    }
}

/// Whether the command may be given now, under the emission's settings.
///
/// # Errors
/// The reason why not; nothing is changed.
pub fn allowed(game: &Game, command: &Command, terms: &Terms, now: Timestamp) -> Result<(), Refusal> {
    let now = game.not_before_last(now);
    match command {
        Command::Continue => match game.state {
            State::NotStarted if terms.start_before.is_some_and(|end| now >= end) => Err(Refusal::StartTooLate),
            State::NotStarted if terms.suspended => Err(Refusal::Suspended),
            State::NotStarted => Ok(()),
            State::OnPalier(_) => in_time(game, now),
            State::Picking(_) => in_time(game, now).and(Err(Refusal::BetweenPaliers)),
            _ => Err(closed(game)),
        },
        Command::Pick(number) => match game.state {
            State::NotStarted => Err(Refusal::NotStarted),
            State::OnPalier(_) => in_time(game, now).and(Err(Refusal::ChooseFirst)),
            State::Picking(_) => {
                in_time(game, now)?;
                if game.picked.contains(*number) { Err(Refusal::PickedAlready) } else { Ok(()) }
            }
            _ => Err(closed(game)),
        },
        Command::Quit => match game.state {
            State::NotStarted => Err(Refusal::NotStarted),
            state if may_stop(&state).is_some() => in_time(game, now),
            State::Picking(_) => in_time(game, now).and(Err(Refusal::BetweenPaliers)),
            _ => Err(closed(game)),
        },
        Command::Expire => match game.state {
            State::NotStarted => Err(Refusal::NotStarted),
            State::Picking(_) | State::OnPalier(_) if game.has_expired(now) => Ok(()),
            State::Picking(_) | State::OnPalier(_) => Err(Refusal::NotExpired),
            _ => Err(closed(game)),
        },
        Command::Void(_) => match game.state {
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

fn in_time(game: &Game, now: Timestamp) -> Result<(), Refusal> {
    if game.has_expired(now) { Err(Refusal::FinishTooLate) } else { Ok(()) }
}

fn closed(game: &Game) -> Refusal {
    if game.state == State::PotentialGainPaid { Refusal::PotentialGainPaid } else { Refusal::Over }
}

/// The event that the command makes. The draw is asked for what the command opens, and for nothing else.
///
/// # Errors
/// The reason why the command is refused; nothing is changed.
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

fn picked(game: &Game, number: Number, outcomes: &impl Outcomes) -> Event {
    if outcomes.nature(number) == Nature::Losing {
        return Event::Losing(number);
    }
    match game.state {
        State::Picking(palier) if game.found() + 1 == palier.found_in_all() => {
            Event::PalierReached(number, outcomes.multiplier(palier))
        }
        _ => Event::Good(number),
    }
}

#[cfg(test)]
mod tests;
