//! The file that a server is given of a block (`docs/import-v1.md`): a manifest, and rows of a fixed width beside it. No secret is in it.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use rules::{PotentialGain, TicketNumber};
use seal::hash::{Bytes32, Keyed, from_hex, sha256, to_hex};
use seal::json::Writer;
use seal::{Json, Pepper};
use store::{Block, BlockId, Digest, KeyedHash, Ticket, TicketId};

/// What the first member of a manifest says.
const FORMAT: &str = "qod import/1";
/// How many tickets have one checksum together.
pub(crate) const CHUNK: u32 = 50_000;
/// The bytes of a row: its ticket's id, the keyed hashes of code and control code, and the potential gain.
const ROW: usize = 16 + 32 + 32 + 4;
/// The longest manifest that is read, in bytes: that of 3,000,000 tickets has some 5,000.
const LONGEST_MANIFEST: u64 = 1 << 20;

/// A manifest, whose sums were found to agree with each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// The emission and the block.
    pub(crate) id: BlockId,
    /// How many tickets it has.
    pub(crate) tickets: u32,
    /// How many of each potential gain, in the règlement's order.
    pub(crate) lots: [u32; PotentialGain::ALL.len()],
    /// What [`pepper_check`] gives of the pepper that its codes are hashed with.
    pub(crate) pepper: Bytes32,
    /// The checksums of its chunks of [`CHUNK`] rows, in order; the last one may have fewer.
    pub(crate) chunks: Vec<Bytes32>,
}

impl Manifest {
    /// As the store takes it, with the digest of its own bytes.
    pub(crate) fn block(&self) -> Block {
        let lots = || PotentialGain::ALL.iter().zip(self.lots);
        Block {
            id: self.id,
            manifest: Digest(sha256(&[self.to_json().as_bytes()])),
            tickets: self.tickets,
            winning: self.lots.iter().sum(),
            total_eur: lots().map(|(gain, count)| u64::from(gain.eur()) * u64::from(count)).sum(),
        }
    }

    /// Its one form: what is read must be this to the byte.
    pub(crate) fn to_json(&self) -> String {
        let mut w = Writer::new();
        w.object(|w| {
            w.key("format").string(FORMAT);
            w.key("emission").int(self.id.emission.into());
            w.key("block").int(self.id.block.into());
            w.key("tickets").int(self.tickets.into());
            w.key("lots").array(|w| {
                for (gain, count) in PotentialGain::ALL.iter().zip(self.lots) {
                    w.object(|w| {
                        w.key("potential_gain_eur").int(gain.eur().into());
                        w.key("tickets").int(count.into());
                    });
                }
            });
            w.key("pepper_check").string(&to_hex(&self.pepper));
            w.key("chunks").array(|w| self.chunks.iter().for_each(|chunk| w.string(&to_hex(chunk))));
        });
        w.finish() + "\n"
    }

    fn from_json(text: &str) -> Option<Self> {
        let json = Json::parse(text.strip_suffix('\n')?).ok()?;
        let int = |json: &Json, name: &str| u32::try_from(json.get(name)?.as_int()?).ok();
        (json.get("format")?.as_str()? == FORMAT).then_some(())?;
        let mut lots = [0; PotentialGain::ALL.len()];
        let listed = json.get("lots")?.as_array()?;
        for ((lot, gain), count) in listed.iter().zip(PotentialGain::ALL).zip(&mut lots) {
            (int(lot, "potential_gain_eur")? == gain.eur()).then_some(())?;
            *count = int(lot, "tickets")?;
        }
        let chunks = json.get("chunks")?.as_array()?.iter();
        let chunks = chunks.map(|chunk| from_hex(chunk.as_str()?).ok()).collect::<Option<_>>()?;
        let id = BlockId {
            emission: int(&json, "emission")?.try_into().ok()?,
            block: int(&json, "block")?.try_into().ok()?,
        };
        let pepper = from_hex(json.get("pepper_check")?.as_str()?).ok()?;
        let manifest = Self { id, tickets: int(&json, "tickets")?, lots, pepper, chunks };
        // Whatever else it held, or held otherwise, is not in the only form that it has.
        (manifest.to_json() == text && manifest.is_whole()).then_some(manifest)
    }

