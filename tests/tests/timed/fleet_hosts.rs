//! A fleet of hosts, each with an address and a line, on two shared Samba servers. It covers the paper's
//! ramp end to end, the throughput of two servers against one, and a host with a slow line.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reelgauge_tests::binary::{self, Outcome, Running};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::Faulty;
use reelgauge_tests::fleet::{SOON, is_ready, nats_server};
use reelgauge_tests::hosts::{self, Hosts};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::Mounted;
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::programs::tool;
use reelgauge_tests::run_dir::{at, count, number, only_in, text};
use reelgauge_tests::samba::{self, SambaServer};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::{python, require};
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(120);

const SERVERS: [&str; 2] = ["nas1", "nas2"];
const AGENTS: [&str; 3] = ["edit-1", "edit-2", "slow"];

/// Mbit/s of every line: one server transfers less than its clients could take.
const LINES: [(&str, u32); 6] =
    [("control", 400), ("nas1", 80), ("nas2", 80), ("edit-1", 200), ("edit-2", 200), ("slow", 8)];

/// Mounts, programs, hosts and folders, taken down in this order.
struct Studio {
    agents: Vec<Running>,
    _up: Running,
    _names: Mounted,
    _mounts: Vec<Faulty>,
    _servers: Vec<SambaServer>,
    hosts: Hosts,
    scratch: Scratch,
}

impl Studio {
    fn new() -> Studio {
        let (hosts, scratch) = (Hosts::new(&LINES), Scratch::new());
        let on = |host: &'static str| {
            let hosts = &hosts;
            move |program: &str| hosts.command(host, program)
        };
        let servers = SERVERS.map(|name| SambaServer::serve(&on(name), &hosts.address(name), ""));
        let names = Mounted::at(scratch.dir("hosts"));
        let mut mounts = Vec::new();
        for agent in AGENTS {
            for (server, name) in servers.iter().zip(SERVERS) {
                fs::create_dir_all(server.share().join(agent)).unwrap();
                let mount = server.mount(&on(agent));
                let point = scratch.dir(&format!("hosts/{agent}/{name}"));
                tool(&format!("mount --bind {} {}", mount.path().display(), point.display()));
                mounts.push(mount);
            }
        }
        let dir = scratch.path().join("fleet").display().to_string();
        let listen = format!("{}:4222", hosts.address("control"));
        let words = ["fleet", "init", &dir, "--agents", &AGENTS.join(","), "--listen", &listen];
        binary::run(words).expect_code(0);
        let nats = nats_server().unwrap().display().to_string();
        let by = hosts.command("control", &binary::path().display().to_string());
        let mut up = binary::start_by(by, ["fleet", "up", &dir, "--nats-server", &nats]);
        assert!(up.until(SOON, is_ready).is_some(), "{}", up.stderr());
        let mut studio = Studio {
            agents: Vec::new(),
            _up: up,
            _names: names,
            _mounts: mounts,
            _servers: servers.into(),
            hosts,
            scratch,
        };
        AGENTS.iter().for_each(|name| studio.start_agent(name));
        studio
    }

    /// The target of every agent: a server's share, with one folder for each.
    fn target(&self, server: &str) -> String {
        self.scratch.path().join("hosts/{agent}").join(server).join("{agent}").display().to_string()
    }

    fn start_agent(&mut self, name: &str) {
        let join = self.scratch.path().join("fleet/join").join(format!("{name}.toml"));
        let mut words = vec!["agent".to_owned(), "--join".to_owned(), join.display().to_string()];
        for server in SERVERS {
            let root = self.scratch.path().join("hosts").join(name).join(server);
            words.extend(["--root".to_owned(), root.display().to_string()]);
        }
        let kept = self.scratch.path().join("kept").join(name);
        words.extend(["--keep".to_owned(), kept.display().to_string()]);
        let by = self.hosts.command(name, &binary::path().display().to_string());
        let mut agent = binary::start_by(by, &words);
        let is_there = agent.until(SOON, is_ready);
        assert!(is_there.is_some(), "{name} does not appear\n{}", agent.stderr());
        self.agents.push(agent);
    }

    /// All agents read, spread over these servers. Returns the outcome and the run.
    fn run(&self, step: &str, servers: &[&str]) -> (Outcome, PathBuf) {
        let place = self.scratch.dir("plans");
        let base = ["--profile", "seq-read", "--direct", "--files", "2", "--file-size", "2MiB"];
        let mix = Mix::flat_out_on(&self.scratch.dir("target"))
            .without("--workers")
            .without("--duration")
            .with(&base);
        let mix = mix
            .with(&["--ramp", "1..2", "--step", "100ms"])
            .with(&["--blocks", "64KiB", "--length", "512KiB", "--warmup", "500ms"]);
        mix.measure();
        let text = fs::read_to_string(mix.run_dir().join("run.toml")).unwrap();
        assert!(text.contains("\"100ms\""), "{text}");
        fs::write(place.join("mix.toml"), text.replace("\"100ms\"", &format!("\"{step}\""))).unwrap();
        let targets: Vec<String> =
            servers.iter().map(|server| format!("\"{}\"", self.target(server))).collect();
        let plan =
            format!("[[group]]\nname = \"edit\"\nplan = \"mix.toml\"\ntargets = [{}]\n", targets.join(", "));
        fs::write(place.join("fleet.toml"), plan).unwrap();
        let out = place.join(format!("runs-{}", servers.len()));
        let dir = self.scratch.path().join("fleet").display().to_string();
        let (plan, to) = (place.join("fleet.toml").display().to_string(), out.display().to_string());
        let by = self.hosts.command("control", &binary::path().display().to_string());
        let outcome =
            binary::start_by(by, ["fleet", "run", &plan, "--fleet", &dir, "--out", &to]).wait(PATIENCE);
        (outcome, only_in(&out))
    }
}

