//! Runs the variants in turn, each in a separate process, and prints their cost.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;

use crate::variants::{GROUPS, Group, How, Job, Target, Variant};
use crate::{paced, product};

/// The test file: larger than the processor's caches, small enough to stay in memory.
const FILE_BYTES: u64 = 512 << 20;

/// Rounds of the paced streams: each takes half a minute.
const PACED_ROUNDS_MAX: usize = 3;

/// The groups to compare, and how.
pub struct Wanted {
    /// How often each variant runs.
    pub rounds: usize,
    /// Where the test file goes.
    pub dir: PathBuf,
    /// Names of groups; all if empty.
    pub groups: Vec<String>,
    /// Factor for the number of operations.
    pub scale: f64,
}

/// Processor time of one run per operation, in nanoseconds.
#[derive(Clone, Copy)]
struct Cost {
    user_ns: f64,
    system_ns: f64,
}

impl Cost {
    fn total_ns(self) -> f64 {
        self.user_ns + self.system_ns
    }
}

/// Prints one table per group. Returns the missed targets.
pub fn compare(wanted: &Wanted) -> anyhow::Result<Vec<String>> {
    let names: Vec<&str> = GROUPS.iter().map(|group| group.name).chain([paced::NAME]).collect();
    if let Some(unknown) = wanted.groups.iter().find(|name| !names.contains(&name.as_str())) {
        anyhow::bail!("there is no group '{unknown}'; there are {}", names.join(", "));
    }
    let is_wanted = |name: &str| wanted.groups.is_empty() || wanted.groups.iter().any(|group| group == name);
    println!("{}", machine());
    let mut missed = Vec::new();
    if is_wanted(paced::NAME) {
        let rounds = wanted.rounds.min(PACED_ROUNDS_MAX);
        missed.extend(with_file(&wanted.dir, |file| paced::compare(file, rounds))?);
    }
    pin_to_one_processor()?;
    for group in GROUPS {
        if is_wanted(group.name) {
            let dir = if group.in_memory { Path::new(product::MEMORY_DIR) } else { &wanted.dir };
            missed.extend(with_file(dir, |file| compare_group(group, wanted, file))?);
        }
    }
    Ok(missed)
}

/// Runs `work` with the test file in a folder, and removes the file.
fn with_file<T>(dir: &Path, work: impl FnOnce(&Path) -> anyhow::Result<T>) -> anyhow::Result<T> {
    let file = dir.join(format!("reelgauge-bench-{}", std::process::id()));
    let made = make_file(&file).with_context(|| format!("cannot make the test file {}", file.display()));
    let outcome = made.and_then(|()| work(&file));
    let cleaned = product::clean(&file);
    std::fs::remove_file(&file)?;
    cleaned?;
    outcome
}

/// Prints one table. Returns the missed targets.
fn compare_group(group: &Group, wanted: &Wanted, file: &Path) -> anyhow::Result<Vec<String>> {
    let operations = (group.operations as f64 * wanted.scale) as u64;
    let job = Job { file, file_bytes: FILE_BYTES, operations, block_bytes: group.block_bytes };
    if group.variants.iter().any(|variant| matches!(variant.how, How::Product(_))) {
        product::prepare(&job)?;
    }
    let mut costs: Vec<Vec<Cost>> = group.variants.iter().map(|_| Vec::new()).collect();
    for round in 0..wanted.rounds {
        read_through(file)?;
        // Each round begins with another variant, so that none always follows the same one.
        for turn in 0..group.variants.len() {
            let number = (round + turn) % group.variants.len();
            costs[number].push(measure(&group.variants[number], &job)?);
        }
    }
    println!("\n{} ({}), {} of them, {} rounds", group.title, group.name, operations, wanted.rounds);
    println!("  {:<28}{:>12}{:>10}{:>10}{:>21}{:>9}", "", "ns/op", "user", "system", "min..max", "ratio");
    for (variant, own) in group.variants.iter().zip(&costs) {
        let per_op = |ns: fn(&Cost) -> f64| median(own.iter().map(ns));
        let totals = || own.iter().map(|cost| cost.total_ns());
        println!(
            "  {:<28}{:>12.1}{:>10.1}{:>10.1}{:>21}{:>9.3}",
            variant.name,
            per_op(|cost| cost.total_ns()),
            per_op(|cost| cost.user_ns),
            per_op(|cost| cost.system_ns),
            format!("{:.0}..{:.0}", totals().fold(f64::MAX, f64::min), totals().fold(0.0, f64::max)),
            ratio(own, &costs[0]),
        );
    }
    Ok(group.targets.iter().filter_map(|target| judge(target, group, &costs)).collect())
}

