//! Every figure of the load points as tables: a row for each figure under the name that it has in
//! `load-points.csv`, a column for each load point.
//!
//! Not here: which figures there are ([`crate::csv_files`]).

use reelgauge_analysis::Summary;

use super::{Block, Table};
use crate::csv_files::columns::CsvTable;
use crate::csv_files::write_csv;
use crate::sentence::{Sentence, Tone};
use crate::text::plain_short;
use crate::units::count;

/// Load points in one table.
const TOGETHER: usize = 5;
/// Load points that are shown.
const POINTS: usize = 50;
/// Characters of a cell.
const CELL_CHARS: usize = 40;
/// The column that says whose figures a row has; those of single workers are not shown.
const SCOPE: &str = "scope";

/// The tables, and how many load points are in none.
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

/// Figures that none of these has are left out.
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
