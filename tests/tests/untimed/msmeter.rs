//! `fleet msmeter`: its scripts drive workers of the original meter. Their reports are kept, and missing
//! or impossible parts are reported.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use reelgauge_tests::binary::{self, Outcome, Running};
use reelgauge_tests::meter_worker::{Met, MeterWorker, Trait};
use reelgauge_tests::mounts::TempMount;
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;
use rustix::process::Signal;
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(60);
const SET: &str = "-p /mnt/x/a -n 1 -l 1024 -d 0 -w 50 -r 50 -v -f- -dio 0 -bn 2 -bs 7 11 0 0 0 0 0 0 0 0 0";

/// One test of so many workers and seconds.
fn one_test(name: &str, workers: usize, seconds: u32) -> String {
    let each = |what: &str| (0..workers).map(|at| format!("Cmd> {at}   {what}\n")).collect::<String>();
    format!(
        "Cmd> -1   Results C:\\tests\\{name}\n{}Cmd> -1   time {seconds}\n{}",
        each(SET) + &each("start"),
        each("pause")
    )
}

struct Session {
    running: Running,
    port: u16,
    runs: Scratch,
}

impl Session {
    fn start(script: &str, more: &[&str]) -> Session {
        let runs = Scratch::new();
        let out = runs.path().join("runs");
        Session::start_into(runs, &out, script, more)
    }

    fn start_into(runs: Scratch, out: &Path, script: &str, more: &[&str]) -> Session {
        let file = runs.path().join("night.txt");
        std::fs::write(&file, script).unwrap();
        // No other process takes the port before it is used.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let listen = format!("127.0.0.1:{port}");
        let always =
            ["fleet", "msmeter", file.to_str().unwrap(), "--root", "/mnt/x", "--listen", &listen, "--out"];
        let running = binary::start(always.iter().chain(&[out.to_str().unwrap()]).chain(more));
        Session { running, port, runs }
    }

    fn worker(&self, number: usize, of: Trait) -> MeterWorker {
        MeterWorker::connect(self.port, number, of)
    }

    /// Waits until this was printed on standard error.
    fn until_said(&mut self, what: &str) {
        let found = self.running.until(LIMIT, |running| running.stderr().contains(what));
        assert!(found.is_some(), "{what}: {}", self.running.stderr());
    }

    fn end(self, code: i32) -> (Outcome, PathBuf, Scratch) {
        let outcome = self.running.wait(LIMIT).expect_code(code);
        let found = std::fs::read_dir(self.runs.path().join("runs")).unwrap().next().unwrap().unwrap();
        (outcome, found.path(), self.runs)
    }
}

fn summary(dir: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(dir.join("summary.json")).unwrap()).unwrap()
}

/// Bytes and seconds of records, computed from their lines.
fn sums<'a>(records: impl Iterator<Item = &'a String>) -> (f64, f64) {
    let mut sums = (0.0, 0.0);
    for record in records {
        let fields: Vec<&str> = record.split(',').collect();
        let number = |at: usize| fields[at].parse::<f64>().unwrap();
        let mib = (number(2) / number(3)).floor() * number(3) / 1024.0;
        sums = (sums.0 + mib, sums.1 + mib / number(4));
    }
    sums
}

