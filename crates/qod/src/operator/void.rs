//! `qod void`: ends a running game after a fault of the operator's. Its last acquired gain becomes payable.

use std::sync::Arc;

use anyhow::{bail, ensure};
use rules::game::VoidReason;
use rules::{Amount, Command, Refusal, TicketNumber};
use server::audit::{Entry, Kind};
use server::records;
use store::{Append, Appended, Label, LedgerEntry, OperatorAct, Store};

use super::{By, at_play, find, said, ticket_number, words};
use crate::audit::record;
use crate::data::{block_on, now};
use crate::store_args::StoreArgs;

/// What `qod void` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// The ticket's number, as 001-0001-0000123
    #[arg(long, value_parser = ticket_number)]
    ticket: TicketNumber,
    /// What went wrong
    #[arg(long, value_enum)]
    reason: Reason,
    #[command(flatten)]
    by: By,
    /// Why, in words: for the ticket's history and for the regulator
    #[arg(long, value_name = "TEXT", value_parser = said)]
    why: String,
}

/// The reasons of [`VoidReason`].
#[derive(Clone, Copy, clap::ValueEnum)]
enum Reason {
    /// The draw cannot be opened any more, for example because its key is lost
    DrawLost,
    /// The service failed the player in some other way
    Malfunction,
    /// A dispute or an authority asked for it
    Dispute,
}

impl From<Reason> for VoidReason {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::DrawLost => Self::DrawLost,
            Reason::Malfunction => Self::Malfunction,
            Reason::Dispute => Self::Dispute,
        }
    }
}

/// Voids the game.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let (person, reason) = (args.by.person()?, VoidReason::from(args.reason));
    let payable = block_on(async {
        let store = args.store.open().await?;
        let payable = void(&*store, args.ticket, reason, &person, &args.why).await?;
        let entry = Entry::new(Kind::Voided)
            .text("ticket", args.ticket.to_string())
            .text("reason", words::void_reason(reason))
            .int("payable_eur", payable.eur())
            .text("who", &person)
            .text("why", &args.why);
        record(Arc::clone(&store), &args.store.data, "void", entry).await?;
        store.close().await?;
        Ok(payable)
    })?;
    println!("The game of ticket {} is void: {} € can be paid.", args.ticket, payable.eur());
    Ok(())
}

/// Voids a running game; gives what becomes payable.
async fn void(
    store: &dyn Store,
    number: TicketNumber,
    reason: VoidReason,
    who: &str,
    why: &str,
) -> anyhow::Result<Amount> {
    loop {
        let record = find(store, number).await?;
        let ticket = at_play(&record, number)?;
        let game = ticket.game()?;
        let (append, next) = match ticket.operate_on(&game, Command::Void(reason), now()) {
            Ok(operated) => operated,
            Err(Refusal::FinishTooLate) => bail!(
                "the 30 days of ticket {number} have ended: it is settled as expired, by `qod sweep` or when it is next \
                 looked at"
            ),
            Err(Refusal::NotStarted) => {
                bail!("the game of ticket {number} has not been started: there is nothing to void")
            }
            Err(_) => bail!("the game of ticket {number} is over: {}", words::state(&game)),
        };
        let act = OperatorAct {
            what: Label::new("void")?,
            who: who.to_owned(),
            why: why.to_owned(),
            at: records::millis(append.at),
        };
        let append = Append { entry: Some(LedgerEntry::Act(act)), ..records::append(record.ticket.id, append)? };
        match store.append(append).await? {
            Appended::Now(_) => return Ok(next.payable().map_or(Amount::ZERO, |payable| payable.amount)),
            Appended::Moved => {}
            Appended::Stands(_) => ensure!(false, "the ledger has another entry in its place: see `qod history`"),
        }
    }
}
