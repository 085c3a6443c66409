//! Scenarios: built-in plans of several actors, to be run by name on any target.
//!
//! They are data (`catalogue/scenarios/*.toml`), built in so that the binary needs no other files. Each
//! begins with a comment that describes the users and the source of the numbers.

use crate::plan::PlanError;
use crate::streams::StreamsPlan;

/// A plan with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Its name on the command line.
    pub name: &'static str,
    /// A one-line description.
    pub what: &'static str,
    /// The plan, as TOML.
    pub text: &'static str,
}

const SCENARIOS: [Scenario; 5] = [
    Scenario {
        name: "newsroom",
        what: "ingest, two edit seats, playout and a copy to the archive, HD at 50 Mbit/s",
        text: include_str!("../../../catalogue/scenarios/newsroom.toml"),
    },
    Scenario {
        name: "dit-offload",
        what: "two cards copied in, proxies created, a take played",
        text: include_str!("../../../catalogue/scenarios/dit-offload.toml"),
    },
    Scenario {
        name: "8k-finishing",
        what: "an 8K OpenEXR sequence played with a deep read-ahead, and a copy",
        text: include_str!("../../../catalogue/scenarios/8k-finishing.toml"),
    },
    Scenario {
        name: "surveillance",
        what: "ten VDA-like cameras with their companions",
        text: include_str!("../../../catalogue/scenarios/surveillance.toml"),
    },
    Scenario {
        name: "multicam-edit",
        what: "two edit seats with nine and four UHD cameras, cuts and scrubs",
        text: include_str!("../../../catalogue/scenarios/multicam-edit.toml"),
    },
];

pub fn scenarios() -> &'static [Scenario] {
    &SCENARIOS
}

/// The scenario with this name.
pub fn scenario(name: &str) -> Option<&'static Scenario> {
    scenarios().iter().find(|scenario| scenario.name == name)
}

impl Scenario {
    /// Its plan, without a target.
    ///
    /// # Errors
    /// Only errors that a test would have found.
    pub fn plan(&self) -> Result<StreamsPlan, PlanError> {
        StreamsPlan::from_toml(self.text)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_formats::catalogue;

    use super::*;

    #[test]
    fn every_scenario_is_a_sound_plan_of_formats_that_exist() {
        for scenario in scenarios() {
            let plan = scenario.plan().unwrap_or_else(|error| panic!("{}: {error}", scenario.name));
            assert_eq!(plan.name, scenario.name);
            assert!(scenario.text.starts_with("# "), "{} does not say who does this", scenario.name);
            assert!(plan.workers(1) > 1 && plan.target.as_os_str().is_empty());
            for actor in &plan.actors {
                let listed = actor.footage().and_then(|footage| footage.format.as_ref());
                assert!(
                    listed.is_none_or(|id| catalogue().find(id).is_ok()),
                    "{}: {listed:?}",
                    scenario.name
                );
                let output = actor.outline(None).output_format;
                assert!(
                    output.is_none_or(|id| catalogue().find(id).is_ok()),
                    "{}: {output:?}",
                    scenario.name
                );
            }
        }
    }

    #[test]
    fn scenarios_are_found_by_name() {
        assert_eq!(scenario("newsroom").map(|found| found.name), Some("newsroom"));
        assert_eq!(scenario("opera"), None);
    }
}
