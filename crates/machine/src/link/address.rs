//! The address of a mount's server.
//!
//! The kernel's NFS and SMB clients state it among the mount options. For all other mounts the server's
//! name is resolved within a time limit: a resolver without a server can take half a minute.

use std::io;
use std::net::{IpAddr, Ipv6Addr, ToSocketAddrs};
use std::sync::mpsc;
use std::time::Duration;

use crate::mount::Mount;

/// The address of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServerAddress {
    pub ip: IpAddr,
    /// The interface that the address itself names: `fe80::1%eth0`.
    pub interface: Option<String>,
}

/// Why there is no address. `Display` is a clause for screens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NoAddress {
    #[error("an unknown link (the mount names no server)")]
    NoServer,
    #[error("an unknown link (cannot resolve {host}: {why})")]
    NotFound { host: String, why: String },
    #[error("an unknown link ({host} was not resolved within {} s)", .limit.as_secs())]
    TooSlow { host: String, limit: Duration },
}

/// The address of the mount's server, resolved within `limit` if necessary.
pub(super) fn of(mount: &Mount, limit: Duration) -> Result<ServerAddress, NoAddress> {
    if let Some(address) = mount.option("addr").and_then(literal) {
        return Ok(address);
    }
    let server = mount.server.as_deref().map(first_host).filter(|host| !host.is_empty());
    let host = server.ok_or(NoAddress::NoServer)?;
    match literal(host) {
        Some(address) => Ok(address),
        None => look_up(host, limit, |host| {
            let addresses = (host, 0).to_socket_addrs()?;
            Ok(addresses.map(|address| address.ip()).collect())
        }),
    }
}

/// The first of `host:port,host:port`, without its port. An IPv6 address is unchanged.
fn first_host(server: &str) -> &str {
    let first = server.split(',').next().unwrap_or(server);
    match first.split_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !host.is_empty() => host,
        _ => first,
    }
}

/// A literal address: `10.0.0.2`, `[fd00::2]`, `fe80::1%eth0`.
fn literal(text: &str) -> Option<ServerAddress> {
    let text = text.trim_start_matches('[').trim_end_matches(']');
    let (address, zone) = match text.split_once('%') {
        Some((address, zone)) => (address, Some(zone)),
        None => (text, None),
    };
    let ip: IpAddr = address.parse().ok()?;
    Some(ServerAddress { ip: ip.to_canonical(), interface: zone.map(str::to_owned) })
}

/// Resolves a name on a separate thread, which is abandoned when it takes too long.
fn look_up(
    host: &str,
    limit: Duration,
    resolve: impl FnOnce(&str) -> io::Result<Vec<IpAddr>> + Send + 'static,
) -> Result<ServerAddress, NoAddress> {
    let (sender, receiver) = mpsc::channel();
    let name = host.to_owned();
    let not_found = |why: String| NoAddress::NotFound { host: host.to_owned(), why };
    std::thread::Builder::new()
        .name("look-up".to_owned())
        .spawn(move || {
            // After the time limit there is no receiver any more.
            let _ = sender.send(resolve(&name));
        })
        .map_err(|error| not_found(error.to_string()))?;
    let answer = receiver.recv_timeout(limit);
    let addresses = answer.map_err(|_| NoAddress::TooSlow { host: host.to_owned(), limit })?;
    let addresses = addresses.map_err(|error| not_found(error.to_string()))?;
    let usable = addresses.into_iter().find(|ip| *ip != IpAddr::V6(Ipv6Addr::UNSPECIFIED));
    let ip = usable.ok_or_else(|| not_found("it has no usable address".to_owned()))?;
    Ok(ServerAddress { ip: ip.to_canonical(), interface: None })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::time::Instant;

    use super::*;
    use crate::mount::MountKind;

    fn mount(server: Option<&str>, options: &[&str]) -> Mount {
        Mount {
            fs_type: "nfs4".to_owned(),
            source: String::new(),
            mount_point: "/mnt".into(),
            options: options.iter().map(|&option| option.to_owned()).collect(),
            kind: MountKind::Network,
            server: server.map(str::to_owned),
            protocol_version: None,
        }
    }

    fn found(server: Option<&str>, options: &[&str]) -> (String, Option<String>) {
        let address = of(&mount(server, options), Duration::from_secs(2)).unwrap();
        (address.ip.to_string(), address.interface)
    }

    #[test]
    fn the_kernel_knows_the_address_best() {
        let options = ["vers=4.2", "clientaddr=10.0.0.7", "addr=10.0.0.2"];
        assert_eq!(found(Some("nas1.invalid"), &options), ("10.0.0.2".to_owned(), None));
        assert_eq!(found(None, &["addr=fd00::2"]), ("fd00::2".to_owned(), None));
    }

    #[test]
    fn ip_addresses_need_no_name_resolution() {
        let plain = |server| found(Some(server), &[]).0;
        assert_eq!(plain("10.0.0.2"), "10.0.0.2");
        assert_eq!(plain("10.0.0.1:6789,10.0.0.2:6789"), "10.0.0.1");
        assert_eq!(plain("[fd00::2]"), "fd00::2");
        assert_eq!(plain("::ffff:10.0.0.2"), "10.0.0.2");
        assert_eq!(found(Some("fe80::1%eth0"), &[]), ("fe80::1".to_owned(), Some("eth0".to_owned())));
    }

    #[test]
    fn missing_server_or_name_has_a_reason() {
        let limit = Duration::from_secs(2);
        assert_eq!(of(&mount(None, &[]), limit), Err(NoAddress::NoServer));
        let refused = |_: &str| Err(io::Error::other("no such name"));
        let error = look_up("nas1", limit, refused).unwrap_err();
        assert_eq!(error.to_string(), "an unknown link (cannot resolve nas1: no such name)");
        assert!(look_up("nas1", limit, |_: &str| Ok(Vec::new())).is_err());
    }

    #[test]
    fn a_dead_resolver_costs_no_more_than_the_limit() {
        let (limit, begun) = (Duration::from_millis(50), Instant::now());
        let error = look_up("nas1", limit, |_: &str| {
            std::thread::sleep(Duration::from_secs(5));
            Ok(Vec::new())
        });
        assert_eq!(error, Err(NoAddress::TooSlow { host: "nas1".to_owned(), limit }));
        assert!(begun.elapsed() < Duration::from_secs(2));
    }
}
