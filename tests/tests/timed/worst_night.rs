//! Events of known size: a run reports the damage that the event did to the storage, in streams and in
//! seconds.
//!
//! Each event is drawn from a seed. A throttle window leaves a known number of streams; a frozen file system
//! and a server that is restarted leave none. A balance or a replacement of a disk of a store with reserves
//! leaves all.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reelgauge_tests::binary::Running;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::hosts::{self, Hosts};
use reelgauge_tests::link::Link;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::run_dir::{all_in, at, number, text};
use reelgauge_tests::samba::{self, Samba, SambaServer};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::seeded_random::{Draws, setting};
use reelgauge_tests::verb::Verb;
use rustix::process::Signal;
use serde_json::Value;

/// Far longer than anything here takes.
const LONG: Duration = Duration::from_secs(120);
/// Streams of each run.
const STREAMS: u32 = 8;
/// Frames of 32 KiB, 25 in a second.
const STREAM_BYTES_PER_S: f64 = 32.0 * 1024.0 * 25.0;
/// The capacity of the healthy store, in streams.
const HEALTHY_STREAMS: f64 = 14.0;

/// The expected result.
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

/// Waits for the start of the event, which makes a file.
fn begins(running: &mut Running, begun: &Path) -> Result<Instant, String> {
    running.until(LONG, |running| begun.exists() || running.has_ended());
    match begun.exists() {
        true => Ok(Instant::now()),
        false => Err(format!("the event never began\n{}\n{}", running.stderr(), running.threads())),
    }
}

/// An event on a simulated store. Odd seeds have commands that return at once.
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
    let since = begins(&mut running, &begun).map_err(|why| format!("seed {seed}: {why}"))?;
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

/// Players on a share whose server is restarted. It is unavailable while no process listens.
fn restarted(seed: u64) -> Result<(), String> {
    let samba = Samba::over(Link::new(400), "");
    let (scratch, restart) = (Scratch::new(), samba.setting("again.conf", ""));
    let begun = scratch.path().join("begun");
    let event = format!("restart: touch {}; {restart}", begun.display());
    let mut running = streams(&samba.path(), "player", 2, Duration::from_secs(3), &event).start();
    let since = begins(&mut running, &begun).map_err(|why| format!("seed {seed}: {why}"))?;
    let listens = || samba.link().server_listens(445);
    running.until(LONG, |_| !listens()).unwrap();
    running.until(LONG, |_| listens()).unwrap();
    let recovery_s = since.elapsed().as_secs_f64();
    let summary = running.wait(LONG).expect_end().json();
    judge(&summary, "restart", Expected { streams: 0, recovery_s })
        .map_err(|why| format!("seed {seed}, restarted: {why}"))
}

/// Players on a share of two servers, of which the second takes over the address of the first when that has
/// been dead for a time.
fn failed_over(seed: u64) -> Result<(), String> {
    const SHARED: &str = "10.78.1.100";
    let hosts = Hosts::new(&[("first", 400), ("second", 400), ("client", 400)]);
    let on = |host: &'static str| |program: &str| hosts.command(host, program);
    hosts.add_address("first", SHARED);
    let server = SambaServer::serve(&on("first"), SHARED, "");
    let _second = server.stand_by(&on("second"));
    let mounted = server.mount(&on("client"));
    let (scratch, dead) = (Scratch::new(), 2.0 + Draws::new(seed).share() * 2.0);
    let (begun, moved) = (scratch.path().join("begun"), scratch.path().join("moved"));
    let event = format!(
        "failover: touch {}; {} && sleep {dead} && {} && touch {}",
        begun.display(),
        server.killing(),
        hosts.moving(SHARED, "first", "second"),
        moved.display()
    );
    let mut running = streams(&mounted.path(), "player", 2, Duration::from_secs(5), &event).start();
    let since = begins(&mut running, &begun).map_err(|why| format!("seed {seed}: {why}"))?;
    running.until(LONG, |running| moved.exists() || running.has_ended());
    let recovery_s = since.elapsed().as_secs_f64();
    let summary = running.wait(LONG).expect_end().json();
    if !moved.exists() || number(&summary, "event.end.code") != 0.0 {
        return Err(format!("seed {seed}: {:#}", at(&summary, "event")));
    }
    judge(&summary, "failover", Expected { streams: 0, recovery_s })
        .map_err(|why| format!("seed {seed}, dead for {dead} s: {why}"))
}

