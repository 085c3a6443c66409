//! The fleet's register in the format of nats-server: who may connect, and what each may publish and
//! subscribe to.
//!
//! It is generated from the register alone: edits in the file are overwritten.

use std::net::SocketAddr;
use std::path::Path;

use super::agent_name::AgentName;
use super::register::Register;
use super::subject::Permissions;

/// The paths of the files that the configuration names.
pub struct SiteFiles<'a> {
    pub certificate: &'a Path,
    pub key: &'a Path,
    pub log: &'a Path,
}

/// The configuration of the fleet's own server.
pub fn of_server(register: &Register, listen: SocketAddr, files: &SiteFiles<'_>) -> String {
    format!(
        "# Made by reelgauge from fleet.toml; changed by 'reelgauge fleet add' and 'fleet revoke'.\n\
         server_name: {name}\n\
         listen: {listen}\n\
         # Nothing is sent unencrypted: TLS starts with the first byte.\n\
         tls {{\n  \
           cert_file: {certificate}\n  \
           key_file: {key}\n  \
           handshake_first: true\n  \
           min_version: \"1.3\"\n  \
           timeout: 5\n\
         }}\n\
         log_file: {log}\n\
         max_payload: 1MB\n\
         ping_interval: \"5s\"\n\
         ping_max: 2\n\
         write_deadline: \"10s\"\n\
         system_account: SYS\n\
         accounts {{\n  \
           FLEET {{\n    \
             users: [\n{users}    ]\n  \
           }}\n  \
           SYS {{ users: [] }}\n\
         }}\n",
        name = quoted(&format!("reelgauge-{}", &register.fleet.as_str()[..8])),
        listen = quoted(&listen.to_string()),
        certificate = quoted(&files.certificate.to_string_lossy()),
        key = quoted(&files.key.to_string_lossy()),
        log = quoted(&files.log.to_string_lossy()),
        users = users(register),
    )
}

/// Only the users, for an account of an external server.
pub fn of_users(register: &Register) -> String {
    format!(
        "# Include this file in this fleet's account on your NATS server. The server needs\n\
         # tls {{ handshake_first: true }}. Made by reelgauge from fleet.toml.\n\
         users: [\n{}]\n",
        users(register)
    )
}

fn users(register: &Register) -> String {
    let controller = user(&register.controller, "controller", &Permissions::of_controller());
    let agent = |name: &AgentName, key: &str| user(key, name.as_str(), &Permissions::of_agent(name));
    let agents = register.agents.iter().map(|member| agent(&member.name, &member.key));
    std::iter::once(controller).chain(agents).collect()
}

fn user(key: &str, name: &str, permissions: &Permissions) -> String {
    let answers = permissions
        .answers
        .map(|most| format!("\n        allow_responses: {{ max: {most}, expires: \"10m\" }}"))
        .unwrap_or_default();
    format!(
        "      # {name}\n      {{ nkey: {}, permissions: {{\n        publish: {{ allow: {} }}\n        \
         subscribe: {{ \
         allow: {} }}{answers}\n      }} }}\n",
        quoted(key),
        list(&permissions.publish),
        list(&permissions.subscribe),
    )
}

fn list(subjects: &[String]) -> String {
    let quoted: Vec<String> = subjects.iter().map(|subject| quoted(subject)).collect();
    format!("[{}]", quoted.join(", "))
}

/// A string of the configuration, with any characters in it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::fleet_site::agent_name::FleetId;
    use crate::fleet_site::key::{SealingKey, UserKey};
    use crate::fleet_site::register::{Member, REGISTER_VERSION};

    fn register() -> Register {
        Register {
            version: REGISTER_VERSION,
            fleet: FleetId::draw().unwrap(),
            servers: vec!["tls://127.0.0.1:4222".to_owned()],
            listen: None,
            controller: UserKey::draw().public(),
            seal: SealingKey::draw().public(),
            agents: vec![Member { name: "edit-01".parse().unwrap(), key: UserKey::draw().public() }],
            revoked: Vec::new(),
        }
    }

    #[test]
    fn no_port_is_without_tls_and_no_user_is_anonymous() {
        let register = register();
        let here = Path::new("/var/lib/a \"fleet\"");
        let files = SiteFiles { certificate: here, key: here, log: here };
        let text = of_server(&register, "0.0.0.0:4222".parse().unwrap(), &files);
        assert!(text.contains("handshake_first: true\n") && text.contains("min_version: \"1.3\""));
        assert!(text.contains("cert_file: \"/var/lib/a \\\"fleet\\\"\""));
        for opening in
            ["no_auth_user", "http", "websocket", "leafnodes", "cluster", "monitor", "password", "jetstream"]
        {
            assert!(!text.contains(opening), "{opening}");
        }
        assert_eq!(text.matches("nkey:").count(), 2);
        assert!(text.contains(&register.controller) && text.contains(&register.agents[0].key));
        assert!(!text.contains(&register.seal), "the seal opens no server");
    }

    #[test]
    fn an_external_server_receives_only_the_users() {
        let text = of_users(&register());
        assert!(text.contains("users: [") && !text.contains("listen") && !text.contains("tls {\n"));
    }
}
