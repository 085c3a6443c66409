//! A fleet on the local host: a site, its server, and agents, all through the binary.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::binary::{self, Outcome, Running};
use crate::scratch::Scratch;

/// How long anything may take, even on a busy host.
pub const SOON: Duration = Duration::from_secs(60);
/// How often the start of a server is tried. Another process can take its port.
const ATTEMPTS: usize = 5;

/// The server program, if it is installed.
pub fn nats_server() -> Option<PathBuf> {
    let made = crate::python::program("nats-server");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let dirs = std::env::split_paths(&path).map(|dir| dir.join("nats-server"));
    std::iter::once(made).chain(dirs).find(|program| program.is_file())
}

/// A fleet with a running server. Taken down on drop.
#[derive(Debug)]
pub struct Fleet {
    up: Running,
    scratch: Scratch,
    port: u16,
}

impl Fleet {
    /// A fleet with these agents, none of them running yet.
    ///
    /// # Panics
    /// If it does not start.
    #[track_caller]
    pub fn start(agents: &[&str]) -> Fleet {
        for _ in 0..ATTEMPTS {
            let scratch = Scratch::new();
            let port = free_port();
            let listen = format!("127.0.0.1:{port}");
            let dir = scratch.path().join("fleet");
            let words = ["fleet", "init", &dir.display().to_string(), "--agents", &agents.join(",")];
            binary::run(words.into_iter().chain(["--listen", &listen])).expect_code(0);
            if let Some(up) = up(&dir) {
                return Fleet { up, scratch, port };
            }
        }
        panic!("no server came up in {ATTEMPTS} attempts");
    }

    pub fn dir(&self) -> PathBuf {
        self.scratch.path().join("fleet")
    }

    /// A folder that an agent may use.
    pub fn root(&self, name: &str) -> PathBuf {
        let root = self.scratch.path().join(name);
        std::fs::create_dir_all(&root).unwrap();
        root
    }

    /// The port that its server listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The process that runs its server.
    pub fn up(&mut self) -> &mut Running {
        &mut self.up
    }

    /// The server itself, started by that process.
    ///
    /// # Panics
    /// If it does not run.
    #[track_caller]
    pub fn server(&self) -> Pid {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let stats = processes.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
        let pid = stats.filter_map(|stat| server_in(&stat, self.up.pid())).next();
        Pid::from_raw(pid.expect("a nats-server that runs")).unwrap()
    }

    /// The output of that process so far.
    pub fn up_says(&self) -> String {
        self.up.stderr()
    }

    /// Whether a process listens on the server's port.
    pub fn listens(&self) -> bool {
        TcpStream::connect(("127.0.0.1", self.port)).is_ok()
    }

    /// Waits until no process listens on the server's port. Returns whether that happened.
    pub fn falls_silent(&self) -> bool {
        let start = Instant::now();
        while self.listens() && start.elapsed() < SOON {
            std::thread::sleep(Duration::from_millis(50));
        }
        !self.listens()
    }

    /// Starts the server again after it was killed.
    ///
    /// # Panics
    /// If it does not start.
    #[track_caller]
    pub fn up_again(&mut self) {
        self.up = up(&self.dir()).expect("the server comes up again");
    }

    /// The join file of an agent.
    pub fn join(&self, name: &str) -> PathBuf {
        self.dir().join("join").join(format!("{name}.toml"))
    }

    /// Starts an agent with additional flags and waits until it appears.
    ///
    /// # Panics
    /// If it does not appear.
    #[track_caller]
    pub fn agent(&self, name: &str, root: &Path, flags: &[&str]) -> Running {
        self.agent_by(Command::new(binary::path()), name, root, flags)
    }

    /// The same, but through a command that execs the binary.
    ///
    /// # Panics
    /// If it does not appear.
    #[track_caller]
    pub fn agent_by(&self, by: Command, name: &str, root: &Path, flags: &[&str]) -> Running {
        let join = self.join(name);
        let words =
            ["agent".as_ref(), "--join".as_ref(), join.as_os_str(), "--root".as_ref(), root.as_os_str()];
        let mut agent = binary::start_by(by, words.into_iter().chain(flags.iter().map(AsRef::as_ref)));
        let is_there = agent.until(SOON, |agent| is_ready(agent) || agent.has_ended());
        assert!(is_there.is_some() && !agent.has_ended(), "{name} does not appear\n{}", agent.stderr());
        agent
    }

    /// Runs a `fleet` command: `ls`, `ping`, `add d`.
    pub fn ask(&self, words: &[&str]) -> Outcome {
        let dir = self.dir().display().to_string();
        binary::run(["fleet"].iter().chain(words).copied().chain(["--fleet", &dir]))
    }
}

impl Drop for Fleet {
    fn drop(&mut self) {
        // Kills the whole group: the server outlives its parent if that was killed.
        let group = i32::try_from(self.up.pid()).ok().and_then(Pid::from_raw);
        let _ = group.map(|group| kill_process_group(group, Signal::KILL));
    }
}

/// Whether an agent or a server has connected or listens: the line that reports it names the key that
/// ends the process.
pub fn is_ready(process: &mut Running) -> bool {
    process.stderr().contains("Ctrl-C")
}

/// A running server; `None` if it ended at once.
fn up(dir: &Path) -> Option<Running> {
    let program = nats_server().expect("a nats-server");
    let words =
        ["fleet".as_ref(), "up".as_ref(), dir.as_os_str(), "--nats-server".as_ref(), program.as_os_str()];
    let mut up = binary::start(words);
    let waited = up.until(2 * SOON, |up| is_ready(up) || up.has_ended());
    assert!(waited.is_some(), "the server does not listen\n{}", up.stderr());
    let ended = up.has_ended();
    (!ended).then_some(up)
}

/// The process of this line of `/proc/PID/stat`, if it is a nats-server of this process group.
fn server_in(stat: &str, group: u32) -> Option<i32> {
    let (pid, rest) = stat.split_once(" (nats-server) ")?;
    let is_of_group = rest.split(' ').nth(2)?.parse() == Ok(group);
    is_of_group.then(|| pid.parse().ok()).flatten()
}

/// A port that was free a moment ago.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
