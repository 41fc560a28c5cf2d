//! What the page knows and what it waits for: one value, one reducer. It reads no clock, storage or network; what these say is handed in as an
//! [`Input`], and what is wanted of them is handed out as [`Effect`]s, to be carried out in their order.

use protocol::{CallError, Problem, ProblemCode};
use rules::{Code, Timestamp};
use seal::{ClientSeed, Json, TicketId};

use crate::flow::{Answer, Call};
use crate::held::Held;
use crate::model::{Action, Entry, EntryNotice, EntryProblem, Failure, Network};
use crate::receipts::{ToCheck, Verdict};
use crate::table::Table;

/// Something that happened outside.
pub enum Input {
    /// The page was loaded.
    Start {
        /// A code that was brought by the link or submitted before the app was there.
        code: Option<String>,
        /// What stands in the static page's field.
        typed: String,
        /// The token of this tab's session, if it has one.
        token: Option<String>,
    },
    /// A link with a code was opened in this very page.
    Link(String),
    /// The player did something.
    Act(Action),
    /// A call came to its end.
    Answered(Answered),
    /// What was asked for with [`Effect::DrawSeed`].
    Drawn {
        /// For which ticket.
        ticket: TicketId,
        /// What this browser holds of it at this moment: another tab may have drawn.
        held: Option<Held>,
        /// 32 fresh bytes.
        fresh: ClientSeed,
    },
    /// A time that was asked for has come.
    Rang(Timer),
    /// The page is seen again, or another tab wrote about this ticket.
    Woke,
    /// What came of [`Effect::Check`].
    Checked(TicketId, Verdict),
    /// A transcript denies receipts that were kept: both texts.
    Denied(TicketId, String),
    /// The browser is on line, or is not.
    Online(bool),
}

/// The end of a call.
pub struct Answered {
    /// Which.
    pub id: u32,
    /// What came of it.
    pub result: Result<Answer, CallError>,
    /// The body of the answer as it came: evidence, if it does not hold.
    pub raw: String,
    /// What this browser holds of the ticket that the answer is about.
    pub held: Option<Held>,
}

/// Something to be done outside, in order.
#[derive(Clone)]
pub enum Effect {
    /// Let the page paint, then send this call and hand in its end.
    Send {
        /// Its place among all calls: what is answered to an older one is not waited for any more.
        id: u32,
        /// What to call.
        call: Call,
        /// With which token.
        token: Option<String>,
    },
    /// Hand this in after so many milliseconds.
    Wait(Timer, u32),
    /// Keep the token for this tab, or forget it.
    Token(Option<String>),
    /// Keep this of a ticket.
    Hold(TicketId, Held),
    /// Keep this report of a proof that failed, in the place of an earlier one of that ticket.
    KeepReport(TicketId, String),
    /// Give the player the report that is kept of a ticket.
    GiveReport {
        /// Which.
        ticket: TicketId,
        /// The name of the file.
        name: String,
    },
    /// Check these receipts of a ticket.
    Check(TicketId, Vec<ToCheck>),
    /// Keep this game as it would be saved, in the place of an earlier one of that ticket.
    KeepGame(TicketId, String),
    /// Read what is held of a ticket and draw 32 fresh bytes.
    DrawSeed(TicketId),
    /// Hand this finished game over to the replay, and go there.
    Review(String),
    /// Give the player a file.
    Download {
        /// Its name.
        name: String,
        /// Its text.
        text: String,
    },
}

/// A time to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timer {
    /// The call of this id may be sent again.
    Retry(u32),
    /// The 30 days may have ended.
    Deadline,
}

/// A call whose answer is awaited.
pub struct Flight {
    id: u32,
    /// What is called.
    pub call: Call,
    /// The player did not ask for it: it gives way, and fails in silence.
    quiet: bool,
    /// How many times no answer came.
    tries: u32,
    /// It waits for its next try.
    sleeping: bool,
}

/// The whole of it.
pub struct State {
    pub(crate) at: At,
    pub(crate) flight: Option<Flight>,
    pub(crate) online: bool,
    token: Option<String>,
    calls: u32,
}

