//! Thousands of paced streams in one process: its scheduling delay, the cost of a frame, and the memory
//! of a stream.
//!
//! Players of small frames read a file in the page cache, so that the target is not the limit and only
//! the cost of Reelgauge is left. (Not on tmpfs: there io_uring passes every read to a kernel thread,
//! and that costs more than the differences of interest.) They are compared with the same reads by as
//! many workers without a pace, in the largest possible batches. That is the least that these operations
//! cost with this driver.
//!
//! Unlike the other groups, these runs may use every processor. Only the middle of each run is timed, so
//! that starting and ending do not count.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context as _;
use reelgauge_engine::area::AreaDir;
use reelgauge_engine::clock::Clock;
use reelgauge_engine::driver::{Context, DriverKind, Sink, TargetFile, Window, Worker, start, threads_for};
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_record::{OpFlags, OpKind, OpRecord};
use reelgauge_workload::clip::{Clip, FramePlace};
use reelgauge_workload::pace::{Pace, Policy, ReadAhead};
use reelgauge_workload::player::{Player, PlayerShape};
use reelgauge_workload::script::{Done, Needs, Op, OpenMode, Script, Step};
use rustix::process::{Resource, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use crate::logged::peak_memory_kib;

/// The group's name on the command line.
pub const NAME: &str = "paced";

/// The children of this group. Their "operations" are streams.
pub const CHILDREN: &[(&str, Child)] = &[("paced streams", paced), ("unpaced streams", unpaced)];

/// A child that works on the file with so many streams.
type Child = fn(&Path, u64) -> anyhow::Result<()>;

/// A frame of 3.3 Mbit/s at 25 per second: proxy quality.
const FRAME_BYTES: u32 = 16 << 10;
/// Frames of the clip that a stream loops over.
const CLIP_FRAMES: u64 = 250;
/// Frames that a stream buffers: one second.
const BUFFER_FRAMES: u32 = 25;
/// The number of streams that the promises are about.
const STREAMS: u64 = 2_000;
/// The points of the curve.
const CURVE: [u64; 5] = [10, 100, 1_000, STREAMS, 5_000];
/// Omitted at the beginning, while the buffers fill.
const WARMUP: Duration = Duration::from_secs(3);
/// The measured time.
const DURATION: Duration = Duration::from_secs(8);

/// Limit on the scheduling delay of Reelgauge for 99 of 100 frames.
const OWN_DELAY_P99_US_MAX: f64 = 1_000.0;
/// Limit on processor time per operation, as a multiple of the unpaced loop's.
const COST_MAX: f64 = 1.5;
/// Limit on memory per stream in addition to its buffers.
const KIB_PER_STREAM_MAX: f64 = 64.0;
/// Limit on the cost of an operation with the most streams, as a multiple of that with a thousand.
const CURVE_MAX: f64 = 1.25;

/// The measurement of one child.
#[derive(Clone, Copy, Debug)]
struct Found {
    streams: f64,
    ops: f64,
    cpu_us_per_op: f64,
    own_delay_p99_us: f64,
    late_frames: f64,
    peak_kib: f64,
}

/// Measures and prints. Returns the missed targets.
pub fn compare(file: &Path, rounds: usize) -> anyhow::Result<Vec<String>> {
    println!(
        "\nplayers of {} KiB frames at 25 per second from memory, in one process ({NAME}), {rounds} rounds",
        FRAME_BYTES >> 10
    );
    println!(
        "  {:<10}{:>10}{:>12}{:>14}{:>18}{:>13}{:>10}",
        "streams", "ops/s", "CPU us/op", "CPU, cores", "own delay p99 us", "late frames", "peak MiB"
    );
    let mut curve = Vec::new();
    for streams in CURVE {
        let found = child("paced streams", file, streams)?;
        show(&streams.to_string(), &found);
        curve.push(found);
    }
    let (mut paced, mut ratios) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let base = child("unpaced streams", file, STREAMS)?;
        let found = child("paced streams", file, STREAMS)?;
        show(&format!("{STREAMS} unpaced"), &base);
        show(&STREAMS.to_string(), &found);
        ratios.push(found.cpu_us_per_op / base.cpu_us_per_op);
        paced.push(found);
    }
    Ok(judge(&curve, &paced, &ratios))
}

/// One row of the table.
fn show(name: &str, found: &Found) {
    let ops_per_s = found.ops / DURATION.as_secs_f64();
    println!(
        "  {name:<13}{ops_per_s:>7.0}{:>12.2}{:>14.2}{:>18.0}{:>13}{:>10.1}",
        found.cpu_us_per_op,
        found.cpu_us_per_op * ops_per_s / 1e6,
        found.own_delay_p99_us,
        found.late_frames,
        found.peak_kib / 1024.0,
    );
}

