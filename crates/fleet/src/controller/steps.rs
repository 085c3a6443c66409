//! Steps of a plan for a fleet: runs one after another, in which order and when. Pure.
//!
//! ```toml
//! [[step]]
//! name = "ramp"
//! workload = "edit.toml"        # the plan of one host, for every group; else each group's own
//! ramp = "1..8"                 # replaces the workload's workers, or scale
//! hold = "2m"                   # replaces the duration of each load point
//! targets = ["/mnt/a"]          # replaces the groups' targets
//! repeat = 3                    # the number of runs, each with its own random draws
//! pause = "5m"                  # the rest after each run, before the next
//! not_before = "22:30"          # a time of day, or a date and a time
//! ```
//!
//! Not here: the tasks in a step ([`super::fleet_plan`]), and their progress ([`super::batch`]).

use std::path::{Path, PathBuf};
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use reelgauge_record::run_dir::label;
use reelgauge_workload::plan::PlanError;
use reelgauge_workload::range::Ramp;
use reelgauge_workload::streams::AnyPlan;
use reelgauge_workload::units::Span;
use serde::{Deserialize, Serialize};

/// The largest number of repetitions of a step.
const REPEAT_MOST: u32 = 1_000;
/// The distance between the seeds of two repetitions: more than there are agents.
const SEEDS_APART: u64 = 1 << 20;

/// A step, as in the plan's file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Step {
    pub name: Option<String>,
    /// The plan of one host that every group carries out; by default each group's own.
    pub workload: Option<PathBuf>,
    /// Replaces the workload's workers, or scale.
    pub ramp: Option<Ramp>,
    /// Replaces the duration of the workload's load points.
    pub hold: Option<Span>,
    /// Replaces the targets of every group, for example by only one of them, to compare its rate with
    /// the rate of all.
    pub targets: Vec<PathBuf>,
    /// The rest after each of its runs, before the next begins.
    pub pause: Option<Span>,
    /// The number of its runs; 1 by default.
    pub repeat: Option<u32>,
    /// The earliest time at which it begins.
    pub not_before: Option<NotBefore>,
}

/// The earliest time at which a step begins: a time of day or a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum NotBefore {
    /// The next occurrence of this time of day.
    TimeOfDay(Time),
    /// This time in the time zone of the controller.
    Civil(DateTime),
    Moment(Timestamp),
}

/// A text that is not a time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a time; write a time of day (22:30), or a date and a time (2026-11-26 22:30)")]
pub struct NotBeforeError(String);

impl FromStr for NotBefore {
    type Err = NotBeforeError;

    fn from_str(text: &str) -> Result<NotBefore, NotBeforeError> {
        let moment = text.parse().map(NotBefore::Moment);
        let civil = || text.parse().map(NotBefore::Civil);
        let time = || text.parse().map(NotBefore::TimeOfDay);
        moment.or_else(|_| civil()).or_else(|_| time()).map_err(|_| NotBeforeError(text.to_owned()))
    }
}

impl TryFrom<String> for NotBefore {
    type Error = NotBeforeError;

    fn try_from(text: String) -> Result<NotBefore, NotBeforeError> {
        text.parse()
    }
}

impl NotBefore {
    /// The first such time after `after`. A time of day that the clock change skips is moved to the next
    /// one that exists.
    pub fn after(self, after: Timestamp, zone: &TimeZone) -> Timestamp {
        let at = |civil: DateTime| zone.to_ambiguous_timestamp(civil).compatible().unwrap_or(after);
        match self {
            NotBefore::Moment(moment) => moment,
            NotBefore::Civil(civil) => at(civil),
            NotBefore::TimeOfDay(time) => {
                let today = after.to_zoned(zone.clone()).date();
                let tomorrow = today.tomorrow().unwrap_or(today);
                let times = [at(today.to_datetime(time)), at(tomorrow.to_datetime(time))];
                times.into_iter().find(|at| *at >= after).unwrap_or(after)
            }
        }
    }
}

/// One run of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Its position among all runs, from 1.
    pub number: u32,
    /// The index of the step, from 0.
    pub step: usize,
    /// Its index among the step's runs, from 0.
    pub round: u32,
    /// Its title on screens: `edit, 2 of 3`.
    pub title: String,
    /// Its run directory below that of the batch.
    pub folder: String,
    /// The earliest time at which it begins, in seconds since 1970.
    pub not_before_s: Option<i64>,
    /// The rest after it, before the next.
    pub rest_ms: u64,
}

/// The runs of all steps in their order, for a batch that begins then.
///
/// # Errors
/// If a step's `repeat` is 0 or too large.
pub fn rounds(steps: &[Step], began: Timestamp, zone: &TimeZone) -> Result<Vec<Round>, String> {
    let mut rounds: Vec<Round> = Vec::new();
    let mut after = began;
    for (at, step) in steps.iter().enumerate() {
        let repeat = step.repeat.unwrap_or(1);
        let name = step.display_name(at);
        if !(1..=REPEAT_MOST).contains(&repeat) {
            return Err(format!("step {name:?} has repeat = {repeat}; use 1 to {REPEAT_MOST}"));
        }
        let not_before = step.not_before.map(|not_before| not_before.after(after, zone));
        after = after.max(not_before.unwrap_or(after));
        for round in 0..repeat {
            let number = u32::try_from(rounds.len()).unwrap_or(u32::MAX).saturating_add(1);
            let title = match repeat {
                1 => name.clone(),
                _ => format!("{name}, {} of {repeat}", round + 1),
            };
            rounds.push(Round {
                number,
                step: at,
                round,
                folder: format!("{number:02}-{}", label(&title)).trim_end_matches('-').to_owned(),
                title,
                not_before_s: not_before.filter(|_| round == 0).map(Timestamp::as_second),
                rest_ms: step.pause.map_or(0, |span| span.ns() / 1_000_000),
            });
        }
    }
    Ok(rounds)
}

