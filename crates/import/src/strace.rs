//! Importer for strace's output: an application's system calls on Linux, one by one.
//!
//! Made with [`COMMAND`]; `%process` distinguishes threads from child processes, and so shows which of
//! them share descriptors. Without `-y`, paths come from the arguments alone; without `-T`, operations
//! have no duration. The steps of `-r` are added up. If a time is shown as well, the steps reveal that
//! its clock was set, and are then used instead. The whole seconds of `-t` are used, with a warning that
//! they are coarse.
//!
//! A file created with `O_TMPFILE` has no name. Traces identify files by name, so it has a made-up name
//! until `linkat` gives it a real one (a rename here) or its last descriptor is closed (a removal here).
//!
//! strace shows no offset for most reads and writes, so the importer tracks the position of every open
//! file: through `dup`, `fork`, threads, `O_APPEND`, seeks and copies. A call that strace splits into
//! two lines (`<unfinished ...>`) starts with the first and takes effect with the second. A `close`
//! takes effect immediately, because its number can be reused before it returns.
//!
//! Cannot see: memory-mapped I/O, io_uring, and Linux's asynchronous I/O (`io_submit`). Their setup is
//! visible, and the trace warns about it.
//!
//! Opening a directory and reading it in parts become one operation "list", from the first part to the
//! last. The end of a process closes its open files, as it does on the storage.

mod args;
mod calls;
mod line;
mod links;
mod messages;
mod paths;
mod process_lookup;
mod transfers;

use std::collections::HashMap;

use crate::day_clock::DayClock;
use crate::descriptors::{Handle, Processes};
use crate::sink::{HALF, Sink};
use crate::source_clock::Shown;
use crate::strace::args::Args;
use crate::strace::line::{LineContent, StraceLine, Time};
use crate::strace::links::SymbolicLinks;
use crate::strace::messages::Message;
use crate::strace::process_lookup::Census;
use crate::{ImportError, LineError, LineResult, Source};

/// The command that makes such a file.
pub(crate) const COMMAND: &str = "strace -f -ttt -T -y -s 0 -e trace=%file,%desc,%process -o FILE COMMAND";

/// Limit of calls that wait for their second line.
const MAX_PENDING: usize = 1 << 16;
/// Limit of the text of such calls.
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

/// The state between lines.
#[derive(Default)]
pub(crate) struct Strace {
    processes: Processes,
    /// Calls without their end, by process.
    pending: HashMap<u32, Pending>,
    pending_bytes: usize,
    /// Processes that are creating others, in order, and whether these share descriptors.
    cloning: Vec<(u32, bool)>,
    /// The process of the last line; most lines have the same.
    last_pid: Option<u32>,
    clock: DayClock,
    /// The sum of all steps, if lines show the time since the previous line.
    steps_ns: u64,
    /// The wall-clock time of the last line that also had a step, and the corrected time of that line.
    stepped: Option<(u64, u64)>,
    census: Census,
    /// The first part of a line that a message of strace split.
    cut: Option<Cut>,
    /// Symbolic links that calls revealed.
    links: SymbolicLinks,
    /// Number of unnamed files that got a made-up name.
    nameless: u32,
    /// Whether a directory was renamed, so that the shown paths of open files may change without their
    /// own rename.
    directories_renamed: bool,
    has_durations: bool,
    lacks_durations: bool,
    /// Buffer to join the two parts of a call; kept to reuse its memory.
    joined: Vec<u8>,
}

/// The first part of a line that a message of strace split.
struct Cut {
    head: Vec<u8>,
    /// Whether the message was about the process that the call creates.
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

/// A call with its result.
pub(crate) struct Call<'a> {
    pid: u32,
    stream: u32,
    name: &'a [u8],
    args: Args<'a>,
    /// All arguments as printed.
    text: &'a [u8],
    start_ns: u64,
    end_ns: u64,
    value: u64,
    /// The process that it created.
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
    /// Processes one line: a call, a message of strace, or a mixture of both.
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
                let is_other = line::has_line_start(text);
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

    /// Handles a message of strace, and the first part of the line that it split.
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

