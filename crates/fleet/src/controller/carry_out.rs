//! Carries out a run of a fleet: keeps on disk where it stands before anything is said, writes what is
//! fetched, and tells whoever watches.
//!
//! In the run's folder: `conduct.json`, and `agents/NAME/` with the run directory of each. A file that is not
//! whole yet ends in `.part`.
//!
//! Not here: what is to be done ([`super::fleet_run`]), and how it travels ([`super::wire`]).

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::conduct::{Conduct, Milestone, Told, WhyStopped};
use super::fleet_run::{Act, FleetRun};
use super::wish::Answered;
use super::wishes::WishWays;
use crate::agent::disk::{digest, is_file_name, keep};
use crate::protocol::{Answer, FileThere};

/// How often time is looked at.
const BEAT: Duration = Duration::from_millis(100);
/// How often the state is kept, beside every milestone.
const KEEP_EVERY: Duration = Duration::from_secs(2);
/// How often whoever watches is told.
const SHOW_EVERY: Duration = Duration::from_secs(1);
/// What can't be fetched for so long is left where it is.
const FETCH_PATIENCE: Duration = Duration::from_secs(20);
const CONDUCT_FILE: &str = "conduct.json";

/// The ways between a run and its agents.
#[derive(Debug)]
pub struct Ways {
    /// To an agent.
    pub orders: UnboundedSender<Told>,
    /// From an agent.
    pub answers: UnboundedReceiver<(String, Answer)>,
    /// Whether anything could be heard now.
    pub listens: Arc<AtomicBool>,
}

/// A run's folder.
#[derive(Clone, Debug)]
pub struct RunFolder {
    dir: PathBuf,
}

impl RunFolder {
    /// This folder.
    pub fn new(dir: &Path) -> RunFolder {
        RunFolder { dir: dir.to_path_buf() }
    }

    /// Where an agent's run directory is put together.
    pub fn of_agent(&self, agent: &str) -> PathBuf {
        self.dir.join("agents").join(agent)
    }

    /// How the run stood when it was kept last.
    ///
    /// # Errors
    /// There is none, or it is damaged.
    pub fn resumed(&self, epoch: u64) -> io::Result<Conduct> {
        let text = fs::read_to_string(self.dir.join(CONDUCT_FILE))?;
        Ok(Conduct::resumed(&text, epoch)?)
    }

    /// Keeps how a run stands.
    ///
    /// # Errors
    /// When that is impossible.
    pub fn keep(&self, conduct: &Conduct) -> io::Result<()> {
        fs::create_dir_all(&self.dir)?;
        keep(&self.dir.join(CONDUCT_FILE), conduct.saved().as_bytes())
    }

    fn is_here(&self, agent: &str, file: &FileThere) -> bool {
        let path = self.of_agent(agent).join(&file.name);
        is_file_name(&file.name) && digest(&path).is_ok_and(|found| found == (file.len, file.sha256.clone()))
    }

    fn create(&self, agent: &str, file: &str) -> io::Result<()> {
        File::create(self.place(agent, file)?).map(drop)
    }

    fn write(&self, agent: &str, file: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let part = part_of(&self.place(agent, file)?);
        let mut open = OpenOptions::new().write(true).create(true).truncate(false).open(part)?;
        open.seek(SeekFrom::Start(offset))?;
        open.write_all(bytes)
    }

    /// Whether a file that is complete has this digest; it gets its name then.
    fn check(&self, agent: &str, file: &str, sha256: &str) -> io::Result<bool> {
        let path = self.place(agent, file)?;
        let part = part_of(&path);
        let is_right = digest(&part)?.1 == sha256;
        if is_right {
            File::open(&part)?.sync_all()?;
            fs::rename(&part, &path)?;
        }
        Ok(is_right)
    }

    fn place(&self, agent: &str, file: &str) -> io::Result<PathBuf> {
        if !is_file_name(file) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{file:?} names no file of a run"),
            ));
        }
        let path = self.of_agent(agent).join(file);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(path)
    }
}

fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// Carries out a run to its end: until everything that can be had is here. `show` is told once a second;
/// `wants_end` says that somebody wants everybody to stop.
///
/// # Errors
/// When the folder can't be written.
pub async fn carry_out(
    run: FleetRun,
    folder: &RunFolder,
    ways: Ways,
    mut wished: WishWays,
    wants_end: &AtomicBool,
    mut show: impl FnMut(&FleetRun),
) -> io::Result<FleetRun> {
    let mut carrying = Carrying {
        kept: (run.conduct.milestone(), Instant::now()),
        run,
        folder,
        orders: ways.orders,
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
                    // On disk before anybody relies on it.
                    carrying.act(Vec::new())?;
                    // Whoever does not hear it asks again.
                    let _ = wished.answers.send(Answered { to: asked.from, standing });
                }
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
                if carrying.run.is_done() || carrying.has_no_hope() {
                    break;
                }
            }
        }
    }
    folder.keep(&carrying.run.conduct)?;
    Ok(carrying.run)
}

struct Carrying<'a> {
    run: FleetRun,
    folder: &'a RunFolder,
    orders: UnboundedSender<Told>,
    /// What is said as soon as the disk has what it rests on.
    unsent: Vec<Told>,
    kept: (Milestone, Instant),
    /// Bytes that were fetched, and when the last of them came.
    progress: (u64, Instant),
}

impl Carrying<'_> {
    fn answer(&mut self, agent: &str, answer: Answer) -> io::Result<()> {
        let is_piece = matches!(answer, Answer::Piece { .. });
        let folder = self.folder;
        let acts = self.run.answer(now_ns(), agent, answer, |file| folder.is_here(agent, file));
        self.act(acts)?;
        if is_piece {
            // The next piece is asked for at once.
            self.tick(true)?;
        }
        Ok(())
    }

    fn tick(&mut self, listens: bool) -> io::Result<()> {
        let acts = self.run.tick(now_ns(), listens);
        self.act(acts)
    }

    fn act(&mut self, acts: Vec<Act>) -> io::Result<()> {
        for act in acts {
            match act {
                Act::Tell(told) => self.unsent.push(told),
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
        let milestone = self.run.conduct.milestone();
        if milestone != self.kept.0 || self.kept.1.elapsed() >= KEEP_EVERY {
            self.folder.keep(&self.run.conduct)?;
            self.kept = (milestone, Instant::now());
            if !self.run.conduct.is_over() {
                self.progress.1 = Instant::now();
            }
        }
        for told in self.unsent.drain(..) {
            // Nobody carries it any more: then nothing comes, either, and that ends this.
            let _ = self.orders.send(told);
        }
        Ok(())
    }

    /// Whether the run is over and nothing more of it has come for long.
    fn has_no_hope(&self) -> bool {
        self.run.conduct.is_over() && self.progress.1.elapsed() >= FETCH_PATIENCE
    }
}

/// The controller's clock: the wall clock when the process began, and steady from there on.
pub fn now_ns() -> i64 {
    static BEGAN: std::sync::OnceLock<(Instant, i64)> = std::sync::OnceLock::new();
    let (instant, unix_ns) = BEGAN.get_or_init(|| {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (Instant::now(), i64::try_from(since_epoch.as_nanos()).unwrap_or(i64::MAX))
    });
    unix_ns.saturating_add(i64::try_from(instant.elapsed().as_nanos()).unwrap_or(i64::MAX))
}
