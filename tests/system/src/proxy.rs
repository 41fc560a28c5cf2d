//! A middleman between a browser and the server: it passes everything on, until a test tells it what to spoil.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::http::{Kind, Message, send};

/// What becomes of one exchange.
pub enum Fate {
    /// The answer is given to the browser as it is, or as it was made here.
    Answer(Message),
    /// The connection breaks: the browser learns nothing, whatever the server has done.
    Cut,
}

type Rule = Arc<dyn Fn(&Message, Message) -> Fate + Send + Sync>;
type Barrier = Arc<dyn Fn(&Message) -> bool + Send + Sync>;

/// The middleman. It has an address of its own: the page that is loaded through it speaks through it.
pub struct Proxy {
    addr: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    server: SocketAddr,
    rule: Mutex<Rule>,
    barrier: Mutex<Barrier>,
    ended: AtomicBool,
}

impl Proxy {
    /// Stands in front of this server.
    ///
    /// # Panics
    /// No port is free.
    #[must_use]
    pub fn before(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let addr = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            server,
            rule: Mutex::new(Arc::new(|_, answer| Fate::Answer(answer))),
            barrier: Mutex::new(Arc::new(|_| true)),
            ended: AtomicBool::new(false),
        });
        let serving = shared.clone();
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                if serving.ended.load(Ordering::Relaxed) {
                    break;
                }
                let serving = serving.clone();
                // A browser that goes away in the middle is no concern of the middleman.
                std::thread::spawn(move || _ = serving.exchange(connection));
            }
        });
        Self { addr, shared }
    }

    /// Its own address.
    #[must_use]
    pub const fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// From now on answers of the server become what this makes of them.
    pub fn spoil(&self, rule: impl Fn(&Message, Message) -> Fate + Send + Sync + 'static) {
        *self.shared.rule.lock().unwrap() = Arc::new(rule);
    }

    /// From now on requests for which this is false never reach the server: the connection breaks. It may take its time.
    pub fn hold_back(&self, lets_pass: impl Fn(&Message) -> bool + Send + Sync + 'static) {
        *self.shared.barrier.lock().unwrap() = Arc::new(lets_pass);
    }

    /// From now on everything passes as it is.
    pub fn be_honest(&self) {
        self.spoil(|_, answer| Fate::Answer(answer));
        self.hold_back(|_| true);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        // Wakes the one that waits for connections.
        let _ = TcpStream::connect(self.addr);
    }
}

impl Shared {
    fn exchange(&self, mut connection: TcpStream) -> io::Result<()> {
        let Some(mut request) = Message::read(&connection, Kind::Request)? else { return Ok(()) };
        // What is to be altered must be readable.
        request.headers.retain(|(name, _)| name != "accept-encoding");
        let barrier = self.barrier.lock().unwrap().clone();
        if !barrier(&request) {
            return Ok(());
        }
        let answer = send(self.server, &request)?;
        let rule = self.rule.lock().unwrap().clone();
        match rule(&request, answer) {
            Fate::Answer(answer) => answer.write(&mut connection),
            Fate::Cut => Ok(()),
        }
    }
}
