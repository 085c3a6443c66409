//! An opened run directory of an agent, as a part of the whole.
//!
//! Not here: its operations (`count`).

use std::fs;
use std::path::{Path, PathBuf};

use reelgauge_analysis::{LoadPoint, Outcome, PointTiming, Summary};
use reelgauge_record::agents::AgentPlace;
use reelgauge_record::host::HostFacts;
use reelgauge_record::log::LogReader;
use reelgauge_record::regular_file::read_regular_text;
use reelgauge_record::run_dir::{RunDir, label};
use reelgauge_results::load_points::{self, LoadPointPlan};
use reelgauge_results::observers::began_ns;
use reelgauge_results::reopen::reopen;
use reelgauge_results::stream_table::{self, StreamTable};
use reelgauge_workload::streams::AnyPlan;

use super::WholeError;
use crate::search::FleetSearch;

/// A longer file is not the plan of one host.
const PLAN_MAX_BYTES: u64 = 64 << 10;
/// The reason if not even the beginning of a log was fetched.
const NO_LOG: &str =
    "it kept no log of its operations. Check the free space of the agent's folder for runs (--keep)";

/// The request to merge runs into one.
#[derive(Clone, Debug, Default)]
pub struct WholeRequest {
    /// Its directory: a new one, or one that an earlier call left.
    pub out: PathBuf,
    /// The plan of the whole, as TOML.
    pub plan_toml: String,
    /// The agents, in the order in which they are shown.
    pub agents: Vec<AgentShare>,
    /// The agreed start of each load point; empty if none was agreed.
    pub points: Vec<PointTimes>,
    /// When all agents waited because the user had paused the run, by the controller's clock.
    pub pauses: Vec<PauseTimes>,
    /// The search whose trials are its load points, if it is one.
    pub search: Option<FleetSearch>,
    /// The agent whose loss stopped all others, if one did.
    pub stopped_for: Option<String>,
}

/// One pause of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseTimes {
    /// In nanoseconds since 1970.
    pub from_unix_ns: i64,
    /// In nanoseconds since 1970.
    pub until_unix_ns: i64,
}

/// The facts about one agent's part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentShare {
    /// Its name, which may be any text.
    pub name: String,
    /// The group that it belongs to.
    pub group: Option<String>,
    /// Its target, by a name that agents with the same target share. `None`: its path.
    pub target: Option<String>,
    /// Its run directory as far as it was fetched; `None` if nothing was.
    pub run_dir: Option<PathBuf>,
    /// Time 0 of its log on the monotonic clock that `clock_before` and `clock_after` refer to. If
    /// `None`, both refer to its wall clock, and the log contains the start time.
    pub zero_ns: Option<i64>,
    /// The offset of its clock from the controller's before the run.
    pub clock_before: Option<ClockOffset>,
    /// The offset of its clock from the controller's after the run.
    pub clock_after: Option<ClockOffset>,
    /// The offset of its wall clock, for display, if the offsets above are of another clock.
    pub wall_clock: Option<ClockOffset>,
    /// Steps of its wall clock during the run.
    pub clock_steps: Vec<StepTimes>,
    /// When it was first missing, in nanoseconds since 1970 by the controller's clock.
    pub missing_from_ns: Option<i64>,
    pub why_missing: Option<String>,
    /// Whether it finished its work, but not all of its measurements were fetched.
    pub has_unfetched_files: bool,
    /// How much later than agreed it began load points. `None` if that was not measured: then it is
    /// computed.
    pub starts: Option<Vec<StartTimes>>,
}

/// An agent's start of a load point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StartTimes {
    pub index: u16,
    /// How much later than agreed, by the controller's clock.
    pub skew_ns: i64,
    /// The error bound of the skew.
    pub uncertainty_ns: u64,
}

/// A step of a wall clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepTimes {
    /// The time, in nanoseconds since 1970 by the controller's clock; `None` if the two were never
    /// compared.
    pub unix_ns: Option<i64>,
    /// The size of the step.
    pub by_ns: i64,
}

impl AgentShare {
    /// How far the wall clock at time 0 of its log was ahead of the controller's; `None` if that is
    /// unknown, or there is no log. It aligns observers' samples from the same wall clocks.
    pub(crate) fn clock_ahead(&self) -> Option<ClockOffset> {
        let clock = self.clock_after.or(self.clock_before)?;
        let Some(zero_ns) = self.zero_ns else { return Some(clock) };
        let began_unix_ns = began_ns(&RunDir::open(self.run_dir.as_deref()?).ok()?)?;
        let offset_ns = began_unix_ns.saturating_sub(zero_ns.saturating_sub(clock.offset_ns));
        Some(ClockOffset { offset_ns, ..clock })
    }
}

/// The offset of a clock from the controller's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockOffset {
    /// How far it is ahead.
    pub offset_ns: i64,
    /// The error bound of the offset.
    pub uncertainty_ns: u64,
}

