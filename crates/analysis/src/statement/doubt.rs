//! The confidence in the main number, and the doubts about it.

use serde::{Deserialize, Serialize};

use super::{Judgement, Statement};
use crate::cached_reads::{CacheEvidence, CacheSuspicion};
use crate::culprit::Culprit;
use crate::facts::CheckFacts;
use crate::silence::without_incident;
use crate::summary::{Outcome, Summary};
use crate::sustained::{RateTrend, SustainedRate};
use crate::warning::SHORT_LOOK_S;

/// Confidence in the number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Confidence {
    /// The doubts, the worst first; empty if there are none.
    pub doubts: Vec<Doubt>,
}

/// A reason to doubt the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// The run was aborted.
    BrokeOff,
    /// The user stopped the run.
    Interrupted,
    /// The run is still going on.
    Running,
    /// Reelgauge or the local host made frames late that the storage did not.
    OwnFault,
    /// Reelgauge's own timing was not good enough.
    OwnTiming,
    /// Other programs took much of this client's processors, while the cause lies elsewhere.
    ClientBusy,
    /// The target is in the local host's memory.
    Memory,
    /// A cache answered, on the local host or the server.
    CacheAnswered,
    /// A cache may have answered.
    CacheMayHaveAnswered,
    /// Counts on one storage contradicted each other: something else uses it, or the local host.
    Unsteady,
    /// A rate was not steady: a burst allowance or a cache was used up, or it did not settle.
    Burst,
    /// The storage was silent for a while, and no incident reports it: the delayed frames were due after
    /// the end, or a buffer hid it.
    Silence,
    /// The measured time was too short to see the speed without a cache.
    ShortLook,
    /// Operations are missing from the log.
    LogIncomplete,
}

impl Doubt {
    /// Whether it is about this client or Reelgauge.
    fn is_of_client(self) -> bool {
        matches!(self, Doubt::OwnFault | Doubt::OwnTiming | Doubt::ClientBusy)
    }
}

/// From this share of all processors on, in percent, other programs in an incident are a doubt.
const OTHERS_PERCENT: f64 = 50.0;

/// The largest share of the processors that other programs used during the harm, in percent, if it is
/// worth reporting and the cause is certain and not this client.
pub fn client_busy_percent(summary: &Summary, statement: &Statement) -> Option<f64> {
    let cause = statement.cause.filter(|cause| statement.is_certain() && !cause.culprit.is_own())?;
    let of_point = summary.point(cause.point)?.limit.as_ref().and_then(|limit| limit.others_percent());
    let machine = statement.worst_incident(summary).and_then(|incident| incident.machine);
    let then = machine.and_then(|machine| machine.others_processors_percent);
    [of_point, then.filter(|busy| *busy >= OTHERS_PERCENT)].into_iter().flatten().reduce(f64::max)
}

/// From the summary's own figures.
pub(super) fn confidence(summary: &Summary, statement: &Statement) -> Confidence {
    let own = |culprit: Option<Culprit>| culprit.is_some_and(Culprit::is_own);
    let measured = summary.load_points.iter().filter(|point| point.total.ops > 0);
    let shortest_s = measured.map(|point| point.measured_s).min_by(f64::total_cmp);
    let suspicion = summary.memory.as_ref().and_then(|memory| memory.suspicion.as_ref());
    let answered = |evidence: &CacheEvidence| !matches!(evidence, CacheEvidence::TargetIsMemory);
    // Other verbs show how long they measured, or measure for long where it matters.
    let is_one_look = summary.check.is_none() && summary.search.is_none();
    let doubts = [
        (summary.outcome == Outcome::BrokeOff, Doubt::BrokeOff),
        (summary.outcome == Outcome::Interrupted, Doubt::Interrupted),
        (summary.outcome == Outcome::Running, Doubt::Running),
        (summary.load_points.iter().any(|point| own(point.culprit)), Doubt::OwnFault),
        (is_untimed(summary, statement), Doubt::OwnTiming),
        (client_busy_percent(summary, statement).is_some(), Doubt::ClientBusy),
        (
            matches!(suspicion, Some(CacheSuspicion::Answered { evidence: CacheEvidence::TargetIsMemory })),
            Doubt::Memory,
        ),
        (
            matches!(suspicion, Some(CacheSuspicion::Answered { evidence }) if answered(evidence)),
            Doubt::CacheAnswered,
        ),
        (matches!(suspicion, Some(CacheSuspicion::MayHaveAnswered { .. })), Doubt::CacheMayHaveAnswered),
        (summary.check.as_ref().is_some_and(|check| check.unsteady.is_some()), Doubt::Unsteady),
        (summary.check.as_ref().is_some_and(has_burst), Doubt::Burst),
        (without_incident(summary).is_some(), Doubt::Silence),
        (is_one_look && shortest_s.is_some_and(|s| s < SHORT_LOOK_S), Doubt::ShortLook),
        (!summary.log.complete && summary.log.dropped_to_histograms_ops > 0, Doubt::LogIncomplete),
    ];
    let mut doubts: Vec<Doubt> =
        doubts.into_iter().filter_map(|(is_so, doubt)| is_so.then_some(doubt)).collect();
    if statement.is_certain() {
        // If the cause is certain, this client is at most one doubt.
        let first = doubts.iter().position(|doubt| doubt.is_of_client());
        let mut at = 0..;
        doubts.retain(|doubt| {
            let at = at.next();
            !doubt.is_of_client() || at == first
        });
    }
    Confidence { doubts }
}

/// Whether reads or writes of a quick check were faster, or slower, at first.
fn has_burst(check: &CheckFacts) -> bool {
    let rates = [check.sequential_reads, check.sequential_writes];
    let changed =
        |rate: SustainedRate| matches!(rate.trend, RateTrend::Burst | RateTrend::Rose | RateTrend::Unsettled);
    rates.into_iter().flatten().any(changed)
}

/// Whether Reelgauge's own timing is a doubt. A search judges each trial by its own timing, so its
/// result is not in doubt if it was completed.
fn is_untimed(summary: &Summary, statement: &Statement) -> bool {
    // Criteria that were met although Reelgauge was late are met.
    summary.self_cost.timing_good_enough == Some(false) && statement.judgement != Judgement::Met
}
