//! The sections of a page, of real runs of every kind: each figure is where its path says.
#![allow(clippy::unwrap_used)]

mod shown;

use std::fs;
use std::path::Path;

use reelgauge_analysis::Summary;
use reelgauge_report::html::sections;
use shown::figures_shown;

#[test]
fn every_path_leads_to_the_figure_that_is_shown() {
    let runs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/runs-2ca8415");
    let mut shown = 0;
    for run in fs::read_dir(runs).unwrap() {
        let Ok(json) = fs::read_to_string(run.unwrap().path().join("summary.json")) else { continue };
        let summary = Summary::from_json(&json).unwrap();
        let sections = serde_json::to_value(sections(&summary)).unwrap();
        let summary = serde_json::to_value(&summary).unwrap();
        shown += figures_shown(&summary, &sections);
    }
    assert!(shown >= 10, "{shown} figures");
}
