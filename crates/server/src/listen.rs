//! The listener: HTTP/1.1 over TCP, with bounds on what a client can hold, and an orderly end.

mod crowd;

use std::io::ErrorKind;
use std::net::IpAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tower_service::Service as _;
use tracing::{debug, error, info};

use crate::limits::{Limits, Peer};
use crate::metrics::{Limit, Metrics};
use crowd::{Came, Crowd, Place};

pub use crowd::Room;

/// How long a request's head may take to arrive, and how long a connection may lie idle. A proxy in front must let go
/// of an idle connection sooner than this.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// The largest head of a request, in bytes, and the most headers in it.
const HEAD_BYTES: usize = 16 * 1024;
const HEAD_COUNT: usize = 64;
/// How long a client may take nothing of an answer.
const READ_TIME: Duration = Duration::from_secs(20);
/// How long a connection lives, however busy: it is then asked to come again, so that one that reads too slowly does
/// not stay for ever.
const LIFE_TIME: Duration = Duration::from_secs(300);
/// How long what runs may take to finish, when a connection ends or the server stops.
const GRACE_TIME: Duration = Duration::from_secs(35);
/// What is said where there is no room.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// Serves until `shutdown` is ready; then takes no more connections, finishes the requests that run, and returns.
pub async fn serve(listener: TcpListener, router: Router, shutdown: impl Future<Output = ()>) {
    serve_within(Room::default(), &Limits::default(), &Metrics::default(), listener, router, shutdown).await;
}

/// The same, with that room for connections; `limits` knows the trusted proxies, `metrics` counts.
pub async fn serve_within(
    room: Room,
    limits: &Limits,
    metrics: &Metrics,
    listener: TcpListener,
    router: Router,
    shutdown: impl Future<Output = ()>,
) {
    let (stop, stopped) = watch::channel(false);
    let crowd = Crowd::new(room, limits.proxies.clone());
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    info!("serving");
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            Some(ended) = connections.join_next() => {
                metrics.connections.set(i64::try_from(crowd.len()).unwrap_or(i64::MAX));
                if let Ok(Some(limit)) = ended {
                    metrics.limited(limit);
                }
                continue;
            }
            accepted = accept(&listener) => accepted,
        };
        let Some((stream, from)) = accepted else { continue };
        match crowd.come(from) {
            Came::In(place) => {
                connections.spawn(connection(stream, from, place, router.clone(), stopped.clone()));
            }
            // What does not fit at once into what the system buffers is not waited for.
            Came::Full => {
                metrics.limited(Limit::Connections);
                let _ = stream.try_write(FULL);
            }
        }
        metrics.connections.set(i64::try_from(crowd.len()).unwrap_or(i64::MAX));
    }
    drop(listener);
    info!(connections = crowd.len(), "stopping: finishing what runs");
    let _ = stop.send(true);
    while connections.join_next().await.is_some() {}
    info!("stopped");
}

async fn accept(listener: &TcpListener) -> Option<(TcpStream, IpAddr)> {
    match listener.accept().await {
        Ok((stream, from)) => Some((stream, from.ip())),
        Err(error) => {
            // A client that left before it was accepted concerns only itself. The rest (no file descriptor left, say)
            // lasts a while.
            let own = [ErrorKind::ConnectionAborted, ErrorKind::ConnectionReset, ErrorKind::ConnectionRefused];
            if !own.contains(&error.kind()) {
                error!(%error, "no connection can be accepted");
                sleep(Duration::from_millis(100)).await;
            }
            None
        }
    }
}

async fn connection(
    stream: TcpStream,
    from: IpAddr,
    place: Place,
    router: Router,
    mut stopped: watch::Receiver<bool>,
) -> Option<Limit> {
    // Answers are small and whole: each goes out at once.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(READ_TIME));
    let stream = pin!(stream);
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEAD_COUNT)
        .serve_connection(TokioIo::new(stream), service_fn(|request| answer(&place, from, &router, request)));
    let mut served = pin!(served);
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        // Dropped as it is: nothing of it was begun.
        () = place.leave.notified() => return Some(Limit::SilentConnection),
        () = ends(&mut stopped) => {
            served.as_mut().graceful_shutdown();
            timeout(GRACE_TIME, served).await.unwrap_or(Ok(()))
        }
    };
    let error = ended.err()?;
    // The client's doing, and its choice of bytes: of no interest but to whoever looks for it.
    debug!(%error, "a connection broke");
    let timed_out = std::error::Error::source(&error)
        .and_then(|cause| cause.downcast_ref::<std::io::Error>())
        .is_some_and(|cause| cause.kind() == ErrorKind::TimedOut);
    (error.is_timeout() || timed_out).then_some(Limit::SlowClient)
}

async fn answer(
    place: &Place,
    from: IpAddr,
    router: &Router,
    request: hyper::Request<Incoming>,
) -> Result<Response, Left> {
    if !place.speaks() {
        return Err(Left);
    }
    let mut request: Request = request.map(Body::new);
    request.extensions_mut().insert(Peer(from));
    let Ok(response) = router.clone().call(request).await;
    place.falls_silent();
    Ok(response)
}

/// The connection had to make room just as its request came.
#[derive(Debug, thiserror::Error)]
#[error("the connection had to make room")]
struct Left;

/// Ready when the server stops, or the connection has lived long enough.
async fn ends(stopped: &mut watch::Receiver<bool>) {
    let _ = timeout(LIFE_TIME, stopped.wait_for(|stopped| *stopped)).await;
}
