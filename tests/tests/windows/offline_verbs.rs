//! Verbs that measure nothing, and those that Windows cannot do.

use std::ffi::OsString;

use reelgauge_tests::binary;
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::wine;

#[test]
fn a_run_is_listed_exported_profiled_marked_and_shown_by_operation() {
    require!(Need::Windows);
    let scratch = Scratch::new();
    let mix =
        Mix::on(&scratch.dir("target")).with(&["--buffered", "--duration", "1s", "--max-delay", "40ms"]);
    let mix = mix.on_windows();
    let printed = mix.measure();
    let run = mix.run_dir().into_os_string();
    let listed = wine::run(["list".as_ref(), mix.runs().as_os_str(), "--json".as_ref()]).expect_code(0);
    assert!(
        listed.stdout.contains(mix.run_dir().file_name().unwrap().to_str().unwrap()),
        "{}",
        listed.said()
    );
    let ops = wine::run([OsString::from("ops"), run.clone(), "--json".into()]).expect_code(0).json();
    assert_eq!(ops.as_array().unwrap().len() as u64, count(&printed, "log.rows"));
    let log = scratch.path().join("fio.log");
    let words = ["export".into(), run.clone(), "--out".into(), log.clone().into()];
    wine::run(words).expect_code(0);
    assert!(std::fs::read_to_string(log).unwrap().lines().count() > 1);
    let profile = wine::run([OsString::from("profile"), run.clone(), "--json".into()]).expect_code(0).json();
    assert_eq!(at(&profile, "likeness"), "same", "{profile:#}");
    let words = ["mark".into(), run.clone(), "node 2 switched off".into(), "--at".into(), "500ms".into()];
    wine::run(words).expect_code(0);
    let marked = wine::run([OsString::from("report"), run, "--json".into()]).expect_code(0).json();
    assert_eq!(at(&marked, "marks.0.device"), "node 2 switched off", "{marked:#}");
}

#[test]
fn verbs_without_a_target_print_the_same_as_on_linux() {
    require!(Need::Windows);
    for words in [
        &["formats", "prores"][..],
        &["scenarios", "--json"],
        &["tune", "--for", "client-windows"],
        &["procedure", "ebu-study", "--show"],
        &["traces", "--table"],
        &["doctor", "--collect-script", "powershell"],
        &["completions", "powershell"],
        &["man"],
    ] {
        let (windows, linux) = (wine::run(words).expect_code(0), binary::run(words).expect_code(0));
        assert!(windows.stdout == linux.stdout, "{words:?}\n{}\nLinux:\n{}", windows.stdout, linux.stdout);
    }
}

#[test]
fn verbs_that_windows_cannot_do_are_refused() {
    require!(Need::Windows);
    let scratch = Scratch::new();
    std::fs::write(scratch.path().join("file"), "content").unwrap();
    for verb in ["record", "extents"] {
        wine::run([OsString::from(verb), scratch.path().join("file").into()]).expect_code(2);
    }
}
