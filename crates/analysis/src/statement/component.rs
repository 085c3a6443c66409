//! The part of the path that a statement points at.
//!
//! Cause, limit, next step and the reasons of an inconclusive run are chosen by different rules, and are
//! shown on one screen. Each of them names the components that it may mean. Those of one statement have
//! at least one in common: if the storage is shown as the cause, the advice is not to close other
//! programs.

use super::inconclusive::Inconclusive;
use super::{AtLeast, NextStep, Number, Statement};
use crate::culprit::Culprit;
use crate::limit::LimitStep;
use crate::summary::Summary;

/// A part of the path from a measuring thread to the disks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// This client or Reelgauge.
    Client,
    /// A limit on bytes a second that the user set.
    RateLimit,
    /// A cache that answered instead of the storage.
    Cache,
    /// The network path.
    Network,
    /// The server and its disks.
    Storage,
}

use Component::{Cache, Client, Network, RateLimit, Storage};

impl Culprit {
    /// The components that it may mean; empty if it is unknown. Operations alone cannot separate the
    /// storage from the network behind the link.
    pub fn components(self) -> &'static [Component] {
        match self {
            Culprit::Tool | Culprit::ThisMachine => &[Client],
            Culprit::MaxRate => &[RateLimit],
            Culprit::Link => &[Network],
            Culprit::Storage => &[Network, Storage],
            Culprit::NotKnown => &[],
        }
    }
}

impl LimitStep {
    /// The components that it may mean.
    pub fn components(self) -> &'static [Component] {
        match self {
            LimitStep::MaxRate => &[RateLimit],
            LimitStep::Cache => &[Cache],
            LimitStep::Client => &[Client],
            LimitStep::LinkFull
            | LimitStep::PathBroken
            | LimitStep::NetworkLoss
            | LimitStep::TcpWindow
            | LimitStep::SendBuffer => &[Network],
            LimitStep::ServerDisk | LimitStep::Server | LimitStep::ServerThreads | LimitStep::Disk => {
                &[Storage]
            }
            LimitStep::Latency => &[Network, Storage],
        }
    }
}

impl NextStep {
    /// The components that it may mean; empty if it blames none.
    pub fn components(self) -> &'static [Component] {
        match self {
            NextStep::FreeThisMachine => &[Client],
            NextStep::AllowMore => &[RateLimit],
            NextStep::FasterLink | NextStep::MendTheWay => &[Network],
            NextStep::LookAtIncident | NextStep::MeasureAlone => &[Network, Storage],
            NextStep::ChooseStorage
            | NextStep::PassTheCaches
            | NextStep::RunAgain
            | NextStep::Resume
            | NextStep::FindMax
            | NextStep::TryMore
            | NextStep::ProveForLong
            | NextStep::MorePoints
            | NextStep::MeasureLonger
            | NextStep::FollowRule
            | NextStep::MakeRoom
            | NextStep::AsTheLookSays
            | NextStep::BesideARun
            | NextStep::AsAMix
            | NextStep::Compare => &[],
        }
    }
}

impl Inconclusive {
    /// The components that it may mean; empty if it blames none.
    pub fn components(self) -> &'static [Component] {
        match self {
            Inconclusive::ClientLimit | Inconclusive::ClientDelay => &[Client, RateLimit],
            Inconclusive::OwnTiming | Inconclusive::BegunLate { .. } => &[Client],
            Inconclusive::SearchUnfinished | Inconclusive::HeldUp { .. } => &[],
        }
    }
}

impl Statement {
    /// The components that each part of it may mean, with the part's name; parts that blame none are omitted.
    pub fn components(&self, summary: &Summary) -> Vec<(&'static str, &'static [Component])> {
        let limit = self.limit(summary).and_then(|limit| limit.found);
        let check = summary.check.as_ref().and_then(|check| check.limit_culprit);
        let more = [
            ("limit of the check", check.map(Culprit::components)),
            ("limit", limit.map(|found| found.step.components())),
            ("next step", self.next_step.map(NextStep::components)),
        ];
        let more = more.into_iter().filter_map(|(name, components)| Some((name, components?)));
        let parts = self.verdict_components().into_iter().chain(more);
        parts.filter(|(_, components)| !components.is_empty()).collect()
    }

    /// The same for cause, number and reasons, with which the limit and the next step have to agree.
    fn verdict_components(&self) -> Vec<(&'static str, &'static [Component])> {
        let at_least = matches!(self.number, Number::Capacity { at_least: Some(AtLeast::ThisMachine), .. });
        let cause = self.cause.map(|cause| ("cause", cause.culprit.components()));
        let number = at_least.then_some(("number", Inconclusive::ClientLimit.components()));
        let reasons = self.inconclusive.iter().map(|reason| ("reason", reason.components()));
        let parts = cause.into_iter().chain(number).chain(reasons);
        parts.filter(|(_, components)| !components.is_empty()).collect()
    }

    /// Whether these components may be shown next to cause, number and reasons.
    pub(super) fn allows(&self, components: &[Component]) -> bool {
        let parts = self.verdict_components();
        let agrees = |one: &Component| parts.iter().all(|(_, components)| components.contains(one));
        parts.is_empty() || components.iter().any(agrees)
    }

    /// Whether cause, number or reasons blame any component.
    pub(super) fn blames(&self) -> bool {
        !self.verdict_components().is_empty()
    }

    /// Whether there is a component that every part of it may mean. A statement that blames nothing is
    /// consistent.
    pub fn is_consistent(&self, summary: &Summary) -> bool {
        let parts = self.components(summary);
        let agrees = |one: Component| parts.iter().all(|(_, components)| components.contains(&one));
        parts.is_empty() || [Client, RateLimit, Cache, Network, Storage].into_iter().any(agrees)
    }
}
