//! The words of a verdict, and words that claim a measurement. Each has to follow from completed load
//! points.

use serde_json::Value;

use super::{amount, is_complete, is_cut_off, is_unmeasured, points};

/// Whether the summary supports the words, given their sentence.
type Holds = fn(&Value, &str) -> bool;

/// Words, and the condition under which they are true.
const CLAIMS: [(&str, Holds); 25] = [
    ("ithout a late frame", |summary, _| {
        carries_a_format(summary) || points(summary).iter().any(|point| passed(point) && !has_late(point))
    }),
    ("no frame of", |summary, _| points(summary).iter().any(|point| judged(point) && !has_late(point))),
    ("NOT MET", |summary, _| points(summary).iter().any(failed) || is_invalid(summary, None)),
    ("INCONCLUSIVE", |summary, _| {
        let reasons = summary.pointer("/statement/inconclusive").and_then(Value::as_array);
        reasons.is_some_and(|reasons| !reasons.is_empty())
    }),
    ("NOT VALID", is_named_point_invalid),
    ("not even", |summary, _| is_first_point_invalid(summary)),
    ("Not even", |summary, _| is_complete(summary) && amount(summary, "search.streams") == 0.0),
    ("Even a single stream", |summary, _| every_format_is_known(summary)),
    ("does not sustain", |summary, _| {
        summary.pointer("/search/complete") == Some(&true.into()) && amount(summary, "search.streams") == 0.0
    }),
    ("sustains", |summary, _| is_no_open_search(summary)),
    ("every time", |summary, sentence| is_no_open_search(summary) || sentence.starts_with("UNKNOWN")),
    ("every trial", |summary, _| is_no_open_search(summary)),
    ("At least", |summary, _| is_complete(summary) && passed_every_time(summary)),
    ("ng at least", is_lower_bound),
    ("at least 0", |_, _| false),
    ("with 0 streams passed so far", |_, _| false),
    ("met the criteria", |summary, _| points(summary).iter().any(passed)),
    ("No operation failed", |summary, _| {
        points(summary).iter().any(|point| amount(point, "total.ops") > 0.0)
            && points(summary).iter().all(|point| amount(point, "total.failed_ops") == 0.0)
    }),
    ("Every operation had", |summary, _| every_pass(summary, "complete")),
    ("all data read back", |summary, _| {
        summary.pointer("/verify/checked_bytes").is_some() && amount(summary, "verify.different_bytes") == 0.0
    }),
    ("closest to being late", |summary, _| points(summary).iter().any(judged)),
    ("is not valid", |summary, _| is_invalid(summary, None)),
    ("no load point is valid", |summary, _| is_first_point_invalid(summary)),
    ("The workers differ", |summary, _| {
        let all_did = |point: &Value| {
            let workers = point["per_worker"].as_array();
            workers.is_some_and(|all| all.iter().all(|worker| amount(worker, "ops") > 0.0))
        };
        points(summary).iter().any(|point| !is_cut_off(point) || all_did(point))
    }),
    (" the highest rate of ", is_of_a_whole_point),
];

/// Whether a quick check has a lower bound as its count, and the sentence names it first.
fn is_lower_bound(summary: &Value, sentence: &str) -> bool {
    let formats = summary.pointer("/check/formats").and_then(Value::as_array);
    let counts = formats.into_iter().flatten().flat_map(|format| [&format["play"], &format["record"]]);
    counts.filter(|count| count["at_least"] == true).any(|count| {
        let streams = count["streams"].as_u64().filter(|streams| *streams > 0);
        streams.is_some_and(|streams| {
            let of_them = [format!("at least {streams} ×"), format!("recording at least {streams}")];
            of_them.iter().any(|words| sentence.contains(words))
        })
    })
}

/// The words of all claims.
#[cfg(test)]
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    CLAIMS.iter().map(|(words, _)| *words)
}

/// Whether a sentence has any of the words.
pub(super) fn claims_anything(sentence: &str) -> bool {
    CLAIMS.iter().any(|(words, _)| sentence.contains(words))
}

/// The claims that are untrue, and what is missing.
pub(super) fn untrue(sentences: &[String], summary: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    for sentence in sentences {
        let false_ones =
            CLAIMS.iter().filter(|(words, holds)| sentence.contains(words) && !holds(summary, sentence));
        wrong.extend(false_ones.map(|(words, _)| format!("nothing bears out '{words}': {sentence}")));
        let is_cut_off = sentence.contains("partly") || sentence.contains("run stopped before");
        if sentence.starts_with("Replayed ") && !is_cut_off && !was_replayed(summary) {
            wrong.push(format!("no pass came to its end: {sentence}"));
        }
        let zero = [" 0 MB/s", " 0 µs", " 0 ms"].into_iter().find(|zero| sentence.contains(zero));
        wrong.extend(zero.filter(|_| !has_whole_point(summary)).map(|zero| format!("{zero}: {sentence}")));
    }
    wrong.extend(unsaid(sentences, summary));
    wrong
}

