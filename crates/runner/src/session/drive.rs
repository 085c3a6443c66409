//! One load point: starts the driver, watches it, and determines how it ended.
//!
//! The watching thread does no I/O on the target, so it can always act: on Ctrl-C, on the first error,
//! on threads that make no progress. Threads that do not come back are abandoned; all their records are
//! kept.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use reelgauge_analysis::Counts;
use reelgauge_analysis::late::LateNow;
use reelgauge_engine::driver::{
    AllEnded, Context, DriverError, DriverKind, Running, ThreadEnd, Worker, start, threads_for,
};
use reelgauge_machine::mount::Mount;
use reelgauge_machine::sample::Sampling;
use reelgauge_record::OpRecord;
use reelgauge_workload::script::Script;

use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::{Live, Observer, STREAMS_MOST, Waiting};
use crate::session::drain::{Drain, LiveCounts, PointRan};
use crate::session::free_space_watch::{RoomWatch, SpaceShortage};
use crate::session::interference::Interference;
use crate::session::sink::{RingRoom, RingSink, rings};

/// The interval of the watcher's checks.
pub(crate) const BEAT: Duration = Duration::from_millis(50);
/// The interval of updates of the display.
const LIVE_EVERY: Duration = Duration::from_millis(250);
/// The interval of checks of the mount table.
const LOOK_AT_MOUNT_EVERY: Duration = Duration::from_secs(1);
/// How long threads may take to end after the order: an interrupted run must be over in 2 s.
const GRACE: Duration = Duration::from_millis(1500);

/// How a load point ended.
#[derive(Debug)]
pub enum Ending {
    /// Its time was over.
    OnTime,
    /// Every worker had completed its work.
    Exhausted,
    /// The user stopped it.
    Interrupted,
    /// Another program removed or shortened files of the run.
    Meddled(Interference),
    /// An operation failed, or moved less than requested.
    Failed(Box<OpRecord>),
    /// The storage did not answer.
    Hung {
        /// Threads with an operation in flight.
        threads: usize,
        /// The age of the oldest of these operations.
        longest: Duration,
    },
    /// The target was unmounted. Open files continue to work, but the path no longer shows the storage.
    Unmounted,
    /// The driver failed.
    Driver(DriverError),
    /// Threads of the driver died, which only a defect can cause.
    Died {
        /// The number of threads.
        threads: usize,
    },
    /// It was measured, but its writes could not be read back completely.
    NotReadBack {
        why: String,
        /// Whether the user stopped it.
        is_interrupted: bool,
    },
    /// Other programs filled the storage: less is free than must stay free.
    Crowded(SpaceShortage),
    /// A failure outside load points: files for the next one could not be made, or results could
    /// not be kept.
    Stopped(Box<RunError>),
}

/// The result of a load point.
#[derive(Debug)]
pub struct PointEnd<S> {
    /// The workers that ended normally, by number.
    pub workers: Vec<Worker<S>>,
    /// When it ran.
    pub ran: PointRan,
    /// How it ended.
    pub ending: Ending,
    /// Threads that were abandoned with an operation in flight.
    pub left_behind: usize,
    /// The age of the oldest of those operations at that time.
    pub unanswered_for: Duration,
    /// Notes of the driver, for example on fallbacks.
    pub notes: Vec<String>,
}

/// The settings of a load point without its workers.
pub struct PointSetup<'a> {
    /// The driver that performs the operations.
    pub kind: DriverKind,
    /// Shared with the driver threads.
    pub context: Arc<Context>,
    /// Its label on the display.
    pub label: String,
    /// The mount that is measured.
    pub mount: &'a Mount,
    /// The time limit for a target that does not answer.
    pub hang_after: Duration,
    /// The receiver of records.
    pub drain: &'a Drain,
    /// The largest number of records that wait there.
    pub rings: RingRoom,
    /// Set when the run is to end.
    pub interrupt: &'a Interrupt,
    /// Samples counters during it, and checks where the measured time begins and ends.
    pub counters: Option<&'a Sampling>,
    /// Checks that enough space stays free; `None` in simulations.
    pub room: Option<RoomWatch>,
}

