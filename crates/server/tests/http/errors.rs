//! Every error is a problem document (RFC 9457) that says enough, and nothing more.

use std::sync::Arc;

use protocol::{ContinueRequest, PickRequest, ProblemCode, QuitRequest, StateName, routes};
use rules::{Nature, Number, PotentialGain, Terms, Timestamp};
use seal::{ClientSeed, Commitment};
use server::audit::Audit;
use server::{Acknowledged, App, Keys, Limits, Metrics, Readiness, Settings, Site, Warm, records};
use store::{Append, Event, Label, MemoryStore, Millis, Store, Version};

use crate::harness::{EMISSION, KEYS, T0, Trial, code, page_folder, request, signer};

#[tokio::test]
async fn a_text_that_is_no_code_is_refused_with_the_kind_of_its_slip_and_never_repeated() {
    let trial = Trial::new().await;
    let valid = String::from_utf8(code(1).as_bytes().to_vec()).unwrap();
    let slip = if valid.ends_with('2') { "3" } else { "2" };
    for (text, detail) in [
        (valid[..17].to_owned(), "a code has 18 characters; 17 were read"),
        (format!("é{}", &valid[1..]), "no code has the character at place 1"),
        (format!("{}{slip}", &valid[..17]), "one or more of the 18 characters are wrong"),
        (String::new(), "a code has 18 characters; 0 were read"),
    ] {
        let heard = trial.enter(&text).await;
        assert_eq!(heard.is(ProblemCode::MalformedCode).detail.as_deref(), Some(detail));
        assert!(text.is_empty() || !heard.text().contains(&text));
    }
}

#[tokio::test]
async fn a_code_of_no_ticket_is_unknown_and_a_losing_ticket_is_told_so() {
    let trial = Trial::new().await;
    trial.enter(&code(99).grouped()).await.is(ProblemCode::UnknownCode);
    let losing = trial.issue(0).await;
    let problem = trial.enter(&losing.code.grouped()).await.is(ProblemCode::LosingTicket);
    assert!(problem.game.is_none());
}

#[tokio::test]
async fn a_code_is_never_called_unknown_while_the_keys_of_an_emission_are_missing() {
    let trial = Trial::new().await;
    trial.app.store.add_emission(records::emission(2, &Terms::default()).unwrap()).await.unwrap();
    let heard = trial.enter(&code(99).grouped()).await;
    heard.is(ProblemCode::Unavailable);
    assert_eq!(heard.header("retry-after"), Some("1"));
    // The tickets of the emissions that are loaded play on.
    trial.player(PotentialGain::Eur20).await;
}

#[tokio::test]
async fn a_server_that_runs_fetches_the_keys_of_an_emission_that_was_issued_meanwhile() {
    let keys = Keys::default().or_from(|emission| (emission == EMISSION).then_some(KEYS));
    let trial = Trial::with_keys(keys).await;
    // The first code of the new emission, as it is entered.
    trial.player(PotentialGain::Eur20).await;
    trial.enter(&code(99).grouped()).await.is(ProblemCode::UnknownCode);
}

#[tokio::test]
async fn without_a_session_nothing_of_a_game_is_told_or_done() {
    let trial = Trial::new().await;
    let player = trial.player(PotentialGain::Eur20).await;
    let unknown = format!("Bearer {}", "0".repeat(64));
    let twice = format!("Bearer {}", player.token);
    for headers in [
        vec![],
        vec![("authorization", "Bearer")],
        vec![("authorization", "Basic YTpi")],
        vec![("authorization", unknown.as_str())],
        vec![("authorization", twice.as_str()), ("authorization", twice.as_str())],
    ] {
        for (method, path) in [
            ("GET", routes::GAME),
            ("GET", routes::TRANSCRIPT),
            ("POST", routes::CONTINUE),
            ("POST", routes::PICKS),
            ("POST", routes::QUIT),
        ] {
            let heard = trial.send(request(method, path, &headers, String::new())).await;
            assert!(heard.is(ProblemCode::NoSession).game.is_none());
            assert_eq!(heard.header("www-authenticate"), Some("Bearer"));
        }
    }
}

