//! What many sealed games were, counted. Only integers are added up: any number of threads gives the same counts.

use std::sync::atomic::{AtomicU64, Ordering};

use rules::number::NUMBERS;
use rules::{Multiplier, Number, NumberSet, Palier, PotentialGain};
use seal::hash::{Bytes32, Keyed};
use seal::{ClientSeed, DrawKey, PlayersHalf, SealedGrid, TicketId};

/// How many layouts of 3 losing numbers among 30 there are.
pub(crate) const LAYOUTS: usize = 4060;
/// How many pairs of numbers there are.
pub(crate) const PAIRS: usize = 435;
/// How many games one worker plays at a time.
const PIECE: u64 = 1 << 12;

/// The counts of so many games.
pub(crate) struct Counts {
    /// How many.
    pub(crate) games: u64,
    /// By layout of the losing numbers, in lexicographic order.
    pub(crate) layouts: Vec<u64>,
    /// By losing number.
    pub(crate) numbers: Vec<u64>,
    /// By pair of numbers that lose together.
    pub(crate) pairs: Vec<u64>,
    /// By losing cell of the sealed grid, before the player's half.
    pub(crate) cells: Vec<u64>,
    /// ×3, by palier.
    pub(crate) threes: [u64; 4],
    /// ×3 at two paliers of one game, by pair of paliers.
    pub(crate) both_three: [u64; 6],
    /// The layout's first losing number in one game and in the next: 30 × 30 are too many for few games, so by thirds, 9 in all.
    pub(crate) successive: Vec<u64>,
}

impl Counts {
    fn new() -> Self {
        Self {
            games: 0,
            layouts: vec![0; LAYOUTS],
            numbers: vec![0; NUMBERS.into()],
            pairs: vec![0; PAIRS],
            cells: vec![0; NUMBERS.into()],
            threes: [0; 4],
            both_three: [0; 6],
            successive: vec![0; 9],
        }
    }

    fn add(&mut self, other: &Self) {
        self.games += other.games;
        let all = |counts: &mut [u64], more: &[u64]| counts.iter_mut().zip(more).for_each(|(c, m)| *c += m);
        all(&mut self.layouts, &other.layouts);
        all(&mut self.numbers, &other.numbers);
        all(&mut self.pairs, &other.pairs);
        all(&mut self.cells, &other.cells);
        all(&mut self.threes, &other.threes);
        all(&mut self.both_three, &other.both_three);
        all(&mut self.successive, &other.successive);
    }

    fn count(&mut self, game: &Drawn, before: Option<&Drawn>) {
        self.games += 1;
        let losing: Vec<usize> = game.losing.iter().map(Number::index).collect();
        if let [a, b, c] = losing[..] {
            self.layouts[layout(a, b, c)] += 1;
            for (x, y) in [(a, b), (a, c), (b, c)] {
                self.pairs[pair(x, y)] += 1;
            }
        }
        losing.iter().for_each(|number| self.numbers[*number] += 1);
        game.cells.iter().for_each(|cell| self.cells[usize::from(*cell)] += 1);
        let three = |i: usize| game.multipliers[i] == Multiplier::Three;
        for (i, count) in self.threes.iter_mut().enumerate() {
            *count += u64::from(three(i));
        }
        for (count, (i, j)) in self.both_three.iter_mut().zip([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]) {
            *count += u64::from(three(i) && three(j));
        }
        if let Some(before) = before {
            // The last number picked by anyone in the order of the grid tells nothing of the next game's.
            let third = |drawn: &Drawn| drawn.losing.iter().map(Number::index).sum::<usize>() % 3;
            self.successive[third(before) * 3 + third(game)] += 1;
        }
    }
}

/// One game's draw, both halves blended.
struct Drawn {
    losing: NumberSet,
    cells: [u8; 3],
    multipliers: [Multiplier; 4],
}

/// Draws game `number` of this seed from end to end: draw key, ticket, seal, commitment, the player's seed, the blend.
fn draw(seed: &Keyed, key: &DrawKey, number: u64) -> Drawn {
    let mut id = [0; 16];
    id.copy_from_slice(&seed.mac(&[b"ticket", &number.to_be_bytes()])[..16]);
    let gain = PotentialGain::Eur20;
    let grid = SealedGrid::new(&key.server_seed(TicketId(id)));
    let commitment = grid.commitment(TicketId(id), Some(gain));
    let player = PlayersHalf::new(&ClientSeed(seed.mac(&[b"client", &number.to_be_bytes()])), &commitment);
    let mut cells = (0..NUMBERS).filter(|cell| grid.is_losing(*cell));
    Drawn {
        losing: Number::all().filter(|n| grid.is_losing(player.cell(*n))).collect(),
        cells: std::array::from_fn(|_| cells.next().unwrap_or(0)),
        multipliers: Palier::ALL
            .map(|palier| seal::blend::multiplier(palier, gain, grid.share(palier), player.share(palier))),
    }
}

/// Draws so many games on so many threads. Every game is drawn from its number: the same seed gives the same counts.
pub(crate) fn count(games: u64, seed: Bytes32, threads: usize, done: &(dyn Fn(u64) + Sync)) -> Counts {
    let keyed = Keyed::new(&seed);
    let key = DrawKey(keyed.mac(&[b"draw key"]));
    let next = AtomicU64::new(0);
    let work = || {
        let mut counts = Counts::new();
        loop {
            let first = next.fetch_add(PIECE, Ordering::Relaxed);
            if first >= games {
                return counts;
            }
            let mut before = (first > 0).then(|| draw(&keyed, &key, first - 1));
            for number in first..games.min(first + PIECE) {
                let game = draw(&keyed, &key, number);
                counts.count(&game, before.as_ref());
                before = Some(game);
            }
            done(games.min(first + PIECE));
        }
    };
    let mut total = Counts::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).for_each(|counts| total.add(&counts));
    });
    total
}

/// The place of a layout 0 ≤ a < b < c ≤ 29 among all, 0 to 4059 (the combinatorial number system).
const fn layout(a: usize, b: usize, c: usize) -> usize {
    a + b * (b.saturating_sub(1)) / 2 + c * (c.saturating_sub(1)) * (c.saturating_sub(2)) / 6
}

/// The place of a pair 0 ≤ a < b ≤ 29 among all, 0 to 434.
const fn pair(a: usize, b: usize) -> usize {
    a + b * (b.saturating_sub(1)) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layout_and_each_pair_has_its_own_place() {
        let (mut layouts, mut pairs) = (vec![0; LAYOUTS], vec![0; PAIRS]);
        for c in 0..30 {
            for b in 0..c {
                pairs[pair(b, c)] += 1;
                (0..b).for_each(|a| layouts[layout(a, b, c)] += 1);
            }
        }
        assert!(layouts.iter().all(|n| *n == 1) && pairs.iter().all(|n| *n == 1));
    }

    #[test]
    fn the_counts_are_the_same_on_any_number_of_threads() {
        let of = |threads| count(10_000, [1; 32], threads, &|_| {});
        let (one, three) = (of(1), of(3));
        assert_eq!((one.games, one.successive.iter().sum::<u64>()), (10_000, 9_999));
        assert_eq!((one.layouts, one.pairs, one.threes), (three.layouts, three.pairs, three.threes));
        assert_eq!((one.successive, one.cells, one.both_three), (three.successive, three.cells, three.both_three));
    }
}
