//! The tests of a path: whether direct I/O is direct, and the cost of fsync. They use the area as every run
//! does, less than 2 MB of it, and remove everything.

use std::path::Path;
use std::time::Duration;

use reelgauge_analysis::selftest::{DirectState, Durations, StorageFigures};
use reelgauge_engine::area::{Area, Terms};
use reelgauge_engine::direct::DirectOutcome;
use reelgauge_engine::driver::Worker;
use reelgauge_engine::space::space;
use reelgauge_record::OpKind;
use reelgauge_workload::clip::Clip;
use reelgauge_workload::recorder::{Recorder, RecorderShape};

use super::known_answer::pace;
use super::load::{Place, context, records_of};
use super::unpaced_reads::SMALL_BYTES;
use crate::check::target_setup::without_flags;
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::session::locked_target::LockedTarget;
use crate::session::scratch_files::MadeFiles;
use crate::session::space::check_room;

/// A recorder syncs each of its frames, this many a second, for this long.
const FRAMES_PER_S: u32 = 100;
const RECORDED: Duration = Duration::from_secs(3);
/// Its operations for each frame, at most.
const OPS_PER_FRAME: u32 = 4;
/// The test files, with the scratch file of direct I/O.
const NEEDED_BYTES: u64 = 2_000_000;

/// Tests the storage of a directory.
pub(super) fn on_storage(
    target: &Path,
    terms: Terms,
    interrupt: &Interrupt,
) -> Result<StorageFigures, RunError> {
    // Any other fault of the target is reported better by the area.
    if let Ok(Some(room)) = space(target) {
        check_room(target, NEEDED_BYTES, room, terms.keep_free)
            .map_err(|error| without_flags(target, error))?;
    }
    let area = Area::open_or_create_on(target, terms).map_err(RunError::from)?;
    let is_new = area.is_new();
    let figures = in_area(&area, interrupt);
    if is_new && !matches!(figures, Err(RunError::NotAnswered { .. })) {
        // Files that cannot be removed now are removed by `reelgauge clean`; the result matters more.
        let _ = area.clean();
    }
    figures
}

fn in_area(area: &Area, interrupt: &Interrupt) -> Result<StorageFigures, RunError> {
    let locked = LockedTarget::take(area)?;
    let mut made = MadeFiles::begin(&locked, interrupt)?;
    let path = area.root().join(reelgauge_engine::area::SCRATCH_DIR).join("fsync");
    let context = context(Place::File(area.dir(), &path), RECORDED);
    let frames = FRAMES_PER_S * RECORDED.as_secs() as u32;
    let clip = Clip::constant(0, u64::from(frames * SMALL_BYTES), SMALL_BYTES);
    let shape = RecorderShape {
        clip: clip.expect("the file has room for frames"),
        pace: pace(FRAMES_PER_S, FRAMES_PER_S),
        sync_every_frames: Some(1),
        end_after_ns: None,
        direct: false,
        start_after_ns: 0,
        growing: true,
    };
    let recorder = Worker { id: 0, script: Recorder::new(0, shape) };
    let most = (OPS_PER_FRAME * frames) as usize;
    let records = records_of(vec![recorder], most, &context, interrupt).inspect_err(|error| {
        if matches!(error, RunError::NotAnswered { .. }) {
            made.leave();
        }
    })?;
    // Files that cannot be removed are removed by the next run.
    let _ = made.remove();
    let syncs = records.iter().filter(|op| op.kind == OpKind::Sync && op.errno == 0);
    Ok(StorageFigures {
        file_system: locked.mount.fs_type.clone(),
        direct_read: state(&locked.direct.read),
        direct_write: state(&locked.direct.write),
        fsync: Durations::of(syncs.map(|op| op.done_ns - op.issued_ns).collect()),
    })
}

fn state(outcome: &DirectOutcome) -> DirectState {
    match outcome {
        DirectOutcome::Works => DirectState::Works,
        DirectOutcome::Ignored { .. } => DirectState::Ignored,
        DirectOutcome::Refused { .. } => DirectState::Refused,
        DirectOutcome::Unknown { .. } => DirectState::Unmeasured,
    }
}
