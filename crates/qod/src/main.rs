//! The one binary. Time, randomness, keys and settings enter here and are passed down.

mod acknowledged;
mod audit;
mod backup;
mod close;
mod codes;
mod config;
mod data;
mod fairness;
mod import;
mod issue;
mod keys;
mod keys_command;
mod operator;
mod pay;
mod pos;
mod progress;
mod receipt_keys;
mod serve;
mod simulate;
mod store_args;
mod verify;
mod verify_receipts;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// « Quitte ou Double »: issue tickets, serve the game, pay, and verify what was played.
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the page and the players' API
    Serve(Box<serve::Settings>),
    /// Issue a block of tickets and import it
    Issue(issue::Args),
    /// Import a block of tickets from the file that its issuer gives
    Import(import::Args),
    /// Print the link, codes of each kind of an issued demo block, and a QR code
    Codes(codes::Args),
    /// Close an emission: give the closing date of its notice
    Close(close::Args),
    /// Suspend new games of an emission; running games go on
    Suspend(operator::suspend::Args),
    /// Allow new games of an emission again
    Resume(operator::suspend::Args),
    /// Void a running game after a fault of the operator's: its last acquired gain becomes payable
    Void(operator::void::Args),
    /// Print everything that happened to a ticket
    History(operator::history::Args),
    /// Export what happened in a period, as CSV or JSON lines
    Export(operator::export::Args),
    /// Settle every game whose 30 days have ended
    Sweep(operator::sweep::Args),
    /// Copy the SQLite database while servers use it
    Backup(backup::Args),
    /// Pay what is payable on a ticket (its control code is read from standard input), or take a payment back
    Pay(pay::Args),
    /// Add, list, disable or enable points of sale
    Pos(pos::Args),
    /// List the receipt keys, or make a new one
    Keys(keys_command::Args),
    /// Export or verify the audit log
    Audit(audit::Args),
    /// Draw many sealed games and test them against their law
    Fairness(fairness::Args),
    /// Play a strategy many times by the rules, beside its exact odds
    Simulate(simulate::Args),
    /// Verify a saved game
    Verify(verify::Args),
}

/// The command whose settings may stand in a file.
const SERVE: &str = "serve";

/// The command, with the settings of its file.
fn parsed() -> anyhow::Result<Command> {
    let command = Cli::command();
    let matches = command.clone().get_matches();
    let matches = match config::named(&matches, SERVE) {
        Some(path) => config::with_file(command, SERVE, &path)?.get_matches(),
        None => matches,
    };
    Ok(Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()).command)
}

fn main() -> ExitCode {
    let done = match parsed() {
        Err(error) => Err(error),
        Ok(Command::Serve(settings)) => serve::run(*settings, &config::unknown_in_environment(&Cli::command(), SERVE)),
        Ok(Command::Issue(args)) => issue::run(&args),
        Ok(Command::Codes(args)) => codes::run(&args),
        Ok(Command::Close(args)) => close::run(&args),
        Ok(Command::Import(args)) => import::run(&args),
        Ok(Command::Suspend(args)) => operator::suspend::run(&args, false),
        Ok(Command::Resume(args)) => operator::suspend::run(&args, true),
        Ok(Command::Void(args)) => operator::void::run(&args),
        Ok(Command::History(args)) => operator::history::run(&args),
        Ok(Command::Export(args)) => operator::export::run(&args),
        Ok(Command::Sweep(args)) => operator::sweep::run(&args),
        Ok(Command::Backup(args)) => backup::run(&args),
        Ok(Command::Pay(args)) => pay::run(&args),
        Ok(Command::Pos(args)) => pos::run(&args),
        Ok(Command::Keys(args)) => keys_command::run(&args),
        Ok(Command::Audit(args)) => audit::run(&args),
        Ok(Command::Fairness(args)) => fairness::run(&args),
        Ok(Command::Simulate(args)) => simulate::run(&args),
        Ok(Command::Verify(args)) => return verify::run(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("qod: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn every_command_and_flag_is_well_defined() {
        super::Cli::command().debug_assert();
    }
}
