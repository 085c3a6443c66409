//! The conditions for running a step: the user's events, another step, or the count that another step's
//! search found. A step without them is skipped, and the report names what is missing.

use serde::{Deserialize, Serialize};

use super::{Action, Step};
use crate::event::Event;

/// The conditions for running a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Requirement {
    /// Alternative events. The first of them that the user provides happens during the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub event: Vec<String>,
    /// Whether recovery is counted from the beginning of the event instead of its end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub recovers_from_beginning: bool,
    /// The step whose search found the number of streams to play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_of: Option<String>,
    /// The step without which this one is skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Whether its run is not a measured state, but only prepares another one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub prepares: bool,
}

/// The missing condition of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Missing {
    /// One of these events is required.
    Event { names: Vec<String> },
    /// There is no way to make the server cold.
    Cold,
    /// There is too little space for the files at the count that a search found.
    Room {
        /// The required space in bytes.
        needed_bytes: u64,
        /// The space that may be used, at most.
        left_bytes: u64,
    },
}

impl Requirement {
    /// A required step that does not exist.
    pub(super) fn missing(&self, names: &[&str], own_name: &str) -> Option<&str> {
        let required = self.count_of.iter().chain(&self.step);
        required.map(String::as_str).find(|name| *name == own_name || !names.contains(name))
    }

    /// The event that happens.
    pub fn chosen<'a>(&self, events: &'a [Event]) -> Option<&'a Event> {
        self.event.iter().find_map(|name| events.iter().find(|event| event.name == *name))
    }
}

/// The missing condition of each step, with these events.
pub fn missing(steps: &[Step], events: &[Event]) -> Vec<Option<Missing>> {
    steps.iter().map(|step| missing_for(step, steps, events, steps.len())).collect()
}

/// Follows the chain of required steps, at most `left` of them.
fn missing_for(step: &Step, steps: &[Step], events: &[Event], left: usize) -> Option<Missing> {
    let Requirement { event, step: required, .. } = &step.requires;
    if !event.is_empty() && step.requires.chosen(events).is_none() {
        return Some(Missing::Event { names: event.clone() });
    }
    if matches!(step.action, Action::Cool { command: None, server_memory: None }) {
        return Some(Missing::Cold);
    }
    let required = steps.iter().find(|other| Some(&other.name) == required.as_ref())?;
    missing_for(required, steps, events, left.checked_sub(1)?)
}

/// An event that no step requires.
pub fn without_step<'a>(steps: &[Step], events: &'a [Event]) -> Option<&'a Event> {
    events.iter().find(|event| !steps.iter().any(|step| step.requires.event.contains(&event.name)))
}

/// The names of all events that steps require.
pub fn event_names(steps: &[Step]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in steps.iter().flat_map(|step| &step.requires.event) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::{Procedure, text};
    use super::*;

    fn steps(settings: &[&str]) -> Vec<Step> {
        let mut night = Procedure::from_toml(text("worst-night").unwrap()).unwrap();
        settings.iter().for_each(|setting| night.change(setting).unwrap());
        night.steps().unwrap()
    }

    fn not_tried(settings: &[&str], events: &[&str]) -> Vec<String> {
        let steps = steps(settings);
        let events: Vec<Event> = events.iter().map(|event| event.parse().unwrap()).collect();
        let missing = missing(&steps, &events);
        steps
            .iter()
            .zip(missing)
            .filter(|(_, missing)| missing.is_some())
            .map(|(step, _)| step.name.clone())
            .collect()
    }

    #[test]
    fn states_without_event_or_step_are_not_tried() {
        let cold = ["make the files of the cold run", "make the server cold", "server cold"];
        let events = ["during a rebuild", "through a failover"];
        assert_eq!(not_tried(&[], &[]), [&cold[..], &events].concat());
        assert_eq!(not_tried(&["server-memory=1GiB"], &[]), events);
        assert_eq!(not_tried(&["command=true"], &["balance: x"]), events[1..]);
        assert_eq!(not_tried(&["command=true"], &["rebuild: x", "failover: y"]), [] as [&str; 0]);
    }

    #[test]
    fn an_event_that_no_step_waits_for_is_found() {
        let (steps, event) = (steps(&[]), "flood: x".parse::<Event>().unwrap());
        assert_eq!(without_step(&steps, std::slice::from_ref(&event)), Some(&event));
        assert_eq!(without_step(&steps, &["rebuild: x".parse().unwrap()]), None);
        assert_eq!(event_names(&steps), ["rebuild", "balance", "failover"]);
    }
}
