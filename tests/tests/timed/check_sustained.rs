//! `reelgauge check` on stores that burst, cache, or give an exact rate: no count promises more than the
//! store sustains. The first tests run with all others; the rest, three checks on each of six stores with
//! every count compared or confirmed, is a soak of about an hour, and prints a line for each count at once.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use reelgauge_tests::binary::{self, Running};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, number, summary, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::sshfs::{self, Sshfs};
use reelgauge_tests::throttle::Throttle;
use reelgauge_tests::verb::Verb;
use rustix::process::Signal;
use serde_json::Value;

/// A minute and a half, with a reserve for a busy host.
const AT_MOST: Duration = Duration::from_secs(115);
/// Checks of each store.
const LOOKS: usize = 3;
/// How long a confirmation lasts.
const CONFIRMED_FOR: &str = "60s";
/// How often a count that fails is tried, so that a store whose rate changes does not make a correct
/// count look wrong.
const TRIES: usize = 3;
/// A store that remembers has read every clip once by then: 4 requests of 128 KiB at a time, 8 ms each, are
/// 65 MB/s, and the clips take up to 4.5 GB.
const REMEMBERS_AFTER: &str = "75s";
/// The longest clips of a confirmation; where they have no room, shorter ones.
const CLIP_S_MAX: f64 = 10.0;
/// The rate of file data on a link of 400 Mbit/s: 1,448 of 1,514 bytes of each frame, less 0.2 % for
/// SSH.
const SSHFS_MB_PER_S: f64 = 50.0 * 1_448.0 / 1_514.0 * 0.998;

/// A count of a check.
#[derive(Clone, Debug, PartialEq)]
struct Claim {
    format: String,
    work: &'static str,
    needed_mb_per_s: f64,
    streams: u64,
    error: u64,
    at_least: bool,
    basis: String,
    own_limit: bool,
    limited_by: String,
    /// The sequential rate of the same check, reading or writing, is at least this.
    rate_mb_per_s: f64,
    look: usize,
}

impl Claim {
    /// Whether it is shown with a tick.
    fn is_ticked(&self) -> bool {
        self.streams > 0 && self.basis != "short_trial"
    }
}

fn claims(summary: &Value) -> Vec<Claim> {
    let formats = at(summary, "check.formats").as_array().unwrap();
    let of = |format: &Value, work: &'static str| {
        let found = at(format, work);
        found.is_object().then(|| Claim {
            format: text(format, "id").to_owned(),
            work,
            needed_mb_per_s: number(format, "needed_mb_per_s_each"),
            streams: count(found, "streams"),
            error: found.get("error_streams").and_then(Value::as_u64).unwrap_or(0),
            at_least: at(found, "at_least") == true,
            basis: text(found, "basis").to_owned(),
            own_limit: found.get("own_limit") == Some(&Value::Bool(true)),
            limited_by: text(found, "limited_by").to_owned(),
            rate_mb_per_s: least_rate(summary, work),
            look: 0,
        })
    };
    formats.iter().flat_map(|format| ["play", "record"].map(|work| of(format, work))).flatten().collect()
}

fn least_rate(summary: &Value, work: &str) -> f64 {
    let name = if work == "record" { "sequential_writes" } else { "sequential_reads" };
    let rate = summary.pointer(&format!("/check/{name}"));
    let of = |field: &str| rate.and_then(|rate| rate.get(field)).and_then(Value::as_f64).unwrap_or(0.0);
    of("mb_per_s") - of("error_mb_per_s")
}

/// A store that gives 120 MB/s, and 300 MB/s for the first 200 MB after it was idle. The check is stopped
/// when it has played, to take no longer than this has to.
#[test]
fn a_burst_allowance_is_found_and_raises_no_count() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let faulty = Faulty::over_memory(2048, 4);
    let check = Verb::on("check", faulty.path());
    let mut running = check.start();
    check.until_measuring(&mut running);
    faulty.faults().limit_with_burst(120_000_000, 200_000_000, 300_000_000);
    let played = |_: &mut Running| has_point(&check, "sequential writes");
    assert!(running.until(AT_MOST, played).is_some(), "{}", running.stderr());
    running.signal(Signal::INT);
    let summary = running.wait(AT_MOST).expect_code(130).json();
    let reads = at(&summary, "check.sequential_reads");
    assert!(matches!(text(reads, "trend"), "burst" | "unsettled"), "{reads:#}");
    assert!((100.0..=126.0).contains(&number(reads, "mb_per_s")), "{reads:#}");
    let mut played = 0;
    for claim in claims(&summary).iter().filter(|claim| claim.work == "play") {
        let sustains = (120.0 / claim.needed_mb_per_s).floor() as u64;
        assert!(claim.streams <= sustains, "{claim:?}: {sustains}\n{reads:#}");
        played += claim.streams;
    }
    assert!(played > 0, "{summary:#}");
}

