//! Routes, interfaces and disks on Linux: `/proc/net` and `/sys`.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::PathBuf;

use super::address::ServerAddress;
use super::{Link, LinkKind, disk};
use crate::interface;
use crate::mount::Mount;
use crate::route::{self, TABLE_V4, TABLE_V6};
use crate::source::Host;
use crate::{devices, mountinfo};

/// The link to a server.
pub(super) fn route_to(server: &ServerAddress) -> Link {
    let Some(name) = interface_to(server).filter(|name| is_plain(name)) else {
        return Link::no_route(server.ip);
    };
    let interface = interface::read(&Host::here(), &name);
    Link::network(name, &interface, server.ip)
}

/// Whether an interface has no other interface of the host below it.
pub(super) fn is_last(name: &str) -> bool {
    is_plain(name) && interface::is_last(&Host::here(), name)
}

/// An interface's name is a file name; the value of a mount option may be anything.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains('/') && name != "." && name != ".."
}

fn interface_to(server: &ServerAddress) -> Option<String> {
    if server.interface.is_some() {
        return server.interface.clone();
    }
    let [v4, v6] = [TABLE_V4, TABLE_V6].map(|table| fs::read_to_string(table).unwrap_or_default());
    route::to(&v4, &v6, server.ip).map(|route| route.interface.to_owned())
}

/// The disk below a mount.
pub(super) fn disk(mount: &Mount) -> Link {
    let dir = device_dir(mount).and_then(|dir| fs::canonicalize(dir).ok());
    let Some(disk) = dir.as_deref().and_then(disk::read) else {
        let why = format!("unknown disks below {}", mount.description());
        return Link::unknown(why);
    };
    let sentence = format!("{}, {}", disk.device, disk.what);
    let kind = LinkKind::Block { device: disk.device, what: disk.what, rotational: disk.rotational };
    Link { kind, sentence }
}

/// The loop device below a mount that goes through the cache.
pub(super) fn cached_loop(mount: &Mount) -> Option<String> {
    let mounts = mountinfo::here().ok()?;
    let name = devices::cached_loop(&Host::here(), &mounts, &mount.mount_point)?;
    is_on_a_disk(&name).then_some(name)
}

/// Whether a loop device's file is on a disk of the host whose reads are counted. A file behind a
/// program or a server may be slow for any reason, and no counter below the loop device would show it.
fn is_on_a_disk(name: &str) -> bool {
    let file = fs::read_to_string(format!("/sys/block/{name}/loop/backing_file"));
    let about = file.ok().and_then(|file| fs::metadata(file.trim_end_matches('\n')).ok());
    about.is_some_and(|about| rustix::fs::major(about.dev()) != 0)
}

/// The directory of a mount's device: by the mounted device, otherwise (for names like `/dev/root`,
/// which exist only in the kernel) by the device number of the files.
fn device_dir(mount: &Mount) -> Option<PathBuf> {
    let dir = |number: u64| {
        let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
        let dir = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
        dir.exists().then_some(dir)
    };
    let named = || {
        let device = fs::metadata(&mount.source).ok().filter(|_| mount.source.starts_with("/dev/"))?;
        dir(device.rdev()).filter(|_| device.file_type().is_block_device())
    };
    named().or_else(|| dir(fs::metadata(&mount.mount_point).ok()?.dev()))
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    #[test]
    fn local_server_is_recognized() {
        let here = route_to(&ServerAddress { ip: Ipv4Addr::LOCALHOST.into(), interface: None });
        let LinkKind::Network { interface, is_this_machine: true, .. } = &here.kind else {
            panic!("{here:?}");
        };
        assert_eq!(interface, "lo");
        assert_eq!(here.realistic_mb_per_s(), None);
    }

    #[test]
    fn interface_names_with_path_parts_are_refused() {
        for name in ["", "..", "../../etc", "."] {
            let server = ServerAddress { ip: IpAddr::from([10, 0, 0, 2]), interface: Some(name.to_owned()) };
            assert_eq!(route_to(&server).kind, LinkKind::Unknown, "{name}");
        }
    }
}
