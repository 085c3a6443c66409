//! Images: the files and directories that must exist before a trace is replayed, created for one pass of
//! it.
//!
//! An image is created in an empty directory, in the given order, so that successive batches get
//! different positions on the storage. Files are filled like data sets, in one of two ways that cause
//! different layouts. Either their size is set first, or they grow in small steps, so that the file
//! system does not know their final size. At the end everything is durable and out of the cache.
//!
//! Not here: the contents of an image (the trace crate), and removing it ([`crate::scratch`]).

use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;

use super::error::named;
use super::fill::{FillTarget, WRITE_BYTES, write_data};
use super::{DataSetError, Prepared, Shared, Watch};
use crate::area::AreaDir;
use crate::area_path::Purpose;
use crate::pattern::{FILL_WRITER, PatternSpec, WriteData};
use crate::throttle::Throttle;

/// Bytes of one write to a file that grows.
const GROW_BYTES: usize = 64 << 10;

/// How a file is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileLayout {
    /// Its size is set first, as copying programs do.
    SizeFirst,
    /// It grows, as a recording does.
    Growing,
}

/// One entry of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A directory whose parent exists.
    Directory {
        /// The absolute path.
        path: PathBuf,
    },
    File {
        /// The absolute path.
        path: PathBuf,
        size_bytes: u64,
        /// How it is created.
        layout: FileLayout,
    },
    /// Another name of an existing file.
    HardLink {
        /// The absolute path of the file.
        of: PathBuf,
        /// The absolute path of the new name.
        path: PathBuf,
    },
    /// A symbolic link with relative text. Its target need not exist.
    SymbolicLink {
        /// The absolute path of its target.
        to: PathBuf,
        /// The absolute path of the link.
        path: PathBuf,
    },
    /// This path must not exist.
    Absent {
        /// The absolute path.
        path: PathBuf,
    },
}

/// Creates an image, or several one after the other. The caller must hold the area's lock, and all paths
/// are in the area. `progress` is called about twenty times per second. If it returns `Break`, or `stop`
/// is set, the preparation ends within 200 ms and keeps the existing entries. `throttle` limits the rate
/// of the writes.
///
/// # Errors
/// [`DataSetError`]: an entry of an image exists already; space or quota is exhausted; an interruption;
/// any error of the storage.
pub fn prepare(
    area: &AreaDir,
    items: Vec<Item>,
    pattern: PatternSpec,
    throttle: Option<Throttle>,
    progress: &mut dyn FnMut(Prepared) -> ControlFlow<()>,
    stop: &AtomicBool,
) -> Result<(), DataSetError> {
    // Sizes come from a trace. A sum larger than any disk may saturate.
    let total_bytes = items.iter().map(size).fold(0, u64::saturating_add);
    let shared = Shared::new(throttle);
    let (sender, result) = mpsc::channel();
    let (area, work) = (area.clone(), Arc::clone(&shared));
    std::thread::Builder::new()
        .name("prepare".to_owned())
        .spawn(move || {
            // The send fails only if the caller gave up and dropped the receiver.
            let _ = sender.send(make_all(&area, &items, pattern, &work));
        })
        .map_err(|source| DataSetError::Thread { source })?;
    Watch { result, shared, total_bytes }.until_done(progress, stop)
}

/// The size of an item.
fn size(item: &Item) -> u64 {
    match item {
        Item::File { size_bytes, .. } => *size_bytes,
        _ => 0,
    }
}

fn make_all(
    area: &AreaDir,
    items: &[Item],
    pattern: PatternSpec,
    shared: &Shared,
) -> Result<(), DataSetError> {
    let mut data = WriteData::new(pattern, FILL_WRITER, WRITE_BYTES)?;
    for (number, item) in items.iter().enumerate() {
        if shared.stopped() {
            let written_bytes = shared.written_bytes.load(std::sync::atomic::Ordering::Relaxed);
            return Err(DataSetError::Interrupted { written_bytes });
        }
        match item {
            Item::Directory { path } => {
                area.create_dir(path).map_err(|error| in_the_way("create the directory", path, 0, error))?;
            }
            Item::File { path, size_bytes, layout } => {
                let file = make_file(area, path, *size_bytes, *layout)?;
                let place = FillTarget { file: &file, path, number: number as u32, bytes: *size_bytes };
                let write_bytes = match layout {
                    FileLayout::SizeFirst => WRITE_BYTES,
                    FileLayout::Growing => GROW_BYTES,
                };
                write_data(place, write_bytes, &mut data, shared)?;
            }
            Item::HardLink { of, path } => {
                area.link(of, path).map_err(|error| in_the_way("create the hard link", path, 0, error))?;
            }
            Item::SymbolicLink { to, path } => {
                area.lead_to(path, to)
                    .map_err(|error| in_the_way("create the symbolic link", path, 0, error))?;
            }
            Item::Absent { path } => refuse_existing(area, path)?,
        }
    }
    for item in items {
        if let Item::Directory { path } = item {
            area.sync_dir(path);
        }
    }
    Ok(())
}

