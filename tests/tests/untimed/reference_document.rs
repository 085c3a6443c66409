//! The document to hand over, made of real runs. It has their figures, names missing parts, and survives
//! a hostile site and hostile run directories.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::run_dir::{at, number};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::verb::Verb;

const SITE: &str = "[document]\ncustomer = \"Studio North\"\n\n[[part]]\nname = \"server\"\nmodel = \"FS2\"\n\n\
                    [disks]\ncount = 12\neach_mb_per_s = 180\n\n[system]\nprice = 745000\ncurrency = \"EUR\"\n";

/// Its results exist as long as the result of this function.
fn streams(scratch: &Scratch) -> Verb {
    let flags = ["--mbit-per-s", "20", "--fps", "25", "--count", "2", "--clip", "1s"];
    let verb = Verb::on("streams", scratch.dir("streams")).with(&flags);
    let verb = verb.with(&["--warmup", "0s", "--duration", "2s"]);
    let _ = verb.run().expect_end();
    verb
}

fn document(runs: &[&Path], site: &Path, html: &Path) -> Outcome {
    let mut words = vec![OsString::from("report")];
    words.extend(runs.iter().map(|run| run.as_os_str().to_owned()));
    words.extend([OsString::from("--document"), site.into(), OsString::from("--html"), html.into()]);
    binary::run(words)
}

#[test]
fn document_has_figures_plans_and_missing_facts() {
    let scratch = Scratch::new();
    let played = streams(&scratch);
    let streams = played.run_dir();
    let mix = Verb::on("mix", scratch.dir("mix")).with(&["--workers", "2", "--file-size", "8MiB"]);
    let mixed = mix.with(&["--warmup", "0s", "--duration", "2s"]);
    let figures = mixed.run().expect_end().json();
    let vda = Verb::on("vda", scratch.dir("vda")).with(&[
        "--points",
        "1..2",
        "--file-size",
        "4MiB",
        "--files",
        "2",
    ]);
    let vda = vda.with(&["--warmup", "0s", "--duration", "2s"]);
    let _ = vda.run().expect_end();
    let (site, html) = (scratch.path().join("site.toml"), scratch.path().join("document.html"));
    fs::write(&site, SITE).unwrap();
    let said = document(&[&streams, &mixed.run_dir(), &vda.run_dir()], &site, &html).expect_code(0).stdout;
    // The output states whether a Chromium made a PDF.
    assert!(said.starts_with("Document: ") && said.contains("\nPDF: "), "{said}");
    assert_eq!(said.contains("PDF not written"), !html.with_extension("pdf").exists(), "{said}");
    let page = fs::read_to_string(&html).unwrap();
    let rate = number(&figures, "load_points.0.total.bytes_per_s");
    for part in [
        "Studio North",
        "2 streams ",
        "VDA-like, ",
        "at least 2 streams",
        "EUR per stream",
        "at most 2,160 MB/s",
        "link_mbit_per_s in [server]",
        "reelgauge run /",
        "plan_version = 1",
        &format!(">{rate}</td>"),
        "Transfer rate",
        "Mean response time",
        "Late frames",
    ] {
        assert!(page.contains(part), "{part} is not in the document");
    }
    assert_eq!(at(&figures, "outcome"), "complete");
    assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("href="));
}

#[test]
fn invalid_site_exits_with_2_and_keeps_the_document() {
    let scratch = Scratch::new();
    let played = streams(&scratch);
    let streams = played.run_dir();
    let (site, html) = (scratch.path().join("site.toml"), scratch.path().join("document.html"));
    fs::write(&html, "before").unwrap();
    let missing = document(&[&streams], &site, &html).expect_code(2).said();
    assert!(missing.contains("doctor --ask"), "{missing}");
    for (text, why) in [
        ("[system]\nprice = -1\n".to_owned(), "price = -1 in [system]"),
        ("[system]\nprice = nan\n".to_owned(), "price = NaN in [system]"),
        ("[document]\ncolour = \"red\"\n".to_owned(), "unknown field `colour`"),
        (format!("x = {}", "[".repeat(50_000)), "cannot parse"),
        ("#".repeat(3 << 20), "64 KiB"),
    ] {
        fs::write(&site, text).unwrap();
        let said = document(&[&streams], &site, &html).expect_code(2).said();
        assert!(said.contains("site.toml") && said.contains(why), "{why}: {said:.500}");
    }
    fs::write(&site, SITE).unwrap();
    let said = document(&[&scratch.dir("empty")], &site, &html).expect_code(2).said();
    assert!(said.contains("empty"), "{said}");
    assert_eq!(fs::read_to_string(&html).unwrap(), "before");
    binary::run([OsString::from("report"), streams.clone().into(), streams.into()]).expect_code(2);
}

#[test]
fn a_hostile_run_directory_changes_no_element_and_never_blocks() {
    let scratch = Scratch::new();
    let played = streams(&scratch);
    let streams = played.run_dir();
    let (site, html) = (scratch.path().join("site.toml"), scratch.path().join("document.html"));
    fs::write(&site, SITE).unwrap();
    let evil = "</pre></section><script>alert(1)</script>\u{202e}<img src=x onerror=alert(1)>";
    let hosts = serde_json::json!([{"name": evil, evil: [evil, null], "deep": "["}]);
    fs::write(streams.join("hosts.json"), hosts.to_string()).unwrap();
    let plan = fs::read_to_string(streams.join("run.toml")).unwrap();
    fs::write(streams.join("run.toml"), format!("{plan}\n# {evil}\n")).unwrap();
    let summary = fs::read_to_string(streams.join("summary.json")).unwrap();
    let mut summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    summary["target"]["path"] = evil.into();
    summary["notes"] = serde_json::json!([evil]);
    fs::write(streams.join("summary.json"), summary.to_string()).unwrap();
    document(&[&streams], &site, &html).expect_code(0);
    let page = fs::read_to_string(&html).unwrap();
    assert!(!page.contains("<script") && !page.contains("<img") && !page.contains('\u{202e}'));
    assert!(page.contains("&lt;script&gt;"));
    // No process writes into this pipe.
    fs::remove_file(streams.join("hosts.json")).unwrap();
    let pipe = streams.join("hosts.json");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    document(&[&streams], &site, &html).expect_code(0);
    assert!(fs::read_to_string(&html).unwrap().contains("the client (hosts.json"));
}
