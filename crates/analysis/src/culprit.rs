//! Whose fault an incident or a failed load point was. Decided here, once, for every verb and every screen.
//!
//! Blame needs evidence from the moment of the harm:
//! * **The tool or this machine** only where taking the tool's own delay away would have saved the frames, or
//!   nearly all of them (the second timeline of [`crate::late`]). Busy processors alone are no evidence: they
//!   are shown in addition. It is the *tool* where it was stopped as a whole (a signal, a suspended machine,
//!   a frozen group), and *this machine* where its processors or memory kept the tool from running.
//! * **The link** where it carried what it can.
//! * **The storage** where neither is so.
//! * **Not known** where own delay explains more than half but not nearly all, or where too little was seen.
//!
//! Where own delay explains a part, the share is stated with the culprit; it is in the incident.
//!
//! Pure. Not here: words (the report room), what is good enough ([`crate::criteria`]).

use serde::{Deserialize, Serialize};

use crate::machine_then::MachineThen;

/// Of a line's realistic rate, the share at which it counts as full.
pub const LINK_FULL_SHARE: f64 = 0.90;

/// A pause as long as this has no scheduler's reason: something stopped the tool.
pub const STOPPED_FROM_S: f64 = 0.3;

/// Of the harm, the share from which on the side that saved it is the culprit. The rest is stated.
const NEARLY_ALL: f64 = 0.9;

/// Processor time that was wanted and not had, in percent of an incident's time, from which on it says why
/// the tool was late.
const STARVED_PERCENT: f64 = 5.0;

/// The same where a pause was that long: what took the processors away for all of it took a lot, and some is
/// always taken on a machine that is shared.
const TAKEN_AWAY_PERCENT: f64 = 25.0;

/// Of the tool's largest own delay, the share from which on waiting for a processor explains it.
const WAITED_SHARE: f64 = 0.5;

/// Processors busy to this share, in percent, make the tool wait for one.
const BUSY_PERCENT: f64 = 85.0;

/// Who an incident or a failed load point is booked to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Culprit {
    /// This tool: it was stopped, or late by itself.
    Tool,
    /// This machine: its processors or its memory.
    ThisMachine,
    /// The limit on bytes a second that was set: see [`crate::held_back`].
    MaxRate,
    /// The network link to the storage.
    Link,
    /// The storage, or the network behind the link.
    Storage,
    /// Not known.
    #[default]
    NotKnown,
}

impl Culprit {
    /// As in JSON and CSV.
    pub fn name(self) -> &'static str {
        match self {
            Culprit::Tool => "tool",
            Culprit::ThisMachine => "this_machine",
            Culprit::MaxRate => "max_rate",
            Culprit::Link => "link",
            Culprit::Storage => "storage",
            Culprit::NotKnown => "not_known",
        }
    }

    /// Whether it is the side that measures: then nothing is known of the storage.
    pub fn is_own(self) -> bool {
        matches!(self, Culprit::Tool | Culprit::ThisMachine | Culprit::MaxRate)
    }

    /// Whether a trial that failed by it shows nothing of the storage.
    pub fn acquits_storage(self) -> bool {
        self.is_own() || self == Culprit::NotKnown
    }
}

/// What the decision rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence<'a> {
    /// What was harmed: late frames, or operations that a rate lacks.
    pub harmed: u64,
    /// Those of them that taking the tool's own delay away would have saved.
    pub saved_without_own_delay: u64,
    /// What this machine did at that time.
    pub machine: Option<&'a MachineThen>,
}

/// Decides.
pub fn decide(evidence: &Evidence<'_>) -> Culprit {
    let Evidence { harmed, saved_without_own_delay: saved, machine } = *evidence;
    if harmed == 0 {
        return Culprit::NotKnown;
    }
    if saved as f64 >= NEARLY_ALL * harmed as f64 {
        return own(machine);
    }
    if saved * 2 > harmed {
        return Culprit::NotKnown;
    }
    let link_is_full =
        machine.and_then(|machine| machine.link_share).is_some_and(|share| share >= LINK_FULL_SHARE);
    if link_is_full { Culprit::Link } else { Culprit::Storage }
}

