//! A run from the fleet's site: begun or resumed, carried out on a connection, and merged.
//!
//! In the site's `runs/` each run has a folder until all of it was fetched and merged.
//!
//! Not here: its sentences (report), flags (the binary).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use reelgauge_report::fleet_run::{WhyMissing, why_missing};

use super::clock::{self, now_ns};
use super::command_service::{CommandSeal, wish_ways};
use super::conduct::{AgentTask, Conduct, Member, OnLoss, WhyStopped};
use super::fetch::FetchRefusal;
use super::fleet_plan::{FleetPlanError, Placed, search_of};
use super::fleet_run::FleetRun;
use super::run_driver::carry_out;
use super::run_folder::RunFolder;
use super::wire::ways;
use crate::agent::run_store::{AgentDisk, is_run_name, keep};
use crate::connection::{ConnectionError, Login};
use crate::envelope::Sealer;
use crate::fleet_site::directory::{FleetSite, FleetSiteError};
use crate::merged_run::observer_counters::ObserverShare;
use crate::merged_run::{
    AgentShare, ClockOffset, PauseTimes, PointTimes, StartTimes, StepTimes, WholeRequest,
};
use crate::protocol::{self, ClockStep, Phase, PointStart};

const RUNS: &str = "runs";
const PLACED_FILE: &str = "placed.json";

