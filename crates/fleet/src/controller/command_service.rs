//! How commands reach the controller that conducts a run, and how its answers reach the sender.
//!
//! Any client with the key to the server may ask for the state of a run. A command that changes it must
//! be sealed for the session that this controller has drawn, with a number above that of every earlier
//! command; the controller's answers contain both. Answers are sealed for the session of the asking
//! client. A recorded message is therefore useless later, and for another run.
//!
//! Any message may be lost: the sender repeats a command until the answer shows its effect.

use async_nats::{Client, SubscribeError, Subscriber};
use futures_util::StreamExt;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::user_command::{CommandAnswer, CommandRequest, STANDING, SealedFor, UserCommand, WISH};
use crate::envelope::{Opener, Sealer};
use crate::fleet_site::agent_name::AgentSession;
use crate::fleet_site::directory::{FleetSite, FleetSiteError};
use crate::fleet_site::key::SealCheck;

/// The channels of commands to a controller, and of its answers.
#[derive(Debug)]
pub struct CommandChannels {
    pub wishes: UnboundedReceiver<CommandRequest>,
    pub answers: UnboundedSender<CommandAnswer>,
}

/// One end of the conversation: seals its messages, and opens those of the other end.
#[derive(Debug)]
pub struct CommandSeal {
    sealer: Sealer,
    opener: Opener,
    session: AgentSession,
    sealed: u64,
}

impl CommandSeal {
    /// One end with the keys of this site and a new session.
    ///
    /// # Errors
    /// If the keys cannot be read, or the system returns no random numbers.
    pub fn of(site: &FleetSite) -> Result<CommandSeal, FleetSiteError> {
        let (key, fleet) = (site.controller_keys()?.seal, site.register().fleet.clone());
        let check = SealCheck::of(&key.public());
        let check = check.map_err(|source| FleetSiteError::Key { path: site.dir().to_path_buf(), source })?;
        let session = AgentSession::draw()?;
        let opener = Opener::of_wishes(check, fleet.clone(), session.clone());
        Ok(CommandSeal { sealer: Sealer::new(key, fleet), opener, session, sealed: 0 })
    }

    /// The session that was drawn for it.
    pub fn session(&self) -> &AgentSession {
        &self.session
    }

    /// A request for the state, which needs no seal.
    pub fn state_request(&self) -> Vec<u8> {
        serde_json::to_vec(&CommandRequest { from: self.session.clone(), run: None, wish: UserCommand::Look })
            .unwrap_or_default()
    }

    /// A command for the controller that sent this answer.
    pub fn wish(&self, run: &str, wish: UserCommand, answer: &SealedFor) -> Vec<u8> {
        let asked = CommandRequest { from: self.session.clone(), run: Some(run.to_owned()), wish };
        let body = serde_json::to_vec(&asked).unwrap_or_default();
        let number = answer.opened.saturating_add(1);
        // Sealing fails only for a body that is too long, which this one never is.
        self.sealer.seal_wish(&answer.controller, number, &body).unwrap_or_default()
    }

    /// The command in a message; `None` if it would change something and is not sealed for this
    /// controller, or is not new.
    pub fn open_command(&mut self, message: &[u8]) -> Option<CommandRequest> {
        match serde_json::from_slice::<CommandRequest>(message) {
            Ok(asked) => Some(asked).filter(|asked| asked.wish == UserCommand::Look),
            Err(_) => serde_json::from_slice(self.opener.open(message).ok()?.body).ok(),
        }
    }

    /// An answer for the client that asked.
    pub fn answer(&mut self, answered: CommandAnswer) -> Vec<u8> {
        self.sealed += 1;
        let to = answered.to.clone();
        let told = SealedFor { controller: self.session.clone(), opened: self.opener.last(), answered };
        let body = serde_json::to_vec(&told).unwrap_or_default();
        self.sealer.seal_wish(&to, self.sealed, &body).unwrap_or_default()
    }

    /// A controller's answer; `None` if it is for another client, or not sealed by the controller.
    pub fn open_answer(&self, message: &[u8]) -> Option<SealedFor> {
        serde_json::from_slice(self.opener.open_in_any_order(message).ok()?.body).ok()
    }
}

