//! Office productivity: documents are opened, read and written in small pieces. A large archive, in
//! which an office program keeps everything else, is searched and filled.
//!
//! Four of five accesses are small: many of 1 kB and 4 kB, half of all reads below 2.2 kB and half of
//! all writes below 1.8 kB. The fifth transfers 64 KiB, so that the total equals the published bytes.
//! The length of sequential runs is fitted to the published sequential share.
//!
//! Not published, and chosen here: which files exist before, how accesses are spread over files, and the
//! 64 KiB.

use reelgauge_record::OpenBits;
use reelgauge_workload::random::Dice;

use crate::error::TraceError;
use crate::synth::draw::{Pieces, between, log_normal, shuffle, unit};
use crate::synth::tape::{Handle, SyntheticWriter};

const FILES: usize = 607;
/// Files that the programs create.
const NEW_FILES: usize = 240;
/// New documents are smaller than this.
const NEW_BYTES: u64 = 300_000;
/// Documents of at least this size are edited repeatedly.
const WORKED_ON_BYTES: u64 = 400_000;
const SMALLEST_BYTES: u64 = 12;
const LARGEST_BYTES: u64 = 210_000_000;
/// Bytes read, and the same number written.
const BYTES_EACH_WAY: u64 = 1_400_000_000;
/// 2.8 GB at Table 1's 0.77 MB/s.
const SPAN_NS: f64 = 2.8e12 / 0.77;
/// Size of a large access, and the share of large accesses.
const BULK: u32 = 64 << 10;
const BULK_SHARE: f64 = 0.20;
const OFFICE: u32 = 7;

/// Small reads. With the large ones, 48 % of all are below this table's fourth row and 48 % above.
const READ: Pieces = Pieces(&[
    (8, 12, 1023),
    (24, 1024, 1024),
    (16, 1025, 2149),
    (4, 2150, 2250),
    (14, 2251, 16_384),
    (14, 4096, 4096),
]);
/// Small writes, with the same split around the fourth row.
const WRITE: Pieces = Pieces(&[
    (4, 12, 1023),
    (42, 1024, 1024),
    (2, 1025, 1749),
    (4, 1750, 1850),
    (18, 1851, 16_384),
    (10, 4096, 4096),
]);

/// A file and its access history.
#[derive(Clone, Copy)]
struct Document {
    file: u32,
    bytes: u64,
    is_new: bool,
}

struct Day<'t, 'a> {
    tape: &'t mut SyntheticWriter<'a>,
    dice: Dice,
    run_mean: f64,
    archive: Handle,
    archive_bytes: u64,
    /// Large accesses so far: reads, writes.
    bulk: [u64; 2],
}

pub(super) fn play(tape: &mut SyntheticWriter<'_>, seed: u64, run_mean: f64) -> Result<(), TraceError> {
    let mut dice = Dice::new(seed, OFFICE);
    let archive_file = tape.found("mail/archive.pst".to_owned(), LARGEST_BYTES)?;
    let mut documents = documents(tape, &mut dice)?;
    shuffle(&mut dice, &mut documents);
    let worked_on: Vec<Document> = documents
        .iter()
        .filter(|document| !document.is_new && document.bytes >= WORKED_ON_BYTES)
        .copied()
        .collect();
    let archive = tape.open(archive_file, OpenBits::READ.with(OpenBits::WRITE))?;
    let mut day = Day { tape, dice, run_mean, archive, archive_bytes: LARGEST_BYTES, bulk: [0; 2] };
    let mut first_visits = documents.iter();
    let mut visited = 0_usize;
    while day.moved() < 2 * BYTES_EACH_WAY {
        let progress = day.moved() as f64 / (2 * BYTES_EACH_WAY) as f64;
        day.tape.wait_until((SPAN_NS * progress) as u64);
        // First visits are spread over the day and end a little before it.
        let due = (progress * 1.02 * documents.len() as f64) as usize + 1;
        while visited < due.min(documents.len()) {
            if let Some(document) = first_visits.next() {
                day.first_visit(*document)?;
            }
            visited += 1;
        }
        let again = day.dice.pick(&worked_on).copied();
        day.work(again)?;
    }
    day.tape.close(archive)
}

