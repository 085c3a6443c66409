//! One load point of a session: announced before it begins, driven, judged, and kept with its figures.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use reelgauge_analysis::LoadPoint;
use reelgauge_analysis::figures::Figures;
use reelgauge_analysis::late::{MeasuredPart, StreamSpec};
use reelgauge_analysis::rates::RateSpec;
use reelgauge_analysis::summary::{HeldBack, LoadPointFacts, Unanswered};
use reelgauge_engine::driver::{Context, Window, Worker, threads_for};
use reelgauge_workload::script::Script;

use super::Session;
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::{Observer, PointAhead, Start};
use crate::session::drive::{BEAT, Ending, PointEnd, PointSetup, run_point};
use crate::session::failure::sentence;
use crate::session::free_space_watch::RoomWatch;
use crate::session::interference::FilesBefore;
use crate::session::live_verdict::{Judged, Judging, measured_part};
use reelgauge_results::load_points::{self, LoadPointPlan, TriedFormat};
use reelgauge_results::stream_table::{self, PointStreams};

/// The threads are started and get their memory this long before an agreed start.
const GETS_READY_NS: u64 = 500_000_000;
/// The number of pauses of Reelgauge to keep for a load point. A host with more cannot measure at all.
const PAUSES_WRITTEN: usize = 10_000;

/// The settings of a load point without its workers.
#[derive(Clone, Debug, Default)]
pub struct PointPlan {
    /// Its label on screens.
    pub label: String,
    /// The value that is swept.
    pub sweep_value: Option<String>,
    /// Excluded from the figures.
    pub warmup_ns: u64,
    /// Included in the figures.
    pub measured_ns: u64,
    /// The reason to report if the load point ends early because all workers completed their work; `None`
    /// if that needs no mention.
    pub exhausted: Option<&'static str>,
    /// The objects to judge while it runs; `None` in runs without streams.
    pub to_judge: Option<ToJudge>,
    /// Whether silences of the storage are wanted although no streams are judged.
    pub finds_silences: bool,
    /// The format that is tried, in a quick check.
    pub tried: Option<TriedFormat>,
}

/// The objects to judge in a load point.
#[derive(Clone, Debug, Default)]
pub struct ToJudge {
    /// The multiple of the plan's actors.
    pub scale: u32,
    /// The streams that have frames.
    pub specs: Vec<StreamSpec>,
    /// The workers that have a rate.
    pub rates: Vec<RateSpec>,
    /// Whether the bytes of each second are wanted even if neither streams nor rates are judged.
    pub flow: bool,
}

/// The results of a load point apart from those in the session's last [`LoadPoint`].
#[derive(Debug)]
pub struct PointDone<S> {
    /// The workers that ended normally, by number.
    pub workers: Vec<Worker<S>>,
    /// All workers together.
    pub total: Figures,
    /// Late frames and rates.
    pub judged: Judged,
    /// The period that was judged.
    pub part: MeasuredPart,
    /// Whether it was complete. In a load point that was stopped, missing operations may just have been
    /// cut off.
    pub complete: bool,
}

impl Session {
    /// Runs a load point and keeps its figures. However it ends, that is no error: see
    /// [`Session::goes_on`].
    ///
    /// # Errors
    /// If it can't begin, or its results can't be kept.
    pub fn point<S: Script + 'static>(
        &mut self,
        plan: PointPlan,
        workers: Vec<Worker<S>>,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<PointDone<S>, RunError> {
        let finds_silences = plan.finds_silences;
        let PointPlan { label, sweep_value, warmup_ns, measured_ns, exhausted, to_judge, tried, .. } = plan;
        let index = self.next_index().expect("the planner of load points requests their numbers");
        let workers_count = workers.len() as u32;
        let ahead = PointAhead { index, label: &label, workers: workers_count, warmup_ns, measured_ns };
        let start_ns = self.agreed_start(&ahead, observer, interrupt)?;
        let facts = LoadPointFacts { label, workers: workers_count, sweep_value, ended_early: None };
        let context = Arc::new(Context {
            clock: self.clock,
            area: Some(self.locked.area.dir().clone()),
            files: self.files.targets().to_vec(),
            read_only: self.files.read_only().clone(),
            pattern: self.pattern,
            write_map: self.write_map.clone(),
            point: index,
            window: Window::new(warmup_ns, measured_ns).not_before(start_ns.unwrap_or(0)),
            stop: AtomicBool::new(false),
            throttle: self.locked.area.throttle(),
            internal_store: None,
        });
        let started_ns = start_ns.unwrap_or_else(|| self.clock.now_ns());
        if context.throttle.is_some() {
            self.drain.has_limit()?;
        }
        self.announce((index, started_ns), &facts, (warmup_ns, measured_ns), tried)?;
        self.enlist(to_judge.as_ref())?;
        if let Some(to_judge) = to_judge.as_ref().filter(|to_judge| to_judge.has_work()) {
            let ToJudge { specs, rates, .. } = to_judge.clone();
            self.drain.judge(Judging::new(Arc::clone(&context), specs, rates))?;
        } else if finds_silences {
            self.drain.judge(Judging::new(Arc::clone(&context), Vec::new(), Vec::new()))?;
        }
        let unchanged = self.unchanged_files.as_deref();
        let before =
            FilesBefore::inspect_files(self.locked.area.dir(), &self.locked.mount, &self.files, unchanged);
        let setup = PointSetup {
            kind: self.driver,
            context: Arc::clone(&context),
            label: facts.label.clone(),
            mount: &self.locked.mount,
            hang_after: self.hang_after,
            drain: &self.drain,
            rings: self.rings,
            interrupt,
            counters: self.counters.as_ref(),
            room: if to_judge.is_some() { self.room_watch()? } else { None },
        };
        let threads = threads_for(self.driver, workers.len()) as u32;
        let end = run_point(&setup, workers, observer)?;
        let done = self.keep(facts, exhausted, (end, before), &context, to_judge, interrupt)?;
        if let Some(point) = self.done.last_mut() {
            point.threads = Some(threads);
            let begun_ns = context.window.begun_ns();
            point.start_skew_ns = start_ns.map(|start_ns| begun_ns.cast_signed() - start_ns.cast_signed());
        }
        observer.point_over(index, done.complete);
        Ok(done)
    }

