//! Whole games: what is shown, and what is never shown.

use crate::browser::{Browser, Tab, name};
use crate::house::{Fate, House, OPENING};
use protocol::{Payment, routes};
use rules::{Amount, Palier, PotentialGain};
use web::model::{
    Action, CellState, Dialog, EntryNotice, EntryProblem, Network, Outcome, Phase, Proof, RungState, Screen, Step,
};
use web::state::{Effect, Input, State};

#[test]
fn a_game_is_won_at_palier_2_by_quitter_and_its_transcript_checks() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.climb(&code, Palier::Two);
    let play = tab.play();
    let Phase::OnPalier { gain, .. } = play.phase else { panic!("not on a palier") };
    assert!(matches!(play.last, Some(Step::PalierReached { palier: Palier::Two, .. })));
    assert!(play.proof == Proof::Whole);
    tab.act(Action::Quit);
    assert!(tab.play().dialog == Some(Dialog::Quit { gain }));
    tab.act(Action::Confirm);

    let end = tab.end();
    assert!(end.outcome == Outcome::Won(Palier::Two) && end.gain == gain && end.payment == Payment::Due);
    let game = end.game.unwrap();
    let count = |state| game.cells.iter().filter(|cell| cell.state == state).count();
    assert_eq!((count(CellState::Good), count(CellState::WasGood), count(CellState::WasLosing)), (11, 16, 3));
    assert!(game.rungs.map(|rung| matches!(rung.state, RungState::Reached(_))) == [true, true, false, false]);
    let transcript = tab.transcript();
    assert!(transcript.check().unwrap().losing.is_some());
    assert_eq!(tab.files[0].0, "quitte-ou-double-001-0001-0000001-preuve.json");
}

#[test]
fn a_game_is_won_at_palier_4_by_itself() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur50000);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.climb(&code, Palier::Four);
    let end = tab.end();
    assert!(end.outcome == Outcome::Won(Palier::Four) && end.gain == Amount::LARGEST_GAIN);
    assert!(tab.transcript().check().is_ok());
}

#[test]
fn a_losing_number_ends_the_game_and_the_whole_grid_is_shown() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur5);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.find(&code, 3);
    let (_, losing) = house.natures(&code);
    tab.act(Action::Pick(losing[1]));
    let end = tab.end();
    let outcome = Outcome::Lost { number: Some(losing[1]), at_stake: Amount::from_eur(5) };
    assert!(end.outcome == outcome && end.gain == Amount::ZERO && end.payment == Payment::None);
    let cells = end.game.unwrap().cells;
    assert_eq!(cells[losing[0].index()].state, CellState::WasLosing);
    assert_eq!(cells[losing[1].index()].state, CellState::Losing);
    assert!(tab.transcript().check().is_ok());
}

#[test]
fn continuer_asks_for_the_amount_at_risk_and_for_the_age_and_sends_nothing_before() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur100);
    let mut tab = Tab::open(&house, &browser, &code);
    let sent = || house.calls(routes::CONTINUE);
    let dialog = |tab: &Tab<'_>| match tab.screen() {
        Screen::Stake(stake) => stake.dialog,
        other => panic!("not at stake, but {}", name(&other)),
    };
    tab.act(Action::Confirm);
    tab.act(Action::Continue);
    let at_risk = Amount::from_eur(100);
    assert!(dialog(&tab) == Some(Dialog::Continue { at_risk, adult: Some(false) }));
    tab.act(Action::Confirm);
    assert_eq!(sent(), 0, "of age is not declared");
    tab.act(Action::Adult(true));
    tab.act(Action::Cancel);
    tab.act(Action::Confirm);
    assert!(dialog(&tab).is_none());
    assert_eq!(sent(), 0);
    tab.start();
    assert_eq!(sent(), 1);
    // On a palier the amount is that of the palier, and the age was declared.
    tab.find(&code, 6);
    let Phase::OnPalier { gain, .. } = tab.play().phase else { panic!("not on a palier") };
    tab.act(Action::Continue);
    assert!(tab.play().dialog == Some(Dialog::Continue { at_risk: gain, adult: None }));
}

#[test]
fn the_seed_is_kept_before_it_is_sent() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur10);
    let mut tab = Tab::open(&house, &browser, &code);
    tab.log.clear();
    tab.start();
    assert_eq!(tab.log, ["hold", "send", "hold"]);
    // Before that the commitment was held: the seed is drawn after it is known.
    let kept = browser.held.borrow().values().next().unwrap().clone();
    let (_, body) = house.sent.borrow().iter().find(|(path, _)| *path == routes::CONTINUE).unwrap().clone();
    let seed = kept.split("client_seed\":\"").nth(1).unwrap()[..64].to_owned();
    assert!(body.contains(&seed));
}

#[test]
fn quitter_before_continuer_changes_nothing() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur50);
    let mut tab = Tab::open(&house, &browser, &code);
    let sent = house.sent.borrow().len();
    tab.act(Action::Quit);
    assert!(tab.entry().notice == Some(EntryNotice::StillPayable(None)) && tab.token.is_none());
    assert_eq!(house.sent.borrow().len(), sent);
    assert_eq!(name(&Tab::open(&house, &browser, &code).screen()), "stake");
}

