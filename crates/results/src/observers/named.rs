//! The counter of a foreign column: by Reelgauge's own names (`disk.util_percent sda`), by those of the
//! Prometheus node exporter, or neither. Other columns keep their names, with the unit at the end of the
//! name.

use std::collections::BTreeMap;

use reelgauge_record::counters::{CounterKind, CounterUnit, Key, Layer, kind};

use super::series::{Series, SeriesTable};

/// Points of one counter: the time by the wall clock, and the value.
pub(super) type Points = Vec<(i64, Option<f64>)>;

/// Counters of the node exporter that become rates per second, times the factor.
const RATES: [(&str, Layer, &str, f64); 17] = [
    ("node_disk_io_time_seconds_total", Layer::Disk, "util_percent", 100.0),
    ("node_disk_io_time_weighted_seconds_total", Layer::Disk, "mean_in_flight", 1.0),
    ("node_disk_read_bytes_total", Layer::Disk, "read_bytes_per_s", 1.0),
    ("node_disk_written_bytes_total", Layer::Disk, "written_bytes_per_s", 1.0),
    ("node_disk_reads_completed_total", Layer::Disk, "reads_per_s", 1.0),
    ("node_disk_writes_completed_total", Layer::Disk, "writes_per_s", 1.0),
    ("node_network_receive_bytes_total", Layer::Network, "rx_bytes_per_s", 1.0),
    ("node_network_transmit_bytes_total", Layer::Network, "tx_bytes_per_s", 1.0),
    ("node_network_receive_errs_total", Layer::Network, "rx_errors_per_s", 1.0),
    ("node_network_transmit_errs_total", Layer::Network, "tx_errors_per_s", 1.0),
    ("node_network_receive_drop_total", Layer::Network, "rx_drops_per_s", 1.0),
    ("node_network_transmit_drop_total", Layer::Network, "tx_drops_per_s", 1.0),
    ("node_pressure_io_waiting_seconds_total", Layer::Host, "pressure_io_some_percent", 100.0),
    ("node_pressure_io_stalled_seconds_total", Layer::Host, "pressure_io_full_percent", 100.0),
    ("node_pressure_cpu_waiting_seconds_total", Layer::Host, "pressure_cpu_some_percent", 100.0),
    ("node_pressure_memory_waiting_seconds_total", Layer::Host, "pressure_memory_some_percent", 100.0),
    ("node_netstat_Tcp_RetransSegs", Layer::Network, "tcp_retransmitted_segments_per_s", 1.0),
];

/// A sum and its number of values: the mean of those between two scrapes, in microseconds.
const MEANS: [(&str, &str, &str); 2] = [
    ("node_disk_read_time_seconds_total", "node_disk_reads_completed_total", "mean_read_us"),
    ("node_disk_write_time_seconds_total", "node_disk_writes_completed_total", "mean_write_us"),
];

/// Levels of the node exporter.
const LEVELS: [(&str, Layer, &str); 4] = [
    ("node_disk_io_now", Layer::Disk, "in_flight"),
    ("node_memory_MemAvailable_bytes", Layer::Host, "memory_available_bytes"),
    ("node_memory_Dirty_bytes", Layer::Host, "memory_dirty_bytes"),
    ("node_memory_Writeback_bytes", Layer::Host, "memory_writeback_bytes"),
];

/// Whether a counter with this name has a name here.
pub(super) fn has_a_name_here(name: &str) -> bool {
    let is_own = || {
        name.split_once('.').is_some_and(|(layer, name)| {
            Layer::from_name(layer).and_then(|layer| kind(layer, name)).is_some()
        })
    };
    RATES.iter().any(|(known, ..)| *known == name)
        || MEANS.iter().any(|(known, ..)| *known == name)
        || LEVELS.iter().any(|(known, ..)| *known == name)
        || is_own()
}

/// Whether it is an accumulating sum of the node exporter.
pub(super) fn is_total(name: &str) -> bool {
    RATES.iter().any(|(known, ..)| *known == name)
        || MEANS.iter().any(|(sum, count, _)| [sum, count].contains(&&name))
}

/// The counters of a table.
pub(super) fn counters(table: &SeriesTable) -> BTreeMap<Key, Points> {
    let mut found = BTreeMap::new();
    for series in &table.series {
        if let Some((_, count, name)) = MEANS.iter().find(|(sum, ..)| *sum == series.name) {
            let counts =
                table.series.iter().find(|other| other.name == *count && other.device == series.device);
            if let Some(counts) = counts {
                found.insert(key(Layer::Disk, name, &series.device), means(series, counts));
            }
            continue;
        }
        let (key, points) = one(series);
        found.insert(key, points);
    }
    found
}

/// The largest possible share of the time, in percent; some programs round up.
const SHARE_MAX_PERCENT: f64 = 100.5;

/// Shares of one processor, of which there may be several.
const OF_ONE_PROCESSOR: [&str; 3] = ["program_percent", "kernel_threads_percent", "cpu_percent"];

/// Why this value is impossible for a column with this name; `None` if it is possible. Values of unknown
/// columns may be below 0.
pub(super) fn why_wrong(name: &str, value: f64) -> Option<&'static str> {
    if !value.is_finite() {
        return Some("is not a number");
    }
    let own = name.split_once('.').and_then(|(layer, name)| kind(Layer::from_name(layer)?, name));
    let is_share =
        |kind: &CounterKind| kind.unit == CounterUnit::Percent && !OF_ONE_PROCESSOR.contains(&kind.name);
    if own.is_some_and(is_share) && !(0.0..=SHARE_MAX_PERCENT).contains(&value) {
        return Some("is not a percentage (0 to 100)");
    }
    (value < 0.0 && (own.is_some() || name.starts_with("node_"))).then_some("must not be negative")
}

