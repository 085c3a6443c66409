//! Runs a script: decides which messages are sent to which worker, which reports are accepted, and when
//! a test is over.
//!
//! Not here: who may connect ([`crate::connections`]), where data is stored ([`crate::session_files`]).

use std::collections::HashMap;
use std::io;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use reelgauge_analysis::facts::{MeterFacts, MeterTest, Silence};
use reelgauge_analysis::msmeter::{MeterRecord, MeterTally};
use reelgauge_analysis::{Outcome, Summary};

use super::{Happening, LOOK_EVERY};
use crate::command_script::{Command, Script};
use crate::connections::{Event, Link, Workers};
use crate::lines::WireLine;
use crate::session_files::SessionFiles;
use crate::worker_record::{WorkerLine, said};

/// How long a worker has for a message before the next one follows.
const MESSAGE_REST: Duration = Duration::from_millis(150);
/// A test is over when nothing has arrived for this long after its last pause.
const QUIET_FOR: Duration = Duration::from_millis(300);
/// A test is over at the latest after this time, even if an operation is still in flight.
const QUIET_WITHIN: Duration = Duration::from_secs(5);
/// How long workers have to disconnect.
const GOODBYE_WITHIN: Duration = Duration::from_secs(2);
/// The name of the test if workers are started before any "Results".
const UNNAMED: &str = "results.csv";

/// The reason to stop a script.
#[derive(Debug)]
pub(super) enum Stop {
    /// The user interrupted it.
    UserInterrupt,
    /// All workers have disconnected.
    NoWorkers,
    /// Records cannot be stored.
    NotKept(io::Error),
}

/// A worker that is connected, or was.
struct WorkerState {
    link: Link,
    /// When it was started; `None` if it is not running.
    runs_since: Option<Instant>,
    /// When it last sent data, or was started.
    last_active: Instant,
    /// How long it had been silent when it was paused; reset when it sends data.
    silent_when_paused: Option<Silence>,
}

/// A test in progress.
struct OpenTest {
    tally: MeterTally,
    /// Workers that were started in it.
    started: Vec<usize>,
    /// Workers that reported operations.
    reported: Vec<usize>,
    /// By worker: the longest time for one record.
    longest_s: HashMap<usize, f64>,
}

impl OpenTest {
    fn of(started: Vec<usize>) -> OpenTest {
        OpenTest { tally: MeterTally::default(), started, reported: Vec::new(), longest_s: HashMap::new() }
    }

    /// Whether a worker has stalled: it was silent for longer than its operations take. Workers without
    /// any report are listed separately.
    fn is_stall(&self, silence: &Silence) -> bool {
        let longest_s = self.longest_s.get(&silence.worker);
        longest_s.is_some_and(|longest_s| Silence::is_stall(silence.seconds, *longest_s))
    }
}

pub(super) struct ScriptRun<'a> {
    workers: Workers,
    seats: Vec<WorkerState>,
    by_key: HashMap<usize, usize>,
    facts: MeterFacts,
    kept: SessionFiles,
    test: Option<OpenTest>,
    began: Instant,
    /// The time of the last progress report, and the bytes received since.
    second: Instant,
    bytes_in_second: u64,
    records: u64,
    last_heard: Instant,
    tell: &'a mut dyn FnMut(&Happening),
    asked: &'a dyn Fn() -> bool,
}

