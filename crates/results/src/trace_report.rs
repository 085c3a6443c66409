//! A trace, or a run's operations, as a report shows them: reads the log twice and passes everything to
//! the analysis.

use std::path::Path;

use reelgauge_analysis::issue_order::InOrder;
use reelgauge_analysis::trace_stats::{
    Period, TraceAbout, TraceDetails, TraceMoved, TraceReport, TraceStats,
};
use reelgauge_record::OpRecord;
use reelgauge_record::log::{CaptureLevel, FileEntry, SkipReason};
use reelgauge_report::trace_note;
use reelgauge_report::units::counted_are;
use reelgauge_trace::writer::ABSENT;
use reelgauge_trace::{Moved, Trace, TraceError, TraceNote};

/// The selected part of a trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceView {
    /// Operations that were issued in this period.
    pub period: Period,
    /// The number of files to list.
    pub top: usize,
}

/// By file: its size before the trace, if known. Files that did not exist had none.
pub(crate) fn known_sizes_before(trace: &Trace) -> impl Iterator<Item = Option<u64>> + '_ {
    let absent = |file: &FileEntry| (file.prepared == ABSENT).then_some(0);
    trace.files().iter().map(move |file| file.size_before_bytes.or_else(|| absent(file)))
}

/// The report of the trace, or of the run, in this directory.
///
/// # Errors
/// If it is neither, or cannot be read.
pub fn trace_report(dir: &Path, view: TraceView) -> Result<TraceReport, TraceError> {
    let trace = Trace::open(dir)?;
    let mut stats = TraceStats::new(known_sizes_before(&trace), view.period);
    let mut in_order = ops(&trace);
    for op in in_order.by_ref() {
        stats.add(&op?);
    }
    let late_ops = in_order.late_ops();
    let mut details = TraceDetails::new(&stats, view.top);
    for op in ops(&trace) {
        details.add(&op?);
    }
    Ok(details.report(about(&trace, late_ops), |file| name(&trace, file)))
}

/// The operations of a trace in order of issue.
pub fn ops(trace: &Trace) -> InOrder<impl Iterator<Item = Result<Vec<OpRecord>, TraceError>>, TraceError> {
    InOrder::new(trace.batches())
}

/// A file's name, or its number if it has none.
pub fn name(trace: &Trace, file: u32) -> String {
    match trace.files().get(file as usize) {
        Some(entry) if !entry.path.is_empty() => entry.path.clone(),
        _ => format!("file {file}"),
    }
}

/// A trace's own description, and the facts about its log.
pub(crate) fn about(trace: &Trace, late_ops: u64) -> TraceAbout {
    let info = trace.info().cloned().unwrap_or_default();
    let meta = trace.meta();
    let mut about = TraceAbout {
        name: trace.name(),
        path: trace.dir().display().to_string(),
        about: info.about,
        made_by: info.made_by,
        source: info.source,
        made_at: info.made_at,
        capture: level(meta.capture).to_owned(),
        threads: info.threads,
        blind_to: info.blind_to,
        warnings: words(info.notes, info.warnings),
        left_out: info.left_out,
        malformed_lines: info.malformed_lines,
        first_malformed: Vec::new(),
        moved: info.moved.map(moved),
        cost_ns_per_op: info.cost_ns_per_op,
        round_trip_ns: info.round_trip_ns,
        synthetic: Vec::new(),
    };
    if trace.info().is_none() {
        about.made_by = "run".to_owned();
    }
    for blind in
        meta.blind_to.iter().filter(|blind| !about.blind_to.contains(blind)).cloned().collect::<Vec<_>>()
    {
        about.blind_to.push(blind);
    }
    let malformed = info.first_malformed.into_iter().map(|bad| (bad.line, bad.text, bad.why));
    about.first_malformed = malformed.collect();
    let figures = info.synthetic.into_iter().map(|it| (it.figure, it.target, it.achieved, it.tolerance));
    about.synthetic = figures.collect();
    if late_ops > 0 {
        about.warnings.push(format!(
            "{} too far out of order in the log to be sorted; later operations were counted before them",
            counted_are(late_ops, "operation", "is", "are")
        ));
    }
    let lost = trace.skipped().iter().filter(|skipped| skipped.reason != SkipReason::Covered).count();
    if lost > 0 {
        about.warnings.push(format!(
            "{lost} parts of its log are missing or damaged; their operations are not counted"
        ));
    }
    about
}

