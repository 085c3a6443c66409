//! `doctor PATH --probe`: the report matches the behaviour of real file systems, nothing outside of the
//! area is touched, and nothing is left in any case.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant};

use reelgauge_tests::binary::{self, Outcome, Running};
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::programs::{tool, tool_with};
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::sshfs::{self, Sshfs};
use reelgauge_tests::surroundings::Surroundings;
use reelgauge_tests::tree::tree;
use rustix::process::Signal;
use serde_json::Value;

const AREA: &str = "reelgauge-area";

/// "Stops within two seconds", with a reserve for a busy host.
const SOON: Duration = Duration::from_secs(4);

fn probed(target: &Path, more: &[&str]) -> Outcome {
    binary::run(["doctor", target.to_str().unwrap(), "--probe"].iter().chain(more))
}

fn probed_with(target: &Path, words: &[&str]) -> Outcome {
    binary::run(["doctor", target.to_str().unwrap()].iter().chain(words))
}

/// The judgement if space or inodes were insufficient for some probes, which exits with status 3.
#[track_caller]
fn judged_in_part(target: &Path) -> Value {
    let outcome = probed(target, &["--json"]).expect_code(3);
    assert!(outcome.stderr.contains("space"), "{}", outcome.said());
    outcome.json()
}

/// The judgement, whatever other findings the host has.
#[track_caller]
fn judged(target: &Path) -> Value {
    let outcome = probed(target, &["--json"]);
    assert!(matches!(outcome.code, Some(0 | 1)), "{}", outcome.said());
    outcome.json()
}

#[track_caller]
fn fact<'a>(told: &'a Value, name: &str) -> &'a Value {
    let facts = &told["probes"]["facts"];
    facts.get(name).unwrap_or_else(|| panic!("no fact {name} in {facts:#}"))
}

fn is_in(told: &Value, list: &str, id: &str) -> bool {
    told[list].as_array().unwrap().iter().any(|rule| rule.get("rule").unwrap_or(rule) == id)
}

/// The rules for probes that are in a list.
fn of_probes<'a>(told: &'a Value, list: &str) -> Vec<&'a str> {
    const RULES: [&str; 12] = [
        "host.clock_skew_server",
        "smb.listing_amplification",
        "fs.locks_not_exclusive",
        "fs.locks_unsupported",
        "fs.locks_this_machine",
        "fs.xattrs_missing",
        "fs.names_changed",
        "fs.names_refused",
        "fs.saving_fails",
        "fs.times_coarse",
        "fs.preallocation_missing",
        "fs.links_missing",
    ];
    let ids = told[list].as_array().unwrap().iter().map(|rule| rule.get("rule").unwrap_or(rule));
    ids.filter_map(Value::as_str).filter(|id| RULES.contains(id)).collect()
}

#[test]
fn without_probes_their_rules_are_not_tried_and_nothing_is_written() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let told = binary::run(["doctor", target.to_str().unwrap(), "--json"]).json();
    assert_eq!(told["probes"], Value::Null);
    assert!(is_in(&told, "documented_only", "fs.saving_fails"), "{told:#}");
    assert!(of_probes(&told, "in_order").is_empty() && of_probes(&told, "not_looked_at").is_empty());
    assert_eq!(std::fs::read_dir(&target).unwrap().count(), 0);
}

#[test]
fn local_file_systems_pass_and_no_file_remains() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    for mount in [TempMount::image(ImageKind::Ext4, 32), TempMount::tmpfs(32)] {
        std::fs::write(mount.path().join("theirs.mov"), "somebody's").unwrap();
        let before = tree(mount.path(), &[]);
        let told = judged(mount.path());
        assert_eq!(tree(mount.path(), &[]), before);
        assert_eq!(fact(&told, "clock"), "shared");
        assert_eq!(fact(&told, "flock"), "refused");
        assert_eq!(fact(&told, "byte_locks"), "refused");
        assert_eq!(fact(&told, "rename_over_open"), "old contents stay");
        assert_eq!(fact(&told, "case"), "told apart");
        assert_eq!(fact(&told, "unicode_forms"), "two names");
        assert_eq!(fact(&told, "longest_name_bytes"), 255.0);
        assert_eq!(fact(&told, "listing_entries"), 500.0);
        for sound in ["fs.locks_not_exclusive", "fs.saving_fails", "fs.names_changed", "fs.links_missing"] {
            assert!(is_in(&told, "in_order", sound), "{sound}: {told:#}");
        }
        assert!(is_in(&told, "not_here", "host.clock_skew_server"), "one clock is no two: {told:#}");
        assert_eq!(of_probes(&told, "findings"), [""; 0], "{told:#}");
    }
}

