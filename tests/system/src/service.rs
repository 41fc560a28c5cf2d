//! The real server: the `qod` binary over a data directory of its own, that can be killed and started again.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::{Mutex, OnceLock};

use protocol::GameView;
use seal::{ClientSeed, DrawKey};
use tempfile::TempDir;

use crate::layout::Layout;
use crate::player::Player;
use crate::process::{Process, eventually};
use crate::tickets::{Ticket, read_block, read_draw_key};

/// The emission of a demo that is open, and the one that was closed long ago.
const OPEN: u16 = 1;
const CLOSED: u16 = 2;

/// A data directory with a demo block, and the server over it. Both go with the value.
pub struct Service {
    process: Process,
    addr: SocketAddr,
    /// What earlier runs have printed.
    earlier: String,
    tickets: Mutex<Vec<Ticket>>,
    late: Ticket,
    losing: Ticket,
    paid: Ticket,
    key: DrawKey,
    data: TempDir,
}

impl Service {
    /// Issues a demo block and serves it.
    ///
    /// # Panics
    /// The binary or the page is missing (it is said what to do), or the server does not start.
    #[must_use]
    #[track_caller]
    pub fn start() -> Self {
        let data = tempfile::Builder::new().prefix("qod-test-").tempdir().unwrap();
        let issued = Command::new(qod()).args(["issue", "--demo", "--data"]).arg(data.path()).output().unwrap();
        assert!(issued.status.success(), "qod issue: {}", String::from_utf8_lossy(&issued.stderr));
        let (process, addr) = serve(data.path(), "127.0.0.1:0");
        let mut tickets = read_block(data.path(), OPEN);
        let losing = tickets.iter().find(|ticket| ticket.gain_eur == 0).expect("a losing ticket").clone();
        let paid = tickets.iter().find(|ticket| ticket.gain_eur == 10).expect("a paid ticket").clone();
        tickets.retain(|ticket| ticket.gain_eur > 0 && *ticket != paid);
        let late = read_block(data.path(), CLOSED).into_iter().find(|ticket| ticket.gain_eur > 0);
        Self {
            process,
            addr,
            earlier: String::new(),
            tickets: Mutex::new(tickets),
            late: late.expect("a late ticket"),
            losing,
            paid,
            key: read_draw_key(data.path(), OPEN),
            data,
        }
    }

    /// Where it listens, before and after each restart.
    #[must_use]
    pub const fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Where it listens for points of sale; another port after each restart.
    ///
    /// # Panics
    /// It does not.
    #[must_use]
    #[track_caller]
    pub fn pos_addr(&self) -> SocketAddr {
        self.process.line_after("points of sale on http://").parse().expect("an address")
    }

