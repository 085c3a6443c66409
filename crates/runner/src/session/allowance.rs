//! The resources that the local host allows one process (open files, threads, memory, the size of a
//! file), and whether a load fits into them: checked before anything is touched, so that a limit of the
//! host never looks like a fault of the storage.
//!
//! Limits that a process may raise are raised. Memory here means what a load will touch: buffers for
//! operations in flight, stacks, rings, counters of the figures.
//!
//! Not here: reading the limits ([`reelgauge_machine::limits`]).

use reelgauge_engine::driver::{DriverKind, threads_for};
use reelgauge_machine::limits::Allowance;
use reelgauge_machine::system::processors;
use reelgauge_workload::script::Needs;
use reelgauge_workload::units::Size;

/// The open files of the rest of the program: logs, rings, directories, standard streams.
const OWN_FILES: u64 = 32;
/// The memory of the rest of the program, log and figures included: with four workers it was 35 MB.
const OWN_BYTES: u64 = 64 << 20;
/// The memory of a thread: its stack as far as touched, and its ring of records.
const THREAD_BYTES: u64 = 96 << 10;
/// Address space that the rest of the program reserves; with four workers the total was 735 MB.
const OWN_ADDRESS_BYTES: u64 = 384 << 20;
/// Address space that a thread reserves for its stack, with a margin.
const THREAD_ADDRESS_BYTES: u64 = 512 << 10;
/// Address space that the allocator reserves for each thread with its own arena, up to this many for
/// each core.
const ARENA_ADDRESS_BYTES: u64 = 64 << 20;
const ARENAS_PER_CORE: u64 = 8;
/// Threads of the program that do not measure.
const OWN_THREADS: u64 = 6;
/// The memory of an operation in flight without its data.
const OP_BYTES: u64 = 8 << 10;

/// The demand of a load on the local host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Workers of all kinds.
    pub workers: u64,
    /// Threads that measure.
    pub threads: u64,
    /// Open files at the same time, including those of the program itself.
    pub open_files: u64,
    /// Memory that is touched, including that of the program itself.
    pub memory_bytes: u64,
    /// Address space that is reserved, touched or not.
    pub address_bytes: u64,
    /// The largest file that is written.
    pub file_bytes: u64,
}

impl Demand {
    /// The demand of these numbers of workers with these needs, and a largest file of this size.
    pub fn of(kind: DriverKind, needs: impl IntoIterator<Item = (Needs, u64)>, file_bytes: u64) -> Demand {
        let mut demand =
            Demand { open_files: OWN_FILES, memory_bytes: OWN_BYTES, file_bytes, ..Demand::default() };
        for (needs, workers) in needs {
            let in_flight = u64::from(needs.in_flight) * workers;
            // A worker with several operations in flight has one thread for each, and one that runs its
            // script.
            let helpers = if needs.in_flight > 1 { in_flight } else { 0 };
            demand.workers += workers;
            demand.threads += if kind == DriverKind::Uring { 0 } else { workers + helpers };
            // The load is the user's choice: saturating keeps an impossible value impossible, here and
            // below.
            demand.open_files = demand.open_files.saturating_add(u64::from(needs.handles) * workers);
            let op_bytes = u64::from(needs.max_len) + OP_BYTES;
            // See above.
            demand.memory_bytes = demand.memory_bytes.saturating_add(op_bytes.saturating_mul(in_flight));
        }
        if kind == DriverKind::Uring {
            let rings = threads_for(kind, usize::try_from(demand.workers).unwrap_or(usize::MAX));
            demand.threads = rings as u64;
        }
        // Each thread keeps a file open that reports how long it waited for a processor. See above.
        demand.open_files = demand.open_files.saturating_add(demand.threads);
        let data_bytes = demand.memory_bytes - OWN_BYTES;
        // See above.
        demand.memory_bytes = demand.memory_bytes.saturating_add(demand.threads * THREAD_BYTES);
        let cores = processors() as u64;
        let arenas = (demand.threads + OWN_THREADS).min(ARENAS_PER_CORE * cores);
        let fixed = OWN_ADDRESS_BYTES + demand.threads * THREAD_ADDRESS_BYTES + arenas * ARENA_ADDRESS_BYTES;
        // See above.
        demand.address_bytes = data_bytes.saturating_add(fixed);
        demand
    }
}