#[test]
fn the_screen_has_a_line_for_each_probe() {
    let scratch = Scratch::new();
    let outcome = probed(&scratch.dir("target"), &[]);
    assert!(matches!(outcome.code, Some(0 | 1)), "{}", outcome.said());
    for name in ["Clock", "Locks", "Saving", "Extended attributes", "Names", "Files", "Listing"] {
        let is_there = outcome.stdout.lines().any(|line| line.starts_with(&format!("   {name}: ")));
        assert!(is_there, "{name}: {}", outcome.stdout);
    }
    assert!(binary::too_wide(&outcome.stdout, 100).is_empty(), "{}", outcome.stdout);
}

#[test]
fn missing_features_of_a_network_file_system_are_found() {
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let sshfs = Sshfs::mount(1000);
    let told = judged(sshfs.path());
    assert_eq!(fact(&told, "locks_reach"), "this machine");
    assert!(is_in(&told, "findings", "fs.locks_this_machine"), "{told:#}");
    assert_eq!(fact(&told, "xattrs"), "not supported");
    assert!(is_in(&told, "findings", "fs.xattrs_missing"), "{told:#}");
    // The server is local and has the same clock. Times are whole seconds.
    let apart_s = fact(&told, "clock_apart_at_least_s").as_f64().unwrap();
    assert_eq!(apart_s, 0.0);
    assert_eq!(fact(&told, "clock"), "no difference seen");
    assert_eq!(fact(&told, "hard_links"), "made, but each name has a separate inode number");
    // The mount options have no address of the server. It is found by its name, and no other card is on
    // the network path.
    let link = told["place"]["link"].as_str().unwrap();
    assert!(told["path_to_storage"]["client_link"].as_str().unwrap().starts_with(link), "{told:#}");
    let found = told["findings"].as_array().unwrap().iter().flat_map(|it| it["found"].as_array().unwrap());
    let cards: Vec<&Value> = found.filter(|found| found["kind"] == "interface").collect();
    assert!(cards.iter().all(|card| card["name"] == link), "{cards:?}");
    assert!(is_in(&told, "in_order", "host.clock_skew_server"), "{told:#}");
    assert!(is_in(&told, "findings", "fs.times_coarse"), "{told:#}");
    assert_eq!(std::fs::read_dir(sshfs.on_server()).unwrap().count(), 0);
}

#[test]
fn server_clock_offset_is_found_with_its_uncertainty() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    for (ahead_s, side) in [(-90_i32, "behind"), (75, "ahead")] {
        faulty.faults().shift_clock(i64::from(ahead_s));
        let told = judged(&faulty.path());
        assert!(is_in(&told, "findings", "host.clock_skew_server"), "{told:#}");
        assert_eq!(fact(&told, "clock"), side);
        let number = |name| fact(&told, name).as_f64().unwrap();
        let off_s = (number("clock_apart_s") - f64::from(ahead_s.abs())).abs();
        assert!(off_s <= number("clock_unsure_s"), "{told:#}");
    }
    faulty.faults().shift_clock(0);
    assert!(is_in(&judged(&faulty.path()), "in_order", "host.clock_skew_server"));
}

#[test]
fn ineffective_locks_are_detected() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::granting_every_lock();
    let told = probed(&faulty.path(), &["--json"]).expect_code(1).json();
    assert_eq!(fact(&told, "flock"), "granted twice");
    assert_eq!(fact(&told, "byte_locks"), "granted twice");
    assert_eq!(told["findings"][0]["rule"], "fs.locks_not_exclusive", "what costs most stands first");
}

