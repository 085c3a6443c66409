//! The events of a run for its viewers. The terminal's progress bar is one viewer; a test is another.

use std::path::Path;
use std::time::Duration;

use reelgauge_analysis::ResponseCounts;
use reelgauge_analysis::facts::StoppedBy;
use reelgauge_analysis::forecast::Forecast;
use reelgauge_analysis::late::StreamNow;
use reelgauge_engine::clock::Clock;
use reelgauge_engine::dataset::OtherSet;

use crate::interrupt::Interrupt;

/// A run that has taken its target, and has a place for its results.
#[derive(Clone, Copy, Debug)]
pub struct RunBegin<'a> {
    pub run_dir: &'a Path,
    /// The command: `mix`, `streams`, …
    pub verb: &'a str,
    /// The label, as in the summary.
    pub label: &'a str,
    /// The directory that is measured, absolute.
    pub target: &'a Path,
}

/// The state of a load point that is being measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// The time of this state, on the run's clock.
    pub at_ns: u64,
    /// The label of the load point.
    pub label: String,
    /// The time since it began, warm-up included.
    pub elapsed: Duration,
    /// The warm-up part of that.
    pub warmup: Duration,
    /// Its planned length, warm-up included.
    pub total: Duration,
    /// Since the last report, also during the warm-up.
    pub read_bytes_per_s: f64,
    /// Since the last report, also during the warm-up.
    pub write_bytes_per_s: f64,
    /// Late frames by the clock, in this load point; `None` without frames.
    pub late_frames: Option<u64>,
    /// The smallest margin of all streams now; `None` if nothing is due.
    pub margin_ns: Option<i64>,
    /// The worst streams, worst first; at most [`STREAMS_MOST`].
    pub streams: Vec<StreamNow>,
    /// Reads, writes and all other measured operations since the load point began, without the warm-up.
    pub ops: u64,
    /// Operations that failed.
    pub failed_ops: u64,
    /// Bytes read since it began, without the warm-up.
    pub read_bytes: u64,
    /// Bytes written since it began, without the warm-up.
    pub written_bytes: u64,
    /// Response times of reads and writes since it began; `None` unless they were requested.
    pub response_counts: Option<ResponseCounts>,
    /// The pending operations.
    pub waiting: Waiting,
    /// Whether the load point has just ended: this is its last report.
    pub is_over: bool,
}

/// Above this number, streams are not listed individually.
pub const STREAMS_MOST: usize = 64;

/// How long the storage has not answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Since the oldest operation in flight was issued; `None` if none is in flight.
    pub longest_in_flight: Option<Duration>,
    /// How long operations have been in flight without any answer; `None` if none is in flight.
    pub no_answer: Option<Duration>,
}

impl Waiting {
    /// Shorter waits are not shown.
    pub const SHOWN: Duration = Duration::from_millis(400);

    /// From the age of the oldest operation in flight, and the time since the latest answer.
    pub fn of(longest_in_flight: Option<Duration>, since_answer: Option<Duration>) -> Waiting {
        let no_answer = longest_in_flight.map(|longest| since_answer.map_or(longest, |ago| ago.min(longest)));
        Waiting { longest_in_flight, no_answer }
    }

    /// The time without any answer, if it is long enough to be shown.
    pub fn silence(&self) -> Option<Duration> {
        self.no_answer.filter(|silence| *silence >= Waiting::SHOWN)
    }
}

/// The state of a search, before its next trial.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchProgress {
    /// The number of the trial that begins, from 1; trials of the run that it continues are included.
    pub trial: u32,
    /// The label of the trial: `12 players`.
    pub label: String,
    /// The largest load that passed every time, below all that ever failed.
    pub passed: Option<String>,
    /// The smallest load that failed, above all that ever passed.
    pub failed: Option<String>,
    /// Since the search began.
    pub elapsed: Duration,
    /// Its longest duration, on a target that answers steadily; see [`Forecast`].
    pub at_most: Option<Duration>,
}

/// A load point that is ready to begin.
#[derive(Clone, Copy, Debug)]
pub struct PointAhead<'a> {
    /// Its number, from 0.
    pub index: u16,
    /// Its label on screens.
    pub label: &'a str,
    /// The number of its workers.
    pub workers: u32,
    /// Excluded from the figures.
    pub warmup_ns: u64,
    /// Included in the figures.
    pub measured_ns: u64,
}

