//! The data directory: where its parts lie, and how a command opens its store.

use std::fs::{DirBuilder, File, TryLockError};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
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

/// The manifest of the file that a block's server is given.
pub(crate) fn block_file(data: &Path, emission: u16, block: u16) -> PathBuf {
    data.join("blocks").join(format!("{emission:03}-{block:04}.json"))
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

/// Opens the store of a data directory; both are made where they are missing, closed to other users.
pub(crate) fn make_store(data: &Path) -> anyhow::Result<SqliteStore> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(data);
    made.with_context(|| format!("cannot make {}", data.display()))?;
    let path = database(data);
    SqliteStore::open(&path).with_context(|| format!("cannot open {}", path.display()))
}

/// Lets only one command at a time issue into a data directory: until what it returns is dropped.
pub(crate) fn lock(data: &Path) -> anyhow::Result<File> {
    let path = data.join("issue.lock");
    let opened = File::options().write(true).create(true).truncate(false).mode(0o600).open(&path);
    let file = opened.with_context(|| format!("cannot open {}", path.display()))?;
    let locked = match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            eprintln!("Another `qod issue` works in {}: waiting for its end…", data.display());
            file.lock()
        }
        Err(TryLockError::Error(error)) => Err(error),
        Ok(()) => Ok(()),
    };
    locked.with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
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
