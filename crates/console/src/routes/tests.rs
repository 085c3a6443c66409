//! Tests of all handlers together, without a socket.

#![allow(clippy::unwrap_used)]

mod suites;

use std::fs;
use std::path::PathBuf;

use axum::body::Body;
use axum::http::request::Builder;
use clap::{Arg, Command, value_parser};
use http_body_util::BodyExt;
use reelgauge_analysis::Outcome;
use reelgauge_engine::roots::Roots;
use reelgauge_results::live::{path_in, process::own_mark};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::*;
use crate::access::AccessRules;
use crate::events::tests::{begin_line, end_line};
use crate::forms::Form;
use crate::origin::ConsoleOrigin;
use crate::run_start::{Planned, Starter};
use crate::runs::Runs;
use crate::runs::tests::{make_run, summary};
use crate::token::Token;

/// A server with a folder of runs and one root, and methods to send it requests.
struct Scene {
    folder: tempfile::TempDir,
    router: Router,
    runtime: tokio::runtime::Runtime,
}

struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }
}

fn scene(token: Option<Token>) -> Scene {
    scene_at(None, token)
}

/// The same server behind a proxy.
fn scene_at(public_url: Option<&str>, token: Option<Token>) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    fs::create_dir(top.join("root")).unwrap();
    let path = Arg::new("path").required(true).value_parser(value_parser!(PathBuf));
    let starter = Starter {
        // Refuses any arguments.
        program: PathBuf::from("/bin/false"),
        forms: vec![Form::of(&Command::new("check").arg(path))],
        roots: Roots::new(&[top.join("root")]).unwrap(),
        traces: Arc::default(),
        ahead: |words| Ok(Planned { takes: format!("{} words", words.len()), ..Planned::default() }),
    };
    let listens = "127.0.0.1:8642".parse().unwrap();
    let site = ConsoleOrigin::new(listens, &[], false, public_url.map(|url| url.parse().unwrap()));
    let runs = Runs::in_dir(&top.join("runs")).unwrap();
    let app = App::new("1.2.3".to_owned(), "nas1".to_owned(), AccessRules::new(site, token), runs, starter);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    Scene { folder, router: router(Arc::new(app)), runtime }
}

impl Scene {
    fn runs(&self) -> PathBuf {
        self.folder.path().join("runs")
    }

    fn send_request(
        &self,
        method: &str,
        uri: &str,
        body: &str,
        adapt: impl FnOnce(Builder) -> Builder,
    ) -> Reply {
        let request = Request::builder().method(method).uri(uri).header("host", "127.0.0.1:8642");
        self.answer(adapt(request), body)
    }

    fn answer(&self, request: Builder, body: &str) -> Reply {
        let request = request.body(Body::from(body.to_owned())).unwrap();
        self.runtime.block_on(async {
            let response = self.router.clone().oneshot(request).await.unwrap();
            let (parts, body) = response.into_parts();
            let text = body.collect().await.unwrap().to_bytes();
            let text = String::from_utf8(text.to_vec()).unwrap();
            Reply { status: parts.status, headers: parts.headers, text }
        })
    }

    fn get(&self, uri: &str) -> Reply {
        self.send_request("GET", uri, "", |request| request)
    }

    /// A change, as the page requests it.
    fn change(&self, method: &str, uri: &str, body: &str) -> Reply {
        let json = ("content-type", "application/json");
        self.send_request(method, uri, body, |request| request.header(MARK, "1").header(json.0, json.1))
    }

    /// A run that ended.
    fn ended(&self, name: &str) -> PathBuf {
        let run = make_run(&self.runs(), name);
        run.write_summary(&summary(Outcome::Complete)).unwrap();
        fs::write(path_in(run.path()), begin_line(1, "before/1") + &end_line()).unwrap();
        run.path().to_owned()
    }
}

