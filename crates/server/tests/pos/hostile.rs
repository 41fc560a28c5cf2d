//! Keys, guesses and requests that are none: what is refused, how, and what is never said.

use std::num::NonZeroU32;
use std::time::Duration;

use server::pos::{GuessLimits, PosKey, routes};
use store::{PointOfSale, Replaced};

use crate::counter::{Counter, int, named, new_key, ok, refused, reversal_of, text, typed};
use crate::harness::{Heard, Issued, Trial, control};

async fn both() -> (Trial, Counter, Issued) {
    let trial = Trial::new().await;
    let counter = Counter::new(&trial, 1).await;
    let issued = trial.issue(20).await;
    (trial, counter, issued)
}

#[tokio::test]
async fn without_the_key_of_an_enabled_point_of_sale_nothing_is_answered() {
    let (trial, counter, issued) = both().await;
    let body = named(issued, &issued.control);
    let stranger = format!("Bearer {}", PosKey::from_random([9; 32]).reveal_hex());
    let own = format!("Bearer {}", counter.key);
    let player = format!("Bearer {}", trial.open(issued).await.token);
    for headers in [vec![], vec![&*stranger], vec![&*player], vec!["Bearer x"], vec![&*own, &*own], vec![&own[7..]]] {
        let mut all = vec![("content-type", "application/json"), ("idempotency-key", "k")];
        all.extend(headers.iter().map(|value| ("authorization", *value)));
        for path in [routes::QUOTES, routes::PAYMENTS] {
            let heard = refused(counter.send("POST", path, &all, body.clone()).await, 401, "no_point_of_sale");
            assert_eq!(heard.header("www-authenticate"), Some("Bearer"));
        }
    }
    let key = new_key();
    let paid = ok(counter.pay(issued, &key).await).text();
    set(&trial, |stands| PointOfSale { disabled: true, ..stands }).await;
    refused(counter.pay(issued, &key).await, 403, "point_of_sale_disabled");
    refused(counter.quote(issued).await, 403, "point_of_sale_disabled");
    set(&trial, |stands| PointOfSale { disabled: false, ..stands }).await;
    assert_eq!(ok(counter.pay(issued, &key).await).text(), paid);
    let renewed = PosKey::from_random([77; 32]);
    set(&trial, |stands| PointOfSale { key: renewed.hash(), ..stands }).await;
    refused(counter.pay(issued, &key).await, 401, "no_point_of_sale");
    assert_eq!(ok(Counter { key: renewed.reveal_hex(), ..counter }.pay(issued, &key).await).text(), paid);
}

async fn set(trial: &Trial, change: impl Fn(PointOfSale) -> PointOfSale) {
    let stands = trial.app.store.points_of_sale().await.unwrap().remove(0);
    let replaced = trial.app.store.replace_point_of_sale(stands.clone(), change(stands)).await.unwrap();
    assert_eq!(replaced, Replaced::Done);
}

#[tokio::test]
async fn an_unknown_number_and_a_wrong_control_code_get_one_answer() {
    let (trial, counter, issued) = both().await;
    let losing = trial.issue(0).await;
    let wrong = typed(&losing.number.to_string(), "ZZZZZZZZ");
    let answers = [
        counter.post(routes::QUOTES, None, named(issued, &control(99))).await,
        counter.post(routes::QUOTES, None, wrong).await,
        counter.post(routes::QUOTES, None, typed("001-0001-0000099", "ZZZZZZZZ")).await,
        counter.post(routes::QUOTES, None, typed("777-0001-0000001", "ZZZZZZZZ")).await,
        counter.post(routes::PAYMENTS, Some(&new_key()), named(issued, &control(99))).await,
        counter.post(routes::PAYMENTS, Some(&new_key()), typed("001-9999-0000001", "ZZZZZZZZ")).await,
    ];
    let bodies: Vec<_> = answers.into_iter().map(|heard| refused(heard, 404, "unknown_ticket").text()).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:#?}");
    ok(counter.quote(issued).await);
}

