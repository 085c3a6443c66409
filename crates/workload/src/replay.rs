//! A replay in one value, from `reelgauge replay` or from a `run.toml` with a `[replay]` table.
//!
//! Not here: the trace itself, and the script that replays it (the trace crate).

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use reelgauge_record::notes::StorageDetails;
use serde::{Deserialize, Serialize};

use crate::plan::{DriverChoice, PLAN_VERSION, PlanError};
use crate::spelling::Spelling;
use crate::units::Span;

/// The maximum number of users in one process.
pub const COPIES_MAX: u32 = 1024;
/// The maximum number of passes of one run.
pub const BATCH_MAX: u32 = 100;

/// A run that replays a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayPlan {
    /// Version of this format.
    pub plan_version: u32,
    /// The program that wrote it.
    #[serde(default)]
    pub written_by: String,
    /// The directory to measure.
    pub target: PathBuf,
    /// The seed of the content of files.
    pub seed: u64,
    /// Performs the operations.
    #[serde(default)]
    pub driver: DriverChoice,
    /// A target that completes nothing for this long is abandoned.
    #[serde(default = "half_a_minute")]
    pub hang_after: Span,
    /// Whether to keep every operation.
    #[serde(default = "yes")]
    pub log: bool,
    /// Tags to find the run by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The user's description of the storage.
    #[serde(default, skip_serializing_if = "StorageDetails::is_empty")]
    pub storage: StorageDetails,
    /// The trace, and how it is replayed.
    pub replay: ReplaySettings,
}

/// The trace, and how it is replayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReplaySettings {
    /// The directory of the trace, or of a run.
    pub trace: PathBuf,
    /// When operations begin.
    pub pace: Pacing,
    /// The order of dependent operations.
    pub order: ReplayOrder,
    /// The factor for the recorded times: 0.5 is twice as fast.
    pub scale: f64,
    /// The maximum length of recorded idle times; longer ones are shortened to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_cap: Option<Span>,
    /// Concurrent users, each with own files.
    pub copies: u32,
    /// The delay between the starts of users; see [`ReplaySettings::stagger`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stagger: Option<Span>,
    /// Passes, each on a separate image.
    pub batch: u32,
    /// How existing files are created before the replay.
    pub layout: Layout,
}

const fn yes() -> bool {
    true
}

const fn half_a_minute() -> Span {
    Span::secs(30)
}

impl Default for ReplaySettings {
    /// One user, one pass, as recorded.
    fn default() -> ReplaySettings {
        ReplaySettings {
            trace: PathBuf::new(),
            pace: Pacing::Recorded,
            order: ReplayOrder::Resources,
            scale: 1.0,
            idle_cap: None,
            copies: 1,
            stagger: None,
            batch: 1,
            layout: Layout::Auto,
        }
    }
}

/// The delay between the starts of users who keep the recorded times, so that they do not run in step.
const STAGGER: Span = Span::secs(1);

impl ReplaySettings {
    /// The delay between the starts of users. If all operations are as fast as possible, users start
    /// together unless a delay was set, because a pause between them is not work.
    pub fn stagger(&self) -> Span {
        self.stagger.unwrap_or(if self.pace == Pacing::Max { Span::secs(0) } else { STAGGER })
    }
}

/// When the operations of a replay begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pacing {
    /// At the recorded times, on an absolute schedule: slower storage has to catch up.
    #[default]
    Recorded,
    /// With the recorded pause after the thread's previous operation: slower storage delays all later
    /// operations.
    Think,
    /// As soon as possible.
    Max,
    /// With this pause after the thread's previous operation.
    Fixed(Span),
}

/// The order of dependent operations in a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "flags", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum ReplayOrder {
    /// One operation at a time, in the order of the trace
    Serial,
    /// Each thread keeps its order, and files are opened before use
    Streams,
    /// Like streams, and operations on the same handle, name or file also keep their order. Unless
    /// --pace is 'recorded', programs that ran one after another also keep that order
    #[default]
    Resources,
}

