//! Plans with steps: several runs of a fleet, one after another, announced first, interrupted and
//! resumed; with a real nats-server.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reelgauge_tests::binary::Running;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fleet_bed::{Bed, PATIENCE, counted, until_said};
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{all_in, at, number, only_in, summary, text};
use rustix::process::Signal;
use serde_json::Value;

const STEPS: &str = "\
[[step]]
name = \"ramp\"
ramp = \"1..2\"
hold = \"1s\"
repeat = 2
pause = \"1s\"

[[step]]
name = \"long\"
workload = \"mix.toml\"
hold = \"8s\"

[[step]]
name = \"last\"
hold = \"1s\"
";

/// The directory of the only batch.
#[track_caller]
fn batch(bed: &Bed) -> PathBuf {
    only_in(&bed.runs())
}

fn names(dir: &Path) -> Vec<String> {
    all_in(dir).iter().map(|dir| dir.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

/// The result of each run, in order.
#[track_caller]
fn results(printed: &Value) -> Vec<&str> {
    printed.as_array().unwrap().iter().map(|run| text(run, "result.is")).collect()
}

#[test]
fn dry_run_shows_order_time_and_space_and_changes_nothing() {
    require!(Need::NatsServer);
    let bed = Bed::new(&["a", "b"], "3s");
    bed.plan(&format!("{STEPS}not_before = \"2099-01-01 22:30\"\n"));
    let ahead = bed.run_with(&["--dry-run"]).wait(PATIENCE).expect_code(0);
    let (said, words) = (&ahead.stdout, ahead.words());
    let order: Vec<usize> = ["1. ramp, 1 of 2", "2. ramp, 2 of 2", "3. long", "4. last"]
        .iter()
        .map(|title| said.find(title).unwrap_or_else(|| panic!("{title}: {said}")))
        .collect();
    assert!(order.is_sorted(), "{said}");
    // Two load points of a second, one of eight, one of one. Each is agreed three seconds before.
    assert_eq!(words.matches("agents, 8.0 s, ").count(), 2, "{said}");
    assert!(words.contains("agents, 11 s, ") && words.contains("not before 2099-01-01 22:30"), "{said}");
    assert!(words.contains(": 4 runs, 33 s, ") && words.contains("2.0 s of pauses"), "{said}");
    // Two files of 16 MiB on each of two agents.
    assert!(words.contains("67.1 MB"), "{said}");
    assert_eq!(said.matches("2 load points on ").count(), 4, "{said}");
    bed.plan("");
    let one = bed.run_with(&["--dry-run"]).wait(PATIENCE).expect_code(0).words();
    assert!(one.contains("a: 1 load point on ") && one.contains(": 1 run, 6.0 s"), "{one}");
    assert!(!bed.runs().exists(), "nothing is made");
    let site = bed.fleet.dir().join("runs");
    assert!(!site.exists() || std::fs::read_dir(site).unwrap().next().is_none());
    let targets = ["a", "b"].map(|name| bed.fleet.root("nas").join(name));
    assert!(targets.iter().all(|dir| std::fs::read_dir(dir).unwrap().next().is_none()));
    bed.plan("[[step]]\nrepeat = 0\n");
    let wrong = bed.run_with(&["--dry-run"]).wait(PATIENCE).expect_code(2).stderr;
    assert!(wrong.contains("repeat = 0"), "{wrong}");
}

#[test]
fn steps_resume_after_a_killed_controller_and_all_are_reported() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b"], "3s");
    bed.plan(STEPS);
    let mut run = bed.run_with(&[]);
    until_said(&mut run, "Step 3 of 4: long.");
    let first = run.stderr().len();
    let measures = |run: &mut Running| run.stderr()[first..].contains(", p99 ");
    assert!(run.until(PATIENCE, measures).is_some(), "{}", run.stderr());
    run.signal(Signal::KILL);
    drop(run);
    let dir = batch(&bed);
    let index = std::fs::read_to_string(dir.join("index.txt")).unwrap();
    assert!(index.contains("2. ramp, 2 of 2: ") && index.contains("4. last: "), "{index}");
    let of_first = summary(&dir.join("01-ramp-1-of-2"));
    // A changed plan does not continue the old batch.
    bed.plan("[[step]]\nname = \"other\"\n");
    // The load of the third ends without a controller. It is interrupted, and run again.
    let is_over = |name: &str| {
        let runs = only_in(&bed.left(name)[0].join("runs"));
        runs.join("summary.json").exists()
    };
    let killed = Instant::now();
    while !(is_over("a") && is_over("b")) {
        assert!(killed.elapsed() < PATIENCE, "an orphan goes on");
        std::thread::sleep(Duration::from_millis(100));
    }
    let outcome = bed.resume(&dir.display().to_string(), &[]).wait(2 * PATIENCE).expect_code(0);
    for line in ["1. ramp, 1 of 2: ", "2. ramp, 2 of 2: ", "3. long: ", "4. last: "]
        .map(|title| title.to_owned() + "measured")
    {
        assert!(outcome.words().contains(&line), "{line}: {}", outcome.said());
    }
    assert!(!outcome.stderr.contains("Step 2 of 4"), "what is done is not done again: {}", outcome.stderr);
    assert_eq!(
        names(&dir),
        ["01-ramp-1-of-2", "02-ramp-2-of-2", "03-long", "03-long.broken-off-1", "04-last"]
    );
    assert_eq!(summary(&dir.join("01-ramp-1-of-2")), of_first);
    for (name, points, hold_s) in
        [("01-ramp-1-of-2", 2, 1.0), ("02-ramp-2-of-2", 2, 1.0), ("03-long", 1, 8.0), ("04-last", 1, 1.0)]
    {
        let told = summary(&dir.join(name));
        assert!(counted(&dir.join(name), &told).iter().all(|&ops| ops > 0), "{name}");
        let all = at(&told, "load_points").as_array().unwrap();
        assert_eq!(all.len(), points, "{name}");
        assert!(
            all.iter().all(|point| (number(point, "measured_s") - hold_s).abs() < 0.9),
            "{name}: {all:?}"
        );
    }
    let broken_off = summary(&dir.join("03-long.broken-off-1"));
    assert_ne!(text(&broken_off, "outcome"), "complete");
    counted(&dir.join("03-long.broken-off-1"), &broken_off);
    for name in ["a", "b"] {
        assert!(bed.left(name).is_empty(), "{name} keeps what was fetched");
    }
}

#[test]
fn stopped_steps_list_skipped_runs_and_resume() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::new(&["a"], "1s");
    bed.plan("[[step]]\nname = \"one\"\npause = \"60s\"\n[[step]]\nname = \"two\"\n");
    let mut run = bed.run();
    until_said(&mut run, "step 2 of 2 starts at ");
    // The rest can be paused and stopped even if no run is active.
    let paused = bed.fleet.ask(&["pause"]).expect_code(0).words();
    assert!(paused.contains("next step"), "{paused}");
    until_said(&mut run, "paused before step 2 of 2");
    bed.fleet.ask(&["resume"]).expect_code(0);
    let stopped = bed.fleet.ask(&["stop"]).expect_code(0).words();
    assert!(stopped.contains("was stopped"), "{stopped}");
    let outcome = run.wait(PATIENCE).expect_code(130);
    let printed = outcome.json();
    assert_eq!(results(&printed), ["measured", "not_run"]);
    assert!(outcome.stderr.contains("Steps remain"), "{}", outcome.stderr);
    let dir = batch(&bed);
    // The other runs were complete, so the next step begins at once.
    let outcome = bed.resume(&dir.display().to_string(), &["--json"]).wait(PATIENCE).expect_code(0);
    assert_eq!(results(&outcome.json()), ["measured", "measured"]);
    assert_eq!(names(&dir), ["01-one", "02-two"]);
}

