//! The receipt keys of a data directory. `keys/receipts.json` is the published list (`docs/receipts-v1.md`), of public halves alone; the secret half of a
//! key lies in `keys/receipts-<id>.secret`, or is given in the environment. Neither ever lies in the database.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use rules::Timestamp;
use seal::hash::{Bytes32, from_hex};
use seal::receipt::{KeyId, PublishedKey, PublishedKeys, ReceiptKey};
use server::ReceiptKeys;

use crate::keys::{create, make_folder, read, remove_unfinished, sync_folder};

/// Holds secret halves beside, or instead of, their files: 64 hex digits each, with commas or spaces between.
const ENVIRONMENT: &str = "QOD_RECEIPT_KEYS";
/// How long the secret half of a retired key stays: servers whose clock is behind may still need it.
const KEPT_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// The list of a data directory.
pub(crate) fn list_file(data: &Path) -> PathBuf {
    data.join("keys").join("receipts.json")
}

/// The secret half of a key.
pub(crate) fn secret_file(data: &Path, id: KeyId) -> PathBuf {
    data.join("keys").join(format!("receipts-{id}.secret"))
}

/// The published list; none where no key was ever made.
///
/// # Errors
/// It cannot be read, or is none; or it is gone while there are keys.
pub(crate) fn published(data: &Path) -> anyhow::Result<Option<PublishedKeys>> {
    let file = list_file(data);
    match fs::read_to_string(&file) {
        Ok(text) => match PublishedKeys::from_json(&text) {
            Ok(keys) => Ok(Some(keys)),
            Err(bad) => anyhow::bail!("{}: {bad}; put it back from its copy", file.display()),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => {
            anyhow::ensure!(
                !has_secrets(data)?,
                "{} is missing, but there are receipt keys: put it back from its copy (any server of yours publishes it \
                 at /.well-known/qod-keys.json)",
                file.display()
            );
            Ok(None)
        }
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}

fn has_secrets(data: &Path) -> anyhow::Result<bool> {
    let folder = data.join("keys");
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        entries => entries.with_context(|| format!("cannot read {}", folder.display()))?,
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.into_iter().any(|name| name.starts_with("receipts-") && name.ends_with(".secret")))
}

/// The keys to serve with: the list, and every secret half that is here.
///
/// # Errors
/// The list, or a secret half, is missing or not as it should be; or none signs now.
pub(crate) fn receipt_keys(data: &Path, now: Timestamp) -> anyhow::Result<ReceiptKeys> {
    let list = published(data)?.with_context(|| no_key(data))?;
    let mut signers = given(std::env::var(ENVIRONMENT).ok().as_deref())?;
    for key in list.all() {
        let file = secret_file(data, key.public.id());
        if file.try_exists().with_context(|| format!("cannot read {}", file.display()))? {
            let signer = ReceiptKey::from_secret(&read(&file)?);
            anyhow::ensure!(
                signer.id() == key.public.id(),
                "{} holds another key than its name says: put it back from its copy",
                file.display()
            );
            signers.push(signer);
        }
    }
    let keys = ReceiptKeys::new(list, signers)?;
    anyhow::ensure!(
        keys.signer(now).is_some(),
        "no receipt key signs now: put the secret half of the current one back ({}), or make a new one by `qod keys \
         rotate --data {}`",
        data.join("keys").display(),
        data.display()
    );
    Ok(keys)
}

fn no_key(data: &Path) -> String {
    format!("there is no receipt key in {}: run `qod keys rotate --data {}`", data.display(), data.display())
}

/// The secret halves that the environment gives.
fn given(text: Option<&str>) -> anyhow::Result<Vec<ReceiptKey>> {
    let words = text.unwrap_or_default().split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
    // The text is a secret: only its name is told.
    let key = |word| from_hex(word).map(|secret| ReceiptKey::from_secret(&secret));
    let keys: Result<_, _> = words.map(key).collect();
    keys.ok().with_context(|| format!("{ENVIRONMENT} is not keys of 64 lower-case hex digits, with commas between"))
}

/// Makes the first key, in use from now on, where there is none yet. Tells whether it did.
///
/// # Errors
/// See [`published`]; or it cannot be written.
pub(crate) fn complete_receipt_keys(data: &Path, now: Timestamp, fresh: &Bytes32) -> anyhow::Result<bool> {
    let missing = published(data)?.is_none();
    if missing {
        add(data, Vec::new(), now, fresh)?;
    }
    Ok(missing)
}

/// What a rotation did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rotated {
    /// The key that signs from that instant on.
    pub(crate) next: KeyId,
    /// Those that are retired then.
    pub(crate) retired: Vec<KeyId>,
    /// Those retired long ago, whose secret halves are destroyed.
    pub(crate) destroyed: Vec<KeyId>,
}

