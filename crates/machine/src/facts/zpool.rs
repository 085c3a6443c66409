//! The output of `zpool status`: the state of pools, their activity, and every device in them.
//!
//! The format is that of OpenZFS' `cmd/zpool/zpool_main.c`. `print_status_config` prints a line for each
//! vdev, indented by its depth, with a state of `zpool_state_to_name` (`lib/libzfs/libzfs_pool.c`) and
//! three counts of errors. `print_scan_status`, `print_removal_status`, `print_raidz_expand_status` and
//! `print_checkpoint_status` print a pool's activity. A vdev is one child of the one above it, whatever
//! is below it: `replacing-14` with its two disks is one disk of a raidz.

use super::{FactKind, FactSubject, Gap};
use crate::texts::NotKnown;

pub(super) const STATUS: &str = "zpool status";

/// Keys before a colon, so that names with colons are not mistaken for one (`draid2:8d:24c:2s-0`).
const KEYS: [&str; 17] = [
    "pool",
    "id",
    "state",
    "status",
    "action",
    "comment",
    "see",
    "scan",
    "scrub",
    "expand",
    "remove",
    "checkpoint",
    "upgrade",
    "dedup",
    "config",
    "errors",
    "raidz_expand",
];
/// The keys for a pool's activity.
const WORK: [&str; 5] = ["scan", "scrub", "expand", "remove", "checkpoint"];
/// Their values for an activity that is over, waits, or never was.
const NO_WORK: [&str; 10] = [
    "none requested",
    "repaired",
    "resilvered",
    "canceled",
    "paused",
    "completed",
    "expanded",
    "stopped",
    "created",
    "removed",
];
const POOL_STATES: [&str; 7] =
    ["ONLINE", "DEGRADED", "FAULTED", "OFFLINE", "REMOVED", "UNAVAIL", "SUSPENDED"];
/// States of a disk without a fault, including two for spare disks.
const SOUND: [&str; 3] = ["ONLINE", "AVAIL", "INUSE"];
/// States of a disk that does not work, or not properly.
const FAILED: [&str; 5] = ["DEGRADED", "FAULTED", "REMOVED", "UNAVAIL", "SPLIT"];
/// Vdevs that consist of others.
const GROUPS: [&str; 7] = ["raidz", "draid", "mirror", "replacing", "spare", "root", "indirect"];

/// A line of the configuration.
struct Vdev<'a> {
    depth: usize,
    name: &'a str,
    state: Option<&'a str>,
    /// Read, write and checksum errors.
    errors: Vec<&'a str>,
}

impl Vdev<'_> {
    /// `raidz2-0`, `spare-15`: a word and a number, separated by a hyphen.
    fn is_group(&self) -> bool {
        let numbered = self.name.rsplit_once('-').is_some_and(|(_, number)| is_digits(number));
        GROUPS.iter().any(|group| self.name.starts_with(group))
            && (numbered || self.name.starts_with("raidz"))
            // A distributed spare of draid has a name of three numbers, and counts as a disk.
            && !is_distributed_spare(self.name)
    }
}

/// `draid2-0-1`.
fn is_distributed_spare(name: &str) -> bool {
    name.starts_with("draid") && !name.contains(':') && name.matches('-').count() == 2
}

fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_digit())
}

#[derive(Default)]
struct Pool<'a> {
    name: &'a str,
    state: Option<&'a str>,
    /// Keys of [`WORK`] with their values; a value with several lines has one entry per line.
    work: Vec<(&'a str, Vec<&'a str>)>,
    errors: Option<&'a str>,
    vdevs: Vec<Vdev<'a>>,
}

/// The pools of `zpool status`.
pub(super) fn pools(said: &str) -> Vec<FactSubject> {
    read(said).iter().map(subject).collect()
}

