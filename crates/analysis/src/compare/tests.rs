//! Comparisons of synthetic runs; those of simulated runs with known truth are in `tests/comparing.rs`.

#![allow(clippy::unwrap_used)]

mod cases;
mod disturbances;
mod draws;

use super::*;
use crate::summary::{Summary, Target};

/// Numbers as they are.
fn say(_: FigureUnit, value: Shown) -> String {
    match value {
        Shown::Exactly(value) => format!("{value:.1}"),
        Shown::AtLeast(value) => format!("{value:.1} or more"),
        Shown::Between(low, high) => format!("{low:.1} to {high:.1}"),
    }
}

/// A comparison of these runs, each with a different id and without known actors.
fn compared(summaries: &[Summary], repeats: Option<usize>) -> Comparison {
    // Runs that start at the same time would be taken as one run.
    let begun = |(at, summary): (usize, &Summary)| Summary {
        started_at: format!("2026-11-22T10:00:{at:02}Z"),
        ..summary.clone()
    };
    let summaries: Vec<Summary> = summaries.iter().enumerate().map(begun).collect();
    let runs: Vec<RunToCompare<'_>> = summaries.iter().map(|summary| run_of(summary, &[])).collect();
    compare(&runs, repeats, &say).unwrap()
}

fn run_of<'a>(summary: &'a Summary, work: &'a [WorkActor]) -> RunToCompare<'a> {
    RunToCompare { id: "run", summary, machines: &[], work }
}

/// The row of a figure; the first one, of any load point.
fn row<'a>(comparison: &'a Comparison, figure: &str) -> &'a ComparisonRow {
    comparison.rows.iter().find(|row| row.figure == figure).unwrap_or_else(|| panic!("no {figure}"))
}

fn target() -> Target {
    Target { path: "/mnt/nas".to_owned(), ..Target::default() }
}
