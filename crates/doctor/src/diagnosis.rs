//! Judges a host by the rules: findings, rules that could not be judged and why, and settings that are
//! fine.
//!
//! Pure: facts in, findings out, sorted by the expected effect.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::rule::detector::{ConditionResult, SubjectFacts};
use crate::rule::{Detector, Layer, Role, Rule};
use reelgauge_machine::facts::{FactKind, FactSubject, Facts, Gap, Value};
use reelgauge_machine::mount::unc_parts;
use reelgauge_machine::path_mount::Place;
use reelgauge_machine::system::{Os, System};
use reelgauge_machine::texts::Texts;

/// The scope of a diagnosis.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The roles of the host.
    pub roles: BTreeSet<Role>,
    /// The place of the data; without one, the whole host is judged.
    pub place: Option<Place>,
    /// Whether it is not the local host: its texts were collected there.
    pub is_elsewhere: bool,
    /// Whether probes of the place were requested.
    pub is_probed: bool,
}

/// A finding of a rule.
#[derive(Clone, Debug)]
pub struct Finding {
    pub rule: &'static Rule,
    /// The subjects on which it fired.
    pub found: Vec<Found>,
}

/// A subject on which a rule fired.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    /// The kind of subject.
    pub kind: FactKind,
    pub name: String,
    /// The facts that were judged, and those that the sentence names.
    pub facts: BTreeMap<String, Value>,
    /// The sentence, with its facts in braces.
    #[serde(skip)]
    pub template: &'static str,
    /// Its own fix and undo, with facts in braces, if the rule's commands are about something else.
    #[serde(skip)]
    pub own: Own,
}

/// The texts of a detector that replace those of its rule; `None` if the rule's apply.
#[derive(Clone, Copy, Debug, Default)]
pub struct Own {
    pub fix: Option<&'static str>,
    pub undo: Option<&'static str>,
    /// The possible cost.
    pub cost: Option<&'static str>,
}

impl Finding {
    /// The fix for a finding, with its facts in braces.
    pub fn fix(&self, found: &Found, os: Os) -> Option<&'static str> {
        found.own.fix.or_else(|| self.rule.fix(os))
    }

    /// The undo for a finding, with its facts in braces.
    pub fn undo(&self, found: &Found, os: Os) -> &'static str {
        found.own.undo.unwrap_or_else(|| self.rule.undo(os))
    }

    /// The possible cost of a finding; `None` if it is unknown.
    pub fn cost(&self, found: &Found) -> Option<&'static str> {
        found.own.cost.or(self.rule.cost.as_deref())
    }
}

/// A rule that could not be judged.
#[derive(Clone, Debug, Serialize)]
pub struct NotLooked {
    pub rule: &'static str,
    pub missing: Vec<Gap>,
}

/// A rule without a detector.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Documented {
    pub rule: &'static str,
    /// The reason.
    pub reason: &'static str,
}

/// The result for a host. Every rule of the catalogue is in one of the lists.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// The operating system.
    pub system: System,
    pub scope: Scope,
    /// The findings, the most severe first.
    pub findings: Vec<Finding>,
    /// Rules that could not be judged.
    pub not_looked: Vec<NotLooked>,
    /// Rules that were judged and found nothing.
    pub in_order: Vec<&'static str>,
    /// Rules for other systems or other roles, or about things that the host does not have.
    pub not_here: Vec<&'static str>,
    /// Devices in scope that are not physical disks (virtual ones, files): at most their read-ahead and
    /// schedulers are judged.
    pub no_disks_themselves: Vec<String>,
    /// Rules for this system and role without a detector.
    pub documented: Vec<Documented>,
    /// The results of probes, if they were requested and possible.
    pub probed: Option<FactSubject>,
    /// Texts that exist but are damaged or of another kind, with the parts that are not understood.
    pub not_understood: Vec<Gap>,
    /// Files among collected texts that are no known texts.
    pub unrecognised: Vec<String>,
}

