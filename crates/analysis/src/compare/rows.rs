//! The rows of a comparison: every figure that a run has, matched with the same figure of the others.

use super::figures::{PointKey, Reading, of_point, of_run, points};
use super::judge::judge;
use super::sides::Sides;
use super::{ComparisonRow, RunToCompare, Say};

/// A row under construction: the figure as each run has it.
struct Line {
    group: String,
    readings: Vec<Option<Reading>>,
}

/// All rows: those of the whole run, then load point by load point, in the order of the first run that has
/// them.
pub(super) fn rows(runs: &[RunToCompare<'_>], sides: &Sides, say: &Say) -> Vec<ComparisonRow> {
    let keyed: Vec<_> = runs.iter().map(|run| points(run.summary)).collect();
    let keys: Vec<Vec<&PointKey>> =
        keyed.iter().map(|points| points.iter().map(|one| &one.0).collect()).collect();
    let with_totals = totals_compare(&keys);
    let mut lines: Vec<Line> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        for reading in of_run(run.summary, with_totals) {
            put(&mut lines, runs.len(), at, String::new(), reading);
        }
    }
    for (at, (run, points)) in runs.iter().zip(&keyed).enumerate() {
        for (key, point) in points {
            let group = key.group(is_alone(key, &keys));
            for reading in of_point(run.summary, point) {
                put(&mut lines, runs.len(), at, group.clone(), reading);
            }
        }
    }
    lines.into_iter().filter_map(|line| row(line, sides, say)).collect()
}

/// Totals over load points are compared where they are over the same ones, and there are several; or where
/// the one of each run has no counterpart, so that nothing else would be compared.
fn totals_compare(keys: &[Vec<&PointKey>]) -> bool {
    let are_same = keys.windows(2).all(|pair| pair[0] == pair[1]);
    let are_single = keys.iter().all(|keys| keys.len() == 1);
    match are_same {
        true => keys.first().is_some_and(|keys| keys.len() > 1),
        false => are_single,
    }
}

/// Whether no other load point of any run has this label and is another one.
fn is_alone(key: &PointKey, keys: &[Vec<&PointKey>]) -> bool {
    keys.iter().flatten().all(|other| other.label() != key.label() || *other == key)
}

/// Puts a reading into its line, which is made behind the last one of its group where there is none yet.
fn put(lines: &mut Vec<Line>, runs: usize, run: usize, group: String, reading: Reading) {
    let is_it = |line: &Line| {
        line.group == group && line.readings.iter().flatten().any(|other| other.figure == reading.figure)
    };
    if let Some(line) = lines.iter_mut().find(|line| is_it(line)) {
        line.readings[run] = Some(reading);
        return;
    }
    let place = lines.iter().rposition(|line| line.group == group).map_or(lines.len(), |last| last + 1);
    let mut readings = vec![None; runs];
    readings[run] = Some(reading);
    lines.insert(place, Line { group, readings });
}

fn row(line: Line, sides: &Sides, say: &Say) -> Option<ComparisonRow> {
    let readings: Vec<Option<&Reading>> = line.readings.iter().map(Option::as_ref).collect();
    let model = readings.iter().flatten().next()?;
    let judged = judge(&readings, sides);
    let text = |reading: &Option<&Reading>| match reading {
        Some(reading) => say(reading.unit, reading.value),
        None => "-".to_owned(),
    };
    Some(ComparisonRow {
        figure: model.figure.clone(),
        label: model.label.clone(),
        unit: model.unit,
        better: model.better,
        values: readings.iter().map(|reading| reading.map(|reading| reading.value)).collect(),
        texts: readings.iter().map(text).collect(),
        change_percent: judged.iter().map(|one| one.change_percent).collect(),
        noise_percent: judged.iter().map(|one| one.noise_percent).collect(),
        judgement: judged.iter().map(|one| one.judgement).collect(),
        group: line.group,
    })
}
