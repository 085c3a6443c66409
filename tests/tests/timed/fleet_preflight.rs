//! The preflight of a fleet, before it measures. The hosts have addresses and lines; one has another
//! MTU, and one a slow line. A stranger without a part in the fleet connects to an open port.

use std::fs;
use std::time::{Duration, Instant};

use reelgauge_tests::binary::{self, Running};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fleet::{SOON, is_ready, nats_server};
use reelgauge_tests::hosts::{self, Hosts};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, number, only_in, text};
use reelgauge_tests::scratch::Scratch;
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(120);

const AGENTS: [&str; 3] = ["edit-1", "edit-2", "slow"];

/// Mbit/s of every line.
const LINES: [(&str, u32); 5] =
    [("control", 400), ("edit-1", 200), ("edit-2", 200), ("slow", 8), ("stranger", 100)];

/// Agents, their server and their hosts, taken down in this order.
struct Room {
    agents: Vec<Running>,
    _up: Running,
    hosts: Hosts,
    scratch: Scratch,
}

impl Room {
    fn new() -> Room {
        let (hosts, scratch) = (Hosts::new(&LINES), Scratch::new());
        let mtu = hosts.command("edit-2", "ip").args(["link", "set", "v0", "mtu", "1400"]).status().unwrap();
        assert!(mtu.success());
        let dir = scratch.path().join("fleet").display().to_string();
        let listen = format!("{}:4222", hosts.address("control"));
        let words = ["fleet", "init", &dir, "--agents", &AGENTS.join(","), "--listen", &listen];
        binary::run(words).expect_code(0);
        let nats = nats_server().unwrap().display().to_string();
        let by = hosts.command("control", &binary::path().display().to_string());
        let mut up = binary::start_by(by, ["fleet", "up", &dir, "--nats-server", &nats]);
        assert!(up.until(SOON, is_ready).is_some(), "{}", up.stderr());
        let mut room = Room { agents: Vec::new(), _up: up, hosts, scratch };
        room.agents = AGENTS.iter().map(|name| room.start_agent(name)).collect();
        room
    }

    /// With only the interfaces of its host in `/sys`, as on a separate machine.
    fn start_agent(&self, name: &str) -> Running {
        let join = self.scratch.path().join("fleet/join").join(format!("{name}.toml"));
        let (root, kept) =
            (self.scratch.dir(&format!("nas-{name}")), self.scratch.path().join("kept").join(name));
        let own_sys = "mount -t sysfs sysfs /sys && exec \"$0\" \"$@\"";
        let mut by = self.hosts.command(name, "unshare");
        by.args(["--mount", "sh", "-c", own_sys]).arg(binary::path());
        let words = ["agent", "--join", &join.display().to_string(), "--root", &root.display().to_string()];
        let kept = kept.display().to_string();
        let mut agent = binary::start_by(by, words.into_iter().chain(["--keep", &kept]));
        let is_there = agent.until(SOON, is_ready);
        assert!(is_there.is_some(), "{name} does not appear\n{}", agent.stderr());
        agent
    }

    /// Starts the controller: `fleet WHAT PLAN`, with these flags.
    fn controller(&self, what: &str, flags: &[&str]) -> Running {
        let dir = self.scratch.path().join("fleet").display().to_string();
        let plan = self.scratch.path().join("fleet.toml").display().to_string();
        let by = self.hosts.command("control", &binary::path().display().to_string());
        let words = ["fleet", what, &plan, "--fleet", &dir];
        binary::start_by(by, words.into_iter().chain(flags.iter().copied()))
    }

    /// A plan in which every agent runs the same small mix in a separate folder.
    fn write_plan(&self) {
        let mix = Mix::on(&self.scratch.dir("target")).with(&["--buffered", "--warmup", "0ms"]);
        let mix = mix.with(&["--duration", "100ms", "--max-delay", "40ms"]);
        mix.measure();
        fs::copy(mix.run_dir().join("run.toml"), self.scratch.path().join("mix.toml")).unwrap();
        let target = self.scratch.path().join("nas-{agent}").display().to_string();
        let group = format!("[[group]]\nname = \"edit\"\nplan = \"mix.toml\"\ntargets = [\"{target}\"]\n");
        fs::write(self.scratch.path().join("fleet.toml"), group).unwrap();
    }

    /// A stranger connects to the first port that an agent opens, and sends only data that is not
    /// secret.
    fn intrude(&self, agent: usize) {
        let start = Instant::now();
        let port = loop {
            let said = self.agents[agent].stderr();
            if let Some((_, rest)) = said.split_once(" port ") {
                break rest.chars().take_while(char::is_ascii_digit).collect::<String>();
            }
            assert!(start.elapsed() < PATIENCE, "{} never listens\n{said}", AGENTS[agent]);
            std::thread::sleep(Duration::from_millis(10));
        };
        let to = format!("/dev/tcp/{}/{port}", self.hosts.address(AGENTS[agent]));
        let words = format!("exec 3<>{to} && head -c 64 /dev/zero >&3; timeout 5 cat <&3 | wc -c");
        let said = self.hosts.command("stranger", "bash").args(["-c", &words]).output().unwrap();
        let learned: u64 = String::from_utf8_lossy(&said.stdout).trim().parse().unwrap();
        assert!(learned <= 32, "at most a question: {learned} bytes");
    }

