//! What `scripts/bench` measures in Wasm, built as the page is: a library with one function, called from JavaScript, without any import.
#![allow(clippy::unwrap_used, missing_docs, reason = "a bench may stop")]

use std::hint::black_box;

use rules::PotentialGain;
use seal::opening::Sealed;
use seal::{DrawKey, SealedGrid, TicketId};

/// Seals one grid and verifies its 30 cells in turn, so many openings in all; gives how many held and were good: 27 of 30.
#[allow(unsafe_code, reason = "JavaScript calls it by this name, which is given once")]
#[unsafe(no_mangle)]
pub extern "C" fn verify_openings(count: u32) -> u32 {
    let (ticket, potential_gain) = (TicketId([5; 16]), PotentialGain::Eur20);
    let grid = SealedGrid::new(&DrawKey([6; 32]).server_seed(ticket));
    let sealed = Sealed { ticket, potential_gain, commitment: grid.commitment(ticket, Some(potential_gain)) };
    let openings: Vec<_> = (0..30).map(|cell| grid.open(cell).unwrap()).collect();
    let cells = (0..30).cycle().zip(openings.iter().cycle()).take(count as usize);
    let good =
        cells.filter(|(cell, opening)| black_box(*opening).cell(black_box(&sealed), *cell) == Ok(rules::Nature::Good));
    good.count() as u32
}
