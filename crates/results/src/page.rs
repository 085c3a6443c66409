//! The page of a run or a trace from its directory alone, as data and as one HTML file.
//!
//! The log is read twice (see [`reelgauge_analysis::detail`]), with constant memory whatever its length.
//! Not here: the counting (analysis), sentences and HTML (report).

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use reelgauge_analysis::Summary;
use reelgauge_analysis::detail::data::Measure;
use reelgauge_analysis::detail::{Detail, FirstPass, JudgedPoint};
use reelgauge_analysis::trace_stats::{Period, TraceDetails, TraceStats};
use reelgauge_machine::full_path;
use reelgauge_record::named_file::write_named;
use reelgauge_record::run_dir::RunDir;
use reelgauge_report::deviations::deviation_sentences;
use reelgauge_report::hero::hero;
use reelgauge_report::html::page::{PAGE_VERSION, Page, PageKind, RunPage, TracePage};
use reelgauge_report::html::sections;
use reelgauge_report::html::shorten::shorten;
use reelgauge_report::marks::mark_words;
use reelgauge_report::note::note_texts;
use reelgauge_report::run_configuration::{self, RunFiles, client_words};
use reelgauge_report::text::shell_word;
use reelgauge_report::{
    again_with, answer_sentences, html, incident_sentences, next_step, trace_sections, where_built_in,
};
use reelgauge_trace::{Trace, TraceError};

use crate::live::liveness::{Life, life};
use crate::reopen::{ReopenError, reopen};
use crate::run_notes;
use crate::small_file::{read_json, read_to_string};
use crate::stream_table;
use crate::trace_report::{TraceView, about, known_sizes_before, name, ops};

/// `report.html`, in the run directory.
pub const REPORT_FILE: &str = "report.html";
/// A longer plan is not embedded; none is written by hand.
pub(crate) const PLAN_MAX_BYTES: u64 = 64 << 10;
/// The facts of a few hundred machines.
pub(crate) const HOSTS_MAX_BYTES: u64 = 128 << 10;
/// Files in a trace's report, as on the terminal.
const TRACE_TOP: usize = 15;
/// Operations between two calls of `stop`.
const OPS_AT_ONCE: usize = 1 << 14;

