//! `reelgauge import`: makes a trace of what another program wrote about an application's operations.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use reelgauge_import::{Format, Options, import as import_source};
use reelgauge_report::units;
use reelgauge_trace::{Trace, TraceInfo};

use crate::cli::ImportArgs;
use reelgauge_report::text::shell_word;

/// Bytes read at once: lines that lie within are not copied.
const BUFFER_BYTES: usize = 1 << 20;

/// Imports a file. The exit code.
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
    let text = if args.json { json(&trace, &info)? } else { screen(&trace, &info) };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

fn unknown_format(name: &str) -> anyhow::Error {
    let known = Format::ALL.map(Format::name).join(", ");
    anyhow!("there is no format '{name}'; known are {known}")
}

fn json(trace: &Trace, info: &TraceInfo) -> Result<String> {
    let mut value = serde_json::to_value(info)?;
    value["dir"] = trace.dir().display().to_string().into();
    Ok(format!("{}\n", serde_json::to_string_pretty(&value)?))
}

fn screen(trace: &Trace, info: &TraceInfo) -> String {
    let seconds = info.duration_ns as f64 / 1e9;
    let mut text = format!(
        "{}: {} operations on {} files by {} threads in {seconds:.3} s ({})\n",
        info.name,
        units::count(info.ops),
        units::count(u64::from(info.files)),
        info.threads,
        info.made_by
    );
    text += &format!("Not seen by this source: {}\n", info.blind_to.join("; "));
    for warning in &info.warnings {
        text += &format!("Note: {warning}\n");
    }
    for (why, ops) in &info.left_out {
        text += &format!("Left out: {} {why}\n", units::count(*ops));
    }
    if info.malformed_lines > 0 {
        text +=
            &format!("Not understood: {} lines, of which the first:\n", units::count(info.malformed_lines));
    }
    for line in &info.first_malformed {
        text += &format!("  line {}: {}: {}\n", line.line, line.why, printable(&line.text));
    }
    text + &format!("\n{}\n", shell_word(trace.dir()))
}

/// A foreign line without what a terminal would act upon.
fn printable(text: &str) -> String {
    text.chars().take(120).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
