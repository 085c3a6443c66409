//! Makes agents check their hosts, or list and remove what earlier runs left ([`super::clean`]), and
//! receives their results. Orders are repeated until they are answered; an agent that does not or cannot
//! answer is named with the reason.
//!
//! Not here: merging the results of several agents ([`reelgauge_doctor::multi_host`]), sentences (report).

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_nats::{Client, Message};
use futures_util::StreamExt;
use reelgauge_analysis::preflight::differences::{Difference, differences};
use reelgauge_doctor::multi_host::HostResult;
use reelgauge_report::fleet_doctor::WhyNoAnswer;
use tokio::time::Instant;

use super::preflight::PreflightError;
use super::preflight::siblings::traits_at;
use super::roster::{Expected, call};
use crate::agent::presence::Presence;
use crate::connection::Login;
use crate::doctor_words::{DoctorAnswer, DoctorOrder, DoctorState, KNOWS_DOCTOR};
use crate::envelope::Sealer;
use crate::fleet_site::agent_name::AgentName;
use crate::fleet_site::directory::FleetSite;
use crate::fleet_site::subject;

/// All reports of agents on checks.
const FROM_ALL: &str = "fleet.event.*.doctor";
/// How long an agent may take to report its presence.
const THERE_WITHIN: Duration = Duration::from_secs(3);
/// An order that is not answered is repeated after this time.
const AGAIN: Duration = Duration::from_secs(1);
/// How often to check for an interrupt.
const BEAT: Duration = Duration::from_millis(100);
/// How long to try to send a message; after that it is sent again later.
const SEND_WITHIN: Duration = Duration::from_millis(500);

/// The result of one agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DoctorHeard {
    pub agent: String,
    /// Its report, or the reason why there is none.
    pub said: Result<HostResult, WhyNoAnswer>,
}

/// The result of asking all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DoctorRound {
    /// One result for each agent, in order.
    pub heard: Vec<DoctorHeard>,
    /// The differences between the hosts of the agents that are present.
    pub differences: Vec<Difference>,
}

/// Makes these agents check their hosts, or all agents of the fleet if none is named, and waits for them
/// up to this time. Once `wants_end` is set, it no longer waits.
///
/// # Errors
/// If there is no connection, or the user interrupted it.
pub fn examine(
    site: &FleetSite,
    agents: &[AgentName],
    within: Duration,
    wants_end: &AtomicBool,
) -> Result<DoctorRound, PreflightError> {
    let login = Login::of_controller(site)?;
    let sealer = Sealer::new(site.controller_keys()?.seal, site.register().fleet.clone());
    let all = || site.register().agents.iter().map(|member| member.name.clone()).collect();
    let names: Vec<AgentName> = if agents.is_empty() { all() } else { agents.to_vec() };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let round = runtime.block_on(async {
        let connection = login.connect().await?;
        let seen = call(&connection.client, &site.register().fleet, &names, THERE_WITHIN).await?;
        let look = |id: String| DoctorOrder::DoctorLook { id };
        let mut asking = Asking::new(connection.client.clone(), sealer, &seen, (KNOWS_DOCTOR, look));
        asking.until_heard(within, wants_end).await?;
        let one = |expected: &Expected| match expected.present.as_slice() {
            [presence] => Some(traits_at(presence, None, presence.roots.first())),
            _ => None,
        };
        let traits: Vec<_> = seen.iter().filter_map(one).collect();
        let heard = asking.heard().into_iter().map(|(agent, said)| DoctorHeard {
            agent,
            said: said.and_then(|state| match state {
                DoctorState::Found(said) => Ok(said),
                _ => Err(WhyNoAnswer::NotInTime),
            }),
        });
        Ok(DoctorRound { heard: heard.collect(), differences: differences(&traits) })
    });
    runtime.shutdown_background();
    round
}

