//! The sampling thread, on the real local host.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::time::{Duration, Instant};

use reelgauge_machine::sample::{Sampling, SamplingReport, SamplingTarget, Target};
use reelgauge_record::counters::{StoreMeta, read_part};

fn watch(dir: &std::path::Path) -> SamplingTarget {
    SamplingTarget {
        dir: dir.to_path_buf(),
        meta: StoreMeta { run_ns: 0, agent: "local".to_owned() },
        target: Target { mount_point: "/".into(), ..Target::default() },
    }
}

fn start(dir: &std::path::Path) -> Sampling {
    let begun = Instant::now();
    Sampling::start(watch(dir), move || begun.elapsed().as_nanos() as u64)
}

#[test]
fn local_host_is_sampled_every_second_and_at_the_end() {
    let run = tempfile::tempdir().unwrap();
    let sampling = start(&run.path().join("counters/agent=local"));
    std::thread::sleep(Duration::from_millis(2500));
    let report = sampling.finish();
    assert_eq!(report.trouble, None);
    // At 0 s, 1 s, 2 s and the end, or fewer if the host is too busy.
    assert!((2..=4).contains(&report.looks), "{report:?}");
    println!("{:.0} us of processor time a look", report.cpu_us.unwrap() / report.looks as f64);
    let values = |name: &str| {
        let mut values = Vec::new();
        let part = run.path().join("counters/agent=local/part-000001.parquet");
        read_part(&part, &mut |row| values.extend((row.name == name).then_some(row.value))).unwrap();
        values
    };
    let busy = values("cpu_busy_percent");
    assert_eq!(busy.len() as u64, report.looks - 1, "two looks make a share");
    assert!(busy.iter().flatten().all(|percent| (0.0..=100.0).contains(percent)), "{busy:?}");
    let own = values("sampling_us");
    assert!(!own.is_empty() && own.iter().flatten().all(|us| *us > 0.0), "{own:?}");
}

#[test]
fn unwritable_destination_is_reported() {
    let run = tempfile::tempdir().unwrap();
    std::fs::write(run.path().join("counters"), "in the way").unwrap();
    let SamplingReport { looks, trouble, .. } = start(&run.path().join("counters/agent=local")).finish();
    assert_eq!(looks, 0);
    assert!(trouble.as_ref().unwrap().contains("cannot create"), "{trouble:?}");
}

#[test]
fn hanging_clock_query_does_not_delay_the_end() {
    let run = tempfile::tempdir().unwrap();
    let dir = run.path().join("counters/agent=local");
    let sampling = Sampling::start(watch(&dir), || {
        std::thread::sleep(Duration::from_secs(600));
        0
    });
    let begun = Instant::now();
    let report = sampling.finish();
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert!(report.trouble.unwrap().contains(" hung"));
}

#[test]
fn dropped_sampler_stops_writing() {
    let run = tempfile::tempdir().unwrap();
    let dir = run.path().join("counters/agent=local");
    drop(start(&dir));
    let parts = || std::fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
    let before: Vec<u64> = parts().collect();
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(parts().collect::<Vec<u64>>(), before, "nothing is written any more");
}
