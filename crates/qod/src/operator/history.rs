//! `qod history`: everything that happened to a ticket, in order. What is not opened yet is not told: not even the draw key is read.

use std::sync::Arc;

use rules::{Amount, Event, Game, TicketNumber};
use seal::json::Writer;
use seal::receipt::KeyId;
use server::audit::{Entry, Kind};
use server::records;
use store::{KeptEntry, TicketRecord};

use super::{By, find, ticket_number, words};
use crate::audit::record;
use crate::data::{block_on, print};
use crate::store_args::StoreArgs;

/// What `qod history` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// The ticket's number, as 001-0001-0000123
    #[arg(long, value_parser = ticket_number)]
    ticket: TicketNumber,
    /// As one JSON document, for machines
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    by: By,
}

/// Prints it. That somebody looked is recorded.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let person = args.by.person()?;
    let (found, entries) = block_on(async {
        let store = args.store.open().await?;
        let found = find(&*store, args.ticket).await?;
        let entries = store.entries(found.ticket.id).await?;
        let entry = Entry::new(Kind::Looked)
            .text("what", "the history of a ticket")
            .text("ticket", args.ticket.to_string())
            .text("who", &person);
        record(Arc::clone(&store), &args.store.data, "history", entry).await?;
        store.close().await?;
        Ok((found, entries))
    })?;
    let history = History::of(&found, entries)?;
    print(&if args.json { history.json(args.ticket) } else { history.text(args.ticket) })
}

struct History {
    potential_gain_eur: u32,
    lines: Vec<Line>,
    game: Option<Game>,
}

struct Line {
    at: store::Millis,
    event: Event,
    after: Game,
    /// Its index among the player's actions.
    seq: Option<u32>,
    /// The key that signed its receipt.
    receipt: Option<KeyId>,
    entry: Option<KeptEntry>,
}

impl History {
    fn of(record: &TicketRecord, mut entries: Vec<KeptEntry>) -> anyhow::Result<Self> {
        let potential_gain_eur = record.ticket.potential_gain_eur;
        let Some(ticket) = records::ticket(record, records::terms(&record.emission)?)? else {
            return Ok(Self { potential_gain_eur, lines: Vec::new(), game: None });
        };
        let mut game = Game::new(ticket.potential_gain);
        let mut lines = Vec::with_capacity(ticket.events.len());
        for (position, (recorded, signed)) in ticket.events.iter().zip(&ticket.receipts).enumerate() {
            let seq = game.seq();
            game = game
                .apply(*recorded)
                .map_err(|_| anyhow::anyhow!("event {position} does not follow from those before it"))?;
            let its = entries.iter().position(|entry| entry.position as usize == position);
            lines.push(Line {
                at: records::millis(recorded.at),
                event: recorded.event,
                after: game,
                seq: (game.seq() > seq).then_some(seq),
                receipt: signed.map(|signed| signed.key),
                entry: its.map(|at| entries.swap_remove(at)),
            });
        }
        Ok(Self { potential_gain_eur, lines, game: Some(game) })
    }

    fn text(&self, ticket: TicketNumber) -> String {
        let Some(game) = &self.game else { return format!("Ticket {ticket} lost at stage 1: it has no game.\n") };
        let mut text = format!("Ticket {ticket}, potential gain {} €\n", self.potential_gain_eur);
        for line in &self.lines {
            let seq = line.seq.map_or("–".to_owned(), |seq| seq.to_string());
            let receipt = line.receipt.map_or(String::new(), |key| format!("  (receipt by key {key})"));
            text += &format!(
                "{}  {seq:>3}  {}{receipt}\n",
                words::instant(line.at),
                words::event(&line.event, &line.after)
            );
            if let Some(kept) = &line.entry {
                text += &format!("{:>31}{}\n", "", words::entry(&kept.entry));
            }
        }
        text + &format!("Now: {}.\n", words::state(game))
    }

    fn json(&self, ticket: TicketNumber) -> String {
        let mut w = Writer::new();
        w.object(|w| {
            w.key("ticket_number").string(&ticket.to_string());
            w.key("potential_gain_eur").int(self.potential_gain_eur.into());
            w.key("events").array(|w| {
                for line in &self.lines {
                    w.object(|w| {
                        w.key("at").string(&words::instant(line.at));
                        if let Some(seq) = line.seq {
                            w.key("seq").int(seq.into());
                        }
                        w.key("event").string(words::event_name(&line.event));
                        w.key("says").string(&words::event(&line.event, &line.after));
                        if let Some(key) = line.receipt {
                            w.key("receipt_key").string(&key.to_string());
                        }
                        if let Some(kept) = &line.entry {
                            w.key("ledger").string(&words::entry(&kept.entry));
                        }
                    });
                }
            });
            if let Some(game) = &self.game {
                w.key("state").string(protocol::StateName::of(&game.state()).as_str());
                if let Some(payable) = game.payable() {
                    w.key("payable_eur").int(Amount::eur(payable.amount));
                    w.key("paid").bool(payable.paid);
                }
            }
        });
        w.finish() + "\n"
    }
}
