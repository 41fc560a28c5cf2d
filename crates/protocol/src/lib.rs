//! What crosses the wire between the page and the server: requests, views, problems (RFC 9457), and a typed client.
//!
//! Every type writes and reads itself here, in one place for both ends. Names are in `snake_case`, hex in lower case, times in RFC 3339 UTC, amounts in
//! whole euros as `*_eur`. Members that a reader does not know are ignored; a key given twice is refused.

pub mod client;
pub mod problem;
pub mod request;
pub mod time;
pub mod view;

pub use client::{CallError, Client, Method, Request, Response, Transport, Unreachable};
pub use problem::{Problem, ProblemCode};
pub use request::{ContinueRequest, FirstContinue, PickRequest, QuitRequest, SessionRequest};
pub use view::{GameAnswer, GameView, Payment, PickAnswer, PickView, SessionAnswer, StateName};

/// The routes of the player's API.
pub mod routes {
    /// `POST {code}` → `{token, game, receipt}`
    pub const SESSIONS: &str = "/api/v1/sessions";
    /// `GET` → `game`
    pub const GAME: &str = "/api/v1/game";
    /// `POST {seq, commitment, client_seed}` → `{game, receipt}`
    pub const CONTINUE: &str = "/api/v1/game/continue";
    /// `POST {seq, number}` → `{number, good, opening, palier?, game, receipt}`
    pub const PICKS: &str = "/api/v1/game/picks";
    /// `POST {seq}` → `{game, receipt}`
    pub const QUIT: &str = "/api/v1/game/quit";
    /// `GET` → the transcript of sealed-grid-v1, with the receipts of receipts-v1 beside it
    pub const TRANSCRIPT: &str = "/api/v1/game/transcript";
    /// `GET` → the operator's receipt keys (receipts-v1)
    pub const KEYS: &str = "/.well-known/qod-keys.json";
}

/// A body that is not what its route takes or gives: the name of the first member that is missing or wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadMember(pub &'static str);
