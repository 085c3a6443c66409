//! `--find-max`: runs the trials that the search requests, until it has its result. The state is written
//! after every trial, so that an interrupted search can be continued.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::Path;

use reelgauge_analysis::facts::{EarlierTrial, SearchFacts, StoppedBy, TrialsAt, keep_trials};
use reelgauge_analysis::verdict::Verdict;
use reelgauge_analysis::warning::SHORT_LOOK_S;
use reelgauge_analysis::{LoadPoint, NoteFact, Summary};
use reelgauge_machine::mount::Mount;
use reelgauge_record::identity;
use reelgauge_record::run_dir::{RunDir, RunDirError, write_atomically};
use reelgauge_workload::search::{Answer, Budget, Search, SearchSettings};
use reelgauge_workload::streams::{ActorPlan, FindMaxPlan, Footage, StreamsPlan};
use serde::{Deserialize, Serialize};

use crate::error::RunError;

/// The search's state in the run directory.
pub const FILE_NAME: &str = "search.json";

/// A search, and the conditions of its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchState {
    /// The conditions that must be equal for a trial to count in another run, by name.
    pub of: BTreeMap<String, String>,
    /// The reason why no larger count may be tried.
    pub capped_by: StoppedBy,
    pub search: Search,
    /// Trials of the runs that it continues, which its result may rely on.
    #[serde(default)]
    pub earlier: Vec<EarlierTrial>,
}

/// The largest counts that a search may try, by what limits them.
#[derive(Clone, Copy, Debug)]
pub struct SearchCaps {
    /// The largest count whose files fit on the target.
    pub room: u32,
    /// The largest count for which the user's own files suffice.
    pub own_files: u32,
    /// The largest count for which the local host allows one process memory, threads and open files.
    pub machine: u32,
}

impl SearchCaps {
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

/// All conditions that a trial's result depends on, by name.
fn conditions(
    plan: &StreamsPlan,
    mount: &Mount,
    max_bytes_per_s: Option<NonZeroU64>,
) -> BTreeMap<String, String> {
    let each = |of: fn(&ActorPlan) -> String| plan.actors.iter().map(of).collect::<Vec<_>>().join("; ");
    let format = |actor: &ActorPlan| {
        let footage = actor.footage().cloned().unwrap_or_default();
        let own = footage.own_format.as_ref().map(|format| format!("{format:?}"));
        let like = footage.like.as_ref().map(|path| path.display().to_string());
        own.or(like).or(footage.format).unwrap_or_default()
    };
    let criteria = |actor: &ActorPlan| match actor.criteria.trim() {
        "" => "default".to_owned(),
        changed => changed.to_owned(),
    };
    let named = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("target", plan.target.display().to_string()),
        ("mount", format!("{} {}", mount.fs_type, mount.source)),
        ("mount options", mount.options.join(",")),
        ("format", each(format)),
        ("criteria", each(criteria)),
        ("warm-up", plan.warmup.to_string()),
        ("duration", plan.duration.to_string()),
        ("direct I/O", plan.direct.to_string()),
        ("driver", format!("{:?}", plan.driver)),
        ("--max-rate", max_bytes_per_s.map_or("none".to_owned(), |limit| format!("{limit}B"))),
    ];
    let named = named.into_iter().map(|(name, value)| (name.to_owned(), value));
    actor_settings(plan).into_iter().chain(named).collect()
}

/// The settings of all actors by key, as in a plan. Their footage and criteria are separate conditions.
fn actor_settings(plan: &StreamsPlan) -> BTreeMap<String, String> {
    let mut settings: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for actor in &plan.actors {
        let mut plain = ActorPlan { criteria: String::new(), ..actor.clone() };
        if let Some(footage) = plain.footage_mut() {
            *footage = Footage { fps: footage.fps, ..Footage::default() };
        }
        // The keys of an actor are Unicode, and so are values without a path.
        match toml::Table::try_from(&plain) {
            Ok(table) => {
                for (key, value) in table {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    settings.entry(key).or_default().push(text);
                }
            }
            Err(_) => settings.entry("actor".to_owned()).or_default().push(format!("{plain:?}")),
        }
    }
    settings.into_iter().map(|(key, values)| (key, values.join("; "))).collect()
}

