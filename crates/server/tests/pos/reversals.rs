//! A payment made in error is taken back: once, with who and why, by who paid or by the operator.

use protocol::StateName;
use server::App;
use server::pos::{Reason, Till, idempotency_key, payment_id};
use store::LedgerEntry;

use crate::counter::{Counter, int, new_key, ok, refused, reversal_of, text};
use crate::harness::{Issued, Trial};

async fn paid() -> (Trial, Counter, Issued, String) {
    let trial = Trial::new().await;
    let counter = Counter::new(&trial, 1).await;
    let issued = trial.issue(20).await;
    let id = text(&ok(counter.pay(issued, &new_key()).await), "payment_id");
    (trial, counter, issued, id)
}

#[tokio::test]
async fn after_the_reversal_of_a_potential_gain_continuer_is_open_again_and_so_is_a_payment() {
    let (trial, counter, issued, id) = paid().await;
    trial.set_clock(7);
    let reversed = ok(counter.reverse(&id, &new_key(), " Ana ", "wrong ticket").await);
    assert_eq!(
        reversed.text(),
        format!(
            r#"{{"payment_id":"{id}","ticket_number":"001-0001-0000001","reversed_eur":20,"at":"2027-01-15T08:00:00.007Z","who":"Ana","why":"wrong ticket"}}"#
        )
    );
    let mut player = trial.open(issued).await;
    assert_eq!(player.game.state, StateName::NotStarted);
    assert_eq!(int(&ok(counter.quote(issued).await), "payable_eur"), 20);
    player.start().await;
    refused(counter.pay(issued, &new_key()).await, 409, "still_running");
    let entries = trial.app.store.entries(issued.id).await.unwrap();
    let LedgerEntry::Reversal(kept) = &entries[1].entry else { panic!("{entries:?}") };
    assert_eq!((kept.who.as_str(), kept.why.as_str()), ("Ana", "wrong ticket"));
}

#[tokio::test]
async fn the_gain_of_a_game_is_payable_again_after_its_reversal_and_each_payment_has_its_own() {
    let trial = Trial::new().await;
    let counter = Counter::new(&trial, 1).await;
    let issued = trial.issue(20).await;
    let mut player = trial.open(issued).await;
    player.find(6).await;
    player.quit().await.unwrap();
    let first = text(&ok(counter.pay(issued, &new_key()).await), "payment_id");
    ok(counter.reverse(&first, &new_key(), "Ana", "not the bearer").await);
    let second = text(&ok(counter.pay(issued, &new_key()).await), "payment_id");
    assert_ne!(first, second);
    refused(counter.reverse(&first, &new_key(), "Ana", "again").await, 409, "reversed_already");
    refused(counter.pay(issued, &new_key()).await, 409, "paid_already");
    ok(counter.reverse(&second, &new_key(), "Ana", "once more").await);
    assert_eq!(trial.app.store.entries(issued.id).await.unwrap().len(), 4);
}

#[tokio::test]
async fn the_same_key_is_told_the_same_reversal_and_another_body_or_key_is_refused() {
    let (trial, counter, _, id) = paid().await;
    let key = new_key();
    let reversed = ok(counter.reverse(&id, &key, "Ana", "wrong ticket").await).text();
    trial.set_clock(24 * 60 * 60 * 1000);
    let elsewhere = counter.at(&trial.beside());
    assert_eq!(ok(elsewhere.reverse(&id, &key, "Ana", "wrong ticket").await).text(), reversed);
    refused(elsewhere.reverse(&id, &key, "Ana", "another reason").await, 422, "idempotency_key_reused");
    refused(elsewhere.reverse(&id, &key, "Bob", "wrong ticket").await, 422, "idempotency_key_reused");
    let again = refused(elsewhere.reverse(&id, &new_key(), "Ana", "wrong ticket").await, 409, "reversed_already");
    assert!(reversed.contains(&text(&again, "reversed_at")));
    let other = trial.issue(5).await;
    let paid = text(&ok(counter.pay(other, &new_key()).await), "payment_id");
    refused(counter.reverse(&paid, &key, "Ana", "wrong ticket").await, 422, "idempotency_key_reused");
    refused(counter.pay(other, &key).await, 422, "idempotency_key_reused");
}

#[tokio::test]
async fn a_payment_is_reversed_by_who_made_it_or_by_the_operator_and_by_nobody_else() {
    let (trial, counter, issued, id) = paid().await;
    let other = Counter::new(&trial, 2).await;
    for unknown in [id.as_str(), &"0".repeat(32), "nonsense", "%FF", &id.to_uppercase()] {
        refused(other.reverse(unknown, &new_key(), "Ana", "not mine").await, 404, "unknown_payment");
    }
    refused(counter.quote(issued).await, 409, "paid_already");
    let App { store, keys, clock, random, .. } = &*trial.app;
    let till = Till { store: &**store, keys, clock: &**clock, random: &**random, server: None };
    let reason = Reason::new("The operator", "asked for by the point of sale").unwrap();
    let key = idempotency_key("by-hand").unwrap();
    let payment = payment_id(&id).unwrap();
    let reversed = till.reverse(None, key, payment, &reason).await.unwrap();
    assert!(!reversed.again);
    let again = till.reverse(None, key, payment, &reason).await.unwrap();
    assert!(again.again);
    assert_eq!(again.told, reversed.told);
    refused(counter.reverse(&id, &new_key(), "Ana", "wrong ticket").await, 409, "reversed_already");
    ok(counter.quote(issued).await);
}

#[tokio::test]
async fn who_and_why_are_required_and_bounded() {
    let (_, counter, issued, id) = paid().await;
    for (who, why) in [("", "x"), ("x", " "), (&*"x".repeat(101), "x"), ("x", &*"x".repeat(501)), ("x", "a\nb")] {
        refused(counter.reverse(&id, &new_key(), who, why).await, 422, "malformed_reason");
    }
    for body in [r#"{"who":"Ana"}"#, r#"{"why":"x"}"#, r#"{"who":1,"why":"x"}"#, "{}", "", "who=Ana"] {
        let heard = counter.post(&reversal_of(&id), Some(&new_key()), body).await;
        refused(heard, 400, "malformed_body");
    }
    let unkeyed = counter.post(&reversal_of(&id), None, r#"{"who":"Ana","why":"x"}"#).await;
    refused(unkeyed, 400, "idempotency_key_missing");
    refused(counter.quote(issued).await, 409, "paid_already");
}
