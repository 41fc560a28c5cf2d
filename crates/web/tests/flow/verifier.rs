//! The verifier over games that the real engine played: what holds, what was altered, and what is no game; and the replay.

use rules::game::VoidReason;
use rules::{Command, Palier, PotentialGain, Timestamp};
use seal::Transcript;
use seal::check::Fault;
use seal::opening::BadOpening;
use seal::transcript::{Action as Deeds, Malformed, Outcome, Wrong};
use web::model::{Action as Played, CellState, RungState, Step};
use web::verifier::model::{Account, Action, Deed, Flaw, Replay, Screen, Speed, Trouble};
use web::verifier::state::{Effect, Input, State};

use crate::browser::{Browser, Tab};
use crate::house::{House, OPENING};

fn read(text: &str) -> State {
    let mut state = State::default();
    state.take(Input::Read { name: "partie.json".into(), text: text.into() });
    state
}

fn holds(text: &str) -> Account {
    match read(text).screen() {
        Screen::Verdict(verdict) => verdict.found.unwrap(),
        _ => panic!("no verdict"),
    }
}

fn flaw(text: &str) -> Flaw {
    match read(text).screen() {
        Screen::Verdict(verdict) => verdict.found.unwrap_err(),
        _ => panic!("no verdict"),
    }
}

fn trouble(text: &str) -> Trouble {
    match read(text).screen() {
        Screen::Ask(Some(trouble)) => trouble,
        _ => panic!("it is looked into"),
    }
}

fn replay(state: &State) -> Replay {
    match state.screen() {
        Screen::Replay(replay) => *replay,
        _ => panic!("no replay"),
    }
}

/// A game on 20 € with palier 1 reached and left for palier 2, and the odds as they stood on the palier.
fn climbed<'a>(house: &'a House, browser: &'a Browser, code: &str) -> Tab<'a> {
    let mut tab = Tab::started(house, browser, code);
    tab.climb(code, Palier::One);
    tab
}

#[test]
fn a_game_of_each_end_is_told_as_it_was_played() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = climbed(&house, &browser, &code);
    let running = holds(&house.transcript(&code));
    assert_eq!((running.outcome, running.gain, running.losing), (Outcome::InProgress, None, None));
    assert_eq!((running.picks.len(), running.paliers.len()), (6, 1));
    tab.confirmed(Played::Quit);
    let won = holds(&house.transcript(&code));
    assert_eq!((won.outcome, won.gain), (Outcome::Won, Some(running.paliers[0].2)));
    let losing: Vec<_> = won.losing.unwrap().iter().collect();
    assert_eq!(losing, house.natures(&code).1);

    let code = house.ticket(PotentialGain::Eur50);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.find(&code, 2);
    let losing = house.natures(&code).1[0];
    tab.act(Played::Pick(losing));
    let lost = holds(&house.transcript(&code));
    assert_eq!((lost.outcome, lost.picks.last()), (Outcome::Lost, Some(&(losing, false))));

    let code = house.ticket(PotentialGain::Eur100);
    let mut tab = climbed(&house, &browser, &code);
    tab.find(&code, 0);
    house.operate(&code, Command::Void(VoidReason::Malfunction));
    let void = holds(&house.transcript(&code));
    assert_eq!((void.outcome, void.gain), (Outcome::Void, Some(void.paliers[0].2)));

    let code = house.ticket(PotentialGain::Eur100);
    let _ = climbed(&house, &browser, &code);
    house.advance(rules::decided::PLAY_MILLIS);
    let expired = holds(&house.transcript(&code));
    assert_eq!((expired.outcome, expired.gain), (Outcome::Expired, Some(expired.paliers[0].2)));
}

