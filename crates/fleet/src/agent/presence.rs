//! How an agent makes itself known: its description of itself and its host, and its answers to
//! questions.
//!
//! It answers under its own name, and as a service (`$SRV`), so that the tools of NATS find it, too.
//! Only the controller may ask by name. An order is opened only if the controller sealed it
//! ([`crate::envelope`]); any other message is reported, here and to the controller.
//!
//! Not here: carrying out an order.

pub mod lifecycle;

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_nats::service::ServiceExt;
use async_nats::{Client, Message, Subject};
use futures_util::StreamExt;
use reelgauge_engine::space::space;
use reelgauge_machine::host;
use reelgauge_machine::link::{self, LinkKind};
use reelgauge_machine::mount::Mount;
use reelgauge_record::host::{HostFacts, MountFacts};
use reelgauge_runner::session::target::mount_facts;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::Sender;

use crate::doctor_words::{KNOWS_CLEAN, KNOWS_DOCTOR};
use crate::envelope::{Opener, OrderRefusal};
use crate::fleet_site::agent_name::{AgentName, AgentSession, FleetId};
use crate::fleet_site::subject::{self, Question, SERVICE};
use crate::owner_limits::OwnerLimits;
use crate::protocol::PROTOCOL;

/// The time limit for finding a root's mount: if its server no longer exists, this never returns.
const MOUNT_TIMEOUT: Duration = Duration::from_secs(2);

/// The time limit for finding the path to its server.
const PATH_TIMEOUT: Duration = Duration::from_secs(1);

/// An agent's description of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    pub agent: AgentName,
    pub fleet: FleetId,
    /// The session of the agent's process (a new value after each start).
    pub session: AgentSession,
    /// The version of its program.
    pub version: String,
    /// The version of its protocol.
    pub protocol: u32,
    /// The facts about its host.
    pub host: HostFacts,
    /// The directories that it may use.
    pub roots: Vec<RootFacts>,
    pub limits: OwnerLimits,
    /// The number of the last order that it decrypted.
    pub last_order: u64,
    /// Kinds of orders that it understands, in addition to those of runs and of the network. An older
    /// version sends none.
    #[serde(default)]
    pub knows: Vec<String>,
    /// Whether a run is in progress there. An older version does not send this.
    #[serde(default)]
    pub is_at_work: bool,
}

/// A directory below which an agent may work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootFacts {
    pub path: String,
    /// Its mount; `None` if that was not found in time.
    pub mount: Option<MountFacts>,
    /// The free space, in bytes; `None` if unknown.
    pub available_bytes: Option<u64>,
    /// The network path to its server; `None` if none can be found.
    #[serde(default)]
    pub way: Option<RootWay>,
}

/// The network path from a host to the server of a root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RootWay {
    /// The network interface.
    pub interface: String,
    /// The speed of its link, if it is credible.
    pub speed_mbit_per_s: Option<u32>,
    /// The largest packet.
    pub mtu_bytes: Option<u32>,
    pub server: IpAddr,
}

/// An answer to the question for the time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockAnswer {
    /// The process that answered.
    pub session: AgentSession,
    /// Nanoseconds since 1970.
    pub unix_ns: i64,
}

/// The directories that an agent is asked about; at most [`DIRECTORIES_MAX`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoriesAsked(pub Vec<PathBuf>);

/// Those of them that are below its roots and certainly missing. One that is not found in time is not
/// listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectoriesMissing(pub Vec<PathBuf>);

/// The largest number of directories in one question.
pub const DIRECTORIES_MAX: usize = 64;

/// An agent's answer to a message that is not an order of the controller for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedOrder {
    /// The session of the agent's process.
    pub session: AgentSession,
    /// The reason.
    pub refused: String,
    /// The number of the last order that it decrypted.
    pub last_order: u64,
    /// Whether it accepts no orders from that sender at all.
    #[serde(default)]
    pub is_foreign: bool,
}

/// An order of the controller, to be carried out.
#[derive(Clone, Debug)]
pub struct ReceivedOrder {
    pub number: u64,
    pub body: Vec<u8>,
    /// The subject for the answer.
    pub reply: Option<Subject>,
}

/// Why an agent cannot make itself known.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PresenceError {
    /// It cannot subscribe.
    #[error("this agent cannot receive messages: {0}")]
    Subscribe(#[from] async_nats::SubscribeError),
    /// It cannot register as a service.
    #[error("this agent cannot register as a service: {0}")]
    Service(async_nats::Error),
    /// The connection has ended for good.
    #[error("the connection to the fleet's server has ended")]
    Ended,
}

