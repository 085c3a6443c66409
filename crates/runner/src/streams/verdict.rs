//! The verdict on a load point: every group is held to its own criteria, and what failed first of all counts.

use reelgauge_analysis::criteria::{Criteria, Criterion};
use reelgauge_analysis::figures::Figures;
use reelgauge_analysis::late::{LateFigures, MeasuredPart, StreamFigures};
use reelgauge_analysis::vda::ProcessRate;
use reelgauge_analysis::verdict::{Failure, Measured, Verdict, judge};

use super::cast::Group;
use crate::judging::Judged;

/// Judges a load point.
pub fn verdict_of(groups: &[Group], judged: &Judged, total: &Figures) -> Verdict {
    let mut verdict = Verdict { passed: true, ..Verdict::default() };
    let rated = |group: &Group| judged.rates.iter().any(|rate| group.workers.contains(&rate.worker));
    for group in groups {
        let streams: Vec<StreamFigures> = judged
            .late
            .streams
            .iter()
            .filter(|stream| group.streams.contains(&stream.stream))
            .cloned()
            .collect();
        let criteria = without_rates(&group.criteria);
        add(&mut verdict, judge(&criteria, &Measured { streams: &streams, total: Some(total), rates: &[] }));
    }
    // The ratio between components is one of all of them together.
    if let Some(group) = groups.iter().find(|group| rated(group)) {
        let rates: &[ProcessRate] = &judged.rates;
        let criteria = only_rates(&group.criteria);
        add(&mut verdict, judge(&criteria, &Measured { streams: &[], total: Some(total), rates }));
    }
    let moment = |failure: &Failure| failure.at_s.unwrap_or(f64::INFINITY);
    verdict
        .failures
        .sort_by(|one, two| two.measured.cmp(&one.measured).then(moment(one).total_cmp(&moment(two))));
    verdict.failed_first = verdict.failures.first().cloned();
    verdict
}

/// Of the frames that should come in a trial, the share that must.
const PACE_MIN: f64 = 0.995;

/// Lets a load point fall in which fewer frames came than go by. Late frames alone don't show that within a
/// few seconds: streams live on their buffers for as long as these last. One frame of each stream may be
/// under way, and nothing goes by before a stream's buffer has been filled for the first time.
pub fn hold_to_pace(verdict: &mut Verdict, late: &LateFigures, part: &MeasuredPart) {
    let (from_s, until_s) = (part.from_ns as f64 / 1e9, part.until_ns as f64 / 1e9);
    let wanted_of = |stream: &StreamFigures| {
        let goes_by_from_s = stream.began_s.map_or(until_s, |began_s| began_s + stream.buffer_s);
        stream.nominal_frames_per_s * (until_s - goes_by_from_s.max(from_s)).max(0.0)
    };
    let came_of = |stream: &StreamFigures| stream.frames_per_s.unwrap_or(0.0) * (until_s - from_s);
    let wanted = late.streams.iter().map(wanted_of).sum::<f64>();
    let came = late.streams.iter().map(came_of).sum::<f64>();
    if !verdict.passed || wanted <= 0.0 || came + late.streams.len() as f64 >= wanted * PACE_MIN {
        return;
    }
    let found = came / wanted;
    let failure = Failure {
        criterion: Criterion::GlobalRate,
        measured: true,
        stream: None,
        worker: None,
        at_s: None,
        at_in_point_s: None,
        limit: PACE_MIN,
        found: Some(found),
        because_of_tool: false,
        sentence: format!(
            "frames came at {:.1} % of their rate: the buffers were running empty, which a longer run would show \
             as late frames",
            found * 100.0
        ),
    };
    verdict.passed = false;
    verdict.storage_failed = true;
    verdict.failed_first = Some(failure.clone());
    verdict.failures.push(failure);
}

fn add(verdict: &mut Verdict, other: Verdict) {
    verdict.passed &= other.passed;
    verdict.storage_failed |= other.storage_failed;
    for failure in other.failures {
        // Failed operations are those of the whole load point, and every group asks for none.
        if !verdict.failures.contains(&failure) {
            verdict.failures.push(failure);
        }
    }
    for criterion in other.asked {
        if !verdict.asked.contains(&criterion) {
            verdict.asked.push(criterion);
        }
    }
}

fn without_rates(criteria: &Criteria) -> Criteria {
    Criteria { op_rate_per_worker_min: None, op_rate_global_min: None, ratio_tolerance: None, ..*criteria }
}

fn only_rates(criteria: &Criteria) -> Criteria {
    Criteria {
        op_rate_per_worker_min: criteria.op_rate_per_worker_min,
        op_rate_global_min: criteria.op_rate_global_min,
        ratio_tolerance: criteria.ratio_tolerance,
        ..Criteria::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn late(nominal: f64, came: f64) -> LateFigures {
        let stream = StreamFigures {
            nominal_frames_per_s: nominal,
            frames_per_s: Some(came),
            began_s: Some(1.0),
            buffer_s: 1.0,
            ..StreamFigures::default()
        };
        LateFigures { streams: vec![stream; 7], ..LateFigures::default() }
    }

    /// Ten seconds, after the buffers were filled for the first time.
    const PART: MeasuredPart =
        MeasuredPart { point: 0, started_ns: 0, from_ns: 3_000_000_000, until_ns: 13_000_000_000 };

    #[test]
    fn buffers_that_run_empty_are_no_pass() {
        let held = |came: f64| {
            let mut verdict = Verdict { passed: true, ..Verdict::default() };
            hold_to_pace(&mut verdict, &late(25.0, came), &PART);
            verdict
        };
        // One frame of each stream may be under way: 249 of 250.
        assert!(held(25.0).passed && held(24.9).passed && held(25.3).passed);
        // Storage that carries six and a half of seven streams.
        let overloaded = held(25.0 * 6.5 / 7.0);
        assert!(!overloaded.passed && overloaded.storage_failed);
        assert!(overloaded.failed_first.is_some_and(|failure| failure.sentence.contains("92.9 %")));
    }

    #[test]
    fn nothing_goes_by_while_the_buffers_are_filled() {
        let mut verdict = Verdict { passed: true, ..Verdict::default() };
        // The measured part begins with the streams: the first of its two seconds is theirs.
        let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 1_000_000_000, until_ns: 3_000_000_000 };
        hold_to_pace(&mut verdict, &late(25.0, 12.5), &part);
        assert!(verdict.passed);
    }

    #[test]
    fn without_streams_there_is_no_pace() {
        let mut verdict = Verdict { passed: true, ..Verdict::default() };
        hold_to_pace(&mut verdict, &LateFigures::default(), &PART);
        assert!(verdict.passed);
    }
}
