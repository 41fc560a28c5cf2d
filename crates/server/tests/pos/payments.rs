//! What a ticket may be paid, and that it is paid once.

use protocol::{StateName, routes as player_routes};
use rules::game::VoidReason;
use rules::{Command, Nature, Terms, Timestamp, Unfinished};
use server::pos::routes;
use server::records;
use store::LedgerEntry;

use crate::counter::{Counter, int, named, new_key, ok, refused, text};
use crate::harness::{Issued, T0, THIRTY_DAYS, Trial, control};

async fn both() -> (Trial, Counter) {
    let trial = Trial::new().await;
    let counter = Counter::new(&trial, 1).await;
    (trial, counter)
}

#[tokio::test]
async fn the_potential_gain_is_quoted_and_paid_and_stage_2_is_closed() {
    let (trial, counter) = both().await;
    let issued = trial.issue(20).await;
    let quoted = ok(counter.quote(issued).await);
    assert_eq!(
        quoted.text(),
        r#"{"ticket_number":"001-0001-0000001","payable_eur":20,"gain":"potential_gain","pay_before":null}"#
    );
    trial.set_clock(5);
    let paid = ok(counter.pay(issued, &new_key()).await);
    let id = text(&paid, "payment_id");
    assert_eq!(
        paid.text(),
        format!(
            r#"{{"payment_id":"{id}","ticket_number":"001-0001-0000001","paid_eur":20,"at":"2027-01-15T08:00:00.005Z"}}"#
        )
    );
    let player = trial.open(issued).await;
    assert_eq!(player.game.state, StateName::PotentialGainPaid);
    let problem = player.post(player_routes::CONTINUE, player.first().to_json()).await;
    problem.is(protocol::ProblemCode::PotentialGainPaid);
    let entries = trial.app.store.entries(issued.id).await.unwrap();
    let [kept] = &entries[..] else { panic!("{entries:?}") };
    let LedgerEntry::Payment(payment) = &kept.entry else { panic!("{kept:?}") };
    assert_eq!((payment.point_of_sale, payment.amount_eur, payment.at.0), (counter.id, 20, T0 + 5));
}

#[tokio::test]
async fn a_ticket_is_paid_once_and_who_asks_again_is_told_when() {
    let (trial, counter) = both().await;
    let other = Counter::new(&trial, 2).await;
    let issued = trial.issue(50).await;
    let paid = ok(counter.pay(issued, &new_key()).await);
    trial.set_clock(60_000);
    for heard in [counter.pay(issued, &new_key()).await, counter.quote(issued).await] {
        let heard = refused(heard, 409, "paid_already");
        assert_eq!((text(&heard, "paid_at"), int(&heard, "paid_eur")), (text(&paid, "at"), 50));
        assert_eq!(text(&heard, "payment_id"), text(&paid, "payment_id"));
    }
    // Whose payment it was is another one's business.
    let heard = refused(other.pay(issued, &new_key()).await, 409, "paid_already");
    assert_eq!(text(&heard, "paid_at"), text(&paid, "at"));
    assert!(heard.json().get("payment_id").is_none());
    assert_eq!(trial.app.store.entries(issued.id).await.unwrap().len(), 1);
}

#[tokio::test]
async fn the_same_key_is_told_the_same_payment_to_the_byte_a_day_later_on_another_server_and_after_its_reversal() {
    let (trial, counter) = both().await;
    let issued = trial.issue(20).await;
    let key = new_key();
    let paid = ok(counter.pay(issued, &key).await).text();
    trial.set_clock(24 * 60 * 60 * 1000);
    let elsewhere = counter.at(&trial.beside());
    assert_eq!(ok(elsewhere.pay(issued, &key).await).text(), paid);
    trial.set_terms(Terms { pay_before: Some(Timestamp::from_millis(T0)), ..Terms::default() }).await;
    assert_eq!(ok(elsewhere.pay(issued, &key).await).text(), paid);
    let id = paid.split('"').nth(3).unwrap();
    ok(elsewhere.reverse(id, &new_key(), "Ana", "typed twice").await);
    assert_eq!(ok(counter.pay(issued, &key).await).text(), paid);
    assert_eq!(trial.app.store.entries(issued.id).await.unwrap().len(), 2);
}

#[tokio::test]
async fn the_same_key_with_another_body_is_refused_and_one_key_of_two_points_of_sale_is_two() {
    let (trial, counter) = both().await;
    let other = Counter::new(&trial, 2).await;
    let (first, second, third) = (trial.issue(20).await, trial.issue(10).await, trial.issue(5).await);
    let key = new_key();
    let paid = ok(counter.pay(first, &key).await);
    refused(counter.pay(second, &key).await, 422, "idempotency_key_reused");
    let wrong = named(first, &control(999));
    refused(counter.post(routes::PAYMENTS, Some(&key), wrong).await, 422, "idempotency_key_reused");
    let reversal = counter.reverse(&text(&paid, "payment_id"), &key, "Ana", "typed twice").await;
    refused(reversal, 422, "idempotency_key_reused");
    ok(other.pay(third, &key).await);
    ok(counter.quote(second).await);
}

#[tokio::test]
async fn a_refused_payment_leaves_its_key_unused() {
    let (trial, counter) = both().await;
    let issued = trial.issue(20).await;
    let mut player = trial.open(issued).await;
    player.start().await;
    let key = new_key();
    refused(counter.pay(issued, &key).await, 409, "still_running");
    for number in &player.numbers(Nature::Good)[..6] {
        player.pick(*number).await;
    }
    player.quit().await.unwrap();
    ok(counter.pay(issued, &key).await);
}