/// Where the page is.
pub(crate) enum At {
    /// Taking up a session of this tab.
    Starting,
    /// At the code entry.
    Entry(Entry),
    /// A ticket is open.
    Ticket(Box<Table>),
}

/// What a step of the reducer wants.
#[derive(Default)]
pub(crate) struct Turn {
    pub(crate) effects: Vec<Effect>,
    pub(crate) call: Option<Call>,
}

impl Default for State {
    fn default() -> Self {
        Self { at: At::Entry(Entry::default()), flight: None, online: true, token: None, calls: 0 }
    }
}

impl State {
    /// The next state, and what is to be done outside for it.
    pub fn take(&mut self, input: Input, now: Timestamp) -> Vec<Effect> {
        let mut turn = Turn::default();
        match input {
            // A link that is no code closes no game that is open.
            Input::Start { code: Some(code), token, .. } if token.is_none() || is_code(&code) => {
                self.open(code, &mut turn);
            }
            Input::Start { token: Some(token), .. } => {
                self.token = Some(token);
                self.at = At::Starting;
                turn.call = Some(Call::Game);
            }
            Input::Start { typed, .. } => {
                self.at = At::Entry(Entry { text: typed, ..Entry::default() });
            }
            Input::Link(code) => {
                if is_code(&code) || matches!(&self.at, At::Entry(entry) if !entry.busy) {
                    self.open(code, &mut turn);
                }
            }
            Input::Act(action) => self.act(action, &mut turn, now),
            Input::Answered(answered) => self.answered(answered, &mut turn, now),
            Input::Drawn { ticket, held, fresh } => {
                let busy = self.busy();
                if let At::Ticket(table) = &mut self.at
                    && table.ticket() == ticket
                    && !busy
                {
                    let done = table.drawn(held, fresh, &mut turn);
                    table.settle(done, "", &mut turn);
                }
            }
            Input::Checked(ticket, verdict) => {
                self.settle(ticket, "", &mut turn, |table, turn| table.checked(verdict, turn))
            }
            Input::Denied(ticket, texts) => {
                self.flight = None;
                self.settle(ticket, &texts, &mut turn, |_, _| Err(Failure::Receipt));
            }
            Input::Rang(timer) => self.rang(timer, &mut turn, now),
            Input::Woke => self.wake(&mut turn),
            Input::Online(online) => {
                self.online = online;
                if online {
                    self.wake(&mut turn);
                }
            }
        }
        if let Some(call) = turn.call.take() {
            self.send(call, false, &mut turn);
        }
        turn.effects
    }

    /// How the awaited answer is coming along.
    pub(crate) fn network(&self) -> Network {
        match &self.flight {
            None | Some(Flight { quiet: true, .. }) => Network::Quiet,
            Some(_) if !self.online => Network::Offline,
            Some(Flight { tries: 0, .. }) => Network::Waiting,
            Some(Flight { tries, .. }) => Network::Retrying(*tries),
        }
    }

    fn busy(&self) -> bool {
        self.flight.as_ref().is_some_and(|flight| !flight.quiet)
    }

    fn send(&mut self, call: Call, quiet: bool, turn: &mut Turn) {
        self.fly(Flight { id: 0, call, quiet, tries: 0, sleeping: false }, turn);
    }

    fn fly(&mut self, flight: Flight, turn: &mut Turn) {
        self.calls += 1;
        let (id, call) = (self.calls, flight.call.clone());
        let token = self.token.clone().filter(|_| !matches!(call, Call::Open(_)));
        turn.effects.push(Effect::Send { id, call, token });
        self.flight = Some(Flight { id, sleeping: false, ..flight });
    }

    /// The same call again, later.
    fn again(&mut self, mut flight: Flight, turn: &mut Turn) {
        flight.tries += 1;
        flight.sleeping = true;
        turn.effects.push(Effect::Wait(Timer::Retry(flight.id), back_off(flight.tries)));
        self.flight = Some(flight);
    }

