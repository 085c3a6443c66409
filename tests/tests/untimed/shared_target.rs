//! Root on a target that another user owns or may write in: refused unless a flag permits it. Then the
//! target is accessed with the owner's rights, and the results are root's.

use std::ffi::OsString;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};

use reelgauge_tests::binary;
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::tree::tree;
use reelgauge_tests::verb::Verb;

const SOMEBODY: u32 = 4242;
const FLAG: &str = "--shared-target";

/// A folder of another user that only this user may access, below one that all may enter.
fn theirs(scratch: &Scratch, name: &str) -> PathBuf {
    let folder = scratch.dir(name);
    chown(&folder, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).unwrap();
    folder
}

fn recorders(target: &Path) -> Verb {
    let streams = Verb::on("streams", target).with(&["--actor", "recorder", "--format", SMALL.id]);
    streams.with(&["--count", "2", "--duration", "1s", "--warmup", "0s", "--clip", "1s"])
}

/// Every verb that writes to a target, without the flag for other owners. `trace` and `own_run` are runs
/// elsewhere.
fn verbs(
    scratch: &Scratch,
    target: &Path,
    (trace, own_run): (&Verb, &Mix),
) -> Vec<(&'static str, Vec<OsString>)> {
    assert!(matches!(trace.run().code, Some(0 | 1)));
    own_run.measure();
    let plan = own_run.run_dir().join("run.toml");
    let file = scratch.path().join("file");
    std::fs::write(&file, vec![7; 9 << 20]).unwrap();
    let extents: [&std::ffi::OsStr; 4] =
        ["extents".as_ref(), file.as_ref(), "--copy-to".as_ref(), target.as_ref()];
    vec![
        ("mix", Mix::on(target).words()),
        ("streams", recorders(target).words()),
        ("vda", Verb::on("vda", target).with(&["--points", "1", "--file-size", "2MiB"]).words()),
        ("check", Verb::on("check", target).words()),
        ("replay", Verb::on("replay", trace.run_dir()).operand(target).words()),
        ("run", Verb::on("run", &plan).with_path("--target", target).words()),
        ("extents", extents.map(OsString::from).to_vec()),
        ("doctor", vec!["doctor".into(), target.into(), "--probe".into()]),
        ("clean", vec!["clean".into(), target.into()]),
    ]
}

#[test]
fn root_refuses_another_owners_target_and_touches_nothing() {
    require!(Need::Root);
    let scratch = Scratch::new();
    let target = theirs(&scratch, "target");
    let trace = recorders(&scratch.dir("recorded"));
    let own_run = Mix::on(&scratch.dir("measured")).with(&["--duration", "1s"]);
    let verbs = verbs(&scratch, &target, (&trace, &own_run));
    // Creates something to clean.
    assert_eq!(binary::run(with_flag(Mix::on(&target).with(&["--duration", "1s"]).words())).code, Some(0));
    let before = tree(&target, &[]);
    for (verb, words) in verbs {
        let outcome = binary::run(words).expect_code(2);
        let said = &outcome.stderr;
        assert!(said.contains("user 4242") && said.contains(FLAG), "{verb}: {said}");
        assert!(tree(&target, &[]) == before, "{verb} changed something\n{}", outcome.said());
    }
}

fn with_flag(mut words: Vec<OsString>) -> Vec<OsString> {
    words.push(FLAG.into());
    words
}

#[test]
fn shared_target_files_belong_to_the_owner_and_results_to_root() {
    require!(Need::Root);
    let scratch = Scratch::new();
    for (number, driver) in ["threads", "uring"].into_iter().enumerate() {
        let target = theirs(&scratch, &format!("target-{number}"));
        let mix = Verb::from(Mix::on(&target).with(&["--verify", "--driver", driver, "--duration", "1s"]));
        let streams = recorders(&target).with(&["--driver", driver]);
        for verb in [mix, streams] {
            // Only root can enter it.
            std::fs::set_permissions(verb.runs(), PermissionsExt::from_mode(0o700)).unwrap();
            let outcome = binary::run(with_flag(verb.words()));
            assert!(matches!(outcome.code, Some(0 | 1)), "{}", outcome.said());
            let summary = outcome.json();
            assert_eq!(summary["outcome"], "complete");
            assert_eq!(summary["target"]["is_shared"], true);
            let notes = summary["notes"].to_string();
            assert!(notes.contains("(user 4242)"), "{notes}");
            assert_eq!(owners(&target), [SOMEBODY], "{driver}");
            assert_eq!(owners(verb.runs()), [0], "{driver}");
            assert!(verb.run_dir().join("report.html").exists() && summary["log"]["rows"].as_u64() > Some(0));
        }
        binary::run(with_flag(vec!["clean".into(), target.clone().into()])).expect_code(0);
        assert_eq!(std::fs::read_dir(&target).unwrap().count(), 0);
    }
}

/// The owners of the entries of a folder.
fn owners(folder: &Path) -> Vec<u32> {
    let found = tree(folder, &[]);
    assert!(found.len() > 3, "{found:?}");
    let mut owners: Vec<u32> =
        found.keys().map(|path| std::fs::symlink_metadata(folder.join(path)).unwrap().uid()).collect();
    owners.sort_unstable();
    owners.dedup();
    owners
}

#[test]
fn root_does_not_write_where_the_owner_may_not() {
    require!(Need::Root);
    let scratch = Scratch::new();
    let target = theirs(&scratch, "target");
    binary::run(with_flag(Mix::on(&target).with(&["--duration", "1s"]).words())).expect_code(0);
    // Owned by root, inside the owner's own area.
    let data = target.join("reelgauge-area/data");
    chown(&data, Some(0), Some(0)).unwrap();
    std::fs::set_permissions(&data, PermissionsExt::from_mode(0o755)).unwrap();
    let larger = Mix::on(&target).with(&["--duration", "1s", "--file-size", "17MiB"]);
    let outcome = binary::run(with_flag(larger.words()));
    assert!(matches!(outcome.code, Some(2 | 3)), "{}", outcome.said());
    assert!(outcome.stderr.contains("ermission"), "{}", outcome.said());
}
