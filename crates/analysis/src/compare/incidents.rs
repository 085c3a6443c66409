//! Compares late frames as events: how many disturbances a load point had, and whether another one had
//! more than chance explains.
//!
//! Late frames in a row have one cause, and streams share it. A stall of one second makes hundreds of
//! frames late, but is one event. So only disturbances are counted, as independent events at a constant
//! rate (Poisson). How many frames each of them made late, and in which streams, is no further evidence.
//!
//! * **None against some**, in measurements that judged the same work: that is a change, because the
//!   disturbance was observed. The judged media time is compared, not the elapsed time: a stall that
//!   lasts beyond the end lengthens the measurement.
//! * **Some against some**: given the total number in both, the share in each is binomial, with the
//!   measured times as its odds. If disturbances come in clusters, fewer of them are independent: the
//!   counts are divided by how much their spread over the stretches exceeds that of Poisson.
//!
//! Not here: the culprit of a disturbance.

use super::Judgement;
use super::evidence::mean;
use crate::incident::Incident;
use crate::late::{LateFigures, StreamFigures};

/// Differences that chance produces in fewer than 2 of 100 cases, in both directions together, are
/// changes.
const CHANCE_MAX: f64 = 0.02;

/// Judged times that differ by more than this share are not equally long.
const TIME_TOLERANCE: f64 = 0.05;

/// How many stretches are checked for clusters of disturbances.
const STRETCHES: usize = 10;

/// A period in which frames of one or several streams were late.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct LatePeriod {
    /// In seconds since the load point began.
    pub(super) began_s: f64,
    pub(super) ended_s: f64,
    pub(super) late_frames: u64,
}

/// The disturbances of one load point that are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Disturbances {
    pub(super) count: u64,
    /// The media time of the judged frames.
    pub(super) judged_s: f64,
    /// The ratio of their spread over time to that of independent events; at least 1.
    pub(super) clustering: f64,
    /// All late frames were caused by Reelgauge or the local host. Whether the storage would have caused
    /// any is unknown.
    pub(super) all_caused_locally: bool,
}

impl Disturbances {
    /// The disturbances in these windows of a measurement, plus those of which only the number is known.
    pub(super) fn new(windows: &[LatePeriod], unlisted: u64, from_s: f64, measured_s: f64) -> Disturbances {
        let count = windows.len() as u64 + unlisted;
        let clustering = clustering(windows, from_s, measured_s);
        Disturbances { count, judged_s: measured_s, clustering, all_caused_locally: false }
    }

    /// Takes the late frames of the streams into account. Late frames without an incident had some
    /// cause. Those that Reelgauge or the local host caused are no disturbance of the storage, but do
    /// not prove that there was none.
    pub(super) fn with_late_frames(self, figures: &LateFigures) -> Disturbances {
        if self.count > 0 || figures.total.late_frames == 0 {
            return self;
        }
        match figures.incidents.is_empty() {
            true => Disturbances { count: 1, ..self },
            false => Disturbances { all_caused_locally: true, ..self },
        }
    }

    /// With the judged media time, if it is known.
    pub(super) fn judged_over(self, judged_s: Option<f64>) -> Disturbances {
        Disturbances { judged_s: judged_s.unwrap_or(self.judged_s), ..self }
    }

    /// The sum over runs that repeat one another.
    pub(super) fn sum_of(runs: &[Disturbances]) -> Disturbances {
        Disturbances {
            count: runs.iter().map(|run| run.count).sum(),
            judged_s: runs.iter().map(|run| run.judged_s).sum(),
            clustering: runs.iter().map(|run| run.clustering).fold(1.0, f64::max),
            all_caused_locally: runs.iter().any(|run| run.all_caused_locally),
        }
    }