/// Why a run of a fleet could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JourneyError {
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// The site's keys can't be read.
    #[error(transparent)]
    Site(#[from] FleetSiteError),
    /// The plan cannot be carried out.
    #[error(transparent)]
    Plan(#[from] FleetPlanError),
    /// The server does not permit the controller to receive messages.
    #[error("the controller cannot receive messages from the fleet's server: {0}")]
    Subscribe(#[from] async_nats::SubscribeError),
    #[error("there is no run {name:?} of this fleet ({why}). Runs not yet fetched are in {}", dir.display())]
    NoRun {
        /// The name that was requested.
        name: String,
        /// The folder of all runs.
        dir: PathBuf,
        /// The error of the system.
        why: String,
    },
    /// Its folder can't be written, or the system refuses.
    #[error("cannot carry out the run: {0}. Measurements stay on the agents until they are fetched")]
    Io(#[from] io::Error),
}

/// A run of a fleet.
#[derive(Debug)]
pub struct Journey {
    pub name: String,
    /// The tasks of its agents.
    pub placed: Vec<Placed>,
    folder: RunFolder,
    dir: PathBuf,
    conduct: Conduct,
    refused: Vec<(String, FetchRefusal)>,
}

impl Journey {
    /// A run that begins now.
    ///
    /// # Errors
    /// If the site cannot be written, or the plan cannot be carried out.
    pub fn begin(site: &FleetSite, on_loss: OnLoss, placed: Vec<Placed>) -> Result<Journey, JourneyError> {
        let when = Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
        let name = format!("{when}-{:06x}", reelgauge_runner::fresh_seed() & 0xff_ffff);
        let dir = site.dir().join(RUNS).join(&name);
        fs::create_dir_all(&dir)?;
        let text = serde_json::to_vec(&placed).map_err(io::Error::from)?;
        keep(&dir.join(PLACED_FILE), &text)?;
        let parts = placed.iter().map(|placed| placed.part.clone()).collect();
        let search = search_of(&placed)?;
        let mut conduct = Conduct::new(&name, on_loss, parts, epoch()).searching(search);
        conduct.clock = clock::base().clone();
        let folder = RunFolder::new(&dir);
        folder.keep(&conduct)?;
        Ok(Journey { name, placed, folder, dir, conduct, refused: Vec::new() })
    }

    /// Ends the run where its first load point would begin: its files are made, and nothing is measured.
    ///
    /// # Errors
    /// If the site cannot be written.
    pub fn only_preparing(mut self) -> Result<Journey, JourneyError> {
        self.conduct = self.conduct.only_preparing();
        self.folder.keep(&self.conduct)?;
        Ok(self)
    }

    /// Adds observers, which generate no load.
    ///
    /// # Errors
    /// If the site cannot be written.
    pub fn observed_by(mut self, observers: Vec<AgentTask>) -> Result<Journey, JourneyError> {
        self.conduct = self.conduct.observed_by(observers);
        self.folder.keep(&self.conduct)?;
        Ok(self)
    }

    /// A run of a controller that no longer exists. With `goes_on` it continues from its stage;
    /// otherwise it is ended and fetched.
    ///
    /// # Errors
    /// If there is no such run.
    pub fn resume(site: &FleetSite, name: &str, goes_on: bool) -> Result<Journey, JourneyError> {
        let runs = site.dir().join(RUNS);
        // The path of a run's folder is accepted as its name, too.
        let name = name.strip_prefix(&*runs.to_string_lossy()).map_or(name, |rest| rest.trim_matches('/'));
        let no_run = |why: String| JourneyError::NoRun { name: name.to_owned(), dir: runs.clone(), why };
        if !is_run_name(name) {
            return Err(no_run("not a valid name of a run".to_owned()));
        }
        let dir = runs.join(name);
        let folder = RunFolder::new(&dir);
        let kept = folder.resumed(0).map_err(|error| no_run(error.to_string()))?;
        clock::go_on(&kept.clock);
        let mut conduct = folder.resumed(epoch()).map_err(|error| no_run(error.to_string()))?;
        let text = fs::read(dir.join(PLACED_FILE)).map_err(|error| no_run(error.to_string()))?;
        let placed = serde_json::from_slice(&text).map_err(|error| no_run(error.to_string()))?;
        if !goes_on {
            conduct.stop(WhyStopped::User);
        }
        Ok(Journey { name: name.to_owned(), placed, folder, dir, conduct, refused: Vec::new() })
    }

    /// Names of the runs that may not be fetched completely, the oldest first.
    pub fn names(site: &FleetSite) -> Vec<String> {
        let entries = fs::read_dir(site.dir().join(RUNS)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    /// The size of a run's files here, in bytes; `None` if it cannot be read.
    pub fn bytes(site: &FleetSite, name: &str) -> Option<u64> {
        AgentDisk::open(&site.dir().join(RUNS)).ok()?.run_bytes(name)
    }

    /// Removes a run's files here.
    ///
    /// # Errors
    /// If that is impossible.
    pub fn remove(site: &FleetSite, name: &str) -> io::Result<()> {
        AgentDisk::open(&site.dir().join(RUNS))?.forget(name)
    }

    /// Carries it out from its current stage to its end. `show` receives its state once a second; once
    /// `wants_end` is set, all agents stop.
    ///
    /// # Errors
    /// If there is no connection, or no space. Then the run can be resumed.
    pub fn carry_out(
        &mut self,
        site: &FleetSite,
        wants_end: &AtomicBool,
        show: impl FnMut(&FleetRun),
    ) -> Result<(), JourneyError> {
        let login = Login::of_controller(site)?;
        let sealer = Sealer::new(site.controller_keys()?.seal, site.register().fleet.clone());
        let wish_seal = CommandSeal::of(site)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let conduct = self.conduct.clone();
        let ended: Result<FleetRun, JourneyError> = runtime.block_on(async {
            let connection = login.connect().await?;
            let ways = ways(connection.client.clone(), sealer).await?;
            let wishes = wish_ways(connection.client.clone(), wish_seal).await?;
            // Events of the connection are discarded: the run notices an error because messages stop.
            let mut happenings = connection.happenings;
            tokio::spawn(async move { while happenings.recv().await.is_some() {} });
            Ok(carry_out(FleetRun::new(conduct), &self.folder, ways, wishes, wants_end, show).await?)
        });
        runtime.shutdown_background();
        let ended = ended?;
        self.refused = ended.refused().map(|(agent, why)| (agent.to_owned(), why.clone())).collect();
        self.conduct = ended.conduct;
        Ok(())
    }

    pub fn conduct(&self) -> &Conduct {
        &self.conduct
    }

    /// Agents whose files were refused when they were to be fetched, and why.
    pub fn refused(&self) -> &[(String, FetchRefusal)] {
        &self.refused
    }

    /// Whether an agent may have measurements that are not here.
    pub fn is_short(&self) -> bool {
        let is_short = |member: &Member| {
            let phase = member.state.as_ref().map(|state| &state.phase);
            !member.is_fetched && phase.is_some_and(|phase| !matches!(phase, Phase::Refused { .. }))
        };
        self.conduct.measuring().any(is_short)
    }

    /// Whether no agent took part and nothing was begun anywhere: the request was impossible.
    pub fn is_refused(&self) -> bool {
        let is_refused = |member: &Member| {
            let why = member.missing.as_ref().map(|missing| &missing.why);
            matches!(why, Some(WhyMissing::Refused { .. } | WhyMissing::OtherProtocol { .. }))
        };
        self.conduct.starts_ns.is_empty() && self.conduct.measuring().all(is_refused)
    }

    /// The request to merge the run into one run directory.
    pub fn whole(&self, out: PathBuf) -> WholeRequest {
        let point = |(index, &start_unix_ns): (u16, &i64)| PointTimes { index, start_unix_ns };
        let pause = |(from_unix_ns, until_unix_ns)| PauseTimes { from_unix_ns, until_unix_ns };
        let first = self.placed.first();
        WholeRequest {
            out,
            plan_toml: first.map(|placed| placed.part.plan_toml.clone()).unwrap_or_default(),
            agents: self.conduct.measuring().map(|member| self.share(member)).collect(),
            points: (0..).zip(&self.conduct.starts_ns).map(point).collect(),
            pauses: self.conduct.pauses.waited().map(pause).collect(),
            search: self.conduct.search.clone(),
            stopped_for: match &self.conduct.stopped {
                Some(WhyStopped::Missing { agent }) => Some(agent.clone()),
                _ => None,
            },
        }
    }

    pub fn observers(&self) -> Vec<ObserverShare> {
        let share = |member: &Member| {
            let share = self.share(member);
            let clock = share.clock_ahead();
            let AgentShare { name, run_dir, why_missing, .. } = share;
            ObserverShare { name, run_dir, clock, why_missing }
        };
        self.conduct.members.iter().filter(|member| member.observes).map(share).collect()
    }

    /// Whether no agent has any files of it.
    pub fn is_settled(&self) -> bool {
        self.conduct.members.iter().all(Member::is_settled)
    }

    /// The agents that keep a copy although all files are here; `None` if a file is not here.
    pub fn copies_left(&self) -> Option<Vec<&str>> {
        let left = self.conduct.members.iter().filter(|member| !member.is_settled());
        left.map(|member| member.keeps_a_copy().then_some(member.part.agent.as_str())).collect()
    }

    /// Removes the folder, after everything was fetched and merged.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn forget(self) -> io::Result<()> {
        fs::remove_dir_all(self.dir)
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn share(&self, member: &Member) -> AgentShare {
        let agent = &member.part.agent;
        let placed = self.placed.iter().find(|placed| placed.part.agent == *agent);
        let dir = self.folder.of_agent(agent);
        let times = member.state.as_ref().map(|state| state.times.clone()).unwrap_or_default();
        let [clock_before, clock_after] = [times.clock_before, times.clock_after].map(|at| at.map(clock_of));
        let since_ns = |at_ns: i64, at: protocol::ClockOffset| at_ns.saturating_sub(at.offset_ns);
        let start = |start: &PointStart| {
            let agreed_ns = self.conduct.starts_ns.get(usize::from(start.point))?;
            let known = start.clock?;
            Some(StartTimes {
                index: start.point,
                skew_ns: since_ns(start.begun_ns, known).saturating_sub(*agreed_ns),
                uncertainty_ns: known.uncertainty_ns.unsigned_abs(),
            })
        };
        let last = times.clock_after.or(times.clock_before);
        let step = |step: &ClockStep| StepTimes {
            unix_ns: last.map(|last| since_ns(step.at_ns, last)),
            by_ns: step.by_ns,
        };
        AgentShare {
            name: agent.clone(),
            group: placed.and_then(|placed| placed.group.clone()),
            target: placed.map(|placed| placed.target.display().to_string()),
            run_dir: dir.is_dir().then_some(dir),
            zero_ns: times.zero_ns,
            clock_before: clock_before.filter(|_| times.zero_ns.is_some()),
            clock_after: clock_after.filter(|_| times.zero_ns.is_some()),
            wall_clock: member.wall_clock.map(clock_of),
            clock_steps: times.clock_steps.iter().map(step).collect(),
            missing_from_ns: member.missing.as_ref().map(|missing| missing.from_ns),
            why_missing: member.missing.as_ref().map(|missing| why_missing(&missing.why)),
            has_unfetched_files: member.missing.is_none() && member.has_done_all() && !member.is_fetched,
            starts: Some(times.starts.iter().filter_map(start).collect()),
        }
    }
}

fn clock_of(offset: protocol::ClockOffset) -> ClockOffset {
    ClockOffset { offset_ns: offset.offset_ns, uncertainty_ns: offset.uncertainty_ns.unsigned_abs() }
}

/// A different number for each process of a controller.
fn epoch() -> u64 {
    now_ns().unsigned_abs() ^ u64::from(std::process::id()).rotate_left(48)
}

/// The time of day in the local time zone: `14:03:22`.
pub fn time_of_day(unix_ns: i64) -> String {
    local(unix_ns).strftime("%H:%M:%S").to_string()
}

/// The time with its date: `2026-11-25 14:03`.
pub fn date_and_time(unix_ns: i64) -> String {
    local(unix_ns).strftime("%Y-%m-%d %H:%M").to_string()
}

fn local(unix_ns: i64) -> Zoned {
    Timestamp::from_nanosecond(i128::from(unix_ns)).unwrap_or_default().to_zoned(TimeZone::system())
}
