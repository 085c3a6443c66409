//! A replay from its plan to its summary: the trace read, its images prepared, and played pass by pass.
//!
//! Every fault of a trace is reported before the target is touched. All images are made before the first
//! pass, so that they have different places on the storage; each is used once, so no pass overwrites
//! data of an earlier one.
//!
//! * [`tape`]: the trace as it will be replayed. [`images`]: its files, and their numbers in the log.
//!   [`unchanged_files`]: the files that it leaves unchanged. [`limits`]: how many files may be open.
//!   [`links`]: the replacement for links on a target without them. [`findings`]: the replay's part of
//!   the summary.
//!
//! Not here: what an operation waits for (trace).

mod extents;
mod findings;
mod forecast;
mod images;
mod limits;
mod links;
mod tape;
mod unchanged_files;

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use reelgauge_analysis::forecast::Forecast;
use reelgauge_analysis::summary::DataSet;
use reelgauge_analysis::{LATENESS_MAX_US, Note, NoteFact};
use reelgauge_engine::area::{Area, Terms};
use reelgauge_engine::direct::{DirectOutcome, DirectProbe, DirectSupport};
use reelgauge_engine::driver::Worker;
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_engine::space::{KeepFree, Space, space};
use reelgauge_record::notes::RunNotes;
use reelgauge_report::self_cost::self_cost_sentence;
use reelgauge_trace::replay::{Outcomes, ReplayScript, Setting, Without};
use reelgauge_workload::plan::DriverChoice;
use reelgauge_workload::replay::ReplayPlan;

use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::session::caching::drop_cached;
use crate::session::driver_kind;
use crate::session::finished_run::Finished;
use crate::session::live_log::logged;
use crate::session::locked_target::{LockedTarget, check_names};
use crate::session::results_dir::{Naming, Results};
use crate::session::run_summary::{Material, MeasuredSubject};
use crate::session::scratch_files::MadeFiles;
use crate::session::space::{check_room, space_before_area};
use crate::session::space_making::SpaceMaker;
use crate::session::{Closing, Opening, PointPlan, Session, make_out};
use findings::Findings;
use images::Images;
use tape::Tape;

/// A load point that ends when the trace does: 36 years.
const EVER_NS: u64 = 1 << 60;
/// The threads driver passes an operation to a separate thread this long before it is due.
const HAND_OVER_NS: u64 = 100_000;
/// The distance between stamps in test data.
const UNIT_BYTES: u32 = 4096;
/// The alignment of direct I/O if the file system does not report it.
const DIRECT_ALIGN_BYTES: u32 = 4096;
/// The exit status if it was refused before anything was done.
const EXIT_INPUT: u8 = 2;

const VERB: &str = "replay";

/// The request for a replay.
#[derive(Clone, Debug)]
pub struct ReplayRequest {
    /// The trace and the settings.
    pub plan: ReplayPlan,
    /// Folder for run directories.
    pub out: PathBuf,
    /// The terms for the target.
    pub terms: Terms,
    /// Whether its forecast was already shown as a part of a larger one.
    pub is_announced: bool,
}

/// Carries out a replay.
///
/// # Errors
/// If nothing could be measured. A run that was interrupted is not an error: its measurements are
/// returned, with its outcome.
pub fn run_replay(
    request: ReplayRequest,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    logged(observer, |observer| carry_out(request, observer, interrupt))
}

fn carry_out(
    request: ReplayRequest,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    let started = Timestamp::now();
    let ReplayRequest { mut plan, out, terms, is_announced } = request;
    plan.check()?;
    check_names([plan.target.as_path(), &plan.replay.trace])?;
    observer.phase("reading");
    let tape = Tape::load(&mut plan, Without::default())?;
    limits::check(
        driver_kind(plan.driver),
        &tape.packed,
        (tape.needs(), plan.replay.copies),
        tape.file_bytes(),
    )?;
    if !is_announced {
        observer.ahead(VERB, &ahead_of(&plan, &tape).held_to(terms.max_bytes_per_s));
    }
    make_out(&out)?;
    check_space(&plan, &tape, terms.keep_free)?;
    let area = Area::open_or_create_on(&plan.target, terms)?;
    plan.target = area.target().to_path_buf();
    let label = tape.name.clone();
    let notes = RunNotes::new(&plan.storage, &plan.tags);
    let what = format!("replay-{label}");
    let naming = Naming { started, out: &out, verb: VERB, label: &label, what: &what, notes: &notes };
    let staged = Staged::prepare(&area, &mut plan, tape, &naming, observer, interrupt);
    if let Err(error) = &staged
        && error.exit_code() == EXIT_INPUT
        && area.is_new()
    {
        // Files that can't be removed now are removed by `reelgauge clean`; the error itself matters
        // more.
        let _ = area.clean();
    }
    play(&plan, staged?, observer, interrupt)
}

