//! The cost of Reelgauge itself, and whether its timing was good enough for its figures.

mod judge;

pub use judge::GOOD_SHARE;
use serde::{Deserialize, Serialize};

use crate::pause::Pause;

/// A shorter gap only means that the watchdog woke late on a busy host. Even many of them in a row do
/// not stop the work.
pub const STOP_FROM_NS: u64 = 100_000_000;

/// The times of a run in which Reelgauge did not run while it measured; see [`crate::pause`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PausedTotal {
    /// The number of pauses.
    pub count: u64,
    /// The total length of the pauses that are long enough to be a stop: see [`STOP_FROM_NS`].
    pub total_ns: u64,
    /// The longest; `None` without any.
    pub longest: Option<Pause>,
}

impl PausedTotal {
    /// Counts the part of a pause that is in a measured period, if any.
    pub fn add_within(&mut self, pause: Pause, from_ns: u64, until_ns: u64) {
        if pause.within_ns(from_ns, until_ns) > 0 {
            self.add(Pause { from_ns: pause.from_ns.max(from_ns), until_ns: pause.until_ns.min(until_ns) });
        }
    }

    pub fn add(&mut self, pause: Pause) {
        self.count += 1;
        self.total_ns += if pause.length_ns() >= STOP_FROM_NS { pause.length_ns() } else { 0 };
        if self.longest.is_none_or(|longest| longest.length_ns() < pause.length_ns()) {
            self.longest = Some(pause);
        }
    }
}

/// The cost of Reelgauge itself over a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SelfCost {
    /// CPU time in Reelgauge's own code. `None` if the process was killed before it could report it.
    pub cpu_user_s: Option<f64>,
    /// CPU time in the kernel on behalf of Reelgauge; most of it is the I/O itself.
    pub cpu_system_s: Option<f64>,
    /// Both, per operation. `None` if there was no operation or the time is unknown.
    pub cpu_us_per_op: Option<f64>,
    /// Half of the operations were issued no later than this after they were due.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub lateness_p50_us: Option<f64>,
    /// 99 of 100 operations were issued no later than this after they were due.
    pub lateness_p99_us: Option<f64>,
    /// The latest.
    pub lateness_max_us: Option<f64>,
    /// The median response time of all reads and writes, with which the delay is compared.
    #[serde(default)]
    pub response_p50_us: Option<f64>,
    /// The largest scheduling delay of any stream's operation, pauses included. `None` without streams.
    #[serde(default)]
    pub own_delay_max_us: Option<f64>,
    /// The shortest buffer of any stream, with which the delay is compared.
    #[serde(default)]
    pub shortest_buffer_s: Option<f64>,
    /// How long Reelgauge did not run at all while it measured: gaps of 0.1 s or more in which the work
    /// was late, too. `None` if this was not monitored.
    #[serde(default)]
    pub paused_s: Option<f64>,
    /// The longest such pause.
    #[serde(default)]
    pub longest_pause_s: Option<f64>,
    /// Its start, since the start of the run.
    #[serde(default)]
    pub longest_pause_began_s: Option<f64>,
    /// Whether Reelgauge's timing was good enough. With streams: its largest delay was below a quarter
    /// of the shortest buffer and made no frame late. Other runs: 99 of 100 operations were issued
    /// within 50 µs or a tenth of the median response, and it was stopped for at most 2 % of the time.
    /// `None` if nothing was measured.
    pub timing_good_enough: Option<bool>,
    /// The same as a sentence. Empty before the summary is written out.
    pub sentence: String,
}
