//! Receipts, version 1 (`docs/receipts-v1.md`): what the operator signs for every session and every answered action, so that an answer that was given
//! can never be denied, nor another one be given in its place.
//!
//! A [`Statement`] is the bytes that are signed. Nothing of it travels but its time: whoever has checked the game makes the same bytes from what is
//! proven ([`Chain`]). Each statement holds the digest of the one before it; signatures and keys are outside the chain, so that a key can be changed in
//! mid-game. Signing is a feature (`sign`) that the page's build leaves out: there the browser checks.

mod keys;
mod saved;
#[cfg(feature = "sign")]
mod sign;

use rules::{Event, Game, Misfit, Multiplier, Number, Recorded, State, TicketNumber, Timestamp, Unfinished};

use crate::hash::{Bytes32, sha256};
use crate::id::TicketId;
use crate::opening::{Opening, Sealed, leaf_bytes};
use crate::player::ClientSeed;
use crate::tree::leaf_hash;

pub use keys::{BadKeys, KeyId, PublicKey, PublishedKey, PublishedKeys};
pub use saved::{Place, Receipts, WrongReceipt, statements};
#[cfg(feature = "sign")]
pub use sign::{ReceiptKey, verify};

/// What every statement starts with.
const TAG: &[u8; 13] = b"qod/1 receipt";

/// The kinds of statement, by their byte; those of actions are the bytes of the stored events.
mod kind {
    pub(super) const OPENING: u8 = 0;
    pub(super) const STARTED: u8 = 1;
    pub(super) const GOOD: u8 = 2;
    pub(super) const PALIER: u8 = 3;
    pub(super) const LOSING: u8 = 4;
    pub(super) const WENT_ON: u8 = 5;
    pub(super) const QUIT: u8 = 6;
}

/// An Ed25519 signature (RFC 8032).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Signature(pub [u8; 64]);

impl core::fmt::Debug for Signature {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&crate::hash::to_hex(&self.0))
    }
}

/// A signature, and which key made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signed {
    /// Which key.
    pub key: KeyId,
    /// Over a statement's bytes.
    pub signature: Signature,
}

impl Signed {
    /// How it is stored: `u8(1) || key id || signature`.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        [&[1][..], &self.key.0, &self.signature.0].concat()
    }

    /// Reads it back; none where these bytes are no such thing.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let ([1], rest) = bytes.split_first_chunk()? else { return None };
        let (key, signature) = rest.split_first_chunk()?;
        Some(Self { key: KeyId(*key), signature: Signature(signature.try_into().ok()?) })
    }
}

/// The receipt of an action: what of it cannot be made anew from the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// When the action was recorded.
    pub at: Timestamp,
    /// The signature over the action's statement.
    pub signed: Signed,
}

/// The bytes that are signed.
#[derive(Clone, PartialEq, Eq)]
pub struct Statement(Vec<u8>);

impl Statement {
    /// The opening's: what was sealed for a ticket, given with the session and so before the player's seed.
    #[must_use]
    pub fn opening(sealed: &Sealed, number: TicketNumber) -> Self {
        let mut bytes = head(kind::OPENING, sealed.ticket);
        bytes.extend_from_slice(&number.emission().to_be_bytes());
        bytes.extend_from_slice(&number.block().to_be_bytes());
        bytes.extend_from_slice(&number.serial().to_be_bytes());
        bytes.extend_from_slice(&sealed.potential_gain.eur().to_be_bytes());
        bytes.extend_from_slice(&sealed.commitment.0);
        Self(bytes)
    }

    /// All of it.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// What the next statement of the game holds of it.
    #[must_use]
    pub fn digest(&self) -> Bytes32 {
        sha256(&[&self.0])
    }
}

impl core::fmt::Debug for Statement {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&crate::hash::to_hex(&self.0))
    }
}

fn head(kind: u8, ticket: TicketId) -> Vec<u8> {
    // The longest statement is 154 bytes.
    let mut bytes = Vec::with_capacity(154);
    bytes.extend_from_slice(TAG);
    bytes.push(kind);
    bytes.extend_from_slice(&ticket.0);
    bytes
}

/// What a player did, with what it opened.
#[derive(Clone, Copy)]
pub enum Done<'a> {
    /// CONTINUER started the game.
    Started(&'a ClientSeed, Unfinished),
    /// A number was picked: its cell, and the multiplier and the share of the palier that it completed.
    Picked(Number, &'a Opening, Option<(Multiplier, &'a Opening)>),
    /// CONTINUER on a palier.
    WentOn,
    /// QUITTER on a palier.
    Quit,
}

