//! A run that is over: its summary, its directory, and its exit status.

use std::path::PathBuf;

use reelgauge_analysis::statement::{Judgement, of};
use reelgauge_analysis::{Outcome, Summary};

use crate::exit_code::{BROKE_OFF, INTERRUPTED, NOT_MET};

/// A run that measured something.
#[derive(Debug)]
pub struct Finished {
    /// Everything that a report shows.
    pub summary: Summary,
    pub run_dir: PathBuf,
}

impl Finished {
    /// The exit status: 0 complete; 1 complete, but the criteria were not met, the run is inconclusive,
    /// a load point could not be measured, a user's event failed or data read back differ from those
    /// written; 3 incomplete; 130 interrupted.
    pub fn exit_code(&self) -> u8 {
        let differs = self.summary.verify.as_ref().is_some_and(|verify| verify.different_bytes > 0);
        let not_met = self.summary.verdict.as_ref().is_some_and(|verdict| !verdict.passed);
        let not_measured = self.summary.load_points.iter().any(|point| point.not_measured.is_some());
        let event_failed = self.summary.event.as_ref().is_some_and(|event| !event.end.is_success());
        let inconclusive = of(&self.summary).judgement == Judgement::Inconclusive;
        match self.summary.outcome {
            Outcome::Complete if differs || not_met || not_measured || inconclusive || event_failed => {
                NOT_MET
            }
            Outcome::Complete => 0,
            Outcome::BrokeOff | Outcome::Running => BROKE_OFF,
            Outcome::Interrupted => INTERRUPTED,
        }
    }
}
