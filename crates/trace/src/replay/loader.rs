//! Reads a trace for a replay, once, in the order of issue, into [`PackedTrace`] and [`PreState`].
//!
//! A trace is untrusted. All its values are checked here before anything is done: names, offsets,
//! lengths, and the numbers of threads, open files and operations.
//!
//! Reads and writes longer than [`PIECE_BYTES`] are split, so that buffers stay small.

use std::collections::{BTreeMap, HashMap};
use std::fs;

use reelgauge_record::log::FileEntry;
use reelgauge_record::{OpFlags, OpKind, OpRecord, OpenBits};
use reelgauge_workload::replay::{Pacing, ReplayOrder, ReplayPlan};

use super::error::ReplayError;
use super::handles::Handles;
use super::lanes::{LANES_MAX, LanePosition, Lanes};
use super::not_replayed::{NotReplayed, Without};
use super::order::{Event, Past, Use};
use super::packed::{Marks, NO_HANDLE, NO_OP, Odd, PackedOp, PackedTrace};
use crate::name::for_windows;
use crate::prestate::names::{NONE, TraceNames};
use crate::prestate::walk::{Seen, Walk};
use crate::prestate::{PreState, Prepare, climbs, decide};
use crate::trace::Trace;

mod dependencies;
mod reorder;
mod thread_order;

use dependencies::Waits;
use reorder::Reorder;

/// Limit of operations in memory (36 bytes each).
pub const OPS_MAX: u64 = 50_000_000;
/// Limit of files in a replayed trace.
pub const FILES_MAX: u64 = 1 << 20;
/// Longer reads and writes are split into pieces of this size.
pub const PIECE_BYTES: u32 = 64 << 20;
/// Limit of files that a trace may have open at once.
pub const OPEN_MAX: u32 = 30_000;
/// Limit of the time from the first operation to the start of the last one: a year.
pub const SPAN_MAX_NS: u64 = 366 * 24 * 3600 * 1_000_000_000;
/// The largest plan file that is read.
const PLAN_BYTES_MAX: u64 = 1 << 20;

/// The replay settings that affect loading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The order in which operations wait for each other.
    pub order: ReplayOrder,
    /// The pacing, which decides when operations start.
    pub pace: Pacing,
    /// Longer idle times are cut to this.
    pub idle_cap_ns: Option<u64>,
    /// The features that the target lacks.
    pub without: Without,
    /// Whether names that Windows forbids are replaced.
    pub on_windows: bool,
}

/// The operations that only some targets support: links that are made or existed before, and exchanges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Number of hard links.
    pub hard: u64,
    /// Number of symbolic links.
    pub symbolic: u64,
    /// Renames that exchange two names.
    pub exchanges: u64,
}

/// A trace that can be replayed.
#[derive(Debug)]
pub struct Replayable {
    /// The operations, packed in memory.
    pub packed: PackedTrace,
    /// The files that must exist before the replay.
    pub before: PreState,
    /// The links that the target must support.
    pub links: LinkCounts,
    /// Operations that are not replayed, by kind.
    pub left_out: BTreeMap<NotReplayed, u64>,
    /// Sentences about the differences from the recording.
    pub notes: Vec<String>,
    /// The files of the trace with the names of the replay, if they differ from those of the trace.
    pub renamed_files: Option<Vec<FileEntry>>,
}

/// Loads a trace.
///
/// # Errors
/// [`ReplayError`]: the trace can't be read, or a replay is unsafe or impossible.
pub fn load(trace: &Trace, wanted: Wanted) -> Result<Replayable, ReplayError> {
    let ops = trace.ops();
    if ops > OPS_MAX {
        return Err(ReplayError::TooManyOps { ops, limit: OPS_MAX });
    }
    let files = trace.files().len() as u64;
    if files > FILES_MAX {
        return Err(ReplayError::TooManyFiles { files, limit: FILES_MAX });
    }
    // In logs of replays and captures the number identifies an open file; other runs use it for
    // something else.
    let numbers_count = trace.info().is_some() || is_of_replay(trace);
    let mut loader = Loader::new(trace, wanted, numbers_count)?;
    // Traces are in order of issue. Runs and interrupted recordings are in order of completion.
    let is_in_order = trace.info().is_some_and(|info| !info.cut_off);
    let mut reorder = Reorder::new(if is_in_order { 0 } else { reorder::WINDOW });
    for batch in trace.batches() {
        for op in batch? {
            if let Some(op) = reorder.push(op) {
                loader.take(op)?;
            }
        }
    }
    while let Some(op) = reorder.pop() {
        loader.take(op)?;
    }
    loader.finish(reorder.late_ops())
}

