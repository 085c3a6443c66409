//! The `Host` of a request, and the names of this host.
//!
//! A name counts only if it comes from this host itself: its host name, and names in its own files. A
//! name from a request or a name server never counts; otherwise a page could point its own name here.

use std::net::IpAddr;
use std::path::Path;

pub const HTTP_PORT: u16 = 80;
/// The default port of HTTPS.
pub const HTTPS_PORT: u16 = 443;

/// Name and port of a `Host`; without a port, the scheme's default. `None` if the port is not a number.
pub fn split_port(host: &str, usual: u16) -> (&str, Option<u16>) {
    match host.rsplit_once(':') {
        // The colons of an address in brackets do not precede a port.
        Some((name, port)) if !port.contains(']') => (name, port.parse().ok()),
        _ => (host, Some(usual)),
    }
}

/// An address in the form of a `Host`.
pub fn name_of(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

/// The address in a `Host`; `None` if it is a name.
pub fn bare_address(name: &str) -> Option<IpAddr> {
    let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    match inner {
        Some(inner) => inner.parse().ok().filter(IpAddr::is_ipv6),
        None => name.parse().ok().filter(IpAddr::is_ipv4),
    }
}

/// Names of the host with this host name, in lower case; none if it has no name that is valid in an
/// address.
pub fn names_of_machine(host: &str) -> Vec<String> {
    let text = |path: &str| std::fs::read_to_string(Path::new(path)).unwrap_or_default();
    names(host, &text("/etc/hosts"), &text("/etc/resolv.conf"))
}

/// The host name in full and short, its other names in `/etc/hosts`, its name in each domain of
/// `/etc/resolv.conf`, and its name in a network without a name server.
fn names(host: &str, hosts: &str, resolv_conf: &str) -> Vec<String> {
    let host = host.to_ascii_lowercase();
    if !is_name(&host) {
        return Vec::new();
    }
    let short = host.split('.').next().unwrap_or_default();
    let mut names = vec![host.clone(), short.to_owned(), format!("{short}.local")];
    for line in hosts.lines() {
        let words = line.split('#').next().unwrap_or_default().split_whitespace().skip(1);
        let words: Vec<String> = words.map(str::to_ascii_lowercase).collect();
        if words.iter().any(|word| *word == host || word == short) {
            names.extend(words);
        }
    }
    for line in resolv_conf.lines() {
        let mut words = line.split_whitespace();
        if matches!(words.next(), Some("search" | "domain")) {
            let domains = words.map(|domain| domain.trim_matches('.').to_ascii_lowercase());
            names.extend(domains.map(|domain| format!("{short}.{domain}")));
        }
    }
    names.retain(|name| is_name(name));
    names.sort();
    names.dedup();
    names
}

fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    text.split('.').all(|part| !part.is_empty() && part.bytes().all(fits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_names_are_from_its_own_files() {
        let hosts = "127.0.0.1 localhost\n127.0.1.1\tNas1.studio.example nas1 # nas1.old.example\n\
                     10.0.0.9 other.example other\n10.0.0.7 files nas1.lan.example nas1\n";
        let resolv_conf =
            "# search no.example\nnameserver 10.0.0.1\nsearch studio.example. lan.example\noptions ndots:1\n";
        let all = ["files", "nas1", "nas1.lan.example", "nas1.local", "nas1.studio.example"];
        assert_eq!(names("NAS1", hosts, resolv_conf), all);
        assert_eq!(names("nas1.studio.example", hosts, resolv_conf), all);
        assert_eq!(names("nas1", "", ""), ["nas1", "nas1.local"]);
        assert_eq!(names("nas1.a.example", "", ""), ["nas1", "nas1.a.example", "nas1.local"]);
    }

    #[test]
    fn an_invalid_host_name_gives_no_names() {
        for host in ["", ".", "a b", "nas1.", "nas_1", "nas1:80", "nas1/x", "ä"] {
            assert_eq!(names(host, "127.0.0.1 nas1\n", "search example\n"), Vec::<String>::new(), "{host}");
        }
        assert_eq!(names("nas1", "127.0.0.1 nas1 x:1 y/z [::1]\n", "search . a;b\nsearch\n").len(), 2);
    }

    #[test]
    fn a_host_is_split_where_its_port_begins() {
        for (host, name, port) in [
            ("nas1", "nas1", Some(80)),
            ("nas1:8642", "nas1", Some(8642)),
            ("[::1]", "[::1]", Some(80)),
            ("[::1]:8642", "[::1]", Some(8642)),
            ("nas1:x", "nas1", None),
            ("nas1:", "nas1", None),
            ("nas1:1:2", "nas1:1", Some(2)),
        ] {
            assert_eq!(split_port(host, HTTP_PORT), (name, port), "{host}");
        }
    }
}
