//! HTTP: the player's API, the page and its files.
//!
//! A request goes through `watch` (an id, a line in the log, a net under panics) and `headers` to `api`, which reads it
//! and asks `play`: there a ticket is loaded from the store, the engine decides, and the event is kept by
//! compare-and-set before the answer leaves. Anything else is `site`: the page and its files.
//!
//! The server keeps no game and no session in memory. It knows no rule of the game: those are the engine's. Time,
//! randomness, keys and settings are handed in ([`App`]).

mod acknowledged;
mod api;
mod app;
pub mod audit;
mod clock;
mod description;
mod failure;
mod headers;
mod keys;
mod limits;
mod listen;
mod metrics;
mod play;
pub mod pos;
mod readiness;
mod receipts;
pub mod records;
mod reply;
mod session;
mod site;
mod sweep;
mod warm;
mod watch;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use protocol::ProblemCode;

pub use acknowledged::Acknowledged;
pub use app::{App, Clock, NoRandomness, Random, Settings};
pub use clock::watch_clock;
pub use keys::{EmissionKeys, Keys};
pub use limits::{LimitSettings, Limits, Origin, Peer, ProxyHeader};
pub use listen::{Room, serve, serve_within};
pub use metrics::{Metrics, metrics_router};
pub use readiness::Readiness;
pub use receipts::{ReceiptKeys, ReceiptSigner, Unpublished};
pub use site::{Site, SiteError};
pub use sweep::{Swept, settle_due};
pub use warm::Warm;

use failure::Failure;

/// Whether the process answers.
pub(crate) const HEALTH: &str = "/healthz";
/// Whether it can serve: its store answers and takes writes, and nobody has asked it to stop.
pub(crate) const READY: &str = "/readyz";

/// Everything that this server answers.
pub fn router(app: Arc<App>, site: Site) -> Router {
    let site = Arc::new(site);
    let elsewhere = move |request: Request| {
        let site = Arc::clone(&site);
        async move { outside_the_api(&site, &request) }
    };
    Router::new()
        .route(HEALTH, get(async || reply::text(StatusCode::OK, "ok\n")))
        .route(READY, get(ready))
        .route(protocol::routes::KEYS, get(keys))
        .merge(description::players())
        .merge(api::api())
        .fallback(elsewhere)
        .layer(from_fn(watch::catch))
        .layer(from_fn_with_state(Arc::clone(&app), headers::guard))
        .layer(from_fn_with_state(Arc::clone(&app), watch::log))
        .with_state(app)
}

async fn ready(State(app): State<Arc<App>>) -> Result<Response, Failure> {
    app.ready().await?;
    Ok(reply::text(StatusCode::OK, "ready\n"))
}

/// The operator's receipt keys, retired ones too.
async fn keys(State(app): State<Arc<App>>) -> Response {
    reply::json(200, "application/json", app.receipts.keys().published().to_json())
}

fn outside_the_api(site: &Site, request: &Request) -> Response {
    let path = request.uri().path();
    if watch::is_api(path) {
        return Failure::from(ProblemCode::NotFound).into_response();
    }
    site.answer(request.method(), path, request.headers())
}
