//! Plans of every kind of actor, read and written: byte for byte as in earlier versions, whose runs are
//! repeated from their `run.toml`. The same is true of error messages.

#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::Path;

use reelgauge_workload::scenario::scenarios;
use reelgauge_workload::streams::StreamsPlan;

const FOOTAGE: &str = "format = 'prores-422-hq-uhd-25'";
const SEQUENCE: &str = "format = 'dpx-10-bit-rgb-uhd-24'";
const PROFILE: &str = "mix = { profile = 'x', max_length = '8MiB', blocks = '1MiB', writes = 50, random = 0, \
                       max_delay = '0s', file_size = '16MiB', sync = 'none' }";

/// All settings of each kind, in different orders.
fn sound() -> Vec<String> {
    vec![
        format!("kind = 'player'\n{FOOTAGE}"),
        format!("kind = 'player'\nread_ahead = 'open'\npolicy = 'stall'\nbuffer = '12 frames'\nclip = '2s'\nfps = 24\n\
                 criteria = 'late=0,p99=40ms'\ncount = 3\n{FOOTAGE}"),
        format!("{FOOTAGE}\nbuffer = '12 frames'\nclip = '2s'\nfps = '29.97'\nkind = 'player'\ncount = 3"),
        "kind = 'player'\nown_format = { name = 'house mezzanine', mbit_per_s = 220, fps = 25 }\nclip = '1500ms'".into(),
        "kind = 'player'\nown_format = { name = 'frames', bytes_per_frame = 3000000, fps = '59.94', files = 'frames' }"
            .into(),
        "kind = 'player'\nlike = '/footage/a.mov'\nfps = 25\npolicy = 'drop'".into(),
        format!("kind = 'recorder'\n{FOOTAGE}"),
        format!("kind = 'recorder'\n{FOOTAGE}\nsync_every = '1s'\npreallocated = true\ncount = 2\nbuffer = '500ms'"),
        format!("kind = 'recorder'\n{SEQUENCE}\nbuffer = '1s'"),
        "kind = 'recorder'\nlike = '/footage/a.mov'\npreallocated = true".into(),
        format!("kind = 'editor'\n{FOOTAGE}"),
        "kind = 'editor'\ncameras = 9\nlike = '/footage/a.mov'\npolicy = 'drop'\ncriteria = 'late=2'".into(),
        format!("kind = 'transcoder'\n{FOOTAGE}"),
        "kind = 'transcoder'\nown_format = { name = 'x', mbit_per_s = 220.5, fps = 25 }\n\
         output_format = 'prores-422-proxy-hd-25'\nclip = '4s'"
            .into(),
        "kind = 'transcoder'\nlike = '/footage'\noutput_format = 'prores-422-proxy-hd-25'".into(),
        "kind = 'copier'".into(),
        "kind = 'copier'\nblock = '4MiB'\nfile_size = '512MiB'\ncriteria = 'errors=0'\ncount = 2".into(),
        "kind = 'camera'".into(),
        "kind = 'camera'\nfiles = 2\nops_per_s = 12.5\nfile_size = '8MiB'\ncount = 10".into(),
        "kind = 'companion'".into(),
        "kind = 'companion'\nfile_size = '8MiB'\nops_per_s = 2\nfiles = 3".into(),
        "kind = 'mix'".into(),
        "kind = 'mix'\nfile_size = '64MiB'\ncriteria = 'p99=40ms'".into(),
        format!("kind = 'mix'\n{PROFILE}\ncriteria = 'p99=40ms'"),
    ]
}

/// Every setting. A setting that a kind does not have is refused.
const SETTINGS: [&str; 17] = [
    FOOTAGE,
    "own_format = { name = 'x', mbit_per_s = 220, fps = 25 }",
    "like = 'x.mov'",
    "fps = 24",
    "output_format = 'prores-422-proxy-hd-25'",
    "clip = '10s'",
    "buffer = '1s'",
    "policy = 'drop'",
    "read_ahead = 'closed'",
    "sync_every = '1s'",
    "preallocated = false",
    "cameras = 4",
    "block = '1MiB'",
    "file_size = '1GiB'",
    "files = 11",
    "ops_per_s = 1.0",
    PROFILE,
];

