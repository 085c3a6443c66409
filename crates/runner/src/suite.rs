//! A suite: workloads one after the other, and the table of their rates (the NASPT paper's batch mode,
//! section 4). Traces are replayed in several passes; accesses of the paper's IOMeter tests are measured
//! once for a fixed time.
//!
//! ```text
//! reelgauge-runs/2026-11-21T210105Z-nas1-naspt/
//!   suite.json   the table so far; written again after every workload, so that a stop loses only one
//!   2026-…/      the run of each workload, with its log and summary
//! ```
//!
//! [`selection`]: which workloads. [`report_data`]: suites as a page and as words.
//!
//! Not here: replaying a trace ([`crate::replay`]), and the meaning of the table (analysis).

pub mod report_data;
pub mod selection;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use reelgauge_analysis::forecast::Forecast;
use reelgauge_analysis::naspt::{NasptPass, NasptRow, NasptTable};
use reelgauge_analysis::{LinkFacts, LoadPoint, Outcome, ReplayFacts, ReplayPass, Summary};
use reelgauge_engine::area::Terms;
use reelgauge_record::notes::{RunNotes, StorageDetails};
use reelgauge_record::run_dir::{RunDir, RunName};
use reelgauge_results::run_notes;
use reelgauge_workload::iometer::Access;
use reelgauge_workload::plan::{DriverChoice, PLAN_VERSION, Plan};
use reelgauge_workload::replay::{Pacing, ReplayOrder, ReplayPlan, ReplaySettings};
use reelgauge_workload::units::Span;
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::mix::{self, MixRequest, run_mix};
use crate::observer::Observer;
use crate::replay::{self, ReplayRequest, run_replay};
use crate::run_series::{self, SeriesState};
use crate::session::finished_run::Finished;
use crate::session::make_out;
use selection::{SuiteWork, SuiteWorkload};

/// The name of the suite of the twelve NASPT workloads.
pub const NASPT: &str = "naspt";
/// A one-line description.
pub const NASPT_ABOUT: &str = "twelve home and office workloads, modelled on Intel's NAS Performance Toolkit";
/// The run ends if the target completes nothing for this long.
const HANG_AFTER: Span = Span::secs(30);
/// The version of the format of `suite.json`.
const SUITE_VERSION: u32 = 1;

/// The request for a suite.
#[derive(Clone, Debug)]
pub struct SuiteRequest {
    pub name: String,
    /// Its workloads, in their order.
    pub workloads: Vec<SuiteWorkload>,
    /// The directory that is measured.
    pub target: PathBuf,
    /// Passes of each workload.
    pub batch: u32,
    /// How long each kind of access is measured.
    pub access_time: Span,
    /// When operations begin.
    pub pace: Pacing,
    /// The seed of the files' content.
    pub seed: u64,
    /// Folder for the suite's directory.
    pub out: PathBuf,
    /// The terms for the target.
    pub terms: Terms,
    /// The storage as the user describes it.
    pub storage: StorageDetails,
    /// Tags for searching its runs.
    pub tags: Vec<String>,
}

/// A suite, complete or not: `suite.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suite {
    /// Version of this format.
    pub suite_version: u32,
    /// The program that wrote it.
    pub written_by: String,
    pub name: String,
    /// The directory that was measured.
    pub target: PathBuf,
    /// Passes of each workload.
    pub batch: u32,
    /// When operations began.
    pub pace: Pacing,
    /// The seed of the files' content.
    pub seed: u64,
    /// Workloads that were to run.
    pub workloads: Vec<String>,
    /// Whether all of them are complete.
    pub complete: bool,
    /// Why not, if it was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_early: Option<String>,
    /// The network link to the storage. `None` if there is none, or it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkFacts>,
    /// The results so far.
    pub table: NasptTable,
    /// The run directory of each, next to this file.
    pub runs: Vec<PathBuf>,
}

/// A suite that ended.
#[derive(Debug)]
pub struct SuiteEnd {
    pub suite: Suite,
    pub dir: PathBuf,
    /// 0, or the exit status of the run that ended it early.
    pub exit_code: u8,
}

