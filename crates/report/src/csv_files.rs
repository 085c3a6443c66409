//! The figures for spreadsheets: the same numbers as in `summary.json`, one table per file. The name of
//! each numeric column has its unit. A cell is empty if nothing was measured, or if there were too few
//! operations for a percentile.
//!
//! Not here: the list of columns ([`columns`]).

pub mod columns;

use std::io::Write;

use reelgauge_analysis::figures::{CARRY_P50, CARRY_P95, CARRY_P99, CARRY_P99_9};
use reelgauge_analysis::statement::PointVerdict;
use reelgauge_analysis::{LoadPoint, PaperTables, Summary};
use serde::Serialize;
use serde_json::{Value, json};

use columns::{Column, CsvTable};

/// A row before it is written: its scopes by name. A column's path begins with the name of a scope.
type Row<'a> = [(&'a str, &'a Value)];

/// Writes one of the tables of a run.
///
/// # Errors
/// If the table cannot be written.
pub fn write_csv(table: CsvTable, summary: &Summary, out: impl Write) -> Result<(), csv::Error> {
    let mut rows = Rows::new(table, run(summary), out)?;
    if table == CsvTable::Seconds {
        let series = value(&summary.series)?;
        for second in list(&series, "/steps") {
            rows.write(&[("series", &series), ("second", second)])?;
        }
        return rows.end();
    }
    for (at, point) in summary.load_points.iter().enumerate() {
        let of_point = value(point)?;
        match table {
            CsvTable::LoadPoints => {
                // A load point that was stopped before its first operation has no rates.
                let is_measured = point.total.ops > 0;
                let of_curve = summary.vda.as_ref().and_then(|facts| facts.points.get(at));
                let of_curve = of_curve.filter(|_| is_measured);
                load_point(point, &of_point, &value(&of_curve)?, &mut rows)?;
            }
            CsvTable::Paper => paper(point, &of_point, &mut rows)?,
            CsvTable::Streams => streams(&of_point, &mut rows)?,
            CsvTable::Incidents => incidents(&of_point, &mut rows)?,
            CsvTable::Hosts => hosts(summary, point, &of_point, &mut rows)?,
            CsvTable::Seconds => {}
        }
    }
    rows.end()
}

/// The total, then each worker.
fn load_point<W: Write>(
    point: &LoadPoint,
    of_point: &Value,
    of_curve: &Value,
    rows: &mut Rows<W>,
) -> Result<(), csv::Error> {
    let (total, null) = (json!({"scope": "total", "criteria": criteria(point)}), Value::Null);
    let figures = of_point.get("total").unwrap_or(&null);
    let whole = ("whole", of_point);
    rows.write(&[("point", of_point), whole, ("vda", of_curve), ("figures", figures), ("row", &total)])?;
    let of_worker = json!({"scope": "worker"});
    for worker in list(of_point, "/per_worker") {
        rows.write(&[("point", of_point), ("figures", worker), ("row", &of_worker)])?;
    }
    Ok(())
}

/// The cells of all workers together, then those of each worker.
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
        // The worst of several equally long ones.
        let late_runs = list(stream, "/worst_late_runs").iter().rev();
        let longest = late_runs.max_by(|one, two| length_s(one).total_cmp(&length_s(two)));
        let longest = longest.unwrap_or(&Value::Null);
        rows.write(&[("point", of_point), ("stream", stream), ("longest", longest)])?;
    }
    Ok(())
}

fn incidents<W: Write>(of_point: &Value, rows: &mut Rows<W>) -> Result<(), csv::Error> {
    for (at, incident) in list(of_point, "/streams/incidents").iter().enumerate() {
        let agents: Vec<&str> = list(incident, "/agents").iter().filter_map(Value::as_str).collect();
        let row = json!({"incident": at, "hosts": (!agents.is_empty()).then(|| agents.join("; "))});
        rows.write(&[("point", of_point), ("incident", incident), ("row", &row)])?;
    }
    Ok(())
}

/// Each host, then groups, targets and interfaces, then all hosts, and all without the outliers; then
/// the traffic of each interface of each host.
fn hosts<W: Write>(
    summary: &Summary,
    point: &LoadPoint,
    of_point: &Value,
    rows: &mut Rows<W>,
) -> Result<(), csv::Error> {
    let Some(section) = &summary.hosts else { return Ok(()) };
    let at = summary.load_points.iter().position(|known| known.index == point.index);
    let Some(hosts) = section.points.iter().find(|hosts| Some(hosts.point) == at) else { return Ok(()) };
    let (of, null) = (|of: &str| json!({"of": of}), Value::Null);
    for (host, there) in section.hosts.iter().zip(&hosts.hosts) {
        let (host, there) = (value(host)?, value(there)?);
        let figures = there.get("figures").unwrap_or(&null);
        let row = of("host");
        let figures = ("part", figures);
        rows.write(&[("point", of_point), ("row", &row), figures, ("host", &host), ("there", &there)])?;
    }
    let all = std::slice::from_ref(&hosts.total);
    let parts = [
        ("group", hosts.groups.as_slice()),
        ("target", hosts.targets.as_slice()),
        ("interface", hosts.interfaces.as_slice()),
        ("total", all),
        ("others", hosts.without.as_slice()),
    ];
    for (what, parts) in parts {
        for figures in parts {
            rows.write(&[("point", of_point), ("row", &of(what)), ("part", &value(figures)?)])?;
        }
    }
    for nic in &hosts.nics {
        let nic = value(nic)?;
        // Its name and its target are in the same columns as those of the host.
        let part = json!({"name": nic.get("agent")});
        let (row, host) = (of("nic"), ("host", &nic));
        rows.write(&[("point", of_point), ("row", &row), ("part", &part), host, ("nic", &nic)])?;
    }
    Ok(())
}

