//! Games held ready for their next action: nothing of an answer rests on them, whatever other servers, operators and time have done.

use protocol::{ProblemCode, routes};
use rules::{Nature, PotentialGain, Terms};

use crate::harness::{THIRTY_DAYS, Trial};

#[tokio::test]
async fn a_game_that_is_played_on_at_another_server_goes_on_at_the_first_as_if_there_were_one() {
    let here = Trial::new().await;
    let there = here.beside();
    let mut player = here.player(PotentialGain::Eur20).await;
    player.start().await;
    let numbers = player.numbers(Nature::Good);
    let pick = |seq: u32| format!(r#"{{"seq":{seq},"number":{}}}"#, numbers[seq as usize].get());
    let send = async |server: &Trial, seq: u32| {
        let heard = server.post(routes::PICKS, Some(&player.token), pick(seq)).await;
        assert_eq!(heard.status, 200, "{}", heard.text());
        heard.text().to_owned()
    };
    send(&here, 1).await;
    let second = send(&there, 2).await;
    // What the first server holds is a pick behind: for the action that was done there, and for the one after it.
    assert_eq!(send(&here, 2).await, second);
    send(&there, 3).await;
    send(&here, 4).await;
    send(&here, 5).await;
    assert_eq!(send(&there, 2).await, second);
    let sixth = send(&there, 6).await;
    assert!(sixth.contains(r#""palier":1"#), "{sixth}");
}

#[tokio::test]
async fn a_game_that_ended_elsewhere_is_told_as_it_ended() {
    let here = Trial::new().await;
    let there = here.beside();
    let mut player = here.player(PotentialGain::Eur20).await;
    player.start().await;
    let (good, losing) = (player.numbers(Nature::Good)[0], player.numbers(Nature::Losing)[0]);
    player.pick(good).await;
    let lost = format!(r#"{{"seq":2,"number":{}}}"#, losing.get());
    assert_eq!(there.post(routes::PICKS, Some(&player.token), lost.clone()).await.status, 200);
    let other = here.post(routes::PICKS, Some(&player.token), format!(r#"{{"seq":2,"number":{}}}"#, good.get())).await;
    assert_eq!(other.status, 409);
    assert!(other.text().contains(r#""state":"lost""#), "{}", other.text());
    assert_eq!(here.post(routes::PICKS, Some(&player.token), lost).await.status, 200);
}

#[tokio::test]
async fn time_ends_a_game_that_is_held_ready_like_any_other() {
    let here = Trial::new().await;
    let issued = here.issue(20).await;
    let mut player = here.open(issued).await;
    player.start().await;
    let numbers = player.numbers(Nature::Good);
    // The session would end first: another one takes its place shortly before the end.
    here.set_clock(THIRTY_DAYS - 2);
    let again = here.enter(&issued.code.grouped()).await;
    let token = again.json().get("token").unwrap().as_str().unwrap().to_owned();
    let pick = |seq: u32| format!(r#"{{"seq":{seq},"number":{}}}"#, numbers[seq as usize].get());
    assert_eq!(here.post(routes::PICKS, Some(&token), pick(1)).await.status, 200);
    here.set_clock(THIRTY_DAYS);
    let late = here.post(routes::PICKS, Some(&token), pick(2)).await;
    assert!(late.text().contains(r#""state":"expired""#), "{}", late.text());
}

#[tokio::test]
async fn a_session_and_a_setting_are_no_older_than_a_quarter_of_a_minute() {
    let here = Trial::new().await;
    let issued = here.issue(20).await;
    let mut player = here.open(issued).await;
    player.start().await;
    let number = player.numbers(Nature::Good)[0];
    player.pick(number).await;
    let day = 24 * 60 * 60 * 1000;
    here.set_clock(day + 15_000);
    let next = player.numbers(Nature::Good)[1];
    player.send_pick(2, next).await.is(ProblemCode::NoSession);
    here.set_terms(Terms { suspended: true, ..Terms::default() }).await;
    // New games are suspended: this one goes on.
    let again = here.enter(&issued.code.grouped()).await;
    let token = again.json().get("token").unwrap().as_str().unwrap().to_owned();
    let going_on = here.post(routes::PICKS, Some(&token), format!(r#"{{"seq":2,"number":{}}}"#, next.get())).await;
    assert_eq!(going_on.status, 200, "{}", going_on.text());
}
