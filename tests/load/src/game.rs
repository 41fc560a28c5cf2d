//! One player: a code, CONTINUER, picks, and at each palier QUITTER or CONTINUER, whatever happens to the servers meanwhile.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use anyhow::{Context as _, bail};
use protocol::{ContinueRequest, FirstContinue, PickRequest, QuitRequest, SessionRequest, routes};
use rules::Number;
use seal::{ClientSeed, Commitment, Json};
use tokio::time::{Instant, timeout};

use crate::client::Connection;
use crate::journal::{Journal, Sent, digest};
use crate::run::Shared;

/// How long a player waits before the same action is sent again.
const PATIENCE: Duration = Duration::from_millis(20);

/// What is sent, for the report.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Session,
    Continue,
    Pick,
    Quit,
}

impl Kind {
    /// All of them, in the report's order.
    pub(crate) const ALL: [(Self, &str); 4] =
        [(Self::Session, "session"), (Self::Continue, "continue"), (Self::Pick, "pick"), (Self::Quit, "quit")];
}

/// One player after another at one place: connections that stay, and a chance of its own.
pub(crate) struct Player<'a> {
    shared: &'a Shared,
    connections: Vec<Connection>,
    random: u64,
}

impl<'a> Player<'a> {
    pub(crate) fn new(shared: &'a Shared, seed: u64) -> Self {
        let connections = shared.servers.iter().map(|server| Connection::new(*server)).collect();
        // SplitMix64's constant keeps neighbours apart.
        Self { shared, connections, random: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }

    /// Plays tickets until the time is over or none is left.
    pub(crate) async fn play_all(&mut self) -> anyhow::Result<()> {
        while let Some(code) = self.shared.next_ticket() {
            self.play(code).await?;
        }
        Ok(())
    }

    /// Plays one game to its end, or to the end of the time.
    async fn play(&mut self, code: &str) -> anyhow::Result<()> {
        let request = SessionRequest { code: code.to_owned() }.to_json();
        let Some(opened) = self.send(Kind::Session, routes::SESSIONS, None, &request).await? else { return Ok(()) };
        let opened = str::from_utf8(&opened)?;
        let opened = Json::parse(opened).map_err(|error| anyhow::anyhow!("a session's answer: {error}"))?;
        let token = opened.get("token").and_then(Json::as_str).context("a session without a token")?.to_owned();
        let game = opened.get("game").context("a session without a game")?;
        let commitment = game.get("commitment").and_then(Json::as_str).context("a game without a commitment")?;
        let commitment = Commitment(seal::hash::from_hex(commitment).map_err(|_| anyhow::anyhow!("no commitment"))?);
        let mut journal = Journal { token, sent: Vec::new() };

        let mut seed = [0; 32];
        for eight in seed.chunks_mut(8) {
            eight.copy_from_slice(&self.random().to_le_bytes());
        }
        let first = Some(FirstContinue { commitment, client_seed: ClientSeed(seed) });
        let mut numbers: Vec<u8> = (1..=30).collect();
        let mut state = State::NotStarted;
        let mut seq = 0;
        while state != State::Over {
            let (kind, path, body) = match state {
                State::NotStarted => (Kind::Continue, routes::CONTINUE, ContinueRequest { seq, first }.to_json()),
                State::OnPalier if self.random().is_multiple_of(2) => {
                    (Kind::Quit, routes::QUIT, QuitRequest { seq }.to_json())
                }
                State::OnPalier => (Kind::Continue, routes::CONTINUE, ContinueRequest { seq, first: None }.to_json()),
                State::Picking | State::Over => {
                    let left = numbers.len() as u64;
                    let at = usize::try_from(self.random() % left.max(1))?;
                    let number = Number::new(numbers.swap_remove(at)).context("a number")?;
                    (Kind::Pick, routes::PICKS, PickRequest { seq, number }.to_json())
                }
            };
            let Some(answer) = self.send(kind, path, Some(&journal.token), &body).await? else { break };
            state = State::of(&answer)?;
            if self.shared.check {
                journal.sent.push(Sent { path, body, answer: digest(&answer) });
            }
            seq += 1;
        }
        if self.shared.check && !journal.sent.is_empty() {
            self.shared.keep(journal);
        }
        Ok(())
    }

    /// Sends an action until it is answered; none where the time is over first.
    async fn send(
        &mut self,
        kind: Kind,
        path: &str,
        token: Option<&str>,
        body: &str,
    ) -> anyhow::Result<Option<Vec<u8>>> {
        let mut due = self.shared.due().await;
        loop {
            if self.shared.is_over() {
                return Ok(None);
            }
            let at = usize::try_from(self.random() % self.connections.len() as u64)?;
            let begun = due.take().unwrap_or_else(Instant::now);
            let connection = self.connections.get_mut(at).context("a server")?;
            // A server that hangs is left, with its connection.
            let answer = timeout(self.shared.answer_within, connection.post(path, token, body)).await;
            match answer.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
                Ok(answer) if answer.status == 200 => {
                    let body = answer.body.to_vec();
                    self.shared.answered(kind, begun.elapsed());
                    return Ok(Some(body));
                }
                // The server says that it cannot now.
                Ok(answer) if matches!(answer.status, 429 | 500 | 503) => self.shared.refused(),
                Ok(answer) => bail!("{path} {body} is answered with {}: {}", answer.status, told(answer.body)),
                Err(_) => self.shared.unanswered(),
            }
            tokio::time::sleep(PATIENCE).await;
        }
    }

    /// Sends a game's actions once more: what was answered differently, in words.
    pub(crate) async fn hold(&mut self, journal: &Journal) -> anyhow::Result<Vec<String>> {
        let mut wrong = Vec::new();
        for (seq, sent) in journal.sent.iter().enumerate() {
            let at = usize::try_from(self.random() % self.connections.len() as u64)?;
            let connection = self.connections.get_mut(at).context("a server")?;
            let answer = connection.post(sent.path, Some(&journal.token), &sent.body).await?;
            if answer.status != 200 || digest(answer.body) != sent.answer {
                let mut line = format!("action {seq} ({}) is answered with {}: ", sent.body, answer.status);
                let _ = write!(line, "{}", told(answer.body));
                wrong.push(line);
            }
        }
        Ok(wrong)
    }

    fn random(&mut self) -> u64 {
        // xorshift64: enough to choose what is played.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }
}

fn told(body: &[u8]) -> String {
    String::from_utf8_lossy(body).chars().take(300).collect()
}

/// What a player may do next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    NotStarted,
    Picking,
    OnPalier,
    Over,
}

impl State {
    /// From an answer's body. Its member `state` is searched rather than parsed: the driver's time is the servers' time.
    fn of(answer: &[u8]) -> anyhow::Result<Self> {
        let text = str::from_utf8(answer)?;
        let (_, state) = text.split_once("\"state\":\"").context("an answer without a state")?;
        Ok(match state.split('"').next().unwrap_or_default() {
            "not_started" => Self::NotStarted,
            "picking" => Self::Picking,
            "on_palier" => Self::OnPalier,
            _ => Self::Over,
        })
    }
}
