//! Every verb that measures is stopped at random moments, by Ctrl-C, by SIGTERM, or by Ctrl-C twice. No
//! sentence of its output, or of a later report of its run, claims a measurement that was not made.
//!
//! Each verb is stopped at three moments (one for `check`), or at REELGAUGE_INTERRUPTS moments. `cargo
//! xtask soak` uses 30, and different ones in every round. They are drawn from REELGAUGE_INTERRUPTS_SEED
//! (default 1), one in each of as many parts of the run. A failure names the moment.
//! `reelgauge_tests::sentences` has the rules for sentences.
//!
//! Not tested here: `record`, whose screen has no figures of time, and how soon a run stops
//! (`interrupts`). The runs use memory, the host's own disk and a slow store, so that there are late
//! frames and limits to report.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reelgauge_tests::binary;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs;
use reelgauge_tests::run_dir;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::seeded_random::{Draws, setting};
use reelgauge_tests::sentences::{untrue, untrue_in_csv, untrue_without_summary};
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::verb::Verb;
use rustix::process::Signal;

/// A stopped run must have ended by then, even on a busy host, because verification is skipped.
const LIMIT: Duration = Duration::from_secs(60);

/// The store sustains two and a half streams, so that three have late frames.
const STORE_BYTES_PER_S: u64 = SMALL.bytes_per_s() * 5 / 2;

/// How a run is stopped.
#[derive(Clone, Copy, Debug)]
enum Stop {
    Interrupt,
    Terminate,
    InterruptTwice(Duration),
}

/// Stops a verb at moments of a span; without a stop it would complete in that time. `make` returns a
/// call that has measured nothing yet.
fn stop_at_moments(name: &str, span: Duration, make: &dyn Fn() -> Verb) {
    // A quick check takes as long as all others together.
    let usual = if name == "check" { 1 } else { 3 };
    let (moments, seed) = (setting("REELGAUGE_INTERRUPTS", usual), setting("REELGAUGE_INTERRUPTS_SEED", 1));
    let mut draws = Draws::new(seed);
    let mut wrong = Vec::new();
    for part in 0..moments {
        let after = span.mul_f64((part as f64 + draws.share()) / moments as f64);
        let how = match draws.next_u64() % 4 {
            0 => Stop::Terminate,
            1 => Stop::InterruptTwice(Duration::from_millis(draws.next_u64() % 100)),
            _ => Stop::Interrupt,
        };
        let found = stop(&make(), after, how);
        let told = |what| format!("{name}, seed {seed}, {how:?} after {after:?}: {what}");
        wrong.extend(found.into_iter().map(told));
    }
    assert!(wrong.is_empty(), "{} are not true:\n{}", wrong.len(), wrong.join("\n"));
}

/// Starts a verb, stops it after a time, and returns the untrue sentences about it.
fn stop(verb: &Verb, after: Duration, how: Stop) -> Vec<String> {
    let mut running = binary::start(verb.plain_words());
    if running.until(after, binary::Running::has_ended).is_none() {
        let first = if matches!(how, Stop::Terminate) { Signal::TERM } else { Signal::INT };
        running.signal(first);
        if let Stop::InterruptTwice(between) = how
            && running.until(between, binary::Running::has_ended).is_none()
        {
            running.signal(Signal::INT);
        }
    }
    let outcome = running.wait(LIMIT);
    assert!(matches!(outcome.code, Some(0 | 1 | 3 | 130)), "{:?}\n{}", outcome.code, outcome.said());
    let screen = format!("{}\n{}", outcome.stderr, outcome.stdout);
    let Some(run) = run_dir::all_in(verb.runs()).pop() else {
        // Stopped while it made its files.
        return untrue_without_summary(&screen);
    };
    let (mut wrong, summary) = if run.join("summary.json").exists() {
        let summary = run_dir::summary(&run);
        // It was stopped a second time before it could print anything, so the report is checked.
        let nothing_said = outcome.stdout.is_empty();
        (if nothing_said { untrue_without_summary(&screen) } else { untrue(&screen, &summary) }, summary)
    } else {
        // Stopped twice: only the log is left, and a report is made from it.
        let words: [OsString; 3] = ["report".into(), run.clone().into(), "--json".into()];
        let rebuilt = binary::run(words);
        if rebuilt.code != Some(0) {
            return untrue_without_summary(&format!("{screen}\n{}", rebuilt.stderr));
        }
        (untrue_without_summary(&screen), rebuilt.json())
    };
    let again = report(&run);
    wrong.extend(untrue(&again.0, &summary).into_iter().map(|what| format!("report: {what}")));
    wrong.extend(untrue_in_csv(&again.1, &summary));
    if !wrong.is_empty() {
        wrong.push(format!("{screen}\n--- report\n{}", again.0));
    }
    wrong
}

