//! A house to play in: the real engine behind a transport that can fail.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use engine::{Table, Ticket, Turn};
use protocol::{
    ContinueRequest, PickRequest, Problem, ProblemCode, QuitRequest, Request, Response, SessionAnswer, SessionRequest,
    Transport, Unreachable, routes,
};
use rules::{Code, Command, Nature, Number, Outcomes, PotentialGain, Recorded, Terms, TicketNumber, Timestamp};
use seal::receipt::{PublishedKey, PublishedKeys, ReceiptKey};
use seal::{Blend, DrawKey, Json, PlayersHalf, SealedGrid, TicketId};

/// When the house opens.
pub(crate) const OPENING: i64 = 1_796_000_000_000;

/// What becomes of one request.
pub(crate) enum Fate {
    /// It never arrives.
    LostOnTheWay,
    /// It arrives, but its answer does not.
    AnswerLost,
    /// Its answer is altered.
    Altered(Box<dyn Fn(String) -> String>),
    /// Something else answers.
    Says(u16, String),
}

/// Its receipt key.
pub(crate) fn signer() -> ReceiptKey {
    ReceiptKey::from_secret(&[4; 32])
}

/// What it publishes of it.
pub(crate) fn published() -> PublishedKeys {
    let key = PublishedKey { public: signer().public(), from: Timestamp::from_millis(0), until: None };
    PublishedKeys::new(vec![key]).unwrap()
}

/// The same, as a JSON array.
pub(crate) fn published_text() -> String {
    let mut w = seal::json::Writer::new();
    published().write(&mut w);
    w.finish()
}

/// The server.
pub(crate) struct House {
    key: DrawKey,
    pub(crate) now: Cell<i64>,
    pub(crate) terms: Cell<Terms>,
    tickets: RefCell<BTreeMap<String, Ticket>>,
    sessions: RefCell<BTreeMap<String, String>>,
    fates: RefCell<VecDeque<Option<Fate>>>,
    /// Whether it gives receipts.
    pub(crate) signs: Cell<bool>,
    /// Every request that was sent, whether it arrived or not: its path and its body.
    pub(crate) sent: RefCell<Vec<(&'static str, String)>>,
}

impl House {
    pub(crate) fn new() -> Rc<Self> {
        Rc::new(Self {
            key: DrawKey([8; 32]),
            now: Cell::new(OPENING),
            terms: Cell::new(Terms::default()),
            tickets: RefCell::default(),
            sessions: RefCell::default(),
            fates: RefCell::default(),
            signs: Cell::new(true),
            sent: RefCell::default(),
        })
    }

    /// A new ticket, and its code.
    pub(crate) fn ticket(&self, gain: PotentialGain) -> String {
        let serial = u32::try_from(self.tickets.borrow().len()).unwrap() + 1;
        let code = (0..31).filter_map(|i| {
            Code::from_body([(serial * 3) as u8 % 31, i, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16])
        });
        let code = String::from_utf8(code.into_iter().next().unwrap().as_bytes().to_vec()).unwrap();
        let ticket = Ticket {
            id: TicketId([serial as u8; 16]),
            number: TicketNumber::new(1, 1, serial).unwrap(),
            potential_gain: gain,
            terms: Terms::default(),
            client_seed: None,
            events: Vec::new(),
            receipts: Vec::new(),
        };
        self.tickets.borrow_mut().insert(code.clone(), ticket);
        code
    }

    /// What becomes of the next requests, in order; none: it goes well.
    pub(crate) fn fate(&self, fates: impl IntoIterator<Item = Option<Fate>>) {
        self.fates.borrow_mut().extend(fates);
    }

    /// The next answer is altered by replacing a text that must be in it.
    pub(crate) fn alter(&self, from: impl Into<String>, to: impl Into<String>) {
        let (from, to) = (from.into(), to.into());
        self.fate([Some(Fate::Altered(Box::new(move |text| {
            assert!(text.contains(&from), "no {from} in {text}");
            text.replacen(&from, &to, 1)
        })))]);
    }

    pub(crate) fn advance(&self, millis: i64) {
        self.now.set(self.now.get() + millis);
    }

    pub(crate) fn end_sessions(&self) {
        self.sessions.borrow_mut().clear();
    }

    /// How often a path was called.
    pub(crate) fn calls(&self, path: &str) -> usize {
        self.sent.borrow().iter().filter(|(sent, _)| *sent == path).count()
    }

    /// What the point of sale or the operator does.
    pub(crate) fn operate(&self, code: &str, command: Command) {
        self.with(code, |table, now| table.operate(command, now).map_err(|refusal| format!("{refusal:?}")).unwrap());
    }

    /// The natures of a started game's numbers: the tests know the layout, the page never does.
    pub(crate) fn natures(&self, code: &str) -> (Vec<Number>, Vec<Number>) {
        let tickets = self.tickets.borrow();
        let ticket = tickets.get(code).unwrap();
        let grid = SealedGrid::new(&self.key.server_seed(ticket.id));
        let commitment = grid.commitment(ticket.id, Some(ticket.potential_gain));
        let player = PlayersHalf::new(&ticket.client_seed.unwrap(), &commitment);
        let blend = Blend { sealed: &grid, player: &player, potential_gain: ticket.potential_gain };
        Number::all().partition(|number| blend.nature(*number) == Nature::Good)
    }

