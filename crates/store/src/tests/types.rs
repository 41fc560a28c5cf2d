use crate::tests::{append, emission, event, label, session, ticket};
use crate::*;

#[test]
fn debug_output_shows_no_hash_seed_token_or_payload() {
    let marked = [0xab; 32];
    let record = TicketRecord {
        ticket: Ticket { code_hash: KeyedHash(marked), control_hash: KeyedHash(marked), ..ticket(1) },
        emission: emission(7),
        game: Game { client_seed: Some(ClientSeed(marked)), ..Game::default() },
        events: vec![event(5, &marked)],
    };
    let append = Append { client_seed: Some(ClientSeed(marked)), events: vec![event(5, &marked)], ..append(1, 0) };
    let session = Session { token: TokenHash(marked), ..session(1, 1) };
    let shown = format!("{record:?} {append:?} {session:?}").to_lowercase();
    assert!(!shown.contains("ab, ab") && !shown.contains("abab") && !shown.contains("171"), "{shown}");
    assert!(shown.contains("bytes: 32"), "{shown}");
}

#[test]
fn a_label_gives_back_its_text_and_refuses_any_other_form() {
    assert_eq!(label("on_palier_3").as_str(), "on_palier_3");
    assert_eq!(label(&"x".repeat(Label::MAX)).as_str().len(), Label::MAX);
    for wrong in ["", "Won", "a b", "gagné", "a-b", &"x".repeat(Label::MAX + 1), &"x".repeat(300)] {
        assert!(matches!(Label::new(wrong), Err(StoreError::Misuse(_))), "{wrong}");
    }
}
