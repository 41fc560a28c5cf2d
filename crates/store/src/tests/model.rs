//! Memory, SQLite and PostgreSQL are three routes to one answer: any sequence of operations gives the same on all.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::{emission, event, label, memory, payment, point_of_sale, postgres, reversal, sqlite, ticket};
use crate::*;

/// One call of the store, over so few values that calls often meet.
#[derive(Clone, Debug)]
enum Operation {
    AddEmission(Emission),
    ReplaceEmission(Emission, Emission),
    Import(Vec<Ticket>),
    Append(Append),
    FindByCode(Vec<KeyedHash>),
    FindByNumber(TicketNumber),
    Load(TicketId),
    PutSession(Session),
    FindSession(TokenHash, Millis),
    DeleteExpiredSessions(Millis),
    LoadBySession(TokenHash, Millis),
    Due(Millis),
    AddPointOfSale(u8),
}

const TICKETS: std::ops::Range<u8> = 0..5;

fn emissions() -> impl Strategy<Value = Emission> {
    let instant = || option::of((0..2i64).prop_map(Millis));
    (6..8u16, instant(), any::<bool>(), instant()).prop_map(|(id, start_before, new_games, payment_before)| Emission {
        start_before,
        new_games,
        payment_before,
        ..emission(id)
    })
}

/// Mostly whole tickets; some with parts of others.
fn tickets() -> impl Strategy<Value = Ticket> {
    let mixed = (TICKETS, TICKETS, TICKETS, 6..8u16).prop_map(|(id, number, code, emission)| Ticket {
        id: ticket(id).id,
        number: TicketNumber { emission, ..ticket(number).number },
        code_hash: ticket(code).code_hash,
        ..ticket(0)
    });
    prop_oneof![3 => TICKETS.prop_map(ticket), 1 => mixed]
}

fn appends() -> impl Strategy<Value = Append> {
    let events = vec((0..3i64, vec(any::<u8>(), 0..3)).prop_map(|(at, payload)| event(at, &payload)), 0..4);
    let states = prop_oneof![Just(label("picking")), Just(label("won"))];
    let deadlines = option::of((0..2i64).prop_map(Millis));
    let seeds = option::of((0..2u8).prop_map(|byte| ClientSeed([byte; 32])));
    let id = || 0..3u8;
    let entries = option::weighted(
        0.3,
        prop_oneof![
            3 => (id(), 0..2u8, id()).prop_map(|(id, by, key)| payment(id, by, key)),
            1 => (id(), option::of(0..2u8), id()).prop_map(|(id, by, key)| reversal(id, by, key)),
        ],
    );
    (TICKETS, 0..6u32, events, states, deadlines, seeds, entries).prop_map(
        |(n, expected, events, state, finish_before, client_seed, entry)| Append {
            ticket: ticket(n).id,
            expected: Version(expected),
            events,
            state,
            finish_before,
            client_seed,
            entry,
        },
    )
}

fn sessions() -> impl Strategy<Value = Session> {
    (0..3u8, TICKETS, 0..2i64, 0..4i64).prop_map(|(token, n, created, expires)| Session {
        token: TokenHash([token; 32]),
        ticket: ticket(n).id,
        created: Millis(created),
        expires: Millis(expires),
    })
}

fn operations() -> impl Strategy<Value = Operation> {
    let instant = || (0..4i64).prop_map(Millis);
    prop_oneof![
        2 => emissions().prop_map(Operation::AddEmission),
        2 => (emissions(), emissions()).prop_map(|(current, next)| Operation::ReplaceEmission(current, next)),
        4 => vec(tickets(), 0..4).prop_map(Operation::Import),
        10 => appends().prop_map(Operation::Append),
        2 => vec(TICKETS.prop_map(|n| ticket(n).code_hash), 0..3).prop_map(Operation::FindByCode),
        1 => tickets().prop_map(|ticket| Operation::FindByNumber(ticket.number)),
        4 => TICKETS.prop_map(|n| Operation::Load(ticket(n).id)),
        3 => sessions().prop_map(Operation::PutSession),
        2 => (0..3u8, instant()).prop_map(|(token, now)| Operation::FindSession(TokenHash([token; 32]), now)),
        1 => instant().prop_map(Operation::DeleteExpiredSessions),
        2 => (0..3u8, instant()).prop_map(|(token, now)| Operation::LoadBySession(TokenHash([token; 32]), now)),
        1 => instant().prop_map(Operation::Due),
        1 => (0..2u8).prop_map(Operation::AddPointOfSale),
    ]
}