/// Why a page cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// The run cannot be read.
    #[error(transparent)]
    Run(#[from] ReopenError),
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The file cannot be written.
    #[error("cannot write {path}: {source}. Check the free space and the permissions")]
    Write {
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The caller requested a stop.
    #[error("stopped before the page was written. Write it with 'reelgauge report RUN --html FILE'")]
    Stopped,
}

/// The page of one run.
///
/// `stop` is called now and then; if it returns true, the page is given up.
///
/// # Errors
/// If it is no run directory, neither its summary nor its log can be read, or `stop` returned true. A log
/// that cannot be read is no error if there is a summary: the page states why the figures of the log are
/// missing.
pub fn run_page(dir: &Path, stop: &dyn Fn() -> bool) -> Result<RunPage, PageError> {
    let run_dir = RunDir::open(dir).map_err(ReopenError::from)?;
    let mut summary = reopen(dir)?;
    let (detail, why_no_detail) = match detail_of_run(&run_dir, &summary, stop) {
        Ok(Ok(detail)) => (Some(detail), None),
        Ok(Err(why)) => (None, Some(why)),
        Err(PageError::Trace(error)) => (None, Some(error.to_string())),
        Err(error) => return Err(error),
    };
    let hero = hero(&summary);
    let answer = answer_sentences(&summary);
    let incidents = incident_sentences(&summary);
    let warnings = note_texts(&summary);
    let next_step = next_step(&summary);
    if let Some(search) = &mut summary.search {
        search.trials = search.all_trials(&summary.load_points);
    }
    let shortened = shorten(&mut summary);
    let again = again(&run_dir, &summary);
    let hosts = read_json::<Vec<_>>(&run_dir.hosts_path(), HOSTS_MAX_BYTES).unwrap_or_default();
    let plan_toml = read_to_string(&run_dir.plan_path(), PLAN_MAX_BYTES);
    let (plan_toml, notes) = (plan_toml.as_deref(), run_notes::read(dir));
    let files = RunFiles { again: &again, plan_toml, hosts: &hosts, notes: notes.as_ref() };
    let sections = sections(&summary).into_iter().chain([run_configuration::section(&summary, files)]);
    Ok(RunPage {
        id: id_of(dir),
        hero,
        answer,
        incidents,
        warnings,
        next_step,
        sections: sections.collect(),
        client: client_words(&hosts),
        again,
        marks: mark_words(&summary),
        summary,
        shortened,
        detail,
        why_no_detail,
        // If the directory cannot be listed, the page has no counters.
        counters: crate::counters::with_observers(dir).ok().flatten(),
    })
}

/// The page of one trace. `built_in`: the name of a trace that is part of Reelgauge; its directory was
/// made for this page and will be removed.
///
/// # Errors
/// If it is no trace, its log cannot be read, or `stop` returned true.
pub fn trace_page(
    dir: &Path,
    built_in: Option<&str>,
    stop: &dyn Fn() -> bool,
) -> Result<TracePage, PageError> {
    let trace = Trace::open(dir)?;
    let view = TraceView { period: Period::WHOLE, top: TRACE_TOP };
    let mut stats = TraceStats::new(known_sizes_before(&trace), view.period);
    let mut first = FirstPass::new(Measure::Service, sizes_before(&trace).collect());
    let mut in_order = ops(&trace);
    for (at, op) in in_order.by_ref().enumerate() {
        let op = op?;
        stats.add(&op);
        first.add(&op);
        go_on(at, stop)?;
    }
    let late_ops = in_order.late_ops();
    let mut details = TraceDetails::new(&stats, view.top);
    let mut second = first.second();
    for (at, op) in ops(&trace).enumerate() {
        let op = op?;
        details.add(&op);
        second.add(&op);
        go_on(at, stop)?;
    }
    let mut report = details.report(about(&trace, late_ops), |file| name(&trace, file));
    // The page has finer maps, and these are large.
    report.files.iter_mut().for_each(|file| file.map = None);
    let path = full_path(dir).unwrap_or_else(|_| dir.to_path_buf());
    if let Some(name) = built_in {
        report.about.path = where_built_in(name);
    }
    let again = format!("reelgauge replay {} TARGET", shell_word(built_in.map_or(&path, Path::new)));
    Ok(TracePage {
        id: built_in.map_or_else(|| id_of(dir), str::to_owned),
        sections: trace_sections(&report, &again),
        report,
        detail: second.detail(|file| file_name(&trace, file)),
    })
}

/// Writes a page as one HTML file, completely or not at all.
///
/// # Errors
/// If it cannot be written.
pub fn write_html(page: &Page, path: &Path) -> Result<(), PageError> {
    // Without fsync: it can be made again from its sources.
    write_named(path, |out| html::write(page, out))
        .map_err(|source| PageError::Write { path: path.to_path_buf(), source })
}

/// Makes the page in the directory of a run again, completely or not at all, after something was added
/// to the run. Returns whether it has one.
///
/// # Errors
/// If the run cannot be read, or the file cannot be written. The page is then unchanged.
pub fn renew_page(dir: &Path) -> Result<bool, PageError> {
    let file = dir.join(REPORT_FILE);
    if !file.is_file() {
        return Ok(false);
    }
    write_html(&page(PageKind::Run, vec![run_page(dir, &|| false)?], None), &file)?;
    Ok(true)
}

/// A page of these.
pub fn page(kind: PageKind, runs: Vec<RunPage>, trace: Option<TracePage>) -> Page {
    let steps: Vec<_> = runs.iter().map(|run| run.summary.procedure.as_ref()).collect();
    Page {
        deviations: deviation_sentences(&steps),
        page_version: PAGE_VERSION,
        kind,
        made_at: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        runs,
        trace,
        comparison: None,
        suites: None,
        verdict: None,
        sections: Vec::new(),
    }
}

/// The figures that only the log of a run has, or why they are missing.
fn detail_of_run(
    run_dir: &RunDir,
    summary: &Summary,
    stop: &dyn Fn() -> bool,
) -> Result<Result<Detail, String>, PageError> {
    if !run_dir.ops_path().is_dir() {
        if summary.watch.is_some() {
            return Ok(Err("a watch performs no operations".to_owned()));
        }
        if summary.msmeter.is_some() {
            return Ok(Err(
                "msMeter's workers do not report when an operation started; their records are in records.csv"
                    .to_owned(),
            ));
        }
        let why = summary.log.note.clone();
        return Ok(Err(why.unwrap_or_else(|| "no operation was logged".to_owned())));
    }
    let trace = Trace::open(run_dir.path())?;
    let points = stream_table::read(run_dir).by_point().into_iter();
    let points = points.map(|point| JudgedPoint { part: point.part(), specs: point.streams });
    // Operations in flight at its end are known only if the run could report its end.
    let was_killed = !run_dir.summary_path().exists() && !matches!(life(run_dir.path()), Life::Ended(..));
    let hosts = summary.hosts.as_ref().map_or(&[][..], |section| &section.hosts);
    let first = FirstPass::new(Measure::Response, sizes_before(&trace).collect()).of_hosts(hosts);
    let mut first = first.judging(points.collect(), was_killed);
    for batch in trace.batches() {
        batch?.iter().for_each(|op| first.add(op));
        go_on(0, stop)?;
    }
    let mut second = first.second();
    for (at, op) in ops(&trace).enumerate() {
        second.add(&op?);
        go_on(at, stop)?;
    }
    Ok(Ok(second.detail(|file| file_name(&trace, file))))
}

fn go_on(at: usize, stop: &dyn Fn() -> bool) -> Result<(), PageError> {
    match at.is_multiple_of(OPS_AT_ONCE) && stop() {
        true => Err(PageError::Stopped),
        false => Ok(()),
    }
}

fn sizes_before(trace: &Trace) -> impl Iterator<Item = u64> + '_ {
    trace.files().iter().map(|file| file.size_before_bytes.unwrap_or(0))
}

fn file_name(trace: &Trace, file: u32) -> Option<String> {
    let entry = trace.files().get(file as usize)?;
    (!entry.path.is_empty()).then(|| entry.path.clone())
}

/// The directory's own name, even if it was given as `.`.
pub(crate) fn id_of(dir: &Path) -> String {
    let path = full_path(dir).unwrap_or_else(|_| dir.to_path_buf());
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The command that repeats a run, from any directory.
pub(crate) fn again(run_dir: &RunDir, summary: &Summary) -> String {
    let plan = run_dir.plan_path();
    again_with(summary, &full_path(&plan).unwrap_or(plan))
}
