//! Every moment, as data: what the tests render, and what designers look at.

use rules::game::VoidReason;
use rules::{
    Amount, CodeError, Fraction, Multiplier, Nature, Number, Palier, PotentialGain, Stop, TicketNumber, Timestamp, odds,
};
use seal::check::Fault;
use seal::json::{JsonError, JsonProblem};
use seal::opening::BadOpening;
use seal::transcript::{self, Malformed, Wrong};
use seal::{ClientSeed, Commitment, ServerSeed, TicketId};
use web::model::{
    Cell, CellState, Dialog, End, EndedGame, Entry, EntryNotice, EntryProblem, Failure, Network, OtherSeed, Outcome,
    Payment, Phase, Play, PlayNotice, Proof, ProofFailed, Rung, RungState, Screen, Signing, Stake, StakeClosed, Step,
    Ticket,
};
use web::verifier::model::{self as verifier, Account, Deed, Flaw, Speed, Trouble, Verdict};

const LATER: Timestamp = Timestamp::from_millis(1_775_999_040_000);
const LOSING: [u8; 3] = [5, 14, 27];

fn number(n: u8) -> Number {
    Number::new(n).unwrap()
}

fn ticket(potential_gain: PotentialGain) -> Ticket {
    Ticket { number: TicketNumber::new(42, 1, 317).unwrap(), potential_gain }
}

/// A game on a ticket, as far as its numbers and multipliers say.
struct Told {
    gain: PotentialGain,
    good: &'static [u8],
    multipliers: &'static [Multiplier],
    over: bool,
}

impl Told {
    fn acquired(&self) -> Amount {
        self.multipliers.iter().fold(self.gain.amount(), |gain, m| gain.times(*m))
    }

    fn next(&self) -> Palier {
        Palier::from_rank(self.multipliers.len() as u64 + 1).unwrap_or(Palier::Four)
    }

    fn found(&self) -> u8 {
        let before = self.next().found_in_all() - self.next().to_find();
        (self.good.len() as u8).saturating_sub(before)
    }

    fn value(&self) -> Fraction {
        odds::value_of_going_on(self.next(), self.good.len() as u8, self.gain)
    }

    fn rungs(&self) -> [Rung; 4] {
        let mut gain = self.gain.amount();
        let mut most = gain;
        Palier::ALL.map(|palier| {
            let reached = self.multipliers.get(palier.index()).copied();
            let three = odds::three_once_reached(palier, self.gain);
            gain = gain.times(reached.unwrap_or(Multiplier::Two));
            most = match reached {
                Some(_) => gain,
                None if self.gain.always_doubles() => most.times(Multiplier::Two),
                None => most.times(Multiplier::Three),
            };
            let state = match reached {
                Some(multiplier) => RungState::Reached(multiplier),
                None if self.over => RungState::Missed,
                None if palier == self.next() => RungState::Next,
                None => RungState::Ahead,
            };
            let found = match state {
                RungState::Reached(_) => palier.to_find(),
                _ if palier == self.next() => self.found(),
                _ => 0,
            };
            let reach = if reached.is_some() { Fraction::ONE } else { odds::reach(palier, self.good.len() as u8) };
            Rung { palier, state, to_find: palier.to_find(), found, gain, most, reach, three }
        })
    }

    fn cells(&self, special: Option<(u8, CellState)>, uncovered: bool) -> [Cell; 30] {
        std::array::from_fn(|i| {
            let n = i as u8 + 1;
            let state = match special {
                Some((at, state)) if at == n => state,
                _ if self.good.contains(&n) => CellState::Good,
                _ if uncovered && LOSING.contains(&n) => CellState::WasLosing,
                _ if uncovered => CellState::WasGood,
                _ => CellState::Free,
            };
            Cell { number: number(n), state }
        })
    }

    fn play(&self) -> Play {
        Play {
            ticket: ticket(self.gain),
            cells: self.cells(None, false),
            rungs: self.rungs(),
            phase: Phase::Picking { palier: self.next(), found: self.found(), to_find: self.next().to_find() },
            value: self.value(),
            at_stake: self.acquired(),
            last: self.good.last().map(|n| Step::Picked(number(*n), Nature::Good)),
            notice: None,
            dialog: None,
            network: Network::Quiet,
            proof: Proof::Whole,
            signing: Signing::Checked,
            finish_before: Some(LATER),
        }
    }

