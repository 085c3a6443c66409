//! Test files are made once and reused, whatever the seed. Files of earlier runs are removed when their
//! space is needed. The space that a run needs is reported first.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::verb::Verb;

/// Files by name, with the time of their last change.
type Files = BTreeMap<String, SystemTime>;

fn entries(dir: &Path) -> impl Iterator<Item = (String, fs::DirEntry)> {
    let entries = fs::read_dir(dir).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), entry))
}

/// The data sets of a target's area, with their files.
fn data_sets(target: &Path) -> BTreeMap<String, Files> {
    let files = |set: &Path| -> Files {
        // The times of the manifest say when the set was used last.
        let files = entries(set).filter(|(name, _)| name.ends_with(".bin"));
        files.map(|(name, file)| (name, file.metadata().unwrap().modified().unwrap())).collect()
    };
    let data = target.join("reelgauge-area/data");
    entries(&data).map(|(name, set)| (name, files(&set.path()))).collect()
}

/// How many files each data set has.
fn sizes(target: &Path) -> BTreeMap<String, usize> {
    data_sets(target).into_iter().map(|(name, files)| (name, files.len())).collect()
}

/// Four runs with different seeds: one data set, of which only the first run writes.
#[track_caller]
fn is_made_once(name: &str, reads_only: bool, make: impl Fn(&Path, &str) -> Verb) {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let was_reused = |seed: &str| {
        let outcome = make(&target, seed).run();
        assert!(matches!(outcome.code, Some(0 | 1)), "{name}: {:?}\n{}", outcome.code, outcome.said());
        at(&outcome.json(), "data_set.reused").as_bool().unwrap()
    };
    assert!(!was_reused("1"));
    let first = (sizes(&target), data_sets(&target));
    assert_eq!(first.0.len(), 1, "{name}: {:?}", first.0);
    for seed in ["2", "3", "4"] {
        assert!(was_reused(seed), "{name} with seed {seed} wrote test files");
        assert_eq!(sizes(&target), first.0, "{name} with seed {seed}");
        assert!(!reads_only || data_sets(&target) == first.1, "{name} with seed {seed} changed test files");
    }
}

#[test]
fn four_seeds_leave_one_data_set_of_streams_mix_and_vda() {
    let _turn = my_turn();
    let short = ["--warmup", "0s", "--duration", "300ms"];
    // Frames of ProRes differ in size, so a clip's size is drawn.
    is_made_once("streams", true, |target, seed| {
        Verb::on("streams", target)
            .with(&["--format", "prores-422-proxy-hd-25", "--clip", "1s", "--buffered", "--seed", seed])
            .with(&short)
    });
    is_made_once("mix", false, |target, seed| {
        Verb::on("mix", target)
            .with(&["--workers", "2", "--file-size", "4MiB", "--buffered", "--seed", seed])
            .with(&short)
    });
    is_made_once("vda", false, |target, seed| {
        Verb::on("vda", target)
            .with(&["--points", "1", "--file-size", "2MiB", "--files", "2", "--seed", seed])
            .with(&short)
    });
}

/// A target with some 190 MB left, whose area holds a data set of 315 MB, an older one of 105 MB, and a
/// file that is not the tool's.
fn filled() -> TempMount {
    let mount = TempMount::image(ImageKind::Ext4, 640);
    for (size, age_h) in [("50MiB", 2), ("150MiB", 1)] {
        let mix = Verb::on("mix", mount.path()).with(&["--workers", "2", "--file-size", size]);
        mix.with(&["--profile", "seq-read", "--buffered", "--warmup", "0s", "--duration", "100ms"]).measure();
        let manifest = mount.path().join(format!("reelgauge-area/data/files-{size}-u4096/dataset.toml"));
        let manifest = fs::File::options().append(true).open(manifest).unwrap();
        manifest.set_modified(SystemTime::now() - Duration::from_secs(age_h * 3600)).unwrap();
    }
    let foreign = mount.path().join("reelgauge-area/data/files-1MiB-u4096");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("file-0000.bin"), b"irreplaceable").unwrap();
    mount
}

