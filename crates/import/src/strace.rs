//! Importer for strace's output: an application's system calls on Linux, one by one.
//!
//! Made with [`COMMAND`]; `%process` distinguishes threads from child processes, which decides who
//! shares a descriptor. Without `-y` paths come from the arguments alone, without `-T` operations have
//! no duration. The steps of `-r` are added up; next to a time they show where that clock was set, and
//! are used instead. The whole seconds of `-t` are kept, with a warning that they are coarse.
//!
//! A file that `O_TMPFILE` makes has no name. Traces know files by name, so it has a made-up one, until
//! `linkat` gives it its own (a rename here) or its last descriptor is closed (a removal here).
//!
//! strace shows no offset for most reads and writes, so the importer follows the position of every open
//! file: through `dup`, `fork`, threads, `O_APPEND`, seeks and copies. A call that strace splits in two lines
//! (`<unfinished ...>`) begins with the first and takes effect with the second; a `close` takes effect at
//! once, since its number can be given out again before it returns.
//!
//! Cannot see: what goes through memory maps, through io_uring and through Linux's asynchronous I/O
//! (`io_submit`); where they are set up is seen, and the trace warns.
//!
//! The opening of a directory and its reading in pieces become one operation "list", from the first piece to
//! the last. The end of a process closes what it had open, as it does for the storage.

mod args;
mod calls;
mod census;
mod line;
mod links;
mod messages;
mod paths;
mod transfers;

use std::collections::HashMap;

use crate::day_clock::DayClock;
use crate::descriptors::{Handle, Processes};
use crate::sink::{HALF, Sink};
use crate::source_clock::Shown;
use crate::strace::args::Args;
use crate::strace::census::Census;
use crate::strace::line::{StraceLine, Time, What};
use crate::strace::links::SymbolicLinks;
use crate::strace::messages::Message;
use crate::{ImportError, LineError, LineResult, Source};

/// How such a file is made.
pub(crate) const COMMAND: &str = "strace -f -ttt -T -y -s 0 -e trace=%file,%desc,%process -o FILE COMMAND";

/// The most calls that wait for their second line.
const MAX_PENDING: usize = 1 << 16;
/// The most text of such calls.
const MAX_PENDING_BYTES: usize = 64 << 20;

/// The warning for lines of `-t`.
const COARSE: &str = "lines with times of whole seconds (strace -t), too coarse to replay the application's \
    pace. Replay with --pace max, or trace with -ttt";

/// Reads a whole source.
pub(crate) fn read(source: &mut Source<'_>) -> Result<(), ImportError> {
    source.sink.blind(&["memory-mapped I/O", "io_uring", "asynchronous I/O (io_submit)"]);
    let mut strace = Strace::default();
    source.each_line(|sink, text| strace.line(sink, text))?;
    strace.end(&mut source.sink);
    Ok(())
}

/// What is known between lines.
#[derive(Default)]
pub(crate) struct Strace {
    processes: Processes,
    /// Calls without their end, by process.
    pending: HashMap<u32, Pending>,
    pending_bytes: usize,
    /// Processes that are making others, in order, and whether these share descriptors.
    cloning: Vec<(u32, bool)>,
    /// The process of the last line; most lines have the same.
    last_pid: Option<u32>,
    clock: DayClock,
    /// The sum of all steps, where lines show the time since the one before.
    steps_ns: u64,
    /// What a wall clock showed at the last line that has a step next to it, and the corrected time then.
    stepped: Option<(u64, u64)>,
    census: Census,
    /// The beginning of a line that a message of strace has cut in two.
    cut: Option<Cut>,
    /// Symbolic links that calls have shown.
    links: SymbolicLinks,
    /// How many files without a name have got a made-up one.
    nameless: u32,
    /// Whether a directory got another name, so that paths of open files change for no reason of theirs.
    directories_renamed: bool,
    has_durations: bool,
    lacks_durations: bool,
    /// A call's two parts put together; kept for its memory.
    joined: Vec<u8>,
}

/// The beginning of a line that a message of strace has cut in two.
struct Cut {
    head: Vec<u8>,
    /// Whether the message was of the process that the call makes.
    has_child: bool,
}

/// A call without its end.
struct Pending {
    name: Vec<u8>,
    text: Vec<u8>,
    at_ns: u64,
    /// The open file of its first argument.
    first: Option<Handle>,
    /// For a `close`: the open file, and whether no other descriptor leads to it.
    closed: Option<(Handle, bool)>,
}

