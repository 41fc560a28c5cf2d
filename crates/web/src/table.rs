//! An open ticket: what the server told of it, what was checked, and what the player is doing about it.

use protocol::{ContinueRequest, FirstContinue, GameView, PickRequest, ProblemCode, QuitRequest, StateName};
use rules::{Command, Game, Refusal, Terms, Timestamp, allowed};
use seal::receipt::Signed;
use seal::{ClientSeed, TicketId};

use crate::evidence;
use crate::flow::{Answer, Call};
use crate::held::{Held, Pending};
use crate::model::{Action, Dialog, EntryNotice, Failure, PlayNotice, Proof, StakeClosed, Step};
use crate::played::{Fit, Played, sealed};
use crate::receipts::{Given, Verdict};
use crate::state::{Effect, Timer, Turn};

/// Timers of a browser cannot wait for days: it is looked again at least so often, in milliseconds.
const LONGEST_WAIT: i64 = 3_600_000;

/// How far this clock may be behind the server's before an expiry is not believed, in milliseconds: a day.
const CLOCK_SLACK: i64 = 86_400_000;

/// Someone else may pick between the two questions « where does it stand » and « how did it come there »; a server that never agrees with itself lies.
const MOST_ROUNDS: u8 = 5;

/// A ticket that is open on this page.
pub(crate) struct Table {
    /// As the server told it last, and as it was checked.
    pub(crate) view: GameView,
    /// As the server told it now: it is shown once its transcript is checked.
    incoming: Option<GameView>,
    /// The started game.
    pub(crate) played: Option<Played>,
    pub(crate) held: Held,
    pub(crate) receipts: Given,
    pub(crate) mode: Mode,
    pub(crate) dialog: Option<Dialog>,
    pub(crate) notice: Option<PlayNotice>,
    /// Why the server refused to start the game, if it did.
    pub(crate) refused: Option<StakeClosed>,
    /// The last thing that happened here.
    pub(crate) last: Option<Step>,
    /// The code was entered for it just now: what was once confirmed is asked for again.
    by_code: bool,
    /// A proof failed earlier, and the player wants the game nevertheless.
    taken_up: bool,
    /// How often the transcript was ahead of the game in a row.
    rounds: u8,
    armed: bool,
}

/// What of the ticket is shown.
pub(crate) enum Mode {
    /// The game itself.
    Game,
    /// The question whether it was begun elsewhere.
    OtherSeed { saved: bool },
    /// A proof failed: here, or before the page was loaded.
    Failed { failure: Failure, saved: bool, earlier: bool },
}

impl Table {
    pub(crate) fn new(view: &GameView, held: Option<Held>, by_code: bool) -> Self {
        Self {
            view: view.clone(),
            incoming: None,
            played: None,
            held: held.unwrap_or(Held::first_seen(view)),
            receipts: Given::default(),
            mode: Mode::Game,
            dialog: None,
            notice: None,
            refused: None,
            last: None,
            by_code,
            taken_up: false,
            rounds: 0,
            armed: false,
        }
    }

    pub(crate) const fn ticket(&self) -> TicketId {
        self.view.ticket_id
    }

    /// Whether this is the whole game of this browser, or one begun with a seed of another.
    pub(crate) fn proof(&self) -> Proof {
        let ours = self.played.as_ref().map(Played::client_seed);
        if ours.is_some() && ours == self.held.client_seed { Proof::Whole } else { Proof::SealOnly }
    }

    /// Before CONTINUER, with the choice open.
    pub(crate) fn is_at_stake(&self) -> bool {
        matches!(self.mode, Mode::Game) && self.view.state == StateName::NotStarted
    }

    pub(crate) fn notice_on_leaving(&self) -> Option<EntryNotice> {
        // Whoever says that this game is another's is not told that it waits.
        if matches!(self.mode, Mode::OtherSeed { .. }) {
            return None;
        }
        match self.view.state {
            StateName::NotStarted => Some(EntryNotice::StillPayable(self.view.pay_before)),
            StateName::Picking | StateName::OnPalier => Some(EntryNotice::GameWaits),
            _ => None,
        }
    }