#[test]
fn names_without_case_and_saving_that_is_refused_are_found() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    faulty.faults().ignore_case();
    faulty.faults().refuse_replacing();
    let told = probed(&faulty.path(), &["--json"]).expect_code(1).json();
    assert_eq!(fact(&told, "case"), "not told apart");
    assert_eq!(fact(&told, "case_kept"), "yes");
    assert!(is_in(&told, "findings", "fs.case_not_told_apart"), "{told:#}");
    assert_eq!(fact(&told, "rename_over"), "refused");
    assert!(is_in(&told, "findings", "fs.saving_fails"), "{told:#}");
    // The failing file system does not support links.
    assert_eq!(fact(&told, "hard_links"), "not supported");
}

/// Starts probes of slow storage, and waits until they are at work there.
#[track_caller]
fn at_work(faulty: &Faulty, more: &[&str]) -> Running {
    faulty.faults().delay(Duration::from_millis(300));
    let mut running =
        binary::start(["doctor", faulty.path().to_str().unwrap(), "--probe", "--json"].iter().chain(more));
    let folder = faulty.backing().join(AREA).join("scratch/probe");
    let begun = running.until(Duration::from_secs(60), |_| folder.is_dir());
    assert!(begun.is_some() && !running.has_ended(), "it does not probe\n{}", running.stderr());
    running
}

/// The number of probe files in the area.
fn left(faulty: &Faulty) -> usize {
    let area = faulty.backing().join(AREA);
    match area.is_dir() {
        true => tree(&area, &[]).keys().filter(|path| path.starts_with("scratch")).count(),
        false => 0,
    }
}

/// Waits until no process holds the area any more. The parent gives up waiting for a process whose
/// storage never responds. That process keeps the area until the storage responds, and then ends.
#[track_caller]
fn until_free(faulty: &Faulty) {
    let begun = Instant::now();
    let lock = File::open(faulty.path().join(AREA).join("REELGAUGE-AREA.lock")).unwrap();
    while lock.try_lock().is_err() {
        assert!(begun.elapsed() < Duration::from_secs(20), "somebody keeps the area");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn storage_that_fails_is_not_known_and_never_in_order() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    let running = at_work(&faulty, &[]);
    faulty.faults().fail_syncs(rustix::io::Errno::IO.raw_os_error());
    faulty.faults().delay(Duration::ZERO);
    let told = running.wait(Duration::from_secs(60)).json();
    let why = &fact(&told, "rename_over")["not_known"];
    assert!(why.as_str().unwrap().contains("Input/output error"), "{why}");
    for unknown in ["fs.saving_fails", "host.clock_skew_server"] {
        assert!(is_in(&told, "not_looked_at", unknown), "{unknown}: {told:#}");
    }
    assert_eq!(left(&faulty), 0);
}

#[test]
fn unresponsive_storage_is_abandoned_and_leftovers_removed_by_the_next_probe() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    let mut running = at_work(&faulty, &["--hang-after", "3s"]);
    faulty.faults().hang();
    let begun = Instant::now();
    let done = running.until(Duration::from_secs(30), Running::is_done);
    assert!(done.is_some() && begun.elapsed() >= Duration::from_secs(3), "{}", running.stderr());
    assert!(running.stderr().contains("responded"), "{}", running.stderr());
    faulty.faults().release();
    let told = running.wait(Duration::from_secs(20)).expect_code(3).json();
    assert_eq!(of_probes(&told, "in_order"), [""; 0], "{told:#}");
    assert!(is_in(&told, "not_looked_at", "fs.saving_fails"), "{told:#}");
    assert!(fact(&told, "flock").get("not_known").is_some(), "{told:#}");
    // The rest of the host was judged.
    assert!(!told["in_order"].as_array().unwrap().is_empty(), "{told:#}");
    faulty.faults().delay(Duration::ZERO);
    until_free(&faulty);
    judged(&faulty.path());
    assert_eq!(left(&faulty), 0);
}

