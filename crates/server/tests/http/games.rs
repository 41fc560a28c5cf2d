//! Whole games.

use protocol::{CallError, Payment, ProblemCode, StateName};
use rules::{Command, Nature, PotentialGain, Terms, Timestamp};
use seal::transcript::Outcome;

use crate::harness::{EMISSION, KEYS, THIRTY_DAYS, Trial};

#[tokio::test]
async fn a_game_is_won_at_palier_2_by_quitter_and_its_transcript_holds_at_every_step() {
    let trial = Trial::new().await;
    let mut player = trial.player(PotentialGain::Eur20).await;
    assert_eq!((player.game.state, player.game.gain_eur), (StateName::NotStarted, Some(20)));
    player.start().await;
    for number in player.numbers(Nature::Good).into_iter().take(11) {
        if player.game.state == StateName::OnPalier {
            player.go_on().await;
        }
        let answer = player.pick(number).await;
        assert_eq!((answer.number, answer.nature), (number, Nature::Good));
        let checked = player.transcript().await.unwrap().check().unwrap();
        assert_eq!(usize::from(checked.game.found()), player.game.picks.len());
    }
    player.quit().await.unwrap();
    let factor: u64 = player.game.multipliers.iter().map(|m| u64::from(m.factor())).product();
    assert_eq!((player.game.state, player.game.palier), (StateName::Won, 2));
    assert_eq!((player.game.gain_eur, player.game.payment), (Some(20 * factor), Payment::Due));
    assert_eq!(player.game.server_seed, Some(player.server_seed()));
    let transcript = player.transcript().await.unwrap();
    assert_eq!((transcript.outcome, transcript.gain_eur), (Outcome::Won, player.game.gain_eur));
    let losing = transcript.check().unwrap().losing.unwrap();
    assert_eq!(losing.iter().collect::<Vec<_>>(), player.numbers(Nature::Losing));
}

#[tokio::test]
async fn a_game_is_won_at_palier_4_by_itself() {
    let trial = Trial::new().await;
    let mut player = trial.player(PotentialGain::Eur50000).await;
    player.find(18).await;
    assert_eq!((player.game.state, player.game.gain_eur), (StateName::Won, Some(800_000)));
    assert!(player.transcript().await.unwrap().check().is_ok());
}

#[tokio::test]
async fn one_losing_number_loses_it_all() {
    let trial = Trial::new().await;
    let mut player = trial.player(PotentialGain::Eur1000).await;
    player.find(7).await;
    let answer = player.pick(player.numbers(Nature::Losing)[2]).await;
    assert_eq!((answer.nature, answer.palier), (Nature::Losing, None));
    assert_eq!((player.game.state, player.game.gain_eur), (StateName::Lost, Some(0)));
    assert!(player.transcript().await.unwrap().check().is_ok());
}

#[tokio::test]
async fn a_code_opens_the_game_where_it_stands_on_any_device_and_in_any_spelling() {
    let trial = Trial::new().await;
    let issued = trial.issue(50).await;
    let mut player = trial.open(issued).await;
    player.find(4).await;
    let elsewhere = trial.open(issued).await;
    assert_eq!(elsewhere.game, player.game);
    assert_ne!(elsewhere.token, player.token);
    let spelled = issued.code.grouped().to_lowercase().replace(' ', "-");
    assert_eq!(trial.enter(&spelled).await.status, 200);
    // Both sessions play the one game.
    let mut elsewhere = elsewhere;
    elsewhere.pick(elsewhere.numbers(Nature::Good)[4]).await;
    player.reload().await;
    assert_eq!(player.game, elsewhere.game);
}

#[tokio::test]
async fn an_answer_of_get_game_is_the_game_itself() {
    let trial = Trial::new().await;
    let mut player = trial.player(PotentialGain::Eur5).await;
    player.find(1).await;
    let told = player.game.clone();
    player.reload().await;
    assert_eq!(player.game, told);
}

