//! Payments and CONTINUER at once, at several servers over one store: exactly one of them holds.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use engine::codec;
use protocol::{Problem, ProblemCode, StateName, routes as player_routes};
use rules::Event;
use seal::Json;
use store::{LedgerEntry, MemoryStore, PostgresConfig, PostgresStore, SqliteStore, Store};
use tokio::task::JoinSet;
use tower::ServiceExt as _;

use crate::counter::{Counter, new_key, ok, text};
use crate::harness::{Issued, Trial, request};

/// Three servers over one store, with two points of sale known to all.
struct Side {
    servers: Vec<Trial>,
    counters: Vec<Counter>,
    _folder: Option<tempfile::TempDir>,
}

async fn over([store, second, third]: [Arc<dyn Store>; 3], folder: Option<tempfile::TempDir>) -> Side {
    let first = Trial::over(store).await;
    let servers = vec![first.beside_over(second), first.beside_over(third), first];
    let two = [Counter::new(&servers[0], 1).await, Counter::new(&servers[0], 2).await];
    let counters = servers.iter().flat_map(|server| two.iter().map(|counter| counter.at(server))).collect();
    Side { servers, counters, _folder: folder }
}

/// In memory; over one SQLite file, which one process holds; over PostgreSQL, each server with connections of its own.
async fn sides() -> [Side; 3] {
    let memory: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let folder = tempfile::tempdir().unwrap();
    let sqlite: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("qod.sqlite")).unwrap());
    let url = cluster::shared().database();
    let postgres = [connected(&url).await, connected(&url).await, connected(&url).await];
    [
        over([memory.clone(), memory.clone(), memory], None).await,
        over([sqlite.clone(), sqlite.clone(), sqlite], Some(folder)).await,
        over(postgres, None).await,
    ]
}

async fn connected(url: &str) -> Arc<dyn Store> {
    Arc::new(PostgresStore::connect(PostgresConfig::new(url).unwrap()).await.unwrap())
}

/// The events of a ticket, and its ledger.
async fn kept(side: &Side, issued: Issued) -> (Vec<Event>, usize, usize) {
    let store = &side.servers[0].app.store;
    let events = store.load(issued.id).await.unwrap().unwrap().events;
    let events = events.iter().map(|event| codec::decode(&event.payload).unwrap()).collect();
    let entries = store.entries(issued.id).await.unwrap();
    let payments = entries.iter().filter(|kept| matches!(kept.entry, LedgerEntry::Payment(_))).count();
    (events, payments, entries.len() - payments)
}

type Asked = (axum::Router, axum::http::Request<axum::body::Body>);

/// Each is asked at once; their answers, by status and body.
async fn at_once(requests: Vec<Asked>) -> Vec<(u16, String)> {
    staggered(requests.into_iter().map(|asked| (Duration::ZERO, asked)).collect()).await
}

/// Each is asked after so long.
async fn staggered(requests: Vec<(Duration, Asked)>) -> Vec<(u16, String)> {
    let mut set = JoinSet::new();
    for (wait, (router, request)) in requests {
        set.spawn(async move {
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            let response = router.oneshot(request).await.unwrap();
            let status = response.status().as_u16();
            let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
            (status, String::from_utf8(body.to_vec()).unwrap())
        });
    }
    set.join_all().await
}

fn payment(counter: &Counter, issued: Issued, key: &str) -> Asked {
    let bearer = format!("Bearer {}", counter.key);
    let headers = [("content-type", "application/json"), ("authorization", &*bearer), ("idempotency-key", key)];
    let body = crate::counter::named(issued, &issued.control);
    (counter.router.clone(), request("POST", server::pos::routes::PAYMENTS, &headers, body))
}

