//! Loading the folder of the page: which files count, what they are, and which never change.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use axum::body::Bytes;
use axum::http::HeaderValue;
use seal::hash::{sha256, to_hex};

use super::{Content, File, SiteError};

/// The most that is loaded, in bytes and in files: many times a page and its files. More is another folder.
const MOST_BYTES: usize = 64 * 1024 * 1024;
const MOST_FILES: usize = 2_000;

/// How many digits of a content's hash stand in the name of a file that never changes.
const HASH_DIGITS: usize = 16;

/// Loads every file below the folder, by its path with `/` between the parts.
pub(super) fn load(folder: &Path) -> Result<HashMap<String, File>, SiteError> {
    let mut found = Found { root: folder, contents: HashMap::new(), bytes: 0 };
    found.walk(folder, "")?;
    let mut contents = found.contents;
    let names: Vec<String> = contents.keys().filter(|name| compressed_of(name).is_none()).cloned().collect();
    let mut files = HashMap::new();
    for name in names {
        let Some(identity) = contents.remove(&name) else { continue };
        let brotli = contents.remove(&format!("{name}.br")).map(Content::new);
        let gzip = contents.remove(&format!("{name}.gz")).map(Content::new);
        let file = File {
            media_type: media_type(&name),
            immutable: is_hashed(&name),
            identity: Content::new(identity),
            brotli,
            gzip,
        };
        files.insert(name, file);
    }
    Ok(files)
}

struct Found<'a> {
    root: &'a Path,
    contents: HashMap<String, Bytes>,
    bytes: usize,
}

impl Found<'_> {
    fn walk(&mut self, folder: &Path, below: &str) -> Result<(), SiteError> {
        let failed = |error: io::Error| match error.kind() {
            ErrorKind::NotFound => SiteError::NoPage(self.root.to_owned()),
            _ => SiteError::Io(folder.to_owned(), error),
        };
        for entry in fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let Some(name) = plain(&name) else { continue };
            // Of the entry itself: a link is neither a folder nor a file.
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                self.walk(&entry.path(), &format!("{below}{name}/"))?;
            } else if kind.is_file() {
                let content = fs::read(entry.path()).map_err(|error| SiteError::Io(entry.path(), error))?;
                self.bytes = self.bytes.saturating_add(content.len());
                self.contents.insert(format!("{below}{name}"), content.into());
                if self.bytes > MOST_BYTES || self.contents.len() > MOST_FILES {
                    return Err(SiteError::TooMuch(self.root.to_owned()));
                }
            }
        }
        Ok(())
    }
}

impl Content {
    fn new(bytes: Bytes) -> Self {
        let hash = to_hex(&sha256(&[&bytes]));
        let tag = format!("\"{}\"", hash.get(..HASH_DIGITS).unwrap_or_default());
        // Quoted hex is a header's value.
        let etag = HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""));
        Self { bytes, etag }
    }
}

/// A name that is served: not hidden, and the same in a URL as on disk.
fn plain(name: &OsStr) -> Option<&str> {
    let name = name.to_str().filter(|name| !name.starts_with('.'))?;
    name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')).then_some(name)
}

/// The file that this one is a compressed form of, by its name.
fn compressed_of(name: &str) -> Option<&str> {
    name.strip_suffix(".br").or_else(|| name.strip_suffix(".gz"))
}

/// Whether a file's name bears the hash of its content, as the page's build gives it: `app-0123456789abcdef.js`,
/// `web-0123456789abcdef_bg.wasm`.
fn is_hashed(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or_default();
    let is_hash = |part: &str| {
        let end = part.find(['.', '_']).unwrap_or_default();
        end == HASH_DIGITS && part.bytes().take(end).all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    file.split('-').skip(1).any(is_hash)
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        "json" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_never_changes_only_where_its_name_bears_a_hash() {
        for name in [
            "app-0123456789abcdef.js",
            "web-0123456789abcdef_bg.wasm",
            "icon-180-fedcba9876543210.png",
            "fonts/text-0123456789abcdef.woff2",
        ] {
            assert!(is_hashed(name), "{name}");
        }
        for name in [
            "index.html",
            "qod.webmanifest",
            "icon-180.png",
            "app-0123456789abcde.js",
            "app-0123456789abcdef0.js",
            "app-0123456789ABCDEF.js",
            "app-0123456789abcdef",
            "0123456789abcdef.js",
            // The hash of a folder is not that of the content.
            "web-0123456789abcdef/inline0.js",
            "web-0123456789abcdef.d/inline0.js",
        ] {
            assert!(!is_hashed(name), "{name}");
        }
    }
}