    fn on_palier(&self, stop: Stop) -> Play {
        let multiplier = *self.multipliers.last().unwrap();
        let gain = self.acquired();
        let last = number(*self.good.last().unwrap());
        Play {
            phase: Phase::OnPalier { stop, multiplier, gain },
            last: Some(Step::PalierReached { number: last, palier: stop.palier(), multiplier, gain }),
            ..self.play()
        }
    }

    fn stake(&self) -> Stake {
        Stake {
            ticket: ticket(self.gain),
            rungs: self.rungs(),
            value: self.value(),
            closed: None,
            start_before: Some(LATER),
            pay_before: None,
            dialog: None,
            network: Network::Quiet,
        }
    }

    fn end(&self, outcome: Outcome, losing: Option<u8>) -> End {
        let gain = if losing.is_some() { Amount::ZERO } else { self.acquired() };
        End {
            ticket: ticket(self.gain),
            outcome,
            gain,
            payment: if losing.is_some() { Payment::None } else { Payment::Due },
            pay_before: None,
            game: Some(EndedGame {
                cells: self.cells(losing.map(|n| (n, CellState::Losing)), true),
                rungs: self.rungs(),
                proof: Proof::Whole,
                signing: Signing::Checked,
            }),
            network: Network::Quiet,
        }
    }

    fn replay(&self, at: usize) -> verifier::Replay {
        verifier::Replay {
            cells: self.cells(None, self.over),
            rungs: self.rungs(),
            ticket_number: Some(ticket(self.gain).number.to_string()),
            started_at: Some(LATER),
            step: self.good.last().map_or(Step::Started, |n| Step::Picked(number(*n), Nature::Good)),
            at,
            steps: 9,
            amount: self.acquired(),
            playing: false,
            speed: Speed::default(),
        }
    }
}

use Multiplier::{Three as X3, Two as X2};
use PotentialGain::{Eur20, Eur1000, Eur50000};

const FRESH: Told = Told { gain: Eur20, good: &[], multipliers: &[], over: false };
const LARGEST: Told = Told { gain: Eur50000, ..FRESH };
const THREE_FOUND: Told = Told { good: &[3, 12, 22], ..FRESH };
const FIRST: Told = Told { good: &[3, 12, 22, 7, 18, 29], multipliers: &[X2], ..FRESH };
const FIRST_WON: Told = Told { over: true, ..FIRST };
const TOWARDS_THIRD: Told =
    Told { gain: Eur1000, good: &[1, 3, 7, 9, 12, 18, 22, 25, 29, 30, 4, 11, 16], multipliers: &[X2, X3], over: false };
const THIRD: Told = Told {
    good: &[1, 3, 7, 9, 12, 18, 22, 25, 29, 30, 4, 11, 16, 17, 20],
    multipliers: &[X2, X3, X3],
    ..TOWARDS_THIRD
};
const ALL_FOUR: Told = Told {
    gain: Eur50000,
    good: &[1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 19, 20],
    multipliers: &[X2, X2, X2, X2],
    over: true,
};
const LOST: Told = Told { over: true, ..THREE_FOUND };

