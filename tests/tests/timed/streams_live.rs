//! The live output of a run while its file system stalls: counts, alarms, and the figures at the end.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use reelgauge_tests::console::{Console, until};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, summary};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::{SMALL, late_frames_in_log};
use serde_json::{Value, json};

/// How long it stalls. The buffer lasts half a second.
const FROZEN: Duration = Duration::from_secs(4);
/// How many streams there are: the live count of each may be off by a frame.
const STREAMS: u64 = 3;

/// The metrics of a run every half second: each with its values, `None` if it was missing.
#[derive(Default)]
struct Scraped {
    bodies: Vec<String>,
}

impl Scraped {
    fn values(&self, name: &str, id: &str) -> Vec<Option<f64>> {
        let start = format!("{name}{{run=\"{id}\"}} ");
        let value = |body: &String| body.lines().find_map(|line| line.strip_prefix(&start)?.parse().ok());
        self.bodies.iter().map(value).collect()
    }

    /// As a series of promtool's tests.
    fn series(&self, name: &str, id: &str) -> Value {
        let word = |value: Option<f64>| value.map_or("_".to_owned(), |value| value.to_string());
        let values: Vec<String> = self.values(name, id).into_iter().map(word).collect();
        json!({"series": format!("{name}{{run=\"{id}\"}}"), "values": values.join(" ")})
    }
}

fn rules() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs/prometheus/reelgauge.rules.yml")
        .canonicalize()
        .unwrap()
}

#[track_caller]
fn promtool(words: &[&Path]) {
    let output = Command::new("promtool").args(words).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}\n{said}");
}

/// Checks with Prometheus whether the scraped metrics raise these alarms at these steps, or not.
#[track_caller]
fn raises(scraped: &Scraped, id: &str, alarms: &[(&str, usize, bool)]) {
    let series = [
        "reelgauge_no_answer_seconds",
        "reelgauge_longest_operation_in_flight_seconds",
        "reelgauge_worst_margin_seconds",
        "reelgauge_late_frames_total",
        "reelgauge_news_age_seconds",
    ];
    let tests: Vec<Value> = alarms
        .iter()
        .map(|(alarm, step, is_raised)| {
            let samples = if *is_raised { vec![json!({"labels": "{}", "value": 1})] } else { Vec::new() };
            let firing = format!("count(ALERTS{{alertname=\"{alarm}\", alertstate=\"firing\"}})");
            json!({"expr": firing, "eval_time": format!("{step}s"), "exp_samples": samples})
        })
        .collect();
    // A second for each scrape, whenever it was.
    let test = json!({
        "rule_files": [rules()],
        "evaluation_interval": "1s",
        "tests": [{
            "interval": "1s",
            "input_series": series.map(|name| scraped.series(name, id)),
            "promql_expr_test": tests,
        }],
    });
    let scratch = Scratch::new();
    let file = scratch.path().join("scraped.yml");
    // JSON is YAML.
    std::fs::write(&file, test.to_string()).unwrap();
    promtool(&[Path::new("test"), Path::new("rules"), &file]);
}

/// At every tick the live count is the number of frames that were late and whose deadlines had passed by
/// then, as an independent script finds them in the log.
#[track_caller]
fn live_counts_are_those_of_the_log(run: &Path, events: &[Value]) {
    let counted = late_frames_in_log(run);
    let deadlines_ns: Vec<u64> = at(&counted, "points.0.late_deadlines_ns")
        .as_array()
        .unwrap()
        .iter()
        .map(|ns| ns.as_u64().unwrap())
        .collect();
    let mut compared = 0;
    for tick in events.iter().filter(|event| event["event"] == "live") {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let at_ns = (tick["at_s"].as_f64().unwrap() * 1e9) as u64;
        let passed_by = |ns: u64| deadlines_ns.iter().filter(|&&deadline_ns| deadline_ns < ns).count() as u64;
        // The tick's time is rounded to the millisecond.
        let (least, most) = (passed_by(at_ns), passed_by(at_ns + 1_000_000));
        let live = count(tick, "late_frames");
        assert!(live + STREAMS >= least && live <= most + STREAMS, "{live}, not {least} to {most}\n{tick}");
        compared += u64::from(0 < least && least < deadlines_ns.len() as u64);
    }
    assert!(compared >= 4, "{compared} ticks between the first late frame and the last\n{events:#?}");
}

