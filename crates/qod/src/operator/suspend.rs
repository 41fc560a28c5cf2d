//! `qod suspend` and `qod resume`: whether new games of an emission may be started. Running games go on either way.

use std::sync::Arc;

use anyhow::Context as _;
use server::audit::{Entry, Kind};
use store::{Emission, Replaced};

use super::{By, said};
use crate::audit::record;
use crate::data::block_on;
use crate::store_args::StoreArgs;

/// What `qod suspend` and `qod resume` take.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
    /// The emission's number
    #[arg(long)]
    emission: u16,
    #[command(flatten)]
    by: By,
    /// Why
    #[arg(long, value_name = "TEXT", value_parser = said)]
    why: String,
}

/// Suspends new games, or allows them again.
pub(crate) fn run(args: &Args, new_games: bool) -> anyhow::Result<()> {
    let person = args.by.person()?;
    let (what, program) = if new_games { ("allowed", "resume") } else { ("suspended", "suspend") };
    let changed = block_on(async {
        let store = args.store.open().await?;
        let mut told = false;
        let changed = loop {
            let current = store.emission(args.emission).await?;
            let current = current.with_context(|| format!("there is no emission {} here", args.emission))?;
            if current.new_games == new_games {
                break false;
            }
            // Written first: no change is ever without its line.
            if !told {
                let entry = Entry::new(Kind::Setting)
                    .text("what", format!("new games {what}"))
                    .int("emission", args.emission.into())
                    .text("who", &person)
                    .text("why", &args.why);
                record(Arc::clone(&store), &args.store.data, program, entry).await?;
                told = true;
            }
            let next = Emission { new_games, ..current };
            if store.replace_emission(current, next).await? == Replaced::Done {
                break true;
            }
        };
        store.close().await?;
        Ok(changed)
    })?;
    match (changed, new_games) {
        (true, false) => println!("Emission {}: new games are suspended. Running games go on.", args.emission),
        (true, true) => println!("Emission {}: new games are allowed again.", args.emission),
        (false, _) => println!("Emission {}: new games were {what} already; nothing is changed.", args.emission),
    }
    Ok(())
}
