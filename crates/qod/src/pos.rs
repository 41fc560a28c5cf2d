//! `qod pos`: who may pay tickets. Their keys are shown once, where they are made; the store keeps hashes alone.

use std::sync::Arc;

use anyhow::Context as _;
use server::audit::{Entry, Kind};
use server::pos::{OPERATOR, PosKey};
use store::{AddedPointOfSale, PointOfSale, PointOfSaleId, Replaced, Store};

use crate::audit::record;
use crate::data::{block_on, print, random};
use crate::operator::{By, said};
use crate::store_args::StoreArgs;

/// The longest name, in characters.
const LONGEST_NAME: usize = 64;

/// What `qod pos` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Add a point of sale, and print its key: this once
    Add {
        /// What you call it
        #[arg(value_parser = name)]
        name: String,
        #[command(flatten)]
        because: Because,
    },
    /// List the points of sale
    List {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Let a point of sale pay no more, from now on and at all servers
    Disable(Which),
    /// Let a disabled point of sale pay again, with the key that it has
    Enable(Which),
    /// Give a point of sale another key, and print it: this once. The key before it holds no more
    NewKey(Which),
}

/// Which point of sale is changed.
#[derive(clap::Args)]
struct Which {
    /// Its number
    number: u32,
    #[command(flatten)]
    because: Because,
}

/// Where it is changed, by whom and why.
#[derive(clap::Args)]
struct Because {
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    by: By,
    /// Why
    #[arg(long, value_name = "TEXT", value_parser = said)]
    why: String,
}

/// Does it.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let said = block_on(async {
        match &args.command {
            Command::List { store } => {
                let store = store.open().await?;
                let said = list(&store.points_of_sale().await?);
                store.close().await?;
                Ok(said)
            }
            Command::Add { name, because } => {
                let (store, who) = because.begin().await?;
                let (added, key) = add(&*store, name).await?;
                because.record(store, &who, "added", &added).await?;
                Ok(shown(&added, &key))
            }
            Command::Disable(Which { number, because }) => {
                let (store, who) = because.begin().await?;
                let known = change(&*store, *number, |known| PointOfSale { disabled: true, ..known }).await?;
                because.record(store, &who, "disabled", &known).await?;
                Ok(format!("Point of sale {number} pays no more.\n"))
            }
            Command::Enable(Which { number, because }) => {
                let (store, who) = because.begin().await?;
                let known = change(&*store, *number, |known| PointOfSale { disabled: false, ..known }).await?;
                because.record(store, &who, "enabled", &known).await?;
                Ok(format!("Point of sale {number} may pay again.\n"))
            }
            Command::NewKey(Which { number, because }) => {
                let (store, who) = because.begin().await?;
                let key = PosKey::from_random(random()?);
                let known = change(&*store, *number, |known| PointOfSale { key: key.hash(), ..known }).await?;
                because.record(store, &who, "given another key", &known).await?;
                Ok(shown(&known, &key))
            }
        }
    })?;
    print(&said)
}

impl Because {
    /// The store, and who changes it: known before anything is changed.
    async fn begin(&self) -> anyhow::Result<(Arc<dyn Store>, String)> {
        let who = self.by.person()?;
        Ok((self.store.open().await?, who))
    }

    /// Writes the change into the audit log, and closes the store.
    async fn record(&self, store: Arc<dyn Store>, who: &str, what: &str, known: &PointOfSale) -> anyhow::Result<()> {
        let entry = Entry::new(Kind::PointOfSale)
            .text("what", what)
            .int("point_of_sale", known.id.0.into())
            .text("name", &known.name)
            .text("who", who)
            .text("why", &self.why);
        record(Arc::clone(&store), &self.store.data, "pos", entry).await?;
        store.close().await?;
        Ok(())
    }
}

async fn add(store: &dyn Store, name: &str) -> anyhow::Result<(PointOfSale, PosKey)> {
    let key = PosKey::from_random(random()?);
    loop {
        let all = store.points_of_sale().await?;
        if let Some(known) = all.iter().find(|known| known.name == name) {
            anyhow::bail!("point of sale {} has that name already: choose another one", known.id.0);
        }
        let last = all.iter().map(|known| known.id.0).max().unwrap_or(OPERATOR.0);
        let id = PointOfSaleId(last.checked_add(1).context("there are no numbers left")?);
        let added = PointOfSale { id, name: name.to_owned(), key: key.hash(), disabled: false };
        // Someone else may just have taken the number.
        if store.add_point_of_sale(added.clone()).await? == AddedPointOfSale::New {
            return Ok((added, key));
        }
    }
}

async fn change(
    store: &dyn Store,
    number: u32,
    next: impl Fn(PointOfSale) -> PointOfSale,
) -> anyhow::Result<PointOfSale> {
    anyhow::ensure!(number != OPERATOR.0, "point of sale 0 is the operator's own: it has no key and cannot be changed");
    loop {
        let all = store.points_of_sale().await?;
        let known = all.into_iter().find(|known| known.id.0 == number);
        let known = known.with_context(|| format!("there is no point of sale {number}: see `qod pos list`"))?;
        let next = next(known.clone());
        if store.replace_point_of_sale(known, next.clone()).await? == Replaced::Done {
            return Ok(next);
        }
    }
}

fn list(all: &[PointOfSale]) -> String {
    let mut text = String::new();
    for known in all.iter().filter(|known| known.id != OPERATOR) {
        let state = if known.disabled { "disabled" } else { "enabled" };
        text += &format!("{:>6}  {state:8}  {}\n", known.id.0, known.name);
    }
    if text.is_empty() {
        text += "There is no point of sale yet: `qod pos add NAME` makes one.\n";
    }
    text
}

fn shown(known: &PointOfSale, key: &PosKey) -> String {
    let (number, name, key) = (known.id.0, &known.name, key.reveal_hex());
    format!("Point of sale {number}, {name}. Its key is shown this once; hand it over, and keep no copy:\n{key}\n")
}

fn name(text: &str) -> Result<String, String> {
    let name = text.trim();
    let fits = (1..=LONGEST_NAME).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if fits { Ok(name.to_owned()) } else { Err(format!("a name has 1 to {LONGEST_NAME} characters, on one line")) }
}
