//! The file with everything that one agent needs to join the fleet: the server's address and
//! certificate, the agent's own key, and the key that verifies the controller's orders. A secret.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::agent_name::{AgentName, FleetId};
use super::key::{KeyError, SealCheck, UserKey};
use super::private_file::{self, PrivateFileError};

/// The version of this format.
pub const JOIN_VERSION: u32 = 1;

/// What one agent needs to join.
#[derive(Clone, Debug)]
pub struct JoinFile {
    pub fleet: FleetId,
    pub agent: AgentName,
    /// The server's addresses: `tls://HOST:PORT`, any of these.
    pub servers: Vec<String>,
    pub key: UserKey,
    /// Verifies the controller's seal.
    pub seal: SealCheck,
    /// The authority's certificate, as PEM.
    pub authority_pem: String,
    pub path: PathBuf,
}

/// Why a join file can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JoinError {
    /// It can't be read, or other users can read it.
    #[error(transparent)]
    File(#[from] PrivateFileError),
    /// It is not a join file.
    #[error("{} is not a join file: {why}. 'reelgauge fleet init' and 'fleet add' create one for each agent",
        path.display())]
    Damaged { path: PathBuf, why: String },
    /// Written by a newer program.
    #[error(
        "{} has version {version}, but this program reads {JOIN_VERSION}. Update Reelgauge here",
        path.display()
    )]
    Newer { path: PathBuf, version: u32 },
}

/// The content of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u32,
    fleet: FleetId,
    agent: AgentName,
    servers: Vec<String>,
    key: String,
    seal: String,
    authority: String,
}

/// The text of a join file.
pub fn text(fleet: &FleetId, agent: &AgentName, servers: &[String], keys: &Keys<'_>) -> String {
    let servers: Vec<String> = servers.iter().map(|server| format!("{server:?}")).collect();
    format!(
        "# Lets one machine's agent join a fleet: reelgauge agent --join FILE --root DIR\n\
         # Secret: anyone with this file can act as this agent until 'reelgauge fleet revoke {agent}'.\n\
         version = {JOIN_VERSION}\n\
         fleet = \"{}\"\n\
         agent = \"{agent}\"\n\
         servers = [{}]\n\
         key = \"{}\"\n\
         seal = \"{}\"\n\
         authority = '''\n{}\n'''\n",
        fleet.as_str(),
        servers.join(", "),
        keys.agent.reveal(),
        keys.seal_public,
        keys.authority_pem.trim_end(),
    )
}

/// The keys and the certificate in a join file.
pub struct Keys<'a> {
    pub agent: &'a UserKey,
    /// The public key of the controller's seal.
    pub seal_public: &'a str,
    /// The authority's certificate.
    pub authority_pem: &'a str,
}

impl JoinFile {
    /// Reads a join file.
    ///
    /// # Errors
    /// If other users can read the file, or it is not a join file.
    pub fn read(path: &Path) -> Result<JoinFile, JoinError> {
        let text = private_file::read(path)?;
        JoinFile::of(&text, path)
    }

    fn of(text: &str, path: &Path) -> Result<JoinFile, JoinError> {
        let damaged = |why: String| JoinError::Damaged { path: path.to_owned(), why };
        let key_failed = |error: KeyError| damaged(error.to_string());
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        // The message of toml quotes the line, which may contain the key.
        let Version { version } =
            toml::from_str(text).map_err(|_| damaged("it has no version".to_owned()))?;
        if version > JOIN_VERSION {
            return Err(JoinError::Newer { path: path.to_owned(), version });
        }
        let written: Written = toml::from_str(text).map_err(|error| damaged(error.message().to_owned()))?;
        if written.servers.is_empty() || written.servers.iter().any(|server| !is_tls(server)) {
            return Err(damaged("its servers are not tls://HOST:PORT".to_owned()));
        }
        if !written.authority.contains("-----BEGIN CERTIFICATE-----") {
            return Err(damaged("it has no certificate".to_owned()));
        }
        debug_assert_eq!(written.version, version);
        Ok(JoinFile {
            fleet: written.fleet,
            agent: written.agent,
            servers: written.servers,
            key: UserKey::from_seed(&written.key).map_err(key_failed)?,
            seal: SealCheck::of(&written.seal).map_err(key_failed)?,
            authority_pem: written.authority,
            path: path.to_owned(),
        })
    }
}

/// Nothing else is dialled: without TLS, a message may come from anyone.
pub fn is_tls(server: &str) -> bool {
    let place = server.strip_prefix("tls://").unwrap_or_default();
    !place.is_empty() && place.chars().all(|c| c.is_ascii_alphanumeric() || "-._:[]".contains(c))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::fleet_site::certificate;
    use crate::fleet_site::key::SealingKey;

    fn written() -> (String, UserKey, SealingKey) {
        let (key, seal) = (UserKey::draw(), SealingKey::draw());
        let authority = certificate::make("a", &["127.0.0.1".to_owned()]).unwrap().authority_pem;
        let keys = Keys { agent: &key, seal_public: &seal.public(), authority_pem: &authority };
        let servers = ["tls://127.0.0.1:4222".to_owned(), "tls://[::1]:4222".to_owned()];
        let text = text(&FleetId::draw().unwrap(), &"edit-01".parse().unwrap(), &servers, &keys);
        (text, key, seal)
    }

    fn read(text: &str) -> Result<JoinFile, JoinError> {
        JoinFile::of(text, Path::new("edit-01.toml"))
    }

    #[test]
    fn a_written_join_file_is_read_back() {
        let (text, key, seal) = written();
        let join = read(&text).unwrap();
        assert_eq!((join.agent.as_str(), join.servers.len()), ("edit-01", 2));
        assert_eq!(join.key.public(), key.public());
        assert!(join.seal.holds(b"x", &seal.sign(b"x")));
        assert!(join.authority_pem.lines().any(|line| line == "-----BEGIN CERTIFICATE-----"));
    }

    #[test]
    fn anything_else_is_refused_and_no_secret_repeated() {
        let (good, key, _) = written();
        let secret = key.reveal();
        let changes = [
            ("tls://127", "nats://127"),
            ("servers = [", "servers = [] # ["),
            ("-----BEGIN CERTIFICATE-----", "-----BEGIN NOTHING-----"),
            ("agent = \"edit-01\"", "agent = \"../edit\""),
            ("fleet = \"", "fleet = \"z"),
            ("seal = \"V", "seal = \"U"),
            ("key = \"SU", "key = \"SA"),
            ("key = \"S", "key = [\"S"),
            ("version = 1", "version = 1\nexec = \"rm\""),
            ("version = 1", ""),
        ];
        for (from, to) in changes {
            let bad = good.replacen(from, to, 1);
            assert_ne!(bad, good, "{from}");
            let error = read(&bad).unwrap_err().to_string();
            assert!(error.contains("not a join file") && !error.contains(&secret[4..20]), "{to}: {error}");
        }
        let newer = good.replacen("version = 1", "version = 2\nmore = 1", 1);
        assert!(matches!(read(&newer), Err(JoinError::Newer { version: 2, .. })));
    }

    #[test]
    fn only_tls_is_dialled() {
        for good in ["tls://10.0.0.5:4222", "tls://nas-1.example.com:4222", "tls://[::1]:1"] {
            assert!(is_tls(good), "{good}");
        }
        for bad in
            ["", "tls://", "nats://a:1", "ws://a", "a:1", "tls://user:pass@a:1", "tls://a/b", "tls://a b"]
        {
            assert!(!is_tls(bad), "{bad}");
        }
    }
}
