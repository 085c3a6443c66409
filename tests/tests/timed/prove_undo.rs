//! A change is undone whatever happens to its proof.

use std::time::Duration;

use reelgauge_tests::binary::flowing;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mounts::TempMount;
use reelgauge_tests::needs;
use reelgauge_tests::proof::{LIMIT, Proof};
use reelgauge_tests::run_dir::at;
use reelgauge_tests::scratch::Scratch;
use rustix::process::Signal;

#[test]
fn ctrl_c_undoes_the_change_and_keeps_results() {
    let (_turn, target) = (my_turn(), Scratch::new());
    let file = target.path().join("changed");
    let proof = Proof::of_a_file(target.path(), &file);
    let mut running = proof.start();
    running.until(LIMIT, |_| file.exists()).expect("the change was made");
    // A second proof started during the first would undo its change, and measure it.
    let second = proof.run().expect_code(2);
    assert!(second.stderr.contains("another proof"), "{}", second.said());
    let undoing = proof.other(&["prove", "--undo-left"]).expect_code(2);
    assert!(undoing.stderr.contains("another proof"), "{}", undoing.said());
    assert!(file.exists() && proof.has_undo(), "the first one goes on");
    running.signal(Signal::INT);
    let ended = running.wait(LIMIT).expect_code(130);
    assert!(!file.exists() && !proof.has_undo(), "{}", ended.said());
    let kept = ended.json();
    assert!(at(&kept, "ended_early").as_str().unwrap().contains("interrupted"), "{kept:#}");
    assert!(!at(&kept, "passes").as_array().unwrap().is_empty());
    // The user who ended it has nothing to repair.
    let shown = proof.other(&["report", at(&kept, "dir").as_str().unwrap()]).expect_code(0).words();
    assert!(shown.contains("Next: ") && !shown.contains("--undo-left"), "{shown}");
    assert!(shown.contains(" of 10 passes"), "{shown}");
}

/// With six rounds the last pass is one without the change. The undo before it is not run again: a
/// command that fails the second time would report that the change is still there.
#[test]
fn an_undo_that_was_the_last_command_is_not_run_again() {
    let (_turn, target) = (my_turn(), Scratch::new());
    let file = target.path().join("changed");
    let mut proof = Proof::of_a_file(target.path(), &file);
    proof.words.splice(1..1, ["--rounds".to_owned(), "6".to_owned()]);
    let ended = proof.run();
    assert!(matches!(ended.code, Some(0 | 1)), "{}", ended.said());
    let told = ended.json();
    assert_eq!(
        at(&told, "passes").as_array().unwrap().last().map(|pass| at(pass, "state").as_u64()),
        Some(Some(0))
    );
    assert_eq!(at(&told, "not_undone"), &serde_json::Value::Null);
    assert!(!file.exists() && !proof.has_undo());
}

#[test]
fn changes_of_a_killed_proof_are_reported_at_the_next_start_and_undone_on_request() {
    let (_turn, target) = (my_turn(), Scratch::new());
    let file = target.path().join("changed");
    // The change is made in one directory, and undone from another.
    let proof = Proof::of("touch changed", "rm -f changed", target.path());
    let mut running = proof.by_in(target.path(), &proof.words);
    running.until(LIMIT, |_| file.exists()).expect("the change was made");
    // While a pass measures.
    running.until(LIMIT, |_| proof.processes() > 1).expect("a pass runs");
    running.signal(Signal::KILL);
    let since = std::time::Instant::now();
    while proof.processes() > 0 {
        assert!(since.elapsed() < LIMIT, "a pass outlives its proof");
        std::thread::sleep(Duration::from_millis(50));
    }
    // The drop would kill the rest of its group.
    drop(running);
    assert!(file.exists() && proof.has_undo());

    let told = proof.other(&["scenarios"]).expect_code(0);
    let said = flowing(&told.stderr);
    assert!(said.contains("reelgauge prove --undo-left"), "{said}");
    let refused = proof.run().expect_code(2);
    assert!(refused.stderr.contains("--undo-left"), "{}", refused.said());
    let undone = proof.other(&["prove", "--undo-left"]).expect_code(0);
    assert!(undone.stdout.contains("Undone.") && !file.exists() && !proof.has_undo(), "{}", undone.said());
    assert!(proof.other(&["scenarios"]).stderr.is_empty());

    // An unreadable undo file must not look like "nothing to undo".
    let torn = proof.home.join(".local/state/reelgauge/undo/torn.json");
    std::fs::write(&torn, "{\"left_version\": 1, \"undo").unwrap();
    let refused = proof.other(&["prove", "--undo-left"]).expect_code(2);
    assert!(refused.stderr.contains("torn.json"), "{}", refused.said());
    assert!(proof.other(&["scenarios"]).stderr.contains("torn.json"));
}