    /// Another tab or device may have gone on, or a point of sale have paid.
    pub(crate) const fn may_have_moved(&self) -> bool {
        matches!(self.mode, Mode::Game | Mode::OtherSeed { .. })
    }

    /// Stops the game where something does not hold, and keeps that and its report: a reload does not undo it.
    pub(crate) fn settle(&mut self, done: Result<(), Failure>, raw: &str, turn: &mut Turn) {
        if let Err(failure) = done {
            let report = evidence::evidence(failure.name(), raw, &self.view, &self.held, self.saved().as_deref());
            turn.effects.push(Effect::KeepReport(self.ticket(), report));
            self.held.failed = Some(failure);
            self.hold(turn);
            self.mode = Mode::Failed { failure, saved: false, earlier: false };
            self.dialog = None;
        }
    }

    /// The rules' answer to a command, in the terms that the server told.
    fn allowed(&self, command: Command, now: Timestamp) -> Result<(), Refusal> {
        let terms = Terms {
            start_before: self.view.start_before,
            unfinished: self.view.unfinished,
            suspended: self.view.suspended,
            pay_before: self.view.pay_before,
        };
        let fresh = Game::new(self.view.potential_gain);
        allowed(self.played.as_ref().map_or(&fresh, Played::game), &command, &terms, now)
    }

    pub(crate) fn closed(&self, now: Timestamp) -> Option<StakeClosed> {
        match self.allowed(Command::Continue, now) {
            Err(Refusal::StartTooLate) => Some(StakeClosed::TooLate),
            Err(Refusal::Suspended) => Some(StakeClosed::Suspended),
            _ => self.refused,
        }
    }

    // --- what the server tells ---

    /// The game as the server tells it, not in answer to an action.
    pub(crate) fn enter(
        &mut self,
        view: &GameView,
        held: Option<Held>,
        turn: &mut Turn,
        now: Timestamp,
    ) -> Result<(), Failure> {
        match self.mode {
            Mode::Failed { earlier: true, .. } if self.taken_up => self.mode = Mode::Game,
            Mode::Failed { .. } => return Ok(()),
            _ => {}
        }
        self.held = held.unwrap_or(self.held);
        if let Some(failure) = self.held.failed.filter(|_| !self.taken_up) {
            self.mode = Mode::Failed { failure, saved: false, earlier: true };
            self.dialog = None;
            return Ok(());
        }
        self.same_ticket(view)?;
        if self.played.is_none() && view.seq < self.held.proven {
            // Another tab may have gone on while this answer was on its way; a server that stays behind rolls the game back.
            return self.once_more(turn);
        }
        match view.state {
            StateName::NotStarted | StateName::PotentialGainPaid => {
                if self.played.is_some() || view.seq != 0 || view.client_seed.is_some() || view.server_seed.is_some() {
                    return Err(Failure::Game);
                }
                self.view = view.clone();
                if held.is_none() {
                    self.hold(turn);
                }
                self.resume(turn, now);
            }
            _ if self.played.as_ref().is_some_and(|played| played.agrees(view)) => {
                self.view = view.clone();
                self.come_to_rest(turn, now);
            }
            _ => {
                self.incoming = Some(view.clone());
                turn.call = Some(Call::Transcript);
            }
        }
        Ok(())
    }

    /// The ticket, its potential gain and its commitment never change.
    fn same_ticket(&self, view: &GameView) -> Result<(), Failure> {
        let kept = (self.held.potential_gain, self.held.commitment) == (view.potential_gain, view.commitment);
        let same = sealed(&self.view) == sealed(view) && self.view.ticket_number == view.ticket_number;
        if kept && same { Ok(()) } else { Err(Failure::Commitment) }
    }

