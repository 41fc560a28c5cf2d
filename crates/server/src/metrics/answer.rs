//! The page that Prometheus asks for.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;

use super::store::StoreCollector;
use crate::app::App;
use crate::reply;

/// Its media type (OpenMetrics 1.0).
const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// `GET /metrics`, and nothing else: for a listener that only the operator's own machines reach.
pub fn metrics_router(app: Arc<App>) -> Router {
    let missing = async || reply::text(StatusCode::NOT_FOUND, "the metrics are at /metrics\n");
    Router::new().route("/metrics", get(metrics)).fallback(missing).with_state(app)
}

async fn metrics(State(app): State<Arc<App>>) -> Response {
    let mut store = Registry::with_prefix("qod");
    store.register_collector(Box::new(StoreCollector(app.store.metrics())));
    let mut text = String::new();
    let written = encode(&mut text, &app.metrics.registry).and_then(|()| {
        // One document: its end is written once.
        text.truncate(text.trim_end().strip_suffix("# EOF").unwrap_or(&text).len());
        encode(&mut text, &store)
    });
    match written {
        Ok(()) => ([(header::CONTENT_TYPE, MEDIA_TYPE), (header::CACHE_CONTROL, "no-store")], text).into_response(),
        Err(_) => reply::text(StatusCode::INTERNAL_SERVER_ERROR, "the metrics cannot be written\n"),
    }
}