/// Makes a key that takes over at `from`, and retires those in use at that instant. Their public halves stay for ever.
///
/// # Errors
/// A rotation is under way already, or something cannot be read or written.
pub(crate) fn rotate(data: &Path, now: Timestamp, from: Timestamp, fresh: &Bytes32) -> anyhow::Result<Rotated> {
    let mut keys = published(data)?.map(|list| list.all().to_vec()).unwrap_or_default();
    anyhow::ensure!(
        keys.iter().all(|key| key.from <= now),
        "a key that was made before has not taken over yet: wait for its time (`qod keys list`)"
    );
    let mut retired = Vec::new();
    for key in keys.iter_mut().filter(|key| key.until.is_none()) {
        key.until = Some(from);
        retired.push(key.public.id());
    }
    let next = add(data, keys.clone(), from, fresh)?;
    let mut destroyed = Vec::new();
    for key in &keys {
        let long_ago = key.until.is_some_and(|until| until.millis().saturating_add(KEPT_MILLIS) <= now.millis());
        let file = secret_file(data, key.public.id());
        if long_ago && file.exists() {
            fs::remove_file(&file).with_context(|| format!("cannot destroy {}", file.display()))?;
            destroyed.push(key.public.id());
        }
    }
    Ok(Rotated { next, retired, destroyed })
}

/// The secret half first, then the list that names it: whoever reads the list finds it.
fn add(data: &Path, mut keys: Vec<PublishedKey>, from: Timestamp, fresh: &Bytes32) -> anyhow::Result<KeyId> {
    let folder = data.join("keys");
    make_folder(&folder)?;
    let key = ReceiptKey::from_secret(fresh);
    let file = secret_file(data, key.id());
    remove_unfinished(&file)?;
    create(&file, fresh)?;
    keys.push(PublishedKey { public: key.public(), from, until: None });
    let list = PublishedKeys::new(keys).map_err(|bad| anyhow::anyhow!("{bad}"))?;
    write_list(data, &list).with_context(|| format!("cannot write {}", list_file(data).display()))?;
    Ok(key.id())
}

