//! Adds the procedure to the summary of a run that was a step of it, after the run has ended.

use std::path::Path;

use reelgauge_analysis::Summary;
use reelgauge_analysis::procedure::step::ProcedureStep;
use reelgauge_record::regular_file::read_regular_text;
use reelgauge_record::run_dir::{RunDir, RunDirError};

use crate::reopen::SUMMARY_MAX_BYTES;

/// Adds it to the `summary.json` of this run. A directory without one, or with one that cannot be read,
/// is unchanged: opening it reports the error.
///
/// # Errors
/// If the summary cannot be written.
pub fn put_into_file(run_dir: &Path, step: &ProcedureStep) -> Result<(), RunDirError> {
    let Ok(run_dir) = RunDir::open(run_dir) else { return Ok(()) };
    let text = read_regular_text(&run_dir.summary_path(), SUMMARY_MAX_BYTES).ok();
    let Some(mut summary) = text.and_then(|text| Summary::from_json(&text).ok()) else {
        return Ok(());
    };
    summary.procedure = Some(step.clone());
    run_dir.write_summary(&summary)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::SystemTime;

    use reelgauge_analysis::procedure::step::PaperDeviation;
    use reelgauge_analysis::summary::Target;
    use reelgauge_record::run_dir::RunName;

    use super::*;

    #[test]
    fn a_summary_names_its_procedure_and_older_ones_open_without() {
        let parent = tempfile::tempdir().unwrap();
        let name = RunName { start: SystemTime::now(), target: "nas", what: "mix" };
        let run = RunDir::create(parent.path(), name).unwrap();
        let summary = Summary::new("0.1.0", "", "mix", Target::default());
        let path = run.summary_path();
        let before = summary.to_json().unwrap();
        assert!(!before.contains("\"procedure\""));
        let deviation = PaperDeviation { setting: None, paper: "10".to_owned(), here: Some("2".to_owned()) };
        let step = ProcedureStep {
            name: "ebu-study".to_owned(),
            step: "sequential read, one file".to_owned(),
            round: None,
            paper: Some("EBU Tech 3362".to_owned()),
            is_short: true,
            deviations: vec![deviation],
        };
        put_into_file(run.path(), &step).unwrap();
        assert!(!path.exists(), "a run without a summary gets none");
        std::fs::write(&path, &before).unwrap();
        put_into_file(run.path(), &step).unwrap();
        let after = Summary::from_json(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(after, Summary { procedure: Some(step), ..summary });
    }
}