fn code(body: &str) -> String {
    Json::parse(body).unwrap().get("code").and_then(Json::as_str).unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn of_payments_of_the_potential_gain_and_continuers_at_once_exactly_one_holds() {
    for side in sides().await {
        let (mut paid, mut started) = (0, 0);
        // By how many milliseconds the payments are ahead: whoever won starts later in the next round, and each time by twice
        // as much while the same ones win. So both win, and most rounds are close, however fast each side is here.
        let (mut ahead, mut step, mut last) = (0_i64, 1, None);
        for round in 0..40 {
            let issued = side.servers[0].issue(20).await;
            let players = [side.servers[0].open(issued).await, side.servers[1].open(issued).await];
            let mut requests = Vec::new();
            for turn in 0..12 {
                let pay = payment(&side.counters[turn % 6], issued, &new_key());
                let player = &players[turn % 2];
                let bearer = format!("Bearer {}", player.token);
                let headers = [("content-type", "application/json"), ("authorization", &*bearer)];
                let start = request("POST", player_routes::CONTINUE, &headers, player.first().to_json());
                let wait = |millis: i64| Duration::from_millis(millis.max(0).unsigned_abs());
                let start = (side.servers[turn % 3].router.clone(), start);
                let both = [(wait(-ahead), pay), (wait(ahead), start)];
                // Who is first is different from round to round.
                if round % 2 == 0 { requests.extend(both) } else { requests.extend(both.into_iter().rev()) }
            }
            let answers = staggered(requests).await;
            let (events, payments, _) = kept(&side, issued).await;
            let was_paid = payments > 0;
            step = if last == Some(was_paid) { 2 * step.min(500) } else { 1 };
            ahead += if was_paid { -step } else { step };
            last = Some(was_paid);
            match (&events[..], payments) {
                ([Event::Paid], 1) => {
                    paid += 1;
                    let (held, others): (Vec<_>, Vec<_>) = answers.iter().partition(|(status, _)| *status == 200);
                    assert_eq!(held.len(), 1);
                    assert!(held[0].1.contains("\"payment_id\""));
                    for (status, body) in others {
                        assert_eq!(*status, 409);
                        assert!(matches!(&*code(body), "paid_already" | "potential_gain_paid"), "{body}");
                    }
                }
                ([Event::Started { .. }], 0) => {
                    started += 1;
                    for (status, body) in &answers {
                        let continued = *status == 200 && body.starts_with(r#"{"game":"#);
                        assert!(continued || (*status == 409 && code(body) == "still_running"), "{status} {body}");
                    }
                    assert_eq!(answers.iter().filter(|(status, _)| *status == 200).count(), 12);
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(paid > 0 && started > 0, "one side always wins: {paid} paid, {started} started");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_payment_sent_twenty_times_at_once_to_three_servers_is_one_payment_and_one_answer() {
    for side in sides().await {
        for _ in 0..10 {
            let issued = side.servers[0].issue(10).await;
            let key = new_key();
            // The same point of sale everywhere.
            let requests = (0..20).map(|turn| payment(&side.counters[2 * (turn % 3)], issued, &key)).collect();
            let answers = at_once(requests).await;
            assert!(answers.iter().all(|answer| *answer == answers[0] && answer.0 == 200), "{answers:#?}");
            assert_eq!(kept(&side, issued).await, (vec![Event::Paid], 1, 0));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_for_many_tickets_at_once_pays_one_of_them() {
    for side in sides().await {
        let mut tickets = Vec::new();
        for _ in 0..10 {
            tickets.push(side.servers[0].issue(10).await);
        }
        let key = new_key();
        let each = (0..).zip(&tickets).map(|(turn, issued)| payment(&side.counters[2 * (turn % 3)], *issued, &key));
        let answers = at_once(each.collect()).await;
        assert_eq!(answers.iter().filter(|(status, _)| *status == 200).count(), 1);
        for (status, body) in answers.iter().filter(|(status, _)| *status != 200) {
            assert_eq!((*status, &*code(body)), (422, "idempotency_key_reused"));
        }
        let mut paid = 0;
        for issued in tickets {
            paid += kept(&side, issued).await.1;
        }
        assert_eq!(paid, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_reversals_at_once_one_holds_and_continuer_is_open_again() {
    for side in sides().await {
        for _ in 0..10 {
            let issued = side.servers[0].issue(10).await;
            let paid = ok(side.counters[0].pay(issued, &new_key()).await);
            let path = crate::counter::reversal_of(&text(&paid, "payment_id"));
            let bearer = format!("Bearer {}", side.counters[0].key);
            let keys: Vec<_> = (0..12).map(|_| new_key()).collect();
            // Each key twice.
            let requests = keys.iter().chain(&keys).enumerate().map(|(turn, key)| {
                let headers =
                    [("content-type", "application/json"), ("authorization", &*bearer), ("idempotency-key", key)];
                let body = r#"{"who":"Ana","why":"typed twice"}"#.to_owned();
                (side.counters[2 * (turn % 3)].router.clone(), request("POST", &path, &headers, body))
            });
            let answers = at_once(requests.collect()).await;
            let held: Vec<_> = answers.iter().filter(|(status, _)| *status == 200).collect();
            assert_eq!(held.len(), 2, "{answers:#?}");
            assert_eq!(held[0], held[1]);
            for (status, body) in answers.iter().filter(|(status, _)| *status != 200) {
                assert_eq!((*status, &*code(body)), (409, "reversed_already"));
            }
            assert_eq!(kept(&side, issued).await, (vec![Event::Paid, Event::PaymentReversed], 1, 1));
            let mut player = side.servers[1].open(issued).await;
            player.start().await;
            assert_eq!(player.game.state, StateName::Picking);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expiry_that_many_payers_and_players_find_at_once_is_kept_once_and_paid_once() {
    for side in sides().await {
        let issued = side.servers[0].issue(10).await;
        side.servers[0].open(issued).await.find(6).await;
        side.servers[0].set_clock(crate::harness::THIRTY_DAYS);
        let player = side.servers[0].open(issued).await;
        let before = kept(&side, issued).await.0.len();
        let bearer = format!("Bearer {}", player.token);
        let mut requests: Vec<_> = (0..12).map(|turn| payment(&side.counters[turn % 6], issued, &new_key())).collect();
        let quit = protocol::QuitRequest { seq: 7 }.to_json();
        let headers = [("content-type", "application/json"), ("authorization", &*bearer)];
        requests.extend((0..12).map(|turn| {
            let sent = request("POST", player_routes::QUIT, &headers, quit.clone());
            (side.servers[turn % 3].router.clone(), sent)
        }));
        let answers = at_once(requests).await;
        assert_eq!(answers.iter().filter(|(status, _)| *status == 200).count(), 1);
        // A late QUITTER is told the final state.
        let late: Vec<_> = answers.iter().filter_map(|(_, body)| Problem::read(&Json::parse(body).unwrap())).collect();
        assert_eq!(late.len(), 12);
        assert!(
            late.iter().all(|p| p.code == ProblemCode::Over && p.game.as_ref().unwrap().state == StateName::Expired)
        );
        let told: BTreeSet<_> = answers.iter().map(|(_, body)| code(body)).collect();
        assert_eq!(told.into_iter().collect::<Vec<_>>(), ["", "over", "paid_already"]);
        let (events, payments, _) = kept(&side, issued).await;
        assert_eq!((&events[before..], payments), (&[Event::Paid][..], 1));
        assert_eq!(events[before - 1], Event::Expired);
    }
}
