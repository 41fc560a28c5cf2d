//! Why a request gets no answer: either a [`Problem`] that the player can do something about, or a failure of ours, which
//! is logged for the operator while the player learns only that nothing is lost.

use axum::http::HeaderValue;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};
use engine::Corrupt;
use protocol::{BadMember, Problem, ProblemCode};
use store::StoreError;
use tracing::error;

use crate::app::NoRandomness;
use crate::reply::json;

/// Why a request gets no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request, or the game as it stands.
    Problem(Problem),
    /// Too many wrong codes, or requests of one session: this problem, and in how many seconds to try again.
    TooMany(Problem, u64),
    /// The store.
    Store(StoreError),
    /// What is stored of this ticket is no game.
    Corrupt(store::TicketNumber, Corrupt),
    /// The store has an emission whose keys are not here.
    NoKeys(u16),
    /// No receipt key signs at this instant, or its secret half is not here.
    NoReceiptKey,
    /// A ticket, or the emission of one, was found and is there no more.
    Gone,
    /// The game moved at every try.
    Contended,
    /// It took longer than a request may.
    TooSlow,
    /// No token can be made.
    NoRandomness,
    /// It is about to stop.
    Stopping,
    /// A handler panicked.
    Panic,
}

/// What an answer tells the log and the metrics beside its status.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    /// The code of its problem.
    pub(crate) code: &'static str,
    /// The kind of our fault, where it is one.
    pub(crate) fault: Option<&'static str>,
}

impl Failure {
    /// What is told of it. Nothing of a failure's cause leaves the server.
    pub(crate) fn problem(&self) -> Problem {
        match self {
            Self::Problem(problem) | Self::TooMany(problem, _) => problem.clone(),
            Self::Store(
                StoreError::Unavailable { .. } | StoreError::Closed | StoreError::Full | StoreError::ReadOnly,
            )
            | Self::NoKeys(_)
            | Self::NoReceiptKey
            | Self::Contended
            | Self::TooSlow
            | Self::Stopping
            | Self::NoRandomness => {
                Problem::new(ProblemCode::Unavailable).detail("nothing is lost: send the same request again")
            }
            Self::Store(_) | Self::Corrupt(..) | Self::Gone | Self::Panic => Problem::new(ProblemCode::Internal),
        }
    }

    /// Whether it is that problem.
    pub(crate) fn is(&self, code: ProblemCode) -> bool {
        matches!(self, Self::Problem(problem) if problem.code == code)
    }

    /// The kind of fault of ours that it is, if it is one.
    const fn fault(&self) -> Option<&'static str> {
        Some(match self {
            Self::Problem(_) | Self::TooMany(..) | Self::Stopping => return None,
            Self::Store(StoreError::Full) => "store_full",
            Self::Store(StoreError::ReadOnly) => "store_read_only",
            Self::Store(StoreError::Unavailable { .. } | StoreError::Closed) => "store_unavailable",
            Self::Store(_) => "store",
            Self::Corrupt(..) | Self::Gone => "corrupt",
            Self::NoKeys(_) => "no_keys",
            Self::NoReceiptKey => "no_receipt_key",
            Self::Contended => "contended",
            Self::TooSlow => "too_slow",
            Self::NoRandomness => "no_randomness",
            Self::Panic => "panic",
        })
    }

    fn log(&self) {
        match self {
            Self::Problem(_) | Self::TooMany(..) | Self::Stopping => {}
            Self::Store(cause) => error!(%cause, "the store failed"),
            Self::Corrupt(number, cause) => error!(ticket = ?number, %cause, "a stored game is corrupt"),
            Self::NoKeys(emission) => {
                error!(emission, "the keys of an emission are missing: put them into the folder of the keys");
            }
            Self::NoReceiptKey => {
                error!("no receipt key signs now: nothing is answered without a receipt; see `qod keys list`");
            }
            Self::Gone => error!("a ticket or its emission has left the store"),
            Self::Contended => error!("a game moved at every try"),
            Self::TooSlow => error!("a request took too long"),
            Self::NoRandomness => error!("the system gives no randomness"),
            Self::Panic => error!("a handler panicked"),
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        self.log();
        let problem = self.problem();
        let mut response = json(problem.code.status(), Problem::MEDIA_TYPE, problem.to_json());
        response.extensions_mut().insert(Told { code: problem.code.as_str(), fault: self.fault() });
        let headers = response.headers_mut();
        match problem.code {
            ProblemCode::NoSession => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            ProblemCode::Unavailable => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        if let Self::TooMany(_, seconds) = self {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<ProblemCode> for Failure {
    fn from(code: ProblemCode) -> Self {
        Self::Problem(Problem::new(code))
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<NoRandomness> for Failure {
    fn from(_: NoRandomness) -> Self {
        Self::NoRandomness
    }
}

impl From<BadMember> for Failure {
    fn from(BadMember(name): BadMember) -> Self {
        let problem = Problem::new(ProblemCode::MalformedBody);
        Self::Problem(problem.detail(format!("the member \"{name}\" is missing or is not what this address takes")))
    }
}
