//! Disks and arrays: their queues, and what an array is at.

use super::{FactKind, Facts, Subject, is_one_word, no_such_word};
use crate::texts::Texts;
use crate::texts::wanted::{is_no_disk, mounted_loops};

const ALL: &str = "/sys/block";
const ARRAYS: &str = "/proc/mdstat";

pub(super) fn disks(texts: &Texts, facts: &mut Facts) {
    match texts.get(ALL) {
        Ok(names) => {
            let loops = mounted_loops(texts.get("/proc/self/mountinfo").unwrap_or_default());
            let is_one = |name: &&str| !is_no_disk(name) || loops.iter().any(|of_loop| of_loop == name);
            let names = names.split_whitespace().filter(is_one);
            let members = members(texts.get(ARRAYS).unwrap_or_default());
            facts.subjects.extend(names.map(|name| disk(name, &members, texts)));
        }
        Err(why) => facts.cannot_see(&[FactKind::Disk], ALL, &why),
    }
    match texts.get(ARRAYS) {
        Ok(said) => facts.subjects.extend(arrays(said)),
        Err(why) => facts.cannot_see(&[FactKind::Array], ARRAYS, &why),
    }
}

fn disk(name: &str, members: &[&str], texts: &Texts) -> Subject {
    let mut disk = Subject::new(FactKind::Disk, name);
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
    } else if name.starts_with("vd") || name.starts_with("xvd") {
        "virtual"
    } else if is_no_disk(name) {
        "loop"
    } else {
        "disk"
    };
    disk.word("kind", kind);
    disk
}

/// The disks of arrays: `sda` of `sda[0]` and of `sda1[0]`.
fn members(mdstat: &str) -> Vec<&str> {
    let words = mdstat.lines().filter(|line| line.starts_with("md")).flat_map(str::split_whitespace);
    let devices = words.filter_map(|word| Some(word.split_once('[')?.0));
    devices.flat_map(|device| [device, device.trim_end_matches(|c: char| c.is_ascii_digit())]).collect()
}

/// `md0 : active raid6 sdb[0] …`, and the lines below it.
fn arrays(said: &str) -> Vec<Subject> {
    let mut found: Vec<Subject> = Vec::new();
    for line in said.lines() {
        if let Some((name, rest)) = line.split_once(" : ").filter(|(name, _)| name.starts_with("md")) {
            let mut array = Subject::new(FactKind::Array, name);
            let level = rest.split(' ').find(|word| word.starts_with("raid") || *word == "linear");
            array.word("level", level.unwrap_or("none"));
            array.yes_no("is_degraded", false);
            array.word("activity", "none");
            found.push(array);
            continue;
        }
        let Some(array) = found.last_mut() else { continue };
        // `[6/5] [UU_UUU]`: which of them are there.
        let members = line.split_whitespace().filter_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
        if members
            .into_iter()
            .any(|members| members.contains('_') && members.chars().all(|c| "U_".contains(c)))
        {
            array.yes_no("is_degraded", true);
        }
        let activities = ["resync", "recovery", "check", "reshape", "repair"];
        if let Some(activity) = activities.iter().find(|name| line.contains(&format!("{name} ="))) {
            array.word("activity", *activity);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_arrays_are_found() {
        let mdstat = "md0 : active raid1 sdb1[1] sda1[0]\n      976630464 blocks [2/2] [UU]\n";
        assert_eq!(members(mdstat), ["sdb1", "sdb", "sda1", "sda"]);
        let arrays = arrays(mdstat);
        assert_eq!((arrays.len(), arrays[0].word_of("is_degraded")), (1, Some("no")));
        assert_eq!(arrays[0].word_of("level"), Some("raid1"));
    }
}
