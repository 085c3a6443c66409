//! Who may ask: a decision over the method, the address and the headers of a request, and nothing else.
//!
//! What it keeps out:
//! * other pages in the same browser: their requests say so (`Sec-Fetch-Site`, `Origin`), and they can't add
//!   the header that changes need without asking first, which is answered to nobody;
//! * pages that make their own name point to this machine (DNS rebinding): the `Host` of their requests is
//!   not one of ours;
//! * other people, where the console listens for more than this machine: they lack the token.
//!
//! The page itself is the same for everybody and holds no data, so it is given to whoever asks by a name that
//! is ours; everything behind `/api` and `/metrics` is not.

use std::net::{IpAddr, SocketAddr};

use axum::http::Method;

use crate::error::ApiError;
use crate::token::Token;

/// The header that everything but reading must carry; pages from elsewhere can't send it.
pub const MARK: &str = "x-reelgauge";

/// What of a request the door looks at.
#[derive(Clone, Debug, Default)]
pub struct Knock<'a> {
    /// The method.
    pub method: Method,
    /// The path, as it was sent.
    pub path: &'a str,
    /// `token` of the query.
    pub query_token: Option<&'a str>,
    /// `Host`.
    pub host: Option<&'a str>,
    /// `Origin`.
    pub origin: Option<&'a str>,
    /// `Sec-Fetch-Site`.
    pub fetch_site: Option<&'a str>,
    /// Whether [`MARK`] is there.
    pub is_marked: bool,
    /// `Cookie`.
    pub cookies: Option<&'a str>,
    /// `Authorization`, which Prometheus can send.
    pub authorization: Option<&'a str>,
}

/// What comes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entrance {
    /// It is answered.
    Open,
    /// It brought the right token: it gets the cookie, and is sent to the page.
    Welcome,
}

/// The door of one server.
#[derive(Clone, Debug)]
pub struct Door {
    names: Vec<String>,
    /// Whether every address of this machine is ours. Names still are not.
    any_address: bool,
    port: u16,
    token: Option<Token>,
}

impl Door {
    /// For a server that listens there. `host` is this machine's name. A token is asked for where one is
    /// given; give one wherever [`is_only_for_this_machine`] doesn't hold.
    pub fn new(listens: SocketAddr, host: &str, token: Option<Token>) -> Door {
        let address = listens.ip();
        let mut names = vec![name_of(address)];
        if is_only_for_this_machine(address) || address.is_unspecified() {
            names.push("localhost".to_owned());
        }
        if !is_only_for_this_machine(address) && !host.is_empty() {
            names.push(host.to_ascii_lowercase());
        }
        Door { names, any_address: address.is_unspecified(), port: listens.port(), token }
    }

    /// The name of the cookie. Cookies don't tell ports apart, so the name does.
    pub fn cookie_name(&self) -> String {
        format!("reelgauge-{}", self.port)
    }

    /// The cookie that lets this browser in until it is closed.
    pub fn cookie(&self) -> Option<String> {
        let token = self.token.as_ref()?.reveal();
        Some(format!("{}={token}; Path=/; HttpOnly; SameSite=Strict", self.cookie_name()))
    }

    /// Whether a request is answered.
    ///
    /// # Errors
    /// Why not, in words for whoever sent it.
    pub fn judge(&self, knock: &Knock<'_>) -> Result<Entrance, ApiError> {
        let host = knock.host.unwrap_or_default();
        if !self.is_ours(host) {
            return Err(ApiError::forbidden(format!(
                "this console does not answer to the name '{}'; use the link that it printed when it began",
                shortened(host)
            )));
        }
        let is_read = matches!(knock.method, Method::GET | Method::HEAD);
        let is_page = is_read && knock.path == "/";
        // Following a link to the page from a mail or another page is what links are for.
        if !is_page {
            same_origin(knock, host)?;
        }
        if !is_read && !knock.is_marked {
            return Err(ApiError::forbidden("a change needs the header 'X-Reelgauge: 1'"));
        }
        match (&self.token, knock.query_token) {
            (Some(token), Some(shown)) if is_page => match token.is(shown) {
                true => Ok(Entrance::Welcome),
                false => Err(no_token()),
            },
            (Some(token), _) if !is_page && !self.has_shown(token, knock) => Err(no_token()),
            _ => Ok(Entrance::Open),
        }
    }

