//! Every worked receipt of `tests/vectors/receipts-v1.json`: the statements natively and in Wasm, the signatures natively.
#![allow(clippy::unwrap_used, reason = "a test that cannot read its vectors must fail")]

use rules::{Event, Misfit, Recorded};
use seal::hash::to_hex;
use seal::receipt::{Chain, Done, PublishedKeys, Receipts, Statement, statements};
use seal::{Json, Transcript};

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;
#[cfg(target_arch = "wasm32")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

const VECTORS: &str = include_str!("../../../tests/vectors/receipts-v1.json");

fn vectors(of: &str) -> Vec<Json> {
    let cases = Json::parse(VECTORS).unwrap().get(of).unwrap().as_array().unwrap().to_vec();
    assert!(!cases.is_empty());
    cases
}

fn text<'a>(case: &'a Json, name: &str) -> &'a str {
    case.get(name).unwrap().as_str().unwrap()
}

/// A value as it would be written: the vectors hold no other numbers than integers.
fn written(json: &Json) -> String {
    let list = |items: Vec<String>| items.join(",");
    match json {
        Json::Null => "null".to_owned(),
        Json::Bool(b) => b.to_string(),
        Json::Int(n) => n.to_string(),
        Json::OtherNumber(n) => n.clone(),
        Json::Str(s) => format!("\"{s}\""),
        Json::Array(items) => format!("[{}]", list(items.iter().map(written).collect())),
        Json::Object(members) => {
            format!("{{{}}}", list(members.iter().map(|(k, v)| format!("\"{k}\":{}", written(v))).collect()))
        }
    }
}

fn saved(game: &Json) -> (Transcript, Receipts) {
    let saved = game.get("saved").unwrap();
    let transcript = Transcript::from_json(&written(saved)).unwrap();
    transcript.check().unwrap();
    (transcript, Receipts::read(saved.get("receipts").unwrap()).unwrap())
}

#[test]
fn every_worked_game_has_these_statements_and_digests() {
    for game in vectors("games") {
        let (transcript, receipts) = saved(&game);
        let times = receipts.actions.iter().map(|receipt| receipt.at);
        let mut all = vec![Statement::opening(&transcript.sealed, receipts.number)];
        all.extend(statements(&transcript, receipts.number, receipts.unfinished, times).unwrap());
        let hex = |name| game.get(name).unwrap().as_array().unwrap().iter().map(|s| s.as_str().unwrap().to_owned());
        assert!(all.iter().map(|s| to_hex(s.bytes())).eq(hex("statements")), "{}", text(&game, "name"));
        assert!(all.iter().map(|s| to_hex(&s.digest())).eq(hex("digests")), "{}", text(&game, "name"));
    }
}

#[test]
fn the_receipts_of_a_saved_game_are_read_back_as_they_were_written() {
    for game in vectors("games") {
        let (transcript, receipts) = saved(&game);
        let file = receipts.beside(&transcript);
        assert_eq!(Transcript::from_json(&file), Ok(transcript));
        assert_eq!(Receipts::read(Json::parse(&file).unwrap().get("receipts").unwrap()), Ok(receipts));
    }
}

#[test]
fn a_receipt_of_2_to_the_63_milliseconds_or_more_is_not_read() {
    for at_ms in [1 << 63, (1 << 63) + 5, u64::MAX] {
        let (_, receipts) = saved(&vectors("games")[0]);
        let mut w = seal::json::Writer::new();
        receipts.write(&mut w);
        let text = w.finish();
        let told = format!("\"at_ms\":{}", receipts.actions[0].at.millis());
        assert!(text.contains(&told));
        let beyond = Json::parse(&text.replacen(&told, &format!("\"at_ms\":{at_ms}"), 1)).unwrap();
        assert_eq!(Receipts::read(&Json::parse(&text).unwrap()), Ok(receipts));
        assert_eq!(Receipts::read(&beyond), Err("actions"));
    }
}

#[test]
fn a_statement_and_a_signature_are_shown_in_hex() {
    let (transcript, receipts) = saved(&vectors("games")[0]);
    let statement = Statement::opening(&transcript.sealed, receipts.number);
    assert_eq!(format!("{statement:?}"), to_hex(statement.bytes()));
    let signature = receipts.opening.signature;
    assert_eq!(format!("{signature:?}"), to_hex(&signature.0));
}

/// A payment and its reversal before the start: no statement holds them, but the game must have them.
#[test]
fn what_is_no_action_has_no_statement_but_must_follow() {
    let (transcript, receipts) = saved(&vectors("games")[0]);
    let at = receipts.actions[0].at;
    let start = Done::Started(&transcript.client_seed, receipts.unfinished);
    let chain = || Chain::new(transcript.sealed, receipts.number);
    let mut paid = chain();
    assert_eq!(paid.pass(Recorded { at, event: Event::PaymentReversed }), Err(Misfit::State));
    paid.pass(Recorded { at, event: Event::Paid }).unwrap();
    assert_eq!(paid.next(at, start), Err(Misfit::State));
    paid.pass(Recorded { at, event: Event::PaymentReversed }).unwrap();
    assert_eq!(paid.next(at, start), chain().next(at, start));
    assert_eq!(paid.game().seq(), 1);
}

