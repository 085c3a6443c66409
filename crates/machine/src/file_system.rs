//! Classes of file systems, by the type that the operating system shows: one list for everybody who asks
//! where data lies, and by which protocol.

/// Where the data of a file system lies, as far as its type tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MountKind {
    /// On a block device of this machine. It may still be a network's (iSCSI, NBD): that can't be seen here.
    LocalDisk,
    /// In this machine's memory.
    Memory,
    /// On another machine, through a file protocol (NFS, SMB, CephFS, a hypervisor's shared folder).
    Network,
    /// Behind a program of this machine (sshfs, rclone, ntfs-3g), wherever that keeps it.
    Fuse,
    /// Layers of other file systems, as containers use them.
    Overlay,
    /// The type says nothing.
    Unknown,
}

/// The protocols whose options, counters and servers are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Nfs,
    Smb,
    Stornext,
}

/// The protocol of a file system of this type: `nfsd` is none, though its name begins like one.
pub fn protocol_of(fs_type: &str) -> Option<Protocol> {
    match fs_type {
        "nfs" | "nfs4" => Some(Protocol::Nfs),
        // Those of Linux, macOS and, as this program calls it, Windows.
        "cifs" | "smb3" | "smbfs" | "smb" => Some(Protocol::Smb),
        "cvfs" => Some(Protocol::Stornext),
        _ => None,
    }
}

/// The type of a file system by the number that Linux's `statfs` reports of it (`linux/magic.h`), of those
/// that are treated apart.
pub fn type_of_magic(magic: u64) -> Option<&'static str> {
    match magic {
        0x0102_1994 => Some("tmpfs"),
        0x2fc1_2fc1 => Some("zfs"),
        0x8584_58f6 => Some("ramfs"),
        _ => None,
    }
}

/// Where a file system of this type keeps its data.
pub fn kind_of(fs_type: &str, source: &str) -> MountKind {
    match fs_type {
        _ if protocol_of(fs_type).is_some() => MountKind::Network,
        "tmpfs" | "ramfs" | "devtmpfs" | "hugetlbfs" | "ramdisk" => MountKind::Memory,
        "ceph" | "lustre" | "glusterfs" | "gpfs" | "beegfs" | "beegfs_nodev" | "orangefs" | "pvfs2"
        | "afs" | "afpfs" | "webdav" | "coda" | "acfs" | "wekafs" | "quobyte" | "9p" | "virtiofs"
        | "vboxsf" | "prl_fs" | "vmhgfs" => MountKind::Network,
        "overlay" | "overlayfs" | "aufs" | "unionfs" => MountKind::Overlay,
        "ext2" | "ext3" | "ext4" | "xfs" | "btrfs" | "bcachefs" | "zfs" | "f2fs" | "jfs" | "reiserfs"
        | "nilfs2" | "gfs2" | "ocfs2" | "vfat" | "msdos" | "exfat" | "ntfs" | "ntfs3" | "hfs" | "hfsplus"
        | "apfs" | "ufs" | "udf" | "iso9660" | "erofs" | "squashfs" | "NTFS" | "ReFS" | "FAT" | "FAT32"
        | "exFAT" | "UDF" | "CDFS" => MountKind::LocalDisk,
        _ if fs_type == "fuse" || fs_type == "fuseblk" || fs_type.starts_with("fuse.") => MountKind::Fuse,
        // macOS lists FUSE mounts under the name of their kernel part.
        "macfuse" | "osxfuse" | "fuse-t" => MountKind::Fuse,
        _ if source.starts_with("/dev/") => MountKind::LocalDisk,
        _ => MountKind::Unknown,
    }
}

/// Whether it lies on this machine's own disks or in its memory. FUSE serves block devices (`fuseblk`:
/// ntfs-3g), too.
pub fn is_local(fs_type: &str, source: &str) -> bool {
    fs_type == "fuseblk" || matches!(kind_of(fs_type, source), MountKind::LocalDisk | MountKind::Memory)
}

/// Whether it is one of the kernel's own, of which looking asks no server and no process: `proc`, `sysfs`.
pub fn is_of_the_kernel(fs_type: &str, source: &str) -> bool {
    kind_of(fs_type, source) == MountKind::Unknown
        // Looking at an automount point mounts what is behind it.
        && fs_type != "autofs"
        && !source.contains(':')
        && !source.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_a_protocol_by_their_whole_name() {
        for (fs_type, protocol) in [
            ("nfs", Some(Protocol::Nfs)),
            ("nfs4", Some(Protocol::Nfs)),
            ("nfsd", None),
            ("cifs", Some(Protocol::Smb)),
            ("smb3", Some(Protocol::Smb)),
            ("smbfs", Some(Protocol::Smb)),
            ("cvfs", Some(Protocol::Stornext)),
            ("ceph", None),
        ] {
            assert_eq!(protocol_of(fs_type), protocol, "{fs_type}");
        }
    }

    /// A mount whose server is gone would take whoever looks at it along.
    #[test]
    fn what_a_server_or_a_program_has_is_neither_local_nor_the_kernels() {
        for (fs_type, source, local, kernels) in [
            ("xfs", "/dev/sda1", true, false),
            ("zfs", "tank/media", true, false),
            ("squashfs", "/dev/loop2", true, false),
            ("newfs", "/dev/sdz", true, false),
            ("fuseblk", "/dev/sdb1", true, false),
            ("tmpfs", "tmpfs", true, false),
            ("proc", "proc", false, true),
            ("cgroup2", "cgroup2", false, true),
            ("autofs", "systemd-1", false, false),
            ("nfs4", "nas1:/m", false, false),
            ("smb3", "//nas1/m", false, false),
            ("gpfs", "/dev/gpfs0", false, false),
            ("beegfs", "beegfs_nodev", false, false),
            ("wekafs", "default", false, false),
            ("virtiofs", "share0", false, false),
            ("fuse.sshfs", "a@nas1:/m", false, false),
            ("newfs", "nas1:/m", false, false),
        ] {
            let found = (is_local(fs_type, source), is_of_the_kernel(fs_type, source));
            assert_eq!(found, (local, kernels), "{fs_type} {source}");
        }
    }
}
