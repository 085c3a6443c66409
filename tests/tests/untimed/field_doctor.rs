//! Texts of hosts from the field, as users sent them, judged by the doctor. The texts are in
//! `tests/cases`, each case with its source and the right answer in `expected.md`.
//!
//! Only typed values are asserted: exit codes, rules with findings and rules in order, subjects by name,
//! and the number of texts that were not understood. Sentences are not.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use reelgauge_tests::binary;

const RAID: &str = "blk.raid_degraded_or_rebuilding";
const RING: &str = "net.ring.rx_small";
const DOWN: &str = "net.link.down";
const HASH: &str = "net.bond.hash";

/// The expected judgement of a folder of texts.
#[derive(Clone, Copy)]
struct Case<'a> {
    /// Below `tests/cases`.
    folder: &'a str,
    /// Further arguments of the command.
    more: &'a [&'a str],
    code: i32,
    /// All findings, as `RULE:SUBJECT`. Every other rule must have none.
    found: &'a [&'a str],
    /// Rules that were judged and found nothing.
    in_order: &'a [&'a str],
    /// The number of texts that exist but are not understood.
    not_understood: usize,
}

impl Case<'_> {
    fn new<'a>(folder: &'a str, more: &'a [&'a str], code: i32, found: &'a [&'a str]) -> Case<'a> {
        Case { folder, more, code, found, in_order: &[], not_understood: 0 }
    }
}

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases")
}

fn diagnosis(case: &Case<'_>) -> serde_json::Value {
    let folder = cases().join(case.folder);
    let from = ["doctor", "--json", "--from", folder.to_str().unwrap()];
    let told = binary::run(from.iter().chain(case.more));
    assert_eq!(told.code, Some(case.code), "{}: {}", case.folder, told.said());
    told.json()
}

fn words(told: &serde_json::Value) -> Vec<String> {
    told.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

/// `RULE:SUBJECT` of all findings.
fn found(told: &serde_json::Value) -> BTreeSet<String> {
    let findings = told["findings"].as_array().unwrap().iter();
    let each = findings.flat_map(|finding| {
        let rule = finding["rule"].as_str().unwrap();
        let found = finding["found"].as_array().unwrap().iter();
        found.map(move |found| format!("{rule}:{}", found["name"].as_str().unwrap())).collect::<Vec<_>>()
    });
    each.collect()
}

fn check(all: &[Case<'_>]) {
    for case in all {
        let told = diagnosis(case);
        let expected: BTreeSet<String> = case.found.iter().map(|one| (*one).to_owned()).collect();
        assert_eq!(found(&told), expected, "{}: {told:#}", case.folder);
        let in_order = words(&told["in_order"]);
        let missing: Vec<_> =
            case.in_order.iter().filter(|id| !in_order.iter().any(|one| one == *id)).collect();
        assert!(missing.is_empty(), "{}: not in order: {missing:?} {told:#}", case.folder);
        let unknown = told["not_understood"].as_array().unwrap();
        assert_eq!(unknown.len(), case.not_understood, "{}: {unknown:#?}", case.folder);
    }
}

const SERVER: &[&str] = &["--server"];

fn server<'a>(folder: &'a str, code: i32, found: &'a [&'a str]) -> Case<'a> {
    Case::new(folder, SERVER, code, found)
}

/// No findings, and the rule on arrays was judged.
fn sound(folder: &str) -> Case<'_> {
    Case { in_order: &[RAID], ..server(folder, 0, &[]) }
}

#[test]
fn arrays_are_judged_by_the_states_of_the_kernel() {
    check(&[
        sound("b01-qnap-mdstat/nas1"),
        server("b01-qnap-mdstat/nas1-failed", 1, &["blk.raid_degraded_or_rebuilding:md1"]),
        server("b01-qnap-mdstat/real-degraded", 1, &["blk.raid_degraded_or_rebuilding:md0"]),
        server("b02-md-inactive/inactive", 1, &["blk.raid_degraded_or_rebuilding:md0"]),
        sound("b02-md-inactive/imsm-healthy"),
        sound("d01-nas-mirrors/synology"),
        sound("d01-nas-mirrors/terramaster"),
        server("d01-nas-mirrors/synology-gone", 1, &["blk.raid_degraded_or_rebuilding:md2"]),
        server("d01-nas-mirrors/synology-errors", 1, &["blk.raid_degraded_or_rebuilding:md2"]),
        server("d01-nas-mirrors/two-mirrors", 1, &["blk.raid_degraded_or_rebuilding:md0"]),
        sound("d02-md-states/container"),
        sound("d02-md-states/ddf"),
        sound("d02-md-states/auto-read-only"),
        server(
            "d02-md-states/waiting",
            1,
            &["blk.raid_degraded_or_rebuilding:md0", "blk.raid_degraded_or_rebuilding:md1"],
        ),
        server("d02-md-states/read-only", 1, &["blk.raid_degraded_or_rebuilding:md0"]),
        server("d02-md-states/broken", 1, &["blk.raid_degraded_or_rebuilding:md0"]),
        server("d02-md-states/raid10-spare-failed", 1, &["blk.raid_degraded_or_rebuilding:md0"]),
    ]);
}