    fn open(&mut self, text: String, turn: &mut Turn) {
        let mut entry = Entry { text, ..Entry::default() };
        match entry.text.parse::<Code>() {
            Ok(code) => {
                entry.busy = true;
                turn.call = Some(Call::Open(code));
            }
            Err(error) => entry.problem = Some(EntryProblem::Malformed(error)),
        }
        self.flight = None;
        self.at = At::Entry(entry);
    }

    /// Back to the code entry. The game stays as it is on the server, and what this browser holds of it too.
    fn leave(&mut self, notice: Option<EntryNotice>, problem: Option<EntryProblem>, turn: &mut Turn) {
        self.token = None;
        self.flight = None;
        self.at = At::Entry(Entry { notice, problem, ..Entry::default() });
        turn.effects.push(Effect::Token(None));
    }

    fn act(&mut self, action: Action, turn: &mut Turn, now: Timestamp) {
        let busy = self.busy();
        match (&mut self.at, action) {
            (At::Entry(entry), Action::CodeTyped(text)) if !entry.busy => entry.text = text,
            (At::Entry(entry), Action::Open) if !entry.busy => {
                let text = core::mem::take(&mut entry.text);
                self.open(text, turn);
            }
            (_, Action::Retry) => self.wake(turn),
            (At::Ticket(table), Action::Leave) if !(busy && table.is_at_stake()) => {
                let notice = table.notice_on_leaving();
                self.leave(notice, None, turn);
            }
            (At::Ticket(table), Action::Quit) if !busy && table.is_at_stake() => {
                let notice = EntryNotice::StillPayable(table.view.pay_before);
                self.leave(Some(notice), None, turn);
            }
            (At::Starting, Action::Leave) => self.leave(Some(EntryNotice::GameWaits), None, turn),
            (At::Ticket(table), action) => {
                table.act(action, busy, turn, now);
            }
            _ => {}
        }
    }

    fn rang(&mut self, timer: Timer, turn: &mut Turn, now: Timestamp) {
        let busy = self.busy();
        match timer {
            Timer::Retry(id) => {
                if self.flight.as_ref().is_some_and(|flight| flight.id == id && flight.sleeping) {
                    self.wake(turn);
                }
            }
            Timer::Deadline => {
                if let At::Ticket(table) = &mut self.at
                    && table.deadline(turn, now)
                    && !busy
                {
                    turn.call = Some(Call::Game);
                }
            }
        }
    }

    /// Sends again what waits for its next try; else looks whether the game has moved elsewhere.
    fn wake(&mut self, turn: &mut Turn) {
        match (self.flight.take(), &self.at) {
            (Some(flight), _) if flight.sleeping => self.fly(flight, turn),
            (None, At::Ticket(table)) if table.may_have_moved() => self.send(Call::Game, true, turn),
            (flight, _) => self.flight = flight,
        }
    }

    fn answered(&mut self, answered: Answered, turn: &mut Turn, now: Timestamp) {
        let Answered { id, result, raw, held } = answered;
        let Some(flight) = self.flight.take_if(|flight| flight.id == id) else { return };
        match result {
            Ok(Answer::Opened(session)) => {
                turn.effects.push(Effect::Token(Some(session.token.clone())));
                self.token = Some(session.token);
                self.show(&session.game, held, true, &raw, turn, now);
                if let (At::Ticket(table), Some(signed)) = (&mut self.at, session.receipt) {
                    table.opened(signed, turn);
                }
            }
            Ok(Answer::Game(view)) if flight.call == Call::Game => self.show(&view, held, false, &raw, turn, now),
            Ok(answer) => {
                if let At::Ticket(table) = &mut self.at {
                    let done = table.answered(&flight.call, answer, held, turn, now);
                    table.settle(done, &raw, turn);
                }
            }
            Err(CallError::Problem(problem)) => self.refused(flight, problem, held, &raw, turn, now),
            // What is no JSON at all came from something between: it says nothing of the game.
            Err(CallError::Unreadable(text)) if !flight.quiet && Json::parse(&text).is_ok() => self.misfit(&raw, turn),
            Err(CallError::Unreachable | CallError::Unreadable(_)) => self.unreached(flight, turn),
        }
    }

