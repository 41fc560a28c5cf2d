//! `qod issue`: makes a block of tickets, and imports it.
//!
//! The block is first written to the file that its printer would be given (mode 0600); from there the file that its server is given is
//! made and imported as `qod import` does: a run that was interrupted goes on where it stopped, and running it again changes nothing. Only one run at a time works in a data directory.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use ::issue::{Block, BlockKey, IssuedTicket, Lots};
use anyhow::Context as _;
use jiff::ToSpan as _;
use rules::{Code, ControlCode, PotentialGain, Terms, TicketNumber};
use seal::{Pepper, TicketId};
use server::EmissionKeys;
use store::{BlockId, KeyedHash, SqliteStore, Store, Ticket, Version};

use crate::close::start_before;
use crate::data::{block_file, block_on, database, lock, now, random, tickets_file};
use crate::import::file::BlockFile;
use crate::import::{Progress, import};
use crate::keys::{complete_keys, read_keys};
use crate::receipt_keys::complete_receipt_keys;

/// What `qod issue` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The data directory; made if it is not there
    #[arg(long)]
    data: PathBuf,
    /// Issue a small demo block, with tickets of every kind, one of them paid already and some of an emission that is closed
    #[arg(long, conflicts_with_all = ["emission", "block", "lots"])]
    demo: bool,
    /// The emission's number, 1 to 999
    #[arg(long, required_unless_present = "demo")]
    emission: Option<u16>,
    /// The block's number within its emission, 1 to 9999
    #[arg(long, default_value_t = 1)]
    block: u16,
    /// The lots table, as JSON; the règlement's by default
    #[arg(long)]
    lots: Option<PathBuf>,
}

/// Issues what is asked for.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&args.data)
        .with_context(|| format!("cannot make {}", args.data.display()))?;
    let _lock = lock(&args.data)?;
    let store = SqliteStore::open(&database(&args.data))?;
    block_on(async {
        match args.emission {
            Some(emission) => {
                let lots = match &args.lots {
                    None => Lots::from_json(Lots::REGLEMENT)?,
                    Some(path) => {
                        let text =
                            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
                        Lots::from_json(&text)?
                    }
                };
                let issued = issue(&store, &args.data, emission, args.block, &lots, None).await?;
                anyhow::ensure!(issued, "{}; issue another block number", gone(&args.data, emission, args.block));
            }
            None => demo(&store, &args.data).await?,
        }
        store.close().await?;
        Ok(())
    })
}

/// The emission of the demo that is open, and the one that was closed long ago.
const OPEN: u16 = 1;
const CLOSED: u16 = 2;

async fn demo(store: &SqliteStore, data: &Path) -> anyhow::Result<()> {
    let lots = Lots::from_json(Lots::DEMO)?;
    // Closed a hundred days ago: none of its tickets can be started any more, all can be paid.
    let closing = jiff::Timestamp::from_millisecond(now().millis())?.in_tz("Europe/Paris")?.date();
    for (emission, closing) in [(OPEN, None), (CLOSED, Some(closing.checked_sub(100.days())?))] {
        if !issue(store, data, emission, 1, &lots, closing).await? {
            println!("Emission {emission:03}, block 0001: {}.", gone(data, emission, 1));
        }
    }
    let file = tickets_file(data, OPEN, 1);
    if !file.exists() {
        return Ok(());
    }
    let paid = read_tickets(&file)?.into_iter().find(|t| t.potential_gain == Some(PotentialGain::Eur10));
    let paid = paid.context("the demo block has no ticket of 10 €")?;
    let record = store.load(store::TicketId(paid.id.0)).await?;
    if record.is_some_and(|record| record.game.version == Version::default()) {
        crate::pay::pay(store, data, paid.number, &paid.control).await?;
    }
    Ok(())
}

fn gone(data: &Path, emission: u16, block: u16) -> String {
    let file = tickets_file(data, emission, block);
    format!("the block is already in the store and its tickets file {} is gone", file.display())
}

/// Issues a block; false, and nothing is written, where it was issued before and its tickets file is gone: other tickets
/// under the same numbers are never made.
async fn issue(
    store: &SqliteStore,
    data: &Path,
    emission: u16,
    block: u16,
    lots: &Lots,
    closing: Option<jiff::civil::Date>,
) -> anyhow::Result<bool> {
    anyhow::ensure!(
        TicketNumber::new(emission, block, 1).is_some(),
        "an emission is numbered 1 to 999, a block 1 to 9999"
    );
    let file = tickets_file(data, emission, block);
    let written = if file.try_exists().with_context(|| format!("cannot read {}", file.display()))? {
        let tickets = read_tickets(&file)?;
        anyhow::ensure!(
            is_block(&tickets, emission, block, lots),
            "{} was issued with another lots table, or is damaged: nothing was imported from it",
            file.display()
        );
        Some(tickets)
    } else if store.find_by_number(store::TicketNumber { emission, block, serial: 1 }).await?.is_some() {
        return Ok(false);
    } else {
        None
    };
    let keys = keys_of(store, data, emission).await?;
    let tickets = match written {
        Some(tickets) => tickets,
        None => {
            let block = Block::new(emission, block, lots, &BlockKey(random()?)).context("a number out of its range")?;
            write_tickets(&file, block.tickets())?;
            read_tickets(&file)?
        }
    };
    let terms = Terms { start_before: closing.map(start_before).transpose()?, ..Terms::default() };
    // The same way as a block that comes from elsewhere: the file that its server is given, checked and imported.
    let file = block_file(data, emission, block);
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(file.parent().context("a block's file lies in a folder")?)?;
    let rows = tickets.iter().map(|ticket| Ok(row(ticket, &keys.pepper)));
    crate::import::file::write(&file, BlockId { emission, block }, &keys.pepper, rows)?;
    let mut file = BlockFile::open(&file, |_, _| {})?;
    let added = import(store, &mut file, &terms, &mut Progress::new("imported")).await?;
    println!("Emission {emission:03}, block {block:04}: {} tickets, {added} of them new in the store.", tickets.len());
    Ok(true)
}