/// Prints each target with the measured value. Returns those that were missed.
fn judge(curve: &[Found], paced: &[Found], ratios: &[f64]) -> Vec<String> {
    let at = |streams: u64| curve.iter().find(|found| found.streams == streams as f64);
    let (few, many) = (at(CURVE[0]), at(STREAMS));
    let kib_per_stream = few.zip(many).map_or(f64::NAN, |(few, many)| {
        (many.peak_kib - few.peak_kib) / (many.streams - few.streams) - f64::from(FRAME_BYTES >> 10)
    });
    let rise = at(1_000)
        .zip(curve.last())
        .map_or(f64::NAN, |(thousand, most)| most.cpu_us_per_op / thousand.cpu_us_per_op);
    let delay_us = median(paced.iter().map(|found| found.own_delay_p99_us));
    let lines = [
        (delay_us, OWN_DELAY_P99_US_MAX, format!("own delay of 99 of 100 frames of {STREAMS} streams, us")),
        (median(ratios.iter().copied()), COST_MAX, "processor time per operation, x the unpaced loop".into()),
        (kib_per_stream, KIB_PER_STREAM_MAX, "memory per stream beyond its buffers, KiB".to_owned()),
        (rise, CURVE_MAX, "an operation of 5000 streams, x one of 1000".to_owned()),
    ];
    let mut missed = Vec::new();
    for (found, most, what) in lines {
        let text = format!("{what}: {found:.2}, at most {most}");
        let is_met = found <= most;
        println!("  [{}] {text}", if is_met { "met" } else { "MISSED" });
        missed.extend((!is_met).then_some(text));
    }
    missed
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Runs a child of this program and reads its measurement.
fn child(name: &str, file: &Path, streams: u64) -> anyhow::Result<Found> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--child", name, "--operations", &streams.to_string(), "--file"]).arg(file);
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
    anyhow::ensure!(output.status.success(), "{name} with {streams} streams failed");
    let found: Value = serde_json::from_slice(&output.stdout)?;
    let number = |name: &str| found[name].as_f64().with_context(|| format!("the child found no {name}"));
    Ok(Found {
        streams: streams as f64,
        ops: number("ops")?,
        cpu_us_per_op: number("cpu_us_per_op")?,
        own_delay_p99_us: number("own_delay_p99_us")?,
        late_frames: number("late_frames")?,
        peak_kib: number("peak_kib")?,
    })
}

/// Child: players.
fn paced(file: &Path, streams: u64) -> anyhow::Result<()> {
    let pace = Pace { rate: "25".parse()?, buffer_frames: BUFFER_FRAMES, policy: Policy::Drop };
    let player = |stream: u64, clip: Clip| {
        let shape = PlayerShape {
            clip,
            pace,
            read_ahead: ReadAhead::Closed,
            direct: false,
            start_after_ns: spread(stream) % 1_000_000_000,
            head: Vec::new(),
        };
        Player::new(stream as u32, shape)
    };
    drive(file, streams, pace.prebuffer_ns(), player)
}

/// Child: the same reads, one after the other.
fn unpaced(file: &Path, streams: u64) -> anyhow::Result<()> {
    let reader =
        |stream: u64, clip: Clip| Unpaced { stream: stream as u32, clip, next: 0, opened: false, now_ns: 0 };
    drive(file, streams, u64::MAX, reader)
}

/// A pseudo-random number, the same for the same stream.
fn spread(stream: u64) -> u64 {
    stream.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// The clip of a stream: consecutive frames, from a position of this stream in the file.
fn clip_of(stream: u64, file_bytes: u64) -> anyhow::Result<Clip> {
    let frames = file_bytes / u64::from(FRAME_BYTES);
    let first = spread(stream) % frames;
    let place = |frame: u64| FramePlace {
        file: 0,
        offset: (first + frame) % frames * u64::from(FRAME_BYTES),
        len: FRAME_BYTES,
    };
    Clip::new((0..CLIP_FRAMES).map(place).collect()).context("an empty clip")
}

/// Runs the workers of a child for their time and prints the measurement as JSON.
fn drive<S: Script + 'static>(
    file: &Path,
    streams: u64,
    prebuffer_ns: u64,
    script: impl Fn(u64, Clip) -> S,
) -> anyhow::Result<()> {
    let open_files = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, rustix::process::Rlimit { current: open_files.maximum, ..open_files })?;
    let size_bytes = std::fs::metadata(file)?.len();
    let context = Arc::new(Context {
        clock: Clock::start(),
        area: file.parent().map(AreaDir::open).transpose()?,
        files: vec![TargetFile { path: file.to_owned(), size_bytes }],
        read_only: Default::default(),
        pattern: PatternSpec { seed: 0, unit_bytes: 4096 },
        write_map: None,
        point: 0,
        window: Window::new(WARMUP.as_nanos() as u64, DURATION.as_nanos() as u64),
        stop: AtomicBool::new(false),
        throttle: None,
        internal_store: None,
    });
    let worker = |stream: u64| {
        let script = script(stream, clip_of(stream, size_bytes)?);
        Ok(Worker { id: stream as u32, script })
    };
    let workers = (0..streams).map(worker).collect::<anyhow::Result<Vec<_>>>()?;
    let rings = threads_for(DriverKind::Uring, workers.len());
    let sinks = (0..rings).map(|_| Tally::new(&context, prebuffer_ns)).collect();
    let running = start(DriverKind::Uring, workers, sinks, &context)?;
    let cpu_us = cpu_us_between(&context);
    let mut total = Tally::new(&context, prebuffer_ns);
    while let Ok(end) = running.next_end(Duration::from_secs(1)) {
        let Some(end) = end else { continue };
        if let Some(failure) = end.failure {
            return Err(failure.into());
        }
        total.add(&end.sink);
    }
    anyhow::ensure!(total.failed == 0, "{} operations failed", total.failed);
    let found = json!({
        "ops": total.ops,
        "cpu_us_per_op": cpu_us / total.ops.max(1) as f64,
        "own_delay_p99_us": total.own_delay_p99_us(),
        "late_frames": total.late_frames,
        "peak_kib": peak_memory_kib()?,
    });
    println!("{found}");
    Ok(())
}

