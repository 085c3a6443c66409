//! Runs scripts in the driver of every run: one thread per request in flight, with its waits and its clock
//! readings. Its records go to the drain of every run, or are kept.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reelgauge_analysis::RunTotals;
use reelgauge_analysis::late::StreamSpec;
use reelgauge_engine::area::AreaDir;
use reelgauge_engine::clock::Clock;
use reelgauge_engine::driver::{
    AllEnded, Context, DriverKind, ReadOnly, Sink, TargetFile, Window, Worker, start,
};
use reelgauge_engine::internal_store::InternalStore;
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_record::OpRecord;
use reelgauge_record::log::{LogOptions, LogWriter};
use reelgauge_workload::script::Script;

use super::discarding_disk::DiscardingDisk;
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::session::drain::{Drain, PointRan};
use crate::session::drive::BEAT;
use crate::session::live_verdict::{Judged, Judging};
use crate::session::log_meta;
use crate::session::sink::{RingRoom, rings};

/// How long operations may take after the end of their time.
const PATIENCE: Duration = Duration::from_secs(20);
/// The same after an interruption: the self-test must be over in 2 s.
const GRACE: Duration = Duration::from_millis(1000);
/// The name of the file that scripts use. A store in memory opens none.
const FILE: &str = "selftest";

/// The context of a load: a store in memory, or a file in an area.
pub(super) enum Place<'a> {
    Memory(InternalStore),
    File(&'a AreaDir, &'a Path),
}

pub(super) fn context(place: Place<'_>, duration: Duration) -> Arc<Context> {
    let (area, internal_store, path) = match place {
        Place::Memory(store) => (None, Some(store), Path::new(FILE)),
        Place::File(dir, path) => (Some(dir.clone()), None, path),
    };
    Arc::new(Context {
        clock: Clock::start(),
        area,
        files: vec![TargetFile { path: path.to_path_buf(), size_bytes: 0 }],
        read_only: ReadOnly::default(),
        pattern: PatternSpec { seed: 1, unit_bytes: 4096 },
        write_map: None,
        point: 0,
        window: Window::new(0, duration.as_nanos() as u64),
        stop: AtomicBool::new(false),
        throttle: None,
        internal_store,
    })
}

/// Records in memory that was allocated before; later ones are omitted.
struct Kept(Vec<OpRecord>);

impl Sink for Kept {
    fn record(&mut self, op: &OpRecord) {
        if self.0.len() < self.0.capacity() {
            self.0.push(*op);
        }
    }
}

/// Runs workers, and returns their records: at most this many of each.
pub(super) fn records_of<S: Script + 'static>(
    workers: Vec<Worker<S>>,
    most: usize,
    context: &Arc<Context>,
    interrupt: &Interrupt,
) -> Result<Vec<OpRecord>, RunError> {
    let sinks = workers.iter().map(|_| Kept(Vec::with_capacity(most))).collect();
    let sinks = run(workers, sinks, context, interrupt)?;
    Ok(sinks.into_iter().flat_map(|kept| kept.0).collect())
}

/// Runs workers whose records are counted, judged and logged as in every run.
pub(super) fn judged<S: Script + 'static>(
    workers: Vec<Worker<S>>,
    specs: Vec<StreamSpec>,
    context: &Arc<Context>,
    interrupt: &Interrupt,
) -> Result<(RunTotals, Judged), RunError> {
    let (disk, meta) = (Arc::new(DiscardingDisk), log_meta(&context.clock));
    let log = LogWriter::create_on(disk, Path::new(FILE), meta, Vec::new(), LogOptions::default())?;
    let started_ns = context.clock.now_ns();
    let drain = Drain::start(Some(log), context.clock).map_err(RunError::io("start a thread"))?;
    let (sinks, sources) = rings(workers.len(), RingRoom::default());
    // Before the rings: a record that is taken without a judge is not judged later.
    drain.judge(Judging::new(Arc::clone(context), specs, Vec::new()))?;
    drain.attach(context.point, sources)?;
    run(workers, sinks, context, interrupt)?;
    let measured_from_ns = context.window.warmup_until_ns();
    let ran = PointRan { started_ns, measured_from_ns, over_ns: context.clock.now_ns() };
    drain.finish_point(context.point, ran)?;
    let judged = drain.finish_judging()?.expect("judging began above");
    Ok((drain.finish()?.totals, judged))
}

/// Runs workers to the end of their time, and returns their sinks.
fn run<S: Script + 'static, K: Sink>(
    workers: Vec<Worker<S>>,
    sinks: Vec<K>,
    context: &Arc<Context>,
    interrupt: &Interrupt,
) -> Result<Vec<K>, RunError> {
    let duration = Duration::from_nanos(context.window.end_ns() - context.window.begun_ns());
    let mut until = Instant::now() + duration + PATIENCE;
    let running = start(DriverKind::Threads, workers, sinks, context)?;
    let mut ended = Vec::new();
    loop {
        match running.next_end(BEAT) {
            Err(AllEnded) => break,
            Ok(Some(end)) => match end.failure {
                Some(failure) => return Err(failure.into()),
                None => ended.push(end.sink),
            },
            Ok(None) => {}
        }
        if interrupt.asked() && !context.stop.swap(true, Ordering::Relaxed) {
            until = Instant::now() + GRACE;
        }
        if Instant::now() > until {
            context.stop.store(true, Ordering::Relaxed);
            let hung = RunError::NotAnswered { waited: PATIENCE };
            return Err(if interrupt.asked() { RunError::StoppedWaiting(interrupt.by()) } else { hung });
        }
    }
    if interrupt.asked() { Err(RunError::StoppedWaiting(interrupt.by())) } else { Ok(ended) }
}