    /// Ports that are open on a host.
    fn open_ports(&self, name: &str) -> String {
        let listing = self.hosts.command(name, "ss").args(["-H", "-l", "-n", "-t"]).output().unwrap();
        String::from_utf8_lossy(&listing.stdout).into_owned()
    }
}

/// The throughput of a line alone with four connections, in MB/s.
#[track_caller]
fn carried(found: &Value, from: &str, to: &str) -> f64 {
    let lines = at(found, "network.lines").as_array().unwrap();
    let is_it = |line: &&Value| {
        text(line, "from") == from
            && text(line, "to") == to
            && at(line, "connections") == 4
            && at(line, "is_together") == false
    };
    number(lines.iter().find(is_it).unwrap_or_else(|| panic!("{found:#}")), "bytes_per_s") / 1e6
}

#[test]
fn differing_hosts_and_slow_links_are_shown_before_the_run() {
    require!(Need::NatsServer, Need::Tool("ss"), Need::Tool("unshare"));
    if !needs::are_met(hosts::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let room = Room::new();
    room.write_plan();
    AGENTS.iter().for_each(|name| assert_eq!(room.open_ports(name), "", "{name} listens"));
    let looking = room.controller("preflight", &["--for", "1500ms", "--json"]);
    room.intrude(1);
    let found = looking.wait(PATIENCE).expect_code(1).json();
    println!("{found:#}");
    // The rate of a host's line is limited by its own end and the other end.
    let (quick, slow) = (carried(&found, "edit-1", "edit-2"), carried(&found, "edit-2", "slow"));
    assert!((8.0..26.0).contains(&quick), "{quick} MB/s over 200 Mbit/s");
    assert!((0.3..1.3).contains(&slow), "{slow} MB/s over 8 Mbit/s");
    let lines = at(&found, "network.lines").as_array().unwrap();
    assert_eq!(lines.len(), 3 * 2 + 3 * 2, "{found:#}");
    assert_eq!(lines.iter().filter(|line| at(line, "is_together") == true).count(), 6);
    let mtu = at(&found, "differences").as_array().unwrap().iter();
    let mtu: Vec<&Value> = mtu.filter(|difference| at(difference, "what") == "mtu_bytes").collect();
    assert_eq!((mtu.len(), text(mtu[0], "agents.0.agent")), (1, "edit-2"), "{found:#}");
    assert_eq!((text(mtu[0], "agents.0.value"), text(mtu[0], "usual.value")), ("1400", "1500"));
    assert_eq!(at(mtu[0], "agents").as_array().unwrap().len(), 1);
    // The stranger was refused, as its agent reports. No port is open any more.
    let refused = format!("Rejected a connection from {}: ", room.hosts.address("stranger"));
    assert!(room.agents[1].stderr().contains(&refused), "{}", room.agents[1].stderr());
    AGENTS.iter().for_each(|name| assert_eq!(room.open_ports(name), "", "{name} listens on"));
    // Small files fit into the memory of any host.
    assert_eq!(at(&found, "caches.0.fitting").as_array().unwrap().len(), 3, "{found:#}");

    // A run does a preflight too. It does not load the network, and keeps the findings.
    let out = room.scratch.path().join("runs");
    let run = room.controller("run", &["--out", &out.display().to_string()]).wait(PATIENCE).expect_code(0);
    assert!(run.stderr.contains("edit-2") && run.stderr.contains("1400"), "{}", run.stderr);
    let kept = fs::read_to_string(only_in(&out).join("preflight.json")).unwrap();
    let kept: Value = serde_json::from_str(&kept).unwrap();
    assert_eq!(at(&kept, "differences"), at(&found, "differences"));
    assert!(text(&kept, "network.why_not").contains("--preflight network"), "{kept:#}");
}

#[test]
fn agents_send_to_the_peer_and_without_it_nothing_is_measured() {
    require!(Need::NatsServer, Need::Tool("unshare"));
    if !needs::are_met(hosts::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let mut room = Room::new();
    room.write_plan();
    let found =
        room.controller("preflight", &["--for", "500ms", "--peer", "edit-1", "--json"]).wait(PATIENCE);
    let found = found.expect_code(1).json();
    let lines = at(&found, "network.lines").as_array().unwrap();
    assert!(
        lines.iter().all(|line| text(line, "to") == "edit-1" && at(line, "why_not").is_null()),
        "{found:#}"
    );
    let slow = carried(&found, "slow", "edit-1");
    assert!((0.3..1.3).contains(&slow), "{slow} MB/s over 8 Mbit/s");
    assert!(carried(&found, "edit-2", "edit-1") > 3.0 * slow, "{found:#}");
    // A lost agent is named, and so are the measurements that need it.
    room.agents.pop();
    let found = room.controller("preflight", &["--for", "500ms", "--peer", "slow", "--json"]).wait(PATIENCE);
    let found = found.expect_code(1).json();
    assert_eq!(at(&found, "not_there.0"), "slow");
    assert!(text(&found, "network.why_not").contains("slow"), "{found:#}");
}
