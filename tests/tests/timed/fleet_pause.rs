//! A run of a fleet that is paused between its load points, continued or resumed later, with a real
//! nats-server. A pause is in no figure. A host lost during a pause is named, or loses none of its
//! measurements.

use std::time::Duration;

use reelgauge_tests::binary::{self, Running};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fleet_bed::{Bed, PATIENCE, counted, listed, until_said};
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, number, only_in, summary, text};
use rustix::process::Signal;
use serde_json::Value;

/// How long a load point takes.
const HOLD: &str = "3500ms";
const HOLD_S: f64 = 3.5;
/// How often a command is sent.
const ATTEMPTS: usize = 4;

/// Sends a command to the run, again if a busy host did not even connect, as a user would. Returns the
/// reply.
#[track_caller]
fn say(bed: &Bed, word: &str) -> String {
    let once = || Some(bed.fleet.ask(&[word])).filter(|outcome| outcome.code != Some(2));
    let outcome = (1..ATTEMPTS).find_map(|_| once()).unwrap_or_else(|| bed.fleet.ask(&[word]));
    outcome.expect_code(0).stdout
}

/// Requests a pause once the first load point is agreed. That load point is completed; waits until the
/// run is paused.
#[track_caller]
fn pause_in_the_first(bed: &Bed, run: &mut Running) {
    until_said(run, "load point 1 starts in");
    let said = say(bed, "pause");
    assert!(said.contains("oad point 1 "), "{said}");
    until_said(run, "paused before load point 2");
}

/// The start and end of a pause, from the summary.
#[track_caller]
fn marked(told: &Value) -> (f64, f64) {
    let marks = at(told, "marks").as_array().unwrap();
    let paused: Vec<&Value> = marks.iter().filter(|mark| text(mark, "kind") == "paused").collect();
    assert_eq!(paused.len(), 1, "{marks:?}");
    (number(paused[0], "began_s"), number(paused[0], "ended_s"))
}

#[test]
fn a_pause_in_the_middle_of_a_ramp_is_marked_and_in_no_figure() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::ramp(&["a", "b"], "1,3", HOLD);
    let mut run = bed.run();
    pause_in_the_first(&bed, &mut run);
    let so_far = run.stderr();
    let lines: Vec<&str> = so_far.lines().skip_while(|line| !line.contains(" so far:")).collect();
    assert!(lines[1].contains("load point 1:") && lines[1].contains("MB/s read"), "{so_far}");
    assert!(lines[2].starts_with("paused before") && !lines[1].contains(", 0 operations"), "{so_far}");
    // Two requests are one pause.
    let twice = say(&bed, "pause");
    assert!(twice.contains("load point 2"), "{twice}");
    std::thread::sleep(Duration::from_secs(3));
    assert!(say(&bed, "resume").contains("continues"));
    let again = say(&bed, "resume");
    assert!(again != twice && !again.contains("load point"), "{again}");
    let told = run.wait(PATIENCE).expect_code(0).json();
    let run_dir = only_in(&bed.runs());
    counted(&run_dir, &told);

    let (from_s, until_s) = marked(&told);
    assert!(until_s - from_s >= 3.0, "{from_s} {until_s}");
    let points = at(&told, "load_points").as_array().unwrap();
    assert_eq!(points.len(), 2);
    for point in points {
        let (started_s, measured_s) = (number(point, "started_s"), number(point, "measured_s"));
        assert!((measured_s - HOLD_S).abs() < 1.0, "{measured_s} s of {HOLD_S} s");
        assert!(started_s + measured_s <= from_s + 0.1 || started_s >= until_s, "{started_s} {measured_s}");
    }
    assert!(number(&points[0], "started_s") < from_s && number(&points[1], "started_s") >= until_s);
    let in_pause = |op: &&Value| {
        let issued_s = count(op, "issued_ns") as f64 / 1e9;
        issued_s > from_s + 0.1 && issued_s < until_s
    };
    let ops = listed(&run_dir);
    assert_eq!(ops.iter().filter(in_pause).count(), 0, "nothing is done while it waits");

    let screen = binary::run(["report".as_ref(), run_dir.as_os_str()]).expect_code(0).words();
    assert!(screen.contains("paused"), "{screen}");
    let page = std::fs::read_to_string(run_dir.join("report.html")).unwrap();
    assert!(page.contains("paused"), "the page tells of it");
    // A rejudged run still has it, although no counter shows it.
    assert_eq!(marked(&summary(&run_dir)), (from_s, until_s));
}

#[test]
fn next_controller_resumes_after_a_death_in_a_pause() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::ramp(&["a", "b"], "1..2", HOLD);
    let mut run = bed.run();
    pause_in_the_first(&bed, &mut run);
    run.signal(Signal::KILL);
    drop(run);
    // Longer than load would continue without a controller. No load is running, and all agents wait.
    std::thread::sleep(Duration::from_secs(7));
    let name = only_in(&bed.fleet.dir().join("runs")).file_name().unwrap().to_str().unwrap().to_owned();
    let mut run = bed.resume(&name, &["--json"]);
    until_said(&mut run, "paused before load point 2");
    assert!(run.stderr().contains("load point 1:"), "{}", run.stderr());
    say(&bed, "resume");
    let told = run.wait(PATIENCE).expect_code(0).json();
    let run_dir = only_in(&bed.runs());
    assert!(counted(&run_dir, &told).iter().all(|&ops| ops > 0));
    assert_eq!(at(&told, "load_points").as_array().unwrap().len(), 2);
    let (from_s, until_s) = marked(&told);
    assert!(until_s - from_s >= 7.0, "the time without a controller is a pause, too: {from_s} {until_s}");
    assert!(bed.left("a").is_empty() && bed.left("b").is_empty());
}

#[test]
fn an_agent_that_dies_in_a_pause_is_missing_from_then_on() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let mut bed = Bed::ramp(&["a", "b"], "1..2", HOLD);
    let mut run = bed.run();
    pause_in_the_first(&bed, &mut run);
    bed.kill_agent("b");
    until_said(&mut run, "1 of 2 agents");
    // It returns, is not admitted again, and delivers its data.
    bed.start_agent("b");
    say(&bed, "resume");
    let outcome = run.wait(PATIENCE).expect_code(3);
    let told = outcome.json();
    let run_dir = only_in(&bed.runs());
    assert!(counted(&run_dir, &told).iter().all(|&ops| ops > 0), "both measured the first load point");
    let of_b: Vec<u64> = [0, 1]
        .iter()
        .map(|point| count(&told, &format!("hosts.points.{point}.hosts.1.figures.ops")))
        .collect();
    assert!(of_b[0] > 0 && of_b[1] == 0, "{of_b:?}");
    let (from_s, until_s) = marked(&told);
    let missing_s = number(&told, "hosts.hosts.1.missing_from_s");
    assert!(missing_s > from_s - 1.5 && missing_s < until_s, "{from_s} {missing_s} {until_s}");
}
