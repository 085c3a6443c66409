//! A procedure in the form of the report.

use std::path::Path;

use reelgauge_analysis::figures::TimeFigures;
use reelgauge_analysis::procedure::Finding;
use reelgauge_analysis::procedure::step::{PaperDeviation, ProcedureStep};
use reelgauge_analysis::{LoadPoint, Summary};
use reelgauge_record::notes::RunNotes;
use reelgauge_report::Style;
use reelgauge_report::deviations::{DeviationWords, deviation_words};
use reelgauge_report::document::Section;
use reelgauge_report::procedure::plan::PlannedAction;
use reelgauge_report::procedure::states::{states_csv, states_section};
use reelgauge_report::procedure::{
    Aged, Figures, ProcedureScreen, StepState, StepWords, What, procedure_csv, procedure_screen,
    procedure_sentence,
};
use reelgauge_report::text::shell_word;
use reelgauge_workload::procedure::Action;
use reelgauge_workload::procedure::deviation::{Condition, Deviation};
use reelgauge_workload::units::Span;

use super::conclusion::{conclude, summaries};
use super::procedure_file::{ActionFact, ProcedureRecord, Row, RowState};
use super::push_out_bytes;

/// The screen of the procedure in this directory, ending with a line feed.
pub fn procedure_text(record: &ProcedureRecord, dir: &Path, style: Style) -> String {
    with_screen(record, dir, |screen| procedure_screen(screen, style))
}

/// The first sentence of the procedure's result.
pub fn procedure_answer(record: &ProcedureRecord, dir: &Path) -> String {
    with_screen(record, dir, procedure_sentence)
}

/// Conditions of the paper that are not met, in the form of the report.
pub fn deviations_in_words(deviations: &[Deviation]) -> Vec<DeviationWords<'_>> {
    deviations.iter().map(words_of).collect()
}

/// A planned action in the form of the report; `None` for a run.
pub fn planned_action(action: &Action) -> Option<PlannedAction> {
    Some({
        let seconds = |time: Span| time.ns() as f64 / 1e9;
        match action {
            Action::Run { .. } => return None,
            Action::Fill { percent } => PlannedAction::Fill(*percent),
            Action::Age { time } => PlannedAction::Age(seconds(*time)),
            Action::Cool { command: Some(command), .. } => PlannedAction::Command(command.clone()),
            Action::Cool { server_memory, .. } => {
                PlannedAction::PushOut(push_out_bytes(server_memory.map_or(0, |size| size.bytes())))
            }
            Action::Rest { time } => PlannedAction::Rest(seconds(*time)),
            Action::Empty => PlannedAction::Empty,
        }
    })
}

/// All states of the storage, as CSV; `None` if the procedure has none.
pub fn states_table(record: &ProcedureRecord, dir: &Path) -> Option<String> {
    match conclude(record, &summaries(record, dir)) {
        Some(Finding::States { states }) => Some(states_csv(&states)),
        _ => None,
    }
}

/// All states of the storage, for a page; `None` if the procedure has none.
pub fn states_on_page(record: &ProcedureRecord, dir: &Path) -> Option<Section> {
    match conclude(record, &summaries(record, dir)) {
        Some(Finding::States { states }) => Some(states_section(&states)),
        _ => None,
    }
}

/// Every load point of every run, as CSV.
pub fn procedure_table(record: &ProcedureRecord, dir: &Path) -> String {
    with_screen(record, dir, procedure_csv)
}

/// The notes in the run of a step: its name, and its deviations from the paper.
pub(super) fn run_notes(record: &ProcedureRecord, at: usize) -> RunNotes {
    let differs: Vec<String> =
        deviations_of(record, at).map(|deviation| deviation_words(&words_of(deviation))).collect();
    let mut notes = RunNotes::new(&record.storage, &record.tags);
    notes.name = row_name(&record.rows[at]);
    notes.note = differs.join("\n");
    notes
}

/// The same facts in the run's summary.
pub(super) fn procedure_step(record: &ProcedureRecord, at: usize) -> ProcedureStep {
    let row = &record.rows[at];
    let deviation = |deviation: &Deviation| PaperDeviation {
        setting: match &deviation.condition {
            Condition::Setting(name) => Some(name.clone()),
            Condition::Computers => None,
        },
        paper: deviation.paper.clone(),
        here: deviation.here.clone(),
    };
    ProcedureStep {
        name: record.name.clone(),
        step: row.name.clone(),
        round: row.round,
        paper: record.paper.clone(),
        is_short: record.is_short,
        deviations: deviations_of(record, at).map(deviation).collect(),
    }
}