#[test]
fn area_lock_permits_one_probe() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    let first = at_work(&faulty, &[]);
    let refused = probed(&faulty.path(), &["--json"]).expect_code(2);
    assert!(refused.stderr.contains("in use") && refused.stdout.is_empty(), "{}", refused.said());
    faulty.faults().delay(Duration::ZERO);
    let told = first.wait(Duration::from_secs(60)).json();
    assert_eq!(fact(&told, "rename_over"), "replaces", "the first was not disturbed");
    assert!(!faulty.backing().join(AREA).exists(), "it made the area, and removed it");
}

#[test]
fn a_signal_stops_it_and_nothing_is_left() {
    require!(Need::Root);
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    // In memory, so that the test does not wait for a busy disk.
    let faulty = Faulty::over_memory(32, 4);
    let mut running = at_work(&faulty, &[]);
    running.signal(Signal::INT);
    // The cleanup is as quick as on other storage.
    faulty.faults().delay(Duration::ZERO);
    assert!(running.until(SOON, Running::has_ended).is_some(), "{}", running.stderr());
    let outcome = running.wait(SOON).expect_code(130);
    if outcome.stderr.contains("too busy") {
        // On a busy host two seconds may be too short. The report must be true then, too.
        judged(&faulty.path());
        assert_eq!(left(&faulty), 0);
        return;
    }
    assert!(outcome.stderr.contains("removed"), "{}", outcome.said());
    assert_eq!(std::fs::read_dir(faulty.backing()).unwrap().count(), 0);
}

#[test]
fn leftovers_of_a_killed_probe_are_removed_by_the_next_and_by_clean() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    for cleaner in ["probe", "clean"] {
        let faulty = Faulty::mount();
        let running = at_work(&faulty, &[]);
        running.signal(Signal::KILL);
        drop(running);
        faulty.faults().delay(Duration::ZERO);
        assert!(left(&faulty) > 0, "it was in the middle");
        // Its child ends with it, and the lock is released.
        let begun = Instant::now();
        loop {
            let outcome = match cleaner {
                "probe" => probed(&faulty.path(), &["--json"]),
                _ => binary::run(["clean", faulty.path().to_str().unwrap()]),
            };
            if matches!(outcome.code, Some(0 | 1)) {
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "{cleaner}: {}", outcome.said());
        }
        assert_eq!(left(&faulty), 0, "{cleaner}");
    }
}

/// Names in a folder from a start that did not complete.
fn leftovers(folder: &Path) -> usize {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_str().unwrap().starts_with("reelgauge-area.new-")).count()
}

#[test]
fn leftovers_of_a_probe_killed_during_area_creation_are_removed() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    for cleaner in ["doctor", "clean", "mix"] {
        let faulty = Faulty::mount();
        faulty.faults().delay(Duration::from_millis(300));
        let mut running = binary::start(["doctor", faulty.path().to_str().unwrap(), "--probe"]);
        let has_marker = |_: &mut Running| {
            let mut entries = std::fs::read_dir(faulty.backing()).unwrap().flatten();
            entries.any(|entry| entry.path().join("REELGAUGE-AREA.toml").exists())
        };
        assert!(running.until(Duration::from_secs(60), has_marker).is_some(), "{}", running.stderr());
        running.signal(Signal::KILL);
        drop(running);
        let begun = Instant::now();
        while leftovers(&faulty.backing()) == 0 {
            // A request in flight may still have been carried out.
            assert!(begun.elapsed() < Duration::from_secs(20), "it was killed too late");
        }
        faulty.faults().delay(Duration::ZERO);
        let target = faulty.path().display().to_string();
        let outcome = match cleaner {
            "doctor" => probed(&faulty.path(), &[]),
            "clean" => binary::run(["clean", &target]).expect_code(0),
            _ => {
                let runs = Scratch::new();
                let out = runs.path().to_str().unwrap();
                let small = ["--file-size", "1MiB", "--duration", "200ms", "--warmup", "0s", "--out", out];
                let ran = binary::run(["mix", &target].iter().chain(&small));
                let _ = binary::run(["clean", &target]).expect_code(0);
                ran
            }
        };
        let left = std::fs::read_dir(faulty.backing()).unwrap().count();
        assert_eq!(left, 0, "{cleaner}: {}", outcome.said());
        let is_told = outcome.words().contains("killed while");
        assert_eq!(is_told, cleaner == "clean", "{}", outcome.said());
    }
}