/// Whether this is the directory of a replay. Only a regular plan file of limited size is read.
fn is_of_replay(trace: &Trace) -> bool {
    let path = trace.dir().join("run.toml");
    let is_plan = fs::metadata(&path).is_ok_and(|about| about.is_file() && about.len() <= PLAN_BYTES_MAX);
    is_plan && fs::read_to_string(path).is_ok_and(|plan| ReplayPlan::from_toml(&plan).is_ok())
}

/// The state while a trace is loaded.
struct Loader {
    wanted: Wanted,
    packed: PackedTrace,
    handles: Handles,
    lanes: Lanes,
    waits: Waits,
    handle_past: Vec<Past>,
    name_past: Vec<Past>,
    /// For each hard-linked name, the first name of the same file.
    shared: HashMap<u32, u32>,
    links: LinkCounts,
    walk: Walk,
    clock: Timeline,
    number: u64,
    left_out: BTreeMap<NotReplayed, u64>,
    copied: u64,
    mapped: u64,
    split: u64,
    assumed_inline: u64,
    renamed_files: Option<Vec<FileEntry>>,
    /// Files with another name than in the trace.
    renamed: u64,
}

/// Converts recorded times to times of the replay.
#[derive(Debug, Default)]
struct Timeline {
    start_ns: Option<u64>,
    idle_cap_ns: Option<u64>,
    /// No operation was in flight from here until the next one is due.
    busy_until_ns: u64,
    cut_ns: u64,
    last_due_ns: u64,
    end_ns: u64,
    has_durations: bool,
}

impl Timeline {
    /// The time at which an operation is due, since the start. Operations come in order of issue.
    fn due(&mut self, op: &OpRecord) -> u64 {
        let start_ns = *self.start_ns.get_or_insert(op.due_ns);
        if let Some(cap_ns) = self.idle_cap_ns {
            let begun_ns = self.busy_until_ns.max(start_ns);
            self.cut_ns += op.due_ns.saturating_sub(begun_ns).saturating_sub(cap_ns);
        }
        self.busy_until_ns = self.busy_until_ns.max(op.done_ns).max(op.due_ns);
        let due_ns = op.due_ns.saturating_sub(start_ns).saturating_sub(self.cut_ns);
        self.last_due_ns = self.last_due_ns.max(due_ns);
        let took_ns = op.done_ns.saturating_sub(op.due_ns);
        self.has_durations |= took_ns > 0;
        self.end_ns = self.end_ns.max(due_ns.saturating_add(took_ns));
        due_ns
    }
}

impl Loader {
    fn new(trace: &Trace, wanted: Wanted, numbers_count: bool) -> Result<Loader, ReplayError> {
        let (renamed, renamed_files) = match wanted.on_windows {
            true => renamed_for_windows(trace.files()),
            false => (0, None),
        };
        let files = renamed_files.as_deref().unwrap_or(trace.files());
        let names = TraceNames::of(files)?;
        let mut packed = PackedTrace::default();
        // A damaged footer may claim an impossible count. A failed reservation must not abort the
        // process.
        let ops = trace.ops();
        packed.ops.try_reserve_exact(ops as usize).map_err(|_| ReplayError::Memory { ops })?;
        Ok(Loader {
            wanted,
            packed,
            handles: Handles::new(numbers_count),
            lanes: Lanes::default(),
            waits: Waits::default(),
            handle_past: Vec::new(),
            name_past: vec![Past::default(); names.len()],
            shared: HashMap::new(),
            links: LinkCounts::default(),
            walk: Walk::new(names, files, wanted.without),
            renamed_files,
            renamed,
            clock: Timeline { idle_cap_ns: wanted.idle_cap_ns, ..Timeline::default() },
            number: 0,
            left_out: BTreeMap::new(),
            copied: 0,
            mapped: 0,
            split: 0,
            assumed_inline: 0,
        })
    }

