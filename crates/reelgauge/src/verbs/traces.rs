//! `reelgauge traces`: what is in the library; one trace with what was published of it; a copy of one.

use std::io::Write;

use anyhow::{Result, bail};
use reelgauge_report::text::{plain, plain_short, wrap};
use reelgauge_report::units::{amount, count, counted, moment, number};
use reelgauge_trace::TraceInfo;
use reelgauge_trace::library::{Entry, Library, Materialised};
use serde_json::json;

use crate::cli::TracesArgs;
use reelgauge_report::text::shell_word;

/// How wide text is set.
const WIDTH: usize = 100;
/// How much of a name is shown in the list.
const NAME_CHARS: usize = 40;

/// Lists the traces, shows one, or writes one to a directory. The exit code.
pub fn traces(args: &TracesArgs) -> Result<u8> {
    let library = Library::standard();
    match (&args.name, &args.out) {
        (Some(name), Some(out)) => {
            let trace = library.write(name, args.seed, out)?;
            let ops = count(trace.ops());
            writeln!(std::io::stdout(), "{ops} operations in {}", shell_word(trace.dir()))?;
        }
        (Some(name), None) if args.json => print_json(&one_as_json(&library.open(name)?))?,
        (Some(name), None) => show(&library.open(name)?)?,
        (None, Some(_)) => bail!("name the trace that is to be written"),
        (None, None) if args.json => {
            print_json(&library.list().iter().map(entry_as_json).collect::<Vec<_>>())?;
        }
        (None, None) => list(&library)?,
    }
    Ok(0)
}

/// One line for each trace.
fn list(library: &Library) -> Result<()> {
    let entries = library.list();
    let names: Vec<String> = entries.iter().map(|entry| plain_short(&entry.name, NAME_CHARS)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut out = std::io::stdout().lock();
    let (name, ops, files, data, time) = ("NAME", "OPERATIONS", "FILES", "DATA", "TIME");
    writeln!(out, "{name:<width$}  KIND       {ops:>10}  {files:>7}  {data:>8}  {time:>13}")?;
    for (entry, name) in entries.iter().zip(&names) {
        let kind = entry.kind.name();
        let facts = match &entry.facts {
            Ok(facts) => facts,
            Err(why) => {
                writeln!(out, "{name:<width$}  {kind:<9}  damaged: {}", plain_short(why, 2 * WIDTH))?;
                continue;
            }
        };
        let (ops, files) = (count(facts.ops), count(facts.files));
        let data = facts.bytes.map_or_else(|| "-".to_owned(), amount);
        let time = facts.duration_ns.map_or_else(|| "-".to_owned(), |ns| moment(ns as f64 / 1e9));
        writeln!(out, "{name:<width$}  {kind:<9}  {ops:>10}  {files:>7}  {data:>8}  {time:>13}")?;
    }
    let folders: Vec<String> = library.folders().iter().map(|folder| shell_word(folder)).collect();
    writeln!(out, "\nYour own traces appear here when they lie in {}.", folders.join(" or "))?;
    writeln!(out, "Look at one: reelgauge traces PhotoAlbum-synth")?;
    Ok(())
}

/// What a trace says of itself, with the table of a synthetic one.
fn show(opened: &Materialised) -> Result<()> {
    let trace = opened.trace();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", plain(&trace.name()))?;
    let Some(info) = trace.info() else {
        writeln!(out, "A run, of {} operations.", count(trace.ops()))?;
        return Ok(());
    };
    if !info.about.is_empty() {
        writeln!(out, "{}", wrap(&plain(&info.about), WIDTH, 0))?;
    }
    let took = moment(info.duration_ns as f64 / 1e9);
    writeln!(
        out,
        "\n{} operations on {} files and directories by {}, {took}.",
        count(trace.ops()),
        count(u64::from(info.files)),
        counted(u64::from(info.threads), "thread"),
    )?;
    if let Some(moved) = info.moved {
        let reads = counted(moved.reads, "operation");
        let writes = counted(moved.writes, "operation");
        let (read, written) = (amount(moved.read_bytes), amount(moved.written_bytes));
        writeln!(out, "{read} read in {reads}, {written} written in {writes}.")?;
    }
    let source = plain_short(&info.source, 2 * WIDTH);
    writeln!(out, "Made by {}, from: {source}", plain(&info.made_by))?;
    if !info.blind_to.is_empty() {
        let blind = format!("It does not tell: {}.", plain(&info.blind_to.join("; ")));
        writeln!(out, "{}", wrap(&blind, WIDTH, 0))?;
    }
    for warning in &info.warnings {
        writeln!(out, "{}", wrap(&format!("Note: {}", plain(warning)), WIDTH, 0))?;
    }
    table(info, &mut out)
}

/// What was published and what is there.
fn table(info: &TraceInfo, out: &mut impl Write) -> Result<()> {
    if info.synthetic.is_empty() {
        return Ok(());
    }
    let figures: Vec<String> = info.synthetic.iter().map(|row| plain_short(&row.figure, WIDTH / 2)).collect();
    let width = figures.iter().map(|figure| figure.chars().count()).max().unwrap_or(0);
    let (name, target, achieved, tolerance) = ("FIGURE", "TARGET", "ACHIEVED", "TOLERANCE");
    writeln!(out, "\n{name:<width$}  {target:>12}  {achieved:>12}  {tolerance:>10}")?;
    for (figure, row) in figures.iter().zip(&info.synthetic) {
        let missed = if (row.achieved - row.target).abs() > row.tolerance { "  missed" } else { "" };
        let [target, achieved, tolerance] = [row.target, row.achieved, row.tolerance].map(exact);
        writeln!(out, "{figure:<width$}  {target:>12}  {achieved:>12}  {tolerance:>10}{missed}")?;
    }
    Ok(())
}

/// A figure as it was published: whole numbers whole, others with the digits that count.
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
