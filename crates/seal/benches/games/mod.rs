//! The games that are measured.

use rules::odds::multiplier_draw;
use rules::{
    Amount, Command, Game, Multiplier, Nature, Number, NumberSet, Outcomes, Palier, PotentialGain, State, Stop, Terms,
    Timestamp, Unfinished, decide,
};
use seal::check::PalierClaim;
use seal::opening::{Sealed, palier_leaf};
use seal::{Blend, Checker, ClientSeed, DrawKey, Opening, PlayersHalf, SealedGrid, TicketId};

const GAIN: PotentialGain = PotentialGain::Eur20;
const KEY: DrawKey = DrawKey([7; 32]);
const NOW: Timestamp = Timestamp::from_millis(0);

/// A game that is committed.
pub(crate) struct Dealt {
    pub(crate) grid: SealedGrid,
    pub(crate) sealed: Sealed,
}

/// What its server answers to the picks 1, 2, 3, …, always going on.
pub(crate) struct Answered {
    pub(crate) picks: u64,
    answers: Vec<(Number, Opening, Option<PalierClaim>)>,
}

impl Dealt {
    pub(crate) fn new(ticket: TicketId) -> Self {
        let grid = SealedGrid::new(&KEY.server_seed(ticket));
        let commitment = grid.commitment(ticket, Some(GAIN));
        Self { grid, sealed: Sealed { ticket, potential_gain: GAIN, commitment } }
    }

    fn seed(&self) -> ClientSeed {
        ClientSeed(self.sealed.commitment.0)
    }

    /// The server's side: the player's half, decided and applied events, and an opening for each pick and palier.
    pub(crate) fn play(&self) -> Answered {
        let player = PlayersHalf::new(&self.seed(), &self.sealed.commitment);
        let blend = Blend { sealed: &self.grid, player: &player, potential_gain: GAIN };
        let mut game = Game::new(GAIN);
        let mut answers = Vec::new();
        let mut numbers = Number::all();
        while !game.is_over() {
            let picking = matches!(game.state(), State::Picking(_));
            let command = if picking { Command::Pick(numbers.next().unwrap()) } else { Command::Continue };
            let reached = game.palier_reached();
            game.advance(decide(&game, command, &Terms::default(), NOW, &blend).unwrap()).unwrap();
            if let Command::Pick(number) = command {
                let claim = game.palier_reached().filter(|palier| reached != Some(*palier)).map(|palier| PalierClaim {
                    palier,
                    multiplier: game.multipliers()[palier.index()],
                    gain_eur: Amount::eur(game.acquired()),
                    opening: self.grid.open(palier_leaf(palier)).unwrap(),
                });
                answers.push((number, self.grid.open(player.cell(number)).unwrap(), claim));
            }
        }
        Answered { picks: answers.len() as u64, answers }
    }

    /// The page's side: its half, every opening and palier, and the whole grid once the seed is revealed.
    pub(crate) fn verify(&self, answered: &Answered) -> u64 {
        let mut checker = Checker::start(self.sealed, &self.seed(), NOW, Unfinished::NoGain).unwrap();
        for (number, opening, claim) in &answered.answers {
            if matches!(checker.game().state(), State::OnPalier(_)) {
                checker.go_on().unwrap();
            }
            checker.pick(*number, opening, claim.as_ref()).unwrap();
        }
        checker.reveal(&KEY.server_seed(self.sealed.ticket)).unwrap();
        checker.game().picks().count() as u64
    }
}

/// A draw of the same law as a sealed one, from a quick source: made before what is measured, which are the rules.
pub(crate) struct Plain {
    losing: NumberSet,
    multipliers: [Multiplier; 4],
}

impl Plain {
    pub(crate) fn many(count: usize) -> Vec<Self> {
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        // xorshift64: quick, and good enough to choose what a bench plays.
        let mut next = move |n: u32| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random % u64::from(n)) as u32
        };
        let mut draw = || {
            let mut losing = NumberSet::EMPTY;
            while losing.len() < 3 {
                losing = Number::new(next(30) as u8 + 1).map_or(losing, |n| losing.with(n));
            }
            let multipliers = Palier::ALL.map(multiplier_draw).map(|draw| draw.multiplier(next(draw.out_of()), GAIN));
            Self { losing, multipliers }
        };
        (0..count).map(|_| draw()).collect()
    }
}

impl Outcomes for Plain {
    #[inline]
    fn nature(&self, number: Number) -> Nature {
        if self.losing.contains(number) { Nature::Losing } else { Nature::Good }
    }

    #[inline]
    fn multiplier(&self, palier: Palier) -> Multiplier {
        self.multipliers[palier.index()]
    }
}

/// A whole legal game: CONTINUER, picks until a losing number, palier 4 or the palier to stop on, every command decided and
/// every event applied with all their checks. Gives its gain in euros.
pub(crate) fn plain_game(draw: &Plain, stop: Option<Stop>) -> u64 {
    let terms = Terms::default();
    let mut game = Game::new(GAIN);
    let mut numbers = Number::all();
    loop {
        let command = match game.state() {
            State::OnPalier(on) if Some(on) == stop => Command::Quit,
            State::NotStarted | State::OnPalier(_) => Command::Continue,
            State::Picking(_) => Command::Pick(numbers.next().unwrap()),
            _ => return game.gain().unwrap().eur(),
        };
        game.advance(decide(&game, command, &terms, NOW, draw).unwrap()).unwrap();
    }
}