    /// Processes the next operation of the trace.
    fn take(&mut self, mut op: OpRecord) -> Result<(), ReplayError> {
        let number = self.number;
        self.number += 1;
        op.done_ns = op.done_ns.max(op.issued_ns);
        self.check(number, &mut op)?;
        if let Some(kind) = NotReplayed::of(&op, self.wanted.without) {
            *self.left_out.entry(kind).or_default() += 1;
            self.leave_out(&op);
            return Ok(());
        }
        self.count_link(&op);
        self.copied += u64::from(op.flags.is_copied());
        self.mapped += u64::from(op.flags.has(OpFlags::MAPPED));
        let due_ns = self.clock.due(&op);
        let handle = self.handle(&op, due_ns)?;
        let new_name = new_name(&op).unwrap_or(NONE);
        self.walk.see(&Seen {
            kind: op.kind,
            file: op.file,
            new_name,
            exchanges: exchanges(&op),
            handle,
            offset: op.offset,
            len: op.len,
            done_len: op.done_len,
            errno: op.errno,
            exact: !op.flags.has(OpFlags::MAPPED),
        });
        self.put_in_pieces(&op, handle, due_ns)
    }

    /// Treats the names of a link that is not made as existing from the start.
    fn leave_out(&mut self, op: &OpRecord) {
        let named = match op.kind {
            OpKind::Link => op.offset as u32,
            OpKind::SymLink => op.file,
            _ => return,
        };
        if op.errno == 0 {
            self.walk.stands_alone(named);
        }
    }

    /// Records which names share a file from here on.
    fn count_link(&mut self, op: &OpRecord) {
        self.links.hard += u64::from(op.kind == OpKind::Link);
        self.links.symbolic += u64::from(op.kind == OpKind::SymLink);
        self.links.exchanges += u64::from(exchanges(op));
        let Some(new) = new_name(op).filter(|_| op.errno == 0) else { return };
        if exchanges(op) {
            let (old_first, new_first) = (self.shared.remove(&op.file), self.shared.remove(&new));
            self.shared.extend(old_first.map(|first| (new, first)));
            self.shared.extend(new_first.map(|first| (op.file, first)));
            return;
        }
        match (self.shared.get(&op.file).copied(), op.kind) {
            (Some(first), _) => drop(self.shared.insert(new, first)),
            (None, OpKind::Link) => {
                self.shared.insert(op.file, op.file);
                self.shared.insert(new, op.file);
            }
            _ => {}
        }
    }

    /// If a directory with relative `..` links moves up, these links would point outside the files of the
    /// replay. They are replaced by links to themselves.
    fn keep_links_inside(&mut self) -> Option<String> {
        if !self.walk.rises {
            return None;
        }
        let names = &self.walk.names;
        let links = self.packed.ops.iter_mut().filter(|op| op.kind == OpKind::SymLink);
        let mut turned: u64 = 0;
        for op in links.filter(|op| climbs(names.name(op.file), names.name(op.offset as u32))) {
            op.offset = u64::from(op.file);
            turned += 1;
        }
        (turned > 0).then(|| {
            format!(
                "{turned} symbolic links point to themselves, because the trace later moves them, or a \
                 directory above them, to a higher level of the tree."
            )
        })
    }

    /// Refuses impossible offsets, and maps each name to the first name of the same path.
    fn check(&self, number: u64, op: &mut OpRecord) -> Result<(), ReplayError> {
        let known = |file: u64| {
            let known = u32::try_from(file).ok().and_then(|file| self.walk.names.known(file));
            known.ok_or(ReplayError::NoFile { op: number, file })
        };
        if op.kind == OpKind::Other {
            return Ok(());
        }
        op.file = known(u64::from(op.file))?;
        if op.kind.names_two() {
            op.offset = u64::from(known(op.offset)?);
            return Ok(());
        }
        let end = op.offset.checked_add(u64::from(op.len));
        if end.is_none_or(|end| i64::try_from(end).is_err())
            && !matches!(op.kind, OpKind::Open | OpKind::Create)
        {
            let (kind, offset) = (op.kind.name(), op.offset);
            return Err(ReplayError::OutOfRange { op: number, kind, offset });
        }
        Ok(())
    }

