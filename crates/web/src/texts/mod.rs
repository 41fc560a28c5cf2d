//! All that a player reads, once per language.
//!
//! A language is one value of [`Texts`]: a text that is missing in it does not compile. What varies with the game is a function, so that each language
//! builds its own sentences and plurals. What is computed the same way in every language (rounding, times of day) is in [`figures`].

use rules::game::VoidReason;
use rules::{Amount, Fraction, Multiplier, Number, Palier};

use crate::model::{EntryNotice, EntryProblem, Failure, PlayNotice, Proof, Signing, Step};

pub mod figures;
mod fr;
mod verifier;

pub use fr::FRENCH;
pub use verifier::{FRENCH_VERIFIER, ReplayTexts, VerifierTexts};

/// A heading and what it says.
pub struct Said<T> {
    /// In a few words.
    pub title: T,
    /// In full sentences.
    pub body: T,
}

/// A text that does not vary.
pub type Text = &'static str;

/// Everything that is said, in one language.
pub struct Texts {
    /// The language, as `<html lang>` has it.
    pub lang: Text,
    /// After the heading, in the window's title.
    pub title_suffix: Text,
    /// What stands on buttons.
    pub buttons: Buttons,
    /// Amounts, chances and times.
    pub figures: Figures,
    /// The code entry.
    pub entry: EntryTexts,
    /// The stake, and the choice on a palier.
    pub choice: ChoiceTexts,
    /// The grid, the ladder and the chances.
    pub play: PlayTexts,
    /// The ends.
    pub end: EndTexts,
    /// Proofs, and what goes wrong with them.
    pub proof: ProofTexts,
    /// What the network does.
    pub network: NetworkTexts,
}

/// What stands on buttons.
pub struct Buttons {
    /// QUITTER, as the règlement writes it.
    pub quit: Text,
    /// CONTINUER, as the règlement writes it.
    pub go_on: Text,
    /// Closes a dialog.
    pub cancel: Text,
    /// Sends again now.
    pub retry: Text,
    /// Saves the transcript.
    pub save_proof: Text,
    /// Saves the evidence.
    pub save_evidence: Text,
    /// It was saved.
    pub saved: Text,
    /// To the code entry.
    pub leave: Text,
    /// Opens the replay.
    pub replay: Text,
}

/// Amounts, chances and times.
pub struct Figures {
    /// « 1 000 € »
    pub eur: fn(Amount) -> String,
    /// « 1 chance sur 2,01 »
    pub one_in: fn(Fraction) -> String,
    /// « 49,9 % »
    pub percent: fn(Fraction) -> String,
    /// The number in letters, as the ticket prints it.
    pub in_letters: fn(Number) -> Text,
    /// The locale that the browser formats instants with.
    pub locale: Text,
    /// Between hours and minutes.
    pub hour_sign: Text,
}

/// The code entry.
pub struct EntryTexts {
    /// Heading.
    pub title: Text,
    /// Where the code is.
    pub help: Text,
    /// Of the field.
    pub label: Text,
    /// Sends it.
    pub open: Text,
    /// While it is sent.
    pub opening: Text,
    /// Under the button.
    pub reassurance: Text,
    /// While a game of this tab is taken up again.
    pub starting: Said<Text>,
    /// What is wrong.
    pub problem: fn(EntryProblem) -> Said<String>,
    /// What happened before.
    pub notice: fn(EntryNotice) -> Said<String>,
}

/// The stake, and the choice on a palier.
pub struct ChoiceTexts {
    /// Heading before CONTINUER; also on the bar.
    pub stake: Text,
    /// Heading on a palier.
    pub reached: fn(Palier) -> String,
    /// The left side.
    pub keep: Text,
    /// Nothing can be lost there.
    pub no_risk: Text,
    /// What QUITTER does before CONTINUER.
    pub keep_stake: Text,
    /// What QUITTER does on a palier.
    pub keep_palier: Text,
    /// The right side.
    pub risk: Text,
    /// « ou » between the sides and before the greater gain.
    pub or: Text,
    /// What an error costs there.
    pub or_lose: Text,
    /// The chance of the next palier, and what it takes: chance, palier, numbers.
    pub chance: fn(Fraction, Palier, u8) -> String,
    /// What CONTINUER means at the stake: what is given up, and the most there is to win.
    pub meaning: fn(Amount, Amount) -> String,
    /// What going on is worth on average, of what stopping is worth.
    pub worth: fn(Fraction) -> String,
    /// CONTINUER is closed: too late.
    pub too_late: Said<Text>,
    /// CONTINUER is closed: suspended.
    pub suspended: Said<Text>,
    /// CONTINUER is possible until that day.
    pub start_until: fn(&str) -> String,
    /// CONTINUER is on its way.
    pub sending: Text,
    /// Asks before CONTINUER.
    pub confirm_title: fn(Amount) -> String,
    /// What is given up.
    pub confirm_body: fn(Amount) -> String,
    /// The declaration of age.
    pub adult: Text,
    /// Asks before QUITTER on a palier.
    pub quit_title: fn(Amount) -> String,
    /// What QUITTER does.
    pub quit_body: Text,
}

