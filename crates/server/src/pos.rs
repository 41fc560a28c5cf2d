//! The points of sale's API (`docs/point-of-sale.md`), on a listener of its own: what a ticket may be paid now, to pay it,
//! to take a payment back. A ticket is named by its number and its control code, never by the player's 18-character code.
//!
//! A point of sale proves itself by a key, and every payment and reversal has an idempotency key: sent again, however late
//! and to whichever server, it gets the very same answer.

mod guesses;
mod key;
mod named;
mod refusal;
mod till;

use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::PathRejection;
use axum::extract::{DefaultBodyLimit, FromRequestParts, Path, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use protocol::time::to_rfc3339;
use protocol::{Problem, ProblemCode};
use seal::hash::to_hex;
use seal::json::Writer;
use store::{IdempotencyKey, PointOfSale, PointOfSaleId, TicketRecord};
use tracing::{info, warn};

use crate::api::{BODY_LIMIT, Body, in_time};
use crate::app::App;
use crate::audit::{Access, Entry, Kind};
use crate::failure::Failure;
use crate::limits::{Lanes, Origin, Turn};
use crate::reply::{json, text};
use crate::{HEALTH, READY, description, headers, watch};
use guesses::Guesses;
use named::{TypedReason, TypedTicket};

pub use guesses::GuessLimits;
pub use key::PosKey;
pub use named::{Named, Reason, idempotency_key, payment_id};
pub use refusal::{Ours, Refusal, Slip, Stands};
pub use till::{Done, Gain, OPERATOR, Paid, Quote, Reversed, Till};

/// The routes of the points of sale's API.
pub mod routes {
    /// `POST {ticket_number, control_code}` → `{ticket_number, payable_eur, gain, pay_before}`
    pub const QUOTES: &str = "/pos/v1/quotes";
    /// `POST {ticket_number, control_code}` → `{payment_id, ticket_number, paid_eur, at}`
    pub const PAYMENTS: &str = "/pos/v1/payments";
    /// `POST {who, why}` → `{payment_id, ticket_number, reversed_eur, at, who, why}`
    pub const REVERSAL: &str = "/pos/v1/payments/{payment_id}/reversal";
}

/// Under which a point of sale asks for one payment or one reversal.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// How many requests of one point of sale are worked on at once, and how many are at work and waiting.
const AT_ONCE: usize = 8;
const MOST_AT_ONCE: usize = 256;

/// What the handlers share.
struct Counter {
    app: Arc<App>,
    guesses: Guesses,
    lanes: Arc<Lanes<PointOfSaleId>>,
}

/// Everything that the points of sale's listener answers.
pub fn router(app: Arc<App>, limits: GuessLimits) -> Router {
    let lanes = Arc::new(Lanes::new(AT_ONCE, MOST_AT_ONCE, None));
    let counter = Arc::new(Counter { app: Arc::clone(&app), guesses: Guesses::new(limits), lanes });
    Router::new()
        .route(routes::QUOTES, post(quote))
        .route(routes::PAYMENTS, post(pay))
        .route(routes::REVERSAL, post(reverse))
        .route(HEALTH, get(async || text(StatusCode::OK, "ok\n")))
        .route(READY, get(ready))
        .merge(description::points_of_sale())
        .method_not_allowed_fallback(async || elsewhere(ProblemCode::MethodNotAllowed))
        .fallback(async || elsewhere(ProblemCode::NotFound))
        .layer(from_fn(in_time))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(from_fn(watch::catch))
        .layer(from_fn_with_state(Arc::clone(&app), headers::guard))
        .layer(from_fn_with_state(app, watch::log))
        .with_state(counter)
}

fn elsewhere(code: ProblemCode) -> Failure {
    let detail = format!("POST to {}, {} or {}", routes::QUOTES, routes::PAYMENTS, routes::REVERSAL);
    Problem::new(code).detail(detail).into()
}

async fn ready(State(counter): State<Arc<Counter>>) -> Result<Response, Failure> {
    counter.app.ready().await?;
    Ok(text(StatusCode::OK, "ready\n"))
}

async fn quote(
    Caller(by, origin, _turn): Caller,
    State(counter): State<Arc<Counter>>,
    Body(typed): Body<TypedTicket>,
) -> Result<Response, Refusal> {
    let record = counter.identify(&by, origin, &typed).await?.ok_or(Stands::UnknownTicket)?;
    let Quote { number, amount, gain, pay_before } = counter.till().quote(by.id, record).await?;
    Ok(answer(|w| {
        w.key("ticket_number").string(&number.to_string());
        w.key("payable_eur").int(amount.eur());
        w.key("gain").string(match gain {
            Gain::Potential => "potential_gain",
            Gain::Game => "game",
        });
        w.key("pay_before").string_or_null(pay_before.map(to_rfc3339).as_deref());
    }))
}

async fn pay(
    Caller(by, origin, _turn): Caller,
    Key(key): Key,
    State(counter): State<Arc<Counter>>,
    Body(typed): Body<TypedTicket>,
) -> Result<Response, Refusal> {
    let Some(record) = counter.identify(&by, origin, &typed).await? else {
        let reused = counter.app.store.find_entry(Some(by.id), key).await?.is_some();
        return Err(if reused { Stands::KeyReused } else { Stands::UnknownTicket }.into());
    };
    let Done { told: paid, again } = counter.till().pay(by.id, key, record).await?;
    let (number, id) = (paid.number.to_string(), to_hex(&paid.payment.0));
    info!(point_of_sale = by.id.0, ticket = number, payment = id, eur = paid.amount.eur(), again, "paid");
    if !again {
        let entry = Entry::new(Kind::Paid).int("point_of_sale", by.id.0.into()).text("ticket_number", &number);
        counter.app.significant(entry.text("payment_id", &id).int("paid_eur", paid.amount.eur()));
        if paid.amount.eur() >= counter.app.settings.large_win_eur {
            let entry = Entry::new(Kind::LargeWin).text("ticket_number", &number);
            counter.app.significant(entry.int("paid_eur", paid.amount.eur()));
        }
    }
    Ok(answer(|w| {
        w.key("payment_id").string(&id);
        w.key("ticket_number").string(&number);
        w.key("paid_eur").int(paid.amount.eur());
        w.key("at").string(&to_rfc3339(paid.at));
    }))
}

async fn reverse(
    Caller(by, _, _turn): Caller,
    Key(key): Key,
    State(counter): State<Arc<Counter>>,
    id: Result<Path<String>, PathRejection>,
    Body(typed): Body<TypedReason>,
) -> Result<Response, Refusal> {
    let reason = Reason::new(&typed.who, &typed.why).map_err(Slip::Reason)?;
    let id = id.ok().and_then(|Path(id)| payment_id(&id)).ok_or(Stands::UnknownPayment)?;
    let Done { told: reversed, again } = counter.till().reverse(Some(by.id), key, id, &reason).await?;
    let (number, id) = (reversed.number.to_string(), to_hex(&reversed.payment.0));
    info!(point_of_sale = by.id.0, ticket = number, payment = id, again, "a payment is reversed");
    if !again {
        let entry = Entry::new(Kind::PaymentReversed).int("point_of_sale", by.id.0.into());
        counter.app.significant(reversed.tell(entry));
    }
    Ok(answer(|w| {
        w.key("payment_id").string(&id);
        w.key("ticket_number").string(&number);
        w.key("reversed_eur").int(reversed.amount.eur());
        w.key("at").string(&to_rfc3339(reversed.at));
        w.key("who").string(reversed.reason.who());
        w.key("why").string(reversed.reason.why());
    }))
}

fn answer(members: impl FnOnce(&mut Writer)) -> Response {
    let mut w = Writer::new();
    w.object(members);
    json(200, "application/json", w.finish())
}

impl Counter {
    fn till(&self) -> Till<'_> {
        let App { store, keys, clock, random, .. } = &*self.app;
        Till { store: &**store, keys, clock: &**clock, random: &**random, server: Some(&self.app) }
    }

    /// The point of sale of a request's one key.
    async fn caller(&self, headers: &HeaderMap) -> Result<Option<PointOfSale>, Refusal> {
        let mut given = headers.get_all(AUTHORIZATION).iter();
        let (Some(header), None) = (given.next(), given.next()) else { return Ok(None) };
        let Some(key) = header.to_str().ok().and_then(PosKey::from_bearer) else { return Ok(None) };
        Ok(self.app.store.find_point_of_sale(key.hash()).await?)
    }

    /// The ticket that is named, if its control code is right.
    async fn identify(
        &self,
        by: &PointOfSale,
        from: Origin,
        typed: &TypedTicket,
    ) -> Result<Option<TicketRecord>, Refusal> {
        let named = Named::read(typed)?;
        let found = self.till().identify(&named).await?;
        if found.is_none() {
            self.app.audit.failed(Access::ControlCode, from);
        }
        match self.guesses.judge(by.id, named.number, found.is_some()) {
            Ok(_) => Ok(found),
            Err(spent) => {
                warn!(point_of_sale = by.id.0, "too many wrong control codes");
                Err(Slip::TooMany(spent.seconds).into())
            }
        }
    }
}

