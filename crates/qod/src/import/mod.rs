//! `qod import`: a block's tickets into the store, from the file that its issuer gives (`docs/import-v1.md`).
//!
//! All of the file is checked before the first ticket is written. Interrupted, it goes on where it stopped.

pub(crate) mod file;
#[cfg(test)]
mod tests;

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use rules::Terms;
use seal::hash::to_hex;
use server::audit::{Entry, Kind};
use server::records;
use store::{BlockProgress, BlockStep, Store};

use subtle::ConstantTimeEq as _;

use self::file::{BlockFile, pepper_check};
use crate::audit::record;
use crate::data::block_on;
use crate::keys::read_keys;
use crate::operator::By;
use crate::store_args::StoreArgs;

/// How many tickets are written in one transaction: picks of a server on the same store wait no longer than for this many.
const BATCH: usize = 2000;

/// What `qod import` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// The block's manifest (….json); its rows (….rows) lie beside it
    file: PathBuf,
    #[command(flatten)]
    by: By,
}

/// Imports it.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let person = args.by.person()?;
    let mut checked = Progress::new("checked");
    let mut file = BlockFile::open(&args.file, |done, all| checked.at(done, all))?;
    checked.end();
    let block = file.manifest.block();
    let keys = read_keys(&args.store.data, block.id.emission)?;
    ensure!(
        bool::from(file.manifest.pepper.ct_eq(&pepper_check(&keys.pepper))),
        "the codes of this block are hashed with another pepper than {} holds for emission {:03}: none of them could be \
         played; put the emission's own keys there",
        args.store.data.display(),
        block.id.emission
    );
    let added = block_on(async {
        let store = args.store.make().await?;
        // Written first: an import that was interrupted is in the log, too.
        let entry = Entry::new(Kind::Import)
            .int("emission", block.id.emission.into())
            .int("block", block.id.block.into())
            .int("tickets", block.tickets.into())
            .int("winning", block.winning.into())
            .int("total_eur", block.total_eur)
            .text("manifest", to_hex(&block.manifest.0))
            .text("who", &person);
        record(Arc::clone(&store), &args.store.data, "import", entry).await?;
        let added = import(&*store, &mut file, &Terms::default(), &mut Progress::new("imported")).await?;
        store.close().await?;
        Ok(added)
    })?;
    println!(
        "Emission {:03}, block {:04}: {} tickets, {} of them winning, {} € in all; {added} are new in the store.",
        block.id.emission, block.id.block, block.tickets, block.winning, block.total_eur
    );
    Ok(())
}

/// Imports a file that was checked, from where an import of it stopped; gives how many tickets were missing before.
pub(crate) async fn import(
    store: &dyn Store,
    file: &mut BlockFile,
    terms: &Terms,
    progress: &mut Progress,
) -> anyhow::Result<u32> {
    let block = file.manifest.block();
    // An emission that is there already keeps its settings.
    store.add_emission(records::emission(block.id.emission, terms)?).await?;
    let mut at = done(store.begin_block(block).await?)?;
    let before = at.imported;
    while at.imported < block.tickets {
        for tickets in file.chunk(at.imported)?.chunks(BATCH) {
            let step = store.import_chunk(block.id, block.manifest, at.imported, tickets.to_vec()).await?;
            at = match step {
                BlockStep::Done(at) => at,
                // Another import of the same block was quicker: both go on from where it stands.
                BlockStep::Refused(now) if now.block == block && now.imported != at.imported => {
                    at = now;
                    break;
                }
                refused => done(refused)?,
            };
            progress.at(at.imported, block.tickets);
        }
    }
    let end = done(store.finish_block(block.id, block.manifest).await?)?;
    ensure!(end.complete, "the block is in the store but was not found complete: nothing of it may be sold");
    progress.end();
    Ok(block.tickets - before)
}

fn done(step: BlockStep) -> anyhow::Result<BlockProgress> {
    match step {
        BlockStep::Done(at) => Ok(at),
        BlockStep::Refused(stands) => bail!(
            "emission {:03}, block {:04} stands in the store with another manifest ({}…): a block is imported once; is this \
             the right file?",
            stands.block.id.emission,
            stands.block.id.block,
            to_hex(&stands.block.manifest.0).get(..16).unwrap_or_default()
        ),
    }
}

/// How often a line of progress is told.
const TELL_EVERY: Duration = Duration::from_secs(2);

/// Tells, on a terminal, how far a long work has come and how long the rest will take.
pub(crate) struct Progress {
    verb: &'static str,
    all: u32,
    /// When, and after how many tickets, this run began.
    begun: Option<(Instant, u32)>,
    told: Option<Instant>,
}

impl Progress {
    pub(crate) const fn new(verb: &'static str) -> Self {
        Self { verb, all: 0, begun: None, told: None }
    }

    fn at(&mut self, done: u32, all: u32) {
        self.all = all;
        let (begun, before) = *self.begun.get_or_insert((Instant::now(), done));
        // What is quick is not told.
        if self.told.unwrap_or(begun).elapsed() >= TELL_EVERY {
            self.told = Some(Instant::now());
            let left = u64::from(all - done.min(all)) * begun.elapsed().as_secs() / u64::from((done - before).max(1));
            self.tell(&format!("{done} of {all} tickets {}, about {left} s left", self.verb));
        }
    }

    fn end(&mut self) {
        if let (Some((begun, _)), Some(_)) = (self.begun, self.told) {
            self.tell(&format!("{} tickets {} in {} s", self.all, self.verb, begun.elapsed().as_secs()));
            if std::io::stderr().is_terminal() {
                eprintln!();
            }
        }
    }

    fn tell(&self, text: &str) {
        let mut err = std::io::stderr();
        // On a terminal in its place; in a log line by line.
        let _ = if err.is_terminal() { write!(err, "\r{text:<60}") } else { writeln!(err, "{text}") };
        let _ = err.flush();
    }
}
