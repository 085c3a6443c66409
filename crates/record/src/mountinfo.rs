//! The text of `/proc/self/mountinfo`: one parser for all who look at mounts.
//!
//! Pure: no I/O. The format is described in proc_pid_mountinfo(5):
//! `ID PARENT MAJOR:MINOR ROOT MOUNT-POINT OPTIONS [OPTIONAL…] - TYPE SOURCE SUPER-OPTIONS`, one mount per
//! line, in the order of mounting, with space, tab, newline and backslash in names written as `\ooo`.
//! procfs-core has a parser, too; it leaves names escaped, wants them in UTF-8 and loses the options' order.
//!
//! Not here: which of the mounts shows at a path, and what their options mean.

/// One line of mountinfo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The mount's number, the same that `statx` reports as `stx_mnt_id`.
    pub id: u64,
    /// Device number, as `st_dev` of files in it shows it (except btrfs, which uses anonymous ones).
    pub device: (u32, u32),
    /// Where it is mounted. Bytes, since a path need not be UTF-8.
    pub mount_point: Vec<u8>,
    /// Options of this mount, then those of the file system, without repetition.
    pub options: Vec<String>,
    /// Type of the file system (`ext4`, `nfs4`, `fuse.sshfs`).
    pub fs_type: String,
    /// What is mounted (`/dev/vda`, `nas1:/tank`).
    pub source: String,
}

/// Every line that can be understood; the others are passed over, since one odd mount somewhere must not
/// keep the tool from finding the right one.
pub fn parse(text: &[u8]) -> Vec<Entry> {
    text.split(|&byte| byte == b'\n').filter_map(parse_line).collect()
}

fn parse_line(line: &[u8]) -> Option<Entry> {
    let fields: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
    // The number of optional fields varies; a lone dash ends them. It can't be one of the first six.
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

/// Decodes `\ooo`. A backslash that no three octal digits follow stands for itself.
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

#[cfg(test)]
mod tests {
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
}
