//! A user's event during a run ([`EventRequest`]): a command that begins a rebuild, a backup or a
//! failover. It is not part of a plan, so no fleet, no console and no repetition of the run starts it.
//!
//! [`WithEvent`] wraps another observer of the run, and starts the command on a separate thread. A
//! process group contains the command and all its processes, with one process that ends the group at the
//! time limit. So no part of it runs for longer, even if this program is killed. Ctrl-C ends the run and
//! not the command: half a failover is worse than a complete one.
//!
//! Not here: the event's effect on the streams ([`reelgauge_analysis::run_event`]), sentences.

mod process_group;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use reelgauge_analysis::forecast::Forecast;
use reelgauge_analysis::run_event::{EventEnd, EventFacts};
use reelgauge_engine::clock::Clock;
use reelgauge_engine::dataset::OtherSet;
use reelgauge_record::identity;
use reelgauge_record::run_dir::label;
use reelgauge_results::run_event::write;
use reelgauge_workload::event::Event;

use crate::interrupt::Interrupt;
use crate::observer::{
    Live, NextTrial, Observer, PointAhead, RunBegin, SearchProgress, Start, TrialAhead, TrialJudged,
};
use crate::session::live_log::FORECAST_MAX;
use process_group::{Group, cut_off};

/// The interval of checks for the start and the end.
const BEAT: Duration = Duration::from_millis(20);
/// How long an event that has not begun may take to notice that the load is over.
const NOTICE: Duration = Duration::from_millis(100);
/// It begins after this share of the first load point's measured time.
const BEGINS_AFTER: u64 = 3;
/// And this long after the start of a load point of unknown length.
const BEGINS_AFTER_UNKNOWN: Duration = Duration::from_secs(5);

/// The start of an event and its time limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRequest {
    pub event: Event,
    /// After the warm-up of the first load point; `None`: a third of its measured time.
    pub after: Option<Duration>,
    /// Its process group is ended at this limit.
    pub time_limit: Duration,
}

/// An observer that wraps another one, and carries out the event during the run.
pub struct WithEvent<'a> {
    inner: &'a mut dyn Observer,
    request: EventRequest,
    run_dir: Option<PathBuf>,
    clock: Option<Clock>,
    /// Warm-up and measured time of the first load point.
    ahead_ns: Option<(u64, u64)>,
    load: Arc<Load>,
    thread: Option<JoinHandle<()>>,
}

/// The facts of the run for the event's thread.
#[derive(Debug, Default)]
struct Load {
    goes_on: AtomicBool,
    is_over: AtomicBool,
}

impl<'a> WithEvent<'a> {
    /// Around this observer.
    pub fn new(inner: &'a mut dyn Observer, request: EventRequest) -> WithEvent<'a> {
        let load = Arc::default();
        WithEvent { inner, request, run_dir: None, clock: None, ahead_ns: None, load, thread: None }
    }

    /// When it begins, after the first load point's warm-up.
    fn after_ns(&self, measured_ns: u64) -> u64 {
        let after = match self.request.after {
            Some(after) => after,
            None if measured_ns >= FORECAST_MAX.as_nanos() as u64 => BEGINS_AFTER_UNKNOWN,
            None => Duration::from_nanos(measured_ns / BEGINS_AFTER),
        };
        after.as_nanos() as u64
    }

    fn wait_for_its_time(&mut self, begun_ns: u64) {
        let (Some(run_dir), Some(clock), Some((warmup_ns, measured_ns))) =
            (self.run_dir.clone(), self.clock, self.ahead_ns)
        else {
            return;
        };
        let due_ns = begun_ns.saturating_add(warmup_ns).saturating_add(self.after_ns(measured_ns));
        let place = Place { run_dir, clock, request: self.request.clone(), load: Arc::clone(&self.load) };
        place.note(&place.facts());
        let thread = std::thread::Builder::new().name("event".to_owned());
        match thread.spawn(move || place.carry_out(due_ns)) {
            Ok(thread) => self.thread = Some(thread),
            Err(error) => self.not_started(&error.to_string()),
        }
    }

    fn not_started(&self, why: &str) {
        if let (Some(run_dir), Some(clock)) = (self.run_dir.clone(), self.clock) {
            let place = Place { run_dir, clock, request: self.request.clone(), load: Arc::clone(&self.load) };
            let end = EventEnd::NotStarted { why: why.to_owned() };
            place.note(&EventFacts { end, ..place.facts() });
        }
    }
}

impl Drop for WithEvent<'_> {
    fn drop(&mut self) {
        self.load.is_over.store(true, Ordering::Relaxed);
    }
}