/// The statement that an interrupted run lacks.
fn unsaid(sentences: &[String], summary: &Value) -> Option<String> {
    if is_complete(summary) {
        return None;
    }
    let said = |words: &[&str]| sentences.iter().any(|said| words.iter().any(|words| said.contains(words)));
    if !said(&["was interrupted", "ended unexpectedly"]) {
        return Some("it does not say that it was stopped".to_owned());
    }
    let nothing = points(summary).iter().all(is_unmeasured);
    let words =
        ["Nothing was measured", "UNKNOWN", "Unknown", "No streams were measured", "stopped before it found"];
    (nothing && !said(&words)).then(|| "it does not say that nothing was measured".to_owned())
}

fn judged(point: &Value) -> bool {
    amount(point, "streams.total.frames_judged") > 0.0
}

fn has_late(point: &Value) -> bool {
    amount(point, "streams.total.late_frames") > 0.0
}

/// The load point was completed, and its criteria were met.
fn passed(point: &Value) -> bool {
    !is_cut_off(point) && point.pointer("/verdict/passed") == Some(&true.into())
}

/// The load point was completed, and a measured criterion was not met.
fn failed(point: &Value) -> bool {
    let failures = point.pointer("/verdict/failures").and_then(Value::as_array);
    let measured = failures.is_some_and(|all| all.iter().any(|failure| failure["measured"] == true));
    !is_cut_off(point) && measured
}

fn has_whole_point(summary: &Value) -> bool {
    points(summary).iter().any(|point| !is_cut_off(point) && amount(point, "total.ops") > 0.0)
}

/// Whether a completed load point of the curve is invalid: the one with so many streams, or any.
fn is_invalid(summary: &Value, streams: Option<u64>) -> bool {
    let curve = summary.pointer("/vda/points").and_then(Value::as_array);
    let curve = curve.into_iter().flatten().zip(points(summary));
    let mut of_them = curve.filter(|(point, _)| streams.is_none_or(|streams| point["streams"] == streams));
    of_them.any(|(point, measured)| point["valid"] == false && !is_cut_off(measured))
}

fn is_named_point_invalid(summary: &Value, sentence: &str) -> bool {
    let after = sentence.split("NOT VALID with ").nth(1).unwrap_or_default();
    let streams = after.split(' ').next().and_then(|word| word.replace(',', "").parse().ok());
    streams.is_some_and(|streams| is_invalid(summary, Some(streams)))
}

fn is_first_point_invalid(summary: &Value) -> bool {
    let is_invalid = summary.pointer("/vda/points/0/valid") == Some(&false.into());
    is_invalid && points(summary).first().is_some_and(|point| !is_cut_off(point))
}

fn formats(summary: &Value) -> impl Iterator<Item = &Value> {
    summary.pointer("/check/formats").and_then(Value::as_array).into_iter().flatten()
}

fn carries_a_format(summary: &Value) -> bool {
    formats(summary).any(|format| amount(format, "play.streams") + amount(format, "record.streams") > 0.0)
}

/// Whether the checks of every format were completed, both playing and recording.
fn every_format_is_known(summary: &Value) -> bool {
    let is_known = |format: &Value| ["play", "record"].iter().all(|work| !format[*work].is_null());
    is_complete(summary) && formats(summary).next().is_some() && formats(summary).all(is_known)
}

/// Whether the count that a search found passed in every trial.
fn passed_every_time(summary: &Value) -> bool {
    let found = amount(summary, "search.streams");
    let trials = summary.pointer("/search/trials").and_then(Value::as_array);
    let mut at_it = trials.into_iter().flatten().filter(|trial| amount(trial, "streams") == found);
    // A quick check has no trials, and reports the confidence of each format.
    summary.get("search").is_none() || at_it.any(|trial| amount(trial, "passed") > 0.0)
}

/// Not a search that ended before it was certain. Other sentences report the speed of a link.
fn is_no_open_search(summary: &Value) -> bool {
    summary.pointer("/search/complete") != Some(&false.into())
}

fn every_pass(summary: &Value, what: &str) -> bool {
    let passes = summary.pointer("/replay/passes").and_then(Value::as_array);
    passes.is_some_and(|all| !all.is_empty() && all.iter().all(|pass| pass[what] == true))
}

/// Whether any pass of a replay was completed.
fn was_replayed(summary: &Value) -> bool {
    let passes = summary.pointer("/replay/passes").and_then(Value::as_array);
    passes.into_iter().flatten().any(|pass| pass["complete"] == true)
}

/// Whether `7 workers moved 85 MB/s …, the highest rate of 3 load points` is about a completed load point, if
/// there is one.
fn is_of_a_whole_point(summary: &Value, sentence: &str) -> bool {
    let workers = sentence.split(' ').zip(sentence.split(' ').skip(1));
    let mut workers = workers.filter(|(_, word)| word.starts_with("worker")).map(|(number, _)| number);
    let number = workers.next().and_then(|number| number.parse::<f64>().ok());
    let told = |point: &&Value| number.is_none_or(|number| amount(point, "workers") == number);
    !has_whole_point(summary) || points(summary).iter().filter(told).any(|point| !is_cut_off(point))
}
