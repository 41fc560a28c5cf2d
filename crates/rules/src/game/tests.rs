use super::*;
use crate::amount::PotentialGain;
use crate::number::NumberSet;
use crate::time::Terms;

/// A draw for tests: losing numbers and multipliers as given.
#[derive(Debug)]
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

const T0: Timestamp = Timestamp::from_millis(1_800_000_000_000);

fn number(n: u8) -> Number {
    Number::new(n).unwrap()
}

fn later(millis: i64) -> Timestamp {
    Timestamp::from_millis(T0.millis() + millis)
}

/// 28, 29 and 30 lose; the multipliers are 2, 3, 2, 3.
fn drawn() -> Drawn {
    let [two, three] = [Multiplier::Two, Multiplier::Three];
    Drawn { losing: [28, 29, 30].map(number).into_iter().collect(), multipliers: [two, three, two, three] }
}

/// Gives the commands at T0; each must be allowed.
#[track_caller]
fn play(commands: &[Command]) -> Game {
    commands.iter().fold(Game::new(PotentialGain::Eur20), |game, command| {
        let recorded = decide(&game, *command, &Terms::default(), T0, &drawn()).unwrap();
        game.apply(recorded).unwrap()
    })
}

/// CONTINUER, then the numbers 1, 2, 3, … until so many are found, going on at every palier on the way.
fn found(count: u8) -> Vec<Command> {
    let mut commands = vec![Command::Continue];
    for n in 1..=count {
        if Palier::ALL.iter().any(|p| p.found_in_all() + 1 == n) {
            commands.push(Command::Continue);
        }
        commands.push(Command::Pick(number(n)));
    }
    commands
}

fn then(mut commands: Vec<Command>, last: Command) -> Vec<Command> {
    commands.push(last);
    commands
}

#[track_caller]
fn refused(game: &Game, command: Command, now: Timestamp, why: Refusal) {
    assert_eq!(allowed(game, &command, &Terms::default(), now), Err(why));
    assert_eq!(decide(game, command, &Terms::default(), now, &drawn()), Err(why));
}

#[test]
fn each_palier_multiplies_the_gain_before_it_and_the_fourth_ends_the_game_won() {
    let gains = Palier::ALL.map(|palier| play(&found(palier.found_in_all())).gain().unwrap().eur());
    assert_eq!(gains, [40, 120, 240, 720]);
    let game = play(&found(18));
    assert_eq!(game.state(), State::Won(Palier::Four, Payment::Due));
    assert_eq!(game.seq(), 1 + 18 + 3);
}

/// The gain at each palier of a game that goes on to the fourth, in whole euros; on each of the first three, that is also what QUITTER gives.
#[track_caller]
fn gains(potential_gain: PotentialGain, multipliers: [Multiplier; 4]) -> [u64; 4] {
    let drawn = Drawn { multipliers, ..drawn() };
    let step =
        |game: Game, command| game.apply(decide(&game, command, &Terms::default(), T0, &drawn).unwrap()).unwrap();
    let mut game = Game::new(potential_gain);
    let mut gains = Vec::new();
    for command in found(18) {
        game = step(game, command);
        let stopped = match game.state() {
            State::OnPalier(_) => step(game, Command::Quit),
            State::Won(..) => game,
            _ => continue,
        };
        assert_eq!(stopped.payable(), Some(Payable { amount: game.acquired(), paid: false }));
        assert_eq!((game.gain(), stopped.gain()), (Some(game.acquired()), Some(game.acquired())));
        gains.push(game.acquired().eur());
    }
    assert_eq!(game.state(), State::Won(Palier::Four, Payment::Due));
    gains.try_into().unwrap()
}

#[test]
fn a_game_of_50_000_euros_gives_100_000_200_000_400_000_and_800_000_at_its_paliers() {
    assert_eq!(gains(PotentialGain::Eur50000, [Multiplier::Two; 4]), [100_000, 200_000, 400_000, 800_000]);
}

