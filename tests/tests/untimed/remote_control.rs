//! A run that is controlled through its standard input, as an agent of a fleet does it. It begins at the
//! commanded time, and stops its load without a controller.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use reelgauge_tests::binary;
use reelgauge_tests::mix::Mix;
use reelgauge_tests::run_dir::{at, count, number, summary, text};
use reelgauge_tests::scratch::Scratch;
use serde_json::{Value, json};

/// For messages that are slow only on a host in trouble.
const PATIENCE: Duration = Duration::from_secs(60);

/// The plan of a mix with these flags.
fn plan(scratch: &Scratch, flags: &[&str]) -> PathBuf {
    let target = scratch.dir("target");
    let mix = Mix::on(&target).with(&["--buffered", "--warmup", "0ms"]).without("--duration").with(flags);
    mix.measure();
    let plan = scratch.path().join("plan.toml");
    std::fs::copy(mix.run_dir().join("run.toml"), &plan).unwrap();
    plan
}

/// The same with this duration.
fn plan_of(scratch: &Scratch, duration: &str) -> PathBuf {
    let path = plan(scratch, &["--duration", "100ms"]);
    let text = std::fs::read_to_string(&path).unwrap().replace("\"100ms\"", &format!("\"{duration}\""));
    assert!(text.contains(&format!("\"{duration}\"")), "{text}");
    std::fs::write(&path, text).unwrap();
    path
}

/// A run that this test controls. Killed on drop.
struct Steered {
    child: Child,
    input: Option<ChildStdin>,
    words: Receiver<Value>,
    heard: Vec<Value>,
    _runs: Scratch,
}

impl Steered {
    fn start(plan: &Path) -> Steered {
        let runs = Scratch::new();
        let mut child = Command::new(binary::path())
            .args(["run", "--steered", "--out"])
            .arg(runs.path())
            .arg(plan)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (said, words) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let word = serde_json::from_str(&line).unwrap_or_else(|why| panic!("{why}: {line}"));
                if said.send(word).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Steered { child, input, words, heard: Vec::new(), _runs: runs }
    }

    fn tell(&mut self, order: &Value) {
        let line = format!("{order}\n");
        self.input.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }

    fn start_point(&mut self, point: u16, ahead_ms: i64) {
        let at_ns = machine_ns() + ahead_ms * 1_000_000;
        self.tell(&json!({"do": "start", "point": point, "at_machine_ns": at_ns}));
    }

    /// The next message of this kind. Optionally keeps the load alive until it arrives.
    #[track_caller]
    fn hear(&mut self, say: &str, holds: bool) -> Value {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if holds && self.input.is_some() {
                self.tell(&json!({"do": "hold", "for_ms": 5000}));
            }
            let Ok(word) = self.words.recv_timeout(Duration::from_millis(500)) else { continue };
            self.heard.push(word.clone());
            if word["say"] == say {
                return word;
            }
        }
        panic!("no '{say}' came: {:#?}", self.heard);
    }

    /// Its last message, and its results.
    #[track_caller]
    fn done(mut self, code: u64) -> (Value, Value) {
        let done = self.hear("done", false);
        assert_eq!(count(&done, "code"), code, "{:#?}", self.heard);
        let status = self.child.wait().unwrap();
        assert_eq!(status.code().map(i64::from), Some(code.cast_signed()));
        let summary = summary(Path::new(text(&done, "run_dir")));
        (done, summary)
    }
}

