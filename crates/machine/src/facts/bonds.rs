//! Several interfaces combined: bonds, as the bonding driver reports them, and teams.
//!
//! The format of `/proc/net/bonding/NAME` is that of `bond_info_show_master` and `bond_info_show_slave`
//! in the kernel's `drivers/net/bonding/bond_procfs.c`. It has a `Transmit Hash Policy` only if the mode
//! uses one, and `Speed: Unknown` for a link that is down: neither is a value.

use super::interface_stack::{Stack, bonded};
use super::{FactKind, FactSubject, Facts, pair};
use crate::interface::{ALL, speed_in};
use crate::texts::{NotKnown, Texts};

/// Modes in which the hash selects the link for a packet.
const HASHING: [&str; 2] = ["802.3ad", "balance-xor"];
/// Modes in which all links transfer data.
const SHARING: [&str; 5] = ["802.3ad", "balance-xor", "balance-rr", "balance-tlb", "balance-alb"];
/// The same, in the driver's own words.
const MODE_WORDS: [(&str, &str); 4] = [
    ("adaptive load balancing", "balance-alb"),
    ("transmit load balancing", "balance-tlb"),
    ("load balancing (round-robin)", "balance-rr"),
    ("load balancing (xor)", "balance-xor"),
];

/// A member, from its part of the text.
#[derive(Default)]
struct Link<'a> {
    name: &'a str,
    /// `up`, `down`, `going down`, `going back`.
    status: Option<&'a str>,
    mbit_per_s: Option<f64>,
    aggregator: Option<&'a str>,
}

impl Link<'_> {
    fn is_up(&self) -> bool {
        self.status == Some("up")
    }
}

/// The bonds and teams among these interfaces.
pub(super) fn bonds(names: &[&str], stack: &Stack, texts: &Texts, facts: &mut Facts) {
    for name in names {
        let text = text(name);
        match texts.get(&text) {
            // A damaged text is reported with all others.
            Ok(_) if texts.damaged(&text).is_some() => {}
            Ok(said) => facts.subjects.push(bond(name, said)),
            Err(why) => match bonded(texts, name).or_else(|| team(name, stack, texts)) {
                Some(members) => facts.subjects.push(by_state(name, &members, texts, &why)),
                // For other interfaces this text is not collected.
                None if why == NotKnown::NotCollected => {}
                None => facts.cannot_see(&[FactKind::Bond], &text, &why),
            },
        }
    }
}

pub(super) fn text(name: &str) -> String {
    format!("/proc/net/bonding/{name}")
}

/// The members of a team: several interfaces below one that is no bridge.
fn team(name: &str, stack: &Stack, texts: &Texts) -> Option<Vec<String>> {
    let kind = texts.get(&format!("{ALL}/{name}/uevent")).ok()?;
    let members = stack.below(name).filter(|below| below.len() > 1)?;
    let is_other = kind.lines().any(|line| line.starts_with("DEVTYPE="));
    (!is_other).then_some(members)
}

/// Facts of a bond whose members alone are known: how many of them are up.
fn by_state(name: &str, members: &[String], texts: &Texts, why: &NotKnown) -> FactSubject {
    let mut bond = FactSubject::new(FactKind::Bond, name);
    for fact in ["mode", "hash_policy", "hash", "speeds_differ", "aggregators_differ", "active_is_slower"] {
        match why {
            NotKnown::NotThere => bond.nothing(fact),
            why => bond.gap(fact, &text(name), why.clone()),
        }
    }
    bond.word("kind", "bundle");
    let state = |member: &String| texts.get(&format!("{ALL}/{member}/operstate")).map(str::trim);
    let down: Vec<&str> =
        members.iter().filter(|member| state(member) == Ok("down")).map(String::as_str).collect();
    links(&mut bond, members.len(), &down);
    bond
}

fn links(bond: &mut FactSubject, all: usize, down: &[&str]) {
    let text = text(&bond.name);
    bond.number("links", Some(all as f64), &text);
    bond.number("links_down", Some(down.len() as f64), &text);
    bond.number("links_up", Some((all - down.len()) as f64), &text);
    bond.word("down_links", if down.is_empty() { "none".to_owned() } else { down.join(", ") });
}

fn bond(name: &str, said: &str) -> FactSubject {
    let mut bond = FactSubject::new(FactKind::Bond, name);
    let text = text(name);
    let of_bond = |key: &str| {
        let head = said.lines().take_while(|line| !line.trim().starts_with("Slave Interface"));
        head.filter_map(|line| pair(line, ':')).find(|(found, _)| *found == key).map(|(_, value)| value)
    };
    let mode = of_bond("Bonding Mode").unwrap_or_default();
    bond.word("mode", mode);
    bond.word("kind", "bond");
    let mode = kind_of(mode);
    match of_bond("Transmit Hash Policy") {
        _ if !HASHING.contains(&mode) => ["hash_policy", "hash"].iter().for_each(|fact| bond.nothing(fact)),
        Some(policy) => {
            bond.word("hash_policy", policy);
            // In the form that commands use.
            bond.word("hash", policy.split(' ').next().unwrap_or(policy));
        }
        None => ["hash_policy", "hash"].iter().for_each(|fact| bond.gap(fact, &text, NotKnown::NotTold)),
    }
    let members = members(said);
    let down: Vec<&str> = members
        .iter()
        .filter(|link| link.status.is_some_and(|it| it != "up"))
        .map(|link| link.name)
        .collect();
    links(&mut bond, members.len(), &down);
    let up: Vec<&Link<'_>> = members.iter().filter(|link| link.is_up()).collect();
    let speeds: Vec<f64> = up.iter().filter_map(|link| link.mbit_per_s).collect();
    let do_differ = speeds.windows(2).any(|two| two[0] != two[1]);
    bond.yes_no("speeds_differ", do_differ && SHARING.contains(&mode));
    let groups: Vec<&str> = up.iter().filter_map(|link| link.aggregator).collect();
    bond.yes_no("aggregators_differ", groups.windows(2).any(|two| two[0] != two[1]));
    active(&mut bond, &up, of_bond("Currently Active Slave").unwrap_or_default(), mode);
    bond
}