impl Done<'_> {
    fn event(&self, at: Timestamp) -> Event {
        match *self {
            Self::Started(_, unfinished) => Event::Started { finish_before: at.finish_before(), unfinished },
            Self::Picked(number, _, Some((multiplier, _))) => Event::PalierReached(number, multiplier),
            Self::Picked(number, Opening { value: 0, .. }, None) => Event::Losing(number),
            Self::Picked(number, ..) => Event::Good(number),
            Self::WentOn => Event::WentOn,
            Self::Quit => Event::Quit,
        }
    }
}

/// The statements of one game, one after the other. What it is given must have been checked: it folds the game, but opens nothing.
#[derive(Clone)]
pub struct Chain {
    sealed: Sealed,
    game: Game,
    previous: Bytes32,
}

impl Chain {
    /// From the opening on.
    #[must_use]
    pub fn new(sealed: Sealed, number: TicketNumber) -> Self {
        let previous = Statement::opening(&sealed, number).digest();
        Self { sealed, game: Game::new(sealed.potential_gain), previous }
    }

    /// The game so far.
    #[must_use]
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// Something happened that is no action of the player, and has no receipt.
    ///
    /// # Errors
    /// It does not follow.
    pub fn pass(&mut self, recorded: Recorded) -> Result<(), Misfit> {
        self.game = self.game.apply(recorded)?;
        Ok(())
    }

    /// The statement of the next action.
    ///
    /// # Errors
    /// It does not follow from those before it, at this instant.
    pub fn next(&mut self, at: Timestamp, done: Done<'_>) -> Result<Statement, Misfit> {
        let seq = self.game.seq();
        let event = done.event(at);
        self.game = self.game.apply(Recorded { at, event })?;
        let statement = self.state(seq, at, &event, done);
        self.previous = statement.digest();
        Ok(statement)
    }

    fn state(&self, seq: u32, at: Timestamp, event: &Event, done: Done<'_>) -> Statement {
        let game = &self.game;
        let (state, eur) = match game.state() {
            State::OnPalier(_) => (2, game.acquired().eur()),
            State::Won(..) => (3, game.acquired().eur()),
            State::Lost => (4, 0),
            // An action leads to these four alone.
            _ => (1, game.acquired().eur()),
        };
        let mut bytes = head(kind_of(event), self.sealed.ticket);
        bytes.extend_from_slice(&seq.to_be_bytes());
        bytes.extend_from_slice(&self.previous);
        bytes.extend_from_slice(&at.millis().to_be_bytes());
        bytes.extend_from_slice(&[state, game.palier_reached().map_or(0, rules::Palier::rank), game.found()]);
        // The largest gain is 800,000 €.
        bytes.extend_from_slice(&(eur as u32).to_be_bytes());
        match done {
            Done::Started(seed, unfinished) => {
                bytes.extend_from_slice(&self.sealed.commitment.0);
                bytes.extend_from_slice(&seed.0);
                bytes.extend_from_slice(&at.finish_before().millis().to_be_bytes());
                bytes.push(u8::from(unfinished == Unfinished::LastPalier));
            }
            Done::Picked(number, cell, palier) => {
                bytes.extend_from_slice(&[number.get(), cell.index]);
                bytes.extend_from_slice(&opened(cell));
                if let Some((multiplier, share)) = palier {
                    bytes.push(multiplier.factor());
                    bytes.extend_from_slice(&opened(share));
                }
            }
            Done::WentOn | Done::Quit => {}
        }
        Statement(bytes)
    }
}

const fn kind_of(event: &Event) -> u8 {
    match event {
        Event::Started { .. } => kind::STARTED,
        Event::Good(_) => kind::GOOD,
        Event::PalierReached(..) => kind::PALIER,
        Event::Losing(_) => kind::LOSING,
        Event::Quit => kind::QUIT,
        // What is no action never comes here.
        _ => kind::WENT_ON,
    }
}

/// The leaf's hash in the tree: with the commitment it fixes the whole opening.
fn opened(opening: &Opening) -> Bytes32 {
    leaf_hash(&leaf_bytes(opening.index, opening.value, &opening.nonce))
}
