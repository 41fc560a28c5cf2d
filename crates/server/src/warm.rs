//! Games that are being played, ready for their next action: without it each pick would read the ticket again and make its draw anew,
//! which is most of its cost.
//!
//! Nothing rests on it. An action that was decided on a game from here is kept only where the store has the same version; whatever else
//! comes of it (a refusal, an expiry) is decided again on what the store has. So any number of servers may play one game. What is
//! here is at most [`FRESH`] old: that long a session can be used past its end, and a new setting of the emission be unknown.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use engine::Table;
use lru::LruCache;
use rules::Timestamp;
use store::TokenHash;

/// How many games are held; each takes some 5 KB.
const GAMES: NonZeroUsize = NonZeroUsize::MIN.saturating_add(4095);
/// How long after it was read from the store, in milliseconds.
const FRESH: i64 = 15_000;

/// A game that was read from the store, and played on since.
pub(crate) struct WarmGame {
    pub(crate) table: Table,
    /// When it was read.
    pub(crate) read: Timestamp,
}

/// The games, by the session that plays them.
pub struct Warm {
    games: Mutex<LruCache<TokenHash, WarmGame>>,
}

impl Default for Warm {
    /// None yet.
    fn default() -> Self {
        Self { games: Mutex::new(LruCache::new(GAMES)) }
    }
}

impl Warm {
    /// Takes the game of a session: while one request has it, the others read the store.
    pub(crate) fn take(&self, session: &TokenHash, now: Timestamp) -> Option<WarmGame> {
        let game = self.games.lock().unwrap_or_else(PoisonError::into_inner).pop(session)?;
        let age = now.millis().saturating_sub(game.read.millis());
        (0..FRESH).contains(&age).then_some(game)
    }

    /// Puts it back, as it stands now. A game that is over needs no next action.
    pub(crate) fn put(&self, session: TokenHash, game: WarmGame) {
        if game.table.game().is_running() {
            self.games.lock().unwrap_or_else(PoisonError::into_inner).put(session, game);
        }
    }
}