/// A call with its end.
pub(crate) struct Call<'a> {
    pid: u32,
    stream: u32,
    name: &'a [u8],
    args: Args<'a>,
    /// All arguments as they are printed.
    text: &'a [u8],
    start_ns: u64,
    end_ns: u64,
    value: u64,
    /// The process that it made.
    child: Option<u32>,
    errno: i32,
    path: Option<&'a [u8]>,
    first: Option<Handle>,
    closed: Option<(Handle, bool)>,
}

impl Call<'_> {
    fn succeeded(&self) -> bool {
        self.errno == 0
    }
}

impl Strace {
    /// Takes one line: of a call, of strace itself, or one that these have mixed.
    fn line(&mut self, sink: &mut Sink, text: &[u8]) -> LineResult {
        if messages::is_beside(text) {
            return Ok(());
        }
        if let Some((before, message)) = messages::split(text) {
            self.message(sink, before, message);
            return Ok(());
        }
        match self.cut.take() {
            None => self.whole(sink, text),
            Some(mut cut) => {
                let is_other = line::is_led(text);
                cut.head.extend_from_slice(if is_other { b" <unfinished ...>" } else { text });
                let first = self.whole(sink, &cut.head);
                if cut.has_child {
                    let parent = self.last_pid;
                    self.cloning.retain(|(pid, _)| Some(*pid) != parent);
                }
                if is_other { first.and(self.whole(sink, text)) } else { first }
            }
        }
    }

    /// A message of strace, and the beginning of a line that it has cut.
    fn message(&mut self, sink: &mut Sink, before: &[u8], message: Message) {
        let mut cut = self.cut.take().unwrap_or(Cut { head: Vec::new(), has_child: false });
        cut.head.extend_from_slice(before);
        if let Message::Attached(child) = message {
            cut.has_child |= self.attached(sink, &cut.head, child);
        }
        if !cut.head.is_empty() && cut.head.len() <= MAX_PENDING_BYTES {
            self.cut = Some(cut);
        }
    }

    /// strace has begun to trace a process. Whether it is the one that the call makes whose line was cut
    /// there.
    fn attached(&mut self, sink: &mut Sink, head: &[u8], child: u32) -> bool {
        if self.processes.knows(child) {
            return false;
        }
        if let Ok(StraceLine { pid, what: What::Call(name, rest), .. }) = line::parse(head)
            && makes_process(name)
        {
            let parent = self.process_of(pid, &What::Call(name, rest));
            self.fork(sink, parent, child, calls::shares_files(rest));
            return true;
        }
        if self.cloning.is_empty() {
            self.census.attached(child);
        } else {
            let (parent, shares) = self.cloning.remove(0);
            self.fork(sink, parent, child, shares);
        }
        false
    }

    /// The process of a line, which shows this number or (0) none.
    fn process_of(&mut self, shown: u32, what: &What<'_>) -> u32 {
        if shown == 0 {
            return self.census.unnumbered();
        }
        let (pending, cloning) = (&self.pending, &self.cloning);
        let resumes_first = || match what {
            What::Resumed(name, _) => pending.get(&census::FIRST).is_some_and(|call| call.name == *name),
            _ => false,
        };
        self.census.numbered(shown, || !cloning.is_empty() && !resumes_first())
    }

    /// Takes a whole line of a call.
    fn whole(&mut self, sink: &mut Sink, text: &[u8]) -> LineResult {
        let line = line::parse(text).map_err(|why| {
            // Its time has passed all the same.
            self.steps_ns = self.steps_ns.saturating_add(line::step(text).unwrap_or(0));
            LineError::Malformed(why)
        })?;
        let pid = self.process_of(line.pid, &line.what);
        let at_ns = self.time(sink, pid, &line);
        self.meet(sink, pid);
        match line.what {
            What::Call(name, rest) => {
                let begun = Begun { pid, name, at_ns, end_ns: None, first: None, closed: None };
                self.finished(sink, begun, rest)
            }
            What::Begun(name, rest) => {
                self.begun(sink, pid, name, rest, at_ns);
                Ok(())
            }
            What::Resumed(name, rest) => self.resumed(sink, pid, name, rest, at_ns),
            What::Ended => self.ended(sink, pid, at_ns),
            What::Superseded(other) => {
                self.superseded(sink, pid, other);
                Ok(())
            }
            What::Nothing => Ok(()),
        }
    }

