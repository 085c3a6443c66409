//! The number of extents of the files that a pass of a replay wrote: it shows the effect of some ways of
//! writing, as do later reads (traces.md 6.4).
//!
//! Not here: the definition of an extent ([`reelgauge_engine::extents`]).

use std::collections::BTreeMap;
use std::path::PathBuf;

use reelgauge_analysis::WrittenPieces;
use reelgauge_engine::area::AreaDir;
use reelgauge_engine::extents::Extents;
use reelgauge_record::OpKind;
use reelgauge_trace::prestate::Prepare;

use super::images::Images;
use super::tape::Tape;
use crate::session::timed_check::within_a_look;

/// The number of files to inspect, the largest.
const FILES_MAX: usize = 4;
/// A smaller file has one extent, or does not matter.
const BYTES_MIN: u64 = 1 << 20;

/// A file that a trace writes.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    end: u64,
    /// Whether something was written beyond its end, which leaves a gap: a possible cause of many
    /// extents.
    leaves_gaps: bool,
}

/// Inspects the files that the first user of a pass wrote: those with gaps, and those with many extents.
/// None if the file system does not report extents, or does not answer.
pub(super) fn of_pass(area: &AreaDir, tape: &Tape, images: &Images, pass: u32) -> Vec<WrittenPieces> {
    let first = images.first_file(pass, 0);
    let files = largest(tape).into_iter().filter_map(|(file, written)| {
        let path = images.table.targets().get((first + file) as usize)?.path.clone();
        Some((tape.files.get(file as usize)?.path.clone(), path, written))
    });
    let (files, area): (Vec<(String, PathBuf, Written)>, _) = (files.collect(), area.clone());
    let look = move || {
        let look = |(file, path, written): (String, PathBuf, Written)| {
            let found = Extents::of(Some(&area), &path).ok()?;
            let (pieces, piece_bytes) = (found.extents?, found.bytes_per_extent? as u64);
            let point = u16::try_from(pass).ok()?;
            let found = WrittenPieces { point, file, size_bytes: found.size_bytes, pieces, piece_bytes };
            (written.leaves_gaps || found.is_in_many()).then_some(found)
        };
        files.into_iter().filter_map(look).collect()
    };
    within_a_look(look).unwrap_or_default()
}

/// The largest written files.
fn largest(tape: &Tape) -> Vec<(u32, Written)> {
    let before = |file: u32| {
        let name = tape.files.get(file as usize).map(|entry| entry.path.as_str());
        match name.and_then(|name| tape.before.of(name)).map(|entry| entry.what) {
            Some(Prepare::File { size_bytes } | Prepare::HardLink { size_bytes }) => size_bytes,
            _ => 0,
        }
    };
    let mut files: BTreeMap<u32, Written> = BTreeMap::new();
    for op in tape.packed.ops.iter().filter(|op| op.kind == OpKind::Write) {
        let written =
            files.entry(op.file).or_insert_with(|| Written { end: before(op.file), leaves_gaps: false });
        written.leaves_gaps |= op.offset > written.end;
        written.end = written.end.max(op.offset.saturating_add(u64::from(op.len)));
    }
    let mut files: Vec<_> = files.into_iter().filter(|(_, written)| written.end >= BYTES_MIN).collect();
    files.sort_by_key(|&(file, written)| (std::cmp::Reverse(written.end), file));
    files.truncate(FILES_MAX);
    files
}