    /// The answer to a call about this ticket.
    pub(crate) fn answered(
        &mut self,
        call: &Call,
        answer: Answer,
        held: Option<Held>,
        turn: &mut Turn,
        now: Timestamp,
    ) -> Result<(), Failure> {
        self.held = held.unwrap_or(self.held);
        let (view, receipt) = match (call, answer) {
            (Call::Transcript, Answer::Transcript(transcript, receipts)) => {
                let Some(view) = self.incoming.take() else { return Ok(()) };
                return match Played::told(&view, transcript, self.played.as_ref())? {
                    Fit::Later => self.once_more(turn),
                    Fit::Now(played) if played.has_expired_early(now.millis() + CLOCK_SLACK) => Err(Failure::Game),
                    Fit::Now(played) => {
                        let (number, unfinished) = (view.ticket_number, view.unfinished);
                        let told = receipts.map(|receipts| *receipts);
                        let check = self.receipts.told(told, &played.transcript(), number, unfinished)?;
                        turn.effects.push(Effect::Check(self.ticket(), check));
                        self.notice = Some(match &self.played {
                            Some(_) => PlayNotice::WentOnElsewhere,
                            None => PlayNotice::Resumed,
                        });
                        (self.last, self.dialog, self.armed) = (None, None, false);
                        self.played = Some(*played);
                        self.view = view;
                        self.come_to_rest(turn, now);
                        Ok(())
                    }
                };
            }
            (Call::GoOn(ContinueRequest { first: Some(first), .. }), Answer::Done(answer)) => {
                self.same_ticket(&answer.game)?;
                self.played = Played::started(&answer.game, first.client_seed);
                (answer.game, answer.receipt)
            }
            (Call::GoOn(_), Answer::Done(answer)) => {
                self.played()?.go_on()?;
                (answer.game, answer.receipt)
            }
            (Call::Quit(_), Answer::Done(answer)) => {
                self.played()?.quit()?;
                (answer.game, answer.receipt)
            }
            (Call::Pick(request), Answer::Pick(answer)) => {
                let told = (answer.game.clone(), answer.receipt);
                self.played()?.pick(request.number, *answer)?;
                told
            }
            _ => return Err(Failure::Unreadable),
        };
        if let Some(played) = &self.played {
            let game = played.transcript();
            let check = self.receipts.answered(receipt, &game, view.ticket_number, view.unfinished)?;
            turn.effects.extend(check.map(|check| Effect::Check(self.ticket(), Vec::from([check]))));
        }
        self.held.pending = None;
        self.held.proven = self.held.proven.max(self.played.as_ref().map_or(0, |played| played.game().seq()));
        self.hold(turn);
        self.notice = None;
        self.by_code = false;
        if let Some(played) = &mut self.played
            && played.agrees(&view)
        {
            played.reveal(&view)?;
            self.last = played.last_step();
            self.view = view;
            self.come_to_rest(turn, now);
            return Ok(());
        }
        // What was answered holds, but the game has gone on since, or is told otherwise: its transcript decides.
        self.enter(&view, None, turn, now)
    }

    /// The session's receipt.
    pub(crate) fn opened(&mut self, signed: Signed, turn: &mut Turn) {
        let check = self.receipts.opened(signed, &sealed(&self.view), self.view.ticket_number);
        turn.effects.push(Effect::Check(self.ticket(), Vec::from([check])));
    }

    /// What the browser said of receipts.
    pub(crate) fn checked(&mut self, verdict: Verdict, turn: &mut Turn) -> Result<(), Failure> {
        // What failed first stays.
        if matches!(self.mode, Mode::Failed { .. }) {
            return Ok(());
        }
        self.receipts.checked(verdict)?;
        turn.effects.extend(self.saved().map(|game| Effect::KeepGame(self.ticket(), game)));
        Ok(())
    }

    /// The game as it is saved.
    fn saved(&self) -> Option<String> {
        let game = self.played.as_ref()?.transcript();
        Some(self.receipts.saved(&game, self.view.ticket_number, self.view.unfinished))
    }

    /// Asks for the game again, but not without end.
    fn once_more(&mut self, turn: &mut Turn) -> Result<(), Failure> {
        if self.rounds >= MOST_ROUNDS {
            return Err(Failure::Game);
        }
        self.rounds += 1;
        turn.call = Some(Call::Game);
        Ok(())
    }

    fn played(&mut self) -> Result<&mut Played, Failure> {
        self.played.as_mut().ok_or(Failure::Game)
    }

