//! Writes `live.jsonl` in addition to another observer of a run on this host.
//!
//! Not here: writing it to disk ([`reelgauge_results::live::writer`]), and the file that a fleet's
//! controller writes for a run on many hosts.

mod live_incidents;

use std::time::{Duration, Instant};

use reelgauge_analysis::forecast::Forecast;
use reelgauge_engine::clock::Clock;
use reelgauge_engine::dataset::{DataSetError, OtherSet};
use reelgauge_results::live::process::own_mark;
use reelgauge_results::live::writer::LiveWriter;
use reelgauge_results::live::{LiveEvent, LiveHosts, LiveOutcome, LiveStreams, LiveTick};

use self::live_incidents::Disturbances;
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::{
    Live, NextTrial, Observer, PointAhead, RunBegin, SearchProgress, Start, TrialAhead, TrialJudged,
};
use crate::session::finished_run::Finished;
use crate::session::margins::Margins;
use crate::supervise::tell_measuring;

/// The interval of reports. Slightly less than a second, because the run reports four times a second,
/// and not to the millisecond.
const EVERY: Duration = Duration::from_millis(950);
/// A plan longer than this ends when its work does, at an unknown time.
pub(crate) const FORECAST_MAX: Duration = Duration::from_secs(400 * 24 * 3600);

/// Carries out a run for `observer`, and writes its events.
///
/// # Errors
/// The errors of the run.
pub fn logged(
    observer: &mut dyn Observer,
    run: impl FnOnce(&mut dyn Observer) -> Result<Finished, RunError>,
) -> Result<Finished, RunError> {
    let mut log = LiveLog::with_observer(observer);
    let result = run(&mut log);
    let end = match &result {
        Ok(Finished { summary, .. }) => LiveEvent::end_of(summary, log.at_s()),
        Err(error) => LiveEvent::End {
            at_s: log.at_s(),
            outcome: outcome_of(error),
            reason: Some(error.to_string()),
            late_frames: None,
            incidents: None,
        },
    };
    log.end(&end);
    result
}

fn outcome_of(error: &RunError) -> LiveOutcome {
    match error {
        RunError::DataSet(DataSetError::Interrupted { .. }) | RunError::StoppedWaiting(_) => {
            LiveOutcome::Interrupted
        }
        _ => LiveOutcome::BrokeOff,
    }
}

/// An observer that passes its events on and writes them to the file.
struct LiveLog<'a> {
    first: &'a mut dyn Observer,
    writer: Option<LiveWriter>,
    clock: Option<Clock>,
    /// Phases from before there was a file.
    early_phases: Vec<String>,
    prepared_at: Option<Instant>,
    verified_at: Option<Instant>,
    ticks: Ticks,
}

impl<'a> LiveLog<'a> {
    fn with_observer(first: &'a mut dyn Observer) -> LiveLog<'a> {
        LiveLog {
            first,
            writer: None,
            clock: None,
            early_phases: Vec::new(),
            prepared_at: None,
            verified_at: None,
            ticks: Ticks::default(),
        }
    }

    /// On the run's clock, to the millisecond.
    fn at_s(&self) -> f64 {
        self.clock.as_ref().map_or(0.0, |clock| whole_ms_s(clock.now_ns()))
    }

    fn write(&mut self, event: &LiveEvent) {
        if let Some(writer) = &mut self.writer {
            writer.write(event);
        }
    }

    fn end(&mut self, end: &LiveEvent) {
        if let Some(writer) = self.writer.take() {
            writer.finish(end);
        }
    }
}

impl Observer for LiveLog<'_> {
    fn begun(&mut self, begin: &RunBegin<'_>) {
        self.first.begun(begin);
        self.writer = LiveWriter::create(begin.run_dir);
        self.write(&LiveEvent::Begin {
            at_s: 0.0,
            pid: std::process::id(),
            process: own_mark(),
            verb: begin.verb.to_owned(),
            label: begin.label.to_owned(),
            target: begin.target.display().to_string(),
        });
        for name in std::mem::take(&mut self.early_phases) {
            self.write(&LiveEvent::Phase { at_s: 0.0, name });
        }
    }

    fn clock_began(&mut self, clock: Clock) {
        self.first.clock_began(clock);
        self.clock = Some(clock);
    }

    fn phase(&mut self, name: &str) {
        self.first.phase(name);
        tell_measuring(name != "preparing" && name != "reading");
        let name = name.to_owned();
        match self.writer {
            Some(_) => self.write(&LiveEvent::Phase { at_s: self.at_s(), name }),
            None => self.early_phases.push(name),
        }
    }

    fn ahead(&mut self, verb: &str, forecast: &Forecast) {
        self.first.ahead(verb, forecast);
    }

    fn searching(&mut self, step: &SearchProgress) {
        self.first.searching(step);
    }

    fn removing_data_set(&mut self, set: &OtherSet) {
        self.first.removing_data_set(set);
    }

    fn prepared(&mut self, done_bytes: u64, total_bytes: u64) {
        self.first.prepared(done_bytes, total_bytes);
        if is_due(&mut self.prepared_at, done_bytes >= total_bytes) {
            self.write(&LiveEvent::Prepared { at_s: self.at_s(), done_bytes, total_bytes });
        }
    }

