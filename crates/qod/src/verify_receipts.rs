//! What `qod verify` says of the receipts beside a transcript, and of two saved games that contradict each other.

use std::fmt::Write as _;

use seal::json::Writer;
use seal::receipt::{PublicKey, PublishedKeys, Receipts, Statement, verify};
use seal::transcript::Outcome;
use seal::{Json, Transcript};

/// Receipts that hold.
pub(crate) struct Held {
    receipts: Receipts,
    /// The opening's first.
    statements: Vec<Statement>,
    /// Whose signatures they are, in the order in which they first signed.
    signers: Vec<PublicKey>,
    /// No action of the player ended the game: its end bears no signature.
    end_unsigned: bool,
    /// The keys were given by whoever asks, rather than taken from the file.
    trusted: bool,
}

/// Checks the receipts of a file whose transcript was checked: with these keys, or with those that the file names. None where it has none.
///
/// # Errors
/// What does not hold, in words.
pub(crate) fn check(text: &str, transcript: &Transcript, keys: Option<&PublishedKeys>) -> Result<Option<Held>, String> {
    let json = Json::parse(text).map_err(|error| error.to_string())?;
    let Some(member) = json.get("receipts") else {
        return match keys {
            Some(_) => Err("the file has no receipts: there is nothing to check with --keys".to_owned()),
            None => Ok(None),
        };
    };
    let read = Receipts::read(member);
    let receipts = read.map_err(|name| format!("receipts: \"{name}\" is missing or not as the format says"))?;
    let used = keys.unwrap_or(&receipts.keys);
    let statements = receipts.check(transcript, used, verify).map_err(|wrong| wrong.to_string())?;
    let mut signers = Vec::new();
    for signed in std::iter::once(&receipts.opening).chain(receipts.actions.iter().map(|receipt| &receipt.signed)) {
        let signer = used.get(signed.key).map(|key| key.public);
        signers.extend(signer.filter(|signer| !signers.contains(signer)));
    }
    let end_unsigned = matches!(transcript.outcome, Outcome::Expired | Outcome::Void);
    Ok(Some(Held { receipts, statements, signers, end_unsigned, trusted: keys.is_some() }))
}

/// What two saved games of one ticket come to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    /// One is the other's beginning, or the same.
    Agree,
    /// At this place each holds another statement, and both are signed.
    Contradict(String),
    /// After the action with this seq one game ends without a signature, where the other goes on, signed: the end is false.
    FalseEnd(usize),
}

/// Compares the receipts of two saved games.
///
/// # Errors
/// They are of two tickets.
pub(crate) fn compare(one: (&Transcript, &Held), other: (&Transcript, &Held)) -> Result<Compared, String> {
    if one.0.sealed.ticket != other.0.sealed.ticket {
        return Err("the two files are of different tickets".to_owned());
    }
    let mut pairs = one.1.statements.iter().zip(&other.1.statements);
    let (shorter, longer) =
        if one.1.statements.len() <= other.1.statements.len() { (one.1, other.1) } else { (other.1, one.1) };
    let cut = shorter.end_unsigned && shorter.statements.len() < longer.statements.len();
    Ok(match pairs.position(|(one, other)| one != other) {
        None if cut => Compared::FalseEnd(shorter.receipts.actions.len().saturating_sub(1)),
        None => Compared::Agree,
        Some(0) => Compared::Contradict("what was sealed".to_owned()),
        Some(place) => Compared::Contradict(format!("the action with seq {}", place - 1)),
    })
}

impl Held {
    /// In plain words.
    pub(crate) fn account(&self) -> String {
        let mut out = String::new();
        let count = self.receipts.actions.len();
        let _ = writeln!(
            out,
            "SIGNED: the session and {count} actions bear the operator's signatures, each chained to the one before, by:"
        );
        for key in &self.signers {
            let _ = writeln!(out, "  key {}, fingerprint {}", key.id(), key.fingerprint());
        }
        let _ = writeln!(
            out,
            "{}",
            if self.trusted {
                "(All of them are in the list of keys that you gave.)"
            } else {
                "(These keys come with the file: compare them with those that the operator publishes, or give their list by --keys.)"
            }
        );
        if self.end_unsigned {
            let _ = writeln!(
                out,
                "(Its end is NOT signed: no action of the player brought it. Any game that was cut before its end could be given such a one.)"
            );
        }
        out
    }

    /// The value of the member `receipts`.
    pub(crate) fn write(&self, w: &mut Writer) {
        w.object(|w| {
            w.key("actions").int(self.receipts.actions.len() as u64);
            w.key("keys_given").bool(self.trusted);
            w.key("end_signed").bool(!self.end_unsigned);
            w.key("keys").array(|w| {
                for key in &self.signers {
                    w.object(|w| {
                        w.key("id").string(&key.id().to_string());
                        w.key("fingerprint").string(&key.fingerprint());
                    });
                }
            });
        });
    }
}
