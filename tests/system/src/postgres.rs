//! Servers beside each other over one PostgreSQL, and players who go on whatever happens to it.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rules::Palier;
use seal::DrawKey;
use tempfile::TempDir;

use crate::chance::Chance;
use crate::http::Message;
use crate::layout::Layout;
use crate::player::{Deed, Player, enter};
use crate::process::Process;
use crate::service::{qod, started};
use crate::tickets::{Ticket, read_block, read_draw_key};

/// How long a player waits before the same action is sent again.
const PAUSE: Duration = Duration::from_millis(20);

/// A data directory with a block of 20 €, and the smallest page: what each server is given beside its store.
pub struct House {
    folder: TempDir,
}

/// A running server.
pub struct Served {
    process: Process,
    /// Where it listens.
    pub addr: SocketAddr,
}

impl House {
    /// Issues a block of so many tickets, every one of which wins.
    ///
    /// # Panics
    /// It cannot be issued.
    #[must_use]
    #[track_caller]
    pub fn issue(tickets: usize) -> Self {
        let folder = tempfile::Builder::new().prefix("qod-test-").tempdir().unwrap();
        std::fs::write(folder.path().join("index.html"), "<!doctype html><title>Quitte ou Double</title>").unwrap();
        let lots = format!(
            r#"{{"source":"a test","tickets":{tickets},"lots":[{{"lots":{tickets},"potential_gain_eur":20}}]}}"#
        );
        let file = folder.path().join("lots.json");
        std::fs::write(&file, lots).unwrap();
        let house = Self { folder };
        house.qod(&["issue", "--emission", "1", "--lots", file.to_str().unwrap()]);
        house
    }

