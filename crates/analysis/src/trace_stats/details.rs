//! The second pass over a trace: the details of the files that matter, and everything that needs the
//! length of the trace.

use std::collections::HashMap;

use reelgauge_record::{OpFlags, OpKind, OpRecord};

use super::figures::{FileFigures, TraceAbout, TraceReport};
use super::map::MapTally;
use super::over_time::OverTimeTally;
use super::sizes::Sizes;
use super::times::ServiceTimes;
use super::{Period, TRACE_REPORT_VERSION, TraceStats};
use crate::fragments::FragmentSigns;
use crate::fragments::cold_read::{ColdReads, ReadTimes};

/// Different sizes that are counted exactly for one file.
const EXACT_SIZES: usize = 1 << 12;
/// Files that are evaluated in detail, at most.
pub const MAX_FILES: usize = 1000;
/// How many of them have their reads kept individually and their positions mapped.
const CLOSE_FILES: usize = 20;

/// The details of one file.
#[derive(Clone, Debug)]
struct FileDetails {
    sizes: [Sizes; 2],
    service: [ServiceTimes; 2],
    close: Option<(MapTally, ReadTimes)>,
}

/// The second pass: takes every operation again, in order of issue.
#[derive(Clone, Debug)]
pub struct TraceDetails<'a> {
    stats: &'a TraceStats,
    top: Vec<u32>,
    files: HashMap<u32, FileDetails>,
    over_time: OverTimeTally,
}

impl<'a> TraceDetails<'a> {
    /// After a first pass; evaluates this many of the files in detail, at most [`MAX_FILES`].
    pub fn new(stats: &'a TraceStats, top: usize) -> TraceDetails<'a> {
        // A trace without operations has a time axis from 0 to 0.
        let span = stats.span_ns().unwrap_or_default();
        let top = stats.top_files(top.min(MAX_FILES));
        let details = |(at, &file): (usize, &u32)| {
            let map = || (MapTally::new(span, stats.file_end_bytes(file)), ReadTimes::default());
            let details = FileDetails {
                sizes: [Sizes::new(EXACT_SIZES), Sizes::new(EXACT_SIZES)],
                service: Default::default(),
                close: (at < CLOSE_FILES).then(map),
            };
            (file, details)
        };
        let files = top.iter().enumerate().map(details).collect();
        TraceDetails { stats, top, files, over_time: OverTimeTally::new(span) }
    }

    pub fn add(&mut self, op: &OpRecord) {
        let period: Period = self.stats.period;
        if !period.holds(op) || op.flags.has(OpFlags::WARMUP) {
            return;
        }
        self.over_time.add(op);
        if !op.kind.moves_data() || op.errno != 0 {
            return;
        }
        let Some(file) = self.files.get_mut(&op.file) else { return };
        let direction = usize::from(op.kind == OpKind::Write);
        file.sizes[direction].add(op.done_len);
        file.service[direction].add(op.service_ns());
        if let Some((map, reads)) = &mut file.close {
            map.add(op);
            reads.add(op);
        }
    }

    /// The complete report. `name` returns a file's name.
    pub fn report(self, about: TraceAbout, name: impl Fn(u32) -> String) -> TraceReport {
        let mut files = self.stats.files(&self.top, &name);
        for file in &mut files {
            if let Some(details) = self.files.get(&file.file) {
                details.complete(file);
            }
        }
        let cold_reads = files.iter().filter_map(|file| {
            let (_, reads) = self.files.get(&file.file)?.close.as_ref()?;
            Some(ColdReads { path: file.path.clone(), ..reads.figures()? })
        });
        let signs = FragmentSigns {
            hints: self.stats.hints().figures(&name),
            far_writes: self.stats.hints().far_writes(&name),
            cold_reads: cold_reads.collect(),
        };
        TraceReport {
            trace_report_version: TRACE_REPORT_VERSION,
            about,
            figures: self.stats.figures(),
            files,
            over_time: self.over_time.figures(),
            signs,
        }
    }
}

impl FileDetails {
    fn complete(&self, file: &mut FileFigures) {
        let [read_sizes, write_sizes] = &self.sizes;
        let [read_service, write_service] = &self.service;
        file.read_sizes = read_sizes.figures();
        file.write_sizes = write_sizes.figures();
        file.read_service = read_service.figures();
        file.write_service = write_service.figures();
        file.map = self.close.as_ref().map(|(map, _)| map.figures());
    }
}
