//! How fast the draw and the rules are on one core, as ratios to what they are made of: `cargo bench -p seal`.
//!
//! Each figure is the median of several runs. Nothing is asserted: a machine's speed is no property of the code.
#![allow(missing_docs, clippy::float_arithmetic, clippy::unwrap_used, reason = "a bench reports figures and may stop")]

use std::hint::black_box;
use std::time::Instant;

use rules::{
    Amount, Command, Game, Multiplier, Nature, Number, NumberSet, Outcomes, Palier, PotentialGain, State, Terms,
    Timestamp, Unfinished, decide,
};
use seal::check::PalierClaim;
use seal::opening::{Sealed, palier_leaf};
use seal::{Blend, Checker, ClientSeed, Commitment, DrawKey, PlayersHalf, SealedGrid, TicketId};
use sha2::{Digest as _, Sha256};

/// SHA-256 compressions of one commitment from its draw key: 4 for the server seed, 2 for its key, 10 for its streams (words passed over add a
/// few in a million), 68 for 34 nonces, 34 for the leaves, 66 for 33 nodes of two blocks each, 2 for the commitment.
const COMPRESSIONS: u32 = 4 + 2 + 10 + 68 + 34 + 66 + 2;

const GAIN: PotentialGain = PotentialGain::Eur20;
const KEY: DrawKey = DrawKey([7; 32]);

fn main() {
    let block = {
        let text = vec![5u8; 64 * 4096];
        // One more block for the padding.
        per_item(4097, || black_box(Sha256::digest(black_box(&text)))[0].into())
    };
    report("one SHA-256 compression (64 KiB at a time)", block, None);
    let bare = block * f64::from(COMPRESSIONS);

    let mut serial = 0u64;
    let mut ticket = || {
        serial += 1;
        let mut id = [0; 16];
        id[..8].copy_from_slice(&serial.to_be_bytes());
        TicketId(id)
    };
    let commit = per_item(2000, || (0..2000).map(|_| sealed(ticket()).1.commitment.0[0]).map(u64::from).sum());
    report("a game committed", commit, Some(("bare compressions", commit / bare)));
    let blend = per_item(2000, || {
        (0..2000u64)
            .map(|i| {
                let half = PlayersHalf::new(&ClientSeed([i as u8; 32]), &Commitment([i.wrapping_mul(31) as u8; 32]));
                u64::from(half.cell(Number::new(1).unwrap()))
            })
            .sum()
    });
    report("a player's half", blend, None);
    let whole = per_item(500, || (0..500).map(|_| played_and_checked(ticket())).sum());
    report("a game committed, blended, played and verified", whole, Some(("its commitment", whole / commit)));

    let (grid, sealed) = sealed(ticket());
    let opening = grid.open(7).unwrap();
    let open = per_item(20_000, || {
        (0..20_000).map(|_| u64::from(black_box(&opening).cell(black_box(&sealed), 7) == Ok(Nature::Good))).sum()
    });
    report("an opening verified", open, Some(("15 compressions", open / (block * 15.0))));

    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let plain = per_item(200_000, || (0..200_000).map(|_| plain_game(&mut random)).sum());
    report("a game by the plain rules", plain, None);
}

/// Nanoseconds per item: the median of 15 runs, after two that are not counted.
fn per_item(items: u32, mut run: impl FnMut() -> u64) -> f64 {
    let mut times: Vec<f64> = (0..17)
        .map(|_| {
            let start = Instant::now();
            black_box(run());
            start.elapsed().as_secs_f64() * 1e9 / f64::from(items)
        })
        .skip(2)
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn report(what: &str, nanoseconds: f64, ratio: Option<(&str, f64)>) {
    let rate = 1e9 / nanoseconds;
    let ratio = ratio.map_or(String::new(), |(to, ratio)| format!("  {ratio:.2} × {to}"));
    println!("{what:<52} {nanoseconds:>10.1} ns {rate:>12.0} /s{ratio}");
}

fn sealed(ticket: TicketId) -> (SealedGrid, Sealed) {
    let grid = SealedGrid::new(&KEY.server_seed(ticket));
    let commitment = grid.commitment(ticket, Some(GAIN));
    (grid, Sealed { ticket, potential_gain: GAIN, commitment })
}

/// A whole game as a server and a page play it, going on at every palier; gives how many numbers were picked.
fn played_and_checked(ticket: TicketId) -> u64 {
    let (grid, sealed) = sealed(ticket);
    let seed = ClientSeed(sealed.commitment.0);
    let player = PlayersHalf::new(&seed, &sealed.commitment);
    let blend = Blend { sealed: &grid, player: &player, potential_gain: GAIN };
    let mut checker = Checker::start(sealed, &seed, Timestamp::from_millis(0), Unfinished::NoGain).unwrap();
    let mut gain = GAIN.amount();
    for number in Number::all() {
        if matches!(checker.game().state(), State::OnPalier(_)) {
            checker.go_on().unwrap();
        }
        let State::Picking(palier) = checker.game().state() else { break };
        let opening = grid.open(player.cell(number)).unwrap();
        let completes = blend.nature(number) == Nature::Good && checker.game().found() + 1 == palier.found_in_all();
        let claim = completes.then(|| {
            let multiplier = blend.multiplier(palier);
            gain = gain.times(multiplier);
            let opening = grid.open(palier_leaf(palier)).unwrap();
            PalierClaim { palier, multiplier, gain_eur: Amount::eur(gain), opening }
        });
        checker.pick(number, &opening, claim.as_ref()).unwrap();
    }
    checker.reveal(&KEY.server_seed(ticket)).unwrap();
    checker.game().picks().count() as u64
}

struct Plain(NumberSet);

impl Outcomes for Plain {
    fn nature(&self, number: Number) -> Nature {
        if self.0.contains(number) { Nature::Losing } else { Nature::Good }
    }
    fn multiplier(&self, _: Palier) -> Multiplier {
        Multiplier::Two
    }
}

/// A whole game of decided and applied events, always going on.
fn plain_game(random: &mut u64) -> u64 {
    let mut losing = NumberSet::EMPTY;
    while losing.len() < 3 {
        // xorshift64: quick, and good enough to choose what a bench plays.
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        losing = Number::new((*random % 30) as u8 + 1).map_or(losing, |n| losing.with(n));
    }
    let (draw, terms, now) = (Plain(losing), Terms::default(), Timestamp::from_millis(0));
    let mut game = Game::new(GAIN);
    let mut numbers = Number::all();
    loop {
        let command = match game.state() {
            State::NotStarted | State::OnPalier(_) => Command::Continue,
            State::Picking(_) => Command::Pick(numbers.next().unwrap()),
            _ => return game.gain().unwrap().eur(),
        };
        game = game.apply(decide(&game, command, &terms, now, &draw).unwrap()).unwrap();
    }
}