    /// Watches whether enough space stays free. A simulated world has no such watch.
    fn room_watch(&self) -> Result<Option<RoomWatch>, RunError> {
        #[cfg(test)]
        if self.clock.world().is_some() {
            return Ok(None);
        }
        RoomWatch::start(&self.locked.area).map(Some).map_err(RunError::io("start a thread"))
    }

    /// The start of a load point, if it is agreed on with others. Nothing is loaded until then.
    fn agreed_start(
        &self,
        ahead: &PointAhead<'_>,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Option<u64>, RunError> {
        let run_ns = match observer.begins(ahead, interrupt) {
            Start::Now => return Ok(None),
            Start::Never => return Err(RunError::StoppedWaiting(interrupt.by())),
            Start::At { run_ns } => run_ns,
        };
        // Threads that are ready wait for the rest of the time, and cannot be called back. Saturating,
        // because an agreed start may be arbitrarily late.
        while self.clock.now_ns().saturating_add(GETS_READY_NS) < run_ns {
            if interrupt.asked() {
                return Err(RunError::StoppedWaiting(interrupt.by()));
            }
            self.clock.sleep(BEAT);
        }
        Ok(Some(run_ns))
    }

    /// Writes down the planned times of a load point, in case the process is killed during it.
    fn announce(
        &mut self,
        (index, started_ns): (u16, u64),
        facts: &LoadPointFacts,
        (warmup_ns, measured_ns): (u64, u64),
        tried: Option<TriedFormat>,
    ) -> Result<(), RunError> {
        let warmup_until_ns = started_ns + warmup_ns;
        self.planned.push(LoadPointPlan {
            index,
            label: facts.label.clone(),
            workers: facts.workers,
            sweep_value: facts.sweep_value.clone(),
            max_bytes_per_s: self.locked.area.throttle().map(|throttle| throttle.bytes_per_s().get()),
            tried,
            started_ns,
            warmup_until_ns,
            end_ns: warmup_until_ns + measured_ns,
        });
        Ok(load_points::write(&self.run_dir, &self.planned)?)
    }

    /// Writes down the streams of a load point, as far as they are known in advance.
    fn enlist(&mut self, to_judge: Option<&ToJudge>) -> Result<(), RunError> {
        let (Some(to_judge), Some(planned)) = (to_judge, self.planned.last()) else {
            return Ok(());
        };
        let part = MeasuredPart {
            point: planned.index,
            started_ns: planned.started_ns,
            from_ns: planned.warmup_until_ns,
            until_ns: planned.end_ns,
        };
        self.table.points.push(PointStreams::new(to_judge.scale, part, to_judge.specs.clone()));
        Ok(stream_table::write(&self.run_dir, &self.table)?)
    }

    /// Takes the end of a load point. Returns the reason as text if it ended early.
    fn take_ending(
        &mut self,
        ending: Ending,
        before: FilesBefore,
        exhausted: Option<&'static str>,
        interrupt: &Interrupt,
    ) -> Option<String> {
        self.ending = ending;
        let came_short = matches!(&self.ending, Ending::Failed(record) if record.errno == 0);
        if came_short || matches!(self.ending, Ending::OnTime | Ending::Exhausted) {
            // Open files continue to work when they are removed, and would count as measured; and a file
            // that was shortened may have been made long again since.
            if let Some(found) = before.meddling() {
                self.ending = Ending::Meddled(found);
            }
        }
        match &self.ending {
            Ending::Exhausted => exhausted.map(str::to_owned),
            other => sentence(other, &self.circumstances(interrupt)),
        }
    }

