//! An agent at work on a connection: it receives orders, has runs carried out, and reports their
//! results.
//!
//! The [`Duty`] makes the decisions. A run is a separate process of this same program, controlled
//! through pipes: if this process dies, the pipe ends, and the run ends its load.
//!
//! Not here: who may give orders (the caller has opened their envelopes).

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use reelgauge_engine::machine_clock::machine_ns;
use reelgauge_runner::remote_control::messages::{RemoteOrder, RemoteReport};
use reelgauge_workload::plan::Plan;
use reelgauge_workload::streams::AnyPlan;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::mpsc::{Receiver, UnboundedSender, channel};

use super::duty::{Deed, Duty};
use super::leftovers::target_of;
use super::presence::unix_ns;
use super::run_store::{AgentDisk, is_run_name};
use super::wall_clock::Now;
use crate::protocol::{Answer, Order, Phase};

/// The interval between two ticks.
const BEAT: Duration = Duration::from_millis(100);
/// The number of a run's messages that may wait.
const WORDS: usize = 256;
/// Remains of forgotten runs are removed at this interval.
const TIDIES_EVERY: Duration = Duration::from_secs(1);
/// For this long after a run was forgotten, its remains are removed.
const TIDIES_FOR: Duration = Duration::from_secs(60);
/// Two clocks that are read within this time count as read at once.
const READ_WITHIN_NS: i64 = 1_000_000;
/// The largest number of attempts to do so.
const READINGS_MOST: usize = 10;
/// The time limit for the end of a run when this process ends.
const ENDS_WITHIN: Duration = Duration::from_secs(20);

/// Takes a plan, and returns it restricted to the limits of the host's owner, or the reason for a
/// refusal.
pub type Allowing = Box<dyn Fn(&str) -> Result<String, String> + Send>;

/// The settings of an agent's work.
pub struct Workplace {
    /// The stored runs.
    pub disk: AgentDisk,
    pub program: PathBuf,
    /// Flags for each run, set by the owner.
    pub flags: Vec<String>,
    /// How long a run loads while its controller is silent.
    pub lease: Duration,
    /// Checks a plan against the owner's limits, and may restrict it.
    pub allows: Allowing,
    /// Set while a run is in progress here.
    pub at_work: Arc<AtomicBool>,
}

/// A run in progress.
struct Steered {
    run: String,
    child: Child,
    input: Option<ChildStdin>,
    words: Receiver<RemoteReport>,
    /// Whether it has sent its last message.
    is_done: bool,
}

/// The agent at work; the module describes it.
pub struct AgentWork {
    place: Workplace,
    duty: Duty,
    steered: Option<Steered>,
    answers: UnboundedSender<Answer>,
    /// Set while the files of a run are read for their list.
    is_listing: Arc<AtomicBool>,
    /// Runs that were forgotten recently, and when.
    forgotten: Vec<(String, Instant)>,
    tidied: Instant,
}

impl AgentWork {
    /// Begins with the runs on disk. Answers go to `answers`.
    ///
    /// # Errors
    /// If the disk can't be used.
    pub fn new(place: Workplace, answers: UnboundedSender<Answer>) -> io::Result<AgentWork> {
        let session = place.disk.next_session(unix_ns(SystemTime::now()))?;
        let duty = Duty::new(session, env!("CARGO_PKG_VERSION"), place.lease, place.disk.states());
        let mut work = AgentWork {
            place,
            duty,
            steered: None,
            answers,
            is_listing: Arc::default(),
            forgotten: Vec::new(),
            tidied: Instant::now(),
        };
        work.keep_states();
        Ok(work)
    }

    /// Works until no order can arrive any more, or the agent is interrupted; then a run in progress is
    /// ended.
    pub async fn until_over(mut self, mut orders: Receiver<Order>, mut stop: Receiver<()>) {
        let mut beat = tokio::time::interval(BEAT);
        loop {
            tokio::select! {
                order = orders.recv() => match order {
                    Some(order) => self.obey(order).await,
                    None => break,
                },
                said = next_word(&mut self.steered) => self.hear(said).await,
                _ = beat.tick() => self.tick().await,
                _ = stop.recv() => break,
            }
        }
        self.end().await;
    }