/// The tool was late. Whether it was its own doing, or this machine kept it from running.
fn own(machine: Option<&MachineThen>) -> Culprit {
    let Some(machine) = machine else {
        return Culprit::Tool;
    };
    let reaches = |percent: Option<f64>, limit: f64| percent.is_some_and(|percent| percent >= limit);
    let was_stopped = reaches(machine.longest_pause_s, STOPPED_FROM_S);
    let starved_percent = if was_stopped { TAKEN_AWAY_PERCENT } else { STARVED_PERCENT };
    let taken_away = has_waited(machine)
        || reaches(machine.steal_percent, starved_percent)
        || reaches(machine.throttled_percent, starved_percent)
        || reaches(machine.memory_waiting_percent, starved_percent);
    if taken_away || !was_stopped && reaches(machine.processors_busy_percent, BUSY_PERCENT) {
        Culprit::ThisMachine
    } else {
        Culprit::Tool
    }
}

/// Whether measuring threads could have run and had no processor for most of the largest delay.
pub(crate) fn has_waited(machine: &MachineThen) -> bool {
    let delay_and_wait = machine.own_delay_max_us.zip(machine.processor_wait_max_us);
    delay_and_wait.is_some_and(|(delay_us, wait_us)| wait_us > 0.0 && wait_us >= WAITED_SHARE * delay_us)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(harmed: u64, saved: u64, machine: &MachineThen) -> Culprit {
        decide(&Evidence { harmed, saved_without_own_delay: saved, machine: Some(machine) })
    }

    #[test]
    fn busy_processors_alone_are_nobodys_fault() {
        let busy = MachineThen { processors_busy_percent: Some(100.0), ..MachineThen::default() };
        assert_eq!(decided(57, 0, &busy), Culprit::Storage);
        assert_eq!(decided(57, 3, &busy), Culprit::Storage);
        assert_eq!(decided(57, 57, &busy), Culprit::ThisMachine);
        assert_eq!(decided(57, 40, &busy), Culprit::NotKnown);
        // All but four frames are no riddle.
        assert_eq!(decided(2_079, 2_075, &MachineThen::default()), Culprit::Tool);
        assert_eq!(decided(2_079, 4, &MachineThen::default()), Culprit::Storage);
        assert_eq!(decided(0, 0, &busy), Culprit::NotKnown);
    }

    #[test]
    fn a_tool_that_was_stopped_is_not_the_machines_fault() {
        let stopped = MachineThen { longest_pause_s: Some(1.2), ..MachineThen::default() };
        assert_eq!(decided(9, 9, &stopped), Culprit::Tool);
        let on_a_busy_machine = MachineThen { processors_busy_percent: Some(99.0), ..stopped };
        assert_eq!(decided(9, 9, &on_a_busy_machine), Culprit::Tool);
        let stolen = MachineThen { steal_percent: Some(40.0), ..stopped };
        assert_eq!(decided(9, 9, &stolen), Culprit::ThisMachine);
        let throttled = MachineThen { throttled_percent: Some(80.0), ..MachineThen::default() };
        assert_eq!(decided(9, 9, &throttled), Culprit::ThisMachine);
        // A little is always taken away on a machine that is shared, and did not stop it.
        let shared = MachineThen { steal_percent: Some(12.0), ..stopped };
        assert_eq!(decided(9, 9, &shared), Culprit::Tool);
        assert_eq!(decide(&Evidence { harmed: 9, saved_without_own_delay: 9, machine: None }), Culprit::Tool);
    }

    #[test]
    fn threads_that_waited_for_a_processor_are_the_machines_fault() {
        let waited = |wait_us| MachineThen {
            longest_pause_s: Some(0.49),
            own_delay_max_us: Some(490_000.0),
            processor_wait_max_us: wait_us,
            ..MachineThen::default()
        };
        assert_eq!(decided(9, 9, &waited(Some(485_000.0))), Culprit::ThisMachine);
        // Woken again after a stop, they stood in line for a moment.
        assert_eq!(decided(9, 9, &waited(Some(30_000.0))), Culprit::Tool);
        assert_eq!(decided(9, 9, &waited(None)), Culprit::Tool);
        // The storage stood still: what they waited would have saved nothing.
        assert_eq!(decided(9, 0, &waited(Some(485_000.0))), Culprit::Storage);
    }

    #[test]
    fn a_full_link_comes_before_what_lies_behind_it() {
        let full = MachineThen { link_share: Some(0.93), ..MachineThen::default() };
        assert_eq!(decided(9, 0, &full), Culprit::Link);
        let half = MachineThen { link_share: Some(0.5), ..MachineThen::default() };
        assert_eq!(decided(9, 0, &half), Culprit::Storage);
    }
}
