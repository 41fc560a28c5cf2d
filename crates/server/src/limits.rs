//! What bounds hostile clients, without ever standing in the way of an honest one: wrong codes are counted by address and
//! in all, look-ups of codes and the requests of a session take turns. How connections are bounded is `listen`'s.
//!
//! **A right code is never refused**, whatever its neighbours behind the same address have tried: every code with a right
//! check character is looked up, and only the answer to a wrong one turns from « unknown » into « too many attempts ».
//! That tells a guesser nothing (both mean wrong), and a code has some 79 bits: with a million winning tickets and a
//! million guesses a second, one hit takes 19,000 years. The limits keep the log readable and the store free; the length
//! of a code keeps it secret.

mod lanes;
mod origin;
mod wrong;

use std::num::NonZeroU32;
use std::sync::Arc;

use ipnet::IpNet;
use store::TokenHash;

pub(crate) use lanes::{Lanes, Turn};
pub(crate) use origin::Proxies;
pub use origin::{Origin, Peer, ProxyHeader};
pub(crate) use wrong::{Spent, Whose};

use wrong::WrongCodes;

/// How many codes are looked up at once, in all and for one address: those of others come in between.
const LOOKUPS: usize = 64;
const LOOKUPS_OF_ONE: usize = 8;
/// How many requests of one session are worked on at once; as many as that wait their turn, and more are refused.
const AT_ONCE: usize = 4;
/// The most requests of one session, at work and waiting.
pub(crate) const MOST_OF_A_SESSION: usize = 64;

/// What an operator may choose of it.
#[derive(Clone, Debug)]
pub struct LimitSettings {
    /// The networks of the proxies that are believed: who the client is, and `X-Request-Id`.
    pub proxies: Vec<IpNet>,
    /// In which header they tell who the client is.
    pub proxy_header: ProxyHeader,
    /// How many wrong codes a minute from one address are answered « unknown » rather than « too many attempts ».
    pub wrong_codes: NonZeroU32,
    /// The same, from all addresses together.
    pub wrong_codes_in_all: NonZeroU32,
}

impl Default for LimitSettings {
    /// No proxy; 20 a minute from one address, 3,000 in all.
    fn default() -> Self {
        let number = |n| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
        Self {
            proxies: vec![],
            proxy_header: ProxyHeader::default(),
            wrong_codes: number(20),
            wrong_codes_in_all: number(3000),
        }
    }
}

/// The bounds, with what they count. All of it is in memory, of this server alone, and bounded itself.
pub struct Limits {
    pub(crate) proxies: Proxies,
    pub(crate) wrong_codes: WrongCodes,
    lookups: Arc<Lanes<Origin>>,
    sessions: Arc<Lanes<TokenHash>>,
}

impl Limits {
    /// With these settings, nothing counted yet.
    #[must_use]
    pub fn new(settings: LimitSettings) -> Self {
        Self {
            proxies: Proxies { networks: settings.proxies, header: settings.proxy_header },
            wrong_codes: WrongCodes::new(settings.wrong_codes, settings.wrong_codes_in_all),
            // No bound on who waits: they hold a connection each, and those are bounded.
            lookups: Arc::new(Lanes::new(LOOKUPS_OF_ONE, usize::MAX, Some(LOOKUPS))),
            sessions: Arc::new(Lanes::new(AT_ONCE, MOST_OF_A_SESSION, None)),
        }
    }

    /// Waits for a turn to look a code up.
    pub(crate) async fn lookup(&self, origin: Origin) -> Option<Turn<Origin>> {
        self.lookups.enter(origin).await
    }

    /// Waits for a turn of that session; none where too many wait already.
    pub(crate) async fn session(&self, token: TokenHash) -> Option<Turn<TokenHash>> {
        self.sessions.enter(token).await
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::new(LimitSettings::default())
    }
}
