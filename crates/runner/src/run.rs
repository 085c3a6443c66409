//! A run from its plan to its summary.

use std::path::PathBuf;

use jiff::Timestamp;
use reelgauge_analysis::{Outcome, Summary};
use reelgauge_engine::driver::DriverKind;
use reelgauge_workload::plan::{DriverChoice, Plan};

use crate::error::RunError;
use crate::interrupt::{EXIT_INTERRUPTED, Interrupt};
use crate::live::log::logged;
use crate::observer::Observer;
use crate::prepare::{Prepared, prepare};
use crate::results::Naming;
use crate::session::{Closing, Opening, PointPlan, Session, make_out};
use crate::summarise::Subject;
use crate::workers::Crew;

/// The exit code of a run that measured what it should and found it not good enough.
const EXIT_NOT_MET: u8 = 1;
/// The exit code of a run that broke off.
const EXIT_BROKE_OFF: u8 = 3;

/// What to run, beside the plan.
#[derive(Clone, Debug)]
pub struct Request {
    /// What to run.
    pub plan: Plan,
    /// Refuse rather than fall back to the client's cache.
    pub must_be_direct: bool,
    /// Folder for run directories.
    pub out: PathBuf,
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
    /// The exit code: 0 complete, 1 complete but the criteria were not met or what was written is not what
    /// was read back, 3 broke off, 130 interrupted.
    pub fn exit_code(&self) -> u8 {
        let differs = self.summary.verify.as_ref().is_some_and(|verify| verify.different_bytes > 0);
        let not_met = self.summary.verdict.as_ref().is_some_and(|verdict| !verdict.passed);
        match self.summary.outcome {
            Outcome::Complete if differs || not_met => EXIT_NOT_MET,
            Outcome::Complete => 0,
            Outcome::BrokeOff => EXIT_BROKE_OFF,
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
    let prepared = prepare(request.plan, request.must_be_direct, &naming, observer, interrupt)?;
    let files = prepared.file_table();
    let Prepared { plan, ground, results, data_set, notes } = prepared;
    let opening = Opening {
        results,
        plan_toml: &plan.to_toml()?,
        files,
        pattern: data_set.pattern,
        driver: driver_kind(plan.driver),
        hang_after: plan.hang_after.duration(),
        log: plan.log,
        verify: plan.verify,
        notes,
    };
    let mut session = Session::begin(ground, opening, observer)?;
    let crew = Crew::new(&plan, &data_set.files);
    let measured = measure(&mut session, &plan, crew, observer, interrupt);
    session.settle(measured)?;
    let closing = Closing { subject: Subject::of_mix(&plan, &data_set), made: None };
    session.end(closing, |_, _| {}, observer, interrupt)
}

/// All load points.
fn measure(
    session: &mut Session,
    plan: &Plan,
    mut crew: Crew,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<(), RunError> {
    observer.phase("measuring");
    for point in 0..plan.points() {
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
        if !session.goes_on() {
            break;
        }
    }
    Ok(())
}

pub(crate) fn driver_kind(choice: DriverChoice) -> DriverKind {
    match choice {
        DriverChoice::Threads => DriverKind::Threads,
        DriverChoice::Uring => DriverKind::Uring,
    }
}
