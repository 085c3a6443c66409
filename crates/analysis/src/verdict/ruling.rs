//! The result of comparing a load point with its criteria, as data.
//!
//! A ruling becomes a verdict only together with its sentences, so that none can be forgotten.

use std::cmp::Ordering;

use super::reason::Reason;
use super::{Failure, Verdict};
use crate::criteria::{Criteria, Criterion};

/// The required criteria, and those that were not met.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ruling {
    /// In the order of [`in_time`].
    unmet: Vec<Unmet>,
    asked: Vec<Criterion>,
}

/// A criterion that was not met, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Unmet {
    /// Without its sentence, and therefore private.
    failure: Failure,
    reason: Reason,
}

impl Ruling {
    /// For these criteria, of which these were not met.
    pub(super) fn new(criteria: &Criteria, mut unmet: Vec<Unmet>) -> Ruling {
        unmet.sort_by(in_time);
        Ruling { unmet, asked: criteria.asked() }
    }

    /// Combines both: for parts of a load point with different criteria.
    #[must_use]
    pub fn and(mut self, other: Ruling) -> Ruling {
        for unmet in other.unmet {
            // Failed operations are those of the whole load point, and every part requires that there
            // are none.
            if !self.unmet.contains(&unmet) {
                self.unmet.push(unmet);
            }
        }
        for criterion in other.asked {
            if !self.asked.contains(&criterion) {
                self.asked.push(criterion);
            }
        }
        self.unmet.sort_by(in_time);
        self
    }

    /// The unmet criteria in order of time; those without a time come after those with one, and those
    /// that were not measured last.
    pub fn unmet(&self) -> &[Unmet] {
        &self.unmet
    }

    /// For a load point that was stopped: the failures that no further time could have changed, that is
    /// more late frames or failed operations than allowed. `None` if there are none.
    #[must_use]
    pub fn certain(self) -> Option<Ruling> {
        let is_certain = |unmet: &Unmet| {
            let counts = matches!(unmet.criterion(), Criterion::LateFrames | Criterion::FailedOps);
            counts && unmet.failure.measured
        };
        let unmet: Vec<Unmet> = self.unmet.into_iter().filter(is_certain).collect();
        (!unmet.is_empty()).then_some(Ruling { unmet, asked: self.asked })
    }

    /// The verdict, with a sentence for each unmet criterion.
    pub fn in_words(self, sentence: impl Fn(&Unmet) -> String) -> Verdict {
        let in_words = |unmet: Unmet| Failure { sentence: sentence(&unmet), ..unmet.failure };
        let failures: Vec<Failure> = self.unmet.into_iter().map(in_words).collect();
        Verdict {
            passed: failures.is_empty(),
            failed_first: failures.first().cloned(),
            storage_failed: failures.iter().any(|failure| failure.measured && !failure.because_of_tool),
            failures,
            asked: self.asked,
        }
    }
}

/// The order in which failures are shown.
fn in_time(one: &Unmet, two: &Unmet) -> Ordering {
    let moment = |unmet: &Unmet| unmet.failure.at_s.unwrap_or(f64::INFINITY);
    let by_time = moment(one).total_cmp(&moment(two));
    two.failure.measured.cmp(&one.failure.measured).then(by_time)
}

impl Unmet {
    pub fn criterion(&self) -> Criterion {
        self.failure.criterion
    }

    /// See [`Failure::limit`].
    pub fn limit(&self) -> f64 {
        self.failure.limit
    }

    /// Whether the limit would have been met without Reelgauge's scheduling delay.
    pub fn is_because_of_tool(&self) -> bool {
        self.failure.because_of_tool
    }

    /// The reason, with all data for a sentence.
    pub fn reason(&self) -> &Reason {
        &self.reason
    }

    /// A measured value that does not meet the limit.
    pub(super) fn new(criterion: Criterion, limit: f64, found: f64, reason: Reason) -> Unmet {
        Unmet { failure: failure(criterion, limit, Some(found)), reason }
    }

    /// Nothing was measured that could have met it.
    pub(super) fn not_measured(criterion: Criterion, limit: f64, reason: Reason) -> Unmet {
        Unmet { failure: Failure { measured: false, ..failure(criterion, limit, None) }, reason }
    }

    /// Replaces the measured value, `None` if it is not a number.
    pub(super) fn found(mut self, found: Option<f64>) -> Unmet {
        self.failure.found = found;
        self
    }

    /// Sets the stream, `None` if it is not the failure of a single stream.
    pub(super) fn of_stream(mut self, stream: Option<u32>) -> Unmet {
        self.failure.stream = stream;
        self
    }

    /// Sets the worker, `None` if it is not the failure of a single worker.
    pub(super) fn of_worker(mut self, worker: Option<u32>) -> Unmet {
        self.failure.worker = worker;
        self
    }

    /// Sets the time, since the start of the run and of the load point.
    pub(super) fn at(mut self, at_s: Option<f64>, at_in_point_s: Option<f64>) -> Unmet {
        self.failure.at_s = at_s;
        self.failure.at_in_point_s = at_in_point_s;
        self
    }

    /// Sets whether Reelgauge's scheduling delay explains it.
    pub(super) fn because_of_tool(mut self, is_because_of_tool: bool) -> Unmet {
        self.failure.because_of_tool = is_because_of_tool;
        self
    }
}

fn failure(criterion: Criterion, limit: f64, found: Option<f64>) -> Failure {
    Failure {
        criterion,
        measured: true,
        stream: None,
        worker: None,
        at_s: None,
        at_in_point_s: None,
        limit,
        found,
        because_of_tool: false,
        sentence: String::new(),
    }
}

/// A dummy failure for tests.
#[cfg(test)]
pub(crate) fn failure_of_tests() -> Failure {
    failure(Criterion::LateFrames, 0.0, Some(1.0))
}