/// The conditions of the paper that this step does not meet.
fn deviations_of(record: &ProcedureRecord, at: usize) -> impl Iterator<Item = &Deviation> {
    let row = &record.rows[at];
    record
        .deviations
        .iter()
        .filter(|deviation| deviation.steps.is_empty() || deviation.steps.contains(&row.name))
}

/// The name of a row, with its round.
pub fn row_name(row: &Row) -> String {
    name_in_round(&row.name, row.round)
}

/// `random write, round 3`.
pub fn name_in_round(name: &str, round: Option<u32>) -> String {
    round.map_or_else(|| name.to_owned(), |round| format!("{name}, round {round}"))
}

fn with_screen<T>(record: &ProcedureRecord, dir: &Path, show: impl FnOnce(&ProcedureScreen<'_>) -> T) -> T {
    let summaries = summaries(record, dir);
    let deviations: Vec<DeviationWords<'_>> = record.deviations.iter().map(words_of).collect();
    let names: Vec<String> = record.rows.iter().map(row_name).collect();
    let runs: Vec<String> = record
        .rows
        .iter()
        .map(|row| row.run.as_ref().map_or_else(String::new, |run| run.display().to_string()))
        .collect();
    let steps = record.rows.iter().zip(&summaries).zip(names.iter().zip(&runs));
    let steps: Vec<StepWords<'_>> =
        steps.map(|((row, summary), (name, run))| step_words(row, summary.as_ref(), name, run)).collect();
    let finding = conclude(record, &summaries);
    let target = record.target.display().to_string();
    let agents = record.fleet.as_ref().map_or(&[][..], |fleet| &fleet.agents);
    show(&ProcedureScreen {
        name: &record.name,
        about: &record.about,
        paper: record.paper.as_deref(),
        is_short: record.is_short,
        target: &target,
        agents,
        deviations: &deviations,
        steps: &steps,
        finding: finding.as_ref(),
        goes_on: record.goes_on(dir),
        is_interrupted: record.is_interrupted,
        ended_early: record.ended_early.as_deref(),
        complete: record.complete,
        storage: &record.storage,
        tags: &record.tags,
        dir: &shell_word(dir),
    })
}

fn words_of(deviation: &Deviation) -> DeviationWords<'_> {
    DeviationWords {
        setting: match &deviation.condition {
            Condition::Setting(name) => Some(name),
            Condition::Computers => None,
        },
        paper: &deviation.paper,
        here: deviation.here.as_deref(),
        steps: &deviation.steps,
    }
}

fn step_words<'a>(row: &'a Row, summary: Option<&Summary>, name: &'a str, run: &'a str) -> StepWords<'a> {
    let what = match (&row.action, &row.fact) {
        // A preparing run shows no figures: they are not a result.
        (Action::Run { .. }, _) if row.requires.prepares => What::Nothing,
        (Action::Run { .. }, _) => {
            What::Run(summary.iter().flat_map(|summary| &summary.load_points).map(figures).collect())
        }
        (_, Some(ActionFact::Filled { before_percent, level_percent, ballast_bytes, .. })) => What::Filled {
            before_percent: *before_percent,
            level_percent: *level_percent,
            ballast_bytes: *ballast_bytes,
        },
        (_, Some(ActionFact::Aged { made, edited, deleted, written_bytes, extents, counted_files, .. })) => {
            What::Aged(Aged {
                made: *made,
                edited: *edited,
                deleted: *deleted,
                written_bytes: *written_bytes,
                extents: *extents,
                counted_files: *counted_files,
            })
        }
        (_, Some(ActionFact::Cooled { command, pushed_out_bytes })) => {
            What::Cooled { command: command.as_deref(), pushed_out_bytes: *pushed_out_bytes }
        }
        _ => What::Nothing,
    };
    let state = match row.state {
        RowState::Done => StepState::Done,
        RowState::NotNeeded => StepState::NotNeeded,
        RowState::NotTried => StepState::NotTried,
        RowState::BrokeOff => StepState::BrokeOff,
        RowState::Planned | RowState::Running => StepState::Open,
    };
    StepWords { name, state, run: Some(run).filter(|run| !run.is_empty()), why: row.why.as_deref(), what }
}

fn figures(point: &LoadPoint) -> Figures {
    Figures {
        label: point.label.clone(),
        workers: point.workers,
        measured_s: point.measured_s,
        read_bytes_per_s: point.total.read_bytes_per_s,
        written_bytes_per_s: point.total.written_bytes_per_s,
        ops_per_s: point.total.data_ops_per_s,
        mean_response_us: point.total.response.data.as_ref().map(|times| times.mean_us),
        p99_response_us: point.total.response.data.as_ref().and_then(TimeFigures::carried_p99_us),
        max_response_us: point.total.response.data.as_ref().map(|times| times.max_us),
    }
}
