//! Agents on other hosts, installed over ssh: one step ([`step`]), the steps in order ([`steps`], on
//! Windows [`windows`]), what starts an agent when its host starts ([`service`]), and carrying it out.
//!
//! Everything goes into the home directory of the user that ssh logs in as. That user needs no special
//! rights, except on Windows, where only an administrator may create a service. Secrets go through ssh's
//! standard input, to Windows by scp, and never appear on a command line.
//!
//! Not here: creating join files ([`crate::fleet_site`]).

pub mod service;
pub mod step;
pub mod steps;
mod windows;

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use step::{By, ECHO, Input, InstallStep, RemoteSystem};

/// The exit status of ssh's own failures, as opposed to those of the command.
const SSH_FAILED: i32 = 255;

/// How to reach a host.
#[derive(Clone, Debug)]
pub struct Reach {
    /// `HOST` or `USER@HOST`, as ssh accepts it.
    pub host: String,
    /// A configuration file for ssh, instead of the user's own.
    pub ssh_config: Option<PathBuf>,
}

/// Why an agent could not be installed or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    #[error("'{}' is not a host; write HOST, USER@HOST or NAME=USER@HOST", .0.escape_debug())]
    NoHost(String),
    /// ssh or scp does not start.
    #[error("cannot start {0}: {1}. Install an OpenSSH client")]
    Ssh(&'static str, io::Error),
    /// A local file can't be read.
    #[error("cannot read {}: {source}. Check the path and its permissions", path.display())]
    Read {
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A step failed there.
    #[error("{host}: {what} failed: {said}. Files of earlier steps remain; --uninstall removes them")]
    Step { host: String, what: String, said: String },
    /// An unsupported system.
    #[error(
        "cannot install agents on {host}, which runs '{}' (only Linux, macOS and Windows). Copy the \
         program and the join file there, and start 'reelgauge agent' manually", system.escape_debug()
    )]
    OtherSystem {
        host: String,
        /// The system that it reports.
        system: String,
    },
    /// The system cannot start an agent without a service.
    #[error(
        "--no-service does not work on Windows: programs started over ssh end with the connection there. \
         Omit it; the service manager then starts the agent"
    )]
    OnceOnWindows,
    /// A flag that a Windows service cannot receive.
    #[error(
        "'{}' cannot be used in a Windows service, which expands %NAME% and does not allow line breaks. \
         Rename the folder", .0.escape_debug()
    )]
    NoWordForService(String),
    /// The flags are too long for one command.
    #[error("the flags are too long for a Windows command. Name fewer or shorter folders with --root")]
    TooLong,
}

impl Reach {
    /// A host by its name for ssh.
    ///
    /// # Errors
    /// If ssh would take the name for an option, or a shell would split it.
    pub fn new(host: &str, ssh_config: Option<PathBuf>) -> Result<Reach, InstallError> {
        let is_safe = |c: char| c.is_ascii_alphanumeric() || "-._@:[]".contains(c);
        match !host.is_empty() && !host.starts_with('-') && host.chars().all(is_safe) {
            true => Ok(Reach { host: host.to_owned(), ssh_config }),
            false => Err(InstallError::NoHost(host.to_owned())),
        }
    }

    /// The system of the host.
    ///
    /// # Errors
    /// If the host can't be reached, or its system is unsupported.
    pub fn system(&self) -> Result<RemoteSystem, InstallError> {
        let look = InstallStep::in_shell("detecting the host's operating system", "uname -s");
        let looked = self.output(&look)?;
        if looked.status.code() == Some(SSH_FAILED) {
            return Err(self.failed(&look, &looked));
        }
        let uname = said(&looked.stdout);
        if let Some(system) = RemoteSystem::of_uname(&uname) {
            return Ok(system);
        }
        // The host has no uname, or its answer is unknown.
        let echo = self.perform(&InstallStep { command: ECHO.to_owned(), ..look })?;
        RemoteSystem::of_echo(&echo).ok_or_else(|| InstallError::OtherSystem {
            host: self.host.clone(),
            system: if uname.is_empty() { echo } else { uname },
        })
    }

