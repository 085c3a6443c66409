//! The figures for spreadsheets. Every column that is a number has its unit in its name; what was not
//! measured is empty.

mod incidents;

use std::io::Write;

use reelgauge_analysis::figures::TimesByKind;
use reelgauge_analysis::late::StreamFigures;
use reelgauge_analysis::verdict::Verdict;
use reelgauge_analysis::{Culprit, Figures, LoadPoint, PaperCell, Summary, TimeFigures};
use reelgauge_record::OpKind;

pub use incidents::incidents_csv;

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

/// Streams: one row for each in each load point.
pub fn streams_csv(summary: &Summary, out: impl Write) -> Result<(), csv::Error> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(STREAM_COLUMNS)?;
    for point in &summary.load_points {
        for stream in point.streams.iter().flat_map(|figures| &figures.streams) {
            csv.write_record(stream_row(point, stream))?;
        }
    }
    Ok(csv.flush()?)
}

/// The paper's tables, one row per cell, margins included (`block_bytes` empty: all sizes): of all workers
/// together (`worker` empty), then of each.
pub fn paper_csv(summary: &Summary, out: impl Write) -> Result<(), csv::Error> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record([
        "point",
        "label",
        "worker",
        "mode",
        "block_bytes",
        "transfer_rate_while_transferring_mb_per_s",
        "average_latency_ms",
        "average_gap_ms",
        "maximum_latency_s",
        "short_block_share",
        "transfers",
        "data_ops",
        "bytes",
    ])?;
    for point in &summary.load_points {
        let of_workers = point.per_worker.iter().filter_map(|of| Some((Some(of.worker), of.paper.as_ref()?)));
        for (worker, paper) in std::iter::once((None, &point.paper)).chain(of_workers) {
            for cell in &paper.cells {
                csv.write_record(paper_row(point, worker, cell))?;
            }
        }
    }
    Ok(csv.flush()?)
}