/// One error each.
fn mistaken() -> Vec<String> {
    let with = |kind: &str, line: &str| format!("kind = '{kind}'\n{FOOTAGE}\n{line}");
    let mut cases = vec![
        FOOTAGE.to_owned(),
        "kind = 'dreamer'".into(),
        "kind = 5".into(),
        "kind = 'copier'\ncolour = 1".into(),
        "kind = 'player'".into(),
        "kind = 'recorder'".into(),
        "kind = 'editor'".into(),
        "kind = 'transcoder'".into(),
        with("player", "like = 'x.mov'"),
        with("player", "count = 0"),
        with("player", "count = -1"),
        with("player", "buffer = 5"),
        with("player", "buffer = '0s'"),
        with("player", "buffer = '36001frames'"),
        with("player", "clip = '0s'"),
        with("player", "policy = 'guess'"),
        with("player", "read_ahead = true"),
        with("player", "fps = 'soon'"),
        with("player", "output_format = 'prores-422-proxy-hd-25'"),
        with("recorder", "sync_every = '0s'"),
        with("recorder", "preallocated = 'yes'"),
        with("editor", "cameras = 0"),
        with("editor", "cameras = 65"),
        "kind = 'editor'\nlike = 'x.mov'\nclip = '10s'".into(),
        format!("kind = 'recorder'\n{SEQUENCE}\npreallocated = false"),
        "kind = 'copier'\nblock = '100B'".into(),
        "kind = 'copier'\nfile_size = '0B'".into(),
        "kind = 'copier'\nfile_size = '4KiB'".into(),
        "kind = 'camera'\nfile_size = '4KiB'".into(),
        "kind = 'companion'\nfile_size = '4KiB'".into(),
        "kind = 'camera'\nfiles = 0".into(),
        "kind = 'camera'\nfiles = 1025".into(),
        "kind = 'camera'\nops_per_s = 1e6".into(),
        "kind = 'companion'\nops_per_s = 0".into(),
        "kind = 'mix'\nfile_size = '64KiB'".into(),
        format!("kind = 'mix'\n{PROFILE}\nfile_size = '1GiB'"),
        format!("kind = 'mix'\n{}", PROFILE.replace("'none'", "'block'").replace("50", "0")),
        format!("kind = 'mix'\n{}", PROFILE.replace("writes = 50, ", "")),
    ];
    for line in ["direct = true", "files = 1", "shared_file = false", "no_repeat = false", "colour = 1"] {
        cases.push(format!("kind = 'mix'\n{}", PROFILE.replace("'none'", &format!("'none', {line}"))));
    }
    for kind in ["player", "recorder", "editor", "transcoder", "copier", "camera", "companion", "mix"] {
        let footage = match kind {
            "player" | "recorder" | "editor" | "transcoder" => FOOTAGE,
            _ => "count = 1",
        };
        let other = SETTINGS.iter().filter(|setting| **setting != footage);
        cases.extend(other.map(|setting| format!("kind = '{kind}'\n{footage}\n{setting}")));
    }
    cases
}

/// The written form of a plan with this actor, or the error message.
fn read_and_written(actor: &str) -> String {
    let text = format!("target = '/mnt/nas'\n\n[[actor]]\n{actor}\n");
    let plan = match StreamsPlan::from_toml(&text) {
        Ok(plan) => plan,
        Err(error) => return format!("error: {error}"),
    };
    let written = plan.to_toml().unwrap();
    assert_eq!(StreamsPlan::from_toml(&written).as_ref(), Ok(&plan), "{written}");
    let (_, actor) = written.split_once("[[actor]]\n").unwrap();
    actor.to_owned()
}

fn all(cases: &[String]) -> String {
    let mut text = String::new();
    for case in cases {
        writeln!(text, "---- {}\n{}", case.replace('\n', "\n     "), read_and_written(case).trim_end())
            .unwrap();
    }
    text
}

#[test]
fn every_kind_of_actor_is_written_as_ever() {
    insta::assert_snapshot!("actors", all(&sound()));
}

#[test]
fn plan_errors_are_unchanged() {
    insta::assert_snapshot!("mistakes", all(&mistaken()));
}

#[test]
fn every_scenario_is_written_as_ever() {
    let written = scenarios().iter().map(|scenario| scenario.plan().unwrap().to_toml().unwrap());
    insta::assert_snapshot!("scenarios", written.collect::<Vec<_>>().join("\n----\n"));
}

#[test]
fn plans_of_earlier_runs_are_read_and_written_as_they_are() {
    let runs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/runs-2ca8415");
    let mut labels = Vec::new();
    for run in std::fs::read_dir(runs).unwrap() {
        let path = run.unwrap().path().join("run.toml");
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if !text.contains("[[actor]]") {
            continue;
        }
        let plan = StreamsPlan::from_toml(&text).unwrap();
        let (_, written) = text.split_once('\n').unwrap();
        assert_eq!(plan.to_toml().unwrap(), written, "{}", path.display());
        labels.push(plan.label(1));
    }
    labels.sort_unstable();
    assert_eq!(labels, ["1 player", "1 player", "1 x vda-like", "2 recorders"]);
}
