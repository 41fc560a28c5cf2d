//! Receipts, sessions' records, the sweep, money, imports, exports and audit logs: what every store does of them.

use std::sync::Arc;

use super::load;
use crate::tests::{
    append, audit_line, block, emission, entered, event, furnish, label, payment, point_of_sale, reversal, session,
    ticket,
};
use crate::*;

pub(super) async fn a_receipt_is_loaded_back_with_its_event(store: Arc<dyn Store>) {
    furnish(&*store).await;
    let receipt = Some(b"signed".to_vec());
    let events = vec![Event { receipt, ..event(1, b"continue") }, Event { receipt: Some(vec![]), ..event(2, b"pick") }];
    store.append(Append { events: events.clone(), ..append(1, 0) }).await.unwrap();
    store.append(append(1, 2)).await.unwrap();
    let kept = load(&store, 1).await.events;
    assert_eq!(kept[..2], events);
    assert_eq!(kept[2].receipt, None);
}

pub(super) async fn a_record_carries_its_emission_as_it_stands(store: Arc<dyn Store>) {
    furnish(&*store).await;
    assert_eq!(load(&store, 1).await.emission, emission(7));
    let closed = Emission { start_before: Some(Millis(5)), new_games: false, ..emission(7) };
    store.replace_emission(emission(7), closed).await.unwrap();
    assert_eq!(load(&store, 1).await.emission, closed);
}

pub(super) async fn a_session_loads_its_tickets_record_until_it_expires(store: Arc<dyn Store>) {
    furnish(&*store).await;
    let Session { token, expires, .. } = session(1, 2);
    store.put_session(session(1, 2)).await.unwrap();
    for version in 0..2 {
        assert_eq!(store.load_by_session(token, Millis(150)).await, Ok(Some(load(&store, 2).await)));
        store.append(append(2, version)).await.unwrap();
    }
    assert_eq!(store.load_by_session(token, Millis(expires.0 - 1)).await.unwrap().unwrap().events.len(), 2);
    assert_eq!(store.load_by_session(token, expires).await, Ok(None));
    assert_eq!(store.load_by_session(TokenHash([9; 32]), Millis(150)).await, Ok(None));
}

pub(super) async fn games_whose_time_has_ended_are_due_the_earliest_first(store: Arc<dyn Store>) {
    furnish(&*store).await;
    for (n, finish_before) in [(1, Some(20)), (2, Some(10)), (3, None), (4, Some(10))] {
        store.append(Append { finish_before: finish_before.map(Millis), ..append(n, 0) }).await.unwrap();
    }
    let due = |now, limit| {
        let store = store.clone();
        async move { store.due(Millis(now), limit).await.unwrap() }
    };
    assert_eq!(due(9, 10).await, []);
    assert_eq!(due(10, 10).await, [2, 4].map(|n| ticket(n).id));
    assert_eq!(due(99, 10).await, [2, 4, 1].map(|n| ticket(n).id));
    assert_eq!(due(99, 1).await, [ticket(2).id]);
    store.append(Append { finish_before: None, ..append(2, 1) }).await.unwrap();
    assert_eq!(due(99, 10).await, [4, 1].map(|n| ticket(n).id), "a game that is over is no longer due");
}

async fn sell(store: &dyn Store) {
    furnish(store).await;
    for n in 1..=2 {
        assert_eq!(store.add_point_of_sale(point_of_sale(n)).await, Ok(AddedPointOfSale::New));
    }
}

fn kept(n: u8, position: u32, entry: LedgerEntry) -> KeptEntry {
    KeptEntry { ticket: ticket(n).id, number: ticket(n).number, position, entry }
}

fn stands(n: u8, position: u32, entry: LedgerEntry) -> Result<Appended, StoreError> {
    Ok(Appended::Stands(Box::new(kept(n, position, entry))))
}

