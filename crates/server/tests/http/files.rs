//! The page and its files.

use std::fs;

use server::{Site, SiteError};

use crate::harness::{Heard, Trial, page_folder, request};

const SCRIPT: &str = "/app-0123456789abcdef.js";
const WASM: &str = "/web-0123456789abcdef_bg.wasm";

/// A page as its build leaves it. Contents that say what they are stand for compressed ones.
fn built() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    for (name, content) in [
        ("index.html", "the page"),
        ("app-0123456789abcdef.js", "the script"),
        ("web-0123456789abcdef_bg.wasm", "the wasm"),
    ] {
        write(name, content);
        write(&format!("{name}.br"), &format!("{content}, br"));
        write(&format!("{name}.gz"), &format!("{content}, gzip"));
    }
    write("qod-0123456789abcdef.css", "the style");
    write("icon-0123456789abcdef.svg", "the icon");
    write("icon-180.png", "the picture");
    write("qod.webmanifest", "the manifest");
    write("fonts/text-0123456789abcdef.woff2", "the font");
    write("orphan.txt.br", "of nothing");
    write(".build.json", "hidden");
    write(".git/config", "hidden");
    write("a b.txt", "not plain");
    folder
}

#[tokio::test]
async fn the_page_is_served_at_its_addresses_and_never_kept_without_asking() {
    let folder = built();
    let trial = Trial::of_page(folder.path()).await;
    for path in ["/", "/qod", "/qod/", "/qod?from=mail", "/index.html"] {
        let heard = trial.get(path, &[]).await;
        assert_eq!((heard.status, heard.text().as_str()), (200, "the page"), "{path}");
        assert_eq!(heard.header("content-type"), Some("text/html; charset=utf-8"));
        assert_eq!(heard.header("cache-control"), Some("no-cache"));
    }
}

#[tokio::test]
async fn each_file_has_its_type_and_only_hashed_names_are_kept_for_ever() {
    const FOR_EVER: &str = "public, max-age=31536000, immutable";
    let folder = built();
    let trial = Trial::of_page(folder.path()).await;
    for (path, media_type, cache) in [
        (SCRIPT, "text/javascript; charset=utf-8", FOR_EVER),
        (WASM, "application/wasm", FOR_EVER),
        ("/qod-0123456789abcdef.css", "text/css; charset=utf-8", FOR_EVER),
        ("/icon-0123456789abcdef.svg", "image/svg+xml", FOR_EVER),
        ("/fonts/text-0123456789abcdef.woff2", "font/woff2", FOR_EVER),
        ("/icon-180.png", "image/png", "no-cache"),
        ("/qod.webmanifest", "application/manifest+json", "no-cache"),
    ] {
        let heard = trial.get(path, &[]).await;
        assert_eq!(heard.status, 200, "{path}");
        assert_eq!(heard.header("content-type"), Some(media_type), "{path}");
        assert_eq!(heard.header("cache-control"), Some(cache), "{path}");
        assert_eq!(heard.header("content-length"), Some(heard.body.len().to_string().as_str()));
    }
}

#[tokio::test]
async fn the_encoding_is_the_callers_choice_and_caches_are_told_so() {
    let folder = built();
    let trial = Trial::of_page(folder.path()).await;
    let ask = async |path, accept| trial.get(path, &[("accept-encoding", accept)]).await;
    for path in ["/qod", SCRIPT, WASM] {
        let plain = trial.get(path, &[]).await;
        for (accept, encoding, suffix) in [
            ("gzip, deflate, br", Some("br"), ", br"),
            ("gzip", Some("gzip"), ", gzip"),
            ("br;q=0.5, gzip", Some("gzip"), ", gzip"),
            ("br;q=0, gzip;q=0", None, ""),
            ("deflate", None, ""),
        ] {
            let heard = ask(path, accept).await;
            assert_eq!(heard.header("content-encoding"), encoding, "{accept}");
            assert_eq!(heard.text(), format!("{}{suffix}", plain.text()));
            assert_eq!(heard.header("content-type"), plain.header("content-type"));
            assert_eq!(heard.header("vary"), Some("accept-encoding"));
            assert_eq!(heard.header("etag") == plain.header("etag"), encoding.is_none());
        }
    }
    // What has no other encoding does not vary.
    assert_eq!(ask("/icon-180.png", "br").await.header("vary"), None);
    assert_eq!(ask("/icon-180.png", "br").await.header("content-encoding"), None);
}

