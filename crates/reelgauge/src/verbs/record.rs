//! `reelgauge record`: makes a trace of a command's operations on the files of a directory.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use reelgauge_capture::{CaptureError, CaptureOptions, CommandEnd, Recorded, record as capture};
use reelgauge_report::text::shell_word;
use reelgauge_report::trace_note::other_name;
use reelgauge_report::units;
use reelgauge_runner::exit_code::{BROKE_OFF, INTERRUPTED};
use reelgauge_trace::library::Library;
use reelgauge_trace::rescue::{Rescued, rescue};
use serde_json::json;

use crate::cli::RecordArgs;
use crate::screen;

/// The default folder for traces.
const OUT_DEFAULT: &str = "reelgauge-traces";
/// Shells add this to the number of the signal that ended a command.
const EXIT_SIGNAL: i32 = 128;

/// Records. Returns the exit status.
pub fn record(args: &RecordArgs) -> Result<u8> {
    let options = CaptureOptions {
        dir: args.dir.clone(),
        command: args.command.clone(),
        mount: args.mount.clone(),
        allow_other: args.allow_other,
        anonymise: args.anonymise,
        out: args.out.clone().unwrap_or_else(|| default_out(&args.dir)),
        name: args.name.clone(),
        stdout_to_stderr: args.json,
    };
    rescue(&options.out).iter().for_each(print_rescued);
    let recorded = match capture(&options, |point| welcome(args, point)) {
        Ok(recorded) => recorded,
        Err(error @ CaptureError::Trace(_)) => {
            screen::complain(&error.into());
            return Ok(BROKE_OFF);
        }
        Err(error) => return Err(error.into()),
    };
    let text = if args.json {
        format!("{:#}\n", json_of(&recorded))
    } else {
        screen::output_fitted(&words(&recorded, args.name.as_deref()))
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(exit_code(&recorded))
}

fn exit_code(recorded: &Recorded) -> u8 {
    match recorded.command {
        // Without a command, Ctrl-C is the normal end.
        None => 0,
        Some(_) if recorded.was_interrupted => INTERRUPTED,
        Some(CommandEnd::Code(code)) => low_byte(code),
        Some(CommandEnd::Signal(signal)) => low_byte(EXIT_SIGNAL + signal),
    }
}

/// An exit status, of which systems keep eight bits.
fn low_byte(code: i32) -> u8 {
    code.to_le_bytes()[0]
}

/// A trace must not be below the recorded directory; then it goes to the library, where replays find it
/// by its name.
fn default_out(dir: &Path) -> PathBuf {
    let here = std::env::current_dir().and_then(std::fs::canonicalize);
    let is_below = here.is_ok_and(|here| dir.canonicalize().is_ok_and(|dir| here.starts_with(dir)));
    let library = is_below.then(|| Library::standard().folders().last().cloned()).flatten();
    library.unwrap_or_else(|| PathBuf::from(OUT_DEFAULT))
}

/// The result of a recording that was killed.
fn print_rescued(rescued: &Rescued) {
    let text = match &rescued.trace {
        Ok(trace) => {
            let trace = shell_word(trace.dir());
            format!("An interrupted recording was recovered, without its last second: {trace}")
        }
        Err(why) => {
            format!("warning: cannot recover the interrupted recording {}: {why}", shell_word(&rescued.left))
        }
    };
    // If standard error is closed, the message is lost.
    let _ = writeln!(std::io::stderr(), "{}", screen::fitted(&text));
}

fn welcome(args: &RecordArgs, point: &Path) {
    if args.quiet {
        return;
    }
    let point = shell_word(point);
    let text = match args.command.is_empty() {
        true => format!("Recording all operations below {point}; Ctrl-C ends it."),
        false => format!("Recording the command's operations below {point}."),
    };
    // If standard error is closed, the message is lost.
    let _ = writeln!(std::io::stderr(), "{}", screen::fitted(&text));
}

/// The text of the result, most important line first. `name` is the requested one.
fn words(recorded: &Recorded, name: Option<&str>) -> String {
    let (info, tally) = (&recorded.info, &recorded.tally);
    let mut lines = vec![
        format!(
            "Recorded {} on {} by {} in {}.",
            units::counted(info.ops, "operation"),
            units::counted(u64::from(info.files), "file"),
            units::counted(u64::from(info.threads), "thread"),
            units::duration(info.duration_ns as f64 / 1e3),
        ),
        format!(
            "  read     {} in {}",
            units::amount(tally.read_bytes),
            units::counted(tally.reads, "operation")
        ),
        format!(
            "  written  {} in {}",
            units::amount(tally.written_bytes),
            units::counted(tally.writes, "operation")
        ),
    ];
    if tally.failed > 0 {
        lines.push(format!("  failed   {}", units::counted(tally.failed, "operation")));
    }
    lines.push(cost(recorded));
    lines.extend(info.warnings.iter().map(|warning| format!("  note     {warning}")));
    let other = name.and_then(|name| other_name(name, &recorded.trace));
    lines.extend(other.map(|note| format!("  note     {note}")));
    lines.push(format!("Not recorded: {}.", info.blind_to.join("; ")));
    let trace = shell_word(&recorded.trace);
    lines.push(format!("The trace: {trace}"));
    lines.push(format!("Next: reelgauge replay {trace} PATH"));
    lines.join("\n")
}

/// The cost of the recording itself.
fn cost(recorded: &Recorded) -> String {
    let own =
        recorded.info.cost_ns_per_op.map_or("nothing".to_owned(), |own_ns| units::duration(own_ns / 1e3));
    let way = recorded.info.round_trip_ns.map_or(String::new(), |way_ns| {
        format!(
            ", and about {} to reach it and return; copying data adds to this (record --help)",
            units::duration(way_ns / 1e3)
        )
    });
    format!("  cost     {own} per operation in the recorder{way}")
}

fn json_of(recorded: &Recorded) -> serde_json::Value {
    let (code, signal) = match recorded.command {
        Some(CommandEnd::Code(code)) => (Some(code), None),
        Some(CommandEnd::Signal(signal)) => (None, Some(signal)),
        None => (None, None),
    };
    let tally = &recorded.tally;
    json!({
        "trace": recorded.trace,
        "info": recorded.info,
        "read_ops": tally.reads,
        "read_bytes": tally.read_bytes,
        "write_ops": tally.writes,
        "written_bytes": tally.written_bytes,
        "mapped_ops": tally.mapped,
        "failed_ops": tally.failed,
        "command_exit_code": code,
        "command_signal": signal,
        "was_interrupted": recorded.was_interrupted,
        "round_trip_ns": recorded.info.round_trip_ns,
    })
}
