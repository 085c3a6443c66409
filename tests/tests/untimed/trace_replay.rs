//! `reelgauge replay` through the binary: a run is a trace, its replay does the same, and so does the
//! replay of that. Invalid input is refused before anything is touched.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use reelgauge_tests::binary;
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::Need;
use reelgauge_tests::python;
use reelgauge_tests::refusal;
use reelgauge_tests::require;
use reelgauge_tests::run_dir;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::tree::tree;
use reelgauge_tests::verb::Verb;
use serde_json::Value;

/// Two workers that read and write for a second, with pauses.
fn recorded(scratch: &Scratch) -> Mix {
    let mix = Mix::on(&scratch.dir("recorded")).with(&["--buffered", "--duration", "1s", "--warmup", "0s"]);
    let mix = mix.with(&["--max-delay", "20ms", "--writes", "40"]);
    mix.measure();
    mix
}

fn replay(trace: &Path, target: &Path) -> Verb {
    Verb::on("replay", trace).operand(target)
}

fn streams(run: &Path) -> Value {
    python::script("operations_by_stream.py", &[run])
}

#[track_caller]
fn assert_alike(summary: &Value) {
    let pass = &summary["replay"]["passes"][0];
    assert_eq!((&pass["complete"], &pass["different_ops"]), (&true.into(), &0.into()), "{pass}");
}

#[test]
fn a_run_is_replayed_and_so_is_its_replay() {
    require!(Need::Python);
    let scratch = Scratch::new();
    let mix = recorded(&scratch);
    for driver in ["threads", "uring"] {
        let first = replay(&mix.run_dir(), &scratch.dir("first")).with(&["--driver", driver]);
        assert_alike(&first.measure());
        assert_eq!(streams(&first.run_dir()), streams(&mix.run_dir()));
        let second = replay(&first.run_dir(), &scratch.dir("second")).with(&["--pace", "max"]);
        assert_alike(&second.measure());
        assert_eq!(streams(&second.run_dir()), streams(&first.run_dir()));
    }
}

#[test]
fn its_plan_repeats_it_and_its_report_is_shown_again() {
    let scratch = Scratch::new();
    let mix = recorded(&scratch);
    let target = scratch.dir("target");
    let replay = replay(&mix.run_dir(), &target).with(&["--order", "serial", "--pace", "fixed:1ms"]);
    let summary = replay.measure();
    let again = scratch.dir("again");
    let words = [OsString::from("run"), replay.run_dir().join("run.toml").into(), "--json".into()];
    let words = words.into_iter().chain(["--out".into(), again.clone().into()]);
    let repeated = binary::run(words).expect_end().json();
    assert_alike(&repeated);
    for same in ["ops", "order", "pace", "trace_path"] {
        assert_eq!(repeated["replay"][same], summary["replay"][same], "{same}");
    }
    assert_eq!(repeated["seed"], summary["seed"]);
    let report = binary::run([OsString::from("report"), run_dir::only_in(&again).into()]).expect_code(0);
    assert!(report.words().contains("recorded result"), "{}", report.said());
    // All images were removed.
    let left = tree(&target, &[]);
    assert!(!format!("{left:?}").contains("scratch"), "{left:?}");
}

#[test]
fn a_batch_has_a_median_and_users_have_their_own_files() {
    let scratch = Scratch::new();
    let mix = recorded(&scratch);
    let replay = replay(&mix.run_dir(), &scratch.dir("target"));
    let replay = replay.with(&["--pace", "max", "--batch", "3", "--copies", "2", "--stagger", "10ms"]);
    let plain = replay.run_plain().expect_end();
    assert!(plain.words().contains("2 users in 3 passes"), "{}", plain.said());
    let json = std::fs::read_to_string(replay.run_dir().join("summary.json")).unwrap();
    let facts = &serde_json::from_str::<Value>(&json).unwrap()["replay"];
    let passes = facts["passes"].as_array().unwrap();
    let mut rates: Vec<f64> = passes.iter().map(|pass| pass["bytes_per_s"].as_f64().unwrap()).collect();
    rates.sort_by(f64::total_cmp);
    assert_eq!((rates.len(), facts["median_bytes_per_s"].as_f64()), (3, Some(rates[1])));
    assert!(passes.iter().all(|pass| pass["different_ops"] == 0 && pass["complete"] == true), "{facts}");
}

