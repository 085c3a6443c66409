//! Routes on Windows. Disks are not inspected.

use super::Link;
use super::address::ServerAddress;
use crate::adapter::{Adapter, index_to};

#[path = "other.rs"]
mod other;

pub(super) use other::{cached_loop, disk, is_last};

/// The link to a server.
pub(super) fn route_to(server: &ServerAddress) -> Link {
    match index_to(server.ip, server.interface.as_deref()).and_then(Adapter::with_index) {
        Some(adapter) => Link::network(adapter.name.clone(), &adapter.interface(), server.ip),
        None => Link::no_route(server.ip),
    }
}
