//! The page and its files: types, encodings, how long a browser may keep them, and what is not there.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use system_tests::Service;
use system_tests::http::{Message, get};
use system_tests::service::dist;

fn fetch(addr: SocketAddr, path: &str, encodings: &str) -> Message {
    get(addr, path, &[("accept-encoding", encodings)]).unwrap()
}

/// The addresses of this server that a page or a script names.
fn named(text: &str) -> BTreeSet<String> {
    let quoted = text.split(['"', '\'', '`', '(', ')']).filter(|part| part.starts_with('/') && !part.starts_with("//"));
    let paths = quoted.map(|path| path.split(['#', '?']).next().unwrap().to_owned());
    // A pattern of a script is no path, and the keys are an answer of the server, not a file of the page.
    paths.filter(|path| path.contains('.') && !path.contains("..") && path != protocol::routes::KEYS).collect()
}

#[test]
fn the_page_is_the_same_at_its_addresses_and_is_asked_for_again_each_time() {
    let service = Service::start();
    let page = std::fs::read_to_string(dist().join("index.html")).unwrap();
    for path in ["/", "/qod"] {
        let answer = fetch(service.addr(), path, "").expect(200);
        assert_eq!(answer.text(), page, "{path}");
        assert!(answer.header("content-type").unwrap().starts_with("text/html"), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-cache"), "{path}");
        let tag = answer.header("etag").unwrap();
        let unchanged = get(service.addr(), path, &[("if-none-match", tag)]).unwrap();
        assert_eq!((unchanged.status(), unchanged.body.len()), (304, 0), "{path}");
    }
}

#[test]
fn every_file_that_the_page_names_has_its_type_both_encodings_and_may_be_kept_for_ever_if_its_name_is_its_content() {
    let service = Service::start();
    let mut wanted = named(fetch(service.addr(), "/qod", "").text());
    assert!(wanted.iter().any(|path| path.ends_with(".css")), "{wanted:?}");
    let scripts: Vec<_> = wanted.iter().filter(|path| path.ends_with(".js")).cloned().collect();
    for script in scripts {
        wanted.extend(named(fetch(service.addr(), &script, "").expect(200).text()));
    }
    assert!(wanted.iter().any(|path| path.ends_with(".wasm")), "{wanted:?}");
    for path in &wanted {
        let plain = fetch(service.addr(), path, "").expect(200);
        let (_, extension) = path.rsplit_once('.').unwrap();
        let media_type = match extension {
            "js" => "text/javascript",
            "css" => "text/css",
            "wasm" => "application/wasm",
            "svg" => "image/svg+xml",
            "png" => "image/png",
            "webmanifest" => "application/manifest+json",
            other => panic!("a file of another kind: {other}"),
        };
        assert!(plain.header("content-type").unwrap().starts_with(media_type), "{path}: {plain:?}");
        let hash = path.rsplit_once('-').map(|(_, rest)| rest.split(['.', '_']).next().unwrap());
        let named_by_content = hash.is_some_and(|hash| hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()));
        let kept = plain.header("cache-control").unwrap();
        assert_eq!(kept.contains("immutable"), named_by_content, "{path}: {kept}");
        assert_eq!(kept == "no-cache", !named_by_content, "{path}: {kept}");
        if extension == "png" {
            continue;
        }
        for (accepted, encoding) in [("gzip, deflate, br", "br"), ("gzip", "gzip"), ("br;q=0, gzip", "gzip")] {
            let packed = fetch(service.addr(), path, accepted).expect(200);
            assert_eq!(packed.header("content-encoding"), Some(encoding), "{path} for {accepted}");
            assert!(packed.header("vary").unwrap().to_lowercase().contains("accept-encoding"), "{path}");
            assert_eq!(packed.header("content-type"), plain.header("content-type"), "{path}");
            assert_eq!(packed.header("cache-control"), plain.header("cache-control"), "{path}");
            assert!(packed.body.len() < plain.body.len(), "{path} as {encoding}");
            assert_ne!(packed.header("etag"), plain.header("etag"), "{path}");
        }
    }
}

#[test]
fn what_is_not_there_is_not_found_and_is_never_the_page() {
    let service = Service::start();
    for path in [
        "/nothing",
        "/nothing.js",
        "/qod/nothing",
        "/api/v1/nothing",
        "/api",
        "/.build.json",
        "/.inputs",
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "/..%2fCargo.toml",
        "/qod.sqlite",
        "/keys/emission-001.draw",
    ] {
        let answer = fetch(service.addr(), path, "");
        assert!(matches!(answer.status(), 400 | 404), "{path}: {}", answer.start);
        assert!(!answer.text().contains("<main"), "{path} is the page");
    }
}

#[test]
fn every_answer_forbids_all_that_the_page_does_not_need() {
    let service = Service::start();
    for path in ["/qod", "/nothing", "/api/v1/game", "/qod.webmanifest"] {
        let answer = fetch(service.addr(), path, "");
        let policy = answer.header("content-security-policy").unwrap_or_else(|| panic!("{path}: no policy"));
        let rules: Vec<_> = policy.split(';').map(str::trim).collect();
        assert!(rules.contains(&"default-src 'none'"), "{path}: {policy}");
        assert!(rules.contains(&"script-src 'self' 'wasm-unsafe-eval'"), "{path}: {policy}");
        assert!(rules.contains(&"style-src 'self'") && rules.contains(&"frame-ancestors 'none'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert_eq!(answer.header("set-cookie"), None, "{path}");
    }
}

#[test]
fn the_form_of_the_page_sent_without_script_opens_nothing_and_repeats_nothing() {
    let service = Service::start();
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let sent = Message::request("POST", "/qod", &form, b"code=ABCDEFGHJKLMNPQRST".to_vec());
    let answer = system_tests::http::send(service.addr(), &sent).unwrap().expect(200);
    assert!(answer.header("content-type").unwrap().starts_with("text/html"));
    assert!(answer.text().contains("JavaScript") && !answer.text().contains("ABCDEFGH"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}
