//! A run in the list.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use reelgauge_analysis::statement::{self, Inconclusive, Judgement};
use reelgauge_analysis::{Outcome, Summary, SummaryError};
use reelgauge_record::notes::RunNotes;
use reelgauge_record::regular_file::read_regular_text;
use reelgauge_report::proof::proof_sentence;
use reelgauge_report::{answer_sentences, suite_sentence};
use reelgauge_results::live::LiveOutcome;
use reelgauge_results::run_notes;
use reelgauge_runner::procedure::procedure_file::ProcedureRecord;
use reelgauge_runner::procedure::report_data::procedure_answer;
use reelgauge_runner::prove::proof_file::Proof;
use reelgauge_runner::suite::Suite;
use serde::Serialize;

use crate::events::{Life, begin};

/// A larger `summary.json` is not read.
const SUMMARY_MAX_BYTES: u64 = 64 << 20;
/// The sentence of a run with a damaged summary.
const DAMAGED: &str = "summary.json is damaged. Move it away, then compute the figures from the log \
     with 'reelgauge report RUN'.";
/// The sentence of a complete run without a summary.
const LOST: &str = "summary.json is missing. 'reelgauge report RUN' computes the figures from the log.";
/// The sentence of a suite with a damaged table.
const SUITE_DAMAGED: &str =
    "suite.json, the table of the suite, is damaged. Each run in it still has its own figures.";
/// The sentence of a procedure that can't be read.
const PROCEDURE_DAMAGED: &str = "procedure.json is damaged. Each run in the procedure still has its \
     own figures.";
/// The sentence of a proof that can't be read.
const PROOF_DAMAGED: &str = "proof.json is damaged. Each run in the proof still has its own figures.";
/// The largest depth of directories in a run directory.
const DEPTH_MAX: u32 = 8;

/// Whether a run is in progress, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// It is in progress.
    Running,
    /// It ended as planned.
    Complete,
    /// The user stopped it.
    Interrupted,
    /// It ended early by an error.
    BrokeOff,
    /// It was killed before it could write its summary.
    Killed,
    /// The file with its results is damaged.
    Damaged,
    /// Another version of this program wrote that file, and this one can't read it.
    OtherVersion,
}

impl RunState {
    /// All states, in the order of lists.
    pub const ALL: [RunState; 7] = [
        RunState::Running,
        RunState::Complete,
        RunState::Interrupted,
        RunState::BrokeOff,
        RunState::Killed,
        RunState::Damaged,
        RunState::OtherVersion,
    ];

    /// The name in JSON and metrics.
    pub fn name(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Complete => "complete",
            RunState::Interrupted => "interrupted",
            RunState::BrokeOff => "broke_off",
            RunState::Killed => "killed",
            RunState::Damaged => "damaged",
            RunState::OtherVersion => "other_version",
        }
    }
}

/// A run in the list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunEntry {
    /// The name of its directory; for a run in a suite or a folder, with that name in front:
    /// `SUITE/RUN`, `PROOF/SUITE/RUN`.
    pub id: String,
    /// The command; `suite` for a suite of runs.
    pub verb: String,
    /// The user's own name for it.
    pub label: String,
    /// The directory that is measured.
    pub target: String,
    /// RFC 3339; empty if unknown.
    pub started_at: String,
    /// Whether it is in progress, or how it ended.
    pub state: RunState,
    /// The first sentence of the answer; empty while it runs.
    pub sentence: String,
    /// Whether the criteria were met; `None` without criteria.
    pub verdict: Option<Judgement>,
    /// Why it is inconclusive; empty if it is not.
    pub inconclusive: Vec<Inconclusive>,
    /// `true` if the criteria were met, `false` if they were not; `None` without criteria, and if
    /// neither was shown.
    pub passed: Option<bool>,
    /// The count that a search found, otherwise the most that ran at once; `None` without streams.
    pub streams: Option<u32>,
    /// Late frames of all load points; `None` if no stream has frames.
    pub late_frames: Option<u64>,
    /// The highest rate of a load point, reads and writes together; `None` if nothing was measured.
    pub bytes_per_s: Option<f64>,
    /// The number of its hosts; 1 for a local run, 0 if unknown.
    pub hosts: usize,
    /// The size of all its files.
    pub bytes_on_disk: u64,
    /// The user's notes.
    pub notes: Option<RunNotes>,
    /// The suite that it belongs to, by the name of its directory.
    pub suite: Option<String>,
    /// For a suite: passes of each of its workloads.
    pub passes: Option<u32>,
}

/// The verb of a suite's entry, which is not a run itself.
pub const SUITE: &str = "suite";
/// The verb of a procedure, which has no figures of a run.
pub const PROCEDURE: &str = "procedure";
/// The verb of a proof, which has no figures of a run either.
pub const PROOF: &str = "prove";