/// A search for a plan: from its beginning, or from its state in another run, with this plan's limits of
/// time and count.
///
/// # Errors
/// If the settings are invalid, or the state can't be read or has evidence under other conditions.
pub fn begin(
    plan: &StreamsPlan,
    mount: &Mount,
    max_bytes_per_s: Option<NonZeroU64>,
    wanted: &FindMaxPlan,
    limits: SearchCaps,
    from: Option<&Path>,
) -> Result<SearchState, RunError> {
    let of = conditions(plan, mount, max_bytes_per_s);
    let (cap, capped_by) = limits.cap(plan);
    let settings = settings(plan, wanted, cap);
    let (search, mut earlier) = match from {
        Some(run) => {
            let before = searched_before(run, &of)?;
            (before.search.going_on(settings), before.earlier)
        }
        None => (Search::new(settings), Vec::new()),
    };
    let search = search?;
    // Trials beyond the cap are forgotten.
    let most = cap.saturating_mul(plan.stream_count(1).max(1));
    earlier.retain(|trial| trial.point.stream_count.is_some_and(|count| count <= most));
    Ok(SearchState { of, capped_by, search, earlier })
}

/// The search of a plan, up to this count.
///
/// # Errors
/// If the settings of the search are invalid.
pub fn search_of(plan: &StreamsPlan, wanted: &FindMaxPlan, cap: u32) -> Result<Search, RunError> {
    Ok(Search::new(settings(plan, wanted, cap))?)
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
        expected: None,
    }
}

/// The search of another run, whose trials were made under the same conditions.
fn searched_before(run: &Path, of: &BTreeMap<String, String>) -> Result<SearchState, RunError> {
    let path = run.join(FILE_NAME);
    let _own = identity::own();
    let text = std::fs::read(&path).map_err(RunError::io(format!("read {}", path.display())))?;
    let before: SearchState = serde_json::from_slice(&text).map_err(|source| RunError::Io {
        doing: format!("resume the search in {}", path.display()),
        source: source.into(),
    })?;
    // A setting that a plan omits has its default.
    let value =
        |of: &BTreeMap<String, String>, name| of.get(name).map_or("the default", String::as_str).to_owned();
    match of.keys().chain(before.of.keys()).find(|name| before.of.get(*name) != of.get(*name)) {
        None => Ok(before),
        Some(name) => Err(RunError::OtherSearch {
            run: run.to_path_buf(),
            name: name.clone(),
            before: value(&before.of, name),
            now: value(of, name),
        }),
    }
}

/// Why no trial could be judged, for example because their time is shorter than a buffer: then no count
/// has failed. `None` if one was.
pub fn not_judged(points: &[LoadPoint]) -> Option<String> {
    let verdicts: Option<Vec<&Verdict>> = points.iter().map(|point| point.verdict.as_ref()).collect();
    let is_open = |verdict: &&Verdict| {
        !verdict.failures.is_empty() && verdict.failures.iter().all(|failure| !failure.measured)
    };
    let last = *verdicts.filter(|verdicts| verdicts.iter().all(is_open))?.last()?;
    Some(last.failures.first()?.sentence.clone())
}

/// Writes the state, with the additions of the run's own trials.
pub fn save(run_dir: &RunDir, sought: &SearchState, points: &[LoadPoint]) -> Result<(), RunDirError> {
    let path = run_dir.path().join(FILE_NAME);
    let run = run_dir.path().display().to_string();
    let state = SearchState { earlier: keep_trials(&sought.earlier, &run, points), ..sought.clone() };
    let json =
        serde_json::to_vec(&state).map_err(|source| RunDirError::Json { path: path.clone(), source })?;
    write_atomically(&path, &json)
}

