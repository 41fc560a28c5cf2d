//! Wrong codes, requests of one session, addresses: what is bounded, and what never is.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::Request;
use protocol::{ProblemCode, SessionRequest, routes};
use rules::PotentialGain;
use server::{LimitSettings, Peer};
use tower::ServiceExt as _;

use crate::harness::{Heard, Player, Trial, code, request};

/// Bounds that a test reaches soon.
fn tight() -> LimitSettings {
    let number = |n| NonZeroU32::new(n).unwrap();
    LimitSettings { wrong_codes: number(3), wrong_codes_in_all: number(6), ..LimitSettings::default() }
}

/// A code, entered from an address.
async fn enter(trial: &Trial, from: &str, headers: &[(&str, &str)], code: &str) -> Heard {
    let mut all = vec![("content-type", "application/json")];
    all.extend(headers);
    let body = SessionRequest { code: code.to_owned() }.to_json();
    let mut request = request("POST", routes::SESSIONS, &all, body);
    request.extensions_mut().insert(Peer(from.parse::<IpAddr>().unwrap()));
    trial.send(request).await
}

async fn guess(trial: &Trial, from: &str, number: u32) -> ProblemCode {
    enter(trial, from, &[], &code(1000 + number).grouped()).await.problem().code
}

#[tokio::test(start_paused = true)]
async fn a_right_code_is_never_refused_however_many_wrong_ones_came_from_its_address() {
    let trial = Trial::limited(tight()).await;
    let (issued, losing) = (trial.issue(20).await, trial.issue(0).await);
    for number in 0..3 {
        assert_eq!(guess(&trial, "192.0.2.1", number).await, ProblemCode::UnknownCode);
    }
    for number in 3..50 {
        let heard = enter(&trial, "192.0.2.1", &[], &code(1000 + number).grouped()).await;
        heard.is(ProblemCode::TooManyAttempts);
        let seconds: u64 = heard.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=21).contains(&seconds), "{seconds}");
        assert_eq!(enter(&trial, "192.0.2.1", &[], &issued.code.grouped()).await.status, 200);
        enter(&trial, "192.0.2.1", &[], &losing.code.grouped()).await.is(ProblemCode::LosingTicket);
    }
    tokio::time::advance(std::time::Duration::from_secs(21)).await;
    assert_eq!(guess(&trial, "192.0.2.1", 50).await, ProblemCode::UnknownCode);
}

#[tokio::test]
async fn right_codes_and_texts_that_are_none_are_not_charged() {
    let trial = Trial::limited(tight()).await;
    let issued = trial.issue(20).await;
    for _ in 0..10 {
        assert_eq!(enter(&trial, "192.0.2.1", &[], &issued.code.grouped()).await.status, 200);
        enter(&trial, "192.0.2.1", &[], "nonsense").await.is(ProblemCode::MalformedCode);
    }
    assert_eq!(guess(&trial, "192.0.2.1", 1).await, ProblemCode::UnknownCode);
}

