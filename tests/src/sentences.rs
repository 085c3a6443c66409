//! Compares a screen with the summary that it was made from. [`untrue`] returns every sentence that the
//! figures contradict.
//!
//! * `prose`: splits a screen into sentences and rows of tables. `figures`: every number with a unit has
//!   to be
//!   a figure of the summary. `claims`: verdicts, and words that claim a measurement. `rows`: tables
//!   have no
//!   figures of what was not measured.
//!
//! It compares no whole sentence, so wording may change. It looks for numbers with their units, and for
//! the few words of a verdict. It does not test whether the summary itself is right; other tests compare
//! that with the log.

mod claims;
mod figures;
mod prose;
mod rows;

use serde_json::Value;

use crate::run_dir::at;

/// The statements of this screen that the summary contradicts; empty if all are true.
pub fn untrue(screen: &str, summary: &Value) -> Vec<String> {
    let sentences = prose::sentences(screen);
    let mut found = figures::untrue(&sentences, summary);
    found.extend(claims::untrue(&sentences, summary));
    found.extend(rows::untrue(screen, summary));
    found
}

/// The statements that a screen without a summary must not make, because nothing was measured.
pub fn untrue_without_summary(screen: &str) -> Vec<String> {
    let told = |sentence: &String| claims::claims_anything(sentence) || sentence.contains(" MB/s");
    let told = prose::sentences(screen).into_iter().filter(told);
    told.map(|sentence| format!("there is no summary: {sentence}")).collect()
}

/// The values of `load-points.csv` that are not in the summary. A load point that was stopped before
/// anything was finished has no rates.
pub fn untrue_in_csv(csv: &str, summary: &Value) -> Vec<String> {
    let mut lines = csv.lines();
    let columns: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let of_rates = |name: &&str| name.ends_with("_per_s");
    let wrong = lines.flat_map(|line| {
        let cells = columns.iter().zip(cells_of(line));
        let cells: Vec<(&str, String)> = cells.map(|(name, cell)| (*name, cell)).collect();
        let of = |name: &str| cells.iter().find(|(column, _)| *column == name).map(|(_, cell)| cell.clone());
        let unmeasured =
            of("ops").as_deref() == Some("0") && of("ended_early").is_some_and(|why| !why.is_empty());
        let rates =
            cells.into_iter().filter(move |(name, cell)| unmeasured && of_rates(name) && !cell.is_empty());
        rates.map(|(name, cell)| format!("{name} is {cell} where nothing was measured")).collect::<Vec<_>>()
    });
    let mut wrong: Vec<String> = wrong.collect();
    let totals =
        csv.lines().filter(|line| cells_of(line).get(2).is_some_and(|scope| scope == "total")).count();
    if totals != points(summary).len() {
        wrong.push(format!("{totals} load points in the table, {} in the summary", points(summary).len()));
    }
    wrong
}

/// The cells of a line of CSV. A quoted cell may contain commas.
fn cells_of(line: &str) -> Vec<String> {
    let (mut cells, mut is_quoted) = (vec![String::new()], false);
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            c => cells.last_mut().unwrap().push(c),
        }
    }
    cells
}

/// The load points of a summary.
fn points(summary: &Value) -> &[Value] {
    at(summary, "load_points").as_array().map_or(&[], Vec::as_slice)
}

/// A number of a load point by its path; 0 if it does not exist.
fn amount(value: &Value, path: &str) -> f64 {
    value.pointer(&format!("/{}", path.replace('.', "/"))).and_then(Value::as_f64).unwrap_or(0.0)
}

/// Whether a load point was stopped before its end.
fn is_cut_off(point: &Value) -> bool {
    point.get("ended_early").is_some_and(|why| !why.is_null())
}

/// Whether a load point was stopped before anything in it was finished. Unanswered frames count as late
/// even then.
fn is_unmeasured(point: &Value) -> bool {
    let judged = amount(point, "streams.total.frames_judged");
    is_cut_off(point) && amount(point, "total.ops") + judged == 0.0
}

/// Whether the run was completed.
fn is_complete(summary: &Value) -> bool {
    summary.get("outcome").and_then(Value::as_str) == Some("complete")
}

#[cfg(test)]
mod tests;
