//! How answers are made.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;

/// Nothing of it may be kept by a browser or by anything on the way.
pub(crate) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// An answer of the API: never kept, never compressed (its size must tell nothing beyond what it says).
pub(crate) fn json(status: u16, media_type: &'static str, body: String) -> Response {
    answer(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), media_type, body)
}

/// A short text for whoever asked for what is not there.
pub(crate) fn text(status: StatusCode, body: &'static str) -> Response {
    answer(status, "text/plain; charset=utf-8", body)
}

/// A small page.
pub(crate) fn html(status: StatusCode, body: &'static str) -> Response {
    answer(status, "text/html; charset=utf-8", body)
}

fn answer(status: StatusCode, media_type: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
    response
}
