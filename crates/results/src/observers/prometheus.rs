//! The Prometheus text format with time stamps, as exporters, `promtool tsdb dump` and OpenMetrics write
//! it.
//!
//! ```text
//! # TYPE node_disk_io_time_seconds_total counter
//! node_disk_io_time_seconds_total{device="sda"} 12.5 1763000000000
//! {__name__="node_disk_io_time_seconds_total", device="sda"} 12.5 1763000000000
//! ```
//!
//! Answers of the HTTP API are supported too: see [`query_range`].
//!
//! A line without a time stamp cannot be assigned to a time of the run, and is reported. Time stamps are
//! milliseconds, those of OpenMetrics (which ends in `# EOF`) seconds: the number of digits decides.
//!
//! The dump of a Prometheus contains the series of every host that it scrapes, and each of them may have
//! a disk `sda`. The labels of the scrape (`instance`, `job`, …) distinguish them: each host has a
//! separate table.

use std::collections::{BTreeMap, BTreeSet};

use super::csv_table::wall_ns;
use super::named::{has_a_name_here, is_total};
use super::query_range;
use super::series::{MACHINES_MAX, SAMPLES_MAX, SERIES_MAX, Series, SeriesTable};

/// Labels for the device; the first one that exists is used.
const DEVICES: [&str; 6] = ["device", "interface", "disk", "port", "name", "pool"];

/// Labels for the source of a counter. The first one that exists names the host, and the others
/// distinguish hosts with the same name. `exported_instance` is the original `instance` of a federated
/// series.
const MACHINES: [&str; 11] = [
    "exported_instance",
    "instance",
    "host",
    "hostname",
    "nodename",
    "node",
    "exported_job",
    "job",
    "cluster",
    "prometheus",
    "prometheus_replica",
];

/// The number of [`MACHINES`] that can name a host alone.
const NAMING: usize = 6;

/// The values of [`MACHINES`] of one series.
type Origin = [Option<String>; MACHINES.len()];

/// The series of one host, by name and device.
type Found = BTreeMap<(String, String), Series>;

/// The collected series, before they become tables.
#[derive(Default)]
struct Collected {
    found: BTreeMap<Origin, (Found, u64)>,
    samples: usize,
}

impl Collected {
    fn take(&mut self, label: Labelled, at_ns: i64, value: f64) -> Result<(), String> {
        self.samples += 1;
        if self.samples > SAMPLES_MAX {
            return Err(format!("it has more than {SAMPLES_MAX} samples; reduce it to the time of the run"));
        }
        if self.found.len() == MACHINES_MAX && !self.found.contains_key(&label.origin) {
            return Err(format!("it contains more than {MACHINES_MAX} hosts; reduce it to those you need"));
        }
        let (series, no_room) = self.found.entry(label.origin).or_default();
        let is_kept = series.len() < SERIES_MAX || has_a_name_here(&label.name);
        let key = (label.name, label.device);
        if !is_kept && !series.contains_key(&key) {
            *no_room += 1;
            return Ok(());
        }
        series.entry(key).or_default().points.push((at_ns, Some(value).filter(|value| value.is_finite())));
        Ok(())
    }

    /// A table for each host.
    fn tables(self, grows: &BTreeSet<&str>, not_read: &[String]) -> Vec<SeriesTable> {
        let names = machine_names(&self.found.keys().collect::<Vec<_>>());
        let tables = names.into_iter().zip(self.found.into_values()).map(|(machine, (series, no_room))| {
            let series = series.into_iter().map(|((name, device), series)| {
                let only_grows = name.ends_with("_total") || grows.contains(name.as_str()) || is_total(&name);
                Series { name, device, only_grows, ..series }
            });
            let beyond = format!("{no_room} samples, because only the first {SERIES_MAX} series are read");
            let not_read = not_read.iter().cloned().chain((no_room > 0).then_some(beyond)).collect();
            let mut table = SeriesTable { machine, series: series.collect(), not_read };
            table.sort();
            table
        });
        tables.collect()
    }
}