    /// Carries out one step there; returns its output.
    ///
    /// # Errors
    /// If it failed; with its output.
    pub fn perform(&self, step: &InstallStep) -> Result<String, InstallError> {
        let output = self.output(step)?;
        match output.status.success() {
            true => Ok(said(&output.stdout)),
            false => Err(self.failed(step, &output)),
        }
    }

    fn failed(&self, step: &InstallStep, output: &Output) -> InstallError {
        InstallError::Step {
            host: self.host.clone(),
            what: step.what.clone(),
            said: Some(said(&output.stderr))
                .filter(|said| !said.is_empty())
                .unwrap_or("no message".to_owned()),
        }
    }

    fn output(&self, step: &InstallStep) -> Result<Output, InstallError> {
        let mut ssh = match step.by {
            By::Shell => self.ssh(&step.command),
            By::PowerShell => self.ssh(&windows::command(&step.command)),
            By::Scp => return self.copied(step),
        };
        let failed = |error| InstallError::Ssh("ssh", error);
        match &step.input {
            None => ssh.stdin(Stdio::null()).output().map_err(failed),
            Some(Input::File(path)) => {
                let unread = |source| InstallError::Read { path: path.clone(), source };
                ssh.stdin(File::open(path).map_err(unread)?).output().map_err(failed)
            }
            Some(Input::Text(text)) => with_text(&mut ssh, text).map_err(failed),
        }
    }

    fn ssh(&self, command: &str) -> Command {
        let mut ssh = self.client("ssh");
        ssh.arg("--").arg(&self.host).arg(command).stdout(Stdio::piped()).stderr(Stdio::piped());
        ssh
    }

    /// Copies a local file to the host.
    fn copied(&self, step: &InstallStep) -> Result<Output, InstallError> {
        let Some(Input::File(path)) = &step.input else {
            return Err(InstallError::Ssh("scp", io::Error::other("no file was given")));
        };
        let unread = |source| InstallError::Read { path: path.clone(), source };
        // An unreadable file should give the same error as elsewhere; and scp does not take an absolute
        // path for HOST:PATH.
        File::open(path).map_err(unread)?;
        let from = std::path::absolute(path).map_err(unread)?;
        let mut scp = self.client("scp");
        scp.arg("-q").arg("--").arg(from).arg(format!("{}:{}", self.scp_host(), step.command));
        scp.stdin(Stdio::null()).output().map_err(|error| InstallError::Ssh("scp", error))
    }

    /// In the format of scp: an IPv6 address is in brackets.
    fn scp_host(&self) -> String {
        let (user, host) = match self.host.rsplit_once('@') {
            Some((user, host)) => (format!("{user}@"), host),
            None => (String::new(), self.host.as_str()),
        };
        match host.contains(':') && !host.starts_with('[') {
            true => format!("{user}[{host}]"),
            false => self.host.clone(),
        }
    }

    /// A program of OpenSSH that never prompts.
    fn client(&self, program: &str) -> Command {
        let mut client = Command::new(program);
        // No user is there to enter a password, and a host that is off must not block.
        client.args(["-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]);
        if let Some(config) = &self.ssh_config {
            client.arg("-F").arg(config);
        }
        client
    }
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

fn with_text(ssh: &mut Command, text: &str) -> io::Result<Output> {
    let mut child = ssh.stdin(Stdio::piped()).spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // A host that closes the connection reports the reason itself.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait_with_output()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_host_is_neither_an_option_nor_a_command() {
        for good in ["edit-01", "ops@edit-01.example.com", "ops@10.0.0.5", "[::1]"] {
            assert!(Reach::new(good, None).is_ok(), "{good}");
        }
        for bad in ["", "-oProxyCommand=x", "a b", "a;b", "$(x)", "a\n"] {
            assert!(matches!(Reach::new(bad, None), Err(InstallError::NoHost(_))), "{bad}");
        }
    }

    #[test]
    fn an_address_with_colons_is_no_place_for_scp() {
        for (host, scp) in [
            ("edit-01", "edit-01"),
            ("ops@10.0.0.5", "ops@10.0.0.5"),
            ("ops@fd00::5", "ops@[fd00::5]"),
            ("::1", "[::1]"),
            ("ops@[::1]", "ops@[::1]"),
        ] {
            assert_eq!(Reach::new(host, None).unwrap().scp_host(), scp);
        }
    }
}
