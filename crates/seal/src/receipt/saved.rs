//! The receipts of a saved game: the member `receipts` beside a transcript's own.

use core::fmt;

use rules::{Amount, Misfit, TicketNumber, Timestamp, Unfinished};

use super::keys::{from_ms, to_ms};
use super::{Chain, Done, KeyId, PublicKey, PublishedKeys, Receipt, Signature, Signed, Statement};
use crate::hash::{from_hex, to_hex};
use crate::json::{Json, Writer};
use crate::transcript::{Action, Outcome, Transcript};

/// The receipts of a game, and what of it no transcript tells but its statements hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipts {
    /// The ticket's printed number.
    pub number: TicketNumber,
    /// The emission's setting under which the game was started.
    pub unfinished: Unfinished,
    /// Over the opening.
    pub opening: Signed,
    /// Over each action, by its `seq`.
    pub actions: Vec<Receipt>,
    /// The keys that signed them, as the operator published them.
    pub keys: PublishedKeys,
}

/// Which receipt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The one given with the session.
    Opening,
    /// The one of the action with this `seq`.
    Action(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opening => f.write_str("the receipt of the session"),
            Self::Action(seq) => write!(f, "the receipt of the action with seq {seq}"),
        }
    }
}

/// The first receipt that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongReceipt {
    /// There are so many actions, and so many receipts.
    Count(usize, usize),
    /// Its action cannot have happened then.
    Step(usize, Misfit),
    /// No key of that name was published.
    Key(Place, KeyId),
    /// That key did not sign then.
    Period(Place, KeyId),
    /// The signature is not that key's, over that statement.
    Signature(Place, KeyId),
    /// Its 30 days left another gain than the emission's setting, as signed with the start, leaves.
    Setting,
}

impl fmt::Display for WrongReceipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(actions, receipts) => write!(f, "{actions} actions have {receipts} receipts"),
            Self::Step(seq, _) => {
                write!(f, "the action with seq {seq} cannot have happened at the time of its receipt")
            }
            Self::Key(place, key) => {
                write!(f, "{place} is signed by the key {key}, which is not among those published")
            }
            Self::Period(place, key) => write!(f, "{place} is signed by the key {key} outside of its time"),
            Self::Signature(place, key) => write!(f, "{place} does not bear the signature of the key {key}"),
            Self::Setting => {
                f.write_str("the gain after the 30 days is not what the signed setting of the emission leaves")
            }
        }
    }
}

/// The statements of a checked transcript's actions, in order, at these times; as many as there are times.
///
/// # Errors
/// The `seq` of the first action that cannot have happened then.
pub fn statements(
    transcript: &Transcript,
    number: TicketNumber,
    unfinished: Unfinished,
    times: impl IntoIterator<Item = Timestamp>,
) -> Result<Vec<Statement>, WrongReceipt> {
    let mut chain = Chain::new(transcript.sealed, number);
    let mut times = times.into_iter();
    // Loops rather than adapters: the page holds this code.
    let mut all = Vec::new();
    for done in done(transcript, unfinished) {
        let Some(at) = times.next() else { break };
        all.push(chain.next(at, done).map_err(|misfit| WrongReceipt::Step(all.len(), misfit))?);
    }
    Ok(all)
}

/// The player's actions in a transcript: a palier belongs to the pick before it.
fn done(transcript: &Transcript, unfinished: Unfinished) -> impl Iterator<Item = Done<'_>> {
    let actions = transcript.actions.iter().enumerate();
    actions.filter_map(move |(at, action)| {
        Some(match action {
            Action::Continue if at == 0 => Done::Started(&transcript.client_seed, unfinished),
            Action::Continue => Done::WentOn,
            Action::Quit => Done::Quit,
            Action::Pick(number, opening) => {
                let palier = match transcript.actions.get(at + 1) {
                    Some(Action::Palier(claim)) => Some((claim.multiplier, &claim.opening)),
                    _ => None,
                };
                Done::Picked(*number, opening, palier)
            }
            Action::Palier(_) => return None,
        })
    })
}

