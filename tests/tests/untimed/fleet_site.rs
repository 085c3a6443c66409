//! A fleet's site with a real nats-server: who is admitted, who may publish on which subject, whose
//! orders are obeyed, and the end of a server without its owner.
//!
//! The hostile clients use the product's own library and that of NATS, because the binary would not do
//! that.

use std::io::Read;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use reelgauge_fleet::agent::presence::{Presence, RefusedOrder};
use reelgauge_fleet::connection::{ConnectionError, FleetConnection, Happening, Login};
use reelgauge_fleet::envelope::Sealer;
use reelgauge_fleet::fleet_site::agent_name::{AgentName, AgentSession, FleetId};
use reelgauge_fleet::fleet_site::directory::FleetSite;
use reelgauge_fleet::fleet_site::join_file::JoinFile;
use reelgauge_fleet::fleet_site::key::{SealingKey, UserKey};
use reelgauge_fleet::fleet_site::subject::{Question, ask, event, order};
use reelgauge_tests::binary::{self, Running};
use reelgauge_tests::fleet::{Fleet, SOON};
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;
use rustix::process::Signal;
use serde_json::Value;
use tokio::runtime::Runtime;

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn name(text: &str) -> AgentName {
    text.parse().unwrap()
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Waits until an agent has printed this.
#[track_caller]
fn says(agent: &mut Running, words: &str) {
    let said = agent.until(SOON, |agent| agent.stderr().contains(words));
    assert!(said.is_some(), "it does not say '{words}'\n{}", agent.stderr());
}

#[test]
fn site_is_private_and_never_overwritten() {
    let scratch = Scratch::new();
    let dir = scratch.path().join("fleet");
    let at = dir.display().to_string();
    let init = ["fleet", "init", at.as_str(), "--count", "2", "--listen", "127.0.0.1:4222"];
    binary::run(init).expect_code(0);
    let join = dir.join("join/agent-2.toml");
    assert_eq!((mode(&dir), mode(&join), mode(&dir.join("keys/seal.key"))), (0o700, 0o600, 0o600));
    let before = std::fs::read(&join).unwrap();
    let again = binary::run(init).expect_code(2);
    assert!(again.stderr.contains("never overwritten"), "{}", again.stderr);
    assert_eq!(std::fs::read(&join).unwrap(), before);
    let revoke = |agent: &str| binary::run(["fleet", "revoke", agent, "--fleet", &at]);
    revoke("agent-2").expect_code(0);
    assert!(!join.exists());
    let unknown = revoke("agent-9").expect_code(2);
    assert!(unknown.stderr.contains(": agent-1"), "{}", unknown.stderr);
    binary::run(["fleet", "add", "agent-2", "--fleet", &at]).expect_code(0);
    assert_ne!(std::fs::read(&join).unwrap(), before);
    // A file that other users could read is not secret, so the agent does not connect with it.
    std::fs::set_permissions(&join, std::fs::Permissions::from_mode(0o640)).unwrap();
    let root = scratch.dir("root").display().to_string();
    let loose = binary::run(["agent", "--join", &join.display().to_string(), "--root", &root]).expect_code(2);
    assert!(loose.stderr.contains("0640"), "{}", loose.stderr);
    // Only Windows has a service manager that expects an answer. On other systems the agent does not
    // start.
    let agent = ["agent", "--join", "nothing.toml", "--root", &root, "--service"];
    let service = binary::run(agent).expect_code(2);
    assert!(service.stderr.contains("--service "), "{}", service.stderr);
    let nowhere = ["fleet", "init", "other", "--agents", "a", "--listen", "0.0.0.0:4222"];
    assert!(binary::run(nowhere).expect_code(2).stderr.contains("--host"));
    let missing = binary::run(["fleet", "up", at.as_str(), "--nats-server", "/nothing/here"]).expect_code(2);
    assert!(missing.stderr.contains("--nats-server"), "{}", missing.stderr);
}

#[test]
fn agents_appear_with_their_host_and_are_revoked() {
    require!(Need::NatsServer);
    let fleet = Fleet::start(&["a", "b"]);
    let root = fleet.root("nas");
    let mut a = fleet.agent("a", &root, &["--max-space", "1GiB"]);
    let listed = fleet.ask(&["ls", "--json", "--wait", "10s"]).expect_code(1).json();
    let present = &listed[0]["present"][0];
    assert_eq!(present["agent"], "a");
    assert_eq!(present["roots"][0]["path"], root.display().to_string());
    assert!(present["roots"][0]["available_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{present}");
    assert_eq!(present["limits"]["space_bytes"], 1 << 30);
    assert_eq!(listed[1]["present"], Value::Array(Vec::new()));
    let listed = fleet.ask(&["ls"]).expect_code(1);
    let shown = &listed.stdout;
    assert!(listed.words().starts_with("1 of 2 agents "), "{shown}");
    assert!(binary::too_wide(shown, 100).is_empty(), "{shown}");
    // It is the same clock, so the real offset must be within the reported error, however busy the host
    // is.
    let clock = &fleet.ask(&["ping", "--json"]).expect_code(1).json()[0]["clock"];
    let (offset, uncertainty) =
        (clock["offset_ns"].as_i64().unwrap(), clock["uncertainty_ns"].as_u64().unwrap());
    assert!(offset.unsigned_abs() <= uncertainty, "{clock}");
    // An agent added later is admitted. A revoked one is disconnected, whatever it is doing.
    fleet.ask(&["add", "c"]).expect_code(0);
    says_of_up(&fleet, "reloaded");
    let mut c = fleet.agent("c", &root, &[]);
    fleet.ask(&["revoke", "a"]).expect_code(0);
    assert!(a.until(SOON, Running::has_ended).is_some(), "a goes on\n{}", a.stderr());
    let ended = a.wait(SOON);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains(" rejected a: "), "{}", ended.stderr);
    assert!(!c.has_ended(), "{}", c.stderr());
    c.signal(Signal::TERM);
    c.wait(SOON).expect_code(0);
}

/// Waits until the server's owner has printed this. Only this function needs the output of a fleet's
/// `up`.
#[track_caller]
fn says_of_up(fleet: &Fleet, words: &str) {
    let start = Instant::now();
    while !fleet.up_says().contains(words) {
        assert!(start.elapsed() < SOON, "the server's owner does not say '{words}'\n{}", fleet.up_says());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_server_never_outlives_its_owner_and_agents_come_back() {
    require!(Need::NatsServer);
    let mut fleet = Fleet::start(&["a"]);
    let mut agent = fleet.agent("a", &fleet.root("nas"), &[]);
    let before = session_of(&fleet);
    fleet.up().signal(Signal::KILL);
    assert!(fleet.falls_silent(), "nats-server outlives the one who started it");
    says(&mut agent, "Lost the connection");
    fleet.up_again();
    let start = Instant::now();
    while fleet.ask(&["ls", "--json"]).code != Some(0) {
        assert!(start.elapsed() < SOON, "the agent does not come back\n{}", agent.stderr());
    }
    // The same process, not restarted.
    assert_eq!(session_of(&fleet), before);
    fleet.up().signal(Signal::TERM);
    assert!(fleet.falls_silent());
}

fn session_of(fleet: &Fleet) -> String {
    let listed = fleet.ask(&["ls", "--json", "--wait", "10s"]).expect_code(0).json();
    listed[0]["present"][0]["session"].as_str().unwrap().to_owned()
}

#[test]
fn unknown_clients_are_refused_and_all_traffic_is_encrypted() {
    require!(Need::NatsServer);
    let fleet = Fleet::start(&["a"]);
    // A server that speaks first, as NATS does without TLS first, would reveal itself.
    let mut plain = TcpStream::connect(("127.0.0.1", fleet.port())).unwrap();
    plain.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    let mut said = [0; 64];
    let read = plain.read(&mut said).unwrap_or(0);
    assert_eq!(read, 0, "{}", String::from_utf8_lossy(&said));
    let site = FleetSite::open(&fleet.dir()).unwrap();
    let url = site.register().servers[0].clone();
    let runtime = runtime();
    let unnamed = async_nats::ConnectOptions::new().tls_first().add_root_certificates(site.authority_path());
    let error = runtime.block_on(unnamed.connect(url.as_str())).unwrap_err();
    assert_eq!(error.kind(), async_nats::ConnectErrorKind::AuthorizationViolation, "{error}");
    // A key that an attacker generated, and the real key at a server that anyone may have set up.
    let join = JoinFile::read(&fleet.join("a")).unwrap();
    let stranger = JoinFile { key: UserKey::draw(), ..join.clone() };
    let error = runtime.block_on(Login::of_agent(&stranger).connect()).unwrap_err();
    assert!(matches!(error, ConnectionError::NotAdmitted { .. }), "{error}");
    let other = Fleet::start(&["a"]);
    let authority_pem = JoinFile::read(&other.join("a")).unwrap().authority_pem;
    let elsewhere = JoinFile { authority_pem, ..join };
    let error = runtime.block_on(Login::of_agent(&elsewhere).connect()).unwrap_err();
    assert!(matches!(error, ConnectionError::NotOurs { .. }), "{error}");
}

#[test]
fn an_agents_key_is_no_controllers_and_opens_nothing_of_another() {
    require!(Need::NatsServer);
    let fleet = Fleet::start(&["a", "b"]);
    let mut b = fleet.agent("b", &fleet.root("nas"), &[]);
    let join = JoinFile::read(&fleet.join("a")).unwrap();
    runtime().block_on(async {
        let FleetConnection { client, mut happenings } = Login::of_agent(&join).connect().await.unwrap();
        for subject in [order(&name("b")), event(&name("b"), "live"), ask(&name("b"), Question::Presence)] {
            client.publish(subject.clone(), "start".into()).await.unwrap();
            forbidden(&mut happenings, &subject).await;
        }
        client.publish("$JS.API.STREAM.NAMES", "".into()).await.unwrap();
        forbidden(&mut happenings, "$JS.API.STREAM.NAMES").await;
        for subject in [order(&name("b")), event(&name("b"), "live"), "_INBOX_controller.>".to_owned()] {
            let _subscribed = client.subscribe(subject.clone()).await.unwrap();
            forbidden(&mut happenings, &subject).await;
        }
        // It may publish on its own subjects.
        client.publish(event(&name("a"), "live"), "1".into()).await.unwrap();
        client.flush().await.unwrap();
        let more = tokio::time::timeout(Duration::from_millis(200), happenings.recv()).await;
        assert!(more.is_err(), "{more:?}");
    });
    assert!(!b.has_ended() && !b.stderr().contains("Refused"), "nothing of it arrived\n{}", b.stderr());
}

/// Waits until the server has refused this subject.
async fn forbidden(happenings: &mut tokio::sync::mpsc::UnboundedReceiver<Happening>, subject: &str) {
    loop {
        let happening = tokio::time::timeout(SOON, happenings.recv()).await;
        match happening.expect("the server refuses it").unwrap() {
            Happening::Forbidden(said) => return assert!(said.contains(subject), "{subject}: {said}"),
            Happening::Connected => {}
            other => panic!("{subject}: {other:?}"),
        }
    }
}

#[test]
fn orders_that_are_not_the_controllers_to_this_agent_now_are_refused_and_logged() {
    require!(Need::NatsServer);
    let fleet = Fleet::start(&["a", "b"]);
    let mut agent = fleet.agent("a", &fleet.root("nas"), &[]);
    let site = FleetSite::open(&fleet.dir()).unwrap();
    let seal = site.controller_keys().unwrap().seal;
    let fleet_id = &site.register().fleet;
    let sealer = Sealer::new(seal.clone(), fleet_id.clone());
    let to = name("a");
    runtime().block_on(async {
        let client = Login::of_controller(&site).unwrap().connect().await.unwrap().client;
        let mut told = client.subscribe(event(&to, "refused")).await.unwrap();
        let asked = client.request(ask(&to, Question::Presence), "".into()).await.unwrap();
        let session = serde_json::from_slice::<Presence>(&asked.payload).unwrap().session;
        let sealed = |sealer: &Sealer, to: &AgentName, session: &AgentSession, number: u64| {
            sealer.seal(to, session, number, b"{}").unwrap()
        };
        let send = |message: Vec<u8>| {
            let client = client.clone();
            let subject = order(&to);
            async move {
                let answer = client.request(subject, message.into()).await.unwrap();
                serde_json::from_slice::<RefusedOrder>(&answer.payload).ok()
            }
        };
        let good = sealed(&sealer, &to, &session, 1);
        // Whatever the result of an opened order is, the order is not refused because of its envelope.
        // It gets no answer here, because agents do not know this order.
        client.publish(order(&to), good.clone().into()).await.unwrap();
        let mut altered = sealed(&sealer, &to, &session, 2);
        let last = altered.len() - 1;
        altered[last] ^= 1;
        let forger = Sealer::new(SealingKey::draw(), fleet_id.clone());
        let other_fleet = Sealer::new(seal.clone(), FleetId::draw().unwrap());
        for (message, why) in [
            (good, "replayed"),
            (altered, "signature"),
            (sealed(&forger, &to, &session, 3), "signature"),
            (sealed(&other_fleet, &to, &session, 4), "another fleet"),
            (sealed(&sealer, &name("b"), &session, 5), "another agent, b"),
            (sealed(&sealer, &to, &AgentSession::draw().unwrap(), 6), "restart"),
            (b"start".to_vec(), "this version"),
        ] {
            let refused = send(message).await.expect("a refusal");
            assert!(refused.refused.contains(why), "{why}: {}", refused.refused);
            assert_eq!((&refused.session, refused.last_order), (&session, 1));
            let event = tokio::time::timeout(SOON, futures_util::StreamExt::next(&mut told)).await;
            let event: RefusedOrder = serde_json::from_slice(&event.unwrap().unwrap().payload).unwrap();
            assert_eq!(event, refused);
        }
    });
    says(&mut agent, "this version");
    for why in ["replayed", "signature", "another fleet", "another agent, b", "restart"] {
        assert!(agent.stderr().contains(why), "{why}\n{}", agent.stderr());
    }
    assert!(!agent.has_ended());
}
