//! What waits goes together: a few tasks, each with a connection, take all that has queued up and send it as one
//! statement, in one round trip and one commit. While it is on its way the next ones queue up. So one caller waits for
//! nobody, and many share the price of a flush.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Mutex as AsyncMutex, mpsc, oneshot};
use tokio::task::JoinHandle;

use super::attempts::{Attempt, Attempted, persist};
use super::config::PostgresConfig;
use super::connection::{BY_INDEX, Connection};
use crate::StoreError;
use crate::counters::Counters;

/// The most questions in one statement.
const GROUP: usize = 256;

/// How many may queue before callers wait to hand theirs over.
const QUEUE: usize = 4 * GROUP;

/// A kind of question that many can ask in one statement.
pub(super) trait Batch: Send + Sync + 'static {
    type Ask: Send + Sync + 'static;
    type Answer: Send + 'static;
    /// What two questions of one statement must not share, if anything.
    type Key: Eq + std::hash::Hash + Send;

    /// How many share each commit is counted.
    const COUNTED: bool;

    fn key(ask: &Self::Ask) -> Option<Self::Key>;

    /// Asks all of them; as many answers, in order.
    fn ask<'a>(
        connection: &'a mut Connection,
        attempt: Attempt,
        asks: &'a [&'a Self::Ask],
    ) -> Attempted<'a, Vec<Result<Self::Answer, StoreError>>>;
}

struct Waiting<B: Batch> {
    ask: B::Ask,
    reply: oneshot::Sender<Result<B::Answer, StoreError>>,
}

enum Message<B: Batch> {
    Ask(Waiting<B>),
    Close,
}

/// The way to the tasks.
pub(super) struct Batcher<B: Batch> {
    messages: mpsc::Sender<Message<B>>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl<B: Batch> Batcher<B> {
    pub(super) fn start(tasks: usize, config: &Arc<PostgresConfig>, counters: &Arc<Counters>) -> Self {
        let (messages, received) = mpsc::channel(QUEUE);
        let received = Arc::new(AsyncMutex::new(received));
        let serve = |_| {
            let task = Task::<B> {
                received: Arc::clone(&received),
                config: Arc::clone(config),
                counters: Arc::clone(counters),
            };
            tokio::spawn(task.serve())
        };
        Self { messages, tasks: Mutex::new((0..tasks).map(serve).collect()) }
    }

    pub(super) async fn ask(&self, ask: B::Ask) -> Result<B::Answer, StoreError> {
        let (reply, answer) = oneshot::channel();
        let sent = self.messages.send(Message::Ask(Waiting { ask, reply })).await;
        sent.map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    pub(super) fn waiting(&self) -> u64 {
        u64::try_from(self.messages.max_capacity().saturating_sub(self.messages.capacity())).unwrap_or(u64::MAX)
    }

    /// Finishes what waits and refuses what comes later.
    pub(super) async fn close(&self) {
        // An error says that the tasks have left already.
        let _ = self.messages.send(Message::Close).await;
        let tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        for task in tasks {
            // One that panicked has left all the same.
            let _ = task.await;
        }
    }
}

struct Task<B: Batch> {
    received: Arc<AsyncMutex<mpsc::Receiver<Message<B>>>>,
    config: Arc<PostgresConfig>,
    counters: Arc<Counters>,
}

impl<B: Batch> Task<B> {
    async fn serve(self) {
        let mut slot = None;
        let mut later = VecDeque::new();
        let mut incoming = Vec::with_capacity(GROUP);
        loop {
            if later.is_empty() {
                let mut received = self.received.lock().await;
                if received.recv_many(&mut incoming, GROUP).await == 0 {
                    return;
                }
                if incoming.iter().any(|message| matches!(message, Message::Close)) {
                    // What was sent before is still received, by all; then everyone finds the end.
                    received.close();
                }
            }
            for message in incoming.drain(..) {
                if let Message::Ask(waiting) = message {
                    later.push_back(waiting);
                }
            }
            let group = without_doubles(&mut later);
            if !group.is_empty() {
                self.answer(&mut slot, group).await;
            }
        }
    }

    async fn answer(&self, slot: &mut Option<Connection>, group: Vec<Waiting<B>>) {
        let asks: Vec<&B::Ask> = group.iter().map(|waiting| &waiting.ask).collect();
        let answers =
            persist(&self.config, BY_INDEX, &self.counters, slot, asks.as_slice(), |connection, attempt, asks| {
                B::ask(connection, attempt, asks)
            })
            .await;
        if B::COUNTED && answers.is_ok() {
            self.counters.group(group.len());
        }
        match answers {
            Ok(answers) => {
                for (waiting, answer) in group.into_iter().zip(answers) {
                    // The caller may have stopped waiting.
                    let _ = waiting.reply.send(answer);
                }
            }
            Err(error) => {
                for waiting in group {
                    let _ = waiting.reply.send(Err(error.clone()));
                }
            }
        }
    }
}

/// Takes those that can go together; of several with one key the first, so that the others find what became of it.
fn without_doubles<B: Batch>(waiting: &mut VecDeque<Waiting<B>>) -> Vec<Waiting<B>> {
    let mut keys = HashSet::new();
    let (mut group, mut doubles) = (Vec::new(), VecDeque::new());
    for one in waiting.drain(..) {
        if B::key(&one.ask).is_none_or(|key| keys.insert(key)) {
            group.push(one);
        } else {
            doubles.push_back(one);
        }
    }
    *waiting = doubles;
    group
}
