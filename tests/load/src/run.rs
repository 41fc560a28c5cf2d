//! A run: players beside each other on one thread, what they measured, and the comparison at the end.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use hdrhistogram::Histogram;
use tokio::task::LocalSet;
use tokio::time::{Instant, sleep_until};

use crate::Play;
use crate::cpu::Watched;
use crate::game::{Kind, Player};
use crate::journal::Journal;
use crate::report::{Measured, Used};

/// How many players hold their games against the servers at once, at the end.
const CHECKERS: usize = 16;

/// How often a run looks whether it should stop.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What all players of a run share; they all live on one thread.
pub(crate) struct Shared {
    pub(crate) servers: Vec<SocketAddr>,
    pub(crate) check: bool,
    /// How long an answer may take.
    pub(crate) answer_within: Duration,
    codes: Vec<String>,
    next: Cell<usize>,
    over: Cell<bool>,
    pace: Option<Pace>,
    latencies: RefCell<[Histogram<u64>; 4]>,
    unanswered: Cell<u64>,
    refused: Cell<u64>,
    last_answer: Cell<Option<Instant>>,
    longest_pause: Cell<Duration>,
    journals: RefCell<Vec<Journal>>,
}

/// A steady stream of actions: each takes the next instant.
struct Pace {
    every: Duration,
    next: Cell<Instant>,
}

impl Shared {
    /// The code of the next ticket that nobody plays yet; none where the time is over.
    pub(crate) fn next_ticket(&self) -> Option<&str> {
        if self.over.get() {
            return None;
        }
        let at = self.next.replace(self.next.get() + 1);
        self.codes.get(at).map(String::as_str)
    }

    /// Waits for this action's turn and says when it was; none without a pace.
    pub(crate) async fn due(&self) -> Option<Instant> {
        let pace = self.pace.as_ref()?;
        let due = pace.next.replace(pace.next.get() + pace.every);
        sleep_until(due).await;
        Some(due)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.get()
    }

    pub(crate) fn answered(&self, kind: Kind, after: Duration) {
        let now = Instant::now();
        if let Some(last) = self.last_answer.replace(Some(now)) {
            self.longest_pause.set(self.longest_pause.get().max(now - last));
        }
        let micros = u64::try_from(after.as_micros()).unwrap_or(u64::MAX);
        if let Some(histogram) = self.latencies.borrow_mut().get_mut(kind as usize) {
            histogram.saturating_record(micros.max(1));
        }
    }

    pub(crate) fn unanswered(&self) {
        self.unanswered.set(self.unanswered.get() + 1);
    }

    pub(crate) fn refused(&self) {
        self.refused.set(self.refused.get() + 1);
    }

    pub(crate) fn keep(&self, journal: Journal) {
        self.journals.borrow_mut().push(journal);
    }
}

/// Plays, reports, and compares where that is asked for.
pub(crate) fn run(args: &Play) -> anyhow::Result<()> {
    let codes = codes(args)?;
    ensure!(!codes.is_empty(), "there is no ticket left to play in {}", args.tickets.display());
    let watched = args.watched.iter().map(|text| Watched::parse(text));
    let watched: Vec<_> = watched.chain([Ok(Watched::own())]).collect::<Result<_, _>>()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(LocalSet::new().run_until(async {
        let shared: &'static Shared = Box::leak(Box::new(shared(args, codes)?));
        let measured = play(args, shared, &watched).await?;
        measured.print(args.json);
        ensure!(measured.games < shared.codes.len(), "the tickets ran out before the time: issue more of them");
        if args.check { hold(args, shared).await } else { Ok(()) }
    }))
}

fn codes(args: &Play) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(&args.tickets);
    let text = text.with_context(|| format!("cannot read {}", args.tickets.display()))?;
    let tickets = text.lines().skip(1).filter_map(|line| {
        let mut fields = line.split(',').skip(2);
        let (code, gain) = (fields.next()?, fields.next()?);
        (gain != "0").then(|| code.to_owned())
    });
    Ok(tickets.skip(args.skip).collect())
}