fn paper_row(point: &LoadPoint, worker: Option<u32>, cell: &PaperCell) -> [String; 13] {
    [
        point.index.to_string(),
        point.label.clone(),
        optional(worker),
        cell.mode.name().to_owned(),
        optional(cell.block_bytes),
        optional(cell.transfer_rate_while_transferring_mb_per_s),
        optional(cell.average_latency_ms),
        optional(cell.average_gap_ms),
        optional(cell.maximum_latency_s),
        optional(cell.short_block_share),
        cell.transfers.to_string(),
        cell.data_ops.to_string(),
        cell.bytes.to_string(),
    ]
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

const PLAIN_COLUMNS: [&str; 51] = [
    "point",
    "label",
    "scope",
    "worker",
    "workers",
    "sweep_value",
    "started_s",
    "measured_s",
    "ended_early",
    "stream_count",
    "frames_judged",
    "late_frames",
    "incidents",
    "criteria",
    "culprit",
    "ops",
    "failed_ops",
    "warmup_ops",
    "opens",
    "reads",
    "writes",
    "syncs",
    "closes",
    "creates",
    "unlinks",
    "stats",
    "accesses",
    "readdirs",
    "truncates",
    "allocates",
    "renames",
    "mkdirs",
    "rmdirs",
    "setattrs",
    "others",
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

/// Reads and writes together, in the columns of times.
const DATA: &str = "data";

const KINDS: [OpKind; 20] = [
    OpKind::Read,
    OpKind::Write,
    OpKind::Open,
    OpKind::Close,
    OpKind::Sync,
    OpKind::Create,
    OpKind::Unlink,
    OpKind::Stat,
    OpKind::Access,
    OpKind::ReadDir,
    OpKind::Truncate,
    OpKind::Allocate,
    OpKind::Rename,
    OpKind::MakeDir,
    OpKind::RemoveDir,
    OpKind::SetAttr,
    OpKind::Other,
    OpKind::Link,
    OpKind::SymLink,
    OpKind::ReadLink,
];

const TIME_FIGURES: [&str; 8] =
    ["count", "mean_us", "p50_us", "p95_us", "p99_us", "p99_9_us", "max_us", "max_began_s"];

/// `response_read_p99_us` and the like follow the plain columns.
fn load_point_header() -> Vec<String> {
    let mut header: Vec<String> = PLAIN_COLUMNS.iter().map(|name| (*name).to_owned()).collect();
    for time in ["response", "service"] {
        for kind in [DATA].into_iter().chain(KINDS.map(OpKind::name)) {
            header.extend(TIME_FIGURES.iter().map(|figure| format!("{time}_{kind}_{figure}")));
        }
    }
    header
}

fn load_point_row(point: &LoadPoint, worker: Option<u32>, figures: &Figures) -> Vec<String> {
    let scope = if worker.is_some() { "worker" } else { "total" };
    let kinds = &figures.ops_by_kind;
    let (lateness, error) = (figures.lateness, figures.first_error);
    let of_streams = StreamCells::of(point, worker.is_none());
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
        of_streams.stream_count,
        of_streams.frames_judged,
        of_streams.late_frames,
        of_streams.incidents,
        of_streams.criteria,
        of_streams.culprit,
        figures.ops.to_string(),
        figures.failed_ops.to_string(),
        figures.warmup_ops.to_string(),
        kinds.open.to_string(),
        kinds.read.to_string(),
        kinds.write.to_string(),
        kinds.sync.to_string(),
        kinds.close.to_string(),
        kinds.create.to_string(),
        kinds.unlink.to_string(),
        kinds.stat.to_string(),
        kinds.access.to_string(),
        kinds.readdir.to_string(),
        kinds.truncate.to_string(),
        kinds.allocate.to_string(),
        kinds.rename.to_string(),
        kinds.mkdir.to_string(),
        kinds.rmdir.to_string(),
        kinds.setattr.to_string(),
        kinds.other.to_string(),
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

/// What is told in streams, of a load point as a whole; empty for a worker.
#[derive(Default)]
struct StreamCells {
    stream_count: String,
    frames_judged: String,
    late_frames: String,
    incidents: String,
    criteria: String,
    culprit: String,
}

impl StreamCells {
    fn of(point: &LoadPoint, is_total: bool) -> StreamCells {
        if !is_total {
            return StreamCells::default();
        }
        let late = point.streams.as_ref();
        StreamCells {
            stream_count: optional(point.stream_count),
            frames_judged: optional(late.map(|late| late.total.frames_judged)),
            late_frames: optional(late.map(|late| late.total.late_frames)),
            incidents: optional(late.map(|late| late.incident_count)),
            criteria: optional(point.verdict.as_ref().map(criteria)),
            culprit: optional(point.culprit.map(Culprit::name)),
        }
    }
}

fn criteria(verdict: &Verdict) -> &'static str {
    match (verdict.passed, verdict.failures.iter().any(|failure| failure.measured)) {
        (true, _) => "met",
        (false, true) => "not_met",
        (false, false) => "not_known",
    }
}

fn time_cells(times: &TimesByKind) -> impl Iterator<Item = String> + '_ {
    let kinds = KINDS.map(|kind| times.of(kind));
    [times.data.as_ref()].into_iter().chain(kinds).flat_map(eight_figures)
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

const STREAM_COLUMNS: [&str; 37] = [
    "point",
    "label",
    "streams_in_point",
    "stream",
    "name",
    "writes",
    "buffer_s",
    "nominal_frames_per_s",
    "began_s",
    "frames_judged",
    "late_frames",
    "dropped_frames",
    "failed_frames",
    "unfinished_frames",
    "late_frames_with_own_delay",
    "worst_margin_us",
    "worst_margin_frame",
    "margin_p1_us",
    "first_late_frame",
    "first_late_deadline_s",
    "first_late_us",
    "late_runs",
    "longest_late_run_s",
    "longest_late_run_began_s",
    "response_mean_us",
    "response_p50_us",
    "response_p95_us",
    "response_p99_us",
    "response_p99_9_us",
    "response_max_us",
    "response_max_began_s",
    "min_throughput_over_buffer_bytes_per_s",
    "frames_per_s",
    "ops_per_s",
    "bytes_per_s",
    "own_delay_p99_us",
    "own_delay_max_us",
];

fn stream_row(point: &LoadPoint, stream: &StreamFigures) -> Vec<String> {
    let (worst, late, own) = (stream.worst_margin, stream.first_late, stream.own_delay);
    let late_runs = stream.worst_late_runs.iter();
    let longest = late_runs.max_by(|one, two| one.length_s.total_cmp(&two.length_s));
    let response = |of: fn(&TimeFigures) -> f64| optional(stream.response.as_ref().map(of));
    vec![
        point.index.to_string(),
        point.label.clone(),
        optional(point.stream_count),
        stream.stream.to_string(),
        stream.name.clone(),
        stream.writes.to_string(),
        stream.buffer_s.to_string(),
        stream.nominal_frames_per_s.to_string(),
        optional(stream.began_s),
        stream.frames_judged.to_string(),
        stream.late_frames.to_string(),
        stream.dropped_frames.to_string(),
        stream.failed_frames.to_string(),
        stream.unfinished_frames.to_string(),
        stream.late_frames_with_own_delay.to_string(),
        optional(worst.map(|worst| worst.margin_us)),
        optional(worst.map(|worst| worst.frame)),
        optional(stream.margin_p1_us),
        optional(late.map(|late| late.frame)),
        optional(late.map(|late| late.deadline_s)),
        optional(late.and_then(|late| late.late_us)),
        stream.late_runs.to_string(),
        optional(longest.map(|late_run| late_run.length_s)),
        optional(longest.map(|late_run| late_run.began_s)),
        response(|times| times.mean_us),
        response(|times| times.p50_us),
        response(|times| times.p95_us),
        response(|times| times.p99_us),
        response(|times| times.p99_9_us),
        response(|times| times.max_us),
        response(|times| times.max_began_s),
        optional(stream.throughput.map(|throughput| throughput.min_bytes_per_s)),
        optional(stream.frames_per_s),
        optional(stream.ops_per_s),
        optional(stream.bytes_per_s),
        optional(own.map(|own| own.p99_us)),
        optional(own.map(|own| own.max_us)),
    ]
}
