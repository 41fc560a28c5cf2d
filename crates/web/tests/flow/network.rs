//! Lost connections and reloads: an action stays pending, is sent again as it was, and happens once.

use protocol::routes;
use rules::{Palier, PotentialGain};
use web::held::{Held, Pending};
use web::model::{Action, CellState, EntryNotice, Network, Phase, PlayNotice, Proof, Screen};
use web::state::Input;

use crate::browser::{Browser, Tab, name};
use crate::house::{Fate, House};

/// The bodies sent to a path.
fn bodies(house: &House, path: &str) -> Vec<String> {
    house.sent.borrow().iter().filter(|(sent, _)| *sent == path).map(|(_, body)| body.clone()).collect()
}

fn all_the_same(bodies: &[String]) -> bool {
    bodies.windows(2).all(|two| two[0] == two[1])
}

#[test]
fn a_pick_that_gets_no_answer_stays_pending_and_is_sent_again_ever_more_slowly() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur5);
    let mut tab = Tab::started(&house, &browser, &code);
    let (good, _) = house.natures(&code);
    let fates = [Fate::AnswerLost, Fate::LostOnTheWay, Fate::AnswerLost, Fate::LostOnTheWay, Fate::LostOnTheWay];
    house.fate(fates.map(Some));
    house.fate([Some(Fate::Says(502, "<html>Bad gateway</html>".into())), Some(Fate::Says(200, "<html>".into()))]);
    tab.act(Action::Pick(good[7]));
    let mut waits = Vec::new();
    for tries in 1..=7 {
        assert_eq!(tab.state_of(good[7]), CellState::Pending);
        assert!(tab.play().network == Network::Retrying(tries));
        tab.act(Action::Pick(good[8]));
        waits.push(tab.ring());
    }
    assert_eq!(waits, [500, 1000, 2000, 4000, 8000, 8000, 8000]);
    assert_eq!((tab.state_of(good[7]), tab.picked()), (CellState::Good, 1));
    let sent = bodies(&house, routes::PICKS);
    assert!(sent.len() == 8 && all_the_same(&sent));
    assert!(tab.transcript().check().is_ok());
}

#[test]
fn a_pick_is_sent_again_at_once_when_the_page_is_seen_or_on_line_again_or_the_player_asks() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur5);
    let mut tab = Tab::started(&house, &browser, &code);
    let (good, _) = house.natures(&code);
    house.fate([Some(Fate::LostOnTheWay), Some(Fate::LostOnTheWay), Some(Fate::LostOnTheWay)]);
    tab.give(Input::Online(false));
    tab.act(Action::Pick(good[0]));
    assert!(tab.play().network == Network::Offline);
    tab.give(Input::Online(true));
    assert!(tab.play().network == Network::Retrying(2));
    tab.give(Input::Woke);
    assert!(tab.play().network == Network::Retrying(3));
    tab.act(Action::Retry);
    assert_eq!(tab.state_of(good[0]), CellState::Good);
    // The times that were set before ring in vain.
    let sent = house.sent.borrow().len();
    while !tab.timers.is_empty() {
        tab.ring();
        if tab.timers.len() > 3 {
            break;
        }
    }
    assert_eq!(house.calls(routes::PICKS), 4, "of {sent} requests");
}

#[test]
fn a_server_that_is_away_for_a_moment_is_waited_for() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur5);
    let mut tab = Tab::started(&house, &browser, &code);
    let (good, _) = house.natures(&code);
    for problem in ["unavailable", "internal", "too_many_attempts"] {
        house.fate([Some(Fate::Says(503, format!("{{\"code\":\"{problem}\"}}")))]);
    }
    tab.act(Action::Pick(good[0]));
    for _ in 0..3 {
        assert_eq!(tab.state_of(good[0]), CellState::Pending);
        tab.ring();
    }
    assert_eq!(tab.state_of(good[0]), CellState::Good);
}

#[test]
fn a_pick_survives_a_reload_whether_it_had_arrived_or_not() {
    for fate in [Fate::LostOnTheWay, Fate::AnswerLost] {
        let (house, browser) = (House::new(), Browser::default());
        let code = house.ticket(PotentialGain::Eur5);
        let mut tab = Tab::started(&house, &browser, &code);
        tab.find(&code, 2);
        let (good, _) = house.natures(&code);
        house.fate([Some(fate)]);
        tab.act(Action::Pick(good[11]));
        let tab = tab.reload();
        assert_eq!((tab.state_of(good[11]), tab.picked()), (CellState::Good, 3));
        assert!(tab.play().proof == Proof::Whole && tab.play().network == Network::Quiet);
        assert!(all_the_same(&bodies(&house, routes::PICKS)[2..]));
        assert!(browser.held.borrow().values().all(|text| Held::from_json(text).unwrap().pending.is_none()));
    }
}

#[test]
fn the_first_continuer_carries_the_same_seed_in_every_retry_and_after_a_reload() {
    for fate in [Fate::LostOnTheWay, Fate::AnswerLost] {
        let (house, browser) = (House::new(), Browser::default());
        let code = house.ticket(PotentialGain::Eur1000);
        let mut tab = Tab::open(&house, &browser, &code);
        house.fate([Some(Fate::LostOnTheWay), Some(fate)]);
        tab.start();
        tab.act(Action::Quit);
        tab.act(Action::Leave);
        assert_eq!(name(&tab.screen()), "stake", "what is on its way cannot be left");
        tab.ring();
        let tab = tab.reload();
        assert_eq!(name(&tab.screen()), "play");
        assert!(tab.play().proof == Proof::Whole);
        assert!(all_the_same(&bodies(&house, routes::CONTINUE)));
    }
}

