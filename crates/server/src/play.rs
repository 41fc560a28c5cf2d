//! The player's use cases, without HTTP: load, let the engine decide, keep by compare-and-set, answer.

use engine::{Action, Answer, Table, Turn};
use protocol::{GameView, Problem, ProblemCode, SessionAnswer, StateName};
use rules::{Code, CodeError};
use seal::receipt::{PublishedKeys, Receipts};
use store::{Appended, Session, StoreError, TicketId, TicketRecord, TokenHash};
use tracing::info;

use crate::app::App;
use crate::audit::{Entry, Kind};
use crate::failure::Failure;
use crate::records;
use crate::session::Token;
use crate::warm::WarmGame;

/// How often an action is decided anew when its game has moved. Each time it has, another action went through, and a
/// game has fewer than this many.
const TRIES: usize = 64;

impl App {
    /// Opens a session of a ticket in any state; a losing one is told so.
    pub(crate) async fn open(&self, ticket: TicketId) -> Result<SessionAnswer, Failure> {
        let record = self.load(ticket).await?;
        let table = self.settled(record).await?.ok_or(ProblemCode::LosingTicket)?;
        let token = Token::new(&*self.random)?;
        let created = records::millis(self.clock.now());
        let expires = store::Millis(created.0.saturating_add(self.settings.session_millis));
        self.store.put_session(Session { token: token.hash(), ticket, created, expires }).await?;
        let receipt = self.receipts.sign(&table.opening(), self.clock.now())?;
        self.metrics.sessions.inc();
        Ok(SessionAnswer { token: token.reveal_hex(), game: table.view(), receipt: Some(receipt) })
    }

    /// The ticket of a code as it was typed.
    pub(crate) async fn ticket(&self, code: &str) -> Result<TicketId, Failure> {
        let code: Code = code.parse().map_err(malformed)?;
        Ok(self.find(&code).await?.ok_or(ProblemCode::UnknownCode)?)
    }

    /// The ticket whose session this token is, with its game: the one read of most requests.
    pub(crate) async fn session(&self, token: &Token) -> Result<TicketRecord, Failure> {
        let now = records::millis(self.clock.now());
        let found = self.store.load_by_session(token.hash(), now).await?;
        found.ok_or_else(|| ProblemCode::NoSession.into())
    }

    /// The game as it stands.
    pub(crate) async fn game(&self, ticket: TicketRecord) -> Result<GameView, Failure> {
        Ok(self.settled(ticket).await?.ok_or(Failure::Gone)?.view())
    }

    /// The game so far, as anyone can check it: its transcript, with its receipts beside it.
    pub(crate) async fn transcript(&self, ticket: TicketRecord) -> Result<String, Failure> {
        let table = self.settled(ticket).await?.ok_or(Failure::Gone)?;
        let Some(transcript) = table.transcript() else {
            return Err(Problem::new(ProblemCode::NotStarted).game(table.view()).into());
        };
        let opening = self.receipts.sign(&table.opening(), self.clock.now())?;
        Ok(match table.receipts(opening, PublishedKeys::default()) {
            Some(receipts) => Receipts { keys: self.receipts.of(&receipts), ..receipts }.beside(&transcript),
            // Begun before this server had receipts.
            None => transcript.to_json(),
        })
    }

    /// The game of a session, for its next action: one that is held ready, or else as the store has it.
    pub(crate) async fn seat(&self, token: &Token) -> Result<Seat, Failure> {
        let session = token.hash();
        let game = match self.warm.take(&session, self.clock.now()) {
            Some(game) => Game::Warm(Box::new(game)),
            None => Game::Read(Box::new(self.session(token).await?)),
        };
        Ok(Seat { session, game })
    }

    /// What comes of an action. What is answered is kept; the same action again gets the same answer.
    pub(crate) async fn act(&self, seat: Seat, seq: u32, action: Action) -> Result<Answer, Failure> {
        let (mut game, mut warm) = match seat.game {
            Game::Warm(game) => (*game, true),
            Game::Read(record) => (self.read(&record)?, false),
        };
        let ticket = TicketId(game.table.id().0);
        for _ in 0..TRIES {
            match game.table.act(seq, action, self.clock.now()) {
                Turn::Again(answer) => {
                    self.warm.put(seat.session, game);
                    return Ok(answer);
                }
                // What was held ready may have been played on elsewhere: it refuses nothing, and ends nothing.
                Turn::Refuse(_) | Turn::Settle(_) if warm => {}
                Turn::Refuse(problem) => return Err(problem.into()),
                // Whether this or someone else's was kept: the game has moved.
                Turn::Settle(expiry) => _ = self.keep(ticket, expiry).await?,
                Turn::Write(mut event, answer) => {
                    // Where another action comes first, what was signed here is forgotten: it was given to nobody.
                    let receipt = event.sign(|statement, at| self.receipts.sign(statement, at))?;
                    let WarmGame { table, read } = game;
                    let after = table.after(&event);
                    if self.keep(ticket, event).await? == Kept::Yes {
                        if let Some(table) = after {
                            self.warm.put(seat.session, WarmGame { table, read });
                        }
                        self.note_large_win(&answer);
                        return Ok(answer.receipted(receipt));
                    }
                }
            }
            (game, warm) = (self.read(&self.load(ticket).await?)?, false);
        }
        Err(Failure::Contended)
    }

