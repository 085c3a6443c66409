//! `--find-max`: trials of the load that the search asks for, until it has its answer. After every trial
//! the state is written down, so that an interrupted search goes on where it was.

use std::path::Path;

use reelgauge_analysis::facts::{SearchFacts, TrialsAt};
use reelgauge_record::run_dir::{RunDir, RunDirError, write_atomically};
use reelgauge_workload::search::{Answer, Search, SearchSettings};
use reelgauge_workload::streams::{FindMaxPlan, StreamsPlan};

use crate::error::RunError;

/// The search's state in the run directory.
pub const FILE_NAME: &str = "search.json";

/// A search for a plan: where it stood in another run, or from its beginning.
///
/// # Errors
/// Settings that make no search; a state that can't be read.
pub fn begin(
    plan: &StreamsPlan,
    wanted: &FindMaxPlan,
    room: u32,
    from: Option<&Path>,
) -> Result<Search, RunError> {
    if let Some(run) = from {
        let path = run.join(FILE_NAME);
        let text = std::fs::read(&path).map_err(RunError::io(format!("read {}", path.display())))?;
        return serde_json::from_slice(&text).map_err(|source| RunError::Io {
            doing: format!("go on with the search in {}", path.display()),
            source: source.into(),
        });
    }
    let cap = plan.search_cap().min(room).max(1);
    let settings = SearchSettings {
        start: wanted.start.min(cap),
        cap,
        repeats: wanted.repeats,
        repeats_with_noise: wanted.repeats.saturating_mul(2),
        trials_max: None,
        time_max_s: wanted.time_max.map(|time| time.duration().as_secs_f64()),
    };
    Search::new(settings).map_err(|source| RunError::Search { source })
}

/// Writes the state down.
pub fn save(run_dir: &RunDir, search: &Search) -> Result<(), RunDirError> {
    let path = run_dir.path().join(FILE_NAME);
    let json =
        serde_json::to_vec(search).map_err(|source| RunDirError::Json { path: path.clone(), source })?;
    write_atomically(&path, &json)
}

/// What the search found, for the summary. Without an answer it was interrupted.
pub fn facts(search: &Search, answer: Option<&Answer>, streams_per_scale: u32, what: String) -> SearchFacts {
    let of_scale = |scale: u32| scale.saturating_mul(streams_per_scale);
    let passed_always = |at: &&reelgauge_workload::search::Evidence| at.passed > 0 && at.fell() == 0;
    let evidence = search.evidence();
    let first_fall = evidence.iter().find(|at| at.fell() > 0).map_or(u32::MAX, |at| at.streams);
    let best = evidence.iter().filter(passed_always).map(|at| at.streams).filter(|&at| at < first_fall).max();
    let best = answer.map_or(best.unwrap_or(0), Answer::streams);
    let top = evidence.iter().filter(|at| at.passed > 0).map(|at| at.streams).max();
    SearchFacts {
        answer_sentence: match answer {
            Some(answer) => search.answer_sentence(answer),
            None => format!("The search was interrupted; {} passed so far.", of_scale(best)),
        },
        evidence_sentence: search.evidence_sentence(),
        streams: Some(of_scale(best)),
        at_most: top.map(of_scale),
        limited_by_client: matches!(answer, Some(Answer::ClientLimited { .. })),
        complete: matches!(
            answer,
            Some(Answer::Exactly { .. } | Answer::Between { .. } | Answer::NotEvenOne)
        ),
        trials: evidence
            .iter()
            .map(|at| TrialsAt {
                streams: of_scale(at.streams),
                passed: at.passed,
                failed: at.failed,
                client_limited: at.client_limited,
            })
            .collect(),
        what,
        failed_first: None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_workload::search::{Next, Trial};

    use super::*;

    /// A search on storage that carries so many, for at most so many trials.
    fn searched(carries: u32, trials: u32) -> (Search, Option<Answer>) {
        let mut search = Search::new(SearchSettings { cap: 100, ..SearchSettings::default() }).unwrap();
        for _ in 0..trials {
            match search.next() {
                Next::Done(answer) => return (search, Some(answer)),
                Next::Try { streams, .. } => {
                    let trial = Trial { passed: streams <= carries, limited_by_client: false, took_s: 1.0 };
                    search.report(streams, trial).unwrap();
                }
            }
        }
        (search, None)
    }

    #[test]
    fn the_answer_counts_streams_and_not_units_of_scale() {
        let (search, answer) = searched(5, 100);
        let facts = facts(&search, answer.as_ref(), 4, "crews".to_owned());
        assert_eq!((facts.streams, facts.at_most, facts.complete), (Some(20), Some(20), true));
        assert!(facts.trials.iter().any(|at| at.streams == 24 && at.failed > 0));
    }

    #[test]
    fn an_interrupted_search_claims_what_passed() {
        let (search, answer) = searched(5, 3);
        let facts = facts(&search, answer.as_ref(), 1, "players".to_owned());
        assert_eq!((facts.streams, facts.complete), (Some(4), false));
        let resumed: Search = serde_json::from_str(&serde_json::to_string(&search).unwrap()).unwrap();
        assert_eq!(resumed.next(), search.next());
    }
}