#[test]
fn what_does_not_stand_at_the_moment_is_not_even_sent() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur5);
    let mut tab = Tab::started(&house, &browser, &code);
    let (good, _) = house.natures(&code);
    tab.find(&code, 1);
    let sent = house.sent.borrow().len();
    tab.act(Action::Pick(good[0])); // picked already
    tab.confirmed(Action::Quit); // between two paliers
    tab.confirmed(Action::Continue);
    tab.act(Action::Replay);
    tab.act(Action::BegunElsewhere);
    assert_eq!(house.sent.borrow().len(), sent);
    tab.find(&code, 5);
    let sent = house.sent.borrow().len();
    tab.act(Action::Pick(good[20])); // on a palier
    tab.act(Action::Continue);
    tab.act(Action::Pick(good[20])); // behind a dialog
    assert_eq!(house.sent.borrow().len(), sent);
}

#[test]
fn while_a_pick_is_pending_two_thumbs_pick_one_number() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur5);
    let mut tab = Tab::started(&house, &browser, &code);
    let (good, _) = house.natures(&code);
    tab.held_back = true;
    for number in [good[4], good[4], good[5]] {
        tab.act(Action::Pick(number));
    }
    assert_eq!(tab.state_of(good[4]), CellState::Pending);
    assert_eq!(tab.state_of(good[5]), CellState::Free);
    assert!(tab.play().network == Network::Waiting);
    tab.settle();
    assert_eq!(house.calls(routes::PICKS), 1);
    assert_eq!((tab.state_of(good[4]), tab.picked()), (CellState::Good, 1));
}

#[test]
fn a_code_is_told_wrong_before_it_is_sent_and_unknown_is_not_lost() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur5);
    let mut tab = Tab::new(&house, &browser);
    tab.give(Input::Start { code: None, typed: "abc".to_owned(), token: None });
    assert_eq!(tab.entry().text, "abc");
    for wrong in ["", "ABC", &code.replace(&code[3..4], "0"), &format!("{}{}", &code[1..], &code[..1])] {
        tab.act(Action::CodeTyped(wrong.to_owned()));
        tab.act(Action::Open);
        assert!(matches!(tab.entry().problem, Some(EntryProblem::Malformed(_))));
        assert_eq!(tab.entry().text, wrong);
    }
    assert_eq!(house.sent.borrow().len(), 0);

    let problems = [
        ("unknown_code", EntryProblem::Unknown),
        ("losing_ticket", EntryProblem::LosingTicket),
        ("too_many_attempts", EntryProblem::TooManyAttempts),
        ("unavailable", EntryProblem::ServerAway),
        ("malformed_body", EntryProblem::PageOutdated),
    ];
    tab.act(Action::CodeTyped(code.to_lowercase()));
    for (problem, shown) in problems {
        house.fate([Some(Fate::Says(400, format!("{{\"code\":\"{problem}\"}}")))]);
        tab.act(Action::Open);
        assert!(tab.entry().problem == Some(shown), "{problem}");
        assert_eq!(tab.entry().text, code.to_lowercase(), "what was typed stays");
    }
    for fate in [Fate::LostOnTheWay, Fate::AnswerLost, Fate::Says(200, "<html>".to_owned())] {
        house.fate([Some(fate)]);
        tab.act(Action::Open);
        assert!(tab.entry().problem == Some(EntryProblem::ServerAway) && !tab.entry().busy);
    }
    tab.act(Action::Open);
    assert_eq!(name(&tab.screen()), "stake");
}

#[test]
fn while_a_code_is_on_its_way_it_is_sent_once() {
    let mut state = State::default();
    let now = rules::Timestamp::from_millis(OPENING);
    let house = House::new();
    let code = house.ticket(PotentialGain::Eur5);
    let effects = state.take(Input::Start { code: Some(code), typed: String::new(), token: Some("t".into()) }, now);
    assert!(matches!(effects.as_slice(), [Effect::Send { token: None, .. }]), "the code wins over the token");
    assert!(state.take(Input::Act(Action::Open), now).is_empty());
    assert!(state.take(Input::Act(Action::CodeTyped("x".into())), now).is_empty());
    assert!(matches!(state.screen(now), Screen::Entry(entry) if entry.busy && entry.text != "x"));
}

#[test]
fn a_link_that_is_no_code_closes_no_game_that_is_open() {
    let (house, browser) = (House::new(), Browser::default());
    let (code, other) = (house.ticket(PotentialGain::Eur5), house.ticket(PotentialGain::Eur20));
    let mut tab = Tab::started(&house, &browser, &code);
    tab.find(&code, 1);
    for garbage in ["utm_source=newsletter", &code[..17], "ABCDEFGHJKMNPQRSTU"] {
        tab.give(Input::Link(garbage.to_owned()));
        assert_eq!(tab.picked(), 1, "{garbage}");
        // The same where the page is loaded with it.
        let mut loaded = Tab::new(&house, &browser);
        loaded.token = tab.token.clone();
        let start = Input::Start { code: Some(garbage.to_owned()), typed: String::new(), token: tab.token.clone() };
        loaded.give(start);
        assert_eq!(loaded.picked(), 1, "{garbage}");
        // Where no game is open it is told what is wrong with it.
        let entry = Tab::open(&house, &browser, garbage).entry();
        assert!(matches!(entry.problem, Some(EntryProblem::Malformed(_))), "{garbage}");
    }
    tab.give(Input::Link(other));
    assert_eq!(name(&tab.screen()), "stake", "a code opens its ticket");
}

#[test]
fn leaving_a_running_game_leaves_it_where_it_stands() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur10);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.find(&code, 2);
    tab.act(Action::Leave);
    assert!(tab.entry().notice == Some(EntryNotice::GameWaits));
    let tab = Tab::open(&house, &browser, &code);
    assert_eq!(tab.picked(), 2);
    assert!(tab.play().proof == Proof::Whole);
}
