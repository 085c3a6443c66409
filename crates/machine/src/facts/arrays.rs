//! Linux software arrays: their members, their state, and their activity.
//!
//! The format of `/proc/mdstat` is that of `md_seq_show` and `status_resync` in the kernel's
//! `drivers/md/md.c`. The slots (`[6/5] [UU_UUU]`) are printed by `status` in `raid1.c`, `raid5.c` and
//! `raid10.c`. Synology's kernel marks members with errors: `(E)`, and `E` for a slot.
//!
//! A state that none of these prints is unknown, and never in order. NAS systems make mirrors of system
//! files with more slots than the host has disks: an empty slot there is no lost disk
//! ([`is_spare_room`]).

use std::collections::BTreeSet;

use super::{FactKind, FactSubject, Gap, unraid};
use crate::texts::NotKnown;

pub(super) const ARRAYS: &str = "/proc/mdstat";

/// Levels without slots that can be lost.
const WITHOUT_SLOTS: [&str; 3] = ["linear", "raid0", "faulty"];
/// Levels that the kernel supports or supported.
const LEVELS: [&str; 9] =
    ["linear", "raid0", "raid1", "raid4", "raid5", "raid6", "raid10", "multipath", "faulty"];
/// A mirror with at least this many slots, half of which are empty, was made this way: no mirror loses
/// half of its disks in normal operation.
const MANY_SLOTS: usize = 8;

/// A member: its name, and the letters after it.
struct Member<'a> {
    name: &'a str,
    flags: Vec<char>,
}

impl Member<'_> {
    fn is(&self, flag: char) -> bool {
        self.flags.contains(&flag)
    }
}

/// An array, as in its lines.
#[derive(Default)]
struct Array<'a> {
    name: &'a str,
    /// `active`, `inactive`, `broken`.
    state: &'a str,
    /// `read-only`, `auto-read-only`.
    access: &'a str,
    level: &'a str,
    members: Vec<Member<'a>>,
    /// The owner of its metadata if that is not the kernel: `imsm`, `/md127/0`.
    external: Option<&'a str>,
    /// The number of slots, and the number of used ones.
    slots: Option<(usize, usize)>,
    /// A letter for each slot.
    map: Option<&'a str>,
    /// Its activity: `recovery`, `resync (delayed)`.
    activity: Option<String>,
}

/// The arrays of `/proc/mdstat`.
pub(super) fn arrays(said: &str) -> Vec<FactSubject> {
    let all = read(said);
    all.iter().map(|array| subject(array, &all)).collect()
}

/// The disks of arrays, with every name that a list of disks may contain: `sda1` and `sda` of `sda1[0]`.
pub(super) fn members(said: &str) -> Vec<&str> {
    let members = read(said).into_iter().flat_map(|array| array.members);
    let names = members.map(|member| member.name).chain(unraid::members(said));
    names.flat_map(|name| [name, disk_of(name)]).collect()
}

fn read(said: &str) -> Vec<Array<'_>> {
    let mut found: Vec<Array<'_>> = Vec::new();
    for line in said.lines() {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if is_outside(line) {
            continue;
        }
        if words.first().is_some_and(|word| word.starts_with("md")) && words.get(1) == Some(&":") {
            found.push(Array { name: words[0], ..Array::default() });
            words.drain(..2);
            if let Some(array) = found.last_mut() {
                heading(array, &words);
            }
        }
        if let Some(array) = found.last_mut() {
            rest(array, &words);
        }
    }
    found
}

fn is_outside(line: &str) -> bool {
    ["Personalities", "unused devices", "read_ahead"].iter().any(|head| line.starts_with(head))
}

/// `active (auto-read-only) raid6 sdb[0] sdc[1](F)`.
fn heading<'a>(array: &mut Array<'a>, words: &[&'a str]) {
    let mut words = words.iter().copied().peekable();
    array.state = words.next().unwrap_or_default();
    if let Some(access) = words.next_if(|word| word.starts_with('(')) {
        array.access = access.trim_matches(['(', ')']);
    }
    if let Some(level) = words.next_if(|word| !word.contains('[')) {
        array.level = level;
    }
    array.members = words.map_while(member).collect();
}

