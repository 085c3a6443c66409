//! File systems that combine others in one place: overlay, and FUSE unions. They have no disks; their
//! data is on those of their branches.
//!
//! Branches are listed in different places. Those of overlay are in its options `lowerdir` and
//! `upperdir` (the kernel's `Documentation/filesystems/overlayfs.rst`). Those of bindfs and similar ones
//! are in their source. Those of mergerfs and unionfs are in their source if it contains paths
//! (`/mnt/a:/mnt/b`; by default it is shortened). Unraid's shfs shows `/mnt/disk1` and so on, and its
//! pools.

use std::path::Path;

use crate::mountinfo::{Entry, showing};

/// Unions of several branches.
const UNIONS: [&str; 9] = [
    "overlay",
    "aufs",
    "unionfs",
    "fuse.mergerfs",
    "fuse.shfs",
    "fuse.unionfs",
    "fuse.unionfs-fuse",
    "fuse.mhddfs",
    "fuse.fuse-overlayfs",
];
/// File systems that show one other directory.
const MIRRORS: [&str; 6] =
    ["fuse.bindfs", "fuse.gocryptfs", "fuse.encfs", "fuse.cryfs", "fuse.securefs", "ecryptfs"];
/// Layers of such file systems, at most.
const DEPTH_MAX: usize = 8;

/// The mounts below a mount.
#[derive(Default)]
pub(crate) struct Below<'a> {
    /// Mounts of other file systems than these.
    pub(crate) mounts: Vec<&'a Entry>,
    /// Whether these are all.
    pub(crate) is_whole: bool,
}

/// Whether it combines other file systems and has no disk.
pub(crate) fn is_union(mount: &Entry) -> bool {
    let kind = mount.fs_type.as_str();
    UNIONS.contains(&kind) || MIRRORS.contains(&kind)
}

/// The mounts below a union.
pub(crate) fn below<'a>(table: &'a [Entry], union: &'a Entry) -> Below<'a> {
    let mut found = Below { mounts: Vec::new(), is_whole: true };
    follow(table, union, DEPTH_MAX, &mut found);
    found.is_whole &= !found.mounts.is_empty();
    found
}

fn follow<'a>(table: &'a [Entry], union: &'a Entry, depth: usize, found: &mut Below<'a>) {
    let branches = branches(table, union);
    if branches.is_empty() || depth == 0 {
        found.is_whole = false;
        return;
    }
    for branch in branches {
        match showing(table, Path::new(&branch)) {
            // A container sees its own root in place of the branch.
            Some(mount) if mount.mount_point == union.mount_point => found.is_whole = false,
            Some(mount) if is_union(mount) => follow(table, mount, depth - 1, found),
            Some(mount) if found.mounts.iter().any(|known| known.mount_point == mount.mount_point) => {}
            Some(mount) => found.mounts.push(mount),
            None => found.is_whole = false,
        }
    }
}

/// The directories that it combines, as far as the table of mounts shows them.
fn branches(table: &[Entry], union: &Entry) -> Vec<String> {
    match union.fs_type.as_str() {
        "overlay" | "fuse.fuse-overlayfs" => ["upperdir", "lowerdir", "lowerdir+"]
            .iter()
            .filter_map(|name| union.option(name))
            .flat_map(|list| list.split(':'))
            .filter(|branch| branch.starts_with('/'))
            .map(str::to_owned)
            .collect(),
        "fuse.shfs" => {
            table.iter().map(|mount| mount.point().into_owned()).filter(|it| is_of_unraid(it)).collect()
        }
        _ => {
            let all: Vec<&str> = union.source.split(':').map(without_rights).collect();
            let are_paths = all.iter().all(|branch| branch.starts_with('/'));
            all.iter().filter(|_| are_paths).map(|branch| (*branch).to_owned()).collect()
        }
    }
}

/// `/mnt/a` of `/mnt/a=RW`.
fn without_rights(branch: &str) -> &str {
    branch.split('=').next().unwrap_or(branch)
}

/// `/mnt/disk1`, `/mnt/cache`.
fn is_of_unraid(point: &str) -> bool {
    let name = point.strip_prefix("/mnt/").unwrap_or_default();
    let is_disk = name
        .strip_prefix("disk")
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()));
    is_disk || name.starts_with("cache")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::mountinfo::parse;

    const MOUNTS: &str = "\
29 1 8:1 / / rw - ext4 /dev/sda1 rw
30 29 8:17 / /mnt/disk1 rw - xfs /dev/sdb1 rw
31 29 8:33 / /mnt/disk2 rw - xfs /dev/sdc1 rw
32 29 0:52 / /mnt/nas rw - nfs4 nas1:/m rw,addr=10.0.0.5
40 29 0:60 / /u/shfs rw - fuse.shfs shfs rw
41 29 0:61 / /u/merged rw - fuse.mergerfs /mnt/disk1:/mnt/disk2 rw
42 29 0:62 / /u/short rw - fuse.mergerfs 1:2 rw
43 29 0:63 / /u/bound rw - fuse.bindfs /mnt/nas/a rw
44 29 0:64 / /u/over rw - overlay overlay rw,lowerdir=/mnt/disk1:/mnt/disk2/x,upperdir=/u/bound/up,workdir=/w
45 29 0:65 / /u/self rw - overlay overlay rw,lowerdir=/u/self/a,upperdir=/u/self/b
46 29 0:66 / /u/unionfs rw - fuse.unionfs /mnt/disk1=RW:/mnt/disk2=RO rw
";

    #[test]
    fn branches_are_resolved_to_their_mounts() {
        let table = parse(MOUNTS.as_bytes());
        let points = |point: &str| {
            let union = table.iter().find(|mount| mount.point() == point).unwrap();
            let below = below(&table, union);
            let names: Vec<_> = below.mounts.iter().map(|mount| mount.point()).collect();
            (names.join(" "), below.is_whole)
        };
        for (point, names, is_whole) in [
            ("/u/shfs", "/mnt/disk1 /mnt/disk2", true),
            ("/u/merged", "/mnt/disk1 /mnt/disk2", true),
            ("/u/unionfs", "/mnt/disk1 /mnt/disk2", true),
            ("/u/short", "", false),
            ("/u/bound", "/mnt/nas", true),
            ("/u/over", "/mnt/nas /mnt/disk1 /mnt/disk2", true),
            ("/u/self", "", false),
        ] {
            assert_eq!(points(point), (names.to_owned(), is_whole), "{point}");
        }
    }
}
