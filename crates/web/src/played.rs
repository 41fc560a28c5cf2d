//! A started game as this page has checked it: nothing of it is taken on trust, and nothing else is ever shown.

use protocol::{GameView, PickAnswer};
use rules::{Amount, Game, Number, NumberSet, Palier, State};
use seal::opening::Sealed;
use seal::transcript::{Action, Outcome, Wrong};
use seal::{Checker, ClientSeed, Fault, ServerSeed, Transcript};

use crate::model::{Failure, Step};
use crate::story;

/// A game, folded from openings that were each checked against the commitment.
pub struct Played {
    checker: Checker,
    client_seed: ClientSeed,
    server_seed: Option<ServerSeed>,
    losing: Option<NumberSet>,
    actions: Vec<Action>,
}

/// How a game that was told anew fits what is known of it.
pub enum Fit {
    /// It is what the view says.
    Now(Box<Played>),
    /// It has gone further than the view: ask for the game again.
    Later,
}

impl Played {
    /// The game that a CONTINUER with this seed started, if the view says just that and nothing further.
    #[must_use]
    pub fn started(view: &GameView, seed: ClientSeed) -> Option<Self> {
        let checker = Checker::start(sealed(view), &seed, view.started_at?, view.unfinished).ok()?;
        let played = Self {
            checker,
            client_seed: seed,
            server_seed: None,
            losing: None,
            actions: Vec::from([Action::Continue]),
        };
        played.agrees(view).then_some(played)
    }

    /// The game that a transcript tells: every opening is checked, and what it comes to is compared with the view.
    ///
    /// # Errors
    /// What does not hold.
    pub fn told(view: &GameView, transcript: Transcript, before: Option<&Self>) -> Result<Fit, Failure> {
        if transcript.sealed != sealed(view) {
            return Err(Failure::Commitment);
        }
        // What was played before stays as it was, to the byte.
        if before
            .is_some_and(|b| b.client_seed != transcript.client_seed || !transcript.actions.starts_with(&b.actions))
        {
            return Err(Failure::Game);
        }
        let start = view.started_at.ok_or(Failure::Game)?;
        let checker = transcript.follow(start, view.unfinished).map_err(|wrong| wrong_in(&transcript, wrong))?;
        // Nor does its deadline move, or what it is worth when that comes.
        if before.is_some_and(|before| before.game().start() != checker.game().start()) {
            return Err(Failure::Game);
        }
        let mut played = Self {
            checker,
            client_seed: transcript.client_seed,
            server_seed: None,
            losing: None,
            actions: transcript.actions,
        };
        if played.agrees(view) {
            played.reveal(view)?;
            return Ok(Fit::Now(Box::new(played)));
        }
        let game = played.checker.game();
        let over = |view: &GameView| view.server_seed.is_some();
        if (game.seq(), game.is_over()) > (view.seq, over(view)) { Ok(Fit::Later) } else { Err(Failure::Game) }
    }

    /// The game as it stands.
    #[must_use]
    pub const fn game(&self) -> &Game {
        self.checker.game()
    }

    /// The seed it is played with.
    #[must_use]
    pub const fn client_seed(&self) -> ClientSeed {
        self.client_seed
    }

    /// The losing numbers, once the draw is revealed and checked.
    #[must_use]
    pub const fn losing(&self) -> Option<NumberSet> {
        self.losing
    }

    /// Takes the answer to the pick of this number, checked against the commitment. What the answer says of the game is for [`Self::agrees`] to compare.
    ///
    /// # Errors
    /// What does not hold; the game stays as it was.
    pub fn pick(&mut self, number: Number, answer: PickAnswer) -> Result<(), Failure> {
        if answer.number != number {
            return Err(Failure::Number(number));
        }
        let mut checker = self.checker.clone();
        let nature = checker
            .pick(number, &answer.opening, answer.palier.as_ref())
            .map_err(|fault| failure(fault, number, self.towards()))?;
        if nature != answer.nature {
            return Err(Failure::Number(number));
        }
        self.checker = checker;
        self.actions.push(Action::Pick(number, answer.opening));
        self.actions.extend(answer.palier.map(Action::Palier));
        Ok(())
    }