/// Every moment by name.
pub(crate) fn moments() -> Vec<(&'static str, Screen)> {
    let entry = |text: &str, problem, notice| {
        Screen::Entry(Entry { text: text.into(), problem: Some(problem).flatten(), notice, busy: false })
    };
    let malformed = |error| Some(EntryProblem::Malformed(error));
    let code = "7K4 WQX 9PM 2RT HJ3 VFA";
    let pending = |network| {
        Screen::Play(Play {
            cells: THREE_FOUND.cells(Some((17, CellState::Pending)), false),
            network,
            ..THREE_FOUND.play()
        })
    };
    let ask = Dialog::Continue { at_risk: Amount::from_eur(20), adult: Some(false) };
    let paid = |end: End| Screen::End(End { payment: Payment::Paid, ..end });
    let failed = |failure, earlier| {
        Screen::ProofFailed(ProofFailed {
            ticket: ticket(Eur20),
            failure,
            saved: false,
            earlier,
            network: Network::Quiet,
        })
    };
    vec![
        ("starting", Screen::Starting(Network::Waiting)),
        ("starting-offline", Screen::Starting(Network::Offline)),
        ("entry", entry("", None, None)),
        ("entry-typed", entry(code, None, None)),
        ("entry-busy", Screen::Entry(Entry { text: code.into(), busy: true, ..Entry::default() })),
        ("entry-short", entry("7K4 WQX", malformed(CodeError::Length(6)), None)),
        ("entry-character", entry("OK4 WQX 9PM 2RT HJ3 VFA", malformed(CodeError::Character(1, 'O')), None)),
        ("entry-check", entry(code, malformed(CodeError::Check), None)),
        ("entry-unknown", entry(code, Some(EntryProblem::Unknown), None)),
        ("entry-losing", entry(code, Some(EntryProblem::LosingTicket), None)),
        ("entry-too-many", entry(code, Some(EntryProblem::TooManyAttempts), None)),
        ("entry-away", entry(code, Some(EntryProblem::ServerAway), None)),
        ("entry-outdated", entry(code, Some(EntryProblem::PageOutdated), None)),
        ("entry-session", entry("", None, Some(EntryNotice::SessionEnded))),
        ("entry-left", entry("", None, Some(EntryNotice::StillPayable(Some(LATER))))),
        ("entry-waits", entry("", None, Some(EntryNotice::GameWaits))),
        ("stake", Screen::Stake(FRESH.stake())),
        ("stake-50000", Screen::Stake(LARGEST.stake())),
        (
            "stake-late",
            Screen::Stake(Stake { closed: Some(StakeClosed::TooLate), pay_before: Some(LATER), ..FRESH.stake() }),
        ),
        ("stake-suspended", Screen::Stake(Stake { closed: Some(StakeClosed::Suspended), ..FRESH.stake() })),
        ("stake-confirm", Screen::Stake(Stake { dialog: Some(ask), ..FRESH.stake() })),
        ("stake-sending", Screen::Stake(Stake { network: Network::Waiting, ..FRESH.stake() })),
        ("stake-lost", Screen::Stake(Stake { network: Network::Retrying(2), ..FRESH.stake() })),
        ("play-start", Screen::Play(Play { last: Some(Step::Started), ..FRESH.play() })),
        ("play-good", Screen::Play(THREE_FOUND.play())),
        ("play-pending", pending(Network::Waiting)),
        ("play-lost", pending(Network::Retrying(1))),
        ("play-offline", pending(Network::Offline)),
        ("play-third", Screen::Play(TOWARDS_THIRD.play())),
        ("play-resumed", Screen::Play(Play { last: None, notice: Some(PlayNotice::Resumed), ..TOWARDS_THIRD.play() })),
        ("play-elsewhere", Screen::Play(Play { notice: Some(PlayNotice::WentOnElsewhere), ..THREE_FOUND.play() })),
        ("palier-1", Screen::Play(FIRST.on_palier(Stop::One))),
        ("palier-3", Screen::Play(THIRD.on_palier(Stop::Three))),
        ("palier-confirm", {
            let at_risk = FIRST.acquired();
            let dialog = Some(Dialog::Continue { at_risk, adult: None });
            Screen::Play(Play { dialog, ..FIRST.on_palier(Stop::One) })
        }),
        ("palier-quit", {
            let dialog = Some(Dialog::Quit { gain: FIRST.acquired() });
            Screen::Play(Play { dialog, ..FIRST.on_palier(Stop::One) })
        }),
        ("won-1", Screen::End(FIRST_WON.end(Outcome::Won(Palier::One), None))),
        ("won-4", Screen::End(End { pay_before: Some(LATER), ..ALL_FOUR.end(Outcome::Won(Palier::Four), None) })),
        ("won-paid", paid(FIRST_WON.end(Outcome::Won(Palier::One), None))),
        ("lost", {
            let outcome = Outcome::Lost { number: Some(number(14)), at_stake: Eur20.amount() };
            Screen::End(LOST.end(outcome, Some(14)))
        }),
        ("expired", Screen::End(FIRST_WON.end(Outcome::Expired(Some(Palier::One)), None))),
        ("expired-nothing", {
            let end = LOST.end(Outcome::Expired(None), None);
            Screen::End(End { gain: Amount::ZERO, payment: Payment::None, ..end })
        }),
        ("void", Screen::End(LOST.end(Outcome::Void(VoidReason::Malfunction), None))),
        ("paid", paid(End { game: None, ..FIRST_WON.end(Outcome::PotentialGainPaid, None) })),
        ("other-seed", Screen::OtherSeed(OtherSeed { ticket: ticket(Eur20), here_too: false, saved: false })),
        ("other-seed-here", Screen::OtherSeed(OtherSeed { ticket: ticket(Eur20), here_too: true, saved: true })),
        ("proof-number", failed(Failure::Number(number(17)), false)),
        ("proof-draw", failed(Failure::Draw, false)),
        ("proof-earlier", failed(Failure::Game, true)),
    ]
}

