//! One ticket at play: its events, its draw, and what a command makes of them.

use protocol::{FirstContinue, GameAnswer, GameView, PickAnswer, Problem, ProblemCode, StateName};
use rules::{
    Amount, Command, Event, Game, Nature, Number, PotentialGain, Recorded, Refusal, State, Terms, TicketNumber,
    Timestamp, allowed, decide,
};
use seal::check::PalierClaim;
use seal::opening::{Sealed, palier_leaf};
use seal::receipt::{Chain, Done, PublishedKeys, Receipt, Receipts, Signed, Statement};
use seal::transcript::{Action as Told, Outcome};
use seal::{Blend, ClientSeed, Commitment, DrawKey, PlayersHalf, SealedGrid, ServerSeed, TicketId, Transcript};

use crate::codec::{Corrupt, decode};

/// A winning ticket and its game, as they were stored.
#[derive(Clone)]
pub struct Ticket {
    /// Its id.
    pub id: TicketId,
    /// Its printed number.
    pub number: TicketNumber,
    /// What stage 1 gained.
    pub potential_gain: PotentialGain,
    /// The settings of its emission.
    pub terms: Terms,
    /// The player's seed, once the game is started.
    pub client_seed: Option<ClientSeed>,
    /// Its events, in order.
    pub events: Vec<Recorded>,
    /// What was signed of each, by its place among them; none where nothing was.
    pub receipts: Vec<Option<Signed>>,
}

/// What a player does to a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// CONTINUER; with the commitment and the seed at the start.
    Continue(Option<FirstContinue>),
    /// A pick.
    Pick(Number),
    /// QUITTER on a palier.
    Quit,
}

impl Action {
    const fn command(&self) -> Command {
        match self {
            Self::Continue(_) => Command::Continue,
            Self::Pick(number) => Command::Pick(*number),
            Self::Quit => Command::Quit,
        }
    }
}

/// The answer to an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// To CONTINUER and QUITTER.
    Game(Box<GameAnswer>),
    /// To a pick.
    Pick(Box<PickAnswer>),
}

impl Answer {
    /// Its body.
    #[must_use]
    pub fn to_json(&self) -> String {
        match self {
            Self::Game(answer) => answer.to_json(),
            Self::Pick(answer) => answer.to_json(),
        }
    }

    /// The game after the action.
    #[must_use]
    pub fn game(&self) -> &GameView {
        match self {
            Self::Game(answer) => &answer.game,
            Self::Pick(answer) => &answer.game,
        }
    }

    /// With its receipt.
    #[must_use]
    pub fn receipted(mut self, receipt: Option<Receipt>) -> Self {
        match &mut self {
            Self::Game(answer) => answer.receipt = receipt,
            Self::Pick(answer) => answer.receipt = receipt,
        }
        self
    }
}

/// One event to keep, by compare-and-set on the version.
#[derive(Clone, PartialEq, Eq)]
pub struct Append {
    /// How many events were there: the append holds only if so many are there still.
    pub version: u32,
    /// When it happened.
    pub at: Timestamp,
    /// The event, encoded.
    pub payload: Vec<u8>,
    /// The state after it, by name.
    pub state: StateName,
    /// When the game's time ends, while it runs.
    pub finish_before: Option<Timestamp>,
    /// The player's seed, with the event that starts the game.
    pub client_seed: Option<ClientSeed>,
    /// What is to be signed of it: an action's statement.
    pub statement: Option<Statement>,
    /// What was signed of it. The caller's to fill in, since the engine has no key; it is kept with the event.
    pub receipt: Option<Signed>,
}

impl Append {
    /// Signs its statement, if it has one: from then on the receipt is kept with the event. It must not leave before that.
    ///
    /// # Errors
    /// The signer's; nothing is changed.
    pub fn sign<E>(
        &mut self,
        sign: impl FnOnce(&Statement, Timestamp) -> Result<Signed, E>,
    ) -> Result<Option<Receipt>, E> {
        let Some(statement) = &self.statement else { return Ok(None) };
        let signed = sign(statement, self.at)?;
        self.receipt = Some(signed);
        Ok(Some(Receipt { at: self.at, signed }))
    }
}

/// What comes of an action.
pub enum Turn {
    /// It was done before: the same answer again, nothing to keep.
    Again(Answer),
    /// Keep this, durably, then answer.
    Write(Append, Answer),
    /// The game's time has ended: keep this first, then load and ask again.
    Settle(Append),
    /// Nothing changes.
    Refuse(Problem),
}