#[test]
fn two_targets_are_compared_with_one_in_one_batch() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b"], "1s");
    let target = |folder: &str| bed.fleet.root("nas").join(folder).join("{agent}").display().to_string();
    ["a", "b"].iter().for_each(|name| {
        std::fs::create_dir_all(bed.fleet.root("nas").join("second").join(name)).unwrap();
    });
    let (first, second) = (target(""), target("second"));
    bed.plan(&format!(
        "[[step]]\nname = \"one\"\ntargets = [\"{first}\"]\n\
         [[step]]\nname = \"all\"\ntargets = [\"{first}\", \"{second}\"]\n\
         [[step]]\nname = \"other\"\nhold = \"2s\"\n"
    ));
    let printed = bed.run().wait(PATIENCE).expect_code(0).json();
    let targets = |run: usize| at(&printed, &format!("{run}.moved.targets")).as_array().unwrap().len();
    assert_eq!((targets(0), targets(1), targets(2)), (1, 2, 1), "{printed:#}");
    // The rates are those of the runs, and the factor is of those two.
    let rate = |run: usize, folder: &str| {
        let summary = summary(&batch(&bed).join(folder));
        let own = number(&summary, "load_points.0.total.bytes_per_s");
        let told = number(&printed, &format!("{run}.moved.bytes_per_s"));
        assert!((told / own - 1.0).abs() < 1e-9, "{told} is told, {own} was moved");
        own
    };
    let factor = rate(1, "02-all") / rate(0, "01-one");
    let index = std::fs::read_to_string(batch(&bed).join("index.txt")).unwrap();
    let line = index.lines().last().unwrap();
    assert!(line.starts_with("all: 2 targets ") && line.ends_with("(one)."), "{index}");
    assert!(line.contains(&format!(" {factor:.2} times ")), "{factor}: {index}");
    // The plan shows each host's interfaces, if this host counts any.
    let summary = summary(&batch(&bed).join("02-all"));
    let nics = at(&summary, "hosts.points.0.nics").as_array().unwrap();
    assert!(nics.iter().all(|nic| ["a", "b"].contains(&text(nic, "agent"))), "{nics:#?}");
}