#[test]
fn a_failed_change_is_undone_and_a_failed_undo_is_reported() {
    let (_turn, target) = (my_turn(), Scratch::new());
    let file = target.path().join("changed");
    let (made, removed) = (format!("touch {0}; exit 4", file.display()), format!("rm {}", file.display()));
    let proof = Proof::of(&made, &removed, target.path());
    let failed = proof.run().expect_code(3);
    assert!(failed.said().contains("exit code 4"), "{}", failed.said());
    assert!(!file.exists() && !proof.has_undo());

    let stuck = Proof::of(&format!("touch {}", file.display()), "exit 5", target.path());
    let failed = stuck.run().expect_code(3);
    assert!(
        failed.stderr.contains("not undone") && failed.stderr.contains("exit code 5"),
        "{}",
        failed.said()
    );
    assert!(file.exists() && stuck.has_undo());
    let out = stuck.scratch.path().join("out");
    let dir = std::fs::read_dir(out).unwrap().next().unwrap().unwrap().path();
    let screen = stuck.other(&["report", dir.to_str().unwrap()]).words();
    assert!(screen.contains("--undo-left"), "{screen}");
    // A second attempt reports the same, with the same exit status.
    let again = stuck.other(&["prove", "--undo-left"]).expect_code(3);
    assert!(again.stderr.contains("exit code 5") && stuck.has_undo(), "{}", again.said());
}

/// An undo may succeed and still leave the change in place.
#[test]
fn an_undo_that_ends_well_and_has_no_effect_is_no_undo() {
    if !needs::are_met(&[needs::Need::Root]) {
        return;
    }
    let (_turn, target) = (my_turn(), TempMount::tmpfs(256));
    let remount = |option: &str| format!("mount -o remount,{option} {}", target.path().display());
    let proof = Proof::of(&remount("noatime"), "true", target.path());
    let failed = proof.run().expect_code(3);
    let said = failed.stderr.replace('\n', " ");
    assert!(said.contains("rw,noatime"), "{said}");
    assert!(proof.has_undo());
    let why = failed.json()["ended_early"].as_str().unwrap().to_owned();
    assert!(why.contains("rw,noatime"), "{why}");
    let works = Proof::of(&remount("nodev"), &remount("dev"), target.path());
    works.run();
    assert!(!works.has_undo());
}

/// An unmeasured pass is neither 0 MB/s nor a loss.
#[test]
fn a_pass_that_measured_nothing_is_compared_with_nothing() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let (_turn, faulty, marks) = (my_turn(), Faulty::mount(), Scratch::new());
    let file = marks.path().join("changed");
    let mut proof = Proof::of_a_file(&faulty.path(), &file);
    proof.words.push("--blocks=64KiB".to_owned());
    let failed = std::thread::scope(|scope| {
        let proving = scope.spawn(|| proof.run());
        while !file.exists() && !proving.is_finished() {
            std::thread::sleep(Duration::from_millis(2));
        }
        faulty.faults().delay(Duration::from_millis(1_500));
        proving.join().unwrap()
    });
    let failed = failed.expect_code(3);
    let why = failed.json()["ended_early"].as_str().unwrap().to_owned();
    assert!(why.contains("--duration"), "{why}");
    assert!(!file.exists() && !proof.has_undo(), "the change is undone");
}

#[test]
fn unprovable_change_is_refused_before_any_change() {
    let target = Scratch::new();
    let file = target.path().join("changed");
    let proof = Proof::of_a_file(target.path(), &file);
    let with = |old: &str, new: &str| {
        let words: Vec<String> = proof.words.iter().map(|word| word.replace(old, new)).collect();
        proof.by(&words).wait(LIMIT).expect_code(2).stderr
    };
    assert!(with("--workers=1", "--workers=none").contains("'--'"));
    assert!(with("--workers=1", "--out=elsewhere").contains("--out"));
    let list = proof.words.iter().take_while(|word| *word != "mix").cloned().chain(["list".to_owned()]);
    let refused = proof.by(&list.collect::<Vec<_>>()).wait(LIMIT).expect_code(2);
    assert!(refused.stderr.contains("no measurement"), "{}", refused.said());
    assert!(with("--workers=1", "{}").contains("--targets"));
    assert!(!file.exists() && proof.scratch.path().join("out").read_dir().unwrap().next().is_none());
}
