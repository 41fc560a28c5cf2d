//! What this browser keeps of a ticket, shared by its tabs: what was published before play, the seed it drew, and the action it is waiting for.

use protocol::GameView;
use rules::{Number, PotentialGain};
use seal::json::Writer;
use seal::{ClientSeed, Commitment, Json};

use crate::model::Failure;

/// The record of one ticket.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// What stage 1 gained, as it was first told.
    pub potential_gain: PotentialGain,
    /// What the server published, as it was first told.
    pub commitment: Commitment,
    /// The seed that this browser drew afterwards. Kept before it is sent, and never drawn again for this ticket.
    pub client_seed: Option<ClientSeed>,
    /// The seed of another browser with which the player confirmed having begun this game.
    pub elsewhere: Option<ClientSeed>,
    /// What the player did last, until its answer is here.
    pub pending: Option<Pending>,
    /// How many actions of the game this browser has seen proven: the game never goes back behind them.
    pub proven: u32,
    /// A proof failed here: said again each time the ticket is opened, whatever is told then. Its report is kept beside.
    pub failed: Option<Failure>,
}

/// An action that may or may not have reached the server. Sent again, it is the same to the letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// CONTINUER.
    GoOn(u32),
    /// A pick.
    Pick(u32, Number),
    /// QUITTER on a palier.
    Quit(u32),
}

impl Pending {
    /// The index of this action in its game.
    #[must_use]
    pub const fn seq(self) -> u32 {
        match self {
            Self::GoOn(seq) | Self::Pick(seq, _) | Self::Quit(seq) => seq,
        }
    }
}

impl Held {
    /// What is to be kept of a ticket that is seen for the first time.
    #[must_use]
    pub const fn first_seen(view: &GameView) -> Self {
        Self {
            potential_gain: view.potential_gain,
            commitment: view.commitment,
            client_seed: None,
            elsewhere: None,
            pending: None,
            proven: 0,
            failed: None,
        }
    }

    /// As it is stored.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut w = Writer::new();
        let seed = |seed: Option<ClientSeed>| seed.map(|seed| seed.to_hex());
        w.object(|w| {
            w.key("potential_gain_eur").int(self.potential_gain.eur().into());
            w.key("commitment").string(&self.commitment.to_hex());
            w.key("client_seed").string_or_null(seed(self.client_seed).as_deref());
            w.key("elsewhere").string_or_null(seed(self.elsewhere).as_deref());
            w.key("proven").int(self.proven.into());
            if let Some(failure) = self.failed {
                w.key("failed").string(failure.name());
                w.key("failed_at").int(failure.at().into());
            }
            if let Some(pending) = self.pending {
                w.key("seq").int(pending.seq().into());
                w.key("pending").string(match pending {
                    Pending::GoOn(_) => "continue",
                    Pending::Pick(..) => "pick",
                    Pending::Quit(_) => "quit",
                });
                if let Pending::Pick(_, number) = pending {
                    w.key("number").int(number.get().into());
                }
            }
        });
        w.finish()
    }

    /// Reads it back; none where this is no such record.
    #[must_use]
    pub fn from_json(text: &str) -> Option<Self> {
        let json = Json::parse(text).ok()?;
        let seed = |name| json.get(name).and_then(Json::as_str).and_then(|hex| ClientSeed::from_hex(hex).ok());
        let int = |name| json.get(name).and_then(Json::as_int);
        let seq = int("seq").and_then(|seq| u32::try_from(seq).ok());
        let number = int("number").and_then(|n| Number::new(u8::try_from(n).ok()?));
        let pending = match (json.get("pending").and_then(Json::as_str), seq, number) {
            (Some("continue"), Some(seq), _) => Some(Pending::GoOn(seq)),
            (Some("quit"), Some(seq), _) => Some(Pending::Quit(seq)),
            (Some("pick"), Some(seq), Some(number)) => Some(Pending::Pick(seq, number)),
            _ => None,
        };
        Some(Self {
            potential_gain: int("potential_gain_eur").and_then(PotentialGain::from_eur)?,
            commitment: json.get("commitment")?.as_str().and_then(|hex| Commitment::from_hex(hex).ok())?,
            client_seed: seed("client_seed"),
            elsewhere: seed("elsewhere"),
            pending,
            proven: int("proven").and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
            failed: json
                .get("failed")
                .and_then(Json::as_str)
                .and_then(|name| Failure::from_name(name, int("failed_at")?)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(pending: Option<Pending>) -> Held {
        Held {
            potential_gain: PotentialGain::Eur20,
            commitment: Commitment([7; 32]),
            client_seed: Some(ClientSeed([1; 32])),
            elsewhere: None,
            pending,
            proven: 3,
            failed: None,
        }
    }

    #[test]
    fn a_record_is_read_back_as_it_was_written() {
        let number = Number::new(30);
        for pending in [None, Some(Pending::GoOn(0)), Some(Pending::Quit(7)), number.map(|n| Pending::Pick(3, n))] {
            let held = held(pending);
            assert!(Held::from_json(&held.to_json()) == Some(held));
        }
        let failures = [
            Failure::Commitment,
            Failure::Game,
            Failure::Draw,
            Failure::Receipt,
            Failure::Unreadable,
            Failure::Palier(rules::Palier::Four),
        ];
        for failure in failures.into_iter().chain(Number::all().map(Failure::Number)) {
            let held = Held { failed: Some(failure), ..held(None) };
            assert!(Held::from_json(&held.to_json()) == Some(held), "{failure:?}");
        }
        let bare = Held { client_seed: None, elsewhere: Some(ClientSeed([2; 32])), ..held(None) };
        assert!(Held::from_json(&bare.to_json()) == Some(bare));
    }

    #[test]
    fn what_is_no_record_is_none_and_never_a_seed() {
        let text = held(None).to_json();
        for wrong in ["", "{}", "null", &text[1..], &text.replace("20", "21"), &text.replace("07", "7")] {
            assert!(Held::from_json(wrong).is_none(), "{wrong}");
        }
    }
}
