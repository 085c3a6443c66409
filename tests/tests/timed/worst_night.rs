//! Events of known size: what a run reports of an event is what was done to the storage, in streams and in
//! seconds.
//!
//! Each event is drawn from a seed. A throttle window leaves a known number of streams; a frozen file system
//! and a server that is restarted leave none. A balance or a replacement of a disk of a store with reserves
//! leaves all.

use std::path::Path;
use std::time::{Duration, Instant};

use reelgauge_tests::draws::{Draws, setting};
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::link::Link;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::run_dir::{at, number, text};
use reelgauge_tests::samba::{self, Samba};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::turns::my_turn;
use reelgauge_tests::verb::Verb;
use serde_json::Value;

/// Far longer than anything here takes.
const LONG: Duration = Duration::from_secs(120);
/// Streams of each run.
const STREAMS: u32 = 8;
/// Frames of 32 KiB, 25 in a second.
const STREAM_BYTES_PER_S: f64 = 32.0 * 1024.0 * 25.0;
/// What the store can do while healthy, in streams.
const HEALTHY_STREAMS: f64 = 14.0;

/// What is to be found.
#[derive(Clone, Copy, Debug)]
struct Expected {
    streams: u32,
    /// From the beginning of the event.
    recovery_s: f64,
}

/// Players or recorders of small frames, with an event after two seconds that is over long before the end.
fn streams(target: &Path, actor: &str, count: u32, lasts: Duration, event: &str) -> Verb {
    let duration = format!("{}s", lasts.as_secs() + 12);
    let count = count.to_string();
    Verb::on("streams", target)
        .with(&[
            "--frame-size",
            "32KiB",
            "--fps",
            "25",
            "--clip",
            "1s",
            "--buffer",
            "200ms",
            "--warmup",
            "1s",
        ])
        .with(&["--actor", actor, "--count", &count, "--duration", &duration])
        .with(&["--event-at", "2s", "--event", event])
}

/// Streams within one, recovery within a second, the event by its name.
fn judge(summary: &Value, name: &str, expected: Expected) -> Result<(), String> {
    let event = at(summary, "event");
    let wrong = |what: &str| Err(format!("{what}: expected {expected:?}, found {event:#}"));
    // A disk that is replaced is a mark, too.
    let is_marked = at(summary, "marks").as_array().unwrap().iter().any(|mark| text(mark, "device") == name);
    if text(event, "name") != name || !is_marked {
        return wrong("name");
    }
    let effect = at(event, "effect");
    let streams = effect.get("served").and_then(Value::as_f64).map(|served| (served + 0.02).floor());
    let is_near = |streams: f64| (streams.min(f64::from(STREAMS)) - f64::from(expected.streams)).abs() <= 1.0;
    // Streams are counted in whole seconds, of which a short event may have none.
    let is_short = expected.recovery_s < 2.0;
    if !streams.map_or(is_short, is_near) {
        return wrong("streams");
    }
    let recovery = at(effect, "recovery_after_begin");
    let is_near =
        text(recovery, "kind") == "after" && (number(recovery, "s") - expected.recovery_s).abs() <= 1.0;
    if is_near { Ok(()) } else { wrong("recovery") }
}

/// An event on a store that follows its commands. Odd seeds have commands that return at once.
fn on_store(seed: u64) -> Result<(), String> {
    let mut draws = Draws::new(seed);
    let lasts = Duration::from_millis(4_000 + (draws.share() * 4e3) as u64);
    // Every fourth leaves hardly anything.
    let left = if seed % 4 == 3 { 0.3 } else { 1.3 + draws.share() * 4.0 };
    let store = Faulty::over_memory(64, 4);
    let limit = |streams: f64| store.faults().limit_bytes_per_s((streams * STREAM_BYTES_PER_S) as u64);
    limit(HEALTHY_STREAMS);
    let scratch = Scratch::new();
    let begun = scratch.path().join("begun");
    let waits = if seed.is_multiple_of(2) {
        format!("; while [ -e {} ]; do sleep 0.02; done", begun.display())
    } else {
        String::new()
    };
    let event = format!("rebuild: touch {}{waits}", begun.display());
    let mut running = streams(&store.path(), "player", STREAMS, lasts, &event).start();
    let has_begun = running.until(LONG, |running| begun.exists() || running.has_ended());
    if has_begun.is_none() || !begun.exists() {
        return Err(format!("seed {seed}: the event never began\n{}", running.stderr()));
    }
    let since = Instant::now();
    limit(left);
    std::thread::sleep(lasts);
    limit(HEALTHY_STREAMS);
    let recovery_s = since.elapsed().as_secs_f64();
    std::fs::remove_file(&begun).unwrap();
    let summary = running.wait(LONG).expect_end().json();
    judge(&summary, "rebuild", Expected { streams: left.floor() as u32, recovery_s })
        .map_err(|why| format!("seed {seed}, {left} streams left for {lasts:?}: {why}"))
}

