//! The figures for spreadsheets: the same numbers as in `summary.json`, one table a file. Every column that
//! is a number has its unit in its name; what was not measured is empty.
//!
//! Not here: which columns there are ([`columns`]).

pub mod columns;

use std::io::Write;

use reelgauge_analysis::{LoadPoint, PaperTables, Summary};
use serde::Serialize;
use serde_json::{Value, json};

use columns::{Column, CsvTable};

/// A row before it is written: what it is about, by the first words of columns' paths.
type Row<'a> = [(&'a str, &'a Value)];

/// Writes one of the tables of a run.
///
/// # Errors
/// When it can't be written.
pub fn write_csv(table: CsvTable, summary: &Summary, out: impl Write) -> Result<(), csv::Error> {
    let mut rows = Rows::new(table, run(summary), out)?;
    if table == CsvTable::Seconds {
        let series = value(&summary.series)?;
        for second in list(&series, "/steps") {
            rows.write(&[("series", &series), ("second", second)])?;
        }
        return rows.end();
    }
    for point in &summary.load_points {
        let of_point = value(point)?;
        match table {
            CsvTable::LoadPoints => load_point(point, &of_point, &mut rows)?,
            CsvTable::Paper => paper(point, &of_point, &mut rows)?,
            CsvTable::Streams => streams(&of_point, &mut rows)?,
            CsvTable::Incidents => incidents(&of_point, &mut rows)?,
            CsvTable::Seconds => {}
        }
    }
    rows.end()
}

/// The total, then each worker.
fn load_point<W: Write>(point: &LoadPoint, of_point: &Value, rows: &mut Rows<W>) -> Result<(), csv::Error> {
    let (total, null) = (json!({"scope": "total", "criteria": criteria(point)}), Value::Null);
    let figures = of_point.get("total").unwrap_or(&null);
    rows.write(&[("point", of_point), ("whole", of_point), ("figures", figures), ("row", &total)])?;
    let of_worker = json!({"scope": "worker"});
    for worker in list(of_point, "/per_worker") {
        rows.write(&[("point", of_point), ("figures", worker), ("row", &of_worker)])?;
    }
    Ok(())
}

/// The cells of all workers together, then of each.
fn paper<W: Write>(point: &LoadPoint, of_point: &Value, rows: &mut Rows<W>) -> Result<(), csv::Error> {
    let of_workers = point.per_worker.iter().filter_map(|of| Some((Some(of.worker), of.paper.as_ref()?)));
    let tables: Vec<(Option<u32>, &PaperTables)> =
        std::iter::once((None, &point.paper)).chain(of_workers).collect();
    for (worker, tables) in tables {
        let worker = json!({"worker": worker});
        for cell in &tables.cells {
            let row = json!({"mode": cell.mode.name()});
            let cell = value(cell)?;
            rows.write(&[("point", of_point), ("worker", &worker), ("cell", &cell), ("row", &row)])?;
        }
    }
    Ok(())
}

fn streams<W: Write>(of_point: &Value, rows: &mut Rows<W>) -> Result<(), csv::Error> {
    for stream in list(of_point, "/streams/streams") {
        let length_s = |late_run: &&Value| late_run.get("length_s").and_then(Value::as_f64).unwrap_or(0.0);
        // The worst of several that are as long.
        let late_runs = list(stream, "/worst_late_runs").iter().rev();
        let longest = late_runs.max_by(|one, two| length_s(one).total_cmp(&length_s(two)));
        let longest = longest.unwrap_or(&Value::Null);
        rows.write(&[("point", of_point), ("stream", stream), ("longest", longest)])?;
    }
    Ok(())
}

fn incidents<W: Write>(of_point: &Value, rows: &mut Rows<W>) -> Result<(), csv::Error> {
    for (at, incident) in list(of_point, "/streams/incidents").iter().enumerate() {
        let row = json!({"incident": at});
        rows.write(&[("point", of_point), ("incident", incident), ("row", &row)])?;
    }
    Ok(())
}

/// What the user says of the run and its storage; several words in one cell have semicolons between them.
fn run(summary: &Summary) -> Value {
    let other = summary.storage.other.iter().map(|(name, value)| format!("{name}={value}"));
    json!({
        "storage": summary.storage,
        "storage_other": other.collect::<Vec<_>>().join("; "),
        "tags": summary.tags.join("; "),
    })
}

/// In one word whether the criteria were met; none where none were asked for. Streams always have some:
/// without a verdict nothing of them was measured.
fn criteria(point: &LoadPoint) -> Option<&'static str> {
    let Some(verdict) = &point.verdict else {
        return (point.stream_count.is_some() && point.is_unmeasured()).then_some("not_measured");
    };
    Some(match (verdict.passed, verdict.failures.iter().any(|failure| failure.measured)) {
        (true, _) => "met",
        (false, true) => "not_met",
        (false, false) => "not_known",
    })
}

/// A table under way.
struct Rows<W: Write> {
    columns: Vec<Column>,
    /// What is the same in every row.
    run: Value,
    csv: csv::Writer<W>,
}

impl<W: Write> Rows<W> {
    fn new(table: CsvTable, run: Value, out: W) -> Result<Rows<W>, csv::Error> {
        let columns = table.columns();
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(columns.iter().map(|column| column.name.as_bytes()))?;
        Ok(Rows { columns, run, csv })
    }

    fn write(&mut self, row: &Row<'_>) -> Result<(), csv::Error> {
        let row: Vec<_> =
            row.iter().copied().chain([("storage", &self.run["storage"]), ("said", &self.run)]).collect();
        self.csv.write_record(self.columns.iter().map(|column| cell(&row, &column.path)))
    }

    fn end(mut self) -> Result<(), csv::Error> {
        Ok(self.csv.flush()?)
    }
}

/// The figure at a path, as text; empty where there is none.
fn cell(row: &Row<'_>, path: &str) -> String {
    let mut words = path.split('.');
    let scope = words.next().and_then(|first| row.iter().find(|(name, _)| *name == first));
    let figure = scope.and_then(|(_, of)| words.try_fold(*of, |of, word| of.get(word)));
    match figure {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => as_text(text),
        // Whole numbers stand without a point, however they are kept.
        Some(Value::Number(number)) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(real) => real.to_string(),
            None => number.to_string(),
        },
        Some(other) => other.to_string(),
    }
}

/// What came from outside, as no spreadsheet takes it for a formula.
fn as_text(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if is_formula { format!("'{text}") } else { text.to_owned() }
}

fn value(of: &impl Serialize) -> Result<Value, csv::Error> {
    serde_json::to_value(of).map_err(|error| std::io::Error::other(error).into())
}

/// The list at a place; empty where there is none.
fn list<'a>(of: &'a Value, pointer: &str) -> &'a [Value] {
    of.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