/// Why a rule that judges probes is not judged without them.
const NOT_PROBED: &str = "needs probes of a path: reelgauge doctor PATH --probe";

impl Diagnosis {
    /// Whether no rule could be judged, so that nothing is known about the host.
    pub fn knows_nothing(&self) -> bool {
        self.findings.is_empty() && self.in_order.is_empty()
    }
}

enum Outcome {
    Found(Vec<Found>),
    NotKnown(Vec<Gap>),
    InOrder,
    NotHere,
}

/// Judges a host by its texts.
pub fn diagnose(texts: &Texts, scope: Scope, rules: &'static [Rule]) -> Diagnosis {
    let facts = Facts::of(texts);
    let mut diagnosis = Diagnosis {
        system: System::of(texts),
        scope,
        findings: Vec::new(),
        not_looked: Vec::new(),
        in_order: Vec::new(),
        not_here: Vec::new(),
        no_disks_themselves: Vec::new(),
        documented: Vec::new(),
        probed: facts.of_kind(FactKind::Probed).next().cloned(),
        not_understood: not_understood(texts, &facts),
        unrecognised: texts.unrecognised().to_vec(),
    };
    for rule in rules {
        if !is_for(rule, &diagnosis.system, &diagnosis.scope) {
            diagnosis.not_here.push(&rule.id);
        } else if let Some(reason) = &rule.documented_only {
            diagnosis.documented.push(Documented { rule: &rule.id, reason });
        } else if !diagnosis.scope.is_probed && rule.detect.iter().all(|it| it.of == FactKind::Probed) {
            diagnosis.documented.push(Documented { rule: &rule.id, reason: NOT_PROBED });
        } else {
            match outcome(rule, &facts, &diagnosis) {
                Outcome::Found(found) => diagnosis.findings.push(Finding { rule, found }),
                Outcome::NotKnown(missing) => {
                    diagnosis.not_looked.push(NotLooked { rule: &rule.id, missing })
                }
                Outcome::InOrder => diagnosis.in_order.push(&rule.id),
                Outcome::NotHere => diagnosis.not_here.push(&rule.id),
            }
        }
    }
    diagnosis.no_disks_themselves = no_disks_themselves(&facts, &diagnosis.scope);
    // Equal ones keep the order of the catalogue.
    diagnosis.findings.sort_by_key(|finding| (finding.rule.severity, finding.rule.evidence));
    diagnosis
}

fn no_disks_themselves(facts: &Facts, scope: &Scope) -> Vec<String> {
    let is_none = |disk: &&FactSubject| {
        let kind = disk.fact("kind").and_then(|kind| kind.as_ref().ok());
        matches!(kind, Some(Value::Word(kind)) if kind == "virtual" || kind == "loop")
    };
    let disks = facts.of_kind(FactKind::Disk).filter(|disk| is_meant(disk, facts, scope));
    disks.filter(is_none).map(|disk| disk.name.clone()).collect()
}

/// Every damaged text once, including unreadable ones.
fn not_understood(texts: &Texts, facts: &Facts) -> Vec<Gap> {
    let whole = texts.not_understood().map(|(text, why)| Gap { text: text.to_owned(), why: why.clone() });
    let mut all: Vec<Gap> = facts.damaged().cloned().chain(whole).collect();
    all.sort();
    all.dedup_by(|one, other| one.text == other.text);
    all
}

/// Whether a rule is for this system and role. If the data is on the local host's disks, it is their
/// server.
fn is_for(rule: &Rule, system: &System, scope: &Scope) -> bool {
    let is_local = scope.place.as_ref().is_some_and(|place| place.is_local);
    let is_storage = matches!(rule.layer, Layer::Block | Layer::Fs);
    let is_network = matches!(rule.layer, Layer::Network | Layer::Nfs | Layer::Smb);
    let is_server = scope.roles.contains(&Role::Server);
    let is_passed_over = scope.place.as_ref().is_some_and(|place| is_on(&place.fs_type, &rule.not_on));
    if !rule.os.contains(&system.os) || (!is_server && (is_local && is_network || is_passed_over)) {
        return false;
    }
    rule.role.iter().any(|role| scope.roles.contains(role)) || (is_local && is_storage)
}

