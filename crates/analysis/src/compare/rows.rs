//! The rows of a comparison: each figure of a run is matched with the same figure of the other runs.

use super::evidence::Noise;
use super::figures::{
    PointKey, Reading, Weight, is_of_streams, is_throughput, late_of_point, of_point, of_run, points, weight,
};
use super::judge::judge;
use super::sides::Sides;
use super::{ComparedLate, ComparisonRow, FigureUnit, Judgement, Kinship, RunToCompare, Say, Shown};

/// A row under construction: the figure as each run has it.
struct Line {
    group: String,
    readings: Vec<Option<Reading>>,
}

/// The rows and the late frames that the comparison shows side by side.
pub(super) struct RowTable {
    pub(super) rows: Vec<ComparisonRow>,
    pub(super) late: Vec<ComparedLate>,
}

/// All rows: those of the whole run, then load point by load point, in the order of the first run that has
/// them.
pub(super) fn table(runs: &[RunToCompare<'_>], sides: &Sides, kinships: &[Kinship], say: &Say) -> RowTable {
    let keyed: Vec<_> = runs.iter().map(|run| points(run.summary)).collect();
    let keys: Vec<Vec<&PointKey>> =
        keyed.iter().map(|points| points.iter().map(|one| &one.0).collect()).collect();
    let with_totals = totals_compare(&keys, kinships);
    // Runs with different stream counts have one load point each, which represents the run.
    let is_across = kinships.contains(&Kinship::OtherCounts) && keys.iter().all(|keys| keys.len() == 1);
    let mut lines: Vec<Line> = Vec::new();
    let mut late: Vec<ComparedLate> = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        for reading in of_run(run, with_totals) {
            put(&mut lines, runs.len(), at, String::new(), reading);
        }
    }
    for (at, (run, points)) in runs.iter().zip(&keyed).enumerate() {
        for (key, point) in points {
            let own = key.group(is_alone(key, &keys));
            let place = |figure: &str| match is_across && is_of_streams(figure) {
                true => String::new(),
                false => own.clone(),
            };
            for reading in of_point(run, point) {
                put(&mut lines, runs.len(), at, place(&reading.figure), reading);
            }
            let facts = late_of_point(point);
            let group = place(super::figures::LATE_FRAMES);
            late.extend(facts.map(|facts| ComparedLate { run: at as u32, group, ..facts }));
        }
    }
    let mut rows: Vec<ComparisonRow> =
        lines.into_iter().filter_map(|line| row(line, sides, kinships, say)).collect();
    if is_across {
        // Rows that span different load points come first.
        rows.sort_by_key(|row| !(row.group.is_empty() && is_of_streams(&row.figure)));
    }
    RowTable { rows, late }
}

/// Totals over load points are compared if they cover the same load points, and there are several. They
/// are also compared if the only load point of each run has no counterpart, because nothing else would
/// be compared.
fn totals_compare(keys: &[Vec<&PointKey>], kinships: &[Kinship]) -> bool {
    let are_same = keys.windows(2).all(|pair| pair[0] == pair[1]);
    let are_single = keys.iter().all(|keys| keys.len() == 1);
    let is_kin =
        |kinship: &Kinship| matches!(kinship, Kinship::SameWork | Kinship::Itself | Kinship::OtherPlan);
    let are_kin = kinships.iter().all(is_kin);
    match are_same {
        true => keys.first().is_some_and(|keys| keys.len() > 1),
        false => are_single && are_kin,
    }
}

/// Whether no other load point of any run has this label.
fn is_alone(key: &PointKey, keys: &[Vec<&PointKey>]) -> bool {
    keys.iter().flatten().all(|other| other.label() != key.label() || *other == key)
}

/// Puts a reading into its row. A new row is inserted after the last one of its group.
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

fn row(line: Line, sides: &Sides, kinships: &[Kinship], say: &Say) -> Option<ComparisonRow> {
    let readings: Vec<Option<&Reading>> = line.readings.iter().map(Option::as_ref).collect();
    let model = readings.iter().flatten().next()?;
    let compares = |reading: &Reading, kinship: Kinship| match kinship {
        Kinship::SameWork | Kinship::Itself => true,
        Kinship::OtherCounts => is_of_streams(&reading.figure),
        Kinship::OtherPlan => weight(&reading.figure) < Weight::Headline || is_of_plans(&reading.figure),
        Kinship::OtherWork => false,
    };
    let of_kin = |(reading, kinship): (&Option<&'_ Reading>, &Kinship)| -> Option<Reading> {
        reading.filter(|reading| compares(reading, *kinship)).cloned()
    };
    let compared: Vec<Option<Reading>> = readings.iter().zip(kinships).map(of_kin).collect();
    let mut judged = judge(&compared.iter().map(Option::as_ref).collect::<Vec<_>>(), sides);
    for ((judged, kinship), reading) in judged.iter_mut().zip(kinships).zip(&readings) {
        if *kinship == Kinship::OtherPlan && weight(&model.figure) >= Weight::Headline && reading.is_some() {
            judged.judgement = without_direction(judged.judgement, is_of_plans(&model.figure));
        }
    }
    let text = |reading: &Option<&Reading>| match reading {
        Some(reading) => say(reading.unit, shown(reading)),
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

/// Throughput and failures, which are shown for different plans, but are neither better nor worse.
fn is_of_plans(figure: &str) -> bool {
    is_throughput(figure) || figure == "total.failed_ops"
}

/// The judgement on a figure of different operations.
fn without_direction(judgement: Judgement, is_compared: bool) -> Judgement {
    match judgement {
        _ if !is_compared => Judgement::OtherPlan,
        Judgement::Better | Judgement::Worse => Judgement::Different,
        judgement => judgement,
    }
}

/// A capacity is shown with its bounds.
fn shown(reading: &Reading) -> Shown {
    match (reading.unit, reading.noise) {
        (FigureUnit::Streams, Noise::Range { low, high: None, .. }) => Shown::AtLeast(low),
        (FigureUnit::Streams, Noise::Range { low, high: Some(high), .. }) if high > low => {
            Shown::Between(low, high)
        }
        _ => Shown::Exactly(reading.value),
    }
}
