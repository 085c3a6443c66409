//! Counters sampled during a run: those of disk and network agree with the load of the run, common tools
//! can read them, and a killed run keeps them.

use std::path::Path;
use std::time::Duration;

use reelgauge_tests::binary::{self, Running};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::programs::tool;
use reelgauge_tests::run_dir::{at, count, number, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::sshfs::{self, Sshfs};
use reelgauge_tests::{python, require};
use rustix::process::Signal;
use serde_json::Value;

/// How long a run measures before it is killed.
const BEFORE_THE_KILL: Duration = Duration::from_secs(6);

/// The largest loss by a kill: two seconds of samples, the one that was due, and two for a busy host.
const LOST_NS_MAX: u64 = 5_000_000_000;

const LIMIT: Duration = Duration::from_secs(60);

/// The counters of a run as pyarrow and DuckDB read them, which must be the same.
#[track_caller]
fn counters_of(run: &Path) -> (Value, Value) {
    let found = python::script("counters.py", &[run]);
    let (arrow, duck) = (at(&found, "pyarrow"), at(&found, "duckdb"));
    let names = |counters: &Value| counters.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(arrow), names(duck));
    for key in names(duck) {
        for fact in ["unit", "samples", "nulls", "last_ns"] {
            assert_eq!(arrow[&key][fact], duck[&key][fact], "{key}: {fact}");
        }
        let (one, other) = (number(&arrow[&key], "total"), number(&duck[&key], "total"));
        assert!((one - other).abs() <= 1e-6 * one.abs().max(1.0), "{key}: {one} {other}");
    }
    (duck.clone(), at(&found, "log").clone())
}

/// The total amount of a counter.
#[track_caller]
fn total(counters: &Value, key: &str) -> f64 {
    assert!(counters.get(key).is_some(), "no {key} in {counters:#}");
    number(&counters[key], "total")
}

#[test]
fn disk_counter_matches_written_bytes() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::Python);
    // Small, because ext4 continues its initialization for a while after the mount.
    let mount = TempMount::image(ImageKind::Ext4, 160);
    let mix = Mix::on(mount.path()).with(&["--direct", "--writes", "100", "--duration", "6s"]);
    let summary = mix.measure();
    assert_eq!(text(&summary, "effective_mode.found"), "direct");
    let (counters, log) = counters_of(&mix.run_dir());
    let source = tool(&format!("findmnt -n -o SOURCE {}", mount.path().display()));
    let device = source.trim().trim_start_matches("/dev/");
    let written = number(&log, "written_bytes");
    let share = total(&counters, &format!("disk written_bytes_per_s {device}")) / written;
    println!("the disk wrote {:.1} % of what the run wrote", share * 100.0);
    assert!((0.95..1.05).contains(&share), "{share} of {written}");
    let writes = total(&counters, &format!("disk writes_per_s {device}"));
    assert!(writes > 0.0);
    // The image is on a disk or in memory. If on a disk, that one is listed, too.
    for key in [
        "host cpu_busy_percent ",
        "host memory_available_bytes ",
        "tool cpu_percent ",
        "network rx_bytes_per_s lo",
    ] {
        assert!(number(&counters[key], "samples") >= 3.0, "{key}: {counters:#}");
    }
    let seconds = counters["host cpu_busy_percent "]["samples"].as_u64().unwrap();
    println!(
        "{:.0} us of processor time to sample once",
        total(&counters, "tool sampling_us ") / seconds as f64
    );
}

#[test]
fn network_counter_matches_written_bytes() {
    require!(Need::Python);
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let sshfs = Sshfs::mount(1000);
    let mix = Mix::on(sshfs.path()).with(&["--buffered", "--writes", "100", "--duration", "4s"]);
    // Interfaces belong to a network namespace, and the mount's traffic goes through the client's.
    let by = sshfs.link().on_client(&binary::path().to_string_lossy());
    binary::start_by(by, mix.words()).wait(LIMIT).expect_code(0);
    let (counters, log) = counters_of(&mix.run_dir());
    let written = number(&log, "written_bytes");
    let share = total(&counters, "network tx_bytes_per_s v0") / written;
    println!("the link carried {:.1} % of what the run wrote", share * 100.0);
    assert!((0.95..1.3).contains(&share), "{share} of {written}");
    assert!(total(&counters, "network tcp_data_segments_per_s ") > 0.0);
}

#[test]
fn a_run_that_is_killed_keeps_its_counters() {
    require!(Need::Python);
    let scratch = Scratch::new();
    let mix =
        Mix::on(&scratch.dir("target")).with(&["--buffered", "--max-delay", "10ms", "--duration", "60s"]);
    let mut running = mix.start();
    mix.until_measuring(&mut running);
    std::thread::sleep(BEFORE_THE_KILL);
    assert!(!running.has_ended(), "{}", running.stderr());
    running.signal(Signal::KILL);
    assert!(running.until(LIMIT, Running::has_ended).is_some());
    let (counters, log) = counters_of(&mix.run_dir());
    let (sampled_ns, done_ns) =
        (count(&counters["tool cpu_percent "], "last_ns"), count(&log, "last_done_ns"));
    assert!(sampled_ns + LOST_NS_MAX > done_ns, "sampled until {sampled_ns}, done until {done_ns}");
}

#[test]
fn every_kind_of_run_is_sampled() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let sampled = |verb: &str, flags: &[&str]| {
        let run = reelgauge_tests::verb::Verb::on(verb, &target).with(flags);
        let outcome = run.run();
        let parts = run.run_dir().join("counters/agent=local/part-000001.parquet");
        assert!(parts.is_file(), "{verb}: {}", outcome.said());
    };
    sampled(
        "streams",
        &["--format", "dnxhr-lb-hd-25", "--buffered", "--count", "1", "--duration", "1s", "--warmup", "0s"],
    );
    sampled("mix", &["--buffered", "--no-log", "--files", "1", "--file-size", "16MiB", "--duration", "1s"]);
}