/// The agreed start of a load point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PointTimes {
    pub index: u16,
    /// In nanoseconds since 1970, by the controller's clock.
    pub start_unix_ns: i64,
}

/// An agent's part of the run.
#[derive(Debug)]
pub(super) struct AgentPart {
    pub(super) name: String,
    /// `agent=NAME`.
    pub(super) folder: String,
    pub(super) group: Option<String>,
    pub(super) target: Option<String>,
    pub(super) zero_ns: Option<i64>,
    pub(super) clocks: [Option<ClockOffset>; 2],
    pub(super) wall_clock: Option<ClockOffset>,
    pub(super) clock_steps: Vec<StepTimes>,
    pub(super) missing_from_ns: Option<i64>,
    pub(super) why_missing: Option<String>,
    pub(super) starts: Option<Vec<StartTimes>>,
    pub(super) is_left: bool,
    /// `None` if nothing of it can be read.
    pub(super) run: Option<PartRun>,
}

/// An opened run directory of an agent.
#[derive(Debug)]
pub(super) struct PartRun {
    pub(super) dir: RunDir,
    pub(super) summary: Summary,
    pub(super) planned: Vec<LoadPointPlan>,
    pub(super) streams: StreamTable,
    pub(super) hosts: Vec<HostFacts>,
    /// The directory of its log, and its time 0 by its own clock.
    pub(super) ops: PathBuf,
    pub(super) run_ns: i64,
    /// The highest used numbers plus one: of workers, streams and files.
    pub(super) workers: u32,
    pub(super) stream_numbers: u32,
    pub(super) files: u32,
    /// Whether it uses the test files of another agent, which accounts for them.
    pub(super) is_guest: bool,
    /// Whether its log holds every operation.
    pub(super) log_complete: bool,
    /// Whether it wrote its summary.
    pub(super) has_summary: bool,
}

/// When an agent was measured in a load point, on its own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HostTimes {
    pub(super) started_ns: u64,
    pub(super) from_ns: u64,
    pub(super) until_ns: u64,
}

impl HostTimes {
    /// The same times on the clock of the whole.
    pub(super) fn placed(self, place: &AgentPlace) -> HostTimes {
        HostTimes {
            started_ns: place.time_ns(self.started_ns),
            from_ns: place.time_ns(self.from_ns),
            until_ns: place.time_ns(self.until_ns),
        }
    }

    /// The times in the form that figures use.
    pub(super) fn timing(self) -> PointTiming {
        PointTiming { started_ns: self.started_ns, measured_ns: self.until_ns.saturating_sub(self.from_ns) }
    }
}

/// A separate folder for each agent.
pub(super) fn folders(agents: &[AgentShare]) -> Result<Vec<String>, WholeError> {
    if agents.is_empty() {
        return Err(WholeError::Nobody);
    }
    let mut folders: Vec<String> = Vec::with_capacity(agents.len());
    for agent in agents {
        let name = label(&agent.name);
        let folder = format!("agent={}", if name.is_empty() { "unnamed" } else { &name });
        // A case-insensitive file system treats these as one.
        if folders.iter().any(|known| known.eq_ignore_ascii_case(&folder)) {
            return Err(WholeError::OneName { name: agent.name.clone(), folder });
        }
        folders.push(folder);
    }
    Ok(folders)
}

impl AgentPart {
    /// Opens the data of an agent's run. Missing or damaged data is no error.
    pub(super) fn open(share: AgentShare, folder: String) -> Result<AgentPart, WholeError> {
        let AgentShare { name, group, target, run_dir, .. } = share;
        let mut part = AgentPart {
            name,
            folder,
            group,
            target,
            zero_ns: share.zero_ns,
            clocks: [share.clock_before, share.clock_after],
            wall_clock: share.wall_clock,
            clock_steps: share.clock_steps,
            missing_from_ns: share.missing_from_ns,
            why_missing: share.why_missing,
            starts: share.starts,
            is_left: share.has_unfetched_files,
            run: None,
        };
        let opened = match run_dir {
            Some(dir) => PartRun::open(&dir),
            None => Err("no results of its run were fetched".to_owned()),
        };
        match opened {
            Ok(run) => {
                if let Some(what) = unfit(&run.summary) {
                    return Err(WholeError::Kind { agent: part.name, what });
                }
                let path = run.summary.target.path.clone();
                part.target = part.target.or_else(|| (!path.is_empty()).then_some(path));
                part.run = Some(run);
            }
            Err(why) => part.why_missing = part.why_missing.or(Some(why)),
        }
        Ok(part)
    }

