//! Whether a file is slow because of its fragmentation. Its content is copied into the area, and both
//! are read alternately, cold; the file itself is only read.
//!
//! The copy goes through this client: a server that copies on its own may let both share their blocks.
//! The copy is removed afterwards, and the area too if it was not there before.
//!
//! Not here: the meaning of the times (analysis), and the sentences (report).

use std::path::{Path, PathBuf};

use reelgauge_analysis::Note;
use reelgauge_analysis::fragments::cold_read::ColdReads;
use reelgauge_analysis::fragments::copy_comparison::{AgainstCopy, CopyComparison, MIN_PASSES, MeasuredFile};
use reelgauge_engine::area::{AREA_DIR, Area, AreaDir, Terms};
use reelgauge_engine::cold_read::{ColdError, TimedRead, copy_anew, read_cold};
use reelgauge_engine::extents::{Extents, ExtentsError};
use reelgauge_engine::space::space;
use reelgauge_machine::mount::{Mount, MountKind};
use reelgauge_report::fragments::copy_comparison::against_copy_sentence;
use reelgauge_workload::units::Size;
use serde::Serialize;

use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::session::locked_target::LockedTarget;
use crate::session::scratch_files::MadeFiles;
use crate::session::space::check_room;

/// A smaller file is read too quickly for a comparison.
pub const MIN_BYTES: u64 = 8 << 20;
/// More passes add nothing.
pub const MAX_PASSES: u32 = 100;

/// The request for a comparison.
#[derive(Clone, Debug)]
pub struct CopyRequest {
    /// The file. It is only read.
    pub file: PathBuf,
    /// The directory in whose area its copy is made; on the same file system.
    pub target: PathBuf,
    /// How often both are read.
    pub passes: u32,
    /// At most this much of the file is copied and read, from its beginning.
    pub most: Size,
    /// The terms for the target.
    pub terms: Terms,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    pub path: String,
    pub size_bytes: u64,
    /// How much of it was copied and read, from its beginning.
    pub compared_bytes: u64,
    /// The extents of the file; `None` if its file system does not report them.
    pub file_extents: Option<Extents>,
    /// The extents of the copy.
    pub copy_extents: Option<Extents>,
    /// The variation of the reads of the file, in the median pass.
    pub file_reads: Option<ColdReads>,
    /// The cold reads of the copy.
    pub copy_reads: Option<ColdReads>,
    /// Times and finding.
    #[serde(flatten)]
    pub result: AgainstCopy,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Why there is nothing to compare.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// It is not a file, or can't be read.
    #[error(transparent)]
    File(#[from] ExtentsError),
    /// It is too small.
    #[error(
        "{} is only {size}; files smaller than {} are read too quickly to compare",
        path.display(),
        Size(MIN_BYTES)
    )]
    Small { path: PathBuf, size: Size },
    /// Too few passes, or too many.
    #[error(
        "--passes {passes} is outside {MIN_PASSES} to {MAX_PASSES}. With fewer than {MIN_PASSES}, a \
         difference may be chance"
    )]
    Passes { passes: u32 },
    /// The copy would be on another file system.
    #[error(
        "{} is on {file_system} and {} on {target_system}, so a copy there cannot show fragmentation. \
         Name a directory on the file's own file system",
        path.display(),
        target.display()
    )]
    Elsewhere {
        path: PathBuf,
        file_system: String,
        /// The directory for the copy.
        target: PathBuf,
        target_system: String,
    },
    /// The file is one of Reelgauge's.
    #[error("{} is in Reelgauge's own area; name a file of your own", path.display())]
    Own { path: PathBuf },
    /// Too little of it is to be compared.
    #[error("--first {most} is read too quickly to compare; use 8MiB or more")]
    LittleOfIt { most: Size },
    /// There is no space for the copy.
    #[error(
        "the copy needs {needed}, but {} has {available} free, and {kept} must stay free \
         (--keep-free). Copy less with --first, or free some space",
        target.display()
    )]
    Room {
        target: PathBuf,
        needed: Size,
        available: Size,
        /// The space that must stay free.
        kept: Size,
    },
    /// Copying or reading failed.
    #[error(transparent)]
    Cold(#[from] ColdError),
    /// The target can't be used.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Passes that took no time.
    #[error(
        "the reads were too fast to measure, probably because the file is in memory. Use a larger file, or \
         one that is not in memory"
    )]
    NoTimes,
}

impl CopyError {
    /// The exit status: 2 wrong input, 3 incomplete, 130 interrupted.
    pub fn exit_code(&self) -> u8 {
        match self {
            CopyError::Cold(ColdError::Interrupted) => 130,
            CopyError::Cold(_) | CopyError::NoTimes => 3,
            CopyError::Run(error) => error.exit_code(),
            _ => 2,
        }
    }
}