    /// The time of a line, on one clock for all of them.
    fn time(&mut self, sink: &mut Sink, pid: u32, line: &StraceLine<'_>) -> u64 {
        if matches!(line.time, Time::Coarse(_) | Time::CoarseEpoch(_)) && line.step_ns.is_none() {
            sink.blind(&["times finer than a second"]);
            sink.warn(COARSE);
        }
        let (shown_ns, wall_ns) = match line.time {
            Time::Epoch(at_ns) | Time::CoarseEpoch(at_ns) => (at_ns, Some(at_ns)),
            Time::OfDay(at_ns) | Time::Coarse(at_ns) => (self.clock.at(at_ns), None),
            Time::Step(step_ns) => {
                // Steps from a hostile file may add up to more than a clock holds; they stop there.
                self.steps_ns = self.steps_ns.saturating_add(step_ns);
                (self.steps_ns, None)
            }
        };
        if let Some(step_ns) = line.step_ns {
            let at_ns = self.by_step(sink, shown_ns, step_ns);
            sink.begin(at_ns, wall_ns);
            return at_ns;
        }
        let printed_after_ns = match line.what {
            What::Call(_, rest) => line::duration(rest).1.map(|took_ns| shown_ns.saturating_add(took_ns)),
            _ => None,
        };
        let shown = Shown { thread: u64::from(pid), at_ns: shown_ns, began_before_ns: 0, printed_after_ns };
        let at_ns = sink.time(shown);
        sink.begin(at_ns, wall_ns.filter(|_| at_ns == shown_ns));
        at_ns
    }

    /// The time of a line that shows its step since the line before, next to the time of a clock that may be
    /// set.
    fn by_step(&mut self, sink: &mut Sink, shown_ns: u64, step_ns: u64) -> u64 {
        // Steps that -r cuts to microseconds add up to less than the time that passes, so the other clock is
        // used while both agree.
        const AGREES_NS: u64 = 2_000_000;
        let at_ns = match self.stepped {
            None => shown_ns,
            Some((last_ns, at_ns)) => {
                // A line that could not be understood has left its step in the sum.
                let step_ns = step_ns.saturating_add(std::mem::take(&mut self.steps_ns));
                let by_step_ns = at_ns.saturating_add(step_ns);
                let agrees = last_ns.saturating_add(step_ns).abs_diff(shown_ns) <= AGREES_NS;
                if shown_ns < last_ns && !agrees {
                    sink.clock_stepped(last_ns.saturating_add(step_ns).saturating_sub(shown_ns));
                }
                match agrees {
                    true => at_ns.saturating_add(shown_ns.saturating_sub(last_ns)),
                    false => by_step_ns,
                }
            }
        };
        self.stepped = Some((shown_ns, at_ns));
        at_ns
    }

    /// A new process: one that is being made, or a thread of the first.
    fn meet(&mut self, sink: &mut Sink, pid: u32) {
        if self.last_pid == Some(pid) {
            return;
        }
        let is_first = self.last_pid.is_none();
        self.last_pid = Some(pid);
        if is_first {
            self.processes.take_for_thread(pid);
            return;
        }
        if self.processes.knows(pid) {
            return;
        }
        if self.cloning.is_empty() {
            sink.warn(
                "processes whose creation the source does not show (it was traced without %process); they \
                 were taken for threads",
            );
            self.processes.take_for_thread(pid);
        } else {
            let (parent, shares) = self.cloning.remove(0);
            self.fork(sink, parent, pid, shares);
        }
    }

    fn fork(&mut self, sink: &mut Sink, parent: u32, child: u32, shares_files: bool) {
        self.census.born(child);
        if !self.processes.begin(parent, child, shares_files) {
            sink.warn("processes with too many open files to follow them");
        }
    }

    /// The first line of two.
    fn begun(&mut self, sink: &mut Sink, pid: u32, name: &[u8], rest: &[u8], at_ns: u64) {
        if makes_process(name) && self.cloning.len() < MAX_PENDING {
            self.cloning.push((pid, calls::shares_files(rest)));
        }
        let number = args::descriptor(rest.split(|&byte| byte == b',').next().unwrap_or(rest));
        let number = number.map(|descriptor| descriptor.number);
        let mut pending =
            Pending { name: name.to_vec(), text: rest.to_vec(), at_ns, first: None, closed: None };
        match number {
            Some(number) if name == b"close" => pending.closed = self.processes.close(pid, number),
            Some(number) => pending.first = self.processes.get(pid, number),
            None => {}
        }
        if let Some(lost) = self.pending.remove(&pid) {
            self.pending_bytes -= lost.text.len();
            sink.leave_out(HALF);
        }
        if self.pending.len() >= MAX_PENDING || self.pending_bytes + pending.text.len() > MAX_PENDING_BYTES {
            sink.leave_out("too many concurrent calls to follow");
            return;
        }
        self.pending_bytes += pending.text.len();
        self.pending.insert(pid, pending);
    }

