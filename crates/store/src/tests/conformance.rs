//! What every store does, whatever it keeps its data in: one suite, run on each.

mod operator;

use std::sync::Arc;

use self::operator::*;
use super::{append, emission, event, furnish, label, session, ticket};
use crate::*;

/// Runs the whole suite on the stores that `$open` makes, a new one for each test.
macro_rules! conformance {
    ($name:ident, $open:path: $($test:ident)*) => {
        mod $name {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    let opened = $open().await;
                    super::$test(opened.store.clone()).await;
                }
            )*
        }
    };
    ($($name:ident: $open:path,)*) => { $(
        conformance! { $name, $open:
            what_is_appended_is_loaded_back_in_order
            an_append_with_an_old_version_writes_nothing_and_says_moved
            an_append_ahead_of_the_version_writes_nothing_and_says_moved
            of_twenty_appends_at_one_version_exactly_one_succeeds
            games_do_not_touch_each_other
            a_client_seed_once_set_is_never_changed
            a_client_seed_can_come_after_other_events
            an_append_without_events_is_refused
            an_append_to_an_unknown_ticket_is_refused
            a_ticket_without_game_has_version_0
            importing_the_same_tickets_again_changes_nothing
            an_import_with_a_collision_imports_nothing
            an_import_into_an_unknown_emission_imports_nothing
            a_ticket_is_found_by_any_candidate_of_its_code
            a_code_of_two_tickets_is_an_error_and_not_a_guess
            a_ticket_is_found_by_its_number
            an_emission_is_added_once
            an_emission_is_replaced_only_where_the_one_said_stands
            a_session_is_found_until_it_expires
            only_expired_sessions_are_deleted
            a_session_is_kept_once_and_for_a_known_ticket_only
            a_closed_store_refuses_everything
            a_receipt_is_loaded_back_with_its_event
            a_record_carries_its_emission_as_it_stands
            a_session_loads_its_tickets_record_until_it_expires
            games_whose_time_has_ended_are_due_the_earliest_first
            an_entry_is_kept_with_its_event_or_not_at_all
            one_idempotency_key_pays_once_for_each_point_of_sale
            a_payment_is_reversed_once_and_on_its_own_ticket
            of_twenty_payments_under_one_key_over_four_tickets_exactly_one_is_kept
            what_an_entry_names_must_exist
            a_point_of_sale_is_found_by_its_key_and_replaced_only_where_the_one_said_stands
            a_block_is_imported_chunk_by_chunk_and_goes_on_where_it_stopped
            a_chunk_that_collides_leaves_the_block_where_it_was
            a_block_is_complete_only_with_the_sums_of_its_manifest
            a_period_is_exported_page_by_page_in_order
            an_audit_log_grows_only_where_it_was_said_to_end
        }
    )* };
}

conformance! {
    memory: crate::tests::memory,
    sqlite: crate::tests::sqlite,
    postgres: crate::tests::postgres,
}

async fn load(store: &Arc<dyn Store>, n: u8) -> TicketRecord {
    store.load(ticket(n).id).await.unwrap().unwrap()
}

async fn what_is_appended_is_loaded_back_in_order(store: Arc<dyn Store>) {
    furnish(&*store).await;
    let seed = Some(ClientSeed([9; 32]));
    let first = Append { events: vec![event(10, b"continue")], client_seed: seed, ..append(1, 0) };
    let three = vec![event(20, b"pick"), event(20, b""), event(i64::MAX, &[0xff; 1000])];
    let then = Append { events: three.clone(), state: label("on_palier_1"), finish_before: None, ..append(1, 1) };

    assert_eq!(store.append(first.clone()).await, Ok(Appended::Now(Version(1))));
    assert_eq!(store.append(then).await, Ok(Appended::Now(Version(4))));

    let record = load(&store, 1).await;
    assert_eq!(record.ticket, ticket(1));
    let state = Some(label("on_palier_1"));
    assert_eq!(record.game, Game { version: Version(4), client_seed: seed, state, finish_before: None });
    assert_eq!(record.events, [first.events, three].concat());
}

async fn an_append_with_an_old_version_writes_nothing_and_says_moved(store: Arc<dyn Store>) {
    furnish(&*store).await;
    store.append(append(1, 0)).await.unwrap();
    store.append(append(1, 1)).await.unwrap();
    let before = load(&store, 1).await;
    for old in [0, 1] {
        let late = Append {
            events: vec![event(99, b"late"), event(99, b"late")],
            state: label("won"),
            finish_before: None,
            client_seed: Some(ClientSeed([1; 32])),
            ..append(1, old)
        };
        assert_eq!(store.append(late).await, Ok(Appended::Moved));
        assert_eq!(load(&store, 1).await, before);
    }
}

