//! Wrong control codes are counted, by point of sale and by ticket number. Unlike the 18-character code, a control code is
//! short enough (31⁸) that guesses must be bounded: while a count is spent nothing is told at all, not even of a right
//! one. A point of sale can so hold up a ticket for seconds, and only by spending its own count, with its name on it.
//!
//! Counted in memory, by each server for itself: n servers give n times the guesses, which changes nothing.

use std::collections::HashMap;
use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rules::TicketNumber;
use store::PointOfSaleId;
use tokio::time::Instant;

const MINUTE: Duration = Duration::from_secs(60);
/// The most that are remembered of each kind. Where that is full, a further wrong one is answered as if too many were.
const MOST: usize = 65_536;

/// How many wrong control codes a minute are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuessLimits {
    /// Of one point of sale.
    pub point_of_sale: NonZeroU32,
    /// For one ticket number, of all points of sale together.
    pub ticket: NonZeroU32,
}

impl Default for GuessLimits {
    /// 30 of a point of sale, 10 for a ticket: who guesses one ticket day and night needs 100,000 years.
    fn default() -> Self {
        let number = |n| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
        Self { point_of_sale: number(30), ticket: number(10) }
    }
}

/// What wrong control codes have used up.
pub(crate) struct Guesses(Mutex<(Count<PointOfSaleId>, Count<TicketNumber>)>);

/// A count is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spent {
    /// In how many seconds one more is answered: at least 1.
    pub(crate) seconds: u64,
}

impl Guesses {
    pub(crate) fn new(limits: GuessLimits) -> Self {
        Self(Mutex::new((Count::a_minute(limits.point_of_sale), Count::a_minute(limits.ticket))))
    }

    /// Whether the control code is right, counted where it is not.
    ///
    /// # Errors
    /// A count is spent: it is not told.
    pub(crate) fn judge(&self, by: PointOfSaleId, number: TicketNumber, right: bool) -> Result<bool, Spent> {
        let now = Instant::now();
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (points_of_sale, tickets) = &mut *counts;
        let wait = points_of_sale.wait(by, now).max(tickets.wait(number, now));
        if !wait.is_zero() {
            return Err(Spent::new(wait));
        }
        if !right {
            points_of_sale.charge(by, now)?;
            tickets.charge(number, now)?;
        }
        Ok(right)
    }
}

/// So many at once, so many a minute, for each key.
struct Count<K> {
    /// What one costs, in time.
    cost: Duration,
    /// When each count will be whole again.
    whole_at: HashMap<K, Instant>,
    /// How many there may be before those that are whole are forgotten.
    tidy_at: usize,
}

impl<K: Hash + Eq + Copy> Count<K> {
    fn a_minute(count: NonZeroU32) -> Self {
        Self { cost: MINUTE / count.get(), whole_at: HashMap::new(), tidy_at: 1024 }
    }

    /// How long until one more may be charged; nothing where it may be now.
    fn wait(&self, key: K, now: Instant) -> Duration {
        let missing = self.whole_at.get(&key).map_or(Duration::ZERO, |at| at.saturating_duration_since(now));
        (missing + self.cost).saturating_sub(MINUTE)
    }

    fn charge(&mut self, key: K, now: Instant) -> Result<(), Spent> {
        if self.whole_at.len() >= self.tidy_at {
            self.whole_at.retain(|_, whole_at| *whole_at > now);
            self.tidy_at = (2 * self.whole_at.len()).clamp(1024, MOST);
        }
        let known = self.whole_at.get(&key).copied();
        if known.is_none() && self.whole_at.len() >= MOST {
            return Err(Spent::new(self.cost));
        }
        self.whole_at.insert(key, known.map_or(now, |at| at.max(now)) + self.cost);
        Ok(())
    }
}

impl Spent {
    const fn new(wait: Duration) -> Self {
        // Rounded up: who waits so long is not refused again.
        Self { seconds: wait.as_secs() + 1 }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const POS: [PointOfSaleId; 2] = [PointOfSaleId(1), PointOfSaleId(2)];

    fn ticket(serial: u32) -> TicketNumber {
        TicketNumber::new(1, 1, serial).unwrap()
    }

    fn guesses(point_of_sale: u32, ticket: u32) -> Guesses {
        let number = |n| NonZeroU32::new(n).unwrap();
        Guesses::new(GuessLimits { point_of_sale: number(point_of_sale), ticket: number(ticket) })
    }

    #[tokio::test(start_paused = true)]
    async fn guesses_at_one_ticket_are_bounded_over_all_points_of_sale_and_a_right_one_is_not_told_either() {
        let guesses = guesses(100, 3);
        assert_eq!(guesses.judge(POS[0], ticket(1), true), Ok(true));
        for by in [POS[0], POS[1], POS[0]] {
            assert_eq!(guesses.judge(by, ticket(1), false), Ok(false));
        }
        let spent = guesses.judge(POS[1], ticket(1), false).unwrap_err();
        assert_eq!(spent.seconds, 21);
        assert_eq!(guesses.judge(POS[1], ticket(1), true), Err(spent));
        assert_eq!(guesses.judge(POS[1], ticket(2), true), Ok(true));
        advance(Duration::from_secs(spent.seconds)).await;
        assert_eq!(guesses.judge(POS[1], ticket(1), true), Ok(true));
        assert_eq!(guesses.judge(POS[1], ticket(1), false), Ok(false));
        assert!(guesses.judge(POS[1], ticket(1), true).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn guesses_of_one_point_of_sale_are_bounded_over_all_tickets_and_others_have_their_own() {
        let guesses = guesses(3, 100);
        for serial in 1..=3 {
            assert_eq!(guesses.judge(POS[0], ticket(serial), false), Ok(false));
        }
        assert!(guesses.judge(POS[0], ticket(9), true).is_err());
        assert_eq!(guesses.judge(POS[1], ticket(9), true), Ok(true));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_remembered_is_bounded_and_forgotten() {
        let mut count = Count::a_minute(NonZeroU32::MIN);
        let now = Instant::now();
        for key in 0..MOST {
            assert_eq!(count.charge(key, now), Ok(()));
        }
        assert!(count.charge(MOST, now).is_err());
        assert_eq!(count.wait(MOST, now), Duration::ZERO);
        assert_eq!(count.charge(MOST, now + MINUTE), Ok(()));
        assert_eq!(count.whole_at.len(), 1);
    }
}
