//! The player's API: what each address reads, and which use case it asks.

use std::convert::Infallible;
use std::net::Ipv6Addr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use engine::Action;
use protocol::{BadMember, ContinueRequest, PickRequest, Problem, ProblemCode, QuitRequest, SessionRequest, routes};
use seal::Json;
use seal::json::Writer;
use store::{TicketRecord, TokenHash};
use tokio::time::timeout;
use tracing::warn;

use crate::app::App;
use crate::audit::Access;
use crate::failure::Failure;
use crate::limits::{MOST_OF_A_SESSION, Origin, Spent, Turn, Whose};
use crate::metrics::Limit;
use crate::play::Seat;
use crate::reply::json;
use crate::session::Token;

/// The largest body that is read, in bytes: several times what any request needs.
pub(crate) const BODY_LIMIT: usize = 8 * 1024;
/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);
/// How long an answer may take. What was being kept by then may be kept: the same request again tells.
const ANSWER_TIME: Duration = Duration::from_secs(30);

/// The routes of the player's API.
pub(crate) fn api() -> Router<Arc<App>> {
    Router::new()
        .route(routes::SESSIONS, post(open))
        .route(routes::GAME, get(game))
        .route(routes::CONTINUE, post(go_on))
        .route(routes::PICKS, post(pick))
        .route(routes::QUIT, post(quit))
        .route(routes::TRANSCRIPT, get(transcript))
        .method_not_allowed_fallback(async || Failure::from(ProblemCode::MethodNotAllowed))
        .layer(from_fn(in_time))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
}

type Answered = Result<Response, Failure>;

async fn open(State(app): State<Arc<App>>, origin: Origin, Body(request): Body<SessionRequest>) -> Answered {
    let turn = app.limits.lookup(origin).await;
    let ticket = match app.ticket(&request.code).await {
        Ok(ticket) => ticket,
        Err(failure) if failure.is(ProblemCode::UnknownCode) => return Err(wrong_code(&app, origin, failure)),
        Err(failure) => return Err(failure),
    };
    // Only guesses wait for each other.
    drop(turn);
    Ok(ok(app.open(ticket).await?.to_json()))
}

/// What is told of a wrong code: that it is unknown, or that there were too many. Either way it was looked up.
fn wrong_code(app: &App, origin: Origin, unknown: Failure) -> Failure {
    app.audit.failed(Access::Code, origin);
    let Err(Spent { seconds, whose }) = app.limits.wrong_codes.charge(origin) else { return unknown };
    app.metrics.limited(match whose {
        Whose::Address => Limit::WrongCodes,
        Whose::All => Limit::WrongCodesInAll,
    });
    warn!(?whose, "too many wrong codes");
    let detail =
        "the code is wrong, and so were many before it from this address: a right one is accepted all the same";
    Failure::TooMany(Problem::new(ProblemCode::TooManyAttempts).detail(detail), seconds)
}

async fn game(Player(ticket, _turn): Player, State(app): State<Arc<App>>) -> Answered {
    let mut writer = Writer::new();
    app.game(ticket).await?.write(&mut writer);
    Ok(ok(writer.finish()))
}

async fn go_on(State(app): State<Arc<App>>, Asked(seat, _turn, request): Asked<ContinueRequest>) -> Answered {
    act(&app, seat, request.seq, Action::Continue(request.first)).await
}

async fn pick(State(app): State<Arc<App>>, Asked(seat, _turn, request): Asked<PickRequest>) -> Answered {
    act(&app, seat, request.seq, Action::Pick(request.number)).await
}

async fn quit(State(app): State<Arc<App>>, Asked(seat, _turn, request): Asked<QuitRequest>) -> Answered {
    act(&app, seat, request.seq, Action::Quit).await
}

async fn act(app: &App, seat: Seat, seq: u32, action: Action) -> Answered {
    Ok(ok(app.act(seat, seq, action).await?.to_json()))
}

async fn transcript(Player(ticket, _turn): Player, State(app): State<Arc<App>>) -> Answered {
    Ok(ok(app.transcript(ticket).await?))
}

fn ok(body: String) -> Response {
    json(200, "application/json", body)
}