/// The environment of the event's thread.
struct Place {
    run_dir: PathBuf,
    clock: Clock,
    request: EventRequest,
    load: Arc<Load>,
}

impl Place {
    fn facts(&self) -> EventFacts {
        let EventRequest { event, time_limit, .. } = &self.request;
        EventFacts {
            name: event.name.clone(),
            command: event.command.clone(),
            time_limit_s: time_limit.as_secs_f64(),
            began_s: None,
            ended_s: None,
            end: EventEnd::Pending,
            output: None,
            output_is_cut: false,
            effect: None,
        }
    }

    /// If it cannot be kept, it is missing from the summary; the run matters more.
    fn note(&self, facts: &EventFacts) {
        let _ = write(&self.run_dir, facts);
    }

    fn now_s(&self) -> f64 {
        self.clock.now_ns() as f64 / 1e9
    }

    /// Waits for its time, runs the command, and notes the result.
    fn carry_out(&self, due_ns: u64) {
        // The user's own rights, not those of the target's owner.
        identity::shed();
        let is_time = || self.clock.now_ns() >= due_ns && self.load.goes_on.load(Ordering::Relaxed);
        while !is_time() {
            if self.load.is_over.load(Ordering::Relaxed) {
                self.note(&EventFacts { end: EventEnd::NotBegun, ..self.facts() });
                return;
            }
            std::thread::sleep(BEAT);
        }
        let EventRequest { event, time_limit, .. } = &self.request;
        let output = format!("event-{}.log", label(&event.name));
        let began_s = self.now_s();
        let begun = EventFacts {
            began_s: Some(began_s),
            end: EventEnd::Running,
            output: Some(output.clone()),
            ..self.facts()
        };
        // Noted before the command begins, which may cut off the local host's storage.
        self.note(&begun);
        let output = self.run_dir.join(output);
        let end = match Group::start(&event.command, &output, *time_limit) {
            Ok(mut group) => group.wait(*time_limit),
            Err(error) => {
                let end = EventEnd::NotStarted { why: error.to_string() };
                self.note(&EventFacts { end, ..self.facts() });
                return;
            }
        };
        let ended_s = Some(self.now_s());
        self.note(&EventFacts { ended_s, end, output_is_cut: cut_off(&output), ..begun });
    }
}

