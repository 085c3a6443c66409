//! Counters written and read back: complete, after a kill, damaged, and in malicious files.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use reelgauge_analysis::counters::page_series::SERIES_MAX;
use reelgauge_analysis::counters::{CounterAgent, CounterSeries, MAX_POINTS};
use reelgauge_record::counters::{Key, Layer, Sample, StoreMeta, StoreWriter, read_part};
use reelgauge_results::counters::read_counters;

const SECOND: u64 = 1_000_000_000;

/// A run directory with an agent's directory.
fn place() -> (tempfile::TempDir, PathBuf) {
    let run = tempfile::tempdir().unwrap();
    let dir = run.path().join("counters/agent=local");
    (run, dir)
}

fn writer(dir: &Path) -> StoreWriter {
    StoreWriter::create(dir, StoreMeta { run_ns: 5, agent: "local".to_owned() }).unwrap()
}

fn sample(at_ns: u64, layer: Layer, name: &'static str, device: &str, value: Option<f64>) -> Sample {
    Sample { at_ns, key: Key { layer, name, device: device.to_owned() }, value }
}

fn received(second: u64, device: &str, value: Option<f64>) -> Sample {
    sample(second * SECOND, Layer::Network, "rx_bytes_per_s", device, value)
}

/// The only agent of a run.
#[track_caller]
fn only_agent(run: &Path) -> CounterAgent {
    let mut agents = read_counters(run).unwrap().expect("there are counters").agents;
    assert_eq!(agents.len(), 1);
    agents.remove(0)
}

#[track_caller]
fn series<'a>(agent: &'a CounterAgent, name: &str, device: &str) -> &'a CounterSeries {
    let found = agent.series.iter().find(|series| series.name == name && series.device == device);
    found.unwrap_or_else(|| panic!("no {name} of '{device}' in {agent:#?}"))
}

fn parts(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.collect();
    names.sort();
    names
}

#[test]
fn written_counters_are_read() {
    let (run, dir) = place();
    let mut store = writer(&dir);
    store.append([received(1, "eth0", Some(1.5)), received(2, "eth0", None)]);
    store.seal(&["/proc/pressure/io: none".to_owned()]).unwrap();
    store.append([received(3, "eth0", Some(3.0)), sample(0, Layer::Host, "cpu_busy_percent", "", Some(7.0))]);
    store.seal(&[]).unwrap();
    assert_eq!(parts(&dir), ["part-000001.parquet"], "the open part takes the place of its shorter self");
    let agent = only_agent(run.path());
    assert_eq!(agent.agent, "local");
    let names: Vec<_> = agent.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["cpu_busy_percent", "rx_bytes_per_s"], "by layer");
    let received = series(&agent, "rx_bytes_per_s", "eth0");
    assert_eq!((received.layer.as_str(), received.unit.as_str()), ("network", "bytes_per_s"));
    assert_eq!(received.label, "eth0 received, MB/s");
    assert_eq!(received.at_s, [1.0, 2.0, 3.0]);
    assert_eq!(received.value, [Some(1.5), None, Some(3.0)]);
    assert_eq!(agent.notes, Vec::<String>::new());
}

#[test]
fn a_run_without_counters_has_none() {
    let (run, dir) = place();
    assert_eq!(read_counters(run.path()).unwrap(), None);
    assert_eq!(read_counters(&run.path().join("absent")).unwrap(), None);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("_part-000001.tmp"), "half of it").unwrap();
    assert_eq!(read_counters(run.path()).unwrap(), None, "killed before the first part was there");
}

#[test]
fn failed_samples_are_reported() {
    let (run, dir) = place();
    let mut store = writer(&dir);
    store.append([
        received(1, "eth0", Some(1.0)),
        sample(SECOND, Layer::Network, "rx_errors_per_s", "eth0", Some(0.0)),
        sample(SECOND, Layer::Network, "tx_errors_per_s", "eth0", Some(2.0)),
        sample(SECOND, Layer::Network, "rx_drops_per_s", "eth0", None),
    ]);
    store.seal(&["/proc/pressure/io: it is not there".to_owned()]).unwrap();
    let agent = only_agent(run.path());
    let names: Vec<_> = agent.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["rx_bytes_per_s", "tx_errors_per_s"]);
    assert_eq!(
        agent.notes,
        [
            "Error and wait counters that stayed at 0 are not shown: 1.",
            "Not sampled: /proc/pressure/io: it is not there."
        ]
    );
}

