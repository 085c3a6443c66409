//! A network of two hosts, each a network namespace, with a link of limited speed between them.
//!
//! Programs are started with `nsenter --net`. `ip netns exec` would also create a mount namespace for
//! them, and no other process would see what they mount.

use std::path::Path;
use std::process::Command;

use crate::daemon::Daemon;
use crate::needs::Need;
use crate::programs::{tool, tool_with};
use crate::scratch::{Scratch, unique_name};

/// The server's address. It is the same in every link, because each link has separate namespaces.
pub const SERVER: &str = "10.78.0.2";

/// The client's address.
pub const CLIENT: &str = "10.78.0.1";

/// The requirements of [`Link::far`].
pub const NEEDS_FAR: &[Need] =
    &[Need::Root, Need::Tun, Need::Tool("ip"), Need::Tool("nsenter"), Need::SystemPython("fcntl")];

/// Two hosts and the link between them. Removed on drop.
#[derive(Debug)]
pub struct Link {
    server: Namespace,
    client: Namespace,
    /// The switch between them, if any.
    _switch: Option<Namespace>,
    /// The process that forwards the packets of a far link.
    line: Option<(Daemon, Scratch)>,
}

impl Link {
    /// A link of this many Mbit/s in each direction.
    ///
    /// # Panics
    /// If it cannot be set up.
    pub fn new(mbit: u32) -> Link {
        let (server, client) = (Namespace::new(), Namespace::new());
        let (s, c) = (&server.0, &client.0);
        tool(&format!("ip link add v0 netns {c} type veth peer name v0 netns {s}"));
        for (namespace, address) in [(s, SERVER), (c, CLIENT)] {
            tool(&format!("ip -n {namespace} addr add {address}/24 dev v0"));
            tool(&format!("ip -n {namespace} link set v0 up"));
            keep_in_order(namespace, "v0");
            tool(&format!(
                "tc -n {namespace} qdisc replace dev v0 root tbf rate {mbit}mbit burst 256kb latency 20ms"
            ));
        }
        Link { server, client, _switch: None, line: None }
    }

    /// A link on which every packet takes this long in each direction, and so many of a thousand are
    /// lost. A Python program forwards the packets, which limits the speed to a few hundred MB/s.
    ///
    /// # Panics
    /// If it cannot be set up.
    pub fn far(delay_us: u32, lost_of_a_thousand: u32) -> Link {
        let (server, client, scratch) = (Namespace::new(), Namespace::new(), Scratch::new());
        let (ours, theirs) = (format!("c{}", client.number()), format!("s{}", client.number()));
        let mut line = Command::new("/usr/bin/python3");
        line.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("python/delay_line.py"));
        line.args([&ours, &theirs, &delay_us.to_string(), &lost_of_a_thousand.to_string()]);
        let there = |name: &str| Path::new("/sys/class/net").join(name).exists();
        let line =
            Daemon::start(&mut line, &scratch.path().join("line.log"), || there(&ours) && there(&theirs));
        for (namespace, address, tap) in [(&server.0, SERVER, theirs), (&client.0, CLIENT, ours)] {
            tool(&format!("ip link set {tap} netns {namespace}"));
            tool(&format!("ip -n {namespace} link set {tap} name v0 mtu 9000 txqueuelen 20000 up"));
            tool(&format!("ip -n {namespace} addr add {address}/24 dev v0"));
        }
        Link { server, client, _switch: None, line: Some((line, scratch)) }
    }

    /// A link through a switch: a fast port to the server, and a port of this many Mbit/s to the client
    /// with so many bytes of buffer. Every packet is as long as it would be on a wire.
    ///
    /// # Panics
    /// If it cannot be set up.
    pub fn switched(mbit: u32, buffer_bytes: u32, mtu_bytes: u32) -> Link {
        let (server, client, switch) = (Namespace::new(), Namespace::new(), Namespace::new());
        let w = switch.0.clone();
        tool(&format!("ip -n {w} link add br0 type bridge"));
        for (namespace, address, port) in [(&server.0, SERVER, "ps"), (&client.0, CLIENT, "pc")] {
            tool(&format!("ip link add v0 netns {namespace} type veth peer name {port} netns {w}"));
            tool(&format!("ip -n {namespace} link set v0 mtu {mtu_bytes} gso_max_segs 1 up"));
            tool(&format!("ip -n {namespace} addr add {address}/24 dev v0"));
            tool(&format!("ip -n {w} link set {port} mtu {mtu_bytes} master br0"));
            tool(&format!("ip -n {w} link set {port} up"));
            keep_in_order(namespace, "v0");
            keep_in_order(&w, port);
        }
        tool(&format!("ip -n {w} link set br0 up"));
        tool(&format!("tc -n {w} qdisc add dev pc root tbf rate {mbit}mbit burst 20kb limit {buffer_bytes}"));
        Link { server, client, _switch: Some(switch), line: None }
    }

    /// From now on the path drops packets that are longer than Ethernet's usual ones.
    ///
    /// # Panics
    /// If this is not a far link.
    pub fn swallow_long_packets(&self) {
        self.tell_line("USR1");
    }

    /// From now on no packet passes.
    ///
    /// # Panics
    /// If this is not a far link.
    pub fn cut(&self) {
        self.tell_line("USR2");
    }

    fn tell_line(&self, signal: &str) {
        let (line, _) = self.line.as_ref().expect("only a long link has a line that can be told something");
        tool(&format!("kill -{signal} {}", line.pid()));
    }

    /// Sets a network sysctl on both hosts: `net.ipv4.tcp_window_scaling=0`.
    ///
    /// # Panics
    /// If the kernel refuses it.
    pub fn set_on_both(&self, setting: &str) {
        for mut host in [self.on_server("sysctl"), self.on_client("sysctl")] {
            let output = host.args(["-q", "-w", setting]).output().unwrap();
            assert!(output.status.success(), "{setting}: {}", String::from_utf8_lossy(&output.stderr));
        }
    }

    /// Puts the client's side of the link behind a bridge, next to a tap device of this name for a virtual
    /// machine. The machine shares the client's link to the server.
    ///
    /// # Panics
    /// If it cannot be set up.
    pub fn add_tap(&self, tap: &str) {
        let c = &self.client.0;
        tool(&format!("ip -n {c} addr flush dev v0"));
        tool(&format!("ip -n {c} link add br0 type bridge"));
        tool(&format!("ip -n {c} tuntap add dev {tap} mode tap"));
        for port in ["v0", tap] {
            tool(&format!("ip -n {c} link set {port} master br0"));
            tool(&format!("ip -n {c} link set {port} up"));
        }
        tool(&format!("ip -n {c} addr add {CLIENT}/24 dev br0"));
        tool(&format!("ip -n {c} link set br0 up"));
    }

    /// Renames the client's interface. Call it before anything uses the link.
    ///
    /// # Panics
    /// If the kernel refuses it.
    #[must_use]
    pub fn named_on_client(self, name: &str) -> Link {
        let c = &self.client.0;
        for change in ["down", &format!("name {name}")] {
            tool(&format!("ip -n {c} link set v0 {change}"));
        }
        tool(&format!("ip -n {c} link set {name} up"));
        self
    }

    /// Sets the server's end of the cable up or down, which changes the link state of both ends.
    ///
    /// # Panics
    /// If the kernel refuses it.
    pub fn set_up(&self, is_up: bool) {
        let (server, state) = (&self.server.0, if is_up { "up" } else { "down" });
        tool(&format!("ip -n {server} link set v0 {state}"));
    }

    /// A shell command that sets another speed on the server's side, in Mbit/s.
    pub fn set_server_speed(&self, mbit: u32) -> String {
        let server = &self.server.0;
        format!("tc -n {server} qdisc change dev v0 root tbf rate {mbit}mbit burst 256kb latency 20ms")
    }

    /// Makes both hosts fill queues as most servers do, whatever the local host's congestion control is
    /// (BBR keeps queues empty).
    ///
    /// # Panics
    /// If the kernel refuses it.
    #[must_use]
    pub fn filling_queues(self) -> Link {
        self.set_on_both("net.ipv4.tcp_congestion_control=reno");
        self
    }

    /// The name of the client's interface, for programs that take one.
    pub fn client_name(&self) -> &str {
        &self.client.0
    }

    /// The name of the server's interface.
    pub fn server_name(&self) -> &str {
        &self.server.0
    }

    /// A command that runs on the server's side.
    pub fn on_server(&self, program: &str) -> Command {
        self.server.command(program)
    }

    /// A command that runs on the client's side.
    pub fn on_client(&self, program: &str) -> Command {
        self.client.command(program)
    }

    /// Whether something on the server listens on this TCP port.
    pub fn server_listens(&self, port: u16) -> bool {
        let listing = self
            .on_server("ss")
            .args(["-H", "-l", "-n", "-t", "sport", "="])
            .arg(format!(":{port}"))
            .output();
        listing.is_ok_and(|output| !output.stdout.is_empty())
    }
}

