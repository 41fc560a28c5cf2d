//! The chain: how a line is written, hashed and signed.

use protocol::time::to_rfc3339;
use rules::Timestamp;
use seal::hash::{Bytes32, sha256, to_hex};
use seal::json::Writer;
use seal::receipt::Signed;
use store::{AuditLine, Digest, InstanceId};

use super::{Entry, write};

/// What the first line of a chain follows.
pub(super) const BEFORE_ALL: Digest = Digest([0; 32]);

/// A line of an instance's chain, as it is kept or exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Whose chain.
    pub instance: InstanceId,
    /// Its index in it.
    pub n: u64,
    /// Its text and its hash.
    pub line: AuditLine,
}

/// Where a chain stood: whoever noted it can tell whether it was cut or rewritten since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Whose chain.
    pub instance: InstanceId,
    /// How many lines it had.
    pub lines: u64,
    /// The hash of the last of them.
    pub last: Digest,
}

/// `H("qod/1 audit line" || instance || u64(n) || hash of the line before || line)`.
pub(super) fn hash(instance: InstanceId, n: u64, before: Digest, line: &[u8]) -> Digest {
    Digest(sha256(&[b"qod/1 audit line", &instance.0, &n.to_be_bytes(), &before.0, line]))
}

/// What a checkpoint signs: that the chain has so many lines, the last with this hash.
pub(super) fn checkpoint(instance: InstanceId, lines: u64, last: Digest) -> Vec<u8> {
    [b"qod/1 audit checkpoint", &instance.0[..], &lines.to_be_bytes(), &last.0].concat()
}

/// A chain that is being written.
pub(super) struct Chain {
    pub(super) instance: InstanceId,
    pub(super) lines: u64,
    pub(super) last: Digest,
}

impl Chain {
    /// The next line, of this event.
    pub(super) fn next(&mut self, at: Timestamp, entry: &Entry) -> AuditLine {
        self.line(at, entry.kind.name(), |w| write(&entry.members, w))
    }

    /// The next line, which signs all lines before it.
    pub(super) fn checkpoint(&mut self, at: Timestamp, sign: impl FnOnce(&[u8]) -> Signed) -> AuditLine {
        let signed = sign(&checkpoint(self.instance, self.lines, self.last));
        self.line(at, "checkpoint", |w| {
            w.key("key").string(&signed.key.to_string());
            w.key("signature").string(&to_hex(&signed.signature.0));
        })
    }

    fn line(&mut self, at: Timestamp, kind: &str, members: impl FnOnce(&mut Writer)) -> AuditLine {
        let mut w = Writer::new();
        w.object(|w| {
            w.key("n").int(self.lines);
            w.key("at").string(&to_rfc3339(at));
            w.key("kind").string(kind);
            members(w);
        });
        let bytes = w.finish().into_bytes();
        self.last = hash(self.instance, self.lines, self.last, &bytes);
        self.lines += 1;
        AuditLine { bytes, hash: self.last }
    }

    pub(super) const fn anchor(&self) -> Anchor {
        Anchor { instance: self.instance, lines: self.lines, last: self.last }
    }
}

impl Kept {
    /// As it is exported: instance, index and hash, then the line as it is, with a space between each.
    #[must_use]
    pub fn export(&self) -> Vec<u8> {
        let head = format!("{} {} {} ", to_hex(&self.instance.0), self.n, to_hex(&self.line.hash.0));
        [head.as_bytes(), &self.line.bytes, b"\n"].concat()
    }

    /// Reads an exported line, without its end; none where it is none.
    #[must_use]
    pub fn import(line: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(line).ok()?;
        let mut words = text.splitn(4, ' ');
        let instance = InstanceId(seal::hash::from_hex(words.next()?).ok()?);
        let n = words.next()?;
        let hash: Bytes32 = seal::hash::from_hex(words.next()?).ok()?;
        let line = AuditLine { bytes: words.next()?.as_bytes().to_vec(), hash: Digest(hash) };
        // A number in one way only.
        let index = n.parse().ok().filter(|index: &u64| index.to_string() == n)?;
        Some(Self { instance, n: index, line })
    }
}
