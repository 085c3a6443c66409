//! Probes of a target (`reelgauge doctor PATH --probe`): the behaviour of its file system for operations
//! of media programs, tested in its area, and written as the text that the doctor judges.
//!
//! The area is taken as by any run: its lock prevents two runs at the same time. Files are removed after
//! the probes, after Ctrl-C too, and so is the area if it was not there before. A separate thread does
//! all this. If the storage no longer answers, the thread is abandoned, and the results so far are kept.
//!
//! Linux only. Not here: the I/O itself ([`reelgauge_engine::probe`]), and the meaning of a fact (the
//! doctor).

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use reelgauge_analysis::Note;
use reelgauge_engine::area::{Area, AreaError, Terms};
use reelgauge_engine::probe::{Bench, Noted, PROBES, Steps};
use reelgauge_engine::scratch::ScratchError;
use reelgauge_machine::facts::{PROBES_MADE, UNANSWERED_S, Value, probed_line};
use reelgauge_machine::mount::{Mount, MountKind};
use reelgauge_machine::process::{Schedule, Task};
use reelgauge_machine::source::Host;

use crate::error::RunError;
use crate::exit_code::INTERRUPTED;
use crate::interrupt::Interrupt;
use crate::session::locked_target::LockedTarget;
use crate::session::scratch_files::MadeFiles;

/// The interval of checks for results and interruptions.
const BEAT: Duration = Duration::from_millis(20);
/// If this thread was not scheduled for this long, the process was suspended, and that time does not
/// count.
const MISSED: Duration = Duration::from_secs(1);
/// How long an interrupted probe waits for the removal of its files: it must end within 2 s.
const GRACE: Duration = Duration::from_millis(1400);

/// The folder of the probes in the area's scratch folder.
const FOLDER: &str = "probe";

/// The request for a probe.
#[derive(Clone, Debug)]
pub struct ProbeRequest {
    pub target: PathBuf,
    /// The terms for it.
    pub terms: Terms,
    /// The probe ends if the storage completes nothing for this long.
    pub hang_after: Duration,
}

/// The results of the probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probed {
    /// The text that the doctor judges.
    pub text: String,
    /// Notes for the user.
    pub notes: Vec<String>,
    /// Whether all of them completed.
    pub is_whole: bool,
}

/// Why there is nothing to judge.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The target can't be used.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The user stopped it, and nothing is left.
    #[error("stopped; all probe files were removed")]
    Stopped,
    /// The user stopped it, and the storage was too slow to remove all files.
    #[error(
        "stopped; {} was too busy to remove the probe files. The next probe or run there removes them, \
         and so does 'reelgauge clean'",
        target.display()
    )]
    StoppedAndLeft { target: PathBuf },
    /// There is no thread for it, or it ended unexpectedly.
    #[error("cannot run the probes: {0}")]
    Thread(io::Error),
}

impl ProbeError {
    /// The exit status: 2 wrong input, 3 incomplete, 130 interrupted.
    pub fn exit_code(&self) -> u8 {
        match self {
            ProbeError::Run(error) => error.exit_code(),
            ProbeError::Stopped | ProbeError::StoppedAndLeft { .. } => INTERRUPTED,
            ProbeError::Thread(_) => 3,
        }
    }
}

