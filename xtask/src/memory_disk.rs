//! The disk of those end-to-end tests that are judged by milliseconds: a file system in memory, mounted where
//! their folders are.
//!
//! It is an ext4 on a loop device, so that direct I/O, a device's counters and a full disk are real ones; but
//! nobody waits for the disk of this machine, which is everybody's, and a dozen tests can each have storage
//! that answers at once. Without root, or with too little memory, they use the machine's disk.
//!
//! Not for what runs while processors are full: a loop device needs one for every answer.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command;

/// What the file system holds at most; memory is taken only for what is written.
const SIZE_GIB: u64 = 12;

/// What must be free before: the tests and the programs that they start need some, too.
const NEEDED_GIB: u64 = 16;

/// The mounted disk; unmounted on drop, whatever is still using it.
pub struct MemoryDisk {
    store: PathBuf,
    point: PathBuf,
}

impl MemoryDisk {
    /// Mounts it, or says why the tests do without.
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
        // What a run left that was killed.
        let disk = MemoryDisk { store, point };
        disk.unmount();
        let size = format!("size={}g", SIZE_GIB + 1);
        tool(&["mount", "-t", "tmpfs", "-o", &size, "reelgauge-tests"], &disk.store)?;
        let image = disk.store.join("image");
        std::fs::File::create(&image)?.set_len(SIZE_GIB << 30)?;
        tool(&["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0"], &image)?;
        // What is removed gives its memory back.
        let image = image.display().to_string();
        tool(&["mount", "-o", "loop,discard", &image], &disk.point)?;
        Ok(disk)
    }

    /// Takes it out of the tree; nothing is said where nothing is mounted.
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

/// Whether there is what it takes.
fn can_be_had() -> anyhow::Result<()> {
    anyhow::ensure!(command::is_root(), "only root can mount one in memory");
    let gib = available_gib(&std::fs::read_to_string("/proc/meminfo")?).unwrap_or(0);
    anyhow::ensure!(gib >= NEEDED_GIB, "{gib} GiB of memory are free, and one in memory needs {NEEDED_GIB}");
    Ok(())
}

/// The memory that can be had, from the text of `/proc/meminfo`.
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
    fn what_is_available_is_read() {
        let text = "MemTotal:       24684068 kB\nMemFree:   19387444 kB\nMemAvailable:   24098944 kB\n";
        assert_eq!(available_gib(text), Some(22));
        assert_eq!(available_gib("MemTotal: 1 kB\n"), None);
    }
}
