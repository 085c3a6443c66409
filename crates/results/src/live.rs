//! `live.jsonl` in a run directory: the events of a running run, one per line.
//!
//! Programs that watch a run from outside (the console) read this file; the run itself never waits for
//! them. [`liveness`] and [`process`] determine whether the run that wrote it is still going on.
//!
//! Not here: who writes events (the runner, a fleet's controller), and figures. Measurements are in the
//! summary and the log; this file is for display, and may have gaps.

pub mod liveness;
pub mod process;
pub mod writer;

use std::path::{Path, PathBuf};

use reelgauge_analysis::{Outcome, Summary};
use serde::{Deserialize, Serialize};

/// The file's name in a run directory.
pub const FILE_NAME: &str = "live.jsonl";

/// An event: a line of the file. `at_s` is in seconds on the run's clock, and 0 before the clock begins,
/// while the run prepares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum LiveEvent {
    /// The first event.
    Begin {
        /// On the run's clock.
        at_s: f64,
        /// The process that measures; a signal to it reaches the run.
        pid: u32,
        /// Distinguishes this process from a later one with the same number; empty if the system does
        /// not support it.
        #[serde(default)]
        process: String,
        /// The command: `mix`, `streams`, …
        verb: String,
        /// As in the summary.
        label: String,
        /// The directory that is measured, absolute.
        target: String,
    },
    /// A new phase begins.
    Phase {
        /// On the run's clock.
        at_s: f64,
        /// "preparing", "measuring", "searching", …
        name: String,
    },
    /// Progress of the test files. Once a second at most.
    Prepared {
        /// On the run's clock.
        at_s: f64,
        /// Bytes that exist.
        done_bytes: u64,
        /// Bytes in total.
        total_bytes: u64,
    },
    /// Progress of reading back and comparing what the run wrote. Once a second at most.
    Verified {
        /// On the run's clock.
        at_s: f64,
        /// Bytes compared.
        checked_bytes: u64,
    },
    /// The state of the current load point.
    Live(Box<LiveTick>),
    /// The last event.
    End {
        /// On the run's clock.
        at_s: f64,
        /// How it ended.
        outcome: LiveOutcome,
        /// The reason, if it did not complete.
        reason: Option<String>,
        /// Late frames of all load points, as in the summary; `None` if there are no frames, and without
        /// a summary.
        #[serde(default)]
        late_frames: Option<u64>,
        /// Incidents of all load points, as in the summary; `None` as with the late frames.
        #[serde(default)]
        incidents: Option<u64>,
    },
}

/// The state of a load point: once a second, immediately when a frame is late, when the storage stops or
/// resumes responding, and when the load point ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LiveTick {
    /// On the run's clock.
    pub at_s: f64,
    /// The load point.
    pub label: String,
    /// Time since it began, including the warm-up.
    pub elapsed_s: f64,
    /// How much of that is warm-up.
    pub warmup_s: f64,
    /// The expected duration; `None` if it is unknown.
    pub total_s: Option<f64>,
    /// Since the previous tick, including the warm-up, which is in no figure of the report.
    pub read_bytes_per_s: f64,
    /// Since the previous tick, including the warm-up, which is in no figure of the report.
    pub write_bytes_per_s: f64,
    /// By the clock, in this load point; `None` if there are no frames. A frame is late as soon as its
    /// deadline has passed. None is counted during the warm-up.
    pub late_frames: Option<u64>,
    /// The smallest margin of all streams since the previous tick, rounded down: the time until the
    /// deadline of the next missing frame. Negative if it was overdue; `None` if nothing was due.
    #[serde(default)]
    pub margin_ms: Option<i64>,
    /// How long the oldest operation has been in flight; `None` if there is none.
    #[serde(default)]
    pub longest_in_flight_s: Option<f64>,
    /// How long operations have been in flight without any completion; `None` while completions come
    /// within 0.4 s.
    #[serde(default)]
    pub no_answer_s: Option<f64>,
    /// Incidents in this load point: late frames less than a second apart are one incident. `None` if
    /// there are no frames.
    #[serde(default)]
    pub incidents: Option<u64>,
    /// The latest of them.
    #[serde(default)]
    pub incident: Option<LiveIncident>,
    /// Streams that have frames, the worst first; at most 64.
    #[serde(default)]
    pub streams: LiveStreams,
    /// In a run on several hosts, the state of each of them.
    #[serde(default)]
    pub hosts: LiveHosts,
}

/// An incident while it happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LiveIncident {
    /// Since the load point began, including the warm-up: when the storage stopped responding, or the
    /// first frame was late.
    pub began_in_point_s: f64,
    /// Late frames so far.
    pub late_frames: u64,
    /// The longest time in it without a completion; `None` if that was below 0.4 s.
    pub no_answer_s: Option<f64>,
    /// Whether no frame has been late for a second.
    pub is_over: bool,
}

