//! The data directory: where its parts lie, and how a command opens its store.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use rules::Timestamp;
use store::SqliteStore;

/// The database within a data directory.
pub(crate) fn database(data: &Path) -> PathBuf {
    data.join("qod.sqlite")
}

/// The file that a block's printer would be given: every code of it, in clear, mode 0600.
pub(crate) fn tickets_file(data: &Path, emission: u16, block: u16) -> PathBuf {
    data.join("tickets").join(format!("{emission:03}-{block:04}.csv"))
}

/// Opens the store of a data directory that must be there.
pub(crate) fn open_store(data: &Path) -> anyhow::Result<SqliteStore> {
    let path = database(data);
    anyhow::ensure!(
        path.exists(),
        "there is no database in {}: run `qod issue --data {} --demo` first",
        data.display(),
        data.display()
    );
    SqliteStore::open(&path).with_context(|| format!("cannot open {}", path.display()))
}

/// Now, by the machine's clock.
pub(crate) fn now() -> Timestamp {
    Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())
}

/// Prints what a command has to say. Whoever reads it may have enough before its end (`qod … | head`).
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Runs what a command does with its store.
pub(crate) fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work)
}

/// Fills a buffer from the operating system's cryptographic source.
pub(crate) fn random<const N: usize>() -> anyhow::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("the system gives no randomness: {error}"))?;
    Ok(bytes)
}
