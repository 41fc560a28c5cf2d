//! Whole games, and what the server says to what is not one.

use std::sync::Barrier;
use std::thread;

use protocol::{PickAnswer, Problem, ProblemCode, StateName};
use rules::{Nature, Palier};
use seal::transcript::{Action, Outcome};
use seal::{Commitment, SealedGrid};
use system_tests::chance::Chance;
use system_tests::http::Message;
use system_tests::player::enter;
use system_tests::{Deed, Player, Service, Ticket};

/// The problem that an answer is.
#[track_caller]
fn problem(answer: &Message) -> Problem {
    assert_eq!(answer.header("content-type"), Some("application/problem+json"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let problem = Problem::read(&answer.json()).unwrap_or_else(|| panic!("no problem: {}", answer.text()));
    assert_eq!(answer.status(), problem.code.status());
    problem
}

/// Plays all of it, each action sent twice: the answers are the same to the byte.
#[track_caller]
fn play_twice(player: &Player, deeds: &[Deed]) {
    for (seq, deed) in (0..).zip(deeds) {
        let answer = player.send(seq, *deed).unwrap().expect(200);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(player.send(seq, *deed).unwrap().expect(200).text(), answer.text(), "action {seq}");
    }
}

fn begin(service: &Service, ticket: &Ticket, chance: &mut Chance) -> Player {
    Player::open(service.addr(), &ticket.grouped(), chance.seed()).unwrap()
}

#[test]
fn games_won_at_every_palier_and_lost_after_any_number_are_what_the_draw_says_and_prove_it() {
    let (service, mut chance) = (Service::start(), Chance::new());
    for (gain_eur, palier) in [5, 20, 1000, 50_000].into_iter().zip(Palier::ALL) {
        let ticket = service.ticket(gain_eur);
        let player = begin(&service, &ticket, &mut chance);
        let layout = service.layout(&ticket, &player.seed);
        play_twice(&player, &layout.win_at(palier));
        let transcript = player.checked_transcript().unwrap();
        assert_eq!(transcript.outcome, Outcome::Won);
        assert_eq!(transcript.gain_eur, Some(layout.gains_eur[palier.index()]));
        let view = player.look().unwrap();
        assert_eq!((view.state, view.palier, view.gain_eur), (StateName::Won, palier.rank(), transcript.gain_eur));
        assert_eq!(view.server_seed, transcript.server_seed);
    }
    for good in [0, 5, 6, 10, 14, 17] {
        let ticket = service.ticket(20);
        let player = begin(&service, &ticket, &mut chance);
        let layout = service.layout(&ticket, &player.seed);
        play_twice(&player, &layout.lose_after(good));
        let transcript = player.checked_transcript().unwrap();
        assert_eq!((transcript.outcome, transcript.gain_eur), (Outcome::Lost, Some(0)));
        let losing: Vec<_> = transcript.check().unwrap().losing.unwrap().iter().collect();
        assert_eq!(losing, layout.losing);
    }
}

#[test]
fn nothing_that_the_server_says_before_the_end_tells_the_draw_and_its_reveal_is_the_sealed_one() {
    let (service, mut chance) = (Service::start(), Chance::new());
    let ticket = service.ticket(100);
    let opened = enter(service.addr(), &ticket.code).unwrap().expect(200);
    let player = begin(&service, &ticket, &mut chance);
    let layout = service.layout(&ticket, &player.seed);
    let mut said = vec![opened];
    let deeds = layout.win_at(Palier::Two);
    let (last, before) = deeds.split_last().unwrap();
    for (seq, deed) in (0..).zip(before) {
        said.push(player.send(seq, *deed).unwrap().expect(200));
        said.push(player.transcript_answer().unwrap().expect(200));
    }
    let end = player.send(before.len() as u32, *last).unwrap().expect(200);
    let revealed = protocol::view::read_game(&end.json()).unwrap().server_seed.unwrap();
    let grid = SealedGrid::new(&revealed);
    assert_eq!(grid.commitment(ticket.id, Some(player.game.potential_gain)), player.commitment);
    let opened = &player.checked_transcript().unwrap().actions;
    let opened: Vec<_> = opened.iter().filter_map(opened_leaf).collect();
    for answer in said {
        assert!(!answer.text().contains(&revealed.reveal_hex()));
        for leaf in (0..34).filter(|leaf| !opened.contains(leaf)) {
            let nonce = seal::hash::to_hex(&grid.open(leaf).unwrap().nonce);
            assert!(!answer.text().contains(&nonce), "leaf {leaf} was shown although nothing opened it");
        }
    }
}

fn opened_leaf(action: &Action) -> Option<u8> {
    match action {
        Action::Pick(_, opening) => Some(opening.index),
        Action::Palier(claim) => Some(claim.opening.index),
        Action::Continue | Action::Quit => None,
    }
}

#[test]
fn twenty_identical_picks_at_once_have_one_effect_and_one_answer() {
    let (service, mut chance) = (Service::start(), Chance::new());
    let ticket = service.ticket(50);
    let player = begin(&service, &ticket, &mut chance);
    let layout = service.layout(&ticket, &player.seed);
    player.send(0, Deed::GoOn).unwrap().expect(200);
    let start = Barrier::new(20);
    let answers: Vec<_> = thread::scope(|scope| {
        let pick = || {
            start.wait();
            player.send(1, Deed::Pick(layout.good[0])).unwrap().expect(200).text().to_owned()
        };
        let threads: Vec<_> = (0..20).map(|_| scope.spawn(pick)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:#?}");
    assert_eq!(player.look().unwrap().seq, 2);
    assert_eq!(player.checked_transcript().unwrap().actions.len(), 2);
}

#[test]
fn of_twenty_different_picks_at_once_for_the_same_place_one_counts_and_the_others_learn_which() {
    let (service, mut chance) = (Service::start(), Chance::new());
    let ticket = service.ticket(50);
    let player = begin(&service, &ticket, &mut chance);
    let layout = service.layout(&ticket, &player.seed);
    player.send(0, Deed::GoOn).unwrap().expect(200);
    let start = Barrier::new(20);
    let answers: Vec<_> = thread::scope(|scope| {
        let threads = layout.good[..20].iter().map(|number| {
            let (start, player) = (&start, &player);
            scope.spawn(move || {
                start.wait();
                player.send(1, Deed::Pick(*number)).unwrap()
            })
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let (counted, others): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status() == 200);
    assert_eq!(counted.len(), 1);
    let picked = PickAnswer::read(&counted[0].json()).unwrap();
    for other in others {
        let problem = problem(other);
        assert_eq!(problem.code, ProblemCode::SeqConflict);
        let game = problem.game.unwrap();
        assert_eq!((game.seq, game.picks[0].number, game.picks[0].nature), (2, picked.number, Nature::Good));
    }
    assert_eq!(player.checked_transcript().unwrap().actions.len(), 2);
}

#[test]
fn a_game_begun_with_one_seed_takes_no_other_and_no_other_commitment() {
    let (service, mut chance) = (Service::start(), Chance::new());
    let ticket = service.ticket(10);
    let first = begin(&service, &ticket, &mut chance);
    let second = begin(&service, &ticket, &mut chance);
    let mut misled = first.clone();
    misled.commitment = Commitment([7; 32]);
    assert_eq!(problem(&misled.send(0, Deed::GoOn).unwrap()).code, ProblemCode::OtherCommitment);
    assert_eq!(problem(&first.transcript_answer().unwrap()).code, ProblemCode::NotStarted);
    let begun = first.send(0, Deed::GoOn).unwrap().expect(200);
    let refused = problem(&second.send(0, Deed::GoOn).unwrap());
    assert_eq!(refused.code, ProblemCode::OtherSeed);
    assert_eq!(refused.game.unwrap().client_seed, Some(first.seed));
    assert_eq!(first.send(0, Deed::GoOn).unwrap().expect(200).text(), begun.text());
}

#[test]
fn what_the_rules_do_not_have_is_refused_with_its_reason_and_changes_nothing() {
    let (service, mut chance) = (Service::start(), Chance::new());
    let ticket = service.ticket(10);
    let player = begin(&service, &ticket, &mut chance);
    let layout = service.layout(&ticket, &player.seed);
    let refuse = |seq, deed, code| {
        let before = player.look().unwrap();
        assert_eq!(problem(&player.send(seq, deed).unwrap()).code, code);
        assert_eq!(player.look().unwrap(), before);
    };
    let good = |at: usize| Deed::Pick(layout.good[at]);
    refuse(0, good(0), ProblemCode::NotStarted);
    refuse(0, Deed::Quit, ProblemCode::NotStarted);
    player.send(0, Deed::GoOn).unwrap().expect(200);
    refuse(1, Deed::GoOn, ProblemCode::BetweenPaliers);
    refuse(1, Deed::Quit, ProblemCode::BetweenPaliers);
    refuse(5, good(0), ProblemCode::SeqConflict);
    player.send(1, good(0)).unwrap().expect(200);
    refuse(2, good(0), ProblemCode::PickedAlready);
    refuse(1, good(1), ProblemCode::SeqConflict);
    for seq in 2..=6 {
        player.send(seq, good(seq as usize - 1)).unwrap().expect(200);
    }
    refuse(7, good(6), ProblemCode::ChooseFirst);
    player.send(7, Deed::Quit).unwrap().expect(200);
    refuse(8, good(6), ProblemCode::Over);
    refuse(8, Deed::GoOn, ProblemCode::Over);
    refuse(8, Deed::Quit, ProblemCode::Over);
    player.checked_transcript().unwrap();
}

#[test]
fn codes_that_open_no_game_are_told_apart_and_no_code_is_ever_printed() {
    let (service, mut chance) = (Service::start(), Chance::new());
    let told = |code: &str| problem(&enter(service.addr(), code).unwrap()).code;
    let losing = service.losing_ticket();
    assert_eq!(told(&losing.code), ProblemCode::LosingTicket);
    assert_eq!(told("ABC"), ProblemCode::MalformedCode);
    assert_eq!(told(""), ProblemCode::MalformedCode);
    let unknown = unknown_code(&mut chance);
    assert_eq!(told(&unknown), ProblemCode::UnknownCode);
    let paid = Player::open(service.addr(), &service.paid_ticket().code, [1; 32]).unwrap();
    assert_eq!(paid.game.state, StateName::PotentialGainPaid);
    assert_eq!(problem(&paid.send(0, Deed::GoOn).unwrap()).code, ProblemCode::PotentialGainPaid);
    let late = Player::open(service.addr(), &service.late_ticket().code, [1; 32]).unwrap();
    assert_eq!(late.game.state, StateName::NotStarted);
    assert_eq!(problem(&late.send(0, Deed::GoOn).unwrap()).code, ProblemCode::StartTooLate);
    // However it is written.
    let ticket = service.ticket(5);
    for text in
        [ticket.grouped(), ticket.code.to_lowercase(), format!("  {}-{} ", &ticket.code[..5], &ticket.code[5..])]
    {
        Player::open(service.addr(), &text, [1; 32]).unwrap();
    }
    let printed = service.printed();
    for code in [&losing.code, &unknown, &service.paid_ticket().code, &ticket.code, &paid.token] {
        assert!(!printed.to_uppercase().contains(&code.to_uppercase()), "a secret was printed");
    }
}

/// A well-formed code that no ticket here has.
fn unknown_code(chance: &mut Chance) -> String {
    loop {
        let body = std::array::from_fn(|_| chance.below(rules::code::SYMBOLS.len()) as u8);
        if let Some(code) = rules::Code::from_body(body) {
            return String::from_utf8(code.as_bytes().to_vec()).unwrap();
        }
    }
}

#[test]
fn what_is_no_request_of_the_api_gets_a_problem_and_a_session_opens_one_ticket_only() {
    let (service, mut chance) = (Service::start(), Chance::new());
    let player = begin(&service, &service.ticket(5), &mut chance);
    let post = |path: &str, body: &str| problem(&player.post(path, body.to_owned()).unwrap()).code;
    assert_eq!(post("/api/v1/game/picks", "{"), ProblemCode::MalformedBody);
    assert_eq!(post("/api/v1/game/picks", "{\"seq\":1,\"number\":31}"), ProblemCode::MalformedBody);
    assert_eq!(post("/api/v1/game/picks", "{\"seq\":1,\"seq\":1,\"number\":3}"), ProblemCode::MalformedBody);
    assert_eq!(post("/api/v1/game/continue", "{\"seq\":0}"), ProblemCode::SeedMissing);
    assert_eq!(post("/api/v1/game/picks", &" ".repeat(100_000)), ProblemCode::TooLarge);
    assert_eq!(post("/api/v1/nothing", "{}"), ProblemCode::NotFound);
    assert_eq!(post("/api/v1/game", "{}"), ProblemCode::MethodNotAllowed);
    let mut stranger = player.clone();
    stranger.token = "0".repeat(64);
    assert_eq!(problem(&stranger.send(0, Deed::GoOn).unwrap()).code, ProblemCode::NoSession);
    stranger.token = String::new();
    assert_eq!(problem(&stranger.transcript_answer().unwrap()).code, ProblemCode::NoSession);
    assert_eq!(player.look().unwrap().seq, 0);
}
