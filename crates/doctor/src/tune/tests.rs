//! Every line has an existing rule, opposite advice is for opposite sites, and nothing is set that
//! trades security.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use super::fragment::{Because, FragmentPart, Left};
use super::site::{Disks, Protocol, SiteName, Topology, TuneSiteError, Version};
use super::*;
use crate::rule::catalogue::rules;
use crate::rule::{Policy, Rule};

const ALL: [Purpose; 7] = [
    Purpose::Smb,
    Purpose::Nfs,
    Purpose::Zfs,
    Purpose::ClientLinux,
    Purpose::ClientMacos,
    Purpose::ClientWindows,
    Purpose::Truenas,
];

fn stated(server: f64, client: f64, clients: u32) -> TuneSite {
    TuneSite {
        server_link_mbit_per_s: Some(server),
        client_link_mbit_per_s: Some(client),
        clients: Some(clients),
        disks: Some(Disks::Hdd),
        server_memory_bytes: Some(128 << 30),
        reserved_memory_bytes: Some(32 << 30),
        ..TuneSite::default()
    }
}

/// Sites of every kind.
fn sites() -> Vec<TuneSite> {
    let mut all = Vec::new();
    for base in [TuneSite::default(), stated(10e3, 10e3, 1), stated(10e3, 1e3, 12), stated(100e3, 100e3, 4)] {
        for protocol in [None, Some(Protocol::Smb), Some(Protocol::Nfs), Some(Protocol::Afp)] {
            all.push(TuneSite { protocol, ..base.clone() });
        }
    }
    all
}

fn rule(id: &str) -> &'static Rule {
    rules().iter().find(|rule| rule.id == id).unwrap_or_else(|| panic!("there is no rule {id}"))
}

fn lines(purpose: Purpose, site: &TuneSite) -> Vec<fragment::SettingLine> {
    let parts = fragments(purpose, site).unwrap().into_iter().flat_map(|fragment| fragment.parts);
    parts.filter_map(|part| if let FragmentPart::Line(line) = part { Some(line) } else { None }).collect()
}

#[test]
fn every_part_has_a_rule_that_exists_and_none_that_trades_security_is_set() {
    let mut seen = 0;
    for site in sites() {
        for purpose in ALL {
            for part in fragments(purpose, &site).unwrap().into_iter().flat_map(|fragment| fragment.parts) {
                seen += 1;
                match part {
                    FragmentPart::Line(line) => {
                        // Written lines are on the safe side: `sync`, and nothing about signing.
                        let is_safe = line.text.contains("sync,") || rule(line.rule).policy != Policy::Never;
                        assert!(is_safe, "{line:?}");
                    }
                    FragmentPart::Decide(id) => assert!(rule(id).not_when.is_some()),
                    FragmentPart::Left(id, _) => assert_eq!(rule(id).id, id),
                    FragmentPart::Frame(_) | FragmentPart::AfpIsLegacy => {}
                }
            }
        }
    }
    assert!(seen > 500, "{seen}");
}

#[test]
fn only_stornext_clients_get_the_mount_line() {
    let site = TuneSite { protocol: Some(Protocol::Stornext), ..stated(100e3, 100e3, 12) };
    let texts: Vec<String> = lines(Purpose::ClientLinux, &site).into_iter().map(|line| line.text).collect();
    let line = texts.iter().find(|text| text.contains(" cvfs ")).unwrap();
    assert!(
        line.starts_with("media /mnt/media cvfs rw,noatime,cachebufsize=128k,buffercachecap=16384"),
        "{line}"
    );
    assert!(texts.iter().any(|text| text == "nr_requests=512"), "{texts:?}");
    for purpose in ALL.into_iter().filter(|purpose| *purpose != Purpose::ClientLinux) {
        assert_eq!(fragments(purpose, &site), Err(TuneSiteError::NotOfStornext), "{purpose:?}");
    }
}

