//! The target made ready for a first look: what is mounted there, over which link, and a few test files.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use reelgauge_engine::area::{AREA_DIR, Area, AreaLock};
use reelgauge_engine::dataset::{DataSet, DataSetSpec, Prepared};
use reelgauge_engine::driver::TargetFile;
use reelgauge_engine::link::{self, Link};
use reelgauge_engine::mount::direct::{DirectProbe, probe};
use reelgauge_engine::mount::{Mount, MountId};
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_engine::space::{Space, space};
use reelgauge_record::log::FileEntry;

use super::budget::DataPlan;
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::prepare::{DirectWish, check_room, drop_cached, settle_direct};

/// What all offsets and lengths are multiples of.
pub const QUANTUM_BYTES: u32 = 4096;

/// A target that is ready to be looked at.
#[derive(Debug)]
pub struct Place {
    /// The target, absolute.
    pub target: PathBuf,
    /// The area.
    pub area: Area,
    /// Held until the look is over.
    pub lock: AreaLock,
    /// What is mounted there.
    pub mount: Mount,
    /// To notice when it is gone.
    pub mount_id: MountId,
    /// Over what it is reached.
    pub link: Link,
    /// What is known about direct I/O there.
    pub probe: DirectProbe,
    /// Whether it is used.
    pub direct: bool,
    /// The test files, all of one size.
    pub data_set: DataSet,
    /// The same as the log's file table has them.
    pub entries: Vec<FileEntry>,
    /// Free space, 0 to 1; `None` where the file system doesn't tell.
    pub free_share: Option<f64>,
    /// What the reader should know.
    pub notes: Vec<String>,
}

impl Place {
    /// Takes the target and makes the test files, as many as the time for it allows.
    ///
    /// # Errors
    /// A target that can't be used, or has no room; an area that was made for it is removed again.
    pub fn open(
        target: &Path,
        seed: u64,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Place, RunError> {
        // Whatever is wrong with the target is better said by the area.
        let room = space(target).ok().flatten();
        if let (Some(room), false) = (room, target.join(AREA_DIR).exists()) {
            let plan = DataPlan::for_space(Some(room.available_bytes));
            check_room(target, plan.bytes_min(), room.available_bytes)?;
        }
        let area = Area::open_or_create(target)?;
        let result = Place::open_in(&area, room, seed, observer, interrupt);
        if result.is_err() && area.is_new() {
            // What can't be removed now is removed by `reelgauge clean`; the error itself matters more.
            let _ = area.clean();
        }
        result
    }

    fn open_in(
        area: &Area,
        room: Option<Space>,
        seed: u64,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Place, RunError> {
        let lock = area.lock()?;
        let mut notes: Vec<String> = lock.note().map(str::to_owned).into_iter().collect();
        let mount = Mount::at(area.root()).map_err(RunError::io("find out what is mounted at the target"))?;
        let mount_id = MountId::capture(area.root()).map_err(RunError::io("identify the target's mount"))?;
        let link = link::of(&mount);
        let probe = probe(area.root()).map_err(RunError::io("try direct I/O in the area"))?;
        let cached = without_direct(area.target(), &mount, &probe)?;
        let direct = cached.is_none();
        notes.extend(cached);
        let data_set = make_files(area, room, seed, observer, interrupt)?;
        notes.extend(drop_cached(&data_set.files));
        let root = area.root();
        let entry = |file: &TargetFile| FileEntry {
            path: file.path.strip_prefix(root).unwrap_or(&file.path).display().to_string(),
            size_before_bytes: Some(file.size_bytes),
            size_after_bytes: None,
            existed_before: true,
            prepared: "before the run".to_owned(),
        };
        Ok(Place {
            target: area.target().to_path_buf(),
            entries: data_set.files.iter().map(entry).collect(),
            free_share: room.map(|room| room.available_bytes as f64 / room.total_bytes.max(1) as f64),
            area: area.clone(),
            lock,
            mount,
            mount_id,
            link,
            probe,
            direct,
            data_set,
            notes,
        })
    }

    /// The paths of the test files.
    pub fn paths(&self) -> Vec<&Path> {
        self.data_set.files.iter().map(|file| file.path.as_path()).collect()
    }

    /// Bytes of each test file.
    pub fn file_bytes(&self) -> u64 {
        self.data_set.files.first().map_or(0, |file| file.size_bytes)
    }

    /// How the test data are made.
    pub fn pattern(&self) -> PatternSpec {
        self.data_set.pattern
    }
}

/// A note where direct I/O is not to be had. A first look never demands it.
fn without_direct(target: &Path, mount: &Mount, probe: &DirectProbe) -> Result<Option<String>, RunError> {
    let wish = DirectWish { target, must: false, writes: true, quantum_bytes: QUANTUM_BYTES };
    match settle_direct(wish, mount, probe) {
        Err(RunError::DirectAlignment { needed, .. }) => Ok(Some(format!(
            "Direct I/O needs multiples of {needed} here, so this look went through this machine's cache."
        ))),
        other => other,
    }
}

/// One file shows how fast they can be made; then as many as there is time for.
fn make_files(
    area: &Area,
    room: Option<Space>,
    seed: u64,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<DataSet, RunError> {
    observer.phase("preparing");
    let ours = crate::streams::stage::folder_bytes(&area.data_dir());
    let plan = DataPlan::for_space(room.map(|room| room.available_bytes.saturating_add(ours)));
    let mut make = |files: u32| {
        let mut progress = |report: Prepared| {
            observer.prepared(report.reused_bytes + report.written_bytes, report.total_bytes);
            ControlFlow::Continue(())
        };
        let spec = DataSetSpec { files, file_bytes: plan.file_bytes, unit_bytes: QUANTUM_BYTES, seed };
        DataSet::prepare(area, &spec, &mut progress, interrupt.flag())
    };
    let first = make(1)?;
    // A file that was there already tells nothing, but then its like are there as well.
    Ok(make(plan.files(first.seconds))?)
}