#[tokio::test]
async fn a_ticket_that_is_over_or_paid_opens_and_its_game_says_so() {
    let trial = Trial::new().await;
    let issued = trial.issue(20).await;
    pay(&trial, issued.id).await;
    let player = trial.open(issued).await;
    assert_eq!((player.game.state, player.game.payment), (StateName::PotentialGainPaid, Payment::Paid));
    let issued = trial.issue(20).await;
    let mut player = trial.open(issued).await;
    player.find(6).await;
    player.quit().await.unwrap();
    pay(&trial, issued.id).await;
    let player = trial.open(issued).await;
    assert_eq!((player.game.state, player.game.payment), (StateName::Won, Payment::Paid));
    assert!(player.game.server_seed.is_some());
}

#[tokio::test]
async fn a_game_whose_30_days_have_ended_is_settled_by_whatever_asks_for_it_first() {
    for ask in ["session", "game", "transcript", "quit"] {
        let trial = Trial::new().await;
        let issued = trial.issue(20).await;
        let mut player = trial.open(issued).await;
        player.find(6).await;
        // A session that outlives the game.
        trial.set_clock(THIRTY_DAYS - 1);
        player.token = trial.open(issued).await.token;
        player.reload().await;
        assert_eq!(player.game.state, StateName::OnPalier);
        let before = trial.app.store.load(issued.id).await.unwrap().unwrap().events.len();
        trial.set_clock(THIRTY_DAYS);
        match ask {
            "session" => player.game = trial.open(issued).await.game,
            "game" => player.reload().await,
            "transcript" => {
                let transcript = player.transcript().await.unwrap();
                assert_eq!(transcript.outcome, Outcome::Expired);
                assert!(transcript.check().is_ok());
            }
            _ => {
                let Err(CallError::Problem(refused)) = player.quit().await else { panic!("not refused") };
                assert_eq!(refused.code, ProblemCode::Over);
                assert_eq!(refused.game.unwrap().state, StateName::Expired);
            }
        }
        assert_eq!(trial.app.store.load(issued.id).await.unwrap().unwrap().events.len(), before + 1, "{ask}");
        player.reload().await;
        assert_eq!(player.game.state, StateName::Expired);
        assert_eq!(player.game.gain_eur, Some(20 * u64::from(player.game.multipliers[0].factor())));
    }
}

#[tokio::test]
async fn a_game_can_be_started_until_the_emissions_deadline_and_not_while_it_is_suspended() {
    let trial = Trial::new().await;
    let player = trial.player(PotentialGain::Eur20).await;
    trial.set_terms(Terms { suspended: true, ..Terms::default() }).await;
    let refused = player.post(protocol::routes::CONTINUE, player.first().to_json()).await.is(ProblemCode::Suspended);
    assert!(refused.game.unwrap().suspended);
    let start_before = Some(Timestamp::from_millis(crate::harness::T0 + 1000));
    trial.set_terms(Terms { start_before, ..Terms::default() }).await;
    trial.set_clock(1000);
    let refused = player.post(protocol::routes::CONTINUE, player.first().to_json()).await.is(ProblemCode::StartTooLate);
    assert_eq!(refused.game.unwrap().start_before, start_before);
    trial.set_clock(999);
    assert_eq!(player.post(protocol::routes::CONTINUE, player.first().to_json()).await.status, 200);
}

/// Pays what is payable on a ticket, as a point of sale does.
async fn pay(trial: &Trial, id: store::TicketId) {
    let record = trial.app.store.load(id).await.unwrap().unwrap();
    let terms = server::records::terms(&trial.app.store.emission(EMISSION).await.unwrap().unwrap()).unwrap();
    let ticket = server::records::ticket(&record, terms).unwrap().unwrap();
    let table = engine::Table::new(ticket, &KEYS.draw).unwrap();
    let paid = table.operate(Command::Pay, Timestamp::from_millis(crate::harness::T0)).unwrap();
    trial.app.store.append(server::records::append(id, paid).unwrap()).await.unwrap();
}
