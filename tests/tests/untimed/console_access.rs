//! Access to the console: the token is required on the local host too and must not leak; TLS with own
//! keys; and access through a proxy.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use reelgauge_tests::binary;
use reelgauge_tests::console::{Console, until};
use reelgauge_tests::daemon::Daemon;
use reelgauge_tests::http::Client;
use reelgauge_tests::needs::Need;
use reelgauge_tests::programs::tool_with;
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;
use serde_json::{Value, json};

fn mix(target: &Path, duration: &str) -> Value {
    json!({"path": target, "files": "2", "file-size": "16MiB", "length": "256KiB", "blocks": "64KiB",
        "workers": "2", "warmup": "0s", "duration": duration, "buffered": "true"})
}

/// Every file below a folder that holds this text.
fn files_with(dir: &Path, text: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        match entry.file_type().unwrap().is_dir() {
            true => found.extend(files_with(&path, text)),
            false => found.extend(holds(&path, text).then_some(path)),
        }
    }
    found
}

fn holds(path: &Path, text: &str) -> bool {
    // A process that has ended shows nothing.
    let bytes = fs::read(path).unwrap_or_default();
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Whether other users could see this text in the process list.
fn is_seen_at(pid: &str, text: &str) -> bool {
    ["cmdline", "environ"].iter().any(|file| holds(Path::new(&format!("/proc/{pid}/{file}")), text))
}

#[test]
fn the_token_is_required_on_the_local_host_too() {
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let console = Console::start(&scratch.dir("root"), runs.path());
    assert!(console.link.starts_with("http://127.0.0.1:"), "{}", console.link);
    assert!(console.token().len() >= 32, "{}", console.link);
    let stranger = console.client.stranger();
    for path in ["/api/runs", "/api/info", "/api/forms", "/api/traces", "/metrics", "/api/runs/x/live"] {
        assert!(stranger.get(path).expect(401).error().contains("token"), "{path}");
        // In a URL it would end up in logs and histories.
        stranger.get(&format!("{path}?token={}", console.token())).expect(401);
    }
    let body = json!({"verb": "check", "values": {"path": scratch.path().join("root")}}).to_string();
    stranger.change("POST", "/api/start", &body).expect(401);
    stranger.change("POST", "/api/runs/x/stop", "").expect(401);
    stranger.change("DELETE", "/api/runs/x", "").expect(401);
    let enter = |token: &str| stranger.change("POST", "/api/enter", &json!({"token": token}).to_string());
    enter(&"0".repeat(32)).expect(401);
    let cookie = enter(console.token()).expect(204).header("set-cookie").unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains("Secure") && !cookie.contains(console.token()), "{cookie}");
    console.client.browser(console.token()).get("/api/runs").expect(200);
    console.client.get("/metrics").expect(200);
    stranger.get("/").expect(200);
}

#[test]
fn token_appears_only_in_the_link() {
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let target = scratch.dir("target");
    let console = Console::start(scratch.path(), runs.path());
    let token = console.token().to_owned();
    let id = console
        .client
        .browser(&token)
        .change("POST", "/api/start", &{ json!({"verb": "mix", "values": mix(&target, "2s")}).to_string() });
    let id = id.expect(200).json()["id"].as_str().unwrap().to_owned();
    let begin = console.client.events(&format!("/api/runs/{id}/live")).next().unwrap();
    let run = begin["pid"].to_string();
    for pid in [run.as_str(), &console.running.pid().to_string()] {
        assert!(Path::new(&format!("/proc/{pid}/cmdline")).exists());
        assert!(!is_seen_at(pid, &token), "{pid}");
    }
    until("it has ended", || console.entry(&id).unwrap()["state"] == "complete");
    console.client.get(&format!("/api/runs/{id}/page")).expect(200);
    assert_eq!(files_with(runs.path(), &token), Vec::<PathBuf>::new());
    assert_eq!(files_with(scratch.path(), &token), Vec::<PathBuf>::new());
    assert!(!console.running.stderr().contains(&token), "{}", console.running.stderr());
    assert_eq!(console.running.stdout().matches(&token).count(), 1);
}