async fn an_append_ahead_of_the_version_writes_nothing_and_says_moved(store: Arc<dyn Store>) {
    furnish(&*store).await;
    assert_eq!(store.append(append(1, 1)).await, Ok(Appended::Moved));
    assert_eq!(load(&store, 1).await.game, Game::default());
    store.append(append(1, 0)).await.unwrap();
    assert_eq!(store.append(append(1, 2)).await, Ok(Appended::Moved));
    assert_eq!(load(&store, 1).await.events.len(), 1);
}

async fn of_twenty_appends_at_one_version_exactly_one_succeeds(store: Arc<dyn Store>) {
    furnish(&*store).await;
    for version in 0..3 {
        let tries: Vec<_> = (0..20u8)
            .map(|who| {
                let store = store.clone();
                let append = Append { events: vec![event(1, &[who])], ..append(1, version) };
                tokio::spawn(async move { (who, store.append(append).await.unwrap()) })
            })
            .collect();
        let mut winners = Vec::new();
        for tried in tries {
            let (who, appended) = tried.await.unwrap();
            if appended == Appended::Now(Version(version + 1)) {
                winners.push(who);
            } else {
                assert_eq!(appended, Appended::Moved);
            }
        }
        let record = load(&store, 1).await;
        assert_eq!(record.game.version, Version(version + 1));
        assert_eq!(winners, record.events.last().unwrap().payload);
    }
}

async fn games_do_not_touch_each_other(store: Arc<dyn Store>) {
    furnish(&*store).await;
    store.append(append(1, 0)).await.unwrap();
    let before = load(&store, 1).await;
    store.append(Append { state: label("lost"), ..append(2, 0) }).await.unwrap();
    store.append(append(2, 1)).await.unwrap();
    assert_eq!(load(&store, 1).await, before);
    assert_eq!(load(&store, 2).await.events, [event(0, &[2]), event(1, &[2])]);
}

async fn a_client_seed_once_set_is_never_changed(store: Arc<dyn Store>) {
    furnish(&*store).await;
    let seed = |byte| Some(ClientSeed([byte; 32]));
    store.append(Append { client_seed: seed(1), ..append(1, 0) }).await.unwrap();
    let before = load(&store, 1).await;

    let other = Append { client_seed: seed(2), ..append(1, 1) };
    assert_eq!(store.append(other).await, Err(StoreError::SeedAlreadySet));
    assert_eq!(load(&store, 1).await, before, "nothing was written");

    store.append(append(1, 1)).await.unwrap();
    assert_eq!(load(&store, 1).await.game.client_seed, seed(1), "an append without a seed leaves it");
    let same = Append { client_seed: seed(1), ..append(1, 2) };
    assert_eq!(store.append(same).await, Ok(Appended::Now(Version(3))));
    assert_eq!(load(&store, 1).await.game.client_seed, seed(1));
}

async fn a_client_seed_can_come_after_other_events(store: Arc<dyn Store>) {
    furnish(&*store).await;
    store.append(append(1, 0)).await.unwrap();
    assert_eq!(load(&store, 1).await.game.client_seed, None);
    let seed = Some(ClientSeed([3; 32]));
    assert_eq!(store.append(Append { client_seed: seed, ..append(1, 1) }).await, Ok(Appended::Now(Version(2))));
    assert_eq!(load(&store, 1).await.game.client_seed, seed);
}

async fn an_append_without_events_is_refused(store: Arc<dyn Store>) {
    furnish(&*store).await;
    let empty = Append { events: vec![], ..append(1, 0) };
    assert!(matches!(store.append(empty).await, Err(StoreError::Misuse(_))));
    assert_eq!(load(&store, 1).await.game, Game::default());
    let uncountable = append(1, u32::MAX);
    assert!(matches!(store.append(uncountable).await, Err(StoreError::Misuse(_))));
}

async fn an_append_to_an_unknown_ticket_is_refused(store: Arc<dyn Store>) {
    furnish(&*store).await;
    for expected in [0, 1] {
        assert_eq!(store.append(append(9, expected)).await, Err(StoreError::UnknownTicket));
    }
    assert_eq!(store.load(ticket(9).id).await, Ok(None));
}

async fn a_ticket_without_game_has_version_0(store: Arc<dyn Store>) {
    furnish(&*store).await;
    let record = load(&store, 4).await;
    assert_eq!(
        record,
        TicketRecord { ticket: ticket(4), emission: emission(7), game: Game::default(), events: vec![] }
    );
    assert_eq!(record.game.version, Version(0));
}

