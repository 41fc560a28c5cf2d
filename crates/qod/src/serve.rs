//! `qod serve`: the page, the players' API and that of points of sale, until the process is told to stop.

mod settings;

use std::io::{ErrorKind, Write as _};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use server::audit::{Audit, Entry, Kind};
use server::pos::GuessLimits;
use server::{Acknowledged, App, Keys, Limits, Metrics, NoRandomness, Readiness, ReceiptSigner, Site, Swept, Warm};
use store::Store;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;
use tracing::{error, info, warn};

use crate::acknowledged;
use crate::data::{now, print, random};
use crate::keys::read_keys;
use crate::receipt_keys::{complete_receipt_keys, receipt_keys};

use settings::LogFormat;
pub(crate) use settings::Settings;

/// How often expired sessions are forgotten.
const SWEEP_EVERY: Duration = Duration::from_secs(60 * 60);
/// How often games are settled whose 30 days have ended.
const SETTLE_EVERY: Duration = Duration::from_secs(5 * 60);
/// How often the receipt keys are read again: a new one takes over no sooner than a minute after it was made.
const KEYS_EVERY: Duration = Duration::from_secs(20);

/// The open files that a server needs beside its connections.
const OTHER_FILES: u64 = 96;

/// Serves until SIGINT or SIGTERM; or only checks whether it could.
pub(crate) fn run(settings: Settings, odd_names: &[String]) -> anyhow::Result<()> {
    log(&settings);
    for name in odd_names {
        warn!(name, "the environment has a name that looks like a setting and is none: `qod serve --help` lists them");
    }
    let settings = Settings { max_connections: fitting(settings.max_connections), ..settings };
    let site = Site::load(&settings.web)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = settings.store.open().await?;
        let served = serve(&settings, Arc::clone(&store), site).await;
        // Also where it failed: what was answered is on disk, this leaves the files tidy.
        let closed = store.close().await.context("the store cannot be closed");
        served.and(closed)
    })
}

fn log(settings: &Settings) {
    let log = tracing_subscriber::fmt().with_max_level(settings.log).with_writer(std::io::stderr).with_target(false);
    match settings.log_format {
        LogFormat::Text => log.init(),
        LogFormat::Json => log.json().flatten_event(true).with_current_span(true).with_span_list(false).init(),
    }
}

/// As many connections as the process may open files for, once it has asked for what it may have.
fn fitting(wanted: NonZeroUsize) -> NonZeroUsize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let needed = u64::try_from(wanted.get()).unwrap_or(u64::MAX).saturating_add(OTHER_FILES);
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|current| current >= needed) {
        return wanted;
    }
    let raised = maximum.map_or(needed, |maximum| maximum.min(needed));
    let had = setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum });
    let may = if had.is_ok() { raised } else { current.unwrap_or(raised) };
    let room = usize::try_from(may.saturating_sub(OTHER_FILES)).ok().and_then(NonZeroUsize::new);
    let room = room.unwrap_or(NonZeroUsize::MIN).min(wanted);
    if room < wanted {
        warn!(
            connections = room,
            "fewer connections than --max-connections: raise the limit of open files (ulimit -n)"
        );
    }
    room
}

