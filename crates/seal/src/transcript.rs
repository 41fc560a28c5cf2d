//! The transcript: what a player can save and anyone can check, with no access to the server.

use core::fmt;

use rules::game::VoidReason;
use rules::{Amount, Game, Multiplier, Nature, Number, NumberSet, Palier, PotentialGain, State, Timestamp, Unfinished};

use crate::check::{Checker, Fault, PalierClaim};
use crate::draw::ServerSeed;
use crate::hash::{Commitment, from_hex, to_hex};
use crate::json::{Json, JsonError, Writer};
use crate::opening::{Opening, Sealed};
use crate::player::ClientSeed;
use crate::tree::LONGEST_PATH;

/// A game that was begun, as it can be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// What the server published before play.
    pub sealed: Sealed,
    /// What the player's browser drew.
    pub client_seed: ClientSeed,
    /// What the server revealed, once the game was over.
    pub server_seed: Option<ServerSeed>,
    /// What happened, in order.
    pub actions: Vec<Action>,
    /// How it is said to have ended.
    pub outcome: Outcome,
    /// What it is said to have gained, in whole euros; none while it is in progress.
    pub gain_eur: Option<u64>,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// CONTINUER: at the start, or on a palier.
    Continue,
    /// A number was picked, and its cell opened.
    Pick(Number, Opening),
    /// The pick before it completed a palier.
    Palier(PalierClaim),
    /// QUITTER on a palier.
    Quit,
}

/// How a game stands or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It goes on.
    InProgress,
    /// Won at its last palier.
    Won,
    /// A losing number was picked.
    Lost,
    /// The 30 days ended.
    Expired,
    /// Voided by the operator.
    Void,
}

impl Outcome {
    const ALL: [Self; 5] = [Self::InProgress, Self::Won, Self::Lost, Self::Expired, Self::Void];

    /// Its name in a transcript.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Won => "won",
            Self::Lost => "lost",
            Self::Expired => "expired",
            Self::Void => "void",
        }
    }

    /// How this game stands; none where stage 2 was not begun.
    #[must_use]
    pub const fn of(game: &Game) -> Option<Self> {
        match game.state() {
            State::NotStarted | State::PotentialGainPaid => None,
            State::Picking(_) | State::OnPalier(_) => Some(Self::InProgress),
            State::Won(..) => Some(Self::Won),
            State::Lost => Some(Self::Lost),
            State::Expired(_) => Some(Self::Expired),
            State::Void(..) => Some(Self::Void),
        }
    }
}

/// Why a text is no transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// It is not JSON, or not strictly so.
    Json(JsonError),
    /// Another version than 1: this program cannot check it.
    Version,
    /// This member is missing, or is not what the format says.
    Member(&'static str),
    /// This member of the action of that place (0 is the first) is missing, or is not what the format says.
    Action(usize, &'static str),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => write!(f, "not a transcript: {error}"),
            Self::Version => f.write_str("\"version\" is not 1: this program checks version 1 only"),
            Self::Member(name) => write!(f, "\"{name}\" is missing or not as the format says"),
            Self::Action(at, name) => {
                write!(f, "action {}: \"{name}\" is missing or not as the format says", at + 1)
            }
        }
    }
}

impl Transcript {
    /// Reads a transcript. What it says is not checked by that.
    ///
    /// # Errors
    /// The first thing that is not as the format says.
    pub fn from_json(text: &str) -> Result<Self, Malformed> {
        let json = Json::parse(text).map_err(Malformed::Json)?;
        if json.get("version").and_then(Json::as_int) != Some(1) {
            return Err(Malformed::Version);
        }
        let string = |name| json.get(name).and_then(Json::as_str);
        let ticket = string("ticket_id").and_then(|s| s.parse().ok()).ok_or(Malformed::Member("ticket_id"))?;
        let potential_gain = json.get("potential_gain_eur").and_then(Json::as_int).and_then(PotentialGain::from_eur);
        let potential_gain = potential_gain.ok_or(Malformed::Member("potential_gain_eur"))?;
        let commitment = string("commitment").and_then(|s| Commitment::from_hex(s).ok());
        let commitment = commitment.ok_or(Malformed::Member("commitment"))?;
        let client_seed = string("client_seed").and_then(|s| ClientSeed::from_hex(s).ok());
        let server_seed = match json.get("server_seed") {
            Some(Json::Null) => None,
            Some(Json::Str(s)) => Some(ServerSeed::from_hex(s).map_err(|_| Malformed::Member("server_seed"))?),
            _ => return Err(Malformed::Member("server_seed")),
        };
        let outcome = string("outcome").and_then(|s| Outcome::ALL.into_iter().find(|o| o.name() == s));
        let gain_eur = match json.get("gain_eur") {
            Some(Json::Null) => None,
            Some(Json::Int(eur)) => Some(*eur),
            _ => return Err(Malformed::Member("gain_eur")),
        };
        let actions = json.get("actions").and_then(Json::as_array).ok_or(Malformed::Member("actions"))?;
        let actions = actions.iter().enumerate();
        let actions = actions.map(|(at, json)| read_action(json).map_err(|name| Malformed::Action(at, name)));
        Ok(Self {
            sealed: Sealed { ticket, potential_gain, commitment },
            client_seed: client_seed.ok_or(Malformed::Member("client_seed"))?,
            server_seed,
            actions: actions.collect::<Result<_, _>>()?,
            outcome: outcome.ok_or(Malformed::Member("outcome"))?,
            gain_eur,
        })
    }

