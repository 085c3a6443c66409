//! The files of a plan, made on the agents of a fleet ahead of its run, which then finds them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fleet_bed::{Bed, PATIENCE};
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, text};

fn prepare(bed: &Bed) -> Outcome {
    let plan = bed.path().join("fleet.toml").display().to_string();
    let dir = bed.fleet.dir().display().to_string();
    binary::start(["fleet", "prepare", &plan, "--fleet", &dir, "--json"]).wait(PATIENCE)
}

/// Every file of test data below a folder, and which file it is.
fn data(folder: &Path) -> BTreeMap<PathBuf, u64> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let meta = entry.metadata().unwrap();
            if meta.is_dir() {
                folders.push(entry.path());
            } else if entry.path().extension().is_some_and(|ending| ending == "bin") {
                found.insert(entry.path(), meta.ino());
            }
        }
    }
    found
}

#[test]
fn files_are_made_nothing_is_measured_and_the_run_finds_them() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b"], "1s");
    // Two steps that read the same, of which one is repeated.
    bed.plan("[[step]]\nname = \"first\"\nrepeat = 3\n[[step]]\nname = \"more\"\nramp = \"3\"\n");
    assert!(data(&bed.fleet.root("nas")).is_empty());
    let outcome = prepare(&bed).expect_code(0);
    let lines = outcome.json();
    let lines: Vec<(&str, &str, bool)> = lines
        .as_array()
        .unwrap()
        .iter()
        .map(|line| (text(line, "step"), text(line, "agent"), at(line, "is_prepared") == true))
        .collect();
    let expected = [("first", "a", true), ("first", "b", true), ("more", "a", true), ("more", "b", true)];
    assert_eq!(lines, expected, "each step once");
    let made = data(&bed.fleet.root("nas"));
    for name in ["a", "b"] {
        let own = made.keys().filter(|path| path.starts_with(bed.fleet.root("nas").join(name)));
        assert_eq!(own.count(), 2, "{name} has its files: {made:?}");
        assert!(bed.left(name).is_empty(), "{name} keeps nothing of it");
    }
    assert!(!bed.runs().exists(), "nothing was measured");
    assert!(fs::read_dir(bed.fleet.dir().join("runs")).unwrap().next().is_none());

    bed.plan("");
    let summary = bed.run().wait(PATIENCE).expect_code(0).json();
    assert_eq!(at(&summary, "data_set.reused"), true, "{summary:#}");
    assert_eq!(data(&bed.fleet.root("nas")), made, "no file was made anew");
}

#[test]
fn agents_without_files_are_named_and_others_prepared() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b", "c"], "1s");
    bed.kill_agent("b");
    // A file is in the place of c's folder.
    let target = bed.fleet.root("nas").join("c");
    fs::remove_dir(&target).unwrap();
    fs::write(&target, "").unwrap();
    let names = "agents = [\"a\", \"b\", \"c\"]\n";
    let plan = fs::read_to_string(bed.path().join("fleet.toml")).unwrap();
    fs::write(bed.path().join("fleet.toml"), format!("{plan}{names}")).unwrap();
    let outcome = prepare(&bed).expect_code(3);
    let lines = outcome.json();
    let made: Vec<bool> =
        (0..3).map(|line| at(&lines, &format!("{line}.is_prepared")).as_bool().unwrap()).collect();
    assert_eq!(made, [true, false, false], "{lines:#}");
    assert!(text(&lines, "1.why_not").contains("never connected"), "{lines:#}");
    assert!(!text(&lines, "2.why_not").is_empty(), "{lines:#}");
    assert!(!data(&bed.fleet.root("nas").join("a")).is_empty());
}