    fn verified(&mut self, checked_bytes: u64) {
        self.first.verified(checked_bytes);
        if is_due(&mut self.verified_at, false) {
            self.write(&LiveEvent::Verified { at_s: self.at_s(), checked_bytes });
        }
    }

    fn next_trial(&mut self, ahead: &TrialAhead, interrupt: &Interrupt) -> NextTrial {
        self.first.next_trial(ahead, interrupt)
    }

    fn trial_judged(&mut self, judged: TrialJudged) {
        self.first.trial_judged(judged);
    }

    fn begins(&mut self, ahead: &PointAhead<'_>, interrupt: &Interrupt) -> Start {
        self.first.begins(ahead, interrupt)
    }

    fn point_began(&mut self, index: u16, begun_ns: u64) {
        self.first.point_began(index, begun_ns);
    }

    fn point_over(&mut self, index: u16, is_complete: bool) {
        self.first.point_over(index, is_complete);
    }

    fn load_over(&mut self, is_complete: bool, interrupt: &Interrupt) {
        self.first.load_over(is_complete, interrupt);
    }

    fn wants_response_counts(&mut self, is_over: bool) -> bool {
        self.first.wants_response_counts(is_over)
    }

    fn live(&mut self, live: &Live) {
        self.first.live(live);
        if let Some(tick) = self.ticks.take(live) {
            self.write(&LiveEvent::Live(Box::new(tick)));
        }
    }

    fn finished(&mut self) {
        self.first.finished();
    }
}

/// Whether a report is due: once a second, and at the end.
fn is_due(told_at: &mut Option<Instant>, is_last: bool) -> bool {
    let is_due = is_last || told_at.is_none_or(|at| at.elapsed() >= EVERY);
    if is_due {
        *told_at = Some(Instant::now());
    }
    is_due
}

/// Converts a run's reports (four per second) into ticks. Times are those of the load point, so this
/// reads no clock.
#[derive(Debug, Default)]
struct Ticks {
    label: String,
    /// The times of the last report, and of the last tick.
    told: Duration,
    ticked: Option<Duration>,
    read_bytes: f64,
    written_bytes: f64,
    late_frames: Option<u64>,
    was_silent: bool,
    margins: Margins,
    disturbances: Disturbances,
}

impl Ticks {
    /// A tick, if one is due.
    fn take(&mut self, live: &Live) -> Option<LiveTick> {
        if live.label != self.label || live.elapsed < self.told {
            *self = Ticks { label: live.label.clone(), ..Ticks::default() };
        }
        let step_s = (live.elapsed - self.told).as_secs_f64();
        self.told = live.elapsed;
        self.read_bytes += live.read_bytes_per_s * step_s;
        self.written_bytes += live.write_bytes_per_s * step_s;
        self.margins.note(live);
        self.disturbances.take(live);
        let silence = live.waiting.silence();
        let is_news = live.late_frames.unwrap_or(0) > self.late_frames.unwrap_or(0)
            || silence.is_some() != self.was_silent
            || live.is_over;
        // The count restarts with each load point.
        let since = self.ticked.map(|ticked| live.elapsed.saturating_sub(ticked));
        if !is_news && since.is_some_and(|since| since < EVERY) {
            return None;
        }
        let seconds = since.unwrap_or(live.elapsed).as_secs_f64();
        let rate = |bytes: f64| if seconds > 0.0 { (bytes / seconds).round() } else { 0.0 };
        let tick = LiveTick {
            at_s: whole_ms_s(live.at_ns),
            label: live.label.clone(),
            elapsed_s: rounded_s(live.elapsed),
            warmup_s: rounded_s(live.warmup),
            total_s: (live.total <= FORECAST_MAX).then(|| rounded_s(live.total)),
            read_bytes_per_s: rate(self.read_bytes),
            write_bytes_per_s: rate(self.written_bytes),
            late_frames: live.late_frames,
            margin_ms: self.margins.least_ms(),
            longest_in_flight_s: live.waiting.longest_in_flight.map(rounded_s),
            no_answer_s: silence.map(rounded_s),
            incidents: live.late_frames.map(|_| self.disturbances.count()),
            incident: self.disturbances.latest(live.elapsed),
            streams: self.streams(live),
            hosts: LiveHosts::default(),
        };
        self.ticked = Some(live.elapsed);
        self.late_frames = live.late_frames;
        self.was_silent = silence.is_some();
        self.margins = Margins::default();
        (self.read_bytes, self.written_bytes) = (0.0, 0.0);
        Some(tick)
    }

    fn streams(&self, live: &Live) -> LiveStreams {
        LiveStreams {
            stream: live.streams.iter().map(|stream| stream.stream).collect(),
            late_frames: live.streams.iter().map(|stream| stream.late_frames).collect(),
            margin_ms: live.streams.iter().map(|stream| self.margins.of_stream_ms(stream.stream)).collect(),
            buffer_ms: live.streams.iter().map(|stream| stream.buffer_ns / 1_000_000).collect(),
            host: Vec::new(),
        }
    }
}

fn rounded_s(time: Duration) -> f64 {
    time.as_millis() as f64 / 1e3
}

/// In seconds, rounded down to whole milliseconds.
fn whole_ms_s(ns: u64) -> f64 {
    (ns / 1_000_000) as f64 / 1e3
}

#[cfg(test)]
mod tests;
