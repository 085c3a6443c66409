//! `--find-max`: trials of the load that the search asks for, until it has its answer. After every trial
//! the state is written down, so that an interrupted search goes on where it was.

use std::collections::BTreeMap;
use std::path::Path;

use reelgauge_analysis::Summary;
use reelgauge_analysis::facts::{SearchFacts, StoppedBy, TrialsAt};
use reelgauge_analysis::summary::NoteKind;
use reelgauge_analysis::warning::SHORT_LOOK_S;
use reelgauge_engine::mount::Mount;
use reelgauge_record::identity;
use reelgauge_record::run_dir::{RunDir, RunDirError, write_atomically};
use reelgauge_workload::search::{Answer, Budget, Search, SearchSettings};
use reelgauge_workload::streams::{ActorPlan, FindMaxPlan, StreamsPlan};
use serde::{Deserialize, Serialize};

use crate::error::RunError;

/// The search's state in the run directory.
pub const FILE_NAME: &str = "search.json";

/// A search, and what its evidence is evidence of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchState {
    /// What must be the same for a trial to count in another run, by name.
    pub of: BTreeMap<String, String>,
    /// What limits the counts that it may try.
    pub capped_by: StoppedBy,
    /// The search itself.
    pub search: Search,
}

/// The largest counts that a search may try, by what limits them.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For whose files the target has room.
    pub room: u32,
    /// For whom the user's own files are enough.
    pub own_files: u32,
    /// For whom this machine lets one process have memory, threads and open files.
    pub machine: u32,
}

impl Limits {
    /// The largest count, and what limits it.
    fn cap(self, plan: &StreamsPlan) -> (u32, StoppedBy) {
        let wanted = plan.find_max.and_then(|search| search.cap);
        let cap = plan.search_cap();
        let of_plan = if wanted == Some(cap) { StoppedBy::Cap } else { StoppedBy::OneProcess };
        let all = [
            (cap, of_plan),
            (self.room, StoppedBy::Room),
            (self.own_files, StoppedBy::OwnFiles),
            (self.machine, StoppedBy::OneProcess),
        ];
        let (cap, by) = all.into_iter().min_by_key(|(count, _)| *count).unwrap_or((cap, of_plan));
        (cap.max(1), by)
    }
}

/// Everything that a trial's outcome depends on, by name.
fn conditions(plan: &StreamsPlan, mount: &Mount) -> BTreeMap<String, String> {
    let each = |of: fn(&ActorPlan) -> String| plan.actors.iter().map(of).collect::<Vec<_>>().join("; ");
    let format = |actor: &ActorPlan| {
        let own = actor.own_format.as_ref().map(|format| format!("{format:?}"));
        let like = actor.like.as_ref().map(|path| path.display().to_string());
        own.or(like).or_else(|| actor.format.clone()).unwrap_or_default()
    };
    let rest = |actor: &ActorPlan| {
        let plain = ActorPlan { format: None, like: None, own_format: None, ..actor.clone() };
        format!("{:?}", ActorPlan { criteria: String::new(), ..plain })
    };
    let criteria = |actor: &ActorPlan| match actor.criteria.trim() {
        "" => "the usual ones".to_owned(),
        changed => changed.to_owned(),
    };
    let named = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("target", plan.target.display().to_string()),
        ("mount", format!("{} {}", mount.fs_type, mount.source)),
        ("mount options", mount.options.join(",")),
        ("format", each(format)),
        ("criteria", each(criteria)),
        ("actor", each(rest)),
        ("warm-up", plan.warmup.to_string()),
        ("duration", plan.duration.to_string()),
        ("direct I/O", plan.direct.to_string()),
        ("driver", format!("{:?}", plan.driver)),
    ];
    named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A search for a plan: from its beginning, or from where it stood in another run, with what this plan says