impl RunEntry {
    /// The entry of the run in this directory.
    pub fn of(run_dir: &Path, id: &str, life: &Life) -> RunEntry {
        let mut entry = RunEntry {
            id: id.to_owned(),
            verb: String::new(),
            label: String::new(),
            target: String::new(),
            started_at: started_at(id.rsplit('/').next().unwrap_or(id)).unwrap_or_default(),
            state: RunState::Killed,
            sentence: String::new(),
            verdict: None,
            inconclusive: Vec::new(),
            passed: None,
            streams: None,
            late_frames: None,
            bytes_per_s: None,
            hosts: 0,
            bytes_on_disk: bytes_below(run_dir, DEPTH_MAX),
            notes: run_notes::read(run_dir),
            suite: id.rsplit_once('/').map(|(suite, _)| suite.to_owned()),
            passes: None,
        };
        if let Some(begin) = begin(run_dir) {
            (entry.verb, entry.label, entry.target) = (begin.verb, begin.label, begin.target);
        }
        match (life, summary(run_dir)) {
            (Life::Running(_), _) => entry.state = RunState::Running,
            (_, Found::Whole(summary)) => entry.fill(*summary),
            (_, Found::Unreadable(state, why)) => (entry.state, entry.sentence) = (state, why),
            (Life::Ended(LiveOutcome::Complete, _), Found::Nothing) => {
                (entry.state, entry.sentence) = (RunState::Complete, LOST.to_owned());
            }
            // It measured nothing, and has recorded the reason.
            (Life::Ended(outcome, reason), Found::Nothing) => {
                let is_interrupted = *outcome == LiveOutcome::Interrupted;
                entry.state = if is_interrupted { RunState::Interrupted } else { RunState::BrokeOff };
                entry.sentence = reason.clone().unwrap_or_default();
            }
            (Life::Gone(_) | Life::Unknown, Found::Nothing) => {}
        }
        entry.named()
    }

    /// The entry of the suite in this directory, with these runs.
    pub fn of_suite(dir: &Path, id: &str, runs: &[Arc<RunEntry>]) -> RunEntry {
        let goes_on = runs.iter().any(|run| run.state == RunState::Running);
        let mut entry = RunEntry { verb: SUITE.to_owned(), ..RunEntry::of(dir, id, &Life::Unknown) };
        if let Some(first) = runs.first() {
            entry.target.clone_from(&first.target);
        }
        if goes_on {
            entry.state = RunState::Running;
        }
        if ProcedureRecord::is_in(dir) {
            return entry.of_procedure(dir).named();
        }
        if Proof::is_in(dir) {
            return entry.of_proof(dir).named();
        }
        let Ok(suite) = Suite::read(dir) else {
            if Suite::is_in(dir) && !goes_on {
                (entry.state, entry.sentence) = (RunState::Damaged, SUITE_DAMAGED.to_owned());
            }
            return entry.named();
        };
        if !goes_on && suite.complete {
            entry.state = RunState::Complete;
            entry.sentence = suite_sentence(&suite.name, &suite.target.display().to_string(), &suite.table);
        } else if !goes_on {
            entry.state = match runs.last().map(|run| run.state) {
                // The next workload had not begun; if it could not, the suite has the reason.
                Some(RunState::Complete) | None if suite.ended_early.is_some() => RunState::BrokeOff,
                Some(RunState::Complete) | None => RunState::Killed,
                Some(state) => state,
            };
            entry.sentence = suite.ended_early.unwrap_or_default();
        }
        entry.label = suite.name;
        entry.passes = Some(suite.batch);
        entry.named()
    }

    /// A procedure, whose runs are in its directory like those of a suite.
    fn of_procedure(mut self, dir: &Path) -> RunEntry {
        PROCEDURE.clone_into(&mut self.verb);
        let Ok(record) = ProcedureRecord::read(dir) else {
            (self.state, self.sentence) = (RunState::Damaged, PROCEDURE_DAMAGED.to_owned());
            return self;
        };
        self.target = record.target.display().to_string();
        self.state = match (record.goes_on(dir), record.complete, record.is_interrupted) {
            (true, ..) => RunState::Running,
            (_, true, _) => RunState::Complete,
            (_, _, true) => RunState::Interrupted,
            _ if record.ended_early.is_some() => RunState::BrokeOff,
            _ => RunState::Killed,
        };
        self.sentence = match (self.state, &record.ended_early) {
            (RunState::Complete, _) => procedure_answer(&record, dir),
            // The state already shows this.
            (RunState::Interrupted, _) => String::new(),
            (_, why) => why.clone().unwrap_or_default(),
        };
        self.label = record.name;
        self
    }