    /// Writes it as the format says.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut w = Writer::new();
        w.object(|w| {
            w.key("version").int(1);
            w.key("ticket_id").string(&self.sealed.ticket.to_string());
            w.key("potential_gain_eur").int(self.sealed.potential_gain.eur().into());
            w.key("commitment").string(&self.sealed.commitment.to_hex());
            w.key("client_seed").string(&self.client_seed.to_hex());
            w.key("server_seed").string_or_null(self.server_seed.map(|seed| seed.reveal_hex()).as_deref());
            w.key("actions").array(|w| self.actions.iter().for_each(|action| write_action(action, w)));
            w.key("outcome").string(self.outcome.name());
            w.key("gain_eur").int_or_null(self.gain_eur);
        });
        w.finish()
    }

    /// Checks all of it: the order of the actions, every opening, every multiplier and gain, and the revealed draw.
    ///
    /// # Errors
    /// The first thing that does not hold, and where.
    pub fn check(&self) -> Result<Checked, Wrong> {
        // A transcript carries no times: everything counts as at one instant, and an expiry as at the end of the 30 days.
        let start = Timestamp::from_millis(0);
        let follow = |unfinished| self.follow(start, unfinished);
        let mut checker = follow(Unfinished::NoGain)?;
        if self.outcome == Outcome::Expired && self.gain_eur != checker.game().gain().map(Amount::eur) {
            // Between two paliers an emission may be set to give back the last palier's gain.
            checker = follow(Unfinished::LastPalier)?;
        }
        let game = *checker.game();
        if Outcome::of(&game) != Some(self.outcome) {
            return Err(Wrong::Outcome);
        }
        let gain = if game.is_over() { game.gain() } else { None };
        if self.gain_eur != gain.map(Amount::eur) {
            return Err(Wrong::Gain(gain));
        }
        let losing = match (self.server_seed, game.is_over()) {
            (Some(seed), true) => Some(checker.reveal(&seed).map_err(Wrong::Reveal)?),
            (None, false) => None,
            (Some(_), false) => return Err(Wrong::RevealedEarly),
            (None, true) => return Err(Wrong::NotRevealed),
        };
        Ok(Checked { game, losing })
    }

    /// Checks every step, for a game that started at this instant under this setting, and gives what it comes to. What the transcript says of
    /// its gain and of its revealed draw is for [`Self::check`], or for the caller, to compare.
    ///
    /// # Errors
    /// The first step that does not hold, or an outcome that cannot follow.
    pub fn follow(&self, start: Timestamp, unfinished: Unfinished) -> Result<Checker, Wrong> {
        let mut actions = self.actions.iter().enumerate().peekable();
        if !matches!(actions.next(), Some((_, Action::Continue))) {
            return Err(Wrong::Action(0, Fault::Rules(rules::Misfit::State)));
        }
        let mut checker =
            Checker::start(self.sealed, &self.client_seed, start, unfinished).map_err(|f| Wrong::Action(0, f))?;
        while let Some((at, action)) = actions.next() {
            let mut told_by = at;
            let step = match action {
                Action::Continue => checker.go_on(),
                Action::Quit => checker.quit(),
                Action::Pick(number, opening) => {
                    let claim = actions.next_if(|(_, next)| matches!(next, Action::Palier(_)));
                    let claim = claim.and_then(|(_, a)| if let Action::Palier(claim) = a { Some(claim) } else { None });
                    let picked = checker.pick(*number, opening, claim);
                    // What is wrong with a palier stands in the action after the pick.
                    let of_palier = |f: &Fault| {
                        matches!(f, Fault::Share(_) | Fault::Multiplier(_) | Fault::Gain(_) | Fault::PalierUnexpected)
                    };
                    told_by += usize::from(picked.as_ref().is_err_and(of_palier));
                    picked.map(|_: Nature| ())
                }
                Action::Palier(_) => Err(Fault::PalierUnexpected),
            };
            step.map_err(|fault| Wrong::Action(told_by, fault))?;
        }
        let ended = match self.outcome {
            Outcome::Expired => checker.expire(),
            // A transcript does not say why a game was voided; the gain is the same.
            Outcome::Void => checker.void(VoidReason::Malfunction),
            Outcome::InProgress | Outcome::Won | Outcome::Lost => Ok(()),
        };
        ended.map_err(|_| Wrong::Outcome)?;
        Ok(checker)
    }
}

