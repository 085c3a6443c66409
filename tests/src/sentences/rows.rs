//! Tables: a row of something unmeasured has no figures, and a verdict in a row is the summary's.

use serde_json::Value;

use super::prose::{cells, is_row};
use super::{is_cut_off, is_unmeasured, points};
use crate::run_dir::text;

/// The rows that the summary contradicts.
pub(super) fn untrue(screen: &str, summary: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    for table in tables(screen) {
        let head = table.iter().take(2).copied().collect::<Vec<_>>().join(" ");
        let rows = &table[table.len().min(2)..];
        let all_points = rows.len() == points(summary).len();
        if head.contains("measured") && head.contains("errors") && all_points {
            rows.iter()
                .zip(points(summary))
                .for_each(|(row, point)| load_point(row, point, &head, &mut wrong));
        }
        if head.contains("valid") && all_points {
            rows.iter().zip(points(summary)).for_each(|(row, point)| of_curve(row, point, &mut wrong));
        }
    }
    for format in summary.pointer("/check/formats").and_then(Value::as_array).into_iter().flatten() {
        wrong.extend(of_format(screen, format));
    }
    wrong
}

/// Groups of adjacent lines that are rows.
fn tables(screen: &str) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = screen.lines().collect();
    lines.split(|line| !is_row(line)).filter(|table| table.len() > 2).map(<[&str]>::to_vec).collect()
}

/// The count of numbers in a row.
fn numbers(row: &str) -> usize {
    row.split_whitespace().filter(|word| word.replace(',', "").parse::<f64>().is_ok()).count()
}

fn load_point(row: &str, point: &Value, head: &str, wrong: &mut Vec<String>) {
    let label = text(point, "label");
    // The label may contain a number. Workers or streams follow, and the measured time.
    let known = if row.trim().starts_with(label) && head.contains("load point") { numbers(label) } else { 0 };
    if is_unmeasured(point) && numbers(row) > known + 2 {
        wrong.push(format!("a figure of a load point that was not measured: {row}"));
    }
    if !head.contains("criteria") {
        return;
    }
    let passed = point.pointer("/verdict/passed").and_then(Value::as_bool);
    let failures = point.pointer("/verdict/failures").and_then(Value::as_array);
    let measured = failures.is_some_and(|all| all.iter().any(|failure| failure["measured"] == true));
    let expected = match (passed, measured) {
        (None, _) => "-",
        (Some(true), _) => "met",
        (Some(false), true) => "NOT MET",
        (Some(false), false) => "unknown",
    };
    if cells(row).last() != Some(&expected) || is_cut_off(point) && expected == "met" {
        wrong.push(format!("its criteria are '{expected}': {row}"));
    }
}

/// On a curve, an interrupted load point is neither valid nor invalid.
fn of_curve(row: &str, point: &Value, wrong: &mut Vec<String>) {
    let said = cells(row).last().copied().unwrap_or_default();
    if is_cut_off(point) && said != "unknown" {
        wrong.push(format!("it was cut off, and is neither valid nor not: {row}"));
    }
    // Streams and the requested rate.
    if is_unmeasured(point) && numbers(row) > 2 {
        wrong.push(format!("a figure of a load point that was not measured: {row}"));
    }
}

/// A format's cells for playing and recording: a count only if the check was completed.
fn of_format(screen: &str, format: &Value) -> Vec<String> {
    let name = text(format, "name");
    let row = screen.lines().find(|line| line.starts_with(name) && is_row(line));
    let Some(row) = row else {
        return vec![format!("'{name}' is not shown")];
    };
    let cells = cells(row);
    let wrong = ["play", "record"].into_iter().zip([1, 2]).filter_map(|(work, at)| {
        // A tick or a cross precedes a count.
        let cell = cells.get(at).copied().unwrap_or_default().trim_start_matches(['✓', '✗', ' ']);
        let found = format.get(work).filter(|found| !found.is_null());
        let streams = found.and_then(|found| found["streams"].as_u64());
        let is_least = found.is_some_and(|found| found["at_least"] == true);
        // A result of a short trial alone is not a bound.
        let is_short = found.is_some_and(|found| found["basis"] == "short_trial");
        let is_right = match (streams, is_least) {
            (None, _) => cell == "not measured",
            (Some(0), true) => cell == "unknown",
            (Some(streams), true) if !is_short => cell == format!("at least {streams}"),
            (Some(streams), _) => cell.split(' ').next() == Some(&streams.to_string()),
        };
        (!is_right).then(|| format!("{work} of '{name}' is '{cell}', in the summary {found:?}"))
    });
    wrong.collect()
}
