//! Sends a command to the controller that conducts a run, which may be on another host: pause, resume,
//! or stop.
//!
//! It first asks for the state of the run, so that the command applies to that run and that pause alone.
//! Then it repeats the command until the answer shows that it was carried out.
//!
//! Not here: what the controller does with it ([`super::conduct`]).

use std::time::Duration;

use async_nats::{Client, Subscriber};
use futures_util::StreamExt;
use tokio::time::Instant;

use super::command_service::CommandSeal;
use super::run_lifecycle::JourneyError;
use super::user_command::{RunStatus, STANDING, SealedFor, UserCommand, WISH};
use crate::connection::Login;
use crate::fleet_site::directory::FleetSite;

/// A controller answers within this time, if there is one, even while it reopens its connection.
const ANSWERS_WITHIN: Duration = Duration::from_secs(6);
/// The interval between two requests.
const RETRY_INTERVAL: Duration = Duration::from_millis(400);
/// Further controllers may answer within this time after the first.
const OTHERS_WITHIN: Duration = Duration::from_millis(300);

/// The requested state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    Pause,
    Resume,
    Stop,
}

/// The result of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandResult {
    /// The state of the run before.
    pub before: RunStatus,
    /// Its state now; `None` if its controller no longer answered.
    pub now: Option<RunStatus>,
}

/// Sends a command to the run in progress; `None` if no controller answers.
///
/// # Errors
/// If there is no connection.
pub fn ask(site: &FleetSite, want: Want) -> Result<Option<CommandResult>, JourneyError> {
    let (login, seal) = (Login::of_controller(site)?, CommandSeal::of(site)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let obtained = runtime.block_on(async {
        let connection = login.connect().await?;
        obtain(&connection.client, seal, want, ANSWERS_WITHIN).await
    });
    runtime.shutdown_background();
    obtained
}

/// The same on an open connection, for a controller that answers within this time.
///
/// # Errors
/// If the server refuses the subscription.
pub(super) async fn obtain(
    client: &Client,
    seal: CommandSeal,
    want: Want,
    within: Duration,
) -> Result<Option<CommandResult>, JourneyError> {
    let mut asker = Asker { client, answers: client.subscribe(STANDING).await?, seal };
    let Some(answer) = asker.look(within, None).await else { return Ok(None) };
    let before = answer.answered.standing;
    let now = match wish(want, &before) {
        Some(wish) => asker.repeat_until(wish, &before.run, want).await,
        None => Some(before.clone()),
    };
    Ok(Some(CommandResult { before, now }))
}

/// The command to send, unless the run is already in the wanted state.
fn wish(want: Want, standing: &RunStatus) -> Option<UserCommand> {
    match want {
        Want::Pause if standing.wants_pause || standing.is_ending => None,
        Want::Pause => Some(UserCommand::Pause { number: standing.pauses }),
        Want::Resume if !standing.wants_pause => None,
        Want::Resume => Some(UserCommand::Resume { number: standing.pauses.checked_sub(1)? }),
        Want::Stop => Some(UserCommand::Stop),
    }
}

/// Whether the run is in the wanted state.
fn is_in_state(want: Want, standing: &RunStatus) -> bool {
    match want {
        Want::Pause => standing.wants_pause,
        Want::Resume => !standing.wants_pause,
        Want::Stop => standing.is_ending,
    }
}

struct Asker<'a> {
    client: &'a Client,
    answers: Subscriber,
    seal: CommandSeal,
}

impl Asker<'_> {
    /// The state of a run: of the named one; otherwise of the one in progress, or of one that is only
    /// being fetched if none is in progress.
    async fn look(&mut self, within: Duration, run: Option<&str>) -> Option<SealedFor> {
        let until = Instant::now() + within;
        let mut found: Option<SealedFor> = None;
        while Instant::now() < until && found.is_none() {
            self.publish_message(self.seal.state_request()).await;
            let mut waits_until = Instant::now() + RETRY_INTERVAL;
            while let Some(answer) = self.answer(waits_until).await {
                let standing = &answer.answered.standing;
                if run.is_some_and(|run| standing.run == run) {
                    return Some(answer);
                }
                if run.is_none() && found.as_ref().is_none_or(|found| found.answered.standing.is_ending) {
                    found = Some(answer);
                }
                waits_until = Instant::now() + OTHERS_WITHIN;
            }
        }
        found
    }

    /// Repeats the command until the run is in the wanted state.
    async fn repeat_until(&mut self, wish: UserCommand, run: &str, want: Want) -> Option<RunStatus> {
        let until = Instant::now() + ANSWERS_WITHIN;
        let mut last = None;
        while Instant::now() < until {
            // The controller's answer names the key to seal a command for, and it changes each time.
            let Some(answer) = self.look(until - Instant::now(), Some(run)).await else { break };
            if is_in_state(want, &answer.answered.standing) {
                return Some(answer.answered.standing);
            }
            self.publish_message(self.seal.wish(run, wish, &answer)).await;
            let waits_until = Instant::now() + RETRY_INTERVAL;
            while let Some(SealedFor { answered, .. }) = self.answer(waits_until).await {
                if answered.standing.run != run {
                    continue;
                }
                if is_in_state(want, &answered.standing) {
                    return Some(answered.standing);
                }
                last = Some(answered.standing);
            }
        }
        last
    }

    async fn publish_message(&self, message: Vec<u8>) {
        // A message that fails to go out is sent again in the next round.
        let _ = self.client.publish(WISH, message.into()).await;
    }

    async fn answer(&mut self, until: Instant) -> Option<SealedFor> {
        loop {
            let message = tokio::time::timeout_at(until, self.answers.next()).await.ok()??;
            // Messages for another client, or invalid ones, are no answer.
            if let Some(answer) = self.seal.open_answer(&message.payload) {
                return Some(answer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_command_is_sent_for_the_current_state_and_commands_name_their_pause() {
        let runs = RunStatus { pauses: 2, ..RunStatus::default() };
        let paused = RunStatus { wants_pause: true, ..runs.clone() };
        let ending = RunStatus { is_ending: true, ..runs.clone() };
        assert_eq!(wish(Want::Pause, &runs), Some(UserCommand::Pause { number: 2 }));
        assert_eq!(wish(Want::Pause, &paused), None);
        assert_eq!(wish(Want::Pause, &ending), None);
        assert_eq!(wish(Want::Resume, &runs), None);
        assert_eq!(wish(Want::Resume, &paused), Some(UserCommand::Resume { number: 1 }));
        assert_eq!(
            wish(Want::Stop, &ending),
            Some(UserCommand::Stop),
            "what would follow it is stopped, too"
        );
    }
}
