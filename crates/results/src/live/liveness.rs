//! Whether a run is going on, from its `live.jsonl` and its process.
//!
//! The file may be cut off anywhere, or belong to no run at all. Lines without an event are skipped, and
//! no line is kept in memory that is longer than any event.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use reelgauge_record::regular_file::open_regular;

use super::process::{has_died_here, is_alive};
use super::{LiveEvent, LiveOutcome, path_in};

/// The longest line that is read: paths and reasons have at most a few thousand characters.
pub const LINE_MAX: usize = 64 << 10;

/// Whether a run is going on.
#[derive(Clone, Debug, PartialEq)]
pub enum Life {
    /// It has reported nothing.
    Unknown,
    /// Its process exists and has not reported its end.
    Running(Begin),
    /// It reported its end: how, and why if it did not complete.
    Ended(LiveOutcome, Option<String>),
    /// Its process no longer exists, and never reported its end.
    Gone(Begin),
}

/// How a run began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Begin {
    /// The process that measures.
    pub pid: u32,
    /// Distinguishes it from others with that number.
    pub process: String,
    pub verb: String,
    /// As in the summary.
    pub label: String,
    /// The directory that is measured.
    pub target: String,
}

impl Begin {
    /// Whether its process exists.
    pub fn is_alive(&self, run_dir: &Path) -> bool {
        is_alive(self.pid, &self.process, &path_in(run_dir))
    }

    /// Whether its process certainly no longer exists: it ran on this host in the current boot. For a
    /// process on another host, nothing is certain.
    pub fn has_died_here(&self) -> bool {
        has_died_here(self.pid, &self.process)
    }
}

/// Whether the run in this directory is going on.
pub fn life(run_dir: &Path) -> Life {
    let Some(begin) = begin(run_dir) else { return Life::Unknown };
    // In this order: between the two checks, it may report its end and exit.
    let is_alive = begin.is_alive(run_dir);
    match last(run_dir) {
        Some(LiveEvent::End { outcome, reason, .. }) => Life::Ended(outcome, reason),
        _ if is_alive => Life::Running(begin),
        _ => Life::Gone(begin),
    }
}

/// How the run in this directory began, if it has reported it.
pub fn begin(run_dir: &Path) -> Option<Begin> {
    let mut head = Vec::new();
    let (file, _) = open_regular(&path_in(run_dir)).ok()?;
    file.take(LINE_MAX as u64).read_to_end(&mut head).ok()?;
    let line = head.split(|&byte| byte == b'\n').next()?;
    match LiveEvent::from_line(line)? {
        LiveEvent::Begin { pid, process, verb, label, target, .. } => {
            Some(Begin { pid, process, verb, label, target })
        }
        _ => None,
    }
}

/// The last event of the run in this directory.
pub fn last(run_dir: &Path) -> Option<LiveEvent> {
    let (mut file, metadata) = open_regular(&path_in(run_dir)).ok()?;
    file.seek(SeekFrom::Start(metadata.len().saturating_sub(LINE_MAX as u64))).ok()?;
    let mut tail = Vec::new();
    file.take(LINE_MAX as u64).read_to_end(&mut tail).ok()?;
    // A line without an end is still being written.
    let whole = &tail[..tail.iter().rposition(|&byte| byte == b'\n')?];
    whole.rsplit(|&byte| byte == b'\n').find_map(LiveEvent::from_line)
}
