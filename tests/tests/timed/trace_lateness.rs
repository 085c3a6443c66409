//! Replays at the recorded pace of traces with one to eight operations in flight, on a store that is
//! slower than the recorded one and on one that stalls. Reelgauge's own lateness equals the one that a
//! script computes from the two logs, and excludes the storage's time.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reelgauge_record::log::{CaptureLevel, LogMeta};
use reelgauge_record::test_records::op;
use reelgauge_record::{OpKind, OpenBits};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::run_dir::{at, count, number};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::verb::Verb;
use reelgauge_tests::{python, require};
use reelgauge_trace::{TraceInfo, TraceWriter};
use serde_json::Value;

/// The interval between writes.
const EVERY_NS: u64 = 10_000_000;
/// How long the store stalls.
const FROZEN: Duration = Duration::from_millis(700);
/// More than any of these runs takes.
const LIMIT: Duration = Duration::from_secs(60);
const BLOCK: u32 = 4096;

/// How a recorded application issued its operations in flight.
#[derive(Clone, Copy, Debug)]
enum InFlight {
    /// One thread with so many.
    OneThread(u32),
    /// So many threads with one each.
    Threads(u32),
}

/// So many operations in flight.
const DEPTHS: RangeInclusive<u32> = 1..=8;

/// One thread and several threads, each with one of the drivers, which alternate with the depth.
fn at_depth(deep: u32) -> [(InFlight, &'static str); 2] {
    let drivers = if deep % 2 == 1 { ["threads", "uring"] } else { ["uring", "threads"] };
    [(InFlight::OneThread(deep), drivers[0]), (InFlight::Threads(deep), drivers[1])]
}

/// A trace of this many writes, one every 10 ms.
fn trace(scratch: &Scratch, in_flight: InFlight, writes: u64) -> PathBuf {
    let (threads, deep) = match in_flight {
        InFlight::OneThread(deep) => (1, deep),
        InFlight::Threads(threads) => (threads, threads),
    };
    let meta = LogMeta {
        run_ns: 0,
        agent: "test".to_owned(),
        capture: CaptureLevel::Application,
        blind_to: Vec::new(),
    };
    let name = format!("{in_flight:?}-{writes}");
    let mut writer = TraceWriter::create(scratch.path(), &name, meta).unwrap();
    let bits = OpenBits::WRITE.with(OpenBits::CREATE).with(OpenBits::TRUNCATE);
    for thread in 0..threads {
        let file = writer.file(&format!("reel-{thread}.mov")).unwrap();
        let mut open = op(OpKind::Create).on_stream(thread).at_ns(u64::from(thread) * 1_000).took_ns(500);
        (open.file, open.transfer, open.len) = (file, thread + 1, bits.0);
        writer.push(open).unwrap();
    }
    for number in 0..writes {
        let thread = (number % u64::from(threads)) as u32;
        let took_ns = u64::from(deep) * EVERY_NS - EVERY_NS / 2;
        let begun_ns = (number + 10) * EVERY_NS;
        let mut write = op(OpKind::Write).on_stream(thread).at_ns(begun_ns).took_ns(took_ns);
        write.file = writer.file(&format!("reel-{thread}.mov")).unwrap();
        (write.transfer, write.offset) = (thread + 1, number * u64::from(BLOCK));
        (write.len, write.done_len) = (BLOCK, BLOCK);
        writer.push(write).unwrap();
    }
    writer.finish(TraceInfo::default()).unwrap().dir().to_owned()
}

/// Checks that the first pass has the lateness computed from both logs. Returns the pass and the
/// script's figures.
#[track_caller]
fn agrees_with_the_logs(trace: &Path, replay: &Verb, summary: &Value) -> (Value, Value) {
    let counted = python::script("replay_lateness.py", &[trace, &replay.run_dir()]);
    let pass = at(summary, "replay.passes.0");
    let close = |us: f64, ns: &str, share: f64| {
        let expected_us = number(&counted, ns) / 1e3;
        assert!(
            (us - expected_us).abs() <= 0.001 + expected_us * share,
            "{us} µs, {ns}: {counted:#}\n{pass:#}"
        );
    };
    assert_eq!(count(pass, "done_ops"), count(&counted, "ops"), "{pass:#}");
    close(number(pass, "lateness_max_us"), "lateness_max_ns", 0.0);
    close(number(at(summary, "load_points.0.total.lateness"), "max_us"), "lateness_max_ns", 0.0);
    close(number(at(summary, "self_cost"), "lateness_max_us"), "lateness_max_ns", 0.0);
    close(number(pass, "lateness_p50_us"), "lateness_p50_ns", 0.02);
    close(number(pass, "behind_max_us"), "behind_max_ns", 0.0);
    // More of them may have waited for one that Reelgauge had begun late.
    assert!(count(pass, "begun_late_ops") >= count(&counted, "late_ops"), "{counted:#}\n{pass:#}");
    let is_bad = count(pass, "begun_late_ops") * 100 > count(pass, "done_ops");
    if !is_bad && number(pass, "lateness_max_us") < number(pass, "delay_s") * 5e5 {
        assert_eq!(summary["replay"]["bad_timing"], Value::Null, "{pass:#}");
        assert_eq!(summary["self_cost"]["timing_good_enough"], true, "{summary:#}");
    }
    (pass.clone(), counted)
}

#[test]
fn slow_store_delays_operations_not_reelgauge() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    require!(Need::Python);
    let _turn = my_turn();
    let scratch = Scratch::new();
    let faulty = Faulty::over_memory(64, 8);
    for deep in DEPTHS {
        // Each answer takes longer than what the trace has in flight allows.
        faulty.faults().delay(Duration::from_millis(u64::from(deep) * 15));
        for (in_flight, driver) in at_depth(deep) {
            let trace = trace(&scratch, in_flight, 60);
            let replay = Verb::on("replay", &trace).operand(faulty.path()).with(&["--driver", driver]);
            let summary = replay.measure();
            let (pass, counted) = agrees_with_the_logs(&trace, &replay, &summary);
            println!("{in_flight:?}, {driver}: {counted}");
            assert!(count(&pass, "storage_late_ops") > 20, "{in_flight:?}, {driver}: {pass:#}");
            assert!(number(&pass, "delay_s") > 0.1, "{in_flight:?}, {driver}: {pass:#}");
        }
    }
}