/// The results of the search, for the summary. Without a result it was interrupted.
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
            None if best == 0 => "The search ended before any count passed.".to_owned(),
            None => format!("The search ended early. Trials with {} streams passed so far.", of_scale(best)),
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
                ..TrialsAt::default()
            })
            .collect(),
        what,
        failed_first: None,
        earlier: None,
    }
}

/// Adds the results of a search to the summary of its trials, and the verdict on it. `earlier` are
/// trials of the runs that it continued: the evidence is the same, whether it was interrupted or not.
pub fn conclude(summary: &mut Summary, mut facts: SearchFacts, earlier: &[EarlierTrial]) {
    facts.take_earlier(earlier, &summary.load_points);
    let stopper = facts.stopper(&summary.load_points).and_then(|(_, point)| point.verdict.as_ref());
    let failure = stopper.and_then(|verdict| verdict.failed_first.as_ref());
    facts.failed_first = failure.map(|failure| failure.sentence.clone());
    // A search succeeds if any count passed: failed trials are part of its purpose.
    let best = facts.streams.unwrap_or(0);
    let trials = earlier.iter().map(|trial| &trial.point).chain(&summary.load_points);
    let passing = trials.rev().filter_map(|point| point.verdict.as_ref());
    let mut passing = passing.filter(|verdict| verdict.passed == (best > 0));
    summary.verdict = passing.next().cloned();
    summary.search = Some(facts);
    forget_short_trials(summary);
}