/// Runs a load point to its end.
pub fn run_point<S: Script + 'static>(
    setup: &PointSetup<'_>,
    workers: Vec<Worker<S>>,
    observer: &mut dyn Observer,
) -> Result<PointEnd<S>, RunError> {
    let worker_count = workers.len() as u32;
    // Without workers any driver will do, and threads exist on every system.
    let kind = if worker_count == 0 { DriverKind::Threads } else { setup.kind };
    let (sinks, sources) = rings(threads_for(kind, workers.len()), setup.rings);
    let threads = sinks.len();
    setup.drain.attach(setup.context.point, sources)?;
    let running = start(kind, workers, sinks, &setup.context)?;
    observer.point_began(setup.context.point, setup.context.window.begun_ns());
    let mut watch = Watch {
        setup,
        running,
        ended: EndedThreads::new(threads),
        reason: None,
        stopped_ns: None,
        mount_looked_ns: setup.context.clock.now_ns(),
        is_measuring: false,
        display: Display::default(),
    };
    let over = if worker_count == 0 { watch.idle(observer) } else { watch.until_over(observer) };
    let watched = over.and_then(|()| watch.show(observer, true));
    if let Err(error) = watched {
        watch.abandon();
        return Err(error);
    }
    // The drain has taken everything by now: one of the very last operations may have failed.
    watch.look_for_failure();
    Ok(watch.end(worker_count))
}

/// The driver threads that have ended, and their results.
struct EndedThreads<S> {
    workers: Vec<Worker<S>>,
    /// The number that have not ended yet.
    threads_left: usize,
    finished_scripts: u32,
    /// Each note once.
    notes: Vec<String>,
}

impl<S> EndedThreads<S> {
    fn new(threads: usize) -> EndedThreads<S> {
        EndedThreads { workers: Vec::new(), threads_left: threads, finished_scripts: 0, notes: Vec::new() }
    }

    /// Takes a thread's result. Returns the error of its driver, if it failed.
    fn take<K>(&mut self, end: ThreadEnd<S, K>) -> Option<DriverError> {
        assert!(self.threads_left > 0, "a thread reports its end only once");
        self.threads_left -= 1;
        self.finished_scripts += end.finished_scripts;
        self.workers.extend(end.workers);
        for note in end.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        end.failure
    }

    /// The workers, by number.
    fn into_workers(mut self) -> Vec<Worker<S>> {
        self.workers.sort_by_key(|worker| worker.id);
        assert!(self.workers.is_sorted_by(|one, next| one.id < next.id), "a worker is returned only once");
        self.workers
    }
}

struct Watch<'a, S> {
    setup: &'a PointSetup<'a>,
    running: Running<S, RingSink>,
    ended: EndedThreads<S>,
    /// Why it ends early, once that is decided.
    reason: Option<Ending>,
    stopped_ns: Option<u64>,
    mount_looked_ns: u64,
    /// Whether the end of the warm-up was noticed.
    is_measuring: bool,
    display: Display,
}

impl<S: Script + 'static> Watch<'_, S> {
    fn until_over(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        loop {
            match self.running.next_end(BEAT) {
                // A thread that ended without a message has panicked.
                Err(AllEnded) => {
                    if self.ended.threads_left > 0 {
                        self.stop(Ending::Died { threads: self.ended.threads_left });
                    }
                    self.ended.threads_left = 0;
                    return Ok(());
                }
                Ok(Some(end)) => {
                    if let Some(error) = self.ended.take(end) {
                        self.stop(Ending::Driver(error));
                    }
                }
                Ok(None) => {}
            }
            self.look();
            if self.is_hopeless() {
                return self.give_up();
            }
            if self.display.is_due(self.now_ns()) {
                self.show(observer, false)?;
            }
        }
    }

    /// Waits for the end of a load point in which this host has no work while others have.
    fn idle(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let window = &self.setup.context.window;
        while self.reason.is_none() && self.now_ns() < window.end_ns() {
            // The end may come between the two readings.
            let left_ns = window.end_ns().saturating_sub(self.now_ns());
            self.setup.context.clock.sleep(BEAT.min(Duration::from_nanos(left_ns)));
            self.look();
            if self.display.is_due(self.now_ns()) {
                self.show(observer, false)?;
            }
        }
        Ok(())
    }

    fn show(&mut self, observer: &mut dyn Observer, is_over: bool) -> Result<(), RunError> {
        let (threads, longest) = self.stuck();
        let longest_in_flight = (threads > 0).then_some(longest);
        self.display.show(self.setup, observer, longest_in_flight, is_over)
    }

