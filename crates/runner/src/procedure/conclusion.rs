//! The conclusion from all runs of a procedure, by the record and the summaries.

use std::path::Path;

use reelgauge_analysis::Summary;
use reelgauge_analysis::procedure::cliff::cliff;
use reelgauge_analysis::procedure::states::{Remedy, StateFound, StateRow, found_in};
use reelgauge_analysis::procedure::steady::steadiness;
use reelgauge_analysis::procedure::warm::warming;
use reelgauge_analysis::procedure::{Finding, levels, pair, trend};
use reelgauge_results::reopen::reopen;
use reelgauge_workload::procedure::requirement::Missing;
use reelgauge_workload::procedure::{Action, FindingKind};

use super::procedure_file::{ProcedureRecord, Row, RowState};

/// The summary of each step's run; `None` if it has none, or it cannot be read.
pub fn summaries(record: &ProcedureRecord, dir: &Path) -> Vec<Option<Summary>> {
    let of = |row: &Row| reopen(&dir.join(row.run.as_ref()?)).ok();
    record.rows.iter().map(of).collect()
}

/// The conclusion; `None` if none is wanted, or no run is complete.
pub fn conclude(record: &ProcedureRecord, summaries: &[Option<Summary>]) -> Option<Finding> {
    let runs = done_runs(record, summaries).filter(|(row, _)| !row.requires.prepares);
    let runs: Vec<(&Row, Option<&Summary>)> = runs.collect();
    let rates: Vec<Option<f64>> = runs.iter().map(|(_, summary)| summary.and_then(rate)).collect();
    let last = runs.last()?;
    Some(match record.finding? {
        FindingKind::States => states(record, summaries),
        FindingKind::Levels => levels(&rates),
        FindingKind::Pair => pair(&rates),
        FindingKind::Steady => steady(record, summaries),
        FindingKind::Warm => {
            let passes = last.1.iter().flat_map(|summary| &summary.load_points);
            let passes = passes.filter_map(|point| Some((point.total.bytes_per_s?, point.measured_s)));
            Finding::Warm { warming: warming(&passes.collect::<Vec<_>>()) }
        }
        FindingKind::Trend => {
            let mut names: Vec<&str> = Vec::new();
            for (row, _) in &runs {
                if !names.contains(&row.name.as_str()) {
                    names.push(&row.name);
                }
            }
            let of = |name: &&str| {
                let of_name = runs.iter().filter(|(row, _)| row.name == **name);
                trend(name, &of_name.filter_map(|(_, summary)| rate((*summary)?)).collect::<Vec<_>>())
            };
            Finding::Trend { trends: names.iter().filter_map(of).collect() }
        }
    })
}

/// Every state that the procedure has, tried or not.
fn states(record: &ProcedureRecord, summaries: &[Option<Summary>]) -> Finding {
    let is_state = |row: &Row| matches!(row.action, Action::Run { .. }) && !row.requires.prepares;
    let rows = record.rows.iter().zip(summaries).filter(|(row, _)| is_state(row));
    let state = |(row, summary): (&Row, &Option<Summary>)| {
        let found = match (&row.missing, summary) {
            (Some(missing), _) => StateFound::NotTried { remedy: remedy(missing) },
            (None, Some(summary)) if row.state == RowState::Done => {
                found_in(summary, row.requires.recovers_from_beginning)
            }
            _ => StateFound::NotMeasured,
        };
        StateRow { name: row.name.clone(), found }
    };
    Finding::States { states: rows.map(state).collect() }
}

/// The remedy in the form of the report.
pub fn remedy(missing: &Missing) -> Remedy {
    match missing {
        Missing::Event { names } => Remedy::Event { names: names.clone() },
        Missing::Cold => Remedy::Cold,
        Missing::Room { needed_bytes, left_bytes } => {
            Remedy::Room { needed_bytes: *needed_bytes, left_bytes: *left_bytes }
        }
    }
}

/// The rates of the complete rounds.
pub fn round_rates(record: &ProcedureRecord, summaries: &[Option<Summary>]) -> Vec<f64> {
    let rounds = done_runs(record, summaries).filter(|(row, _)| row.round.is_some());
    rounds.filter_map(|(_, summary)| rate(summary?)).collect()
}

/// The steps that are complete runs.
fn done_runs<'a>(
    record: &'a ProcedureRecord,
    summaries: &'a [Option<Summary>],
) -> impl Iterator<Item = (&'a Row, Option<&'a Summary>)> {
    let all = record.rows.iter().zip(summaries);
    let done = all.filter(|(row, _)| row.state == RowState::Done && matches!(row.action, Action::Run { .. }));
    done.map(|(row, summary)| (row, summary.as_ref()))
}

/// The rate of a run in its last load point.
pub fn rate(summary: &Summary) -> Option<f64> {
    summary.load_points.last()?.total.bytes_per_s
}

fn steady(record: &ProcedureRecord, summaries: &[Option<Summary>]) -> Finding {
    let rates = round_rates(record, summaries);
    let runs: Vec<&Summary> = done_runs(record, summaries).filter_map(|(_, summary)| summary).collect();
    let made = runs.iter().filter(|summary| !summary.data_set.reused);
    let prepared_bytes =
        made.map(|summary| summary.data_set.files.saturating_mul(summary.data_set.file_size_bytes));
    let prepared_bytes = prepared_bytes.fold(0, u64::saturating_add);
    let steps: Vec<(u64, f64)> = runs.into_iter().flat_map(written_steps).collect();
    Finding::Steady {
        steadiness: steadiness(&rates),
        rounds: rates.len(),
        cliff: cliff(&steps, prepared_bytes),
    }
}

/// The bytes that a run wrote, and the times. Its first and last step are incomplete: they count with
/// the rate of their neighbours, so that their bytes count.
fn written_steps(summary: &Summary) -> Vec<(u64, f64)> {
    let step_s = summary.series.step_s as f64;
    let written: Vec<u64> = summary.series.steps.iter().map(|step| step.written_bytes).collect();
    let Some(first) = written.iter().position(|&bytes| bytes > 0) else { return Vec::new() };
    let last = written.iter().rposition(|&bytes| bytes > 0).unwrap_or(first);
    let mut steps: Vec<(u64, f64)> = written[first..=last].iter().map(|&bytes| (bytes, step_s)).collect();
    let count = steps.len();
    if count >= 3 {
        for (edge, inner) in [(0, 1), (count - 1, count - 2)] {
            let rate = steps[inner].0 as f64 / step_s;
            if rate > 0.0 {
                steps[edge].1 = steps[edge].0 as f64 / rate;
            }
        }
    }
    steps
}