#[test]
fn a_freeze_is_reported_live_and_final_figures_equal_the_summary() {
    require!(
        Need::Root,
        Need::Python,
        Need::Tool("fsfreeze"),
        Need::Tool("promtool"),
        Need::FileSystem("ext4")
    );
    let (_turn, runs) = (my_turn(), Scratch::new());
    let mount = TempMount::image(ImageKind::Ext4, 512);
    let console = Console::start(mount.path(), runs.path());
    let values = json!({"path": mount.path(), "actor": "recorder", "count": STREAMS.to_string(),
        "format": SMALL.id, "buffer": "12frames", "policy": "drop", "direct": "true", "seed": "7",
        "warmup": "500ms", "duration": "9s"});
    let id = console.start_run("streams", &values);
    let mut live = console.client.events(&format!("/api/runs/{id}/live"));
    let measures = |event: &Value| event["event"] == "live" && event["elapsed_s"].as_f64() > Some(1.5);
    let mut events: Vec<Value> = Vec::new();
    while !events.last().is_some_and(&measures) {
        events.push(live.next().unwrap());
    }
    let frozen = mount.freeze();
    let begun = Instant::now();
    let mut scraped = Scraped::default();
    while begun.elapsed() < FROZEN {
        scraped.bodies.push(console.client.get("/metrics").expect(200).body);
        std::thread::sleep(Duration::from_millis(500));
    }
    let frozen_steps = scraped.bodies.len();
    drop(frozen);
    events.extend(live);
    until("it has ended", || console.entry(&id).unwrap()["state"] == "complete");
    scraped.bodies.push(console.client.get("/metrics").expect(200).body);

    let (run, summary) = (runs.path().join(&id), summary(&runs.path().join(&id)));
    let late = count(&summary, "load_points.0.streams.total.late_frames");
    // Three and a half seconds of three streams at 25 frames/s, and what freezing and thawing take.
    assert!(late > 200, "{late}");
    live_counts_are_those_of_the_log(&run, &events);
    // In the end the live figures equal those of the summary.
    let last_tick = events.iter().rfind(|event| event["event"] == "live").unwrap();
    assert_eq!(count(last_tick, "late_frames"), late);
    assert_eq!(count(events.last().unwrap(), "late_frames"), late, "{}", events.last().unwrap());
    #[allow(clippy::cast_precision_loss)]
    let told = scraped.values("reelgauge_late_frames_total", &id);
    assert_eq!(told.last(), Some(&Some(late as f64)), "{told:?}");
    // Silence is reported within a second, grows with the clock, and ends when responses arrive.
    let silent_s = |event: &Value| event["no_answer_s"].as_f64();
    let longest = events.iter().filter_map(silent_s).fold(0.0, f64::max);
    assert!(longest > FROZEN.as_secs_f64() - 1.5, "{longest}");
    let first = events.iter().find_map(silent_s).unwrap();
    assert!(first < 1.0, "first told after {first} s");
    assert_eq!(silent_s(last_tick), None, "{last_tick}");
    // Margins run out, of every stream.
    let worst_ms = |event: &Value| event["margin_ms"].as_i64();
    assert!(events.iter().filter_map(worst_ms).min() < Some(-2_000));
    assert_eq!(last_tick["streams"]["stream"].as_array().unwrap().len() as u64, STREAMS);
    promtool(&[Path::new("check"), Path::new("rules"), &rules()]);
    let (last_frozen, ended) = (frozen_steps - 1, scraped.bodies.len() - 1);
    let alarms = [
        ("ReelgaugeNoAnswer", last_frozen, true),
        ("ReelgaugeFramesLate", last_frozen, true),
        ("ReelgaugeNoAnswer", ended, false),
    ];
    raises(&scraped, &id, &alarms);
}