#[test]
fn security_trade_off_is_named_next_to_its_setting() {
    for (purpose, ids) in [
        (Purpose::Smb, &["smb.signing_required", "smb.encryption_on"][..]),
        (Purpose::Nfs, &["nfs.export_async", "nfs.krb5p"]),
        (Purpose::Zfs, &["zfs.special_vdev"]),
        (Purpose::ClientMacos, &["smb.signing_required", "nfs.locking_mode", "nfs.macos_async"]),
        (Purpose::ClientWindows, &["smb.signing_required"]),
        (Purpose::Truenas, &["smb.signing_required"]),
    ] {
        let parts: Vec<FragmentPart> =
            fragments(purpose, &TuneSite::default()).unwrap().into_iter().flat_map(|one| one.parts).collect();
        ids.iter().for_each(|id| assert!(parts.contains(&FragmentPart::Decide(id)), "{purpose:?} {id}"));
    }
}

#[test]
fn jumbo_frames_depend_on_the_topology() {
    let mtu = |site: &TuneSite, purpose| -> Option<(String, &'static str)> {
        let is_mtu = |line: &fragment::SettingLine| {
            ["mtu ", "setMTU", "JumboPacket", "MTU "].iter().any(|name| line.text.contains(name))
        };
        lines(purpose, site).into_iter().find(is_mtu).map(|line| (line.text, line.rule))
    };
    for purpose in
        [Purpose::Smb, Purpose::Nfs, Purpose::ClientLinux, Purpose::ClientMacos, Purpose::ClientWindows]
    {
        let single = mtu(&stated(10e3, 10e3, 1), purpose).unwrap();
        assert_eq!((single.0.contains("90"), single.1), (true, "net.mtu.jumbo_single_client"), "{single:?}");
        let fan_in = mtu(&stated(10e3, 1e3, 12), purpose).unwrap();
        assert_eq!((fan_in.0.contains("15"), fan_in.1), (true, "net.mtu.jumbo_fanin"), "{fan_in:?}");
        assert_eq!(mtu(&stated(10e3, 10e3, 8), purpose), None, "nobody knows which is better there");
        assert_eq!(mtu(&TuneSite::default(), purpose), None);
    }
    let has_pause =
        |site: &TuneSite| lines(Purpose::Smb, site).iter().any(|line| line.text.contains("ethtool -A"));
    assert!(has_pause(&stated(10e3, 1e3, 12)) && !has_pause(&stated(10e3, 10e3, 1)));
}

#[test]
fn a_topology_that_its_links_contradict_is_refused() {
    let single = |site: TuneSite| {
        fragments(Purpose::Smb, &TuneSite { stated_topology: Some(Topology::Single), ..site }).map(|_| ())
    };
    assert_eq!(single(stated(10e3, 10e3, 1)), Ok(()));
    assert!(matches!(single(stated(10e3, 1e3, 1)), Err(TuneSiteError::Topology { .. })));
    assert!(matches!(single(stated(10e3, 10e3, 3)), Err(TuneSiteError::Topology { .. })));
    let said = |stated, site: TuneSite| {
        fragments(Purpose::Smb, &TuneSite { stated_topology: Some(stated), ..site }).is_ok()
    };
    assert!(said(Topology::FanIn, stated(10e3, 1e3, 12)) && said(Topology::Several, stated(10e3, 10e3, 4)));
    assert!(!said(Topology::FanIn, stated(10e3, 10e3, 4)), "equal links step down nowhere");
    assert!(!said(Topology::FanIn, stated(1e3, 10e3, 4)) && !said(Topology::Several, stated(10e3, 1e3, 4)));
    assert!(!said(Topology::Several, stated(10e3, 10e3, 1)), "one is not several");
    assert!(
        !said(Topology::Single, TuneSite { clients: Some(3), ..TuneSite::default() }),
        "without links, too"
    );
    assert!(said(Topology::FanIn, TuneSite::default()));
    let slow = TuneSite { round_trip_ms: f64::NAN, ..TuneSite::default() };
    assert!(matches!(fragments(Purpose::Smb, &slow), Err(TuneSiteError::Number { .. })));
    let (reserved_bytes, memory_bytes) = (64 << 30, 32 << 30);
    let full = TuneSite {
        server_memory_bytes: Some(memory_bytes),
        reserved_memory_bytes: Some(reserved_bytes),
        ..TuneSite::default()
    };
    assert_eq!(fragments(Purpose::Zfs, &full), Err(TuneSiteError::Memory { reserved_bytes, memory_bytes }));
}

