//! `/proc/self/mountstats`: the counters of NFS mounts since they were mounted, for all processes of the
//! host together; and bytes that were fetched from the storage.
//!
//! Pure except for [`fetched_bytes`]. procfs-core takes the whole file or nothing, and keeps names
//! escaped.

use std::path::Path;

use procfs_core::FromBufRead;
use procfs_core::process::Io;

use crate::file_system::{Protocol, protocol_of};
use crate::mount::{Mount, MountKind};
use crate::mountinfo::unescape;
use crate::source::{Host, Source};

pub const FILE: &str = "/proc/self/mountstats";

/// The trimmed lines of the NFS mount at `mount_point`; of several at the same place those of the last
/// one, which is on top. `None` if there is no such mount.
pub fn lines_of<'a>(text: &'a str, mount_point: &Path) -> Option<Vec<&'a str>> {
    let mut found: Option<Vec<&str>> = None;
    let mut is_inside = false;
    for line in text.lines() {
        if let Some(device) = line.strip_prefix("device ") {
            is_inside = is_mounted_on(device, mount_point);
            if is_inside {
                found = Some(Vec::new());
            }
        } else if is_inside && let Some(found) = &mut found {
            found.push(line.trim());
        }
    }
    found
}

/// Whether `SOURCE mounted on PATH with fstype nfs…` names this path.
fn is_mounted_on(device: &str, mount_point: &Path) -> bool {
    let after_source = device.split_once(" mounted on ");
    let named = after_source.and_then(|(_, rest)| rest.split_once(" with fstype "));
    named.is_some_and(|(path, rest)| {
        let fs_type = rest.split(' ').next().unwrap_or(rest);
        protocol_of(fs_type) == Some(Protocol::Nfs)
            && unescape(path.as_bytes()) == mount_point.as_os_str().as_encoded_bytes()
    })
}

/// Bytes received from and sent to the server, from the line `bytes:`.
pub fn server_bytes(lines: &[&str]) -> Option<(u64, u64)> {
    let numbers = lines.iter().find_map(|line| line.strip_prefix("bytes:"))?;
    let mut numbers = numbers.split_ascii_whitespace().map(str::parse::<u64>).skip(4);
    let mut next = || numbers.next()?.ok();
    Some((next()?, next()?))
}

/// The number of connections of the mount.
pub fn connections(lines: &[&str]) -> usize {
    lines.iter().filter(|line| line.starts_with("xprt:")).count()
}

/// Bytes fetched from the storage so far, by the counter that is right for this mount.
///
/// Block devices are counted per process. NFS is counted per mount, including reads of other processes.
/// `None` if there is no counter: SMB and FUSE, ZFS (whose own threads read), systems other than Linux.
pub fn fetched_bytes(mount: &Mount) -> Option<u64> {
    let host = Host::here();
    match mount.protocol() {
        Some(Protocol::Nfs) => {
            let text = host.text(FILE)?;
            server_bytes(&lines_of(&text, &mount.mount_point)?).map(|(sent_by_server, _)| sent_by_server)
        }
        _ if mount.kind == MountKind::LocalDisk && mount.fs_type != "zfs" => {
            process_read_bytes(&host.text("/proc/self/io")?)
        }
        _ => None,
    }
}

/// Bytes fetched from storage on behalf of this process, all its threads together, from the text of
/// `/proc/self/io`. `None` if one of its counters is missing.
pub fn process_read_bytes(io: &str) -> Option<u64> {
    Io::from_buf_read(io.as_bytes()).ok().map(|io| io.read_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_counter_is_unknown_not_0() {
        let text = "rchar: 4292\nwchar: 10\nsyscr: 13\nsyscw: 1\nread_bytes: 4096\nwrite_bytes: 8192\n\
                    cancelled_write_bytes: 0\n";
        assert_eq!(process_read_bytes(text), Some(4096));
        assert_eq!(process_read_bytes("nothing: here\nrchar: x\n"), None);
        assert_eq!(process_read_bytes(&text.replace("read_bytes: 4096\n", "")), None);
    }

    /// Kernel output, shortened to the lines that differ in kind.
    const MOUNTSTATS: &str = "\
device rootfs mounted on / with fstype rootfs
device /dev/vda1 mounted on /mnt/nas with fstype ext4
device nas1:/tank/media mounted on /mnt/nas with fstype nfs4 statvers=1.1
\tbytes:\t9 9 9 9 9 9 9 9
device nas1:/tank/media mounted on /mnt/nas with fstype nfs4 statvers=1.1
\topts:\trw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,addr=10.0.0.2
\tevents:\t13 1004 0 2 9 11 1040 256 0 0 1 257 0 0 6 256 0 6 0 0 0 0 0 0 0 0 0
\tbytes:\t1000 2000 3000 4000 5000 6000 7 8
\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)
\txprt:\ttcp 872 0 2 0 11 46 46 0 46 0 2 0 0
\txprt:\ttcp 873 0 2 0 11 46 46 0 46 0 2 0 0
device nas1:/tank/two\\040words mounted on /mnt/two\\040words with fstype nfs statvers=1.1
\tbytes:\t1 2 3 4 5 6 7 8
device nas1:/odd mounted on /mnt/odd with fstype nfs4 statvers=1.1
\tbytes:\t1 2 three
device nfsd mounted on /proc/fs/nfsd with fstype nfsd
";

    #[test]
    fn the_mount_on_top_counts_and_names_may_hold_blanks() {
        let lines = |point: &str| lines_of(MOUNTSTATS, Path::new(point));
        let bytes = |point: &str| server_bytes(&lines(point)?);
        assert_eq!(bytes("/mnt/nas"), Some((5000, 6000)));
        assert_eq!(bytes("/mnt/two words"), Some((5, 6)));
        assert_eq!(bytes("/mnt/odd"), None, "a damaged line");
        assert_eq!(lines("/mnt/nas").map(|lines| connections(&lines)), Some(2));
        for point in ["/", "/mnt", "/proc/fs/nfsd", "/mnt/nas/below"] {
            assert_eq!(lines(point), None, "{point}");
        }
    }
}
