//! Published results of the benchmark that a VDA-like run resembles, for comparison with a run's curve.
//! A run is not such a result, whatever its figures: its workload follows the published definition, but
//! its program, its rules and its review do not.
//!
//! The figures are from the named disclosures. Totals are in the published unit, see
//! [`PUBLISHED_UNIT_BYTES`].

/// "MB/s" in published results is KiB/s ÷ 1000, this many bytes. Thirty published load points agree with
/// it within 0.25 %, and differ by more than 2 % in any other unit.
pub const PUBLISHED_UNIT_BYTES: f64 = 1_024_000.0;

/// A load point of a published curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedPoint {
    pub streams: u32,
    /// Average latency.
    pub latency_ms: f64,
    /// Operations per second.
    pub ops_per_s: f64,
    /// Total, in the published unit.
    pub mb_per_s: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedCurve {
    /// The tested system.
    pub system: &'static str,
    /// The date and the place of publication.
    pub source: &'static str,
    /// Its stated overall response time.
    pub overall_response_time_ms: f64,
    /// From the smallest load point to the largest. For some results only the largest is known.
    pub points: &'static [PublishedPoint],
}

impl PublishedCurve {
    /// The largest load point, which is the result.
    pub fn largest(&self) -> Option<&PublishedPoint> {
        self.points.last()
    }

    /// The latency at this number of streams, interpolated linearly between two points. `None` outside
    /// the measured range.
    pub fn latency_ms_at(&self, streams: f64) -> Option<f64> {
        let pair = self
            .points
            .windows(2)
            .find(|pair| f64::from(pair[0].streams) <= streams && streams <= f64::from(pair[1].streams))?;
        let (from, to) = (f64::from(pair[0].streams), f64::from(pair[1].streams));
        let share = (streams - from) / (to - from);
        Some(pair[0].latency_ms + share * (pair[1].latency_ms - pair[0].latency_ms))
    }
}

/// A point: streams, latency in ms, operations per second, total.
const fn at(streams: u32, latency_ms: f64, ops_per_s: f64, mb_per_s: f64) -> PublishedPoint {
    PublishedPoint { streams, latency_ms, ops_per_s, mb_per_s }
}

