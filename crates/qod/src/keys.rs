//! The keys of an emission, as files of the data directory that only their owner can read: `keys/emission-001.draw`
//! and `keys/emission-001.pepper`, each 32 bytes in lower-case hex and a newline. They never lie in the database.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use seal::hash::{Bytes32, from_hex, to_hex};
use seal::{DrawKey, Pepper};
use server::EmissionKeys;

/// The keys' files, whose names have this after the emission's number.
const DRAW: &str = "draw";
const PEPPER: &str = "pepper";
/// A key's file: 64 digits and a newline.
const LEN: u64 = 65;

/// Why the keys of an emission cannot be read or made. No message holds anything of a key.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeyError {
    /// There is no such file.
    #[error(
        "the key {0} is missing: without it no ticket of its emission can be played; put it back from its copy, or \
         run `qod issue` if the emission is new"
    )]
    Missing(PathBuf),
    /// Others than its owner can read it.
    #[error("the key {0} can be read by others: run `chmod 600 {0}`, and ask who may have read it")]
    Open(PathBuf),
    /// It is no key.
    #[error("the key {0} is not 64 lower-case hex digits and a newline: put it back from its copy")]
    Malformed(PathBuf),
    /// It is there already, and is never overwritten.
    #[error("the key {0} exists already: tickets may depend on it, so it is never overwritten")]
    Exists(PathBuf),
    /// The file system refuses.
    #[error("the key {0} cannot be read or written")]
    Io(PathBuf, #[source] io::Error),
}

/// Reads the keys of an emission.
///
/// # Errors
/// A key is missing, malformed, or can be read by others.
pub(crate) fn read_keys(data: &Path, emission: u16) -> Result<EmissionKeys, KeyError> {
    Ok(EmissionKeys {
        draw: DrawKey(read(&path(data, emission, DRAW))?),
        pepper: Pepper(read(&path(data, emission, PEPPER))?),
    })
}

/// The keys of an emission under which nothing was issued yet: what is there of them is kept, what is missing is made
/// from `fresh`, which comes from a cryptographic source. On return both are on disk. Interrupted, it can be repeated.
///
/// # Errors
/// A key that is there is malformed or can be read by others (nothing is made), or one cannot be written.
pub(crate) fn complete_keys(data: &Path, emission: u16, fresh: [Bytes32; 2]) -> Result<EmissionKeys, KeyError> {
    let paths = [DRAW, PEPPER].map(|key| path(data, emission, key));
    make_folder(&data.join("keys"))?;
    let [draw, pepper] = [found(&paths[0])?, found(&paths[1])?];
    let keep = |path: &Path, found: Option<Bytes32>, fresh: Bytes32| {
        remove_unfinished(path)?;
        found.map_or_else(|| create(path, &fresh).map(|()| fresh), Ok)
    };
    let keys = EmissionKeys {
        draw: DrawKey(keep(&paths[0], draw, fresh[0])?),
        pepper: Pepper(keep(&paths[1], pepper, fresh[1])?),
    };
    // A name is durable once its folder is, that of a key which was there included.
    let folder = data.join("keys");
    sync_folder(&folder).map_err(|error| KeyError::Io(folder, error))?;
    Ok(keys)
}

fn path(data: &Path, emission: u16, key: &str) -> PathBuf {
    data.join("keys").join(format!("emission-{emission:03}.{key}"))
}

pub(crate) fn read(path: &Path) -> Result<Bytes32, KeyError> {
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => KeyError::Missing(path.to_owned()),
        _ => KeyError::Io(path.to_owned(), error),
    };
    let file = File::open(path).map_err(failed)?;
    if !is_private(&file.metadata().map_err(failed)?) {
        return Err(KeyError::Open(path.to_owned()));
    }
    let mut text = Vec::new();
    file.take(LEN + 1).read_to_end(&mut text).map_err(failed)?;
    let hex = text.strip_suffix(b"\n").and_then(|hex| str::from_utf8(hex).ok());
    hex.and_then(|hex| from_hex(hex).ok()).ok_or_else(|| KeyError::Malformed(path.to_owned()))
}

fn found(path: &Path) -> Result<Option<Bytes32>, KeyError> {
    match read(path) {
        Err(KeyError::Missing(_)) => Ok(None),
        read => read.map(Some),
    }
}

/// Writes a key that bears its name only once it is whole and on disk.
pub(crate) fn create(path: &Path, key: &Bytes32) -> Result<(), KeyError> {
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::AlreadyExists => KeyError::Exists(path.to_owned()),
        _ => KeyError::Io(path.to_owned(), error),
    };
    let unfinished = unfinished(path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&unfinished).map_err(failed)?;
    let written = file.write_all(format!("{}\n", to_hex(key)).as_bytes()).and_then(|()| file.sync_all());
    // Unlike a new name for the file, another link never takes the place of a key that is there.
    let linked = written.and_then(|()| fs::hard_link(&unfinished, path)).map_err(failed);
    linked.and(remove_unfinished(path))
}

fn unfinished(path: &Path) -> PathBuf {
    path.with_added_extension("unfinished")
}

/// Removes what a run that was interrupted may have left beside a key.
pub(crate) fn remove_unfinished(path: &Path) -> Result<(), KeyError> {
    let unfinished = unfinished(path);
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(KeyError::Io(unfinished, error)),
        _ => Ok(()),
    }
}

