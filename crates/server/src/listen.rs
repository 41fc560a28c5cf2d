//! The listener: HTTP/1.1 over TCP, with bounds on what a client can hold, and an orderly end.

use std::io::ErrorKind;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::{debug, error, info};

/// The most connections at once; more wait to be accepted. Below the 1,024 open files that a process usually may have.
const MOST_CONNECTIONS: usize = 768;
/// How long a request's head may take to arrive, and how long a connection may lie idle. A proxy in front must let go
/// of an idle connection sooner than this.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// The largest head of a request, in bytes, and the most headers in it.
const HEAD_BYTES: usize = 16 * 1024;
const HEAD_COUNT: usize = 64;
/// How long a connection lives, however busy: it is then asked to come again, so that one that reads too slowly does
/// not stay for ever.
const LIFE_TIME: Duration = Duration::from_secs(300);
/// How long what runs may take to finish, when a connection ends or the server stops.
const GRACE_TIME: Duration = Duration::from_secs(35);

/// Serves until `shutdown` is ready; then takes no more connections, finishes the requests that run, and returns.
pub async fn serve(listener: TcpListener, router: Router, shutdown: impl Future<Output = ()>) {
    let (stop, stopped) = watch::channel(false);
    let free = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    info!("serving");
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => continue,
            accepted = accept(&listener, &free) => accepted,
        };
        let Some((stream, permit)) = accepted else { continue };
        let (router, stopped) = (router.clone(), stopped.clone());
        connections.spawn(async move {
            connection(stream, router, stopped).await;
            drop(permit);
        });
    }
    drop(listener);
    info!(connections = connections.len(), "stopping: finishing what runs");
    let _ = stop.send(true);
    while connections.join_next().await.is_some() {}
    info!("stopped");
}

type Permit = tokio::sync::OwnedSemaphorePermit;

async fn accept(listener: &TcpListener, free: &Arc<Semaphore>) -> Option<(TcpStream, Permit)> {
    let permit = Arc::clone(free).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => Some((stream, permit)),
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

async fn connection(stream: TcpStream, router: Router, mut stopped: watch::Receiver<bool>) {
    // Answers are small and whole: each goes out at once.
    let _ = stream.set_nodelay(true);
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES)
        .max_headers(HEAD_COUNT)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut served = pin!(served);
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = ends(&mut stopped) => {
            served.as_mut().graceful_shutdown();
            timeout(GRACE_TIME, served).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        // The client's doing, and its choice of bytes: of no interest but to whoever looks for it.
        debug!(%error, "a connection broke");
    }
}

/// Ready when the server stops, or the connection has lived long enough.
async fn ends(stopped: &mut watch::Receiver<bool>) {
    let _ = timeout(LIFE_TIME, stopped.wait_for(|stopped| *stopped)).await;
}
