//! A server from its settings to its end.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::net::TcpListener;

use crate::app::App;
use crate::door::{Door, is_only_for_this_machine};
use crate::forms::Form;
use crate::roots::{Roots, RootsError};
use crate::routes::router;
use crate::runs::Runs;
use crate::start::Starter;
use crate::token::Token;
use crate::traces::Traces;

/// Where it listens if nobody says so.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:8642";
/// Its port.
pub const DEFAULT_PORT: u16 = 8642;
/// Threads that answer. What takes time is done on others.
const THREADS: usize = 2;

/// What a server is made of.
#[derive(Debug)]
pub struct Settings {
    /// Version of this program.
    pub version: String,
    /// This program, which runs are started with.
    pub program: PathBuf,
    /// The folder of runs; made if need be.
    pub runs: PathBuf,
    /// Directories below which targets may lie.
    pub roots: Vec<PathBuf>,
    /// Where it listens.
    pub listen: SocketAddr,
    /// What can be started.
    pub forms: Vec<Form>,
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// A root that is none.
    #[error(transparent)]
    Roots(#[from] RootsError),
    /// The folder of runs.
    #[error("the folder of runs {} can't be used: {source}; choose another one with --runs", path.display())]
    Runs {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The address.
    #[error("can't listen on {address}: {source}; choose another address with --listen")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// No secret can be drawn.
    #[error("the system gives no random numbers ({0}); without them only 127.0.0.1 can be listened to")]
    Random(#[from] getrandom::Error),
    /// It could not be begun, or could not go on.
    #[error("the console's server failed: {0}")]
    Io(#[from] io::Error),
}

/// A server that listens and has not answered anybody yet.
#[derive(Debug)]
pub struct Server {
    runtime: tokio::runtime::Runtime,
    listener: TcpListener,
    app: Arc<App>,
    link: String,
}

impl Server {
    /// Listens.
    ///
    /// # Errors
    /// When that is impossible, or the settings can't be used.
    pub fn listen(settings: Settings) -> Result<Server, ServerError> {
        let Settings { version, program, runs, roots, listen, forms } = settings;
        let roots = Roots::new(&roots)?;
        let runs = Runs::in_dir(&runs).map_err(|source| ServerError::Runs { path: runs, source })?;
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()?;
        let listener = runtime
            .block_on(TcpListener::bind(listen))
            .map_err(|source| ServerError::Listen { address: listen, source })?;
        let address = listener.local_addr()?;
        let token = match is_only_for_this_machine(address.ip()) {
            true => None,
            false => Some(Token::draw()?),
        };
        let host = host_name();
        let link = link(address, &host, token.as_ref());
        let door = Door::new(address, &host, token);
        let starter = Starter { program, forms, roots, traces: Arc::new(Traces::default()) };
        let app = Arc::new(App::new(version, host, door, runs, starter));
        Ok(Server { runtime, listener, app, link })
    }

    /// What to open in a browser.
    pub fn link(&self) -> &str {
        &self.link
    }

    /// Whether the link carries a token.
    pub fn asks_for_token(&self) -> bool {
        self.app.door.cookie().is_some()
    }

    /// Directories below which targets may lie, all links resolved.
    pub fn roots(&self) -> &[PathBuf] {
        self.app.starter.roots.paths()
    }

    /// Where the runs lie, all links resolved.
    pub fn runs_dir(&self) -> &std::path::Path {
        self.app.runs.dir()
    }

    /// Answers until Ctrl-C. Runs that it has started go on, and whoever watches is left alone at once.
    ///
    /// # Errors
    /// When it can't go on.
    pub fn serve(self) -> Result<(), ServerError> {
        let Server { runtime, listener, app, .. } = self;
        let served = runtime.block_on(async {
            tokio::select! {
                served = axum::serve(listener, router(app)) => served,
                asked = tokio::signal::ctrl_c() => asked,
            }
        });
        // Threads that read logs are not waited for.
        runtime.shutdown_background();
        Ok(served?)
    }
}

/// The link to a server. Where it listens for everybody, this machine's name is what others know it by.
fn link(address: SocketAddr, host: &str, token: Option<&Token>) -> String {
    let place = match address.ip().is_unspecified() {
        true if host.is_empty() => format!("localhost:{}", address.port()),
        true => format!("{host}:{}", address.port()),
        false => address.to_string(),
    };
    match token {
        None => format!("http://{place}/"),
        Some(token) => format!("http://{place}/?token={}", token.reveal()),
    }
}

/// This machine's name; empty where it has none that fits into an address.
fn host_name() -> String {
    let facts = reelgauge_record::host::HostFacts::gather(None);
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    if facts.name.chars().all(fits) { facts.name } else { String::new() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_link_leads_to_where_it_listens() {
        let link = |address: &str, token: Option<&Token>| link(address.parse().unwrap(), "nas1", token);
        let token = Token::draw().unwrap();
        assert_eq!(link("127.0.0.1:8642", None), "http://127.0.0.1:8642/");
        assert_eq!(link("[::1]:8642", None), "http://[::1]:8642/");
        let with = format!("?token={}", token.reveal());
        assert_eq!(link("0.0.0.0:80", Some(&token)), format!("http://nas1:80/{with}"));
        assert_eq!(link("10.1.2.3:8642", Some(&token)), format!("http://10.1.2.3:8642/{with}"));
    }

    #[test]
    fn what_cant_be_used_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let settings = |runs: PathBuf, roots: Vec<PathBuf>| Settings {
            version: String::new(),
            program: PathBuf::new(),
            runs,
            roots,
            listen: taken.local_addr().unwrap(),
            forms: Vec::new(),
        };
        let runs = folder.path().join("runs");
        let error = |settings| Server::listen(settings).unwrap_err().to_string();
        assert!(error(settings(file.join("runs"), Vec::new())).contains("--runs"));
        assert!(error(settings(runs.clone(), vec![file.clone()])).contains("--root"));
        assert!(error(settings(runs, Vec::new())).contains("--listen"));
    }
}