/// A later report of a run: the screen, and the table of its load points.
fn report(run: &Path) -> (String, String) {
    let scratch = Scratch::new();
    let folder = scratch.path().join("csv");
    let words: [OsString; 4] = ["report".into(), run.into(), "--csv".into(), folder.clone().into()];
    let outcome = binary::run(words);
    assert!(matches!(outcome.code, Some(0)), "{:?}\n{}", outcome.code, outcome.said());
    (outcome.stdout, std::fs::read_to_string(folder.join("load-points.csv")).unwrap())
}

/// Streams on a target, short ones.
fn streams(target: &Path, actor: &str, count: &str) -> Verb {
    let times = ["--clip", "1s", "--buffer", "3frames", "--warmup", "400ms", "--duration", "1200ms"];
    Verb::on("streams", target).with(&["--actor", actor, "--format", SMALL.id, "--count", count]).with(&times)
}

/// A search whose limit is the store's.
fn search(scratch: &Scratch, target: &Path) -> Verb {
    let plan = format!(
        "plan_version = 1\nname = 'players'\ntarget = '{}'\nwarmup = '400ms'\nduration = '800ms'\n\
         find_max = {{ start = 2, cap = 4, repeats = 2, confirm = '1500ms' }}\n\n\
         [[actor]]\nkind = 'player'\nclip = '1s'\nbuffer = '3frames'\nformat = '{}'\n",
        target.display(),
        SMALL.id
    );
    let path = scratch.path().join("plan.toml");
    std::fs::write(&path, plan).unwrap();
    Verb::on("run", path)
}

/// A run of two seconds that can be replayed.
fn recorded(scratch: &Scratch) -> PathBuf {
    let mix =
        Mix::on(&scratch.dir("recorded")).with(&["--buffered", "--warmup", "0s", "--max-delay", "20ms"]);
    mix.measure();
    let run = scratch.path().join("recording");
    std::fs::rename(mix.run_dir(), &run).unwrap();
    run
}

#[test]
fn stopped_mixes_and_replays() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let mix = || Mix::on(&target).with(&["--buffered", "--warmup", "300ms", "--max-delay", "5ms"]);
    let ramp = || {
        Verb::from(
            mix().without("--workers").without("--duration").with(&["--ramp", "1..3", "--step", "700ms"]),
        )
    };
    stop_at_moments("mix --ramp", Duration::from_secs(4), &ramp);
    let verified = || Verb::from(mix().with(&["--duration", "1s", "--verify"]));
    stop_at_moments("mix --verify", Duration::from_secs(2), &verified);
    let recording = recorded(&scratch);
    let replay = || Verb::on("replay", &recording).operand(&target);
    stop_at_moments("replay", Duration::from_secs(3), &replay);
    let batch = || replay().with(&["--batch", "3", "--pace", "max"]);
    stop_at_moments("replay --batch", Duration::from_secs(2), &batch);
}

#[test]
fn stopped_streams_searches_and_curves() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let scratch = Scratch::new();
    let faulty = Faulty::mount();
    faulty.faults().limit_bytes_per_s(STORE_BYTES_PER_S);
    let store = faulty.path();
    stop_at_moments("players", Duration::from_secs(7), &|| streams(&store, "player", "1..3"));
    stop_at_moments("recorders", Duration::from_secs(3), &|| streams(&store, "recorder", "3"));
    stop_at_moments("--find-max", Duration::from_secs(13), &|| search(&scratch, &store));
    let vda = ["--points", "1..3", "--file-size", "4MiB", "--files", "2", "--warmup", "400ms"];
    let vda = || Verb::on("vda", scratch.dir("target")).with(&vda).with(&["--duration", "1s"]);
    stop_at_moments("vda", Duration::from_secs(6), &vda);
}

#[test]
fn stopped_quick_check() {
    let scratch = Scratch::new();
    let check = || Verb::on("check", scratch.dir("target"));
    stop_at_moments("check", Duration::from_secs(60), &check);
}
