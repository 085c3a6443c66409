//! The addresses of a console: which `Host` and `Origin` are its own, and the scope of its cookies.
//!
//! Pure: names and addresses in, decisions out. It may have two addresses, its own port and a proxy's;
//! each has its own names.

use std::net::{IpAddr, SocketAddr};

use crate::host_header::{HTTP_PORT, HTTPS_PORT, bare_address, name_of, split_port};
use crate::public_url::PublicUrl;

/// The addresses of a console.
#[derive(Clone, Debug)]
pub struct ConsoleOrigin {
    listens: SocketAddr,
    names: Vec<String>,
    is_tls: bool,
    public: Option<PublicUrl>,
}

/// The scope of a cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CookieScope<'a> {
    /// The path below which it is sent.
    pub path: &'a str,
    /// Whether it is only sent encrypted.
    pub is_secure: bool,
}

impl ConsoleOrigin {
    /// A server that listens at this address, on a host with these names; `public` is the address of a
    /// proxy in front of it.
    pub fn new(
        listens: SocketAddr,
        machine: &[String],
        is_tls: bool,
        public: Option<PublicUrl>,
    ) -> ConsoleOrigin {
        let address = listens.ip();
        let mut names = vec![name_of(address)];
        if is_only_for_this_machine(address) || address.is_unspecified() {
            names.push("localhost".to_owned());
        }
        if !is_only_for_this_machine(address) {
            names.extend(machine.iter().map(|name| name.to_ascii_lowercase()));
        }
        ConsoleOrigin { listens, names, is_tls, public }
    }

    /// Its own port.
    pub fn port(&self) -> u16 {
        self.listens.port()
    }

    /// The prefix of its paths behind a proxy.
    pub fn public_path(&self) -> &str {
        self.public.as_ref().map_or("/", PublicUrl::path)
    }

    /// Whether a `Host` names this server, by its own address or the proxy's.
    pub fn is_host(&self, host: &str) -> bool {
        self.is_own_host(host) || self.public.as_ref().is_some_and(|public| public.is_host(host))
    }

    /// Whether a page with this origin is a page of this server, for a request with this `Host`.
    pub fn is_origin(&self, origin: &str, host: &str) -> bool {
        let own =
            || self.is_own_host(host) && origin.eq_ignore_ascii_case(&format!("{}://{host}", self.scheme()));
        self.is_public_origin(origin) || own()
    }

    /// The scope of a cookie for the page with this origin. Proxies may keep the browser's `Host`, or
    /// replace it; the `Origin` of a change is always the browser's.
    pub fn cookie_scope(&self, origin: Option<&str>, host: &str) -> CookieScope<'_> {
        let through_proxy = match origin {
            Some(origin) => self.is_public_origin(origin),
            None => self.public.as_ref().is_some_and(|public| public.is_host(host)),
        };
        match self.public.as_ref().filter(|_| through_proxy) {
            Some(public) => CookieScope { path: public.path(), is_secure: public.is_https() },
            None => CookieScope { path: "/", is_secure: self.is_tls },
        }
    }

    /// The address to open. If the server listens on all addresses, it contains this host's name.
    pub fn url(&self, host: &str) -> String {
        if let Some(public) = &self.public {
            return public.to_string();
        }
        let (scheme, port) = (self.scheme(), self.port());
        match self.listens.ip().is_unspecified() {
            true if host.is_empty() => format!("{scheme}://localhost:{port}/"),
            true => format!("{scheme}://{host}:{port}/"),
            false => format!("{scheme}://{}/", self.listens),
        }
    }

    fn is_own_host(&self, host: &str) -> bool {
        let (name, port) = split_port(host, if self.is_tls { HTTPS_PORT } else { HTTP_PORT });
        let name = name.to_ascii_lowercase();
        // A bare IP address is safe: DNS rebinding works only with names.
        let is_address = self.listens.ip().is_unspecified() && bare_address(&name).is_some();
        port == Some(self.port()) && (is_address || self.names.contains(&name))
    }

    fn is_public_origin(&self, origin: &str) -> bool {
        self.public.as_ref().is_some_and(|public| origin.eq_ignore_ascii_case(&public.origin()))
    }

    fn scheme(&self) -> &'static str {
        if self.is_tls { "https" } else { "http" }
    }
}

