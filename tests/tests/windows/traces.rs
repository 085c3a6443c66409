//! Traces of other programs, reports and comparisons.

use std::ffi::OsString;
use std::path::Path;

use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::at;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::verb::Verb;
use reelgauge_tests::wine;

#[test]
fn a_process_monitor_file_is_imported_and_replayed() {
    require!(Need::Windows);
    let scratch = Scratch::new();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/procmon-clocks/finnish.csv");
    let words = ["import".into(), file.into_os_string(), "--json".into(), "--out".into()];
    let out = scratch.dir("traces").into_os_string();
    let trace = wine::run(words.into_iter().chain([out])).expect_code(0).json();
    assert_eq!(trace["malformed_lines"], 0, "{trace}");
    let replay = Verb::on("replay", trace["dir"].as_str().unwrap()).on_windows();
    let summary = replay.operand(scratch.dir("target")).measure();
    let pass = at(&summary, "replay.passes.0");
    assert_eq!((at(pass, "complete"), at(pass, "different_ops")), (&true.into(), &0.into()), "{pass:#}");
}

#[test]
fn runs_are_reported_and_compared() {
    require!(Need::Windows);
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let mixes = [(), ()].map(|()| Mix::on(&target).with(&["--buffered"]).on_windows());
    let printed = mixes.each_ref().map(|mix| mix.measure());
    let [first, second] = mixes.each_ref().map(|mix| mix.run_dir().into_os_string());
    let report = wine::run([OsString::from("report"), first.clone(), "--json".into()]).expect_code(0);
    assert_eq!(report.json(), printed[0]);
    let compared = wine::run([OsString::from("compare"), first, second, "--json".into()]).expect_code(0);
    assert!(!at(&compared.json(), "rows").as_array().unwrap().is_empty(), "{}", compared.said());
}
