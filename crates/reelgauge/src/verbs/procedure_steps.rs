//! The steps of a procedure before it is carried out: the command of each, its forecast, and whether
//! there is enough space.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use anyhow::{Context, Result};
use reelgauge_analysis::forecast::Forecast;
use reelgauge_report::procedure::plan::PlannedStep;
use reelgauge_report::text::{plain, shell_argument};
use reelgauge_runner::estimate::data_sets;
use reelgauge_runner::procedure::conclusion::remedy;
use reelgauge_runner::procedure::procedure_file::KeptTerms;
use reelgauge_runner::procedure::report_data::{name_in_round, planned_action};
use reelgauge_runner::procedure::space_check::{Need, lack};
use reelgauge_runner::procedure::{ProcedureError, ProcedureRequest, words};
use reelgauge_workload::procedure::requirement::{Missing, missing};
use reelgauge_workload::procedure::{Action, Step};

use super::estimate::{forecast_of, planned_by};
use super::fleet_procedure::FleetProcedure;

/// Every step, and why the procedure would not start: the first step without enough space. Agents of a
/// fleet have separate storage.
///
/// # Errors
/// If a run would refuse its flags.
pub fn planned_steps(
    request: &ProcedureRequest,
    fleet: Option<&FleetProcedure>,
) -> Result<(Vec<PlannedStep>, Option<ProcedureError>)> {
    if let Some(fleet) = fleet {
        let steps = fleet.planned_steps(&request.steps, (&request.target, request.seed));
        let needs: Vec<Need> = request.steps.iter().map(|step| Need::of(&step.action)).collect();
        let obstacle = without_room(request, &needs);
        return Ok((steps, obstacle));
    }
    let missing = missing(&request.steps, &request.events.events);
    let (mut planned, mut needs, mut made) = (Vec::new(), Vec::new(), MadeFiles::default());
    for (step, missing) in request.steps.iter().zip(&missing) {
        let (step, need) = planned_step(request, step, missing.as_ref(), &mut made)?;
        planned.push(step);
        needs.push(need);
    }
    let obstacle = without_room(request, &needs);
    Ok((planned, obstacle))
}

fn planned_step(
    request: &ProcedureRequest,
    step: &Step,
    missing: Option<&Missing>,
    made: &mut MadeFiles,
) -> Result<(PlannedStep, Need)> {
    let mut planned = PlannedStep {
        name: name_in_round(&step.name, step.round),
        command: None,
        shares: Vec::new(),
        forecast: None,
        action: planned_action(&step.action),
        missing: missing.map(remedy),
    };
    let Action::Run { .. } = &step.action else {
        let need = if missing.is_some() { Need::Unknown } else { Need::of(&step.action) };
        return Ok((planned, need));
    };
    // Uses 1 in place of the stream count, which is known only after the search.
    let words = step_words(request, step, "1");
    let of_step = || format!("step '{}'", plain(&step.name));
    let forecast = forecast_of(&words).with_context(of_step)?;
    let shown = step_words(request, step, "N");
    let shown: Vec<String> = shown.iter().map(|word| shell_argument(OsStr::new(word))).collect();
    planned.command = Some(format!("reelgauge {}", shown.join(" ")));
    planned.forecast = forecast;
    let need = match (missing, &forecast) {
        (None, Some(forecast)) => Need::of_run(forecast),
        _ => Need::Unknown,
    };
    if missing.is_none() {
        let searched = step.requires.count_of.as_deref();
        planned.forecast = forecast.map(|forecast| made.without(step, searched, &words, forecast));
    }
    Ok((planned, need))
}

/// Test files that earlier steps made, and later ones use.
#[derive(Default)]
struct MadeFiles {
    /// Files of each data set, by its name.
    files: BTreeMap<String, u32>,
    /// Bytes that each search may make.
    searched: BTreeMap<String, u64>,
}

impl MadeFiles {
    /// The bytes that a run still has to write; records its files as made. A run that uses a search's
    /// stream count reuses the search's files, or makes the same number itself.
    fn without(&mut self, step: &Step, searched: Option<&str>, words: &[OsString], of: Forecast) -> Forecast {
        self.searched.entry(step.name.clone()).or_insert(of.most_files_bytes);
        let sets =
            planned_by(words).ok().flatten().and_then(|plan| data_sets(&plan).ok()).unwrap_or_default();
        let mut there_bytes = 0_u64;
        for set in &sets {
            let there = self.files.entry(set.name()).or_default();
            // A run with the count of a search makes enough files for all later steps with that count.
            let needed = if searched.is_some() { u32::MAX } else { set.files };
            let found = if searched.is_some() && *there > 0 { set.files } else { set.files.min(*there) };
            there_bytes = there_bytes.saturating_add(u64::from(found).saturating_mul(set.file_bytes));
            *there = needed.max(*there);
        }
        let most_bytes = match searched.and_then(|name| self.searched.get(name)) {
            Some(most) if there_bytes == 0 => of.most_files_bytes.max(*most),
            _ => of.most_files_bytes,
        };
        Forecast {
            least_files_bytes: of.least_files_bytes.saturating_sub(there_bytes),
            most_files_bytes: most_bytes.saturating_sub(there_bytes),
            ..of
        }
    }
}

/// The first step without enough space.
fn without_room(request: &ProcedureRequest, needs: &[Need]) -> Option<ProcedureError> {
    let lack = lack(needs, &request.target, request.terms.keep_free)?;
    let Step { name, round, .. } = request.steps.get(lack.at)?;
    let step = name_in_round(name, *round);
    Some(ProcedureError::NoRoom { step, target: request.target.clone(), lack })
}

/// The command line of a run; empty for another action. `count` replaces a count that another step
/// finds.
fn step_words(request: &ProcedureRequest, step: &Step, count: &str) -> Vec<OsString> {
    let Action::Run { verb, flags } = &step.action else { return Vec::new() };
    let mut flags = flags.clone();
    flags.extend(step.requires.count_of.as_ref().map(|_| format!("--count={count}")));
    flags.extend(request.events.flags(&step.requires));
    words(verb, &flags, &request.target, &KeptTerms::of(&request.terms), request.seed)
}
