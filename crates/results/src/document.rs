//! The reference document of runs and a stated site, from their directories alone, as one HTML file and,
//! if Chromium is installed, as PDF.
//!
//! Not here: its content (report), and reading the site's file ([`crate::site`]). [`pdf`]: printing it.

pub mod pdf;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use reelgauge_analysis::Summary;
use reelgauge_analysis::path::site::Site;
use reelgauge_analysis::path::{ClientLink, HopKind, MeasuredPath, PathFacts, path};
use reelgauge_record::named_file::write_named;
use reelgauge_record::run_dir::RunDir;
use reelgauge_report::SuiteScreen;
use reelgauge_report::document::html;
use reelgauge_report::document::reference::{DocumentRun, Facts, reference_document};

use crate::page::{HOSTS_MAX_BYTES, PLAN_MAX_BYTES, PageError, again, id_of};
use crate::reopen::{ReopenError, reopen};
use crate::run_context::shares_of;
use crate::run_notes;
use crate::site::site_of_run;
use crate::small_file::{read_json, read_to_string};

/// The document's default name, in the directory of its first run.
pub const DOCUMENT_FILE: &str = "document.html";
/// A document with more runs is not useful.
pub const RUNS_MAX: usize = 32;

/// Writes the document of these runs, suites and this site as HTML, completely or not at all.
///
/// # Errors
/// If a run cannot be read, or the file cannot be written.
pub fn write_document(
    runs: &[PathBuf],
    suites: &[SuiteScreen<'_>],
    site: &Site,
    to: &Path,
) -> Result<(), PageError> {
    let runs: Vec<DocumentRun> =
        runs.iter().map(|dir| document_run(dir, site)).collect::<Result<_, ReopenError>>()?;
    let made_at = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let tool_version = env!("CARGO_PKG_VERSION");
    let document = reference_document(&Facts { site, runs: &runs, suites, made_at: &made_at, tool_version });
    write_named(to, |out| html::write(&document, out))
        .map_err(|source| PageError::Write { path: to.to_path_buf(), source })
}

/// One of its runs.
fn document_run(dir: &Path, site: &Site) -> Result<DocumentRun, ReopenError> {
    let run_dir = RunDir::open(dir)?;
    let mut summary = reopen(dir)?;
    summary.site_shares = shares_of(&summary, site);
    Ok(DocumentRun {
        id: id_of(dir),
        again: again(&run_dir, &summary),
        plan_toml: read_to_string(&run_dir.plan_path(), PLAN_MAX_BYTES),
        hosts: read_json(&run_dir.hosts_path(), HOSTS_MAX_BYTES).unwrap_or_default(),
        notes: run_notes::read(dir),
        path: stated_path(&summary, site),
        had_other_site: site_of_run(dir).is_some_and(|kept| differs(&kept, site)),
        summary,
    })
}

/// The path to the disks, as currently stated, with the rates that the run measured.
fn stated_path(summary: &Summary, site: &Site) -> PathFacts {
    let at = |kind: HopKind| {
        let hops = summary.path.iter().flat_map(|path| &path.hops);
        hops.filter(|hop| hop.kind == kind).find_map(|hop| hop.measured_bytes_per_s)
    };
    let measured = MeasuredPath {
        client_bytes_per_s: at(HopKind::ClientLink),
        server_link_bytes_per_s: at(HopKind::ServerLink),
        disks_bytes_per_s: at(HopKind::Disks),
        is_writing: summary.path.as_ref().is_some_and(|path| path.is_writing),
    };
    let client = summary.link.as_ref().map(|link| ClientLink {
        words: link.words.clone(),
        mbit_per_s: link.speed_mbit_per_s.map(f64::from),
        line_bytes_per_s: link.line_bytes_per_s,
    });
    path(site, client.as_ref(), measured)
}

/// Whether two descriptions are of different systems; the document's customer does not matter.
fn differs(one: &Site, other: &Site) -> bool {
    let system = |site: &Site| Site { document: Default::default(), parts: Vec::new(), ..site.clone() };
    system(one) != system(other)
}
