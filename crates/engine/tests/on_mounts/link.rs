//! Real disks and network interfaces are distinguished: loop devices, and veth pairs and a bridge in a
//! separate network namespace.

use std::process::Command;

use reelgauge_machine::link::{self, Link, LinkKind};
use reelgauge_machine::mount::{Mount, MountKind};

use super::support::{Mounted, run};

/// Set if the process runs in the prepared namespace.
const INSIDE: &str = "REELGAUGE_TEST_IN_NAMESPACE";

#[test]
fn a_loop_device_names_its_file_and_memory_is_memory() {
    if let Some(mounted) = Mounted::image("ext4", "rw", 64) {
        let mount = Mount::at(mounted.path()).unwrap();
        let link = link::of(&mount);
        let LinkKind::Block { device, what, rotational: None } = &link.kind else {
            panic!("{link:?}");
        };
        assert_eq!(format!("/dev/{device}"), mount.source);
        let image = mounted.path().with_file_name("image");
        assert_eq!(*what, format!("a loop device backed by {}", image.display()));
        assert_eq!(link.sentence, format!("{device}, {what}"));
        assert_eq!(link.realistic_mb_per_s(), None);
    }
    if let Some(mounted) = Mounted::tmpfs("1m") {
        let link = link::of(&Mount::at(mounted.path()).unwrap());
        assert_eq!((link.kind, link.sentence.as_str()), (LinkKind::Memory, "memory of this client"));
    }
}

/// A network namespace, removed on drop.
struct Namespace(String);

impl Namespace {
    fn new() -> Option<Namespace> {
        let name = format!("reelgauge-link-{}", std::process::id());
        match Command::new("ip").args(["netns", "add", &name]).output() {
            Ok(made) if made.status.success() => Some(Namespace(name)),
            other => {
                eprintln!("skipped: no network namespace can be made ({other:?})");
                None
            }
        }
    }

    fn ip(&self, arguments: &str) {
        let arguments: Vec<&str> = ["-n", &self.0].into_iter().chain(arguments.split(' ')).collect();
        run("ip", &arguments);
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["netns", "del", &self.0]).output();
    }
}

#[test]
fn the_route_to_a_server_is_found() {
    let Some(namespace) = Namespace::new() else {
        return;
    };
    namespace.ip("link set lo up");
    for (pair, address) in [("v0", "10.78.1.1/24"), ("v1", "fd78::1/64")] {
        namespace.ip(&format!("link add {pair} mtu 9000 type veth peer name {pair}p"));
        namespace.ip(&format!("link set {pair}p up"));
        namespace.ip(&format!("addr add {address} dev {pair}"));
        namespace.ip(&format!("link set {pair} up"));
    }
    namespace.ip("link add br0 type bridge");
    namespace.ip("link set v1p master br0");
    namespace.ip("link set br0 mtu 1400");
    namespace.ip("addr add 10.78.2.1/24 dev br0");
    namespace.ip("link set br0 up");
    namespace.ip("route add default via 10.78.2.9");
    // `ip netns exec` also shows the namespace's interfaces in /sys.
    let inside = Command::new("ip")
        .args(["netns", "exec", &namespace.0])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "link::inside_the_namespace", "--nocapture"])
        .env(INSIDE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&inside.stdout).into_owned();
    assert!(inside.status.success() && said.contains("1 passed"), "{said}{inside:?}");
}

/// The network link to a server with this address.
fn to_server(address: &str) -> Link {
    link::of(&Mount {
        fs_type: "nfs4".to_owned(),
        source: "nas1:/tank".to_owned(),
        mount_point: "/mnt".into(),
        options: vec![format!("addr={address}")],
        kind: MountKind::Network,
        server: Some("nas1".to_owned()),
        protocol_version: None,
    })
}

#[test]
fn inside_the_namespace() {
    // The second half of the test above, which starts it in a prepared namespace.
    if std::env::var_os(INSIDE).is_none() {
        return;
    }
    let mut found = Vec::new();
    for address in ["10.78.1.2", "fd78::2", "10.78.2.7", "192.0.2.1", "10.78.1.1"] {
        let link = to_server(address);
        // A veth pair claims 10 Gbit/s, whatever the medium.
        assert_eq!(link.realistic_mb_per_s(), None, "{link:?}");
        let LinkKind::Network { interface, speed_mbit_per_s: None, mtu_bytes, is_this_machine, .. } =
            link.kind
        else {
            panic!("{link:?}");
        };
        found.push((interface, mtu_bytes, is_this_machine));
    }
    let names: Vec<&str> = found.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["v0", "v1", "br0", "br0", "v0"]);
    assert_eq!(found[0].1, Some(9000));
    assert_eq!(found[2].1, Some(1400));
    assert_eq!(
        found.iter().map(|(.., here)| *here).collect::<Vec<bool>>(),
        [false, false, false, false, true]
    );
    let unreachable = to_server("fd99::1");
    assert_eq!(unreachable.kind, LinkKind::Unknown, "{unreachable:?}");
}