#[test]
fn browser_is_redirected_without_exposing_the_link() {
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    // Replaces the program that opens links. It notes its arguments, and the data that other users could
    // see.
    let bin = scratch.dir("bin");
    let opener = bin.join("xdg-open");
    let script = format!(
        "#!/bin/sh\nstat -c %a \"$1\" > '{0}/mode'; cat \"$1\" > '{0}/page'\n\
         tr '\\0' ' ' < /proc/$$/cmdline > '{0}/words'; echo done > '{0}/done'\n",
        scratch.path().display()
    );
    fs::write(&opener, script).unwrap();
    fs::set_permissions(&opener, Permissions::from_mode(0o755)).unwrap();
    let mut by = Command::new(binary::path());
    by.env("PATH", format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()));
    let console = Console::by(by, scratch.path(), runs.path(), &[]);
    until("the browser was told", || scratch.path().join("done").exists());
    let told = |name: &str| fs::read_to_string(scratch.path().join(name)).unwrap();
    assert_eq!(told("mode").trim(), "600");
    assert!(told("page").contains(&console.link), "{}", told("page"));
    let words = told("words");
    assert!(words.trim_end().ends_with(".html") && !words.contains(console.token()), "{words}");
}

#[test]
fn a_token_file_keeps_the_token_and_only_for_its_owner() {
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let file = scratch.path().join("token");
    let flags = ["--token-file", file.to_str().unwrap()];
    let bearer = |token: &str| Some(("Authorization", format!("Bearer {token}")));
    let token = {
        let console = Console::with(scratch.path(), runs.path(), &flags);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o600);
        let token = fs::read_to_string(&file).unwrap().trim().to_owned();
        // A service's output is kept in a journal.
        assert!(!console.link.contains(&token) && !console.running.stderr().contains(&token));
        assert!(console.running.stderr().contains(file.to_str().unwrap()));
        Client { pass: bearer(&token), ..console.client.clone() }.get("/api/runs").expect(200);
        console.client.get("/api/runs").expect(401);
        token
    };
    let console = Console::with(scratch.path(), runs.path(), &flags);
    Client { pass: bearer(&token), ..console.client.clone() }.get("/metrics").expect(200);
    drop(console);
    let refused = |what: &str| {
        let words = ["console", "--no-open", "--listen", "127.0.0.1:0", flags[0], flags[1], "--runs"];
        let words = words.map(OsStr::new).into_iter().chain([runs.path().as_os_str()]);
        let said = binary::run(words).expect_code(2);
        assert!(said.stderr.contains(what) && said.stdout.is_empty(), "{}", said.said());
        assert!(!said.stderr.contains(&token), "{}", said.stderr);
    };
    for mode in [0o644, 0o640, 0o604, 0o660] {
        fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        refused("chmod 600");
    }
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    fs::write(&file, "short\n").unwrap();
    refused("contains no token");
}

#[test]
fn console_without_token_warns_and_is_loopback_only() {
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let console = Console::with(scratch.path(), runs.path(), &["--no-token"]);
    assert!(console.running.stderr().contains("No token"));
    assert!(!console.link.contains("token"), "{}", console.link);
    console.client.stranger().get("/api/runs").expect(200);
    drop(console);
    let file = scratch.path().join("token");
    for (more, said) in [
        (["--listen", "0.0.0.0:0"], "--listen 127.0.0.1"),
        (["--listen", "[::]:0"], "--listen 127.0.0.1"),
        (["--public-url", "https://nas.example.com/"], "--public-url"),
        (["--token-file", file.to_str().unwrap()], "--token-file"),
    ] {
        let words = ["console", "--no-open", "--no-token", more[0], more[1]];
        let outcome = binary::run(words).expect_code(2);
        assert!(outcome.stderr.contains(said), "{}", outcome.said());
    }
    assert!(!file.exists());
}

/// A self-signed key and certificate for `nas1.example` and the local host.
fn key_pair(dir: &Path, name: &str) -> [String; 2] {
    let [cert, key] = ["crt", "key"].map(|end| dir.join(format!("{name}.{end}")).display().to_string());
    let words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    let names = ["-subj", "/CN=nas1.example", "-addext", "subjectAltName=DNS:nas1.example,IP:127.0.0.1"];
    let files = ["-days", "2", "-keyout", &key, "-out", &cert];
    tool_with(&[&words[..], &names, &files].concat()).unwrap();
    [cert, key]
}