#[test]
fn a_game_of_1_000_euros_gives_81_000_tripled_at_every_palier_and_16_000_doubled() {
    assert_eq!(gains(PotentialGain::Eur1000, [Multiplier::Three; 4]), [3_000, 9_000, 27_000, 81_000]);
    assert_eq!(gains(PotentialGain::Eur1000, [Multiplier::Two; 4]), [2_000, 4_000, 8_000, 16_000]);
}

#[test]
fn below_50_000_euros_each_of_the_four_paliers_may_double_or_triple() {
    for potential_gain in PotentialGain::ALL.into_iter().filter(|gain| gain.eur() < 50_000) {
        for tripled in 0..16 {
            let factors: [u64; 4] = core::array::from_fn(|i| if tripled >> i & 1 == 1 { 3 } else { 2 });
            let mut gain = u64::from(potential_gain.eur());
            let expected = factors.map(|factor| {
                gain *= factor;
                gain
            });
            let multipliers = factors.map(|factor| Multiplier::from_factor(factor).unwrap());
            assert_eq!(gains(potential_gain, multipliers), expected, "{potential_gain:?}, {factors:?}");
        }
    }
}

#[test]
fn quitter_on_a_palier_settles_the_game_at_its_gain() {
    let game = play(&then(found(11), Command::Quit));
    assert_eq!(game.state(), State::Won(Palier::Two, Payment::Due));
    assert_eq!(game.payable(), Some(Payable { amount: Amount::from_eur(120), paid: false }));
    for command in [Command::Continue, Command::Quit, Command::Pick(number(20)), Command::Expire] {
        refused(&game, command, T0, Refusal::Over);
    }
}

#[test]
fn one_losing_number_loses_everything() {
    let game = play(&then(then(found(6), Command::Continue), Command::Pick(number(30))));
    assert_eq!(game.state(), State::Lost);
    assert_eq!(game.gain(), Some(Amount::ZERO));
    assert_eq!(game.found(), 6);
    assert_eq!(game.picks().last(), Some((number(30), Nature::Losing)));
    refused(&game, Command::Pay, T0, Refusal::NothingToPay);
}

#[test]
fn one_can_stop_or_go_on_only_on_a_palier() {
    let between = play(&found(7));
    refused(&between, Command::Quit, T0, Refusal::BetweenPaliers);
    refused(&between, Command::Continue, T0, Refusal::BetweenPaliers);
    refused(&between, Command::Pick(number(7)), T0, Refusal::PickedAlready);
    refused(&between, Command::Pay, T0, Refusal::StillRunning);
    refused(&play(&found(6)), Command::Pick(number(20)), T0, Refusal::ChooseFirst);
}

#[test]
fn before_continuer_nothing_is_picked_and_quitter_changes_nothing() {
    let game = Game::new(PotentialGain::Eur20);
    refused(&game, Command::Pick(number(1)), T0, Refusal::NotStarted);
    refused(&game, Command::Quit, T0, Refusal::NotStarted);
    refused(&game, Command::Expire, T0, Refusal::NotStarted);
    refused(&game, Command::Void(VoidReason::Malfunction), T0, Refusal::NotStarted);
    assert_eq!(game.payable(), Some(Payable { amount: Amount::from_eur(20), paid: false }));
}

#[test]
fn a_game_can_be_started_until_the_emission_says_and_not_a_millisecond_later() {
    let game = Game::new(PotentialGain::Eur5);
    let terms = Terms { start_before: Some(later(1000)), ..Terms::default() };
    assert_eq!(allowed(&game, &Command::Continue, &terms, later(999)), Ok(()));
    assert_eq!(allowed(&game, &Command::Continue, &terms, later(1000)), Err(Refusal::StartTooLate));
    // A ticket that can no longer be played can still be paid.
    assert_eq!(allowed(&game, &Command::Pay, &terms, later(1000)), Ok(()));
    // Once started, the end of the time to start does not matter.
    let on_palier = play(&found(6));
    assert_eq!(allowed(&on_palier, &Command::Continue, &terms, later(2000)), Ok(()));
}

