//! `qod audit`: the audit log exported and verified; and how every other command writes what it did into it.

use std::io::{BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use rules::Timestamp;
use seal::hash::{from_hex, to_hex};
use seal::receipt::PublishedKeys;
use server::audit::{Anchor, AuditWriter, Checked, Entry, Kept, Kind, check, new_instance};
use server::{NoRandomness, ReceiptSigner};
use store::{Digest, InstanceId, Store};

use crate::data::{block_on, now, open_store, print};
use crate::receipt_keys::{published, receipt_keys};
use crate::store_args::StoreArgs;

/// How many lines are read at once.
const PAGE: u32 = 1000;

/// What `qod audit` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Print the whole audit log, a line each: chain, index, hash, and the line as it is
    Export {
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Verify that nothing in the audit log was altered, left out, exchanged or cut off
    Verify {
        /// The data directory whose log and published keys are verified
        #[arg(long, value_name = "DIR", required_unless_present = "file")]
        data: Option<PathBuf>,
        /// An exported log instead; `-` for standard input
        #[arg(long, value_name = "FILE", requires = "keys")]
        file: Option<PathBuf>,
        /// The published receipt keys (`/.well-known/qod-keys.json`), kept from a time when you trusted them
        #[arg(long, value_name = "FILE")]
        keys: Option<PathBuf>,
        /// Where a chain once stood, as CHAIN:LINES:HASH, from a log kept elsewhere: it must still have stood there. May be repeated
        #[arg(long = "noted", value_name = "CHAIN:LINES:HASH", value_parser = noted)]
        noted: Vec<Anchor>,
        /// The file holds some chains only: those that it names but does not hold are passed over
        #[arg(long, requires = "file")]
        partial: bool,
    },
}

/// Does it.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.command {
        Command::Export { store } => block_on(async {
            let store = store.open().await?;
            let mut out = BufWriter::new(std::io::stdout().lock());
            for kept in lines(&*store).await? {
                match out.write_all(&kept.export()) {
                    Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
                    written => written?,
                }
            }
            out.flush()?;
            Ok(())
        }),
        Command::Verify { data, file, keys, noted, partial } => {
            let given = match (keys, data) {
                (Some(file), _) => {
                    let text =
                        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
                    PublishedKeys::from_json(&text).map_err(|bad| anyhow::anyhow!("{}: {bad}", file.display()))?
                }
                (None, Some(data)) => published(data)?.unwrap_or_default(),
                (None, None) => PublishedKeys::default(),
            };
            let lines = match (file, data) {
                (Some(file), _) => exported(file)?,
                (None, Some(data)) => block_on(async { lines(&open_store(data)?).await })?,
                (None, None) => Vec::new(),
            };
            let chains = check(lines, &given, noted, *partial).map_err(|wrong| anyhow::anyhow!("WRONG: {wrong}"))?;
            print(&account(&chains))
        }
    }
}

fn account(chains: &[Checked]) -> String {
    let mut text = String::new();
    for Checked { end, signed, stopped } in chains {
        let how = if *stopped { "ended in good order" } else { "running, killed, or cut off" };
        text += &format!("{} {} lines, {signed} of them signed; {how}\n", to_hex(&end.instance.0), end.lines);
    }
    let unsigned: u64 = chains.iter().map(|chain| chain.end.lines - chain.signed).sum();
    text += &format!(
        "VERIFIED: {} chains; no line in them was altered, left out or exchanged. {unsigned} lines stand after the last \
         signature of their chain (a last checkpoint counts as one).\n",
        chains.len()
    );
    text
}

/// All lines of a store, chain by chain.
async fn lines(store: &dyn Store) -> anyhow::Result<Vec<Kept>> {
    let mut all = Vec::new();
    for chain in store.audit_instances().await? {
        let mut n = 0;
        while n < chain.lines {
            let page = store.audit_lines(chain.instance, n, PAGE).await?;
            anyhow::ensure!(!page.is_empty(), "WRONG: chain {}: line {n} is missing", to_hex(&chain.instance.0));
            for line in page {
                all.push(Kept { instance: chain.instance, n, line });
                n += 1;
            }
        }
    }
    Ok(all)
}

/// All lines of an exported log.
fn exported(file: &Path) -> anyhow::Result<Vec<Kept>> {
    let name = file.display();
    let reader: Box<dyn std::io::Read> = if file.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(file).with_context(|| format!("cannot read {name}"))?)
    };
    let lines = (1..).zip(BufReader::new(reader).split(b'\n'));
    let read = lines.map(|(at, line)| {
        let line = line.with_context(|| format!("cannot read {name}"))?;
        Kept::import(&line).with_context(|| format!("WRONG: {name}, line {at}: no line of an exported audit log"))
    });
    read.collect()
}

fn noted(text: &str) -> Result<Anchor, String> {
    let parts: Vec<&str> = text.split(':').collect();
    let anchor = || {
        let [instance, lines, last] = parts[..] else { return None };
        Some(Anchor {
            instance: InstanceId(from_hex(instance).ok()?),
            lines: lines.parse().ok()?,
            last: Digest(from_hex(last).ok()?),
        })
    };
    anchor().ok_or_else(|| "write CHAIN:LINES:HASH, as \"audit log signed\" tells them in a server's log".to_owned())
}

