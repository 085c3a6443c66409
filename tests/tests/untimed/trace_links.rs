//! Hard and symbolic links of a recorded program. Its replay creates them again and uses either name of
//! a file. Links from before the recording exist before the replay. A target without links is reported
//! once.

use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::recording::{Recording, listed, of_kind, ops, watch_into};
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::tree::tree;
use reelgauge_tests::verb::Verb;
use serde_json::Value;

/// Creates links, writes and reads by either name, replaces and removes names, and follows symbolic
/// links, both new and existing ones. Without the links, its reads would fail.
const PROGRAM: &str = r#"
import os
def put(name, data, mode):
    with open(name, mode, buffering=0) as file:
        file.write(data)
def get(name, size):
    with open(name, "rb", buffering=0) as file:
        assert len(file.read(1000000)) == size, name
os.chdir("$D")
put("new", b"n" * 3000, "wb")
os.link("new", "hard")
put("hard", b"h" * 500, "ab")
get("new", 3500)
put("new.tmp", b"t" * 100, "wb")
os.rename("new.tmp", "new")
get("hard", 3500)
os.unlink("hard")
put("new", b"", "wb")
os.mkdir("dir")
os.symlink("../new", "dir/soft")
put("dir/soft", b"s" * 77, "ab")
get("new", 77)
os.rename("dir/soft", "dir/softer")
assert os.readlink("dir/softer") == "../new"
os.symlink("/nowhere/at/all", "out")
os.unlink("out")
put("second", b"+" * 24, "ab")
get("first", 1024)
os.unlink("first")
get("second", 1024)
os.link("second", "third")
os.truncate("third", 10)
get("second", 10)
get("old-soft", 10)
"#;

/// Exchanges files and directories by name, and tries links onto existing names.
const EXCHANGES: &str = r#"
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
def exchange(one, two):
    done = libc.renameat2(-100, one.encode(), -100, two.encode(), 2)
    return 0 if done == 0 else ctypes.get_errno()
def put(name, data):
    with open(name, "wb", buffering=0) as file:
        file.write(data)
def get(name, size):
    with open(name, "rb", buffering=0) as file:
        assert len(file.read(1000000)) == size, name
def refused(make, *names):
    try:
        make(*names)
    except FileExistsError:
        return
    raise AssertionError(names)
os.chdir("$D")
assert exchange("first", "small") == 0
get("first", 10)
get("small", 1000)
put("new", b"n" * 300)
assert exchange("new", "first") == 0
get("first", 300)
get("new", 10)
assert exchange("new", "missing") == errno.ENOENT
os.mkdir("d")
put("d/x", b"x" * 20)
os.mkdir("e")
put("e/y", b"y" * 40)
assert exchange("d", "e") == 0
get("d/y", 40)
get("e/x", 20)
refused(os.link, "new", "small")
refused(os.symlink, "new", "small")
refused(os.symlink, "nowhere", "old-soft")
refused(os.link, "new", "d")
get("small", 1000)
"#;

fn program(dir: &Path) -> Vec<String> {
    text_for(PROGRAM, dir)
}

fn text_for(program: &str, dir: &Path) -> Vec<String> {
    let text = program.replace("$D", dir.to_str().unwrap());
    ["python3", "-S", "-E", "-c", &text].map(str::to_owned).to_vec()
}

/// One file with two names, and a link to it.
fn prepare(dir: &Path) {
    std::fs::write(dir.join("first"), [7; 1000]).unwrap();
    std::fs::write(dir.join("small"), [7; 10]).unwrap();
    std::fs::hard_link(dir.join("first"), dir.join("second")).unwrap();
    symlink("second", dir.join("old-soft")).unwrap();
}

fn recorded() -> (Recording, Value) {
    let recording = Recording::new();
    prepare(recording.dir());
    let printed = recording.run(&program(recording.dir()));
    (recording, printed)
}

fn kinds(ops: &[Value]) -> Vec<String> {
    let of = |op: &Value| op["kind"].as_str().unwrap().to_owned();
    let mut kinds: Vec<String> = ops.iter().map(of).filter(|kind| kind != "other").collect();
    kinds.sort();
    kinds
}

#[track_caller]
fn assert_alike(summary: &Value) {
    let pass = &summary["replay"]["passes"][0];
    assert_eq!((&pass["complete"], &pass["different_ops"]), (&true.into(), &0.into()), "{summary:#}");
}

#[test]
fn link_operations_are_replayed() {
    require!(Need::Fuse, Need::Root, Need::Tool("python3"));
    let (recording, printed) = recorded();
    let told = ops(&printed);
    let count = |kind: &str| of_kind(&told, kind).len();
    assert_eq!((count("link"), count("symlink")), (2, 2), "{told:#?}");
    let warned = printed.to_string();
    assert!(warned.contains("symbolic links"), "{warned}");
    assert_eq!(std::fs::metadata(recording.dir().join("second")).unwrap().nlink(), 2);
    for flags in
        [&["--driver", "threads"][..], &["--driver", "uring"], &["--order", "resources", "--pace", "max"]]
    {
        let target = Scratch::new();
        let replay =
            Verb::on("replay", printed["trace"].as_str().unwrap()).operand(target.path()).with(flags);
        let summary = replay.measure();
        assert_alike(&summary);
        assert_eq!(summary["replay"]["prepared_files"], 1, "{summary:#}");
        assert_eq!(kinds(&listed(replay.run_dir().to_str().unwrap())), kinds(&told), "{flags:?}");
        let again = Verb::on("replay", replay.run_dir()).operand(target.path()).with(&["--pace", "max"]);
        assert_alike(&again.measure());
        let left = format!("{:?}", tree(target.path(), &[]));
        assert!(!left.contains("scratch"), "{left}");
    }
}

