//! A game followed as its player sees it: every step is checked against the commitment and folded by `rules`.

use core::fmt;

use rules::game::VoidReason;
use rules::{
    Amount, Event, Game, Misfit, Multiplier, Nature, Number, NumberSet, Palier, Recorded, Timestamp, Unfinished,
};

use crate::blend::multiplier;
use crate::draw::{SealedGrid, ServerSeed};
use crate::opening::{BadOpening, Opening, Sealed};
use crate::player::{ClientSeed, PlayersHalf};

/// What is said of a palier that a pick completes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PalierClaim {
    /// Which.
    pub palier: Palier,
    /// What it multiplies by.
    pub multiplier: Multiplier,
    /// What has been gained with it, in whole euros.
    pub gain_eur: u64,
    /// The server share, opened.
    pub opening: Opening,
}

/// Why a game is not what it is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A step that the rules do not have here.
    Rules(Misfit),
    /// The opening of the picked cell.
    Cell(BadOpening),
    /// The opening of the palier's share.
    Share(BadOpening),
    /// A palier is reached, but nothing is said of it.
    PalierMissing,
    /// A palier is told that is not reached here, or another one.
    PalierUnexpected,
    /// The multiplier is another one: this is the one that both shares draw.
    Multiplier(Multiplier),
    /// The gain is another one: this is it.
    Gain(Amount),
    /// The nature that is told is not that of the opened cell: this is.
    Nature(Nature),
    /// The revealed seed does not make the commitment.
    ServerSeed,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let opening = |bad: &BadOpening| match bad {
            BadOpening::Index => "opens another leaf than the one asked for",
            BadOpening::Value => "has a value that cannot stand there",
            BadOpening::Commitment => "does not lead to the commitment of this ticket and potential gain",
        };
        match self {
            Self::Rules(Misfit::State) => f.write_str("the rules have no such step here"),
            Self::Rules(Misfit::PickedAlready) => f.write_str("this number was picked before"),
            Self::Rules(Misfit::PalierCount) => f.write_str("a palier is reached with another count of good numbers"),
            Self::Rules(Misfit::Multiplier) => f.write_str("this potential gain is always multiplied by 2"),
            Self::Rules(Misfit::Time) => f.write_str("a step out of its time"),
            Self::Cell(bad) => write!(f, "the opening of the cell {}", opening(bad)),
            Self::Share(bad) => write!(f, "the opening of the palier {}", opening(bad)),
            Self::PalierMissing => f.write_str("this number completes a palier, but the palier does not follow"),
            Self::PalierUnexpected => f.write_str("a palier stands where none, or another one, is reached"),
            Self::Multiplier(m) => write!(f, "the multiplier should be {}, as both shares draw it", m.factor()),
            Self::Gain(gain) => write!(f, "the gain should be {} €", gain.eur()),
            Self::Nature(Nature::Good) => f.write_str("the number picked is good"),
            Self::Nature(Nature::Losing) => f.write_str("the number picked is losing"),
            Self::ServerSeed => f.write_str("the server seed does not make the commitment"),
        }
    }
}

/// A game as far as it has been checked.
#[derive(Clone)]
pub struct Checker {
    sealed: Sealed,
    player: PlayersHalf,
    game: Game,
}

impl Checker {
    /// The game that CONTINUER started at this instant with this seed.
    ///
    /// # Errors
    /// None in practice: a new game can be started.
    pub fn start(sealed: Sealed, seed: &ClientSeed, at: Timestamp, unfinished: Unfinished) -> Result<Self, Fault> {
        let event = Event::Started { finish_before: at.finish_before(), unfinished };
        let game = Game::new(sealed.potential_gain).apply(Recorded { at, event }).map_err(Fault::Rules)?;
        Ok(Self { sealed, player: PlayersHalf::new(seed, &sealed.commitment), game })
    }

    /// The game as it stands.
    #[must_use]
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// What it is checked against.
    #[must_use]
    pub const fn sealed(&self) -> &Sealed {
        &self.sealed
    }

    /// The cell under a number, 0 to 29.
    #[must_use]
    pub const fn cell(&self, number: Number) -> u8 {
        self.player.cell(number)
    }

