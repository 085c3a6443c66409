//! The verdict of a run in one or two words, for the head of its page.

use reelgauge_analysis::statement::Judgement;
use reelgauge_analysis::verdict::Verdict;
use reelgauge_analysis::{Outcome, ReplayFacts, SearchFacts, Summary, VdaFacts};
use serde::{Deserialize, Serialize};

use crate::units::{count, counted};

/// A verdict, and whether it is good or bad.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VerdictWord {
    /// `criteria met`.
    pub word: String,
    /// Its sign and colour.
    pub tone: VerdictTone,
}

/// Whether a verdict is good or bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum VerdictTone {
    /// A pass.
    Good,
    /// Neither a pass nor a failure was shown.
    Unsure,
    /// A failure.
    Bad,
    /// There were no criteria.
    Plain,
}

pub(super) fn verdict(summary: &Summary) -> VerdictWord {
    use VerdictTone::{Bad, Plain, Unsure};
    let plain = |word: &str| (word.to_owned(), Plain);
    let is_inconclusive =
        summary.statement.as_ref().is_some_and(|of| of.judgement == Judgement::Inconclusive);
    let (word, tone) = match summary.outcome {
        Outcome::Interrupted => ("interrupted".to_owned(), Bad),
        Outcome::BrokeOff => ("broke off".to_owned(), Bad),
        Outcome::Running => plain("running"),
        Outcome::Complete if summary.watch.is_some() => plain("watched"),
        Outcome::Complete if summary.msmeter.is_some() => plain("original meter"),
        Outcome::Complete if is_inconclusive => ("inconclusive".to_owned(), Unsure),
        Outcome::Complete => match (&summary.search, &summary.vda, &summary.replay) {
            (Some(search), ..) => of_search(search),
            (None, Some(vda), _) => of_points(vda),
            (None, None, Some(replay)) => of_replay(replay),
            (None, None, None) if summary.check.is_some() => plain("quick check"),
            (None, None, None) => of_criteria(summary),
        },
    };
    VerdictWord { word, tone }
}

fn of_search(search: &SearchFacts) -> (String, VerdictTone) {
    match search.streams {
        None | Some(0) => ("count uncertain".to_owned(), VerdictTone::Bad),
        Some(streams) => {
            let at_least = if search.limited_by_client || !search.complete { "at least " } else { "" };
            (format!("{at_least}{}", counted(u64::from(streams), "stream")), VerdictTone::Good)
        }
    }
}

fn of_points(vda: &VdaFacts) -> (String, VerdictTone) {
    let valid = || vda.points.iter().map(|point| point.valid);
    match valid().position(|valid| !valid) {
        None if !vda.points.is_empty() => ("valid".to_owned(), VerdictTone::Good),
        Some(0) if valid().any(|valid| valid) => ("partly valid".to_owned(), VerdictTone::Bad),
        None | Some(0) => ("not valid".to_owned(), VerdictTone::Bad),
        Some(good) => (format!("valid up to point {}", count(good as u64)), VerdictTone::Bad),
    }
}

fn of_replay(replay: &ReplayFacts) -> (String, VerdictTone) {
    let different: u64 = replay.passes.iter().map(|pass| pass.different_ops).sum();
    match different {
        _ if replay.passes.is_empty() => ("nothing replayed".to_owned(), VerdictTone::Bad),
        0 => ("as recorded".to_owned(), VerdictTone::Good),
        _ => (format!("{} different", count(different)), VerdictTone::Bad),
    }
}

fn of_criteria(summary: &Summary) -> (String, VerdictTone) {
    let is_measured = |verdict: &Verdict| verdict.failures.iter().any(|failure| failure.measured);
    let differs = summary.verify.as_ref().is_some_and(|verify| verify.different_bytes > 0);
    let word = match &summary.verdict {
        Some(verdict) if verdict.passed => return ("criteria met".to_owned(), VerdictTone::Good),
        Some(verdict) => if is_measured(verdict) { "NOT MET" } else { "unknown" }.to_owned(),
        None if differs => "DATA DIFFER".to_owned(),
        None if summary.failed_ops() > 0 => {
            format!("{} failed", counted(summary.failed_ops(), "operation"))
        }
        None if summary.ops() == 0 => "nothing measured".to_owned(),
        None => return ("measured".to_owned(), VerdictTone::Plain),
    };
    (word, VerdictTone::Bad)
}
