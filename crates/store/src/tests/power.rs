//! What a loss of power leaves, and a full disk. kill -9 keeps what the kernel has taken; a loss of power keeps only
//! what was flushed. So a process writes with a recorder before its C library: every write to the database's files,
//! every flush and every answer, in order. Then the disk is put together as it may have been found after a loss of
//! power at many moments: what was flushed, and of the rest any part, down to single sectors. Nothing that had been
//! answered may be missing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::kill::{self, EVENTS, GAMES, Killed};
use super::{database, ticket};
use crate::*;

/// Builds the recorder; a C compiler is there wherever SQLite was built.
pub(crate) fn recorder(directory: &Path) -> PathBuf {
    let (source, built) = (directory.join("recorder.c"), directory.join("recorder.so"));
    fs::write(&source, include_str!("power/recorder.c")).unwrap();
    let compiled =
        Command::new("cc").args(["-shared", "-fPIC", "-O2", "-o"]).arg(&built).arg(&source).status().unwrap();
    assert!(compiled.success());
    built
}

/// What was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Did {
    Wrote,
    Truncated,
    Flushed,
    Answered,
}

#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) did: Did,
    pub(crate) file: usize,
    pub(crate) offset: usize,
    pub(crate) data: Vec<u8>,
}

pub(crate) fn records(path: &Path) -> Vec<Record> {
    let recorded = fs::read(path).unwrap();
    let (mut rest, mut records) = (recorded.as_slice(), Vec::new());
    while let Some((head, after)) = rest.split_first_chunk::<24>() {
        let length = u32::from_le_bytes(head[16..20].try_into().unwrap());
        let did = match head[0] {
            b'w' => Did::Wrote,
            b't' => Did::Truncated,
            b's' => Did::Flushed,
            b'a' => Did::Answered,
            other => panic!("a record of kind {other}"),
        };
        let offset = usize::try_from(u64::from_le_bytes(head[8..16].try_into().unwrap())).unwrap();
        let Some((data, after)) = after.split_at_checked(usize::try_from(length).unwrap()) else { break };
        records.push(Record { did, file: head[1].into(), offset, data: data.to_vec() });
        rest = after;
    }
    records
}

/// The database's files, by their place in what is recorded.
const FILES: [&str; 2] = ["qod.db", "qod.db-wal"];

/// A disk: what is surely there, and what was written since the last flush of that file.
#[derive(Default)]
struct Disk {
    flushed: [Vec<u8>; 2],
    pending: [Vec<Record>; 2],
}

impl Disk {
    fn take(&mut self, record: Record) {
        let file = record.file;
        match record.did {
            Did::Wrote | Did::Truncated => self.pending[file].push(record),
            Did::Flushed => {
                for record in std::mem::take(&mut self.pending[file]) {
                    apply(&mut self.flushed[file], &record);
                }
            }
            Did::Answered => {}
        }
    }

    /// The files as they may be found, by a choice for each sector that was not flushed.
    fn found(&self, directory: &Path, mut survives: impl FnMut() -> bool) {
        for ((name, flushed), pending) in FILES.iter().zip(&self.flushed).zip(&self.pending) {
            let mut content = flushed.clone();
            for record in pending {
                if record.did == Did::Truncated {
                    if survives() {
                        apply(&mut content, record);
                    }
                    continue;
                }
                for (sector, data) in record.data.chunks(512).enumerate() {
                    if survives() {
                        let offset = record.offset + sector * 512;
                        apply(&mut content, &Record { offset, data: data.to_vec(), ..*record });
                    }
                }
            }
            fs::write(directory.join(name), content).unwrap();
        }
    }
}

fn apply(content: &mut Vec<u8>, record: &Record) {
    if record.did == Did::Truncated {
        content.resize(record.offset, 0);
        return;
    }
    let end = record.offset + record.data.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    content[record.offset..end].copy_from_slice(&record.data);
}