/// The identity of an agent, without the key that opens orders.
#[derive(Clone, Debug)]
pub struct Identity {
    pub agent: AgentName,
    pub fleet: FleetId,
    /// The session of its process.
    pub session: AgentSession,
    /// The version of its program: three numbers.
    pub version: String,
    /// The directories that it may use.
    pub roots: Vec<PathBuf>,
    pub limits: OwnerLimits,
    /// Set while a run is in progress there.
    pub at_work: Arc<AtomicBool>,
}

/// An agent that has made itself known.
#[derive(Debug)]
pub struct AgentEndpoint {
    client: Client,
    identity: Identity,
    opener: Mutex<Opener>,
}

impl AgentEndpoint {
    /// For this agent, on this connection.
    pub fn new(client: Client, identity: Identity, opener: Opener) -> AgentEndpoint {
        AgentEndpoint { client, identity, opener: Mutex::new(opener) }
    }

    /// Answers questions, and passes on the controller's orders, until the connection ends for good.
    /// `refused` receives every message that is not an order of the controller.
    ///
    /// # Errors
    /// If a subscription fails, or the connection ends.
    pub async fn attend(
        self: Arc<AgentEndpoint>,
        orders: Sender<ReceivedOrder>,
        mut refused: impl FnMut(&OrderRefusal),
    ) -> Result<(), PresenceError> {
        let agent = &self.identity.agent;
        let mut asked = self.client.subscribe(subject::asked(agent)).await?;
        let mut ordered = self.client.subscribe(subject::order(agent)).await?;
        let service = self.client.service_builder().description("measures storage for a Reelgauge fleet");
        let service = service.metadata(self.metadata()).start(SERVICE, &self.identity.version).await;
        let _service = service.map_err(PresenceError::Service)?;
        loop {
            tokio::select! {
                question = asked.next() => {
                    let question = question.ok_or(PresenceError::Ended)?;
                    // A root that hangs must not delay answers to the question for the time.
                    tokio::spawn(Arc::clone(&self).answer(question));
                }
                message = ordered.next() => {
                    let message = message.ok_or(PresenceError::Ended)?;
                    match self.open(&message) {
                        Ok(order) => orders.send(order).await.map_err(|_| PresenceError::Ended)?,
                        Err(why) => {
                            refused(&why);
                            self.refuse(message, &why).await;
                        }
                    }
                }
            }
        }
    }

    /// Its description of itself.
    pub async fn presence(&self) -> Presence {
        let paths = self.identity.roots.clone();
        let looks = paths.iter().map(|path| root_facts(path.clone()));
        let roots = futures_util::future::join_all(looks).await;
        let host = tokio::task::spawn_blocking(|| host::gather(None)).await;
        Presence {
            agent: self.identity.agent.clone(),
            fleet: self.identity.fleet.clone(),
            session: self.identity.session.clone(),
            version: self.identity.version.clone(),
            protocol: PROTOCOL,
            host: host.unwrap_or_else(|_| host::gather(None)),
            roots,
            limits: self.identity.limits,
            last_order: self.last_order(),
            knows: vec![KNOWS_DOCTOR.to_owned(), KNOWS_CLEAN.to_owned()],
            is_at_work: self.identity.at_work.load(Ordering::Relaxed),
        }
    }

    fn last_order(&self) -> u64 {
        self.opener.lock().unwrap_or_else(PoisonError::into_inner).last()
    }

    fn open(&self, message: &Message) -> Result<ReceivedOrder, OrderRefusal> {
        let mut opener = self.opener.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = opener.open(&message.payload)?;
        Ok(ReceivedOrder { number: opened.number, body: opened.body.to_vec(), reply: message.reply.clone() })
    }

    async fn answer(self: Arc<AgentEndpoint>, question: Message) {
        let Some(reply) = question.reply else { return };
        let answer = match Question::of_subject(&question.subject) {
            // Read as late as possible: then half of the return path is all that is unknown.
            Some(Question::Clock) => {
                let session = self.identity.session.clone();
                serde_json::to_vec(&ClockAnswer { session, unix_ns: unix_ns(SystemTime::now()) })
            }
            Some(Question::Presence) => serde_json::to_vec(&self.presence().await),
            Some(Question::Directories) => {
                let Ok(asked) = serde_json::from_slice(&question.payload) else { return };
                serde_json::to_vec(&missing_directories(asked, self.identity.roots.clone()).await)
            }
            None => return,
        };
        if let Ok(answer) = answer {
            // Ignored: if the answer is lost, the controller asks again.
            let _ = self.client.publish(reply, answer.into()).await;
        }
    }

    async fn refuse(&self, message: Message, why: &OrderRefusal) {
        let session = self.identity.session.clone();
        let refusal = RefusedOrder {
            session,
            refused: why.to_string(),
            last_order: self.last_order(),
            is_foreign: why.is_foreign(),
        };
        let Ok(said) = serde_json::to_vec(&refusal) else { return };
        if let Some(reply) = message.reply {
            let _ = self.client.publish(reply, said.clone().into()).await;
        }
        let event = subject::event(&self.identity.agent, "refused");
        let _ = self.client.publish(event, said.into()).await;
    }