    /// Whether its run is complete, and ended as planned.
    pub(super) fn is_whole(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.log_complete && run.summary.outcome == Outcome::Complete)
    }

    /// The network interface on the path to its target; `None` if there is none, or it is unknown.
    pub(super) fn interface(&self) -> Option<String> {
        let name = &self.run.as_ref()?.summary.link.as_ref()?.interface;
        (!name.is_empty()).then(|| name.clone())
    }

    /// Its figures in a load point.
    pub(super) fn point(&self, index: u16) -> Option<&LoadPoint> {
        self.run.as_ref()?.summary.load_points.iter().find(|point| point.index == index)
    }

    /// Whether it took part to the end of a load point that it began.
    pub(super) fn ended(&self, index: u16) -> bool {
        let Some(run) = &self.run else { return false };
        let last = run.summary.load_points.last().map(|point| point.index);
        run.summary.outcome == Outcome::Complete || last != Some(index)
    }

    /// When it was measured there.
    pub(super) fn measured(&self, index: u16) -> Option<HostTimes> {
        let point = self.point(index)?;
        let run = self.run.as_ref()?;
        let listed = run.streams.points.iter().find(|streams| streams.point == index);
        if let Some(streams) = listed.filter(|streams| streams.from_ns >= streams.started_ns) {
            let measured_ns = measured_ns(point);
            return Some(HostTimes {
                started_ns: streams.started_ns,
                from_ns: streams.from_ns,
                until_ns: streams.from_ns.saturating_add(measured_ns),
            });
        }
        let started_ns = (point.started_s.max(0.0) * 1e9).round() as u64;
        let planned = run.planned.iter().find(|planned| planned.index == index);
        let warmup_ns = planned.map_or(0, |plan| plan.warmup_until_ns.saturating_sub(plan.started_ns));
        let from_ns = started_ns.saturating_add(warmup_ns);
        Some(HostTimes { started_ns, from_ns, until_ns: from_ns.saturating_add(measured_ns(point)) })
    }
}

fn measured_ns(point: &LoadPoint) -> u64 {
    point.measured_ns.unwrap_or((point.measured_s.max(0.0) * 1e9) as u64)
}

/// The kind of a run that cannot be merged with others.
fn unfit(summary: &Summary) -> Option<&'static str> {
    if summary.hosts.is_some() {
        Some("merged run of several hosts")
    } else if summary.check.is_some() {
        Some("quick check")
    } else if summary.search.is_some() {
        Some("search for the largest count")
    } else if summary.watch.is_some() {
        Some("watch")
    } else if summary.msmeter.is_some() {
        Some("session of the original Media Storage Meter (msMeter)")
    } else {
        None
    }
}

/// Whether another agent made its test files, according to its plan.
fn shares_files_of_other_agent(dir: &RunDir) -> bool {
    let plan = read_regular_text(&dir.plan_path(), PLAN_MAX_BYTES).ok();
    match plan.and_then(|plan| AnyPlan::from_toml(&plan).ok()) {
        Some(AnyPlan::Mix(plan)) => plan.shared_data.is_some_and(|shared| !shared.is_owner),
        _ => false,
    }
}

impl PartRun {
    /// Opens a run directory, or returns the reason as text.
    fn open(path: &Path) -> Result<PartRun, String> {
        let dir = RunDir::open(path).map_err(|error| error.to_string())?;
        let mut summary = reopen(path).map_err(|error| error.to_string())?;
        let ops = own_folder(&dir.ops_path()).ok_or(NO_LOG)?;
        let log = LogReader::open(&ops).map_err(|error| error.to_string())?;
        let agent = log.agents().first().ok_or("its log contains nothing readable")?;
        let planned = load_points::read(&dir);
        let streams = stream_table::read(&dir);
        let log_complete = summary.log.complete && agent.rows >= summary.log.rows;
        // Cleared, because a later reader opens the merged directory, not this copy.
        summary.run_dir = None;
        let workers = numbers(summary.load_points.iter().flat_map(|point| {
            let listed = point.per_worker.iter().map(|worker| worker.worker);
            listed.chain(point.workers.checked_sub(1))
        }));
        let listed = streams.points.iter().flat_map(|point| &point.streams);
        let stream_numbers = numbers(listed.map(|stream| stream.stream));
        Ok(PartRun {
            workers,
            // Without frames a stream has the number of its worker.
            stream_numbers: stream_numbers.max(workers),
            files: numbers(agent.files.keys().copied()),
            is_guest: shares_files_of_other_agent(&dir),
            has_summary: dir.summary_path().exists(),
            hosts: dir.read_hosts().unwrap_or_default(),
            run_ns: agent.meta.run_ns,
            dir,
            summary,
            planned,
            streams,
            ops,
            log_complete,
        })
    }
}

/// The highest used number plus one.
fn numbers(used: impl Iterator<Item = u32>) -> u32 {
    used.max().map_or(0, |last| last.saturating_add(1))
}

/// The only folder `agent=NAME` below; `None` if there is none, or several.
pub(super) fn own_folder(below: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(below).ok()?;
    let mut found = entries.flatten().filter(|entry| {
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_dir && entry.file_name().to_string_lossy().starts_with("agent=")
    });
    let first = found.next()?.path();
    found.next().is_none().then_some(first)
}
