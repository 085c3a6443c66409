//! The sections of a page, for real runs of every kind: each figure is at its path.
#![allow(clippy::unwrap_used)]

mod shown;

use std::fs;
use std::path::Path;

use reelgauge_analysis::Summary;
use reelgauge_analysis::compare::RunToCompare;
use reelgauge_report::compare::{compare_sections, comparison};
use reelgauge_report::html::sections;
use shown::figures_shown;

fn summary(run: &str) -> Summary {
    let runs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/runs-2ca8415");
    Summary::from_json(&fs::read_to_string(runs.join(run).join("summary.json")).unwrap()).unwrap()
}

/// The sections of a comparison of these runs, and the number of figures that they show.
fn compared(runs: [&str; 2]) -> (serde_json::Value, usize) {
    let summaries = runs.map(summary);
    let to_compare: Vec<RunToCompare<'_>> = runs
        .iter()
        .zip(&summaries)
        .map(|(id, summary)| RunToCompare { id, summary, machines: &[], work: &[] })
        .collect();
    let comparison = comparison(&to_compare, None).unwrap().comparison;
    let sections = compare_sections(&comparison, &summaries.each_ref());
    let sections = serde_json::to_value(sections).unwrap();
    let shown = figures_shown(&serde_json::to_value(&comparison).unwrap(), &sections);
    (sections, shown)
}

#[test]
fn a_comparison_has_late_frames_only_where_frames_were_judged() {
    let has_late = |sections: &serde_json::Value| {
        let columns = sections[0]["blocks"][0]["of"]["columns"].as_array().unwrap();
        columns.iter().any(|column| column["header"][1] == "late frames")
    };
    let (mixes, shown) = compared(["mix", "sweep"]);
    assert!(!has_late(&mixes) && shown >= 10, "{shown} figures");
    let (streams, shown) = compared(["mix", "freeze"]);
    assert!(has_late(&streams) && shown >= 10, "{shown} figures");
}

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