/// A ticket with its draw. It holds secrets: it is never shown, nor kept anywhere but in memory.
pub struct Table {
    ticket: Ticket,
    game: Game,
    seed: ServerSeed,
    grid: SealedGrid,
    commitment: Commitment,
    /// The player's half, once the game is started.
    player: Option<PlayersHalf>,
    /// The receipts' chain up to the last event, once it was asked for.
    chain: Option<Chain>,
}

impl Table {
    /// The ticket, folded, with the draw of this key.
    ///
    /// # Errors
    /// What was stored is no game.
    pub fn new(ticket: Ticket, key: &DrawKey) -> Result<Self, Corrupt> {
        let game = Game::fold(ticket.potential_gain, ticket.events.iter().copied());
        let game = game.map_err(|_| Corrupt("an event does not follow from those before it"))?;
        if game.start().is_some() != ticket.client_seed.is_some() {
            return Err(Corrupt("a game has a seed exactly once it is started"));
        }
        let seed = key.server_seed(ticket.id);
        let grid = SealedGrid::new(&seed);
        let commitment = grid.commitment(ticket.id, Some(ticket.potential_gain));
        let player = ticket.client_seed.map(|seed| PlayersHalf::new(&seed, &commitment));
        Ok(Self { ticket, game, seed, grid, commitment, player, chain: None })
    }

    /// The table after what [`Table::act`] gave to keep, so that the next action needs neither the events nor the draw made anew;
    /// none where that does not follow.
    #[must_use]
    pub fn after(mut self, append: &Append) -> Option<Self> {
        let recorded = Recorded { at: append.at, event: decode(&append.payload).ok()? };
        self.ticket.client_seed = self.ticket.client_seed.or(append.client_seed);
        let seed = self.ticket.client_seed?;
        let player = self.player.take().unwrap_or_else(|| PlayersHalf::new(&seed, &self.commitment));
        let (chain, _) = self.next(recorded, &player, &seed)?;
        self.game = self.game.apply(recorded).ok()?;
        self.ticket.events.push(recorded);
        self.ticket.receipts.push(append.receipt);
        (self.player, self.chain) = (Some(player), Some(chain));
        Some(self)
    }

    /// The ticket's id.
    #[must_use]
    pub const fn id(&self) -> TicketId {
        self.ticket.id
    }

    /// The game as it stands.
    #[must_use]
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// The game as its player may see it.
    #[must_use]
    pub fn view(&self) -> GameView {
        self.view_of(&self.game)
    }

    /// The expiry to keep first, where the game's time has ended by now.
    #[must_use]
    pub fn settle(&self, now: Timestamp) -> Option<Append> {
        self.operate(Command::Expire, now).ok()
    }

    /// What a command of the operator, of a point of sale or of time makes: nothing of the draw is asked.
    ///
    /// # Errors
    /// The refusal; a player's command is none of these.
    pub fn operate(&self, command: Command, now: Timestamp) -> Result<Append, Refusal> {
        self.ticket.operate_on(&self.game, command, now).map(|(append, _)| append)
    }

    /// The statement of what was sealed: signed with every session.
    #[must_use]
    pub fn opening(&self) -> Statement {
        Statement::opening(&self.sealed(), self.ticket.number)
    }

    /// The receipts of all actions, as they were signed, with the opening's and the keys; none where an action has none.
    #[must_use]
    pub fn receipts(&self, opening: Signed, keys: PublishedKeys) -> Option<Receipts> {
        let start = self.game.start()?;
        let actions = self.ticket.events.iter().enumerate().filter(|(_, recorded)| is_action(&recorded.event));
        let actions = actions.map(|(at, recorded)| Some(Receipt { at: recorded.at, signed: self.signed(at)? }));
        let actions = actions.collect::<Option<_>>()?;
        Some(Receipts { number: self.ticket.number, unfinished: start.unfinished, opening, actions, keys })
    }

    /// What comes of a player's action with this `seq`.
    #[must_use]
    pub fn act(&self, seq: u32, action: Action, now: Timestamp) -> Turn {
        if seq < self.game.seq() {
            return self.again(seq, action);
        }
        if let Some(append) = self.settle(now) {
            return Turn::Settle(append);
        }
        if let Err(refusal) = allowed(&self.game, &action.command(), &self.ticket.terms, now) {
            return self.refuse(refusal.into());
        }
        if seq > self.game.seq() {
            return self.refuse(ProblemCode::SeqConflict);
        }
        let seed = match self.seed_of(action) {
            Ok(seed) => seed,
            Err(code) => return self.refuse(code),
        };
        let fresh;
        let player = match &self.player {
            Some(player) => player,
            None => {
                fresh = PlayersHalf::new(&seed, &self.commitment);
                &fresh
            }
        };
        match self.decided(action.command(), now, &self.blend(player)) {
            Err(refusal) => self.refuse(refusal.into()),
            Ok((recorded, next)) => {
                let Some((_, Some(statement))) = self.next(recorded, player, &seed) else {
                    return self.refuse(ProblemCode::Internal);
                };
                let new_seed = self.ticket.client_seed.is_none().then_some(seed);
                let answer = self.answer(&recorded.event, &next, seed, player);
                Turn::Write(self.ticket.append(recorded, &next, new_seed, Some(statement)), answer)
            }
        }
    }