/// Processor time of this process during the measured part.
fn cpu_us_between(context: &Context) -> f64 {
    let cpu_us = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
    };
    let sleep_until = |until_ns: u64| {
        std::thread::sleep(Duration::from_nanos(until_ns.saturating_sub(context.clock.now_ns())));
    };
    sleep_until(context.window.warmup_until_ns());
    let before_us = cpu_us();
    sleep_until(context.window.end_ns());
    cpu_us() - before_us
}

/// Reads frame after frame, each as soon as the previous one has arrived.
struct Unpaced {
    stream: u32,
    clip: Clip,
    next: u64,
    opened: bool,
    now_ns: u64,
}

impl Script for Unpaced {
    fn needs(&self) -> Needs {
        Needs { handles: 1, in_flight: 1, max_len: self.clip.max_len(), writes: false }
    }

    fn next(&mut self, _now_ns: u64) -> Step {
        let place = self.clip.place(self.next);
        let kind = if self.opened { OpKind::Read } else { OpKind::Open };
        self.next += u64::from(self.opened);
        self.opened = true;
        Step::Do(Op {
            kind,
            handle: 0,
            file: place.file,
            offset: place.offset,
            len: place.len,
            due_ns: self.now_ns,
            transfer: self.next as u32,
            stream: self.stream,
            flags: OpFlags::NONE.with_if(OpFlags::FRAME.with(OpFlags::LAST), kind == OpKind::Read),
            open: OpenMode::default(),
            token: 0,
        })
    }

    fn done(&mut self, done: &Done) {
        self.now_ns = done.done_ns;
    }

    fn resume(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
    }
}

/// Counts the frames of the measured part. Its memory does not grow.
struct Tally {
    context: Arc<Context>,
    prebuffer_ns: u64,
    /// The number of frames by scheduling delay in whole microseconds. The last entry counts all longer
    /// delays.
    delays: Box<[u32]>,
    ops: u64,
    late_frames: u64,
    failed: u64,
}

impl Tally {
    /// The largest distinguished delay is 20 ms.
    const DELAYS: usize = 20_000;

    fn new(context: &Arc<Context>, prebuffer_ns: u64) -> Tally {
        let delays = vec![0; Tally::DELAYS].into();
        Tally { context: Arc::clone(context), prebuffer_ns, delays, ops: 0, late_frames: 0, failed: 0 }
    }

    fn add(&mut self, other: &Tally) {
        self.delays.iter_mut().zip(&other.delays).for_each(|(sum, count)| *sum += count);
        self.ops += other.ops;
        self.late_frames += other.late_frames;
        self.failed += other.failed;
    }

    /// The delay that 99 of 100 frames did not exceed.
    fn own_delay_p99_us(&self) -> usize {
        let wanted = self.ops - self.ops / 100;
        let mut seen = 0;
        let at = self.delays.iter().position(|&count| {
            seen += u64::from(count);
            seen >= wanted
        });
        at.unwrap_or(Tally::DELAYS) + 1
    }
}

impl Sink for Tally {
    fn record(&mut self, op: &OpRecord) {
        self.failed += u64::from(op.errno != 0 || op.is_short());
        let window = &self.context.window;
        if !op.flags.has(OpFlags::FRAME)
            || !(window.warmup_until_ns()..window.end_ns()).contains(&op.issued_ns)
        {
            return;
        }
        self.ops += 1;
        let delay_us = (op.lateness_ns() / 1_000) as usize;
        self.delays[delay_us.min(Tally::DELAYS - 1)] += 1;
        // A frame is due when its place in the buffer was free: the whole buffer before its deadline.
        self.late_frames += u64::from(op.response_ns() > self.prebuffer_ns);
    }
}