    /// Removes forgotten runs repeatedly: a run's process that ends slowly, or outlives the agent that
    /// began it, may create files again. Folders that cannot be removed stay, without a further report.
    fn tidy(&mut self) {
        self.tidied = Instant::now();
        let disk = &self.place.disk;
        self.forgotten.retain(|(run, since)| {
            // Tried again at the next tick.
            let _ = disk.forget(run);
            since.elapsed() < TIDIES_FOR
        });
    }

    async fn obey(&mut self, order: Order) {
        if is_run_name(order.run()) {
            let deeds = self.duty.order(now(), order);
            self.carry_out(deeds).await;
        }
    }

    async fn hear(&mut self, said: Option<RemoteReport>) {
        let deeds = match said {
            Some(said) => {
                if let (RemoteReport::Done { .. }, Some(steered)) = (&said, &mut self.steered) {
                    steered.is_done = true;
                }
                self.duty.said(now(), said)
            }
            None => {
                let Some(mut steered) = self.steered.take() else { return };
                self.place.at_work.store(false, Ordering::Relaxed);
                let status = steered.child.wait().await;
                let why = match (steered.is_done, status) {
                    (true, _) => return,
                    (false, Ok(status)) => format!("its process ended without a message ({status})"),
                    (false, Err(error)) => format!("cannot wait for its process: {error}"),
                };
                self.duty.gone(now(), &why)
            }
        };
        self.carry_out(deeds).await;
    }

    async fn tick(&mut self) {
        if self.tidied.elapsed() >= TIDIES_EVERY {
            self.tidy();
        }
        let deeds = self.duty.tick(now());
        self.carry_out(deeds).await;
    }

    async fn carry_out(&mut self, deeds: Vec<Deed>) {
        // The state is on disk before anything begins.
        if deeds.iter().any(|deed| matches!(deed, Deed::Send(Answer::Beat(_)) | Deed::Begin { .. })) {
            self.keep_states();
        }
        for deed in deeds {
            match deed {
                Deed::Send(answer) => self.send(answer),
                Deed::Begin { run, plan_toml } => {
                    if let Err(why) = self.begin(&run, &plan_toml) {
                        let deeds = self.duty.gone(now(), &why);
                        self.keep_states();
                        let answers = deeds.into_iter().filter_map(|deed| match deed {
                            Deed::Send(answer) => Some(answer),
                            _ => None,
                        });
                        answers.for_each(|answer| self.send(answer));
                    }
                }
                Deed::Steer(order) => self.steer(&order).await,
                Deed::ListFiles { run } => self.list(run),
                Deed::ReadPiece { run, file, offset, len } => {
                    // A piece that can't be read is requested again.
                    if let Ok(bytes) = self.place.disk.piece(&run, &file, offset, len) {
                        self.send(Answer::Piece { run, file, offset, bytes });
                    }
                }
                Deed::Forget { run } => {
                    self.forgotten.push((run, Instant::now()));
                    self.tidy();
                }
            }
        }
    }

    /// Without a receiver, this agent ends soon.
    fn send(&self, answer: Answer) {
        let _ = self.answers.send(answer);
    }

    /// Reading a large log takes a while, and load must not wait for that. Only one read is in progress
    /// at a time, however often the list is requested.
    fn list(&self, run: String) {
        if self.is_listing.swap(true, Ordering::Relaxed) {
            return;
        }
        let (disk, answers) = (self.place.disk.clone(), self.answers.clone());
        let is_listing = Arc::clone(&self.is_listing);
        tokio::task::spawn_blocking(move || {
            let files = disk.files(&run);
            is_listing.store(false, Ordering::Relaxed);
            let answer = match files {
                Ok(files) => Answer::Files { run, files },
                // The list is requested again, and by then the process may have ended.
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => return,
                Err(error) => Answer::NoFiles { run, why: error.to_string() },
            };
            // Without a receiver, this agent ends soon.
            let _ = answers.send(answer);
        });
    }

    fn keep_states(&mut self) {
        for state in self.duty.runs() {
            let is_refused = matches!(state.phase, Phase::Refused { .. });
            if !is_refused {
                // Tried again with every beat. A full disk shows when the run cannot be begun, or when
                // its log is given up. An agent that is restarted before there is space knows an older
                // state.
                let _ = self.place.disk.keep_state(state);
            }
        }
    }

    fn begin(&mut self, run: &str, plan_toml: &str) -> Result<(), String> {
        let plan_toml = (self.place.allows)(plan_toml)?;
        self.place.at_work.store(true, Ordering::Relaxed);
        let begun = self.started(run, &plan_toml);
        self.place.at_work.store(begun.is_ok(), Ordering::Relaxed);
        begun
    }

