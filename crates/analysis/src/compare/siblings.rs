//! Finds hosts of one run that differ from their siblings: the hosts that did the same work at the same
//! time.
//!
//! A host is compared with the median of its siblings. It is an outlier if its distance is larger than
//! each of these: the uncertainty from its own stretches and theirs (as for two runs), three times the
//! usual distance of siblings from their median, and a tenth. Medians are used so that one slow host
//! does not make its siblings look fast. It takes two siblings: if two hosts differ, it is unknown which
//! of them is the normal one.
//!
//! Not here: what to do about it, and words.

use super::evidence::{Noise, Stretches, of_rate, t_98};
use super::figures::of_mean;
use crate::hosts::{HostFigure, StandsOut};
use crate::series::Series;
use crate::summary::LoadPoint;

/// Equal hosts differ by less, and a smaller difference is not worth an investigation.
pub const HOST_FLOOR: f64 = 0.10;

/// A median needs at least this many siblings.
const SIBLINGS_MIN: usize = 2;

/// A distance of more than this many usual distances is an outlier.
const USUAL_TIMES: f64 = 3.0;

/// Converts a median of distances to a standard deviation, for a normal distribution.
const DEVIATION_PER_MEDIAN: f64 = 1.4826;

/// The results of one host in a load point.
#[derive(Clone, Copy, Debug)]
pub struct HostReading<'a> {
    /// Hosts with the same number did the same work.
    pub alike: usize,
    /// Its results per second.
    pub series: &'a Series,
    pub point: &'a LoadPoint,
}

/// The logarithm of a figure of one host.
#[derive(Clone, Copy, Debug)]
struct Value {
    ln: f64,
    error: f64,
    dof: f64,
}