#[test]
fn while_new_games_are_suspended_running_ones_go_on() {
    let terms = Terms { suspended: true, ..Terms::default() };
    let new = Game::new(PotentialGain::Eur5);
    assert_eq!(allowed(&new, &Command::Continue, &terms, T0), Err(Refusal::Suspended));
    assert_eq!(allowed(&play(&found(6)), &Command::Continue, &terms, T0), Ok(()));
    assert_eq!(allowed(&play(&found(3)), &Command::Pick(number(9)), &terms, T0), Ok(()));
    assert_eq!(allowed(&play(&found(6)), &Command::Quit, &terms, T0), Ok(()));
    // What can be paid is paid all the same; and too late is said before suspended.
    assert_eq!(allowed(&new, &Command::Pay, &terms, T0), Ok(()));
    let late = Terms { start_before: Some(T0), ..terms };
    assert_eq!(allowed(&new, &Command::Continue, &late, T0), Err(Refusal::StartTooLate));
}

const DAYS_30: i64 = 2_592_000_000;

#[test]
fn a_game_can_be_played_for_30_times_24_hours_and_not_a_millisecond_longer() {
    assert_eq!(T0.finish_before(), later(DAYS_30));
    assert_eq!(play(&found(0)).start().unwrap().finish_before, later(DAYS_30));
    for game in [play(&found(3)), play(&found(6))] {
        let command = if game.found() == 3 { Command::Pick(number(9)) } else { Command::Quit };
        assert_eq!(allowed(&game, &command, &Terms::default(), later(DAYS_30 - 1)), Ok(()));
        refused(&game, Command::Expire, later(DAYS_30 - 1), Refusal::NotExpired);
        for late in [Command::Continue, Command::Pick(number(9)), Command::Quit] {
            refused(&game, late, later(DAYS_30), Refusal::FinishTooLate);
        }
        assert_eq!(allowed(&game, &Command::Expire, &Terms::default(), later(DAYS_30)), Ok(()));
    }
}

/// What is stored is held to the same limit as what is asked.
#[test]
fn an_event_of_the_player_a_millisecond_too_late_or_an_expiry_a_millisecond_too_early_is_a_misfit() {
    let at = |millis, event| Recorded { at: later(millis), event };
    for (game, event) in [
        (play(&found(3)), Event::Good(number(9))),
        (play(&found(3)), Event::Losing(number(30))),
        (play(&found(5)), Event::PalierReached(number(9), Multiplier::Two)),
        (play(&found(6)), Event::WentOn),
        (play(&found(6)), Event::Quit),
        (play(&found(6)), Event::Voided(VoidReason::Dispute)),
    ] {
        assert!(game.apply(at(DAYS_30 - 1, event)).is_ok(), "{event:?}");
        assert_eq!(game.apply(at(DAYS_30, event)), Err(Misfit::Time), "{event:?}");
        assert_eq!(game.apply(at(DAYS_30 - 1, Event::Expired)), Err(Misfit::Time));
        assert!(game.apply(at(DAYS_30, Event::Expired)).is_ok());
        assert_eq!([DAYS_30 - 1, DAYS_30].map(|millis| game.has_expired(later(millis))), [false, true]);
    }
    // What has ended does not expire any more.
    for over in [then(found(6), Command::Quit), then(found(3), Command::Pick(number(30)))] {
        assert!(!play(&over).has_expired(later(DAYS_30)));
    }
    for off in [-1, 1] {
        let start = Event::Started { finish_before: later(DAYS_30 + off), unfinished: Unfinished::NoGain };
        assert_eq!(play(&[]).apply(at(0, start)), Err(Misfit::Time));
    }
}

#[test]
fn a_void_comes_before_the_30_days_end_and_an_expiry_after_it_whatever_is_asked_first() {
    for game in [play(&found(3)), play(&found(6))] {
        let void = Command::Void(VoidReason::DrawLost);
        assert_eq!(allowed(&game, &void, &Terms::default(), later(DAYS_30 - 1)), Ok(()));
        refused(&game, void, later(DAYS_30), Refusal::FinishTooLate);
    }
}

