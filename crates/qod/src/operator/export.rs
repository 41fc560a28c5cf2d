//! `qod export`: what happened in a period, as lines for other programs (`docs/operator.md` has the columns).

use std::io::{ErrorKind, Write};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use engine::codec;
use jiff::civil::Date;
use rules::{Event, Game, TicketNumber};
use seal::hash::to_hex;
use seal::json::Writer;
use server::audit::{Entry, Kind};
use server::records;
use store::{ExportedEvent, KeptEntry, LedgerEntry, Millis, Page, Period, Store};

use super::{By, words};
use crate::audit::record;
use crate::data::block_on;
use crate::store_args::StoreArgs;

/// How many rows are read at once.
const PAGE: u32 = 1000;

/// What `qod export` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// What to export
    #[arg(value_enum)]
    what: What,
    /// From this day on, in Europe/Paris (2026-11-30), or from this instant on (2026-11-30T12:00:00Z)
    #[arg(long, value_name = "WHEN", value_parser = instant)]
    from: Millis,
    /// Until that day begins, or until that instant
    #[arg(long, value_name = "WHEN", value_parser = instant)]
    to: Millis,
    /// How the lines are written
    #[arg(long, value_enum, default_value = "csv")]
    format: Format,
    #[command(flatten)]
    by: By,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    /// Every event of every game
    Events,
    /// Every game that ended, as it ended
    Games,
    /// Payments, reversals and the operator's acts
    Ledger,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Format {
    /// With a line of names (RFC 4180)
    Csv,
    /// One JSON object a line
    Jsonl,
}

/// Exports to standard output. That somebody did is recorded.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    ensure!(args.from < args.to, "the period is empty: --from comes before --to");
    let person = args.by.person()?;
    block_on(async {
        let store = args.store.open().await?;
        let what = match args.what {
            What::Events => "an export of events",
            What::Games => "an export of games",
            What::Ledger => "an export of the ledger",
        };
        let entry = Entry::new(Kind::Looked)
            .text("what", what)
            .text("from", words::instant(args.from))
            .text("to", words::instant(args.to))
            .text("who", &person);
        record(Arc::clone(&store), &args.store.data, "export", entry).await?;
        let out = std::io::BufWriter::new(std::io::stdout().lock());
        let period = Period { from: args.from, to: args.to };
        let written = export(&*store, args.what, period, Lines::new(args.format, args.what, out)).await;
        store.close().await?;
        match written.as_ref().map_err(|error| error.downcast_ref::<std::io::Error>().map(std::io::Error::kind)) {
            // Whoever reads it has enough.
            Err(Some(ErrorKind::BrokenPipe)) => Ok(()),
            _ => written,
        }
    })
}

async fn export(store: &dyn Store, what: What, period: Period, mut out: Lines<impl Write>) -> anyhow::Result<()> {
    let mut page = Page { period, after: None, limit: PAGE };
    out.names()?;
    loop {
        let end;
        let rows = match what {
            What::Events => {
                let found = store.export_events(page).await?;
                page.after = found.last().map(ExportedEvent::cursor);
                end = found.len() < PAGE as usize;
                found.iter().map(event).collect::<anyhow::Result<Vec<_>>>()?
            }
            What::Games => {
                let found = store.export_events(page).await?;
                page.after = found.last().map(ExportedEvent::cursor);
                end = found.len() < PAGE as usize;
                let mut rows = Vec::new();
                for exported in &found {
                    rows.extend(game(store, exported).await?);
                }
                rows
            }
            What::Ledger => {
                let found = store.export_entries(page).await?;
                page.after = found.last().map(KeptEntry::cursor);
                end = found.len() < PAGE as usize;
                found.iter().map(entry).collect::<anyhow::Result<Vec<_>>>()?
            }
        };
        for row in &rows {
            out.line(row)?;
        }
        if end {
            return out.end();
        }
    }
}

