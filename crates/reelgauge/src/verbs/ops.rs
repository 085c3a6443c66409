//! `reelgauge ops`: the operations of a trace or a run, one by one.

use std::io::{BufWriter, Write};

use anyhow::{Context, Result, bail};
use glob::Pattern;
use reelgauge_analysis::operation_list::{OpFilter, SortBy};
use reelgauge_report::units::count;
use reelgauge_report::{OpRows, RowFormat};
use reelgauge_results::ops_listing::{Listing, list};
use reelgauge_results::trace_report::name;
use reelgauge_trace::library::Library;

use super::directory_kind::without_operations;
use super::latest_run::single_run_or_latest;
use crate::cli::OpsArgs;
use crate::screen;

/// The default number in any other order than that of time.
const DEFAULT_TOP: usize = 20;

/// Lists operations. Returns the exit status.
pub fn ops(args: &OpsArgs) -> Result<u8> {
    let pattern = args.file.as_deref().map(Pattern::new).transpose();
    let pattern = pattern.context("--file is not a valid pattern; '*' matches any characters, '?' one")?;
    let period = args.period.period()?;
    let dir = single_run_or_latest(args.trace.as_ref())?;
    if let Some(what) = without_operations(&dir) {
        bail!(what);
    }
    let held = Library::standard().open(&dir)?;
    let trace = held.trace();
    let files = pattern.map(|pattern| trace.files().iter().map(|file| pattern.matches(&file.path)).collect());
    let filter = OpFilter {
        period,
        files,
        kinds: args.kind.clone(),
        min_service_ns: args.min_service.map_or(0, |span| span.ns()),
        errors: args.errors,
        stream: args.stream,
    };
    let sort = args.sort;
    let top = match args.top {
        Some(top) => Some(top as usize),
        None => (sort != SortBy::Issued).then_some(DEFAULT_TOP),
    };
    let format = match (args.csv, args.json) {
        (true, _) => RowFormat::Csv,
        (_, true) => RowFormat::Json,
        _ => RowFormat::Text,
    };
    let out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let mut rows = OpRows::new(format, out, screen::list_width(), |file| name(trace, file));
    let left_out =
        list(trace, Listing { filter, sort, top }, |op| rows.write(op).map_err(anyhow::Error::from))?;
    let shown = rows.finish()?;
    // On standard error, so that a program that reads the list finds nothing else in it.
    if format == RowFormat::Text {
        let mut err = std::io::stderr().lock();
        let _ = match (shown, left_out) {
            (0, _) => writeln!(err, "reelgauge: no operation matches"),
            (_, 0) => Ok(()),
            _ => writeln!(
                err,
                "reelgauge: {} more {}; --top N shows more",
                count(left_out),
                if left_out == 1 { "matches" } else { "match" }
            ),
        };
    }
    Ok(0)
}
