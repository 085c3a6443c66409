//! A run from its plan to its summary.

use std::path::PathBuf;

use jiff::Timestamp;
use reelgauge_analysis::summary::NotMeasured;
use reelgauge_analysis::{LoadPoint, Outcome, Summary};
use reelgauge_engine::area::Terms;
use reelgauge_engine::dataset::DataSet;
use reelgauge_engine::driver::DriverKind;
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_workload::plan::{DriverChoice, Plan};

use crate::error::RunError;
use crate::fresh_seed;
use crate::interrupt::{EXIT_INTERRUPTED, Interrupt};
use crate::live_log::logged;
use crate::observer::Observer;
use crate::prepare::{Asked, Prepared, cool_down, drop_written, prepare};
use crate::results_dir::Naming;
use crate::session::{Closing, Opening, PointPlan, Session, make_out};
use crate::summarise::Subject;
use crate::workers::Crew;

/// The exit code of a run that measured what it should and found it not good enough.
const EXIT_NOT_MET: u8 = 1;
/// The exit code of a run that broke off.
pub(crate) const EXIT_BROKE_OFF: u8 = 3;

/// What to run, beside the plan.
#[derive(Clone, Debug)]
pub struct Request {
    /// What to run.
    pub plan: Plan,
    /// Refuse rather than fall back to the client's cache.
    pub must_be_direct: bool,
    /// Folder for run directories.
    pub out: PathBuf,
    /// What was said of the target.
    pub terms: Terms,
}

/// A run that measured something.
#[derive(Debug)]
pub struct Finished {
    /// Everything that a report shows.
    pub summary: Summary,
    /// Where it lies.
    pub run_dir: PathBuf,
}

impl Finished {
    /// The exit code: 0 complete, 1 complete but the criteria were not met, a load point could not be
    /// measured or what was written is not what was read back, 3 broke off, 130 interrupted.
    pub fn exit_code(&self) -> u8 {
        let differs = self.summary.verify.as_ref().is_some_and(|verify| verify.different_bytes > 0);
        let not_met = self.summary.verdict.as_ref().is_some_and(|verdict| !verdict.passed);
        let not_measured = self.summary.load_points.iter().any(|point| point.not_measured.is_some());
        match self.summary.outcome {
            Outcome::Complete if differs || not_met || not_measured => EXIT_NOT_MET,
            Outcome::Complete => 0,
            Outcome::BrokeOff | Outcome::Running => EXIT_BROKE_OFF,
            Outcome::Interrupted => EXIT_INTERRUPTED as u8,
        }
    }
}

/// Carries out a plan.
///
/// # Errors
/// When nothing could be measured. A run that broke off in the middle is not an error: what was measured
/// comes back, with its [`Outcome`].
pub fn run(
    request: Request,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    logged(observer, |observer| carry_out(request, observer, interrupt))
}

fn carry_out(
    request: Request,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    let started = Timestamp::now();
    request.plan.check()?;
    make_out(&request.out)?;
    let profile = request.plan.mix.profile.clone();
    let naming = Naming { started, out: &request.out, verb: "mix", label: &profile, what: &profile };
    let asked = Asked { must_be_direct: request.must_be_direct, terms: request.terms };
    let prepared = prepare(request.plan, asked, &naming, observer, interrupt)?;
    let files = prepared.file_table();
    let Prepared { plan, ground, results, data_set, own_files, notes } = prepared;
    let opening = Opening {
        results,
        plan_toml: &plan.to_toml()?,
        files,
        // Not that of the test files, which last: what a run writes was never written before.
        pattern: PatternSpec { seed: fresh_seed(), ..data_set.pattern },
        driver: driver_kind(plan.driver),
        hang_after: plan.hang_after.duration(),
        log: plan.log,
        verify: plan.verify.then_some(data_set.pattern),
        notes,
    };
    let mut session = Session::begin(ground, opening, observer)?;
    let crew = Crew::new(&plan, &data_set.files);
    let measured = measure(&mut session, &plan, crew, &data_set, observer, interrupt);
    session.settle(measured)?;
    let closing = Closing { subject: Subject::of_mix(&plan, &data_set, own_files), made: None };
    session.end(closing, |_, _| {}, observer, interrupt)
}

/// All load points.
fn measure(
    session: &mut Session,
    plan: &Plan,
    mut crew: Crew,
    data_set: &DataSet,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<(), RunError> {
    observer.phase("measuring");
    for point in 0..plan.points() {
        if point > 0 && plan.mix.no_repeat {
            // What an earlier load point left in this machine's cache would be read a second time.
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
            jury: None,
        };
        let done = session.point(what, crew.take(plan, point), observer, interrupt)?;
        crew.give_back(done.workers);
        if !done.complete {
            break;
        }
        if let Some(last) = session.last_point() {
            last.not_measured = not_measured(plan, last);
        }
    }
    Ok(())
}

/// Why a load point that had its time has no figures; `None` where it has.
fn not_measured(plan: &Plan, point: &LoadPoint) -> Option<NotMeasured> {
    if point.total.response.data.is_some() {
        return None;
    }
    // It ended early because all blocks had been visited, and none of that was measured.
    let visited_before = plan.mix.no_repeat && point.ended_early.is_some();
    Some(if visited_before { NotMeasured::WarmupVisitedAll } else { NotMeasured::NothingFinished })
}

pub(crate) fn driver_kind(choice: DriverChoice) -> DriverKind {
    match choice {
        DriverChoice::Threads => DriverKind::Threads,
        DriverChoice::Uring => DriverKind::Uring,
    }
}
