//! What `qod verify` says of the receipts beside a transcript, and of two saved games that contradict each other.

use std::fmt::Write as _;

use seal::json::Writer;
use seal::receipt::{PublishedKeys, Receipts, Statement, verify};
use seal::{Json, Transcript};

/// Receipts that hold.
pub(crate) struct Held {
    receipts: Receipts,
    /// The opening's first.
    statements: Vec<Statement>,
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
    let statements = receipts.check(transcript, keys.unwrap_or(&receipts.keys), verify);
    let statements = statements.map_err(|wrong| wrong.to_string())?;
    Ok(Some(Held { receipts, statements, trusted: keys.is_some() }))
}

/// What two saved games of one ticket come to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    /// One is the other's beginning, or the same.
    Agree,
    /// At this place each holds another statement, and both are signed.
    Contradict(String),
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
    Ok(match pairs.position(|(one, other)| one != other) {
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
        for key in self.receipts.keys.all() {
            let _ = writeln!(out, "  key {}, fingerprint {}", key.public.id(), key.public.fingerprint());
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
        out
    }

    /// The value of the member `receipts`.
    pub(crate) fn write(&self, w: &mut Writer) {
        w.object(|w| {
            w.key("actions").int(self.receipts.actions.len() as u64);
            w.key("keys_given").bool(self.trusted);
            w.key("keys").array(|w| {
                for key in self.receipts.keys.all() {
                    w.object(|w| {
                        w.key("id").string(&key.public.id().to_string());
                        w.key("fingerprint").string(&key.public.fingerprint());
                    });
                }
            });
        });
    }
}