const EVENT: [&str; 7] = ["at", "ticket_number", "position", "event", "number", "multiplier", "void_reason"];
const ENTRY: [&str; 9] =
    ["at", "ticket_number", "position", "kind", "payment_id", "point_of_sale", "amount_eur", "who", "why"];

const GAME: [&str; 9] = [
    "ended_at",
    "ticket_number",
    "started_at",
    "state",
    "potential_gain_eur",
    "picks",
    "palier",
    "multipliers",
    "gain_eur",
];

type Row = Vec<Cell>;

enum Cell {
    Nothing,
    Text(String),
    Int(u64),
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(cell: Option<T>) -> Self {
        cell.map_or(Self::Nothing, T::into)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Int(number)
    }
}

/// A game, with the event that ended it; none for any other event.
async fn game(store: &dyn Store, exported: &ExportedEvent) -> anyhow::Result<Option<Row>> {
    let ends = match codec::decode(&exported.event.payload)? {
        Event::Quit | Event::Losing(_) | Event::Expired | Event::Voided(_) | Event::PalierReached(..) => true,
        Event::Started { .. } | Event::Good(_) | Event::WentOn | Event::Paid | Event::PaymentReversed => false,
    };
    if !ends {
        return Ok(None);
    }
    let record = store.load(exported.ticket).await?.context("an exported ticket is gone")?;
    let number = printed(exported.number)?;
    let ticket = super::at_play(&record, number)?;
    let game = Game::fold(ticket.potential_gain, ticket.events.iter().take(exported.position as usize + 1).copied());
    let game = game.map_err(|_| anyhow::anyhow!("the events of ticket {number} do not follow from each other"))?;
    if !game.is_over() {
        return Ok(None);
    }
    let multipliers: Vec<_> = game.multipliers().iter().map(|multiplier| multiplier.factor().to_string()).collect();
    Ok(Some(vec![
        words::instant(exported.event.at).into(),
        number.to_string().into(),
        game.start().map(|start| words::instant(records::millis(start.at))).into(),
        protocol::StateName::of(&game.state()).as_str().into(),
        u64::from(game.potential_gain().eur()).into(),
        (game.picks().count() as u64).into(),
        u64::from(game.palier_reached().map_or(0, rules::Palier::rank)).into(),
        multipliers.join(" ").into(),
        game.gain().map(rules::Amount::eur).into(),
    ]))
}

fn event(exported: &ExportedEvent) -> anyhow::Result<Row> {
    let event = codec::decode(&exported.event.payload)?;
    let (mut number, mut multiplier, mut reason) = (None, None, None);
    match event {
        Event::Good(n) | Event::Losing(n) => number = Some(u64::from(n.get())),
        Event::PalierReached(n, m) => (number, multiplier) = (Some(u64::from(n.get())), Some(u64::from(m.factor()))),
        Event::Voided(why) => reason = Some(words::void_reason(why)),
        Event::Started { .. } | Event::WentOn | Event::Quit | Event::Expired | Event::Paid | Event::PaymentReversed => {
        }
    }
    Ok(vec![
        words::instant(exported.event.at).into(),
        printed(exported.number)?.to_string().into(),
        u64::from(exported.position).into(),
        words::event_name(&event).into(),
        number.into(),
        multiplier.into(),
        reason.into(),
    ])
}

fn entry(kept: &KeptEntry) -> anyhow::Result<Row> {
    let (kind, payment, point_of_sale, amount, who, why) = match &kept.entry {
        LedgerEntry::Payment(p) => ("payment", Some(p.id), Some(p.point_of_sale), Some(p.amount_eur), None, None),
        LedgerEntry::Reversal(r) => ("reversal", Some(r.payment), r.point_of_sale, None, Some(&r.who), Some(&r.why)),
        LedgerEntry::Act(act) => (act.what.as_str(), None, None, None, Some(&act.who), Some(&act.why)),
    };
    Ok(vec![
        words::instant(kept.entry.at()).into(),
        printed(kept.number)?.to_string().into(),
        u64::from(kept.position).into(),
        kind.into(),
        payment.map(|id| to_hex(&id.0)).into(),
        point_of_sale.map(|id| u64::from(id.0)).into(),
        amount.map(u64::from).into(),
        who.cloned().into(),
        why.cloned().into(),
    ])
}