fn one(series: &Series) -> (Key, Points) {
    if let Some((_, layer, name, factor)) = RATES.iter().find(|(name, ..)| *name == series.name) {
        return (key(*layer, name, &series.device), times(series.per_second(), *factor));
    }
    if let Some((_, layer, name)) = LEVELS.iter().find(|(name, ..)| *name == series.name) {
        return (key(*layer, name, &series.device), series.points.clone());
    }
    let own = series.name.split_once('.').and_then(|(layer, name)| kind(Layer::from_name(layer)?, name));
    if let Some(own) = own {
        return (key(own.layer, own.name, &series.device), series.points.clone());
    }
    other(series)
}

/// A column without a name here, with the unit at the end of its name.
fn other(series: &Series) -> (Key, Points) {
    let name = series.name.trim_end_matches("_total");
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    let (unit, factor) = match series.only_grows {
        // Seconds per second are a share of the time.
        true if ends(&["_seconds"]) => ("series_percent", 100.0),
        true if ends(&["_bytes"]) => ("series_bytes_per_s", 1.0),
        true => ("series_per_s", 1.0),
        false if ends(&["_percent"]) => ("series_percent", 1.0),
        false if ends(&["_ratio"]) => ("series_percent", 100.0),
        false if ends(&["_mb_per_s"]) => ("series_bytes_per_s", 1e6),
        false if ends(&["_bytes_per_s", "_bytes_per_second"]) => ("series_bytes_per_s", 1.0),
        false if ends(&["_per_s", "_per_second"]) => ("series_per_s", 1.0),
        false if ends(&["_us", "_microseconds"]) => ("series_us", 1.0),
        false if ends(&["_ms", "_milliseconds"]) => ("series_us", 1e3),
        false if ends(&["_seconds"]) => ("series_us", 1e6),
        false if ends(&["_bytes"]) => ("series_bytes", 1.0),
        false => ("series_count", 1.0),
    };
    let points = if series.only_grows { series.per_second() } else { series.points.clone() };
    let device = format!("{name} {}", series.device);
    (key(Layer::Other, unit, device.trim_end()), times(points, factor))
}

fn means(sum: &Series, counts: &Series) -> Points {
    let (sum, counts) = (sum.per_second(), counts.per_second());
    let counts: BTreeMap<i64, Option<f64>> = counts.into_iter().collect();
    let mean = |(at_ns, seconds): (i64, Option<f64>)| {
        let count = counts.get(&at_ns).copied().flatten().filter(|count| *count > 0.0);
        (at_ns, seconds.zip(count).map(|(seconds, count)| seconds / count * 1e6))
    };
    sum.into_iter().map(mean).collect()
}

fn times(mut points: Points, factor: f64) -> Points {
    points.iter_mut().for_each(|(_, value)| *value = value.map(|value| value * factor));
    points
}

fn key(layer: Layer, name: &'static str, device: &str) -> Key {
    Key { layer, name, device: device.to_owned() }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::counters::KINDS;

    use super::*;

    const S: i64 = 1_000_000_000;

    fn series(name: &str, only_grows: bool, values: &[f64]) -> Series {
        let points = values.iter().enumerate().map(|(at, value)| (at as i64 * 2 * S, Some(*value))).collect();
        Series { name: name.to_owned(), device: "sda".to_owned(), only_grows, points }
    }

    fn told(series: Vec<Series>) -> Vec<(String, Option<f64>)> {
        let table = SeriesTable { series, ..SeriesTable::default() };
        let counters = counters(&table);
        let known = |key: &Key| KINDS.iter().any(|kind| kind.layer == key.layer && kind.name == key.name);
        assert!(counters.keys().all(known), "{counters:?}");
        let last = |(key, points): (Key, Points)| {
            let value = points.last().and_then(|(_, value)| *value);
            (format!("{} {} {}", key.layer.name(), key.name, key.device), value)
        };
        counters.into_iter().map(last).collect()
    }

    #[test]
    fn a_node_exporters_counters_have_our_names_and_units() {
        let found = told(vec![
            series("node_disk_io_time_seconds_total", true, &[10.0, 11.0]),
            series("node_disk_read_time_seconds_total", true, &[5.0, 6.0]),
            series("node_disk_reads_completed_total", true, &[100.0, 300.0]),
            series("node_memory_Dirty_bytes", false, &[1.0, 7.0]),
        ]);
        let expected = [
            ("host memory_dirty_bytes sda".to_owned(), Some(7.0)),
            ("disk mean_read_us sda".to_owned(), Some(5_000.0)),
            ("disk reads_per_s sda".to_owned(), Some(100.0)),
            ("disk util_percent sda".to_owned(), Some(50.0)),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn our_own_names_are_taken_and_others_keep_theirs_with_their_unit() {
        let found = told(vec![
            series("disk.mean_read_us", false, &[900.0]),
            series("controller_latency_ms", false, &[4.0]),
            series("cache_hit_ratio", false, &[0.5]),
            series("port_sent_bytes_total", true, &[0.0, 4e6]),
            series("fans", false, &[3.0]),
        ]);
        let expected = [
            ("disk mean_read_us sda".to_owned(), Some(900.0)),
            ("other series_bytes_per_s port_sent_bytes sda".to_owned(), Some(2e6)),
            ("other series_count fans sda".to_owned(), Some(3.0)),
            ("other series_percent cache_hit_ratio sda".to_owned(), Some(50.0)),
            ("other series_us controller_latency_ms sda".to_owned(), Some(4_000.0)),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn reset_counter_is_unknown_for_that_time() {
        assert_eq!(told(vec![series("node_disk_io_time_seconds_total", true, &[10.0, 1.0])])[0].1, None);
    }
}