fn read(said: &str) -> Vec<Pool<'_>> {
    let mut found: Vec<Pool<'_>> = Vec::new();
    let mut key = "";
    for line in said.lines().filter(|line| !line.trim().is_empty()) {
        let pair = line.split_once(':').map(|(key, value)| (key.trim(), value.trim()));
        let own = pair.filter(|(key, _)| KEYS.contains(key));
        if let Some(("pool", name)) = own {
            found.push(Pool { name, ..Pool::default() });
        }
        let Some(pool) = found.last_mut() else { continue };
        match own {
            Some((own, value)) => {
                key = own;
                match own {
                    "state" => pool.state = Some(value),
                    "errors" => pool.errors = Some(value),
                    own if WORK.contains(&own) => pool.work.push((own, vec![value])),
                    _ => {}
                }
            }
            None if key == "config" => pool.vdevs.extend(vdev(line)),
            None if WORK.contains(&key) => {
                pool.work.last_mut().into_iter().for_each(|(_, lines)| lines.push(line.trim()));
            }
            None => {}
        }
    }
    found
}

fn vdev(line: &str) -> Option<Vdev<'_>> {
    let depth = line.chars().take_while(|c| c.is_whitespace()).count();
    let mut words = line.split_whitespace();
    let name = words.next().filter(|name| *name != "NAME")?;
    let state = words.next();
    let errors = words.take(3).take_while(|word| word.starts_with(|c: char| c.is_ascii_digit())).collect();
    Some(Vdev { depth, name, state, errors })
}

fn subject(pool: &Pool<'_>) -> FactSubject {
    let mut subject = FactSubject::new(FactKind::ZfsPool, pool.name);
    match pool.state {
        Some(state) if POOL_STATES.contains(&state) => subject.word("state", state),
        Some(state) => unknown(&mut subject, "state", &format!("unknown state of {}: '{state}'", pool.name)),
        None => subject.gap("state", STATUS, NotKnown::NotTold),
    }
    match activity(pool) {
        Ok(activity) => subject.word("activity", activity),
        Err(said) => {
            unknown(&mut subject, "activity", &format!("unknown activity of {}: '{said}'", pool.name))
        }
    }
    match pool.errors {
        Some(errors) => subject.yes_no("has_data_errors", !errors.contains("No known data errors")),
        None => subject.gap("has_data_errors", STATUS, NotKnown::NotTold),
    }
    let leaves: Vec<&Vdev<'_>> = leaves(&pool.vdevs).collect();
    let named = |wanted: &[&str]| {
        list(leaves.iter().filter_map(|leaf| {
            leaf.state.filter(|state| wanted.contains(state)).map(|state| format!("{} ({state})", leaf.name))
        }))
    };
    subject.word("failed_disks", named(&FAILED));
    subject.word("offline_disks", named(&["OFFLINE"]));
    let is_known = |state: &str| SOUND.contains(&state) || FAILED.contains(&state) || state == "OFFLINE";
    let strange = leaves.iter().find_map(|leaf| Some((leaf.name, leaf.state.filter(|it| !is_known(it))?)));
    if let Some((name, state)) = strange {
        unknown(&mut subject, "failed_disks", &format!("unknown state of {name}: '{state}'"));
    }
    let with_errors = leaves.iter().filter(|leaf| leaf.errors.iter().any(|count| *count != "0"));
    subject.word(
        "disks_with_errors",
        list(with_errors.map(|leaf| format!("{} ({})", leaf.name, leaf.errors.join("/")))),
    );
    let logs = section(&pool.vdevs, "logs");
    subject.yes_no("has_log", logs.is_some_and(|logs| !logs.is_empty()));
    subject.number("widest_raidz_disks", Some(widest_raidz(&pool.vdevs) as f64), STATUS);
    subject
}

fn unknown(subject: &mut FactSubject, fact: &str, what: &str) {
    let what: String = what.chars().take(80).collect();
    subject.facts.insert(fact.to_owned(), Err(Gap::new(STATUS, NotKnown::NotUnderstood(what))));
}

