//! All figures of the load points as tables: a row for each figure, named as in `load-points.csv`, and a
//! column for each load point.
//!
//! Not here: the list of figures ([`crate::csv_files`]).

use reelgauge_analysis::Summary;

use super::{Block, Table};
use crate::csv_files::columns::CsvTable;
use crate::csv_files::write_csv;
use crate::sentence::{Sentence, Tone};
use crate::text::plain_short;
use crate::units::count;

/// The number of load points in one table.
const TOGETHER: usize = 5;
/// The most load points shown.
const POINTS: usize = 50;
/// Longer cells are cut.
const CELL_CHARS: usize = 40;
/// The column with the scope of a row. Rows of single workers are not shown.
const SCOPE: &str = "scope";

/// The tables, and the number of load points that they omit.
pub(super) fn figures(summary: &Summary) -> Vec<Block> {
    let Some((names, points)) = totals(summary) else { return Vec::new() };
    let shown = &points[..points.len().min(POINTS)];
    let mut blocks: Vec<Block> =
        shown.chunks(TOGETHER).map(|part| Block::Table(table(&names, part))).collect();
    if points.len() > shown.len() {
        let text = format!(
            "{} more load points are in load-points.csv: reelgauge report RUN --csv DIR.",
            count((points.len() - shown.len()) as u64)
        );
        blocks.push(Block::Paragraph(Sentence { tone: Tone::Plain, text }));
    }
    blocks
}

/// The names of all columns, and the row of each load point's total.
fn totals(summary: &Summary) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let mut bytes = Vec::new();
    write_csv(CsvTable::LoadPoints, summary, &mut bytes).ok()?;
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let names: Vec<String> = reader.headers().ok()?.iter().map(str::to_owned).collect();
    let scope = names.iter().position(|name| name == SCOPE)?;
    let rows = reader.records().filter_map(Result::ok).filter(|row| row.get(scope) == Some("total"));
    let points: Vec<Vec<String>> = rows.map(|row| row.iter().map(str::to_owned).collect()).collect();
    (!points.is_empty()).then_some((names, points))
}

/// A table of these load points. Figures that none of them has are omitted.
fn table(names: &[String], points: &[Vec<String>]) -> Table {
    let is_there = |at: &usize| points.iter().any(|point| !point[*at].is_empty()) && names[*at] != SCOPE;
    let rows: Vec<usize> = (0..names.len()).filter(is_there).collect();
    let mut table = Table::default();
    table.words("figure", rows.iter().map(|at| names[*at].clone()).collect());
    for point in points {
        // Its number is in the first row.
        table.column("", "", rows.iter().map(|at| plain_short(&point[*at], CELL_CHARS)).collect());
    }
    table
}
