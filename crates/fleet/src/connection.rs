//! A connection to the fleet's server, which detects within seconds that it is dead.
//!
//! TLS from the first byte, trusting only this fleet's authority; a key instead of a password. A
//! partition gives no sign, so pings go out every two seconds; after three without an answer the connection
//! is closed and opened again. Its events are reported, because many of them (a dropped message, a subject
//! that this user may not use) show nowhere else.
//!
//! Not here: the messages.

use std::sync::Arc;
use std::time::Duration;

use async_nats::rustls::pki_types::CertificateDer;
use async_nats::rustls::pki_types::pem::PemObject;
use async_nats::rustls::version::TLS13;
use async_nats::rustls::{ClientConfig, RootCertStore, crypto::ring};
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event, ServerError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::fleet_site::directory::{FleetSite, FleetSiteError};
use crate::fleet_site::join_file::JoinFile;
use crate::fleet_site::key::UserKey;
use crate::fleet_site::subject::{CONTROLLER_INBOX, agent_inbox};

/// The interval of pings. Two may be unanswered.
const PING_INTERVAL: Duration = Duration::from_secs(2);
/// The time limit for one server to answer.
const ANSWER_TIME: Duration = Duration::from_secs(5);
/// The longest pause between two attempts to reconnect.
const RECONNECT_PAUSE_MAX_MS: u64 = 2_000;
/// Each pause is this much longer than the one before.
const RECONNECT_STEP_MS: u64 = 100;

/// The user that connects, and the server.
#[derive(Clone, Debug)]
pub struct Login {
    servers: Vec<String>,
    /// The authority's certificate. Its text and not a file, which may no longer exist at the next
    /// attempt.
    authority_pem: String,
    key: UserKey,
    inbox: String,
    name: String,
}

/// An open connection, and its events.
#[derive(Debug)]
pub struct FleetConnection {
    pub client: Client,
    /// Its events.
    pub happenings: UnboundedReceiver<Happening>,
}

/// An event of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// It is open, for the first time or again.
    Connected,
    /// It broke; reconnecting is in progress.
    Disconnected,
    /// The server no longer admits this user.
    NotAdmitted,
    /// Messages were dropped because they arrived faster than they were taken.
    Dropped,
    /// The server refused a subject: messages sent to it arrived nowhere.
    Forbidden(String),
    Closed,
    /// Any other message of the library or the server.
    Other(String),
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionError {
    /// The server cannot be reached, or does not answer.
    #[error(
        "the fleet's server at {servers} does not respond ({why}). Check that 'reelgauge fleet up' runs \
         there and that this host can reach it"
    )]
    NoAnswer {
        servers: String,
        /// The error of the system or the library.
        why: String,
    },
    /// It is not the server of this fleet, or does not use TLS.
    #[error(
        "the server at {servers} did not prove that it belongs to this fleet ({why}). Nothing was sent to \
         it. Check that the join file is for this server and that this host's clock is correct"
    )]
    NotOurs {
        servers: String,
        /// The error of the library.
        why: String,
    },
    /// The server does not know this key.
    #[error(
        "the fleet's server at {servers} rejected {who}: its key was revoked, or the server has not \
         reloaded its configuration"
    )]
    NotAdmitted { servers: String, who: String },
}

impl ConnectionError {
    /// Whether a later attempt may succeed.
    pub fn is_passing(&self) -> bool {
        matches!(self, ConnectionError::NoAnswer { .. })
    }
}

impl Login {
    /// The controller's login.
    ///
    /// # Errors
    /// If its keys can't be read.
    pub fn of_controller(site: &FleetSite) -> Result<Login, FleetSiteError> {
        Ok(Login {
            servers: site.register().servers.clone(),
            authority_pem: site.authority_pem()?,
            key: site.controller_keys()?.user,
            inbox: CONTROLLER_INBOX.to_owned(),
            name: "controller".to_owned(),
        })
    }

    pub fn of_agent(join: &JoinFile) -> Login {
        Login {
            servers: join.servers.clone(),
            authority_pem: join.authority_pem.clone(),
            key: join.key.clone(),
            inbox: agent_inbox(&join.agent),
            name: join.agent.to_string(),
        }
    }