    /// A proof, whose runs are in its directory like those of a suite.
    fn of_proof(mut self, dir: &Path) -> RunEntry {
        PROOF.clone_into(&mut self.verb);
        let proof = Proof::read(dir);
        let not_undone = proof.as_ref().ok().and_then(|proof| proof.not_undone.clone());
        match proof {
            Ok(proof) if proof.goes_on(dir) => self.state = RunState::Running,
            Err(_) => (self.state, self.sentence) = (RunState::Damaged, PROOF_DAMAGED.to_owned()),
            Ok(Proof { conclusion: Some(conclusion), change, .. }) => {
                self.state = RunState::Complete;
                self.sentence = proof_sentence(&conclusion, &change.state_names());
            }
            Ok(Proof { ended_early: None, .. }) => self.state = RunState::Killed,
            Ok(Proof { is_interrupted: true, .. }) => self.state = RunState::Interrupted,
            Ok(Proof { ended_early, .. }) => {
                self.state = RunState::BrokeOff;
                self.sentence = ended_early.unwrap_or_default();
            }
        }
        if let Some(why) = not_undone {
            self.sentence = format!("The change was not undone ({why}). {}", self.sentence);
        }
        self
    }

    /// Adds the user's name for it.
    fn named(mut self) -> RunEntry {
        if let Some(notes) = self.notes.as_ref().filter(|notes| !notes.name.trim().is_empty()) {
            notes.name.clone_into(&mut self.label);
        }
        self
    }

    fn fill(&mut self, summary: Summary) {
        self.state = match summary.outcome {
            Outcome::Complete => RunState::Complete,
            Outcome::Interrupted => RunState::Interrupted,
            Outcome::Running => RunState::Running,
            Outcome::BrokeOff => RunState::BrokeOff,
        };
        self.sentence =
            answer_sentences(&summary).into_iter().next().map_or_else(String::new, |first| first.text);
        let stated = statement::of(&summary);
        self.verdict = Some(stated.judgement).filter(|judgement| *judgement != Judgement::NothingAsked);
        self.inconclusive = stated.inconclusive;
        self.passed = match stated.judgement {
            Judgement::Met => Some(true),
            Judgement::NotMet => Some(false),
            Judgement::Inconclusive | Judgement::NotKnown | Judgement::NothingAsked => None,
        };
        let most = summary.load_points.iter().filter_map(|point| point.stream_count).max();
        self.streams = match (&summary.search, &summary.check) {
            (Some(search), _) => search.streams,
            // A quick check has an answer for each format.
            (None, Some(_)) => None,
            (None, None) => most,
        };
        let late = summary.load_points.iter().filter_map(|point| point.streams.as_ref());
        self.late_frames = late.map(|late| late.total.late_frames).reduce(u64::saturating_add);
        let rates = summary.load_points.iter().filter_map(|point| point.total.bytes_per_s);
        self.bytes_per_s = rates.reduce(f64::max);
        self.hosts = summary.hosts.as_ref().map_or(1, |section| section.hosts.len());
        self.verb = summary.verb;
        self.label = summary.label;
        self.target = summary.target.path;
        self.started_at = summary.started_at;
    }

    /// When it began, to sort by.
    pub fn began(&self) -> Timestamp {
        self.started_at.parse().unwrap_or(Timestamp::MIN)
    }
}

/// The summary in a run directory.
enum Found {
    Nothing,
    Whole(Box<Summary>),
    Unreadable(RunState, String),
}

fn summary(run_dir: &Path) -> Found {
    let path = run_dir.join("summary.json");
    if !path.exists() {
        return Found::Nothing;
    }
    let text = read_regular_text(&path, SUMMARY_MAX_BYTES).ok();
    match text.map(|text| Summary::from_json(&text)) {
        Some(Ok(summary)) => Found::Whole(Box::new(summary)),
        Some(Err(error @ (SummaryError::Newer { .. } | SummaryError::Older { .. }))) => {
            Found::Unreadable(RunState::OtherVersion, format!("cannot read summary.json: {error}."))
        }
        Some(Err(_)) | None => Found::Unreadable(RunState::Damaged, DAMAGED.to_owned()),
    }
}

/// When a run began, by the name of its directory: `2026-11-20T154012Z-…`.
pub(crate) fn began_by_name(id: &str) -> Option<Timestamp> {
    let stamp = id.get(..18)?;
    let time = jiff::civil::DateTime::strptime("%Y-%m-%dT%H%M%SZ", stamp).ok()?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
}

fn started_at(id: &str) -> Option<String> {
    Some(began_by_name(id)?.to_string())
}