/// The total of a load point must equal the sum of all logs.
#[track_caller]
fn equals_the_logs(run: &Path, summary: &Value) {
    let found = python::script("whole.py", &[run]);
    for (at_point, point) in at(summary, "load_points").as_array().unwrap().iter().enumerate() {
        let found = at(&found, &at_point.to_string()).clone();
        assert_eq!(at(&found, "ops"), at(point, "total.ops"), "load point {at_point}");
        assert_eq!(
            count(&found, "bytes"),
            count(point, "total.read_bytes") + count(point, "total.written_bytes")
        );
        let of_hosts = at(summary, &format!("hosts.points.{at_point}.hosts")).as_array().unwrap();
        let of_hosts: u64 = of_hosts.iter().map(|host| count(host, "figures.ops")).sum();
        assert_eq!(of_hosts, count(point, "total.ops"));
    }
}

#[test]
fn hosts_of_their_own_ramp_up_on_one_server_and_on_two() {
    require!(Need::NatsServer, Need::Python);
    if !needs::are_met(hosts::NEEDS) || !needs::are_met(samba::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let studio = Studio::new();
    // Long enough to know the variation between seconds.
    let (one, one_run) = studio.run("9s", &SERVERS[..1]);
    let one = one.expect_code(0);
    let (two, two_run) = studio.run("3s", &SERVERS);
    two.expect_code(0);
    let [first, second] = [&one_run, &two_run].map(|run| reelgauge_tests::run_dir::summary(run));
    for (run, summary) in [(&one_run, &first), (&two_run, &second)] {
        equals_the_logs(run, summary);
        // The paper's order: every host has one worker before any has two.
        let workers = |point: usize| count(summary, &format!("load_points.{point}.workers"));
        assert_eq!((workers(0), workers(1)), (3, 6));
        let skew_us = number(summary, "hosts.points.1.start_skew_us");
        // All clocks are of one host. Only an idle host gives a processor at once.
        assert!(skew_us < if needs::is_soak() { 2e3 } else { 1e6 }, "{skew_us}");
    }
    // One server's line transfers 80 Mbit/s, less protocol overhead. Two transfer more, but not twice as
    // much, because the slow host stays on the first.
    let rate = |summary: &Value| number(summary, "load_points.1.total.read_bytes_per_s") / 1e6;
    let (of_one, of_two) = (rate(&first), rate(&second));
    println!("one server: {of_one:.1} MB/s, two: {of_two:.1} MB/s, {:.2} times", of_two / of_one);
    assert!((6.0..10.5).contains(&of_one), "{of_one}");
    assert!((1.4..2.2).contains(&(of_two / of_one)), "{of_two} of {of_one}");
    // Only the slow host is named, on the screen as in the summary.
    let stands_out =
        |at_host: usize| at(&first, &format!("hosts.points.1.hosts.{at_host}.stands_out")).clone();
    assert!(stands_out(2).is_object(), "{:#}", at(&first, "hosts.points.1"));
    assert_eq!(text(&first, "hosts.hosts.2.agent"), "slow");
    assert!((0..2).all(|at_host| stands_out(at_host).is_null()), "{:#}", at(&first, "hosts.points.1"));
    println!("{}", one.stdout);
    assert!(one.stdout.contains("slow"), "{}", one.said());
    // Its own line is saturated, not the server, which serves the others.
    assert_ne!(at(&first, "hosts.points.1.hosts.2.limit"), "server", "{:#}", at(&first, "hosts.points.1"));
    // Each host's interface transferred the data read, and protocol overhead.
    let nics = at(&first, "hosts.points.1.nics").as_array().unwrap();
    for (at_host, agent) in AGENTS.iter().enumerate() {
        let own = nics.iter().find(|nic| text(nic, "agent") == *agent && text(nic, "interface") == "v0");
        let received = number(own.unwrap_or_else(|| panic!("{agent}: {nics:#?}")), "received_bytes_per_s");
        let read = number(&first, &format!("hosts.points.1.hosts.{at_host}.figures.read_bytes_per_s"));
        assert!((0.8..1.6).contains(&(received / read)), "{agent}: {received} over the line, {read} read");
    }
}