    /// Whether a `Host` is a name that this server listens to, with its port.
    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = split_port(host);
        let Some(port) = port else { return false };
        let name = name.to_ascii_lowercase();
        // No page can make an address point elsewhere.
        let is_address = self.any_address && bare_address(&name).is_some();
        port == self.port && (is_address || self.names.contains(&name))
    }

    fn has_shown(&self, token: &Token, knock: &Knock<'_>) -> bool {
        let bearer = knock.authorization.and_then(|text| text.strip_prefix("Bearer "));
        let name = self.cookie_name();
        let cookies = knock.cookies.unwrap_or_default().split(';').filter_map(|pair| pair.split_once('='));
        let mut shown = cookies.filter(|(key, _)| key.trim() == name).map(|(_, value)| value.trim());
        bearer.is_some_and(|shown| token.is(shown.trim())) || shown.any(|shown| token.is(shown))
    }
}

/// Whether nobody on other machines can reach this address.
pub fn is_only_for_this_machine(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

fn same_origin(knock: &Knock<'_>, host: &str) -> Result<(), ApiError> {
    let from_elsewhere = || ApiError::forbidden("requests from other pages are not answered");
    // What a browser says of its own accord, and no page can change.
    if knock.fetch_site.is_some_and(|site| site != "same-origin" && site != "none") {
        return Err(from_elsewhere());
    }
    match knock.origin {
        Some(origin) if !origin.eq_ignore_ascii_case(&format!("http://{host}")) => Err(from_elsewhere()),
        _ => Ok(()),
    }
}

fn no_token() -> ApiError {
    ApiError::unknown_visitor(
        "this console asks for a token; open the link that it printed when it began, to the last letter",
    )
}

/// An address as `Host` has it.
fn name_of(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

fn bare_address(name: &str) -> Option<IpAddr> {
    let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    match inner {
        Some(inner) => inner.parse().ok().filter(IpAddr::is_ipv6),
        None => name.parse().ok().filter(IpAddr::is_ipv4),
    }
}

/// Name and port of a `Host`; without one it is HTTP's own. `None` for a port that is no number.
fn split_port(host: &str) -> (&str, Option<u16>) {
    const HTTP: u16 = 80;
    match host.rsplit_once(':') {
        // The colons of an address in brackets are not its port's.
        Some((name, port)) if !port.contains(']') => (name, port.parse().ok()),
        _ => (host, Some(HTTP)),
    }
}

/// Enough of a text from outside to know it by.
fn shortened(text: &str) -> String {
    text.chars().take(80).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use axum::http::StatusCode;

    use super::*;

    fn door(listens: &str, token: Option<Token>) -> Door {
        Door::new(listens.parse().unwrap(), "Nas1", token)
    }

    fn get(path: &'static str) -> Knock<'static> {
        Knock { path, host: Some("127.0.0.1:8642"), ..Knock::default() }
    }

    fn status(door: &Door, knock: &Knock<'_>) -> StatusCode {
        match door.judge(knock) {
            Ok(Entrance::Open) => StatusCode::OK,
            Ok(Entrance::Welcome) => StatusCode::SEE_OTHER,
            Err(error) => error.status,
        }
    }

    #[test]
    fn only_names_of_this_server_are_answered() {
        let local = ["127.0.0.1:8642", "localhost:8642", "LOCALHOST:8642"];
        let never = [
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
            "0x7f000001:8642",
            "192.168.1.5:8642",
            "[::1]:8642",
            "localhost.:8642",
            "user@127.0.0.1:8642",
        ];
        let door = door("127.0.0.1:8642", None);
        for (hosts, wanted) in [(&local[..], StatusCode::OK), (&never[..], StatusCode::FORBIDDEN)] {
            for host in hosts {
                for path in ["/", "/api/runs"] {
                    let knock = Knock { host: Some(host), ..get(path) };
                    assert_eq!(status(&door, &knock), wanted, "{host} {path}");
                }
            }
        }
        assert_eq!(status(&door, &Knock { host: None, ..get("/") }), StatusCode::FORBIDDEN);
    }

    #[test]
    fn where_it_listens_everywhere_addresses_are_answered_and_foreign_names_are_not() {
        let token = Token::draw().unwrap();
        for listens in ["0.0.0.0:80", "[::]:80"] {
            let door = door(listens, Some(token.clone()));
            for (host, wanted) in [
                ("192.168.1.5", StatusCode::OK),
                ("[fe80::1]:80", StatusCode::OK),
                ("nas1", StatusCode::OK),
                ("evil.example", StatusCode::FORBIDDEN),
                ("[evil]", StatusCode::FORBIDDEN),
                ("fe80::1", StatusCode::FORBIDDEN),
            ] {
                assert_eq!(status(&door, &Knock { host: Some(host), ..get("/") }), wanted, "{host}");
            }
        }
        let door = door("[::1]:8642", None);
        assert_eq!(status(&door, &Knock { host: Some("[::1]:8642"), ..get("/api/runs") }), StatusCode::OK);
    }

    #[test]
    fn other_pages_may_link_to_the_page_and_nothing_else() {
        let door = door("127.0.0.1:8642", None);
        for site in ["cross-site", "same-site", "sideways"] {
            let from = |path| Knock { fetch_site: Some(site), ..get(path) };
            assert_eq!(status(&door, &from("/")), StatusCode::OK);
            for path in ["/api/runs", "/metrics", "/api/runs/x/live", "//", "/?x"] {
                assert_eq!(status(&door, &from(path)), StatusCode::FORBIDDEN, "{path}");
            }
            let post = Knock { method: Method::POST, is_marked: true, ..from("/") };
            assert_eq!(status(&door, &post), StatusCode::FORBIDDEN);
        }
        for site in ["same-origin", "none"] {
            let knock = Knock { fetch_site: Some(site), ..get("/api/runs") };
            assert_eq!(status(&door, &knock), StatusCode::OK);
        }
        for (origin, wanted) in [
            ("http://127.0.0.1:8642", StatusCode::OK),
            ("http://localhost:8642", StatusCode::FORBIDDEN),
            ("https://127.0.0.1:8642", StatusCode::FORBIDDEN),
            ("http://127.0.0.1:8643", StatusCode::FORBIDDEN),
            ("http://evil.example", StatusCode::FORBIDDEN),
            ("null", StatusCode::FORBIDDEN),
            ("", StatusCode::FORBIDDEN),
        ] {
            let knock = Knock { origin: Some(origin), ..get("/api/runs") };
            assert_eq!(status(&door, &knock), wanted, "{origin}");
        }
    }

    #[test]
    fn changes_need_the_mark() {
        let door = door("127.0.0.1:8642", None);
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS] {
            let knock = Knock { method, ..get("/api/start") };
            assert_eq!(status(&door, &knock), StatusCode::FORBIDDEN);
            assert_eq!(status(&door, &Knock { is_marked: true, ..knock }), StatusCode::OK);
        }
    }

    #[test]
    fn where_a_token_is_asked_for_nothing_is_told_without_it() {
        let token = Token::draw().unwrap();
        let (good, other) = (token.reveal().to_owned(), Token::draw().unwrap().reveal().to_owned());
        let door = door("10.0.0.7:8642", Some(token));
        let get = |path| Knock { host: Some("10.0.0.7:8642"), ..get(path) };
        assert_eq!(status(&door, &get("/")), StatusCode::OK);
        for path in ["/api/runs", "/metrics", "/api/info", "/elsewhere"] {
            assert_eq!(status(&door, &get(path)), StatusCode::UNAUTHORIZED, "{path}");
        }
        let link = |token| Knock { query_token: Some(token), ..get("/") };
        assert_eq!(status(&door, &link(&good)), StatusCode::SEE_OTHER);
        assert_eq!(status(&door, &link(&other)), StatusCode::UNAUTHORIZED);
        // A token in the address of anything else would end up in histories and logs.
        let in_query = Knock { query_token: Some(&good), ..get("/api/runs") };
        assert_eq!(status(&door, &in_query), StatusCode::UNAUTHORIZED);
        for (cookies, wanted) in [
            (format!("a=b; reelgauge-8642={good}; c=d"), StatusCode::OK),
            (format!("reelgauge-8642={other}; reelgauge-8642={good}"), StatusCode::OK),
            (format!("reelgauge-8642={other}"), StatusCode::UNAUTHORIZED),
            (format!("reelgauge-8643={good}"), StatusCode::UNAUTHORIZED),
            ("reelgauge-8642=".to_owned(), StatusCode::UNAUTHORIZED),
            (good.clone(), StatusCode::UNAUTHORIZED),
        ] {
            let knock = Knock { cookies: Some(&cookies), ..get("/api/runs") };
            assert_eq!(status(&door, &knock), wanted, "{cookies}");
        }
        let (right, wrong) = (format!("Bearer {good}"), format!("Basic {good}"));
        assert_eq!(status(&door, &Knock { authorization: Some(&right), ..get("/metrics") }), StatusCode::OK);
        assert_eq!(
            status(&door, &Knock { authorization: Some(&wrong), ..get("/metrics") }),
            StatusCode::UNAUTHORIZED
        );
        let cookie = door.cookie().unwrap();
        assert!(cookie.starts_with(&format!("reelgauge-8642={good};")) && cookie.contains("HttpOnly"));
        assert!(cookie.contains("SameSite=Strict"));
    }
}