#[test]
fn word_fault_is_named() {
    for (word, said) in [
        ("a b", "it has a blank"),
        ("$(x)", "it contains the character $"),
        ("a;b", "it contains the character ;"),
        ("a\nb", "it contains the character U+000A"),
        ("a\u{1b}[2J", "it contains the character U+001B"),
        ("", "it is empty"),
        ("-x", "it must not start with '-'"),
        ("a(b", "it contains the character ("),
    ] {
        let site = TuneSite { path: word.to_owned(), ..TuneSite::default() };
        let error = fragments(Purpose::Nfs, &site).unwrap_err().to_string();
        assert!(error.starts_with("--path ") && error.ends_with(said), "{word:?}: {error}");
    }
}

/// The undo of a line restores the previous value, which only the host knows.
#[test]
fn undo_restores_a_value_read_from_the_host() {
    let mut seen = 0;
    for site in sites() {
        for line in ALL.into_iter().flat_map(|purpose| lines(purpose, &site)) {
            let Some(undo) = &line.undo else { continue };
            seen += 1;
            assert_ne!(undo.trim(), line.text.trim());
            assert!(undo.starts_with("note ") || undo.ends_with("note it first"), "{line:?}");
        }
    }
    assert!(seen > 50, "{seen}");
}

/// Every name that occurs in a fragment is listed there, so that a placeholder is not mistaken for a
/// real name.
#[test]
fn placeholder_names_are_listed() {
    let site = |word: fn(SiteName) -> String| TuneSite {
        server: word(SiteName::Server),
        path: word(SiteName::Path),
        share: word(SiteName::Share),
        network: word(SiteName::Network),
        mount_point: word(SiteName::Mount),
        dataset: word(SiteName::Dataset),
        interface: word(SiteName::Interface),
        ..stated(10e3, 1e3, 12)
    };
    // Words that occur nowhere else.
    let site = site(|name| match name {
        SiteName::Network => "203.0.113.8/29".to_owned(),
        name => format!("/zz{name:?}zz"),
    });
    for protocol in [None, Some(Protocol::Smb), Some(Protocol::Nfs), Some(Protocol::Afp)] {
        let site = TuneSite { protocol, ..site.clone() };
        for (purpose, one) in ALL
            .into_iter()
            .flat_map(|purpose| fragments(purpose, &site).unwrap().into_iter().map(move |one| (purpose, one)))
        {
            let texts: Vec<&str> = one
                .parts
                .iter()
                .filter_map(FragmentPart::text)
                .chain(one.activate.iter().map(String::as_str))
                .collect();
            for name in SiteName::ALL {
                let is_in = texts.iter().any(|text| text.contains(site.name(name)));
                assert_eq!(
                    one.names.contains(&name),
                    is_in,
                    "{purpose:?} {} {name:?} {protocol:?}",
                    one.name
                );
            }
        }
    }
}

#[test]
fn numbers_are_set_only_if_computable() {
    let has = |site: &TuneSite, purpose, name: &str| {
        lines(purpose, site).iter().any(|line| line.text.contains(name))
    };
    let (none, full) = (TuneSite::default(), stated(100e3, 100e3, 4));
    for (purpose, name) in [
        (Purpose::Smb, "tcp_rmem"),
        (Purpose::Nfs, "threads="),
        (Purpose::Zfs, "zfs_arc_max"),
        (Purpose::ClientLinux, "dirty_bytes"),
        (Purpose::Truenas, "recvbuf_max"),
    ] {
        assert!(!has(&none, purpose, name) && has(&full, purpose, name), "{purpose:?} {name}");
        let with = lines(purpose, &full).into_iter().find(|line| line.text.contains(name)).unwrap();
        assert!(!with.sums.is_empty(), "{with:?}");
    }
}

