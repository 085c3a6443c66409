//! The limits of this process: its own (`ulimit`), those of its control group, and the free resources of
//! the host. A limit that cannot be read counts as none.

use crate::source::Source;

/// The resources that this process may use, as far as the system shows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    pub open_files: Option<u64>,
    /// Additional threads, and the name of the limit.
    pub threads: Option<(u64, &'static str)>,
    /// Additional memory, and the name of the limit.
    pub memory_bytes: Option<(u64, &'static str)>,
    /// Additional address space.
    pub address_bytes: Option<u64>,
    /// The size of a file.
    pub file_bytes: Option<u64>,
}

impl Allowance {
    /// The current allowance of this process. Its limit of open files is raised to `open_files` if that
    /// is allowed.
    pub fn now(open_files: u64) -> Allowance {
        now(open_files)
    }
}

/// The longest read or write of a file system in user space, in pages; `None` before Linux 6.12, where
/// this limit cannot be set.
pub fn fuse_request_pages(source: &impl Source) -> Option<u32> {
    source.number("/proc/sys/fs/fuse/max_pages_limit")
}

#[cfg(not(target_os = "linux"))]
fn now(open_files: u64) -> Allowance {
    Allowance { open_files: raise_open_files(open_files), file_bytes: file_bytes(), ..Allowance::default() }
}

#[cfg(target_os = "linux")]
fn now(open_files: u64) -> Allowance {
    let least = |all: &[Option<(u64, &'static str)>]| all.iter().flatten().min().copied();
    Allowance {
        open_files: raise_open_files(open_files),
        threads: least(&[
            linux::threads_of_user(),
            linux::threads_of_group(),
            linux::threads_of_machine(),
            linux::threads_by_maps(),
        ]),
        memory_bytes: least(&[linux::memory_of_group(), linux::memory_of_machine()]),
        address_bytes: linux::address_bytes(),
        file_bytes: file_bytes(),
    }
}

/// Raises the limit of open files as far as needed and allowed, and returns the new one; `None` if there
/// is no limit.
#[cfg(unix)]
fn raise_open_files(wanted: u64) -> Option<u64> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limit = getrlimit(Resource::Nofile);
    let current = limit.current?;
    if current >= wanted {
        return Some(current);
    }
    let raised = limit.maximum.map_or(wanted, |maximum| maximum.min(wanted)).max(current);
    match setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum: limit.maximum }) {
        Ok(()) => Some(raised),
        Err(_) => Some(current),
    }
}

#[cfg(unix)]
fn file_bytes() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Fsize).current
}

/// On Windows, only memory limits handles.
#[cfg(not(unix))]
fn raise_open_files(_wanted: u64) -> Option<u64> {
    None
}

