//! Detects shrinking margins of a stream: the earliest sign that storage delivers slightly less than
//! needed, long before a full buffer is empty and a frame is late.
//!
//! For each of [`BINS`] equal stretches of the measured part, the best margin of the frames that arrived
//! in it is kept, without the scheduling delay of Reelgauge. A buffer that fills up repeatedly has a
//! constant best margin, whatever single frames did. If the buffer is never full again, the best margin
//! shrinks, by 7 ms per second if storage delivers 99.3 % of what is needed. The frames with which a
//! player initially fills its buffer are not counted: they are requested before their place in it would
//! be free.
//!
//! The result ([`MarginTrend`]) is computed over [`POINTS`] stretches:
//! * fall: the median slope between all pairs of stretches (Theil-Sen) with the sign reversed, so that a
//!   stall from which the stream recovered does not count as a fall;
//! * standard error: that of a straight line through them, from the residuals, widened by √((1 + r) ÷ (1
//!   − r)), where r is the correlation of neighbouring residuals. A queue goes up and down in long
//!   waves, and a plain standard error would take them for a trend.
//!
//! Not here: which fall is too fast ([`crate::verdict`]).

use super::MeasuredPart;
use super::figures::MarginTrend;
use crate::figures::stretch_ns;
use crate::rounding::round_to;

/// Stretches that are kept, so that a load point that was cut short still has enough of them.
const BINS: usize = 64;

/// Stretches that the trend is computed from.
const POINTS: usize = 16;

/// Fewer stretches with a frame give no trend.
const POINTS_MIN: usize = 8;

/// Fewer frames in them give no trend.
const FRAMES_MIN: u64 = 16;

/// The correlation of neighbours is limited to this, because a few stretches cannot show it more
/// precisely.
const ALIKE_MAX: f64 = 0.9;

/// The best margins of one stream over time.
#[derive(Clone, Debug)]
pub(super) struct Margins {
    from_ns: u64,
    bin_ns: u64,
    /// The best margin in each, in nanoseconds; `None` if no frame arrived.
    best_ns: [Option<i64>; BINS],
    frames: u64,
    jumped: bool,
}

impl Margins {
    /// For the planned measured part.
    pub(super) fn new(part: &MeasuredPart) -> Margins {
        let bin_ns = (stretch_ns(part.from_ns, part.until_ns) / BINS as u64).max(1);
        Margins { from_ns: part.from_ns, bin_ns, best_ns: [None; BINS], frames: 0, jumped: false }
    }

    /// Records a frame that arrived at this time, with this deadline.
    pub(super) fn came(&mut self, done_ns: u64, deadline_ns: u64) {
        let bin = done_ns.checked_sub(self.from_ns).map(|since_ns| since_ns / self.bin_ns);
        let Some(best_ns) = bin.and_then(|bin| self.best_ns.get_mut(usize::try_from(bin).ok()?)) else {
            return;
        };
        self.frames += 1;
        let margin_ns = i128::from(deadline_ns) - i128::from(done_ns);
        let margin_ns = i64::try_from(margin_ns).unwrap_or(if margin_ns < 0 { i64::MIN } else { i64::MAX });
        *best_ns = (*best_ns).max(Some(margin_ns));
    }

    /// Records that playback restarted elsewhere: from then on, the buffer shows nothing about the time
    /// before.
    pub(super) fn jumped(&mut self) {
        self.jumped = true;
    }

    /// The trend up to this time; `None` with too little evidence.
    pub(super) fn trend(&self, until_ns: u64) -> Option<MarginTrend> {
        let bins = usize::try_from(stretch_ns(self.from_ns, until_ns) / self.bin_ns).unwrap_or(BINS);
        let bins = bins.min(BINS);
        if self.jumped || self.frames < FRAMES_MIN || bins < POINTS {
            return None;
        }
        let point_s = bins as f64 * self.bin_ns as f64 / 1e9 / POINTS as f64;
        let mut best: [Option<i64>; POINTS] = [None; POINTS];
        for (bin, margin_ns) in self.best_ns[..bins].iter().enumerate() {
            let point = &mut best[bin * POINTS / bins];
            *point = (*point).max(*margin_ns);
        }
        let points = best.iter().enumerate();
        let points: Vec<(f64, f64)> = points
            .filter_map(|(number, margin_ns)| Some((number as f64 * point_s, (*margin_ns)? as f64 / 1e6)))
            .collect();
        trend_of(&points, point_s)
    }
}

/// The trend of margins in milliseconds over times in seconds.
fn trend_of(points: &[(f64, f64)], point_s: f64) -> Option<MarginTrend> {
    let (&(first_s, _), &(last_s, _)) = (points.first()?, points.last()?);
    if points.len() < POINTS_MIN {
        return None;
    }
    let pairs =
        points.iter().enumerate().flat_map(|(n, one)| points[n + 1..].iter().map(move |two| (one, two)));
    let slope = median(pairs.map(|(one, two)| (two.1 - one.1) / (two.0 - one.0)).collect())?;
    let level = median(points.iter().map(|(at_s, margin)| margin - slope * at_s).collect())?;
    Some(MarginTrend {
        fall_ms_per_s: round_to(-slope, 6),
        standard_error_ms_per_s: round_to(standard_error(points), 6),
        observed_s: round_to(last_s - first_s + point_s, 9),
        at_end_ms: round_to(level + slope * (last_s + point_s), 6),
    })
}

