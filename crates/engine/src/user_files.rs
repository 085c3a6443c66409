//! Old files of the user as material to read: found, counted and assigned to readers, but never changed.
//!
//! A server holds recently written data in its memory; files that are months old come from its disks.
//! This module opens no file, and its files may only be opened for reading: drivers refuse every other
//! operation on them ([`crate::driver::Context::read_only`]).
//!
//! It takes plain files of the folder and its subfolders, largest first. It skips links (they may lead
//! elsewhere), special files, file systems mounted below, areas of Reelgauge, and files whose data is
//! elsewhere (sparse files, and archive stubs, which would be recalled from tape).
//!
//! Not here: the mapping of frames to the files (the runner).

use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::area::AREA_DIR;
use crate::target_file::TargetFile;
use reelgauge_machine::full_path;
use reelgauge_machine::mount::Mount;

/// The maximum number of directory entries that are read.
const ENTRIES_MAX: usize = 100_000;
/// The maximum number of files that are kept: the largest ones.
const FILES_MAX: usize = 4_096;
/// Alignment of slices: a multiple of any alignment that direct I/O requires.
const SLICE_ALIGN_BYTES: u64 = 1 << 20;

/// Why there is no material.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UserFilesError {
    /// The folder cannot be read.
    #[error("cannot read {}, the folder of your own files: {source}. Check its permissions", path.display())]
    Io {
        /// The folder, or one in it.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The path is not a folder.
    #[error("{} is not a folder. Name one that has large files of your own", path.display())]
    NotFolder { path: PathBuf },
    /// It is on another file system than the target.
    #[error(
        "{} is not on the file system of {}. Name a folder on the storage to \
         measure", path.display(), target.display()
    )]
    Elsewhere { path: PathBuf, target: PathBuf },
    /// There are too few files.
    #[error(
        "{} has {files} readable files, enough for {found} of the {wanted} pieces of {} MiB that this run \
         needs. Use a shorter --clip, a smaller --file-size, fewer streams or workers, or a folder with more \
         or larger files", path.display(), piece_bytes.div_ceil(1 << 20)
    )]
    TooLittle {
        path: PathBuf,
        /// Readable files in it.
        files: usize,
        /// Pieces that they contain.
        found: usize,
        /// Pieces that are needed.
        wanted: usize,
        piece_bytes: u64,
    },
}

/// A piece of one of the files, for one reader exclusively.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Index of the file in [`UserFiles::files`].
    pub file: usize,
    /// Its offset, a multiple of 1 MiB.
    pub offset: u64,
}

/// The files of a folder, for reading only.
#[derive(Clone, Debug)]
pub struct UserFiles {
    folder: PathBuf,
    files: Vec<TargetFile>,
    /// Bytes of each file that are assigned.
    used: Vec<u64>,
    left_out: SkippedEntries,
}

/// Counts of skipped entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkippedEntries {
    pub links: u64,
    pub special: u64,
    /// Sparse files, and stubs whose data is in an archive.
    pub elsewhere: u64,
    /// Folders that are separate mounts.
    pub mounts: u64,
    /// Folders and files that could not be read.
    pub unreadable: u64,
    /// There were too many entries to read them all.
    pub too_many: bool,
}

impl UserFiles {
    /// Finds the files of a folder on the measured file system.
    ///
    /// # Errors
    /// [`UserFilesError`].
    pub fn find(folder: &Path, target: &Mount, target_path: &Path) -> Result<UserFiles, UserFilesError> {
        let io = |source| UserFilesError::Io { path: folder.to_owned(), source };
        let root = full_path(folder).map_err(io)?;
        if !fs::metadata(&root).map_err(io)?.is_dir() {
            return Err(UserFilesError::NotFolder { path: root });
        }
        let mount = Mount::at(&root).map_err(io)?;
        if mount.source != target.source || mount.fs_type != target.fs_type {
            return Err(UserFilesError::Elsewhere { path: root, target: target_path.to_owned() });
        }
        let mut search = UserFileScan {
            found: Vec::new(),
            left_out: SkippedEntries::default(),
            entries: 0,
            named_twice: HashSet::new(),
        };
        search.walk(&root)?;
        Ok(search.into_material(root))
    }

    /// The files, the largest first.
    pub fn files(&self) -> &[TargetFile] {
        &self.files
    }

    /// Counts of skipped entries.
    pub fn left_out(&self) -> SkippedEntries {
        self.left_out
    }

    /// Assigns this many bytes exclusively, from the file with the most bytes left, so that readers
    /// spread over files.
    ///
    /// # Errors
    /// [`UserFilesError::TooLittle`].
    pub fn take(&mut self, bytes: u64) -> Result<Slice, UserFilesError> {
        self.hand_out(bytes).ok_or_else(|| self.too_little(bytes, 0, 1))
    }

    /// How many times all these pieces fit into the files, at most `most`.
    pub fn room_for(&self, pieces: &[u64], most: u32) -> u32 {
        let mut trial = self.clone();
        let mut once = || pieces.iter().all(|&bytes| trial.hand_out(bytes).is_some());
        (0..most).find(|_| !once()).unwrap_or(most)
    }

