//! Reads a file from beginning to end as if for the first time, and makes a fresh copy of it. The
//! comparison shows whether a file is slow because of its location on the storage.
//!
//! Not here: the meaning of the times (the analysis crate).

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::area::AreaDir;
use crate::area_path::{Purpose, open_to_read};
use crate::buffer::AlignedBuffer;
use crate::cache::drop_cached;

/// Bytes of one read: large enough for good throughput, small enough that a seek is visible.
pub const READ_BYTES: usize = 256 << 10;
/// Bytes of one write of the copy.
const WRITE_BYTES: usize = 4 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedRead {
    /// Its offset in bytes.
    pub offset: u64,
    pub len: u32,
    /// Duration of the read.
    pub service_ns: u64,
}

/// Why a file could not be read or copied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ColdError {
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// The attempted action: "read" or "write".
        doing: &'static str,
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file was truncated: another process is changing it.
    #[error(
        "{} was truncated while Reelgauge read it. Try again when no process writes to it", path.display())]
    Shrunk { path: PathBuf },
    /// No memory for the buffers.
    #[error("cannot allocate memory for reading. Close other programs, then try again")]
    Memory,
    /// A stop was requested.
    #[error("interrupted")]
    Interrupted,
}

impl ColdError {
    fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ColdError {
        move |source| ColdError::Io { doing, path: path.to_owned(), source }
    }
}

/// Reads the first `bytes` of a file in order, one read at a time and without read-ahead, after dropping
/// it from this host's cache. The second value explains why the cache could not be dropped.
///
/// # Errors
/// [`ColdError`]; also if `stop` is set.
pub fn read_cold(
    area: Option<&AreaDir>,
    path: &Path,
    bytes: u64,
    stop: &AtomicBool,
) -> Result<(Vec<TimedRead>, Option<String>), ColdError> {
    let warm = drop_cached(area, &[path]).err().map(|error| error.to_string());
    let mut file = open_to_read(area, path).map_err(ColdError::io("open", path))?;
    no_read_ahead(&file);
    let mut buffer = AlignedBuffer::new(READ_BYTES).map_err(|_| ColdError::Memory)?;
    let mut reads = Vec::new();
    let mut offset = 0;
    while offset < bytes {
        if stop.load(Ordering::Relaxed) {
            return Err(ColdError::Interrupted);
        }
        let want = usize::try_from(bytes - offset).unwrap_or(READ_BYTES).min(READ_BYTES);
        let begun = Instant::now();
        let len = match file.read(&mut buffer.as_mut_slice()[..want]) {
            Ok(0) => return Err(ColdError::Shrunk { path: path.to_owned() }),
            Ok(len) => len,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(ColdError::io("read", path)(error)),
        };
        let service_ns = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        reads.push(TimedRead { offset, len: len as u32, service_ns });
        offset += len as u64;
    }
    Ok((reads, warm))
}

/// Disables read-ahead, which would hide which read waited for the disk.
#[cfg(target_os = "linux")]
fn no_read_ahead(file: &File) {
    // A hint: if it is ignored, read-ahead speeds up the file and its copy alike.
    let _ = rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::Random);
}

#[cfg(not(target_os = "linux"))]
fn no_read_ahead(_file: &File) {}

/// Creates a new file with the first `bytes` of another. This host reads and writes the data: a
/// server-side copy may share the blocks, and then both files are at the same location. The copy is in
/// the area. `progress` receives the number of bytes written.
///
/// # Errors
/// [`ColdError`]; also if `stop` is set. Data already written stays.
pub fn copy_anew(
    from: &Path,
    (area, to): (&AreaDir, &Path),
    bytes: u64,
    progress: &mut dyn FnMut(u64),
    stop: &AtomicBool,
) -> Result<(), ColdError> {
    let mut source = File::open(from).map_err(ColdError::io("open", from))?;
    let mut copy = area.open_file(to, Purpose::New).map_err(ColdError::io("create", to))?;
    let mut buffer = AlignedBuffer::new(WRITE_BYTES).map_err(|_| ColdError::Memory)?;
    let mut written = 0;
    while written < bytes {
        if stop.load(Ordering::Relaxed) {
            return Err(ColdError::Interrupted);
        }
        let want = usize::try_from(bytes - written).unwrap_or(WRITE_BYTES).min(WRITE_BYTES);
        let data = &mut buffer.as_mut_slice()[..want];
        source.read_exact(data).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => ColdError::Shrunk { path: from.to_owned() },
            _ => ColdError::io("read", from)(error),
        })?;
        copy.write_all(data).map_err(ColdError::io("write", to))?;
        written += want as u64;
        progress(written);
    }
    copy.sync_all().map_err(ColdError::io("sync", to))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

    #[test]
    fn a_copy_is_the_same_and_both_are_read_in_order_to_their_end() {
        let dir = tempfile::tempdir().unwrap();
        let area = AreaDir::open(dir.path()).unwrap();
        let (from, to) = (dir.path().join("file"), dir.path().join("copy"));
        let content: Vec<u8> = (0..9_000_001_u32).map(|at| (at % 251) as u8).collect();
        fs::write(&from, &content).unwrap();
        let (stop, mut told) = (AtomicBool::new(false), Vec::new());
        copy_anew(&from, (&area, &to), content.len() as u64, &mut |bytes| told.push(bytes), &stop).unwrap();
        assert_eq!(fs::read(&to).unwrap(), content);
        assert_eq!(told.last(), Some(&9_000_001));
        let (reads, _) = read_cold(Some(&area), &to, content.len() as u64, &stop).unwrap();
        let mut end = 0;
        for read in &reads {
            assert_eq!((read.offset, read.len as usize <= READ_BYTES), (end, true));
            end += u64::from(read.len);
        }
        assert_eq!((end, reads.len()), (9_000_001, 35));
        // An existing file is never overwritten.
        assert!(matches!(copy_anew(&from, (&area, &to), 1, &mut |_| {}, &stop), Err(ColdError::Io { .. })));
    }

    #[test]
    fn partial_read_works_short_file_is_reported_and_stop_is_obeyed() {
        let dir = tempfile::tempdir().unwrap();
        let area = AreaDir::open(dir.path()).unwrap();
        let (from, to) = (dir.path().join("file"), dir.path().join("copy"));
        fs::write(&from, vec![7; 1_000_000]).unwrap();
        let stop = AtomicBool::new(false);
        copy_anew(&from, (&area, &to), 600_000, &mut |_| {}, &stop).unwrap();
        assert_eq!(fs::metadata(&to).unwrap().len(), 600_000);
        let shrunk = read_cold(Some(&area), &to, 700_000, &stop).unwrap_err();
        assert!(matches!(shrunk, ColdError::Shrunk { .. }), "{shrunk}");
        fs::remove_file(&to).unwrap();
        let shrunk = copy_anew(&from, (&area, &to), 2_000_000, &mut |_| {}, &stop).unwrap_err();
        assert!(matches!(shrunk, ColdError::Shrunk { .. }), "{shrunk}");
        stop.store(true, Ordering::Relaxed);
        assert!(matches!(read_cold(None, &from, 1000, &stop), Err(ColdError::Interrupted)));
    }
}