#[test]
fn lines_depend_on_versions_and_clients() {
    let old = TuneSite { samba: Some(Version(4, 13)), has_macs: false, ..TuneSite::default() };
    let texts: Vec<String> = lines(Purpose::Smb, &old).into_iter().map(|line| line.text).collect();
    assert!(!texts.iter().any(|text| text.contains("gmac") || text.contains("fruit")), "{texts:?}");
    let kernel = Some(Version(4, 18));
    let nfs = TuneSite { kernel, protocol: Some(Protocol::Nfs), ..stated(25e3, 25e3, 1) };
    let parts: Vec<FragmentPart> =
        fragments(Purpose::ClientLinux, &nfs).unwrap().into_iter().flat_map(|one| one.parts).collect();
    assert!(parts.contains(&FragmentPart::Left("nfs.nconnect_missing", Left::TooOld(Version(4, 18)))));
    let new = TuneSite { kernel: Some(Version(6, 1)), ..nfs };
    assert!(lines(Purpose::ClientLinux, &new).iter().any(|line| line.text.contains("nconnect=4")));
    let allocate = |has_zfs, has_windows| -> Option<(String, Option<Because>)> {
        let site = TuneSite { has_zfs, has_windows, ..TuneSite::default() };
        let line =
            lines(Purpose::Smb, &site).into_iter().find(|line| line.text.contains("strict allocate"))?;
        Some((line.text, line.because))
    };
    assert_eq!(allocate(true, true).unwrap().0, "strict allocate = no");
    // Measured: with `aio write size = 1` the line has no effect, so it is named and not written.
    assert_eq!(allocate(false, true), None);
    assert_eq!(allocate(false, false), None);
    for purpose in [Purpose::Smb, Purpose::Truenas] {
        for site in sites() {
            let texts: Vec<String> = lines(purpose, &site).into_iter().map(|line| line.text).collect();
            let has = |text: &str| texts.iter().any(|line| line == text);
            assert!(!(has("strict allocate = yes") && has("aio write size = 1")), "{site:?}");
        }
    }
    let parts = fragments(Purpose::Smb, &TuneSite::default()).unwrap().into_iter().flat_map(|one| one.parts);
    let left = FragmentPart::Left("smb.samba.strict_allocate", Left::WithoutEffect("aio write size = 1"));
    assert_eq!(parts.filter(|part| *part == left).count(), 1);
}

#[test]
fn a_mac_on_nfs_gets_its_version_and_a_warning_of_local_locks_and_afp_is_called_legacy() {
    let parts = |protocol| -> Vec<FragmentPart> {
        let site = TuneSite { protocol: Some(protocol), ..TuneSite::default() };
        fragments(Purpose::ClientMacos, &site).unwrap().into_iter().flat_map(|one| one.parts).collect()
    };
    let nfs = parts(Protocol::Nfs);
    let is_version =
        |part: &FragmentPart| matches!(part, FragmentPart::Line(line) if line.text.contains("nfsvers=3,"));
    assert!(nfs.iter().any(is_version) && nfs.contains(&FragmentPart::Decide("nfs.locking_mode")));
    assert!(
        parts(Protocol::Afp).contains(&FragmentPart::AfpIsLegacy)
            && !nfs.contains(&FragmentPart::AfpIsLegacy)
    );
}