#[test]
fn the_array_of_unraid_is_judged_by_the_states_of_its_driver() {
    const ARRAY: &[&str] = &["blk.raid_degraded_or_rebuilding:the Unraid array"];
    check(&[
        sound("d10-unraid/whole"),
        server("d10-unraid/disabled", 1, ARRAY),
        server("d10-unraid/emulated", 1, ARRAY),
        server("d10-unraid/rebuilding", 1, ARRAY),
        server("d10-unraid/checking", 1, ARRAY),
        server("d10-unraid/stopped", 1, ARRAY),
        server("d10-unraid/missing-stopped", 1, ARRAY),
        server("d10-unraid/too-many", 1, ARRAY),
        server("d10-unraid/parity-gone", 1, ARRAY),
    ]);
    for folder in ["new-word", "new-state", "cut"] {
        let told = diagnosis(&server(&format!("d10-unraid/{folder}"), 2, &[]));
        assert!(found(&told).is_empty() && !words(&told["in_order"]).contains(&RAID.to_owned()), "{told:#}");
    }
    for (folder, failed) in [
        ("disabled", "disk2 (sdae)"),
        ("emulated", "disk2"),
        ("rebuilding", "none"),
        ("parity-gone", "parity"),
    ] {
        let told = diagnosis(&server(&format!("d10-unraid/{folder}"), 1, &[]));
        assert_eq!(told["findings"][0]["found"][0]["facts"]["failed_members"], failed, "{folder}: {told:#}");
    }
}

/// A reader must not be sent to pull a working disk.
#[test]
fn a_disk_is_replaced_only_where_one_is_named() {
    for (folder, named) in [
        ("b01-qnap-mdstat/nas1-failed", Some("sdd3")),
        ("b01-qnap-mdstat/real-degraded", None),
        ("b02-md-inactive/inactive", None),
        ("d01-nas-mirrors/synology-gone", None),
    ] {
        let told = diagnosis(&server(folder, 1, &[]));
        let facts = &told["findings"][0]["found"][0];
        let failed = facts["facts"]["failed_members"].as_str().filter(|failed| *failed != "none");
        assert_eq!(failed, named, "{folder}");
        let fix = facts["fix"].as_str().unwrap();
        assert_eq!(fix.contains("Replace"), named.is_some(), "{folder}: {fix}");
        assert!(named.is_none_or(|named| fix.contains(named)), "{folder}: {fix}");
    }
}

#[test]
fn pools_are_judged_by_the_states_of_openzfs() {
    const TANK: &[&str] = &["blk.raid_degraded_or_rebuilding:tank"];
    check(&[
        server("b03-zfs-replacing/box", 1, TANK),
        server("b04-zfs-expand/box", 1, TANK),
        server("d03-zpool-states/draid", 1, TANK),
        server("d03-zpool-states/suspended", 1, TANK),
        server("d03-zpool-states/removing", 1, TANK),
        sound("d03-zpool-states/paused"),
        server("d03-zpool-states/cache-gone", 1, TANK),
        server("d03-zpool-states/checksum", 1, TANK),
        server("d03-zpool-states/rebuild", 1, TANK),
        Case { in_order: &[RAID], ..server("d03-zpool-states/wide", 1, &["zfs.ashift_layout:tank"]) },
    ]);
    // No dataset is listed, so that rule is not in order; the rule on the pool's width is.
    let told = diagnosis(&server("b03-zfs-replacing/box", 1, TANK));
    assert!(!found(&told).iter().any(|one| one.starts_with("zfs.ashift_layout")), "{told:#}");
}

