//! Tests of the text of fragments.
#![allow(clippy::unwrap_used)]

use reelgauge_doctor::tune::fragments;
use reelgauge_doctor::tune::site::{Disks, Protocol, Version};

use super::*;

const ALL: [Purpose; 7] = [
    Purpose::Smb,
    Purpose::Nfs,
    Purpose::Zfs,
    Purpose::ClientLinux,
    Purpose::ClientMacos,
    Purpose::ClientWindows,
    Purpose::Truenas,
];

fn fan_in() -> TuneSite {
    TuneSite {
        server_link_mbit_per_s: Some(10_000.0),
        client_link_mbit_per_s: Some(1_000.0),
        clients: Some(12),
        disks: Some(Disks::Hdd),
        server_memory_bytes: Some(64 << 30),
        protocol: Some(Protocol::Nfs),
        ..TuneSite::default()
    }
}

fn text(purpose: Purpose, site: &TuneSite) -> String {
    let fragments = fragments(purpose, site).unwrap();
    one_after_another(&written(purpose, site, &fragments))
}

#[test]
fn every_setting_has_a_comment_with_its_rule_above_it_and_comments_fit() {
    for purpose in ALL {
        for site in [TuneSite::default(), fan_in()] {
            for one in written(purpose, &site, &fragments(purpose, &site).unwrap()) {
                let lines: Vec<&str> = one.text.lines().collect();
                assert!(lines.iter().filter(|line| line.starts_with('#')).all(|line| line.len() < 100));
                let too_wide = |line: &&&str| line.starts_with('#') && line.chars().count() > COLUMNS;
                let is_breakable = |line: &&&str| line.split(' ').all(|word| word.len() < 40);
                let wide: Vec<_> = lines.iter().filter(too_wide).filter(is_breakable).collect();
                assert!(wide.is_empty(), "{wide:#?}");
                for part in &one.fragment.parts {
                    let FragmentPart::Line(line) = part else { continue };
                    let at = lines.iter().position(|text| *text == line.text).unwrap();
                    let above = lines[..at].iter().rev().take_while(|text| text.starts_with('#'));
                    let above: Vec<&str> = above.copied().collect();
                    assert!(above.iter().any(|text| text.contains(line.rule)), "{}: {above:#?}", line.text);
                }
                let sets = one.fragment.parts.iter().any(|part| matches!(part, FragmentPart::Line(_)));
                assert_eq!(one.text.contains("# Undo: "), sets, "{}", one.text);
            }
        }
    }
}

#[test]
fn sums_are_shown_with_their_formula() {
    let said = text(Purpose::Nfs, &fan_in()).replace("\n#  ", "").replace("\n# ", " ");
    for sum in ["2 x 1 Gbit/s x 0.5 ms / 8 = 125 kB", " = 24, ", "32 to 128: 32 threads", " x 36 MiB "] {
        assert!(said.contains(sum), "{sum}: {said}");
    }
}

/// The kernel's default is mentioned only for a stated kernel.
#[test]
fn buffer_is_shown_with_kernel_default_and_maximum() {
    let said = |site: &TuneSite| text(Purpose::ClientLinux, site).replace("\n#  ", "").replace("\n# ", " ");
    let open = said(&fan_in());
    assert!(open.contains("tcp_rmem = 4096 131072 33554432"), "{open}");
    assert!(open.contains(" 6.16, ") && open.contains("--kernel"), "{open}");
    let old = said(&TuneSite { kernel: Some(Version(5, 14)), ..fan_in() });
    assert!(old.contains("tcp_rmem = 4096 131072 6291456"), "{old}");
    assert!(old.contains("Linux 5.14 ") && !old.contains("--kernel"), "{old}");
    let link = Some(100_000.0);
    let far = TuneSite { server_link_mbit_per_s: link, client_link_mbit_per_s: link, ..fan_in() };
    let far = said(&TuneSite { round_trip_ms: 50.0, ..far });
    assert!(far.contains("tcp_rmem = 4096 131072 2147483647"), "{far}");
    assert!(far.contains("2147483647 bytes"), "{far}");
}

#[test]
fn trade_offs_and_omissions_have_reasons() {
    let said = text(Purpose::Smb, &TuneSite::default()).replace("\n#  ", "").replace("\n# ", " ");
    // Signing is a decision: the text names it and sets nothing.
    assert!(said.contains("SMB signs"), "{said}");
    assert!(!said.contains("\nserver signing") && !said.contains("\nserver smb encrypt"), "{said}");
    assert!(said.contains("not stated: --server-link"), "{said}");
    let mac = text(Purpose::ClientMacos, &TuneSite { protocol: Some(Protocol::Afp), ..TuneSite::default() });
    assert!(mac.contains("AFP is legacy"), "{mac}");
    let nfs = text(Purpose::ClientMacos, &fan_in()).replace("\n#  ", "").replace("\n# ", " ");
    assert!(nfs.contains("locallocks"), "{nfs}");
}