/// Whether these are all tickets of that block, with the lots of that table.
fn is_block(tickets: &[IssuedTicket], emission: u16, block: u16, lots: &Lots) -> bool {
    let count = |gain| tickets.iter().filter(|ticket| ticket.potential_gain == Some(gain)).count();
    let listed = |gain| lots.lots().iter().find(|(g, _)| *g == gain).map_or(0, |(_, count)| *count as usize);
    tickets.len() == lots.tickets() as usize
        && PotentialGain::ALL.into_iter().all(|gain| count(gain) == listed(gain))
        && (1..).zip(tickets).all(|(serial, t)| TicketNumber::new(emission, block, serial) == Some(t.number))
}

/// The emission's keys: made, or what is missing of them, for a new emission; only read for one that the store knows, whose tickets depend
/// on them.
async fn keys_of(store: &SqliteStore, data: &Path, emission: u16) -> anyhow::Result<EmissionKeys> {
    Ok(match store.emission(emission).await? {
        Some(_) => read_keys(data, emission)?,
        None => {
            complete_receipt_keys(data, now(), &random()?)?;
            complete_keys(data, emission, [random()?, random()?])?
        }
    })
}

fn row(ticket: &IssuedTicket, pepper: &Pepper) -> Ticket {
    let row = ticket.server_row(pepper);
    Ticket {
        id: store::TicketId(row.id.0),
        number: store::TicketNumber {
            emission: row.number.emission(),
            block: row.number.block(),
            serial: row.number.serial(),
        },
        code_hash: KeyedHash(row.code_hash),
        control_hash: KeyedHash(row.control_hash),
        potential_gain_eur: row.potential_gain.map_or(0, PotentialGain::eur),
    }
}

/// Writes every ticket, whole and on disk before it bears its name.
fn write_tickets(file: &Path, tickets: impl Iterator<Item = IssuedTicket>) -> anyhow::Result<()> {
    let folder = file.parent().context("a tickets file lies in a folder")?;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let unfinished = file.with_extension("unfinished");
    let mut options = fs::OpenOptions::new();
    let opened = options.write(true).create(true).truncate(true).mode(0o600).open(&unfinished);
    let mut out = std::io::BufWriter::new(opened.with_context(|| format!("cannot write {}", unfinished.display()))?);
    writeln!(out, "{HEADER}")?;
    for ticket in tickets {
        let eur = ticket.potential_gain.map_or(0, PotentialGain::eur);
        let (code, control) = (ticket.code.as_bytes(), ticket.control.as_bytes());
        let (code, control) = (std::str::from_utf8(code)?, std::str::from_utf8(control)?);
        writeln!(out, "{},{control},{code},{eur},{}", ticket.number, ticket.id)?;
    }
    out.into_inner()?.sync_all()?;
    fs::rename(&unfinished, file)?;
    fs::File::open(folder)?.sync_all()?;
    Ok(())
}

const HEADER: &str = "ticket_number,control_code,code,potential_gain_eur,ticket_id";

/// Reads back what was written for the printer.
pub(crate) fn read_tickets(file: &Path) -> anyhow::Result<Vec<IssuedTicket>> {
    let opened = fs::File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut lines = BufReader::new(opened).lines();
    let header = lines.next().transpose()?;
    anyhow::ensure!(header.as_deref() == Some(HEADER), "{} is no tickets file", file.display());
    let tickets = (2..).zip(lines).map(|(at, line)| {
        // The line itself is a secret: only its place is told.
        read_ticket(&line?).with_context(|| format!("{}, line {at}: not a ticket", file.display()))
    });
    tickets.collect()
}

fn read_ticket(line: &str) -> Option<IssuedTicket> {
    let mut fields = line.split(',');
    let number: TicketNumber = fields.next()?.parse().ok()?;
    let control: ControlCode = fields.next()?.parse().ok()?;
    let code: Code = fields.next()?.parse().ok()?;
    let potential_gain = match fields.next()? {
        "0" => None,
        eur => Some(PotentialGain::from_eur(eur.parse().ok()?)?),
    };
    let id: TicketId = fields.next()?.parse().ok()?;
    fields.next().is_none().then_some(IssuedTicket { id, number, code, control, potential_gain })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_for_the_printer_is_read_back_and_is_for_the_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let file = tickets_file(folder.path(), 1, 1);
        let block = || Block::new(1, 1, &Lots::from_json(Lots::DEMO).unwrap(), &BlockKey([1; 32])).unwrap();
        write_tickets(&file, block().tickets()).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let read = read_tickets(&file).unwrap();
        let fields = |t: &IssuedTicket| (t.id, t.number, *t.code.as_bytes(), *t.control.as_bytes(), t.potential_gain);
        assert!(read.iter().map(fields).eq(block().tickets().map(|t| fields(&t))));
    }

    #[test]
    fn a_damaged_line_is_told_by_its_place_and_not_by_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("damaged.csv");
        fs::write(&file, format!("{HEADER}\n001-0001-0000001,SECRETXX,CODE,5,id\n")).unwrap();
        let error = format!("{:#}", read_tickets(&file).err().unwrap());
        assert!(error.contains("line 2") && !error.contains("SECRETXX"), "{error}");
    }
}
