//! Systems on which network and disks are not inspected.

use super::Link;
use super::address::ServerAddress;
use crate::mount::Mount;

pub(super) fn route_to(server: &ServerAddress) -> Link {
    let through = server.interface.as_ref().map_or(String::new(), |name| format!(" through {name}"));
    Link::unknown(format!(
        "to {}{through}; Reelgauge does not inspect the network on this operating system",
        server.ip
    ))
}

pub(super) fn disk(mount: &Mount) -> Link {
    Link::unknown(format!(
        "{}; Reelgauge does not inspect the disks on this operating system",
        mount.description()
    ))
}

pub(super) fn is_last(_name: &str) -> bool {
    false
}

pub(super) fn cached_loop(_mount: &Mount) -> Option<String> {
    None
}
