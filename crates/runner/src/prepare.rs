//! Everything before the first measured operation: look at the target, take the area, make the test
//! files, find out whether direct I/O is real, and start from a cold cache.
//!
//! The order is that of the least harm: what can be refused without writing anything is refused first.

use std::ops::ControlFlow;
use std::path::Path;

use reelgauge_engine::area::{AREA_DIR, Area, Terms};
use reelgauge_engine::cache;
use reelgauge_engine::dataset::{DataSet, DataSetSpec};
use reelgauge_engine::driver::TargetFile;
use reelgauge_engine::material::{LeftOut, Material};
use reelgauge_engine::mount::direct::{DirectOutcome, DirectProbe, DirectSupport};
use reelgauge_engine::mount::{Mount, MountKind};
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_engine::space::{KeepFree, Space, space};
use reelgauge_record::host::MountFacts;
use reelgauge_workload::mix::{MixFile, MixScript};
use reelgauge_workload::plan::Plan;
use reelgauge_workload::script::Script;
use reelgauge_workload::units::Size;

use crate::allowance::{self, Demand};
use crate::error::RunError;
use crate::file_table::FileTable;
use crate::forecast;
use crate::ground::{Ground, check_names};
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::results_dir::{Naming, Results};
use crate::room::Room;
use crate::run::driver_kind;

/// The exit code of a plan that can't be run.
const EXIT_INPUT: u8 = 2;

/// A target that is ready to be measured.
#[derive(Debug)]
pub struct Prepared {
    /// The plan as it will be run: the target is absolute, direct I/O is off where it is not to be had.
    pub plan: Plan,
    /// Where it runs.
    pub ground: Ground,
    /// Where its results go.
    pub results: Results,
    /// The test files.
    pub data_set: DataSet,
    /// They are the user's own.
    pub own_files: bool,
    /// What the reader should know.
    pub notes: Vec<String>,
}

/// What the user asked of a target, beside its plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    /// Refuse rather than fall back to the client's cache.
    pub must_be_direct: bool,
    /// What was said of the target.
    pub terms: Terms,
}

/// Prepares the target of a plan. An area that was made for it is removed again when the plan turns out
/// to be impossible there.
pub fn prepare(
    mut plan: Plan,
    asked: Asked,
    naming: &Naming<'_>,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Prepared, RunError> {
    plan.check()?;
    check_names([Some(plan.target.as_path()), plan.read_from.as_deref()].into_iter().flatten())?;
    allowance::check(driver_kind(plan.driver), &demand(&plan))?;
    check_space(&plan, asked.terms.keep_free)?;
    let area = Area::open_or_create_on(&plan.target, asked.terms)?;
    plan.target = area.target().to_path_buf();
    let result = prepare_in(&area, plan, asked.must_be_direct, naming, observer, interrupt);
    if let Err(error) = &result
        && error.exit_code() == EXIT_INPUT
        && area.is_new()
    {
        // What can't be removed now is removed by `reelgauge clean`; the error itself matters more.
        let _ = area.clean();
    }
    result
}

fn prepare_in(
    area: &Area,
    mut plan: Plan,
    must_be_direct: bool,
    naming: &Naming<'_>,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Prepared, RunError> {
    let ground = Ground::take(area)?;
    let mut notes = ground.notes();
    if plan.mix.direct {
        let wish = DirectWish {
            target: &plan.target,
            must: must_be_direct,
            writes: plan.mix.writes.ppm() > 0,
            quantum_bytes: plan.quantum_bytes_min(),
        };
        let note = settle_direct(wish, &ground.mount, &ground.direct)?;
        plan.mix.direct = note.is_none();
        notes.extend(note);
    }
    let own = match &plan.read_from {
        Some(folder) => Some(OwnFiles::find(folder, &ground, &plan, &mut notes)?),
        None => None,
    };
    let results = Results::make(naming, &ground, observer)?;
    let own_files = own.is_some();
    let data_set = match own {
        Some(own) => {
            observer.ahead(naming.verb, &forecast::of_mix(&plan, 0, demand(&plan).memory_bytes));
            let data_set = own.data_set(&plan);
            notes.extend(drop_written(&data_set.files));
            data_set
        }
        None => {
            let spec = data_set_spec(&plan);
            let room = Room::of(&ground);
            observer.ahead(
                naming.verb,
                &forecast::of_mix(&plan, room.yet_to_write(&[spec]), demand(&plan).memory_bytes),
            );
            notes.extend(room.make_for(&spec, &[spec], observer, interrupt)?);
            let data_set = make_files(area, &spec, observer, interrupt)?;
            notes.extend(cool_down(area, &data_set));
            data_set
        }
    };
    Ok(Prepared { plan, ground, results, data_set, own_files, notes })
}

