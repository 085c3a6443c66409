//! A counter as the kernel keeps it, and the result of two readings for the time between them.
//!
//! Pure: no clock, no I/O. Most counters only grow. One that went backwards was reset (a driver was
//! reloaded, a mount made again) or has wrapped. It is unknown which, so the value for that time is
//! `None`, never a huge number.

use std::collections::BTreeMap;

pub use reelgauge_record::counters::{Key, Layer};

/// A reading, and how two of them make a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// A level that is itself the value: bytes, requests in flight.
    Level(f64),
    /// Things since some time in the past; the value is things per second.
    PerSecond(u64),
    /// The sum of the milliseconds of all things since some time in the past; the value is their mean
    /// number.
    MillisecondsOfAll(u64),
    /// Microseconds of a condition since some time in the past; the value is its share of the time in
    /// percent.
    PercentOfTime(u64),
    /// A part and a whole that both grow; the value is percent.
    PercentOf(CountedPart),
    /// The largest of several parts of their wholes, in percent: the busiest processor.
    LargestPercentOf(Vec<CountedPart>),
    /// A sum and its number of values; the value is the mean of those added since.
    Mean { sum: f64, count: u64 },
}

/// A part of a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountedPart {
    /// Also counted in the whole.
    pub part: u64,
    pub whole: u64,
}

/// All counters of one sample round.
pub type Look = BTreeMap<Key, Reading>;

/// The values of a sample round, alone and compared with `earlier`, which was `elapsed_ns` before.
/// Counters that need two readings and have one are omitted, such as those of a new device.
pub fn values(earlier: Option<&Look>, later: &Look, elapsed_ns: u64) -> Vec<(Key, Option<f64>)> {
    let value = |(key, reading): (&Key, &Reading)| match (reading, earlier.and_then(|look| look.get(key))) {
        (Reading::Level(level), _) => Some((key.clone(), finite(*level))),
        (later, Some(earlier)) => Some((key.clone(), between(earlier, later, elapsed_ns).and_then(finite))),
        (_, None) => None,
    };
    later.iter().filter_map(value).collect()
}

/// The result of two readings of one counter for the time between them; `None` if there is none.
fn between(earlier: &Reading, later: &Reading, elapsed_ns: u64) -> Option<f64> {
    match (earlier, later) {
        (Reading::PerSecond(earlier), Reading::PerSecond(later)) => {
            Some(later.checked_sub(*earlier)? as f64 * 1e9 / positive(elapsed_ns)?)
        }
        (Reading::MillisecondsOfAll(earlier), Reading::MillisecondsOfAll(later)) => {
            Some(later.checked_sub(*earlier)? as f64 * 1e6 / positive(elapsed_ns)?)
        }
        (Reading::PercentOfTime(earlier), Reading::PercentOfTime(later)) => {
            // Kernels count in steps, so slightly more than all of the time is possible.
            let share = later.checked_sub(*earlier)? as f64 * 1e3 / positive(elapsed_ns)?;
            Some((share * 100.0).min(100.0))
        }
        (Reading::PercentOf(earlier), Reading::PercentOf(later)) => share_between(*earlier, *later),
        (Reading::LargestPercentOf(earlier), Reading::LargestPercentOf(later)) => {
            // Processors were switched on or off in between, so the order no longer matches.
            if earlier.len() != later.len() {
                return None;
            }
            let shares = earlier.iter().zip(later).filter_map(|(one, other)| share_between(*one, *other));
            shares.max_by(f64::total_cmp)
        }
        (
            Reading::Mean { sum: sum_before, count: count_before },
            Reading::Mean { sum: sum_now, count: count_now },
        ) => {
            let count = count_now.checked_sub(*count_before)?;
            let sum = sum_now - sum_before;
            (sum >= 0.0).then_some(sum / positive(count)?)
        }
        // A counter does not change its kind; otherwise the file was not understood.
        _ => None,
    }
}

fn share_between(earlier: CountedPart, later: CountedPart) -> Option<f64> {
    let part = later.part.checked_sub(earlier.part)? as f64;
    let whole = positive(later.whole.checked_sub(earlier.whole)?)?;
    Some((part / whole * 100.0).min(100.0))
}

