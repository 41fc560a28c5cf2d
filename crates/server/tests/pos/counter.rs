//! A point of sale: what it sends, and what it is answered.

use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::body::to_bytes;
use rules::ControlCode;
use seal::Json;
use seal::json::Writer;
use server::pos::{GuessLimits, PosKey, routes};
use store::{PointOfSale, PointOfSaleId};
use tower::ServiceExt as _;

use crate::description::{POINTS_OF_SALE, holds};
use crate::harness::{Heard, Issued, Trial, request};

/// A point of sale at a server's listener for them.
#[derive(Clone)]
pub(crate) struct Counter {
    pub(crate) router: Router,
    pub(crate) key: String,
    pub(crate) id: PointOfSaleId,
}

static KEYS: AtomicU32 = AtomicU32::new(1);

/// A new idempotency key.
pub(crate) fn new_key() -> String {
    format!("request-{}", KEYS.fetch_add(1, Ordering::SeqCst))
}

impl Counter {
    /// A new point of sale of that number.
    pub(crate) async fn new(trial: &Trial, id: u32) -> Self {
        Self::limited(trial, id, GuessLimits::default()).await
    }

    /// At a listener with these limits.
    pub(crate) async fn limited(trial: &Trial, id: u32, limits: GuessLimits) -> Self {
        let key = PosKey::from_random([id as u8 + 100; 32]);
        let added =
            PointOfSale { id: PointOfSaleId(id), name: format!("Tabac {id}"), key: key.hash(), disabled: false };
        trial.app.store.add_point_of_sale(added).await.unwrap();
        let router = server::pos::router(trial.app.clone(), limits);
        Self { router, key: key.reveal_hex(), id: PointOfSaleId(id) }
    }

    /// The same point of sale at another server's listener.
    pub(crate) fn at(&self, trial: &Trial) -> Self {
        Self { router: server::pos::router(trial.app.clone(), GuessLimits::default()), ..self.clone() }
    }

    /// POST, with this point of sale's key.
    pub(crate) async fn post(&self, path: &str, key: Option<&str>, body: impl Into<String>) -> Heard {
        let bearer = format!("Bearer {}", self.key);
        let mut headers = vec![("content-type", "application/json"), ("authorization", bearer.as_str())];
        headers.extend(key.map(|key| ("idempotency-key", key)));
        self.send("POST", path, &headers, body.into()).await
    }

    /// Any request.
    pub(crate) async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: String) -> Heard {
        let response = self.router.clone().oneshot(request(method, path, headers, body)).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        let heard = Heard { status: parts.status.as_u16(), headers: parts.headers, body };
        holds(&POINTS_OF_SALE, &method.to_lowercase(), path, &heard);
        heard
    }

    pub(crate) async fn quote(&self, issued: Issued) -> Heard {
        self.post(routes::QUOTES, None, named(issued, &issued.control)).await
    }

    pub(crate) async fn pay(&self, issued: Issued, key: &str) -> Heard {
        self.post(routes::PAYMENTS, Some(key), named(issued, &issued.control)).await
    }

    pub(crate) async fn reverse(&self, payment: &str, key: &str, who: &str, why: &str) -> Heard {
        let mut w = Writer::new();
        w.object(|w| {
            w.key("who").string(who);
            w.key("why").string(why);
        });
        self.post(&reversal_of(payment), Some(key), w.finish()).await
    }
}

/// Where the reversal of that payment is asked for.
pub(crate) fn reversal_of(payment: &str) -> String {
    routes::REVERSAL.replace("{payment_id}", payment)
}

/// The body that names a ticket, with this control code.
pub(crate) fn named(issued: Issued, control: &ControlCode) -> String {
    typed(&issued.number.to_string(), str::from_utf8(control.as_bytes()).unwrap())
}

/// The same, as typed.
pub(crate) fn typed(number: &str, control: &str) -> String {
    let mut w = Writer::new();
    w.object(|w| {
        w.key("ticket_number").string(number);
        w.key("control_code").string(control);
    });
    w.finish()
}

/// A member that is a text.
#[track_caller]
pub(crate) fn text(heard: &Heard, name: &str) -> String {
    let json = heard.json();
    json.get(name).and_then(Json::as_str).unwrap_or_else(|| panic!("no {name}: {}", heard.text())).to_owned()
}

/// A member that is a number.
#[track_caller]
pub(crate) fn int(heard: &Heard, name: &str) -> u64 {
    heard.json().get(name).and_then(Json::as_int).unwrap_or_else(|| panic!("no {name}: {}", heard.text()))
}

/// Requires an answer.
#[track_caller]
pub(crate) fn ok(heard: Heard) -> Heard {
    assert_eq!(heard.status, 200, "{}", heard.text());
    assert_eq!(heard.header("content-type"), Some("application/json"));
    assert_eq!(heard.header("cache-control"), Some("no-store"));
    heard
}

/// Requires that problem.
#[track_caller]
pub(crate) fn refused(heard: Heard, status: u16, code: &str) -> Heard {
    assert_eq!((heard.status, text(&heard, "code").as_str()), (status, code), "{}", heard.text());
    assert_eq!(heard.header("content-type"), Some("application/problem+json"));
    assert_eq!(heard.header("cache-control"), Some("no-store"));
    assert_eq!(int(&heard, "status"), u64::from(status));
    assert!(!text(&heard, "detail").is_empty() && !text(&heard, "title").is_empty());
    heard
}
