//! The client's cache before a run measures: whether it is bypassed, and dropping the test files from
//! it.

use std::path::Path;

use reelgauge_analysis::{Note, NoteFact};
use reelgauge_engine::area::Area;
use reelgauge_engine::cache;
use reelgauge_engine::dataset::DataSet;
use reelgauge_engine::direct::{DirectOutcome, DirectProbe, DirectSupport};
use reelgauge_engine::driver::TargetFile;
use reelgauge_machine::mount::{Mount, MountKind};
use reelgauge_workload::units::Size;

use crate::error::RunError;

/// The direct I/O settings that a run requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectRequest<'a> {
    pub target: &'a Path,
    /// Fail rather than fall back.
    pub must: bool,
    pub writes: bool,
    /// The common divisor of all its offsets and lengths.
    pub quantum_bytes: u32,
}

/// Decides whether direct I/O is used. Returns a note if it was planned but is not used.
pub fn settle_direct(
    wish: DirectRequest<'_>,
    mount: &Mount,
    direct: &DirectProbe,
) -> Result<Option<Note>, RunError> {
    if wish.must && mount.kind == MountKind::Memory {
        let why = format!("{} keeps everything in memory", mount.fs_type);
        return Err(RunError::NotDirect { target: wish.target.to_path_buf(), why });
    }
    let refused = [Some(&direct.read), wish.writes.then_some(&direct.write)];
    let refused = refused.into_iter().flatten().find_map(|outcome| match outcome {
        DirectOutcome::Refused { why } => Some(why.clone()),
        _ => None,
    });
    if let Some(why) = refused {
        if wish.must {
            return Err(RunError::NotDirect { target: wish.target.to_path_buf(), why });
        }
        let sentence =
            format!("Direct I/O does not work here ({why}), so this run went through this client's cache.");
        let advice = "Use files larger than this client's memory to measure the storage.";
        return Ok(Some(Note::new(NoteFact::NoDirect { why }, sentence, advice)));
    }
    let needed = match direct.stated {
        DirectSupport::Aligned { offset_align_bytes, .. } => offset_align_bytes,
        _ => direct.shortest_read_bytes.unwrap_or(0),
    };
    let given = wish.quantum_bytes;
    if given < needed {
        return Err(RunError::DirectAlignment {
            target: wish.target.to_path_buf(),
            needed: Size(u64::from(needed)),
            given: Size(u64::from(given)),
        });
    }
    Ok(None)
}

/// Drops the user's own files from the client's cache, without writing anything back. Returns a note if
/// that is impossible.
pub fn drop_written(files: &[TargetFile]) -> Option<Note> {
    let paths: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
    let error = cache::drop_written(&paths).err()?;
    Some(not_cooled("Your files", error.to_string()))
}

/// A cold start: drops the test files from the client's cache. Returns a note if that is impossible.
pub fn cool_down(area: &Area, data_set: &DataSet) -> Option<Note> {
    drop_cached(area, &data_set.files)
}

/// Drops files of the area from the client's cache. Returns a note if that is impossible.
pub fn drop_cached(area: &Area, files: &[TargetFile]) -> Option<Note> {
    let paths: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
    let error = cache::drop_cached(Some(area.dir()), &paths).err()?;
    Some(not_cooled("The test files", error.to_string()))
}

fn not_cooled(which: &str, error: String) -> Note {
    let sentence = format!("{which} could not be dropped from this client's cache ({error}).");
    Note::new(NoteFact::NotCooled { error }, sentence, "")
}
