//! The stage: the target taken, and every file that the cast needs, made before it is needed.
//!
//! Prepared files are data sets like those of every run and are used again; what actors write themselves
//! goes into the area's scratch folder, which is removed at the end.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use reelgauge_engine::area::{AREA_DIR, Area};
use reelgauge_engine::dataset::{self, DataSet, DataSetSpec};
use reelgauge_engine::driver::TargetFile;
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_engine::space::space;
use reelgauge_workload::streams::{ActorKind, StreamsPlan};

use super::cast::{Cast, Role};
use super::footage::DIRECT_QUANTUM_BYTES;
use super::parts::Files;
use crate::error::RunError;
use crate::file_table::FileTable;
use crate::ground::Ground;
use crate::interrupt::Interrupt;
use crate::made_files::MadeFiles;
use crate::observer::Observer;
use crate::prepare::{DirectWish, check_room, drop_cached, settle_direct};

/// Stamps in test data lie so far apart.
const UNIT_BYTES: u32 = 4096;
/// What the log says of files that were there before the first operation.
const BEFORE: &str = "before the run";

/// The files of everybody who plays on a target.
#[derive(Debug)]
pub struct Stage {
    /// Every file that any actor uses, by its number in the log.
    pub table: FileTable,
    /// Bytes of test data that had to be written.
    pub written_bytes: u64,
    /// What the user should know.
    pub notes: Vec<String>,
    /// What actors make.
    pub made: MadeFiles,
    area: Area,
    pools: BTreeMap<u64, Pool>,
    seed: u64,
}

/// Prepared files of one size.
#[derive(Debug, Default)]
struct Pool {
    files: Vec<TargetFile>,
    used: usize,
}

impl Stage {
    /// Takes the target. `plan.target` becomes absolute, and `plan.direct` is off where it is not to be had.
    ///
    /// # Errors
    /// A target that can't be used, or has not enough room for what the plan needs at first.
    pub fn open(
        plan: &mut StreamsPlan,
        needed_bytes: u64,
        writes: bool,
        must_be_direct: bool,
        interrupt: &Interrupt,
    ) -> Result<(Ground, Stage), RunError> {
        check_space(&plan.target, needed_bytes)?;
        let area = Area::open_or_create(&plan.target)?;
        plan.target = area.target().to_path_buf();
        let result = Stage::open_in(&area, plan, writes, must_be_direct, interrupt);
        if result.is_err() && area.is_new() {
            // What can't be removed now is removed by `reelgauge clean`; the error itself matters more.
            let _ = area.clean();
        }
        result
    }

    fn open_in(
        area: &Area,
        plan: &mut StreamsPlan,
        writes: bool,
        must_be_direct: bool,
        interrupt: &Interrupt,
    ) -> Result<(Ground, Stage), RunError> {
        let ground = Ground::take(area)?;
        let mut notes = ground.notes();
        if plan.direct {
            let wish = DirectWish {
                target: &plan.target,
                must: must_be_direct,
                writes,
                quantum_bytes: DIRECT_QUANTUM_BYTES as u32,
            };
            let note = settle_direct(wish, &ground.mount, &ground.direct)?;
            plan.direct = note.is_none();
            notes.extend(note);
        }
        let stage = Stage {
            table: FileTable::new(area.root()),
            written_bytes: 0,
            notes,
            made: MadeFiles::begin(&ground, interrupt)?,
            area: area.clone(),
            pools: BTreeMap::new(),
            seed: plan.seed,
        };
        Ok((ground, stage))
    }

    /// Gives everybody who plays at this scale their files, making what is missing.
    ///
    /// # Errors
    /// When there is no room, or the storage fails.
    pub fn furnish(
        &mut self,
        cast: &mut Cast,
        scale: u32,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        for (bytes, count) in cast.prepared_files(scale) {
            self.prepare(bytes, count, observer, interrupt)?;
        }
        for role in 0..cast.roles.len() {
            let wanted = cast.roles[role].plan.count.saturating_mul(scale) as usize;
            while cast.roles[role].files.len() < wanted {
                let files = self.files_of(&cast.roles[role], role, cast.roles[role].files.len())?;
                cast.roles[role].files.push(files);
            }
        }
        Ok(())
    }

    /// The largest scale for which there is room, when one unit takes so many bytes.
    pub fn room_for(&self, bytes_per_scale: u64) -> u32 {
        let Ok(Some(space)) = space(self.area.root()) else {
            return u32::MAX;
        };
        let ours = folder_bytes(&self.area.data_dir());
        let room = space.available_bytes.saturating_sub(dataset::MARGIN_BYTES).saturating_add(ours);
        u32::try_from(room / 100 * 95 / bytes_per_scale.max(1)).unwrap_or(u32::MAX)
    }

