//! `reelgauge check` on stores that burst, cache, or give an exact rate: no count promises more than the
//! store sustains. The first test runs with all others; the rest, three checks on each of six stores with
//! every count compared or confirmed, is a soak, and prints a line for each count.

use std::time::Duration;

use reelgauge_tests::binary::{self, Running};
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, number, summary, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::sshfs::{self, Sshfs};
use reelgauge_tests::throttle::Throttle;
use reelgauge_tests::turns::my_turn;
use reelgauge_tests::verb::Verb;
use rustix::process::Signal;
use serde_json::Value;

/// A minute and a half, with something for a loaded machine.
const AT_MOST: Duration = Duration::from_secs(115);
/// Checks of each store.
const LOOKS: usize = 3;
/// Counts are confirmed for so long where nobody knows what the store sustains.
const CONFIRMED_FOR: &str = "60s";

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
            error: count(found, "error_streams"),
            at_least: at(found, "at_least") == true,
            basis: text(found, "basis").to_owned(),
        })
    };
    formats.iter().flat_map(|format| ["play", "record"].map(|work| of(format, work))).flatten().collect()
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

/// Whether a load point of this name has begun.
fn has_point(check: &Verb, label: &str) -> bool {
    let runs = reelgauge_tests::run_dir::all_in(check.runs());
    let points = runs.first().and_then(|run| std::fs::read_to_string(run.join("load-points.json")).ok());
    points.is_some_and(|points| points.contains(label))
}

/// Looks three times, and compares every count with what the store is known to sustain, reading and writing.
fn compare(bed: &str, mb_per_s: f64, start: impl Fn(&Verb) -> Running, target: &std::path::Path) {
    let mut wrong = Vec::new();
    for look in 1..=LOOKS {
        let check = Verb::on("check", target);
        start(&check).wait(AT_MOST).expect_code(0);
        for claim in claims(&summary(&check.run_dir())) {
            let sustains = (mb_per_s / claim.needed_mb_per_s).floor() as u64;
            let is_bound = claim.streams <= sustains || !claim.is_ticked();
            let holds_truth = claim.at_least || claim.streams + claim.error >= sustains;
            let verdict = if is_bound && holds_truth { "right" } else { "WRONG" };
            println!("{bed}, look {look}: {} of {sustains}: {verdict}", words(&claim));
            if verdict == "WRONG" {
                wrong.push(claim);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Looks three times, plays or records each distinct count for a minute, and one above it where a limit is
/// named.
fn confirm(bed: &str, target: &std::path::Path) {
    let mut distinct: Vec<Claim> = Vec::new();
    for look in 1..=LOOKS {
        let check = Verb::on("check", target);
        check.start().wait(AT_MOST).expect_code(0);
        for claim in claims(&summary(&check.run_dir())) {
            println!("{bed}, look {look}: {}", words(&claim));
            let same = |known: &Claim| {
                (&known.format, known.work, known.streams) == (&claim.format, claim.work, claim.streams)
            };
            if claim.is_ticked() && !distinct.iter().any(same) {
                distinct.push(claim);
            }
        }
    }
    let mut wrong = Vec::new();
    for claim in distinct {
        let holds = holds(target, &claim, claim.streams);
        println!("{bed}: {} for {CONFIRMED_FOR}: {}", words(&claim), if holds { "held" } else { "FAILED" });
        if !holds {
            wrong.push(claim.clone());
        }
        if !claim.at_least {
            let above = claim.streams + claim.error + 1;
            let fails = !self::holds(target, &claim, above);
            println!("{bed}: {above} instead: {}", if fails { "failed, as stated" } else { "HELD" });
            if !fails {
                wrong.push(claim);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whether so many streams are sustained for a minute.
fn holds(target: &std::path::Path, claim: &Claim, streams: u64) -> bool {
    let count = streams.to_string();
    let actor = if claim.work == "record" { "recorder" } else { "player" };
    let flags = ["--format", &claim.format, "--count", &count, "--actor", actor, "--duration", CONFIRMED_FOR];
    let run = Verb::on("streams", target).with(&flags).with(&["--clip", "10s"]);
    let outcome = run.start().wait(Duration::from_secs(600));
    let _ = Verb::on("clean", target).without("--out").run();
    outcome.code == Some(0)
}

fn words(claim: &Claim) -> String {
    let Claim { format, work, streams, error, at_least, basis, .. } = claim;
    let at_least = if *at_least { "at least " } else { "" };
    format!("{work} {at_least}{streams} ± {error} x {format} ({basis})")
}

#[test]
fn three_checks_of_a_loop_device_at_250_mb_per_s_and_at_105() {
    require!(Need::Soak, Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"), Need::Throttle);
    let _turn = my_turn();
    let memory = TempMount::tmpfs(3072);
    let mount = TempMount::image_on(memory.path(), ImageKind::Ext4, 2560);
    for (mb_per_s, bytes_per_s) in [(250.0, 250_000_000), (104.9, 104_900_000)] {
        let throttle = Throttle::both(mount.path(), bytes_per_s);
        let start = |check: &Verb| binary::start_by(throttle.command(binary::path()), check.words());
        compare(&format!("throttled, {mb_per_s} MB/s"), mb_per_s, start, mount.path());
    }
}

#[test]
fn three_checks_of_a_store_with_a_burst_allowance() {
    require!(Need::Soak, Need::Root, Need::Fuse, Need::FileSystem("fuse"));
    let _turn = my_turn();
    let faulty = Faulty::over_memory(2048, 4);
    faulty.faults().limit_with_burst(120_000_000, 400_000_000, 300_000_000);
    compare("burst of 400 MB at 300, then 120 MB/s", 120.0, Verb::start, &faulty.path());
}

#[test]
fn three_checks_of_a_store_that_remembers_what_was_read() {
    require!(Need::Soak, Need::Root, Need::Fuse, Need::FileSystem("fuse"));
    let _turn = my_turn();
    let faulty = Faulty::over_memory(3072, 4);
    faulty.faults().first_reads_take(Duration::from_millis(8));
    confirm("cached, 8 ms for what was not read before", &faulty.path());
}

#[test]
fn three_checks_over_a_shaped_link() {
    if !needs::are_met(&[Need::Soak]) || !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let sshfs = Sshfs::mount(400);
    confirm("sshfs at 400 Mbit/s", sshfs.path());
}

#[test]
fn three_checks_of_a_plain_disk() {
    require!(Need::Soak);
    let _turn = my_turn();
    let scratch = Scratch::new();
    confirm("plain disk", &scratch.dir("target"));
}

#[test]
fn three_checks_of_memory() {
    require!(Need::Soak, Need::Root);
    let _turn = my_turn();
    let memory = TempMount::tmpfs(6144);
    confirm("tmpfs", memory.path());
}
