//! Turns: a few at a time for each key, the others in order behind them, and a few at a time in all. One who asks for
//! very much waits behind their own requests, not before those of others.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The lanes, by key. It holds only those in which someone is.
pub(crate) struct Lanes<K: Hash + Eq + Copy> {
    width: usize,
    most: usize,
    in_all: Option<Arc<Semaphore>>,
    lanes: Mutex<HashMap<K, Lane>>,
}

struct Lane {
    free: Arc<Semaphore>,
    /// At work and waiting.
    inside: usize,
}

/// A turn, until it is dropped.
pub(crate) struct Turn<K: Hash + Eq + Copy> {
    _place: Place<K>,
    _own: Option<OwnedSemaphorePermit>,
    _shared: Option<OwnedSemaphorePermit>,
}

/// A place in a lane, given back when it is dropped: also by a request that ends while it waits.
struct Place<K: Hash + Eq + Copy> {
    lanes: Arc<Lanes<K>>,
    key: K,
}

impl<K: Hash + Eq + Copy> Lanes<K> {
    /// `width` at once in each lane, `most` at work and waiting in each, `in_all` at once together.
    pub(crate) fn new(width: usize, most: usize, in_all: Option<usize>) -> Self {
        let in_all = in_all.map(|n| Arc::new(Semaphore::new(n)));
        Self { width, most, in_all, lanes: Mutex::default() }
    }

    /// Waits for a turn; none where the lane is full.
    pub(crate) async fn enter(self: &Arc<Self>, key: K) -> Option<Turn<K>> {
        let free = self.place(key)?;
        let place = Place { lanes: Arc::clone(self), key };
        // Never closed: both always answer.
        let own = free.acquire_owned().await.ok();
        let shared = match &self.in_all {
            Some(shared) => Arc::clone(shared).acquire_owned().await.ok(),
            None => None,
        };
        Some(Turn { _place: place, _own: own, _shared: shared })
    }

    fn place(&self, key: K) -> Option<Arc<Semaphore>> {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let lane = lanes.entry(key).or_insert_with(|| Lane { free: Arc::new(Semaphore::new(self.width)), inside: 0 });
        if lane.inside >= self.most {
            return None;
        }
        lane.inside += 1;
        Some(Arc::clone(&lane.free))
    }
}

impl<K: Hash + Eq + Copy> Drop for Place<K> {
    fn drop(&mut self) {
        let mut lanes = self.lanes.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut lane) = lanes.entry(self.key) {
            lane.get_mut().inside -= 1;
            if lane.get().inside == 0 {
                lane.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// Where a future stands after one look.
    fn look<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_lane_takes_its_width_lets_others_wait_and_refuses_beyond_its_most() {
        let lanes = Arc::new(Lanes::new(1, 2, None));
        let Poll::Ready(Some(first)) = look(pin!(lanes.enter('a'))) else { panic!("the first waits") };
        let mut second = pin!(lanes.enter('a'));
        assert!(look(second.as_mut()).is_pending());
        assert!(matches!(look(pin!(lanes.enter('a'))), Poll::Ready(None)));
        // Another's is free all the while.
        assert!(matches!(look(pin!(lanes.enter('b'))), Poll::Ready(Some(_))));
        drop(first);
        assert!(matches!(look(second), Poll::Ready(Some(_))));
    }

    #[test]
    fn who_asks_for_very_much_waits_behind_their_own_requests() {
        let lanes = Arc::new(Lanes::new(2, usize::MAX, Some(3)));
        let mut many: Vec<_> = (0..20).map(|_| Box::pin(lanes.enter("greedy"))).collect();
        let taken: Vec<_> = many.iter_mut().map(|one| look(one.as_mut())).filter(Poll::is_ready).collect();
        assert_eq!(taken.len(), 2);
        assert!(matches!(look(pin!(lanes.enter("modest"))), Poll::Ready(Some(_))));
    }

    #[test]
    fn nothing_is_kept_of_a_lane_that_is_empty_also_where_one_left_while_it_waited() {
        let lanes = Arc::new(Lanes::new(1, 9, Some(1)));
        let first = look(pin!(lanes.enter(1)));
        for key in [1, 2] {
            let mut waits = Box::pin(lanes.enter(key));
            assert!(look(waits.as_mut()).is_pending());
        }
        assert_eq!(lanes.lanes.lock().unwrap().len(), 1);
        drop(first);
        assert!(lanes.lanes.lock().unwrap().is_empty());
        assert!(matches!(look(pin!(lanes.enter(2))), Poll::Ready(Some(_))));
    }
}