    /// Counters are meaningful only between two samples.
    fn look_at_counters(&self) {
        if let Some(counters) = self.setup.counters {
            counters.look_now();
        }
    }

    /// Checks for reasons to stop.
    fn look(&mut self) {
        if !self.is_measuring && self.now_ns() >= self.setup.context.window.warmup_until_ns() {
            self.is_measuring = true;
            self.look_at_counters();
        }
        if self.setup.interrupt.asked() {
            self.stop(Ending::Interrupted);
        }
        self.look_for_failure();
        match self.dead() {
            0 => {}
            threads => self.stop(Ending::Died { threads }),
        }
        if self.since(self.mount_looked_ns) >= LOOK_AT_MOUNT_EVERY {
            self.mount_looked_ns = self.now_ns();
            if self.setup.mount.is_still_there() == Some(false) {
                self.stop(Ending::Unmounted);
            }
        }
        if let Some(crowded) = self.setup.room.as_ref().and_then(RoomWatch::crowded) {
            self.stop(Ending::Crowded(crowded));
        }
        let (threads, longest) = self.stuck();
        if longest >= self.setup.hang_after {
            self.stop(Ending::Hung { threads, longest });
        }
    }

    fn look_for_failure(&mut self) {
        if let Some(record) = self.setup.drain.first_failure() {
            self.stop(Ending::Failed(Box::new(*record)));
        }
    }

    /// Ends a load point whose results can no longer be taken: nothing may continue in the background.
    /// Threads that do not come back are abandoned.
    fn abandon(&mut self) {
        self.setup.context.stop.store(true, Ordering::Relaxed);
        let told_ns = self.now_ns();
        while self.since(told_ns) < GRACE && self.running.next_end(BEAT).is_ok() {}
    }

    /// The first reason counts.
    fn stop(&mut self, reason: Ending) {
        if self.reason.is_none() {
            self.reason = Some(reason);
            let now_ns = self.now_ns();
            self.stopped_ns = Some(now_ns);
            self.setup.context.window.cut(now_ns);
            self.setup.context.stop.store(true, Ordering::Relaxed);
        }
    }

    fn now_ns(&self) -> u64 {
        self.setup.context.clock.now_ns()
    }

    /// How long ago that was, by the run's clock.
    fn since(&self, earlier_ns: u64) -> Duration {
        Duration::from_nanos(self.now_ns() - earlier_ns)
    }

    /// Threads that panicked and return nothing.
    fn dead(&self) -> usize {
        self.running.heartbeats.iter().filter(|beat| beat.has_died()).count()
    }

    /// Threads with an operation in flight, and the age of the oldest one.
    fn stuck(&self) -> (usize, Duration) {
        let now_ns = self.now_ns();
        let beats = self.running.heartbeats.iter();
        let busy = beats.filter_map(|beat| beat.stuck_for(now_ns));
        busy.fold((0, Duration::ZERO), |(threads, longest), time| (threads + 1, longest.max(time)))
    }

    /// Abandons operations that are still in flight, and reports their start to the drain.
    fn give_up(&self) -> Result<(), RunError> {
        let (_, longest) = self.stuck();
        let now_ns = self.now_ns();
        // No operation has been in flight for longer than the run.
        let since_ns = now_ns - longest.as_nanos() as u64;
        Ok(self.setup.drain.unanswered(since_ns, now_ns)?)
    }

    /// Whether waiting for the rest is pointless.
    fn is_hopeless(&self) -> bool {
        let hung = matches!(self.reason, Some(Ending::Hung { .. }));
        self.stopped_ns.is_some_and(|at_ns| hung || self.since(at_ns) >= GRACE)
    }

    fn end(mut self, worker_count: u32) -> PointEnd<S> {
        let context = &self.setup.context;
        let over_ns = context.clock.now_ns();
        let has_work = worker_count > 0;
        let exhausted =
            has_work && self.ended.finished_scripts == worker_count && over_ns < context.window.end_ns();
        self.look_at_counters();
        // Panicked threads hold nothing in the kernel. Those that panicked after the last check of ended
        // threads are in both counts.
        let left_behind = self.ended.threads_left - self.dead().min(self.ended.threads_left);
        let (_, unanswered_for) = self.stuck();
        let natural = if exhausted { Ending::Exhausted } else { Ending::OnTime };
        let notes = std::mem::take(&mut self.ended.notes);
        PointEnd {
            workers: self.ended.into_workers(),
            ran: PointRan {
                started_ns: context.window.begun_ns(),
                measured_from_ns: context.window.warmup_until_ns(),
                over_ns,
            },
            ending: self.reason.unwrap_or(natural),
            left_behind,
            unanswered_for,
            notes,
        }
    }
}