    /// The server refused an action: it is not tried again.
    pub(crate) fn refused(&mut self, code: ProblemCode, held: Option<Held>, turn: &mut Turn) {
        self.held = held.unwrap_or(self.held);
        self.held.pending = None;
        self.hold(turn);
        self.notice = Some(PlayNotice::Refused);
        // A suspension is told by the game itself; that its time is over may be known to the server alone, by its clock.
        if code == ProblemCode::StartTooLate {
            self.refused = Some(StakeClosed::TooLate);
        }
    }

    /// The view and the checked game are one: whose seed it is, and what is still to be done.
    fn come_to_rest(&mut self, turn: &mut Turn, now: Timestamp) {
        let Some(played) = &self.played else { return };
        self.rounds = 0;
        let proven = played.game().seq();
        let seed = Some(played.client_seed());
        let known = seed == self.held.client_seed || seed == self.held.elsewhere;
        if proven > self.held.proven {
            self.held.proven = proven;
            self.hold(turn);
        }
        match (&self.mode, known) {
            (Mode::Game, false) => self.mode = Mode::OtherSeed { saved: false },
            (Mode::OtherSeed { .. }, true) => self.mode = Mode::Game,
            _ => {}
        }
        if known {
            self.resume(turn, now);
        }
        if !self.armed {
            self.deadline(turn, now);
        }
    }

    /// Takes up the action whose answer never came, if it was not done since.
    fn resume(&mut self, turn: &mut Turn, now: Timestamp) {
        let Some(pending) = self.held.pending else { return };
        // Entered by code, perhaps days later: a number stays picked, but what is irrevocable is confirmed anew.
        let stands = matches!(pending, Pending::Pick(..)) || !self.by_code;
        let seq = self.played.as_ref().map_or(0, |played| played.game().seq());
        match self.call_of(pending) {
            Some(call) if stands && pending.seq() == seq && self.allowed(command(pending), now).is_ok() => {
                turn.call = Some(call);
            }
            _ => {
                self.held.pending = None;
                self.hold(turn);
            }
        }
    }

    // --- what the player does ---

    pub(crate) fn act(&mut self, action: Action, busy: bool, turn: &mut Turn, now: Timestamp) {
        match (&self.mode, action) {
            (_, Action::Save) => self.save(turn),
            (Mode::Game, Action::Cancel) => self.dialog = None,
            (Mode::Game, action) if !busy => self.act_in_game(action, turn, now),
            (Mode::Failed { earlier: true, .. }, Action::TakeUpAgain) if !busy => {
                self.taken_up = true;
                turn.call = Some(Call::Game);
            }
            (Mode::OtherSeed { .. }, Action::BegunElsewhere) => {
                self.held.elsewhere = self.played.as_ref().map(Played::client_seed);
                self.held.pending = None;
                self.hold(turn);
                self.come_to_rest(turn, now);
            }
            _ => {}
        }
    }

    fn act_in_game(&mut self, action: Action, turn: &mut Turn, now: Timestamp) {
        let seq = self.played.as_ref().map_or(0, |played| played.game().seq());
        let at_stake =
            self.played.as_ref().map_or(self.view.potential_gain.amount(), |played| played.game().acquired());
        match (action, self.dialog) {
            (Action::Continue, _) if self.allowed(Command::Continue, now).is_ok() && self.refused.is_none() => {
                // The age is declared once, with the CONTINUER that starts the game.
                let adult = self.played.is_none().then_some(false);
                self.dialog = Some(Dialog::Continue { at_risk: at_stake, adult });
            }
            (Action::Quit, _) if self.allowed(Command::Quit, now).is_ok() => {
                self.dialog = Some(Dialog::Quit { gain: at_stake });
            }
            (Action::Adult(declared), Some(Dialog::Continue { at_risk, adult: Some(_) })) => {
                self.dialog = Some(Dialog::Continue { at_risk, adult: Some(declared) });
            }
            (Action::Confirm, Some(Dialog::Continue { adult: Some(true), .. })) => {
                self.dialog = None;
                turn.effects.push(Effect::DrawSeed(self.ticket()));
            }
            (Action::Confirm, Some(Dialog::Continue { adult: None, .. })) => self.play(Pending::GoOn(seq), turn, now),
            (Action::Confirm, Some(Dialog::Quit { .. })) => self.play(Pending::Quit(seq), turn, now),
            (Action::Pick(number), None) => self.play(Pending::Pick(seq, number), turn, now),
            (Action::Replay, None) => {
                if let Some(played) = self.played.as_ref().filter(|played| played.losing().is_some()) {
                    turn.effects.push(Effect::Review(evidence::to_review(&self.view, &played.transcript())));
                }
            }
            _ => {}
        }
    }

