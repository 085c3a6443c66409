//! A made-up run with observers of every sort beside it.

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

/// A directory whose counters were sampled once a second under this name, from so many seconds after the
/// zero.
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
    // It was watched from 2 s before the run until 10 s after its beginning, by a clock that is right.
    let watched = watch(folder.path(), 98, 12);
    let facts = add(&run, watched.path(), None).unwrap();
    assert_eq!(
        (facts.name.as_str(), facts.kind, facts.is_offset_stated),
        ("nas1", ObserverKind::Watch, false)
    );
    let expected =
        [(0.0, None), (1.0, Some(101.0)), (2.0, Some(102.0)), (3.0, Some(103.0)), (4.0, Some(104.0))];
    assert_eq!(seen(&run), expected, "and one behind the end, which holds since before it");
    assert_eq!(observers(run.path()), [facts]);
    // Its clock was two seconds ahead: what it called 102 was at 100.
    let facts = add(&run, watched.path(), Some(2_000_000_000)).unwrap();
    assert_eq!((facts.clock_offset_ms, facts.is_offset_stated), (2_000.0, true));
    assert_eq!(seen(&run)[1], (1.0, Some(103.0)), "it takes the place of what was there");
    assert_eq!(observers(run.path()).len(), 1);
}

#[test]
fn tables_and_prometheus_texts_stand_beside_it_too() {
    let folder = tempfile::tempdir().unwrap();
    let run = sampled(folder.path(), "local", 0, 3);
    let table = folder.path().join("array-1.csv");
    fs::write(&table, format!("time,disk.util_percent sda\n{ZERO_S},1\n{},70\n", ZERO_S + 2)).unwrap();
    let facts = add(&run, &table, None).unwrap();
    assert_eq!((facts.name.as_str(), facts.kind), ("array-1", ObserverKind::Csv));
    assert_eq!(seen(&run), [(0.0, None), (2.0, Some(70.0))]);
    let text = folder.path().join("node.prom");
    let line = |at_s: u64, value: f64| {
        format!("node_disk_io_time_seconds_total{{device=\"sdb\"}} {value} {}\n", (ZERO_S + at_s) * 1000)
    };
    fs::write(&text, line(0, 5.0) + &line(2, 6.0)).unwrap();
    add(&run, &text, None).unwrap();
    let counters = with_observers(run.path()).unwrap().unwrap();
    let node = counters.agents.iter().find(|agent| agent.agent == "node").unwrap();
    assert_eq!((node.series[0].device.as_str(), node.series[0].value[1]), ("sdb", Some(50.0)));
    assert!(node.is_observer);
    assert_eq!(observers(run.path()).len(), 2);
}

#[test]
fn what_is_of_another_time_or_nothing_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let run = sampled(folder.path(), "local", 100, 3);
    let late = watch(folder.path(), 500, 9);
    let error = add(&run, late.path(), None).unwrap_err().to_string();
    assert!(
        error.contains("2025-11-13T02:21:40Z to 2025-11-13T02:21:49Z") && error.contains("--clock-offset"),
        "{error}"
    );
    assert!(add(&run, late.path(), Some(400_000_000_000)).is_ok(), "unless its clock was that wrong");
    let error = add(&run, run.path(), None).unwrap_err().to_string();
    assert!(error.contains("a run and no watch"), "{error}");
    for (name, text) in [("a.csv", "x"), ("b.prom", "up 1\n"), ("c.txt", ""), ("d", "\u{0}\u{1}")] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        assert!(add(&run, &path, None).is_err(), "{name}");
    }
    assert!(add(&run, &folder.path().join("gone.csv"), None).is_err());
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
                    named::counters(&told);
                }
            }
        }
    }
    assert!(read > 100, "{read}");
}
