//! Processes that end with their test, whatever becomes of it.

use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// How long something that always comes may take before a test is given up: no verdict rests on how quick it is.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Started in front of every program: once the test's end of the pipe on standard input is closed, even by SIGKILL, a
/// watcher in the program's process group ends the whole group.
const WATCHED: &str = r#"exec 3<&0; { read -r _ <&3; kill -KILL 0; } >/dev/null 2>&1 & exec "$@" 3<&- </dev/null"#;

/// A running program, its process group, and all that it has printed.
pub struct Process {
    name: String,
    child: Child,
    printed: Arc<Printed>,
}

/// The lines of standard output and standard error, in the order in which they came.
#[derive(Default)]
struct Printed {
    lines: Mutex<Lines>,
    more: Condvar,
}

#[derive(Default)]
struct Lines {
    all: Vec<String>,
    streams_ended: usize,
}

impl Process {
    /// Starts a program in a process group of its own.
    ///
    /// # Panics
    /// It cannot be started.
    #[must_use]
    #[track_caller]
    pub fn start(program: &Path, args: &[&str], environment: &[(&str, &str)]) -> Self {
        let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", WATCHED, "sh"]).arg(program).args(args).envs(environment.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{name} cannot be started: {error}"));
        let printed = Arc::new(Printed::default());
        let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        printed.clone().collect(out);
        printed.clone().collect(err);
        Self { name, child, printed }
    }

    /// What follows `start` in the first line that has it.
    ///
    /// # Panics
    /// The program ends, or goes on for too long, without such a line.
    #[must_use]
    #[track_caller]
    pub fn line_after(&self, start: &str) -> String {
        let find = |lines: &Lines| {
            lines.all.iter().find_map(|line| line.split_once(start)).map(|(_, rest)| rest.trim().to_owned())
        };
        let lines = self.printed.lines.lock().unwrap();
        let wanted = |lines: &mut Lines| find(lines).is_none() && lines.streams_ended < 2;
        let (lines, _) = self.printed.more.wait_timeout_while(lines, PATIENCE, wanted).unwrap();
        find(&lines).unwrap_or_else(|| panic!("{} printed no {start:?}, but:\n{}", self.name, lines.all.join("\n")))
    }

    /// All that it has printed so far.
    #[must_use]
    pub fn printed(&self) -> String {
        self.printed.lines.lock().unwrap().all.join("\n")
    }

    /// SIGKILL, and waits until it is gone.
    pub fn kill(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// SIGTERM, without waiting.
    pub fn ask_to_end(&self) {
        kill_process(self.pid(), Signal::TERM).unwrap();
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// It does not end.
    #[track_caller]
    pub fn ended(&mut self) -> ExitStatus {
        let child = &mut self.child;
        eventually(
            &format!("the end of {}", self.name),
            || child.try_wait().unwrap(),
            || self.printed.lines.lock().unwrap().all.join("\n"),
        )
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The group has the watcher in it for as long as the pipe is open: its number is not another's.
        let _ = kill_process_group(self.pid(), Signal::KILL);
        let _ = self.child.wait();
    }
}

impl Printed {
    fn collect(self: Arc<Self>, from: impl Read + Send + 'static) {
        std::thread::spawn(move || {
            for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
                self.lines.lock().unwrap().all.push(String::from_utf8_lossy(&line).into_owned());
                self.more.notify_all();
            }
            self.lines.lock().unwrap().streams_ended += 1;
            self.more.notify_all();
        });
    }
}

/// Asks until there is something, for as long as patience lasts.
///
/// # Panics
/// There never is; `what` says what was waited for, and `seen` what was there instead.
#[track_caller]
pub fn eventually<T>(what: &str, mut ask: impl FnMut() -> Option<T>, seen: impl FnOnce() -> String) -> T {
    let since = Instant::now();
    loop {
        if let Some(found) = ask() {
            return found;
        }
        assert!(since.elapsed() < PATIENCE, "{what} never came. There is:\n{}", seen());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_there(pid: &str) -> bool {
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !matches!(state.rsplit(')').next().map(str::trim_start), None | Some("") | Some("Z")) && !state.contains(") Z ")
    }

    #[test]
    fn nothing_is_left_of_a_program_and_of_what_it_started_once_it_is_dropped() {
        let script = "sleep 600 & echo child $!; sleep 600 & echo second $!; wait";
        let process = Process::start(Path::new("/bin/sh"), &["-c", script], &[]);
        let children = [process.line_after("child "), process.line_after("second ")];
        assert!(children.iter().all(|pid| is_there(pid)));
        drop(process);
        for pid in children {
            eventually("its end", || (!is_there(&pid)).then_some(()), || pid.clone());
        }
    }

    #[test]
    fn a_program_ends_with_the_test_even_where_nothing_can_be_dropped() {
        let mut process = Process::start(Path::new("/bin/sh"), &["-c", "echo pid $$; sleep 600 & wait"], &[]);
        let pid = process.line_after("pid ");
        // What the kernel does to the pipe of a test that is killed.
        drop(process.child.stdin.take());
        eventually(
            "its end",
            || (!is_there(&pid) || process.child.try_wait().unwrap().is_some()).then_some(()),
            || pid.clone(),
        );
    }
}
