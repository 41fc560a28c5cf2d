//! The engine in the page: the player's API without a server, for designers. Only preview builds hold it.
//!
//! The same rules, the same sealed draw and the same answers as the real server's, kept on a [`Shelf`] (the browser's local storage). Nothing here is
//! safe from the player, who holds the draw key: no release bundle may contain this crate.

use engine::{Action, Append, Table, Ticket, Turn, codec};
use protocol::{
    ContinueRequest, Method, PickRequest, Problem, ProblemCode, QuitRequest, Request, Response, SessionAnswer,
    SessionRequest, Transport, Unreachable, routes,
};
use rules::code::BODY_LEN;
use rules::{Code, PotentialGain, Recorded, Terms, TicketNumber, Timestamp};
use seal::hash::{from_hex, to_hex};
use seal::json::Writer;
use seal::{ClientSeed, DrawKey, Json, TicketId};

/// Where the demo keeps its games: text by key.
pub trait Shelf {
    /// What was put there.
    fn get(&self, key: &str) -> Option<String>;
    /// Puts it there. Where that fails, the game is forgotten at the next load of the page.
    fn put(&self, key: &str, text: &str);
}

/// A demo with one ticket of each potential gain, and one that loses.
pub struct Demo<S> {
    shelf: S,
    clock: fn() -> Timestamp,
    draw_key: DrawKey,
}

/// The tickets of every demo: potential gain (none: it loses) and code.
pub fn tickets() -> impl Iterator<Item = (Option<PotentialGain>, Code)> {
    let gains = PotentialGain::ALL.into_iter().map(Some).chain([None]);
    // The first body of the form k, k, … whose check characters are in the alphabet; no secret is in them.
    let mut next = 0;
    gains.filter_map(move |gain| {
        let code = (next..31).find_map(|symbol| Code::from_body([symbol; BODY_LEN]).map(|code| (symbol, code)));
        code.map(|(symbol, code)| {
            next = symbol + 1;
            (gain, code)
        })
    })
}

impl<S: Shelf> Demo<S> {
    /// The demo kept on this shelf. `random` makes its draws where the shelf holds none yet.
    pub fn new(shelf: S, clock: fn() -> Timestamp, random: [u8; 32]) -> Self {
        const KEY: &str = "qod-demo-key";
        let draw_key = shelf.get(KEY).and_then(|hex| DrawKey::from_hex(&hex).ok()).unwrap_or_else(|| {
            shelf.put(KEY, &to_hex(&random));
            DrawKey(random)
        });
        Self { shelf, clock, draw_key }
    }

    fn answer(&self, request: &Request<'_>) -> Result<String, Problem> {
        if request.path == routes::SESSIONS {
            return self.open(request);
        }
        let place: usize = request.token.and_then(|t| t.parse().ok()).ok_or(Problem::new(ProblemCode::NoSession))?;
        let body = || {
            let json = request.body.as_deref().and_then(|text| Json::parse(text).ok());
            json.ok_or(Problem::new(ProblemCode::MalformedBody))
        };
        let wrong = |_| Problem::new(ProblemCode::MalformedBody);
        match (request.method, request.path) {
            (Method::Get, routes::GAME) => {
                let mut w = Writer::new();
                self.table(place)?.view().write(&mut w);
                Ok(w.finish())
            }
            (Method::Get, routes::TRANSCRIPT) => {
                let transcript = self.table(place)?.transcript();
                Ok(transcript.ok_or(Problem::new(ProblemCode::NotStarted))?.to_json())
            }
            (Method::Post, routes::CONTINUE) => {
                let request = ContinueRequest::read(&body()?).map_err(wrong)?;
                self.act(place, request.seq, Action::Continue(request.first))
            }
            (Method::Post, routes::PICKS) => {
                let request = PickRequest::read(&body()?).map_err(wrong)?;
                self.act(place, request.seq, Action::Pick(request.number))
            }
            (Method::Post, routes::QUIT) => {
                let request = QuitRequest::read(&body()?).map_err(wrong)?;
                self.act(place, request.seq, Action::Quit)
            }
            _ => Err(Problem::new(ProblemCode::NotFound)),
        }
    }

    fn open(&self, request: &Request<'_>) -> Result<String, Problem> {
        let json = request.body.as_deref().and_then(|text| Json::parse(text).ok());
        let request = json.and_then(|json| SessionRequest::read(&json).ok());
        let request = request.ok_or(Problem::new(ProblemCode::MalformedBody))?;
        let code: Code = request.code.parse().map_err(|_| Problem::new(ProblemCode::MalformedCode))?;
        let place = tickets().position(|(_, c)| c == code).ok_or(Problem::new(ProblemCode::UnknownCode))?;
        let game = self.table(place)?.view();
        Ok(SessionAnswer { token: place.to_string(), game, receipt: None }.to_json())
    }

    fn act(&self, place: usize, seq: u32, action: Action) -> Result<String, Problem> {
        loop {
            match self.table(place)?.act(seq, action, (self.clock)()) {
                Turn::Again(answer) => return Ok(answer.to_json()),
                Turn::Refuse(problem) => return Err(problem),
                Turn::Settle(append) => self.keep(place, &append),
                Turn::Write(append, answer) => {
                    self.keep(place, &append);
                    return Ok(answer.to_json());
                }
            }
        }
    }