/// A result that was sustained for long does not rely on the earlier trials, so their notes are dropped.
pub fn forget_short_trials(summary: &mut Summary) {
    if summary.load_points.iter().any(|point| point.measured_s >= SHORT_LOOK_S) {
        summary.notes.retain(|note| !matches!(note.fact, NoteFact::ShortLook { .. }));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::Culprit;
    use reelgauge_analysis::criteria::Criterion;
    use reelgauge_analysis::statement::of;
    use reelgauge_analysis::summary::Target;
    use reelgauge_analysis::test_figures::vda_point;
    use reelgauge_analysis::verdict::Failure;
    use reelgauge_workload::player::PlayerPlan;
    use reelgauge_workload::search::{Next, Trial};

    use reelgauge_workload::streams::Frames;
    use reelgauge_workload::units::Span;

    use super::*;

    const ROOMY: SearchCaps = SearchCaps { room: 100, own_files: u32::MAX, machine: u32::MAX };

    /// A search on storage that sustains this count, for at most this many trials.
    fn searched(carries: u32, trials: u32) -> (SearchState, Option<Answer>) {
        let search = Search::new(SearchSettings { cap: 100, ..SearchSettings::default() }).unwrap();
        let mut sought =
            SearchState { of: BTreeMap::new(), capped_by: StoppedBy::Room, search, earlier: Vec::new() };
        for _ in 0..trials {
            let search = &mut sought.search;
            match search.next() {
                Next::Done(answer) => return (sought, Some(answer)),
                Next::Try { streams, .. } => {
                    let trial = Trial { passed: streams <= carries, took_s: 1.0, ..Trial::default() };
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
    fn interrupted_search_claims_passed_counts() {
        let (sought, answer) = searched(5, 3);
        let search = &sought.search;
        let facts = facts(&sought, answer.as_ref(), 1, "players".to_owned());
        assert_eq!((facts.streams, facts.complete), (Some(4), false));
        let resumed: Search = serde_json::from_str(&serde_json::to_string(search).unwrap()).unwrap();
        assert_eq!(resumed.next(), search.next());
    }

    #[test]
    fn a_search_that_can_try_no_more_reports_why() {
        let (sought, answer) = searched(1_000, 100);
        let facts = facts(&sought, answer.as_ref(), 1, "players".to_owned());
        assert_eq!((facts.streams, facts.stopped_by), (Some(100), Some(StoppedBy::Room)));
        let plan = |cap| StreamsPlan {
            find_max: Some(FindMaxPlan { cap, ..FindMaxPlan::default() }),
            ..StreamsPlan::default()
        };
        let cap = |cap, room, own_files| SearchCaps { room, own_files, ..ROOMY }.cap(&plan(cap));
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
            kind: reelgauge_machine::mount::MountKind::Network,
            server: None,
            protocol_version: None,
        }
    }

    #[test]
    fn evidence_of_something_else_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let playing = |id: &str| -> ActorPlan {
            PlayerPlan { footage: Footage::listed(id), ..PlayerPlan::default() }.into()
        };
        let player = playing("dnxhr-hq-uhd-25");
        let plan =
            StreamsPlan { actors: vec![player.clone()], target: "/mnt/nas".into(), ..StreamsPlan::default() };
        let wanted = FindMaxPlan::default();
        let first = begin(&plan, &mount("nas1:/tank"), None, &wanted, ROOMY, None).unwrap();
        let json = serde_json::to_vec(&first).unwrap();
        std::fs::write(folder.path().join(FILE_NAME), json).unwrap();
        let again = |plan: &StreamsPlan, source: &str| {
            begin(plan, &mount(source), None, &wanted, ROOMY, Some(folder.path()))
        };
        // A different seed or time budget does not change the question.
        let same = StreamsPlan { seed: 99, ..plan.clone() };
        assert_eq!(again(&same, "nas1:/tank").unwrap(), first);
        let of = |actor: ActorPlan| StreamsPlan { actors: vec![actor], ..plan.clone() };
        let frames = Frames { clip: Span::secs(20), ..Frames::default() };
        let longer: ActorPlan =
            PlayerPlan { footage: Footage::listed("dnxhr-hq-uhd-25"), frames, ..PlayerPlan::default() }
                .into();
        let others = [
            ("format", of(playing("prores-422-hq-uhd-25"))),
            ("criteria", of(ActorPlan { criteria: "late=3".to_owned(), ..player.clone() })),
            ("count", of(ActorPlan { count: 2, ..player.clone() })),
            ("clip", of(longer)),
            ("target", StreamsPlan { target: "/mnt/other".into(), ..plan.clone() }),
            ("direct I/O", StreamsPlan { direct: false, ..plan.clone() }),
        ];
        for (name, other) in others {
            let error = again(&other, "nas1:/tank").unwrap_err();
            assert_eq!(error.exit_code(), 2);
            let said = format!("its {name} was ");
            assert!(error.to_string().contains(&said), "{error}");
        }
        let max_rate = NonZeroU64::new(50_000_000);
        let error =
            begin(&plan, &mount("nas1:/tank"), max_rate, &wanted, ROOMY, Some(folder.path())).unwrap_err();
        assert!(error.to_string().contains("--max-rate"), "{error}");
        let error = again(&plan, "nas2:/tank").unwrap_err().to_string();
        assert!(error.contains("nfs4 nas1:/tank") && error.contains("nfs4 nas2:/tank"), "{error}");
        let older = SearchState { of: BTreeMap::new(), ..first };
        std::fs::write(folder.path().join(FILE_NAME), serde_json::to_vec(&older).unwrap()).unwrap();
        assert!(again(&plan, "nas1:/tank").is_err());
    }

    /// A trial with this count, on storage that sustains five.
    fn trial(streams: u32) -> LoadPoint {
        let failure = Failure {
            criterion: Criterion::LateFrames,
            measured: true,
            stream: None,
            worker: None,
            at_s: None,
            at_in_point_s: None,
            limit: 0.0,
            found: Some(1.0),
            because_of_tool: false,
            sentence: format!("{streams} streams were late"),
        };
        let failures = if streams <= 5 { Vec::new() } else { vec![failure] };
        let mut point = vda_point(streams, 1.0, None);
        point.stream_count = Some(streams);
        point.culprit = (streams > 5).then_some(Culprit::Storage);
        point.verdict = Some(Verdict {
            passed: streams <= 5,
            failed_first: failures.first().cloned(),
            failures,
            storage_failed: streams > 5,
            ..Verdict::default()
        });
        point
    }

    /// The result of a search that was interrupted after these numbers of trials, and then continued;
    /// and the counts that its last run tried itself.
    fn interrupted_after(trials: &[usize]) -> (Summary, Vec<u32>) {
        let folder = tempfile::tempdir().unwrap();
        let (mut sought, _) = searched(5, 0);
        let mut ends = trials.iter().copied().chain([usize::MAX]).peekable();
        let mut number = 0;
        while let Some(end) = ends.next() {
            let mut points = Vec::new();
            let answer = loop {
                let next = sought.search.next();
                let Next::Try { streams, .. } = next else { break Some(next) };
                if number >= end {
                    break None;
                }
                points.push(trial(streams));
                let passed = streams <= 5;
                sought.search.report(streams, Trial { passed, took_s: 1.0, ..Trial::default() }).unwrap();
                number += 1;
            };
            let answer = answer.map(|next| match next {
                Next::Done(answer) => answer,
                Next::Try { .. } => unreachable!("it goes on until it is done"),
            });
            if ends.peek().is_none() {
                let mut summary = Summary::new("", "", "streams", Target::default());
                let counts = points.iter().filter_map(|point| point.stream_count).collect();
                summary.load_points = points;
                let facts = facts(&sought, answer.as_ref(), 1, "players".to_owned());
                conclude(&mut summary, facts, &sought.earlier);
                return (summary, counts);
            }
            let earlier = keep_trials(&sought.earlier, "a run before", &points);
            sought = SearchState { earlier, ..sought };
            // The next run knows only the content of the file.
            let json = serde_json::to_vec(&sought).unwrap();
            let path = folder.path().join(FILE_NAME);
            std::fs::write(&path, json).unwrap();
            sought = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        }
        unreachable!("the last part has an end")
    }

    #[test]
    fn trials_without_a_judged_frame_fail_no_count() {
        let unmeasured = || {
            let mut point = trial(6);
            point.verdict.as_mut().unwrap().failures[0].measured = false;
            point
        };
        assert_eq!(not_judged(&[unmeasured()]).as_deref(), Some("6 streams were late"));
        // If other trials were judged, storage that delivered nothing in time has failed.
        assert_eq!(not_judged(&[trial(5), unmeasured()]), None);
        assert_eq!(not_judged(&[trial(6)]), None);
        assert_eq!((not_judged(&[trial(5)]), not_judged(&[])), (None, None));
    }

    #[test]
    fn a_search_has_the_same_result_however_often_it_was_interrupted() {
        let (whole, counts) = interrupted_after(&[]);
        let first = whole.search.clone().unwrap();
        assert_eq!(first.failed_first.as_deref(), Some("6 streams were late"));
        assert_eq!(first.earlier, None);
        for cut in 1..=counts.len() {
            for again in cut..=counts.len() {
                let (resumed, own) = interrupted_after(&[cut, again]);
                let facts = resumed.search.clone().unwrap();
                assert_eq!(facts.failed_first, first.failed_first, "{cut} {again}");
                assert_eq!(facts.trials, first.trials, "{cut} {again}");
                assert_eq!(resumed.verdict, whole.verdict, "{cut} {again}");
                let statement = |summary: &Summary| {
                    let statement = of(summary);
                    (statement.judgement, statement.number, statement.cause.map(|cause| cause.culprit))
                };
                assert_eq!(statement(&resumed), statement(&whole), "{cut} {again}");
                assert_eq!(own, counts[again..], "the same trials in the same order");
                // `earlier` names a run only if the trial was made in another run.
                assert_eq!(facts.earlier.is_some(), counts[..again].contains(&6), "{cut} {again}");
            }
        }
    }

    #[test]
    fn trials_as_long_as_a_confirmation_need_none() {
        let plan = |seconds| StreamsPlan { duration: Span::secs(seconds), ..StreamsPlan::default() };
        let begun = |seconds| {
            let sought =
                begin(&plan(seconds), &mount("a"), None, &FindMaxPlan::default(), ROOMY, None).unwrap();
            serde_json::to_value(&sought.search).unwrap()["settings"]["confirm_s"].clone()
        };
        assert_eq!(begun(10), serde_json::json!(60.0));
        assert_eq!(begun(60), serde_json::Value::Null);
    }
}
