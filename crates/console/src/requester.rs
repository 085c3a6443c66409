//! The client of a request, so that one client's requests do not block others.

use std::net::IpAddr;

/// A client.
///
/// Behind a proxy all have the same address, so a browser is identified by its session. Programs that
/// send the token themselves have none, and share by address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Client {
    /// An admitted browser: the number of its session.
    Session(u64),
    /// All programs at this address.
    Address(IpAddr),
}
