//! The figures for spreadsheets. Every column that is a number has its unit in its name; what was not
//! measured is empty.

use std::io::Write;

use reelgauge_analysis::figures::TimesByKind;
use reelgauge_analysis::{Figures, LoadPoint, Summary, TimeFigures};

/// Load points: one row for the total of each, and one for each of its workers.
pub fn load_points_csv(summary: &Summary, out: impl Write) -> Result<(), csv::Error> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(load_point_header())?;
    for point in &summary.load_points {
        csv.write_record(load_point_row(point, None, &point.total))?;
        for worker in &point.per_worker {
            csv.write_record(load_point_row(point, Some(worker.worker), &worker.figures))?;
        }
    }
    Ok(csv.flush()?)
}

/// The paper's three tables, one row per cell, margins included (`block_bytes` empty: all sizes).
pub fn paper_csv(summary: &Summary, out: impl Write) -> Result<(), csv::Error> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record([
        "point",
        "label",
        "mode",
        "block_bytes",
        "transfer_rate_while_transferring_mb_per_s",
        "average_latency_ms",
        "maximum_latency_s",
        "transfers",
        "data_ops",
        "bytes",
    ])?;
    for point in &summary.load_points {
        for cell in &point.paper.cells {
            csv.write_record([
                point.index.to_string(),
                point.label.clone(),
                cell.mode.name().to_owned(),
                optional(cell.block_bytes),
                optional(cell.transfer_rate_while_transferring_mb_per_s),
                optional(cell.average_latency_ms),
                optional(cell.maximum_latency_s),
                cell.transfers.to_string(),
                cell.data_ops.to_string(),
                cell.bytes.to_string(),
            ])?;
        }
    }
    Ok(csv.flush()?)
}

/// Every second of the run.
pub fn series_csv(summary: &Summary, out: impl Write) -> Result<(), csv::Error> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record([
        "began_s",
        "length_s",
        "point",
        "ops",
        "warmup_ops",
        "read_bytes",
        "written_bytes",
        "errors",
        "max_response_us",
        "max_response_began_s",
    ])?;
    for step in &summary.series.steps {
        csv.write_record([
            step.began_s.to_string(),
            summary.series.step_s.to_string(),
            optional(step.point),
            step.ops.to_string(),
            step.warmup_ops.to_string(),
            step.read_bytes.to_string(),
            step.written_bytes.to_string(),
            step.errors.to_string(),
            optional(step.max_response_us),
            optional(step.max_response_began_s),
        ])?;
    }
    Ok(csv.flush()?)
}

const PLAIN_COLUMNS: [&str; 33] = [
    "point",
    "label",
    "scope",
    "worker",
    "workers",
    "sweep_value",
    "started_s",
    "measured_s",
    "ended_early",
    "ops",
    "failed_ops",
    "warmup_ops",
    "opens",
    "reads",
    "writes",
    "syncs",
    "closes",
    "transfers",
    "transfers_left_out",
    "short_transfers",
    "read_bytes",
    "written_bytes",
    "read_bytes_per_s",
    "written_bytes_per_s",
    "bytes_per_s",
    "data_ops_per_s",
    "lateness_p50_us",
    "lateness_p99_us",
    "lateness_max_us",
    "first_error_errno",
    "first_error_kind",
    "first_error_file",
    "first_error_at_s",
];

const KINDS: [&str; 6] = ["data", "read", "write", "open", "close", "sync"];

const TIME_FIGURES: [&str; 8] =
    ["count", "mean_us", "p50_us", "p95_us", "p99_us", "p99_9_us", "max_us", "max_began_s"];

/// `response_read_p99_us` and the like follow the plain columns.
fn load_point_header() -> Vec<String> {
    let mut header: Vec<String> = PLAIN_COLUMNS.iter().map(|name| (*name).to_owned()).collect();
    for time in ["response", "service"] {
        for kind in KINDS {
            header.extend(TIME_FIGURES.iter().map(|figure| format!("{time}_{kind}_{figure}")));
        }
    }
    header
}

fn load_point_row(point: &LoadPoint, worker: Option<u32>, figures: &Figures) -> Vec<String> {
    let scope = if worker.is_some() { "worker" } else { "total" };
    let kinds = &figures.ops_by_kind;
    let (lateness, error) = (figures.lateness, figures.first_error);
    let mut row = vec![
        point.index.to_string(),
        point.label.clone(),
        scope.to_owned(),
        optional(worker),
        point.workers.to_string(),
        point.sweep_value.clone().unwrap_or_default(),
        point.started_s.to_string(),
        point.measured_s.to_string(),
        point.ended_early.clone().unwrap_or_default(),
        figures.ops.to_string(),
        figures.failed_ops.to_string(),
        figures.warmup_ops.to_string(),
        kinds.open.to_string(),
        kinds.read.to_string(),
        kinds.write.to_string(),
        kinds.sync.to_string(),
        kinds.close.to_string(),
        figures.transfers.to_string(),
        figures.transfers_left_out.to_string(),
        figures.short_transfers.to_string(),
        figures.read_bytes.to_string(),
        figures.written_bytes.to_string(),
        optional(figures.read_bytes_per_s),
        optional(figures.written_bytes_per_s),
        optional(figures.bytes_per_s),
        optional(figures.data_ops_per_s),
        optional(lateness.map(|lateness| lateness.p50_us)),
        optional(lateness.map(|lateness| lateness.p99_us)),
        optional(lateness.map(|lateness| lateness.max_us)),
        optional(error.map(|error| error.errno)),
        optional(error.map(|error| error.kind.name())),
        optional(error.map(|error| error.file)),
        optional(error.map(|error| error.failed_at_s)),
    ];
    row.extend(time_cells(&figures.response));
    row.extend(time_cells(&figures.service));
    row
}

fn time_cells(times: &TimesByKind) -> impl Iterator<Item = String> {
    let kinds = [&times.data, &times.read, &times.write, &times.open, &times.close, &times.sync];
    kinds.map(|times| eight_figures(times.as_ref())).into_iter().flatten()
}

fn eight_figures(times: Option<&TimeFigures>) -> [String; 8] {
    let of = |figure: fn(&TimeFigures) -> f64| optional(times.map(figure));
    [
        optional(times.map(|times| times.count)),
        of(|times| times.mean_us),
        of(|times| times.p50_us),
        of(|times| times.p95_us),
        of(|times| times.p99_us),
        of(|times| times.p99_9_us),
        of(|times| times.max_us),
        of(|times| times.max_began_s),
    ]
}

fn optional(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
