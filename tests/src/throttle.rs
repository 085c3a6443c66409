//! A limit on a block device or on processor time for one process, by control groups of the kernel.
//!
//! Both version 1 (`blkio`) and version 2 (`io`) of control groups can do it. The system decides which
//! one has the controller.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::scratch::unique_name;

/// Where control groups are mounted.
const ROOT: &str = "/sys/fs/cgroup";

/// A control group whose processes read a device at a limited speed. Removed on drop, once it is empty.
#[derive(Debug)]
pub struct Throttle {
    folder: PathBuf,
}

/// The path of the controller, and the file for its limit.
fn controller() -> Option<(PathBuf, &'static str)> {
    let v1 = Path::new(ROOT).join("blkio");
    if v1.join("blkio.throttle.read_bps_device").exists() {
        return Some((v1, "blkio.throttle.read_bps_device"));
    }
    let offers = |root: &Path| {
        let list = std::fs::read_to_string(root.join("cgroup.controllers")).unwrap_or_default();
        list.split_whitespace().any(|name| name == "io")
    };
    let v2 = [PathBuf::from(ROOT), Path::new(ROOT).join("unified")].into_iter().find(|root| offers(root))?;
    Some((v2, "io.max"))
}

/// The path of the controller for processor time, and whether it is version 1.
fn quota_controller() -> Option<(PathBuf, bool)> {
    let v1 = Path::new(ROOT).join("cpu");
    if v1.join("cpu.shares").exists() {
        return Some((v1, true));
    }
    let list = std::fs::read_to_string(Path::new(ROOT).join("cgroup.controllers")).unwrap_or_default();
    list.split_whitespace().any(|name| name == "cpu").then(|| (PathBuf::from(ROOT), false))
}

/// Whether the kernel can limit processor time here.
pub fn has_quota() -> bool {
    quota_controller().is_some()
}

/// Whether the kernel can throttle block devices here.
pub fn is_possible() -> bool {
    controller().is_some()
}

impl Throttle {
    /// A group whose processes read at most this many bytes per second from the device that holds a path.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn reads(path: &Path, bytes_per_s: u64) -> Throttle {
        Throttle::limited(path, "rbps", bytes_per_s)
    }

    /// The same for reads and writes, each with its own limit.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn both(path: &Path, bytes_per_s: u64) -> Throttle {
        let throttle = Throttle::reads(path, bytes_per_s);
        let (_, file) = controller().unwrap();
        let (file, key) = match file {
            "io.max" => (file, "wbps="),
            _ => ("blkio.throttle.write_bps_device", ""),
        };
        let device = std::fs::metadata(path).unwrap().dev();
        let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
        std::fs::write(throttle.folder.join(file), format!("{major}:{minor} {key}{bytes_per_s}")).unwrap();
        throttle
    }

    /// A group whose processes get at most this many reads per second, whatever their size. This is a
    /// disk that has to seek for each.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn requests(path: &Path, reads_per_s: u64) -> Throttle {
        Throttle::limited(path, "riops", reads_per_s)
    }

    /// A group whose processes get this much processor time per period, summed over all processors.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn processors(quota_us: u64, period_us: u64) -> Throttle {
        let (root, is_v1) = quota_controller().unwrap();
        if !is_v1 {
            std::fs::write(root.join("cgroup.subtree_control"), "+cpu").unwrap();
        }
        let folder = root.join(unique_name());
        std::fs::create_dir(&folder).unwrap();
        if is_v1 {
            std::fs::write(folder.join("cpu.cfs_period_us"), period_us.to_string()).unwrap();
            std::fs::write(folder.join("cpu.cfs_quota_us"), quota_us.to_string()).unwrap();
        } else {
            std::fs::write(folder.join("cpu.max"), format!("{quota_us} {period_us}")).unwrap();
        }
        Throttle { folder }
    }

    /// Puts a running process into the group.
    ///
    /// # Panics
    /// If it can't be put there.
    pub fn take(&self, process: rustix::process::Pid) {
        let pid = process.as_raw_nonzero().to_string();
        std::fs::write(self.folder.join("cgroup.procs"), pid).unwrap();
    }

    /// Removes the limit on processor time.
    ///
    /// # Panics
    /// If the limit can't be removed.
    pub fn lift_processors(&self) {
        let v1 = self.folder.join("cpu.cfs_quota_us");
        if v1.exists() {
            std::fs::write(v1, "-1").unwrap();
        } else {
            std::fs::write(self.folder.join("cpu.max"), "max").unwrap();
        }
    }

    /// A group with this limit, named as in version 2.
    fn limited(path: &Path, limit: &str, value: u64) -> Throttle {
        let (root, file) = controller().unwrap();
        let is_v2 = file == "io.max";
        let file = if !is_v2 && limit == "riops" { "blkio.throttle.read_iops_device" } else { file };
        if is_v2 {
            std::fs::write(root.join("cgroup.subtree_control"), "+io").unwrap();
        }
        let folder = root.join(unique_name());
        std::fs::create_dir(&folder).unwrap();
        let throttle = Throttle { folder };
        let device = std::fs::metadata(path).unwrap().dev();
        let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
        let key = if is_v2 { format!("{limit}=") } else { String::new() };
        std::fs::write(throttle.folder.join(file), format!("{major}:{minor} {key}{value}")).unwrap();
        throttle
    }

    /// A command that enters the group and execs this program. The program, its threads and its children
    /// are throttled.
    pub fn command(&self, program: &Path) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo $$ > \"$0\" && exec \"$@\""]).arg(self.folder.join("cgroup.procs"));
        shell.arg(program);
        shell
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// Removes a group. Its last process may have ended just now.
fn remove(folder: &Path) {
    for _ in 0..50 {
        match std::fs::remove_dir(folder) {
            Err(error) if error.kind() == std::io::ErrorKind::ResourceBusy => {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            _ => return,
        }
    }
}

/// Removes the groups of processes that have ended.
pub(crate) fn sweep(is_stale: impl Fn(&str) -> bool) {
    let roots =
        controller().map(|(root, _)| root).into_iter().chain(quota_controller().map(|(root, _)| root));
    let groups = roots.filter_map(|root| std::fs::read_dir(root).ok()).flatten();
    for group in groups.flatten() {
        if is_stale(&group.file_name().to_string_lossy()) {
            remove(&group.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::mounts::{ImageKind, TempMount};
    use crate::needs::Need;
    use crate::require;

    #[test]
    fn reads_take_their_time_and_the_group_is_removed() {
        require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"), Need::Throttle);
        let mount = TempMount::image(ImageKind::Ext4, 32);
        let file = mount.path().join("file");
        std::fs::write(&file, vec![1; 10 << 20]).unwrap();
        crate::programs::tool("sync");
        let throttle = Throttle::reads(mount.path(), 10 << 20);
        let folder = throttle.folder.clone();
        let mut dd = throttle.command(Path::new("dd"));
        dd.arg(format!("if={}", file.display())).args([
            "of=/dev/null",
            "bs=1M",
            "iflag=direct",
            "status=none",
        ]);
        let start = Instant::now();
        assert!(dd.status().unwrap().success());
        assert!(start.elapsed() > Duration::from_millis(700), "{:?}", start.elapsed());
        drop(throttle);
        assert!(!folder.exists());
    }
}
