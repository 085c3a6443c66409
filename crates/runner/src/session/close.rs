//! The end of a session: its remains in the cache, its writes read back, its summary, written before
//! anything is removed, and its `report.html`.

use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::Duration;

use reelgauge_analysis::{Note, NoteFact, Outcome, Summary, silence, statement};
use reelgauge_engine::verify::Patterns;
use reelgauge_record::run_dir::RunDir;
use reelgauge_report::note::{files_left_note, no_page_note};

use super::report_file::leave_report;
use super::{Session, incident_causes};
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::session::cpu_time::ProcessCpuTime;
use crate::session::drive::Ending;
use crate::session::failure::sentence;
use crate::session::finished_run::Finished;
use crate::session::locked_target::LockedTarget;
use crate::session::run_summary::{CacheTraces, MeasuredSubject, RunFacts, summarise};
use crate::session::scratch_files::MadeFiles;
use crate::session::verify::{Verified, read_back};
use reelgauge_results::limiting_layers::limits_into;
use reelgauge_results::page::REPORT_FILE;
use reelgauge_results::run_context::beside_into;
use reelgauge_results::run_notes;

/// The time limit for a quick check of storage that may be dead.
const LOOK: Duration = Duration::from_secs(1);

/// The parts of a session's end.
#[derive(Debug)]
pub struct Closing {
    /// The subject of the measurement.
    pub subject: MeasuredSubject,
    /// The files that the workers made, if they could.
    pub made: Option<MadeFiles>,
}