/// Whether a file system is one of these: `fuse.sshfs` is one of `fuse`.
fn is_on(fs_type: &str, names: &[String]) -> bool {
    let kind = fs_type.split('.').next().unwrap_or(fs_type);
    names.iter().any(|name| name == fs_type || name == kind)
}

fn outcome(rule: &'static Rule, facts: &Facts, diagnosis: &Diagnosis) -> Outcome {
    let (mut found, mut gaps, mut is_judged) = (Vec::new(), Vec::new(), false);
    let is_server = diagnosis.scope.roles.contains(&Role::Server);
    let here = |detector: &&Detector| {
        let is_of_system = detector.os.is_empty() || detector.os.contains(&diagnosis.system.os);
        let is_probed = diagnosis.scope.is_probed || detector.of != FactKind::Probed;
        is_of_system && is_probed && (is_server || !detector.of.is_of_a_server())
    };
    for detector in rule.detect.iter().filter(here) {
        gaps.extend(facts.unseen(detector.of).cloned());
        for subject in facts.of_kind(detector.of).filter(|subject| is_meant(subject, facts, &diagnosis.scope))
        {
            let seen = SubjectFacts { subject, machine: facts.machine() };
            match detector.judge(seen) {
                ConditionResult::Yes => found.push(Found {
                    kind: subject.kind,
                    name: subject.name.clone(),
                    facts: detector.values(rule.commands(), seen),
                    template: &detector.found,
                    own: Own {
                        fix: detector
                            .fix(diagnosis.system.os)
                            .or_else(|| fix_on(rule, detector, &diagnosis.scope)),
                        undo: detector.undo.as_deref(),
                        cost: detector.cost.as_deref(),
                    },
                }),
                ConditionResult::No => is_judged = true,
                // It cannot be set badly here, so it is not in order either.
                ConditionResult::Absent => {}
                ConditionResult::NotKnown(missing) => gaps.extend(missing),
            }
        }
    }
    gaps.sort();
    gaps.dedup();
    match (found.is_empty(), gaps.is_empty()) {
        (false, _) => Outcome::Found(found),
        (true, false) => Outcome::NotKnown(gaps),
        (true, true) if is_judged => Outcome::InOrder,
        (true, true) => Outcome::NotHere,
    }
}

