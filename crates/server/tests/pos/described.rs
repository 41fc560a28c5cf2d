//! The points of sale's API is described on its own listener, whole.

use serde_json::Value;
use server::pos::routes;

use crate::counter::{Counter, refused};
use crate::description::{POINTS_OF_SALE, has_exactly, shows};
use crate::harness::Trial;

/// What the documentation says of each problem.
const TOLD: &str = include_str!("../../../../docs/point-of-sale.md");

#[tokio::test]
async fn the_description_is_served_to_programs_and_to_people_without_a_key_and_not_to_players() {
    let trial = Trial::new().await;
    let counter = Counter::new(&trial, 1).await;
    let get = async |path| counter.send("GET", path, &[], String::new()).await;
    let heard = get("/pos/v1/openapi.json").await;
    assert_eq!(heard.header("content-type"), Some("application/json"));
    assert_eq!(serde_json::from_slice::<Value>(&heard.body).unwrap(), *POINTS_OF_SALE);
    let page = get("/pos/").await;
    shows(&page, &POINTS_OF_SALE);
    assert!(page.text().contains("<code>Idempotency-Key</code>"));
    assert_eq!(get("/pos/style.css").await.header("content-type"), Some("text/css; charset=utf-8"));
    refused(get("/api/v1/openapi.json").await, 404, "not_found");
    for path in ["/pos/v1/openapi.json", "/pos/"] {
        assert_eq!(trial.get(path, &[]).await.status, 404);
    }
}

#[test]
fn the_description_and_the_documentation_have_every_address_and_every_problem_and_no_other() {
    let table = TOLD.split_once("## Problems").unwrap().1;
    let table = table.lines().filter(|line| line.starts_with("| 4") || line.starts_with("| 5"));
    let cells = table.map(|line| line.split('|').nth(2).unwrap());
    // Codes are in backticks, every second part.
    let codes = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let codes = codes.filter(|code| code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'));
    has_exactly(&POINTS_OF_SALE, &[routes::QUOTES, routes::PAYMENTS, routes::REVERSAL], codes);
}