/// A message of the thread.
enum Said {
    /// The kind of storage with the target's data.
    Lies(MountKind),
    /// It takes the area; this is its thread number.
    Works(u32),
    /// The probe with this number begins.
    Begins(usize),
    Found(Vec<(&'static str, Noted)>),
    /// It has ended.
    Done(Result<End, RunError>),
}

/// How it ended.
#[derive(Debug, Default)]
struct End {
    /// Notes for the user.
    notes: Vec<String>,
    /// Whether a file is left there.
    is_left: bool,
}

impl End {
    fn left(&mut self, note: String) {
        self.notes.push(note);
        self.is_left = true;
    }
}

/// Probes a target.
///
/// # Errors
/// [`ProbeError`]: then nothing is known. Storage that stops answering is no error: the facts so far are
/// kept.
pub fn probe(request: &ProbeRequest, interrupt: &Interrupt) -> Result<Probed, ProbeError> {
    let steps = Arc::new(Steps::default());
    let (sender, said) = channel();
    let (theirs, steps_of_thread, interrupt_of_thread) =
        (request.clone(), Arc::clone(&steps), interrupt.clone());
    let work = move || {
        let end = carry_out(&theirs, &steps_of_thread, &interrupt_of_thread, &sender);
        // The receiver is dropped if the probe ended early.
        let _ = sender.send(Said::Done(end));
    };
    let thread = std::thread::Builder::new().name("probe".to_owned());
    thread.spawn(work).map_err(ProbeError::Thread)?;
    Listener::new(request, &steps, interrupt).until_over(&said)
}

/// Takes the area, probes, and removes its files.
fn carry_out(
    request: &ProbeRequest,
    steps: &Steps,
    interrupt: &Interrupt,
    sender: &Sender<Said>,
) -> Result<End, RunError> {
    let _ = sender.send(Said::Works(rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned()));
    if let Ok(mount) = Mount::at(&request.target) {
        let _ = sender.send(Said::Lies(mount.kind));
    }
    let area = Area::open_or_create_on(&request.target, request.terms)?;
    let is_new = area.is_new();
    let mut end = in_area(&area, steps, interrupt, sender);
    if is_new
        && let Err(error) = area.clean()
        && let Ok(end) = &mut end
    {
        // The results matter more.
        end.left(format!("The area was not removed: {error}."));
    }
    end
}

fn in_area(
    area: &Area,
    steps: &Steps,
    interrupt: &Interrupt,
    sender: &Sender<Said>,
) -> Result<End, RunError> {
    let locked = LockedTarget::take(area)?;
    let notes = locked.notes().iter().map(Note::text).collect();
    let mut end = End { notes, is_left: false };
    let mut made = MadeFiles::begin(&locked, interrupt)?;
    let folder = made.scratch().map(|scratch| scratch.directory(FOLDER)).transpose()?;
    if let Some(folder) = folder {
        let bench = Bench::new(area, &locked.mount, folder, steps);
        for (number, probe) in PROBES.iter().enumerate() {
            let _ = sender.send(Said::Begins(number));
            let Ok(found) = probe.run(&bench) else { break };
            let _ = sender.send(Said::Found(found));
        }
    }
    if let Err(left) = made.remove() {
        end.left(format!(
            "Probe files were not removed: {left}. The next probe or run there removes them, and so does \
             'reelgauge clean'."
        ));
    }
    Ok(end)
}

/// Receives the thread's messages, and interruptions.
struct Listener<'a> {
    request: &'a ProbeRequest,
    steps: &'a Steps,
    interrupt: &'a Interrupt,
    lines: Vec<String>,
    /// The number of probes that have reported.
    told: usize,
    /// The probe in progress.
    now: Option<usize>,
    /// The kind of storage with the target's data; unknown until the mount has answered.
    kind: MountKind,
    /// The thread, and its last state in the kernel.
    thread: Option<(u32, Option<Schedule>)>,
    /// Whether space, inodes or a quota were too small for a probe.
    lacked_room: bool,
}

impl<'a> Listener<'a> {
    fn new(request: &'a ProbeRequest, steps: &'a Steps, interrupt: &'a Interrupt) -> Listener<'a> {
        let path = Value::Word(request.target.display().to_string());
        let lines = vec![probed_line("path", Ok(&path))];
        Listener {
            request,
            steps,
            interrupt,
            lines,
            told: 0,
            now: None,
            kind: MountKind::Unknown,
            thread: None,
            lacked_room: false,
        }
    }

    fn until_over(mut self, said: &Receiver<Said>) -> Result<Probed, ProbeError> {
        let (mut done, mut came_back, mut looked) = (0, Instant::now(), Instant::now());
        let mut asked: Option<Instant> = None;
        loop {
            match said.recv_timeout(BEAT) {
                Ok(Said::Works(thread)) => self.thread = Some((thread, None)),
                Ok(Said::Lies(kind)) => self.kind = kind,
                Ok(Said::Begins(number)) => self.now = Some(number),
                Ok(Said::Found(found)) => self.take(&found),
                Ok(Said::Done(Err(error))) if self.told == 0 && is_full(&error) => {
                    return Ok(self.not_begun(&error));
                }
                Ok(Said::Done(end)) => return self.over(end?),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(ProbeError::Thread(io::Error::other("their thread ended unexpectedly")));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            let was_away = looked.elapsed() > MISSED;
            looked = Instant::now();
            if was_away || self.steps.done() != done || self.takes_the_area() {
                (done, came_back) = (self.steps.done(), looked);
            }
            if self.interrupt.asked() {
                self.steps.stop();
                if asked.get_or_insert(looked).elapsed() >= GRACE {
                    return Err(ProbeError::StoppedAndLeft { target: self.request.target.clone() });
                }
            } else if came_back.elapsed() >= self.request.hang_after {
                return Ok(self.hung());
            }
        }
    }

    /// Whether the thread has run since the last check, while it takes the area and counts no steps: a
    /// thread that waits in a hung mount never runs.
    fn takes_the_area(&mut self) -> bool {
        let (None, Some((thread, before))) = (self.now, &mut self.thread) else { return false };
        let said = Task::own().thread(*thread).schedule(&Host::here());
        let has_run = said != *before;
        *before = said;
        has_run
    }

    fn take(&mut self, found: &[(&'static str, Noted)]) {
        self.told += 1;
        for (fact, noted) in found {
            let line = match noted {
                Noted::Number(number) => probed_line(fact, Ok(&Value::Number(*number))),
                Noted::Word(word) => probed_line(fact, Ok(&Value::Word(word.clone()))),
                Noted::Nothing => probed_line(fact, Ok(&Value::Nothing)),
                Noted::NotKnown(why) => probed_line(fact, Err(why)),
                Noted::NoRoom(why) => {
                    self.lacked_room = true;
                    probed_line(fact, Err(why))
                }
            };
            self.lines.push(line);
        }
    }

    fn over(self, end: End) -> Result<Probed, ProbeError> {
        match (self.told < PROBES.len(), end.is_left) {
            (true, false) => Err(ProbeError::Stopped),
            (true, true) => Err(ProbeError::StoppedAndLeft { target: self.request.target.clone() }),
            (false, _) => {
                let text = self.lines.join("\n") + "\n";
                let mut notes = end.notes;
                if self.lacked_room {
                    notes.push("Some probes had too little space, so their results are missing.".to_owned());
                }
                Ok(Probed { text, notes, is_whole: !self.lacked_room })
            }
        }
    }

    /// There was no space for the first file. Facts that need no writing can still be judged.
    fn not_begun(mut self, error: &RunError) -> Probed {
        let why = "no space or inode is left on the storage";
        self.lines.push(probed_line(PROBES_MADE, Err(why)));
        let facts = PROBES.iter().flat_map(|probe| probe.facts);
        self.lines.extend(facts.map(|fact| probed_line(fact, Err(why))));
        let note = format!("Cannot run the probes: {error}.");
        Probed { text: self.lines.join("\n") + "\n", notes: vec![note], is_whole: false }
    }

    /// The storage no longer answers.
    fn hung(mut self) -> Probed {
        let long = format!("{:.0} s", self.request.hang_after.as_secs_f64());
        let doing = self.now.filter(|now| *now == self.told).map_or_else(
            || "while creating or removing the area".to_owned(),
            |now| format!("while trying {}", PROBES[now].name),
        );
        let seconds = Value::Number(self.request.hang_after.as_secs_f64());
        self.lines.push(probed_line(UNANSWERED_S, Ok(&seconds)));
        for (number, probe) in PROBES.iter().enumerate().skip(self.told) {
            let why = match self.now {
                Some(now) if now == number => format!("the storage did not respond for {long}"),
                _ => "not tried, because the storage no longer responded".to_owned(),
            };
            self.lines.extend(probe.facts.iter().map(|fact| probed_line(fact, Err(&why))));
        }
        let note = format!(
            "{} has not responded for {long} ({doing}). Check {}. The next probe or run removes the probe \
             files, and so does 'reelgauge clean'.",
            shown(&self.request.target),
            self.kind.where_to_look()
        );
        Probed { text: self.lines.join("\n") + "\n", notes: vec![note], is_whole: false }
    }
}

/// Whether there was no space for the files.
fn is_full(error: &RunError) -> bool {
    let is_short = |source: &io::Error| {
        matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    };
    match error {
        RunError::Area(AreaError::Full { .. })
        | RunError::Scratch(ScratchError::Area(AreaError::Full { .. })) => true,
        RunError::Scratch(ScratchError::Io { source, .. }) => is_short(source),
        _ => false,
    }
}

fn shown(path: &Path) -> String {
    reelgauge_report::text::plain(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn request(target: &Path) -> ProbeRequest {
        ProbeRequest {
            target: target.to_owned(),
            terms: Terms::default(),
            hang_after: Duration::from_secs(60),
        }
    }

    #[test]
    fn probe_leaves_no_files() {
        let target = tempfile::tempdir().unwrap();
        let probed = probe(&request(target.path()), &Interrupt::default()).unwrap();
        assert!(probed.is_whole, "{probed:?}");
        for fact in PROBES.iter().flat_map(|probe| probe.facts) {
            assert!(probed.text.lines().any(|line| line.starts_with(&format!("{fact} "))), "{fact}");
        }
        assert_eq!(std::fs::read_dir(target.path()).unwrap().count(), 0);
    }

    #[test]
    fn existing_area_is_kept_and_leftovers_of_a_killed_probe_are_removed() {
        let target = tempfile::tempdir().unwrap();
        let area = Area::open_or_create(target.path()).unwrap();
        let left = area.root().join("scratch").join(FOLDER);
        std::fs::create_dir_all(&left).unwrap();
        std::fs::write(left.join("take:1 "), "left").unwrap();
        probe(&request(target.path()), &Interrupt::default()).unwrap();
        assert!(area.root().exists() && !area.root().join("scratch").exists());
    }

    #[test]
    fn two_at_once_are_refused_by_the_lock_of_the_area() {
        let target = tempfile::tempdir().unwrap();
        let area = Area::open_or_create(target.path()).unwrap();
        let _run = LockedTarget::take(&area).unwrap();
        let refused = probe(&request(target.path()), &Interrupt::default()).unwrap_err();
        assert!(refused.to_string().contains("in use by another run"), "{refused}");
        assert_eq!(refused.exit_code(), 2);
    }

    #[test]
    fn an_interrupted_probe_ends_and_leaves_nothing() {
        let target = tempfile::tempdir().unwrap();
        let interrupt = Interrupt::default();
        interrupt.ask(crate::interrupt::StoppedBy::User);
        let stopped = probe(&request(target.path()), &interrupt).unwrap_err();
        assert!(matches!(stopped, ProbeError::Stopped) && stopped.exit_code() == 130, "{stopped}");
        assert_eq!(std::fs::read_dir(target.path()).unwrap().count(), 0);
    }

    /// Facts that need no writing can be judged on a full disk.
    #[test]
    fn full_disk_makes_probes_unknown_without_an_error() {
        let (request, steps, interrupt) =
            (request(Path::new("/mnt/full")), Steps::default(), Interrupt::default());
        let end = |error: RunError| {
            let (sender, said) = channel();
            sender.send(Said::Done(Err(error))).unwrap();
            Listener::new(&request, &steps, &interrupt).until_over(&said)
        };
        let full = AreaError::Full { doing: "create the area", path: PathBuf::from("/mnt/full") };
        let probed = end(full.into()).unwrap();
        assert!(!probed.is_whole && probed.text.contains("probes_made ! no space or inode"), "{probed:?}");
        assert!(probed.text.contains("\nflock ! no space or inode"), "{probed:?}");
        assert!(probed.notes[0].contains("no space"), "{probed:?}");
        let scratch =
            ScratchError::Io { path: PathBuf::from("/a"), source: io::ErrorKind::StorageFull.into() };
        assert!(end(scratch.into()).is_ok());
        let denied =
            ScratchError::Io { path: PathBuf::from("/a"), source: io::ErrorKind::PermissionDenied.into() };
        assert!(end(denied.into()).is_err());
    }

    /// The report on storage that stops answering in the second probe.
    #[test]
    fn facts_before_a_hang_are_kept_and_the_rest_is_unknown() {
        let steps = Steps::default();
        let request =
            ProbeRequest { hang_after: Duration::from_millis(50), ..request(Path::new("/mnt/nas")) };
        let interrupt = Interrupt::default();
        let (sender, said) = channel();
        sender.send(Said::Lies(MountKind::LocalDisk)).unwrap();
        sender.send(Said::Begins(0)).unwrap();
        sender.send(Said::Found(vec![("clock", Noted::Word("shared".to_owned()))])).unwrap();
        sender.send(Said::Begins(1)).unwrap();
        let probed = Listener::new(&request, &steps, &interrupt).until_over(&said).unwrap();
        assert!(!probed.is_whole);
        assert!(probed.text.contains("clock = shared\n"), "{}", probed.text);
        assert!(probed.text.contains("flock ! the storage did not respond"), "{}", probed.text);
        assert!(probed.text.contains("xattrs ! not tried"), "{}", probed.text);
        assert!(probed.notes[0].contains("while trying locks"), "{:?}", probed.notes);
        assert!(probed.notes[0].contains("Check the disk and the system's log"), "{:?}", probed.notes);
        assert!(probed.text.contains("unanswered_s = 0.05\n"), "{}", probed.text);
    }
}
