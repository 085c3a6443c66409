//! The layers of network interfaces: a VLAN of a bond, a bond of cards, a bridge of ports.
//!
//! Rings, queues and offloads are those of the cards at the bottom. The layers are found by the links
//! `lower_…` in an interface's directory in `/sys/class/net` (`netdev_adjacent_sysfs_add` in the
//! kernel's `net/core/dev.c`), by `/proc/net/bonding` (`drivers/net/bonding/bond_procfs.c`), by
//! `/proc/net/vlan/config` (`net/8021q/vlanproc.c`), or by the name of a VLAN, `eth0.100`.

use std::collections::{BTreeMap, BTreeSet};

use crate::interface::ALL;
use crate::texts::{NotKnown, Texts};

const VLANS: &str = "/proc/net/vlan/config";
/// Prefixes of interfaces that consist of others; by its name alone, such an interface is no card.
const MADE_OF_OTHERS: [&str; 11] =
    ["bond", "br", "team", "vlan", "vmbr", "virbr", "docker", "tun", "tap", "wg", "ppp"];

/// Every interface of a host, with the layer directly below it.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    /// Empty below a card; `None` if no text shows the layer.
    below: BTreeMap<String, Option<Vec<String>>>,
}

impl Stack {
    pub(super) fn of(texts: &Texts) -> Stack {
        let names = texts.get(ALL).unwrap_or_default().split_whitespace();
        Stack { below: names.map(|name| (name.to_owned(), right_below(texts, name))).collect() }
    }

    /// The layer directly below an interface: empty if it is a card, `None` if it is unknown.
    pub fn below(&self, name: &str) -> Option<Vec<String>> {
        match (self.below.get(name), name.rsplit_once('.')) {
            (Some(Some(below)), _) => Some(below.clone()),
            // `eth0.100` is a VLAN on `eth0`, even if the list does not contain it.
            (_, Some((parent, _))) => Some(vec![parent.to_owned()]),
            _ => None,
        }
    }

    /// An interface and everything below it, the cards last; `None` if a part is unknown.
    pub fn whole(&self, name: &str) -> Option<Vec<String>> {
        let mut found: Vec<String> = Vec::new();
        let mut seen = BTreeSet::from([name.to_owned()]);
        let mut open = std::collections::VecDeque::from([name.to_owned()]);
        while let Some(next) = open.pop_front() {
            let below = self.below(&next)?;
            open.extend(below.into_iter().filter(|name| seen.insert(name.clone())));
            found.push(next);
        }
        Some(found)
    }

    /// The cards below an interface, or itself if it is one.
    pub(super) fn cards(&self, name: &str) -> Option<Vec<String>> {
        let whole = self.whole(name)?;
        Some(
            whole.into_iter().filter(|name| self.below(name).is_some_and(|below| below.is_empty())).collect(),
        )
    }
}

fn right_below(texts: &Texts, name: &str) -> Option<Vec<String>> {
    let folder = format!("{ALL}/{name}");
    let linked = texts.get(&folder).ok().map(|entries| {
        let lower = entries.split_whitespace().filter_map(|entry| entry.strip_prefix("lower_"));
        lower.map(str::to_owned).collect::<Vec<_>>()
    });
    if let Some(below) = linked.filter(|below| !below.is_empty()) {
        return Some(below);
    }
    if let Some(members) = bonded(texts, name) {
        return Some(members);
    }
    if let Some(parent) = texts.get(VLANS).ok().and_then(|said| vlan_parent(said, name)) {
        return Some(vec![parent.to_owned()]);
    }
    if let Some((parent, _)) = name.rsplit_once('.') {
        return Some(vec![parent.to_owned()]);
    }
    match texts.get(&format!("{folder}/device/uevent")) {
        Ok(_) => Some(Vec::new()),
        Err(NotKnown::NotThere) => None,
        Err(_) if MADE_OF_OTHERS.iter().any(|kind| name.starts_with(kind)) => None,
        // A directory from which that file was not collected has cards as well.
        Err(_) => Some(Vec::new()),
    }
}

/// The members of a bond.
pub(super) fn bonded(texts: &Texts, name: &str) -> Option<Vec<String>> {
    let by_driver = texts.get(&format!("/proc/net/bonding/{name}")).ok().map(|said| {
        let slaves = said.lines().filter_map(|line| line.trim().strip_prefix("Slave Interface:"));
        slaves.map(|slave| slave.trim().to_owned()).collect::<Vec<_>>()
    });
    by_driver.or_else(|| {
        let slaves = texts.get(&format!("{ALL}/{name}/bonding/slaves")).ok()?;
        Some(slaves.split_whitespace().map(str::to_owned).collect())
    })
}

/// `bond0.20  | 20  | bond0`.
fn vlan_parent<'a>(said: &'a str, name: &str) -> Option<&'a str> {
    said.lines().find_map(|line| {
        let mut columns = line.split('|').map(str::trim);
        (columns.next() == Some(name)).then(|| columns.nth(1))?.filter(|parent| !parent.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(texts: &[(&str, &str)]) -> Stack {
        let mut all = Texts::default();
        texts.iter().for_each(|(name, text)| all.put(*name, Ok((*text).to_owned())));
        Stack::of(&all)
    }

    #[test]
    fn vlan_over_a_bond_uses_the_cards_of_the_bond() {
        let stack = stack(&[
            (ALL, "bond0\nbond0.20\neno1\neno2\nlo"),
            (
                "/proc/net/bonding/bond0",
                "Bonding Mode: x\nSlave Interface: eno1\nMII Status: up\nSlave Interface: eno2\n",
            ),
        ]);
        assert_eq!(stack.whole("bond0.20").unwrap_or_default(), ["bond0.20", "bond0", "eno1", "eno2"]);
        assert_eq!(stack.cards("bond0.20").unwrap_or_default(), ["eno1", "eno2"]);
        assert_eq!(stack.cards("eno1").unwrap_or_default(), ["eno1"]);
        assert_eq!(stack.whole("br0"), None);
    }

    #[test]
    fn kernel_links_identify_bridges_teams_and_vlans_by_type() {
        let stack = stack(&[
            (ALL, "br0 team0 storage eno1 eno2 eno3 wg0"),
            ("/sys/class/net/br0", "addr_len\nlower_team0\nlower_tap3\nmtu\n"),
            ("/sys/class/net/team0", "lower_eno1\nlower_eno2\n"),
            (VLANS, "VLAN Dev name    | VLAN ID\nName-Type: X\nstorage | 30 | eno3\n"),
        ]);
        assert_eq!(stack.whole("br0"), None, "where the tap leads nobody knows");
        assert_eq!(stack.cards("team0").unwrap_or_default(), ["eno1", "eno2"]);
        assert_eq!(stack.cards("storage").unwrap_or_default(), ["eno3"]);
        assert_eq!(stack.cards("wg0"), None);
    }

    #[test]
    fn interfaces_that_are_made_of_each_other_end() {
        let stack =
            stack(&[(ALL, "a b"), ("/sys/class/net/a", "lower_b\n"), ("/sys/class/net/b", "lower_a\n")]);
        assert_eq!(stack.whole("a").unwrap_or_default(), ["a", "b"]);
        assert_eq!(stack.cards("a").unwrap_or_default(), [""; 0]);
    }
}
