//! The members of the fleet, and its server: `fleet.toml`. No secrets.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use super::agent_name::{AgentName, FleetId};
use super::key::{SealCheck, is_user_public};

/// The version of this format.
pub const REGISTER_VERSION: u32 = 1;

/// The members of the fleet, and its server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Register {
    /// Version of this format.
    pub version: u32,
    pub fleet: FleetId,
    /// The server's addresses for agents and the controller: `tls://HOST:PORT`.
    pub servers: Vec<String>,
    /// The address that the fleet's own server listens on; without it, the fleet uses an external
    /// server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listen: Option<SocketAddr>,
    /// The public key of the controller's user.
    pub controller: String,
    /// The public key of the controller's seal.
    pub seal: String,
    #[serde(default, rename = "agent", skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<Member>,
    /// Agents that were revoked, and when.
    #[serde(default, rename = "revoked", skip_serializing_if = "Vec::is_empty")]
    pub revoked: Vec<Revoked>,
}

/// An agent of the fleet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    pub name: AgentName,
    pub key: String,
}

/// An agent that was revoked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revoked {
    pub name: AgentName,
    /// The public key that is no longer accepted.
    pub key: String,
    /// The time, as RFC 3339.
    pub at: String,
}

/// Why agents can't be added or revoked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// Two agents with the same name.
    #[error("there are two agents '{0}'; give each its own name")]
    Twice(AgentName),
    /// The name exists already.
    #[error(
        "agent '{0}' already exists. If its join file was lost or leaked, run 'reelgauge fleet revoke {0}' \
         first"
    )]
    Known(AgentName),
    /// No agent has this name.
    #[error("there is no agent '{name}'. Agents: {known}")]
    Unknown { name: AgentName, known: String },
    #[error("fleet.toml is damaged: {0}. Restore it from a backup, or create a new fleet")]
    Damaged(String),
    /// Written by a newer program.
    #[error("fleet.toml has version {0}, but this program reads {REGISTER_VERSION}. Update Reelgauge here")]
    Newer(u32),
}

impl Register {
    /// Reads a register.
    ///
    /// # Errors
    /// If the text is not a register.
    pub fn from_toml(text: &str) -> Result<Register, RegisterError> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let damaged = |error: toml::de::Error| RegisterError::Damaged(error.message().to_owned());
        let Version { version } = toml::from_str(text).map_err(damaged)?;
        if version > REGISTER_VERSION {
            return Err(RegisterError::Newer(version));
        }
        let register: Register = toml::from_str(text).map_err(damaged)?;
        register.check()?;
        Ok(register)
    }

    /// The register as text.
    ///
    /// # Errors
    /// If TOML cannot represent a value.
    pub fn to_toml(&self) -> Result<String, RegisterError> {
        toml::to_string_pretty(self).map_err(|error| RegisterError::Damaged(error.to_string()))
    }

    /// Checks every value, because they are written into the server's configuration.
    fn check(&self) -> Result<(), RegisterError> {
        let damaged = |why: &str| Err(RegisterError::Damaged(why.to_owned()));
        let keys = self.agents.iter().map(|member| &member.key).chain([&self.controller]);
        if keys.into_iter().any(|key| !is_user_public(key)) || SealCheck::of(&self.seal).is_err() {
            return damaged("one of its keys is invalid");
        }
        if self.servers.is_empty() || self.servers.iter().any(|server| !super::join_file::is_tls(server)) {
            return damaged("its servers are not tls://HOST:PORT");
        }
        for (at, member) in self.agents.iter().enumerate() {
            let before = &self.agents[..at];
            if before.iter().any(|other| other.name == member.name) {
                return Err(RegisterError::Twice(member.name.clone()));
            }
            // Two members with one key could impersonate each other.
            if before.iter().any(|other| other.key == member.key) || member.key == self.controller {
                return damaged("it contains a key twice");
            }
        }
        Ok(())
    }

    /// Adds an agent.
    ///
    /// # Errors
    /// If the name exists already.
    pub fn add(&mut self, name: AgentName, key: String) -> Result<(), RegisterError> {
        if self.agents.iter().any(|member| member.name == name) {
            return Err(RegisterError::Known(name));
        }
        self.agents.push(Member { name, key });
        Ok(())
    }

    /// Revokes an agent.
    ///
    /// # Errors
    /// If no agent has this name.
    pub fn revoke(&mut self, name: &AgentName, at: String) -> Result<(), RegisterError> {
        let place = self.agents.iter().position(|member| member.name == *name);
        let Some(place) = place else {
            let known: Vec<&str> = self.agents.iter().map(|member| member.name.as_str()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(RegisterError::Unknown { name: name.clone(), known });
        };
        let Member { name, key } = self.agents.remove(place);
        self.revoked.push(Revoked { name, key, at });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::fleet_site::key::{SealingKey, UserKey};

    fn register() -> Register {
        Register {
            version: REGISTER_VERSION,
            fleet: FleetId::draw().unwrap(),
            servers: vec!["tls://127.0.0.1:4222".to_owned()],
            listen: Some("127.0.0.1:4222".parse().unwrap()),
            controller: UserKey::draw().public(),
            seal: SealingKey::draw().public(),
            agents: Vec::new(),
            revoked: Vec::new(),
        }
    }

    fn name(text: &str) -> AgentName {
        text.parse().unwrap()
    }

    #[test]
    fn agents_come_and_go() {
        let mut register = register();
        register.add(name("a"), UserKey::draw().public()).unwrap();
        register.add(name("b"), UserKey::draw().public()).unwrap();
        let again = register.add(name("a"), UserKey::draw().public());
        assert_eq!(again, Err(RegisterError::Known(name("a"))));
        register.revoke(&name("a"), "2026-11-25T20:00:00Z".to_owned()).unwrap();
        let gone = register.revoke(&name("a"), String::new()).unwrap_err().to_string();
        assert!(gone.ends_with(": b"), "{gone}");
        // The agent returns with a new key.
        register.add(name("a"), UserKey::draw().public()).unwrap();
        assert_eq!(Register::from_toml(&register.to_toml().unwrap()).unwrap(), register);
    }

    #[test]
    fn a_register_with_one_key_for_two_members_is_refused() {
        let mut register = register();
        let key = UserKey::draw().public();
        register.agents = vec![Member { name: name("a"), key: key.clone() }, Member { name: name("b"), key }];
        let refused = |register: &Register| Register::from_toml(&register.to_toml().unwrap()).unwrap_err();
        assert!(matches!(refused(&register), RegisterError::Damaged(_)));
        register.agents[1] = Member { name: name("a"), key: UserKey::draw().public() };
        assert_eq!(refused(&register), RegisterError::Twice(name("a")));
        register.agents.truncate(1);
        register.agents[0].key = register.controller.clone();
        assert!(matches!(refused(&register), RegisterError::Damaged(_)));
        register.agents[0].key = "U\" permissions: {publish: \">\"}".to_owned();
        assert!(matches!(refused(&register), RegisterError::Damaged(_)));
        register.version = 9;
        assert_eq!(refused(&register), RegisterError::Newer(9));
    }
}