    /// The ticket as it is kept, settled where its time has ended.
    fn table(&self, place: usize) -> Result<Table, Problem> {
        let (gain, _) = tickets().nth(place).ok_or(Problem::new(ProblemCode::NoSession))?;
        let potential_gain = gain.ok_or(Problem::new(ProblemCode::LosingTicket))?;
        let load = || {
            let (client_seed, events) =
                self.shelf.get(&shelf_key(place)).and_then(|t| read_kept(&t)).unwrap_or_default();
            let serial = u32::try_from(place).ok()? + 1;
            let (id, number) = (TicketId([place as u8; 16]), TicketNumber::new(999, 1, serial)?);
            Table::new(
                Ticket {
                    id,
                    number,
                    potential_gain,
                    terms: Terms::default(),
                    client_seed,
                    events,
                    receipts: Vec::new(),
                },
                &self.draw_key,
            )
            .ok()
        };
        let table = load().ok_or(Problem::new(ProblemCode::Internal))?;
        let Some(expiry) = table.settle((self.clock)()) else { return Ok(table) };
        self.keep(place, &expiry);
        load().ok_or(Problem::new(ProblemCode::Internal))
    }

    /// One line of text a game: the seed, then each event with its instant.
    fn keep(&self, place: usize, append: &Append) {
        let key = shelf_key(place);
        let mut text = self.shelf.get(&key).unwrap_or_default();
        if let Some(seed) = append.client_seed {
            text = seed.to_hex();
        }
        text.push_str(&format!(" {}:{}", append.at.millis(), to_hex(&append.payload)));
        self.shelf.put(&key, &text);
    }
}

fn shelf_key(place: usize) -> String {
    format!("qod-demo-{place}")
}

fn read_kept(text: &str) -> Option<(Option<ClientSeed>, Vec<Recorded>)> {
    let mut words = text.split(' ');
    let seed = ClientSeed::from_hex(words.next()?).ok()?;
    let events = words.map(|word| {
        let (at, payload) = word.split_once(':')?;
        let bytes = read_hex(payload)?;
        Some(Recorded { at: Timestamp::from_millis(at.parse().ok()?), event: codec::decode(&bytes).ok()? })
    });
    Some((Some(seed), events.collect::<Option<_>>()?))
}

fn read_hex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok()?;
        from_hex::<1>(pair).ok().map(|[byte]| byte)
    });
    pairs.collect()
}

impl<S: Shelf> Transport for Demo<S> {
    async fn send(&self, request: Request<'_>) -> Result<Response, Unreachable> {
        Ok(match self.answer(&request) {
            Ok(body) => Response { status: 200, body },
            Err(problem) => Response { status: problem.code.status(), body: problem.to_json() },
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::pin::pin;
    use std::rc::Rc;
    use std::task::{Context, Poll, Waker};

    use protocol::{CallError, Client, FirstContinue, StateName};
    use rules::Number;

    use super::*;

    #[derive(Clone, Default)]
    struct Map(Rc<RefCell<BTreeMap<String, String>>>);

    impl Shelf for Map {
        fn get(&self, key: &str) -> Option<String> {
            self.0.borrow().get(key).cloned()
        }
        fn put(&self, key: &str, text: &str) {
            self.0.borrow_mut().insert(key.to_owned(), text.to_owned());
        }
    }

    /// The demo answers at once: its futures never wait.
    fn ready<T>(future: impl Future<Output = T>) -> T {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => value,
            Poll::Pending => panic!("the demo waited"),
        }
    }

    fn client(shelf: &Map) -> Client<Demo<Map>> {
        Client::new(Demo::new(shelf.clone(), || Timestamp::from_millis(1_800_000_000_000), [4; 32]))
    }

    #[test]
    fn a_whole_game_is_played_without_a_server_and_survives_a_reload() {
        let shelf = Map::default();
        let (_, code) = tickets().find(|(gain, _)| *gain == Some(PotentialGain::Eur20)).unwrap();
        let opened = ready(client(&shelf).open(&code.grouped())).unwrap();
        let first = FirstContinue { commitment: opened.game.commitment, client_seed: ClientSeed([1; 32]) };
        let mut game =
            ready(client(&shelf).go_on(&opened.token, &ContinueRequest { seq: 0, first: Some(first) })).unwrap().game;
        let mut numbers = Number::all();
        while !matches!(game.state, StateName::Won | StateName::Lost) {
            // A new client each time: what is kept on the shelf is all that goes on.
            let client = client(&shelf);
            game = if game.state == StateName::OnPalier {
                ready(client.go_on(&opened.token, &ContinueRequest { seq: game.seq, first: None })).unwrap().game
            } else {
                let request = PickRequest { seq: game.seq, number: numbers.next().unwrap() };
                ready(client.pick(&opened.token, &request)).unwrap().game
            };
        }
        let transcript = ready(client(&shelf).transcript(&opened.token)).unwrap();
        assert!(transcript.check().unwrap().losing.is_some());
    }

    #[test]
    fn there_is_a_ticket_of_each_potential_gain_and_one_that_loses() {
        let all: Vec<_> = tickets().collect();
        assert_eq!(all.len(), PotentialGain::ALL.len() + 1);
        let (_, losing) = all.into_iter().find(|(gain, _)| gain.is_none()).unwrap();
        let refused = ready(client(&Map::default()).open(&losing.grouped()));
        assert!(matches!(refused, Err(CallError::Problem(problem)) if problem.code == ProblemCode::LosingTicket));
    }
}
