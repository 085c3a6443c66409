//! Everything before the first measured operation: inspect the target, take the area, make the test
//! files, find out whether direct I/O works, and start from a cold cache.
//!
//! The order does the least harm: faults that can be found without writing are found first.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use reelgauge_analysis::Note;
use reelgauge_engine::area::Area;
use reelgauge_engine::dataset::{DataSet, DataSetSpec};
use reelgauge_engine::driver::{TargetFile, available};
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_engine::user_files::UserFiles;
use reelgauge_workload::mix::{MixFile, MixScript};
use reelgauge_workload::plan::Plan;
use reelgauge_workload::script::Script;

use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::mix::forecast;
use crate::observer::Observer;
use crate::session::allowance::{self, Demand};
use crate::session::caching::{DirectRequest, cool_down, drop_written, settle_direct};
use crate::session::driver_kind;
use crate::session::file_table::FileTable;
use crate::session::locked_target::{LockedTarget, check_names};
use crate::session::results_dir::{Naming, Results};
use crate::session::space::check_before_area;
use crate::session::space_making::SpaceMaker;
use crate::session::target::{Asked, left_out_note};

/// The exit status of a plan that can't be run.
const EXIT_INPUT: u8 = 2;

/// What a mix can reduce if its test files do not fit.
const SMALLER: &str = "a smaller --file-size, fewer --files or fewer --workers";

/// The shortest time that a host waits for the test files of several hosts.
const JOIN_AT_LEAST: Duration = Duration::from_secs(120);
/// The rate of storage that makes test files slowly.
const SLOW_BYTES_PER_S: u64 = 20_000_000;

/// A target that is ready to be measured.
#[derive(Debug)]
pub struct Prepared {
    /// The plan as it will be run: the target is absolute, direct I/O is off if it is unavailable.
    pub plan: Plan,
    pub locked: LockedTarget,
    /// The place of its results.
    pub results: Results,
    pub data_set: DataSet,
    /// Whether they are the user's own.
    pub own_files: bool,
    /// Notes for the user.
    pub notes: Vec<Note>,
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
    available(driver_kind(plan.driver))?;
    allowance::check(&demand(&plan))?;
    if plan.read_from.is_none() && !is_guest(&plan) {
        let files_bytes = plan.mix.file_size.bytes().saturating_mul(u64::from(plan.files()));
        check_before_area(&plan.target, files_bytes, asked.terms.keep_free, SMALLER)?;
    }
    let area = Area::open_or_create_on(&plan.target, asked.terms)?;
    plan.target = area.target().to_path_buf();
    let result = prepare_in(&area, plan, asked.must_be_direct, naming, observer, interrupt);
    if let Err(error) = &result
        && error.exit_code() == EXIT_INPUT
        && area.is_new()
    {
        // Files that can't be removed now are removed by `reelgauge clean`; the error itself matters
        // more.
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
    let shared = plan.shared_data.as_mut().and_then(|shared| Some((shared.is_owner, shared.run.take()?)));
    let locked = match &shared {
        Some((false, run)) => {
            observer.phase("waiting for the test files");
            LockedTarget::join(area, run, joins_within(&plan), interrupt)?
        }
        _ => LockedTarget::take(area)?,
    };
    let mut notes = locked.notes();
    if plan.mix.direct {
        let wish = DirectRequest {
            target: &plan.target,
            must: must_be_direct,
            writes: plan.mix.writes.ppm() > 0,
            quantum_bytes: plan.quantum_bytes_min(),
        };
        let note = settle_direct(wish, &locked.mount, &locked.direct)?;
        plan.mix.direct = note.is_none();
        notes.extend(note);
    }
    let own = match &plan.read_from {
        Some(folder) => Some(OwnFiles::find(folder, &locked, &plan, &mut notes)?),
        None => None,
    };
    let results = Results::make(naming, &locked, observer)?;
    let own_files = own.is_some();
    let max_bytes_per_s = locked.area.max_bytes_per_s();
    let ahead = |missing_bytes| {
        forecast::of_mix(&plan, missing_bytes, demand(&plan).memory_bytes).held_to(max_bytes_per_s)
    };
    let data_set = match own {
        Some(own) => {
            observer.ahead(naming.verb, &ahead(0));
            let data_set = own.data_set(&plan);
            notes.extend(drop_written(&data_set.files));
            data_set
        }
        None => {
            let spec = data_set_spec(&plan);
            let room = SpaceMaker::of(&locked);
            let missing_bytes = room.yet_to_write(&[spec]);
            observer.ahead(naming.verb, &ahead(missing_bytes));
            match &shared {
                Some((false, _)) if missing_bytes > 0 => {
                    let area = area.root().to_owned();
                    return Err(RunError::SharedFilesMissing { area, missing_bytes });
                }
                Some((false, _)) => {}
                _ => notes.extend(room.make_for(&spec, &[spec], observer, interrupt)?),
            }
            let data_set = make_files(area, &spec, observer, interrupt)?;
            notes.extend(cool_down(area, &data_set));
            if let Some((true, run)) = &shared {
                area.share(&locked.lock, run)?;
            }
            data_set
        }
    };
    Ok(Prepared { plan, locked, results, data_set, own_files, notes })
}

impl Prepared {
    /// The test files with the numbers of the run.
    pub fn file_table(&self) -> FileTable {
        let prepared = if self.data_set.written_bytes == 0 { "reused" } else { "written" };
        let mut table = FileTable::new(self.locked.area.root());
        if self.own_files {
            for file in &self.data_set.files {
                table.enter_own_file(file.clone());
            }
            return table;
        }
        if self.plan.mix.create {
            // The run drops them itself, so the cold cache is not blamed on another program.
            for file in &self.data_set.files {
                table.enter(file.clone(), true, prepared);
            }
        } else {
            table.enter_test_files(&self.data_set.files, prepared);
        }
        table
    }
}

/// The demand of a plan's largest load point on the local host.
pub(super) fn demand(plan: &Plan) -> Demand {
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
pub(crate) fn data_set_spec(plan: &Plan) -> DataSetSpec {
    DataSetSpec {
        files: plan.files(),
        file_bytes: plan.mix.file_size.bytes(),
        unit_bytes: PatternSpec::unit_for(u64::from(plan.quantum_bytes_min())),
        seed: plan.data_seed(),
    }
}

/// Whether another host makes the test files.
fn is_guest(plan: &Plan) -> bool {
    plan.shared_data.as_ref().is_some_and(|shared| !shared.is_owner && shared.run.is_some())
}

/// The time limit for the host that makes the test files, for slow storage.
fn joins_within(plan: &Plan) -> Duration {
    let files_bytes = plan.mix.file_size.bytes().saturating_mul(u64::from(plan.files()));
    JOIN_AT_LEAST + Duration::from_secs(files_bytes / SLOW_BYTES_PER_S)
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
        locked: &LockedTarget,
        plan: &Plan,
        notes: &mut Vec<Note>,
    ) -> Result<OwnFiles, RunError> {
        let material = UserFiles::find(folder, &locked.mount, locked.target())?;
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
