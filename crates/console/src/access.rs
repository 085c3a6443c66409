//! Access: a decision over the method, the address and the headers of a request, and nothing else.
//!
//! It rejects:
//! * other users, on this host too: they lack the token;
//! * other pages in the same browser: their requests show it (`Sec-Fetch-Site`, `Origin`), and they
//!   can't add the header that changes need without a preflight request, which is always refused;
//! * pages that make their own name point to this host (DNS rebinding): the `Host` of their requests is
//!   not one of this server's ([`crate::origin`]).
//!
//! The page itself is the same for all and holds no data, so every request to one of this server's names
//! receives it; `/api` and `/metrics` are protected. A browser that sends the token to [`ENTER`]
//! receives a session, whose cookie admits it; programs send the token each time.

use axum::http::Method;

use crate::error::ApiError;
use crate::login::Sessions;
use crate::origin::{ConsoleOrigin, CookieScope};
use crate::token::Token;

/// The header that everything but reading must carry; pages from elsewhere can't send it.
pub const MARK: &str = "x-reelgauge";
/// The path that accepts the token.
pub const ENTER: &str = "/api/enter";

/// The parts of a request that decide.
#[derive(Clone, Debug, Default)]
pub struct Asking<'a> {
    pub method: Method,
    /// The path, as it was sent, without a proxy's prefix.
    pub path: &'a str,
    pub host: Option<&'a str>,
    pub origin: Option<&'a str>,
    pub fetch_site: Option<&'a str>,
    /// Whether [`MARK`] is there.
    pub is_marked: bool,
    pub cookies: Option<&'a str>,
    /// `Authorization`, which Prometheus can send.
    pub authorization: Option<&'a str>,
}

/// An admitted client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visitor {
    /// A browser: the number of its session.
    Session(u64),
    /// A client without a session: one that sent the token itself, or asks for public content.
    Anybody,
}

/// The access rules of one server.
#[derive(Debug)]
pub struct AccessRules {
    site: ConsoleOrigin,
    token: Option<Token>,
    sessions: Sessions,
}

impl AccessRules {
    /// For a server at this site. Without a token every client is admitted that can reach it.
    pub fn new(site: ConsoleOrigin, token: Option<Token>) -> AccessRules {
        AccessRules { site, token, sessions: Sessions::default() }
    }

    /// The server's addresses.
    pub fn site(&self) -> &ConsoleOrigin {
        &self.site
    }

    /// The required token; `None` if none is required.
    pub fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }

    /// The name of the cookie. It contains the port, because cookies do not distinguish ports.
    pub fn cookie_name(&self) -> String {
        format!("reelgauge-{}", self.site.port())
    }

    /// Whether a request is answered, and for whom.
    ///
    /// # Errors
    /// The reason for the refusal, for the client.
    pub fn judge(&self, asking: &Asking<'_>) -> Result<Visitor, ApiError> {
        let host = asking.host.unwrap_or_default();
        if !self.site.is_host(host) {
            return Err(ApiError::forbidden(format!(
                "this console does not accept the name '{}'. Use the address that it printed at the \
                 start, or start it with --public-url and your address",
                shortened(host)
            )));
        }
        let is_read = matches!(asking.method, Method::GET | Method::HEAD);
        let is_page = is_read && self.is_page(asking.path);
        // Following a link to the page from a mail or another page is allowed.
        if !is_page {
            self.same_origin(asking, host)?;
        }
        if !is_read && !asking.is_marked {
            return Err(ApiError::forbidden("changes need the header 'X-Reelgauge: 1'"));
        }
        let is_entering = asking.method == Method::POST && asking.path == ENTER;
        match &self.token {
            Some(token) if !is_page && !is_entering => self.known(token, asking),
            _ => Ok(Visitor::Anybody),
        }
    }

    /// Admits a browser that sends the token; returns its cookie. `None` if no token is required.
    ///
    /// # Errors
    /// If the token is wrong.
    pub fn enter(&self, shown: &str, asking: &Asking<'_>) -> Result<Option<String>, ApiError> {
        let Some(token) = &self.token else { return Ok(None) };
        if !token.is(shown) {
            return Err(ApiError::unknown_visitor("wrong token; copy the whole token again"));
        }
        let secret = self.sessions.begin().map_err(ApiError::failed)?;
        let CookieScope { path, is_secure } =
            self.site.cookie_scope(asking.origin, asking.host.unwrap_or_default());
        let secure = if is_secure { "; Secure" } else { "" };
        let (name, secret) = (self.cookie_name(), secret.reveal());
        Ok(Some(format!("{name}={secret}; Path={path}; HttpOnly; SameSite=Strict{secure}")))
    }

    /// The page, with and without a proxy's prefix.
    fn is_page(&self, path: &str) -> bool {
        path == "/" || path == self.site.public_path().trim_end_matches('/')
    }

    fn known(&self, token: &Token, asking: &Asking<'_>) -> Result<Visitor, ApiError> {
        // The scheme's case doesn't matter (RFC 9110, 11.1).
        let bearer = asking.authorization.and_then(|text| {
            let (scheme, token) = text.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token)
        });
        if bearer.is_some_and(|shown| token.is(shown.trim())) {
            return Ok(Visitor::Anybody);
        }
        let name = self.cookie_name();
        let cookies = asking.cookies.unwrap_or_default().split(';').filter_map(|pair| pair.split_once('='));
        let shown = cookies.filter(|(key, _)| key.trim() == name).map(|(_, value)| value.trim());
        let mut numbers = shown.filter_map(|shown| self.sessions.number_of(shown));
        numbers.next().map(Visitor::Session).ok_or_else(|| {
            ApiError::unknown_visitor(
                "this console needs a token. Open the link that it printed at the start, or enter the token",
            )
        })
    }

    fn same_origin(&self, asking: &Asking<'_>, host: &str) -> Result<(), ApiError> {
        let from_elsewhere =
            || ApiError::forbidden("requests from other web sites are rejected; use the console's own pages");
        // The browser itself sets this header, and no page can change it.
        if asking.fetch_site.is_some_and(|site| site != "same-origin" && site != "none") {
            return Err(from_elsewhere());
        }
        match asking.origin {
            Some(origin) if !self.site.is_origin(origin, host) => Err(from_elsewhere()),
            _ => Ok(()),
        }
    }
}

