//! The text of `/proc/self/mountinfo`: the parser for all code about mounts.
//!
//! Pure except for [`here`]. The format is described in proc_pid_mountinfo(5): `ID PARENT MAJOR:MINOR
//! ROOT MOUNT-POINT OPTIONS [OPTIONAL…] - TYPE SOURCE SUPER-OPTIONS`, one mount per line, in the order
//! of mounting, with space, tab, newline and backslash in names written as `\ooo`. procfs-core has a
//! parser, too, but it keeps names escaped, requires UTF-8 and loses the options' order.
//!
//! [`find`] decides which of the mounts is visible at a path. Not here: the meaning of their options.

use std::borrow::Cow;
use std::io;
use std::path::Path;

pub const FILE: &str = "/proc/self/mountinfo";

/// One line of mountinfo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The mount's number, the same that `statx` reports as `stx_mnt_id`.
    pub id: u64,
    /// Device number, as in `st_dev` of files in it (except btrfs, which uses anonymous ones).
    pub device: (u32, u32),
    /// The mount point. Bytes, because a path need not be UTF-8.
    pub mount_point: Vec<u8>,
    /// Options of this mount, then those of the file system, without duplicates.
    pub options: Vec<String>,
    /// Type of the file system (`ext4`, `nfs4`, `fuse.sshfs`).
    pub fs_type: String,
    /// The source of the mount (`/dev/vda`, `nas1:/tank`).
    pub source: String,
}

impl Entry {
    /// `8:17`, as the kernel names the device in its files.
    pub fn numbers(&self) -> String {
        format!("{}:{}", self.device.0, self.device.1)
    }

    /// The mount point as text.
    pub fn point(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.mount_point)
    }

    /// Whether it is mounted at this path.
    pub fn is_at(&self, path: &Path) -> bool {
        self.mount_point == path.as_os_str().as_encoded_bytes()
    }

    /// The value of an option: `None` if it is not set, empty if it has none.
    pub fn option(&self, name: &str) -> Option<&str> {
        option(&self.options, name)
    }

    /// Whether an option is set.
    pub fn has(&self, name: &str) -> bool {
        self.option(name).is_some()
    }
}

/// The value of an option of a mount: `None` if it is not set, empty if it has none.
pub fn option<'a>(options: &'a [String], name: &str) -> Option<&'a str> {
    options.iter().find_map(|option| match option.split_once('=') {
        Some((key, value)) => (key == name).then_some(value),
        None => (option == name).then_some(""),
    })
}

/// The mounts that are visible to this process.
///
/// # Errors
/// If the table cannot be read: only Linux has one.
pub fn here() -> io::Result<Vec<Entry>> {
    Ok(parse(&std::fs::read(FILE)?))
}

/// Every line that can be parsed. Others are skipped, because one unusual mount must not prevent
/// Reelgauge from finding the right one.
pub fn parse(text: &[u8]) -> Vec<Entry> {
    text.split(|&byte| byte == b'\n').filter_map(parse_line).collect()
}

fn parse_line(line: &[u8]) -> Option<Entry> {
    let fields: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
    // The number of optional fields varies; a single hyphen ends them. It cannot be one of the first
    // six.
    let dash = 6 + fields.get(6..)?.iter().position(|field| *field == b"-")?;
    let (major, minor) =
        text(fields[2]).split_once(':').map(|(major, minor)| (major.parse::<u32>(), minor.parse::<u32>()))?;
    let mut options = Vec::new();
    for list in [Some(&fields[5]), fields.get(dash + 3)].into_iter().flatten() {
        for option in text(&unescape(list)).split(',') {
            if !option.is_empty() && !options.iter().any(|known| known == option) {
                options.push(option.to_owned());
            }
        }
    }
    Some(Entry {
        id: text(fields[0]).parse().ok()?,
        device: (major.ok()?, minor.ok()?),
        mount_point: unescape(fields[4]),
        options,
        fs_type: text(&unescape(fields.get(dash + 1)?)),
        source: text(&unescape(fields.get(dash + 2)?)),
    })
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Decodes `\ooo`. A backslash without three octal digits after it is unchanged.
pub fn unescape(field: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, after)) = rest.split_first() {
        match (byte, after.first_chunk::<3>().and_then(octal)) {
            (b'\\', Some(value)) => {
                decoded.push(value);
                rest = &after[3..];
            }
            _ => {
                decoded.push(byte);
                rest = after;
            }
        }
    }
    decoded
}

fn octal(digits: &[u8; 3]) -> Option<u8> {
    let mut value: u8 = 0;
    for digit in digits {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 8)?;
        value = value.checked_mul(8)?.checked_add(digit)?;
    }
    Some(value)
}