    /// The judgement on `other` compared with this one; fewer are better.
    pub(super) fn judge(self, other: Disturbances) -> Judgement {
        let judgement = if other.count > self.count { Judgement::Worse } else { Judgement::Better };
        // If nothing was observed in less time, it is unknown whether more time would have shown
        // something.
        let (calm, struck) = if self.count == 0 { (self, other) } else { (other, self) };
        if calm.count == 0 && calm.all_caused_locally || struck.count == 0 && struck.all_caused_locally {
            return Judgement::Unknown;
        }
        if struck.count == 0 {
            return Judgement::Same;
        }
        let is_long_enough = calm.judged_s >= struck.judged_s * (1.0 - TIME_TOLERANCE);
        if calm.count == 0 && is_long_enough {
            return judgement;
        }
        match chance(self, other) {
            Some(chance) if chance < CHANCE_MAX => of_rates(self, other),
            _ if calm.count == 0 => Judgement::Unknown,
            _ => Judgement::Same,
        }
    }
}

/// Compares two rates.
fn of_rates(one: Disturbances, other: Disturbances) -> Judgement {
    let is_more = other.count as f64 * one.judged_s > one.count as f64 * other.judged_s;
    if is_more { Judgement::Worse } else { Judgement::Better }
}

/// The probability that chance alone divides the disturbances so unevenly; `None` if nothing was
/// measured.
fn chance(one: Disturbances, other: Disturbances) -> Option<f64> {
    let both_s = one.judged_s + other.judged_s;
    if one.judged_s <= 0.0 || other.judged_s <= 0.0 {
        return None;
    }
    let clustering = one.clustering.max(other.clustering);
    let independent = |count: u64| (count as f64 / clustering).floor() as u64;
    let (first, second) = (independent(one.count), independent(other.count));
    let share = other.judged_s / both_s;
    let at_least = tail(first, second, share);
    let at_most = tail(second, first, 1.0 - share);
    Some((2.0 * at_least.min(at_most)).min(1.0))
}

/// The probability that at least `hits` of `misses + hits` draws hit, where each does so with `share`.
fn tail(misses: u64, hits: u64, share: f64) -> f64 {
    let draws = misses + hits;
    let (hit, miss) = (share.ln(), (1.0 - share).ln());
    let mut ways = 0.0;
    let mut sum = 0.0;
    // `ways`: the logarithm of the number of ways to miss `missed` times, from 0 upwards.
    for missed in 0..=misses {
        sum += f64::exp(ways + (draws - missed) as f64 * hit + missed as f64 * miss);
        ways += ((draws - missed) as f64).ln() - (missed as f64 + 1.0).ln();
    }
    sum
}

/// Variance by mean of the counts in stretches, not below 1.
fn clustering(windows: &[LatePeriod], from_s: f64, measured_s: f64) -> f64 {
    let mut counts = [0.0; STRETCHES];
    if windows.is_empty() || measured_s <= 0.0 {
        return 1.0;
    }
    for window in windows {
        let share = (window.began_s - from_s) / measured_s;
        let at = (share * STRETCHES as f64).clamp(0.0, STRETCHES as f64 - 1.0) as usize;
        counts[at] += 1.0;
    }
    let mean = mean(&counts);
    let squares: f64 = counts.iter().map(|count| (count - mean).powi(2)).sum();
    (squares / (STRETCHES as f64 - 1.0) / mean).max(1.0)
}

/// The duration of the judged media, averaged over the streams; `None` if the frame rate of a stream is
/// missing.
pub(super) fn judged_s(figures: &LateFigures) -> Option<f64> {
    let of_stream = |stream: &StreamFigures| {
        let rate = Some(stream.nominal_frames_per_s).filter(|rate| *rate > 0.0)?;
        Some(stream.frames_judged as f64 / rate)
    };
    let each: Option<Vec<f64>> = figures.streams.iter().map(of_stream).collect();
    let listed: u64 = figures.streams.iter().map(|stream| stream.frames_judged).sum();
    let all = each.filter(|_| listed > 0 && listed == figures.total.frames_judged)?;
    Some(mean(&all))
}