/// Whether no other host can reach this address.
pub fn is_only_for_this_machine(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn site(listens: &str, is_tls: bool, public: Option<&str>) -> ConsoleOrigin {
        let machine = ["nas1".to_owned(), "Nas1.studio.example".to_owned()];
        ConsoleOrigin::new(listens.parse().unwrap(), &machine, is_tls, public.map(|url| url.parse().unwrap()))
    }

    #[test]
    fn local_console_accepts_only_loopback_names() {
        let site = site("127.0.0.1:8642", false, None);
        for host in ["127.0.0.1:8642", "localhost:8642", "LOCALHOST:8642"] {
            assert!(site.is_host(host), "{host}");
        }
        for host in [
            "",
            "evil.example:8642",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1:8643",
            "127.0.0.1:x",
            "localhost.evil.example:8642",
            "localhost:8642:8642",
            "127.0.0.1:8642.evil.example",
            "nas1:8642",
            "nas1.studio.example:8642",
            "0x7f000001:8642",
            "192.168.1.5:8642",
            "[::1]:8642",
            "localhost.:8642",
            "user@127.0.0.1:8642",
        ] {
            assert!(!site.is_host(host), "{host}");
        }
        assert!(self::site("[::1]:8642", false, None).is_host("[::1]:8642"));
    }

    #[test]
    fn wildcard_console_accepts_addresses_and_own_names_only() {
        for (listens, is_tls) in [("0.0.0.0:80", false), ("[::]:80", false), ("0.0.0.0:443", true)] {
            let site = site(listens, is_tls, None);
            for host in ["192.168.1.5", "[fe80::1]", "nas1", "nas1.studio.example", "NAS1.Studio.Example"] {
                assert!(site.is_host(host), "{host}");
            }
            for host in [
                "evil.example",
                "[evil]",
                "fe80::1",
                "nas1.evil.example",
                "nas1.studio.example.evil.example",
                "nas1.studio.example:8080",
            ] {
                assert!(!site.is_host(host), "{host}");
            }
        }
    }

    #[test]
    fn proxied_console_accepts_only_its_public_origin() {
        let url = "https://nas.example.com/reelgauge/";
        let site = site("127.0.0.1:8642", false, Some(url));
        let (through, direct) = ("nas.example.com", "127.0.0.1:8642");
        for host in [through, "nas.example.com:443", direct] {
            assert!(site.is_host(host), "{host}");
            // Proxies may keep the name or replace it by the server's.
            assert!(site.is_origin("https://nas.example.com", host), "{host}");
            for origin in [
                "http://nas.example.com",
                "https://nas.example.com:8443",
                "https://evil.example",
                "http://evil.example:8642",
                "null",
                "",
            ] {
                assert!(!site.is_origin(origin, host), "{origin} at {host}");
            }
        }
        for host in ["nas.example.com:8642", "nas.example.com:80", "evil.example", "x.nas.example.com"] {
            assert!(!site.is_host(host), "{host}");
        }
        assert!(site.is_origin("http://127.0.0.1:8642", direct));
        assert!(!site.is_origin("http://127.0.0.1:8642", through));
        assert_eq!((site.url("nas1").as_str(), site.public_path()), (url, "/reelgauge/"));
    }

    #[test]
    fn cookies_are_bound_to_the_origin() {
        let held = |path, is_secure| CookieScope { path, is_secure };
        let proxy = site("127.0.0.1:8642", false, Some("https://nas.example.com/r/"));
        let origin = Some("https://nas.example.com");
        assert_eq!(proxy.cookie_scope(origin, "127.0.0.1:8642"), held("/r/", true));
        assert_eq!(proxy.cookie_scope(None, "nas.example.com"), held("/r/", true));
        assert_eq!(proxy.cookie_scope(Some("http://127.0.0.1:8642"), "127.0.0.1:8642"), held("/", false));
        assert_eq!(proxy.cookie_scope(None, "127.0.0.1:8642"), held("/", false));
        let own = site("0.0.0.0:8642", true, None);
        assert_eq!(own.cookie_scope(Some("https://nas1:8642"), "nas1:8642"), held("/", true));
    }

    #[test]
    fn address_to_open_is_the_listening_one() {
        let url = |listens: &str, is_tls: bool| site(listens, is_tls, None).url("nas1");
        assert_eq!(url("127.0.0.1:8642", false), "http://127.0.0.1:8642/");
        assert_eq!(url("[::1]:8642", false), "http://[::1]:8642/");
        assert_eq!(url("0.0.0.0:80", false), "http://nas1:80/");
        assert_eq!(url("10.1.2.3:8642", true), "https://10.1.2.3:8642/");
        assert_eq!(site("0.0.0.0:80", false, None).url(""), "http://localhost:80/");
    }

    #[test]
    fn a_page_over_tls_is_its_own_and_one_without_is_not() {
        let site = site("10.0.0.7:8642", true, None);
        assert!(site.is_origin("https://10.0.0.7:8642", "10.0.0.7:8642"));
        assert!(!site.is_origin("http://10.0.0.7:8642", "10.0.0.7:8642"));
    }
}