#[test]
fn the_published_keys_are_read() {
    let list = Json::parse(VECTORS).unwrap().get("published").map(written).unwrap();
    let keys = PublishedKeys::from_json(&list).unwrap();
    let ids: Vec<String> = vectors("keys").iter().map(|key| text(key, "id").to_owned()).collect();
    assert!(keys.all().iter().map(|key| key.public.id().to_string()).eq(ids));
    assert_eq!(keys.to_json(), list);
}

#[cfg(not(target_arch = "wasm32"))]
mod signed {
    use seal::hash::from_hex;
    use seal::receipt::{KeyId, Place, ReceiptKey, Signed, WrongReceipt, verify};

    use super::*;

    fn published() -> Json {
        Json::parse(VECTORS).unwrap().get("published").unwrap().clone()
    }

    fn keys_of(list: &Json) -> PublishedKeys {
        PublishedKeys::from_json(&written(list)).unwrap()
    }

    #[test]
    fn every_worked_receipt_holds_and_is_the_one_that_its_key_makes() {
        let signers: Vec<ReceiptKey> = vectors("keys")
            .iter()
            .map(|key| ReceiptKey::from_secret(&from_hex(text(key, "secret")).unwrap()))
            .collect();
        for game in vectors("games") {
            let (transcript, receipts) = saved(&game);
            let all = receipts.check(&transcript, &keys_of(&published()), verify).unwrap();
            assert_eq!(receipts.check(&transcript, &receipts.keys, verify).as_ref(), Ok(&all));
            let given = [receipts.opening].into_iter().chain(receipts.actions.iter().map(|receipt| receipt.signed));
            for (statement, signed) in all.iter().zip(given) {
                let signer = signers.iter().find(|signer| signer.id() == signed.key).unwrap();
                assert_eq!(signer.sign(statement), signed);
                assert_eq!(Signed::from_bytes(&signed.to_bytes()), Some(signed));
            }
        }
    }

    /// The first value at this pointer, replaced.
    fn altered(json: &Json, pointer: &[&str], value: &Json) -> Json {
        let Some((name, rest)) = pointer.split_first() else { return value.clone() };
        match json {
            Json::Object(members) => Json::Object(
                members
                    .iter()
                    .map(|(k, v)| (k.clone(), if k == name { altered(v, rest, value) } else { v.clone() }))
                    .collect(),
            ),
            Json::Array(items) => {
                let at: usize = name.parse().unwrap();
                Json::Array(
                    items
                        .iter()
                        .enumerate()
                        .map(|(i, v)| if i == at { altered(v, rest, value) } else { v.clone() })
                        .collect(),
                )
            }
            other => other.clone(),
        }
    }

    #[test]
    fn every_wrong_receipt_is_found_where_the_vectors_say() {
        let games = vectors("games");
        for case in vectors("wrong") {
            let name = text(&case, "name");
            let game = &games[usize::try_from(case.get("game").unwrap().as_int().unwrap()).unwrap()];
            let pointer: Vec<&str> = text(&case, "pointer")[1..].split('/').collect();
            let file = altered(game.get("saved").unwrap(), &pointer, case.get("value").unwrap());
            assert_ne!(&file, game.get("saved").unwrap(), "{name}");
            let more = case.get("more_keys").unwrap().as_array().unwrap();
            let all = [published().get("keys").unwrap().as_array().unwrap(), more].concat();
            let keys =
                keys_of(&Json::Object(vec![("version".into(), Json::Int(1)), ("keys".into(), Json::Array(all))]));
            let (transcript, _) = saved(game);
            let found = match Receipts::read(file.get("receipts").unwrap()) {
                Err(_) => "format",
                Ok(receipts) => match receipts.check(&transcript, &keys, verify).unwrap_err() {
                    WrongReceipt::Count(..) => "count",
                    WrongReceipt::Step(..) => "step",
                    WrongReceipt::Key(..) => "key",
                    WrongReceipt::Period(..) => "period",
                    WrongReceipt::Signature(..) => "signature",
                    WrongReceipt::Setting => "setting",
                },
            };
            assert_eq!(found, text(&case, "found_by"), "{name}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_in_words() {
        let id = KeyId([1; 8]);
        let words = WrongReceipt::Signature(Place::Action(3), id).to_string();
        assert_eq!(
            words,
            "the receipt of the action with seq 3 does not bear the signature of the key 0101010101010101"
        );
        assert!(WrongReceipt::Key(Place::Opening, id).to_string().starts_with("the receipt of the session"));
    }
}
