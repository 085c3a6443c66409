//! Folders and unique names that belong to one test and do not outlive it.
//!
//! Names begin with `rge` and the number of the test process. Leftovers of a killed run can thus be
//! distinguished from files of a running one. The first scratch folder of a process removes the
//! leftovers.

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::mounts;
use crate::programs::tool_with;

/// The prefix of every name.
const PREFIX: &str = "rge";

/// A unique name: `rge1234n7`. Short enough for a network namespace.
pub fn unique_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{PREFIX}{}n{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The process that a name belongs to.
fn owner(name: &str) -> Option<u32> {
    let (pid, _) = name.strip_prefix(PREFIX)?.split_once('n')?;
    pid.parse().ok()
}

/// Whether the name belongs to a process that has ended.
fn is_stale(name: &str) -> bool {
    owner(name).is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists())
}

/// The target folder of cargo. Scratch folders and downloads are kept there, on a real disk.
pub fn target_dir() -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    // target/debug/deps/test-0123
    exe.ancestors().nth(3).unwrap().to_owned()
}

/// A folder of one test, on the disk that holds the target folder. Removed on drop.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Makes an empty folder.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn new() -> Scratch {
        static SWEEP: Once = Once::new();
        let all = target_dir().join("e2e");
        std::fs::create_dir_all(&all).unwrap();
        SWEEP.call_once(|| sweep(&all));
        let path = all.join(unique_name());
        std::fs::create_dir(&path).unwrap();
        Scratch { path }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A folder inside, created if needed.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn dir(&self, name: &str) -> PathBuf {
        let path = self.path.join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }
}

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch::new()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::env::var_os("REELGAUGE_KEEP_SCRATCH").is_some() {
            println!("kept: {}", self.path.display());
            return;
        }
        // Removing a folder with a live mount would empty the mounted file system. Its guard failed, so
        // the next sweep detaches it.
        if mounts::below(&self.path).is_empty() {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// Removes the leftovers of processes that have ended: processes, mounts, folders, network namespaces,
/// control groups.
fn sweep(all: &Path) {
    for entry in std::fs::read_dir(all).unwrap().flatten() {
        if is_stale(&entry.file_name().to_string_lossy()) {
            kill_users_of(&entry.path());
            for mount in mounts::below(&entry.path()) {
                mounts::detach(&mount);
            }
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    for namespace in std::fs::read_dir("/run/netns").into_iter().flatten().flatten() {
        let name = namespace.file_name().to_string_lossy().into_owned();
        if is_stale(&name) {
            let _ = tool_with(&["ip", "netns", "del", &name]);
        }
    }
    crate::throttle::sweep(is_stale);
}

/// Kills servers that were started with a file of this folder as an argument.
fn kill_users_of(folder: &Path) {
    let folder = folder.to_string_lossy();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if pid != std::process::id() && String::from_utf8_lossy(&command).contains(folder.as_ref()) {
            let _ = tool_with(&["kill", "-KILL", &pid.to_string()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_contain_the_process_id_and_fit_an_interface() {
        let name = unique_name();
        assert_eq!(owner(&name), Some(std::process::id()));
        assert!(!is_stale(&name) && name.len() <= 15);
        // Process numbers end below 2^22.
        assert!(is_stale("rge4194305n0"));
        assert!(!is_stale("somebody") && !is_stale("rgeXn1"));
    }

    #[test]
    fn a_folder_lives_as_long_as_its_guard() {
        let scratch = Scratch::new();
        let path = scratch.path().to_owned();
        std::fs::write(scratch.dir("a").join("b"), "c").unwrap();
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn leftovers_of_a_killed_run_are_removed() {
        let scratch = Scratch::new();
        let stale = scratch.dir("rge4194305n0");
        let alive = scratch.dir(&unique_name());
        sweep(scratch.path());
        assert!(!stale.exists() && alive.exists());
    }
}
