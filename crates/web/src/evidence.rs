//! What a player can save where something does not hold, or where another seed was used.

use protocol::GameView;
use rules::TicketNumber;
use seal::Transcript;
use seal::json::Writer;

use crate::held::Held;
use crate::model::Failure;

/// The name of the file: a transcript, or evidence.
#[must_use]
pub fn file_name(number: TicketNumber, reason: Option<&str>) -> String {
    let kind = if reason.is_some() { "-preuve" } else { "" };
    ["quitte-ou-double-", &number.to_string(), kind, ".json"].concat()
}

/// What failed, for programs.
#[must_use]
pub const fn name(failure: Failure) -> &'static str {
    match failure {
        Failure::Number(_) => "number",
        Failure::Palier(_) => "palier",
        Failure::Commitment => "commitment",
        Failure::Game => "game",
        Failure::Draw => "draw",
        Failure::Unreadable => "unreadable",
    }
}

/// The transcript as far as it was checked, and beside it what this browser holds and the answer that does not hold, as it came. A checker of
/// transcripts reads it as one: other members may stand beside its own.
#[must_use]
pub fn evidence(reason: &str, answer: &str, view: &GameView, held: &Held, transcript: Option<&Transcript>) -> String {
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
    let Some(transcript) = transcript else { return evidence };
    let transcript = transcript.to_json();
    // Two objects made one: `{…` and `,…}`.
    [transcript.trim_end_matches('}'), ",", evidence.trim_start_matches('{')].concat()
}
