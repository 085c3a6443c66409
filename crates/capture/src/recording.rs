//! One recording from start to end: opens, mounts, serves, and unmounts.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use fuser::{BackgroundSession, Config, Session, SessionACL};
use jiff::Timestamp;
use reelgauge_record::log::{CaptureLevel, LogMeta};
use reelgauge_trace::{TraceError, TraceInfo, TraceWriter};
use rustix::fs::{AtFlags, CWD, statat};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::anonymise::Anonymiser;
use crate::command::{self, Interrupts, Surroundings};
use crate::drain::Drain;
use crate::journal::Journal;
use crate::mount::{Mounted, Unmounted, is_dead, is_within, mount_at, put_in};
use crate::mutex::lock;
use crate::names::NameTable;
use crate::request_recorder::{Handles, Recorder};
use crate::requests::max_request_text;
use crate::storage::{Locator, Storage};
use crate::tree::{Tree, key_of};
use crate::{CaptureError, CaptureOptions, CommandEnd, Recorded, Tally};

/// Requests that are served concurrently. An application with more requests in flight would have to
/// wait, which would increase its recorded times. So there are more than applications usually have.
const THREADS: u32 = 32;
/// The name of the recorder in the log.
const AGENT: &str = "local";
/// Number of requests that measure the round trip to the recorder.
const ROUND_TRIPS: usize = 200;
/// How long to wait for the last closes, which the kernel sends after the end of the command.
const LAST_CLOSES: Duration = Duration::from_millis(500);

/// How soon after the unmount the connection ends, if no other mount namespace has a copy of the mount.
const CONNECTION_ENDS: Duration = Duration::from_millis(500);

/// The operations that this kind of capture can't see, for every trace.
const BLIND_TO: [&str; 4] = [
    "locks",
    "O_CREAT on files that exist",
    "which bytes of a page a memory map touched",
    "operations that the mount refuses, but the storage might not: files without a name (O_TMPFILE), and \
     collapse and insert range (fallocate)",
];

fn blind_to() -> Vec<String> {
    let longest = max_request_text();
    let parts = format!("the lengths of reads and writes above {longest}, which the kernel splits");
    BLIND_TO.map(str::to_owned).into_iter().chain([parts]).collect()
}

/// Records; see [`crate::record`].
pub(crate) fn record(options: &CaptureOptions, ready: impl FnOnce(&Path)) -> Result<Recorded, CaptureError> {
    let places = Places::of(options)?;
    // Before mounting, so that Ctrl-C always unmounts.
    let mut interrupts = Interrupts::listen().map_err(io_error("listen for Ctrl-C"))?;
    let mut running = Running::start(options, &places)?;
    ready(&places.point);
    let ended = running.watch(options, &places, &mut interrupts);
    let unmounted = running.take_down();
    let command = match ended {
        Ok(command) => command,
        Err(error) => {
            running.give_up();
            return Err(error);
        }
    };
    // Without a command, Ctrl-C is the normal way to end a recording.
    let was_interrupted = command.is_some() && interrupts.count > 0;
    running.finish(options, command, was_interrupted, unmounted)
}

fn io_error(action: &'static str) -> impl Fn(io::Error) -> CaptureError {
    move |source| CaptureError::Io { action, source }
}

/// The directories of a recording.
#[derive(Debug)]
struct Places {
    dir: PathBuf,
    point: PathBuf,
    /// The command's directory: the user's current directory, as seen through the mount.
    cwd: Option<PathBuf>,
}

impl Places {
    /// Resolves the directories, and refuses combinations that can't work.
    fn of(options: &CaptureOptions) -> Result<Places, CaptureError> {
        let dir = existing_dir(&options.dir)?;
        if dir == Path::new("/") {
            return Err(CaptureError::Root);
        }
        let point = match &options.mount {
            Some(point) => existing_dir(point)?,
            None => dir.clone(),
        };
        if options.mount.is_some() && is_within(&point, &dir) {
            return Err(CaptureError::MountInside { point });
        }
        let out = settled(&options.out).map_err(io_error("find the directory for the trace"))?;
        if is_within(&out, &dir) || is_within(&out, &point) {
            return Err(CaptureError::OutInside { dir });
        }
        let here = std::env::current_dir().and_then(std::fs::canonicalize).ok();
        let cwd = here.and_then(|here| Some(point.join(here.strip_prefix(&dir).ok()?)));
        Ok(Places { dir, point, cwd })
    }
}

