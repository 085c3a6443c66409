//! Counts the extents of a file on its disk, where the file system reports them (FIEMAP on Linux).
//!
//! Extents are counted as `filefrag` does: adjacent blocks on the disk are one extent, however the file
//! system stores them. Patterns in operations (a client's single bytes, uneven reads) belong to the
//! analysis crate.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::area::AreaDir;
use crate::area_path::open_to_read;
use reelgauge_machine::file_system::{MountKind, Protocol, kind_of, protocol_of};
use reelgauge_machine::mount::Mount;

#[cfg(target_os = "linux")]
#[path = "extents/linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "extents/other.rs"]
mod system;

/// The largest extent of ext2, ext3 and ext4 with blocks of 4 KiB: one block group.
const EXT_GROUP_BYTES: u64 = 128 << 20;

/// The most distinct extent lengths that are counted.
const MAX_LENGTHS: usize = 1 << 12;
/// A file with this many times its ideal number of extents is fragmented.
const FRAGMENTED: u64 = 16;
/// Minimum share of extents of the same length, in percent, that indicates a common cause.
const EVEN_PERCENT: f64 = 50.0;

/// Why the extents of a file cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExtentsError {
    /// The file cannot be accessed.
    #[error("cannot read the extents of {}: {source}", path.display())]
    Io {
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It is not a regular file.
    #[error("{} is not a regular file. Name regular files", path.display())]
    NotAFile { path: PathBuf },
    /// The file system does not report extents.
    #[error("not available for {}: {why}", path.display())]
    NotAvailable {
        path: PathBuf,
        /// The reason, and another way to find out.
        why: String,
    },
}

/// A part of a file as the file system stores it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawExtent {
    /// Its offset in the file, in bytes.
    pub logical: u64,
    /// Its position on the disk, in bytes.
    pub physical: u64,
    /// Its length in bytes.
    pub length: u64,
    /// Its position is not allocated yet: the data is in memory until writeback.
    pub placeless: bool,
    /// It is compressed or encrypted, so its length on the disk differs.
    pub encoded: bool,
    /// It is preallocated and reads as zeros.
    pub unwritten: bool,
}

/// The layout of a file on its disk.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Extents {
    /// Size of the file.
    pub size_bytes: u64,
    /// Bytes with an allocated position: less than the size in a file with holes, more if space is
    /// preallocated.
    pub mapped_bytes: u64,
    /// Preallocated bytes among them that are not written.
    pub unwritten_bytes: u64,
    /// Number of extents; `None` if they cannot be counted. `uncountable` holds the reason.
    pub extents: Option<u64>,
    /// The minimum number of extents for this size on a file system of this kind.
    pub ideal_extents: u64,
    pub bytes_per_extent: Option<f64>,
    /// Steps from one extent to the next that go backwards on the disk.
    pub backward_jumps: u64,
    /// Their share of all steps, in percent; `None` for a file in one extent.
    pub backward_percent: Option<f64>,
    /// Total distance on the disk between the end of each extent and the beginning of the next.
    pub seek_bytes: u64,
    /// The most frequent length of an extent; `None` for a file in one extent.
    pub common_extent_bytes: Option<u64>,
    /// Share of extents of that length, in percent.
    pub common_extent_percent: Option<f64>,
    /// A description of the fragmentation, with the evidence; `None` if there is nothing to report.
    pub sign: Option<String>,
    /// Why the extents cannot be counted.
    pub uncountable: Option<String>,
}