/// A store that gives 500 MB/s, and a fifth of it once five requests wait at a time. It starts to do so
/// while a count is confirmed. A collapse under too many streams is no limit of fewer streams: the check
/// measures the plain rate again, and lowers no other count. It is stopped after playing.
#[test]
fn a_store_that_collapses_under_many_streams_lowers_no_other_count() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let faulty = Faulty::over_memory(2048, 40);
    let check = Verb::on("check", faulty.path());
    let mut running = check.start();
    check.until_measuring(&mut running);
    faulty.faults().limit_bytes_per_s(500_000_000);
    let held = |_: &mut Running| holds_streams(&check);
    assert!(running.until(AT_MOST, held).is_some(), "{}", running.stderr());
    std::thread::sleep(Duration::from_secs(2));
    faulty.faults().collapse_from(5, 5);
    let played = |_: &mut Running| has_point(&check, "sequential writes");
    assert!(running.until(AT_MOST, played).is_some(), "{}", running.stderr());
    running.signal(Signal::INT);
    let summary = running.wait(AT_MOST).expect_code(130).json();
    let points = at(&summary, "load_points").as_array().unwrap();
    let labels: Vec<&str> = points.iter().map(|point| text(point, "label")).collect();
    let plain = labels.iter().filter(|label| **label == "sequential reads");
    assert!(plain.count() > 1, "the plain rate was not measured again\n{labels:#?}");
    // After the collapse they get 100 MB/s, which is 7 of the lightest.
    assert!(number(&summary, "check.sequential_reads.mb_per_s") > 250.0, "{summary:#}");
    let played: Vec<Claim> = claims(&summary).into_iter().filter(|claim| claim.work == "play").collect();
    let lightest = played.first().map(|claim| claim.streams);
    assert!(lightest.is_some_and(|streams| streams > 14), "{played:#?}\n{labels:#?}");
    assert!(played.iter().all(|claim| !claim.own_limit), "one failure confirms nothing\n{played:#?}");
}

/// Whether the current load point has lasted longer than a trial.
fn holds_streams(check: &Verb) -> bool {
    let runs = reelgauge_tests::run_dir::all_in(check.runs());
    let points = runs.first().and_then(|run| std::fs::read_to_string(run.join("load-points.json")).ok());
    let points: Value = points.and_then(|points| serde_json::from_str(&points).ok()).unwrap_or_default();
    let last =
        points.as_array().and_then(|points| points.last()).filter(|point| point.get("tried").is_some());
    last.is_some_and(|point| count(point, "end_ns") - count(point, "started_ns") > 4_000_000_000)
}

/// A check that is killed in the middle has counts without a tick: a later trial might have contradicted
/// them.
#[test]
fn a_check_that_was_killed_has_no_tick() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let faulty = Faulty::over_memory(2048, 4);
    faulty.faults().limit_bytes_per_s(120_000_000);
    let check = Verb::on("check", faulty.path());
    let mut running = check.start();
    // The second format is tried when the first has a count.
    let tried = |_: &mut Running| has_point(&check, "ProRes 422 HQ HD");
    assert!(running.until(AT_MOST, tried).is_some(), "{}", running.stderr());
    std::thread::sleep(Duration::from_secs(1));
    running.signal(Signal::KILL);
    drop(running);
    let report = |words: &[&str]| {
        let run = check.run_dir();
        let words = [&["report", run.to_str().unwrap()], words].concat();
        binary::run(words).expect_code(0)
    };
    let screen = report(&[]).words();
    assert!(!screen.contains('✓') && screen.contains(" for 1.4"), "{screen}");
    let played = at(&report(&["--json"]).json(), "check.formats.0.play").clone();
    // It is named as in a completed check, and no repair is suggested.
    assert!(screen.contains("XAVC") && screen.contains("25 fps"), "{screen}");
    assert!(screen.contains("Next:") && screen.contains("reelgauge check"), "{screen}");
    assert!(count(&played, "streams") > 0 && text(&played, "basis") == "short_trial", "{played:#}");
}

