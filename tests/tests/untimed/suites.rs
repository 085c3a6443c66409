//! Suites: selected workloads, their tables and page, a comparison of several, and every figure as an
//! independent script computes it from the logs.

use std::path::PathBuf;

use reelgauge_tests::binary;
use reelgauge_tests::console::Console;
use reelgauge_tests::proof::Proof;
use reelgauge_tests::python;
use reelgauge_tests::run_dir::{at, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::tree::tree;
use serde_json::Value;

const TAGS: [&str; 3] = ["one", "two", "three"];

const WORKLOADS: &str = "hint-stream-1mib,mine,4k-random-read-qd1,128k-sequential-write-qd32";

/// Runs these workloads into a folder with this tag. Returns the suite's directory.
fn suite(scratch: &Scratch, tag: &str) -> PathBuf {
    let (target, runs) = (scratch.dir(&format!("target-{tag}")), scratch.dir(&format!("runs-{tag}")));
    let words = ["run", "naspt", "--workloads", WORKLOADS, "--access-time", "1s", "--batch", "3", "--quiet"];
    let own = scratch.path().join("own");
    let output = std::process::Command::new(binary::path())
        .args(words)
        .args(["--tag", tag, "--target", target.to_str().unwrap(), "--out", runs.to_str().unwrap()])
        .env("REELGAUGE_TRACES", &own)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let folder = std::fs::read_dir(&runs).unwrap().next().unwrap().unwrap().path();
    assert!(folder.join("suite.json").exists());
    folder
}

#[test]
fn three_suites_have_the_figures_that_a_script_computes_from_their_logs() {
    let scratch = Scratch::new();
    let own = scratch.dir("own");
    binary::run(["traces", "hint-stream", "--out", own.join("mine").to_str().unwrap()]).expect_code(0);
    let suites = TAGS.map(|tag| suite(&scratch, tag));
    let [csv, html, text] = ["suites.csv", "suites.html", "suites.txt"].map(|name| scratch.path().join(name));
    let mut words: Vec<&str> = vec!["compare"];
    words.extend(suites.iter().map(|dir| dir.to_str().unwrap()));
    words.extend(["--csv", csv.to_str().unwrap(), "--html", html.to_str().unwrap()]);
    words.extend(["--out", text.to_str().unwrap()]);
    binary::run(words.iter().copied()).expect_code(0);
    let [one, two, three] = &suites;
    let counted = python::script("suite_figures.py", &[&csv, one, two, three]);
    // The value in the CSV file for a suite, a workload (or none) and a figure.
    let found = |label: &str, workload: &str, figure: &str, column: &str| -> f64 {
        let has = |row: &&Value, name: &str, wanted: &str| row[name].as_str().unwrap() == wanted;
        let is_it = |row: &&Value| {
            has(row, "label", label)
                && has(row, "workload", workload)
                && has(row, "figure", figure)
                && !row["group"].as_str().unwrap().starts_with("IOMeter, 2 workloads")
                && (!workload.is_empty() || row["group"].as_str().unwrap().starts_with("own traces"))
        };
        let row = counted["rows"].as_array().unwrap().iter().find(is_it);
        row.unwrap_or_else(|| panic!("{label} {workload} {figure}: {counted:#}"))[column]
            .as_str()
            .unwrap()
            .parse()
            .unwrap()
    };
    let within = |share: f64, one: f64, two: f64, what: &str| {
        assert!((one / two - 1.0).abs() < share, "{what}: {one} {two}");
    };
    // A pass lasts until the tool has seen the end of its last operation, which is not in the log.
    let from_log = |suite: usize, what: &str, one: f64, two: &Value| {
        within(0.02, one, two.as_f64().unwrap(), &format!("{what} of suite {suite}"));
    };
    let median = |label: &str, workload: &str| found(label, workload, "median", "bytes_per_s");
    for (at, label) in TAGS.iter().enumerate() {
        let of_log = &counted["suites"][at];
        for workload in WORKLOADS.split(',') {
            from_log(at, workload, median(label, workload), &of_log["medians"][workload]);
            let ratio = median(label, workload) / median(TAGS[0], workload);
            within(1e-9, found(label, workload, "median", "times_first"), ratio, workload);
        }
        for (mean, name) in [("geometric mean", "geometric"), ("arithmetic mean", "arithmetic")] {
            from_log(at, name, found(label, "", mean, "bytes_per_s"), &of_log[name]);
        }
        let [hints, mine] = ["hint-stream-1mib", "mine"].map(|name| median(label, name));
        within(1e-9, found(label, "", "arithmetic mean", "bytes_per_s"), (hints + mine) / 2.0, label);
        within(1e-9, found(label, "", "geometric mean", "bytes_per_s"), (hints * mine).sqrt(), label);
        let [hints, mine] =
            ["hint-stream-1mib", "mine"].map(|name| median(label, name) / median(TAGS[0], name));
        within(1e-9, found(label, "", "arithmetic mean", "times_first"), (hints + mine) / 2.0, label);
        within(1e-9, found(label, "", "geometric mean", "times_first"), (hints * mine).sqrt(), label);
    }
    // A document to hand over has its bars and the command that repeats it.
    let (site, document) = (scratch.path().join("site.toml"), scratch.path().join("document.html"));
    std::fs::write(&site, "[disks]\ncount = 12\n").unwrap();
    let words = ["report", one.to_str().unwrap(), "--document", site.to_str().unwrap()];
    binary::run(words.into_iter().chain(["--html", document.to_str().unwrap()])).expect_code(0);
    let document = std::fs::read_to_string(&document).unwrap();
    let again = format!("--workloads {WORKLOADS} --batch 3");
    for part in ["<rect", &again, "geometric mean"] {
        assert!(document.contains(part), "{part}");
    }
    // The page without JavaScript and the text have the same table.
    let (page, text) = (std::fs::read_to_string(&html).unwrap(), std::fs::read_to_string(&text).unwrap());
    let line = text.lines().find(|line| line.starts_with("hint-stream-1mib")).unwrap();
    assert!(page.contains(line), "{line}");
    assert!(text.contains("own traces, 2 workloads") && text.contains("IOMeter, 2 workloads"), "{text}");
}

/// A proof can have suites as passes, and the console shows them and the runs in them.
#[test]
fn a_proof_with_suites_is_made_and_its_suites_are_opened_in_the_console() {
    let scratch = Scratch::new();
    let (target, changed) = (scratch.dir("target"), scratch.path().join("changed"));
    let mut proof = Proof::of_a_file(&target, &changed);
    let front = proof.words.iter().position(|word| word == "--").unwrap();
    proof.words.truncate(front + 1);
    let suite =
        format!("run naspt --target {} --workloads 4k-random-read-qd1,hint-stream-1mib", target.display());
    proof.words.extend(format!("{suite} --access-time 200ms --batch 1").split(' ').map(str::to_owned));
    let ended = proof.run();
    // The change has no effect on the storage, so a gain would be noise.
    assert!(matches!(ended.code, Some(0 | 1)), "{}", ended.said());
    let printed = ended.json();
    assert_eq!(at(&printed, "complete"), true, "{printed:#}");
    let passes = at(&printed, "passes").as_array().unwrap();
    assert!(passes.len() >= 6, "{passes:?}");
    let figures: Vec<&str> = at(&printed, "conclusion.figures")
        .as_array()
        .unwrap()
        .iter()
        .map(|figure| text(figure, "figure"))
        .collect();
    assert!(!figures.is_empty(), "{printed:#}");
    let dir = PathBuf::from(text(&printed, "dir"));
    let screen = proof.other(&["report", text(&printed, "dir")]).expect_code(0).stdout;
    assert!(screen.contains("hint-stream-1mib"), "{screen}");
    assert!(!changed.exists() && !proof.has_undo());

    let console = Console::start(scratch.path(), dir.parent().unwrap());
    let name = dir.file_name().unwrap().to_str().unwrap();
    let page = console.client.get(&format!("/api/runs/{name}/proof")).expect(200).json();
    let shown = at(&page, "passes").as_array().unwrap();
    assert_eq!(shown.len(), passes.len());
    for pass in shown {
        let id = text(pass, "run");
        let entry = console.entry(id).unwrap_or_else(|| panic!("{id} is not in the list"));
        assert_eq!((text(&entry, "verb"), text(&entry, "suite")), ("suite", name));
        let suite =
            console.client.get(&format!("/api/runs/{}/suite", id.replace('/', "%2F"))).expect(200).json();
        for row in at(&suite, "rows").as_array().unwrap() {
            let run = console.entry(text(row, "run")).unwrap();
            assert_eq!(text(&run, "suite"), id);
            let page = format!("/api/runs/{}/page", text(row, "run").replace('/', "%2F"));
            console.client.get(&page).expect(200);
        }
    }
    let pair: Vec<String> = shown[..2].iter().map(|pass| text(pass, "run").replace('/', "%2F")).collect();
    let compared = format!("/api/suites/compare?run={}&run={}", pair[0], pair[1]);
    console.client.get(&compared).expect(200);
}

#[test]
fn wrong_workloads_are_refused_before_anything_is_touched() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let before = tree(&target, &[]);
    let on_target = ["--target", target.to_str().unwrap()];
    for (workloads, said) in
        [("nothing", "'nothing'"), ("naspt,HD?", "'HD?'"), ("naspt,[", "invalid pattern '['")]
    {
        let words = ["run", "naspt", "--workloads", workloads, on_target[0], on_target[1]];
        let refused = binary::run(words).expect_code(2);
        assert!(refused.stderr.contains(said), "{}", refused.said());
    }
    let words = ["run", "newsroom", "--workloads", "naspt", on_target[0], on_target[1]];
    let refused = binary::run(words).expect_code(2);
    assert!(refused.stderr.contains("--workloads"), "{}", refused.said());
    assert_eq!(tree(&target, &[]), before);
}
