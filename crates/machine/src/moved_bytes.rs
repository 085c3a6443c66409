//! What the kernel counted: bytes that this process moved, and bytes that an NFS mount moved.
//!
//! The parsers are pure; on systems without these files there are no counters. Of `mountstats` it is one line
//! of one mount that matters, and it is read here: procfs-core takes the whole file or nothing, and leaves
//! names escaped.

use std::io;
use std::path::Path;

use procfs_core::FromBufRead;
use procfs_core::process::Io;

/// `/proc/self/io` (Linux): what this process moved, all its threads together, in bytes since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessIo {
    /// Bytes that read calls returned, from wherever they came.
    pub rchar_bytes: u64,
    /// Bytes that write calls took.
    pub wchar_bytes: u64,
    /// Bytes fetched from storage on behalf of this process. Exact for block devices; network file systems
    /// count here what their cache fetched, or nothing, depending on the kernel.
    pub read_bytes: u64,
    /// Bytes that this process caused to be written, when it dirtied the pages.
    pub write_bytes: u64,
}

impl ProcessIo {
    /// Reads the text of `/proc/self/io`. `None` when one of its counters is missing.
    pub fn parse(text: &str) -> Option<ProcessIo> {
        let io = Io::from_buf_read(text.as_bytes()).ok()?;
        Some(ProcessIo {
            rchar_bytes: io.rchar,
            wchar_bytes: io.wchar,
            read_bytes: io.read_bytes,
            write_bytes: io.write_bytes,
        })
    }

    /// The counters now.
    ///
    /// # Errors
    /// `Unsupported` on systems other than Linux, and on kernels without I/O accounting.
    pub fn now() -> io::Result<ProcessIo> {
        let text = read_proc("/proc/self/io")?;
        ProcessIo::parse(&text).ok_or_else(|| io::ErrorKind::Unsupported.into())
    }

    /// What was counted from `earlier` until this.
    #[must_use]
    pub fn since(&self, earlier: &ProcessIo) -> ProcessIo {
        ProcessIo {
            rchar_bytes: self.rchar_bytes.saturating_sub(earlier.rchar_bytes),
            wchar_bytes: self.wchar_bytes.saturating_sub(earlier.wchar_bytes),
            read_bytes: self.read_bytes.saturating_sub(earlier.read_bytes),
            write_bytes: self.write_bytes.saturating_sub(earlier.write_bytes),
        }
    }
}

/// The `bytes:` line of an NFS mount in `/proc/self/mountstats` (Linux): bytes since it was mounted, by
/// every process on this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NfsBytes {
    /// Bytes that read calls through the cache returned.
    pub normal_read_bytes: u64,
    /// Bytes that write calls through the cache took.
    pub normal_write_bytes: u64,
    /// Bytes of direct reads.
    pub direct_read_bytes: u64,
    /// Bytes of direct writes.
    pub direct_write_bytes: u64,
    /// Bytes that the server sent.
    pub server_read_bytes: u64,
    /// Bytes that the server was sent.
    pub server_write_bytes: u64,
}

impl NfsBytes {
    /// Finds the mount at `mount_point` in the text of `/proc/self/mountstats`; of several at the same
    /// place the last, which lies on top. `None` when there is no NFS mount.
    pub fn parse(text: &str, mount_point: &Path) -> Option<NfsBytes> {
        let mut inside = false;
        let mut found = None;
        for line in text.lines() {
            if let Some(device) = line.strip_prefix("device ") {
                inside = is_mounted_on(device, mount_point);
                if inside {
                    found = None;
                }
            } else if inside && let Some(numbers) = line.trim_start().strip_prefix("bytes:") {
                found = NfsBytes::of_line(numbers);
            }
        }
        found
    }

    fn of_line(numbers: &str) -> Option<NfsBytes> {
        let mut numbers = numbers.split_ascii_whitespace().map(str::parse::<u64>);
        let mut next = || numbers.next()?.ok();
        Some(NfsBytes {
            normal_read_bytes: next()?,
            normal_write_bytes: next()?,
            direct_read_bytes: next()?,
            direct_write_bytes: next()?,
            server_read_bytes: next()?,
            server_write_bytes: next()?,
        })
    }

