//! Reads back the data that a run wrote, and checks that the last write of every unit is complete and in
//! its place.
//!
//! While the run writes, a [`WriteMap`] records the last write of each unit. Afterwards [`verify_files`]
//! reads every such unit again, bypassing the local host's cache where the system allows it. It rebuilds
//! the expected content from the stamp ([`crate::pattern`]), and compares every byte.
//!
//! It finds changed bytes, lost writes (older content), misplaced and swapped blocks, holes, and
//! truncated files. It cannot find a write that was lost before the run's last write of the same unit,
//! or errors in units that the run did not write.

mod explain;
mod write_map;

use std::path::PathBuf;

use self::write_map::UnitContent;
pub use self::write_map::{WriteAt, WriteMap};
use crate::area::AreaDir;
use crate::buffer::AlignedBuffer;
use crate::cache;
use crate::driver_error::DriverError;
use crate::io::{IMPOSSIBLE, Names, OpenFile};
use crate::pattern::{PatternSpec, Stamp};
use crate::target_file::TargetFile;

/// The size of one read. It limits the memory for verifying.
const WINDOW_BYTES: usize = 1 << 20;

/// The result of verifying.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Bytes read back and compared.
    pub checked_bytes: u64,
    /// Units with unexpected content.
    pub differing_units: u64,
    /// Checked units whose last writes overlapped in time. Any complete write of the run that belongs
    /// there is accepted, because any of them may have been the last.
    pub ambiguous_units: u64,
    /// Units that were written but cannot be judged: a write failed, was short, or covered only a part
    /// of them.
    pub unverifiable_units: u64,
    /// Whether the files were dropped from the local host's cache first. If not, some of the data may
    /// never have come from the storage.
    pub cache_dropped: bool,
    /// Whether it was stopped before the end.
    pub stopped: bool,
    /// The first difference, by file and position.
    pub first_difference: Option<Difference>,
}

/// A position with unexpected content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Index into the run's file table.
    pub file: u32,
    pub path: PathBuf,
    /// Position in the file: of the first wrong byte if single bytes are wrong, or of the unit if its
    /// content is completely different.
    pub offset_bytes: u64,
    /// The error in plain words.
    pub what: String,
}

/// The patterns of the data in the files of a run: units of the same size, from different seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patterns {
    pub run: PatternSpec,
    /// Before the run, when the files were filled.
    pub before: PatternSpec,
}

