//! Signed receipts: of every session and action, the same for the same action, and checked with what is published alone.

use protocol::{GameAnswer, PickAnswer, PickRequest, ProblemCode, QuitRequest, SessionAnswer, routes};
use rules::{Nature, PotentialGain};
use seal::Transcript;
use seal::opening::Sealed;
use seal::receipt::{PublishedKey, PublishedKeys, ReceiptKey, Receipts, Statement, verify};
use server::ReceiptKeys;

use crate::harness::{Player, T0, Trial, receipt_keys};

const DAY: i64 = 24 * 60 * 60 * 1000;

/// What the server publishes.
async fn published(trial: &Trial) -> PublishedKeys {
    let heard = trial.get(routes::KEYS, &[]).await;
    assert_eq!((heard.status, heard.header("content-type")), (200, Some("application/json")));
    PublishedKeys::from_json(&heard.text()).unwrap()
}

/// The saved game, checked as a stranger would.
async fn checked(player: &Player<'_>) -> (Receipts, Vec<Statement>) {
    let bearer = format!("Bearer {}", player.token);
    let file = player.trial.get(routes::TRANSCRIPT, &[("authorization", &bearer)]).await;
    let transcript = Transcript::from_json(&file.text()).unwrap();
    transcript.check().unwrap();
    let receipts = Receipts::read(file.json().get("receipts").unwrap()).unwrap();
    let statements = receipts.check(&transcript, &published(player.trial).await, verify).unwrap();
    assert_eq!(receipts.check(&transcript, &receipts.keys, verify).unwrap(), statements);
    (receipts, statements)
}

#[tokio::test]
async fn the_first_receipt_comes_with_the_session_and_is_over_what_was_sealed() {
    let trial = Trial::new().await;
    let issued = trial.issue(20).await;
    let [first, second] = [trial.enter(&issued.code.grouped()).await, trial.enter(&issued.code.grouped()).await];
    let [first, second] = [first, second].map(|heard| SessionAnswer::read(&heard.json()).unwrap());
    let (game, signed) = (&first.game, first.receipt.unwrap());
    let sealed = Sealed { ticket: game.ticket_id, potential_gain: game.potential_gain, commitment: game.commitment };
    let key = *published(&trial).await.get(signed.key).unwrap();
    let holds =
        |sealed| verify(&key.public, Statement::opening(&sealed, game.ticket_number).bytes(), &signed.signature);
    assert!(holds(sealed));
    assert!(!holds(Sealed { potential_gain: PotentialGain::Eur50, ..sealed }));
    assert_eq!(second.receipt, first.receipt);
}

#[tokio::test]
async fn every_action_of_a_game_is_signed_and_the_saved_game_holds_at_every_step() {
    let trial = Trial::new().await;
    let mut player = trial.player(PotentialGain::Eur20).await;
    player.find(7).await;
    assert_eq!(checked(&player).await.1.len(), 1 + 9);
    player.pick(player.numbers(Nature::Losing)[1]).await;
    let (receipts, statements) = checked(&player).await;
    assert_eq!((receipts.actions.len(), statements.len()), (10, 11));
}

#[tokio::test]
async fn the_same_action_gets_the_very_same_receipt_also_after_the_key_was_changed() {
    let trial = Trial::new().await;
    let issued = trial.issue(20).await;
    let mut player = trial.open(issued).await;
    player.find(5).await;
    let pick = PickRequest { seq: 6, number: player.numbers(Nature::Good)[5] }.to_json();
    let answer = player.post(routes::PICKS, pick.as_str()).await;
    // The key changes after a day, and so ends a session.
    trial.set_clock(2 * DAY);
    let player = trial.open(issued).await;
    let again = player.post(routes::PICKS, pick).await;
    assert_eq!(again.text(), answer.text());
    let quit = player.post(routes::QUIT, QuitRequest { seq: 7 }.to_json()).await;
    let quit = GameAnswer::read(&quit.json()).unwrap().receipt.unwrap();
    let pick = PickAnswer::read(&answer.json()).unwrap().receipt.unwrap();
    let ids: Vec<_> = receipt_keys().published().all().iter().map(|key| key.public.id()).collect();
    assert_eq!([pick.signed.key, quit.signed.key], [ids[0], ids[1]]);
    let (receipts, _) = checked(&player).await;
    // The session's receipt is signed anew, over the same statement.
    assert_eq!((receipts.opening.key, receipts.keys.all().len()), (ids[1], 2));
}

#[tokio::test]
async fn without_a_key_that_signs_now_nothing_is_answered_and_nothing_is_kept() {
    let trial = Trial::new().await;
    let mut player = trial.player(PotentialGain::Eur20).await;
    player.start().await;
    let good = player.numbers(Nature::Good)[0];
    // Retired, and no other one is here.
    let ended = |key: &PublishedKey| PublishedKey { until: Some(rules::Timestamp::from_millis(T0)), ..*key };
    let ended = PublishedKeys::new(receipt_keys().published().all().iter().take(1).map(ended).collect()).unwrap();
    let signers = vec![ReceiptKey::from_secret(&[5; 32])];
    trial.app.receipts.replace(ReceiptKeys::new(ended, signers).unwrap());
    player.send_pick(1, good).await.is(ProblemCode::Unavailable);
    // The game itself can be looked at.
    player.reload().await;
    assert_eq!(player.game.seq, 1);
    trial.app.receipts.replace(receipt_keys());
    assert_eq!(player.send_pick(1, good).await.status, 200);
}