/// Whole and on disk before it bears its name.
fn write_list(data: &Path, list: &PublishedKeys) -> std::io::Result<()> {
    let (file, unfinished) = (list_file(data), list_file(data).with_extension("unfinished"));
    let mut out = fs::File::create(&unfinished)?;
    writeln!(out, "{}", list.to_json())?;
    out.sync_all()?;
    fs::rename(&unfinished, &file)?;
    file.parent().map_or(Ok(()), sync_folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn signs(data: &Path, millis: i64) -> Option<KeyId> {
        receipt_keys(data, at(millis)).ok().map(|keys| keys.signer(at(millis)).unwrap().id())
    }

    fn id(byte: u8) -> KeyId {
        ReceiptKey::from_secret(&[byte; 32]).id()
    }

    const HOUR: i64 = 60 * 60 * 1000;

    #[test]
    fn the_first_key_is_made_once_and_signs_from_then_on() {
        let data = tempfile::tempdir().unwrap();
        let data = data.path();
        assert!(receipt_keys(data, at(HOUR)).unwrap_err().to_string().contains("qod keys rotate"));
        assert!(complete_receipt_keys(data, at(HOUR), &[1; 32]).unwrap());
        assert!(!complete_receipt_keys(data, at(2 * HOUR), &[2; 32]).unwrap());
        assert_eq!([HOUR - 1, HOUR, 99 * HOUR].map(|now| signs(data, now)), [None, Some(id(1)), Some(id(1))]);
    }

    #[test]
    fn a_key_takes_over_at_its_instant_and_the_one_before_stays_published_for_ever() {
        let data = tempfile::tempdir().unwrap();
        let data = data.path();
        complete_receipt_keys(data, at(0), &[1; 32]).unwrap();
        let rotated = rotate(data, at(HOUR), at(2 * HOUR), &[2; 32]).unwrap();
        assert_eq!(rotated, Rotated { next: id(2), retired: vec![id(1)], destroyed: vec![] });
        assert_eq!([2 * HOUR - 1, 2 * HOUR].map(|now| signs(data, now)), [Some(id(1)), Some(id(2))]);
        assert!(rotate(data, at(HOUR), at(3 * HOUR), &[3; 32]).unwrap_err().to_string().contains("not taken over"));
        // Two days later the first secret half has no use any more.
        let rotated = rotate(data, at(50 * HOUR), at(51 * HOUR), &[3; 32]).unwrap();
        assert_eq!(rotated, Rotated { next: id(3), retired: vec![id(2)], destroyed: vec![id(1)] });
        assert!(!secret_file(data, id(1)).exists());
        let list = published(data).unwrap().unwrap();
        assert_eq!(list.all().iter().map(|key| key.public.id()).collect::<Vec<_>>(), [id(1), id(2), id(3)]);
        assert_eq!(signs(data, 51 * HOUR), Some(id(3)));
    }

    #[test]
    fn a_secret_half_is_for_its_owner_alone_and_shows_in_no_error() {
        use std::os::unix::fs::PermissionsExt as _;
        let data = tempfile::tempdir().unwrap();
        let data = data.path();
        complete_receipt_keys(data, at(0), &[0xab; 32]).unwrap();
        let file = secret_file(data, id(0xab));
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let open = format!("{:#}", receipt_keys(data, at(1)).unwrap_err());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&file, "abababab\n").unwrap();
        let malformed = format!("{:#}", receipt_keys(data, at(1)).unwrap_err());
        let environment = format!("{:#}", given(Some("abababab")).unwrap_err());
        assert!(open.contains("chmod 600") && malformed.contains("copy") && environment.contains(ENVIRONMENT));
        assert!(![open, malformed, environment].iter().any(|error| error.contains("abab")));
        assert!(!fs::read_to_string(list_file(data)).unwrap().contains("abab"));
    }

    #[test]
    fn what_is_lost_is_told_and_never_made_anew() {
        let data = tempfile::tempdir().unwrap();
        let data = data.path();
        complete_receipt_keys(data, at(0), &[1; 32]).unwrap();
        let list = fs::read_to_string(list_file(data)).unwrap();
        fs::remove_file(list_file(data)).unwrap();
        assert!(complete_receipt_keys(data, at(1), &[2; 32]).unwrap_err().to_string().contains("put it back"));
        fs::write(list_file(data), list).unwrap();
        fs::remove_file(secret_file(data, id(1))).unwrap();
        assert!(receipt_keys(data, at(1)).unwrap_err().to_string().contains("no receipt key signs now"));
        // Lost for good: another one takes over, and what the first signed can still be checked.
        rotate(data, at(1), at(2), &[2; 32]).unwrap();
        assert_eq!(signs(data, 2), Some(id(2)));
        assert!(published(data).unwrap().unwrap().get(id(1)).is_some());
    }

    #[test]
    fn a_key_is_taken_from_the_environment_too() {
        let hex = |byte: u8| seal::hash::to_hex(&[byte; 32]);
        let ids = |text: &str| given(Some(text)).unwrap().iter().map(ReceiptKey::id).collect::<Vec<_>>();
        assert_eq!(ids(&format!("{},{}", hex(1), hex(2))), [id(1), id(2)]);
        assert_eq!(ids(&format!(" {}\n", hex(1))), [id(1)]);
        assert!(given(None).unwrap().is_empty());
    }
}