/// Checks that three exchanges were done. So many exchanges and links were refused: the kernel does that
/// without asking a file system.
#[track_caller]
fn assert_exchanged(replayed: &[Value], refused_ones: usize, refused_links: usize) {
    let renames = of_kind(replayed, "rename");
    let refused = |ops: &[&Value]| ops.iter().filter(|op| !op["error"].is_null()).count();
    assert_eq!((renames.len(), refused(&renames)), (3 + refused_ones, refused_ones), "{renames:#?}");
    let links = [of_kind(replayed, "link"), of_kind(replayed, "symlink")].concat();
    assert_eq!((links.len(), refused(&links)), (refused_links, refused_links), "{links:#?}");
}

#[test]
fn rename_exchanges_and_existing_link_names_are_replayed() {
    require!(Need::Fuse, Need::Root, Need::Tool("python3"));
    let recording = Recording::new();
    prepare(recording.dir());
    let printed = recording.run(&text_for(EXCHANGES, recording.dir()));
    for driver in ["threads", "uring"] {
        let target = Scratch::new();
        let replay = Verb::on("replay", printed["trace"].as_str().unwrap()).operand(target.path());
        let replay = replay.with(&["--driver", driver]);
        let summary = replay.measure();
        assert_alike(&summary);
        assert!(
            summary["replay"]["not_replayed_ops"].as_object().is_none_or(|it| it.is_empty()),
            "{summary:#}"
        );
        assert_exchanged(&listed(replay.run_dir().to_str().unwrap()), 0, 0);
        // A replay can be replayed.
        let again = Verb::on("replay", replay.run_dir()).operand(target.path()).with(&["--pace", "max"]);
        assert_alike(&again.measure());
        assert_exchanged(&listed(again.run_dir().to_str().unwrap()), 0, 0);
    }
}

#[test]
fn exchanges_that_strace_saw_are_done_again() {
    require!(Need::Root, Need::Tool("strace"), Need::Tool("python3"));
    let scratch = Scratch::new();
    let dir = scratch.dir("media");
    prepare(&dir);
    let info = watch_into(&scratch, &dir, &text_for(EXCHANGES, &dir));
    let replay = Verb::on("replay", info["dir"].as_str().unwrap()).operand(scratch.dir("target"));
    assert_alike(&replay.measure());
    assert_exchanged(&listed(replay.run_dir().to_str().unwrap()), 1, 4);
}

/// The file system of the bed treats an exchange as a rename, and would lose a file.
#[test]
fn missing_rename_exchange_is_reported_once() {
    require!(Need::Tool("python3"));
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let recording = Recording::new();
    prepare(recording.dir());
    let printed = recording.run(&text_for(EXCHANGES, recording.dir()));
    let storage = Faulty::mount();
    let replay = Verb::on("replay", printed["trace"].as_str().unwrap()).operand(storage.path());
    let facts = &replay.measure()["replay"];
    assert_eq!(facts["not_replayed_ops"]["rename_exchange"], 3, "{facts:#}");
    let remarks = facts["remarks"].as_array().unwrap();
    let said = |it: &&Value| it.as_str().unwrap().contains("RENAME_EXCHANGE");
    assert_eq!(remarks.iter().filter(said).count(), 1, "{remarks:#?}");
}

#[test]
fn link_operations_from_strace_are_replayed() {
    require!(Need::Root, Need::Tool("strace"), Need::Tool("python3"));
    let scratch = Scratch::new();
    let dir = scratch.dir("media");
    prepare(&dir);
    let info = watch_into(&scratch, &dir, &program(&dir));
    let watched = listed(info["dir"].as_str().unwrap());
    let count = |kind: &str| of_kind(&watched, kind).len();
    assert_eq!((count("link"), count("symlink"), count("readlink")), (2, 2, 1), "{watched:#?}");
    assert!(info["warnings"].to_string().contains("symbolic links"), "{info}");
    // strace does not show that two names were one file before, so reads by the second name differ.
    let target = scratch.dir("target");
    let replay = Verb::on("replay", info["dir"].as_str().unwrap()).operand(&target);
    let pass = &replay.measure()["replay"]["passes"][0];
    assert_eq!(pass["complete"], true, "{pass:#}");
    let replayed = listed(replay.run_dir().to_str().unwrap());
    let errors = |kind: &str| of_kind(&replayed, kind).iter().filter(|op| !op["error"].is_null()).count();
    assert_eq!((errors("link"), errors("symlink"), errors("readlink"), errors("open")), (0, 0, 0, 0));
}

#[test]
fn missing_link_support_is_reported_once_and_the_rest_is_replayed() {
    require!(Need::Tool("python3"));
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let (_recording, printed) = recorded();
    let storage = Faulty::mount();
    let replay = Verb::on("replay", printed["trace"].as_str().unwrap()).operand(storage.path());
    let summary = replay.measure();
    let facts = &summary["replay"];
    assert_eq!(facts["passes"][0]["complete"], true, "{facts:#}");
    let left_out = facts["left_out"].to_string();
    assert!(left_out.contains("hard link"), "{left_out}");
    assert!(left_out.contains("symbolic link"), "{left_out}");
    let remarks = facts["remarks"].as_array().unwrap();
    let said = |what: &str| remarks.iter().filter(|said| said.as_str().unwrap().contains(what)).count();
    let said = (said("hard links"), said("symbolic links"));
    assert_eq!(said, (1, 1), "{remarks:#?}");
}