impl Extents {
    /// The layout of this file on its disk. Data that is only in memory is written first. A file in the
    /// `area` is opened from its directory.
    ///
    /// # Errors
    /// If the file cannot be read, or its file system does not report extents (NFS, SMB, ZFS, memory).
    pub fn of(area: Option<&AreaDir>, path: &Path) -> Result<Extents, ExtentsError> {
        let fail = |source| ExtentsError::Io { path: path.to_owned(), source };
        // Checked by path: opening a pipe would wait for its other end.
        if !std::fs::metadata(path).map_err(fail)?.is_file() {
            return Err(ExtentsError::NotAFile { path: path.to_owned() });
        }
        let file = open_to_read(area, path).map_err(fail)?;
        let fs_type = Mount::at(path).map_err(fail)?.fs_type;
        if let Some(why) = silent(&fs_type) {
            return Err(ExtentsError::NotAvailable { path: path.to_owned(), why });
        }
        let mut count = Count::default();
        system::each_extent(&file, |extent| count.add(extent)).map_err(|source| {
            if is_unknown_call(&source) {
                let why =
                    format!("{fs_type} does not report extents. Run this on the host that has the disk");
                ExtentsError::NotAvailable { path: path.to_owned(), why }
            } else {
                fail(source)
            }
        })?;
        let size_bytes = file.metadata().map_err(fail)?.len();
        Ok(count.extents(size_bytes, &fs_type))
    }
}

impl Extents {
    /// A description of the fragmentation. Many extents of one length result from how a client writes,
    /// not from a full disk.
    fn say(&self) -> Option<String> {
        let extents = self.extents.filter(|extents| *extents >= FRAGMENTED * self.ideal_extents.max(1))?;
        let (bytes, percent) = (self.common_extent_bytes?, self.common_extent_percent?);
        if percent < EVEN_PERCENT {
            return Some(format!(
                "{extents} extents of many lengths, where {} would be enough: typical of a full or aged file \
                 system",
                self.ideal_extents
            ));
        }
        Some(format!(
            "{extents} extents, where {} would be enough, and {percent} % of them have {} KiB: typical of a \
             client that writes single bytes ahead of its data (1-byte-ahead pattern), or of writers that \
             take turns",
            self.ideal_extents,
            bytes >> 10
        ))
    }
}

/// Why this file system reports nothing, although it supports the call.
fn silent(fs_type: &str) -> Option<String> {
    let name = fs_type.strip_prefix("fuse.").unwrap_or(fs_type);
    match (protocol_of(name), name) {
        (Some(Protocol::Smb), _) => Some(
            "SMB reports which parts of a file exist, not where. Run this, or filefrag, on the server"
                .to_owned(),
        ),
        (Some(Protocol::Nfs), _) => {
            Some("NFS does not report extents. Run this, or filefrag, on the server".to_owned())
        }
        (_, "zfs") => Some("ZFS does not report extents".to_owned()),
        _ if kind_of(name, "") == MountKind::Memory => Some("its files are in memory".to_owned()),
        _ => None,
    }
}

/// Whether the error means that the file system does not support the call.
fn is_unknown_call(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, Unsupported};
    // ENOTTY has no `ErrorKind`.
    const ENOTTY: i32 = 25;
    matches!(error.kind(), Unsupported | InvalidInput) || error.raw_os_error() == Some(ENOTTY)
}

/// Counts extents in the order of the file.
#[derive(Clone, Debug, Default)]
struct Count {
    last: Option<RawExtent>,
    pieces: u64,
    /// Length of the current extent so far.
    piece: u64,
    lengths: HashMap<u64, u64>,
    jumps: u64,
    backward: u64,
    seek_bytes: u64,
    mapped_bytes: u64,
    unwritten_bytes: u64,
    placeless: bool,
    encoded: bool,
}

impl Count {
    fn add(&mut self, extent: RawExtent) {
        // Values from a file system are untrusted: the sums must not overflow, here and below.
        self.mapped_bytes = self.mapped_bytes.saturating_add(extent.length);
        if extent.unwritten {
            // See above.
            self.unwritten_bytes = self.unwritten_bytes.saturating_add(extent.length);
        }
        self.placeless |= extent.placeless;
        self.encoded |= extent.encoded;
        match self.last.replace(extent) {
            None => (self.pieces, self.piece) = (1, extent.length),
            Some(last) => self.step(last, extent),
        }
    }