/// The mount that is visible at `path` (absolute, without symbolic links).
///
/// If the kernel provides the number of the mount, that decides: it alone is right for bind mounts of
/// the same file system and for mounts that are hidden below others. Without it (Linux before 5.8), it
/// is the deepest mount point above the path on the same device; of several at the same place the last
/// one, which is on top. btrfs gives each subvolume a device number that mountinfo does not contain; if
/// no device matches, the deepest mount point alone decides.
pub fn find<'a>(
    entries: &'a [Entry],
    path: &[u8],
    mount_id: Option<u64>,
    device: Option<(u32, u32)>,
) -> Option<&'a Entry> {
    if let Some(entry) = entries.iter().find(|entry| Some(entry.id) == mount_id) {
        return Some(entry);
    }
    let above = || entries.iter().filter(|entry| is_above(&entry.mount_point, path));
    // `max_by_key` returns the last of equal ones: the one mounted on top.
    above()
        .filter(|entry| Some(entry.device) == device)
        .max_by_key(|entry| entry.mount_point.len())
        .or_else(|| above().max_by_key(|entry| entry.mount_point.len()))
}

/// The mount that is visible at an absolute path without links, by the table alone. The mount is not
/// accessed, so a dead one cannot block the caller.
pub fn showing<'a>(entries: &'a [Entry], path: &Path) -> Option<&'a Entry> {
    find(entries, path.as_os_str().as_encoded_bytes(), None, None)
}

/// Mount points at `dir` or below it.
pub fn within<'a>(entries: &'a [Entry], dir: &'a [u8]) -> impl Iterator<Item = &'a Entry> + use<'a> {
    entries.iter().filter(|entry| is_above(dir, &entry.mount_point))
}

/// Whether `path` is `dir` or below it, comparing whole components.
fn is_above(dir: &[u8], path: &[u8]) -> bool {
    match path.strip_prefix(dir) {
        Some(rest) => rest.is_empty() || rest[0] == b'/' || dir.ends_with(b"/"),
        None => false,
    }
}

/// A name as the kernel writes it in its tables, decoded.
pub fn unescaped(field: &str) -> String {
    text(&unescape(field.as_bytes()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_line_with_optional_fields() {
        let line =
            b"31 29 8:17 / /srv/raid rw,noatime shared:20 master:2 - xfs /dev/sdb1 rw,attr2,inode64,noquota";
        let xfs = &parse(line)[0];
        assert_eq!(
            *xfs,
            Entry {
                id: 31,
                device: (8, 17),
                mount_point: b"/srv/raid".to_vec(),
                options: ["rw", "noatime", "attr2", "inode64", "noquota"].map(str::to_owned).to_vec(),
                fs_type: "xfs".to_owned(),
                source: "/dev/sdb1".to_owned(),
            }
        );
    }

    #[test]
    fn lines_that_are_no_mounts_are_passed_over() {
        let odd = "not a mount\n\n1 2 x:y / / rw - ext4 /dev/sda rw\n7 1 8:1 / /a rw - ext4 /dev/sda rw\n8 1";
        let entries = parse(odd.as_bytes());
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].id, 7);
    }

    #[test]
    fn a_line_without_super_options() {
        let entries = parse(b"7 1 8:1 / /a rw - ext4 /dev/sda\n");
        assert_eq!(entries[0].options, ["rw"]);
    }

    #[test]
    fn escapes() {
        assert_eq!(unescape(br"a\040b\011c\012d\134e"), b"a b\tc\nd\\e");
        assert_eq!(unescape(br"\04"), br"\04");
        assert_eq!(unescape(br"\999\"), br"\999\");
        assert_eq!(unescape(br"\777"), br"\777", "above one byte");
        assert_eq!(unescape(br"\377"), [255]);
    }

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
    fn device_number_resolves_ambiguous_paths() {
        assert_eq!(id_at("/mnt/twice/x", None), 37, "on top wins");
        assert_eq!(id_at("/mnt/twice/x", Some((8, 17))), 36);
        // Over-mounted from above: by its path it is raid, but by its device, root is visible.
        assert_eq!(id_at("/srv/raid/a", Some((254, 1))), 29);
        // btrfs: files show a device that no line contains.
        assert_eq!(id_at("/home/edit", Some((0, 99))), 32);
    }

    #[test]
    fn mount_id_identifies_the_mount() {
        let entries = entries();
        let by_number = find(&entries, b"/mnt/twice/x", Some(36), Some((0, 60))).unwrap();
        assert_eq!(by_number.id, 36);
        let unknown_number = find(&entries, b"/mnt/twice/x", Some(999), Some((0, 60))).unwrap();
        assert_eq!(unknown_number.id, 37);
    }

    #[test]
    fn automount_point_is_replaced_by_its_mount() {
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
