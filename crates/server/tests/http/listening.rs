//! The listener, over real connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use protocol::{SessionRequest, routes};
use server::Room;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::harness::Trial;

/// A server that listens until it is told to stop.
struct Listening {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

async fn listen(trial: &Trial) -> Listening {
    listen_within(trial, Room::default()).await
}

async fn listen_within(trial: &Trial, room: Room) -> Listening {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel();
    let router = trial.router.clone();
    let app = Arc::clone(&trial.app);
    let served = tokio::spawn(async move {
        server::serve_within(room, &app.limits, &app.metrics, listener, router, async { _ = stopped.await }).await;
    });
    Listening { address, stop, served }
}

/// One answer, as far as it has a length.
async fn answer(stream: &mut TcpStream) -> String {
    let mut read = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&read);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if length.is_none_or(|length| body.len() >= length.parse().unwrap()) {
                return text.into_owned();
            }
        }
        let mut more = [0; 4096];
        match stream.read(&mut more).await.unwrap() {
            0 => return text.into_owned(),
            n => read.extend_from_slice(&more[..n]),
        }
    }
}

#[tokio::test]
async fn a_connection_serves_several_requests_and_says_nothing_of_the_program() {
    let trial = Trial::new().await;
    let listening = listen(&trial).await;
    let mut stream = TcpStream::connect(listening.address).await.unwrap();
    for path in ["/healthz", "/qod", "/nothing"] {
        stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await.unwrap();
        let heard = answer(&mut stream).await;
        assert!(heard.starts_with("HTTP/1.1 "), "{heard}");
        assert!(!heard.to_lowercase().contains("\r\nserver:"), "{heard}");
    }
}

#[tokio::test]
async fn a_stop_finishes_the_request_that_runs_closes_idle_connections_and_takes_no_more() {
    let trial = Trial::new().await;
    let issued = trial.issue(20).await;
    let body = SessionRequest { code: issued.code.grouped() }.to_json();
    let listening = listen(&trial).await;
    let mut idle = TcpStream::connect(listening.address).await.unwrap();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    answer(&mut idle).await;
    let mut running = TcpStream::connect(listening.address).await.unwrap();
    let head = format!(
        "POST {} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: {}\r\n\r\n",
        routes::SESSIONS,
        body.len()
    );
    running.write_all(head.as_bytes()).await.unwrap();
    // The server asks for the body: the request runs.
    let asked = answer(&mut running).await;
    assert!(asked.starts_with("HTTP/1.1 100"), "{asked}");

    listening.stop.send(()).unwrap();
    assert_eq!(idle.read(&mut [0; 16]).await.unwrap(), 0);
    assert!(!listening.served.is_finished());
    running.write_all(body.as_bytes()).await.unwrap();
    let heard = answer(&mut running).await;
    assert!(heard.starts_with("HTTP/1.1 200") && heard.contains("\"token\""), "{heard}");
    listening.served.await.unwrap();
    assert!(TcpStream::connect(listening.address).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_come_ends_its_connection_after_30_seconds() {
    let trial = Trial::new().await;
    let listening = listen(&trial).await;
    for sent in [&b""[..], b"GET /healthz HTTP/1.1\r\nhost:"] {
        let start = Instant::now();
        let mut stream = TcpStream::connect(listening.address).await.unwrap();
        stream.write_all(sent).await.unwrap();
        let mut read = Vec::new();
        let _ = stream.read_to_end(&mut read).await;
        let waited = start.elapsed();
        assert!(waited >= Duration::from_secs(29) && waited <= Duration::from_secs(31), "{waited:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_come_is_waited_for_10_seconds() {
    let trial = Trial::new().await;
    let listening = listen(&trial).await;
    let mut stream = TcpStream::connect(listening.address).await.unwrap();
    let head =
        "POST /api/v1/sessions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{";
    let start = Instant::now();
    stream.write_all(head.as_bytes()).await.unwrap();
    let heard = answer(&mut stream).await;
    assert!(heard.starts_with("HTTP/1.1 400") && heard.contains("in time"), "{heard}");
    assert!(start.elapsed() >= Duration::from_secs(9) && start.elapsed() <= Duration::from_secs(11));
}

#[tokio::test]
async fn a_head_larger_than_16_kib_is_refused() {
    let trial = Trial::new().await;
    let listening = listen(&trial).await;
    let mut stream = TcpStream::connect(listening.address).await.unwrap();
    let head = format!("GET /healthz HTTP/1.1\r\nhost: x\r\nx-filler: {}\r\n\r\n", "a".repeat(20_000));
    let _ = stream.write_all(head.as_bytes()).await;
    let heard = answer(&mut stream).await;
    assert!(heard.starts_with("HTTP/1.1 431"), "{heard}");
}

#[tokio::test]
async fn whoever_opens_many_connections_and_says_nothing_delays_nobody() {
    let trial = Trial::new().await;
    let listening = listen_within(&trial, Room { in_all: 40, of_one: 20 }).await;
    let mut silent = vec![];
    for _ in 0..60 {
        silent.push(TcpStream::connect(listening.address).await.unwrap());
    }
    // Not even a neighbour behind the same address.
    let mut stream = TcpStream::connect(listening.address).await.unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let heard = answer(&mut stream).await;
    assert!(heard.starts_with("HTTP/1.1 200"), "{heard}");
    // Those that were silent longest had to go.
    assert_eq!(silent[0].read(&mut [0; 16]).await.unwrap(), 0);
}

#[tokio::test]
async fn where_all_that_one_address_may_have_is_busy_a_further_connection_is_told_so() {
    let trial = Trial::new().await;
    let listening = listen_within(&trial, Room { in_all: 40, of_one: 2 }).await;
    let head =
        b"POST /api/v1/sessions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nexpect: 100-continue\r\n\
        content-length: 9\r\n\r\n";
    let mut busy = vec![];
    for _ in 0..2 {
        let mut stream = TcpStream::connect(listening.address).await.unwrap();
        stream.write_all(head).await.unwrap();
        assert!(answer(&mut stream).await.starts_with("HTTP/1.1 100"));
        busy.push(stream);
    }
    let mut third = TcpStream::connect(listening.address).await.unwrap();
    let heard = answer(&mut third).await;
    assert!(heard.starts_with("HTTP/1.1 503") && heard.contains("retry-after: 1"), "{heard}");
    drop(busy);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_nothing_of_its_answers_is_let_go() {
    let page = tempfile::tempdir().unwrap();
    std::fs::write(page.path().join("index.html"), vec![b'x'; 8 << 20]).unwrap();
    let trial = Trial::of_page(page.path()).await;
    let listening = listen(&trial).await;
    let mut stream = TcpStream::connect(listening.address).await.unwrap();
    // More than the system's buffers take.
    for _ in 0..4 {
        stream.write_all(b"GET /qod HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(120)).await;
    let mut taken = 0;
    let mut more = vec![0; 1 << 20];
    while let Ok(n @ 1..) = stream.read(&mut more).await {
        taken += n;
    }
    assert!(taken < 32 << 20, "{taken}");
}
