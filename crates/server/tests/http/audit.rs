//! What of the players' doings reaches the audit log, and what never does.

use std::sync::Arc;

use rules::{Nature, PotentialGain};
use seal::receipt::ReceiptKey;
use server::audit::{AuditWriter, new_instance};
use tokio::sync::watch;

use crate::harness::{T0, Trial, code};

/// The log, once all that was recorded is written.
async fn log(trial: &Trial) -> String {
    let random = |bytes: &mut [u8]| {
        bytes.fill(1);
        Ok(())
    };
    let now = rules::Timestamp::from_millis(T0);
    let instance = new_instance(now, &random).unwrap();
    let writer = AuditWriter::begin(Arc::clone(&trial.app.store), instance, now, "test").await.unwrap();
    let (_stop, stopped) = watch::channel(true);
    writer.run(&trial.app.audit, &trial.app.receipts, &*trial.app.clock, stopped).await;
    let lines = trial.app.store.audit_lines(instance, 0, 1000).await.unwrap();
    lines.into_iter().map(|line| String::from_utf8(line.bytes).unwrap() + "\n").collect()
}

#[tokio::test]
async fn a_large_win_wrong_codes_and_failures_are_told_and_nothing_secret_is() {
    let trial = Trial::new().await;
    let mut small = trial.player(PotentialGain::Eur5).await;
    small.find(6).await;
    small.quit().await.unwrap();
    let issued = trial.issue(50_000).await;
    let mut large = trial.open(issued).await;
    large.find(6).await;
    large.quit().await.unwrap();
    let mut lost = trial.player(PotentialGain::Eur50000).await;
    lost.start().await;
    lost.pick(lost.numbers(Nature::Losing)[0]).await;
    let wrong = code(4000).grouped();
    for _ in 0..3 {
        trial.enter(&wrong).await;
    }
    trial.app.receipts.replace(server::ReceiptKeys::new(Default::default(), vec![]).unwrap());
    trial.enter(&issued.code.grouped()).await;
    trial.app.receipts.replace(crate::harness::receipt_keys());

    let log = log(&trial).await;
    let number = large.game.ticket_number;
    let gain = large.game.gain_eur.unwrap();
    assert!(log.contains(&format!(r#""kind":"large_win","ticket_number":"{number}","gain_eur":{gain}"#)), "{log}");
    assert_eq!(log.matches("large_win").count(), 1);
    assert!(log.contains(r#""kind":"failed_access","what":"code","count":3"#), "{log}");
    assert!(log.contains(r#""kind":"errors","count":1"#) && log.contains(r#""route":"/api/v1/sessions","status":503"#));
    let bare = |code: String| code.replace(' ', "");
    let secrets = [large.token.clone(), bare(wrong), bare(issued.code.grouped()), large.seed.to_hex()];
    let signing = seal::hash::to_hex(&[5; 32]);
    assert_eq!(ReceiptKey::from_secret(&[5; 32]).id(), crate::harness::receipt_keys().published().all()[0].public.id());
    for secret in secrets.iter().chain([&large.server_seed().reveal_hex(), &signing]) {
        assert!(!log.contains(secret.as_str()), "{log}");
    }
}
