//! What a run tells whoever watches it. The terminal's progress bar is one; a test is another.

use std::path::Path;
use std::time::Duration;

use reelgauge_engine::clock::Clock;

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
#[derive(Clone, Debug, PartialEq)]
pub struct Live {
    /// What the load point is called.
    pub label: String,
    /// Since it began, warm-up included.
    pub elapsed: Duration,
    /// How much of that is warm-up.
    pub warmup: Duration,
    /// How long it will take, warm-up included.
    pub total: Duration,
    /// Since the last time; 0 during the warm-up.
    pub read_bytes_per_s: f64,
    /// Since the last time; 0 during the warm-up.
    pub write_bytes_per_s: f64,
    /// Frames known to be late by now, in this load point; `None` where there are no frames.
    pub late_frames: Option<u64>,
}

/// Is told how a run goes. Every method may be left out.
pub trait Observer {
    /// The run has a directory; nothing is prepared yet.
    fn begun(&mut self, _begin: &RunBegin<'_>) {}

    /// Everything is prepared, and this is the run's clock.
    fn clock_began(&mut self, _clock: Clock) {}

    /// A new phase begins: preparing, measuring, verifying.
    fn phase(&mut self, _name: &str) {}

    /// So much of the data set is there.
    fn prepared(&mut self, _done_bytes: u64, _total_bytes: u64) {}

    /// So much of what the run wrote was read back and compared.
    fn verified(&mut self, _checked_bytes: u64) {}

    /// About four times a second while a load point runs.
    fn live(&mut self, _live: &Live) {}

    /// The run is over; clear the display.
    fn finished(&mut self) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Observer for Silent {}