/// The answer to every command in every state, as a table.
#[test]
fn what_is_allowed_is_what_the_table_says() {
    use Refusal::*;
    let free = Command::Pick(number(20));
    let commands = [
        Command::Continue,
        free,
        Command::Quit,
        Command::Expire,
        Command::Void(VoidReason::Dispute),
        Command::Pay,
        Command::ReversePayment,
    ];
    let expired = |count| {
        let game = play(&found(count));
        game.apply(Recorded { at: later(DAYS_30), event: Event::Expired }).unwrap()
    };
    let void = then(found(3), Command::Void(VoidReason::Dispute));
    let paid_void = then(void.clone(), Command::Pay);
    let lost = then(found(3), Command::Pick(number(30)));
    let won = then(found(6), Command::Quit);
    let ok = Ok(());
    let over = |pay, reverse| [Err(Over), Err(Over), Err(Over), Err(Over), Err(Over), pay, reverse];
    let not = Err(NotStarted);
    let closed = Err(PotentialGainPaid);
    let table: [(Game, [Result<(), Refusal>; 7]); 10] = [
        (play(&[]), [ok, not, not, not, not, ok, Err(NotPaid)]),
        (play(&[Command::Pay]), [closed, closed, closed, closed, closed, Err(PaidAlready), ok]),
        (
            play(&found(3)),
            [Err(BetweenPaliers), ok, Err(BetweenPaliers), Err(NotExpired), ok, Err(StillRunning), Err(NotPaid)],
        ),
        (play(&found(6)), [ok, Err(ChooseFirst), ok, Err(NotExpired), ok, Err(StillRunning), Err(NotPaid)]),
        (play(&won), over(ok, Err(NotPaid))),
        (play(&lost), over(Err(NothingToPay), Err(NotPaid))),
        (expired(3), over(Err(NothingToPay), Err(NotPaid))),
        (expired(6), over(ok, Err(NotPaid))),
        (play(&void), over(ok, Err(NotPaid))),
        (play(&paid_void), over(Err(PaidAlready), ok)),
    ];
    for (game, row) in table {
        let now = game.last_event_at().unwrap_or(T0);
        for (command, answer) in commands.into_iter().zip(row) {
            let (found, state) = (allowed(&game, &command, &Terms::default(), now), game.state());
            assert_eq!(found, answer, "{command:?}, {state:?}");
        }
    }
    // Once the 30 days have ended, a running game is too late for everything but its expiry.
    for (count, picks) in [(3, Command::Pick(number(3))), (6, free)] {
        let late = commands.map(|command| allowed(&play(&found(count)), &command, &Terms::default(), later(DAYS_30)));
        let too_late = Err(FinishTooLate);
        assert_eq!(late, [too_late, too_late, too_late, ok, too_late, Err(StillRunning), Err(NotPaid)]);
        refused(&play(&found(count)), picks, later(DAYS_30), FinishTooLate);
    }
}

#[test]
fn at_expiry_a_palier_stood_on_is_payable_and_between_paliers_the_emission_decides() {
    let end = T0.finish_before();
    let expired = |count, unfinished| {
        let terms = Terms { unfinished, ..Terms::default() };
        let mut game = Game::new(PotentialGain::Eur20);
        for command in then(found(count), Command::Expire) {
            let now = if command == Command::Expire { end } else { T0 };
            game = game.apply(decide(&game, command, &terms, now, &drawn()).unwrap()).unwrap();
        }
        assert_eq!((game.is_over(), game.is_running()), (true, false));
        game.gain().unwrap().eur()
    };
    assert_eq!(expired(0, Unfinished::LastPalier), 0);
    assert_eq!(expired(5, Unfinished::LastPalier), 0);
    assert_eq!(expired(6, Unfinished::NoGain), 40);
    assert_eq!(expired(7, Unfinished::NoGain), 0);
    assert_eq!(expired(7, Unfinished::LastPalier), 40);
    assert_eq!(expired(15, Unfinished::NoGain), 240);
    assert_eq!(expired(15, Unfinished::LastPalier), 240);
    assert_eq!(expired(16, Unfinished::LastPalier), 240);
    assert_eq!(expired(16, Unfinished::NoGain), 0);
}