/// of how long and how far it may go.
///
/// # Errors
/// Settings that make no search; a state that can't be read, or whose evidence is of something else.
pub fn begin(
    plan: &StreamsPlan,
    mount: &Mount,
    wanted: &FindMaxPlan,
    limits: Limits,
    from: Option<&Path>,
) -> Result<SearchState, RunError> {
    let of = conditions(plan, mount);
    let (cap, capped_by) = limits.cap(plan);
    let settings = settings(plan, wanted, cap);
    let search = match from {
        Some(run) => searched_before(run, &of)?.going_on(settings),
        None => Search::new(settings),
    };
    Ok(SearchState { of, capped_by, search: search.map_err(|source| RunError::Search { source })? })
}

/// The search that a plan asks for, up to this count.
///
/// # Errors
/// Settings that make no search.
pub fn search_of(plan: &StreamsPlan, wanted: &FindMaxPlan, cap: u32) -> Result<Search, RunError> {
    Search::new(settings(plan, wanted, cap)).map_err(|source| RunError::Search { source })
}

fn settings(plan: &StreamsPlan, wanted: &FindMaxPlan, cap: u32) -> SearchSettings {
    let confirm_s = wanted.confirm.duration().as_secs_f64();
    SearchSettings {
        start: wanted.start.min(cap),
        cap,
        repeats: wanted.repeats,
        repeats_with_noise: wanted.repeats.saturating_mul(2),
        confirm_s: (wanted.confirm.ns() > plan.duration.ns()).then_some(confirm_s),
        trials_max: None,
        time_max_s: wanted.time_max.map(|time| time.duration().as_secs_f64()),
    }
}

/// The search of another run, whose trials were made under the same conditions.
fn searched_before(run: &Path, of: &BTreeMap<String, String>) -> Result<Search, RunError> {
    let path = run.join(FILE_NAME);
    let _own = identity::own();
    let text = std::fs::read(&path).map_err(RunError::io(format!("read {}", path.display())))?;
    let before: SearchState = serde_json::from_slice(&text).map_err(|source| RunError::Io {
        doing: format!("go on with the search in {}", path.display()),
        source: source.into(),
    })?;
    let differs = of.iter().find(|(name, now)| before.of.get(*name) != Some(now));
    match differs {
        None => Ok(before.search),
        Some((name, now)) => Err(RunError::OtherSearch {
            run: run.to_path_buf(),
            name: name.clone(),
            before: before.of.get(name).cloned().unwrap_or_else(|| "not known".to_owned()),
            now: now.clone(),
        }),
    }
}

/// The largest count that passed every time, below every count that ever failed, and the smallest that
/// failed, above every count that ever passed.
pub fn bounds(search: &Search) -> (Option<u32>, Option<u32>) {
    let evidence = search.evidence();
    let first_fall = evidence.iter().find(|at| at.fell() > 0).map_or(u32::MAX, |at| at.streams);
    let top_pass = evidence.iter().rfind(|at| at.passed > 0).map_or(0, |at| at.streams);
    let sure = evidence.iter().rfind(|at| at.passed > 0 && at.streams < first_fall);
    let ceiling = evidence.iter().find(|at| at.fell() > 0 && at.streams > top_pass);
    (sure.map(|at| at.streams), ceiling.map(|at| at.streams))
}

/// Writes the state down.
pub fn save(run_dir: &RunDir, sought: &SearchState) -> Result<(), RunDirError> {
    let path = run_dir.path().join(FILE_NAME);
    let json =
        serde_json::to_vec(sought).map_err(|source| RunDirError::Json { path: path.clone(), source })?;
    write_atomically(&path, &json)
}

