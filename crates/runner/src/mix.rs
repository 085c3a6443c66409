//! A mix, from its plan to its summary: random reads and writes of many workers.

mod forecast;
mod plan_listing;
pub mod prepare;
pub mod workers;

use std::path::PathBuf;

use jiff::Timestamp;
use reelgauge_analysis::criteria::{Criteria, CriteriaChange};
use reelgauge_analysis::forecast::Forecast;
use reelgauge_analysis::summary::{self, NotMeasured};
use reelgauge_analysis::verdict::mix::{judge_mix, not_of_mix};
use reelgauge_analysis::{LoadPoint, Summary};
use reelgauge_engine::area::Terms;
use reelgauge_engine::dataset::DataSet;
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_record::notes::RunNotes;
use reelgauge_report::verdict::in_words;
use reelgauge_workload::plan::Plan;
use reelgauge_workload::units::Size;

use self::plan_listing::plan_for_people;
use crate::error::RunError;
use crate::fresh_seed;
use crate::interrupt::Interrupt;
use crate::mix::prepare::{Prepared, demand, prepare};
use crate::mix::workers::MixWorkers;
use crate::observer::Observer;
use crate::session::caching::{cool_down, drop_written};
use crate::session::driver_kind;
use crate::session::finished_run::Finished;
use crate::session::live_log::logged;
use crate::session::results_dir::Naming;
use crate::session::run_summary::{Material, MeasuredSubject};
use crate::session::target::Asked;
use crate::session::{Closing, Opening, PointPlan, Session, make_out};
use crate::streams::verdict::verdict_of_run;

/// The request for a mix, in addition to the plan.
#[derive(Clone, Debug)]
pub struct MixRequest {
    pub plan: Plan,
    /// Refuse rather than fall back to the client's cache.
    pub must_be_direct: bool,
    /// Folder for run directories.
    pub out: PathBuf,
    /// The terms for the target.
    pub terms: Terms,
}

/// The forecast of a mix whose test files have yet to be written.
pub(crate) fn ahead(plan: &Plan) -> Forecast {
    let files_bytes = match plan.read_from {
        Some(_) => 0,
        None if plan.shared_data.as_ref().is_some_and(|shared| !shared.is_owner) => 0,
        None => plan.mix.file_size.bytes().saturating_mul(u64::from(plan.files())),
    };
    forecast::of_mix(plan, files_bytes, demand(plan).memory_bytes)
}

/// Carries out a plan.
///
/// # Errors
/// If nothing could be measured. A run that was interrupted is not an error: its measurements are
/// returned, with its [`reelgauge_analysis::Outcome`].
pub fn run_mix(
    request: MixRequest,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    logged(observer, |observer| carry_out(request, observer, interrupt))
}

fn carry_out(
    request: MixRequest,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    let started = Timestamp::now();
    request.plan.check()?;
    let criteria = criteria_of(&request.plan)?;
    make_out(&request.out)?;
    let profile = request.plan.mix.profile.clone();
    let notes = RunNotes::new(&request.plan.storage, &request.plan.tags);
    let naming =
        Naming { started, out: &request.out, verb: "mix", label: &profile, what: &profile, notes: &notes };
    let asked = Asked { must_be_direct: request.must_be_direct, terms: request.terms };
    let prepared = prepare(request.plan, asked, &naming, observer, interrupt)?;
    let files = prepared.file_table();
    let Prepared { plan, locked, results, data_set, own_files, notes } = prepared;
    let opening = Opening {
        results,
        plan_toml: &plan.to_toml()?,
        files,
        // A different pattern than that of the test files: the data that a run writes must be new.
        pattern: PatternSpec { seed: fresh_seed(), ..data_set.pattern },
        driver: driver_kind(plan.driver),
        hang_after: plan.hang_after.duration(),
        log: plan.log,
        verify: plan.verify.then_some(data_set.pattern),
        notes,
    };
    let mut session = Session::begin(locked, opening, observer)?;
    let mix_workers = MixWorkers::new(&plan, &data_set.files);
    let measured = measure(&mut session, &plan, mix_workers, &data_set, observer, interrupt);
    session.settle(measured)?;
    let closing = Closing { subject: subject(&plan, &data_set, own_files), made: None };
    session.end(closing, |summary, _| judge_points(summary, criteria.as_ref()), observer, interrupt)
}