/// Whether a load point of this name has begun.
fn has_point(check: &Verb, label: &str) -> bool {
    let runs = reelgauge_tests::run_dir::all_in(check.runs());
    let points = runs.first().and_then(|run| std::fs::read_to_string(run.join("load-points.json")).ok());
    points.is_some_and(|points| points.contains(label))
}

/// The counts of three checks. A check that fails counts as a wrong claim, and the next one still runs.
fn three_checks(
    bed: &str,
    start: impl Fn(&Verb) -> Running,
    target: &Path,
    wrong: &mut Vec<String>,
) -> Vec<Claim> {
    let each = (1..=LOOKS).filter_map(|look| one_check(bed, look, &start, target, wrong));
    each.flatten().collect()
}

/// The claims of one check, or nothing if it failed.
fn one_check(
    bed: &str,
    look: usize,
    start: &impl Fn(&Verb) -> Running,
    target: &Path,
    wrong: &mut Vec<String>,
) -> Option<Vec<Claim>> {
    let check = Verb::on("check", target);
    let outcome = start(&check).wait(AT_MOST);
    if outcome.code != Some(0) {
        wrong.push(format!("{bed}, check {look}: exit code {:?}", outcome.code));
        line(wrong.last().unwrap());
        return None;
    }
    let summary = summary(&check.run_dir());
    let rate = |name: &str| {
        let rate = summary.pointer(&format!("/check/{name}"));
        let of = |field: &str| rate.and_then(|rate| rate.get(field)).cloned().unwrap_or_default();
        let mb = |field: &str| of(field).as_f64().map_or_else(|| "?".to_owned(), |mb| format!("{mb:.1}"));
        let trend = of("trend").as_str().unwrap_or("?").to_owned();
        format!("{} ± {} MB/s ({trend})", mb("mb_per_s"), mb("error_mb_per_s"))
    };
    let (reads, writes) = (rate("sequential_reads"), rate("sequential_writes"));
    line(&format!(
        "{bed}, check {look}: {:.0} s; reads {reads}, writes {writes}",
        outcome.took.as_secs_f64()
    ));
    for contradiction in contradictions(&claims(&summary)) {
        wrong.push(format!("{bed}, check {look}: {contradiction}"));
        line(wrong.last().unwrap());
    }
    Some(claims(&summary).into_iter().map(|claim| Claim { look, ..claim }).collect())
}

/// Pairs of counts of one check that contradict each other: with a tick, one needs more than the other
/// reports as possible, including its error.
fn contradictions(claims: &[Claim]) -> Vec<String> {
    let least = |claim: &Claim| claim.streams.saturating_sub(claim.error) as f64 * claim.needed_mb_per_s;
    let limited = claims.iter().filter(|claim| !claim.at_least && !claim.own_limit);
    let against = |one: &Claim| {
        let sustained = claims.iter().filter(|other| other.work == one.work && other.is_ticked());
        let above = one.streams + one.error + 1;
        let most = sustained.max_by(|this, that| least(this).total_cmp(&least(that)))?;
        (least(most) > above as f64 * one.needed_mb_per_s)
            .then(|| format!("{} against {}", words(one), words(most)))
    };
    limited.filter_map(against).collect()
}

/// Checks three times, and compares every count with the known capacity of the store, reading and
/// writing. Returns the wrong counts. If this client's processors may be slower than the store, a count
/// only has to reach the rate that the same check measured.
fn compare(
    bed: &str,
    (mb_per_s, is_exact): (f64, bool),
    start: impl Fn(&Verb) -> Running,
    target: &Path,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for claim in three_checks(bed, start, target, &mut wrong) {
        let sustains = (mb_per_s / claim.needed_mb_per_s).floor() as u64;
        let is_bound = claim.streams <= sustains || !claim.is_ticked();
        let of_rate = (claim.rate_mb_per_s.max(0.0) / claim.needed_mb_per_s).floor() as u64;
        let least = if is_exact { sustains } else { sustains.min(of_rate) };
        let holds_truth = claim.at_least || claim.streams + claim.error >= least;
        let verdict = if is_bound && holds_truth { "right" } else { "WRONG" };
        let told = format!("{bed}, check {}: {} of {sustains}: {verdict}", claim.look, words(&claim));
        line(&told);
        if verdict == "WRONG" {
            wrong.push(told);
        }
    }
    wrong
}