#[cfg(not(unix))]
fn file_bytes() -> Option<u64> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::{Path, PathBuf};

    use procfs_core::process::StatM;
    use procfs_core::{FromRead, LoadAverage};
    use rustix::process::{Resource, getrlimit, getuid};

    use crate::{cgroup, meminfo};

    type Limit = Option<(u64, &'static str)>;

    /// The share of the host's free memory that one run may use.
    const SHARE_PERCENT: u64 = 80;

    pub(super) fn address_bytes() -> Option<u64> {
        let allowed = getrlimit(Resource::As).current?;
        let pages = StatM::from_file("/proc/self/statm").ok()?.size;
        let used = pages.saturating_mul(rustix::param::page_size() as u64);
        Some(allowed.saturating_sub(used))
    }

    pub(super) fn memory_of_machine() -> Limit {
        let text = fs::read_to_string(meminfo::FILE).ok()?;
        let available_bytes = meminfo::bytes(&text, "MemAvailable")?;
        Some((available_bytes / 100 * SHARE_PERCENT, "the free memory of this client"))
    }

    /// The tightest of this control group and its parents. File cache is released when needed, so only
    /// memory held by programs counts as used.
    pub(super) fn memory_of_group() -> Limit {
        let of_v2 = groups("").filter_map(|group| {
            let allowed = number_in(&group.join("memory.max"))?;
            let stat = fs::read_to_string(group.join("memory.stat")).ok()?;
            Some(allowed.saturating_sub(named(&stat, "anon")?))
        });
        let of_v1 = groups("memory").filter_map(|group| {
            let allowed = number_in(&group.join("memory.limit_in_bytes"))?;
            let stat = fs::read_to_string(group.join("memory.stat")).ok()?;
            Some(allowed.saturating_sub(named(&stat, "total_rss")?))
        });
        Some((of_v2.chain(of_v1).min()?, "the memory limit of this control group or container"))
    }

    pub(super) fn threads_of_group() -> Limit {
        let left = |group: PathBuf| {
            let allowed = number_in(&group.join("pids.max"))?;
            Some(allowed.saturating_sub(number_in(&group.join("pids.current"))?))
        };
        let left = groups("").chain(groups("pids")).filter_map(left).min()?;
        Some((left, "the task limit of this control group or container"))
    }

    /// Threads of the user's other programs are not subtracted, although the limit is for all of them
    /// together. It does not apply to root.
    pub(super) fn threads_of_user() -> Limit {
        if getuid().is_root() {
            return None;
        }
        Some((getrlimit(Resource::Nproc).current?, "ulimit -u"))
    }

    pub(super) fn threads_of_machine() -> Limit {
        let read = |path: &str| number_in(Path::new(path));
        let allowed = read("/proc/sys/kernel/threads-max")?.min(read("/proc/sys/kernel/pid_max")?);
        let tasks = LoadAverage::from_file("/proc/loadavg").ok()?.max;
        Some((allowed.saturating_sub(tasks.into()), "kernel.threads-max or kernel.pid_max"))
    }

    /// A thread has several memory mappings: its stack, its guard page, and the same for signals.
    pub(super) fn threads_by_maps() -> Limit {
        /// For some 13,000 threads 65,530 were too few.
        const MAPS_PER_THREAD: u64 = 6;
        let allowed = number_in(Path::new("/proc/sys/vm/max_map_count"))?;
        let used = fs::read_to_string("/proc/self/maps").ok()?.lines().count() as u64;
        Some((allowed.saturating_sub(used) / MAPS_PER_THREAD, "vm.max_map_count"))
    }

    /// This process's control group and its parents, of a controller (`""`: of the unified hierarchy).
    fn groups(controller: &'static str) -> impl Iterator<Item = PathBuf> {
        let text = fs::read_to_string(cgroup::FILE).unwrap_or_default();
        cgroup::groups(&text, controller).into_iter().map(|group| cgroup::folder(&group))
    }

    /// The number after a name at the start of a line.
    pub(super) fn named(text: &str, name: &str) -> Option<u64> {
        text.lines().find_map(|line| {
            let mut words = line.split_ascii_whitespace();
            (words.next()? == name).then(|| words.next()?.parse().ok())?
        })
    }

    fn first_number(text: &str) -> Option<u64> {
        text.split_ascii_whitespace().next()?.parse().ok()
    }

    /// `max` is no number, and no limit.
    fn number_in(path: &Path) -> Option<u64> {
        first_number(&fs::read_to_string(path).ok()?)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::linux::named;
    use super::*;

    #[test]
    fn numbers_are_found_by_their_names() {
        let text = "anon 9\nanon_thp 5\n";
        assert_eq!(named(text, "anon"), Some(9));
        assert_eq!(named(text, "file"), None);
    }

    #[test]
    fn local_host_has_free_memory_and_permits_threads() {
        let now = now(0);
        let (memory, by) = now.memory_bytes.unwrap();
        assert!((1 << 20..1 << 50).contains(&memory), "{memory} {by}");
        assert!(now.threads.unwrap().0 > 10);
    }
}
