//! Carries out a procedure: runs, each in a separate process, and actions between them. It can be
//! stopped and resumed, and its ballast is removed in every case.
//!
//! ```text
//! reelgauge-runs/2026-11-28T010203Z-nas1-ebu-study/
//!   procedure.json   the steps and their results ([`procedure_file`]); written again after every step
//!   plans/           on a fleet: the plans of each run ([`fleet`])
//!   2026-…/          the run of each step, with its log and summary
//! ```
//!
//! Not here: the list of procedures (workload), the conclusion from all runs
//! ([`reelgauge_analysis::procedure`]), sentences, flags.

mod actions;
pub mod conclusion;
pub mod fleet;
pub mod procedure_file;
pub mod report_data;
pub mod space_check;
pub mod user_events;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use reelgauge_analysis::forecast::Forecast;
use reelgauge_analysis::procedure::steady::steadiness;
use reelgauge_engine::area::Terms;
use reelgauge_engine::ballast;
use reelgauge_engine::dataset::amount;
use reelgauge_record::notes::{RunNotes, StorageDetails};
use reelgauge_record::run_dir::{RunDir, RunDirError, RunName};
use reelgauge_results::live::process;
use reelgauge_results::page::REPORT_FILE;
use reelgauge_results::reopen::reopen;
use reelgauge_results::{procedure_step, run_notes};
use reelgauge_workload::procedure::deviation::Deviation;
use reelgauge_workload::procedure::requirement::Missing;
use reelgauge_workload::procedure::{Action, FindingKind, Step};

use crate::error::RunError;
use crate::exit_code::{BROKE_OFF, INTERRUPTED, USAGE};
use crate::interrupt::Interrupt;
use crate::prove::pass::{self, OwnRun, PassError};
use crate::prove::shell::{self, CommandOptions, InterruptibleWait, ShellError};
use crate::session::make_out;
use crate::session::report_file::leave_report;
use actions::{ActionError, BallastTarget};
use fleet::FleetRequest;
use procedure_file::{ActionFact, KeptTerms, ProcedureFileError, ProcedureRecord, Row, RowState};
use space_check::{Lack, Need};
use user_events::GivenEvents;

/// The interval of checks for interruptions.
const BEAT: Duration = Duration::from_millis(20);
/// To evict the content of a server's memory, more is written than it holds: a quarter more.
const PUSH_OUT_SHARE: u64 = 4;
/// Marks a directory as one of Reelgauge's.
const PLAN_FILE: &str = "run.toml";
/// Verbs whose operations come from a seed.
const SEEDED: [&str; 4] = ["mix", "streams", "vda", "replay"];

/// The request for a procedure.
#[derive(Clone, Debug)]
pub struct ProcedureRequest {
    pub name: String,
    /// A one-line description.
    pub about: String,
    /// The document and section that it follows.
    pub paper: Option<String>,
    /// Whether it is the short variant.
    pub is_short: bool,
    /// The kind of conclusion.
    pub finding: Option<FindingKind>,
    pub steps: Vec<Step>,
    /// Conditions of the paper that are not kept.
    pub deviations: Vec<Deviation>,
    /// The directory that is measured.
    pub target: PathBuf,
    /// The fleet that makes the load; `None` for the local host.
    pub fleet: Option<FleetRequest>,
    /// The terms for the target.
    pub terms: Terms,
    /// The storage as the user describes it.
    pub storage: StorageDetails,
    /// Tags for searching.
    pub tags: Vec<String>,
    /// The seed of every random draw.
    pub seed: u64,
    /// The user's events. They are not kept: `--resume` takes them again.
    pub events: GivenEvents,
    /// Folder for its directory.
    pub out: PathBuf,
}

/// Settings of the process that carries it out.
#[derive(Clone, Copy, Debug)]
pub struct Manner<'a> {
    pub program: &'a Path,
    /// Whether runs show their progress.
    pub shows_progress: bool,
    /// Set when it is to end.
    pub interrupt: &'a Interrupt,
    /// The forecast of the run with this command line; `None` if unknown.
    pub forecast: fn(&[OsString]) -> Option<Forecast>,
}

