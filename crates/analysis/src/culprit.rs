//! Decides the culprit of an incident or a failed load point, once for all verbs and screens.
//!
//! Blame needs evidence from the time of the harm:
//! * **Reelgauge or the local host** only if nearly all of the late frames would have been in time
//!   without the scheduling delay of Reelgauge (the second timeline of [`crate::late`]). Busy processors
//!   alone are no evidence: they are only shown in addition. It is *Reelgauge* if the whole process was
//!   stopped (a signal, a suspended host, a frozen group), and *the local host* if its processors or
//!   memory kept Reelgauge from running.
//! * **The limit on bytes per second** that the user set, if nearly all of them would have been in time
//!   without it and without that delay, and the limit explains most of them.
//! * **The link** if it was saturated.
//! * **The storage** if none of these applies.
//! * **Unknown** if the scheduling delay and the limit explain more than half but not nearly all, or if
//!   there is too little evidence.
//!
//! If the scheduling delay explains a part, the incident holds the share, and it is shown with the
//! culprit.
//!
//! Pure. Not here: words (report), the limits ([`crate::criteria`]).

use serde::{Deserialize, Serialize};

use crate::host_state::MachineThen;

/// At this share of its realistic rate, a line counts as saturated.
pub const LINK_FULL_SHARE: f64 = 0.90;

/// No scheduler causes a pause of this length: Reelgauge was stopped.
pub const STOPPED_FROM_S: f64 = 0.3;

/// The culprit must explain at least this share of the harm. The rest is shown.
const NEARLY_ALL: f64 = 0.9;

/// Storage that was busy for less than this share of the time cannot have caused the lateness.
const IDLE_SHARE: f64 = 0.1;

/// Processor time that was wanted and not available, in percent of an incident's duration. From here on
/// it explains why Reelgauge was late.
const STARVED_PERCENT: f64 = 5.0;

/// The same for a pause of that length. The threshold is higher because a shared host always loses some
/// processor time, and only a large loss explains the whole pause.
const TAKEN_AWAY_PERCENT: f64 = 25.0;

/// Waiting for a processor explains the delay if it makes up this share of Reelgauge's largest
/// scheduling delay.
const WAITED_SHARE: f64 = 0.5;

/// Processors that are busy to this percentage make Reelgauge wait.
const BUSY_PERCENT: f64 = 85.0;

/// The culprit of an incident or a failed load point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Culprit {
    /// Reelgauge: it was stopped, or late for its own reasons.
    Tool,
    /// The local host: its processors or its memory.
    ThisMachine,
    /// The byte rate limit that the user set.
    MaxRate,
    /// The network link to the storage.
    Link,
    /// The storage, or the network behind the link.
    Storage,
    /// The culprit could not be determined.
    #[default]
    NotKnown,
}

impl Culprit {
    /// The name in JSON and CSV.
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

    /// Whether it is the measuring side: then the run shows nothing about the storage.
    pub fn is_own(self) -> bool {
        matches!(self, Culprit::Tool | Culprit::ThisMachine | Culprit::MaxRate)
    }

    /// Whether a failed trial with this culprit shows nothing about the storage.
    pub fn acquits_storage(self) -> bool {
        self.is_own() || self == Culprit::NotKnown
    }
}

/// The evidence for the decision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence<'a> {
    /// The harm: late frames, or operations that are missing from a rate.
    pub harmed: u64,
    /// How much of the harm would not exist without the scheduling delay of Reelgauge.
    pub saved_without_own_delay: u64,
    /// How much more of it would not exist without the limit on bytes per second that the user set.
    pub saved_without_rate_limit: u64,
    /// The share of the time in which the storage was busy, if known.
    pub storage_busy_share: Option<f64>,
    /// The state of the local host at that time.
    pub machine: Option<&'a MachineThen>,
}

pub fn decide(evidence: &Evidence<'_>) -> Culprit {
    let Evidence { harmed, saved_without_own_delay: own_delay, machine, .. } = *evidence;
    let limit = evidence.saved_without_rate_limit;
    let saved = own_delay + limit;
    if harmed == 0 {
        return Culprit::NotKnown;
    }
    if saved as f64 >= NEARLY_ALL * harmed as f64 {
        return if limit > own_delay { Culprit::MaxRate } else { own(machine) };
    }
    // Frames behind those that waited for the limit did not wait themselves.
    if limit * 2 > harmed && evidence.storage_busy_share.is_some_and(|busy| busy < IDLE_SHARE) {
        return Culprit::MaxRate;
    }
    if saved * 2 > harmed {
        return Culprit::NotKnown;
    }
    let link_is_full =
        machine.and_then(|machine| machine.link_share).is_some_and(|share| share >= LINK_FULL_SHARE);
    if link_is_full { Culprit::Link } else { Culprit::Storage }
}

/// Decides why Reelgauge was late: for its own reasons, or because the local host kept it from running.
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