    /// Where the keys and the tickets are.
    #[must_use]
    pub fn data(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a command of the operator's on the data directory.
    ///
    /// # Panics
    /// It fails.
    #[track_caller]
    pub fn qod(&self, args: &[&str]) -> String {
        let output = Command::new(qod()).args(args).arg("--data").arg(self.data()).output().unwrap();
        assert!(output.status.success(), "qod {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Imports the block into a PostgreSQL database.
    pub fn import(&self, store: &str) {
        let block = self.data().join("blocks/001-0001.json");
        self.qod(&["import", "--by", "test", "--store", store, block.to_str().unwrap()]);
    }

    /// A server over that database.
    #[must_use]
    #[track_caller]
    pub fn serve(&self, store: &str) -> Served {
        let data = self.data().to_str().unwrap();
        let (process, addr) =
            started(&["serve", "--store", store, "--data", data, "--web", data, "--listen", "127.0.0.1:0"]);
        Served { process, addr }
    }

    /// Why no server is started over that database.
    ///
    /// # Panics
    /// One would be.
    #[must_use]
    #[track_caller]
    pub fn refuses(&self, store: &str) -> String {
        let data = self.data().to_str().unwrap();
        let checked = ["serve", "--check-config", "--store", store, "--data", data, "--web", data];
        let output = Command::new(qod()).args(checked).args(["--listen", "127.0.0.1:0"]).output().unwrap();
        assert!(!output.status.success(), "it would be served");
        String::from_utf8(output.stderr).unwrap()
    }

    /// The tickets.
    #[must_use]
    pub fn tickets(&self) -> Vec<Ticket> {
        read_block(self.data(), 1)
    }

    /// The key of the draws.
    #[must_use]
    pub fn draw_key(&self) -> DrawKey {
        read_draw_key(self.data(), 1)
    }
}

impl Served {
    /// SIGTERM, and its end in order.
    ///
    /// # Panics
    /// It ends otherwise.
    #[track_caller]
    pub fn end(mut self) {
        self.process.ask_to_end();
        let status = self.process.ended();
        assert!(status.success(), "{status}: {}", self.printed());
    }

    /// All that it has printed.
    #[must_use]
    pub fn printed(&self) -> String {
        self.process.printed()
    }
}

/// A game, as its player knows it.
pub struct Journal {
    player: Player,
    told: Vec<(Deed, String)>,
}

/// Players who take one ticket after the other, at any of the servers.
pub struct Load<'a> {
    house: &'a House,
    servers: Vec<SocketAddr>,
    tickets: Mutex<std::vec::IntoIter<Ticket>>,
    stop: AtomicBool,
    answered: AtomicUsize,
    pauses: Mutex<(Instant, Duration)>,
}

impl<'a> Load<'a> {
    /// Over the tickets of a house, at these servers.
    #[must_use]
    pub fn new(house: &'a House, servers: &[&Served]) -> Self {
        Self {
            house,
            servers: servers.iter().map(|served| served.addr).collect(),
            tickets: Mutex::new(house.tickets().into_iter()),
            stop: AtomicBool::new(false),
            answered: AtomicUsize::new(0),
            pauses: Mutex::new((Instant::now(), Duration::ZERO)),
        }
    }

    /// Lets so many players play while `meanwhile` happens, which is at its end the end of their play; gives what they
    /// were told.
    ///
    /// # Panics
    /// An action is refused, or the tickets run out.
    #[track_caller]
    pub fn run(&self, players: usize, meanwhile: impl FnOnce(&Self)) -> Vec<Journal> {
        let mut chance = Chance::new();
        std::thread::scope(|scope| {
            let players: Vec<_> = (0..players)
                .map(|_| {
                    let chance = chance.branch();
                    scope.spawn(move || self.play(chance))
                })
                .collect();
            // Also where it fails, so that nobody plays on for ever.
            let _stop = Stops(&self.stop);
            meanwhile(self);
            drop(_stop);
            players.into_iter().flat_map(|player| player.join().unwrap()).collect()
        })
    }

    /// Waits until so many more actions are answered.
    ///
    /// # Panics
    /// They are not.
    #[track_caller]
    pub fn goes_on(&self, more: usize) {
        let goal = self.answered.load(Ordering::SeqCst) + more;
        let there = || (self.answered.load(Ordering::SeqCst) >= goal).then_some(());
        crate::eventually("further answers", there, || format!("{} of {goal}", self.answered.load(Ordering::SeqCst)));
    }

    /// The longest time so far in which nobody was answered.
    pub fn longest_pause(&self) -> Duration {
        self.pauses.lock().unwrap().1
    }

    fn play(&self, mut chance: Chance) -> Vec<Journal> {
        let (key, mut games) = (self.house.draw_key(), Vec::new());
        while !self.stop.load(Ordering::SeqCst) {
            let ticket = self.tickets.lock().unwrap().next().expect("a ticket is left");
            let seed = chance.seed();
            let opened = self.until_answered(&mut chance, |addr| enter(addr, &ticket.code));
            let player = Player::opened(self.servers[0], &opened, seed);
            let layout = Layout::new(&key, &ticket, &player.seed);
            let deeds = match chance.below(6) {
                0 => layout.lose_after(chance.below(18)),
                at => layout.win_at(Palier::ALL[at.min(4) - 1]),
            };
            let mut told = Vec::new();
            for (seq, deed) in (0..).zip(deeds) {
                let answer = self.until_answered(&mut chance, |addr| player.at(addr).send(seq, deed));
                told.push((deed, answer.text().to_owned()));
            }
            games.push(Journal { player, told });
        }
        games
    }

    /// Sends until it is answered, now to the one and now to the other server.
    fn until_answered(&self, chance: &mut Chance, send: impl Fn(SocketAddr) -> std::io::Result<Message>) -> Message {
        loop {
            match send(self.servers[chance.below(self.servers.len())]) {
                Ok(answer) if matches!(answer.status(), 429 | 500 | 503) => {}
                Ok(answer) => {
                    let mut pauses = self.pauses.lock().unwrap();
                    *pauses = (Instant::now(), pauses.1.max(pauses.0.elapsed()));
                    self.answered.fetch_add(1, Ordering::SeqCst);
                    return answer.expect(200);
                }
                Err(_) => {}
            }
            std::thread::sleep(PAUSE);
        }
    }
}

struct Stops<'a>(&'a AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Journal {
    /// Sends every action once more to a server: it must get the very same answer.
    ///
    /// # Panics
    /// It gets another one, or none.
    #[track_caller]
    pub fn holds(&self, addr: SocketAddr) {
        let player = self.player.at(addr);
        for (seq, (deed, told)) in (0..).zip(&self.told) {
            assert_eq!(player.send(seq, *deed).unwrap().expect(200).text(), told, "action {seq}");
        }
    }

    /// How many actions were answered.
    #[must_use]
    pub fn actions(&self) -> usize {
        self.told.len()
    }
}