    /// A pick: its cell is opened, and the palier too if it completes one. Gives what the number is.
    ///
    /// # Errors
    /// What does not hold; the game stays as it was.
    pub fn pick(&mut self, number: Number, opening: &Opening, palier: Option<&PalierClaim>) -> Result<Nature, Fault> {
        let nature = opening.cell(&self.sealed, self.player.cell(number)).map_err(Fault::Cell)?;
        let reached = self.reached_by_a_good_pick().filter(|_| nature == Nature::Good);
        let event = match (nature, reached, palier) {
            (Nature::Losing, _, None) => Event::Losing(number),
            (Nature::Good, None, None) => Event::Good(number),
            (Nature::Good, Some(reached), Some(claim)) => {
                let drawn = self.multiplier(reached, claim)?;
                let next = self.after(Event::PalierReached(number, drawn))?;
                if claim.gain_eur != next.acquired().eur() {
                    return Err(Fault::Gain(next.acquired()));
                }
                Event::PalierReached(number, drawn)
            }
            (_, Some(_), None) => return Err(Fault::PalierMissing),
            (_, None, Some(_)) | (Nature::Losing, _, Some(_)) => return Err(Fault::PalierUnexpected),
        };
        self.game = self.after(event)?;
        Ok(nature)
    }

    /// CONTINUER on a palier.
    ///
    /// # Errors
    /// The game stands on none.
    pub fn go_on(&mut self) -> Result<(), Fault> {
        self.step(Event::WentOn)
    }

    /// QUITTER on a palier.
    ///
    /// # Errors
    /// The game stands on none.
    pub fn quit(&mut self) -> Result<(), Fault> {
        self.step(Event::Quit)
    }

    /// The operator voided it.
    ///
    /// # Errors
    /// It is not running.
    pub fn void(&mut self, reason: VoidReason) -> Result<(), Fault> {
        self.step(Event::Voided(reason))
    }

    /// Its 30 days ended.
    ///
    /// # Errors
    /// It is not running.
    pub fn expire(&mut self) -> Result<(), Fault> {
        let at = self.game.start().map_or(Timestamp::from_millis(0), |start| start.finish_before);
        self.game = self.game.apply(Recorded { at, event: Event::Expired }).map_err(Fault::Rules)?;
        Ok(())
    }

    /// The whole draw, once its seed is revealed: checked against the commitment, and the losing numbers it has.
    ///
    /// # Errors
    /// The seed makes another commitment.
    pub fn reveal(&self, seed: &ServerSeed) -> Result<NumberSet, Fault> {
        let grid = SealedGrid::new(seed);
        if grid.commitment(self.sealed.ticket, Some(self.sealed.potential_gain)) != self.sealed.commitment {
            return Err(Fault::ServerSeed);
        }
        Ok(Number::all().filter(|number| grid.is_losing(self.player.cell(*number))).collect())
    }

    fn reached_by_a_good_pick(&self) -> Option<Palier> {
        match self.game.state() {
            rules::State::Picking(palier) if self.game.found() + 1 == palier.found_in_all() => Some(palier),
            _ => None,
        }
    }

    fn multiplier(&self, reached: Palier, claim: &PalierClaim) -> Result<Multiplier, Fault> {
        if claim.palier != reached {
            return Err(Fault::PalierUnexpected);
        }
        let share = claim.opening.share(&self.sealed, reached).map_err(Fault::Share)?;
        let drawn = multiplier(reached, self.sealed.potential_gain, share, self.player.share(reached));
        if claim.multiplier == drawn { Ok(drawn) } else { Err(Fault::Multiplier(drawn)) }
    }

    fn step(&mut self, event: Event) -> Result<(), Fault> {
        self.game = self.after(event)?;
        Ok(())
    }

    /// What was played carries no time of its own here: it all counts as at the start.
    fn after(&self, event: Event) -> Result<Game, Fault> {
        let at = self.game.last_event_at().unwrap_or(Timestamp::from_millis(0));
        self.game.apply(Recorded { at, event }).map_err(Fault::Rules)
    }
}