#[test]
fn a_stalled_store_is_an_incident_of_a_replay() {
    require!(Need::Root, Need::Python);
    let _turn = my_turn();
    let scratch = Scratch::new();
    let mount = TempMount::image(ImageKind::Ext4, 256);
    for deep in DEPTHS {
        for (in_flight, driver) in at_depth(deep) {
            let trace = trace(&scratch, in_flight, 150);
            let replay = Verb::on("replay", &trace).operand(mount.path()).with(&["--driver", driver]);
            let mut running = replay.start();
            replay.until_measuring(&mut running);
            let frozen = mount.freeze();
            std::thread::sleep(FROZEN);
            drop(frozen);
            let summary = running.wait(LIMIT).expect_end().json();
            let (pass, counted) = agrees_with_the_logs(&trace, &replay, &summary);
            println!("{in_flight:?}, {driver}: {counted}");
            let silences = pass["silences"].as_array().expect("a silence");
            let longest_s = silences.iter().map(|one| number(one, "length_s")).fold(0.0, f64::max);
            assert!(longest_s > FROZEN.as_secs_f64() * 0.8, "{in_flight:?}, {driver}: {pass:#}");
            assert!(silences.iter().any(|one| count(one, "delayed_ops") > 5), "{pass:#}");
            let said = binary_report(&replay);
            assert!(said.contains("storage"), "{said}");
            // The pause was the storage's, and Reelgauge's own processes ran during it.
            let paused_s = at(&summary, "self_cost.longest_pause_s").as_f64();
            assert!(paused_s.is_none_or(|paused_s| paused_s < 1.0), "{summary:#}");
        }
    }
}

/// The report of the run.
fn binary_report(replay: &Verb) -> String {
    let run = replay.run_dir();
    let words = ["report".as_ref(), run.as_os_str()];
    let outcome = reelgauge_tests::binary::run(words);
    outcome.words()
}
