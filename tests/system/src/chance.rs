//! Chance for tests: reproducible from a number that is printed.

/// A small generator (xorshift64*): good enough to choose when to strike, and nothing else.
pub struct Chance(u64);

impl Chance {
    /// From the environment's `QOD_CHANCE`, else from the system; it prints which, for whoever needs the same again.
    #[must_use]
    pub fn new() -> Self {
        use std::hash::{BuildHasher as _, RandomState};
        let given = std::env::var("QOD_CHANCE").ok().and_then(|text| text.parse().ok());
        let start = given.unwrap_or_else(|| RandomState::new().hash_one("chance"));
        println!("QOD_CHANCE={start}");
        Self(start | 1)
    }

    /// Another generator, going its own way.
    #[must_use]
    pub fn branch(&mut self) -> Self {
        Self(self.next() | 1)
    }

    /// The next 64 bits.
    #[allow(clippy::should_implement_trait, reason = "it never ends, and is no iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// 0 to `below − 1`.
    pub fn below(&mut self, below: usize) -> usize {
        (self.next() >> 33) as usize % below
    }

    /// 32 bytes, as a player's seed.
    pub fn seed(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for eight in bytes.chunks_mut(8) {
            eight.copy_from_slice(&self.next().to_be_bytes());
        }
        bytes
    }

    /// In an order of its own.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

impl Default for Chance {
    fn default() -> Self {
        Self::new()
    }
}
