//! What the verifier shows, and what is done there: plain data.

use rules::{Amount, Multiplier, Number, NumberSet, Palier, PotentialGain, Timestamp};
use seal::transcript::{Malformed, Outcome, Wrong};
use seal::{ClientSeed, Commitment, ServerSeed, TicketId};

use crate::model::{Cell, Rung, Step};

/// What stands there.
#[derive(Clone, PartialEq)]
pub enum Screen {
    /// A file is asked for, and what was wrong with the last one.
    Ask(Option<Trouble>),
    /// A file is being read.
    Reading,
    /// What was found in a game.
    Verdict(Box<Verdict>),
    /// A game, step by step.
    Replay(Box<Replay>),
}

/// What is done there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A file is to be chosen.
    Choose,
    /// One was chosen.
    Chosen,
    /// To the replay of the game that holds.
    Replay,
    /// Back to what was found.
    Verdict,
    /// Shows that step of the replay; it stops going on by itself.
    To(usize),
    /// Lets it go on by itself, or stops it.
    Play(bool),
    /// How fast it goes on.
    Speed(Speed),
}

/// How fast a replay goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Speed {
    /// As it is watched at leisure.
    #[default]
    One,
    /// Twice as fast.
    Two,
    /// Four times as fast.
    Four,
}

impl Speed {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::One, Self::Two, Self::Four];

    /// How long a step stands, in milliseconds.
    #[must_use]
    pub const fn millis(self) -> u32 {
        match self {
            Self::One => 1200,
            Self::Two => 600,
            Self::Four => 300,
        }
    }
}

/// Why a file is not even looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It is larger than any saved game.
    TooLarge,
    /// The browser cannot read it: a folder, or a file that is gone.
    Unreadable,
    /// There is nothing in it.
    Empty,
    /// It is no saved game.
    NotAGame(Malformed),
    /// It is the report of a proof that failed before there was any game to verify.
    ReportAlone,
    /// The game that was to be seen again is not in this tab any more.
    Gone,
}

/// What was found in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Of the file; none where the game was handed over.
    pub file: Option<String>,
    /// It is the report of a proof that failed: what is verified is the game up to there.
    pub is_report: bool,
    /// The game, if all of it holds, or the first thing that does not.
    pub found: Result<Account, Flaw>,
}

/// What is told of a game that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The ticket.
    pub ticket: TicketId,
    /// What it put at stake.
    pub potential_gain: PotentialGain,
    /// What the server published.
    pub commitment: Commitment,
    /// What the player's browser drew.
    pub client_seed: ClientSeed,
    /// What the server revealed at the end.
    pub server_seed: Option<ServerSeed>,
    /// How it stands or ended.
    pub outcome: Outcome,
    /// What it gave; none while it goes on.
    pub gain: Option<Amount>,
    /// The numbers picked, in order, and whether each was good.
    pub picks: Vec<(Number, bool)>,
    /// The paliers reached: multiplier and gain.
    pub paliers: Vec<(Palier, Multiplier, Amount)>,
    /// The losing numbers, once the draw is revealed.
    pub losing: Option<NumberSet>,
}

/// The first thing that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// What.
    pub wrong: Wrong,
    /// In which act of the game, where it is one.
    pub deed: Option<Deed>,
    /// How many numbers were picked, and proven, before it.
    pub proven: usize,
}

/// An act of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// CONTINUER.
    Continue,
    /// QUITTER.
    Quit,
    /// This number was picked, the so-many-th (1 is the first).
    Pick(Number, usize),
    /// A palier was reached by this number, the so-many-th.
    Palier(Palier, Option<Number>, usize),
}

/// A game, step by step; always marked as one that is seen again.
#[derive(Clone, PartialEq)]
pub struct Replay {
    /// The ticket's printed number, where it is known.
    pub ticket_number: Option<String>,
    /// When it was begun, where it is known.
    pub started_at: Option<Timestamp>,
    /// The grid after this step.
    pub cells: [Cell; 30],
    /// The ladder after this step.
    pub rungs: [Rung; 4],
    /// What this step was.
    pub step: Step,
    /// Its place: 0 is the first.
    pub at: usize,
    /// How many steps there are.
    pub steps: usize,
    /// What was at stake after it, or what the game gave where it was over.
    pub amount: Amount,
    /// It goes on by itself.
    pub playing: bool,
    /// How fast.
    pub speed: Speed,
}
