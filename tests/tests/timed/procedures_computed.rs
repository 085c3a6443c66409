//! Procedures on stores whose effect follows from bytes alone: the rate that falls as the volume fills
//! or the store wears, the cost of an edit and of a growing file, and the time of a request with one and
//! with 32 in flight. The reported figures must equal the computed ones.

use std::path::{Path, PathBuf};

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{all_in, at, count, number, summary, text};
use reelgauge_tests::verb::Verb;
use serde_json::Value;

const MIB: f64 = 1_048_576.0;

/// How long each run is measured, and the tolerance of its figures.
#[derive(Clone, Copy)]
struct Measured {
    duration: &'static str,
    tolerance: f64,
}

/// On a busy host, in the ordinary tests.
const SHORT: Measured = Measured { duration: "1500ms", tolerance: 0.1 };
/// For a soak, which has the time.
const LONG: Measured = Measured { duration: "6s", tolerance: 0.08 };

/// A procedure that ran to its end: what it printed, and its directory.
struct Done {
    printed: Value,
    dir: PathBuf,
    _verb: Verb,
}

impl Done {
    fn of(name: &str, target: &Path, flags: &[&str], settings: &[&str], measured: Measured) -> Done {
        let duration = format!("duration={}", measured.duration);
        let verb = Verb::on("procedure", name).operand(target).with(flags);
        let set = |verb: Verb, setting: &&str| verb.operand("--set").operand(setting);
        let verb = settings.iter().chain([&duration.as_str(), &"warmup=200ms"]).fold(verb, set);
        let printed = verb.run().expect_code(0).json();
        let dir = all_in(verb.runs()).into_iter().find(|dir| dir.join("procedure.json").exists()).unwrap();
        Done { printed, dir, _verb: verb }
    }

    fn rows(&self) -> &Vec<Value> {
        at(&self.printed, "rows").as_array().unwrap()
    }

    /// The results of all actions of a kind.
    fn facts(&self, kind: &str) -> Vec<&Value> {
        let is_it = |row: &&Value| at(row, "action.kind") == kind;
        self.rows().iter().filter(is_it).map(|row| at(row, "fact")).collect()
    }

    /// The figures of each run, in their order.
    fn figures(&self) -> Vec<Value> {
        let runs = self.rows().iter().filter(|row| at(row, "action.kind") == "run");
        runs.map(|row| at(&summary(&self.dir.join(text(row, "run"))), "load_points.0.total").clone())
            .collect()
    }
}

#[track_caller]
fn within(tolerance: f64, found: f64, computed: f64, what: &str) {
    assert!((found / computed - 1.0).abs() < tolerance, "{what}: {found}, computed {computed}");
}

/// The whole volume, what is kept free of it, and the share of the rate that a full one loses.
const VOLUME_MIB: u32 = 48;
const KEPT_FREE_MIB: f64 = 2.0;
const LOSS: f64 = 0.8;

fn fills(measured: Measured) {
    let store = Faulty::over_memory(VOLUME_MIB, 4);
    store.faults().limit_falling_with_space(24_000_000, store.backing(), LOSS);
    let settings = ["file-size=1MiB", "blocks=64KiB"];
    let done = Done::of("fill", &store.path(), &["--keep-free", "2MiB"], &settings, measured);
    let volume = f64::from(VOLUME_MIB) * MIB;
    let usable = volume - KEPT_FREE_MIB * MIB;
    // The files of the measurement are there from the beginning: one for each of four workers.
    let files = 4.0 * MIB;
    let ballast: Vec<f64> = done.facts("fill").iter().map(|fact| number(fact, "ballast_bytes")).collect();
    for (ballast, level) in ballast.iter().zip([0.5, 0.8, 0.9, 0.95]) {
        // Ballast is written in pieces of 1 MiB.
        let found = (files + ballast) / usable;
        assert!((found - level).abs() < 1.5 * MIB / usable, "{found} is not {level}: {ballast}");
    }
    let rate = |used: f64| 1.0 - LOSS * used / volume;
    let found = at(&done.printed, "conclusion.percent_of_first").as_array().unwrap();
    assert_eq!(found.len(), 5, "{found:?}");
    for (found, ballast) in found.iter().zip(std::iter::once(0.0).chain(ballast)) {
        let computed = 100.0 * rate(files + ballast) / rate(files);
        within(measured.tolerance, found.as_f64().unwrap(), computed, "percent of the first level");
    }
    assert!(!store.path().join("reelgauge-area/ballast").exists());
}

#[test]
fn levels_are_those_of_a_store_that_slows_as_it_fills() {
    if needs::are_met(faulty::NEEDS) {
        let _turn = my_turn();
        fills(SHORT);
    }
}

/// The rate of a store without wear, and the bytes that halve it.
const FRESH_BYTES_PER_S: f64 = 24e6;
const HALF_BYTES: f64 = 16e6;