/// The screen of a probe, on one line, on a file system with too few inodes for a listing.
#[track_caller]
fn probed_without_inodes(target: &Path) -> String {
    let outcome = probed(target, &["--all"]);
    let text = outcome.words();
    assert!(text.contains("Listing: Not measured: "), "{}", outcome.said());
    text
}

#[test]
fn inode_shortage_makes_probe_results_unknown() {
    require!(Need::Root);
    let mount = TempMount::tmpfs(32);
    // Enough for the area, and too few for a listing or a large attribute.
    tool(&format!("mount -o remount,nr_inodes=48 {}", mount.path().display()));
    let text = probed_without_inodes(mount.path());
    let (_, unseen) = text.split_once("Not checked: ").unwrap();
    assert!(unseen.contains("Listing"), "{unseen}");
    let told = judged_in_part(mount.path());
    for unknown in ["xattr_largest_bytes", "listing_worst_us"] {
        let why = fact(&told, unknown)["not_known"].as_str().unwrap();
        assert!(why.starts_with("not measured: "), "{unknown}: {why}");
    }
    assert_eq!(std::fs::read_dir(mount.path()).unwrap().count(), 0);
}

/// An attribute is stored next to its file. That ext4 refuses a large one is not caused by missing
/// inodes.
#[test]
fn on_a_disk_short_of_inodes_attributes_are_not_refused_for_want_of_them() {
    require!(Need::Root, Need::Tool("mkfs.ext4"));
    let mount = TempMount::image(ImageKind::Ext4, 16);
    let fill = mount.path().join("fill");
    std::fs::create_dir(&fill).unwrap();
    let made = (0..).take_while(|at| File::create(fill.join(at.to_string())).is_ok()).count();
    assert!(made > 100, "{made}");
    (0..60).for_each(|at| std::fs::remove_file(fill.join(at.to_string())).unwrap());
    let text = probed_without_inodes(mount.path());
    let (_, attributes) = text.split_once("Extended attributes: ").unwrap();
    assert!(!attributes.split(" Names: ").next().unwrap().contains("inodes"), "{text}");
    let told = judged_in_part(mount.path());
    assert!(fact(&told, "xattr_largest_bytes").is_number(), "{told:#}");
    assert!(fact(&told, "xattr_refused_bytes").is_number(), "{told:#}");
}

#[test]
fn conflicting_flags_are_refused() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    for (words, said) in [
        (&["--probe", "--from", "."][..], "--from"),
        (&["--probe", "--hang-after", "0s"], "use 1s to 1h"),
        (&["--probe", "--hang-after", "61m"], "use 1s to 1h"),
    ] {
        let refused = probed_with(&target, words).expect_code(2);
        assert!(refused.stderr.contains(said), "{}", refused.said());
        assert!(!refused.stderr.contains("Usage"), "{}", refused.said());
    }
    let refused = binary::run(["doctor", "--probe"]).expect_code(2);
    assert!(refused.stderr.contains("needs a PATH"), "{}", refused.said());
    assert_eq!(std::fs::read_dir(&target).unwrap().count(), 0);
}

