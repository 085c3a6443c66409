//! Plans of actors as TOML, and the one door through which a plan of any sort is read.

use serde::Deserialize;

use super::StreamsPlan;
use crate::plan::{PLAN_VERSION, Plan, PlanError};

/// A plan of any sort.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyPlan {
    /// An access profile.
    Mix(Plan),
    /// Actors.
    Streams(StreamsPlan),
}

impl AnyPlan {
    /// Reads a plan and checks it. One with `[[actor]]` tables is one of streams.
    ///
    /// # Errors
    /// [`PlanError`]: it is newer than this program, no plan, or makes no sense.
    pub fn from_toml(text: &str) -> Result<AnyPlan, PlanError> {
        let table: toml::Table = text.parse().map_err(not_toml)?;
        match table.contains_key("actor") {
            true => StreamsPlan::from_toml(text).map(AnyPlan::Streams),
            false => Plan::from_toml(text).map(AnyPlan::Mix),
        }
    }
}

impl StreamsPlan {
    /// Reads a plan of actors from TOML and checks it.
    ///
    /// # Errors
    /// As [`AnyPlan::from_toml`].
    pub fn from_toml(text: &str) -> Result<StreamsPlan, PlanError> {
        #[derive(Deserialize)]
        struct Version {
            plan_version: Option<u32>,
        }
        // The version first: a newer plan may hold anything else.
        let Version { plan_version } = toml::from_str(text).map_err(not_toml)?;
        match plan_version {
            Some(version) if version > PLAN_VERSION => return Err(PlanError::Newer(version)),
            _ => {}
        }
        let plan: StreamsPlan = toml::from_str(text).map_err(not_toml)?;
        plan.check()?;
        Ok(plan)
    }

    /// The plan as TOML; [`StreamsPlan::from_toml`] reads it back.
    ///
    /// # Errors
    /// A path that is not Unicode, which TOML can't hold.
    pub fn to_toml(&self) -> Result<String, PlanError> {
        toml::to_string_pretty(self).map_err(|error| PlanError::Toml(error.to_string()))
    }
}

fn not_toml(error: toml::de::Error) -> PlanError {
    PlanError::Toml(error.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::*;
    use crate::pace::{Policy, ReadAhead};
    use crate::range::Ramp;
    use crate::streams::{ActorKind, ActorPlan, Buffer, FindMaxPlan};
    use crate::units::Span;

    #[test]
    fn what_no_plan_has_is_refused() {
        let with = |line: &str| format!("{line}\n[[actor]]\nkind = \"copier\"\n");
        assert!(matches!(AnyPlan::from_toml(&with("")), Ok(AnyPlan::Streams(_))));
        let wrong = AnyPlan::from_toml(&with("colour = 1")).unwrap_err().to_string();
        assert!(wrong.contains("colour"), "{wrong}");
        assert_eq!(AnyPlan::from_toml(&with("plan_version = 99")), Err(PlanError::Newer(99)));
        assert!(AnyPlan::from_toml("[[actor]]\nkind = \"dreamer\"\n").is_err());
        assert!(AnyPlan::from_toml("no toml at all").is_err());
    }

    fn actor() -> impl Strategy<Value = ActorPlan> {
        let buffer = prop_oneof![
            (1_u32..500).prop_map(Buffer::Frames),
            (1_u64..5000).prop_map(|ms| Buffer::Time(Span(ms * 1_000_000))),
        ];
        (1_u32..9, buffer, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
            |(count, buffer, stall, open, records)| ActorPlan {
                count,
                buffer,
                format: Some("prores-422-hq-uhd-25".to_owned()),
                policy: if stall { Policy::Stall } else { Policy::Drop },
                read_ahead: if open && !records { ReadAhead::Open } else { ReadAhead::Closed },
                sync_every: records.then_some(Span::secs(2)),
                criteria: if stall { "late=2".to_owned() } else { String::new() },
                ..ActorPlan::new(if records { ActorKind::Recorder } else { ActorKind::Player })
            },
        )
    }

    proptest! {
        #[test]
        fn a_plan_survives_toml(
            actors in prop::collection::vec(actor(), 1..4), seed in 0..1_u64 << 53, searches in any::<bool>(),
        ) {
            let plan = StreamsPlan {
                actors,
                seed,
                target: PathBuf::from("/mnt/nas"),
                scale: if searches { Ramp(vec![1]) } else { Ramp(vec![1, 3, 9]) },
                find_max: searches.then(FindMaxPlan::default),
                ..StreamsPlan::default()
            };
            let text = plan.to_toml().unwrap();
            prop_assert_eq!(StreamsPlan::from_toml(&text).unwrap(), plan);
        }
    }
}
