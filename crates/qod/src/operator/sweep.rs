//! `qod sweep`: settles every game whose 30 days have ended. Servers do it by themselves, too.

use server::settle_due;

use crate::data::{block_on, now};
use crate::store_args::StoreArgs;

/// What `qod sweep` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    store: StoreArgs,
}

/// Settles them.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let swept = block_on(async {
        let store = args.store.open().await?;
        let swept = settle_due(&*store, now()).await?;
        store.close().await?;
        Ok(swept)
    })?;
    println!("{} games whose 30 days have ended are settled.", swept.settled);
    if swept.moved > 0 {
        println!("{} more were moved by something else at the same time.", swept.moved);
    }
    anyhow::ensure!(swept.corrupt == 0, "{} games cannot be read: the log above names them", swept.corrupt);
    Ok(())
}