impl<'a> ScriptRun<'a> {
    pub(super) fn new(
        workers: Workers,
        links: Vec<Link>,
        facts: MeterFacts,
        kept: SessionFiles,
        tell: &'a mut dyn FnMut(&Happening),
        asked: &'a dyn Fn() -> bool,
    ) -> ScriptRun<'a> {
        let now = Instant::now();
        let by_key = links.iter().enumerate().map(|(number, link)| (link.key, number)).collect();
        let seat = |link| WorkerState { link, runs_since: None, last_active: now, silent_when_paused: None };
        let seats = links.into_iter().map(seat).collect();
        ScriptRun {
            workers,
            seats,
            by_key,
            facts,
            kept,
            test: None,
            began: now,
            second: now,
            bytes_in_second: 0,
            records: 0,
            last_heard: now,
            tell,
            asked,
        }
    }

    pub(super) fn run(&mut self, script: &Script) -> Result<(), Stop> {
        for command in &script.commands {
            match command {
                Command::Results(name) if self.test.is_none() => self.begin_test(name)?,
                // As in the original, a further "Results" does not end an open test.
                Command::Results(_) => {}
                Command::Set(worker, settings) => self.say(*worker, &settings.message())?,
                Command::Start(worker) => self.start(*worker)?,
                Command::Pause(worker) => {
                    self.pause(*worker)?;
                    if self.is_highest(*worker) {
                        self.end_test()?;
                    }
                }
                Command::Wait(time) => self.pass(*time)?,
            }
        }
        Ok(())
    }

    /// Whether its pause ends the test: it is the highest worker started in this test. The original
    /// waits for the highest one of the script, so it never ends tests of a ramp that the highest worker
    /// has not joined yet.
    fn is_highest(&self, worker: usize) -> bool {
        self.test.as_ref().is_some_and(|test| test.started.iter().max() == Some(&worker))
    }

    fn begin_test(&mut self, name: &str) -> Result<(), Stop> {
        let text_file = self.kept.begin_text(self.facts.tests.len() + 1, name).map_err(Stop::NotKept)?;
        self.facts.tests.push(MeterTest {
            name: name.to_owned(),
            text_file,
            began_s: None,
            last_record_s: None,
            wall_clock_mib_per_s: None,
            longest_silence: None,
            workers_without_records: Vec::new(),
            stalled: Vec::new(),
            figures: MeterTally::default().figures(),
        });
        // Workers still running from the previous test belong to this one, too.
        let started = (0..self.seats.len()).filter(|worker| self.seats[*worker].runs_since.is_some());
        self.test = Some(OpenTest::of(started.collect()));
        (self.tell)(&Happening::Test { name: name.to_owned() });
        Ok(())
    }

    fn start(&mut self, worker: usize) -> Result<(), Stop> {
        if self.test.is_none() {
            self.begin_test(UNNAMED)?;
        }
        if self.is_gone(worker) {
            return Ok(());
        }
        // Taken before the message: the worker's operations during the following pause are measured,
        // too.
        let now = Instant::now();
        let seat = &mut self.seats[worker];
        (seat.runs_since, seat.last_active, seat.silent_when_paused) = (Some(now), now, None);
        let began_s = self.seconds(now);
        if let Some(test) = self.facts.tests.last_mut() {
            test.began_s.get_or_insert(began_s);
        }
        if let Some(test) = self.test.as_mut().filter(|test| !test.started.contains(&worker)) {
            test.started.push(worker);
        }
        self.say(worker, "start")
    }

    fn pause(&mut self, worker: usize) -> Result<(), Stop> {
        self.mark_paused(worker);
        self.say(worker, "pause")
    }

    /// Marks a worker as paused: it only reports operations still in flight.
    fn mark_paused(&mut self, worker: usize) {
        let now = Instant::now();
        self.silence_until(worker, now);
        let seat = &self.seats[worker];
        let silent = seat.runs_since.is_some().then(|| self.silence(worker, now));
        let seat = &mut self.seats[worker];
        seat.silent_when_paused = silent.or(seat.silent_when_paused);
        seat.runs_since = None;
    }

    /// Workers of the test that had made no progress when they were paused, and have been silent since.
    fn stalled(&self) -> Vec<Silence> {
        let Some(test) = &self.test else { return Vec::new() };
        let now = Instant::now();
        let silent = |worker: &usize| match (self.is_gone(*worker), self.seats[*worker].runs_since) {
            (true, _) => None,
            // It is still running, and belongs to the next test.
            (false, Some(_)) => Some(self.silence(*worker, now)),
            (false, None) => self.seats[*worker].silent_when_paused,
        };
        let mut silences: Vec<Silence> = test.started.iter().filter_map(silent).collect();
        silences.retain(|silence| test.is_stall(silence));
        silences.sort_unstable_by_key(|silence| silence.worker);
        silences
    }

    /// Sends a message, and waits until the worker has read it. Skips a disconnected worker.
    fn say(&mut self, worker: usize, message: &str) -> Result<(), Stop> {
        if self.is_gone(worker) {
            return Ok(());
        }
        if let Err(error) = self.seats[worker].link.send(message) {
            self.gone(worker, Instant::now(), format!("cannot send to it: {error}"));
        }
        self.pass(MESSAGE_REST)
    }

    /// Processes events for this long. Returns early if the user interrupts, or no worker is left.
    fn pass(&mut self, time: Duration) -> Result<(), Stop> {
        let until = Instant::now() + time;
        loop {
            if (self.asked)() {
                return Err(Stop::UserInterrupt);
            }
            if (0..self.seats.len()).all(|worker| self.is_gone(worker)) {
                return Err(Stop::NoWorkers);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            self.look(left.min(LOOK_EVERY)).map_err(Stop::NotKept)?;
        }
    }

    /// Processes the events that arrive within this time, and reports once a second.
    fn look(&mut self, time: Duration) -> io::Result<()> {
        let until = Instant::now() + time;
        loop {
            match self.workers.events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(event) => self.take(event)?,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
            if Instant::now() >= until {
                break;
            }
        }
        if self.second.elapsed() >= Duration::from_secs(1) {
            self.tell_second();
            self.kept.flush()?;
        }
        Ok(())
    }

    fn tell_second(&mut self) {
        let now = Instant::now();
        let runs = self.seats.iter().enumerate().filter(|(_, seat)| seat.runs_since.is_some());
        let silent = runs.map(|(worker, seat)| (worker, (now - seat.last_active).as_secs_f64()));
        let second = Happening::Second {
            at_s: self.seconds(now),
            of_s: self.facts.script_takes_s,
            records: self.records,
            bytes_in_second: std::mem::take(&mut self.bytes_in_second),
            quietest: silent.max_by(|one, two| one.1.total_cmp(&two.1)),
        };
        self.second = now;
        (self.tell)(&second);
    }

    fn take(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Line { key, at, line } => match self.by_key.get(&key) {
                Some(&worker) => self.line(worker, at, line),
                None => Ok(()),
            },
            Event::Gone { key, at, why } => {
                if let Some(&worker) = self.by_key.get(&key) {
                    self.gone(worker, at, why);
                }
                Ok(())
            }
            Event::Refused { peer, why } => {
                (self.tell)(&Happening::Refused { peer, why });
                Ok(())
            }
            Event::Joined(link) => {
                link.close();
                let why = "the script had already begun";
                (self.tell)(&Happening::Refused { peer: link.peer, why });
                Ok(())
            }
        }
    }

    fn line(&mut self, worker: usize, at: Instant, line: WireLine) -> io::Result<()> {
        self.last_heard = at;
        let WireLine::Text(text) = line else {
            self.facts.lines_not_understood += 1;
            return Ok(());
        };
        match said(&text) {
            WorkerLine::Record(record) => self.record(worker, at, &record, text.trim()),
            WorkerLine::NoFiles => {
                self.facts.workers[worker].no_files += 1;
                Ok(())
            }
            WorkerLine::Extra(extra) => self.kept.extra(&extra),
            WorkerLine::Bye => {
                self.gone(worker, at, "it left".to_owned());
                Ok(())
            }
            WorkerLine::Unknown => {
                self.facts.lines_not_understood += 1;
                Ok(())
            }
        }
    }

    fn record(&mut self, worker: usize, at: Instant, record: &MeterRecord, as_sent: &str) -> io::Result<()> {
        let arrived_s = self.seconds(at);
        self.silence_until(worker, at);
        let seat = &mut self.seats[worker];
        let took_s = seat.runs_since.map(|_| at.saturating_duration_since(seat.last_active).as_secs_f64());
        (seat.last_active, seat.silent_when_paused) = (at, None);
        if let (Some(test), Some(took_s)) = (&mut self.test, took_s) {
            let longest_s = test.longest_s.entry(worker).or_default();
            *longest_s = longest_s.max(took_s);
        }
        self.records += 1;
        self.facts.workers[worker].records += 1;
        let open = self.test.is_some().then_some(self.facts.tests.len());
        self.kept.record(arrived_s, open, worker, record, as_sent)?;
        let Some(test) = &mut self.test else {
            self.facts.records_outside += 1;
            return Ok(());
        };
        test.tally.take(record);
        self.bytes_in_second += record.moved_bytes().unwrap_or(0);
        if !test.reported.contains(&worker) {
            test.reported.push(worker);
        }
        if let Some(test) = self.facts.tests.last_mut() {
            test.last_record_s = Some(arrived_s);
        }
        Ok(())
    }

    /// Records that a running worker was silent until `at`.
    fn silence_until(&mut self, worker: usize, at: Instant) {
        if self.seats[worker].runs_since.is_none() || self.test.is_none() {
            return;
        }
        let silence = self.silence(worker, at);
        if let Some(test) = self.facts.tests.last_mut()
            && test.longest_silence.is_none_or(|longest| silence.seconds > longest.seconds)
        {
            test.longest_silence = Some(silence);
        }
    }

    /// How long it had been silent at `at`.
    fn silence(&self, worker: usize, at: Instant) -> Silence {
        let heard = self.seats[worker].last_active;
        let seconds = at.saturating_duration_since(heard).as_secs_f64();
        Silence { worker, from_s: self.seconds(heard), seconds }
    }

    fn is_gone(&self, worker: usize) -> bool {
        self.facts.workers[worker].gone_s.is_some()
    }

    fn gone(&mut self, worker: usize, at: Instant, why: String) {
        if self.is_gone(worker) {
            return;
        }
        self.silence_until(worker, at);
        self.seats[worker].runs_since = None;
        self.seats[worker].link.close();
        self.facts.workers[worker].gone_s = Some(self.seconds(at));
        self.facts.workers[worker].gone_why = Some(why.clone());
        (self.tell)(&Happening::Gone { worker, why });
    }

    /// Waits for the records of operations in flight, and calculates the test's figures.
    fn end_test(&mut self) -> Result<(), Stop> {
        let paused = Instant::now();
        self.last_heard = self.last_heard.max(paused);
        // A worker that seems stalled may have a long operation in flight.
        let is_awaited = |session: &ScriptRun<'_>| {
            let is_quiet = session.last_heard.elapsed() >= QUIET_FOR;
            !is_quiet || !(session.asked)() && !session.stalled().is_empty()
        };
        while is_awaited(self) && paused.elapsed() < QUIET_WITHIN {
            self.look(LOOK_EVERY).map_err(Stop::NotKept)?;
        }
        self.close_test().map_err(Stop::NotKept)
    }

    fn close_test(&mut self) -> io::Result<()> {
        let stalled = self.stalled();
        let Some(open) = self.test.take() else { return Ok(()) };
        let Some(test) = self.facts.tests.last_mut() else { return Ok(()) };
        test.figures = open.tally.figures();
        let seconds = test.last_record_s.zip(test.began_s).map(|(last_s, began_s)| last_s - began_s);
        test.wall_clock_mib_per_s = seconds
            .filter(|seconds| *seconds > 0.0 && test.figures.records > 0)
            .map(|seconds| test.figures.bytes as f64 / f64::from(1 << 20) / seconds);
        test.stalled = stalled;
        test.workers_without_records = open.started;
        test.workers_without_records.retain(|worker| !open.reported.contains(worker));
        test.workers_without_records.sort_unstable();
        self.kept.end_text(&test.figures)?;
        // Written now, because the next test may never end.
        self.kept.tell_unfinished(&self.facts)
    }

    /// Pauses all workers, receives their last records, and disconnects them.
    pub(super) fn end(&mut self, ended: Result<(), Stop>) -> io::Result<Summary> {
        let (outcome, why) = match &ended {
            Ok(()) => (Outcome::Complete, None),
            Err(Stop::UserInterrupt) => (Outcome::Interrupted, Some("it was interrupted".to_owned())),
            Err(Stop::NoWorkers) => (Outcome::BrokeOff, Some("all workers disconnected".to_owned())),
            Err(Stop::NotKept(error)) => {
                (Outcome::BrokeOff, Some(format!("cannot write reports of workers: {error}")))
            }
        };
        let there: Vec<usize> = (0..self.seats.len()).filter(|worker| !self.is_gone(*worker)).collect();
        for &worker in &there {
            if self.seats[worker].runs_since.is_some() {
                self.mark_paused(worker);
                // If the send fails, the end of the connection stops the worker.
                let _ = self.seats[worker].link.send("pause");
            }
        }
        let kept = match ended {
            Err(Stop::NotKept(error)) => Err(error),
            _ => self.end_test().map_err(|stop| match stop {
                Stop::NotKept(error) => error,
                Stop::UserInterrupt | Stop::NoWorkers => io::ErrorKind::Interrupted.into(),
            }),
        };
        self.goodbye(&there);
        kept?;
        self.kept.tell(&self.facts, outcome, why.as_deref()).map_err(io::Error::other)
    }

    /// Disconnects these workers; their disconnection is not reported as a failure.
    fn goodbye(&mut self, there: &[usize]) {
        let there: Vec<usize> = there.iter().copied().filter(|worker| !self.is_gone(*worker)).collect();
        for &worker in &there {
            let _ = self.seats[worker].link.send("stop");
        }
        let (begun, mut left) = (Instant::now(), there.len());
        while left > 0 && begun.elapsed() < GOODBYE_WITHIN {
            if let Ok(Event::Gone { .. }) = self.workers.events.recv_timeout(LOOK_EVERY) {
                left -= 1;
            }
        }
        self.seats.iter().for_each(|seat| seat.link.close());
    }

    fn seconds(&self, at: Instant) -> f64 {
        at.saturating_duration_since(self.began).as_secs_f64()
    }
}
