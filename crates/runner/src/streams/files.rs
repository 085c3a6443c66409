//! The locked target, and all files that the actors need, made before they are needed.
//!
//! Prepared files are data sets like those of every run and are used again; files that actors write are
//! in the area's scratch folder, which is removed at the end.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use reelgauge_analysis::Note;
use reelgauge_engine::area::Area;
use reelgauge_engine::dataset::{self, DataSet, DataSetSpec};
use reelgauge_engine::driver::TargetFile;
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_engine::space::space;
use reelgauge_engine::user_files::UserFiles;
use reelgauge_workload::media::DIRECT_QUANTUM_BYTES;
use reelgauge_workload::streams::StreamsPlan;
use reelgauge_workload::streams::actor::{InstanceFiles, ScratchFile};

use super::actor::Actor;
use super::actors::Actors;
use crate::error::RunError;
use crate::fresh_seed;
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::session::caching::{DirectRequest, drop_cached, drop_written, settle_direct};
use crate::session::file_table::FileTable;
use crate::session::locked_target::LockedTarget;
use crate::session::scratch_files::MadeFiles;
use crate::session::space::check_before_area;
use crate::session::space_making::{SpaceMaker, folder_bytes};
use crate::session::target::{Asked, left_out_note};

/// The distance between stamps in test data.
const UNIT_BYTES: u32 = 4096;
/// The log's mark of files that existed before the first operation.
const BEFORE: &str = "before the run";

/// The files of all actors on a target.
#[derive(Debug)]
pub struct StreamFiles {
    /// All files of the actors, by their numbers in the log.
    pub table: FileTable,
    /// Bytes of test data that had to be written.
    pub written_bytes: u64,
    /// Notes for the user.
    pub notes: Vec<Note>,
    pub made: MadeFiles,
    area: Area,
    room: SpaceMaker,
    pools: BTreeMap<u64, Pool>,
    /// The user's own files, if media is read from them.
    own: Option<OwnFiles>,
    seed: u64,
}

/// The user's own files, of which pieces are read and which are not changed.
#[derive(Debug)]
struct OwnFiles {
    material: UserFiles,
    /// Numbers in the log of the used files, by their index in the material.
    numbers: BTreeMap<usize, u32>,
    /// Bytes of the pieces that are used.
    used_bytes: u64,
}

/// The needs of the first load point on a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The free space in bytes.
    pub room_bytes: u64,
    /// Whether it must be writable.
    pub writes: bool,
    /// Pieces of the user's own files, in bytes each.
    pub own_pieces: Vec<u64>,
}

/// Prepared files of one size.
#[derive(Debug, Default)]
struct Pool {
    files: Vec<TargetFile>,
    used: usize,
}

impl StreamFiles {
    /// Takes the target. `plan.target` becomes absolute, and `plan.direct` is off if direct I/O is
    /// unavailable.
    ///
    /// # Errors
    /// If the target can't be used, or lacks space for the plan's first load point.
    pub fn open(
        plan: &mut StreamsPlan,
        needs: &Needs,
        asked: Asked,
        interrupt: &Interrupt,
    ) -> Result<(LockedTarget, StreamFiles), RunError> {
        let smaller = match plan.actors.iter().any(|actor| actor.kind().has_media()) {
            true => "shorter clips or fewer streams",
            false => "smaller files or fewer streams",
        };
        check_before_area(&plan.target, needs.room_bytes, asked.terms.keep_free, smaller)?;
        let area = Area::open_or_create_on(&plan.target, asked.terms)?;
        plan.target = area.target().to_path_buf();
        let result = StreamFiles::open_in(&area, plan, needs, asked.must_be_direct, interrupt);
        if result.is_err() && area.is_new() {
            // Files that can't be removed now are removed by `reelgauge clean`; the error itself matters
            // more.
            let _ = area.clean();
        }
        result
    }