/// A signal is handled at any time, even while the host's settings are read.
#[test]
fn signal_after_the_last_probe_is_obeyed() {
    require!(Need::Root, Need::Tool("testparm"), Need::Tool("unshare"));
    let scratch = Scratch::new();
    let (target, slow) = (scratch.dir("target"), scratch.dir("slow"));
    // A slow program that the doctor calls, visible only to this test.
    let (begun, program) = (slow.join("begun"), slow.join("testparm"));
    std::fs::write(&program, format!("#!/bin/sh\ntouch {}\nexec sleep 2\n", begun.display())).unwrap();
    tool(&format!("chmod 755 {}", program.display()));
    let mut command = std::process::Command::new("unshare");
    command.args(["--mount", "sh", "-c", "mount --bind \"$0\" /usr/bin/testparm && exec \"$@\""]);
    command.arg(&program).arg(binary::path());
    let mut running = binary::start_by(command, ["doctor", target.to_str().unwrap(), "--probe", "--server"]);
    assert!(running.until(Duration::from_secs(60), |_| begun.exists()).is_some(), "{}", running.stderr());
    running.signal(Signal::INT);
    let outcome = running.wait(Duration::from_secs(60)).expect_code(130);
    assert!(outcome.stdout.is_empty() && outcome.stderr.contains("stopped"), "{}", outcome.said());
    assert_eq!(std::fs::read_dir(&target).unwrap().count(), 0);
}

#[test]
fn unwritable_target_has_a_reason() {
    require!(Need::Root);
    let mount = TempMount::tmpfs(1);
    let point = mount.path().display();
    // Other users may do anything there, which does not matter then.
    tool(&format!("chmod 1777 {point}"));
    tool(&format!("mount -o remount,ro {point}"));
    let outcome = probed(mount.path(), &[]).expect_code(2);
    let said = format!("{point} is mounted read-only");
    assert!(outcome.stderr.contains(&said) && outcome.stdout.is_empty(), "{}", outcome.said());
    tool(&format!("mount -o remount,rw {point}"));
    tool(&format!("chmod 755 {point}"));
    tool(&format!("mount -o remount,rw {point}"));
    // Full to the last byte.
    assert!(std::fs::write(mount.path().join("theirs.mov"), vec![7; 2 << 20]).is_err());
    let before = tree(mount.path(), &[]);
    // Rules that need no write are judged all the same.
    let outcome = probed(mount.path(), &["--json"]).expect_code(3);
    let told = outcome.json();
    assert!(is_in(&told, "not_looked_at", "fs.saving_fails"), "{told:#}");
    assert!(outcome.said().contains("the probes"), "{}", outcome.said());
    assert_eq!(tree(mount.path(), &[]), before);
}

/// Findings that need no write are made on a full disk, too: that it is full.
#[test]
fn a_full_disk_is_judged_as_far_as_nothing_has_to_be_written() {
    require!(Need::Root, Need::Tool("mkfs.ext4"));
    let mount = TempMount::image(ImageKind::Ext4, 16);
    assert!(std::fs::write(mount.path().join("theirs.mov"), vec![7; 32 << 20]).is_err());
    // To the last block.
    let made = (0..).take_while(|at| std::fs::create_dir(mount.path().join(format!("{at}"))).is_ok()).count();
    let before = tree(mount.path(), &[]);
    let outcome = probed(mount.path(), &["--json"]);
    assert_eq!(outcome.code, Some(3), "{made} {}", outcome.said());
    let told = outcome.json();
    assert!(is_in(&told, "findings", "fs.free_space_low"), "{told:#}");
    assert!(is_in(&told, "not_looked_at", "fs.saving_fails"), "{told:#}");
    let screen = probed(mount.path(), &[]).expect_code(3);
    let flat = screen.words();
    assert!(flat.contains("Probes: No probe "), "{}", screen.said());
    assert_eq!(tree(mount.path(), &[]), before);
}

/// Calls that change something, by name prefix: all changes to names and files that a process can make.
const CHANGING: [&str; 16] = [
    "O_CREAT",
    "O_WRONLY",
    "O_RDWR",
    "unlink",
    "mkdir",
    "rmdir",
    "rename",
    "link",
    "truncate",
    "chmod",
    "chown",
    "utime",
    "setxattr",
    "removexattr",
    "fallocate",
    "write",
];