impl Receipts {
    /// Checks every receipt of a transcript that was checked before, against these keys (which the caller trusts), by this check of a signature. Gives
    /// the statements that were signed, the opening's first.
    ///
    /// # Errors
    /// The first receipt that does not hold.
    pub fn check(
        &self,
        transcript: &Transcript,
        keys: &PublishedKeys,
        verify: impl Fn(&PublicKey, &[u8], &Signature) -> bool,
    ) -> Result<Vec<Statement>, WrongReceipt> {
        let actions = done(transcript, self.unfinished).count();
        if actions != self.actions.len() {
            return Err(WrongReceipt::Count(actions, self.actions.len()));
        }
        let holds = |place, signed: &Signed, at: Option<Timestamp>, statement: &Statement| {
            let key = keys.get(signed.key).ok_or(WrongReceipt::Key(place, signed.key))?;
            if at.is_some_and(|at| !key.signs_at(at)) {
                return Err(WrongReceipt::Period(place, signed.key));
            }
            let genuine = verify(&key.public, statement.bytes(), &signed.signature);
            if genuine { Ok(()) } else { Err(WrongReceipt::Signature(place, signed.key)) }
        };
        let mut signed = vec![Statement::opening(&transcript.sealed, self.number)];
        holds(Place::Opening, &self.opening, None, &signed[0])?;
        let times = self.actions.iter().map(|receipt| receipt.at);
        signed.extend(statements(transcript, self.number, self.unfinished, times)?);
        for (seq, (receipt, statement)) in self.actions.iter().zip(&signed[1..]).enumerate() {
            holds(Place::Action(seq), &receipt.signed, Some(receipt.at), statement)?;
        }
        // A transcript alone does not know the setting: it holds with what either leaves.
        if transcript.outcome == Outcome::Expired {
            let ended = transcript.follow(Timestamp::from_millis(0), self.unfinished);
            let gain = ended.ok().and_then(|checker| checker.game().gain());
            if transcript.gain_eur != gain.map(Amount::eur) {
                return Err(WrongReceipt::Setting);
            }
        }
        Ok(signed)
    }

    /// Reads the member `receipts`.
    ///
    /// # Errors
    /// The name of the first member that is missing or not as the format says.
    pub fn read(json: &Json) -> Result<Self, &'static str> {
        let keys = PublishedKeys::read(json.get("keys")).map_err(|_| "keys")?;
        Ok(Self { keys, ..Self::read_without_keys(json)? })
    }

    /// The same, but for the keys: whoever asks for them elsewhere.
    ///
    /// # Errors
    /// The name of the first member that is missing or not as the format says.
    pub fn read_without_keys(json: &Json) -> Result<Self, &'static str> {
        let text = |name| json.get(name).and_then(Json::as_str);
        if json.get("version").and_then(Json::as_int) != Some(1) {
            return Err("version");
        }
        let actions = json.get("actions").and_then(Json::as_array).ok_or("actions")?;
        Ok(Self {
            number: text("ticket_number").and_then(|number| number.parse().ok()).ok_or("ticket_number")?,
            unfinished: match text("unfinished") {
                Some("no_gain") => Unfinished::NoGain,
                Some("last_palier") => Unfinished::LastPalier,
                _ => return Err("unfinished"),
            },
            opening: json.get("opening").and_then(Signed::read).ok_or("opening")?,
            actions: {
                let mut read = Vec::with_capacity(actions.len());
                for action in actions {
                    read.push(Receipt::read(action).ok_or("actions")?);
                }
                read
            },
            keys: PublishedKeys::default(),
        })
    }

    /// Writes the value of the member `receipts`.
    pub fn write(&self, w: &mut Writer) {
        w.object(|w| {
            w.key("version").int(1);
            w.key("ticket_number").string(&self.number.to_string());
            w.key("unfinished").string(match self.unfinished {
                Unfinished::NoGain => "no_gain",
                Unfinished::LastPalier => "last_palier",
            });
            self.opening.write(w.key("opening"));
            w.key("actions").array(|w| self.actions.iter().for_each(|receipt| receipt.write(w)));
            self.keys.write(w.key("keys"));
        });
    }

    /// Puts them beside the members of a transcript.
    #[must_use]
    pub fn beside(&self, transcript: &Transcript) -> String {
        let mut w = Writer::new();
        w.object(|w| self.write(w.key("receipts")));
        // Two objects made one: `{…` and `,…}`.
        let mut text = transcript.to_json();
        text.pop();
        [&text, ",", &w.finish()[1..]].concat()
    }
}

impl Signed {
    /// Reads `{key, signature}`; none where it is not as the format says.
    #[must_use]
    pub fn read(json: &Json) -> Option<Self> {
        Some(Self {
            key: json.get("key")?.as_str()?.parse().ok()?,
            signature: Signature(from_hex(json.get("signature")?.as_str()?).ok()?),
        })
    }

    /// Writes the same.
    pub fn write(&self, w: &mut Writer) {
        w.object(|w| self.write_members(w));
    }

    fn write_members(&self, w: &mut Writer) {
        w.key("key").string(&to_hex(&self.key.0));
        w.key("signature").string(&to_hex(&self.signature.0));
    }
}

impl Receipt {
    /// Reads `{at_ms, key, signature}`; none where it is not as the format says.
    #[must_use]
    pub fn read(json: &Json) -> Option<Self> {
        Some(Self { at: from_ms(json.get("at_ms")?)?, signed: Signed::read(json)? })
    }

    /// Writes the same.
    pub fn write(&self, w: &mut Writer) {
        w.object(|w| {
            w.key("at_ms").int(to_ms(self.at));
            self.signed.write_members(w);
        });
    }
}
