//! Whom a request is done for, so that nobody's requests stand in everybody's way.

use std::net::IpAddr;

/// Who asks.
///
/// Behind a proxy all come from one address, so a browser is known by its session. Programs that show the
/// token itself have none, and share by address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Client {
    /// A browser that was let in: the number of its session.
    Session(u64),
    /// Whoever asks from this address.
    Address(IpAddr),
}
