//! The players' API is described where it is served, whole.

use protocol::{ProblemCode, routes};
use serde_json::Value;

use crate::description::{PLAYERS, has_exactly, shows};
use crate::harness::Trial;

#[tokio::test]
async fn the_description_is_served_to_programs_and_to_people() {
    let trial = Trial::new().await;
    let heard = trial.get("/api/v1/openapi.json", &[]).await;
    assert_eq!(heard.header("content-type"), Some("application/json"));
    assert_eq!(serde_json::from_slice::<Value>(&heard.body).unwrap(), *PLAYERS);
    shows(&trial.get("/api/", &[]).await, &PLAYERS);
    let style = trial.get("/api/style.css", &[]).await;
    assert_eq!(style.header("content-type"), Some("text/css; charset=utf-8"));
}

#[test]
fn the_description_has_every_address_and_every_problem_of_the_api_and_no_other() {
    let routes = [
        routes::KEYS,
        routes::GAME,
        routes::CONTINUE,
        routes::PICKS,
        routes::QUIT,
        routes::TRANSCRIPT,
        routes::SESSIONS,
    ];
    has_exactly(&PLAYERS, &routes, ProblemCode::ALL.map(ProblemCode::as_str));
}
