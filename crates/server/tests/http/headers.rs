//! What every answer tells the browser to allow.

use protocol::{SessionRequest, routes};
use server::Settings;

use crate::harness::{Heard, Trial, request};

/// One answer of each kind.
async fn one_of_each(trial: &Trial) -> Vec<Heard> {
    let issued = trial.issue(20).await;
    let code = SessionRequest { code: issued.code.grouped() }.to_json();
    let plain = |method, path| request(method, path, &[], String::new());
    vec![
        trial.post(routes::SESSIONS, None, code).await,
        trial.post(routes::SESSIONS, None, "{").await,
        trial.get(routes::GAME, &[]).await,
        trial.get("/api/nothing", &[]).await,
        trial.send(plain("DELETE", routes::GAME)).await,
        trial.get("/api/v1/openapi.json", &[]).await,
        trial.get("/api/", &[]).await,
        trial.get("/.well-known/qod-keys.json", &[]).await,
        trial.get("/healthz", &[]).await,
        trial.get("/readyz", &[]).await,
        trial.get("/", &[]).await,
        trial.send(plain("HEAD", "/qod")).await,
        trial.send(plain("POST", "/qod")).await,
        trial.send(plain("DELETE", "/qod")).await,
        trial.get("/nothing", &[]).await,
        trial.get("/qod", &[("if-none-match", "*")]).await,
    ]
}

#[tokio::test]
async fn every_answer_allows_as_little_as_the_page_needs() {
    let trial = Trial::new().await;
    for heard in one_of_each(&trial).await {
        for (name, value) in [
            (
                "content-security-policy",
                "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; \
                 connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
                 frame-ancestors 'none'",
            ),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-embedder-policy", "require-corp"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(heard.header(name), Some(value), "{heard:?}");
        }
        let permissions = heard.header("permissions-policy").unwrap();
        assert!(permissions.split(", ").all(|one| one.ends_with("=()")), "{permissions}");
        assert!(heard.header("cache-control").is_some(), "{heard:?}");
        for name in ["server", "x-powered-by", "set-cookie", "access-control-allow-origin", "strict-transport-security"]
        {
            assert_eq!(heard.header(name), None);
        }
    }
}

#[tokio::test]
async fn browsers_are_told_to_insist_on_https_only_where_tls_is_in_front() {
    let trial = Trial::set(Settings { tls_in_front: true, ..Settings::default() }).await;
    for heard in one_of_each(&trial).await {
        assert_eq!(heard.header("strict-transport-security"), Some("max-age=63072000"));
    }
}

#[tokio::test]
async fn no_answer_of_the_api_is_kept_or_compressed() {
    let trial = Trial::new().await;
    let mut player = trial.player(rules::PotentialGain::Eur20).await;
    player.start().await;
    let bearer = format!("Bearer {}", player.token);
    for path in [routes::GAME, routes::TRANSCRIPT, routes::KEYS, "/api/v1/openapi.json", "/api/nothing"] {
        let heard = trial.get(path, &[("authorization", &bearer), ("accept-encoding", "br, gzip")]).await;
        assert_eq!(heard.status, if path == "/api/nothing" { 404 } else { 200 });
        assert_eq!(heard.header("cache-control"), Some("no-store"));
        assert_eq!(heard.header("content-encoding"), None);
        assert!(heard.header("content-type").unwrap().ends_with("json"));
    }
}

#[tokio::test]
async fn every_answer_names_its_request() {
    let trial = Trial::new().await;
    let mut ids: Vec<String> = vec![];
    for heard in one_of_each(&trial).await {
        let id = heard.header("x-request-id").unwrap();
        assert_eq!(id.len(), 16);
        assert!(!ids.contains(&id.to_owned()));
        ids.push(id.to_owned());
    }
}
