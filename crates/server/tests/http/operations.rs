//! What an operator sees of a server: readiness and metrics.

use std::sync::Arc;
use std::time::Duration;

use protocol::{ProblemCode, SessionRequest, StateName, routes};
use rules::{Nature, PotentialGain};
use store::{SqliteStore, Store};
use tower::ServiceExt as _;

use crate::harness::{Trial, code, request};

async fn metrics(trial: &Trial) -> String {
    let router = server::metrics_router(Arc::clone(&trial.app));
    let response = router.oneshot(request("GET", "/metrics", &[], String::new())).await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/openmetrics-text; version=1.0.0; charset=utf-8");
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
    String::from_utf8(body.to_vec()).unwrap()
}

#[track_caller]
fn has(metrics: &str, line: &str) {
    assert!(metrics.lines().any(|found| found == line), "{line}\n{metrics}");
}

#[tokio::test]
async fn the_metrics_tell_what_was_asked_answered_refused_and_kept() {
    let trial = Trial::new().await;
    let mut player = trial.player(PotentialGain::Eur20).await;
    player.start().await;
    let good = player.numbers(Nature::Good);
    player.pick(good[0]).await;
    player.send_pick(1, good[5]).await.is(ProblemCode::SeqConflict);
    player.pick(player.numbers(Nature::Losing)[0]).await;
    trial.enter(&code(99).grouped()).await.is(ProblemCode::UnknownCode);
    trial.get("/readyz", &[]).await;
    let found = metrics(&trial).await;
    for line in [
        r#"qod_request_seconds_count{method="POST",route="/api/v1/game/picks",status="200"} 2"#,
        r#"qod_request_seconds_count{method="POST",route="/api/v1/game/picks",status="409"} 1"#,
        r#"qod_refusals_total{code="seq_conflict"} 1"#,
        r#"qod_refusals_total{code="unknown_code"} 1"#,
        r#"qod_events_total{state="picking"} 2"#,
        r#"qod_events_total{state="lost"} 1"#,
        "qod_sessions_opened_total 1",
        "qod_conflicts_total 0",
        "qod_ready 1",
        "qod_store_waiting_changes 0",
    ] {
        has(&found, line);
    }
    assert!(found.contains("qod_build_info{version="), "{found}");
    assert_eq!(found.matches("# EOF").count(), 1);
    assert!(found.ends_with("# EOF\n"));
    // Nothing of a ticket, a player or a session.
    for secret in [&player.token, &player.game.ticket_id.to_string(), &player.game.ticket_number.to_string()] {
        assert!(!found.contains(secret.as_str()));
    }
}

#[tokio::test]
async fn the_metrics_tell_how_many_changes_shared_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("qod.sqlite")).unwrap());
    let trial = Trial::over(store).await;
    trial.player(PotentialGain::Eur20).await.start().await;
    let found = metrics(&trial).await;
    let count = |name: &str| -> u64 {
        let line = found.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{found}"));
        line.trim().parse().unwrap()
    };
    assert!(count("qod_store_commit_changes_count ") >= 2);
    assert_eq!(
        count(r#"qod_store_commit_changes_bucket{le="+Inf"} "#),
        count("qod_store_commit_changes_count "),
        "{found}"
    );
    trial.app.store.close().await.unwrap();
}

#[tokio::test]
async fn a_large_win_is_counted_once_however_often_its_end_is_asked_for() {
    let trial = Trial::new().await;
    let mut player = trial.player(PotentialGain::Eur50000).await;
    player.find(6).await;
    let seq = player.game.seq;
    player.quit().await.unwrap();
    assert_eq!(player.game.state, StateName::Won);
    let again = protocol::QuitRequest { seq }.to_json();
    assert_eq!(player.post(routes::QUIT, again).await.status, 200);
    let mut small = trial.player(PotentialGain::Eur20).await;
    small.find(6).await;
    small.quit().await.unwrap();
    has(&metrics(&trial).await, "qod_large_wins_total 1");
}

#[tokio::test]
async fn a_server_is_ready_only_while_its_store_takes_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("qod.sqlite");
    let trial = Trial::over(Arc::new(SqliteStore::open(&path).unwrap())).await;
    let issued = trial.issue(20).await;
    // Another writer holds the database, and lets everyone read.
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    trial.get("/readyz", &[]).await.is(ProblemCode::Unavailable);
    assert!(trial.app.store.health().await.is_ok());
    assert_eq!(trial.get("/healthz", &[]).await.status, 200);
    has(&metrics(&trial).await, "qod_ready 0");
    other.execute_batch("ROLLBACK").unwrap();
    while trial.get("/readyz", &[]).await.status != 200 {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // It did write, what is forgotten with the expired sessions, and touched no ticket.
    assert!(trial.app.forget_expired_sessions().await.unwrap() >= 1);
    assert_eq!(trial.app.store.load(issued.id).await.unwrap().unwrap().events, []);
    trial.app.store.close().await.unwrap();
}

#[tokio::test]
async fn a_server_that_is_about_to_stop_is_not_ready_and_answers_on() {
    let trial = Trial::new().await;
    trial.app.readiness.stop();
    trial.get("/readyz", &[]).await.is(ProblemCode::Unavailable);
    let issued = trial.issue(20).await;
    let body = SessionRequest { code: issued.code.grouped() }.to_json();
    assert_eq!(trial.post(routes::SESSIONS, None, body).await.status, 200);
}