#[test]
fn unstated_names_are_marked_as_placeholders() {
    let flat = |site: &TuneSite| text(Purpose::Smb, site).replace("\n#  ", "").replace("\n# ", " ");
    let said = flat(&TuneSite::default());
    assert!(said.contains("PLACEHOLDERS: media (--share) and /srv/media (--path) "), "{said}");
    assert!(said.contains("PLACEHOLDER: eth0 (--interface) "), "{said}");
    let stated = TuneSite { not_stated: Vec::new(), ..TuneSite::default() };
    assert!(!flat(&stated).contains("PLACEHOLDER"), "{}", flat(&stated));
}

#[test]
fn a_site_that_cannot_be_is_refused_in_units() {
    let site = TuneSite {
        server_memory_bytes: Some(32 << 30),
        reserved_memory_bytes: Some(64 << 30),
        ..TuneSite::default()
    };
    let said = refused(&fragments(Purpose::Zfs, &site).unwrap_err());
    insta::assert_snapshot!(said);
}

#[test]
fn a_topology_that_is_contradicted_is_refused_in_the_words_of_its_flags() {
    let site = TuneSite {
        stated_topology: Some(Topology::FanIn),
        server_link_mbit_per_s: Some(10_000.0),
        client_link_mbit_per_s: Some(10_000.0),
        ..TuneSite::default()
    };
    insta::assert_snapshot!(refused(&fragments(Purpose::Smb, &site).unwrap_err()));
}

/// A kernel setting remains active after its file is removed, so the previous value is saved and
/// restored.
#[test]
fn kernel_settings_are_restored_when_their_file_is_removed() {
    let said = text(Purpose::ClientLinux, &fan_in());
    let flat = said.replace(" \\\n#     ", "").replace("\n#   ", " ");
    assert!(flat.contains(": sysctl net.ipv4.tcp_window_scaling "), "{flat}");
    assert!(flat.contains(" vm.dirty_background_ratio"), "{flat}");
    assert!(flat.contains("| grep -v '^vm.* = 0$' > /etc/sysctl.d/90-reelgauge-media.before"), "{flat}");
    let undo = "Undo: rm /etc/sysctl.d/90-reelgauge-media.conf; sysctl -p";
    assert!(said.replace("\n#  ", "").contains(undo), "{said}");
    let before = said.find(" > /etc/sysctl.d").unwrap();
    assert!(before < said.find("sysctl -p").unwrap(), "{said}");
}

#[test]
fn a_reason_is_one_for_the_line_below_it() {
    let said = text(Purpose::ClientLinux, &fan_in()).replace("\n#  ", "").replace("\n# ", " ");
    for (reason, line) in [("More than 64 KiB ", "tcp_window_scaling = 1"), ("TCP never joins ", "proto=tcp")]
    {
        assert!(said.find(reason).is_some_and(|at| said[at..].contains(line)), "{said}");
    }
    assert!(!said.contains("At most 64 KiB "), "{said}");
}

/// Following the text literally removes no lines of other software.
#[test]
fn lines_are_added_to_files_that_have_others() {
    let site = TuneSite { protocol: Some(Protocol::Smb), ..TuneSite::default() };
    for (purpose, file) in [
        (Purpose::ClientLinux, " /etc/fstab. "),
        (Purpose::Nfs, " /etc/exports. "),
        (Purpose::Smb, " /etc/samba/smb.conf. "),
    ] {
        let text = text(purpose, &site);
        let flat = text.replace("\n#", " ").split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, how) = flat.split_once(file).unwrap_or_else(|| panic!("{text}"));
        assert!(how.contains("keep all"), "{text}");
    }
}

/// Buffers larger than the memory are called impossible, not a large share of it.
#[test]
fn buffers_larger_than_memory_are_marked_impossible() {
    let site = TuneSite {
        server_link_mbit_per_s: Some(100e3),
        client_link_mbit_per_s: Some(100e3),
        clients: Some(1_000),
        round_trip_ms: 100.0,
        server_memory_bytes: Some(2 << 30),
        ..TuneSite::default()
    };
    let text = text(Purpose::Smb, &site).replace("\n#", " ");
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(" 2 GiB") && !flat.contains("000 B"), "{flat}");
}