/// Checks three times. Then the largest count with a tick of each format is played for a minute, or
/// recorded over existing files as a check does. That confirms all smaller counts. If a limit is named,
/// one stream more than the smallest upper bound has to fail. A store whose rate changes may fail a
/// count that it passed minutes ago, or sustain more. Then another check has to report the same.
fn confirm(bed: &str, target: &Path, room: Room, formats: usize) {
    let mut wrong = Vec::new();
    let claims = three_checks(bed, Verb::start, target, &mut wrong);
    claims.iter().for_each(|claim| line(&format!("{bed}, check {}: {}", claim.look, words(claim))));
    let ticked = |claim: &&Claim| claim.is_ticked();
    let mut kinds: Vec<(&str, &str)> = Vec::new();
    // The heaviest formats first: the headline is one of them.
    for claim in claims.iter().rev().filter(ticked) {
        let kind = (claim.format.as_str(), claim.work);
        let of_work = kinds.iter().filter(|(_, work)| *work == claim.work).count();
        if !kinds.contains(&kind) && of_work < formats {
            kinds.push(kind);
        }
    }
    for kind in kinds {
        let of_kind =
            || claims.iter().filter(ticked).filter(|claim| (claim.format.as_str(), claim.work) == kind);
        let Some(most) = of_kind().max_by_key(|claim| claim.streams) else { continue };
        let has_held = |claim: &Claim| {
            (0..TRIES).any(|_| {
                let held = holds(target, room, claim, claim.streams);
                line(&format!("{bed}: {}: {}", words(claim), held.words("held", "FAILED")));
                held.passed != Some(false)
            })
        };
        if !has_held(most) {
            // Was the count wrong, or has the store become slower? Run a check now, and play its count
            // for a minute.
            let now = claim_now(bed, target, kind, &mut wrong);
            let is_slower = now.is_some_and(|now| now.streams < most.streams && has_held(&now));
            let told = if is_slower { "the store became slower, as a check says" } else { "WRONG" };
            wrong.extend((!is_slower).then(|| words(most)));
            line(&format!("{bed}: {}: {told}", words(most)));
        }
        let limits = of_kind().filter(|claim| !claim.at_least);
        let Some(limit) = limits.min_by_key(|claim| claim.streams + claim.error) else { continue };
        let most = limit.streams + limit.error;
        let held = holds(target, room, limit, most + 1);
        line(&format!(
            "{bed}: {}: {} instead {}",
            words(limit),
            most + 1,
            held.words("HELD", "failed, as stated")
        ));
        if held.passed == Some(true) {
            let now = claim_now(bed, target, kind, &mut wrong);
            let is_faster = now.is_some_and(|now| now.at_least || now.streams + now.error > most);
            let told = if is_faster { "the store became faster, as a check says" } else { "WRONG" };
            wrong.extend((!is_faster).then(|| words(limit)));
            line(&format!("{bed}: {}: {told}", words(limit)));
        }
    }
    assert_none(&wrong);
}

/// The count of another check for this format and work.
fn claim_now(bed: &str, target: &Path, kind: (&str, &str), wrong: &mut Vec<String>) -> Option<Claim> {
    let claims = one_check(bed, LOOKS + 1, &Verb::start, target, wrong)?;
    let now = claims.into_iter().find(|claim| (claim.format.as_str(), claim.work) == kind)?;
    line(&format!("{bed}, check {}: {}", now.look, words(&now)));
    Some(now)
}