/// What the search found, for the summary. Without an answer it was interrupted.
pub fn facts(
    sought: &SearchState,
    answer: Option<&Answer>,
    streams_per_scale: u32,
    what: String,
) -> SearchFacts {
    let SearchState { search, capped_by, .. } = sought;
    let of_scale = |scale: u32| scale.saturating_mul(streams_per_scale);
    let evidence = search.evidence();
    let best = answer.map_or_else(|| search.sure(), Answer::streams);
    let top = evidence.iter().filter(|at| at.passed > 0).map(|at| at.streams).max();
    SearchFacts {
        answer_sentence: match answer {
            Some(answer) => search.answer_sentence(answer),
            None if best == 0 => "The search was interrupted before any count had passed.".to_owned(),
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
        stopped_by: match answer {
            Some(Answer::AtLeast { .. }) => Some(*capped_by),
            Some(Answer::BudgetSpent { budget: Budget::Time, .. }) => Some(StoppedBy::Time),
            Some(Answer::BudgetSpent { budget: Budget::Trials, .. }) => Some(StoppedBy::Trials),
            _ => None,
        },
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

/// Puts what a search found into the summary of its trials, and the verdict on it.
pub fn conclude(summary: &mut Summary, mut facts: SearchFacts) {
    let stopper = facts.stopper(&summary.load_points).and_then(|(_, point)| point.verdict.as_ref());
    let failure = stopper.and_then(|verdict| verdict.failed_first.as_ref());
    facts.failed_first = failure.map(|failure| failure.sentence.clone());
    // A search is good when anything passed at all: that something fell is what it is for.
    let best = facts.streams.unwrap_or(0);
    let passing = summary.load_points.iter().rev().filter_map(|point| point.verdict.as_ref());
    let mut passing = passing.filter(|verdict| verdict.passed == (best > 0));
    summary.verdict = passing.next().cloned();
    summary.search = Some(facts);
    forget_short_trials(summary);
}

/// An answer that held on for long needs no word about the trials before it, which need not.
pub fn forget_short_trials(summary: &mut Summary) {
    if summary.load_points.iter().any(|point| point.measured_s >= SHORT_LOOK_S) {
        summary.retain_notes(|_, kind| kind != Some(NoteKind::ShortLook));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_workload::search::{Next, Trial};

    use super::*;

    const ROOMY: Limits = Limits { room: 100, own_files: u32::MAX, machine: u32::MAX };

    /// A search on storage that carries so many, for at most so many trials.
    fn searched(carries: u32, trials: u32) -> (SearchState, Option<Answer>) {
        let search = Search::new(SearchSettings { cap: 100, ..SearchSettings::default() }).unwrap();
        let mut sought = SearchState { of: BTreeMap::new(), capped_by: StoppedBy::Room, search };
        for _ in 0..trials {
            let search = &mut sought.search;
            match search.next() {
                Next::Done(answer) => return (sought, Some(answer)),
                Next::Try { streams, .. } => {
                    let trial = Trial { passed: streams <= carries, limited_by_client: false, took_s: 1.0 };
                    search.report(streams, trial).unwrap();
                }
            }
        }
        (sought, None)
    }

    #[test]
    fn the_answer_counts_streams_and_not_units_of_scale() {
        let (sought, answer) = searched(5, 100);
        let facts = facts(&sought, answer.as_ref(), 4, "crews".to_owned());
        assert_eq!((facts.streams, facts.at_most, facts.complete), (Some(20), Some(20), true));
        assert!(facts.trials.iter().any(|at| at.streams == 24 && at.failed > 0));
    }

    #[test]
    fn an_interrupted_search_claims_what_passed() {
        let (sought, answer) = searched(5, 3);
        let search = &sought.search;
        let facts = facts(&sought, answer.as_ref(), 1, "players".to_owned());
        assert_eq!((facts.streams, facts.complete), (Some(4), false));
        let resumed: Search = serde_json::from_str(&serde_json::to_string(search).unwrap()).unwrap();
        assert_eq!(resumed.next(), search.next());
    }

    #[test]
    fn a_search_that_could_try_no_more_says_why() {
        let (sought, answer) = searched(1_000, 100);
        let facts = facts(&sought, answer.as_ref(), 1, "players".to_owned());
        assert_eq!((facts.streams, facts.stopped_by), (Some(100), Some(StoppedBy::Room)));
        let plan = |cap| StreamsPlan {
            find_max: Some(FindMaxPlan { cap, ..FindMaxPlan::default() }),
            ..StreamsPlan::default()
        };
        let cap = |cap, room, own_files| Limits { room, own_files, machine: u32::MAX }.cap(&plan(cap));
        assert_eq!(cap(Some(8), 9, u32::MAX), (8, StoppedBy::Cap));
        assert_eq!(cap(Some(8), 7, u32::MAX), (7, StoppedBy::Room));
        assert_eq!(cap(Some(8), 7, 0), (1, StoppedBy::OwnFiles));
        assert_eq!(cap(None, u32::MAX, u32::MAX).1, StoppedBy::OneProcess);
    }

    fn mount(source: &str) -> Mount {
        Mount {
            fs_type: "nfs4".to_owned(),
            source: source.to_owned(),
            mount_point: "/mnt".into(),
            options: vec!["rw".to_owned()],
            kind: reelgauge_engine::mount::MountKind::Network,
            server: None,
            protocol_version: None,
        }
    }

    #[test]
    fn evidence_of_something_else_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let player = ActorPlan {
            format: Some("dnxhr-hq-uhd-25".to_owned()),
            ..ActorPlan::new(reelgauge_workload::streams::ActorKind::Player)
        };
        let plan =
            StreamsPlan { actors: vec![player.clone()], target: "/mnt/nas".into(), ..StreamsPlan::default() };
        let wanted = FindMaxPlan::default();
        let first = begin(&plan, &mount("nas1:/tank"), &wanted, ROOMY, None).unwrap();
        let json = serde_json::to_vec(&first).unwrap();
        std::fs::write(folder.path().join(FILE_NAME), json).unwrap();
        let again = |plan: &StreamsPlan, source: &str| {
            begin(plan, &mount(source), &wanted, ROOMY, Some(folder.path()))
        };
        // Another seed or time budget is no other question.
        let same = StreamsPlan { seed: 99, ..plan.clone() };
        assert_eq!(again(&same, "nas1:/tank").unwrap(), first);
        let of = |actor: ActorPlan| StreamsPlan { actors: vec![actor], ..plan.clone() };
        let others = [
            ("format", of(ActorPlan { format: Some("prores-422-hq-uhd-25".to_owned()), ..player.clone() })),
            ("criteria", of(ActorPlan { criteria: "late=3".to_owned(), ..player.clone() })),
            ("actor", of(ActorPlan { count: 2, ..player.clone() })),
            ("target", StreamsPlan { target: "/mnt/other".into(), ..plan.clone() }),
            ("direct I/O", StreamsPlan { direct: false, ..plan.clone() }),
        ];
        for (name, other) in others {
            let error = again(&other, "nas1:/tank").unwrap_err();
            assert_eq!(error.exit_code(), 2);
            let said = format!("another {name}");
            assert!(error.to_string().contains(&said), "{error}");
        }
        let error = again(&plan, "nas2:/tank").unwrap_err().to_string();
        assert!(error.contains("nfs4 nas1:/tank") && error.contains("nfs4 nas2:/tank"), "{error}");
        let older = SearchState { of: BTreeMap::new(), ..first };
        std::fs::write(folder.path().join(FILE_NAME), serde_json::to_vec(&older).unwrap()).unwrap();
        assert!(again(&plan, "nas1:/tank").is_err());
    }

    #[test]
    fn trials_as_long_as_a_confirmation_need_none() {
        let plan = |seconds| StreamsPlan {
            duration: reelgauge_workload::units::Span::secs(seconds),
            ..StreamsPlan::default()
        };
        let begun = |seconds| {
            let sought = begin(&plan(seconds), &mount("a"), &FindMaxPlan::default(), ROOMY, None).unwrap();
            serde_json::to_value(&sought.search).unwrap()["settings"]["confirm_s"].clone()
        };
        assert_eq!(begun(10), serde_json::json!(60.0));
        assert_eq!(begun(60), serde_json::Value::Null);
    }
}
