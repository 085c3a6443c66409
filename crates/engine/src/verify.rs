//! Reading back what a run wrote: is the last write of every unit there, whole, in its place?
//!
//! While the run writes, a [`WriteMap`] keeps which write was the last in each unit. Afterwards
//! [`verify_files`] reads every such unit again, past this machine's cache where the system allows it,
//! rebuilds from its stamp what it must hold ([`crate::pattern`]), and compares every byte.
//!
//! What it finds: changed bytes, lost writes (older content), misplaced and swapped blocks, holes, files
//! that became shorter. What it can't find: a write that was lost before the run's last write of the same
//! unit, and anything in units that the run didn't write.

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

/// Read back at once; bounds the memory that verifying takes.
const WINDOW_BYTES: usize = 1 << 20;

/// The result of verifying.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Bytes read back and compared.
    pub checked_bytes: u64,
    /// Units that don't hold what they must.
    pub differing_units: u64,
    /// Units among the checked ones whose last writes overlapped in time: any whole write of the run
    /// that belongs there is accepted, because any of them may have been the last.
    pub ambiguous_units: u64,
    /// Units that were written but can't be judged: a write failed, was short, or covered them in part.
    pub unverifiable_units: u64,
    /// Whether the files were dropped from this machine's cache first. If not, some of what was read
    /// may never have come from the storage.
    pub cache_dropped: bool,
    /// Whether it was stopped before the end.
    pub stopped: bool,
    /// The first difference, by file and position.
    pub first_difference: Option<Difference>,
}

/// A place that doesn't hold what it must.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Index into the run's file table.
    pub file: u32,
    pub path: PathBuf,
    /// Position in the file: of the first wrong byte where single bytes are wrong, of the unit where it
    /// holds something else altogether.
    pub offset_bytes: u64,
    /// What is wrong there, in plain words.
    pub what: String,
}

/// How what lies in the files of a run was made: units of the same size, from different seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patterns {
    pub run: PatternSpec,
    /// Before it, when the files were filled.
    pub before: PatternSpec,
}

/// Why verifying couldn't go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// A file couldn't be opened.
    #[error("cannot open {path} to verify it: {source}")]
    Open {
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A file couldn't be read.
    #[error("cannot read {path} at byte {offset_bytes} to verify it: {source}")]
    Read {
        path: PathBuf,
        offset_bytes: u64,
        /// The system's error.
        source: std::io::Error,
    },
    #[error(transparent)]
    Memory(#[from] DriverError),
}

/// Reads back every unit that the run wrote and compares it.
///
/// What lies in the `area` is reached from there. To be called when every driver thread has ended. Takes
/// 1 MiB of memory. `go_on` receives the bytes checked so far, about once per MiB, and returns whether
/// to continue.
///
/// # Errors
/// When a file can't be opened or read. Differences are results, not errors.
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
        // Verification also works on a system that can't drop single files; the result records it.
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
    /// One file; whether to go on.
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

    /// A run of units that were all written.
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

/// Reads until the buffer is full or the file ends; how much there was.
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

/// Whether this stamp belongs to a write that may have been the unit's last, by the map.
fn may_be_last(state: UnitContent, stamp: &Stamp) -> bool {
    match state {
        UnitContent::LastWrite(id) => id == write_map::write_id(stamp.writer, stamp.sequence),
        UnitContent::AnyWrite => stamp.writer != crate::pattern::FILL_WRITER,
        UnitContent::Unwritten | UnitContent::Unknown => false,
    }
}

#[cfg(test)]
mod tests;