    fn read(&self, record: &TicketRecord) -> Result<WarmGame, Failure> {
        Ok(WarmGame { table: self.table(record)?.ok_or(Failure::Gone)?, read: self.clock.now() })
    }

    /// Forgets the sessions that have expired: once in a while, so that they do not pile up.
    ///
    /// # Errors
    /// The store's.
    pub async fn forget_expired_sessions(&self) -> Result<u64, StoreError> {
        self.store.delete_expired_sessions(records::millis(self.clock.now())).await
    }

    /// The ticket at play, its expiry kept where its time has ended; none where it lost at stage 1.
    async fn settled(&self, mut record: TicketRecord) -> Result<Option<Table>, Failure> {
        let ticket = record.ticket.id;
        for _ in 0..TRIES {
            let Some(table) = self.table(&record)? else { return Ok(None) };
            match table.settle(self.clock.now()) {
                None => return Ok(Some(table)),
                Some(expiry) => _ = self.keep(ticket, expiry).await?,
            }
            record = self.load(ticket).await?;
        }
        Err(Failure::Contended)
    }

    async fn load(&self, ticket: TicketId) -> Result<TicketRecord, Failure> {
        self.store.load(ticket).await?.ok_or(Failure::Gone)
    }

    /// The ticket at play; none where it lost at stage 1.
    fn table(&self, record: &TicketRecord) -> Result<Option<Table>, Failure> {
        let number = record.ticket.number;
        let corrupt = |cause| Failure::Corrupt(number, cause);
        let terms = records::terms(&record.emission).map_err(corrupt)?;
        let Some(ticket) = records::ticket(record, terms).map_err(corrupt)? else { return Ok(None) };
        let key = self.keys.draw(number.emission).ok_or(Failure::NoKeys(number.emission))?;
        Table::new(ticket, &key).map(Some).map_err(corrupt)
    }

    async fn keep(&self, ticket: TicketId, append: engine::Append) -> Result<Kept, Failure> {
        let state = append.state.as_str();
        match self.store.append(records::append(ticket, append)?).await {
            Ok(Appended::Now(version)) => {
                self.acknowledged.reached(ticket, version);
                self.metrics.reached(state);
                Ok(Kept::Yes)
            }
            // Another CONTINUER brought its seed first: the engine says so once the game is loaded again.
            Ok(Appended::Moved | Appended::Stands(_)) | Err(StoreError::SeedAlreadySet) => {
                self.metrics.conflicts.inc();
                Ok(Kept::Moved)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The ticket of a code. A valid one is never called unknown because its emission was added after the keys were
    /// read: they are fetched then.
    async fn find(&self, code: &Code) -> Result<Option<TicketId>, Failure> {
        let found = self.store.find_by_code(&self.keys.hashes(code)).await?;
        if found.is_some() {
            return Ok(found);
        }
        let emissions = self.store.emissions().await?;
        let mut fresh = false;
        for emission in emissions.iter().filter(|emission| !self.keys.has(emission.id)) {
            self.keys.fetch(emission.id).ok_or(Failure::NoKeys(emission.id))?;
            fresh = true;
        }
        if fresh { Ok(self.store.find_by_code(&self.keys.hashes(code)).await?) } else { Ok(None) }
    }

    fn note_large_win(&self, answer: &Answer) {
        let game = answer.game();
        let gain = game.gain_eur.filter(|gain| game.state == StateName::Won && *gain >= self.settings.large_win_eur);
        if let Some(gain_eur) = gain {
            self.metrics.large_wins.inc();
            info!(ticket = %game.ticket_number, gain_eur, "a large win");
            let number = game.ticket_number.to_string();
            self.significant(Entry::new(Kind::LargeWin).text("ticket_number", number).int("gain_eur", gain_eur));
        }
    }
}

/// Who acts: a session, and the game that it plays.
pub(crate) struct Seat {
    session: TokenHash,
    game: Game,
}

enum Game {
    Warm(Box<WarmGame>),
    Read(Box<TicketRecord>),
}

/// What became of an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// It is kept, durably.
    Yes,
    /// Another one came first.
    Moved,
}

/// Which kind of slip it is; never the text itself.
fn malformed(error: CodeError) -> Failure {
    let detail = match error {
        CodeError::Length(found) => format!("a code has 18 characters; {found} were read"),
        CodeError::Character(place, _) => format!("no code has the character at place {place}"),
        CodeError::Check => "one or more of the 18 characters are wrong".to_owned(),
    };
    Problem::new(ProblemCode::MalformedCode).detail(detail).into()
}
