//! The bytes that a load point transferred in each second: the series in which an initial burst is
//! found.
//!
//! The bytes of an operation are spread evenly over its duration, so that large operations on slow
//! storage do not make the seconds uneven. [`crate::sustained`] decides whether the series is steady.

use crate::figures::stretch_ns;
use reelgauge_record::{OpKind, OpRecord};

const SECOND_NS: u64 = 1_000_000_000;
/// Bursts are searched for in short load points only; later seconds are not kept.
const SECONDS_MAX: usize = 600;

/// Accumulates the bytes of each second from records, including the warm-up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlowTally {
    begun_ns: u64,
    seconds: Vec<f64>,
}

impl FlowTally {
    /// For a load point that began at this time.
    pub fn new(begun_ns: u64) -> FlowTally {
        FlowTally { begun_ns, seconds: Vec::new() }
    }

    pub fn add(&mut self, record: &OpRecord) {
        if record.errno != 0 || !matches!(record.kind, OpKind::Read | OpKind::Write) {
            return;
        }
        let from_ns = stretch_ns(self.begun_ns, record.issued_ns);
        let until_ns = stretch_ns(self.begun_ns, record.done_ns).max(from_ns + 1);
        let per_ns = f64::from(record.done_len) / (until_ns - from_ns) as f64;
        let mut at_ns = from_ns;
        while at_ns < until_ns {
            let second = (at_ns / SECOND_NS) as usize;
            if second >= SECONDS_MAX {
                return;
            }
            let end_ns = until_ns.min((second as u64 + 1) * SECOND_NS);
            if self.seconds.len() <= second {
                self.seconds.resize(second + 1, 0.0);
            }
            self.seconds[second] += per_ns * (end_ns - at_ns) as f64;
            at_ns = end_ns;
        }
    }

    /// Bytes of each whole second until `end_ns`.
    pub fn finish(mut self, end_ns: u64) -> Vec<f64> {
        let whole = (stretch_ns(self.begun_ns, end_ns) / SECOND_NS) as usize;
        self.seconds.resize(whole.min(SECONDS_MAX), 0.0);
        self.seconds
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records::read;

    use super::*;

    #[test]
    fn bytes_are_spread_over_the_time_that_an_operation_took() {
        let mut flow = FlowTally::new(SECOND_NS);
        // From 1.5 to 2.5 s, and from 2.0 to 2.2 s on the run's clock.
        flow.add(&read(0, 0, 1_000).at_ms(1_500).took_ms(1_000));
        flow.add(&read(0, 0, 100).at_ms(2_000).took_ms(200));
        let seconds: Vec<u64> =
            flow.finish(4_100_000_000).into_iter().map(|bytes| bytes.round() as u64).collect();
        assert_eq!(seconds, [500, 600, 0]);
    }
}