/// Turns counts into rates for the display.
#[derive(Default)]
struct Display {
    last: Option<(u64, Counts)>,
}

impl Display {
    fn is_due(&self, now_ns: u64) -> bool {
        self.last.is_none_or(|(at_ns, _)| Duration::from_nanos(now_ns - at_ns) >= LIVE_EVERY)
    }

    fn show(
        &mut self,
        setup: &PointSetup<'_>,
        observer: &mut dyn Observer,
        longest_in_flight: Option<Duration>,
        is_over: bool,
    ) -> Result<(), RunError> {
        let asked_ns = setup.context.clock.now_ns();
        let wants_response_counts = observer.wants_response_counts(is_over);
        let LiveCounts { counts, at_ns, late, response_counts, answered_ns } =
            setup.drain.live(wants_response_counts)?;
        let Some((asked_before_ns, before)) = self.last.replace((asked_ns, counts)) else {
            return Ok(());
        };
        let seconds = Duration::from_nanos(asked_ns - asked_before_ns).as_secs_f64();
        // The counts restart with a load point's first record.
        let rate = |bytes: fn(&Counts) -> u64| bytes(&counts).saturating_sub(bytes(&before)) as f64 / seconds;
        let window = &setup.context.window;
        let now_ns = setup.context.clock.now_ns();
        // The display is slightly delayed, and may be before the start.
        let since_start = |ns: u64| Duration::from_nanos(ns.saturating_sub(window.begun_ns()));
        let since_answer = answered_ns.map(|ns| Duration::from_nanos(now_ns - ns));
        observer.live(&Live {
            at_ns,
            label: setup.label.clone(),
            elapsed: since_start(at_ns),
            warmup: since_start(window.warmup_until_ns()),
            total: since_start(window.end_ns()),
            // Bytes of the warm-up are shown while it is in progress, but are in no figure afterwards.
            read_bytes_per_s: rate(|counts| counts.read_bytes + counts.warmup_read_bytes),
            write_bytes_per_s: rate(|counts| counts.written_bytes + counts.warmup_written_bytes),
            late_frames: late.as_ref().map(|late| late.late_frames),
            margin_ns: late.as_ref().and_then(LateNow::margin_ns),
            // Empty without streams.
            streams: late.map(|late| late.worst_first(STREAMS_MOST).streams).unwrap_or_default(),
            ops: counts.ops,
            failed_ops: counts.errors,
            read_bytes: counts.read_bytes,
            written_bytes: counts.written_bytes,
            response_counts,
            waiting: Waiting::of(longest_in_flight, since_answer),
            is_over,
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of(workers: &[u32]) -> ThreadEnd<(), ()> {
        ThreadEnd {
            workers: workers.iter().map(|&id| Worker { id, script: () }).collect(),
            sink: (),
            thread: 0,
            failure: None,
            finished_scripts: 1,
            notes: vec!["the same of each".to_owned()],
        }
    }

    #[test]
    fn workers_of_several_threads_come_back_in_order() {
        let mut ended = EndedThreads::new(2);
        assert!(ended.take(end_of(&[1, 3])).is_none() && ended.take(end_of(&[0, 2])).is_none());
        assert_eq!((ended.threads_left, ended.finished_scripts, ended.notes.len()), (0, 2, 1));
        assert!(ended.into_workers().iter().map(|worker| worker.id).eq(0..4));
    }

    #[test]
    #[should_panic(expected = "a thread reports its end only once")]
    fn more_ends_than_threads_are_a_defect() {
        let mut ended = EndedThreads::new(1);
        ended.take(end_of(&[0]));
        ended.take(end_of(&[1]));
    }

    #[test]
    #[should_panic(expected = "a worker is returned only once")]
    fn a_worker_of_two_threads_is_a_defect() {
        let mut ended = EndedThreads::new(2);
        ended.take(end_of(&[0, 1]));
        ended.take(end_of(&[1]));
        ended.into_workers();
    }
}
