//! What the operator, a point of sale or time does to a game. Nothing of the draw is asked: it goes on working where a draw key is
//! lost, which is one of the reasons to void a game.

use protocol::StateName;
use rules::{Command, Game, Recorded, Refusal, Timestamp, decide};
use seal::ClientSeed;
use seal::receipt::Statement;

use crate::codec::{Corrupt, encode};
use crate::table::{Append, Ticket};

impl Ticket {
    /// The game that its events have made.
    ///
    /// # Errors
    /// What was stored is no game.
    pub fn game(&self) -> Result<Game, Corrupt> {
        Game::fold(self.potential_gain, self.events.iter().copied())
            .map_err(|_| Corrupt("an event does not follow from those before it"))
    }

    /// The event that such a command makes of this game, to be kept, and the game after it.
    ///
    /// # Errors
    /// The refusal; a player's command is none of these.
    pub fn operate_on(&self, game: &Game, command: Command, now: Timestamp) -> Result<(Append, Game), Refusal> {
        if matches!(command, Command::Continue | Command::Pick(_) | Command::Quit) {
            return Err(Refusal::NotStarted);
        }
        let recorded = decide(game, command, &self.terms, now, &Unasked)?;
        // What `decide` allows `apply` takes: a law that rules proves. Were it ever broken, nothing is kept.
        let next = game.apply(recorded).map_err(|_| Refusal::Over)?;
        Ok((self.append(recorded, &next, None, None), next))
    }

    pub(crate) fn append(
        &self,
        recorded: Recorded,
        next: &Game,
        client_seed: Option<ClientSeed>,
        statement: Option<Statement>,
    ) -> Append {
        Append {
            version: u32::try_from(self.events.len()).unwrap_or(u32::MAX),
            at: recorded.at,
            payload: encode(&recorded.event),
            state: StateName::of(&next.state()),
            finish_before: next.start().filter(|_| next.is_running()).map(|start| start.finish_before),
            client_seed,
            statement,
            receipt: None,
        }
    }
}

/// For commands that open nothing. Were it asked, the answer would end the game rather than invent a gain.
struct Unasked;

impl rules::Outcomes for Unasked {
    fn nature(&self, _: rules::Number) -> rules::Nature {
        rules::Nature::Losing
    }
    fn multiplier(&self, _: rules::Palier) -> rules::Multiplier {
        rules::Multiplier::Two
    }
}