#[tokio::test(start_paused = true)]
async fn all_addresses_together_have_a_budget_and_right_codes_are_accepted_beyond_it() {
    let trial = Trial::limited(tight()).await;
    let issued = trial.issue(20).await;
    for (number, from) in ["192.0.2.1", "192.0.2.2", "2001:db8::1"].into_iter().enumerate() {
        for _ in 0..2 {
            assert_eq!(guess(&trial, from, number as u32).await, ProblemCode::UnknownCode);
        }
    }
    assert_eq!(guess(&trial, "192.0.2.9", 9).await, ProblemCode::TooManyAttempts);
    assert_eq!(enter(&trial, "192.0.2.9", &[], &issued.code.grouped()).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn an_ipv6_network_of_64_bits_is_one_address() {
    let trial = Trial::limited(tight()).await;
    for number in 0..3 {
        assert_eq!(guess(&trial, &format!("2001:db8::{number}"), number).await, ProblemCode::UnknownCode);
    }
    assert_eq!(guess(&trial, "2001:db8::ffff:0:0:1", 4).await, ProblemCode::TooManyAttempts);
    assert_eq!(guess(&trial, "2001:db8:0:1::1", 5).await, ProblemCode::UnknownCode);
}

#[tokio::test(start_paused = true)]
async fn who_the_client_is_is_told_by_trusted_proxies_alone() {
    let settings = LimitSettings { proxies: vec!["10.0.0.0/8".parse().unwrap()], ..tight() };
    let trial = Trial::limited(settings).await;
    let wrong = code(1000).grouped();
    let from = |peer: &'static str, told: String| {
        let (trial, wrong) = (&trial, &wrong);
        async move { enter(trial, peer, &[("x-forwarded-for", &told)], wrong).await.problem().code }
    };
    // A stranger who claims another address each time.
    for last in 0..3 {
        assert_eq!(from("192.0.2.1", format!("203.0.113.{last}")).await, ProblemCode::UnknownCode);
    }
    assert_eq!(from("192.0.2.1", "203.0.113.99".into()).await, ProblemCode::TooManyAttempts);
    // By way of the proxy, which appends what it saw.
    for last in 0..3 {
        assert_eq!(from("10.0.0.1", format!("198.51.100.{last}, 203.0.113.7")).await, ProblemCode::UnknownCode);
    }
    assert_eq!(from("10.0.0.1", "198.51.100.9, 203.0.113.7".into()).await, ProblemCode::TooManyAttempts);
}

#[tokio::test]
async fn a_request_is_named_by_a_trusted_proxy_or_by_the_server() {
    let settings = LimitSettings { proxies: vec!["10.0.0.0/8".parse().unwrap()], ..tight() };
    let trial = Trial::limited(settings).await;
    for (peer, given, kept) in [
        ("10.0.0.1", "abc-123_X.9", true),
        ("192.0.2.1", "abc-123_X.9", false),
        ("10.0.0.1", "", false),
        ("10.0.0.1", "two words", false),
        ("10.0.0.1", &"a".repeat(65), false),
    ] {
        let mut sent = request("GET", "/healthz", &[("x-request-id", given)], String::new());
        sent.extensions_mut().insert(Peer(peer.parse::<IpAddr>().unwrap()));
        let heard = trial.send(sent).await;
        let id = heard.header("x-request-id").unwrap();
        assert_eq!(id == given, kept, "{peer} {given}");
        assert!(kept || id.len() == 16, "{id}");
    }
}

/// A body that never arrives.
struct Never;

impl HttpBody for Never {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, Self::Error>>> {
        Poll::Pending
    }
}

fn never_sent(player: &Player<'_>) -> Request<Body> {
    let bearer = format!("Bearer {}", player.token);
    let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
    request("POST", routes::PICKS, &headers, String::new()).map(|_| Body::new(Never))
}

#[tokio::test]
async fn a_session_has_64_requests_at_once_and_no_more_and_others_are_not_concerned() {
    let trial = Trial::new().await;
    let (player, other) = (trial.player(PotentialGain::Eur20).await, trial.player(PotentialGain::Eur20).await);
    let send = || Box::pin(trial.router.clone().oneshot(never_sent(&player)));
    let mut context = Context::from_waker(Waker::noop());
    let mut held: Vec<_> = (0..64).map(|_| send()).collect();
    assert!(held.iter_mut().all(|one| one.as_mut().poll(&mut context).is_pending()));
    let heard = player.post(routes::CONTINUE, player.first().to_json()).await;
    assert!(heard.is(ProblemCode::TooManyAttempts).detail.unwrap().contains("at most 64 requests"));
    assert_eq!(heard.header("retry-after"), Some("1"));
    assert_eq!(other.post(routes::CONTINUE, other.first().to_json()).await.status, 200);
    // Given up by their client: the places are free again.
    drop(held);
    assert_eq!(player.post(routes::CONTINUE, player.first().to_json()).await.status, 200);
}