/// The standard error of the slope of the straight line through these points; see the module.
fn standard_error(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |value: fn(&(f64, f64)) -> f64| points.iter().map(value).sum::<f64>() / count;
    let (mean_s, mean_ms) = (mean(|point| point.0), mean(|point| point.1));
    let spread = points.iter().map(|(at_s, _)| (at_s - mean_s).powi(2)).sum::<f64>();
    let slope = points.iter().map(|(at_s, ms)| (at_s - mean_s) * (ms - mean_ms)).sum::<f64>() / spread;
    let left: Vec<f64> = points.iter().map(|(at_s, ms)| ms - mean_ms - slope * (at_s - mean_s)).collect();
    let squares = left.iter().map(|beside| beside * beside).sum::<f64>();
    if squares <= 0.0 {
        return 0.0;
    }
    let neighbours = left.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
    // A short series of independent residuals has a correlation that is too low, by about 2 ÷ n without
    // its trend.
    let alike = (neighbours / squares + 2.0 / count).clamp(0.0, ALIKE_MAX);
    (squares / (count - 2.0) / spread * (1.0 + alike) / (1.0 - alike)).sqrt()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(if values.len().is_multiple_of(2) { (values[middle - 1] + upper) / 2.0 } else { upper })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const MS: u64 = 1_000_000;
    const S: u64 = 1_000 * MS;
    const PART: MeasuredPart = MeasuredPart { point: 0, started_ns: 0, from_ns: 3 * S, until_ns: 13 * S };

    /// Frames of 25 per second, with a margin in milliseconds that depends on the seconds since the part
    /// began.
    fn margins(until_s: u64, margin_ms: impl Fn(f64) -> f64) -> Margins {
        let mut margins = Margins::new(&PART);
        for frame in 0..until_s * 25 {
            let done_ns = PART.from_ns + frame * 40 * MS;
            let margin_ns = margin_ms(frame as f64 * 0.04) * 1e6;
            margins.came(done_ns, (done_ns as i64 + margin_ns as i64) as u64);
        }
        margins
    }

    fn trend(margin_ms: impl Fn(f64) -> f64) -> MarginTrend {
        margins(10, margin_ms).trend(PART.until_ns).unwrap()
    }

    #[test]
    fn a_steady_fall_is_found_to_the_hundredth() {
        let found = trend(|at_s| 960.0 - 7.14 * at_s);
        assert!((found.fall_ms_per_s - 7.14).abs() < 0.07, "{found:?}");
        assert!(found.standard_error_ms_per_s < 0.1, "{found:?}");
        assert!((found.at_end_ms - (960.0 - 71.4)).abs() < 5.0, "{found:?}");
        assert_eq!(found.observed_s, 10.0);
        let rising = trend(|at_s| 500.0 + 7.14 * at_s);
        assert!((rising.fall_ms_per_s + 7.14).abs() < 0.07, "{rising:?}");
    }

    #[test]
    fn slow_frames_between_full_buffers_are_no_fall() {
        let found =
            trend(|at_s| if ((at_s * 25.0) as u64).is_multiple_of(3) { 998.0 } else { 998.0 - 60.0 * at_s });
        assert!(found.fall_ms_per_s.abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn a_stall_that_is_made_good_is_no_fall() {
        for stall_s in [0.5, 4.0, 7.0] {
            let found = trend(|at_s| {
                let since_s = at_s - stall_s;
                if (0.0..2.0).contains(&since_s) { 400.0 + 299.0 * since_s } else { 998.0 }
            });
            assert!(found.fall_ms_per_s.abs() < 1.0, "{stall_s} {found:?}");
        }
    }

    #[test]
    fn waves_of_a_queue_widen_the_error_more_than_noise_does() {
        let wave = trend(|at_s| 900.0 + 20.0 * (at_s * 0.9).sin());
        let noise = trend(|at_s| 900.0 + 20.0 * ((at_s * 25.0 / 16.0).floor() * 2.4).sin());
        assert!(wave.standard_error_ms_per_s > 1.5 * noise.standard_error_ms_per_s, "{wave:?} {noise:?}");
    }

    #[test]
    fn stream_with_few_samples_has_no_trend() {
        let falling = |at_s: f64| 900.0 - 10.0 * at_s;
        assert_eq!(Margins::new(&PART).trend(PART.until_ns), None);
        // Cut short: half the time is enough, a fifth is not.
        let half = margins(10, falling).trend(PART.from_ns + 5 * S).unwrap();
        assert!((half.fall_ms_per_s - 10.0).abs() < 0.2 && half.observed_s == 5.0, "{half:?}");
        assert_eq!(margins(10, falling).trend(PART.from_ns + 2 * S), None);
        // No frame arrived in most of it.
        assert_eq!(margins(4, falling).trend(PART.until_ns), None);
        let mut jumped = margins(10, falling);
        jumped.jumped();
        assert_eq!(jumped.trend(PART.until_ns), None);
    }

    #[test]
    fn absurd_times_do_not_panic() {
        let mut margins = Margins::new(&MeasuredPart { from_ns: u64::MAX, until_ns: 0, ..PART });
        margins.came(u64::MAX, 0);
        margins.came(0, u64::MAX);
        assert_eq!(margins.trend(u64::MAX), None);
    }
}
