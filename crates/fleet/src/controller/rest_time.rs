//! The time between two runs of a batch: a rest, or a wait until a time of day. Like a run, it can be
//! paused, and it ends when the user stops the batch.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use super::clock::now_ns;
use super::command_service::{CommandChannels, CommandSeal, wish_ways};
use super::pauses::Pauses;
use super::run_lifecycle::JourneyError;
use super::user_command::{CommandAnswer, RunStatus, UserCommand};
use crate::agent::presence::unix_ns;
use crate::connection::Login;
use crate::fleet_site::directory::FleetSite;

/// The interval between two ticks.
const BEAT: Duration = Duration::from_millis(100);
/// A rest lasts at least this long after its last answer. By then the answer is on its way, and a client
/// that missed it has repeated its request.
const ANSWERS_FOR: Duration = Duration::from_millis(700);
/// An unreachable server is tried again after this time.
const CONNECTS_AGAIN: Duration = Duration::from_secs(5);

/// The state between two runs. Pure except for [`Rest::take`].
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// The name of the next run, for answers.
    pub name: String,
    /// Its end on the controller's clock, which never steps.
    pub until_ns: i64,
    /// In addition, it does not end before this time of the wall clock.
    pub not_before_ns: Option<i64>,
    /// Whether it is paused.
    pub pauses: Pauses,
    /// Whether the user has stopped the batch.
    pub stop_asked: bool,
}

impl Rest {
    /// Pauses it from now on.
    pub fn pause(&mut self, now_ns: i64) {
        self.pauses.ask(now_ns, self.pauses.count());
        self.pauses.begin(now_ns);
    }

    /// Takes a command of the user.
    pub fn wish(&mut self, now_ns: i64, wish: UserCommand) -> RunStatus {
        match wish {
            UserCommand::Look => {}
            UserCommand::Pause { number } => {
                self.pauses.ask(now_ns, number);
                self.pauses.begin(now_ns);
            }
            UserCommand::Resume { number } => self.pauses.end(now_ns, number),
            UserCommand::Stop => self.stop_asked = true,
        }
        RunStatus {
            run: self.name.clone(),
            pauses: self.pauses.count(),
            wants_pause: self.pauses.wants(),
            is_paused: self.pauses.wants(),
            measures: false,
            point: None,
            is_ending: self.stop_asked,
        }
    }

    /// When the next run may begin, by the controller's clock and by the wall clock, whichever is later.
    pub fn begins_ns(&self) -> i64 {
        self.not_before_ns.map_or(self.until_ns, |at_ns| at_ns.max(self.until_ns))
    }

    /// Whether the next run may begin, or none follows.
    pub fn is_over(&self, now_ns: i64, wall_ns: i64) -> bool {
        let is_time = now_ns >= self.until_ns && self.not_before_ns.is_none_or(|at_ns| wall_ns >= at_ns);
        self.stop_asked || is_time && !self.pauses.wants()
    }

    /// Waits until it ends. `wants_end` ends it at once; `show` receives its state.
    ///
    /// # Errors
    /// If the site's keys can't be read.
    pub fn take(
        &mut self,
        site: &FleetSite,
        wants_end: &AtomicBool,
        mut show: impl FnMut(&Rest),
    ) -> Result<(), JourneyError> {
        let login = Login::of_controller(site)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let rested: Result<(), JourneyError> = runtime.block_on(async {
            let mut ways: Option<CommandChannels> = None;
            let mut connects = Instant::now();
            let mut answered: Option<Instant> = None;
            loop {
                let is_over = self.is_over(now_ns(), unix_ns(SystemTime::now()));
                let answers = answered.is_some_and(|at| at.elapsed() < ANSWERS_FOR);
                if wants_end.load(Ordering::Relaxed) || is_over && !answers {
                    break;
                }
                show(self);
                if ways.is_none() && Instant::now() >= connects {
                    // A server that is unreachable now may be reachable when it is needed.
                    ways = open(&login, CommandSeal::of(site)?).await;
                    connects = Instant::now() + CONNECTS_AGAIN;
                }
                if self.hear(&mut ways).await {
                    answered = Some(Instant::now());
                }
            }
            Ok(())
        });
        runtime.shutdown_background();
        rested
    }

    /// Handles a command that arrives within a moment. Returns whether it was answered.
    async fn hear(&mut self, ways: &mut Option<CommandChannels>) -> bool {
        let Some(open) = ways else {
            tokio::time::sleep(BEAT).await;
            return false;
        };
        let heard = tokio::time::timeout(BEAT, open.wishes.recv()).await;
        match heard {
            Ok(Some(asked)) => {
                if let Some(wish) = asked.of(&self.name) {
                    let standing = self.wish(now_ns(), wish);
                    // A client that misses this answer repeats its request.
                    return open.answers.send(CommandAnswer { to: asked.from, standing }).is_ok();
                }
            }
            Ok(None) => *ways = None,
            Err(_) => {}
        }
        false
    }
}

async fn open(login: &Login, seal: CommandSeal) -> Option<CommandChannels> {
    let connection = login.connect().await.ok()?;
    wish_ways(connection.client, seal).await.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rest_ends_when_both_clocks_pass_and_no_pause_is_active() {
        let mut rest = Rest { until_ns: 10, not_before_ns: Some(100), ..Rest::default() };
        assert!(!rest.is_over(9, 100) && !rest.is_over(10, 99) && rest.is_over(10, 100));
        assert!(rest.wish(5, UserCommand::Pause { number: 0 }).is_paused);
        assert!(!rest.is_over(50, 500));
        assert!(!rest.wish(60, UserCommand::Resume { number: 0 }).wants_pause);
        assert!(rest.is_over(60, 500));
        // A request to pause that arrives late.
        assert!(!rest.wish(61, UserCommand::Pause { number: 0 }).wants_pause);
        rest.until_ns = 1_000;
        assert!(rest.wish(62, UserCommand::Stop).is_ending && rest.is_over(63, 0));
    }
}