fn names(mount: &TempMount) -> Vec<String> {
    data_sets(mount.path()).into_keys().collect()
}

#[test]
fn other_data_sets_are_removed_oldest_first_as_needed() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    let _turn = my_turn();
    let mount = filled();
    let short = ["--buffered", "--warmup", "0s", "--duration", "100ms", "--profile", "seq-read"];
    // A twentieth of the volume stays free. The room of the older set is enough.
    let mix = Verb::on("mix", mount.path()).with(&["--workers", "1", "--file-size", "160MiB"]).with(&short);
    let outcome = mix.run_plain().expect_code(0);
    assert!(outcome.stderr.contains("files-50MiB-u4096 (105 MB)"), "{}", outcome.said());
    assert!(outcome.words().contains("files-50MiB-u4096 (104.9 MB)"), "{}", outcome.said());
    assert_eq!(names(&mount), ["files-150MiB-u4096", "files-160MiB-u4096", "files-1MiB-u4096"]);
    // More than the whole volume: refused before anything is removed.
    let mix = Verb::on("mix", mount.path()).with(&["--workers", "9", "--file-size", "100MiB"]).with(&short);
    let outcome = mix.run_plain().expect_code(2);
    assert!(outcome.stderr.contains("--keep-free"), "{}", outcome.said());
    assert!(!outcome.stderr.contains("Removing"), "{}", outcome.said());
    assert_eq!(names(&mount).len(), 3);
}

#[test]
fn search_frees_space_of_other_data_sets_and_shows_its_forecast() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    let _turn = my_turn();
    let mount = filled();
    let scratch = Scratch::new();
    // Ten clips of 18.8 MB.
    let plan = scratch.path().join("plan.toml");
    let text = format!(
        "plan_version = 1\nname = 'players'\ntarget = '{}'\nwarmup = '0s'\nduration = '200ms'\ndirect = false\n\
         find_max = {{ start = 10, cap = 10, repeats = 1, time_max = '100s' }}\n\
         [[actor]]\nkind = 'player'\nformat = '{}'\nclip = '4s'\n",
        mount.path().display(),
        SMALL.id
    );
    fs::write(&plan, text).unwrap();
    let outcome = Verb::on("run", plan).run_plain();
    assert!(matches!(outcome.code, Some(0 | 1)), "{:?}\n{}", outcome.code, outcome.said());
    let line = |part: &str| outcome.stderr.lines().position(|line| line.contains(part));
    let (ahead, removed) = (line("188 MB"), line("files-50MiB-u4096"));
    assert!(ahead.is_some() && removed > ahead, "{}", outcome.said());
    let left = names(&mount);
    assert!(!left.contains(&"files-50MiB-u4096".to_owned()), "{left:?}");
    for stays in ["files-150MiB-u4096", "files-1MiB-u4096"] {
        assert!(left.contains(&stays.to_owned()), "{left:?}");
    }
}

#[test]
fn forecast_is_shown_before_the_start_but_not_in_json() {
    let _turn = my_turn();
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let mix = Verb::on("mix", &target)
        .with(&["--workers", "1", "--file-size", "4MiB", "--buffered", "--writes", "50"])
        .with(&["--warmup", "0s", "--duration", "200ms"]);
    let outcome = mix.run_plain().expect_code(0);
    let line = outcome.stderr.lines().find(|line| line.starts_with("mix: "));
    assert!(line.is_some_and(|line| line.contains(" 1 s") && line.contains("4.19 MB")), "{}", outcome.said());
    for outcome in [mix.run(), mix.with(&["--quiet"]).run_plain()] {
        assert!(!outcome.stderr.contains("Takes"), "{}", outcome.said());
    }
    let players = Verb::on("streams", &target).with(&[
        "--format",
        SMALL.id,
        "--clip",
        "1s",
        "--buffered",
        "--warmup",
        "0s",
        "--duration",
        "200ms",
    ]);
    let outcome = players.run_plain();
    assert!(!outcome.stderr.contains("Takes"), "short, and writes next to nothing: {}", outcome.said());
    assert!(text(&players.run().json(), "outcome") == "complete");
}
