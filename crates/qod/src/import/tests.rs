use std::fs;
use std::path::Path;

use seal::Pepper;
use store::{BlockId, KeyedHash, MemoryStore, Ticket, TicketId, TicketNumber};

use super::file::{BlockFile, CHUNK, write};
use super::*;

const ID: BlockId = BlockId { emission: 3, block: 7 };

/// A block with a second chunk: every tenth ticket wins.
fn tickets(count: u32) -> impl Iterator<Item = anyhow::Result<Ticket>> {
    (1..=count).map(|serial| {
        let bytes = |salt: u8| {
            let mut bytes = [salt; 32];
            bytes[..4].copy_from_slice(&serial.to_be_bytes());
            bytes
        };
        let [a, b, c, d] = serial.to_be_bytes();
        Ok(Ticket {
            id: TicketId([a, b, c, d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
            number: TicketNumber { emission: ID.emission, block: ID.block, serial },
            code_hash: KeyedHash(bytes(2)),
            control_hash: KeyedHash(bytes(3)),
            potential_gain_eur: if serial % 10 == 0 { 20 } else { 0 },
        })
    })
}

const COUNT: u32 = CHUNK + 30;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(&manifest(folder.path()), ID, &Pepper([9; 32]), tickets(COUNT)).unwrap();
    folder
}

fn manifest(folder: &Path) -> PathBuf {
    folder.join("block.json")
}

fn opened(folder: &Path) -> anyhow::Result<BlockFile> {
    BlockFile::open(&manifest(folder), |_, _| {})
}

fn imported(store: &MemoryStore, file: &mut BlockFile) -> anyhow::Result<u32> {
    block_on(async { import(store, file, &Terms::default(), &mut Progress::new("imported")).await })
}

#[test]
fn a_block_is_read_back_as_it_was_written() {
    let folder = folder();
    let mut file = opened(folder.path()).unwrap();
    let block = file.manifest.block();
    assert_eq!((block.id, block.tickets, block.winning, block.total_eur), (ID, COUNT, 5003, 100_060));
    let written: Vec<Ticket> = tickets(COUNT).map(Result::unwrap).collect();
    assert_eq!([file.chunk(0).unwrap(), file.chunk(CHUNK).unwrap()].concat(), written);
    assert_eq!(file.chunk(CHUNK - 1).unwrap(), written[CHUNK as usize - 1..][..1]);
    assert_eq!(file.chunk(CHUNK + 7).unwrap(), written[CHUNK as usize + 7..]);
}

#[test]
fn any_byte_of_the_rows_or_of_the_manifest_that_is_altered_is_found_before_anything_is_written() {
    let folder = folder();
    // Near its end are the checksums; an altered check of the pepper is told by the pepper.
    let len = fs::metadata(manifest(folder.path())).unwrap().len() as usize;
    for (name, places) in [
        ("block.rows", [0, 17, 83, 84 * CHUNK as usize, 84 * COUNT as usize - 1]),
        ("block.json", [0, 9, 34, 44, len - 10]),
    ] {
        let path = folder.path().join(name);
        let whole = fs::read(&path).unwrap();
        for place in places {
            let mut altered = whole.clone();
            altered[place] ^= 1;
            fs::write(&path, &altered).unwrap();
            let error = format!("{:#}", opened(folder.path()).unwrap_err());
            assert!(error.contains("altered") || error.contains("no manifest"), "{name} {place}: {error}");
        }
        for other in [&whole[..whole.len() - 1], &[&whole[..], b"\n"].concat()] {
            fs::write(&path, other).unwrap();
            assert!(opened(folder.path()).is_err(), "{name}");
        }
        fs::write(&path, &whole).unwrap();
    }
    opened(folder.path()).unwrap();
}

#[test]
fn a_manifest_whose_lots_are_not_those_of_its_rows_is_refused() {
    let folder = folder();
    let path = manifest(folder.path());
    let text = fs::read_to_string(&path).unwrap();
    let lot = |eur: u32, count: u32| format!(r#"{{"potential_gain_eur":{eur},"tickets":{count}}}"#);
    // The checksums are right, the list is not.
    let other = text.replace(&lot(20, 5003), &lot(20, 5002)).replace(&lot(10, 0), &lot(10, 1));
    assert_ne!(other, text);
    fs::write(&path, other).unwrap();
    let error = opened(folder.path()).unwrap_err().to_string();
    assert!(error.contains("does not hold the lots"), "{error}");
}

#[test]
fn rows_that_are_altered_after_they_were_checked_are_not_imported() {
    let (folder, store) = (folder(), MemoryStore::new());
    let mut file = opened(folder.path()).unwrap();
    let rows = folder.path().join("block.rows");
    let mut altered = fs::read(&rows).unwrap();
    // A code's hash in the second chunk: neither counts nor sums change.
    altered[84 * CHUNK as usize + 20] ^= 1;
    fs::write(&rows, altered).unwrap();
    assert!(imported(&store, &mut file).unwrap_err().to_string().contains("altered"));
    let stands = block_on(async { Ok(store.blocks().await?) }).unwrap();
    assert!(!stands[0].complete && stands[0].imported == CHUNK);
}

#[test]
fn an_import_goes_on_where_it_stopped_and_a_second_one_adds_nothing() {
    let (folder, store) = (folder(), MemoryStore::new());
    let mut file = opened(folder.path()).unwrap();
    let block = file.manifest.block();
    // One that was killed after two transactions.
    block_on(async {
        store.add_emission(records::emission(ID.emission, &Terms::default())?).await?;
        store.begin_block(block).await?;
        for (at, tickets) in file.chunk(0)?.chunks(BATCH).take(2).enumerate() {
            store.import_chunk(ID, block.manifest, (at * BATCH) as u32, tickets.to_vec()).await?;
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(imported(&store, &mut file).unwrap(), COUNT - 2 * BATCH as u32);
    assert_eq!(imported(&store, &mut file).unwrap(), 0);
    let stands = block_on(async { Ok(store.blocks().await?) }).unwrap();
    assert_eq!(stands.len(), 1);
    assert!(stands[0].complete && stands[0].total_eur == 100_060);
}

#[test]
fn another_manifest_for_a_block_that_stands_is_refused() {
    let (folder, store) = (folder(), MemoryStore::new());
    imported(&store, &mut opened(folder.path()).unwrap()).unwrap();
    write(&manifest(folder.path()), ID, &Pepper([9; 32]), tickets(COUNT - 1)).unwrap();
    let error = imported(&store, &mut opened(folder.path()).unwrap()).unwrap_err().to_string();
    assert!(error.contains("another manifest"), "{error}");
}
