//! The calls that the page makes, over any transport.

use core::cell::RefCell;

use protocol::client::read;
use protocol::{
    CallError, Client, ContinueRequest, GameAnswer, GameView, Method, PickAnswer, PickRequest, QuitRequest, Request,
    Response, SessionAnswer, SessionRequest, Transport, Unreachable, routes,
};
use rules::Code;
use seal::receipt::Receipts;
use seal::{Json, TicketId, Transcript};

/// A call of the player's API.
#[derive(Clone, PartialEq, Eq)]
pub enum Call {
    /// Opens a session by a code.
    Open(Code),
    /// The game as it stands.
    Game,
    /// CONTINUER.
    GoOn(ContinueRequest),
    /// A pick.
    Pick(PickRequest),
    /// QUITTER on a palier.
    Quit(QuitRequest),
    /// The transcript so far.
    Transcript,
}

/// The answer of success to one.
pub enum Answer {
    /// To [`Call::Open`].
    Opened(Box<SessionAnswer>),
    /// To [`Call::Game`].
    Game(Box<GameView>),
    /// To [`Call::GoOn`] and [`Call::Quit`].
    Done(Box<GameAnswer>),
    /// To [`Call::Pick`].
    Pick(Box<PickAnswer>),
    /// To [`Call::Transcript`].
    Transcript(Transcript, Option<Box<Receipts>>),
}

/// Makes a call and waits for its end.
///
/// # Errors
/// See [`CallError`].
pub async fn perform<T: Transport>(client: &Client<T>, call: &Call, token: Option<&str>) -> Result<Answer, CallError> {
    let (method, path, body) = request(call);
    let text = client.call(method, path, token, body).await?;
    answer(call, text)
}

fn request(call: &Call) -> (Method, &'static str, Option<String>) {
    let post = |path, body| (Method::Post, path, Some(body));
    match call {
        Call::Open(code) => {
            let code = core::str::from_utf8(code.as_bytes()).unwrap_or_default().to_owned();
            post(routes::SESSIONS, SessionRequest { code }.to_json())
        }
        Call::Game => (Method::Get, routes::GAME, None),
        Call::GoOn(request) => post(routes::CONTINUE, request.to_json()),
        Call::Pick(request) => post(routes::PICKS, request.to_json()),
        Call::Quit(request) => post(routes::QUIT, request.to_json()),
        Call::Transcript => (Method::Get, routes::TRANSCRIPT, None),
    }
}

fn answer(call: &Call, text: String) -> Result<Answer, CallError> {
    if matches!(call, Call::Transcript) {
        let Ok(transcript) = Transcript::from_json(&text) else { return Err(CallError::Unreadable(text)) };
        // Receipts that cannot be read are none: that is told where some were known.
        let receipts = Json::parse(&text).ok().and_then(|json| Receipts::read_without_keys(json.get("receipts")?).ok());
        return Ok(Answer::Transcript(transcript, receipts.map(Box::new)));
    }
    read(text, |json| {
        Some(match call {
            Call::Open(_) => Answer::Opened(Box::new(SessionAnswer::read(json).ok()?)),
            Call::Pick(_) => Answer::Pick(Box::new(PickAnswer::read(json).ok()?)),
            Call::Game => Answer::Game(Box::new(GameView::read(json).ok()?)),
            Call::GoOn(_) | Call::Quit(_) | Call::Transcript => Answer::Done(Box::new(GameAnswer::read(json).ok()?)),
        })
    })
}

/// Which ticket the end of a call is about.
#[must_use]
pub fn ticket_of(result: &Result<Answer, CallError>) -> Option<TicketId> {
    Some(match result {
        Ok(Answer::Opened(session)) => session.game.ticket_id,
        Ok(Answer::Game(view)) => view.ticket_id,
        Ok(Answer::Done(answer)) => answer.game.ticket_id,
        Ok(Answer::Pick(answer)) => answer.game.ticket_id,
        Ok(Answer::Transcript(transcript, _)) => transcript.sealed.ticket,
        Err(CallError::Problem(problem)) => problem.game.as_ref()?.ticket_id,
        Err(_) => return None,
    })
}

/// A transport that keeps the last answer as it came: evidence, should it not hold.
pub struct Keeping<T> {
    inner: T,
    last: RefCell<String>,
}

impl<T> Keeping<T> {
    /// Over this one.
    pub const fn new(inner: T) -> Self {
        Self { inner, last: RefCell::new(String::new()) }
    }

    /// The body of the last answer; taken once.
    pub fn take(&self) -> String {
        self.last.take()
    }
}

impl<T: Transport> Transport for &Keeping<T> {
    async fn send(&self, request: Request<'_>) -> Result<Response, Unreachable> {
        self.last.take();
        let response = self.inner.send(request).await?;
        self.last.replace(response.body.clone());
        Ok(response)
    }
}
