//! `qod serve`: the page and the players' API, until the process is told to stop.

use std::io::{ErrorKind, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use server::audit::{Audit, Entry, Kind};
use server::{App, Keys, Limits, Metrics, NoRandomness, Readiness, ReceiptSigner, Room, Settings, Site};
use store::Store;
use tokio::net::TcpListener;
use tracing::{error, info, level_filters::LevelFilter};

use crate::data::{now, open_store, random};
use crate::keys::read_keys;
use crate::receipt_keys::{complete_receipt_keys, receipt_keys};

/// How often expired sessions are forgotten.
const SWEEP_EVERY: Duration = Duration::from_secs(60 * 60);
/// How often the receipt keys are read again: a new one takes over no sooner than a minute after it was made.
const KEYS_EVERY: Duration = Duration::from_secs(20);

/// What `qod serve` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The data directory: the database and the keys of its emissions
    #[arg(long, value_name = "DIR", default_value = ".data")]
    data: PathBuf,
    /// The folder that the page was built into
    #[arg(long, value_name = "DIST", default_value = "dist")]
    web: PathBuf,
    /// The address and port to listen on
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8000")]
    listen: SocketAddr,
    /// A proxy in front ends TLS, and nobody reaches this server otherwise: browsers are told to insist on HTTPS
    #[arg(long)]
    tls_in_front: bool,
    /// What is logged to standard error, and all that is graver: error, warn, info, debug, trace or off
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log: LevelFilter,
}

/// Serves until SIGINT or SIGTERM.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    tracing_subscriber::fmt().with_max_level(args.log).with_writer(std::io::stderr).with_target(false).init();
    let site = Site::load(&args.web)?;
    let store: Arc<dyn Store> = Arc::new(open_store(&args.data)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let served = serve(&args, Arc::clone(&store), site).await;
        // Also where it failed: what was answered is on disk, this leaves the files tidy.
        let closed = store.close().await.context("the store cannot be closed");
        served.and(closed)
    })
}

async fn serve(args: &Args, store: Arc<dyn Store>, site: Site) -> anyhow::Result<()> {
    let keys = keys_of_all(&*store, &args.data).await?;
    let receipts = receipts(&args.data)?;
    // Before "listening": from then on a signal must find us ready.
    let stop = stop_signal()?;
    let listener = TcpListener::bind(args.listen).await.map_err(|error| explain(error, args.listen))?;
    let address = listener.local_addr()?;
    let app = Arc::new(App {
        store,
        keys,
        receipts,
        clock: Box::new(now),
        random: Box::new(|bytes: &mut [u8]| getrandom::fill(bytes).map_err(|_| NoRandomness)),
        settings: Settings { tls_in_front: args.tls_in_front, ..Settings::default() },
        limits: Limits::default(),
        metrics: Metrics::default(),
        readiness: Readiness::default(),
        audit: Audit::default(),
    });
    let (stop_audit, stopped) = tokio::sync::watch::channel(false);
    let writer = crate::audit::begin(Arc::clone(&app.store), "serve").await?;
    let told = Arc::clone(&app);
    let audit = tokio::spawn(async move { writer.run(&told.audit, &told.receipts, &*told.clock, stopped).await });
    let sweep = tokio::spawn(sweep(Arc::clone(&app)));
    let clock = tokio::spawn(server::watch_clock(Arc::clone(&app)));
    let renew = tokio::spawn(renew(Arc::clone(&app), args.data.clone()));
    info!(%address, version = env!("CARGO_PKG_VERSION"), "started");
    let mut out = std::io::stdout();
    writeln!(out, "listening on http://{address}").and_then(|()| out.flush())?;
    let router = server::router(Arc::clone(&app), site);
    server::serve_within(Room::default(), &app.limits, &app.metrics, listener, router, stop).await;
    sweep.abort();
    renew.abort();
    clock.abort();
    // Its end is written, and signed.
    let _ = stop_audit.send(true);
    let _ = audit.await;
    Ok(())
}

/// The keys of every emission in the store.
async fn keys_of_all(store: &dyn Store, data: &Path) -> anyhow::Result<Keys> {
    let emissions = store.emissions().await?;
    anyhow::ensure!(
        !emissions.is_empty(),
        "there is no emission in {}: run `qod issue --data {} --demo` first",
        data.display(),
        data.display()
    );
    let keys: Keys = emissions
        .iter()
        .map(|emission| Ok((emission.id, read_keys(data, emission.id)?)))
        .collect::<anyhow::Result<_>>()?;
    let data = data.to_owned();
    Ok(keys.or_from(move |emission| match read_keys(&data, emission) {
        Ok(keys) => {
            info!(emission, "the keys of a new emission are read");
            Some(keys)
        }
        Err(cause) => {
            error!(%cause, "the keys of a new emission cannot be read");
            None
        }
    }))
}

/// What signs receipts: the keys of the data directory; the first one is made where there is none.
fn receipts(data: &Path) -> anyhow::Result<ReceiptSigner> {
    let now = now();
    if complete_receipt_keys(data, now, &random()?)? {
        info!("the first receipt key is made");
    }
    Ok(ReceiptSigner::new(receipt_keys(data, now)?))
}

/// Reads the receipt keys again and again, so that a new one takes over without a restart.
async fn renew(app: Arc<App>, data: PathBuf) {
    let mut every = tokio::time::interval(KEYS_EVERY);
    loop {
        every.tick().await;
        match receipt_keys(&data, now()) {
            Ok(keys) if keys.published() == app.receipts.keys().published() => {}
            Ok(keys) => {
                app.receipts.replace(keys);
                app.significant(Entry::new(Kind::Keys).text("what", "the receipt keys in use have changed"));
                info!("the receipt keys have changed");
            }
            Err(cause) => {
                error!(cause = format!("{cause:#}"), "the receipt keys cannot be read: those read before stay")
            }
        }
    }
}

fn explain(error: std::io::Error, address: SocketAddr) -> anyhow::Error {
    let hint = match error.kind() {
        ErrorKind::AddrInUse => "another program listens there: stop it, or choose another port with --listen",
        ErrorKind::AddrNotAvailable => "this machine has no such address: choose another one with --listen",
        ErrorKind::PermissionDenied => "ports below 1024 need rights: choose another one with --listen",
        _ => "choose another address with --listen",
    };
    anyhow::Error::new(error).context(format!("cannot listen on {address}; {hint}"))
}

async fn sweep(app: Arc<App>) {
    let mut every = tokio::time::interval(SWEEP_EVERY);
    loop {
        every.tick().await;
        match app.forget_expired_sessions().await {
            Ok(0) => {}
            Ok(sessions) => info!(sessions, "expired sessions are forgotten"),
            Err(cause) => error!(%cause, "expired sessions could not be forgotten"),
        }
    }
}

/// Ready once the process is asked to stop.
#[cfg(unix)]
fn stop_signal() -> anyhow::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ready once the process is asked to stop.
#[cfg(not(unix))]
fn stop_signal() -> anyhow::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