impl Step {
    /// Its name; it is step `at` of the plan, from 0.
    pub fn display_name(&self, at: usize) -> String {
        let stem = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let named = self.name.clone().filter(|name| !name.trim().is_empty());
        named.or_else(|| self.workload.as_ref().and_then(stem)).unwrap_or_else(|| format!("step {}", at + 1))
    }

    /// Whether it does the same as another step, apart from targets and repetitions.
    pub fn has_same_work_as(&self, other: &Step) -> bool {
        (&self.workload, &self.ramp, self.hold) == (&other.workload, &other.ramp, other.hold)
    }

    /// The plan of one host for a group whose plan is `own`: the step's workload, if it names one.
    pub fn plan<'a>(&'a self, own: &'a Path) -> &'a Path {
        self.workload.as_deref().unwrap_or(own)
    }

    /// Changes a plan according to the step, for one of its runs.
    ///
    /// # Errors
    /// If the plan has no such setting, or is not valid with it.
    pub fn put_into(&self, plan: &mut AnyPlan, round: u32) -> Result<(), StepError> {
        let seeds = u64::from(round).wrapping_mul(SEEDS_APART);
        match plan {
            AnyPlan::Mix(plan) => {
                if self.ramp.is_some() && plan.sweep.is_some() {
                    return Err(StepError::Sweep);
                }
                plan.workers = self.ramp.clone().unwrap_or_else(|| plan.workers.clone());
                plan.duration = self.hold.unwrap_or(plan.duration);
                plan.seed = plan.seed.wrapping_add(seeds);
                Ok(plan.check()?)
            }
            AnyPlan::Streams(plan) => {
                plan.scale = self.ramp.clone().unwrap_or_else(|| plan.scale.clone());
                plan.duration = self.hold.unwrap_or(plan.duration);
                plan.seed = plan.seed.wrapping_add(seeds);
                Ok(plan.check()?)
            }
            AnyPlan::Replay(_) if self.ramp.is_some() || self.hold.is_some() => Err(StepError::Trace),
            AnyPlan::Replay(plan) => {
                plan.seed = plan.seed.wrapping_add(seeds);
                Ok(())
            }
        }
    }
}

/// Why a step does not fit a workload.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The changed plan is invalid.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A sweep has a fixed worker count, so the step cannot change it.
    #[error("the step has a ramp, but the workload is a sweep with one count of workers. Remove one of them")]
    Sweep,
    /// The length and load of a trace cannot be changed by a step.
    #[error("the step has 'ramp' or 'hold', but the workload is a trace, whose load and length are fixed")]
    Trace,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn zone() -> TimeZone {
        TimeZone::fixed(jiff::tz::offset(2))
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn steps_run_in_order_and_each_repetition_has_a_separate_folder() {
        let named = Step {
            name: Some("Ramp/night".to_owned()),
            repeat: Some(2),
            pause: Some(Span::secs(3)),
            not_before: Some("22:30".parse().unwrap()),
            ..Step::default()
        };
        let of_file = Step { workload: Some("plans/edit.toml".into()), ..Step::default() };
        let steps = [of_file, named, Step { not_before: Some("06:00".parse().unwrap()), ..Step::default() }];
        let rounds = rounds(&steps, at("2026-11-25T18:00:00Z"), &zone()).unwrap();
        let told: Vec<_> = rounds.iter().map(|round| (round.title.as_str(), round.folder.as_str())).collect();
        assert_eq!(
            told,
            [
                ("edit", "01-edit"),
                ("Ramp/night, 1 of 2", "02-Ramp-night-1-of-2"),
                ("Ramp/night, 2 of 2", "03-Ramp-night-2-of-2"),
                ("step 3", "04-step-3"),
            ]
        );
        let second = |text: &str| Some(at(text).as_second());
        // In a time zone two hours ahead of UTC. The morning is that of the next day.
        let times: Vec<_> = rounds.iter().map(|round| round.not_before_s).collect();
        assert_eq!(times, [None, second("2026-11-25T20:30:00Z"), None, second("2026-11-26T04:00:00Z")]);
        assert_eq!(rounds.iter().map(|round| round.rest_ms).collect::<Vec<_>>(), [0, 3_000, 3_000, 0]);
    }

    #[test]
    fn all_usual_notations_of_times_are_read_and_no_others() {
        let after =
            |text: &str| text.parse::<NotBefore>().unwrap().after(at("2026-11-25T18:00:00Z"), &zone());
        assert_eq!(after("20:00"), at("2026-11-25T18:00:00Z"), "now");
        assert_eq!(after("19:59"), at("2026-11-26T17:59:00Z"), "a minute ago is tomorrow");
        assert_eq!(after("2026-11-27 01:00"), at("2026-11-26T23:00:00Z"));
        assert_eq!(after("2026-11-27T01:00:00Z"), at("2026-11-27T01:00:00Z"));
        assert_eq!(after("2025-01-01 00:00"), at("2024-12-31T22:00:00Z"), "what is past holds nobody up");
        for none in ["", "soon", "25:00"] {
            assert!(
                none.parse::<NotBefore>().is_err_and(|error| error.to_string().contains("22:30")),
                "{none}"
            );
        }
    }

    #[test]
    fn steps_repeated_never_or_too_often_are_refused() {
        for repeat in [0, REPEAT_MOST + 1] {
            let step = Step { repeat: Some(repeat), ..Step::default() };
            let why = rounds(&[step], at("2026-11-25T18:00:00Z"), &zone()).unwrap_err();
            assert!(why.contains("step 1") && why.contains(&repeat.to_string()), "{why}");
        }
    }
}