/// Creates a new file; an existing one is never overwritten.
fn make_file(area: &AreaDir, path: &Path, size_bytes: u64, layout: FileLayout) -> Result<File, DataSetError> {
    let made = area.open_file(path, Purpose::New);
    let file = made.map_err(|error| in_the_way("create", path, size_bytes, error))?;
    if layout == FileLayout::SizeFirst {
        file.set_len(size_bytes).map_err(|error| named("set the size of", path, size_bytes, error))?;
    }
    Ok(file)
}

fn refuse_existing(area: &AreaDir, path: &Path) -> Result<(), DataSetError> {
    match area.facts(path) {
        Ok(_) => Err(DataSetError::NotOurs { path: path.to_owned(), what: "already there" }),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(())
        }
        Err(error) => Err(named("access", path, 0, error)),
    }
}

/// An error when an entry is created.
fn in_the_way(doing: &'static str, path: &Path, bytes: u64, error: io::Error) -> DataSetError {
    if error.kind() == io::ErrorKind::AlreadyExists {
        return DataSetError::NotOurs { path: path.to_owned(), what: "already there" };
    }
    named(doing, path, bytes, error)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

    const PATTERN: PatternSpec = PatternSpec { seed: 5, unit_bytes: 4096 };

    fn make(dir: &Path, items: Vec<Item>) -> Result<(), DataSetError> {
        prepare(
            &AreaDir::open(dir).unwrap(),
            items,
            PATTERN,
            None,
            &mut |_| ControlFlow::Continue(()),
            &AtomicBool::new(false),
        )
    }

    fn items(root: &Path) -> Vec<Item> {
        vec![
            Item::Directory { path: root.join("image") },
            Item::Directory { path: root.join("image/shots") },
            Item::File {
                path: root.join("image/shots/a"),
                size_bytes: 3_000_001,
                layout: FileLayout::SizeFirst,
            },
            Item::File { path: root.join("image/b"), size_bytes: 200_000, layout: FileLayout::Growing },
            Item::File { path: root.join("image/empty"), size_bytes: 0, layout: FileLayout::Growing },
            Item::Absent { path: root.join("image/out") },
        ]
    }

    #[test]
    fn files_have_their_sizes_and_no_content_twice() {
        let dir = tempfile::tempdir().unwrap();
        make(dir.path(), items(dir.path())).unwrap();
        let read = |name: &str| fs::read(dir.path().join("image").join(name)).unwrap();
        let (a, b) = (read("shots/a"), read("b"));
        assert_eq!((a.len(), b.len(), read("empty").len()), (3_000_001, 200_000, 0));
        let mut pages = std::collections::HashSet::new();
        for page in a.chunks_exact(4096).chain(b.chunks_exact(4096)) {
            assert!(pages.insert(page.to_vec()));
        }
    }

    #[test]
    fn existing_files_are_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        make(dir.path(), items(dir.path())).unwrap();
        let error = make(dir.path(), items(dir.path())).unwrap_err();
        assert!(matches!(error, DataSetError::NotOurs { what: "already there", .. }), "{error}");
        let out = dir.path().join("image/out");
        fs::write(&out, "left by an earlier replay").unwrap();
        let error = make(dir.path(), vec![Item::Absent { path: out.clone() }]).unwrap_err();
        assert!(matches!(error, DataSetError::NotOurs { .. }), "{error}");
        let over = Item::File { path: out.clone(), size_bytes: 5, layout: FileLayout::SizeFirst };
        assert!(make(dir.path(), vec![over]).is_err());
        assert_eq!(fs::read(out).unwrap(), b"left by an earlier replay");
    }

    #[test]
    fn filling_stops_on_request() {
        let dir = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(true);
        let large =
            Item::File { path: dir.path().join("large"), size_bytes: 1 << 40, layout: FileLayout::Growing };
        let area = AreaDir::open(dir.path()).unwrap();
        let result = prepare(&area, vec![large], PATTERN, None, &mut |_| ControlFlow::Continue(()), &stop);
        assert!(matches!(result, Err(DataSetError::Interrupted { .. })));
    }
}