/// Reads a text: a table for each host in it.
///
/// # Errors
/// Why it is no such text.
pub(super) fn read(text: &str) -> Result<Vec<SeriesTable>, String> {
    if query_range::is_answer(text) {
        return read_answers(text);
    }
    let mut grows: BTreeSet<&str> = BTreeSet::new();
    let mut collected = Collected::default();
    let (mut without_time, mut odd) = (0_u64, 0_u64);
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
        match sample.at_ns {
            Some(at_ns) => collected.take(sample.label, at_ns, sample.value)?,
            None => without_time += 1,
        }
    }
    if collected.found.is_empty() {
        let why = if without_time > 0 { "its lines have no time stamps" } else { "it contains no samples" };
        return Err(format!("{why}; write each line as: name{{labels}} value milliseconds"));
    }
    let said = [(without_time, "lines without a time stamp"), (odd, "lines that are not samples")];
    let not_read = said.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    Ok(collected.tables(&grows, &not_read.collect::<Vec<_>>()))
}

/// Reads answers of the HTTP API.
fn read_answers(text: &str) -> Result<Vec<SeriesTable>, String> {
    let (ranges, mut not_read) = query_range::read(text)?;
    let mut collected = Collected::default();
    let (mut nameless, mut odd) = (0_u64, 0_u64);
    for range in ranges {
        let Some(label) = Labelled::of("", &range.metric.into_iter().collect::<Vec<_>>()) else {
            nameless += 1;
            continue;
        };
        for (seconds, value) in range.values {
            let at_ns = seconds * 1e9;
            let is_time = at_ns > 0.0 && at_ns < i64::MAX as f64;
            match value.parse().ok().filter(|_| is_time) {
                Some(value) => collected.take(label.clone(), at_ns as i64, value)?,
                None => odd += 1,
            }
        }
    }
    if collected.found.is_empty() {
        return Err(match nameless {
            0 => "the Prometheus response has no series: no metric of that name was scraped in that time"
                .to_owned(),
            _ => "its series have no names, because they result from an expression. Query the counters \
                 themselves (node_disk_io_time_seconds_total)"
                .to_owned(),
        });
    }
    let said = [
        (nameless, "series without a name: results of an expression"),
        (odd, "values that are not numbers, or have no time"),
    ];
    let said = said.iter().filter(|(count, _)| *count > 0);
    not_read.extend(said.map(|(count, what)| format!("{count} {what}")));
    let mut tables = collected.tables(&BTreeSet::new(), &not_read);
    tables.iter_mut().for_each(query_range::without_repeats);
    Ok(tables)
}

/// The name of each host: the value of its first label, and those of the others in which hosts with the
/// same first one differ. For example, `nas1:9100`, or `nas1:9100 smart` and `nas1:9100 node`.
fn machine_names(origins: &[&Origin]) -> Vec<String> {
    let first = |origin: &Origin| origin.iter().take(NAMING).flatten().next().cloned();
    let name = |origin: &&Origin| {
        let alike: Vec<&&Origin> = origins.iter().filter(|other| first(other) == first(origin)).collect();
        let differs = |at: usize| alike.iter().any(|other| other[at] != origin[at]);
        let own = first(origin);
        let naming = origin.iter().position(|value| value.is_some() && *value == own);
        let others = (0..origin.len()).filter(|&at| Some(at) != naming && differs(at));
        let others = others.filter_map(|at| origin[at].clone());
        own.into_iter().chain(others).collect::<Vec<_>>().join(" ")
    };
    origins.iter().map(name).collect()
}

struct Sample {
    label: Labelled,
    value: f64,
    at_ns: Option<i64>,
}

/// The host of a counter, and its name and device.
#[derive(Clone)]
struct Labelled {
    origin: Origin,
    name: String,
    device: String,
}

impl Labelled {
    /// From its labels; `__name__` takes precedence over the name before them. `None` without a name.
    fn of(name: &str, labels: &[(String, String)]) -> Option<Labelled> {
        let of = |label: &str| labels.iter().find(|(name, _)| name == label).map(|(_, value)| value.clone());
        let name = of("__name__").unwrap_or_else(|| name.to_owned());
        let origin = MACHINES.map(|label| of(label).filter(|value| !value.is_empty()));
        (!name.is_empty()).then(|| Labelled { origin, name, device: device(labels) })
    }
}

/// Parses a line; `None` if it is no sample.
fn sample(line: &str) -> Option<Sample> {
    let at = line.find(|c: char| c == '{' || c.is_ascii_whitespace())?;
    let (name, rest) = (&line[..at], line[at..].trim_start());
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(inside) => labels(inside)?,
        None => (Vec::new(), rest),
    };
    let mut words = rest.split_ascii_whitespace();
    let value = words.next()?.parse().ok()?;
    let at_ns = words.next().map(|stamp| wall_ns(stamp).ok_or(())).transpose().ok()?;
    Some(Sample { label: Labelled::of(name, &labels)?, value, at_ns })
}

