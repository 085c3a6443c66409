//! The trace as it will be replayed.

use std::collections::BTreeMap;
use std::sync::Arc;

use reelgauge_record::log::FileEntry;
use reelgauge_record::{OpKind, OpenBits};
use reelgauge_trace::Trace;
use reelgauge_trace::library::Library;
use reelgauge_trace::prestate::{PreState, Prepare};
use reelgauge_trace::replay::{
    LinkCounts, NotReplayed, PackedTrace, ReplayError, ReplayScript, Replayable, Setting, Wanted, Without,
    load,
};
use reelgauge_workload::replay::ReplayPlan;
use reelgauge_workload::script::{Needs, Script};

use crate::error::RunError;

/// A trace that was read, and the facts about it.
#[derive(Debug)]
pub(super) struct Tape {
    pub name: String,
    pub made_by: String,
    pub synthetic: bool,
    /// Whether the durations of operations are unknown.
    pub has_no_durations: bool,
    pub packed: Arc<PackedTrace>,
    pub before: PreState,
    /// The links that it needs.
    pub links: LinkCounts,
    pub left_out: BTreeMap<NotReplayed, u64>,
    /// Assumptions, and differences from the recording.
    pub remarks: Vec<String>,
    pub files: Vec<FileEntry>,
    /// The number of opens for direct I/O, by the alignment of their operations.
    direct: BTreeMap<u8, u64>,
}

impl Tape {
    /// Reads the plan's trace: a directory, whose path becomes absolute, or a trace of the library.
    /// Operations that the target does not support (`without`) are omitted.
    pub fn load(plan: &mut ReplayPlan, without: Without) -> Result<Tape, RunError> {
        let settings = &mut plan.replay;
        let held = Library::standard().open(&settings.trace).map_err(ReplayError::from)?;
        let trace = held.trace();
        // A built-in trace keeps its name in the plan: its directory is temporary.
        if !held.is_temporary()
            && let Ok(absolute) = std::path::absolute(trace.dir())
        {
            settings.trace = absolute;
        }
        let wanted = Wanted {
            order: settings.order,
            pace: settings.pace,
            idle_cap_ns: settings.idle_cap.map(|cap| cap.ns()),
            without,
            on_windows: cfg!(windows),
        };
        let Replayable { packed, before, links, left_out, notes, renamed_files } = load(trace, wanted)?;
        let info = trace.info();
        let mut remarks = notes;
        remarks.extend(before.notes.iter().cloned());
        remarks.extend(skipped(trace));
        let blind_to = &trace.meta().blind_to;
        if !blind_to.is_empty() {
            remarks.push(format!("Not recorded in this trace: {}.", blind_to.join(", ")));
        }
        Ok(Tape {
            name: trace.name(),
            made_by: info.map(|info| info.made_by.clone()).unwrap_or_default(),
            synthetic: info.is_some_and(|info| !info.synthetic.is_empty()),
            has_no_durations: !packed.has_durations,
            direct: direct_opens(&packed),
            packed: Arc::new(packed),
            before,
            links,
            left_out,
            remarks,
            files: renamed_files.unwrap_or_else(|| trace.files().to_vec()),
        })
    }

    /// Whether the application used direct I/O.
    pub fn asks_for_direct(&self) -> bool {
        !self.direct.is_empty()
    }

    /// The needs of one user's script.
    pub fn needs(&self) -> Needs {
        ReplayScript::new(Arc::clone(&self.packed), Setting::default()).needs()
    }

    /// Bytes of its largest file, at the start or after its writes.
    pub fn file_bytes(&self) -> u64 {
        let writes = self.packed.ops.iter().filter(|op| op.kind == OpKind::Write);
        let written = writes.map(|op| op.offset.saturating_add(u64::from(op.len)));
        let before = self.before.entries.iter().map(|entry| match entry.what {
            Prepare::File { size_bytes } => size_bytes,
            _ => 0,
        });
        written.chain(before).max().unwrap_or(0)
    }

    /// Bytes that its operations write.
    pub fn written_bytes(&self) -> u64 {
        let writes = self.packed.ops.iter().filter(|op| op.kind == OpKind::Write);
        writes.map(|op| u64::from(op.len)).sum()
    }

    /// The note on opens for direct I/O that will use the cache.
    pub fn note_on_direct(&self, align_log2: Option<u8>) -> Option<String> {
        let all: u64 = self.direct.values().sum();
        let (lost, why) = match align_log2 {
            None => (all, "direct I/O does not work here".to_owned()),
            Some(align_log2) => {
                let lost = self.direct.range(..align_log2).map(|(_, opens)| opens).sum();
                (lost, format!("direct I/O needs multiples of {} bytes here", 1u64 << align_log2))
            }
        };
        (lost > 0).then(|| {
            format!(
                "{lost} of {all} opens with direct I/O are replayed through this client's cache, \
                 because {why}."
            )
        })
    }
}

/// The part of the log that could not be read.
fn skipped(trace: &Trace) -> Option<String> {
    let skipped = trace.skipped();
    let first = skipped.first()?;
    Some(format!(
        "{} parts of the trace are unreadable, so operations are missing ({:?}: {}).",
        skipped.len(),
        first.reason,
        first.path.display()
    ))
}

fn direct_opens(packed: &PackedTrace) -> BTreeMap<u8, u64> {
    let mut opens = BTreeMap::new();
    for op in &packed.ops {
        let is_direct =
            matches!(op.kind, OpKind::Open | OpKind::Create) && OpenBits(op.len).has(OpenBits::DIRECT);
        if let Some(handle) = packed.handles.get(op.handle as usize).filter(|_| is_direct) {
            *opens.entry(handle.align_log2).or_default() += 1;
        }
    }
    opens
}