/// The grid, the ladder and the chances.
pub struct PlayTexts {
    /// « Palier 2 »
    pub palier: fn(Palier) -> String,
    /// Above what is at stake.
    pub at_stake: Text,
    /// Above the deadline.
    pub finish_before: Text,
    /// Name of the grid.
    pub grid: Text,
    /// Name of the ladder.
    pub ladder: Text,
    /// Before the least gain of a palier further up.
    pub from: Text,
    /// « ou 60 € »
    pub or_gain: fn(Amount) -> String,
    /// A palier that was not reached.
    pub missed: Text,
    /// For screen readers: found, to find.
    pub found: fn(u8, u8) -> String,
    /// States of a cell, for screen readers: free, pending, good, losing, was good, was losing.
    pub cell: [Text; 6],
    /// Choose a number.
    pub choose: Text,
    /// How many of the numbers left are good: good, left.
    pub of_left: fn(u32, u32) -> String,
    /// A pick is pending.
    pub pending: fn(Number) -> String,
    /// What a pending pick waits for.
    pub opening: Text,
    /// What is still to find for the palier.
    pub still: fn(u8, Palier) -> String,
    /// What just happened.
    pub step: fn(&Step) -> String,
    /// Something to tell besides.
    pub notice: fn(PlayNotice) -> Text,
    /// Heading of the chances.
    pub odds: Text,
    /// The next number.
    pub next: Text,
    /// « 24 bons sur 27 »
    pub good_of: fn(u32, u32) -> String,
    /// Reaching the palier.
    pub reach: fn(Palier) -> String,
    /// The chance of ×3, once there.
    pub three: fn(Palier) -> String,
}

/// The ends.
pub struct EndTexts {
    /// Heading of a game that was won.
    pub won: fn(Amount) -> String,
    /// On the bar.
    pub gain: Text,
    /// How far.
    pub won_at: fn(Palier) -> String,
    /// Heading of a lost game.
    pub lost: Text,
    /// With which number, and what was at stake.
    pub lost_body: fn(Option<Number>, Amount) -> String,
    /// Where help is found.
    pub help: Text,
    /// Heading where the 30 days ended.
    pub expired: Text,
    /// With a gain, or without.
    pub expired_body: fn(Option<Palier>) -> String,
    /// Heading of a voided game.
    pub void: Text,
    /// Why, and what becomes of it.
    pub void_body: fn(VoidReason) -> String,
    /// The potential gain was paid.
    pub stake_paid: Said<Text>,
    /// What to keep.
    pub keep_ticket: Said<Text>,
    /// « Ticket n° »
    pub ticket: Text,
    /// Of the amount due.
    pub due: Text,
    /// Of the amount paid.
    pub paid: Text,
    /// Of the last day of payment.
    pub pay_until: Text,
    /// Where no limit is set to payment.
    pub no_limit: Said<Text>,
    /// Above the uncovered grid.
    pub grid: Text,
    /// What its signs mean.
    pub legend: Text,
}

/// Proofs, and what goes wrong with them.
pub struct ProofTexts {
    /// The quiet mark.
    pub mark: Text,
    /// Heading of the explanation during play.
    pub how: Text,
    /// The three sentences.
    pub how_body: fn(Proof) -> Text,
    /// What is known of the operator's signatures.
    pub signed: fn(Signing) -> Text,
    /// The whole draw was checked.
    pub verified: fn(Proof) -> Said<Text>,
    /// To the place where a saved game is verified.
    pub verify: Text,
    /// Heading of a proof that failed.
    pub failed: Text,
    /// What does not hold.
    pub failed_body: fn(Failure) -> String,
    /// What to do then.
    pub failed_do: Text,
    /// It failed before the page was loaded.
    pub failed_earlier: Text,
    /// Takes the game up nevertheless.
    pub take_up_again: Text,
    /// The game was begun with another seed.
    pub other_seed: Said<Text>,
    /// And here too.
    pub other_seed_here: Text,
    /// What is not checked then.
    pub other_seed_means: Text,
    /// Confirms it.
    pub begun_elsewhere: Text,
    /// Does not.
    pub not_me: Text,
}

/// What the network does.
pub struct NetworkTexts {
    /// No answer came; tried again.
    pub lost: Text,
    /// The browser is offline.
    pub offline: Text,
    /// What becomes of a number that was chosen.
    pub kept_number: fn(Number) -> String,
    /// What becomes of anything else.
    pub kept: Text,
}

/// The words of a multiplier: « ×2 ».
#[must_use]
pub const fn times(multiplier: Multiplier) -> Text {
    match multiplier {
        Multiplier::Two => "×2",
        Multiplier::Three => "×3",
    }
}