    /// Something is known of the receipts of that ticket, if it is still open.
    fn settle(
        &mut self,
        ticket: TicketId,
        raw: &str,
        turn: &mut Turn,
        done: impl FnOnce(&mut Table, &mut Turn) -> Result<(), Failure>,
    ) {
        if let At::Ticket(table) = &mut self.at
            && table.ticket() == ticket
        {
            let done = done(table, turn);
            table.settle(done, raw, turn);
        }
    }

    /// Shows a ticket as the server tells it.
    fn show(
        &mut self,
        view: &protocol::GameView,
        held: Option<Held>,
        by_code: bool,
        raw: &str,
        turn: &mut Turn,
        now: Timestamp,
    ) {
        if !matches!(&self.at, At::Ticket(table) if table.ticket() == view.ticket_id) {
            self.at = At::Ticket(Box::new(Table::new(view, held, by_code)));
        }
        if let At::Ticket(table) = &mut self.at {
            let done = table.enter(view, held, turn, now);
            table.settle(done, raw, turn);
        }
    }

    fn unreached(&mut self, flight: Flight, turn: &mut Turn) {
        match (&flight.call, &mut self.at) {
            (Call::Open(_), At::Entry(entry)) => {
                entry.busy = false;
                entry.problem = Some(EntryProblem::ServerAway);
            }
            _ if flight.quiet => {}
            _ => self.again(flight, turn),
        }
    }

    /// The page and the server do not fit.
    fn misfit(&mut self, raw: &str, turn: &mut Turn) {
        match &mut self.at {
            At::Ticket(table) => table.settle(Err(Failure::Unreadable), raw, turn),
            At::Entry(entry) => {
                entry.busy = false;
                entry.problem = Some(EntryProblem::PageOutdated);
            }
            At::Starting => self.leave(None, Some(EntryProblem::PageOutdated), turn),
        }
    }

    fn refused(
        &mut self,
        flight: Flight,
        problem: Problem,
        held: Option<Held>,
        raw: &str,
        turn: &mut Turn,
        now: Timestamp,
    ) {
        use ProblemCode as P;
        if let (Call::Open(_), At::Entry(entry)) = (&flight.call, &mut self.at) {
            entry.busy = false;
            entry.problem = Some(match problem.code {
                P::MalformedCode => EntryProblem::Malformed(rules::CodeError::Check),
                P::UnknownCode => EntryProblem::Unknown,
                P::LosingTicket => EntryProblem::LosingTicket,
                P::TooManyAttempts => EntryProblem::TooManyAttempts,
                P::Unavailable | P::Internal => EntryProblem::ServerAway,
                _ => EntryProblem::PageOutdated,
            });
            return;
        }
        match (problem.code, &mut self.at) {
            (code, _) if flight.quiet && code != P::NoSession => {}
            (P::NoSession, _) => self.leave(Some(EntryNotice::SessionEnded), None, turn),
            (P::Unavailable | P::Internal | P::TooManyAttempts, _) => self.unreached(flight, turn),
            (
                P::SeqConflict
                | P::OtherSeed
                | P::OtherCommitment
                | P::NotStarted
                | P::BetweenPaliers
                | P::ChooseFirst
                | P::PickedAlready
                | P::StartTooLate
                | P::Suspended
                | P::Over
                | P::PotentialGainPaid,
                At::Ticket(table),
            ) if !matches!(flight.call, Call::Game | Call::Transcript) => {
                table.refused(problem.code, held, turn);
                match problem.game {
                    Some(view) => self.show(&view, None, false, raw, turn, now),
                    None => turn.call = Some(Call::Game),
                }
            }
            _ => self.misfit(raw, turn),
        }
    }
}

fn is_code(text: &str) -> bool {
    text.parse::<Code>().is_ok()
}

/// Half a second, doubling to eight.
const fn back_off(tries: u32) -> u32 {
    500 << if tries > 5 { 4 } else { tries.saturating_sub(1) }
}