async fn importing_the_same_tickets_again_changes_nothing(store: Arc<dyn Store>) {
    furnish(&*store).await;
    store.append(append(2, 0)).await.unwrap();
    let before = load(&store, 2).await;
    let again = vec![ticket(1), ticket(2), ticket(5), ticket(5)];
    assert_eq!(store.import(again).await, Ok(Imported { added: 1, already: 3 }));
    assert_eq!(load(&store, 2).await, before);
    assert_eq!(load(&store, 5).await.ticket, ticket(5));
    assert_eq!(store.import(vec![]).await, Ok(Imported::default()));
}

async fn an_import_with_a_collision_imports_nothing(store: Arc<dyn Store>) {
    furnish(&*store).await;
    let colliding = [
        Ticket { id: ticket(1).id, ..ticket(8) },
        Ticket { number: ticket(1).number, ..ticket(8) },
        Ticket { code_hash: ticket(1).code_hash, ..ticket(8) },
        Ticket { potential_gain_eur: 50_000, ..ticket(1) },
        Ticket { control_hash: KeyedHash([0; 32]), ..ticket(1) },
        // With another one of its own batch.
        Ticket { id: ticket(6).id, ..ticket(8) },
    ];
    for collides in colliding {
        let refused = store.import(vec![ticket(6), ticket(2), collides, ticket(7)]).await;
        assert_eq!(refused, Err(StoreError::TicketCollision { number: collides.number }));
        for absent in [6, 7, 8] {
            assert_eq!(store.load(ticket(absent).id).await, Ok(None));
            assert_eq!(store.find_by_number(ticket(absent).number).await, Ok(None));
            assert_eq!(store.find_by_code(&[ticket(absent).code_hash]).await, Ok(None));
        }
        assert_eq!(load(&store, 1).await.ticket, ticket(1));
    }
}

async fn an_import_into_an_unknown_emission_imports_nothing(store: Arc<dyn Store>) {
    furnish(&*store).await;
    let stray = Ticket { number: TicketNumber { emission: 8, ..ticket(6).number }, ..ticket(6) };
    assert_eq!(store.import(vec![ticket(5), stray]).await, Err(StoreError::UnknownEmission(8)));
    assert_eq!(store.load(ticket(5).id).await, Ok(None));
    assert_eq!(store.load(ticket(6).id).await, Ok(None));
}

async fn a_ticket_is_found_by_any_candidate_of_its_code(store: Arc<dyn Store>) {
    furnish(&*store).await;
    let unknown = KeyedHash([0x77; 32]);
    let known = ticket(3).code_hash;
    for candidates in [vec![known], vec![unknown, known], vec![known, unknown], vec![known, known]] {
        assert_eq!(store.find_by_code(&candidates).await, Ok(Some(ticket(3).id)));
    }
    assert_eq!(store.find_by_code(&[unknown]).await, Ok(None));
    assert_eq!(store.find_by_code(&[]).await, Ok(None));
    // The control code is not a way in.
    assert_eq!(store.find_by_code(&[ticket(3).control_hash]).await, Ok(None));
}

async fn a_code_of_two_tickets_is_an_error_and_not_a_guess(store: Arc<dyn Store>) {
    furnish(&*store).await;
    let found = store.find_by_code(&[ticket(2).code_hash, ticket(1).code_hash]).await;
    assert_eq!(found, Err(StoreError::AmbiguousCode { first: ticket(2).id, second: ticket(1).id }));
}

async fn a_ticket_is_found_by_its_number(store: Arc<dyn Store>) {
    store.add_emission(emission(7)).await.unwrap();
    store.add_emission(emission(u16::MAX)).await.unwrap();
    let far = TicketNumber { emission: u16::MAX, block: u16::MAX, serial: u32::MAX };
    store.import(vec![ticket(1), Ticket { number: far, potential_gain_eur: u32::MAX, ..ticket(2) }]).await.unwrap();
    assert_eq!(store.find_by_number(ticket(1).number).await, Ok(Some(ticket(1).id)));
    assert_eq!(store.find_by_number(far).await, Ok(Some(ticket(2).id)));
    assert_eq!(store.find_by_number(ticket(2).number).await, Ok(None));
    assert_eq!(load(&store, 2).await.ticket.potential_gain_eur, u32::MAX);
}

async fn an_emission_is_added_once(store: Arc<dyn Store>) {
    assert_eq!(store.emission(7).await, Ok(None));
    assert_eq!(store.add_emission(emission(7)).await, Ok(AddedEmission::New));
    let other = Emission { new_games: false, ..emission(7) };
    assert_eq!(store.add_emission(other).await, Ok(AddedEmission::Already(emission(7))));
    assert_eq!(store.emission(7).await, Ok(Some(emission(7))));
    assert_eq!(store.add_emission(emission(3)).await, Ok(AddedEmission::New));
    assert_eq!(store.emissions().await, Ok(vec![emission(3), emission(7)]));
}

