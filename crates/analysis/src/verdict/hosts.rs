//! The verdict on a load point of several hosts: met if every host met its criteria to the end.
//!
//! The criteria of each host were judged on its own figures ([`super::judge()`]). A host that did not
//! take part has not met anything: without samples the result is "not measured", never "passed".

use std::cmp::Ordering;

use super::{Failure, Verdict};
use crate::criteria::Criterion;

/// How to convert a host's failures to the clock and the numbers of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FailurePlace {
    /// How much later than the run's time 0 its own was.
    pub shift_s: f64,
    /// The run's number of its stream 0.
    pub first_stream: u32,
    /// The run's number of its worker 0.
    pub first_worker: u32,
}

impl Failure {
    /// Converts a host's failure to one of the run, with its sentence from `words`.
    #[must_use]
    pub fn placed(self, place: &FailurePlace, words: impl Fn(&str) -> String) -> Failure {
        Failure {
            // The numbers of a host are read from a file.
            stream: self.stream.map(|stream| stream.saturating_add(place.first_stream)),
            worker: self.worker.map(|worker| worker.saturating_add(place.first_worker)),
            at_s: self.at_s.map(|at_s| at_s + place.shift_s),
            sentence: words(&self.sentence),
            ..self
        }
    }

    /// The failure of a host that did not take part, with this sentence.
    pub fn not_there(sentence: String) -> Failure {
        Failure {
            criterion: Criterion::LateFrames,
            measured: false,
            stream: None,
            worker: None,
            at_s: None,
            at_in_point_s: None,
            limit: 0.0,
            found: None,
            because_of_tool: false,
            sentence,
        }
    }
}

impl Verdict {
    /// The verdict without the criteria of rates. Those of several hosts are judged together, because
    /// one may compensate another.
    #[must_use]
    pub fn but_for_rates(self) -> Verdict {
        let is_rate = |criterion: Criterion| {
            matches!(criterion, Criterion::WorkerRate | Criterion::GlobalRate | Criterion::Ratio)
        };
        let asked = self.asked.into_iter().filter(|criterion| !is_rate(*criterion)).collect();
        let failures: Vec<Failure> =
            self.failures.into_iter().filter(|failure| !is_rate(failure.criterion)).collect();
        Verdict {
            passed: failures.is_empty(),
            failed_first: failures.first().cloned(),
            storage_failed: failures.iter().any(is_of_storage),
            failures,
            asked,
        }
    }
}

fn is_of_storage(failure: &Failure) -> bool {
    failure.measured && !failure.because_of_tool
}

/// The verdict on all hosts together; `None` if no host had criteria. `not_there` lists the failures of
/// hosts that could not be measured.
pub fn of_hosts(of_each: Vec<Verdict>, not_there: Vec<Failure>) -> Option<Verdict> {
    let mut asked = Vec::new();
    let criteria = of_each.iter().flat_map(|verdict| &verdict.asked);
    criteria.for_each(|criterion| {
        if !asked.contains(criterion) {
            asked.push(*criterion);
        }
    });
    if of_each.is_empty() {
        return None;
    }
    let all_met = of_each.iter().all(|verdict| verdict.passed);
    let first_asked = asked.first().copied();
    let missing = not_there
        .into_iter()
        .map(|failure| Failure { criterion: first_asked.unwrap_or(failure.criterion), ..failure });
    let mut failures: Vec<Failure> =
        of_each.into_iter().flat_map(|verdict| verdict.failures).chain(missing).collect();
    failures.sort_by(in_time);
    Some(Verdict {
        passed: all_met && failures.is_empty(),
        failed_first: failures.first().cloned(),
        storage_failed: failures.iter().any(is_of_storage),
        failures,
        asked,
    })
}

/// The order of rulings.
fn in_time(one: &Failure, two: &Failure) -> Ordering {
    let moment = |failure: &Failure| failure.at_s.unwrap_or(f64::INFINITY);
    two.measured.cmp(&one.measured).then(moment(one).total_cmp(&moment(two)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::failure_of_tests;
    use super::*;

    fn passed() -> Verdict {
        Verdict { passed: true, asked: vec![Criterion::LateFrames], ..Verdict::default() }
    }

    fn failed(at_s: f64) -> Verdict {
        let failure =
            Failure { at_s: Some(at_s), stream: Some(1), sentence: "late".to_owned(), ..failure_of_tests() };
        Verdict { failures: vec![failure], storage_failed: true, ..passed() }
    }

    #[test]
    fn all_must_have_met_them() {
        assert!(of_hosts(vec![passed(), passed()], Vec::new()).unwrap().passed);
        let found = of_hosts(vec![passed(), failed(9.0), failed(3.0)], Vec::new()).unwrap();
        assert!(!found.passed && found.storage_failed);
        assert_eq!(found.failed_first.unwrap().at_s, Some(3.0));
        assert_eq!(found.asked, [Criterion::LateFrames]);
        assert_eq!(of_hosts(Vec::new(), vec![Failure::not_there("gone".to_owned())]), None);
    }

    #[test]
    fn absent_host_meets_no_criterion() {
        let gone = || vec![Failure::not_there("a3 was missing".to_owned())];
        let found = of_hosts(vec![passed(), passed()], gone()).unwrap();
        assert!(!found.passed && !found.storage_failed);
        assert_eq!(found.failed_first.as_ref().unwrap().sentence, "a3 was missing");
        // Measured failures come first.
        let both = of_hosts(vec![failed(3.0)], gone()).unwrap();
        assert!(both.storage_failed);
        assert_eq!(both.failed_first.unwrap().sentence, "late");
    }

    #[test]
    fn rates_of_hosts_are_judged_only_in_total() {
        let slow = Failure { criterion: Criterion::GlobalRate, ..failed(1.0).failures.remove(0) };
        let asked = vec![Criterion::LateFrames, Criterion::GlobalRate];
        let rates =
            Verdict { failures: vec![slow.clone()], asked: asked.clone(), passed: false, ..failed(1.0) };
        let without = rates.but_for_rates();
        assert!(without.passed && !without.storage_failed && without.failed_first.is_none());
        assert_eq!(without.asked, [Criterion::LateFrames]);
        let late = failed(3.0).failures.remove(0);
        let both =
            Verdict { failures: vec![slow, late], asked, passed: false, ..failed(1.0) }.but_for_rates();
        assert!(!both.passed && both.storage_failed);
        assert_eq!(both.failed_first.unwrap().at_s, Some(3.0));
    }

    #[test]
    fn a_failure_has_the_numbers_and_times_of_the_run() {
        let place = FailurePlace { shift_s: 2.0, first_stream: 10, first_worker: 4 };
        let [failure] = failed(3.0).failures.try_into().unwrap();
        let placed = failure.placed(&place, |text| format!("a2: {text}"));
        assert_eq!((placed.at_s, placed.stream, placed.sentence.as_str()), (Some(5.0), Some(11), "a2: late"));
    }
}