    pub(crate) fn server_seed(&self, code: &str) -> String {
        self.key.server_seed(self.tickets.borrow().get(code).unwrap().id).reveal_hex()
    }

    /// The game as its player sees it.
    pub(crate) fn view(&self, code: &str) -> String {
        let mut w = seal::json::Writer::new();
        self.settled(code).view().write(&mut w);
        w.finish()
    }

    /// The game so far, as it can be checked.
    pub(crate) fn transcript(&self, code: &str) -> String {
        let table = self.settled(code);
        let transcript = table.transcript().unwrap();
        match table.receipts(signer().sign(&table.opening()), published()) {
            Some(receipts) => receipts.beside(&transcript),
            None => transcript.to_json(),
        }
    }

    fn table(&self, code: &str) -> Option<Table> {
        let ticket = self.tickets.borrow().get(code)?.clone();
        Table::new(Ticket { terms: self.terms.get(), ..ticket }, &self.key).ok()
    }

    fn with(&self, code: &str, make: impl FnOnce(&Table, Timestamp) -> engine::Append) {
        let append = make(&self.table(code).unwrap(), self.clock());
        self.keep(code, append);
    }

    fn keep(&self, code: &str, append: engine::Append) {
        let mut tickets = self.tickets.borrow_mut();
        let ticket = tickets.get_mut(code).unwrap();
        assert_eq!(append.version as usize, ticket.events.len());
        let event = engine::codec::decode(&append.payload).unwrap();
        ticket.events.push(Recorded { at: append.at, event });
        ticket.client_seed = ticket.client_seed.or(append.client_seed);
        ticket.receipts.push(append.receipt);
    }

    pub(crate) fn clock(&self) -> Timestamp {
        Timestamp::from_millis(self.now.get())
    }

    fn settled(&self, code: &str) -> Table {
        if let Some(append) = self.table(code).unwrap().settle(self.clock()) {
            self.keep(code, append);
        }
        self.table(code).unwrap()
    }

    fn answer(&self, request: &Request<'_>) -> Result<String, Problem> {
        let body = request.body.as_deref().map(|body| Json::parse(body).unwrap());
        let body = body.as_ref();
        if request.path == routes::SESSIONS {
            let code = SessionRequest::read(body.unwrap()).unwrap().code;
            let known = self.tickets.borrow().contains_key(&code);
            if !known {
                return Err(Problem::new(ProblemCode::UnknownCode));
            }
            let token = format!("token-{}", self.sessions.borrow().len());
            self.sessions.borrow_mut().insert(token.clone(), code.clone());
            let table = self.settled(&code);
            let receipt = self.signs.get().then(|| signer().sign(&table.opening()));
            return Ok(SessionAnswer { token, game: table.view(), receipt }.to_json());
        }
        let code = request.token.and_then(|token| self.sessions.borrow().get(token).cloned());
        let code = code.ok_or(Problem::new(ProblemCode::NoSession))?;
        let (seq, action) = match request.path {
            routes::GAME => return Ok(self.view(&code)),
            routes::TRANSCRIPT => {
                let table = self.settled(&code);
                let none = Problem::new(ProblemCode::NotStarted).game(table.view());
                return table.transcript().map(|_| self.transcript(&code)).ok_or(none);
            }
            routes::CONTINUE => {
                let request = ContinueRequest::read(body.unwrap()).unwrap();
                (request.seq, engine::Action::Continue(request.first))
            }
            routes::PICKS => {
                let request = PickRequest::read(body.unwrap()).unwrap();
                (request.seq, engine::Action::Pick(request.number))
            }
            routes::QUIT => (QuitRequest::read(body.unwrap()).unwrap().seq, engine::Action::Quit),
            _ => return Err(Problem::new(ProblemCode::NotFound)),
        };
        loop {
            match self.table(&code).unwrap().act(seq, action, self.clock()) {
                Turn::Again(answer) => return Ok(answer.to_json()),
                Turn::Write(mut append, answer) => {
                    let sign = |statement: &_, _| if self.signs.get() { Ok(signer().sign(statement)) } else { Err(()) };
                    let receipt = append.sign(sign).ok().flatten();
                    self.keep(&code, append);
                    return Ok(answer.receipted(receipt).to_json());
                }
                Turn::Settle(append) => self.keep(&code, append),
                Turn::Refuse(problem) => return Err(problem),
            }
        }
    }
}

impl Transport for &House {
    async fn send(&self, request: Request<'_>) -> Result<Response, Unreachable> {
        self.sent.borrow_mut().push((request.path, request.body.clone().unwrap_or_default()));
        let fate = self.fates.borrow_mut().pop_front().flatten();
        match &fate {
            Some(Fate::LostOnTheWay) => return Err(Unreachable),
            Some(Fate::Says(status, body)) => return Ok(Response { status: *status, body: body.clone() }),
            _ => {}
        }
        let (status, body) = match self.answer(&request) {
            Ok(body) => (200, body),
            Err(problem) => (problem.code.status(), problem.to_json()),
        };
        match fate {
            Some(Fate::AnswerLost) => Err(Unreachable),
            Some(Fate::Altered(alter)) => Ok(Response { status, body: alter(body) }),
            _ => Ok(Response { status, body }),
        }
    }
}
