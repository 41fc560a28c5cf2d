//! What of the points of sale's doings reaches the audit log, and what never does.

use server::audit::{AuditWriter, new_instance};
use server::pos::{PosKey, routes};
use server::{NoRandomness, Settings};

use crate::counter::{Counter, named, new_key, ok, refused, text};
use crate::harness::{Trial, control};

/// The lines of the log, once all that waits is written.
async fn written(trial: &Trial) -> Vec<String> {
    let (store, now) = (trial.app.store.clone(), trial.app.clock.now());
    let random = |bytes: &mut [u8]| -> Result<(), NoRandomness> {
        bytes.fill(7);
        Ok(())
    };
    let instance = new_instance(now, &random).unwrap();
    let writer = AuditWriter::begin(store.clone(), instance, now, "test").await.unwrap();
    let (_stop, stopped) = tokio::sync::watch::channel(true);
    writer.run(&trial.app.audit, &trial.app.receipts, &*trial.app.clock, stopped).await;
    let lines = store.audit_lines(instance, 0, 1000).await.unwrap();
    lines.into_iter().map(|line| String::from_utf8(line.bytes).unwrap()).collect()
}

#[tokio::test]
async fn payments_reversals_large_gains_and_failed_access_are_told_once_each_and_no_secret_is() {
    let trial = Trial::set(Settings { large_win_eur: 100, ..Settings::default() }).await;
    let counter = Counter::new(&trial, 3).await;
    let (issued, large) = (trial.issue(20).await, trial.issue(100).await);
    let key = new_key();
    let paid = ok(counter.pay(issued, &key).await);
    // Told again, but not done again.
    ok(counter.pay(issued, &key).await);
    refused(counter.pay(issued, &new_key()).await, 409, "paid_already");
    let (id, reversal) = (text(&paid, "payment_id"), new_key());
    for _ in 0..2 {
        ok(counter.reverse(&id, &reversal, "Ana", "typed the wrong ticket").await);
    }
    ok(counter.pay(large, &new_key()).await);
    for _ in 0..2 {
        let heard = counter.post(routes::QUOTES, None, named(issued, &control(99))).await;
        refused(heard, 404, "unknown_ticket");
    }
    let stranger = Counter { key: PosKey::from_random([9; 32]).reveal_hex(), ..counter.clone() };
    refused(stranger.quote(issued).await, 401, "no_point_of_sale");

    let lines = written(&trial).await;
    let of = |kind: &str| -> Vec<&String> {
        lines.iter().filter(|line| line.contains(&format!(r#""kind":"{kind}""#))).collect()
    };
    let holds = |line: &str, parts: &[&str]| parts.iter().all(|part| line.contains(part));
    let (number, large) = (issued.number.to_string(), large.number.to_string());
    let [first, second] = of("paid")[..] else { panic!("{lines:#?}") };
    assert!(holds(first, &[r#""point_of_sale":3"#, &number, &id, r#""paid_eur":20"#]), "{first}");
    assert!(holds(second, &[&large, r#""paid_eur":100"#]), "{second}");
    let [win] = of("large_win")[..] else { panic!("{lines:#?}") };
    assert!(holds(win, &[&large, r#""paid_eur":100"#]), "{win}");
    let [reversed] = of("payment_reversed")[..] else { panic!("{lines:#?}") };
    let parts = [r#""point_of_sale":3"#, &*number, &id, r#""reversed_eur":20"#, "Ana", "typed the wrong ticket"];
    assert!(holds(reversed, &parts), "{reversed}");
    let failed = of("failed_access");
    let told = |what: &str, count: u32| {
        failed.iter().any(|line| line.contains(&format!(r#""what":"{what}","count":{count}"#)))
    };
    assert!(failed.len() == 2 && told("control_code", 2) && told("point_of_sale_key", 1), "{lines:#?}");
    let all = lines.concat();
    let codes = [issued.control, control(99)].map(|control| String::from_utf8(control.as_bytes().to_vec()).unwrap());
    for secret in [&counter.key, &stranger.key, &codes[0], &codes[1]] {
        assert!(!all.contains(&**secret), "{secret}");
    }
}