pub(super) async fn an_entry_is_kept_with_its_event_or_not_at_all(store: Arc<dyn Store>) {
    sell(&*store).await;
    let void = LedgerEntry::Act(OperatorAct {
        what: label("void"),
        who: "Élise".into(),
        why: "printed twice".into(),
        at: Millis(5),
    });
    let two = Append { events: vec![event(1, b"a"), event(2, b"b")], ..entered(1, 0, void.clone()) };
    assert_eq!(store.append(two).await, Ok(Appended::Now(Version(2))));
    assert_eq!(store.append(entered(1, 2, payment(1, 1, 1))).await, Ok(Appended::Now(Version(3))));
    let both = vec![kept(1, 1, void.clone()), kept(1, 2, payment(1, 1, 1))];
    assert_eq!(store.entries(ticket(1).id).await, Ok(both.clone()));

    // What moved, or has another seed, writes neither.
    assert_eq!(store.append(entered(1, 2, payment(2, 1, 2))).await, Ok(Appended::Moved));
    assert_eq!(store.append(entered(1, 2, void.clone())).await, Ok(Appended::Moved), "an act has no key");
    assert_eq!(store.append(entered(2, 4, payment(2, 1, 2))).await, Ok(Appended::Moved));
    assert_eq!(store.append(entered(9, 0, payment(2, 1, 2))).await, Err(StoreError::UnknownTicket));
    store.append(Append { client_seed: Some(ClientSeed([1; 32])), ..append(3, 0) }).await.unwrap();
    let other_seed = Append { client_seed: Some(ClientSeed([2; 32])), ..entered(3, 1, payment(2, 1, 2)) };
    assert_eq!(store.append(other_seed).await, Err(StoreError::SeedAlreadySet));
    assert_eq!(store.entries(ticket(1).id).await, Ok(both));
    assert_eq!(store.payment(PaymentId([2; 16])).await, Ok(None));
    assert_eq!(store.find_entry(Some(PointOfSaleId(1)), IdempotencyKey([2; 32])).await, Ok(None));

    // What the ledger refuses writes no event.
    let before = load(&store, 2).await;
    assert_eq!(store.append(entered(2, 0, payment(1, 2, 9))).await, stands(1, 2, payment(1, 1, 1)));
    assert_eq!(load(&store, 2).await, before);
}

pub(super) async fn one_idempotency_key_pays_once_for_each_point_of_sale(store: Arc<dyn Store>) {
    sell(&*store).await;
    let first = payment(1, 1, 7);
    assert_eq!(store.append(entered(1, 0, first.clone())).await, Ok(Appended::Now(Version(1))));
    // Again, at any version, on any ticket, under any identity.
    for again in [
        entered(1, 0, first.clone()),
        entered(1, 1, first.clone()),
        entered(1, 1, payment(2, 1, 7)),
        entered(2, 0, payment(2, 1, 7)),
        entered(1, 1, reversal(1, Some(1), 7)),
    ] {
        assert_eq!(store.append(again).await, stands(1, 0, first.clone()));
    }
    assert_eq!(store.append(entered(9, 0, first.clone())).await, Err(StoreError::UnknownTicket), "said before it");
    assert_eq!(load(&store, 1).await.events.len(), 1);
    assert_eq!(load(&store, 2).await.events.len(), 0);
    // Another point of sale's keys are its own, and so are the operator's.
    assert_eq!(store.append(entered(2, 0, payment(2, 2, 7))).await, Ok(Appended::Now(Version(1))));
    assert_eq!(store.append(entered(2, 1, reversal(2, None, 7))).await, Ok(Appended::Now(Version(2))));
    let find = |by: Option<u32>| {
        let store = store.clone();
        async move { store.find_entry(by.map(PointOfSaleId), IdempotencyKey([7; 32])).await.unwrap() }
    };
    assert_eq!(find(Some(1)).await, Some(kept(1, 0, first)));
    assert_eq!(find(Some(2)).await, Some(kept(2, 0, payment(2, 2, 7))));
    assert_eq!(find(None).await, Some(kept(2, 1, reversal(2, None, 7))));
    assert_eq!(find(Some(3)).await, None);
}