#[tokio::test]
async fn a_session_ends_after_a_day_and_is_forgotten() {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let trial = Trial::new().await;
    let player = trial.player(PotentialGain::Eur20).await;
    let bearer = format!("Bearer {}", player.token);
    trial.set_clock(DAY - 1);
    assert_eq!(trial.get(routes::GAME, &[("authorization", &bearer)]).await.status, 200);
    assert_eq!(trial.app.forget_expired_sessions().await, Ok(0));
    trial.set_clock(DAY);
    trial.get(routes::GAME, &[("authorization", &bearer)]).await.is(ProblemCode::NoSession);
    assert_eq!(trial.app.forget_expired_sessions().await, Ok(1));
}

#[tokio::test]
async fn a_malformed_body_is_refused_with_the_name_of_the_member() {
    let trial = Trial::new().await;
    let mut player = trial.player(PotentialGain::Eur20).await;
    player.start().await;
    for (path, body, named) in [
        (routes::PICKS, "", "the body is not JSON"),
        (routes::PICKS, "{", "the body is not JSON"),
        (routes::PICKS, "{} {}", "the body is not JSON"),
        (routes::PICKS, r#"{"seq":1,"seq":1,"number":3}"#, "a key is given twice"),
        (routes::PICKS, "[]", "\"seq\""),
        (routes::PICKS, r#"{"number":3}"#, "\"seq\""),
        (routes::PICKS, r#"{"seq":4294967296,"number":3}"#, "\"seq\""),
        (routes::PICKS, r#"{"seq":-1,"number":3}"#, "\"seq\""),
        (routes::PICKS, r#"{"seq":1.5,"number":3}"#, "\"seq\""),
        (routes::PICKS, r#"{"seq":1e0,"number":3}"#, "\"seq\""),
        (routes::PICKS, r#"{"seq":-0.0,"number":3}"#, "\"seq\""),
        (routes::PICKS, r#"{"seq":"1","number":3}"#, "\"seq\""),
        (routes::PICKS, r#"{"seq":1,"number":0}"#, "\"number\""),
        (routes::PICKS, r#"{"seq":1,"number":31}"#, "\"number\""),
        (routes::PICKS, r#"{"seq":1,"number":259}"#, "\"number\""),
        (routes::PICKS, r#"{"seq":1}"#, "\"number\""),
        (routes::QUIT, r#"{"seq":null}"#, "\"seq\""),
        (routes::CONTINUE, r#"{"seq":0,"commitment":"00"}"#, "\"commitment\""),
        (routes::SESSIONS, r#"{"code":7}"#, "\"code\""),
    ] {
        let problem = player.post(path, body).await.is(ProblemCode::MalformedBody);
        assert!(problem.detail.as_ref().unwrap().contains(named), "{body}: {problem:?}");
    }
    player.reload().await;
    assert_eq!(player.game.seq, 1);
}

#[tokio::test]
async fn members_that_are_not_known_are_ignored() {
    let trial = Trial::new().await;
    let mut player = trial.player(PotentialGain::Eur20).await;
    player.start().await;
    let number = player.numbers(Nature::Good)[0].get();
    let heard = player.post(routes::PICKS, format!(r#"{{"seq":1.0,"number":{number},"later":{{"a":[1]}}}}"#)).await;
    assert_eq!(heard.status, 200);
}

#[tokio::test]
async fn a_body_that_is_not_said_to_be_json_is_refused() {
    let trial = Trial::new().await;
    let issued = trial.issue(20).await;
    let body = || format!(r#"{{"code":"{}"}}"#, issued.code.grouped());
    for headers in [
        vec![],
        vec![("content-type", "text/plain")],
        vec![("content-type", "application/x-www-form-urlencoded")],
        vec![("content-type", "application/jsonp")],
    ] {
        let heard = trial.send(request("POST", routes::SESSIONS, &headers, body())).await;
        assert!(heard.is(ProblemCode::MalformedBody).detail.unwrap().contains("application/json"));
    }
    let headers = [("content-type", "Application/JSON; charset=utf-8")];
    assert_eq!(trial.send(request("POST", routes::SESSIONS, &headers, body())).await.status, 200);
}

#[tokio::test]
async fn a_body_is_read_up_to_8_kib_and_not_beyond() {
    let trial = Trial::new().await;
    let issued = trial.issue(20).await;
    let body = |len: usize| {
        let body = format!(r#"{{"code":"{}"}}"#, issued.code.grouped());
        format!("{body}{}", " ".repeat(len - body.len()))
    };
    assert_eq!(trial.post(routes::SESSIONS, None, body(8192)).await.status, 200);
    trial.post(routes::SESSIONS, None, body(8193)).await.is(ProblemCode::TooLarge);
}

#[tokio::test]
async fn a_body_that_is_not_utf_8_is_refused() {
    let trial = Trial::new().await;
    let mut sent = request("POST", routes::SESSIONS, &[("content-type", "application/json")], String::new());
    *sent.body_mut() = axum::body::Body::from(b"{\"code\":\"\xff\"}".to_vec());
    let problem = trial.send(sent).await.is(ProblemCode::MalformedBody);
    assert_eq!(problem.detail.as_deref(), Some("the body is not UTF-8"));
}

#[tokio::test]
async fn under_api_what_is_not_there_and_methods_that_are_not_taken_are_problems_too() {
    let trial = Trial::new().await;
    for path in
        ["/api", "/api/v2", "/api/v1", "/api/v1/game/", "/api/v1/games", "/api/../api/v1/game", "/api/v1/%2e%2e"]
    {
        trial.get(path, &[]).await.is(ProblemCode::NotFound);
        trial.post(path, None, "{}").await.is(ProblemCode::NotFound);
    }
    for (method, path, allow) in [
        ("GET", routes::SESSIONS, "POST"),
        ("OPTIONS", routes::SESSIONS, "POST"),
        ("DELETE", routes::GAME, "GET,HEAD"),
        ("POST", routes::GAME, "GET,HEAD"),
        ("PUT", routes::PICKS, "POST"),
        ("BREW", routes::QUIT, "POST"),
    ] {
        let heard = trial.send(request(method, path, &[], String::new())).await;
        heard.is(ProblemCode::MethodNotAllowed);
        assert_eq!(heard.header("allow"), Some(allow), "{method} {path}");
    }
}

#[tokio::test]
async fn a_refusal_carries_the_game_as_it_stands_and_changes_nothing() {
    let trial = Trial::new().await;
    let mut player = trial.player(PotentialGain::Eur20).await;
    let good = player.numbers(Nature::Good);
    let pick = |seq, number: Number| PickRequest { seq, number }.to_json();
    let quit = |seq| QuitRequest { seq }.to_json();
    let go_on = |seq| ContinueRequest { seq, first: None }.to_json();
    let mut other_seed = player.first();
    other_seed.first.as_mut().unwrap().client_seed = ClientSeed([1; 32]);
    let mut other_commitment = player.first();
    other_commitment.first.as_mut().unwrap().commitment = Commitment([1; 32]);

    refused(&player, routes::PICKS, pick(0, good[0]), ProblemCode::NotStarted).await;
    refused(&player, routes::QUIT, quit(0), ProblemCode::NotStarted).await;
    refused(&player, routes::CONTINUE, go_on(0), ProblemCode::SeedMissing).await;
    refused(&player, routes::CONTINUE, other_commitment.to_json(), ProblemCode::OtherCommitment).await;
    player.find(2).await;
    refused(&player, routes::CONTINUE, other_seed.to_json(), ProblemCode::OtherSeed).await;
    refused(&player, routes::PICKS, pick(3, good[0]), ProblemCode::PickedAlready).await;
    refused(&player, routes::PICKS, pick(1, good[5]), ProblemCode::SeqConflict).await;
    refused(&player, routes::PICKS, pick(9, good[5]), ProblemCode::SeqConflict).await;
    refused(&player, routes::QUIT, quit(3), ProblemCode::BetweenPaliers).await;
    refused(&player, routes::CONTINUE, go_on(3), ProblemCode::BetweenPaliers).await;
    for number in &good[2..6] {
        player.pick(*number).await;
    }
    refused(&player, routes::PICKS, pick(7, good[9]), ProblemCode::ChooseFirst).await;
    player.quit().await.unwrap();
    refused(&player, routes::PICKS, pick(8, good[9]), ProblemCode::Over).await;
    refused(&player, routes::QUIT, quit(8), ProblemCode::Over).await;
}

async fn refused(player: &crate::harness::Player<'_>, path: &str, body: String, code: ProblemCode) {
    let problem = player.post(path, body).await.is(code);
    assert_eq!(*problem.game.unwrap(), player.game);
}

#[tokio::test]
async fn before_continuer_there_is_no_transcript_and_the_game_says_why() {
    let trial = Trial::new().await;
    let player = trial.player(PotentialGain::Eur20).await;
    let bearer = format!("Bearer {}", player.token);
    let problem = trial.get(routes::TRANSCRIPT, &[("authorization", &bearer)]).await.is(ProblemCode::NotStarted);
    assert_eq!(problem.game.unwrap().state, StateName::NotStarted);
}

#[tokio::test]
async fn when_the_store_does_not_answer_nothing_is_lost_and_readiness_says_so() {
    let trial = Trial::new().await;
    let player = trial.player(PotentialGain::Eur20).await;
    trial.app.store.close().await.unwrap();
    let heard = player.post(routes::CONTINUE, player.first().to_json()).await;
    assert!(heard.is(ProblemCode::Unavailable).detail.unwrap().contains("nothing is lost"));
    assert_eq!(heard.header("retry-after"), Some("1"));
    assert_eq!(trial.get("/readyz", &[]).await.status, 503);
    assert_eq!(trial.get("/healthz", &[]).await.status, 200);
}

#[tokio::test]
async fn a_stored_game_that_is_none_is_an_internal_error_without_a_word_about_it() {
    let trial = Trial::new().await;
    let issued = trial.issue(20).await;
    let player = trial.open(issued).await;
    let garbage = Append {
        ticket: issued.id,
        expected: Version(0),
        events: vec![Event { at: Millis(T0), payload: vec![99], receipt: None }],
        state: Label::new("picking").unwrap(),
        finish_before: None,
        client_seed: None,
        entry: None,
    };
    trial.app.store.append(garbage).await.unwrap();
    for heard in
        [player.post(routes::CONTINUE, player.first().to_json()).await, trial.enter(&issued.code.grouped()).await]
    {
        let problem = heard.is(ProblemCode::Internal);
        assert_eq!((problem.detail, problem.game), (None, None));
    }
}

#[tokio::test]
async fn a_panic_fails_one_request_and_no_more() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let app = Arc::new(App {
        store,
        keys: Keys::from_iter([(EMISSION, KEYS)]),
        receipts: signer(),
        clock: Box::new(|| -> Timestamp { panic!("no clock") }),
        random: Box::new(|_: &mut [u8]| Ok(())),
        settings: Settings::default(),
        limits: Limits::default(),
        metrics: Metrics::default(),
        readiness: Readiness::default(),
        warm: Warm::default(),
        acknowledged: Acknowledged::default(),
        audit: Audit::default(),
    });
    let router = server::router(app, Site::load(page_folder().path()).unwrap());
    let mut trial = Trial::new().await;
    trial.router = router;
    let bearer = format!("Bearer {}", "0".repeat(64));
    let heard = trial.get(routes::GAME, &[("authorization", &bearer)]).await;
    heard.is(ProblemCode::Internal);
    assert!(heard.header("content-security-policy").is_some());
    assert_eq!(trial.get("/healthz", &[]).await.status, 200);
}
