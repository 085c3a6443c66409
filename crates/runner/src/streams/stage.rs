//! The stage: the target made ready, and every file that the cast needs, made before it is needed.
//!
//! Prepared files are data sets like those of every run and are used again; what actors write themselves
//! goes into the area's scratch folder, which is removed at the end.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use reelgauge_engine::area::{AREA_DIR, Area, AreaLock};
use reelgauge_engine::dataset::{self, DataSet, DataSetSpec};
use reelgauge_engine::driver::TargetFile;
use reelgauge_engine::mount::direct::{DirectProbe, probe};
use reelgauge_engine::mount::{Mount, MountId};
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_engine::scratch::Scratch;
use reelgauge_engine::space::space;
use reelgauge_record::log::FileEntry;
use reelgauge_workload::streams::{ActorKind, StreamsPlan};

use super::cast::{Cast, Role};
use super::footage::DIRECT_QUANTUM_BYTES;
use super::parts::Files;
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::prepare::{DirectWish, check_room, drop_cached, settle_direct};

/// Stamps in test data lie so far apart.
const UNIT_BYTES: u32 = 4096;

/// A target that is ready to be played on.
#[derive(Debug)]
pub struct Stage {
    /// The area.
    pub area: Area,
    /// Held until the run is over.
    pub lock: AreaLock,
    /// What is mounted there.
    pub mount: Mount,
    /// To notice when it is gone.
    pub mount_id: MountId,
    /// What is known about direct I/O there.
    pub direct: DirectProbe,
    /// Every file that any actor uses, by its number in the log.
    pub files: Vec<TargetFile>,
    /// The same as the log's file table has them.
    pub entries: Vec<FileEntry>,
    /// Bytes of test data that had to be written.
    pub written_bytes: u64,
    /// What the user should know.
    pub notes: Vec<String>,
    scratch: Scratch,
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
    ) -> Result<Stage, RunError> {
        check_space(&plan.target, needed_bytes)?;
        let area = Area::open_or_create(&plan.target)?;
        plan.target = area.target().to_path_buf();
        let result = Stage::open_in(&area, plan, writes, must_be_direct);
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
    ) -> Result<Stage, RunError> {
        let lock = area.lock()?;
        let mut notes: Vec<String> = lock.note().map(str::to_owned).into_iter().collect();
        let mount = Mount::at(area.root()).map_err(RunError::io("find out what is mounted at the target"))?;
        let mount_id = MountId::capture(area.root()).map_err(RunError::io("identify the target's mount"))?;
        let direct = probe(area.root()).map_err(RunError::io("try direct I/O in the area"))?;
        if plan.direct {
            let wish = DirectWish {
                target: &plan.target,
                must: must_be_direct,
                writes,
                quantum_bytes: DIRECT_QUANTUM_BYTES as u32,
            };
            let note = settle_direct(wish, &mount, &direct)?;
            plan.direct = note.is_none();
            notes.extend(note);
        }
        Ok(Stage {
            scratch: Scratch::create(area)?,
            area: area.clone(),
            lock,
            mount,
            mount_id,
            direct,
            files: Vec::new(),
            entries: Vec::new(),
            written_bytes: 0,
            notes,
            pools: BTreeMap::new(),
            seed: plan.seed,
        })
    }

    /// Gives everybody who plays at this scale their files, making what is missing. Returns the entries of
    /// the files that are new in the table.
    ///
    /// # Errors
    /// When there is no room, or the storage fails.
    pub fn furnish(
        &mut self,
        cast: &mut Cast,
        scale: u32,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Vec<FileEntry>, RunError> {
        let known = self.entries.len();
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
        Ok(self.entries[known..].to_vec())
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

    /// Paths of all prepared files.
    pub fn prepared_paths(&self) -> Vec<&Path> {
        self.pools.values().flat_map(|pool| &pool.files).map(|file| file.path.as_path()).collect()
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

    /// Removes what the actors wrote. Not to be asked of storage that no longer answers.
    pub fn strike(self) -> Result<(), RunError> {
        Ok(self.scratch.remove()?)
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
        let folder = self.scratch.directory(&format!("{number:02}-{}-{instance:04}", role.plan.kind))?;
        for made in 0..needs.made_files {
            let path = folder.join(format!("{}-{made:06}", made_name(role.plan.kind)));
            if made < needs.empty_files {
                self.scratch.make_empty_file(&path)?;
            }
            files.made.push(self.enter(TargetFile { path, size_bytes: 0 }, made < needs.empty_files));
        }
        files.folder = Some(self.enter(TargetFile { path: folder, size_bytes: 0 }, true));
        Ok(files)
    }

    fn take_prepared(&mut self, file_bytes: u64) -> Result<u32, RunError> {
        let pool = self.pools.entry(file_bytes).or_default();
        let Some(file) = pool.files.get(pool.used).cloned() else {
            let source = std::io::Error::other("fewer test files than actors");
            return Err(RunError::Io { doing: "hand out the test files".to_owned(), source });
        };
        pool.used += 1;
        Ok(self.enter(file, true))
    }

    /// Puts a file into the table.
    fn enter(&mut self, file: TargetFile, existed: bool) -> u32 {
        let number = self.files.len() as u32;
        let root = self.area.root();
        self.entries.push(FileEntry {
            path: file.path.strip_prefix(root).unwrap_or(&file.path).display().to_string(),
            size_before_bytes: existed.then_some(file.size_bytes),
            size_after_bytes: None,
            existed_before: existed,
            prepared: if existed { "before the run" } else { "by the run" }.to_owned(),
        });
        self.files.push(file);
        number
    }

    /// How the test data are made.
    pub fn pattern(&self) -> PatternSpec {
        PatternSpec { seed: self.seed, unit_bytes: UNIT_BYTES }
    }
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