pub(super) async fn a_payment_is_reversed_once_and_on_its_own_ticket(store: Arc<dyn Store>) {
    sell(&*store).await;
    let LedgerEntry::Payment(paid) = payment(1, 1, 1) else { unreachable!() };
    store.append(entered(1, 0, payment(1, 1, 1))).await.unwrap();
    let found = |reversal| {
        let payment = paid.clone();
        Ok(Some(KeptPayment { ticket: ticket(1).id, number: ticket(1).number, payment, reversal }))
    };
    assert_eq!(store.payment(paid.id).await, found(None));
    // Not by another ticket, nor one that was never made.
    assert_eq!(store.append(entered(2, 0, reversal(1, None, 2))).await, Err(StoreError::UnknownPayment));
    assert_eq!(store.append(entered(1, 1, reversal(3, None, 2))).await, Err(StoreError::UnknownPayment));
    assert_eq!(load(&store, 1).await.events.len(), 1);
    assert_eq!(load(&store, 2).await.events.len(), 0);

    assert_eq!(store.append(entered(1, 1, reversal(1, Some(2), 2))).await, Ok(Appended::Now(Version(2))));
    assert_eq!(store.append(entered(1, 2, reversal(1, None, 3))).await, stands(1, 1, reversal(1, Some(2), 2)));
    let LedgerEntry::Reversal(reversed) = reversal(1, Some(2), 2) else { unreachable!() };
    assert_eq!(store.payment(paid.id).await, found(Some(reversed)));
    // Paid again, under another identity.
    assert_eq!(store.append(entered(1, 2, payment(1, 1, 4))).await, stands(1, 0, payment(1, 1, 1)));
    assert_eq!(store.append(entered(1, 2, payment(2, 1, 4))).await, Ok(Appended::Now(Version(3))));
}

pub(super) async fn of_twenty_payments_under_one_key_over_four_tickets_exactly_one_is_kept(store: Arc<dyn Store>) {
    sell(&*store).await;
    let tries: Vec<_> = (0..20u8)
        .map(|who| {
            let store = store.clone();
            tokio::spawn(async move { store.append(entered(1 + who % 4, 0, payment(who, 1, 7))).await.unwrap() })
        })
        .collect();
    let (mut now, mut stands) = (0, Vec::new());
    for tried in tries {
        match tried.await.unwrap() {
            Appended::Now(_) => now += 1,
            Appended::Stands(kept) => stands.push(*kept),
            Appended::Moved => panic!("the ledger says more"),
        }
    }
    assert_eq!(now, 1);
    let kept = store.find_entry(Some(PointOfSaleId(1)), IdempotencyKey([7; 32])).await.unwrap().unwrap();
    assert_eq!(stands, vec![kept; 19]);
    let mut events = 0;
    for n in 1..=4 {
        events += load(&store, n).await.events.len();
    }
    assert_eq!(events, 1);
}

pub(super) async fn what_an_entry_names_must_exist(store: Arc<dyn Store>) {
    sell(&*store).await;
    assert_eq!(store.append(entered(1, 0, payment(1, 9, 1))).await, Err(StoreError::UnknownPointOfSale(9)));
    assert_eq!(store.append(entered(1, 0, reversal(1, Some(9), 1))).await, Err(StoreError::UnknownPointOfSale(9)));
    assert_eq!(store.append(entered(1, 0, reversal(1, Some(1), 1))).await, Err(StoreError::UnknownPayment));
    assert_eq!(load(&store, 1).await.game, Game::default());
    assert_eq!(store.entries(ticket(1).id).await, Ok(vec![]));
}

