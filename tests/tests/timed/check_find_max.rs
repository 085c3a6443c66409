//! `reelgauge check` and `streams --find-max` on five stores of known capacity: each range that they state
//! holds the true count, so that they agree within their errors. A soak of 15 minutes, which prints a line
//! for each store at once.

use std::path::Path;
use std::time::Duration;

use reelgauge_tests::binary::{self, Running};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, number, text};
use reelgauge_tests::throttle::Throttle;
use reelgauge_tests::verb::Verb;

use crate::check_sustained::line;

/// Its frames need 14.0 MB/s. Every rate below is half a stream away from the next count.
const FORMAT: &str = "xavc-intra-class-100-1080-25";
/// A minute and a half, with a reserve for a busy host.
const CHECK_AT_MOST: Duration = Duration::from_secs(115);
/// The limit of the search, including its confirmation of a minute. The test files take more time.
const SEARCH: &str = "4m";
const SEARCH_AT_MOST: Duration = Duration::from_secs(360);

/// A stated count of streams.
struct Stated {
    least: u64,
    /// None for a lower bound.
    most: Option<u64>,
    words: String,
}

impl Stated {
    fn holds(&self, streams: u64) -> bool {
        self.least <= streams && self.most.is_none_or(|most| streams <= most)
    }
}

/// The count of a check, and the rate of each stream in MB/s.
fn checked(start: &impl Fn(&Verb) -> Running, target: &Path, flags: &[&str]) -> (Stated, f64) {
    let summary = start(&Verb::on("check", target).with(flags)).wait(CHECK_AT_MOST).expect_code(0).json();
    let formats = at(&summary, "check.formats").as_array().unwrap();
    let format = formats.iter().find(|format| text(format, "id") == FORMAT).unwrap();
    let streams = count(format, "play.streams");
    let is_bound = at(format, "play.at_least") == true;
    let error = if is_bound { 0 } else { count(format, "play.error_streams") };
    let at_least = if is_bound { "at least " } else { "" };
    let limit = text(format, "play.limited_by");
    let stated = Stated {
        least: streams.saturating_sub(error),
        most: (!is_bound).then_some(streams + error),
        words: format!("{at_least}{streams} ± {error} ({}; limit: {limit})", text(format, "play.basis")),
    };
    (stated, number(format, "needed_mb_per_s_each"))
}

/// The count of a search.
fn sought(start: &impl Fn(&Verb) -> Running, target: &Path, flags: &[&str]) -> Stated {
    // The buffer of a check's players.
    let streams = ["--actor", "player", "--format", FORMAT, "--clip", "2s", "--buffer", "400ms"];
    let search = ["--find-max", "--time-max", SEARCH, "--warmup", "1s", "--duration", "3s"];
    let verb = Verb::on("streams", target).with(&streams).with(&search).with(flags);
    let summary = start(&verb).wait(SEARCH_AT_MOST).expect_end().json();
    let (least, most) = (count(&summary, "search.streams"), count(&summary, "search.at_most"));
    let is_complete = at(&summary, "search.complete") == true;
    let (answer, evidence) =
        (text(&summary, "search.answer_sentence"), text(&summary, "search.evidence_sentence"));
    Stated { least, most: is_complete.then_some(most), words: format!("{answer} ({evidence})") }
}

/// Both on one store, which gives this many MB/s, or sustains so many streams.
fn compare(
    bed: &str,
    truth: impl Fn(f64) -> u64,
    start: impl Fn(&Verb) -> Running,
    target: &Path,
    flags: &[&str],
) {
    let (check, needed_mb_per_s) = checked(&start, target, flags);
    let search = sought(&start, target, flags);
    let truth = truth(needed_mb_per_s);
    let agree = check.holds(truth) && search.holds(truth);
    let verdict = if agree { "agree" } else { "DIFFER" };
    line(&format!("{bed}: truth {truth}; check {}; find-max {}: {verdict}", check.words, search.words));
    assert!(agree, "{bed}");
}

fn of_rate(mb_per_s: f64) -> impl Fn(f64) -> u64 {
    move |needed_mb_per_s| (mb_per_s / needed_mb_per_s) as u64
}

#[test]
fn a_loop_device_at_247_mb_per_s_and_at_106() {
    require!(Need::Soak, Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"), Need::Throttle);
    let _turn = my_turn();
    let memory = TempMount::tmpfs(3072);
    let mount = TempMount::image_on(memory.path(), ImageKind::Ext4, 2560);
    for mb_per_s in [247_u32, 106] {
        let throttle = Throttle::both(mount.path(), u64::from(mb_per_s) * 1_000_000);
        let start = |verb: &Verb| binary::start_by(throttle.command(binary::path()), verb.words());
        let bed = format!("loop device at {mb_per_s} MB/s");
        compare(&bed, of_rate(f64::from(mb_per_s)), start, mount.path(), &[]);
    }
}

#[test]
fn a_file_system_at_64_mb_per_s() {
    if !needs::are_met(&[Need::Soak]) || !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let faulty = Faulty::over_memory(2048, 4);
    faulty.faults().limit_bytes_per_s(64_000_000);
    compare("FUSE at 64 MB/s", of_rate(64.0), Verb::start, &faulty.path(), &[]);
}

/// One request at a time, 9 ms each. A frame is one request, so that each stream takes 0.225 of the time:
/// 4.44 streams, although as many requests of 1 MiB are 8 by their rate.
#[test]
fn a_file_system_that_takes_9_ms_for_each_request() {
    if !needs::are_met(&[Need::Soak]) || !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let faulty = Faulty::over_memory(2048, 1);
    faulty.faults().delay(Duration::from_millis(9));
    compare("FUSE, one request at a time, 9 ms each", |_| 4, Verb::start, &faulty.path(), &[]);
}

#[test]
fn memory_that_is_held_to_80_mb_per_s() {
    require!(Need::Soak, Need::Root);
    let _turn = my_turn();
    let memory = TempMount::tmpfs(3072);
    let flags = ["--max-rate", "80MB"];
    compare("tmpfs, --max-rate 80MB", of_rate(80.0), Verb::start, memory.path(), &flags);
}