#[test]
fn every_answer_has_the_security_headers() {
    let scene = scene(None);
    let foreign =
        scene.send_request("GET", "/api/runs", "", |request| request.header("origin", "http://evil.example"));
    let asked =
        ["/", "/api/runs", "/api/info", "/metrics", "/nothing", "/api/runs/x/page", "/api/runs/%ff/page"];
    let told = asked.map(|uri| scene.get(uri));
    for told in told.iter().chain([&foreign]) {
        let header = |name: &str| told.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
        assert!(header("content-security-policy").contains("frame-ancestors 'none'"), "{}", told.text);
        assert!(header("content-security-policy").starts_with("default-src 'none'"), "{}", told.text);
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("referrer-policy"), "no-referrer");
        assert_eq!(header("cache-control"), "no-store");
        assert_eq!(header("cross-origin-resource-policy"), "same-origin");
        assert_eq!(header("access-control-allow-origin"), "");
        let is_error = told.status.is_client_error();
        assert!(
            !is_error || told.json()["error"].as_str().is_some_and(|text| !text.is_empty()),
            "{}",
            told.text
        );
    }
    assert_eq!(foreign.status, StatusCode::FORBIDDEN);
    let page = &told[0];
    assert!(page.status == StatusCode::OK && page.text == *PAGE);
    assert!(page.headers["content-type"].to_str().unwrap().starts_with("text/html"));
    assert!(page.headers["content-security-policy"].to_str().unwrap().contains("script-src 'sha256-"));
    assert!(!told[1].headers["content-security-policy"].to_str().unwrap().contains("script-src"));
}

#[test]
fn cross_origin_requests_change_nothing() {
    let scene = scene(None);
    let run = scene.ended("run");
    type Adapt = fn(Builder) -> Builder;
    let refused: [(&str, Adapt); 8] = [
        ("no mark", |request| request),
        ("cross-site", |request| request.header(MARK, "1").header("sec-fetch-site", "cross-site")),
        ("same-site", |request| request.header(MARK, "1").header("sec-fetch-site", "same-site")),
        ("origin", |request| request.header(MARK, "1").header("origin", "http://evil.example:8642")),
        ("null", |request| request.header(MARK, "1").header("origin", "null")),
        ("two origins", |request| {
            request.header(MARK, "1").header("origin", "http://127.0.0.1:8642").header("origin", "http://x")
        }),
        ("two hosts", |request| request.header(MARK, "1").header("host", "evil.example:8642")),
        ("no text", |request| request.header(MARK, "1").header("origin", &b"\xff"[..])),
    ];
    for (what, adapt) in refused {
        for (method, uri) in [
            ("DELETE", "/api/runs/run"),
            ("POST", "/api/runs/run/stop"),
            ("PUT", "/api/runs/run/notes"),
            ("POST", "/api/start"),
        ] {
            assert_eq!(
                scene.send_request(method, uri, "{}", adapt).status,
                StatusCode::FORBIDDEN,
                "{what} {uri}"
            );
        }
    }
    assert!(run.exists() && !run.join("notes.json").exists());
    let own: Adapt = |request| {
        request
            .header(MARK, "1")
            .header("origin", "http://127.0.0.1:8642")
            .header("sec-fetch-site", "same-origin")
    };
    assert_eq!(scene.send_request("DELETE", "/api/runs/run", "", own).status, StatusCode::NO_CONTENT);
    assert!(!run.exists());
}

fn set_cookie(told: &Reply) -> &str {
    told.headers["set-cookie"].to_str().unwrap()
}

/// The part of a cookie that a browser sends back.
fn sent_back(told: &Reply) -> String {
    set_cookie(told).split(';').next().unwrap().to_owned()
}