/// The mode in one word, in the form that commands use.
fn kind_of(mode: &str) -> &str {
    let named = mode.rsplit_once('(').map(|(_, rest)| rest.trim_end_matches(')'));
    let by_words =
        MODE_WORDS.iter().find(|(words, _)| mode.eq_ignore_ascii_case(words)).map(|(_, kind)| *kind);
    by_words.unwrap_or(if mode.contains("802.3ad") { "802.3ad" } else { named.unwrap_or(mode) })
}

/// For links in standby mode, whether the slower one is active.
fn active(bond: &mut FactSubject, up: &[&Link<'_>], active: &str, mode: &str) {
    let text = text(&bond.name);
    if mode != "active-backup" {
        return bond.nothing("active_is_slower");
    }
    let of_active = up.iter().find(|link| link.name == active).and_then(|link| link.mbit_per_s);
    let fastest = up.iter().filter_map(|link| link.mbit_per_s).reduce(f64::max);
    bond.word("active_link", active);
    bond.number("active_mbit_per_s", of_active, &text);
    bond.number("fastest_mbit_per_s", fastest, &text);
    match of_active.zip(fastest) {
        Some((own, fastest)) => bond.yes_no("active_is_slower", own < fastest),
        None => bond.gap("active_is_slower", &text, NotKnown::NotTold),
    }
}

fn members(said: &str) -> Vec<Link<'_>> {
    let mut found: Vec<Link<'_>> = Vec::new();
    for (key, value) in said.lines().filter_map(|line| pair(line, ':')) {
        if key == "Slave Interface" {
            found.push(Link { name: value, ..Link::default() });
        }
        let Some(link) = found.last_mut() else { continue };
        match key {
            "MII Status" => link.status = Some(value),
            "Speed" => link.mbit_per_s = value.split_whitespace().next().and_then(speed_in).map(f64::from),
            "Aggregator ID" => link.aggregator = link.aggregator.or(Some(value)),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bond in this mode, with one entry for each of its links: status, speed, aggregator.
    fn told(mode: &str, head: &str, links: &[(&str, &str, &str)]) -> FactSubject {
        let mut said =
            format!("Ethernet Channel Bonding Driver: v6.1\n\nBonding Mode: {mode}\n{head}MII Status: up\n");
        for (at, (status, speed, group)) in links.iter().enumerate() {
            said += &format!(
                "\nSlave Interface: eno{at}\nMII Status: {status}\nSpeed: {speed}\nDuplex: full\nAggregator ID: {group}\n"
            );
        }
        bond("bond0", &said)
    }

    const LACP: &str = "IEEE 802.3ad Dynamic link aggregation";
    const FAST: (&str, &str, &str) = ("up", "10000 Mbps", "1");

    #[test]
    fn down_link_is_counted_and_its_speed_ignored() {
        let hash = "Transmit Hash Policy: layer2 (0)\n";
        for speed in ["Unknown", "-1 Mbps", "65535 Mbps", "4294967295 Mbps"] {
            let bond = told(LACP, hash, &[FAST, ("down", speed, "2")]);
            assert_eq!(bond.word_of("down_links"), Some("eno1"));
            assert_eq!(bond.number_of("links_up"), Some(1.0));
            let differ = ["speeds_differ", "aggregators_differ"].map(|fact| bond.word_of(fact));
            assert_eq!(differ, [Some("no"), Some("no")], "{speed}");
        }
        let slow = told(LACP, hash, &[FAST, ("up", "1000 Mbps", "2")]);
        let differ = ["speeds_differ", "aggregators_differ"].map(|fact| slow.word_of(fact));
        assert_eq!(differ, [Some("yes"), Some("yes")]);
        let going = told(LACP, hash, &[FAST, ("going down", "10000 Mbps", "1")]);
        assert_eq!(going.word_of("down_links"), Some("eno1"));
    }

    #[test]
    fn mode_without_hash_has_no_hash_fact_and_missing_line_is_unknown() {
        for (mode, head, hash) in [
            (LACP, "Transmit Hash Policy: layer3+4 (1)\n", Some("layer3+4 (1)")),
            (LACP, "", None),
            ("load balancing (xor)", "Transmit Hash Policy: layer2 (0)\n", Some("layer2 (0)")),
            ("fault-tolerance (active-backup)", "", None),
            ("adaptive load balancing", "Transmit Hash Policy: layer2 (0)\n", None),
            ("load balancing (round-robin)", "", None),
            ("fault-tolerance (broadcast)", "", None),
        ] {
            assert_eq!(told(mode, head, &[FAST]).word_of("hash_policy"), hash, "{mode}");
        }
    }

    #[test]
    fn standby_bond_reports_only_a_slower_active_link() {
        let mode = "fault-tolerance (active-backup)";
        let two = [FAST, ("up", "1000 Mbps", "")];
        for (head, slower) in [
            ("Currently Active Slave: eno0\n", Some("no")),
            ("Currently Active Slave: eno1\n", Some("yes")),
            ("Currently Active Slave: None\n", None),
        ] {
            let bond = told(mode, head, &two);
            assert_eq!(
                (bond.word_of("active_is_slower"), bond.word_of("speeds_differ")),
                (slower, Some("no"))
            );
        }
    }
}
