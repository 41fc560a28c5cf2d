//! Opening the file: who may read it, how its connections are set, and its schema.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::StoreError;

/// The schema's steps, in order; `user_version` counts those taken. A step that was released is never edited.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/sqlite/0001_tickets_and_games.sql"),
    include_str!("../../migrations/sqlite/0002_money_imports_and_audit.sql"),
];

/// Marks the file as ours: "QoD1" in ASCII.
const APPLICATION_ID: i64 = 0x516f_4431;

/// How long a connection waits for another process to finish writing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Makes the file where there is none, for its owner alone. Gives its absolute path.
pub(super) fn prepare_file(path: &Path) -> Result<PathBuf, StoreError> {
    // Absolute, also so that SQLite never takes a name that begins with "file:" for a URI.
    let path = std::path::absolute(path).map_err(unreachable_file)?;
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(&path) {
        // The file's name, too, must outlive a loss of power.
        Ok(_) => sync_parent(&path).map_err(unreachable_file)?,
        // Never opened here where it exists: closing it again would drop this process's locks on it.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(unreachable_file(error)),
    }
    Ok(path)
}

#[cfg(unix)]
fn sync_parent(path: &Path) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), |directory| fs::File::open(directory)?.sync_all())
}

#[cfg(not(unix))]
fn sync_parent(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Takes everybody else's rights on the database, its log and the log's index. (SQLite makes those two with the mode of
/// the database.) Only once the file is known to be ours.
#[cfg(unix)]
fn keep_private(path: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::PermissionsExt;
    for suffix in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(suffix);
        match fs::metadata(&file) {
            Ok(found) if found.permissions().mode() & 0o077 == 0 => {}
            Ok(_) => fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).map_err(unreachable_file)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(unreachable_file(error)),
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn keep_private(_: &Path) -> Result<(), StoreError> {
    Ok(())
}

fn unreachable_file(error: std::io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreError::Full,
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied => StoreError::ReadOnly,
        kind => StoreError::Unavailable { detail: format!("the database's file: {kind}") },
    }
}

/// The connection that writes, with the schema brought up to date.
pub(super) fn writer(path: &Path) -> Result<Connection, StoreError> {
    let mut connection = connect(path)?;
    // Before anything is written to it. In a transaction: another process may be making the schema at this moment.
    let look = connection.transaction()?;
    recognise(&look, path)?;
    drop(look);
    keep_private(path)?;
    begin_log(&connection)?;
    // `temp_store`: savepoints are undone from memory. The page cache, in KiB, serves imports: two of a ticket's keys
    // are random, so that each row touches other pages. `journal_size_limit`, in bytes, takes back what they leave.
    connection.execute_batch(
        "PRAGMA synchronous = FULL;
         PRAGMA foreign_keys = ON;
         PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -65536;
         PRAGMA journal_size_limit = 67108864;",
    )?;
    migrate(&mut connection, path)?;
    Ok(connection)
}

/// Has changes written ahead to a log. Here SQLite does not wait for others by itself (two that both hold the file open
/// could wait for each other), and a new file may be opened by several at once: so it is tried again.
fn begin_log(connection: &Connection) -> Result<(), StoreError> {
    let pause = Duration::from_millis(10);
    let mut waited = Duration::ZERO;
    loop {
        match connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0)) {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(_) => {
                let detail = "its file system does not allow a write-ahead log".into();
                return Err(StoreError::Unavailable { detail });
            }
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && waited < BUSY_TIMEOUT => {
                std::thread::sleep(pause);
                waited += pause;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// A connection that reads.
pub(super) fn reader(path: &Path) -> Result<Connection, StoreError> {
    let connection = connect(path)?;
    connection.execute_batch("PRAGMA query_only = ON;")?;
    Ok(connection)
}

/// A connection that moves the log into the database; it makes no change of its own. As durable as the writer's: what is
/// taken out of the log was flushed where it went.
pub(super) fn checkpointer(path: &Path) -> Result<Connection, StoreError> {
    let connection = connect(path)?;
    connection.execute_batch("PRAGMA synchronous = FULL;")?;
    Ok(connection)
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Plans never depend on bound values. Without it SQLite prepares every cached statement anew at each use, because
    // clearing its bindings counts as a change of them: half of all the processor time.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(96);
    Ok(connection)
}

/// How many migrations the database has taken; refuses one that is not ours.
fn recognise(connection: &Connection, path: &Path) -> Result<usize, StoreError> {
    let foreign = || StoreError::Foreign { path: path.to_owned() };
    let number = |query: &str| connection.query_row(query, [], |row| row.get::<_, i64>(0));
    let mark = match number("PRAGMA application_id") {
        Err(rusqlite::Error::SqliteFailure(failure, _)) if failure.code == ErrorCode::NotADatabase => {
            return Err(foreign());
        }
        answer => answer?,
    };
    let found = number("PRAGMA user_version")?;
    let known = MIGRATIONS.len();
    if mark == 0 && found == 0 && number("SELECT count(*) FROM sqlite_schema")? == 0 {
        return Ok(0);
    }
    if mark != APPLICATION_ID {
        return Err(foreign());
    }
    let taken = usize::try_from(found).map_err(|_| foreign())?;
    if taken > known {
        return Err(StoreError::Newer { found, known: i64::try_from(known).unwrap_or(i64::MAX) });
    }
    Ok(taken)
}

/// Takes the steps that are missing, all or none. The write lock comes first: of two processes that open a new file
/// at once, the second finds the first one's work done.
fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    let taken = recognise(&transaction, path)?;
    let missing = MIGRATIONS.get(taken..).unwrap_or_default();
    if missing.is_empty() {
        return Ok(());
    }
    for step in missing {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX))?;
    Ok(transaction.commit()?)
}