    /// Records the length of an extent that has ended.
    fn end_piece(&mut self) {
        if self.lengths.len() < MAX_LENGTHS || self.lengths.contains_key(&self.piece) {
            *self.lengths.entry(self.piece).or_default() += 1;
        }
    }

    /// Goes from one part to the next. If the part is right behind the last one, with or without space
    /// for the hole between them, it belongs to the same extent.
    fn step(&mut self, last: RawExtent, extent: RawExtent) {
        // See `add`.
        let end = last.physical.saturating_add(last.length);
        let hole = extent.logical.saturating_sub(last.logical.saturating_add(last.length));
        if extent.physical == end || extent.physical == end.saturating_add(hole) {
            // See `add`.
            self.piece = self.piece.saturating_add(extent.length);
            return;
        }
        self.end_piece();
        self.piece = extent.length;
        self.pieces += 1;
        self.jumps += 1;
        self.backward += u64::from(extent.physical < end);
        // See `add`.
        self.seek_bytes = self.seek_bytes.saturating_add(extent.physical.abs_diff(end));
    }

    fn extents(mut self, size_bytes: u64, fs_type: &str) -> Extents {
        self.end_piece();
        let uncountable = match (self.placeless, self.encoded) {
            (true, _) => Some("some of its data is not on disk yet. Try again after writeback"),
            (_, true) => Some("it is compressed or encrypted, so it consists of many small adjacent extents"),
            _ => None,
        };
        let counted = uncountable.is_none();
        let mapped = self.mapped_bytes;
        let percent = |part: u64, whole: u64| (part as f64 * 1000.0 / whole as f64).round() / 10.0;
        let common = self.lengths.iter().max_by_key(|&(length, count)| (count, length));
        let common = common.filter(|_| counted && self.pieces > 1);
        let mut extents = Extents {
            size_bytes,
            mapped_bytes: mapped,
            unwritten_bytes: self.unwritten_bytes,
            extents: counted.then_some(self.pieces),
            ideal_extents: ideal(mapped, fs_type),
            bytes_per_extent: (counted && self.pieces > 0)
                .then(|| (mapped as f64 / self.pieces as f64).round()),
            backward_jumps: if counted { self.backward } else { 0 },
            backward_percent: (counted && self.jumps > 0).then(|| percent(self.backward, self.jumps)),
            seek_bytes: if counted { self.seek_bytes } else { 0 },
            common_extent_bytes: common.map(|(length, _)| *length),
            common_extent_percent: common.map(|(_, count)| percent(*count, self.pieces)),
            sign: None,
            uncountable: uncountable.map(str::to_owned),
        };
        extents.sign = extents.say();
        extents
    }
}

