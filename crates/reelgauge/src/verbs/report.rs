//! `reelgauge report`: prints a run again, from its directory alone, or a trace.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use reelgauge_analysis::Summary;
use reelgauge_record::run_dir::{RunDir, RunDirError};
use reelgauge_report::html::page::PageKind;
use reelgauge_report::observers::observer_words;
use reelgauge_report::text::shell_word;
use reelgauge_report::{Detail, Tables, trace_screen, where_built_in};
use reelgauge_results::observers::add;
use reelgauge_results::page::{page, renew_page, run_page, trace_page, write_html};
use reelgauge_results::reopen::{ReopenError, reopen};
use reelgauge_results::run_judgement::judge_again;
use reelgauge_results::trace_report::{TraceView, trace_report};
use reelgauge_results::watch_summary::watch_plan;
use reelgauge_runner::procedure::procedure_file::ProcedureRecord;
use reelgauge_runner::prove::proof_file::Proof;
use reelgauge_runner::suite::Suite;
use reelgauge_trace::TraceInfo;
use reelgauge_trace::library::Library;

use super::csv_tables::write_tables;
use super::directory_kind::without_operations;
use super::latest_run::{newest_and_below, run_or_latest};
use super::{document, procedure, prove, suite};
use crate::cli::{ClockOffset, ReportArgs};
use crate::screen;

/// The default number of a trace's files in the output.
const DEFAULT_TOP: u32 = 15;

/// Prints a run or a trace. Returns the exit status.
pub fn report(args: &ReportArgs) -> Result<u8> {
    if let Some(site) = &args.document {
        return document::document(args, site);
    }
    ensure!(
        args.runs.len() <= 1,
        "report shows one run; to combine several in a document, use --document site.toml"
    );
    let run = &run_or_latest(args.runs.first())?;
    if Suite::is_in(run) {
        return suite::reprint(args, run);
    }
    if ProcedureRecord::is_in(run) {
        return procedure::again(args, run);
    }
    if Proof::is_in(run) {
        is_told_whole(args, run)?;
        return prove::again(run, args.json);
    }
    let is_trace = TraceInfo::read(run)?.is_some() || is_log_alone(run);
    if let Some(what) = without_operations(run).filter(|_| args.as_trace && !is_trace) {
        bail!(what);
    }
    if is_trace || args.as_trace {
        return of_trace(args, run, run, false);
    }
    // A built-in trace has a name and no directory.
    if !run.exists()
        && let Ok(held) = Library::standard().open(run)
    {
        return of_trace(args, run, held.trace().dir(), held.is_temporary());
    }
    ensure!(
        !args.period.is_given() && args.top.is_none(),
        "--from, --to and --top are for traces; for a run, add --as-trace"
    );
    let summary = match args.observer.is_empty() {
        true => reopen(run).map_err(|error| of_no_run(error, run))?,
        false => with_observers(args, run)?,
    };
    ensure!(
        summary.msmeter.is_none() || args.csv.is_none(),
        "{run} is an msMeter session; its tables are in {run}/text, its records in {run}/records.csv",
        run = shell_word(run)
    );
    if let Some(folder) = &args.csv {
        write_tables(&summary, folder)
            .with_context(|| format!("cannot write CSV files into {}", folder.display()))?;
    }
    if let Some(file) = &args.html {
        write_html(&page(PageKind::Run, vec![run_page(run, &|| false)?], None), file)?;
    }
    let text = if args.json {
        summary.to_json()?
    } else {
        let tables = if args.tables { Tables::Every } else { Tables::Last };
        let detail = if args.workers { Detail::PerWorker } else { Detail::Normal };
        screen::of(&summary, tables, detail)
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

/// Adds observers' counters to a run, and judges it again.
fn with_observers(args: &ReportArgs, run: &Path) -> Result<Summary> {
    let run_dir = RunDir::open(run).map_err(|error| of_no_run(error.into(), run))?;
    ensure!(
        watch_plan(&run_dir).is_none(),
        "{0} is a watch. Add it to a client's run: reelgauge report RUN --observer {0}",
        shell_word(run)
    );
    let offset_ns = args.clock_offset.map(ClockOffset::ns);
    for source in &args.observer {
        for facts in add(&run_dir, source, offset_ns, &args.observer_machine)? {
            // On standard error, so that a program that reads the report finds nothing else in it.
            let text = format!("reelgauge: added to the run: {}", observer_words(&facts));
            let _ = writeln!(std::io::stderr(), "{}", screen::fitted(&text));
        }
    }
    let summary = judge_again(&run_dir)?;
    renew_page(run)?;
    Ok(summary)
}

/// Refuses flags for single runs and traces; `dir` is a proof, with a run for each pass.
fn is_told_whole(args: &ReportArgs, dir: &Path) -> Result<()> {
    let of_runs =
        args.tables || args.workers || args.csv.is_some() || args.html.is_some() || !args.observer.is_empty();
    let of_traces = args.as_trace || args.period.is_given() || args.top.is_some();
    ensure!(
        !of_runs && !of_traces,
        "{dir} is a proof, with one report; for one pass, name its run: reelgauge report {dir}/RUN",
        dir = shell_word(dir)
    );
    Ok(())
}

/// The remedy if there is no run: a folder of runs is listed, of which the newest is usually meant.
pub(super) fn of_no_run(error: ReopenError, run: &Path) -> anyhow::Error {
    let ReopenError::RunDir(RunDirError::NotARun { .. }) = &error else { return error.into() };
    let holds_runs = newest_and_below(run, 1).is_ok_and(|(runs, _)| !runs.is_empty());
    let next = match holds_runs {
        true => format!("it is a folder of runs; list them: reelgauge list {}", shell_word(run)),
        false => "name a run directory; 'reelgauge list' shows those in reelgauge-runs".to_owned(),
    };
    anyhow::anyhow!("{error}; {next}")
}

/// Whether the directory is a log without a run around it, such as an `agent=NAME` of a run.
fn is_log_alone(dir: &Path) -> bool {
    dir.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"agent="))
}

fn of_trace(args: &ReportArgs, run: &Path, dir: &Path, is_built_in: bool) -> Result<u8> {
    let unfit = args.tables || args.workers || args.csv.is_some() || !args.observer.is_empty();
    ensure!(
        !unfit,
        "--tables, --workers, --observer and --csv are for runs; for a trace, use 'reelgauge ops --csv'"
    );
    let built_in = is_built_in.then(|| run.display().to_string());
    if let Some(file) = &args.html {
        let trace = trace_page(dir, built_in.as_deref(), &|| false)?;
        write_html(&page(PageKind::Trace, Vec::new(), Some(trace)), file)?;
    }
    let view = TraceView { period: args.period.period()?, top: args.top.unwrap_or(DEFAULT_TOP) as usize };
    let mut report = trace_report(dir, view)?;
    if let Some(name) = &built_in {
        report.about.path = where_built_in(name);
    }
    let text = if args.json {
        format!("{}\n", serde_json::to_string_pretty(&report)?)
    } else {
        trace_screen(&report, screen::style())
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}
