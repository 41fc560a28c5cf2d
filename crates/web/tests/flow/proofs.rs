//! Servers that lie: nothing of it is shown as a result, the game stops, and the evidence can be saved.

use protocol::routes;
use rules::{Palier, PotentialGain};
use seal::Transcript;
use seal::transcript::Wrong;
use web::model::{Action, CellState, Failure, Screen};

use crate::browser::{Browser, Tab, name};
use crate::house::{Fate, House};

/// Nothing more is sent, whatever the player does; and what is saved holds the answer that does not hold.
fn stops(tab: &mut Tab<'_>, failure: Failure) {
    assert_eq!(tab.failure(), failure);
    let sent = tab.house.sent.borrow().len();
    tab.timers.clear();
    for number in rules::Number::all() {
        tab.act(Action::Pick(number));
    }
    for action in
        [Action::Retry, Action::Continue, Action::Quit, Action::Confirm, Action::BegunElsewhere, Action::Replay]
    {
        tab.act(action);
    }
    tab.give(web::state::Input::Woke);
    assert_eq!(tab.house.sent.borrow().len(), sent);
    tab.act(Action::Save);
    let (file, text) = tab.files.last().unwrap().clone();
    assert!(file.ends_with("-constat.json") && text.contains("\"answer\":\"{") && text.contains("\"held\":\"{"));
    seal::Json::parse(&text).expect("evidence is JSON");
    if text.contains("\"version\":1") {
        let transcript = Transcript::from_json(&text).unwrap();
        // What was checked before still checks; where the draw fails, that is what a checker of transcripts finds.
        let drawn = matches!(transcript.check(), Err(Wrong::Reveal(_)));
        assert!(transcript.check().is_ok() != drawn && drawn == (failure == Failure::Draw));
    }
    assert!(matches!(tab.screen(), Screen::ProofFailed(failed) if failed.saved));
}

/// A game with two good numbers; the answer to the next good one is altered.
#[track_caller]
fn altered_pick(from: &str, to: &str, failure: impl Fn(rules::Number) -> Failure) {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.find(&code, 2);
    let (good, _) = house.natures(&code);
    house.alter(from, to);
    tab.act(Action::Pick(good[10]));
    stops(&mut tab, failure(good[10]));
}

#[test]
fn a_good_number_cannot_be_told_losing_nor_its_opening_be_altered() {
    altered_pick("\"good\":true", "\"good\":false", Failure::Number);
    altered_pick("\"value\":1", "\"value\":0", Failure::Number);
    altered_pick("\"value\":1", "\"value\":2", Failure::Number);
    altered_pick("\"path\":[", "\"path\":[],\"was\":[", Failure::Number);
    altered_pick("\"opening\":{\"index\":", "\"opening\":{\"index\":1", Failure::Number);
    altered_pick("{\"number\":", "{\"number\":1,\"n\":", Failure::Number);
}

#[test]
fn a_losing_number_cannot_be_told_good() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    let (_, losing) = house.natures(&code);
    house.alter("\"good\":false", "\"good\":true");
    tab.act(Action::Pick(losing[0]));
    stops(&mut tab, Failure::Number(losing[0]));
}

#[test]
fn a_game_told_otherwise_than_it_was_played_is_looked_into_and_refused() {
    // After an answer whose proof holds, the game is asked for again: if it still does not fit, it stops.
    for (from, to) in
        [("\"gain_eur\":null", "\"gain_eur\":40"), ("\"palier\":0", "\"palier\":1"), ("\"seq\":4", "\"seq\":5")]
    {
        altered_pick(from, to, |_| Failure::Game);
    }
    altered_pick("\"potential_gain_eur\":20", "\"potential_gain_eur\":10", |_| Failure::Commitment);
    altered_pick(
        "\"server_seed\":null",
        "\"server_seed\":\"0000000000000000000000000000000000000000000000000000000000000000\"",
        |_| Failure::Game,
    );
}

#[test]
fn a_palier_is_told_as_it_was_drawn() {
    for (from, to) in [
        ("\"multiplier\":2", "\"multiplier\":3"),
        ("\"gain_eur\":40", "\"gain_eur\":60"),
        ("\"palier\":{\"palier\":1", "\"palier\":{\"palier\":2"),
        ("\"palier\":{", "\"nothing\":{"),
    ] {
        let (house, browser) = (House::new(), Browser::default());
        let code = house.ticket(PotentialGain::Eur20);
        let mut tab = Tab::started(&house, &browser, &code);
        tab.find(&code, 5);
        house.alter(from, to);
        tab.find(&code, 1);
        stops(&mut tab, Failure::Palier(Palier::One));
    }
}