/// The response that curl receives: status, headers and body, one after the other.
fn curl(cert: &str, words: &[&str]) -> Result<String, String> {
    let asked = ["curl", "--silent", "--show-error", "--include", "--max-time", "20", "--cacert", cert];
    tool_with(&[&asked[..], words].concat())
}

#[test]
fn console_with_certificate_accepts_only_tls() {
    require!(Need::Tool("openssl"), Need::Tool("curl"));
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let [cert, key] = key_pair(scratch.path(), "nas1");
    let flags = ["--tls-cert", &cert, "--tls-key", &key, "--listen", "0.0.0.0:0"];
    let console = Console::with(&scratch.dir("target"), runs.path(), &flags);
    assert!(console.link.starts_with("https://"), "{}", console.link);
    assert!(!console.running.stderr().contains("unencrypted"), "{}", console.running.stderr());
    let url = |path: &str| format!("https://{}{path}", console.client.address);
    let bearer = format!("Authorization: Bearer {}", console.token());
    // A silent client blocks no other client.
    let _silent: Vec<TcpStream> =
        (0..8).map(|_| TcpStream::connect(&console.client.address).unwrap()).collect();
    assert!(curl(&cert, &[&url("/")]).unwrap().contains("</html>"));
    assert!(curl(&cert, &[&url("/api/runs")]).unwrap().starts_with("HTTP/1.1 401"));
    let runs_told = curl(&cert, &["--header", &bearer, &url("/api/runs")]).unwrap();
    assert!(runs_told.starts_with("HTTP/1.1 200") && runs_told.ends_with("[]"), "{runs_told}");
    let shown = json!({"token": console.token()}).to_string();
    let origin = format!("Origin: https://{}", console.client.address);
    let words = ["--header", "X-Reelgauge: 1", "--json", &shown, &url("/api/enter")];
    let entered = curl(&cert, &[&["--header", &origin], &words[..]].concat()).unwrap();
    assert!(entered.contains("; HttpOnly; SameSite=Strict; Secure"), "{entered}");
    let other = format!("Origin: http://{}", console.client.address);
    let refused = curl(&cert, &[&["--header", &other], &words[..]].concat()).unwrap();
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    assert!(curl(&cert, &[&format!("http://{}/", console.client.address)]).is_err());
    // Events arrive as they are sent.
    let body = json!({"verb": "mix", "values": mix(&scratch.path().join("target"), "1s")}).to_string();
    let words = ["--header", &bearer, "--header", "X-Reelgauge: 1", "--json", &body, &url("/api/start")];
    let started = curl(&cert, &words).unwrap();
    let answer: Value = serde_json::from_str(started.lines().last().unwrap()).unwrap();
    let live =
        url(&format!("/api/runs/{}/live", answer["id"].as_str().unwrap_or_else(|| panic!("{answer}"))));
    let told = curl(&cert, &["--no-buffer", "--header", &bearer, &live]).unwrap();
    assert!(told.contains("\"event\":\"begin\"") && told.contains("\"outcome\":\"complete\""), "{told}");
}

#[test]
fn mismatched_keys_are_reported_before_the_server_listens() {
    require!(Need::Tool("openssl"));
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let [cert, key] = key_pair(scratch.path(), "one");
    let [_, other_key] = key_pair(scratch.path(), "other");
    let missing = scratch.path().join("missing.key").display().to_string();
    for (words, said) in [
        (["--tls-cert", &cert, "--tls-key", &other_key], "matching pair"),
        (["--tls-cert", &key, "--tls-key", &key], "--tls-cert"),
        (["--tls-cert", &cert, "--tls-key", &cert], "--tls-key"),
        (["--tls-cert", &cert, "--tls-key", &missing], "cannot read "),
    ] {
        let all =
            ["console", "--no-open", "--listen", "127.0.0.1:0", "--runs", runs.path().to_str().unwrap()];
        let outcome = binary::run(all.iter().chain(&words)).expect_code(2);
        assert!(outcome.stderr.contains(said) && outcome.stdout.is_empty(), "{}", outcome.said());
    }
    let alone = binary::run(["console", "--no-open", "--tls-cert", &cert]).expect_code(2);
    assert!(alone.stderr.contains("--tls-key"), "{}", alone.said());
}

