//! Counters of a server, added to a client's run: on its clock, kept with it, judged by it. Also events
//! during the run, and the path to the disks.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use reelgauge_tests::binary;
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::TempMount;
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::programs::tool_with;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{only_in, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::sshfs::{self, Sshfs};
use rustix::process::Signal;
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(60);

fn small(target: &Path) -> Mix {
    Mix::on(target).with(&["--buffered", "--duration", "3s", "--file-size", "16MiB", "--warmup", "0s"])
}

/// The report of a run with an observer added.
fn report(run: &Path, more: &[&str]) -> binary::Outcome {
    binary::run(["report", run.to_str().unwrap(), "--json"].iter().chain(more))
}

fn steps(summary: &Value, list: &str) -> Vec<String> {
    let limit = &summary["load_points"][0]["limit"][list];
    limit.as_array().unwrap().iter().map(|step| step.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_watch_is_added_to_the_run_it_observed_and_kept_with_it() {
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let (sshfs, runs) = (Sshfs::mount(1000), Scratch::new());
    let out = runs.path().to_str().unwrap();
    let mut watch = binary::start(["watch", "--name", "nas1", "--json", "--quiet", "--out", out]);
    let has_begun = |_: &mut binary::Running| {
        let found = fs::read_dir(runs.path()).into_iter().flatten().flatten();
        found.into_iter().any(|run| run.path().join("counters/agent=nas1/part-000001.parquet").is_file())
    };
    assert!(watch.until(LIMIT, has_begun).is_some(), "{}", watch.stderr());
    let mix = small(sshfs.path());
    let by = sshfs.link().on_client(&binary::path().to_string_lossy());
    binary::start_by(by, mix.words()).wait(LIMIT).expect_code(0);
    watch.signal(Signal::INT);
    watch.wait(LIMIT).expect_code(0);
    let (run, watched) = (mix.run_dir(), only_in(runs.path()));
    let before = report(&run, &[]).expect_code(0).json();
    assert!(before.get("observers").is_none());
    assert!(steps(&before, "not_measured").contains(&"server_disk".to_owned()), "{before:#}");

    let beside = report(&run, &["--observer", watched.to_str().unwrap()]).expect_code(0);
    assert!(
        beside.stderr.contains("nas1, a watch") && beside.stderr.contains("--clock-offset"),
        "{}",
        beside.stderr
    );
    let after = beside.json();
    assert_eq!(text(&after["observers"][0], "name"), "nas1");
    assert!(!after["observers"][0]["is_offset_stated"].as_bool().unwrap());
    assert!(run.join("observers/agent=nas1/part-000001.parquet").is_file());
    // It stays with the run, on the page and on the terminal.
    let again = report(&run, &[]).expect_code(0).json();
    assert_eq!(text(&again["observers"][0], "name"), "nas1");
    let screen = binary::run(["report", run.to_str().unwrap()]).expect_code(0).words();
    assert!(screen.contains("Observer: nas1"), "{screen}");
    let kept: Value = serde_json::from_str(&fs::read_to_string(run.join("summary.json")).unwrap()).unwrap();
    assert_eq!(kept, after);
    assert!(fs::read_to_string(run.join("report.html")).unwrap().contains("nas1"));
}

#[test]
fn array_status_is_judged_and_unrelated_files_are_refused() {
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let (sshfs, folder) = (Sshfs::mount(1000), Scratch::new());
    let mix = small(sshfs.path());
    let by = sshfs.link().on_client(&binary::path().to_string_lossy());
    binary::start_by(by, mix.words()).wait(LIMIT).expect_code(0);
    let run = mix.run_dir();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let other =
        write("array.csv", "time,disk.util_percent sda\n2001-01-01T00:00:00Z,5\n2001-01-01T00:00:09Z,5\n");
    let refused = report(&run, &["--observer", &other]).expect_code(2);
    assert!(refused.stderr.contains("2001-01-01T00:00:09Z") && refused.stderr.contains("--clock-offset"));
    for (name, text) in [("x.csv", "nothing"), ("y.prom", "up 1\n")] {
        report(&run, &["--observer", &write(name, text)]).expect_code(2);
    }
    report(&run, &["--clock-offset", "1s"]).expect_code(2);
    assert!(!run.join("observers").exists(), "what was refused left nothing");
    // Seconds of a clock that is two hours ahead, throughout the run.
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs() + 7200;
    let lines: String = (0..90).rev().map(|ago| format!("{},3,0.5\n", now - ago)).collect();
    let table = write("array.csv", &format!("time,disk.util_percent sda,cache_hit_ratio\n{lines}"));
    report(&run, &["--observer", &table]).expect_code(2);
    let told = report(&run, &["--observer", &table, "--clock-offset", "2h"]).expect_code(0).json();
    assert_eq!(text(&told["observers"][0], "kind"), "csv");
    assert!(!steps(&told, "not_measured").contains(&"server_disk".to_owned()), "{told:#}");
}

#[test]
fn remount_during_the_run_is_a_mark() {
    require!(Need::Root, Need::Tool("mount"));
    let mount = TempMount::tmpfs(200);
    let mix = small(mount.path()).with(&["--duration", "6s", "--max-delay", "10ms"]);
    let mut running = mix.start();
    mix.until_measuring(&mut running);
    // Waits for a first sample.
    std::thread::sleep(Duration::from_secs(2));
    let place = mount.path().to_str().unwrap();
    tool_with(&["mount", "-o", "remount,size=201m", place]).unwrap();
    let summary = running.wait(LIMIT).expect_code(0).json();
    let marks = summary["marks"].as_array().cloned().unwrap_or_default();
    assert!(marks.iter().any(|mark| mark["kind"] == "remount"), "{marks:#?}");
    let screen = binary::run(["report", mix.run_dir().to_str().unwrap()]).expect_code(0).words();
    assert!(screen.contains("Mark: the mount "), "{screen}");
}

#[test]
fn site_is_asked_saved_with_runs_and_drawn() {
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let (scratch, sshfs) = (Scratch::new(), Sshfs::mount(1000));
    let mix = small(sshfs.path());
    let site = mix.runs().join("site.toml");
    let mut asked = Command::new(binary::path())
        .args(["doctor", "--ask", "--site"])
        .arg(&site)
        .current_dir(scratch.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    asked.stdin.take().unwrap().write_all(b"1G\n\n\nlots\n64G\nAcme 24\n").unwrap();
    let told = asked.wait_with_output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    assert!(String::from_utf8_lossy(&told.stderr).contains("a number above 0"), "'lots' is asked again");
    let written = fs::read_to_string(&site).unwrap();
    assert!(
        written.contains("link_mbit_per_s = 1000.0") && written.contains("model = \"Acme 24\""),
        "{written}"
    );

    let by = sshfs.link().on_client(&binary::path().to_string_lossy());
    let summary = binary::start_by(by, mix.words()).wait(LIMIT).expect_code(0).json();
    assert_eq!(fs::read_to_string(mix.run_dir().join("site.toml")).unwrap(), written);
    let hops = summary["path"]["hops"].as_array().unwrap();
    assert_eq!(hops[summary["path"]["lowest"].as_u64().unwrap() as usize]["kind"], "server_link");
    let screen = binary::run(["report", mix.run_dir().to_str().unwrap()]).expect_code(0).stdout;
    assert!(screen.contains("> server's link   1 Gbit/s: ") && screen.contains("118 MB/s"), "{screen}");
    assert!(screen.contains("  disks           unknown\n"), "{screen}");
    // Input that is not understood is reported with its place, and has no effect.
    fs::write(&site, "[server]\nspeed = \"fast\"\n").unwrap();
    let refused = binary::run(["doctor", "/", "--site", site.to_str().unwrap()]).expect_code(2);
    assert!(refused.stderr.contains("speed"), "{}", refused.stderr);
}

#[test]
fn two_hosts_in_one_prometheus_dump_are_two_observers() {
    let (target, folder) = (Scratch::new(), Scratch::new());
    let mix = small(target.path());
    binary::run(mix.words()).expect_code(0);
    let run = mix.run_dir();
    let make = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/b07-prometheus-two-machines/make.py");
    let made = Command::new("python3").arg(make).arg(&run).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let dump = folder.path().join("two.prom");
    fs::write(&dump, made.stdout).unwrap();
    let dump = dump.to_str().unwrap();
    let told = report(&run, &["--observer", dump]).expect_code(0).json();
    let names = |summary: &Value| -> Vec<String> {
        summary["observers"].as_array().unwrap().iter().map(|one| text(one, "name").to_owned()).collect()
    };
    assert_eq!(names(&told), ["nas1:9100", "ws7:9100"]);
    assert!(told["observers"].as_array().unwrap().iter().all(|one| one["samples"].as_u64() >= Some(2)));
    fs::remove_dir_all(run.join("observers")).unwrap();
    let told = report(&run, &["--observer", dump, "--observer-machine", "nas1"]).expect_code(0).json();
    assert_eq!(names(&told), ["nas1:9100"]);
    assert!(told["observers"][0]["not_read"][0].as_str().unwrap().ends_with(" ws7:9100"), "{told:#}");
    report(&run, &["--observer", dump, "--observer-machine", "nas2"]).expect_code(2);
}
