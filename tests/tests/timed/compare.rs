//! `reelgauge compare`: real runs compared, on the terminal and for programs. A storage that was really
//! slowed down is worse, and a gate fails.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::programs::tool_with;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{self, at, number, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::verb::Verb;
use serde_json::Value;

/// Long enough for a run to determine its own noise.
const LONG_ENOUGH: &[&str] = &["--duration", "9s"];

/// A Python program that reads a JUnit file: every suite with its cases and their outcomes.
const READ_JUNIT: &str = "\
import json, sys, xml.etree.ElementTree as tree
outcome = lambda case: ([part.tag for part in case] + ['passed'])[0]
print(json.dumps([{
    'name': suite.get('name'), 'tests': int(suite.get('tests')), 'failures': int(suite.get('failures')),
    'skipped': int(suite.get('skipped')),
    'cases': [[case.get('classname'), case.get('name'), outcome(case)] for case in suite.iter('testcase')],
} for suite in tree.parse(sys.argv[1]).getroot().iter('testsuite')]))";

/// Compares these runs, with flags without blanks.
#[track_caller]
fn compare(runs: &[PathBuf], flags: &str) -> Outcome {
    let mut words: Vec<OsString> = vec!["compare".into()];
    words.extend(runs.iter().map(OsString::from));
    words.extend(flags.split_whitespace().map(OsString::from));
    binary::run(words)
}

/// The row of a figure of the only load point, or of the whole run.
#[track_caller]
fn row<'a>(comparison: &'a Value, figure: &str) -> &'a Value {
    let rows = at(comparison, "rows").as_array().unwrap();
    let is_it = |row: &&Value| at(row, "figure") == figure;
    rows.iter().find(is_it).unwrap_or_else(|| panic!("no {figure} in\n{comparison:#}"))
}

#[track_caller]
fn junit(file: &Path) -> Value {
    let read = tool_with(&["/usr/bin/python3", "-c", READ_JUNIT, file.to_str().unwrap()]);
    serde_json::from_str(&read.unwrap_or_else(|why| panic!("{why}"))).unwrap()
}

/// Two identical runs, one after the other.
fn two_runs(flags: &[&str]) -> (Scratch, [Mix; 2], Vec<PathBuf>) {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let mixes = [(), ()].map(|()| Mix::on(&target).with(&["--buffered"]).with(flags));
    for mix in &mixes {
        mix.measure();
    }
    let dirs = mixes.iter().map(|mix| mix.run_dir()).collect();
    (scratch, mixes, dirs)
}

#[test]
fn two_identical_runs_are_compared_in_every_format() {
    require!(Need::SystemPython("xml.etree.ElementTree"));
    let _turn = my_turn();
    let (scratch, _mixes, runs) = two_runs(LONG_ENOUGH);
    let comparison = compare(&runs, "--json").expect_code(0).json();
    for (index, run) in runs.iter().enumerate() {
        let summary = run_dir::summary(run);
        let own = |path: &str| number(&summary, &format!("load_points.0.{path}"));
        // A busy host delays Reelgauge itself, and then the noise of a tail is unknown. The noise of
        // these figures is known.
        for figure in ["total.read_bytes_per_s", "total.response.write.p50_us", "total.data_ops_per_s"] {
            let row = row(&comparison, figure);
            assert_eq!(number(row, &format!("values.{index}")), own(figure), "{figure}");
            assert_eq!(at(row, "values").as_array().unwrap().len(), 2);
            assert!(number(row, "noise_percent.1") > 0.0, "nine seconds tell the noise: {row:#}");
        }
        assert_eq!(text(&comparison, &format!("runs.{index}.verb")), "mix");
    }
    let read = row(&comparison, "total.read_bytes_per_s");
    assert_eq!((text(read, "judgement.0"), at(read, "change_percent.0")), ("base", &Value::Null));
    let [one, two] = [0, 1].map(|run| number(read, &format!("values.{run}")));
    assert!((number(read, "change_percent.1") - (two / one - 1.0) * 100.0).abs() < 1e-6, "{read:#}");

    let screen = compare(&runs, "").expect_code(0).stdout;
    assert!(
        screen.contains("read, MB/s") && screen.contains("run 2") && screen.contains("noise"),
        "{screen}"
    );
    // For programs each text has its unit, and the label that of the values.
    let told = text(read, "texts.1").strip_suffix(" MB/s").unwrap();
    assert!(screen.contains(told), "{screen}");
    assert_eq!(text(read, "label"), "read, bytes/s");
    assert!(binary::too_wide(&screen, 100).is_empty(), "{screen}");
    assert!(compare(&runs, "--all").stdout.lines().count() > screen.lines().count());

    let markdown = compare(&runs, "--markdown --all").expect_code(0).stdout;
    // The figures. A separate table of the systems follows.
    let is_row = |line: &&str| line.starts_with('|');
    let table: Vec<&str> = markdown.lines().skip_while(|line| !is_row(line)).take_while(is_row).collect();
    assert_eq!(table.len(), 2 + at(&comparison, "rows").as_array().unwrap().len(), "{markdown}");
    assert!(table.iter().all(|line| line.matches('|').count() == table[0].matches('|').count()));

    let file = scratch.path().join("compare.xml");
    let flags = format!("--junit --threshold 1000000 --out {}", file.display());
    assert_eq!(compare(&runs, &flags).expect_code(0).stdout, "");
    let suites = junit(&file);
    let cases = at(&suites, "0.cases").as_array().unwrap();
    assert_eq!(
        (cases.len() as u64, at(&suites, "0.failures")),
        (number(&suites, "0.tests") as u64, &0.into())
    );
    assert!(cases.iter().any(|case| case[1] == "total.read_bytes_per_s"), "{suites:#}");
}