impl Session {
    /// Ends the session: its summary, with the additions of `conclude`, written and returned. The
    /// workers' files are removed; if that fails, the summary reports it.
    ///
    /// # Errors
    /// If the summary cannot be written.
    pub fn end(
        self,
        closing: Closing,
        conclude: impl FnOnce(&mut Summary, &LockedTarget),
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Finished, RunError> {
        Ok(self.sum_up(closing, conclude, observer, interrupt)?.report(observer, interrupt))
    }

    /// Everything but the report.
    pub(crate) fn sum_up(
        mut self,
        closing: Closing,
        conclude: impl FnOnce(&mut Summary, &LockedTarget),
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Closed, RunError> {
        observer.load_over(matches!(self.ending, Ending::OnTime | Ending::Exhausted), interrupt);
        let Closing { subject, mut made } = closing;
        // Before reading back fills the cache, which the run may have bypassed.
        let traces = self.traces();
        if let Some(made) = made.as_mut().filter(|_| !self.answers()) {
            made.leave();
        }
        let verified = self.verify(observer, interrupt);
        if let Some(ending) = verified.as_ref().and_then(Verified::ending) {
            self.ending = ending;
        }
        let reason = sentence(&self.ending, &self.circumstances(interrupt));
        let is_sampled = self.counters.is_some();
        let trouble = self.counters.take().and_then(|counters| counters.finish().trouble);
        self.notes.extend(trouble.map(|trouble| Note::new(NoteFact::NotSampled, trouble, "")));
        incident_causes::incidents(&mut self.done, self.run_dir.path(), self.link.as_ref(), &self.clock);
        if matches!(self.ending, Ending::Meddled(_)) {
            incident_causes::blame_nobody(&mut self.done);
        }
        let drained = self.drain.finish()?;
        let mut summary = summarise(RunFacts {
            subject,
            locked: &self.locked,
            run_dir: self.run_dir.path(),
            started: self.started,
            load_points: self.done,
            drained,
            cpu: self
                .cpu_before
                .filter(|_| is_sampled)
                .and_then(|before| Some(ProcessCpuTime::now()?.since(before))),
            cached_before: self.cached_before,
            traces,
            rereads: self.rereads,
            ending: self.ending,
            reason,
            stopped_by: interrupt.by(),
            driver_notes: self.driver_notes,
            verified,
            notes: self.notes,
        });
        run_notes::put_into(&mut summary, self.run_dir.path());
        summary.link = self.link;
        limits_into(&mut summary, self.run_dir.path(), &self.planned);
        conclude(&mut summary, &self.locked);
        silence::unify(&mut summary);
        beside_into(&mut summary, self.run_dir.path(), &self.planned);
        summary.statement = Some(statement::of(&summary));
        self.run_dir.write_summary(&summary).map_err(RunError::NotKept)?;
        let cleared = clear_away(made, &self.locked, &mut summary);
        if cleared.is_some_and(|cleared| !cleared) {
            // The figures are already written: a note that can't be added is no reason to fail.
            let _ = self.run_dir.write_summary(&summary);
        }
        Ok(Closed { summary, locked: self.locked, run_dir: self.run_dir, cleared })
    }
}

/// The rest of a session whose summary is written.
pub(crate) struct Closed {
    pub(crate) summary: Summary,
    locked: LockedTarget,
    run_dir: RunDir,
    cleared: Option<bool>,
}

impl Closed {
    fn report(self, observer: &mut dyn Observer, interrupt: &Interrupt) -> Finished {
        let Closed { mut summary, locked, run_dir, cleared } = self;
        observer.phase("reporting");
        if let Err(error) = leave_report(run_dir.path(), &summary, interrupt) {
            summary.notes.push(no_page_note(REPORT_FILE, &error.to_string()));
            // The figures are safe without the note.
            let _ = run_dir.write_summary(&summary);
        }
        observer.finished();
        if !matches!(summary.outcome, Outcome::Complete) && cleared != Some(true) {
            // Closing files on a dead mount may never return.
            std::mem::forget(locked);
        }
        Finished { summary, run_dir: run_dir.path().to_path_buf() }
    }
}

impl Session {
    /// Whether the storage still answers, as far as is known.
    fn answers(&self) -> bool {
        // A driver that failed may have left operations in the kernel.
        self.left_behind == 0 && !matches!(self.ending, Ending::Hung { .. } | Ending::Driver(_))
    }

    /// The run's remains in the client's cache. Not read on storage that no longer answers, nor on
    /// doubtful storage while the user waits for the end.
    fn traces(&mut self) -> CacheTraces {
        let is_interrupted = matches!(self.ending, Ending::Interrupted);
        if !self.answers() || self.doubtful && is_interrupted {
            return CacheTraces::default();
        }
        if !self.doubtful {
            let at = (&self.locked.mount, self.locked.area.dir());
            return CacheTraces::left(at, &self.files.test_paths(), self.fetched_before);
        }
        // The run did not end in a load point, so the state of the storage is unknown.
        let (sender, answer) = channel();
        let (mount, area) = (self.locked.mount.clone(), self.locked.area.dir().clone());
        let fetched_before = self.fetched_before;
        let paths: Vec<PathBuf> = self.files.test_paths().into_iter().map(PathBuf::from).collect();
        std::thread::spawn(move || {
            let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
            // The receiver is dropped if the storage took too long.
            let _ = sender.send(CacheTraces::left((&mount, &area), &paths, fetched_before));
        });
        answer.recv_timeout(LOOK).unwrap_or_else(|_| {
            self.left_behind += 1;
            CacheTraces::default()
        })
    }

    /// Reads back the run's writes, if that was requested and the storage still answers.
    fn verify(&self, observer: &mut dyn Observer, interrupt: &Interrupt) -> Option<Verified> {
        let (map, before) = self.write_map.as_ref().zip(self.made_before)?;
        if !matches!(self.ending, Ending::OnTime | Ending::Exhausted) {
            return Some(Verified::Skipped(
                "the run did not complete, so its data was not read back".to_owned(),
            ));
        }
        observer.phase("verifying");
        let files = self.files.targets();
        Some(read_back(
            &self.locked.area,
            files,
            Patterns { run: self.pattern, before },
            map,
            self.hang_after,
            observer,
            interrupt,
        ))
    }
}

/// Removes the workers' files. Returns whether they no longer exist; `None` if there were none.
fn clear_away(made: Option<MadeFiles>, locked: &LockedTarget, summary: &mut Summary) -> Option<bool> {
    let mut made = made?;
    made.scratch()?;
    let Err(error) = made.remove() else {
        return Some(true);
    };
    summary.notes.push(files_left_note(&locked.area.root().display().to_string(), &error.to_string()));
    Some(false)
}