/// The beginning of a text from outside, enough to recognise it.
fn shortened(text: &str) -> String {
    text.chars().take(80).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use axum::http::StatusCode;

    use super::*;

    fn access(listens: &str, token: Option<Token>) -> AccessRules {
        AccessRules::new(
            ConsoleOrigin::new(listens.parse().unwrap(), &["nas1".to_owned()], false, None),
            token,
        )
    }

    fn get(path: &'static str) -> Asking<'static> {
        Asking { path, host: Some("127.0.0.1:8642"), ..Asking::default() }
    }

    fn status(access: &AccessRules, asking: &Asking<'_>) -> StatusCode {
        match access.judge(asking) {
            Ok(_) => StatusCode::OK,
            Err(error) => error.status,
        }
    }

    /// The first part of a cookie, which browsers send back.
    fn sent_back(cookie: &str) -> String {
        cookie.split(';').next().unwrap().to_owned()
    }

    #[test]
    fn only_names_of_this_server_are_answered() {
        let access = access("127.0.0.1:8642", None);
        for (host, wanted) in [
            (Some("127.0.0.1:8642"), StatusCode::OK),
            (Some("localhost:8642"), StatusCode::OK),
            (Some("evil.example:8642"), StatusCode::FORBIDDEN),
            (Some("127.0.0.1:8643"), StatusCode::FORBIDDEN),
            (Some(""), StatusCode::FORBIDDEN),
            (None, StatusCode::FORBIDDEN),
        ] {
            for path in ["/", "/api/runs"] {
                assert_eq!(status(&access, &Asking { host, ..get(path) }), wanted, "{host:?} {path}");
            }
            let enter = Asking { method: Method::POST, is_marked: true, host, ..get(ENTER) };
            assert_eq!(status(&access, &enter), wanted, "{host:?}");
        }
        let error = access.judge(&Asking { host: Some("nas.example.com"), ..get("/") }).unwrap_err();
        assert!(error.text.contains("'nas.example.com'") && error.text.contains("--public-url"));
    }

    #[test]
    fn other_pages_may_link_to_the_page_and_nothing_else() {
        let access = access("127.0.0.1:8642", None);
        for site in ["cross-site", "same-site", "sideways"] {
            let from = |path| Asking { fetch_site: Some(site), ..get(path) };
            assert_eq!(status(&access, &from("/")), StatusCode::OK);
            for path in ["/api/runs", "/metrics", "/api/runs/x/live", "//", "/?x"] {
                assert_eq!(status(&access, &from(path)), StatusCode::FORBIDDEN, "{path}");
            }
            for path in ["/", ENTER] {
                let post = Asking { method: Method::POST, is_marked: true, ..from(path) };
                assert_eq!(status(&access, &post), StatusCode::FORBIDDEN);
            }
        }
        for site in ["same-origin", "none"] {
            let asking = Asking { fetch_site: Some(site), ..get("/api/runs") };
            assert_eq!(status(&access, &asking), StatusCode::OK);
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
            let asking = Asking { origin: Some(origin), ..get("/api/runs") };
            assert_eq!(status(&access, &asking), wanted, "{origin}");
        }
    }

    #[test]
    fn changes_need_the_mark() {
        let access = access("127.0.0.1:8642", None);
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS] {
            for path in ["/api/start", ENTER] {
                let asking = Asking { method: method.clone(), ..get(path) };
                assert_eq!(status(&access, &asking), StatusCode::FORBIDDEN);
                assert_eq!(status(&access, &Asking { is_marked: true, ..asking }), StatusCode::OK);
            }
        }
    }

    #[test]
    fn requests_without_the_required_token_are_refused() {
        let token = Token::draw().unwrap();
        let (good, other) = (token.reveal().to_owned(), Token::draw().unwrap().reveal().to_owned());
        let access = access("127.0.0.1:8642", Some(token));
        assert_eq!(status(&access, &get("/")), StatusCode::OK);
        for path in ["/api/runs", "/metrics", "/api/info", "/elsewhere", ENTER] {
            assert_eq!(status(&access, &get(path)), StatusCode::UNAUTHORIZED, "{path}");
        }
        let enter = Asking { method: Method::POST, is_marked: true, ..get(ENTER) };
        assert_eq!(access.judge(&enter).unwrap(), Visitor::Anybody);
        for wrong in [&other, "", &good[1..]] {
            assert_eq!(access.enter(wrong, &enter).unwrap_err().status, StatusCode::UNAUTHORIZED);
        }
        let cookie = access.enter(&good, &enter).unwrap().unwrap();
        assert!(!cookie.contains(&good) && cookie.starts_with("reelgauge-8642="), "{cookie}");
        assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
        let secret = sent_back(&cookie).split_once('=').unwrap().1.to_owned();
        for (cookies, wanted) in [
            (format!("a=b; reelgauge-8642={secret}; c=d"), StatusCode::OK),
            (format!("reelgauge-8642={other}; reelgauge-8642={secret}"), StatusCode::OK),
            (format!("reelgauge-8642={other}"), StatusCode::UNAUTHORIZED),
            (format!("reelgauge-8643={secret}"), StatusCode::UNAUTHORIZED),
            // The token is not a cookie.
            (format!("reelgauge-8642={good}"), StatusCode::UNAUTHORIZED),
            ("reelgauge-8642=".to_owned(), StatusCode::UNAUTHORIZED),
            (secret.clone(), StatusCode::UNAUTHORIZED),
        ] {
            let asking = Asking { cookies: Some(&cookies), ..get("/api/runs") };
            assert_eq!(status(&access, &asking), wanted, "{cookies}");
        }
        for (shown, wanted) in [
            (format!("Bearer {good}"), StatusCode::OK),
            (format!("bearer {good}"), StatusCode::OK),
            (format!("Bearer {secret}"), StatusCode::UNAUTHORIZED),
            (format!("Basic {good}"), StatusCode::UNAUTHORIZED),
            ("Bearer ".to_owned(), StatusCode::UNAUTHORIZED),
        ] {
            let asking = Asking { authorization: Some(&shown), ..get("/metrics") };
            assert_eq!(status(&access, &asking), wanted, "{shown}");
        }
    }

    #[test]
    fn browsers_are_distinguished_by_session_and_programs_are_not() {
        let token = Token::draw().unwrap();
        let good = token.reveal().to_owned();
        let access = access("127.0.0.1:8642", Some(token));
        let enter = Asking { method: Method::POST, is_marked: true, ..get(ENTER) };
        for number in 1..=2 {
            let cookies = sent_back(&access.enter(&good, &enter).unwrap().unwrap());
            let asking = Asking { cookies: Some(&cookies), ..get("/api/runs") };
            assert_eq!(access.judge(&asking).unwrap(), Visitor::Session(number));
        }
        let shown = format!("Bearer {good}");
        let asking = Asking { authorization: Some(&shown), ..get("/api/runs") };
        assert_eq!(access.judge(&asking).unwrap(), Visitor::Anybody);
    }

    #[test]
    fn without_a_token_there_is_nothing_to_enter() {
        let access = access("127.0.0.1:8642", None);
        assert_eq!(access.judge(&get("/api/runs")).unwrap(), Visitor::Anybody);
        assert_eq!(access.enter("whatever", &get(ENTER)).unwrap(), None);
    }
}