/// Whether measuring threads were runnable but had no processor for most of the largest delay.
pub(crate) fn has_waited(machine: &MachineThen) -> bool {
    let delay_and_wait = machine.own_delay_max_us.zip(machine.processor_wait_max_us);
    delay_and_wait.is_some_and(|(delay_us, wait_us)| wait_us > 0.0 && wait_us >= WAITED_SHARE * delay_us)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decided(harmed: u64, saved: u64, machine: &MachineThen) -> Culprit {
        let machine = Some(machine);
        decide(&Evidence { harmed, saved_without_own_delay: saved, machine, ..Evidence::default() })
    }

    #[test]
    fn busy_processors_without_delay_are_not_blamed() {
        let busy = MachineThen { processors_busy_percent: Some(100.0), ..MachineThen::default() };
        assert_eq!(decided(57, 0, &busy), Culprit::Storage);
        assert_eq!(decided(57, 3, &busy), Culprit::Storage);
        assert_eq!(decided(57, 57, &busy), Culprit::ThisMachine);
        assert_eq!(decided(57, 40, &busy), Culprit::NotKnown);
        // All but four frames leave no doubt.
        assert_eq!(decided(2_079, 2_075, &MachineThen::default()), Culprit::Tool);
        assert_eq!(decided(2_079, 4, &MachineThen::default()), Culprit::Storage);
        assert_eq!(decided(0, 0, &busy), Culprit::NotKnown);
    }

    #[test]
    fn suspended_reelgauge_is_not_attributed_to_the_host() {
        let stopped = MachineThen { longest_pause_s: Some(1.2), ..MachineThen::default() };
        assert_eq!(decided(9, 9, &stopped), Culprit::Tool);
        let on_a_busy_machine = MachineThen { processors_busy_percent: Some(99.0), ..stopped };
        assert_eq!(decided(9, 9, &on_a_busy_machine), Culprit::Tool);
        let stolen = MachineThen { steal_percent: Some(40.0), ..stopped };
        assert_eq!(decided(9, 9, &stolen), Culprit::ThisMachine);
        let throttled = MachineThen { throttled_percent: Some(80.0), ..MachineThen::default() };
        assert_eq!(decided(9, 9, &throttled), Culprit::ThisMachine);
        // A shared host always loses a little processor time; that did not stop Reelgauge.
        let shared = MachineThen { steal_percent: Some(12.0), ..stopped };
        assert_eq!(decided(9, 9, &shared), Culprit::Tool);
        let unknown = Evidence { harmed: 9, saved_without_own_delay: 9, ..Evidence::default() };
        assert_eq!(decide(&unknown), Culprit::Tool);
    }

    #[test]
    fn rate_limit_is_blamed_for_what_it_explains_with_the_delays_of_reelgauge() {
        let with_storage = |saved_without_own_delay, saved_without_rate_limit, storage_busy_share| {
            decide(&Evidence {
                harmed: 100,
                saved_without_own_delay,
                saved_without_rate_limit,
                storage_busy_share,
                ..Evidence::default()
            })
        };
        let of = |own, limit| with_storage(own, limit, None);
        // Some frames were queued behind others that waited. The storage was idle.
        assert_eq!(with_storage(5, 75, Some(0.01)), Culprit::MaxRate);
        assert_eq!(with_storage(5, 75, Some(0.4)), Culprit::NotKnown);
        assert_eq!(with_storage(5, 30, Some(0.01)), Culprit::Storage);
        assert_eq!(of(0, 100), Culprit::MaxRate);
        assert_eq!(of(20, 75), Culprit::MaxRate);
        assert_eq!(of(75, 20), Culprit::Tool);
        assert_eq!(of(20, 50), Culprit::NotKnown);
        assert_eq!(of(10, 20), Culprit::Storage);
    }

    #[test]
    fn waits_for_a_processor_are_attributed_to_the_host() {
        let waited = |wait_us| MachineThen {
            longest_pause_s: Some(0.49),
            own_delay_max_us: Some(490_000.0),
            processor_wait_max_us: wait_us,
            ..MachineThen::default()
        };
        assert_eq!(decided(9, 9, &waited(Some(485_000.0))), Culprit::ThisMachine);
        // After a stop, the threads waited in the run queue for a moment.
        assert_eq!(decided(9, 9, &waited(Some(30_000.0))), Culprit::Tool);
        assert_eq!(decided(9, 9, &waited(None)), Culprit::Tool);
        // The storage hung: without their wait, no frame would have been in time.
        assert_eq!(decided(9, 0, &waited(Some(485_000.0))), Culprit::Storage);
    }

    #[test]
    fn full_link_takes_precedence_over_later_components() {
        let full = MachineThen { link_share: Some(0.93), ..MachineThen::default() };
        assert_eq!(decided(9, 0, &full), Culprit::Link);
        let half = MachineThen { link_share: Some(0.5), ..MachineThen::default() };
        assert_eq!(decided(9, 0, &half), Culprit::Storage);
    }
}