async fn serve(settings: &Settings, store: Arc<dyn Store>, site: Site) -> anyhow::Result<()> {
    let data = &settings.store.data;
    let keys = keys_of_all(&*store, data).await?;
    let receipts = receipts(data)?;
    acknowledged::check(&*store, data).await?;
    // Before "listening": from then on a signal must find us ready.
    let mut signals = Signals::new()?;
    let listener = listen(settings.listen, "--listen").await?;
    let metrics_listener = match settings.metrics_listen {
        Some(address) => Some(listen(address, "--metrics-listen").await?),
        None => None,
    };
    let pos_listener = match settings.pos_listen {
        Some(address) => Some(listen(address, "--pos-listen").await?),
        None => None,
    };
    if settings.check_config {
        return print("The settings, the keys, the page and the store are in order.\n");
    }
    let address = listener.local_addr()?;
    let pos_address = pos_listener.as_ref().map(TcpListener::local_addr).transpose()?;
    let app = Arc::new(App {
        store,
        keys,
        receipts,
        clock: Box::new(now),
        random: Box::new(|bytes: &mut [u8]| getrandom::fill(bytes).map_err(|_| NoRandomness)),
        settings: settings.server(),
        limits: Limits::new(settings.limits()),
        metrics: Metrics::default(),
        readiness: Readiness::default(),
        warm: Warm::default(),
        acknowledged: Acknowledged::default(),
        audit: Audit::default(),
    });
    let (stop_audit, stopped) = tokio::sync::watch::channel(false);
    let writer = crate::audit::begin(Arc::clone(&app.store), "serve").await?;
    let told = Arc::clone(&app);
    let audit = tokio::spawn(async move { writer.run(&told.audit, &told.receipts, &*told.clock, stopped).await });
    let mut beside = JoinSet::new();
    beside.spawn(sweep(Arc::clone(&app)));
    beside.spawn(settle(Arc::clone(&app)));
    beside.spawn(server::watch_clock(Arc::clone(&app)));
    beside.spawn(acknowledged::note(Arc::clone(&app), data.clone()));
    beside.spawn(renew(Arc::clone(&app), data.clone()));
    if let Some(listener) = metrics_listener {
        info!(address = %listener.local_addr()?, "the metrics are served");
        beside.spawn(server::serve(listener, server::metrics_router(Arc::clone(&app)), std::future::pending()));
    }
    info!(%address, version = env!("CARGO_PKG_VERSION"), "started");
    let mut out = std::io::stdout();
    // Both listeners stop together, and both finish what runs.
    let (stop_pos, pos_stops) = tokio::sync::oneshot::channel();
    let points_of_sale = async {
        if let Some(listener) = pos_listener {
            let router = server::pos::router(Arc::clone(&app), GuessLimits::default());
            let stop = async { _ = pos_stops.await };
            server::serve_within(settings.room(), &app.limits, &app.metrics, listener, router, stop).await;
        }
    };
    // Said at once: whoever reads the first line may listen no longer.
    let mut said = format!("listening on http://{address}\n");
    if let Some(address) = pos_address {
        said += &format!("points of sale on http://{address}\n");
        info!(%address, "points of sale are served");
    }
    out.write_all(said.as_bytes()).and_then(|()| out.flush())?;
    let router = server::router(Arc::clone(&app), site);
    let stop = async {
        signals.next().await;
        app.readiness.stop();
        let drain = settings.drain();
        if !drain.is_zero() {
            info!(seconds = drain.as_secs(), "stopping: not ready any more, serving on meanwhile");
            // A second signal is for someone in a hurry.
            let _ = tokio::time::timeout(drain, signals.next()).await;
        }
        let _ = stop_pos.send(());
    };
    let players = server::serve_within(settings.room(), &app.limits, &app.metrics, listener, router, stop);
    tokio::join!(players, points_of_sale);
    beside.shutdown().await;
    if let Err(cause) = acknowledged::note_once(&app, data).await {
        warn!(cause = format!("{cause:#}"), "what was acknowledged is not noted");
    }
    // Its end is written, and signed.
    let _ = stop_audit.send(true);
    let _ = audit.await;
    Ok(())
}

async fn listen(address: SocketAddr, flag: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        let hint = match error.kind() {
            ErrorKind::AddrInUse => "another program listens there: stop it, or choose another port",
            ErrorKind::AddrNotAvailable => "this machine has no such address: choose another one",
            ErrorKind::PermissionDenied => "ports below 1024 need rights: choose another one",
            _ => "choose another address",
        };
        anyhow::Error::new(error).context(format!("cannot listen on {address}; {hint} with {flag}"))
    })
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

/// Settles the games that nobody looks at any more. Servers beside each other may all do it.
async fn settle(app: Arc<App>) {
    let mut every = tokio::time::interval(SETTLE_EVERY);
    loop {
        every.tick().await;
        match server::settle_due(&*app.store, app.clock.now()).await {
            Ok(swept) if swept == Swept::default() => {}
            Ok(swept) => info!(settled = swept.settled, moved = swept.moved, corrupt = swept.corrupt, "games settled"),
            Err(cause) => error!(%cause, "games whose time has ended could not be settled"),
        }
    }
}

/// What asks the process to stop.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// From now on they are waited for, and no longer end the process by themselves.
    fn new() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Ready once the process is asked to stop.
    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
