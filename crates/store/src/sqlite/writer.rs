//! The one writer: a thread that owns the write connection and commits what waits together.
//!
//! While a commit is on its way to the disk, other changes queue up; the next commit takes them all. So one client
//! waits for nobody, and many share the price of one flush. Each change has its savepoint and fails alone; none is
//! answered before the commit.

use std::sync::Arc;
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tokio::sync::{mpsc, oneshot};

use super::checkpoint::Checkpoints;
use super::failure::no_thread;
use crate::counters::Counters;
use crate::{StoreError, StoreMetrics};

/// The most changes in one commit: enough to make the flush cheap, few enough to keep the first from waiting long.
const GROUP: usize = 256;

/// How many changes may queue before callers wait to hand theirs over.
const QUEUE: usize = 4 * GROUP;

/// The way to the writer's thread.
pub(super) struct Writer {
    messages: mpsc::Sender<Message>,
    counters: Arc<Counters>,
}

enum Message {
    Change(Box<dyn Change>),
    Close { readers: Vec<JoinHandle<()>>, closed: oneshot::Sender<Result<(), StoreError>> },
}

impl Writer {
    /// `beside` is another connection to the same file, which keeps the log short.
    pub(super) fn start(connection: Connection, beside: Connection) -> Result<Self, StoreError> {
        let checkpoints = Checkpoints::start(beside, &connection)?;
        let (messages, received) = mpsc::channel(QUEUE);
        let counters = Arc::new(Counters::default());
        let counting = Arc::clone(&counters);
        let serve = move || serve(connection, received, checkpoints, &counting);
        thread::Builder::new().name("store-writer".into()).spawn(serve).map_err(no_thread)?;
        Ok(Self { messages, counters })
    }

    /// Has the writer make a change, and answers once it is committed. The change runs inside a transaction; where
    /// it gives an error, all that it wrote is undone. It may run a second time, after all that it did was undone.
    pub(super) async fn write<T, C>(&self, change: C) -> Result<T, StoreError>
    where
        T: Send + 'static,
        C: Fn(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let pending = Pending { change, outcome: None, reply };
        let sent = self.messages.send(Message::Change(Box::new(pending))).await;
        sent.map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// The sizes of the groups so far, and what waits.
    pub(super) fn metrics(&self) -> StoreMetrics {
        let waiting = self.messages.max_capacity().saturating_sub(self.messages.capacity());
        self.counters.read(u64::try_from(waiting).unwrap_or(u64::MAX))
    }

    /// An error where the thread has stopped.
    pub(super) fn alive(&self) -> Result<(), StoreError> {
        if self.messages.is_closed() { Err(StoreError::Closed) } else { Ok(()) }
    }

    /// Commits what waits, waits for the readers to leave, moves the log into the database and closes it.
    pub(super) async fn close(&self, readers: Vec<JoinHandle<()>>) -> Result<(), StoreError> {
        let (closed, answer) = oneshot::channel();
        match self.messages.send(Message::Close { readers, closed }).await {
            Ok(()) => answer.await.unwrap_or(Ok(())),
            Err(_) => Ok(()),
        }
    }
}

fn serve(
    mut connection: Connection,
    mut received: mpsc::Receiver<Message>,
    mut checkpoints: Checkpoints,
    counters: &Counters,
) {
    let mut waiting = Vec::with_capacity(GROUP);
    let mut group = Vec::with_capacity(GROUP);
    while received.blocking_recv_many(&mut waiting, GROUP) > 0 {
        for message in waiting.drain(..) {
            match message {
                Message::Change(change) => group.push(change),
                Message::Close { readers, closed } => {
                    received.close();
                    commit(&mut connection, &mut group, counters);
                    checkpoints.close();
                    for reader in readers {
                        // A reader that panicked has left all the same.
                        let _ = reader.join();
                    }
                    // The caller may have stopped waiting.
                    let _ = closed.send(checkpoint(connection));
                    return;
                }
            }
        }
        let made = commit(&mut connection, &mut group, counters);
        checkpoints.committed(made, &connection);
    }
}

/// Makes the changes of a group in one transaction and answers them. Gives how many were committed.
fn commit(connection: &mut Connection, group: &mut Vec<Box<dyn Change>>, counters: &Counters) -> usize {
    if group.is_empty() {
        return 0;
    }
    let committed = make(connection, group);
    let made = if committed.is_ok() { group.len() } else { 0 };
    if committed.is_ok() {
        counters.group(made);
    }
    for change in group.drain(..) {
        change.answer(&committed);
    }
    made
}

fn make(connection: &mut Connection, group: &mut [Box<dyn Change>]) -> Result<(), StoreError> {
    if make_at_once(connection, group)? {
        return Ok(());
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    for change in group {
        run(&transaction, "SAVEPOINT change")?;
        if let Err(error) = change.make(&transaction) {
            // A full disk and the like can undo the whole transaction: then nobody's change was made.
            if transaction.is_autocommit() {
                return Err(error);
            }
            run(&transaction, "ROLLBACK TO change")?;
        }
        run(&transaction, "RELEASE change")?;
    }
    Ok(transaction.commit()?)
}

/// Nearly every group is one in which nothing fails: savepoints would be a fifth of its work. False where a change
/// fails; nothing was made then.
fn make_at_once(connection: &mut Connection, group: &mut [Box<dyn Change>]) -> Result<bool, StoreError> {
    // The write lock at once: a version that was compared cannot move before the commit. Dropped, it rolls back.
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    for change in group {
        if change.make(&transaction).is_err() {
            return Ok(false);
        }
    }
    transaction.commit()?;
    Ok(true)
}

pub(super) fn run(connection: &Connection, statement: &str) -> Result<(), StoreError> {
    connection.prepare_cached(statement)?.execute([])?;
    Ok(())
}

fn checkpoint(connection: Connection) -> Result<(), StoreError> {
    // Where another process still reads, part of the log stays: it is as safe there.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    connection.close().map_err(|(_, error)| error.into())
}

/// A change on its way, whatever it answers.
trait Change: Send {
    /// Makes the change. The error is a copy: the answer keeps its own.
    fn make(&mut self, connection: &Connection) -> Result<(), StoreError>;

    /// Tells the caller: its own outcome where the group was committed, and else why it was not.
    fn answer(self: Box<Self>, committed: &Result<(), StoreError>);
}

struct Pending<T, C> {
    change: C,
    outcome: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, C> Change for Pending<T, C>
where
    T: Send,
    C: Fn(&Connection) -> Result<T, StoreError> + Send,
{
    fn make(&mut self, connection: &Connection) -> Result<(), StoreError> {
        let outcome = self.outcome.insert((self.change)(connection));
        outcome.as_ref().map(drop).map_err(Clone::clone)
    }

    fn answer(self: Box<Self>, committed: &Result<(), StoreError>) {
        let answer = match (committed, self.outcome) {
            (Ok(()), Some(outcome)) => outcome,
            // Its own outcome, even a refusal, may rest on a neighbour's change that was not kept.
            (Err(error), _) => Err(error.clone()),
            (Ok(()), None) => Err(StoreError::Closed),
        };
        // The caller may have stopped waiting.
        let _ = self.reply.send(answer);
    }
}
