//! A synthetic run with observers of every kind.

#![allow(clippy::unwrap_used)]

use std::time::SystemTime;

use reelgauge_analysis::facts::ObserverKind;
use reelgauge_record::counters::{Key, Layer, Sample, StoreMeta, StoreWriter};
use reelgauge_record::run_dir::RunName;
use reelgauge_workload::watch::{WatchPlan, WatchSettings};

use super::*;
use crate::counters::with_observers;

const S: u64 = 1_000_000_000;
/// 2025-11-13T02:13:20Z.
const ZERO_S: u64 = 1_763_000_000;

/// A directory with counters under this name, sampled once a second, starting this many seconds after
/// the zero.
fn sampled(parent: &Path, agent: &str, after_s: u64, seconds: u64) -> RunDir {
    let run = RunDir::create(parent, RunName { start: SystemTime::now(), target: agent, what: "x" }).unwrap();
    let run_ns = ((ZERO_S + after_s) * S).cast_signed();
    let meta = StoreMeta { run_ns, agent: agent.to_owned() };
    let mut store = StoreWriter::create(&run.agent_counters_path(agent), meta).unwrap();
    let key = |layer, name| Key { layer, name, device: "sda".to_owned() };
    for second in 0..=seconds {
        let at_ns = second * S;
        let busy = Some((after_s + second) as f64);
        store.append([
            Sample { at_ns, key: key(Layer::Disk, "util_percent"), value: busy },
            Sample { at_ns, key: key(Layer::Tool, "sampling_us"), value: Some(9.0) },
        ]);
    }
    store.seal(&[]).unwrap();
    run
}

fn watch(parent: &Path, after_s: u64, seconds: u64) -> RunDir {
    let run = sampled(parent, "nas1", after_s, seconds);
    let plan = WatchPlan {
        watch: WatchSettings { agent: "nas1".to_owned(), ..WatchSettings::default() },
        ..WatchPlan::default()
    };
    run.write_plan(&plan.to_toml().unwrap()).unwrap();
    run
}

/// Adds the only host of a source to a run.
fn add_to(run: &RunDir, source: &Path, clock_offset_ns: Option<i64>) -> Result<ObserverFacts, ObserverError> {
    let mut facts = add(run, source, clock_offset_ns, &[])?;
    assert_eq!(facts.len(), 1, "{facts:?}");
    Ok(facts.remove(0))
}

/// The busy share of the only observer, second by second of the run's clock.
fn seen(run: &RunDir) -> Vec<(f64, Option<f64>)> {
    let counters = with_observers(run.path()).unwrap().unwrap();
    let observer = counters.agents.iter().find(|agent| agent.agent != "local").unwrap();
    assert!(observer.series.iter().all(|series| series.layer != "tool"), "{observer:?}");
    let series = observer.series.iter().find(|series| series.name == "util_percent").unwrap();
    series.at_s.iter().copied().zip(series.value.iter().copied()).collect()
}

#[test]
fn a_watch_is_put_onto_the_clock_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let run = sampled(folder.path(), "local", 100, 3);
    // It was watched from 2 s before the run until 10 s after its start, by a correct clock.
    let watched = watch(folder.path(), 98, 12);
    let facts = add_to(&run, watched.path(), None).unwrap();
    assert_eq!(
        (facts.name.as_str(), facts.kind, facts.is_offset_stated),
        ("nas1", ObserverKind::Watch, false)
    );
    let expected =
        [(0.0, None), (1.0, Some(101.0)), (2.0, Some(102.0)), (3.0, Some(103.0)), (4.0, Some(104.0))];
    assert_eq!(seen(&run), expected, "and one behind the end, which holds since before it");
    assert_eq!(observers(run.path()), [facts]);
    // Its clock was two seconds ahead: its 102 was at 100.
    let facts = add_to(&run, watched.path(), Some(2_000_000_000)).unwrap();
    assert_eq!((facts.clock_offset_ms, facts.is_offset_stated), (2_000.0, true));
    assert_eq!(seen(&run)[1], (1.0, Some(103.0)), "it takes the place of what was there");
    assert_eq!(observers(run.path()).len(), 1);
}