impl Prepared {
    /// The test files as a run numbers them.
    pub fn file_table(&self) -> FileTable {
        let prepared = if self.data_set.written_bytes == 0 { "reused" } else { "written" };
        let mut table = FileTable::new(self.ground.area.root());
        if self.own_files {
            for file in &self.data_set.files {
                table.enter_own_file(file.clone());
            }
            return table;
        }
        table.enter_test_files(&self.data_set.files, prepared);
        table
    }
}

/// What is mounted, as the run directory keeps it.
pub fn mount_facts(mount: &Mount) -> MountFacts {
    MountFacts {
        fs_type: mount.fs_type.clone(),
        source: mount.source.clone(),
        options: mount.options.join(","),
    }
}

/// A short name for a target: its server, or the last part of its path.
pub fn target_label(target: &Path, mount: &Mount) -> String {
    let last = target.file_name().map(|name| name.to_string_lossy().into_owned());
    mount.server.clone().or(last).unwrap_or_else(|| "root".to_owned())
}

/// What the largest load point of a plan takes of this machine.
fn demand(plan: &Plan) -> Demand {
    let points = (0..plan.points()).map(|point| {
        let file = MixFile { file: 0, size_bytes: plan.mix.file_size.bytes() };
        let script = MixScript::new(0, plan.seed, plan.mix_at(point).shape(), &[file]);
        (script.needs(), u64::from(plan.workers_at(point)))
    });
    let file_bytes = if plan.read_from.is_some() { 0 } else { plan.mix.file_size.bytes() };
    let demands = points.map(|worker| Demand::of(driver_kind(plan.driver), [worker], file_bytes));
    demands.max_by_key(|demand| demand.memory_bytes).unwrap_or_default()
}

/// The test files of a plan.
fn data_set_spec(plan: &Plan) -> DataSetSpec {
    DataSetSpec {
        files: plan.files(),
        file_bytes: plan.mix.file_size.bytes(),
        unit_bytes: PatternSpec::unit_for(u64::from(plan.quantum_bytes_min())),
        seed: plan.seed,
    }
}

/// Refuses a plan that can't fit before even the area is made. A target that has an area already is
/// left to the data set, which knows what can be used again.
fn check_space(plan: &Plan, keep_free: KeepFree) -> Result<(), RunError> {
    if plan.read_from.is_some() || plan.target.join(AREA_DIR).exists() {
        return Ok(());
    }
    // Whatever is wrong with the target is better said by the area.
    let Ok(Some(space)) = space(&plan.target) else {
        return Ok(());
    };
    let files_bytes = plan.mix.file_size.bytes().saturating_mul(u64::from(plan.files()));
    check_room(&plan.target, files_bytes, space, keep_free)
}

/// Refuses files that take more than may be used.
pub fn check_room(
    target: &Path,
    files_bytes: u64,
    space: Space,
    keep_free: KeepFree,
) -> Result<(), RunError> {
    if files_bytes <= space.usable_bytes(keep_free) {
        return Ok(());
    }
    let Lacking { needed, available, kept } = Lacking::of(files_bytes, space, keep_free);
    Err(RunError::Space { target: target.to_path_buf(), needed, available, kept })
}

/// What is needed, what there is, and what of that stays free; in whole MiB, which people can read: up what
/// is needed, down what there is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lacking {
    pub(crate) needed: Size,
    pub(crate) available: Size,
    pub(crate) kept: Size,
}

impl Lacking {
    pub(crate) fn of(needed_bytes: u64, space: Space, keep_free: KeepFree) -> Lacking {
        Lacking {
            needed: Size::mib(needed_bytes.div_ceil(1 << 20)),
            available: Size::mib(space.available_bytes >> 20),
            kept: Size::mib(space.kept_bytes(keep_free) >> 20),
        }
    }
}

/// What a run wants of direct I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectWish<'a> {
    /// Where.
    pub target: &'a Path,
    /// Refuse rather than fall back.
    pub must: bool,
    /// Whether it writes.
    pub writes: bool,
    /// What all its offsets and lengths are multiples of.
    pub quantum_bytes: u32,
}

