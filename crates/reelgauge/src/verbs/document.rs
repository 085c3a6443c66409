//! `reelgauge report --document`: creates a document about runs, suites and a site description.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use reelgauge_report::SuiteScreen;
use reelgauge_report::text::shell_word;
use reelgauge_results::document::pdf::print_pdf;
use reelgauge_results::document::{DOCUMENT_FILE, RUNS_MAX, write_document};
use reelgauge_results::site::read_site;
use reelgauge_runner::suite::Suite;

use super::directory_kind::without_operations;
use super::latest_run::run_or_latest;
use super::suite::SuiteTexts;
use crate::cli::ReportArgs;

/// Creates the document of the named runs. Returns the exit status.
pub fn document(args: &ReportArgs, site: &Path) -> Result<u8> {
    let runs = match args.runs.as_slice() {
        [] => vec![run_or_latest(None)?],
        runs => runs.to_vec(),
    };
    ensure!(runs.len() <= RUNS_MAX, "a document has at most {RUNS_MAX} runs, not {}", runs.len());
    let (suites, runs): (Vec<PathBuf>, Vec<PathBuf>) = runs.into_iter().partition(|dir| Suite::is_in(dir));
    for run in &runs {
        if let Some(what) = without_operations(run) {
            bail!(what);
        }
    }
    let Some(stated) = read_site(site)? else {
        bail!("{} does not exist; create it with 'reelgauge doctor --ask --site {0}'", shell_word(site));
    };
    let first = runs.iter().chain(&suites).next();
    let html = args.html.clone().or_else(|| Some(first?.join(DOCUMENT_FILE)));
    let html = html.context("--document needs a run")?;
    let suites: Vec<(Suite, SuiteTexts)> = suites.iter().map(|dir| opened(dir)).collect::<Result<_>>()?;
    let screens: Vec<SuiteScreen<'_>> = suites.iter().map(|(suite, words)| words.screen(suite)).collect();
    write_document(&runs, &screens, &stated, &html)?;
    let mut out = std::io::stdout();
    writeln!(out, "Document: {}", shell_word(&html))?;
    match print_pdf(&html) {
        Ok(pdf) => writeln!(out, "PDF: {}", shell_word(&pdf))?,
        Err(why) => writeln!(out, "PDF not written: {why}.")?,
    }
    Ok(0)
}

fn opened(dir: &Path) -> Result<(Suite, SuiteTexts)> {
    let suite = Suite::read(dir)?;
    let words = SuiteTexts::of(&suite, dir);
    Ok((suite, words))
}
