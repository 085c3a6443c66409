//! Agents on other machines, put there over ssh: what is to be done, in order ([`steps`]), what starts an
//! agent when its machine starts ([`service`]), and doing it.
//!
//! Everything goes into the home directory of the user that ssh logs in as, who needs no special rights.
//! Secrets go through ssh's standard input and stand on no command line. Linux and macOS; not Windows.
//!
//! Not here: making join files ([`crate::site`]).

pub mod service;
pub mod steps;

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use steps::{Input, InstallStep, RemoteSystem};

/// How a machine is reached.
#[derive(Clone, Debug)]
pub struct Reach {
    /// `HOST` or `USER@HOST`, as ssh knows it.
    pub host: String,
    /// A configuration file for ssh, instead of the user's own.
    pub ssh_config: Option<PathBuf>,
}

/// Why an agent is not where it should be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InstallError {
    /// Not a host.
    #[error("'{}' is no host: write HOST, USER@HOST or NAME=USER@HOST", .0.escape_debug())]
    NoHost(String),
    /// ssh does not start.
    #[error("ssh can't be started: {0}; install an OpenSSH client")]
    Ssh(io::Error),
    /// A file of this machine can't be read.
    #[error("{} can't be read: {source}; check the path and its rights", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A step failed there.
    #[error("{host}: {what} failed: {said}; what was done before stays, and --uninstall removes it")]
    Step {
        /// Where.
        host: String,
        /// What was to be done.
        what: String,
        /// What was said.
        said: String,
    },
    /// A system that this does not know.
    #[error(
        "{host} runs '{}', for which agents can't be installed from here (Linux and macOS can); copy program \
         and join file \
         there and start 'reelgauge agent' yourself", system.escape_debug()
    )]
    OtherSystem {
        /// Where.
        host: String,
        /// What it says it runs.
        system: String,
    },
}

impl Reach {
    /// A machine by its name for ssh.
    ///
    /// # Errors
    /// What ssh would take for an option, or a shell for more than a word.
    pub fn new(host: &str, ssh_config: Option<PathBuf>) -> Result<Reach, InstallError> {
        let is_safe = |c: char| c.is_ascii_alphanumeric() || "-._@:[]".contains(c);
        match !host.is_empty() && !host.starts_with('-') && host.chars().all(is_safe) {
            true => Ok(Reach { host: host.to_owned(), ssh_config }),
            false => Err(InstallError::NoHost(host.to_owned())),
        }
    }

    /// What the machine runs.
    ///
    /// # Errors
    /// It can't be reached, or runs something else.
    pub fn system(&self) -> Result<RemoteSystem, InstallError> {
        let look = InstallStep {
            what: "looking what it runs".to_owned(),
            command: "uname -s".to_owned(),
            input: None,
        };
        let said = self.perform(&look)?;
        match said.trim() {
            "Linux" => Ok(RemoteSystem::Linux),
            "Darwin" => Ok(RemoteSystem::MacOs),
            other => Err(InstallError::OtherSystem { host: self.host.clone(), system: other.to_owned() }),
        }
    }

    /// Does one step there; what it said.
    ///
    /// # Errors
    /// It failed, and what was said.
    pub fn perform(&self, step: &InstallStep) -> Result<String, InstallError> {
        let mut ssh = Command::new("ssh");
        // Nobody is there to be asked for a password, and a machine that is off is not waited for.
        ssh.args(["-o", "BatchMode=yes", "-o", "ConnectTimeout=10"]);
        if let Some(config) = &self.ssh_config {
            ssh.arg("-F").arg(config);
        }
        ssh.arg("--").arg(&self.host).arg(&step.command).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = match &step.input {
            None => ssh.stdin(Stdio::null()).output().map_err(InstallError::Ssh)?,
            Some(Input::File(path)) => {
                let failed = |source| InstallError::Read { path: path.clone(), source };
                ssh.stdin(File::open(path).map_err(failed)?).output().map_err(InstallError::Ssh)?
            }
            Some(Input::Text(text)) => with_text(&mut ssh, text).map_err(InstallError::Ssh)?,
        };
        let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        match output.status.success() {
            true => Ok(said(&output.stdout)),
            false => Err(InstallError::Step {
                host: self.host.clone(),
                what: step.what.clone(),
                said: Some(said(&output.stderr))
                    .filter(|said| !said.is_empty())
                    .unwrap_or("nothing was said".to_owned()),
            }),
        }
    }
}

fn with_text(ssh: &mut Command, text: &str) -> io::Result<Output> {
    let mut child = ssh.stdin(Stdio::piped()).spawn()?;
    if let Some(mut input) = child.stdin.take() {
        // A machine that hangs up says why itself.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait_with_output()
}

#[cfg(test)]
mod tests {
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
}