fn ages(measured: Measured) {
    let store = Faulty::over_memory(128, 4);
    store.faults().limit_falling_with_wear(FRESH_BYTES_PER_S as u64, "age-", HALF_BYTES);
    let settings = ["rounds=3", "age=500ms", "file-size=2MiB", "blocks=64KiB", "workers=4"];
    let done = Done::of("age", &store.path(), &[], &settings, measured);
    let mut worn = 0;
    let mut rates: Vec<f64> = Vec::new();
    for aged in done.facts("age") {
        worn += count(aged, "written_bytes");
        rates.push(FRESH_BYTES_PER_S / (1.0 + worn as f64 / HALF_BYTES));
    }
    // It reports every byte that it wrote.
    assert_eq!(worn, store.faults().worn_bytes());
    let [first, second, last] = rates[..] else { panic!("{rates:?}") };
    // The best straight line through three points has the slope from the first to the last.
    let change = 100.0 * (last - first) / ((first + second + last) / 3.0);
    let trends = at(&done.printed, "conclusion.trends").as_array().unwrap();
    assert_eq!(trends.len(), 2, "{trends:?}");
    for trend in trends {
        within(measured.tolerance, number(trend, "first_bytes_per_s"), first, "the first round");
        within(measured.tolerance, number(trend, "last_bytes_per_s"), last, "the last round");
        let found = number(trend, "change_percent");
        assert!((found - change).abs() < 100.0 * measured.tolerance, "{found}, computed {change}: {trend}");
    }
}

#[test]
fn the_trend_is_that_of_a_store_that_wears() {
    if needs::are_met(faulty::NEEDS) {
        let _turn = my_turn();
        ages(SHORT);
    }
}

/// The cost of an edit in addition to its bytes.
const EDIT_BYTES: f64 = 262_144.0;

fn edits(measured: Measured) {
    let store = Faulty::over_memory(64, 4);
    store.faults().limit_bytes_per_s(12_000_000);
    store.faults().jumps_cost(EDIT_BYTES as u64);
    let settings = ["file-size=2MiB", "length=2MiB", "max-length=256KiB", "blocks=64KiB", "workers=2"];
    let done = Done::of("whole-file-vs-edit", &store.path(), &[], &settings, measured);
    let figures = done.figures();
    let edits = &figures[1];
    let (transfers, bytes) = (number(edits, "ops_by_kind.open"), number(edits, "written_bytes"));
    let computed = 1.0 + transfers * EDIT_BYTES / bytes;
    within(
        measured.tolerance,
        number(&done.printed, "conclusion.ratio"),
        computed,
        "whole files against edits",
    );
}

#[test]
fn whole_files_save_the_cost_of_edits() {
    if needs::are_met(faulty::NEEDS) {
        let _turn = my_turn();
        edits(SHORT);
    }
}

fn creates(measured: Measured) {
    let store = Faulty::over_memory(64, 4);
    store.faults().limit_bytes_per_s(12_000_000);
    store.faults().growth_costs(200);
    let settings = ["file-size=1MiB", "length=1MiB", "blocks=64KiB", "workers=2"];
    let done = Done::of("create-vs-overwrite", &store.path(), &[], &settings, measured);
    within(
        measured.tolerance,
        number(&done.printed, "conclusion.ratio"),
        3.0,
        "overwriting against creating",
    );
}

#[test]
fn overwriting_saves_the_cost_of_allocation() {
    if needs::are_met(faulty::NEEDS) {
        let _turn = my_turn();
        creates(SHORT);
    }
}

/// The time of each request, whatever else is in flight.
const REQUEST_S: f64 = 0.06;

fn requests(measured: Measured) {
    let store = Faulty::over_memory(64, 40);
    // No limit, but writes to one file need not wait for each other.
    store.faults().limit_each_bytes_per_s(1 << 40);
    store.faults().delay(std::time::Duration::from_secs_f64(REQUEST_S));
    let settings = ["file-size=8MiB", "length=8MiB"];
    let done = Done::of("iometer", &store.path(), &[], &settings, measured);
    let figures = done.figures();
    assert_eq!(figures.len(), 8);
    let of_computed = |(at_row, figures): (usize, &Value)| {
        let in_flight = if at_row < 4 { 1.0 } else { 32.0 };
        let block = if at_row % 4 < 2 { 4096.0 } else { 131_072.0 };
        let computed = in_flight / REQUEST_S * block;
        number(figures, "bytes_per_s") / computed
    };
    let of_computed: Vec<f64> = figures.iter().enumerate().map(of_computed).collect();
    // Only whole requests count. A file is closed and opened between two transfers, and a busy host
    // delays each request.
    let least = 1.0 - 2.0 * measured.tolerance;
    assert!(of_computed.iter().all(|found| (least..1.02).contains(found)), "{of_computed:?}");
}

#[test]
fn accesses_have_the_rate_of_as_many_requests_as_are_in_flight() {
    if needs::are_met(faulty::NEEDS) {
        let _turn = my_turn();
        requests(SHORT);
    }
}

#[test]
fn longer_procedures_are_closer_to_computed_values() {
    require!(Need::Soak);
    if needs::are_met(faulty::NEEDS) {
        let _turn = my_turn();
        [fills, ages, edits, creates, requests].into_iter().for_each(|procedure| procedure(LONG));
    }
}
