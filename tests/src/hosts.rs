//! Hosts on one switch, each a network namespace with an address and a line.
//!
//! Two hosts with devices between them are in [`crate::link`].

use std::process::Command;

use crate::link::{Namespace, keep_in_order};
use crate::needs::Need;
use crate::programs::tool;

/// The requirements of [`Hosts::new`].
pub const NEEDS: &[Need] = &[Need::Root, Need::Tool("ip"), Need::Tool("tc"), Need::Tool("nsenter")];

/// Up to this speed, the queue of a line handles single packets, as that of a real line does. Virtual
/// cables carry bursts of 64 KiB whole. A queue of 20 ms then holds six, and each drop loses 45 packets.
/// On faster lines, handling single packets would cost the host too much.
const PACKETS_UP_TO_MBIT: u32 = 100;

/// The hosts. Removed on drop.
#[derive(Debug)]
pub struct Hosts {
    hosts: Vec<(String, Namespace)>,
    _switch: Namespace,
}

impl Hosts {
    /// Hosts with lines of so many Mbit/s in each direction.
    ///
    /// # Panics
    /// If they cannot be set up.
    pub fn new(lines: &[(&str, u32)]) -> Hosts {
        let switch = Namespace::new();
        let w = &switch.0;
        tool(&format!("ip -n {w} link add br0 type bridge"));
        tool(&format!("ip -n {w} link set br0 up"));
        let mut hosts = Vec::new();
        for (at, (name, mbit)) in lines.iter().enumerate() {
            let host = Namespace::new();
            let n = &host.0;
            tool(&format!("ip link add v0 netns {n} type veth peer name p{at} netns {w}"));
            tool(&format!("ip -n {n} addr add {}/24 dev v0", address(at)));
            tool(&format!("ip -n {n} link set v0 up"));
            tool(&format!("ip -n {w} link set p{at} master br0 up"));
            for (namespace, device) in [(n, "v0"), (w, &*format!("p{at}"))] {
                keep_in_order(namespace, device);
                if *mbit <= PACKETS_UP_TO_MBIT {
                    tool(&format!("ip -n {namespace} link set {device} gso_max_segs 1"));
                }
                tool(&format!(
                    "tc -n {namespace} qdisc replace dev {device} root tbf rate {mbit}mbit burst 256kb latency 20ms"
                ));
            }
            hosts.push(((*name).to_owned(), host));
        }
        Hosts { hosts, _switch: switch }
    }

    /// The address of a host on the switch.
    ///
    /// # Panics
    /// If there is no such host.
    pub fn address(&self, name: &str) -> String {
        address(self.hosts.iter().position(|(other, _)| other == name).unwrap())
    }

    /// Adds an address to a host that can move to another host.
    ///
    /// # Panics
    /// If there is no such host, or it is refused.
    pub fn add_address(&self, name: &str, address: &str) {
        tool(&format!("ip -n {} addr add {address}/24 dev v0", self.namespace(name)));
    }

    /// A shell command that moves an address from one host to another and announces it there, as a
    /// cluster does. The host sends an ARP request by broadcast, so that all hosts that know the address
    /// learn its new place.
    ///
    /// # Panics
    /// If there is no such host.
    pub fn moving(&self, address: &str, from: &str, to: &str) -> String {
        let (from_namespace, to_namespace, asked) =
            (self.namespace(from), self.namespace(to), self.address(from));
        format!(
            "ip -n {from_namespace} addr del {address}/24 dev v0 && \
             ip -n {to_namespace} addr add {address}/24 dev v0 && ip -n {to_namespace} neigh flush dev v0 && \
             nsenter --net=/run/netns/{to_namespace} python3 -c \"import socket; \
             s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(('{address}', 0)); \
             s.sendto(b'', ('{asked}', 9))\""
        )
    }

    fn namespace(&self, name: &str) -> &str {
        &self.hosts.iter().find(|(other, _)| other == name).unwrap().1.0
    }

    /// A command that runs on a host.
    ///
    /// # Panics
    /// If there is no such host.
    pub fn command(&self, name: &str, program: &str) -> Command {
        self.hosts.iter().find(|(other, _)| other == name).unwrap().1.command(program)
    }
}

fn address(at: usize) -> String {
    format!("10.78.1.{}", at + 1)
}
