//! The limit of a stream count of a quick check, from the culprits of its failed trials, as
//! [`crate::culprit`] decided, and from all trials and counts together.

use serde::{Deserialize, Serialize};

use crate::culprit::Culprit;

/// What ended a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CountLimit {
    /// More streams failed because of this culprit.
    Culprit(Culprit),
    /// The storage or other programs on this client: no counter shows which.
    StorageOrOthers,
    /// A limit that other counts contradict, and that was not confirmed.
    Contradicted,
    /// Nothing: the time for the check was over, or no more streams could be tried.
    Time,
    /// Nothing: the check was stopped.
    Stopped,
}

impl CountLimit {
    /// The limit of a count whose last failed trial had this culprit; `None` if no trial failed.
    /// Reelgauge and the client that it runs on count as one.
    pub fn of_trial(culprit: Option<Culprit>) -> CountLimit {
        match culprit {
            None => CountLimit::Time,
            Some(Culprit::Tool) => CountLimit::Culprit(Culprit::ThisMachine),
            Some(culprit) => CountLimit::Culprit(culprit),
        }
    }

    /// Whether the storage may sustain more streams than the count, because it was not shown to be the
    /// limit.
    pub fn is_open(self) -> bool {
        match self {
            CountLimit::Culprit(culprit) => culprit.acquits_storage(),
            CountLimit::StorageOrOthers | CountLimit::Contradicted | CountLimit::Time => true,
            CountLimit::Stopped => false,
        }
    }

    /// The culprit of the limit. `None` if nothing limited the count, or it is unknown.
    pub fn culprit(self) -> Option<Culprit> {
        match self {
            CountLimit::Culprit(culprit) => Some(culprit).filter(|culprit| *culprit != Culprit::NotKnown),
            _ => None,
        }
    }

    /// Whether something limited the count, rather than its time.
    pub fn is_found(self) -> bool {
        matches!(self, CountLimit::Culprit(_) | CountLimit::StorageOrOthers)
    }

    /// The overall limit of these counts: what ended most of those with a limit. If none has one, the
    /// reason.
    pub fn decisive(limits: &[CountLimit]) -> Option<CountLimit> {
        let found = || limits.iter().copied().filter(|limit| limit.is_found());
        let count = |one: CountLimit| limits.iter().filter(|other| **other == one).count();
        let most = found().map(count).max();
        most.and_then(|most| found().find(|one| count(*one) == most)).or(limits.first().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::CountLimit::{Contradicted, Stopped, StorageOrOthers, Time};
    use super::*;

    const LINK: CountLimit = CountLimit::Culprit(Culprit::Link);
    const STORAGE: CountLimit = CountLimit::Culprit(Culprit::Storage);

    #[test]
    fn limit_of_a_count_is_the_culprit_of_its_trial() {
        let client = CountLimit::Culprit(Culprit::ThisMachine);
        assert_eq!(CountLimit::of_trial(None), Time);
        assert_eq!(CountLimit::of_trial(Some(Culprit::Storage)), STORAGE);
        assert_eq!(
            [Culprit::Tool, Culprit::ThisMachine].map(|own| CountLimit::of_trial(Some(own))),
            [client; 2]
        );
        let unknown = CountLimit::of_trial(Some(Culprit::NotKnown));
        assert!(unknown.is_open() && unknown.is_found() && unknown.culprit().is_none());
        // Only a known culprit other than this client sets a limit.
        for culprit in [Culprit::Tool, Culprit::ThisMachine, Culprit::MaxRate, Culprit::NotKnown] {
            assert!(CountLimit::of_trial(Some(culprit)).is_open(), "{culprit:?}");
        }
        assert!(!STORAGE.is_open() && !LINK.is_open() && !Stopped.is_open());
        assert!(StorageOrOthers.is_open() && StorageOrOthers.culprit().is_none());
    }

    #[test]
    fn the_limit_of_most_counts_is_decisive_however_many_ended_with_their_time() {
        assert_eq!(CountLimit::decisive(&[Time, Time, Time, LINK, STORAGE, LINK]), Some(LINK));
        assert_eq!(CountLimit::decisive(&[Contradicted, STORAGE]), Some(STORAGE));
        assert_eq!(CountLimit::decisive(&[Time, Stopped]), Some(Time));
        assert_eq!(CountLimit::decisive(&[]), None);
    }
}