pub(super) async fn a_point_of_sale_is_found_by_its_key_and_replaced_only_where_the_one_said_stands(
    store: Arc<dyn Store>,
) {
    sell(&*store).await;
    let one = point_of_sale(1);
    let disabled = PointOfSale { disabled: true, ..one.clone() };
    assert_eq!(store.find_point_of_sale(one.key).await, Ok(Some(one.clone())));
    assert_eq!(store.find_point_of_sale(PointOfSaleKey([9; 32])).await, Ok(None));
    // Its number, or its key, is another one's.
    let already = Ok(AddedPointOfSale::Already(one.clone()));
    assert_eq!(store.add_point_of_sale(PointOfSale { id: one.id, ..point_of_sale(8) }).await, already);
    assert_eq!(store.add_point_of_sale(PointOfSale { key: one.key, ..point_of_sale(8) }).await, already);
    let both = PointOfSale { id: one.id, key: point_of_sale(2).key, ..point_of_sale(8) };
    assert_eq!(store.add_point_of_sale(both).await, already);

    assert_eq!(store.replace_point_of_sale(one.clone(), disabled.clone()).await, Ok(Replaced::Done));
    assert_eq!(store.replace_point_of_sale(one.clone(), disabled.clone()).await, Ok(Replaced::Moved));
    assert_eq!(store.find_point_of_sale(one.key).await, Ok(Some(disabled.clone())));
    let rotated = PointOfSale { key: PointOfSaleKey([7; 32]), name: "Presse".into(), ..one.clone() };
    assert_eq!(store.replace_point_of_sale(disabled.clone(), rotated.clone()).await, Ok(Replaced::Done));
    assert_eq!(store.find_point_of_sale(one.key).await, Ok(None));
    let taken = PointOfSale { key: point_of_sale(2).key, ..rotated.clone() };
    assert!(matches!(store.replace_point_of_sale(rotated.clone(), taken).await, Err(StoreError::Misuse(_))));
    let other = point_of_sale(2);
    assert!(matches!(store.replace_point_of_sale(rotated.clone(), other.clone()).await, Err(StoreError::Misuse(_))));
    let nobody = point_of_sale(9);
    assert_eq!(store.replace_point_of_sale(nobody.clone(), nobody).await, Err(StoreError::UnknownPointOfSale(9)));
    assert_eq!(store.points_of_sale().await, Ok(vec![rotated, other]));
}

fn step(tickets: u8) -> BlockProgress {
    let sums = block(tickets);
    let winning = u32::from(tickets).saturating_sub(1);
    BlockProgress { winning, total_eur: sums.total_eur, imported: sums.tickets, ..BlockProgress::new(block(10)) }
}

fn chunk(numbers: std::ops::Range<u8>) -> Vec<Ticket> {
    numbers.map(ticket).collect()
}

pub(super) async fn a_block_is_imported_chunk_by_chunk_and_goes_on_where_it_stopped(store: Arc<dyn Store>) {
    let Block { id, manifest, .. } = block(10);
    let unknown = Err(StoreError::UnknownBlock { emission: 7, block: 1 });
    assert_eq!(store.begin_block(block(10)).await, Err(StoreError::UnknownEmission(7)));
    store.add_emission(emission(7)).await.unwrap();
    assert_eq!(store.import_chunk(id, manifest, 0, chunk(0..4)).await, unknown);
    assert_eq!(store.finish_block(id, manifest).await, unknown);

    let nothing = BlockProgress::new(block(10));
    for _ in 0..2 {
        assert_eq!(store.begin_block(block(10)).await, Ok(BlockStep::Done(nothing)));
    }
    assert_eq!(store.begin_block(block(9)).await, Ok(BlockStep::Refused(nothing)));
    let other_sum = Block { total_eur: 1, ..block(10) };
    assert_eq!(store.begin_block(other_sum).await, Ok(BlockStep::Refused(nothing)));

    assert_eq!(store.import_chunk(id, manifest, 0, chunk(0..4)).await, Ok(BlockStep::Done(step(4))));
    // Of another manifest, once more, ahead, too many.
    for (manifest, offset, tickets) in
        [(Digest([1; 32]), 4, 4..6), (manifest, 0, 0..4), (manifest, 5, 5..6), (manifest, 4, 4..11)]
    {
        let refused = store.import_chunk(id, manifest, offset, chunk(tickets)).await;
        assert_eq!(refused, Ok(BlockStep::Refused(step(4))));
        assert_eq!(store.find_by_number(ticket(5).number).await, Ok(None), "nothing was written");
    }
    let stray = Ticket { number: TicketNumber { block: 2, ..ticket(4).number }, ..ticket(4) };
    assert!(matches!(store.import_chunk(id, manifest, 4, vec![stray]).await, Err(StoreError::Misuse(_))));
    assert_eq!(store.blocks().await, Ok(vec![step(4)]));

    assert_eq!(store.finish_block(id, manifest).await, Ok(BlockStep::Refused(step(4))));
    assert_eq!(store.import_chunk(id, manifest, 4, chunk(4..10)).await, Ok(BlockStep::Done(step(10))));
    let complete = BlockProgress { complete: true, ..step(10) };
    for _ in 0..2 {
        assert_eq!(store.finish_block(id, manifest).await, Ok(BlockStep::Done(complete)));
    }
    assert_eq!(store.finish_block(id, Digest([1; 32])).await, Ok(BlockStep::Refused(complete)));
    assert_eq!(store.import_chunk(id, manifest, 10, vec![]).await, Ok(BlockStep::Refused(complete)));
    assert_eq!(store.begin_block(block(10)).await, Ok(BlockStep::Done(complete)));
    assert_eq!(store.blocks().await, Ok(vec![complete]));
    assert_eq!(load(&store, 9).await.ticket, ticket(9));
}