    /// The seed is there: kept first, then sent. One that was drawn before for this ticket is the one for ever.
    pub(crate) fn drawn(&mut self, held: Option<Held>, fresh: ClientSeed, turn: &mut Turn) -> Result<(), Failure> {
        if !self.is_at_stake() {
            return Ok(());
        }
        self.held = held.unwrap_or(self.held);
        self.same_ticket(&self.view)?;
        self.held.client_seed = self.held.client_seed.or(Some(fresh));
        self.send(Pending::GoOn(0), turn);
        Ok(())
    }

    /// Does what the rules allow; anything else is not even sent.
    fn play(&mut self, pending: Pending, turn: &mut Turn, now: Timestamp) {
        self.dialog = None;
        match self.allowed(command(pending), now) {
            Ok(()) => self.send(pending, turn),
            // By this clock the 30 days have ended: the server's word is asked for.
            Err(Refusal::FinishTooLate) => turn.call = Some(Call::Game),
            Err(_) => {}
        }
    }

    fn send(&mut self, pending: Pending, turn: &mut Turn) {
        self.held.pending = Some(pending);
        self.hold(turn);
        turn.call = self.call_of(pending);
    }

    fn hold(&self, turn: &mut Turn) {
        turn.effects.push(Effect::Hold(self.ticket(), self.held));
    }

    /// The request of an action: every time the same.
    fn call_of(&self, pending: Pending) -> Option<Call> {
        Some(match pending {
            Pending::GoOn(seq) if self.played.is_some() => Call::GoOn(ContinueRequest { seq, first: None }),
            Pending::GoOn(seq) => {
                let first = FirstContinue { commitment: self.held.commitment, client_seed: self.held.client_seed? };
                Call::GoOn(ContinueRequest { seq, first: Some(first) })
            }
            Pending::Pick(seq, number) => Call::Pick(PickRequest { seq, number }),
            Pending::Quit(seq) => Call::Quit(QuitRequest { seq }),
        })
    }

    fn save(&mut self, turn: &mut Turn) {
        let game = self.saved();
        let number = self.view.ticket_number;
        turn.effects.push(match (&mut self.mode, game) {
            (Mode::Failed { saved, .. }, _) => {
                *saved = true;
                Effect::GiveReport { ticket: self.view.ticket_id, name: evidence::file_name(number, true) }
            }
            (Mode::OtherSeed { saved }, game) => {
                *saved = true;
                let text = evidence::evidence("other_seed", "", &self.view, &self.held, game.as_deref());
                Effect::Download { name: evidence::file_name(number, true), text }
            }
            (_, Some(text)) => Effect::Download { name: evidence::file_name(number, false), text },
            (_, None) => return,
        });
    }

    // --- time ---

    /// Waits for the end of the 30 days. True where it has come.
    pub(crate) fn deadline(&mut self, turn: &mut Turn, now: Timestamp) -> bool {
        let running = self.played.as_ref().map(Played::game).filter(|game| game.is_running());
        let Some(start) = running.and_then(Game::start) else {
            self.armed = false;
            return false;
        };
        self.armed = true;
        let left = start.finish_before.millis() - now.millis();
        // Past it, the server is asked; should its clock be behind this one, again a little later.
        let wait = if left > 0 { left.min(LONGEST_WAIT) } else { 60_000 };
        turn.effects.push(Effect::Wait(Timer::Deadline, u32::try_from(wait).unwrap_or(60_000)));
        left <= 0
    }
}

const fn command(pending: Pending) -> Command {
    match pending {
        Pending::GoOn(_) => Command::Continue,
        Pending::Pick(_, number) => Command::Pick(number),
        Pending::Quit(_) => Command::Quit,
    }
}
