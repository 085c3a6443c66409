//! `reelgauge traces`: the library; one trace with its published figures; a copy of one.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail};
use reelgauge_analysis::trace_stats::{Period, SizeFigures};
use reelgauge_report::text::{plain, shell_word, wrap};
use reelgauge_report::trace_list::{
    FigureLine, TraceLine, WorkloadLine, figure_list, trace_list, workload_table,
};
use reelgauge_report::units::{amount, count, counted, moment, number};
use reelgauge_results::trace_report::{TraceView, trace_report};
use reelgauge_trace::library::{Entry, Library, Materialised};
use reelgauge_trace::synth::{self, Workload};
use reelgauge_trace::{TargetFigure, TraceInfo};
use serde_json::json;

use crate::cli::TracesArgs;
use crate::screen;

/// Lists the traces, shows one, or writes one to a directory. Returns the exit status.
pub fn traces(args: &TracesArgs) -> Result<u8> {
    let library = Library::standard();
    if args.table {
        workloads(&library, args.json)?;
        return Ok(0);
    }
    match (&args.name, &args.out) {
        (Some(name), Some(out)) => {
            let trace = library.write(name, args.seed, out)?;
            let ops = counted(trace.ops(), "operation");
            writeln!(std::io::stdout(), "{ops} in {}", shell_word(trace.dir()))?;
        }
        (Some(name), None) if args.json => print_json(&one_as_json(&library.open(name)?))?,
        (Some(name), None) => show(&library.open(name)?)?,
        (None, Some(_)) => bail!("name the trace to write"),
        (None, None) if args.json => {
            print_json(&library.list().iter().map(entry_as_json).collect::<Vec<_>>())?;
        }
        (None, None) => list(&library)?,
    }
    Ok(0)
}

/// The paper's workloads as traces of this library, each read completely.
fn workloads(library: &Library, as_json: bool) -> Result<()> {
    let view = TraceView { period: Period::WHOLE, top: 0 };
    let line = |workload: &Workload| -> Result<WorkloadLine> {
        let opened = library.open(Path::new(workload.name))?;
        let figures = trace_report(opened.trace().dir(), view)?.figures;
        let size = |sizes: Option<SizeFigures>| sizes.map(|sizes| sizes.median_bytes);
        Ok(WorkloadLine {
            name: workload.name.to_owned(),
            files: figures.files.only_read + figures.files.only_written + figures.files.read_and_written,
            sequential_percent: figures.sequential_percent,
            read_bytes: figures.read_bytes,
            written_bytes: figures.written_bytes,
            bytes_per_s: figures
                .read_bytes_per_s
                .zip(figures.written_bytes_per_s)
                .map(|(read, written)| read + written),
            median_read_bytes: size(figures.read_sizes),
            median_write_bytes: size(figures.write_sizes),
            about: workload.what.to_owned(),
        })
    };
    let lines = synth::workloads().iter().map(line).collect::<Result<Vec<_>>>()?;
    match as_json {
        true => print_json(&lines)?,
        false => write!(std::io::stdout(), "{}", workload_table(&lines, screen::style().width))?,
    }
    Ok(())
}

/// One line for each trace.
fn list(library: &Library) -> Result<()> {
    let entries = library.list();
    let line = |entry: &Entry| {
        let facts = entry.facts.as_ref();
        TraceLine {
            name: entry.name.clone(),
            kind: entry.kind.name().to_owned(),
            ops: facts.map_or(0, |facts| facts.ops),
            files: facts.map_or(0, |facts| facts.files),
            bytes: facts.ok().and_then(|facts| facts.bytes),
            seconds: facts.ok().and_then(|facts| facts.duration_ns).map(|ns| ns as f64 / 1e9),
            damaged: facts.err().map(ToString::to_string),
        }
    };
    let width = screen::style().width;
    let mut out = std::io::stdout().lock();
    write!(out, "{}", trace_list(&entries.iter().map(line).collect::<Vec<_>>(), width))?;
    let folders: Vec<String> = library.folders().iter().map(|folder| shell_word(folder)).collect();
    let own = format!("Your own traces are listed here if they are in {}.", folders.join(" or "));
    writeln!(out, "\n{}", wrap(&own, width, 0))?;
    writeln!(out, "Show one: reelgauge traces PhotoAlbum-synth")?;
    Ok(())
}

