//! Several runs of a fleet, one after another: their estimated time and space, and the result of each.
//!
//! Not here: a single run ([`crate::fleet_run`]).

use reelgauge_analysis::hosts::TargetScale;
use serde::{Deserialize, Serialize};

use crate::fleet_run::{PlacedLine, fleet_placed};
use crate::hosts::scale_words;
use crate::text::plain_short;
use crate::units::{amount, counted, moment};

/// Longer names and reasons are cut.
const SAID_CHARS_MAX: usize = 200;

/// The result of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum StepResult {
    /// It has not started yet.
    #[default]
    NotRun,
    /// It is in progress, or its controller is no longer running.
    GoesOn {
        /// The name of the run.
        run: String,
    },
    /// It was interrupted. It is repeated when the sequence is resumed.
    BrokenOff {
        /// The reason, as text.
        why: String,
    },
    /// Its criteria were met.
    Met,
    /// Its criteria were not met.
    NotMet,
    /// It is inconclusive about its criteria.
    Inconclusive,
    /// It has figures, and no criteria were set.
    Measured,
    /// It has no figures, or not those of all agents.
    NotMeasured {
        /// The reason, as text.
        why: String,
    },
}

impl StepResult {
    /// Whether it is finished and will not be repeated.
    pub fn is_done(&self) -> bool {
        !matches!(self, StepResult::NotRun | StepResult::GoesOn { .. } | StepResult::BrokenOff { .. })
    }

    /// Whether it has the figures of all agents.
    pub fn is_measured(&self) -> bool {
        matches!(self, StepResult::Met | StepResult::NotMet | StepResult::Inconclusive | StepResult::Measured)
    }

    fn words(&self) -> String {
        let plain = |why: &str| plain_short(why, SAID_CHARS_MAX);
        match self {
            StepResult::NotRun => "not run".to_owned(),
            StepResult::GoesOn { run } => format!("running as run {}", plain(run)),
            StepResult::BrokenOff { why } => format!("broken off: {}", plain(why)),
            StepResult::Met => "met".to_owned(),
            StepResult::NotMet => "not met".to_owned(),
            StepResult::Inconclusive => "inconclusive".to_owned(),
            StepResult::Measured => "measured; no criteria were set".to_owned(),
            StepResult::NotMeasured { why } => format!("not measured: {}", plain(why)),
        }
    }
}

/// One of several runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepLine {
    /// Its place in the order.
    pub number: u32,
    /// Its title in the plan.
    pub title: String,
    /// How far it is, and its verdict.
    pub result: StepResult,
    /// Its run directory, if there is one.
    pub dir: Option<String>,
}

/// The result of each run, one line each.
pub fn fleet_steps(lines: &[StepLine]) -> String {
    let line = |line: &StepLine| {
        let dir = line.dir.as_ref().map(|dir| format!(" ({dir})")).unwrap_or_default();
        let title = plain_short(&line.title, SAID_CHARS_MAX);
        format!("{}. {title}: {}{dir}\n", line.number, line.result.words())
    };
    lines.iter().map(line).collect()
}

/// Compares the rate of a step with more targets with that of a step with fewer, and names both steps.
pub fn fleet_steps_scale(scale: &TargetScale, from_title: &str, to_title: &str) -> String {
    let words = scale_words(scale);
    let plain = |title: &str| plain_short(title, SAID_CHARS_MAX);
    format!("{}: {} ({}).\n", plain(to_title), words.trim_end_matches('.'), plain(from_title))
}

/// Announces the run that begins now.
pub fn fleet_step_begins(number: u32, of: usize, title: &str) -> String {
    format!("Step {number} of {of}: {}.", plain_short(title, SAID_CHARS_MAX))
}

/// Announces the wait before the next run: until a time, or until the user resumes it.
pub fn fleet_rests(number: u32, of: usize, until: Option<&str>) -> String {
    match until {
        Some(until) => format!("step {number} of {of} starts at {until}"),
        None => format!("paused before step {number} of {of}. Continue: reelgauge fleet resume"),
    }
}

/// How to resume the sequence of runs.
pub fn fleet_steps_again(dir: &str) -> String {
    format!("Steps remain. Continue: reelgauge fleet run --resume {dir}")
}

/// The estimate for one of several runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepAhead {
    /// Its place in the order.
    pub number: u32,
    /// Its title in the plan.
    pub title: String,
    /// The work of each agent in it.
    pub placed: Vec<PlacedLine>,
    /// The earliest start time, as text.
    pub not_before: Option<String>,
    /// Seconds of its load points and the pauses between them; `None` if unknown.
    pub seconds: Option<f64>,
    /// The most bytes of files; `None` if unknown.
    pub bytes: Option<u64>,
    /// Seconds of rest after it.
    pub rest_s: f64,
}