#[test]
fn the_draw_revealed_at_the_end_makes_the_commitment_or_nothing_is_shown() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.climb(&code, Palier::One);
    house.alter(house.server_seed(&code), "0".repeat(64));
    tab.confirmed(Action::Quit);
    stops(&mut tab, Failure::Draw);
}

#[test]
fn a_commitment_never_changes() {
    let other = "0".repeat(64);
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let tab = Tab::open(&house, &browser, &code);
    let Screen::Stake(_) = tab.screen() else { panic!("not at stake") };
    let held = browser.held.borrow().values().next().unwrap().clone();
    let commitment = held.split("commitment\":\"").nth(1).unwrap()[..64].to_owned();

    // When the page is loaded again, and in the answer to CONTINUER.
    house.alter(commitment.clone(), other.clone());
    let mut again = Tab::open(&house, &browser, &code);
    stops(&mut again, Failure::Commitment);
    let mut tab = tab;
    house.alter(commitment.clone(), other.clone());
    tab.start();
    stops(&mut tab, Failure::Commitment);
    // In the refusal that says so.
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::open(&house, &browser, &code);
    house.fate([Some(Fate::Says(409, "{\"code\":\"other_commitment\"}".into())), None]);
    tab.start();
    assert_eq!(name(&tab.screen()), "stake", "refused, and the game asked for: it is the same");
    // In the transcript.
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.find(&code, 1);
    let held = browser.held.borrow().values().last().unwrap().clone();
    let commitment = held.split("commitment\":\"").nth(1).unwrap()[..64].to_owned();
    house.fate([None]);
    house.alter(commitment, other);
    stops(&mut tab.reload(), Failure::Commitment);
}

#[test]
fn a_game_taken_up_again_is_checked_from_its_first_number() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.climb(&code, Palier::One);
    let first = rules::Number::all().find(|number| house.natures(&code).0[0] == *number).unwrap();
    let cases = [
        ("\"value\":1", "\"value\":0", Failure::Number(first)),
        ("\"nonce\":\"", "\"nonce\":\"00", Failure::Unreadable),
        ("\"multiplier\":2", "\"multiplier\":3", Failure::Palier(Palier::One)),
        ("{\"type\":\"continue\"},", "", Failure::Game),
    ];
    for (from, to, failure) in cases {
        tab = told_anew(tab, |house| {
            house.fate([None]);
            house.alter(from, to);
        });
        stops(&mut tab, failure);
    }
    // A game that is over by its transcript, and goes on by its view, is asked for a few times and no more.
    tab = told_anew(tab, |house| {
        for _ in 0..6 {
            house.fate([None]);
            house.alter("\"outcome\":\"in_progress\"", "\"outcome\":\"expired\"");
        }
    });
    stops(&mut tab, Failure::Game);
    // Nothing of it was the game's fault: told truly, it goes on.
    told_anew(tab, |_| ()).confirmed(Action::Continue);
}

/// The page loaded anew on a server of which that becomes; where a proof has failed before, the player wants the game nevertheless.
fn told_anew<'a>(tab: Tab<'a>, spoil: impl FnOnce(&House)) -> Tab<'a> {
    let house = tab.house;
    if let Screen::ProofFailed(_) = tab.screen() {
        let mut tab = tab.reload();
        spoil(house);
        tab.act(Action::TakeUpAgain);
        tab
    } else {
        spoil(house);
        tab.reload()
    }
}

#[test]
fn a_proof_that_failed_is_not_forgotten_by_a_reload_and_its_report_stays() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    let (good, _) = house.natures(&code);
    house.alter("\"good\":true", "\"good\":false");
    tab.act(Action::Pick(good[0]));
    stops(&mut tab, Failure::Number(good[0]));
    let report = tab.files.pop().unwrap();
    // The server is honest from now on; the page says it nevertheless, in this tab and in another.
    let another = Tab::open(&house, &browser, &code);
    assert_eq!(another.failure(), Failure::Number(good[0]));
    let mut tab = tab.reload();
    let Screen::ProofFailed(failed) = tab.screen() else { panic!("not said again") };
    assert!(failed.failure == Failure::Number(good[0]) && failed.earlier && !failed.saved);
    let sent = house.sent.borrow().len();
    tab.give(web::state::Input::Woke);
    tab.act(Action::Pick(good[1]));
    assert_eq!(house.sent.borrow().len(), sent, "nothing is played");
    tab.act(Action::Save);
    assert_eq!(tab.files.pop().unwrap(), report, "the same report, to the byte");
    // The player may take the game up again: all of it is checked, and the mark stays.
    tab.act(Action::TakeUpAgain);
    assert_eq!(tab.picked(), 1);
    tab.find(&code, 1);
    let mut tab = tab.reload();
    assert_eq!(tab.failure(), Failure::Number(good[0]));
    tab.act(Action::Save);
    assert_eq!(tab.files.pop().unwrap(), report);
}