#[test]
fn every_record_of_a_ramp_is_kept_and_its_tables_are_those_of_the_records() {
    let script = format!("A ramp\n{}{}", one_test("one.csv", 1, 1), one_test("two.csv", 2, 1));
    let session = Session::start(&script, &[]);
    let workers = [session.worker(0, Trait::None), session.worker(1, Trait::None)];
    let (outcome, dir, runs) = session.end(0);
    let met: Vec<Met> = workers.into_iter().map(MeterWorker::met).collect();
    assert_eq!(met[0].messages, [SET, "start", "pause", SET, "start", "pause", "stop"]);
    assert_eq!(met[1].messages, [SET, "start", "pause", "stop"]);

    let summary = summary(&dir);
    let tests = summary["msmeter"]["tests"].as_array().unwrap();
    let of_test = |at: usize| tests[at]["figures"]["records"].as_u64().unwrap();
    let sent = met.iter().map(|met| met.records.len() as u64).sum::<u64>();
    assert_eq!(of_test(0) + of_test(1), sent);
    assert!(of_test(0) > 5 && of_test(1) > 5, "{tests:#?}");
    // The first worker runs its first test alone.
    let (one, rest) = met[0].records.split_at(of_test(0) as usize);
    for (test, records) in
        [(0, one.iter().collect::<Vec<_>>()), (1, rest.iter().chain(&met[1].records).collect())]
    {
        let (mib, seconds) = sums(records.into_iter());
        let cells = tests[test]["figures"]["cells"].as_array().unwrap();
        let all = cells.iter().find(|cell| cell["access"] == "all" && cell["block_kib"].is_null()).unwrap();
        let rate = all["rate_while_transferring_mib_per_s"].as_f64().unwrap();
        assert!((rate - mib / seconds).abs() < 1e-4, "{rate} {}", mib / seconds);
        assert_eq!(all["bytes"].as_f64().unwrap(), mib * 1024.0 * 1024.0);
        // The rate of two clients by the clock is less than the sum of their rates while they transfer.
        let began = tests[test]["began_s"].as_f64().unwrap();
        let took = tests[test]["last_record_s"].as_f64().unwrap() - began;
        let by_the_clock = tests[test]["wall_clock_mib_per_s"].as_f64().unwrap();
        assert!((by_the_clock - mib / took).abs() < 1e-3, "{by_the_clock}");
    }

    // As the original wrote it, line by line.
    let text = std::fs::read_to_string(dir.join("text/02-two.csv")).unwrap();
    let of_second: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  1,")).collect();
    assert_eq!(of_second, met[1].records);
    assert!(text.contains(",Block size\nMode,1k,2k,"), "{text}");
    let csv = std::fs::read_to_string(dir.join("records.csv")).unwrap();
    assert_eq!(csv.lines().count() as u64, sent + 1);

    let screen = outcome.said();
    assert!(screen.contains("2 workers "), "{screen}");
    let again = binary::run(["report", dir.to_str().unwrap()]).expect_code(0);
    assert_eq!(again.stdout, outcome.stdout);
    let list = binary::run(["list", dir.parent().unwrap().to_str().unwrap()]).expect_code(0);
    assert!(list.said().contains("msmeter"), "{}", list.said());
    let page = std::fs::read_to_string(dir.join("report.html")).unwrap();
    assert!(page.contains("2 workers "));
    let compared = binary::run(["compare", dir.to_str().unwrap(), dir.to_str().unwrap()]).expect_code(2);
    assert!(compared.said().contains("msMeter"), "{}", compared.said());
    drop(runs);
}