    fn is_whole(&self) -> bool {
        let winning = self.lots.iter().try_fold(0u32, |sum, lot| sum.checked_add(*lot));
        winning.is_some_and(|winning| winning <= self.tickets)
            && TicketNumber::new(self.id.emission, self.id.block, self.tickets).is_some()
            && self.chunks.len() as u64 == u64::from(self.tickets).div_ceil(CHUNK.into())
    }
}

/// Where the rows of a manifest lie: beside it, under the same name.
fn rows_of(manifest: &Path) -> PathBuf {
    manifest.with_extension("rows")
}

/// A block's file, opened: every chunk of it was read once and found to be what the manifest says.
#[derive(Debug)]
pub(crate) struct BlockFile {
    /// Its manifest.
    pub(crate) manifest: Manifest,
    rows: File,
    path: PathBuf,
}

impl BlockFile {
    /// Opens a manifest and its rows, and checks all of it. `progress` is told how many tickets are checked, of how many.
    ///
    /// # Errors
    /// One of the two cannot be read, or is not what it should be.
    pub(crate) fn open(manifest: &Path, mut progress: impl FnMut(u32, u32)) -> anyhow::Result<Self> {
        let (name, path) = (manifest.display(), rows_of(manifest));
        let mut text = String::new();
        let opened = File::open(manifest).with_context(|| format!("cannot read {name}"))?;
        let read = opened.take(LONGEST_MANIFEST).read_to_string(&mut text);
        read.with_context(|| format!("{name} is no manifest of a block"))?;
        let manifest = Manifest::from_json(&text).with_context(|| {
            format!("{name} is no manifest of a block, or was altered: ask for it again from who issued the block")
        })?;
        let rows =
            File::open(&path).with_context(|| format!("cannot read {}, the rows of the block", path.display()))?;
        let mut file = Self { manifest, rows, path };
        let bytes = file.rows.metadata()?.len();
        let expected = u64::from(file.manifest.tickets) * ROW as u64;
        ensure!(
            bytes == expected,
            "{} has {bytes} bytes where its manifest asks for {expected}: it was cut off or altered; copy it again",
            file.path.display()
        );
        let mut lots = [0u32; PotentialGain::ALL.len()];
        for first in (0..file.manifest.tickets).step_by(CHUNK as usize) {
            for ticket in file.chunk(first)? {
                let lot = PotentialGain::ALL.iter().position(|gain| gain.eur() == ticket.potential_gain_eur);
                if let Some(lot) = lot.and_then(|lot| lots.get_mut(lot)) {
                    *lot += 1;
                }
            }
            progress((first + CHUNK).min(file.manifest.tickets), file.manifest.tickets);
        }
        ensure!(
            lots == file.manifest.lots,
            "{} does not hold the lots that its manifest lists: the block was made wrongly, nothing was imported",
            file.path.display()
        );
        Ok(file)
    }

    /// The tickets of the chunk that this offset lies in, from the offset on. The chunk is checked each time that it is read.
    ///
    /// # Errors
    /// It cannot be read, or is not what the manifest says.
    pub(crate) fn chunk(&mut self, from: u32) -> anyhow::Result<Vec<Ticket>> {
        let BlockId { emission, block } = self.manifest.id;
        let (at, skipped) = (from / CHUNK, from % CHUNK);
        let (first, path) = (at * CHUNK, self.path.display());
        let mut bytes = vec![0; CHUNK.min(self.manifest.tickets.saturating_sub(first)) as usize * ROW];
        self.rows.seek(SeekFrom::Start(u64::from(first) * ROW as u64))?;
        BufReader::new(&self.rows).read_exact(&mut bytes).with_context(|| format!("cannot read {path}"))?;
        let wrong = || {
            format!(
                "chunk {at} of {path} (tickets {} on) is not what its manifest says: it was altered; copy it again",
                first + 1
            )
        };
        ensure!(self.manifest.chunks.get(at as usize) == Some(&checksum(self.manifest.id, first, &bytes)), wrong());
        let rows = bytes.chunks_exact(ROW).zip(first + 1..).skip(skipped as usize);
        let tickets = rows.map(|(row, serial)| ticket(row, store::TicketNumber { emission, block, serial }));
        tickets.collect::<Option<_>>().with_context(wrong)
    }
}