fn shared(args: &Play, codes: Vec<String>) -> anyhow::Result<Shared> {
    // Three significant digits, up to a minute.
    let histogram = || Histogram::new_with_bounds(1, 60_000_000, 3);
    let pace =
        args.rate.map(|rate| Pace { every: Duration::from_secs(1) / rate.max(1), next: Cell::new(Instant::now()) });
    Ok(Shared {
        servers: args.servers.clone(),
        check: args.check,
        answer_within: Duration::from_millis(args.answer_within),
        codes,
        next: Cell::new(0),
        over: Cell::new(false),
        pace,
        latencies: RefCell::new([histogram()?, histogram()?, histogram()?, histogram()?]),
        unanswered: Cell::new(0),
        refused: Cell::new(0),
        last_answer: Cell::new(None),
        longest_pause: Cell::new(Duration::ZERO),
        journals: RefCell::new(Vec::new()),
    })
}

async fn play(args: &Play, shared: &'static Shared, watched: &[Watched]) -> anyhow::Result<Measured> {
    let before: Vec<u64> = watched.iter().map(Watched::cpu_millis).collect();
    let begun = Instant::now();
    let players = (0..args.clients as u64).map(|client| {
        let seed = args.seed.wrapping_mul(1 << 32).wrapping_add(client + 1);
        tokio::task::spawn_local(async move { Player::new(shared, seed).play_all().await })
    });
    let players: Vec<_> = players.collect();
    let stop = || args.until.as_ref().is_some_and(|file| file.exists());
    while begun.elapsed() < Duration::from_secs(args.seconds) && !stop() {
        let left = Duration::from_secs(args.seconds).saturating_sub(begun.elapsed());
        tokio::time::sleep(left.min(LOOK_EVERY)).await;
    }
    let lasted = begun.elapsed();
    let used = watched.iter().zip(before).map(|(watched, before)| Used {
        name: watched.name.clone(),
        cpu_millis: watched.cpu_millis().saturating_sub(before),
        resident_kib: watched.resident_kib(),
    });
    let used = used.collect();
    let latencies = shared.latencies.borrow().clone();
    shared.over.set(true);
    for player in players {
        player.await??;
    }
    Ok(Measured {
        clients: args.clients,
        lasted,
        latencies,
        games: shared.next.get(),
        unanswered: shared.unanswered.get(),
        refused: shared.refused.get(),
        longest_pause: shared.longest_pause.get(),
        used,
    })
}

/// Sends every answered action once more, and fails where one is answered differently.
async fn hold(args: &Play, shared: &'static Shared) -> anyhow::Result<()> {
    let journals = shared.journals.take();
    let (games, actions) = (journals.len(), journals.iter().map(|journal| journal.sent.len()).sum::<usize>());
    let mut shares: Vec<Vec<Journal>> = (0..CHECKERS).map(|_| Vec::new()).collect();
    for (at, journal) in journals.into_iter().enumerate() {
        shares.get_mut(at % CHECKERS).context("a share")?.push(journal);
    }
    let checks = (1..).zip(shares).map(|(seed, share)| {
        tokio::task::spawn_local(async move {
            let (mut player, mut wrong) = (Player::new(shared, seed), Vec::new());
            for journal in &share {
                wrong.extend(player.hold(journal).await?);
            }
            anyhow::Ok(wrong)
        })
    });
    let mut wrong = Vec::new();
    for check in checks.collect::<Vec<_>>() {
        wrong.extend(check.await??);
    }
    for line in wrong.iter().take(20) {
        eprintln!("{line}");
    }
    ensure!(wrong.is_empty(), "{} of {actions} acknowledged actions are lost or answered differently", wrong.len());
    if !args.json {
        println!("{actions} acknowledged actions of {games} games were sent again: each has the very same answer");
    }
    Ok(())
}
