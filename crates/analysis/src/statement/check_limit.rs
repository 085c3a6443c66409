//! Limits what the load points of a quick check may name next to the check's limit.
//!
//! The limit is decided from all trials together. A single trial can point elsewhere: its disk was busy
//! while Reelgauge itself was late. Such a finding is kept, but not as the limit.

use super::Component;
use crate::culprit::Culprit;
use crate::facts::CheckFacts;
use crate::limit::{Limit, LimitFinding, LimitVerdict};

impl CheckFacts {
    /// Whether a finding about these components may be shown next to the check's limit. Nothing may be
    /// shown next to an unknown limit.
    pub fn agrees_with(&self, components: &[Component]) -> bool {
        let limit = self.limit_culprit.map_or(&[][..], Culprit::components);
        components.iter().any(|component| limit.contains(component))
    }

    /// Whether the limit has this culprit. Reelgauge and this client count as one.
    pub fn blames_the_same(&self, culprit: Culprit) -> bool {
        let components = culprit.components();
        !components.is_empty() && self.limit_culprit.is_some_and(|limit| limit.components() == components)
    }

    /// Moves findings of a trial's limit that contradict this one to the contributing ones.
    #[must_use]
    pub fn agreed(&self, mut limit: Limit) -> Limit {
        let is_its = |finding: &LimitFinding| self.agrees_with(finding.step.components());
        if let Some(finding) = limit.found.take_if(|finding| !is_its(finding)) {
            limit.verdict = LimitVerdict::NotKnown;
            limit.contributing.insert(0, finding);
        }
        limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::LimitStep;

    const CULPRITS: [Option<Culprit>; 7] = [
        None,
        Some(Culprit::Tool),
        Some(Culprit::ThisMachine),
        Some(Culprit::MaxRate),
        Some(Culprit::Link),
        Some(Culprit::Storage),
        Some(Culprit::NotKnown),
    ];

    #[test]
    fn no_load_point_names_a_limit_that_the_check_does_not() {
        for limit_culprit in CULPRITS {
            let check = CheckFacts { limit_culprit, ..CheckFacts::default() };
            for step in LimitStep::ALL.into_iter().chain([LimitStep::MaxRate]) {
                let finding = LimitFinding { step, at: None, seen: Vec::new(), rules: Vec::new() };
                let found = Some(finding.clone());
                let limit = check.agreed(Limit { verdict: LimitVerdict::Found, found, ..Limit::default() });
                let components = limit_culprit.map_or(&[][..], Culprit::components);
                let may = step.components().iter().any(|component| components.contains(component));
                assert_eq!(limit.found.is_some(), may, "{limit_culprit:?} {step:?}");
                assert_eq!(limit.verdict == LimitVerdict::Found, may, "{limit_culprit:?} {step:?}");
                // The finding is not lost.
                assert!(may || limit.contributing == [finding], "{limit:?}");
            }
        }
    }
}