/// Makes the folder of the keys where it is missing, closed to other users.
pub(crate) fn make_folder(folder: &Path) -> Result<(), KeyError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(folder).and_then(|()| folder.parent().map_or(Ok(()), sync_folder));
    made.map_err(|error| KeyError::Io(folder.to_owned(), error))
}

#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn is_private(found: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o077 == 0
}

#[cfg(not(unix))]
fn is_private(_: &fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn data() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    const FRESH: [Bytes32; 2] = [[1; 32], [2; 32]];
    const OTHERS: [Bytes32; 2] = [[3; 32], [4; 32]];

    fn names(data: &Path) -> Vec<String> {
        let names = fs::read_dir(data.join("keys")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn keys_are_read_back_as_they_were_made_and_only_their_owner_can_read_them() {
        let data = data();
        let made = complete_keys(data.path(), 7, FRESH).unwrap();
        assert_eq!(made, EmissionKeys { draw: DrawKey([1; 32]), pepper: Pepper([2; 32]) });
        assert_eq!(read_keys(data.path(), 7).unwrap(), made);
        let mode = |name: &str| fs::metadata(data.path().join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode("keys"), 0o700);
        assert_eq!((mode("keys/emission-007.draw"), mode("keys/emission-007.pepper")), (0o600, 0o600));
        assert_eq!(names(data.path()), ["emission-007.draw", "emission-007.pepper"]);
    }

    #[test]
    fn a_key_is_never_overwritten() {
        let data = data();
        let made = complete_keys(data.path(), 1, FRESH).unwrap();
        assert_eq!(complete_keys(data.path(), 1, OTHERS).unwrap(), made);
        let draw = path(data.path(), 1, DRAW);
        assert!(matches!(create(&draw, &OTHERS[0]), Err(KeyError::Exists(there)) if there == draw));
        assert_eq!(read_keys(data.path(), 1).unwrap(), made);
    }

    #[test]
    fn what_was_interrupted_after_one_key_is_repeated_and_keeps_it() {
        for (kept, both) in [(DRAW, [FRESH[0], OTHERS[1]]), (PEPPER, [OTHERS[0], FRESH[1]])] {
            let data = data();
            complete_keys(data.path(), 1, FRESH).unwrap();
            let other = path(data.path(), 1, if kept == DRAW { PEPPER } else { DRAW });
            fs::remove_file(&other).unwrap();
            // Half a key under no key's name, and one that bears its name already.
            fs::write(unfinished(&other), "abab").unwrap();
            fs::hard_link(path(data.path(), 1, kept), unfinished(&path(data.path(), 1, kept))).unwrap();
            let made = complete_keys(data.path(), 1, OTHERS).unwrap();
            assert_eq!(made, EmissionKeys { draw: DrawKey(both[0]), pepper: Pepper(both[1]) });
            assert_eq!(read_keys(data.path(), 1).unwrap(), made);
            assert_eq!(names(data.path()), ["emission-001.draw", "emission-001.pepper"]);
        }
    }

    #[test]
    fn a_malformed_or_open_key_is_not_completed() {
        let data = data();
        complete_keys(data.path(), 1, FRESH).unwrap();
        let (draw, pepper) = (path(data.path(), 1, DRAW), path(data.path(), 1, PEPPER));
        fs::remove_file(&draw).unwrap();
        fs::set_permissions(&pepper, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(complete_keys(data.path(), 1, OTHERS), Err(KeyError::Open(open)) if open == pepper));
        fs::set_permissions(&pepper, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&pepper, "").unwrap();
        assert!(matches!(complete_keys(data.path(), 1, OTHERS), Err(KeyError::Malformed(bad)) if bad == pepper));
        assert!(!draw.exists());
    }

    #[test]
    fn a_key_that_is_missing_malformed_or_open_to_others_is_refused_with_its_path() {
        let data = data();
        assert!(matches!(read_keys(data.path(), 1), Err(KeyError::Missing(_))));
        complete_keys(data.path(), 1, FRESH).unwrap();
        let pepper = path(data.path(), 1, PEPPER);
        for text in ["", "\n", &"a".repeat(64), &format!("{}\n", "A".repeat(64)), &format!("{}\n\n", "a".repeat(64))] {
            fs::write(&pepper, text).unwrap();
            assert!(matches!(read_keys(data.path(), 1), Err(KeyError::Malformed(_))), "{text:?}");
        }
        for mode in [0o640, 0o604, 0o660, 0o700 | 0o001] {
            fs::set_permissions(&pepper, fs::Permissions::from_mode(mode)).unwrap();
            let refused = read_keys(data.path(), 1).unwrap_err();
            assert!(matches!(refused, KeyError::Open(_)), "{mode:o}");
            assert!(refused.to_string().contains("emission-001.pepper"));
        }
    }

    #[test]
    fn no_key_shows_in_an_error_or_in_debug() {
        let data = data();
        let keys = complete_keys(data.path(), 1, [[0xab; 32]; 2]).unwrap();
        fs::write(path(data.path(), 1, DRAW), "abababab").unwrap();
        let error = read_keys(data.path(), 1).unwrap_err();
        assert!(!format!("{error} {error:?} {keys:?}").contains("abab"));
    }
}