/// Begins the chain of this process, which is that `program`.
pub(crate) async fn begin(store: Arc<dyn Store>, program: &str) -> anyhow::Result<AuditWriter> {
    let random = |bytes: &mut [u8]| getrandom::fill(bytes).map_err(|_| NoRandomness);
    let instance = new_instance(now(), &random).map_err(|_| anyhow::anyhow!("the system gives no randomness"))?;
    Ok(AuditWriter::begin(store, instance, now(), program).await?)
}

/// Writes what a command did, as a chain of its own that ends with it, signed where a receipt key is at hand.
pub(crate) async fn record(store: Arc<dyn Store>, data: &Path, program: &str, entry: Entry) -> anyhow::Result<()> {
    let at: Timestamp = now();
    let signer = receipt_keys(data, at).ok().map(ReceiptSigner::new);
    let mut writer = begin(store, program).await?;
    let entries = vec![(at, entry), (at, Entry::new(Kind::Stop))];
    writer.write(entries, signer.as_ref().map(|signer| (signer, at))).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::database;
    use crate::receipt_keys::complete_receipt_keys;
    use store::SqliteStore;

    /// A data directory in which two commands did something, each with a chain of four lines.
    fn data() -> tempfile::TempDir {
        let data = tempfile::tempdir().unwrap();
        complete_receipt_keys(data.path(), Timestamp::from_millis(0), &[1; 32]).unwrap();
        let done = block_on(async {
            let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&database(data.path()))?);
            for who in ["A. Operator", "B. Operator"] {
                let entry = Entry::new(Kind::Setting).text("who", who);
                record(Arc::clone(&store), data.path(), "close", entry).await?;
            }
            store.close().await?;
            Ok(())
        });
        done.unwrap();
        data
    }

    /// What `qod audit verify` says after the database was changed so, by whoever holds it.
    fn after(change: &str) -> anyhow::Result<()> {
        let data = data();
        let database = rusqlite::Connection::open(database(data.path())).unwrap();
        // The database itself refuses: whoever holds it can take that away.
        assert!(change.is_empty() || database.execute_batch(change).is_err(), "{change}");
        for trigger in ["audit_lines_are_final", "audit_lines_are_kept"] {
            database.execute_batch(&format!("DROP TRIGGER {trigger}")).unwrap();
        }
        database.execute_batch(change).unwrap();
        let (data, noted) = (Some(data.path().to_owned()), vec![]);
        run(&Args { command: Command::Verify { data, file: None, keys: None, noted, partial: false } })
    }

    #[test]
    fn a_line_that_is_altered_deleted_moved_or_cut_off_in_the_database_is_found() {
        after("").unwrap();
        let first = "(SELECT min(instance) FROM audit_lines)";
        for line in 0..4 {
            let of = format!("instance = {first} AND line = {line}");
            let altered =
                format!("UPDATE audit_lines SET bytes = CAST(replace(bytes, 'kind', 'Kind') AS BLOB) WHERE {of}");
            assert!(after(&altered).unwrap_err().to_string().contains(&format!("line {line}")), "{line}");
            assert!(after(&format!("DELETE FROM audit_lines WHERE {of}")).is_err(), "{line}");
        }
        let moved = "UPDATE audit_lines SET line = line + 10 WHERE line IN (1, 2); \
                     UPDATE audit_lines SET line = 23 - line - 10 WHERE line IN (11, 12)";
        assert!(after(moved).unwrap_err().to_string().contains("line 1"));
        // A whole chain: the one after it names it.
        let gone = after(&format!("DELETE FROM audit_lines WHERE instance = {first}")).unwrap_err().to_string();
        assert!(gone.contains("it had 4 lines once"), "{gone}");
    }

    #[test]
    fn an_exported_log_is_verified_without_the_database_and_what_was_noted_must_still_stand() {
        let data = data();
        let all = block_on(async { lines(&open_store(data.path())?).await }).unwrap();
        let (file, keys) = (data.path().join("log"), crate::receipt_keys::list_file(data.path()));
        let last = Anchor { instance: all[7].instance, lines: 8 - 4, last: all[7].line.hash };
        let verify = |lines: &[Kept], noted: Vec<Anchor>| {
            std::fs::write(&file, lines.iter().flat_map(Kept::export).collect::<Vec<_>>()).unwrap();
            let (file, keys) = (Some(file.clone()), Some(keys.clone()));
            run(&Args { command: Command::Verify { data: None, file, keys, noted, partial: false } })
        };
        verify(&all, vec![last]).unwrap();
        // The last chain cut right after its own beginning: only who noted where it stood can tell.
        verify(&all[..5], vec![]).unwrap();
        assert!(verify(&all[..5], vec![last]).unwrap_err().to_string().contains("it had 4 lines once"));
        assert!(verify(&[&all[..2], &all[3..]].concat(), vec![]).is_err());
    }

    #[test]
    fn what_was_noted_is_read_in_one_form() {
        let text = format!("{}:7:{}", "0a".repeat(16), "0b".repeat(32));
        assert_eq!(noted(&text).unwrap().lines, 7);
        for wrong in ["", &text[1..], &text.replace(':', " "), &format!("{text}:1")] {
            assert!(noted(wrong).is_err(), "{wrong}");
        }
    }
}