/// A target on which all images are ready.
struct Staged {
    /// The trace in the form that this target supports.
    tape: Tape,
    locked: LockedTarget,
    results: Results,
    made: MadeFiles,
    images: Images,
    pattern: PatternSpec,
    direct_align_log2: Option<u8>,
    notes: Vec<Note>,
}

impl Staged {
    fn prepare(
        area: &Area,
        plan: &mut ReplayPlan,
        tape: Tape,
        naming: &Naming<'_>,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Staged, RunError> {
        let locked = LockedTarget::take(area)?;
        let mut notes = locked.notes();
        let results = Results::make(naming, &locked, observer)?;
        let made = MadeFiles::begin(&locked, interrupt)?;
        let root = made.scratch().map(|scratch| scratch.path().to_path_buf()).unwrap_or_default();
        let tape = links::as_the_target_has_them(plan, tape, area.dir(), &root)?;
        notes.extend(
            SpaceMaker::of(&locked)
                .make(images_bytes(plan, &tape), &[], observer, interrupt)?
                .unwrap_or_default(),
        );
        if let Ok(Some(space)) = space(area.root()) {
            check_replay_room(plan, &tape, space, area.keep_free())?;
        }
        let images = Images::of(plan, &tape, &root, area.root());
        let pattern = PatternSpec { seed: plan.seed, unit_bytes: UNIT_BYTES };
        images.make(area, pattern, observer, interrupt)?;
        notes.extend(drop_cached(area, &images.test_files()));
        let direct_align_log2 = direct_align_log2(&locked.direct);
        notes.extend(tape.note_on_direct(direct_align_log2).map(Note::other));
        Ok(Staged { tape, locked, results, made, images, pattern, direct_align_log2, notes })
    }
}

/// Plays all passes and summarises them.
fn play(
    plan: &ReplayPlan,
    staged: Staged,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    let Staged { tape, locked, results, made, images, pattern, direct_align_log2, notes } = staged;
    let opening = Opening {
        results,
        plan_toml: &plan.to_toml()?,
        files: images.table.clone(),
        pattern,
        driver: driver_kind(plan.driver),
        hang_after: plan.hang_after.duration(),
        log: plan.log,
        verify: None,
        notes,
    };
    let mut session = Session::begin(locked, opening, observer)?;
    // An error is a result here, unless it means that the storage is unreachable or full.
    session.errors_are_results(tape.packed.recorded_errors(), images.unchanged_files(plan, &tape))?;
    let mut findings = Findings::new(plan, &tape);
    let played =
        passes(plan, &tape, &images, direct_align_log2, &mut session, &mut findings, observer, interrupt);
    session.settle(played)?;
    let closing = Closing { subject: subject(plan, &tape, &images), made: Some(made) };
    let facts = findings.finish();
    session.end(
        closing,
        |summary, _| {
            let bad_timing = facts.bad_timing.iter();
            summary.notes.extend(bad_timing.map(|timing| Note::new(NoteFact::ReplayTiming, timing, "")));
            summary.self_cost.judge_replay(&facts);
            summary.self_cost.sentence = self_cost_sentence(&summary.self_cost, &summary.load_points);
            summary.replay = Some(facts);
        },
        observer,
        interrupt,
    )
}