/// Whether a line of strace changes something outside of the area and of the process's own pipes.
fn strays(line: &str) -> bool {
    let Some((_, call)) = line.split_once(' ') else { return false };
    let Some((name, _)) = call.trim_start().split_once('(') else { return false };
    let is_open = name.starts_with("open");
    let changes = CHANGING.iter().any(|what| match is_open {
        true => what.starts_with("O_") && call.contains(what),
        false => !what.starts_with("O_") && name.contains(what),
    });
    let asks = ["readlink", "listxattr", "getxattr"].iter().any(|ask| name.contains(ask));
    // Connections between processes have no name in a file system.
    let is_own = ["/dev/null", "pipe:", "socket:", "UNIX", "eventfd", "/stdout", "/stderr", "/dev/tty"];
    changes
        && !asks
        && !call.contains(" = -1 ")
        && !call.contains("resumed>")
        && !call.contains(AREA)
        && !is_own.iter().any(|own| call.contains(own))
}

#[test]
fn calls_outside_the_area_are_distinguished_from_those_inside() {
    for line in [
        "7 openat(AT_FDCWD, \"/mnt/theirs.mov\", O_WRONLY|O_CREAT, 0666) = 3",
        "7 unlinkat(5</mnt>, \"theirs.mov\", 0) = 0",
        "7 fsetxattr(5</mnt/theirs.mov>, \"user.x\", \"\", 0, 0) = 0",
    ] {
        assert!(strays(line), "{line}");
    }
    for line in [
        "7 openat2(5</mnt/reelgauge-area>, \"scratch/probe/a\", {flags=O_RDWR|O_CREAT}, 24) = 6",
        "7 readlinkat(AT_FDCWD, \"/mnt\", 0x7ffc, 4096) = -1 EINVAL",
        "7 openat(AT_FDCWD, \"/mnt/theirs.mov\", O_RDONLY) = 3",
    ] {
        assert!(!strays(line), "{line}");
    }
}

#[test]
fn with_probes_nothing_outside_of_the_area_is_written() {
    require!(Need::Tool("strace"));
    let around = Surroundings::new();
    let before = around.stock();
    let calls = around.beside("calls").join("calls.strace");
    let words = ["strace", "-f", "-y", "-x", "-e", "trace=%file,%desc", "-o", calls.to_str().unwrap()];
    let target = around.target().display().to_string();
    let binary = binary::path().display().to_string();
    // Its exit code depends on its findings.
    let _ =
        tool_with(&words.iter().copied().chain([&binary, "doctor", &target, "--probe"]).collect::<Vec<_>>());
    let text = std::fs::read_to_string(&calls).unwrap();
    assert!(text.contains("user.reelgauge-probe") && text.contains("frame-0000001.exr"), "it has probed");
    let strays: Vec<&str> = text.lines().filter(|line| strays(line)).collect();
    assert!(strays.is_empty(), "{strays:#?}");
    assert_eq!(around.stock(), before);
    assert!(!around.target().join(AREA).exists(), "it made the area, and removed it");
}

#[test]
fn links_in_the_area_are_not_followed() {
    let scratch = Scratch::new();
    let (target, theirs) = (scratch.dir("target"), scratch.dir("theirs"));
    std::fs::write(theirs.join("reel.mov"), "somebody's").unwrap();
    let before = tree(&theirs, &[]);
    // The area itself.
    std::os::unix::fs::symlink(&theirs, target.join(AREA)).unwrap();
    let refused = probed(&target, &[]).expect_code(2);
    assert!(refused.stderr.contains("a symbolic link"), "{}", refused.said());
    assert_eq!(tree(&theirs, &[]), before);
}

#[test]
fn another_owners_target_is_probed_with_the_owners_rights_if_permitted() {
    require!(Need::Root);
    let scratch = Scratch::new();
    let target = scratch.dir("theirs");
    std::os::unix::fs::chown(&target, Some(4242), Some(4242)).unwrap();
    let refused = probed(&target, &[]).expect_code(2);
    assert!(refused.stderr.contains("--shared-target"), "{}", refused.said());
    let outcome = probed(&target, &["--shared-target", "--json"]);
    assert!(outcome.stderr.contains("(user 4242)"), "{}", outcome.said());
    let told = outcome.json();
    assert_eq!(fact(&told, "rename_over"), "replaces");
    assert!(fact(&told, "listing_worst_us").is_number(), "{told:#}");
    assert_eq!(std::fs::read_dir(&target).unwrap().count(), 0);
}