/// Opens the channels. They end with the connection, or when the other ends are dropped.
///
/// # Errors
/// If the server refuses the subscription.
pub async fn wish_ways(client: Client, seal: CommandSeal) -> Result<CommandChannels, SubscribeError> {
    let heard = client.subscribe(WISH).await?;
    let (wished, wishes) = unbounded_channel();
    let (answers, to_say) = unbounded_channel();
    tokio::spawn(forward((client, seal), heard, wished, to_say));
    Ok(CommandChannels { wishes, answers })
}

async fn forward(
    (client, mut seal): (Client, CommandSeal),
    mut heard: Subscriber,
    wished: UnboundedSender<CommandRequest>,
    mut to_say: UnboundedReceiver<CommandAnswer>,
) {
    loop {
        tokio::select! {
            message = heard.next() => {
                let Some(message) = message else { break };
                // Ignore messages that are not commands.
                if let Some(asked) = seal.open_command(&message.payload)
                    && wished.send(asked).is_err()
                {
                    break;
                }
            }
            answer = to_say.recv() => {
                let Some(answer) = answer else { break };
                // Ignored: if the answer is lost, the client asks again.
                let _ = client.publish(STANDING, seal.answer(answer).into()).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::user_command::RunStatus;
    use super::*;
    use crate::fleet_site::agent_name::FleetId;
    use crate::fleet_site::key::SealingKey;

    fn seal(key: &SealingKey, fleet: &FleetId) -> CommandSeal {
        let session = AgentSession::draw().unwrap();
        let check = SealCheck::of(&key.public()).unwrap();
        CommandSeal {
            sealer: Sealer::new(key.clone(), fleet.clone()),
            opener: Opener::of_wishes(check, fleet.clone(), session.clone()),
            session,
            sealed: 0,
        }
    }

    /// A controller's answer to a client that only asks for the state.
    fn looked(asker: &CommandSeal, controller: &mut CommandSeal) -> SealedFor {
        let asked = controller.open_command(&asker.state_request()).unwrap();
        let answer = CommandAnswer { to: asked.from, standing: RunStatus::default() };
        asker.open_answer(&controller.answer(answer)).unwrap()
    }

    #[test]
    fn command_is_accepted_once_by_its_controller() {
        let (key, fleet) = (SealingKey::draw(), FleetId::draw().unwrap());
        let (asker, mut controller, mut next) = (seal(&key, &fleet), seal(&key, &fleet), seal(&key, &fleet));
        let answer = looked(&asker, &mut controller);
        let stop = asker.wish("r", UserCommand::Stop, &answer);
        assert_eq!(next.open_command(&stop), None, "the controller of another run, or of this one later");
        assert_eq!(controller.open_command(&stop).unwrap().wish, UserCommand::Stop);
        assert_eq!(controller.open_command(&stop), None, "sent again");
        assert_eq!(
            controller.open_command(&asker.wish("r", UserCommand::Pause { number: 0 }, &answer)),
            None
        );
        let answer = looked(&asker, &mut controller);
        assert!(
            controller.open_command(&asker.wish("r", UserCommand::Pause { number: 0 }, &answer)).is_some()
        );
    }

    #[test]
    fn unsealed_messages_change_nothing_and_are_no_answers() {
        let (key, fleet) = (SealingKey::draw(), FleetId::draw().unwrap());
        let (asker, mut controller) = (seal(&key, &fleet), seal(&key, &fleet));
        for wish in [UserCommand::Stop, UserCommand::Pause { number: 0 }, UserCommand::Resume { number: 0 }] {
            let asked = CommandRequest { from: asker.session.clone(), run: Some("r".to_owned()), wish };
            assert_eq!(controller.open_command(&serde_json::to_vec(&asked).unwrap()), None, "{wish:?}");
        }
        let mut forger = seal(&SealingKey::draw(), &fleet);
        let answer = looked(&asker, &mut controller);
        assert_eq!(controller.open_command(&forger.wish("r", UserCommand::Stop, &answer)), None);
        let forged = CommandAnswer { to: asker.session.clone(), standing: RunStatus::default() };
        assert_eq!(asker.open_answer(&forger.answer(forged.clone())), None);
        let other = seal(&key, &fleet);
        assert_eq!(other.open_answer(&controller.answer(forged)), None, "for another caller");
    }
}
