//! The load driver: whole games against real servers over loopback. What it measures it prints; what it was told it can
//! hold against the servers at the end. `scripts/load` and `scripts/faults` run it beside the servers and databases.

mod bare;
mod client;
mod cpu;
mod game;
mod journal;
mod report;
mod run;
mod whole;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Drives realistic games against running servers.
#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Play games for a while, and report
    Play(Play),
    /// Look whether every game of a SQLite store has as many events as its version says, in order
    Whole {
        /// The database
        #[arg(long, required_unless_present = "query")]
        sqlite: Option<PathBuf>,
        /// Only print the query that counts the games for which that is not so, for another database
        #[arg(long, conflicts_with = "sqlite")]
        query: bool,
    },
    /// Commit one pick per transaction on SQLite with the server's durability, as fast as one loop can
    BareSqlite {
        /// The folder for the database; made, and emptied of it at the end
        #[arg(long)]
        folder: PathBuf,
        /// For how long, in seconds
        #[arg(long, default_value_t = 10)]
        seconds: u64,
    },
}

/// What `load play` takes.
#[derive(clap::Args)]
pub(crate) struct Play {
    /// A server's address; several where they serve one store: each action goes to any of them
    #[arg(long = "server", value_name = "ADDR:PORT", required = true)]
    servers: Vec<SocketAddr>,
    /// The tickets, as `qod issue` writes them for the printer; those that lose at stage 1 are passed over
    #[arg(long)]
    tickets: PathBuf,
    /// How many of those tickets are passed over first, because an earlier run has played them
    #[arg(long, default_value_t = 0)]
    skip: usize,
    /// How many players play at once
    #[arg(long, default_value_t = 64)]
    clients: usize,
    /// For how long, in seconds
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Stop earlier, as soon as there is a file of this name
    #[arg(long)]
    until: Option<PathBuf>,
    /// How many actions a second, in all, are sent at the most; without it, as many as are answered. With it a latency counts
    /// from the instant at which the action was due
    #[arg(long)]
    rate: Option<u32>,
    /// How long an answer may take, in milliseconds: then the same action is sent again, to any of the servers
    #[arg(long, default_value_t = 10_000)]
    answer_within: u64,
    /// A process whose CPU time is reported, with that of its children
    #[arg(long = "watch", value_name = "NAME=PID")]
    watched: Vec<String>,
    /// Keep what each player was told, send each action once more at the end, and compare to the byte
    #[arg(long)]
    check: bool,
    /// Report as one line of JSON
    #[arg(long)]
    json: bool,
    /// Which games are played: the same seed picks the same numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Play(args) => run::run(&args),
        Command::Whole { sqlite, .. } => whole::run(sqlite.as_deref()),
        Command::BareSqlite { folder, seconds } => bare::run(&folder, seconds),
    }
}