/// The part of a load's demand that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Too many open files.
    #[error(
        "a load point here opens up to {needed} files at once, but the limit per process is {allowed}. \
         Raise it (ulimit -n), or use {}", fewer(*.fits)
    )]
    OpenFiles {
        needed: u64,
        /// The number allowed.
        allowed: u64,
        /// The number of workers that would fit.
        fits: u64,
    },
    /// Too many threads.
    #[error(
        "a load point here starts {needed} threads, but this process may start only {allowed} more ({by}). \
         Raise that limit, use --driver uring, a shorter --buffer with --read-ahead open, or {}",
        fewer(*.fits)
    )]
    Threads {
        needed: u64,
        /// The number allowed.
        allowed: u64,
        /// The origin of the limit.
        by: &'static str,
        /// The number of workers that would fit.
        fits: u64,
    },
    /// Too much memory.
    #[error(
        "a load point of this run needs {needed} of memory for data in flight, but only {allowed} is \
         available ({by}). Use smaller blocks or frames, a shorter --buffer with --read-ahead open, or {}",
        fewer(*.fits)
    )]
    Memory {
        needed: Size,
        allowed: Size,
        /// The origin of the limit.
        by: &'static str,
        /// The number of workers that would fit.
        fits: u64,
    },
    /// Too much address space.
    #[error(
        "a load point here reserves {needed} of address space, but this process may reserve only {allowed} \
         more (ulimit -v). Raise that limit (it does not limit the memory used), or use {}", fewer(*.fits)
    )]
    Addresses {
        needed: Size,
        allowed: Size,
        /// The number of workers that would fit.
        fits: u64,
    },
    /// A file would be too large.
    #[error(
        "a test file grows to {needed}, but this process may write files of at most {allowed} (ulimit -f). \
         Raise that limit, or use smaller files (--file-size, --clip) or a shorter --duration"
    )]
    FileSize { needed: Size, allowed: Size },
}

fn fewer(fits: u64) -> String {
    match fits {
        0 => "a smaller load: not even one such worker or stream fits".to_owned(),
        1 => "1 worker or stream".to_owned(),
        fits => format!("at most {fits} workers or streams"),
    }
}

impl Demand {
    /// Whether it fits into this process's allowance.
    ///
    /// # Errors
    /// The part that does not fit, and what would.
    pub fn fits(&self, allowed: &Allowance) -> Result<(), Refusal> {
        // Assumes that all workers are alike, which is exact for one kind of worker and an estimate for
        // several.
        let fits = |needed: u64, own: u64, allowed: u64| {
            // A limit below the need of the program itself admits no worker.
            let each = needed.saturating_sub(own).div_ceil(self.workers.max(1)).max(1);
            // See above.
            allowed.saturating_sub(own) / each
        };
        if let Some(allowed) = allowed.file_bytes.filter(|&allowed| allowed < self.file_bytes) {
            return Err(Refusal::FileSize { needed: Size(self.file_bytes), allowed: Size(allowed) });
        }
        let needed = self.threads;
        if let Some((allowed, by)) = allowed.threads.filter(|&(allowed, _)| allowed < needed) {
            return Err(Refusal::Threads { needed, allowed, by, fits: fits(needed, 0, allowed) });
        }
        let in_mib = |bytes: u64| Size::mib(bytes >> 20);
        let (needed, own) = (self.address_bytes, OWN_ADDRESS_BYTES);
        if let Some(allowed) = allowed.address_bytes.filter(|&allowed| allowed < needed) {
            let fits = fits(needed, own, allowed);
            return Err(Refusal::Addresses { needed: in_mib(needed), allowed: in_mib(allowed), fits });
        }
        let (needed, own) = (self.memory_bytes, OWN_BYTES);
        if let Some((allowed, by)) = allowed.memory_bytes.filter(|&(allowed, _)| allowed < needed) {
            let fits = fits(needed, own, allowed);
            return Err(Refusal::Memory { needed: in_mib(needed), allowed: in_mib(allowed), by, fits });
        }
        let (needed, own) = (self.open_files, OWN_FILES);
        if let Some(allowed) = allowed.open_files.filter(|&allowed| allowed < needed) {
            return Err(Refusal::OpenFiles { needed, allowed, fits: fits(needed, own, allowed) });
        }
        Ok(())
    }
}

/// Refuses a load that the local host does not allow.
///
/// # Errors
/// The part of the demand that is not allowed.
pub fn check(demand: &Demand) -> Result<(), Refusal> {
    demand.fits(&Allowance::now(demand.open_files))
}

