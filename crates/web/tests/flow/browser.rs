//! Browsers whose tabs run the real reducer over a house.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use protocol::Client;
use rules::{Number, Palier};
use seal::receipt::verify;
use seal::{ClientSeed, TicketId, Transcript};
use web::flow::{Call, Keeping, perform, ticket_of};
use web::held::Held;
use web::model::{Action, CellState, End, Entry, Failure, Outcome, Phase, Play, Screen};
use web::receipts::{ToCheck, Verdict, denies};
use web::state::{Answered, Effect, Input, State, Timer};

use crate::house::{House, published_text, signer};

/// A browser: its tabs share what it holds of a ticket.
#[derive(Default)]
pub(crate) struct Browser {
    pub(crate) held: RefCell<BTreeMap<TicketId, String>>,
    pub(crate) reports: RefCell<BTreeMap<TicketId, String>>,
    /// The games as they would be saved.
    pub(crate) games: RefCell<BTreeMap<TicketId, String>>,
    /// It knows no Ed25519.
    pub(crate) old: Cell<bool>,
    /// Nothing can be kept.
    pub(crate) blocked: Cell<bool>,
    pub(crate) seeds: Cell<u8>,
    /// Which browser it is: its seeds are its own.
    pub(crate) name: u8,
}

impl Browser {
    /// What a browser's own cryptography says of receipts.
    fn verdict(&self, receipts: &[ToCheck]) -> Verdict {
        if self.old.get() {
            return Verdict::Unknown;
        }
        let genuine = |check: &ToCheck| {
            let key = signer();
            check.signed.key == key.id() && verify(&key.public(), check.statement.bytes(), &check.signed.signature)
        };
        if receipts.iter().all(genuine) { Verdict::Hold(published_text()) } else { Verdict::Wrong }
    }

    fn held(&self, ticket: TicketId) -> Option<Held> {
        self.held.borrow().get(&ticket).and_then(|text| Held::from_json(text))
    }
}

/// A tab: the reducer, and what it asked for.
pub(crate) struct Tab<'a> {
    pub(crate) house: &'a House,
    pub(crate) browser: &'a Browser,
    pub(crate) state: State,
    pub(crate) token: Option<String>,
    pub(crate) timers: Vec<(Timer, u32)>,
    pub(crate) files: Vec<(String, String)>,
    /// The games that were handed over to the replay.
    pub(crate) reviews: Vec<String>,
    /// What it did outside, in order, by name.
    pub(crate) log: Vec<&'static str>,
    waiting: VecDeque<Effect>,
    /// Effects are kept back until [`Tab::settle`].
    pub(crate) held_back: bool,
}

impl<'a> Tab<'a> {
    /// A new tab at the code entry.
    pub(crate) fn new(house: &'a House, browser: &'a Browser) -> Self {
        Self {
            house,
            browser,
            state: State::default(),
            token: None,
            timers: Vec::new(),
            files: Vec::new(),
            reviews: Vec::new(),
            log: Vec::new(),
            waiting: VecDeque::new(),
            held_back: false,
        }
    }

    /// A tab that came by the link of the QR code.
    pub(crate) fn open(house: &'a House, browser: &'a Browser, code: &str) -> Self {
        let mut tab = Self::new(house, browser);
        tab.give(Input::Start { code: Some(code.to_owned()), typed: String::new(), token: None });
        tab
    }

    /// A tab on whose game CONTINUER was confirmed.
    pub(crate) fn started(house: &'a House, browser: &'a Browser, code: &str) -> Self {
        let mut tab = Self::open(house, browser, code);
        tab.start();
        tab
    }

    /// The same tab, loaded anew: only what was kept remains.
    pub(crate) fn reload(self) -> Self {
        let mut tab = Self::new(self.house, self.browser);
        tab.token = self.token;
        tab.give(Input::Start { code: None, typed: String::new(), token: tab.token.clone() });
        tab
    }

    pub(crate) fn give(&mut self, input: Input) {
        self.waiting.extend(self.state.take(input, self.house.clock()));
        if !self.held_back {
            self.settle();
        }
    }