    /// Runs a command of the operator's on the data directory, and gives what it prints.
    ///
    /// # Panics
    /// It fails.
    #[track_caller]
    pub fn qod(&self, args: &[&str]) -> String {
        let output = Command::new(qod()).args(args).arg("--data").arg(self.data()).output().unwrap();
        assert!(output.status.success(), "qod {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The data directory.
    #[must_use]
    pub fn data(&self) -> &Path {
        self.data.path()
    }

    /// A ticket of that potential gain that no test was given yet.
    ///
    /// # Panics
    /// There is none left.
    #[track_caller]
    pub fn ticket(&self, gain_eur: u32) -> Ticket {
        let mut tickets = self.tickets.lock().unwrap();
        let at = tickets.iter().position(|ticket| ticket.gain_eur == gain_eur).expect("a ticket of that gain is left");
        tickets.remove(at)
    }

    /// Every winning ticket that no test was given yet.
    pub fn all_tickets(&self) -> Vec<Ticket> {
        std::mem::take(&mut *self.tickets.lock().unwrap())
    }

    /// One that lost at stage 1.
    #[must_use]
    pub const fn losing_ticket(&self) -> &Ticket {
        &self.losing
    }

    /// One whose potential gain was paid at a point of sale.
    #[must_use]
    pub const fn paid_ticket(&self) -> &Ticket {
        &self.paid
    }

    /// One of an emission that was closed long ago: no game can be started any more.
    #[must_use]
    pub const fn late_ticket(&self) -> &Ticket {
        &self.late
    }

    /// The draw of a ticket with this player's seed.
    #[must_use]
    pub fn layout(&self, ticket: &Ticket, seed: &ClientSeed) -> Layout {
        Layout::new(&self.key, ticket, seed)
    }

    /// The draw of a game that someone has begun: its player's seed is read through a session of our own.
    ///
    /// # Panics
    /// It was not begun.
    #[must_use]
    #[track_caller]
    pub fn layout_of_begun(&self, ticket: &Ticket) -> Layout {
        self.layout(ticket, &self.look(ticket).client_seed.expect("a game that was begun"))
    }

    /// A game as the server knows it.
    ///
    /// # Panics
    /// The server does not answer.
    #[must_use]
    #[track_caller]
    pub fn look(&self, ticket: &Ticket) -> GameView {
        self.join(ticket).game
    }

    /// A session of our own on a ticket.
    ///
    /// # Panics
    /// The server does not answer.
    #[must_use]
    #[track_caller]
    pub fn join(&self, ticket: &Ticket) -> Player {
        Player::open(self.addr, &ticket.code, [0; 32]).unwrap()
    }

    /// SIGKILL: nothing is said, nothing is closed.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts it again: the same data, the same address.
    ///
    /// # Panics
    /// It does not start.
    pub fn start_again(&mut self) {
        self.earlier.push_str(&self.process.printed());
        self.process = serve(self.data.path(), &self.addr.to_string()).0;
    }

    /// SIGTERM, without waiting.
    pub fn ask_to_end(&self) {
        self.process.ask_to_end();
    }

    /// Waits for its end.
    pub fn ended(&mut self) -> ExitStatus {
        self.process.ended()
    }

    /// All that it has printed, in all its runs.
    #[must_use]
    pub fn printed(&self) -> String {
        format!("{}\n{}", self.earlier, self.process.printed())
    }
}

fn serve(data: &Path, listen: &str) -> (Process, SocketAddr) {
    let (data, web) = (data.to_str().unwrap(), dist().to_str().unwrap());
    started(&["serve", "--data", data, "--web", web, "--listen", listen, "--pos-listen", "127.0.0.1:0"])
}

/// A server of these arguments, once it is ready, and where it listens.
pub(crate) fn started(args: &[&str]) -> (Process, SocketAddr) {
    let process = Process::start(qod(), args, &[]);
    let addr = process.line_after("listening on http://").trim_end_matches('/').parse().expect("an address");
    let ready = || crate::http::get(addr, "/readyz", &[]).is_ok_and(|answer| answer.status() == 200).then_some(());
    eventually("/readyz", ready, || process.printed());
    (process, addr)
}

/// The binary: the environment's `QOD_BIN`, else what `cargo build -p qod` makes.
///
/// # Panics
/// It is not there and cannot be built.
#[must_use]
pub fn qod() -> &'static Path {
    static QOD: OnceLock<PathBuf> = OnceLock::new();
    QOD.get_or_init(|| {
        if let Some(given) = std::env::var_os("QOD_BIN").map(PathBuf::from) {
            assert!(given.is_file(), "QOD_BIN names no file: {}", given.display());
            return std::fs::canonicalize(given).unwrap();
        }
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let build = ["build", "-p", "qod", "--message-format", "json-render-diagnostics"];
        let built = Command::new(cargo).args(build).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        let errors = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success(), "`cargo build -p qod` fails (or name a built one by QOD_BIN):\n{errors}");
        let messages = String::from_utf8(built.stdout).unwrap();
        let messages = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let mut made = messages.filter(|message| message["target"]["name"] == "qod");
        made.find_map(|message| Some(PathBuf::from(message["executable"].as_str()?))).expect("cargo says where it lies")
    })
}

/// The built page: the environment's `QOD_DIST`, else `dist/` at the top.
///
/// # Panics
/// It is not there.
#[must_use]
pub fn dist() -> &'static Path {
    static DIST: OnceLock<PathBuf> = OnceLock::new();
    DIST.get_or_init(|| {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../dist");
        let dist = std::env::var_os("QOD_DIST").map_or(top, PathBuf::from);
        assert!(
            dist.join("index.html").is_file(),
            "{} holds no built page: run scripts/build-web, or name one by QOD_DIST",
            dist.display()
        );
        std::fs::canonicalize(dist).unwrap()
    })
}
