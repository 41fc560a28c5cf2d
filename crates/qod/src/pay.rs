//! `qod pay`: pays what is payable on a ticket, once, as a point of sale does.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use engine::Table;
use rules::{Amount, Command, ControlCode, Refusal, TicketNumber};
use server::records;
use store::{Appended, SqliteStore, Store as _};
use subtle::ConstantTimeEq as _;

use crate::data::{block_on, now, open_store};
use crate::keys::read_keys;

/// What `qod pay` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The data directory
    #[arg(long)]
    data: PathBuf,
    /// The ticket's number, as 001-0001-0000123
    #[arg(long, value_parser = ticket_number)]
    ticket: TicketNumber,
}

/// Pays the ticket whose control code is read from standard input.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    eprintln!("Control code of ticket {} (under the layer of stage 1):", args.ticket);
    let mut line = String::new();
    std::io::stdin().read_line(&mut line)?;
    let control = line.trim().parse();
    let control: ControlCode = control
        .map_err(|_| anyhow::anyhow!("that is no control code: 8 letters and digits, without 0, 1, I, L and O"))?;
    let paid = block_on(async {
        let store = open_store(&args.data)?;
        let paid = pay(&store, &args.data, args.ticket, &control).await?;
        store.close().await?;
        Ok(paid)
    })?;
    println!("Paid: {} €", paid.eur());
    Ok(())
}

/// Pays what is payable on a ticket. Whatever else happens to it at the same time, it is paid once.
pub(crate) async fn pay(
    store: &SqliteStore,
    data: &Path,
    number: TicketNumber,
    control: &ControlCode,
) -> anyhow::Result<Amount> {
    let keys = read_keys(data, number.emission())?;
    let stored = store::TicketNumber { emission: number.emission(), block: number.block(), serial: number.serial() };
    let id = store.find_by_number(stored).await?;
    // The same words for an unknown number and a wrong control code: neither is told apart.
    let mismatch = || anyhow::anyhow!("no ticket {number} with that control code");
    let id = id.ok_or_else(mismatch)?;
    loop {
        let record = store.load(id).await?.ok_or_else(mismatch)?;
        let hash = keys.pepper.control_hash(number, control);
        if !bool::from(hash.ct_eq(&record.ticket.control_hash.0)) {
            return Err(mismatch());
        }
        let emission = store.emission(number.emission()).await?.context("its emission is not in the store")?;
        let Some(ticket) = records::ticket(&record, records::terms(&emission)?)? else {
            bail!("ticket {number} lost at stage 1: there is nothing to pay");
        };
        let table = Table::new(ticket, &keys.draw)?;
        // A game whose time has ended is settled first: that may make a gain payable.
        let (append, paid) = match table.settle(now()) {
            Some(expiry) => (expiry, None),
            None => {
                let append = table.operate(Command::Pay, now()).map_err(|refusal| refused(number, refusal))?;
                (append, table.game().payable().map(|payable| payable.amount))
            }
        };
        let kept = store.append(records::append(id, append)?).await?;
        if let (Appended::Now(_), Some(amount)) = (kept, paid) {
            return Ok(amount);
        }
    }
}

fn refused(number: TicketNumber, refusal: Refusal) -> anyhow::Error {
    let why = match refusal {
        Refusal::StillRunning => "its game is running: nothing is payable before its end",
        Refusal::NothingToPay => "its game ended without a gain",
        Refusal::PaidAlready => "it was paid already",
        Refusal::PayTooLate => "its emission's time to be paid has ended",
        _ => "it cannot be paid now",
    };
    anyhow::anyhow!("ticket {number}: {why}")
}

fn ticket_number(text: &str) -> Result<TicketNumber, String> {
    text.parse().map_err(|_| "a ticket number is written as 001-0001-0000123".to_owned())
}