    fn started(&mut self, run: &str, plan_toml: &str) -> Result<(), String> {
        if let Some(target) = target_of(plan_toml) {
            let remembered = self.place.disk.remember_target(&target);
            remembered.map_err(|error| format!("cannot store its target: {error}"))?;
        }
        let plan_toml = &of_run(run, plan_toml)?;
        let (plan, runs) = self
            .place
            .disk
            .keep_plan(run, plan_toml)
            .map_err(|error| format!("cannot store its plan: {error}"))?;
        let complaints = self
            .place
            .disk
            .complaints(run)
            .map_err(|error| format!("cannot store its error output: {error}"))?;
        let mut child = Command::new(&self.place.program)
            .args(["run", "--steered", "--out"])
            .arg(runs)
            .args(&self.place.flags)
            .arg(plan)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::from(complaints))
            .spawn()
            .map_err(|error| format!("cannot start {}: {error}", self.place.program.display()))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (said, words) = channel(WORDS);
        if let Some(output) = output {
            tokio::spawn(async move {
                let mut lines = BufReader::new(output).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    // Ignore messages of an unknown kind.
                    if let Ok(word) = serde_json::from_str(&line)
                        && said.send(word).await.is_err()
                    {
                        break;
                    }
                }
            });
        }
        self.steered = Some(Steered { run: run.to_owned(), child, input, words, is_done: false });
        Ok(())
    }

    async fn steer(&mut self, order: &RemoteOrder) {
        let active = self.duty.active().map(|state| state.run.as_str());
        let Some(steered) = &mut self.steered else { return };
        let is_meant = active == Some(&steered.run);
        if let (true, Some(input), Ok(mut line)) =
            (is_meant, &mut steered.input, serde_json::to_string(order))
        {
            line.push('\n');
            // A run that reads nothing has ended, or is frozen and will end when its lease does: a
            // message is a few bytes, and is written at once or never.
            let written = tokio::time::timeout(BEAT, input.write_all(line.as_bytes())).await;
            if !matches!(written, Ok(Ok(()))) {
                steered.input = None;
            }
        }
    }

    /// Closes the pipe of the run in progress, which ends with its results so far.
    async fn end(mut self) {
        if let Some(mut steered) = self.steered.take() {
            steered.input = None;
            let until = tokio::time::Instant::now() + ENDS_WITHIN;
            while let Ok(Some(said)) = tokio::time::timeout_at(until, steered.words.recv()).await {
                let _ = self.duty.said(now(), said);
            }
            self.keep_states();
        }
    }
}

/// If the hosts of a plan share their test files, the plan contains the name of its run, by which they
/// find each other's.
fn of_run(run: &str, plan_toml: &str) -> Result<String, String> {
    match AnyPlan::from_toml(plan_toml) {
        Ok(AnyPlan::Mix(Plan { shared_data: Some(shared), .. })) if shared.run.is_some() => {
            Err("shared_data in its plan already names a run. Remove that name; the agent sets it".to_owned())
        }
        Ok(AnyPlan::Mix(mut plan)) if plan.shared_data.is_some() => {
            plan.shared_data.iter_mut().for_each(|shared| shared.run = Some(run.to_owned()));
            plan.to_toml().map_err(|error| error.to_string())
        }
        _ => Ok(plan_toml.to_owned()),
    }
}

/// The next message of the run in progress; `None` when it has ended. Waits forever if no run is in
/// progress.
async fn next_word(steered: &mut Option<Steered>) -> Option<RemoteReport> {
    match steered {
        Some(steered) => steered.words.recv().await,
        None => std::future::pending().await,
    }
}

/// Both clocks at nearly the same moment: this thread may wait for a processor between two readings.
fn now() -> Now {
    let reading = || {
        let mono_ns = machine_ns();
        let unix_ns = unix_ns(SystemTime::now());
        (machine_ns() - mono_ns, Now { mono_ns, unix_ns })
    };
    let mut closest = reading();
    for _ in 0..READINGS_MOST {
        if closest.0 <= READ_WITHIN_NS {
            break;
        }
        let again = reading();
        closest = if again.0 < closest.0 { again } else { closest };
    }
    let mono_ns = machine_ns();
    Now { mono_ns, unix_ns: closest.1.unix_ns.saturating_add(mono_ns - closest.1.mono_ns) }
}