/// The criteria of every load point; `None` without any.
fn criteria_of(plan: &Plan) -> Result<Option<Criteria>, RunError> {
    if plan.criteria.trim().is_empty() {
        return Ok(None);
    }
    let wrong = |source| RunError::Criteria { text: plan.criteria.clone(), source };
    let change: CriteriaChange = plan.criteria.parse().map_err(wrong)?;
    let criteria = change.apply_to(Criteria::nothing_failed());
    match not_of_mix(&criteria) {
        Some(criterion) => Err(RunError::NotOfMix { criterion }),
        None => Ok(Some(criteria)),
    }
}

/// Judges every load point that was measured for its whole time.
fn judge_points(summary: &mut Summary, criteria: Option<&Criteria>) {
    let Some(criteria) = criteria else { return };
    let Summary { series, load_points, .. } = summary;
    for point in load_points.iter_mut().filter(|point| !point.was_cut_off()) {
        point.verdict = Some(in_words(judge_mix(criteria, series, point)));
    }
    summary.verdict = verdict_of_run(&summary.load_points);
}

fn measure(
    session: &mut Session,
    plan: &Plan,
    mut mix_workers: MixWorkers,
    data_set: &DataSet,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<(), RunError> {
    observer.phase("measuring");
    for point in 0..plan.points() {
        if point > 0 && plan.mix.no_repeat {
            // Data that an earlier load point left in the client's cache would be read a second time.
            let note = match plan.read_from {
                Some(_) => drop_written(&data_set.files),
                None => cool_down(session.area(), data_set),
            };
            note.into_iter().for_each(|note| session.note(note));
        }
        let what = PointPlan {
            label: plan.label_at(point),
            sweep_value: plan.sweep.as_ref().and_then(|sweep| sweep.value(point)),
            warmup_ns: plan.warmup.ns(),
            measured_ns: plan.duration.ns(),
            exhausted: Some("every block had been visited once"),
            ..PointPlan::default()
        };
        let done = session.point(what, mix_workers.take(plan, point), observer, interrupt)?;
        mix_workers.give_back(done.workers);
        if !done.complete {
            break;
        }
        if let Some(last) = session.last_point()
            && let Some(why) = not_measured(plan, last)
        {
            last.was_not_measured(why);
        }
    }
    Ok(())
}

/// Why a load point that had its time has no figures; `None` if it has some.
fn not_measured(plan: &Plan, point: &LoadPoint) -> Option<NotMeasured> {
    if point.total.response.data.is_some() {
        return None;
    }
    // It ended early because all blocks had been visited, during the warm-up.
    let visited_before = plan.mix.no_repeat && point.ended_early.is_some();
    Some(if visited_before { NotMeasured::WarmupVisitedAll } else { NotMeasured::NothingFinished })
}

/// The subject of the measurement: a mix on these files.
fn subject(plan: &Plan, data_set: &DataSet, own_files: bool) -> MeasuredSubject {
    MeasuredSubject {
        verb: "mix".to_owned(),
        label: plan.mix.profile.clone(),
        seed: plan.seed,
        plan: plan_for_people(plan),
        asked_direct: plan.mix.direct,
        data_set: summary::DataSet {
            files: data_set.files.len() as u64,
            file_size_bytes: plan.mix.file_size.bytes(),
            reused: data_set.written_bytes == 0,
        },
        data_bytes: data_set.files.iter().map(|file| file.size_bytes).sum(),
        material: Material {
            written_bytes: data_set.written_bytes,
            server_memory_bytes: plan.server_memory.map(Size::bytes),
            own_files,
        },
    }
}
