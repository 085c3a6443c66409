//! `reelgauge compare`: runs side by side, and a gate for automation.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use glob::Pattern;
use reelgauge_analysis::compare::{Comparison, Gate};
use reelgauge_record::named_file::write_named;
use reelgauge_report::compare::{as_data, compare_screen, junit, keep, markdown};
use reelgauge_report::html;
use reelgauge_report::text::shell_word;
use reelgauge_results::compare::{compare_page, compare_runs};
use reelgauge_runner::suite::Suite;

use super::directory_kind::of_many;
use super::latest_run::runs_or_latest_two;
use super::suite;
use crate::cli::CompareArgs;
use crate::screen;

/// A figure was worse than allowed.
const EXIT_WORSE: u8 = 1;

/// Compares runs. Returns the exit status.
pub fn compare(args: &CompareArgs) -> Result<u8> {
    let patterns = args.figure.iter().map(|text| Pattern::new(text)).collect::<Result<Vec<_>, _>>();
    let patterns =
        patterns.context("--figure is not a valid pattern; '*' matches any characters, '?' one")?;
    let runs = runs_or_latest_two(&args.runs)?;
    if runs.iter().any(|run| Suite::is_in(run)) {
        return suite::compare(args, &runs);
    }
    if let Some((dir, (kind, part))) = runs.iter().find_map(|run| Some((run, of_many(run)?))) {
        let dir = shell_word(dir);
        bail!(
            "{dir} is a {kind}; its report compares its runs: reelgauge report {dir}. To compare one {part} \
             with other runs, name its run in {dir}"
        );
    }
    ensure!(
        args.csv.is_none(),
        "--csv is for suites; 'reelgauge report RUN --csv DIR' writes the tables of a run"
    );
    let mut comparison = compare_runs(&runs, args.repeats.map(usize::from))?;
    if !patterns.is_empty() {
        keep(&mut comparison, &|figure| patterns.iter().any(|pattern| pattern.matches(figure)));
        ensure!(
            !comparison.comparison.rows.is_empty(),
            "--figure matches no figure of these runs; list the names with 'reelgauge compare RUN RUN --json'"
        );
    }
    let gate = Gate { threshold_percent: args.threshold.unwrap_or(0.0), with_the_tool: !patterns.is_empty() };
    let text = if args.json {
        format!("{}\n", serde_json::to_string_pretty(&as_data(&comparison))?)
    } else if args.markdown {
        markdown(&comparison, args.all)
    } else if args.junit {
        junit(&comparison, &gate)
    } else {
        let style = if args.out.is_some() { reelgauge_report::Style::default() } else { screen::style() };
        compare_screen(&comparison, args.all, style)
    };
    match &args.out {
        Some(path) => write(path, text.as_bytes())?,
        None => std::io::stdout().write_all(text.as_bytes())?,
    }
    if let Some(path) = &args.html {
        let mut page = Vec::new();
        html::write(&compare_page(&runs, &comparison, &|| false)?, &mut page)?;
        write(path, &page)?;
    }
    if args.threshold.is_some() { held(&comparison.comparison, &gate) } else { Ok(0) }
}

/// Writes a file atomically.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    write_named(path, |out| out.write_all(bytes)).with_context(|| format!("cannot write {}", path.display()))
}

/// Whether the gate holds; if not, the failed figures go to standard error. Returns the exit status.
fn held(comparison: &Comparison, gate: &Gate) -> Result<u8> {
    let fallen = gate.fallen(comparison);
    ensure!(
        !fallen.is_empty() || gate.could_judge(comparison),
        "--threshold: no figure could be judged; compare runs of the same work with the same load points, \
         each 30 s or longer"
    );
    if fallen.is_empty() {
        return Ok(0);
    }
    let names: Vec<&str> = fallen.iter().take(3).map(|(row, _)| row.figure.as_str()).collect();
    let more = if fallen.len() > names.len() { ", ..." } else { "" };
    // If standard error is closed, the message is lost.
    let _ = writeln!(
        std::io::stderr(),
        "reelgauge: {} got worse by more than {} % and more than the noise: {}{more}",
        reelgauge_report::units::counted(fallen.len() as u64, "figure"),
        gate.threshold_percent,
        names.join(", ")
    );
    Ok(EXIT_WORSE)
}
