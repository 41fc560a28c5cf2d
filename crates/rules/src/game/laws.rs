//! The laws of the fold as properties, for any commands and any events at any times under any settings, and beside it a
//! second, plain account of the same rules to which it is compared.

use proptest::prelude::*;

use super::*;
use crate::amount::PotentialGain;
use crate::number::NumberSet;
use crate::time::Terms;

const T0: i64 = 1_800_000_000_000;
const DAYS_30: i64 = 30 * 24 * 3600 * 1000;

fn number(n: u8) -> Number {
    Number::new(n).unwrap()
}

/// Losing numbers and multipliers, as given.
#[derive(Clone, Debug)]
struct Drawn {
    losing: NumberSet,
    multipliers: [Multiplier; 4],
}

impl Outcomes for Drawn {
    fn nature(&self, number: Number) -> Nature {
        if self.losing.contains(number) { Nature::Losing } else { Nature::Good }
    }
    fn multiplier(&self, palier: Palier) -> Multiplier {
        self.multipliers[palier.index()]
    }
}

fn any_draw(gain: PotentialGain) -> impl Strategy<Value = Drawn> {
    let losing = proptest::sample::subsequence((1u8..=30).collect::<Vec<_>>(), 3);
    let threes = proptest::collection::vec(any::<bool>(), 4);
    (losing, threes).prop_map(move |(losing, threes)| Drawn {
        losing: losing.into_iter().map(number).collect(),
        multipliers: core::array::from_fn(|i| match threes[i] && gain != PotentialGain::Eur50000 {
            true => Multiplier::Three,
            false => Multiplier::Two,
        }),
    })
}

fn any_reason() -> impl Strategy<Value = VoidReason> {
    proptest::sample::select(&[VoidReason::DrawLost, VoidReason::Malfunction, VoidReason::Dispute][..])
}

/// Mostly picks, so that games get far.
fn any_command() -> impl Strategy<Value = Command> {
    prop_oneof![
        8 => Just(Command::Continue),
        40 => (1u8..=30).prop_map(|n| Command::Pick(number(n))),
        1 => Just(Command::Quit),
        1 => Just(Command::Expire),
        2 => Just(Command::Pay),
        1 => Just(Command::ReversePayment),
        1 => any_reason().prop_map(Command::Void),
    ]
}

fn any_event() -> impl Strategy<Value = Event> {
    let any_number = || (1u8..=30).prop_map(number);
    let any_multiplier = prop_oneof![Just(Multiplier::Two), Just(Multiplier::Three)];
    prop_oneof![
        (-1i64..=1, any_unfinished()).prop_map(|(off, unfinished)| Event::Started {
            finish_before: Timestamp::from_millis(T0 + DAYS_30 + off),
            unfinished
        }),
        any_number().prop_map(Event::Good),
        (any_number(), any_multiplier).prop_map(|(n, m)| Event::PalierReached(n, m)),
        any_number().prop_map(Event::Losing),
        Just(Event::WentOn),
        Just(Event::Quit),
        Just(Event::Expired),
        any_reason().prop_map(Event::Voided),
        Just(Event::Paid),
        Just(Event::PaymentReversed),
    ]
}

fn any_unfinished() -> impl Strategy<Value = Unfinished> {
    prop_oneof![Just(Unfinished::NoGain), Just(Unfinished::LastPalier)]
}

/// Mostly the same instant; sometimes about the end of the 30 days, after it, or back in time.
fn any_instant() -> impl Strategy<Value = Timestamp> {
    prop_oneof![
        40 => Just(T0),
        2 => T0 - 3..T0 + 3,
        2 => T0 + DAYS_30 - 2..T0 + DAYS_30 + 2,
        1 => T0..T0 + 3 * DAYS_30,
    ]
    .prop_map(Timestamp::from_millis)
}

fn any_terms() -> impl Strategy<Value = Terms> {
    let maybe = || proptest::option::weighted(0.3, any_instant());
    (maybe(), any_unfinished(), proptest::bool::weighted(0.1), maybe()).prop_map(
        |(start_before, unfinished, suspended, pay_before)| Terms { start_before, unfinished, suspended, pay_before },
    )
}

/// The plain account: what has happened so far in a few integers, and no type of the fold.
#[derive(Clone, Debug, PartialEq)]
struct Plain {
    stake: u64,
    gain: u64,
    /// `new`, `pick`, `on`, `won`, `lost`, `expired` or `void`.
    phase: &'static str,
    palier: usize,
    good: u8,
    numbers: Vec<u8>,
    end: i64,
    gives_back: bool,
    last: i64,
    /// What can be paid, and whether it is.
    payable: Option<u64>,
    paid: bool,
    actions: u32,
}

