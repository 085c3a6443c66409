//! Reduces a series to few enough points for a chart, whatever the length of the run.
//!
//! Pure. If a series has too many points, neighbours in time are combined into bins of equal length.
//! Each bin keeps its smallest and its largest value, at their times. So a stall of one second stays
//! visible in a run of a day. A thinned series shows extremes; means are computed from the files.

/// Points that a series has, at most.
pub const POINTS_MAX: usize = 1200;

/// The shortest bin: the initial sample interval.
const FIRST_BIN_NS: u64 = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// When, in nanoseconds.
    pub at_ns: u64,
    /// `None` if the value is unknown.
    pub value: Option<f64>,
}

/// A bin: its extremes, in order of time. Both are the same if one point is enough.
#[derive(Clone, Copy, Debug)]
struct Bin {
    first: Point,
    last: Point,
}

/// A series being read, in order of time.
#[derive(Clone, Debug, Default)]
pub struct Thinner {
    /// 0 while every point has a separate bin.
    bin_ns: u64,
    bins: Vec<Bin>,
    points: usize,
    last_ns: Option<u64>,
}

impl Bin {
    fn points(self) -> usize {
        if self.first == self.last { 1 } else { 2 }
    }

    /// The extremes of both bins. A point with a value replaces one without.
    fn join(self, later: Bin) -> Bin {
        let mut points = [self.first, self.last, later.first, later.last].into_iter();
        let values = points.by_ref().filter(|point| point.value.is_some());
        let order = |one: &Point, other: &Point| {
            // Only points with a value are compared.
            one.value.unwrap_or_default().total_cmp(&other.value.unwrap_or_default())
        };
        let values: Vec<Point> = values.collect();
        // If values are equal, takes the first, so that a constant level is one point.
        let smallest = values.iter().copied().min_by(order);
        let largest =
            values.iter().copied().reduce(|one, other| if order(&other, &one).is_gt() { other } else { one });
        let (Some(smallest), Some(largest)) = (smallest, largest) else {
            return Bin { first: self.first, last: self.first };
        };
        if smallest.at_ns <= largest.at_ns {
            Bin { first: smallest, last: largest }
        } else {
            Bin { first: largest, last: smallest }
        }
    }
}

impl Thinner {
    /// Takes the next point. A point that is not later than the one before is omitted.
    pub fn push(&mut self, point: Point) {
        if self.last_ns.is_some_and(|last_ns| point.at_ns <= last_ns) {
            return;
        }
        self.last_ns = Some(point.at_ns);
        self.add(Bin { first: point, last: point });
        self.limit(POINTS_MAX);
    }

    /// Combines neighbours until at most this many points are left; at least two stay.
    pub fn limit(&mut self, points_max: usize) {
        while self.points > points_max.max(2) {
            // The width of a bin cannot exceed the range of the clock.
            self.bin_ns = (self.bin_ns.saturating_mul(2)).max(FIRST_BIN_NS);
            let bins = std::mem::take(&mut self.bins);
            self.points = 0;
            for bin in bins {
                self.add(bin);
            }
        }
    }

    fn add(&mut self, bin: Bin) {
        let number = |bin: &Bin| bin.first.at_ns.checked_div(self.bin_ns);
        let joined = self.bins.last().filter(|last| self.bin_ns > 0 && number(last) == number(&bin));
        match joined {
            Some(last) => {
                let joined = last.join(bin);
                self.points = self.points - last.points() + joined.points();
                if let Some(last) = self.bins.last_mut() {
                    *last = joined;
                }
            }
            None => {
                self.points += bin.points();
                self.bins.push(bin);
            }
        }
    }

    /// The points, in order of time.
    pub fn points(&self) -> impl Iterator<Item = Point> {
        self.bins.iter().flat_map(|bin| [bin.first, bin.last].into_iter().take(bin.points()))
    }

    /// Whether all values were 0 or unknown.
    pub fn is_silent(&self) -> bool {
        self.points().all(|point| point.value.is_none_or(|value| value == 0.0))
    }

    /// Whether no point has a value.
    pub fn is_empty(&self) -> bool {
        self.points().all(|point| point.value.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thinned(count: u64, value: impl Fn(u64) -> Option<f64>) -> Vec<Point> {
        let mut thinner = Thinner::default();
        for second in 0..count {
            thinner.push(Point { at_ns: second * 1_000_000_000 + 7, value: value(second) });
        }
        thinner.points().collect()
    }

    #[test]
    fn short_series_are_unchanged() {
        let points = thinned(POINTS_MAX as u64, |second| (second % 2 == 0).then_some(second as f64));
        assert_eq!(points.len(), POINTS_MAX);
        assert_eq!(points[5], Point { at_ns: 5_000_000_007, value: None });
        assert_eq!(points[6].value, Some(6.0));
    }

    #[test]
    fn a_stall_of_a_second_in_a_day_stays() {
        let value = |second| match second {
            50_000 => 0.0,
            60_001 => 900.0,
            _ => 100.0 + (second % 7) as f64,
        };
        let points = thinned(86_400, |second| Some(value(second)));
        assert!((300..=POINTS_MAX).contains(&points.len()), "{}", points.len());
        assert!(points.is_sorted_by(|one, other| one.at_ns < other.at_ns));
        for second in [50_000, 60_001] {
            let point = Point { at_ns: second * 1_000_000_000 + 7, value: Some(value(second)) };
            assert!(points.contains(&point), "{point:?}");
        }
        // No point is invented.
        for point in points {
            assert_eq!(point.value, Some(value(point.at_ns / 1_000_000_000)));
        }
    }

    #[test]
    fn empty_series_are_dropped_unless_they_are_the_only_ones() {
        let points = thinned(10_000, |second| (second < 5_000 && second % 3 == 0).then_some(1.0));
        assert!(points.len() <= POINTS_MAX);
        let (said, silent): (Vec<Point>, Vec<Point>) =
            points.iter().partition(|point| point.at_ns < 4_950_000_000_000);
        assert!(said.iter().all(|point| point.value == Some(1.0)));
        assert!(silent.len() > 100 && silent[60..].iter().all(|point| point.value.is_none()));
    }

    #[test]
    fn points_out_of_order_are_dropped() {
        let mut thinner = Thinner::default();
        for at_ns in [5, 3, 5, 9] {
            thinner.push(Point { at_ns, value: Some(0.0) });
        }
        assert_eq!(thinner.points().map(|point| point.at_ns).collect::<Vec<_>>(), [5, 9]);
        assert!(thinner.is_silent() && !thinner.is_empty());
    }
}
