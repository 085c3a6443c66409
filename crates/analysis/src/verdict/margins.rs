//! Margins that shrink: no frame was late yet, but one will be if this continues.
//!
//! A margin that loses as little as 1 ms per second is used up in the end, however large the buffer is.
//! So slow a fall is hard to detect within a trial. Therefore two values are subtracted from the
//! observed fall before it counts:
//! * its standard error: once for the mean of all streams, three times for a single stream, because
//!   there are many of those;
//! * half a frame's duration over the length of the observation, by which single answers may have become
//!   slower without any queue.
//!
//! The rest counts as a fall if it uses up a frame's duration within `margins=60s`. With 25 frames per
//! second, a trial of 10 s detects an overload of 0.27 % plus the noise, one of 60 s an overload of 0.1
//! %.
//!
//! Streams with late frames are judged by these alone, and so are those that were not observed long
//! enough for a trend: a search observes its result for a minute before it reports it.

use super::reason::{FallingMargins, Reason, StreamName, WhoseMargin};
use super::ruling::Unmet;
use crate::criteria::Criterion;
use crate::late::{MarginTrend, StreamFigures};

/// Standard errors that are subtracted from the mean fall of all streams.
const ERRORS_OF_ALL: f64 = 1.0;
/// Standard errors that are subtracted from the fall of one stream.
const ERRORS_OF_ONE: f64 = 3.0;
/// The part of a frame's duration by which margins may differ without a queue.
const FRAME_SHARE: f64 = 0.5;

/// The rest of a fall, in milliseconds per second, after subtracting what may be chance; 0 or less if
/// nothing is left.
fn certain_fall_ms_per_s(trend: &MarginTrend, errors: f64, frame_ms: f64) -> f64 {
    let chance = errors * trend.standard_error_ms_per_s + FRAME_SHARE * frame_ms / trend.observed_s;
    trend.fall_ms_per_s - chance
}

/// The seconds in which a fall uses up a frame's duration; `None` if there is no certain fall.
fn frame_lost_s(trend: &MarginTrend, errors: f64, frame_ms: f64) -> Option<f64> {
    let fall = certain_fall_ms_per_s(trend, errors, frame_ms);
    (fall > 0.0).then(|| frame_ms / fall)
}

/// All streams as one: the means of their trends. Streams on one storage system fall together, so the
/// standard error does not shrink with their number.
fn mean(trends: &[MarginTrend]) -> MarginTrend {
    let count = trends.len().max(1) as f64;
    let mean = |value: fn(&MarginTrend) -> f64| trends.iter().map(value).sum::<f64>() / count;
    MarginTrend {
        fall_ms_per_s: mean(|trend| trend.fall_ms_per_s),
        standard_error_ms_per_s: mean(|trend| trend.standard_error_ms_per_s),
        observed_s: mean(|trend| trend.observed_s),
        at_end_ms: mean(|trend| trend.at_end_ms),
    }
}

/// The unmet criterion of these streams, if margins fall too fast to last `limit` seconds.
pub(super) fn unmet(limit: f64, streams: &[StreamFigures]) -> Option<Unmet> {
    if streams.iter().any(|stream| stream.late_frames > 0) {
        return None;
    }
    let seen = streams.iter().filter_map(|stream| Some((stream, stream.margin_trend?)));
    let seen: Vec<(&StreamFigures, MarginTrend)> =
        seen.filter(|(stream, trend)| stream.nominal_frames_per_s > 0.0 && trend.observed_s > 0.0).collect();
    of_all(limit, &seen).or_else(|| of_one(limit, &seen))
}

fn frame_ms(stream: &StreamFigures) -> f64 {
    1e3 / stream.nominal_frames_per_s
}

fn of_all(limit: f64, seen: &[(&StreamFigures, MarginTrend)]) -> Option<Unmet> {
    let trends: Vec<MarginTrend> = seen.iter().map(|(_, trend)| *trend).collect();
    let longest_frame_ms = seen.iter().map(|(stream, _)| frame_ms(stream)).fold(0.0, f64::max);
    let trend = mean(&trends);
    let lost_s = frame_lost_s(&trend, ERRORS_OF_ALL, longest_frame_ms).filter(|lost_s| *lost_s < limit)?;
    let whose = match seen {
        [(stream, _)] => WhoseMargin::Stream(StreamName::of(stream)),
        _ => WhoseMargin::All { streams: seen.len() as u64 },
    };
    Some(falling(limit, lost_s, whose, trend))
}

