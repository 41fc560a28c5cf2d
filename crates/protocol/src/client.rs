//! The typed client of the player's API, generic over how a request travels: the page's `fetch`, a test's HTTP client, or the demo in the page.

use seal::{Json, Transcript};

use crate::problem::Problem;
use crate::request::{ContinueRequest, PickRequest, QuitRequest, SessionRequest};
use crate::routes;
use crate::view::{GameAnswer, GameView, PickAnswer, SessionAnswer};

/// A method of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// GET
    Get,
    /// POST
    Post,
}

/// A request of this API.
pub struct Request<'a> {
    /// Its method.
    pub method: Method,
    /// Its path, one of [`routes`].
    pub path: &'static str,
    /// The session's token, for `Authorization: Bearer`.
    pub token: Option<&'a str>,
    /// Its JSON body.
    pub body: Option<String>,
}

/// An answer of this API.
pub struct Response {
    /// Its HTTP status.
    pub status: u16,
    /// Its body.
    pub body: String,
}

/// No answer came: it is not known whether the request arrived. Send the same one again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable;

/// How a request travels.
pub trait Transport {
    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// No answer came.
    fn send(&self, request: Request<'_>) -> impl Future<Output = Result<Response, Unreachable>>;
}

/// Why a call gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallError {
    /// No answer came, or one that is none of this API's (a proxy's page): send the same request again.
    Unreachable,
    /// The server says what is wrong.
    Problem(Problem),
    /// An answer of success that cannot be read: the page and the server do not fit, or it was altered. It is kept as evidence.
    Unreadable(String),
}

/// The player's API.
pub struct Client<T> {
    transport: T,
}

impl<T: Transport> Client<T> {
    /// Over this transport.
    pub const fn new(transport: T) -> Self {
        Self { transport }
    }

    /// Opens a session by a code.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn open(&self, code: &str) -> Result<SessionAnswer, CallError> {
        let body = SessionRequest { code: code.to_owned() }.to_json();
        let text = self.call(Method::Post, routes::SESSIONS, None, Some(body)).await?;
        read(text, |json| SessionAnswer::read(json).ok())
    }

    /// The game as it stands.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn game(&self, token: &str) -> Result<GameView, CallError> {
        let text = self.call(Method::Get, routes::GAME, Some(token), None).await?;
        read(text, |json| GameView::read(json).ok())
    }

    /// CONTINUER.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn go_on(&self, token: &str, request: &ContinueRequest) -> Result<GameAnswer, CallError> {
        let text = self.call(Method::Post, routes::CONTINUE, Some(token), Some(request.to_json())).await?;
        read(text, |json| GameAnswer::read(json).ok())
    }

    /// A pick.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn pick(&self, token: &str, request: &PickRequest) -> Result<PickAnswer, CallError> {
        let text = self.call(Method::Post, routes::PICKS, Some(token), Some(request.to_json())).await?;
        read(text, |json| PickAnswer::read(json).ok())
    }

    /// QUITTER.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn quit(&self, token: &str, request: &QuitRequest) -> Result<GameAnswer, CallError> {
        let text = self.call(Method::Post, routes::QUIT, Some(token), Some(request.to_json())).await?;
        read(text, |json| GameAnswer::read(json).ok())
    }

    /// The transcript so far.
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn transcript(&self, token: &str) -> Result<Transcript, CallError> {
        let text = self.call(Method::Get, routes::TRANSCRIPT, Some(token), None).await?;
        match Transcript::from_json(&text) {
            Ok(transcript) => Ok(transcript),
            Err(_) => Err(CallError::Unreadable(text)),
        }
    }

    /// One call, whatever it is: gives the body of an answer of success, for [`read`] to read. (The page makes all its calls by this one future: six would
    /// weigh more.)
    ///
    /// # Errors
    /// See [`CallError`].
    pub async fn call(
        &self,
        method: Method,
        path: &'static str,
        token: Option<&str>,
        body: Option<String>,
    ) -> Result<String, CallError> {
        let response = self.transport.send(Request { method, path, token, body }).await;
        let response = response.map_err(|Unreachable| CallError::Unreachable)?;
        if (200..300).contains(&response.status) {
            return Ok(response.body);
        }
        // Whatever is no problem document came from something between: it says nothing of the game.
        let problem = Json::parse(&response.body).ok().as_ref().and_then(Problem::read);
        Err(problem.map_or(CallError::Unreachable, CallError::Problem))
    }
}

/// Reads the body of an answer of success.
///
/// # Errors
/// It cannot be read: it is given back.
pub fn read<A>(text: String, read: impl FnOnce(&Json) -> Option<A>) -> Result<A, CallError> {
    match Json::parse(&text).ok().as_ref().and_then(read) {
        Some(answer) => Ok(answer),
        None => Err(CallError::Unreadable(text)),
    }
}
