//! The operator's receipts (`docs/receipts-v1.md`): kept with the game, and checked by the browser. The statements are made here, from what is proven.

use rules::{TicketNumber, Timestamp, Unfinished};
use seal::opening::Sealed;
use seal::receipt::{PublishedKeys, Receipt, Receipts, Signed, Statement, statements};
use seal::{Json, Transcript};

use crate::model::{Failure, Signing};

/// A signature to be checked by the browser.
#[derive(Clone)]
pub struct ToCheck {
    /// Over this.
    pub statement: Statement,
    /// Whose, and the signature.
    pub signed: Signed,
    /// When it was made; none for the opening's.
    pub at: Option<Timestamp>,
}

/// What came of it.
pub enum Verdict {
    /// Every one holds: with the published keys, as a JSON array.
    Hold(String),
    /// One does not, or is not by a published key of its time.
    Wrong,
    /// It cannot be known: this browser cannot check it, or the published keys did not come.
    Unknown,
}

/// What is known of the receipts of a ticket.
#[derive(Default)]
pub(crate) struct Given {
    opening: Option<Signed>,
    actions: Vec<Receipt>,
    /// The published keys, as a JSON array, once they are known.
    keys: String,
    pub(crate) signing: Signing,
}

impl Given {
    /// The session brought one, over what was sealed.
    pub(crate) fn opened(&mut self, signed: Signed, sealed: &Sealed, number: TicketNumber) -> ToCheck {
        self.opening = Some(signed);
        ToCheck { statement: Statement::opening(sealed, number), signed, at: None }
    }

    /// An action was answered with this: the game as it is proven now says what was signed.
    pub(crate) fn answered(
        &mut self,
        receipt: Option<Receipt>,
        game: &Transcript,
        number: TicketNumber,
        unfinished: Unfinished,
    ) -> Result<Option<ToCheck>, Failure> {
        // Without the session's receipt, or all of those before, this one stands alone.
        if self.opening.is_none() {
            return Ok(None);
        }
        let Receipt { at, signed } = receipt.ok_or(Failure::Receipt)?;
        self.actions.push(Receipt { at, signed });
        let statement = self.statements(game, number, unfinished)?.pop().ok_or(Failure::Receipt)?;
        Ok(Some(ToCheck { statement, signed, at: Some(at) }))
    }

    /// The whole game was told anew, with these: what was signed before stays as it was.
    pub(crate) fn told(
        &mut self,
        told: Option<Receipts>,
        game: &Transcript,
        number: TicketNumber,
        unfinished: Unfinished,
    ) -> Result<Vec<ToCheck>, Failure> {
        let known = |given: &Self| given.actions.is_empty();
        let Some(Receipts { number: of, opening, actions, .. }) = told else {
            // Begun before its server had receipts.
            self.opening = None;
            return if known(self) { Ok(Vec::new()) } else { Err(Failure::Receipt) };
        };
        if of != number || !actions.starts_with(&self.actions) {
            return Err(Failure::Receipt);
        }
        self.actions = actions;
        let first = self.opened(opening, &game.sealed, number);
        let all = self.statements(game, number, unfinished)?;
        let mut checks = Vec::from([first]);
        for (statement, receipt) in all.into_iter().zip(&self.actions) {
            checks.push(ToCheck { statement, signed: receipt.signed, at: Some(receipt.at) });
        }
        Ok(checks)
    }

    fn statements(
        &self,
        game: &Transcript,
        of: TicketNumber,
        unfinished: Unfinished,
    ) -> Result<Vec<Statement>, Failure> {
        let all = statements(game, of, unfinished, self.actions.iter().map(|receipt| receipt.at));
        // As many as there are receipts, so a receipt too many is one without an action.
        all.ok().filter(|all| all.len() == self.actions.len()).ok_or(Failure::Receipt)
    }

    /// What the browser said.
    pub(crate) fn checked(&mut self, verdict: Verdict) -> Result<(), Failure> {
        match verdict {
            Verdict::Hold(keys) => {
                self.keys = keys;
                if self.signing == Signing::None {
                    self.signing = Signing::Checked;
                }
            }
            Verdict::Wrong => return Err(Failure::Receipt),
            Verdict::Unknown => self.signing = Signing::Unchecked,
        }
        Ok(())
    }

    /// The game as it is saved: with its receipts, where there are all of them.
    pub(crate) fn saved(&self, game: &Transcript, number: TicketNumber, unfinished: Unfinished) -> String {
        match self.opening {
            Some(opening) if !self.actions.is_empty() => {
                let (actions, none) = (self.actions.clone(), PublishedKeys::default());
                let saved = Receipts { number, unfinished, opening, actions, keys: none }.beside(game);
                // The keys stand at the very end: their text is put there as it came.
                match saved.strip_suffix("[]}}") {
                    Some(saved) if !self.keys.is_empty() => [saved, &self.keys, "}}"].concat(),
                    _ => saved,
                }
            }
            _ => game.to_json(),
        }
    }
}

/// Whether a game told anew denies receipts of the one that was kept.
#[must_use]
pub fn denies(told: &str, kept: &str) -> bool {
    let actions = |text| Some(Receipts::read_without_keys(Json::parse(text).ok()?.get("receipts")?).ok()?.actions);
    actions(kept).is_some_and(|kept| !actions(told).is_some_and(|told| told.starts_with(&kept)))
}