/// A trace of one read of 64 KiB, as fio has it.
fn one_read(scratch: &Scratch) -> PathBuf {
    let source = scratch.path().join("one.log");
    std::fs::write(&source, "fio version 3 iolog\n0 a.mov add\n0 a.mov open\n1 a.mov read 0 65536\n")
        .unwrap();
    let out = scratch.path().join("traces");
    let words = ["import", source.to_str().unwrap(), "--json", "--out", out.to_str().unwrap()];
    PathBuf::from(binary::run(words).expect_code(0).json()["dir"].as_str().unwrap())
}

#[test]
fn a_pause_between_the_starts_of_users_is_no_time_of_the_throughput() {
    let scratch = Scratch::new();
    let trace = one_read(&scratch);
    let of = |target: &str, flags: &[&str]| {
        let users = replay(&trace, &scratch.dir(target)).with(&["--copies", "3"]).with(flags);
        let summary = users.measure();
        let said = users.run_plain().words();
        (summary["plan"]["stagger"].clone(), summary["replay"]["passes"][0].clone(), said)
    };
    let (stagger, pass, _) = of("together", &["--pace", "max"]);
    assert_eq!(stagger, "0ms", "as fast as possible begins together");
    assert!(pass["span_s"].as_f64().unwrap() < 0.9, "{pass}");
    for (target, flags) in [
        ("max", &["--pace", "max", "--stagger", "1s"][..]),
        ("think", &["--pace", "think"]),
        ("fixed", &["--pace", "fixed:1ms"]),
    ] {
        let (stagger, pass, said) = of(target, flags);
        assert_eq!(stagger, "1s", "{target}");
        let figure = |name: &str| pass[name].as_f64().unwrap();
        assert!(figure("span_s") > 1.9 && figure("worked_s") < 0.9, "{target}: {pass}");
        let expected = 3.0 * 65_536.0 / figure("worked_s");
        assert!((figure("bytes_per_s") / expected - 1.0).abs() < 1e-6, "{target}: {pass}");
        assert!(said.contains("1 of 3 users"), "{target}: {said}");
    }
}

#[test]
fn contradictory_input_is_refused() {
    let scratch = Scratch::new();
    let mix = recorded(&scratch);
    let target = scratch.dir("target");
    let trace = mix.run_dir();
    for (flags, said) in [
        (&["--copies", "0"][..], "--copies"),
        (&["--batch", "0"], "--batch"),
        (&["--scale", "0"], "--scale"),
        (&["--pace", "max", "--scale", "2"], "--scale "),
        (&["--pace", "fixed:1ms", "--idle-cap", "1s"], "--idle-cap "),
        (&["--stagger", "1s"], "--stagger "),
        (&["--pace", "sometimes"], "fixed:5ms"),
        (&["--order", "any"], "resources"),
    ] {
        let mut words = vec![OsString::from("replay"), trace.clone().into(), target.clone().into()];
        words.extend(flags.iter().map(OsString::from));
        refusal::refused(&words, &target, said);
    }
    let no_trace = [OsString::from("replay"), target.clone().into(), target.clone().into()];
    refusal::refused(&no_trace, &target, "a trace");
}

#[test]
fn shipped_trace_is_replayed_by_name_with_only_its_input_prepared() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    // ffmpeg opens its output a second time and moves data within it: it reads only its own data.
    let shipped = replay(Path::new("faststart-rewrite"), &target).with(&["--pace", "max", "--batch", "2"]);
    let summary = shipped.measure();
    assert_eq!(summary["replay"]["passes"].as_array().unwrap().len(), 2);
    assert_alike(&summary);
    assert_eq!(summary["replay"]["prepared_files"], 1, "the transport stream");
    let plan = std::fs::read_to_string(shipped.run_dir().join("run.toml")).unwrap();
    assert!(plan.contains("trace = \"faststart-rewrite\""), "{plan}");
    let unknown = replay(Path::new("faststart"), &target).words();
    let refused = binary::run(unknown).expect_code(2);
    assert!(refused.stderr.contains("'faststart'"), "{}", refused.said());
}

#[test]
fn invalid_suite_is_refused_before_any_change() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let before = tree(&target, &[]);
    let on_target = ["--target", target.to_str().unwrap()];
    for (words, said) in [
        (&["run", "naspt"][..], "target"),
        (&["run", "naspt", "--scale", "2", on_target[0], on_target[1]], "--scale"),
        (&["run", "newsroom", "--batch", "3", on_target[0], on_target[1]], "'naspt'"),
        (&["run", "naspt", "--against", "nowhere", on_target[0], on_target[1]], "nowhere/suite.json"),
    ] {
        let refused = binary::run(words.iter().copied()).expect_code(2);
        assert!(refused.stderr.contains(said), "{}", refused.said());
    }
    assert_eq!(tree(&target, &[]), before);
}
