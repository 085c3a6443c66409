//! Response times: their mean, percentiles and maximum, and how well each is known.

use super::super::FLOOR_RATE;
use super::super::evidence::{Noise, Stretches, Z_98, of_rate};
use super::Reading;
use crate::figures::TimeFigures;
use crate::summary::LoadPoint;

/// The share of slow operations is known to this precision at best, because they come in bursts.
const SLOW_SHARE: f64 = 0.2;

/// How many operations count as one independent operation, for the median.
const OPS_PER_INDEPENDENT: f64 = 10.0;

/// If workers spend more than this share of their time in operations, they never pause (times are
/// rounded) …
const BUSY_MIN: f64 = 0.8;
/// … and above this share they have several operations in flight, and Little's law needs to know how
/// many.
const BUSY_MAX: f64 = 1.2;

/// The times of one kind of operation: `read`, and their label.
pub(super) struct Whose<'a> {
    pub(super) kind: &'a str,
    pub(super) times: &'a TimeFigures,
    /// A large part of them is scheduling delay of Reelgauge, so values beyond the median say nothing
    /// about the storage.
    pub(super) with_own_delay: bool,
}

/// With fewer operations beyond it, a percentile depends on single operations.
const BEYOND_MIN: f64 = 3.0;

/// The figures of the times of one kind.
pub(super) fn readings(
    whose: &Whose<'_>,
    point: &LoadPoint,
    stretches: Option<&Stretches>,
    into: &mut Vec<Reading>,
) {
    let Whose { kind, times, with_own_delay } = whose;
    let mean_noise = stretches.map_or(Noise::Unknown, |stretches| of_mean(point, stretches));
    let tail = stretches.map_or(Noise::Unknown, Stretches::mean_of_max_response);
    let percentile = |quantile: f64| {
        if times.count as f64 * (1.0 - quantile) < BEYOND_MIN {
            return Noise::Unknown;
        }
        mean_noise.towards(tail, depth(times, 1.0 - quantile) / depth(times, 0.0)).and(order(times, quantile))
    };
    let max_noise = stretches.map_or(Noise::Unknown, Stretches::max_response);
    let all = [
        ("mean_us", Some(times.mean_us), mean_noise, FLOOR_RATE),
        ("p50_us", times.carried_p50_us(), percentile(0.5), 0.05),
        ("p95_us", times.carried_p95_us(), percentile(0.95), 0.10),
        ("p99_us", times.carried_p99_us(), percentile(0.99), 0.10),
        ("p99_9_us", times.carried_p99_9_us(), percentile(0.999), 0.25),
        ("max_us", Some(times.max_us), max_noise, 1.0),
    ];
    for (field, value, noise, floor) in all {
        let Some(value) = value else { continue };
        let noise = if *with_own_delay && field != "p50_us" { Noise::Unknown } else { noise };
        let figure = format!("total.response.{kind}.{field}");
        into.push(Reading::new(&figure, value, noise).floor(floor));
    }
}

/// The uncertainty of the mean: that of the op rate, if the workers always had one operation in flight.
pub(in crate::compare) fn of_mean(point: &LoadPoint, stretches: &Stretches) -> Noise {
    let busy = point.total.response.data.zip(point.total.data_ops_per_s);
    let busy = busy.map(|(data, rate)| data.mean_us / 1e6 * rate / f64::from(point.workers.max(1)));
    match busy {
        Some(busy) if (BUSY_MIN..=BUSY_MAX).contains(&busy) => of_rate(&stretches.ops),
        _ => stretches.mean_of_max_response(),
    }
}

/// What the order statistic adds: how far the percentile moves if the share of slower operations is a
/// little larger or smaller. The degrees of freedom are practically infinite.
fn order(times: &TimeFigures, quantile: f64) -> Noise {
    let slower = 1.0 - quantile;
    let count = times.count.max(1) as f64;
    let (more, less) = if quantile < 0.9 {
        let off = Z_98 * (quantile * slower * OPS_PER_INDEPENDENT / count).sqrt();
        (slower + off, slower - off)
    } else {
        let off = (Z_98 * (quantile * slower / count).sqrt()).max(slower * SLOW_SHARE);
        (slower + off, slower - off)
    };
    let here = at(times, slower);
    let off = (at(times, more) / here).ln().abs().max((at(times, less) / here).ln().abs());
    if off.is_finite() { Noise::Share(off / Z_98, 1e9) } else { Noise::Unknown }
}

/// The depth in the tail of the time that this share of the operations exceeds: ln(number of operations
/// until a slower one comes). The maximum counts as half an operation.
fn depth(times: &TimeFigures, slower: f64) -> f64 {
    -slower.max(0.5 / times.count.max(1) as f64).ln()
}

/// The time that this share of the operations exceeds, interpolated on logarithmic scales between the
/// known points. Below the median, the line from the median to p95 is extended.
fn at(times: &TimeFigures, slower: f64) -> f64 {
    let depth = |slower: f64| depth(times, slower);
    let known = [
        (depth(0.5), times.p50_us),
        (depth(0.05), times.p95_us),
        (depth(0.01), times.p99_us),
        (depth(0.001), times.p99_9_us),
        (depth(0.0), times.max_us),
    ];
    let wanted = depth(slower);
    let mut best = times.max_us;
    for pair in known.windows(2).rev() {
        let ((from, low), (to, high)) = (pair[0], pair[1]);
        if to > from && wanted <= to {
            let share = (wanted - from) / (to - from);
            best = (low.max(1e-3).ln() + share * (high.max(1e-3) / low.max(1e-3)).ln()).exp();
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(count: u64) -> TimeFigures {
        TimeFigures {
            count,
            deviation_us: None,
            mean_us: 120.0,
            p50_us: 100.0,
            p95_us: 200.0,
            p99_us: 400.0,
            p99_9_us: 1600.0,
            max_us: 6400.0,
            max_began_s: 0.0,
            max_began_in_point_s: 0.0,
        }
    }

    fn share(noise: Noise) -> f64 {
        match noise {
            Noise::Share(share, _) => share,
            _ => f64::NAN,
        }
    }

    #[test]
    fn known_points_are_met_and_lines_drawn_between() {
        let times = times(1_000_000);
        for (slower, us) in [(0.5, 100.0), (0.05, 200.0), (0.01, 400.0), (0.001, 1600.0), (0.0, 6400.0)] {
            assert!((at(&times, slower) / us - 1.0).abs() < 1e-9, "{slower}: {}", at(&times, slower));
        }
        // Halfway in the logarithm between 1 % and 0.1 %.
        assert!((at(&times, 0.01 / 10_f64.sqrt()) - 800.0).abs() < 1e-6);
        assert!(at(&times, 0.6) < 100.0);
    }

    #[test]
    fn fewer_operations_know_less() {
        let wide = |count, quantile| share(order(&times(count), quantile));
        assert!(wide(200, 0.99) > 2.0 * wide(1_000_000, 0.99), "{}", wide(200, 0.99));
        assert!(wide(1_000_000, 0.99) > 0.03, "a fifth more slow operations is never ruled out");
        assert!(wide(100, 0.5) > wide(100_000, 0.5));
        let none = TimeFigures { p50_us: 0.0, p95_us: 0.0, p99_us: 0.0, ..times(5) };
        assert!(wide(5, 0.5).is_finite() && share(order(&none, 0.95)) >= 0.0);
    }
}
