//! Fetching an agent's data over slow and shared lines: the number of bytes, and the time.
//!
//! A busy host cannot change the number of bytes that leave the agent's host, so it is asserted
//! everywhere. Times are asserted only in the soak.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use reelgauge_tests::binary::{self, Running};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fleet::{SOON, is_ready, nats_server};
use reelgauge_tests::hosts::{self, Hosts};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::only_in;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::seeded_random::Draws;
use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(400);
/// A file of the agent's run whose size the test decides.
const PAYLOAD: &str = "payload.bin";

/// A site on the host `control`, and each agent on a separate host.
struct Lines {
    agents: Vec<(String, Running)>,
    _up: Running,
    hosts: Hosts,
    scratch: Scratch,
}

/// The cost of a fetch.
#[derive(Debug)]
struct Fetched {
    /// From the first byte of a payload on the controller to the last one, of all agents.
    took_s: f64,
    /// Bytes that left the hosts of all agents in this time.
    sent_bytes: u64,
    /// TCP segments that their kernels retransmitted.
    resent_bytes: u64,
}

/// A fetch of a soak, as stored in the results.
struct Case {
    agents: usize,
    control_mbit: u32,
    agent_mbit: u32,
    /// Of each agent.
    bytes: usize,
}

impl Case {
    /// Runs the case and prints it. Returns the line if it took too long.
    fn measure(&self) -> Option<String> {
        let Case { agents, control_mbit, agent_mbit, bytes } = *self;
        let fetched = Lines::new(agents, control_mbit, agent_mbit).fetch(bytes);
        let payload = (agents * bytes) as f64;
        let mbit = f64::from(control_mbit.min(agent_mbit));
        let ideal_s = payload * 8.0 / (mbit * 1e6);
        let line = format!(
            "{agents} agents, {mbit} Mbit/s, {:.2} MB: {:.1} s, ideal {ideal_s:.1} s ({:.3}); sent {:.2} MB \
             ({:.3}), {:.2} MB of it again by TCP",
            payload / 1e6,
            fetched.took_s,
            fetched.took_s / ideal_s,
            fetched.sent_bytes as f64 / 1e6,
            fetched.sent_bytes as f64 / payload,
            fetched.resent_bytes as f64 / 1e6,
        );
        // Bypasses the test program, which keeps output until a test fails.
        let mut stdout = io::stdout();
        writeln!(stdout, "{line}").unwrap();
        (fetched.took_s > ideal_s * 1.10).then_some(line)
    }
}

impl Lines {
    /// `control_mbit` and `agent_mbit`: their lines, in each direction.
    fn new(agents: usize, control_mbit: u32, agent_mbit: u32) -> Lines {
        let names: Vec<String> = (0..agents).map(|at| format!("edit-{at:02}")).collect();
        let mut lines = vec![("control", control_mbit)];
        lines.extend(names.iter().map(|name| (name.as_str(), agent_mbit)));
        let (hosts, scratch) = (Hosts::new(&lines), Scratch::new());
        let dir = scratch.path().join("fleet").display().to_string();
        let listen = format!("{}:4222", hosts.address("control"));
        let words = ["fleet", "init", &dir, "--agents", &names.join(","), "--listen", &listen];
        binary::run(words).expect_code(0);
        let nats = nats_server().unwrap().display().to_string();
        let by = hosts.command("control", &binary::path().display().to_string());
        let mut up = binary::start_by(by, ["fleet", "up", &dir, "--nats-server", &nats]);
        assert!(up.until(SOON, is_ready).is_some(), "{}", up.stderr());
        let mut lines = Lines { agents: Vec::new(), _up: up, hosts, scratch };
        names.iter().for_each(|name| lines.start_agent(name));
        lines
    }

    fn start_agent(&mut self, name: &str) {
        let join = self.scratch.path().join("fleet/join").join(format!("{name}.toml"));
        let by = self.hosts.command(name, &binary::path().display().to_string());
        let words = [
            "agent".into(),
            "--join".into(),
            join,
            "--root".into(),
            self.scratch.dir(&format!("target/{name}")),
            "--keep".into(),
            self.kept(name),
        ];
        let mut agent = binary::start_by(by, words);
        let is_there = agent.until(SOON, is_ready);
        assert!(is_there.is_some(), "{name} does not appear\n{}", agent.stderr());
        self.agents.push((name.to_owned(), agent));
    }

    fn kept(&self, name: &str) -> PathBuf {
        self.scratch.path().join("kept").join(name)
    }