#[test]
fn a_throttle_window_is_found_in_streams_and_in_seconds() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    on_store(2).unwrap();
}

/// Recorders on a file system that is frozen for a time.
fn frozen(seed: u64) -> Result<(), String> {
    let mount = TempMount::image(ImageKind::Ext4, 256);
    let lasts = Duration::from_millis(3_000 + (Draws::new(seed).share() * 3e3) as u64);
    let path = mount.path().display();
    let event = format!("freeze: fsfreeze -f {path}; sleep {}; fsfreeze -u {path}", lasts.as_secs_f64());
    let summary = streams(mount.path(), "recorder", 2, lasts, &event).run().expect_end().json();
    judge(&summary, "freeze", Expected { streams: 0, recovery_s: lasts.as_secs_f64() })
        .map_err(|why| format!("seed {seed}, frozen for {lasts:?}: {why}"))
}

/// Players on a btrfs whose blocks are rewritten, or whose only disk is replaced.
fn rewritten(seed: u64) -> Result<(), String> {
    let (mount, scratch) = (TempMount::image(ImageKind::Btrfs, 512), Scratch::new());
    let (path, other) = (mount.path().display(), scratch.path().join("other"));
    let (name, command) = match seed % 2 {
        0 => ("balance", format!("btrfs balance start --full-balance {path}")),
        // The loop device goes away with the mount.
        _ => (
            "replace",
            format!(
                "truncate -s 512M {0} && loop=$(losetup -f --show {0}) && \
                 btrfs replace start -B -f 1 $loop {path}; result=$?; losetup -d $loop; exit $result",
                other.display()
            ),
        ),
    };
    let event = format!("{name}: {command}");
    let summary =
        streams(mount.path(), "player", 2, Duration::from_secs(3), &event).run().expect_end().json();
    if number(&summary, "event.end.code") != 0.0 {
        return Err(format!("seed {seed}: {:#}", at(&summary, "event")));
    }
    judge(&summary, name, Expected { streams: 2, recovery_s: 0.0 })
        .map_err(|why| format!("seed {seed}, {name}: {why}"))
}

/// Players on a share whose server is restarted. It is gone for as long as nothing listens.
fn restarted(seed: u64) -> Result<(), String> {
    let samba = Samba::over(Link::new(400), "");
    let (scratch, restart) = (Scratch::new(), samba.setting("again.conf", ""));
    let begun = scratch.path().join("begun");
    let event = format!("restart: touch {}; {restart}", begun.display());
    let mut running = streams(&samba.path(), "player", 2, Duration::from_secs(3), &event).start();
    let has_begun = running.until(LONG, |running| begun.exists() || running.has_ended());
    if has_begun.is_none() || !begun.exists() {
        return Err(format!("seed {seed}: the event never began\n{}", running.stderr()));
    }
    let since = Instant::now();
    let listens = || samba.link().server_listens(445);
    running.until(LONG, |_| !listens()).unwrap();
    running.until(LONG, |_| listens()).unwrap();
    let recovery_s = since.elapsed().as_secs_f64();
    let summary = running.wait(LONG).expect_end().json();
    judge(&summary, "restart", Expected { streams: 0, recovery_s })
        .map_err(|why| format!("seed {seed}, restarted: {why}"))
}

#[test]
fn twenty_four_events_of_known_size_are_found() {
    if !needs::are_met(&[Need::Soak, Need::Root, Need::Tool("fsfreeze"), Need::FileSystem("ext4")])
        || !needs::are_met(faulty::NEEDS)
    {
        return;
    }
    let _turn = my_turn();
    let has_btrfs = needs::are_met(&[Need::FileSystem("btrfs"), Need::Tool("btrfs")]);
    let has_samba = needs::are_met(samba::NEEDS) && needs::are_met(&[Need::Tool("tc"), Need::Tool("ss")]);
    // A later one goes on where a soak was stopped.
    let first = setting("REELGAUGE_SEED", 0);
    let faults: Vec<String> = (first..24)
        .filter_map(|seed| {
            let found = match seed {
                0..16 => on_store(seed),
                16..19 => frozen(seed),
                19..22 if has_btrfs => rewritten(seed),
                22..24 if has_samba => restarted(seed),
                _ => on_store(seed),
            };
            println!("seed {seed}: {}", if found.is_ok() { "found" } else { "missed" });
            found.err()
        })
        .collect();
    assert!(faults.is_empty(), "{} of 24:\n{}", faults.len(), faults.join("\n\n"));
}