#[test]
fn a_storage_that_was_slowed_down_is_worse() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    require!(Need::SystemPython("xml.etree.ElementTree"));
    let _turn = my_turn();
    let faulty = Faulty::mount();
    let mixes = [24_000_000, 12_000_000].map(|bytes_per_s| {
        faulty.faults().limit_bytes_per_s(bytes_per_s);
        let mix = Mix::flat_out_on(&faulty.path()).with(LONG_ENOUGH).with(&["--file-size", "4MiB"]);
        mix.measure();
        mix
    });
    let [before, after] = mixes.each_ref().map(|mix| mix.run_dir());
    let runs = [before.clone(), after.clone()];
    let comparison = compare(&runs, "--json").expect_code(0).json();
    let both = row(&comparison, "total.data_ops_per_s");
    assert_eq!(text(both, "judgement.1"), "worse", "{both:#}");

    let scratch = Scratch::new();
    let file = scratch.path().join("compare.xml");
    let gate = format!("--threshold 5 --figure total.data_ops* --junit --out {}", file.display());
    let fallen = compare(&runs, &gate).expect_code(1);
    assert!(fallen.stderr.contains(" 5 %"), "{}", fallen.said());
    let suites = junit(&file);
    assert_eq!(at(&suites, "0.cases.0.2"), "failure", "{suites:#}");
    assert_eq!((at(&suites, "0.tests"), at(&suites, "0.failures")), (&1.into(), &1.into()));
    // This threshold allows a loss of half. In the other order it is a gain.
    compare(&runs, "--threshold 90 --figure total.data_ops_per_s").expect_code(0);
    let gained = compare(&[after, before], "--threshold 5 --figure total.data_ops_per_s").expect_code(0);
    assert!(gained.stdout.contains("better"), "{}", gained.stdout);
}

/// Recorders of a format of a known rate, with a second of buffer.
fn recorders(target: &Path, duration: &str) -> Verb {
    Verb::on("streams", target)
        .with(&["--actor", "recorder", "--format", SMALL.id, "--buffer", "25frames", "--count", "3"])
        .with(&["--policy", "drop", "--buffered", "--warmup", "500ms", "--duration", duration, "--seed", "7"])
}

