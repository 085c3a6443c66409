//! The procedure that a run was a step of, put into its summary when the run has ended.

use std::path::Path;

use reelgauge_analysis::Summary;
use reelgauge_analysis::procedure::step::ProcedureStep;
use reelgauge_record::regular_file::read_regular_text;
use reelgauge_record::run_dir::{RunDirError, write_atomically};

/// More than this is no summary that a run wrote.
const FILE_MAX_BYTES: u64 = 256 << 20;

/// Puts it into the `summary.json` of this run. A run without one, or with one that can't be read, stays as
/// it is: the error that says so belongs to whoever opens it.
///
/// # Errors
/// The summary can't be written.
pub fn put_into_file(run_dir: &Path, step: &ProcedureStep) -> Result<(), RunDirError> {
    let path = run_dir.join("summary.json");
    let text = read_regular_text(&path, FILE_MAX_BYTES).ok();
    let Some(mut summary) = text.and_then(|text| Summary::from_json(&text).ok()) else {
        return Ok(());
    };
    summary.procedure = Some(step.clone());
    match summary.to_json() {
        Ok(text) => write_atomically(&path, text.as_bytes()),
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::procedure::step::PaperDeviation;
    use reelgauge_analysis::summary::Target;

    use super::*;

    #[test]
    fn a_summary_names_its_procedure_and_older_ones_open_without() {
        let dir = tempfile::tempdir().unwrap();
        let summary = Summary::new("0.1.0", "", "mix", Target::default());
        let path = dir.path().join("summary.json");
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
        put_into_file(dir.path(), &step).unwrap();
        assert!(!path.exists(), "a run without a summary gets none");
        std::fs::write(&path, &before).unwrap();
        put_into_file(dir.path(), &step).unwrap();
        let after = Summary::from_json(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(after, Summary { procedure: Some(step), ..summary });
    }
}
