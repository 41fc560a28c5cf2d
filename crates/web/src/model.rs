//! What the components are given and what they give back: plain data, in the règlement's words.
//!
//! The app hands one [`Screen`] to `components::use_stage(&Screen, &Callback<Action>)`; a component shows what it is given, and emits an
//! [`Action`] when the player does something. It decides nothing: an action that does not stand at that moment is ignored by the app, so a double tap does no harm.
//! Everything that a [`Screen`] shows of a game was confirmed by the server and checked against its commitment before it came here.

use rules::game::VoidReason;
use rules::{Amount, CodeError, Fraction, Multiplier, Nature, Number, Palier, PotentialGain, Stop};
use rules::{TicketNumber, Timestamp};

pub use protocol::Payment;

/// What stands on the tablet.
#[derive(Clone, PartialEq)]
pub enum Screen {
    /// A game of this tab is being taken up again; nothing is known of it yet.
    Starting(Network),
    /// The code is asked for.
    Entry(Entry),
    /// The ticket is open and stage 2 has not begun: CONTINUER or QUITTER.
    Stake(Stake),
    /// The grid: numbers are picked, or the player stands on a palier and chooses.
    Play(Play),
    /// The game is over, or stage 2 is closed.
    End(End),
    /// The game was begun with a seed that this browser does not hold.
    OtherSeed(OtherSeed),
    /// Something that the server said does not hold: the game stops here.
    ProofFailed(ProofFailed),
}

/// What the player does.
#[derive(Clone, PartialEq, Eq)]
pub enum Action {
    /// The text of the code's field changed: all of it.
    CodeTyped(String),
    /// Opens the ticket with the text typed so far.
    Open,
    /// CONTINUER. Opens the dialog that asks for [`Action::Confirm`].
    Continue,
    /// QUITTER. Before CONTINUER: leaves at once, changing nothing. On a palier: opens the dialog.
    Quit,
    /// In the dialog of the first CONTINUER: the player declares to be of age, or takes it back.
    Adult(bool),
    /// Confirms the open dialog.
    Confirm,
    /// Closes the open dialog; nothing is done.
    Cancel,
    /// Picks a number.
    Pick(Number),
    /// Tries again now rather than at the next time set.
    Retry,
    /// Saves the transcript, or the evidence where a proof failed or another seed was used, as a file.
    Save,
    /// Goes to the replay of a finished game.
    Replay,
    /// The player confirms having begun this game elsewhere.
    BegunElsewhere,
    /// Takes up a game whose proof failed before the page was loaded: all of it is checked anew.
    TakeUpAgain,
    /// Leaves this ticket for the code entry; the game stays as it is on the server.
    Leave,
}

/// How an answer of the server is coming along.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Network {
    /// Nothing is awaited.
    #[default]
    Quiet,
    /// A request is on its way.
    Waiting,
    /// No answer came; the same request is sent again, by itself. Counts from 1.
    Retrying(u32),
    /// The browser says that it is offline; the request goes out when it is back.
    Offline,
}

/// The ticket, on every screen that has one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// Its printed number.
    pub number: TicketNumber,
    /// What stage 1 gained.
    pub potential_gain: PotentialGain,
}

/// The code entry.
#[derive(Clone, Default, PartialEq)]
pub struct Entry {
    /// What stands in the field.
    pub text: String,
    /// What is wrong with it, since it was last sent.
    pub problem: Option<EntryProblem>,
    /// What happened before, if the player comes from somewhere.
    pub notice: Option<EntryNotice>,
    /// The code is being sent: the field and the button are at rest.
    pub busy: bool,
}

/// Why a code opened nothing. None of them says that a ticket lost, but [`EntryProblem::LosingTicket`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EntryProblem {
    /// It is no code: its length, a character or its check. Told without asking the server.
    Malformed(CodeError),
    /// The code is of no ticket here: not recognised. Keep the ticket, look again, ask at a point of sale.
    Unknown,
    /// The ticket lost at stage 1: stage 2 is closed to it.
    LosingTicket,
    /// Too many wrong codes: wait before the next.
    TooManyAttempts,
    /// No answer, or the server cannot answer at this moment. Nothing is lost: try again.
    ServerAway,
    /// The answer cannot be read: the page is older or newer than the server. Reload it.
    PageOutdated,
}

/// Where the player comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum EntryNotice {
    /// The session ended; the code opens the same game again, nothing is lost.
    SessionEnded,
    /// QUITTER before CONTINUER: nothing changed, the ticket stays payable at its potential gain, before this instant where a limit is set.
    StillPayable(Option<Timestamp>),
    /// The game that was left waits where it stood.
    GameWaits,
}

