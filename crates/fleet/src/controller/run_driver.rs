//! Carries out a run of a fleet. It keeps the state on disk before it sends anything that relies on it,
//! writes the files that are fetched, and reports the progress to viewers. Beats are answered however
//! slow the disk is: a [`Keeper`] writes the state, and only messages that rely on it wait.
//!
//! Not here: what to do next ([`super::fleet_run`]), and how messages travel ([`super::wire`]).

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::clock::now_ns;
use super::command_service::CommandChannels;
use super::conduct::{Milestone, Told, WhyStopped};
use super::fleet_run::{Act, FleetRun, LocalFiles};
use super::run_folder::RunFolder;
use super::state_writer::StateWriter;
use super::user_command::CommandAnswer;
use crate::protocol::{Answer, Order};

/// The interval between two ticks.
const BEAT: Duration = Duration::from_millis(100);
/// How often the state is kept, in addition to every milestone.
const KEEP_EVERY: Duration = Duration::from_secs(2);
/// How often the progress is reported.
const SHOW_EVERY: Duration = Duration::from_secs(1);
/// Files that have not arrived for this long are left on their agents.
const FETCH_PATIENCE: Duration = Duration::from_secs(20);

/// The channels of messages between a run and its agents.
#[derive(Debug)]
pub struct Channels {
    pub orders: UnboundedSender<Told>,
    pub answers: UnboundedReceiver<(String, Answer)>,
    /// Whether messages can be received now.
    pub listens: Arc<AtomicBool>,
}

/// Carries out a run to its end: until every available file is on the controller's disk. `show` receives
/// the progress once a second; `wants_end` reports that the user wants all agents to stop.
///
/// # Errors
/// If the folder cannot be written.
pub async fn carry_out(
    run: FleetRun,
    folder: &RunFolder,
    ways: Channels,
    mut wished: CommandChannels,
    wants_end: &AtomicBool,
    mut show: impl FnMut(&FleetRun),
) -> io::Result<FleetRun> {
    let mut carrying = Carrying {
        kept: (run.conduct.milestone(), Instant::now()),
        run,
        folder,
        keeper: StateWriter::new(folder.clone()),
        orders: ways.orders,
        answers: wished.answers,
        unsent: Vec::new(),
        progress: (0, Instant::now()),
    };
    folder.keep(&carrying.run.conduct)?;
    let mut answers = ways.answers;
    let mut beat = tokio::time::interval(BEAT);
    let mut shown: Option<Instant> = None;
    loop {
        tokio::select! {
            answer = answers.recv() => match answer {
                Some((agent, answer)) => carrying.answer(&agent, answer)?,
                None => break,
            },
            Some(asked) = wished.wishes.recv() => {
                let wish = asked.of(&carrying.run.conduct.run);
                if let Some(standing) = wish.map(|wish| carrying.run.conduct.wish(now_ns(), wish)) {
                    // The answer is sent once the state is on disk, so that the sender can rely on it.
                    carrying.answer_command(CommandAnswer { to: asked.from, standing })?;
                }
            }
            kept = carrying.keeper.kept() => {
                kept?;
                carrying.send();
            }
            _ = beat.tick() => {
                if wants_end.load(Ordering::Relaxed) {
                    carrying.run.conduct.stop(WhyStopped::User);
                }
                carrying.tick(ways.listens.load(Ordering::Relaxed))?;
                if shown.is_none_or(|at| at.elapsed() >= SHOW_EVERY) {
                    shown = Some(Instant::now());
                    show(&carrying.run);
                }
                if carrying.is_done() {
                    break;
                }
            }
        }
    }
    carrying.keeper.finish().await?;
    folder.keep(&carrying.run.conduct)?;
    Ok(carrying.run)
}

/// A message that is sent as soon as the disk has the state that it relies on.
enum PendingMessage {
    Order(Told),
    Answer(CommandAnswer),
}