/// The largest first.
pub const PUBLISHED: [PublishedCurve; 5] = [
    PublishedCurve {
        system: "Quantum StorNext 7.0.1, 10 F1000 nodes",
        source: "Quantum, StorNext 7 VDA reference architecture",
        overall_response_time_ms: 0.90,
        points: &[
            at(745, 0.8, 7_455.0, 3_440.0),
            at(1_490, 0.8, 14_910.0, 6_870.0),
            at(2_235, 0.8, 22_365.0, 10_320.0),
            at(2_980, 0.8, 29_819.0, 13_758.0),
            at(3_725, 0.8, 37_275.0, 17_192.0),
            at(4_470, 0.8, 44_730.0, 20_643.0),
            at(5_215, 0.8, 52_185.0, 24_077.0),
            at(5_960, 0.9, 59_640.0, 27_539.0),
            at(6_705, 1.1, 67_095.0, 30_947.0),
            at(7_450, 1.7, 74_550.0, 34_391.0),
        ],
    },
    PublishedCurve {
        system: "a second vendor, 23 nodes with 138 NVMe",
        source: "Quantum, StorNext 7 VDA reference architecture",
        overall_response_time_ms: 1.56,
        points: &[at(6_800, f64::NAN, f64::NAN, 31_375.0)],
    },
    PublishedCurve {
        system: "Cisco UCS S3260 with MapR-XD",
        source: "spec.org sfs2014-20171107-00022",
        overall_response_time_ms: 12.94,
        points: &[
            at(207, 6.67, 2_071.0, 958.0),
            at(414, 6.99, 4_142.0, 1_905.0),
            at(621, 8.24, 6_213.0, 2_871.0),
            at(828, 9.39, 8_284.0, 3_820.0),
            at(1_035, 10.66, 10_355.0, 4_781.0),
            at(1_242, 12.40, 12_426.0, 5_736.0),
            at(1_449, 14.21, 14_497.0, 6_693.0),
            at(1_656, 16.18, 16_568.0, 7_648.0),
            at(1_863, 18.25, 18_640.0, 8_594.0),
            at(2_070, 34.11, 20_668.0, 9_538.0),
        ],
    },
    PublishedCurve {
        system: "IBM DeepFlash 150 with Spectrum Scale 4.2.1",
        source: "spec.org sfs2014-20160912-00016",
        overall_response_time_ms: 4.12,
        points: &[
            at(170, 1.6, 1_700.0, 784.0),
            at(340, 1.8, 3_401.0, 1_568.0),
            at(510, 1.9, 5_102.0, 2_355.0),
            at(680, 2.3, 6_803.0, 3_134.0),
            at(850, 2.7, 8_503.0, 3_917.0),
            at(1_020, 2.7, 10_204.0, 4_713.0),
            at(1_190, 2.8, 11_904.0, 5_491.0),
            at(1_360, 3.2, 13_605.0, 6_281.0),
            at(1_530, 3.9, 15_306.0, 7_065.0),
            at(1_700, 30.0, 16_980.0, 7_821.0),
        ],
    },
    PublishedCurve {
        system: "reference NAS of 4 nodes, 10k SAS, 1 GbE",
        source: "spec.org sfs2014-20141029-00003",
        overall_response_time_ms: 48.79,
        points: &[
            at(1, 25.36, 10.0, 4.0),
            at(2, 24.04, 20.0, 9.0),
            at(3, 30.54, 30.0, 13.0),
            at(4, 36.81, 39.0, 18.0),
            at(5, 40.21, 49.0, 23.0),
            at(6, 48.98, 59.0, 27.0),
            at(7, 48.10, 69.0, 32.0),
            at(8, 51.14, 79.0, 36.0),
            at(9, 53.47, 89.0, 41.0),
            at(10, 56.55, 99.0, 46.0),
            at(11, 55.76, 109.0, 50.0),
            at(12, 58.09, 119.0, 55.0),
            at(13, 68.33, 129.0, 59.0),
            at(14, 64.49, 139.0, 64.0),
            at(15, 67.30, 149.0, 69.0),
        ],
    },
];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::ort::{CurvePoint, overall_response_time_ms};

    /// The stated response times agree with the points, within the printed digits.
    #[test]
    fn the_published_response_times_follow_from_their_points() {
        for curve in PUBLISHED.iter().filter(|curve| curve.points.len() > 1) {
            let point = |point: &PublishedPoint| CurvePoint {
                achieved_ops_per_s: point.ops_per_s,
                mean_latency_ms: point.latency_ms,
            };
            let points: Vec<CurvePoint> = curve.points.iter().map(point).collect();
            let ms = overall_response_time_ms(&points).unwrap();
            let off = (ms / curve.overall_response_time_ms - 1.0).abs();
            assert!(off < 0.01, "{}: {ms}", curve.system);
        }
    }

    #[test]
    fn totals_are_in_the_unit_of_a_thousand_kib() {
        // 9 writes of 468.8 KiB and 0.89 reads of 457.6 KiB a second are 4,626.5 KiB/s for a stream.
        for curve in &PUBLISHED {
            let largest = curve.largest().unwrap();
            let each = largest.mb_per_s * PUBLISHED_UNIT_BYTES / 1024.0 / f64::from(largest.streams);
            assert!((each / 4_626.5 - 1.0).abs() < 0.01, "{}: {each} KiB/s", curve.system);
        }
    }

    #[test]
    fn latencies_lie_between_those_of_the_nearest_points() {
        let quantum = &PUBLISHED[0];
        assert_eq!(quantum.latency_ms_at(745.0), Some(0.8));
        assert!((quantum.latency_ms_at(7_077.5).unwrap() - 1.4).abs() < 1e-9);
        assert_eq!((quantum.latency_ms_at(100.0), quantum.latency_ms_at(8_000.0)), (None, None));
        assert_eq!(PUBLISHED[1].latency_ms_at(6_800.0), None);
    }
}