#[tokio::test]
async fn what_the_caller_holds_is_not_sent_again() {
    let folder = built();
    let trial = Trial::of_page(folder.path()).await;
    let br = ("accept-encoding", "br");
    let etag = trial.get("/qod", &[br]).await.header("etag").unwrap().to_owned();
    for held in [etag.clone(), format!("W/{etag}"), format!("\"x\", {etag}"), "*".to_owned()] {
        let heard = trial.get("/qod", &[br, ("if-none-match", &held)]).await;
        assert_eq!((heard.status, heard.body.len()), (304, 0), "{held}");
        assert_eq!(heard.header("etag"), Some(etag.as_str()));
        assert_eq!(heard.header("cache-control"), Some("no-cache"));
        assert_eq!(heard.header("vary"), Some("accept-encoding"));
    }
    assert_eq!(trial.get("/qod", &[("if-none-match", &etag)]).await.status, 200);
    assert_eq!(trial.get("/qod", &[br, ("if-none-match", "\"other\"")]).await.status, 200);
}

#[tokio::test]
async fn head_says_what_get_would_without_the_content() {
    let folder = built();
    let trial = Trial::of_page(folder.path()).await;
    let headers = [("accept-encoding", "br")];
    let get = trial.get(SCRIPT, &headers).await;
    let head = trial.send(request("HEAD", SCRIPT, &headers, String::new())).await;
    assert!(head.body.is_empty());
    for name in ["content-type", "content-length", "content-encoding", "etag", "cache-control", "vary"] {
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
}

#[tokio::test]
async fn what_is_not_there_is_404_and_never_the_page() {
    let folder = built();
    fs::write(folder.path().parent().unwrap().join("outside-qod.txt"), "outside").unwrap();
    let trial = Trial::of_page(folder.path()).await;
    for path in [
        "/app-fedcba9876543210.js",
        "/nothing",
        "/qod/nothing",
        "/favicon.ico",
        "/fonts",
        "/fonts/",
        "//qod",
        "/index.html/",
        "/.build.json",
        "/.git/config",
        "/a%20b.txt",
        "/../outside-qod.txt",
        "/fonts/../index.html",
        "/%2e%2e/outside-qod.txt",
        "/..%2foutside-qod.txt",
        "/fonts/..%2f..%2foutside-qod.txt",
        "/..%5coutside-qod.txt",
        "/etc/passwd",
        "/%00",
        // Compressed forms are no files of their own.
        "/index.html.br",
        "/index.html.gz",
        "/orphan.txt",
        "/orphan.txt.br",
    ] {
        let heard = trial.get(path, &[("accept-encoding", "br, gzip")]).await;
        assert_eq!(heard.status, 404, "{path}");
        // In the player's words, and nothing of the address.
        assert!(heard.text().contains("<h1>Page introuvable</h1>") && !heard.text().contains("not found"), "{path}");
        assert_eq!(heard.header("content-type"), Some("text/html; charset=utf-8"));
        assert_eq!(heard.header("cache-control"), Some("no-store"));
    }
}

#[tokio::test]
async fn files_take_no_other_method() {
    let folder = built();
    let trial = Trial::of_page(folder.path()).await;
    for (method, path) in [("POST", SCRIPT), ("DELETE", "/"), ("PUT", "/qod"), ("OPTIONS", "/qod")] {
        let heard = trial.send(request(method, path, &[], String::new())).await;
        assert_eq!((heard.status, heard.header("allow")), (405, Some("GET, HEAD")), "{method} {path}");
    }
}

#[tokio::test]
async fn the_form_that_a_browser_sends_without_script_is_told_what_to_do_and_nothing_is_repeated() {
    let folder = built();
    let trial = Trial::of_page(folder.path()).await;
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let heard = trial.send(request("POST", "/qod", &form, "code=ABCDEF".to_owned())).await;
    assert_eq!(heard.status, 200);
    assert_eq!(heard.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(heard.header("cache-control"), Some("no-store"));
    assert!(heard.text().contains("JavaScript") && heard.text().contains("gardez-le"));
    assert!(!heard.text().contains("ABCDEF"));
}

#[cfg(unix)]
#[tokio::test]
async fn links_lead_nowhere() {
    let folder = built();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.txt"), "secret").unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.txt"), folder.path().join("link.txt")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("linked")).unwrap();
    let trial = Trial::of_page(folder.path()).await;
    for path in ["/link.txt", "/linked/secret.txt"] {
        let heard: Heard = trial.get(path, &[]).await;
        assert_eq!(heard.status, 404, "{path}");
    }
}

#[test]
fn a_folder_that_holds_no_page_is_refused_with_what_to_do() {
    let empty = tempfile::tempdir().unwrap();
    for folder in [empty.path(), &empty.path().join("missing")] {
        let Err(error) = Site::load(folder) else { panic!("it was loaded") };
        assert!(matches!(error, SiteError::NoPage(_)), "{error}");
        assert!(error.to_string().contains("build-web"));
    }
    assert!(Site::load(page_folder().path()).is_ok());
}