/// `sdb1[0](W)(F)`.
fn member(word: &str) -> Option<Member<'_>> {
    let (name, rest) = word.split_once('[').filter(|(name, _)| !name.is_empty())?;
    let (number, flags) = rest.split_once(']')?;
    let is_number = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit() || c == '-');
    is_number.then(|| Member { name, flags: flags.chars().filter(char::is_ascii_alphabetic).collect() })
}

/// `[6/5] [UU_UUU]`, `super external:imsm`, `recovery = 12.6%`, `resync=DELAYED`, wherever they are.
fn rest<'a>(array: &mut Array<'a>, words: &[&'a str]) {
    for (at, word) in words.iter().enumerate() {
        if let Some(inside) = word.strip_prefix('[').and_then(|word| word.strip_suffix(']')) {
            slots(array, inside);
        } else if let Some(keeper) = word.strip_prefix("external:") {
            array.external = Some(keeper);
        } else if let Some((action, waits)) = word.split_once('=').filter(|(_, waits)| is_waiting(waits)) {
            array.activity = Some(format!("{action} ({})", waits.to_ascii_lowercase()));
        } else if word.starts_with('=') && at > 0 {
            let percent = if *word == "=" { words.get(at + 1) } else { Some(word) };
            if percent.is_some_and(|percent| percent.ends_with('%')) {
                array.activity = Some(words[at - 1].to_owned());
            }
        }
    }
}

fn is_waiting(word: &str) -> bool {
    matches!(word, "DELAYED" | "PENDING" | "REMOTE")
}

fn slots<'a>(array: &mut Array<'a>, inside: &'a str) {
    if let Some((all, used)) = inside.split_once('/') {
        let counts = all.parse().ok().zip(used.parse().ok());
        array.slots = array.slots.or(counts);
    } else if array.slots.is_some() && array.map.is_none() && is_map(inside) {
        array.map = Some(inside);
    }
}

fn is_map(inside: &str) -> bool {
    !inside.is_empty() && inside.chars().all(|c| c == '_' || c.is_ascii_uppercase())
}

/// The disk of a member: `sda` of `sda3`, `nvme0n1` of `nvme0n1p3`.
pub(super) fn disk_of(name: &str) -> &str {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_lettered = ["sd", "hd", "vd", "xvd"].iter().any(|kind| {
        stem.strip_prefix(kind)
            .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_lowercase()))
    });
    match stem.strip_suffix('p') {
        Some(disk) if disk.ends_with(|c: char| c.is_ascii_digit()) && stem != name => disk,
        _ if is_lettered => stem,
        _ => name,
    }
}

fn subject(array: &Array<'_>, all: &[Array<'_>]) -> FactSubject {
    let mut subject = FactSubject::new(FactKind::Array, array.name);
    match array.state {
        _ if is_container(array) => subject.word("state", "container"),
        state @ ("active" | "inactive" | "broken") => subject.word("state", state),
        state => unknown(&mut subject, "state", array, state),
    }
    match array.level {
        "" => subject.nothing("level"),
        level if LEVELS.contains(&level) => subject.word("level", level),
        level => unknown(&mut subject, "level", array, level),
    }
    subject.number("members", Some(array.members.len() as f64), ARRAYS);
    subject.word("access", if array.access.is_empty() { "read-write" } else { array.access });
    subject.word("failed_members", names(array, 'F'));
    subject.word("members_with_errors", names(array, 'E'));
    subject.word("activity", array.activity.as_deref().unwrap_or("none"));
    degraded(&mut subject, array, all);
    subject
}