#[tokio::test(start_paused = true)]
async fn guesses_at_a_ticket_are_bounded_and_whoever_waits_is_answered_again() {
    let number = |n| NonZeroU32::new(n).unwrap();
    let trial = Trial::new().await;
    let limits = GuessLimits { point_of_sale: number(5), ticket: number(3) };
    let counter = Counter::limited(&trial, 1, limits).await;
    let (issued, other) = (trial.issue(20).await, trial.issue(10).await);
    for guess in 0..3 {
        let heard = counter.post(routes::QUOTES, None, named(issued, &control(1000 + guess))).await;
        refused(heard, 404, "unknown_ticket");
    }
    let spent = |heard: Heard| {
        let heard = refused(heard, 429, "too_many_attempts");
        heard.header("retry-after").unwrap().parse::<u64>().unwrap()
    };
    // Neither a wrong nor the right one is told; another ticket is paid all the same.
    let seconds = spent(counter.post(routes::QUOTES, None, named(issued, &control(2000))).await);
    assert_eq!(spent(counter.quote(issued).await), seconds);
    assert_eq!(spent(counter.pay(issued, &new_key()).await), seconds);
    ok(counter.pay(other, &new_key()).await);
    tokio::time::advance(Duration::from_secs(seconds)).await;
    ok(counter.pay(issued, &new_key()).await);
    // Numbers of no ticket are counted too.
    for serial in 0..9 {
        let heard = counter.post(routes::QUOTES, None, typed(&format!("001-0001-00009{serial:02}"), "ZZZZZZZZ")).await;
        assert!(matches!(heard.status, 404 | 429));
    }
    spent(counter.quote(other).await);
}

#[tokio::test]
async fn the_players_code_is_refused_with_what_to_do_and_is_not_said_again() {
    let (_, counter, issued) = both().await;
    for code in [issued.code.grouped(), String::from_utf8(issued.code.as_bytes().to_vec()).unwrap()] {
        let body = typed(&issued.number.to_string(), &code);
        for (path, key) in [(routes::QUOTES, None), (routes::PAYMENTS, Some("k"))] {
            let heard = refused(counter.post(path, key, body.clone()).await, 422, "players_code_refused");
            assert!(text(&heard, "detail").contains("control code") && !heard.text().contains(&code));
        }
    }
    // As a number it is no number.
    let heard = counter.post(routes::QUOTES, None, typed(&issued.code.grouped(), "ZZZZZZZZ")).await;
    assert!(!refused(heard, 422, "malformed_ticket_number").text().contains(&issued.code.grouped()));
    refused(counter.post(routes::QUOTES, None, typed("1", "ZZZZZZZZ")).await, 422, "malformed_ticket_number");
    let short = typed(&issued.number.to_string(), "ZZZ");
    refused(counter.post(routes::QUOTES, None, short).await, 422, "malformed_control_code");
}

#[tokio::test]
async fn an_idempotency_key_is_required_and_bounded() {
    let (_, counter, issued) = both().await;
    let body = named(issued, &issued.control);
    refused(counter.post(routes::PAYMENTS, None, body.clone()).await, 400, "idempotency_key_missing");
    for key in ["", "two words", &"k".repeat(129)] {
        let heard = counter.post(routes::PAYMENTS, Some(key), body.clone()).await;
        refused(heard, 400, "malformed_idempotency_key");
    }
    let bearer = format!("Bearer {}", counter.key);
    let twice = [
        ("content-type", "application/json"),
        ("authorization", &*bearer),
        ("idempotency-key", "a"),
        ("idempotency-key", "b"),
    ];
    let heard = counter.send("POST", routes::PAYMENTS, &twice, body).await;
    refused(heard, 400, "malformed_idempotency_key");
    ok(counter.pay(issued, &"k".repeat(128)).await);
}