#[test]
fn what_was_altered_is_told_where_it_stands() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = climbed(&house, &browser, &code);
    tab.confirmed(Played::Quit);
    let text = house.transcript(&code);
    let transcript = Transcript::from_json(&text).unwrap();
    let altered = |alter: &dyn Fn(&mut Transcript)| {
        let mut transcript = transcript.clone();
        alter(&mut transcript);
        flaw(&transcript.to_json())
    };
    let numbers: Vec<_> =
        transcript.actions.iter().filter_map(|a| if let Deeds::Pick(n, _) = a { Some(*n) } else { None }).collect();

    // The third number's nonce.
    let third = altered(&|t| {
        if let Deeds::Pick(_, opening) = &mut t.actions[3] {
            opening.nonce[0] ^= 1;
        }
    });
    assert_eq!(third.deed, Some(Deed::Pick(numbers[2], 3)));
    assert_eq!((third.wrong, third.proven), (Wrong::Action(3, Fault::Cell(BadOpening::Commitment)), 2));
    // The palier's gain, told by the sixth number.
    let gain = altered(&|t| {
        if let Deeds::Palier(claim) = &mut t.actions[7] {
            claim.gain_eur += 20;
        }
    });
    assert_eq!(gain.deed, Some(Deed::Palier(Palier::One, Some(numbers[5]), 6)));
    assert!(matches!(gain.wrong, Wrong::Action(7, Fault::Gain(_))) && gain.proven == 5);
    // A number picked twice; QUITTER before a palier; a commitment; the seed; the end.
    assert_eq!(altered(&|t| t.actions[2] = t.actions[1].clone()).deed, Some(Deed::Pick(numbers[0], 2)));
    assert_eq!(altered(&|t| t.actions.insert(2, Deeds::Quit)).deed, Some(Deed::Quit));
    assert_eq!(altered(&|t| t.sealed.commitment.0[0] ^= 1).proven, 0);
    assert_eq!(altered(&|t| t.sealed.potential_gain = PotentialGain::Eur50).proven, 0);
    let seed = altered(&|t| t.server_seed.as_mut().unwrap().0[0] ^= 1);
    assert_eq!((seed.wrong, seed.deed, seed.proven), (Wrong::Reveal(Fault::ServerSeed), None, 6));
    assert_eq!(altered(&|t| t.server_seed = None).wrong, Wrong::NotRevealed);
    assert_eq!(altered(&|t| t.outcome = Outcome::Lost).wrong, Wrong::Outcome);
    assert!(matches!(altered(&|t| t.gain_eur = Some(1)).wrong, Wrong::Gain(Some(_))));
    // None of these can be seen again as if it held.
    let mut state = read(&text.replacen("\"value\":1", "\"value\":0", 1));
    state.take(Input::Act(Action::Replay));
    assert!(matches!(state.screen(), Screen::Verdict(_)));
}

#[test]
fn what_is_no_game_is_told_so() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let _ = Tab::started(&house, &browser, &code);
    let text = house.transcript(&code);
    assert!(matches!(read(&format!("\u{feff}{text}\n")).screen(), Screen::Verdict(_)), "as some editors save it");
    assert_eq!(trouble(" \n"), Trouble::Empty);
    assert!(matches!(trouble("\u{fffd}PNG"), Trouble::NotAGame(Malformed::Json(_))));
    assert!(matches!(trouble(&text[..text.len() / 2]), Trouble::NotAGame(Malformed::Json(_))));
    assert_eq!(trouble("{}"), Trouble::NotAGame(Malformed::Version));
    assert_eq!(trouble(&text.replace("client_seed", "seed")), Trouble::NotAGame(Malformed::Member("client_seed")));
    assert_eq!(trouble("{\"evidence\":{\"reason\":\"draw\"}}"), Trouble::ReportAlone);
    let mut state = read(&text);
    state.take(Input::Refused(Trouble::TooLarge));
    assert!(state.screen() == Screen::Ask(Some(Trouble::TooLarge)));
}