/// Whether slots are empty that should not be.
fn degraded(subject: &mut FactSubject, array: &Array<'_>, all: &[Array<'_>]) {
    let has_slots = !WITHOUT_SLOTS.contains(&array.level) && array.state == "active";
    let Some((slots, used)) = array.slots.filter(|_| has_slots) else {
        return match has_slots && !is_container(array) {
            true => subject.gap("is_degraded", ARRAYS, NotKnown::NotTold),
            false => subject.yes_no("is_degraded", false),
        };
    };
    let letters = array.map.unwrap_or_default();
    if let Some(strange) = letters.chars().find(|c| !"U_E".contains(*c)) {
        return unknown(subject, "is_degraded", array, &strange.to_string());
    }
    let empty = slots.saturating_sub(used).max(letters.matches('_').count());
    let is_room = empty > 0 && is_spare_room(array, all);
    subject.number("missing_members", Some(if is_room { 0.0 } else { empty as f64 }), ARRAYS);
    subject.number("slots", Some(slots as f64), ARRAYS);
    subject.yes_no("is_degraded", empty > 0 && !is_room);
}

/// The container of a firmware array is never active itself; the arrays in it are.
fn is_container(array: &Array<'_>) -> bool {
    array.state == "inactive" && array.external.is_some_and(|keeper| !keeper.starts_with(['/', '-']))
}

fn unknown(subject: &mut FactSubject, fact: &str, array: &Array<'_>, said: &str) {
    let said: String = said.chars().take(24).collect();
    let why = NotKnown::NotUnderstood(format!("unknown state of {}: '{said}'", array.name));
    subject.facts.insert(fact.to_owned(), Err(Gap::new(ARRAYS, why)));
}

fn names(array: &Array<'_>, flag: char) -> String {
    let marked: Vec<&str> =
        array.members.iter().filter(|member| member.is(flag)).map(|member| member.name).collect();
    if marked.is_empty() { "none".to_owned() } else { marked.join(", ") }
}

fn disks<'a>(array: &Array<'a>) -> BTreeSet<&'a str> {
    array.members.iter().map(|member| disk_of(member.name)).collect()
}