#[test]
fn non_loopback_address_warns_of_a_cleartext_token() {
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let console = Console::with(scratch.path(), runs.path(), &["--listen", "0.0.0.0:0"]);
    assert!(console.running.stderr().contains("unencrypted"), "{}", console.running.stderr());
    console.client.stranger().get("/api/runs").expect(401);
    // Names of other hosts are refused; the host's own addresses are not.
    let port = console.client.address.rsplit(':').next().unwrap();
    for host in ["evil.example", "nas1.evil.example", "localhost.evil.example"] {
        console.client.ask("GET", "/", &[("Host", &format!("{host}:{port}"))], "").expect(403);
    }
    let name = tool_with(&["hostname"]).unwrap().trim().to_ascii_lowercase();
    let local = format!("{}.local", name.split('.').next().unwrap());
    for host in [name.as_str(), &local, "192.0.2.7", "localhost"] {
        console.client.ask("GET", "/", &[("Host", &format!("{host}:{port}"))], "").expect(200);
    }
    drop(console);
    let console = Console::start(scratch.path(), runs.path());
    assert!(!console.running.stderr().contains("unencrypted"), "{}", console.running.stderr());
}

/// nginx with TLS on a local port, with each of these locations leading to the console.
fn nginx(scratch: &Scratch, console: &str, locations: &[(&str, &str)]) -> (Daemon, u16, String) {
    let [cert, key] = key_pair(scratch.path(), "proxy");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let dir = scratch.path().display();
    let locations: Vec<String> = locations
        .iter()
        .map(|(location, more)| format!("location {location} {{ {} }}", more.replace("CONSOLE", console)))
        .collect();
    let text = format!(
        "daemon off; master_process off; pid {dir}/nginx.pid; error_log {dir}/error.log;\n\
         events {{ }}\nhttp {{ access_log {dir}/access.log; client_body_temp_path {dir}/t1; proxy_temp_path {dir}/t2;\n\
         fastcgi_temp_path {dir}/t3; uwsgi_temp_path {dir}/t4; scgi_temp_path {dir}/t5;\n\
         server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {cert}; ssl_certificate_key {key};\n{}\n}} }}\n",
        locations.join("\n")
    );
    let conf = scratch.path().join("nginx.conf");
    fs::write(&conf, text).unwrap();
    let path = format!("{}:/usr/sbin", std::env::var("PATH").unwrap());
    let mut command = Command::new("nginx");
    command.env("PATH", path).arg("-e").arg(scratch.path().join("early.log")).arg("-c").arg(&conf);
    let is_ready = || TcpStream::connect(("127.0.0.1", port)).is_ok();
    (Daemon::start(&mut command, &scratch.path().join("nginx.log"), is_ready), port, cert)
}

/// Starts a run through a proxy and follows it, as the page does with addresses relative to its own.
fn sees_a_run(cert: &str, url: &str, origin: &str, token: &str, target: &Path) {
    let page = curl(cert, &[url]).unwrap();
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("</html>"), "{url}");
    let (origin, mark) = (format!("Origin: {origin}"), "X-Reelgauge: 1");
    let change = |path: &str, cookie: &str, body: &Value| {
        let (url, cookie, body) = (format!("{url}{path}"), format!("Cookie: {cookie}"), body.to_string());
        let words = ["--header", &origin, "--header", mark, "--header", &cookie, "--json", &body, &url];
        curl(cert, &words).unwrap()
    };
    let entered = change("api/enter", "", &json!({"token": token}));
    let cookie = entered
        .lines()
        .find_map(|line| line.strip_prefix("set-cookie: "))
        .unwrap_or_else(|| panic!("{entered}"));
    let path = url.splitn(4, '/').nth(3).map(|path| format!("; Path=/{path};")).unwrap();
    assert!(cookie.contains("; Secure") && cookie.contains(&path), "{cookie} at {url}");
    let cookie = cookie.split(';').next().unwrap();
    let started = change("api/start", cookie, &json!({"verb": "mix", "values": mix(target, "3s")}));
    let answer: Value = serde_json::from_str(started.lines().last().unwrap()).unwrap();
    let id = answer["id"].as_str().unwrap_or_else(|| panic!("{started}"));
    let (live, cookie) = (format!("{url}api/runs/{id}/live"), format!("Cookie: {cookie}"));
    // The run takes three seconds. Events that arrive within one were not buffered until its end.
    let words = [
        "curl",
        "--silent",
        "--no-buffer",
        "--max-time",
        "1.5",
        "--cacert",
        cert,
        "--header",
        &cookie,
        &live,
    ];
    let early = Command::new(words[0]).args(&words[1..]).output().unwrap();
    let early = String::from_utf8_lossy(&early.stdout).into_owned();
    assert!(early.contains("\"event\":\"begin\"") && !early.contains("\"event\":\"end\""), "{url}: {early}");
    let whole = curl(cert, &["--header", &cookie, &live]).unwrap();
    assert!(whole.contains("\"outcome\":\"complete\""), "{url}: {whole}");
}