async fn an_emission_is_replaced_only_where_the_one_said_stands(store: Arc<dyn Store>) {
    let open = emission(7);
    let closed = Emission { start_before: Some(Millis(5_000)), ..open };
    let limited = Emission { payment_before: Some(Millis(9_000)), unfinished: label("last_palier"), ..closed };
    assert_eq!(store.replace_emission(open, closed).await, Err(StoreError::UnknownEmission(7)));
    store.add_emission(open).await.unwrap();
    store.add_emission(emission(8)).await.unwrap();

    assert_eq!(store.replace_emission(open, closed).await, Ok(Replaced::Done));
    assert_eq!(store.replace_emission(open, limited).await, Ok(Replaced::Moved));
    assert_eq!(store.emission(7).await, Ok(Some(closed)));
    assert_eq!(store.replace_emission(closed, limited).await, Ok(Replaced::Done));
    let said_wrongly = [
        Emission { start_before: None, ..limited },
        Emission { unfinished: open.unfinished, ..limited },
        Emission { new_games: false, ..limited },
        Emission { payment_before: None, ..limited },
    ];
    for said in said_wrongly {
        assert_eq!(store.replace_emission(said, open).await, Ok(Replaced::Moved));
    }
    assert!(matches!(store.replace_emission(limited, emission(8)).await, Err(StoreError::Misuse(_))));
    assert_eq!(store.emissions().await, Ok(vec![limited, emission(8)]));
}

async fn a_session_is_found_until_it_expires(store: Arc<dyn Store>) {
    furnish(&*store).await;
    let Session { token, ticket, expires, .. } = session(1, 2);
    assert_eq!(store.find_session(token, Millis(150)).await, Ok(None));
    store.put_session(session(1, 2)).await.unwrap();
    assert_eq!(store.find_session(token, Millis(150)).await, Ok(Some(ticket)));
    assert_eq!(store.find_session(token, Millis(expires.0 - 1)).await, Ok(Some(ticket)));
    assert_eq!(store.find_session(token, expires).await, Ok(None));
    assert_eq!(store.find_session(TokenHash([2; 32]), Millis(150)).await, Ok(None));
}

async fn only_expired_sessions_are_deleted(store: Arc<dyn Store>) {
    furnish(&*store).await;
    for (token, expires) in [(1, 199), (2, 200), (3, 201)] {
        store.put_session(Session { expires: Millis(expires), ..session(token, 1) }).await.unwrap();
    }
    assert_eq!(store.delete_expired_sessions(Millis(200)).await, Ok(2));
    assert_eq!(store.delete_expired_sessions(Millis(200)).await, Ok(0));
    // Asked about an earlier instant, so that only those still there are found.
    let mut left = Vec::new();
    for token in 1..=3 {
        left.push(store.find_session(TokenHash([token; 32]), Millis(0)).await.unwrap().is_some());
    }
    assert_eq!(left, [false, false, true]);
}

async fn a_session_is_kept_once_and_for_a_known_ticket_only(store: Arc<dyn Store>) {
    furnish(&*store).await;
    assert_eq!(store.put_session(session(1, 1)).await, Ok(()));
    assert_eq!(store.put_session(session(1, 1)).await, Ok(()), "a retry");
    for other in [session(1, 2), Session { expires: Millis(900), ..session(1, 1) }] {
        assert!(matches!(store.put_session(other).await, Err(StoreError::Misuse(_))));
    }
    assert_eq!(store.find_session(TokenHash([1; 32]), Millis(0)).await, Ok(Some(ticket(1).id)));
    assert_eq!(store.put_session(session(2, 9)).await, Err(StoreError::UnknownTicket));
    // Several devices, one ticket.
    assert_eq!(store.put_session(session(3, 1)).await, Ok(()));
}

async fn a_closed_store_refuses_everything(store: Arc<dyn Store>) {
    furnish(&*store).await;
    assert_eq!(store.health().await, Ok(()));
    assert_eq!(store.close().await, Ok(()));
    assert_eq!(store.health().await, Err(StoreError::Closed));
    assert_eq!(store.append(append(1, 0)).await, Err(StoreError::Closed));
    assert_eq!(store.load(ticket(1).id).await, Err(StoreError::Closed));
    assert_eq!(store.put_session(session(1, 1)).await, Err(StoreError::Closed));
    assert_eq!(store.find_by_code(&[ticket(1).code_hash]).await, Err(StoreError::Closed));
    assert_eq!(store.close().await, Ok(()));
}