/// A directory by its real path.
fn existing_dir(path: &Path) -> Result<PathBuf, CaptureError> {
    let refused = |source: io::Error| match is_dead(&source) {
        true => CaptureError::Dead { path: path.to_owned() },
        false => CaptureError::Dir { path: path.to_owned(), source },
    };
    let real = std::fs::canonicalize(path).map_err(refused)?;
    if std::fs::metadata(&real).map_err(refused)?.is_dir() {
        Ok(real)
    } else {
        Err(refused(io::ErrorKind::NotADirectory.into()))
    }
}

/// The real path of an entry that need not exist.
fn settled(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    for ancestor in path.ancestors() {
        if let Ok(real) = std::fs::canonicalize(ancestor) {
            let rest = path.strip_prefix(ancestor).unwrap_or(Path::new(""));
            return Ok(real.join(rest));
        }
    }
    Ok(path)
}

/// A recording in progress.
struct Running {
    journal: Arc<Journal>,
    open: Arc<Handles>,
    drain: Option<JoinHandle<Result<(TraceWriter, Tally), TraceError>>>,
    session: Option<BackgroundSession>,
    mounted: Mounted,
    round_trip_ns: Option<f64>,
    /// Processes that the command started and that were still running at its end.
    left_behind: Mutex<Vec<String>>,
    /// Processes in other mount namespaces that had a copy of the mount at the end; the list may be
    /// empty if none is visible.
    held_elsewhere: Option<Vec<String>>,
}

impl Running {
    fn start(options: &CaptureOptions, places: &Places) -> Result<Running, CaptureError> {
        let opened =
            |error: rustix::io::Errno| CaptureError::Dir { path: places.dir.clone(), source: error.into() };
        let storage = Storage::open(&places.dir).map_err(opened)?;
        let below = Storage::open(&places.dir).map_err(opened)?;
        let root = storage.stat(Locator::Path(Path::new(""))).map_err(opened)?;
        let meta = LogMeta {
            run_ns: i64::try_from(Timestamp::now().as_nanosecond()).unwrap_or(0),
            agent: AGENT.to_owned(),
            capture: CaptureLevel::Application,
            blind_to: blind_to(),
        };
        let mut writer = TraceWriter::create(&options.out, &trace_name(options, places), meta)?;
        writer.keep_safe(&about(options, &writer))?;
        let journal = Arc::new(Journal::new(THREADS));
        let names = Arc::new(Mutex::new(NameTable::new(options.anonymise.then(Anonymiser::new))));
        let open = Arc::new(Handles::default());
        let tree = Tree::new(key_of(&root), Arc::clone(&names));
        let recorder = Recorder {
            journal: Arc::clone(&journal),
            storage,
            tree,
            homes: vec![places.dir.clone(), places.point.clone()],
            open: Arc::clone(&open),
        };
        let (mounted, device) = mount_at(&places.point, options.allow_other)?;
        let acl = if options.allow_other { SessionACL::All } else { SessionACL::Owner };
        let mut config = Config::default();
        config.acl = acl;
        config.n_threads = Some(THREADS as usize);
        config.clone_fd = true;
        // Unmounting is done here, so the session only gets the connection.
        let session = Session::from_fd(recorder, device, acl, config).and_then(Session::spawn);
        let session = session.map_err(io_error("serve the mount"))?;
        let drain = Drain::new(Arc::clone(&journal), names, writer);
        let drain = std::thread::Builder::new().name("drain".to_owned()).spawn(move || drain.run());
        let drain = drain.map_err(io_error("start a thread"))?;
        let round_trip_ns = round_trip(&places.point, &below);
        journal.switch(true);
        let left_behind = Mutex::default();
        let (drain, session) = (Some(drain), Some(session));
        let held_elsewhere = None;
        Ok(Running { journal, open, drain, session, mounted, round_trip_ns, left_behind, held_elsewhere })
    }