    /// Fails if these files do not have enough space for the pieces.
    ///
    /// # Errors
    /// [`UserFilesError::TooLittle`], with the number of pieces that fit.
    pub fn check(&self, pieces: &[u64]) -> Result<(), UserFilesError> {
        let mut trial = self.clone();
        let missing = pieces.iter().position(|&bytes| trial.hand_out(bytes).is_none());
        match missing {
            Some(found) => Err(self.too_little(pieces[found], found, pieces.len())),
            None => Ok(()),
        }
    }

    fn hand_out(&mut self, bytes: u64) -> Option<Slice> {
        assert_eq!(self.files.len(), self.used.len(), "the used part of each file is known");
        // The last slice of a file is rounded up beyond its end.
        let left = |file: usize| self.files[file].size_bytes.saturating_sub(self.used[file]);
        // The first of the files with the most bytes left.
        let file = (0..self.files.len()).rev().max_by_key(|&file| left(file))?;
        if left(file) < bytes.max(1) {
            return None;
        }
        let slice = Slice { file, offset: self.used[file] };
        self.used[file] = (self.used[file] + bytes).next_multiple_of(SLICE_ALIGN_BYTES);
        Some(slice)
    }

    /// The error if these files hold only `found` of the `wanted` pieces.
    pub fn too_little(&self, piece_bytes: u64, found: usize, wanted: usize) -> UserFilesError {
        let (path, files) = (self.folder.clone(), self.files.len());
        UserFilesError::TooLittle { path, files, found, wanted, piece_bytes }
    }
}

/// A file that was found.
struct Candidate {
    file: TargetFile,
    /// Bytes that it occupies on the storage; `None` if the system does not report them.
    allocated_bytes: Option<u64>,
}

struct UserFileScan {
    found: Vec<Candidate>,
    left_out: SkippedEntries,
    entries: usize,
    /// The inode numbers of files with several names.
    named_twice: HashSet<u64>,
}

impl UserFileScan {
    /// Scans a folder and its subfolders.
    fn walk(&mut self, root: &Path) -> Result<(), UserFilesError> {
        let io = |source| UserFilesError::Io { path: root.to_owned(), source };
        let device = device_of(&fs::metadata(root).map_err(io)?);
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(source) if folder == root => return Err(io(source)),
                Err(_) => {
                    self.left_out.unreadable += 1;
                    continue;
                }
            };
            for entry in entries {
                if self.entries >= ENTRIES_MAX {
                    self.left_out.too_many = true;
                    return Ok(());
                }
                self.entries += 1;
                let Ok((path, about)) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?))) else {
                    self.left_out.unreadable += 1;
                    continue;
                };
                self.take_in(path, &about, device, &mut folders);
            }
        }
        Ok(())
    }

    /// Classifies an entry; for a link, the facts are those of the link itself.
    fn take_in(&mut self, path: PathBuf, about: &Metadata, device: Option<u64>, folders: &mut Vec<PathBuf>) {
        // An entry of a folder always has a name.
        let name = path.file_name().unwrap_or_default();
        let is_hidden = name.as_encoded_bytes().starts_with(b".");
        if about.is_symlink() {
            self.left_out.links += 1;
        } else if device_of(about) != device {
            self.left_out.mounts += 1;
        } else if about.is_dir() {
            if !is_hidden && name != AREA_DIR {
                folders.push(path);
            }
        } else if !about.is_file() {
            self.left_out.special += 1;
        } else if about.len() > 0 && !is_hidden && self.is_new(about) {
            let file = TargetFile { path, size_bytes: about.len() };
            self.found.push(Candidate { file, allocated_bytes: allocated_bytes(about) });
        }
    }

    /// Whether the file was not found under another name already: its bytes would be read twice.
    fn is_new(&mut self, about: &Metadata) -> bool {
        other_names(about).is_none_or(|number| self.named_twice.insert(number))
    }

    fn into_material(mut self, folder: PathBuf) -> UserFiles {
        // Some file systems report the allocated size of no file.
        let is_told = self.found.iter().any(|found| found.allocated_bytes.is_some_and(|bytes| bytes > 0));
        let all = self.found.len();
        self.found.retain(|found| {
            let enough = |bytes| bytes >= found.file.size_bytes / 2;
            !is_told || found.allocated_bytes.is_none_or(enough)
        });
        self.left_out.elsewhere = (all - self.found.len()) as u64;
        self.found.sort_by(|a, b| {
            b.file.size_bytes.cmp(&a.file.size_bytes).then_with(|| a.file.path.cmp(&b.file.path))
        });
        self.found.truncate(FILES_MAX);
        let files: Vec<TargetFile> = self.found.into_iter().map(|found| found.file).collect();
        UserFiles { folder, used: vec![0; files.len()], files, left_out: self.left_out }
    }
}

#[cfg(unix)]
fn device_of(about: &Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::dev(about))
}

#[cfg(unix)]
fn allocated_bytes(about: &Metadata) -> Option<u64> {
    // Values reported by a file system are untrusted: the product must not overflow.
    Some(std::os::unix::fs::MetadataExt::blocks(about).saturating_mul(512))
}

