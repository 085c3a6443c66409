//! What a run tells whoever watches it. The terminal's progress bar is one; a test is another.

use std::path::Path;
use std::time::Duration;

use reelgauge_analysis::ResponseCounts;
use reelgauge_analysis::facts::StoppedBy;
use reelgauge_analysis::forecast::Forecast;
use reelgauge_analysis::late::StreamNow;
use reelgauge_engine::clock::Clock;
use reelgauge_engine::dataset::OtherSet;

use crate::interrupt::Interrupt;

/// A run whose target was taken, and which has a place for its results.
#[derive(Clone, Copy, Debug)]
pub struct RunBegin<'a> {
    /// Its directory.
    pub run_dir: &'a Path,
    /// The command: `mix`, `streams`, …
    pub verb: &'a str,
    /// As in the summary.
    pub label: &'a str,
    /// The directory that is measured, absolute.
    pub target: &'a Path,
}

/// The state of a load point that is being measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// On the run's clock: everything is as it was then.
    pub at_ns: u64,
    /// What the load point is called.
    pub label: String,
    /// Since it began, warm-up included.
    pub elapsed: Duration,
    /// How much of that is warm-up.
    pub warmup: Duration,
    /// How long it will take, warm-up included.
    pub total: Duration,
    /// Since the last time, also during the warm-up.
    pub read_bytes_per_s: f64,
    /// Since the last time, also during the warm-up.
    pub write_bytes_per_s: f64,
    /// Late frames by the clock, in this load point; `None` where there are no frames.
    pub late_frames: Option<u64>,
    /// The smallest margin of all streams now; `None` where nothing is due.
    pub margin_ns: Option<i64>,
    /// The streams that stand worst, worst first; [`STREAMS_MOST`] at most.
    pub streams: Vec<StreamNow>,
    /// Reads, writes and whatever else was measured since the load point began, without the warm-up.
    pub ops: u64,
    /// Operations that failed.
    pub failed_ops: u64,
    /// Bytes read since it began, without the warm-up.
    pub read_bytes: u64,
    /// Bytes written since it began, without the warm-up.
    pub written_bytes: u64,
    /// Response times of reads and writes since it began; `None` where nobody wanted them.
    pub response_counts: Option<ResponseCounts>,
    /// What is waited for.
    pub waiting: Waiting,
    /// The load point has just ended: nothing of it comes behind this.
    pub is_over: bool,
}

/// More streams than this are not told of singly.
pub const STREAMS_MOST: usize = 64;

/// How long the storage has kept us waiting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Since the oldest operation in flight was issued; `None` when none is.
    pub longest_in_flight: Option<Duration>,
    /// How long something has been in flight and nothing at all was answered; `None` when nothing is in
    /// flight.
    pub no_answer: Option<Duration>,
}

impl Waiting {
    /// Answers that take less are no news.
    pub const SHOWN: Duration = Duration::from_millis(400);

    /// From how long the oldest operation has been in flight, and how long ago the latest was done.
    pub fn of(longest_in_flight: Option<Duration>, since_answer: Option<Duration>) -> Waiting {
        let no_answer = longest_in_flight.map(|longest| since_answer.map_or(longest, |ago| ago.min(longest)));
        Waiting { longest_in_flight, no_answer }
    }

    /// How long nothing was answered, where that is long enough to be said.
    pub fn silence(&self) -> Option<Duration> {
        self.no_answer.filter(|silence| *silence >= Waiting::SHOWN)
    }
}

/// Where a search stands, before its next trial.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchStep {
    /// The number of the trial that begins, from 1; those of a run that it goes on from count as well.
    pub trial: u32,
    /// What is tried, in words: `12 players`.
    pub label: String,
    /// The largest load that passed every time, below all that ever failed.
    pub passed: Option<String>,
    /// The smallest load that failed, above all that ever passed.
    pub failed: Option<String>,
    /// Since the search began.
    pub elapsed: Duration,
    /// How long it takes at most, on a target that answers steadily; see [`Forecast`].
    pub at_most: Option<Duration>,
}

/// A load point that could begin.
#[derive(Clone, Copy, Debug)]
pub struct PointAhead<'a> {
    /// From 0.
    pub index: u16,
    /// What screens call it.
    pub label: &'a str,
    /// How many workers it has.
    pub workers: u32,
    /// Left out of the figures.
    pub warmup_ns: u64,
    /// In them.
    pub measured_ns: u64,
}