    /// The open file that an operation uses or makes.
    fn handle(&mut self, op: &OpRecord, due_ns: u64) -> Result<Option<u32>, ReplayError> {
        let found = match op.kind {
            OpKind::Open | OpKind::Create => Some(self.handles.open(op, op.errno == 0)),
            // By path, unless the handle is known.
            OpKind::Truncate => match self.handles.used(op) {
                None if op.transfer != 0 && self.handles.numbers_count() => Some(self.assume(op, due_ns)?),
                found => found,
            },
            kind if kind.goes_by_path() => None,
            _ => Some(match self.handles.used(op) {
                Some(handle) => handle,
                None => self.assume(op, due_ns)?,
            }),
        };
        if self.handles.open_most > OPEN_MAX {
            let open = u64::from(self.handles.open_most);
            return Err(ReplayError::TooManyOpen { open, limit: u64::from(OPEN_MAX) });
        }
        if let Some(handle) = found {
            self.handles.note(handle, op);
            if op.kind == OpKind::Close {
                self.handles.close(op, handle);
            }
        }
        Ok(found)
    }

    /// Adds a file that was open before the trace began. If it is first written at 0, it is opened right
    /// before that write, because it may have to be created. Otherwise it is opened before the start.
    fn assume(&mut self, op: &OpRecord, due_ns: u64) -> Result<u32, ReplayError> {
        let handle = self.handles.assume(op);
        self.walk.assumed(handle, op.file);
        if op.kind != OpKind::Write || op.offset != 0 {
            self.packed.preopened.push(handle);
            return Ok(handle);
        }
        self.assumed_inline += 1;
        let open = OpRecord {
            kind: OpKind::Open,
            len: OpenBits::UNKNOWN.0,
            done_len: 0,
            errno: 0,
            offset: 0,
            flags: OpFlags::NONE,
            done_ns: op.issued_ns,
            ..*op
        };
        self.put(&open, Some(handle), due_ns)?;
        Ok(handle)
    }

    /// Appends an operation, split if it is too long.
    fn put_in_pieces(&mut self, op: &OpRecord, handle: Option<u32>, due_ns: u64) -> Result<(), ReplayError> {
        if !op.kind.moves_data() || op.len <= PIECE_BYTES {
            return self.put(op, handle, due_ns);
        }
        self.split += 1;
        let (mut offset, mut left, mut done) = (op.offset, op.len, op.done_len);
        while left > 0 {
            let len = left.min(PIECE_BYTES);
            let piece = OpRecord { offset, len, done_len: done.min(len), ..*op };
            // All pieces but the last complete immediately, so that one lane executes them in sequence.
            let done_ns = if left > len { op.issued_ns } else { op.done_ns };
            self.put(&OpRecord { done_ns, ..piece }, handle, due_ns)?;
            (offset, left, done) = (offset + u64::from(len), left - len, done.saturating_sub(len));
        }
        Ok(())
    }

    fn put(&mut self, op: &OpRecord, handle: Option<u32>, due_ns: u64) -> Result<(), ReplayError> {
        let number = self.packed.ops.len() as u32;
        if u64::from(number) >= OPS_MAX {
            return Err(ReplayError::TooManyOps { ops: self.number, limit: OPS_MAX });
        }
        let place = self.lanes.place((op.worker, op.stream), number, op.issued_ns, op.done_ns);
        let place = place.ok_or(ReplayError::TooManyThreads { limit: LANES_MAX })?;
        let mut marks = Marks::default();
        let data = op.kind.moves_data();
        if op.errno != 0 || data && op.done_len != op.len {
            marks.set_if(Marks::ODD, true);
            self.packed.odd.push(Odd { op: number, done_len: op.done_len, errno: op.errno });
        }
        let keeps_size = op.kind == OpKind::Allocate && op.flags.has(OpFlags::KEEPS_SIZE);
        marks.set_if(Marks::KEEPS_SIZE, keeps_size);
        marks.set_if(Marks::EXCHANGES, exchanges(op));
        marks.set_if(Marks::WAITS, self.waits_of(op, number, handle, place.lane)?);
        let time_ns = self.time(op, due_ns, place, &mut marks);
        self.chain(number, place);
        if data {
            self.packed.max_len = self.packed.max_len.max(op.len);
            self.packed.writes |= op.kind == OpKind::Write;
        }
        self.packed.ops.push(PackedOp {
            time_ns,
            offset: op.offset,
            len: op.len,
            file: op.file,
            handle: handle.unwrap_or(NO_HANDLE),
            lane: place.lane,
            kind: op.kind,
            marks,
        });
        Ok(())
    }