    /// The second line of two.
    fn resumed(&mut self, sink: &mut Sink, pid: u32, name: &[u8], rest: &[u8], end_ns: u64) -> LineResult {
        let Some(pending) = self.pending.remove(&pid) else {
            sink.leave_out(HALF);
            return Ok(());
        };
        self.pending_bytes -= pending.text.len();
        if pending.name != name {
            sink.leave_out(HALF);
            return Ok(());
        }
        let mut joined = std::mem::take(&mut self.joined);
        joined.clear();
        joined.extend_from_slice(&pending.text);
        joined.extend_from_slice(rest);
        let begun = Begun {
            pid,
            name: &pending.name,
            at_ns: pending.at_ns,
            end_ns: Some(end_ns),
            first: pending.first,
            closed: pending.closed,
        };
        let result = self.finished(sink, begun, &joined);
        self.joined = joined;
        result
    }

    fn finished(&mut self, sink: &mut Sink, begun: Begun<'_>, text: &[u8]) -> LineResult {
        let (args, rest) = args::split(text).ok_or(LineError::Malformed("no end of the call's arguments"))?;
        let printed = &text[..text.len() - rest.len()];
        let returned = match line::returned(rest).map_err(LineError::Malformed)? {
            Some(returned) => returned,
            None => {
                self.cloning.retain(|(pid, _)| *pid != begun.pid);
                if !matches!(begun.name, b"exit" | b"exit_group") {
                    sink.leave_out("interrupted calls that the kernel restarted");
                }
                return Ok(());
            }
        };
        match returned.duration_ns {
            Some(_) => self.has_durations = true,
            None => self.lacks_durations = true,
        }
        let end_ns = match (returned.duration_ns, begun.end_ns) {
            (Some(duration_ns), _) => begun.at_ns.saturating_add(duration_ns),
            (None, Some(end_ns)) => end_ns,
            (None, None) => begun.at_ns,
        };
        let call = Call {
            pid: begun.pid,
            stream: 0,
            name: begun.name,
            args,
            text: printed,
            start_ns: begun.at_ns,
            end_ns,
            value: returned.value,
            child: returned.pid,
            errno: returned.errno,
            path: returned.path,
            first: begun.first,
            closed: begun.closed,
        };
        sink.lasted(u64::from(call.pid), call.end_ns);
        self.apply(sink, call)
    }

    /// A process or thread has ended.
    fn ended(&mut self, sink: &mut Sink, pid: u32, at_ns: u64) -> LineResult {
        if let Some(lost) = self.pending.remove(&pid) {
            self.pending_bytes -= lost.text.len();
        }
        self.cloning.retain(|(parent, _)| *parent != pid);
        self.last_pid = Some(u32::MAX);
        self.census.ended(pid);
        let gone = self.processes.end(pid);
        self.close_for_good(sink, pid, at_ns, gone)?;
        sink.thread_ended(u64::from(pid));
        Ok(())
    }

    /// A thread has started a program, and has the number of its process from now on. The other threads
    /// have ended.
    fn superseded(&mut self, sink: &mut Sink, pid: u32, other: u32) {
        if let Some(lost) = self.pending.remove(&pid) {
            self.pending_bytes -= lost.text.len();
        }
        if let Some(call) = self.pending.remove(&other) {
            self.pending.insert(pid, call);
        }
        // They share one table, so nothing is closed by this.
        self.processes.end(other);
        self.census.ended(other);
        self.last_pid = Some(u32::MAX);
        sink.thread_ended(u64::from(other));
    }

    /// The end of the source.
    fn end(&mut self, sink: &mut Sink) {
        if let Some(cut) = self.cut.take() {
            let _ = self.whole(sink, &[&cut.head[..], b" <unfinished ...>"].concat());
        }
        for _ in self.pending.drain() {
            sink.leave_out(HALF);
        }
        if self.lacks_durations && !self.has_durations {
            sink.blind(&["durations"]);
        }
    }
}

/// A call as it is known before its arguments are taken apart.
struct Begun<'a> {
    pid: u32,
    name: &'a [u8],
    at_ns: u64,
    end_ns: Option<u64>,
    first: Option<Handle>,
    closed: Option<(Handle, bool)>,
}

/// Whether a call makes a process or a thread.
fn makes_process(name: &[u8]) -> bool {
    matches!(name, b"clone" | b"clone3" | b"fork" | b"vfork")
}

/// Whether a line is one of strace's, with a time that can be used.
pub(crate) fn looks_like(line: &[u8]) -> bool {
    line::parse(line).is_ok_and(|line| match line.what {
        What::Call(_, rest) => args::split(rest).is_some_and(|(_, rest)| line::returned(rest).is_ok()),
        What::Begun(..) | What::Resumed(..) => true,
        What::Ended | What::Superseded(_) | What::Nothing => false,
    })
}