/// The outliers, in the order of `hosts`. A host with too little evidence is none.
pub fn standing_out(hosts: &[HostReading<'_>]) -> Vec<Option<StandsOut>> {
    let of =
        |figure: HostFigure| -> Vec<Option<Value>> { hosts.iter().map(|host| value(host, figure)).collect() };
    let (throughput, response) = (of(HostFigure::Throughput), of(HostFigure::MeanResponse));
    let one = |at: usize| {
        by(hosts, at, &throughput, HostFigure::Throughput)
            .or_else(|| by(hosts, at, &response, HostFigure::MeanResponse))
    };
    (0..hosts.len()).map(one).collect()
}

fn value(host: &HostReading<'_>, figure: HostFigure) -> Option<Value> {
    let HostReading { series, point, .. } = host;
    let stretches = Stretches::of(series, point)?;
    let (value, noise) = match figure {
        HostFigure::Throughput if point.stream_count.is_some() => return None,
        HostFigure::Throughput => {
            let moved = stretches.read_bytes.iter().zip(&stretches.written_bytes);
            let bytes: Vec<f64> = moved.map(|(read, written)| read + written).collect();
            (point.total.bytes_per_s?, of_rate(&bytes))
        }
        HostFigure::MeanResponse => (point.total.response.data?.mean_us, of_mean(point, &stretches)),
    };
    match noise {
        Noise::Share(error, dof) if value > 0.0 => Some(Value { ln: value.ln(), error, dof }),
        _ => None,
    }
}

fn by(
    hosts: &[HostReading<'_>],
    at: usize,
    values: &[Option<Value>],
    figure: HostFigure,
) -> Option<StandsOut> {
    let own = values[at]?;
    let is_sibling = |other: &usize| *other != at && hosts[*other].alike == hosts[at].alike;
    let siblings: Vec<Value> =
        (0..hosts.len()).filter(is_sibling).filter_map(|other| values[other]).collect();
    if siblings.len() < SIBLINGS_MIN {
        return None;
    }
    let middle = median(siblings.iter().map(|sibling| sibling.ln).collect());
    let usual = median(siblings.iter().map(|sibling| (sibling.ln - middle).abs()).collect());
    let squares: f64 = siblings.iter().map(|sibling| sibling.error.powi(2)).sum();
    let error = own.error.hypot(squares.sqrt() / siblings.len() as f64);
    let limit =
        (t_98(own.dof) * error).max(USUAL_TIMES * DEVIATION_PER_MEDIAN * usual).max(HOST_FLOOR.ln_1p());
    let difference = own.ln - middle;
    let is_less = difference < 0.0;
    (difference.abs() > limit).then(|| StandsOut {
        figure,
        value: own.ln.exp(),
        siblings: middle.exp(),
        noise_percent: if is_less { -(-limit).exp_m1() } else { limit.exp_m1() } * 100.0,
        is_worse: is_less == (figure == HostFigure::Throughput),
    })
}

/// The mean of the two middle values, if their number is even.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() % 2 {
        1 => values[half],
        _ => (values[half - 1] + values[half]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{Figures, PointTiming, TimeFigures};
    use crate::meter::Meter;
    use crate::series::SeriesStep;
    use crate::summary::LoadPointFacts;

    const MB: f64 = 1e6;

    /// Twenty seconds at about this rate, with small variations.
    fn host(mb_per_s: f64) -> (Series, LoadPoint) {
        let off = [0, 3, -2, 1, -3, 2, 0, -1, 1, -1];
        let step = |second: u64| SeriesStep {
            began_s: second,
            point: Some(0),
            ops: 100,
            read_bytes: (mb_per_s * MB * (1.0 + f64::from(off[second as usize % 10]) / 100.0)) as u64,
            max_response_us: Some(1e3),
            ..SeriesStep::default()
        };
        let series = Series { step_s: 1, steps: (0..22).map(step).collect(), standstills: Vec::new() };
        let timing = PointTiming { started_ns: 0, measured_ns: 20_000_000_000 };
        let mut point = LoadPoint::new(LoadPointFacts::default(), Meter::new().finish_point(0, timing));
        point.total = Figures { bytes_per_s: Some(mb_per_s * MB), ..Figures::default() };
        (series, point)
    }

    fn out_of(hosts: &[(Series, LoadPoint)], alike: &[usize]) -> Vec<Option<StandsOut>> {
        let all = hosts.iter().zip(alike);
        let readings: Vec<_> =
            all.map(|((series, point), &alike)| HostReading { alike, series, point }).collect();
        standing_out(&readings)
    }

    fn names(rates: &[f64]) -> Vec<bool> {
        let hosts: Vec<_> = rates.iter().map(|rate| host(*rate)).collect();
        out_of(&hosts, &vec![0; rates.len()]).iter().map(Option::is_some).collect()
    }

    #[test]
    fn only_the_slow_host_is_an_outlier() {
        assert_eq!(names(&[100.0, 98.0, 42.0]), [false, false, true]);
        assert_eq!(
            names(&[100.0, 98.0, 103.0, 40.0, 41.0, 99.0, 101.0]),
            [false, false, false, true, true, false, false]
        );
        let hosts: Vec<_> = [100.0, 98.0, 42.0].iter().map(|rate| host(*rate)).collect();
        let found = out_of(&hosts, &[0, 0, 0])[2].expect("it stands out");
        assert_eq!((found.figure, found.is_worse), (HostFigure::Throughput, true));
        assert!((found.siblings / (99.0 * MB) - 1.0).abs() < 0.01 && found.noise_percent < 15.0, "{found:?}");
    }

    #[test]
    fn host_within_the_noise_is_no_outlier() {
        assert_eq!(names(&[100.0, 98.0, 93.0]), [false; 3]);
        assert_eq!(names(&[100.0, 60.0]), [false; 2], "of two nobody knows which one is out");
        assert_eq!(names(&[100.0, 60.0, 35.0]), [false; 3], "siblings that differ make no middle");
    }

    #[test]
    fn hosts_with_different_work_are_no_siblings() {
        let hosts: Vec<_> = [100.0, 98.0, 42.0].iter().map(|rate| host(*rate)).collect();
        assert!(out_of(&hosts, &[0, 0, 1]).iter().all(Option::is_none));
    }

    #[test]
    fn paced_streams_compare_only_response_times_and_short_runs_are_unknown() {
        let mut hosts: Vec<_> = [100.0, 98.0, 42.0].iter().map(|rate| host(*rate)).collect();
        hosts.iter_mut().for_each(|(_, point)| point.stream_count = Some(2));
        assert!(out_of(&hosts, &[0; 3]).iter().all(Option::is_none));
        for ((_, point), mean_us) in hosts.iter_mut().zip([500.0, 510.0, 2_000.0]) {
            let times = TimeFigures {
                count: 2_000,
                deviation_us: None,
                mean_us,
                p50_us: mean_us,
                p95_us: mean_us,
                p99_us: mean_us,
                p99_9_us: mean_us,
                max_us: mean_us,
                max_began_s: 0.0,
                max_began_in_point_s: 0.0,
            };
            point.total.response.data = Some(times);
        }
        let found = out_of(&hosts, &[0; 3]);
        assert_eq!(found.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, true]);
        assert_eq!(found[2].map(|out| (out.figure, out.is_worse)), Some((HostFigure::MeanResponse, true)));
        hosts.iter_mut().for_each(|(series, _)| series.steps.truncate(5));
        assert!(out_of(&hosts, &[0; 3]).iter().all(Option::is_none));
    }
}
