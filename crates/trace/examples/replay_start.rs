//! Measures the time and memory that a replay needs to read a large trace.
//!
//! ```text
//! cargo run --release -p reelgauge-trace --example replay_start -- make DIR 10000000
//! cargo run --release -p reelgauge-trace --example replay_start -- load DIR/large
//! ```
//!
//! The trace has four threads. Each opens files, reads and writes them in 64 KiB pieces, and closes
//! them. Two of the threads share their files.

use std::path::Path;
use std::time::Instant;

use reelgauge_record::log::{CaptureLevel, LogMeta};
use reelgauge_record::test_records::op;
use reelgauge_record::{OpKind, OpRecord, OpenBits};
use reelgauge_trace::replay::{ReplayScript, Setting, Wanted, load};
use reelgauge_trace::{Trace, TraceInfo, TraceWriter};

/// Operations on a file, from its open to its close.
const PER_FILE: u64 = 100;
const THREADS: u64 = 4;
const FILES: u64 = 1000;

type Anything = Result<(), Box<dyn std::error::Error>>;

fn main() -> Anything {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", dir, ops] => make(Path::new(dir), ops.parse()?),
        ["load", dir] => load_and_tell(Path::new(dir)),
        _ => Err("make DIR OPS | load TRACE".into()),
    }
}

fn make(dir: &Path, ops: u64) -> Anything {
    let meta = LogMeta {
        run_ns: 0,
        agent: "example".to_owned(),
        capture: CaptureLevel::Application,
        blind_to: Vec::new(),
    };
    let mut writer = TraceWriter::create(dir, "large", meta)?;
    for file in 0..FILES {
        writer.file(&format!("project/reel-{file:04}.mov"))?;
    }
    for op in 0..ops {
        writer.push(record(op))?;
    }
    let trace = writer.finish(TraceInfo { made_by: "example".to_owned(), ..TraceInfo::default() })?;
    println!("{} operations in {}", trace.ops(), trace.dir().display());
    Ok(())
}

fn record(number: u64) -> OpRecord {
    let thread = number % THREADS;
    let of_thread = number / THREADS;
    let (round, step) = (of_thread / PER_FILE, of_thread % PER_FILE);
    // Threads 2 and 3 work on the same files, each through its own handle.
    let file = (round * 3 + thread.min(2)) % FILES;
    let kind = match step {
        0 => OpKind::Open,
        99 => OpKind::Close,
        step if step % 3 == 0 => OpKind::Write,
        _ => OpKind::Read,
    };
    let what = match kind {
        OpKind::Open => op(kind).with_bits(OpenBits::READ.with(OpenBits::WRITE).0),
        kind if kind.moves_data() => op(kind).at_offset(step * 65_536).of_len(65_536),
        _ => op(kind),
    };
    what.on_file(file as u32)
        .on_stream(thread as u32)
        .of_transfer((round * THREADS + thread + 1) as u32)
        .at_ns(number * 25_000)
        .took_ns(60_000)
}

fn load_and_tell(dir: &Path) -> Anything {
    let begun = Instant::now();
    let trace = Trace::open(dir)?;
    let replayable = load(&trace, Wanted::default())?;
    let files = replayable.before.entries.len();
    let packed = std::sync::Arc::new(replayable.packed);
    let script = ReplayScript::new(std::sync::Arc::clone(&packed), Setting::default());
    println!(
        "{} operations of {} threads on {files} files: ready after {:.2} s, {} MB packed",
        packed.ops.len(),
        packed.lanes(),
        begun.elapsed().as_secs_f64(),
        packed.memory_bytes() / 1_000_000,
    );
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status.lines().filter(|line| line.starts_with("VmHWM")).for_each(|line| println!("{line}"));
    }
    drop(script);
    Ok(())
}
