//! Any sequence of commands at any times under any settings: the laws of the fold hold.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use rules::game::VoidReason;
use rules::{
    Amount, Command, Event, Game, Multiplier, Nature, Number, NumberSet, Outcomes, Palier, PotentialGain, Terms,
    Timestamp, Unfinished, allowed, decide,
};

#[derive(Arbitrary, Debug)]
struct Play {
    gain: u8,
    losing: [u8; 3],
    threes: [bool; 4],
    start_before: Option<i32>,
    last_palier: bool,
    suspended: bool,
    pay_before: Option<i32>,
    steps: Vec<(u8, u8, i32)>,
}

struct Draw {
    losing: NumberSet,
    multipliers: [Multiplier; 4],
}

impl Outcomes for Draw {
    fn nature(&self, number: Number) -> Nature {
        if self.losing.contains(number) { Nature::Losing } else { Nature::Good }
    }
    fn multiplier(&self, palier: Palier) -> Multiplier {
        self.multipliers[palier.index()]
    }
}

fn number(n: u8) -> Number {
    Number::new(n % 30 + 1).unwrap()
}

fuzz_target!(|play: Play| {
    let gain = PotentialGain::ALL[usize::from(play.gain) % PotentialGain::ALL.len()];
    let instant = |at: i32| Timestamp::from_millis(i64::from(at) * 1000);
    let terms = Terms {
        start_before: play.start_before.map(instant),
        unfinished: if play.last_palier { Unfinished::LastPalier } else { Unfinished::NoGain },
        suspended: play.suspended,
        pay_before: play.pay_before.map(instant),
    };
    let three = |three: bool| if three && !gain.always_doubles() { Multiplier::Three } else { Multiplier::Two };
    let draw = Draw { losing: play.losing.map(number).into_iter().collect(), multipliers: play.threes.map(three) };
    let mut game = Game::new(gain);
    let mut events = Vec::new();
    for (kind, n, at) in play.steps {
        let command = match kind % 9 {
            0 => Command::Continue,
            1..=3 => Command::Pick(number(n)),
            4 => Command::Quit,
            5 => Command::Expire,
            6 => Command::Void(VoidReason::Malfunction),
            7 => Command::Pay,
            _ => Command::ReversePayment,
        };
        let permitted = allowed(&game, &command, &terms, instant(at));
        match decide(&game, command, &terms, instant(at), &draw) {
            Err(refusal) => assert_eq!(permitted, Err(refusal)),
            Ok(recorded) => {
                assert_eq!(permitted, Ok(()));
                if game.is_over() {
                    assert!(matches!(recorded.event, Event::Paid | Event::PaymentReversed));
                }
                game = game.apply(recorded).unwrap();
                events.push(recorded);
            }
        }
        assert!(game.acquired() <= Amount::LARGEST_GAIN);
        assert!(game.found() <= 18 && game.picks().count() == game.picked().len() as usize);
    }
    assert_eq!(Game::fold(gain, events), Ok(game));
});