    /// Connects once; afterwards the connection is restored, however often it breaks.
    ///
    /// # Errors
    /// If there is no server, it is not this fleet's, or it does not admit this key.
    pub async fn connect(&self) -> Result<FleetConnection, ConnectionError> {
        let (sender, happenings) = unbounded_channel();
        let tls = tls_of(&self.authority_pem);
        let tls = tls.map_err(|why| ConnectionError::NotOurs { servers: self.servers.join(", "), why })?;
        let options = ConnectOptions::with_nkey(self.key.reveal())
            .name(&self.name)
            .tls_first()
            .tls_client_config(tls)
            .custom_inbox_prefix(&self.inbox)
            .ping_interval(PING_INTERVAL)
            .connection_timeout(ANSWER_TIME)
            .request_timeout(Some(ANSWER_TIME))
            // Servers that another server announces are not in the join file.
            .ignore_discovered_servers()
            .reconnect_delay_callback(|attempts| Duration::from_millis(pause_ms(attempts)))
            .event_callback(move |event| tell(&sender, &event));
        match options.connect(self.servers.as_slice()).await {
            Ok(client) => Ok(FleetConnection { client, happenings }),
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// The error for a server that does not admit this user, or no longer does.
    pub fn not_admitted(&self) -> ConnectionError {
        ConnectionError::NotAdmitted { servers: self.servers.join(", "), who: self.name.clone() }
    }

    fn failed(&self, error: &async_nats::ConnectError) -> ConnectionError {
        let servers = self.servers.join(", ");
        let why = causes(error);
        match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                self.not_admitted()
            }
            ConnectErrorKind::Tls => ConnectionError::NotOurs { servers, why },
            // An invalid certificate is reported as an I/O error.
            _ if why.contains("certificate") || why.contains("corrupt message") => {
                ConnectionError::NotOurs { servers, why }
            }
            _ => ConnectionError::NoAnswer { servers, why },
        }
    }
}

/// TLS that trusts only this authority, and nothing older than version 1.3.
fn tls_of(authority_pem: &str) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(authority_pem.as_bytes()) {
        let certificate = certificate.map_err(|error| format!("its certificate is damaged: {error}"))?;
        roots.add(certificate).map_err(|error| format!("its certificate is damaged: {error}"))?;
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_protocol_versions(&[&TLS13]).map_err(|error| error.to_string())?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Longer with each attempt, so that a server that restarts is not flooded. None before the first.
fn pause_ms(attempts: usize) -> u64 {
    let attempts = u64::try_from(attempts).unwrap_or(u64::MAX);
    attempts.saturating_sub(1).saturating_mul(RECONNECT_STEP_MS).min(RECONNECT_PAUSE_MAX_MS)
}

/// An error and its causes, each once.
fn causes(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !said.contains(&text) {
            said.push_str(": ");
            said.push_str(&text);
        }
        cause = error.source();
    }
    said
}

/// Passes an event on; the receiver may be dropped.
fn tell(sender: &UnboundedSender<Happening>, event: &Event) -> std::future::Ready<()> {
    let _ = sender.send(happening(event));
    std::future::ready(())
}

/// The meaning of an event. The library reports many of them only as text.
fn happening(event: &Event) -> Happening {
    match event {
        Event::Connected => Happening::Connected,
        Event::Disconnected | Event::LameDuckMode | Event::Draining => Happening::Disconnected,
        Event::Closed => Happening::Closed,
        Event::SlowConsumer(_) | Event::ServerError(ServerError::SlowConsumer(_)) => Happening::Dropped,
        Event::ServerError(ServerError::AuthorizationViolation) => Happening::NotAdmitted,
        other => of_text(&other.to_string()),
    }
}

fn of_text(text: &str) -> Happening {
    let lower = text.to_lowercase();
    if lower.contains("permissions violation") {
        Happening::Forbidden(text.to_owned())
    } else if lower.contains("authorization violation") || lower.contains("authentication expired") {
        Happening::NotAdmitted
    } else if lower.contains("slow consumer") {
        Happening::Dropped
    } else {
        Happening::Other(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use async_nats::ClientError;

    use super::*;

    #[test]
    fn events_that_the_library_reports_as_text_are_recognised() {
        let server = |text: &str| happening(&Event::ServerError(ServerError::Other(text.to_owned())));
        let client = |text: &str| happening(&Event::ClientError(ClientError::Other(text.to_owned())));
        let text = "Permissions Violation for Subscription to \"fleet.order.b\"";
        assert!(matches!(server(text), Happening::Forbidden(said) if said.contains("fleet.order.b")));
        assert_eq!(client("authorization violation"), Happening::NotAdmitted);
        assert_eq!(server("User Authentication Expired"), Happening::NotAdmitted);
        assert_eq!(server("Slow Consumer"), Happening::Dropped);
        assert_eq!(happening(&Event::SlowConsumer(7)), Happening::Dropped);
        assert!(matches!(client("anything"), Happening::Other(_)));
    }

    #[test]
    fn retry_interval_grows_without_end() {
        let pauses: Vec<u64> = (0..40).map(pause_ms).collect();
        assert_eq!(pauses[..3], [0, 0, RECONNECT_STEP_MS]);
        assert!(pauses.windows(2).all(|pair| pair[0] <= pair[1]));
        assert_eq!(pause_ms(usize::MAX), RECONNECT_PAUSE_MAX_MS);
    }
}