impl Plain {
    fn new(stake: u64) -> Self {
        Self {
            stake,
            gain: stake,
            phase: "new",
            palier: 0,
            good: 0,
            numbers: Vec::new(),
            end: 0,
            gives_back: false,
            last: i64::MIN,
            payable: Some(stake),
            paid: false,
            actions: 0,
        }
    }

    /// The account after the event; none where it cannot follow.
    fn after(&self, at: i64, event: Event) -> Option<Self> {
        let mut next = Self { last: at, ..self.clone() };
        let running = self.phase == "pick" || self.phase == "on";
        let over_time = running && at >= self.end;
        if at < self.last || (running && over_time != (event == Event::Expired)) {
            return None;
        }
        let needed = [6, 11, 15, 18, 99][self.palier];
        let taken = |n: Number| (self.phase == "pick" && !self.numbers.contains(&n.get())).then(|| n.get());
        match event {
            Event::Started { finish_before, unfinished } => {
                if self.phase != "new" || self.paid || finish_before.millis() != at + 2_592_000_000 {
                    return None;
                }
                (next.phase, next.payable, next.end) = ("pick", None, at + 2_592_000_000);
                next.gives_back = unfinished == Unfinished::LastPalier;
                next.actions += 1;
            }
            Event::Good(n) | Event::PalierReached(n, _) => {
                next.numbers.push(taken(n)?);
                next.good += 1;
                next.actions += 1;
                if let Event::PalierReached(_, multiplier) = event {
                    if next.good != needed || (self.stake == 50_000 && multiplier == Multiplier::Three) {
                        return None;
                    }
                    next.gain *= if multiplier == Multiplier::Three { 3 } else { 2 };
                    next.palier += 1;
                    next.phase = "on";
                    if next.palier == 4 {
                        (next.phase, next.payable) = ("won", Some(next.gain));
                    }
                } else if next.good >= needed {
                    return None;
                }
            }
            Event::Losing(n) => {
                next.numbers.push(taken(n)?);
                next.phase = "lost";
                next.actions += 1;
            }
            Event::WentOn | Event::Quit => {
                if self.phase != "on" {
                    return None;
                }
                next.actions += 1;
                next.phase = "pick";
                if event == Event::Quit {
                    (next.phase, next.payable) = ("won", Some(self.gain));
                }
            }
            Event::Expired => {
                let kept = self.phase == "on" || (self.gives_back && self.palier > 0);
                (next.phase, next.payable) = ("expired", kept.then_some(self.gain));
                running.then_some(())?;
            }
            Event::Voided(_) => {
                (next.phase, next.payable) = ("void", Some(self.gain));
                running.then_some(())?;
            }
            Event::Paid | Event::PaymentReversed => {
                next.paid = event == Event::Paid;
                (self.payable.is_some() && self.paid != next.paid).then_some(())?;
            }
        }
        Some(next)
    }
}