/// What a transcript that holds shows.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The game, folded from its actions.
    pub game: Game,
    /// The three losing numbers, once the draw is revealed.
    pub losing: Option<NumberSet>,
}

/// The first thing in a transcript that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The action of that place (0 is the first).
    Action(usize, Fault),
    /// The outcome is not the one that the actions have.
    Outcome,
    /// The gain is not this one.
    Gain(Option<Amount>),
    /// The game is over, but its seed is not revealed.
    NotRevealed,
    /// The game goes on, but its seed is there.
    RevealedEarly,
    /// The revealed seed does not hold.
    Reveal(Fault),
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Action(at, fault) => write!(f, "action {}: {fault}", at + 1),
            Self::Outcome => f.write_str("\"outcome\" is not the one that the actions have"),
            Self::Gain(Some(gain)) => write!(f, "\"gain_eur\" is not the gain of this game, {} €", gain.eur()),
            Self::Gain(None) => f.write_str("\"gain_eur\" must be null while the game is in progress"),
            Self::NotRevealed => f.write_str("the game is over, but \"server_seed\" is not revealed"),
            Self::RevealedEarly => f.write_str("\"server_seed\" is revealed although the game is in progress"),
            Self::Reveal(fault) => write!(f, "{fault}"),
        }
    }
}

fn read_action(json: &Json) -> Result<Action, &'static str> {
    let int = |name: &'static str| json.get(name).and_then(Json::as_int).ok_or(name);
    match json.get("type").and_then(Json::as_str) {
        Some("continue") => Ok(Action::Continue),
        Some("quit") => Ok(Action::Quit),
        Some("pick") => {
            let number = u8::try_from(int("number")?).ok().and_then(Number::new).ok_or("number")?;
            Ok(Action::Pick(number, Opening::read(json.get("opening")).ok_or("opening")?))
        }
        Some("palier") => PalierClaim::read(json).map(Action::Palier),
        _ => Err("type"),
    }
}

fn write_action(action: &Action, w: &mut Writer) {
    w.object(|w| match action {
        Action::Continue => w.key("type").string("continue"),
        Action::Quit => w.key("type").string("quit"),
        Action::Pick(number, opening) => {
            w.key("type").string("pick");
            w.key("number").int(number.get().into());
            opening.write(w.key("opening"));
        }
        Action::Palier(claim) => {
            w.key("type").string("palier");
            claim.write_members(w);
        }
    });
}

impl PalierClaim {
    /// Reads the members `palier`, `multiplier`, `gain_eur` and `opening`.
    ///
    /// # Errors
    /// The name of the first that is missing or not as the format says.
    pub fn read(json: &Json) -> Result<Self, &'static str> {
        let int = |name: &'static str| json.get(name).and_then(Json::as_int).ok_or(name);
        Ok(Self {
            palier: Palier::from_rank(int("palier")?).ok_or("palier")?,
            multiplier: Multiplier::from_factor(int("multiplier")?).ok_or("multiplier")?,
            gain_eur: int("gain_eur")?,
            opening: Opening::read(json.get("opening")).ok_or("opening")?,
        })
    }

    /// Writes the same members.
    pub fn write_members(&self, w: &mut Writer) {
        w.key("palier").int(self.palier.rank().into());
        w.key("multiplier").int(self.multiplier.factor().into());
        w.key("gain_eur").int(self.gain_eur);
        self.opening.write(w.key("opening"));
    }
}

impl Opening {
    /// Reads `{index, value, nonce, path}`; none where it is not as the format says.
    #[must_use]
    pub fn read(json: Option<&Json>) -> Option<Self> {
        let json = json?;
        let path = json.get("path")?.as_array()?;
        if path.len() > LONGEST_PATH {
            return None;
        }
        Some(Self {
            index: u8::try_from(json.get("index")?.as_int()?).ok()?,
            value: u32::try_from(json.get("value")?.as_int()?).ok()?,
            nonce: from_hex(json.get("nonce")?.as_str()?).ok()?,
            path: path.iter().map(|hash| from_hex(hash.as_str()?).ok()).collect::<Option<_>>()?,
        })
    }

    /// Writes the same.
    pub fn write(&self, w: &mut Writer) {
        w.object(|w| {
            w.key("index").int(self.index.into());
            w.key("value").int(self.value.into());
            w.key("nonce").string(&to_hex(&self.nonce));
            w.key("path").array(|w| self.path.iter().for_each(|hash| w.string(&to_hex(hash))));
        });
    }
}