    /// The game so far as anyone can check it; none before CONTINUER.
    #[must_use]
    pub fn transcript(&self) -> Option<Transcript> {
        let client_seed = self.ticket.client_seed?;
        let outcome = Outcome::of(&self.game)?;
        let player = PlayersHalf::new(&client_seed, &self.commitment);
        let mut actions = Vec::with_capacity(2 * self.ticket.events.len());
        let mut game = Game::new(self.ticket.potential_gain);
        for recorded in &self.ticket.events {
            game = game.apply(*recorded).ok()?;
            match recorded.event {
                Event::Started { .. } | Event::WentOn => actions.push(Told::Continue),
                Event::Quit => actions.push(Told::Quit),
                Event::Good(number) | Event::Losing(number) | Event::PalierReached(number, _) => {
                    actions.push(Told::Pick(number, self.grid.open(player.cell(number))?));
                    actions.extend(self.claim(&recorded.event, &game).map(Told::Palier));
                }
                Event::Expired | Event::Voided(_) | Event::Paid | Event::PaymentReversed => {}
            }
        }
        let over = self.game.is_over();
        Some(Transcript {
            sealed: self.sealed(),
            client_seed,
            server_seed: over.then_some(self.seed),
            actions,
            outcome,
            gain_eur: self.game.gain().filter(|_| over).map(Amount::eur),
        })
    }

    /// The seed that an action plays with: the recorded one, or the one that CONTINUER brings.
    fn seed_of(&self, action: Action) -> Result<ClientSeed, ProblemCode> {
        if let Action::Continue(Some(first)) = action {
            if first.commitment != self.commitment {
                return Err(ProblemCode::OtherCommitment);
            }
            if self.ticket.client_seed.is_some_and(|recorded| recorded != first.client_seed) {
                return Err(ProblemCode::OtherSeed);
            }
            return Ok(first.client_seed);
        }
        self.ticket.client_seed.ok_or(ProblemCode::SeedMissing)
    }

    /// The answer that this `seq` was given, if it was for this very action.
    fn again(&self, seq: u32, action: Action) -> Turn {
        let events = &self.ticket.events;
        let place = events.iter().enumerate().filter(|(_, r)| is_action(&r.event)).nth(seq as usize);
        let Some((at, recorded)) = place else { return self.refuse(ProblemCode::SeqConflict) };
        let same = match (action, recorded.event) {
            // The first CONTINUER is the same only with the same seed: it is never taken for granted.
            (Action::Continue(None), Event::Started { .. }) => return self.refuse(ProblemCode::SeedMissing),
            (Action::Continue(_), Event::Started { .. } | Event::WentOn) | (Action::Quit, Event::Quit) => true,
            (Action::Pick(n), Event::Good(m) | Event::Losing(m) | Event::PalierReached(m, _)) => n == m,
            _ => false,
        };
        if !same {
            return self.refuse(ProblemCode::SeqConflict);
        }
        let seed = match self.seed_of(action) {
            Ok(seed) => seed,
            Err(code) => return self.refuse(code),
        };
        // The game as it stood right after, so that the answer is the same to the byte however late it is asked for.
        match Game::fold(self.ticket.potential_gain, events[..=at].iter().copied()) {
            Ok(then) => {
                let receipt = self.signed(at).map(|signed| Receipt { at: recorded.at, signed });
                let player = PlayersHalf::new(&seed, &self.commitment);
                Turn::Again(self.answer(&recorded.event, &then, seed, &player).receipted(receipt))
            }
            Err(_) => self.refuse(ProblemCode::Internal),
        }
    }

    fn decided(
        &self,
        command: Command,
        now: Timestamp,
        outcomes: &impl rules::Outcomes,
    ) -> Result<(Recorded, Game), Refusal> {
        let recorded = decide(&self.game, command, &self.ticket.terms, now, outcomes)?;
        // What `decide` allows `apply` takes: a law that rules proves. Were it ever broken, nothing is kept.
        let next = self.game.apply(recorded).map_err(|_| Refusal::Over)?;
        Ok((recorded, next))
    }