/// Decides whether direct I/O is used. A note when it is not, although it was planned.
pub fn settle_direct(
    wish: DirectWish<'_>,
    mount: &Mount,
    direct: &DirectProbe,
) -> Result<Option<String>, RunError> {
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
        let note = format!(
            "Direct I/O does not work here ({why}), so this run went through this machine's cache. Use files \
             larger than its memory to see the storage."
        );
        return Ok(Some(note));
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

fn make_files(
    area: &Area,
    spec: &DataSetSpec,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<DataSet, RunError> {
    observer.phase("preparing");
    let mut progress = |report: reelgauge_engine::dataset::Prepared| {
        observer.prepared(report.reused_bytes + report.written_bytes, report.total_bytes);
        ControlFlow::Continue(())
    };
    Ok(DataSet::prepare(area, spec, &mut progress, interrupt.flag())?)
}

/// The user's own files in the place of test files.
struct OwnFiles(Vec<TargetFile>);

impl OwnFiles {
    /// As many of a folder's files as the plan needs, the largest, if they are large enough.
    fn find(
        folder: &Path,
        ground: &Ground,
        plan: &Plan,
        notes: &mut Vec<String>,
    ) -> Result<OwnFiles, RunError> {
        let material = Material::find(folder, &ground.mount, ground.target())?;
        let (files, file_bytes) = (plan.files() as usize, plan.mix.file_size.bytes());
        let large = material.files().iter().filter(|file| file.size_bytes >= file_bytes);
        let found: Vec<TargetFile> = large.take(files).cloned().collect();
        if found.len() < files {
            return Err(material.too_little(file_bytes, found.len(), files).into());
        }
        notes.extend(left_out_note(folder, material.left_out()));
        Ok(OwnFiles(found))
    }

    /// The first bytes of each, as many as a test file would have.
    fn data_set(&self, plan: &Plan) -> DataSet {
        let spec = data_set_spec(plan);
        let size_bytes = spec.file_bytes;
        DataSet {
            directory: plan.read_from.clone().unwrap_or_default(),
            files: self.0.iter().map(|file| TargetFile { size_bytes, ..file.clone() }).collect(),
            pattern: PatternSpec { seed: spec.seed, unit_bytes: spec.unit_bytes },
            files_there: self.0.len() as u32,
            reused_bytes: size_bytes.saturating_mul(self.0.len() as u64),
            written_bytes: 0,
            seconds: 0.0,
        }
    }
}

/// Drops files of the user's own from this machine's cache, writing nothing back. A note when that is
/// impossible.
pub fn drop_written(files: &[TargetFile]) -> Option<String> {
    let paths: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
    let error = cache::drop_written(&paths).err()?;
    Some(format!("Your files could not be dropped from this machine's cache ({error})."))
}

/// What of a folder was not read, in words; `None` where all of it could be.
pub(crate) fn left_out_note(folder: &Path, left_out: LeftOut) -> Option<String> {
    let LeftOut { links, special, elsewhere, mounts, unreadable, too_many } = left_out;
    let counts = [
        (links, "symbolic links"),
        (special, "special files"),
        (elsewhere, "sparse, compressed or archived files"),
        (mounts, "entries on other file systems"),
        (unreadable, "entries that can't be looked at"),
    ];
    let there = counts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = there.map(|(count, what)| format!("{count} {what}")).collect();
    let rest = "It holds more entries than are looked at; the rest was left out.";
    match (parts.is_empty(), too_many) {
        (true, false) => None,
        (true, true) => Some(format!("{}: {rest}", folder.display())),
        (false, false) => Some(format!("Left out of {}: {}.", folder.display(), parts.join(", "))),
        (false, true) => Some(format!("Left out of {}: {}. {rest}", folder.display(), parts.join(", "))),
    }
}

/// A cold start: drops the test files from this machine's cache. A note when that is impossible.
pub fn cool_down(area: &Area, data_set: &DataSet) -> Option<String> {
    drop_cached(area, &data_set.files)
}

/// Drops files of the area from this machine's cache. A note when that is impossible.
pub fn drop_cached(area: &Area, files: &[TargetFile]) -> Option<String> {
    let paths: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
    let error = cache::drop_cached(Some(area.dir()), &paths).err()?;
    Some(format!("The test files could not be dropped from this machine's cache ({error})."))
}