#[test]
fn nothing_answered_is_lost_when_the_power_fails_at_any_moment() {
    let directory = tempfile::tempdir().unwrap();
    let recorded = directory.path().join("recorded");
    let mut writing = kill::command(&database(directory.path()));
    writing.env("LD_PRELOAD", recorder(directory.path())).env("RECORD", &recorded).env("RECORD_NAMES", FILES.join("|"));
    let status =
        writing.env(kill::APPENDS, "200").stdout(fs::File::create(directory.path().join("out")).unwrap()).status();
    assert!(status.unwrap().success());

    let records = records(&recorded);
    let answers = records.iter().filter(|record| record.did == Did::Answered).count();
    let flushes = |file| records.iter().filter(|record| record.did == Did::Flushed && record.file == file).count();
    let (to_log, to_database) = (flushes(1), flushes(0));
    let (mut disk, mut acknowledged) = (Disk::default(), BTreeMap::new());
    // A fixed sequence: the same moments and the same leftovers at each run.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut losses = 0;
    for record in records {
        if record.did == Did::Answered {
            for line in String::from_utf8_lossy(&record.data).lines() {
                acknowledged.extend(kill::acknowledgement(line));
            }
        }
        disk.take(record);
        // From the first answer on: before it even the schema may be half there.
        if acknowledged.is_empty() || !random().is_multiple_of(23) {
            continue;
        }
        let found = tempfile::tempdir().unwrap();
        match losses % 4 {
            0 => disk.found(found.path(), || false),
            1 => disk.found(found.path(), || true),
            _ => disk.found(found.path(), || random().is_multiple_of(2)),
        }
        kill::check(&database(found.path()), &acknowledged);
        losses += 1;
    }
    assert!(losses > 100, "{losses} losses of power");
    assert!(answers > 1000 && to_log > 50, "{answers} answers, {to_log} flushes");
    assert!(to_database > 1, "the log was moved into the database at least once under way");
}

#[test]
fn a_full_disk_is_a_clear_error_that_loses_nothing_and_passes() {
    let directory = tempfile::tempdir().unwrap();
    let full = directory.path().join("full");
    let mut writing = kill::command(&database(directory.path()));
    writing
        .env("LD_PRELOAD", recorder(directory.path()))
        .env("RECORD_NAMES", FILES.join("|"))
        .env("RECORD_FULL", &full);
    let mut writing = Killed(writing.spawn().unwrap());
    let mut acknowledged = BTreeMap::new();
    let (mut rounds, mut seen) = (0, 0);
    for line in kill::lines(&mut writing) {
        // Answers while there is room, refusals while there is none; what is still on its way of the other kind is not
        // counted.
        if let Some((n, version)) = kill::acknowledgement(&line) {
            acknowledged.insert(n, version);
            seen += usize::from(!full.exists());
        } else if line.starts_with("refused ") {
            assert_eq!(line, format!("refused {}", StoreError::Full));
            seen += usize::from(full.exists());
        }
        match (seen, rounds, full.exists()) {
            (200.., 3, false) => writing.0.kill().unwrap(),
            (200.., _, false) => {
                fs::write(&full, "").unwrap();
                seen = 0;
            }
            (50.., _, true) => {
                fs::remove_file(&full).unwrap();
                (seen, rounds) = (0, rounds + 1);
            }
            _ => {}
        }
    }
    writing.0.wait().unwrap();
    assert_eq!(rounds, 3);
    kill::check(&database(directory.path()), &acknowledged);
}

#[tokio::test]
async fn a_disk_that_cannot_be_written_is_a_clear_error_and_what_is_there_is_left() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = database(directory.path());
    {
        let store = SqliteStore::open(&path).unwrap();
        super::furnish(&store).await;
        store.append(super::append(1, 0)).await.unwrap();
        store.close().await.unwrap();
    }
    let before = fs::read(&path).unwrap();
    // As a user who may only read: rights do not stop root, who runs tests in CI.
    let nobody = 65_534;
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let mut opening = kill::command(&path);
    if fs::metadata("/proc/self").map(|own| std::os::unix::fs::MetadataExt::uid(&own)).unwrap() == 0 {
        std::os::unix::process::CommandExt::uid(&mut opening, nobody);
    }
    let output = opening.env(kill::APPENDS, "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains(&format!("refused {}", StoreError::ReadOnly)), "{said} {:?}", output.stderr);
    assert_eq!(fs::read(&path).unwrap(), before);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.load(ticket(1).id).await.unwrap().unwrap().game.version, Version(1));
}

const _: () = assert!(EVENTS == 2 && GAMES > 0, "what is checked is what is written");