    /// Handles the message that strace attached to a process. Returns whether the call on the split line
    /// creates that process.
    fn attached(&mut self, sink: &mut Sink, head: &[u8], child: u32) -> bool {
        if self.processes.knows(child) {
            return false;
        }
        if let Ok(StraceLine { pid, what: LineContent::Call(name, rest), .. }) = line::parse(head)
            && makes_process(name)
        {
            let parent = self.process_of(pid, &LineContent::Call(name, rest));
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

    /// The process of a line with this number, or 0 if the line has none.
    fn process_of(&mut self, shown: u32, what: &LineContent<'_>) -> u32 {
        if shown == 0 {
            return self.census.unnumbered();
        }
        let (pending, cloning) = (&self.pending, &self.cloning);
        let resumes_first = || match what {
            LineContent::Resumed(name, _) => {
                pending.get(&process_lookup::FIRST).is_some_and(|call| call.name == *name)
            }
            _ => false,
        };
        self.census.numbered(shown, || !cloning.is_empty() && !resumes_first())
    }

    /// Processes a complete line of a call.
    fn whole(&mut self, sink: &mut Sink, text: &[u8]) -> LineResult {
        let line = line::parse(text).map_err(|why| {
            // The line's step counts even if its call cannot be parsed.
            self.steps_ns = self.steps_ns.saturating_add(line::step(text).unwrap_or(0));
            LineError::Malformed(why)
        })?;
        let pid = self.process_of(line.pid, &line.what);
        let at_ns = self.time(sink, pid, &line);
        self.meet(sink, pid);
        match line.what {
            LineContent::Call(name, rest) => {
                let begun = Begun { pid, name, at_ns, end_ns: None, first: None, closed: None };
                self.finished(sink, begun, rest)
            }
            LineContent::Begun(name, rest) => {
                self.begun(sink, pid, name, rest, at_ns);
                Ok(())
            }
            LineContent::Resumed(name, rest) => self.resumed(sink, pid, name, rest, at_ns),
            LineContent::Ended => self.ended(sink, pid, at_ns),
            LineContent::Superseded(other) => {
                self.superseded(sink, pid, other);
                Ok(())
            }
            LineContent::Nothing => Ok(()),
        }
    }

    /// The time of a line, on one clock for all lines.
    fn time(&mut self, sink: &mut Sink, pid: u32, line: &StraceLine<'_>) -> u64 {
        if matches!(line.time, Time::Coarse(_) | Time::CoarseEpoch(_)) && line.step_ns.is_none() {
            sink.blind(&["times finer than a second"]);
            sink.warn(COARSE);
        }
        let (shown_ns, wall_ns) = match line.time {
            Time::Epoch(at_ns) | Time::CoarseEpoch(at_ns) => (at_ns, Some(at_ns)),
            Time::OfDay(at_ns) | Time::Coarse(at_ns) => (self.clock.at(at_ns), None),
            Time::Step(step_ns) => {
                // Steps from a hostile file may exceed the range of the clock; the sum then stays at the
                // maximum.
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
            LineContent::Call(_, rest) => {
                line::duration(rest).1.map(|took_ns| shown_ns.saturating_add(took_ns))
            }
            _ => None,
        };
        let shown = Shown { thread: u64::from(pid), at_ns: shown_ns, began_before_ns: 0, printed_after_ns };
        let at_ns = sink.time(shown);
        sink.begin(at_ns, wall_ns.filter(|_| at_ns == shown_ns));
        at_ns
    }

    /// The time of a line with both a step since the previous line and a time of a clock that may be
    /// set.
    fn by_step(&mut self, sink: &mut Sink, shown_ns: u64, step_ns: u64) -> u64 {
        // `-r` truncates steps to microseconds, so their sum is less than the elapsed time. The other
        // clock is used while both agree.
        const AGREES_NS: u64 = 2_000_000;
        let at_ns = match self.stepped {
            None => shown_ns,
            Some((last_ns, at_ns)) => {
                // Lines that could not be parsed have added their steps to the sum.
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

    /// Registers a new process: one that is being created, or a thread of the first.
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

    /// Handles the first line of a split call.
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

    /// Handles the second line of a split call.
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

    /// Handles the end of a process or thread.
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

    /// Handles `exec` in a thread, which then has the number of its process. The other threads have
    /// ended.
    fn superseded(&mut self, sink: &mut Sink, pid: u32, other: u32) {
        if let Some(lost) = self.pending.remove(&pid) {
            self.pending_bytes -= lost.text.len();
        }
        if let Some(call) = self.pending.remove(&other) {
            self.pending.insert(pid, call);
        }
        // They share one table, so this closes no file.
        self.processes.end(other);
        self.census.ended(other);
        self.last_pid = Some(u32::MAX);
        sink.thread_ended(u64::from(other));
    }

    /// Handles the end of the source.
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

/// A call before its arguments are parsed.
struct Begun<'a> {
    pid: u32,
    name: &'a [u8],
    at_ns: u64,
    end_ns: Option<u64>,
    first: Option<Handle>,
    closed: Option<(Handle, bool)>,
}

/// Whether a call creates a process or a thread.
fn makes_process(name: &[u8]) -> bool {
    matches!(name, b"clone" | b"clone3" | b"fork" | b"vfork")
}

/// Whether a line is from strace, with a usable time.
pub(crate) fn looks_like(line: &[u8]) -> bool {
    line::parse(line).is_ok_and(|line| match line.what {
        LineContent::Call(_, rest) => args::split(rest).is_some_and(|(_, rest)| line::returned(rest).is_ok()),
        LineContent::Begun(..) | LineContent::Resumed(..) => true,
        LineContent::Ended | LineContent::Superseded(_) | LineContent::Nothing => false,
    })
}