fn positive(number: u64) -> Option<f64> {
    (number > 0).then_some(number as f64)
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn part(part: u64, whole: u64) -> Reading {
        Reading::PercentOf(CountedPart { part, whole })
    }

    fn mean(sum: f64, count: u64) -> Reading {
        Reading::Mean { sum, count }
    }

    #[test]
    fn two_readings_make_a_value() {
        let cases = [
            (Reading::PerSecond(100), Reading::PerSecond(300), 2 * SECOND, Some(100.0)),
            (Reading::MillisecondsOfAll(500), Reading::MillisecondsOfAll(4500), 2 * SECOND, Some(2.0)),
            (Reading::PercentOfTime(5), Reading::PercentOfTime(250_005), SECOND, Some(25.0)),
            (Reading::PercentOfTime(0), Reading::PercentOfTime(1_010_000), SECOND, Some(100.0)),
            (part(10, 100), part(30, 140), SECOND, Some(50.0)),
            (part(0, 0), part(5, 4), SECOND, Some(100.0)),
            (mean(1000.0, 2), mean(4000.0, 4), SECOND, Some(1500.0)),
        ];
        for (earlier, later, elapsed_ns, expected) in cases {
            assert_eq!(between(&earlier, &later, elapsed_ns), expected, "{earlier:?} {later:?}");
        }
    }

    #[test]
    fn decreasing_counter_has_no_rate() {
        let cases = [
            (Reading::PerSecond(300), Reading::PerSecond(100)),
            // A 32-bit counter that wraps.
            (Reading::PerSecond(u64::from(u32::MAX)), Reading::PerSecond(3)),
            (Reading::PercentOfTime(2), Reading::PercentOfTime(1)),
            (part(5, 10), part(4, 20)),
            (part(5, 10), part(6, 9)),
            (mean(5.0, 3), mean(6.0, 2)),
            (mean(5.0, 3), mean(4.0, 5)),
            (mean(5.0, 3), mean(5.0, 3)),
            (part(5, 10), part(5, 10)),
            (Reading::PerSecond(1), part(1, 2)),
        ];
        for (earlier, later) in cases {
            assert_eq!(between(&earlier, &later, SECOND), None, "{earlier:?} {later:?}");
        }
        assert_eq!(between(&Reading::PerSecond(1), &Reading::PerSecond(2), 0), None, "no time has passed");
    }

    #[test]
    fn the_busiest_of_several() {
        let cores = |parts: &[(u64, u64)]| {
            Reading::LargestPercentOf(
                parts.iter().map(|&(part, whole)| CountedPart { part, whole }).collect(),
            )
        };
        let earlier = cores(&[(0, 0), (0, 0), (50, 100)]);
        assert_eq!(between(&earlier, &cores(&[(10, 100), (90, 100), (40, 200)]), SECOND), Some(90.0));
        assert_eq!(between(&earlier, &cores(&[(10, 100)]), SECOND), None, "one was switched off");
    }

    #[test]
    fn devices_come_and_go() {
        let key = |device: &str| Key { layer: Layer::Network, name: "x", device: device.to_owned() };
        let look = |devices: &[(&str, Reading)]| -> Look {
            devices.iter().map(|(device, reading)| (key(device), reading.clone())).collect()
        };
        let first = look(&[("eth0", Reading::PerSecond(5)), ("level", Reading::Level(7.0))]);
        assert_eq!(values(None, &first, 0), [(key("level"), Some(7.0))]);
        let second = look(&[("eth0", Reading::PerSecond(6)), ("eth1", Reading::PerSecond(900))]);
        assert_eq!(values(Some(&first), &second, SECOND), [(key("eth0"), Some(1.0))]);
        let third = look(&[("eth0", Reading::PerSecond(2)), ("level", Reading::Level(f64::NAN))]);
        assert_eq!(values(Some(&second), &third, SECOND), [(key("eth0"), None), (key("level"), None)]);
    }

    #[test]
    fn layers_are_known_by_name() {
        for layer in Layer::ALL {
            assert_eq!(Layer::from_name(layer.name()), Some(layer));
        }
        assert_eq!(Layer::from_name("hosts"), None);
    }
}