pub(super) async fn a_chunk_that_collides_leaves_the_block_where_it_was(store: Arc<dyn Store>) {
    let Block { id, manifest, .. } = block(10);
    store.add_emission(emission(7)).await.unwrap();
    store.begin_block(block(10)).await.unwrap();
    store.import_chunk(id, manifest, 0, chunk(0..4)).await.unwrap();
    let colliding = Ticket { code_hash: ticket(1).code_hash, ..ticket(5) };
    let refused = store.import_chunk(id, manifest, 4, vec![ticket(4), colliding]).await;
    assert_eq!(refused, Err(StoreError::TicketCollision { number: ticket(5).number }));
    assert_eq!(store.blocks().await, Ok(vec![step(4)]));
    assert_eq!(store.find_by_number(ticket(4).number).await, Ok(None));
    // Tickets that were there already, identical, count as in.
    store.import(chunk(4..6)).await.unwrap();
    assert_eq!(store.import_chunk(id, manifest, 4, chunk(4..10)).await, Ok(BlockStep::Done(step(10))));
}

pub(super) async fn a_block_is_complete_only_with_the_sums_of_its_manifest(store: Arc<dyn Store>) {
    store.add_emission(emission(7)).await.unwrap();
    for (number, wrong) in
        [(2, Block { winning: 2, ..block(2) }), (3, Block { total_eur: 6, ..block(2) }), (4, block(3))]
    {
        let id = BlockId { emission: 7, block: number };
        let wrong = Block { id, ..wrong };
        store.begin_block(wrong).await.unwrap();
        let tickets = (0..2).map(|n| Ticket {
            id: TicketId([n; 16].map(|byte| byte * 100 + number.to_be_bytes()[1])),
            number: TicketNumber { block: number, ..ticket(n).number },
            code_hash: KeyedHash([n * 100 + number.to_be_bytes()[1]; 32]),
            ..ticket(n)
        });
        store.import_chunk(id, wrong.manifest, 0, tickets.collect()).await.unwrap();
        let refused = store.finish_block(id, wrong.manifest).await;
        assert!(matches!(refused, Ok(BlockStep::Refused(BlockProgress { imported: 2, complete: false, .. }))));
    }
}

