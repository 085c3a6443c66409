//! The fleet's own nats-server: found, started with a site's configuration, and never left behind.
//!
//! The parent of the server is a keeper, a process of this same program whose only task is to end the
//! server when a pipe ends, which happens when this process ends for any reason. A line on the pipe
//! makes the server reload its configuration.
//!
//! Not here: the content of the configuration ([`crate::fleet_site`]).

pub mod program;
pub mod server_guard;

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::fleet_site::directory::{FleetSite, FleetSiteError};
use program::{NatsServer, ProgramError};
use server_guard::RELOAD;

/// How long the server may take until it listens, even on a busy host.
const READY: Duration = Duration::from_secs(60);
/// The interval between two checks.
const BEAT: Duration = Duration::from_millis(50);
/// How long it may take to end, including the keeper's time limit.
const ENDING: Duration = Duration::from_secs(15);
/// How many lines of its log are shown if it ends unexpectedly.
const LOG_LINES: usize = 4;

/// A running server.
#[derive(Debug)]
pub struct FleetServer {
    keeper: Child,
    pipe: Option<ChildStdin>,
    configuration_path: PathBuf,
    configuration: String,
}

/// Why no server runs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The fleet uses an external server.
    #[error("this fleet uses an external server ({0}), so 'reelgauge fleet up' is not needed")]
    Others(String),
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The site can't be read or written.
    #[error(transparent)]
    Site(#[from] FleetSiteError),
    /// The system refused.
    #[error("cannot start nats-server: {0}")]
    Start(io::Error),
    /// It ended unexpectedly.
    #[error("nats-server ended unexpectedly. {} ends with:\n{said}", log.display())]
    Ended {
        log: PathBuf,
        /// The last lines of its log.
        said: String,
    },
    /// It does not listen.
    #[error(
        "nats-server did not start listening on {listen} within one minute. Check its log {}", log.display()
    )]
    Silent { listen: SocketAddr, log: PathBuf },
}

impl FleetServer {
    /// Starts the server of this site. `keeper` is a command that becomes [`server_guard::keep`], complete
    /// except for program and configuration, which are appended.
    ///
    /// # Errors
    /// If the site does not have its own server, or the server does not start.
    pub fn start(
        site: &FleetSite,
        program: &NatsServer,
        mut keeper: Command,
    ) -> Result<FleetServer, ServerError> {
        let Some(listen) = site.register().listen else {
            return Err(ServerError::Others(site.register().servers.join(", ")));
        };
        site.write_configuration()?;
        let configuration_path = site.configuration_path();
        let configuration = read(&configuration_path);
        keeper.arg(program.path()).arg(&configuration_path);
        keeper.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut keeper = keeper.spawn().map_err(ServerError::Start)?;
        let pipe = keeper.stdin.take();
        // The keeper prints a word once the server's process exists. A server that cannot even start
        // prints the reason itself.
        let mut word = String::new();
        if let Some(said) = keeper.stdout.take() {
            let _ = BufReader::new(said).read_line(&mut word);
        }
        let mut server = FleetServer { keeper, pipe, configuration_path, configuration };
        server.wait_until_it_listens(listen, &site.log_path())?;
        Ok(server)
    }

    fn wait_until_it_listens(&mut self, listen: SocketAddr, log: &Path) -> Result<(), ServerError> {
        let start = Instant::now();
        let ended = || ServerError::Ended { log: log.to_owned(), said: last_lines(&read(log)) };
        while TcpStream::connect_timeout(&dialled(listen), Duration::from_secs(1)).is_err() {
            if self.has_ended().is_some() {
                return Err(ended());
            }
            if start.elapsed() > READY {
                return Err(ServerError::Silent { listen, log: log.to_owned() });
            }
            std::thread::sleep(BEAT);
        }
        // Another process may listen at this address; then this server ends soon.
        std::thread::sleep(4 * BEAT);
        match self.has_ended() {
            Some(_) => Err(ended()),
            None => Ok(()),
        }
    }

    /// Its exit status, if it has ended.
    pub fn has_ended(&mut self) -> Option<ExitStatus> {
        self.keeper.try_wait().ok().flatten()
    }

    /// Makes the server reload its configuration if that has changed. Returns whether it had.
    ///
    /// # Errors
    /// If the keeper has ended.
    pub fn follow_configuration(&mut self) -> io::Result<bool> {
        let configuration = read(&self.configuration_path);
        if configuration.is_empty() || configuration == self.configuration {
            return Ok(false);
        }
        let pipe = self.pipe.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(pipe, "{RELOAD}")?;
        pipe.flush()?;
        self.configuration = configuration;
        Ok(true)
    }

    /// The last log lines of a server that ended unexpectedly.
    pub fn ended(site: &FleetSite) -> ServerError {
        let log = site.log_path();
        ServerError::Ended { said: last_lines(&read(&log)), log }
    }

    pub fn stop(&mut self) {
        drop(self.pipe.take());
        let start = Instant::now();
        while self.has_ended().is_none() && start.elapsed() < ENDING {
            std::thread::sleep(BEAT);
        }
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}

impl Drop for FleetServer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The address for dialling a server that listens on all addresses.
fn dialled(listen: SocketAddr) -> SocketAddr {
    let here = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(here, listen.port())
}

fn read(path: &Path) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    match lines.is_empty() {
        true => "nothing".to_owned(),
        false => lines[lines.len().saturating_sub(LOG_LINES)..].join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcard_listen_address_is_dialled_at_loopback() {
        for (listen, dial) in
            [("0.0.0.0:1", "127.0.0.1:1"), ("[::]:1", "[::1]:1"), ("10.0.0.5:1", "10.0.0.5:1")]
        {
            let parsed = listen.parse().map(dialled);
            assert_eq!(parsed.ok().map(|address: SocketAddr| address.to_string()), Some(dial.to_owned()));
        }
    }

    #[test]
    fn the_end_of_a_log_is_shown() {
        assert_eq!(last_lines(""), "nothing");
        assert_eq!(last_lines("a\nb\nc\nd\ne\n"), "b\nc\nd\ne");
    }
}