/// Compares a file with a copy of it.
///
/// # Errors
/// [`CopyError`]. A request that must be refused is refused before anything is written.
pub fn compare_with_copy(
    request: &CopyRequest,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Compared, CopyError> {
    let size_bytes = look(request)?;
    let compared_bytes = size_bytes.min(request.most.bytes());
    if let Ok(Some(space)) = space(&request.target) {
        check_room(&request.target, compared_bytes, space, request.terms.keep_free).map_err(|error| {
            match error {
                RunError::Space { target, needed, available, kept, .. } => {
                    CopyError::Room { target, needed, available, kept }
                }
                other => CopyError::Run(other),
            }
        })?;
    }
    let area = Area::open_or_create_on(&request.target, request.terms).map_err(RunError::from)?;
    let is_new = area.is_new();
    let compared = in_area(&area, request, (size_bytes, compared_bytes), observer, interrupt);
    observer.finished();
    if is_new {
        // Files that can't be removed now are removed by `reelgauge clean`; the result matters more.
        let _ = area.clean();
    }
    compared
}

/// Refuses impossible requests; returns the size of the file.
fn look(request: &CopyRequest) -> Result<u64, CopyError> {
    let path = request.file.clone();
    let fail = |source| ExtentsError::Io { path: path.clone(), source };
    let about = std::fs::metadata(&path).map_err(fail)?;
    if !about.is_file() {
        return Err(ExtentsError::NotAFile { path }.into());
    }
    let size = Size(about.len());
    if size.bytes() < MIN_BYTES {
        return Err(CopyError::Small { path, size });
    }
    if request.most.bytes() < MIN_BYTES {
        return Err(CopyError::LittleOfIt { most: request.most });
    }
    if !(MIN_PASSES..=MAX_PASSES).contains(&request.passes) {
        return Err(CopyError::Passes { passes: request.passes });
    }
    let whole = path.canonicalize().map_err(fail)?;
    if whole.components().any(|part| part.as_os_str() == AREA_DIR) {
        return Err(CopyError::Own { path });
    }
    let mount = Mount::at(&path).map_err(fail)?;
    let target = request.target.clone();
    let there = Mount::at(&target).map_err(RunError::io(format!("look at {}", target.display())))?;
    if (&mount.fs_type, &mount.source) != (&there.fs_type, &there.source) {
        let (file_system, target_system) = (mount.description(), there.description());
        return Err(CopyError::Elsewhere { path, file_system, target, target_system });
    }
    Ok(about.len())
}

fn in_area(
    area: &Area,
    request: &CopyRequest,
    (size_bytes, compared_bytes): (u64, u64),
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Compared, CopyError> {
    let locked = LockedTarget::take(area)?;
    let mut made = MadeFiles::begin(&locked, interrupt)?;
    let folder = made.scratch().map(|scratch| scratch.path().to_owned()).unwrap_or_default();
    let copy = folder.join("copy");
    observer.phase("preparing");
    let mut progress = |bytes| observer.prepared(bytes, compared_bytes);
    copy_anew(&request.file, (area.dir(), &copy), compared_bytes, &mut progress, interrupt.flag())?;
    let extents = [&request.file, &copy].map(|path| Extents::of(Some(area.dir()), path).ok());
    observer.phase("measuring");
    let mut sides = [&request.file, &copy].map(|path| Side::new(area.dir(), path));
    for pass in 0..request.passes {
        // The side that is first in a pass is second in the next one.
        let order = if pass % 2 == 0 { [0, 1] } else { [1, 0] };
        for side in order {
            sides[side].read(compared_bytes, interrupt)?;
        }
    }
    let mut notes: Vec<String> = locked.notes().iter().map(Note::text).collect();
    notes.extend(notes_on(&locked.mount, &sides));
    if compared_bytes < size_bytes {
        let size = Size(compared_bytes);
        notes.push(format!(
            "Only the first {size} of the file were copied and read; the extents are those of the whole file."
        ));
    }
    // Files that can't be removed are removed by the next run.
    let _ = made.remove();
    let [file, copied] = [0, 1].map(|side: usize| MeasuredFile {
        extents: extents[side].as_ref().and_then(|extents| extents.extents),
        pass_ns: sides[side].pass_ns(),
    });
    let compared = CopyComparison::of(&file, &copied, compared_bytes).ok_or(CopyError::NoTimes)?;
    let result = compared.in_words(against_copy_sentence);
    let [file_extents, copy_extents] = extents;
    let [file_reads, copy_reads] = sides.map(|side| side.evenness());
    Ok(Compared {
        path: request.file.display().to_string(),
        size_bytes,
        compared_bytes,
        file_extents,
        copy_extents,
        file_reads,
        copy_reads,
        result,
        notes,
    })
}

/// The file or its copy, and the results of reading it.
struct Side<'a> {
    area: &'a AreaDir,
    path: &'a Path,
    passes: Vec<Vec<TimedRead>>,
    /// Why it could not be dropped from the client's cache.
    warm: Option<String>,
}

impl<'a> Side<'a> {
    fn new(area: &'a AreaDir, path: &'a Path) -> Side<'a> {
        Side { area, path, passes: Vec::new(), warm: None }
    }

    fn read(&mut self, bytes: u64, interrupt: &Interrupt) -> Result<(), CopyError> {
        let (reads, warm) = read_cold(Some(self.area), self.path, bytes, interrupt.flag())?;
        self.passes.push(reads);
        self.warm = warm.or(self.warm.take());
        Ok(())
    }

    fn pass_ns(&self) -> Vec<u64> {
        self.passes.iter().map(|reads| took_ns(reads)).collect()
    }

    /// The evenness of the reads in the median pass.
    fn evenness(&self) -> Option<ColdReads> {
        let mut passes: Vec<&Vec<TimedRead>> = self.passes.iter().collect();
        passes.sort_by_key(|reads| took_ns(reads));
        let reads = passes.get(passes.len() / 2)?.iter();
        let name = self.path.display().to_string();
        ColdReads::of(&name, reads.map(|read| (read.offset, read.len, read.service_ns)))
    }
}

fn took_ns(reads: &[TimedRead]) -> u64 {
    reads.iter().map(|read| read.service_ns).fold(0, u64::saturating_add)
}

/// Possible reasons why both files performed alike.
fn notes_on(mount: &Mount, sides: &[Side<'_>]) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(why) = sides.iter().find_map(|side| side.warm.as_ref()) {
        notes.push(format!("This client's cache may have answered reads: {why}."));
    }
    if matches!(mount.kind, MountKind::Network | MountKind::Fuse) {
        notes.push(
            "Only this client's cache was emptied. A server that has both files in memory reads both \
             equally fast."
                .to_owned(),
        );
    }
    notes
}