/// The user's tags and storage details. Several values in one cell are separated by semicolons.
fn run(summary: &Summary) -> Value {
    let other = summary.storage.other.iter().map(|(name, value)| format!("{name}={value}"));
    json!({
        "storage": summary.storage,
        "storage_other": other.collect::<Vec<_>>().join("; "),
        "tags": summary.tags.join("; "),
    })
}

/// Whether the criteria were met, as one word; `None` if there were no criteria. Streams always have
/// criteria: without a verdict, no streams were measured.
fn criteria(point: &LoadPoint) -> Option<&'static str> {
    let Some(verdict) = point.criteria_verdict() else {
        return (point.stream_count.is_some() && point.is_unmeasured()).then_some("not_measured");
    };
    Some(match verdict {
        PointVerdict::Met => "met",
        PointVerdict::NotMet => "not_met",
        PointVerdict::Inconclusive => "inconclusive",
        PointVerdict::NotKnown => "not_known",
    })
}

/// A table that is being written.
struct Rows<W: Write> {
    columns: Vec<Column>,
    /// The cells that are the same in every row.
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

/// The figure at a path, as text; empty if there is none.
fn cell(row: &Row<'_>, path: &str) -> String {
    let words: Vec<&str> = path.split('.').collect();
    let found = words.split_first().and_then(|(first, way)| {
        let (_, of) = row.iter().find(|(name, _)| name == first)?;
        figure(of, way)
    });
    match found {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => as_text(text),
        // Whole numbers are written without a decimal point, even if they are stored as floating-point
        // numbers.
        Some(Value::Number(number)) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(real) => real.to_string(),
            None => number.to_string(),
        },
        Some(other) => other.to_string(),
    }
}

/// The figure at a path. `None` if it is a percentile and there were too few operations for it.
fn figure<'a>(of: &'a Value, way: &[&str]) -> Option<&'a Value> {
    let (last, way) = way.split_last()?;
    let (holder, outer) = way.iter().try_fold((of, of), |(of, _), word| Some((of.get(word)?, of)))?;
    let needed = match *last {
        "p50_us" => CARRY_P50,
        "p95_us" => CARRY_P95,
        "p99_us" => CARRY_P99,
        "p99_9_us" => CARRY_P99_9,
        _ => return holder.get(last),
    };
    // The count for the scheduling delay of Reelgauge, in operations or frames, is next to it.
    let counts = [holder.get("count"), outer.get("ops"), outer.get("frames_judged")];
    let counted = counts.into_iter().flatten().find_map(Value::as_u64);
    holder.get(last).filter(|_| counted.is_none_or(|counted| counted >= needed))
}

/// Untrusted text, escaped so that no spreadsheet takes it for a formula.
fn as_text(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if is_formula { format!("'{text}") } else { text.to_owned() }
}

fn value(of: &impl Serialize) -> Result<Value, csv::Error> {
    serde_json::to_value(of).map_err(|error| std::io::Error::other(error).into())
}

/// The list at a pointer; empty if there is none.
fn list<'a>(of: &'a Value, pointer: &str) -> &'a [Value] {
    of.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_there_as_far_as_its_count_carries_it() {
        let of = |count: u64| {
            let mut times = json!({"count": count, "p50_us": 1.0, "p95_us": 2.0, "p99_us": 3.0});
            (times["p99_9_us"], times["max_us"]) = (4.0.into(), 5.0.into());
            let figures =
                json!({"ops": count, "lateness": {"p99_us": 6.0, "max_us": 7.0}, "response": times});
            let paths = ["response.p50_us", "response.p95_us", "response.p99_us", "response.p99_9_us"];
            let more = ["response.max_us", "lateness.p99_us", "lateness.max_us"];
            let cells = paths.iter().chain(&more).map(|path| cell(&[("f", &figures)], &format!("f.{path}")));
            cells.collect::<Vec<_>>().join(",")
        };
        assert_eq!(of(1), ",,,,5,,7");
        assert_eq!(of(19), "1,,,,5,,7");
        assert_eq!(of(99), "1,2,,,5,,7");
        assert_eq!(of(999), "1,2,3,,5,6,7");
        assert_eq!(of(1000), "1,2,3,4,5,6,7");
        let unknown = json!({"p99_us": 3.0});
        assert_eq!(cell(&[("f", &unknown)], "f.p99_us"), "3", "of a count that nobody knows it stays");
    }
}
