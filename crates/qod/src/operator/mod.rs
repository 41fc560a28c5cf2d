//! What an operator does, apart from issuing and serving: each command says who and why, and leaves a line in the audit log.

pub(crate) mod export;
pub(crate) mod history;
pub(crate) mod suspend;
pub(crate) mod sweep;
pub(crate) mod void;
mod words;

use std::os::unix::fs::MetadataExt as _;

use anyhow::{Context as _, bail};
use rules::TicketNumber;
use server::records;
use store::{Store, TicketRecord};

/// Who gives a command.
#[derive(clap::Args)]
pub(crate) struct By {
    /// Who gives this command; the system's user where it is left out
    #[arg(long, value_name = "NAME", value_parser = said)]
    by: Option<String>,
}

impl By {
    /// The person, by name, with the number of the system's user who runs the command: a name alone is only what somebody says.
    ///
    /// # Errors
    /// None was given, and the system tells no user.
    pub(crate) fn person(&self) -> anyhow::Result<String> {
        let user = |name| std::env::var(name).ok().and_then(|user| said(&user).ok());
        let name = self.by.clone().or_else(|| user("SUDO_USER")).or_else(|| user("USER")).or_else(|| user("LOGNAME"));
        let number = std::fs::metadata("/proc/self").ok().map(|own| own.uid());
        match (name, number) {
            (Some(name), Some(number)) => Ok(format!("{name} (uid {number})")),
            (Some(name), None) => Ok(name),
            (None, Some(number)) => Ok(format!("uid {number}")),
            (None, None) => bail!("say who gives this command: --by NAME"),
        }
    }
}

/// The longest name or reason, in bytes.
const LONGEST: usize = 300;

/// A name or a reason: on one line, and neither empty nor a story.
pub(crate) fn said(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST || text.chars().any(char::is_control) {
        return Err(format!("write 1 to {LONGEST} bytes, on one line"));
    }
    Ok(text.to_owned())
}

/// A ticket's number, as it is printed.
pub(crate) fn ticket_number(text: &str) -> Result<TicketNumber, String> {
    text.parse().map_err(|_| "a ticket number is written as 001-0001-0000123".to_owned())
}

/// The ticket of a number, with its game.
pub(crate) async fn find(store: &dyn Store, number: TicketNumber) -> anyhow::Result<TicketRecord> {
    let printed = store::TicketNumber { emission: number.emission(), block: number.block(), serial: number.serial() };
    let unknown = || format!("there is no ticket {number} here: is its block imported (`qod import`)?");
    let id = store.find_by_number(printed).await?.with_context(unknown)?;
    store.load(id).await?.with_context(unknown)
}

/// The same, as the engine takes it.
///
/// # Errors
/// It lost at stage 1, or what is kept cannot be read.
pub(crate) fn at_play(record: &TicketRecord, number: TicketNumber) -> anyhow::Result<engine::Ticket> {
    let ticket = records::ticket(record, records::terms(&record.emission)?)?;
    ticket.with_context(|| format!("ticket {number} lost at stage 1: it has no game"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line_that_says_something() {
        assert_eq!(said(" Dispute 12 "), Ok("Dispute 12".to_owned()));
        for nothing in ["", "  ", "two\nlines", &"x".repeat(301)] {
            assert!(said(nothing).is_err());
        }
    }
}
