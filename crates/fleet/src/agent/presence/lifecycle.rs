//! An agent from its join file to its end. It connects to the server, makes itself known, and continues
//! however often the connection breaks, until it is interrupted or revoked.
//!
//! Not here: its description of itself (above), carrying out an order.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use reelgauge_engine::roots::{Roots, RootsError};
use reelgauge_runner::folder_lock::{FolderLock, FolderLockError, process_words};
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_workload::streams::AnyPlan;
use reelgauge_workload::watch::WatchPlan;
use tokio::sync::mpsc::{UnboundedReceiver, channel, unbounded_channel};

use super::{AgentEndpoint, Identity, PresenceError};
use crate::agent::host_checks::{DoctorDuty, DoctorTerms, Errand};
use crate::agent::leftovers::LeftoverTerms;
use crate::agent::network::{NetworkDuty, NetworkSaid, NetworkTerms};
use crate::agent::run_store::AgentDisk;
use crate::agent::tasks::{Tasks, work_on};
use crate::agent::work::Workplace;
use crate::connection::{ConnectionError, FleetConnection, Happening, Login};
use crate::envelope::{Opener, OrderRefusal};
use crate::fleet_site::agent_name::AgentSession;
use crate::fleet_site::join_file::JoinFile;
use crate::owner_limits::{OwnerLimits, admit, admit_watch};

/// An unreachable server is dialled again after this time.
const AGAIN: Duration = Duration::from_secs(2);
/// How long a server may need to read that an agent was added: until then, a rejection is not final.
const READS_WITHIN: Duration = Duration::from_secs(3);
/// How often to check whether it is interrupted.
const BEAT: Duration = Duration::from_millis(100);
/// The time limit for the last messages.
const GOODBYE: Duration = Duration::from_secs(2);
/// The number of orders that may wait.
const ORDERS: usize = 64;

/// The settings of an agent.
#[derive(Clone, Debug)]
pub struct AgentSettings {
    pub join: JoinFile,
    /// The directories that it may use.
    pub roots: Vec<PathBuf>,
    pub limits: OwnerLimits,
    /// The folder for runs until all their files were fetched.
    pub kept: PathBuf,
    /// Flags for each run, set by its owner.
    pub flags: Vec<String>,
    /// The version of this program: three numbers.
    pub version: String,
}