    /// Runs a small mix on all agents, with a payload of so many bytes in the run directory of each.
    fn fetch(&self, payload_bytes: usize) -> Fetched {
        let place = self.scratch.dir("plans");
        let mix = Mix::on(&self.scratch.dir("own")).with(&["--duration", "1s", "--files", "1"]);
        mix.measure();
        fs::copy(mix.run_dir().join("run.toml"), place.join("mix.toml")).unwrap();
        let target = self.scratch.path().join("target/{agent}").display().to_string();
        let plan = format!("[[group]]\nname = \"edit\"\nplan = \"mix.toml\"\ntargets = [\"{target}\"]\n");
        fs::write(place.join("fleet.toml"), plan).unwrap();
        let out = place.join("runs");
        let words = [
            "fleet".into(),
            "run".into(),
            place.join("fleet.toml"),
            "--fleet".into(),
            self.scratch.path().join("fleet"),
            "--out".into(),
            out.clone(),
        ];
        let by = self.hosts.command("control", &binary::path().display().to_string());
        let mut run = binary::start_by(by, words);
        let mut planted: Vec<PathBuf> = Vec::new();
        let all = run.until(PATIENCE, |_| {
            self.plant(payload_bytes, &mut planted);
            planted.len() == self.agents.len()
        });
        assert!(all.is_some(), "only {planted:?} were planted\n{}", run.stderr());
        let began =
            run.until(PATIENCE, |_| !self.payloads("part").is_empty() || !self.payloads("bin").is_empty());
        assert!(began.is_some(), "nothing is fetched\n{}", run.stderr());
        let (from, before, resent_before) = (Instant::now(), self.sent_bytes(), self.resent_bytes());
        let ended = run.until(PATIENCE, |_| self.payloads("bin").len() == self.agents.len());
        assert!(ended.is_some(), "{:?} of {payload_bytes} bytes\n{}", self.payloads("bin"), run.stderr());
        let fetched = Fetched {
            took_s: from.elapsed().as_secs_f64(),
            sent_bytes: self.sent_bytes() - before,
            resent_bytes: self.resent_bytes() - resent_before,
        };
        run.wait(PATIENCE).expect_code(0);
        assert!(!only_in(&out).join("report.html.part").exists());
        fetched
    }

    /// Puts a payload into run directories that have none.
    fn plant(&self, bytes: usize, planted: &mut Vec<PathBuf>) {
        for (number, (name, _)) in self.agents.iter().enumerate() {
            let runs = glob(&self.kept(name), &["*", "runs", "*"]);
            let fresh: Vec<PathBuf> = runs.into_iter().filter(|run| !planted.contains(run)).collect();
            for run in fresh {
                let mut draws = Draws::new(number as u64);
                let mut payload = Vec::with_capacity(bytes + 8);
                while payload.len() < bytes {
                    payload.extend_from_slice(&draws.next_u64().to_le_bytes());
                }
                payload.truncate(bytes);
                fs::write(run.join(PAYLOAD), payload).unwrap();
                planted.push(run);
            }
        }
    }

    /// Payloads on the controller, while they are fetched (`part`) and afterwards (`bin`).
    fn payloads(&self, ending: &str) -> Vec<PathBuf> {
        let all = glob(&self.scratch.path().join("fleet/runs"), &["*", "agents", "*"]);
        let names = all.into_iter().map(|agent| match ending {
            "part" => agent.join(format!("{PAYLOAD}.part")),
            _ => agent.join(PAYLOAD),
        });
        names.filter(|path| path.exists()).collect()
    }

    /// Bytes that have left the hosts of all agents.
    fn sent_bytes(&self) -> u64 {
        let sent = |name: &str| {
            let mut ip = self.hosts.command(name, "ip");
            let output =
                ip.args(["-s", "-j", "link", "show", "v0"]).stderr(Stdio::inherit()).output().unwrap();
            let links: Value = serde_json::from_slice(&output.stdout).unwrap();
            links[0]["stats64"]["tx"]["bytes"].as_u64().unwrap()
        };
        self.agents.iter().map(|(name, _)| sent(name)).sum()
    }

    /// Segments that the kernels of all agents' hosts have retransmitted on open connections.
    fn resent_bytes(&self) -> u64 {
        let resent = |name: &str| -> u64 {
            let output = self.hosts.command(name, "ss").arg("-tinH").output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            let words = text.split_whitespace().filter_map(|word| word.strip_prefix("bytes_retrans:"));
            words.map(|bytes| bytes.parse::<u64>().unwrap()).sum()
        };
        self.agents.iter().map(|(name, _)| resent(name)).sum()
    }
}

/// Folders below, `*` for any name.
fn glob(below: &Path, parts: &[&str]) -> Vec<PathBuf> {
    let Some((part, rest)) = parts.split_first() else { return vec![below.to_owned()] };
    let folders: Vec<PathBuf> = match *part {
        "*" => fs::read_dir(below).into_iter().flatten().flatten().map(|entry| entry.path()).collect(),
        name => vec![below.join(name)],
    };
    folders.iter().filter(|folder| folder.is_dir()).flat_map(|folder| glob(folder, rest)).collect()
}

fn needs() -> Vec<Need> {
    hosts::NEEDS.iter().copied().chain([Need::NatsServer]).collect()
}

#[test]
fn a_slow_line_carries_each_byte_once() {
    if !needs::are_met(&needs()) {
        return;
    }
    let _turn = my_turn();
    let payload_bytes = 1_500_000;
    let fetched = Lines::new(1, 400, 4).fetch(payload_bytes);
    // TLS, TCP, IP and Ethernet add 6 %. Heartbeats continue; the log and the plan are small.
    assert!(fetched.sent_bytes <= payload_bytes as u64 * 115 / 100, "{fetched:?}");
}

/// Within 10 % of the ideal.
#[test]
fn fetching_takes_the_ideal_time_and_a_tenth() {
    require!(Need::Soak);
    if !needs::are_met(&needs()) {
        return;
    }
    let _turn = my_turn();
    let slow =
        [1, 4, 6, 10].map(|agent_mbit| Case { agents: 1, control_mbit: 400, agent_mbit, bytes: 9_560_000 });
    let bad: Vec<String> = slow.iter().filter_map(Case::measure).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}

/// The same where the controller's line is the narrow one.
#[test]
fn twenty_agents_share_a_line_in_the_ideal_time_and_a_tenth() {
    require!(Need::Soak);
    if !needs::are_met(&needs()) {
        return;
    }
    let _turn = my_turn();
    let shared = Case { agents: 20, control_mbit: 50, agent_mbit: 100, bytes: 4_000_000 };
    assert_eq!(shared.measure(), None);
}