#[test]
fn other_volumes_are_judged_by_the_words_of_their_tools() {
    check(&[
        server("d04-other-volumes/btrfs-missing", 1, &["blk.raid_degraded_or_rebuilding:media"]),
        server("d04-other-volumes/btrfs-errors", 1, &["blk.raid_degraded_or_rebuilding:/srv"]),
        server(
            "d04-other-volumes/lvm-partial",
            1,
            &[
                "blk.raid_degraded_or_rebuilding:vg/media",
                "blk.raid_degraded_or_rebuilding:vg/[media_rimage_1]",
            ],
        ),
        sound("d04-other-volumes/lvm-fine"),
        server(
            "d04-other-volumes/storcli-degraded",
            1,
            &[
                "blk.raid_degraded_or_rebuilding:virtual disk 0/0",
                "blk.raid_degraded_or_rebuilding:the controller",
            ],
        ),
        sound("d04-other-volumes/storcli-fine"),
        server("d04-other-volumes/ssacli-failed", 1, &["blk.raid_degraded_or_rebuilding:logical drive 1"]),
        server("d04-other-volumes/mdadm-detail", 1, &["blk.raid_degraded_or_rebuilding:/dev/md1"]),
    ]);
}

/// Neither a finding nor in order: an unknown state is reported as not understood.
#[test]
fn a_state_that_no_source_has_is_unknown() {
    for folder in ["d02-md-states/frozen", "d03-zpool-states/wobbly", "d04-other-volumes/ssacli-strange"] {
        // These hosts have no other texts, so nothing at all could be judged.
        let told = diagnosis(&server(folder, 2, &[]));
        assert!(found(&told).is_empty(), "{folder}: {told:#}");
        assert!(!words(&told["in_order"]).iter().any(|id| id == RAID), "{folder}: {told:#}");
        assert_eq!(told["not_understood"].as_array().unwrap().len(), 1, "{folder}: {told:#}");
    }
}

#[test]
fn links_are_judged_down_to_their_cards() {
    const NAS: &[&str] = &["/mnt/nas"];
    let nas =
        |folder: &'static str, code, found: &'static [&'static str]| Case::new(folder, NAS, code, found);
    const NCONNECT: &str = "nfs.nconnect_missing:/mnt/nas";
    check(&[
        nas("b05-bond-active-backup/ws", 0, &["net.ring.rx_small:eno1", NCONNECT]),
        nas("b06-vlan-over-bond/ws", 1, &["net.link.down:bond0", "net.ring.rx_small:eno1", NCONNECT]),
        Case::new(
            "b06-vlan-over-bond/ws",
            &[],
            1,
            &["net.link.down:bond0", "net.ring.rx_small:eno1", NCONNECT],
        ),
        Case { in_order: &[DOWN], ..nas("d05-stacked-links/slow-active", 0, &["net.bond.hash:bond0"]) },
        Case { in_order: &[HASH, DOWN], ..Case::new("d05-stacked-links/wlan", &[], 0, &[]) },
        Case {
            in_order: &[HASH, DOWN],
            ..nas("d05-stacked-links/named-vlan", 0, &["net.ring.rx_small:eno1"])
        },
        nas("d05-stacked-links/team", 1, &["net.link.down:team0"]),
        nas("d05-stacked-links/bridge", 0, &["net.ring.rx_small:eno1"]),
        nas("d05-stacked-links/old-kernel", 1, &["net.link.down:bond0"]),
        Case { in_order: &[HASH, DOWN, RING], ..nas("d05-stacked-links/whole", 0, &[]) },
    ]);
}

#[test]
fn union_data_are_on_its_branches() {
    let queue = |disk: &str| format!("blk.nr_requests:{disk}");
    for (folder, path, is_local, are_known, devices) in [
        ("b15-unraid-user-share/box", "/mnt/user", true, false, &[][..]),
        ("d06-unions/mergerfs-paths", "/mnt/merged", true, true, &["sdb1", "sdb", "sdc1", "sdc"]),
        ("d06-unions/overlay", "/srv/over", true, true, &["sdc1", "sdc", "sdb1", "sdb"]),
        ("d06-unions/mergerfs-short", "/mnt/merged", true, false, &[]),
        ("d06-unions/bindfs-nas", "/srv/view", false, true, &[]),
    ] {
        let code = i32::from(!is_local);
        let told = diagnosis(&Case::new(folder, &[path], code, &[]));
        let place = &told["place"];
        assert_eq!(
            (place["is_local"].as_bool(), place["are_devices_known"].as_bool()),
            (Some(is_local), Some(are_known)),
            "{folder}: {place:#}"
        );
        assert_eq!(words(&place["devices"]), devices, "{folder}");
        let found = found(&told);
        if is_local {
            let disk = if folder.starts_with('b') { "sda" } else { "sdb" };
            assert!(found.contains(&queue(disk)), "{folder}: {found:?}");
            assert!(!found.iter().any(|one| one.starts_with("net.")), "{folder}: {found:?}");
        } else {
            assert!(found.contains("nfs.soft_mount:/mnt/nas"), "{folder}: {found:?}");
        }
    }
}

#[test]
fn added_text_hides_no_finding() {
    const MD0: &[&str] = &["blk.raid_degraded_or_rebuilding:md0"];
    for folder in ["crlf", "prompt", "colours", "quoted", "not-installed"] {
        check(&[server(&format!("d07-decorated/{folder}"), 1, MD0)]);
    }
    const SAMBA: &[&str] =
        &["smb.samba.aio_off", "smb.samba.sendfile", "smb.samba.fruit", "smb.samba.vfs_io_uring"];
    check(&[
        Case {
            in_order: SAMBA,
            ..server(
                "b13-testparm-with-stderr/srv",
                1,
                &[
                    "smb.samba.socket_options:Samba",
                    "smb.signing_required:Samba",
                    "smb.samba.fruit_zero_file_id:media",
                ],
            )
        },
        server(
            "d08-side-remarks/testparm-warnings",
            1,
            &["smb.samba.socket_options:Samba", "smb.signing_required:Samba"],
        ),
        server(
            "d08-side-remarks/testparm-end",
            1,
            &["smb.samba.socket_options:Samba", "smb.signing_required:Samba"],
        ),
        server("d08-side-remarks/ethtool", 0, &[]),
        Case::new("d08-side-remarks/smbutil", &[], 0, &["smb.encryption_on:finance"]),
    ]);
}

#[test]
fn a_line_that_is_missing_is_no_value() {
    check(&[
        Case::new(
            "b14-smbutil-encryption/mac",
            &[],
            1,
            &["smb.signing_required:archive", "smb.dialect_low:Old Jobs 2019", "smb.encryption_on:finance"],
        ),
        Case::new("d09-missing-lines/speed-unknown", &[], 0, &[]),
        Case::new("d09-missing-lines/sleeping-card", &[], 0, &[]),
    ]);
    let not_looked = |case: &Case<'_>| -> Vec<String> {
        let told = diagnosis(case);
        let rules = told["not_looked_at"].as_array().unwrap().iter();
        rules.map(|rule| rule["rule"].as_str().unwrap().to_owned()).collect()
    };
    let windows = not_looked(&Case::new("d09-missing-lines/windows", &[], 2, &[]));
    assert!(windows.iter().any(|id| id == "net.link.speed_downshift"), "{windows:?}");
    let mount = not_looked(&Case::new("d09-missing-lines/short-mount", &["/mnt/nas"], 0, &[]));
    assert!(
        ["nfs.soft_mount", "nfs.proto_udp"].iter().all(|id| mount.iter().any(|one| one == id)),
        "{mount:?}"
    );
}