/// An event of an agent, for its log.
#[derive(Debug)]
pub enum LifeEvent<'a> {
    /// The server is not reachable yet.
    Waiting(&'a ConnectionError),
    /// It has joined the fleet.
    Joined(&'a Identity),
    /// Something happened to its connection.
    Happened(&'a Happening),
    /// A message arrived that is no order of the controller.
    Refused(&'a OrderRefusal),
    /// A measurement of the network has news.
    Network(&'a NetworkSaid),
    /// It begins a check of its host.
    Begins(Errand),
}

/// Why an agent ended without being interrupted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LifeError {
    /// An invalid root.
    #[error(transparent)]
    Roots(#[from] RootsError),
    /// The server does not admit it, or cannot be reached.
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    /// It cannot make itself known.
    #[error(transparent)]
    Presence(#[from] PresenceError),
    /// The system refused.
    #[error("cannot run this agent: {0}")]
    System(#[from] std::io::Error),
    /// Another agent uses the folder of runs.
    #[error(
        "another agent{} stores its runs in {}. Stop that agent, or choose another folder with --keep",
        process_words(by),
        folder.display()
    )]
    Kept {
        /// The process that locks the folder.
        by: Option<u32>,
        folder: PathBuf,
    },
    /// The folder cannot be locked.
    #[error("cannot lock {}: {source}. Choose a folder on a local disk with --keep", path.display())]
    Lock {
        /// The file that is locked.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// No session can be drawn.
    #[error("the system provides no random numbers ({0}), which agents need to identify themselves")]
    Random(#[from] getrandom::Error),
}

/// Lives until it is interrupted or put out of the fleet.
///
/// # Errors
/// If the agent cannot run.
pub fn live(
    settings: AgentSettings,
    interrupt: &Interrupt,
    mut say: impl FnMut(LifeEvent<'_>),
) -> Result<(), LifeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let ended = runtime.block_on(lived(settings, interrupt, &mut say));
    // A root that hangs keeps its thread, but must not delay anything else.
    runtime.shutdown_background();
    ended
}

async fn lived(
    settings: AgentSettings,
    interrupt: &Interrupt,
    say: &mut impl FnMut(LifeEvent<'_>),
) -> Result<(), LifeError> {
    let roots = Roots::new(&settings.roots)?;
    let (disk, _lock) = kept(&settings.kept)?;
    let login = Login::of_agent(&settings.join);
    let JoinFile { fleet, agent, seal, servers, .. } = settings.join;
    let session = AgentSession::draw()?;
    let FleetConnection { client, mut happenings } = tokio::select! {
        connection = joined(&login, say) => connection?,
        () = interrupted(interrupt) => return Ok(()),
    };
    let identity = Identity {
        agent: agent.clone(),
        fleet: fleet.clone(),
        session: session.clone(),
        version: settings.version,
        roots: roots.paths().to_vec(),
        limits: settings.limits,
        at_work: Arc::default(),
    };
    let at_work = Arc::clone(&identity.at_work);
    say(LifeEvent::Joined(&identity));
    let name = agent.clone();
    let opener = Opener::new(seal, fleet, agent, session.clone());
    let station = Arc::new(AgentEndpoint::new(client.clone(), identity, opener));
    let (sender, orders) = channel(ORDERS);
    let (refusal_sender, mut refusals) = unbounded_channel();
    let attending = station.attend(sender, move |why| drop(refusal_sender.send(why.clone())));
    let limits = settings.limits;
    let flags = [settings.flags, limits.flags()].concat();
    let parts = TaskParts { limits, disk, flags, servers, at_work };
    let (tasks, mut network_says, mut doctor_says) = tasks(parts, roots)?;
    let (end_work, work_ends) = channel(1);
    let working = work_on(client.clone(), (name, session), tasks, orders, work_ends);
    tokio::pin!(attending, working);
    // The event that it joined has reported this already.
    let mut before = Some(Happening::Connected);
    loop {
        tokio::select! {
            ended = &mut attending => return ended.map_err(LifeError::from),
            ended = &mut working => return Ok(ended?),
            Some(why) = refusals.recv() => say(LifeEvent::Refused(&why)),
            Some(said) = network_says.recv() => say(LifeEvent::Network(&said)),
            Some(errand) = doctor_says.recv() => say(LifeEvent::Begins(errand)),
            Some(happening) = happenings.recv() => {
                // Report only changes: a server may be unreachable for hours, with an attempt every few
                // seconds.
                if before.as_ref() != Some(&happening) {
                    say(LifeEvent::Happened(&happening));
                }
                if happening == Happening::NotAdmitted {
                    return Err(login.not_admitted().into());
                }
                before = Some(happening);
            }
            () = interrupted(interrupt) => {
                // A run in progress ends with its results so far.
                let _ = end_work.try_send(());
                let _ = working.await;
                let _ = tokio::time::timeout(GOODBYE, client.drain()).await;
                return Ok(());
            }
        }
    }
}

/// The parts of its tasks, without the roots.
struct TaskParts {
    limits: OwnerLimits,
    disk: AgentDisk,
    flags: Vec<String>,
    servers: Vec<String>,
    at_work: Arc<AtomicBool>,
}

/// The agent's tasks for the fleet. Events of network measurements and of every check go to `say`.
fn tasks(
    parts: TaskParts,
    roots: Roots,
) -> Result<(Tasks, UnboundedReceiver<NetworkSaid>, UnboundedReceiver<Errand>), LifeError> {
    let TaskParts { limits, disk, flags, servers, at_work } = parts;
    let program = std::env::current_exe()?;
    let (network_sender, network_says) = unbounded_channel();
    let (news, network_news) = unbounded_channel();
    let network =
        NetworkTerms { limits, at_work: Arc::clone(&at_work), roots: roots.paths().to_vec(), servers };
    let network = NetworkDuty::new(network, news, network_sender);
    let (looks, doctor_says) = unbounded_channel();
    let (doctor_sender, doctor_news) = unbounded_channel();
    let doctor = DoctorTerms {
        program: program.clone(),
        roots: roots.paths().to_vec(),
        at_work: Arc::clone(&at_work),
        left: LeftoverTerms { disk: disk.clone(), roots: roots.clone(), read_only: limits.read_only },
    };
    let doctor = DoctorDuty::new(doctor, doctor_sender, looks);
    let place = Workplace {
        disk,
        program,
        flags,
        lease: limits.lease(),
        allows: Box::new(move |plan| allowed(plan, &roots, &limits)),
        at_work,
    };
    Ok((Tasks { place, network, network_news, doctor, doctor_news }, network_says, doctor_says))
}

/// The folder of its runs, locked against other processes while it lives.
fn kept(folder: &Path) -> Result<(AgentDisk, FolderLock), LifeError> {
    let disk = AgentDisk::open(folder)?;
    match FolderLock::take(folder) {
        Ok(lock) => {
            disk.sweep();
            Ok((disk, lock))
        }
        Err(FolderLockError::Taken(by)) => Err(LifeError::Kept { by, folder: folder.to_owned() }),
        Err(FolderLockError::File { path, source }) => Err(LifeError::Lock { path, source }),
    }
}

/// Connects, however long the server is unreachable.
async fn joined(
    login: &Login,
    say: &mut impl FnMut(LifeEvent<'_>),
) -> Result<FleetConnection, ConnectionError> {
    let (mut is_told, began) = (false, Instant::now());
    loop {
        match login.connect().await {
            Err(ConnectionError::NotAdmitted { .. }) if began.elapsed() < READS_WITHIN => {
                tokio::time::sleep(READS_WITHIN / 6).await;
            }
            Err(error) if error.is_passing() => {
                if !is_told {
                    say(LifeEvent::Waiting(&error));
                }
                is_told = true;
                tokio::time::sleep(AGAIN).await;
            }
            connected => return connected,
        }
    }
}

async fn interrupted(interrupt: &Interrupt) {
    while !interrupt.asked() {
        tokio::time::sleep(BEAT).await;
    }
}

/// Checks a plan against the owner's limits; returns the plan to run.
fn allowed(plan_toml: &str, roots: &Roots, limits: &OwnerLimits) -> Result<String, String> {
    let failed = |error: &dyn std::fmt::Display| error.to_string();
    if let Ok(watch) = WatchPlan::from_toml(plan_toml) {
        let watch = admit_watch(watch, roots, limits).map_err(|error| failed(&error))?;
        return watch.to_toml().map_err(|error| failed(&error));
    }
    let plan = AnyPlan::from_toml(plan_toml).map_err(|error| failed(&error))?;
    let plan = admit(plan, roots, None, limits).map_err(|error| failed(&error))?;
    let text = match plan {
        AnyPlan::Mix(plan) => plan.to_toml(),
        AnyPlan::Streams(plan) => plan.to_toml(),
        AnyPlan::Replay(plan) => plan.to_toml(),
    };
    text.map_err(|error| failed(&error))
}