/// The minimum number of extents of a file of this size on an empty file system of this kind.
fn ideal(mapped_bytes: u64, fs_type: &str) -> u64 {
    match fs_type {
        "ext2" | "ext3" | "ext4" => mapped_bytes.div_ceil(EXT_GROUP_BYTES),
        _ => mapped_bytes.min(1),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn counted(extents: &[(u64, u64, u64)]) -> Extents {
        let mut count = Count::default();
        for &(logical, physical, length) in extents {
            count.add(RawExtent { logical, physical, length, ..RawExtent::default() });
        }
        count.extents(100, "xfs")
    }

    #[test]
    fn adjacent_extents_are_merged() {
        let one = counted(&[(0, 1000, 10), (10, 1010, 20), (30, 1030, 5)]);
        assert_eq!((one.extents, one.mapped_bytes, one.backward_percent), (Some(1), 35, None));
        assert_eq!(one.bytes_per_extent, Some(35.0));
    }

    #[test]
    fn hole_does_not_end_an_extent() {
        assert_eq!(counted(&[(0, 1000, 10), (50, 1010, 10)]).extents, Some(1));
        assert_eq!(counted(&[(0, 1000, 10), (50, 1050, 10)]).extents, Some(1));
        assert_eq!(counted(&[(0, 1000, 10), (50, 1049, 10)]).extents, Some(2));
    }

    #[test]
    fn jumps_back_and_their_distances_are_counted() {
        // Forwards by 90, back from 1110 to 900, back from 910 to 0.
        let four = counted(&[(0, 1000, 10), (10, 1100, 10), (20, 900, 10), (30, 0, 10)]);
        assert_eq!((four.extents, four.backward_jumps, four.backward_percent), (Some(4), 2, Some(66.7)));
        assert_eq!(four.seek_bytes, 90 + 210 + 910);
    }

    #[test]
    fn many_pieces_of_one_length_are_named_and_others_too() {
        let even: Vec<(u64, u64, u64)> =
            (0..100).map(|at| (at << 16, ((at ^ 1) << 16) + (1 << 30), 1 << 16)).collect();
        let even = counted(&even);
        assert_eq!((even.extents, even.common_extent_bytes), (Some(100), Some(1 << 16)));
        assert_eq!((even.common_extent_percent, even.backward_percent), (Some(100.0), Some(50.5)));
        let sign = even.sign.unwrap();
        assert!(sign.contains("1-byte-ahead") && sign.contains("100 % of them have 64 KiB"), "{sign}");
        // Each extent has a different length, with a gap behind it.
        let aged: Vec<(u64, u64, u64)> =
            (1..100).map(|at| (at * 8192 * at, at * 16384 * at, 4096 * (at + 1))).collect();
        assert!(counted(&aged).sign.unwrap().contains("aged"));
        assert_eq!(counted(&even_few()).sign, None);
    }

    fn even_few() -> Vec<(u64, u64, u64)> {
        (0..15).map(|at| (at * 10, at * 100, 10)).collect()
    }

    #[test]
    fn unallocated_and_compressed_extents_are_not_counted() {
        for (placeless, encoded, word) in [(true, false, "not on disk yet"), (false, true, "compressed")] {
            let mut count = Count::default();
            count.add(RawExtent { length: 10, placeless, encoded, ..RawExtent::default() });
            let extents = count.extents(10, "btrfs");
            assert_eq!((extents.extents, extents.bytes_per_extent, extents.mapped_bytes), (None, None, 10));
            assert!(extents.uncountable.unwrap().contains(word));
        }
    }

    #[test]
    fn an_empty_file_has_no_extents_and_the_ideal_depends_on_the_file_system() {
        assert_eq!((counted(&[]).extents, counted(&[]).ideal_extents), (Some(0), 0));
        let gib_3_5 = 3_500_000_000;
        assert_eq!((ideal(gib_3_5, "ext3"), ideal(gib_3_5, "xfs")), (27, 1));
    }

    #[test]
    fn unsupported_file_systems_have_a_reason() {
        for fs_type in ["nfs4", "cifs", "zfs", "tmpfs"] {
            assert!(silent(fs_type).is_some(), "{fs_type}");
        }
        assert!(silent("xfs").is_none() && silent("fuse.sshfs").is_none());
    }

    #[test]
    fn directories_and_missing_files_are_errors() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(Extents::of(None, dir.path()), Err(ExtentsError::NotAFile { .. })));
        let missing = Extents::of(None, &dir.path().join("missing")).unwrap_err();
        assert!(missing.to_string().starts_with("cannot read the extents of "), "{missing}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn new_file_has_complete_extents_or_none_are_reported() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, vec![7; 3 << 20]).unwrap();
        match Extents::of(None, &path) {
            Ok(extents) => {
                assert_eq!((extents.size_bytes, extents.mapped_bytes), (3 << 20, 3 << 20));
                assert!(extents.uncountable.is_some() || extents.extents.unwrap() >= 1, "{extents:?}");
            }
            Err(error) => assert!(matches!(error, ExtentsError::NotAvailable { .. }), "{error}"),
        }
    }
}
