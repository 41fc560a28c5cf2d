use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use seal::receipt::{PublishedKey, PublishedKeys, ReceiptKey};
use store::{AuditLine, MemoryStore, Store};
use tokio::sync::watch;

use super::chain::hash;
use super::*;
use crate::receipts::{ReceiptKeys, ReceiptSigner};

const T0: Timestamp = Timestamp::from_millis(1_800_000_000_000);

fn keys() -> ReceiptKeys {
    let key = ReceiptKey::from_secret(&[1; 32]);
    let published = PublishedKey { public: key.public(), from: Timestamp::from_millis(0), until: None };
    ReceiptKeys::new(PublishedKeys::new(vec![published]).unwrap(), vec![key]).unwrap()
}

fn signer() -> ReceiptSigner {
    ReceiptSigner::new(keys())
}

fn random(byte: u8) -> impl Fn(&mut [u8]) -> Result<(), crate::NoRandomness> {
    move |bytes: &mut [u8]| {
        bytes.fill(byte);
        Ok(())
    }
}

async fn writer(store: &Arc<dyn Store>, byte: u8) -> AuditWriter {
    let instance = new_instance(T0, &random(byte)).unwrap();
    AuditWriter::begin(Arc::clone(store), instance, T0, "test").await.unwrap()
}

fn setting(n: u64) -> (Timestamp, Entry) {
    (T0, Entry::new(Kind::Setting).text("who", "A. Operator").int("emission", n))
}

/// All that is kept, chain by chain.
async fn kept(store: &Arc<dyn Store>) -> Vec<Kept> {
    let mut all = Vec::new();
    for chain in store.audit_instances().await.unwrap() {
        let lines = store.audit_lines(chain.instance, 0, 10_000).await.unwrap();
        all.extend((0..).zip(lines).map(|(n, line)| Kept { instance: chain.instance, n, line }));
    }
    all
}

fn texts(lines: &[Kept]) -> Vec<String> {
    lines.iter().map(|kept| String::from_utf8(kept.line.bytes.clone()).unwrap()).collect()
}

fn checked(lines: &[Kept]) -> Result<Vec<Checked>, WrongAudit> {
    check(lines.to_vec(), keys().published(), &[], false)
}

/// Five events with a checkpoint after the third and at the end.
async fn written(store: &Arc<dyn Store>, byte: u8) -> Anchor {
    let mut writer = writer(store, byte).await;
    writer.write((0..3).map(setting).collect(), Some((&signer(), T0))).await.unwrap();
    writer.write((3..5).map(setting).collect(), Some((&signer(), T0))).await.unwrap();
    writer.anchor()
}

#[tokio::test]
async fn a_log_is_kept_exported_and_read_back_whole() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let anchor = written(&store, 1).await;
    let lines = kept(&store).await;
    let found = checked(&lines).unwrap();
    assert_eq!(found, [Checked { end: anchor, signed: 7, stopped: false }]);
    assert_eq!(lines.len(), 8);
    assert!(
        texts(&lines)[1].starts_with(r#"{"n":1,"at":"2027-01-15T08:00:00.000Z","kind":"setting","who":"A. Operator""#)
    );
    for line in &lines {
        let exported = line.export();
        assert_eq!(Kept::import(exported.strip_suffix(b"\n").unwrap()), Some(line.clone()));
    }
    for wrong in ["", "00", "00 0 00 {}", &format!("{} +1 {} {{}}", "0".repeat(32), "0".repeat(64))] {
        assert_eq!(Kept::import(wrong.as_bytes()), None, "{wrong}");
    }
}

#[tokio::test]
async fn a_line_that_is_left_out_altered_doubled_or_exchanged_is_found() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    written(&store, 1).await;
    let lines = kept(&store).await;
    // The last line is the last checkpoint: without it the log is shorter, and its end unsigned.
    for at in 0..lines.len() - 1 {
        let mut left_out = lines.clone();
        left_out.remove(at);
        assert!(checked(&left_out).is_err(), "left out {at}");
        let mut exchanged = lines.clone();
        exchanged.swap(at, at + 1);
        assert!(checked(&exchanged).is_err(), "exchanged {at}");
    }
    for at in 0..lines.len() {
        for byte in 0..lines[at].line.bytes.len() {
            let mut altered = lines.clone();
            altered[at].line.bytes[byte] ^= 1;
            assert!(checked(&altered).is_err(), "altered {at}");
        }
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at].clone());
        assert!(checked(&doubled).is_err(), "doubled {at}");
        let mut hashed = lines.clone();
        hashed[at].line.hash.0[0] ^= 1;
        assert!(checked(&hashed).is_err(), "hash {at}");
    }
}

/// The chain with its hashes made anew, as whoever can write the database would.
fn rehashed(lines: &[Kept]) -> Vec<Kept> {
    let mut before = chain::BEFORE_ALL;
    let renewed = (0..).zip(lines).map(|(n, kept)| {
        let text = String::from_utf8(kept.line.bytes.clone()).unwrap();
        let rest = text.split_once(',').unwrap().1;
        let bytes = format!("{{\"n\":{n},{rest}").into_bytes();
        before = hash(kept.instance, n, before, &bytes);
        Kept { instance: kept.instance, n, line: AuditLine { bytes, hash: before } }
    });
    renewed.collect()
}