/// A trace's notes as text, the typed ones first.
pub fn words(notes: Vec<TraceNote>, warnings: Vec<String>) -> Vec<String> {
    notes.into_iter().filter_map(note_in_words).chain(warnings).collect()
}

fn note_in_words(note: TraceNote) -> Option<String> {
    match note {
        TraceNote::ClockWentBack { times, largest_ns, first_line } => {
            Some(trace_note::clock_went_back(times, largest_ns, first_line))
        }
        TraceNote::HalfOfDayAssumed { times, first_line } => {
            Some(trace_note::half_of_day_assumed(times, first_line))
        }
        TraceNote::LongOperationsSplit { times, first_line } => {
            Some(trace_note::long_operations_split(times, first_line))
        }
        TraceNote::LongRequestsShortened { times, first_line } => {
            Some(trace_note::long_requests_shortened(times, first_line))
        }
        _ => None,
    }
}

fn moved(moved: Moved) -> TraceMoved {
    let Moved { reads, read_bytes, writes, written_bytes } = moved;
    TraceMoved { reads, read_bytes, writes, written_bytes }
}

fn level(capture: CaptureLevel) -> &'static str {
    match capture {
        CaptureLevel::Application => "application",
        CaptureLevel::Cache => "cache",
        CaptureLevel::Network => "network",
        CaptureLevel::Block => "block",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_trace::synth::hints::{FAR_WRITE, HINT_STREAM};

    use super::*;

    const VIEW: TraceView = TraceView { period: Period::WHOLE, top: 5 };

    #[test]
    fn the_hint_stream_is_named_with_its_evidence() {
        let parent = tempfile::tempdir().unwrap();
        let trace = HINT_STREAM.make(parent.path()).unwrap();
        let report = trace_report(trace.dir(), VIEW).unwrap();
        let hints = &report.signs.hints[0];
        assert_eq!((hints.path.as_str(), hints.hints, hints.overwritten), ("hint-stream.bin", 511, 511));
        assert_eq!((hints.spacing_bytes, hints.ahead_bytes), (Some(128 << 10), 15 << 20));
        assert!(hints.is_pattern(), "{hints:?}");
        assert_eq!((report.about.made_by.as_str(), report.about.blind_to.len()), ("synthetic", 1));
        assert_eq!(report.figures.written_bytes, (64 << 20) + 511);
        // The trace's own totals match the counts.
        let (moved, figures) = (report.about.moved.unwrap(), &report.figures);
        assert_eq!((moved.reads, moved.read_bytes), (figures.reads, figures.read_bytes));
        assert_eq!((moved.writes, moved.written_bytes), (figures.writes, figures.written_bytes));
    }

    #[test]
    fn the_far_write_is_named_too() {
        let parent = tempfile::tempdir().unwrap();
        let trace = FAR_WRITE.make(parent.path()).unwrap();
        let report = trace_report(trace.dir(), VIEW).unwrap();
        assert_eq!(report.signs.hints, []);
        assert_eq!((report.signs.far_writes[0].writes, report.signs.far_writes[0].gap_bytes), (1, 1 << 30));
    }

    #[test]
    fn other_files_are_an_error() {
        let dir = tempfile::tempdir().unwrap();
        assert!(matches!(trace_report(dir.path(), VIEW), Err(TraceError::NotATrace { .. })));
    }
}
