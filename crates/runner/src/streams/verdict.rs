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

/// Frames of one stream in the measured part.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Frames {
    wanted: f64,
    came: f64,
}

/// How many frames of a stream should have come in the measured part, and how many did. A stream that never
/// began has late frames instead.
fn frames(stream: &StreamFigures, part: &MeasuredPart) -> Frames {
    let (from_s, until_s) = (part.from_ns as f64 / 1e9, part.until_ns as f64 / 1e9);
    let Some(began_s) = stream.began_s else {
        return Frames { wanted: 0.0, came: 0.0 };
    };
    let counted_s = (until_s - from_s.max(began_s)).max(0.0);
    // A player has its buffer filled at once, in less time than that lasts where the storage keeps up, and
    // then goes on when it is shown; in all, as many as if one had followed the other from the beginning on.
    // A recorder fills none.
    let goes_by_from_s = match began_s >= from_s || stream.writes {
        true => began_s,
        false => began_s + stream.buffer_s,
    };
    Frames {
        wanted: stream.nominal_frames_per_s * (until_s - goes_by_from_s.max(from_s)).max(0.0),
        came: stream.frames_per_s.unwrap_or(0.0) * counted_s,
    }
}

/// Lets a load point fall in which fewer frames came than go by. Late frames alone don't show that within a
/// few seconds: streams live on their buffers for as long as these last. One frame of each stream may be
/// under way.
///
/// Exact where all buffers had been filled for the first time before the measured part, and where all streams
/// began with it. In between, it is not known how much of the buffers was filled by then: so much more than
/// goes by may have come in the measured part, and hides a shortfall. A search keeps its streams out of there
/// as far as its warm-up allows (see [`super::cast`]).
pub fn hold_to_pace(verdict: &mut Verdict, late: &LateFigures, part: &MeasuredPart) {
    let paces: Vec<Frames> = late.streams.iter().map(|stream| frames(stream, part)).collect();
    let wanted = paces.iter().map(|frames| frames.wanted).sum::<f64>();
    let came = paces.iter().map(|frames| frames.came).sum::<f64>();
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

    /// Seven streams with a second of buffer which begin at this time.
    fn late(began_s: f64, frames_per_s: f64) -> LateFigures {
        let stream = StreamFigures {
            nominal_frames_per_s: 25.0,
            frames_per_s: Some(frames_per_s),
            began_s: Some(began_s),
            buffer_s: 1.0,
            ..StreamFigures::default()
        };
        LateFigures { streams: vec![stream; 7], ..LateFigures::default() }
    }

    fn held(late: &LateFigures, part: &MeasuredPart) -> Verdict {
        let mut verdict = Verdict { passed: true, ..Verdict::default() };
        hold_to_pace(&mut verdict, late, part);
        verdict
    }

    /// Ten seconds.
    const PART: MeasuredPart =
        MeasuredPart { point: 0, started_ns: 0, from_ns: 3_000_000_000, until_ns: 13_000_000_000 };

    /// What each gets of storage that carries six and a half of seven streams.
    const OVERLOADED: f64 = 25.0 * 6.5 / 7.0;

    #[test]
    fn buffers_that_run_empty_are_no_pass() {
        for came in [25.0, 24.9, 25.3] {
            // One frame of each stream may be under way: 249 of 250.
            assert!(held(&late(1.0, came), &PART).passed, "{came}");
        }
        let overloaded = held(&late(1.0, OVERLOADED), &PART);
        assert!(!overloaded.passed && overloaded.storage_failed);
        assert!(overloaded.failed_first.is_some_and(|failure| failure.sentence.contains("92.9 %")));
    }

    #[test]
    fn streams_that_begin_in_the_measured_part_fill_their_buffers_in_it() {
        // Half a second behind its beginning: 9.5 s of 25 frames, the first second's of them at once.
        assert!(held(&late(3.5, 25.0), &PART).passed);
        let overloaded = held(&late(3.5, OVERLOADED), &PART);
        assert!(overloaded.failed_first.is_some_and(|failure| failure.sentence.contains("92.9 %")));
        // With the measured part, which ends in the middle of the fourth second.
        let short = MeasuredPart { until_ns: 6_500_000_000, ..PART };
        assert!(held(&late(3.0, 25.0), &short).passed);
        assert!(!held(&late(3.0, OVERLOADED), &short).passed);
    }

    #[test]
    fn nothing_goes_by_while_the_buffers_are_shown_for_the_first_time() {
        // Filled at once, in the warm-up; the first of ten seconds shows what is there.
        assert!(held(&late(2.999, 22.5), &PART).passed);
        assert!(!held(&late(2.0, 22.5), &PART).passed);
    }

    #[test]
    fn recorders_have_nothing_to_fill() {
        let mut late = late(2.5, 23.8);
        assert!(held(&late, &PART).passed);
        late.streams.iter_mut().for_each(|stream| stream.writes = true);
        assert!(!held(&late, &PART).passed);
    }

    #[test]
    fn what_never_began_has_no_pace() {
        let mut late = late(1.0, 25.0);
        late.streams[0] = StreamFigures { began_s: None, frames_per_s: None, ..late.streams[0].clone() };
        assert!(held(&late, &PART).passed);
    }

    #[test]
    fn without_streams_there_is_no_pace() {
        assert!(held(&LateFigures::default(), &PART).passed);
    }
}
