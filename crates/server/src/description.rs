//! The descriptions (OpenAPI 3.1) of the players' API and of the points of sale's, each on its own listener, and pages that show them
//! to people. They are kept by hand beside this file, since the types of the wire write themselves; the tests hold every answer
//! that they get against them.

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use seal::Json;

use crate::reply;

/// A description, and where it is.
struct Description {
    /// For programs.
    openapi: &'static str,
    /// For people.
    page: &'static str,
    /// The style of the page: nothing may be inline.
    style: &'static str,
    /// The description, to the byte.
    text: &'static str,
}

static PLAYERS: Description = Description {
    openapi: "/api/v1/openapi.json",
    page: "/api/",
    style: "/api/style.css",
    text: include_str!("description/openapi.json"),
};
static POINTS_OF_SALE: Description = Description {
    openapi: "/pos/v1/openapi.json",
    page: "/pos/",
    style: "/pos/style.css",
    text: include_str!("description/points-of-sale.json"),
};

const CSS: &str = "body{font:1rem/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;\
color-scheme:light dark}code{font-family:ui-monospace,monospace}section{border-top:1px solid;margin-top:2rem}\
dt{font-weight:600}dd{margin:0 0 .5rem 1rem}";

/// The players' API, described.
pub(crate) fn players<S: Clone + Send + Sync + 'static>() -> Router<S> {
    static PAGE: LazyLock<String> = LazyLock::new(|| render(&PLAYERS));
    routes(&PLAYERS, &PAGE)
}

/// The points of sale's API, described: to whoever reaches its listener, without a key.
pub(crate) fn points_of_sale<S: Clone + Send + Sync + 'static>() -> Router<S> {
    static PAGE: LazyLock<String> = LazyLock::new(|| render(&POINTS_OF_SALE));
    routes(&POINTS_OF_SALE, &PAGE)
}

fn routes<S: Clone + Send + Sync + 'static>(of: &'static Description, page: &'static LazyLock<String>) -> Router<S> {
    Router::new()
        .route(of.openapi, get(async || reply::json(200, "application/json", of.text.to_owned())))
        .route(of.page, get(async || reply::html(StatusCode::OK, page)))
        .route(of.style, get(style))
}

async fn style() -> Response {
    let mut response = reply::text(StatusCode::OK, CSS);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/css; charset=utf-8"));
    response
}

fn render(of: &Description) -> String {
    let api = Json::parse(of.text).unwrap_or(Json::Null);
    let info = api.get("info").unwrap_or(&Json::Null);
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\"><title>{title}</title><link rel=\"stylesheet\" href=\"{style}\">\
         <h1>{title}</h1><p>{about}<p>For programs: <a href=\"{openapi}\"><code>{openapi}</code></a>.",
        title = text(info, "title"),
        about = text(info, "description"),
        style = of.style,
        openapi = of.openapi,
    );
    for (path, methods) in members(api.get("paths")) {
        for (method, operation) in members(Some(methods)) {
            let _ = write!(
                page,
                "<section><h2>{}</h2><p><code>{} {}</code><p>{}",
                text(operation, "summary"),
                method.to_uppercase(),
                escaped(path),
                text(operation, "description")
            );
            let parameters = operation.get("parameters").and_then(Json::as_array).unwrap_or_default();
            if !parameters.is_empty() {
                page.push_str("<h3>Parameters</h3><dl>");
            }
            for parameter in parameters.iter().map(|parameter| resolved(&api, parameter)) {
                let (name, about) = (text(parameter, "name"), text(parameter, "description"));
                let _ = write!(page, "<dt><code>{name}</code> ({})<dd>{about}", text(parameter, "in"));
            }
            if !parameters.is_empty() {
                page.push_str("</dl>");
            }
            if let Some(body) = operation.get("requestBody") {
                page.push_str("<h3>Body</h3>");
                schema(&api, body, &mut page);
            }
            page.push_str("<h3>Answers</h3><dl>");
            for (status, answer) in members(operation.get("responses")) {
                let answer = resolved(&api, answer);
                let _ = write!(page, "<dt>{status}<dd>{}", text(answer, "description"));
                if status == "200" {
                    schema(&api, answer, &mut page);
                }
            }
            page.push_str("</dl></section>");
        }
    }
    page.push_str("</html>\n");
    page
}

/// The members of what a body or an answer holds.
fn schema(api: &Json, holder: &Json, page: &mut String) {
    let content = holder.get("content").and_then(|content| content.get("application/json"));
    let Some(schema) = content.and_then(|content| content.get("schema")) else { return };
    page.push_str("<dl>");
    let schema = resolved(api, schema);
    // Where there are two forms, the first one has all members.
    let first = schema.get("anyOf").and_then(Json::as_array).and_then(|forms| forms.first());
    let further = first.and_then(|form| form.get("properties"));
    for (name, member) in members(schema.get("properties")).chain(members(further)) {
        let _ = write!(page, "<dt><code>{}</code><dd>{}", escaped(name), text(resolved(api, member), "description"));
    }
    page.push_str("</dl>");
}

/// What a `$ref` stands for.
fn resolved<'a>(api: &'a Json, json: &'a Json) -> &'a Json {
    let Some(reference) = json.get("$ref").and_then(Json::as_str) else { return json };
    let mut steps = reference.trim_start_matches("#/").split('/');
    steps.try_fold(api, Json::get).unwrap_or(json)
}

fn members(json: Option<&Json>) -> impl Iterator<Item = (&str, &Json)> {
    let members = match json {
        Some(Json::Object(members)) => members.as_slice(),
        _ => &[],
    };
    members.iter().map(|(name, value)| (name.as_str(), value))
}

fn text(json: &Json, name: &str) -> String {
    escaped(json.get(name).and_then(Json::as_str).unwrap_or_default())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
