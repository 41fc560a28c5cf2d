//! A game, folded from its events: what each event makes of it, or why it does not follow.

use super::{Event, Misfit, Payable, Payment, Recorded, State};
use crate::amount::{Amount, PotentialGain};
use crate::decided::{Kept, Unfinished, kept_at_expiry, kept_when_voided};
use crate::number::{Nature, Number, NumberSet, Picks};
use crate::palier::{Multiplier, Palier};
use crate::time::Timestamp;

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
    picks: Picks,
    multipliers: [Multiplier; 4],
    reached: u8,
    actions: u8,
    last: Option<Timestamp>,
}

impl Game {
    /// The game of a ticket whose stage 2 has not begun.
    #[must_use]
    #[inline]
    pub const fn new(potential_gain: PotentialGain) -> Self {
        Self {
            potential_gain,
            state: State::NotStarted,
            start: None,
            picks: Picks::NONE,
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
    #[inline]
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
        let good = usize::from(self.found());
        let nature = move |i| if i < good { Nature::Good } else { Nature::Losing };
        self.picks.iter().enumerate().map(move |(i, number)| (number, nature(i)))
    }

    /// The numbers picked, as a set.
    #[must_use]
    #[inline]
    pub const fn picked(&self) -> NumberSet {
        self.picks.set()
    }

    /// How many good numbers are found, 0 to 18.
    #[must_use]
    #[inline]
    pub const fn found(&self) -> u8 {
        let picked = self.picks.len();
        // The last number of a lost game is the losing one.
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
            State::NotStarted | State::PotentialGainPaid | State::OnPalier(_) | State::Won(..) => Some(self.acquired()),
            State::Picking(_) => None,
            State::Lost => Some(Amount::ZERO),
            State::Expired(payment) | State::Void(_, payment) => {
                Some(payment.map_or(Amount::ZERO, |_| self.acquired()))
            }
        }
    }

    /// Whether the game was started and has not ended.
    #[must_use]
    #[inline]
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
    #[inline]
    pub fn has_expired(&self, now: Timestamp) -> bool {
        self.is_running() && self.start.is_some_and(|start| self.not_before_last(now) >= start.finish_before)
    }

    /// What a point of sale may pay or has paid on the ticket; none while a game runs or where there is no gain.
    #[must_use]
    pub fn payable(&self) -> Option<Payable> {
        let payment = match self.state {
            State::NotStarted => Some(Payment::Due),
            State::PotentialGainPaid => Some(Payment::Paid),
            State::Picking(_) | State::OnPalier(_) | State::Lost => None,
            State::Won(_, payment) => Some(payment),
            State::Expired(payment) | State::Void(_, payment) => payment,
        };
        payment.map(|payment| Payable { amount: self.acquired(), paid: payment == Payment::Paid })
    }

    /// The game after this event.
    ///
    /// # Errors
    /// The event does not follow from this game, which stays as it is.
    pub fn apply(mut self, recorded: Recorded) -> Result<Self, Misfit> {
        self.advance(recorded)?;
        Ok(self)
    }

    /// The same in its place, for who plays millions of games.
    ///
    /// # Errors
    /// The event does not follow from this game, which stays as it is.
    // Always: a call would cost as much as the step itself, and few places make one.
    #[inline(always)]
    pub fn advance(&mut self, recorded: Recorded) -> Result<(), Misfit> {
        let Recorded { at, event } = recorded;
        // What the player does counts only before the 30 days end; nothing but the expiry does from then on.
        let out_of_time = self.is_running() && self.has_expired(at) != (event == Event::Expired);
        if out_of_time || self.last.is_some_and(|last| at < last) {
            return Err(Misfit::Time);
        }
        // Nothing is changed before all is checked.
        self.state = match (self.state, event) {
            (State::NotStarted, Event::Started { finish_before, unfinished }) => {
                if finish_before != at.finish_before() {
                    return Err(Misfit::Time);
                }
                self.start = Some(Start { at, finish_before, unfinished });
                self.actions += 1;
                State::Picking(Palier::One)
            }
            (State::Picking(palier), Event::Good(number)) => {
                let picks = self.picks.with(number).ok_or(Misfit::PickedAlready)?;
                if picks.len() >= palier.found_in_all() {
                    return Err(Misfit::PalierCount);
                }
                self.took(picks);
                State::Picking(palier)
            }
            (State::Picking(palier), Event::PalierReached(number, multiplier)) => {
                let picks = self.picks.with(number).ok_or(Misfit::PickedAlready)?;
                if picks.len() != palier.found_in_all() {
                    return Err(Misfit::PalierCount);
                }
                if multiplier != Multiplier::Two && self.potential_gain.always_doubles() {
                    return Err(Misfit::Multiplier);
                }
                self.took(picks);
                self.multipliers[palier.index()] = multiplier;
                self.reached = palier.rank();
                palier.as_stop().map_or(State::Won(palier, Payment::Due), State::OnPalier)
            }
            (State::Picking(_), Event::Losing(number)) => {
                self.took(self.picks.with(number).ok_or(Misfit::PickedAlready)?);
                State::Lost
            }
            (State::OnPalier(stop), Event::WentOn) => {
                self.actions += 1;
                State::Picking(stop.next())
            }
            (State::OnPalier(stop), Event::Quit) => {
                self.actions += 1;
                State::Won(stop.palier(), Payment::Due)
            }
            (state, event) => self.settled(state, event)?,
        };
        self.last = Some(at);
        Ok(())
    }

    #[inline]
    fn took(&mut self, picks: Picks) {
        self.picks = picks;
        self.actions += 1;
    }

    /// What an event that is not the player's makes of a state: seldom, and so kept apart from the picks.
    #[cold]
    fn settled(&self, state: State, event: Event) -> Result<State, Misfit> {
        match (state, event) {
            (State::Picking(_) | State::OnPalier(_), Event::Expired) => {
                let unfinished = self.start.map_or_else(Unfinished::default, |start| start.unfinished);
                Ok(State::Expired(due(kept_at_expiry(&state, unfinished))))
            }
            (State::Picking(_) | State::OnPalier(_), Event::Voided(reason)) => {
                Ok(State::Void(reason, due(kept_when_voided())))
            }
            (state, Event::Paid) => state.turned(Payment::Due, Payment::Paid),
            (state, Event::PaymentReversed) => state.turned(Payment::Paid, Payment::Due),
            _ => Err(Misfit::State),
        }
    }

    #[inline]
    pub(super) fn not_before_last(&self, now: Timestamp) -> Timestamp {
        self.last.map_or(now, |last| last.max(now))
    }
}

/// What becomes payable at an end that came early.
#[inline]
const fn due(kept: Kept) -> Option<Payment> {
    match kept {
        Kept::Nothing => None,
        Kept::Acquired => Some(Payment::Due),
    }
}

impl State {
    /// The same state with what is payable turned from this to that.
    fn turned(self, from: Payment, to: Payment) -> Result<Self, Misfit> {
        match self {
            Self::NotStarted if to == Payment::Paid => Ok(Self::PotentialGainPaid),
            Self::PotentialGainPaid if to == Payment::Due => Ok(Self::NotStarted),
            Self::Won(palier, payment) if payment == from => Ok(Self::Won(palier, to)),
            Self::Expired(Some(payment)) if payment == from => Ok(Self::Expired(Some(to))),
            Self::Void(reason, Some(payment)) if payment == from => Ok(Self::Void(reason, Some(to))),
            _ => Err(Misfit::State),
        }
    }
}