#[test]
fn days_later_by_code_a_continuer_that_never_arrived_is_asked_for_again_with_the_same_seed() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur1000);
    let mut tab = Tab::open(&house, &browser, &code);
    house.fate([Some(Fate::LostOnTheWay)]);
    tab.start();
    drop(tab);
    let mut tab = Tab::open(&house, &browser, &code);
    assert!(matches!(tab.screen(), Screen::Stake(stake) if stake.network == Network::Quiet));
    assert_eq!(house.calls(routes::CONTINUE), 1);
    tab.start();
    assert!(tab.play().proof == Proof::Whole);
    assert!(all_the_same(&bodies(&house, routes::CONTINUE)));
}

#[test]
fn a_choice_on_a_palier_survives_a_reload_and_is_asked_for_again_by_code() {
    for (action, fate) in [
        (Action::Continue, Fate::LostOnTheWay),
        (Action::Continue, Fate::AnswerLost),
        (Action::Quit, Fate::LostOnTheWay),
        (Action::Quit, Fate::AnswerLost),
    ] {
        let (house, browser) = (House::new(), Browser::default());
        let code = house.ticket(PotentialGain::Eur20);
        let mut tab = Tab::started(&house, &browser, &code);
        tab.climb(&code, Palier::One);
        let arrived = matches!(fate, Fate::AnswerLost);
        house.fate([Some(fate)]);
        tab.confirmed(action.clone());
        assert!(tab.play().network == Network::Retrying(1));
        let (path, shown) = match action {
            Action::Quit => (routes::QUIT, "end"),
            _ => (routes::CONTINUE, "play"),
        };
        // By code nothing irrevocable is done that was not done already.
        let before = house.calls(path);
        let the_same_later = Browser { held: browser.held.clone(), ..Browser::default() };
        Tab::open(&house, &the_same_later, &code);
        assert_eq!(house.calls(path), before);
        let tab = tab.reload();
        assert_eq!(name(&tab.screen()), shown);
        assert_eq!(house.calls(path), before + usize::from(!arrived));
    }
}

#[test]
fn a_session_that_ended_asks_for_the_code_and_nothing_is_lost() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur5);
    let mut tab = Tab::started(&house, &browser, &code);
    let (good, _) = house.natures(&code);
    tab.find(&code, 1);
    house.end_sessions();
    tab.act(Action::Pick(good[9]));
    assert!(tab.entry().notice == Some(EntryNotice::SessionEnded) && tab.token.is_none());
    tab.act(Action::CodeTyped(code.clone()));
    tab.act(Action::Open);
    // The number that was picked stays picked.
    assert_eq!((tab.state_of(good[9]), tab.picked()), (CellState::Good, 2));
    let mut tab = tab.reload();
    house.end_sessions();
    tab = tab.reload();
    assert!(tab.entry().notice == Some(EntryNotice::SessionEnded));
}

#[test]
fn a_reload_shows_the_game_where_it_stood_even_where_the_first_answers_are_lost() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur5);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.climb(&code, Palier::One);
    house.fate([Some(Fate::LostOnTheWay), None, Some(Fate::AnswerLost)]);
    let mut tab = tab.reload();
    assert!(tab.screen() == Screen::Starting(Network::Retrying(1)));
    tab.ring();
    assert!(tab.screen() == Screen::Starting(Network::Retrying(1)));
    tab.ring();
    assert!(matches!(tab.play().phase, Phase::OnPalier { .. }));
    assert!(tab.play().notice == Some(PlayNotice::Resumed) && tab.play().last.is_none());
    tab.confirmed(Action::Continue);
    assert!(tab.play().notice.is_none());
}

#[test]
fn blocked_storage_does_not_stop_the_game() {
    let (house, browser) = (House::new(), Browser::default());
    browser.blocked.set(true);
    let code = house.ticket(PotentialGain::Eur5);
    let mut tab = Tab::started(&house, &browser, &code);
    house.fate([None, Some(Fate::AnswerLost)]);
    tab.find(&code, 2);
    tab.ring();
    tab.find(&code, 4);
    assert!(matches!(tab.play().phase, Phase::OnPalier { .. }));
    assert!(tab.play().proof == Proof::Whole);
}

#[test]
fn looking_for_news_never_stands_in_the_way_of_a_pick() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur5);
    let mut tab = Tab::started(&house, &browser, &code);
    let (good, _) = house.natures(&code);
    tab.held_back = true;
    tab.give(Input::Woke);
    assert!(tab.play().network == Network::Quiet);
    tab.act(Action::Pick(good[3]));
    assert_eq!(tab.state_of(good[3]), CellState::Pending);
    tab.held_back = false;
    tab.settle();
    assert_eq!(tab.state_of(good[3]), CellState::Good);
    // And fails in silence.
    house.fate([Some(Fate::LostOnTheWay)]);
    tab.timers.clear();
    tab.give(Input::Woke);
    assert!(tab.play().network == Network::Quiet && tab.timers.is_empty());
}

#[test]
fn what_is_pending_is_kept_with_its_seq() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur5);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.find(&code, 2);
    let (good, _) = house.natures(&code);
    house.fate([Some(Fate::LostOnTheWay)]);
    tab.act(Action::Pick(good[20]));
    let held = Held::from_json(browser.held.borrow().values().next().unwrap()).unwrap();
    assert_eq!(held.pending, Some(Pending::Pick(3, good[20])));
}
