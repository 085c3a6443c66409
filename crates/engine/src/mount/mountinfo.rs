//! Which of the system's mounts shows at a path. Pure: no I/O.
//!
//! Not here: how the table is read ([`reelgauge_record::mountinfo`]).

pub(super) use reelgauge_record::mountinfo::{Entry, parse};

/// The mount that shows at `path` (absolute, without symbolic links).
///
/// The number of the mount decides where the kernel tells it: it alone is right for bind mounts of the
/// same file system and for mounts that are hidden below others. Without it (Linux before 5.8) it is the
/// deepest mount point above the path on the same device; of several at the same place the last, which
/// lies on top. btrfs gives each subvolume a device number that mountinfo doesn't know; if no device
/// fits, the deepest mount point decides alone.
pub(super) fn find<'a>(
    entries: &'a [Entry],
    path: &[u8],
    mount_id: Option<u64>,
    device: Option<(u32, u32)>,
) -> Option<&'a Entry> {
    if let Some(entry) = entries.iter().find(|entry| Some(entry.id) == mount_id) {
        return Some(entry);
    }
    let above = || entries.iter().filter(|entry| is_above(&entry.mount_point, path));
    // `max_by_key` returns the last of equals: the one mounted on top.
    above()
        .filter(|entry| Some(entry.device) == device)
        .max_by_key(|entry| entry.mount_point.len())
        .or_else(|| above().max_by_key(|entry| entry.mount_point.len()))
}

/// Mount points at `dir` or below it.
pub(super) fn within<'a>(entries: &'a [Entry], dir: &'a [u8]) -> impl Iterator<Item = &'a Entry> + use<'a> {
    entries.iter().filter(|entry| is_above(dir, &entry.mount_point))
}

/// Whether `path` is `dir` or lies below it, comparing whole components.
fn is_above(dir: &[u8], path: &[u8]) -> bool {
    match path.strip_prefix(dir) {
        Some(rest) => rest.is_empty() || rest[0] == b'/' || dir.ends_with(b"/"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Lines as kernels print them. 36 hides below 37, 38 is bound from 29's file system, 44 and 45 are
    /// an automount point and what it mounted.
    const MOUNTS: &str = r"29 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,discard,errors=remount-ro
30 29 0:26 / /dev/shm rw,nosuid,nodev shared:4 - tmpfs tmpfs rw,inode64
31 29 8:17 / /srv/raid rw,noatime shared:20 master:2 - xfs /dev/sdb1 rw,attr2,inode64,logbufs=8,noquota
32 29 0:41 /@home /home rw,relatime shared:21 - btrfs /dev/sdc2 rw,compress=zstd:3,ssd,space_cache=v2,subvolid=257,subvol=/@home
33 29 0:52 / /mnt/nas rw,relatime shared:190 - nfs4 nas1:/tank/media rw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,nconnect=4,timeo=600,retrans=2,sec=sys,clientaddr=10.0.0.7,local_lock=none,addr=10.0.0.2
34 29 0:53 / /mnt/smb rw,relatime shared:195 - cifs //nas1/media rw,vers=3.1.1,cache=strict,username=edit,uid=1000,noforceuid,gid=1000,noforcegid,addr=10.0.0.2,file_mode=0755,dir_mode=0755,soft,nounix,serverino,mapposix,rsize=4194304,wsize=4194304,bsize=1048576,echo_interval=60,actimeo=1
35 29 0:54 / /home/edit/remote rw,nosuid,nodev,relatime shared:200 - fuse.sshfs edit@nas1:/srv/media\040one rw,user_id=1000,group_id=1000
36 29 8:17 / /mnt/twice rw,relatime - xfs /dev/sdb1 rw
37 29 0:60 / /mnt/twice rw,relatime - tmpfs top rw,size=1024k
38 29 254:1 /srv/projects /export/projects rw,relatime shared:1 - ext4 /dev/vda1 rw,discard
39 29 0:61 / /mnt/Media\040Pool\040\134\0401 rw,relatime - ext4 /dev/sdd1 rw
40 29 0:62 / /mnt/two\012lines rw,relatime - ext4 /dev/sde1 rw
41 29 0:63 / /var/lib/docker/overlay2/abc/merged rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/AB:/var/lib/docker/overlay2/l/CD,upperdir=/var/lib/docker/overlay2/abc/diff,workdir=/var/lib/docker/overlay2/abc/work
44 29 0:45 / /net/nas2 rw,relatime shared:25 - autofs systemd-1 rw,fd=48,pgrp=1,timeout=60,minproto=5,maxproto=5,direct,pipe_ino=18214
45 44 0:66 / /net/nas2 rw,relatime shared:210 - nfs nas2:/export rw,vers=3,addr=10.0.0.3
";

    fn entries() -> Vec<Entry> {
        parse(MOUNTS.as_bytes())
    }

    fn id_at(path: &str, device: Option<(u32, u32)>) -> u64 {
        find(&entries(), path.as_bytes(), None, device).unwrap().id
    }

    #[test]
    fn every_line_is_understood() {
        assert_eq!(entries().len(), MOUNTS.lines().count());
    }

    #[test]
    fn the_deepest_mount_point_above_the_path() {
        assert_eq!(id_at("/", None), 29);
        assert_eq!(id_at("/srv", None), 29);
        assert_eq!(id_at("/srv/raid", None), 31);
        assert_eq!(id_at("/srv/raid/a/b", None), 31);
        assert_eq!(id_at("/srv/raider", None), 29, "components, not letters");
        assert_eq!(id_at("/mnt/Media Pool \\ 1/x", None), 39);
        assert_eq!(id_at("/mnt/two\nlines", None), 40);
    }

    #[test]
    fn the_device_settles_what_the_path_cannot() {
        assert_eq!(id_at("/mnt/twice/x", None), 37, "on top wins");
        assert_eq!(id_at("/mnt/twice/x", Some((8, 17))), 36);
        // Over-mounted from above: the path says raid, the device says that root shows through.
        assert_eq!(id_at("/srv/raid/a", Some((254, 1))), 29);
        // btrfs: files show a device that no line has.
        assert_eq!(id_at("/home/edit", Some((0, 99))), 32);
    }

    #[test]
    fn the_number_of_the_mount_settles_everything() {
        let entries = entries();
        let by_number = find(&entries, b"/mnt/twice/x", Some(36), Some((0, 60))).unwrap();
        assert_eq!(by_number.id, 36);
        let unknown_number = find(&entries, b"/mnt/twice/x", Some(999), Some((0, 60))).unwrap();
        assert_eq!(unknown_number.id, 37);
    }

    #[test]
    fn an_automount_point_gives_way_to_what_it_mounted() {
        assert_eq!(id_at("/net/nas2/show", None), 45);
        assert_eq!(id_at("/net/nas2", Some((0, 66))), 45);
    }

    #[test]
    fn a_bind_mount_is_the_deeper_of_the_same_device() {
        assert_eq!(id_at("/export/projects/a", Some((254, 1))), 38);
    }

    #[test]
    fn nothing_above_a_relative_path() {
        assert_eq!(find(&entries(), b"srv", None, None), None);
    }

    #[test]
    fn mounts_within_a_directory() {
        let entries = entries();
        let ids = |dir: &[u8]| -> Vec<u64> { within(&entries, dir).map(|entry| entry.id).collect() };
        assert_eq!(ids(b"/mnt/twice"), [36, 37]);
        assert_eq!(ids(b"/mnt/tw"), [0u64; 0]);
        assert_eq!(ids(b"/home"), [32, 35]);
    }
}