/// Runs a suite.
///
/// # Errors
/// If its first workload cannot run. An error in a later one ends the suite; earlier results are kept.
pub fn run_suite(
    request: SuiteRequest,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<SuiteEnd, RunError> {
    if let Some(ahead) = ahead(&request)? {
        observer.ahead(&request.name, &ahead.held_to(request.terms.max_bytes_per_s));
    }
    make_out(&request.out)?;
    let target = request.target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = RunName { start: Timestamp::now().into(), target: &target, what: &request.name };
    let run_dir = RunDir::create(&request.out, name)?;
    let dir = run_dir.path().to_path_buf();
    let notes = RunNotes::new(&request.storage, &request.tags);
    if notes != RunNotes::default() {
        run_notes::write(&dir, &notes)?;
    }
    let mut suite = Suite::begin(&request);
    let mut rows = Vec::new();
    for workload in &request.workloads {
        let name = &workload.name;
        observer.phase(name);
        let finished = match measured(&request, workload, &dir, observer, interrupt) {
            Ok(finished) => finished,
            Err(error) if rows.is_empty() && holds_no_run(&dir) => {
                // The directory is empty, and the error has the reason. A file that cannot be removed
                // stays.
                let _ = std::fs::remove_file(run_notes::path_in(&dir));
                let _ = std::fs::remove_file(run_dir.plan_path());
                let _ = std::fs::remove_dir(&dir);
                return Err(error);
            }
            Err(error) => {
                let exit_code = error.exit_code();
                suite.ended_early = Some(format!("{name}: {error}"));
                suite.write(&dir)?;
                return Ok(SuiteEnd { suite, dir, exit_code });
            }
        };
        let row = NasptRow::new(name, passes_of(&finished.summary)).of_run(&finished.summary);
        rows.push(NasptRow { group: workload.group, ..row });
        suite.link = suite.link.or_else(|| finished.summary.link.clone());
        suite.table = NasptTable::new(rows.clone());
        suite.runs.push(finished.run_dir.strip_prefix(&dir).unwrap_or(&finished.run_dir).to_path_buf());
        let stopped = !matches!(finished.summary.outcome, Outcome::Complete);
        if stopped {
            suite.ended_early = Some(format!("{name} did not complete; see its report"));
        }
        suite.complete = !stopped && rows.len() == request.workloads.len();
        suite.write(&dir)?;
        if stopped {
            let exit_code = finished.exit_code();
            return Ok(SuiteEnd { suite, dir, exit_code });
        }
    }
    Ok(SuiteEnd { suite, dir, exit_code: 0 })
}

/// Whether no workload left a run in a suite's directory.
fn holds_no_run(dir: &Path) -> bool {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.into_iter().all(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
}

/// The forecast of all its workloads; `None` without any.
///
/// # Errors
/// If a workload can't be replayed.
pub(crate) fn ahead(request: &SuiteRequest) -> Result<Option<Forecast>, RunError> {
    let mut sum: Option<Forecast> = None;
    for workload in &request.workloads {
        let of_workload = match &workload.work {
            SuiteWork::Replay(trace) => replay::ahead(&mut plan_of(request, trace))?,
            SuiteWork::Access(access) => mix::ahead(&plan_of_access(request, *access)),
        };
        sum = Some(sum.map_or(of_workload, |sum| sum.and(of_workload)));
    }
    Ok(sum)
}

fn measured(
    request: &SuiteRequest,
    workload: &SuiteWorkload,
    dir: &Path,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    let (out, terms) = (dir.to_path_buf(), request.terms);
    match &workload.work {
        SuiteWork::Replay(trace) => {
            let plan = plan_of(request, trace);
            run_replay(ReplayRequest { plan, out, terms, is_announced: true }, observer, interrupt)
        }
        SuiteWork::Access(access) => {
            let plan = plan_of_access(request, *access);
            run_mix(MixRequest { plan, must_be_direct: false, out, terms }, observer, interrupt)
        }
    }
}

fn plan_of_access(request: &SuiteRequest, access: Access) -> Plan {
    let plan = access.plan(request.target.clone(), request.seed, request.access_time);
    Plan { tags: request.tags.clone(), storage: request.storage.clone(), ..plan }
}

fn plan_of(request: &SuiteRequest, trace: &Path) -> ReplayPlan {
    ReplayPlan {
        plan_version: PLAN_VERSION,
        written_by: written_by(),
        target: request.target.clone(),
        seed: request.seed,
        driver: DriverChoice::default(),
        hang_after: HANG_AFTER,
        log: true,
        tags: request.tags.clone(),
        storage: request.storage.clone(),
        replay: ReplaySettings {
            trace: trace.to_path_buf(),
            pace: request.pace,
            // Like the toolkit: one operation at a time, in the order of the trace. Independent threads
            // would play one merged stream after the other.
            order: ReplayOrder::Serial,
            batch: request.batch,
            ..ReplaySettings::default()
        },
    }
}

fn written_by() -> String {
    concat!("reelgauge ", env!("CARGO_PKG_VERSION")).to_owned()
}

/// The complete passes.
fn passes_of(summary: &Summary) -> Vec<NasptPass> {
    match &summary.replay {
        Some(facts) => passes_of_replay(facts),
        None => summary.load_points.iter().filter_map(pass_of_point).collect(),
    }
}

/// A load point that was measured for its time.
fn pass_of_point(point: &LoadPoint) -> Option<NasptPass> {
    let is_whole = point.not_measured.is_none() && !point.was_cut_off();
    is_whole.then(|| NasptPass {
        moved_bytes: point.total.read_bytes + point.total.written_bytes,
        duration_ns: point.measured_ns.unwrap_or((point.measured_s * 1e9) as u64),
        differing_ops: point.total.failed_ops,
    })
}

fn passes_of_replay(facts: &ReplayFacts) -> Vec<NasptPass> {
    let complete = facts.passes.iter().filter(|pass| pass.complete);
    let pass = |pass: &ReplayPass| NasptPass {
        moved_bytes: pass.bytes,
        duration_ns: (pass.span_s * 1e9) as u64,
        differing_ops: pass.different_ops,
    };
    complete.map(pass).collect()
}

impl SeriesState for Suite {
    const FILE_NAME: &'static str = "suite.json";
    const VERSION: u32 = SUITE_VERSION;

    fn version(&self) -> u32 {
        self.suite_version
    }
}

impl Suite {
    fn begin(request: &SuiteRequest) -> Suite {
        Suite {
            suite_version: SUITE_VERSION,
            written_by: written_by(),
            name: request.name.clone(),
            target: request.target.clone(),
            batch: request.batch,
            pace: request.pace,
            seed: request.seed,
            workloads: request.workloads.iter().map(|workload| workload.name.clone()).collect(),
            complete: false,
            ended_early: None,
            link: None,
            table: NasptTable::default(),
            runs: Vec::new(),
        }
    }

    fn write(&self, dir: &Path) -> Result<(), RunError> {
        Ok(run_series::write(self, dir)?)
    }

    /// Whether this is the directory of a suite.
    pub fn is_in(dir: &Path) -> bool {
        run_series::is_in::<Suite>(dir)
    }

    /// Reads the suite in this directory.
    ///
    /// # Errors
    /// If there is none, it is damaged, or a newer version wrote it.
    pub fn read(dir: &Path) -> Result<Suite, RunError> {
        run_series::read(dir).map_err(|why| RunError::SuiteFile { path: dir.join(Suite::FILE_NAME), why })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_trace::library::Library;
    use reelgauge_trace::replay::{ReplayScript, Setting, load};
    use reelgauge_workload::script::{Done, Script, Step};

    use super::*;

    /// The share of accesses that begin where the previous one ended, over all files: in the trace, and
    /// in the order of issue on a store that responds in 100 µs.
    fn sequential_shares(workload: &str, order: ReplayOrder) -> (f64, f64) {
        let held = Library::standard().open(Path::new(workload)).unwrap();
        let wanted = reelgauge_trace::replay::Wanted { order, pace: Pacing::Max, ..Default::default() };
        let packed = std::sync::Arc::new(load(held.trace(), wanted).unwrap().packed);
        let of_trace: Vec<(u32, u64, u64)> = packed
            .ops
            .iter()
            .filter(|op| op.kind.moves_data())
            .map(|op| (op.file, op.offset, u64::from(op.len)))
            .collect();
        let mut script = ReplayScript::new(packed, Setting { pace: Pacing::Max, ..Setting::default() });
        let (mut in_flight, mut issued, mut now_ns) = (std::collections::VecDeque::new(), Vec::new(), 0);
        script.resume(0);
        loop {
            match script.next(now_ns) {
                Step::Do(op) => in_flight.push_back((op, now_ns.max(op.due_ns))),
                Step::Finished => break,
                _ => {
                    let (op, issued_ns) = in_flight.pop_front().unwrap();
                    now_ns = now_ns.max(issued_ns + 100_000);
                    issued.extend(op.kind.moves_data().then_some((op.file, op.offset, u64::from(op.len))));
                    let (token, due_ns, done_len) = (op.token, op.due_ns, op.len);
                    script.done(&Done { token, due_ns, issued_ns, done_ns: now_ns, done_len, errno: 0 });
                }
            }
        }
        (sequential_share(&of_trace), sequential_share(&issued))
    }

    fn sequential_share(accesses: &[(u32, u64, u64)]) -> f64 {
        let follows =
            |pair: &&[(u32, u64, u64)]| pair[0].0 == pair[1].0 && pair[0].1 + pair[0].2 == pair[1].1;
        accesses.windows(2).filter(follows).count() as f64 * 100.0 / accesses.len() as f64
    }

    #[test]
    fn merged_workloads_keep_the_interleaving_of_their_trace() {
        let request = SuiteRequest {
            name: NASPT.to_owned(),
            workloads: selection::naspt_workloads(),
            target: PathBuf::from("/nowhere"),
            batch: 1,
            access_time: Span::secs(1),
            pace: Pacing::Max,
            seed: 1,
            out: PathBuf::from("/nowhere"),
            terms: Terms::default(),
            storage: StorageDetails::default(),
            tags: Vec::new(),
        };
        let merged = ["HDVideo_2Play-synth", "HDVideo_4Play-synth", "HDVideo_1Play_1Record-synth"];
        for workload in merged {
            let order = plan_of(&request, Path::new(workload)).replay.order;
            let (shipped, issued) = sequential_shares(workload, order);
            assert!(shipped < 25.0, "{workload}: {shipped} %");
            assert!((shipped - issued).abs() < 0.01, "{workload}: {shipped} % became {issued} %");
        }
    }
}