/// Whether a mirror's empty slots are for disks that the host never had, as in NAS systems (QNAP: 24 or
/// 32 slots, Synology: one for each bay). Every member must be in use, the empty slots must come last,
/// and other complete arrays must consist of just these disks. Without such an array, a mirror with many
/// slots that was never half full counts.
fn is_spare_room(array: &Array<'_>, all: &[Array<'_>]) -> bool {
    let Some(((slots, used), map)) = array.slots.zip(array.map) else { return false };
    let is_full_in_front = map.trim_end_matches('_').chars().all(|c| c == 'U') && used > 0;
    if array.level != "raid1" || !is_full_in_front || array.members.iter().any(|it| it.is('F')) {
        return false;
    }
    let own = disks(array);
    if own.len() != used {
        return false;
    }
    let others: Vec<&Array<'_>> = all.iter().filter(|other| other.name != array.name).collect();
    let touching = others.iter().filter(|other| !disks(other).is_disjoint(&own));
    let mut of_others: BTreeSet<&str> = BTreeSet::new();
    for other in touching {
        if !disks(other).is_subset(&own) {
            return false;
        }
        // Members that are not listed are lost, or never existed.
        if other.slots.is_some_and(|(slots, _)| other.members.len() >= slots) {
            of_others.extend(disks(other));
        }
    }
    of_others == own || (slots >= MANY_SLOTS && used * 2 <= slots)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Each array on one line: name, state, level, whether degraded, failed members, activity.
    fn told(said: &str) -> Vec<String> {
        let word = |subject: &FactSubject, fact: &str| match subject.fact(fact) {
            Some(Ok(super::super::Value::Word(word))) => word.clone(),
            Some(Ok(_)) => "nothing".to_owned(),
            Some(Err(_)) => "unknown".to_owned(),
            None => "-".to_owned(),
        };
        let line = |one: &FactSubject| {
            let facts = ["state", "level", "is_degraded", "failed_members", "activity", "access"];
            format!("{} {}", one.name, facts.map(|fact| word(one, fact)).join(" "))
        };
        arrays(said).iter().map(line).collect()
    }

    #[test]
    fn members_of_arrays_are_found() {
        let mdstat = "md0 : active raid1 sdb1[1] nvme0n1p3[0]\n      976630464 blocks [2/2] [UU]\n";
        assert_eq!(members(mdstat), ["sdb1", "sdb", "nvme0n1p3", "nvme0n1"]);
        for (name, disk) in [("sda3", "sda"), ("md2", "md2"), ("sata1p5", "sata1"), ("loop3", "loop3")] {
            assert_eq!(disk_of(name), disk);
        }
        for (name, disk) in
            [("sata1", "sata1"), ("nvme0n1", "nvme0n1"), ("mmcblk0p2", "mmcblk0"), ("dm-4", "dm-4")]
        {
            assert_eq!(disk_of(name), disk);
        }
    }

    /// Each is one state of the kernel: the heading, the lines below it, and the expected facts.
    #[test]
    fn every_state_of_the_kernel_is_known() {
        let two = "sdb1[1] sda1[0]";
        let bar =
            |action: &str| format!("[2/2] [UU]\n [==>..]  {action} = 12.6% (1/2) finish=1.5min speed=3K/sec");
        let waits = |word: &str| format!("[2/2] [UU]\n \t{word}");
        let uu = || "[2/2] [UU]".to_owned();
        let below = |text: &str| text.to_owned();
        for (heading, below, expected) in [
            ("active raid1 TWO", uu(), "active raid1 no none none read-write"),
            ("active (auto-read-only) raid1 TWO", uu(), "active raid1 no none none auto-read-only"),
            ("active (read-only) raid1 TWO", uu(), "active raid1 no none none read-only"),
            ("inactive sdb1[1](S) sdc1[2](S)", below(""), "inactive nothing no none none read-write"),
            ("broken raid0 TWO", below("512k chunks"), "broken raid0 no none none read-write"),
            ("frozen raid1 TWO", uu(), "unknown raid1 no none none read-write"),
            ("active raid7 TWO", uu(), "active unknown no none none read-write"),
            ("active raid1 TWO", below("[2/2] [UX]"), "active raid1 unknown none none read-write"),
            ("active raid1 sdb1[1](F) sda1[0]", below("[2/1] [U_]"), "active raid1 yes sdb1 none read-write"),
            (
                "active raid5 sdd1[4](S) TWO",
                below("level 5 [3/2] [UU_]"),
                "active raid5 yes none none read-write",
            ),
            ("active raid10 sdb1[1](W) sda1[0](J)", uu(), "active raid10 no none none read-write"),
            ("active raid0 TWO", below("512k chunks"), "active raid0 no none none read-write"),
            ("active linear TWO", below("0k rounding"), "active linear no none none read-write"),
            ("active multipath sda1[0](F)", below("[2/1] [_U]"), "active multipath yes sda1 none read-write"),
            ("active raid6 TWO", bar("reshape"), "active raid6 no none reshape read-write"),
            ("active raid1 sdc1[2](R) TWO", bar("recovery"), "active raid1 no none recovery read-write"),
            ("active raid1 TWO", bar("check"), "active raid1 no none check read-write"),
            ("active raid1 TWO", bar("repair"), "active raid1 no none repair read-write"),
            ("active raid1 TWO", bar("resync"), "active raid1 no none resync read-write"),
            ("active raid1 TWO", waits("check=DELAYED"), "active raid1 no none check (delayed) read-write"),
            ("active raid1 TWO", waits("resync=PENDING"), "active raid1 no none resync (pending) read-write"),
            ("active raid1 TWO", waits("resync=REMOTE"), "active raid1 no none resync (remote) read-write"),
            ("active raid5 sdb1[1] sda1[0](E)", below("[2/2] [EU]"), "active raid5 no none none read-write"),
            ("active raid5 TWO", below("blocks"), "active raid5 unknown none none read-write"),
        ] {
            let heading = heading.replace("TWO", two);
            let said = format!("md0 : {heading}\n      1022976 blocks super 1.2 {below}\n");
            assert_eq!(told(&said), [format!("md0 {expected}")], "{said}");
        }
        let full =
            "md0 : active raid1 sda1[0]\n 1 blocks [1/1] [U]\n [====]  check =100.0% (2/2) finish=0.0min\n";
        assert_eq!(told(full), ["md0 active raid1 no none check read-write"]);
        let marked = arrays("md0 : active raid5 sda1[0](E) sdb1[1]\n");
        assert_eq!(marked[0].word_of("members_with_errors"), Some("sda1"));
    }

    #[test]
    fn a_container_is_no_array_that_did_not_start() {
        for (keeper, state) in
            [("external:imsm", "container"), ("external:ddf", "container"), ("external:/md127/0", "inactive")]
        {
            let said = format!("md127 : inactive sdb[1](S) sda[0](S)\n      6306 blocks super {keeper}\n");
            assert_eq!(arrays(&said)[0].word_of("state"), Some(state), "{keeper}");
        }
    }

    #[test]
    fn room_for_disks_that_never_were_is_no_loss() {
        let degraded = |said: &str| -> Vec<String> {
            let all = arrays(said);
            let lost = all.iter().filter(|array| array.word_of("is_degraded") == Some("yes"));
            lost.map(|array| array.name.clone()).collect()
        };
        let synology = "md2 : active raid1 sda5[0] sdb5[1]\n 1 blocks [2/2] [UU]\n\
                        md1 : active raid1 sda2[0] sdb2[1]\n 1 blocks [12/2] [UU__________]\n\
                        md0 : active raid1 sda1[0] sdb1[1]\n 1 blocks [4/2] [UU__]\n";
        assert_eq!(degraded(synology), [""; 0]);
        // The second disk is missing from all of them.
        let mut gone = synology.to_owned();
        for (from, to) in [
            (" sdb5[1]", ""),
            (" sdb2[1]", ""),
            (" sdb1[1]", ""),
            ("[2/2] [UU]", "[2/1] [U_]"),
            ("[12/2] [UU__________]", "[12/1] [U___________]"),
            ("[4/2] [UU__]", "[4/1] [U___]"),
        ] {
            gone = gone.replace(from, to);
        }
        assert_eq!(degraded(&gone), ["md2", "md0"]);
        // One of two mirrors lost its part of a disk that exists.
        let half = "md0 : active raid1 sda1[0]\n 1 blocks [2/1] [U_]\n\
                    md1 : active raid1 sda2[0] sdb2[1]\n 1 blocks [2/2] [UU]\n";
        assert_eq!(degraded(half), ["md0"]);
        let alone = "md0 : active raid1 sda1[0]\n 1 blocks [2/1] [U_]\n";
        assert_eq!(degraded(alone), ["md0"]);
        // A slot in the middle is empty, so it was once filled.
        let middle = synology.replace("[4/2] [UU__]", "[4/2] [U_U_]");
        assert_eq!(degraded(&middle), ["md0"]);
        // Only system mirrors: the data is in a ZFS pool.
        let empty = "_".repeat(62);
        let hero = format!("md9 : active raid1 sda1[0] sdb1[1]\n 1 blocks [64/2] [UU{empty}]\n");
        assert_eq!(degraded(&hero), [""; 0]);
        // Seven of eight exist: one is lost.
        let boot = "md0 : active raid1 sda1[0] sdb1[1] sdc1[2] sdd1[3] sde1[4] sdf1[5] sdg1[6]\n\
                    1 blocks [8/7] [UUUUUUU_]\n";
        assert_eq!(degraded(boot), ["md0"]);
    }
}
