//! `live.jsonl`: what a run tells while it goes on, a line for each event, in its run directory.
//!
//! Whoever watches a run from outside (the console) reads this file; the run itself never waits for anybody.
//! [`liveness`] and [`process`] tell whether the run that wrote it goes on.
//!
//! Not here: who has something to write (the runner, a fleet's controller), and figures. What is measured
//! stands in the summary and the log; this is to look at, and it may have gaps.

pub mod liveness;
pub mod process;
pub mod writer;

use std::path::{Path, PathBuf};

use reelgauge_analysis::{Outcome, Summary};
use serde::{Deserialize, Serialize};

/// The file's name in a run directory.
pub const FILE_NAME: &str = "live.jsonl";

/// An event: a line of the file. `at_s` is seconds on the run's clock, and 0 before the clock begins, while
/// the run prepares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum LiveEvent {
    /// The first of all.
    Begin {
        /// On the run's clock.
        at_s: f64,
        /// The process that measures; a signal to it reaches the run.
        pid: u32,
        /// Tells this process from a later one with the same number; empty where the system doesn't tell.
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
    /// So much of the test files is there. Once a second at most.
    Prepared {
        /// On the run's clock.
        at_s: f64,
        /// Bytes that are there.
        done_bytes: u64,
        /// Bytes that there will be.
        total_bytes: u64,
    },
    /// So much of what the run wrote was read back and compared. Once a second at most.
    Verified {
        /// On the run's clock.
        at_s: f64,
        /// Bytes compared.
        checked_bytes: u64,
    },
    /// The load point that is being measured.
    Live(Box<LiveTick>),
    /// The last of all.
    End {
        /// On the run's clock.
        at_s: f64,
        /// How it ended.
        outcome: LiveOutcome,
        /// Why, where it did not complete.
        reason: Option<String>,
        /// Late frames of all load points, as in the summary; `None` where there are no frames, and without
        /// a summary.
        #[serde(default)]
        late_frames: Option<u64>,
        /// Incidents of all load points, as in the summary; `None` as with the late frames.
        #[serde(default)]
        incidents: Option<u64>,
    },
}

/// The state of a load point: once a second, at once when a frame is late, when the storage falls silent and
/// when it speaks again, and when the load point ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LiveTick {
    /// On the run's clock.
    pub at_s: f64,
    /// The load point.
    pub label: String,
    /// Since it began, warm-up included.
    pub elapsed_s: f64,
    /// How much of that is warm-up.
    pub warmup_s: f64,
    /// How long it will take; `None` where nobody knows.
    pub total_s: Option<f64>,
    /// Since the tick before, also during the warm-up, which is in no figure of the report.
    pub read_bytes_per_s: f64,
    /// Since the tick before, also during the warm-up, which is in no figure of the report.
    pub write_bytes_per_s: f64,
    /// By the clock, in this load point; `None` where there are no frames. A frame is late as soon as its
    /// deadline has passed. None is counted during the warm-up.
    pub late_frames: Option<u64>,
    /// The smallest margin of all streams since the tick before, rounded down: how long until a frame was
    /// needed that had not come. Negative when it was overdue; `None` where nothing was due.
    #[serde(default)]
    pub margin_ms: Option<i64>,
    /// How long the oldest operation in flight has been so; `None` when none is.
    #[serde(default)]
    pub longest_in_flight_s: Option<f64>,
    /// How long something has been in flight and nothing was answered; `None` while answers come, which may
    /// take 0.4 s.
    #[serde(default)]
    pub no_answer_s: Option<f64>,
    /// Incidents in this load point: late frames with less than a second between them are one. `None` where
    /// there are no frames.
    #[serde(default)]
    pub incidents: Option<u64>,
    /// The latest of them.
    #[serde(default)]
    pub incident: Option<LiveIncident>,
    /// Streams that have frames, the worst first; at most 64.
    #[serde(default)]
    pub streams: LiveStreams,
    /// Of a run on many machines, how each of them stands.
    #[serde(default)]
    pub hosts: LiveHosts,
}

/// An incident while it happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LiveIncident {
    /// Since the load point began, warm-up included: when nothing was answered any more, or the first frame
    /// was late.
    pub began_in_point_s: f64,
    /// Late frames so far.
    pub late_frames: u64,
    /// The longest time in it in which nothing was answered; `None` where that was below 0.4 s.
    pub no_answer_s: Option<f64>,
    /// Whether no frame has been late for a second.
    pub is_over: bool,
}

/// Streams in columns: each has its place in every one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LiveStreams {
    /// Their numbers.
    pub stream: Vec<u32>,
    /// As in the tick.
    pub late_frames: Vec<u64>,
    /// As in the tick.
    pub margin_ms: Vec<Option<i64>>,
    /// How long they may lag.
    pub buffer_ms: Vec<u64>,
    /// Of a run on many machines, whose they are: numbers are each host's own. Empty on one machine.
    #[serde(default)]
    pub host: Vec<String>,
}

/// Machines of a run on many, in columns: each has its place in every one of them. Empty on one machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LiveHosts {
    /// Their agents' names, in the plan's order.
    pub name: Vec<String>,
    /// In the last second that it told of; 0 when its part of the load point is over, `None` where it has
    /// told nothing of this load point.
    pub read_bytes_per_s: Vec<Option<f64>>,
    /// As what is read.
    pub write_bytes_per_s: Vec<Option<f64>>,
    /// In this load point; `None` where there are no frames, or nothing was told.
    pub late_frames: Vec<Option<u64>>,
    /// As in the tick.
    pub no_answer_s: Vec<Option<f64>>,
    /// Why it is missing; `None` while it takes part.
    pub missing: Vec<Option<String>>,
    /// So many more hosts have no place here; those that are missing, late or silent go before others.
    pub left_out: u32,
}

/// How a run ended. The same words as in the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum LiveOutcome {
    /// As planned.
    Complete,
    /// Somebody stopped it.
    Interrupted,
    /// It could not go on.
    BrokeOff,
}

/// Where the events of a run lie.
pub fn path_in(run_dir: &Path) -> PathBuf {
    run_dir.join(FILE_NAME)
}

impl LiveEvent {
    /// The event in a line; `None` for a line that is none, such as one that a crash cut off.
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

    /// As a line, without its end. It has no line break in it, whatever names it carries.
    pub fn to_line(&self) -> String {
        // Numbers and strings alone; there is nothing that JSON could refuse.
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
        // As it was before ticks and ends said so much.
        let old = br#"{"event":"end","at_s":1.5,"outcome":"broke_off","reason":null}"#;
        assert!(matches!(LiveEvent::from_line(old), Some(LiveEvent::End { late_frames: None, .. })));
        let old = br#"{"event":"live","at_s":1.0,"label":"p","elapsed_s":1.0,"warmup_s":0.0,"total_s":null,
            "read_bytes_per_s":1.0,"write_bytes_per_s":0.0,"late_frames":3}"#;
        assert!(matches!(LiveEvent::from_line(old), Some(LiveEvent::Live(tick)) if tick.margin_ms.is_none()));
        assert_eq!(LiveEvent::from_line(br#"{"event":"end","at_s":1"#), None);
        assert_eq!(LiveEvent::from_line(br#"{"event":"unheard-of","at_s":1}"#), None);
    }
}