/// An event for viewers.
#[derive(Debug)]
pub enum ProcedureEvent<'a> {
    /// A step begins: its number from 1, of how many.
    Begins {
        /// The number of the step, from 1.
        number: usize,
        /// The number of steps.
        of: usize,
        row: &'a Row,
    },
    /// A step that was complete before the procedure was stopped is repeated, because later steps depend
    /// on it.
    Restores(&'a Row),
    /// The bytes of ballast written so far.
    Written(u64),
    /// A command of the user takes long, or continues after an interrupt.
    Waiting(InterruptibleWait<'a>),
}

/// A procedure that ended.
#[derive(Debug)]
pub struct ProcedureEnd {
    pub record: ProcedureRecord,
    pub dir: PathBuf,
    /// 0, or the status of the error that ended it early.
    pub exit_code: u8,
    /// Why its ballast is still there, if it is.
    pub ballast_left: Option<ActionError>,
}

/// Why a procedure ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcedureError {
    /// Results cannot be stored.
    #[error(transparent)]
    Out(#[from] RunError),
    /// Results cannot be stored in this folder.
    #[error(transparent)]
    Dir(#[from] RunDirError),
    /// Its record can't be read or written.
    #[error(transparent)]
    File(#[from] ProcedureFileError),
    /// A run ended early.
    #[error("{}", run_words(.0))]
    Run(PassError),
    /// An action failed.
    #[error(transparent)]
    Action(#[from] ActionError),
    /// The user's command failed.
    #[error("the command that empties the server's cache failed: {0}")]
    Command(ShellError),
    /// The directory is not a procedure's.
    #[error("{} is not a procedure. 'reelgauge list' shows procedures that you can resume", .0.display())]
    NotOne(PathBuf),
    /// The ballast was removed during a run.
    #[error(
        "another run on the same target removed the ballast, so the storage was not as full as the step \
         requires. Resume when nothing else runs there"
    )]
    BallastGone,
    /// No search of streams found a count.
    #[error(
        "step '{step}' plays the count that step '{of}' found, but '{of}' found none. Set a count with --set \
         count=N"
    )]
    NoCount {
        step: String,
        /// The step of the search.
        of: String,
    },
    /// An event whose command was not supplied again.
    #[error(
        "step '{step}' must run its event again. A resumed procedure does not reuse the command that was \
         given the first time. Add --event '{event}: COMMAND'"
    )]
    EventAgain { step: String, event: String },
    /// A step without enough space.
    #[error(
        "step '{step}' writes {}, but at most {} can be written on {} at that point, because {} must stay \
         free (--keep-free). Free some space, or write less with --set KEY=VALUE, such as a smaller \
         file-size; --dry-run shows the settings of each step",
        amount(lack.needed_bytes),
        amount(lack.left_bytes),
        target.display(),
        amount(lack.kept_bytes)
    )]
    NoRoom { step: String, target: PathBuf, lack: Lack },
    /// Another process is carrying it out.
    #[error("{} is still running (process {pid})", dir.display())]
    GoesOn {
        dir: PathBuf,
        /// The number of that process.
        pid: u32,
    },
    /// There is nothing to resume.
    #[error("{} is complete; there is nothing to resume", .0.display())]
    Complete(PathBuf),
}

/// Why a run of a procedure ended early.
fn run_words(error: &PassError) -> String {
    match error {
        PassError::Ended { how, said, .. } if said.is_empty() => format!("the run failed: {how}"),
        PassError::Ended { how, said, .. } => format!("the run failed: {how}: {said}"),
        other => other.to_string(),
    }
}

// The error's text contains theirs, so they are not its sources.
impl From<PassError> for ProcedureError {
    fn from(error: PassError) -> ProcedureError {
        ProcedureError::Run(error)
    }
}

impl From<ShellError> for ProcedureError {
    fn from(error: ShellError) -> ProcedureError {
        ProcedureError::Command(error)
    }
}

