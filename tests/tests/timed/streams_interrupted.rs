//! Searches that are stopped while they make further files: by a disk that others fill, and by Ctrl-C.
//! Earlier measurements keep their summary, and the search can be resumed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use reelgauge_tests::binary::Running;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, summary, text};
use reelgauge_tests::verb::Verb;
use rustix::process::Signal;
use serde_json::Value;

/// "Stops within two seconds", with a reserve for a busy host.
const SOON: Duration = Duration::from_secs(2);

/// More than any of these runs takes, except a stuck one.
const LIMIT: Duration = Duration::from_secs(60);

/// A search with actors of this kind, which have no deadline: it goes on to its next trial however busy
/// the host is. Each actor needs a file of this size.
fn search(target: &Path, actor: &str, file_size: &str) -> Verb {
    Verb::on("streams", target)
        .with(&["--actor", actor, "--file-size", file_size, "--find-max", "--buffered"])
        .with(&["--warmup", "0s", "--duration", "2s"])
}

/// The summary that a stopped search printed is the one that it kept, with its first trial.
#[track_caller]
fn first_trial_is_kept(verb: &Verb, printed: Value) -> Value {
    assert_eq!(summary(&verb.run_dir()), printed);
    assert_eq!(at(&printed, "load_points").as_array().unwrap().len(), 1);
    assert!(count(&printed, "load_points.0.total.ops") > 0);
    assert_eq!(count(&printed, "search.streams"), 1);
    assert_eq!(at(&printed, "search.complete"), &Value::Bool(false));
    assert!(verb.run_dir().join("search.json").exists());
    printed
}

/// Files written by the actors are removed. On storage that no longer responds they are left, and the
/// summary reports that.
#[track_caller]
fn scratch_is(left: bool, summary: &Value, target: &Path) {
    let notes = at(summary, "notes");
    assert_eq!(target.join("reelgauge-area/scratch").exists(), left, "{notes:#}");
    assert_eq!(notes.to_string().contains("files_left"), left, "{notes:#}");
}

/// The free space that may still be used.
fn available(mount: &Path) -> u64 {
    let room = rustix::fs::statvfs(mount).unwrap();
    room.f_bavail * room.f_frsize
}

/// Fills a file system until only so many bytes are free.
fn fill(mount: &Path, leave_bytes: u64) -> PathBuf {
    let path = mount.join("somebody else's");
    let file = std::fs::File::create_new(&path).unwrap();
    let bytes = available(mount).saturating_sub(leave_bytes);
    rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, bytes).unwrap();
    path
}

#[test]
fn a_disk_that_others_fill() {
    require!(Need::Root, Need::FileSystem("ext4"));
    let _turn = my_turn();
    let mount = TempMount::image(ImageKind::Ext4, 512);
    let verb = search(mount.path(), "mix", "16MiB");
    let mut running = verb.start();
    verb.until_measuring(&mut running);
    let others = fill(mount.path(), 24 << 20);
    let printed = running.wait(LIMIT).expect_code(3).json();
    let printed = first_trial_is_kept(&verb, printed);
    scratch_is(false, &printed, mount.path());
    assert_eq!(text(&printed, "outcome"), "broke_off");
    let reason = text(&printed, "outcome_reason");
    assert!(reason.contains("--keep-free"), "{reason}");
    // Once there is space the search continues where it was, and does not repeat a mix.
    std::fs::remove_file(others).unwrap();
    let first = verb.run_dir();
    let again =
        search(mount.path(), "mix", "16MiB").with(&["--time-max", "5s"]).with_path("--resume", &first);
    let again = again.run();
    // This covers start, end and new files; a new search would take more than a minute.
    assert!(again.took < Duration::from_secs(30), "{:?}\n{}", again.took, again.said());
    let again = again.json();
    assert!(at(&again, "search.trials").as_array().unwrap().len() > 1, "{again:#}");
    assert!(count(&again, "load_points.0.workers") > 1, "{again:#}");
}

#[test]
fn room_that_is_to_stay_free_stays_free_when_others_fill_the_storage() {
    require!(Need::Root, Need::FileSystem("ext4"));
    let _turn = my_turn();
    let mount = TempMount::image(ImageKind::Ext4, 512);
    // 20 MB/s, for which there is room at the start.
    let verb = Verb::on("streams", mount.path())
        .with(&["--actor", "recorder", "--mbit-per-s", "160", "--fps", "25", "--warmup", "0s"])
        .with(&["--duration", "15s"]);
    let mut running = verb.start();
    verb.until_measuring(&mut running);
    fill(mount.path(), 64 << 20);
    let mut least = available(mount.path());
    let ended = running.until(LIMIT, |_| {
        least = least.min(available(mount.path()));
        verb.run_dir().join("summary.json").exists()
    });
    assert!(ended.is_some(), "{}", running.stderr());
    let printed = running.wait(LIMIT).expect_code(3).json();
    assert_eq!(text(&printed, "outcome"), "broke_off");
    let reason = text(&printed, "outcome_reason");
    assert!(reason.contains("(--keep-free)"), "{reason}");
    // A twentieth was to stay free. Between the check and the end of the recorder, some tenths of a
    // second of writes follow.
    assert!(least > 10 << 20, "{least} bytes were free");
    scratch_is(false, &printed, mount.path());
    assert!(count(&printed, "load_points.0.total.ops") > 0);
}

#[test]
fn ctrl_c_while_it_makes_files_for_the_next_trial() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    for hangs in [false, true] {
        let faulty = Faulty::mount();
        let verb = search(&faulty.path(), "copier", "64MiB");
        let mut running = verb.start();
        verb.until_measuring(&mut running);
        // So slow that the files of the second trial take longer than this test waits.
        faulty.faults().limit_bytes_per_s(8 << 20);
        let run = verb.run_dir();
        let tried = running.until(LIMIT, |_| run.join("search.json").exists());
        assert!(tried.is_some(), "{}", running.stderr());
        std::thread::sleep(Duration::from_millis(500));
        if hangs {
            faulty.faults().hang();
        }
        running.signal(Signal::INT);
        // By then it has given up on the files. New requests are answered as fast as ever, except data.
        std::thread::sleep(Duration::from_millis(300));
        faulty.faults().limit_bytes_per_s(0);
        let took = running.until(SOON, Running::has_ended);
        assert!(took.is_some(), "still runs after {SOON:?}\n{}", running.stderr());
        let printed = running.wait(SOON).expect_code(130).json();
        let printed = first_trial_is_kept(&verb, printed);
        assert_eq!(text(&printed, "outcome"), "interrupted");
        scratch_is(hangs, &printed, &faulty.path());
        faulty.faults().release();
    }
}
