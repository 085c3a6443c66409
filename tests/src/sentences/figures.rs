//! Every number with a unit in a sentence has to be a figure of the summary, rounded as it is written.

use serde_json::Value;

use super::{amount, points};

/// Parts of a summary that no sentence is made from. Their hundreds of figures would match any number.
const NOT_TOLD: [&str; 3] = ["series", "plan", "data_set"];

/// The beginning of the only sentence that is made from the series.
const STANDSTILL: &str = "The storage did not respond for ";
/// Part of the sentence about operations that began late.
const LATE_FROM: &str = "more than 1 ms";

/// Parts whose sentences contain a word that marks them.
const TOLD_WITH: [(&str, &str); 2] = [("per_worker", "worker"), ("paper", "§")];

/// "Out of 100", or the number of recommended runs, is not a figure.
const IDIOM: f64 = 100.0;

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    BytesPerSecond,
    Microseconds,
    Bytes,
    OpsPerSecond,
    Streams,
    Frames,
    Operations,
    Workers,
}

/// A number as it is written, in the base of its unit, and half the value of its last digit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Told {
    unit: Unit,
    value: f64,
    rounding: f64,
}

/// The numbers that are not figures of the summary.
pub(super) fn untrue(sentences: &[String], summary: &Value) -> Vec<String> {
    let wrong = sentences.iter().flat_map(|sentence| {
        let mut figures = Vec::new();
        collect(summary, "", sentence, &mut figures);
        if sentence.contains(STANDSTILL) {
            collect(&summary["series"]["standstills"], "standstills", sentence, &mut figures);
        }
        figures.extend([late_through_the_tool(summary), measured(summary)]);
        // The threshold of a late operation, which is no figure.
        figures.extend(sentence.contains(LATE_FROM).then_some((Unit::Microseconds, 1_000.0)));
        let told = told(sentence).into_iter().filter(move |(_, told)| !is_figure(told, &figures));
        told.map(move |(text, _)| format!("'{text}' is no figure of the summary: {sentence}"))
    });
    wrong.collect()
}

/// The frames that Reelgauge itself made late, in all load points.
fn late_through_the_tool(summary: &Value) -> (Unit, f64) {
    let late = |point| amount(point, "streams.total.late_frames_with_own_delay");
    (Unit::Frames, points(summary).iter().map(late).sum())
}

/// The measured time of all load points.
fn measured(summary: &Value) -> (Unit, f64) {
    (Unit::Microseconds, points(summary).iter().map(|point| amount(point, "measured_s")).sum::<f64>() * 1e6)
}

fn is_figure(told: &Told, figures: &[(Unit, f64)]) -> bool {
    // A zero in the summary was measured, otherwise it would be null. But no response takes zero time.
    let is_zero_time = told.unit == Unit::Microseconds && told.value == 0.0 && told.rounding <= 0.5;
    let near = |figure: f64| (figure - told.value).abs() <= told.rounding * 1.001;
    !is_zero_time && figures.iter().any(|(unit, figure)| *unit == told.unit && near(*figure))
}

/// The numbers of a sentence that have a unit, each with its text.
fn told(sentence: &str) -> Vec<(String, Told)> {
    let words: Vec<&str> = sentence.split(' ').collect();
    let pairs = words.windows(2).filter_map(|pair| {
        let (number, word) = (pair[0].trim_start_matches('('), pair[1]);
        let told = read(number, word.trim_matches(|c: char| ",.;:()".contains(c)))?;
        Some((format!("{number} {word}"), told))
    });
    pairs.filter(|(_, told)| told.value != IDIOM || told.unit != Unit::Operations).collect()
}

fn read(number: &str, word: &str) -> Option<Told> {
    let (unit, scale) = match word {
        "MB/s" | "read" | "written" => (Unit::BytesPerSecond, 1e6),
        "µs" => (Unit::Microseconds, 1.0),
        "ms" => (Unit::Microseconds, 1e3),
        "s" => (Unit::Microseconds, 1e6),
        "kB" => (Unit::Bytes, 1e3),
        "MB" => (Unit::Bytes, 1e6),
        "GB" => (Unit::Bytes, 1e9),
        "op/s" => (Unit::OpsPerSecond, 1.0),
        "stream" | "streams" | "player" | "players" | "recorder" | "recorders" | "×" => (Unit::Streams, 1.0),
        "frame" | "frames" | "late" => (Unit::Frames, 1.0),
        "operation" | "operations" => (Unit::Operations, 1.0),
        "worker" | "workers" => (Unit::Workers, 1.0),
        _ => return None,
    };
    let plain = number.replace(',', "");
    let value: f64 = plain.parse().ok()?;
    let decimals = plain.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let rounding = 0.5 * scale * 10f64.powi(-i32::try_from(decimals).ok()?);
    Some(Told { unit, value: value * scale, rounding })
}

/// All figures below a value that a sentence may be made from, by name.
fn collect(value: &Value, name: &str, sentence: &str, into: &mut Vec<(Unit, f64)>) {
    match value {
        Value::Object(fields) => {
            let is_told = |name: &str| {
                let with = TOLD_WITH.iter().find(|(part, _)| *part == name);
                !NOT_TOLD.contains(&name) && with.is_none_or(|(_, word)| sentence.contains(word))
            };
            // Evidence of a limit has its name in the next field.
            let measured = fields.get("measure").and_then(Value::as_str).zip(fields.get("value"));
            if let Some((measure, value)) = measured {
                collect(value, measure, sentence, into);
            }
            for (field, value) in fields.iter().filter(|(field, _)| is_told(field)) {
                collect(value, field, sentence, into);
            }
        }
        Value::Array(all) => {
            if name == "streams" {
                into.push((Unit::Streams, all.len() as f64));
            }
            all.iter().for_each(|value| collect(value, name, sentence, into));
        }
        Value::Number(number) => into.extend(unit_of(name, number.as_f64().unwrap_or(f64::NAN))),
        _ => {}
    }
}

/// The unit that a name ends with, or the thing that it counts.
fn unit_of(name: &str, value: f64) -> Option<(Unit, f64)> {
    let ends = [
        ("ops_per_s", Unit::OpsPerSecond, 1.0),
        ("bytes_per_s", Unit::BytesPerSecond, 1.0),
        ("mb_per_s", Unit::BytesPerSecond, 1e6),
        ("cpu_us_per_op", Unit::Microseconds, 1.0),
        ("_us", Unit::Microseconds, 1.0),
        ("_ms", Unit::Microseconds, 1e3),
        ("_ms_p99", Unit::Microseconds, 1e3),
        ("_s", Unit::Microseconds, 1e6),
        ("bytes", Unit::Bytes, 1.0),
        ("streams", Unit::Streams, 1.0),
        ("stream_count", Unit::Streams, 1.0),
        ("at_most", Unit::Streams, 1.0),
        ("frames_judged", Unit::Frames, 1.0),
        ("frames", Unit::Frames, 1.0),
        ("frames_with_own_delay", Unit::Frames, 1.0),
        ("ops", Unit::Operations, 1.0),
        ("rows", Unit::Operations, 1.0),
        ("workers", Unit::Workers, 1.0),
    ];
    let (_, unit, scale) = ends.into_iter().find(|(end, ..)| name.ends_with(end))?;
    Some((unit, value * scale))
}