/// Facts that are listed as not stated are not stated, and others are not asked for again.
#[test]
fn only_missing_facts_are_listed_as_not_stated() {
    let missing = |purpose, site: &TuneSite| -> BTreeSet<&'static str> {
        let parts = fragments(purpose, site).unwrap().into_iter().flat_map(|one| one.parts);
        let flags = parts.filter_map(|part| match part {
            FragmentPart::Left(_, Left::NotStated(flags)) => Some(flags),
            _ => None,
        });
        flags.inspect(|flags| assert!(!flags.is_empty(), "{purpose:?} {site:?}")).flatten().collect()
    };
    for purpose in ALL {
        let whole = TuneSite { protocol: Some(Protocol::Nfs), ..stated(10e3, 10e3, 4) };
        assert_eq!(missing(purpose, &whole), BTreeSet::new(), "{purpose:?}");
        let faster = TuneSite { protocol: Some(Protocol::Smb), ..stated(1e3, 10e3, 1) };
        assert_eq!(missing(purpose, &faster), BTreeSet::new(), "{purpose:?}");
        let one = TuneSite { clients: None, ..whole };
        assert!(missing(purpose, &one).iter().all(|flag| *flag == "--clients"), "{purpose:?}");
    }
    let link = TuneSite { server_link_mbit_per_s: Some(10e3), ..TuneSite::default() };
    assert!(!missing(Purpose::Smb, &link).contains("--server-link"));
    assert!(missing(Purpose::Smb, &link).contains("--clients"));
}

#[test]
fn a_client_by_smb_gets_no_file_of_nfs() {
    let names = |protocol| -> Vec<&'static str> {
        let site = TuneSite { protocol, ..TuneSite::default() };
        fragments(Purpose::ClientLinux, &site).unwrap().iter().map(|one| one.name).collect()
    };
    assert_eq!(names(Some(Protocol::Smb)), ["fstab", "sysctl.conf", "link.sh"]);
    assert_eq!(names(Some(Protocol::Nfs)), ["fstab", "nfs.conf", "sysctl.conf", "link.sh"]);
    assert_eq!(names(None), ["fstab", "sysctl.conf", "link.sh"]);
}

/// nfs(5) has an address with colons in brackets; a UNC path has it as it is.
#[test]
fn an_address_of_ipv6_is_written_as_its_mount_takes_it() {
    let written = |protocol, server: &str| -> String {
        let site = TuneSite { protocol: Some(protocol), server: server.to_owned(), ..TuneSite::default() };
        lines(Purpose::ClientLinux, &site)[0].text.clone()
    };
    for (server, host) in [
        ("2001:db8::1", "[2001:db8::1]"),
        ("fe80::1%eth0", "[fe80::1%eth0]"),
        ("10.0.0.2", "10.0.0.2"),
        ("nas1", "nas1"),
    ] {
        assert!(written(Protocol::Nfs, server).starts_with(&format!("{host}:/srv/media ")), "{server}");
        assert!(written(Protocol::Smb, server).starts_with(&format!("//{server}/media ")), "{server}");
    }
}

/// A part of a line from another rule has that rule's reason, and every line has one.
#[test]
fn every_line_and_part_has_a_reason() {
    for site in sites() {
        for line in ALL.into_iter().flat_map(|purpose| lines(purpose, &site)) {
            let rules = line.parts.iter().map(|(_, id)| *id).chain([line.rule]);
            rules.for_each(|id| assert!(rule(id).reason.is_some(), "{id}: {}", line.text));
            assert!(line.parts.iter().all(|(part, _)| line.text.contains(part.as_str())), "{line:?}");
            for (word, id) in
                [("nconnect=", "nfs.nconnect_missing"), ("multichannel,", "smb.multichannel_unused")]
            {
                let has_reason = line.parts.iter().any(|(part, rule)| part.contains(word) && *rule == id);
                assert_eq!(line.text.contains(word), has_reason, "{line:?}");
            }
        }
    }
    let fast = TuneSite { protocol: Some(Protocol::Nfs), ..stated(10e3, 10e3, 1) };
    assert!(lines(Purpose::ClientLinux, &fast).iter().any(|line| line.text.contains("nconnect=4")));
}