/// How existing files are created before a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "flags", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// Grow files above 1 GB, set the size of others first
    #[default]
    Auto,
    /// Set the size first, as copy programs do
    Copy,
    /// Grow files while they are written; the file system cannot know their final size
    Stream,
}

/// The error of an invalid pacing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a pace. Use recorded, think, max, or fixed:TIME, such as fixed:5ms")]
pub struct PacingError(String);

impl FromStr for Pacing {
    type Err = PacingError;

    fn from_str(text: &str) -> Result<Pacing, PacingError> {
        match text {
            "recorded" => Ok(Pacing::Recorded),
            "think" => Ok(Pacing::Think),
            "max" => Ok(Pacing::Max),
            _ => {
                let span = text.strip_prefix("fixed:").and_then(|span| span.parse().ok());
                span.map(Pacing::Fixed).ok_or_else(|| PacingError(text.to_owned()))
            }
        }
    }
}

impl fmt::Display for Pacing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pacing::Recorded => f.write_str("recorded"),
            Pacing::Think => f.write_str("think"),
            Pacing::Max => f.write_str("max"),
            Pacing::Fixed(span) => write!(f, "fixed:{span}"),
        }
    }
}

impl Serialize for Pacing {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Pacing {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Pacing, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

impl ReplayOrder {
    /// The name of the value.
    pub const fn name(self) -> &'static str {
        match self {
            ReplayOrder::Serial => "serial",
            ReplayOrder::Streams => "streams",
            ReplayOrder::Resources => "resources",
        }
    }
}

impl Layout {
    /// The name of the value.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Auto => "auto",
            Layout::Copy => "copy",
            Layout::Stream => "stream",
        }
    }
}

impl ReplayPlan {
    /// Reads a plan from TOML and checks it.
    ///
    /// # Errors
    /// [`PlanError`] if the text is not a valid plan.
    pub fn from_toml(text: &str) -> Result<ReplayPlan, PlanError> {
        let plan: ReplayPlan = toml::from_str(text)?;
        if plan.plan_version > PLAN_VERSION {
            return Err(PlanError::Newer(plan.plan_version));
        }
        plan.check_spelled(Spelling::File)?;
        Ok(plan)
    }

    /// The plan as TOML, for [`ReplayPlan::from_toml`].
    ///
    /// # Errors
    /// If a path is not Unicode, which TOML does not support.
    pub fn to_toml(&self) -> Result<String, PlanError> {
        Ok(toml::to_string_pretty(self)?)
    }

    /// Checks a plan made from flags.
    ///
    /// # Errors
    /// [`PlanError`], with the first problem.
    pub fn check(&self) -> Result<(), PlanError> {
        self.check_spelled(Spelling::Flags)
    }