pub(super) async fn a_period_is_exported_page_by_page_in_order(store: Arc<dyn Store>) {
    sell(&*store).await;
    let (mut events, mut entries) = (Vec::new(), Vec::new());
    for (n, at) in [(2, 10), (1, 10), (1, 10), (3, 5), (1, 20), (2, 30), (3, 19)] {
        let position = store.load(ticket(n).id).await.unwrap().unwrap().game.version.0;
        let id = u8::try_from(events.len()).unwrap();
        let LedgerEntry::Payment(paid) = payment(id, 1, id) else { unreachable!() };
        let entry = LedgerEntry::Payment(Payment { at: Millis(at), ..paid });
        let event = Event { receipt: Some(vec![n]), ..event(at, &[n, id]) };
        let next = Append { events: vec![event.clone()], ..entered(n, position, entry.clone()) };
        store.append(next).await.unwrap();
        events.push(ExportedEvent { ticket: ticket(n).id, number: ticket(n).number, position, event });
        entries.push(kept(n, position, entry));
    }
    events.retain(|event| (10..30).contains(&event.event.at.0));
    entries.retain(|entry| (10..30).contains(&entry.entry.at().0));
    events.sort_by_key(ExportedEvent::cursor);
    entries.sort_by_key(KeptEntry::cursor);
    assert_eq!(events.iter().map(|event| event.event.at.0).collect::<Vec<_>>(), [10, 10, 10, 19, 20]);

    let period = Period { from: Millis(10), to: Millis(30) };
    for limit in 1..7 {
        let mut page = Page { period, after: None, limit };
        let mut read = Vec::new();
        loop {
            let rows = store.export_events(page).await.unwrap();
            let Some(last) = rows.last() else { break };
            page.after = Some(last.cursor());
            read.extend(rows);
        }
        assert_eq!(read, events);
        let mut page = Page { period, after: None, limit };
        let mut read = Vec::new();
        loop {
            let rows = store.export_entries(page).await.unwrap();
            let Some(last) = rows.last() else { break };
            page.after = Some(last.cursor());
            read.extend(rows);
        }
        assert_eq!(read, entries);
    }
    let before = Some(Cursor { at: Millis(3), ticket: ticket(1).id, position: 0 });
    assert_eq!(store.export_events(Page { period, after: before, limit: 9 }).await, Ok(events));
    assert_eq!(store.export_events(Page { period, after: None, limit: 0 }).await, Ok(vec![]));
}

pub(super) async fn an_audit_log_grows_only_where_it_was_said_to_end(store: Arc<dyn Store>) {
    let [one, two] = [InstanceId([1; 16]), InstanceId([2; 16])];
    let lines: Vec<_> = (0..6).map(audit_line).collect();
    assert_eq!(store.append_audit(one, 1, lines[..1].to_vec()).await, Ok(AuditAppended::Moved(0)));
    assert_eq!(store.append_audit(one, 0, vec![]).await, Ok(AuditAppended::Now(0)));
    assert_eq!(store.append_audit(one, 0, lines[..2].to_vec()).await, Ok(AuditAppended::Now(2)));
    assert_eq!(store.append_audit(two, 0, lines[..1].to_vec()).await, Ok(AuditAppended::Now(1)));
    for wrong in [0, 1, 3] {
        assert_eq!(store.append_audit(one, wrong, lines[2..].to_vec()).await, Ok(AuditAppended::Moved(2)));
        assert_eq!(store.append_audit(one, wrong, vec![]).await, Ok(AuditAppended::Moved(2)));
    }
    assert_eq!(store.append_audit(one, 2, lines[2..].to_vec()).await, Ok(AuditAppended::Now(6)));
    assert_eq!(store.audit_lines(one, 0, 10).await, Ok(lines.clone()));
    assert_eq!(store.audit_lines(one, 2, 2).await, Ok(lines[2..4].to_vec()));
    assert_eq!(store.audit_lines(one, 6, 2).await, Ok(vec![]));
    assert_eq!(store.audit_lines(InstanceId([9; 16]), 0, 2).await, Ok(vec![]));
    let instances = vec![
        AuditInstance { instance: one, lines: 6, last: lines[5].hash },
        AuditInstance { instance: two, lines: 1, last: lines[0].hash },
    ];
    assert_eq!(store.audit_instances().await, Ok(instances));
}
