//! A bar that shows how far a long run is, on a terminal and nowhere else.

use std::io::{IsTerminal as _, Write as _};

/// How many characters the bar has.
const WIDTH: u64 = 40;

/// Shows how many of so many games are done; silent where standard error is no terminal.
pub(crate) struct Progress {
    games: u64,
    shown: bool,
}

impl Progress {
    /// Nothing done yet.
    pub(crate) fn new(games: u64) -> Self {
        Self { games, shown: std::io::stderr().is_terminal() }
    }

    /// So many are done. Threads may say so in any order.
    pub(crate) fn done(&self, done: u64) {
        if self.shown {
            // What cannot be shown does not stop the run.
            let _ = std::io::stderr().lock().write_all(format!("\r{}", line(done, self.games)).as_bytes());
        }
    }

    /// All is done: what follows begins on a line of its own.
    pub(crate) fn end(&self) {
        if self.shown {
            eprintln!("\r{}", line(self.games, self.games));
        }
    }
}

fn line(done: u64, games: u64) -> String {
    let of = |whole: u64| (u128::from(done) * u128::from(whole) / u128::from(games.max(1))) as usize;
    let (full, percent) = (of(WIDTH), of(100));
    format!("[{}{}] {percent:3} % of {games} games", "#".repeat(full), ".".repeat(WIDTH as usize - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills_from_nothing_to_all() {
        assert_eq!(line(0, 8), format!("[{}]   0 % of 8 games", ".".repeat(40)));
        assert_eq!(line(2, 8), format!("[{}{}]  25 % of 8 games", "#".repeat(10), ".".repeat(30)));
        assert_eq!(line(8, 8), format!("[{}] 100 % of 8 games", "#".repeat(40)));
        assert_eq!(line(u64::MAX / 2, u64::MAX).matches('#').count(), 19);
    }
}
