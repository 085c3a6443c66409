//! A session: the state and the steps of every measuring run between taking its target and its summary,
//! whatever its workers are.
//!
//! It owns the target, the clock, the drain, the run directory and the table of files. It runs load
//! point after load point of any script ([`load_point`]), and ends in a summary in every case ([`close`]).
//! Measurements survive whatever stops the run afterwards ([`Session::settle`]).
//!
//! Not here: the workers, their files and their criteria: these are the differences between the kinds of
//! runs ([`crate::mix`], [`crate::streams`], [`crate::check`]).

pub mod allowance;
pub mod caching;
pub mod close;
mod counter_sampling;
pub mod cpu_time;
pub mod drain;
pub mod drive;
pub mod failure;
pub mod file_table;
pub mod finished_run;
pub mod free_space_watch;
mod incident_causes;
mod instruments;
pub mod interference;
pub mod live_log;
pub mod live_verdict;
pub mod load_point;
pub mod locked_target;
pub(crate) mod margins;
pub mod report_file;
pub mod results_dir;
pub mod run_summary;
pub mod scratch_files;
pub mod sink;
pub mod space;
pub mod space_making;
pub mod target;
#[cfg(test)]
mod tests;
pub(crate) mod timed_check;
mod verdict;
pub mod verify;
pub mod watchdog;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use reelgauge_analysis::figures::LatenessFigures;
use reelgauge_analysis::rereads::Rereads;
use reelgauge_analysis::{LinkFacts, LoadPoint, Note, NoteFact};
use reelgauge_engine::area::{Area, area_around};
use reelgauge_engine::cache;
use reelgauge_engine::clock::Clock;
use reelgauge_engine::dataset::DataSetError;
use reelgauge_engine::driver::DriverKind;
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_engine::verify::WriteMap;
use reelgauge_machine::mountstats::fetched_bytes;
use reelgauge_machine::sample::Sampling;
use reelgauge_machine::settings::{changed_from_default, settings};
use reelgauge_machine::{host, link};
use reelgauge_record::host::HostFacts;
use reelgauge_record::log::{CaptureLevel, LogMeta, LogWriter};
use reelgauge_record::run_dir::RunDir;
use reelgauge_workload::plan::DriverChoice;

use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::session::cpu_time::ProcessCpuTime;
use crate::session::drain::Drain;
use crate::session::drive::Ending;
use crate::session::failure::Circumstances;
use crate::session::file_table::FileTable;
use crate::session::locked_target::LockedTarget;
use crate::session::results_dir::Results;
use crate::session::sink::RingRoom;
use crate::session::target::{link_facts, mount_facts};
use reelgauge_results::load_points::LoadPointPlan;
use reelgauge_results::site::keep_site;
use reelgauge_results::stream_table::StreamTable;

pub use close::Closing;
pub(crate) use instruments::Instruments;
pub use load_point::{PointDone, PointPlan, ToJudge};

/// The name of this process in the log; a fleet has several.
const AGENT: &str = "local";

/// The parts of a new session apart from its target.
#[derive(Debug)]
pub struct Opening<'a> {
    /// The place of its results.
    pub results: Results,
    /// `run.toml`.
    pub plan_toml: &'a str,
    /// The existing files.
    pub files: FileTable,
    /// The pattern of the data that the run writes.
    pub pattern: PatternSpec,
    /// Performs the operations.
    pub driver: DriverKind,
    /// The run ends if the target completes nothing for this long.
    pub hang_after: Duration,
    /// Whether every operation is kept.
    pub log: bool,
    /// If set, writes are remembered and read back at the end; the value is the pattern of the test
    /// files.
    pub verify: Option<PatternSpec>,
    /// Notes for the user.
    pub notes: Vec<Note>,
}

/// A run between preparation and summary.
#[derive(Debug)]
pub struct Session {
    locked: LockedTarget,
    started: Timestamp,
    run_dir: RunDir,
    clock: Clock,
    drain: Drain,
    /// The largest number of records that wait for it.
    rings: RingRoom,
    /// Ends with the session, in every case.
    counters: Option<Sampling>,
    files: FileTable,
    pattern: PatternSpec,
    driver: DriverKind,
    hang_after: Duration,
    write_map: Option<Arc<WriteMap>>,
    /// The pattern of files that are read back.
    made_before: Option<PatternSpec>,
    planned: Vec<LoadPointPlan>,
    /// The streams of the load points; runs without streams have none.
    table: StreamTable,
    done: Vec<LoadPoint>,
    /// First and later reads of the load points, if anything was read.
    rereads: Vec<Rereads>,
    notes: Vec<Note>,
    /// The driver's notes on the last load point.
    driver_notes: Vec<String>,
    cpu_before: Option<ProcessCpuTime>,
    fetched_before: Option<u64>,
    cached_before: Option<f64>,
    /// The link to the storage, if there is one.
    link: Option<LinkFacts>,
    /// How the last load point ended, or why the next one could not begin.
    ending: Ending,
    left_behind: usize,
    /// If the workload itself may shorten and remove test files: the numbers of those that it leaves
    /// unchanged. `None` if it changes none.
    unchanged_files: Option<Vec<u32>>,
    /// Whether the storage may have stopped answering although no thread hangs in it.
    doubtful: bool,
}