/// What is at stake before CONTINUER.
#[derive(Clone, PartialEq)]
pub struct Stake {
    /// The ticket.
    pub ticket: Ticket,
    /// What there is to win, palier by palier.
    pub rungs: [Rung; 4],
    /// What CONTINUER is worth on average, as a multiple of what is staked; stopping is worth 1.
    pub value: Fraction,
    /// CONTINUER is closed, and why; QUITTER stays.
    pub closed: Option<StakeClosed>,
    /// CONTINUER is possible before this instant; none while the emission is not closed.
    pub start_before: Option<Timestamp>,
    /// The potential gain is paid before this instant, where a limit is set.
    pub pay_before: Option<Timestamp>,
    /// The open dialog.
    pub dialog: Option<Dialog>,
    /// CONTINUER was confirmed and is on its way: no button but [`Action::Retry`] stands then.
    pub network: Network,
}

/// Why a game can no longer, or not now, be started.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum StakeClosed {
    /// Its time has ended (2.2.4): the ticket is payable at its potential gain.
    TooLate,
    /// The operator has suspended new games: come back later.
    Suspended,
}

/// A question before something irrevocable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Dialog {
    /// CONTINUER puts this amount at risk.
    Continue {
        /// What is given up, to be increased or lost.
        at_risk: Amount,
        /// Whether the declaration of age is asked for here (the first CONTINUER), and given: [`Action::Confirm`] does nothing before it is.
        adult: Option<bool>,
    },
    /// QUITTER settles the game at this gain.
    Quit {
        /// The gain of the palier.
        gain: Amount,
    },
}

/// The grid and the ladder, while the game runs.
#[derive(Clone, PartialEq)]
pub struct Play {
    /// The ticket.
    pub ticket: Ticket,
    /// The thirty numbers, in order.
    pub cells: [Cell; 30],
    /// The four paliers, from the first.
    pub rungs: [Rung; 4],
    /// Picking, or standing on a palier.
    pub phase: Phase,
    /// What going on is worth on average, as a multiple of what is staked; stopping is worth 1.
    pub value: Fraction,
    /// What an error now costs or a stop now gives: the potential gain, or the gain of the last palier reached.
    pub at_stake: Amount,
    /// The last thing that happened, for the live region; none where the game was just taken up again.
    pub last: Option<Step>,
    /// Something to tell besides.
    pub notice: Option<PlayNotice>,
    /// The open dialog (on a palier only).
    pub dialog: Option<Dialog>,
    /// How the pending action is coming along. While it is not [`Network::Quiet`] no cell and no choice can be activated.
    pub network: Network,
    /// What is checked.
    pub proof: Proof,
    /// What is known of the operator's signatures.
    pub signing: Signing,
    /// The game must be finished before this instant.
    pub finish_before: Option<Timestamp>,
}

/// Something to tell during play.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PlayNotice {
    /// The game went on elsewhere (another tab, another device): this is where it stands now.
    WentOnElsewhere,
    /// The game was taken up again where it stood.
    Resumed,
    /// The server refused the last action; this is where the game stands.
    Refused,
}

/// One number of the grid.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// 1 to 30.
    pub number: Number,
    /// What is known of it.
    pub state: CellState,
}

/// What is known of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellState {
    /// Not picked.
    Free,
    /// Picked; the server has not answered yet.
    Pending,
    /// Picked: good, and proved so.
    Good,
    /// Picked: losing, and proved so.
    Losing,
    /// Never picked, and shown at the end: it was good.
    WasGood,
    /// Never picked, and shown at the end: it was losing.
    WasLosing,
}

/// Where the player stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Picking towards this palier.
    Picking {
        /// Which.
        palier: Palier,
        /// How many of its good numbers are found.
        found: u8,
        /// How many it takes in all (6, 5, 4 or 3).
        to_find: u8,
    },
    /// On a palier: CONTINUER or QUITTER.
    OnPalier {
        /// Which.
        stop: Stop,
        /// What it multiplied by.
        multiplier: Multiplier,
        /// What QUITTER gives.
        gain: Amount,
    },
}

/// One palier of the ladder.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Rung {
    /// Which.
    pub palier: Palier,
    /// Where it stands.
    pub state: RungState,
    /// How many new good numbers it takes.
    pub to_find: u8,
    /// How many of these are found.
    pub found: u8,
    /// Its gain where every palier still ahead doubles; its gain where it is reached.
    pub gain: Amount,
    /// Its gain where every palier still ahead triples; the same as `gain` where it is reached, and at 50 000 €.
    pub most: Amount,
    /// The chance to reach it from here, going on all the way; 1 where it is reached, 0 where it cannot be any more.
    pub reach: Fraction,
    /// The chance of ×3 there, once it is reached; 0 at 50 000 €, and 1 or 0 where it is reached.
    pub three: Fraction,
}

/// Where a palier stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RungState {
    /// Reached, and what it multiplied by.
    Reached(Multiplier),
    /// The one that is played for, or that CONTINUER would play for.
    Next,
    /// After that one.
    Ahead,
    /// Not reached, and the game is over.
    Missed,
}

/// What is known of the operator's signatures over a game.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Signing {
    /// None was given, or none is checked yet.
    #[default]
    None,
    /// All that were given hold.
    Checked,
    /// They are kept, but this browser could not check them.
    Unchecked,
}

