//! The VDA-like workload matches its published definition, counted from the log by a script without code
//! of the product.

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::mounts::TempMount;
use reelgauge_tests::needs::Need;
use reelgauge_tests::run_dir::{at, count, number, summary as summary_of, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::within;
use reelgauge_tests::verb::Verb;
use reelgauge_tests::{python, require};
use serde_json::Value;

/// The label of every such figure.
const LABEL: &str = "VDA-like, not a SPEC result";

/// How long the load point of 100 streams is measured.
const MEASURED_S: f64 = 16.0;

/// The published sizes of writes: KiB and percent.
const WRITE_SIZES: &[(&str, f64)] = &[
    ("32768", 5.0),
    ("65536", 10.0),
    ("131072", 10.0),
    ("262144", 25.0),
    ("524288", 25.0),
    ("1048576", 25.0),
];

/// The published sizes of reads.
const READ_SIZES: &[(&str, f64)] =
    &[("65536", 15.0), ("131072", 10.0), ("262144", 20.0), ("524288", 35.0), ("1048576", 20.0)];

/// The published mix of the companion.
const COMPANION_MIX: &[(&str, f64)] = &[
    ("rand read", 84.0),
    ("read", 5.0),
    ("readdir", 3.0),
    ("rmw", 2.0),
    ("stat", 2.0),
    ("access", 2.0),
    ("create", 1.0),
    ("unlink", 1.0),
];

/// One in twenty writes is made durable.
const COMMITS: &[(&str, f64)] = &[("write", 95.0), ("committed write", 5.0)];

/// The values that chi-square exceeds once in a thousand, by degrees of freedom from 1.
const ONCE_IN_A_THOUSAND: [f64; 7] = [10.83, 13.82, 16.27, 18.47, 20.52, 22.46, 24.32];

/// Checks that the counts follow the expected shares, and that nothing else was counted.
#[track_caller]
fn is_drawn_by(counted: &Value, path: &str, shares: &[(&str, f64)]) {
    let counts = at(counted, path).as_object().unwrap();
    let unknown: Vec<&String> =
        counts.keys().filter(|key| shares.iter().all(|(name, _)| name != key)).collect();
    assert!(unknown.is_empty(), "'{path}' has {unknown:?}\n{counted:#}");
    let found = |name: &str| counts.get(name).map_or(0.0, |count| count.as_f64().unwrap());
    let all: f64 = shares.iter().map(|(name, _)| found(name)).sum();
    let parts = shares.iter().map(|(name, percent)| {
        let expected = all * percent / 100.0;
        assert!(expected >= 5.0, "{all} are too few for '{path}'");
        (found(name) - expected).powi(2) / expected
    });
    let chi_square: f64 = parts.sum();
    let most = ONCE_IN_A_THOUSAND[shares.len() - 2];
    assert!(chi_square < most, "'{path}': chi-square {chi_square}, not below {most}\n{counted:#}");
}

#[test]
fn rates_sizes_and_mix_are_the_published_ones() {
    require!(Need::Root, Need::Python);
    let _turn = my_turn();
    // In memory: the request is judged, and 100 streams request 440 MB/s. The rarest operation of
    // companions is expected 16 times.
    let mount = TempMount::tmpfs(1536);
    let vda = Verb::on("vda", mount.path())
        .with(&["--points", "100", "--file-size", "2MiB", "--files", "2", "--driver", "uring"])
        .with(&["--warmup", "1s", "--duration", &format!("{MEASURED_S}s"), "--seed", "7"]);
    let summary = vda.measure();
    let counted = python::script("vda_rates.py", &[&vda.run_dir()]);
    let point = at(&counted, "points.0");
    for (component, ops_per_s) in [("camera", 9.0), ("companion", 1.0)] {
        assert_eq!(count(point, &format!("{component}.workers")), 100);
        assert_eq!(count(point, &format!("{component}.short_ops")), 0);
        assert_eq!(count(point, &format!("{component}.jumps")), 0, "sequential means one after the other");
        // Within one operation: the last one of a stream may be due at the moment when the time ends.
        for end in ["min", "max"] {
            within(point, &format!("{component}.ops_per_s_{end}"), ops_per_s, 1.01 / MEASURED_S);
        }
    }
    within(point, "camera.written_kib_per_s_each", 4219.2, 4219.2 * 0.02);
    is_drawn_by(point, "camera.write_sizes", WRITE_SIZES);
    is_drawn_by(point, "camera.kinds", COMMITS);
    is_drawn_by(point, "companion.read_sizes", READ_SIZES);
    is_drawn_by(point, "companion.kinds", COMPANION_MIX);
    // The run reports the same about itself.
    let stated = at(&summary, "vda.points.0");
    assert_eq!(count(stated, "streams"), 100);
    within(stated, "requested_ops_per_s", 1000.0, 1e-6);
    within(stated, "achieved_ops_per_s", 1000.0, 1000.0 * 0.005);
    assert_eq!(at(stated, "valid"), true, "{stated:#}");
}

#[test]
fn curve_is_labelled_vda_like() {
    let _turn = my_turn();
    let scratch = Scratch::new();
    let small = ["--file-size", "4MiB", "--files", "2", "--warmup", "500ms", "--duration", "2s"];
    let vda = |points: &str| {
        Verb::on("vda", scratch.dir("target")).with(&small).with(&["--points", points, "--seed", "7"])
    };
    let even = vda("1..3");
    let summary = even.measure();
    let facts = at(&summary, "vda");
    assert_eq!(text(facts, "label"), LABEL);
    assert!(text(facts, "data_set_note").contains("4"), "{facts:#}");
    assert_eq!(at(facts, "uneven_steps").as_array().unwrap().len(), 0, "{facts:#}");
    let points = at(facts, "points").as_array().unwrap();
    let streams: Vec<u64> = points.iter().map(|point| count(point, "streams")).collect();
    assert_eq!(streams, [1, 2, 3]);
    // The verified formula: the area below the curve by its own width.
    let (x, y): (Vec<f64>, Vec<f64>) = points
        .iter()
        .map(|point| (number(point, "achieved_ops_per_s"), number(point, "mean_response_ms")))
        .unzip();
    let area: f64 = (0..2).map(|i| (x[i + 1] - x[i]) * (y[i] + y[i + 1]) / 2.0).sum();
    let expected = area / (x[2] - x[0]);
    within(facts, "overall_response_time_ms", expected, 0.002 + expected * 0.01);
    // Three points of two seconds are not comparable with published results, so there has to be a note.
    assert!(!text(facts, "ort_note").is_empty(), "{facts:#}");
    let uneven = vda("1,2,6");
    let shown = uneven.run_plain().expect_end().words();
    assert!(shown.contains(LABEL), "{shown}");
    assert!(!shown.replace(LABEL, "").contains("SPEC "), "{shown}");
    let kept = summary_of(&uneven.run_dir());
    assert!(!at(&kept, "vda.uneven_steps").as_array().unwrap().is_empty());
}
