//! The agent's end of the connection: opened orders are passed on as those of a run, and answers go out.
//!
//! Not here: who may give orders ([`super::presence`]), what they mean ([`super::duty`]).

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_nats::Client;
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, channel, unbounded_channel};

use super::host_checks::{DoctorDuty, DoctorNews};
use super::network::{NetworkDuty, NetworkNews};
use super::presence;
use super::wire::{self, EVENT};
use super::work::{AgentWork, Workplace};
use crate::doctor_words::{self, DoctorAnswer};
use crate::fleet_site::agent_name::{AgentName, AgentSession};
use crate::fleet_site::subject;
use crate::protocol::Answer;
use crate::throughput::messages::{self as network_words, NetworkAnswer};

/// The number of orders that may wait.
const ORDERS: usize = 64;
/// How long to try to send a message; after that it is sent again later.
const SEND_WITHIN: Duration = Duration::from_millis(500);

/// The tasks of an agent.
pub struct Tasks {
    pub place: Workplace,
    /// Measurements of the network.
    pub network: NetworkDuty,
    pub network_news: UnboundedReceiver<NetworkNews>,
    /// Checks of its host.
    pub doctor: DoctorDuty,
    pub doctor_news: UnboundedReceiver<DoctorNews>,
}

/// Works for as long as orders can arrive, or until a message on `stop`: then a run in progress is
/// ended.
///
/// # Errors
/// If its disk cannot be used.
pub async fn work_on(
    client: Client,
    (name, life): (AgentName, AgentSession),
    tasks: Tasks,
    mut orders: Receiver<presence::ReceivedOrder>,
    stop: Receiver<()>,
) -> io::Result<()> {
    let (obey, to_obey) = channel(ORDERS);
    let (answers, to_send) = unbounded_channel();
    let Tasks { place, network, network_news, doctor, doctor_news } = tasks;
    let work = AgentWork::new(place, answers)?;
    let opened = Arc::new(AtomicU64::new(0));
    let end = |event: &str| AgentEnd {
        client: client.clone(),
        to: subject::event(&name, event),
        life: life.clone(),
        opened: Arc::clone(&opened),
    };
    let sending_news = tokio::spawn(end(network_words::EVENT).until_no_news(network_news));
    let sending_looks = tokio::spawn(end(doctor_words::EVENT).until_no_look(doctor_news));
    let sending = tokio::spawn(end(EVENT).until_over(to_send));
    let hears = Arc::clone(&opened);
    let hearing = tokio::spawn(async move {
        while let Some(order) = orders.recv().await {
            hears.store(order.number, Ordering::Relaxed);
            // An unknown order comes from a controller of another version, which sees that it has no
            // effect.
            if let Ok(order) = serde_json::from_slice(&order.body) {
                network.order(order);
            } else if let Ok(order) = serde_json::from_slice(&order.body) {
                doctor.order(order);
            } else if let Ok(order) = serde_json::from_slice(&order.body)
                && obey.send(order).await.is_err()
            {
                break;
            }
        }
    });
    work.until_over(to_obey, stop).await;
    hearing.abort();
    sending.abort();
    sending_news.abort();
    sending_looks.abort();
    Ok(())
}

struct AgentEnd {
    client: Client,
    to: String,
    life: AgentSession,
    opened: Arc<AtomicU64>,
}

impl AgentEnd {
    async fn until_over(self, mut to_send: UnboundedReceiver<Answer>) {
        while let Some(answer) = to_send.recv().await {
            let message = wire::message(&self.life, self.opened.load(Ordering::Relaxed), &answer);
            self.send(message).await;
        }
    }

    async fn until_no_news(self, mut news: UnboundedReceiver<NetworkNews>) {
        while let Some((id, receives, state)) = news.recv().await {
            let opened = self.opened.load(Ordering::Relaxed);
            let answer = NetworkAnswer { life: self.life.clone(), opened, id, receives, state };
            self.send(serde_json::to_vec(&answer).unwrap_or_default()).await;
        }
    }

    async fn until_no_look(self, mut news: UnboundedReceiver<DoctorNews>) {
        while let Some((id, state)) = news.recv().await {
            let opened = self.opened.load(Ordering::Relaxed);
            self.send(DoctorAnswer { life: self.life.clone(), opened, id, state }.message()).await;
        }
    }

    async fn send(&self, message: Vec<u8>) {
        let sent = self.client.publish(self.to.clone(), message.into());
        let _ = tokio::time::timeout(SEND_WITHIN, sent).await;
    }
}