/// Makes one processor receive all packets of a connection at this end of a virtual cable. Otherwise
/// packets wait in the queue of the processor that sent them and overtake each other, which no real
/// cable allows.
pub(crate) fn keep_in_order(namespace: &str, device: &str) {
    let processors = std::thread::available_parallelism().map_or(1, usize::from).min(32);
    let mask = (1_u64 << processors) - 1;
    let set = format!("echo {mask:x} > /sys/class/net/{device}/queues/rx-0/rps_cpus");
    // Only a new mount of /sys shows the namespace's devices.
    tool_with(&["ip", "netns", "exec", namespace, "sh", "-c", &set]).unwrap();
}

/// A network namespace, removed on drop.
#[derive(Debug)]
pub(crate) struct Namespace(pub(crate) String);

impl Namespace {
    pub(crate) fn new() -> Namespace {
        let name = unique_name();
        tool(&format!("ip netns add {name}"));
        let namespace = Namespace(name);
        tool(&format!("ip -n {} link set lo up", namespace.0));
        namespace
    }

    /// A short suffix, unique for each namespace, for the names of devices.
    pub(crate) fn number(&self) -> String {
        let digits: String = self.0.chars().filter(char::is_ascii_digit).collect();
        let from = digits.len().saturating_sub(12);
        digits[from..].to_owned()
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/run/netns/{}", self.0)).arg(program);
        command
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = tool_with(&["ip", "netns", "del", &self.0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::needs::Need;
    use crate::require;

    #[test]
    fn the_hosts_reach_each_other_and_are_removed() {
        require!(Need::Root, Need::Tool("ip"), Need::Tool("tc"), Need::Tool("nsenter"));
        let link = Link::new(100);
        let names = [link.server.0.clone(), link.client.0.clone()];
        // A closed port answers at once with "refused": the packets go there and back.
        let there =
            link.on_client("bash").args(["-c", &format!("exec 3<>/dev/tcp/{SERVER}/9")]).output().unwrap();
        let said = String::from_utf8_lossy(&there.stderr);
        assert!(said.contains("refused"), "{said}");
        assert!(!link.server_listens(22));
        drop(link);
        for name in names {
            assert!(!Path::new("/run/netns").join(name).exists());
        }
    }
}