#[test]
fn a_run_of_days_is_many_parts_and_few_points() {
    let (run, dir) = place();
    let mut store = writer(&dir);
    let devices: Vec<String> = (0..90).map(|number| format!("disk{number}")).collect();
    for second in 0..2000 {
        let busy = |device: &String| {
            let value = if second == 777 { 99.0 } else { 5.0 };
            sample(second * SECOND, Layer::Disk, "util_percent", device, Some(value))
        };
        store.append(devices.iter().map(busy));
        if second % 10 == 0 {
            store.seal(&[]).unwrap();
        }
    }
    store.seal(&[]).unwrap();
    assert!(parts(&dir).len() > 5, "{:?}", parts(&dir));
    let agent = only_agent(run.path());
    assert_eq!(agent.series.len(), SERIES_MAX);
    let points: usize = agent.series.iter().map(|series| series.at_s.len()).sum();
    assert!(points <= MAX_POINTS, "{points}");
    for series in &agent.series {
        let at = series.at_s.iter().position(|at_s| *at_s == 777.0).expect("the peak stays");
        assert_eq!(series.value[at], Some(99.0));
    }
    assert!(agent.notes[0].ends_with(": 30."), "{:?}", agent.notes);
}

#[test]
fn damaged_parts_are_omitted_and_reported() {
    let (run, dir) = place();
    let mut store = writer(&dir);
    store.append([received(1, "eth0", Some(1.0))]);
    store.seal(&[]).unwrap();
    let whole = fs::read(dir.join("part-000001.parquet")).unwrap();
    fs::write(dir.join("part-000002.parquet"), &whole[..whole.len() / 2]).unwrap();
    fs::write(dir.join("part-000003.parquet"), "").unwrap();
    let agent = only_agent(run.path());
    assert_eq!(series(&agent, "rx_bytes_per_s", "eth0").at_s, [1.0]);
    assert_eq!(agent.notes.len(), 2, "{:?}", agent.notes);
    assert!(agent.notes[0].contains("part-000002.parquet"), "{:?}", agent.notes);
}

#[test]
fn damage_of_any_byte_does_not_panic() {
    let (_run, dir) = place();
    let mut store = writer(&dir);
    let rows = |second| [received(second, "eth0", Some(second as f64)), received(second, "eth1", None)];
    store.append((0..50).flat_map(rows));
    store.seal(&["a: b".to_owned()]).unwrap();
    let path = dir.join("part-000001.parquet");
    let whole = fs::read(&path).unwrap();
    // The library's panics are caught; their messages need not be printed a thousand times.
    std::panic::set_hook(Box::new(|_| {}));
    let mut faults = 0;
    for at in 0..whole.len() {
        for mask in [0xff, 0x01, 0x80] {
            let mut bytes = whole.clone();
            bytes[at] ^= mask;
            fs::write(&path, bytes).unwrap();
            let mut rows = 0;
            faults += u32::from(read_part(&path, &mut |_| rows += 1).is_err());
            assert!(rows <= 1 << 20, "byte {at}");
        }
    }
    let _ = std::panic::take_hook();
    assert!(faults > 0);
    fs::write(&path, whole).unwrap();
    assert_eq!(read_part(&path, &mut |_| {}).unwrap(), ["a: b"]);
}

#[test]
fn failed_write_is_repeated() {
    let (_run, dir) = place();
    let mut store = writer(&dir);
    store.append([received(1, "eth0", Some(1.0))]);
    // A directory in its place cannot be replaced by a file.
    fs::create_dir_all(dir.join("part-000001.parquet/in the way")).unwrap();
    let error = store.seal(&[]).unwrap_err().to_string();
    assert!(error.starts_with("cannot rename"), "{error}");
    fs::remove_dir_all(dir.join("part-000001.parquet")).unwrap();
    store.seal(&[]).unwrap();
    let mut rows = 0;
    read_part(&dir.join("part-000001.parquet"), &mut |_| rows += 1).unwrap();
    assert_eq!(rows, 1);
}
