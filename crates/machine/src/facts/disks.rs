//! Disks: their queues, and their roles in arrays.

use super::arrays::{ARRAYS, arrays, members};
use super::{FactKind, FactSubject, Facts, is_one_word, no_such_word, unraid};
use crate::devices::{self, DISKS as ALL, is_no_disk};
use crate::texts::Texts;
use crate::texts::required_texts::mounted_loops;

pub(super) fn disks(texts: &Texts, facts: &mut Facts) {
    match texts.get(ALL) {
        Ok(names) => {
            let loops = mounted_loops(&texts.mounts());
            let is_one = |name: &&str| !is_no_disk(name) || loops.iter().any(|of_loop| of_loop == name);
            let names = names.split_whitespace().filter(is_one);
            let members = members(texts.get(ARRAYS).unwrap_or_default());
            facts.subjects.extend(names.map(|name| disk(name, &members, texts)));
        }
        Err(why) => facts.cannot_see(&[FactKind::Disk], ALL, &why),
    }
    match texts.get(ARRAYS) {
        Ok(said) => match unraid::volume(said) {
            Some(volume) => facts.subjects.push(volume.subject(ARRAYS)),
            None => facts.subjects.extend(arrays(said)),
        },
        Err(why) => facts.cannot_see(&[FactKind::Array], ARRAYS, &why),
    }
}

fn disk(name: &str, members: &[&str], texts: &Texts) -> FactSubject {
    let mut disk = FactSubject::new(FactKind::Disk, name);
    let queue = |file: &str| format!("{ALL}/{name}/queue/{file}");
    disk.whole("rotational", texts, &queue("rotational"));
    disk.whole("read_ahead_kib", texts, &queue("read_ahead_kb"));
    disk.whole("requests", texts, &queue("nr_requests"));
    let text = queue("scheduler");
    match texts.get(&text) {
        Ok(said) if !is_one_word(said) => disk.gap("scheduler", &text, no_such_word(said)),
        Ok(said) => {
            let active =
                said.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(name, _)| name);
            disk.word("scheduler", active.unwrap_or(said.trim()));
        }
        Err(why) => disk.gap("scheduler", &text, why),
    }
    disk.whole("device_depth", texts, &format!("{ALL}/{name}/device/queue_depth"));
    let kind = if name.starts_with("md") || name.starts_with("dm-") {
        "array"
    } else if members.contains(&name) {
        "member"
    } else if is_virtual(name, texts) {
        "virtual"
    } else if is_no_disk(name) {
        "loop"
    } else {
        "disk"
    };
    disk.word("kind", kind);
    disk
}

/// Whether a disk is virtual.
pub(super) fn is_virtual(disk: &str, texts: &Texts) -> bool {
    devices::is_of_virtual_machine(
        disk,
        texts.get(&format!("{ALL}/{disk}/device/vendor")).unwrap_or_default(),
    )
}