/// Phase, paliers reached, good numbers found, numbers picked, gain so far, what is payable and whether it is paid, actions.
type Told = (&'static str, usize, u8, Vec<u8>, u64, Option<(u64, bool)>, u32);

/// The same account, read from a game.
fn told(game: &Game) -> Told {
    let phase = match game.state() {
        State::NotStarted | State::PotentialGainPaid => "new",
        State::Picking(_) => "pick",
        State::OnPalier(_) => "on",
        State::Won(..) => "won",
        State::Lost => "lost",
        State::Expired(_) => "expired",
        State::Void(..) => "void",
    };
    let payable = game.payable().map(|payable| (payable.amount.eur(), payable.paid));
    let numbers = game.picks().map(|(n, _)| n.get()).collect();
    (phase, game.multipliers().len(), game.found(), numbers, game.acquired().eur(), payable, game.seq())
}

fn hold(game: &Game, plain: &Plain) -> Result<(), TestCaseError> {
    let payable = plain.payable.map(|eur| (eur, plain.paid));
    let expected = (plain.phase, plain.palier, plain.good, plain.numbers.clone(), plain.gain, payable, plain.actions);
    prop_assert_eq!(told(game), expected);
    // The gain is the potential gain times the multipliers, and at most 800,000 €.
    let product: u64 = game.multipliers().iter().map(|m| u64::from(m.factor())).product();
    prop_assert_eq!(game.acquired().eur(), u64::from(game.potential_gain().eur()) * product);
    prop_assert!(game.acquired() <= Amount::from_eur(800_000));
    let gives = match plain.phase {
        "pick" => None,
        "lost" => Some(0),
        "expired" | "void" => Some(plain.payable.unwrap_or(0)),
        _ => Some(plain.gain),
    };
    prop_assert_eq!(game.gain().map(Amount::eur), gives);
    prop_assert_eq!(game.is_running(), ["pick", "on"].contains(&plain.phase));
    prop_assert_eq!(game.is_over(), ["won", "lost", "expired", "void"].contains(&plain.phase));
    prop_assert_eq!(game.picked().len() as usize, plain.numbers.len());
    prop_assert_eq!(game.last_event_at().map(Timestamp::millis), (plain.last > i64::MIN).then_some(plain.last));
    let start = game.start().map(|s| (s.finish_before.millis(), s.unfinished == Unfinished::LastPalier));
    prop_assert_eq!(start, (plain.end > 0).then_some((plain.end, plain.gives_back)));
    // Of the numbers shown at most one is losing, the last one, and only of a game that is lost.
    let losing = game.picks().map(|(_, nature)| nature == Nature::Losing);
    let lost = plain.phase == "lost";
    prop_assert!(losing.eq((1..=plain.numbers.len()).map(|i| lost && i == plain.numbers.len())));
    Ok(())
}

proptest! {
    #[test]
    fn decide_and_apply_never_contradict_each_other_and_a_refused_command_changes_nothing(
        (gain, draw) in proptest::sample::select(&PotentialGain::ALL[..]).prop_flat_map(|g| (Just(g), any_draw(g))),
        commands in proptest::collection::vec((any_command(), any_instant(), any_terms()), 0..120),
    ) {
        let (mut game, mut plain, mut events) = (Game::new(gain), Plain::new(gain.eur().into()), Vec::new());
        for (command, now, terms) in commands {
            let before = game;
            let permitted = allowed(&game, &command, &terms, now);
            match decide(&game, command, &terms, now, &draw) {
                Ok(recorded) => {
                    prop_assert_eq!(permitted, Ok(()));
                    if before.is_over() {
                        prop_assert!(matches!(recorded.event, Event::Paid | Event::PaymentReversed));
                    }
                    prop_assert_eq!(recorded.at, before.last_event_at().map_or(now, |last| last.max(now)));
                    if let Event::Started { unfinished, .. } = recorded.event {
                        prop_assert_eq!(unfinished, terms.unfinished);
                    }
                    game = before.apply(recorded).unwrap();
                    plain = plain.after(recorded.at.millis(), recorded.event).unwrap();
                    events.push(recorded);
                }
                Err(refusal) => prop_assert_eq!((permitted, game), (Err(refusal), before)),
            }
            hold(&game, &plain)?;
            let mut picks = game.picks();
            prop_assert!(picks.all(|(n, nature)| draw.nature(n) == nature));
        }
        prop_assert_eq!(Game::fold(gain, events), Ok(game));
    }

    #[test]
    fn the_fold_takes_the_events_that_a_plain_account_takes_and_a_misfit_changes_nothing(
        (gain, draw) in proptest::sample::select(&PotentialGain::ALL[..]).prop_flat_map(|g| (Just(g), any_draw(g))),
        steps in proptest::collection::vec((any_command(), any_event(), any_instant(), proptest::bool::weighted(0.9)), 0..100),
    ) {
        let (mut game, mut plain) = (Game::new(gain), Plain::new(gain.eur().into()));
        for (command, event, at, by_command) in steps {
            // Mostly what a command makes, so that games get far; else anything.
            let decided = decide(&game, command, &Terms::default(), at, &draw).ok().filter(|_| by_command);
            let recorded = decided.unwrap_or(Recorded { at, event });
            let (before, applied) = (game, game.apply(recorded));
            let advanced = game.advance(recorded);
            match plain.after(recorded.at.millis(), recorded.event) {
                Some(next) => {
                    prop_assert_eq!((advanced, applied), (Ok(()), Ok(game)), "{:?}", recorded);
                    plain = next;
                }
                None => {
                    prop_assert_eq!(advanced, applied.map(|_| ()));
                    prop_assert!(advanced.is_err(), "{:?} after {:?}", recorded, plain);
                    prop_assert_eq!(game, before);
                }
            }
            hold(&game, &plain)?;
        }
    }
}