/// All files but the archive, with sizes typical of an office.
fn documents(tape: &mut SyntheticWriter<'_>, dice: &mut Dice) -> Result<Vec<Document>, TraceError> {
    let mut sizes = vec![SMALLEST_BYTES];
    sizes.resize_with(FILES - 1, || log_normal(dice, 40_000.0, 2.9).clamp(SMALLEST_BYTES + 1, 20_000_000));
    let mut documents = Vec::with_capacity(sizes.len());
    let mut new_files = 0;
    for (at, bytes) in sizes.into_iter().enumerate() {
        let is_new = at % 2 == 1 && bytes < NEW_BYTES && new_files < NEW_FILES;
        new_files += usize::from(is_new);
        let path = format!("documents/{}-{at:03}.doc", if is_new { "new" } else { "old" });
        let file = if is_new { tape.absent(path)? } else { tape.found(path, bytes)? };
        documents.push(Document { file, bytes, is_new });
    }
    Ok(documents)
}

impl Day<'_, '_> {
    fn moved(&self) -> u64 {
        self.tape.tally().bytes()
    }

    /// Opens a document: reads all of it, or only its beginning if it is large. A new document is
    /// created and written.
    fn first_visit(&mut self, document: Document) -> Result<(), TraceError> {
        let handle = if document.is_new {
            self.tape.create(document.file)?
        } else {
            self.tape.open(document.file, OpenBits::READ)?
        };
        let end = document.bytes.min(NEW_BYTES);
        let mut offset = 0;
        while offset < end {
            let left = end - offset;
            let is_bulk = left >= u64::from(BULK) && self.is_bulk_due(document.is_new);
            let len = if is_bulk { BULK } else { self.small(document.is_new) };
            let len = u64::from(len).min(left) as u32;
            self.access(handle, document.is_new, offset, len)?;
            offset += u64::from(len);
        }
        self.tape.close(handle)
    }

    /// Some runs in a document and in the archive: reads or writes, whichever is further below its
    /// share.
    fn work(&mut self, document: Option<Document>) -> Result<(), TraceError> {
        let handle = match document {
            Some(document) => {
                Some((self.tape.open(document.file, OpenBits::READ.with(OpenBits::WRITE))?, document.bytes))
            }
            None => None,
        };
        for _ in 0..between(&mut self.dice, 4, 12) {
            let tally = self.tape.tally();
            let is_write = tally.written_bytes < tally.read_bytes;
            let is_bulk = self.is_bulk_due(is_write);
            let pieces: Vec<u32> =
                (0..self.run()).map(|_| if is_bulk { BULK } else { self.small(is_write) }).collect();
            let bytes: u64 = pieces.iter().map(|&len| u64::from(len)).sum();
            let archive = (self.archive, self.archive_bytes);
            let (handle, size) = handle.filter(|(_, size)| !is_bulk && *size > bytes).unwrap_or(archive);
            let mut offset = self.dice.below(size.saturating_sub(bytes).max(1));
            for len in pieces {
                self.access(handle, is_write, offset, len)?;
                offset += u64::from(len);
            }
        }
        match handle {
            Some((handle, _)) => self.tape.close(handle),
            None => Ok(()),
        }
    }

    fn access(&mut self, handle: Handle, is_write: bool, offset: u64, len: u32) -> Result<(), TraceError> {
        self.bulk[usize::from(is_write)] += u64::from(len == BULK);
        let ns = between(&mut self.dice, 300_000, 2_500_000) + u64::from(len) * 15;
        self.tape.pause(ns);
        if is_write { self.tape.write(handle, offset, len) } else { self.tape.read(handle, offset, len) }
    }

    /// Whether large accesses are below their share.
    fn is_bulk_due(&self, is_write: bool) -> bool {
        let tally = self.tape.tally();
        let all = if is_write { tally.writes } else { tally.reads };
        (self.bulk[usize::from(is_write)] as f64) < BULK_SHARE * all as f64
    }

    fn small(&mut self, is_write: bool) -> u32 {
        if is_write { WRITE.draw(&mut self.dice) } else { READ.draw(&mut self.dice) }
    }

    /// The length of the next run, drawn at random around the mean.
    fn run(&mut self) -> u64 {
        1 + ((self.run_mean - 1.0) * 2.0 * unit(&mut self.dice) + 0.5) as u64
    }
}