    /// The details that the tools of NATS show.
    fn metadata(&self) -> HashMap<String, String> {
        let roots = self.identity.roots.iter().map(|root| root.display().to_string());
        HashMap::from([
            ("agent".to_owned(), self.identity.agent.to_string()),
            ("session".to_owned(), self.identity.session.as_str().to_owned()),
            ("os".to_owned(), std::env::consts::OS.to_owned()),
            ("roots".to_owned(), roots.collect::<Vec<_>>().join(" ")),
            ("protocol".to_owned(), PROTOCOL.to_string()),
        ])
    }
}

/// Nanoseconds since 1970; negative before that.
pub fn unix_ns(time: SystemTime) -> i64 {
    let ns = |span: Duration| i64::try_from(span.as_nanos()).unwrap_or(i64::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => ns(after),
        Err(before) => -ns(before.duration()),
    }
}

/// A root's description, as far as it is found in time. A call that never returns keeps its thread.
async fn root_facts(path: PathBuf) -> RootFacts {
    let (shown, again) = (path.display().to_string(), path.clone());
    let look = tokio::task::spawn_blocking(move || mount_and_space(&path));
    // The server's name may have to be resolved, which must not delay the rest.
    let way = tokio::task::spawn_blocking(move || Mount::at(&again).ok().as_ref().and_then(way));
    let (found, way) =
        tokio::join!(tokio::time::timeout(MOUNT_TIMEOUT, look), tokio::time::timeout(PATH_TIMEOUT, way));
    let (mount, available_bytes) = found.ok().and_then(Result::ok).unwrap_or((None, None));
    RootFacts { path: shown, mount, available_bytes, way: way.ok().and_then(Result::ok).flatten() }
}

/// The directories below these roots that are certainly missing. A call that never returns keeps its
/// thread.
async fn missing_directories(
    DirectoriesAsked(asked): DirectoriesAsked,
    roots: Vec<PathBuf>,
) -> DirectoriesMissing {
    let is_below = |path: &PathBuf| roots.iter().any(|root| path.starts_with(root));
    let looks = asked.into_iter().filter(is_below).take(DIRECTORIES_MAX).map(|path| async move {
        let look = {
            let path = path.clone();
            tokio::task::spawn_blocking(move || std::fs::metadata(path))
        };
        match tokio::time::timeout(MOUNT_TIMEOUT, look).await {
            Ok(Ok(Ok(found))) => (!found.is_dir()).then_some(path),
            Ok(Ok(Err(error))) => (error.kind() == std::io::ErrorKind::NotFound).then_some(path),
            Ok(Err(_)) | Err(_) => None,
        }
    });
    let looked = futures_util::future::join_all(looks).await;
    DirectoriesMissing(looked.into_iter().flatten().collect())
}

fn mount_and_space(path: &Path) -> (Option<MountFacts>, Option<u64>) {
    let mount = Mount::at(path).ok().map(|mount| mount_facts(&mount));
    let available = space(path).ok().flatten().map(|space| space.available_bytes);
    (mount, available)
}

fn way(mount: &Mount) -> Option<RootWay> {
    match link::of(mount).kind {
        LinkKind::Network { interface, speed_mbit_per_s, mtu_bytes, server_address, .. } => {
            Some(RootWay { interface, speed_mbit_per_s, mtu_bytes, server: server_address })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn times_before_and_after_1970_are_converted() {
        assert_eq!(unix_ns(UNIX_EPOCH + Duration::from_nanos(7)), 7);
        assert_eq!(unix_ns(UNIX_EPOCH - Duration::from_nanos(7)), -7);
    }

    #[test]
    fn missing_directories_are_named_only_below_the_roots() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("here")).unwrap();
        std::fs::write(root.path().join("file"), "").unwrap();
        let below = |name: &str| root.path().join(name);
        let asked = [below("here"), below("gone"), below("file"), "/nowhere/at/all".into()];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let roots = vec![root.path().to_path_buf()];
        let missing = runtime.block_on(missing_directories(DirectoriesAsked(asked.to_vec()), roots));
        assert_eq!(missing, DirectoriesMissing(vec![below("gone"), below("file")]));
    }

    #[test]
    fn a_missing_root_is_unknown_and_not_empty() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let there = runtime.block_on(root_facts(folder.path().to_owned()));
        assert!(there.available_bytes.is_some_and(|bytes| bytes > 0));
        let gone = runtime.block_on(root_facts(folder.path().join("gone")));
        assert_eq!((gone.mount, gone.available_bytes), (None, None));
    }
}
