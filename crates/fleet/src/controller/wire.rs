//! The controller's end of the connection: orders go out in envelopes, answers come in.
//!
//! The controller sends itself messages to find out whether it can receive: a dead connection gives no
//! sign for seconds, and the silence of agents must not count then.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_nats::{Client, Message, SubscribeError, Subscriber};
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::conduct::Told;
use super::run_driver::Channels;
use crate::agent::presence::RefusedOrder;
use crate::agent::wire;
use crate::envelope::Sealer;
use crate::fleet_site::agent_name::{AgentName, AgentSession};
use crate::fleet_site::subject;
use crate::protocol::Answer;

/// All reports of agents on runs.
const FROM_ALL: &str = "fleet.event.*.run";
/// The reports of agents on orders that they did not open.
const REFUSED_BY_ALL: &str = "fleet.event.*.refused";
/// The subject of the messages to itself. No agent can have this name.
const ECHO: &str = "fleet.event.-.run";
/// The interval of these messages.
const ECHO_EVERY: Duration = Duration::from_millis(250);
/// A controller that has not received its own messages for this long receives nothing.
const DEAF_AFTER: Duration = Duration::from_millis(1500);
/// How long to try to send a message; after that it is sent again later.
const SEND_WITHIN: Duration = Duration::from_millis(500);

/// Opens the channels to all agents. They end with the connection, or when the other ends are dropped.
///
/// # Errors
/// If the server refuses the subscription.
pub async fn ways(client: Client, sealer: Sealer) -> Result<Channels, SubscribeError> {
    let heard = client.subscribe(FROM_ALL).await?;
    let refused = client.subscribe(REFUSED_BY_ALL).await?;
    let (orders, to_send) = unbounded_channel();
    let (answers, came) = unbounded_channel();
    let listens = Arc::new(AtomicBool::new(false));
    let end = ControllerEnd {
        client,
        sealer,
        lives: BTreeMap::new(),
        answers,
        listens: Arc::clone(&listens),
        echoed: None,
    };
    tokio::spawn(end.until_over((heard, refused), to_send));
    Ok(Channels { orders, answers: came, listens })
}

struct ControllerEnd {
    client: Client,
    sealer: Sealer,
    /// For each agent: the session of its process, and the number of the last order for it.
    lives: BTreeMap<String, (AgentSession, u64)>,
    answers: UnboundedSender<(String, Answer)>,
    listens: Arc<AtomicBool>,
    echoed: Option<Instant>,
}

impl ControllerEnd {
    async fn until_over(
        mut self,
        (mut heard, mut refused): (Subscriber, Subscriber),
        mut to_send: UnboundedReceiver<Told>,
    ) {
        let mut echo = tokio::time::interval(ECHO_EVERY);
        loop {
            tokio::select! {
                message = heard.next() => match message {
                    Some(message) => if !self.hear(&message) { break },
                    None => break,
                },
                Some(message) = refused.next() => if !self.hear_refused(&message) { break },
                told = to_send.recv() => match told {
                    Some((agent, order)) => {
                        let body = serde_json::to_vec(&order).unwrap_or_default();
                        self.send(&agent, &body).await;
                    }
                    None => break,
                },
                _ = echo.tick() => {
                    let deaf = self.echoed.is_none_or(|at| at.elapsed() >= DEAF_AFTER);
                    self.listens.store(!deaf, Ordering::Relaxed);
                    let echo = self.client.publish(ECHO, "".into());
                    let _ = tokio::time::timeout(SEND_WITHIN, echo).await;
                }
            }
        }
    }

    /// Takes a message; returns whether the receiver still listens.
    fn hear(&mut self, message: &Message) -> bool {
        let name = message.subject.split('.').nth(2).unwrap_or_default();
        if message.subject.as_str() == ECHO {
            self.echoed = Some(Instant::now());
            return true;
        }
        // A message that is no answer of this version has no meaning here.
        let Some(came) = wire::answer(&message.payload) else { return true };
        let number = match self.lives.get(name) {
            Some((life, number)) if *life == came.life => (*number).max(came.opened),
            _ => came.opened,
        };
        self.lives.insert(name.to_owned(), (came.life, number));
        self.answers.send((name.to_owned(), came.answer)).is_ok()
    }

    /// Takes the report of an order that was not opened; returns whether the receiver still listens.
    fn hear_refused(&self, message: &Message) -> bool {
        let name = message.subject.split('.').nth(2).unwrap_or_default();
        let refused = serde_json::from_slice::<RefusedOrder>(&message.payload);
        // An order that arrived too late has no consequence: it is sent again.
        match refused.ok().filter(|refused| refused.is_foreign) {
            Some(refused) => {
                let why = format!("it rejects commands from this controller: {}", refused.refused);
                self.answers.send((name.to_owned(), Answer::Closed { why })).is_ok()
            }
            None => true,
        }
    }

    async fn send(&mut self, agent: &str, body: &[u8]) {
        // An agent that never sent a message has no session that an order could be sealed for.
        let Some((life, number)) = self.lives.get_mut(agent) else { return };
        let Ok(name) = agent.parse::<AgentName>() else { return };
        *number += 1;
        // A plan that is too long for a message is refused before the run begins.
        let Ok(sealed) = self.sealer.seal(&name, life, *number, body) else { return };
        let sent = self.client.publish(subject::order(&name), sealed.into());
        let _ = tokio::time::timeout(SEND_WITHIN, sent).await;
    }
}