/// Bounds how long an answer may take.
pub(crate) async fn in_time(request: Request, next: Next) -> Response {
    timeout(ANSWER_TIME, next.run(request)).await.unwrap_or_else(|_| Failure::TooSlow.into_response())
}

/// The ticket of the caller's session with its game, and the turn of this request among those of that session.
struct Player(TicketRecord, Turn<TokenHash>);

impl FromRequestParts<Arc<App>> for Player {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Failure> {
        let token = bearer(&parts.headers)?;
        let turn = turn_of(&token, app).await?;
        Ok(Self(app.session(&token).await?, turn))
    }
}

/// What a player sends, with the game that it is for, which is looked for once all of it has come, however slowly, so that it is as it
/// stands then; and the turn of this request among those of its session.
struct Asked<T>(Seat, Turn<TokenHash>, T);

impl<T: ReadBody> FromRequest<Arc<App>> for Asked<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Failure> {
        let token = bearer(request.headers())?;
        let turn = turn_of(&token, app).await?;
        let body = Body::from_request(request, app).await;
        // Without a session nothing is said of the body.
        let seat = app.seat(&token).await?;
        Ok(Self(seat, turn, body?.0))
    }
}

fn bearer(headers: &HeaderMap) -> Result<Token, ProblemCode> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (Some(header), None) = (given.next(), given.next()) else { return Err(ProblemCode::NoSession) };
    header.to_str().ok().and_then(Token::from_bearer).ok_or(ProblemCode::NoSession)
}

async fn turn_of(token: &Token, app: &App) -> Result<Turn<TokenHash>, Failure> {
    match app.limits.session(token.hash()).await {
        Some(turn) => Ok(turn),
        None => {
            app.metrics.limited(Limit::SessionRequests);
            Err(too_many_at_once())
        }
    }
}

fn too_many_at_once() -> Failure {
    let detail = format!("a session has at most {MOST_OF_A_SESSION} requests at once");
    Failure::TooMany(Problem::new(ProblemCode::TooManyAttempts).detail(detail), 1)
}

impl FromRequestParts<Arc<App>> for Origin {
    type Rejection = Infallible;

    /// As `watch` found it.
    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().copied().unwrap_or(Self::of(Ipv6Addr::UNSPECIFIED.into())))
    }
}

/// A body, read.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: ReadBody, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, state: &S) -> Result<Self, Failure> {
        // A form of another site cannot send this type without asking first (a preflight, which is not answered).
        if !is_json(request.headers()) {
            return Err(malformed("send the header \"Content-Type: application/json\"").into());
        }
        let body = timeout(BODY_TIME, Bytes::from_request(request, state)).await;
        let body = body.map_err(|_| malformed("the body did not arrive in time"))?;
        let body = body.map_err(|rejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => {
                Problem::new(ProblemCode::TooLarge).detail(format!("a body has at most {BODY_LIMIT} bytes"))
            }
            _ => malformed("the body did not arrive whole"),
        })?;
        let text = str::from_utf8(&body).map_err(|_| malformed("the body is not UTF-8"))?;
        let json = Json::parse(text).map_err(|error| malformed(format!("the body is not JSON: {error}")))?;
        Ok(Self(T::read(&json)?))
    }
}

fn malformed(detail: impl Into<String>) -> Problem {
    Problem::new(ProblemCode::MalformedBody).detail(detail)
}

fn is_json(headers: &HeaderMap) -> bool {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = given.and_then(|value| value.split(';').next()).map(str::trim);
    essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"))
}

/// What reads itself from a JSON body.
pub(crate) trait ReadBody: Sized + Send {
    /// Reads it.
    fn read(json: &Json) -> Result<Self, BadMember>;
}

impl ReadBody for SessionRequest {
    fn read(json: &Json) -> Result<Self, BadMember> {
        Self::read(json)
    }
}

impl ReadBody for ContinueRequest {
    fn read(json: &Json) -> Result<Self, BadMember> {
        Self::read(json)
    }
}

impl ReadBody for PickRequest {
    fn read(json: &Json) -> Result<Self, BadMember> {
        Self::read(json)
    }
}

impl ReadBody for QuitRequest {
    fn read(json: &Json) -> Result<Self, BadMember> {
        Self::read(json)
    }
}