fn of_one(limit: f64, seen: &[(&StreamFigures, MarginTrend)]) -> Option<Unmet> {
    let lost = seen.iter().filter_map(|(stream, trend)| {
        Some((frame_lost_s(trend, ERRORS_OF_ONE, frame_ms(stream))?, *stream, *trend))
    });
    let (lost_s, stream, trend) = lost.min_by(|one, two| one.0.total_cmp(&two.0))?;
    let whose = WhoseMargin::Stream(StreamName::of(stream));
    (lost_s < limit).then(|| falling(limit, lost_s, whose, trend))
}

fn falling(limit: f64, lost_s: f64, whose: WhoseMargin, trend: MarginTrend) -> Unmet {
    let stream = match &whose {
        WhoseMargin::Stream(stream) => Some(stream.number),
        WhoseMargin::All { .. } => None,
    };
    let late_in_s = trend.at_end_ms.max(0.0) / trend.fall_ms_per_s;
    let reason = Reason::FallingMargins(FallingMargins { whose, trend, late_in_s });
    Unmet::new(Criterion::Margins, limit, lost_s, reason).of_stream(stream)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criteria::Criteria;
    use crate::verdict::{Failure, Ruling};

    fn stream(number: u32, fall: f64, error: f64) -> StreamFigures {
        let trend = MarginTrend {
            fall_ms_per_s: fall,
            standard_error_ms_per_s: error,
            observed_s: 10.0,
            at_end_ms: 900.0,
        };
        StreamFigures {
            stream: number,
            nominal_frames_per_s: 25.0,
            margin_trend: Some(trend),
            ..StreamFigures::default()
        }
    }

    fn all(fall: f64, error: f64) -> Option<Unmet> {
        let streams: Vec<StreamFigures> = (0..7).map(|number| stream(number, fall, error)).collect();
        unmet(60.0, &streams)
    }

    /// The failure in a verdict.
    fn failure(unmet: Unmet) -> Failure {
        let verdict = Ruling::new(&Criteria::default(), vec![unmet]).in_words(|_| String::new());
        verdict.failed_first.expect("something is not met")
    }

    #[test]
    fn storage_for_6_95_streams_fails_at_7() {
        let fall = 1e3 * (1.0 - 6.95 / 7.0);
        let unmet = all(fall, 1.1).expect("7.14 ms per second of seven streams");
        let Reason::FallingMargins(FallingMargins { whose, trend, late_in_s }) = unmet.reason() else {
            panic!("{unmet:?} is about margins");
        };
        assert_eq!(whose, &WhoseMargin::All { streams: 7 });
        assert_eq!((trend.observed_s, trend.at_end_ms), (10.0, 900.0));
        assert!((trend.fall_ms_per_s - fall).abs() < 1e-9);
        // 900 ms at 7.14 ms per second.
        assert!((late_in_s - 126.0).abs() < 1e-6, "{late_in_s}");
        let failure = failure(unmet);
        assert_eq!((failure.criterion, failure.stream, failure.limit), (Criterion::Margins, None, 60.0));
        assert!(failure.found.is_some_and(|found| (9.0..10.0).contains(&found)), "{failure:?}");
    }

    #[test]
    fn fall_within_the_noise_is_ignored() {
        // Half a frame in ten seconds, and a frame in sixty.
        assert!(all(2.6, 0.0).is_none());
        assert!(all(2.7, 0.0).is_some());
        assert!(all(7.14, 4.6).is_none());
        assert!(all(-7.14, 0.0).is_none());
        assert!(unmet(60.0, &[]).is_none());
    }

    #[test]
    fn one_starving_stream_fails_the_load_point() {
        let mut streams: Vec<StreamFigures> = (0..20).map(|number| stream(number, -1.0, 0.1)).collect();
        streams[13] = stream(13, 20.0, 1.0);
        assert_eq!(unmet(60.0, &streams).map(|unmet| failure(unmet).stream), Some(Some(13)));
        streams[13] = stream(13, 20.0, 6.0);
        assert!(unmet(60.0, &streams).is_none());
    }

    #[test]
    fn a_shorter_time_to_hold_allows_a_faster_fall() {
        let streams = [stream(0, 7.14, 0.0)];
        assert!(unmet(60.0, &streams).is_some());
        assert!(unmet(5.0, &streams).is_none());
    }

    #[test]
    fn streams_with_late_frames_or_without_trend_meet_the_margin_criterion() {
        let late = StreamFigures { late_frames: 1, ..stream(0, 50.0, 0.0) };
        assert!(unmet(60.0, &[late, stream(1, 50.0, 0.0)]).is_none());
        let unseen = StreamFigures { margin_trend: None, ..stream(0, 0.0, 0.0) };
        assert!(unmet(60.0, &[unseen]).is_none());
    }
}
