//! The table of mounts: each mount with its options as they are in force, and what `/etc/fstab` asks for.
//!
//! Not here: what the options of a file system mean ([`super::mounts`], [`super::stornext`]).

use reelgauge_record::mountinfo::{self, Entry};

use crate::devices::unescape;

/// The table of mounts: what is in force, not what was asked for.
pub(super) const MOUNTS: &str = "/proc/self/mountinfo";

/// A line of the table.
pub(crate) struct Mount {
    pub(super) numbers: String,
    pub(crate) point: String,
    pub(crate) fs_type: String,
    pub(crate) source: String,
    pub(crate) options: Vec<String>,
}

impl Mount {
    /// `None` where there is no such option; empty where it has no value.
    pub(crate) fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find_map(|option| match option.split_once('=') {
            Some((key, value)) => (key == name).then_some(value),
            None => (option == name).then_some(""),
        })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.option(name).is_some()
    }

    fn of(entry: Entry) -> Mount {
        let (major, minor) = entry.device;
        Mount {
            numbers: format!("{major}:{minor}"),
            point: String::from_utf8_lossy(&entry.mount_point).into_owned(),
            fs_type: entry.fs_type,
            source: entry.source,
            options: entry.options,
        }
    }
}

/// Every mount of the table.
pub(crate) fn table(mountinfo: &str) -> Vec<Mount> {
    mountinfo::parse(mountinfo.as_bytes()).into_iter().map(Mount::of).collect()
}

/// The options that `/etc/fstab` has for what is mounted there.
pub(super) fn fstab_options<'a>(fstab: &'a str, point: &str) -> Option<&'a str> {
    let lines = fstab.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let own = lines
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .find(|words| words.get(1).is_some_and(|own| unescape(own) == point));
    own.and_then(|words| words.get(3).copied())
}
