//! The connections of a listener: how many there may be, in all and of one address, and which one makes room when there
//! are too many. A connection that is silent gives way to one that comes: whoever opens a thousand and says nothing
//! delays nobody, not even their neighbours behind the same address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::limits::Origin;
use crate::limits::Proxies;

/// What an operator may choose of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The most connections at once.
    pub in_all: usize,
    /// The most of one address (IPv6: one /64), trusted proxies excepted.
    pub of_one: usize,
}

impl Default for Room {
    /// 768 in all: below the 1,024 open files that a process usually may have. A third of them for one address, behind
    /// which a whole neighbourhood may live.
    fn default() -> Self {
        Self { in_all: 768, of_one: 256 }
    }
}

/// The connections of a listener.
pub(super) struct Crowd {
    room: Room,
    proxies: Proxies,
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    /// In order of arrival and of falling silent, one number after the other.
    next: u64,
    members: HashMap<u64, Member>,
    of_one: HashMap<Origin, usize>,
}

struct Member {
    /// None for a trusted proxy, which is not bounded by itself and never has to go.
    origin: Option<Origin>,
    /// Since when it has been silent; none while a request of it is worked on.
    silent: Option<u64>,
    leave: Arc<Notify>,
}

/// A connection's place, until it is dropped.
pub(super) struct Place {
    crowd: Arc<Crowd>,
    id: u64,
    /// Told when it has to make room.
    pub(super) leave: Arc<Notify>,
}

/// What became of one who came.
pub(super) enum Came {
    /// It has a place.
    In(Place),
    /// There is no room, and nobody is silent.
    Full,
}

impl Crowd {
    pub(super) fn new(room: Room, proxies: Proxies) -> Arc<Self> {
        Arc::new(Self { room, proxies, inside: Mutex::default() })
    }

    /// Gives a place to a connection from that address; where there are too many, one that is silent has to leave: of
    /// the same address if that has too many, else of the address that has most.
    pub(super) fn come(self: &Arc<Self>, from: IpAddr) -> Came {
        let origin = (!self.proxies.trust(from)).then(|| Origin::of(from));
        let mut inside = self.lock();
        if let Some(origin) = origin
            && inside.count(origin) >= self.room.of_one
            && !inside.evict(|member| member == origin)
        {
            return Came::Full;
        }
        if inside.members.len() >= self.room.in_all {
            let busiest = inside.of_one.iter().max_by_key(|(_, count)| **count).map(|(origin, _)| *origin);
            let made = busiest.is_some_and(|most| inside.evict(|member| member == most)) || inside.evict(|_| true);
            if !made {
                return Came::Full;
            }
        }
        let id = inside.number();
        let leave = Arc::new(Notify::new());
        inside.members.insert(id, Member { origin, silent: Some(id), leave: Arc::clone(&leave) });
        if let Some(origin) = origin {
            *inside.of_one.entry(origin).or_default() += 1;
        }
        Came::In(Place { crowd: Arc::clone(self), id, leave })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.lock().members.len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// A request begins. False where the connection has had to leave meanwhile: nothing is begun then.
    pub(super) fn speaks(&self) -> bool {
        self.crowd.lock().members.get_mut(&self.id).map(|member| member.silent = None).is_some()
    }

    /// Its answer is made.
    pub(super) fn falls_silent(&self) {
        let mut inside = self.crowd.lock();
        let now = inside.number();
        if let Some(member) = inside.members.get_mut(&self.id) {
            member.silent = Some(now);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.crowd.lock().remove(self.id);
    }
}

impl Inside {
    const fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn count(&self, origin: Origin) -> usize {
        self.of_one.get(&origin).copied().unwrap_or_default()
    }

    /// Lets the one leave that has been silent longest among those of some origins; false where none is.
    fn evict(&mut self, of: impl Fn(Origin) -> bool) -> bool {
        let silent = self.members.iter().filter(|(_, member)| member.origin.is_some_and(&of));
        let silent = silent.filter_map(|(id, member)| Some((member.silent?, *id))).min();
        let Some((_, id)) = silent else { return false };
        if let Some(member) = self.remove(id) {
            member.leave.notify_one();
        }
        true
    }

    fn remove(&mut self, id: u64) -> Option<Member> {
        let member = self.members.remove(&id)?;
        if let Some(origin) = member.origin
            && let Some(count) = self.of_one.get_mut(&origin)
        {
            *count -= 1;
            if *count == 0 {
                self.of_one.remove(&origin);
            }
        }
        Some(member)
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::limits::ProxyHeader;

    fn crowd(in_all: usize, of_one: usize) -> Arc<Crowd> {
        let networks = vec!["10.0.0.0/8".parse().unwrap()];
        Crowd::new(Room { in_all, of_one }, Proxies { networks, header: ProxyHeader::default() })
    }

    fn ip(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[track_caller]
    fn come(crowd: &Arc<Crowd>, from: IpAddr) -> Place {
        match crowd.come(from) {
            Came::In(place) => place,
            Came::Full => panic!("no room"),
        }
    }

    fn must_leave(place: &Place) -> bool {
        let told = std::pin::pin!(place.leave.notified());
        matches!(told.poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(()))
    }

    #[test]
    fn one_address_keeps_to_its_share_and_its_longest_silent_connection_makes_room() {
        let crowd = crowd(10, 3);
        let mut held: Vec<_> = (0..3).map(|_| come(&crowd, ip(1))).collect();
        // The first speaks, and falls silent last.
        assert!(held[0].speaks());
        held[0].falls_silent();
        held.push(come(&crowd, ip(1)));
        assert_eq!(held.iter().map(must_leave).collect::<Vec<_>>(), [false, true, false, false]);
        assert!(!held[1].speaks());
        assert_eq!(crowd.len(), 3);
    }

    #[test]
    fn what_is_worked_on_never_makes_room() {
        let crowd = crowd(10, 2);
        let held = [come(&crowd, ip(1)), come(&crowd, ip(1))];
        assert!(held.iter().all(Place::speaks));
        assert!(matches!(crowd.come(ip(1)), Came::Full));
        // Others have room all the while.
        let other = come(&crowd, ip(2));
        assert!(!held.iter().chain([&other]).any(must_leave));
    }

    #[test]
    fn when_all_places_are_taken_the_address_that_has_most_makes_room() {
        let crowd = crowd(5, 4);
        let modest = come(&crowd, ip(1));
        let greedy: Vec<_> = (0..4).map(|_| come(&crowd, ip(2))).collect();
        let third = come(&crowd, ip(3));
        assert!(must_leave(&greedy[0]) && !must_leave(&modest) && !must_leave(&third));
    }

    #[test]
    fn trusted_proxies_are_bounded_by_all_places_alone_and_never_have_to_leave() {
        let crowd = crowd(4, 1);
        let proxy = IpAddr::from([10, 0, 0, 1]);
        let held: Vec<_> = (0..4).map(|_| come(&crowd, proxy)).collect();
        assert!(matches!(crowd.come(ip(1)), Came::Full));
        assert!(!held.iter().any(must_leave));
    }

    #[test]
    fn a_place_that_is_given_back_is_free() {
        let crowd = crowd(2, 2);
        for _ in 0..5 {
            let held = [come(&crowd, ip(1)), come(&crowd, ip(1))];
            assert!(held.iter().all(Place::speaks));
        }
        assert_eq!(crowd.len(), 0);
        assert!(crowd.lock().of_one.is_empty());
    }
}