impl Drop for Steered {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The clock of the commanded start times.
fn machine_ns() -> i64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

#[test]
fn each_load_point_begins_once_at_the_commanded_time() {
    let scratch = Scratch::new();
    let plan = plan(&scratch, &["--sweep", "random=0..100 step 100", "--step", "200ms", "--writes", "50"]);
    let mut run = Steered::start(&plan);
    let hello = run.hear("hello", true);
    assert_eq!(text(&hello, "plan_sha256").len(), 64);
    assert_eq!(count(&run.hear("ready", true), "point"), 0);
    run.start_point(0, 900);
    run.start_point(0, 950);
    let skew_ns = at(&run.hear("started", true), "skew_ns").as_i64().unwrap();
    assert!(skew_ns >= 0, "it began before its time: {skew_ns}");
    assert_eq!(count(&run.hear("ready", true), "point"), 1);
    // A load point that is over, one that is too late, and one in time.
    run.start_point(0, 100);
    run.start_point(1, -60_000);
    let refused = run.hear("refused", true);
    assert_eq!((count(&refused, "point"), text(&refused, "why.is")), (1, "late"));
    run.start_point(1, 600);
    run.hear("point_over", true);
    let said = run.heard.clone();
    let (_, summary) = run.done(0);
    assert_eq!(at(&summary, "load_points").as_array().unwrap().len(), 2);
    assert_eq!(at(&summary, "load_points.0.start_skew_ns").as_i64(), Some(skew_ns));
    assert!(at(&summary, "load_points.1.start_skew_ns").as_i64().unwrap() >= 0);
    let last = said.iter().rfind(|word| word["say"] == "live" && word["point"] == 1).unwrap();
    assert!(last["is_over"].as_bool().unwrap());
    assert_eq!(count(last, "ops"), count(&summary, "load_points.1.total.ops"));
    assert_eq!(count(last, "written_bytes"), count(&summary, "load_points.1.total.written_bytes"));
    let counts = at(last, "response_counts").as_array().unwrap();
    let counted: u64 = counts.iter().map(|pair| pair[1].as_u64().unwrap()).sum();
    assert_eq!(counted, count(&summary, "load_points.1.total.response.data.count"));
}

#[test]
fn load_continues_during_a_pause_and_stops_without_messages() {
    let scratch = Scratch::new();
    let mut run = Steered::start(&plan_of(&scratch, "60s"));
    run.hear("ready", true);
    run.start_point(0, 0);
    run.hear("started", true);
    let held = Instant::now();
    while held.elapsed() < Duration::from_secs(6) {
        run.hear("live", true);
    }
    let (done, summary) = run.done(130);
    assert!(text(&done, "reason").contains("silent for 5."), "{done}");
    let measured_s = number(&summary, "load_points.0.measured_s");
    // Longer than it may continue without contact, and two seconds for a busy host.
    assert!((6.0..13.0).contains(&measured_s), "{measured_s}");
    assert_eq!(text(&summary, "outcome"), "interrupted");
}

#[test]
fn load_stops_on_command_or_when_the_controller_ends() {
    for (is_told, reason) in [(false, "agent"), (true, "controller")] {
        let scratch = Scratch::new();
        let mut run = Steered::start(&plan_of(&scratch, "60s"));
        run.hear("ready", true);
        run.start_point(0, 0);
        run.hear("live", true);
        let stopped = Instant::now();
        match is_told {
            true => run.tell(&json!({"do": "stop"})),
            false => run.input = None,
        }
        run.hear("point_over", false);
        // At once, and three seconds for a busy host.
        assert!(stopped.elapsed() < Duration::from_secs(5), "{:?}", stopped.elapsed());
        let (done, summary) = run.done(130);
        assert!(text(&done, "reason").contains(reason), "{done}");
        assert!(count(&summary, "load_points.0.total.ops") > 0);
    }
}

#[test]
fn run_stopped_before_the_first_start_makes_no_load() {
    let scratch = Scratch::new();
    let mut run = Steered::start(&plan_of(&scratch, "60s"));
    run.hear("ready", true);
    run.tell(&json!({"do": "stop"}));
    let done = run.hear("done", false);
    assert_eq!(count(&done, "code"), 130);
    assert_ne!(text(&done, "reason"), "", "{done}");
    assert!(run.heard.iter().all(|word| word["say"] != "started"), "{:#?}", run.heard);
}
