//! The disk of the end-to-end tests that are judged by milliseconds: a file system in memory, mounted
//! over the folder of their scratch files.
//!
//! It is an ext4 on a loop device, so direct I/O, the device's counters and a full disk are real. No
//! test has to wait for the host's disk, which all programs share, and a dozen tests can each have
//! storage with immediate responses. Without root, or with too little memory, they use the host's disk.
//!
//! Not for tests that keep all processors busy: a loop device needs a processor for every response.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command;

/// The largest size of the file system. Memory is used only for written data.
const SIZE_GIB: u64 = 12;

/// The memory that must be free before, including that of the tests and the programs they start.
const NEEDED_GIB: u64 = 16;

/// The mounted disk. Unmounted on drop, even if it is still in use.
pub struct MemoryDisk {
    store: PathBuf,
    point: PathBuf,
}

impl MemoryDisk {
    /// Mounts it, or reports why the tests run without it.
    pub fn mounted() -> Option<MemoryDisk> {
        let disk = can_be_had().and_then(|()| {
            let (store, point) = (crate::target_dir().join("e2e-memory"), crate::target_dir().join("e2e"));
            MemoryDisk::mount(store, point)
        });
        match disk {
            Ok(disk) => Some(disk),
            Err(error) => {
                println!("the tests' folders are on this machine's disk: {error:#}");
                None
            }
        }
    }

    fn mount(store: PathBuf, point: PathBuf) -> anyhow::Result<MemoryDisk> {
        for folder in [&store, &point] {
            std::fs::create_dir_all(folder)?;
        }
        // Removes the leftovers of a killed run.
        let disk = MemoryDisk { store, point };
        disk.unmount();
        let size = format!("size={}g", SIZE_GIB + 1);
        tool(&["mount", "-t", "tmpfs", "-o", &size, "reelgauge-tests"], &disk.store)?;
        let image = disk.store.join("image");
        std::fs::File::create(&image)?.set_len(SIZE_GIB << 30)?;
        tool(&["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0"], &image)?;
        // Discarding removed files frees their memory.
        let image = image.display().to_string();
        tool(&["mount", "-o", "loop,discard", &image], &disk.point)?;
        Ok(disk)
    }

    /// Detaches it from the tree. Silent if nothing is mounted.
    fn unmount(&self) {
        for folder in [&self.point, &self.store] {
            let _ = tool(&["umount", "--lazy"], folder);
        }
    }
}

impl Drop for MemoryDisk {
    fn drop(&mut self) {
        self.unmount();
    }
}

/// Fails if root or memory is missing.
fn can_be_had() -> anyhow::Result<()> {
    anyhow::ensure!(command::is_root(), "only root can mount one in memory");
    let gib = available_gib(&std::fs::read_to_string("/proc/meminfo")?).unwrap_or(0);
    anyhow::ensure!(gib >= NEEDED_GIB, "{gib} GiB of memory are free, and one in memory needs {NEEDED_GIB}");
    Ok(())
}

/// The available memory, from the text of `/proc/meminfo`.
fn available_gib(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib >> 20)
}

fn tool(words: &[&str], path: &Path) -> anyhow::Result<String> {
    command::output(Command::new(words[0]).args(&words[1..]).arg(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read() {
        let text = "MemTotal:       24684068 kB\nMemFree:   19387444 kB\nMemAvailable:   24098944 kB\n";
        assert_eq!(available_gib(text), Some(22));
        assert_eq!(available_gib("MemTotal: 1 kB\n"), None);
    }
}
