//! A server from its settings to its end.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use reelgauge_engine::roots::{Roots, RootsError};
use tokio::net::TcpListener;
use tokio_rustls::rustls::ServerConfig;

use crate::access::AccessRules;
use crate::app::App;
use crate::forms::Form;
use crate::host_header::names_of_machine;
use crate::origin::{ConsoleOrigin, is_only_for_this_machine};
use crate::public_url::PublicUrl;
use crate::routes::{Peer, router};
use crate::run_start::{Ahead, Starter};
use crate::runs::Runs;
use crate::tls::{TlsError, TlsFiles, TlsListener, tls_config};
use crate::token::Token;
use crate::token_file::{TokenFileError, token};
use crate::traces::Traces;

/// The default address.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:8642";
pub const DEFAULT_PORT: u16 = 8642;
/// Threads that answer. Long work is done on others.
const THREADS: usize = 2;

/// The settings of a server.
#[derive(Debug)]
pub struct Settings {
    /// Version of this program.
    pub version: String,
    /// This program, which runs are started with.
    pub program: PathBuf,
    /// The folder of runs; created if needed.
    pub runs: PathBuf,
    /// Directories that may contain targets.
    pub roots: Vec<PathBuf>,
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The kind of access control.
    pub access: Access,
    /// The files for TLS; `None` without TLS.
    pub tls: Option<TlsFiles>,
    /// The address of a proxy in front of it.
    pub public_url: Option<PublicUrl>,
    /// The forms of runs that can be started.
    pub forms: Vec<Form>,
    /// Computes the forecast of a command line.
    pub ahead: Ahead,
}

/// The kind of access control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// A token that is drawn at the start, and printed.
    Drawn,
    /// The token in this file, which is never printed.
    File(PathBuf),
    /// No token: every user of this host is admitted.
    Everybody,
}

