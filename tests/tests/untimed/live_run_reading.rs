//! Reading a run never harms it. A reader of a live run gets the log up to that moment, and the run
//! loses nothing.

#[path = "../../../fuzz/src/run_files.rs"]
mod run_files;

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use reelgauge_tests::binary;
use reelgauge_tests::programs::tool;
use reelgauge_tests::run_dir::{at, count, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::verb::Verb;

#[test]
fn reading_a_live_run_loses_nothing() {
    let scratch = Scratch::new();
    let players = ["--format", SMALL.id, "--count", "4", "--buffered", "--duration", "20s", "--warmup", "0s"];
    let verb = Verb::on("streams", scratch.dir("target")).with(&players);
    let mut running = verb.start();
    verb.until_measuring(&mut running);
    let run = verb.run_dir();
    let look = |verb: &str, more: &[&str]| {
        let words = [OsString::from(verb), run.clone().into()];
        binary::run(words.into_iter().chain(more.iter().map(OsString::from))).expect_code(0)
    };
    let mut rows = Vec::new();
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(1300));
        let seen = look("report", &["--json"]).json();
        assert_eq!(text(&seen, "outcome"), "running", "{:#}", at(&seen, "outcome_reason"));
        rows.push(count(&seen, "log.rows"));
        look("ops", &["--top", "3"]);
        let screen = look("report", &[]).words();
        assert!(screen.starts_with("Result: ") && screen.contains("running"), "{screen}");
        assert!(screen.contains(" MB/s") && !screen.contains("killed"), "{screen}");
    }
    assert!(rows.is_sorted() && rows[0] < rows[2], "{rows:?}");
    let summary = running.wait(Duration::from_secs(60)).expect_code(0).json();
    assert_eq!(text(&summary, "outcome"), "complete");
    assert_eq!(at(&summary, "log.complete"), true, "{:#}", at(&summary, "log"));
    assert_eq!(count(&summary, "log.dropped_to_histograms_ops"), 0);
    let ops = count(&summary, "load_points.0.total.ops");
    assert!(count(&summary, "log.rows") >= ops && ops > 0, "{:#}", at(&summary, "log"));
}

/// Findings of the fuzzer: files of a run in which pages contradict each other. The result is an error
/// or a remark on the screen, never a panic message of a library.
#[test]
fn damaged_files_of_a_run_end_as_an_error_and_not_in_a_library() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("fuzz");
    let scratch = Scratch::new();
    let mut looked_at = 0;
    for found in std::fs::read_dir(fuzz.join("corpus/runs")).unwrap() {
        let found = found.unwrap();
        let name = found.file_name().into_string().unwrap();
        if !name.starts_with("found-") {
            continue;
        }
        let input = std::fs::read(found.path()).unwrap();
        let run = scratch.path().join(&name);
        tool(&format!("cp -r {} {}", fuzz.join("template-run").display(), run.display()));
        // The first byte selects the file.
        let which = run_files::FILES[usize::from(input[0]) % run_files::FILES.len()];
        std::fs::write(run.join(which), &input[1..]).unwrap();
        let page = scratch.path().join("page.html");
        for more in [&["report"][..], &["report", "--as-trace"], &["ops"], &["report", "--html"]] {
            let mut words: Vec<OsString> = more.iter().map(OsString::from).collect();
            words.insert(1, run.clone().into());
            if more.contains(&"--html") {
                words.push(page.clone().into());
            }
            let outcome = binary::run(words);
            assert!(matches!(outcome.code, Some(0 | 2)), "{name} {more:?}: {}", outcome.said());
            assert!(!outcome.stderr.contains("panicked"), "{name} {more:?}: {}", outcome.said());
        }
        looked_at += 1;
    }
    assert!(looked_at > 0, "there is a damaged run to look at");
}
