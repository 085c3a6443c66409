//! Systems on which network and disks are not inspected.

use crate::link::Link;
#[cfg(not(any(target_vendor = "apple", windows)))]
use crate::link::address::ServerAddress;
use crate::mount::Mount;

#[cfg(not(any(target_vendor = "apple", windows)))]
pub(in crate::link) fn route_to(server: &ServerAddress) -> Link {
    let through = server.interface.as_ref().map_or(String::new(), |name| format!(" through {name}"));
    Link::unknown(format!(
        "to {}{through}; Reelgauge does not inspect the network on this operating system",
        server.ip
    ))
}

pub(in crate::link) fn disk(mount: &Mount) -> Link {
    Link::unknown(format!(
        "{}; Reelgauge does not inspect the disks on this operating system",
        mount.description()
    ))
}

pub(in crate::link) fn is_last(_name: &str) -> bool {
    false
}

pub(in crate::link) fn cached_loop(_mount: &Mount) -> Option<String> {
    None
}