struct Carrying<'a> {
    run: FleetRun,
    folder: &'a RunFolder,
    keeper: StateWriter,
    orders: UnboundedSender<Told>,
    answers: UnboundedSender<CommandAnswer>,
    /// In their order, each with the number of the state that it relies on.
    unsent: Vec<(u64, PendingMessage)>,
    kept: (Milestone, Instant),
    /// Bytes that were fetched, and the time at which the last of them arrived.
    progress: (u64, Instant),
}

impl Carrying<'_> {
    fn answer(&mut self, agent: &str, answer: Answer) -> io::Result<()> {
        let is_piece = matches!(answer, Answer::Piece { .. });
        let folder = self.folder;
        let local =
            LocalFiles { is_here: &|file| folder.is_here(agent, file), free_bytes: &|| folder.free_bytes() };
        let acts = self.run.answer(now_ns(), agent, answer, &local);
        self.act(acts)?;
        if is_piece {
            // Request the next piece at once.
            self.tick(true)?;
        }
        Ok(())
    }

    fn answer_command(&mut self, answered: CommandAnswer) -> io::Result<()> {
        self.act(Vec::new())?;
        self.unsent.push((self.keeper.newest(), PendingMessage::Answer(answered)));
        self.send();
        Ok(())
    }

    fn tick(&mut self, listens: bool) -> io::Result<()> {
        let acts = self.run.tick(now_ns(), listens);
        self.act(acts)
    }

    fn act(&mut self, acts: Vec<Act>) -> io::Result<()> {
        let mut told = Vec::new();
        for act in acts {
            match act {
                // A permission to continue relies on no new state and must not be late.
                Act::Tell((agent, order @ Order::Hold { .. })) => self.send_order((agent, order)),
                Act::Tell(order) => told.push(order),
                Act::Create { agent, file } => self.folder.create(&agent, &file)?,
                Act::Write { agent, file, offset, bytes, check } => {
                    self.folder.write(&agent, &file, offset, &bytes)?;
                    if let Some(sha256) = check {
                        let is_right = self.folder.check(&agent, &file, &sha256)?;
                        self.run.checked(&agent, &file, is_right);
                    }
                    self.progress = (self.run.fetched_bytes().0, Instant::now());
                }
            }
        }
        self.keep();
        let rests_on = self.keeper.newest();
        self.unsent.extend(told.into_iter().map(|told| (rests_on, PendingMessage::Order(told))));
        self.send();
        Ok(())
    }

    /// Keeps new state at once, and unchanged state at intervals.
    fn keep(&mut self) {
        let milestone = self.run.conduct.milestone();
        if milestone != self.kept.0 || self.kept.1.elapsed() >= KEEP_EVERY {
            self.keeper.keep(self.run.conduct.saved());
            self.kept = (milestone, Instant::now());
            if !self.run.conduct.is_over() {
                self.progress.1 = Instant::now();
            }
        }
    }

    /// Sends every message whose state is on disk.
    fn send(&mut self) {
        let on_disk = self.keeper.on_disk();
        let ready = self.unsent.iter().take_while(|(rests_on, _)| *rests_on <= on_disk).count();
        let ready: Vec<_> = self.unsent.drain(..ready).collect();
        for (_, unsent) in ready {
            match unsent {
                // Dropped: the start time would have passed before any agent received it. A new time is
                // agreed on.
                PendingMessage::Order((_, Order::Start { point, at_ns, .. }))
                    if self.run.conduct.postpones(now_ns(), point, at_ns, self.keeper.write_time()) => {}
                PendingMessage::Order(told) => self.send_order(told),
                PendingMessage::Answer(answered) => {
                    // Ignored: if the answer is lost, the client asks again.
                    let _ = self.answers.send(answered);
                }
            }
        }
    }

    fn send_order(&self, told: Told) {
        // Ignored: if the channel is closed, no message arrives either, and the loop ends.
        let _ = self.orders.send(told);
    }

    fn is_done(&self) -> bool {
        let has_said_all = self.unsent.is_empty();
        has_said_all && self.run.is_done() || self.has_no_hope()
    }

    /// Whether the run is over and nothing of it has arrived for a long time.
    fn has_no_hope(&self) -> bool {
        self.run.conduct.is_over() && self.progress.1.elapsed() >= FETCH_PATIENCE
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::Path;
    use std::process::Command;

    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::controller::conduct::{AgentTask, Conduct, OnLoss};
    use crate::protocol::{Beat, PROTOCOL, Phase, RunState, RunTimes};

    const RUN: &str = "20261126T005108Z-ac398b";

    fn beat(number: u64, phase: Option<Phase>) -> Answer {
        let state = |phase| RunState {
            run: RUN.to_owned(),
            plan_sha256: String::new(),
            phase,
            times: RunTimes::default(),
            points_complete: 0,
            judged: None,
        };
        let runs = phase.map(state).into_iter().collect();
        Answer::Beat(Box::new(Beat { session: 7, beat: number, protocol: PROTOCOL, runs, ..Beat::default() }))
    }

    /// Makes every write to this folder block, by a pipe that no process reads.
    fn block_writes(dir: &Path) {
        let made = Command::new("mkfifo").arg(dir.join("conduct.new")).status().unwrap();
        assert!(made.success());
    }

    /// How often a ready agent receives permission to continue, and how often it receives a start,
    /// within two seconds, on a fast disk or on one that hangs.
    fn orders_sent(stands_still: bool) -> (usize, usize) {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let folder = RunFolder::new(dir.path());
        let part = AgentTask { agent: "a".to_owned(), plan_sha256: String::new(), plan_toml: String::new() };
        let run = FleetRun::new(Conduct::new(RUN, OnLoss::GoOn, vec![part], 1));
        let counts = runtime.block_on(async {
            let (orders, mut heard) = unbounded_channel();
            let (says, answers) = unbounded_channel();
            let (_wisher, wishes) = unbounded_channel();
            let ways = Channels { orders, answers, listens: Arc::new(AtomicBool::new(true)) };
            let wishes = CommandChannels { wishes, answers: unbounded_channel().0 };
            let agent = async {
                let mut number = 0;
                let mut say = |phase| {
                    number += 1;
                    says.send(("a".to_owned(), beat(number, phase))).unwrap();
                };
                say(None);
                while !matches!(heard.recv().await.unwrap().1, Order::Prepare { .. }) {}
                if stands_still {
                    block_writes(dir.path());
                }
                let (mut holds, mut starts) = (0, 0);
                for _ in 0..20 {
                    say(Some(Phase::Ready { point: 0 }));
                    tokio::time::sleep(BEAT).await;
                    while let Ok((_, order)) = heard.try_recv() {
                        holds += usize::from(matches!(order, Order::Hold { .. }));
                        starts += usize::from(matches!(order, Order::Start { .. }));
                    }
                }
                (holds, starts)
            };
            let wants_end = AtomicBool::new(false);
            let carried = carry_out(run, &folder, ways, wishes, &wants_end, |_| {});
            tokio::select! {
                counts = agent => counts,
                ended = carried => panic!("it ended: {:?}", ended.map(|run| run.conduct)),
            }
        });
        // Writes that wait for the pipe continue.
        let pipe = dir.path().join("conduct.new");
        let _ = std::fs::OpenOptions::new().read(true).write(true).open(pipe);
        runtime.shutdown_background();
        counts
    }

    #[test]
    fn a_hanging_disk_delays_no_beat_and_withholds_messages_that_rely_on_it() {
        let (holds, starts) = orders_sent(false);
        assert!(holds >= 15 && starts >= 1, "{holds} {starts}");
        let (holds, starts) = orders_sent(true);
        assert!(holds >= 15, "{holds} of 20 beats were answered");
        assert_eq!(starts, 0, "the start is not on disk");
    }
}