/// What is checked of a game.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Every opening, with the seed that this browser drew.
    Whole,
    /// Every opening, but with a seed of another browser: the player's half is not checked here.
    SealOnly,
}

/// One thing that happened in a game.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// CONTINUER started it.
    Started,
    /// A number was picked that completes no palier.
    Picked(Number, Nature),
    /// A good number completed a palier.
    PalierReached {
        /// The number picked.
        number: Number,
        /// The palier.
        palier: Palier,
        /// What was drawn there.
        multiplier: Multiplier,
        /// The gain with it.
        gain: Amount,
    },
    /// CONTINUER on this palier.
    WentOn(Stop),
    /// QUITTER on this palier.
    Quit(Stop),
    /// The 30 days ended.
    Expired,
    /// The operator voided it.
    Voided,
}

/// The end of a game, or of a ticket.
#[derive(Clone, PartialEq)]
pub struct End {
    /// The ticket.
    pub ticket: Ticket,
    /// How it ended.
    pub outcome: Outcome,
    /// What it gave: 0 where it was lost.
    pub gain: Amount,
    /// Whether that is to be paid, or was.
    pub payment: Payment,
    /// It is paid before this instant, where a limit is set.
    pub pay_before: Option<Timestamp>,
    /// The grid as it was drawn, and the ladder; none where stage 2 never began.
    pub game: Option<EndedGame>,
    /// How a fetch that is under way (the reveal, the transcript) is coming along.
    pub network: Network,
}

/// How it ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Won, at this palier.
    Won(Palier),
    /// A losing number was picked; the whole play is lost, with the gain that was at stake.
    Lost {
        /// The losing number.
        number: Option<Number>,
        /// What was at stake.
        at_stake: Amount,
    },
    /// The 30 days ended, with the gain of this palier where one is due.
    Expired(Option<Palier>),
    /// Voided by the operator: the last gain acquired is payable.
    Void(VoidReason),
    /// The potential gain was paid at a point of sale: stage 2 is closed.
    PotentialGainPaid,
}

/// What the end shows of the game.
#[derive(Clone, PartialEq)]
pub struct EndedGame {
    /// The whole grid: what was picked, and what was not.
    pub cells: [Cell; 30],
    /// The ladder as far as it was climbed.
    pub rungs: [Rung; 4],
    /// The whole draw was checked against the commitment (an end is shown only where it holds).
    pub proof: Proof,
    /// What is known of the operator's signatures.
    pub signing: Signing,
}

/// A game begun with a seed that this browser does not hold.
#[derive(Clone, PartialEq)]
pub struct OtherSeed {
    /// The ticket.
    pub ticket: Ticket,
    /// This browser holds another seed for it: not only was the game begun elsewhere, it was also begun here.
    pub here_too: bool,
    /// The evidence was saved.
    pub saved: bool,
}

/// A proof that failed. The game goes no further here; the evidence can be saved.
#[derive(Clone, PartialEq)]
pub struct ProofFailed {
    /// The ticket.
    pub ticket: Ticket,
    /// What does not hold.
    pub failure: Failure,
    /// The evidence was saved.
    pub saved: bool,
    /// It failed before the page was loaded: the game may be taken up again, if all of it holds now.
    pub earlier: bool,
    /// How the game's answer is coming along, where it is taken up again.
    pub network: Network,
}

/// What does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The opening of a number does not lead to the commitment, or says something else than the answer.
    Number(Number),
    /// The opening, the multiplier or the gain of a palier.
    Palier(Palier),
    /// The ticket, its potential gain or its commitment is not the one that was published before the game.
    Commitment,
    /// The game as the server tells it is not the one that was played.
    Game,
    /// The draw revealed at the end does not make the commitment.
    Draw,
    /// The operator's signature over an answer is missing or wrong, or an answer is told otherwise than it was signed.
    Receipt,
    /// An answer that cannot be read.
    Unreadable,
}

impl Failure {
    /// Its name, for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Number(_) => "number",
            Self::Palier(_) => "palier",
            Self::Commitment => "commitment",
            Self::Game => "game",
            Self::Draw => "draw",
            Self::Receipt => "receipt",
            Self::Unreadable => "unreadable",
        }
    }

    /// Which number, or which palier; 0 for what has none.
    #[must_use]
    pub const fn at(self) -> u8 {
        match self {
            Self::Number(number) => number.get(),
            Self::Palier(palier) => palier.rank(),
            _ => 0,
        }
    }

    /// The one of this name.
    #[must_use]
    pub fn from_name(name: &str, at: u64) -> Option<Self> {
        Some(match name {
            "number" => Self::Number(Number::new(u8::try_from(at).ok()?)?),
            "palier" => Self::Palier(Palier::from_rank(at)?),
            _ => {
                return [Self::Commitment, Self::Game, Self::Draw, Self::Receipt, Self::Unreadable]
                    .into_iter()
                    .find(|f| f.name() == name);
            }
        })
    }
}