/// Makes the folder for run directories, before anything else is touched. It must not be inside an area:
/// that may be removed, and a run must find nothing in it but its own files.
///
/// # Errors
/// If that is impossible.
pub fn make_out(out: &Path) -> Result<(), RunError> {
    if let Some(area) = area_around(out) {
        return Err(RunError::OutInArea { out: out.to_path_buf(), area });
    }
    std::fs::create_dir_all(out).map_err(|source| RunError::Out { path: out.to_path_buf(), source })
}

impl Session {
    /// Writes the known facts to the run directory, and starts clock and drain.
    ///
    /// # Errors
    /// If the results cannot be stored.
    pub fn begin(
        locked: LockedTarget,
        opening: Opening<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Session, RunError> {
        let begun = Session::begin_with(Instruments::real(), locked, opening, observer);
        begun.map_err(RunError::after_preparing)
    }

    /// [`Session::begin`] with parts that need not be real.
    pub(crate) fn begin_with(
        means: Instruments,
        locked: LockedTarget,
        opening: Opening<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Session, RunError> {
        let Opening { results, plan_toml, files, .. } = opening;
        let started = results.started();
        let run_dir = results.begin();
        run_dir.write_plan(plan_toml)?;
        let host = host::gather(Some(mount_facts(&locked.mount)));
        let settings = settings(&locked.mount.mount_point);
        let changed_from_default = changed_from_default(&settings);
        run_dir.write_hosts(&[HostFacts { settings, changed_from_default, ..host }])?;
        let of_site = run_dir.path().parent().and_then(|out| keep_site(out, run_dir.path()));
        let clock = means.clock;
        observer.clock_began(clock);
        let log = match opening.log {
            true => {
                let path = run_dir.agent_ops_path(AGENT);
                let entries = files.entries().to_vec();
                Some(LogWriter::create_on(means.disk, &path, log_meta(&clock), entries, means.log)?)
            }
            false => None,
        };
        let link = link::of(&locked.mount);
        let map = || Arc::new(WriteMap::new(files.targets(), opening.pattern.unit_bytes));
        Ok(Session {
            counters: means
                .samples
                .then(|| counter_sampling::start(&run_dir, AGENT, (&locked.mount, &link), clock)),
            drain: Drain::start(log, clock).map_err(RunError::io("start a thread"))?,
            rings: means.rings,
            write_map: opening.verify.map(|_| map()),
            made_before: opening.verify,
            planned: Vec::new(),
            table: StreamTable::default(),
            done: Vec::new(),
            rereads: Vec::new(),
            notes: opening.notes.into_iter().chain(of_site.map(Note::other)).collect(),
            driver_notes: Vec::new(),
            cpu_before: ProcessCpuTime::now(),
            fetched_before: fetched_bytes(&locked.mount),
            cached_before: cache::resident(Some(locked.area.dir()), &files.test_paths()).share(),
            link: link_facts(&link),
            ending: Ending::OnTime,
            left_behind: 0,
            unchanged_files: None,
            doubtful: false,
            started,
            pattern: opening.pattern,
            driver: opening.driver,
            hang_after: opening.hang_after,
            locked,
            run_dir,
            clock,
            files,
        })
    }

    /// Takes over new entries of the run's table. `files` is the table that the session began with,
    /// extended.
    ///
    /// # Errors
    /// If the drain died.
    pub fn files_grew(&mut self, files: &FileTable) -> Result<(), RunError> {
        let known = self.files.entries().len();
        assert!(files.entries().len() >= known, "entries of the file table are never removed");
        let new = &files.entries()[known..];
        self.drain.add_files(new.to_vec())?;
        self.files = files.clone();
        Ok(())
    }

    /// From now on a failed operation is a result like any other, unless it means that the storage is
    /// unreachable or full, and is not among `expected`. One that moves less than requested is an
    /// answer. The workload may shorten and remove files, except those that it leaves unchanged.
    ///
    /// # Errors
    /// If the drain died.
    pub fn errors_are_results(
        &mut self,
        expected: BTreeSet<i32>,
        unchanged_files: Vec<u32>,
    ) -> Result<(), RunError> {
        self.unchanged_files = Some(unchanged_files);
        Ok(self.drain.errors_are_results(expected)?)
    }

    /// The measured area.
    pub fn area(&self) -> &Area {
        &self.locked.area
    }

    /// Adds a note for the user, once.
    pub fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Whether the last load point had its whole time. Runs whose workers may end earlier and be
    /// replaced by others use [`PointDone::complete`] instead.
    pub fn goes_on(&self) -> bool {
        matches!(self.ending, Ending::OnTime)
    }

    /// The load points so far.
    pub fn done(&self) -> &[LoadPoint] {
        &self.done
    }

    /// The latest load point, for additions by its kind of run.
    pub fn last_point(&mut self) -> Option<&mut LoadPoint> {
        self.done.last_mut()
    }

    /// Keeps Reelgauge's own lateness in the last load point if its kind of run knows it better than
    /// records do: they do not show what an operation waited for.
    pub(crate) fn keep_lateness(
        &mut self,
        total: Option<LatenessFigures>,
        of_worker: impl Fn(u32) -> Option<LatenessFigures>,
    ) {
        if let Some(point) = self.done.last_mut() {
            point.total.lateness = total;
            point.per_worker.iter_mut().for_each(|worker| worker.figures.lateness = of_worker(worker.worker));
        }
    }

    /// Converts a time of the run to the wall clock.
    pub(crate) fn wall_time(&self, at_s: f64) -> Option<String> {
        incident_causes::wall_time(&self.clock, at_s)
    }

    /// The number of the next load point; `None` if the log cannot number any more.
    pub fn next_index(&self) -> Option<u16> {
        u16::try_from(self.done.len()).ok().filter(|&index| index < u16::MAX)
    }

    /// The speed of the link to the storage, in bytes per second; `None` if there is none or its speed
    /// is unknown.
    pub fn line_bytes_per_s(&self) -> Option<f64> {
        self.link.as_ref()?.line_bytes_per_s
    }

    /// Time since the run began.
    pub fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    /// The directory of its results.
    pub fn run_dir(&self) -> &RunDir {
        &self.run_dir
    }

    /// Takes the result of the load points. An error after the first of them ends the run, and earlier
    /// measurements are kept: the session can be closed as usual.
    ///
    /// # Errors
    /// The error itself, if nothing has been measured.
    pub fn settle(&mut self, measured: Result<(), RunError>) -> Result<(), RunError> {
        let Err(error) = measured else {
            return Ok(());
        };
        if self.done.is_empty() {
            return Err(error.after_preparing());
        }
        self.doubtful = true;
        if !matches!(self.ending, Ending::OnTime | Ending::Exhausted) {
            // The reason that stopped the load point comes first; this error is only a consequence.
            let error = error.to_string();
            let sentence = format!("The run did not end cleanly: {error}.");
            self.note(Note::new(NoteFact::NotEndedInOrder { error }, sentence, ""));
            return Ok(());
        }
        self.ending = match error {
            RunError::DataSet(DataSetError::Interrupted { .. }) | RunError::StoppedWaiting(_) => {
                Ending::Interrupted
            }
            other => Ending::Stopped(Box::new(other)),
        };
        Ok(())
    }

    fn circumstances(&self, interrupt: &Interrupt) -> Circumstances<'_> {
        Circumstances {
            stopped_by: interrupt.by(),
            target: self.locked.target(),
            area_root: self.locked.area.root(),
            area: self.locked.area.dir(),
            kind: self.locked.mount.kind,
            mount_id: &self.locked.mount_id,
            files: self.files.entries(),
        }
    }
}

pub(crate) fn log_meta(clock: &Clock) -> LogMeta {
    LogMeta {
        run_ns: clock.start_unix_ns().cast_signed(),
        agent: AGENT.to_owned(),
        capture: CaptureLevel::Application,
        blind_to: Vec::new(),
    }
}

/// The driver that a plan chooses.
pub(crate) fn driver_kind(choice: DriverChoice) -> DriverKind {
    match choice {
        DriverChoice::Threads => DriverKind::Threads,
        DriverChoice::Uring => DriverKind::Uring,
    }
}