/// The checksum of a chunk: of its rows, and of where they belong.
fn checksum(id: BlockId, first: u32, rows: &[u8]) -> Bytes32 {
    sha256(&[FORMAT.as_bytes(), &id.emission.to_be_bytes(), &id.block.to_be_bytes(), &first.to_be_bytes(), rows])
}

/// By what a server tells whether a block's codes are hashed with the pepper that it holds: HMAC-SHA-256 of a fixed text.
pub(crate) fn pepper_check(pepper: &Pepper) -> Bytes32 {
    Keyed::new(&pepper.0).mac(&[b"qod/1 pepper check"])
}

/// Writes the file of a block; whole and on disk before the manifest bears its name.
pub(crate) fn write(
    path: &Path,
    id: BlockId,
    pepper: &Pepper,
    tickets: impl Iterator<Item = anyhow::Result<Ticket>>,
) -> anyhow::Result<()> {
    let rows = rows_of(path);
    let cannot = |path: &Path| format!("cannot write {}", path.display());
    let mut out = BufWriter::new(File::create(&rows).with_context(|| cannot(&rows))?);
    let mut manifest = Manifest {
        id,
        tickets: 0,
        lots: [0; PotentialGain::ALL.len()],
        pepper: pepper_check(pepper),
        chunks: Vec::new(),
    };
    let mut chunk = Vec::with_capacity(CHUNK as usize * ROW);
    for ticket in tickets {
        let ticket = ticket?;
        manifest.tickets += 1;
        if let Some(lot) = PotentialGain::ALL.iter().position(|gain| gain.eur() == ticket.potential_gain_eur) {
            manifest.lots[lot] += 1;
        } else if ticket.potential_gain_eur != 0 {
            bail!("ticket {:?} has a potential gain that the règlement does not have", ticket.number);
        }
        chunk.extend(ticket.id.0);
        chunk.extend(ticket.code_hash.0);
        chunk.extend(ticket.control_hash.0);
        chunk.extend(ticket.potential_gain_eur.to_be_bytes());
        if manifest.tickets.is_multiple_of(CHUNK) {
            manifest.chunks.push(checksum(id, manifest.tickets - CHUNK, &chunk));
            out.write_all(&chunk)?;
            chunk.clear();
        }
    }
    if !chunk.is_empty() {
        let first = manifest.tickets - manifest.tickets % CHUNK;
        manifest.chunks.push(checksum(id, first, &chunk));
        out.write_all(&chunk)?;
    }
    out.into_inner()?.sync_all().with_context(|| cannot(&rows))?;
    let unfinished = path.with_extension("unfinished");
    let mut out = File::create(&unfinished).with_context(|| cannot(&unfinished))?;
    out.write_all(manifest.to_json().as_bytes())?;
    out.sync_all()?;
    std::fs::rename(&unfinished, path).with_context(|| cannot(path))?;
    Ok(())
}

fn ticket(row: &[u8], number: store::TicketNumber) -> Option<Ticket> {
    let eur = u32::from_be_bytes(row.get(80..ROW)?.try_into().ok()?);
    (eur == 0 || PotentialGain::from_eur(eur.into()).is_some()).then_some(())?;
    Some(Ticket {
        id: TicketId(row.get(..16)?.try_into().ok()?),
        number,
        code_hash: KeyedHash(row.get(16..48)?.try_into().ok()?),
        control_hash: KeyedHash(row.get(48..80)?.try_into().ok()?),
        potential_gain_eur: eur,
    })
}
