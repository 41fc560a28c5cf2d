//! The same ticket in other tabs and on other devices, at a point of sale, and over time.

use protocol::{Payment, routes};
use rules::decided::PLAY_MILLIS;
use rules::game::VoidReason;
use rules::{Amount, Command, Palier, PotentialGain, Terms, Timestamp, Unfinished};
use seal::Transcript;
use web::model::{Action, CellState, Outcome, Phase, PlayNotice, Proof, Screen, StakeClosed};
use web::state::{Input, Timer};

use crate::browser::{Browser, Tab, name};
use crate::house::{House, OPENING};

#[test]
fn another_tab_goes_on_and_this_one_follows_when_it_is_seen() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut first = Tab::started(&house, &browser, &code);
    first.find(&code, 2);
    let mut second = Tab::open(&house, &browser, &code);
    assert!(second.picked() == 2 && second.play().proof == Proof::Whole);
    second.find(&code, 4);
    second.confirmed(Action::Continue);
    first.give(Input::Woke);
    assert_eq!(first.picked(), 6);
    assert!(first.play().notice == Some(PlayNotice::WentOnElsewhere));
    first.climb_on(&code);
}

#[test]
fn a_pick_at_a_seq_that_another_tab_used_shows_the_game_as_it_is() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut first = Tab::started(&house, &browser, &code);
    let mut second = Tab::open(&house, &browser, &code);
    let (good, _) = house.natures(&code);
    first.act(Action::Pick(good[0]));
    second.act(Action::Pick(good[1]));
    assert_eq!((second.state_of(good[0]), second.state_of(good[1])), (CellState::Good, CellState::Free));
    second.act(Action::Pick(good[1]));
    assert_eq!(second.picked(), 2);
    // Another number, the same seq, the same tab order the other way round: the first is behind now.
    first.act(Action::Pick(good[2]));
    assert_eq!((first.picked(), first.state_of(good[2])), (2, CellState::Free));
}

#[test]
fn quitter_in_one_tab_ends_the_game_in_the_other() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut first = Tab::started(&house, &browser, &code);
    first.climb(&code, Palier::One);
    let mut second = Tab::open(&house, &browser, &code);
    first.confirmed(Action::Quit);
    second.confirmed(Action::Continue);
    assert!(second.end().outcome == Outcome::Won(Palier::One));
}

#[test]
fn two_tabs_that_start_at_once_play_with_one_seed() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut first = Tab::open(&house, &browser, &code);
    let mut second = Tab::open(&house, &browser, &code);
    first.start();
    second.start();
    assert!(first.play().proof == Proof::Whole && second.play().proof == Proof::Whole);

    // The same, where the second did not yet see what the first had kept.
    let code = house.ticket(PotentialGain::Eur20);
    let late = Browser { name: 3, ..Browser::default() };
    let mut first = Tab::open(&house, &browser, &code);
    let mut second = Tab::open(&house, &late, &code);
    first.start();
    second.start();
    assert_eq!(name(&second.screen()), "other seed");
    late.held.replace(browser.held.borrow().clone());
    second.give(Input::Woke);
    assert!(second.play().proof == Proof::Whole);
}

#[test]
fn on_another_device_the_game_goes_on_only_once_the_player_confirms_having_begun_it() {
    let (house, phone, desktop) = (House::new(), Browser::default(), Browser { name: 5, ..Browser::default() });
    let code = house.ticket(PotentialGain::Eur50);
    let mut begun = Tab::started(&house, &phone, &code);
    begun.find(&code, 3);
    let mut tab = Tab::open(&house, &desktop, &code);
    let Screen::OtherSeed(other) = tab.screen() else { panic!("not asked") };
    assert!(!other.here_too && !other.saved);
    // The evidence is a transcript that anyone can check, and says what this is about.
    tab.act(Action::Save);
    let (file, text) = tab.files.last().unwrap().clone();
    assert!(Transcript::from_json(&text).unwrap().check().is_ok() && text.contains("other_seed"));
    assert!(file.ends_with("-constat.json"));
    assert!(matches!(tab.screen(), Screen::OtherSeed(other) if other.saved));
    let (good, _) = house.natures(&code);
    tab.act(Action::Pick(good[20]));
    assert_eq!(house.calls(routes::PICKS), 3);

    tab.act(Action::BegunElsewhere);
    assert!(tab.play().proof == Proof::SealOnly && tab.picked() == 3);
    tab.act(Action::Pick(good[20]));
    assert_eq!(tab.picked(), 4);
    // It is remembered, and never becomes more than it is.
    let mut tab = tab.reload();
    assert!(tab.play().proof == Proof::SealOnly);
    tab.climb_on(&code);
    assert!(tab.end().game.unwrap().proof == Proof::SealOnly);
    // The phone, with its seed, sees its whole game checked.
    begun.give(Input::Woke);
    assert!(begun.end().game.unwrap().proof == Proof::Whole);
}

#[test]
fn who_did_not_begin_it_elsewhere_stops() {
    let (house, phone, desktop) = (House::new(), Browser::default(), Browser { name: 5, ..Browser::default() });
    let code = house.ticket(PotentialGain::Eur50);
    Tab::started(&house, &phone, &code);
    let mut tab = Tab::open(&house, &desktop, &code);
    tab.act(Action::Leave);
    // Nobody is told that a game waits which is said to be another's.
    assert!(tab.entry().notice.is_none());
    assert_eq!(name(&Tab::open(&house, &desktop, &code).screen()), "other seed", "asked again");
}

