//! The operator's signatures: checked, kept and saved with the game; where one is wrong, missing or denied, the game stops.

use protocol::routes;
use rules::{Palier, PotentialGain};
use seal::receipt::{Receipts, verify};
use seal::{Json, Transcript};
use web::model::{Action, Failure, Signing};

use crate::browser::{Browser, Tab};
use crate::house::{Fate, House, published};

/// The last saved file, with its receipts.
fn saved(tab: &mut Tab<'_>) -> (Transcript, Option<Receipts>) {
    tab.act(Action::Save);
    let (_, text) = tab.files.last().unwrap();
    let receipts = Json::parse(text).unwrap().get("receipts").map(|receipts| Receipts::read(receipts).unwrap());
    (Transcript::from_json(text).unwrap(), receipts)
}

#[test]
fn every_receipt_is_checked_and_saved_with_the_game_also_after_a_reload() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.climb(&code, Palier::Two);
    assert!(tab.play().signing == Signing::Checked);
    let (transcript, receipts) = saved(&mut tab);
    let receipts = receipts.unwrap();
    assert_eq!(receipts.check(&transcript, &published(), verify).unwrap().len(), 1 + 1 + 6 + 1 + 5);
    assert_eq!(receipts.keys, published());
    let mut tab = tab.reload();
    assert_eq!(saved(&mut tab).1, Some(receipts));
    tab.confirmed(Action::Quit);
    let (transcript, receipts) = saved(&mut tab);
    receipts.unwrap().check(&transcript, &published(), verify).unwrap();
    assert!(tab.end().game.unwrap().signing == Signing::Checked);
}

/// A game in which the next answer is altered so.
fn altered(alter: impl Fn(String) -> String + 'static) -> (Failure, String) {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.find(&code, 2);
    house.fate([Some(Fate::Altered(Box::new(alter)))]);
    tab.find(&code, 1);
    let failure = tab.failure();
    tab.act(Action::Save);
    (failure, tab.files.last().unwrap().1.clone())
}

#[test]
fn an_answer_with_another_time_signature_or_none_stops_the_game_and_is_kept_as_evidence() {
    for (name, alter) in [
        (
            "at_ms",
            Box::new(|text: String| text.replace("\"at_ms\":1796", "\"at_ms\":1797")) as Box<dyn Fn(String) -> String>,
        ),
        (
            "signature",
            Box::new(|text: String| {
                let at = text.find("\"signature\":\"").unwrap() + 20;
                let flipped = if &text[at..=at] == "0" { "1" } else { "0" };
                [&text[..at], flipped, &text[at + 1..]].concat()
            }),
        ),
        ("none", Box::new(|text: String| text.replace("\"receipt\"", "\"other\""))),
    ] {
        let (failure, report) = altered(alter);
        assert!(failure == Failure::Receipt, "{name}");
        let report = Json::parse(&report).unwrap();
        assert_eq!(report.get("evidence").unwrap().get("reason").and_then(Json::as_str), Some("receipt"));
        // What was signed before is in it.
        assert!(report.get("receipts").is_some(), "{name}");
    }
}

#[test]
fn a_game_told_anew_with_other_receipts_than_those_kept_stops_with_both() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.find(&code, 3);
    let kept = browser.games.borrow().values().next().unwrap().clone();
    let drop_receipts = |text: String| text.replace("\"receipts\"", "\"other\"");
    house.fate([None, Some(Fate::Altered(Box::new(drop_receipts)))]);
    let mut tab = tab.reload();
    assert!(tab.failure() == Failure::Receipt);
    assert!(house.sent.borrow().iter().any(|(path, _)| *path == routes::TRANSCRIPT));
    tab.act(Action::Save);
    let report = Json::parse(&tab.files.last().unwrap().1).unwrap();
    let answer = report.get("evidence").unwrap().get("answer").and_then(Json::as_str).unwrap();
    assert!(answer.ends_with(&kept));
}

#[test]
fn a_browser_that_knows_no_such_signatures_keeps_them_and_says_so() {
    let (house, browser) = (House::new(), Browser::default());
    browser.old.set(true);
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.find(&code, 3);
    assert!(tab.play().signing == Signing::Unchecked);
    let (transcript, receipts) = saved(&mut tab);
    receipts.unwrap().check(&transcript, &published(), verify).unwrap();
}

#[test]
fn a_game_without_receipts_or_begun_before_there_were_some_goes_on() {
    let (house, browser) = (House::new(), Browser::default());
    house.signs.set(false);
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.find(&code, 2);
    assert!(tab.play().signing == Signing::None && saved(&mut tab).1.is_none());
    house.signs.set(true);
    let mut tab = Tab::open(&house, &browser, &code);
    tab.find(&code, 1);
    assert_eq!(tab.picked(), 3);
    assert!(saved(&mut tab).1.is_none());
}
