//! A session: what every measuring run keeps and does between taking its target and its summary, whatever
//! its workers are.
//!
//! It owns the target, the clock, the drain, the run directory and the table of files; it runs load point
//! after load point of any script ([`point`]), and ends in a summary, whichever way it ends ([`close`]). What
//! was measured survives whatever stops the run afterwards ([`Session::settle`]).
//!
//! Not here: which workers run, which files they need, what is good enough: that is what kinds of runs differ
//! in ([`crate::mix`], [`crate::streams`], [`crate::check`]).

pub mod allowance;
pub(crate) mod brief_look;
pub mod caching;
pub mod close;
mod counter_sampling;
pub mod drain;
pub mod drive;
mod environment;
pub mod failure;
pub mod file_table;
pub mod finished;
mod incident_causes;
pub mod judging;
pub mod live_log;
pub mod locked_target;
pub mod made_files;
pub(crate) mod margins;
pub mod meddling;
pub mod own_cpu;
pub mod point;
pub mod report_file;
pub mod results_dir;
pub mod room;
pub mod room_watch;
pub mod sink;
pub mod space;
pub mod summarise;
pub mod target;
#[cfg(test)]
mod tests;
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
use crate::session::drain::Drain;
use crate::session::drive::Ending;
use crate::session::failure::Circumstances;
use crate::session::file_table::FileTable;
use crate::session::locked_target::LockedTarget;
use crate::session::own_cpu::OwnCpu;
use crate::session::results_dir::Results;
use crate::session::sink::RingRoom;
use crate::session::target::{link_facts, mount_facts};
use reelgauge_results::load_points::LoadPointPlan;
use reelgauge_results::site::keep_site;
use reelgauge_results::stream_table::StreamTable;

pub use close::Closing;
pub(crate) use environment::Means;
pub use point::{PointDone, PointPlan, ToJudge};

/// The name of this process in the log, where a fleet would have many.
const AGENT: &str = "local";

/// What a session begins with, beside its target.
#[derive(Debug)]
pub struct Opening<'a> {
    /// Where its results go.
    pub results: Results,
    /// `run.toml`.
    pub plan_toml: &'a str,
    /// The files that are there already.
    pub files: FileTable,
    /// How what the run writes is made.
    pub pattern: PatternSpec,
    /// Performs the operations.
    pub driver: DriverKind,
    /// A target that completes nothing for this long is given up.
    pub hang_after: Duration,
    /// Keep every operation.
    pub log: bool,
    /// Remember what is written, to read it back at the end; then, how the test files were made.
    pub verify: Option<PatternSpec>,
    /// What the reader should know.
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
    /// How many records wait for it at most.
    rings: RingRoom,
    /// Ends with the session, on every way out.
    counters: Option<Sampling>,
    files: FileTable,
    pattern: PatternSpec,
    driver: DriverKind,
    hang_after: Duration,
    write_map: Option<Arc<WriteMap>>,
    /// How the files that are read back were made.
    made_before: Option<PatternSpec>,
    planned: Vec<LoadPointPlan>,
    /// The streams of the load points; those of runs without streams are not listed.
    table: StreamTable,
    done: Vec<LoadPoint>,
    /// First and later reads of the load points, where something was read.
    rereads: Vec<Rereads>,
    notes: Vec<Note>,
    /// What the driver said in the last load point.
    driver_notes: Vec<String>,
    cpu_before: Option<OwnCpu>,
    fetched_before: Option<u64>,
    cached_before: Option<f64>,
    /// The link to the storage, where there is one.
    link: Option<LinkFacts>,
    /// How the last load point ended, or what kept the next one from beginning.
    ending: Ending,
    left_behind: usize,
    /// Where the workload itself may shorten and remove test files: the numbers of those that it leaves as
    /// they are. `None` where it changes none.
    unchanged_files: Option<Vec<u32>>,
    /// Whether the storage may have stopped answering without a thread having been left in it.
    doubtful: bool,
}

