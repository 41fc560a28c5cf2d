//! The player's use cases, without HTTP: load, let the engine decide, keep by compare-and-set, answer.

use engine::{Action, Answer, Table, Turn};
use protocol::{GameView, Problem, ProblemCode, SessionAnswer};
use rules::{Code, CodeError};
use seal::receipt::{PublishedKeys, Receipts};
use store::{Appended, Session, StoreError, TicketId};

use crate::app::App;
use crate::failure::Failure;
use crate::records;
use crate::session::Token;

/// How often an action is decided anew when its game has moved. Each time it has, another action went through, and a
/// game has fewer than this many.
const TRIES: usize = 64;

impl App {
    /// Opens a session by the text of a code, for a ticket in any state; a losing one is told so.
    pub(crate) async fn open(&self, code: &str) -> Result<SessionAnswer, Failure> {
        let code: Code = code.parse().map_err(malformed)?;
        let Some(ticket) = self.store.find_by_code(&self.keys.hashes(&code)).await? else {
            return Err(self.unknown().await);
        };
        let table = self.settled(ticket).await?.ok_or(ProblemCode::LosingTicket)?;
        let token = Token::new(&*self.random)?;
        let created = records::millis(self.clock.now());
        let expires = store::Millis(created.0.saturating_add(self.settings.session_millis));
        self.store.put_session(Session { token: token.hash(), ticket, created, expires }).await?;
        let receipt = self.receipts.sign(&table.opening(), self.clock.now())?;
        Ok(SessionAnswer { token: token.reveal_hex(), game: table.view(), receipt: Some(receipt) })
    }

    /// The ticket whose session this token is.
    pub(crate) async fn session(&self, token: &Token) -> Result<TicketId, Failure> {
        let now = records::millis(self.clock.now());
        let found = self.store.find_session(token.hash(), now).await?;
        found.ok_or_else(|| ProblemCode::NoSession.into())
    }

    /// The game as it stands.
    pub(crate) async fn game(&self, ticket: TicketId) -> Result<GameView, Failure> {
        Ok(self.settled(ticket).await?.ok_or(Failure::Gone)?.view())
    }

    /// The game so far, as anyone can check it: its transcript, with its receipts beside it.
    pub(crate) async fn transcript(&self, ticket: TicketId) -> Result<String, Failure> {
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

    /// What comes of an action. What is answered is kept; the same action again gets the same answer.
    pub(crate) async fn act(&self, ticket: TicketId, seq: u32, action: Action) -> Result<Answer, Failure> {
        for _ in 0..TRIES {
            let table = self.table(ticket).await?.ok_or(Failure::Gone)?;
            match table.act(seq, action, self.clock.now()) {
                Turn::Again(answer) => return Ok(answer),
                Turn::Refuse(problem) => return Err(problem.into()),
                // Whether this or someone else's was kept: the game has moved.
                Turn::Settle(expiry) => _ = self.keep(ticket, expiry).await?,
                Turn::Write(mut event, answer) => {
                    // Where another action comes first, what was signed here is forgotten: it was given to nobody.
                    let receipt = event.sign(|statement, at| self.receipts.sign(statement, at))?;
                    if self.keep(ticket, event).await? == Kept::Yes {
                        return Ok(answer.receipted(receipt));
                    }
                }
            }
        }
        Err(Failure::Contended)
    }

    /// Forgets the sessions that have expired: once in a while, so that they do not pile up.
    ///
    /// # Errors
    /// The store's.
    pub async fn forget_expired_sessions(&self) -> Result<u64, StoreError> {
        self.store.delete_expired_sessions(records::millis(self.clock.now())).await
    }

    /// The ticket at play, its expiry kept where its time has ended; none where it lost at stage 1.
    async fn settled(&self, ticket: TicketId) -> Result<Option<Table>, Failure> {
        for _ in 0..TRIES {
            let Some(table) = self.table(ticket).await? else { return Ok(None) };
            match table.settle(self.clock.now()) {
                None => return Ok(Some(table)),
                Some(expiry) => _ = self.keep(ticket, expiry).await?,
            }
        }
        Err(Failure::Contended)
    }

    /// The ticket at play; none where it lost at stage 1.
    async fn table(&self, ticket: TicketId) -> Result<Option<Table>, Failure> {
        let record = self.store.load(ticket).await?.ok_or(Failure::Gone)?;
        let number = record.ticket.number;
        let corrupt = |cause| Failure::Corrupt(number, cause);
        let emission = self.store.emission(number.emission).await?.ok_or(Failure::Gone)?;
        let terms = records::terms(&emission).map_err(corrupt)?;
        let Some(ticket) = records::ticket(&record, terms).map_err(corrupt)? else { return Ok(None) };
        let key = self.keys.draw(number.emission).ok_or(Failure::NoKeys(number.emission))?;
        Table::new(ticket, key).map(Some).map_err(corrupt)
    }

    async fn keep(&self, ticket: TicketId, append: engine::Append) -> Result<Kept, Failure> {
        match self.store.append(records::append(ticket, append)?).await {
            Ok(Appended::Now(_)) => Ok(Kept::Yes),
            // Another CONTINUER brought its seed first: the engine says so once the game is loaded again.
            Ok(Appended::Moved | Appended::Stands(_)) | Err(StoreError::SeedAlreadySet) => Ok(Kept::Moved),
            Err(error) => Err(error.into()),
        }
    }

    /// No ticket has that code, as far as this server can know: a valid ticket is never called unknown because its
    /// emission was added after the keys were read.
    async fn unknown(&self) -> Failure {
        match self.store.emissions().await {
            Err(error) => error.into(),
            Ok(emissions) => match emissions.iter().find(|emission| !self.keys.has(emission.id)) {
                Some(emission) => Failure::NoKeys(emission.id),
                None => ProblemCode::UnknownCode.into(),
            },
        }
    }
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
