//! Notices when the machine's clock jumps: beside the monotonic one, which never does. Games are safe from it (an
//! event's time is never before the last one's), but deadlines and sessions are read off that clock, so the operator has to know.

use std::sync::Arc;
use std::time::Duration;

use rules::Timestamp;
use tokio::time::{Instant, interval};
use tracing::warn;

use crate::app::App;
use crate::audit::{Entry, Kind};

/// How often the clocks are compared.
const EVERY: Duration = Duration::from_secs(1);
/// How far they may part in that time, in milliseconds: a clock that is slewed, as it should be, stays far below.
const TOLERANCE: i64 = 500;

/// Both clocks, as they stood together.
struct Clocks {
    wall: Timestamp,
    steady: Instant,
}

impl Clocks {
    /// Looks again; by how many milliseconds the wall clock went further than time did, if it jumped.
    fn jump(&mut self, wall: Timestamp, steady: Instant) -> Option<i64> {
        let passed = i64::try_from((steady - self.steady).as_millis()).unwrap_or(i64::MAX);
        let shown = wall.millis().saturating_sub(self.wall.millis());
        *self = Self { wall, steady };
        let off = shown.saturating_sub(passed);
        (off.unsigned_abs() > TOLERANCE.unsigned_abs()).then_some(off)
    }
}

/// Compares the clocks for ever.
pub async fn watch_clock(app: Arc<App>) {
    let mut clocks = Clocks { wall: app.clock.now(), steady: Instant::now() };
    let mut every = interval(EVERY);
    loop {
        every.tick().await;
        if let Some(millis) = clocks.jump(app.clock.now(), Instant::now()) {
            app.metrics.clock_jumped(millis);
            let direction = if millis < 0 { "back" } else { "forward" };
            let entry = Entry::new(Kind::ClockJump).text("direction", direction);
            app.significant(entry.int("millis", millis.unsigned_abs()));
            warn!(millis, "the machine's clock has jumped: look at its time service; no game is harmed by it");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_of_the_clock_is_noticed_either_way_and_once_and_a_drift_is_none() {
        let start = Instant::now();
        let mut clocks = Clocks { wall: Timestamp::from_millis(0), steady: start };
        let mut look = |wall, steady| clocks.jump(Timestamp::from_millis(wall), start + Duration::from_millis(steady));
        assert_eq!(look(1_000, 1_000), None);
        assert_eq!(look(2_400, 2_000), None);
        assert_eq!(look(1_000_000, 3_000), Some(996_600));
        assert_eq!(look(1_001_000, 4_000), None);
        assert_eq!(look(1_000, 5_000), Some(-1_001_000));
        assert_eq!(look(2_000, 6_000), None);
        // The process did not run for an hour: both clocks did.
        assert_eq!(look(3_602_000, 3_606_000), None);
    }
}
