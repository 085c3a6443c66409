//! The parts of an installation: the request, the systems, and one step. Pure.
//!
//! Not here: which steps ([`super::steps`], and of Windows [`super::windows`]).

use std::path::PathBuf;

use crate::fleet_site::agent_name::AgentName;

/// The system of a host, as far as the installation depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteSystem {
    Linux,
    MacOs,
    /// Windows, with its own OpenSSH server.
    Windows,
}

impl RemoteSystem {
    /// The system by the output of `uname -s`. Windows has it if the shell is that of Git, MSYS2 or
    /// Cygwin.
    pub fn of_uname(said: &str) -> Option<RemoteSystem> {
        match said.trim() {
            "Linux" => Some(RemoteSystem::Linux),
            "Darwin" => Some(RemoteSystem::MacOs),
            other => other.contains("_NT-").then_some(RemoteSystem::Windows),
        }
    }

    /// The system by the output of [`ECHO`], without uname.
    pub fn of_echo(said: &str) -> Option<RemoteSystem> {
        said.split_whitespace().any(|word| word == "Windows_NT").then_some(RemoteSystem::Windows)
    }
}

/// A command for every shell: cmd.exe replaces the first word by `Windows_NT`, PowerShell the second,
/// and a Unix shell neither.
pub const ECHO: &str = "echo %OS% $env:OS";

/// The program that carries a step out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The login shell of ssh there.
    Shell,
    /// PowerShell, whatever the login shell is.
    PowerShell,
    /// scp, which copies the input to the path in the command.
    Scp,
}

/// One step: a command for that program on the host, and its input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstallStep {
    /// A description for the user.
    pub what: String,
    pub by: By,
    /// The command: a line for a shell, a script for PowerShell, a path for scp.
    pub command: String,
    pub input: Option<Input>,
}

impl InstallStep {
    /// A command for the shell there, without input.
    pub fn in_shell(what: impl Into<String>, command: impl Into<String>) -> InstallStep {
        InstallStep { what: what.into(), by: By::Shell, command: command.into(), input: None }
    }
}

/// The input of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A local file.
    File(PathBuf),
    Text(String),
}

/// How an agent is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentStart {
    /// By its user's service manager, now and whenever the host starts.
    Service,
    /// Once, now: for hosts without a service manager.
    Once,
}

/// The request for an installation.
#[derive(Clone, Debug)]
pub struct InstallRequest {
    pub agent: AgentName,
    /// Its join file on the local host.
    pub join: PathBuf,
    /// The local file with the program for that host.
    pub program: PathBuf,
    /// Flags of `reelgauge agent` apart from its join file.
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
    fn a_system_is_identified_by_the_output_of_its_shell() {
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