#[tokio::test]
async fn what_was_rewritten_with_new_hashes_is_found_by_the_next_checkpoint() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    written(&store, 1).await;
    let lines = kept(&store).await;
    assert_eq!(rehashed(&lines), lines);
    for at in (0..lines.len()).filter(|at| ![4, 7].contains(at)) {
        let mut left_out = lines.clone();
        left_out.remove(at);
        assert!(matches!(checked(&rehashed(&left_out)), Err(WrongAudit::Unsigned(..))), "{at}");
    }
    // Another key than a published one.
    let stranger = check(lines, &PublishedKeys::default(), &[], false);
    assert!(matches!(stranger, Err(WrongAudit::Unsigned(_, 4, _))));
}

#[tokio::test]
async fn a_chain_cut_before_what_is_noted_or_named_elsewhere_is_found() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let first = written(&store, 1).await;
    let lines = kept(&store).await;
    let noted = |lines: &[Kept]| check(lines.to_vec(), keys().published(), &[first], false);
    assert!(noted(&lines).is_ok());
    // Cut right after a checkpoint, all that is left holds by itself.
    assert!(checked(&lines[..5]).is_ok_and(|found| found[0].signed == 4));
    assert_eq!(noted(&lines[..5]), Err(WrongAudit::Cut(first)));
    assert_eq!(noted(&[]), Err(WrongAudit::Cut(first)));
    // The next process names where the first one ended.
    written(&store, 2).await;
    let both = kept(&store).await;
    assert_eq!(checked(&both).unwrap().len(), 2);
    let cut: Vec<_> =
        both.iter().enumerate().filter(|(at, _)| !(5..8).contains(at)).map(|(_, kept)| kept.clone()).collect();
    assert_eq!(checked(&cut), Err(WrongAudit::Cut(first)));
    assert_eq!(checked(&both[8..]), Err(WrongAudit::Cut(first)));
    assert!(check(both[8..].to_vec(), keys().published(), &[], true).is_ok());
}

fn origin(address: &str) -> Origin {
    Origin::of(address.parse::<IpAddr>().unwrap())
}

#[test]
fn a_flood_of_wrong_codes_makes_one_line_a_minute_and_tells_networks_only() {
    let audit = Audit::default();
    for n in 0..10_000_u32 {
        audit.failed(Access::Code, origin(&format!("10.{}.{}.7", n / 256 % 256, n % 256)));
        audit.failed(Access::Code, origin("192.0.2.99"));
        audit.failed(Access::PointOfSaleKey, origin("2001:db8:1:2::99"));
        audit.error("/api/v1/game/picks", 503);
    }
    let entries = audit.take(T0, true);
    assert_eq!(entries.len(), 3);
    let text = format!("{entries:?}");
    assert!(text.contains("192.0.2.0/24") && text.contains("2001:db8:1::/48") && text.contains("others"));
    assert!(!text.contains("99\""), "{text}");
    assert!(entries[0].1.members.contains(&("count", Value::Int(20_000))));
    assert!(audit.take(T0, true).is_empty());
}

#[test]
fn what_cannot_wait_any_more_is_counted_as_lost() {
    let audit = Audit::default();
    for n in 0..MOST_WAITING as u64 + 5 {
        audit.record(T0, setting(n).1);
    }
    let entries = audit.take(T0, false);
    assert_eq!(entries.len(), MOST_WAITING + 1);
    assert_eq!(entries.last().unwrap().1, Entry::new(Kind::Lost).int("count", 5));
}

#[tokio::test(start_paused = true)]
async fn what_is_recorded_is_written_at_once_counted_each_minute_and_signed_and_the_end_is_told() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let start = tokio::time::Instant::now();
    let audit = Arc::new(Audit::default());
    let (stop, stopped) = watch::channel(false);
    let writer = writer(&store, 1).await;
    let told = Arc::clone(&audit);
    let clock = move || Timestamp::from_millis(T0.millis() + i64::try_from(start.elapsed().as_millis()).unwrap());
    let running = tokio::spawn(async move { writer.run(&told, &signer(), &clock, stopped).await });
    let kinds = async || {
        let kind = |text: &String| seal::Json::parse(text).unwrap().get("kind").unwrap().as_str().unwrap().to_owned();
        texts(&kept(&store).await).iter().map(kind).collect::<Vec<_>>()
    };
    tokio::time::sleep(Duration::from_millis(10)).await;
    audit.record(T0, setting(1).1);
    audit.failed(Access::Code, origin("192.0.2.1"));
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(kinds().await, ["start", "setting"]);
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert_eq!(kinds().await[2..], ["failed_access", "checkpoint"]);
    // Nothing happens: nothing is written.
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(kinds().await.len(), 4);
    stop.send(true).unwrap();
    running.await.unwrap();
    let kinds = kinds().await;
    assert_eq!(kinds[kinds.len() - 2..], ["stop", "checkpoint"]);
    let found = checked(&kept(&store).await).unwrap();
    assert!(found[0].stopped && found[0].signed == found[0].end.lines - 1);
}

#[tokio::test]
async fn a_second_writer_of_one_chain_is_refused() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut first = writer(&store, 1).await;
    let mut lines = kept(&store).await;
    first.write(vec![setting(1)], None).await.unwrap();
    let forged = lines.remove(0).line;
    store.append_audit(first.anchor().instance, 2, vec![forged; 5]).await.unwrap();
    assert!(first.write(vec![setting(2)], None).await.is_err());
}