impl ProcedureError {
    pub fn exit_code(&self) -> u8 {
        match self {
            ProcedureError::Run(error) => error.exit_code(),
            ProcedureError::Out(error) => error.exit_code(),
            ProcedureError::Action(error) => error.exit_code(),
            ProcedureError::Dir(_)
            | ProcedureError::File(_)
            | ProcedureError::GoesOn { .. }
            | ProcedureError::EventAgain { .. }
            | ProcedureError::NoRoom { .. }
            | ProcedureError::NotOne(_)
            | ProcedureError::Complete(_) => USAGE,
            ProcedureError::Command(_) | ProcedureError::BallastGone | ProcedureError::NoCount { .. } => {
                BROKE_OFF
            }
        }
    }
}

/// Carries out a procedure.
///
/// # Errors
/// If nothing could be measured. An error in a later step ends the procedure; measurements are kept, and it
/// can be resumed.
pub fn run_procedure(
    request: &ProcedureRequest,
    manner: Manner<'_>,
    tell: &mut dyn FnMut(&ProcedureEvent<'_>),
) -> Result<ProcedureEnd, ProcedureError> {
    let steps: Vec<(&str, &Action)> =
        request.steps.iter().map(|step| (step.name.as_str(), &step.action)).collect();
    expect_room(&steps, &request.target, request.terms)?;
    make_out(&request.out)?;
    let target = request.target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = RunName { start: Timestamp::now().into(), target: &target, what: &request.name };
    let dir = RunDir::create(&request.out, name)?.path().to_path_buf();
    let notes = RunNotes::new(&request.storage, &request.tags);
    if notes != RunNotes::default() {
        run_notes::write(&dir, &notes)?;
    }
    let record = ProcedureRecord::begin(request);
    record.write(&dir)?;
    if let Some(fleet) = &request.fleet {
        fleet::write_plans(&dir, &fleet.plans)?;
    }
    let events = request.events.clone();
    Carrying { manner, dir, record, events, held_bytes: 0, holds: false, knows_room: false }.finish(tell)
}

/// Continues a procedure that was stopped.
///
/// # Errors
/// If there is nothing to resume, or nothing could be measured.
pub fn resume_procedure(
    dir: &Path,
    events: GivenEvents,
    manner: Manner<'_>,
    tell: &mut dyn FnMut(&ProcedureEvent<'_>),
) -> Result<ProcedureEnd, ProcedureError> {
    if !ProcedureRecord::is_in(dir) {
        return Err(ProcedureError::NotOne(dir.to_path_buf()));
    }
    let mut record = ProcedureRecord::read(dir)?;
    if record.complete {
        return Err(ProcedureError::Complete(dir.to_path_buf()));
    }
    if record.goes_on(dir) {
        return Err(ProcedureError::GoesOn { dir: dir.to_path_buf(), pid: record.pid });
    }
    events.meet(&mut record.rows)?;
    let ahead = record.rows.iter().filter(|row| !row.state.is_over());
    let ahead: Vec<(&str, &Action)> = ahead.map(|row| (row.name.as_str(), &row.action)).collect();
    expect_room(&ahead, &record.target, record.terms.terms())?;
    (record.ended_early, record.is_interrupted) = (None, false);
    (record.pid, record.process) = (std::process::id(), process::own_mark());
    record.write(dir)?;
    let dir = dir.to_path_buf();
    let mut carrying =
        Carrying { manner, dir, record, events, held_bytes: 0, holds: false, knows_room: false };
    let restored = carrying.restore(tell);
    match restored {
        Ok(()) => carrying.finish(tell),
        Err(error) => carrying.end(Err(error)),
    }
}

/// A procedure in progress.
struct Carrying<'a> {
    manner: Manner<'a>,
    dir: PathBuf,
    record: ProcedureRecord,
    events: GivenEvents,
    /// Bytes of ballast that runs need.
    held_bytes: u64,
    /// Whether there may be ballast.
    holds: bool,
    /// Whether the count that a search found was compared with the free space.
    knows_room: bool,
}

impl Carrying<'_> {
    fn finish(mut self, tell: &mut dyn FnMut(&ProcedureEvent<'_>)) -> Result<ProcedureEnd, ProcedureError> {
        let came = self.all(tell);
        self.end(came)
    }

    /// Removes the ballast first, even if something else failed.
    fn end(mut self, came: Result<(), ProcedureError>) -> Result<ProcedureEnd, ProcedureError> {
        let ballast_left = if self.holds { self.place().remove_ballast().err() } else { None };
        self.record.conclusion =
            conclusion::conclude(&self.record, &conclusion::summaries(&self.record, &self.dir));
        if let Err(error) = &came {
            self.record.ended_early = Some(error.to_string());
            self.record.is_interrupted = error.exit_code() == INTERRUPTED;
        }
        let has_measured = self.record.rows.iter().any(|row| row.run.is_some());
        if let Err(error) = came {
            if !has_measured && error.exit_code() == USAGE {
                // The directory is empty, and the error has the reason.
                let _ = std::fs::remove_file(run_notes::path_in(&self.dir));
                ProcedureRecord::remove(&self.dir);
                let _ = std::fs::remove_dir_all(self.dir.join(fleet::PLANS));
                let _ = std::fs::remove_file(self.dir.join(PLAN_FILE));
                let _ = std::fs::remove_dir(&self.dir);
                return Err(error);
            }
            self.record.write(&self.dir)?;
            // The first step accepted the same input, so it is not wrong usage.
            let exit_code = if error.exit_code() == USAGE { BROKE_OFF } else { error.exit_code() };
            return Ok(ProcedureEnd { record: self.record, dir: self.dir, exit_code, ballast_left });
        }
        self.record.write(&self.dir)?;
        let exit_code = if ballast_left.is_some() { BROKE_OFF } else { 0 };
        Ok(ProcedureEnd { record: self.record, dir: self.dir, exit_code, ballast_left })
    }

    fn all(&mut self, tell: &mut dyn FnMut(&ProcedureEvent<'_>)) -> Result<(), ProcedureError> {
        let of = self.record.rows.len();
        for at in 0..of {
            self.leave_out(at);
            if self.record.rows[at].state.is_over() {
                continue;
            }
            if self.is_steady(at) {
                self.record.rows[at..].iter_mut().for_each(|row| row.state = RowState::NotNeeded);
                break;
            }
            if self.manner.interrupt.asked() {
                return Err(PassError::Interrupted.into());
            }
            tell(&ProcedureEvent::Begins { number: at + 1, of, row: &self.record.rows[at] });
            self.record.rows[at].state = RowState::Running;
            self.record.write(&self.dir)?;
            let came = self.carry_out(at, tell);
            let row = &mut self.record.rows[at];
            row.state = if came.is_ok() { RowState::Done } else { RowState::BrokeOff };
            row.why = came.as_ref().err().map(ToString::to_string);
            self.record.write(&self.dir)?;
            came?;
        }
        self.record.complete = true;
        Ok(())
    }

    /// Whether the rounds before this step are steady, if that is their purpose.
    fn is_steady(&self, at: usize) -> bool {
        let is_asked =
            self.record.finding == Some(FindingKind::Steady) && self.record.rows[at].round.is_some();
        if !is_asked {
            return false;
        }
        let rates = conclusion::round_rates(&self.record, &conclusion::summaries(&self.record, &self.dir));
        steadiness(&rates).is_some_and(|found| found.is_steady)
    }

    /// Skips runs without enough space for the count that a search found, which is unknown before it.
    fn leave_out(&mut self, from: usize) {
        if self.knows_room || self.record.fleet.is_some() {
            return;
        }
        let waits = |at: &usize| self.record.rows[*at].requires.count_of.is_some();
        let waiting = (from..self.record.rows.len()).find(waits);
        if waiting.is_none_or(|at| self.count_flag(at).is_err()) {
            return;
        }
        self.knows_room = true;
        let keep_free = self.record.terms.terms().keep_free;
        loop {
            let needs: Vec<Need> = (0..self.record.rows.len()).map(|at| self.need(at)).collect();
            let Some(lack) = space_check::lack(&needs, &self.record.target, keep_free) else { return };
            let Row { name, action, .. } = self.record.rows[lack.at].clone();
            if !matches!(action, Action::Run { .. }) {
                return;
            }
            let Lack { needed_bytes, left_bytes, .. } = lack;
            let is_left_out = |row: &&mut Row| {
                !row.state.is_over() && (row.name == name || row.requires.step.as_ref() == Some(&name))
            };
            for row in self.record.rows.iter_mut().filter(is_left_out) {
                row.state = RowState::NotTried;
                row.missing = Some(Missing::Room { needed_bytes, left_bytes });
            }
        }
    }

    /// The space that a step needs. Levels of ballast count for later steps even if they are complete.
    fn need(&self, at: usize) -> Need {
        let row = &self.record.rows[at];
        match &row.action {
            _ if row.state == RowState::NotTried => Need::Unknown,
            Action::Fill { .. } | Action::Empty => Need::of(&row.action),
            _ if row.state.is_over() => Need::Unknown,
            Action::Run { verb, flags } => {
                let forecast =
                    self.words(at, verb, flags).ok().and_then(|words| (self.manner.forecast)(&words));
                forecast.as_ref().map_or(Need::Unknown, Need::of_run)
            }
            action => Need::of(action),
        }
    }

    /// Repeats steps that later steps depend on, and that the end of the earlier process has undone.
    fn restore(&mut self, tell: &mut dyn FnMut(&ProcedureEvent<'_>)) -> Result<(), ProcedureError> {
        for at in to_restore(&self.record.rows) {
            tell(&ProcedureEvent::Restores(&self.record.rows[at]));
            self.carry_out(at, tell)?;
        }
        Ok(())
    }

    fn carry_out(
        &mut self,
        at: usize,
        tell: &mut dyn FnMut(&ProcedureEvent<'_>),
    ) -> Result<(), ProcedureError> {
        let action = self.record.rows[at].action.clone();
        let fact = match action {
            Action::Run { verb, flags } => return self.measure(at, &verb, &flags),
            Action::Rest { time } => return self.rest(time.duration()),
            Action::Empty => {
                self.place().remove_ballast()?;
                (self.held_bytes, self.holds) = (0, false);
                return Ok(());
            }
            Action::Fill { percent } => {
                self.holds = true;
                let filled = self.place().work(tell, move |ballast| ballast.fill_to(percent))?;
                self.held_bytes = filled.ballast_bytes;
                ActionFact::filled(filled)
            }
            Action::Age { time } => {
                self.holds = true;
                let (time, seed) = (time.duration(), self.record.seed.wrapping_add(at as u64));
                let aged = self.place().work(tell, move |ballast| ballast.age(time, seed))?;
                self.held_bytes = aged.bytes;
                ActionFact::aged(aged)
            }
            Action::Cool { command: Some(command), .. } => {
                self.run_command(&command, tell)?;
                ActionFact::Cooled { command: Some(command), pushed_out_bytes: None }
            }
            Action::Cool { command: None, server_memory } => {
                self.holds = true;
                let bytes = push_out_bytes(server_memory.map_or(0, |size| size.bytes()));
                self.place().work(tell, move |ballast| ballast.push_out(bytes))?;
                ActionFact::Cooled { command: None, pushed_out_bytes: Some(bytes) }
            }
        };
        self.record.rows[at].fact = Some(fact);
        Ok(())
    }

    fn place(&self) -> BallastTarget<'_> {
        BallastTarget {
            target: &self.record.target,
            terms: self.record.terms.terms(),
            seed: self.record.seed,
            interrupt: self.manner.interrupt,
        }
    }

    fn measure(&mut self, at: usize, verb: &str, flags: &[String]) -> Result<(), ProcedureError> {
        let words = match &self.record.fleet {
            Some(choice) => fleet::words(&self.dir, at + 1, choice),
            None => self.words(at, verb, flags)?,
        };
        let run = OwnRun {
            program: self.manner.program,
            words: &words,
            dir: &self.dir,
            env: self.holds.then_some(ballast::HELD),
            shows_progress: self.manner.shows_progress,
        };
        let ended = pass::carry_out(&run, self.manner.interrupt);
        if let Some(left) = &ended.run {
            self.record.rows[at].run = Some(left.clone());
            let notes = report_data::run_notes(&self.record, at);
            let run_dir = self.dir.join(left);
            run_notes::write(&run_dir, &notes)?;
            procedure_step::put_into_file(&run_dir, &report_data::procedure_step(&self.record, at))?;
            self.renew_report(&run_dir);
        }
        ended.pass?;
        if self.held_bytes > 0 && self.place().ballast_bytes()? != self.held_bytes {
            return Err(ProcedureError::BallastGone);
        }
        Ok(())
    }

    /// The command line of a run on the local host.
    fn words(&self, at: usize, verb: &str, flags: &[String]) -> Result<Vec<OsString>, ProcedureError> {
        let mut flags = flags.to_vec();
        flags.extend(self.count_flag(at)?);
        flags.extend(self.events.flags(&self.record.rows[at].requires));
        Ok(words(verb, &flags, &self.record.target, &self.record.terms, self.record.seed))
    }

    /// The count of streams that another step found.
    fn count_flag(&self, at: usize) -> Result<Option<String>, ProcedureError> {
        let row = &self.record.rows[at];
        let Some(of) = &row.requires.count_of else { return Ok(None) };
        let searched = self.record.rows.iter().find(|row| row.name == *of);
        let run = searched.and_then(|row| row.run.as_ref());
        let summary = run.and_then(|run| reopen(&self.dir.join(run)).ok());
        let count = summary.and_then(|summary| summary.search?.streams).filter(|count| *count > 0);
        match count {
            Some(count) => Ok(Some(format!("--count={count}"))),
            None => Err(ProcedureError::NoCount { step: row.name.clone(), of: of.clone() }),
        }
    }

    /// The page that the run wrote does not contain its step.
    fn renew_report(&self, run_dir: &Path) {
        if let Some(summary) = reopen(run_dir).ok().filter(|_| run_dir.join(REPORT_FILE).exists()) {
            // A page that fails now can be made later, and a run without one is complete.
            let _ = leave_report(run_dir, &summary, self.manner.interrupt);
        }
    }

    fn run_command(
        &self,
        command: &str,
        tell: &mut dyn FnMut(&ProcedureEvent<'_>),
    ) -> Result<(), ProcedureError> {
        let mut with = CommandOptions {
            directory: Path::new("."),
            begun: &mut |_| {},
            waiting: &mut |waiting| tell(&ProcedureEvent::Waiting(*waiting)),
            interrupt: self.manner.interrupt,
            ends_when_asked: true,
        };
        match shell::run(command, &mut with) {
            Err(ShellError::Interrupted) => Err(PassError::Interrupted.into()),
            ended => Ok(ended?),
        }
    }

    fn rest(&self, time: Duration) -> Result<(), ProcedureError> {
        let begun = Instant::now();
        while begun.elapsed() < time {
            if self.manner.interrupt.asked() {
                return Err(PassError::Interrupted.into());
            }
            std::thread::sleep(BEAT.min(time.saturating_sub(begun.elapsed())));
        }
        Ok(())
    }
}

/// The steps to repeat before the first incomplete one: the last level of ballast, all ageing, and
/// emptying the server's cache, if nothing was measured since.
fn to_restore(rows: &[Row]) -> Vec<usize> {
    let next = rows.iter().position(|row| !row.state.is_over()).unwrap_or(rows.len());
    let last = |is_it: fn(&Action) -> bool| rows[..next].iter().rposition(|row| is_it(&row.action));
    let last_run = last(|action| matches!(action, Action::Run { .. }));
    // Ballast that was removed later is not needed.
    let last_fill = last(|action| matches!(action, Action::Fill { .. } | Action::Empty));
    let is_needed = |at: &usize| match rows[*at].action {
        Action::Fill { .. } => Some(*at) == last_fill,
        Action::Age { .. } => true,
        Action::Cool { .. } => last_run.is_none_or(|run| run < *at),
        Action::Run { .. } | Action::Rest { .. } | Action::Empty => false,
    };
    (0..next).filter(is_needed).collect()
}

/// Refuses ballast that cannot fit, before anything is written.
fn expect_room(steps: &[(&str, &Action)], target: &Path, terms: Terms) -> Result<(), ProcedureError> {
    let needs: Vec<Need> = steps.iter().map(|(_, action)| Need::of(action)).collect();
    let Some(lack) = space_check::lack(&needs, target, terms.keep_free) else { return Ok(()) };
    let step = steps.get(lack.at).map_or_else(String::new, |(name, _)| (*name).to_owned());
    Err(ProcedureError::NoRoom { step, target: target.to_path_buf(), lack })
}

/// The bytes that evict everything else from a memory of this size.
fn push_out_bytes(memory_bytes: u64) -> u64 {
    memory_bytes.saturating_add(memory_bytes / PUSH_OUT_SHARE)
}

/// The command line of a run, without the program's name.
pub fn words(verb: &str, flags: &[String], target: &Path, terms: &KeptTerms, seed: u64) -> Vec<OsString> {
    let mut words: Vec<OsString> = verb.split_whitespace().map(OsString::from).collect();
    let first = verb.split_whitespace().next().unwrap_or_default();
    if first == "run" {
        let mut word = OsString::from("--target=");
        word.push(target);
        words.push(word);
    } else {
        words.push(target.into());
    }
    words.extend(flags.iter().map(OsString::from));
    words.extend(terms.flags().into_iter().map(OsString::from));
    let is_seeded = SEEDED.contains(&first) && !flags.iter().any(|flag| flag.starts_with("--seed="));
    words.extend(is_seeded.then(|| OsString::from(format!("--seed={seed}"))));
    words
}

#[cfg(test)]
mod tests {
    use reelgauge_workload::procedure::requirement::Requirement;
    use reelgauge_workload::units::Span;

    use super::*;

    fn row(action: Action, state: RowState) -> Row {
        Row {
            name: String::new(),
            round: None,
            action,
            state,
            requires: Requirement::default(),
            missing: None,
            run: None,
            fact: None,
            why: None,
        }
    }

    #[test]
    fn steps_that_later_ones_depend_on_are_repeated() {
        let run = || Action::Run { verb: "mix".to_owned(), flags: Vec::new() };
        let cool = || Action::Cool { command: None, server_memory: None };
        let (fill, age) = (|percent| Action::Fill { percent }, || Action::Age { time: Span::secs(1) });
        let of = |actions: Vec<Action>, done: usize| {
            let state = |at| if at < done { RowState::Done } else { RowState::Planned };
            let rows: Vec<Row> =
                actions.into_iter().enumerate().map(|(at, action)| row(action, state(at))).collect();
            to_restore(&rows)
        };
        assert_eq!(of(vec![run(), fill(50), run(), fill(80), run()], 4), [3]);
        assert_eq!(of(vec![run(), fill(50), run(), fill(80), run()], 3), [1]);
        assert_eq!(of(vec![run(), fill(50), run(), fill(80), run()], 1), [] as [usize; 0]);
        assert_eq!(of(vec![run(), fill(90), run(), Action::Empty, run()], 4), [] as [usize; 0]);
        assert_eq!(of(vec![age(), run(), age(), run()], 3), [0, 2]);
        assert_eq!(of(vec![run(), cool(), run(), run()], 2), [1]);
        assert_eq!(of(vec![run(), cool(), run(), run()], 3), [] as [usize; 0]);
    }

    #[test]
    fn a_run_gets_its_target_its_terms_and_a_seed() {
        let terms = KeptTerms { keep_free_bytes: Some(5_000_000), ..KeptTerms::default() };
        let flags = ["--duration=5s".to_owned()];
        assert_eq!(
            words("mix", &flags, Path::new("/mnt"), &terms, 7),
            ["mix", "/mnt", "--duration=5s", "--keep-free=5000000B", "--seed=7"]
        );
        assert_eq!(
            words("run newsroom", &[], Path::new("/mnt"), &KeptTerms::default(), 7),
            ["run", "newsroom", "--target=/mnt"]
        );
    }
}