    fn open_in(
        area: &Area,
        plan: &mut StreamsPlan,
        needs: &Needs,
        must_be_direct: bool,
        interrupt: &Interrupt,
    ) -> Result<(LockedTarget, StreamFiles), RunError> {
        let locked = LockedTarget::take(area)?;
        let mut notes = locked.notes();
        if plan.direct {
            let wish = DirectRequest {
                target: &plan.target,
                must: must_be_direct,
                writes: needs.writes,
                quantum_bytes: DIRECT_QUANTUM_BYTES as u32,
            };
            let note = settle_direct(wish, &locked.mount, &locked.direct)?;
            plan.direct = note.is_none();
            notes.extend(note);
        }
        let own = match &plan.read_from {
            Some(folder) => Some(OwnFiles::find(folder, &locked, &needs.own_pieces, &mut notes)?),
            None => None,
        };
        let files = StreamFiles {
            table: FileTable::new(area.root()),
            written_bytes: 0,
            notes,
            made: MadeFiles::begin(&locked, interrupt)?,
            area: area.clone(),
            room: SpaceMaker::of(&locked),
            pools: BTreeMap::new(),
            own,
            seed: plan.seed,
        };
        Ok((locked, files))
    }

    /// Assigns files to every actor of this scale; makes missing files, and space for the writes of a
    /// load point of this length.
    ///
    /// # Errors
    /// If there is not enough space, or the storage fails.
    pub fn provide(
        &mut self,
        actors: &mut Actors,
        scale: u32,
        seconds: f64,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        if let Some(own) = &self.own {
            own.material.check(&actors.own_pieces(scale))?;
        }
        let specs = self.specs(actors, scale);
        for spec in &specs {
            self.prepare(spec, &specs, observer, interrupt)?;
        }
        // The files of the earlier load point are overwritten.
        let scratch = self.made.scratch().map_or(0, |scratch| folder_bytes(scratch.path()));
        let more_bytes = actors.made_bytes(scale, seconds).saturating_sub(scratch);
        let made_room = self.room.make_for_load(more_bytes, &specs, observer, interrupt)?;
        self.notes.extend(made_room);
        for actor in 0..actors.actors.len() {
            let wanted = actors.actors[actor].count(scale) as usize;
            while actors.actors[actor].files.len() < wanted {
                let reads_own = actors.reads_own(&actors.actors[actor]);
                let files =
                    self.files_of(&actors.actors[actor], actor, actors.actors[actor].files.len(), reads_own)?;
                actors.actors[actor].files.push(files);
            }
        }
        Ok(())
    }

    /// The data sets that are needed at this scale.
    fn specs(&self, actors: &Actors, scale: u32) -> Vec<DataSetSpec> {
        specs(actors, scale, self.seed)
    }

    /// Removes the area again if it was made for this run, which can't begin.
    pub fn take_back(&mut self) {
        // Files that can't be removed are removed by `reelgauge clean`; the reason for the stop matters
        // more.
        let _ = self.made.remove();
        if self.area.is_new() {
            let _ = self.area.clone().clean();
        }
    }

    /// Bytes of missing test files at this scale.
    pub fn yet_to_write(&self, actors: &Actors, scale: u32) -> u64 {
        self.room.yet_to_write(&self.specs(actors, scale))
    }

    /// The largest scale of these actors for which there is space, if one unit needs this many bytes:
    /// the free space, plus that of test files that are reused or can be removed.
    pub fn room_for(&self, actors: &Actors, bytes_per_scale: u64) -> u32 {
        let Ok(Some(space)) = space(self.area.root()) else {
            return u32::MAX;
        };
        let held = self.room.held_bytes(&self.specs(actors, 1));
        let room = space.usable_bytes(self.area.keep_free()).saturating_add(held);
        u32::try_from(room / 100 * 95 / bytes_per_scale.max(1)).unwrap_or(u32::MAX)
    }

    /// The largest scale for which the user's own files suffice, if they are read; at most `most`.
    pub fn own_room_for(&self, actors: &Actors, most: u32) -> u32 {
        self.own.as_ref().map_or(most, |own| own.material.room_for(&actors.own_pieces(1), most))
    }

    /// Whether the user's own files are read.
    pub fn reads_own_files(&self) -> bool {
        self.own.is_some()
    }

    /// The number of prepared files, and their bytes; for the user's own files, those of the pieces that
    /// are read.
    pub fn prepared_total(&self) -> (u64, u64) {
        let files = || self.pools.values().flat_map(|pool| &pool.files);
        let (own_files, own_bytes) =
            self.own.as_ref().map_or((0, 0), |own| (own.numbers.len() as u64, own.used_bytes));
        (files().count() as u64 + own_files, files().map(|file| file.size_bytes).sum::<u64>() + own_bytes)
    }

    /// Drops the prepared files from the client's cache. A note if that is impossible.
    pub fn cool_down(&self) -> Option<Note> {
        let own = self.own.as_ref().and_then(OwnFiles::cool_down);
        own.or_else(|| self.pools.values().find_map(|pool| drop_cached(&self.area, &pool.files)))
    }

