//! SIGKILL and SIGTERM in the middle of many games: what was answered stays, and stays the same.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rules::Palier;
use system_tests::chance::Chance;
use system_tests::http::Message;
use system_tests::{Deed, Player, Service, eventually};

/// How many games run beside each other.
const AT_ONCE: usize = 4;
/// How often the server is killed.
const KILLS: usize = 30;

/// A game that is played whatever happens to its server, with every answer that came.
struct Journal {
    player: Player,
    deeds: Vec<Deed>,
    answers: Vec<String>,
    /// How many actions got no answer at first.
    unanswered: usize,
}

/// Plays a game to its end: whatever got no answer is sent again, the same.
fn play_through(mut journal: Journal, answered: &AtomicUsize) -> Journal {
    for seq in 0..journal.deeds.len() {
        let deed = journal.deeds[seq];
        let send = || journal.player.send(seq as u32, deed).ok();
        let answer = send().unwrap_or_else(|| {
            journal.unanswered += 1;
            eventually("the server", send, || format!("nothing answers action {seq}"))
        });
        journal.answers.push(answer.expect(200).text().to_owned());
        answered.fetch_add(1, Ordering::SeqCst);
    }
    journal
}

#[test]
fn thirty_kills_in_the_middle_of_many_games_lose_nothing_that_was_answered() {
    let (mut service, mut chance) = (Service::start(), Chance::new());
    let tickets = service.all_tickets();
    let journals = tickets.iter().map(|ticket| {
        let player = Player::open(service.addr(), &ticket.code, chance.seed()).unwrap();
        let layout = service.layout(ticket, &player.seed);
        let deeds = match chance.below(6) {
            0 => layout.lose_after(chance.below(18)),
            at => layout.win_at(Palier::ALL[at.min(4) - 1]),
        };
        Journal { player, deeds, answers: Vec::new(), unanswered: 0 }
    });
    let mut shares: Vec<Vec<Journal>> = (0..AT_ONCE).map(|_| Vec::new()).collect();
    for (at, journal) in journals.enumerate() {
        shares[at % AT_ONCE].push(journal);
    }
    let actions: usize = shares.iter().flatten().map(|journal| journal.deeds.len()).sum();
    let (answered, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let journals: Vec<Journal> = thread::scope(|scope| {
        let threads = shares.into_iter().map(|share| {
            let (answered, ended) = (&answered, &ended);
            scope.spawn(move || {
                // Also where a game fails, so that nobody waits for it.
                let _ended = CountsAtEnd(ended);
                share.into_iter().map(|journal| play_through(journal, answered)).collect::<Vec<_>>()
            })
        });
        let threads: Vec<_> = threads.collect();
        for _ in 0..KILLS {
            // Somewhere in the next stretch of what is left to do.
            let strike = answered.load(Ordering::SeqCst) + 1 + chance.below(2 * actions / (3 * KILLS));
            while answered.load(Ordering::SeqCst) < strike && ended.load(Ordering::SeqCst) < AT_ONCE {
                thread::sleep(Duration::from_micros(200));
            }
            service.kill();
            service.start_again();
        }
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let unanswered: usize = journals.iter().map(|journal| journal.unanswered).sum();
    println!("{} games, {actions} actions, {KILLS} kills, {unanswered} actions cut off", journals.len());
    assert!(unanswered >= KILLS / 3, "the kills met hardly any request: they prove nothing");
    for journal in &journals {
        holds(journal);
    }
}

/// What was answered is what the game is, and the same actions get the same answers.
fn holds(journal: &Journal) {
    let transcript = journal.player.checked_transcript().unwrap();
    let told = transcript.actions.iter().filter(|action| !matches!(action, seal::transcript::Action::Palier(_)));
    assert_eq!(told.count(), journal.deeds.len());
    let text = journal.player.transcript_answer().unwrap().expect(200).text().to_owned();
    for (seq, (deed, answer)) in (0..).zip(journal.deeds.iter().zip(&journal.answers)) {
        assert_eq!(journal.player.send(seq, *deed).unwrap().expect(200).text(), answer, "action {seq}");
    }
    assert_eq!(journal.player.transcript_answer().unwrap().expect(200).text(), text);
}

struct CountsAtEnd<'a>(&'a AtomicUsize);

impl Drop for CountsAtEnd<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A player, and what each action of theirs was answered.
type Answered = (Player, Vec<(u32, Deed, Message)>);

#[test]
fn a_server_that_is_asked_to_end_finishes_what_it_has_begun_and_says_that_all_is_well() {
    let (mut service, mut chance) = (Service::start(), Chance::new());
    let tickets = service.all_tickets();
    let stopping = AtomicBool::new(false);
    let answered = AtomicUsize::new(0);
    let games: Vec<Vec<Answered>> = thread::scope(|scope| {
        let threads = tickets.chunks(tickets.len().div_ceil(AT_ONCE)).map(|share| {
            let (service, stopping, answered) = (&service, &stopping, &answered);
            let mut chance = chance.branch();
            let mut games = Vec::new();
            scope.spawn(move || {
                for ticket in share {
                    let Ok(player) = Player::open(service.addr(), &ticket.code, chance.seed()) else { break };
                    let deeds = service.layout(ticket, &player.seed).win_at(Palier::Four);
                    let mut answers = Vec::new();
                    for (seq, deed) in (0..).zip(deeds) {
                        match player.send(seq, deed) {
                            Ok(answer) => answers.push((seq, deed, answer.expect(200))),
                            Err(_) => {
                                assert!(
                                    stopping.load(Ordering::SeqCst),
                                    "an answer is missing although the server runs"
                                );
                                break;
                            }
                        }
                        answered.fetch_add(1, Ordering::SeqCst);
                    }
                    games.push((player, answers));
                    if stopping.load(Ordering::SeqCst) {
                        break;
                    }
                }
                games
            })
        });
        let threads: Vec<_> = threads.collect();
        eventually("games at play", || (answered.load(Ordering::SeqCst) > 50).then_some(()), String::new);
        stopping.store(true, Ordering::SeqCst);
        service.ask_to_end();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let status = service.ended();
    assert!(status.success(), "{status}: {}", service.printed());
    service.start_again();
    for (player, answers) in games.iter().flatten() {
        for (seq, deed, answer) in answers {
            assert_eq!(player.send(*seq, *deed).unwrap().expect(200).text(), answer.text(), "action {seq}");
        }
        if !answers.is_empty() {
            player.checked_transcript().unwrap();
        }
    }
}
