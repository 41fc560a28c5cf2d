//! A player without a browser: the public routes over plain HTTP, and a walk of its own through what was answered.

use std::io;
use std::net::SocketAddr;
use std::process::Command;

use protocol::{
    ContinueRequest, FirstContinue, GameView, PickRequest, QuitRequest, SessionAnswer, SessionRequest, routes,
};
use rules::Number;
use seal::{ClientSeed, Commitment, Transcript};

use crate::http::{Message, get, send};

/// What a player does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// CONTINUER.
    GoOn,
    /// A pick.
    Pick(Number),
    /// QUITTER on a palier.
    Quit,
}

/// A session, and the seed that its player would begin the game with.
#[derive(Clone)]
pub struct Player {
    addr: SocketAddr,
    /// The session's token.
    pub token: String,
    /// What the ticket is sealed with.
    pub commitment: Commitment,
    /// The seed of the first CONTINUER.
    pub seed: ClientSeed,
    /// The game when the session was opened.
    pub game: GameView,
}

impl Player {
    /// Opens a session.
    ///
    /// # Errors
    /// No answer came.
    ///
    /// # Panics
    /// The code opens nothing.
    #[track_caller]
    pub fn open(addr: SocketAddr, code: &str, seed: [u8; 32]) -> io::Result<Self> {
        Ok(Self::opened(addr, &enter(addr, code)?.expect(200), seed))
    }

    /// From the answer that opened a session.
    ///
    /// # Panics
    /// It is none.
    #[must_use]
    #[track_caller]
    pub fn opened(addr: SocketAddr, answer: &Message, seed: [u8; 32]) -> Self {
        let SessionAnswer { token, game, .. } = SessionAnswer::read(&answer.json()).unwrap();
        Self { addr, token, commitment: game.commitment, seed: ClientSeed(seed), game }
    }

    /// The same player, at another server over the same store.
    #[must_use]
    pub fn at(&self, addr: SocketAddr) -> Self {
        Self { addr, ..self.clone() }
    }

    /// Sends a deed as the action of that place in the game.
    ///
    /// # Errors
    /// No answer came: whether it was done is not known.
    pub fn send(&self, seq: u32, deed: Deed) -> io::Result<Message> {
        let (path, body) = match deed {
            Deed::GoOn => {
                let first = FirstContinue { commitment: self.commitment, client_seed: self.seed };
                let first = (seq == 0).then_some(first);
                (routes::CONTINUE, ContinueRequest { seq, first }.to_json())
            }
            Deed::Pick(number) => (routes::PICKS, PickRequest { seq, number }.to_json()),
            Deed::Quit => (routes::QUIT, QuitRequest { seq }.to_json()),
        };
        self.post(path, body)
    }

    /// Posts any body to any path.
    ///
    /// # Errors
    /// No answer came.
    pub fn post(&self, path: &str, body: String) -> io::Result<Message> {
        let headers = [("authorization", &*self.bearer()), ("content-type", "application/json")];
        send(self.addr, &Message::request("POST", path, &headers, body.into_bytes()))
    }

    /// The game as it stands.
    ///
    /// # Errors
    /// No answer came.
    ///
    /// # Panics
    /// The answer is no game.
    #[track_caller]
    pub fn look(&self) -> io::Result<GameView> {
        let answer = get(self.addr, routes::GAME, &[("authorization", &self.bearer())])?.expect(200);
        Ok(GameView::read(&answer.json()).unwrap())
    }

    /// The transcript so far, as it came.
    ///
    /// # Errors
    /// No answer came.
    pub fn transcript_answer(&self) -> io::Result<Message> {
        get(self.addr, routes::TRANSCRIPT, &[("authorization", &self.bearer())])
    }

    /// The transcript so far, checked from its first byte to its last: by `seal`, and by the second implementation of the
    /// specifications (`tests/independent/`), which shares nothing with it; its receipts too, against the keys that the server publishes.
    ///
    /// # Errors
    /// No answer came.
    ///
    /// # Panics
    /// There is none, or it does not hold.
    #[track_caller]
    pub fn checked_transcript(&self) -> io::Result<Transcript> {
        let answer = self.transcript_answer()?.expect(200);
        let transcript = Transcript::from_json(answer.text()).unwrap_or_else(|wrong| panic!("{wrong}"));
        transcript.check().unwrap_or_else(|wrong| panic!("{wrong}"));
        check_independently(answer.text(), get(self.addr, routes::KEYS, &[])?.expect(200).text());
        Ok(transcript)
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }
}

/// # Panics
/// The second implementation finds something wrong, or Node is missing.
#[track_caller]
fn check_independently(game: &str, keys: &str) {
    let checker = concat!(env!("CARGO_MANIFEST_DIR"), "/../independent/receipts.mjs");
    let file = |text| {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), text).expect("a temporary file can be written");
        file
    };
    let (game, keys) = (file(game), file(keys));
    let said = Command::new("node").arg(checker).arg(keys.path()).arg(game.path()).output().expect("Node is installed");
    let account = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success() && account.starts_with("OK "), "the second implementation says {account}");
}

/// Enters a code, whatever it opens.
///
/// # Errors
/// No answer came.
pub fn enter(addr: SocketAddr, code: &str) -> io::Result<Message> {
    let body = SessionRequest { code: code.to_owned() }.to_json();
    send(addr, &Message::request("POST", routes::SESSIONS, &[("content-type", "application/json")], body.into_bytes()))
}