#[test]
fn what_was_played_cannot_be_told_otherwise_later() {
    let (house, browser) = (House::new(), Browser::default());
    // The receipts would find it as well.
    house.signs.set(false);
    let code = house.ticket(PotentialGain::Eur20);
    let mut first = Tab::started(&house, &browser, &code);
    first.find(&code, 2);
    let before = first.transcript();
    Tab::open(&house, &browser, &code).find(&code, 1);
    // The transcript has lost the second number, and what came after it.
    house.fate([
        None,
        Some(Fate::Altered(Box::new({
            let mut short = before;
            short.actions.truncate(2);
            move |_| short.to_json()
        }))),
    ]);
    first.give(web::state::Input::Woke);
    stops(&mut first, Failure::Game);
}

#[test]
fn an_answer_that_cannot_be_read_stops_the_game_and_one_that_is_none_is_waited_out() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    let (good, _) = house.natures(&code);
    house.fate([Some(Fate::Says(200, "Please log in to this hotspot".into()))]);
    tab.act(Action::Pick(good[0]));
    assert_eq!(tab.state_of(good[0]), CellState::Pending);
    house.fate([Some(Fate::Says(200, "{\"good\":true}".into()))]);
    tab.ring();
    stops(&mut tab, Failure::Unreadable);
}

#[test]
fn a_started_game_cannot_be_told_not_to_have_begun() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::open(&house, &browser, &code);
    let fresh = {
        let sent = House::new();
        let code = sent.ticket(PotentialGain::Eur20);
        let browser = Browser::default();
        Tab::open(&sent, &browser, &code);
        sent.view(&code)
    };
    tab.start();
    tab.find(&code, 2);
    house.fate([Some(Fate::Says(200, fresh))]);
    tab.give(web::state::Input::Woke);
    stops(&mut tab, Failure::Game);
    assert_eq!(house.calls(routes::PICKS), 2);
}

#[test]
fn a_running_game_keeps_its_setting_and_its_deadline() {
    for (from, to) in [
        ("\"unfinished\":\"no_gain\"", "\"unfinished\":\"last_palier\""),
        ("\"finish_before\":\"2", "\"finish_before\":\"3"),
    ] {
        let (house, browser) = (House::new(), Browser::default());
        let code = house.ticket(PotentialGain::Eur20);
        let mut tab = Tab::started(&house, &browser, &code);
        tab.find(&code, 2);
        house.alter(from, to);
        tab.give(web::state::Input::Woke);
        stops(&mut tab, Failure::Game);
    }
}

#[test]
fn a_game_cannot_be_told_to_have_expired_long_before_its_time() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.find(&code, 2);
    // The server's clock runs ahead of this browser's by thirty days; the page is told, and does not believe it.
    let here = house.clock();
    house.advance(rules::decided::PLAY_MILLIS);
    let (expired, transcript) = (house.view(&code), house.transcript(&code));
    house.advance(here.millis() - house.clock().millis());
    house.fate([Some(Fate::Says(200, expired)), Some(Fate::Says(200, transcript))]);
    tab.give(web::state::Input::Woke);
    stops(&mut tab, Failure::Game);
}

#[test]
fn after_a_reload_the_game_is_not_rolled_back_behind_what_was_proven() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.find(&code, 2);
    let old = house.view(&code);
    tab.find(&code, 1);
    house.fate((0..9).map(|_| Some(Fate::Says(200, old.clone()))));
    let mut tab = tab.reload();
    assert_eq!(tab.failure(), Failure::Game);
    tab.act(Action::Save);
    assert_eq!(tab.files.len(), 1);
}

#[test]
fn an_answer_that_was_late_does_not_look_like_a_rollback() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    let old = house.view(&code);
    tab.find(&code, 2);
    house.fate([Some(Fate::Says(200, old))]);
    let tab = tab.reload();
    assert_eq!(tab.picked(), 2);
}
