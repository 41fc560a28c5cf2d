//! Moves the log into the database, beside the writer: no change waits for that.
//!
//! SQLite by itself does it inside a commit, once the log has a thousand pages: all who wait then wait for two more
//! flushes and for the pages' places all over the file. Here a thread with a connection of its own does it while the
//! writer goes on. The log begins anew only where all of it was moved while nobody wrote, so under a steady load it
//! would grow for ever; once it is long, the writer moves the little that is left itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;

use super::failure::no_thread;
use crate::StoreError;

/// Changes after which the log is moved. A pick writes some four pages, many of them shared with its neighbours'.
const CHANGES: usize = 1000;

/// A log of so many pages (of 4 KiB: 64 MiB) begins anew.
const LONG: u64 = 16_384;

/// The way to the thread. It ends when this is dropped; [`Checkpoints::close`] waits for that.
pub(super) struct Checkpoints {
    thread: JoinHandle<()>,
    due: SyncSender<()>,
    pages: Arc<AtomicU64>,
    changes: usize,
}

impl Checkpoints {
    /// Starts the thread over a connection of its own. The writer's moves nothing by itself from now on.
    pub(super) fn start(own: Connection, writer: &Connection) -> Result<Self, StoreError> {
        writer.execute_batch("PRAGMA wal_autocheckpoint = 0;")?;
        // One that waits is enough: it moves all that there is by then.
        let (due, received) = sync_channel(1);
        let pages = Arc::new(AtomicU64::new(0));
        let told = Arc::clone(&pages);
        let serve = move || {
            while received.recv().is_ok() {
                // What fails (a disk that is full) is tried again at the next; the log keeps everything meanwhile.
                if let Ok(length) = move_log(&own) {
                    told.store(length, Relaxed);
                }
            }
        };
        let thread = thread::Builder::new().name("store-checkpoint".into()).spawn(serve).map_err(no_thread)?;
        Ok(Self { thread, due, pages, changes: 0 })
    }

    /// Ends the thread, and waits until its connection is closed.
    pub(super) fn close(self) {
        drop(self.due);
        // One that panicked has left all the same.
        let _ = self.thread.join();
    }

    /// After a commit of so many changes, while no transaction is open on the writer's connection.
    pub(super) fn committed(&mut self, changes: usize, writer: &Connection) {
        self.changes = self.changes.saturating_add(changes);
        if self.changes < CHANGES {
            return;
        }
        self.changes = 0;
        if self.pages.load(Relaxed) >= LONG && move_log(writer).is_ok() {
            self.pages.store(0, Relaxed);
        }
        let _ = self.due.try_send(());
    }
}

/// Moves what no reader holds back; gives the pages that the log has. Where another does it, that is an error.
fn move_log(connection: &Connection) -> Result<u64, StoreError> {
    let (busy, pages): (bool, i64) =
        connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if busy {
        return Err(StoreError::Unavailable { detail: "the log is being moved".into() });
    }
    Ok(u64::try_from(pages).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::super::opening;
    use super::*;

    #[test]
    fn a_long_log_begins_anew_while_changes_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = opening::prepare_file(&folder.path().join("qod.sqlite")).unwrap();
        let writer = opening::writer(&path).unwrap();
        let mut checkpoints = Checkpoints::start(opening::checkpointer(&path).unwrap(), &writer).unwrap();
        // As if the thread had found it long; what is in it then is what these changes have written.
        checkpoints.pages.store(LONG, Relaxed);
        let salt = || std::fs::read(path.with_extension("sqlite-wal")).unwrap()[16..24].to_vec();
        let add = "INSERT INTO sessions VALUES (?, zeroblob(8), 0, 0)";
        writer.execute_batch("PRAGMA foreign_keys = OFF;").unwrap();
        let add = |n: usize| writer.execute(add, [&n.to_be_bytes().repeat(4)[..]]).unwrap();
        add(0);
        let before = salt();
        let begun_anew = (1..100 * CHANGES).any(|n| {
            add(n);
            checkpoints.committed(1, &writer);
            // The thread may be at it, or have told another length meanwhile: then it comes with a later change.
            checkpoints.pages.store(LONG, Relaxed);
            salt() != before
        });
        assert!(begun_anew);
        let kept: i64 = writer.query_row("SELECT count(*) FROM sessions", [], |row| row.get(0)).unwrap();
        assert!(kept > 1000);
    }
}