/// Prints whether a target is met. Returns it if it was missed.
fn judge(target: &Target, group: &Group, costs: &[Vec<Cost>]) -> Option<String> {
    let of = |name: &str| {
        let number = group.variants.iter().position(|variant| variant.name == name);
        &costs[number.unwrap_or_default()]
    };
    let (met, text) = match target {
        Target::AtMost(name, limit, base) => {
            let ratio = ratio(of(name), of(base));
            (ratio <= *limit, format!("{name} at most {limit:.2} x {base}: {ratio:.3}"))
        }
        Target::AtMostUs(name, limit_us) => {
            let us = median(of(name).iter().map(|cost| cost.total_ns())) / 1000.0;
            (us <= *limit_us, format!("{name} at most {limit_us} us per {}: {us:.2}", group.unit))
        }
    };
    println!("  [{}] {text}", if met { "met" } else { "MISSED" });
    (!met).then_some(text)
}

/// The median of the ratios within each round.
fn ratio(costs: &[Cost], base: &[Cost]) -> f64 {
    median(costs.iter().zip(base).map(|(cost, base)| cost.total_ns() / base.total_ns()))
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        len if len % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// Runs a variant and waits for it. Returns the cost of its process.
fn measure(variant: &Variant, job: &Job<'_>) -> anyhow::Result<Cost> {
    let mut command = match &variant.how {
        How::Child(_) => {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["--child", variant.name, "--operations", &job.operations.to_string(), "--file"]);
            command.arg(job.file);
            command
        }
        How::Program(program, arguments) => {
            let mut command = Command::new(program);
            command.args(arguments(job));
            command
        }
        How::Product(arguments) => product::command(job, arguments)?,
    };
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
    let child = child.with_context(|| format!("cannot run {}", variant.name))?;
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: both pointers are to live variables of the right types, and no other code waits for the
    // child.
    let waited = unsafe { libc::wait4(child.id() as libc::pid_t, &mut status, 0, usage.as_mut_ptr()) };
    anyhow::ensure!(waited == child.id() as libc::pid_t, "lost {}", variant.name);
    anyhow::ensure!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "{} failed", variant.name);
    // SAFETY: all zero is a valid value, and wait4 has filled it in.
    let usage = unsafe { usage.assume_init() };
    let operations = match variant.how {
        How::Product(_) => product::operations(job)?,
        How::Child(_) | How::Program(..) => job.operations,
    };
    let ns = |time: libc::timeval| (time.tv_sec as f64 * 1e9 + time.tv_usec as f64 * 1e3) / operations as f64;
    Ok(Cost { user_ns: ns(usage.ru_utime), system_ns: ns(usage.ru_stime) })
}

fn make_file(path: &Path) -> anyhow::Result<()> {
    let mut file = File::create_new(path)?;
    let piece: Vec<u8> =
        (0..1 << 20).map(|byte: u32| (byte.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for _ in 0..FILE_BYTES >> 20 {
        file.write_all(&piece)?;
    }
    file.sync_all()?;
    Ok(())
}

/// Reads the whole file into memory again: some hosts evict cold pages.
fn read_through(path: &Path) -> anyhow::Result<()> {
    let mut file = File::open(path)?;
    let mut piece = vec![0; 1 << 20];
    while file.read(&mut piece)? > 0 {}
    Ok(())
}

/// Pins this process and its children to the last processor: one ring, no migration.
fn pin_to_one_processor() -> anyhow::Result<()> {
    let allowed = rustix::thread::sched_getaffinity(None)?;
    let last = (0..rustix::thread::CpuSet::MAX_CPU).rev().find(|&cpu| allowed.is_set(cpu));
    let mut one = rustix::thread::CpuSet::new();
    one.set(last.context("no processor to run on")?);
    Ok(rustix::thread::sched_setaffinity(None, &one)?)
}

/// The host in words.
fn machine() -> String {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name| {
        let line = cpuinfo.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(": ")).map_or("unknown", |(_, value)| value)
    };
    let system = rustix::system::uname();
    let fio = Command::new("fio").arg("--version").output();
    let fio =
        fio.map_or("no fio".to_owned(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let processors = cpuinfo.lines().filter(|line| line.starts_with("processor")).count();
    format!(
        "{} x {}, {} {}, {}; all on one processor but for the paced streams",
        processors,
        field("model name"),
        system.sysname().to_string_lossy(),
        system.release().to_string_lossy(),
        fio,
    )
}
