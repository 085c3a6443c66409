//! Proves the effect of a change: the same work is measured with and without it, alternately, and the
//! change is undone in every case.
//!
//! Only this program and the user's commands are run ([`shell`]). The undo command is on disk before the
//! change is made ([`pending_undo`]). Passes with a disturbance are measured again
//! ([`reelgauge_analysis::proof::disturbance`]).
//!
//! Not here: the conclusion from all passes ([`reelgauge_analysis::proof`]), sentences, flags.

pub mod change;
#[cfg(target_os = "linux")]
mod mount_check;
#[cfg(not(target_os = "linux"))]
#[path = "prove/mount_check_other.rs"]
mod mount_check;
mod order;
pub mod pass;
pub mod pending_undo;
pub mod proof_file;
pub mod proof_lock;
pub mod report_data;
pub mod shell;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use reelgauge_analysis::Summary;
use reelgauge_analysis::naspt::NasptTable;
use reelgauge_analysis::proof::cached::CachedReads;
use reelgauge_analysis::proof::disturbance::{Disturbance, disturbance};
use reelgauge_analysis::proof::{ProofConclusion, too_few_ops};
use reelgauge_analysis::rate_limit_delay::sets_the_figure;
use reelgauge_record::run_dir::{RunDir, RunDirError, RunName};
use reelgauge_report::compare::suite_sides;
use reelgauge_results::compare::{CompareRunsError, compare_sides};
use reelgauge_results::counters::mean_of_counter;
use reelgauge_results::live::process;

use crate::error::RunError;
use crate::exit_code::BROKE_OFF;
use crate::interrupt::Interrupt;
use crate::session::make_out;
use crate::suite::Suite;
use change::{Change, PLACE};
use mount_check::MountBefore;
use pass::{Pass, PassError, with_target};
use pending_undo::{LeftChangeError, Noted, own_folder};
use proof_file::{PROOF_VERSION, Proof, ProofFileError, ProofPass};
use proof_lock::{ProofLock, ProofLockError};
use shell::{CommandOptions, InterruptibleWait, ShellError};

/// The suffix of a proof's directory.
const WHAT: &str = "prove";
/// The counter that no summary has, in its layer.
const SENT_AGAIN: (&str, &str) = ("network", "tcp_retransmitted_segments_per_s");

/// The exit status of a proof whose change is still in place.
const EXIT_NOT_UNDONE: u8 = 3;

/// The request for a proof.
#[derive(Clone, Debug)]
pub struct ProveRequest {
    pub program: PathBuf,
    /// The verb and its flags, without those for results.
    pub words: Vec<OsString>,
    pub change: Change,
    /// Passes of each state that count.
    pub rounds: u32,
    /// Folder for the proof's directory.
    pub out: PathBuf,
}

impl ProveRequest {
    /// The verb and its flags in a state.
    pub fn words_in(&self, state: usize) -> Vec<OsString> {
        match &self.change {
            Change::Targets { targets } => with_target(&self.words, PLACE, &targets[state]),
            _ => self.words.clone(),
        }
    }
}

