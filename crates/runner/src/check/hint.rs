//! Which rule of the doctor's catalogue to look at first after a quick check. At most one, and only one that
//! is safe to follow: it is found on this client, costs much, changes neither security nor safety of data, and
//! is about the side on which the limit lies. Rules that the limit of a failed trial names come first.
//!
//! Not here: the rules (`catalogue/rules`), and what follows where none applies
//! ([`reelgauge_analysis::statement`]).

use std::collections::BTreeSet;
use std::path::Path;

use reelgauge_analysis::facts::CheckHint;
use reelgauge_analysis::{Culprit, LoadPoint};
use reelgauge_doctor::diagnosis::Finding;
use reelgauge_doctor::rule::catalogue::rules;
use reelgauge_doctor::rule::{Layer, Policy, Role, Severity};
use reelgauge_doctor::{Diagnosis, Scope, diagnose};
use reelgauge_machine::place::Place;
use reelgauge_machine::texts::live;
use reelgauge_report::doctor::hint_sentence;

/// A rule, and whether it is about the way to the storage.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// The rule.
    pub named: CheckHint,
    /// It may be the network that limits.
    pub is_about_network: bool,
}

/// What the rules find on this client, as far as it is about a target. `None` where nothing tells where that
/// lies, as on Windows, where a script asks the machine.
pub fn diagnosis(target: &Path) -> Option<Diagnosis> {
    if cfg!(windows) {
        return None;
    }
    let texts = live::collect();
    let mut place = Place::here(&texts.mounts(), target).ok()?;
    place.find_link();
    let roles = BTreeSet::from([Role::Client]);
    let scope = Scope { roles, place: Some(place), is_elsewhere: false, is_probed: false };
    Some(diagnose(&texts, scope, rules()))
}

/// The rule to look at first, where the limit is this culprit's.
pub fn hint(diagnosis: &Diagnosis, limit: Option<Culprit>, trials: &[LoadPoint]) -> Option<Hint> {
    let found = trials.iter().filter(|trial| trial.culprit.is_some() && trial.culprit == limit);
    let found = found.filter_map(|trial| trial.limit.as_ref()?.found.as_ref());
    let named: BTreeSet<&str> = found.flat_map(|finding| &finding.rules).map(String::as_str).collect();
    let is_named = |finding: &Finding| named.contains(finding.rule.id.as_str());
    let may =
        |finding: &&Finding| is_safe(finding) && costs_much(finding) && agrees(finding.rule.layer, limit);
    let finding = diagnosis.findings.iter().filter(may).min_by_key(|finding| !is_named(finding))?;
    let sentence = hint_sentence(finding, diagnosis.system.os)?;
    let named = CheckHint { rule: finding.rule.id.clone(), sentence };
    Some(Hint { named, is_about_network: is_on_the_way(finding.rule.layer) })
}

fn is_safe(finding: &Finding) -> bool {
    finding.rule.policy == Policy::WithExplicitConsent
}

/// Rules about the mount count from a tenth of the throughput on, others from a third.
fn costs_much(finding: &Finding) -> bool {
    let least = match finding.rule.layer {
        Layer::Nfs | Layer::Smb => Severity::Medium,
        _ => Severity::High,
    };
    finding.rule.severity <= least
}

fn is_on_the_way(layer: Layer) -> bool {
    matches!(layer, Layer::Network | Layer::Nfs | Layer::Smb)
}

/// Whether a rule about this layer may be followed next to whose the limit is. No rule frees a client of
/// another program.
fn agrees(layer: Layer, limit: Option<Culprit>) -> bool {
    match limit {
        Some(Culprit::Link) => layer == Layer::Network,
        None | Some(Culprit::Storage | Culprit::NotKnown) => {
            is_on_the_way(layer) || matches!(layer, Layer::Block | Layer::Fs)
        }
        Some(Culprit::Tool | Culprit::ThisMachine | Culprit::MaxRate) => false,
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_machine::texts::Texts;

    use reelgauge_machine::mountinfo::FILE as MOUNTS;

    use super::*;

    const CULPRITS: [Option<Culprit>; 5] = [
        None,
        Some(Culprit::ThisMachine),
        Some(Culprit::MaxRate),
        Some(Culprit::Link),
        Some(Culprit::Storage),
    ];

    /// A client with such a mount at /mnt/nas, over a card of such a speed.
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
}