/// Bytes of all files below a directory. Symbolic links are not followed.
fn bytes_below(dir: &Path, depth: u32) -> u64 {
    let bytes = |entry: fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() && depth > 0 => bytes_below(&entry.path(), depth - 1),
        Ok(metadata) if metadata.is_file() => metadata.len(),
        _ => 0,
    };
    fs::read_dir(dir).into_iter().flatten().flatten().map(bytes).sum()
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::time::SystemTime;

    use reelgauge_record::run_dir::{RunDir, RunName};

    use super::*;
    use crate::events::tests::{begin_line, end_line};

    fn make_run(parent: &Path) -> RunDir {
        RunDir::create(parent, RunName { start: SystemTime::now(), target: "nas1", what: "mix" }).unwrap()
    }

    /// A proof's file, as far as the list reads it.
    fn proof(ended: &str) -> String {
        format!(
            "{{\"proof_version\":1,\"written_by\":\"\",\"started_at\":\"\",\"workload\":[],\"change\":{{\"kind\":\
             \"targets\",\"targets\":[\"/a\",\"/b\"]}},\"rounds\":5,\"first_runs\":[],\"passes\":[],\"complete\":\
             {ended},\"pid\":1,\"process\":\"before/1\"}}"
        )
    }

    #[test]
    fn a_proof_is_listed_with_its_answer() {
        let folder = tempfile::tempdir().unwrap();
        let run = make_run(folder.path());
        let told = |text: &str| {
            fs::write(run.path().join("proof.json"), text).unwrap();
            let entry = RunEntry::of_suite(run.path(), "run", &[]);
            assert_eq!(entry.verb, PROOF);
            (entry.state, entry.sentence)
        };
        let known = r#"{"figures":[],"outcomes":["no_change"],"best_state":null}"#;
        let (state, said) = told(&proof(&format!("true,\"ended_early\":null,\"conclusion\":{known}")));
        assert_eq!((state, said.contains("is no better than /a")), (RunState::Complete, true), "{said}");
        let (state, said) = told(&proof("false,\"ended_early\":\"the disk is full\",\"conclusion\":null"));
        assert_eq!((state, said.as_str()), (RunState::BrokeOff, "the disk is full"));
        let killed = told(&proof("false,\"ended_early\":null,\"conclusion\":null"));
        assert_eq!(killed, (RunState::Killed, String::new()));
        assert_eq!(told("{").0, RunState::Damaged);
        // A change that is still in place comes first; the user knows why the proof was stopped.
        let stuck = "false,\"ended_early\":\"interrupted\",\"is_interrupted\":true,\"conclusion\":null,\
                     \"not_undone\":\"exit code 5\"";
        let (state, said) = told(&proof(stuck));
        assert_eq!(state, RunState::Interrupted);
        assert!(said.contains("(exit code 5)."), "{said}");
    }

    #[test]
    fn a_damaged_file_is_named_and_the_run_is_not_called_killed() {
        let folder = tempfile::tempdir().unwrap();
        let told = |run: &RunDir| {
            let life = crate::events::life(run.path());
            let entry = RunEntry::of(run.path(), "run", &life);
            (entry.state, entry.sentence)
        };
        let run = make_run(folder.path());
        let dead = begin_line(1, "before/1");
        fs::write(reelgauge_results::live::path_in(run.path()), dead + &end_line()).unwrap();
        let (state, lost) = told(&run);
        assert_eq!(
            (state, lost.starts_with("summary.json is missing.")),
            (RunState::Complete, true),
            "{lost}"
        );
        fs::write(run.summary_path(), "{\"schema_ver").unwrap();
        let (state, damaged) = told(&run);
        assert_eq!((state, damaged.starts_with("summary.json is damaged.")), (RunState::Damaged, true));
        fs::write(run.summary_path(), "{\"schema_version\": 9999}").unwrap();
        let (state, newer) = told(&run);
        assert_eq!((state, newer.contains("schema version 9999")), (RunState::OtherVersion, true), "{newer}");
        fs::remove_file(run.summary_path()).unwrap();
        fs::write(run.path().join("suite.json"), "[]").unwrap();
        let suite = RunEntry::of_suite(run.path(), "run", &[]);
        assert_eq!((suite.state, suite.sentence.as_str()), (RunState::Damaged, SUITE_DAMAGED));
    }

    #[test]
    fn run_in_progress_is_running_despite_its_summary() {
        let folder = tempfile::tempdir().unwrap();
        let run = make_run(folder.path());
        run.write_summary(&Summary::new("0.1.0", "2026-11-20T15:40:12Z", "mix", Default::default())).unwrap();
        let entry = RunEntry::of(run.path(), "run", &Life::Running(Default::default()));
        assert_eq!(entry.state, RunState::Running);
    }

    #[test]
    fn the_name_of_a_directory_gives_its_start_or_nothing() {
        assert_eq!(started_at("2026-11-20T154012Z-nas1-mix").as_deref(), Some("2026-11-20T15:40:12Z"));
        for id in ["", "x", "2026-11-20T154012", "2026-13-20T154012Z-x", "kept-from-last-year", "ééééééééé"]
        {
            assert_eq!(started_at(id), None, "{id}");
        }
    }
}