    /// Carries out what is wanted until only timers are left.
    pub(crate) fn settle(&mut self) {
        while let Some(effect) = self.waiting.pop_front() {
            match effect {
                Effect::Send { id, call, token } => {
                    self.log.push("send");
                    let wire = Keeping::new(self.house);
                    let result = block_on(perform(&Client::new(&wire), &call, token.as_deref()));
                    let ticket = ticket_of(&result);
                    let held = ticket.and_then(|ticket| self.browser.held(ticket));
                    let raw = wire.take();
                    let kept = ticket.and_then(|ticket| self.browser.games.borrow().get(&ticket).cloned());
                    let input = match (&call, ticket, kept) {
                        (Call::Transcript, Some(ticket), Some(kept)) if result.is_ok() && denies(&raw, &kept) => {
                            Input::Denied(ticket, [raw, kept].concat())
                        }
                        _ => Input::Answered(Answered { id, result, raw, held }),
                    };
                    let effects = self.state.take(input, self.house.clock());
                    self.waiting.extend(effects);
                }
                Effect::Wait(timer, millis) => self.timers.push((timer, millis)),
                Effect::Token(token) => self.token = token,
                Effect::Hold(ticket, held) => {
                    self.log.push("hold");
                    if !self.browser.blocked.get() {
                        self.browser.held.borrow_mut().insert(ticket, held.to_json());
                    }
                }
                Effect::DrawSeed(ticket) => {
                    self.browser.seeds.set(self.browser.seeds.get() + 1);
                    let fresh = ClientSeed([self.browser.name * 16 + self.browser.seeds.get(); 32]);
                    let drawn = Input::Drawn { ticket, held: self.browser.held(ticket), fresh };
                    let effects = self.state.take(drawn, self.house.clock());
                    self.waiting.extend(effects);
                }
                Effect::Check(ticket, receipts) => {
                    let verdict = self.browser.verdict(&receipts);
                    let effects = self.state.take(Input::Checked(ticket, verdict), self.house.clock());
                    self.waiting.extend(effects);
                }
                Effect::KeepGame(ticket, text) => {
                    self.browser.games.borrow_mut().insert(ticket, text);
                }
                Effect::KeepReport(ticket, text) => {
                    self.browser.reports.borrow_mut().insert(ticket, text);
                }
                Effect::GiveReport { ticket, name } => {
                    let text = self.browser.reports.borrow()[&ticket].clone();
                    self.files.push((name, text));
                }
                Effect::Review(text) => self.reviews.push(text),
                Effect::Download { name, text } => self.files.push((name, text)),
            }
        }
    }

    pub(crate) fn act(&mut self, action: Action) {
        self.give(Input::Act(action));
    }

    /// Lets the next time come.
    pub(crate) fn ring(&mut self) -> u32 {
        let (timer, millis) = self.timers.pop().expect("nothing is waited for");
        self.house.advance(millis.into());
        self.give(Input::Rang(timer));
        millis
    }

    pub(crate) fn screen(&self) -> Screen {
        self.state.screen(self.house.clock())
    }

    pub(crate) fn play(&self) -> Play {
        match self.screen() {
            Screen::Play(play) => play,
            other => panic!("not in play, but {}", name(&other)),
        }
    }

    pub(crate) fn end(&self) -> End {
        match self.screen() {
            Screen::End(end) => end,
            other => panic!("not at the end, but {}", name(&other)),
        }
    }

    /// What does not hold.
    pub(crate) fn failure(&self) -> Failure {
        match self.screen() {
            Screen::ProofFailed(failed) => failed.failure,
            other => panic!("no proof failed: {}", name(&other)),
        }
    }

    pub(crate) fn entry(&self) -> Entry {
        match self.screen() {
            Screen::Entry(entry) => entry,
            other => panic!("not at the entry, but {}", name(&other)),
        }
    }

    /// CONTINUER at the stake, confirmed.
    pub(crate) fn start(&mut self) {
        self.act(Action::Continue);
        self.act(Action::Adult(true));
        self.act(Action::Confirm);
    }

    /// Confirms what is asked for.
    pub(crate) fn confirmed(&mut self, action: Action) {
        self.act(action);
        self.act(Action::Confirm);
    }

    /// Picks so many good numbers that are not picked yet.
    pub(crate) fn find(&mut self, code: &str, count: usize) {
        let (good, _) = self.house.natures(code);
        for number in good.into_iter().filter(|n| self.state_of(*n) == CellState::Free).take(count).collect::<Vec<_>>()
        {
            self.act(Action::Pick(number));
        }
    }

    /// Plays on until the palier is reached, going on from those before.
    pub(crate) fn climb(&mut self, code: &str, to: Palier) {
        for palier in Palier::ALL.into_iter().filter(|palier| *palier <= to) {
            if palier != Palier::One {
                self.confirmed(Action::Continue);
            }
            self.find(code, palier.to_find().into());
        }
    }

    /// Plays on from wherever it stands to palier 4.
    pub(crate) fn climb_on(&mut self, code: &str) {
        while let Screen::Play(play) = self.screen() {
            match play.phase {
                Phase::Picking { .. } => self.find(code, 1),
                Phase::OnPalier { .. } => self.confirmed(Action::Continue),
            }
        }
        assert!(self.end().outcome == Outcome::Won(Palier::Four));
    }

    pub(crate) fn state_of(&self, number: Number) -> CellState {
        self.play().cells[number.index()].state
    }

    /// The numbers that were picked and opened.
    pub(crate) fn picked(&self) -> usize {
        self.play().cells.iter().filter(|cell| matches!(cell.state, CellState::Good | CellState::Losing)).count()
    }

    /// The last file, as a transcript.
    pub(crate) fn transcript(&mut self) -> Transcript {
        self.act(Action::Save);
        let (_, text) = self.files.last().expect("nothing was saved");
        Transcript::from_json(text).unwrap()
    }
}

/// The name of a screen.
pub(crate) fn name(screen: &Screen) -> &'static str {
    match screen {
        Screen::Starting(_) => "starting",
        Screen::Entry(_) => "entry",
        Screen::Stake(_) => "stake",
        Screen::Play(_) => "play",
        Screen::End(_) => "end",
        Screen::OtherSeed(_) => "other seed",
        Screen::ProofFailed(_) => "proof failed",
    }
}

/// Nothing here ever waits: one poll is enough.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("a transport of tests never waits"),
    }
}
