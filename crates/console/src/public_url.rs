//! The address of a console behind a proxy: `https://nas.example.com/reelgauge/`.

use std::fmt;
use std::str::FromStr;

use axum::http::Uri;

use crate::host_header::{HTTP_PORT, HTTPS_PORT, split_port};

/// With one of these prefixes, a console could not tell what a proxy has removed.
const OWN_PATHS: [&str; 2] = ["/api/", "/metrics/"];

/// The address of a console in browsers, if it does not listen there itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    is_https: bool,
    host: String,
    port: u16,
    /// Begins and ends with `/`.
    path: String,
}

impl PublicUrl {
    /// Whether traffic to it is encrypted.
    pub fn is_https(&self) -> bool {
        self.is_https
    }

    /// The prefix of every path of the console: `/` or `/reelgauge/`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Its `Origin` in browsers.
    pub fn origin(&self) -> String {
        let scheme = if self.is_https { "https" } else { "http" };
        match self.port == self.usual_port() {
            true => format!("{scheme}://{}", self.host),
            false => format!("{scheme}://{}:{}", self.host, self.port),
        }
    }

    /// Whether a `Host` is its name and port.
    pub fn is_host(&self, host: &str) -> bool {
        let (name, port) = split_port(host, self.usual_port());
        port == Some(self.port) && name.eq_ignore_ascii_case(&self.host)
    }

    fn usual_port(&self) -> u16 {
        if self.is_https { HTTPS_PORT } else { HTTP_PORT }
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin(), self.path)
    }
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<PublicUrl, String> {
        let unfit = || {
            "write it as in a browser: https://nas.example.com/ or https://nas.example.com:8443/reelgauge/"
                .to_owned()
        };
        let uri: Uri = text.parse().map_err(|_| unfit())?;
        let is_https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(unfit()),
        };
        let host = uri.host().unwrap_or_default().to_ascii_lowercase();
        let authority = uri.authority().map(|authority| authority.as_str()).unwrap_or_default();
        // An invalid port, and a name and password, are not part of an `Origin`.
        let port = split_port(authority, if is_https { HTTPS_PORT } else { HTTP_PORT }).1;
        let path = format!("{}/", uri.path().trim_end_matches('/'));
        let is_whole = !text.contains(['?', '#']) && !authority.contains('@');
        if let Some(own) = OWN_PATHS.iter().find(|own| path.starts_with(**own)) {
            return Err(format!("paths below {own} are reserved for the console; use another one"));
        }
        match port.filter(|_| is_whole && !host.is_empty() && is_plain(&path)) {
            Some(port) => Ok(PublicUrl { is_https, host, port, path }),
            None => Err(unfit()),
        }
    }
}

/// Nothing that needs an escape in a cookie or an address, and no `..`.
fn is_plain(path: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let is_dots = |part: &str| part.bytes().all(|byte| byte == b'.');
    let inner = path.trim_matches('/');
    path.bytes().all(fits) && (inner.is_empty() || !inner.split('/').any(is_dots))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn url(text: &str) -> PublicUrl {
        text.parse().unwrap()
    }

    #[test]
    fn url_is_parsed_with_and_without_port_and_path() {
        for (text, origin, path, shown) in [
            ("https://nas.example.com", "https://nas.example.com", "/", "https://nas.example.com/"),
            ("https://NAS.example.com:443/", "https://nas.example.com", "/", "https://nas.example.com/"),
            (
                "https://nas.example.com:8443/a/reelgauge",
                "https://nas.example.com:8443",
                "/a/reelgauge/",
                "https://nas.example.com:8443/a/reelgauge/",
            ),
            ("http://nas1:8642/r/", "http://nas1:8642", "/r/", "http://nas1:8642/r/"),
            ("http://[fd00::1]/", "http://[fd00::1]", "/", "http://[fd00::1]/"),
        ] {
            let url = url(text);
            assert_eq!((url.origin().as_str(), url.path()), (origin, path));
            assert_eq!(url.to_string(), shown);
        }
        assert!(url("https://nas.example.com").is_https() && !url("http://nas.example.com").is_https());
    }

    #[test]
    fn addresses_that_no_browser_sends_are_refused() {
        for text in [
            "",
            "nas.example.com",
            "//nas.example.com/",
            "ftp://nas.example.com/",
            "https://",
            "https:///reelgauge",
            "https://user@nas.example.com/",
            "https://nas.example.com:port/",
            "https://nas.example.com:99999/",
            "https://nas.example.com/?a=b",
            "https://nas.example.com/#a",
            "https://nas.example.com/a;b/",
            "https://nas.example.com/a//b/",
            "https://nas.example.com/../",
            "https://nas.example.com/a%20b/",
            "https://nas.example.com/api",
            "https://nas.example.com/metrics/reelgauge/",
        ] {
            assert!(text.parse::<PublicUrl>().is_err(), "{text}");
        }
    }

    #[test]
    fn its_host_is_its_own_name_with_its_own_port() {
        let (usual, other) = (url("https://nas.example.com/r/"), url("https://nas.example.com:8443/"));
        for (host, is_usual, is_other) in [
            ("nas.example.com", true, false),
            ("NAS.example.com:443", true, false),
            ("nas.example.com:8443", false, true),
            ("nas.example.com:80", false, false),
            ("evil.example", false, false),
            ("nas.example.com.evil.example", false, false),
            ("nas.example.com.", false, false),
            ("", false, false),
        ] {
            assert_eq!((usual.is_host(host), other.is_host(host)), (is_usual, is_other), "{host}");
        }
    }
}
