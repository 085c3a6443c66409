//! Classes of file systems, by the type that the operating system shows: a single list for the questions
//! where data is, and by which protocol it is accessed.

/// The place of a file system's data, as far as its type shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MountKind {
    /// On a block device of the host. It may still be a network device (iSCSI, NBD), which the type does
    /// not show.
    LocalDisk,
    /// In the host's memory.
    Memory,
    /// On another host, through a file protocol (NFS, SMB, CephFS, a hypervisor's shared folder).
    Network,
    /// Behind a program on the host (sshfs, rclone, ntfs-3g), wherever that stores it.
    Fuse,
    /// Layers of other file systems, as containers use them.
    Overlay,
    /// The type does not show it.
    Unknown,
}

/// The supported protocols, whose options, counters and servers are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Nfs,
    Smb,
    Stornext,
}

/// The protocol of a file system of this type: `nfsd` has none, despite its prefix.
pub fn protocol_of(fs_type: &str) -> Option<Protocol> {
    match fs_type {
        "nfs" | "nfs4" => Some(Protocol::Nfs),
        // The names in Linux and macOS, and Reelgauge's name for Windows.
        "cifs" | "smb3" | "smbfs" | "smb" => Some(Protocol::Smb),
        "cvfs" => Some(Protocol::Stornext),
        _ => None,
    }
}

/// The type of a file system by the number in Linux's `statfs` (`linux/magic.h`), for the types that
/// need special treatment.
pub fn type_of_magic(magic: u64) -> Option<&'static str> {
    match magic {
        0x0102_1994 => Some("tmpfs"),
        0x2fc1_2fc1 => Some("zfs"),
        0x8584_58f6 => Some("ramfs"),
        _ => None,
    }
}

/// The place of the data of a file system of this type.
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
        // macOS lists FUSE mounts under the name of their kernel extension.
        "macfuse" | "osxfuse" | "fuse-t" => MountKind::Fuse,
        _ if source.starts_with("/dev/") => MountKind::LocalDisk,
        _ => MountKind::Unknown,
    }
}

/// Whether it is on the host's own disks or in its memory. FUSE also serves block devices (`fuseblk`:
/// ntfs-3g).
pub fn is_local(fs_type: &str, source: &str) -> bool {
    fs_type == "fuseblk" || matches!(kind_of(fs_type, source), MountKind::LocalDisk | MountKind::Memory)
}

/// Whether it is a kernel file system, whose access involves no server and no process: `proc`, `sysfs`.
pub fn is_of_the_kernel(fs_type: &str, source: &str) -> bool {
    kind_of(fs_type, source) == MountKind::Unknown
        // Access to an automount point mounts the file system behind it.
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

    /// Access to a mount whose server does not respond can hang the calling thread.
    #[test]
    fn network_and_fuse_file_systems_are_not_local() {
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