#[tokio::test]
async fn what_is_no_request_gets_a_problem_and_every_answer_its_headers() {
    let (_, counter, issued) = both().await;
    let number = issued.number.to_string();
    for body in ["", "null", "[]", "{", r#"{"ticket_number":1,"control_code":"ZZZZZZZZ"}"#, &typed(&number, "x")[..30]]
    {
        refused(counter.post(routes::QUOTES, None, body).await, 400, "malformed_body");
    }
    let twice = format!(r#"{{"ticket_number":"{number}","ticket_number":"{number}","control_code":"ZZZZZZZZ"}}"#);
    refused(counter.post(routes::QUOTES, None, twice).await, 400, "malformed_body");
    refused(counter.post(routes::QUOTES, None, "x".repeat(9000)).await, 413, "too_large");
    let bearer = format!("Bearer {}", counter.key);
    let form = [("content-type", "text/plain"), ("authorization", &*bearer)];
    let heard = counter.send("POST", routes::QUOTES, &form, named(issued, &issued.control)).await;
    refused(heard, 400, "malformed_body");
    for path in ["/", "/pos", "/pos/v1/nothing", "/api/v1/game", "/api/v1/sessions"] {
        refused(counter.send("POST", path, &[], String::new()).await, 404, "not_found");
    }
    let heard = refused(counter.send("GET", routes::PAYMENTS, &[], String::new()).await, 405, "method_not_allowed");
    for name in ["content-security-policy", "x-content-type-options", "referrer-policy", "x-request-id"] {
        assert!(heard.header(name).is_some(), "{name}");
    }
    assert_eq!(counter.send("GET", "/healthz", &[], String::new()).await.status, 200);
    assert_eq!(counter.send("GET", "/readyz", &[], String::new()).await.status, 200);
}

#[tokio::test]
async fn members_that_are_not_listed_are_ignored_and_bring_nothing_into_the_answer() {
    let (_, counter, issued) = both().await;
    let (number, control) = (issued.number.to_string(), String::from_utf8(issued.control.as_bytes().to_vec()).unwrap());
    let more =
        |what: &str| format!(r#"{{"amount_eur":50000,{what},"__proto__":{{"paid_eur":[1,null]}},"point_of_sale":2}}"#);
    let ticket = format!(r#""ticket_number":"{number}","control_code":"{control}""#);
    let quoted = ok(counter.quote(issued).await).text();
    assert_eq!(ok(counter.post(routes::QUOTES, None, more(&ticket)).await).text(), quoted);
    let key = new_key();
    let paid = ok(counter.post(routes::PAYMENTS, Some(&key), more(&ticket)).await);
    assert_eq!(int(&paid, "paid_eur"), 20);
    // The same request: what is ignored does not count.
    assert_eq!(ok(counter.pay(issued, &key).await).text(), paid.text());
    let (id, key) = (text(&paid, "payment_id"), new_key());
    let reason = r#""who":"Ana","why":"wrong ticket""#;
    let reversed = ok(counter.post(&reversal_of(&id), Some(&key), more(reason)).await).text();
    assert_eq!(ok(counter.reverse(&id, &key, "Ana", "wrong ticket").await).text(), reversed);
    // What is listed is required all the same.
    let heard = counter.post(routes::QUOTES, None, more(&ticket.replace("ticket_number", "ticket_numbers"))).await;
    refused(heard, 400, "malformed_body");
}

#[tokio::test]
async fn the_players_listener_answers_no_point_of_sale() {
    let (trial, counter, issued) = both().await;
    for path in [routes::QUOTES, routes::PAYMENTS] {
        let heard = trial.post(path, Some(&counter.key), named(issued, &issued.control)).await;
        assert_eq!(heard.status, 404, "{path}");
    }
    assert_eq!(
        trial.get(protocol::routes::GAME, &[("authorization", &format!("Bearer {}", counter.key))]).await.status,
        401
    );
}
