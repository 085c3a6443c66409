//! Mean and standard deviation of values that are read once (Welford's method, which avoids the loss of
//! precision in a sum of squares).

/// Count, mean and deviation so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    count: u64,
    mean: f64,
    /// Sum of the squared distances from the mean.
    squares: f64,
}

impl Moments {
    pub(crate) fn add(&mut self, value: f64) {
        self.count += 1;
        let distance = value - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (value - self.mean);
    }

    /// The number of values.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; 0 for no values.
    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    /// Their standard deviation (of the whole population, not of a sample); 0 for no values.
    pub(crate) fn deviation(&self) -> f64 {
        if self.count == 0 { 0.0 } else { (self.squares / self.count as f64).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_are_those_of_the_textbook() {
        let mut moments = Moments::default();
        [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].into_iter().for_each(|value| moments.add(value));
        assert_eq!((moments.count(), moments.mean(), moments.deviation()), (8, 5.0, 2.0));
        assert_eq!(Moments::default().deviation(), 0.0);
    }

    #[test]
    fn small_differences_of_large_values_are_kept() {
        let mut moments = Moments::default();
        (0..1000).for_each(|at| moments.add(1e15 + f64::from(at % 2)));
        assert!((moments.deviation() - 0.5).abs() < 0.01, "{}", moments.deviation());
    }
}