/// What the call answered, to be compared.
async fn run(store: &dyn Store, operation: Operation) -> String {
    match operation {
        Operation::AddEmission(emission) => format!("{:?}", store.add_emission(emission).await),
        Operation::ReplaceEmission(current, next) => format!("{:?}", store.replace_emission(current, next).await),
        Operation::Import(tickets) => format!("{:?}", store.import(tickets).await),
        Operation::Append(append) => format!("{:?}", store.append(append).await),
        Operation::FindByCode(candidates) => format!("{:?}", store.find_by_code(&candidates).await),
        Operation::FindByNumber(number) => format!("{:?}", store.find_by_number(number).await),
        Operation::Load(ticket) => format!("{:?}", store.load(ticket).await),
        Operation::PutSession(session) => format!("{:?}", store.put_session(session).await),
        Operation::FindSession(token, now) => format!("{:?}", store.find_session(token, now).await),
        Operation::DeleteExpiredSessions(now) => format!("{:?}", store.delete_expired_sessions(now).await),
        Operation::LoadBySession(token, now) => format!("{:?}", store.load_by_session(token, now).await),
        Operation::Due(now) => format!("{:?}", store.due(now, 3).await),
        Operation::AddPointOfSale(n) => format!("{:?}", store.add_point_of_sale(point_of_sale(n)).await),
    }
}

/// All that the store keeps, values and not only what `Debug` shows of them.
async fn everything(
    store: &dyn Store,
) -> (Vec<Emission>, Vec<Option<TicketRecord>>, Vec<Option<TicketId>>, Vec<ExportedEvent>, Vec<KeptEntry>) {
    let (mut records, mut sessions) = (Vec::new(), Vec::new());
    let page = Page { period: Period { from: Millis(0), to: Millis(1_000) }, after: None, limit: 1_000 };
    for n in TICKETS {
        records.push(store.load(ticket(n).id).await.unwrap());
    }
    for token in 0..3u8 {
        for now in 0..4i64 {
            sessions.push(store.find_session(TokenHash([token; 32]), Millis(now)).await.unwrap());
        }
    }
    let (events, entries) = (store.export_events(page).await.unwrap(), store.export_entries(page).await.unwrap());
    (store.emissions().await.unwrap(), records, sessions, events, entries)
}

/// Runs the calls on memory and on the other one, and compares every answer and what is kept.
async fn the_same(other: &dyn Store, calls: Vec<Operation>) -> Result<(), TestCaseError> {
    let memory = memory().await.store;
    // Half of the tickets stand from the beginning, so that short sequences also play.
    for store in [&*memory, other] {
        store.add_emission(emission(7)).await.unwrap();
        store.import((0..3).map(ticket).collect()).await.unwrap();
    }
    for call in calls {
        let expected = run(&*memory, call.clone()).await;
        prop_assert_eq!(run(other, call.clone()).await, expected, "{:?}", call);
    }
    prop_assert_eq!(everything(other).await, everything(&*memory).await);
    Ok(())
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_operations_gives_the_same_in_memory_and_in_sqlite(calls in vec(operations(), 1..60)) {
        runtime().block_on(async { the_same(&*sqlite().await.store, calls).await })?;
    }
}

proptest! {
    // Each has a database of its own to make: fewer, and longer ones.
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_operations_gives_the_same_in_memory_and_in_postgres(calls in vec(operations(), 60..200)) {
        runtime().block_on(async { the_same(&*postgres().await.store, calls).await })?;
    }
}