#[test]
fn a_gain_kept_at_an_early_end_is_paid_once_and_its_reversal_opens_it_again() {
    let expired = play(&found(6)).apply(Recorded { at: later(DAYS_30), event: Event::Expired }).unwrap();
    let void = play(&then(found(7), Command::Void(VoidReason::Malfunction)));
    for game in [expired, void] {
        let at = later(DAYS_30);
        let step = |game: Game, event| game.apply(Recorded { at, event });
        let payable = |paid| Some(Payable { amount: Amount::from_eur(40), paid });
        assert_eq!((game.payable(), game.gain()), (payable(false), Some(Amount::from_eur(40))));
        let paid = step(game, Event::Paid).unwrap();
        assert_eq!((paid.payable(), paid.gain()), (payable(true), game.gain()));
        assert_eq!(step(paid, Event::Paid), Err(Misfit::State));
        assert_eq!(step(game, Event::PaymentReversed), Err(Misfit::State));
        assert_eq!(step(paid, Event::PaymentReversed).unwrap().state(), game.state());
    }
    let nothing = play(&found(7)).apply(Recorded { at: later(DAYS_30), event: Event::Expired }).unwrap();
    assert_eq!((nothing.state(), nothing.payable()), (State::Expired(None), None));
    assert_eq!(nothing.apply(Recorded { at: later(DAYS_30), event: Event::Paid }), Err(Misfit::State));
}

#[test]
fn the_setting_for_unfinished_games_is_the_one_recorded_at_the_start() {
    let mut game = Game::new(PotentialGain::Eur20);
    let at_start = Terms { unfinished: Unfinished::LastPalier, ..Terms::default() };
    for command in found(7) {
        game = game.apply(decide(&game, command, &at_start, T0, &drawn()).unwrap()).unwrap();
    }
    let later_setting = Terms { unfinished: Unfinished::NoGain, ..Terms::default() };
    let expired = decide(&game, Command::Expire, &later_setting, T0.finish_before(), &drawn()).unwrap();
    assert_eq!(game.apply(expired).unwrap().gain(), Some(Amount::from_eur(40)));
}

#[test]
fn a_void_game_gives_the_last_acquired_gain() {
    for (count, eur) in [(0, 20), (5, 20), (6, 40), (7, 40), (11, 120)] {
        let game = play(&then(found(count), Command::Void(VoidReason::Malfunction)));
        let payable = Payable { amount: Amount::from_eur(eur), paid: false };
        assert_eq!(game.state(), State::Void(VoidReason::Malfunction, Some(Payment::Due)));
        assert_eq!(game.payable(), Some(payable));
    }
}

#[test]
fn a_void_game_keeps_its_reason_through_its_payment_and_its_reversal() {
    for reason in [VoidReason::DrawLost, VoidReason::Malfunction, VoidReason::Dispute] {
        for count in [0, 6, 7] {
            let void = then(found(count), Command::Void(reason));
            let paid = then(void.clone(), Command::Pay);
            let reversed = then(paid.clone(), Command::ReversePayment);
            let again = then(reversed.clone(), Command::Pay);
            for (commands, payment) in
                [(void, Payment::Due), (paid, Payment::Paid), (reversed, Payment::Due), (again, Payment::Paid)]
            {
                assert_eq!(play(&commands).state(), State::Void(reason, Some(payment)));
            }
        }
    }
}