/// An agent that receives the order.
#[derive(Debug)]
struct Asked {
    agent: AgentName,
    /// Its process, and the number of the last order for it.
    life: Option<(Presence, u64)>,
    said: Result<DoctorState, WhyNoAnswer>,
    is_over: bool,
}

impl Asked {
    /// An agent of the roster: whether it can receive orders at all, and whether it `knows` this order.
    fn of(expected: &Expected, knows: &str) -> Asked {
        let mut asked = Asked {
            agent: expected.name.clone(),
            life: None,
            said: Err(WhyNoAnswer::NotInTime),
            is_over: true,
        };
        asked.said = Err(match expected.present.as_slice() {
            [] => WhyNoAnswer::NotHeard,
            [one] if one.knows.iter().any(|known| known == knows) => {
                asked.life = Some((one.clone(), one.last_order));
                asked.is_over = false;
                WhyNoAnswer::NotInTime
            }
            [one] => WhyNoAnswer::Older { version: one.version.clone() },
            _ => WhyNoAnswer::Twice,
        });
        asked
    }

    fn hear(&mut self, id: &str, answer: DoctorAnswer) {
        let Some((presence, number)) = self.life.as_mut().filter(|_| !self.is_over) else { return };
        if presence.session != answer.life {
            return;
        }
        *number = (*number).max(answer.opened);
        if answer.id != id {
            return;
        }
        self.is_over = answer.state.is_over();
        match answer.state {
            DoctorState::Looks => {}
            state @ (DoctorState::Found(_) | DoctorState::Left { .. }) => self.said = Ok(state),
            DoctorState::Failed { why } => self.said = Err(WhyNoAnswer::Failed { why }),
        }
    }
}

/// Agents that receive the same order.
pub(super) struct Asking {
    client: Client,
    sealer: Sealer,
    id: String,
    order: DoctorOrder,
    all: Vec<Asked>,
}

impl Asking {
    /// Sends `order` to those agents that list `knows` among their kinds of orders.
    pub(super) fn new(
        client: Client,
        sealer: Sealer,
        seen: &[Expected],
        (knows, order): (&str, impl FnOnce(String) -> DoctorOrder),
    ) -> Asking {
        let id = format!("{:016x}", reelgauge_runner::fresh_seed());
        let all = seen.iter().map(|expected| Asked::of(expected, knows)).collect();
        Asking { client, sealer, order: order(id.clone()), id, all }
    }

    pub(super) async fn until_heard(
        &mut self,
        within: Duration,
        wants_end: &AtomicBool,
    ) -> Result<(), PreflightError> {
        let mut heard = self.client.subscribe(FROM_ALL).await?;
        let until = Instant::now() + within;
        let mut said: Option<Instant> = None;
        while Instant::now() < until && !self.all.iter().all(|asked| asked.is_over) {
            if wants_end.load(Ordering::Relaxed) {
                return Err(PreflightError::Interrupted);
            }
            if said.is_none_or(|said| said.elapsed() >= AGAIN) {
                said = Some(Instant::now());
                self.tell().await;
            }
            if let Ok(Some(message)) = tokio::time::timeout(BEAT, heard.next()).await {
                self.hear(&message);
            }
        }
        Ok(())
    }

    fn hear(&mut self, message: &Message) {
        let name = message.subject.split('.').nth(2).unwrap_or_default();
        // A message that is no answer of this version has no meaning here.
        let Some(answer) = DoctorAnswer::read(&message.payload) else { return };
        if let Some(asked) = self.all.iter_mut().find(|asked| asked.agent.as_str() == name) {
            asked.hear(&self.id, answer);
        }
    }

    /// Orders every agent that has not answered to check its host, or to repeat its result.
    async fn tell(&mut self) {
        let body = serde_json::to_vec(&self.order).unwrap_or_default();
        self.send(&body).await;
    }