#[test]
fn csv_and_prometheus_observers_are_added() {
    let folder = tempfile::tempdir().unwrap();
    let run = sampled(folder.path(), "local", 0, 3);
    let table = folder.path().join("array-1.csv");
    fs::write(&table, format!("time,disk.util_percent sda\n{ZERO_S},1\n{},70\n", ZERO_S + 2)).unwrap();
    let facts = add_to(&run, &table, None).unwrap();
    assert_eq!((facts.name.as_str(), facts.kind), ("array-1", ObserverKind::Csv));
    assert_eq!(seen(&run), [(0.0, None), (2.0, Some(70.0))]);
    let text = folder.path().join("node.prom");
    let line = |at_s: u64, value: f64| {
        format!("node_disk_io_time_seconds_total{{device=\"sdb\"}} {value} {}\n", (ZERO_S + at_s) * 1000)
    };
    fs::write(&text, line(0, 5.0) + &line(2, 6.0)).unwrap();
    add_to(&run, &text, None).unwrap();
    let counters = with_observers(run.path()).unwrap().unwrap();
    let node = counters.agents.iter().find(|agent| agent.agent == "node").unwrap();
    assert_eq!((node.series[0].device.as_str(), node.series[0].value[1]), ("sdb", Some(50.0)));
    assert!(node.is_observer);
    assert_eq!(observers(run.path()).len(), 2);
}

/// The dump of a Prometheus that scrapes two hosts, each with a disk of the same name, line by line in
/// this order.
fn dump(machines: [(&str, f64); 2]) -> String {
    let line = |instance: &str, at_s: u64, share: f64| {
        let seconds = 100.0 + share * at_s as f64;
        let labels = format!("device=\"sda\",instance=\"{instance}\",job=\"node\"");
        format!("node_disk_io_time_seconds_total{{{labels}}} {seconds} {}\n", (ZERO_S + at_s) * 1000)
    };
    machines
        .map(|(instance, share)| (0..5).map(|at_s| line(instance, at_s, share)).collect::<String>())
        .concat()
}

/// Name and busy share of every observer.
fn observed(run: &RunDir) -> Vec<(String, Option<f64>)> {
    let counters = with_observers(run.path()).unwrap().unwrap();
    let observers = counters.agents.iter().filter(|agent| agent.is_observer);
    observers.map(|agent| (agent.agent.clone(), agent.series[0].value[1].map(f64::round))).collect()
}

#[test]
fn two_hosts_of_a_dump_are_two_observers_in_any_line_order() {
    let (ws7, nas1) = (("ws7:9100", 0.05), ("nas1:9100", 0.95));
    for machines in [[ws7, nas1], [nas1, ws7]] {
        let folder = tempfile::tempdir().unwrap();
        let run = sampled(folder.path(), "local", 0, 3);
        let text = folder.path().join("two.prom");
        fs::write(&text, dump(machines)).unwrap();
        let facts = add(&run, &text, None, &[]).unwrap();
        assert!(facts.iter().all(|facts| facts.not_read.is_empty()), "{facts:?}");
        let both = [("nas1:9100".to_owned(), Some(95.0)), ("ws7:9100".to_owned(), Some(5.0))];
        assert_eq!(observed(&run), both);
        let names: Vec<String> = observers(run.path()).into_iter().map(|facts| facts.name).collect();
        assert_eq!(names, ["nas1:9100", "ws7:9100"]);
    }
}