    /// Keeps the results of a load point.
    fn keep<S>(
        &mut self,
        mut facts: LoadPointFacts,
        exhausted: Option<&'static str>,
        (end, before): (PointEnd<S>, FilesBefore),
        context: &Context,
        to_judge: Option<ToJudge>,
        interrupt: &Interrupt,
    ) -> Result<PointDone<S>, RunError> {
        // First of all, so that no step below touches storage that no longer answers.
        self.driver_notes = end.notes;
        self.left_behind += end.left_behind;
        let unanswered = (end.left_behind > 0).then(|| Unanswered {
            threads: u32::try_from(end.left_behind).unwrap_or(u32::MAX),
            for_s: (end.unanswered_for.as_secs_f64() * 1e3).round() / 1e3,
        });
        facts.ended_early = self.take_ending(end.ending, before, exhausted, interrupt);
        let figures = self.drain.finish_point(context.point, end.ran)?;
        // Empty if nothing was to be judged.
        let judged = self.drain.finish_judging()?.unwrap_or_default();
        self.rereads.extend(self.drain.finish_rereads(context.point)?);
        let total = figures.total.clone();
        let mut point = LoadPoint::new(facts, figures);
        point.held_back = context.throttle.as_ref().map(|throttle| HeldBack {
            max_bytes_per_s: throttle.bytes_per_s().get(),
            operations: throttle.held_operations(),
        });
        point.unanswered = unanswered;
        point.rates.clone_from(&judged.rates);
        point.rates_mean_response_ms = judged.rates_mean_response_ms;
        let has_streams = to_judge.as_ref().is_some_and(|to_judge| !to_judge.specs.is_empty());
        point.streams = has_streams.then(|| judged.late.clone());
        let number = usize::from(context.point);
        assert_eq!(number, self.done.len(), "load points are kept in the order of their numbers");
        self.done.push(point);
        let part = measured_part(context);
        if let Some(planned) = self.planned.last_mut() {
            assert_eq!(planned.index, context.point, "the load point that was announced is the one that ran");
            planned.warmup_until_ns = part.from_ns;
        }
        if let Some(to_judge) = to_judge {
            // Now the start is known to the nanosecond, and whether the load point was stopped.
            let until_ns = if has_streams { judged.until_ns.min(part.until_ns) } else { part.until_ns };
            let enlisted = self.table.points.pop().map(|enlisted| enlisted.point);
            assert_eq!(enlisted, Some(context.point), "the registered streams are those that ran");
            let streams =
                PointStreams::new(to_judge.scale, MeasuredPart { until_ns, ..part }, to_judge.specs);
            let pauses = judged.pauses.iter().copied().take(PAUSES_WRITTEN).collect();
            self.table.points.push(PointStreams { pauses, waits: judged.waits.clone(), ..streams });
            stream_table::write(&self.run_dir, &self.table)?;
        }
        let complete = matches!(self.ending, Ending::OnTime | Ending::Exhausted);
        Ok(PointDone { workers: end.workers, total, judged, part, complete })
    }
}

impl ToJudge {
    fn has_work(&self) -> bool {
        self.flow || !(self.specs.is_empty() && self.rates.is_empty())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::time::Duration;

    use super::*;
    use crate::session::drain::PointRan;
    use crate::session::tests::session;

    fn facts() -> LoadPointFacts {
        LoadPointFacts { label: "a".to_owned(), workers: 0, sweep_value: None, ended_early: None }
    }

    /// Keeps a load point without workers, as the session does after it ran.
    fn keep(session: &mut Session, number: u16, to_judge: Option<ToJudge>) {
        let context = Context {
            clock: session.clock,
            area: None,
            files: Vec::new(),
            read_only: session.files.read_only().clone(),
            pattern: session.pattern,
            write_map: None,
            point: number,
            window: Window::new(0, 1),
            stop: AtomicBool::new(false),
            throttle: None,
            internal_store: None,
        };
        let end = PointEnd::<()> {
            workers: Vec::new(),
            ran: PointRan { started_ns: 0, measured_from_ns: 0, over_ns: 1 },
            ending: Ending::OnTime,
            left_behind: 0,
            unanswered_for: Duration::ZERO,
            notes: Vec::new(),
        };
        let before = FilesBefore::inspect_files(
            session.locked.area.dir(),
            &session.locked.mount,
            &session.files,
            None,
        );
        session.drain.attach(number, Vec::new()).unwrap();
        session.keep(facts(), None, (end, before), &context, to_judge, &Interrupt::default()).unwrap();
    }

    #[test]
    #[should_panic(expected = "load points are kept in the order of their numbers")]
    fn a_load_point_that_skips_a_number_is_a_defect() {
        let folder = tempfile::tempdir().unwrap();
        keep(&mut session(folder.path()), 1, None);
    }

    #[test]
    #[should_panic(expected = "the load point that was announced is the one that ran")]
    fn a_load_point_that_was_not_announced_is_a_defect() {
        let folder = tempfile::tempdir().unwrap();
        let mut session = session(folder.path());
        session.announce((1, 0), &facts(), (0, 1), None).unwrap();
        keep(&mut session, 0, None);
    }

    #[test]
    #[should_panic(expected = "the registered streams are those that ran")]
    fn streams_that_were_not_enlisted_are_a_defect() {
        let folder = tempfile::tempdir().unwrap();
        keep(&mut session(folder.path()), 0, Some(ToJudge::default()));
    }
}