/// The nginx location from the documentation, word by word.
fn documented_location() -> (&'static str, String) {
    let text = include_str!("../../../docs/console.md");
    let lines = text.split_once("```nginx\n").and_then(|(_, rest)| rest.split_once("```")).unwrap().0;
    let (location, rest) = lines.strip_prefix("location ").unwrap().split_once(" {").unwrap();
    (location, rest.trim().strip_suffix('}').unwrap().replace("127.0.0.1:8642", "CONSOLE"))
}

#[test]
fn console_works_behind_nginx_with_and_without_a_path_prefix() {
    require!(Need::Tool("nginx"), Need::Tool("openssl"), Need::Tool("curl"));
    let (documented, lines) = documented_location();
    assert!(lines.contains("http://CONSOLE/"), "{lines}");
    for (path, location) in [
        // The path prefix is removed; the proxy sends its own Host.
        (documented, lines.as_str()),
        // Path prefix and Host are kept.
        ("/reelgauge/", "proxy_pass http://CONSOLE; proxy_set_header Host $http_host;"),
        ("/", "proxy_pass http://CONSOLE;"),
    ] {
        let (scratch, runs) = (Scratch::new(), Scratch::new());
        let target = scratch.dir("target");
        // nginx needs the console's port and the console nginx's, so one of them is chosen first.
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let (mut nginx, port, cert) = nginx(&scratch, &free, &[(path, location)]);
        let (origin, url) = (format!("https://127.0.0.1:{port}"), format!("https://127.0.0.1:{port}{path}"));
        let flags = ["--public-url", &url, "--listen", &free];
        let console = Console::with(&target, runs.path(), &flags);
        assert_eq!(console.link, format!("{url}#token={}", console.token()));
        sees_a_run(&cert, &url, &origin, console.token(), &target);
        if path != "/" {
            let bare = curl(&cert, &[url.trim_end_matches('/')]).unwrap();
            assert!(bare.starts_with("HTTP/1.1 30") && bare.contains("/reelgauge/"), "{bare}");
        }
        let evil = ["--header", "Origin: https://evil.example", &format!("{url}api/runs")].map(str::to_owned);
        let evil = curl(&cert, &evil.each_ref().map(String::as_str)).unwrap();
        assert!(evil.starts_with("HTTP/1.1 403"), "{evil}");
        // The console accepts the proxy's name and no other.
        console.client.ask("GET", "/", &[("Host", "evil.example")], "").expect(403);
        nginx.kill();
        let token = console.token();
        let logs = ["access.log", "error.log", "nginx.log"];
        assert!(logs.iter().all(|log| !holds(&scratch.path().join(log), token)));
        assert!(holds(&scratch.path().join("access.log"), "/api/enter"));
    }
}

#[test]
fn many_wrong_tokens_do_not_lock_out_valid_clients() {
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let console = Console::start(scratch.path(), runs.path());
    let known = console.client.browser(console.token());
    let began = Instant::now();
    for guess in 0..200_u32 {
        let shown = json!({ "token": format!("{guess:032x}") }).to_string();
        console.client.stranger().change("POST", "/api/enter", &shown).expect(401);
    }
    // Refused logins end no existing session.
    known.get("/api/runs").expect(200);
    assert!(began.elapsed() < Duration::from_secs(60));
}
