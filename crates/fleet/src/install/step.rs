//! What installing is made of: what is asked for, the systems that there are, and one step of it. Pure.
//!
//! Not here: which steps ([`super::steps`], and of Windows [`super::windows`]).

use std::path::PathBuf;

use crate::fleet_site::agent_name::AgentName;

/// A machine's system, as far as installing goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteSystem {
    Linux,
    MacOs,
    /// Windows, with its own OpenSSH server.
    Windows,
}

impl RemoteSystem {
    /// What `uname -s` means: on Windows there is one where the shell is that of Git, MSYS2 or Cygwin.
    pub fn of_uname(said: &str) -> Option<RemoteSystem> {
        match said.trim() {
            "Linux" => Some(RemoteSystem::Linux),
            "Darwin" => Some(RemoteSystem::MacOs),
            other => other.contains("_NT-").then_some(RemoteSystem::Windows),
        }
    }

    /// What [`ECHO`] means, where there is no uname.
    pub fn of_echo(said: &str) -> Option<RemoteSystem> {
        said.split_whitespace().any(|word| word == "Windows_NT").then_some(RemoteSystem::Windows)
    }
}

/// A command for every shell there is: cmd.exe puts `Windows_NT` in place of the first word, PowerShell of
/// the second, and a Unix shell of none.
pub const ECHO: &str = "echo %OS% $env:OS";

/// Who carries a step out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The shell that ssh finds there.
    Shell,
    /// PowerShell, whatever that shell is.
    PowerShell,
    /// scp, which takes what is read to the place there that the command is.
    Scp,
}

/// One step: a command for whoever carries it out there, and what is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallStep {
    /// What it does, for people.
    pub what: String,
    pub by: By,
    /// The command: a line for a shell, a script for PowerShell, a place for scp.
    pub command: String,
    pub input: Option<Input>,
}

impl InstallStep {
    /// A command for the shell there, that reads nothing.
    pub fn in_shell(what: impl Into<String>, command: impl Into<String>) -> InstallStep {
        InstallStep { what: what.into(), by: By::Shell, command: command.into(), input: None }
    }
}

/// What a step reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file of this machine.
    File(PathBuf),
    Text(String),
}

/// How an agent is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentStart {
    /// By its user's service manager, now and whenever the machine starts.
    Service,
    /// Now, and not again: for machines without a service manager.
    Once,
}

/// What is to be installed.
#[derive(Clone, Debug)]
pub struct InstallRequest {
    pub agent: AgentName,
    /// Its join file, on this machine.
    pub join: PathBuf,
    /// The program for that machine, on this one.
    pub program: PathBuf,
    /// Flags of `reelgauge agent` beside its join file.
    pub flags: Vec<String>,
    /// How it is started.
    pub start: AgentStart,
}

/// The name of its service.
pub(super) fn service(agent: &AgentName) -> String {
    format!("reelgauge-agent-{agent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_known_by_what_its_shell_says() {
        for (said, system) in [
            ("Linux\n", Some(RemoteSystem::Linux)),
            ("Darwin", Some(RemoteSystem::MacOs)),
            ("MINGW64_NT-10.0-19045", Some(RemoteSystem::Windows)),
            ("CYGWIN_NT-10.0\r\n", Some(RemoteSystem::Windows)),
            ("FreeBSD", None),
            ("", None),
        ] {
            assert_eq!(RemoteSystem::of_uname(said), system, "{said}");
        }
        for (shell, said, system) in [
            ("cmd.exe", "Windows_NT $env:OS\r\n", Some(RemoteSystem::Windows)),
            ("PowerShell", "%OS%\r\nWindows_NT\r\n", Some(RemoteSystem::Windows)),
            ("sh", "%OS% :OS\n", None),
        ] {
            assert_eq!(RemoteSystem::of_echo(said), system, "{shell}");
        }
    }
}
