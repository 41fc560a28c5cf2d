//! The page and its files, held in memory: what was not found in the folder at the start cannot be asked for, by
//! whatever path, and no request waits for a disk. A page that was built anew is served after a restart.

mod encoding;
mod loading;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_ENCODING, ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;

use self::encoding::Encoding;
use crate::reply::{html, text};

/// What a browser may keep for ever: the name changes with the content.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// What a browser asks about each time: the page above all, so that it never names files that are gone.
const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");

/// The page.
const PAGE: &str = "index.html";

/// Why the folder of the page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// There is no page in it.
    #[error("there is no index.html in {0}: build the page first (./scripts/build-web), or name its folder")]
    NoPage(PathBuf),
    /// It cannot be the folder of the page.
    #[error("{0} holds more than a page and its files: name the folder that the page was built into")]
    TooMuch(PathBuf),
    /// It cannot be read.
    #[error("{0} cannot be read")]
    Io(PathBuf, #[source] std::io::Error),
}

/// The page and its files.
pub struct Site {
    /// By path below the root, without the first slash.
    files: HashMap<String, File>,
}

/// A file in each of its encodings.
struct File {
    media_type: &'static str,
    immutable: bool,
    identity: Content,
    brotli: Option<Content>,
    gzip: Option<Content>,
}

/// One encoding of a file.
struct Content {
    bytes: Bytes,
    /// Strong: made from these very bytes.
    etag: HeaderValue,
}

impl Site {
    /// Loads every file of the folder of the page, with what is beside it as `.br` and `.gz`. Leaves out what begins
    /// with a dot, links, and names that a URL would have to escape.
    ///
    /// # Errors
    /// It holds no page, or far too much, or cannot be read.
    pub fn load(folder: &Path) -> Result<Self, SiteError> {
        let files = loading::load(folder)?;
        if files.contains_key(PAGE) { Ok(Self { files }) } else { Err(SiteError::NoPage(folder.to_owned())) }
    }

    /// The answer to a request for anything but the API.
    pub(crate) fn answer(&self, method: &Method, path: &str, headers: &HeaderMap) -> Response {
        let name = match path {
            "/" | "/qod" | "/qod/" => PAGE,
            _ => path.strip_prefix('/').unwrap_or_default(),
        };
        let Some(file) = self.files.get(name) else { return html(StatusCode::NOT_FOUND, NO_PAGE) };
        match *method {
            Method::GET | Method::HEAD => file.answer(method, headers),
            Method::POST if name == PAGE => html(StatusCode::OK, NEEDS_SCRIPT),
            _ => {
                let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "method not allowed\n");
                response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
                response
            }
        }
    }
}

impl File {
    fn answer(&self, method: &Method, headers: &HeaderMap) -> Response {
        let (content, encoding) = self.encoded(headers);
        let unchanged = has_tag(headers, &content.etag);
        let sent = !unchanged && method != Method::HEAD;
        let mut response = Response::new(if sent { Body::from(content.bytes.clone()) } else { Body::empty() });
        let answer = response.headers_mut();
        answer.insert(CACHE_CONTROL, if self.immutable { IMMUTABLE } else { NO_CACHE });
        answer.insert(ETAG, content.etag.clone());
        if self.brotli.is_some() || self.gzip.is_some() {
            answer.insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        if unchanged {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return response;
        }
        answer.insert(CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        answer.insert(CONTENT_LENGTH, HeaderValue::from(content.bytes.len()));
        if let Some(name) = encoding.name() {
            answer.insert(CONTENT_ENCODING, HeaderValue::from_static(name));
        }
        response
    }

    fn encoded(&self, headers: &HeaderMap) -> (&Content, Encoding) {
        let accepted = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        match encoding::best(accepted, self.brotli.is_some(), self.gzip.is_some()) {
            Encoding::Brotli if let Some(content) = &self.brotli => (content, Encoding::Brotli),
            Encoding::Gzip if let Some(content) = &self.gzip => (content, Encoding::Gzip),
            _ => (&self.identity, Encoding::Identity),
        }
    }
}

/// Whether the caller holds this very content (`If-None-Match`, RFC 9110, 13.1.2).
fn has_tag(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    let given = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    given.flat_map(|value| value.split(',')).map(str::trim).any(|tag| {
        let tag = tag.strip_prefix("W/").unwrap_or(tag);
        tag == "*" || tag.as_bytes() == etag.as_bytes()
    })
}

/// The answer to an address that is none of the page's. It repeats nothing.
const NO_PAGE: &str = "<!doctype html>
<html lang=\"fr\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<title>Page introuvable – Quitte ou Double</title>
<h1>Page introuvable</h1>
<p>Il n’y a rien à cette adresse. Votre ticket reste valable : <a href=\"/qod\">entrez votre code</a>.
</html>
";

/// The answer to the form of the page where it was sent by the browser itself, without script. It repeats nothing.
const NEEDS_SCRIPT: &str = "<!doctype html>
<html lang=\"fr\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<title>Quitte ou Double</title>
<h1>Le jeu a besoin de JavaScript</h1>
<p>Le code n’a pas été envoyé, et rien n’est joué. Votre ticket reste valable : gardez-le.
<p>Activez JavaScript, ou prenez un autre appareil, puis <a href=\"/qod\">entrez votre code</a>.
Le gain de votre ticket peut aussi se demander en point de vente.
</html>
";