    /// How many prepared files there are, and their bytes.
    pub fn prepared_total(&self) -> (u64, u64) {
        let files = || self.pools.values().flat_map(|pool| &pool.files);
        (files().count() as u64, files().map(|file| file.size_bytes).sum())
    }

    /// Drops the prepared files from this machine's cache. A note when that is impossible.
    pub fn cool_down(&self) -> Option<String> {
        self.pools.values().find_map(|pool| drop_cached(&pool.files))
    }

    fn prepare(
        &mut self,
        file_bytes: u64,
        count: u32,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        let pool = self.pools.entry(file_bytes).or_default();
        if pool.files.len() >= count as usize {
            return Ok(());
        }
        observer.phase("preparing");
        let mut progress = |report: dataset::Prepared| {
            observer.prepared(report.reused_bytes + report.written_bytes, report.total_bytes);
            ControlFlow::Continue(())
        };
        let spec = DataSetSpec { files: count, file_bytes, unit_bytes: UNIT_BYTES, seed: self.seed };
        let set = DataSet::prepare(&self.area, &spec, &mut progress, interrupt.flag())?;
        self.written_bytes += set.written_bytes;
        pool.files = set.files;
        // Only what is new can be in the cache by the tool's own doing.
        self.notes.extend(drop_cached(&pool.files).filter(|note| !self.notes.contains(note)));
        Ok(())
    }

    /// The files of one actor.
    fn files_of(&mut self, role: &Role, number: usize, instance: usize) -> Result<Files, RunError> {
        let needs = role.part().needs();
        let mut files = Files::default();
        for _ in 0..needs.prepared_files {
            files.prepared.push(self.take_prepared(needs.prepared_file_bytes)?);
        }
        if !needs.folder {
            return Ok(files);
        }
        let Some(scratch) = self.made.scratch() else {
            return Err(RunError::io("make a folder")(std::io::Error::other("the scratch folder is gone")));
        };
        let folder = scratch.directory(&format!("{number:02}-{}-{instance:04}", role.plan.kind))?;
        for made in 0..needs.made_files {
            let path = folder.join(format!("{}-{made:06}", made_name(role.plan.kind)));
            if made < needs.empty_files {
                scratch.make_empty_file(&path)?;
            }
            let existed = made < needs.empty_files;
            files.made.push(enter(&mut self.table, TargetFile { path, size_bytes: 0 }, existed));
        }
        files.folder = Some(enter(&mut self.table, TargetFile { path: folder, size_bytes: 0 }, true));
        Ok(files)
    }

    fn take_prepared(&mut self, file_bytes: u64) -> Result<u32, RunError> {
        let pool = self.pools.entry(file_bytes).or_default();
        let Some(file) = pool.files.get(pool.used).cloned() else {
            let source = std::io::Error::other("fewer test files than actors");
            return Err(RunError::Io { doing: "hand out the test files".to_owned(), source });
        };
        pool.used += 1;
        Ok(self.table.enter_test_files(&[file], BEFORE))
    }

    /// How the test data are made.
    pub fn pattern(&self) -> PatternSpec {
        PatternSpec { seed: self.seed, unit_bytes: UNIT_BYTES }
    }
}

/// Puts a file that is no test data into the table.
fn enter(table: &mut FileTable, file: TargetFile, existed: bool) -> u32 {
    table.enter(file, existed, if existed { BEFORE } else { "by the run" })
}

/// What a file that an actor makes is called.
fn made_name(kind: ActorKind) -> &'static str {
    match kind {
        ActorKind::Recorder => "recording",
        ActorKind::Transcoder => "proxy",
        ActorKind::Copier => "copy",
        _ => "file",
    }
}

/// Refuses a plan that can't fit before even the area is made. A target that has an area already is left
/// to the data sets, which know what can be used again.
fn check_space(target: &Path, needed_bytes: u64) -> Result<(), RunError> {
    if target.join(AREA_DIR).exists() || !target.is_dir() {
        return Ok(());
    }
    match space(target) {
        Ok(Some(space)) => check_room(target, needed_bytes, space.available_bytes),
        // Whatever is wrong with the target is better said by the area.
        Ok(None) | Err(_) => Ok(()),
    }
}

/// Bytes of the files in a folder and those in it; what can't be looked at counts nothing.
pub(crate) fn folder_bytes(folder: &Path) -> u64 {
    let mut folders: Vec<PathBuf> = vec![folder.to_path_buf()];
    let mut bytes = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(facts) if facts.is_dir() => folders.push(entry.path()),
                Ok(facts) => bytes += facts.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}