/// Every kernel setting that is changed is saved before, together with the limit that it replaces.
#[test]
fn settings_of_the_kernel_are_kept_before_they_change() {
    for purpose in [Purpose::Smb, Purpose::Nfs, Purpose::ClientLinux] {
        let all = fragments(purpose, &stated(10e3, 10e3, 1)).unwrap();
        let kernel = all.iter().find(|one| one.name == "sysctl.conf").unwrap();
        let kept = &kernel.keep.as_ref().unwrap().settings;
        let set =
            kernel.parts.iter().filter_map(FragmentPart::text).filter_map(|text| text.split(" = ").next());
        set.for_each(|name| assert!(kept.iter().any(|kept| kept == name), "{name}"));
        let is_client = purpose == Purpose::ClientLinux;
        for name in ["vm.dirty_ratio", "vm.dirty_background_ratio"] {
            assert_eq!(kept.iter().any(|kept| kept == name), is_client, "{name}");
        }
    }
}

/// Impossible values are rejected, with the allowed ones.
#[test]
fn impossible_values_are_refused_with_the_allowed_ones() {
    let refused = |site: TuneSite| match fragments(Purpose::Smb, &site) {
        Err(TuneSiteError::Value { what, allowed, .. }) => Some((what, allowed)),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    };
    let network = |network: &str| TuneSite { network: network.to_owned(), ..TuneSite::default() };
    for wrong in ["nonsense", "10.0.0.0/99", "10.0.0.0/", "10.0.0/24", "fd00::/129", "10.0.0.0/+8"] {
        assert_eq!(refused(network(wrong)).map(|it| it.0), Some("--network"), "{wrong}");
    }
    for right in ["10.0.0.0/24", "10.0.0.7", "fd00::/64", "0.0.0.0/0"] {
        assert_eq!(refused(network(right)), None, "{right}");
    }
    let mount = |mount_point: &str| TuneSite { mount_point: mount_point.to_owned(), ..TuneSite::default() };
    for wrong in ["/", "//", "/.", "media", "/mnt/../etc"] {
        assert_eq!(refused(mount(wrong)).map(|it| it.0), Some("--mount"), "{wrong}");
    }
    assert_eq!(
        refused(TuneSite { path: "srv/media".to_owned(), ..TuneSite::default() }).map(|it| it.0),
        Some("--path")
    );
    for share in ["global", "Global", "homes", "printers"] {
        let site = TuneSite { share: share.to_owned(), ..TuneSite::default() };
        assert_eq!(refused(site).map(|it| it.0), Some("--share"), "{share}");
    }
    for (nfs, is_one) in
        [(Version(3, 0), true), (Version(4, 2), true), (Version(5, 0), false), (Version(2, 0), false)]
    {
        assert_eq!(refused(TuneSite { nfs: Some(nfs), ..TuneSite::default() }).is_none(), is_one, "{nfs:?}");
    }
    assert_eq!(
        refused(TuneSite { nfs: Some(Version(4, 9)), ..TuneSite::default() }).unwrap().1,
        "give 3, 4.0, 4.1 or 4.2"
    );
    assert_eq!(
        refused(TuneSite { samba: Some(Version(3, 0)), ..TuneSite::default() }).map(|it| it.0),
        Some("--samba")
    );
    assert_eq!(refused(TuneSite { samba: Some(Version(4, 17)), ..TuneSite::default() }), None);
}

/// If a fast port feeds slower clients, several connections are never advised, on either end.
#[test]
fn several_connections_depend_on_the_topology() {
    let fan_in = stated(10e3, 1e3, 12);
    let single = stated(10e3, 10e3, 1);
    for (purpose, word) in [
        (Purpose::Smb, "server multi channel support"),
        (Purpose::Truenas, "server multi channel support"),
        (Purpose::ClientMacos, "mc_on=yes"),
        (Purpose::ClientWindows, "EnableMultiChannel"),
    ] {
        let sets = |site: &TuneSite| lines(purpose, site).iter().any(|line| line.text.contains(word));
        assert!(!sets(&fan_in) && sets(&single), "{purpose:?}");
        let left = FragmentPart::Left("smb.multichannel_unused", Left::Topology(Topology::FanIn));
        let parts = fragments(purpose, &fan_in).unwrap().into_iter().flat_map(|one| one.parts);
        assert!(parts.into_iter().any(|part| part == left), "{purpose:?}");
    }
}