#[test]
fn paying_the_potential_gain_closes_stage_2_and_its_reversal_opens_it_again() {
    let paid = play(&[Command::Pay]);
    assert_eq!(paid.state(), State::PotentialGainPaid);
    for command in [Command::Continue, Command::Quit, Command::Pick(number(1))] {
        refused(&paid, command, T0, Refusal::PotentialGainPaid);
    }
    refused(&paid, Command::Pay, T0, Refusal::PaidAlready);
    let again = play(&[Command::Pay, Command::ReversePayment]);
    assert_eq!(allowed(&again, &Command::Continue, &Terms::default(), T0), Ok(()));
    refused(&again, Command::ReversePayment, T0, Refusal::NotPaid);
}

#[test]
fn a_gain_is_paid_once_and_not_after_the_emissions_time_to_pay() {
    let won = then(found(6), Command::Quit);
    let paid = play(&then(won.clone(), Command::Pay));
    refused(&paid, Command::Pay, T0, Refusal::PaidAlready);
    let reversed = play(&then(then(won.clone(), Command::Pay), Command::ReversePayment));
    assert_eq!(reversed.payable(), Some(Payable { amount: Amount::from_eur(40), paid: false }));
    let terms = Terms { pay_before: Some(later(5)), ..Terms::default() };
    assert_eq!(allowed(&play(&won), &Command::Pay, &terms, later(4)), Ok(()));
    assert_eq!(allowed(&play(&won), &Command::Pay, &terms, later(5)), Err(Refusal::PayTooLate));
    assert_eq!(allowed(&Game::new(PotentialGain::Eur5), &Command::Pay, &terms, later(5)), Err(Refusal::PayTooLate));
    // An error of before can still be taken back.
    assert_eq!(allowed(&paid, &Command::ReversePayment, &terms, later(5)), Ok(()));
}

#[test]
fn who_asks_too_late_for_what_was_paid_or_gives_nothing_is_told_that_first() {
    let terms = Terms { pay_before: Some(later(5)), ..Terms::default() };
    let void = then(found(7), Command::Void(VoidReason::Dispute));
    let expired = |count| play(&found(count)).apply(Recorded { at: later(DAYS_30), event: Event::Expired }).unwrap();
    for due in [play(&[]), play(&then(found(6), Command::Quit)), play(&found(18)), play(&void), expired(6)] {
        let now = later(DAYS_30);
        let paid = due.apply(Recorded { at: now, event: Event::Paid }).unwrap();
        assert_eq!(allowed(&due, &Command::Pay, &terms, now), Err(Refusal::PayTooLate));
        assert_eq!(allowed(&paid, &Command::Pay, &terms, now), Err(Refusal::PaidAlready), "{:?}", paid.state());
    }
    let lost = play(&then(found(3), Command::Pick(number(30))));
    for nothing in [lost, expired(3)] {
        assert_eq!(allowed(&nothing, &Command::Pay, &terms, later(DAYS_30)), Err(Refusal::NothingToPay));
    }
    assert_eq!(allowed(&play(&found(6)), &Command::Pay, &terms, later(5)), Err(Refusal::StillRunning));
}

#[test]
fn a_clock_that_goes_back_never_takes_an_event_back() {
    let game = play(&found(1));
    let recorded = decide(&game, Command::Pick(number(2)), &Terms::default(), later(-5000), &drawn()).unwrap();
    assert_eq!(recorded.at, T0);
}

#[test]
fn a_clock_that_goes_back_opens_no_deadline_again() {
    let closed = Terms { start_before: Some(later(5)), pay_before: Some(later(5)), ..Terms::default() };
    let [paid, reversed] = [Event::Paid, Event::PaymentReversed].map(|event| Recorded { at: later(5), event });
    let game = Game::fold(PotentialGain::Eur20, [paid, reversed]).unwrap();
    for now in [later(4), later(-5000), later(5)] {
        assert_eq!(allowed(&game, &Command::Continue, &closed, now), Err(Refusal::StartTooLate));
        assert_eq!(allowed(&game, &Command::Pay, &closed, now), Err(Refusal::PayTooLate));
    }
    assert_eq!(allowed(&Game::new(PotentialGain::Eur20), &Command::Continue, &closed, later(4)), Ok(()));
}

