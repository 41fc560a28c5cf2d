//! The lines of an audit log: one chain per server instance. What a line says and how it is chained is the caller's.

use std::fmt;

use super::shown_bytes;
use crate::Digest;

shown_bytes! {
    /// A server instance: whoever writes one chain.
    InstanceId(16)
}

/// A line of an audit log.
#[derive(Clone, PartialEq, Eq)]
pub struct AuditLine {
    /// Its text. Opaque here.
    pub bytes: Vec<u8>,
    /// Its place in the chain. Opaque here.
    pub hash: Digest,
}

impl fmt::Debug for AuditLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditLine").field("bytes", &self.bytes.len()).field("hash", &self.hash).finish()
    }
}

/// What became of lines that were to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditAppended {
    /// They are kept; the chain has so many lines now.
    Now(u64),
    /// The chain has so many lines, and not what was said; nothing was written.
    Moved(u64),
}

/// A chain, and where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditInstance {
    /// Whose.
    pub instance: InstanceId,
    /// How many lines it has, at least one; the next one's index.
    pub lines: u64,
    /// The hash of its last line.
    pub last: Digest,
}
