//! How fast the draw and the rules are on one core, as rates and as ratios to what they are made of: `cargo bench -p seal`.
//! `scripts/bench` measures one opening in Wasm besides.
//!
//! Each figure is the fastest of several runs, since what else a machine does only adds. Nothing is asserted: a machine's speed is no property of the code.
#![allow(missing_docs, clippy::float_arithmetic, clippy::unwrap_used, reason = "a bench reports figures and may stop")]

mod games;

use std::hint::black_box;
use std::time::Instant;

use games::{Answered, Dealt, Plain, plain_game};
use rules::{Nature, Number, Stop};
use seal::{ClientSeed, Commitment, PlayersHalf, TicketId};
use sha2::{Digest as _, Sha256};

/// SHA-256 compressions of one commitment from its draw key: 4 for the server seed, 2 for its key, 10 for its streams (words passed over add a
/// few in a million), 68 for 34 nonces, 34 for the leaves, 66 for 33 nodes of two blocks each, 2 for the commitment.
const COMMITMENT: u32 = 4 + 2 + 10 + 68 + 34 + 66 + 2;
/// Of a player's half: 2 for the key, 8 for the 29 words of the shuffle, 2 for the four shares.
const PLAYERS_HALF: u32 = 2 + 8 + 2;
/// Of an opening: 1 for the leaf, 12 for six nodes, 2 for the commitment.
const OPENING: u32 = 1 + 12 + 2;

fn main() {
    let block = {
        let text = vec![5u8; 64 * 4096];
        // One more block for the padding.
        per_item(4097, || black_box(Sha256::digest(black_box(&text)))[0].into())
    };
    report("one SHA-256 compression (64 KiB at a time)", block, None);
    let compressions = |n: u32, cost: f64| Some(("its bare compressions", cost / (block * f64::from(n))));

    let mut serial = 0u64;
    let mut ticket = || {
        serial += 1;
        let mut id = [0; 16];
        id[..8].copy_from_slice(&serial.to_be_bytes());
        TicketId(id)
    };
    let commit = per_item(2000, || (0..2000).map(|_| u64::from(Dealt::new(ticket()).sealed.commitment.0[0])).sum());
    report("a game committed", commit, compressions(COMMITMENT, commit));
    let of_commitment = |cost: f64| Some(("its commitment", cost / commit));

    let blend = per_item(2000, || {
        (0..2000u64)
            .map(|i| {
                let half = PlayersHalf::new(&ClientSeed([i as u8; 32]), &Commitment([i.wrapping_mul(31) as u8; 32]));
                u64::from(half.cell(Number::new(1).unwrap()))
            })
            .sum()
    });
    report("a game blended with its player's half", blend, compressions(PLAYERS_HALF, blend));

    let dealt: Vec<Dealt> = (0..500).map(|_| Dealt::new(ticket())).collect();
    let play = per_item(500, || dealt.iter().map(|game| game.play().picks).sum());
    report("a game played by its server, with its openings", play, of_commitment(play));
    let answers: Vec<Answered> = dealt.iter().map(Dealt::play).collect();
    let verify = per_item(500, || dealt.iter().zip(&answers).map(|(game, answers)| game.verify(answers)).sum());
    report("a game verified by its player, with its reveal", verify, of_commitment(verify));
    let whole = per_item(500, || {
        let game = |_| {
            let dealt = Dealt::new(ticket());
            dealt.verify(&dealt.play())
        };
        (0..500).map(game).sum()
    });
    report("a whole game: all four", whole, of_commitment(whole));

    let (opening, sealed) = (dealt[0].grid.open(7).unwrap(), &dealt[0].sealed);
    let open = per_item(20_000, || {
        (0..20_000).map(|_| u64::from(black_box(&opening).cell(black_box(sealed), 7) == Ok(Nature::Good))).sum()
    });
    report("one opening verified", open, compressions(OPENING, open));

    let draws = Plain::many(200_000);
    let plain = |stop| per_item(200_000, || draws.iter().map(|draw| plain_game(draw, stop)).sum());
    report("a game by the plain rules, always going on", plain(None), None);
    report("a game by the plain rules, stopping on palier 1", plain(Some(Stop::One)), None);
}

/// Nanoseconds per item: the fastest of 20 runs.
fn per_item(items: u32, mut run: impl FnMut() -> u64) -> f64 {
    let mut time = || {
        let start = Instant::now();
        black_box(run());
        start.elapsed().as_secs_f64() * 1e9 / f64::from(items)
    };
    (0..20).map(|_| time()).fold(f64::INFINITY, f64::min)
}

fn report(what: &str, nanoseconds: f64, ratio: Option<(&str, f64)>) {
    let rate = 1e9 / nanoseconds;
    let ratio = ratio.map_or(String::new(), |(to, ratio)| format!("  {ratio:.2} × {to}"));
    println!("{what:<50} {nanoseconds:>10.1} ns {rate:>12.0} /s{ratio}");
}