#[test]
fn correct_settings_stay_correct() {
    const OVERLAY: &[&str] = &["/mnt/my nas"];
    check(&[
        Case::new(
            "b18-mountinfo-blanks/overlay",
            OVERLAY,
            1,
            &["nfs.soft_mount:/mnt/my nas", "nfs.rsize_wsize:/mnt/my nas"],
        ),
        Case::new(
            "b18-mountinfo-blanks/wsl",
            &["/mnt/nas"],
            1,
            &["smb.dialect_low:/mnt/nas", "smb.cifs.mount_options:/mnt/nas"],
        ),
        Case::new(
            "b18-mountinfo-blanks/automount",
            &["/mnt/nas"],
            1,
            &["nfs.soft_mount:/mnt/nas", "nfs.rsize_wsize:/mnt/nas", "nfs.version:/mnt/nas"],
        ),
        Case::new("b19-nconnect-rdma/ws", &["/srv/nfs/files"], 0, &[]),
        Case::new("b19-nconnect-rdma/ws", &["/mnt/rdma"], 0, &[]),
        server("b20-ring-at-its-maximum/nas", 0, &["net.ring.rx_small:enp2s0"]),
        Case::new(
            "d11-nfs-connections/fewer",
            &["/srv/nfs/files"],
            0,
            &["nfs.nconnect_ineffective:/srv/nfs/files"],
        ),
        Case::new("d11-nfs-connections/trunked", &["/srv/nfs/files"], 0, &[]),
        Case::new("d11-nfs-connections/old-kernel", &["/srv/nfs/files"], 0, &[]),
        server("d12-rings/server-card", 0, &["net.ring.rx_small:enp1s0"]),
        Case { in_order: &[RING], ..server("d12-rings/server-card-full", 0, &[]) },
        server("d12-rings/no-ring", 0, &[]),
    ]);
}