#[test]
fn an_incident_is_found_and_fails_a_gate() {
    require!(Need::Root, Need::Tool("fsfreeze"), Need::FileSystem("ext4"));
    let (_turn, disk) = (my_turn(), TempMount::image(ImageKind::Ext4, 512));
    // The disturbed run may end late. The longest calm period must come from a longer calm, so the calm
    // run lasts longer.
    let [calm, struck] = ["9s", "7s"].map(|duration| recorders(disk.path(), duration));
    let calm_summary = calm.measure();
    let mut running = struck.start();
    struck.until_measuring(&mut running);
    std::thread::sleep(Duration::from_secs(2));
    let frozen = disk.freeze();
    std::thread::sleep(Duration::from_millis(2_500));
    drop(frozen);
    let struck_summary = running.wait(Duration::from_secs(60)).expect_code(1).json();

    let runs = [calm.run_dir(), struck.run_dir()];
    let comparison = compare(&runs, "--json").expect_code(0).json();
    let late = row(&comparison, "streams.total.late_frames");
    for (index, summary) in [calm_summary, struck_summary].iter().enumerate() {
        let own = number(summary, "load_points.0.streams.total.late_frames");
        assert_eq!(number(late, &format!("values.{index}")), own);
    }
    assert_eq!(number(late, "values.0"), 0.0, "nothing stood still in the first run");
    assert_eq!(text(late, "judgement.1"), "worse", "{late:#}");
    let incidents = number(row(&comparison, "streams.incidents"), "values.1");
    assert!((1.0..3.0).contains(&incidents), "three streams and one cause: {incidents}");
    let said = text(&comparison, "sentences.0.text");
    let frames = number(late, "values.1");
    assert!(said.contains(&format!("{frames} of ")) && said.contains("3 streams"), "{said}");

    // For any threshold and any selection of figures.
    for gate in ["--threshold 5 --figure streams.*", "--threshold 100000 --figure streams.total.late_frames"]
    {
        let fallen = compare(&runs, gate).expect_code(1);
        assert!(fallen.stderr.contains("streams.total.late_frames"), "{gate}: {}", fallen.said());
    }
    let gained = [runs[1].clone(), runs[0].clone()];
    compare(&gained, "--threshold 5 --figure streams.*").expect_code(0);
    // A run compared with itself proves nothing, and the amount that three recorders write is fixed by
    // the request.
    let itself = [runs[0].clone(), runs[0].clone()];
    for (runs, figure) in
        [(&itself[..], "streams.total.late_frames"), (&gained[..], "total.written_bytes_per_s")]
    {
        let told = compare(runs, &format!("--threshold 5 --figure {figure}")).expect_code(2);
        assert!(told.stderr.contains("--threshold"), "{}", told.said());
    }
    let narrow = compare(&runs, "").expect_code(0).stdout;
    assert!(binary::too_wide(&narrow, 100).is_empty(), "{narrow}");
}

#[test]
fn different_counts_and_workloads_are_distinguished() {
    let _turn = my_turn();
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let players = |count: &str| {
        Verb::on("streams", &target)
            .with(&["--actor", "player", "--format", SMALL.id, "--count", count, "--buffered"])
            .with(&["--clip", "2s", "--warmup", "500ms", "--duration", "2s", "--criteria", "late=none"])
    };
    let [two, four] = [players("2"), players("4")];
    for verb in [&two, &four] {
        verb.measure();
    }
    let counts = [two.run_dir(), four.run_dir()];
    let comparison = compare(&counts, "--json").expect_code(0).json();
    assert_eq!(text(&comparison, "runs.1.kinship"), "other_counts");
    let said = compare(&counts, "").expect_code(0).words();
    assert!(said.contains("2 streams") && said.contains('4'), "{said}");
    assert!(!said.contains("read, MB/s"), "twice the players ask for twice as much\n{said}");

    let mix = Mix::on(&target).with(&["--buffered", "--duration", "1s"]);
    mix.measure();
    let work = [two.run_dir(), mix.run_dir()];
    let said = compare(&work, "").expect_code(0).words();
    assert!(said.starts_with("Result:"), "{said}");
    assert!(!said.contains("better") && !said.contains("WORSE"), "{said}");
    let gate = compare(&work, "--threshold 5").expect_code(2);
    assert!(gate.stderr.contains("--threshold"), "{}", gate.said());
}

#[test]
fn incomparable_runs_are_refused() {
    let (scratch, _mixes, runs) = two_runs(&["--duration", "1s"]);
    let refused = |runs: &[PathBuf], flags: &str, why: &str| {
        let refused = compare(runs, flags).expect_code(2);
        assert!(refused.stderr.contains(why) && refused.stdout.is_empty(), "{flags}: {}", refused.said());
    };
    // One second is too short to know the noise, and a gate without a judgement passes nothing.
    let unknown = compare(&runs, "--figure total.read*").expect_code(0);
    assert!(unknown.words().contains("unknown"), "{}", unknown.stdout);
    let gate = compare(&runs, "--threshold 5").expect_code(2);
    assert!(gate.stderr.contains("--threshold"), "{}", gate.said());

    refused(&runs[..1], "", "two runs");
    refused(&vec![runs[0].clone(); 9], "", "more");
    refused(&runs, "--figure total.weather", "matches no figure");
    refused(&runs, "--repeats 2", "groups of 2");
    refused(&runs, "--threshold=-1", "percentage");
    refused(&runs, "--json --junit", "cannot be used with");
    refused(&[runs[0].clone(), scratch.dir("empty")], "", "empty");
    let trace = scratch.path().join("trace");
    binary::run(["traces", "far-write", "--out", trace.to_str().unwrap()]).expect_code(0);
    refused(&[runs[0].clone(), trace], "", "reelgauge replay");
}
