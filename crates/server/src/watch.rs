//! What the log says of a request, and what becomes of one whose handler panics.
//!
//! Never logged: bodies, query strings and raw paths, headers, codes, tokens, seeds, keys. An address is told by the
//! template of its route.

use std::future::poll_fn;
use std::net::{IpAddr, Ipv6Addr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use seal::hash::to_hex;
use tokio::time::Instant;
use tracing::{Instrument as _, debug, info, info_span};

use crate::app::{App, Random};
use crate::failure::{Failure, Told};
use crate::limits::{Origin, Peer};
use crate::reply::text;

/// Names a request in the log; on its answer, so that a player's report finds it.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Asked all the time by machines.
const QUIET: [&str; 2] = [crate::HEALTH, crate::READY];

/// Logs each request with its answer, under an id of its own.
pub(crate) async fn log(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let peer = request.extensions().get().map_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED), |Peer(peer)| *peer);
    let proxies = &app.limits.proxies;
    let told = proxies.trust(peer).then(|| told_id(request.headers())).flatten();
    let id = told.unwrap_or_else(|| request_id(&*app.random));
    let client = proxies.client(peer, request.headers());
    request.extensions_mut().insert(Origin::of(client));
    let method = method_name(request.method());
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or("other", MatchedPath::as_str);
    let span = info_span!("request", id);
    let start = Instant::now();
    let mut response = next.run(request).instrument(span.clone()).await;
    let (status, took) = (response.status().as_u16(), start.elapsed());
    let told = response.extensions().get::<Told>().copied();
    let code = told.map(|told| told.code);
    app.metrics.answered(method, route, status, took);
    if let Some(Told { code, fault }) = told {
        app.metrics.refused(code);
        fault.into_iter().for_each(|kind| app.metrics.failed(kind));
    }
    if response.status().is_server_error() {
        app.audit.error(route, status);
    }
    span.in_scope(|| {
        let micros = took.as_micros();
        if QUIET.contains(&route) {
            debug!(method, route, status, code, micros, "answered");
        } else {
            info!(method, route, status, code, micros, "answered");
        }
    });
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// Answers for a handler that panics: one request fails, the server goes on.
pub(crate) async fn catch(request: Request, next: Next) -> Response {
    let api = is_api(request.uri().path());
    let mut answer = pin!(next.run(request));
    // Nothing of the future is looked at after its panic.
    let answered = poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context))) {
        Ok(poll) => poll.map(Some),
        Err(_) => std::task::Poll::Ready(None),
    });
    match answered.await {
        Some(response) => response,
        None if api => Failure::Panic.into_response(),
        None => text(StatusCode::INTERNAL_SERVER_ERROR, "internal error\n"),
    }
}

/// Whether an address is of an API (the player's, the points of sale's), where every error is a problem document.
pub(crate) fn is_api(path: &str) -> bool {
    ["/api", "/pos"]
        .iter()
        .any(|api| path.strip_prefix(api).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// The id that a trusted proxy gave: up to 64 letters, digits and `-_.`, or it is none.
fn told_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(REQUEST_ID)?.to_str().ok()?;
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    ((1..=64).contains(&id.len()) && id.bytes().all(allowed)).then(|| id.to_owned())
}

fn request_id(random: &dyn Random) -> String {
    let mut id = [0; 8];
    // Without randomness ids are no longer unique; the requests that need it fail by themselves.
    let _ = random.fill(&mut id);
    to_hex(&id)
}

/// The method where it is a usual one: a caller can make up any word.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::PATCH => "PATCH",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