    const fn sealed(&self) -> Sealed {
        Sealed { ticket: self.ticket.id, potential_gain: self.ticket.potential_gain, commitment: self.commitment }
    }

    fn signed(&self, at: usize) -> Option<Signed> {
        self.ticket.receipts.get(at).copied().flatten()
    }

    /// The chain after one more event, and that event's statement where it is an action. The chain is made from the events, so that it
    /// is always what they say.
    fn next(&self, last: Recorded, player: &PlayersHalf, seed: &ClientSeed) -> Option<(Chain, Option<Statement>)> {
        let mut chain = match &self.chain {
            Some(chain) => chain.clone(),
            None => {
                let mut chain = Chain::new(self.sealed(), self.ticket.number);
                for recorded in &self.ticket.events {
                    self.link(&mut chain, *recorded, player, seed)?;
                }
                chain
            }
        };
        let statement = self.link(&mut chain, last, player, seed)?;
        Some((chain, statement))
    }

    /// Adds an event to the chain; none where it does not follow, no statement where it is no action.
    fn link(
        &self,
        chain: &mut Chain,
        recorded: Recorded,
        player: &PlayersHalf,
        seed: &ClientSeed,
    ) -> Option<Option<Statement>> {
        let opened = |number| self.grid.open(player.cell(number));
        let (cell, share);
        let done = match recorded.event {
            Event::Started { unfinished, .. } => Done::Started(seed, unfinished),
            Event::WentOn => Done::WentOn,
            Event::Quit => Done::Quit,
            Event::Good(number) | Event::Losing(number) => {
                cell = opened(number)?;
                Done::Picked(number, &cell, None)
            }
            Event::PalierReached(number, multiplier) => {
                let State::Picking(palier) = chain.game().state() else { return None };
                (cell, share) = (opened(number)?, self.grid.open(palier_leaf(palier))?);
                Done::Picked(number, &cell, Some((multiplier, &share)))
            }
            Event::Expired | Event::Voided(_) | Event::Paid | Event::PaymentReversed => {
                chain.pass(recorded).ok()?;
                return Some(None);
            }
        };
        chain.next(recorded.at, done).ok().map(Some)
    }

    fn answer(&self, event: &Event, next: &Game, seed: ClientSeed, player: &PlayersHalf) -> Answer {
        let game = GameView { client_seed: Some(seed), ..self.view_of(next) };
        let (Event::Good(number) | Event::Losing(number) | Event::PalierReached(number, _)) = *event else {
            return Answer::Game(Box::new(GameAnswer { game, receipt: None }));
        };
        let Some(opening) = self.grid.open(player.cell(number)) else {
            return Answer::Game(Box::new(GameAnswer { game, receipt: None }));
        };
        let nature = if matches!(event, Event::Losing(_)) { Nature::Losing } else { Nature::Good };
        let palier = self.claim(event, next);
        Answer::Pick(Box::new(PickAnswer { number, nature, opening, palier, game, receipt: None }))
    }

    fn claim(&self, event: &Event, next: &Game) -> Option<PalierClaim> {
        let Event::PalierReached(_, multiplier) = *event else { return None };
        let palier = next.palier_reached()?;
        let opening = self.grid.open(palier_leaf(palier))?;
        Some(PalierClaim { palier, multiplier, gain_eur: next.acquired().eur(), opening })
    }

    fn view_of(&self, game: &Game) -> GameView {
        let terms = &self.ticket.terms;
        let started = game.start().is_some();
        GameView {
            start_before: terms.start_before,
            unfinished: game.start().map_or(terms.unfinished, |start| start.unfinished),
            pay_before: terms.pay_before,
            suspended: terms.suspended,
            server_seed: game.is_over().then_some(self.seed),
            ..GameView::of(
                game,
                self.ticket.id,
                self.ticket.number,
                self.commitment,
                self.ticket.client_seed.filter(|_| started),
            )
        }
    }

    const fn blend<'a>(&'a self, player: &'a PlayersHalf) -> Blend<'a> {
        Blend { sealed: &self.grid, player, potential_gain: self.ticket.potential_gain }
    }

    fn refuse(&self, code: ProblemCode) -> Turn {
        Turn::Refuse(Problem::new(code).game(self.view()))
    }
}

/// What the player does; everything else happens without a `seq`, and without a receipt.
const fn is_action(event: &Event) -> bool {
    !matches!(event, Event::Expired | Event::Voided(_) | Event::Paid | Event::PaymentReversed)
}

#[cfg(test)]
mod tests;