    fn prepare(
        &mut self,
        spec: &DataSetSpec,
        used: &[DataSetSpec],
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        let pool = self.pools.entry(spec.file_bytes).or_default();
        if pool.files.len() >= spec.files as usize {
            return Ok(());
        }
        observer.phase("preparing");
        self.notes.extend(self.room.make_for(spec, used, observer, interrupt)?);
        let mut progress = |report: dataset::Prepared| {
            observer.prepared(report.reused_bytes + report.written_bytes, report.total_bytes);
            ControlFlow::Continue(())
        };
        let set = DataSet::prepare(&self.area, spec, &mut progress, interrupt.flag())?;
        self.written_bytes += set.written_bytes;
        pool.files = set.files;
        // Only new files can be in the cache because of Reelgauge itself.
        self.notes.extend(drop_cached(&self.area, &pool.files).filter(|note| !self.notes.contains(note)));
        Ok(())
    }

    /// The files of one actor.
    fn files_of(
        &mut self,
        actor: &Actor,
        number: usize,
        instance: usize,
        reads_own: bool,
    ) -> Result<InstanceFiles, RunError> {
        let (needs, kind) = (actor.needs(), actor.plan.kind());
        let mut files = InstanceFiles::default();
        for _ in 0..needs.prepared_files {
            let (file, begin) = match self.own.as_mut().filter(|_| reads_own) {
                Some(own) => own.take(needs.prepared_file_bytes, &mut self.table)?,
                None => (self.take_prepared(needs.prepared_file_bytes)?, 0),
            };
            files.prepared.push(file);
            files.begins.push(begin);
        }
        if !needs.folder {
            return Ok(files);
        }
        let Some(scratch) = self.made.scratch() else {
            return Err(RunError::io("make a folder")(std::io::Error::other(
                "the scratch folder was removed",
            )));
        };
        let folder = scratch.directory(&format!("{number:02}-{kind}-{instance:04}"))?;
        for made in 0..needs.made_files {
            let path = folder.join(format!("{}-{made:06}", kind.makes));
            let is_there = made < needs.empty_files;
            if is_there {
                scratch.make_empty_file(&path)?;
            }
            let file = enter(&mut self.table, TargetFile { path, size_bytes: 0 }, is_there);
            files.made.push(file);
            if needs.empty_files > 0 {
                files.stock.push(ScratchFile { file, is_there });
            }
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

    /// The pattern of the run's writes, which was never used before.
    pub fn pattern(&self) -> PatternSpec {
        PatternSpec { seed: fresh_seed(), unit_bytes: UNIT_BYTES }
    }
}

impl OwnFiles {
    /// The files of a folder; a note lists those that were not taken.
    fn find(
        folder: &Path,
        locked: &LockedTarget,
        pieces: &[u64],
        notes: &mut Vec<Note>,
    ) -> Result<OwnFiles, RunError> {
        let material = UserFiles::find(folder, &locked.mount, locked.target())?;
        material.check(pieces)?;
        notes.extend(left_out_note(folder, material.left_out()));
        Ok(OwnFiles { material, numbers: BTreeMap::new(), used_bytes: 0 })
    }

    /// A piece that no other stream reads: the number of its file, and its offset.
    fn take(&mut self, bytes: u64, table: &mut FileTable) -> Result<(u32, u64), RunError> {
        let slice = self.material.take(bytes)?;
        let file = self.material.files()[slice.file].clone();
        let number = *self.numbers.entry(slice.file).or_insert_with(|| table.enter_own_file(file));
        self.used_bytes += bytes;
        Ok((number, slice.offset))
    }

    fn cool_down(&self) -> Option<Note> {
        let used: Vec<TargetFile> =
            self.numbers.keys().map(|&file| self.material.files()[file].clone()).collect();
        drop_written(&used)
    }
}

/// Adds a file that is not test data to the table.
fn enter(table: &mut FileTable, file: TargetFile, existed: bool) -> u32 {
    table.enter(file, existed, if existed { BEFORE } else { "by the run" })
}

/// The data sets of actors at this scale.
pub(crate) fn specs(actors: &Actors, scale: u32, seed: u64) -> Vec<DataSetSpec> {
    let sizes = actors.prepared_files(scale).into_iter();
    let spec = |(file_bytes, files)| DataSetSpec { files, file_bytes, unit_bytes: UNIT_BYTES, seed };
    sizes.map(spec).collect()
}
