//! `reelgauge import`: makes a trace of another program's record of an application's operations.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use reelgauge_import::{Format, Options, import as import_source};
use reelgauge_report::text::{plain, shell_word};
use reelgauge_report::trace_note::other_name;
use reelgauge_report::units;
use reelgauge_results::trace_report::words as words_of_notes;
use reelgauge_trace::{Trace, TraceInfo};

use crate::cli::ImportArgs;
use crate::screen;

/// Bytes per read. Lines that lie within one buffer are not copied.
const BUFFER_BYTES: usize = 1 << 20;

/// Imports a file. Returns the exit status.
pub fn import(args: &ImportArgs) -> Result<u8> {
    let format = match args.format.as_deref() {
        Some(name) => Some(Format::from_name(name).ok_or_else(|| unknown_format(name))?),
        None => None,
    };
    let is_stdin = args.file == Path::new("-");
    let source = if is_stdin { "standard input".to_owned() } else { args.file.display().to_string() };
    let stem = args.file.file_stem().filter(|_| !is_stdin).unwrap_or_default().to_string_lossy();
    let name = args.name.clone().unwrap_or_else(|| stem.into_owned());
    let options = Options { name, parent: args.out.clone(), root: args.root.clone(), format, source };
    let reader: Box<dyn Read> = match is_stdin {
        true => Box::new(std::io::stdin()),
        false => {
            Box::new(File::open(&args.file).with_context(|| format!("cannot open {}", args.file.display()))?)
        }
    };
    let trace = import_source(BufReader::with_capacity(BUFFER_BYTES, reader), &options)?;
    let info = trace.info().cloned().unwrap_or_default();
    let text = if args.json { json(&trace, &info)? } else { screen::output_fitted(&words(&trace, &info)) };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

fn unknown_format(name: &str) -> anyhow::Error {
    let known = Format::ALL.map(Format::name).join(", ");
    anyhow!("there is no format '{name}'; use one of {known}")
}

fn json(trace: &Trace, info: &TraceInfo) -> Result<String> {
    let mut value = serde_json::to_value(info)?;
    value["dir"] = trace.dir().display().to_string().into();
    Ok(format!("{}\n", serde_json::to_string_pretty(&value)?))
}

/// The text of the result, most important line first.
fn words(trace: &Trace, info: &TraceInfo) -> String {
    let mut lines = vec![format!(
        "{}: {} on {} by {} in {} ({})",
        plain(&info.name),
        units::counted(info.ops, "operation"),
        units::counted(u64::from(info.files), "file"),
        units::counted(u64::from(info.threads), "thread"),
        units::duration(info.duration_ns as f64 / 1e3),
        info.made_by
    )];
    lines.push(format!("Not recorded by this source: {}.", info.blind_to.join("; ")));
    let notes = words_of_notes(info.notes.clone(), info.warnings.clone());
    lines.extend(notes.iter().map(|note| format!("Note: {note}")));
    lines.extend(other_name(&info.name, trace.dir()).map(|note| format!("Note: {note}")));
    let left_out = info.left_out.iter().map(|(why, ops)| format!("Left out: {why} ({})", units::count(*ops)));
    lines.extend(left_out);
    if info.malformed_lines > 0 {
        let malformed = units::counted(info.malformed_lines, "line");
        lines.push(format!("Could not parse {malformed}. The first:"));
    }
    for line in &info.first_malformed {
        lines.push(format!("  line {}: {}: {}", line.line, line.why, printable(&line.text)));
    }
    let trace = shell_word(trace.dir());
    lines.push(format!("The trace: {trace}"));
    lines.push(format!("Next: reelgauge report {trace}, or reelgauge replay {trace} PATH"));
    lines.join("\n")
}

/// A foreign line without control characters.
fn printable(text: &str) -> String {
    text.chars().take(120).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