/// Why verifying could not continue.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A file could not be opened.
    #[error("cannot open {path} to verify it: {source}")]
    Open {
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A file could not be read.
    #[error("cannot read {path} at byte {offset_bytes} to verify it: {source}")]
    Read {
        path: PathBuf,
        offset_bytes: u64,
        /// The error of the system.
        source: std::io::Error,
    },
    #[error(transparent)]
    Memory(#[from] DriverError),
}

/// Reads back every unit that the run wrote and compares it.
///
/// Files in the `area` are opened from its directory. Call it when every driver thread has ended. It
/// takes 1 MiB of memory. `go_on` receives the bytes checked so far, about once per MiB, and returns
/// whether to continue.
///
/// # Errors
/// If a file cannot be opened or read. Differences are results, not errors.
pub fn verify_files(
    area: Option<&AreaDir>,
    files: &[TargetFile],
    patterns: Patterns,
    map: &WriteMap,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Verified, VerifyError> {
    let paths: Vec<&PathBuf> = files.iter().map(|file| &file.path).collect();
    let mut verifier = Verifier {
        area,
        patterns,
        map,
        window: AlignedBuffer::new(WINDOW_BYTES)?,
        // Verification also works on a system that cannot drop single files; the result records it.
        verified: Verified { cache_dropped: cache::drop_cached(area, &paths).is_ok(), ..Verified::default() },
    };
    for (number, file) in files.iter().enumerate() {
        if !verifier.verify_file(number as u32, file, go_on)? {
            verifier.verified.stopped = true;
            break;
        }
    }
    Ok(verifier.verified)
}

struct Verifier<'a> {
    area: Option<&'a AreaDir>,
    patterns: Patterns,
    map: &'a WriteMap,
    window: AlignedBuffer,
    verified: Verified,
}

impl Verifier<'_> {
    /// Verifies one file. Returns whether to continue.
    fn verify_file(
        &mut self,
        number: u32,
        file: &TargetFile,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> Result<bool, VerifyError> {
        let per_window = (WINDOW_BYTES / self.patterns.run.unit_bytes as usize) as u64;
        let mut open = None;
        let mut next = 0;
        while let Some(units) = self.map.next_written(number, next, per_window) {
            next = units.end;
            let open = match &mut open {
                Some(open) => open,
                closed => closed.insert(open_file(self.area, file)?),
            };
            self.verify_window(number, file, open, units)?;
            if !go_on(self.verified.checked_bytes) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Verifies a sequence of units that were all written.
    fn verify_window(
        &mut self,
        number: u32,
        file: &TargetFile,
        open: &OpenFile,
        units: std::ops::Range<u64>,
    ) -> Result<(), VerifyError> {
        let unit_bytes = u64::from(self.patterns.run.unit_bytes);
        let from = units.start * unit_bytes;
        let len = (units.end * unit_bytes).min(file.size_bytes) - from;
        assert!(len <= WINDOW_BYTES as u64, "each read for verification fits into the window");
        let window = &mut self.window.as_mut_slice()[..len as usize];
        let read_len = read_fully(open, window, from).map_err(|errno| VerifyError::Read {
            path: file.path.clone(),
            offset_bytes: from,
            source: std::io::Error::from_raw_os_error(errno),
        })?;
        for unit in units {
            let start = (unit * unit_bytes - from) as usize;
            let whole = (start + unit_bytes as usize).min(len as usize);
            let state = self.map.unit(number, unit);
            match state {
                UnitContent::Unwritten => continue,
                UnitContent::Unknown => {
                    self.verified.unverifiable_units += 1;
                    continue;
                }
                UnitContent::AnyWrite => self.verified.ambiguous_units += 1,
                UnitContent::LastWrite(_) => {}
            }
            self.verified.checked_bytes += (whole - start) as u64;
            let found = &self.window.as_slice()[start.min(read_len)..whole.min(read_len)];
            let place = explain::WrittenUnit { file: number, unit, len: whole - start, state };
            if !place.holds(self.patterns.run, found) {
                self.verified.differing_units += 1;
                if self.verified.first_difference.is_none() {
                    let (into, what) = place.explain(self.patterns, found);
                    self.verified.first_difference = Some(Difference {
                        file: number,
                        path: file.path.clone(),
                        offset_bytes: unit * unit_bytes + into as u64,
                        what,
                    });
                }
            }
        }
        Ok(())
    }
}

fn open_file(area: Option<&AreaDir>, file: &TargetFile) -> Result<OpenFile, VerifyError> {
    let names = Names::new(area, std::iter::once(file.path.as_path()));
    let opened = names.get(0).ok_or(IMPOSSIBLE).and_then(|name| OpenFile::open(name, Default::default()));
    opened.map_err(|errno| VerifyError::Open {
        path: file.path.clone(),
        source: std::io::Error::from_raw_os_error(errno),
    })
}

/// Reads until the buffer is full or the file ends. Returns the number of bytes read.
fn read_fully(open: &OpenFile, into: &mut [u8], from: u64) -> Result<usize, i32> {
    let mut len = 0;
    while len < into.len() {
        match open.read_at(&mut into[len..], from + len as u64)? {
            0 => break,
            read => len += read,
        }
    }
    Ok(len)
}

/// Whether the map permits this stamp's write as the unit's last one.
fn may_be_last(state: UnitContent, stamp: &Stamp) -> bool {
    match state {
        UnitContent::LastWrite(id) => id == write_map::write_id(stamp.writer, stamp.sequence),
        UnitContent::AnyWrite => stamp.writer != crate::pattern::FILL_WRITER,
        UnitContent::Unwritten | UnitContent::Unknown => false,
    }
}

#[cfg(test)]
mod tests;