/// Why the server cannot run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// An invalid root.
    #[error(transparent)]
    Roots(#[from] RootsError),
    /// The folder of runs cannot be used.
    #[error("cannot use the folder of runs {}: {source}. Choose another one with --runs", path.display())]
    Runs {
        /// The path of the file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The address cannot be used.
    #[error("cannot listen on {address}: {source}. Choose another address with --listen")]
    Listen {
        /// The address and port.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// No secret can be drawn.
    #[error("the system provides no random numbers ({0}), so no token can be made. Use --token-file")]
    Random(#[from] getrandom::Error),
    /// The token's file.
    #[error(transparent)]
    TokenFile(#[from] TokenFileError),
    /// The files for TLS.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// There is no token, although other hosts can reach the console.
    #[error(
        "--no-token gives access to everyone who can reach the console. Use it only with --listen 127.0.0.1 \
         and without --public-url; otherwise omit --no-token"
    )]
    NoToken,
    /// It could not start, or failed later.
    #[error("the console's server failed: {0}. Start the console again; its runs continue")]
    Io(#[from] io::Error),
}

/// A server that listens and has answered no request yet.
#[derive(Debug)]
pub struct Server {
    runtime: tokio::runtime::Runtime,
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    app: Arc<App>,
    url: String,
    access: Access,
}

impl Server {
    /// Listens.
    ///
    /// # Errors
    /// If that is impossible, or the settings cannot be used.
    pub fn listen(settings: Settings) -> Result<Server, ServerError> {
        let Settings { version, program, runs, roots, listen, access, tls, public_url, forms, ahead } =
            settings;
        if access == Access::Everybody && (!is_only_for_this_machine(listen.ip()) || public_url.is_some()) {
            return Err(ServerError::NoToken);
        }
        let tls = tls.as_ref().map(tls_config).transpose()?;
        let roots = Roots::new(&roots)?;
        let runs = Runs::in_dir(&runs).map_err(|source| ServerError::Runs { path: runs, source })?;
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()?;
        let listener = runtime
            .block_on(TcpListener::bind(listen))
            .map_err(|source| ServerError::Listen { address: listen, source })?;
        // Only now, so that a server that fails leaves no token behind.
        let token = match &access {
            Access::Drawn => Some(Token::draw()?),
            Access::File(path) => Some(token(path)?),
            Access::Everybody => None,
        };
        let host = host_name();
        let site =
            ConsoleOrigin::new(listener.local_addr()?, &names_of_machine(&host), tls.is_some(), public_url);
        let url = site.url(&host);
        let starter = Starter { program, forms, roots, traces: Arc::new(Traces::default()), ahead };
        let app = Arc::new(App::new(version, host, AccessRules::new(site, token), runs, starter));
        Ok(Server { runtime, listener, tls, app, url, access })
    }

    /// The link to print. It omits a token that is kept in a file: otherwise every reader of a service's
    /// log would have it.
    pub fn printed_link(&self) -> String {
        match self.access {
            Access::File(_) => self.url.clone(),
            Access::Drawn | Access::Everybody => self.entry_link(),
        }
    }

    /// The link that admits a browser. The token follows the `#`, which browsers never send: it appears
    /// in no log of a proxy and in no `Referer`.
    pub fn entry_link(&self) -> String {
        match self.app.access.token() {
            Some(token) => format!("{}#token={}", self.url, token.reveal()),
            None => self.url.clone(),
        }
    }

    /// The address it listens on, which differs from its link behind a proxy.
    ///
    /// # Errors
    /// If the system does not return it.
    pub fn listens(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Whether tokens and figures cross a network unencrypted.
    pub fn is_in_the_clear(&self) -> bool {
        let is_local = self.listens().is_ok_and(|at| is_only_for_this_machine(at.ip()));
        self.tls.is_none() && !is_local
    }

    /// Directories that may contain targets, all links resolved.
    pub fn roots(&self) -> &[PathBuf] {
        self.app.starter.roots.paths()
    }

    /// The folder of runs, all links resolved.
    pub fn runs_dir(&self) -> &std::path::Path {
        self.app.runs.dir()
    }

    /// Answers requests until Ctrl-C. Runs that it has started continue, and watchers are disconnected
    /// at once.
    ///
    /// # Errors
    /// If it fails.
    pub fn serve(self) -> Result<(), ServerError> {
        let Server { runtime, listener, tls, app, .. } = self;
        let router = router(app);
        let served = runtime.block_on(async {
            tokio::select! {
                served = answer(listener, tls, router) => served,
                asked = tokio::signal::ctrl_c() => asked,
            }
        });
        // Threads that read logs are not waited for.
        runtime.shutdown_background();
        Ok(served?)
    }
}

async fn answer(listener: TcpListener, tls: Option<Arc<ServerConfig>>, router: Router) -> io::Result<()> {
    match tls {
        Some(tls) => answer_on(TlsListener::new(listener, tls)?, router).await,
        None => answer_on(listener, router).await,
    }
}

async fn answer_on<L: Listener<Addr = SocketAddr>>(listener: L, router: Router) -> io::Result<()>
where
    Peer: for<'a> Connected<IncomingStream<'a, L>>,
{
    axum::serve(listener, router.into_make_service_with_connect_info::<Peer>()).await
}

/// This host's name; empty if it has none that is valid in an address.
fn host_name() -> String {
    let facts = reelgauge_machine::host::gather(None);
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    if facts.name.chars().all(fits) { facts.name } else { String::new() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn unusable_settings_are_reported() {
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
            access: Access::Drawn,
            tls: None,
            public_url: None,
            forms: Vec::new(),
            ahead: |_| Ok(crate::run_start::Planned::default()),
        };
        let runs = folder.path().join("runs");
        let error = |settings| Server::listen(settings).unwrap_err().to_string();
        assert!(error(settings(file.join("runs"), Vec::new())).contains("--runs"));
        assert!(error(settings(runs.clone(), vec![file.clone()])).contains("--root"));
        assert!(error(settings(runs.clone(), Vec::new())).contains("--listen"));
        let files = TlsFiles { cert: file.clone(), key: file };
        assert!(
            error(Settings { tls: Some(files), ..settings(runs.clone(), Vec::new()) }).contains("--tls-cert")
        );
        let open = || Settings { access: Access::Everybody, ..settings(runs.clone(), Vec::new()) };
        assert!(error(Settings { listen: "0.0.0.0:0".parse().unwrap(), ..open() }).contains("--no-token"));
        let proxy = Some("https://nas.example.com/".parse().unwrap());
        assert!(error(Settings { public_url: proxy, ..open() }).contains("--no-token"));
    }
}
