//! Servers that a bed needs: started in the foreground, killed by their process number.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a server may take to get ready.
const READY: Duration = Duration::from_secs(20);

/// A process of a bed. Killed on drop.
#[derive(Debug)]
pub struct Daemon {
    child: Child,
    log: PathBuf,
}

impl Daemon {
    /// Starts the server with its output going to a file, and waits until it is ready.
    ///
    /// # Panics
    /// If it cannot be started, ends at once or does not get ready.
    pub fn start(command: &mut Command, log: &Path, mut is_ready: impl FnMut() -> bool) -> Daemon {
        let output = File::create(log).unwrap();
        let child = command
            .stdin(Stdio::null())
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {:?}: {error}", command.get_program()));
        let mut daemon = Daemon { child, log: log.to_owned() };
        let start = Instant::now();
        while !is_ready() {
            let alive = daemon.child.try_wait().unwrap().is_none();
            assert!(alive && start.elapsed() < READY, "{command:?} is not ready\n{}", daemon.said());
            std::thread::sleep(Duration::from_millis(50));
        }
        daemon
    }

    /// Its output so far.
    pub fn said(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// Its process number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its child processes and all their descendants.
    pub fn children(&self) -> Vec<u32> {
        children(self.child.id())
    }

    /// Whether it still runs.
    ///
    /// # Panics
    /// If the system does not say.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Kills it without a chance to clean up, after killing its children.
    pub fn kill(&mut self) {
        for pid in children(self.child.id()) {
            let _ = crate::programs::tool_with(&["kill", "-KILL", &pid.to_string()]);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Every process below this one, the youngest generation first.
fn children(pid: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let direct: Vec<u32> = threads
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<u32>>())
        .collect();
    let mut all: Vec<u32> = direct.iter().flat_map(|&child| children(child)).collect();
    all.extend(direct);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn killed_command_ends_its_children() {
        let scratch = Scratch::new();
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo ready; sleep 1000 & wait"]);
        let log = scratch.path().join("log");
        let seen = || std::fs::read_to_string(&log).is_ok_and(|text| text.contains("ready"));
        let daemon = Daemon::start(&mut shell, &log, seen);
        let start = Instant::now();
        while children(daemon.pid()).is_empty() && start.elapsed() < READY {
            std::thread::sleep(Duration::from_millis(10));
        }
        let sleeper = children(daemon.pid())[0];
        drop(daemon);
        // It is not our child, so it cannot be waited for. A killed process lives until it gets a
        // processor.
        let stat = || std::fs::read_to_string(format!("/proc/{sleeper}/stat")).unwrap_or_default();
        let is_gone = |stat: &str| stat.is_empty() || stat.contains(") Z ");
        let start = Instant::now();
        while !is_gone(&stat()) && start.elapsed() < READY {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(is_gone(&stat()), "{}", stat());
    }
}