/// The device, from its labels.
fn device(labels: &[(String, String)]) -> String {
    let known = DEVICES.iter().find_map(|name| labels.iter().find(|(label, _)| label == name));
    let others = labels.iter().filter(|(label, _)| {
        label != "__name__"
            && !MACHINES.contains(&label.as_str())
            && known.is_none_or(|(name, _)| name != label)
    });
    let others = others.map(|(label, value)| format!("{label}={value}"));
    known.map(|(_, value)| value.clone()).into_iter().chain(others).collect::<Vec<_>>().join(" ")
}

/// Labels with their values, and the text after the brace.
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
        let tables = read(text).unwrap();
        let named = tables.iter().find(|table| table.machine == "nas:9100").unwrap();
        assert_eq!((named.series.len(), named.series[0].points.len()), (1, 1));
        let table = tables.iter().find(|table| table.machine.is_empty()).unwrap();
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
                ("node_disk_io_time_seconds_total", "sda", true, 1),
                ("requests", "", true, 1),
                ("temperature", "shelf=a, \"b\"}", false, 1)
            ]
        );
        assert_eq!(table.not_read, ["1 lines without a time stamp", "1 lines that are not samples"]);
    }

    /// The hosts of a text, with the busy share of each disk.
    fn busy(text: &str) -> Vec<(String, String, Option<f64>)> {
        let of_table = |table: SeriesTable| {
            let machine = table.machine.clone();
            table.series.into_iter().map(move |series| {
                let last = series.per_second().last().and_then(|(_, value)| *value);
                (machine.clone(), series.device, last)
            })
        };
        read(text).unwrap().into_iter().flat_map(of_table).collect()
    }

    /// Two scrapes, a second apart, of the time that a disk was busy.
    fn scrapes(labels: &str, share: f64) -> String {
        let line = |at: u64| {
            let seconds = 100.0 + share * at as f64;
            format!(
                "node_disk_io_time_seconds_total{{{labels}}} {seconds} {}\n",
                1_763_000_000_000 + at * 1_000
            )
        };
        line(0) + &line(1)
    }

    fn shares(labels: &[(&str, f64)]) -> Vec<(String, String, Option<f64>)> {
        let text: String = labels.iter().map(|(labels, share)| scrapes(labels, *share)).collect();
        let rounded = |(machine, device, share): (String, String, Option<f64>)| {
            (machine, device, share.map(|share| (share * 100.0).round()))
        };
        busy(&text).into_iter().map(rounded).collect()
    }

    fn named(told: &[(&str, &str, f64)]) -> Vec<(String, String, Option<f64>)> {
        told.iter().map(|(one, two, share)| ((*one).to_owned(), (*two).to_owned(), Some(*share))).collect()
    }

    #[test]
    fn disks_of_the_same_name_on_two_hosts_are_distinct() {
        for order in [[1, 0], [0, 1]] {
            let both = [
                (r#"device="sda",instance="nas1:9100",job="node""#, 0.95),
                (r#"device="sda",instance="ws7:9100",job="node""#, 0.05),
            ];
            let told = shares(&order.map(|at| both[at]));
            assert_eq!(told, named(&[("nas1:9100", "sda", 95.0), ("ws7:9100", "sda", 5.0)]));
        }
        let two_disks = shares(&[
            (r#"device="sda",instance="nas1:9100",job="node""#, 0.95),
            (r#"device="sdb",instance="nas1:9100",job="node""#, 0.05),
        ]);
        assert_eq!(two_disks, named(&[("nas1:9100", "sda", 95.0), ("nas1:9100", "sdb", 5.0)]));
    }

    #[test]
    fn distinguishing_labels_are_in_host_names() {
        let jobs = shares(&[
            (r#"device="sda",instance="nas1",job="node""#, 0.95),
            (r#"device="sda",instance="nas1",job="node-test""#, 0.05),
        ]);
        assert_eq!(jobs, named(&[("nas1 node", "sda", 95.0), ("nas1 node-test", "sda", 5.0)]));
        let gateway = shares(&[
            (r#"device="sda",instance="gateway:9091",host="nas1""#, 0.95),
            (r#"device="sda",instance="gateway:9091",host="ws7""#, 0.05),
        ]);
        assert_eq!(gateway, named(&[("gateway:9091 nas1", "sda", 95.0), ("gateway:9091 ws7", "sda", 5.0)]));
        let federated = shares(&[
            (r#"device="sda",instance="prom:9090",exported_instance="nas1:9100""#, 0.95),
            (r#"device="sda",instance="prom:9090",exported_instance="ws7:9100""#, 0.05),
        ]);
        assert_eq!(federated, named(&[("nas1:9100", "sda", 95.0), ("ws7:9100", "sda", 5.0)]));
        // Two Prometheus servers scraped one host: their samples are not mixed.
        let replicas = shares(&[
            (r#"device="sda",instance="nas1:9100",prometheus_replica="a""#, 0.95),
            (r#"device="sda",instance="nas1:9100",prometheus_replica="b""#, 0.95),
        ]);
        assert_eq!(replicas, named(&[("nas1:9100 a", "sda", 95.0), ("nas1:9100 b", "sda", 95.0)]));
        // With only a job, the name of the file is better.
        let job = shares(&[(r#"device="sda",job="node""#, 0.5)]);
        assert_eq!(job, named(&[("", "sda", 50.0)]));
    }

    #[test]
    fn disks_are_kept_among_very_many_series() {
        let many: String = (0..SERIES_MAX + 9)
            .map(|number| format!("aaa{{instance=\"nas1\",x=\"{number}\"}} 1 1763000000000\n"))
            .collect();
        let tables = read(&(many + &scrapes(r#"device="sda",instance="nas1""#, 0.5))).unwrap();
        assert!(tables[0].series.iter().any(|series| series.device == "sda"));
        assert_eq!(tables[0].not_read, ["9 samples, because only the first 1024 series are read"]);
    }

    const ANSWER: &str = include_str!("../../../../tests/cases/prometheus-query-range/counters.json");

    #[test]
    fn api_answers_have_a_table_per_host() {
        for text in [ANSWER.to_owned(), format!("\n{ANSWER}{ANSWER}"), ANSWER.replace('\n', "\r\n")] {
            let told: Vec<_> = busy(&text)
                .into_iter()
                .filter(|(_, device, _)| !device.is_empty())
                .map(|(machine, device, share)| (machine, device, share.map(|share| (share * 100.0).round())))
                .collect();
            assert_eq!(told, named(&[("nas1:9100", "sda", 95.0), ("ws7:9100", "sda", 5.0)]));
        }
        let nameless = include_str!("../../../../tests/cases/prometheus-query-range/rates.json");
        assert!(read(nameless).unwrap_err().contains("node_disk_io_time_seconds_total"));
        let both = read(&format!("{ANSWER}{nameless}")).unwrap();
        assert_eq!(both.len(), 2);
        assert_eq!(both[0].not_read, ["2 series without a name: results of an expression"]);
        for (text, why) in [
            (r#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#, "has no series"),
            (r#"{"status":"success","data":{"resultType":"vector","result":[]}}"#, "use query_range"),
            (r#"{"status":"error","errorType":"bad_data","error":"1:6: parse error"}"#, "1:6: parse error"),
            (&ANSWER[..ANSWER.len() / 2], "not a complete"),
        ] {
            let told = read(text).unwrap_err();
            assert!(told.contains(why), "{told}");
        }
    }

    /// Scraped every 4 s and queried for every second, as Prometheus repeats it.
    #[test]
    fn repeated_values_between_scrapes_are_no_samples_of_a_counter() {
        let values: Vec<String> = (0..13)
            .map(|at: u64| format!("[{}.5,\"{}\"]", 1_763_000_000 + at, 100.0 + (at / 4) as f64))
            .collect();
        let series = |name: &str, values: &str| {
            format!(r#"{{"metric":{{"__name__":"{name}","instance":"nas1"}},"values":[{values}]}}"#)
        };
        let values = values.join(",");
        let text = format!(
            r#"{{"status":"success","data":{{"resultType":"matrix","result":[{},{}]}}}}"#,
            series("node_disk_io_time_seconds_total", &values),
            series("node_disk_io_now", &values)
        );
        let tables = read(&text).unwrap();
        let [now, total] = &tables[0].series[..] else { unreachable!("{tables:?}") };
        assert_eq!((now.points.len(), total.points.len()), (13, 4));
        let rates: Vec<_> = total.per_second().iter().filter_map(|(_, value)| *value).collect();
        assert_eq!(rates, [0.25; 3]);
    }

    #[test]
    fn samples_without_time_are_refused() {
        assert!(read("up 1\n").unwrap_err().starts_with("its lines have no time stamps"));
        for text in ["", "{", "a{b=\"", "a{b=\"\\", "{}", "a{} 1 x", "a 1 99999999999999999999999"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
