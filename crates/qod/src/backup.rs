//! `qod backup`: a copy of the SQLite database, taken while servers go on playing. Keys are never in it.

use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use anyhow::Context as _;
use rusqlite::{Connection, OpenFlags};

use crate::data::{database, print};

/// What `qod backup` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The data directory whose database is copied
    #[arg(long, value_name = "DIR", default_value = ".data")]
    data: PathBuf,
    /// The file to write, which must not be there yet. The keys are not in it: back them up apart from it
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
}

/// Copies the database as it stands at one moment, and checks the copy.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let from = database(&args.data);
    let to = args.to.to_str().context("the name of the copy is not UTF-8")?;
    let reading = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let failed = || format!("cannot read {}", from.display());
    let database = Connection::open_with_flags(&from, reading).with_context(failed)?;
    // Made here and empty, so that it is closed to others from its first byte on.
    let made = std::fs::File::options().write(true).create_new(true).mode(0o600).open(&args.to);
    let made = made.with_context(|| format!("cannot make {to}: name a file that is not there yet"))?;
    let copied = database.execute("VACUUM INTO ?1", [to]).map(|_| ());
    let copied = copied.map_err(anyhow::Error::from).and_then(|()| Ok(made.sync_all()?)).and_then(|()| check(&args.to));
    if let Err(error) = copied {
        let _ = std::fs::remove_file(&args.to);
        return Err(error.context(format!("cannot copy {} to {to}", from.display())));
    }
    let bytes = made.metadata()?.len();
    print(&format!("{to}: {bytes} bytes, checked. Keep it apart from the keys.\n"))
}

fn check(copy: &std::path::Path) -> anyhow::Result<()> {
    let copy = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let found: String = copy.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
    anyhow::ensure!(found == "ok", "the copy is damaged: {found}");
    Ok(())
}
