//! A watch: counters of the local host without any load of Reelgauge, in an ordinary run directory, so
//! that a server's counters can be shown next to the run of a client.
//!
//! It opens nothing on a target: the storage of a path is found in the mount table. Not here: the
//! counters (machine), and their use (results).

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use reelgauge_analysis::{Note, NoteFact, Outcome, statement};
use reelgauge_engine::clock::Clock;
use reelgauge_machine::path_mount::Place;
use reelgauge_machine::sample::{Sampling, SamplingTarget, Target};
use reelgauge_machine::settings::settings;
use reelgauge_machine::{host, mountinfo};
use reelgauge_record::counters::StoreMeta;
use reelgauge_record::host::{HostFacts, MountFacts};
use reelgauge_record::notes::RunNotes;
use reelgauge_record::run_dir::{RunDir, RunName, label};
use reelgauge_report::note::no_page_note;
use reelgauge_results::page::REPORT_FILE;
use reelgauge_results::run_context::beside_into;
use reelgauge_results::run_notes;
use reelgauge_results::watch_summary::{WATCH, watch_summary};
use reelgauge_workload::watch::WatchPlan;

use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::{Observer, RunBegin};
use crate::session::finished_run::Finished;
use crate::session::live_log::logged;
use crate::session::make_out;
use crate::session::report_file::leave_report;

/// The error on other systems.
const LINUX_ONLY: &str = "counters can be sampled on Linux only. On other systems, use 'reelgauge \
     doctor --collect-script' to read the settings";

/// The phase of a watch while it samples.
pub const WATCHING: &str = "watching";

/// The interval of checks for interruptions.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The request for a watch.
#[derive(Clone, Debug)]
pub struct WatchRequest {
    /// Its length, path and name; an empty name is replaced by the host's.
    pub plan: WatchPlan,
    /// Folder for run directories.
    pub out: PathBuf,
}

/// Watches the local host until the time is over or the user ends it, which is the only end without a
/// time.
///
/// # Errors
/// If nothing can be sampled here, or the samples cannot be stored.
pub fn watch(
    request: WatchRequest,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    logged(observer, |observer| carry_out(request, observer, interrupt))
}

fn carry_out(
    request: WatchRequest,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    if !cfg!(target_os = "linux") {
        return Err(RunError::NotWatched(LINUX_ONLY.to_owned()));
    }
    let WatchRequest { mut plan, out } = request;
    let started = Timestamp::now();
    let place = plan.watch.path.as_deref().map(place).transpose()?;
    if let Some(place) = &place {
        if place.path.to_str().is_none() {
            return Err(RunError::NotText { path: place.path.clone() });
        }
        plan.watch.path = Some(place.path.clone());
    }
    let host = host(place.as_ref());
    if plan.watch.agent.is_empty() {
        plan.watch.agent = label(&host.name);
    }
    if plan.watch.agent.is_empty() {
        "unnamed".clone_into(&mut plan.watch.agent);
    }
    make_out(&out)?;
    let name = RunName { start: started.into(), target: &plan.watch.agent, what: WATCH };
    let run_dir = RunDir::create(&out, name)?;
    run_dir.write_plan(&plan.to_toml()?)?;
    run_dir.write_hosts(&[host])?;
    let notes = RunNotes::new(&plan.storage, &plan.tags);
    if notes != RunNotes::default() {
        run_notes::write(run_dir.path(), &notes)?;
    }
    let nowhere = PathBuf::from(&plan.watch.agent);
    observer.begun(&RunBegin {
        run_dir: run_dir.path(),
        verb: WATCH,
        label: &plan.watch.agent,
        target: plan.watch.path.as_ref().unwrap_or(&nowhere),
    });
    let clock = Clock::start();
    observer.clock_began(clock);
    observer.phase(WATCHING);
    let sampling = sample(&run_dir, &plan, place.as_ref(), clock);
    let was_cut_off = wait(plan.watch.duration.map(|span| span.duration()), interrupt);
    let sampled = sampling.finish();
    let mut summary = watch_summary(&run_dir, plan, &started.to_string());
    beside_into(&mut summary, run_dir.path(), &[]);
    if sampled.looks == 0 {
        summary.outcome = Outcome::BrokeOff;
        summary.outcome_reason = sampled.trouble.clone();
    } else if was_cut_off {
        summary.outcome = Outcome::Interrupted;
    }
    summary.notes.extend(sampled.trouble.map(|trouble| Note::new(NoteFact::NotSampled, trouble, "")));
    run_notes::put_into(&mut summary, run_dir.path());
    summary.statement = Some(statement::of(&summary));
    run_dir.write_summary(&summary).map_err(RunError::NotKept)?;
    observer.phase("reporting");
    if let Err(error) = leave_report(run_dir.path(), &summary, interrupt) {
        summary.notes.push(no_page_note(REPORT_FILE, &error.to_string()));
        // The figures are safe without the note.
        let _ = run_dir.write_summary(&summary);
    }
    observer.finished();
    Ok(Finished { summary, run_dir: run_dir.path().to_path_buf() })
}

/// The storage of a path, by the mount table.
fn place(path: &Path) -> Result<Place, RunError> {
    let mounts = mountinfo::here().map_err(RunError::io("read the mounts"))?;
    Place::here(&mounts, path).map_err(|error| RunError::NotWatched(error.to_string()))
}

/// The local host, with its settings.
fn host(place: Option<&Place>) -> HostFacts {
    let mount = place.map(|place| MountFacts {
        fs_type: place.fs_type.clone(),
        source: place.source.clone(),
        options: place.options.join(","),
    });
    let mount_point = place.map_or(Path::new("/"), |place| Path::new(&place.mount_point));
    HostFacts { settings: settings(mount_point), ..host::gather(mount) }
}

fn sample(run_dir: &RunDir, plan: &WatchPlan, place: Option<&Place>, clock: Clock) -> Sampling {
    let target = place.map_or_else(
        || Target { is_whole_machine: true, ..Target::default() },
        |place| Target {
            fs_type: place.fs_type.clone(),
            source: place.source.clone(),
            mount_point: PathBuf::from(&place.mount_point),
            server: place.server,
            ..Target::default()
        },
    );
    let agent = plan.watch.agent.clone();
    let watch = SamplingTarget {
        dir: run_dir.agent_counters_path(&agent),
        meta: StoreMeta { run_ns: clock.start_unix_ns().cast_signed(), agent },
        target,
    };
    Sampling::start(watch, move || clock.now_ns())
}

/// Waits until the time is over or the run is interrupted. Returns whether time was left.
fn wait(duration: Option<Duration>, interrupt: &Interrupt) -> bool {
    let began = Instant::now();
    loop {
        let left = duration.map(|duration| duration.saturating_sub(began.elapsed()));
        if left == Some(Duration::ZERO) {
            return false;
        }
        if interrupt.asked() {
            return left.is_some();
        }
        std::thread::sleep(left.map_or(LOOK_EVERY, |left| left.min(LOOK_EVERY)));
    }
}
