//! Reading traces and runs: `reelgauge report` of a trace, and the listing of `reelgauge ops`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::run_dir::{at, count};
use reelgauge_tests::scratch::Scratch;
use serde_json::Value;

/// A trace of the library, written out.
fn trace(scratch: &Scratch, name: &str) -> PathBuf {
    let dir = scratch.path().join(name);
    binary::run(["traces", name, "--out", dir.to_str().unwrap()]).expect_code(0);
    dir
}

/// Runs a verb on a directory, with flags without blanks.
#[track_caller]
fn run(verb: &str, dir: &Path, flags: &str) -> Outcome {
    let words = [verb, dir.to_str().unwrap()].into_iter().chain(flags.split_whitespace());
    binary::run(words.collect::<Vec<_>>())
}

/// The operations that pass the flags' filters, as JSON.
#[track_caller]
fn ops(dir: &Path, flags: &str) -> Vec<Value> {
    let listed = run("ops", dir, &format!("--json {flags}")).expect_code(0).json();
    listed.as_array().unwrap().clone()
}

#[test]
fn operations_are_filtered_sorted_and_cut_off() {
    let scratch = Scratch::new();
    let dir = trace(&scratch, "hint-stream");
    let all = ops(&dir, "");
    assert_eq!(all.len(), 1796);
    assert!(all.is_sorted_by_key(|op| count(op, "issued_ns")));

    let part = ops(&dir, "--from 10ms --to 20ms");
    let times: Vec<u64> = part.iter().map(|op| count(op, "issued_ns")).collect();
    assert_eq!(times, (10..20).map(|ms| ms * 1_000_000).collect::<Vec<_>>());

    let writes = ops(&dir, "--kind write --kind sync");
    assert_eq!(writes.len(), 511 + 1024 + 1);
    let first = ops(&dir, "--kind write --sort offset --top 3");
    assert_eq!(first.iter().map(|op| count(op, "offset_bytes")).collect::<Vec<_>>(), [0, 65_536, 131_072]);
    let largest = ops(&dir, "--sort size --top 2");
    assert!(largest.iter().all(|op| at(op, "kind") == "read" && count(op, "done_bytes") == 262_144));
    assert_eq!(ops(&dir, "--sort service").len(), 20);
    assert_eq!(ops(&dir, "--min-service 1us"), Vec::<Value>::new());
    assert_eq!(ops(&dir, "--errors"), Vec::<Value>::new());
    assert_eq!(ops(&dir, "--stream 1"), Vec::<Value>::new());
    assert_eq!(at(&all[0], "open"), "write create truncate");
}

#[test]
fn files_are_chosen_by_pattern_in_every_folder() {
    let scratch = Scratch::new();
    let dir = trace(&scratch, "DirectoryCopyToNAS-synth");
    let report = run("report", &dir, "--json --top 2").expect_code(0).json();
    // The paper's figure for this workload (traces.md §5.2).
    assert_eq!(at(&report, "figures.sequential_percent"), 52.5);
    let path = at(&report, "files.0.path").as_str().unwrap();
    let name = path.rsplit('/').next().unwrap();
    let of_file = ops(&dir, &format!("--kind write --file *{name}"));
    assert!(!of_file.is_empty() && of_file.iter().all(|op| at(op, "file") == path), "{path}");
    let bytes: u64 = of_file.iter().map(|op| count(op, "done_bytes")).sum();
    assert_eq!(bytes, count(&report, "files.0.written_bytes"));
    assert_eq!(ops(&dir, "--file nothing-is-called-so*"), Vec::<Value>::new());
}

#[test]
fn csv_and_text_list_have_a_line_per_operation() {
    let scratch = Scratch::new();
    let dir = trace(&scratch, "hint-stream-1mib");
    let lines = |flags: &str| run("ops", &dir, flags).expect_code(0).stdout.lines().count();
    let all = ops(&dir, "").len();
    assert_eq!((lines("--csv"), lines("")), (all + 1, all + 1));
}

