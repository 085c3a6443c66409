//! `watch`: counters of the local host without load, kept like a run, completed, and nothing touched.

use std::path::{Path, PathBuf};
use std::time::Duration;

use reelgauge_tests::binary::{self, Running};
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mounts::TempMount;
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::programs::tool_with;
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;
use rustix::process::Signal;
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(60);

fn words<'a>(runs: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let always = ["watch", "--name", "nas1", "--json", "--out", runs.to_str().unwrap()];
    always.iter().chain(more).copied().collect()
}

/// The only run directory in a folder.
fn only_run(runs: &Path) -> PathBuf {
    let mut found = std::fs::read_dir(runs).unwrap().map(|entry| entry.unwrap().path());
    let run = found.next().expect("a run directory");
    assert!(found.next().is_none(), "{}", runs.display());
    run
}

fn summary_of(run: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(run.join("summary.json")).unwrap()).unwrap()
}

/// Whether samples are on disk.
fn has_sampled(runs: &Path) -> bool {
    let mut parts = std::fs::read_dir(runs).into_iter().flatten().flatten();
    parts.any(|run| run.path().join("counters/agent=nas1/part-000001.parquet").is_file())
}

#[test]
fn a_watch_is_kept_and_reported_like_a_run() {
    let runs = Scratch::new();
    let told = binary::run(words(runs.path(), &["--duration", "2s"])).expect_code(0).json();
    assert_eq!((&told["verb"], &told["outcome"]), (&"watch".into(), &"complete".into()), "{told:#}");
    assert!(told["watch"]["looks"].as_u64().unwrap() >= 2, "{told:#}");
    let names: Vec<&str> = told["watch"]["counters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"cpu_busy_percent"), "{names:?}");
    let run = only_run(runs.path());
    for file in
        ["run.toml", "hosts.json", "counters/agent=nas1/part-000001.parquet", "report.html", "live.jsonl"]
    {
        assert!(run.join(file).is_file(), "{file}");
    }
    assert!(!run.join("ops").exists(), "it did no operation");
    let dir = run.to_str().unwrap();
    let report = binary::run(["report", dir]).expect_code(0).words();
    assert!(report.starts_with("Result: Watched nas1 "), "{report}");
    let list = binary::run(["list", runs.path().to_str().unwrap(), "--json"]).expect_code(0).json();
    assert_eq!((&list[0]["verb"], &list[0]["state"]), (&"watch".into(), &"complete".into()), "{list:#}");
    assert!(list[0]["sentence"].as_str().unwrap().starts_with("Watched nas1 "), "{list:#}");
    // It has nothing to compare, and no load that could be repeated.
    assert!(binary::run(["compare", dir, dir]).expect_code(2).stderr.contains("a watch"));
    let plan = run.join("run.toml");
    assert!(binary::run(["run", plan.to_str().unwrap()]).expect_code(2).stderr.contains("reelgauge watch"));
}

#[test]
fn watched_target_is_named_with_its_file_system() {
    require!(Need::Root);
    let (mount, runs) = (TempMount::tmpfs(1), Scratch::new());
    let path = mount.path().to_str().unwrap();
    let told = binary::run(words(runs.path(), &["--duration", "1s", path])).expect_code(0).json();
    assert_eq!(
        (&told["target"]["fs_type"], &told["target"]["source"]),
        (&"tmpfs".into(), &"rge-tmpfs".into())
    );
    // The whole host is not a mount.
    let runs = Scratch::new();
    let told = binary::run(words(runs.path(), &["--duration", "1s"])).expect_code(0).json();
    assert_eq!(told["target"]["fs_type"], Value::Null);
}

#[test]
fn ctrl_c_ends_a_watch_whole() {
    for (more, code, outcome) in [(&[][..], 0, "complete"), (&["--duration", "1h"], 130, "interrupted")] {
        let runs = Scratch::new();
        let mut running = binary::start(words(runs.path(), more));
        assert!(running.until(LIMIT, |_| has_sampled(runs.path())).is_some(), "{}", running.stderr());
        running.signal(Signal::INT);
        let told = running.wait(LIMIT).expect_code(code).json();
        assert_eq!(told["outcome"], outcome, "{told:#}");
        let run = only_run(runs.path());
        assert_eq!(summary_of(&run)["watch"], told["watch"]);
        assert!(run.join("report.html").is_file(), "{outcome}");
    }
}

#[test]
fn a_killed_watch_is_reported_from_its_samples() {
    let runs = Scratch::new();
    let mut running = binary::start(words(runs.path(), &[]));
    assert!(running.until(LIMIT, |_| has_sampled(runs.path())).is_some(), "{}", running.stderr());
    running.signal(Signal::KILL);
    assert!(running.until(LIMIT, Running::has_ended).is_some());
    let run = only_run(runs.path());
    let told = binary::run(["report", run.to_str().unwrap(), "--json"]).expect_code(0).json();
    assert_eq!(told["outcome"], "broke_off", "{told:#}");
    assert!(told["watch"]["looks"].as_u64().unwrap() >= 2, "{told:#}");
}

#[test]
fn watch_opens_no_file_on_its_target() {
    require!(Need::Tool("strace"));
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let (scratch, runs, faulty) = (Scratch::new(), Scratch::new(), Faulty::mount());
    let calls = scratch.path().join("calls.strace");
    let binary = binary::path().display().to_string();
    // The path does not exist. No call may access it to find that out.
    let path = faulty.path().join("no/such/clip").display().to_string();
    let strace = ["strace", "-f", "-o", calls.to_str().unwrap(), "-e", "trace=%file,%stat,%statfs", &binary];
    let watch = words(runs.path(), &["--duration", "1s", &path]);
    let told = tool_with(&strace.iter().copied().chain(watch).collect::<Vec<_>>()).unwrap();
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["target"]["path"], path.as_str());
    let text = std::fs::read_to_string(&calls).unwrap();
    let there = faulty.path().display().to_string();
    let touching: Vec<&str> =
        text.lines().filter(|line| line.contains(&there) && !line.contains("execve(")).collect();
    assert!(touching.is_empty() && text.contains("/proc/self/mountinfo"), "{touching:#?}");
}

#[test]
fn invalid_watch_is_refused() {
    let runs = Scratch::new();
    for more in [&["--duration", "0s"][..], &["--name", "///"], &["/no/such/folder"]] {
        let refused = binary::run(words(runs.path(), more)).expect_code(2);
        assert!(!refused.stderr.is_empty(), "{more:?}");
    }
    assert_eq!(std::fs::read_dir(runs.path()).unwrap().count(), 0, "nothing is left behind");
}