/// The inode number of a file with several names.
#[cfg(unix)]
fn other_names(about: &Metadata) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    (about.nlink() > 1).then(|| about.ino())
}

#[cfg(not(unix))]
fn device_of(_about: &Metadata) -> Option<u64> {
    None
}

#[cfg(not(unix))]
fn allocated_bytes(_about: &Metadata) -> Option<u64> {
    None
}

#[cfg(not(unix))]
fn other_names(_about: &Metadata) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const MIB: u64 = 1 << 20;

    fn find(folder: &Path) -> Result<UserFiles, UserFilesError> {
        UserFiles::find(folder, &Mount::at(folder).unwrap(), folder)
    }

    fn write(path: PathBuf, mib: u64) {
        fs::write(path, vec![7; (mib * MIB) as usize]).unwrap();
    }

    fn names(material: &UserFiles) -> Vec<String> {
        let name = |file: &TargetFile| file.path.file_name().unwrap().to_string_lossy().into_owned();
        material.files().iter().map(name).collect()
    }

    #[test]
    #[should_panic(expected = "the used part of each file is known")]
    fn a_file_of_which_nothing_is_known_is_a_defect() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path().join("a.mov"), 1);
        let mut material = find(dir.path()).unwrap();
        material.used.clear();
        let _ = material.take(4096);
    }

    #[test]
    fn plain_files_below_the_folder_the_largest_first() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("reels/day 1")).unwrap();
        fs::create_dir_all(at(AREA_DIR)).unwrap();
        fs::create_dir_all(at(".snapshot")).unwrap();
        write(at("a.mov"), 1);
        write(at("reels/day 1/b.mov"), 3);
        write(at("reels/c.mov"), 2);
        write(at(AREA_DIR).join("data.bin"), 9);
        write(at(".snapshot/a.mov"), 9);
        fs::write(at("empty.mov"), "").unwrap();
        let material = find(dir.path()).unwrap();
        assert_eq!(names(&material), ["b.mov", "c.mov", "a.mov"]);
        assert_eq!(material.left_out(), SkippedEntries::default());
    }

    #[cfg(unix)]
    #[test]
    fn outside_links_and_non_files_are_ignored() {
        use std::os::unix::fs::symlink;
        let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| dir.path().join(name);
        write(other.path().join("precious.mov"), 4);
        write(at("a.mov"), 1);
        fs::hard_link(at("a.mov"), at("z.mov")).unwrap();
        symlink(other.path(), at("folder")).unwrap();
        symlink(other.path().join("precious.mov"), at("film.mov")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        fs::File::create(at("sparse.mov")).unwrap().set_len(8 * MIB).unwrap();
        let material = find(dir.path()).unwrap();
        // One name of the file, and only one.
        assert_eq!(material.files().len(), 1, "{:?}", names(&material));
        let left_out = SkippedEntries { links: 2, special: 1, elsewhere: 1, ..SkippedEntries::default() };
        assert_eq!(material.left_out(), left_out);
    }

    #[test]
    fn pieces_never_overlap_and_spread_over_files() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path().join("a"), 5);
        write(dir.path().join("b"), 4);
        let mut material = find(dir.path()).unwrap();
        let piece = 2 * MIB - 5;
        assert_eq!((material.room_for(&[piece], 9), material.room_for(&[piece, piece], 9)), (4, 2));
        assert_eq!(material.room_for(&[piece], 3), 3);
        let taken: Vec<Slice> = (0..4).map(|_| material.take(piece).unwrap()).collect();
        let expected = [(0, 0), (1, 0), (0, 2 * MIB), (1, 2 * MIB)];
        assert_eq!(taken, expected.map(|(file, offset)| Slice { file, offset }));
        for slice in taken {
            assert!(slice.offset + piece <= material.files()[slice.file].size_bytes);
        }
        material.check(&[]).unwrap();
        let text = material.take(piece).unwrap_err().to_string();
        assert!(text.contains("2 readable files") && text.contains("0 of the 1 pieces of 2 MiB"), "{text}");
    }

    #[test]
    fn shortage_of_files_is_reported_before_assignment() {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path().join("a"), 5);
        let material = find(dir.path()).unwrap();
        material.check(&[2 * MIB, 2 * MIB]).unwrap();
        let text = material.check(&[2 * MIB; 5]).unwrap_err().to_string();
        assert!(text.contains("2 of the 5 pieces of 2 MiB") && text.contains("--clip"), "{text}");
    }

    #[test]
    fn invalid_or_outside_folder_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("film.mov");
        write(file.clone(), 1);
        let mount = Mount::at(dir.path()).unwrap();
        let refused = |folder: &Path, mount: &Mount| UserFiles::find(folder, mount, dir.path()).unwrap_err();
        assert!(matches!(refused(&file, &mount), UserFilesError::NotFolder { .. }));
        assert!(matches!(refused(&dir.path().join("none"), &mount), UserFilesError::Io { .. }));
        let other = Mount { source: "nas1:/media".to_owned(), ..mount };
        let text = refused(dir.path(), &other).to_string();
        assert!(text.contains("is not on the file system of"), "{text}");
    }
}