#[test]
fn failed_workers_are_named_without_zero_figures() {
    let script = one_test("x.csv", 4, 4);
    let session = Session::start(&script, &[]);
    let traits = [Trait::StallsAfter(5), Trait::NoFiles, Trait::BreaksAfter(3), Trait::FailedReads];
    let workers: Vec<_> = traits.into_iter().enumerate().map(|(at, of)| session.worker(at, of)).collect();
    let (outcome, dir, _runs) = session.end(3);
    let met: Vec<Met> = workers.into_iter().map(MeterWorker::met).collect();
    let screen = outcome.said();
    assert!(screen.contains("Worker 2 (127.0.0.1) "), "{screen}");
    assert!(screen.contains("orker 1 ") && screen.contains("(1 time)"), "{screen}");
    assert!(screen.contains("100,000 MiB/s"), "{screen}");
    let summary = summary(&dir);
    let test = &summary["msmeter"]["tests"][0];
    assert_eq!(test["workers_without_records"], serde_json::json!([1]));
    // The records of two workers, without the one that counts failed reads.
    let counted = (met[0].records.len() + met[2].records.len()) as u64;
    assert_eq!(test["figures"]["records"].as_u64().unwrap(), counted);
    assert_eq!(test["figures"]["implausible_records"].as_u64().unwrap(), met[3].records.len() as u64);
    // Its latencies do not contain the stall; its silence does.
    let silence = &test["longest_silence"];
    assert!(silence["seconds"].as_f64().unwrap() >= 2.0, "{silence}");
    let gone: Vec<bool> = summary["msmeter"]["workers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.get("gone_s").is_some())
        .collect();
    assert_eq!(gone, [false, false, true, false]);
}

/// Its records and its connection are there, but part of its measurement is missing.
#[test]
fn a_worker_stalled_to_the_end_is_a_loss() {
    let session = Session::start(&one_test("x.csv", 2, 6), &[]);
    let workers = [session.worker(0, Trait::None), session.worker(1, Trait::StallsForGoodAfter(5))];
    let (outcome, dir, _runs) = session.end(3);
    let met: Vec<Met> = workers.into_iter().map(MeterWorker::met).collect();
    assert_eq!((met[1].records.len(), met[1].messages.last().unwrap().as_str()), (5, "stop"));
    assert!(outcome.words().starts_with("Result: Worker 1 hung "), "{}", outcome.said());
    assert!(!outcome.words().contains("Worker 0"), "{}", outcome.stdout);
    let stalled = summary(&dir)["msmeter"]["tests"][0]["stalled"].as_array().unwrap().clone();
    assert_eq!((stalled.len(), &stalled[0]["worker"]), (1, &Value::from(1)));
    assert!(stalled[0]["seconds"].as_f64().unwrap() > 3.0, "{stalled:?}");
}

/// An empty directory would be confusing later.
#[test]
fn unwritable_results_leave_no_directory() {
    require!(Need::Root, Need::FileSystem("tmpfs"));
    let full = TempMount::tmpfs(1);
    // Space for the directory, but not for a file in it.
    let fill = std::fs::write(full.path().join("fill"), vec![1; 2 << 20]);
    assert!(fill.is_err());
    let session = Session::start_into(Scratch::new(), full.path(), &one_test("x.csv", 1, 1), &[]);
    let worker = session.worker(0, Trait::None);
    let outcome = session.running.wait(LIMIT).expect_code(3);
    worker.met();
    assert!(outcome.said().contains("No space left"), "{}", outcome.said());
    let left: Vec<_> =
        std::fs::read_dir(full.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["fill"], "{}", outcome.said());
}

#[test]
fn ctrl_c_pauses_and_dismisses_workers_and_keeps_records() {
    let mut session = Session::start(&one_test("x.csv", 1, 3600), &[]);
    let worker = session.worker(0, Trait::None);
    session.until_said("MiB in this second");
    session.running.signal(Signal::INT);
    let (outcome, dir, _runs) = session.end(130);
    let met = worker.met();
    assert_eq!(met.messages, [SET, "start", "pause", "stop"]);
    let summary = summary(&dir);
    assert_eq!(summary["outcome"], "interrupted");
    let records = summary["msmeter"]["tests"][0]["figures"]["records"].as_u64().unwrap();
    assert_eq!(records, met.records.len() as u64);
    assert!(outcome.said().contains("interrupted"));
}

#[test]
fn a_killed_session_is_reported_as_unfinished_with_its_complete_tests() {
    let script = one_test("one.csv", 1, 1) + &one_test("two.csv", 1, 3600);
    let mut session = Session::start(&script, &[]);
    let worker = session.worker(0, Trait::None);
    session.until_said("Test two.csv.");
    session.running.signal(Signal::KILL);
    let found = session.running.until(LIMIT, Running::has_ended);
    assert!(found.is_some());
    // The worker ended because its connection broke.
    let met = worker.met();
    let dir = std::fs::read_dir(session.runs.path().join("runs")).unwrap().next().unwrap().unwrap().path();
    let told = binary::run(["report", dir.to_str().unwrap()]).expect_code(0).said();
    assert!(told.contains("killed"), "{told}");
    let summary = summary(&dir);
    let tests = summary["msmeter"]["tests"].as_array().unwrap();
    assert_eq!(tests.len(), 1);
    assert!(tests[0]["figures"]["records"].as_u64().unwrap() <= met.records.len() as u64);
}

#[test]
fn unlisted_clients_are_refused_and_the_script_continues() {
    let mut session = Session::start(&one_test("x.csv", 1, 1), &[]);
    session.until_said("Waiting at 127.0.0.1");
    let mut stranger = TcpStream::connect(("127.0.0.1", session.port)).unwrap();
    stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    session.until_said("Rejected 127.0.0.1: ");
    assert!(!matches!(stranger.read(&mut [0; 8]), Ok(count) if count > 0));
    let worker = session.worker(0, Trait::None);
    session.until_said("Test x.csv.");
    let mut late = TcpStream::connect(("127.0.0.1", session.port)).unwrap();
    late.write_all(b"hello\n\0").unwrap();
    session.until_said("the script had already begun");
    session.end(0);
    worker.met();
}

#[test]
fn scripts_with_outside_paths_are_refused_and_remote_workers_are_named() {
    let runs = Scratch::new();
    let file = runs.path().join("night.txt");
    let run = |script: &str, more: &[&str]| {
        std::fs::write(&file, script).unwrap();
        let always = ["fleet", "msmeter", file.to_str().unwrap(), "--root", "/mnt/x"];
        binary::run(always.iter().chain(more))
    };
    let area = runs.path().join("reelgauge-area/runs");
    std::fs::create_dir(area.parent().unwrap()).unwrap();
    let elsewhere = one_test("x.csv", 1, 1).replace("/mnt/x/a", "/mnt/x/../../etc");
    let said = run(&elsewhere, &[]).expect_code(2).said();
    assert!(said.contains("line 2: /mnt/x/../../etc") && said.contains("--root"), "{said}");
    let good = one_test("x.csv", 2, 90);
    let said = run(&good, &["--listen", "0.0.0.0:0"]).expect_code(2).said();
    assert!(said.contains("--peer"), "{said}");
    let said = run(&good, &["--out", area.to_str().unwrap(), "--wait", "1s"]).expect_code(2).said();
    assert!(said.contains("the area"), "{said}");
    let said = run(&good, &["--dry-run"]).expect_code(0).said();
    assert!(said.contains("2 workers, 1 test, 2 starts") && said.contains(" 90 s."), "{said}");
    assert!(said.contains("test000, test001"), "{said}");
    let said = run(&good, &["--listen", "127.0.0.1:0", "--wait", "1s"]).expect_code(2).said();
    assert!(said.contains("0 of 2 workers") && said.contains(" 1 s"), "{said}");
    std::fs::remove_dir(area.parent().unwrap()).expect("nothing lies in the area");
    assert_eq!(std::fs::read_dir(runs.path()).unwrap().count(), 1, "nothing was left behind");
}
