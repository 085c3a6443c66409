//! Agents put on another machine over ssh, and removed from it: a real sshd, with a home directory of its
//! own.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::daemon::Daemon;
use reelgauge_tests::fleet::{Fleet, SOON};
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::tool::tool_with;

/// A machine that ssh reaches. What was left running there is ended on drop.
struct Machine {
    sshd: Daemon,
    scratch: Scratch,
}

impl Machine {
    fn start() -> Machine {
        let scratch = Scratch::new();
        let at = scratch.path().display().to_string();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        for key in ["host", "user"] {
            tool_with(&["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", &format!("{at}/{key}")])
                .unwrap();
        }
        std::fs::copy(scratch.path().join("user.pub"), scratch.path().join("authorized")).unwrap();
        let home = scratch.dir("home").display().to_string();
        std::fs::write(
            scratch.path().join("sshd_config"),
            format!(
                "Port {port}\nListenAddress 127.0.0.1\nHostKey {at}/host\nAuthorizedKeysFile \
                 {at}/authorized\n\
                 StrictModes no\nPidFile none\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\n\
                 SetEnv HOME={home}\n"
            ),
        )
        .unwrap();
        std::fs::write(
            scratch.path().join("ssh_config"),
            format!(
                "Host *\n  HostName 127.0.0.1\n  Port {port}\n  User root\n  IdentityFile {at}/user\n  \
                 IdentitiesOnly \
                 yes\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n"
            ),
        )
        .unwrap();
        std::fs::create_dir_all("/run/sshd").unwrap();
        let mut sshd = Command::new("/usr/sbin/sshd");
        sshd.args(["-D", "-e", "-f"]).arg(scratch.path().join("sshd_config"));
        let listens = || TcpStream::connect(("127.0.0.1", port)).is_ok();
        let sshd = Daemon::start(&mut sshd, &scratch.path().join("sshd.log"), listens);
        Machine { sshd, scratch }
    }

    fn folder(&self) -> PathBuf {
        self.scratch.path().join("home/.reelgauge-agent")
    }

    fn install(&self, fleet: &Fleet, words: &[&str]) -> Outcome {
        let config = self.scratch.path().join("ssh_config").display().to_string();
        let dir = fleet.dir().display().to_string();
        let words = ["fleet", "install"].iter().chain(words).copied();
        binary::run(words.chain(["--fleet", &dir, "--ssh-config", &config]))
    }

    fn agent_pid(&self) -> Option<String> {
        let pid = std::fs::read_to_string(self.folder().join("a/agent.pid")).ok()?;
        Some(pid.trim().to_owned()).filter(|pid| is_agent(pid))
    }
}

fn is_agent(pid: &str) -> bool {
    let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&words).contains("reelgauge\0agent")
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(pid) = self.agent_pid() {
            let _ = tool_with(&["kill", "-KILL", &pid]);
        }
        self.sshd.kill();
    }
}

/// Waits until this holds.
#[track_caller]
fn soon(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < SOON, "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn an_agent_is_installed_appears_and_is_removed_without_a_trace() {
    require!(Need::NatsServer, Need::Root, Need::Tool("sshd"), Need::Tool("ssh"), Need::Tool("ssh-keygen"));
    let fleet = Fleet::start(&["a"]);
    let machine = Machine::start();
    let root = fleet.root("it's a nas").display().to_string();
    let limits = ["--max-space", "1GiB", "--max-network", "0B", "--max-duration", "90s", "--read-only"];
    let words = [&["a=somewhere", "--root", &root, "--no-service"][..], &limits].concat();
    let dry = machine.install(&fleet, &[words.as_slice(), &["--dry-run"]].concat()).expect_code(0);
    assert!(dry.stdout.contains("would be copying the secret"), "{}", dry.stdout);
    assert!(!machine.folder().exists(), "a dry run does nothing");
    let done = machine.install(&fleet, &words).expect_code(0);
    assert!(done.stdout.contains("done: starting it"), "{}", done.stdout);
    let own = machine.folder().join("a");
    assert_eq!(
        (mode(&own), mode(&own.join("join.toml")), mode(&own.join("reelgauge"))),
        (0o700, 0o600, 0o700)
    );
    soon("the agent appears", || fleet.ask(&["ls", "--json"]).code == Some(0));
    let present = &fleet.ask(&["ls", "--json", "--wait", "10s"]).expect_code(0).json()[0]["present"][0];
    assert_eq!(present["roots"][0]["path"], root.as_str());
    let limits = &present["limits"];
    assert_eq!((&limits["space_bytes"], &limits["network_bytes_per_s"]), (&(1 << 30).into(), &0.into()));
    assert_eq!((&limits["duration_ns"], &limits["read_only"]), (&90_000_000_000_u64.into(), &true.into()));
    let pid = machine.agent_pid().expect("it runs");
    machine.install(&fleet, &["a=somewhere", "--uninstall"]).expect_code(0);
    soon("the agent ends", || !is_agent(&pid));
    assert!(!own.exists(), "nothing is left");
    // One that is none of the fleet's, and a machine that is not there.
    let unknown = machine.install(&fleet, &["edit-07", "--root", &root]).expect_code(2);
    assert!(unknown.stderr.contains("none of this fleet's agents"), "{}", unknown.stderr);
    let option = machine.install(&fleet, &["a=-oProxyCommand=x", "--root", &root]).expect_code(2);
    assert!(option.stderr.contains("is no host"), "{}", option.stderr);
}