#[test]
fn a_game_begun_here_and_recorded_with_another_seed_is_said_to_be_so() {
    let (house, here, there) = (House::new(), Browser::default(), Browser { name: 5, ..Browser::default() });
    let code = house.ticket(PotentialGain::Eur50);
    let mut tab = Tab::open(&house, &here, &code);
    Tab::started(&house, &there, &code);
    tab.start();
    assert!(matches!(tab.screen(), Screen::OtherSeed(other) if other.here_too));
    tab.act(Action::BegunElsewhere);
    assert!(tab.play().proof == Proof::SealOnly);
}

#[test]
fn a_ticket_paid_at_a_point_of_sale_is_closed_here_and_a_gain_paid_is_shown_so() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur10);
    let mut tab = Tab::open(&house, &browser, &code);
    house.operate(&code, Command::Pay);
    tab.start();
    assert!(tab.end().outcome == Outcome::PotentialGainPaid && tab.end().payment == Payment::Paid);
    assert!(Tab::open(&house, &browser, &code).end().gain == Amount::from_eur(10));
    // After its reversal, CONTINUER is open again.
    house.operate(&code, Command::ReversePayment);
    tab.give(Input::Woke);
    tab.start();
    tab.climb(&code, Palier::One);
    tab.confirmed(Action::Quit);
    assert!(tab.end().payment == Payment::Due);
    house.operate(&code, Command::Pay);
    tab.give(Input::Woke);
    assert!(tab.end().payment == Payment::Paid);
}

#[test]
fn a_voided_game_ends_with_what_was_acquired() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur10);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.find(&code, 2);
    house.operate(&code, Command::Void(VoidReason::Dispute));
    tab.find(&code, 1);
    let end = tab.end();
    assert!(end.outcome == Outcome::Void(VoidReason::Dispute) && end.gain == Amount::from_eur(10));
    assert!(tab.transcript().check().is_ok());
}

#[test]
fn too_late_and_suspended_are_told_and_the_ticket_stays_payable() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur10);
    let closed = |tab: &Tab<'_>| match tab.screen() {
        Screen::Stake(stake) => stake.closed,
        other => panic!("not at stake, but {}", name(&other)),
    };
    house.terms.set(Terms { suspended: true, ..Terms::default() });
    let mut tab = Tab::open(&house, &browser, &code);
    assert!(closed(&tab) == Some(StakeClosed::Suspended));
    tab.start();
    assert_eq!(house.calls(routes::CONTINUE), 0);

    house.terms.set(Terms { start_before: Some(Timestamp::from_millis(OPENING + 5_000)), ..Terms::default() });
    tab.give(Input::Woke);
    assert!(closed(&tab).is_none());
    tab.act(Action::Continue);
    house.advance(5_000);
    assert!(closed(&tab) == Some(StakeClosed::TooLate));
    tab.act(Action::Cancel);
    tab.start();
    assert_eq!(house.calls(routes::CONTINUE), 0);
}

#[test]
fn a_refusal_of_a_late_start_is_told_even_where_this_clock_is_behind() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur10);
    let mut tab = Tab::open(&house, &browser, &code);
    // The emission was closed since the page was opened.
    house.terms.set(Terms { start_before: Some(Timestamp::from_millis(OPENING)), ..Terms::default() });
    tab.start();
    assert!(matches!(tab.screen(), Screen::Stake(stake) if stake.closed == Some(StakeClosed::TooLate)));
    assert_eq!(house.calls(routes::CONTINUE), 1);
}

#[test]
fn when_the_30_days_end_the_server_is_asked_and_the_end_is_shown() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur10);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.climb(&code, Palier::One);
    let gain = tab.play().at_stake;
    // It looks every hour at most, and asks only once the time has come.
    let started = house.sent.borrow().len();
    assert!(tab.timers.iter().all(|(timer, wait)| *timer == Timer::Deadline && *wait <= 3_600_000));
    house.advance(PLAY_MILLIS - 7_200_000);
    tab.ring();
    assert_eq!(house.sent.borrow().len(), started);
    assert!(matches!(tab.play().phase, Phase::OnPalier { .. }));
    tab.ring();
    let end = tab.end();
    assert!(end.outcome == Outcome::Expired(Some(Palier::One)) && end.gain == gain && end.payment == Payment::Due);
    assert!(tab.transcript().check().is_ok());
    let sent = house.sent.borrow().len();
    tab.ring();
    assert!(tab.timers.is_empty() && house.sent.borrow().len() == sent);
}

#[test]
fn a_game_that_expired_between_two_paliers_gives_what_its_emission_says() {
    for (unfinished, paid) in [(Unfinished::NoGain, false), (Unfinished::LastPalier, true)] {
        let (house, browser) = (House::new(), Browser::default());
        house.terms.set(Terms { unfinished, ..Terms::default() });
        let code = house.ticket(PotentialGain::Eur10);
        let mut tab = Tab::started(&house, &browser, &code);
        tab.climb(&code, Palier::One);
        tab.confirmed(Action::Continue);
        house.advance(PLAY_MILLIS);
        let (good, _) = house.natures(&code);
        // By this page's clock the time is over: the pick is not sent, the game is asked for.
        tab.act(Action::Pick(good[26]));
        assert_eq!(house.calls(routes::PICKS), 6);
        assert!(tab.end().outcome == Outcome::Expired(paid.then_some(Palier::One)));
        assert!(Tab::open(&house, &browser, &code).end().outcome == tab.end().outcome);
        assert!(tab.transcript().check().is_ok());
    }
}
