//! Errors, as RFC 9457 problem documents with a stable `code`. What a player reads is the page's, in their language.

use rules::Refusal;
use seal::Json;
use seal::json::Writer;

use crate::view::GameView;

/// What went wrong: stable, and all that a program needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemCode {
    /// The body is not JSON, or a member of it is missing or wrong.
    MalformedBody,
    /// The text given as a code is none: its length, a character or its check is wrong.
    MalformedCode,
    /// The code is of no ticket here.
    UnknownCode,
    /// The ticket lost at stage 1: stage 2 is closed to it.
    LosingTicket,
    /// No session of that token: the code must be entered again.
    NoSession,
    /// The `seq` was used for another action, or is not the next one. The game as it stands is with it.
    SeqConflict,
    /// The game was begun with another seed. The game is with it.
    OtherSeed,
    /// The commitment sent is not that of this ticket. The game is with it.
    OtherCommitment,
    /// The CONTINUER that starts a game carries the commitment and the player's seed.
    SeedMissing,
    /// CONTINUER comes first.
    NotStarted,
    /// One can neither stop nor go on between two paliers.
    BetweenPaliers,
    /// On a palier CONTINUER or QUITTER comes first.
    ChooseFirst,
    /// That number was picked already.
    PickedAlready,
    /// The emission's time to start a game has ended.
    StartTooLate,
    /// The operator has suspended new games.
    Suspended,
    /// The game is over. It is with it.
    Over,
    /// The potential gain was paid, which closed stage 2.
    PotentialGainPaid,
    /// There is nothing at that address.
    NotFound,
    /// That address does not take that method.
    MethodNotAllowed,
    /// The body is larger than any request needs.
    TooLarge,
    /// Too many wrong codes, or requests of one session at once: wait before the next. A right code is always accepted.
    TooManyAttempts,
    /// The server cannot answer at this moment; nothing is lost.
    Unavailable,
    /// The server failed; nothing is lost.
    Internal,
}

impl ProblemCode {
    /// All of them.
    pub const ALL: [Self; 23] = [
        Self::MalformedBody,
        Self::MalformedCode,
        Self::UnknownCode,
        Self::LosingTicket,
        Self::NoSession,
        Self::SeqConflict,
        Self::OtherSeed,
        Self::OtherCommitment,
        Self::SeedMissing,
        Self::NotStarted,
        Self::BetweenPaliers,
        Self::ChooseFirst,
        Self::PickedAlready,
        Self::StartTooLate,
        Self::Suspended,
        Self::Over,
        Self::PotentialGainPaid,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::TooLarge,
        Self::TooManyAttempts,
        Self::Unavailable,
        Self::Internal,
    ];

    /// On the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MalformedBody => "malformed_body",
            Self::MalformedCode => "malformed_code",
            Self::UnknownCode => "unknown_code",
            Self::LosingTicket => "losing_ticket",
            Self::NoSession => "no_session",
            Self::SeqConflict => "seq_conflict",
            Self::OtherSeed => "other_seed",
            Self::OtherCommitment => "other_commitment",
            Self::SeedMissing => "seed_missing",
            Self::NotStarted => "not_started",
            Self::BetweenPaliers => "between_paliers",
            Self::ChooseFirst => "choose_first",
            Self::PickedAlready => "picked_already",
            Self::StartTooLate => "start_too_late",
            Self::Suspended => "suspended",
            Self::Over => "over",
            Self::PotentialGainPaid => "potential_gain_paid",
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::TooLarge => "too_large",
            Self::TooManyAttempts => "too_many_attempts",
            Self::Unavailable => "unavailable",
            Self::Internal => "internal",
        }
    }

    /// The HTTP status that goes with it.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::MalformedBody => 400,
            Self::NoSession => 401,
            Self::UnknownCode | Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::TooLarge => 413,
            Self::MalformedCode => 422,
            Self::TooManyAttempts => 429,
            Self::Internal => 500,
            Self::Unavailable => 503,
            Self::LosingTicket
            | Self::SeedMissing
            | Self::SeqConflict
            | Self::OtherSeed
            | Self::OtherCommitment
            | Self::NotStarted
            | Self::BetweenPaliers
            | Self::ChooseFirst
            | Self::PickedAlready
            | Self::StartTooLate
            | Self::Suspended
            | Self::Over
            | Self::PotentialGainPaid => 409,
        }
    }
}

impl From<Refusal> for ProblemCode {
    /// The refusals that a player's action can meet; those of payments and of the operator never reach the page.
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotStarted => Self::NotStarted,
            Refusal::BetweenPaliers => Self::BetweenPaliers,
            Refusal::ChooseFirst => Self::ChooseFirst,
            Refusal::PickedAlready => Self::PickedAlready,
            Refusal::StartTooLate => Self::StartTooLate,
            Refusal::Suspended => Self::Suspended,
            Refusal::PotentialGainPaid => Self::PotentialGainPaid,
            Refusal::FinishTooLate
            | Refusal::NotExpired
            | Refusal::Over
            | Refusal::StillRunning
            | Refusal::NothingToPay
            | Refusal::PaidAlready
            | Refusal::NotPaid
            | Refusal::PayTooLate => Self::Over,
        }
    }
}

/// A problem document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What went wrong.
    pub code: ProblemCode,
    /// What to do about it, in English, for whoever writes a client. Never anything secret.
    pub detail: Option<String>,
    /// The game as it stands, where the caller may see it.
    pub game: Option<Box<GameView>>,
}

impl Problem {
    /// Its media type.
    pub const MEDIA_TYPE: &str = "application/problem+json";

    /// A problem with nothing beside its code.
    #[must_use]
    pub const fn new(code: ProblemCode) -> Self {
        Self { code, detail: None, game: None }
    }

    /// With what to do about it.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// With the game as it stands.
    #[must_use]
    pub fn game(mut self, game: GameView) -> Self {
        self.game = Some(Box::new(game));
        self
    }

    /// Writes it.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut w = Writer::new();
        w.object(|w| {
            w.key("type").string("about:blank");
            w.key("title").string(&self.code.as_str().replace('_', " "));
            w.key("status").int(self.code.status().into());
            w.key("code").string(self.code.as_str());
            if let Some(detail) = &self.detail {
                w.key("detail").string(detail);
            }
            if let Some(game) = &self.game {
                game.write(w.key("game"));
            }
        });
        w.finish()
    }

    /// Reads it; none where this is no problem document of this API.
    #[must_use]
    pub fn read(json: &Json) -> Option<Self> {
        let code = json.get("code")?.as_str()?;
        Some(Self {
            code: ProblemCode::ALL.into_iter().find(|c| c.as_str() == code)?,
            detail: json.get("detail").and_then(Json::as_str).map(str::to_owned),
            game: match json.get("game") {
                None | Some(Json::Null) => None,
                Some(game) => Some(Box::new(GameView::read(game).ok()?)),
            },
        })
    }
}