    /// Waits for the end of the command, or for the user to end the recording.
    fn watch(
        &self,
        options: &CaptureOptions,
        places: &Places,
        interrupts: &mut Interrupts,
    ) -> Result<Option<CommandEnd>, CaptureError> {
        let Some(program) = options.command.first() else {
            raise_file_limit();
            interrupts.wait(|| self.session.as_ref().is_none_or(|session| session.guard.is_finished()));
            return Ok(None);
        };
        let command: Vec<_> = match options.mount {
            Some(_) => options.command.iter().map(|word| put_in(word, &places.point)).collect(),
            None => options.command.clone(),
        };
        let around = Surroundings {
            point: &places.point,
            cwd: places.cwd.clone(),
            stdout_to_stderr: options.stdout_to_stderr,
        };
        let start = |source| CaptureError::Start { program: program.to_string_lossy().into_owned(), source };
        // The watchdog is a child process, too.
        let helpers = command::running_children();
        let child = command::start(&command, &around).map_err(start)?;
        // After starting the command, which must keep the original limit.
        raise_file_limit();
        let end = command::wait(child, interrupts).map_err(io_error("wait for the command"))?;
        let mut left = command::running_children();
        left.retain(|process| !helpers.contains(process));
        *lock(&self.left_behind) = left;
        let begin = Instant::now();
        while self.open.count() > 0 && begin.elapsed() < LAST_CLOSES {
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(Some(end))
    }

    /// Ends the recording and unmounts.
    fn take_down(&mut self) -> Unmounted {
        self.journal.switch(false);
        let unmounted = self.mounted.unmount();
        self.journal.worker_threads.dismiss();
        if let Some(session) = self.session.take()
            && unmounted == Unmounted::Clean
        {
            self.end_serving(session);
        }
        self.journal.close();
        unmounted
    }

    /// Waits for the end of the serving threads. Copies of the mount in other mount namespaces would
    /// keep them running, so these copies are disconnected. Threads that still do not end are ended with
    /// the process.
    fn end_serving(&mut self, session: BackgroundSession) {
        let ends_within = |patience: Duration| {
            let begin = Instant::now();
            while !session.guard.is_finished() && begin.elapsed() < patience {
                std::thread::sleep(Duration::from_millis(2));
            }
            session.guard.is_finished()
        };
        if !ends_within(CONNECTION_ENDS) {
            let holders = self.mounted.holders();
            // No known process has a copy: the host may just be slow.
            if !holders.is_empty() || !ends_within(4 * CONNECTION_ENDS) {
                self.held_elsewhere = Some(holders);
                if self.mounted.abort().is_err() || !ends_within(4 * CONNECTION_ENDS) {
                    return;
                }
            }
        }
        // Its error at the end is a closed connection, as expected.
        let _ = session.join();
    }

    /// Abandons a trace that has no operation.
    fn give_up(&mut self) {
        if let Some(drain) = self.drain.take() {
            drop(drain.join());
        }
    }

    fn finish(
        mut self,
        options: &CaptureOptions,
        command: Option<CommandEnd>,
        was_interrupted: bool,
        unmounted: Unmounted,
    ) -> Result<Recorded, CaptureError> {
        let died = || CaptureError::Io { action: "write the trace", source: io::ErrorKind::Other.into() };
        let drained = self.drain.take().ok_or_else(died)?.join().map_err(|_| died())?;
        let (writer, tally) = drained?;
        let target = writer.target().to_owned();
        let mut info = about(options, &writer);
        info.cost_ns_per_op = self.journal.cost_ns_per_op();
        info.round_trip_ns = self.round_trip_ns;
        info.left_out = self.journal.left_out();
        info.warnings = self.warnings(options, &tally, command, was_interrupted, unmounted);
        let trace = writer.finish(info)?;
        let info = trace.info().cloned().unwrap_or_default();
        Ok(Recorded { trace: target, info, tally, command, was_interrupted })
    }

    /// Warnings for users of the trace.
    fn warnings(
        &self,
        options: &CaptureOptions,
        tally: &Tally,
        command: Option<CommandEnd>,
        was_interrupted: bool,
        unmounted: Unmounted,
    ) -> Vec<String> {
        let mut warnings = Vec::new();
        match command {
            _ if was_interrupted => warnings.push("the recording was interrupted".to_owned()),
            Some(CommandEnd::Code(code)) if code != 0 => {
                warnings.push(format!("the command ended with exit code {code}"));
            }
            Some(CommandEnd::Signal(signal)) => warnings.push(format!("signal {signal} ended the command")),
            _ => {}
        }
        let left_behind = lock(&self.left_behind);
        if !left_behind.is_empty() {
            warnings.push(format!(
                "the recording ended with the command. It does not include later operations of processes \
                 that the command left running: {}",
                left_behind.join(", ")
            ));
        }
        if tally.ops == 0 {
            warnings.push("no file below the directory was used. Does the command use this path?".to_owned());
        }
        if tally.mapped > 0 {
            warnings.push(format!(
                "{} caused by memory maps; the kernel chose their sizes and times",
                if tally.mapped == 1 {
                    "1 read or write was".to_owned()
                } else {
                    format!("{} reads and writes were", tally.mapped)
                }
            ));
        }
        if tally.longest > 0 {
            warnings.push(format!(
                "{} of {} may be parts of longer ones, which the kernel splits",
                if tally.longest == 1 {
                    "1 read or write".to_owned()
                } else {
                    format!("{} reads and writes", tally.longest)
                },
                max_request_text()
            ));
        }
        if self.journal.full_waits() > 0 {
            warnings.push(format!(
                "the recorder could not write the trace fast enough and delayed operations {}",
                match self.journal.full_waits() {
                    1 => "once".to_owned(),
                    times => format!("{times} times"),
                }
            ));
        }
        if self.journal.worker_threads.most_busy() >= THREADS {
            warnings.push(format!("{THREADS} operations are served at once, and this limit was reached"));
        }
        if options.allow_other {
            warnings.push("stat operations include the kernel's own permission checks".to_owned());
        }
        warnings.extend(self.held_elsewhere.as_deref().map(held_elsewhere_words));
        if let Unmounted::Busy(users) = unmounted {
            let users = if users.is_empty() { "another process".to_owned() } else { users.join(", ") };
            warnings.push(format!(
                "{users} still used the mount when the recording ended, and lost access to it"
            ));
        }
        warnings
    }
}

/// The warning that a copy of the mount was disconnected, with the processes that used it.
fn held_elsewhere_words(holders: &[String]) -> String {
    let holders = match holders {
        [] => "a process that this user cannot see".to_owned(),
        holders => holders.join(", "),
    };
    format!(
        "another mount namespace had a copy of the mount when the recording ended; the copy was \
         disconnected. It belongs to {holders}"
    )
}

/// The trace's description at the start of a recording.
fn about(options: &CaptureOptions, writer: &TraceWriter) -> TraceInfo {
    TraceInfo {
        name: writer.target().file_name().unwrap_or_default().to_string_lossy().into_owned(),
        made_by: "record".to_owned(),
        source: source(options),
        blind_to: blind_to(),
        ..TraceInfo::default()
    }
}

/// The default name of the trace.
fn trace_name(options: &CaptureOptions, places: &Places) -> String {
    let base = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match (&options.name, options.command.first()) {
        (Some(name), _) => name.clone(),
        (None, Some(program)) => base(Path::new(program)),
        (None, None) if options.anonymise => "recording".to_owned(),
        (None, None) => base(&places.dir),
    }
}

/// The source for the trace's description. With anonymous names, arguments are omitted, because they are
/// names.
fn source(options: &CaptureOptions) -> String {
    let words = options.command.iter().map(|word| word.to_string_lossy());
    match (options.anonymise, options.command.first()) {
        (false, Some(_)) => words.collect::<Vec<_>>().join(" "),
        (true, Some(program)) => {
            Path::new(program).file_name().unwrap_or_default().to_string_lossy().into_owned()
        }
        (false, None) => options.dir.to_string_lossy().into_owned(),
        (true, None) => String::new(),
    }
}

/// Raises the limit of open files: each file that the application opens is also open in the recorder.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    // If this fails, the open that exceeds the limit shows the error.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// The additional time of a request through the mount, compared with one that bypasses it: the median of
/// many.
fn round_trip(point: &Path, below: &Storage) -> Option<f64> {
    let middle = |ask: &dyn Fn() -> bool| {
        let mut times = Vec::with_capacity(ROUND_TRIPS);
        for _ in 0..ROUND_TRIPS {
            let begin = Instant::now();
            if !ask() {
                return None;
            }
            times.push(begin.elapsed());
        }
        times.sort_unstable();
        times.get(ROUND_TRIPS / 2).copied()
    };
    let through = middle(&|| statat(CWD, point, AtFlags::empty()).is_ok())?;
    let past = middle(&|| below.stat(Locator::Path(Path::new(""))).is_ok())?;
    Some(through.saturating_sub(past).as_nanos() as f64)
}
