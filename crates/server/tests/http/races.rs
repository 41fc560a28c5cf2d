//! The same action many times at once, and different ones at the same place, at three servers over one store: one effect,
//! one answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use protocol::{
    ContinueRequest, FirstContinue, PickAnswer, PickRequest, Problem, ProblemCode, QuitRequest, StateName, routes,
};
use rules::{Nature, PotentialGain};
use seal::{ClientSeed, Json};
use store::SqliteStore;
use tokio::task::JoinSet;
use tower::ServiceExt as _;

use crate::harness::{Player, THIRTY_DAYS, Trial, request};

/// Over SQLite, as a server runs: its readers and its writer are threads of their own.
async fn trial() -> (tempfile::TempDir, Trial) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("qod.sqlite")).unwrap();
    (folder, Trial::over(Arc::new(store)).await)
}

/// All of these at once, by turns to three servers; their answers, by status and body.
async fn at_once(player: &Player<'_>, path: &'static str, bodies: Vec<String>) -> Vec<(u16, String)> {
    let servers = [player.trial.router.clone(), player.trial.beside().router, player.trial.beside().router];
    let bearer = format!("Bearer {}", player.token);
    let mut set = JoinSet::new();
    for (body, router) in bodies.into_iter().zip(servers.iter().cycle()) {
        let headers = [("content-type", "application/json"), ("authorization", bearer.as_str())];
        let method = if body.is_empty() { "GET" } else { "POST" };
        let (router, sent) = (router.clone(), request(method, path, &headers, body));
        set.spawn(async move {
            let response = router.oneshot(sent).await.unwrap();
            let status = response.status().as_u16();
            let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
            (status, String::from_utf8(body.to_vec()).unwrap())
        });
    }
    set.join_all().await
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_identical_actions_at_once_have_one_effect_and_the_same_answer_and_so_has_one_a_day_later() {
    let (_folder, trial) = trial().await;
    let issued = trial.issue(20).await;
    let mut player = trial.open(issued).await;
    let good = player.numbers(Nature::Good);
    let mut told = Vec::new();
    let mut actions = vec![(routes::CONTINUE, player.first().to_json())];
    for (seq, number) in (1..).zip(&good[..6]) {
        actions.push((routes::PICKS, PickRequest { seq, number: *number }.to_json()));
    }
    actions.push((routes::CONTINUE, ContinueRequest { seq: 7, first: None }.to_json()));
    for (seq, number) in (8..).zip(&good[6..11]) {
        actions.push((routes::PICKS, PickRequest { seq, number: *number }.to_json()));
    }
    actions.push((routes::QUIT, QuitRequest { seq: 13 }.to_json()));
    for (path, body) in &actions {
        let answers = at_once(&player, path, vec![body.clone(); 20]).await;
        let different: BTreeSet<_> = answers.iter().collect();
        assert_eq!(different.len(), 1, "{body}");
        assert_eq!(answers[0].0, 200, "{body}: {}", answers[0].1);
        told.push(answers[0].1.clone());
    }
    let record = trial.app.store.load(issued.id).await.unwrap().unwrap();
    assert_eq!(record.events.len(), actions.len());
    trial.set_clock(24 * 60 * 60 * 1000);
    // A session of another phone, at another server.
    let elsewhere = trial.beside();
    player = elsewhere.open(issued).await;
    for ((path, body), answer) in actions.iter().zip(&told) {
        assert_eq!(player.post(path, body.clone()).await.text(), *answer);
    }
    assert_eq!(trial.app.store.load(issued.id).await.unwrap().unwrap().events.len(), actions.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn of_different_picks_at_one_seq_exactly_one_holds_and_the_others_get_the_game_and_a_conflict() {
    let (_folder, trial) = trial().await;
    for _ in 0..5 {
        let mut player = trial.player(PotentialGain::Eur20).await;
        player.start().await;
        let numbers = player.numbers(Nature::Good);
        let bodies = numbers[..20].iter().map(|n| PickRequest { seq: 1, number: *n }.to_json()).collect();
        let answers = at_once(&player, routes::PICKS, bodies).await;
        player.reload().await;
        let (won, lost): (Vec<_>, Vec<_>) = answers.iter().partition(|(status, _)| *status == 200);
        assert_eq!((won.len(), lost.len()), (1, 19));
        let answer = PickAnswer::read(&Json::parse(&won[0].1).unwrap()).unwrap();
        assert_eq!(answer.game, player.game);
        for (status, body) in lost {
            let problem = Problem::read(&Json::parse(body).unwrap()).unwrap();
            assert_eq!((*status, problem.code), (409, ProblemCode::SeqConflict));
            assert_eq!(*problem.game.unwrap(), player.game);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_different_seeds_at_once_exactly_one_starts_the_game_and_the_others_are_told_which() {
    let (_folder, trial) = trial().await;
    let mut player = trial.player(PotentialGain::Eur20).await;
    let commitment = player.game.commitment;
    let bodies = (0..20u8).map(|i| {
        let first = FirstContinue { commitment, client_seed: ClientSeed([i; 32]) };
        ContinueRequest { seq: 0, first: Some(first) }.to_json()
    });
    let answers = at_once(&player, routes::CONTINUE, bodies.collect()).await;
    player.reload().await;
    assert_eq!(answers.iter().filter(|(status, _)| *status == 200).count(), 1);
    for (_, body) in answers.iter().filter(|(status, _)| *status != 200) {
        let problem = Problem::read(&Json::parse(body).unwrap()).unwrap();
        assert_eq!(problem.code, ProblemCode::OtherSeed);
        assert_eq!(problem.game.unwrap().client_seed, player.game.client_seed);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expiry_that_many_find_at_once_is_kept_once() {
    let (_folder, trial) = trial().await;
    let issued = trial.issue(20).await;
    let mut player = trial.open(issued).await;
    // A session that outlives the game: opened just before its end.
    player.find(6).await;
    let seed = player.seed;
    trial.set_clock(THIRTY_DAYS - 1);
    player = trial.open(issued).await;
    assert_eq!(player.game.client_seed, Some(seed));
    assert_eq!(player.game.state, StateName::OnPalier);
    let before = trial.app.store.load(issued.id).await.unwrap().unwrap().events.len();
    trial.set_clock(THIRTY_DAYS);
    let answers = at_once(&player, routes::GAME, vec![String::new(); 20]).await;
    assert!(answers.iter().all(|answer| *answer == answers[0] && answer.1.contains("\"expired\"")));
    assert_eq!(trial.app.store.load(issued.id).await.unwrap().unwrap().events.len(), before + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_after_the_end_is_told_the_final_state_by_every_server() {
    let (_folder, trial) = trial().await;
    let (won, lost, expired) = (trial.issue(20).await, trial.issue(20).await, trial.issue(20).await);
    let mut players = [trial.open(won).await, trial.open(lost).await, trial.open(expired).await];
    for player in &mut players {
        player.find(6).await;
    }
    players[0].quit().await.unwrap();
    players[1].go_on().await;
    players[1].pick(players[1].numbers(Nature::Losing)[0]).await;
    trial.set_clock(THIRTY_DAYS);
    for (issued, state) in [(won, StateName::Won), (lost, StateName::Lost), (expired, StateName::Expired)] {
        let elsewhere = trial.beside();
        let player = elsewhere.open(issued).await;
        let seq = player.game.seq;
        let number = player.numbers(Nature::Good)[20];
        for (path, body) in [
            (routes::QUIT, QuitRequest { seq }.to_json()),
            (routes::PICKS, PickRequest { seq, number }.to_json()),
            (routes::CONTINUE, ContinueRequest { seq, first: None }.to_json()),
        ] {
            let answers = at_once(&player, path, vec![body.clone(); 6]).await;
            assert!(answers.iter().all(|answer| *answer == answers[0]), "{body}");
            let problem = Problem::read(&Json::parse(&answers[0].1).unwrap()).unwrap();
            assert_eq!((answers[0].0, problem.code), (409, ProblemCode::Over), "{body}");
            let game = *problem.game.unwrap();
            assert_eq!(game.state, state);
            assert!(game.gain_eur.is_some() && game.server_seed.is_some());
            assert_eq!(game, player.game);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_tabs_and_two_phones_on_one_ticket_see_one_game() {
    let (_folder, trial) = trial().await;
    let issued = trial.issue(50).await;
    let (second, third) = (trial.beside(), trial.beside());
    // Two sessions at one server, as two tabs that each entered the code, and two phones that others serve.
    let mut players =
        [trial.open(issued).await, trial.open(issued).await, second.open(issued).await, third.open(issued).await];
    players[0].start().await;
    let good = players[0].numbers(Nature::Good);
    for turn in 0..12 {
        // Whoever is next sees what all others did, and one who had not looked is told by the refusal.
        let (stale, next) = ((turn + 1) % 4, turn % 4);
        players[next].reload().await;
        if players[next].game.state == StateName::OnPalier {
            players[next].go_on().await;
        }
        players[next].pick(good[turn]).await;
        let game = players[next].game.clone();
        let behind = players[stale].send_pick(game.seq - 1, good[25]).await.is(ProblemCode::SeqConflict);
        assert_eq!(*behind.game.unwrap(), game);
        // The very same pick, from another tab, is answered as the first one was.
        let (again, first) = (players[stale].send_pick(game.seq - 1, good[turn]).await, game);
        assert_eq!(PickAnswer::read(&again.json()).unwrap().game, first);
    }
    for player in &mut players {
        player.reload().await;
    }
    assert!(players.iter().all(|player| player.game == players[0].game && player.game.picks.len() == 12));
    players[3].transcript().await.unwrap().check().unwrap();
}
