//! Tests of the hint on synthetic clients.

#![allow(clippy::unwrap_used)]

use reelgauge_machine::mountinfo::FILE as MOUNTS;
use reelgauge_machine::texts::Texts;

use super::*;

const CULPRITS: [Option<Culprit>; 5] =
    [None, Some(Culprit::ThisMachine), Some(Culprit::MaxRate), Some(Culprit::Link), Some(Culprit::Storage)];

/// A client with such a mount at /mnt/nas, over a card of this speed.
pub(in super::super) fn client(fs_type: &str, options: &str, mbit_per_s: u32, duplex: &str) -> Diagnosis {
    let mounts = format!("33 29 0:52 / /mnt/nas {options} - {fs_type} nas1:/m {options},addr=10.0.0.5\n");
    let mut texts = Texts::default();
    let mut put = |name: &str, text: String| texts.put(name, Ok(text));
    put(MOUNTS, mounts.clone());
    put(
        "/proc/net/route",
        "Iface Destination Gateway Flags\neth0 0000000A 00000000 0001 0 0 0 00FFFFFF\n".into(),
    );
    put("/sys/class/net", "eth0\nlo".into());
    put("/sys/class/net/eth0/device/uevent", "DRIVER=ixgbe".into());
    put("/sys/class/net/eth0/operstate", "up".into());
    put("/sys/class/net/eth0/speed", mbit_per_s.to_string());
    put("/sys/class/net/eth0/duplex", duplex.into());
    let place = Place::told(&mounts, Path::new("/mnt/nas")).unwrap();
    let roles = BTreeSet::from([Role::Client]);
    let scope = Scope { roles, place: Some(place), is_elsewhere: false, is_probed: false };
    diagnose(&texts, scope, rules())
}

fn of(diagnosis: &Diagnosis, limit: Option<Culprit>) -> Option<(String, String)> {
    hint(diagnosis, limit, &[]).map(|hint| (hint.named.rule, hint.named.sentence))
}

const GOOD: &str = "rw,vers=4.2,rsize=1048576,wsize=1048576,hard,proto=tcp,nconnect=4";

#[test]
fn options_that_cost_speed_or_data_are_named() {
    for (fs_type, options, rule, fix) in [
        ("nfs4", GOOD.replace("proto=tcp", "proto=udp"), "nfs.proto_udp", "proto=tcp"),
        ("nfs4", GOOD.replace("rw", "rw,noac"), "nfs.sync_mount", "noac"),
        ("nfs4", GOOD.replace("wsize=1048576", "wsize=32768"), "nfs.rsize_wsize", "rsize and wsize"),
        ("nfs4", GOOD.replace("hard", "soft"), "nfs.soft_mount", "Set hard"),
        ("nfs4", GOOD.replace(",nconnect=4", ""), "nfs.nconnect_missing", "nconnect"),
        (
            "cifs",
            "rw,vers=2.1,rsize=4194304,wsize=4194304,cache=strict".into(),
            "smb.dialect_low",
            "vers=3.1.1",
        ),
        (
            "cifs",
            "rw,vers=3.1.1,rsize=65536,wsize=65536,cache=strict".into(),
            "smb.cifs.mount_options",
            "rsize",
        ),
    ] {
        let mbit_per_s = if rule == "nfs.nconnect_missing" { 10_000 } else { 1_000 };
        let found = of(&client(fs_type, &options, mbit_per_s, "full"), Some(Culprit::Storage));
        let (named, sentence) = found.unwrap_or_default();
        assert_eq!(named, rule, "{options}");
        assert!(sentence.starts_with("/mnt/nas ") && sentence.contains(fix), "{sentence}");
    }
    assert_eq!(of(&client("nfs4", GOOD, 10_000, "full"), Some(Culprit::Storage)), None);
    // A read-only mount may be soft.
    let reads = GOOD.replace("rw", "ro").replace("hard", "soft");
    assert_eq!(of(&client("nfs4", &reads, 10_000, "full"), None), None);
}

#[test]
fn a_rule_is_named_only_on_the_side_of_the_limit() {
    let soft = GOOD.replace("hard", "soft");
    let named = |duplex: &str| {
        let diagnosis = client("nfs4", &soft, 1_000, duplex);
        CULPRITS.map(|limit| of(&diagnosis, limit).map_or_else(String::new, |(rule, _)| rule))
    };
    assert_eq!(named("full"), ["nfs.soft_mount", "", "", "", "nfs.soft_mount"]);
    let half = "net.link.speed_downshift";
    assert_eq!(named("half"), [half, "", "", half, half], "a faulty link comes first");
}