#[test]
fn the_token_is_exchanged_for_a_cookie_and_requests_without_one_are_refused() {
    let token = Token::draw().unwrap();
    let text = token.reveal().to_owned();
    let scene = scene(Some(token));
    let refused = scene.get("/api/runs");
    assert_eq!(refused.status, StatusCode::UNAUTHORIZED);
    assert!(refused.headers["www-authenticate"] == "Bearer" && refused.text.contains("link"));
    // A token in an address would end up in histories and logs, so it is not accepted there.
    let page = scene.get(&format!("/?token={text}"));
    assert!(page.status == StatusCode::OK && !page.headers.contains_key("set-cookie"));
    assert_eq!(scene.get(&format!("/api/runs?token={text}")).status, StatusCode::UNAUTHORIZED);
    let welcome = scene.change("POST", ENTER, &json!({"token": text}).to_string());
    assert_eq!((welcome.status, welcome.text.as_str()), (StatusCode::NO_CONTENT, ""));
    let cookie = sent_back(&welcome);
    assert!(!cookie.contains(&text), "{cookie}");
    let with = scene.send_request("GET", "/api/runs", "", |request| request.header("cookie", cookie));
    assert_eq!(with.status, StatusCode::OK);
    let bearer = format!("Bearer {text}");
    let scrape = scene.send_request("GET", "/metrics", "", |request| request.header("authorization", bearer));
    assert_eq!(scrape.status, StatusCode::OK);
    for body in [json!({"token": "0".repeat(32)}), json!({"token": ""}), json!({})] {
        let wrong = scene.change("POST", ENTER, &body.to_string());
        assert!(wrong.status.is_client_error() && !wrong.headers.contains_key("set-cookie"), "{body}");
    }
    let body = json!({"token": text}).to_string();
    let foreign = scene.send_request("POST", ENTER, &body, |request| {
        request
            .header(MARK, "1")
            .header("content-type", "application/json")
            .header("origin", "http://evil.example")
    });
    assert!(foreign.status == StatusCode::FORBIDDEN && !foreign.headers.contains_key("set-cookie"));
}