/// Printed at once, past the capture of the test harness: a soak that is killed keeps its figures.
pub fn line(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

#[track_caller]
fn assert_none(wrong: &[String]) {
    line(&format!("{} wrong", wrong.len()));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The result of a confirmation.
struct Confirmed {
    /// Whether every frame was in time; `None` if the run could not be made, or this client was at
    /// fault.
    passed: Option<bool>,
    told: String,
}

impl Confirmed {
    fn words(&self, passed: &str, failed: &str) -> String {
        let word = match self.passed {
            Some(true) => passed,
            Some(false) => failed,
            None => "UNKNOWN",
        };
        format!("{word} {}", self.told)
    }
}

/// The room of a store for the clips of a confirmation.
#[derive(Clone, Copy)]
struct Room {
    mb: f64,
    /// How long streams run before they are judged.
    warmup: &'static str,
}

/// Confirms whether so many streams are sustained.
fn holds(target: &Path, room: Room, claim: &Claim, streams: u64) -> Confirmed {
    let clip_s = (room.mb / (streams as f64 * claim.needed_mb_per_s)).floor().clamp(1.0, CLIP_S_MAX);
    let clip = format!("{clip_s}s");
    let count = streams.to_string();
    let actor: &[&str] = match claim.work {
        "record" => &["--actor", "recorder", "--preallocated"],
        _ => &["--actor", "player", "--warmup", room.warmup],
    };
    let flags = ["--format", &claim.format, "--count", &count, "--duration", CONFIRMED_FOR, "--clip", &clip];
    let run = Verb::on("streams", target).with(&flags).with(actor);
    let outcome = run.start().wait(Duration::from_secs(600));
    let _ = Verb::on("clean", target).without("--out").run();
    let summary: Value = serde_json::from_str(&outcome.stdout).unwrap_or_default();
    let of = |path: &str| summary.pointer(path).and_then(Value::as_str);
    let judgement = of("/statement/judgement").unwrap_or_default();
    let passed = match judgement {
        "met" => Some(true),
        "not_met" => Some(false),
        _ => None,
    };
    let of_total = |field: &str| {
        summary.pointer(&format!("/load_points/0/streams/total/{field}")).and_then(Value::as_u64)
    };
    let frames = match of_total("late_frames").zip(of_total("frames_judged")) {
        Some((late, all)) => format!("{late} of {all} frames late"),
        None => outcome.stderr.lines().last().unwrap_or_default().to_owned(),
    };
    let why = of("/verdict/failed_first/sentence").unwrap_or_default();
    Confirmed { passed, told: format!("for {CONFIRMED_FOR}, clips of {clip}, {frames} ({judgement}) {why}") }
}

fn words(claim: &Claim) -> String {
    let Claim { format, work, streams, error, at_least, basis, limited_by, .. } = claim;
    let at_least = if *at_least { "at least " } else { "" };
    let own = if claim.own_limit { ", confirmed" } else { "" };
    format!("{work} {at_least}{streams} ± {error} x {format} ({basis}; limit: {limited_by}{own})")
}

#[test]
fn three_checks_of_a_loop_device_at_250_mb_per_s_and_at_105() {
    require!(Need::Soak, Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"), Need::Throttle);
    let _turn = my_turn();
    let memory = TempMount::tmpfs(3072);
    let mount = TempMount::image_on(memory.path(), ImageKind::Ext4, 2560);
    let mut wrong = Vec::new();
    for (mb_per_s, bytes_per_s) in [(250.0, 250_000_000), (104.9, 104_900_000)] {
        let throttle = Throttle::both(mount.path(), bytes_per_s);
        let start = |check: &Verb| binary::start_by(throttle.command(binary::path()), check.words());
        wrong.extend(compare(&format!("throttled, {mb_per_s} MB/s"), (mb_per_s, true), start, mount.path()));
    }
    assert_none(&wrong);
}

#[test]
fn three_checks_of_a_store_with_a_burst_allowance() {
    require!(Need::Soak, Need::Root, Need::Fuse, Need::FileSystem("fuse"));
    let _turn = my_turn();
    let faulty = Faulty::over_memory(2048, 4);
    faulty.faults().limit_with_burst(120_000_000, 400_000_000, 300_000_000);
    assert_none(&compare(
        "burst of 400 MB at 300, then 120 MB/s",
        (120.0, true),
        Verb::start,
        &faulty.path(),
    ));
}

#[test]
fn repeated_checks_of_a_caching_store_agree() {
    require!(Need::Soak, Need::Root, Need::Fuse, Need::FileSystem("fuse"));
    let _turn = my_turn();
    let faulty = Faulty::over_memory(6_144, 4);
    faulty.faults().first_reads_take(Duration::from_millis(8));
    confirm(
        "cached, 8 ms for what was not read before",
        &faulty.path(),
        Room { mb: 4_500.0, warmup: REMEMBERS_AFTER },
        2,
    );
}

#[test]
fn three_checks_over_a_shaped_link() {
    if !needs::are_met(&[Need::Soak]) || !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let sshfs = Sshfs::mount(400);
    assert_none(&compare("sshfs at 400 Mbit/s", (SSHFS_MB_PER_S, false), Verb::start, sshfs.path()));
}

#[test]
fn three_checks_of_a_plain_disk() {
    require!(Need::Soak);
    let _turn = my_turn();
    let scratch = Scratch::new();
    confirm("plain disk", &scratch.dir("target"), Room { mb: 6_000.0, warmup: "5s" }, 5);
}

#[test]
fn three_checks_of_memory() {
    require!(Need::Soak, Need::Root);
    let _turn = my_turn();
    let memory = TempMount::tmpfs(10_240);
    confirm("tmpfs", memory.path(), Room { mb: 6_000.0, warmup: "5s" }, 3);
}
