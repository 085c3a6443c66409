//! What was found of a load point against its criteria, before it is put into words.
//!
//! There is one way from a ruling to a verdict, and it takes the sentences: none can be forgotten.

use std::cmp::Ordering;

use super::reason::Reason;
use super::{Failure, Verdict};
use crate::criteria::{Criteria, Criterion};

/// What was asked for, and what of it was not met.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ruling {
    /// In the order of [`in_time`].
    unmet: Vec<Unmet>,
    asked: Vec<Criterion>,
}

/// A criterion that was not met, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Unmet {
    /// Without its sentence, and therefore shown to nobody.
    failure: Failure,
    reason: Reason,
}

impl Ruling {
    /// On these criteria, of which these were not met.
    pub(super) fn new(criteria: &Criteria, mut unmet: Vec<Unmet>) -> Ruling {
        unmet.sort_by(in_time);
        Ruling { unmet, asked: criteria.asked() }
    }

    /// Both together: for parts of a load point that are held to criteria of their own.
    #[must_use]
    pub fn and(mut self, other: Ruling) -> Ruling {
        for unmet in other.unmet {
            // Failed operations are those of the whole load point, and every part asks for none.
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

    /// What was not met: first ones first, those without a moment after those with one, and what was not
    /// measured last.
    pub fn unmet(&self) -> &[Unmet] {
        &self.unmet
    }

    /// What no further time could have mended, of a load point that was stopped: more late frames or failed
    /// operations than are allowed. `None` where there is none of that.
    #[must_use]
    pub fn certain(self) -> Option<Ruling> {
        let is_certain = |unmet: &Unmet| {
            let counts = matches!(unmet.criterion(), Criterion::LateFrames | Criterion::FailedOps);
            counts && unmet.failure.measured
        };
        let unmet: Vec<Unmet> = self.unmet.into_iter().filter(is_certain).collect();
        (!unmet.is_empty()).then_some(Ruling { unmet, asked: self.asked })
    }

    /// The verdict, with a sentence for whatever was not met.
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

/// The order in which failures are told.
fn in_time(one: &Unmet, two: &Unmet) -> Ordering {
    let moment = |unmet: &Unmet| unmet.failure.at_s.unwrap_or(f64::INFINITY);
    let by_time = moment(one).total_cmp(&moment(two));
    two.failure.measured.cmp(&one.failure.measured).then(by_time)
}

impl Unmet {
    /// Which criterion.
    pub fn criterion(&self) -> Criterion {
        self.failure.criterion
    }

    /// See [`Failure::limit`].
    pub fn limit(&self) -> f64 {
        self.failure.limit
    }

    /// The limit would have been kept without the tool's own delay.
    pub fn is_because_of_tool(&self) -> bool {
        self.failure.because_of_tool
    }

    /// Why, with all that a sentence needs.
    pub fn reason(&self) -> &Reason {
        &self.reason
    }

    /// Measured, and this was found.
    pub(super) fn new(criterion: Criterion, limit: f64, found: f64, reason: Reason) -> Unmet {
        Unmet { failure: failure(criterion, limit, Some(found)), reason }
    }

    /// Nothing was measured that could have met it.
    pub(super) fn not_measured(criterion: Criterion, limit: f64, reason: Reason) -> Unmet {
        Unmet { failure: Failure { measured: false, ..failure(criterion, limit, None) }, reason }
    }

    /// The same with another value found, or none that is a number.
    pub(super) fn found(mut self, found: Option<f64>) -> Unmet {
        self.failure.found = found;
        self
    }

    /// The same as one stream's failure, or that of no stream alone.
    pub(super) fn of_stream(mut self, stream: Option<u32>) -> Unmet {
        self.failure.stream = stream;
        self
    }

    /// The same as one worker's failure, or that of no worker alone.
    pub(super) fn of_worker(mut self, worker: Option<u32>) -> Unmet {
        self.failure.worker = worker;
        self
    }

    /// The same with its moment, since the start of the run and since that of the load point.
    pub(super) fn at(mut self, at_s: Option<f64>, at_in_point_s: Option<f64>) -> Unmet {
        self.failure.at_s = at_s;
        self.failure.at_in_point_s = at_in_point_s;
        self
    }

    /// The same, explained by the tool's own delay or not.
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

/// A failure of nothing in particular, for tests.
#[cfg(test)]
pub(crate) fn failure_of_tests() -> Failure {
    failure(Criterion::LateFrames, 0.0, Some(1.0))
}