fn printed(number: store::TicketNumber) -> anyhow::Result<TicketNumber> {
    records::number(number).context("a ticket number outside its range")
}

impl Cell {
    /// A text that a spreadsheet would take for a formula is led by an apostrophe.
    fn csv(&self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Text(text) if text.starts_with(['=', '+', '-', '@']) => format!("'{text}"),
            Self::Text(text) => text.clone(),
            Self::Int(number) => number.to_string(),
        }
    }
}

struct Lines<W: Write> {
    names: &'static [&'static str],
    out: Form<W>,
}

enum Form<W: Write> {
    Csv(Box<csv::Writer<W>>),
    Jsonl(W),
}

impl<W: Write> Lines<W> {
    fn new(format: Format, what: What, out: W) -> Self {
        let names: &[&str] = match what {
            What::Events => &EVENT,
            What::Games => &GAME,
            What::Ledger => &ENTRY,
        };
        let out = match format {
            Format::Csv => Form::Csv(Box::new(csv::Writer::from_writer(out))),
            Format::Jsonl => Form::Jsonl(out),
        };
        Self { names, out }
    }

    fn names(&mut self) -> anyhow::Result<()> {
        match &mut self.out {
            Form::Csv(out) => out.write_record(self.names).map_err(broken),
            Form::Jsonl(_) => Ok(()),
        }
    }

    fn line(&mut self, row: &Row) -> anyhow::Result<()> {
        match &mut self.out {
            Form::Csv(out) => out.write_record(row.iter().map(Cell::csv)).map_err(broken),
            Form::Jsonl(out) => {
                let mut w = Writer::new();
                w.object(|w| {
                    for (name, cell) in self.names.iter().zip(row) {
                        match cell {
                            Cell::Nothing => w.key(name).null(),
                            Cell::Text(text) => w.key(name).string(text),
                            Cell::Int(number) => w.key(name).int(*number),
                        }
                    }
                });
                Ok(writeln!(out, "{}", w.finish())?)
            }
        }
    }

    fn end(self) -> anyhow::Result<()> {
        match self.out {
            Form::Csv(mut out) => Ok(out.flush()?),
            Form::Jsonl(mut out) => Ok(out.flush()?),
        }
    }
}

/// The system's own error where there is one, so that a closed pipe is known for what it is.
fn broken(error: csv::Error) -> anyhow::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error.into(),
        other => anyhow::anyhow!("{other:?}"),
    }
}

/// A day in Paris, or an instant.
fn instant(text: &str) -> Result<Millis, String> {
    let day = || text.parse::<Date>().ok()?.in_tz("Europe/Paris").ok().map(|day| day.timestamp());
    let found = text.parse::<jiff::Timestamp>().ok().or_else(day);
    let found = found.ok_or("write a day as 2026-11-30, or an instant as 2026-11-30T12:00:00Z")?;
    Ok(Millis(found.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_told_in_days_of_paris_or_in_instants() {
        let millis = |text: &str| text.parse::<jiff::Timestamp>().unwrap().as_millisecond();
        assert_eq!(instant("2026-11-30"), Ok(Millis(millis("2026-11-29T23:00:00Z"))));
        assert_eq!(instant("2026-07-01"), Ok(Millis(millis("2026-06-30T22:00:00Z"))));
        assert_eq!(instant("2026-11-30T12:00:00.5+01:00"), Ok(Millis(millis("2026-11-30T11:00:00.5Z"))));
        for wrong in ["", "30/11/2026", "2026-13-01", "yesterday"] {
            assert!(instant(wrong).is_err(), "{wrong}");
        }
    }
}