/// The incidents of a load point, and how many more there were that are not listed. Incidents that
/// Reelgauge or the local host caused are omitted: they say nothing about the storage.
pub(super) fn of_streams(figures: &LateFigures) -> (Vec<LatePeriod>, u64) {
    let window = |incident: &Incident| LatePeriod {
        began_s: incident.began_in_point_s,
        ended_s: incident.began_in_point_s + (incident.ended_s - incident.began_s).max(0.0),
        late_frames: incident.late_frames,
    };
    // Summaries are untrusted input: the count of a damaged one may be below the length of its list.
    let more = figures.incident_count.saturating_sub(figures.incidents.len() as u64);
    let of_others = figures.incidents.iter().filter(|incident| !incident.culprit.is_own());
    (of_others.map(window).collect(), more)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(count: u64, measured_s: f64) -> Disturbances {
        Disturbances { count, judged_s: measured_s, clustering: 1.0, all_caused_locally: false }
    }

    #[test]
    fn none_against_some_is_a_change_and_one_against_one_is_not() {
        let judged = |one: u64, two: u64| seen(one, 60.0).judge(seen(two, 60.0));
        assert_eq!([judged(0, 0), judged(1, 1), judged(3, 5)], [Judgement::Same; 3]);
        assert_eq!([judged(0, 1), judged(0, 9), judged(2, 20)], [Judgement::Worse; 3]);
        assert_eq!([judged(1, 0), judged(9, 0), judged(20, 2)], [Judgement::Better; 3]);
    }

    #[test]
    fn shorter_measurement_without_disturbance_is_unknown() {
        assert_eq!(seen(0, 30.0).judge(seen(1, 60.0)), Judgement::Unknown);
        assert_eq!(seen(1, 60.0).judge(seen(0, 30.0)), Judgement::Unknown);
        assert_eq!(seen(0, 60.0).judge(seen(1, 30.0)), Judgement::Worse);
        assert_eq!(seen(0, 59.0).judge(seen(1, 60.0)), Judgement::Worse);
        // None in half the time and twenty in the other run cannot be chance.
        assert_eq!(seen(0, 30.0).judge(seen(20, 60.0)), Judgement::Worse);
        // Twice as many in twice the time is the same rate.
        assert_eq!(seen(20, 30.0).judge(seen(40, 60.0)), Judgement::Same);
    }

    #[test]
    fn tail_equals_binomial_tail() {
        assert!((tail(0, 5, 0.5) - 1.0 / 32.0).abs() < 1e-12);
        assert!((tail(1, 4, 0.5) - 6.0 / 32.0).abs() < 1e-12);
        assert!((tail(3, 0, 0.2) - 1.0).abs() < 1e-12);
        assert!(tail(5_000, 5_000, 0.5) > 0.5 && tail(4_000, 6_000, 0.5) < 1e-9);
    }

    #[test]
    fn clustered_disturbances_count_as_fewer_events() {
        let at = |began_s: f64| LatePeriod { began_s, ended_s: began_s + 0.1, ..LatePeriod::default() };
        let even: Vec<LatePeriod> = (0..20).map(|number| at(3.0 * f64::from(number))).collect();
        let cluster: Vec<LatePeriod> = (0..20).map(|number| at(30.0 + 0.2 * f64::from(number))).collect();
        assert_eq!(Disturbances::new(&even, 0, 0.0, 60.0).clustering, 1.0);
        let clustered = Disturbances::new(&cluster, 0, 0.0, 60.0);
        assert!(clustered.clustering > 10.0, "{clustered:?}");
        assert_eq!(seen(1, 60.0).judge(clustered), Judgement::Same);
        assert_eq!(seen(1, 60.0).judge(Disturbances::new(&even, 0, 0.0, 60.0)), Judgement::Worse);
    }
}