fn list(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// A pool's activity: everything that is in progress. An error if a part is not understood.
fn activity(pool: &Pool<'_>) -> Result<String, String> {
    let mut found = Vec::new();
    for (key, lines) in &pool.work {
        let running = lines.iter().filter_map(|line| match (line.split_once(" in progress"), *key) {
            (Some((what, _)), _) => Some(what.to_owned()),
            (None, "checkpoint") if line.starts_with("discarding") => {
                Some("checkpoint discarding".to_owned())
            }
            _ => None,
        });
        let running: Vec<String> = running.collect();
        let first = lines.first().copied().unwrap_or_default();
        let is_over = NO_WORK.iter().any(|word| lines.iter().any(|line| line.contains(word)));
        if running.is_empty() && !first.is_empty() && !is_over {
            return Err(first.to_owned());
        }
        found.extend(running);
    }
    Ok(if found.is_empty() { "none".to_owned() } else { found.join(" and ") })
}

/// The disks: vdevs that have no children and are not a section heading.
fn leaves<'a>(vdevs: &'a [Vdev<'a>]) -> impl Iterator<Item = &'a Vdev<'a>> {
    let top = vdevs.first().map_or(0, |vdev| vdev.depth);
    vdevs.iter().enumerate().filter_map(move |(at, vdev)| {
        let has_children = vdevs.get(at + 1).is_some_and(|next| next.depth > vdev.depth);
        (!has_children && vdev.depth > top && !vdev.is_group()).then_some(vdev)
    })
}

/// The vdevs below a heading, at the depth of the pool itself.
fn section<'a>(vdevs: &'a [Vdev<'a>], name: &str) -> Option<&'a [Vdev<'a>]> {
    let top = vdevs.first()?.depth;
    let begin = vdevs.iter().position(|vdev| vdev.depth == top && vdev.name == name)?;
    let below = &vdevs[begin + 1..];
    let end = below.iter().position(|vdev| vdev.depth == top).unwrap_or(below.len());
    Some(&below[..end])
}

/// The largest number of children of a raidz.
fn widest_raidz(vdevs: &[Vdev<'_>]) -> usize {
    let raidz = vdevs.iter().enumerate().filter(|(_, vdev)| vdev.name.starts_with("raidz"));
    let width = |(at, vdev): (usize, &Vdev<'_>)| {
        let below = vdevs[at + 1..].iter().take_while(|child| child.depth > vdev.depth);
        let depths: Vec<usize> = below.map(|child| child.depth).collect();
        depths.first().map_or(0, |first| depths.iter().filter(|depth| *depth == first).count())
    };
    raidz.map(width).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// A pool with these lines below its state, and these devices.
    fn pool(state: &str, work: &str, devices: &str) -> FactSubject {
        let said = format!(
            "  pool: tank\n state: {state}\n{work}config:\n\n\tNAME        STATE     READ WRITE CKSUM\n\
             \ttank        {state}     0     0     0\n{devices}\nerrors: No known data errors\n"
        );
        pools(&said).remove(0)
    }

    fn fact<'a>(pool: &'a FactSubject, name: &str) -> &'a str {
        pool.word_of(name).unwrap_or("unknown")
    }

    const DISKS: &str = "\t  raidz1-0  ONLINE       0     0     0\n\t    sda     ONLINE       0     0     0\n\
                         \t    sdb     ONLINE       0     0     0\n";

    #[test]
    fn every_pool_activity_is_recognized() {
        for (work, activity) in [
            ("", "none"),
            ("  scan: none requested\n", "none"),
            (" scrub: none requested\n", "none"),
            ("  scan: scrub repaired 0B in 05:12:33 with 0 errors on Sun Nov  8 05:36:34 2026\n", "none"),
            (
                "  scan: resilvered 1.2T in 1 days 02:03:04 with 0 errors on Sun Nov  8 05:36:34 2026\n",
                "none",
            ),
            ("  scan: scrub canceled on Sun Nov  8 05:36:34 2026\n", "none"),
            ("  scan: scrub paused since Sun Nov  8 05:36:34 2026\n\tscrub started on Sun Nov  8\n", "none"),
            ("  scan: scrub in progress since Sun Nov  8 05:36:34 2026\n\t1.2T scanned\n", "scrub"),
            ("  scan: resilver in progress since Sun Nov  8 05:36:34 2026\n", "resilver"),
            (
                "  scan: resilver (draid2:8d:24c:2s-0) in progress since Sun Nov  8\n",
                "resilver (draid2:8d:24c:2s-0)",
            ),
            (
                "  scan: scrub repaired 0B\nexpand: expansion of raidz2-0 in progress since Fri\n",
                "expansion of raidz2-0",
            ),
            ("expand: expanded raidz2-0 copied 8.1T in 1 days 02:03:04, on Fri Nov 20\n", "none"),
            ("remove: Evacuation of sdb in progress since Fri Nov 20\n", "Evacuation of sdb"),
            ("remove: Removal of vdev 1 copied 20G in 0h1m, completed on Fri Nov 20\n", "none"),
            ("remove: Removal of sdb canceled on Fri Nov 20\n", "none"),
            ("checkpoint: created Fri Nov 20, consumes 1G\n", "none"),
            ("checkpoint: discarding, 1.2G remaining.\n", "checkpoint discarding"),
            ("  scan: defragmentation of everything since Fri\n", "unknown"),
        ] {
            assert_eq!(fact(&pool("ONLINE", work, DISKS), "activity"), activity, "{work}");
        }
    }

    #[test]
    fn states_are_those_of_openzfs_and_any_other_is_unknown() {
        for state in POOL_STATES {
            assert_eq!(fact(&pool(state, "", DISKS), "state"), state);
        }
        assert_eq!(fact(&pool("WOBBLY", "", DISKS), "state"), "unknown");
        for (state, failed, offline) in [
            ("ONLINE", "none", "none"),
            ("FAULTED", "sdb (FAULTED)", "none"),
            ("UNAVAIL", "sdb (UNAVAIL)", "none"),
            ("REMOVED", "sdb (REMOVED)", "none"),
            ("DEGRADED", "sdb (DEGRADED)", "none"),
            ("OFFLINE", "none", "sdb (OFFLINE)"),
            ("WOBBLY", "unknown", "none"),
        ] {
            let devices = DISKS.replace("sdb     ONLINE ", &format!("sdb     {state} "));
            let pool = pool("DEGRADED", "", &devices);
            assert_eq!(
                (fact(&pool, "failed_disks"), fact(&pool, "offline_disks")),
                (failed, offline),
                "{state}"
            );
        }
    }

    #[test]
    fn vdev_counts_as_one_child_of_its_parent() {
        let devices = "\t  raidz2-0  DEGRADED     0     0     0\n\t    sda     ONLINE       0     0     0\n\
                       \t    replacing-1  DEGRADED     0     0     0\n\t      123  UNAVAIL      0     0     0  was /dev/sdb\n\
                       \t      sdc   ONLINE       0     0    12  (resilvering)\n\
                       \t    spare-2  DEGRADED     0     0     0\n\t      replacing-0  DEGRADED     0     0     0\n\
                       \t        sdd  REMOVED      0     0     0\n\t        sde  ONLINE       0     0     0\n\
                       \t      sdf   ONLINE       0     0     0\n\tspecial\n\t  mirror-1  ONLINE       0     0     0\n\
                       \t    nvme0n1  ONLINE       0     0     0\n\tlogs\n\t  nvme1n1  ONLINE       0     0     0\n\
                       \tcache\n\t  nvme2n1  UNAVAIL      0     0     0\n\tspares\n\t  sdf       INUSE     currently in use\n\
                       \t  sdg       AVAIL\n";
        let pool = pool("DEGRADED", "", devices);
        assert_eq!(pool.number_of("widest_raidz_disks"), Some(3.0));
        assert_eq!(fact(&pool, "has_log"), "yes");
        assert_eq!(fact(&pool, "failed_disks"), "123 (UNAVAIL), sdd (REMOVED), nvme2n1 (UNAVAIL)");
        assert_eq!(fact(&pool, "disks_with_errors"), "sdc (0/0/12)");
    }

    #[test]
    fn draid_has_distributed_spares_and_is_no_raidz() {
        let devices = "\t  draid2:3d:6c:1s-0  ONLINE       0     0     0\n\t    sda     ONLINE       0     0     0\n\
                       \t    spare-1  ONLINE       0     0     0\n\t      sdb     FAULTED      3     0     0  too many errors\n\
                       \t      draid2-0-0  ONLINE       0     0     0\n\tspares\n\t  draid2-0-0  INUSE     currently in use\n";
        let pool = pool("DEGRADED", "", devices);
        assert_eq!(pool.number_of("widest_raidz_disks"), Some(0.0));
        assert_eq!(fact(&pool, "failed_disks"), "sdb (FAULTED)");
        assert_eq!(fact(&pool, "has_log"), "no");
    }
}