#[test]
fn unselected_hosts_are_named_and_unused() {
    let folder = tempfile::tempdir().unwrap();
    let run = sampled(folder.path(), "local", 0, 3);
    let text = folder.path().join("two.prom");
    fs::write(&text, dump([("ws7:9100", 0.05), ("nas1:9100", 0.95)])).unwrap();
    let chosen = |name: &str| add(&run, &text, None, &[name.to_owned()]);
    for name in ["nas1:9100", "nas1"] {
        let facts = chosen(name).unwrap();
        assert_eq!(facts.len(), 1);
        assert_eq!(facts[0].not_read, ["other hosts in the file: ws7:9100"]);
        assert_eq!(observed(&run), [("nas1:9100".to_owned(), Some(95.0))]);
    }
    let error = chosen("nas2").unwrap_err().to_string();
    assert!(error.contains("no host 'nas2'; it has: nas1:9100, ws7:9100"), "{error}");
    // An observer whose name gives the same directory is still another one.
    fs::write(&text, dump([("nas1-9100", 0.5), ("nas1-9100", 0.5)])).unwrap();
    add(&run, &text, None, &[]).unwrap();
    assert_eq!(observed(&run).len(), 2, "{:?}", observed(&run));
}

#[test]
fn dump_of_many_hosts_requires_a_selection() {
    let folder = tempfile::tempdir().unwrap();
    let run = sampled(folder.path(), "local", 0, 3);
    let text = folder.path().join("all.prom");
    let all: String = (0..20).map(|number| dump([(&format!("ws{number}"), 0.5), ("nas1", 0.5)])).collect();
    fs::write(&text, all).unwrap();
    let error = add(&run, &text, None, &[]).unwrap_err().to_string();
    assert!(error.contains("21 hosts") && error.contains("--observer-machine"), "{error}");
    assert_eq!(add(&run, &text, None, &["nas1".to_owned()]).unwrap().len(), 1);
}

#[test]
fn observers_of_other_times_are_refused_without_leftovers() {
    let folder = tempfile::tempdir().unwrap();
    let run = sampled(folder.path(), "local", 100, 3);
    let late = watch(folder.path(), 500, 9);
    let error = add_to(&run, late.path(), None).unwrap_err().to_string();
    assert!(
        error.contains("2025-11-13T02:21:40Z to 2025-11-13T02:21:49Z") && error.contains("--clock-offset"),
        "{error}"
    );
    assert!(add_to(&run, late.path(), Some(400_000_000_000)).is_ok(), "unless its clock was that wrong");
    let error = add_to(&run, run.path(), None).unwrap_err().to_string();
    assert!(error.contains("'reelgauge watch'"), "{error}");
    for (name, text) in [("a.csv", "x"), ("b.prom", "up 1\n"), ("c.txt", ""), ("d", "\u{0}\u{1}")] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        assert!(add_to(&run, &path, None).is_err(), "{name}");
    }
    assert!(add_to(&run, &folder.path().join("gone.csv"), None).is_err());
    assert_eq!(observers(run.path()).len(), 1, "only the one that fitted");
}

#[test]
fn no_damage_to_any_byte_brings_a_text_down() {
    let prometheus =
        "# TYPE a counter\na{device=\"s\\\"d\",b=\"c\"} 1.5 1763000000000\n{__name__=\"a\"} 2 1763000001\n";
    let table = "time;disk.util_percent sda;x_ratio\n1763000000;12.5;\n2025-11-13T02:13:21Z;;4\n";
    let mut read = 0;
    for text in [prometheus, table] {
        for at in 0..text.len() {
            for byte in [0, b'"', b'{', b'\n', b',', 0xff, b'-', b'9'] {
                let mut bytes = text.as_bytes().to_vec();
                bytes[at] = byte;
                let whole = prometheus::read(&String::from_utf8_lossy(&bytes));
                let cut = csv_table::read(&bytes[..at]);
                for told in [whole, csv_table::read(&bytes), cut].into_iter().flatten() {
                    read += 1;
                    told.iter().for_each(|table| drop(named::counters(table)));
                }
            }
        }
    }
    assert!(read > 100, "{read}");
}
