//! The requested options in `/etc/fstab`, next to the active ones of a mount.

use crate::mountinfo::unescaped;

/// The options in `/etc/fstab` for this mount point.
pub(super) fn options<'a>(fstab: &'a str, point: &str) -> Option<&'a str> {
    let lines = fstab.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let own = lines
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .find(|words| words.get(1).is_some_and(|own| unescaped(own) == point));
    own.and_then(|words| words.get(3).copied())
}