#[test]
fn a_failover_is_found_when_an_address_moves_to_another_server() {
    if !needs::are_met(samba::NEEDS) || !needs::are_met(hosts::NEEDS) || !needs::are_met(&[Need::Tool("ss")])
    {
        return;
    }
    let _turn = my_turn();
    failed_over(1).unwrap();
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
    // A later soak can continue from another seed.
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

/// The directory of the only procedure among these results, with its record as far as it is written.
fn procedure(runs: &Path) -> Option<(PathBuf, Value)> {
    let dir = all_in(runs).into_iter().find(|dir| dir.join("procedure.json").exists())?;
    let text = std::fs::read_to_string(dir.join("procedure.json")).ok()?;
    Some((dir, serde_json::from_str(&text).ok()?))
}

/// Waits for a worst night to end or to be in this step. Until then its rebuild, which makes a file, halves
/// what the store gives.
fn follow(running: &mut Running, verb: &Verb, store: &Faulty, begun: &Path, step: &str) {
    let mut rebuilds = false;
    let is_there = |running: &mut Running| {
        if begun.exists() != rebuilds {
            rebuilds = !rebuilds;
            // With little to spare it would take long to catch up.
            let streams = if rebuilds { SEARCHED_STREAMS / 2.0 } else { SEARCHED_STREAMS * 2.0 };
            store.faults().limit_bytes_per_s((streams * SEARCHED_BYTES_PER_S) as u64);
        }
        let is_in = |row: &Value| text(row, "name") == step && text(row, "state") == "running";
        let rows = procedure(verb.runs()).map(|(_, record)| at(&record, "rows").as_array().unwrap().clone());
        running.has_ended() || rows.is_some_and(|rows| rows.iter().any(is_in))
    };
    running.until(Duration::from_secs(900), is_there).unwrap();
}

/// The rate of a stream of the night, with its sound: 50 Mbit/s.
const SEARCHED_BYTES_PER_S: f64 = 50e6 / 8.0;
/// The capacity of its store, in streams.
const SEARCHED_STREAMS: f64 = 6.6;

#[test]
fn worst_night_searches_automatically_and_resumes_after_a_kill() {
    if !needs::are_met(&[Need::Soak]) || !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let store = Faulty::over_memory(1024, 4);
    store.faults().limit_bytes_per_s((SEARCHED_STREAMS * SEARCHED_BYTES_PER_S) as u64);
    let scratch = Scratch::new();
    let begun = scratch.path().join("begun");
    let event = format!("rebuild: touch {0}; sleep 12; rm {0}", begun.display());
    let settings = ["format=xdcam-hd422-50-1080i-25", "clip=1s", "file-size=64MiB", "command=true"];
    let verb = Verb::on("procedure", "worst-night").operand(store.path()).operand("--short");
    let verb = settings.iter().fold(verb, |verb, setting| verb.operand("--set").operand(setting));
    let verb = verb.with(&["--event", &event]);
    let ballast = store.path().join("reelgauge-area/ballast");

    let mut running = verb.start();
    follow(&mut running, &verb, &store, &begun, "90 % full");
    assert!(ballast.exists(), "{}", running.stderr());
    running.signal(Signal::KILL);
    running.wait(LONG);
    let (dir, killed) = procedure(verb.runs()).unwrap();

    let again = Verb::on("procedure", "--resume").operand(&dir).with(&["--event", &event]);
    let mut running = again.start();
    follow(&mut running, &verb, &store, &begun, "none");
    let printed = running.wait(LONG).expect_code(0).json();
    assert!(!ballast.exists());
    assert_eq!(at(&printed, "rows.0.run"), at(&killed, "rows.0.run"), "what was measured is kept");
    let states = at(&printed, "conclusion.states").as_array().unwrap();
    let of = |name: &str, field: &str| {
        let state = states.iter().find(|state| text(state, "name") == name).unwrap();
        state.pointer(field).cloned().unwrap_or_default()
    };
    let streams = |name: &str| of(name, "/found/streams").as_f64().unwrap();
    let all = SEARCHED_STREAMS.floor();
    let facts = format!("{states:#?}");
    assert!((streams("healthy") - all).abs() <= 1.0, "{facts}");
    for (name, sustained) in [("server cold", all), ("90 % full", all), ("during a rebuild", all / 2.0)] {
        assert_eq!(of(name, "/found/played"), of("healthy", "/found/streams"), "{name}: {facts}");
        assert!((streams(name) - sustained).abs() <= 1.0, "{name}: {facts}");
    }
    assert_eq!(of("during a rebuild", "/found/recovery/kind"), "after", "{facts}");
    assert!(of("during a rebuild", "/found/recovery/s").as_f64().unwrap() <= 1.0, "{facts}");
    assert_eq!(of("through a failover", "/found/kind"), "not_tried", "{facts}");
}