impl Observer for WithEvent<'_> {
    fn begun(&mut self, begin: &RunBegin<'_>) {
        self.run_dir = Some(begin.run_dir.to_path_buf());
        self.inner.begun(begin);
    }

    fn clock_began(&mut self, clock: Clock) {
        self.clock = Some(clock);
        self.inner.clock_began(clock);
    }

    fn begins(&mut self, ahead: &PointAhead<'_>, interrupt: &Interrupt) -> Start {
        self.ahead_ns.get_or_insert((ahead.warmup_ns, ahead.measured_ns));
        self.inner.begins(ahead, interrupt)
    }

    fn point_began(&mut self, index: u16, begun_ns: u64) {
        self.load.goes_on.store(true, Ordering::Relaxed);
        if self.thread.is_none() && index == 0 {
            self.wait_for_its_time(begun_ns);
        }
        self.inner.point_began(index, begun_ns);
    }

    fn point_over(&mut self, index: u16, is_complete: bool) {
        self.load.goes_on.store(false, Ordering::Relaxed);
        self.inner.point_over(index, is_complete);
    }

    /// An event that outlasts the load is waited for, at most until its time limit; but not after an
    /// interrupted run.
    fn load_over(&mut self, is_complete: bool, interrupt: &Interrupt) {
        self.load.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            if !thread.is_finished() {
                self.inner.phase("waiting for the event");
            }
            let begun = Instant::now();
            let waits = || !interrupt.asked() && is_complete || begun.elapsed() < NOTICE;
            while !thread.is_finished() && waits() {
                std::thread::sleep(BEAT);
            }
        }
        self.inner.load_over(is_complete, interrupt);
    }

    fn live(&mut self, live: &Live) {
        self.inner.live(live);
    }

    fn ahead(&mut self, verb: &str, forecast: &Forecast) {
        self.inner.ahead(verb, forecast);
    }

    fn searching(&mut self, step: &SearchProgress) {
        self.inner.searching(step);
    }

    fn phase(&mut self, name: &str) {
        self.inner.phase(name);
    }

    fn removing_data_set(&mut self, set: &OtherSet) {
        self.inner.removing_data_set(set);
    }

    fn prepared(&mut self, done_bytes: u64, total_bytes: u64) {
        self.inner.prepared(done_bytes, total_bytes);
    }

    fn verified(&mut self, checked_bytes: u64) {
        self.inner.verified(checked_bytes);
    }

    fn next_trial(&mut self, ahead: &TrialAhead, interrupt: &Interrupt) -> NextTrial {
        self.inner.next_trial(ahead, interrupt)
    }

    fn trial_judged(&mut self, judged: TrialJudged) {
        self.inner.trial_judged(judged);
    }

    fn wants_response_counts(&mut self, is_over: bool) -> bool {
        self.inner.wants_response_counts(is_over)
    }

    fn finished(&mut self) {
        self.inner.finished();
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::Path;

    use super::*;
    use crate::observer::Silent;

    fn request(command: &str, after: Option<u64>) -> EventRequest {
        let event = Event { name: "rebuild".to_owned(), command: command.to_owned() };
        EventRequest { event, after: after.map(Duration::from_millis), time_limit: Duration::from_secs(60) }
    }

    /// A load point of nine seconds that ends after this time, and the result of its event.
    fn event(request: EventRequest, over_after_ms: u64) -> EventFacts {
        let (dir, mut silent) = (tempfile::tempdir().unwrap(), Silent);
        let mut with = WithEvent::new(&mut silent, request);
        let target = Path::new("/");
        with.begun(&RunBegin { run_dir: dir.path(), verb: "mix", label: "", target });
        let clock = Clock::start();
        with.clock_began(clock);
        let ahead = PointAhead { index: 0, label: "", workers: 1, warmup_ns: 0, measured_ns: 9_000_000_000 };
        with.begins(&ahead, &Interrupt::default());
        with.point_began(0, clock.now_ns());
        std::thread::sleep(Duration::from_millis(over_after_ms));
        with.point_over(0, true);
        with.load_over(true, &Interrupt::default());
        let text = std::fs::read_to_string(dir.path().join("event.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn an_event_begins_at_its_time_and_is_waited_for() {
        let found = event(request("sleep 0.5; exit 3", Some(200)), 300);
        assert_eq!(found.end, EventEnd::Exit { code: 3 });
        let (began_s, ended_s) = (found.began_s.unwrap(), found.ended_s.unwrap());
        assert!(began_s >= 0.2 && ended_s - began_s >= 0.5 && ended_s < 30.0, "{found:?}");
        assert_eq!(found.output.as_deref(), Some("event-rebuild.log"));
    }

    #[test]
    fn event_after_the_end_did_not_begin() {
        // A third of nine seconds.
        let found = event(request("true", None), 100);
        assert_eq!((found.end, found.began_s, found.output), (EventEnd::NotBegun, None, None));
    }

    #[test]
    fn the_usual_time_is_a_third_of_the_load_point_and_five_seconds_where_its_length_is_unknown() {
        let mut silent = Silent;
        let with = WithEvent::new(&mut silent, request("true", None));
        assert_eq!(with.after_ns(9_000_000_000), 3_000_000_000);
        assert_eq!(with.after_ns(FORECAST_MAX.as_nanos() as u64), 5_000_000_000);
    }
}