#[test]
fn closed_output_pipe_ends_quietly() {
    let scratch = Scratch::new();
    let dir = trace(&scratch, "far-write");
    for flags in ["", "--csv", "--json"] {
        let mut shell = Command::new("bash");
        shell.args(["-c", "\"$0\" ops \"$@\" | head -n 1; exit ${PIPESTATUS[0]}"]).arg(binary::path());
        let words = [dir.to_str().unwrap()].into_iter().chain(flags.split_whitespace());
        let ended = binary::start_by(shell, words.collect::<Vec<_>>()).wait(Duration::from_secs(60));
        let ended = ended.expect_code(0);
        assert_eq!((ended.stdout.lines().count(), ended.stderr.as_str()), (1, ""), "{flags}");
    }
}

#[test]
fn run_is_reported_as_a_trace() {
    let scratch = Scratch::new();
    let mix = Mix::on(&scratch.dir("target")).with(&["--buffered"]);
    let summary = mix.measure();
    let report = run("report", &mix.run_dir(), "--as-trace --json --top 1").expect_code(0).json();
    let total = at(&summary, "load_points.0.total");
    for (ours, its) in [
        ("ops", "ops"),
        ("failed_ops", "failed_ops"),
        ("warmup_ops", "warmup_ops"),
        ("read_bytes", "read_bytes"),
        ("written_bytes", "written_bytes"),
    ] {
        assert_eq!(count(&report, &format!("figures.{ours}")), count(total, its), "{ours}");
    }
    assert_eq!(at(&report, "files").as_array().unwrap().len(), 1);
    let slowest = &ops(&mix.run_dir(), "--sort service --top 1")[0];
    let all = ops(&mix.run_dir(), "");
    assert_eq!(all.iter().map(|op| count(op, "service_ns")).max(), Some(count(slowest, "service_ns")));
    assert!(all.is_sorted_by_key(|op| count(op, "issued_ns")), "workers are put in order");
}

#[test]
fn ineffective_or_contradictory_flags_are_refused() {
    let scratch = Scratch::new();
    let dir = trace(&scratch, "hint-stream");
    let mix = Mix::on(&scratch.dir("target")).with(&["--buffered"]);
    mix.measure();
    let nothing = scratch.dir("nothing");
    let run_dir = mix.run_dir();
    for (verb, path, flags, part) in [
        ("report", &dir, "--tables", "runs"),
        ("report", &run_dir, "--top 3", "--as-trace"),
        ("report", &run_dir, "--from 1s", "--as-trace"),
        ("ops", &dir, "--from 5s --to 2s", "--to "),
        ("ops", &dir, "--kind mmap", "open, read, write"),
        ("ops", &dir, "--file [", "--file"),
        ("ops", &dir, "--csv --json", "--json"),
        ("ops", &dir, "--top 0", "--top"),
        ("ops", &nothing, "", "nothing"),
    ] {
        let said = run(verb, path, flags).expect_code(2);
        assert!(said.stderr.contains(part), "{verb} {flags}\n{}", said.said());
        assert!(said.stdout.is_empty(), "{verb} {flags}\n{}", said.said());
    }
}

/// The log of a mix leads back to its profile. A copy and a paced player match none.
#[test]
fn profile_is_found_in_a_mix_log_and_not_in_other_logs() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let mix = Mix::on(&target).without("--workers").without("--duration").without("--length");
    let mix = mix.with(&["--buffered", "--workers", "2", "--duration", "2s", "--warmup", "0s"]);
    let mix = mix.with(&["--profile", "seq-read", "--max-length", "1MiB", "--blocks", "64KiB"]);
    mix.measure();
    let found = run("profile", &mix.run_dir(), "--json").expect_code(0).json();
    assert_eq!(at(&found, "likeness"), "same", "{found:#}");
    assert_eq!(
        (at(&found, "mix.writes.percent"), at(&found, "mix.random.percent")),
        (&0.0.into(), &0.0.into())
    );
    assert_eq!(at(&found, "mix.blocks_bytes"), &serde_json::json!([65_536]));
    let screen = run("profile", &mix.run_dir(), "").expect_code(0).words();
    assert!(screen.contains("Next: reelgauge mix PATH"), "{screen}");
    for name in ["cp-project", "exr-playback", "HDVideo_1Play"] {
        let screen = binary::run(["profile", name]).expect_code(1).words();
        assert!(!screen.contains("reelgauge mix "), "{name}: {screen}");
    }
}