    fn check_spelled(&self, spelling: Spelling) -> Result<(), PlanError> {
        let wrong = |text: String| Err(PlanError::NoEffect(text));
        let set = &self.replay;
        let name = |key| spelling.name(key);
        if set.trace.as_os_str().is_empty() {
            return wrong("a replay needs the directory of a trace or run: trace = \"PATH\"".to_owned());
        }
        if self.hang_after.ns() == 0 {
            return Err(PlanError::ZeroHangAfter(spelling));
        }
        if set.copies == 0 || set.copies > COPIES_MAX {
            return wrong(format!("{} must be from 1 to {COPIES_MAX}", name("copies")));
        }
        if set.batch == 0 || set.batch > BATCH_MAX {
            return wrong(format!("{} must be from 1 to {BATCH_MAX}", name("batch")));
        }
        let is_scale = set.scale.is_finite() && (1e-6..=1e6).contains(&set.scale);
        if !is_scale {
            let scale = name("scale");
            return wrong(format!(
                "{scale} {} is not a valid factor. Use a positive number: 0.5 halves all times",
                set.scale
            ));
        }
        let timed = matches!(set.pace, Pacing::Recorded | Pacing::Think);
        if !timed && set.scale != 1.0 {
            let scale = name("scale");
            return wrong(format!(
                "{scale} has no effect with {}. Omit one of them",
                spelling.set("pace", &set.pace.to_string())
            ));
        }
        if !timed && set.idle_cap.is_some() {
            let cap = name("idle_cap");
            return wrong(format!(
                "{cap} has no effect with {}. Omit one of them",
                spelling.set("pace", &set.pace.to_string())
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn plan() -> ReplayPlan {
        ReplayPlan {
            plan_version: PLAN_VERSION,
            written_by: "a test".to_owned(),
            target: "/mnt/nas".into(),
            seed: 7,
            driver: DriverChoice::Threads,
            hang_after: Span::secs(30),
            log: true,
            tags: Vec::new(),
            storage: StorageDetails::default(),
            replay: ReplaySettings { trace: "/traces/x".into(), ..ReplaySettings::default() },
        }
    }

    #[test]
    fn plan_round_trips() {
        for pace in ["recorded", "think", "max", "fixed:5ms"] {
            for idle_cap in [None, Some(Span::secs(2))] {
                let mut plan = plan();
                plan.replay.pace = pace.parse().unwrap();
                let timed = matches!(plan.replay.pace, Pacing::Recorded | Pacing::Think);
                plan.replay.idle_cap = idle_cap.filter(|_| timed);
                plan.replay.layout = Layout::Stream;
                plan.replay.order = ReplayOrder::Serial;
                let text = plan.to_toml().unwrap();
                assert_eq!(ReplayPlan::from_toml(&text).unwrap(), plan, "{text}");
                assert!(text.contains(&format!("pace = \"{pace}\"")), "{text}");
            }
        }
    }

    #[test]
    fn users_at_pace_max_begin_together_unless_a_stagger_is_set() {
        let of = |pace, stagger| ReplaySettings { pace, stagger, ..ReplaySettings::default() }.stagger();
        for pace in [Pacing::Recorded, Pacing::Think, Pacing::Fixed(Span::secs(2))] {
            assert_eq!((of(pace, None), of(pace, Some(Span::secs(3)))), (Span::secs(1), Span::secs(3)));
        }
        assert_eq!(of(Pacing::Max, None), Span::secs(0));
        assert_eq!(of(Pacing::Max, Some(Span::secs(1))), Span::secs(1));
    }

    #[test]
    fn a_short_plan_is_enough() {
        let text = "plan_version = 1\ntarget = '/t'\nseed = 1\n[replay]\ntrace = '/traces/x'\n";
        let plan = ReplayPlan::from_toml(text).unwrap();
        assert_eq!(plan.replay.copies, 1);
        assert!(plan.log);
        let unknown = format!("{text}colour = 1\n");
        assert!(ReplayPlan::from_toml(&unknown).unwrap_err().to_string().contains("colour"));
    }

    #[test]
    fn contradictory_input_is_refused() {
        let refused = |change: &dyn Fn(&mut ReplaySettings), said: &str| {
            let mut plan = plan();
            change(&mut plan.replay);
            let error = plan.check().unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        };
        refused(&|set| set.copies = 0, "--copies");
        refused(&|set| set.copies = COPIES_MAX + 1, "--copies");
        refused(&|set| set.batch = 0, "--batch");
        refused(&|set| set.scale = 0.0, "--scale");
        refused(&|set| set.scale = f64::NAN, "--scale");
        refused(
            &|set| {
                set.pace = Pacing::Max;
                set.scale = 2.0;
            },
            "--scale has no effect with --pace max",
        );
        refused(
            &|set| {
                set.pace = Pacing::Fixed(Span::secs(1));
                set.idle_cap = Some(Span::secs(1));
            },
            "--idle-cap has no effect",
        );
        assert!("fixed".parse::<Pacing>().unwrap_err().to_string().contains("fixed:5ms"));
    }
}
