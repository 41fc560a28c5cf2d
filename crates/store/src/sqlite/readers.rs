//! The readers: a few threads, each with a connection, that take queries from one queue. Reads never wait for the
//! writer, nor hold it up.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::failure::no_thread;
use crate::StoreError;

/// How many queries may queue before callers wait to hand theirs over.
const QUEUE: usize = 1024;

/// The most queries that a reader takes at once: while all cores are busy, waking it is dearer than a query.
const GROUP: usize = 16;

type Query = Box<dyn FnOnce(&Connection) + Send>;

enum Message {
    Query(Query),
    Close,
}

/// The way to the readers' threads.
pub(super) struct Readers {
    messages: mpsc::Sender<Message>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

/// How many readers are worth having: one a core, within bounds. More would only share the same cores and caches.
pub(super) fn count() -> usize {
    thread::available_parallelism().map_or(2, |cores| cores.get().clamp(2, 8))
}

impl Readers {
    pub(super) fn start(connections: Vec<Connection>) -> Result<Self, StoreError> {
        let (messages, received) = mpsc::channel(QUEUE);
        let received = Arc::new(Mutex::new(received));
        let start = |connection| {
            let received = Arc::clone(&received);
            thread::Builder::new().name("store-reader".into()).spawn(move || serve(&connection, &received))
        };
        let threads = connections.into_iter().map(start).collect::<Result<_, _>>().map_err(no_thread)?;
        Ok(Self { messages, threads: Mutex::new(threads) })
    }

    /// Has a reader run a query.
    pub(super) async fn read<T, Q>(&self, query: Q) -> Result<T, StoreError>
    where
        T: Send + 'static,
        Q: FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let query = Box::new(move |connection: &Connection| {
            // The caller may have stopped waiting.
            let _ = reply.send(query(connection));
        });
        self.messages.send(Message::Query(query)).await.map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// How many queries wait.
    pub(super) fn waiting(&self) -> u64 {
        u64::try_from(self.messages.max_capacity().saturating_sub(self.messages.capacity())).unwrap_or(u64::MAX)
    }

    /// Lets the readers finish what waits and leave; gives their threads, to be joined. None at a second call.
    pub(super) async fn close(&self) -> Vec<JoinHandle<()>> {
        // An error says that they have left already.
        let _ = self.messages.send(Message::Close).await;
        std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn serve(connection: &Connection, received: &Mutex<mpsc::Receiver<Message>>) {
    let mut taken = Vec::with_capacity(GROUP);
    loop {
        {
            let mut received = received.lock().unwrap_or_else(PoisonError::into_inner);
            if received.blocking_recv_many(&mut taken, GROUP) == 0 {
                return;
            }
            if taken.iter().any(|message| matches!(message, Message::Close)) {
                // What was sent before is still received, by all; then everyone finds the end.
                received.close();
            }
        }
        // One view of the database for all of them, taken after the last of them was asked for. Without it each would
        // begin with an empty cache, wherever something was written meanwhile. Where it cannot be had, each has its own.
        let view = if taken.len() > 1 { connection.unchecked_transaction().ok() } else { None };
        for message in taken.drain(..) {
            if let Message::Query(query) = message {
                query(connection);
            }
        }
        drop(view);
    }
}
