//! The comparisons: groups of variants. The first variant of a group is the base for the others.
//!
//! A variant is a name and a way to run it. To add another program (the product's own binary, say), add
//! a line with [`How::Program`], as for fio.

use std::path::Path;

use crate::{bare, logged, ours, paced};

/// A kind of work, done in several ways.
pub struct Group {
    /// Its name on the command line.
    pub name: &'static str,
    /// The kind of work, for the title.
    pub title: &'static str,
    /// The name of one operation.
    pub unit: &'static str,
    /// Operations of one run.
    pub operations: u64,
    /// Bytes of one operation.
    pub block_bytes: u64,
    /// Whether the file must be on a file system in memory.
    pub in_memory: bool,
    /// The first is the base of the ratios.
    pub variants: &'static [Variant],
    /// Limits that must hold.
    pub targets: &'static [Target],
}

/// One way to do it.
pub struct Variant {
    /// Its name in the table; unique.
    pub name: &'static str,
    /// How it is run.
    pub how: How,
}

/// How a variant is run.
pub enum How {
    /// As a child of this program, by a function that does so many operations on the file.
    Child(fn(&Path, u64) -> anyhow::Result<()>),
    /// As another program with these arguments, made from the job.
    Program(&'static str, fn(&Job<'_>) -> Vec<String>),
    /// As the product itself, on the folder of the file, with these arguments. It runs for a fixed time
    /// and reports the number of operations.
    Product(&'static [&'static str]),
}

/// The work of a program.
pub struct Job<'a> {
    /// The file, already filled and in memory.
    pub file: &'a Path,
    /// Its size.
    pub file_bytes: u64,
    /// The number of operations.
    pub operations: u64,
    /// The size of an operation.
    pub block_bytes: u64,
}