/// All passes, until one is stopped.
#[expect(clippy::too_many_arguments, reason = "each is a separate part of a pass and used once")]
fn passes(
    plan: &ReplayPlan,
    tape: &Tape,
    images: &Images,
    direct_align_log2: Option<u8>,
    session: &mut Session,
    findings: &mut Findings,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<(), RunError> {
    let settings = &plan.replay;
    for pass in 0..settings.batch {
        observer.phase("replaying");
        let user = |copy: u32| {
            let setting = Setting {
                pace: settings.pace,
                scale: settings.scale,
                delay_ns: u64::from(copy) * settings.stagger().ns(),
                first_file: images.first_file(pass, copy),
                direct_align_log2,
                ahead_ns: match plan.driver {
                    DriverChoice::Threads => HAND_OVER_NS,
                    DriverChoice::Uring => 0,
                },
                users: settings.copies,
                late_after_ns: (LATENESS_MAX_US * 1e3) as u64,
            };
            Worker { id: copy, script: ReplayScript::new(Arc::clone(&tape.packed), setting) }
        };
        let point = PointPlan {
            label: match settings.batch {
                1 => tape.name.clone(),
                _ => format!("pass {}", pass + 1),
            },
            measured_ns: EVER_NS,
            finds_silences: true,
            ..PointPlan::default()
        };
        let done = session.point(point, (0..settings.copies).map(user).collect(), observer, interrupt)?;
        let users: Vec<&Outcomes> = done.workers.iter().map(|worker| worker.script.outcomes()).collect();
        session.keep_lateness(findings::lateness_of(&users), |number| {
            let worker = done.workers.iter().find(|worker| worker.id == number)?;
            findings::lateness_of(&[worker.script.outcomes()])
        });
        findings.take(&done, tape, |at_s| session.wall_time(at_s));
        findings.take_pieces(extents::of_pass(session.area().dir(), tape, images, pass));
        if !done.complete {
            break;
        }
    }
    Ok(())
}

/// Refuses a replay that cannot fit, before even the area is made. A target with an area is checked
/// after that was emptied.
fn check_space(plan: &ReplayPlan, tape: &Tape, keep_free: KeepFree) -> Result<(), RunError> {
    match space_before_area(&plan.target) {
        Some(space) => check_replay_room(plan, tape, space, keep_free),
        None => Ok(()),
    }
}

/// The forecast of this replay.
///
/// # Errors
/// If the trace can't be replayed.
pub(crate) fn ahead(plan: &mut ReplayPlan) -> Result<Forecast, RunError> {
    let tape = Tape::load(plan, Without::default())?;
    Ok(ahead_of(plan, &tape))
}

fn ahead_of(plan: &ReplayPlan, tape: &Tape) -> Forecast {
    forecast::of_replay(plan, tape.packed.span_ns, tape.before.file_bytes(), tape.written_bytes())
}

/// Bytes of all images, at their largest.
fn images_bytes(plan: &ReplayPlan, tape: &Tape) -> u64 {
    let images = u64::from(plan.replay.copies) * u64::from(plan.replay.batch);
    tape.before.file_bytes().saturating_add(tape.before.growth_bytes).saturating_mul(images)
}

fn check_replay_room(
    plan: &ReplayPlan,
    tape: &Tape,
    space: Space,
    keep_free: KeepFree,
) -> Result<(), RunError> {
    check_room(&plan.target, images_bytes(plan, tape), space, keep_free).map_err(|error| match error {
        RunError::Space { target, needed, available, kept, .. } => {
            RunError::ReplaySpace { target, needed, available, kept }
        }
        other => other,
    })
}

/// The alignment of direct I/O; `None` if it is unavailable.
fn direct_align_log2(direct: &DirectProbe) -> Option<u8> {
    let refused = |outcome: &DirectOutcome| matches!(outcome, DirectOutcome::Refused { .. });
    if refused(&direct.read) || refused(&direct.write) {
        return None;
    }
    let bytes = match direct.stated {
        DirectSupport::Aligned { offset_align_bytes, .. } => offset_align_bytes,
        _ => direct.shortest_read_bytes.unwrap_or(DIRECT_ALIGN_BYTES),
    };
    Some(bytes.max(1).next_power_of_two().trailing_zeros() as u8)
}

/// The subject of the measurement, for the summary.
fn subject(plan: &ReplayPlan, tape: &Tape, images: &Images) -> MeasuredSubject {
    let set = &plan.replay;
    let pairs = [
        ("trace", set.trace.display().to_string()),
        ("pace", set.pace.to_string()),
        ("order", set.order.name().to_owned()),
        ("scale", set.scale.to_string()),
        ("idle_cap", set.idle_cap.map(|cap| cap.to_string()).unwrap_or_default()),
        ("copies", set.copies.to_string()),
        ("stagger", if set.copies > 1 { set.stagger().to_string() } else { String::new() }),
        ("batch", set.batch.to_string()),
        ("layout", set.layout.name().to_owned()),
        ("driver", format!("{:?}", plan.driver).to_lowercase()),
    ];
    let set_pairs = pairs.into_iter().filter(|(_, value)| !value.is_empty());
    let files = images.test_files().len() as u64;
    let data_bytes = tape
        .before
        .file_bytes()
        .saturating_mul(u64::from(plan.replay.copies))
        .saturating_mul(u64::from(plan.replay.batch));
    MeasuredSubject {
        verb: VERB.to_owned(),
        label: tape.name.clone(),
        seed: plan.seed,
        plan: set_pairs.map(|(name, value)| (name.to_owned(), value)).collect(),
        asked_direct: tape.asks_for_direct(),
        data_set: DataSet {
            files,
            file_size_bytes: data_bytes.checked_div(files).unwrap_or(0),
            reused: false,
        },
        data_bytes,
        material: Material { written_bytes: data_bytes, ..Material::default() },
    }
}