    /// The counters of the mount at `mount_point` now.
    ///
    /// # Errors
    /// `Unsupported` on systems other than Linux; `NotFound` when no NFS is mounted there.
    pub fn now(mount_point: &Path) -> io::Result<NfsBytes> {
        let text = read_proc("/proc/self/mountstats")?;
        NfsBytes::parse(&text, mount_point).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// What was counted from `earlier` until this.
    #[must_use]
    pub fn since(&self, earlier: &NfsBytes) -> NfsBytes {
        let less = u64::saturating_sub;
        NfsBytes {
            normal_read_bytes: less(self.normal_read_bytes, earlier.normal_read_bytes),
            normal_write_bytes: less(self.normal_write_bytes, earlier.normal_write_bytes),
            direct_read_bytes: less(self.direct_read_bytes, earlier.direct_read_bytes),
            direct_write_bytes: less(self.direct_write_bytes, earlier.direct_write_bytes),
            server_read_bytes: less(self.server_read_bytes, earlier.server_read_bytes),
            server_write_bytes: less(self.server_write_bytes, earlier.server_write_bytes),
        }
    }
}

/// Whether `SOURCE mounted on PATH with fstype nfs…` names this path. Names are escaped, so that spaces
/// separate fields only.
fn is_mounted_on(device: &str, mount_point: &Path) -> bool {
    let Some((_, rest)) = device.split_once(" mounted on ") else {
        return false;
    };
    let Some((path, fs_type)) = rest.split_once(" with fstype ") else {
        return false;
    };
    fs_type.starts_with("nfs") && is_path(path, mount_point)
}

#[cfg(target_os = "linux")]
fn is_path(escaped: &str, path: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    crate::mountinfo::unescape(escaped.as_bytes()) == path.as_os_str().as_bytes()
}

#[cfg(not(target_os = "linux"))]
fn is_path(escaped: &str, path: &Path) -> bool {
    Path::new(escaped) == path
}

#[cfg(target_os = "linux")]
fn read_proc(path: &str) -> io::Result<String> {
    // Names of mounts need not be UTF-8.
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

#[cfg(not(target_os = "linux"))]
fn read_proc(_path: &str) -> io::Result<String> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn process_counters() {
        let text = "rchar: 4292\nwchar: 10\nsyscr: 13\nsyscw: 1\nread_bytes: 4096\nwrite_bytes: 8192\n\
                    cancelled_write_bytes: 0\n";
        let counters = ProcessIo::parse(text).unwrap();
        assert_eq!(
            counters,
            ProcessIo { rchar_bytes: 4292, wchar_bytes: 10, read_bytes: 4096, write_bytes: 8192 }
        );
        let earlier = ProcessIo { rchar_bytes: 4000, ..ProcessIo::default() };
        assert_eq!(counters.since(&earlier).rchar_bytes, 292);
        assert_eq!(ProcessIo::parse("nothing: here\nrchar: x\n"), None);
        let without = text.replace("read_bytes: 4096\n", "");
        assert_eq!(ProcessIo::parse(&without), None, "what is not there is unknown, and not 0");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn reads_of_this_process_are_counted() {
        let before = match ProcessIo::now() {
            Ok(before) => before,
            Err(error) => {
                eprintln!("skipped: this kernel keeps no I/O counters ({error})");
                return;
            }
        };
        let read = std::fs::read("/proc/self/mountinfo").unwrap().len() as u64;
        let moved = ProcessIo::now().unwrap().since(&before);
        assert!(moved.rchar_bytes >= read, "{moved:?}");
    }

    /// As kernels print it, shortened to the lines that differ in kind.
    const MOUNTSTATS: &str = "\
device rootfs mounted on / with fstype rootfs
device /dev/vda1 mounted on /mnt/nas with fstype ext4
device nas1:/tank/media mounted on /mnt/nas with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,addr=10.0.0.2
\tage:\t4321
\tcaps:\tcaps=0x3ffbffff,wtmult=512,dtsize=1048576,bsize=0,namlen=255
\tsec:\tflavor=1,pseudoflavor=1
\tevents:\t13 1004 0 2 9 11 1040 256 0 0 1 257 0 0 6 256 0 6 0 0 0 0 0 0 0 0 0
\tbytes:\t1000 2000 3000 4000 5000 6000 7 8
\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)
\txprt:\ttcp 872 0 2 0 11 46 46 0 46 0 2 0 0
device nas1:/tank/two\\040words mounted on /mnt/two\\040words with fstype nfs statvers=1.1
\tbytes:\t1 2 3 4 5 6 7 8
device nas1:/odd mounted on /mnt/odd with fstype nfs4 statvers=1.1
\tbytes:\t1 2 three
device nfsd mounted on /proc/fs/nfsd with fstype nfsd
";

    #[test]
    fn counters_of_an_nfs_mount() {
        let nas = NfsBytes::parse(MOUNTSTATS, Path::new("/mnt/nas")).unwrap();
        assert_eq!(
            nas,
            NfsBytes {
                normal_read_bytes: 1000,
                normal_write_bytes: 2000,
                direct_read_bytes: 3000,
                direct_write_bytes: 4000,
                server_read_bytes: 5000,
                server_write_bytes: 6000,
            }
        );
        assert_eq!(nas.since(&nas), NfsBytes::default());
    }

    #[test]
    fn no_counters_for_other_mounts_and_damaged_lines() {
        assert_eq!(NfsBytes::parse(MOUNTSTATS, Path::new("/")), None);
        assert_eq!(NfsBytes::parse(MOUNTSTATS, Path::new("/mnt/odd")), None);
        assert_eq!(NfsBytes::parse(MOUNTSTATS, Path::new("/mnt")), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_mount_point_with_a_space() {
        let found = NfsBytes::parse(MOUNTSTATS, Path::new("/mnt/two words")).unwrap();
        assert_eq!(found.server_read_bytes, 5);
    }
}