/// The estimates for several runs, in their order, and their total.
pub fn fleet_ahead(steps: &[StepAhead]) -> String {
    let mut text = String::new();
    for (at, step) in steps.iter().enumerate() {
        if steps.len() > 1 || !step.title.is_empty() {
            let title = plain_short(&step.title, SAID_CHARS_MAX);
            let agents = counted(step.placed.len() as u64, "agent");
            let from = step.not_before.as_ref().map(|at| format!(", not before {at}")).unwrap_or_default();
            text.push_str(&format!("{}. {title}: {agents}, {}{from}\n", step.number, takes(step)));
        }
        for line in fleet_placed(&step.placed).lines() {
            text.push_str(&format!("   {line}\n"));
        }
        if step.rest_s > 0.0 && at + 1 < steps.len() {
            text.push_str(&format!("   then a pause of {}\n", moment(step.rest_s)));
        }
    }
    text.push_str(&in_all(steps));
    text
}

fn takes(step: &StepAhead) -> String {
    let time = step.seconds.map_or("unknown time".to_owned(), moment);
    let room = step
        .bytes
        .map_or("files of unknown size".to_owned(), |bytes| format!("files of up to {}", amount(bytes)));
    format!("{time}, {room}")
}

fn in_all(steps: &[StepAhead]) -> String {
    let seconds: Option<f64> = steps.iter().map(|step| step.seconds).sum();
    let behind = steps.len().saturating_sub(1);
    let rest_s: f64 = steps.iter().take(behind).map(|step| step.rest_s).sum();
    let bytes: Option<Vec<u64>> = steps.iter().map(|step| step.bytes).collect();
    let time = seconds.map_or("unknown time".to_owned(), |seconds| moment(seconds + rest_s));
    let room = bytes.map_or("unknown space".to_owned(), |bytes| {
        format!("space for {} of files at a time", amount(bytes.into_iter().max().unwrap_or(0)))
    });
    let rest = if rest_s > 0.0 { format!(", including {} of pauses", moment(rest_s)) } else { String::new() };
    let waits = if steps.iter().any(|step| step.not_before.is_some()) {
        " So does waiting for a time of day."
    } else {
        ""
    };
    let runs = counted(steps.len() as u64, "run");
    format!(
        "Total: {runs}, {time}{rest}, {room}. Creating files and fetching results take extra time.{waits}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fleet_run::PlacedLoad;

    fn step(number: u32, title: &str, seconds: Option<f64>) -> StepAhead {
        let placed = vec![PlacedLine {
            agent: "a".to_owned(),
            target: "/mnt/nas".to_owned(),
            does: PlacedLoad::Points(3),
            is_there: false,
        }];
        let (title, bytes) = (title.to_owned(), Some(u64::from(number) * 1_000_000_000));
        StepAhead { number, title, placed, seconds, bytes, rest_s: 30.0, ..StepAhead::default() }
    }

    #[test]
    fn search_is_shown_as_a_search_not_as_a_load_point() {
        let mut printed = Vec::<String>::new();
        let told = |does: PlacedLoad| {
            let mut ahead = step(1, "", None);
            ahead.placed[0].does = does;
            fleet_ahead(&[ahead])
        };
        printed.push(told(PlacedLoad::Seeks(Some(400))));
        printed.push(told(PlacedLoad::Seeks(None)).to_string());
        printed.push(told(PlacedLoad::Points(1)).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn remaining_steps_are_shown_in_order_with_a_total() {
        let night = StepAhead { not_before: Some("22:30".to_owned()), ..step(2, "edit\u{7}", Some(60.0)) };
        insta::assert_snapshot!(fleet_ahead(&[step(1, "ramp", Some(12.0)), night]));
    }

    #[test]
    fn unknown_duration_is_not_zero() {
        let unknown = StepAhead { bytes: None, ..step(1, "copy", None) };
        let text = fleet_ahead(&[step(1, "ramp", Some(12.0)), unknown]);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn every_result_is_shown_and_only_completed_steps_are_done() {
        let why = || "b was missing".to_owned();
        let all = [
            (StepResult::NotRun, "not run", false),
            (StepResult::GoesOn { run: "r".to_owned() }, "running as run r", false),
            (StepResult::BrokenOff { why: why() }, "broken off: b was missing", false),
            (StepResult::Met, "met", true),
            (StepResult::NotMet, "not met", true),
            (StepResult::Inconclusive, "inconclusive", true),
            (StepResult::Measured, "measured; no criteria were set", true),
            (StepResult::NotMeasured { why: why() }, "not measured: b was missing", true),
        ];
        for (result, words, is_done) in all {
            assert_eq!(result.is_done(), is_done, "{words}");
            let line = StepLine { number: 7, title: "edit".to_owned(), result, dir: None };
            assert_eq!(fleet_steps(&[line]), format!("7. edit: {words}\n"));
        }
    }
}