/// A trial that could be made, in a run whose trials somebody else decides on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialAhead {
    /// Its load point, from 0.
    pub point: u16,
    /// The largest scale that this machine can try.
    pub most: u32,
    /// The largest that it can hold on with for as long as an answer must.
    pub most_confirmed: u32,
    /// What keeps it from more.
    pub limited_by: StoppedBy,
}

/// What comes next, where somebody else decides on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextTrial {
    /// A trial.
    Try {
        /// With this scale; 0 where this machine has nothing to do in it.
        scale: u32,
        /// For as long as an answer must hold on.
        confirms: bool,
    },
    /// Nothing: the answer is known, or never will be.
    Enough,
    /// The run was stopped meanwhile.
    Never,
}

/// How a trial went, as far as this machine took part in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrialJudged {
    /// Its load point, from 0.
    pub point: u16,
    /// Whether its criteria were met.
    pub passed: bool,
    /// Whether this machine, and not the storage, was the limit. Only matters where it did not pass.
    pub limited_by_client: bool,
}

/// When a load point begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// As soon as it is ready.
    Now,
    /// At this time on the run's clock, or as soon as it is ready after that.
    At {
        /// When.
        run_ns: u64,
    },
    /// The run was stopped meanwhile.
    Never,
}

/// Is told how a run goes, and may say when a load point begins. Every method may be left out.
pub trait Observer {
    /// The run has a directory; nothing is prepared yet.
    fn begun(&mut self, _begin: &RunBegin<'_>) {}

    /// What the run is going to take; nothing was written yet but the area itself.
    fn ahead(&mut self, _verb: &str, _forecast: &Forecast) {}

    /// A search begins its next trial.
    fn searching(&mut self, _step: &SearchStep) {}

    /// Everything is prepared, and this is the run's clock.
    fn clock_began(&mut self, _clock: Clock) {}

    /// A new phase begins: preparing, measuring, verifying.
    fn phase(&mut self, _name: &str) {}

    /// The test files of an earlier run are about to be removed, because their room is needed.
    fn giving_back(&mut self, _set: &OtherSet) {}

    /// So much of the data set is there.
    fn prepared(&mut self, _done_bytes: u64, _total_bytes: u64) {}

    /// So much of what the run wrote was read back and compared.
    fn verified(&mut self, _checked_bytes: u64) {}

    /// A load point could begin. Whoever has it begin together with others waits here.
    fn begins(&mut self, _ahead: &PointAhead<'_>, _interrupt: &Interrupt) -> Start {
        Start::Now
    }

    /// A trial could be made, of which somebody else decides what it is. Whoever does waits here.
    fn next_trial(&mut self, _ahead: &TrialAhead, _interrupt: &Interrupt) -> NextTrial {
        NextTrial::Enough
    }

    /// It was made, and judged.
    fn trial_judged(&mut self, _judged: TrialJudged) {}

    /// It began, at this time on the run's clock.
    fn point_began(&mut self, _index: u16, _begun_ns: u64) {}

    /// It is over, and whether nothing stopped it.
    fn point_over(&mut self, _index: u16, _is_complete: bool) {}

    /// All load points are over, and whether nothing stopped them. Whoever has something end with the load
    /// waits here.
    fn load_over(&mut self, _is_complete: bool, _interrupt: &Interrupt) {}

    /// Whether the next [`Live`] should have [`Live::response_counts`]; it may be the load point's last.
    fn wants_response_counts(&mut self, _is_over: bool) -> bool {
        false
    }

    /// About four times a second while a load point runs.
    fn live(&mut self, _live: &Live) {}

    /// The run is over; clear the display.
    fn finished(&mut self) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Observer for Silent {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_what_was_asked_for_and_not_answered() {
        let s = |seconds| Some(Duration::from_secs(seconds));
        let silence = |longest, since_answer| Waiting::of(longest, since_answer).silence();
        // Nothing was asked for, however long ago the last answer came.
        assert_eq!(silence(None, s(9)), None);
        // An operation was issued long after the last answer.
        assert_eq!(silence(s(2), s(9)), s(2));
        // One hangs; others were answered since.
        assert_eq!(silence(s(9), s(2)), s(2));
        assert_eq!(silence(s(9), Some(Duration::from_millis(399))), None);
        // The very first hangs.
        assert_eq!(silence(s(3), None), s(3));
    }
}
