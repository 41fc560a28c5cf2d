//! Unbiased numbers from a keyed stream (sealed-grid-v1, "Primitives").

use crate::hash::{Bytes32, Keyed};

/// `stream(key, label)`: `HMAC(key, label || u32(0)) || HMAC(key, label || u32(1)) || …`, read as big-endian `u32` words.
pub struct Stream {
    labelled: Keyed,
    counter: u32,
    block: Bytes32,
    /// The next byte of the block; 32 once it is used up.
    at: usize,
}

impl Stream {
    /// The stream of that key and label, at its start.
    #[must_use]
    pub fn new(key: &Keyed, label: &[u8]) -> Self {
        Self { labelled: key.then(label), counter: 0, block: [0; 32], at: 32 }
    }

    /// The next word.
    pub fn word(&mut self) -> u32 {
        if self.at >= self.block.len() {
            self.block = self.labelled.mac(&[&self.counter.to_be_bytes()]);
            self.counter = self.counter.wrapping_add(1);
            self.at = 0;
        }
        let mut word = [0; 4];
        word.copy_from_slice(&self.block[self.at..self.at + 4]);
        self.at += 4;
        u32::from_be_bytes(word)
    }

    /// `uniform(n)` on this stream.
    pub fn uniform(&mut self, n: u32) -> u32 {
        uniform(n, || self.word())
    }

    /// `shuffle(n)` on this stream: the numbers 0 to `N − 1` in an unbiased order.
    pub fn shuffle<const N: usize>(&mut self) -> [u8; N] {
        const { assert!(N > 0 && N <= 256) };
        let mut order = core::array::from_fn(|i| i as u8);
        for i in (1..N).rev() {
            order.swap(i, self.uniform(i as u32 + 1) as usize);
        }
        order
    }
}

/// `uniform(n)`: 0 to `n − 1`, each equally likely, from uniform words; words at or above the last multiple of `n` are passed over, so that there is
/// no modulo bias. `n` is at least 1.
pub fn uniform(n: u32, mut word: impl FnMut() -> u32) -> u32 {
    let n = u64::from(n.max(1));
    let limit = (1 << 32) / n * n;
    loop {
        let x = u64::from(word());
        if x < limit {
            return (x % n) as u32;
        }
    }
}