    /// Appends an operation to its lane. With a single lane no links are stored, because the order of
    /// the trace implies them.
    fn chain(&mut self, number: u32, place: LanePosition) {
        if self.wanted.order == ReplayOrder::Serial {
            return;
        }
        let next = &mut self.packed.next;
        if next.is_empty() && place.lane > 0 {
            next.reserve_exact(self.packed.ops.capacity());
            next.extend(1..number);
            next.push(NO_OP);
        }
        if !next.is_empty() {
            next.resize(number as usize + 1, NO_OP);
            if let Some(before) = place.before {
                next[before as usize] = number;
            }
        }
        if place.before.is_none() {
            self.packed.first.push(number);
        }
    }

    /// The time at which an operation starts.
    fn time(&self, op: &OpRecord, due_ns: u64, place: LanePosition, marks: &mut Marks) -> u64 {
        if self.wanted.pace != Pacing::Think {
            return due_ns;
        }
        let Some(idle_since_ns) = place.idle_since_ns else {
            marks.set_if(Marks::ABSOLUTE, true);
            return due_ns;
        };
        let think_ns = op.issued_ns - idle_since_ns;
        self.wanted.idle_cap_ns.map_or(think_ns, |cap_ns| think_ns.min(cap_ns))
    }

    /// Collects the operations to wait for. Returns whether there are any.
    fn waits_of(
        &mut self,
        op: &OpRecord,
        number: u32,
        handle: Option<u32>,
        lane: u16,
    ) -> Result<bool, ReplayError> {
        let order = self.wanted.order;
        if order == ReplayOrder::Serial {
            return Ok(false);
        }
        let waits = &mut self.waits;
        waits.begin(number, lane);
        for (done, beside) in self.lanes.done_beside(lane, op.issued_ns) {
            waits.add(done, beside);
        }
        let event = |usage| Event { op: number, lane, usage, issued_ns: op.issued_ns, done_ns: op.done_ns };
        if let Some(handle) = handle {
            let ends = matches!(op.kind, OpKind::Open | OpKind::Create | OpKind::Close);
            let usage = if ends || order == ReplayOrder::Resources { Use::Change } else { Use::Need };
            let count = self.handle_past.len().max(handle as usize + 1);
            self.handle_past.resize(count, Past::default());
            let past = &mut self.handle_past[handle as usize];
            waits.look(past.len());
            past.take(event(usage), |op, lane| waits.add(op, lane));
            if op.kind == OpKind::Close {
                *past = Past::default();
            }
        }
        if order == ReplayOrder::Resources {
            let new_name = new_name(op);
            for (name, usage) in names_of(op, &self.shared) {
                let past = &mut self.name_past[name as usize];
                waits.look(past.len());
                past.take(event(usage), |op, lane| waits.add(op, lane));
            }
            if op.kind.goes_by_path() || matches!(op.kind, OpKind::Open | OpKind::Create) {
                let named = [Some(op.file), new_name];
                for above in named.into_iter().flatten().flat_map(|name| self.walk.names.above(name)) {
                    let past = &mut self.name_past[above as usize];
                    waits.look(past.len());
                    past.take(event(Use::Need), |op, lane| waits.add(op, lane));
                }
            }
        }
        waits.end(&mut self.packed)
    }

    /// Completes the result after the whole trace was read.
    fn finish(mut self, late_ops: u64) -> Result<Replayable, ReplayError> {
        if self.packed.ops.is_empty() {
            return Err(ReplayError::Nothing { ops: self.number });
        }
        let is_timed = matches!(self.wanted.pace, Pacing::Recorded | Pacing::Think);
        if is_timed && self.clock.last_due_ns > SPAN_MAX_NS {
            return Err(ReplayError::TooLong { days: self.clock.last_due_ns / (24 * 3600 * 1_000_000_000) });
        }
        if self.wanted.order == ReplayOrder::Resources && self.wanted.pace != Pacing::Recorded {
            thread_order::keep(&self.lanes, &mut self.packed);
        }
        self.packed.streams = self.lanes.streams();
        if self.wanted.order == ReplayOrder::Serial || self.packed.first.is_empty() {
            self.packed.first = vec![0];
        }
        (self.packed.span_ns, self.packed.has_durations) = (self.clock.end_ns, self.clock.has_durations);
        self.packed.open_most = self.handles.open_most;
        self.packed.handles = std::mem::take(&mut self.handles.list);
        let mut notes = self.notes(late_ops);
        notes.extend(self.keep_links_inside());
        let (before, makes) = decide(self.walk)?;
        for handle in makes {
            self.packed.handles[handle as usize].makes = true;
        }
        let prepared = |what: fn(&Prepare) -> bool| {
            before.entries.iter().filter(|entry| what(&entry.what)).count() as u64
        };
        let links = LinkCounts {
            exchanges: self.links.exchanges,
            hard: self.links.hard + prepared(|what| matches!(what, Prepare::HardLink { .. })),
            symbolic: self.links.symbolic + prepared(|what| *what == Prepare::SymbolicLink),
        };
        let Loader { packed, left_out, renamed_files, .. } = self;
        Ok(Replayable { packed, before, links, left_out, notes, renamed_files })
    }

