//! The cost of `report.html` for a large run: processor time, memory, and bytes.
//!
//! ```text
//! cargo run --release -p reelgauge-runner --example report_cost -- make DIR 10000000
//! cargo run --release -p reelgauge-runner --example report_cost -- html DIR/RUN FILE
//! cargo run --release -p reelgauge-runner --example report_cost -- json DIR/RUN
//! ```
//!
//! The run has three load points of 10, 20 and 30 players with a file each, with some late frames, and a
//! worker that reads and writes at random places of 500 files. `html` prints the cost of the page,
//! `json` that of its data alone; both take any run or trace.

use std::path::Path;
use std::time::{Instant, SystemTime};

use reelgauge_analysis::late::test_streams::player;
use reelgauge_analysis::late::{MeasuredPart, Policy, StreamSpec};
use reelgauge_machine::process::Task;
use reelgauge_machine::source::Host;
use reelgauge_record::log::{CaptureLevel, FileEntry, LogMeta, LogWriter};
use reelgauge_record::run_dir::{RunDir, RunName};
use reelgauge_record::test_records::{op, read};
use reelgauge_record::{OpFlags, OpKind, OpRecord};
use reelgauge_report::html::page::{Page, PageKind};
use reelgauge_results::page::{page, run_page, trace_page, write_html};
use reelgauge_results::reopen::reopen;
use reelgauge_results::stream_table::{self, PointStreams, StreamTable};
use reelgauge_runner::session::cpu_time::ProcessCpuTime;

/// Streams of each load point.
const STREAMS: [u64; 3] = [10, 20, 30];
/// Files of that worker.
const RANDOM_FILES: u64 = 500;
/// Reads of a frame.
const PARTS: u64 = 8;
const PART_BYTES: u32 = 256 << 10;
/// 25 frames a second, and a buffer of half a second.
const FRAME_NS: u64 = 40_000_000;
const BUFFER_NS: u64 = 500_000_000;

type Anything = Result<(), Box<dyn std::error::Error>>;

fn main() -> Anything {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", dir, ops] => make(Path::new(dir), ops.parse()?),
        ["html", dir, file] => html(Path::new(dir), Path::new(file)),
        ["json", dir] => Ok(serde_json::to_writer(std::io::stdout().lock(), &page_of(Path::new(dir))?)?),
        _ => Err("make DIR OPS | html RUN FILE | json RUN".into()),
    }
}

fn page_of(dir: &Path) -> Result<Page, Box<dyn std::error::Error>> {
    Ok(match dir.join("run.toml").exists() {
        true => page(PageKind::Run, vec![run_page(dir, &|| false)?], None),
        false => page(PageKind::Trace, Vec::new(), Some(trace_page(dir, None, &|| false)?)),
    })
}

fn html(dir: &Path, file: &Path) -> Anything {
    let (begun, cpu) = (Instant::now(), ProcessCpuTime::now());
    write_html(&page_of(dir)?, file)?;
    let used = cpu.zip(ProcessCpuTime::now()).map(|(before, now)| now.since(before));
    println!("{:.2} s, {used:?}, {} bytes", begun.elapsed().as_secs_f64(), file.metadata()?.len());
    let peak = Task::own().status(&Host::here(), "VmHWM");
    println!("{} at most", peak.as_deref().unwrap_or("unknown memory"));
    Ok(())
}