/// The point of sale whose key came with the request, where from, and the turn of this request among its own.
struct Caller(PointOfSale, Origin, Turn<PointOfSaleId>);

impl FromRequestParts<Arc<Counter>> for Caller {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, counter: &Arc<Counter>) -> Result<Self, Refusal> {
        let Ok(origin) = Origin::from_request_parts(parts, &counter.app).await;
        let Some(found) = counter.caller(&parts.headers).await? else {
            counter.app.audit.failed(Access::PointOfSaleKey, origin);
            return Err(Slip::NoPointOfSale.into());
        };
        if found.disabled {
            return Err(Slip::Disabled.into());
        }
        let turn = counter.lanes.enter(found.id).await.ok_or(Slip::TooMany(1))?;
        Ok(Self(found, origin, turn))
    }
}

/// The idempotency key of a request.
struct Key(IdempotencyKey);

impl FromRequestParts<Arc<Counter>> for Key {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Counter>) -> Result<Self, Refusal> {
        let mut given = parts.headers.get_all(&IDEMPOTENCY_KEY).iter();
        let header = given.next().ok_or(Slip::KeyMissing)?;
        let text = header.to_str().ok().filter(|_| given.next().is_none());
        Ok(Self(text.and_then(idempotency_key).ok_or(Slip::Key)?))
    }
}
