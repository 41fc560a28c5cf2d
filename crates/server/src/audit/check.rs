//! Whether an audit log is whole: nothing in it altered, left out, exchanged, or cut off before what is signed or named elsewhere.

use std::collections::BTreeMap;
use std::fmt;

use protocol::time::from_rfc3339;
use rules::Timestamp;
use seal::Json;
use seal::hash::{from_hex, to_hex};
use seal::receipt::{KeyId, PublishedKeys, Signature, verify};
use store::{Digest, InstanceId};

use super::chain::{Anchor, BEFORE_ALL, Kept, checkpoint, hash};

/// A chain that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Where it ends.
    pub end: Anchor,
    /// How many of its lines are signed. What comes after could be rewritten by whoever can write the database.
    pub signed: u64,
    /// It ends in good order: its process stopped by itself.
    pub stopped: bool,
}

/// The first thing that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrongAudit {
    /// The line with this index is missing: another one stands in its place.
    Missing(InstanceId, u64),
    /// The line's hash is not that of its text and of the line before.
    Altered(InstanceId, u64),
    /// The line is none.
    Malformed(InstanceId, u64),
    /// The checkpoint is not signed by a published key of its time, over the lines before it.
    Unsigned(InstanceId, u64, KeyId),
    /// The chain is gone, or had other or more lines when that was noted.
    Cut(Anchor),
}

impl fmt::Display for WrongAudit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = |instance: &InstanceId| to_hex(&instance.0);
        match self {
            Self::Missing(chain, n) => write!(f, "chain {}: line {n} is missing, or lines are exchanged", id(chain)),
            Self::Altered(chain, n) => write!(f, "chain {}: line {n}, or the one before it, was altered", id(chain)),
            Self::Malformed(chain, n) => write!(f, "chain {}: line {n} is no line of an audit log", id(chain)),
            Self::Unsigned(chain, n, key) => {
                write!(
                    f,
                    "chain {}: the checkpoint on line {n} does not bear the signature of the key {key}",
                    id(chain)
                )
            }
            Self::Cut(Anchor { instance, lines, .. }) => {
                write!(
                    f,
                    "chain {}: it had {lines} lines once, and they are no longer there as they were",
                    id(instance)
                )
            }
        }
    }
}

/// Checks whole chains, line by line in the order given, against the published keys and what was noted elsewhere. With `alone`, chains that are named
/// but not given are passed over.
///
/// # Errors
/// The first thing that does not hold.
pub fn check(
    lines: impl IntoIterator<Item = Kept>,
    keys: &PublishedKeys,
    noted: &[Anchor],
    alone: bool,
) -> Result<Vec<Checked>, WrongAudit> {
    let mut chains: BTreeMap<[u8; 16], Walk> = BTreeMap::new();
    let mut named = noted.to_vec();
    for kept in lines {
        let walk = chains.entry(kept.instance.0).or_insert_with(|| Walk::new(kept.instance));
        walk.step(&kept, keys, &mut named)?;
    }
    for anchor in named {
        match chains.get(&anchor.instance.0) {
            Some(walk) if walk.stood(&anchor) => {}
            None if alone && !noted.contains(&anchor) => {}
            _ => return Err(WrongAudit::Cut(anchor)),
        }
    }
    Ok(chains.into_values().map(|walk| walk.done()).collect())
}

struct Walk {
    instance: InstanceId,
    hashes: Vec<Digest>,
    signed: u64,
    stopped: bool,
}

impl Walk {
    const fn new(instance: InstanceId) -> Self {
        Self { instance, hashes: Vec::new(), signed: 0, stopped: false }
    }

    fn last(&self) -> Digest {
        self.hashes.last().copied().unwrap_or(BEFORE_ALL)
    }

    fn step(&mut self, kept: &Kept, keys: &PublishedKeys, named: &mut Vec<Anchor>) -> Result<(), WrongAudit> {
        let n = self.hashes.len() as u64;
        if kept.n != n {
            return Err(WrongAudit::Missing(self.instance, n));
        }
        if hash(self.instance, n, self.last(), &kept.line.bytes) != kept.line.hash {
            return Err(WrongAudit::Altered(self.instance, n));
        }
        let malformed = WrongAudit::Malformed(self.instance, n);
        let text = std::str::from_utf8(&kept.line.bytes).ok();
        let json = text.and_then(|text| Json::parse(text).ok()).ok_or_else(|| malformed.clone())?;
        let at = json.get("at").and_then(Json::as_str).and_then(from_rfc3339);
        let kind = json.get("kind").and_then(Json::as_str);
        let (Some(at), Some(kind), true) = (at, kind, json.get("n").and_then(Json::as_int) == Some(n)) else {
            return Err(malformed);
        };
        match kind {
            "start" => named.extend(before(&json).ok_or(malformed)?),
            "checkpoint" => {
                let (key, signature) = signed(&json).ok_or(malformed)?;
                if !self.holds(keys, at, key, &signature) {
                    return Err(WrongAudit::Unsigned(self.instance, n, key));
                }
                self.signed = n;
            }
            _ => {}
        }
        // A checkpoint after the last line says nothing new.
        self.stopped = kind == "stop" || self.stopped && kind == "checkpoint";
        self.hashes.push(kept.line.hash);
        Ok(())
    }

    fn holds(&self, keys: &PublishedKeys, at: Timestamp, key: KeyId, signature: &Signature) -> bool {
        let message = checkpoint(self.instance, self.hashes.len() as u64, self.last());
        keys.get(key).is_some_and(|key| key.signs_at(at) && verify(&key.public, &message, signature))
    }

    fn stood(&self, anchor: &Anchor) -> bool {
        let at = usize::try_from(anchor.lines).ok().and_then(|lines| lines.checked_sub(1));
        at.and_then(|at| self.hashes.get(at)) == Some(&anchor.last)
    }

    fn done(self) -> Checked {
        let end = Anchor { instance: self.instance, lines: self.hashes.len() as u64, last: self.last() };
        Checked { end, signed: self.signed, stopped: self.stopped }
    }
}

/// Where the chains before it ended, as a chain's first line says.
fn before(json: &Json) -> Option<Vec<Anchor>> {
    let chains = json.get("before")?.as_array()?.iter().map(|chain| {
        Some(Anchor {
            instance: InstanceId(from_hex(chain.get("instance")?.as_str()?).ok()?),
            lines: chain.get("lines")?.as_int()?,
            last: Digest(from_hex(chain.get("last")?.as_str()?).ok()?),
        })
    });
    chains.collect()
}

fn signed(json: &Json) -> Option<(KeyId, Signature)> {
    let key = json.get("key")?.as_str()?.parse().ok()?;
    Some((key, Signature(from_hex(json.get("signature")?.as_str()?).ok()?)))
}
