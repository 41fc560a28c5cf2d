//! `qod keys`: what keys there are, and a new receipt key.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use rules::Timestamp;
use seal::receipt::{KeyId, PublishedKeys};
use server::audit::{Entry, Kind};

use crate::audit::record;
use crate::data::{block_on, database, lock, now, open_store, print, random};
use crate::receipt_keys::{Rotated, published, rotate, secret_file};

/// What `qod keys` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// List the receipt keys with their times and fingerprints
    List {
        /// The data directory
        #[arg(long, value_name = "DIR")]
        data: PathBuf,
        /// As the list that servers publish, for `qod verify --keys`
        #[arg(long)]
        json: bool,
    },
    /// Make a receipt key that takes over from the one in use
    Rotate {
        /// The data directory
        #[arg(long, value_name = "DIR")]
        data: PathBuf,
        /// In how many minutes it takes over: by then every server must have the new list and key (one that shares this directory
        /// reads them within 20 seconds)
        #[arg(long = "in", value_name = "MINUTES", default_value_t = 10, value_parser = clap::value_parser!(i64).range(1..=43_200))]
        minutes: i64,
    },
}

/// Does it.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.command {
        Command::List { data, json } => {
            let list = published(data)?.unwrap_or_default();
            if *json {
                return print(&format!("{}\n", list.to_json()));
            }
            print(&table(&list, now(), |id| secret_file(data, id).exists())?)
        }
        Command::Rotate { data, minutes } => {
            anyhow::ensure!(data.is_dir(), "there is no data directory {}", data.display());
            let _lock = lock(data)?;
            let now = now();
            let first = published(data)?.is_none();
            // The first key takes over from none: nothing waits for it.
            let from = if first { now } else { Timestamp::from_millis(now.millis() + minutes * 60_000) };
            let rotated = rotate(data, now, from, &random()?)?;
            told(data, &rotated, from)?;
            let mut text = format!("Key {} signs from {} on.\n", rotated.next, time(from)?);
            for id in &rotated.retired {
                text += &format!("Key {id} is retired then; its public half stays published.\n");
            }
            for id in &rotated.destroyed {
                text += &format!("The secret half of {id}, retired long ago, is destroyed.\n");
            }
            text +=
                "Copy the new list and key to every server that does not share this directory, and to your backup.\n";
            print(&text)
        }
    }
}

/// Writes it into the audit log, where there is a database.
fn told(data: &Path, rotated: &Rotated, from: Timestamp) -> anyhow::Result<()> {
    if !database(data).exists() {
        return Ok(());
    }
    let ids = |ids: &[KeyId]| ids.iter().map(KeyId::to_string).collect::<Vec<_>>().join(" ");
    let entry = Entry::new(Kind::Keys)
        .text("what", "a receipt key was made")
        .text("key", rotated.next.to_string())
        .text("from", time(from)?)
        .text("retired", ids(&rotated.retired))
        .text("destroyed", ids(&rotated.destroyed));
    let store = Arc::new(open_store(data)?);
    block_on(async { record(store, data, "keys rotate", entry).await })
}

fn table(list: &PublishedKeys, now: Timestamp, here: impl Fn(KeyId) -> bool) -> anyhow::Result<String> {
    let mut text = String::new();
    for key in list.all() {
        let id = key.public.id();
        let state = match key.until {
            _ if now < key.from => "to come",
            Some(until) if until <= now => "retired",
            _ => "signs",
        };
        let until = key.until.map_or(Ok("open".to_owned()), time)?;
        let secret = if here(id) { "secret half here" } else { "no secret half here" };
        text += &format!("{id}  {state:7}  {} to {until}  {secret}\n", time(key.from)?);
        text += &format!("                  fingerprint {}\n", key.public.fingerprint());
    }
    if text.is_empty() {
        text += "There is no receipt key yet: `qod keys rotate` makes one.\n";
    }
    Ok(text)
}

fn time(at: Timestamp) -> anyhow::Result<String> {
    let at = jiff::Timestamp::from_millisecond(at.millis()).context("an instant that no calendar has")?;
    Ok(at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

#[cfg(test)]
mod tests {
    use seal::receipt::{PublishedKey, ReceiptKey};

    use super::*;

    #[test]
    fn keys_are_listed_with_what_each_is_for() {
        let at = Timestamp::from_millis;
        let key = |byte, from, until: Option<i64>| PublishedKey {
            public: ReceiptKey::from_secret(&[byte; 32]).public(),
            from: at(from),
            until: until.map(at),
        };
        let list = PublishedKeys::new(vec![key(1, 0, Some(10)), key(2, 10, None), key(3, 99, None)]).unwrap();
        let text = table(&list, at(50), |id| id == list.all()[1].public.id()).unwrap();
        let lines: Vec<_> = text.lines().step_by(2).collect();
        assert!(lines[0].contains("retired") && lines[0].contains("no secret"));
        assert!(lines[1].contains("signs") && !lines[1].contains("no secret"));
        assert!(lines[2].contains("to come") && lines[2].contains("1970-01-01T00:00:00Z to open"));
    }
}