/// A trial that is ready, in a run whose trials are decided on elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialAhead {
    /// The number of its load point, from 0.
    pub point: u16,
    /// The largest scale that this host can try.
    pub most: u32,
    /// The largest scale that it can hold for as long as an answer must be sustained.
    pub most_confirmed: u32,
    /// The reason why it can try no more.
    pub limited_by: StoppedBy,
}

/// The next trial, if trials are decided on elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextTrial {
    /// A trial.
    Try {
        /// The load point has this scale; 0 if this host has no work in it.
        scale: u32,
        /// Whether it lasts as long as an answer must be sustained.
        confirms: bool,
    },
    /// No further trial: the answer is known, or never will be.
    Enough,
    /// The run was stopped while it waited.
    Never,
}

/// The result of a trial, as far as this host took part in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialJudged {
    /// The number of its load point, from 0.
    pub point: u16,
    /// Whether its criteria were met.
    pub passed: bool,
    /// Whether this host, and not the storage, was the limit. Only relevant if it failed.
    pub limited_by_client: bool,
}

/// The start of a load point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// It begins as soon as it is ready.
    Now,
    /// It begins at this time on the run's clock, or as soon as it is ready after that.
    At { run_ns: u64 },
    /// The run was stopped while it waited.
    Never,
}

/// Receives the events of a run, and may delay load points. Every method has a default.
pub trait Observer {
    /// The run has a directory; nothing is prepared yet.
    fn begun(&mut self, _begin: &RunBegin<'_>) {}

    /// The forecast of the run; nothing was written yet except the area itself.
    fn ahead(&mut self, _verb: &str, _forecast: &Forecast) {}

    /// A search begins its next trial.
    fn searching(&mut self, _step: &SearchProgress) {}

    /// Everything is prepared; this is the run's clock.
    fn clock_began(&mut self, _clock: Clock) {}

    /// A new phase begins: preparing, measuring, verifying.
    fn phase(&mut self, _name: &str) {}

    /// The test files of an earlier run are about to be removed, because their space is needed.
    fn removing_data_set(&mut self, _set: &OtherSet) {}

    /// The progress of the data set.
    fn prepared(&mut self, _done_bytes: u64, _total_bytes: u64) {}

    /// The progress of reading back the run's writes and comparing them.
    fn verified(&mut self, _checked_bytes: u64) {}

    /// A load point is ready. An observer that makes it begin together with others waits here.
    fn begins(&mut self, _ahead: &PointAhead<'_>, _interrupt: &Interrupt) -> Start {
        Start::Now
    }

    /// A trial is ready. An observer that waits for a decision made elsewhere waits here.
    fn next_trial(&mut self, _ahead: &TrialAhead, _interrupt: &Interrupt) -> NextTrial {
        NextTrial::Enough
    }

    /// The trial was made, and judged.
    fn trial_judged(&mut self, _judged: TrialJudged) {}

    /// The load point began, at this time on the run's clock.
    fn point_began(&mut self, _index: u16, _begun_ns: u64) {}

    /// The load point is over; whether it was complete.
    fn point_over(&mut self, _index: u16, _is_complete: bool) {}

    /// All load points are over; whether they were complete. An observer whose work ends with the load
    /// waits here.
    fn load_over(&mut self, _is_complete: bool, _interrupt: &Interrupt) {}

    /// Whether the next [`Live`] should have [`Live::response_counts`]; it may be the load point's last
    /// one.
    fn wants_response_counts(&mut self, _is_over: bool) -> bool {
        false
    }

    /// Called about four times a second during a load point.
    fn live(&mut self, _live: &Live) {}

    /// The run is over; clear the display.
    fn finished(&mut self) {}
}

/// Ignores all events.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Observer for Silent {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_time_with_unanswered_requests() {
        let s = |seconds| Some(Duration::from_secs(seconds));
        let silence = |longest, since_answer| Waiting::of(longest, since_answer).silence();
        // Nothing is in flight, so the time since the last response does not matter.
        assert_eq!(silence(None, s(9)), None);
        // An operation was issued long after the last answer.
        assert_eq!(silence(s(2), s(9)), s(2));
        // One operation hangs; others have completed since.
        assert_eq!(silence(s(9), s(2)), s(2));
        assert_eq!(silence(s(9), Some(Duration::from_millis(399))), None);
        // The very first hangs.
        assert_eq!(silence(s(3), None), s(3));
    }
}
