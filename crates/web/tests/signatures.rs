//! The worked receipts of `tests/vectors/receipts-v1.json`, checked by the browser's own Ed25519, as the page does.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, reason = "a test that cannot read its vectors must fail")]

use rules::Timestamp;
use seal::receipt::{Place, Receipts, Statement, statements};
use seal::{Json, Transcript};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web::receipts::{ToCheck, Verdict};
use web::signatures::check;

wasm_bindgen_test_configure!(run_in_browser);

/// The page's own check out of its script, over a server that publishes the worked keys; gives the games as they would be saved.
fn boot() -> Vec<String> {
    let script = include_str!("../../../www/boot.js");
    let at = script.find("window.qodCheck").unwrap();
    let served = concat!(
        "window.vectors = ",
        include_str!("../../../tests/vectors/receipts-v1.json"),
        "; window.fetch = () => Promise.resolve(new Response(JSON.stringify(vectors.published)));"
    );
    js_sys::eval(served).unwrap();
    js_sys::eval(&script[at..]).unwrap();
    let saved = js_sys::eval("vectors.games.map((game) => JSON.stringify(game.saved))").unwrap();
    js_sys::Array::from(&saved).iter().map(|game| game.as_string().unwrap()).collect()
}

/// What the page would have checked of a saved game.
fn to_check(game: &str) -> Vec<ToCheck> {
    let transcript = Transcript::from_json(game).unwrap();
    let receipts = Receipts::read(Json::parse(game).unwrap().get("receipts").unwrap()).unwrap();
    let times = receipts.actions.iter().map(|receipt| receipt.at);
    let all = statements(&transcript, receipts.number, receipts.unfinished, times).unwrap();
    let opening = Statement::opening(&transcript.sealed, receipts.number);
    let mut checks = vec![ToCheck { statement: opening, signed: receipts.opening, at: None }];
    for (statement, receipt) in all.into_iter().zip(&receipts.actions) {
        checks.push(ToCheck { statement, signed: receipt.signed, at: Some(receipt.at) });
    }
    checks
}

#[wasm_bindgen_test]
async fn every_worked_receipt_holds_in_this_browser_and_none_that_was_altered() {
    for game in boot() {
        let checks = to_check(&game);
        assert!(matches!(check(&checks).await, Verdict::Hold(keys) if keys.matches("Ed25519").count() == 2));
        for at in 0..checks.len() {
            let mut other = checks.clone();
            other[at].signed.signature.0[40] ^= 1;
            assert!(matches!(check(&other).await, Verdict::Wrong));
        }
        // Another key; the right one, outside of its time; another statement.
        let mut other = checks.clone();
        other[1].signed.key.0[0] ^= 1;
        assert!(matches!(check(&other).await, Verdict::Wrong));
        let mut other = checks.clone();
        other[1].at = Some(Timestamp::from_millis(0));
        assert!(matches!(check(&other).await, Verdict::Wrong));
        let mut other = checks.clone();
        other[1].statement = other[2].statement.clone();
        assert!(matches!(check(&other).await, Verdict::Wrong), "{:?}", Place::Action(0));
    }
}

#[wasm_bindgen_test]
async fn where_the_published_keys_do_not_come_it_is_not_known() {
    let checks = to_check(&boot()[0]);
    js_sys::eval("window.fetch = () => Promise.reject()").unwrap();
    assert!(matches!(check(&checks).await, Verdict::Unknown));
}
