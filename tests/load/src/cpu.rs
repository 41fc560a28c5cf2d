//! CPU time of processes and of all that they started, from `/proc`.

use std::collections::BTreeMap;
use std::fs;

use anyhow::Context as _;

/// A process to watch, by a name for the report.
pub(crate) struct Watched {
    pub(crate) name: String,
    pid: u32,
}

impl Watched {
    /// From `NAME=PID`.
    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        let (name, pid) = text.split_once('=').context("--watch takes NAME=PID")?;
        Ok(Self { name: name.to_owned(), pid: pid.parse().context("--watch takes NAME=PID")? })
    }

    /// The driver itself.
    pub(crate) fn own() -> Self {
        Self { name: "driver".to_owned(), pid: std::process::id() }
    }

    /// Milliseconds of CPU so far, children included, also those that have ended.
    pub(crate) fn cpu_millis(&self) -> u64 {
        let processes = processes();
        let ticks = tree(&processes, self.pid);
        ticks.saturating_mul(1000) / rustix::param::clock_ticks_per_second()
    }

    /// The memory that it holds now, in KiB, without its children.
    pub(crate) fn resident_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid)).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
    }
}

struct Process {
    parent: u32,
    /// Ticks of CPU, of itself and of children that it has waited for.
    ticks: u64,
}

fn tree(processes: &BTreeMap<u32, Process>, pid: u32) -> u64 {
    let own = processes.get(&pid).map_or(0, |process| process.ticks);
    let children = processes.iter().filter(|(_, process)| process.parent == pid);
    children.fold(own, |sum, (child, _)| sum + tree(processes, *child))
}

fn processes() -> BTreeMap<u32, Process> {
    let Ok(folder) = fs::read_dir("/proc") else { return BTreeMap::new() };
    let pids = folder.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| Some((pid, process(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?))).collect()
}

/// From a line of `/proc/PID/stat`: the name in parentheses may hold anything.
fn process(stat: &str) -> Option<Process> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    let ticks = (11..15).map(number).sum::<Option<u64>>()?;
    Some(Process { parent: fields.get(1)?.parse().ok()?, ticks })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name_holds() {
        let read = process("12 (a) b (c)) S 7 12 12 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 1 0 5").unwrap();
        assert_eq!((read.parent, read.ticks), (7, 100));
    }

    #[test]
    fn work_is_seen_in_its_own_cpu_time() {
        let (own, mut sum) = (Watched::own(), 0u64);
        let before = own.cpu_millis();
        while own.cpu_millis() < before + 20 {
            sum = (0..100_000).fold(sum, u64::wrapping_add);
        }
        assert!(sum > 0 && own.resident_kib() > 0);
    }
}