fn make(dir: &Path, ops: u64) -> Anything {
    let start = SystemTime::now();
    let run = RunDir::create(dir, RunName { start, target: "example", what: "streams" })?;
    let meta = LogMeta {
        run_ns: 0,
        agent: "local".to_owned(),
        capture: CaptureLevel::Application,
        blind_to: Vec::new(),
    };
    let file =
        |name: String| FileEntry { path: name, size_before_bytes: Some(64 << 30), ..FileEntry::default() };
    let clips = (0..STREAMS[2]).map(|number| file(format!("streams/clip-{number:03}.mov")));
    let others = (0..RANDOM_FILES).map(|number| file(format!("mix/file-{number:04}.dat")));
    let mut log = LogWriter::create(&run.agent_ops_path("local"), meta, clips.chain(others).collect())?;
    let mut table = StreamTable::default();
    let (mut began_ns, mut made) = (0, 0);
    for (point, streams) in (0_u16..).zip(STREAMS) {
        let wanted = ops / STREAMS.len() as u64;
        let frames = (wanted / (streams * PARTS + streams)).max(1);
        let until_ns = began_ns + frames * FRAME_NS;
        let part = MeasuredPart { point, started_ns: began_ns, from_ns: began_ns + 5 * BUFFER_NS, until_ns };
        table.points.push(PointStreams::new(
            1,
            part,
            (0..streams).map(|stream| spec(stream as u32)).collect(),
        ));
        for frame in 0..frames {
            let mut rows = Vec::new();
            let frame_ns = began_ns + frame * FRAME_NS;
            (0..streams).for_each(|stream| play(&part, stream, frame, frame_ns, &mut rows));
            (0..streams).for_each(|number| rows.push(other(&part, frame, number, frame_ns, frames)));
            rows.sort_by_key(|op: &OpRecord| op.done_ns);
            made += rows.len();
            log.append(&rows)?;
            log.tick(frame_ns)?;
        }
        began_ns = until_ns + BUFFER_NS;
    }
    stream_table::write(&run, &table)?;
    let written = log.finish()?;
    let summary = reopen(run.path())?;
    run.write_summary(&summary)?;
    println!("{made} operations, {} in the log, in {}", written.rows, run.path().display());
    Ok(())
}

fn spec(stream: u32) -> StreamSpec {
    player(stream)
        .named("player, Apple ProRes 422 HQ UHD 25p")
        .with_policy(Policy::Stall)
        .with_buffer_ns(BUFFER_NS)
        .of_frame_bytes(PARTS * u64::from(PART_BYTES))
}

/// The reads of a frame. Every ten seconds the storage stalls for 0.6 s.
fn play(part: &MeasuredPart, stream: u64, frame: u64, frame_ns: u64, rows: &mut Vec<OpRecord>) {
    let into_ns = frame_ns % 10_000_000_000;
    let stall_ns = 600_000_000_u64.saturating_sub(into_ns);
    let mut issued_ns = frame_ns + stream * 100_000;
    for number in 0..PARTS {
        let done_ns = issued_ns + stall_ns + latency_ns(frame * 1_000 + stream * 10 + number);
        let last = number == PARTS - 1;
        let flags = OpFlags::FRAME.with_if(OpFlags::LAST, last);
        let read = read(stream as u32, (frame * PARTS + number) * u64::from(PART_BYTES), PART_BYTES);
        let read = read.by_worker(stream as u32).of_transfer(frame as u32).in_point(part.point);
        let flags = flags.with_if(OpFlags::WARMUP, frame_ns < part.from_ns);
        rows.push(read.at_ns(issued_ns).due_at_ns(frame_ns).done_at_ns(done_ns).flagged(flags));
        issued_ns += 200_000;
    }
}

/// A read or write at a random place.
fn other(part: &MeasuredPart, frame: u64, number: u64, frame_ns: u64, frames: u64) -> OpRecord {
    let random = mixed(frame * 64 + number);
    let kind = if random.is_multiple_of(3) { OpKind::Write } else { OpKind::Read };
    let made = op(kind)
        .on_file((STREAMS[2] + (random >> 20) % RANDOM_FILES) as u32)
        .at_offset(mixed(random) % (1 << 30) / 4_096 * 4_096)
        .of_len(4_096 << (random % 7))
        .by_worker(99)
        .of_transfer(frame as u32)
        .in_point(part.point)
        .at_ns(frame_ns + number * FRAME_NS / 32)
        .took_ns(latency_ns(random))
        .flagged(OpFlags::RANDOM.with_if(OpFlags::WARMUP, frame_ns < part.from_ns));
    OpRecord { errno: if frame == frames / 2 && number == 0 { 5 } else { 0 }, ..made }
}

/// Most take half a millisecond, some much longer.
fn latency_ns(seed: u64) -> u64 {
    let random = mixed(seed);
    200_000 + random % 600_000 + if random.is_multiple_of(997) { (random >> 30) % 80_000_000 } else { 0 }
}

fn mixed(seed: u64) -> u64 {
    let random = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (random ^ random >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 8
}
