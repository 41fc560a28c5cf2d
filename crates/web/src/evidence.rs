//! What a player can save where something does not hold, or where another seed was used.

use protocol::GameView;
use rules::TicketNumber;
use seal::Transcript;
use seal::json::Writer;

use crate::held::Held;

/// The name of the file: the game to verify (« preuve »), or the report of what does not hold (« constat »).
#[must_use]
pub fn file_name(number: TicketNumber, is_report: bool) -> String {
    let kind = if is_report { "-constat" } else { "-preuve" };
    ["quitte-ou-double-", &number.to_string(), kind, ".json"].concat()
}

/// The game as it is saved, as far as it was checked, and beside it what this browser holds and the answer that does not hold, as it came. A checker of
/// transcripts reads it as one: other members may stand beside its own.
#[must_use]
pub fn evidence(reason: &str, answer: &str, view: &GameView, held: &Held, game: Option<&str>) -> String {
    let mut w = Writer::new();
    w.object(|w| {
        w.key("evidence").object(|w| {
            w.key("reason").string(reason);
            w.key("ticket_id").string(&view.ticket_id.to_string());
            w.key("ticket_number").string(&view.ticket_number.to_string());
            w.key("held").string(&held.to_json());
            w.key("answer").string(answer);
        });
    });
    let evidence = w.finish();
    match game {
        Some(game) => beside(game, &evidence),
        None => evidence,
    }
}

/// A finished game for the replay: its transcript, and beside it what a transcript does not tell.
#[must_use]
pub fn to_review(view: &GameView, transcript: &Transcript) -> String {
    let mut w = Writer::new();
    w.object(|w| {
        w.key("ticket_number").string(&view.ticket_number.to_string());
        w.key("started_at_ms").int_or_null(view.started_at.and_then(|at| u64::try_from(at.millis()).ok()));
    });
    beside(&transcript.to_json(), &w.finish())
}

/// A transcript with the members of another object beside its own, which checkers leave alone: `{…` and `,…}`.
fn beside(game: &str, more: &str) -> String {
    let own = game.strip_suffix('}').unwrap_or_default();
    [own, ",", more.strip_prefix('{').unwrap_or_default()].concat()
}
