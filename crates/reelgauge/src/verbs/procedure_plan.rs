//! The plan of a procedure as JSON: the output of `reelgauge procedure NAME PATH --dry-run --json`.

use std::path::Path;

use reelgauge_analysis::forecast::{LoadAhead, TimeAhead};
use reelgauge_report::procedure::plan::PlannedStep;
use reelgauge_runner::procedure::ProcedureRequest;
use reelgauge_workload::procedure::Action;
use reelgauge_workload::procedure::requirement::{Missing, missing};
use serde::Serialize;

#[derive(Serialize)]
pub struct ProcedurePlan<'a> {
    procedure: &'a str,
    target: &'a Path,
    is_short: bool,
    steps: Vec<StepPlan<'a>>,
    /// Why it would be refused.
    refused: Option<String>,
}

#[derive(Serialize)]
struct StepPlan<'a> {
    name: &'a str,
    action: &'a Action,
    command: Option<&'a str>,
    missing: Option<Missing>,
    takes: Option<Takes>,
}

/// The forecast of a run; an unknown figure is null.
#[derive(Serialize)]
struct Takes {
    least_s: Option<f64>,
    most_s: Option<f64>,
    least_files_bytes: u64,
    most_files_bytes: u64,
    load_most_bytes: Option<u64>,
}

impl<'a> ProcedurePlan<'a> {
    /// The plan of these steps. `refused`: why the procedure would not start.
    pub fn new(request: &'a ProcedureRequest, steps: &'a [PlannedStep], refused: Option<String>) -> Self {
        let missing = missing(&request.steps, &request.events.events);
        let step = |((step, planned), missing): ((_, &'a PlannedStep), _)| {
            let step: &'a reelgauge_workload::procedure::Step = step;
            let command = planned.command.as_deref();
            StepPlan { name: &planned.name, action: &step.action, command, missing, takes: takes(planned) }
        };
        ProcedurePlan {
            procedure: &request.name,
            target: &request.target,
            is_short: request.is_short,
            steps: request.steps.iter().zip(steps).zip(missing).map(step).collect(),
            refused,
        }
    }
}

fn takes(step: &PlannedStep) -> Option<Takes> {
    let forecast = step.forecast.as_ref()?;
    let (least_s, most_s) = match forecast.time {
        TimeAhead::Planned { s } => (Some(s), Some(s)),
        TimeAhead::Between { least_s, most_s, or_longer } => (Some(least_s), (!or_longer).then_some(most_s)),
        TimeAhead::Unknown => (None, None),
    };
    let load_most_bytes = match forecast.load {
        LoadAhead::AtMost(bytes) => Some(bytes),
        LoadAhead::Unbounded => None,
    };
    let (least_files_bytes, most_files_bytes) = (forecast.least_files_bytes, forecast.most_files_bytes);
    Some(Takes { least_s, most_s, least_files_bytes, most_files_bytes, load_most_bytes })
}