    /// Sends an order of another kind to every agent that has not answered.
    pub(super) async fn send(&mut self, body: &[u8]) {
        for asked in self.all.iter_mut().filter(|asked| !asked.is_over) {
            let Some((presence, number)) = &mut asked.life else { continue };
            *number += 1;
            let sealed = self.sealer.seal(&asked.agent, &presence.session, *number, body);
            let Ok(sealed) = sealed else { continue };
            let sent = self.client.publish(subject::order(&asked.agent), sealed.into());
            let _ = tokio::time::timeout(SEND_WITHIN, sent).await;
        }
    }

    /// The report of each agent, or the reason why there is none.
    pub(super) fn heard(self) -> Vec<(String, Result<DoctorState, WhyNoAnswer>)> {
        self.all.into_iter().map(|asked| (asked.agent.to_string(), asked.said)).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::doctor_words::KNOWS_CLEAN;
    use crate::fleet_site::agent_name::AgentSession;

    /// The presence of an agent from before these checks existed: without `knows`.
    fn presence(knows: &str) -> Presence {
        let session = AgentSession::draw().unwrap();
        let session = serde_json::to_string(&session).unwrap();
        let host = serde_json::to_string(&reelgauge_machine::host::gather(None)).unwrap();
        let fleet = "0".repeat(32);
        let text = format!(
            "{{\"agent\": \"a\", \"fleet\": \"{fleet}\", \"session\": {session}, \"version\": \"0.0.9\", \
             \"protocol\": 1, \"host\": {host}, \"roots\": [], \"limits\": {{\"space_bytes\": null, \
             \"duration_ns\": null}}, \"last_order\": 3{knows}}}"
        );
        serde_json::from_str(&text).unwrap()
    }

    fn expected(present: Vec<Presence>) -> Expected {
        Expected { name: "a".parse().unwrap(), present, clock: None }
    }

    #[test]
    fn unreachable_agents_have_distinct_reasons() {
        let knows = presence(", \"knows\": [\"doctor\"]");
        let said = |present: Vec<Presence>| {
            let asked = Asked::of(&expected(present), KNOWS_DOCTOR);
            (asked.said.unwrap_err(), asked.is_over)
        };
        assert_eq!(said(Vec::new()), (WhyNoAnswer::NotHeard, true));
        assert_eq!(said(vec![knows.clone(), knows.clone()]), (WhyNoAnswer::Twice, true));
        let older = WhyNoAnswer::Older { version: "0.0.9".to_owned() };
        assert_eq!(said(vec![presence("")]), (older, true));
        let cleans = Asked::of(&expected(vec![knows.clone()]), KNOWS_CLEAN);
        assert!(matches!(cleans.said, Err(WhyNoAnswer::Older { .. })), "it knows how to look, and no more");
        assert_eq!(said(vec![knows]), (WhyNoAnswer::NotInTime, false), "it is asked");
    }

    #[test]
    fn only_answers_of_the_same_session_and_check_count() {
        let knows = presence(", \"knows\": [\"doctor\"]");
        let mut asked = Asked::of(&expected(vec![knows.clone()]), KNOWS_DOCTOR);
        let found = DoctorState::Found(HostResult::default());
        let answer = |life: &AgentSession, id: &str, state: &DoctorState| DoctorAnswer {
            life: life.clone(),
            opened: 9,
            id: id.to_owned(),
            state: state.clone(),
        };
        asked.hear("i", answer(&AgentSession::draw().unwrap(), "i", &found));
        asked.hear("i", answer(&knows.session, "j", &found));
        asked.hear("i", answer(&knows.session, "i", &DoctorState::Looks));
        assert!(!asked.is_over && asked.said == Err(WhyNoAnswer::NotInTime));
        assert_eq!(asked.life.as_ref().unwrap().1, 9, "the next order is numbered behind what it opened");
        asked.hear("i", answer(&knows.session, "i", &found));
        asked.hear("i", answer(&knows.session, "i", &DoctorState::Failed { why: String::new() }));
        assert_eq!((asked.is_over, asked.said), (true, Ok(DoctorState::Found(HostResult::default()))));
    }
}
