//! The budgets of wrong codes: one for each address, one for all. Only a wrong code is ever charged.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::Origin;

const MINUTE: Duration = Duration::from_secs(60);
/// The most addresses that are remembered: a few megabytes. Only an attack from more than this many networks within a
/// minute fills it; wrong codes of further ones are then answered as if they had spent their budget.
const MOST_ORIGINS: usize = 65_536;

/// What wrong codes have used up.
pub(crate) struct WrongCodes {
    each: Budget,
    all: Budget,
    spent: Mutex<Used>,
}

#[derive(Default)]
struct Used {
    all: Option<Instant>,
    /// By address, when its budget will be whole again. What is whole is not kept for long.
    each: HashMap<Origin, Instant>,
    /// How many addresses there may be before those with a whole budget are forgotten.
    tidy_at: usize,
}

/// A budget that refills steadily: so many at once, so many a minute.
#[derive(Clone, Copy)]
struct Budget {
    /// What one costs, in time.
    cost: Duration,
}

/// A budget is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spent {
    /// In how many seconds one more is allowed: at least 1.
    pub(crate) seconds: u64,
    /// Whose it is.
    pub(crate) whose: Whose,
}

/// Whose budget is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// That of the address.
    Address,
    /// That of all together.
    All,
}

impl Budget {
    fn a_minute(count: NonZeroU32) -> Self {
        Self { cost: MINUTE / count.get() }
    }

    /// When the budget will be whole again if one more is charged at `now`, or how long until one may be.
    fn charge(self, whole_at: Option<Instant>, now: Instant) -> Result<Instant, Duration> {
        let whole_at = whole_at.map_or(now, |at| at.max(now)) + self.cost;
        let missing = whole_at - now;
        if missing <= MINUTE { Ok(whole_at) } else { Err(missing - MINUTE) }
    }
}

impl WrongCodes {
    /// So many a minute for each address, and for all.
    pub(crate) fn new(each: NonZeroU32, all: NonZeroU32) -> Self {
        let spent = Mutex::new(Used { tidy_at: 1024, ..Used::default() });
        Self { each: Budget::a_minute(each), all: Budget::a_minute(all), spent }
    }

    /// Charges a wrong code.
    ///
    /// # Errors
    /// A budget is spent: that of the address, or that of all.
    pub(crate) fn charge(&self, origin: Origin) -> Result<(), Spent> {
        let now = Instant::now();
        let mut used = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        used.tidy(now);
        let known = used.each.get(&origin).copied();
        if known.is_none() && used.each.len() >= MOST_ORIGINS {
            return Err(Spent::new(self.each.cost, Whose::All));
        }
        let each = self.each.charge(known, now).map_err(|wait| Spent::new(wait, Whose::Address))?;
        let all = self.all.charge(used.all, now).map_err(|wait| Spent::new(wait, Whose::All))?;
        used.each.insert(origin, each);
        used.all = Some(all);
        Ok(())
    }
}

impl Used {
    /// Forgets whose budget is whole, each time the table has doubled.
    fn tidy(&mut self, now: Instant) {
        if self.each.len() >= self.tidy_at {
            self.each.retain(|_, whole_at| *whole_at > now);
            self.tidy_at = (2 * self.each.len()).clamp(1024, MOST_ORIGINS);
        }
    }
}

impl Spent {
    const fn new(wait: Duration, whose: Whose) -> Self {
        // Rounded up: who waits so long is not refused again.
        Self { seconds: wait.as_secs() + 1, whose }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn limits(each: u32, all: u32) -> WrongCodes {
        WrongCodes::new(NonZeroU32::new(each).unwrap(), NonZeroU32::new(all).unwrap())
    }

    fn from(last: u8) -> Origin {
        Origin::of(std::net::IpAddr::from([192, 0, 2, last]))
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_has_so_many_wrong_codes_a_minute_and_others_have_their_own() {
        let limits = limits(6, 1000);
        for _ in 0..6 {
            assert_eq!(limits.charge(from(1)), Ok(()));
        }
        let spent = limits.charge(from(1)).unwrap_err();
        assert_eq!(spent, Spent { seconds: 11, whose: Whose::Address });
        assert_eq!(limits.charge(from(2)), Ok(()));
        // Being refused costs nothing: the wait does not grow.
        assert_eq!(limits.charge(from(1)), Err(spent));
        advance(Duration::from_secs(spent.seconds)).await;
        assert_eq!(limits.charge(from(1)), Ok(()));
        assert!(limits.charge(from(1)).is_err());
        advance(MINUTE).await;
        for _ in 0..6 {
            assert_eq!(limits.charge(from(1)), Ok(()));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn all_addresses_together_have_a_budget_too() {
        let limits = limits(6, 10);
        for last in 0..10 {
            assert_eq!(limits.charge(from(last)), Ok(()));
        }
        assert_eq!(limits.charge(from(77)).unwrap_err().whose, Whose::All);
        advance(Duration::from_secs(7)).await;
        assert_eq!(limits.charge(from(77)), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_remembered_is_bounded_and_forgotten() {
        let limits = WrongCodes { all: Budget { cost: Duration::ZERO }, ..limits(6, 1) };
        let origin = |n: u32| Origin::of(std::net::IpAddr::from(n.to_be_bytes()));
        for n in 0..u32::try_from(MOST_ORIGINS).unwrap() {
            assert_eq!(limits.charge(origin(n)), Ok(()));
        }
        let further = origin(u32::MAX);
        assert!(limits.charge(further).is_err());
        assert_eq!(limits.spent.lock().unwrap().each.len(), MOST_ORIGINS);
        advance(MINUTE).await;
        assert_eq!(limits.charge(further), Ok(()));
        assert_eq!(limits.spent.lock().unwrap().each.len(), 1);
    }
}