/// The largest count up to `most` whose demand the local host allows; at least 1, whose start reports
/// the reason if even that is too much.
pub fn most_of(most: u32, demand: impl Fn(u32) -> Demand) -> u32 {
    let allowance = Allowance::now(demand(most).open_files);
    let holds = |count: &u32| demand(*count).fits(&allowance).is_ok();
    if holds(&most) {
        return most;
    }
    // A larger count never needs less.
    let (mut fits, mut fits_not) = (1, most);
    while fits_not - fits > 1 {
        let between = fits + (fits_not - fits) / 2;
        if holds(&between) {
            fits = between;
        } else {
            fits_not = between;
        }
    }
    fits
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const MIB: u64 = 1 << 20;

    fn needs(in_flight: u16, max_len: u64) -> Needs {
        Needs { handles: 1, in_flight, max_len: max_len as u32, writes: false }
    }

    fn demand(kind: DriverKind, workers: u64, in_flight: u16) -> Demand {
        Demand::of(kind, [(needs(in_flight, MIB), workers)], 0)
    }

    #[test]
    fn load_needs_the_sum_of_its_workers() {
        let plain = demand(DriverKind::Threads, 10, 1);
        assert_eq!((plain.workers, plain.threads, plain.open_files), (10, 10, 20 + OWN_FILES));
        assert_eq!(plain.memory_bytes, OWN_BYTES + 10 * (MIB + OP_BYTES) + 10 * THREAD_BYTES);
        // One thread for each operation in flight, and one that runs the script.
        assert_eq!(demand(DriverKind::Threads, 10, 4).threads, 50);
        let rings = demand(DriverKind::Uring, 1000, 4);
        assert_eq!(rings.threads, threads_for(DriverKind::Uring, 1000) as u64);
        assert!(rings.memory_bytes > 4000 * MIB);
        // Ten minutes of open read-ahead at 25 frames a second.
        let huge = demand(DriverKind::Threads, 1, 15_000);
        assert!(huge.threads == 15_001 && huge.memory_bytes > 15_000 * MIB);
    }

    #[test]
    fn each_limit_is_named_with_the_fitting_count() {
        let load = Demand { file_bytes: 8 * MIB, ..demand(DriverKind::Threads, 100, 1) };
        let said = |allowance: Allowance| load.fits(&allowance).unwrap_err().to_string();
        let files = said(Allowance { open_files: Some(52), ..Allowance::default() });
        assert!(files.contains("limit per process is 52") && files.contains("up to 232"), "{files}");
        assert!(files.contains("ulimit -n") && files.ends_with("or use at most 10 workers or streams"));
        let threads = said(Allowance { threads: Some((40, "pids.max")), ..Allowance::default() });
        assert!(threads.contains("40 more (pids.max)") && threads.contains("40 workers"), "{threads}");
        let memory = Allowance { memory_bytes: Some((100 * MIB, "cgroup")), ..Allowance::default() };
        let memory = said(memory);
        assert!(memory.contains("174MiB of memory") && memory.contains("100MiB is available (cgroup)"));
        assert!(memory.ends_with("or at most 32 workers or streams"), "{memory}");
        let addresses = said(Allowance { address_bytes: Some(400 * MIB), ..Allowance::default() });
        assert!(addresses.contains("400MiB more (ulimit -v)"), "{addresses}");
        let file = said(Allowance { file_bytes: Some(MIB), ..Allowance::default() });
        assert!(file.contains("8MiB") && file.contains("1MiB (ulimit -f)"), "{file}");
        assert_eq!(load.fits(&Allowance::default()), Ok(()));
    }

    #[test]
    fn a_load_too_large_for_one_worker_is_reported_as_such() {
        let allowance = Allowance { memory_bytes: Some((MIB, "cgroup")), ..Allowance::default() };
        let said = demand(DriverKind::Threads, 1, 1).fits(&allowance).unwrap_err().to_string();
        assert!(said.ends_with("not even one such worker or stream fits"), "{said}");
    }

    #[test]
    fn the_largest_count_is_the_last_that_fits() {
        let here = |count: u32| Demand { threads: u64::from(count), ..Demand::default() };
        let beyond = |count: u32| Demand { memory_bytes: u64::from(count) << 50, ..Demand::default() };
        assert_eq!(most_of(300, here), 300);
        assert_eq!(most_of(300, beyond), 1);
        let now = Allowance::now(0).memory_bytes.unwrap().0 / 7;
        let sevenths = most_of(300, |count| Demand { memory_bytes: u64::from(count) * now, ..here(1) });
        assert!((6..=8).contains(&sevenths), "{sevenths}");
    }
}