#[test]
fn proxied_console_is_below_its_path_prefix() {
    let token = Token::draw().unwrap();
    let body = json!({"token": token.reveal()}).to_string();
    let scene = scene_at(Some("https://nas.example.com/reelgauge/"), Some(token));
    let json = ("content-type", "application/json");
    // Three kinds of proxies: the first keeps host and path, the second replaces the host, and the third
    // also strips the path.
    for (host, path) in
        [("nas.example.com", "/reelgauge"), ("127.0.0.1:8642", "/reelgauge"), ("127.0.0.1:8642", "")]
    {
        let ask = |method: &str, uri: &str, body: &str, cookie: &str| {
            let request = Request::builder().method(method).uri(format!("{path}{uri}")).header("host", host);
            let request = request.header("origin", "https://nas.example.com").header("cookie", cookie);
            scene.answer(request.header(MARK, "1").header(json.0, json.1), body)
        };
        assert_eq!(ask("GET", "/", "", "").text, *PAGE, "{host} {path}");
        assert_eq!(ask("GET", "/api/runs", "", "").status, StatusCode::UNAUTHORIZED);
        let welcome = ask("POST", ENTER, &body, "");
        let cookie = set_cookie(&welcome);
        assert!(cookie.ends_with("; Path=/reelgauge/; HttpOnly; SameSite=Strict; Secure"), "{cookie}");
        let cookie = sent_back(&welcome);
        for uri in ["/api/runs", "/api/runs?x=1", "/api/info", "/metrics"] {
            assert_eq!(ask("GET", uri, "", &cookie).status, StatusCode::OK, "{host} {path}{uri}");
        }
        assert_eq!(ask("GET", "/api/nothing", "", &cookie).status, StatusCode::NOT_FOUND);
    }
    let bare = scene.get("/reelgauge");
    assert_eq!(bare.status, StatusCode::PERMANENT_REDIRECT);
    assert_eq!(bare.headers["location"], "/reelgauge/");
    let own = scene.change("POST", ENTER, &body);
    assert!(set_cookie(&own).ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{}", set_cookie(&own));
    for host in ["evil.example", "nas.example.com:8642", "nas.example.com.evil.example"] {
        let request = Request::builder().uri("/reelgauge/").header("host", host);
        assert_eq!(scene.answer(request, "").status, StatusCode::FORBIDDEN, "{host}");
    }
}

#[test]
fn one_client_cannot_use_all_connections_and_busy_server_sends_retry_after() {
    let token = Token::draw().unwrap();
    let body = json!({"token": token.reveal()}).to_string();
    let scene = scene(Some(token));
    let run = make_run(&scene.runs(), "run");
    fs::write(path_in(run.path()), begin_line(std::process::id(), &own_mark())).unwrap();
    let cookies = [(); 2].map(|()| sent_back(&scene.change("POST", ENTER, &body)));
    let watch = |cookie: &str| {
        let request = Request::builder().uri("/api/runs/run/live").header("host", "127.0.0.1:8642");
        let request = request.header("cookie", cookie).body(Body::empty()).unwrap();
        scene.runtime.block_on(async { scene.router.clone().oneshot(request).await.unwrap() })
    };
    let watching: Vec<Response> = (0..40).map(|_| watch(&cookies[0])).collect();
    let (let_in, refused): (Vec<_>, Vec<_>) =
        watching.into_iter().partition(|response| response.status() == StatusCode::OK);
    assert_eq!((let_in.len(), refused.len()), (16, 24));
    assert!(refused.iter().all(|response| response.headers()["retry-after"] == "2"));
    assert_eq!(watch(&cookies[1]).status(), StatusCode::OK);
    drop(let_in);
    assert_eq!(watch(&cookies[0]).status(), StatusCode::OK);
}

#[test]
fn no_address_leads_out_of_the_folder_of_runs() {
    let scene = scene(None);
    let secret = make_run(scene.folder.path(), "secret");
    fs::write(path_in(secret.path()), begin_line(1, "before/1") + &end_line()).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(secret.path(), scene.runs().join("link")).unwrap();
    let absolute = secret.path().display().to_string().replace('/', "%2f");
    for id in [
        "..",
        "%2e%2e",
        "..%2fsecret",
        "%2e%2e%2fsecret",
        "..%5csecret",
        "link",
        "%00",
        "secret%00",
        &absolute,
    ] {
        for (method, end) in [
            ("GET", "/page"),
            ("GET", "/map?file=0"),
            ("GET", "/ops"),
            ("GET", "/live"),
            ("PUT", "/notes"),
            ("POST", "/stop"),
            ("DELETE", ""),
        ] {
            let told = scene.change(method, &format!("/api/runs/{id}{end}"), "{}");
            let is_refused = matches!(told.status.as_u16(), 400 | 404 | 405);
            assert!(is_refused, "{method} {id}{end}: {} {}", told.status, told.text);
        }
        let told = scene.get(&format!("/api/traces/{id}/page"));
        assert!(matches!(told.status.as_u16(), 400 | 404), "{id}: {}", told.status);
        let told = scene.get(&format!("/api/compare?run={id}&run={id}"));
        assert!(matches!(told.status.as_u16(), 400 | 404), "{id}: {}", told.status);
    }
    assert!(secret.path().exists() && !secret.path().join("notes.json").exists());
}

#[test]
fn notes_are_written_and_listed() {
    let scene = scene(None);
    scene.ended("run");
    let notes = json!({"name": "Monday", "tags": ["nas"], "note": "</script>", "storage_make": "A",
        "storage_model": "B", "storage_firmware": "1", "storage_other": {"raid": "6"}});
    let told = scene.change("PUT", "/api/runs/run/notes", &notes.to_string());
    assert_eq!(told.status, StatusCode::NO_CONTENT, "{}", told.text);
    assert_eq!(scene.get("/api/runs").json()[0]["notes"], notes);
    for (body, status) in [
        (r#"{"note":"#.to_owned(), 400),
        (r#"{"note":1}"#.to_owned(), 422),
        (json!({"note": "x".repeat(10_001)}).to_string(), 400),
        (json!({"note": "x".repeat(BODY_MAX_BYTES)}).to_string(), 413),
    ] {
        let told = scene.change("PUT", "/api/runs/run/notes", &body);
        assert_eq!(told.status.as_u16(), status, "{}", told.text);
        assert!(told.json()["error"].is_string());
    }
    let plain = scene.send_request("PUT", "/api/runs/run/notes", "{}", |request| request.header(MARK, "1"));
    assert_eq!(plain.status.as_u16(), 415);
    assert_eq!(scene.get("/api/runs").json()[0]["notes"], notes);
}

#[test]
fn a_run_in_progress_is_watched_and_neither_shown_nor_deleted() {
    let scene = scene(None);
    let run = make_run(&scene.runs(), "run");
    let own = begin_line(std::process::id(), &own_mark());
    fs::write(path_in(run.path()), &own).unwrap();
    assert_eq!(scene.get("/api/runs").json()[0]["state"], "running");
    assert_eq!(scene.get("/api/runs/run/page").status, StatusCode::CONFLICT);
    assert_eq!(scene.change("DELETE", "/api/runs/run", "").status, StatusCode::CONFLICT);
    assert!(scene.get("/metrics").text.contains("reelgauge_runs{state=\"running\"} 1\n"));
    fs::write(path_in(run.path()), own.clone() + &end_line()).unwrap();
    let live = scene.get("/api/runs/run/live");
    assert_eq!(live.headers["content-type"], "text/event-stream");
    let data: Vec<&str> = live.text.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    assert_eq!(data, [own.trim(), end_line().trim()]);
    let ids: Vec<&str> = live.text.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
    let again = |id: &str| {
        let id = id.to_owned();
        scene.send_request("GET", "/api/runs/run/live", "", |request| request.header("last-event-id", id))
    };
    assert_eq!(again(ids[0]).text.lines().filter(|line| line.starts_with("data: ")).count(), 1);
    assert_eq!(again(ids[1]).status, StatusCode::NO_CONTENT);
    assert_eq!(again("nonsense").text.lines().filter(|line| line.starts_with("data: ")).count(), 2);
    assert_eq!(scene.change("POST", "/api/runs/run/stop", "").status, StatusCode::CONFLICT);
}

#[test]
fn pages_of_runs_and_traces_are_served() {
    let scene = scene(None);
    scene.ended("run");
    scene.ended("other");
    let page = scene.get("/api/runs/run/page").json();
    assert_eq!((page["kind"].as_str(), page["runs"][0]["id"].as_str()), (Some("run"), Some("run")));
    assert_eq!(page["runs"][0]["summary"]["verb"], "streams");
    // The page is cached until something about the run changes.
    let made_at = &page["made_at"];
    assert_eq!(&scene.get("/api/runs/run/page").json()["made_at"], made_at);
    scene.change("PUT", "/api/runs/run/notes", r#"{"name":"seen"}"#);
    let noted = scene.get("/api/runs/run/page").json();
    let configuration = noted["runs"][0]["sections"].as_array().unwrap().last().unwrap();
    let rows = serde_json::json!([["Name", "seen"]]);
    assert!(configuration["blocks"].as_array().unwrap().iter().any(|block| block["of"] == rows));
    let compared = scene.get("/api/compare?run=run&run=other");
    assert_eq!(compared.status, StatusCode::OK, "{}", compared.text);
    let compared = compared.json();
    assert_eq!((compared["kind"].as_str(), compared["runs"].as_array().unwrap().len()), (Some("compare"), 2));
    assert!(compared["comparison"]["rows"].is_array());
    for query in ["", "run=run", "run=run&run=missing"] {
        assert!(scene.get(&format!("/api/compare?{query}")).status.is_client_error());
    }
    let traces = scene.get("/api/traces").json();
    let name = traces.as_array().unwrap().last().unwrap()["name"].as_str().unwrap().to_owned();
    let trace = scene.get(&format!("/api/traces/{name}/page")).json();
    assert_eq!((trace["kind"].as_str(), trace["trace"]["id"].as_str()), (Some("trace"), Some(name.as_str())));
    assert_eq!(
        scene.get(&format!("/api/traces/{name}/ops?top=3")).json()["kind"].as_array().unwrap().len(),
        3
    );
    assert!(scene.get(&format!("/api/traces/{name}/map?file=0")).json()["cells"].is_array());
}

#[test]
fn a_start_that_fails_returns_the_reason() {
    let scene = scene(None);
    let start = |verb: &str, path: &str| {
        let body = json!({"verb": verb, "values": {"path": path}}).to_string();
        let told = scene.change("POST", "/api/start", &body);
        assert_eq!(told.status, StatusCode::OK, "{}", told.text);
        assert_eq!(told.json()["id"], Value::Null);
        told.json()["error"].as_str().unwrap().to_owned()
    };
    assert!(start("clean", "/").contains("'clean'"));
    assert!(start("check", "/etc").contains("--root"));
    let root = scene.folder.path().join("root").display().to_string();
    assert!(start("check", &root).starts_with("it ended "));
    let info = scene.get("/api/info").json();
    assert_eq!((info["version"].as_str(), info["host"].as_str()), (Some("1.2.3"), Some("nas1")));
    assert_eq!(info["roots"].as_array().unwrap().len(), 1);
    assert_eq!(scene.get("/api/forms").json()[0]["fields"][0]["name"], "path");
}

#[test]
fn form_is_checked_before_a_run_starts() {
    let scene = scene(None);
    let found = scene.get("/api/formats?words=prores%20hq%20uhd%2025").json();
    assert_eq!(found["formats"][0]["name"], "Apple ProRes 422 HQ UHD");
    assert!(scene.get("/api/choices").json()["scenarios"].as_array().unwrap().len() > 3);
    let target = scene.folder.path().canonicalize().unwrap().join("root").display().to_string();
    let ask = |path: &str| {
        let filled = json!({"verb": "check", "values": {"path": path}}).to_string();
        scene.change("POST", "/api/ahead", &filled).json()
    };
    assert_eq!(ask(&target)["command"], format!("reelgauge check {target}"));
    assert_eq!(ask(&target)["takes"], "3 words");
    let refused = ask("/etc");
    assert!(refused["takes"].is_null() && refused["error"].as_str().unwrap().contains("/etc"), "{refused}");
    assert_eq!(fs::read_dir(scene.runs()).unwrap().count(), 0);
}

#[test]
fn events_are_served_from_the_requested_offset() {
    let scene = scene(None);
    let run = make_run(&scene.runs(), "run");
    let begin = begin_line(std::process::id(), &own_mark());
    fs::write(path_in(run.path()), &begin).unwrap();
    let first = scene.get("/api/runs/run/events").json();
    assert_eq!(first["events"][0]["event"], "begin");
    let next = first["next"].as_u64().unwrap();
    assert_eq!(next, begin.len() as u64);
    let from = |place: u64| scene.get(&format!("/api/runs/run/events?from={place}")).json();
    assert_eq!(
        (from(next)["events"].as_array().unwrap().len(), from(next)["next"].as_u64()),
        (0, Some(next))
    );
    fs::write(path_in(run.path()), begin + &end_line()).unwrap();
    assert_eq!(from(next)["events"][0]["event"], "end");
    assert_eq!(scene.get("/api/runs/other/events").status, StatusCode::NOT_FOUND);
    assert!(scene.get("/api/runs/run/counters").json().is_null());
}