/// A trace's description, with the table of a synthetic one.
fn show(opened: &Materialised) -> Result<()> {
    let trace = opened.trace();
    let width = screen::style().width;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", plain(&trace.name()))?;
    let Some(info) = trace.info() else {
        writeln!(out, "A run, of {}.", counted(trace.ops(), "operation"))?;
        return Ok(());
    };
    if !info.about.is_empty() {
        writeln!(out, "{}", wrap(&plain(&info.about), width, 0))?;
    }
    let took = moment(info.duration_ns as f64 / 1e9);
    let on = match info.files {
        1 => "1 file or directory".to_owned(),
        files => format!("{} files and directories", count(u64::from(files))),
    };
    let what = format!(
        "{} on {on} by {}, {took}.",
        counted(trace.ops(), "operation"),
        counted(u64::from(info.threads), "thread"),
    );
    writeln!(out, "\n{}", wrap(&what, width, 0))?;
    if let Some(moved) = info.moved {
        let reads = counted(moved.reads, "operation");
        let writes = counted(moved.writes, "operation");
        let (read, written) = (amount(moved.read_bytes), amount(moved.written_bytes));
        let moved = format!("{read} read in {reads}, {written} written in {writes}.");
        writeln!(out, "{}", wrap(&moved, width, 0))?;
    }
    let source = match info.source.is_empty() {
        true => format!("Made by {}", plain(&info.made_by)),
        false => format!("Made by {}, from: {}", plain(&info.made_by), plain(&info.source)),
    };
    writeln!(out, "{}", wrap(&source, width, 0))?;
    if !info.blind_to.is_empty() {
        let blind = format!("Not recorded: {}.", plain(&info.blind_to.join("; ")));
        writeln!(out, "{}", wrap(&blind, width, 0))?;
    }
    for note in reelgauge_results::trace_report::words(info.notes.clone(), info.warnings.clone()) {
        writeln!(out, "{}", wrap(&format!("Note: {}", plain(&note)), width, 0))?;
    }
    table(info, &mut out)
}

/// The published figures and those of the trace.
fn table(info: &TraceInfo, out: &mut impl Write) -> Result<()> {
    if info.synthetic.is_empty() {
        return Ok(());
    }
    let line = |row: &TargetFigure| FigureLine {
        figure: row.figure.clone(),
        target: exact(row.target),
        achieved: exact(row.achieved),
        tolerance: exact(row.tolerance),
        is_missed: (row.achieved - row.target).abs() > row.tolerance,
    };
    let lines: Vec<FigureLine> = info.synthetic.iter().map(line).collect();
    write!(out, "\n{}", figure_list(&lines, screen::style().width))?;
    Ok(())
}

/// A figure as it was published: integers without decimals, others with their significant digits.
fn exact(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e15 {
        count(value.abs() as u64)
    } else if value.abs() < 1.0 || value.abs() >= 1000.0 {
        number(value)
    } else {
        format!("{value:.2}")
    }
}

fn entry_as_json(entry: &Entry) -> serde_json::Value {
    let facts = entry.facts.as_ref().ok();
    json!({
        "name": entry.name,
        "kind": entry.kind.name(),
        "path": entry.path,
        "ops": facts.map(|facts| facts.ops),
        "files": facts.map(|facts| facts.files),
        "moved_bytes": facts.and_then(|facts| facts.bytes),
        "duration_ns": facts.and_then(|facts| facts.duration_ns),
        "source": facts.map(|facts| &facts.source),
        "about": facts.map(|facts| &facts.about),
        "error": entry.facts.as_ref().err(),
    })
}

fn one_as_json(opened: &Materialised) -> serde_json::Value {
    let trace = opened.trace();
    let path = if opened.is_temporary() { None } else { Some(trace.dir()) };
    json!({
        "name": trace.name(),
        "kind": opened.kind().name(),
        "path": path,
        "ops": trace.ops(),
        "info": trace.info(),
        "files": trace.files(),
    })
}

fn print_json(value: &impl serde::Serialize) -> Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    Ok(())
}
