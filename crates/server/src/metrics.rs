//! What the server counts of its own work, in the text format that Prometheus reads (OpenMetrics). Nothing here names a
//! ticket, a player or an address: every label has few values, all of them ours.

mod answer;
mod store;

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

pub use answer::metrics_router;

/// Upper bounds of the latencies, in seconds: from a read in memory to the longest that an answer may take.
const LATENCIES: [f64; 14] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

/// One label, with one of few values.
type Label = [(&'static str, &'static str); 1];

/// What the server counts.
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Histogram, fn() -> Histogram>,
    refusals: Family<Label, Counter>,
    failures: Family<Label, Counter>,
    limits: Family<Label, Counter>,
    events: Family<Label, Counter>,
    /// Connections that are open.
    pub(crate) connections: Gauge,
    /// Sessions that were opened.
    pub(crate) sessions: Counter,
    /// Actions that were decided anew because their game had moved.
    pub(crate) conflicts: Counter,
    /// Games that end with a large win.
    pub(crate) large_wins: Counter,
    clock_jumps: Family<Label, Counter>,
    /// Whether the last probe found the server ready: 1 or 0.
    pub(crate) ready: Gauge,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: String,
    status: u16,
}

/// A bound that a client has met.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    /// Wrong codes from one address.
    WrongCodes,
    /// Wrong codes from all addresses.
    WrongCodesInAll,
    /// Requests of one session.
    SessionRequests,
    /// A silent connection made room for another.
    SilentConnection,
    /// A connection found no room.
    Connections,
    /// A client took nothing of its answer, or did not send what it began.
    SlowClient,
}

impl Metrics {
    /// An answer was made.
    pub(crate) fn answered(&self, method: &'static str, route: &str, status: u16, after: Duration) {
        let labels = RequestLabels { method, route: route.to_owned(), status };
        self.requests.get_or_create(&labels).observe(after.as_secs_f64());
    }

    /// A request was refused with that problem.
    pub(crate) fn refused(&self, code: &'static str) {
        self.refusals.get_or_create(&[("code", code)]).inc();
    }

    /// A request failed by a fault of ours, of that kind.
    pub(crate) fn failed(&self, kind: &'static str) {
        self.failures.get_or_create(&[("kind", kind)]).inc();
    }

    /// A client met a bound.
    pub(crate) fn limited(&self, limit: Limit) {
        let limit = match limit {
            Limit::WrongCodes => "wrong_codes",
            Limit::WrongCodesInAll => "wrong_codes_in_all",
            Limit::SessionRequests => "session_requests",
            Limit::SilentConnection => "silent_connection",
            Limit::Connections => "connections",
            Limit::SlowClient => "slow_client",
        };
        self.limits.get_or_create(&[("limit", limit)]).inc();
    }

    /// The machine's clock jumped by so many milliseconds.
    pub(crate) fn clock_jumped(&self, millis: i64) {
        self.clock_jumps.get_or_create(&[("direction", if millis < 0 { "back" } else { "forward" })]).inc();
    }

    /// A game reached that state by an event that this server kept.
    pub(crate) fn reached(&self, state: &'static str) {
        self.events.get_or_create(&[("state", state)]).inc();
    }
}

impl Default for Metrics {
    /// Nothing counted yet.
    fn default() -> Self {
        let requests: Family<_, _, fn() -> Histogram> = Family::new_with_constructor(|| Histogram::new(LATENCIES));
        let (refusals, failures, limits) = (Family::default(), Family::default(), Family::default());
        let (events, connections, sessions) = (Family::default(), Gauge::default(), Counter::default());
        let (conflicts, large_wins, clock_jumps) = (Counter::default(), Counter::default(), Family::default());
        let ready = Gauge::default();
        let mut registry = Registry::with_prefix("qod");
        let build = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The program that runs", build);
        registry.register_with_unit("request", "Answers, by how long they took", Unit::Seconds, requests.clone());
        registry.register("refusals", "Requests refused, by the code of their problem", refusals.clone());
        registry.register("failures", "Requests that failed by a fault of the server or its store", failures.clone());
        registry.register("limits", "How often clients met a bound", limits.clone());
        registry.register("events", "Events kept by this server, by the state they led to", events.clone());
        registry.register("connections", "Connections that are open", connections.clone());
        registry.register("sessions_opened", "Sessions opened by a right code", sessions.clone());
        registry.register("conflicts", "Actions decided anew because their game had moved", conflicts.clone());
        registry.register("large_wins", "Games that ended with a large gain", large_wins.clone());
        registry.register("clock_jumps", "Jumps of the machine's clock", clock_jumps.clone());
        registry.register("ready", "Whether the last probe found the server ready", ready.clone());
        Self {
            registry,
            requests,
            refusals,
            failures,
            limits,
            events,
            connections,
            sessions,
            conflicts,
            large_wins,
            clock_jumps,
            ready,
        }
    }
}