/// An event for viewers.
#[derive(Debug)]
pub enum ProveEvent<'a> {
    /// The run that makes the test files begins.
    FirstRun,
    /// A pass begins: its number from 1, the least number of passes, and the length of the last one.
    Pass {
        /// The number of the pass, from 1.
        number: usize,
        /// The least number of passes.
        of: usize,
        state: usize,
        /// The length of the last run, without the commands.
        last_took_s: f64,
    },
    /// A command of the user takes long, or continues after an interrupt.
    Waiting(InterruptibleWait<'a>),
    Measured(&'a Summary),
    /// It ended, and does not count.
    Disturbed {
        disturbance: &'a Disturbance,
        /// Whether it is measured again.
        is_again: bool,
    },
}

/// A proof that ended.
#[derive(Debug)]
pub struct ProofEnd {
    pub proof: Proof,
    pub dir: PathBuf,
    /// The exit status; that of a pass if it ended the proof early.
    pub exit_code: u8,
    /// Why the change is still in place, if it is.
    pub not_undone: Option<LeftChangeError>,
}

/// Why nothing could be proven.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// Results cannot be stored.
    #[error(transparent)]
    Out(#[from] RunError),
    /// Results cannot be stored in this folder.
    #[error(transparent)]
    Dir(#[from] RunDirError),
    /// The proof cannot be written.
    #[error(transparent)]
    File(#[from] ProofFileError),
    /// The undo command cannot be stored, or the undo failed.
    #[error(transparent)]
    Left(#[from] LeftChangeError),
    /// Another proof is in progress.
    #[error(transparent)]
    Turn(#[from] ProofLockError),
    /// The change can't be made.
    #[error("cannot make the change: {0}")]
    Change(ShellError),
    /// Undoing the change between two passes fails.
    #[error("cannot undo the change: {0}")]
    Back(ShellError),
    /// It succeeded without effect.
    #[error("the undo command ('{command}') had no effect: {still}. Undo the change manually")]
    NotBack {
        command: String,
        /// The part that is still changed.
        still: String,
    },
    /// No frame was judged, so a pass would have no result.
    #[error("the first run had no frame to judge. Use a --duration of several seconds or more")]
    NothingJudged,
    /// A pass completed no read or write, so it cannot be compared.
    #[error(
        "a pass finished no read or write in its measured time, so there is nothing to compare. Use a \
         longer --duration or smaller --blocks"
    )]
    NothingMeasured,
    /// A pass ended early.
    #[error(transparent)]
    Pass(#[from] PassError),
    /// The passes can't be compared.
    #[error(transparent)]
    Compare(#[from] CompareRunsError),
    /// Passes were disturbed repeatedly.
    #[error(
        "{0} passes were disturbed, as many as were planned, so the proof stopped. See {1} for the causes. \
         Remove the causes, then repeat the proof"
    )]
    TooDisturbed(usize, String),
}

impl ProveError {
    /// The exit status: that of the pass if one failed; otherwise 3, as for every incomplete
    /// measurement, and 2 if nothing was measured.
    pub fn exit_code(&self) -> u8 {
        match self {
            ProveError::Pass(error) => error.exit_code(),
            ProveError::Out(error) => error.exit_code(),
            ProveError::NothingJudged
            | ProveError::NothingMeasured
            | ProveError::Turn(_)
            | ProveError::Left(
                LeftChangeError::NoPlace | LeftChangeError::Folder { .. } | LeftChangeError::NoDirectory(_),
            ) => 2,
            _ => 3,
        }
    }

    /// The error after earlier measurements: a refused pass is then no usage error, because the proof
    /// was interrupted.
    fn in_the_middle(self) -> ProveError {
        match self {
            ProveError::Pass(PassError::Ended { how, said, .. }) => {
                ProveError::Pass(PassError::Ended { how, said, exit_code: BROKE_OFF })
            }
            other => other,
        }
    }
}

/// Proves the effect of a change. The change is undone when this returns, or the error reports that it
/// is not.
///
/// # Errors
/// If nothing could be measured, or the change could not be undone. A later error ends the proof; earlier
/// measurements are kept.
pub fn prove(
    request: &ProveRequest,
    tell: &mut dyn FnMut(&ProveEvent<'_>),
    interrupt: &Interrupt,
) -> Result<ProofEnd, ProveError> {
    // Held until the change is undone.
    let _turn = turn_of(request)?;
    make_out(&request.out)?;
    let verb = request.words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    let name = RunName { start: Timestamp::now().into(), target: &verb, what: WHAT };
    let dir = RunDir::create(&request.out, name)?.path().to_path_buf();
    let mut proving = Proving::begin(request, dir, interrupt)?;
    let came = proving.all(tell).and_then(|()| proving.conclude());
    let has_measured = !proving.proof.first_runs.is_empty();
    let came = came.map_err(|error| if has_measured { error.in_the_middle() } else { error });
    // Undo first, even if something else failed.
    let undone = proving.undo(tell);
    if let Err(error) = &came {
        proving.proof.ended_early = Some(error.to_string());
        proving.proof.is_interrupted = matches!(error, ProveError::Pass(PassError::Interrupted));
    }
    proving.proof.not_undone = undone.as_ref().err().map(ToString::to_string);
    let written = proving.proof.write(&proving.dir);
    if undone.is_ok() {
        written?;
    }
    let exit_code = match (came, &undone) {
        // A change that is still in place matters more than an unwritten result, and than the reason for
        // the end.
        (_, Err(_)) => EXIT_NOT_UNDONE,
        (Err(error), Ok(())) if proving.proof.passes.is_empty() => return Err(error),
        // The first pass accepted the same input, so this is an interruption.
        (Err(ProveError::NothingMeasured), Ok(())) => 3,
        (Err(error), Ok(())) => error.exit_code(),
        (Ok(()), Ok(())) => 0,
    };
    Ok(ProofEnd { exit_code, proof: proving.proof, dir: proving.dir, not_undone: undone.err() })
}

/// The lock, if anything is changed.
fn turn_of(request: &ProveRequest) -> Result<Option<ProofLock>, ProveError> {
    match request.change.undo() {
        Some(_) => Ok(Some(ProofLock::to_change(&own_folder()?)?)),
        None => Ok(None),
    }
}

/// A proof in progress.
struct Proving<'a> {
    request: &'a ProveRequest,
    interrupt: &'a Interrupt,
    dir: PathBuf,
    /// The directory for the user's commands.
    place: PathBuf,
    proof: Proof,
    /// The first pass of each state, which the others must resemble.
    firsts: Vec<Option<Pass>>,
    /// The current state; `None` if unknown.
    state: Option<usize>,
    /// The undo, once it is on disk.
    noted: Option<Noted>,
    /// The target, once it is known, and its mount before the first change.
    target: Option<PathBuf>,
    mount_before: Option<MountBefore>,
    /// Whether a command of the change altered the mount.
    alters_mount: bool,
    last_took_s: f64,
    /// For suites, the tables of the passes of each state that count.
    suites: Vec<Vec<NasptTable>>,
    /// Whether a cache answered the reads of passes that count.
    cached: CachedReads,
    too_few_ops: Option<u64>,
}

impl<'a> Proving<'a> {
    fn begin(
        request: &'a ProveRequest,
        dir: PathBuf,
        interrupt: &'a Interrupt,
    ) -> Result<Proving<'a>, ProveError> {
        let proof = Proof {
            proof_version: PROOF_VERSION,
            written_by: concat!("reelgauge ", env!("CARGO_PKG_VERSION")).to_owned(),
            started_at: Timestamp::now().to_string(),
            workload: request.words.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
            change: request.change.clone(),
            rounds: request.rounds,
            first_runs: Vec::new(),
            passes: Vec::new(),
            complete: false,
            ended_early: None,
            is_interrupted: false,
            conclusion: None,
            not_undone: None,
            pid: std::process::id(),
            process: process::own_mark(),
        };
        let place = std::env::current_dir().map_err(LeftChangeError::NoDirectory)?;
        proof.write(&dir)?;
        let states = request.change.state_count();
        Ok(Proving {
            request,
            interrupt,
            dir,
            place,
            proof,
            firsts: (0..states).map(|_| None).collect(),
            state: request.change.begins_in_first_state().then_some(0),
            noted: None,
            target: None,
            mount_before: None,
            alters_mount: false,
            last_took_s: 0.0,
            suites: vec![Vec::new(); states],
            cached: CachedReads::of_states(states),
            too_few_ops: None,
        })
    }

    /// The run that makes files, and every round.
    fn all(&mut self, tell: &mut dyn FnMut(&ProveEvent<'_>)) -> Result<(), ProveError> {
        let states = self.request.change.state_count();
        // Each target has separate files; otherwise all states share them.
        let with_files = if matches!(self.request.change, Change::Targets { .. }) { states } else { 1 };
        for state in 0..with_files {
            tell(&ProveEvent::FirstRun);
            let first = self.measure(state, tell)?;
            first.summaries().try_for_each(is_comparable)?;
            if first.summaries().any(judges_nothing) {
                return Err(ProveError::NothingJudged);
            }
            self.target.get_or_insert_with(|| PathBuf::from(&first.summary.target.path));
            self.proof.first_runs.push(first.run);
            self.proof.write(&self.dir)?;
        }
        for round in 0..self.request.rounds {
            for state in order::of_round(round, states) {
                self.until_undisturbed(round, state, tell)?;
            }
        }
        self.proof.complete = true;
        Ok(())
    }

    fn until_undisturbed(
        &mut self,
        round: u32,
        state: usize,
        tell: &mut dyn FnMut(&ProveEvent<'_>),
    ) -> Result<(), ProveError> {
        let wanted = self.request.rounds as usize * self.request.change.state_count();
        loop {
            let disturbed = self.proof.disturbed();
            if disturbed >= wanted {
                return Err(ProveError::TooDisturbed(disturbed, self.dir.display().to_string()));
            }
            let number = self.proof.passes.len() + 1;
            let of = wanted + disturbed;
            tell(&ProveEvent::Pass { number, of, state, last_took_s: self.last_took_s });
            let pass = self.measure(state, tell)?;
            pass.summaries().try_for_each(is_comparable)?;
            let disturbance = disturbance_of(&pass, self.firsts[state].as_ref());
            let is_again = disturbed + 1 < wanted;
            tell(&match &disturbance {
                Some(disturbance) => ProveEvent::Disturbed { disturbance, is_again },
                None => ProveEvent::Measured(&pass.summary),
            });
            let is_undisturbed = disturbance.is_none();
            self.proof.passes.push(ProofPass { round, state, run: pass.run.clone(), disturbance });
            self.proof.write(&self.dir)?;
            if is_undisturbed {
                if pass.suite.is_none() {
                    // A suite uses the client's cache on purpose, as its applications did.
                    self.cached.take(state, pass.summary.memory.as_ref());
                    self.too_few_ops = self.too_few_ops.into_iter().chain(too_few_ops(&pass.summary)).min();
                }
                self.suites[state].extend(pass.suite.clone());
                self.firsts[state].get_or_insert(pass);
                return Ok(());
            }
        }
    }

    /// Establishes a state, and measures once.
    fn measure(&mut self, state: usize, tell: &mut dyn FnMut(&ProveEvent<'_>)) -> Result<Pass, ProveError> {
        self.enter(state, tell)?;
        let words = self.request.words_in(state);
        let began = std::time::Instant::now();
        let pass = pass::measure(&self.request.program, &words, &self.dir, self.interrupt)?;
        self.last_took_s = began.elapsed().as_secs_f64();
        Ok(pass)
    }

    fn enter(&mut self, state: usize, tell: &mut dyn FnMut(&ProveEvent<'_>)) -> Result<(), ProveError> {
        if self.interrupt.asked() {
            return Err(PassError::Interrupted.into());
        }
        if self.state == Some(state) {
            return Ok(());
        }
        if let Some(command) = self.request.change.command_to(state) {
            if self.noted.is_none()
                && let Some(undo) = self.request.change.undo()
            {
                self.noted = Some(Noted::write(&own_folder()?, &command, &undo, &self.place)?);
                self.mount_before = self.watched_target().and_then(MountBefore::of);
            }
            // If it fails, its effect is unknown; the undo is run all the same.
            self.state = None;
            let noted = self.noted.as_ref();
            let mut with = CommandOptions {
                directory: &self.place,
                begun: &mut |pid| noted.iter().for_each(|noted| noted.note_running(pid)),
                waiting: &mut |waiting| tell(&ProveEvent::Waiting(*waiting)),
                interrupt: self.interrupt,
                ends_when_asked: false,
            };
            let ran = shell::run(&command, &mut with);
            self.leads_back(state, command, ran)?;
        }
        self.state = Some(state);
        Ok(())
    }

    /// Checks the result of a command that establishes a state: in the first state, nothing may be left
    /// changed.
    fn leads_back(
        &mut self,
        state: usize,
        command: String,
        ran: Result<(), ShellError>,
    ) -> Result<(), ProveError> {
        let changed = self.mount_before.as_ref().and_then(MountBefore::still_changed);
        self.alters_mount |= state != 0 && changed.is_some();
        match (state, ran) {
            (0, Err(source)) => Err(ProveError::Back(source)),
            (_, Err(source)) => Err(ProveError::Change(source)),
            (0, Ok(())) => match self.still_changed() {
                Some(still) => Err(ProveError::NotBack { command, still }),
                None => Ok(()),
            },
            (_, Ok(())) => Ok(()),
        }
    }

    /// The target, if the state before the first command is the one that the undo restores.
    fn watched_target(&self) -> Option<&Path> {
        self.target.as_deref().filter(|_| self.request.change.begins_in_first_state())
    }

    /// The parts of the change that remained after the undo.
    fn still_changed(&self) -> Option<String> {
        self.mount_before.as_ref().filter(|_| self.alters_mount).and_then(MountBefore::still_changed)
    }

    /// Restores the original state. An undo that ran last, between two passes, is not run again.
    fn undo(&mut self, tell: &mut dyn FnMut(&ProveEvent<'_>)) -> Result<(), LeftChangeError> {
        let Some(noted) = self.noted.take() else { return Ok(()) };
        match self.state.is_some_and(|state| self.request.change.is_undone_in(state)) {
            true => noted.forget(),
            false => {
                let waiting = &mut |waiting: &InterruptibleWait<'_>| tell(&ProveEvent::Waiting(*waiting));
                noted.undo(waiting, self.interrupt, &|| self.still_changed())
            }
        }
    }

    fn conclude(&mut self) -> Result<(), ProveError> {
        let states = self.request.change.state_count();
        let passes: Vec<&ProofPass> = (0..states).flat_map(|state| self.proof.counting(state)).collect();
        let dirs: Vec<PathBuf> = passes.iter().map(|pass| self.dir.join(&pass.run)).collect();
        let rounds = self.request.rounds as usize;
        let suites: Vec<&NasptTable> = self.suites.iter().flatten().collect();
        let rows = match suites.len() == dirs.len() {
            true => suite_sides(&suites, rounds).map_err(CompareRunsError::from)?,
            false => compare_sides(&dirs, rounds)?.rows,
        };
        let sent_again: Vec<Option<f64>> = dirs.iter().map(|dir| sent_again(dir)).collect();
        let cached = self.cached.clone();
        let conclusion = ProofConclusion::new(&rows, rounds, &sent_again, cached);
        let mut points = self.firsts.iter().flatten().flat_map(|pass| &pass.summary.load_points);
        let limited = points.find(|point| sets_the_figure(point)).and_then(|point| point.held_back);
        self.proof.conclusion = Some(ProofConclusion {
            too_few_ops: self.too_few_ops,
            limited_to_bytes_per_s: limited.map(|held| held.max_bytes_per_s),
            ..conclusion
        });
        Ok(())
    }
}

/// Refuses a run with a load point in which nothing was measured: that is not 0 MB/s.
fn is_comparable(run: &Summary) -> Result<(), ProveError> {
    match run.load_points.iter().any(|point| point.not_measured.is_some()) {
        true => Err(ProveError::NothingMeasured),
        false => Ok(()),
    }
}

/// Whether there were streams, and no frame of any had its deadline in the measured part.
fn judges_nothing(run: &Summary) -> bool {
    let mut streams = run.load_points.iter().filter_map(|point| point.streams.as_ref()).peekable();
    streams.peek().is_some() && streams.all(|streams| streams.total.frames_judged == 0)
}

/// The disturbance of a pass: of any of its runs, compared with the same run of the first pass.
fn disturbance_of(pass: &Pass, first: Option<&Pass>) -> Option<Disturbance> {
    let mut firsts = first.into_iter().flat_map(Pass::summaries);
    pass.summaries().find_map(|summary| disturbance(summary, firsts.next()))
}

/// TCP segments that the local host retransmitted during a run; `None` if they were not counted.
fn sent_again(run: &Path) -> Option<f64> {
    let (layer, name) = SENT_AGAIN;
    match Suite::read(run) {
        // If a run of a suite lacks it, there is no sum.
        Ok(suite) => {
            let each: Option<Vec<f64>> =
                suite.runs.iter().map(|one| mean_of_counter(&run.join(one), layer, name)).collect();
            each.filter(|each| !each.is_empty()).map(|each| each.iter().sum::<f64>() / each.len() as f64)
        }
        Err(_) => mean_of_counter(run, layer, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first run accepted the same command: a later refusal is not wrong usage.
    #[test]
    fn a_pass_that_is_refused_in_the_middle_breaks_the_proof_off() {
        let ended = |exit_code| {
            ProveError::Pass(PassError::Ended { how: String::new(), said: String::new(), exit_code })
        };
        assert_eq!((ended(2).exit_code(), ended(2).in_the_middle().exit_code()), (2, 3));
        assert_eq!(ProveError::Pass(PassError::Interrupted).in_the_middle().exit_code(), 130);
        assert_eq!(ProveError::NothingJudged.in_the_middle().exit_code(), 2);
    }
}