#[test]
fn an_event_that_does_not_follow_is_a_misfit_and_changes_nothing() {
    let at = |event| Recorded { at: T0, event };
    // In place too, and the game stays as it was.
    let misfit = |game: Game, event| {
        let mut after = game;
        let found = after.advance(at(event)).unwrap_err();
        assert_eq!((after, game.apply(at(event))), (game, Err(found)));
        found
    };
    assert_eq!(misfit(play(&found(6)), Event::Good(number(9))), Misfit::State);
    assert_eq!(misfit(play(&found(2)), Event::Good(number(2))), Misfit::PickedAlready);
    assert_eq!(misfit(play(&found(2)), Event::Losing(number(2))), Misfit::PickedAlready);
    assert_eq!(misfit(play(&found(5)), Event::PalierReached(number(2), Multiplier::Two)), Misfit::PickedAlready);
    assert_eq!(misfit(play(&found(5)), Event::Good(number(9))), Misfit::PalierCount);
    assert_eq!(misfit(play(&found(4)), Event::PalierReached(number(9), Multiplier::Two)), Misfit::PalierCount);
    assert_eq!(misfit(play(&found(4)), Event::Expired), Misfit::Time);
    assert_eq!(misfit(play(&[]), Event::PaymentReversed), Misfit::State);
    let too_long = Event::Started { finish_before: later(1), unfinished: Unfinished::NoGain };
    assert_eq!(misfit(play(&[]), too_long), Misfit::Time);
    let earlier = Recorded { at: later(-1), event: Event::Good(number(9)) };
    assert_eq!(play(&found(2)).apply(earlier), Err(Misfit::Time));
    let mut rich = Game::new(PotentialGain::Eur50000);
    for command in found(5) {
        rich = rich.apply(decide(&rich, command, &Terms::default(), T0, &drawn()).unwrap()).unwrap();
    }
    assert_eq!(misfit(rich, Event::PalierReached(number(9), Multiplier::Three)), Misfit::Multiplier);
}

/// A second route to the same answer: which kinds of events can follow in which state, as a table.
#[test]
fn what_can_follow_is_what_the_table_says() {
    let start = Event::Started { finish_before: T0.finish_before(), unfinished: Unfinished::NoGain };
    let (free, losing) = (number(20), number(30));
    let kinds = [
        start,
        Event::Good(free),
        Event::PalierReached(free, Multiplier::Two),
        Event::Losing(losing),
        Event::WentOn,
        Event::Quit,
        Event::Expired,
        Event::Voided(VoidReason::Dispute),
        Event::Paid,
        Event::PaymentReversed,
    ];
    // Columns as above: what may follow at once (x), only when the 30 days have ended (e).
    let won = then(found(6), Command::Quit);
    let lost = then(found(3), Command::Pick(losing));
    let table: [(&[Command], &str); 11] = [
        (&[], "x.......x."),
        (&[Command::Pay], ".........x"),
        (&[Command::Pay, Command::ReversePayment], "x.......x."),
        (&found(0), ".x.x..ex.."),
        (&found(5), "..xx..ex.."),
        (&found(6), "....xxex.."),
        (&found(17), "..xx..ex.."),
        (&found(18), "........x."),
        (&won, "........x."),
        (&then(won.clone(), Command::Pay), ".........x"),
        (&lost, ".........."),
    ];
    for (commands, row) in table {
        let game = play(commands);
        for (event, follows) in kinds.into_iter().zip(row.chars()) {
            let at_once = game.apply(Recorded { at: T0, event }).is_ok();
            let at_the_end = game.apply(Recorded { at: T0.finish_before(), event }).is_ok();
            let state = game.state();
            assert_eq!(at_once, follows == 'x', "{state:?}, {event:?}");
            // Once the 30 days have ended, a running game only expires; what is not running does not care.
            let late = if game.is_running() { follows == 'e' } else { follows == 'x' && event != start };
            assert_eq!(at_the_end, late, "{state:?}, {event:?}, late");
        }
    }
}