    fn notes(&self, late_ops: u64) -> Vec<String> {
        let preopened = self.packed.preopened.len() as u64;
        let lanes = self.packed.lanes();
        let said = [
            (preopened, "files were in use when the trace began; they are opened before it"),
            (
                self.assumed_inline,
                "files are written whose opening the trace does not show; they are opened right before the \
                 first write",
            ),
            (
                self.copied,
                "operations were copies by the system (copy_file_range, sendfile); they are replayed as reads and writes",
            ),
            (self.mapped, "operations went through memory maps; they are replayed as reads and writes"),
            (self.split, "reads and writes are longer than 64 MiB; they are replayed in pieces of 64 MiB"),
            (self.renamed, "files have names that Windows forbids; %XX replaces each forbidden character"),
            (late_ops, "operations came too late in the log to be sorted by start time"),
        ];
        let said = said.into_iter().filter(|(count, _)| *count > 0);
        let mut notes: Vec<String> = said.map(|(count, what)| format!("{count} {what}.")).collect();
        if lanes > 1 && self.wanted.order == ReplayOrder::Serial {
            notes.push(
                "Operations that were concurrent in the trace are replayed one after the other.".to_owned(),
            );
        }
        notes
    }
}

/// The files with names that Windows permits, and how many have another name than before.
fn renamed_for_windows(files: &[FileEntry]) -> (u64, Option<Vec<FileEntry>>) {
    let mut renamed = 0;
    let mut files = files.to_vec();
    for entry in &mut files {
        if let Some(permitted) = for_windows(&entry.path) {
            entry.path = permitted;
            renamed += 1;
        }
        for name in [&mut entry.same_file_as, &mut entry.leads_to].into_iter().flatten() {
            if let Some(permitted) = for_windows(name) {
                *name = permitted;
            }
        }
    }
    (renamed, Some(files))
}

/// Whether a rename exchanges two names.
fn exchanges(op: &OpRecord) -> bool {
    op.kind == OpKind::Rename && op.flags.has(OpFlags::EXCHANGES)
}

/// The second name of an operation, if it has one.
fn new_name(op: &OpRecord) -> Option<u32> {
    matches!(op.kind, OpKind::Rename | OpKind::Link).then_some(op.offset as u32)
}

/// The names that constrain an operation, each once, with its kind of use. A file with several names is
/// tracked under the first.
fn names_of(op: &OpRecord, shared: &HashMap<u32, u32>) -> impl Iterator<Item = (u32, Use)> {
    let usage = usage_of(op.kind);
    let new_name = new_name(op);
    let first = |name: u32| shared.get(&name).copied();
    let mut all = [
        Some((op.file, usage)),
        new_name.map(|name| (name, Use::Change)),
        first(op.file).map(|name| (name, usage)),
        new_name.and_then(first).map(|name| (name, Use::Change)),
    ];
    for at in 1..all.len() {
        let is_double = all[..at].iter().flatten().any(|before| Some(before.0) == all[at].map(|it| it.0));
        if is_double {
            all[at] = None;
        }
    }
    all.into_iter().flatten()
}

/// How a kind of operation uses the file under its name.
fn usage_of(kind: OpKind) -> Use {
    match kind {
        OpKind::Create
        | OpKind::Unlink
        | OpKind::Truncate
        | OpKind::Rename
        | OpKind::MakeDir
        | OpKind::RemoveDir
        | OpKind::SymLink => Use::Change,
        OpKind::Read => Use::Read,
        OpKind::Write | OpKind::Allocate => Use::Write,
        OpKind::Open
        | OpKind::Sync
        | OpKind::Close
        | OpKind::Stat
        | OpKind::Access
        | OpKind::ReadDir
        | OpKind::SetAttr
        | OpKind::Link
        | OpKind::ReadLink
        | OpKind::Other => Use::Need,
    }
}

#[cfg(test)]
mod tests;