#[tokio::test]
async fn a_running_game_is_not_paid_and_it_is_said_until_when_then_its_gain_is() {
    let (trial, counter) = both().await;
    let issued = trial.issue(20).await;
    let mut player = trial.open(issued).await;
    player.find(3).await;
    for heard in [counter.quote(issued).await, counter.pay(issued, &new_key()).await] {
        let heard = refused(heard, 409, "still_running");
        assert_eq!(text(&heard, "finish_before"), protocol::time::to_rfc3339(Timestamp::from_millis(T0 + THIRTY_DAYS)));
    }
    for number in &player.numbers(Nature::Good)[3..6] {
        player.pick(*number).await;
    }
    refused(counter.pay(issued, &new_key()).await, 409, "still_running");
    player.quit().await.unwrap();
    let gain = player.game.gain_eur.unwrap();
    assert!(gain >= 40);
    let quoted = ok(counter.quote(issued).await);
    assert_eq!((int(&quoted, "payable_eur"), text(&quoted, "gain").as_str()), (gain, "game"));
    assert_eq!(int(&ok(counter.pay(issued, &new_key()).await), "paid_eur"), gain);
    player.reload().await;
    assert_eq!(player.game.state, StateName::Won);
}

#[tokio::test]
async fn a_losing_ticket_and_a_lost_game_have_nothing_to_pay_and_are_told_apart() {
    let (trial, counter) = both().await;
    let (losing, lost) = (trial.issue(0).await, trial.issue(20).await);
    let mut player = trial.open(lost).await;
    player.start().await;
    player.pick(player.numbers(Nature::Losing)[0]).await;
    for (issued, code) in [(losing, "losing_ticket"), (lost, "lost")] {
        refused(counter.quote(issued).await, 409, code);
        refused(counter.pay(issued, &new_key()).await, 409, code);
    }
}

#[tokio::test]
async fn a_game_whose_30_days_have_ended_is_settled_and_paid_its_palier_or_nothing() {
    let (trial, counter) = both().await;
    let issued = [trial.issue(20).await, trial.issue(20).await, trial.issue(20).await];
    for (issued, found) in issued.iter().zip([6, 5, 7]) {
        trial.open(*issued).await.find(found).await;
    }
    trial.set_clock(THIRTY_DAYS - 1);
    refused(counter.quote(issued[0]).await, 409, "still_running");
    trial.set_clock(THIRTY_DAYS);
    // Nobody looked at it since: the quote itself settles the one, the payment the others.
    let quoted = ok(counter.quote(issued[0]).await);
    assert_eq!(text(&quoted, "gain"), "game");
    let paid = ok(counter.pay(issued[0], &new_key()).await);
    assert_eq!(int(&paid, "paid_eur"), int(&quoted, "payable_eur"));
    for issued in &issued[1..] {
        refused(counter.pay(*issued, &new_key()).await, 409, "expired_without_gain");
        assert_eq!(trial.open(*issued).await.game.state, StateName::Expired);
    }
}

#[tokio::test]
async fn an_expired_game_between_two_paliers_is_paid_its_last_one_where_its_emission_says_so() {
    let (trial, counter) = both().await;
    trial.set_terms(Terms { unfinished: Unfinished::LastPalier, ..Terms::default() }).await;
    let issued = trial.issue(10).await;
    let mut player = trial.open(issued).await;
    player.find(7).await;
    let palier = 10 * u64::from(player.game.multipliers[0].factor());
    trial.set_clock(THIRTY_DAYS);
    assert_eq!(int(&ok(counter.pay(issued, &new_key()).await), "paid_eur"), palier);
}

#[tokio::test]
async fn a_void_game_is_paid_its_last_acquired_gain() {
    let (trial, counter) = both().await;
    let issued = trial.issue(50).await;
    trial.open(issued).await.find(2).await;
    void(&trial, issued).await;
    let quoted = ok(counter.quote(issued).await);
    assert_eq!((int(&quoted, "payable_eur"), text(&quoted, "gain").as_str()), (50, "game"));
    assert_eq!(int(&ok(counter.pay(issued, &new_key()).await), "paid_eur"), 50);
}

/// As an operator does.
async fn void(trial: &Trial, issued: Issued) {
    let record = trial.app.store.load(issued.id).await.unwrap().unwrap();
    let ticket = records::ticket(&record, Terms::default()).unwrap().unwrap();
    let table = engine::Table::new(ticket, &trial.keys.draw).unwrap();
    let event = table.operate(Command::Void(VoidReason::Malfunction), Timestamp::from_millis(T0)).unwrap();
    trial.app.store.append(records::append(issued.id, event).unwrap()).await.unwrap();
}

#[tokio::test]
async fn after_the_emissions_last_day_of_payment_nothing_is_paid() {
    let (trial, counter) = both().await;
    let issued = trial.issue(20).await;
    let end = Timestamp::from_millis(T0 + 1000);
    trial.set_terms(Terms { pay_before: Some(end), ..Terms::default() }).await;
    trial.set_clock(999);
    assert_eq!(text(&ok(counter.quote(issued).await), "pay_before"), protocol::time::to_rfc3339(end));
    trial.set_clock(1000);
    for heard in [counter.quote(issued).await, counter.pay(issued, &new_key()).await] {
        assert_eq!(text(&refused(heard, 409, "pay_too_late"), "pay_before"), protocol::time::to_rfc3339(end));
    }
}