/// Streams in columns: each stream has the same index in all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LiveStreams {
    /// The stream numbers.
    pub stream: Vec<u32>,
    /// As in the tick.
    pub late_frames: Vec<u64>,
    /// As in the tick.
    pub margin_ms: Vec<Option<i64>>,
    /// How long they may lag.
    pub buffer_ms: Vec<u64>,
    /// In a run on several hosts, the host of each stream: numbers are per host. Otherwise empty.
    #[serde(default)]
    pub host: Vec<String>,
}

/// The hosts of a run on several hosts, in columns: each host has the same index in all of them.
/// Otherwise empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LiveHosts {
    /// Their agents' names, in the plan's order.
    pub name: Vec<String>,
    /// In the last second that it reported; 0 when its part of the load point is over, `None` if it has
    /// not reported anything in this load point.
    pub read_bytes_per_s: Vec<Option<f64>>,
    /// The same for writes.
    pub write_bytes_per_s: Vec<Option<f64>>,
    /// In this load point; `None` if there are no frames, or nothing was reported.
    pub late_frames: Vec<Option<u64>>,
    /// As in the tick.
    pub no_answer_s: Vec<Option<f64>>,
    /// Why it is missing; `None` while it takes part.
    pub missing: Vec<Option<String>>,
    /// Hosts that are omitted here; missing, late or silent ones come before others.
    pub left_out: u32,
}

/// How a run ended, in the words of the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LiveOutcome {
    /// As planned.
    Complete,
    /// The user stopped it.
    Interrupted,
    /// It was aborted by an error.
    BrokeOff,
}

/// The path of a run's events.
pub fn path_in(run_dir: &Path) -> PathBuf {
    run_dir.join(FILE_NAME)
}

impl LiveEvent {
    /// Parses the event of a line; `None` for other lines, such as one that a crash cut off.
    pub fn from_line(line: &[u8]) -> Option<LiveEvent> {
        serde_json::from_slice(line).ok()
    }

    /// The last event of a run that has these figures.
    pub fn end_of(summary: &Summary, at_s: f64) -> LiveEvent {
        let late = summary.load_points.iter().filter_map(|point| point.streams.as_ref());
        let outcome = match summary.outcome {
            Outcome::Complete => LiveOutcome::Complete,
            Outcome::Interrupted => LiveOutcome::Interrupted,
            Outcome::BrokeOff | Outcome::Running => LiveOutcome::BrokeOff,
        };
        LiveEvent::End {
            at_s,
            outcome,
            reason: summary.outcome_reason.clone(),
            late_frames: late.clone().map(|late| late.total.late_frames).reduce(|sum, more| sum + more),
            incidents: late.map(|late| late.incident_count).reduce(|sum, more| sum + more),
        }
    }

    /// As a line, without a line feed. It contains no line breaks, whatever names it has.
    pub fn to_line(&self) -> String {
        // Numbers and strings alone can always be converted to JSON.
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn events_are_lines_as_the_page_expects_them() {
        let begin = LiveEvent::Begin {
            at_s: 0.0,
            pid: 7,
            process: String::new(),
            verb: "mix".to_owned(),
            label: "a\nb".to_owned(),
            target: "/mnt/\u{2028}x".to_owned(),
        };
        let line = begin.to_line();
        assert!(line.starts_with(r#"{"event":"begin","at_s":0.0,"pid":7"#), "{line}");
        assert!(!line.contains('\n') && line.contains(r"a\nb"), "{line}");
        assert_eq!(LiveEvent::from_line(line.as_bytes()), Some(begin));
        let end = LiveEvent::End {
            at_s: 1.5,
            outcome: LiveOutcome::BrokeOff,
            reason: None,
            late_frames: Some(7),
            incidents: Some(1),
        };
        let line =
            r#"{"event":"end","at_s":1.5,"outcome":"broke_off","reason":null,"late_frames":7,"incidents":1}"#;
        assert_eq!(end.to_line(), line);
        // The format before ticks and ends had this many fields.
        let old = br#"{"event":"end","at_s":1.5,"outcome":"broke_off","reason":null}"#;
        assert!(matches!(LiveEvent::from_line(old), Some(LiveEvent::End { late_frames: None, .. })));
        let old = br#"{"event":"live","at_s":1.0,"label":"p","elapsed_s":1.0,"warmup_s":0.0,"total_s":null,
            "read_bytes_per_s":1.0,"write_bytes_per_s":0.0,"late_frames":3}"#;
        assert!(matches!(LiveEvent::from_line(old), Some(LiveEvent::Live(tick)) if tick.margin_ms.is_none()));
        assert_eq!(LiveEvent::from_line(br#"{"event":"end","at_s":1"#), None);
        assert_eq!(LiveEvent::from_line(br#"{"event":"unheard-of","at_s":1}"#), None);
    }
}