#[test]
fn the_report_of_a_failed_proof_verifies_up_to_the_failure_and_says_that_it_is_one() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur20);
    let mut tab = Tab::started(&house, &browser, &code);
    tab.find(&code, 2);
    house.alter("\"good\":true", "\"good\":false");
    tab.act(Played::Pick(house.natures(&code).0[2]));
    tab.act(Played::Save);
    let Screen::Verdict(verdict) = read(&tab.files[0].1).screen() else { panic!("no verdict") };
    assert!(verdict.is_report && verdict.found.unwrap().picks.len() == 2);
}

#[test]
fn a_game_is_seen_again_step_by_step_with_the_odds_as_they_stood() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur10);
    let mut tab = climbed(&house, &browser, &code);
    let rungs = tab.play().rungs;
    tab.confirmed(Played::Continue);
    tab.act(Played::Pick(house.natures(&code).1[0]));
    // At its end the game is handed over, with its ticket's number and its time.
    tab.act(Played::Replay);
    let mut state = State::default();
    state.take(Input::Handed(Some(tab.reviews[0].clone())));
    let first = replay(&state);
    assert!(first.step == Step::Started && first.steps == 9);
    assert_eq!(first.started_at, Some(Timestamp::from_millis(OPENING)));
    assert_eq!(first.ticket_number.as_deref(), Some("001-0001-0000001"));
    state.take(Input::Act(Action::To(6)));
    let sixth = replay(&state);
    assert!(matches!(sixth.step, Step::PalierReached { palier: Palier::One, .. }) && sixth.rungs == rungs);
    assert!(sixth.cells.iter().all(|cell| matches!(cell.state, CellState::Free | CellState::Good)));
    state.take(Input::Act(Action::To(99)));
    let last = replay(&state);
    assert!(
        last.at == 8
            && last.rungs.iter().all(|rung| rung.state != RungState::Next)
            && last.amount == rules::Amount::ZERO
    );
    assert!(last.cells.iter().any(|cell| cell.state == CellState::WasLosing));

    // Played from its end it starts over, goes on by itself as fast as it is asked, and stops.
    let mut wait = state.take(Input::Act(Action::Play(true)));
    for at in 0..8 {
        let shown = replay(&state);
        assert!(shown.at == at && shown.playing);
        let [Effect::Wait(play, millis)] = wait[..] else { panic!("{wait:?}") };
        assert_eq!(millis, if at < 4 { 1200 } else { 300 });
        if at == 3 {
            state.take(Input::Act(Action::Speed(Speed::Four)));
        }
        assert!(state.take(Input::Rang(play + 1)).is_empty(), "the time of another play");
        wait = state.take(Input::Rang(play));
    }
    assert!(wait.is_empty() && replay(&state).at == 8 && !replay(&state).playing);
    // A step by hand stops it where it is.
    state.take(Input::Act(Action::Play(true)));
    state.take(Input::Act(Action::To(2)));
    assert!(state.take(Input::Rang(2)).is_empty() && replay(&state).at == 2);
    state.take(Input::Act(Action::Verdict));
    assert!(matches!(state.screen(), Screen::Verdict(_)));
}

#[test]
fn who_comes_to_verify_is_asked_for_a_file_and_finds_again_what_was_opened_here() {
    let (house, browser) = (House::new(), Browser::default());
    let code = house.ticket(PotentialGain::Eur10);
    let _ = climbed(&house, &browser, &code);
    let mut state = read(&house.transcript(&code));
    state.take(Input::Asked);
    assert!(matches!(state.screen(), Screen::Verdict(_)));
    state.take(Input::Handed(Some(house.transcript(&code))));
    assert_eq!(replay(&state).at, 0);
    state.take(Input::Asked);
    assert!(state.screen() == Screen::Ask(None), "a game that was handed over is not the file that is to be verified");
    state.take(Input::Handed(None));
    assert!(state.screen() == Screen::Ask(Some(Trouble::Gone)));
    assert_eq!(state.take(Input::Act(Action::Choose)), [Effect::Choose]);
}
