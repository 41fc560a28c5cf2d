//! What a player sent and was told, to be held against the servers at the end: each action is sent once more, and must get
//! the very same answer. An action that was never answered may have been done or not; nothing else may.

/// One action, as it was sent.
#[derive(Clone)]
pub(crate) struct Sent {
    /// Where to.
    pub(crate) path: &'static str,
    /// With which body.
    pub(crate) body: String,
    /// The digest of the answer's body.
    pub(crate) answer: u64,
}

/// A game, as its player knows it.
pub(crate) struct Journal {
    /// Its session.
    pub(crate) token: String,
    /// What was answered with 200, in order.
    pub(crate) sent: Vec<Sent>,
}

/// A digest of an answer: FNV-1a, since only chance can make two of them equal here.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