    /// CONTINUER on a palier was confirmed.
    ///
    /// # Errors
    /// The game stands on none.
    pub fn go_on(&mut self) -> Result<(), Failure> {
        self.checker.go_on().map_err(|_| Failure::Game)?;
        self.actions.push(Action::Continue);
        Ok(())
    }

    /// QUITTER on a palier was confirmed.
    ///
    /// # Errors
    /// The game stands on none.
    pub fn quit(&mut self) -> Result<(), Failure> {
        self.checker.quit().map_err(|_| Failure::Game)?;
        self.actions.push(Action::Quit);
        Ok(())
    }

    /// Whether the server tells this very game. (Payment, terms and the reveal are not the game's to say.)
    #[must_use]
    pub fn agrees(&self, view: &GameView) -> bool {
        let game = self.checker.game();
        let told = GameView {
            start_before: view.start_before,
            payment: view.payment,
            pay_before: view.pay_before,
            suspended: view.suspended,
            void_reason: view.void_reason,
            server_seed: view.server_seed,
            ..GameView::of(game, view.ticket_id, view.ticket_number, view.commitment, Some(self.client_seed))
        };
        sealed(view) == *self.checker.sealed() && told == *view && view.server_seed.is_some() == game.is_over()
    }

    /// Whether it is told to have expired although its 30 days end after this instant (in milliseconds).
    #[must_use]
    pub fn has_expired_early(&self, now: i64) -> bool {
        let game = self.game();
        matches!(game.state(), State::Expired(_))
            && game.start().is_some_and(|start| start.finish_before.millis() > now)
    }

    /// Checks the draw that the view reveals, if the game is over.
    ///
    /// # Errors
    /// It does not make the commitment.
    pub fn reveal(&mut self, view: &GameView) -> Result<(), Failure> {
        self.server_seed = view.server_seed;
        if let Some(seed) = &view.server_seed {
            self.losing = Some(self.checker.reveal(seed).map_err(|_| Failure::Draw)?);
        }
        Ok(())
    }

    /// The game as it can be saved.
    #[must_use]
    pub fn transcript(&self) -> Transcript {
        let game = self.checker.game();
        Transcript {
            sealed: *self.checker.sealed(),
            client_seed: self.client_seed,
            server_seed: self.server_seed,
            actions: self.actions.clone(),
            outcome: Outcome::of(game).unwrap_or(Outcome::InProgress),
            gain_eur: game.gain().filter(|_| game.is_over()).map(Amount::eur),
        }
    }

    /// The last thing that happened.
    #[must_use]
    pub fn last_step(&self) -> Option<Step> {
        story::steps(&self.actions, self.game()).last().map(|(step, _)| *step)
    }

    fn towards(&self) -> Option<Palier> {
        if let State::Picking(palier) = self.checker.game().state() { Some(palier) } else { None }
    }
}

/// What the view says was sealed.
#[must_use]
pub const fn sealed(view: &GameView) -> Sealed {
    Sealed { ticket: view.ticket_id, potential_gain: view.potential_gain, commitment: view.commitment }
}

fn failure(fault: Fault, number: Number, palier: Option<Palier>) -> Failure {
    match (fault, palier) {
        (
            Fault::Share(_) | Fault::PalierMissing | Fault::PalierUnexpected | Fault::Multiplier(_) | Fault::Gain(_),
            Some(palier),
        ) => Failure::Palier(palier),
        (Fault::ServerSeed, _) => Failure::Draw,
        (Fault::Rules(_), _) => Failure::Game,
        _ => Failure::Number(number),
    }
}

fn wrong_in(transcript: &Transcript, wrong: Wrong) -> Failure {
    match wrong {
        Wrong::Action(at, fault) => {
            let paliers = transcript.actions[..at].iter().filter(|action| matches!(action, Action::Palier(_))).count();
            match transcript.actions.get(at) {
                Some(Action::Palier(claim)) => Failure::Palier(claim.palier),
                Some(Action::Pick(number, _)) => failure(fault, *number, Palier::ALL.get(paliers).copied()),
                _ => Failure::Game,
            }
        }
        Wrong::Reveal(_) => Failure::Draw,
        _ => Failure::Game,
    }
}
