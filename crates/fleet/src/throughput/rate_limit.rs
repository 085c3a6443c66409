//! Limits a stream of bytes to a rate. Pure.

/// A burst may be as long as the bytes of this time.
const AHEAD_NS: u64 = 20_000_000;

#[derive(Clone, Copy, Debug)]
pub struct Pace {
    bytes_per_s: u64,
    /// When all bytes so far would have been sent at that rate.
    paid_until_ns: u64,
}

impl Pace {
    /// A limit in bytes per second.
    pub fn new(bytes_per_s: u64) -> Pace {
        Pace { bytes_per_s: bytes_per_s.max(1), paid_until_ns: 0 }
    }

    /// The most bytes to send at a time.
    pub fn piece_bytes(&self, most: usize) -> usize {
        let piece = u128::from(self.bytes_per_s) * u128::from(AHEAD_NS) / 1_000_000_000;
        usize::try_from(piece).unwrap_or(most).clamp(1, most)
    }

    /// Records sent bytes. Returns how long to wait before sending more.
    pub fn went(&mut self, now_ns: u64, bytes: u64) -> u64 {
        let takes_ns = u128::from(bytes) * 1_000_000_000 / u128::from(self.bytes_per_s);
        let takes_ns = u64::try_from(takes_ns).unwrap_or(u64::MAX);
        // Unused time is lost: nothing is caught up.
        self.paid_until_ns = self.paid_until_ns.max(now_ns).saturating_add(takes_ns);
        self.paid_until_ns.saturating_sub(now_ns.saturating_add(AHEAD_NS))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn throughput_stays_at_the_rate_limit(
            bytes_per_s in 1_000_u64..10_000_000_000,
            pauses in proptest::collection::vec(0..50_000_000_u64, 1..200),
        ) {
            let mut pace = Pace::new(bytes_per_s);
            let piece = pace.piece_bytes(1 << 18) as u64;
            let (mut now_ns, mut gone) = (0, 0);
            for pause_ns in pauses {
                gone += piece;
                now_ns += pace.went(now_ns, piece) + pause_ns;
                let allowed = bytes_per_s as f64 * (now_ns + AHEAD_NS) as f64 / 1e9 + piece as f64;
                prop_assert!(gone as f64 <= allowed + 1.0, "{gone} of {allowed}");
            }
        }
    }

    #[test]
    fn a_continuous_sender_reaches_the_whole_rate() {
        let mut pace = Pace::new(1_000_000);
        let (mut now_ns, mut gone) = (0, 0);
        while now_ns < 1_000_000_000 {
            gone += 1_000;
            now_ns += pace.went(now_ns, 1_000);
            now_ns += 1;
        }
        assert!((950_000..=1_050_000).contains(&gone), "{gone}");
    }
}
