//! Prometheus' text with time stamps, as exporters, `promtool tsdb dump` and OpenMetrics write it.
//!
//! ```text
//! # TYPE node_disk_io_time_seconds_total counter
//! node_disk_io_time_seconds_total{device="sda"} 12.5 1763000000000
//! {__name__="node_disk_io_time_seconds_total", device="sda"} 12.5 1763000000000
//! ```
//!
//! A line without a time stamp is of no use beside a run, and is said. Time stamps are milliseconds, those of
//! OpenMetrics (which ends in `# EOF`) seconds: told by how many digits they have.

use std::collections::{BTreeMap, BTreeSet};

use super::csv_table::wall_ns;
use super::series::{SAMPLES_MAX, SERIES_MAX, Series, SeriesTable};

/// Labels that tell which device it is, the first that is there.
const DEVICES: [&str; 6] = ["device", "interface", "disk", "port", "name", "pool"];

/// Labels that tell where it was scraped.
const NOT_DEVICES: [&str; 4] = ["instance", "job", "__name__", "prometheus"];

/// Reads a text.
///
/// # Errors
/// In words: it is none.
pub(super) fn read(text: &str) -> Result<SeriesTable, String> {
    let mut grows: BTreeSet<&str> = BTreeSet::new();
    let mut found: BTreeMap<(String, String), Series> = BTreeMap::new();
    let (mut without_time, mut odd, mut samples) = (0_u64, 0_u64, 0);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(comment) = line.strip_prefix('#') {
            let mut words = comment.split_ascii_whitespace();
            if let (Some("TYPE"), Some(name), Some("counter")) = (words.next(), words.next(), words.next()) {
                grows.insert(name);
            }
            continue;
        }
        let Some(sample) = sample(line) else {
            odd += 1;
            continue;
        };
        let Some(at_ns) = sample.at_ns else {
            without_time += 1;
            continue;
        };
        samples += 1;
        if samples > SAMPLES_MAX {
            return Err(format!("it has more than {SAMPLES_MAX} samples; cut it to the time of the run"));
        }
        let key = (sample.name, sample.device);
        if found.len() == SERIES_MAX && !found.contains_key(&key) {
            odd += 1;
            continue;
        }
        found
            .entry(key)
            .or_default()
            .points
            .push((at_ns, Some(sample.value).filter(|value| value.is_finite())));
    }
    if found.is_empty() {
        let why = if without_time > 0 { "its lines have no time stamps" } else { "it holds no sample" };
        return Err(format!("{why}; each must be: name{{labels}} value milliseconds"));
    }
    let series = found.into_iter().map(|((name, device), mut series)| {
        series.sort();
        let only_grows = name.ends_with("_total") || grows.contains(name.as_str());
        Series { name, device, only_grows, ..series }
    });
    let said = [(without_time, "lines without a time stamp"), (odd, "lines that are no samples")];
    let not_read = said.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    Ok(SeriesTable { series: series.collect(), not_read: not_read.collect() })
}

struct Sample {
    name: String,
    device: String,
    value: f64,
    at_ns: Option<i64>,
}

/// A line; `None` where it is none.
fn sample(line: &str) -> Option<Sample> {
    let (mut name, rest) = match line.find(|c: char| c == '{' || c.is_ascii_whitespace()) {
        Some(at) => (line[..at].to_owned(), line[at..].trim_start()),
        None => return None,
    };
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(inside) => labels(inside)?,
        None => (Vec::new(), rest),
    };
    if let Some((_, told)) = labels.iter().find(|(label, _)| label == "__name__") {
        name.clone_from(told);
    }
    let mut words = rest.split_ascii_whitespace();
    let value = words.next()?.parse().ok()?;
    let at_ns = words.next().map(|stamp| wall_ns(stamp).ok_or(())).transpose().ok()?;
    (!name.is_empty()).then(|| Sample { name, device: device(&labels), value, at_ns })
}

/// Which of several, by its labels.
fn device(labels: &[(String, String)]) -> String {
    let known = DEVICES.iter().find_map(|name| labels.iter().find(|(label, _)| label == name));
    let others = labels.iter().filter(|(label, _)| {
        !NOT_DEVICES.contains(&label.as_str()) && known.is_none_or(|(name, _)| name != label)
    });
    let others = others.map(|(label, value)| format!("{label}={value}"));
    known.map(|(_, value)| value.clone()).into_iter().chain(others).collect::<Vec<_>>().join(" ")
}

/// Labels with their values, and what stands behind the brace.
fn labels(inside: &str) -> Option<(Vec<(String, String)>, &str)> {
    let mut found = Vec::new();
    let mut rest = inside.trim_start();
    loop {
        if let Some(behind) = rest.strip_prefix('}') {
            return Some((found, behind));
        }
        let (label, behind) = rest.split_once('=')?;
        let quoted = behind.trim_start().strip_prefix('"')?;
        let mut value = String::new();
        let mut chars = quoted.char_indices();
        let end = loop {
            match chars.next()? {
                (at, '"') => break at + 1,
                (_, '\\') => match chars.next()?.1 {
                    'n' => value.push('\n'),
                    other => value.push(other),
                },
                (_, other) => value.push(other),
            }
        };
        found.push((label.trim().to_owned(), value));
        rest = quoted[end..].trim_start().trim_start_matches(',').trim_start();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn samples_are_read_with_labels_types_and_stamps() {
        let text = "# HELP x y\n# TYPE temperature gauge\n# TYPE requests counter\n\
            node_disk_io_time_seconds_total{device=\"sda\",instance=\"nas:9100\"} 12.5 1763000000000\n\
            {__name__=\"node_disk_io_time_seconds_total\", device=\"sda\"} 13.0 1763000001000\n\
            temperature{shelf=\"a, \\\"b\\\"}\"} 41 1763000000\n\
            requests 7 1763000000000\nrequests 9\nnot a sample at all\n";
        let table = read(text).unwrap();
        let told: Vec<_> = table
            .series
            .iter()
            .map(|series| {
                (series.name.as_str(), series.device.as_str(), series.only_grows, series.points.len())
            })
            .collect();
        assert_eq!(
            told,
            [
                ("node_disk_io_time_seconds_total", "sda", true, 2),
                ("requests", "", true, 1),
                ("temperature", "shelf=a, \"b\"}", false, 1)
            ]
        );
        assert_eq!(
            table.series[0].per_second(),
            [(1_763_000_000_000_000_000, None), (1_763_000_001_000_000_000, Some(0.5))]
        );
        assert_eq!(table.not_read, ["1 lines without a time stamp", "1 lines that are no samples"]);
    }

    #[test]
    fn what_has_no_time_is_of_no_use() {
        assert!(read("up 1\n").unwrap_err().starts_with("its lines have no time stamps"));
        for text in ["", "{", "a{b=\"", "a{b=\"\\", "{}", "a{} 1 x", "a 1 99999999999999999999999"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
