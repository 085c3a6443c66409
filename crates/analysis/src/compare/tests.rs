//! Comparisons of made-up runs, and of simulated ones whose truth is known.

#![allow(clippy::unwrap_used)]

mod cases;
mod simulated;

use super::*;
use crate::summary::{Summary, Target};

/// Numbers as they are.
fn say(_: Unit, value: f64) -> String {
    format!("{value:.1}")
}

/// A comparison of these runs, each on its own.
fn compared(summaries: &[Summary], repeats: Option<usize>) -> Comparison {
    let ids: Vec<String> = (1..=summaries.len()).map(|number| format!("run-{number}")).collect();
    let run = |(id, summary): (&'static str, _)| RunToCompare { id, summary, machines: &[], notes: None };
    let ids: Vec<&'static str> = ids.into_iter().map(|id| &*id.leak()).collect();
    let runs: Vec<RunToCompare<'_>> = ids.into_iter().zip(summaries).map(run).collect();
    compare(&runs, repeats, &say).unwrap()
}

/// The row of a figure; the first one, of any load point.
fn row<'a>(comparison: &'a Comparison, figure: &str) -> &'a ComparisonRow {
    comparison.rows.iter().find(|row| row.figure == figure).unwrap_or_else(|| panic!("no {figure}"))
}

fn target() -> Target {
    Target { path: "/mnt/nas".to_owned(), ..Target::default() }
}