/// Every moment of the verifier by name.
pub(crate) fn verifier_moments() -> Vec<(&'static str, verifier::Screen)> {
    use verifier::Screen;

    let ask = |trouble| Screen::Ask(Some(trouble));
    let eur = Amount::from_eur;
    let account = |outcome| Account {
        ticket: TicketId([7; 16]),
        potential_gain: Eur20,
        commitment: Commitment([0xab; 32]),
        client_seed: ClientSeed([0xcd; 32]),
        server_seed: Some(ServerSeed([0xef; 32])),
        outcome,
        gain: Some(eur(40)),
        picks: FIRST.good.iter().map(|n| (number(*n), true)).collect(),
        paliers: vec![(Palier::One, X2, eur(40))],
        losing: Some(LOSING.into_iter().map(number).collect()),
    };
    let found =
        |found| Screen::Verdict(Box::new(Verdict { file: Some("partie.json".into()), is_report: false, found }));
    let running = Account { server_seed: None, gain: None, losing: None, ..account(transcript::Outcome::InProgress) };
    let begun = Account { picks: vec![], paliers: vec![], ..running.clone() };
    let lost =
        Account { gain: Some(Amount::ZERO), picks: vec![(number(14), false)], ..account(transcript::Outcome::Lost) };
    let flaw = |wrong, deed| found(Err(Flaw { wrong, deed, proven: 4 }));
    let cell = Fault::Cell(BadOpening::Commitment);
    let replay = |replay| Screen::Replay(Box::new(replay));
    vec![
        ("verify", Screen::Ask(None)),
        ("verify-reading", Screen::Reading),
        ("verify-large", ask(Trouble::TooLarge)),
        ("verify-unreadable", ask(Trouble::Unreadable)),
        ("verify-empty", ask(Trouble::Empty)),
        ("verify-gone", ask(Trouble::Gone)),
        ("verify-report", ask(Trouble::ReportAlone)),
        (
            "verify-garbage",
            ask(Trouble::NotAGame(Malformed::Json(JsonError { at: 0, problem: JsonProblem::Unexpected }))),
        ),
        ("verify-member", ask(Trouble::NotAGame(Malformed::Member("client_seed")))),
        ("verify-action", ask(Trouble::NotAGame(Malformed::Action(3, "opening")))),
        ("verify-won", found(Ok(account(transcript::Outcome::Won)))),
        ("verify-lost", found(Ok(lost))),
        ("verify-running", found(Ok(running))),
        ("verify-begun", found(Ok(begun))),
        ("verify-expired", found(Ok(account(transcript::Outcome::Expired)))),
        ("verify-void", found(Ok(account(transcript::Outcome::Void)))),
        ("verify-bad-pick", flaw(Wrong::Action(5, cell), Some(Deed::Pick(number(17), 5)))),
        (
            "verify-bad-palier",
            flaw(Wrong::Action(7, Fault::Multiplier(X3)), Some(Deed::Palier(Palier::One, Some(number(29)), 6))),
        ),
        ("verify-bad-gain", flaw(Wrong::Gain(Some(eur(40))), None)),
        ("verify-bad-seed", flaw(Wrong::Reveal(Fault::ServerSeed), None)),
        ("replay", replay(THREE_FOUND.replay(3))),
        ("replay-first", replay(verifier::Replay { playing: true, speed: Speed::Four, ..FRESH.replay(0) })),
        ("replay-last", replay(FIRST_WON.replay(8))),
    ]
}