/// Makes the folder for run directories, before anything else is touched. It can't lie in an area: that is
/// removed some day, and a run must find nothing in it but its own files.
///
/// # Errors
/// When that is impossible.
pub fn make_out(out: &Path) -> Result<(), RunError> {
    if let Some(area) = area_around(out) {
        return Err(RunError::OutInArea { out: out.to_path_buf(), area });
    }
    std::fs::create_dir_all(out).map_err(|source| RunError::Out { path: out.to_path_buf(), source })
}

impl Session {
    /// Fills the run directory with what is known before, and starts clock and drain.
    ///
    /// # Errors
    /// When the results have no place to go.
    pub fn begin(
        locked: LockedTarget,
        opening: Opening<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Session, RunError> {
        let begun = Session::begin_with(Means::real(), locked, opening, observer);
        begun.map_err(RunError::after_preparing)
    }

    /// [`Session::begin`] by means that need not be this machine's.
    pub(crate) fn begin_with(
        means: Means,
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
            cpu_before: OwnCpu::now(),
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

    /// Takes over what was entered into the run's table since. `files` is the table that the session began
    /// with, grown.
    ///
    /// # Errors
    /// When the drain died.
    pub fn files_grew(&mut self, files: &FileTable) -> Result<(), RunError> {
        let known = self.files.entries().len();
        assert!(files.entries().len() >= known, "entries of the file table are never removed");
        let new = &files.entries()[known..];
        self.drain.add_files(new.to_vec())?;
        self.files = files.clone();
        Ok(())
    }

    /// From now on a failed operation is a result like any other, unless it says that the storage is gone or
    /// full, and isn't among these; one that moves less than was asked is an answer; and the workload may
    /// shorten and remove files as it likes, but for those that it leaves as they are.
    ///
    /// # Errors
    /// When the drain died.
    pub fn errors_are_results(
        &mut self,
        expected: BTreeSet<i32>,
        unchanged_files: Vec<u32>,
    ) -> Result<(), RunError> {
        self.unchanged_files = Some(unchanged_files);
        Ok(self.drain.errors_are_results(expected)?)
    }

    /// The area that is measured.
    pub fn area(&self) -> &Area {
        &self.locked.area
    }

    /// Says something to the reader, once.
    pub fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Whether the last load point had its whole time. Runs whose workers may well end before that, and go on
    /// with others, ask [`PointDone::complete`] instead.
    pub fn goes_on(&self) -> bool {
        matches!(self.ending, Ending::OnTime)
    }

    /// The load points so far.
    pub fn done(&self) -> &[LoadPoint] {
        &self.done
    }

    /// The load point that was just made, for what its kind of run has to say of it.
    pub fn last_point(&mut self) -> Option<&mut LoadPoint> {
        self.done.last_mut()
    }

    /// Keeps the tool's own lateness in the last load point where its kind of run knows better than records
    /// tell: they do not hold what an operation waited for.
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

    /// A time of the run by the clock on the wall.
    pub(crate) fn wall_time(&self, at_s: f64) -> Option<String> {
        incident_causes::wall_time(&self.clock, at_s)
    }

    /// Number of the next load point; `None` when all that the log can number are made.
    pub fn next_index(&self) -> Option<u16> {
        u16::try_from(self.done.len()).ok().filter(|&index| index < u16::MAX)
    }

    /// What the link to the storage can carry, in bytes per second; `None` where there is none or its speed
    /// is not known.
    pub fn line_bytes_per_s(&self) -> Option<f64> {
        self.link.as_ref()?.line_bytes_per_s
    }

    /// Time since the run began.
    pub fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    /// Where its results lie.
    pub fn run_dir(&self) -> &RunDir {
        &self.run_dir
    }

    /// Takes what came of the load points. An error after the first of them ends the run, and what was
    /// measured before is kept: the session can be closed as ever.
    ///
    /// # Errors
    /// The same error, when nothing has been measured.
    pub fn settle(&mut self, measured: Result<(), RunError>) -> Result<(), RunError> {
        let Err(error) = measured else {
            return Ok(());
        };
        if self.done.is_empty() {
            return Err(error.after_preparing());
        }
        self.doubtful = true;
        if !matches!(self.ending, Ending::OnTime | Ending::Exhausted) {
            // What stopped the load point comes first; this only came behind it.
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

fn log_meta(clock: &Clock) -> LogMeta {
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
