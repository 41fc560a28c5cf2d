//! What a run measured, as text and as JSON.
#![allow(clippy::float_arithmetic, reason = "what is measured is no money and no odds")]

use std::time::Duration;

use hdrhistogram::Histogram;

use crate::game::Kind;

/// CPU and memory of one process and its children.
pub(crate) struct Used {
    pub(crate) name: String,
    pub(crate) cpu_millis: u64,
    pub(crate) resident_kib: u64,
}

/// A run.
pub(crate) struct Measured {
    pub(crate) clients: usize,
    pub(crate) lasted: Duration,
    /// Microseconds, by [`Kind`].
    pub(crate) latencies: [Histogram<u64>; 4],
    /// Games begun.
    pub(crate) games: usize,
    /// Times that no answer came.
    pub(crate) unanswered: u64,
    /// Times that a server said that it could not.
    pub(crate) refused: u64,
    /// The longest time in which nobody got an answer.
    pub(crate) longest_pause: Duration,
    pub(crate) used: Vec<Used>,
}

impl Measured {
    pub(crate) fn print(&self, json: bool) {
        let seconds = self.lasted.as_secs_f64();
        let mut all: Option<Histogram<u64>> = None;
        for histogram in &self.latencies {
            match &mut all {
                None => all = Some(histogram.clone()),
                Some(all) => drop(all.add(histogram)),
            }
        }
        let Some(all) = all else { return };
        let rows = Kind::ALL.iter().zip(&self.latencies).map(|((_, name), histogram)| (*name, histogram));
        let rows: Vec<_> = rows.chain([("all", &all)]).collect();
        let micros = |cpu: u64| cpu as f64 * 1000.0 / all.len().max(1) as f64;
        if json {
            let kinds = rows.iter().map(|(name, h)| {
                let [p50, p99, p999] = [0.5, 0.99, 0.999].map(|q| h.value_at_quantile(q));
                let rate = h.len() as f64 / seconds;
                format!("\"{name}\":{{\"per_second\":{rate:.1},\"p50_us\":{p50},\"p99_us\":{p99},\"p999_us\":{p999}}}")
            });
            let used = self.used.iter().map(|used| {
                let (name, cpu, kib) = (&used.name, micros(used.cpu_millis), used.resident_kib);
                format!("\"{name}\":{{\"cpu_us_per_action\":{cpu:.1},\"resident_kib\":{kib}}}")
            });
            println!(
                "{{\"clients\":{},\"seconds\":{seconds:.2},\"games\":{},\"unanswered\":{},\"refused\":{},{},{}}}",
                self.clients,
                self.games,
                self.unanswered,
                self.refused,
                kinds.collect::<Vec<_>>().join(","),
                used.collect::<Vec<_>>().join(",")
            );
            return;
        }
        println!("{} clients, {seconds:.1} s, {} games begun", self.clients, self.games);
        println!("{:<10}{:>12}{:>12}{:>12}{:>12}", "", "per second", "p50 ms", "p99 ms", "p99.9 ms");
        for (name, histogram) in rows {
            let [p50, p99, p999] = [0.5, 0.99, 0.999].map(|q| histogram.value_at_quantile(q) as f64 / 1000.0);
            println!("{name:<10}{:>12.0}{p50:>12.2}{p99:>12.2}{p999:>12.2}", histogram.len() as f64 / seconds);
        }
        for used in &self.used {
            let (name, cpu) = (&used.name, used.cpu_millis as f64 / 1000.0 / seconds);
            let per_action = micros(used.cpu_millis);
            println!("{name:<10}{cpu:>8.2} cores{per_action:>10.0} µs/action{:>10} KiB", used.resident_kib);
        }
        if self.unanswered + self.refused > 0 {
            println!("{} times no answer came, {} times the server could not", self.unanswered, self.refused);
        }
        println!("the longest time without an answer to anybody: {:.2} s", self.longest_pause.as_secs_f64());
    }
}
