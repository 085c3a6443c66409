//! Routes on macOS, by its own commands. Disks are not inspected.

use super::address::ServerAddress;
use super::{Link, ifconfig};
use crate::texts::command::output;

#[path = "other.rs"]
mod other;

pub(super) use other::{cached_loop, disk, is_last};

/// The link to a server.
pub(super) fn route_to(server: &ServerAddress) -> Link {
    let family = if server.ip.is_ipv6() { "-inet6" } else { "-inet" };
    let told = || output(&["route", "-n", "get", family, &server.ip.to_string()]).ok();
    let named = || ifconfig::interface_of(&told()?).map(str::to_owned);
    let Some(name) = server.interface.clone().or_else(named) else {
        return Link::no_route(server.ip);
    };
    let interface = ifconfig::interface(&name, &output(&["ifconfig", &name]).unwrap_or_default());
    Link::network(name, &interface, server.ip)
}