/// A limit on a group's medians.
pub enum Target {
    /// The first variant takes at most so many times as long as the second.
    AtMost(&'static str, f64, &'static str),
    /// The variant takes at most so many microseconds per operation.
    AtMostUs(&'static str, f64),
}

/// All comparisons.
pub const GROUPS: &[Group] = &[
    Group {
        name: "single",
        title: "4 KiB random reads from memory, one at a time",
        unit: "read",
        operations: 1_500_000,
        block_bytes: 4096,
        in_memory: false,
        variants: &[
            Variant { name: "bare preadv2 loop", how: How::Child(bare::preadv2_loop) },
            Variant { name: "threads driver", how: How::Child(ours::threads_small_reads) },
            Variant { name: "fio psync", how: How::Program("fio", fio_psync) },
        ],
        targets: &[
            Target::AtMost("threads driver", 1.10, "bare preadv2 loop"),
            Target::AtMost("threads driver", 1.00, "fio psync"),
        ],
    },
    Group {
        name: "queued",
        title: "4 KiB random reads from memory, 32 in flight on one ring, submitted by 16",
        unit: "read",
        operations: 1_500_000,
        block_bytes: 4096,
        in_memory: false,
        variants: &[
            Variant { name: "bare io_uring loop", how: How::Child(bare::uring_loop) },
            Variant { name: "bare, plain descriptor", how: How::Child(bare::uring_loop_plain_file) },
            Variant { name: "uring driver, 32 workers", how: How::Child(ours::uring_small_reads) },
            Variant { name: "fio io_uring", how: How::Program("fio", fio_io_uring) },
        ],
        targets: &[
            Target::AtMost("uring driver, 32 workers", 1.15, "bare io_uring loop"),
            Target::AtMost("uring driver, 32 workers", 1.00, "fio io_uring"),
        ],
    },
    Group {
        name: "logged",
        title: "4 KiB random reads from memory, counted and logged: the product's whole path",
        unit: "read",
        operations: 1_500_000,
        block_bytes: 4096,
        in_memory: false,
        variants: &[
            Variant { name: "preadv2 loop, bare", how: How::Child(bare::preadv2_loop) },
            Variant { name: "threads, figures only", how: How::Child(logged::threads_counted) },
            Variant { name: "threads, with log", how: How::Child(logged::threads_logged) },
            Variant { name: "io_uring loop, bare", how: How::Child(bare::uring_loop) },
            Variant { name: "uring, figures only", how: How::Child(logged::uring_counted) },
            Variant { name: "uring, with log", how: How::Child(logged::uring_logged) },
        ],
        targets: &[
            Target::AtMost("threads, figures only", 1.10, "preadv2 loop, bare"),
            Target::AtMost("uring, figures only", 1.15, "io_uring loop, bare"),
            Target::AtMost("threads, with log", 1.05, "threads, figures only"),
            Target::AtMost("uring, with log", 1.05, "uring, figures only"),
        ],
    },
    Group {
        name: "tool",
        title: "4 KiB random reads from memory: `reelgauge mix` itself, from start to end",
        unit: "read",
        operations: 1_500_000,
        block_bytes: 4096,
        in_memory: true,
        variants: &[
            Variant { name: "a bare preadv2 loop", how: How::Child(bare::preadv2_loop) },
            Variant { name: "mix", how: How::Product(&["--driver", "threads", "--no-log"]) },
            Variant { name: "mix, with log", how: How::Product(&["--driver", "threads"]) },
        ],
        targets: &[
            Target::AtMost("mix", 1.10, "a bare preadv2 loop"),
            Target::AtMost("mix, with log", 1.05, "mix"),
        ],
    },
    Group {
        name: "large",
        title: "1 MiB random reads from memory, one at a time",
        unit: "read",
        operations: 10_000,
        block_bytes: 1 << 20,
        in_memory: false,
        variants: &[
            Variant { name: "bare preadv2 loop, 1 MiB", how: How::Child(bare::preadv2_large) },
            Variant { name: "threads driver, 1 MiB", how: How::Child(ours::threads_large_reads) },
            Variant { name: "uring driver, 1 MiB", how: How::Child(ours::uring_large_reads) },
        ],
        targets: &[
            // No slower, within noise: medians of identical variants differ by up to 1 % here.
            Target::AtMost("threads driver, 1 MiB", 1.01, "bare preadv2 loop, 1 MiB"),
            Target::AtMost("uring driver, 1 MiB", 1.01, "bare preadv2 loop, 1 MiB"),
        ],
    },
    Group {
        name: "data",
        title: "making write data",
        unit: "MiB",
        operations: 100_000,
        block_bytes: 1 << 20,
        in_memory: false,
        variants: &[
            Variant { name: "1 MiB writes, 4 KiB units", how: How::Child(ours::data_large) },
            Variant { name: "64 KiB writes, 4 KiB units", how: How::Child(ours::data_medium) },
            Variant { name: "4 KiB writes, 4 KiB units", how: How::Child(ours::data_small) },
            Variant { name: "1 MiB writes, 512 B units", how: How::Child(ours::data_fine) },
        ],
        targets: &[
            Target::AtMostUs("1 MiB writes, 4 KiB units", 40.0),
            Target::AtMostUs("64 KiB writes, 4 KiB units", 40.0),
            Target::AtMostUs("4 KiB writes, 4 KiB units", 40.0),
        ],
    },
];

/// Runs one of this program's own variants, in the child process.
pub fn run_child(name: &str, file: &Path, operations: u64) -> anyhow::Result<()> {
    if let Some((_, run)) = paced::CHILDREN.iter().find(|(known, _)| *known == name) {
        return run(file, operations);
    }
    let variants = GROUPS.iter().flat_map(|group| group.variants);
    match variants.into_iter().find(|variant| variant.name == name).map(|variant| &variant.how) {
        Some(How::Child(run)) => run(file, operations),
        _ => anyhow::bail!("there is no variant '{name}' to run"),
    }
}

fn fio_psync(job: &Job<'_>) -> Vec<String> {
    let mut arguments = fio_common(job);
    arguments.push("--ioengine=psync".to_owned());
    arguments
}

fn fio_io_uring(job: &Job<'_>) -> Vec<String> {
    let mut arguments = fio_common(job);
    let options = [
        "--ioengine=io_uring",
        "--iodepth=32",
        "--iodepth_batch_submit=16",
        "--iodepth_batch_complete_min=1",
        "--iodepth_batch_complete_max=32",
        "--fixedbufs=1",
        "--registerfiles=1",
    ];
    arguments.extend(options.map(str::to_owned));
    arguments
}

fn fio_common(job: &Job<'_>) -> Vec<String> {
    vec![
        "--name=reads".to_owned(),
        "--thread".to_owned(),
        "--rw=randread".to_owned(),
        // By default fio drops the file from memory first, and keeps a map of the blocks that it has
        // read.
        "--invalidate=0".to_owned(),
        "--norandommap".to_owned(),
        "--output=/dev/null".to_owned(),
        format!("--filename={}", job.file.display()),
        format!("--size={}", job.file_bytes),
        format!("--bs={}", job.block_bytes),
        format!("--io_size={}", job.operations * job.block_bytes),
    ]
}
