//! The note, in the data directory, of an event that was acknowledged: a store that lacks it is an older copy, and is not served.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use seal::TicketId;
use server::App;
use store::{Store, Version};
use tracing::warn;

/// How often it is noted anew: what was acknowledged within this time before a kill may be missing from the note.
const EVERY: Duration = Duration::from_secs(1);

fn place(data: &Path) -> PathBuf {
    data.join("acknowledged")
}

/// Refuses a store that lacks what a server of this data directory has acknowledged.
///
/// # Errors
/// It does, or the note or the store cannot be read.
pub(crate) async fn check(store: &dyn Store, data: &Path) -> anyhow::Result<()> {
    let path = place(data);
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        read => read.with_context(|| format!("cannot read {}", path.display()))?,
    };
    // Made, and not written before it was killed.
    if text.is_empty() {
        return Ok(());
    }
    let Some((ticket, version)) = read(&text) else {
        bail!("{} is damaged: remove it, if the store is no older copy", path.display())
    };
    let record = store.load(store::TicketId(ticket.0)).await?;
    ensure!(
        record.is_some_and(|record| record.game.version >= version),
        "the store is older than what was served from it: ticket {ticket} has not the {} events that were acknowledged. An older \
         copy must not be played on, since grids were opened meanwhile: see \"Back up and restore\" in docs/operations.md. Once \
         nothing of it can be played any more, or if this is another store altogether, remove {}",
        version.0,
        path.display()
    );
    Ok(())
}

/// Notes what is acknowledged, for as long as it is let.
pub(crate) async fn note(app: Arc<App>, data: PathBuf) {
    let mut every = tokio::time::interval(EVERY);
    let mut failing = false;
    loop {
        every.tick().await;
        let noted = note_once(&app, &data).await;
        if let (Err(cause), false) = (&noted, failing) {
            warn!(cause = format!("{cause:#}"), "what was acknowledged is not noted");
        }
        failing = noted.is_err();
    }
}

/// Notes what was acknowledged since the last note; nothing where there is nothing new.
///
/// # Errors
/// It cannot be written.
pub(crate) async fn note_once(app: &App, data: &Path) -> anyhow::Result<()> {
    let Some((ticket, version)) = app.acknowledged.take() else { return Ok(()) };
    let path = place(data);
    tokio::task::spawn_blocking(move || write(&path, TicketId(ticket.0), version)).await?
}

/// Always as long, and in its place: so it is whole whatever happens meanwhile, and needs no room on a full disk. Servers beside each
/// other may share the folder: each note is true.
fn write(path: &Path, ticket: TicketId, version: Version) -> anyhow::Result<()> {
    let opened = File::options().write(true).create(true).truncate(false).mode(0o600).open(path);
    let written = opened.and_then(|mut file| {
        file.write_all(format!("{ticket} {:010}\n", version.0).as_bytes())?;
        file.sync_data()
    });
    written.with_context(|| format!("cannot write {}", path.display()))
}

fn read(text: &str) -> Option<(TicketId, Version)> {
    let (ticket, version) = text.strip_suffix('\n')?.split_once(' ')?;
    Some((ticket.parse().ok()?, Version(version.parse().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_back_and_a_damaged_one_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let (path, ticket) = (place(folder.path()), TicketId([7; 16]));
        for version in [4_000_000_000, 12] {
            write(&path, ticket, Version(version)).unwrap();
            assert_eq!(read(&fs::read_to_string(&path).unwrap()), Some((ticket, Version(version))));
        }
        let text = fs::read_to_string(&path).unwrap();
        for damaged in ["\n", "x 12\n", &text[..text.len() - 1], &text.replace("0000000012", "-1")] {
            assert_eq!(read(damaged), None, "{damaged:?}");
        }
    }
}
