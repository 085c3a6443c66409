//! `reelgauge report --document`: makes a document of runs and a stated site.

use std::io::Write;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use reelgauge_report::text::shell_word;
use reelgauge_results::document::pdf::print_pdf;
use reelgauge_results::document::{DOCUMENT_FILE, RUNS_MAX, write_document};
use reelgauge_results::site::read_site;

use super::latest::run_or_latest;
use super::other_kinds::without_operations;
use crate::cli::ReportArgs;

/// Makes the document of the named runs. The exit code.
pub fn document(args: &ReportArgs, site: &Path) -> Result<u8> {
    let runs = match args.runs.as_slice() {
        [] => vec![run_or_latest(None)?],
        runs => runs.to_vec(),
    };
    ensure!(runs.len() <= RUNS_MAX, "a document has at most {RUNS_MAX} runs, not {}", runs.len());
    for run in &runs {
        if let Some(what) = without_operations(run) {
            bail!(what);
        }
    }
    let Some(stated) = read_site(site)? else {
        bail!("{} does not exist; 'reelgauge doctor --ask --site {0}' makes it", shell_word(site));
    };
    let html = args.html.clone().unwrap_or_else(|| runs[0].join(DOCUMENT_FILE));
    write_document(&runs, &stated, &html)?;
    let mut out = std::io::stdout();
    writeln!(out, "Document: {}", shell_word(&html))?;
    match print_pdf(&html) {
        Ok(pdf) => writeln!(out, "PDF: {}", shell_word(&pdf))?,
        Err(why) => writeln!(out, "PDF: not made: {why}.")?,
    }
    Ok(0)
}
