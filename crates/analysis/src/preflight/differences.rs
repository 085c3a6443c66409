//! Finds hosts of a group that are configured differently from most of them. Pure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Mount options that always differ: owners, server addresses, random numbers.
const OWN_OPTIONS: [&str; 9] =
    ["addr", "clientaddr", "mountaddr", "mountport", "fd", "username", "user_id", "group_id", "srcaddr"];

/// The compared properties of hosts, in the order in which they are shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostTrait {
    /// The version of Reelgauge.
    Version,
    Os,
    Kernel,
    /// The driver of the network interface.
    Driver,
    MtuBytes,
    /// The speed of the link in Mbit/s.
    LinkMbitPerS,
    /// The type of the file system.
    MountType,
    /// An option of the mount.
    MountOption(String),
}

/// The reported properties of a host. Properties that it does not report are omitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostTraits {
    /// The agent on it.
    pub agent: String,
    pub group: Option<String>,
    /// Its properties. An empty text means that an option is set and has no value.
    pub traits: BTreeMap<HostTrait, String>,
    /// Whether its mount options are known: if so, options that are missing here are not set.
    pub knows_mount: bool,
}

impl HostTraits {
    /// Adds the mount options, in the kernel's format.
    pub fn take_options(&mut self, options: &str) {
        self.knows_mount = true;
        for option in options.split(',').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            if !OWN_OPTIONS.contains(&name) {
                self.traits.insert(HostTrait::MountOption(name.to_owned()), value.to_owned());
            }
        }
    }
}

/// The value of one host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostValue {
    /// The agent on it.
    pub agent: String,
    /// The value; `None` for an option that is not set.
    pub value: Option<String>,
}

/// A difference between the hosts of one group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    pub group: Option<String>,
    pub what: HostTrait,
    /// The value of most hosts. If no value has a majority, all hosts are listed.
    pub usual: Option<HostUsual>,
    /// The hosts with another value.
    pub agents: Vec<HostValue>,
}

/// The value of most hosts of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostUsual {
    /// The value; `None` for an option that is not set.
    pub value: Option<String>,
    /// The number of hosts with it.
    pub hosts: u64,
}

/// The hosts that differ from their siblings, group by group; differences of most hosts come last.
pub fn differences(hosts: &[HostTraits]) -> Vec<Difference> {
    let mut groups: Vec<&Option<String>> = Vec::new();
    for host in hosts {
        if !groups.contains(&&host.group) {
            groups.push(&host.group);
        }
    }
    let mut found = Vec::new();
    for group in groups {
        let members: Vec<&HostTraits> = hosts.iter().filter(|host| host.group == *group).collect();
        let mut all: Vec<&HostTrait> = members.iter().flat_map(|host| host.traits.keys()).collect();
        all.sort();
        all.dedup();
        found.extend(all.into_iter().filter_map(|what| difference(group, what, &members)));
    }
    // A single different host comes first.
    found.sort_by_key(|difference| (difference.usual.is_none(), difference.agents.len()));
    found
}

fn difference(group: &Option<String>, what: &HostTrait, members: &[&HostTraits]) -> Option<Difference> {
    let is_option = matches!(what, HostTrait::MountOption(_));
    let told = |host: &&&HostTraits| host.traits.contains_key(what) || (is_option && host.knows_mount);
    let values: Vec<HostValue> = members
        .iter()
        .filter(told)
        .map(|host| HostValue { agent: host.agent.clone(), value: host.traits.get(what).cloned() })
        .collect();
    let mut counts: BTreeMap<&Option<String>, u64> = BTreeMap::new();
    for value in &values {
        *counts.entry(&value.value).or_default() += 1;
    }
    if counts.len() < 2 {
        return None;
    }
    let most = counts.iter().find(|(_, count)| **count * 2 > values.len() as u64);
    let usual = most.map(|(value, hosts)| HostUsual { value: (*value).clone(), hosts: *hosts });
    let is_other = |value: &HostValue| usual.as_ref().is_none_or(|usual| usual.value != value.value);
    let agents = values.iter().filter(|value| is_other(value)).cloned().collect();
    Some(Difference { group: group.clone(), what: what.clone(), usual, agents })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn host(agent: &str, group: &str, mtu: &str, options: Option<&str>) -> HostTraits {
        let mut host =
            HostTraits { agent: agent.to_owned(), group: Some(group.to_owned()), ..HostTraits::default() };
        host.traits.insert(HostTrait::MtuBytes, mtu.to_owned());
        if let Some(options) = options {
            host.take_options(options);
        }
        host
    }

    fn names(difference: &Difference) -> Vec<&str> {
        difference.agents.iter().map(|value| value.agent.as_str()).collect()
    }

    #[test]
    fn differing_host_is_named_with_the_majority_value() {
        let hosts = [
            host("a", "edit", "9000", Some("rw,vers=3.1.1,addr=10.0.0.1")),
            host("b", "edit", "1500", Some("rw,vers=3.1.1,addr=10.0.0.2")),
            host("c", "edit", "9000", Some("rw,vers=3.0,nconnect=8")),
        ];
        let found = differences(&hosts);
        assert_eq!(found.len(), 3, "{found:#?}");
        let of = |what: HostTrait| found.iter().find(|difference| difference.what == what).unwrap();
        let mtu = of(HostTrait::MtuBytes);
        assert_eq!(names(mtu), ["b"]);
        assert_eq!(mtu.usual, Some(HostUsual { value: Some("9000".to_owned()), hosts: 2 }));
        let nconnect = of(HostTrait::MountOption("nconnect".to_owned()));
        assert_eq!(names(nconnect), ["c"]);
        assert_eq!(nconnect.usual, Some(HostUsual { value: None, hosts: 2 }), "most have it not set");
        assert_eq!(names(of(HostTrait::MountOption("vers".to_owned()))), ["c"]);
    }

    #[test]
    fn groups_are_compared_within_themselves_and_alike_is_no_difference() {
        let hosts = [
            host("a", "edit", "9000", None),
            host("b", "edit", "9000", None),
            host("c", "ingest", "1500", None),
            host("d", "ingest", "1500", None),
        ];
        assert_eq!(differences(&hosts), []);
        assert_eq!(differences(&[]), []);
    }

    #[test]
    fn all_hosts_are_named_if_no_value_has_a_majority() {
        let found = differences(&[host("a", "x", "9000", None), host("b", "x", "1500", None)]);
        assert_eq!((found[0].usual.clone(), names(&found[0])), (None, vec!["a", "b"]));
    }

    #[test]
    fn unknown_property_of_a_host_is_no_difference() {
        let mut silent = host("c", "x", "9000", None);
        silent.traits.clear();
        let all = [host("a", "x", "9000", Some("rw")), host("b", "x", "9000", Some("rw")), silent];
        assert_eq!(differences(&all), []);
    }
}