/// The fix for a finding of a probe, on the file system of the path.
fn fix_on(rule: &'static Rule, detector: &Detector, scope: &Scope) -> Option<&'static str> {
    let place = scope.place.as_ref().filter(|_| detector.of == FactKind::Probed)?;
    rule.fix_on(&place.fs_type)
}

/// Whether the data uses the subject. A server is judged as a whole.
fn is_meant(subject: &FactSubject, facts: &Facts, scope: &Scope) -> bool {
    let Some(place) = scope.place.as_ref().filter(|_| !scope.roles.contains(&Role::Server)) else {
        return true;
    };
    match subject.kind {
        FactKind::NfsMount | FactKind::SmbMount | FactKind::StornextMount | FactKind::LocalMount => {
            subject.name == place.mount_point || place.below.contains(&subject.name)
        }
        FactKind::Disk | FactKind::Array => !place.are_devices_known || place.devices.contains(&subject.name),
        // No text shows for certain which disks are below a volume.
        FactKind::Volume => place.is_local,
        FactKind::ZfsPool | FactKind::ZfsDataset => is_of_its_pool(&subject.name, place),
        FactKind::SmbConnection => is_its_share(&subject.name, place),
        FactKind::Interface | FactKind::Bond => !place.is_local && is_on_the_way(&subject.name, facts, place),
        _ => true,
    }
}

/// Whether a connection is that of the share with the place. Only Windows names it by its server; other
/// names may be of any share.
fn is_its_share(connection: &str, place: &Place) -> bool {
    match (unc_parts(connection), unc_parts(&place.source)) {
        (Some((server, share)), Some((its_server, its_share))) => {
            server.eq_ignore_ascii_case(its_server) && share.eq_ignore_ascii_case(its_share)
        }
        _ => !place.is_local,
    }
}

/// Whether a pool, or a dataset in it, may contain the place: its own pool, or any pool if the device
/// below is unknown or is a volume of a pool.
fn is_of_its_pool(name: &str, place: &Place) -> bool {
    let pool = name.split('/').next().unwrap_or(name);
    match place.pool() {
        Some(own) => pool == own,
        None => !place.are_devices_known || place.devices.iter().any(|device| device.starts_with("zd")),
    }
}

/// Whether an interface leads to the server. Behind a bridge or a tunnel, any may.
fn is_on_the_way(interface: &str, facts: &Facts, place: &Place) -> bool {
    let is_its = |subject: &&FactSubject| {
        (subject.name == place.mount_point || place.below.contains(&subject.name))
            && subject.fact("link").is_some()
    };
    let mount = facts.subjects.iter().find(is_its);
    let (link, is_last) = match (&place.link, mount.and_then(|mount| mount.fact("link"))) {
        (Some(link), _) => (&link.interface, link.is_last),
        (None, Some(Ok(Value::Word(link)))) => (link, link == "lo"),
        _ => return true,
    };
    match facts.stack.whole(link) {
        Some(whole) => whole.iter().any(|name| name == interface),
        None => interface == link || !is_last,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::Path;

    use reelgauge_machine::mount::Mount;

    use super::*;
    use crate::rule::catalogue::rules;

    const MOUNTS: &str = "\
29 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
33 29 0:52 / /mnt/nas rw - nfs4 nas1:/m rw,vers=4.2,rsize=1048576,wsize=1048576,hard,proto=tcp,sec=sys,addr=10.0.0.5
";
    const ROUTES: &str = "\
Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT
eth1 0000000A 00000000 0001 0 0 0 00FFFFFF 0 0 0
eth0 00000000 0101A8C0 0003 0 0 0 00000000 0 0 0
";

    /// A host with two cards and a disk; one card and the disk have bad settings.
    fn texts() -> Texts {
        let mut texts = Texts::default();
        let mut put = |name: &str, text: &str| texts.put(name, Ok(text.to_owned()));
        put("/proc/self/mountinfo", MOUNTS);
        put("/proc/net/route", ROUTES);
        put("/sys/class/net", "eth0\neth1\nlo");
        put("/sys/block", "sda");
        for card in ["eth0", "eth1"] {
            put(&format!("/sys/class/net/{card}/device/uevent"), "DRIVER=ixgbe");
            put(&format!("/sys/class/net/{card}/operstate"), "up");
            put(&format!("/sys/class/net/{card}/duplex"), if card == "eth0" { "half" } else { "full" });
        }
        put("/sys/block/sda/queue/rotational", "0");
        put("/sys/block/sda/queue/scheduler", "[bfq] none");
        texts
    }

    fn found(path: Option<&str>, roles: &[Role]) -> Vec<String> {
        let place = path.map(|path| Place::told(MOUNTS, Path::new(path)).unwrap());
        let place = place.map(|mut place| {
            place.devices = if place.is_local { vec!["sda".to_owned()] } else { Vec::new() };
            place.are_devices_known = true;
            place
        });
        let scope =
            Scope { roles: roles.iter().copied().collect(), place, is_elsewhere: false, is_probed: false };
        let diagnosis = diagnose(&texts(), scope, rules());
        diagnosis.findings.iter().map(|finding| finding.rule.id.clone()).collect()
    }

    #[test]
    fn path_restricts_the_judged_subjects() {
        let (client, server) = ([Role::Client], [Role::Client, Role::Server]);
        assert_eq!(found(None, &client), ["net.link.speed_downshift", "blk.scheduler"]);
        assert_eq!(found(Some("/mnt/nas/a"), &client), [""; 0], "the way leads over the other card");
        assert_eq!(found(Some("/srv"), &client), ["blk.scheduler"], "data on this machine's own disk");
        assert_eq!(found(Some("/mnt/nas"), &server), ["net.link.speed_downshift", "blk.scheduler"]);
    }

    /// The options of such a mount contain no address: the caller determines the path to its server.
    #[test]
    fn cards_to_a_server_without_address_are_those_of_its_link() {
        use reelgauge_machine::path_mount::PlaceLink;
        let through = |link: Option<(&str, bool)>| {
            let mounts = "29 1 0:9 / /t rw - fuse.sshfs a@nas1:/m rw\n";
            let mut place = Place::told(mounts, Path::new("/t")).unwrap();
            place.link = link.map(|(name, is_last)| PlaceLink { interface: name.to_owned(), is_last });
            let roles = BTreeSet::from([Role::Client]);
            let scope = Scope { roles, place: Some(place), is_elsewhere: false, is_probed: false };
            let findings = diagnose(&texts(), scope, rules()).findings;
            findings.iter().any(|finding| finding.rule.id == "net.link.speed_downshift")
        };
        // Of the two cards, `eth0` has bad settings.
        assert!(through(None) && through(Some(("eth0", true))) && through(Some(("br0", false))));
        assert!(
            !through(Some(("eth1", true))) && !through(Some(("v0", true))) && !through(Some(("lo", true)))
        );
    }

    /// Rules that do not apply to virtual disks are not in order there; read-ahead is still judged.
    #[test]
    fn virtual_disk_and_file_are_judged_only_by_read_ahead() {
        const MOUNTS: &str = "\
29 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw
33 29 7:0 / /srv rw,relatime - ext4 /dev/loop0 rw
";
        let judged = |read_ahead: &str| {
            let mut texts = Texts::default();
            let mut put = |name: &str, text: &str| texts.put(name, Ok(text.to_owned()));
            put("/proc/self/mountinfo", MOUNTS);
            put("/sys/block", "loop0\nloop1\nvda");
            for (disk, kib) in [("loop0", read_ahead), ("vda", "128")] {
                put(&format!("/sys/block/{disk}/queue/rotational"), "1");
                put(&format!("/sys/block/{disk}/queue/scheduler"), "[none] mq-deadline");
                put(&format!("/sys/block/{disk}/queue/nr_requests"), "32");
                put(&format!("/sys/block/{disk}/queue/read_ahead_kb"), kib);
            }
            texts.put("/proc/spl/kstat/zfs/arcstats", Err(reelgauge_machine::texts::NotKnown::NotThere));
            let mut place = Place::told(MOUNTS, Path::new("/srv")).unwrap();
            place.devices = ["loop0", "vda"].map(str::to_owned).to_vec();
            place.are_devices_known = true;
            let roles = BTreeSet::from([Role::Client]);
            let scope = Scope { roles, place: Some(place), is_elsewhere: false, is_probed: false };
            diagnose(&texts, scope, rules())
        };
        let fine = judged("128");
        for id in ["blk.scheduler", "blk.nr_requests", "fs.alignment_xfs", "zfs.arc_limit"] {
            assert!(!fine.in_order.contains(&id) && fine.not_here.contains(&id), "{id}: {fine:#?}");
        }
        assert!(fine.in_order.contains(&"blk.read_ahead"), "{fine:#?}");
        assert_eq!(fine.no_disks_themselves, ["loop0", "vda"]);
        let none = judged("0");
        let found: Vec<_> = none.findings.iter().map(|finding| finding.rule.id.as_str()).collect();
        assert_eq!(found, ["blk.read_ahead"]);
        assert_eq!(none.findings[0].found[0].name, "loop0");
    }

    /// The kernel reports a virtual disk as rotating unless its host declares otherwise: 81 % full is no
    /// finding there.
    #[test]
    fn a_virtual_disk_is_not_taken_for_a_spinning_one() {
        const DF: &str = "df -P -k -t ext3 -t ext4 -t xfs -t btrfs -t f2fs -t bcachefs -t exfat -t ntfs3";
        let judged = |disk: &str, percent: u32| {
            let mut texts = Texts::default();
            let mut put = |name: &str, text: String| texts.put(name, Ok(text));
            let mounts = format!("29 1 254:1 / / rw,relatime - ext4 /dev/{disk}1 rw\n");
            put("/proc/self/mountinfo", mounts.clone());
            put("/sys/block", disk.to_owned());
            put(&format!("/sys/block/{disk}/queue/rotational"), "1".to_owned());
            put(DF, format!("Filesystem Capacity Mounted on\n/dev/{disk}1 100 {percent} 10 {percent}% /\n"));
            texts.put("zpool status", Err(reelgauge_machine::texts::NotKnown::NotThere));
            let mut place = Place::told(&mounts, Path::new("/srv")).unwrap();
            place.devices = vec![disk.to_owned()];
            place.are_devices_known = true;
            let roles = BTreeSet::from([Role::Client]);
            let scope = Scope { roles, place: Some(place), is_elsewhere: false, is_probed: false };
            let told = diagnose(&texts, scope, rules());
            let is_found = told.findings.iter().any(|finding| finding.rule.id == "fs.free_space_low");
            (is_found, told.not_looked.iter().any(|rule| rule.rule == "fs.free_space_low"))
        };
        assert_eq!(judged("sda", 81), (true, false));
        for disk in ["vda", "xvda"] {
            assert_eq!(judged(disk, 81), (false, true), "what it lies on is not known");
            assert_eq!(judged(disk, 79), (false, false), "not full, whatever it lies on");
            assert_eq!(judged(disk, 91), (true, false), "full, whatever it lies on");
        }
    }

    /// A host's collected texts: a degraded array with media, a volume, and an unrelated busy pool.
    fn nas(path: &str) -> Diagnosis {
        const MOUNTS: &str = "\
29 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
30 29 9:0 / /srv/media rw,relatime - xfs /dev/md0 rw
31 29 253:0 / /srv/volume rw,relatime - xfs /dev/mapper/vg-lv rw
32 29 0:40 / /tank rw,relatime - zfs tank rw
33 29 0:41 / /mnt/nas rw - nfs4 nas1:/m rw,vers=4.2,addr=10.0.0.5
";
        const POOL: &str = "  pool: tank\n state: ONLINE\n  scan: scrub in progress since Sun\n";
        let mut texts = Texts::default();
        texts.put("/proc/self/mountinfo", Ok(MOUNTS.to_owned()));
        texts.put("/proc/mdstat", Ok("md0 : active raid1 sdb1[0]\n      1 blocks [2/1] [U_]\n".to_owned()));
        texts.put("zpool status", Ok(POOL.to_owned()));
        let place = Some(Place::collected(&texts, Path::new(path)).unwrap());
        let roles = BTreeSet::from([Role::Client]);
        diagnose(&texts, Scope { roles, place, is_elsewhere: true, is_probed: false }, rules())
    }

    #[test]
    fn only_disks_below_the_path_are_judged_from_collected_texts() {
        let found = |path: &str| -> Vec<String> {
            let found = nas(path).findings.into_iter().flat_map(|finding| finding.found);
            found.map(|found| found.name).filter(|name| name == "md0" || name == "tank").collect()
        };
        assert_eq!(found("/srv/media/a"), ["md0"]);
        assert_eq!(found("/tank/b"), ["md0", "tank"], "which disks a pool has is not told: any may be one");
        assert_eq!(found("/srv/volume"), ["md0", "tank"], "what the volume lies on is not told");
        assert_eq!(found("/mnt/nas"), [""; 0], "a server has its own disks");
        let told = nas("/srv/media");
        assert!(told.scope.place.unwrap().are_devices_known);
        // There is no list of disks: an unknown subject does not count as "not here".
        let not_looked: Vec<_> = told.not_looked.iter().map(|rule| rule.rule).collect();
        assert!(not_looked.contains(&"blk.read_ahead"), "{not_looked:?}");
    }

    /// The same settings give the same finding, however much memory is free, and none if nothing waits.
    #[test]
    fn dirty_limits_depend_on_settings_and_data_location() {
        let found = |total_gib: u64, free_gib: u64, percent: &str, fs_type: Option<&str>| {
            let mut texts = Texts::default();
            let (total, free) = (total_gib << 20, free_gib << 20);
            let memory = format!("MemTotal: {total} kB\nMemAvailable: {free} kB\n");
            texts.put("/proc/meminfo", Ok(memory));
            texts.put("/proc/sys/vm/dirty_ratio", Ok(percent.to_owned()));
            texts.put("/proc/sys/vm/dirty_bytes", Ok("0".to_owned()));
            let place = fs_type.map(|fs_type| {
                let mounts = format!("29 1 0:9 / /t rw - {fs_type} a@nas1:/m rw\n");
                Place::told(&mounts, Path::new("/t")).unwrap()
            });
            let roles = BTreeSet::from([Role::Client]);
            let scope = Scope { roles, place, is_elsewhere: false, is_probed: false };
            let rule = rules().iter().find(|rule| rule.id == "vm.dirty_limits").unwrap();
            let told = diagnose(&texts, scope, std::slice::from_ref(rule));
            (told.findings.len(), told.in_order.len(), told.not_here.len())
        };
        for free_gib in [1, 8, 60] {
            assert_eq!(found(64, free_gib, "20", None), (1, 0, 0), "{free_gib} GiB free");
            assert_eq!(found(64, free_gib, "3", None), (0, 1, 0), "1.9 GiB are within the advice");
        }
        for fs_type in ["tmpfs", "ramfs", "fuse", "fuse.sshfs"] {
            assert_eq!(found(64, 60, "20", Some(fs_type)), (0, 0, 1), "{fs_type}");
        }
        for fs_type in ["nfs4", "fuseblk", "ext4"] {
            assert_eq!(found(64, 60, "20", Some(fs_type)), (1, 0, 0), "{fs_type}");
        }
    }

    #[test]
    fn bridge_may_use_any_card_and_bond_uses_its_members() {
        let through = |link: &str, members: Option<&str>| {
            let mut texts = texts();
            texts.put("/proc/net/route", Ok(ROUTES.replace("eth1", link)));
            if let Some(members) = members {
                texts.put("/sys/class/net", Ok("bond0 eth0 eth1 lo".to_owned()));
                texts.put("/sys/class/net/bond0/bonding/slaves", Ok(members.to_owned()));
                texts.put(
                    "/sys/class/net/bond0/device/uevent",
                    Err(reelgauge_machine::texts::NotKnown::NotThere),
                );
            }
            let place = Some(Place::told(MOUNTS, Path::new("/mnt/nas")).unwrap());
            let scope =
                Scope { roles: BTreeSet::from([Role::Client]), place, is_elsewhere: false, is_probed: false };
            diagnose(&texts, scope, rules()).findings.len()
        };
        assert_eq!((through("br0", None), through("eth0.100", None), through("eth1.100", None)), (1, 1, 0));
        assert_eq!((through("bond0", Some("eth0 eth1\n")), through("bond0", Some("eth1\n"))), (1, 0));
    }

    #[test]
    fn connection_of_windows_counts_for_its_own_share_alone() {
        let place = |fs_type: &str, source: &str| {
            let mount = Mount::new(fs_type.to_owned(), source.to_owned(), "M:\\".into(), Vec::new());
            Place::on_mount(mount, Path::new("M:\\rushes"))
        };
        for source in [r"\\NAS1\media", r"\\nas1\Media\", r"\\?\UNC\nas1\media\"] {
            let place = place("smb", source);
            assert!(is_its_share(r"\\nas1\media", &place), "{source}");
            assert!(!is_its_share(r"\\nas1\home", &place) && !is_its_share(r"\\nas2\media", &place));
        }
        assert!(!is_its_share(r"\\nas1\media", &place("NTFS", "D:\\")));
        assert!(is_its_share("media", &place("smb", "//nas1/media")), "a name of another system");
    }
}
