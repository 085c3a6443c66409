//! Detects disturbances that make a pass useless as evidence about the change. Such a pass is measured
//! again.
//!
//! If the local host is the limit because of Reelgauge's own work, that is no disturbance: the change
//! may be about exactly that.

use serde::{Deserialize, Serialize};

use crate::culprit::Culprit;
use crate::host_state::MachineThen;
use crate::summary::Summary;

/// A disturbance of a pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Disturbance {
    /// Reelgauge did not run, or was late for its own reasons: its timing was not good enough for its
    /// figures.
    Timing,
    /// Frames were late because other programs used the processors.
    OtherPrograms {
        /// Their share of all processors at that time, 0 to 100.
        processors_percent: f64,
    },
    /// The mount options of the storage differ from those in the first pass of the same state.
    Remounted {
        /// The options in the first pass.
        before: String,
        /// The options in this pass.
        now: String,
    },
    /// The use of the cache differs from that in the first pass.
    OtherCache {
        /// The I/O mode in the first pass.
        before: String,
        /// The I/O mode in this pass.
        now: String,
    },
    /// The test files were made again: this pass used other files than the passes before it.
    OtherFiles,
}

/// The disturbance of a pass, compared with the first one of its state; `None` if none is known.
pub fn disturbance(pass: &Summary, first_of_state: Option<&Summary>) -> Option<Disturbance> {
    if pass.self_cost.timing_good_enough == Some(false) || has_culprit(pass, Culprit::Tool) {
        return Some(Disturbance::Timing);
    }
    if let Some(processors_percent) = other_programs(pass) {
        return Some(Disturbance::OtherPrograms { processors_percent });
    }
    if has_files(pass) && !pass.data_set.reused {
        return Some(Disturbance::OtherFiles);
    }
    let first = first_of_state?;
    // A mount without options differs from one with some.
    let mount = |summary: &Summary| summary.target.mount_options.clone().unwrap_or_default();
    let differs = |one: &str, two: &str| (one != two).then(|| (one.to_owned(), two.to_owned()));
    if let Some((before, now)) = differs(&mount(first), &mount(pass)) {
        return Some(Disturbance::Remounted { before, now });
    }
    let (before, now) = differs(&first.effective_mode.found, &pass.effective_mode.found)?;
    Some(Disturbance::OtherCache { before, now })
}

/// A run with its own test files that stay for the next one.
fn has_files(pass: &Summary) -> bool {
    pass.data_set.files > 0 && pass.replay.is_none()
}

fn has_culprit(pass: &Summary, culprit: Culprit) -> bool {
    pass.load_points.iter().any(|point| point.culprit == Some(culprit))
}

/// The processor share of other programs when the local host made frames late, if it was larger than
/// Reelgauge's.
fn other_programs(pass: &Summary) -> Option<f64> {
    let incidents = pass.load_points.iter().filter_map(|point| point.streams.as_ref());
    let incidents = incidents.flat_map(|streams| &streams.incidents);
    let own = incidents.filter(|incident| incident.culprit == Culprit::ThisMachine);
    let taken = |machine: &MachineThen| {
        let others = machine.others_processors_percent?;
        (others > machine.own_processors_percent.unwrap_or(0.0)).then_some(others)
    };
    own.filter_map(|incident| taken(incident.machine.as_ref()?)).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::Target;

    fn pass() -> Summary {
        let mut summary = Summary::new("1", "", "mix", Target::default());
        summary.data_set.files = 4;
        summary.data_set.reused = true;
        summary
    }

    #[test]
    fn a_pass_like_the_others_is_undisturbed() {
        assert_eq!(disturbance(&pass(), None), None);
        assert_eq!(disturbance(&pass(), Some(&pass())), None);
    }

    #[test]
    fn each_disturbance_of_a_pass_is_named() {
        let with = |change: fn(&mut Summary)| {
            let mut changed = pass();
            change(&mut changed);
            disturbance(&changed, Some(&pass()))
        };
        assert_eq!(with(|pass| pass.data_set.reused = false), Some(Disturbance::OtherFiles));
        assert_eq!(with(|pass| pass.self_cost.timing_good_enough = Some(false)), Some(Disturbance::Timing));
        let cached = with(|pass| "through the cache".clone_into(&mut pass.effective_mode.found));
        assert!(matches!(cached, Some(Disturbance::OtherCache { .. })), "{cached:?}");
        let mounted = with(|pass| pass.target.mount_options = Some("rsize=4096".to_owned()));
        assert!(matches!(mounted, Some(Disturbance::Remounted { .. })), "{mounted:?}");
    }
}
